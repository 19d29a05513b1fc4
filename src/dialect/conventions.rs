//! Conventions for names: the properties that the name of an undefined function or constant implies.
//!
//! `conventions.toml` has the rows, each with its reason, and explains their fields. This module is the only reader of them:
//! the analyses ask [`Conventions::implied`], and no other module compares the names that users choose.
//!
//! Names are compared as words, not as letters: `HALF_WARP_SIZE` has the words `half`, `warp` and `size`; `background_up` does
//! not end with the words `round` and `up`.

use std::fmt;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use tangle_grammar::symbol::Symbol;
use tangle_ir::uniformity::Implied;

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
            implies: added.implies,
            reason: String::new(),
            since: String::new(),
        });
        Conventions { rows: added.chain(kept.cloned()).collect() }
    }

    /// The row for a name: the first one that matches. Of a name with namespaces, the last part is compared.
    pub fn of(&self, name: Symbol) -> Option<&Convention> {
        let own = name.as_str().rsplit([':', '.']).next().unwrap_or_default();
        let words: Vec<String> = words(own).collect();
        self.rows.iter().find(|row| row.matches(&words))
    }

    /// The property that a name implies. None: no row matches it.
    pub fn implied(&self, name: Symbol) -> Option<Implied> {
        self.of(name).map(Convention::implied)
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convention {
    /// How settings and findings call it.
    pub id: String,
    names: Vec<Pattern>,
    #[serde(default)]
    unless: Vec<String>,
    implies: Implies,
    /// Why it is there.
    pub reason: String,
    /// The version that added it.
    pub since: String,
}

impl Convention {
    /// The property that the names of the row imply.
    pub fn implied(&self) -> Implied {
        self.implies.0
    }

    fn matches(&self, words: &[String]) -> bool {
        self.names.iter().any(|pattern| pattern.matches(words))
            && !words.iter().any(|word| self.unless.contains(word))
    }
}

/// The changes of a project to the table of conventions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Conventions")]
pub struct Changes {
    /// Rows to remove, by their names: `multiple`.
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
    names: Vec<Pattern>,
    /// Words that a name must not contain.
    #[serde(default)]
    unless: Vec<String>,
    /// The property of functions and constants with such a name.
    #[schemars(with = "String", extend("enum" = ["sub-group-size", "multiple"]))]
    implies: Implies,
}

/// The name of a row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Id(String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(id: D) -> Result<Id, D::Error> {
        let id = String::deserialize(id)?;
        match BUILTIN.rows.iter().any(|row| row.id == id) {
            true => Ok(Id(id)),
            false => {
                let known: Vec<String> = BUILTIN.rows.iter().map(|row| format!("`{}`", row.id)).collect();
                Err(D::Error::custom(format!(
                    "unknown convention `{id}`: expected one of {}",
                    known.join(", ")
                )))
            }
        }
    }
}

/// The property that a convention implies, as a table spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Implies(Implied);

/// The properties with their spelling.
const IMPLIED: [(&str, Implied); 2] =
    [("sub-group-size", Implied::SubGroupSize), ("multiple", Implied::Multiple)];

impl<'de> Deserialize<'de> for Implies {
    fn deserialize<D: Deserializer<'de>>(word: D) -> Result<Implies, D::Error> {
        let word = String::deserialize(word)?;
        let known = IMPLIED.iter().find(|(known, _)| *known == word);
        known.map(|&(_, implied)| Implies(implied)).ok_or_else(|| {
            let known: Vec<String> = IMPLIED.iter().map(|(known, _)| format!("`{known}`")).collect();
            D::Error::custom(format!("unknown `implies` `{word}`: expected one of {}", known.join(", ")))
        })
    }
}

/// Words in order; before or after them there may be others.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Pattern {
    words: Vec<String>,
    more_before: bool,
    more_after: bool,
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) =
            (if self.more_before { "… " } else { "" }, if self.more_after { " …" } else { "" });
        write!(f, "{before}{}{after}", self.words.join(" "))
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(pattern: D) -> Result<Pattern, D::Error> {
        let text = String::deserialize(pattern)?;
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let more_before = words.first() == Some(&"…");
        let more_after = words.len() > 1 && words.last() == Some(&"…");
        words.retain(|&word| word != "…");
        let is_word =
            |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
        if words.is_empty() || !words.iter().all(is_word) {
            return Err(D::Error::custom(format!(
                "invalid pattern `{text}`: write words in small letters, such as `round up`, with `…` for more words at the beginning or end"
            )));
        }
        Ok(Pattern { words: words.into_iter().map(str::to_owned).collect(), more_before, more_after })
    }
}

impl Pattern {
    fn matches(&self, words: &[String]) -> bool {
        match (self.more_before, self.more_after) {
            (false, false) => *words == self.words,
            (true, false) => words.ends_with(&self.words),
            (false, true) => words.starts_with(&self.words),
            (true, true) => words.windows(self.words.len()).any(|window| *window == self.words),
        }
    }
}

/// The words of a name, in small letters: `roundUp`, `ROUND_UP` and `RoundUp` have the words `round` and `up`. Digits belong to the
/// letters before them.
fn words(name: &str) -> impl Iterator<Item = String> + '_ {
    let letters = name.as_bytes();
    let is_boundary = |at: usize| {
        let (before, here, after) = (letters[at - 1], letters[at], letters.get(at + 1));
        let begins = here.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || before.is_ascii_uppercase() && after.is_some_and(u8::is_ascii_lowercase));
        begins || before == b'_' || here == b'_'
    };
    let mut from = 0;
    std::iter::from_fn(move || {
        let begin = from;
        if begin == letters.len() {
            return None;
        }
        from = (begin + 1..letters.len()).find(|&at| is_boundary(at)).unwrap_or(letters.len());
        Some(String::from_utf8_lossy(&letters[begin..from]).to_ascii_lowercase())
    })
    .filter(|word| word != "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn implied(name: &str) -> Option<Implied> {
        Conventions::default().implied(Symbol::intern(name))
    }

    #[test]
    fn names_consist_of_words() {
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
    fn whole_words_are_compared() {
        assert_eq!(implied("WARP_SIZE"), Some(Implied::SubGroupSize));
        assert_eq!(implied("kWarpSize"), Some(Implied::SubGroupSize));
        assert_eq!(implied("detail::WarpSize"), Some(Implied::SubGroupSize));
        assert_eq!(implied("HALF_WARP_SIZE"), None);
        assert_eq!(implied("detail::alignUp"), Some(Implied::Multiple));
        assert_eq!(implied("background_up"), None);
        assert_eq!(implied("get_num_warp_size"), None);
    }

    #[test]
    fn each_row_has_a_name_a_reason_and_a_version() {
        for (at, row) in BUILTIN.rows.iter().enumerate() {
            assert!(!row.reason.is_empty() && !row.since.is_empty(), "{row:?}");
            assert!(!BUILTIN.rows[..at].iter().any(|other| other.id == row.id), "{}", row.id);
        }
    }

    #[test]
    fn a_project_adds_and_removes_rows() {
        let changes: Changes = toml::from_str(
            "remove = [\"multiple\"]\nadd = [{ names = [\"pad to\"], implies = \"multiple\" }]",
        )
        .unwrap();
        let conventions = Conventions::with(&changes);
        assert_eq!(conventions.implied(Symbol::intern("round_up")), None);
        assert_eq!(conventions.implied(Symbol::intern("padTo")), Some(Implied::Multiple));
        assert_eq!(conventions.implied(Symbol::intern("WARP_SIZE")), Some(Implied::SubGroupSize));
        for wrong in [
            "remove = [\"multiples\"]",
            "add = [{ names = [\"Pad\"], implies = \"multiple\" }]",
            "add = [{ names = [\"\"], implies = \"multiple\" }]",
            "add = [{ names = [\"pad\"], implies = \"rounded\" }]",
        ] {
            assert!(toml::from_str::<Changes>(wrong).is_err(), "{wrong}");
        }
    }
}
