//! The names with a meaning for the preprocessor.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;

/// A macro whose value depends on the position of its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    File,
    Line,
    Counter,
    Date,
    Time,
    IncludeLevel,
    BaseFile,
    /// `_Pragma("…")`.
    Pragma,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    If,
    Ifdef,
    Ifndef,
    Elif,
    Elifdef,
    Elifndef,
    Else,
    Endif,
    Define,
    Undef,
    Include,
    IncludeNext,
    Error,
    Warning,
    Pragma,
    /// `#line`, `#ident` and other directives without an effect on the analysis.
    Ignored,
}

/// An operator that exists only in `#if`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Defined,
    HasInclude,
    /// `__has_attribute` and similar operators, whose value is always 1.
    Has,
    /// `__has_extension`, `__has_warning` and others, whose value is always 0.
    HasNot,
}

pub struct ReservedNames {
    pub va_args: Symbol,
    pub va_opt: Symbol,
    pub once: Symbol,
    pub pack: Symbol,
    pub zero: Symbol,
    pub one: Symbol,
    pub true_: Symbol,
    pub false_: Symbol,
    pub builtins: [(Symbol, Builtin); 8],
    directives: FxHashMap<Symbol, Directive>,
    operators: FxHashMap<Symbol, Operator>,
}

pub static RESERVED: LazyLock<ReservedNames> = LazyLock::new(|| ReservedNames {
    va_args: Symbol::intern("__VA_ARGS__"),
    va_opt: Symbol::intern("__VA_OPT__"),
    once: Symbol::intern("once"),
    pack: Symbol::intern("pack"),
    zero: Symbol::intern("0"),
    one: Symbol::intern("1"),
    true_: Symbol::intern("true"),
    false_: Symbol::intern("false"),
    builtins: [
        (Symbol::intern("__FILE__"), Builtin::File),
        (Symbol::intern("__LINE__"), Builtin::Line),
        (Symbol::intern("__COUNTER__"), Builtin::Counter),
        (Symbol::intern("__DATE__"), Builtin::Date),
        (Symbol::intern("__TIME__"), Builtin::Time),
        (Symbol::intern("__INCLUDE_LEVEL__"), Builtin::IncludeLevel),
        (Symbol::intern("__BASE_FILE__"), Builtin::BaseFile),
        (Symbol::intern("_Pragma"), Builtin::Pragma),
    ],
    directives: [
        ("if", Directive::If),
        ("ifdef", Directive::Ifdef),
        ("ifndef", Directive::Ifndef),
        ("elif", Directive::Elif),
        ("elifdef", Directive::Elifdef),
        ("elifndef", Directive::Elifndef),
        ("else", Directive::Else),
        ("endif", Directive::Endif),
        ("define", Directive::Define),
        ("undef", Directive::Undef),
        ("include", Directive::Include),
        ("import", Directive::Include),
        ("include_next", Directive::IncludeNext),
        ("error", Directive::Error),
        ("warning", Directive::Warning),
        ("pragma", Directive::Pragma),
        ("line", Directive::Ignored),
        ("ident", Directive::Ignored),
        ("sccs", Directive::Ignored),
        ("assert", Directive::Ignored),
        ("unassert", Directive::Ignored),
    ]
    .into_iter()
    .map(|(name, directive)| (Symbol::intern(name), directive))
    .collect(),
    operators: [
        ("defined", Operator::Defined),
        ("__has_include", Operator::HasInclude),
        ("__has_include_next", Operator::HasInclude),
        ("__has_attribute", Operator::Has),
        ("__has_builtin", Operator::Has),
        ("__has_feature", Operator::HasNot),
        ("__has_extension", Operator::HasNot),
        ("__has_warning", Operator::HasNot),
        ("__has_c_attribute", Operator::HasNot),
        ("__has_cpp_attribute", Operator::HasNot),
        ("__has_declspec_attribute", Operator::HasNot),
        ("__has_constexpr_builtin", Operator::HasNot),
        ("__is_identifier", Operator::HasNot),
    ]
    .into_iter()
    .map(|(name, operator)| (Symbol::intern(name), operator))
    .collect(),
});

impl ReservedNames {
    pub fn directive(&self, name: Symbol) -> Option<Directive> {
        self.directives.get(&name).copied()
    }

    pub fn operator(&self, name: Symbol) -> Option<Operator> {
        self.operators.get(&name).copied()
    }
}
