//! Tables of builtin functions: which are convergent, in which scope, and what they give.
//!
//! A table is a list of rows ([`Builtin`]), each for a name, for several names, or for a pattern. An exact name wins over a pattern, an
//! earlier pattern over a later one, and what a user adds over the language's own. Languages share tables: a language reads several, of which
//! an earlier one wins.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use tangle_grammar::symbol::Symbol;

use super::conventions::Conventions;
use super::notation::alternatives;
use super::row::{Builtin, Name, Scope};

/// The text of a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub builtin: Vec<Builtin>,
}

/// A table, and what it adds to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Builtins {
    exact: FxHashMap<Symbol, Builtin>,
    patterns: Vec<(Pattern, Builtin)>,
    /// The numbers of the patterns that begin with these letters, or, with none, with fewer.
    beginnings: FxHashMap<Option<Beginning>, Vec<usize>>,
    /// Names of rows that take locks.
    locks: Vec<Symbol>,
    /// The classes whose methods have rows, and those that rows give.
    classes: FxHashSet<Symbol>,
    /// Names of functions that make objects of a class of the language, and of these classes, by their last parts. None: two have the same last part.
    makers: FxHashMap<Symbol, Option<Symbol>>,
    /// The namespaces and classes that names of rows and classes are in, each with the first segments of these names behind it.
    outer: FxHashMap<Symbol, FxHashSet<Symbol>>,
    base: Option<&'static Builtins>,
    conventions: Conventions,
}

impl Builtins {
    /// A table of its own. Of two rows for one name the later holds.
    pub fn of(rows: Vec<Builtin>) -> Builtins {
        let mut builtins = Builtins::default();
        for row in rows {
            match &row.name {
                Name::Exact(names) => {
                    for (number, name) in alternatives(names).into_iter().enumerate() {
                        let symbol = Symbol::intern(&name);
                        builtins.locks.extend(row.takes_lock.map(|_| symbol));
                        builtins.classes.extend(row.gives.as_deref().map(Symbol::intern));
                        builtins.classes.extend(class_of(&name));
                        if let Some(gives) = row.gives.as_deref() {
                            builtins.add_maker(symbol);
                            builtins.add_maker(Symbol::intern(gives));
                        }
                        for (outer, first) in [&*name].into_iter().chain(row.gives.as_deref()).flat_map(outer)
                        {
                            builtins.outer.entry(outer).or_default().insert(first);
                        }
                        builtins.exact.insert(symbol, row.of_name(number, name));
                    }
                }
                Name::Pattern(pattern) => builtins.add_pattern(Pattern::of(pattern), row),
            }
        }
        builtins
    }

    /// This table, with the rows of another for what it has no row of its own for.
    pub(super) fn followed_by(mut self, other: Builtins) -> Builtins {
        self.locks.extend(other.locks.into_iter().filter(|name| !self.exact.contains_key(name)));
        for (name, row) in other.exact {
            self.exact.entry(name).or_insert(row);
        }
        other.patterns.into_iter().for_each(|(pattern, row)| self.add_pattern(pattern, row));
        self.classes.extend(other.classes);
        other.makers.into_values().flatten().for_each(|name| self.add_maker(name));
        for (outer, firsts) in other.outer {
            self.outer.entry(outer).or_default().extend(firsts);
        }
        self
    }

    fn add_maker(&mut self, name: Symbol) {
        if let Some((_, last)) = name.as_str().rsplit_once("::") {
            let known = self.makers.entry(Symbol::intern(last)).or_insert(Some(name));
            *known = known.filter(|&known| known == name);
        }
    }

    fn add_pattern(&mut self, pattern: Pattern, row: Builtin) {
        self.beginnings.entry(beginning(&pattern.0[0])).or_default().push(self.patterns.len());
        self.patterns.push((pattern, row));
    }

    /// This table, with rows that win over it.
    pub fn with(&'static self, rows: Vec<Builtin>) -> Builtins {
        Builtins { base: Some(self), ..Builtins::of(rows) }
    }

    /// This table, with what names imply of which it knows nothing.
    #[must_use]
    pub fn with_conventions(self, conventions: Conventions) -> Builtins {
        Builtins { conventions, ..self }
    }

    /// What names imply of which the table knows nothing.
    pub fn conventions(&self) -> &Conventions {
        &self.conventions
    }

    /// Whether nothing is added to the language's own table.
    pub fn is_plain(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    /// The row for a name.
    pub fn get(&self, name: Symbol) -> Option<&Builtin> {
        self.own(name).or_else(|| self.base?.get(name))
    }

    /// Whether a name is that of a function or class that has rows of its own, or of a function with a pattern.
    pub fn knows(&self, name: Symbol) -> bool {
        self.is_class(name) || self.get(name).is_some()
    }

    /// Whether a name is that of a class that the rows of the table know methods of, or that one of them gives.
    pub fn is_class(&self, name: Symbol) -> bool {
        self.classes.contains(&name) || self.base.is_some_and(|base| base.is_class(name))
    }

    /// The name in a namespace that ends with this part, if it can be told apart from what other libraries call their functions: the name of a class
    /// of the language, or of a function that makes an object of such a class. `this_thread_block` is that of
    /// `cooperative_groups::this_thread_block`.
    pub fn of_any_namespace(&self, last: Symbol) -> Option<Symbol> {
        let own = self.makers.get(&last).copied().flatten();
        own.or_else(|| self.base?.of_any_namespace(last))
    }

    /// The row for a name in this table itself, without what it adds to.
    pub fn own(&self, name: Symbol) -> Option<&Builtin> {
        self.exact.get(&name).or_else(|| {
            let name = name.as_str();
            let of = |beginning| {
                let numbers = self.beginnings.get(&beginning).map_or(&[][..], Vec::as_slice);
                numbers.iter().copied().find(|&number| self.patterns[number].0.matches(name))
            };
            let known = beginning(name);
            let first = known.and_then(|known| of(Some(known))).into_iter().chain(of(None)).min()?;
            Some(&self.patterns[first].1)
        })
    }

    /// Whether names are known that begin with this one inside a namespace or class.
    pub fn leads_inside(&self, namespace: Symbol, first: Symbol) -> bool {
        let known = self.outer.get(&namespace).is_some_and(|firsts| firsts.contains(&first));
        known
            || self.is_of_pattern(namespace)
            || self.base.is_some_and(|base| base.leads_inside(namespace, first))
    }

    /// Whether names inside a namespace may fit a pattern.
    fn is_of_pattern(&self, namespace: Symbol) -> bool {
        let inside = format!("{namespace}::");
        let fits = |(pattern, _): &(Pattern, Builtin)| {
            let first = &*pattern.0[0];
            first.starts_with(&inside) || inside.starts_with(first)
        };
        self.patterns.iter().any(fits)
    }

    /// Whether a name is known, or names of which it is the namespace or class.
    pub fn leads(&self, name: Symbol) -> bool {
        if self.knows(name) || self.outer.contains_key(&name) {
            return true;
        }
        self.is_of_pattern(name) || self.base.is_some_and(|base| base.leads(name))
    }

    /// The names of the convergent operations of this table itself, in no particular order.
    pub fn operations(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.exact.iter().filter(|(_, row)| row.convergent).map(|(&name, _)| name)
    }

    /// The rows of this table itself, in no particular order.
    pub fn rows(&self) -> impl Iterator<Item = &Builtin> {
        self.exact.values().chain(self.patterns.iter().map(|(_, row)| row))
    }

    /// The names of the atomics that take locks, patterns apart.
    pub fn locks(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.locks.iter().chain(self.base.into_iter().flat_map(|base| &base.locks)).copied()
    }

    /// The scope of a convergent builtin.
    pub fn convergent(&self, name: Symbol) -> Option<Scope> {
        self.get(name).filter(|row| row.convergent).map(|row| row.scope)
    }
}

/// The class that a row is about a method of. A name in two namespaces looks like one, and does no harm.
fn class_of(name: &str) -> Option<Symbol> {
    let (class, _) = name.rsplit_once("::")?;
    class.contains("::").then(|| Symbol::intern(class))
}

/// The namespaces and classes that a name is in, with the segment behind each: `a` with `b`, and `a::b` with `c`, for `a::b::c`.
fn outer(name: &str) -> impl Iterator<Item = (Symbol, Symbol)> + '_ {
    name.match_indices("::").map(|(at, separator)| {
        let behind = &name[at + separator.len()..];
        let first = behind.split("::").next().unwrap_or(behind);
        (Symbol::intern(&name[..at]), Symbol::intern(first))
    })
}

/// A pattern, as the texts between its `*`.
#[derive(Debug, PartialEq, Eq)]
struct Pattern(Vec<String>);

/// The first letters of a name, by which nearly all names are told from all patterns.
type Beginning = [u8; 3];

/// None: there are fewer.
fn beginning(text: &str) -> Option<Beginning> {
    text.as_bytes().first_chunk().copied()
}

impl Pattern {
    fn of(text: &str) -> Pattern {
        Pattern(text.split('*').map(str::to_owned).collect())
    }

    /// Whether `name` is the pieces in order, with anything between them.
    fn matches(&self, name: &str) -> bool {
        let [first, middle @ .., last] = &*self.0 else {
            return self.0.first().is_some_and(|only| only == name);
        };
        let Some(rest) = name.strip_prefix(first.as_str()) else { return false };
        let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
        for piece in middle {
            match rest.find(piece.as_str()) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::opencl;

    fn convergent(builtins: &Builtins, name: &str) -> Option<Scope> {
        builtins.convergent(Symbol::intern(name))
    }

    #[test]
    fn operations_have_the_scope_of_the_table() {
        let table = opencl().builtins();
        assert_eq!(convergent(table, "barrier"), Some(Scope::Workgroup));
        assert_eq!(convergent(table, "sub_group_shuffle_xor"), Some(Scope::Subgroup));
        assert_eq!(convergent(table, "async_work_group_copy"), Some(Scope::Workgroup));
        assert_eq!(convergent(table, "mem_fence"), None);
        assert_eq!(convergent(table, "get_local_id"), None);
        assert_eq!(convergent(table, "barriers"), None);
    }

    #[test]
    fn patterns_match_with_anything_between_their_pieces() {
        for (pattern, name, expected) in [
            ("a*", "a", true),
            ("a*", "abc", true),
            ("a*", "ba", false),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("ab*bc", "abc", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "acb", false),
        ] {
            assert_eq!(Pattern::of(pattern).matches(name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn rows_of_the_user_win() {
        let rows = "[[builtin]]\nname = \"sync_all\"\nscope = \"workgroup\"\n\
                    [[builtin]]\nname = \"barrier\"\nscope = \"none\"\nconvergent = false\n";
        let table: Table = toml::from_str(rows).unwrap();
        let builtins = opencl().builtins().with(table.builtin);
        assert_eq!(convergent(&builtins, "sync_all"), Some(Scope::Workgroup));
        assert_eq!(convergent(&builtins, "barrier"), None);
        assert_eq!(convergent(&builtins, "work_group_barrier"), Some(Scope::Workgroup));
    }
}
