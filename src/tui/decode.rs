//! Turns the bytes of a terminal into keys, clicks and pastes.
//!
//! crossterm can do this too, but it waits for each change only once: what it leaves unread of a long paste, or a
//! new size that comes with a key, stays unseen, and a terminal that is gone keeps it busy for ever. Nor does it limit a
//! paste. So the events are crossterm's, and the reading is ours: pure, bytes in, events out.

use std::collections::VecDeque;

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// Bytes of a paste that are kept; the rest is dropped.
pub const PASTE_KEPT: usize = 64 << 10;

/// The longest sequence that is waited for. Real ones are shorter, except for answers that nobody asked for.
const LONGEST: usize = 64;

const PASTE_END: &[u8] = b"\x1b[201~";

/// Collects bytes until they make an event.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: VecDeque<u8>,
    paste: Option<Vec<u8>>,
    events: VecDeque<Event>,
}

/// The event at the beginning of the bytes.
enum Found {
    /// An event in so many bytes.
    Event(usize, Event),
    /// So many bytes that mean nothing to us.
    Nothing(usize),
    /// The beginning of a paste.
    Paste(usize),
    /// Perhaps an event, once there are more bytes.
    Incomplete,
}

impl Decoder {
    /// Takes bytes from the terminal.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match &mut self.paste {
                Some(paste) => {
                    paste.push(*byte);
                    if paste.ends_with(PASTE_END) {
                        paste.truncate(paste.len() - PASTE_END.len());
                        self.end_paste();
                    } else if paste.len() >= PASTE_KEPT + 2 * PASTE_END.len() {
                        // Room for the end, which may be half there.
                        paste.drain(PASTE_KEPT..paste.len() - PASTE_END.len());
                    }
                }
                None => {
                    self.bytes.push_back(*byte);
                    self.decode();
                }
            }
        }
    }

    /// The next event.
    pub fn pop(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// True if bytes wait for others. If none come soon, [`Decoder::give_up`] says what they were.
    pub fn is_waiting(&self) -> bool {
        !self.bytes.is_empty() || self.paste.is_some()
    }

    /// True if a paste has begun and not ended.
    pub fn is_pasting(&self) -> bool {
        self.paste.is_some()
    }

    /// No more bytes came: a lone escape is the key of that name, a paste without an end is over, and the beginning of
    /// anything else is nothing.
    pub fn give_up(&mut self) {
        if self.paste.is_some() {
            self.end_paste();
        }
        if self.bytes.front() == Some(&0x1b) {
            self.bytes.pop_front();
            self.events.push_back(key(KeyCode::Esc, KeyModifiers::NONE));
            if self.bytes.front().is_some_and(|byte| b"[O]P_^X".contains(byte)) {
                self.bytes.clear();
            }
            self.decode();
        }
        self.bytes.clear();
    }

    fn end_paste(&mut self) {
        let mut paste = self.paste.take().unwrap_or_default();
        paste.truncate(PASTE_KEPT);
        self.events.push_back(Event::Paste(String::from_utf8_lossy(&paste).into_owned()));
    }

    fn decode(&mut self) {
        while !self.bytes.is_empty() && self.paste.is_none() {
            let used = match found(self.bytes.make_contiguous()) {
                Found::Incomplete if self.bytes.len() < LONGEST => return,
                Found::Incomplete => self.bytes.len(),
                Found::Nothing(used) => used,
                Found::Event(used, event) => {
                    self.events.push_back(event);
                    used
                }
                Found::Paste(used) => {
                    self.paste = Some(Vec::new());
                    used
                }
            };
            self.bytes.drain(..used.min(self.bytes.len()));
        }
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn found(bytes: &[u8]) -> Found {
    match bytes {
        [] | [0x1b] => Found::Incomplete,
        [0x1b, 0x1b, ..] => Found::Event(1, key(KeyCode::Esc, KeyModifiers::NONE)),
        [0x1b, b'[', rest @ ..] => sequence(rest, 2),
        [0x1b, b'O', rest @ ..] => match rest.first() {
            None => Found::Incomplete,
            Some(b'M') => Found::Event(3, key(KeyCode::Enter, KeyModifiers::NONE)),
            Some(last) => named(*last, 3, KeyModifiers::NONE),
        },
        // Answers to questions that we do not ask; they end with a bell or with a string terminator.
        [0x1b, b']' | b'P' | b'_' | b'^' | b'X', rest @ ..] => {
            let end = rest.iter().position(|byte| *byte == 0x07).map(|at| at + 3);
            let terminator = rest.windows(2).position(|pair| pair == b"\x1b\\").map(|at| at + 4);
            end.into_iter().chain(terminator).min().map_or(Found::Incomplete, Found::Nothing)
        }
        [0x1b, rest @ ..] => match character(rest) {
            Found::Event(used, Event::Key(plain)) => {
                Found::Event(used + 1, key(plain.code, plain.modifiers | KeyModifiers::ALT))
            }
            Found::Event(used, _) | Found::Nothing(used) | Found::Paste(used) => Found::Nothing(used + 1),
            Found::Incomplete => Found::Incomplete,
        },
        _ => character(bytes),
    }
}

/// A character, or a control that stands for a key.
fn character(bytes: &[u8]) -> Found {
    let Some(first) = bytes.first() else { return Found::Incomplete };
    let none = KeyModifiers::NONE;
    let control = |base: u8| key(KeyCode::Char(char::from(first - 1 + base)), KeyModifiers::CONTROL);
    match first {
        b'\r' | b'\n' => Found::Event(1, key(KeyCode::Enter, none)),
        b'\t' => Found::Event(1, key(KeyCode::Tab, none)),
        0x7f | 0x08 => Found::Event(1, key(KeyCode::Backspace, none)),
        0x01..=0x1a => Found::Event(1, control(b'a')),
        0x00 | 0x1b..=0x1f => Found::Nothing(1),
        0x20..=0x7e => Found::Event(1, key(KeyCode::Char(char::from(*first)), none)),
        _ => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return Found::Nothing(1),
            };
            match bytes.get(..length).map(std::str::from_utf8) {
                Some(Ok(text)) => {
                    text.chars().next().map_or(Found::Nothing(1), |c| Found::Event(length, key(KeyCode::Char(c), none)))
                }
                Some(Err(_)) => Found::Nothing(1),
                None => Found::Incomplete,
            }
        }
    }
}

/// A control sequence after its `start` bytes `ESC [`: parameters, then one last byte.
fn sequence(rest: &[u8], start: usize) -> Found {
    // The Linux console sends its first function keys as `ESC [ [ A`.
    if rest.first() == Some(&b'[') {
        return match rest.get(1) {
            None => Found::Incomplete,
            Some(b'A') => Found::Event(start + 2, key(KeyCode::F(1), KeyModifiers::NONE)),
            Some(_) => Found::Nothing(start + 2),
        };
    }
    let Some(end) = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else { return Found::Incomplete };
    let used = start + end + 1;
    let (Some(parameters), Some(last)) = (rest.get(..end), rest.get(end)) else { return Found::Nothing(used) };
    if !(0x40..=0x7e).contains(last) {
        // Cut short by something else, which is looked at next.
        return Found::Nothing(used - 1);
    }
    if let Some(parameters) = parameters.strip_prefix(b"<") {
        return mouse(parameters, *last, used);
    }
    let mut numbers = parameters.split(|byte| *byte == b';').map(number);
    let first = numbers.next().flatten();
    let modifiers = modifiers(numbers.next().flatten());
    match (*last, first) {
        (b'~', Some(200)) => Found::Paste(used),
        (b'~', Some(first)) => {
            let code = match first {
                1 | 7 => KeyCode::Home,
                2 => KeyCode::Insert,
                3 => KeyCode::Delete,
                4 | 8 => KeyCode::End,
                5 => KeyCode::PageUp,
                6 => KeyCode::PageDown,
                11 => KeyCode::F(1),
                _ => return Found::Nothing(used),
            };
            Found::Event(used, key(code, modifiers))
        }
        (b'Z', _) => Found::Event(used, key(KeyCode::BackTab, KeyModifiers::SHIFT)),
        (b'u', Some(code)) => csi_u(code, modifiers, parameters, used),
        (last, _) => named(last, used, modifiers),
    }
}

fn named(last: u8, used: usize, modifiers: KeyModifiers) -> Found {
    let code = match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P' => KeyCode::F(1),
        _ => return Found::Nothing(used),
    };
    Found::Event(used, key(code, modifiers))
}

/// The number before any colon.
fn number(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.split(|byte| *byte == b':').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Modifiers as terminals write them: one more than a sum of Shift 1, Alt 2, Ctrl 4.
fn modifiers(written: Option<u32>) -> KeyModifiers {
    let bits = written.unwrap_or(1).saturating_sub(1);
    let mut modifiers = KeyModifiers::NONE;
    for (bit, modifier) in [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)] {
        modifiers.set(modifier, bits & bit != 0);
    }
    modifiers
}

/// A key as terminals tell it that were asked by another program for more: its character's number, and whether it went
/// down or up.
fn csi_u(code: u32, modifiers: KeyModifiers, parameters: &[u8], used: usize) -> Found {
    let code = match code {
        9 if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        other => match char::from_u32(other).filter(|c| !c.is_control()) {
            Some(c) => KeyCode::Char(c),
            None => return Found::Nothing(used),
        },
    };
    let kind = match parameters.rsplit(|byte| *byte == b':').next() {
        Some(b"3") if parameters.contains(&b':') => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    Found::Event(used, Event::Key(KeyEvent::new_with_kind(code, modifiers, kind)))
}

/// A click or a turn of the wheel: button, column, row, and whether it went down (`M`) or up (`m`).
fn mouse(parameters: &[u8], last: u8, used: usize) -> Found {
    let mut numbers = parameters.split(|byte| *byte == b';').map(number);
    let (Some(Some(button)), Some(Some(column)), Some(Some(row))) = (numbers.next(), numbers.next(), numbers.next())
    else {
        return Found::Nothing(used);
    };
    let kind = match (button & 0b1100_0011, last) {
        (64, b'M') => MouseEventKind::ScrollUp,
        (65, b'M') => MouseEventKind::ScrollDown,
        (0, b'M') if button & 32 == 0 => MouseEventKind::Down(MouseButton::Left),
        (0, b'm') => MouseEventKind::Up(MouseButton::Left),
        _ => return Found::Nothing(used),
    };
    let place = |number: u32| u16::try_from(number.saturating_sub(1)).unwrap_or(u16::MAX);
    let event = MouseEvent { kind, column: place(column), row: place(row), modifiers: KeyModifiers::NONE };
    Found::Event(used, Event::Mouse(event))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The meaning of `bytes` when nothing follows them, whether they come at once or one by one.
    #[track_caller]
    fn decoded(bytes: &[u8]) -> Vec<Event> {
        let all = |chunks: &mut dyn Iterator<Item = &[u8]>| {
            let mut decoder = Decoder::default();
            chunks.for_each(|chunk| decoder.push(chunk));
            decoder.give_up();
            assert!(!decoder.is_waiting());
            std::iter::from_fn(|| decoder.pop()).collect::<Vec<_>>()
        };
        let at_once = all(&mut std::iter::once(bytes));
        assert_eq!(at_once, all(&mut bytes.chunks(1)));
        at_once
    }

    #[track_caller]
    fn keys(bytes: &[u8]) -> Vec<(KeyCode, KeyModifiers)> {
        let keys = decoded(bytes).into_iter().map(|event| match event {
            Event::Key(key) => (key.code, key.modifiers),
            other => panic!("{other:?} is no key"),
        });
        keys.collect()
    }

    #[test]
    fn keys_are_told_apart() {
        let none = KeyModifiers::NONE;
        let plain = |code| vec![(code, none)];
        assert_eq!(keys(b"a"), plain(KeyCode::Char('a')));
        assert_eq!(keys("é漢".as_bytes()), [(KeyCode::Char('é'), none), (KeyCode::Char('漢'), none)]);
        assert_eq!(keys(b"\r"), plain(KeyCode::Enter));
        assert_eq!(keys(b"\x1b"), plain(KeyCode::Esc));
        assert_eq!(keys(b"\x1b\x1b"), [(KeyCode::Esc, none), (KeyCode::Esc, none)]);
        assert_eq!(keys(b"\x03"), [(KeyCode::Char('c'), KeyModifiers::CONTROL)]);
        assert_eq!(keys(b"\x1bx"), [(KeyCode::Char('x'), KeyModifiers::ALT)]);
        for (bytes, code) in [
            (&b"\x1b[A"[..], KeyCode::Up),
            (b"\x1bOB", KeyCode::Down),
            (b"\x1b[H", KeyCode::Home),
            (b"\x1b[4~", KeyCode::End),
            (b"\x1b[5~", KeyCode::PageUp),
            (b"\x1b[6~", KeyCode::PageDown),
            (b"\x1bOP", KeyCode::F(1)),
            (b"\x1b[11~", KeyCode::F(1)),
            (b"\x1b[[A", KeyCode::F(1)),
        ] {
            assert_eq!(keys(bytes), plain(code));
        }
        assert_eq!(keys(b"\x1b[Z"), [(KeyCode::BackTab, KeyModifiers::SHIFT)]);
        assert_eq!(keys(b"\x1b[1;5A"), [(KeyCode::Up, KeyModifiers::CONTROL)]);
        assert_eq!(keys(b"\x1b[99;5u"), [(KeyCode::Char('c'), KeyModifiers::CONTROL)]);
    }

    #[test]
    fn releases_are_told_from_presses() {
        let kinds: Vec<_> = decoded(b"\x1b[113;1:1u\x1b[113;1:3u")
            .into_iter()
            .filter_map(|event| event.as_key_event().map(|key| key.kind))
            .collect();
        assert_eq!(kinds, [KeyEventKind::Press, KeyEventKind::Release]);
    }

    #[test]
    fn answers_and_unknown_sequences_are_nothing() {
        for bytes in [
            &b"\x1b[12;40R"[..],
            b"\x1b[?62;c",
            b"\x1b]11;rgb:0000/0000/0000\x07",
            b"\x1bP1$r0m\x1b\\",
            b"\x1b[15~",
            b"\x1b[[B",
            b"\x1b[I",
            b"\0",
            b"\xff\xfe",
        ] {
            assert_eq!(keys(&[bytes, b"x"].concat()), [(KeyCode::Char('x'), KeyModifiers::NONE)], "{bytes:?}");
        }
    }

    #[test]
    fn clicks_and_the_wheel_have_a_place() {
        let kinds: Vec<_> = decoded(b"\x1b[<0;5;9M\x1b[<0;5;9m\x1b[<64;300;2M\x1b[<2;1;1M")
            .into_iter()
            .map(|event| match event {
                Event::Mouse(mouse) => (mouse.kind, mouse.column, mouse.row),
                other => panic!("{other:?}"),
            })
            .collect();
        let left = MouseButton::Left;
        assert_eq!(
            kinds,
            [(MouseEventKind::Down(left), 4, 8), (MouseEventKind::Up(left), 4, 8), (MouseEventKind::ScrollUp, 299, 1)]
        );
    }

    #[test]
    fn a_paste_is_one_event_and_limited() {
        assert_eq!(decoded(b"\x1b[200~q\x1b[2J\x1b[201~"), [Event::Paste("q\x1b[2J".to_owned())]);
        assert_eq!(decoded(b"\x1b[200~without an end"), [Event::Paste("without an end".to_owned())]);
        for length in [PASTE_KEPT - 1, PASTE_KEPT, PASTE_KEPT + 7, 5 << 20] {
            let mut decoder = Decoder::default();
            decoder.push(b"\x1b[200~");
            decoder.push(&vec![b'x'; length]);
            decoder.push(b"\x1b[201~q");
            let Some(Event::Paste(text)) = decoder.pop() else { panic!("no paste of {length}") };
            assert_eq!(text.len(), length.min(PASTE_KEPT));
            assert_eq!(decoder.pop(), Some(key(KeyCode::Char('q'), KeyModifiers::NONE)));
        }
    }

    #[test]
    fn any_bytes_are_some_events() {
        let mut seed = 99_u64;
        let bytes: Vec<u8> = (0..200_000)
            .map(|_| {
                // xorshift64 (Marsaglia, 2003)
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                if seed & 0x300 == 0 { 0x1b } else { (seed & 0xff) as u8 }
            })
            .collect();
        for chunk in bytes.chunks(100) {
            decoded(chunk);
        }
    }
}
