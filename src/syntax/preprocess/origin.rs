//! Where a token was written, and through which macro expansions it came.

use tangle_grammar::symbol::Symbol;

/// A file, by the number that the embedding gave it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Where one token comes from: the place where its characters were written, and the expansion that put it here.
///
/// A token of a macro's body was written in the macro's definition. A token of a macro's argument was written at
/// the macro's use, and counts as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    pub file: FileId,
    /// The index of the token in its file.
    pub token: u32,
    /// 0 if written here, else one more than an index into [`Chunk::expansions`](super::Chunk::expansions).
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
    /// The macro's name at its use. In a use inside another macro's body this has an expansion of its own, and so on
    /// to the use that was written in the text.
    pub call: Origin,
    /// The last token of the use, in the file of `call`: the closing parenthesis of a function-like macro if it
    /// was written beside the name, else the name.
    pub call_end: u32,
    /// The macro's name in its definition.
    pub definition: (FileId, u32),
}
