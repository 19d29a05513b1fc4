//! The rows of a table of builtin functions, and the words in them.
//!
//! The words are enumerations: an unknown word is an error with a location, and not a row without effect.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use thiserror::Error;

pub use tangle_ir::scope::Scope;
use tangle_simulate::Operation;

use super::effects;
use super::notation::alternatives;

/// An error in a row, or in a word of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RowError {
    /// An unknown word that is similar to a known one. `what` is the name of the list of words.
    #[error("unknown {what} `{word}`; did you mean `{similar}`?")]
    MisspelledWord { what: &'static str, word: String, similar: &'static str },
    /// An unknown word without a similar known word, or the start of several known words.
    #[error("unknown {what} `{word}`: expected one of {}", list(.known))]
    UnknownWord { what: &'static str, word: String, known: Vec<&'static str> },
    #[error("invalid argument number `{0}`: arguments count from 0")]
    InvalidArgument(i64),
    #[error("this builtin has both `{}` and `{}`: remove one", Key::Name.as_str(), Key::Pattern.as_str())]
    NameAndPattern,
    #[error("this builtin needs `{}` or `{}`", Key::Name.as_str(), Key::Pattern.as_str())]
    MissingName,
    #[error("this builtin needs a `scope`: one of {}", list(Group::WORDS))]
    MissingScope,
    #[error("this builtin has {operations} operations for {names} names: give one, or one for each")]
    OperationCount { operations: usize, names: usize },
}

/// Defines an enumeration whose members are words of a table. `$what` is the name of the list of words in messages.
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
            /// All words, in the order of the members.
            pub const WORDS: &'static [&'static str] = &[$($word,)*];

            /// The word for this member.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }

        impl FromStr for $name {
            type Err = RowError;

            fn from_str(word: &str) -> Result<$name, RowError> {
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
    /// The purpose of an operation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum BuiltinKind, "kind" {
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
        /// Returns a value that represents a group of threads.
        Group = "group",
        /// Gives a hint to the compiler or the device. It accesses no memory, and its value is not used.
        Hint = "hint",
    }
}

words! {
    /// The group of threads that an operation communicates with, in the terms of a language. Larger groups are
    /// greater.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Group, "scope" {
        /// No other thread.
        None = "none",
        /// A part of a sub-group: a tile of CUDA's cooperative groups, or the threads in a mask.
        Tile = "tile",
        Subgroup = "subgroup",
        Workgroup = "workgroup",
        /// Several work-groups that run concurrently and can access each other's local memory. Their group ids
        /// differ.
        Cluster = "cluster",
        Grid = "grid",
    }
}

impl Group {
    /// The smallest scope of the analyses that contains the whole group. A value that is uniform in this scope is
    /// uniform in the group. A value that is divergent in this scope can be uniform in each tile.
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
    /// A property of an object that represents a group of threads.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum GroupProperty, "adds" {
        /// The number of its threads, which its type gives.
        Threads = "threads",
        /// The mask of its lanes.
        Mask = "mask",
        /// Its number among the groups of a larger group.
        MetaGroupRank = "meta_group_rank",
        /// The number of groups of this larger group.
        MetaGroupSize = "meta_group_size",
    }
}

words! {
    /// The effect on an operation if threads of its group have exited the kernel.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum ExitedThreads, "left" {
        /// It waits for them for ever, or its behaviour is undefined.
        #[default]
        Counted = "counted",
        /// Hardware does not wait for them, but no specification guarantees this.
        Warned = "warned",
        /// It ignores them.
        Uncounted = "uncounted",
    }
}

words! {
    /// The calls at which the threads of one operation meet.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum MeetingPoint, "meets" {
        /// All threads at one call.
        #[default]
        Here = "here",
        /// Each thread at any call of the same operation.
        Anywhere = "anywhere",
    }
}

words! {
    /// How uniform the result of an operation is. The head of `opencl/builtins.toml` lists the preconditions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ResultUniformity, "result" {
        /// The same in all threads of one tangle of the cluster.
        UniformInCluster = "uniform:cluster",
        /// The same in all threads of a work-group, but different for each work-group of the cluster.
        DivergentInCluster = "divergent:cluster",
        /// The same in all threads of one tangle of the work-group.
        UniformInWorkgroup = "uniform:workgroup",
        /// The same in all threads of one tangle of the sub-group.
        UniformInSubgroup = "uniform:subgroup",
        /// The same in all threads of one tangle of the tile, which is a part of the sub-group.
        UniformInTile = "uniform:tile",
        /// Can differ between any two threads.
        Divergent = "divergent",
        /// As uniform as its arguments.
        Operands = "operands",
    }
}

words! {
    /// The effect of an operation if only a part of its group executes it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PartialExecution, "partial" {
        /// Undefined behaviour.
        Undefined = "undefined",
        /// Defined, except for values that it reads from the absent threads.
        Values = "values",
        /// Defined as an operation of the threads that execute it.
        Defined = "defined",
    }
}

/// The number of an argument of a call, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, JsonSchema)]
pub struct Argument(pub u16);

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Argument, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let argument = u16::try_from(number).map(Argument);
        argument.map_err(|_| D::Error::custom(RowError::InvalidArgument(number)))
    }
}

impl Argument {
    /// The argument in the list of a call; `None` if the list is too short.
    pub fn of<T>(self, arguments: &[T]) -> Option<&T> {
        arguments.get(usize::from(self.0))
    }
}

/// One row of a table: the properties of a function, or of all functions whose names match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Builtin {
    pub name: Name,
    /// The group that it communicates with.
    pub group: Group,
    /// The corresponding scope of the analyses: [`Group::scope`].
    pub scope: Scope,
    /// `None` if the row of a user does not have it.
    pub kind: Option<BuiltinKind>,
    /// Whether its effect depends on the set of threads that execute it together. The default for rows of a user is
    /// true.
    pub convergent: bool,
    pub result: Option<ResultUniformity>,
    /// The arguments that must be uniform in the scope.
    pub uniform_arguments: Vec<Argument>,
    /// `None` if it is unknown.
    pub partial: Option<PartialExecution>,
    /// For an atomic: it takes a lock if the arguments from this one on are constants.
    pub takes_lock: Option<Argument>,
    /// For an atomic: whether a thread that holds a lock still holds it afterwards. Any other atomic may release the
    /// lock.
    pub keeps_lock: bool,
    /// The argument with the mask of the participating threads. A result that is uniform for one mask can differ
    /// between threads with different masks.
    pub mask: Option<Argument>,
    /// Whether a mask selects the participating threads: the argument [`mask`](Builtin::mask), or an operand of an
    /// instruction.
    pub masked: bool,
    /// The argument whose value in another thread is the result. If this argument is uniform, the result is uniform.
    pub value: Option<Argument>,
    /// The argument with the number of this other thread in the sub-group. If it is uniform, the result is uniform.
    /// A following argument divides the sub-group into segments.
    pub lane: Option<Argument>,
    /// For an operation on an object that represents a group: the properties of the group that a call passes after its
    /// own arguments. The object itself is not an argument.
    pub adds: Vec<GroupProperty>,
    pub left: ExitedThreads,
    pub meets: MeetingPoint,
    /// For an operation of a group: whether its threads wait for each other. If not, all must still execute it.
    pub waits: bool,
    /// The arguments that it assigns to because they are passed by reference.
    pub writes: Vec<Argument>,
    /// The subset of `writes` that gets the same value in all participating threads of the group.
    pub same: Vec<Argument>,
    /// The type of its result, if only builtin functions use values of this type.
    pub gives: Option<String>,
    /// The id function that returns the same value, by its name in [`Dialect::index`](super::Dialect::index).
    pub index: Option<String>,
    /// The operation that an execution performs at a call (`effects.rs`). A row for several names has one for all
    /// names, or one for each. Empty: the operation of the OpenCL function with this name.
    pub operations: Vec<Operation>,
    pub deprecated: Option<String>,
    pub extension: Option<String>,
    /// One sentence for hovers.
    pub doc: Option<String>,
}

/// The names that a row applies to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// A name. In a table, it can be several: `shfl_[up|down]` is each alternative in turn.
    Exact(String),
    /// A name where `*` matches any characters.
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
        Adds = "adds",
        Tile = "tile",
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
            // JSON Schema draft 7 ignores the siblings of a reference.
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
    /// The schema of the value of this key, and its description.
    fn schema(self, generator: &mut SchemaGenerator) -> (Schema, &'static str) {
        fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
            generator.subschema_for::<T>()
        }
        let (of, description): (fn(&mut SchemaGenerator) -> Schema, _) = match self {
            Key::Name => (of::<String>, "The name of the function."),
            Key::Pattern => (of::<String>, "The names of several functions: `*` stands for any characters."),
            Key::Scope => (of::<Group>, "The group of threads that takes part."),
            Key::Kind => (of::<BuiltinKind>, "The kind of operation."),
            Key::Convergent => {
                (of::<bool>, "The threads that execute it together decide its effect. Default: true.")
            }
            Key::Result => (of::<ResultUniformity>, "How uniform the result is."),
            Key::UniformArguments => (of::<Vec<Argument>>, "Arguments that must be uniform in the scope."),
            Key::Partial => (of::<PartialExecution>, "What happens if only a part of the group reaches it."),
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
            Key::Adds => (
                of::<Vec<GroupProperty>>,
                "For an operation on an object that represents a group: the properties of the group that follow its arguments.",
            ),
            Key::Tile => (of::<Argument>, "The argument with the number of threads of a tile."),
            Key::Left => {
                (of::<ExitedThreads>, "The effect of threads that exited the kernel. Default: `counted`.")
            }
            Key::Meets => (of::<MeetingPoint>, "Whether all threads must be at one call. Default: `here`."),
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
        let (mut value, mut lane, mut adds, mut tile) = (None, None, Vec::new(), None);
        let (mut partial, mut takes_lock, mut keeps_lock) = (None, None, false);
        let (mut left, mut meets, mut waits) = (ExitedThreads::default(), MeetingPoint::default(), true);
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
                Key::Adds => adds = map.next_value()?,
                Key::Tile => tile = Some(map.next_value()?),
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
        let name = match (exact, pattern) {
            (Some(name), None) => Name::Exact(name),
            (None, Some(pattern)) => Name::Pattern(pattern),
            (Some(_), Some(_)) => return Err(A::Error::custom(RowError::NameAndPattern)),
            (None, None) => return Err(A::Error::custom(RowError::MissingName)),
        };
        let group = group.ok_or_else(|| A::Error::custom(RowError::MissingScope))?;
        let operations = match operation {
            Some(words) => operations(&words, &name, effects::Arguments { value, mask, tile })
                .map_err(A::Error::custom)?,
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
            adds,
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

/// Parses the operations of a row for one or several names.
fn operations(words: &str, name: &Name, arguments: effects::Arguments) -> Result<Vec<Operation>, RowError> {
    let names = match name {
        Name::Exact(names) => alternatives(names).len(),
        Name::Pattern(_) => 1,
    };
    let words = alternatives(words);
    if words.len() != 1 && words.len() != names {
        return Err(RowError::OperationCount { operations: words.len(), names });
    }
    let operation = |word: &String| match effects::of_word(word) {
        Some(operation) => Ok(effects::with_arguments(operation, arguments)),
        None => {
            let known: Vec<&str> = effects::WORDS.iter().map(|(known, _)| &**known).collect();
            Err(unknown(Key::Operation.as_str(), word, &known))
        }
    };
    words.iter().map(operation).collect()
}

/// The words of operations, or several in the notation for names.
fn operation_schema(_: &mut SchemaGenerator) -> Schema {
    let words: Vec<&str> = effects::WORDS.iter().map(|(word, _)| &**word).collect();
    json_schema!({ "type": "string", "anyOf": [{ "enum": words }, { "pattern": "\\[" }] })
}

impl Builtin {
    /// The operation that an execution performs at a call, for the row of a single name. `None` if the row has no
    /// operation.
    pub fn operation(&self) -> Option<Operation> {
        self.operations.first().copied()
    }

    /// Whether it yields the lanes that happen to execute it together.
    pub fn yields_active_mask(&self) -> bool {
        matches!(self.operation(), Some(Operation::Collective(it)) if it.op == tangle_ir::operation::CollectiveOp::Active)
    }

    /// Whether it is a deprecated operation of the sub-group, and control flow decides which threads take part.
    pub fn is_deprecated_warp_operation(&self) -> bool {
        self.deprecated.is_some() && self.convergent && self.scope == Scope::Subgroup && !self.masked
    }

    /// The row for one of several names. `number` is the index of the name.
    pub(super) fn of_name(&self, number: usize, name: String) -> Builtin {
        let operation = self.operations.get(number).or(self.operations.first());
        let operations = operation.copied().into_iter().collect();
        Builtin { name: Name::Exact(name), operations, ..self.clone() }
    }
}

/// The error for a word that is not in `words`. It suggests a similar word, unless the word is the start of several
/// words.
fn unknown(what: &'static str, word: &str, words: &[&'static str]) -> RowError {
    let near = |known: &&&str| strsim::jaro_winkler(word, known);
    let nearest = words.iter().max_by(|a, b| near(a).total_cmp(&near(b)));
    let begins_one = words.iter().filter(|known| known.starts_with(word)).count() < 2;
    let nearest = nearest.filter(|known| near(known) > 0.7 && begins_one);
    let word = word.to_owned();
    match nearest {
        Some(similar) => RowError::MisspelledWord { what, word, similar },
        None => RowError::UnknownWord { what, word, known: words.to_vec() },
    }
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
