//! Lists of names with which a program reaches into the interpreter, and of methods with which a value can lie about itself.
//! `python/names.rs` finds them in compiled code.

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

/// The same, but only if read as an attribute: they are plausible names of variables.
pub(super) const ONLY_ATTRIBUTES: &[&str] = &[
    "ForwardRef",
    "__loader__",
    "__spec__",
    "currentframe",
    "extract_stack",
    "get_type_hints",
    "getattr_static",
    "getinnerframes",
    "getouterframes",
    "import_module",
    "resolve_name",
    "walk_stack",
];

/// Modules for introspection, or that run text as code.
pub(super) const MODULES: &[&str] = &[
    "_ctypes", "_pickle", "bdb", "builtins", "code", "codeop", "ctypes", "gc", "marshal", "pdb", "pickle", "runpy",
    "shelve", "timeit", "trace",
];

/// Built-in functions that run text as code, which no list of names can see through.
pub(super) const RUN_TEXT: &[&str] = &["compile", "eval", "exec"];

/// Methods that decide what a comparison, a test or a calculation makes of a value.
pub(super) const OVERLOADS: &[&str] = &[
    "__abs__",
    "__add__",
    "__bool__",
    "__class__",
    "__contains__",
    "__divmod__",
    "__eq__",
    "__float__",
    "__floordiv__",
    "__format__",
    "__ge__",
    "__getattr__",
    "__getattribute__",
    "__getitem__",
    "__gt__",
    "__hash__",
    "__iadd__",
    "__index__",
    "__instancecheck__",
    "__int__",
    "__isub__",
    "__iter__",
    "__le__",
    "__len__",
    "__lt__",
    "__mod__",
    "__mul__",
    "__ne__",
    "__neg__",
    "__pow__",
    "__radd__",
    "__rmul__",
    "__round__",
    "__rsub__",
    "__rtruediv__",
    "__str__",
    "__sub__",
    "__subclasscheck__",
    "__truediv__",
];

/// Modules whose values override those methods.
pub(super) const LYING_MODULES: &[&str] = &["unittest"];

/// Splits a text into words that could be Python names.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Returns the listed names in a question's own program. A repair of it may use them too.
pub(super) fn named_in(text: &str) -> BTreeSet<&str> {
    let listed = |word: &&str| {
        [ATTRIBUTES, ONLY_ATTRIBUTES, MODULES, RUN_TEXT, OVERLOADS, LYING_MODULES]
            .iter()
            .any(|list| list.contains(word))
    };
    words(text).filter(listed).collect()
}

/// True if a program's text may bind a name: whether it stands anywhere but before a parenthesis or behind a dot. To be
/// sure, the text must be compiled.
pub(super) fn may_bind(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        let is_defined = ["def ", "class "].iter().any(|word| before.ends_with(word));
        is_whole && !before.ends_with('.') && (is_defined || !after.trim_start_matches(' ').starts_with('('))
    })
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

    #[test]
    fn a_name_that_is_only_called_is_not_bound() {
        for (text, binds) in [
            ("print(all(x), it.all)", false),
            ("overall = 1", false),
            ("all = any", true),
            ("def all(it): pass", true),
            ("for all in it: pass", true),
            ("import x as all", true),
            ("", false),
        ] {
            assert_eq!(may_bind(text, "all"), binds, "{text}");
        }
    }
}
