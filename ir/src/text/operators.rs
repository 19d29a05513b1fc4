//! The names of operators in the text of a flow graph: one table each, for the printer and the reader.

use crate::display::{access_name, space_name};
use crate::flow::{ParameterRole, Unknown};
use crate::value::{Arithmetic, Comparison, UnaryOp};
use tangle_base::{Access, AddressSpace, Symbol};

const UNARY: [(UnaryOp, &str); 2] = [(UnaryOp::Negate, "neg"), (UnaryOp::Complement, "not")];

const ARITHMETIC: [(Arithmetic, &str); 10] = [
    (Arithmetic::Mul, "mul"),
    (Arithmetic::Div, "div"),
    (Arithmetic::Rem, "rem"),
    (Arithmetic::Add, "add"),
    (Arithmetic::Sub, "sub"),
    (Arithmetic::Shl, "shl"),
    (Arithmetic::Shr, "shr"),
    (Arithmetic::And, "and"),
    (Arithmetic::Xor, "xor"),
    (Arithmetic::Or, "or"),
];

const COMPARISON: [(Comparison, &str); 6] = [
    (Comparison::Less, "lt"),
    (Comparison::Greater, "gt"),
    (Comparison::LessEqual, "le"),
    (Comparison::GreaterEqual, "ge"),
    (Comparison::Equal, "eq"),
    (Comparison::NotEqual, "ne"),
];

/// Returns the word before a parameter of this kind, with a space.
pub(super) fn role(role: ParameterRole) -> &'static str {
    match role {
        ParameterRole::Plain => "",
        ParameterRole::Object => "object ",
        ParameterRole::Captured => "captured ",
    }
}

pub(super) fn unknown(what: Unknown) -> &'static str {
    match what {
        Unknown::Name(_) => "name",
        Unknown::Dependent(_) => "dependent",
        Unknown::Variable(_) => "variable",
        Unknown::Value => "value",
        Unknown::Arithmetic(op) => arithmetic(op),
        Unknown::Compare(op) => comparison(op),
        Unknown::Address => "place",
        Unknown::Member(_) => "member",
        Unknown::Statement => "statement",
        Unknown::Assembly => "assembly",
    }
}

/// Returns the kind of unknown that a word names. The name that follows some kinds is empty, and is read later.
pub(super) fn read_unknown(word: &str) -> Option<Unknown> {
    [
        Unknown::Name(Symbol::EMPTY),
        Unknown::Dependent(Symbol::EMPTY),
        Unknown::Variable(Symbol::EMPTY),
        Unknown::Value,
        Unknown::Address,
        Unknown::Member(Symbol::EMPTY),
        Unknown::Statement,
        Unknown::Assembly,
    ]
    .into_iter()
    .find(|&it| unknown(it) == word)
    .or_else(|| meaning(&ARITHMETIC, word).map(Unknown::Arithmetic))
    .or_else(|| meaning(&COMPARISON, word).map(Unknown::Compare))
}

fn word<T: PartialEq>(table: &[(T, &'static str)], of: &T) -> &'static str {
    table.iter().find(|(it, _)| it == of).map_or("", |(_, word)| word)
}

fn meaning<T: Copy>(table: &[(T, &'static str)], word: &str) -> Option<T> {
    table.iter().find(|(_, it)| *it == word).map(|(it, _)| *it)
}

pub(super) fn unary(op: UnaryOp) -> &'static str {
    word(&UNARY, &op)
}

pub(super) fn arithmetic(op: Arithmetic) -> &'static str {
    word(&ARITHMETIC, &op)
}

pub(super) fn comparison(op: Comparison) -> &'static str {
    word(&COMPARISON, &op)
}

pub(super) fn read_unary(word: &str) -> Option<UnaryOp> {
    meaning(&UNARY, word)
}

pub(super) fn read_arithmetic(word: &str) -> Option<Arithmetic> {
    meaning(&ARITHMETIC, word)
}

pub(super) fn read_comparison(word: &str) -> Option<Comparison> {
    meaning(&COMPARISON, word)
}

pub(super) fn read_space(word: &str) -> Option<AddressSpace> {
    AddressSpace::ALL.into_iter().find(|&space| space_name(space) == word)
}

pub(super) fn read_access(word: &str) -> Option<Access> {
    Access::ALL.into_iter().find(|&access| access_name(access) == word)
}
