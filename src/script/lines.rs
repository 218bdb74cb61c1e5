//! Reads lines of bounded length: one that is longer is skipped to its end.

use std::io::{self, BufRead, Read as _};

/// Bytes that a line may have, without its line feed.
pub const LONGEST: usize = 1 << 20;

/// The reply to [`Input::TooLong`].
pub const TOO_LONG: &str = "That line is too long.";

/// The reply to [`Input::NotUtf8`].
pub const NOT_UTF8: &str = "That line is not UTF-8 text.";

/// A line, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line, without its end.
    Line(String),
    /// A line longer than [`LONGEST`].
    TooLong,
    /// A line that is not UTF-8.
    NotUtf8,
    /// The input has ended.
    End,
}

/// Reads the next line. The last one needs no line feed.
///
/// # Errors
///
/// The input cannot be read.
pub fn next(from: &mut impl BufRead) -> io::Result<Input> {
    let mut line = Vec::new();
    if from.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(Input::End);
    }
    if line.pop_if(|byte| *byte == b'\n').is_none() && line.len() > LONGEST {
        from.skip_until(b'\n')?;
        return Ok(Input::TooLong);
    }
    line.pop_if(|byte| *byte == b'\r');
    Ok(String::from_utf8(line).map_or(Input::NotUtf8, Input::Line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_whatever_they_are() {
        let mut bytes = b"one\r\n\n\xff\n".to_vec();
        bytes.extend(vec![b'x'; LONGEST]);
        bytes.push(b'\n');
        bytes.extend(vec![b'x'; LONGEST + 1]);
        bytes.extend(b"\nlast");
        let mut from = io::BufReader::new(bytes.as_slice());
        let line = |text: &str| Input::Line(text.to_owned());
        assert_eq!(next(&mut from).unwrap(), line("one"));
        assert_eq!(next(&mut from).unwrap(), line(""));
        assert_eq!(next(&mut from).unwrap(), Input::NotUtf8);
        assert_eq!(next(&mut from).unwrap(), line(&"x".repeat(LONGEST)));
        assert_eq!(next(&mut from).unwrap(), Input::TooLong);
        assert_eq!(next(&mut from).unwrap(), line("last"));
        assert_eq!(next(&mut from).unwrap(), Input::End);
    }
}
