//! Describes places: the library, and the stages of a question.
//!
//! Programs are in `programs.rs`, the scenario in `timeline.rs`, steps in `steps.rs`. None of the text is safe to draw yet.

use std::fmt::Write as _;

use crate::content::prose::{Kind, Piece, marked, pieces};
use crate::content::question::Question;
use crate::plain::programs::{changes, own_changes};
use crate::quiz::attempt::LastResult;
use crate::quiz::describe;
use crate::quiz::grade::repair_diff;
use crate::quiz::run_view::RunView;
use crate::quiz::state::{Opened, Outcome, Phase};
use crate::quiz::{Quiz, Sitting, Stage};
use crate::text::{self, counted};

/// Columns of prose: short lines are easy to go through with a reader's keys.
const WIDTH: usize = 80;

/// The questions, each on one line.
pub fn library(quiz: &Quiz) -> String {
    let questions = &quiz.catalog().questions;
    let mut out = format!("The library has {}.\n", counted(questions.len(), "question"));
    for (index, entry) in questions.iter().enumerate() {
        let result = match quiz.result(&entry.name) {
            None => "",
            Some(LastResult::FoundAtOnce) => " Found with the first pick.",
            Some(LastResult::FoundLater) => " Found later.",
            Some(LastResult::GaveUp) => " Given up.",
            Some(LastResult::NotFound) => " Not found yet.",
        };
        let repaired = if quiz.is_repaired(&entry.name) { " Repaired." } else { "" };
        let card = &entry.card;
        let (title, topic, level) = (sentence(&card.title), text::line(&card.topic), card.level);
        let name = entry.name.to_string();
        let _ = writeln!(out, "{}: {title} {topic}, {level}. {}.{result}{repaired}", index + 1, text::line(&name));
    }
    out.push_str(match quiz.sitting() {
        None => "Type the number of a question to open it, or `help`.\n",
        Some(_) => "`open` and the number of a question opens it.\n",
    });
    out
}

/// Says where the learner is.
pub fn place(quiz: &Quiz) -> String {
    let Some(sitting) = quiz.sitting() else { return "You are in the library.\n".to_owned() };
    let standing = match sitting.outcome() {
        Some(Outcome::Found { line, .. }) => format!("You found line {line}."),
        Some(Outcome::GaveUp) => "You gave up.".to_owned(),
        None if sitting.picks().is_empty() => "You have not answered yet.".to_owned(),
        None => format!("{} so far.", counted(sitting.picks().len(), "wrong pick")),
    };
    let title = text::line(&sitting.question().title);
    format!("You are at {title}, stage {}. {standing}\n", spot_in_stage(quiz, sitting))
}

/// The stage, and where the learner is in it.
fn spot_in_stage(quiz: &Quiz, sitting: &Sitting) -> String {
    let name = sitting.stage().name();
    let part = match sitting.stage() {
        Stage::Run if sitting.is_predicting() => ", the prediction".to_owned(),
        Stage::Run => match (sitting.view(), sitting.timeline().at(), sitting.steps().leader()) {
            (RunView::Timeline, Some(at), _) => {
                let count = sitting.question().scenario.as_ref().map_or(0, |scenario| scenario.steps.len());
                format!(", row {} of {count}", at + 1)
            }
            (RunView::Steps, _, Some(walk)) => format!(", step {} of {}", walk.at() + 1, walk.trace().steps.len()),
            _ => String::new(),
        },
        Stage::Say => match sitting.say().phase() {
            Phase::Ready => String::new(),
            Phase::Speaking { .. } => format!(", {} left", seconds(quiz, sitting)),
            Phase::Paused { .. } => format!(", paused, {} left", seconds(quiz, sitting)),
            Phase::Checklist { .. } => ", the checklist".to_owned(),
            Phase::Done => ", after the checklist".to_owned(),
        },
        Stage::Spot | Stage::Fix | Stage::Learn => String::new(),
    };
    format!("{name}{part}")
}

/// The prompt: where the learner is, in a word or two.
pub fn prompt(quiz: &Quiz) -> String {
    let Some(sitting) = quiz.sitting() else { return "Library: ".to_owned() };
    if sitting.is_asking() || sitting.repair().asks_reset() {
        return "Yes or no: ".to_owned();
    }
    let place = match (sitting.stage(), sitting.say().phase()) {
        // The point of the countdown at which it stands is old news by the time that it is read.
        (Stage::Say, Phase::Paused { .. }) => "Say, paused".to_owned(),
        _ => spot_in_stage(quiz, sitting),
    };
    format!("{place}: ")
}

/// The question, as it stands above a program.
pub fn asked(sitting: &Sitting) -> String {
    let question = sitting.question();
    let mut out = format!("{}\n{}, {}.", sentence(&question.title), text::line(&question.topic), question.level);
    for chip in &question.requires {
        let _ = write!(out, " {}.", text::line(chip));
    }
    out.push('\n');
    if let Some(model) = &question.model {
        prose(&mut out, &format!("The model: {}. It leaves out: {}", model.kind, model.leaves_out));
    }
    if let Some(review) = &question.review {
        let _ = writeln!(out, "Reviewed by {} on {}.", text::line(&review.by), review.on);
    }
    prose(&mut out, &format!("The question: {}", question.spot.prompt));
    out
}

/// Describes the stage that is shown, on entering it.
pub fn stage(quiz: &Quiz) -> String {
    let Some(sitting) = quiz.sitting() else { return String::new() };
    if let Some(closed) = sitting.closed(sitting.stage()) {
        let mut out = String::new();
        prose(&mut out, closed);
        return out;
    }
    match sitting.stage() {
        Stage::Spot => spot(sitting),
        Stage::Run => String::new(),
        Stage::Fix => fix(sitting),
        Stage::Say => say(quiz, sitting),
        Stage::Learn => learn(quiz, sitting),
    }
}

/// The stages to go to once a question is answered.
const NEXT: &str =
    "`run` runs both programs, `fix` repairs the program, `say` practises the answer, `learn` tells more.";

fn spot(sitting: &Sitting) -> String {
    let hints = sitting.question().spot.hints.len();
    if sitting.is_answered() {
        return wrapped(&format!("Stage Spot: answered. {NEXT}"));
    }
    let hints = match (sitting.hints(), hints) {
        (_, 0) => "There are no hints.".to_owned(),
        (0, 1) => "`hint` tells a hint.".to_owned(),
        (0, all) => format!("`hint` tells the first of {all} hints."),
        (open, all) if open < all => format!("You have heard {open} of {all} hints; `hint` tells the next."),
        _ => "You have heard every hint.".to_owned(),
    };
    let asked = describe::asked(sitting.question().spot.ask);
    wrapped(&format!("Stage Spot. Type the number of {asked}. {hints} `help` says what else."))
}

/// The result of the last answer, or of giving up.
pub fn answer(sitting: &Sitting) -> String {
    let question = sitting.question();
    let of = question.line_count();
    let ask = question.spot.ask;
    let mut out = String::new();
    match (sitting.outcome(), sitting.picks().last()) {
        (Some(Outcome::Found { line, pick }), _) => {
            let picks = if pick == 1 { "It took one pick.".to_owned() } else { format!("It took {pick} picks.") };
            let right = describe::is_the_answer(ask, &format!("line {line} of {of}"));
            let _ = writeln!(out, "Right: {right}. {picks}");
        }
        (Some(Outcome::GaveUp), _) => {
            let is = if ask.is_line() { "The answer is" } else { "The step is missing after" };
            for accepted in &question.spot.answers {
                let _ = writeln!(out, "{is} line {} of {of}: {}", accepted.line, text::line(accepted.code.trim()));
            }
        }
        (None, Some(line)) => {
            let wrong = describe::is_not_the_answer(ask, &format!("line {line} of {of}"));
            let _ = writeln!(out, "Not right: {wrong}.");
            match question.near(*line) {
                Some(feedback) => prose(&mut out, feedback),
                None => out.push_str("Try another line, or type `hint`.\n"),
            }
            return out;
        }
        (None, None) => return out,
    }
    prose(&mut out, &question.spot.explanation);
    out.push_str("The smallest repair:\n");
    changes(&mut out, &repair_diff(question));
    out.push_str(&wrapped(NEXT));
    out
}

/// The hint that was opened last.
pub fn hint(sitting: &Sitting) -> String {
    let hints = &sitting.question().spot.hints;
    let mut out = String::new();
    match sitting.hints().checked_sub(1).and_then(|last| hints.get(last)) {
        Some(text) => prose(&mut out, &format!("Hint {} of {}: {text}", sitting.hints(), hints.len())),
        None => out.push_str("This question has no hints.\n"),
    }
    out
}

fn fix(sitting: &Sitting) -> String {
    let question = sitting.question();
    let mut out = wrapped("Stage Fix. `edit` opens your program in your editor, `check` runs the checks on it.");
    out.push_str(&own_changes(sitting));
    let _ = writeln!(out, "{}:", counted(question.checks.len(), "check"));
    for (index, check) in question.checks.iter().enumerate() {
        let _ = writeln!(out, "Check {}: {}.", index + 1, text::line(&check.name));
    }
    out
}

fn say(quiz: &Quiz, sitting: &Sitting) -> String {
    let say = &sitting.question().say;
    let mut out = String::new();
    match sitting.say().phase() {
        Phase::Ready => {
            prose(&mut out, &format!("Stage Say: {}", say.prompt));
            out.push_str(&wrapped(&format!(
                "You have {}. Nothing is recorded. Type `start`, then speak; press Enter when you are done.",
                counted(say.seconds as usize, "second")
            )));
        }
        Phase::Speaking { .. } => {
            let _ = writeln!(out, "Speak now. {} left.", seconds(quiz, sitting));
        }
        Phase::Paused { .. } => {
            let _ = writeln!(out, "Paused, {} left. `start` goes on, `stop` ends.", seconds(quiz, sitting));
        }
        Phase::Checklist { .. } => out.push_str(&checklist(sitting)),
        Phase::Done => out.push_str(&model_answer(sitting)),
    }
    out
}

/// Time that is left of the countdown.
pub fn seconds(quiz: &Quiz, sitting: &Sitting) -> String {
    counted(usize::try_from(quiz.left(sitting).seconds_up()).unwrap_or(usize::MAX), "second")
}

/// The points, with their ticks in words.
pub fn checklist(sitting: &Sitting) -> String {
    let points = &sitting.question().say.points;
    let mut out = String::from("Which of these did you cover?\n");
    for (index, point) in points.iter().enumerate() {
        out.push_str(&point_words(sitting, index, point));
    }
    out.push_str("Type the number of each point that you covered, then `done`.\n");
    out
}

/// A point of the checklist, counted from 0.
pub fn point(sitting: &Sitting, index: usize) -> String {
    let point = sitting.question().say.points.get(index);
    point.map(|point| point_words(sitting, index, point)).unwrap_or_default()
}

fn point_words(sitting: &Sitting, index: usize, point: &str) -> String {
    let covered = sitting.say().covered().get(index).copied().unwrap_or(false);
    let tick = if covered { "covered" } else { "not covered" };
    format!("Point {} of {}, {tick}: {}\n", index + 1, sitting.question().say.points.len(), spoken(point))
}

/// Points that were covered, and a model answer.
pub fn model_answer(sitting: &Sitting) -> String {
    let say = sitting.say();
    let mut out = format!("You covered {} of {}.\n", say.covered_count(), counted(say.covered().len(), "point"));
    if sitting.is_answered() {
        prose(&mut out, &format!("A model answer: {}", sitting.question().say.answer));
    } else {
        out.push_str(&wrapped(describe::MODEL_ANSWER_IS_CLOSED));
    }
    out
}

fn learn(quiz: &Quiz, sitting: &Sitting) -> String {
    let question = sitting.question();
    let mut out = String::from("Stage Learn.\n");
    let learn = &question.learn;
    for (index, fact) in learn.facts.iter().enumerate() {
        let words = format!("Fact {} of {}: {}", index + 1, learn.facts.len(), fact.text);
        prose(&mut out, &words);
        prose(&mut out, &format!("Source: {}. Checked on {}.", fact.source, fact.checked));
    }
    for (index, mistake) in learn.mistakes.iter().enumerate() {
        prose(&mut out, &format!("Common mistake {} of {}: {mistake}", index + 1, learn.mistakes.len()));
    }
    prose(&mut out, &format!("The senior take: {}", learn.senior_take));
    for index in 0..question.follow_ups.len() {
        out.push_str(&follow_up(sitting, index));
    }
    if !question.follow_ups.is_empty() {
        let again = if question.has_follow_up_answers() { ", and again to hear its answer" } else { "" };
        out.push_str(&wrapped(&format!(
            "Think of your answer first, then type the number of a follow-up question to hear its hint{again}.",
        )));
    }
    let related: Vec<_> = quiz.related(sitting.entry()).collect();
    for (index, entry) in related.iter().enumerate() {
        let (title, name) = (sentence(&entry.card.title), entry.name.to_string());
        let words = format!("Related question {} of {}: {title} {}.", index + 1, related.len(), text::line(&name));
        out.push_str(&wrapped(&words));
    }
    if !related.is_empty() {
        out.push_str("`related` and a number opens a related question; `back` leads here again.\n");
    }
    out
}

/// A follow-up question, counted from 0, with what is open of its hint and answer.
pub fn follow_up(sitting: &Sitting, index: usize) -> String {
    let question: &Question = sitting.question();
    let Some(follow_up) = question.follow_ups.get(index) else { return String::new() };
    let mut out = String::new();
    let of = question.follow_ups.len();
    prose(&mut out, &format!("Follow-up question {} of {of}: {}", index + 1, follow_up.question));
    let opened = sitting.opened(index);
    if opened.is_some() {
        prose(&mut out, &format!("Its hint: {}", follow_up.hint));
    }
    if let (Some(Opened::Answer), Some(answer)) = (opened, &follow_up.answer) {
        prose(&mut out, &format!("Its answer: {answer}"));
    }
    out
}

/// Inline Markdown as plain words. Code keeps its marks; stress has none, as a voice would read them out.
fn spoken(markdown: &str) -> String {
    let said = |piece: &Piece| match piece.kind {
        Kind::Emphasis => piece.text.clone(),
        _ => marked(piece),
    };
    pieces(markdown).iter().map(said).collect()
}

fn prose(out: &mut String, markdown: &str) {
    out.push_str(&wrapped(&spoken(markdown)));
}

/// A sentence as lines that break between words, also where a terminal would break them anywhere.
pub fn wrapped(words: &str) -> String {
    let rows = textwrap::wrap(words, text::whole_words(WIDTH));
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// A heading with a stop, where it has none.
pub fn sentence(heading: &str) -> String {
    let heading = text::line(heading);
    if heading.ends_with(['.', '?', '!']) { heading.into_owned() } else { format!("{heading}.") }
}
