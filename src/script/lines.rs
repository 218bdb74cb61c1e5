//! Lines from somebody who may send anything.
//!
//! Owns the bounds: a line is kept up to a length, and one that is longer is passed over to its end.

use std::io::{self, BufRead};

/// Bytes that a line may have, without its line feed.
pub const LONGEST: usize = 1 << 20;

/// What a learner is told of [`Input::TooLong`].
pub const TOO_LONG: &str = "That line is longer than a line may be.";

/// What a learner is told of [`Input::NotUtf8`].
pub const NOT_UTF8: &str = "That line is no UTF-8 text.";

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A line, without its end.
    Line(String),
    /// A line longer than [`LONGEST`].
    TooLong,
    /// A line that is not UTF-8.
    NotUtf8,
    /// Nothing will come any more.
    End,
}

/// The next line. The last one needs no line feed.
///
/// # Errors
///
/// What the system says when it cannot be read from.
pub fn next(from: &mut impl BufRead) -> io::Result<Input> {
    let mut line = Vec::new();
    let mut any = false;
    let mut too_long = false;
    loop {
        let buffer = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if buffer.is_empty() {
            break;
        }
        any = true;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        too_long |= line.len() + part.len() > LONGEST;
        if !too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (any, too_long) {
        (false, _) => Input::End,
        (true, true) => Input::TooLong,
        (true, false) => {
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            String::from_utf8(line).map_or(Input::NotUtf8, Input::Line)
        }
    })
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
