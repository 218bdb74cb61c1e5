//! The stage Say: the countdown, the checklist, the model answer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use tui_big_text::{BigText, PixelSize};

use crate::quiz::Action;
use crate::quiz::describe;
use crate::quiz::state::{Phase, Sitting};
use crate::quiz::time::Millis;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Row, Segment, Stack};
use crate::tui::view::{heading, write};

/// The stage.
pub fn draw(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    stack.blank();
    stack.rows(write::prose(&sitting.question().say.prompt, Role::Title, theme, width));
    let mut focus = 0..0;
    match sitting.say().phase() {
        phase @ (Phase::Ready | Phase::Speaking { .. } | Phase::Paused { .. }) => {
            countdown(ui, sitting, phase, area, &mut stack);
        }
        Phase::Checklist { left } => {
            let spent = if left == Millis(0) {
                "Time is up.".to_owned()
            } else {
                format!("Stopped with {} left.", clock(left))
            };
            stack.row(Line::styled(spent, theme.style(Role::Warning)));
            stack.blank();
            stack.row(heading("Which points did you cover?", theme));
            focus = points(sitting, Checklist::Open, theme, width, &mut stack);
        }
        Phase::Done => {
            stack.blank();
            points(sitting, Checklist::Complete, theme, width, &mut stack);
            stack.blank();
            stack.row(heading("30-second answer", theme));
            if sitting.is_answered() {
                stack.rows(write::prose(&sitting.question().say.answer, Role::Text, theme, width));
            } else {
                stack.rows(write::prose(describe::MODEL_ANSWER_IS_CLOSED, Role::Dim, theme, width));
            }
        }
    }
    page::draw(&stack, ui.scroll, &[focus], theme, area, buf)
}

fn countdown(ui: &Ui, sitting: &Sitting, phase: Phase, area: Rect, stack: &mut Stack<'_>) {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    stack.rows(write::prose("Say it out loud. Nothing is recorded: this is only a timer.", Role::Dim, theme, width));
    let (role, words) = match phase {
        Phase::Speaking { .. } => (Role::Good, "Speak now."),
        Phase::Paused { .. } => (Role::Warning, "Paused."),
        _ => (Role::Text, "Ready when you are: Space starts the countdown."),
    };
    // Above the digits, so that the smallest terminal shows both.
    stack.row(Line::styled(words, theme.style(role)));
    let text = clock(ui.quiz.left(sitting));
    // Eight by eight dots for each character; a cell holds one, two or four of them.
    let room = stack.len() + 9 <= usize::from(area.height);
    let wide = text.len().saturating_mul(8) <= width;
    let (size, height) = match (theme.ascii, room, wide) {
        // Without half blocks there are only letters of eight rows.
        (true, true, true) | (false, true, true) => (PixelSize::Full, 8),
        (true, _, _) => {
            stack.row(Line::styled(text, theme.style(Role::Title)));
            return;
        }
        (false, false, true) => (PixelSize::HalfHeight, 4),
        (false, _, false) => (PixelSize::Quadrant, 4),
    };
    stack.segment(Big { text, size, height, style: theme.style(role) });
}

/// Minutes and seconds, rounded up: "0:35".
fn clock(left: Millis) -> String {
    let seconds = left.seconds_up();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Checklist {
    Open,
    Complete,
}

/// The checklist and how much of it is covered. Returns the rows of the marked point and of the count.
fn points(
    sitting: &Sitting,
    checklist: Checklist,
    theme: &Theme,
    width: usize,
    stack: &mut Stack<'_>,
) -> std::ops::Range<usize> {
    let say = sitting.say();
    let mut focus = 0..0;
    let points = sitting.question().say.points.iter().zip(say.covered());
    for (index, (point, covered)) in points.enumerate() {
        let here = checklist == Checklist::Open && index == say.cursor();
        let cursor = if here { theme.glyphs.cursor } else { " " };
        let tick = if *covered { "[x] " } else { "[ ] " };
        let lead = vec![
            Span::styled(format!("{cursor} "), theme.style(Role::Key)),
            Span::styled(tick, theme.style(if *covered { Role::Good } else { Role::Text })),
        ];
        let start = stack.len();
        for line in write::hanging(lead, point, Role::Text, theme, width) {
            stack.row(Row { line, hit: (checklist == Checklist::Open).then_some(Action::Tick(index)) });
        }
        if here {
            focus = start..stack.len();
        }
    }
    let count = format!("{} of {} covered", say.covered_count(), say.covered().len());
    let all = say.covered_count() == say.covered().len();
    stack.row(Line::styled(count, theme.style(if all { Role::Good } else { Role::Title })));
    focus
}

struct Big {
    text: String,
    size: PixelSize,
    height: u16,
    style: Style,
}

impl Segment for Big {
    fn height(&self) -> usize {
        usize::from(self.height)
    }

    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, _: &mut Vec<(Rect, Action)>) {
        let whole = Rect { x: 0, y: 0, width: area.width, height: self.height };
        let mut scratch = Buffer::empty(whole);
        let text = BigText::builder()
            .pixel_size(self.size)
            .style(self.style)
            .lines(vec![Line::raw(self.text.clone())])
            .build();
        text.render(whole, &mut scratch);
        for (row, place) in (from..usize::from(self.height)).zip(area.rows()) {
            for column in 0..area.width {
                let Some(y) = u16::try_from(row).ok() else { continue };
                if let (Some(cell), Some(target)) =
                    (scratch.cell((column, y)), buf.cell_mut((place.x + column, place.y)))
                {
                    *target = cell.clone();
                }
            }
        }
    }
}
