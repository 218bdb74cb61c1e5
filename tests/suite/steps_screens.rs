//! Screens of the steps at the three sizes, with their keys and clicks.

use fencepost::quiz::state::RunId;
use fencepost::quiz::{Action, Quiz};
use fencepost::runner::{Event, Level, Stream, TraceLimit, Verdict};
use fencepost::settings::ThemeName;
use fencepost::tui::theme::Theme;

use crate::cases::each;
use crate::fixtures::{
    BUGGY_CLERK, BUGGY_STEPS, FIXED_STEPS, ended, late_label, lived, paused_clerk, quiz, sandbox, shelf, stepped,
    strangers, wrote,
};
use crate::screens::{SIZES, Screen, rows, snapshot};

fn clerk() -> Quiz {
    quiz(vec![paused_clerk()])
}

/// Traces the buggy program, before the answer.
fn trace(screen: &mut Screen) {
    screen.press("<enter><tab>t");
    screen.tell(stepped(1, BUGGY_STEPS)).tell([ended(1, Verdict::Finished, "")]);
}

/// Traces both programs, after the answer.
fn trace_both(screen: &mut Screen) {
    screen.press("<enter>8<enter><tab>t");
    screen.tell(stepped(1, BUGGY_STEPS).into_iter().chain(stepped(2, FIXED_STEPS)));
    screen.tell([ended(1, Verdict::Finished, ""), ended(2, Verdict::Finished, "")]);
}

#[test]
fn steps_before_there_are_any() {
    snapshot("steps-new", clerk, |screen| {
        screen.press("<enter><tab>vv");
    });
}

#[test]
fn steps_of_the_buggy_program() {
    snapshot("steps-buggy", clerk, |screen| {
        trace(screen);
        screen.press("15<enter>jp<right>");
    });
}

#[test]
fn steps_of_both_programs() {
    snapshot("steps-both", clerk, |screen| {
        trace_both(screen);
        screen.press("ss15<enter>");
    });
}

#[test]
fn every_key_leads_somewhere_that_is_said() {
    for size in [(80, 24), (120, 40)] {
        let mut screen = Screen::new(clerk(), size);
        trace(&mut screen);
        screen.shows("step 1 of 18: it begins").press("<right>").shows("step 2 of 18: line 11 comes next");
        screen.press("<left><left>").shows("step 1 of 18").press("  ").shows("step 3 of 18: __init__ is called");
        screen.press("c").shows("step 8 of 18: put is called").press("f").shows("step 11 of 18: put returns None");
        screen.press("C").shows("step 8 of 18").press("F").shows("step 6 of 18").press("F");
        screen.shows("There is no earlier return.").press("10<enter>").shows("step 10 of 18: line 8 comes next");
        screen.press("l").shows("step 15 of 18").press("L").shows("step 10 of 18").press("L");
        screen.shows("There is no earlier visit of line 8.").press("7").shows("7: Enter goes to this step");
        screen.press("L").shows("step 9 of 18").press("99l").shows("There is no line 99.");
        screen.press("J").shows("▸  8").press("KK").shows("▸  6");
        screen.press("<home>").shows("step 1 of").press("<end>").shows("step 18 of 18: it ends").shows("Output so far");
        screen.press("W").shows("step 7 of 18").press("W").shows("There is no earlier change of shelf.");
        screen.press("jjw").shows("step 12 of 18").press("w").shows("step 17 of 18").press("w");
        screen.shows("There is no later change of shelf.label.");
        screen.press("<esc>").shows("[Output]").press("t").shows("step 17 of 18");
        screen.press("s").shows("Buggy program, step 17").press("r").shows("noting every step");
    }
}

#[test]
fn a_small_screen_says_it_in_fewer_words() {
    let mut screen = Screen::new(clerk(), (40, 12));
    trace_both(&mut screen);
    screen.shows("Buggy 1/18: it begins").press("10<enter>").shows("Buggy 10/18: line 8 comes next").shows("→ 8");
    screen.press("L").shows("There is no earlier visit of line 8.").press("ss15<enter>").shows("Fixed 14/17: line 7");
    screen.shows("The fixed program waits: it does not come here again.");
}

#[test]
fn the_line_that_runs_next_is_always_in_sight() {
    each(SIZES, |size| {
        for keys in ["", "s", "ss"] {
            let mut screen = Screen::new(clerk(), size);
            trace_both(&mut screen);
            screen.press(keys).press("<home>");
            for _ in 0..18 {
                let walk = screen.ui.quiz.sitting().unwrap().steps().leader().unwrap();
                let now = walk.step().unwrap().line;
                screen.shows(&format!("→{now:>2} ")).press("<right>");
            }
        }
    });
}

#[test]
fn long_values_are_cut_until_they_are_opened() {
    each(SIZES, |size| {
        let mut screen = Screen::new(clerk(), size);
        screen.press("<enter><tab>t");
        let long = "x".repeat(300);
        screen.tell(stepped(1, &format!("call <module>:1 0\nline <module>:2 0 a={long}END b=\u{1b}[2J\n")));
        screen.tell([ended(1, Verdict::Finished, "")]).press("<end>");
        let whole = |screen: &mut Screen| {
            // Home and End are steps here; the state scrolls by pages.
            let mut all = screen.draw();
            for _ in 0..30 {
                screen.press("<pagedown>");
                all += &screen.draw();
            }
            screen.press("<pageup>").press("<pageup>");
            all
        };
        let all = whole(&mut screen);
        assert!(all.contains("x…") && !all.contains("END") && all.contains("b = ␛[2J"), "{all}");
        assert!(whole(screen.press("<enter>")).contains("END"));
        assert!(!whole(screen.press("<esc>")).contains("END"));
    });
}

#[test]
fn a_limit_is_told_at_the_last_step() {
    each(SIZES, |size| {
        let mut screen = Screen::new(clerk(), size);
        screen.press("<enter><tab>t").tell(stepped(1, BUGGY_STEPS).into_iter().take(5));
        screen.tell([Action::Ran(RunId(1), Event::TraceFull(TraceLimit::Steps))]);
        screen.shows("it begins").shows("The program is still running.").press("<end>");
        screen.shows("The trace stops here: no more").press("<esc>");
        assert!(screen.ui.quiz.sitting().unwrap().is_running(), "the quiz only asks for the end");
        screen.tell([ended(1, Verdict::TimedOut, "It was stopped after 2 s.")]).shows("The trace stops here");
    });
}

#[test]
fn a_failed_run_is_explained() {
    let mut screen = Screen::new(clerk(), (80, 24));
    screen.press("<enter><tab>t").tell([ended(1, Verdict::Raised, "SyntaxError: \u{1b}oh *a* `b`")]);
    screen.shows("There are no steps. Raised: SyntaxError: ␛oh *a* `b`").shows("r run");
    screen.press("t").press("r").tell(stepped(2, BUGGY_STEPS).into_iter().take(5));
    screen.tell([ended(2, Verdict::Raised, "ValueError: no")]).hides("ValueError").press("<end>");
    screen.shows("Raised: ValueError: no");
}

#[test]
fn lines_variables_and_tabs_can_be_clicked() {
    each([(80, 24), (120, 40)], |size| {
        let mut screen = Screen::new(clerk(), size);
        trace(&mut screen);
        screen.click("self.label = label").shows("step 10 of 18").click("self.label = label").shows("step 15 of 18");
        screen.click("ticket = 33").shows("▸  ticket = 33").press("w").shows("There is no later change of ticket.");
        screen.click("Timeline").shows("Press Space to run").click("Steps").shows("step 15 of 18");
    });
}

#[test]
fn no_size_breaks_the_steps_and_the_timeline() {
    let sizes = (0..=14).flat_map(|height| [0, 1, 3, 39, 40, 59, 60, 99, 100, 300].map(|width| (width, height)));
    for size in sizes.chain([(40, 200), (700, 100)]) {
        let mut screen = Screen::new(clerk(), size);
        trace_both(&mut screen);
        screen.press("ccpjj<enter>s s <end>12v<tab>[vv   <enter><end>");
    }
}

#[test]
fn nothing_hostile_reaches_a_cell() {
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}\t\u{0}👩‍👩‍👧‍👦漢e\u{301}";
    each(SIZES, |size| {
        let mut screen = Screen::new(quiz(vec![shelf()]), size);
        let steps = format!(
            "call {evil}:1 0 {evil}={evil} @{evil}\nprint {evil}\nreturn {evil}:2 0 b={evil} @{evil} -> {evil}\n"
        );
        screen.press("<enter>8<enter><tab>t").tell(stepped(1, &steps).into_iter().chain(stepped(2, &steps)));
        screen.tell([ended(1, Verdict::Raised, evil), ended(2, Verdict::Raised, evil)]);
        for keys in ["<right>", "p", "<enter>", "w", "s", "<right>", "s"] {
            let buffer = screen.press(keys).buffer();
            for row in rows(&buffer) {
                assert_eq!(fencepost::text::line(&row), row, "a cell steers the terminal");
                assert!(fencepost::text::width(&row) <= usize::from(size.0), "{row}");
            }
        }
    });
}

#[test]
fn no_order_of_keys_and_reports_breaks_the_stage_run() {
    let mut seed = 11_u64;
    let mut random = move |below: usize| {
        // xorshift64 (Marsaglia, 2003)
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % u64::try_from(below).unwrap()).unwrap()
    };
    let keys = [
        "r",
        "t",
        "v",
        " ",
        "<esc>",
        "<enter>",
        "<up>",
        "<down>",
        "<left>",
        "<right>",
        "<home>",
        "<end>",
        "c",
        "C",
        "f",
        "F",
        "l",
        "L",
        "w",
        "W",
        "J",
        "K",
        "p",
        "s",
        "1",
        "9",
        "x",
        "y",
        "n",
        "<backspace>",
        "<pagedown>",
        "<tab>",
        "[",
        "8<enter>",
    ];
    for round in 0..10_u16 {
        let quiz =
            if round % 2 == 0 { quiz(vec![paused_clerk(), late_label()]) } else { strangers(vec![paused_clerk()]) };
        let quiz = if round % 3 == 0 { quiz.asking_for_predictions() } else { quiz };
        let mut screen = Screen::new(quiz, [(80, 24), (120, 40), (40, 12), (61, 13)][usize::from(round % 4)]);
        screen.press("<enter>");
        for _ in 0..120 {
            let run = u64::try_from(random(12)).unwrap();
            match random(24) {
                0 => screen.tell([ended(run, Verdict::Finished, "")]),
                1 => screen.tell([ended(run, Verdict::Raised, "oh")]),
                2 => screen.tell(lived(run, &BUGGY_CLERK).into_iter().take(random(5))),
                3 => screen.tell(stepped(run, BUGGY_STEPS).into_iter().take(random(30))),
                4 => screen.tell(stepped(run, FIXED_STEPS).into_iter().skip(random(9))),
                5 => screen.tell([wrote(run, Stream::Stdout, "x\n")]),
                6 => screen.tell([Action::Ran(RunId(run), Event::TraceFull(TraceLimit::Bytes))]),
                7 => screen.tell([sandbox([Level::Full, Level::None][random(2)])]),
                8 => screen.tell([Action::Go(fencepost::quiz::Stage::Run)]),
                _ => screen.press(keys[random(keys.len())]),
            };
        }
    }
}

#[test]
fn colours_repeat_what_marks_say() {
    let draw = |theme: Theme, size| {
        let mut screen = Screen::new(clerk(), size);
        screen.ui.theme = theme;
        trace_both(&mut screen);
        let mut frames = Vec::new();
        for keys in ["10<enter>", "Jp", "99l", "ss", "15<enter>", "vv ", "<end>", "<up>"] {
            let buffer = screen.press(keys).buffer();
            frames.push(buffer);
            screen.tell(lived(5, &BUGGY_CLERK)).tell([ended(5, Verdict::Finished, "")]);
        }
        frames
    };
    each(SIZES, |size| {
        for buffer in draw(Theme::new(ThemeName::Colourless, false), size) {
            let reset = ratatui::style::Color::Reset;
            assert!(buffer.content.iter().all(|cell| cell.fg == reset && cell.bg == reset));
        }
        let [dark, light] = [ThemeName::Dark, ThemeName::Light].map(|theme| draw(Theme::new(theme, false), size));
        for (dark, light) in dark.iter().zip(&light) {
            assert_eq!(rows(dark), rows(light));
        }
        for buffer in draw(Theme::new(ThemeName::Dark, true), size) {
            assert!(buffer.content.iter().all(|cell| cell.symbol().is_ascii()));
        }
    });
}
