//! What a table says of a builtin function: a row, and the words that stand in it.
//!
//! The words are enumerations, so that a word that means nothing is an error where it stands, and not a row without effect.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub use tangle_ir::scope::Scope;
use tangle_simulate::Operation;

use super::effects;
use super::notation::alternatives;

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

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": $name::WORDS })
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
        /// A counter of the device: two reads can return different values.
        Clock = "clock",
        Atomic = "atomic",
        Load = "load",
        Store = "store",
        Pipe = "pipe",
        Event = "event",
        Enqueue = "enqueue",
        Convert = "convert",
        Geometric = "geometric",
        Math = "math",
        /// Names a group of threads as a value.
        Group = "group",
        /// Tells the compiler or the device something; touches no memory, and has no value that counts.
        Hint = "hint",
    }
}

words! {
    /// Whom an operation talks to, as a language says it. Ordered: a larger group is greater.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Group, "scope" {
        /// Nobody: each thread for itself.
        None = "none",
        /// A part of a sub-group: a tile of CUDA's cooperative groups, or the threads that a mask names.
        Tile = "tile",
        Subgroup = "subgroup",
        Workgroup = "workgroup",
        /// Several work-groups that run at the same time and see each other's local memory. Their ids differ.
        Cluster = "cluster",
        Grid = "grid",
    }
}

impl Group {
    /// The least of the scopes of the analyses that holds all of the group. What is the same there is the same in the group, so a verdict
    /// `uniform` holds for it too. A verdict `divergent` may be about threads of several tiles.
    pub fn scope(self) -> Scope {
        match self {
            Group::None => Scope::None,
            Group::Tile | Group::Subgroup => Scope::Subgroup,
            Group::Workgroup => Scope::Workgroup,
            Group::Cluster => Scope::Cluster,
            Group::Grid => Scope::Grid,
        }
    }
}

words! {
    /// What an operation does about threads of its group that have left the kernel.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Left, "left" {
        /// It waits for them, for ever, or its behaviour is undefined.
        #[default]
        Counted = "counted",
        /// Hardware does not wait for them, but nothing promises it.
        Warned = "warned",
        /// They do not count.
        Uncounted = "uncounted",
    }
}

words! {
    /// Where the threads of one operation stand.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Meets, "meets" {
        /// All at one call.
        #[default]
        Here = "here",
        /// Each at any call of the same operation.
        Anywhere = "anywhere",
    }
}

words! {
    /// How far what an operation gives is the same for all who execute it; the head of a table says what each presupposes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Outcome, "result" {
        /// The same in all threads of one tangle of the cluster.
        UniformInCluster = "uniform:cluster",
        /// The same in all threads of a work-group, and another one for each work-group of the cluster.
        DivergentInCluster = "divergent:cluster",
        /// The same in all threads of one tangle of the work-group.
        UniformInWorkgroup = "uniform:workgroup",
        /// The same in all threads of one tangle of the sub-group.
        UniformInSubgroup = "uniform:subgroup",
        /// The same in all threads of one tangle of the tile: of a part of the sub-group.
        UniformInTile = "uniform:tile",
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema)]
pub struct Argument(pub u16);

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Argument, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let wrong =
            || D::Error::custom(format!("invalid argument number `{number}`: arguments count from 0"));
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
    /// Whom it talks to.
    pub group: Group,
    /// The scope in which the analyses look at it: [`Group::scope`].
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
    /// The argument that names the threads that take part. What is the same for them differs where their masks do.
    pub mask: Option<Argument>,
    /// Whether a mask names the threads that take part: the argument [`mask`](Builtin::mask), or an operand of an
    /// instruction.
    pub masked: bool,
    /// The argument of which it gives the value that another thread has there: who all have the same get that.
    pub value: Option<Argument>,
    /// The argument that names that thread in the sub-group, if it does so by its number: who all name one get the same. What follows it divides the
    /// sub-group.
    pub lane: Option<Argument>,
    pub left: Left,
    pub meets: Meets,
    /// Of an operation of a group: those who come wait for the others. Otherwise they only have to come.
    pub waits: bool,
    /// Arguments that it assigns to because it takes them by reference.
    pub writes: Vec<Argument>,
    /// Those of them that all threads of the group that take part get the same in.
    pub same: Vec<Argument>,
    /// The type of the value that it gives, if that is a type that only builtin functions look into.
    pub gives: Option<String>,
    /// The id function, under the name that [`Dialect::index`](super::Dialect::index) has for it, whose number it gives.
    pub index: Option<String>,
    /// What a call does when it is executed (`effects.rs`): of a row for several names, one for all, or one for each.
    /// Empty: the same as in the OpenCL function with this name.
    pub operations: Vec<Operation>,
    pub deprecated: Option<String>,
    pub extension: Option<String>,
    /// One sentence for a reader.
    pub doc: Option<String>,
}

/// Whom a row is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// A name, or, where a table is read, several: `shfl_[up|down]` is each of the texts in turn.
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
        Masked = "masked",
        Value = "value",
        Lane = "lane",
        Left = "left",
        Meets = "meets",
        Waits = "waits",
        Writes = "writes",
        Same = "same",
        Gives = "gives",
        Index = "index",
        Operation = "operation",
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

impl JsonSchema for Builtin {
    fn schema_name() -> Cow<'static, str> {
        "Builtin".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let keys = Key::WORDS.iter().map(|word| {
            let key: Key = word.parse().expect("a key of the list");
            let (mut schema, description) = key.schema(generator);
            schema.insert("description".to_owned(), description.into());
            // Draft 7 ignores what is beside a reference.
            if let Some(reference) = schema.remove("$ref") {
                schema.insert("allOf".to_owned(), serde_json::json!([{ "$ref": reference }]));
            }
            ((*word).to_owned(), schema.to_value())
        });
        let properties: serde_json::Map<_, _> = keys.collect();
        json_schema!({
            "description": "A function that is a convergent operation, whatever its definition looks like.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "required": ["scope"],
            "oneOf": [{ "required": ["name"] }, { "required": ["pattern"] }],
        })
    }
}

impl Key {
    /// The schema of its value, and what it means.
    fn schema(self, generator: &mut SchemaGenerator) -> (Schema, &'static str) {
        fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
            generator.subschema_for::<T>()
        }
        let (of, description): (fn(&mut SchemaGenerator) -> Schema, _) = match self {
            Key::Name => (of::<String>, "The name of the function."),
            Key::Pattern => (of::<String>, "The names of several functions: `*` stands for any characters."),
            Key::Scope => (of::<Group>, "The group of threads that takes part."),
            Key::Kind => (of::<Kind>, "The kind of operation."),
            Key::Convergent => {
                (of::<bool>, "The threads that execute it together decide its effect. Default: true.")
            }
            Key::Result => (of::<Outcome>, "How uniform the result is."),
            Key::UniformArguments => (of::<Vec<Argument>>, "Arguments that must be uniform in the scope."),
            Key::Partial => (of::<Partial>, "What happens if only a part of the group reaches it."),
            Key::TakesLock => (
                of::<Argument>,
                "For an atomic: it takes a lock if the arguments from this one on are constants.",
            ),
            Key::KeepsLock => (of::<bool>, "For an atomic: it never releases a lock. Default: false."),
            Key::Mask => (of::<Argument>, "The argument that names the threads that take part."),
            Key::Masked => {
                (of::<bool>, "A mask names the threads that take part. Default: false, without `mask`.")
            }
            Key::Value => (of::<Argument>, "The argument whose value in another thread is the result."),
            Key::Lane => (of::<Argument>, "The argument that names this other thread."),
            Key::Left => (of::<Left>, "The effect of threads that exited the kernel. Default: `counted`."),
            Key::Meets => (of::<Meets>, "Whether all threads must be at one call. Default: `here`."),
            Key::Waits => (of::<bool>, "Threads wait for the others of the group. Default: true."),
            Key::Writes => (of::<Vec<Argument>>, "Arguments that it assigns to by reference."),
            Key::Same => {
                (of::<Vec<Argument>>, "Arguments of `writes` that get the same value in all threads.")
            }
            Key::Gives => (of::<String>, "The type of the result, if only builtins use it."),
            Key::Index => (of::<String>, "The id function whose number is the result."),
            Key::Operation => (operation_schema, "The operation that an execution performs."),
            Key::Deprecated => (of::<String>, "Why the function is deprecated, and what to use instead."),
            Key::Extension => (of::<String>, "The extension that declares it."),
            Key::Doc => (of::<String>, "One sentence about it, for hovers."),
        };
        (of(generator), description)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Builtin;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a table with `name` or `pattern`, and `scope`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Builtin, A::Error> {
        let (mut exact, mut pattern, mut group) = (None, None, None::<Group>);
        let (mut kind, mut convergent, mut result) = (None, true, None);
        let (mut uniform_arguments, mut mask, mut masked) = (Vec::new(), None::<Argument>, false);
        let (mut value, mut lane) = (None, None);
        let (mut partial, mut takes_lock, mut keeps_lock) = (None, None, false);
        let (mut left, mut meets, mut waits) = (Left::default(), Meets::default(), true);
        let (mut writes, mut same, mut gives, mut index) = (Vec::new(), Vec::new(), None, None);
        let mut operation = None::<String>;
        let (mut deprecated, mut extension, mut doc) = (None, None, None);
        while let Some(key) = map.next_key()? {
            match key {
                Key::Name => exact = Some(map.next_value()?),
                Key::Pattern => pattern = Some(map.next_value()?),
                Key::Scope => group = Some(map.next_value()?),
                Key::Kind => kind = Some(map.next_value()?),
                Key::Convergent => convergent = map.next_value()?,
                Key::Result => result = Some(map.next_value()?),
                Key::UniformArguments => uniform_arguments = map.next_value()?,
                Key::Partial => partial = Some(map.next_value()?),
                Key::TakesLock => takes_lock = Some(map.next_value()?),
                Key::KeepsLock => keeps_lock = map.next_value()?,
                Key::Mask => mask = Some(map.next_value()?),
                Key::Masked => masked = map.next_value()?,
                Key::Value => value = Some(map.next_value()?),
                Key::Lane => lane = Some(map.next_value()?),
                Key::Left => left = map.next_value()?,
                Key::Meets => meets = map.next_value()?,
                Key::Waits => waits = map.next_value()?,
                Key::Writes => writes = map.next_value()?,
                Key::Same => same = map.next_value()?,
                Key::Gives => gives = Some(map.next_value()?),
                Key::Index => index = Some(map.next_value()?),
                Key::Operation => operation = Some(map.next_value()?),
                Key::Deprecated => deprecated = Some(map.next_value()?),
                Key::Extension => extension = Some(map.next_value()?),
                Key::Doc => doc = Some(map.next_value()?),
            }
        }
        let (exactly, like) = (Key::Name.as_str(), Key::Pattern.as_str());
        let name = match (exact, pattern) {
            (Some(name), None) => Name::Exact(name),
            (None, Some(pattern)) => Name::Pattern(pattern),
            (Some(_), Some(_)) => {
                let message = format!("this builtin has both `{exactly}` and `{like}`: remove one");
                return Err(A::Error::custom(message));
            }
            (None, None) => {
                return Err(A::Error::custom(format!("this builtin needs `{exactly}` or `{like}`")));
            }
        };
        let Some(group) = group else {
            let scopes = list(Group::WORDS);
            return Err(A::Error::custom(format!("this builtin needs a `scope`: one of {scopes}")));
        };
        let operations = match operation {
            Some(words) => operations(&words, &name, value, mask).map_err(A::Error::custom)?,
            None => Vec::new(),
        };
        Ok(Builtin {
            name,
            group,
            scope: group.scope(),
            kind,
            convergent,
            result,
            uniform_arguments,
            partial,
            takes_lock,
            keeps_lock,
            mask,
            masked: masked || mask.is_some(),
            value,
            lane,
            left,
            meets,
            waits,
            writes,
            same,
            gives,
            index,
            operations,
            deprecated,
            extension,
            doc,
        })
    }
}

/// The operations of a row for one or several names.
fn operations(
    words: &str,
    name: &Name,
    value: Option<Argument>,
    mask: Option<Argument>,
) -> Result<Vec<Operation>, String> {
    let names = match name {
        Name::Exact(names) => alternatives(names).len(),
        Name::Pattern(_) => 1,
    };
    let words = alternatives(words);
    if words.len() != 1 && words.len() != names {
        let (has, needs) = (words.len(), names);
        return Err(format!(
            "this builtin has {has} operations for {needs} names: give one, or one for each"
        ));
    }
    let operation = |word: &String| match effects::of_word(word) {
        Some(operation) => Ok(effects::moved(operation, value, mask)),
        None => {
            let known: Vec<&str> = effects::WORDS.iter().map(|(known, _)| &**known).collect();
            Err(unknown(Key::Operation.as_str(), word, &known))
        }
    };
    words.iter().map(operation).collect()
}

/// The words of operations; or several in the notation of names.
fn operation_schema(_: &mut SchemaGenerator) -> Schema {
    let words: Vec<&str> = effects::WORDS.iter().map(|(word, _)| &**word).collect();
    json_schema!({ "type": "string", "anyOf": [{ "enum": words }, { "pattern": "\\[" }] })
}

impl Builtin {
    /// What a call does when it is executed, in the row of a single name. `None`: the row does not say.
    pub fn operation(&self) -> Option<Operation> {
        self.operations.first().copied()
    }

    /// The row of one name of several, by its number.
    pub(super) fn of_name(&self, number: usize, name: String) -> Builtin {
        let operation = self.operations.get(number).or(self.operations.first());
        let operations = operation.copied().into_iter().collect();
        Builtin { name: Name::Exact(name), operations, ..self.clone() }
    }
}

/// A sentence about a word that is none of `words`: which one may have been meant, unless it is the beginning of several.
fn unknown(what: &str, word: &str, words: &[&str]) -> String {
    let near = |known: &&&str| strsim::jaro_winkler(word, known);
    let nearest = words.iter().max_by(|a, b| near(a).total_cmp(&near(b)));
    let begins_one = words.iter().filter(|known| known.starts_with(word)).count() < 2;
    match nearest.filter(|known| near(known) > 0.7 && begins_one) {
        Some(known) => format!("unknown {what} `{word}`; did you mean `{known}`?"),
        None => format!("unknown {what} `{word}`: expected one of {}", list(words)),
    }
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
