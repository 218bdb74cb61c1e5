//! Names with which a program reaches into the interpreter, and methods that make a value lie about itself.
//!
//! Plain lists, and how text is searched for them. What compiled code does with a name is in `python/names.rs`.

use std::collections::BTreeSet;

/// Attributes that lead from a function, a frame, a traceback or a generator into the interpreter. They are looked for in
/// code and in its text, since `getattr` takes text.
pub(super) const ATTRIBUTES: &[&str] = &[
    "__builtins__",
    "__closure__",
    "__code__",
    "__defaults__",
    "__globals__",
    "__import__",
    "__kwdefaults__",
    "__loader__",
    "__spec__",
    "_current_frames",
    "_getframe",
    "_getframemodulename",
    "ag_frame",
    "cell_contents",
    "cr_frame",
    "f_back",
    "f_builtins",
    "f_code",
    "f_globals",
    "f_lineno",
    "f_locals",
    "f_trace",
    "gi_frame",
    "setprofile",
    "setprofile_all_threads",
    "settrace",
    "settrace_all_threads",
    "tb_frame",
];

/// The same, where only the use as an attribute tells: a variable may well be called so.
pub(super) const ONLY_ATTRIBUTES: &[&str] =
    &["currentframe", "getinnerframes", "getouterframes", "import_module", "monitoring"];

/// Modules that are made for it.
pub(super) const MODULES: &[&str] = &["_ctypes", "builtins", "ctypes", "gc"];

/// Built-in functions that run text as code, which no list of names can see through.
pub(super) const RUN_TEXT: &[&str] = &["compile", "eval", "exec"];

/// Methods that decide what a comparison or a test of a value says.
pub(super) const OVERLOADS: &[&str] = &[
    "__bool__",
    "__class__",
    "__contains__",
    "__eq__",
    "__ge__",
    "__getattr__",
    "__getattribute__",
    "__gt__",
    "__instancecheck__",
    "__le__",
    "__lt__",
    "__ne__",
    "__subclasscheck__",
];

/// The words of a text that could be names in Python.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The names of all lists that a question's own program has. A repair of it may have them too.
pub(super) fn named_in(text: &str) -> BTreeSet<&str> {
    let listed = |word: &&str| {
        [ATTRIBUTES, ONLY_ATTRIBUTES, MODULES, RUN_TEXT, OVERLOADS].iter().any(|list| list.contains(word))
    };
    words(text).filter(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_question_are_found_as_words() {
        let text = "import gc\nclass A:\n    def __eq__(self, o): return o.f_back_up is eval('1')";
        assert_eq!(named_in(text), BTreeSet::from(["__eq__", "eval", "gc"]));
        assert_eq!(named_in(""), BTreeSet::new());
    }
}
