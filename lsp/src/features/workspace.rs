//! The symbols of all open documents and of the files that they include.

use rustc_hash::FxHashSet;
use tangle_hir::resolve::{Entity, ReferenceKind, references};
use tangle_syntax::items::find::all_items;
use tangle_syntax::items::unit;
use tower_lsp::lsp_types::{SymbolInformation, SymbolKind};

use crate::snapshot::Snapshot;

/// The maximum number of returned symbols: the client requests again while the user types.
const MAX_SYMBOLS: usize = 256;

/// Returns the definitions at file scope whose names contain the letters of the query in order.
pub fn symbols(snapshot: &Snapshot, query: &str) -> Vec<SymbolInformation> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for document in snapshot.documents.values() {
        let unit = unit(&snapshot.db, document.file, document.analysis.settings);
        for placed in all_items(&snapshot.db, unit) {
            let declared = tangle_hir::declared(&snapshot.db, placed.item);
            let functions: Vec<_> = declared.functions.iter().map(|function| function.name).collect();
            for reference in &references(&snapshot.db, placed.item).0 {
                let name = reference.name.text;
                let kind = match reference.target {
                    _ if reference.role != ReferenceKind::Definition => continue,
                    Entity::File(name) if functions.contains(&name) => SymbolKind::FUNCTION,
                    Entity::File(name) if declared.variables.contains(&name) => SymbolKind::VARIABLE,
                    Entity::File(name) if declared.constants.contains(&name) => SymbolKind::ENUM_MEMBER,
                    Entity::File(_) => SymbolKind::CLASS,
                    Entity::Tag(_) => SymbolKind::STRUCT,
                    _ => continue,
                };
                if !matches(name.as_str(), query) {
                    continue;
                }
                let Some(location) =
                    snapshot.location(&placed.locator(&snapshot.db).locate(reference.name.span).at)
                else {
                    continue;
                };
                let key = (location.uri.clone(), location.range.start.line, location.range.start.character);
                if seen.insert(key) {
                    #[allow(deprecated)] // The struct requires the field.
                    found.push(SymbolInformation {
                        name: name.as_str().to_owned(),
                        kind,
                        tags: None,
                        deprecated: None,
                        location,
                        container_name: None,
                    });
                }
                if found.len() == MAX_SYMBOLS {
                    return found;
                }
            }
        }
    }
    found
}

/// Returns whether a name contains the letters of a query in order, ignoring case.
fn matches(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn query_letters_match_symbol_name_in_order() {
        assert!(matches("md5_transform", "mdt") && matches("md5_transform", "") && matches("Abc", "aB"));
        assert!(!matches("md5_transform", "tmd") && !matches("a", "aa"));
    }
}
