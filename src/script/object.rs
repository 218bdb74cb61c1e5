//! Reads a JSON object and refuses a duplicate key: the standard leaves open which of two values counts (RFC 8259, section 4).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::text::brief;

/// Why a line is not a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is another JSON value.
    NotAnObject,
    /// It is not valid JSON, or has a key twice.
    Broken {
        /// The byte at which that was seen.
        at: usize,
        /// The reason.
        reason: String,
    },
}

/// Reads `line`. Duplicate keys inside of a value are not looked for.
///
/// # Errors
///
/// It is not a JSON object.
pub fn read(line: &str) -> Result<Map<String, Value>, Malformed> {
    let mut error = match serde_json::from_str::<Object>(line) {
        Ok(Object(object)) => return Ok(object),
        Err(error) => error,
    };
    if error.is_data() && error.to_string().starts_with("invalid type") {
        error = serde_json::from_str::<IgnoredAny>(line).err().ok_or(Malformed::NotAnObject)?;
    }
    let whole = error.to_string();
    // The place is said otherwise.
    let reason = whole.split(" at line ").next().unwrap_or_default();
    let reason = if error.is_data() { reason.to_owned() } else { format!("not valid JSON: {reason}") };
    let at = if error.is_eof() { line.len() } else { error.column().saturating_sub(1) };
    Err(Malformed::Broken { at: line.floor_char_boundary(at), reason })
}

struct Object(Map<String, Value>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Object, A::Error> {
        let mut object = Map::new();
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key `{}`", brief(&key))));
            }
            object.insert(key, value);
        }
        Ok(Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_each_key_once() {
        let text = r#"{"a": [1, -2, 0.5, true, null, "x\u00e9"], "b": {"a": {}}}"#;
        assert_eq!(read(text).map(Value::Object), Ok(serde_json::from_str(text).unwrap()));
        let broken = |at, reason: &str| Err(Malformed::Broken { at, reason: reason.to_owned() });
        assert_eq!(read(r#"{"a": 1, "\u0061": 2}"#), broken(20, "duplicate key `a`"));
        assert_eq!(read("[]"), Err(Malformed::NotAnObject));
        assert_eq!(read(r#"{"é": "#), broken(7, "not valid JSON: EOF while parsing a value"));
        let deep = format!("{{\"a\": {}", "[".repeat(200_000));
        assert_eq!(read(&deep), broken(132, "not valid JSON: recursion limit exceeded"));
    }
}
