//! Conventions for names: the properties that the name of an undefined function or constant implies.
//!
//! `conventions.toml` has the rows, each with its reason, and describes their fields. Only this module reads them:
//! the analyses call [`Conventions::implied`], and no other module compares the names that users choose.
//!
//! Names are compared [word by word](tangle_base::pattern).

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use tangle_base::pattern::{Pattern, any_matches, words};
use tangle_grammar::lexicon::{self, Macro};
use tangle_grammar::symbol::Symbol;
use tangle_ir::uniformity::ImpliedMeaning;

static BUILTIN: LazyLock<Conventions> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        convention: Vec<Convention>,
    }
    let table: Table = toml::from_str(include_str!("conventions.toml"))
        .unwrap_or_else(|mistake| panic!("error in the table of conventions: {mistake}"));
    Conventions { rows: table.convention }
});

/// The conventions of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conventions {
    rows: Vec<Convention>,
}

impl Default for Conventions {
    fn default() -> Conventions {
        BUILTIN.clone()
    }
}

impl Conventions {
    /// The rows of the table, without the rows that a project removes, and with the rows that it adds.
    pub fn with(changes: &Changes) -> Conventions {
        let kept =
            BUILTIN.rows.iter().filter(|row| !changes.remove.iter().any(|removed| removed.0 == row.id));
        let added = changes.add.iter().map(|added| Convention {
            id: "tangle.toml".to_owned(),
            names: added.names.clone(),
            unless: added.unless.clone(),
            implies: Implies::Value(added.implies.0),
            reason: String::new(),
            since: String::new(),
        });
        Conventions { rows: added.chain(kept.cloned()).collect() }
    }

    /// Returns the first row that matches the name of a function or constant. For a name with namespaces, the last
    /// part is compared. A text that is no name, such as `sizeof(T)`, matches no row.
    pub fn of(&self, name: Symbol) -> Option<&Convention> {
        let own = name.as_str().rsplit([':', '.']).next().unwrap_or_default();
        if own.contains(['<', '>', '(', ')']) {
            return None;
        }
        let words: Vec<String> = words(own).collect();
        self.rows.iter().filter(|row| row.implied().is_some()).find(|row| row.matches(&words))
    }

    /// The meanings that the names of undefined macros imply, for the parser.
    pub(super) fn macros() -> Vec<lexicon::Convention> {
        let of_row = |row: &Convention| {
            let Implies::Macro(implies) = row.implies else { return None };
            let names = row.names.iter().map(|names| names.0.clone()).collect();
            Some(lexicon::Convention { names, unless: row.unless.clone(), implies })
        };
        BUILTIN.rows.iter().filter_map(of_row).collect()
    }

    /// The property that a name implies. `None` if no row matches it.
    pub fn implied(&self, name: Symbol) -> Option<ImpliedMeaning> {
        self.of(name)?.implied()
    }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convention {
    /// The name of the row in settings and findings.
    pub id: String,
    names: Vec<Names>,
    #[serde(default)]
    unless: Vec<String>,
    implies: Implies,
    /// The reason for the row.
    pub reason: String,
    /// The version that added it.
    pub since: String,
}

impl Convention {
    /// The implied property, if the row is for functions and constants.
    pub fn implied(&self) -> Option<ImpliedMeaning> {
        match self.implies {
            Implies::Value(implied) => Some(implied),
            Implies::Macro(_) => None,
        }
    }

    /// Whether a project added the row.
    pub fn is_of_project(&self) -> bool {
        self.since.is_empty()
    }

    fn matches(&self, words: &[String]) -> bool {
        any_matches(self.names.iter().map(|names| &names.0), &self.unless, words)
    }
}

/// The changes of a project to the table of conventions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Conventions")]
pub struct Changes {
    /// Rows to remove, by their names: `sub-group-size`.
    #[schemars(with = "Vec<String>")]
    remove: Vec<Id>,
    /// Rows to add.
    add: Vec<Added>,
}

/// A convention for names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Convention")]
struct Added {
    /// Patterns of words: `pad to` matches `pad_to` and `padTo`, `… size` each name that ends with the word `size`.
    #[schemars(with = "Vec<String>")]
    names: Vec<Names>,
    /// Words that a name must not contain.
    #[serde(default)]
    unless: Vec<String>,
    /// The property of functions and constants with such a name.
    #[schemars(with = "String", extend("enum" = ["sub-group-size", "multiple"]))]
    implies: OfValue,
}

/// The name of a row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Id(String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(id: D) -> Result<Id, D::Error> {
        let id = String::deserialize(id)?;
        let mut rows = BUILTIN.rows.iter().filter(|row| row.implied().is_some());
        match rows.clone().any(|row| row.id == id) {
            true => Ok(Id(id)),
            false => {
                let known: Vec<String> = rows.by_ref().map(|row| format!("`{}`", row.id)).collect();
                Err(D::Error::custom(format!(
                    "unknown convention `{id}`: expected one of {}",
                    known.join(", ")
                )))
            }
        }
    }
}

/// The implication of a convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Implies {
    /// A property of a value.
    Value(ImpliedMeaning),
    /// The meaning of a macro.
    Macro(Macro),
}

/// The meanings of macros, with their spelling.
const MACROS: [(&str, Macro); 2] = [("kernel", Macro::Kernel), ("device-function", Macro::Device)];

/// The properties of values, with their spelling.
const IMPLIED: [(&str, ImpliedMeaning); 2] =
    [("sub-group-size", ImpliedMeaning::SubGroupSize), ("multiple", ImpliedMeaning::Multiple)];

/// A property of a value in settings. A project cannot add rows for macros, because texts are parsed once for all
/// projects. It defines its macros instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OfValue(ImpliedMeaning);

impl<'de> Deserialize<'de> for OfValue {
    fn deserialize<D: Deserializer<'de>>(word: D) -> Result<OfValue, D::Error> {
        let word = String::deserialize(word)?;
        if MACROS.iter().any(|(known, _)| *known == word) {
            return Err(D::Error::custom(format!("no convention implies `{word}`: `define` defines macros")));
        }
        let known = IMPLIED.iter().find(|(known, _)| *known == word);
        known.map(|&(_, implied)| OfValue(implied)).ok_or_else(|| {
            let known: Vec<String> = IMPLIED.iter().map(|(known, _)| format!("`{known}`")).collect();
            D::Error::custom(format!("unknown `implies` `{word}`: expected one of {}", known.join(", ")))
        })
    }
}

impl<'de> Deserialize<'de> for Implies {
    fn deserialize<D: Deserializer<'de>>(word: D) -> Result<Implies, D::Error> {
        let word = String::deserialize(word)?;
        let value = IMPLIED.iter().find(|(known, _)| *known == word).map(|&(_, it)| Implies::Value(it));
        let of_macro = || MACROS.iter().find(|(known, _)| *known == word).map(|&(_, it)| Implies::Macro(it));
        value.or_else(of_macro).ok_or_else(|| D::Error::custom(format!("unknown `implies` `{word}`")))
    }
}

/// A [`Pattern`] in the notation of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Names(Pattern);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(pattern: D) -> Result<Names, D::Error> {
        String::deserialize(pattern)?.parse().map(Names).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn implied(name: &str) -> Option<ImpliedMeaning> {
        Conventions::default().implied(Symbol::intern(name))
    }

    #[test]
    fn names_are_split_into_words() {
        for (name, expected) in [
            ("round_up", "round up"),
            ("roundUp", "round up"),
            ("ROUND_UP", "round up"),
            ("kWarpSize", "k warp size"),
            ("CUDAWarpSize", "cuda warp size"),
            ("C10_WARP_SIZE", "c10 warp size"),
            ("include", "include"),
            ("__x2Y", "x2 y"),
            ("", ""),
            ("größe_T", "größe t"),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>().join(" "), expected, "{name}");
        }
    }

    #[test]
    fn conventions_match_whole_words_only() {
        assert_eq!(implied("WARP_SIZE"), Some(ImpliedMeaning::SubGroupSize));
        assert_eq!(implied("kWarpSize"), Some(ImpliedMeaning::SubGroupSize));
        assert_eq!(implied("detail::WarpSize"), Some(ImpliedMeaning::SubGroupSize));
        assert_eq!(implied("traits<T>::warp_size"), Some(ImpliedMeaning::SubGroupSize));
        assert_eq!(implied("is_same<WARP_SIZE>"), None);
        assert_eq!(implied("HALF_WARP_SIZE"), None);
        assert_eq!(implied("detail::alignUp"), None);
        assert_eq!(implied("background_warp_sizes"), None);
        assert_eq!(implied("get_num_warp_size"), None);
    }

    #[test]
    fn rows_have_a_unique_id_a_reason_and_a_version() {
        for (at, row) in BUILTIN.rows.iter().enumerate() {
            assert!(!row.reason.is_empty() && !row.since.is_empty(), "{row:?}");
            assert!(!BUILTIN.rows[..at].iter().any(|other| other.id == row.id), "{}", row.id);
        }
    }

    #[test]
    fn project_can_add_and_remove_rows() {
        let changes: Changes = toml::from_str(
            "remove = [\"sub-group-size\"]\nadd = [{ names = [\"pad to\", \"… round up\"], implies = \"multiple\" }]",
        )
        .unwrap();
        let conventions = Conventions::with(&changes);
        assert_eq!(conventions.implied(Symbol::intern("detail::alignUp")), None);
        assert_eq!(conventions.implied(Symbol::intern("detail::roundUp")), Some(ImpliedMeaning::Multiple));
        assert_eq!(conventions.implied(Symbol::intern("padTo")), Some(ImpliedMeaning::Multiple));
        assert_eq!(conventions.implied(Symbol::intern("WARP_SIZE")), None);
        for wrong in [
            "remove = [\"multiples\"]",
            "remove = [\"kernel\"]",
            "add = [{ names = [\"entry\"], implies = \"kernel\" }]",
            "add = [{ names = [\"Pad\"], implies = \"multiple\" }]",
            "add = [{ names = [\"\"], implies = \"multiple\" }]",
            "add = [{ names = [\"pad\"], implies = \"rounded\" }]",
        ] {
            assert!(toml::from_str::<Changes>(wrong).is_err(), "{wrong}");
        }
    }
}
