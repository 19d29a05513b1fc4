//! The origins of tokens: their location in a file, and the macro expansions that they come from.

use tangle_grammar::symbol::Symbol;

/// A file, by the number that the embedding program gave it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// The origin of one token: the location of its characters, and the expansion that produced the token.
///
/// A token of a macro body is located in the macro's definition. A token of a macro argument is located at the use of
/// the macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub file: FileId,
    /// The index of the token in its file.
    pub token: u32,
    /// 0 for a token outside expansions; otherwise one more than an index into
    /// [`Chunk::expansions`](super::Chunk::expansions).
    pub expansion: u32,
}

impl Origin {
    pub const fn written(file: FileId, token: u32) -> Origin {
        Origin { file, token, expansion: 0 }
    }
}

/// One use of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expansion {
    pub name: Symbol,
    /// The macro's name at its use. If the use is in the body of another macro, this origin refers to the expansion
    /// of that macro, and so on up to the use in the source text.
    pub call: Origin,
    /// The last token of the use, in the file of `call`: the closing parenthesis of a function-like macro if it is in
    /// the same file and expansion as the name, otherwise the name.
    pub call_end: u32,
    /// The macro's name in its definition.
    pub definition: (FileId, u32),
}
