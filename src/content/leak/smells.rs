//! Words and signs that say where the fault is, in names and comments.
//!
//! Owns the lists of them. A word may be innocent: `stale`, `race` and `missing` belong to many a subject, so they smell in
//! company only.

pub(super) mod operators;

use super::is_one_of;

/// Words that authors use of the fault, wherever they stand.
const FAULT: &str = "\
    bug bugs buggy bugged broken wrong wrongly unsafe unsafely faulty fault incorrect incorrectly flawed flaw \
    flaws oops mistake mistakes fixme todo xxx defect defective erroneous racy culprit";

/// Words that smell in a comment, and may be part of a subject in a name.
const IN_COMMENTS: &str = "\
    hack hacky kludge insecure insecurely vulnerable vulnerability offending suspicious dangerous";

/// Words that smell in the name of what is done or built: `bad_get`, `LeakyStore`. Rows may be bad, and packages vulnerable.
const QUALITIES: &str = "bad badly leaky vulnerable insecure evil dangerous risky hacky hack unchecked unguarded";

/// What is bad or leaky by its own nature.
const SUBJECTS: &str = "\
    actor address argument block bucket byte case char checksum credential data debt digest error exception \
    format gateway guess hash header host id index input key message name node number packet password peer pin \
    relu request response result row sector signature status token type url user value version word";

/// Words that say that something is not there, and what smells behind them.
const ABSENT: &str = "missing forgotten forgot forgets without skips skipped omitted";
const WHAT_IS_ABSENT: &str = "\
    check checks guard guards lock locks locking await validation test condition copy commit rollback close \
    release fence fencing escape escaping comparison reset return timeout";

/// Words that smell together, wherever they stand.
const FAULTS: [&[&str]; 2] = [&["off", "by", "one"], &["race", "condition"]];

/// Words that point together.
const POINTERS: [&[&str]; 10] = [
    &["this", "line"],
    &["next", "line"],
    &["line", "below"],
    &["line", "above"],
    &["look", "here"],
    &["look", "at", "this"],
    &["see", "here"],
    &["right", "here"],
    &["over", "here"],
    &["watch", "this"],
];

/// A comment of nothing but such words points at its line.
const POINTING: &str = "\
    here this there look see watch note notice attention careful caution warning beware important line spot it \
    that bad missing leak leaks race stale problem issue danger suspect why hmm really nb trap gotcha";

/// Words that say nothing by themselves.
const FILLING: &str = "the a is at right one ok not to and please very";

/// Whether a word is one of a fault.
pub(super) fn is_fault(word: &str) -> bool {
    is_one_of(FAULT, word)
}

/// Whether a name smells. `made` says that it is that of something that the program does or builds.
pub(super) fn in_name(name: &str, made: bool) -> bool {
    let parts = parts(name);
    let fault = parts.iter().any(|part| is_one_of(FAULT, part));
    fault || in_company(&parts, &FAULTS).is_some() || (made && has_quality(&parts))
}

/// What in a comment tells where to look, in words for its author.
pub(super) fn in_comment(text: &str) -> Option<String> {
    let parts = parts(text);
    let smells = |part: &&String| is_one_of(FAULT, part) || is_one_of(IN_COMMENTS, part);
    let together = || in_company(&parts, &FAULTS).or_else(|| in_company(&parts, &POINTERS));
    let said = parts.iter().find(smells).cloned().or_else(together);
    if let Some(words) = said {
        return Some(format!("a comment that says `{words}` tells where to look"));
    }
    points(text.trim(), &parts).then(|| "a comment that points tells where to look".to_owned())
}

/// The words of `parts` that smell together.
fn in_company(parts: &[String], phrases: &[&[&str]]) -> Option<String> {
    let absent = |pair: &&[String]| {
        let [first, second] = pair else { return false };
        is_one_of(ABSENT, first) && is_one_of(WHAT_IS_ABSENT, second)
    };
    if let Some(pair) = parts.windows(2).find(absent) {
        return Some(pair.join(" "));
    }
    let found = phrases.iter().find(|phrase| parts.windows(phrase.len()).any(|window| window == **phrase));
    found.map(|phrase| phrase.join(" "))
}

/// Whether a quality stands at the beginning or the end of a name, but not that of a thing or of several.
fn has_quality(parts: &[String]) -> bool {
    let is = |part: &String| is_one_of(QUALITIES, part);
    match parts {
        [first, rest @ ..] if is(first) => {
            let several = |it: &String| it.ends_with('s') && !it.ends_with("ss");
            let thing = |it: &String| is_one_of(SUBJECTS, it) || several(it);
            !rest.first().is_some_and(thing)
        }
        [first, .., last] => is(last) && !matches!(first.as_str(), "is" | "are" | "was" | "has" | "any" | "count"),
        _ => false,
    }
}

/// Whether a comment of these `words` points at a line: `<--`, `^^^`, `!!!`, "here".
fn points(text: &str, words: &[String]) -> bool {
    const LEFT: [&str; 3] = ["<-", "<=", "<<"];
    if !text.contains(char::is_alphanumeric) {
        return text.contains(|c| "!?<".contains(c) || is_pointer(c));
    }
    let points = words.iter().any(|word| is_one_of(POINTING, word));
    let alone = words.iter().all(|word| is_one_of(POINTING, word) || is_one_of(FILLING, word));
    if points && alone && !text.contains(char::is_numeric) {
        return true;
    }
    // Behind it, `<=` compares and does not point.
    let arrow = LEFT.iter().any(|arrow| (text.starts_with(arrow) && *arrow != "<=") || text.ends_with(arrow))
        || (text.contains("<-") && text.ends_with("--"));
    arrow || text.starts_with(is_pointer) || text.ends_with(is_pointer) || text.contains("!!")
}

/// Arrows, hands and other pictures. What boxes are drawn with is decoration, and languages and formulas have signs of their
/// own.
fn is_pointer(c: char) -> bool {
    matches!(
        c,
        '^' | '\u{2190}'..='\u{21ff}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{25a0}'..='\u{27bf}'
            | '\u{27f0}'..='\u{27ff}'
            | '\u{2900}'..='\u{297f}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{fe0f}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

/// The words in a name or a sentence, in small letters: `unsafe_put2`, `UnsafePut` and "unsafe put" have the same two.
pub(super) fn parts(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let small = |c: Option<char>| c.is_some_and(char::is_lowercase);
        // `putItem` and `HTTPBug` are two words each.
        let begins = c.is_uppercase() && (small(before) || small(letters.peek().copied()));
        if !c.is_alphabetic() || begins {
            all.push(String::new());
        }
        if c.is_alphabetic()
            && let Some(last) = all.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    all.retain(|part| !part.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        assert_eq!(parts("unsafe_putItem2 HTTPBug"), ["unsafe", "put", "item", "http", "bug"]);
        assert_eq!(parts("off-by-one"), ["off", "by", "one"]);
    }

    #[test]
    fn names_that_tell_and_names_of_the_subject() {
        for name in [
            "bad_get",
            "get_bad",
            "BadStore",
            "racy_get",
            "leaky_get",
            "LeakyStore",
            "vulnerable_get",
            "insecure",
            "get_insecure",
            "missing_check",
            "save_without_lock",
            "off_by_one_total",
            "stale_bug",
            "HTTPBug",
            "bug1",
        ] {
            assert!(in_name(name, true), "{name}");
        }
        for name in [
            "missing_keys",
            "missing",
            "is_missing",
            "stale",
            "is_stale",
            "stale_reads",
            "race",
            "race_to",
            "leak",
            "find_leaks",
            "LeakyBucket",
            "bad_rows",
            "BadRequest",
            "is_bad",
            "is_bad_version",
            "bad_request",
            "badge",
            "debug",
            "hackers",
            "vulnerable_packages",
            "no_wait",
            "without",
            "default",
            "check_missing",
        ] {
            assert!(!in_name(name, true), "{name}");
        }
        assert!(!in_name("bad", false), "a value may be bad");
        assert!(in_name("bug", false));
    }

    #[test]
    fn comments_that_tell_and_comments_on_the_world() {
        for text in [
            "the bug",
            "BUG",
            "<-- here",
            "<--",
            "<-",
            "<=",
            "<= here",
            "^^^",
            "^",
            "^ here",
            "\u{2190}",
            "\u{2190} here",
            "look here",
            "this line",
            "here",
            "HERE!",
            "!!!",
            "!",
            "???",
            "HACK",
            "this",
            "look",
            "watch this",
            "right here",
            "see this line",
            "this line decides",
            "this is the line",
            "off-by-one",
            "missing check",
            "race condition",
            "race",
            "leak",
            "attention",
            "important!",
            "insecure",
            "save <--",
            "the read <---",
            "in the line below",
            "\u{26a0}",
            "\u{1f448} it is",
            "it is this one \u{26a0}\u{fe0f}",
            "\u{21d0} it is",
            "wow!!",
        ] {
            assert!(in_comment(text).is_some(), "{text}");
        }
        for text in [
            "",
            "the TTL is 10 s",
            "<= 10 s",
            "10 <= n",
            "< 10",
            "10 < 20",
            "\u{2500}\u{2500}",
            "\u{2264} 10 s",
            "the delay goes to \u{221e}",
            "\u{53e4}\u{3044}\u{5024}\u{3002}",
            "the 1 here",
            "--------",
            "======",
            "a -> b",
            "client <-- server",
            "x ^ y",
            "else the work is done already",
            "here the old leader wakes up",
            "the pod dies here",
            "two workers race for it",
            "stale after 10 s",
            "missing keys are None",
            "a leaky bucket of 5",
            "the memory leak of 2019",
            "type: ignore",
            "receive",
            "acknowledge",
            "note the date of the order",
            "is this a hit?",
            "!r shows quotes",
            ">>> f(1)",
            "...",
        ] {
            assert_eq!(in_comment(text), None, "{text}");
        }
    }
}
