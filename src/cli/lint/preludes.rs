//! Adds help to notes on undeclared names: another source of the run that declares the name.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::plan::Planned;
use tangle_diagnostic::{Diagnostic, SourceTexts};
use tangle_project::embedded;
use tangle_rules::declared_by;

/// Adds to each note on an undeclared name the nearest source that declares the name.
pub fn name(diagnostics: &mut [Diagnostic], files: &[Planned], sources: &dyn SourceTexts) {
    let names = diagnostics.iter().filter_map(|diagnostic| diagnostic.undeclared.clone());
    let names: FxHashSet<String> = names.collect();
    if names.is_empty() {
        return;
    }
    let wanted: FxHashSet<&str> = names.iter().map(String::as_str).collect();
    let mut declarers: FxHashMap<String, Vec<&str>> = FxHashMap::default();
    for Planned { input, .. } in files {
        let is_host = input.path.as_deref().is_none_or(embedded::is_host);
        let Some(text) = sources.text(&input.name).filter(|_| !is_host) else { continue };
        for name in declared_by(&embedded::opencl(text.text()), &wanted) {
            declarers.entry(name).or_default().push(&input.name);
        }
    }
    for diagnostic in diagnostics {
        let Some(declarers) = diagnostic.undeclared.as_ref().and_then(|name| declarers.get(name)) else {
            continue;
        };
        let own = &*diagnostic.place.file;
        let others = declarers.iter().filter(|file| **file != own);
        if let Some(nearest) = others.max_by_key(|file| (common(own, file), std::cmp::Reverse(**file))) {
            diagnostic.help.push(format!(
                "`{nearest}` declares it: if the program joins the two texts, list that file in `prelude` of `tangle.toml`"
            ));
        }
    }
}

/// Returns the number of leading folders that two paths have in common.
fn common(a: &str, b: &str) -> usize {
    let folders = |file| Path::new(file).parent().unwrap_or(Path::new("")).components();
    folders(a).zip(folders(b)).take_while(|(a, b)| a == b).count()
}
