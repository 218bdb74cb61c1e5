//! The shipped programs pass `mypy --strict`, so that a bug which a type checker finds is never asked.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use fencepost::content::load;

#[test]
fn every_shipped_program_is_strictly_typed() {
    // `.ci/run` installs one and names it here; elsewhere the one on the PATH will do.
    let named = std::env::var_os("FENCEPOST_MYPY");
    let mypy = named.clone().unwrap_or_else(|| OsString::from("mypy"));
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for entry in load::load(&[]).unwrap().questions {
        let question = &entry.question;
        for (program, code) in [("buggy", &question.spot.code), ("fixed", &question.fixed.code)] {
            let name = format!("{}_{}_{program}.py", entry.name.pack, entry.name.id).replace('-', "_");
            fs::write(folder.path().join(name), code).unwrap();
            count += 1;
        }
    }
    let mut command = Command::new(mypy);
    command.args(["--strict", "--python-version", "3.13", "--cache-dir"]).arg(folder.path().join("cache"));
    command.arg("--no-error-summary").arg(folder.path());
    match command.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            let wrong = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && count > 0, "{said}{wrong}");
        }
        Err(error) if named.is_none() => eprintln!("skipped: there is no mypy on the PATH ({error})"),
        Err(error) => panic!("the mypy that FENCEPOST_MYPY names does not start: {error}"),
    }
}
