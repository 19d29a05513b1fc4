//! The builtin functions of a dialect: which are convergent, in which scope, and what they return.
//!
//! The tables are data (`builtins/*.toml`): one entry for a name, or for a pattern in which `*` stands for any characters. An exact
//! name wins over a pattern, an earlier pattern over a later one.

mod notation;
pub mod signatures;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use tangle_grammar::symbol::Symbol;

pub use tangle_ir::scope::Scope;

/// One row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Builtin {
    pub name: Option<String>,
    pub pattern: Option<String>,
    pub scope: Scope,
    /// What the operation is for: `barrier`, `collective`, `shuffle`, `vote`, …
    #[serde(default)]
    pub kind: String,
    /// The threads that execute it together decide what it does. What a user adds to the table mostly is.
    #[serde(default = "yes")]
    pub convergent: bool,
    /// `uniform:workgroup`, `uniform:subgroup`, `divergent`, or `operands`; what each presupposes stands at the head of the table.
    pub result: Option<String>,
    /// Arguments, counted from 0, that must be the same in all work-items of the scope.
    #[serde(default)]
    pub uniform_arguments: Vec<usize>,
    /// The argument, counted from 0, that names the threads that take part.
    pub mask: Option<usize>,
    pub deprecated: Option<String>,
    pub extension: Option<String>,
    /// One sentence for a reader.
    pub doc: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct Table {
    builtin: Vec<Builtin>,
}

/// A table, and what it adds to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Builtins {
    exact: FxHashMap<Symbol, Builtin>,
    /// Patterns, as the texts between their `*`.
    patterns: Vec<(Vec<String>, Builtin)>,
    base: Option<&'static Builtins>,
}

static OPENCL: LazyLock<Builtins> = LazyLock::new(|| {
    Builtins::parse(include_str!("builtins/opencl.toml")).expect("the table is well-formed")
});

impl Builtins {
    /// The builtins of OpenCL C 3.0 and its extensions.
    pub fn opencl() -> &'static Builtins {
        &OPENCL
    }

    /// The builtins of OpenCL C, with rows of the user's own, which win.
    pub fn with(rows: Vec<Builtin>) -> Builtins {
        Builtins { base: Some(Builtins::opencl()), ..Builtins::of(rows) }
    }

    /// Whether nothing is added to the dialect's own table.
    pub fn is_plain(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    fn parse(text: &str) -> Result<Builtins, toml::de::Error> {
        let table: Table = toml::from_str(text)?;
        Ok(Builtins::of(table.builtin))
    }

    fn of(rows: Vec<Builtin>) -> Builtins {
        let mut builtins = Builtins::default();
        for builtin in rows {
            if let Some(name) = &builtin.name {
                builtins.exact.insert(Symbol::intern(name), builtin);
            } else if let Some(pattern) = &builtin.pattern {
                let pieces = pattern.split('*').map(str::to_owned).collect();
                builtins.patterns.push((pieces, builtin));
            }
        }
        builtins
    }

    /// The row for a name.
    pub fn get(&self, name: Symbol) -> Option<&Builtin> {
        self.own(name).or_else(|| self.base?.get(name))
    }

    /// The row for a name in this table itself, without what it adds to.
    pub fn own(&self, name: Symbol) -> Option<&Builtin> {
        self.exact.get(&name).or_else(|| {
            let name = name.as_str();
            self.patterns.iter().find(|(pieces, _)| matches(pieces, name)).map(|(_, builtin)| builtin)
        })
    }

    /// The scope of a convergent builtin.
    pub fn convergent(&self, name: Symbol) -> Option<Scope> {
        self.get(name).filter(|builtin| builtin.convergent).map(|builtin| builtin.scope)
    }
}

/// Whether `name` is the pieces in order, with anything between them.
fn matches(pieces: &[String], name: &str) -> bool {
    let [first, middle @ .., last] = pieces else {
        return pieces.first().is_some_and(|only| only == name);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn convergent(builtins: &Builtins, name: &str) -> Option<Scope> {
        builtins.convergent(Symbol::intern(name))
    }

    #[test]
    fn operations_have_the_scope_of_the_table() {
        let table = Builtins::opencl();
        assert_eq!(convergent(table, "barrier"), Some(Scope::Workgroup));
        assert_eq!(convergent(table, "sub_group_shuffle_xor"), Some(Scope::Subgroup));
        assert_eq!(convergent(table, "async_work_group_copy"), Some(Scope::Workgroup));
        assert_eq!(convergent(table, "mem_fence"), None);
        assert_eq!(convergent(table, "get_local_id"), None);
        assert_eq!(convergent(table, "barriers"), None);
    }

    #[test]
    fn patterns_match_with_anything_between_their_pieces() {
        let pieces = |pattern: &str| -> Vec<String> { pattern.split('*').map(str::to_owned).collect() };
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
            assert_eq!(matches(&pieces(pattern), name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn rows_of_the_user_win() {
        let rows = "[[builtin]]\nname = \"sync_all\"\nscope = \"workgroup\"\n\
                    [[builtin]]\nname = \"barrier\"\nscope = \"none\"\nconvergent = false\n";
        let table: Table = toml::from_str(rows).unwrap();
        let builtins = Builtins::with(table.builtin);
        assert_eq!(convergent(&builtins, "sync_all"), Some(Scope::Workgroup));
        assert_eq!(convergent(&builtins, "barrier"), None);
        assert_eq!(convergent(&builtins, "work_group_barrier"), Some(Scope::Workgroup));
    }
}
