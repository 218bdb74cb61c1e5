//! `fencepost show --format markdown`: the page, and what a hostile question cannot do to it.

use pulldown_cmark::{Event, Options, Parser};

use crate::command::Home;

fn page(home: &Home) -> String {
    home.run(&["--content", "packs", "show", "small", "--format", "markdown"])
}

#[test]
fn a_page_with_the_answer_folded_away() {
    insta::assert_snapshot!(page(&Home::new()));
}

/// Everything that gives the answer away stands in a fold.
#[test]
fn nothing_outside_of_a_fold_tells_the_answer() {
    let mut open = 0;
    let mut outside = String::new();
    for line in page(&Home::new()).lines() {
        open -= i32::from(line == "</details>");
        if open == 0 {
            outside.push_str(line);
            outside.push('\n');
        }
        open += i32::from(line == "<details>");
    }
    assert_eq!(open, 0);
    for secret in ["leaves out its end", "sum(numbers)", "Line 3", "Loop over values", "Do not index"] {
        assert!(!outside.contains(secret), "{secret}: {outside}");
    }
    assert!(outside.contains("Which line loses a number?"), "{outside}");
}

/// A question's texts cannot open or close a fold, begin a heading, or bring markup of their own.
#[test]
fn a_hostile_question_stays_in_its_place() {
    let home = Home::new();
    let hostile = include_str!("../fixtures/small.toml")
        .replace("The sum that forgets", "# </details><script>x</script> ![i](https://example.org/i) ``` sum")
        .replace("Nought is where", "</details> <img src=x onerror=y> Nought [a](javascript:x) where")
        .replace("\"Counting from one.\"", "\"1. <b>bold</b>\", \"--- | a | b |\"")
        .replace("print(total([1, 2, 3]))", "print(total([1, 2, 3]))  # ``` </details> ~~~");
    home.write("packs/fixture/small.toml", hostile);
    let session = page(&home);
    assert!(session.ends_with("--- exit 0\n"), "{session}");
    let body = session.split_once('\n').unwrap().1.split_once("--- exit").unwrap().0;
    let mut html = String::new();
    let (mut headings, mut links) = (0, 0);
    for event in Parser::new_ext(body, Options::all()) {
        match event {
            Event::Html(text) | Event::InlineHtml(text) => html.push_str(&text),
            Event::Start(pulldown_cmark::Tag::Heading { .. }) => headings += 1,
            Event::Start(pulldown_cmark::Tag::Link { .. } | pulldown_cmark::Tag::Image { .. }) => links += 1,
            _ => {}
        }
    }
    let ours = ["<details>", "</details>", "<summary>", "</summary>"];
    let rest = ours.iter().fold(html, |html, tag| html.replace(tag, ""));
    let words = ["Hint 1 of 2", "Hint 2 of 2", "Show the answer", "Check what you said", "Hint"];
    let rest = words.iter().fold(rest, |rest, words| rest.replace(words, ""));
    let rest = rest.replace("Facts, mistakes and the senior take", "");
    assert_eq!(rest.trim(), "", "{body}");
    assert_eq!(body.matches("<details>").count(), body.lines().filter(|line| *line == "</details>").count());
    let plain = page(&Home::new());
    let expected = plain.lines().filter(|line| line.starts_with('#')).count();
    // The picture's address and nothing else is a link, and it shows where it leads.
    assert_eq!((headings, links), (expected, 1), "{body}");
}
