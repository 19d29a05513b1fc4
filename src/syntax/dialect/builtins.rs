//! Tables of builtin functions: their convergence, their scopes, and the uniformity of their results.
//!
//! A table is a list of rows ([`Builtin`]), each for a name, for several names, or for a pattern. An exact name wins
//! over a pattern, an earlier pattern over a later one, and a row of the user over the rows of the language.
//! Languages share tables: a language has a list of tables, and an earlier table wins over a later one.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use tangle_grammar::symbol::Symbol;

use super::conventions::Conventions;
use super::notation::alternatives;
use super::row::{Builtin, GroupProperty, Name, Scope};

/// A table in its text form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub builtin: Vec<Builtin>,
    #[serde(default)]
    pub group: Vec<GroupClass>,
}

/// A class whose objects represent groups of threads.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupClass {
    /// The qualified name of the class.
    name: String,
    /// The number of the template argument with the number of threads.
    pub threads: Option<usize>,
    /// The properties of the group that an object contains, in order.
    #[serde(default)]
    pub fields: Vec<GroupProperty>,
}

/// A table, and the table that it extends.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Builtins {
    exact: FxHashMap<Symbol, Builtin>,
    patterns: Vec<(Pattern, Builtin)>,
    /// The indices of the patterns by the first letters of their prefix. `None` has the patterns with a shorter
    /// prefix.
    beginnings: FxHashMap<Option<Beginning>, Vec<usize>>,
    /// The names of the builtins that acquire a lock.
    locks: Vec<Symbol>,
    /// The classes whose methods have rows, and the types in the key `gives` of rows.
    classes: FxHashSet<Symbol>,
    /// The last parts of the qualified names of convergent operations: `sync` for `cooperative_groups::sync`.
    last_parts: FxHashSet<Symbol>,
    /// The classes whose objects represent groups of threads.
    groups: FxHashMap<Symbol, GroupClass>,
    /// The functions that make objects of a class of the language, and these classes, by the last part of their
    /// names. `None` if two names have the same last part.
    makers: FxHashMap<Symbol, Option<Symbol>>,
    /// The namespaces and classes that contain names of rows and classes, each with the first segments of the
    /// contained names.
    outer: FxHashMap<Symbol, FxHashSet<Symbol>>,
    base: Option<&'static Builtins>,
    conventions: Conventions,
}

impl Builtins {
    /// Creates a table without a base. If two rows have the same name, the later one is used.
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
                        if let (true, Some((_, last))) = (row.convergent, name.rsplit_once("::")) {
                            builtins.last_parts.insert(Symbol::intern(last));
                        }
                        if let Some(gives) = row.gives.as_deref() {
                            builtins.add_maker(symbol);
                            builtins.add_maker(Symbol::intern(gives));
                        }
                        for (outer, first) in
                            [&*name].into_iter().chain(row.gives.as_deref()).flat_map(namespaces_of)
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

    /// Adds classes whose objects represent groups of threads.
    #[must_use]
    pub(super) fn with_groups(mut self, groups: Vec<GroupClass>) -> Builtins {
        self.groups.extend(groups.into_iter().map(|group| (Symbol::intern(&group.name), group)));
        self
    }

    /// Adds the rows of another table for all names without a row in this table.
    pub(super) fn extended_with(mut self, other: Builtins) -> Builtins {
        self.locks.extend(other.locks.into_iter().filter(|name| !self.exact.contains_key(name)));
        for (name, row) in other.exact {
            self.exact.entry(name).or_insert(row);
        }
        other.patterns.into_iter().for_each(|(pattern, row)| self.add_pattern(pattern, row));
        self.classes.extend(other.classes);
        self.last_parts.extend(other.last_parts);
        for (name, group) in other.groups {
            self.groups.entry(name).or_insert(group);
        }
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

    /// Creates a table with rows that win over this one.
    pub fn with(&'static self, rows: Vec<Builtin>) -> Builtins {
        Builtins { base: Some(self), ..Builtins::of(rows) }
    }

    /// Adds conventions: the properties that names imply if the table has no row for them.
    #[must_use]
    pub fn with_conventions(self, conventions: Conventions) -> Builtins {
        Builtins { conventions, ..self }
    }

    /// The conventions for names without a row.
    pub fn conventions(&self) -> &Conventions {
        &self.conventions
    }

    /// Whether the table adds nothing to the table of the language.
    pub fn is_plain(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    /// Returns the row for a name.
    pub fn get(&self, name: Symbol) -> Option<&Builtin> {
        self.own(name).or_else(|| self.base?.get(name))
    }

    /// Whether a name is a function or class with a row, or a function that matches a pattern.
    pub fn knows(&self, name: Symbol) -> bool {
        self.is_class(name) || self.get(name).is_some()
    }

    /// Whether a name is a class whose methods have rows, or the type of the result of a row.
    pub fn is_class(&self, name: Symbol) -> bool {
        self.classes.contains(&name) || self.base.is_some_and(|base| base.is_class(name))
    }

    /// Whether a name is the last part of the qualified name of a convergent operation. So a call of this name, with an
    /// unknown object or namespace, may execute one.
    pub fn may_be_convergent(&self, last: Symbol) -> bool {
        self.last_parts.contains(&last) || self.base.is_some_and(|base| base.may_be_convergent(last))
    }

    /// Returns the class with this name whose objects represent groups of threads.
    pub fn group(&self, name: Symbol) -> Option<&GroupClass> {
        self.groups.get(&name).or_else(|| self.base?.group(name))
    }

    /// Returns the qualified name whose last part is `last`, if it is distinctive enough: the name of a class of the
    /// language, or of a function that makes an object of such a class. For `this_thread_block` it is
    /// `cooperative_groups::this_thread_block`.
    pub fn of_any_namespace(&self, last: Symbol) -> Option<Symbol> {
        let own = self.makers.get(&last).copied().flatten();
        own.or_else(|| self.base?.of_any_namespace(last))
    }

    /// Returns the row for a name in this table, without the table that it extends.
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

    /// Whether there are known names in `namespace` that begin with the segment `first`.
    pub fn has_member(&self, namespace: Symbol, first: Symbol) -> bool {
        let known = self.outer.get(&namespace).is_some_and(|firsts| firsts.contains(&first));
        known
            || self.is_of_pattern(namespace)
            || self.base.is_some_and(|base| base.has_member(namespace, first))
    }

    /// Whether names in a namespace can match a pattern.
    fn is_of_pattern(&self, namespace: Symbol) -> bool {
        let inside = format!("{namespace}::");
        let fits = |(pattern, _): &(Pattern, Builtin)| {
            let first = &*pattern.0[0];
            first.starts_with(&inside) || inside.starts_with(first)
        };
        self.patterns.iter().any(fits)
    }

    /// Whether a name is known, or is a namespace or class with known names.
    pub fn leads(&self, name: Symbol) -> bool {
        if self.knows(name) || self.outer.contains_key(&name) {
            return true;
        }
        self.is_of_pattern(name) || self.base.is_some_and(|base| base.leads(name))
    }

    /// The names of the convergent operations of this table itself, excluding its base, in no particular order.
    pub fn operations(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.exact.iter().filter(|(_, row)| row.convergent).map(|(&name, _)| name)
    }

    /// The rows of this table itself, excluding its base, in no particular order.
    pub fn rows(&self) -> impl Iterator<Item = &Builtin> {
        self.exact.values().chain(self.patterns.iter().map(|(_, row)| row))
    }

    /// The names of the atomics that take locks, without names in patterns.
    pub fn locks(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.locks.iter().chain(self.base.into_iter().flat_map(|base| &base.locks)).copied()
    }

    /// The scope of a convergent builtin.
    pub fn convergent(&self, name: Symbol) -> Option<Scope> {
        self.get(name).filter(|row| row.convergent).map(|row| row.scope)
    }
}

/// The class of the method that a row describes. A name in two namespaces gives a namespace instead, which has no
/// effect.
fn class_of(name: &str) -> Option<Symbol> {
    let (class, _) = name.rsplit_once("::")?;
    class.contains("::").then(|| Symbol::intern(class))
}

/// The namespaces and classes that contain a name, each with the next segment: for `a::b::c`, `a` with `b`, and
/// `a::b` with `c`.
fn namespaces_of(name: &str) -> impl Iterator<Item = (Symbol, Symbol)> + '_ {
    name.match_indices("::").map(|(at, separator)| {
        let after = &name[at + separator.len()..];
        let first = after.split("::").next().unwrap_or(after);
        (Symbol::intern(&name[..at]), Symbol::intern(first))
    })
}

/// A pattern as the texts between its `*`.
#[derive(Debug, PartialEq, Eq)]
struct Pattern(Vec<String>);

/// The first letters of a name. They rule out nearly all patterns for nearly all names.
type Beginning = [u8; 3];

/// `None` if the text is shorter.
fn beginning(text: &str) -> Option<Beginning> {
    text.as_bytes().first_chunk().copied()
}

impl Pattern {
    fn of(text: &str) -> Pattern {
        Pattern(text.split('*').map(str::to_owned).collect())
    }

    /// Whether `name` consists of the pieces in order, with any text between them.
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
    fn convergent_builtins_have_the_scope_of_the_table() {
        let table = opencl().builtins();
        assert_eq!(convergent(table, "barrier"), Some(Scope::Workgroup));
        assert_eq!(convergent(table, "sub_group_shuffle_xor"), Some(Scope::Subgroup));
        assert_eq!(convergent(table, "async_work_group_copy"), Some(Scope::Workgroup));
        assert_eq!(convergent(table, "mem_fence"), None);
        assert_eq!(convergent(table, "get_local_id"), None);
        assert_eq!(convergent(table, "barriers"), None);
    }

    #[test]
    fn star_in_pattern_matches_any_text() {
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
    fn user_rows_take_precedence() {
        let rows = "[[builtin]]\nname = \"sync_all\"\nscope = \"workgroup\"\n\
                    [[builtin]]\nname = \"barrier\"\nscope = \"none\"\nconvergent = false\n";
        let table: Table = toml::from_str(rows).unwrap();
        let builtins = opencl().builtins().with(table.builtin);
        assert_eq!(convergent(&builtins, "sync_all"), Some(Scope::Workgroup));
        assert_eq!(convergent(&builtins, "barrier"), None);
        assert_eq!(convergent(&builtins, "work_group_barrier"), Some(Scope::Workgroup));
    }
}
