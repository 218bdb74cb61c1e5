//! Finds the folders of data and settings, and reads `settings.toml`, which is written once and then belongs to the user.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use crate::content::decode::Table;
use crate::content::diagnostic::{Diagnostic, SourceFile};
use crate::content::problems::Problems;
use crate::content::{read, syntax};
use crate::error::Error;
use etcetera::BaseStrategy as _;

/// Paths of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The database of attempts.
    pub progress: PathBuf,
    /// The settings.
    pub settings: PathBuf,
    /// The folder of files that are open in the learner's own editor.
    pub drafts: PathBuf,
}

impl Places {
    /// Everything in `folder`, which `--data-dir` named.
    pub fn within(folder: &Path) -> Self {
        Self {
            progress: folder.join("progress.db"),
            settings: folder.join("settings.toml"),
            drafts: folder.join("drafts"),
        }
    }

    /// The user's own folders: `$XDG_DATA_HOME/fencepost` and `$XDG_CONFIG_HOME/fencepost`, or what stands for them.
    ///
    /// # Errors
    ///
    /// The system does not say where the user's home is.
    pub fn of_the_user() -> Result<Self, Error> {
        let base = etcetera::choose_base_strategy().map_err(|error| {
            Error::machinery("cannot find your home folder").hint("name a folder with `--data-dir DIR`").because(error)
        })?;
        Ok(Self {
            progress: base.data_dir().join("fencepost/progress.db"),
            settings: base.config_dir().join("fencepost/settings.toml"),
            drafts: base.data_dir().join("fencepost/drafts"),
        })
    }
}

/// Settings of the screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Ring the terminal's bell when the time is up.
    pub bell: bool,
    /// Ask the terminal for mouse events from the start.
    pub mouse: bool,
    /// Ask what a program prints before its first run.
    pub predict: bool,
    /// The theme.
    pub theme: ThemeName,
}

impl Default for Settings {
    fn default() -> Self {
        Self { bell: true, mouse: false, predict: true, theme: ThemeName::default() }
    }
}

/// The name of a theme, as the settings file writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// For a dark background.
    #[default]
    Dark,
    /// For a light background.
    Light,
    /// No colour at all, only weight and marks. Used for `NO_COLOR` and `--color never`.
    Colourless,
}

impl ThemeName {
    /// Every theme.
    pub const ALL: [Self; 3] = [Self::Dark, Self::Light, Self::Colourless];

    /// The word in the settings file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Colourless => "colourless",
        }
    }
}

/// The file that a new user gets.
const TEMPLATE: &str = "\
# Settings of fencepost. Delete the file to get this one back.

# Ring the terminal's bell when the time for the spoken answer is up: true or false.
bell = true

# Let the mouse pick lines and tabs. While it is on, most terminals select text only with Shift held down.
mouse = false

# Before a question's first run, ask what its buggy program prints: true or false.
predict = true

# Colours: \"dark\" or \"light\", for the background of your terminal, or \"colourless\".
theme = \"dark\"
";

/// Reads the settings; where there is no file, writes one with the defaults. What is wrong with the file is listed and
/// the defaults stand in for it.
pub fn load(path: &Path) -> (Settings, Vec<Diagnostic>) {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A home that cannot be written is no reason to stop: the defaults hold.
            let _ = write_template(path);
            (Settings::default(), Vec::new())
        }
        _ => {
            // Settings may be a link, as people who keep them in a repository have it.
            match read::named_file(path) {
                Ok(file) => parse(&file),
                Err(problem) => (Settings::default(), vec![*problem]),
            }
        }
    }
}

fn write_template(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, TEMPLATE)
}

fn parse(file: &Arc<SourceFile>) -> (Settings, Vec<Diagnostic>) {
    let problems = Problems::new(file.clone());
    let settings = {
        let root = syntax::read(&problems, &file.text, "delete the file to get a fresh one").root;
        let table = Table::root(&problems, &root, false);
        let default = Settings::default();
        let settings = Settings {
            bell: table.optional_flag("bell").unwrap_or(default.bell),
            mouse: table.optional_flag("mouse").unwrap_or(default.mouse),
            predict: table.optional_flag("predict").unwrap_or(default.predict),
            theme: table
                .optional_choice("theme", &ThemeName::ALL.map(|theme| (theme.word(), theme)))
                .unwrap_or(default.theme),
        };
        table.finish();
        settings
    };
    (settings, problems.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_user_gets_a_commented_file_that_says_the_defaults() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("config/settings.toml");
        assert_eq!(load(&path), (Settings::default(), Vec::new()));
        assert_eq!(fs::read_to_string(&path).unwrap(), TEMPLATE);
        assert_eq!(load(&path), (Settings::default(), Vec::new()));
    }

    #[test]
    fn wrong_settings_are_listed_and_the_right_ones_hold() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("settings.toml");
        fs::write(&path, "bell = 1\nmouse = true\npredict = false\ntheme = \"drak\"\ncolour = 3\n").unwrap();
        let (settings, problems) = load(&path);
        assert_eq!(settings, Settings { bell: true, mouse: true, predict: false, theme: ThemeName::Dark });
        let said: Vec<String> = problems.iter().map(|p| format!("{}: {}", p.position().0, p.message)).collect();
        assert_eq!(
            said,
            [
                "1: `bell` must be `true` or `false`, not an integer",
                "4: `drak` is not a theme",
                "5: unknown key `colour`",
            ]
        );
    }
}
