//! Keys and clicks for the editor of the stage Fix.
//!
//! The quiz has the text; the editor has the cursor, and what can be undone.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use crate::content::question::{Ask, LineNo, QuestionName};
use crate::quiz::action::Action;
use crate::quiz::state::Stage;
use crate::text::{self, Safe};
use crate::tui::editor::{Change, Editor, Step};
use crate::tui::keys::Command;
use crate::tui::ui::{Response, Ui};

/// The editor of a question's repair.
#[derive(Debug)]
pub struct RepairEditor {
    /// The question.
    pub question: QuestionName,
    /// The editor.
    pub editor: Editor,
    /// True while keys go to it.
    pub open: bool,
}

/// Notice for a text that has no room for more.
const FULL: &str = "A program may have 64 KiB here, and this would be more.";

impl Ui {
    /// The editor, while keys go to it.
    pub fn open_editor(&self) -> Option<&Editor> {
        let sitting = self.quiz.sitting().filter(|sitting| sitting.stage() == Stage::Fix)?;
        self.repair_editor
            .as_ref()
            .filter(|repair_editor| repair_editor.open && repair_editor.question == sitting.entry().name)
            .map(|repair_editor| &repair_editor.editor)
    }

    /// Gives keys to the editor.
    pub(super) fn begin_editing(&mut self) -> Response {
        let Some(sitting) = self.quiz.sitting() else { return Response::Nothing };
        let question = &sitting.entry().name;
        match &mut self.repair_editor {
            Some(repair_editor) if repair_editor.question == *question => repair_editor.open = true,
            repair_editor => {
                let mut editor = Editor::new(sitting.repair().text());
                if sitting.question().spot.ask == Ask::Gap {
                    // At the end of the picked line, where Enter begins a line in the gap below.
                    editor.point(sitting.cursor().index(), usize::MAX);
                }
                *repair_editor = Some(RepairEditor { question: question.clone(), editor, open: true });
            }
        }
        self.scroll.follow = true;
        Response::Draw
    }

    /// Takes keys away from the editor.
    pub(super) fn end_editing(&mut self) -> Response {
        if let Some(repair_editor) = &mut self.repair_editor {
            repair_editor.open = false;
        }
        self.scroll.follow = true;
        Response::Draw
    }

    /// To be called after the quiz changed: an editor shows what the quiz has, and none is open where no text is in sight.
    pub(super) fn settle_editor(&mut self) {
        let Some(repair_editor) = &mut self.repair_editor else { return };
        let sitting = self.quiz.sitting().filter(|sitting| sitting.entry().name == repair_editor.question);
        if let Some(sitting) = sitting
            && sitting.repair().text() != repair_editor.editor.text()
        {
            repair_editor.editor.replace(sitting.repair().text());
        }
        repair_editor.open &= sitting.is_some_and(|sitting| sitting.stage() == Stage::Fix && !sitting.is_asking());
    }

    /// Responds to a key that is in no table: a character.
    pub(super) fn typed(&mut self, key: &KeyEvent) -> Response {
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(c) if plain => self.edit(|editor| editor.write(c)),
            _ => Response::Nothing,
        }
    }

    /// Responds to a paste into the editor.
    pub(super) fn paste_text(&mut self, pasted: &str) -> Response {
        self.notice = None;
        self.edit(|editor| editor.paste(pasted))
    }

    fn edit(&mut self, change: impl FnOnce(&mut Editor) -> bool) -> Response {
        let Some(repair_editor) = &mut self.repair_editor else { return Response::Nothing };
        self.scroll.follow = true;
        if !change(&mut repair_editor.editor) {
            self.notice = Some(FULL);
            return Response::Draw;
        }
        Response::Do(Action::Edit(repair_editor.editor.text()))
    }

    /// Responds to a key of the table in the editor.
    pub(super) fn edit_command(&mut self, command: &Command, page: isize) -> Response {
        let step = match command {
            Command::Up => Step::Lines(-1),
            Command::Down => Step::Lines(1),
            Command::PageUp => Step::Lines(-page),
            Command::PageDown => Step::Lines(page),
            Command::Step(step) => *step,
            Command::Change(change) => return self.change(*change),
            _ => return Response::Nothing,
        };
        if let Some(repair_editor) = &mut self.repair_editor {
            repair_editor.editor.step(step);
        }
        self.scroll.follow = true;
        Response::Draw
    }

    fn change(&mut self, change: Change) -> Response {
        let Some(repair_editor) = &mut self.repair_editor else { return Response::Nothing };
        self.scroll.follow = true;
        let grows = matches!(change, Change::NewLine | Change::Indent);
        if !repair_editor.editor.change(change) {
            if grows {
                self.notice = Some(FULL);
            }
            return Response::Draw;
        }
        Response::Do(Action::Edit(repair_editor.editor.text()))
    }

    /// Responds to a click on a line of the repair: the cursor goes there. `hit` is the row that was clicked.
    pub(super) fn click_text(&mut self, line: LineNo, hit: Rect, column: u16) -> Response {
        let response = self.begin_editing();
        // A long line takes several rows; those above the clicked one show what comes before.
        let same = |(area, action): &&(Rect, Action)| *action == Action::Point(line) && area.y < hit.y;
        let above = self.drawn.hits.iter().filter(same).count();
        let gutter = self.drawn.gutter;
        let width = usize::from(hit.width).saturating_sub(gutter);
        let column = usize::from(column.saturating_sub(hit.x)).saturating_sub(gutter);
        if let Some(repair_editor) = &mut self.repair_editor {
            let source = repair_editor.editor.lines().get(line.index()).map_or("", String::as_str);
            let character = character_at(source, above, column, width);
            repair_editor.editor.point(line.index(), character);
        }
        response
    }
}

/// The place of a character of a line: its row, counted from the line's first, and the column in it. Rows are `width`
/// columns wide.
pub fn place_of(line: &str, character: usize, width: usize) -> (usize, usize) {
    let mut safe = Safe::new();
    line.chars().take(character).for_each(|c| safe.push(c.encode_utf8(&mut [0; 4])));
    let bytes = safe.len();
    let whole = text::line(line);
    let rows = text::cut(&whole, width);
    let row = rows.iter().position(|row| bytes < row.end).unwrap_or(rows.len() - 1);
    let start = rows.get(row).map_or(0, |row| row.start);
    let column = text::width(whole.get(start..bytes.max(start)).unwrap_or(""));
    // Behind the last character of a full row there is no column.
    (row, column.min(width.saturating_sub(1)))
}

/// The character of a line that is drawn nearest to a column of one of its rows.
fn character_at(line: &str, row: usize, column: usize, width: usize) -> usize {
    let count = line.chars().count();
    let before = |character: usize| place_of(line, character, width) <= (row, column);
    // Places grow with characters, so a binary search finds the last one that is not after the click.
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if before(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_found_where_they_are_drawn() {
        assert_eq!(place_of("abcdef", 0, 4), (0, 0));
        assert_eq!(place_of("abcdef", 5, 4), (1, 1));
        assert_eq!(place_of("abcdef", 6, 4), (1, 2));
        assert_eq!(place_of("abcd", 4, 4), (0, 3), "behind a full row");
        assert_eq!(place_of("\tx漢y", 1, 20), (0, 4));
        assert_eq!(place_of("\tx漢y", 3, 20), (0, 7));
        assert_eq!(place_of("", 0, 4), (0, 0));
        for character in 0..=6 {
            let (row, column) = place_of("ab\tdef", character, 40);
            assert_eq!(character_at("ab\tdef", row, column, 40), character);
        }
        assert_eq!(character_at("ab\tdef", 0, 3, 40), 2, "in the middle of a tab");
        assert_eq!(character_at("abcdef", 0, 39, 40), 6);
    }
}
