//! Whole sessions on the command line: everything printed, and the exit code.

use crate::command::{Home, PACK, SMALL, sessions};

/// A name cannot write an error, a reason or a hint of its own.
#[test]
fn an_error_has_only_lines_of_ours() {
    let session = Home::new().run(&["show", "x\n  hint: run `rm -r ~`\nerror: y"]);
    insta::assert_snapshot!(session, @"
    $ fencepost show x
      hint: run `rm -r ~`
    error: y
    --- stderr
    error: there is no question `x
          hint: run `rm -r ~`
        error: y`
      hint: `fencepost list` shows every question
    --- exit 2
    ");
}

#[test]
fn run_shows_both_programs_their_verdicts_and_the_stamp() {
    sessions!(Home::new(), @"
    $ fencepost run fencing-tokens
    The buggy program
    -----------------
    stdout: 34: True
    stdout: 33: False
    stdout: stored: older report

    finished: ran to its end

    The fixed program
    -----------------
    stdout: 34: True
    stdout: 33: False
    stdout: stored: newer report

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | buggy [time] ms, fixed [time] ms
    --- exit 0
    ");
}

#[test]
fn run_as_json() {
    sessions!(Home::new(), @r#"
    $ fencepost run fencing-tokens --format json
    {
      "format": 1,
      "question": "leases/fencing-tokens",
      "runs": [
        {
          "program": "buggy",
          "verdict": "finished",
          "detail": "ran to its end",
          "stdout": "34: True\n33: False\nstored: older report\n",
          "stderr": "",
          "output": [
            {
              "stream": "stdout",
              "text": "34: True\n33: False\nstored: older report\n"
            }
          ],
          "checks": [],
          "wall_ms": [time],
          "engine": {
            "name": "RustPython",
            "version": "0.5.0",
            "python": "3.14.0",
            "sandbox": "full"
          },
          "overloads": []
        },
        {
          "program": "fixed",
          "verdict": "finished",
          "detail": "ran to its end",
          "stdout": "34: True\n33: False\nstored: newer report\n",
          "stderr": "",
          "output": [
            {
              "stream": "stdout",
              "text": "34: True\n33: False\nstored: newer report\n"
            }
          ],
          "checks": [],
          "wall_ms": [time],
          "engine": {
            "name": "RustPython",
            "version": "0.5.0",
            "python": "3.14.0",
            "sandbox": "full"
          },
          "overloads": []
        }
      ]
    }
    --- exit 0
    "#);
}

#[test]
fn run_one_program() {
    sessions!(Home::new(), @"
    $ fencepost --content packs run small --buggy
    The buggy program
    -----------------
    stdout: 3

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | buggy [time] ms
    --- exit 0

    $ fencepost --content packs run fixture/small --fixed
    The fixed program
    -----------------
    stdout: 6

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | fixed [time] ms
    --- exit 0
    ");
}

#[test]
fn run_a_file_and_the_checks_on_it() {
    let loud = "import sys\nprint('out')\nprint('\\x1b]0;owned\\x07', file=sys.stderr)\nraise ValueError('no')\n";
    let home = Home::new()
        .with("right.py", "def total(numbers):\n    return sum(numbers)\n")
        .with("printed.py", "print(6)\n")
        .with("wrong.py", "def total(numbers):\n    return len(numbers) - 1\n")
        .with("endless.py", "while True:\n    pass\n")
        .with("loud.py", loud);
    sessions!(home, @r#"
    $ fencepost --content packs run small --file right.py
    Your program
    ------------
    (no output)

       passed  every number counts

    finished: ran to its end

    Repaired: every check passed.

    Your repair
      -def total(numbers: list[int]) -> int:
      -    result = 0
      -    for i in range(len(numbers) - 1):
      -        result += numbers[i]
      -    return result
      -
      -
      -print(total([1, 2, 3]))
      +def total(numbers):
      +    return sum(numbers)

    The smallest repair
       def total(numbers: list[int]) -> int:
           result = 0
      -    for i in range(len(numbers) - 1):
      +    for i in range(len(numbers)):
               result += numbers[i]
           return result
      
      
       print(total([1, 2, 3]))

    The fixed program
       def total(numbers: list[int]) -> int:
      -    result = 0
      -    for i in range(len(numbers) - 1):
      -        result += numbers[i]
      -    return result
      +    return sum(numbers)
      
      
       print(total([1, 2, 3]))

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | yours [time] ms
    --- exit 0

    $ fencepost --content packs run small --file printed.py
    Your program
    ------------
    stdout: 6

        ERROR  every number counts
               NameError: name 'total' is not defined

    finished: ran to its end

    Not repaired: 1 of 1 checks failed.

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | yours [time] ms
    --- exit 1

    $ fencepost --content packs run small --file wrong.py
    Your program
    ------------
    (no output)

       FAILED  every number counts
               0 ones add up to -1

    finished: ran to its end

    Not repaired: 1 of 1 checks failed.

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | yours [time] ms
    --- exit 1

    $ fencepost --content packs run small --file loud.py
    Your program
    ------------
    stdout: out
    stderr: ␛]0;owned␇
    stderr: Traceback (most recent call last):
    stderr:   File "program.py", line 4, in <module>
    stderr:     raise ValueError('no')
    stderr: ValueError: no

        ERROR  every number counts
               the program did not come to its check: ValueError: no (line 4)

    raised: ValueError: no (line 4)

    Not repaired: 1 of 1 checks failed.

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | yours [time] ms
    --- exit 1

    $ fencepost --content packs run small --file endless.py --timeout 0.2
    Your program
    ------------
    (no output)

    TIMED OUT  every number counts
               the program did not come to its check: stopped after 0.2 s by the clock

    timed out: stopped after 0.2 s by the clock

    Not repaired: 1 of 1 checks failed.

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | yours [time] ms
    --- exit 1
    "#);
}

#[test]
fn run_a_file_as_json() {
    let home = Home::new().with("wrong.py", "def total(numbers):\n    return len(numbers) - 1\n");
    insta::assert_snapshot!(home.run("--content packs run small --format json --file wrong.py"));
}

#[test]
fn the_scenario_shows_the_stale_write_on_one_side_and_its_refusal_on_the_other() {
    sessions!(Home::new(), @"
    $ fencepost run fencing-tokens --scenario
    The buggy program
    -----------------
    stdout: 34: True
    stdout: 33: False
    stdout: stored: older report

    finished: ran to its end

    The fixed program
    -----------------
    stdout: 34: True
    stdout: 33: False
    stdout: stored: newer report

    finished: ran to its end

     1. 0 s  Old leader asks for the lease and gets it for ten seconds, with token 33
        buggy  33, lease.holder = 'old leader', store.newest = 0, store.report = 'none'
        fixed  33, lease.holder = 'old leader', store.newest = 0, store.report = 'none'

     2. 3 s  Old leader is paused just before it saves its report: a long garbage collection
        buggy  lease.holder = 'old leader', store.newest = 0, store.report = 'none'
        fixed  lease.holder = 'old leader', store.newest = 0, store.report = 'none'

     3. 10 s  Lease service sees no renewal and lets the lease expire
        buggy  'expired', lease.holder = 'nobody', store.newest = 0, store.report = 'none'
        fixed  'expired', lease.holder = 'nobody', store.newest = 0, store.report = 'none'

     4. 11 s  New leader asks for the lease and gets it, with token 34
        buggy  34, lease.holder = 'new leader', store.newest = 0, store.report = 'none'
        fixed  34, lease.holder = 'new leader', store.newest = 0, store.report = 'none'

     5. 12 s  New leader saves its report with token 34
        buggy  'True, stored: newer report', lease.holder = 'new leader', store.newest = 34, store.report = 'newer report'
        fixed  'True, stored: newer report', lease.holder = 'new leader', store.newest = 34, store.report = 'newer report'

     6. 15 s  Old leader wakes up, still believes that it leads, and saves with token 33
        buggy  'False, stored: older report', lease.holder = 'new leader', store.newest = 34, store.report = 'older report'
        fixed  'False, stored: newer report', lease.holder = 'new leader', store.newest = 34, store.report = 'newer report'
        The programs diverge here.

     7. 16 s  Reader fetches the report
        buggy  'older report', lease.holder = 'new leader', store.newest = 34, store.report = 'older report'
        fixed  'newer report', lease.holder = 'new leader', store.newest = 34, store.report = 'newer report'

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | buggy [time] ms, fixed [time] ms
    --- exit 0

    $ fencepost --content packs run small --scenario
    --- stderr
    error: the question `fixture/small` has no scenario
      hint: `fencepost run fixture/small` runs its programs, `--trace` shows their steps
    --- exit 2
    ");
}

#[test]
fn a_scenario_as_json() {
    insta::assert_snapshot!(Home::new().run("run fencing-tokens --scenario --format json"));
}

#[test]
fn a_trace_shows_lines_calls_and_what_changed() {
    sessions!(Home::new(), @"
    $ fencepost --content packs run small --trace
    The buggy program
    -----------------
    stdout: 3

       1  call <module>
       1
       8
       1    call total, numbers = [1, 2, 3]
       2
       3    result = 0
       4    i = 0
       3    result = 1
       4    i = 1
       3    result = 3
       3    raises StopIteration()
       5
       5    return 3
          stdout: 3
       8  return None

    finished: ran to its end

    The fixed program
    -----------------
    stdout: 6

       1  call <module>
       1
       5
       1    call total, numbers = [1, 2, 3]
       2
       2    return 6
          stdout: 6
       5  return None

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | buggy [time] ms, fixed [time] ms
    --- exit 0
    ");
}

#[test]
fn a_trace_as_json() {
    insta::assert_snapshot!(Home::new().run("--content packs run small --trace --fixed --format json"));
}

/// Its two thousand steps are not repeated here.
#[test]
fn a_long_trace_ends_at_its_limit_and_the_program_goes_on() {
    let home = Home::new().with("loop.py", "for n in range(3000):\n    pass\nprint('done')\n");
    let long = home.run("--content packs run small --trace --file loop.py --timeout 30");
    assert!(long.contains("The trace ends here: the number of steps is limited."), "{long}");
    assert!(long.contains("\nstdout: done\n") && long.contains("\nfinished: "), "{long}");
}

#[test]
fn a_file_that_cannot_be_run_is_a_usage_error() {
    sessions!(Home::new().with("latin1.py", b"# caf\xe9\n"), @"
    $ fencepost --content packs run small --python nowhere/python3
    --- stderr
    error: `nowhere/python3` is not there
      hint: omit `--python` to use the built-in interpreter
    --- exit 2

    $ fencepost --content packs run small --python auto
    --- stderr
    error: no CPython 3.10 to 3.14 on the PATH
      hint: omit `--python` to use the built-in interpreter
    --- exit 2

    $ fencepost --content packs run small --file nowhere.py
    --- stderr
    error: cannot read `nowhere.py`: No such file or directory (os error 2)
      hint: check the name and the permissions
    --- exit 2

    $ fencepost --content packs run small --file latin1.py
    --- stderr
    error: byte 6 is 0xE9, which is not UTF-8
      hint: save the file as UTF-8
    --- exit 2

    $ fencepost --content packs run small --file packs
    --- stderr
    error: `packs` is not a regular file
      hint: use a regular file
    --- exit 2
    ");
}

#[test]
fn list_as_text_and_json() {
    let home = Home::new();
    // The questions that come with the program change.
    let text = home.run("--content packs list");
    assert!(text.contains("\nfixture/small "), "{text}");
    assert!(text.contains("\nleases/fencing-tokens "), "{text}");
    let json = home.run("--content packs list --format json");
    let body = json.split_once('\n').unwrap().1.split_once("--- exit").unwrap().0;
    let value: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(value["format"], 1);
    let small = value["questions"].as_array().unwrap().iter().find(|q| q["question"] == "fixture/small").unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(small).unwrap(), @r#"
    {
      "question": "fixture/small",
      "title": "The sum that forgets its last number",
      "topic": "Python",
      "level": "junior",
      "requires": [
        "Python 3.11+"
      ],
      "tags": [
        "loops"
      ]
    }
    "#);
}

#[test]
fn a_broken_question_is_reported_and_the_others_are_listed() {
    let broken = "format = 1\nid = \"broken\"\nlevel = \"senor\"\n";
    let home = Home::new().with("packs/fixture/broken.toml", broken);
    let listed = home.run("--content packs list");
    assert!(listed.contains("\nfixture/small "), "{listed}");
    assert!(listed.ends_with("--- exit 3\n"), "{listed}");
    sessions!(home, @r#"
    $ fencepost --content packs show broken
    --- stderr
    error[missing_key]: missing key `title` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `title = "..."`

    error[missing_key]: missing key `topic` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `topic = "..."`

    error[missing_key]: missing key `python` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `python = "..."`

    error[missing_key]: missing key `spot` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add a table `[spot]`

    error[missing_key]: missing key `fixed` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add a table `[fixed]`

    error[missing_key]: missing key `check` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add at least one table `[[check]]`

    error[missing_key]: missing key `say` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add a table `[say]`

    error[missing_key]: missing key `learn` at the top of the file
     --> packs/fixture/broken.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add a table `[learn]`

    error[bad_value]: `senor` is not a level
     --> packs/fixture/broken.toml:3:9
      |
    3 | level = "senor"
      |         ^^^^^^^
      |
      = help: did you mean `senior`? Use `junior`, `mid`, `senior` or `staff`

    9 errors
    error: the question `broken` has errors
      hint: `fencepost list` shows them
    --- exit 3
    "#);
}

#[test]
fn show_keeps_the_answer_and_tells_it_when_asked() {
    sessions!(Home::new(), @"
    $ fencepost --content packs show small
    The sum that forgets its last number
    Python | junior | Python 3.11+
    Reviewed by fencepost on 2026-11-29
    Model: real Python. Nothing: this is all there is.

    Spot the bug
    ------------
    The total is too small. Which line loses a number?

       1  def total(numbers: list[int]) -> int:
       2      result = 0
       3      for i in range(len(numbers) - 1):
       4          result += numbers[i]
       5      return result
       6
       7
       8  print(total([1, 2, 3]))

    2 hints. `fencepost play fixture/small` opens the question; `fencepost show
    fixture/small --answer` shows the answer.
    --- exit 0

    $ fencepost --content packs show small --answer
    The sum that forgets its last number
    Python | junior | Python 3.11+
    Reviewed by fencepost on 2026-11-29
    Model: real Python. Nothing: this is all there is.

    Spot the bug
    ------------
    The total is too small. Which line loses a number?

       1  def total(numbers: list[int]) -> int:
       2      result = 0
       3      for i in range(len(numbers) - 1):
       4          result += numbers[i]
       5      return result
       6
       7
       8  print(total([1, 2, 3]))

    Hint 1 of 2: Which numbers does the loop see?

    Hint 2 of 2: Where does a range end?

    Answer
    ------
    line 3: for i in range(len(numbers) - 1):

    `range` leaves out its end, so `len(numbers)` is already one past the last
    number.

    Tempting lines
    --------------
    - line 2: Nought is where a sum begins.

    The smallest repair
    -------------------
       1   def total(numbers: list[int]) -> int:
       2       result = 0
       3 -     for i in range(len(numbers) - 1):
         +     for i in range(len(numbers)):
       4           result += numbers[i]
       5       return result
       6
       7
       8   print(total([1, 2, 3]))

    A sum without counting
    ----------------------
       1  def total(numbers: list[int]) -> int:
       2      return sum(numbers)
       3
       4
       5  print(total([1, 2, 3]))

    What they print
    ---------------
    buggy:
        3
    fixed:
        6

    Say it
    ------
    Why do loops over positions go wrong? (2 s)

    Because the ends are easy to miss. Loop over the values, or sum them.

    - Ends are excluded
    - Loop over values

    Deep dive
    ---------
    - `range(n)` ends before `n`. (Python reference, built-in types, range, checked
      2026-11-29)

    Common mistakes
    ---------------
    - Counting from one.

    Senior take
    -----------
    Do not index at all.

    Follow-up questions
    -------------------
    - What if the list is empty? Hint: The empty sum is 0.
    - And floats? Hint: `math.fsum`.

    Suggest a fix
    -------------
    https://example.org/issues (question `fixture/small`)
    --- exit 0
    ");
}

#[test]
fn show_as_json_keeps_the_answer_too() {
    sessions!(Home::new(), @r#"
    $ fencepost --content packs show small --format json
    {
      "format": 1,
      "question": "fixture/small",
      "title": "The sum that forgets its last number",
      "topic": "Python",
      "level": "junior",
      "requires": [
        "Python 3.11+"
      ],
      "python": ">=3.11",
      "tags": [
        "loops"
      ],
      "related": [],
      "model": {
        "kind": "real Python",
        "leaves_out": "Nothing: this is all there is."
      },
      "review": {
        "by": "fencepost",
        "on": "2026-11-29"
      },
      "prompt": "The total is too small. Which line loses a number?",
      "ask": "line",
      "hints": 2,
      "code": "def total(numbers: list[int]) -> int:\n    result = 0\n    for i in range(len(numbers) - 1):\n        result += numbers[i]\n    return result\n\n\nprint(total([1, 2, 3]))\n",
      "prints": "3\n"
    }
    --- exit 0
    "#);
}

#[test]
fn show_as_json_tells_the_answer_when_asked() {
    let open = Home::new().run("--content packs show small --answer --format json");
    assert!(open.contains("\"explanation\"") && open.contains("sum(numbers)"), "{open}");
}

#[test]
fn a_question_that_is_not_there() {
    let home = Home::new().with("packs/other/pack.toml", PACK).with("packs/other/small.toml", SMALL);
    sessions!(home, @"
    $ fencepost show fencing-token
    --- stderr
    error: there is no question `fencing-token`
      hint: did you mean `leases/fencing-tokens`?
    --- exit 2

    $ fencepost run nothing-like-it
    --- stderr
    error: there is no question `nothing-like-it`
      hint: `fencepost list` shows every question
    --- exit 2

    $ fencepost play x
    --- stderr
    error: there is no question `x`
      hint: `fencepost list` shows every question
    --- exit 2

    $ fencepost quiz y --answers -
    --- stderr
    error: there is no question `y`
      hint: `fencepost list` shows every question
    --- exit 2

    $ fencepost --content packs show small
    --- stderr
    error: several packs have a question `small`
      hint: name one with its pack: `fixture/small`, `other/small`
    --- exit 2
    ");
}

#[test]
fn the_quiz_grades_toml_and_json_lines_alike() {
    let toml = "format = 1\n\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\n\n[[answer]]\nquestion = \"fixture/small\"\nline = 2\n";
    let json = "{\"question\": \"fencing-tokens\", \"line\": 8}\n{\"question\": \"small\", \"line\": 2}\n";
    let home = Home::new().with("answers.toml", toml);
    let args = "--content packs quiz fencing-tokens small tax-by-region --answers -";
    let from_toml = home.session(args, toml);
    assert_eq!(from_toml, home.session(args, json));
    assert_eq!(from_toml, home.session(args, &json.replace('\n', "\r\n")));
    sessions!(home, @r#"
    $ fencepost --content packs quiz fencing-tokens small tax-by-region --answers - < answers.toml
    right    leases/fencing-tokens: line 8; score 1 of 1
             line 8 | self.report = text
             The report is stored whatever the token is. `save` notices that token
             33 is old and returns `False`, but by then the newer report is gone. A
             write with an old token must change nothing. So the report may be
             stored only if the token is fresh.
    wrong    fixture/small: line 2; the answer is line 3; score 0 of 1
             line 2 | result = 0
             Nought is where a sum begins.
    missing  python/tax-by-region: no line; the answer is line 13; score 0 of 1
             A lambda keeps the variable `rate`, not the value that it had. It reads
             the variable when it is called. By then the loop has ended, and `rate`
             is 10, the rate of the east. Bind the value while the function is made:
             with `functools.partial(tax, rate)`, or with a default argument.

    Weights line=1,fix=0
    1 of 3 right (33 %), pass mark 100 %: not passed
    --- exit 1

    $ fencepost --content packs quiz fencing-tokens small tax-by-region --format json --answers - < answers.toml
    {
      "format": 1,
      "passed": false,
      "score": 1,
      "of": 3,
      "percent": 33,
      "right": 1,
      "asked": 3,
      "suspicious": false,
      "pass_mark": 100,
      "weights": {
        "line": 1,
        "fix": 0
      },
      "lenient": false,
      "seed": null,
      "partition": null,
      "why_empty": null,
      "questions": [
        {
          "question": "leases/fencing-tokens",
          "score": 1,
          "of": 1,
          "suspicious": false,
          "line": {
            "result": "right",
            "chosen": 8,
            "code": "self.report = text",
            "picks": [
              8
            ],
            "accepted": [
              8
            ],
            "why": "The report is stored whatever the token is. `save` notices that token 33 is old and returns `False`, but by then the newer report is gone. A write with an old token must change nothing. So the report may be stored only if the token is fresh."
          },
          "fix": null,
          "points": null
        },
        {
          "question": "fixture/small",
          "score": 0,
          "of": 1,
          "suspicious": false,
          "line": {
            "result": "wrong",
            "chosen": 2,
            "code": "result = 0",
            "picks": [
              2
            ],
            "accepted": [
              3
            ],
            "why": "Nought is where a sum begins."
          },
          "fix": null,
          "points": null
        },
        {
          "question": "python/tax-by-region",
          "score": 0,
          "of": 1,
          "suspicious": false,
          "line": {
            "result": "missing",
            "chosen": null,
            "code": null,
            "picks": [],
            "accepted": [
              13
            ],
            "why": "A lambda keeps the variable `rate`, not the value that it had. It reads the variable when it is called. By then the loop has ended, and `rate` is 10, the rate of the east. Bind the value while the function is made: with `functools.partial(tax, rate)`, or with a default argument."
          },
          "fix": null,
          "points": null
        }
      ],
      "problems": []
    }
    --- exit 1
    "#);
}

#[test]
fn the_quiz_passes_with_every_answer_right() {
    let home = Home::new().with("answers.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n");
    sessions!(home, @"
    $ fencepost --content packs quiz small small --answers answers.toml
    right    fixture/small: line 3; score 1 of 1
             line 3 | for i in range(len(numbers) - 1):
             `range` leaves out its end, so `len(numbers)` is already one past the
             last number.

    Weights line=1,fix=0
    1 of 1 right (100 %), pass mark 100 %: passed
    --- exit 0
    ");
}

#[test]
fn wrong_answer_files_are_listed_and_nothing_is_graded() {
    let toml = r#"format = 2
[[answer]]
question = "fencing-token"
line = 8
[[answer]]
question = "small"
line = "3"
[[answer]]
question = "small"
lines = 3
[[answer]]
question = "fixture/small"
line = 99
[[answer]]
question = "tax-by-region"
line = 13
[[answer]]
question = "python/tax-by-region"
line = 13
"#;
    let json = r#"{"question": "small", "line": 3}
{"question": "small"
["small", 3]

{"question": "small", "line": 0}
{"question": 3, "line": 3, "lines": 3}
{"question": "small", "line": 4}
"#;
    let home = Home::new()
        .with("a.toml", toml)
        .with("b.jsonl", json)
        .with("empty", "")
        .with("cut.toml", "[[answer")
        .with("nul", "\u{0}");
    sessions!(home, @r#"
    $ fencepost --content packs quiz small --answers - < a.toml
    --- stderr
    error[format]: this fencepost reads answers in format 1, not 2
     --> <stdin>:1:10
      |
    1 | format = 2
      |          ^
      |
      = help: set `format` to 1

    error[unknown_question]: there is no question `fencing-token`
     --> <stdin>:3:12
      |
    3 | question = "fencing-token"
      |            ^^^^^^^^^^^^^^^
      |
      = help: did you mean `leases/fencing-tokens`?

    error[wrong_type]: `line` must be a whole number, not a string
     --> <stdin>:7:8
      |
    7 | line = "3"
      |        ^^^ a string
      |
      = help: write `line = 3`, without quotes

    error[duplicate_answer]: `fixture/small` already has an answer on line 6
     --> <stdin>:9:12
      |
    9 | question = "small"
      |            ^^^^^^^
      |
      = help: keep one of them

    error[wrong_type]: `lines` must be a list of whole numbers, not an integer
      --> <stdin>:10:9
       |
    10 | lines = 3
       |         ^ an integer
       |
       = help: write `lines = [3]`, in brackets

    error[duplicate_answer]: `fixture/small` already has an answer on line 6
      --> <stdin>:12:12
       |
    12 | question = "fixture/small"
       |            ^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    error[line_outside]: `fixture/small` has no line 99: the program has 8 lines
      --> <stdin>:13:8
       |
    13 | line = 99
       |        ^^
       |
       = help: lines are counted from 1, as `fencepost show` numbers them

    error[duplicate_answer]: `python/tax-by-region` already has an answer on line 15
      --> <stdin>:18:12
       |
    18 | question = "python/tax-by-region"
       |            ^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    8 errors
    --- exit 2

    $ fencepost --content packs quiz small --answers - < b.jsonl
    --- stderr
    error[syntax]: not valid JSON: EOF while parsing an object
     --> <stdin>:2:21
      |
    2 | {"question": "small"
      |                     ^
      |
      = help: write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}

    error[wrong_type]: the line is not a JSON object
     --> <stdin>:3:1
      |
    3 | ["small", 3]
      | ^^^^^^^^^^^^
      |
      = help: write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}

    error[line_outside]: `fixture/small` has no line 0: the program has 8 lines
     --> <stdin>:5:1
      |
    5 | {"question": "small", "line": 0}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: lines are counted from 1, as `fencepost show` numbers them

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> <stdin>:5:1
      |
    5 | {"question": "small", "line": 0}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[wrong_type]: `question` must be text
     --> <stdin>:6:1
      |
    6 | {"question": 3, "line": 3, "lines": 3}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write {"question": "fencing-tokens", "line": 8}

    error[wrong_type]: `lines` must be a list of whole numbers
     --> <stdin>:6:1
      |
    6 | {"question": 3, "line": 3, "lines": 3}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write "lines": [1]

    error[bad_value]: `line` and `lines` exclude each other
     --> <stdin>:6:1
      |
    6 | {"question": 3, "line": 3, "lines": 3}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> <stdin>:7:1
      |
    7 | {"question": "small", "line": 4}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    8 errors
    --- exit 2

    $ fencepost --content packs quiz small --answers - < empty
    --- stderr
    error[missing_key]: missing key `format` at the top of the file
    --> <stdin>
     = help: add `format = 1`

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers - < cut.toml
    --- stderr
    error[syntax]: not valid TOML: unclosed array table
     --> <stdin>:1:9
      |
    1 | [[answer
      |         ^
      |
      = help: write `[[answer]]`

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers - < nul
    --- stderr
    error[control_character]: this file contains a NUL byte, as files in UTF-16 do
     --> <stdin>:1:1
      |
    1 | ␀
      | ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz --answers nowhere.toml
    --- stderr
    error: cannot read `nowhere.toml`: No such file or directory (os error 2)
      hint: check the name and the permissions
    --- exit 2
    "#);
}

#[test]
fn usage_errors_exit_with_2() {
    sessions!(Home::new(), @"
    $ fencepost --bogus
    --- stderr
    error: unexpected argument '--bogus' found

    Usage: fencepost [OPTIONS] [COMMAND]

    For more information, try '--help'.
    --- exit 2

    $ fencepost run
    --- stderr
    error: the following required arguments were not provided:
      <QUESTION>

    Usage: fencepost run <QUESTION>

    For more information, try '--help'.
    --- exit 2

    $ fencepost run small --timeout nan
    --- stderr
    error: invalid value 'nan' for '--timeout <SECONDS>': must be a number of seconds from 0.1 to 30, such as 2 or 0.5

    For more information, try '--help'.
    --- exit 2

    $ fencepost quiz fencing-tokens
    --- stderr
    error: no answers, and no terminal to ask on
      hint: name a file with `--answers FILE`, or `--answers -` for standard input
      hint: `fencepost quiz --blank` prints a file to fill in
    --- exit 2

    $ fencepost -- x
    --- stderr
    error: unrecognized subcommand 'x'

    Usage: fencepost [OPTIONS] [COMMAND]

    For more information, try '--help'.
    --- exit 2

    $ fencepost list --format yaml
    --- stderr
    error: invalid value 'yaml' for '--format <FORMAT>'
      [possible values: text, json]

    For more information, try '--help'.
    --- exit 2
    ");
}

#[test]
fn the_help_names_every_command() {
    sessions!(Home::new(), @"
    $ fencepost --help
    Practise spot-the-bug interview questions in the terminal

    Without a command, fencepost opens the library of questions.

    Usage: fencepost [OPTIONS] [COMMAND]

    Commands:
      play         Open a question, or the library
      list         List the questions
      show         Show a question as text
      run          Run the buggy and the fixed program of a question
      quiz         Ask or grade questions without the screens
      author       Write and check questions
      completions  Print a shell script that completes commands, questions and topics
      man          Print the manual page
      doctor       Report what works on this machine, what is missing, and why
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Global options:
          --content <DIR>
              Add the questions in this folder: a pack, or a folder of packs

          --data-dir <DIR>
              Keep progress and settings in this folder

          --trust-pack <PACK>
              Run this pack's programs even without full sandboxing

          --color <WHEN>
              When to use colours

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always: Always
              - never:  Never
              
              [default: auto]
    --- exit 0

    $ fencepost --version
    fencepost 0.1.0
    --- exit 0
    ");
}

#[test]
fn the_help_of_a_command_is_no_error() {
    let session = Home::new().run("run --help");
    assert!(session.ends_with("--- exit 0\n") && !session.contains("--- stderr"), "{session}");
}

/// Escape sequences in names and in programs' output stay visible text on the command line.
#[test]
fn text_from_elsewhere_cannot_command_the_terminal() {
    let home = Home::new();
    home.write("hostile.py", "print('\\x1b]52;c;QQ==\\x07 \\x9b31m \\u202eabc \\r\\x08 \\u2066')\n");
    home.write("packs/fixture/b\u{1b}[31m.toml", "x = 1\n");
    let mut all = home.run("--content packs run small --file hostile.py");
    all += &home.run("--content packs show \u{1b}[2J");
    let forbidden =
        |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}';
    // The transcript repeats the arguments, which the program did not print.
    let printed: String = all.lines().filter(|line| !line.starts_with("$ ")).map(|line| format!("{line}\n")).collect();
    assert_eq!(printed.chars().find(|c| forbidden(*c)), None, "{printed:?}");
    assert!(printed.contains("␛]52;c;QQ==␇"), "{printed}");
}

/// A pack from elsewhere runs only where the sandbox contains it; the level is shown each time.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn paths_are_listed_in_their_order() {
    let paths = "\n[[path]]\ntitle = \"Loops\"\nsummary = \"Count to the end of a list.\"\nquestions = [\"twin\", \"fixture/sum\", \"lost\"]\n\n[[path]]\ntitle = \"First steps\"\nsummary = \"Begin here.\"\nquestions = [\"small\"]\n";
    let home = Home::empty().with("packs/fixture/pack.toml", PACK.to_owned() + paths);
    let home = home.question("small", &[("related = []", "related = []\nformerly = [\"sum\"]")]).question("twin", &[]);
    // The built-in packs have paths of their own.
    let said = home.run("list --content packs --paths");
    let shown = "Loops (fixture)\nCount to the end of a list.\n   1  fixture/twin  The sum that forgets its last number\n   2  fixture/small  The sum that forgets its last number\n\nFirst steps (fixture)\nBegin here.\n   1  fixture/small  The sum that forgets its last number\n";
    assert!(said.contains(shown), "{said}");
    assert!(said.contains("warning[path]: there is no question `lost`"), "{said}");
    let listed: serde_json::Value = serde_json::from_str(&home.stdout("list --content packs --format json")).unwrap();
    let path = |title: &str, summary: &str, questions: &[&str]| serde_json::json!({"pack": "fixture", "title": title, "summary": summary, "questions": questions});
    let loops = path("Loops", "Count to the end of a list.", &["fixture/twin", "fixture/small"]);
    let paths = listed["paths"].as_array().unwrap().iter().filter(|path| path["pack"] == "fixture");
    let first = path("First steps", "Begin here.", &["fixture/small"]);
    assert_eq!(paths.collect::<Vec<_>>(), [&loops, &first]);
}

#[test]
fn strangers_packs_are_refused_where_nothing_contains_them() {
    sessions!(Home::new(), @"
    $ fencepost --without landlock --content packs run small --buggy
    The buggy program
    -----------------
    stdout: 3

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox no_landlock | buggy [time] ms
    --- exit 0

    $ fencepost --without landlock run tax-by-region --buggy
    The buggy program
    -----------------
    stdout: north 500 cents
    stdout: south 500 cents
    stdout: east 500 cents

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox no_landlock | buggy [time] ms
    --- exit 0

    $ fencepost --without seccomp --content packs run small --buggy
    --- stderr
    error: the pack `fixture` did not come with fencepost, and its programs were not run: the sandbox is only at level limits_only and lacks seccomp (switched off)
      hint: look at the programs first; then `--trust-pack fixture` runs them
    --- exit 2

    $ fencepost --without seccomp run tax-by-region --buggy
    The buggy program
    -----------------
    stdout: north 500 cents
    stdout: south 500 cents
    stdout: east 500 cents

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox limits_only | buggy [time] ms
    --- exit 0

    $ fencepost --without landlock,seccomp --content packs run small --buggy
    --- stderr
    error: the pack `fixture` did not come with fencepost, and its programs were not run: the sandbox is only at level limits_only and lacks landlock (switched off), seccomp (switched off)
      hint: look at the programs first; then `--trust-pack fixture` runs them
    --- exit 2

    $ fencepost --without landlock,seccomp run tax-by-region --buggy
    The buggy program
    -----------------
    stdout: north 500 cents
    stdout: south 500 cents
    stdout: east 500 cents

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox limits_only | buggy [time] ms
    --- exit 0

    $ fencepost --without landlock,seccomp,limits --content packs run small --buggy
    --- stderr
    error: the pack `fixture` did not come with fencepost, and its programs were not run: the sandbox is only at level none and lacks landlock (switched off), limits (switched off), seccomp (switched off)
      hint: look at the programs first; then `--trust-pack fixture` runs them
    --- exit 2

    $ fencepost --without landlock,seccomp,limits run tax-by-region --buggy
    The buggy program
    -----------------
    stdout: north 500 cents
    stdout: south 500 cents
    stdout: east 500 cents

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox none | buggy [time] ms
    --- exit 0

    $ fencepost --without landlock,seccomp --content packs --trust-pack fixture run small --buggy
    The buggy program
    -----------------
    stdout: 3

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox limits_only | buggy [time] ms
    --- exit 0
    ");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn doctor_says_what_is_there_and_what_is_missing() {
    sessions!(Home::new().with("packs/fixture/broken.toml", "format = 1\n"), @"
    $ fencepost doctor
    fencepost 0.1.0 on linux x86_64

    Running programs
      engine     RustPython 0.5.0, Python 3.14.0
      sandbox    full
      CPython    none on the PATH (optional)

    Terminal
      size       the output is not a terminal
      kind       TERM is not set
      colours    no
      characters Unicode

    Data
      progress   [home]/.local/share/fencepost/progress.db
      settings   [home]/.config/fencepost/settings.toml

    Packs
      asyncio        1 question
      caching        1 question
      databases      1 question
      distributed    1 question
      leases         8 questions
      messaging      2 questions
      observability  1 question
      python         1 question
      security       1 question
    --- exit 0

    $ fencepost --data-dir data --content packs --without landlock doctor
    fencepost 0.1.0 on linux x86_64

    Running programs
      engine     RustPython 0.5.0, Python 3.14.0
      sandbox    no_landlock
      missing    landlock: switched off
      CPython    none on the PATH (optional)

    Terminal
      size       the output is not a terminal
      kind       TERM is not set
      colours    no
      characters Unicode

    Data
      progress   data/progress.db
      settings   data/settings.toml

    Packs
      asyncio        1 question
      caching        1 question
      databases      1 question
      distributed    1 question
      fixture        1 question, not shipped, 10 errors
      leases         8 questions
      messaging      2 questions
      observability  1 question
      python         1 question
      security       1 question

    Problems
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `id` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `title` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `topic` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `level` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `python` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `spot` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `fixed` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `check` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `say` at the top of the file
      packs/fixture/broken.toml:1:1: error[missing_key]: missing key `learn` at the top of the file
      `fencepost list` shows each with its source and how to fix it.
    --- exit 3
    ");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn doctor_as_json() {
    insta::assert_snapshot!(Home::new().run("--content nowhere doctor --format json"));
}
