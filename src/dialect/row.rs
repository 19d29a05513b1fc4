//! What a table says of a builtin function: a row, and the words that stand in it.
//!
//! The words are enumerations, so that a word that means nothing is an error where it stands, and not a row without effect.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub use tangle_ir::scope::Scope;

/// An enumeration of which each member is a word of a table. `$what` names it in messages.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident, $what:literal {
            $($(#[$member:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $name {
            $($(#[$member])* $variant,)*
        }

        impl $name {
            /// The words, in the order of the members.
            pub const WORDS: &'static [&'static str] = &[$($word,)*];

            /// The word for it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }

        impl FromStr for $name {
            type Err = String;

            /// What a word means; or a sentence about a word that means nothing.
            fn from_str(word: &str) -> Result<$name, String> {
                match word {
                    $($word => Ok($name::$variant),)*
                    _ => Err(unknown($what, word, $name::WORDS)),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}

words! {
    /// What an operation is for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Kind, "kind" {
        // Convergent.
        Barrier = "barrier",
        Collective = "collective",
        Shuffle = "shuffle",
        Vote = "vote",
        Ballot = "ballot",
        Broadcast = "broadcast",
        BlockIo = "block-io",
        Copy = "copy",
        Wait = "wait",
        Reservation = "reservation",
        // Not convergent.
        Fence = "fence",
        Id = "id",
        Size = "size",
        Atomic = "atomic",
        Load = "load",
        Store = "store",
        Pipe = "pipe",
        Event = "event",
        Enqueue = "enqueue",
        Convert = "convert",
        Geometric = "geometric",
        Math = "math",
    }
}

words! {
    /// How far what an operation gives is the same for all who execute it; the head of a table says what each presupposes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Outcome, "result" {
        /// The same in all threads of one tangle of the work-group.
        UniformInWorkgroup = "uniform:workgroup",
        /// The same in all threads of one tangle of the sub-group.
        UniformInSubgroup = "uniform:subgroup",
        /// It may differ between any two threads.
        Divergent = "divergent",
        /// As uniform as its arguments.
        Operands = "operands",
    }
}

words! {
    /// What an operation is where only part of its group comes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Partial, "partial" {
        /// Undefined behaviour.
        Undefined = "undefined",
        /// Defined but for what it reads from threads that did not come.
        Values = "values",
        /// An operation of those who come.
        Defined = "defined",
    }
}

/// The number of an argument of a call, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Argument(pub u16);

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Argument, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("`{number}` is no number of an argument: they count from 0"));
        u16::try_from(number).map(Argument).map_err(|_| wrong())
    }
}

impl Argument {
    /// The argument of a call that has it.
    pub fn of<T>(self, arguments: &[T]) -> Option<&T> {
        arguments.get(usize::from(self.0))
    }
}

/// One row of a table: what holds for a function, or for all whose names match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Builtin {
    pub name: Name,
    pub scope: Scope,
    /// None where a user does not say.
    pub kind: Option<Kind>,
    /// The threads that execute it together decide what it does. What a user adds to the table mostly is.
    pub convergent: bool,
    pub result: Option<Outcome>,
    /// Arguments that must be the same in all work-items of the scope.
    pub uniform_arguments: Vec<Argument>,
    /// None: nothing is known of that.
    pub partial: Option<Partial>,
    /// Of an atomic that takes a lock if its arguments from this one on are constants.
    pub takes_lock: Option<Argument>,
    /// Of an atomic: who holds a lock holds it still behind it. Any other may give it back.
    pub keeps_lock: bool,
    /// The argument that names the threads that take part.
    pub mask: Option<Argument>,
    pub deprecated: Option<String>,
    pub extension: Option<String>,
    /// One sentence for a reader.
    pub doc: Option<String>,
}

/// A scope as a table writes it.
struct ScopeWord(Scope);

const SCOPES: [Scope; 4] = [Scope::None, Scope::Subgroup, Scope::Workgroup, Scope::Grid];

impl<'de> Deserialize<'de> for ScopeWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ScopeWord, D::Error> {
        let word = String::deserialize(deserializer)?;
        let scope = SCOPES.into_iter().find(|scope| scope.as_str() == word);
        scope
            .map(ScopeWord)
            .ok_or_else(|| D::Error::custom(unknown("scope", &word, &SCOPES.map(Scope::as_str))))
    }
}

/// Whom a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    Exact(String),
    /// A name in which `*` stands for any characters.
    Pattern(String),
}

words! {
    /// The keys of a row.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Key, "key" {
        Name = "name",
        Pattern = "pattern",
        Scope = "scope",
        Kind = "kind",
        Convergent = "convergent",
        Result = "result",
        UniformArguments = "uniform-arguments",
        Partial = "partial",
        TakesLock = "takes-lock",
        KeepsLock = "keeps-lock",
        Mask = "mask",
        Deprecated = "deprecated",
        Extension = "extension",
        Doc = "doc",
    }
}

impl<'de> Deserialize<'de> for Builtin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Builtin, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Builtin;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a builtin function: a table with `name` or `pattern`, and `scope`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Builtin, A::Error> {
        let (mut exact, mut pattern, mut scope) = (None, None, None);
        let (mut kind, mut convergent, mut result) = (None, true, None);
        let (mut uniform_arguments, mut mask) = (Vec::new(), None);
        let (mut partial, mut takes_lock, mut keeps_lock) = (None, None, false);
        let (mut deprecated, mut extension, mut doc) = (None, None, None);
        while let Some(key) = map.next_key()? {
            match key {
                Key::Name => exact = Some(map.next_value()?),
                Key::Pattern => pattern = Some(map.next_value()?),
                Key::Scope => scope = Some(map.next_value::<ScopeWord>()?.0),
                Key::Kind => kind = Some(map.next_value()?),
                Key::Convergent => convergent = map.next_value()?,
                Key::Result => result = Some(map.next_value()?),
                Key::UniformArguments => uniform_arguments = map.next_value()?,
                Key::Partial => partial = Some(map.next_value()?),
                Key::TakesLock => takes_lock = Some(map.next_value()?),
                Key::KeepsLock => keeps_lock = map.next_value()?,
                Key::Mask => mask = Some(map.next_value()?),
                Key::Deprecated => deprecated = Some(map.next_value()?),
                Key::Extension => extension = Some(map.next_value()?),
                Key::Doc => doc = Some(map.next_value()?),
            }
        }
        let either = format!("a `{}` or a `{}`", Key::Name.as_str(), Key::Pattern.as_str());
        let name = match (exact, pattern) {
            (Some(name), None) => Name::Exact(name),
            (None, Some(pattern)) => Name::Pattern(pattern),
            (Some(_), Some(_)) => return Err(A::Error::custom(format!("a builtin has {either}, not both"))),
            (None, None) => return Err(A::Error::custom(format!("a builtin needs {either}"))),
        };
        let Some(scope) = scope else {
            let scopes = list(&SCOPES.map(Scope::as_str));
            return Err(A::Error::custom(format!("a builtin needs a `scope`: one of {scopes}")));
        };
        Ok(Builtin {
            name,
            scope,
            kind,
            convergent,
            result,
            uniform_arguments,
            partial,
            takes_lock,
            keeps_lock,
            mask,
            deprecated,
            extension,
            doc,
        })
    }
}

/// A sentence about a word that is none of `words`: which one may have been meant.
fn unknown(what: &str, word: &str, words: &[&str]) -> String {
    let near = |known: &&&str| strsim::jaro_winkler(word, known);
    let nearest = words.iter().max_by(|a, b| near(a).total_cmp(&near(b)));
    match nearest.filter(|known| near(known) > 0.7) {
        Some(known) => format!("there is no {what} `{word}`; did you mean `{known}`?"),
        None => format!("there is no {what} `{word}`: it is one of {}", list(words)),
    }
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
