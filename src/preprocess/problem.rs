//! What went wrong, as data; and the words for it.

use tangle_grammar::symbol::Symbol;

use super::origin::Origin;

/// Something in the source that preprocessing could not follow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    pub kind: ProblemKind,
    pub origin: Origin,
    /// Other places that belong to it: the first `#else` of two, the definition of a macro.
    pub related: Vec<Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// The file of an `#include` is nowhere; `name` as written, without its quotes.
    MissingInclude {
        name: String,
    },
    /// The file of an `#include` is nowhere, and the language knows what it declares.
    KnownHeader {
        name: String,
    },
    /// `#include` without the name of a file.
    BadInclude,
    /// An `#include` in the arguments of a macro.
    IncludeInArguments {
        name: Symbol,
    },
    /// Includes nest too deeply; `recursive` if the file includes itself.
    IncludeDepth {
        name: String,
        recursive: bool,
    },
    /// `#if` without `#endif`.
    UnclosedIf,
    /// `#else`, `#elif`, `#endif` without `#if`.
    StrayConditional {
        directive: Symbol,
    },
    /// `#else` or `#elif` behind `#else`.
    AfterElse {
        directive: Symbol,
    },
    BadCondition {
        reason: String,
    },
    BadDefine {
        reason: String,
    },
    UnknownDirective {
        name: String,
    },
    /// `undefined`: the names that nothing defines, without which it might not be reached; any one of them may do.
    ErrorDirective {
        text: String,
        undefined: Vec<Symbol>,
    },
    WarningDirective {
        text: String,
    },
    /// A `#pragma pack` without the effect that it asks for.
    BadPack {
        reason: String,
    },
    UnclosedComment,
    /// A macro call without its closing parenthesis.
    UnclosedCall {
        name: Symbol,
    },
    ArgumentCount {
        name: Symbol,
        expected: usize,
        variadic: bool,
        found: usize,
    },
    /// `##` made something that is no token.
    BadPaste {
        text: String,
    },
    /// A macro expands to more than anyone can use.
    TooLarge {
        name: Symbol,
    },
    /// Macro calls in macro arguments in macro arguments…
    TooDeep {
        name: Symbol,
    },
    /// The whole translation unit is too large; the rest of it is left out.
    UnitTooLarge,
}

/// How many names a sentence holds.
const NAMES: usize = 4;

/// `A`, `B` or `C`; nothing if there is none.
fn names(names: &[Symbol]) -> Option<String> {
    let quoted: Vec<String> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    let (last, before) = quoted.split_last()?;
    Some(match before {
        [] => last.clone(),
        before => format!("{} or {last}", before.join(", ")),
    })
}

impl Problem {
    /// Whether the analysis may go on as if nothing had happened.
    pub fn is_benign(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::WarningDirective { .. }
                | ProblemKind::UnknownDirective { .. }
                | ProblemKind::BadPack { .. }
        )
    }

    /// Whether it is one of a macro where it is used, and so of the item around it.
    pub fn is_of_expansion(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::UnclosedCall { .. }
                | ProblemKind::ArgumentCount { .. }
                | ProblemKind::BadPaste { .. }
                | ProblemKind::TooLarge { .. }
                | ProblemKind::TooDeep { .. }
        )
    }

    /// The names without which an `#error` might not be reached. Empty: it is none, or nothing is missing.
    pub fn wanted(&self) -> &[Symbol] {
        match &self.kind {
            ProblemKind::ErrorDirective { undefined, .. } => undefined,
            _ => &[],
        }
    }

    /// What the user may do about it.
    pub fn help(&self) -> Option<String> {
        let ProblemKind::ErrorDirective { undefined, .. } = &self.kind else { return None };
        let first = undefined.first()?;
        Some(format!("give it a value with `-D {first}=…`, or in the list `define` of `tangle.toml`"))
    }

    pub fn message(&self) -> String {
        match &self.kind {
            ProblemKind::MissingInclude { name } | ProblemKind::KnownHeader { name } => {
                format!("the header `{name}` is not found")
            }
            ProblemKind::BadInclude => "`#include` needs the name of a file, in `\"\"` or `<>`".into(),
            ProblemKind::IncludeInArguments { name } => {
                format!("`#include` inside the arguments of the macro `{name}` is left out")
            }
            ProblemKind::IncludeDepth { name, recursive: true } => {
                format!("`{name}` includes itself without end; further includes are left out")
            }
            ProblemKind::IncludeDepth { name, recursive: false } => {
                format!("the include of `{name}` nests too deeply; further includes are left out")
            }
            ProblemKind::UnclosedIf => "this conditional has no `#endif`".into(),
            ProblemKind::StrayConditional { directive } => format!("`#{directive}` without an `#if`"),
            ProblemKind::AfterElse { directive } => format!("`#{directive}` after `#else`"),
            ProblemKind::BadCondition { reason } => format!("this condition cannot be evaluated: {reason}"),
            ProblemKind::BadDefine { reason } => format!("this macro definition is not valid: {reason}"),
            ProblemKind::UnknownDirective { name } => format!("`#{name}` is not a directive"),
            ProblemKind::ErrorDirective { text, undefined } => {
                let message = format!("`#error` {text}");
                match names(undefined) {
                    Some(names) => format!("{}: nothing defines {names}", message.trim_end()),
                    None => message.trim_end().into(),
                }
            }
            ProblemKind::WarningDirective { text } => format!("`#warning` {text}").trim_end().into(),
            ProblemKind::BadPack { reason } => format!("`#pragma pack` without its full effect: {reason}"),
            ProblemKind::UnclosedComment => {
                "this comment is not closed; the rest of the file belongs to it".into()
            }
            ProblemKind::UnclosedCall { name } => {
                format!("the arguments of the macro `{name}` have no closing `)`")
            }
            ProblemKind::ArgumentCount { name, expected, variadic, found } => {
                let least = if *variadic { "at least " } else { "" };
                let plural = if *expected == 1 { "" } else { "s" };
                format!("the macro `{name}` takes {least}{expected} argument{plural}, not {found}")
            }
            ProblemKind::BadPaste { text } => format!("`##` makes `{text}`, which is not a token"),
            ProblemKind::TooLarge { name } => format!("the macro `{name}` expands to too much text"),
            ProblemKind::TooDeep { name } => {
                format!("calls of the macro `{name}` nest too deeply in its arguments")
            }
            ProblemKind::UnitTooLarge => {
                "this file is too large after preprocessing; the rest of it is left out".into()
            }
        }
    }
}
