//! The problems of preprocessing as data, and their messages.

use tangle_grammar::symbol::Symbol;

use super::condition::ConditionError;
use super::definition::DefinitionError;
use super::origin::Origin;
use super::pack::PackError;

/// A problem of preprocessing in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    pub kind: ProblemKind,
    pub origin: Origin,
    /// Related locations: the first of two `#else`, the definition of a macro.
    pub related: Vec<Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// The file of an `#include` was not found. `name` is its spelling without quotes.
    MissingInclude {
        name: String,
    },
    /// The file of an `#include` was not found, but the dialect defines its declarations.
    KnownHeader {
        name: String,
    },
    /// `#include` without a file name.
    BadInclude,
    /// An `#include` in the arguments of a macro.
    IncludeInArguments {
        name: Symbol,
    },
    /// Includes are nested too deeply. `recursive`: the file includes itself.
    IncludeDepth {
        name: String,
        recursive: bool,
    },
    /// `#if` without `#endif`.
    UnclosedIf,
    /// `#else`, `#elif` or `#endif` without `#if`.
    StrayConditional {
        directive: Symbol,
    },
    /// `#else` or `#elif` after `#else`.
    AfterElse {
        directive: Symbol,
    },
    BadCondition {
        reason: ConditionError,
    },
    BadDefine {
        reason: DefinitionError,
    },
    /// `#undef` without a macro name.
    BadUndef,
    UnknownDirective {
        name: String,
    },
    /// `undefined`: the undefined names that caused it to be reached. A definition of one of them may be enough to
    /// avoid it.
    ErrorDirective {
        text: String,
        undefined: Vec<Symbol>,
    },
    WarningDirective {
        text: String,
    },
    /// A `#pragma pack` that does not take full effect.
    BadPack {
        reason: PackError,
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
    /// The result of `##` is not a token.
    BadPaste {
        text: String,
    },
    /// The expansion of a macro is too large.
    TooLarge {
        name: Symbol,
    },
    /// Macro calls are nested too deeply in macro arguments.
    TooDeep {
        name: Symbol,
    },
    /// The translation unit is too large. The rest of it is skipped.
    UnitTooLarge,
}

/// The maximum number of names in a message.
const NAMES: usize = 4;

/// Formats `A`, `B` or `C`. `None` for an empty list.
fn names(names: &[Symbol]) -> Option<String> {
    let quoted: Vec<String> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    let (last, before) = quoted.split_last()?;
    Some(match before {
        [] => last.clone(),
        before => format!("{} or {last}", before.join(", ")),
    })
}

impl Problem {
    /// Whether the analysis can continue as if there were no problem.
    pub fn is_benign(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::WarningDirective { .. }
                | ProblemKind::UnknownDirective { .. }
                | ProblemKind::BadPack { .. }
        )
    }

    /// Whether it concerns the use of a macro, and so the item that contains the use.
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

    /// The undefined names that caused an `#error`. Empty for other problems, or if no name is undefined.
    pub fn wanted(&self) -> &[Symbol] {
        match &self.kind {
            ProblemKind::ErrorDirective { undefined, .. } => undefined,
            _ => &[],
        }
    }

    /// The help text of the message, or `None`.
    pub fn help(&self) -> Option<String> {
        Some(match &self.kind {
            ProblemKind::ErrorDirective { undefined, .. } => {
                let first = undefined.first()?;
                format!("define it with `-D {first}=…`, or in the list `define` of `tangle.toml`")
            }
            ProblemKind::BadInclude => "write `#include \"FILE\"` or `#include <FILE>`".into(),
            ProblemKind::IncludeInArguments { .. } => "move the `#include` out of the macro call".into(),
            ProblemKind::IncludeDepth { name, recursive: true } => {
                format!("add `#pragma once` or an include guard to `{name}`")
            }
            ProblemKind::UnclosedIf => "add the missing `#endif`".into(),
            ProblemKind::StrayConditional { .. } => "remove it, or add the missing `#if`".into(),
            ProblemKind::AfterElse { .. } => "make `#else` the last branch of the conditional".into(),
            ProblemKind::UnknownDirective { .. } => "check the spelling, or remove the directive".into(),
            ProblemKind::UnclosedComment => "add the missing `*/`".into(),
            ProblemKind::UnclosedCall { .. } => "add the missing `)`".into(),
            _ => return None,
        })
    }

    pub fn message(&self) -> String {
        match &self.kind {
            ProblemKind::MissingInclude { name } | ProblemKind::KnownHeader { name } => {
                format!("header `{name}` not found")
            }
            ProblemKind::BadInclude => "`#include` expects a file name in `\"…\"` or `<…>`".into(),
            ProblemKind::IncludeInArguments { name } => {
                format!("skipped `#include` in the arguments of macro `{name}`")
            }
            ProblemKind::IncludeDepth { name, recursive: true } => {
                format!("endless recursive include of `{name}`; further includes are skipped")
            }
            ProblemKind::IncludeDepth { name, recursive: false } => {
                format!("include of `{name}` is nested too deeply; further includes are skipped")
            }
            ProblemKind::UnclosedIf => "unterminated conditional directive: `#endif` is missing".into(),
            ProblemKind::StrayConditional { directive } => format!("`#{directive}` without `#if`"),
            ProblemKind::AfterElse { directive } => format!("`#{directive}` after `#else`"),
            ProblemKind::BadCondition { reason } => format!("cannot evaluate this condition: {reason}"),
            ProblemKind::BadDefine { reason } => format!("invalid macro definition: {reason}"),
            ProblemKind::BadUndef => "`#undef` expects a macro name".into(),
            ProblemKind::UnknownDirective { name } => format!("ignored unknown directive `#{name}`"),
            ProblemKind::ErrorDirective { text, undefined } => {
                let directive = format!("#error {text}");
                let directive = directive.trim_end();
                match names(undefined) {
                    Some(names) => format!("`{directive}`: {names} is not defined"),
                    None => format!("`{directive}`"),
                }
            }
            ProblemKind::WarningDirective { text } => format!("`{}`", format!("#warning {text}").trim_end()),
            ProblemKind::BadPack { reason } => format!("`#pragma pack` does not take full effect: {reason}"),
            ProblemKind::UnclosedComment => "unterminated comment: it includes the rest of the file".into(),
            ProblemKind::UnclosedCall { name } => {
                format!("unterminated arguments of macro `{name}`: `)` is missing")
            }
            ProblemKind::ArgumentCount { name, expected, variadic, found } => {
                let least = if *variadic { "at least " } else { "" };
                let plural = if *expected == 1 { "" } else { "s" };
                let were = if *found == 1 { "was" } else { "were" };
                format!("macro `{name}` takes {least}{expected} argument{plural}, but {found} {were} passed")
            }
            ProblemKind::BadPaste { text } => format!("`##` produces `{text}`, which is not a valid token"),
            ProblemKind::TooLarge { name } => format!("expansion of macro `{name}` is too large"),
            ProblemKind::TooDeep { name } => {
                format!("calls of macro `{name}` are nested too deeply in its own arguments")
            }
            ProblemKind::UnitTooLarge => {
                "this file is too large after preprocessing; the rest is skipped".into()
            }
        }
    }
}
