//! Predicates for kinds of tokens.

use crate::token::{TokenKind, TokenKind as K};

pub(crate) fn is_word(kind: TokenKind) -> bool {
    matches!(kind, K::Identifier | K::TypeName)
}

/// A word that can be used as a name in some places.
pub(crate) fn is_name(kind: TokenKind) -> bool {
    is_word(kind) || is_contextual(kind)
}

/// Keywords of OpenCL that older kernels use as names. Their spellings with `__` are reserved.
pub(crate) fn is_contextual(kind: TokenKind) -> bool {
    matches!(
        kind,
        K::Kernel
            | K::Global
            | K::Local
            | K::Constant
            | K::Private
            | K::GenericSpace
            | K::ReadOnly
            | K::WriteOnly
            | K::ReadWrite
            | K::Pipe_
    )
}

pub(crate) fn is_qualifier(kind: TokenKind) -> bool {
    matches!(kind, K::Const | K::Volatile | K::Restrict | K::Atomic)
        || is_contextual(kind) && kind != K::Pipe_
}

pub(crate) fn is_type_word(kind: TokenKind) -> bool {
    matches!(
        kind,
        K::Void
            | K::Char
            | K::Short
            | K::Int
            | K::Long
            | K::Float
            | K::Double
            | K::Half
            | K::Signed
            | K::Unsigned
            | K::Bool
            | K::Complex
            | K::Struct
            | K::Union
            | K::Enum
            | K::Typeof
    )
}

/// A keyword that can be among the specifiers of a declaration.
pub(crate) fn is_specifier(kind: TokenKind) -> bool {
    is_type_word(kind)
        || is_qualifier(kind)
        || matches!(
            kind,
            K::Typedef | K::Extern | K::Static | K::Auto | K::Register | K::Inline | K::Noreturn | K::Pipe_
        )
}

/// A keyword that can only begin a statement. `default` can also begin an association of `_Generic`.
pub(crate) fn begins_statement(kind: TokenKind) -> bool {
    matches!(
        kind,
        K::If
            | K::Else
            | K::Switch
            | K::Case
            | K::Default
            | K::While
            | K::Do
            | K::For
            | K::Goto
            | K::Break
            | K::Continue
            | K::Return
    )
}

pub(crate) fn is_operator(kind: TokenKind) -> bool {
    kind >= K::Plus && kind <= K::GreaterGreaterEqual
}

pub(crate) fn is_opening(kind: TokenKind) -> bool {
    matches!(kind, K::LeftParen | K::LeftBracket | K::LeftBrace | K::TemplateOpen | K::LaunchOpen)
}

pub(crate) fn is_closing(kind: TokenKind) -> bool {
    matches!(kind, K::RightParen | K::RightBracket | K::RightBrace | K::TemplateClose | K::LaunchClose)
}
