//! The known names that an undeclared name may be a typo of.
//!
//! **Near**: a name that differs from a known name as a typo does: by one letter of many, or by underscores. A name
//! with another digit, in another style, or with a prefix or suffix is a **relative** of the known name instead:
//! `max3`, `AtomicAdd`, `my_barrier`. Many projects insert such helpers at run time.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;

use tangle_hir::scope::{declared_functions, meaning_at_end};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::unit;
use tangle_syntax::source::{Settings, SourceFile};

/// The functions that a unit declares, and the functions of the dialect. They are collected on first use.
pub(crate) struct KnownFunctions<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    settings: Settings,
    names: OnceCell<Vec<Symbol>>,
}

impl<'a> KnownFunctions<'a> {
    pub fn of(db: &'a dyn Db, file: SourceFile, settings: Settings) -> KnownFunctions<'a> {
        KnownFunctions { db, file, settings, names: OnceCell::new() }
    }

    fn names(&self) -> &[Symbol] {
        self.names.get_or_init(|| {
            let dialect: Dialect = self.settings.dialect(self.db);
            let mut names: FxHashSet<Symbol> = dialect.signatures().names().collect();
            names.extend(declared_functions(self.db, unit(self.db, self.file, self.settings)));
            let mut names: Vec<Symbol> = names.into_iter().collect();
            names.sort_unstable_by_key(|name| name.as_str());
            names
        })
    }

    /// Whether a name is probably a misspelled convergent operation of the language, and not a function of a missing
    /// header. Only in languages that are based on C++, where headers are usually missing.
    pub fn is_misspelled_operation(&self, name: Symbol) -> bool {
        self.misspelled_operation(name, false).is_some()
    }

    /// Whether a language based on C++ has a name in its tables, or the unit declares the name after the call, where a
    /// template can use it.
    pub fn may_be_declared(&self, name: Symbol) -> bool {
        let dialect: Dialect = self.settings.dialect(self.db);
        dialect.lexicon().grammar() == Grammar::Cpp
            && (dialect.is_own_name(name)
                || meaning_at_end(self.db, unit(self.db, self.file, self.settings), name).is_some())
    }

    /// Returns the convergent operation that a name misspells, in a language based on C++. `bare`: the name may also
    /// differ by outer underscores and by case. If headers are missing, such a name is probably the name of a wrapper.
    fn misspelled_operation(&self, name: Symbol, bare: bool) -> Option<Symbol> {
        let dialect: Dialect = self.settings.dialect(self.db);
        if dialect.lexicon().grammar() != Grammar::Cpp {
            return None;
        }
        let plain = |name: Symbol| name.as_str().trim_matches('_');
        // A name without lower-case letters is a macro.
        let is_macro = !name.as_str().contains(|c: char| c.is_ascii_lowercase());
        let is_bare = |known: Symbol| {
            !is_macro && plain(known).len() >= 7 && plain(name).eq_ignore_ascii_case(plain(known))
        };
        let near = dialect
            .builtins()
            .operations()
            .filter(|&known| is_near(name.as_str(), known.as_str()) || bare && is_bare(known));
        near.min_by_key(|name| name.as_str())
    }

    /// Returns the known name that a name misspells. `None` if no known name is near.
    pub fn nearest(&self, name: Symbol) -> Option<Symbol> {
        if let Some(operation) = self.misspelled_operation(name, true) {
            return Some(operation);
        }
        // A relative of a known name is not a typo: `atanf`, `max3`, `my_barrier`.
        let is_relative = |known: &&Symbol| {
            let (name, known) = (name.as_str(), known.as_str());
            known.len() > 2 && (name.starts_with(known) || name.ends_with(known))
        };
        if self.names().iter().any(|known| is_relative(&known)) {
            return None;
        }
        self.names().iter().copied().find(|known| is_near(name.as_str(), known.as_str()))
    }
}

/// Whether a name is a typo of a known name: one letter is wrong, missing, extra or swapped with the next letter, or
/// the underscores differ, or the capitals after the first letter differ.
fn is_near(name: &str, known: &str) -> bool {
    let ends = |text: &str| (text.starts_with('_'), text.ends_with('_'));
    if ends(name) != ends(known) || name.len().min(known.len()) < 5 {
        return false;
    }
    // This cheap test rejects nearly all names.
    let letters = |text: &str| text.bytes().filter(|&letter| letter != b'_').count();
    if letters(name).abs_diff(letters(known)) > 1 {
        return false;
    }
    // Another style is not a typo: `atomicAdd`, `Radians`, `IS_NAN`.
    if name.contains('_') == known.contains('_') && name.eq_ignore_ascii_case(known) {
        return name.starts_with(|c: char| known.starts_with(c)) && name.chars().any(char::is_lowercase);
    }
    if without(name, |letter| letter == b'_').eq(without(known, |letter| letter == b'_')) {
        return known.len() >= 7;
    }
    let no_digit = |letter: u8| !letter.is_ascii_digit();
    name.len().abs_diff(known.len()) <= 1
        && without(name, no_digit).eq(without(known, no_digit))
        && strsim::osa_distance(name, known) == 1
}

fn without(text: &str, left_out: impl Fn(u8) -> bool) -> impl Iterator<Item = u8> {
    text.bytes().filter(move |&letter| !left_out(letter))
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn typos_are_near_the_known_name() {
        for (name, known) in [
            ("barier", "barrier"),
            ("barrie", "barrier"),
            ("barrire", "barrier"),
            ("get_globalid", "get_global_id"),
            ("get_local_ID", "get_local_id"),
            ("get_gloabl_id", "get_global_id"),
            ("work_group_barier", "work_group_barrier"),
            ("atomic_ad", "atomic_add"),
            ("workgroup_barrier", "work_group_barrier"),
        ] {
            assert!(is_near(name, known), "{name} {known}");
        }
    }

    #[test]
    fn other_styles_and_short_names_are_not_near() {
        for (name, known) in [
            ("vload32", "vload3"),
            ("_barrier", "barrier"),
            ("barrier_", "barrier"),
            ("sum", "sub"),
            ("mad25", "mad24"),
            ("AtomicAdd", "atomic_add"),
            ("atomicCAS", "atomic_max"),
            ("Radians", "radians"),
            ("IS_NAN", "isnan"),
            ("is_nan", "isnan"),
            ("SmoothStep", "smoothstep"),
            ("sort4BitsKeyValueDescending", "sort4BitsKeyValueAscending"),
            ("XgemmDirect", "XgemmDirectNN"),
        ] {
            assert!(!is_near(name, known), "{name} {known}");
        }
    }
}
