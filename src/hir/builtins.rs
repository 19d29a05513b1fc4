//! The builtin functions of a dialect: which are convergent, in which scope, and what they return.
//!
//! The tables are data (`builtins/*.toml`): one entry for a name, or for a pattern in which `*` stands for any characters. An exact
//! name wins over a pattern, an earlier pattern over a later one.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use tangle_grammar::symbol::Symbol;

/// The group of threads that takes part in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    None,
    Subgroup,
    Workgroup,
    Grid,
}

impl Scope {
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::None => "none",
            Scope::Subgroup => "subgroup",
            Scope::Workgroup => "workgroup",
            Scope::Grid => "grid",
        }
    }
}

/// One row of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Builtin {
    pub name: Option<String>,
    pub pattern: Option<String>,
    pub scope: Scope,
    /// What the operation is for: `barrier`, `collective`, `shuffle`, `vote`, …
    pub kind: String,
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

#[derive(Deserialize)]
struct Table {
    builtin: Vec<Builtin>,
}

pub struct Builtins {
    exact: FxHashMap<Symbol, Builtin>,
    /// Patterns by the text before their first `*`.
    patterns: Vec<(Vec<String>, Builtin)>,
}

static OPENCL: LazyLock<Builtins> = LazyLock::new(|| {
    Builtins::parse(include_str!("builtins/opencl.toml")).expect("the table is well-formed")
});

impl Builtins {
    /// The builtins of OpenCL C 3.0 and its extensions.
    pub fn opencl() -> &'static Builtins {
        &OPENCL
    }

    fn parse(text: &str) -> Result<Builtins, toml::de::Error> {
        let table: Table = toml::from_str(text)?;
        let mut builtins = Builtins { exact: FxHashMap::default(), patterns: Vec::new() };
        for builtin in table.builtin {
            if let Some(name) = &builtin.name {
                builtins.exact.insert(Symbol::intern(name), builtin);
            } else if let Some(pattern) = &builtin.pattern {
                let pieces = pattern.split('*').map(str::to_owned).collect();
                builtins.patterns.push((pieces, builtin));
            }
        }
        Ok(builtins)
    }

    /// The row for a name.
    pub fn get(&self, name: Symbol) -> Option<&Builtin> {
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
