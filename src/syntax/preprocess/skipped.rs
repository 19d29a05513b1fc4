//! Text that conditions skip because of undefined names, and possible values of these names.
//!
//! ```c
//! #if KERNEL == 1      // `KERNEL` counts as 0: skipped, and included for the value 1
//! #elif KERNEL == 2    // skipped, and included for the value 2
//! #endif
//! #ifndef WIDTH        // holds because `WIDTH` is undefined
//! #else                // skipped, and included if `WIDTH` has any definition
//! #endif
//! #ifndef DEPTH        // a default, used only if `DEPTH` has no other definition
//! #define DEPTH 0
//! #endif
//! #if DEPTH == 2       // skipped, and included for the value 2
//! #endif
//! #ifdef cl_khr_fp64   // predefined: no `-D` can include the text of its `#else`
//! ```
//!
//! Conditions inside skipped text are not evaluated.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::condition;
use super::known::{Operator, RESERVED};
use super::origin::FileId;
use super::tok::ExpansionToken;

/// The groups that conditions skip and take, in a chunk and its included chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The skipped groups that a definition could include, in source order.
    left_out: Vec<SkippedGroup>,
    /// The taken groups.
    taken: Vec<(FileId, u32)>,
    /// The undefined names of all skipped groups, also in included chunks, each once, sorted. Set at the end of the
    /// chunk.
    names: Vec<Symbol>,
    included: Vec<Arc<Conditions>>,
}

impl Conditions {
    pub(super) fn leave_out(&mut self, group: SkippedGroup) {
        self.left_out.push(group);
    }

    /// Records that a group is taken. It is identified by its file and the token after the `#` of its directive.
    pub(super) fn take(&mut self, file: FileId, directive: u32) {
        self.taken.push((file, directive));
    }

    pub(super) fn include(&mut self, included: &Arc<Conditions>) {
        if !included.left_out.is_empty() || !included.taken.is_empty() || !included.included.is_empty() {
            self.included.push(Arc::clone(included));
        }
    }

    /// Appends the conditions of a file that did not become a chunk of its own. `tokens` is the number of tokens
    /// before it.
    pub(super) fn absorb(&mut self, other: Conditions, tokens: u32) {
        self.left_out.extend(other.left_out.into_iter().map(|mut group| {
            group.inside = group.inside.map(|before| before + tokens);
            group
        }));
        self.taken.extend(other.taken);
        self.included.extend(other.included);
    }

    /// Returns the ends of the lists, for [`Conditions::rewind`].
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.left_out.len(), self.taken.len())
    }

    /// Removes the entries after a mark.
    pub(super) fn rewind(&mut self, (left_out, taken): (usize, usize)) {
        self.left_out.truncate(left_out);
        self.taken.truncate(taken);
    }

    /// Ends the chunk: all entries have been added.
    pub(super) fn finish(mut self) -> Conditions {
        let own = self.left_out.iter().flat_map(|group| group.missing.iter().map(|missing| missing.name));
        let names = own.chain(self.included.iter().flat_map(|included| included.names.iter().copied()));
        self.names = names.collect();
        self.names.sort_unstable();
        self.names.dedup();
        self
    }

    /// The undefined names of all skipped groups, each once, sorted.
    pub(super) fn names(&self) -> &[Symbol] {
        &self.names
    }

    /// This value and all included values, each once.
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

    /// The groups that are skipped in the chunk itself.
    pub(super) fn own_left_out(&self) -> &[SkippedGroup] {
        &self.left_out
    }

    /// The skipped groups. If a file is included several times, its groups can occur several times.
    pub fn left_out(&self) -> impl Iterator<Item = &SkippedGroup> {
        self.all().into_iter().flat_map(|conditions| &conditions.left_out)
    }

    /// The taken groups: the file, and the token after the `#` of the directive that begins the group.
    pub fn taken(&self) -> impl Iterator<Item = (FileId, u32)> + '_ {
        self.all().into_iter().flat_map(|conditions| conditions.taken.iter().copied())
    }
}

/// A group of lines that a condition skips, and that the definition of a name could include.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkippedGroup {
    pub file: FileId,
    /// The token after the `#` of the directive that begins the group.
    pub directive: u32,
    /// The tokens of the group.
    pub tokens: Range<u32>,
    /// For a group in the middle of an item: the number of tokens of its chunk before the group.
    pub inside: Option<u32>,
    /// The undefined names that the condition depends on. Never empty.
    pub missing: Vec<UndefinedName>,
}

/// A name in a condition that is undefined or has only a default definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UndefinedName {
    pub name: Symbol,
    /// Values that could change the result of the condition, the most likely first: values around the compared one,
    /// and 1. Never the value that the condition was evaluated with, which is 0 or the default.
    pub values: Vec<i64>,
    /// Whether the text defines the name only if it is undefined (`#ifndef`), and the condition used this definition.
    pub is_default: bool,
}

/// The maximum number of values for a name, and of names for a group. Conditions in practice need fewer.
const VALUES: usize = 8;
const NAMES: usize = 8;

/// Adds `more` to `missing`. For a name that is already there, adds the values.
pub(super) fn add(missing: &mut Vec<UndefinedName>, more: impl IntoIterator<Item = UndefinedName>) {
    for more in more {
        match missing.iter().position(|known| known.name == more.name) {
            Some(known) => more.values.into_iter().for_each(|value| missing[known].add(value)),
            None if missing.len() < NAMES => missing.push(more),
            None => return,
        }
    }
}

impl UndefinedName {
    fn new(name: Symbol, values: impl IntoIterator<Item = i64>) -> UndefinedName {
        let mut missing = UndefinedName { name, values: Vec::new(), is_default: false };
        values.into_iter().filter(|value| *value != 0).for_each(|value| missing.add(value));
        missing
    }

    fn add(&mut self, value: i64) {
        if self.values.len() < VALUES && !self.values.contains(&value) {
            self.values.push(value);
        }
    }

    /// A name that is tested with `defined`, `#ifdef` or a similar directive.
    pub(super) fn defined(name: Symbol) -> UndefinedName {
        UndefinedName::new(name, [1])
    }
}

/// The names in a condition after macro expansion: the remaining names are not macros.
pub(super) fn names_of_values(expanded: &[ExpansionToken]) -> impl Iterator<Item = UndefinedName> + '_ {
    compared(expanded).map(|(name, values)| UndefinedName::new(name, values.into_iter().flatten().chain([1])))
}

/// The names with default definitions in a condition before macro expansion, without names that occur only after
/// `defined`. `default` returns `None` for other names, and otherwise the default if it is a number.
pub(super) fn names_of_defaults(
    line: &[ExpansionToken],
    mut default: impl FnMut(Symbol) -> Option<Option<i64>>,
) -> Vec<UndefinedName> {
    let mut found: Vec<UndefinedName> = Vec::new();
    // A name after `defined` is not compared with a value.
    let mut asked: Vec<(Symbol, Option<[i64; 3]>)> = compared(line).collect();
    asked.sort_by_key(|(_, values)| values.is_none());
    for (name, values) in asked {
        let count = |names: &mut dyn Iterator<Item = Symbol>| names.filter(|other| *other == name).count();
        if count(&mut names_of_defined(line)) == count(&mut line.iter().map(|token| token.text)) {
            continue;
        }
        let Some(default) = default(name) else { continue };
        let mut missing = UndefinedName { name, values: Vec::new(), is_default: true };
        let values = values.into_iter().flatten().chain([1, 0]).filter(|value| Some(*value) != default);
        values.for_each(|value| missing.add(value));
        add(&mut found, [missing]);
    }
    found
}

/// The names in a condition, each with the values around the one that it is compared with.
fn compared(expanded: &[ExpansionToken]) -> impl Iterator<Item = (Symbol, Option<[i64; 3]>)> + '_ {
    let number = |index: Option<usize>| {
        let token = expanded.get(index?).filter(|token| token.kind == TokenKind::Number)?;
        condition::integer(token.spelling())
    };
    let kind = |index: Option<usize>| expanded.get(index?).map(|token| token.kind);
    let names = expanded.iter().enumerate().filter(|(_, token)| is_name(token));
    names.map(move |(at, token)| {
        let before = (kind(at.checked_sub(1)), number(at.checked_sub(2)));
        let after = (kind(Some(at + 1)), number(Some(at + 2)));
        let compared = match (before, after) {
            (_, (Some(operator), Some(value))) => values(operator, value),
            ((Some(operator), Some(value)), _) => values(mirrored(operator), value),
            _ => None,
        };
        (token.text, compared)
    })
}

/// The operands of `defined` in a condition before macro expansion.
pub(super) fn names_of_defined(line: &[ExpansionToken]) -> impl Iterator<Item = Symbol> + '_ {
    let asks = |token: &ExpansionToken| RESERVED.operator(token.text) == Some(Operator::Defined);
    let asked = line.iter().enumerate().filter(move |(_, token)| asks(token));
    asked.filter_map(|(at, _)| {
        let operand = line[at + 1..].iter().find(|token| token.kind != TokenKind::LeftParen)?;
        is_name(operand).then_some(operand.text)
    })
}

fn is_name(token: &ExpansionToken) -> bool {
    let constant = |name: Symbol| name == RESERVED.true_ || name == RESERVED.false_;
    token.kind == TokenKind::Identifier && !constant(token.text) && RESERVED.operator(token.text).is_none()
}

/// Values around the one that a name is compared with. At least one makes the comparison true, and one makes it
/// false.
fn values(operator: TokenKind, value: i64) -> Option<[i64; 3]> {
    let (less, more) = (value.wrapping_sub(1), value.wrapping_add(1));
    match operator {
        TokenKind::EqualEqual | TokenKind::GreaterEqual | TokenKind::Less => Some([value, more, less]),
        TokenKind::BangEqual | TokenKind::Greater | TokenKind::LessEqual => Some([more, value, less]),
        _ => None,
    }
}

/// The comparison operator for exchanged operands.
fn mirrored(operator: TokenKind) -> TokenKind {
    match operator {
        TokenKind::Less => TokenKind::Greater,
        TokenKind::Greater => TokenKind::Less,
        TokenKind::LessEqual => TokenKind::GreaterEqual,
        TokenKind::GreaterEqual => TokenKind::LessEqual,
        operator => operator,
    }
}
