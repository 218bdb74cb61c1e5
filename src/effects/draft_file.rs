//! The file through which a repair goes to the learner's own editor and back.
//!
//! Text that an interrupted session left in the file is backed up first, never overwritten. The database is authoritative:
//! the file is deleted only once its text is saved there.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::content::question::QuestionName;
use crate::quiz::Action;
use crate::quiz::repair::{LONGEST, clean};

/// Gives `text`, the repair of `question`, to the learner's own editor and waits for its end. `drafts` is the folder of
/// such files; `editor` runs the editor on one of them, `read_back` takes its text, and their errors are sentences. Returns
/// what came of it.
pub fn edit(
    drafts: &Path,
    question: QuestionName,
    text: &str,
    editor: impl FnOnce(&Path) -> Result<(), String>,
    read_back: impl FnOnce(DraftFile) -> Result<String, String>,
) -> Action {
    let edited = || {
        let file = DraftFile::write(drafts, &question, text)?;
        let path = file.path().display().to_string();
        editor(file.path())?;
        let aside = file.put_aside().map(|aside| aside.display().to_string());
        Ok((read_back(file)?, path, aside))
    };
    match edited() {
        Ok((text, path, aside)) => Action::Edited { question, text, path, aside },
        Err(why) => Action::NotEdited { question, why },
    }
}

/// A repair in a file.
#[derive(Debug)]
pub struct DraftFile {
    path: PathBuf,
    question: QuestionName,
    put_aside: Option<PathBuf>,
}

impl DraftFile {
    /// Writes `text` to the file of `question` in `folder`. Only the owner may read it.
    ///
    /// # Errors
    ///
    /// The folder or the file cannot be written; the sentence says which.
    pub fn write(folder: &Path, question: &QuestionName, text: &str) -> Result<Self, String> {
        let folder = folder.join(&question.pack);
        private_folder(&folder).map_err(|error| format!("cannot make the folder `{}`: {error}", folder.display()))?;
        let path = folder.join(format!("{}.py", question.id));
        let failed = |error| format!("cannot write `{}`: {error}", path.display());
        let put_aside = put_aside(&path, text).map_err(failed)?;
        private_file(&path, text).map_err(failed)?;
        Ok(Self { path, question: question.clone(), put_aside })
    }

    /// The question whose repair it is.
    pub fn question(&self) -> &QuestionName {
        &self.question
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the backup made when the file held another text.
    pub fn put_aside(&self) -> Option<&Path> {
        self.put_aside.as_deref()
    }

    /// Reads the file back. It stays on the disk.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is too long or is not text; the message says which. The file is then kept.
    pub fn read_back(&self) -> Result<String, String> {
        let path = self.path.display();
        let mut bytes = Vec::new();
        let file = fs::File::open(&self.path).map_err(|error| format!("cannot read `{path}`: {error}"))?;
        // One more than may be, to see that it is too long.
        let most = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(1);
        file.take(most).read_to_end(&mut bytes).map_err(|error| format!("cannot read `{path}`: {error}"))?;
        let too_long = || format!("`{path}` is longer than 64 KiB");
        if bytes.len() > LONGEST {
            return Err(too_long());
        }
        let text = String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text"))?;
        // The end of its last line can make a text too long that was not.
        if clean(&text).len() > LONGEST {
            return Err(too_long());
        }
        Ok(text)
    }

    pub(super) fn remove(self) {
        // A copy that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

/// Puts a text aside that stands in the file and is not `text`.
fn put_aside(path: &Path, text: &str) -> io::Result<Option<PathBuf>> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(found) if found.is_file() && found.len() <= LONGEST as u64 && is_text(&fs::read(path)?, text) => {
            return Ok(None);
        }
        Ok(_) => {}
    }
    let aside = |number: u32| path.with_extension(format!("py.kept-{number}"));
    let free = (1..).map(aside).find(|aside| fs::symlink_metadata(aside).is_err());
    let Some(free) = free else { return Err(io::ErrorKind::AlreadyExists.into()) };
    fs::rename(path, &free)?;
    Ok(Some(free))
}

/// True if `bytes` are `text`, apart from line ends.
fn is_text(bytes: &[u8], text: &str) -> bool {
    str::from_utf8(bytes).is_ok_and(|found| found == text || clean(found) == text)
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

fn private_file(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> QuestionName {
        QuestionName { pack: "leases".into(), id: "x".into() }
    }

    #[test]
    fn a_text_goes_out_and_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let file = DraftFile::write(home.path(), &name(), "a = 1\n").unwrap();
        let path = file.path().to_owned();
        assert_eq!(path, home.path().join("leases/x.py"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(fs::metadata(home.path().join("leases")).unwrap().permissions().mode() & 0o777, 0o700);
        }
        fs::write(&path, "a = 2\n").unwrap();
        assert_eq!(file.read_back().unwrap(), "a = 2\n");
        assert!(path.exists(), "nobody has kept it yet");
        file.remove();
        assert!(!path.exists());
    }

    #[test]
    fn the_same_text_is_not_put_aside() {
        let home = tempfile::tempdir().unwrap();
        // Some editors end lines in another way, or not at all.
        for left in ["a = 1\n", "a = 1\r\n", "a = 1"] {
            let file = DraftFile::write(home.path(), &name(), "a = 1\n").unwrap();
            fs::write(file.path(), left).unwrap();
            let file = DraftFile::write(home.path(), &name(), "a = 1\n").unwrap();
            assert_eq!(file.put_aside(), None);
            assert_eq!(file.read_back().unwrap(), "a = 1\n");
        }
    }

    #[test]
    fn what_an_interrupted_session_left_is_put_aside() {
        let home = tempfile::tempdir().unwrap();
        for number in 1..=2 {
            let file = DraftFile::write(home.path(), &name(), "mine\n").unwrap();
            fs::write(file.path(), format!("left {number}\n")).unwrap();
            drop(file);
            let file = DraftFile::write(home.path(), &name(), "mine\n").unwrap();
            let aside = file.put_aside().unwrap();
            assert_eq!(aside, home.path().join(format!("leases/x.py.kept-{number}")));
            assert_eq!(fs::read_to_string(aside).unwrap(), format!("left {number}\n"));
            assert_eq!(fs::read_to_string(file.path()).unwrap(), "mine\n");
        }
    }

    #[test]
    fn what_is_no_program_stays_in_its_file() {
        let home = tempfile::tempdir().unwrap();
        let after = |bytes: &[u8]| {
            let file = DraftFile::write(home.path(), &name(), "mine\n").unwrap();
            let path = file.path().to_owned();
            fs::write(&path, bytes).unwrap();
            let said = file.read_back().unwrap_err().replace(&path.display().to_string(), "x.py");
            assert_eq!(fs::read(&path).unwrap(), bytes);
            said
        };
        assert_eq!(after(&vec![b'x'; LONGEST + 1]), "`x.py` is longer than 64 KiB");
        // The end of its last line is missing, and then it is too long.
        assert_eq!(after(&vec![b'x'; LONGEST]), "`x.py` is longer than 64 KiB");
        assert_eq!(after(b"\xff\xfe"), "`x.py` is not UTF-8 text");
        let file = DraftFile::write(home.path(), &name(), "mine\n").unwrap();
        fs::remove_file(file.path()).unwrap();
        assert!(file.read_back().unwrap_err().starts_with("cannot read `"));
    }
}
