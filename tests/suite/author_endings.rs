//! Reports of `author check` on programs that do not finish, or print something else each time.

use crate::command::{Home, sessions};

/// A pack with the small question, with another last line in both programs.
fn with_last_line(line: &str) -> Home {
    let (buggy, fixed) = ("result\n\n\nprint(total([1, 2, 3]))\n", "sum(numbers)\n\n\nprint(total([1, 2, 3]))\n");
    let other = |program: &str| program.replace("print(total([1, 2, 3]))", line);
    Home::new().question("small", &[(buggy, &other(buggy)), (fixed, &other(fixed))])
}

/// The part of a report on the end of the buggy program.
fn buggy_end(said: &str) -> &str {
    let (_, problem) = said.split_once("error[not_finished]: the buggy program").expect(said);
    problem.split_once("\n\n").expect(said).0
}

#[test]
fn each_cause_has_its_place_and_its_remedy() {
    let mut all = String::new();
    for line in [
        "print(total([1, 2, 3])",
        "if total([1])",
        "  \tprint(total([1, 2, 3]))",
        "print(totl([1, 2, 3]))",
        "print(total([1,\u{a0}2, 3]))",
        "print(total([1, 2, 3]) – 1)",
        "while True: pass",
        "print('x' * 10 ** 9)",
        "print('x' * 100_000)",
        "open('x.txt')",
        "import numpy",
        "print(input())",
        "print([][1])",
    ] {
        let home = with_last_line(line);
        let said = home.run("author check packs");
        all += &format!("## {}\n\n{}\n\n", line.escape_debug(), buggy_end(&said).trim_start());
    }
    insta::assert_snapshot!(all, @r"
    ## print(total([1, 2, 3])

    does not run to its end
      --> packs/fixture/small.toml:31:1
       |
    31 | print(total([1, 2, 3])
       | ^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: SyntaxError: '(' was never closed (line 8)
       = help: fix the syntax: a colon, a quote or a bracket may be missing here or on the line before

    ## if total([1])

    does not run to its end
      --> packs/fixture/small.toml:31:1
       |
    31 | if total([1])
       | ^^^^^^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: SyntaxError: invalid syntax (line 8)
       = help: fix the syntax: a colon, a quote or a bracket may be missing here or on the line before

    ##   \tprint(total([1, 2, 3]))

    does not run to its end
      --> packs/fixture/small.toml:31:5
       |
    31 |     print(total([1, 2, 3]))
       |     ^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: TabError: inconsistent use of tabs and spaces in indentation (line 8)
       = help: indent with spaces only: tabs and spaces are mixed

    ## print(totl([1, 2, 3]))

    does not run to its end
      --> packs/fixture/small.toml:31:7
       |
    31 | print(totl([1, 2, 3]))
       |       ^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: NameError: name 'totl' is not defined (line 8)
       = help: did you mean `total`? `totl` is neither defined nor imported

    ## print(total([1,\u{a0}2, 3]))

    does not run to its end
      --> packs/fixture/small.toml:31:16
       |
    31 | print(total([1, 2, 3]))
       |                ^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: SyntaxError: invalid syntax (line 8)
       = help: U+00A0 is a no-break space: write a plain space

    ## print(total([1, 2, 3]) – 1)

    does not run to its end
      --> packs/fixture/small.toml:31:24
       |
    31 | print(total([1, 2, 3]) – 1)
       |                        ^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: SyntaxError: invalid syntax (line 8)
       = help: `–` is U+2013, a dash: write `-`

    ## while True: pass

    does not run to its end
      --> packs/fixture/small.toml:23:8
       |
    23 | code = '''
       |        ^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: timed_out: stopped after 2.0 s by the clock
       = help: make it finish in time: look for an endless loop or wait, or a lock that is never released

    ## print(\'x\' * 10 ** 9)

    does not run to its end
      --> packs/fixture/small.toml:23:8
       |
    23 | code = '''
       |        ^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: out_of_memory: wanted more than 256 MiB of memory
       = help: use less memory: look for a list or a string that grows without end

    ## print(\'x\' * 100_000)

    does not run to its end
      --> packs/fixture/small.toml:23:8
       |
    23 | code = '''
       |        ^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: output_too_long: wrote more than 64 KiB; only the beginning is kept
       = help: print one or two lines that show the difference; a loop may print without end

    ## open(\'x.txt\')

    does not run to its end
      --> packs/fixture/small.toml:31:1
       |
    31 | open('x.txt')
       | ^^^^^^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: PermissionError: [Errno 1] Operation not permitted: 'x.txt' (line 8)
       = help: do not use files, the network or other programs: use `io.StringIO`, a list, or SQLite in memory

    ## import numpy

    does not run to its end
      --> packs/fixture/small.toml:31:8
       |
    31 | import numpy
       |        ^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: ModuleNotFoundError: No module named 'numpy' (line 8)
       = help: remove `numpy`: programs have only Python's standard library

    ## print(input())

    does not run to its end
      --> packs/fixture/small.toml:31:1
       |
    31 | print(input())
       | ^^^^^^^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: EOFError: EOF when reading a line (line 8)
       = help: write the value into the program: standard input is empty

    ## print([][1])

    does not run to its end
      --> packs/fixture/small.toml:31:1
       |
    31 | print([][1])
       | ^^^^^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: IndexError: list index out of range (line 8)
       = help: at the end of `spot.code`, catch the exception and print the result
    ");
}

/// If a program prints something else each time, the report does not say to copy what it printed once.
#[test]
fn of_a_program_that_differs_each_time_nothing_else_is_said() {
    let home = with_last_line("print(total([1, 2, 3]) + __import__('random').random())");
    let said = home.run("author check packs");
    let kinds: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
    let both = ["buggy", "fixed"]
        .map(|it| format!("error[not_repeatable]: the {it} program does not print the same each time"));
    assert_eq!(kinds, both, "{said}");
    let Some(python) = crate::runner_cpython::interpreter() else { return };
    let home = with_last_line("print(total([1, 2, 3]), {*'abcdefgh'})");
    let said = home.run(&format!("author check packs --python {}", python.executable.display()));
    assert_eq!(said.matches("error[not_repeatable]").count(), 2, "{said}");
    assert!(!said.contains("error[prints]"), "{said}");
}

#[test]
fn an_address_in_the_output_is_recognised() {
    // Two runs may get the same address, so the program writes a random one.
    let line = "print(total([1, 2, 3]), f'<Job object at {__import__(\"random\").getrandbits(64):#x}>')";
    let said = with_last_line(line).run("author check packs");
    let help = "give its class a `__repr__`: an address differs from run to run";
    assert_eq!(said.matches(help).count(), 2, "{said}");
}

/// Typographic quotes and spaces in the file itself.
#[test]
fn a_character_that_is_no_toml_is_named() {
    let topic = "topic = \"Python\"";
    let home = Home::new()
        .question("quotes", &[(topic, "topic = “Python”")])
        .question("blank", &[(topic, "topic\u{a0}= \"Python\"")]);
    sessions!(home, @r#"
    $ fencepost author check packs
    error[unknown_key]: unknown key `topic `
     --> packs/fixture/blank.toml:5:1
      |
    5 | topic = "Python"
      | ^^^^^^
      |
      = help: did you mean `topic`?

    error[syntax]: not valid TOML: this line is not `key = value`
     --> packs/fixture/blank.toml:5:6
      |
    5 | topic = "Python"
      |      ^
      |
      = help: U+00A0 is a no-break space: write a plain space

    error[syntax]: not valid TOML: text needs quotes
     --> packs/fixture/quotes.toml:5:9
      |
    5 | topic = “Python”
      |         ^
      |
      = help: `“` is U+201C, a typographic quote: write `"`

    3 errors

    3 questions, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not run, because of errors: 2 questions
    not passed
    --- exit 3
    "#);
}
