//! Completion in directives: their names, macros, and headers.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_syntax::items::{tokens, unit};
use tangle_syntax::source::PREDEFINED;
use tower_lsp::lsp_types::CompletionItemKind;

use super::items::{Items, Order};
use crate::files::{self, Entry};
use crate::snapshot::View;

/// The directives.
const NAMES: [&str; 14] = [
    "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    "error", "line", "pragma",
];

/// Adds the names of directives, and an `include` of each header beside the document.
pub fn names(view: &View, items: &mut Items) {
    for name in NAMES {
        items.add(name, CompletionItemKind::KEYWORD, None, Order::First);
    }
    for Entry { name, is_folder } in entries(view, "", true) {
        if !is_folder {
            items.add(&format!("include \"{name}\""), CompletionItemKind::FILE, None, Order::Local(0));
        }
    }
}

/// Adds the headers in a folder, and its folders. `beside`: also those beside the document.
pub fn headers(view: &View, folder: &str, beside: bool, items: &mut Items) {
    for Entry { name, is_folder } in entries(view, folder, beside) {
        let (label, kind, order) = match is_folder {
            true => (format!("{name}/"), CompletionItemKind::FOLDER, Order::Local(1)),
            false => (name, CompletionItemKind::FILE, Order::Local(0)),
        };
        items.add(&label, kind, None, order);
    }
}

/// Returns where the part of a header's name begins that completions replace: after the quote or the last `/`.
pub fn typed_name(view: &View, offset: usize) -> usize {
    view.text().text()[..offset].rfind(['"', '<', '/']).map_or(offset, |at| at + 1)
}

/// Returns the headers and folders that the name of a header can continue with.
fn entries(view: &View, folder: &str, beside: bool) -> Vec<Entry> {
    let own = Path::new(&**view.file.path(view.db));
    let mut folders: Vec<PathBuf> = Vec::new();
    if beside {
        folders.extend(own.parent().map(Path::to_owned));
    }
    folders.extend(view.analysis.settings.include(view.db).iter().map(|path| PathBuf::from(&**path)));
    let found = folders.iter().flat_map(|path| files::headers_in(&path.join(folder)));
    // A file does not include itself.
    found.filter(|entry| entry.is_folder || own.file_name().is_none_or(|name| *name != *entry.name)).collect()
}

/// Adds all macros, for a condition.
pub fn macros(view: &View, items: &mut Items) {
    user_macros(view, items);
    add_language_macros(view, |_| true, items);
}

/// Adds the macros that code uses. Those of the language with a leading `_` are for conditions.
pub fn macros_in_code(view: &View, items: &mut Items) {
    user_macros(view, items);
    add_language_macros(view, |name| !name.starts_with('_'), items);
}

fn add_language_macros(view: &View, is_wanted: impl Fn(&str) -> bool, items: &mut Items) {
    for name in macro_names(view, false).into_iter().map(Symbol::as_str).filter(|name| is_wanted(name)) {
        items.add(name, CompletionItemKind::CONSTANT, Some("macro".into()), Order::Builtin);
    }
}

/// Adds the macros that the files of the unit and the settings define.
pub fn user_macros(view: &View, items: &mut Items) {
    for name in macro_names(view, true) {
        items.add(name.as_str(), CompletionItemKind::CONSTANT, Some("macro".into()), Order::Macro);
    }
}

/// Returns the macros of the user, or of the language.
fn macro_names(view: &View, of_user: bool) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    for &id in unit(view.db, view.root, view.analysis.settings).0.files.iter() {
        let file = tangle_syntax::db::Db::source(view.db, id);
        if (**file.path(view.db) == *PREDEFINED) == of_user {
            continue;
        }
        let lexed = tokens(view.db, file);
        let spelled = |token: u32| lexed.tokens.get(token as usize);
        let defines = lexed
            .directives
            .iter()
            .filter(|&&hash| spelled(hash + 1).is_some_and(|word| word.text.as_str() == "define"));
        names.extend(defines.filter_map(|&hash| Some(spelled(hash + 2)?.text)));
    }
    names
}
