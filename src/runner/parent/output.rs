//! Turns the output of a program into text, up to its limit.

use super::super::{Chunk, Stream};

/// Collects output until the limit, as text.
#[derive(Debug)]
pub(super) struct Output {
    room: usize,
    stdout: Utf8,
    stderr: Utf8,
    /// Text that was not yet taken. Neighbours are of different streams.
    ready: Vec<Chunk>,
    too_long: bool,
}

impl Output {
    /// Keeps at most `limit` bytes of text.
    pub(super) fn new(limit: usize) -> Self {
        Self { room: limit, stdout: Utf8::default(), stderr: Utf8::default(), ready: Vec::new(), too_long: false }
    }

    /// Adds bytes as they arrived.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let text = match stream {
            Stream::Stdout => self.stdout.push(bytes),
            Stream::Stderr => self.stderr.push(bytes),
        };
        self.keep(stream, text);
    }

    /// Ends both streams. Half a character counts as an invalid one.
    pub(super) fn end(&mut self) {
        for (stream, rest) in [(Stream::Stdout, self.stdout.end()), (Stream::Stderr, self.stderr.end())] {
            self.keep(stream, rest);
        }
    }

    /// True if there was more than is kept.
    pub(super) fn too_long(&self) -> bool {
        self.too_long
    }

    /// Takes the text that has become ready.
    pub(super) fn take(&mut self) -> Vec<Chunk> {
        std::mem::take(&mut self.ready)
    }

    fn keep(&mut self, stream: Stream, mut text: String) {
        if text.len() > self.room {
            self.too_long = true;
            text.truncate(text.floor_char_boundary(self.room));
            // What does not fit ends the output, even if something shorter would.
            self.room = text.len();
        }
        self.room -= text.len();
        if text.is_empty() {
            return;
        }
        match self.ready.last_mut() {
            Some(last) if last.stream == stream => last.text.push_str(&text),
            _ => self.ready.push(Chunk { stream, text }),
        }
    }
}

/// Turns bytes into text. Characters may be cut between two pieces.
#[derive(Debug, Default)]
struct Utf8 {
    /// The beginning of a character: at most three bytes.
    begun: Vec<u8>,
}

impl Utf8 {
    fn push(&mut self, bytes: &[u8]) -> String {
        let joined;
        let mut rest = if self.begun.is_empty() {
            bytes
        } else {
            self.begun.extend_from_slice(bytes);
            joined = std::mem::take(&mut self.begun);
            &joined
        };
        let mut text = String::with_capacity(rest.len());
        loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    return text;
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(valid));
                    let Some(length) = error.error_len() else {
                        self.begun = after.to_vec();
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    rest = after.get(length..).unwrap_or_default();
                }
            }
        }
    }

    fn end(&mut self) -> String {
        if std::mem::take(&mut self.begun).is_empty() { String::new() } else { char::REPLACEMENT_CHARACTER.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(output: &mut Output) -> Vec<(Stream, String)> {
        output.end();
        output.take().into_iter().map(|chunk| (chunk.stream, chunk.text)).collect()
    }

    #[test]
    fn a_character_may_be_cut_anywhere() {
        let whole = "a\u{e9}\u{20ac}\u{1f980}z";
        for cut in 0..=whole.len() {
            let mut output = Output::new(100);
            let (before, after) = whole.as_bytes().split_at(cut);
            output.push(Stream::Stdout, before);
            output.push(Stream::Stdout, after);
            assert_eq!(texts(&mut output), [(Stream::Stdout, whole.to_owned())], "cut at {cut}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        let cases: [(&[&[u8]], &str); 4] = [
            (&[b"\xff\x80"], "\u{fffd}\u{fffd}"),
            (&[b"a\xe2", b"b"], "a\u{fffd}b"),
            (&[b"a\xe2\x82"], "a\u{fffd}"),
            (&[b"\xed\xb2\x80"], "\u{fffd}\u{fffd}\u{fffd}"),
        ];
        for (pieces, text) in cases {
            let mut output = Output::new(100);
            for piece in pieces {
                output.push(Stream::Stderr, piece);
            }
            assert_eq!(texts(&mut output), [(Stream::Stderr, text.to_owned())]);
        }
    }

    #[test]
    fn the_order_of_the_streams_is_kept() {
        let mut output = Output::new(100);
        output.push(Stream::Stdout, b"one ");
        output.push(Stream::Stdout, b"two");
        output.push(Stream::Stderr, b"oops");
        output.push(Stream::Stdout, b"three");
        let wanted = [(Stream::Stdout, "one two"), (Stream::Stderr, "oops"), (Stream::Stdout, "three")];
        assert_eq!(texts(&mut output), wanted.map(|(stream, text)| (stream, text.to_owned())));
    }

    #[test]
    fn the_limit_counts_both_streams_and_cuts_between_characters() {
        let mut output = Output::new(6);
        output.push(Stream::Stdout, b"1234");
        assert!(!output.too_long());
        output.push(Stream::Stderr, "5\u{20ac}".as_bytes());
        assert!(output.too_long());
        output.push(Stream::Stdout, b"x");
        assert_eq!(texts(&mut output), [(Stream::Stdout, "1234".to_owned()), (Stream::Stderr, "5".to_owned())]);

        let mut exact = Output::new(4);
        exact.push(Stream::Stdout, b"1234");
        assert!(!exact.too_long());
    }
}
