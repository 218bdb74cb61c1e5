//! Every screen at the three sizes that matter; no size and no text breaks one.

use std::collections::HashMap;
use std::sync::Arc;

use fencepost::content::diagnostic::{Code, Diagnostic, Severity, SourceFile};
use fencepost::content::question::{Question, Verified};
use fencepost::content::stamp;
use fencepost::quiz::action::Library;
use fencepost::quiz::attempt::LastResult;
use fencepost::quiz::consent::Sandbox;
use fencepost::quiz::state::Stage;
use fencepost::quiz::time::Timestamp;
use fencepost::quiz::{Action, Quiz, update};
use fencepost::runner::{CheckOutcome, Level, Stream, Verdict};
use fencepost::settings::ThemeName;
use fencepost::text;
use fencepost::tui::theme::Theme;
use fencepost::tui::ui::{Response, Ui};
use fencepost::tui::view;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use crate::cases::each;
use crate::fixtures::{
    catalog, checked, ended, hostile, late_label, line, name, quiz, sandbox, shelf, strangers, wrote,
};

pub(crate) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 12)];

/// A front end and the size of its terminal.
pub(crate) struct Screen {
    pub(crate) ui: Ui,
    size: (u16, u16),
    now: i64,
}

impl Screen {
    pub(crate) fn new(quiz: Quiz, size: (u16, u16)) -> Self {
        let mut screen = Self { ui: Ui::new(quiz, Theme::new(ThemeName::Colourless, false), false), size, now: 1000 };
        screen.draw();
        screen
    }

    pub(crate) fn buffer(&mut self) -> Buffer {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let drawn = view::draw(&self.ui, area, &mut buffer);
        self.ui.scroll.offset = drawn.offset;
        self.ui.drawn = drawn;
        buffer
    }

    /// Draws, and returns the rows without the blanks at their ends.
    pub(crate) fn draw(&mut self) -> String {
        rows(&self.buffer()).join("\n")
    }

    pub(crate) fn tell(&mut self, actions: impl IntoIterator<Item = Action>) -> &mut Self {
        for action in actions {
            update(&mut self.ui.quiz, action);
            self.ui.settle();
            self.draw();
        }
        self
    }

    pub(crate) fn response(&mut self, response: Response) {
        if let Response::Do(action) = response {
            update(&mut self.ui.quiz, Action::Time(Timestamp(self.now)));
            self.tell([action]);
        }
        self.draw();
    }

    /// Presses the keys, which are written as characters or as names in angle brackets.
    #[track_caller]
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let (code, used) = match rest.strip_prefix('<').and_then(|named| named.split_once('>')).filter(is_name) {
                Some((name, after)) => (named(name), rest.len() - after.len()),
                None => ((KeyCode::Char(c), KeyModifiers::NONE), c.len_utf8()),
            };
            rest = &rest[used..];
            let response = self.ui.key(&KeyEvent::new(code.0, code.1));
            self.response(response);
        }
        self
    }

    pub(crate) fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> &mut Self {
        let response = self.ui.click(&MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
        self.response(response);
        self
    }

    /// Clicks on the first place where `text` is shown.
    #[track_caller]
    pub(crate) fn click(&mut self, text: &str) -> &mut Self {
        let screen = self.draw();
        let found = screen
            .lines()
            .enumerate()
            .find_map(|(row, line)| line.find(text).map(|byte| (row, text::width(&line[..byte]))));
        let (row, column) = found.unwrap_or_else(|| panic!("`{text}` is not on the screen:\n{screen}"));
        self.mouse(MouseEventKind::Down(MouseButton::Left), u16::try_from(column).unwrap(), u16::try_from(row).unwrap())
    }

    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> &mut Self {
        let screen = self.draw();
        assert!(screen.contains(text) || flat(&screen).contains(text), "`{text}` is missing:\n{screen}");
        self
    }

    #[track_caller]
    pub(crate) fn hides(&mut self, text: &str) -> &mut Self {
        let screen = self.draw();
        assert!(!flat(&screen).contains(text), "`{text}` is on the screen:\n{screen}");
        self
    }

    /// The words of every row of the page, from its top to its bottom, whatever the size.
    pub(crate) fn whole(&mut self) -> String {
        self.press("<home>");
        let mut all = self.draw();
        loop {
            let before = self.ui.drawn.offset;
            self.press("<pagedown>");
            if self.ui.drawn.offset == before {
                return flat(&all);
            }
            all.push('\n');
            all.push_str(&self.draw());
        }
    }
}

/// The words of a screen, whatever its width made of its rows.
fn flat(screen: &str) -> String {
    screen.split_whitespace().filter(|word| !matches!(*word, "│" | "┃")).collect::<Vec<_>>().join(" ")
}

/// True if the text in angle brackets is the name of a key, and not a comparison that is typed.
fn is_name((name, _): &(&str, &str)) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn named(name: &str) -> (KeyCode, KeyModifiers) {
    let (name, modifiers) = match name.strip_prefix("c-") {
        Some(name) => (name, KeyModifiers::CONTROL),
        None => (name, KeyModifiers::NONE),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "tab" => KeyCode::Tab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "backspace" => KeyCode::Backspace,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "esc" => KeyCode::Esc,
        letter if modifiers == KeyModifiers::CONTROL => KeyCode::Char(letter.chars().next().unwrap()),
        "f1" => KeyCode::F(1),
        other => panic!("no key `{other}`"),
    };
    (code, modifiers)
}

pub(crate) fn rows(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let rows = (area.top()..area.bottom()).map(|y| {
        let mut row = String::new();
        let mut x = area.left();
        while x < area.right() {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += u16::try_from(text::width(symbol)).unwrap().max(1);
        }
        row.trim_end().to_owned()
    });
    rows.collect()
}

/// Compares a screen at all sizes with its snapshot.
#[track_caller]
pub(crate) fn snapshot(name: &str, quiz: impl Fn() -> Quiz, then: impl Fn(&mut Screen)) {
    each(SIZES, |size| {
        let mut screen = Screen::new(quiz(), size);
        then(&mut screen);
        let (width, height) = size;
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), screen.draw());
        });
    });
}

fn library() -> Quiz {
    let results = [
        (name("stale-ticket"), LastResult::FoundAtOnce),
        (name("late-label"), LastResult::GaveUp),
        (name("q3"), LastResult::NotFound),
        (name("q4"), LastResult::FoundLater),
    ];
    let mut questions = vec![shelf(), late_label()];
    for n in 3..=30 {
        let mut question = shelf();
        question.id = format!("q{n}");
        question.title = format!("Question number {n}");
        questions.push(question);
    }
    Quiz::new(Arc::new(catalog(questions)), HashMap::from(results))
}

fn two() -> Quiz {
    quiz(vec![shelf(), late_label()])
}

fn open_shelf(screen: &mut Screen) {
    screen.press("<enter>");
}

fn found(screen: &mut Screen) {
    screen.press("<enter>8<enter>");
}

#[test]
fn library_list() {
    snapshot("library", library, |screen| {
        screen.press("<down><down>");
    });
}

#[test]
fn library_while_more_is_read() {
    snapshot("library-loading", || two().while_loading(), |_| {});
    let mut screen = Screen::new(two().while_loading(), (80, 24));
    let all = Action::Loaded(Library(Arc::new(catalog(vec![shelf(), late_label(), hostile()]))));
    screen.tell([all]).hides("Reading the question files").shows("1 of 3 questions");
}

#[test]
fn library_with_nothing_in_it() {
    snapshot("library-empty", || quiz(Vec::new()), |_| {});
}

#[test]
fn spot_before_the_answer() {
    snapshot("spot", two, open_shelf);
}

#[test]
fn spot_with_hint_and_feedback() {
    snapshot("spot-wrong", two, |screen| {
        screen.press("<enter>h7<enter>");
    });
}

#[test]
fn spot_after_the_answer() {
    snapshot("spot-found", two, found);
}

#[test]
fn spot_given_up_on_a_long_program() {
    snapshot("spot-given-up", two, |screen| {
        screen.press("<down><enter>a");
    });
}

#[test]
fn run_before_the_answer() {
    snapshot("run-buggy", two, |screen| {
        screen.press("<enter><tab>r");
        screen.tell([wrote(1, Stream::Stdout, "from paused old leader\n"), ended(1, Verdict::Finished, "")]);
    });
}

#[test]
fn run_after_the_answer() {
    snapshot("run-both", two, |screen| {
        found(screen);
        screen.press("<tab>r");
        screen.tell([
            wrote(1, Stream::Stdout, "from paused old leader\n"),
            wrote(2, Stream::Stdout, "True False new\n"),
            wrote(2, Stream::Stderr, "a warning\n"),
            ended(2, Verdict::Finished, ""),
            ended(1, Verdict::TimedOut, "It was stopped after 2 seconds."),
        ]);
    });
}

#[test]
fn run_of_a_stranger() {
    snapshot(
        "run-stranger",
        || strangers(vec![shelf()]),
        |screen| {
            screen.tell([sandbox(Level::LimitsOnly)]).press("<enter><tab>r");
        },
    );
}

#[test]
fn a_strangers_program_is_asked_about_by_keys() {
    each(SIZES, |size| {
        let mut screen = Screen::new(strangers(vec![shelf()]), size);
        screen.press("<enter><tab>r").shows("Looking at the sandbox first").shows("r run");
        screen.tell([sandbox(Level::None)]).shows("only at level none and lacks seccomp (the kernel has none)");
        screen.shows("y run").shows("n do not run");
        // Nothing but `y` is a yes.
        screen.press("r<enter> ").shows("Run a stranger's programs?").press("<esc>").shows("Press `r` to run");
        screen.press("r").shows("Run a stranger's").press("n").shows("not run yet").press("y").shows("not run yet");
        screen.press("r?").shows("y Run the programs of this pack").press("?y").shows("Buggy program running");
    });
}

#[test]
fn a_sandbox_that_cannot_be_looked_at_is_told() {
    let mut screen = Screen::new(strangers(vec![shelf()]), (80, 24));
    let failed = Action::Sandbox(Sandbox::Failed("the runner does not start: \u{1b}[2Jno".to_owned()));
    screen.press("<enter><tab>r").tell([failed]).shows("could not be looked at: the runner does not start: ␛[2Jno.");
    screen.shows("so its programs are not run").press("y").shows("Not run");
}

#[test]
fn a_pack_cannot_write_its_own_question() {
    let mut catalog = catalog(vec![shelf()]);
    let entry = Arc::make_mut(&mut catalog.questions[0]);
    entry.shipped = false;
    entry.name.pack = format!("{}` is safe.\nPress `y`", "x".repeat(300));
    each(SIZES, |size| {
        let mut screen = Screen::new(Quiz::new(Arc::new(catalog.clone()), HashMap::new()), size);
        screen.tell([sandbox(Level::None)]).press("<enter><tab>r").hides("is safe").shows("…` did not come with");
        screen.shows("Its programs could read and change your files.");
    });
}

#[test]
fn say_countdown() {
    snapshot("say-talking", two, |screen| {
        screen.press("<enter><tab><tab><tab> ");
        screen.tell([Action::Time(Timestamp(8500))]);
    });
}

#[test]
fn say_checklist() {
    snapshot("say-checklist", two, |screen| {
        screen.press("<enter><tab><tab><tab> ");
        screen.tell([Action::Time(Timestamp(60_000))]);
        screen.press(" <down><down> 4");
    });
}

#[test]
fn say_answer() {
    snapshot("say-done", two, |screen| {
        found(screen);
        screen.press("<tab><tab><tab><enter>123<enter>");
    });
}

#[test]
fn learn_from_the_top() {
    snapshot("learn", two, |screen| {
        found(screen);
        screen.press("[");
    });
}

#[test]
fn learn_with_an_open_hint() {
    snapshot("learn-hint", two, |screen| {
        found(screen);
        screen.press("[h");
    });
}

#[test]
fn learn_with_an_open_answer() {
    snapshot("learn-answer", two, |screen| {
        found(screen);
        screen.press("[h<enter>");
    });
}

#[test]
fn learn_shows_a_stamp_only_while_it_holds() {
    let mut question = shelf();
    let on = question.learn.facts[0].checked;
    let hash = stamp::hash(&question);
    question.verified = Some(Verified { python: "3.13.0".to_owned(), mypy: "2.4.1".to_owned(), on, hash });
    let mut changed = question.clone();
    changed.spot.repairs[0].with.push_str("        print(ticket)\n");
    for (question, shown) in [(question, true), (changed, false)] {
        let mut screen = Screen::new(quiz(vec![question]), (80, 60));
        screen.press("<enter>8<enter>[");
        if shown {
            screen.shows("Ran on Python 3.13.0")
        } else {
            screen.hides("Ran on").shows("not been run yet")
        };
    }
}

#[test]
fn learn_is_closed_before_the_answer() {
    snapshot("learn-closed", two, |screen| {
        screen.press("<enter>[");
    });
}

#[test]
fn help_for_a_stage() {
    snapshot("help", two, |screen| {
        screen.press("<enter>?");
    });
}

#[test]
fn a_question_of_fourteen_lines_fits_a_small_terminal() {
    let mut screen = Screen::new(two(), (80, 24));
    screen.press("<enter>").shows("print(shelf.label)").shows("Which line lets").shows("Enter answer");
    assert_eq!(screen.ui.drawn.total, screen.ui.drawn.height.min(screen.ui.drawn.total), "nothing to scroll");
}

#[test]
fn the_cursor_stays_in_sight() {
    each(SIZES, |size| {
        let mut screen = Screen::new(two(), size);
        screen.press("<down><enter>").shows("Which line comes").press("jk");
        for n in 1..=22 {
            screen.shows(&format!("▸ {n:>2} ")).press("j");
        }
        for n in (1..=22).rev() {
            screen.shows(&format!("▸ {n:>2} ")).press("k");
        }
        screen.press("17").shows("▸ 17 ").press("G").shows("▸ 22 ").press("g").shows("▸  1 ").shows("Which line comes");
    });
}

#[test]
fn a_line_out_of_sight_is_no_answer() {
    let mut screen = Screen::new(two(), (40, 12));
    screen.press("<enter><pagedown><pagedown>").hides("▸").press("<enter>").shows("▸  1").hides("Line 1 is not");
    screen.press("<enter>").shows("Line 1 is not").press("j").shows("▸  2");
}

#[test]
fn feedback_comes_into_sight() {
    each(SIZES, |size| {
        let mut screen = Screen::new(two(), size);
        screen.press("<enter>13<enter>").shows("× Line 13 is not the bug").shows("▸×13 ");
    });
}

#[test]
fn hints_are_counted_and_then_no_longer_offered() {
    let mut screen = Screen::new(two(), (80, 24));
    screen.press("<enter>").shows("h hint").press("h").shows("Hint 1 of 1").hides("h hint");
}

#[test]
fn a_long_page_can_be_read_to_its_end() {
    for size in SIZES {
        let mut screen = Screen::new(two(), size);
        found(&mut screen);
        let all = screen.press("[").whole();
        for part in [
            "Deep dive",
            "`max` keeps",
            "checked 2026-11-29",
            "The fixed program: A shelf that",
            "return True",
            "It has not been run yet",
            "Common mistakes",
            "Senior take",
            "Follow-up questions",
            "2. What if the shelf",
            "Related questions",
            "A label that is printed",
            "https://example.org/issues",
            "shelves/stale-ticket",
        ] {
            assert!(all.contains(part), "`{part}` is missing at {size:?}:\n{all}");
        }
        assert!(!all.contains("not-in-this-library") && !all.contains("From the service"));
    }
}

#[test]
fn down_walks_over_what_can_be_opened() {
    for size in SIZES {
        let mut screen = Screen::new(two(), size);
        found(&mut screen);
        screen.press("[");
        for _ in 0..200 {
            if screen.draw().contains("▸ 1. ") {
                break;
            }
            screen.press("j");
        }
        screen
            .shows("▸ 1. Where do")
            .press("<enter>")
            .shows("From the service")
            .press("<enter>")
            .shows("From a counter")
            .press("<enter>")
            .hides("From the service");
        for _ in 0..20 {
            if screen.draw().contains("▸ A label") {
                break;
            }
            screen.press("j");
        }
        screen.shows("▸ A label").press("<enter>").shows("Which line comes too early").press("q").shows("[Learn]");
    }
}

#[test]
fn the_stamp_of_the_last_run_is_shown_until_there_is_a_proof() {
    let mut screen = Screen::new(two(), (80, 24));
    found(&mut screen);
    screen.press("<tab>r").tell([ended(1, Verdict::Finished, ""), ended(2, Verdict::Finished, "")]);
    screen.press("<tab><tab><tab>");
    assert!(
        screen.whole().contains("Your last run: finished · RustPython 0.5.0 · Python 3.14.0 · sandbox full · 3.2 ms")
    );
}

#[test]
fn the_mouse_reaches_lines_tabs_rows_and_points() {
    let mut screen = Screen::new(two(), (80, 24));
    screen.click("A label that").shows("▸ A label that").click("A label that").shows("Which line comes");
    screen.press("q").click("A shelf, two").click("A shelf, two").click("self.newest = max").shows("▸  7 ");
    screen.press("8<enter>").click("Say").shows("Nothing is recorded");
    screen.press("<enter>").click("A pause can").shows("[x] A pause can").shows("1 of 4 covered");
    screen.click("Learn").press("<end>").click("1. Where do").shows("From the service");
    screen.mouse(MouseEventKind::ScrollUp, 5, 5);
    let offset = screen.ui.drawn.offset;
    screen.mouse(MouseEventKind::ScrollUp, 5, 5);
    assert_eq!(screen.ui.drawn.offset, offset.saturating_sub(3));
}

#[test]
fn closed_stages_say_why_and_run_says_what_waits() {
    let mut screen = Screen::new(two(), (80, 24));
    screen.press("<enter>").shows("(Learn)").press("[").shows("stays closed until the line is found or given up");
    screen.press("]]").shows("The fixed program joins in once the line is found").hides("Fixed program");
    screen.press("<tab><tab><enter><enter>").shows("The model answer names the bug").hides("A lease ends on the clock");
}

#[test]
fn a_failure_to_save_stays_on_every_screen() {
    let mut screen = Screen::new(two(), (40, 12));
    screen.tell([Action::SaveFailed("Not saved: \u{1b}disk full.".to_owned())]).shows("! Not saved: ␛disk full.");
    screen.press("<enter>").shows("! Not saved").press("<tab>").shows("! Not saved").press("?").shows("! Not saved");
}

#[test]
fn a_failure_to_save_does_not_hide_what_could_not_be_read() {
    let troubles = || {
        let why = |what: &str| format!("{what}.");
        [
            Action::RememberFailed(why("Unread 1")),
            Action::LoadFailed(why("Unread 2")),
            Action::SaveFailed(why("Unsaved")),
        ]
    };
    let mut screen = Screen::new(two(), (80, 24));
    screen.tell(troubles()).shows("! Unsaved.").shows("! Unread 2.").hides("Unread 1");
    screen.tell([Action::Saved]).hides("Unsaved").shows("! Unread 2.").shows("! Unread 1.");
    let mut screen = Screen::new(two(), (40, 12));
    screen.tell(troubles()).shows("! Unsaved.").hides("Unread 2");
}

#[test]
fn problems_of_files_are_one_line_of_the_library() {
    let file = Arc::new(SourceFile { path: "x.toml".into(), text: String::new() });
    let problem = |severity| Diagnostic {
        code: Code("x"),
        severity,
        file: Arc::clone(&file),
        span: 0..0,
        message: String::new(),
        label: String::new(),
        notes: Vec::new(),
        results: None,
        help: String::new(),
    };
    let mut catalog = catalog(vec![shelf()]);
    catalog.problems = vec![problem(Severity::Error), problem(Severity::Error), problem(Severity::Warning)];
    let mut screen = Screen::new(Quiz::new(Arc::new(catalog), HashMap::new()), (80, 24));
    screen.shows("! 2 errors and 1 warning in question files").shows("A shelf, two clerks");
}

#[test]
fn ten_thousand_questions_are_only_drawn_where_they_are_seen() {
    let many: Vec<Question> = (0..10_000)
        .map(|n| {
            let mut question = late_label();
            question.id = format!("q{n}");
            question.title = format!("Question {n}.");
            question
        })
        .collect();
    let mut screen = Screen::new(quiz(many), (80, 24));
    screen.shows("1 of 10000 questions").press("G").shows("▸ Question 9999.").press("k").shows("▸ Question 9998.");
    assert_eq!(screen.ui.drawn.hits.len(), screen.ui.drawn.height);
}

/// Every page of every stage, reached by keys.
fn tour(screen: &mut Screen) -> Vec<Buffer> {
    let mut seen = vec![screen.buffer()];
    for keys in ["<enter>", "h", "<enter>", "?", "?", "a", "<tab>", "r"] {
        screen.press(keys);
        seen.push(screen.buffer());
    }
    let evil = "x\u{1b}[2J\u{9b}31m\u{202e}\t\u{0}👩‍👩‍👧‍👦漢e\u{301}\r\n";
    screen.tell([
        wrote(1, Stream::Stdout, evil),
        wrote(1, Stream::Stderr, &evil.repeat(30)),
        ended(1, Verdict::Raised, evil),
        ended(2, Verdict::Finished, evil),
    ]);
    seen.push(screen.buffer());
    for keys in ["<tab>", "i", "x = 1<enter><tab>", "?q", "<esc>", "r"] {
        screen.press(keys);
        seen.push(screen.buffer());
    }
    screen.tell([
        wrote(3, Stream::Stdout, evil),
        checked(3, evil, CheckOutcome::Passed, ""),
        checked(3, evil, CheckOutcome::Failed, &evil.repeat(30)),
        ended(3, Verdict::Finished, evil),
    ]);
    seen.push(screen.buffer());
    for keys in
        ["x", "y", "b", "u", "<tab>", " ", "<enter>", " u", "<enter>", "u<enter>", "<tab>", "h", "<end>", "q", "q"]
    {
        screen.press(keys);
        seen.push(screen.buffer());
    }
    seen
}

#[test]
fn no_size_breaks_a_screen() {
    let sizes =
        (0..=14).flat_map(|height| [0, 1, 2, 3, 10, 39, 40, 41, 99, 100, 101, 300].map(|width| (width, height)));
    for size in sizes.chain([(40, 200), (700, 100)]) {
        for question in [shelf(), late_label(), hostile()] {
            tour(&mut Screen::new(quiz(vec![question]), size));
        }
    }
}

#[test]
fn below_the_smallest_size_one_line_says_so() {
    assert_eq!(Screen::new(two(), (39, 12)).draw().trim_end(), "40x12 needed, this is 39x12");
    assert_eq!(Screen::new(two(), (10, 3)).draw().trim_end(), "40x12 nee…");
    assert_eq!(Screen::new(two(), (1, 1)).draw(), "…");
    assert_eq!(Screen::new(two(), (0, 0)).draw(), "");
}

#[test]
fn nothing_hostile_reaches_a_cell() {
    each(SIZES, |size| {
        for buffer in tour(&mut Screen::new(quiz(vec![hostile()]), size)) {
            for row in rows(&buffer) {
                assert_eq!(text::line(&row), row, "a cell steers the terminal");
                assert!(text::width(&row) <= usize::from(size.0), "{row}");
            }
        }
    });
}

#[test]
fn a_terminal_without_utf_8_sees_only_ascii() {
    each(SIZES, |size| {
        let mut screen = Screen::new(quiz(vec![hostile()]), size);
        screen.ui.theme = Theme::new(ThemeName::Dark, true);
        for buffer in tour(&mut screen) {
            assert!(buffer.content.iter().all(|cell| cell.symbol().is_ascii()));
        }
    });
}

#[test]
fn colours_repeat_what_marks_say() {
    each(SIZES, |size| {
        let tour_in = |theme| {
            let mut screen = Screen::new(two(), size);
            screen.ui.theme = Theme::new(theme, false);
            tour(&mut screen)
        };
        let colourless = tour_in(ThemeName::Colourless);
        for buffer in &colourless {
            let reset = ratatui::style::Color::Reset;
            assert!(buffer.content.iter().all(|cell| cell.fg == reset && cell.bg == reset));
        }
        for (dark, light) in tour_in(ThemeName::Dark).iter().zip(&tour_in(ThemeName::Light)) {
            assert_eq!(rows(dark), rows(light));
        }
    });
}

#[test]
fn help_lists_every_key_of_its_screen() {
    for (keys, expected) in [
        ("", vec!["Open the marked question", "Quit"]),
        ("<enter>", vec!["Answer with the marked line", "Open the next hint", "Give up and show the answer"]),
        ("<enter><tab>", vec!["Run the programs"]),
        ("<enter><tab><tab><tab>", vec!["Start the countdown, or pause it", "Put the countdown"]),
    ] {
        let mut screen = Screen::new(two(), (80, 24));
        screen.press(keys).press("?");
        let all = screen.whole();
        for sentence in expected.iter().chain(&["Turn the mouse on or off", "Show or hide the keys"]) {
            assert!(all.contains(sentence), "{sentence}:\n{all}");
        }
        screen.press("<esc>").hides("Everywhere");
    }
}

#[test]
fn long_output_scrolls_and_is_told_apart() {
    let mut screen = Screen::new(two(), (80, 24));
    screen.press("<enter><tab>r");
    let text: String = (0..3000).map(|n| format!("row {n}\n")).collect();
    screen.tell([
        wrote(1, Stream::Stdout, &text),
        wrote(1, Stream::Stderr, "oops\n"),
        ended(1, Verdict::Raised, "ValueError"),
    ]);
    screen.shows("│ row 0").press("<end>").shows("! oops").shows("│ row 2999").shows("standard error");
}

#[test]
fn a_stage_is_opened_at_its_top() {
    let mut screen = Screen::new(two(), (40, 12));
    found(&mut screen);
    screen.press("[<end>").press("]").press("<tab>").shows("Buggy program");
    assert_eq!(screen.ui.drawn.offset, 0);
    screen.tell([Action::Go(Stage::Spot), Action::StartOver, Action::Point(line(1))]).shows("A shelf");
}

/// A preview of the shelf, or of a file that is no question, with two problems.
fn preview(questions: Vec<Question>) -> Quiz {
    let text = "format = 1\nlevel = \"juniro\"\n".to_owned();
    let file = Arc::new(SourceFile { path: "x.toml".into(), text });
    let problem = |severity, code, span, message: &str, help: &str| Diagnostic {
        code: Code(code),
        severity,
        file: Arc::clone(&file),
        span,
        message: message.to_owned(),
        label: String::new(),
        notes: Vec::new(),
        results: None,
        help: help.to_owned(),
    };
    let mut catalog = catalog(questions);
    catalog.problems = vec![
        problem(Severity::Warning, "spelling", 0..6, "`teh` looks misspelled", "write `the`"),
        problem(Severity::Error, "bad_value", 19..27, "`juniro\u{1b}[2J` is no level", "did you mean `junior`?"),
    ];
    let mut quiz = Quiz::new(Arc::new(catalog), HashMap::new()).previewing();
    update(&mut quiz, Action::OpenAt(0));
    quiz
}

#[test]
fn a_preview_shows_problems_below_the_question_or_alone() {
    each(SIZES, |size| {
        let mut sound = Screen::new(preview(vec![shelf()]), size);
        let mut alone = Screen::new(preview(Vec::new()), size);
        let name = format!("preview-{}x{}", size.0, size.1);
        insta::with_settings!({ prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, format!("{}\n{}\n{}", sound.draw(), "=".repeat(size.0.into()), alone.draw()));
        });
    });
}

/// The window stays where it was when the file is saved.
#[test]
fn a_preview_keeps_its_place() {
    let mut screen = Screen::new(preview(vec![shelf()]), (40, 12));
    screen.press("<down><down><down><down><down>");
    let offset = screen.ui.drawn.offset;
    assert!(offset > 0);
    let mut question = shelf();
    question.title = "Another".to_owned();
    screen.tell([Action::Loaded(Library(Arc::new(catalog(vec![question]))))]);
    assert_eq!(screen.ui.quiz.sitting().unwrap().cursor(), line(6));
    screen.shows("Another").shows("▸  6").shows("Not proved here: ");
}
