//! Finds what was stored under the former names of questions.
//!
//! Stored rows keep the name under which they were written. Results and repairs are copied to the new names in memory, each
//! time that they or the library are read.

use std::collections::HashMap;

use crate::content::catalog::Catalog;
use crate::content::question::QuestionName;
use crate::quiz::attempt::LastResult;
use crate::quiz::draft::{Earlier, Repairs};

/// Gives each question of `catalog` without a result the one of its former names.
pub(super) fn results(catalog: &Catalog, results: &mut HashMap<QuestionName, LastResult>) {
    for entry in &catalog.questions {
        if results.contains_key(&entry.name) {
            continue;
        }
        let of = |former| results.get(&former).copied().filter(|_| !catalog.has(&former));
        if let Some(result) = entry.former_names().find_map(of) {
            results.insert(entry.name.clone(), result);
        }
    }
}

/// Gives each question of `catalog` the repairs of its former names. A text of its own comes first; then the former one is
/// the text that can be brought back.
pub(super) fn repairs(catalog: &Catalog, repairs: &mut Repairs) {
    for entry in &catalog.questions {
        for former in entry.former_names() {
            let (passed, before) = (repairs.passed.contains(&former), repairs.drafts.get(&former).cloned());
            if (!passed && before.is_none()) || catalog.has(&former) {
                continue;
            }
            if passed {
                repairs.passed.insert(entry.name.clone());
            }
            let Some(before) = before else { continue };
            let draft = repairs.drafts.entry(entry.name.clone()).or_insert_with(|| before.clone());
            if draft.earlier.is_none() {
                let latest = Earlier { text: before.text, base: before.base };
                draft.earlier = [Some(latest), before.earlier].into_iter().flatten().find(|it| it.text != draft.text);
            }
        }
    }
}
