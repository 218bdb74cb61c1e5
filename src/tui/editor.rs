//! The editor of the stage Fix: a text, a cursor, indentation, undo, and the limit of the text.
//!
//! The text is a `TextArea`, but neither its keys nor its drawing are used: the keys are in `keys/table.rs`, and the view
//! draws rows like those of any program.

use ratatui_textarea::{CursorMove, DataCursor, TextArea};

use crate::quiz::repair::{LONGEST, clean};
use crate::text::TAB;

/// Changes that can be undone.
const UNDOS: usize = 2000;

/// A text that is edited.
#[derive(Debug)]
pub struct Editor {
    area: TextArea<'static>,
    /// For each undo, the number of changes of the area that it takes back.
    undos: Vec<usize>,
    /// For each redo, the number of changes that it makes again.
    redos: Vec<usize>,
    /// The kind of change that would join the last undo.
    group: Group,
    bytes: usize,
}

/// A run of changes of one kind at one place, which one undo takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// None is going on.
    None,
    /// Letters are typed.
    Typing,
    /// Characters are deleted.
    Deleting,
}

/// A move of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One character to the left, over the end of a line too.
    Left,
    /// One character to the right, over the end of a line too.
    Right,
    /// So many lines down; negative is up.
    Lines(isize),
    /// To the start of a word before.
    WordLeft,
    /// To the start of the next word.
    WordRight,
    /// To the first character of the line, or before its indentation when it is there already.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// To the first line.
    Top,
    /// To the last line.
    Bottom,
}

/// A change of the text, other than typing a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Begin a line, indented like this one, and deeper after a colon.
    NewLine,
    /// Insert blanks up to the next tab stop.
    Indent,
    /// Remove one level of indentation.
    Outdent,
    /// Delete the character before the cursor; in an indentation, all blanks back to the tab stop.
    Backspace,
    /// Delete the character after the cursor.
    Delete,
    /// Delete the word before the cursor.
    DeleteWord,
    /// Delete the rest of the line, or the line end if nothing is left.
    DeleteToEnd,
    /// Undo the last change.
    Undo,
    /// Redo the last undone change.
    Redo,
}

impl Editor {
    /// An editor of `text`, with the cursor at its start.
    pub fn new(text: &str) -> Self {
        let mut area = TextArea::new(rows(text));
        area.set_max_histories(UNDOS);
        Self { area, undos: Vec::new(), redos: Vec::new(), group: Group::None, bytes: text.len() }
    }

    /// The text. Every line of it ends with a line feed.
    pub fn text(&self) -> String {
        match self.area.lines() {
            [only] if only.is_empty() => String::new(),
            lines => lines.join("\n") + "\n",
        }
    }

    /// The line of the cursor, and the characters before it in that line; both from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let DataCursor(line, column) = self.area.cursor();
        (line, column)
    }

    /// The lines.
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Puts `text` in the place of everything. It can be undone.
    pub fn replace(&mut self, text: &str) {
        let (line, column) = self.cursor();
        self.area.select_all();
        let cut = usize::from(self.area.cut());
        let put = usize::from(self.area.insert_str(text.strip_suffix('\n').unwrap_or(text)));
        self.done(cut + put, Group::None);
        self.point(line, column);
    }

    /// Puts the cursor on a line before so many characters of it, or as near as the text has it.
    pub fn point(&mut self, line: usize, column: usize) {
        self.group = Group::None;
        let line = line.min(self.area.lines().len().saturating_sub(1));
        let column = column.min(self.length(line));
        let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(short(line), short(column)));
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step) {
        let (line, column) = self.cursor();
        match step {
            Step::Left if column > 0 => self.point(line, column - 1),
            Step::Left if line > 0 => self.point(line - 1, usize::MAX),
            Step::Left => {}
            Step::Right if column < self.length(line) => self.point(line, column + 1),
            Step::Right if line + 1 < self.area.lines().len() => self.point(line + 1, 0),
            Step::Right => {}
            Step::Lines(by) => self.point(line.saturating_add_signed(by), column),
            Step::WordLeft => self.walk(CursorMove::WordBack),
            Step::WordRight => self.walk(CursorMove::WordForward),
            Step::LineStart => {
                let indent = self.indent(line);
                self.point(line, if column == indent { 0 } else { indent });
            }
            Step::LineEnd => self.point(line, usize::MAX),
            Step::Top => self.point(0, 0),
            Step::Bottom => self.point(usize::MAX, usize::MAX),
        }
    }

    fn walk(&mut self, by: CursorMove) {
        self.group = Group::None;
        self.area.move_cursor(by);
    }

    /// Types a character. `false` when the text has no room for it.
    pub fn write(&mut self, c: char) -> bool {
        if c.is_control() || self.bytes + c.len_utf8() > LONGEST {
            return false;
        }
        // An undo takes back a word with the blanks after it.
        let (line, column) = self.cursor();
        let after_blank = self.area.lines().get(line).and_then(|text| text.chars().nth(column.checked_sub(1)?));
        let same = after_blank != Some(' ') || c == ' ';
        if !same {
            self.group = Group::None;
        }
        self.area.insert_char(c);
        self.bytes += c.len_utf8();
        self.note(1, Group::Typing);
        true
    }

    /// Puts `pasted` in at the cursor. `false` when the text has no room for it, and nothing changes.
    pub fn paste(&mut self, pasted: &str) -> bool {
        let mut pasted_clean = clean(pasted);
        // The end of the last line is no part of a piece of a line.
        if !pasted.ends_with(['\n', '\r']) && pasted_clean.ends_with('\n') {
            pasted_clean.pop();
        }
        if self.bytes + pasted_clean.len() > LONGEST {
            return false;
        }
        let changes = usize::from(self.area.insert_str(&pasted_clean));
        self.done(changes, Group::None);
        true
    }

    /// Changes the text. `false` when there was nothing to change, or no room.
    pub fn change(&mut self, change: Change) -> bool {
        let (line, column) = self.cursor();
        let indent = self.indent(line);
        let room = self.bytes + 2 * TAB + indent < LONGEST;
        match change {
            Change::NewLine if room => {
                let before = self.before(line, column);
                let deeper = before.trim_end().ends_with(':');
                let mut blanks: String = before.chars().take(indent.min(column)).collect();
                if deeper {
                    blanks.push_str(&" ".repeat(TAB));
                }
                self.area.insert_newline();
                let more = usize::from(self.area.insert_str(&blanks));
                self.group = Group::None;
                self.done(1 + more, Group::Typing)
            }
            Change::Indent if room => {
                let blanks = " ".repeat(TAB - column % TAB);
                let changes = usize::from(self.area.insert_str(&blanks));
                self.done(changes, Group::None)
            }
            Change::NewLine | Change::Indent => false,
            Change::Outdent => {
                let blanks = self.before(line, indent).chars().rev().take_while(|c| *c == ' ').count();
                let away = blanks.min(if indent.is_multiple_of(TAB) { TAB } else { indent % TAB });
                self.point(line, indent - away);
                let changes = usize::from(away > 0 && self.area.delete_str(away));
                self.point(line, column.saturating_sub(away));
                self.done(changes, Group::None)
            }
            Change::Backspace => {
                let before = self.before(line, column);
                let blank = column > 0 && before.chars().all(|c| c == ' ');
                let away = if blank { (column - 1) % TAB + 1 } else { 1 };
                let changes = (0..away).filter(|_| self.area.delete_char()).count();
                self.done(changes, Group::Deleting)
            }
            Change::Delete => {
                let changes = usize::from(self.area.delete_next_char());
                self.done(changes, Group::Deleting)
            }
            Change::DeleteWord => {
                let changes = usize::from(self.area.delete_word());
                self.done(changes, Group::None)
            }
            Change::DeleteToEnd => {
                let changes = usize::from(self.area.delete_line_by_end());
                self.done(changes, Group::None)
            }
            Change::Undo => {
                let Some(changes) = self.undos.pop() else { return false };
                let undone = (0..changes).filter(|_| self.area.undo()).count();
                self.redos.push(changes);
                self.group = Group::None;
                self.count();
                undone > 0
            }
            Change::Redo => {
                let Some(changes) = self.redos.pop() else { return false };
                let redone = (0..changes).filter(|_| self.area.redo()).count();
                self.undos.push(changes);
                self.group = Group::None;
                self.count();
                redone > 0
            }
        }
    }

    /// Notes a change that was made. `group` is the kind of change. `false` when nothing was changed.
    fn done(&mut self, changes: usize, group: Group) -> bool {
        if changes > 0 {
            self.note(changes, group);
        } else {
            self.group = Group::None;
        }
        self.count();
        changes > 0
    }

    /// Notes a change for undo.
    fn note(&mut self, changes: usize, group: Group) {
        match self.undos.last_mut() {
            Some(before) if self.group == group && group != Group::None => *before += changes,
            _ => self.undos.push(changes),
        }
        self.redos.clear();
        self.group = group;
    }

    fn count(&mut self) {
        self.bytes = self.area.lines().iter().map(|line| line.len() + 1).sum();
    }

    /// The characters of a line.
    fn length(&self, line: usize) -> usize {
        self.area.lines().get(line).map_or(0, |line| line.chars().count())
    }

    /// The blanks at the start of a line.
    fn indent(&self, line: usize) -> usize {
        self.area.lines().get(line).map_or(0, |line| line.chars().take_while(|c| matches!(c, ' ' | '\t')).count())
    }

    /// The first `column` characters of a line.
    fn before(&self, line: usize, column: usize) -> String {
        self.area.lines().get(line).map_or_else(String::new, |line| line.chars().take(column).collect())
    }
}

fn rows(text: &str) -> Vec<String> {
    text.strip_suffix('\n').unwrap_or(text).split('\n').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_end(text: &str) -> Editor {
        let mut editor = Editor::new(text);
        editor.step(Step::Bottom);
        editor
    }

    fn write(editor: &mut Editor, text: &str) {
        assert!(text.chars().all(|c| editor.write(c)));
    }

    #[test]
    fn a_text_comes_out_as_it_went_in() {
        for text in ["", "a\n", "a\n\n\nb\n", "\t漢 = '👩'\n"] {
            assert_eq!(Editor::new(text).text(), text);
        }
    }

    #[test]
    fn lines_keep_their_indentation_and_go_deeper_after_a_colon() {
        let mut editor = at_end("    if x:\n");
        editor.change(Change::NewLine);
        write(&mut editor, "y");
        editor.change(Change::NewLine);
        write(&mut editor, "z");
        assert_eq!(editor.text(), "    if x:\n        y\n        z\n");
        // At the start of a line nothing is indented.
        editor.step(Step::LineStart);
        editor.step(Step::LineStart);
        editor.change(Change::NewLine);
        assert_eq!(editor.text(), "    if x:\n        y\n\n        z\n");
    }

    #[test]
    fn tab_and_backspace_go_from_stop_to_stop() {
        let mut editor = Editor::new("ab\n");
        editor.change(Change::Indent);
        assert_eq!((editor.text().as_str(), editor.cursor()), ("    ab\n", (0, 4)));
        editor.change(Change::Indent);
        editor.change(Change::Backspace);
        assert_eq!(editor.text(), "    ab\n");
        editor.step(Step::LineEnd);
        editor.change(Change::Indent);
        assert_eq!(editor.text(), "    ab  \n");
        editor.change(Change::Backspace);
        assert_eq!(editor.text(), "    ab \n", "behind text a blank is a character");
        editor.change(Change::Outdent);
        assert_eq!((editor.text().as_str(), editor.cursor()), ("ab \n", (0, 3)));
        assert!(!editor.change(Change::Outdent));
    }

    #[test]
    fn an_undo_takes_back_a_word_and_a_redo_brings_it_back() {
        let mut editor = Editor::new("");
        write(&mut editor, "one two");
        assert!(editor.change(Change::Undo));
        assert_eq!(editor.text(), "one \n");
        assert!(editor.change(Change::Undo) && !editor.change(Change::Undo));
        assert_eq!(editor.text(), "");
        assert!(editor.change(Change::Redo) && editor.change(Change::Redo) && !editor.change(Change::Redo));
        assert_eq!(editor.text(), "one two\n");
        // What is typed after an undo ends what could be redone.
        editor.change(Change::Undo);
        write(&mut editor, "2");
        assert!(!editor.change(Change::Redo));
        assert_eq!(editor.text(), "one 2\n");
        // What was deleted in one go comes back in one go.
        for _ in 0..3 {
            editor.change(Change::Backspace);
        }
        assert_eq!(editor.text(), "on\n");
        editor.change(Change::Undo);
        assert_eq!(editor.text(), "one 2\n");
    }

    #[test]
    fn a_paste_goes_in_whole_and_comes_out_with_one_undo() {
        let mut editor = at_end("a\n");
        assert!(editor.paste(" = 1\r\nb\u{1b}[2J\tc\rd"));
        assert_eq!(editor.text(), "a = 1\nb[2J\tc\nd\n");
        assert!(editor.change(Change::Undo));
        assert_eq!(editor.text(), "a\n");
        assert!(editor.paste("x\n"));
        assert_eq!(editor.text(), "ax\n\n");
    }

    #[test]
    fn the_text_does_not_grow_over_its_limit() {
        let mut editor = Editor::new("");
        assert!(editor.paste(&"x".repeat(LONGEST - 1)));
        assert!(!editor.write('y') && !editor.paste("yy") && !editor.change(Change::NewLine));
        assert_eq!(editor.text().len(), LONGEST);
        editor.change(Change::Backspace);
        assert!(editor.write('y'));
        assert_eq!(editor.text().len(), LONGEST);
    }

    #[test]
    fn another_text_can_be_put_in_place_and_undone() {
        let mut editor = Editor::new("a\nb\nc\n");
        editor.point(2, 1);
        editor.replace("x\n");
        assert_eq!((editor.text().as_str(), editor.cursor()), ("x\n", (0, 1)));
        editor.change(Change::Undo);
        assert_eq!(editor.text(), "a\nb\nc\n");
    }

    #[test]
    fn the_cursor_stays_in_the_text() {
        let mut editor = Editor::new("abc\n\nd\n");
        editor.step(Step::Lines(-5));
        editor.step(Step::Left);
        assert_eq!(editor.cursor(), (0, 0));
        editor.step(Step::LineEnd);
        editor.step(Step::Right);
        assert_eq!(editor.cursor(), (1, 0));
        editor.step(Step::Left);
        assert_eq!(editor.cursor(), (0, 3));
        editor.step(Step::Lines(isize::MAX));
        assert_eq!(editor.cursor(), (2, 1));
        editor.step(Step::Right);
        assert_eq!(editor.cursor(), (2, 1));
    }

    #[test]
    fn no_order_of_keys_breaks_it() {
        let mut seed = 5_u64;
        let mut editor = Editor::new("def f():\n    return 1\n");
        let mut trail = Vec::new();
        for _ in 0..20_000 {
            // xorshift64 (Marsaglia, 2003)
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            match seed % 20 {
                0..=5 => {
                    editor.write(['a', ' ', ':', '漢', '\u{301}', '\t'][(seed >> 8) as usize % 6]);
                }
                6 => {
                    editor.paste(["x\ny", "\n", "", "漢\n\n"][(seed >> 8) as usize % 4]);
                }
                7..=10 => {
                    let steps =
                        [Step::Left, Step::Right, Step::Lines(-1), Step::WordLeft, Step::WordRight, Step::LineStart];
                    editor.step(steps[(seed >> 8) as usize % 6]);
                }
                other => {
                    use Change::{Backspace, Delete, DeleteToEnd, DeleteWord, Indent, NewLine, Outdent, Redo, Undo};
                    let all = [NewLine, Indent, Outdent, Backspace, Delete, DeleteWord, DeleteToEnd, Undo, Redo];
                    editor.change(all[(other - 11) as usize]);
                }
            }
            let (line, column) = editor.cursor();
            assert!(line < editor.lines().len() && column <= editor.lines()[line].chars().count());
            assert!(editor.text().len() <= LONGEST);
            trail.push(editor.text());
        }
        // Everything can be undone, as far as it is remembered, and made again.
        let last = editor.text();
        while editor.change(Change::Undo) {}
        while editor.change(Change::Redo) {}
        assert_eq!(editor.text(), last);
    }
}
