//! `type-error`, `unknown-name` and `undeclared-function`: what is wrong with the types of an item, in words. What was meant by the name of a
//! function that nothing declares, [`undeclared_function`] finds out.

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use super::check::{finding, with_macros};
use super::undeclared_function::{self, Known};
use crate::db::Db;
use crate::diagnostic::Diagnostic;
use crate::hir::check::{TypeProblem, TypeProblemKind as Kind, Use};
use crate::hir::scope::{ScopedItem, typed};
use crate::hir::types::Ty;
use crate::source::Settings;
use crate::syntax::Locator;

/// Adds the findings of one item. A name that nothing declares is told of once in a file, and not at all where a header is missing that
/// may declare it.
pub(super) fn check(
    db: &dyn Db,
    settings: Settings,
    item: &ScopedItem,
    header_missing: bool,
    known: &Known,
    told: &mut FxHashSet<Symbol>,
    found: &mut Vec<Diagnostic>,
) {
    let tokens = item.scoped.item(db).tokens(db).0.tokens().len();
    let locator = Locator::new(db, &item.chunk, item.first, tokens);
    for TypeProblem { span, kind } in &typed(db, item.scoped).0.problems {
        let rule = match kind {
            kind if is_permitted(db, settings, kind) => continue,
            // The user's own table says what it is.
            Kind::UndeclaredFunction(name) if settings.builtins(db).own(*name).is_some() => continue,
            Kind::UndeclaredFunction(name)
                if (header_missing || known.is_of_headers(*name)) && !known.is_slip(*name) =>
            {
                continue;
            }
            Kind::UnknownName(_) if header_missing => continue,
            Kind::UnknownName(name) | Kind::UndeclaredFunction(name) if !told.insert(*name) => continue,
            Kind::UndeclaredFunction(_) => undeclared_function::RULE,
            Kind::UnknownName(_) => "unknown-name",
            _ => "type-error",
        };
        let located = locator.locate(*span);
        let mut plain = finding(db, rule, &located, message(kind));
        if let Kind::UnknownName(name) | Kind::UndeclaredFunction(name) = kind {
            plain = plain.on_undeclared(name.as_str());
        }
        let weighed = match kind {
            Kind::UndeclaredFunction(name) => undeclared_function::weighed(db, known, *name, &located, plain),
            _ => plain,
        };
        found.push(with_macros(db, weighed, &located));
    }
}

/// Whether something is right in the language as the settings have it.
fn is_permitted(db: &dyn Db, settings: Settings, kind: &Kind) -> bool {
    let kernels = settings.dialect(db).kernels();
    let value = |name: &Option<String>| settings.macro_text(db, name.as_ref()?);
    match kind {
        Kind::KernelPointers { .. } => {
            let version = value(&kernels.version).and_then(|version| version.parse::<u32>().ok());
            version.is_none_or(|version| version >= kernels.pointers_since)
        }
        Kind::KernelHalf { .. } => kernels.half_with.is_none() || value(&kernels.half_with).is_some(),
        _ => false,
    }
}

fn message(kind: &Kind) -> String {
    match kind {
        Kind::UnknownName(name) => {
            format!("nothing declares `{name}`: the types of what depends on it are not checked")
        }
        Kind::UndeclaredFunction(name) => {
            format!("nothing declares the function `{name}`: its result is taken to differ where its arguments do")
        }
        Kind::Specifiers => "these words make no type together".into(),
        Kind::TagKind(tag) => format!("`{tag}` is declared as another kind of type: struct, union or enum"),
        Kind::BitField { ty } => format!("a bit-field is made of an integer, and this is `{ty}`"),
        Kind::KernelPointer { ty } => {
            format!("a pointer that a kernel is given points to global, local or constant memory, and this is `{ty}`")
        }
        Kind::KernelParameter { name, ty } => {
            let name = name.map_or_else(|| ty.to_string(), |name| name.to_string());
            format!("`{name}` is no type for a parameter of a kernel: the host has none that is the same")
        }
        Kind::KernelPointers { ty } => {
            format!("a kernel is given nothing that leads to pointers in this version of the language, and this is `{ty}`")
        }
        Kind::KernelHalf { ty } => {
            format!("a kernel is given no `half` where the extension for it is not, and this is `{ty}`")
        }
        Kind::KernelResult { ty } => format!("a kernel returns `void`, and this one `{ty}`"),
        Kind::StaticKernel => "a kernel is not `static`: it is called from outside".into(),
        Kind::Member { ty } => format!("`{ty}` is no type for a member of a struct or union"),
        Kind::DeclaratorTooLong => "this declares a type of more than 256 steps".into(),
        Kind::UnknownMember { name, of } => format!("`{of}` has no member `{name}`"),
        Kind::NoMembers { of } => format!("`{of}` has no members"),
        Kind::WrongArrow { of, arrow: true } => format!("`->` needs a pointer, and this is `{of}`: use `.`"),
        Kind::WrongArrow { of, arrow: false } => format!("`.` on a pointer, `{of}`: use `->`"),
        Kind::Swizzle { name, of } => format!("`{name}` names no lanes of `{of}`"),
        Kind::Incomplete { ty } => format!("`{ty}` has no size here: it is declared, but not defined"),
        Kind::Operand { op, operand } => format!("`{op}` has no meaning for `{operand}`"),
        Kind::Operands { op, left, right } => format!("`{op}` has no meaning for `{left}` and `{right}`"),
        Kind::Convert { from, to, what } => format!("`{from}` does not convert to `{to}`, {}", purpose(*what)),
        Kind::Space { from, to, what } => {
            format!("`{from}` points into another address space than `{to}`, {}", purpose(*what))
        }
        Kind::NotAPlace => "this is a value, and nothing can be stored in it".into(),
        Kind::Constant { ty } => format!("this is constant: nothing can be stored in it (its type is `{ty}`)"),
        Kind::NoAddress => "this has no address: it is a value, a bit-field, or lanes of a vector".into(),
        Kind::NotAFunction { ty } => format!("this is called, and is no function: its type is `{ty}`"),
        Kind::TypeAsValue { ty } => format!("`{ty}` is a type, and the function needs a value"),
        Kind::ArgumentCount { callee, expected, found, variadic } => {
            let callee = callee.map_or_else(|| "the function".to_owned(), |name| format!("`{name}`"));
            let least = if *variadic { "at least " } else { "" };
            let plural = if *expected == 1 { "" } else { "s" };
            format!("{callee} takes {least}{expected} argument{plural}, and is given {found}")
        }
        Kind::NoOverload { name, arguments, candidates } => {
            format!("no `{name}` takes {}{}", list(arguments), known(candidates))
        }
        Kind::Ambiguous { name, arguments, candidates } => {
            format!("more than one `{name}` takes {}{}: cast an argument", list(arguments), known(candidates))
        }
        Kind::Condition { ty } => format!("a condition is a number or a pointer, and this is `{ty}`"),
        Kind::FloatCondition { ty } => {
            format!("the condition of `?:` is made of integers, or is a pointer, and this is `{ty}`: compare it with 0")
        }
        Kind::VectorLiteral { ty, lanes } => {
            let plural = if *lanes == 1 { "" } else { "s" };
            format!("`{ty}` is made of {lanes} lane{plural} here")
        }
        Kind::Designator { ty } => format!("`{ty}` has no such place"),
        Kind::NotConstant => "this must be constant".into(),
        Kind::NegativeLength => "the length of an array is negative".into(),
        Kind::BitWidth { limit } => format!("the width of a bit-field is a constant from 0 to {limit} here"),
        Kind::DuplicateCase { value } => format!("the `switch` has a second `case` of value {value}"),
        Kind::Return { expected, value } => match value {
            true => "a `void` function returns a value".into(),
            false => format!("a function of type `{expected}` returns no value"),
        },
        Kind::Shuffle => "`__builtin_shufflevector` takes two vectors of one type and constant lane numbers, or a vector and as many lane numbers in another".into(),
        Kind::ConvertLanes { from, to } => {
            format!("`__builtin_convertvector` takes a vector and the type of another with as many lanes, not `{from}` and `{to}`")
        }
        Kind::NoMatchingType { ty } => format!("`_Generic` has no arm for `{ty}`"),
    }
}

fn purpose(what: Use) -> String {
    match what {
        Use::Assign => "to which it is assigned".into(),
        Use::Initialise => "which it initialises".into(),
        Use::Argument(number) => format!("the type of parameter {}", number + 1),
        Use::Return => "which the function returns".into(),
        Use::Cast => "to which it is cast".into(),
        Use::Operand => "which is needed here".into(),
    }
}

fn list(types: &[Ty]) -> String {
    let types: Vec<String> = types.iter().map(|ty| format!("`{ty}`")).collect();
    match &types[..] {
        [] => "no arguments".into(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What could have been meant.
fn known(candidates: &[Ty]) -> String {
    let candidates: Vec<String> = candidates.iter().take(4).map(|ty| format!("`{ty}`")).collect();
    match candidates.is_empty() {
        true => String::new(),
        false => format!(" (there are {})", candidates.join(", ")),
    }
}
