//! Reads one file of an untrusted folder safely.
//!
//! Accepts regular files only, inside the folder and of a bounded size, and never waits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};

/// Maximum bytes of a question or a `pack.toml`.
pub const LARGEST: u64 = 1 << 20;

/// Reads `path`, which must be a regular file in `root` and hold UTF-8. `root` must be canonical.
pub fn text_file(root: &Path, path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    text_file_up_to(LARGEST, root, path)
}

/// The same for a file of at most `most` bytes.
pub fn text_file_up_to(most: u64, root: &Path, path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    bytes(most, root, path).and_then(|bytes| decode(path, bytes))
}

/// Reads a file that the user named. It may be a link, since the user chose its target.
///
/// # Errors
///
/// It is not a regular file, too large, not UTF-8, or cannot be read.
pub fn named_file(path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    named_file_up_to(LARGEST, path)
}

/// The same for a file of at most `most` bytes.
///
/// # Errors
///
/// As above.
pub fn named_file_up_to(most: u64, path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let root = path.canonicalize().ok().and_then(|real| real.parent().map(Path::to_owned));
    text_file_up_to(most, root.as_deref().unwrap_or(path), path)
}

fn bytes(most: u64, root: &Path, path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let name = path.display();
    let problem = |code, message, help| Box::new(Diagnostic::of_path(code, path, message, help));
    let unreadable = |error: io::Error| {
        problem(codes::UNREADABLE, format!("cannot read `{name}`: {error}"), "check the name and the permissions")
    };
    // The real path counts, since a link may point anywhere.
    let real = path.canonicalize().map_err(unreadable)?;
    if !real.starts_with(root) {
        let message = format!("`{name}` is a link that points outside its folder");
        return Err(problem(codes::LINK_OUTSIDE, message, "replace the link with the file itself"));
    }
    let file = open(&real).map_err(unreadable)?;
    // The open file is checked, so that it cannot be replaced in between.
    let kind = file.metadata().map_err(unreadable)?;
    if !kind.is_file() {
        return Err(problem(codes::NOT_A_FILE, format!("`{name}` is not a regular file"), "use a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(kind.len().min(most)).unwrap_or(0));
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        let message = format!("`{name}` is larger than {} MiB", most >> 20);
        return Err(problem(codes::TOO_LARGE, message, "use a smaller file"));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Text from the bytes of a file that is called `path` in messages.
///
/// # Errors
///
/// The bytes are not UTF-8.
pub fn decode(path: &Path, bytes: Vec<u8>) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(source(path, &text)),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
            let byte = bytes.get(valid).copied().unwrap_or(0);
            let message = if utf16 {
                "the file is UTF-16, not UTF-8".to_owned()
            } else {
                format!("byte {} is 0x{byte:02X}, which is not UTF-8", valid + 1)
            };
            let file =
                Arc::new(SourceFile { path: path.to_owned(), text: String::from_utf8_lossy(&bytes).into_owned() });
            let (code, help) = (codes::NOT_UTF8, "save the file as UTF-8");
            Err(Box::new(Diagnostic::new(Severity::Error, code, &file, valid..valid, message, help)))
        }
    }
}

/// A file with `\n` as line ends and without a byte order mark.
pub fn source(path: &Path, text: &str) -> Arc<SourceFile> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let text = if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text.to_owned() };
    Arc::new(SourceFile { path: path.to_owned(), text })
}
