//! The stage Run: its views as tabs, and the view that shows what the programs print, side by side where there is room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::quiz::Action;
use crate::quiz::consent::{Blocked, Sandbox};
use crate::quiz::describe::{self, Said, difference};
use crate::quiz::prediction::Prediction;
use crate::quiz::run_view::RunView;
use crate::quiz::state::{Program, Sitting, Stage};
use crate::runner::recording::Recording;
use crate::runner::{Stream, Verdict};
use crate::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Columns, Drawn, Stack};
use crate::tui::view::write::{self, Output};
use crate::tui::view::{heading, predict, stamp, steps, timeline};

/// From this many columns of the terminal on, the programs stand side by side.
pub const SIDE_BY_SIDE: u16 = 100;

const GAP: u16 = 3;

/// The stage.
pub fn draw(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let mut hits = Vec::new();
    let area = tabs(sitting, &ui.theme, area, buf, &mut hits);
    if let (true, Prediction::Typing(typed)) = (sitting.is_predicting(), sitting.prediction()) {
        let mut drawn = predict::draw(ui, typed, area, buf);
        drawn.hits.extend(hits);
        return drawn;
    }
    let mut drawn = match (sitting.blocked(Stage::Run), sitting.view()) {
        (Some(blocked), _) => {
            let mut stack = Stack::default();
            let pack = &sitting.entry().name.pack;
            withheld(blocked, ui.quiz.sandbox(), pack, &ui.theme, page::text_width(area.width), &mut stack);
            page::draw(&stack, ui.scroll, &[], &ui.theme, area, buf)
        }
        (None, RunView::Output) => output(ui, sitting, area, buf),
        (None, RunView::Timeline) => timeline::draw(ui, sitting, area, buf),
        (None, RunView::Steps) => steps::draw(ui, sitting, area, buf),
    };
    drawn.hits.extend(hits);
    drawn
}

/// One row with a tab for each view of the stage. Returns what is left of the area.
fn tabs(sitting: &Sitting, theme: &Theme, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>) -> Rect {
    let mut x = area.x.saturating_add(1);
    for view in sitting.views() {
        let (label, role) = match view == sitting.view() {
            true => (format!("[{}]", view.name()), Role::Marked),
            false => (format!(" {} ", view.name()), Role::Text),
        };
        let width = u16::try_from(label.len()).unwrap_or(u16::MAX);
        let place = Rect { x, width, height: 1, ..area }.intersection(area);
        Line::styled(label, theme.style(role)).render(place, buf);
        hits.push((place, Action::Show(view)));
        x = x.saturating_add(width);
    }
    Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area }
}

fn output(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    predict::result(sitting, theme, width, &mut stack);
    if sitting.is_answered() {
        let differs = difference(sitting.run(Program::Buggy), sitting.run(Program::Fixed));
        match differs {
            Some(said) => stack.rows(sentence(&said, theme, width)),
            None if sitting.is_running() => stack.row(Line::styled("Running both programs.", theme.style(Role::Text))),
            None => {
                let invitation = "Press `r` to run the buggy program and the fixed one.";
                stack.rows(write::prose(invitation, Role::Text, theme, width));
            }
        }
        stack.blank();
        if area.width >= SIDE_BY_SIDE {
            let half = width.saturating_sub(usize::from(GAP)) / 2;
            let left = pane(sitting, Program::Buggy, half, theme);
            let right = pane(sitting, Program::Fixed, half, theme);
            stack.segment(Columns { left, right, gap: GAP });
        } else {
            stack.segment(pane(sitting, Program::Buggy, width, theme));
            stack.blank();
            stack.segment(pane(sitting, Program::Fixed, width, theme));
        }
    } else {
        if sitting.run(Program::Buggy).is_none() {
            stack.rows(write::prose("Press `r` to run the buggy program.", Role::Text, theme, width));
            stack.blank();
        }
        stack.segment(pane(sitting, Program::Buggy, width, theme));
        stack.blank();
        stack.rows(write::prose(describe::FIXED_RUN_IS_CLOSED, Role::Dim, theme, width));
    }
    if [Program::Buggy, Program::Fixed].into_iter().filter_map(|program| sitting.run(program)).any(has_errors) {
        stack.blank();
        stack.row(Line::styled("Rows marked with ! were written to standard error.", theme.style(Role::Dim)));
    }
    page::draw(&stack, ui.scroll, &[], theme, area, buf)
}

/// Columns of a pack's name that are shown, so that a long one cannot push the warning out of sight.
const PACK_NAME: usize = 60;

/// Says why nothing was started, and what the learner can do about it.
pub(super) fn withheld(
    blocked: Blocked,
    sandbox: &Sandbox,
    pack: &str,
    theme: &Theme,
    width: usize,
    stack: &mut Stack<'_>,
) {
    let pack = text::line(pack);
    let stranger = format!("The pack `{}` did not come with fencepost", text::shorten(&pack, PACK_NAME));
    match (blocked, sandbox) {
        (Blocked::SandboxUnknown, _) => {
            stack.row(heading("Looking at the sandbox first", theme));
            let why = format!("{stranger}. Its programs start by themselves where the sandbox contains them.");
            stack.rows(write::plain(&why, Role::Text, theme, width));
        }
        (Blocked::NeedsConsent, Sandbox::Known { why, .. }) => {
            // The warning comes first: reasons may be long, and terminals small.
            stack.row(heading("Run a stranger's programs?", theme));
            stack.rows(write::plain(&format!("{stranger}."), Role::Text, theme, width));
            stack.rows(write::plain("Its programs could read and change your files.", Role::Warning, theme, width));
            stack.rows(write::plain(&format!("Here {}.", text::line(why)), Role::Text, theme, width));
            stack.blank();
            let keys = "Press `y` to run them, for this pack until you leave fencepost, or `n` to leave it.";
            stack.rows(write::prose(keys, Role::Text, theme, width));
        }
        (Blocked::SandboxFailed, Sandbox::Failed(why)) => {
            stack.row(heading("Not run", theme));
            stack.rows(write::plain(
                &format!("The sandbox could not be looked at: {}.", text::line(why)),
                Role::Bad,
                theme,
                width,
            ));
            stack.blank();
            let rest = format!("{stranger}, so its programs are not run. `fencepost doctor` looks at the machine.");
            stack.rows(write::plain(&rest, Role::Text, theme, width));
        }
        // The sandbox has been examined since; the next run asks again.
        (Blocked::NeedsConsent | Blocked::SandboxFailed, _) => stack.row(heading("Not run", theme)),
    }
}

fn has_errors(run: &Recording) -> bool {
    run.output.iter().any(|chunk| chunk.stream == Stream::Stderr)
}

/// The sentence that says what differs.
pub(super) fn sentence(said: &[Said], theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let mut safe = text::Safe::new();
    let mut runs = Vec::new();
    for piece in said {
        let role = match piece {
            Said::Words(words) => {
                safe.push(words);
                Role::Title
            }
            Said::Output(output) => {
                safe.push("`");
                safe.push(output);
                safe.push("`");
                Role::Code
            }
        };
        runs.push((safe.len(), theme.style(role)));
    }
    write::styled_rows(safe, runs, width)
}

/// One program: its name, how it ended, what ran it, what it wrote.
fn pane<'a>(sitting: &'a Sitting, program: Program, width: usize, theme: &Theme) -> Stack<'a> {
    let name = describe::heading(program);
    let mut stack = Stack::default();
    let Some(run) = sitting.run(program) else {
        stack.row(heading(name, theme));
        stack.row(Line::styled("not run yet", theme.style(Role::Dim)));
        return stack;
    };
    let name = Span::styled(name, theme.style(Role::Heading));
    match run.ending() {
        None => stack.row(Line::from(vec![name, Span::styled("  running", theme.style(Role::Warning))])),
        Some(ending) => {
            let role = if ending.verdict == Verdict::Finished { Role::Good } else { Role::Bad };
            let words = describe::verdict(ending.verdict);
            stack.row(Line::from(vec![name, Span::styled(format!("  {words}"), theme.style(role))]));
            stack.rows(write::plain(&stamp(ending, theme), Role::Dim, theme, width));
            if ending.verdict != Verdict::Finished && !ending.detail.is_empty() {
                stack.rows(write::plain(&ending.detail, Role::Text, theme, width));
            }
        }
    }
    if run.output.is_empty() {
        if run.ending().is_some() {
            stack.row(Line::styled("It wrote nothing.", theme.style(Role::Dim)));
        }
    } else {
        stack.segment(Output::new(&run.output, width, theme));
    }
    stack
}
