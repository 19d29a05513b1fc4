//! Text that conditions leave out because of names that nothing defines, and what those names might be.
//!
//! ```c
//! #if KERNEL == 1      // `KERNEL` counts as 0: left out, and 1 would bring it in
//! #elif KERNEL == 2    // left out, and 2 would bring it in
//! #endif
//! #ifndef WIDTH        // holds because nothing defines `WIDTH`
//! #else                // left out, and `WIDTH`, defined as anything, would bring it in
//! #endif
//! #ifndef DEPTH        // a default, as long as nothing else defines `DEPTH`
//! #define DEPTH 0
//! #endif
//! #if DEPTH == 2       // left out, and 2 would bring it in
//! #endif
//! #ifdef cl_khr_fp64   // defined: what its `#else` has, no `-D` brings in
//! ```
//!
//! A condition inside of left-out text is not looked at.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::condition;
use super::known::{KNOWN, Operator};
use super::origin::FileId;
use super::tok::Tok;

/// What conditions of a chunk do with text, and those of the chunks that it includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The groups that they leave out and might not, in the order of the text.
    left_out: Vec<LeftOut>,
    /// The groups that they take.
    taken: Vec<(FileId, u32)>,
    /// The names that are missing for any group, here and in what is included, each once, sorted. Known at the end.
    names: Vec<Symbol>,
    included: Vec<Arc<Conditions>>,
}

impl Conditions {
    pub(super) fn leave_out(&mut self, group: LeftOut) {
        self.left_out.push(group);
    }

    /// Takes note that a group is taken, known by its file and the token behind the `#` of its directive.
    pub(super) fn take(&mut self, file: FileId, directive: u32) {
        self.taken.push((file, directive));
    }

    pub(super) fn include(&mut self, included: &Arc<Conditions>) {
        if !included.left_out.is_empty() || !included.taken.is_empty() || !included.included.is_empty() {
            self.included.push(Arc::clone(included));
        }
    }

    /// Appends what turned out not to be a chunk of its own, and to stand behind so many tokens.
    pub(super) fn absorb(&mut self, other: Conditions, tokens: u32) {
        self.left_out.extend(other.left_out.into_iter().map(|mut group| {
            group.inside = group.inside.map(|before| before + tokens);
            group
        }));
        self.taken.extend(other.taken);
        self.included.extend(other.included);
    }

    /// Where the lists end, to come back to.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.left_out.len(), self.taken.len())
    }

    /// Forgets what came behind a mark.
    pub(super) fn rewind(&mut self, (left_out, taken): (usize, usize)) {
        self.left_out.truncate(left_out);
        self.taken.truncate(taken);
    }

    /// Ends the chunk: all is there.
    pub(super) fn finish(mut self) -> Conditions {
        let own = self.left_out.iter().flat_map(|group| group.missing.iter().map(|missing| missing.name));
        let names = own.chain(self.included.iter().flat_map(|included| included.names.iter().copied()));
        self.names = names.collect();
        self.names.sort_unstable();
        self.names.dedup();
        self
    }

    /// The names that are missing for any group, each once, sorted.
    pub(super) fn names(&self) -> &[Symbol] {
        &self.names
    }

    /// Itself and all that are included, each once.
    fn all(&self) -> Vec<&Conditions> {
        let (mut all, mut seen, mut todo) = (Vec::new(), FxHashSet::default(), vec![self]);
        while let Some(conditions) = todo.pop() {
            if seen.insert(std::ptr::from_ref(conditions)) {
                all.push(conditions);
                todo.extend(conditions.included.iter().rev().map(|included| &**included));
            }
        }
        all
    }

    /// The groups that are left out of the chunk itself.
    pub(super) fn own_left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The groups that are left out; of a file that is included several times there may be a group more than once.
    pub fn left_out(&self) -> impl Iterator<Item = &LeftOut> {
        self.all().into_iter().flat_map(|conditions| &conditions.left_out)
    }

    /// The groups that are taken: file, and the token behind the `#` of the directive that begins the group.
    pub fn taken(&self) -> impl Iterator<Item = (FileId, u32)> + '_ {
        self.all().into_iter().flat_map(|conditions| conditions.taken.iter().copied())
    }
}

/// A group of lines that a condition leaves out, and that it might not if a name were defined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeftOut {
    pub file: FileId,
    /// The token behind the `#` of the directive that begins the group.
    pub directive: u32,
    /// The tokens of the group.
    pub tokens: Range<u32>,
    /// In the middle of an item: how many tokens of its chunk stand before it.
    pub inside: Option<u32>,
    /// Never empty.
    pub missing: Vec<Missing>,
}

/// A name that a condition asks for and that nothing defines, or that has a default.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Missing {
    pub name: Symbol,
    /// Values with which the condition may come out otherwise, the likeliest first: what it is compared with, and 1. None is what it is taken for:
    /// 0, or its default.
    pub values: Vec<i64>,
    /// The text defines it where nothing else does (`#ifndef`), and the condition came out by that definition.
    pub is_default: bool,
}

/// How many values are thought of for a name, and how many names for a group: no condition that people write asks for more.
const VALUES: usize = 8;
const NAMES: usize = 8;

/// Adds to what is missing; of a name that is there already, the values.
pub(super) fn add(missing: &mut Vec<Missing>, more: impl IntoIterator<Item = Missing>) {
    for more in more {
        match missing.iter().position(|known| known.name == more.name) {
            Some(known) => more.values.into_iter().for_each(|value| missing[known].add(value)),
            None if missing.len() < NAMES => missing.push(more),
            None => return,
        }
    }
}

impl Missing {
    fn new(name: Symbol, values: impl IntoIterator<Item = i64>) -> Missing {
        let mut missing = Missing { name, values: Vec::new(), is_default: false };
        values.into_iter().filter(|value| *value != 0).for_each(|value| missing.add(value));
        missing
    }

    fn add(&mut self, value: i64) {
        if self.values.len() < VALUES && !self.values.contains(&value) {
            self.values.push(value);
        }
    }

    /// A name that is asked for with `defined`, `#ifdef` and the like.
    pub(super) fn defined(name: Symbol) -> Missing {
        Missing::new(name, [1])
    }
}

/// The names in a condition whose macros are expanded: whatever is still a name is none of a macro.
pub(super) fn names_of_values(expanded: &[Tok]) -> impl Iterator<Item = Missing> + '_ {
    compared(expanded).map(|(name, values)| Missing::new(name, values.into_iter().flatten().chain([1])))
}

/// The names in a condition as it is written that have defaults, other than behind `defined`: `default` knows them, as numbers if they are.
pub(super) fn names_of_defaults(
    line: &[Tok],
    mut default: impl FnMut(Symbol) -> Option<Option<i64>>,
) -> Vec<Missing> {
    let mut found: Vec<Missing> = Vec::new();
    // Behind `defined` a name is compared with nothing.
    let mut asked: Vec<(Symbol, Option<[i64; 3]>)> = compared(line).collect();
    asked.sort_by_key(|(_, values)| values.is_none());
    for (name, values) in asked {
        let count = |names: &mut dyn Iterator<Item = Symbol>| names.filter(|other| *other == name).count();
        if count(&mut names_of_defined(line)) == count(&mut line.iter().map(|token| token.text)) {
            continue;
        }
        let Some(default) = default(name) else { continue };
        let mut missing = Missing { name, values: Vec::new(), is_default: true };
        let values = values.into_iter().flatten().chain([1, 0]).filter(|value| Some(*value) != default);
        values.for_each(|value| missing.add(value));
        add(&mut found, [missing]);
    }
    found
}

/// The names in a condition, each with the values around the one that it is compared with.
fn compared(expanded: &[Tok]) -> impl Iterator<Item = (Symbol, Option<[i64; 3]>)> + '_ {
    let number = |index: Option<usize>| {
        let token = expanded.get(index?).filter(|token| token.kind == TokenKind::Number)?;
        condition::integer(token.spelling())
    };
    let kind = |index: Option<usize>| expanded.get(index?).map(|token| token.kind);
    let names = expanded.iter().enumerate().filter(|(_, token)| is_name(token));
    names.map(move |(at, token)| {
        let before = (kind(at.checked_sub(1)), number(at.checked_sub(2)));
        let behind = (kind(Some(at + 1)), number(Some(at + 2)));
        let compared = match (before, behind) {
            (_, (Some(operator), Some(value))) => values(operator, value),
            ((Some(operator), Some(value)), _) => values(mirrored(operator), value),
            _ => None,
        };
        (token.text, compared)
    })
}

/// The names that `defined` stands before in a condition as it is written.
pub(super) fn names_of_defined(line: &[Tok]) -> impl Iterator<Item = Symbol> + '_ {
    let asks = |token: &Tok| KNOWN.operator(token.text) == Some(Operator::Defined);
    let asked = line.iter().enumerate().filter(move |(_, token)| asks(token));
    asked.filter_map(|(at, _)| {
        let operand = line[at + 1..].iter().find(|token| token.kind != TokenKind::LeftParen)?;
        is_name(operand).then_some(operand.text)
    })
}

fn is_name(token: &Tok) -> bool {
    let constant = |name: Symbol| name == KNOWN.true_ || name == KNOWN.false_;
    token.kind == TokenKind::Identifier && !constant(token.text) && KNOWN.operator(token.text).is_none()
}

/// Values around the one that a name is compared with: one of them makes the comparison hold, and one makes it fail.
fn values(operator: TokenKind, value: i64) -> Option<[i64; 3]> {
    let (less, more) = (value.wrapping_sub(1), value.wrapping_add(1));
    match operator {
        TokenKind::EqualEqual | TokenKind::GreaterEqual | TokenKind::Less => Some([value, more, less]),
        TokenKind::BangEqual | TokenKind::Greater | TokenKind::LessEqual => Some([more, value, less]),
        _ => None,
    }
}

/// The comparison with its sides exchanged.
fn mirrored(operator: TokenKind) -> TokenKind {
    match operator {
        TokenKind::Less => TokenKind::Greater,
        TokenKind::Greater => TokenKind::Less,
        TokenKind::LessEqual => TokenKind::GreaterEqual,
        TokenKind::GreaterEqual => TokenKind::LessEqual,
        operator => operator,
    }
}
