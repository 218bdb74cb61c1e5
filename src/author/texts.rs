//! Lists every text in a question, with its path in the file.
//!
//! Marks prose, and texts that learners can read before they answer: the stages Spot, Run, Fix and Say are open from the start,
//! except for the fixed program and the model answer.

use crate::content::locate::Step;
use crate::content::question::Question;

/// A text for people.
pub(super) struct Text<'a> {
    pub(super) path: Vec<Step>,
    pub(super) words: &'a str,
    /// True if learners can read it before they answer.
    pub(super) before: bool,
    /// True if it is natural language.
    pub(super) prose: bool,
}

/// The texts of `question`, in the order of the format.
pub(super) fn of(question: &Question) -> Vec<Text<'_>> {
    use Step::{At, Key};

    let mut all = Vec::new();
    let mut add = |path: &[Step], words, before| all.push(Text { path: path.to_vec(), words, before, prose: true });
    add(&[Key("title")], question.title.as_str(), true);
    add(&[Key("topic")], &question.topic, true);
    for (key, words) in [("requires", &question.requires), ("tags", &question.tags)] {
        for (at, word) in words.iter().enumerate() {
            add(&[Key(key), At(at)], word, true);
        }
    }
    if let Some(model) = &question.model {
        add(&[Key("model"), Key("kind")], &model.kind, true);
        add(&[Key("model"), Key("leaves_out")], &model.leaves_out, true);
    }
    add(&[Key("spot"), Key("prompt")], &question.spot.prompt, true);
    for (at, hint) in question.spot.hints.iter().enumerate() {
        add(&[Key("spot"), Key("hints"), At(at)], hint, true);
    }
    add(&[Key("spot"), Key("explanation")], &question.spot.explanation, false);
    for (at, near) in question.spot.near.iter().enumerate() {
        add(&[Key("spot"), Key("near"), At(at), Key("feedback")], &near.feedback, true);
    }
    add(&[Key("fixed"), Key("title")], &question.fixed.title, false);
    for (at, check) in question.checks.iter().enumerate() {
        add(&[Key("check"), At(at), Key("name")], &check.name, true);
    }
    for (at, step) in question.scenario.iter().flat_map(|scenario| &scenario.steps).enumerate() {
        for (key, words) in [("at", &step.at), ("who", &step.who), ("does", &step.does)] {
            add(&[Key("scenario"), Key("step"), At(at), Key(key)], words, true);
        }
    }
    add(&[Key("say"), Key("prompt")], &question.say.prompt, true);
    add(&[Key("say"), Key("answer")], &question.say.answer, false);
    for (at, point) in question.say.points.iter().enumerate() {
        add(&[Key("say"), Key("points"), At(at)], point, true);
    }
    for (at, mistake) in question.learn.mistakes.iter().enumerate() {
        add(&[Key("learn"), Key("mistakes"), At(at)], mistake, false);
    }
    add(&[Key("learn"), Key("senior_take")], &question.learn.senior_take, false);
    for (at, fact) in question.learn.facts.iter().enumerate() {
        add(&[Key("learn"), Key("fact"), At(at), Key("text")], &fact.text, false);
    }
    for (at, follow_up) in question.follow_ups.iter().enumerate() {
        add(&[Key("follow_up"), At(at), Key("question")], &follow_up.question, false);
        add(&[Key("follow_up"), At(at), Key("hint")], &follow_up.hint, false);
        if let Some(answer) = &follow_up.answer {
            add(&[Key("follow_up"), At(at), Key("answer")], answer, false);
        }
    }
    for (at, expression) in question.scenario.iter().flat_map(|scenario| &scenario.watch).enumerate() {
        // The timeline shows it beside its value.
        let path = vec![Key("scenario"), Key("watch"), At(at)];
        all.push(Text { path, words: expression, before: true, prose: false });
    }
    all
}
