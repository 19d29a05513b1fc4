//! `type-error`: an expression or declaration that violates the type rules.

use crate::file::{FileFacts, ReportedTypeProblem, TypeProblemRule};
use crate::item_context::{finding, with_macros};
use crate::rule::{Check, Entry};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_hir::check::{ConversionContext, TypeProblemKind as Kind};
use tangle_hir::types::Ty;
use tangle_syntax::db::Db;
use tangle_syntax::source::Settings;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "type-error",
        severity: Severity::Error,
        on: true,
        summary: "an expression or declaration that violates the type rules of the language",
        page: include_str!("../pages/type-error.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    for ReportedTypeProblem { kind, located, .. } in problems(file, TypeProblemRule::Types) {
        let mut error = finding(file.db, &RULE.rule, located, message(kind));
        error.help.extend(help(file.db, file.settings, kind));
        found.push(with_macros(file.db, error, located));
    }
}

/// Returns the problems that one rule reports.
pub(crate) fn problems<'f, 'a>(
    file: &'f FileFacts<'a>,
    about: TypeProblemRule,
) -> impl Iterator<Item = &'f ReportedTypeProblem<'a>> {
    let own = file.type_problems.iter().filter(move |problem| problem.about == about);
    own.filter(|problem| !file.is_foreign(&problem.located.at))
}

pub(crate) fn message(kind: &Kind) -> String {
    match kind {
        Kind::UnknownName(name) | Kind::AssumedName { name, .. } | Kind::AssumedNamespace { name, .. } => {
            format!("undeclared name `{name}`; expressions that use it are not type-checked")
        }
        Kind::UndeclaredFunction(name) => {
            format!("undeclared function `{name}`: result assumed as divergent as its arguments")
        }
        Kind::Specifiers => "invalid combination of type specifiers".into(),
        Kind::TagKind(tag) => {
            format!("wrong keyword for `{tag}`: it is declared with another one of `struct`, `union` and `enum`")
        }
        Kind::BitField { ty } => {
            format!("a bit-field must have an integer type, but this one has type `{ty}`")
        }
        Kind::KernelPointer { ty } => {
            format!(
                "a pointer parameter of a kernel must point to global, local or constant memory, but this one \
                 has type `{ty}`"
            )
        }
        Kind::KernelParameter { name, ty } => {
            let name = name.map_or_else(|| ty.to_string(), |name| name.to_string());
            format!("`{name}` is not allowed as a kernel parameter type: the host has no equivalent type")
        }
        Kind::KernelPointers { ty } => {
            format!(
                "a kernel parameter cannot contain pointers in this language version, but this one has type \
                 `{ty}`"
            )
        }
        Kind::KernelHalf { ty } => {
            format!("kernel parameter of type `{ty}` requires an extension that is not enabled")
        }
        Kind::KernelResult { ty } => format!("a kernel must return `void`, but this one returns `{ty}`"),
        Kind::StaticKernel => "a kernel cannot be `static`: the host calls it".into(),
        Kind::Member { ty } => format!("a member of a struct or union cannot have type `{ty}`"),
        Kind::DeclaratorTooLong => "the declared type is too deep: the limit is 256 levels".into(),
        Kind::UnknownMember { name, of } => format!("`{of}` has no member `{name}`"),
        Kind::NoMembers { of } => format!("`{of}` has no members"),
        Kind::WrongArrow { of, arrow: true } => {
            format!("`->` requires a pointer, but this operand has type `{of}`")
        }
        Kind::WrongArrow { of, arrow: false } => {
            format!("`.` cannot be applied to a pointer: this operand has type `{of}`")
        }
        Kind::Swizzle { name, of } => format!("`{of}` has no vector component `{name}`"),
        Kind::Incomplete { ty } => format!("`{ty}` is an incomplete type: its size is unknown"),
        Kind::Operand { op, operand } => format!("cannot apply `{op}` to `{operand}`"),
        Kind::Operands { op, left, right } => format!("cannot apply `{op}` to `{left}` and `{right}`"),
        Kind::Convert { from, to, what } => format!("cannot convert `{from}` to `{to}` {}", purpose(*what)),
        Kind::Space { from, to, what } => {
            format!("cannot convert `{from}` to `{to}` {}: the address spaces differ", purpose(*what))
        }
        Kind::NotAPlace => "cannot assign to this expression: it is not a modifiable lvalue".into(),
        Kind::Constant { ty } => format!("cannot assign to a constant of type `{ty}`"),
        Kind::NoAddress => "cannot take the address of a value, a bit-field or vector components".into(),
        Kind::NotAFunction { ty } => format!("called expression of type `{ty}` is not a function"),
        Kind::TypeAsValue { ty } => format!("expected a value, found the type `{ty}`"),
        Kind::ArgumentCount { callee, expected, found, variadic } => {
            let callee = callee.map_or_else(|| "the function".to_owned(), |name| format!("`{name}`"));
            let least = if *variadic { "at least " } else { "" };
            let plural = if *expected == 1 { "" } else { "s" };
            let were = if *found == 1 { "was" } else { "were" };
            format!("{callee} takes {least}{expected} argument{plural}, but {found} {were} passed")
        }
        Kind::NoOverload { name, arguments, candidates } => {
            format!("no overload of `{name}` accepts {}{}", list(arguments), known(candidates))
        }
        Kind::Ambiguous { name, arguments, candidates } => {
            format!("several overloads of `{name}` accept {}{}", list(arguments), known(candidates))
        }
        Kind::Condition { ty } => {
            format!("a condition must be a number or a pointer, but this one has type `{ty}`")
        }
        Kind::SwitchCondition { ty } => {
            format!("the operand of `switch` must be an integer, but this one has type `{ty}`")
        }
        Kind::FloatCondition { ty } => {
            format!("the condition of `?:` must be an integer or a pointer, but this one has type `{ty}`")
        }
        Kind::VectorLiteral { ty, lanes } => {
            format!("wrong number of components for `{ty}`: found {lanes}")
        }
        Kind::Designator { ty } => format!("`{ty}` has no member or element for this designator"),
        Kind::NotConstant => "expected a constant expression".into(),
        Kind::NegativeLength => "the array length is negative".into(),
        Kind::BitWidth { limit } => {
            format!("the width of this bit-field must be a constant from 0 to {limit}")
        }
        Kind::DuplicateCase { value } => format!("duplicate `case` value {value}"),
        Kind::Return { expected, value } => match value {
            true => "a `void` function cannot return a value".into(),
            false => format!("a function with return type `{expected}` must return a value"),
        },
        Kind::Shuffle => {
            "`__builtin_shufflevector` takes two vectors of one type and constant lane numbers, or a vector and a \
             vector of as many lane numbers"
                .into()
        }
        Kind::ConvertLanes { from, to } => {
            format!(
                "`__builtin_convertvector` takes a vector and a vector type with as many lanes, but found \
                 `{from}` and `{to}`"
            )
        }
        Kind::NoMatchingType { ty } => format!("no association of `_Generic` matches `{ty}`"),
    }
}

/// Returns the help for a problem.
pub(crate) fn help(db: &dyn Db, settings: Settings, kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::UnknownName(name) => {
            format!("declare it, include its header, or define it with `-D {name}=…`")
        }
        Kind::UndeclaredFunction(_) => {
            "declare it, include its header, or describe it in `[[builtins]]` of `tangle.toml`".into()
        }
        Kind::TagKind(_) => "use the keyword of the declaration".into(),
        Kind::KernelPointer { .. } => "add `global`, `local` or `constant` before the pointed-to type".into(),
        Kind::KernelParameter { .. } => "use a type of fixed size, such as `uint`, or a pointer".into(),
        Kind::KernelPointers { .. } => "pass each pointer as a kernel parameter of its own".into(),
        Kind::KernelHalf { .. } => {
            let extension = settings.dialect(db).kernels().half_with.as_ref()?;
            format!("define `{extension}` with `-D {extension}` if the device supports it, or use `float`")
        }
        Kind::KernelResult { .. } => "return results through a pointer parameter".into(),
        Kind::StaticKernel => "remove `static`".into(),
        Kind::Incomplete { .. } => "define the type before this use, or give the array a length".into(),
        Kind::WrongArrow { arrow: true, .. } => "use `.` instead".into(),
        Kind::WrongArrow { arrow: false, .. } => "use `->` instead".into(),
        Kind::Convert { from, to, .. } => {
            let lanes = |ty: &Ty| ty.as_vector().map(|(_, lanes)| lanes);
            let lanes = lanes(from).filter(|_| lanes(from) == lanes(to));
            lanes.map(|_| format!("convert the vector explicitly with `convert_{to}(…)`"))?
        }
        Kind::Space { .. } => "use a pointer to the same address space, or copy the data".into(),
        Kind::Constant { .. } => "assign to a copy, or remove the qualifier from the declaration".into(),
        Kind::NoAddress => "store the value in a variable, and take the address of the variable".into(),
        Kind::Condition { ty } if ty.as_vector().is_some() => {
            "reduce the vector to one value with `any(…)` or `all(…)`".into()
        }
        Kind::FloatCondition { .. } => "compare it with 0".into(),
        Kind::Ambiguous { .. } => "cast an argument to select an overload".into(),
        Kind::NotConstant => "use a literal, an enumerator or a macro".into(),
        Kind::DuplicateCase { .. } => "remove one of the labels".into(),
        Kind::Return { value: true, .. } => "remove the value, or change the return type".into(),
        Kind::Return { value: false, .. } => "return a value, or change the return type to `void`".into(),
        Kind::NoMatchingType { ty } => format!("add an association for `{ty}`, or a `default`"),
        _ => return None,
    })
}

fn purpose(what: ConversionContext) -> String {
    match what {
        ConversionContext::Assign => "in this assignment".into(),
        ConversionContext::Initialise => "in this initialiser".into(),
        ConversionContext::Argument(number) => format!("for parameter {}", number + 1),
        ConversionContext::Return => "in this `return`".into(),
        ConversionContext::Cast => "in this cast".into(),
        ConversionContext::Operand => "for this operand".into(),
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

/// Returns the overloads that could have been meant, as the end of a message.
fn known(candidates: &[Ty]) -> String {
    let candidates: Vec<String> = candidates.iter().take(4).map(|ty| format!("`{ty}`")).collect();
    match candidates.is_empty() {
        true => String::new(),
        false => format!(" (candidates: {})", candidates.join(", ")),
    }
}
