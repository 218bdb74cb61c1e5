//! `fencepost show --format markdown`: the page, and what a hostile question cannot do to it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::cases::each;
use crate::command::{Home, PACK, SMALL, sessions};

fn page(home: &Home) -> String {
    home.run("--content packs show small --format markdown")
}

#[test]
fn an_answer_of_a_follow_up_question_is_folded_too() {
    let edit = ("hint = \"The empty sum is 0.\"", "hint = \"Add nothing.\"\nanswer = \"The *empty* sum is `0`.\"");
    let home = Home::empty().with("packs/fixture/pack.toml", PACK).question("small", &[edit]);
    let (page, text) = (page(&home), home.run("--content packs show small --answer"));
    let part = |text: &str| {
        let start = text.find("Follow-up questions").unwrap();
        text[start..text.find("Suggest a fix").unwrap()].to_owned()
    };
    insta::assert_snapshot!(part(&page) + &part(&text), @r"
    Follow-up questions

    Think of your answer first, then open the hint.

    1\. What if the list is empty?

    <details>
    <summary>Hint</summary>

    Add nothing.

    </details>

    <details>
    <summary>Answer</summary>

    The *empty* sum is `0`.

    </details>

    2\. And floats?

    <details>
    <summary>Hint</summary>

    `math.fsum`.

    </details>

    Follow-up questions
    -------------------
    - What if the list is empty? Hint: Add nothing. Answer: The *empty* sum is `0`.
    - And floats? Hint: `math.fsum`.
    ");
}

#[test]
fn a_page_with_the_answer_folded_away() {
    sessions!(Home::new(), @r"
    $ fencepost --content packs show small --format markdown
    # The sum that forgets its last number

    Python · junior · Python 3.11+

    Reviewed by fencepost on 2026-11-29

    The model: real Python. It leaves out: Nothing: this is all there is.

    ## Spot the bug

    The total is too small. Which line loses a number?

    ```text
    1  def total(numbers: list[int]) -> int:
    2      result = 0
    3      for i in range(len(numbers) - 1):
    4          result += numbers[i]
    5      return result
    6
    7
    8  print(total([1, 2, 3]))
    ```

    <details>
    <summary>Hint 1 of 2</summary>

    Which numbers does the loop see?

    </details>

    <details>
    <summary>Hint 2 of 2</summary>

    Where does a range end?

    </details>

    Choose a line before you open the answer.

    <details>
    <summary>Show the answer</summary>

    - **Line 3**: `for i in range(len(numbers) - 1):`

    `range` leaves out its end, so `len(numbers)` is already one past the last number.

    Tempting lines:

    - Line 2: Nought is where a sum begins.

    The smallest repair:

    ```diff
     def total(numbers: list[int]) -> int:
         result = 0
    -    for i in range(len(numbers) - 1):
    +    for i in range(len(numbers)):
             result += numbers[i]
         return result


     print(total([1, 2, 3]))
    ```

    ### A sum without counting

    ```python
    def total(numbers: list[int]) -> int:
        return sum(numbers)


    print(total([1, 2, 3]))
    ```

    It prints:

    ```text
    6
    ```

    The buggy program prints:

    ```text
    3
    ```

    </details>

    ## Say it · 2 s

    Why do loops over positions go wrong?

    <details>
    <summary>Check what you said</summary>

    Which of these did you cover?

    - [ ] Ends are excluded
    - [ ] Loop over values

    An answer of 30 seconds:

    > Because the ends are easy to miss. Loop over the values, or sum them.

    </details>

    ## Deep dive

    <details>
    <summary>Facts, mistakes and the senior take</summary>

    - `range(n)` ends before `n`. (Python reference, built-in types, range, checked 2026-11-29)

    ### Common mistakes

    - Counting from one.

    ### Senior take

    Do not index at all.

    </details>

    ## Follow-up questions

    Think of your answer first, then open the hint.

    1\. What if the list is empty?

    <details>
    <summary>Hint</summary>

    The empty sum is 0.

    </details>

    2\. And floats?

    <details>
    <summary>Hint</summary>

    `math.fsum`.

    </details>

    Suggest a fix: <https://example.org/issues> (`fixture/small`)
    --- exit 0
    ");
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

/// Who asks for the answer need not open it, and nothing else is different.
#[test]
fn the_answer_that_is_asked_for_is_unfolded() {
    let home = Home::new();
    let asked = home.run("--content packs show small --format markdown --answer");
    let open = "<details open>\n<summary>Show the answer</summary>";
    assert!(asked.contains(open), "{asked}");
    let folded =
        asked.replace(open, "<details>\n<summary>Show the answer</summary>").replace("markdown --answer", "markdown");
    assert_eq!(folded, page(&home));
}

/// A bare address leads where it says, with all that is in it and nothing of what is around it.
#[test]
fn addresses_in_sources_are_links_to_themselves() {
    let source = "Manual (https://example.org/a_b#C*d_(e)), see http://example.org/?q=1.";
    let page = page(&Home::new().question("small", &[("Python reference, built-in types, range", source)]));
    let page = page.split_once('\n').unwrap().1;
    let links = Parser::new(page).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    let links: Vec<String> = links.filter(|link| link.starts_with("http")).collect();
    assert!(links.contains(&"https://example.org/a_b#C*d_(e)".to_owned()), "{links:?} in {page}");
    assert!(links.contains(&"http://example.org/?q=1".to_owned()), "{links:?} in {page}");
}

/// A question's texts cannot open or close a fold, begin a heading, or bring markup of their own.
#[test]
fn a_hostile_question_stays_in_its_place() {
    let home = Home::new();
    let hostile = SMALL
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
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => links += 1,
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
    // The picture's address and the pack's are links, and show where they lead.
    assert_eq!((headings, links), (expected, 2), "{body}");
}

/// Texts that would leave their place if they were taken for Markdown, or for lines of their own.
const HOSTILE: [&str; 14] = [
    "# x",
    "x #",
    "x\\n\\n# y",
    "x\\n---\\ny",
    "x\\n===",
    "| a | b |\\n|---|---|\\n| c | d |",
    "</details><details>",
    "<!-- x",
    "<script>x</script>",
    "```\\nx",
    "x `` ` y",
    "\\u0009x",
    "    x",
    "1) x\\n- y\\n> z\\n: w",
];

/// The small question with `text` in every field that can be any text.
fn hostile(text: &str) -> String {
    let mut question = SMALL.to_owned();
    for field in [
        "The sum that forgets its last number",
        "topic = \"Python",
        "Python 3.11+",
        "real Python",
        "Nothing: this is all there is.",
        "by = \"fencepost",
        "The total is too small. Which line loses a number?",
        "Which numbers does the loop see?",
        "Where does a range end?",
        "`range` leaves out its end, so `len(numbers)` is already one past the last number.",
        "Nought is where a sum begins.",
        "A sum without counting",
        "every number counts",
        "Why do loops over positions go wrong?",
        "Because the ends are easy to miss. Loop over the values, or sum them.",
        "Ends are excluded",
        "Loop over values",
        "Counting from one.",
        "Do not index at all.",
        "`range(n)` ends before `n`.",
        "Python reference, built-in types, range",
        "What if the list is empty?",
        "The empty sum is 0.",
        "And floats?",
        "`math.fsum`.",
    ] {
        assert!(question.contains(&format!("{field}\"")), "{field}");
        let start = field.rfind('"').map_or("", |quote| &field[..=quote]);
        question = question.replace(&format!("{field}\""), &format!("{start}{text}\""));
    }
    question.replace("print(total([1, 2, 3]))", "print(total([1, 2, 3]))  # ``` </details> ~~~")
}

/// The shape of a page: every block, and the HTML.
fn shape(page: &str) -> Vec<String> {
    let body = page.split_once('\n').unwrap().1.split_once("--- exit").unwrap().0;
    let mut shape = Vec::new();
    let mut depth = 0;
    for event in Parser::new_ext(body, Options::all()) {
        match event {
            Event::Start(tag) => match tag {
                Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. } => depth += 1,
                Tag::CodeBlock(kind) => shape.push(format!("{kind:?}")),
                tag => shape.push(format!("{tag:?}")),
            },
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) => depth -= 1,
            Event::End(tag) => shape.push(format!("end of {tag:?}")),
            Event::Html(html) | Event::InlineHtml(html) => shape.push(html.into_string()),
            Event::Rule | Event::FootnoteReference(_) | Event::TaskListMarker(_) => shape.push(format!("{event:?}")),
            Event::Text(_) | Event::Code(_) | Event::SoftBreak | Event::HardBreak => {}
            Event::InlineMath(_) | Event::DisplayMath(_) => shape.push("math".to_owned()),
        }
    }
    assert_eq!(depth, 0);
    shape
}

/// Whatever a question says, its page has the blocks of any other.
#[test]
fn no_text_changes_the_shape_of_the_page() {
    let home = Home::new();
    let expected = shape(&page(&home));
    each(HOSTILE, |text| {
        home.write("packs/fixture/small.toml", hostile(text));
        let page = page(&home);
        assert_eq!(shape(&page), expected, "{text}\n{page}");
    });
}

/// The same in plain text, where lines are all there is: no line of an author's begins with nothing before it but blanks.
#[test]
fn no_text_begins_a_line_of_a_page_without_markdown() {
    let home = Home::new();
    let headings = |page: &str| -> Vec<String> {
        let lines: Vec<&str> = page.lines().collect();
        let is_rule = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte == b'-');
        lines.windows(2).filter(|pair| is_rule(pair[1])).map(|pair| pair[0].to_owned()).collect()
    };
    let show = || home.run("--content packs show small --answer");
    let expected = headings(&show());
    assert!(expected.contains(&"The smallest repair".to_owned()), "{expected:?}");
    for text in HOSTILE.into_iter().filter(|text| text.contains("\\n")) {
        home.write("packs/fixture/small.toml", hostile(text));
        let page = show();
        let title = text.replace("\\n", "␊");
        let expected: Vec<String> =
            expected.iter().map(|heading| heading.replace("A sum without counting", &title)).collect();
        assert_eq!(headings(&page), expected, "{page}");
        assert_eq!(page.lines().nth(1), Some(title.as_str()), "{page}");
    }
}
