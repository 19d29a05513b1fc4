//! Early exits in inactive `#if` branches: `return`, `break`, `continue` and `goto` before a possible convergent
//! operation.
//!
//! ```c
//! while (n--) {
//!   barrier(CLK_LOCAL_MEM_FENCE);
//! #ifdef FAST_EXIT
//!   if (p[n]) break;               // work-items may diverge here
//! #endif
//! }
//! ```
//!
//! Only text in the middle of an item of the unit counts. A `return` or `goto` counts if a convergent call follows in
//! the item, or is in a loop around the exit. A `break` or `continue` counts if a convergent call is in the loop or
//! `switch` that it refers to: threads reconverge at the end of that statement, or of the iteration.

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use crate::raw_calls::{inside, raw_calls_and_exits};
use tangle_syntax::db::Db;
use tangle_syntax::items::tokens;
use tangle_syntax::preprocess::{Chunk, FileId, SkippedGroup};

const LOOPS: &[&str] = &["for", "while", "do"];

/// The open braces and parentheses at a position in a text. Each brace has the keyword before it, and the number of
/// tokens before it.
#[derive(Default)]
struct Nest {
    braces: Vec<(Option<Symbol>, usize)>,
    /// The token before each open parenthesis.
    parentheses: Vec<Option<Symbol>>,
    /// The last token. If it closes a parenthesis: the token before that parenthesis.
    before: Option<Symbol>,
    count: usize,
}

impl Nest {
    fn token(&mut self, text: Symbol, kind: TokenKind) {
        let before = self.before.replace(text);
        match kind {
            TokenKind::LeftParen => self.parentheses.push(before),
            TokenKind::RightParen => self.before = self.parentheses.pop().flatten(),
            TokenKind::LeftBrace => self.braces.push((before, self.count)),
            TokenKind::RightBrace => _ = self.braces.pop(),
            _ => {}
        }
        self.count += 1;
    }

    /// Returns the loop or `switch` that a `break` or `continue` leaves: its depth, and the number of tokens before its
    /// brace.
    fn around(&self, exit: Symbol) -> Option<(usize, usize)> {
        let is_left = |word: &Option<Symbol>| {
            is_loop(*word) || (exit.as_str() == "break" && word.is_some_and(|word| word.as_str() == "switch"))
        };
        let depth = self.braces.iter().rposition(|(word, _)| is_left(word))?;
        Some((depth, self.braces[depth].1))
    }

    /// Returns the number of tokens before the brace of the outermost loop.
    fn outermost_loop(&self) -> Option<usize> {
        self.braces.iter().find(|(word, _)| is_loop(*word)).map(|(_, count)| *count)
    }
}

fn is_loop(word: Option<Symbol>) -> bool {
    word.is_some_and(|word| LOOPS.contains(&word.as_str()))
}

/// The groups of a unit with early exits, in the middle of an item that has a convergent call.
pub struct Items<'u> {
    is_convergent: &'u dyn Fn(Symbol) -> bool,
    /// The tokens of the item, and the number of them before the group, by file and directive of the group.
    groups: FxHashMap<(FileId, u32), (&'u [Token], usize)>,
}

impl<'u> Items<'u> {
    /// Returns such groups among the wanted groups.
    pub fn of(
        db: &dyn Db,
        unit: &'u Chunk,
        wanted: impl Iterator<Item = &'u SkippedGroup>,
        is_convergent: &'u dyn Fn(Symbol) -> bool,
    ) -> Items<'u> {
        let has_exits = |group: &&SkippedGroup| {
            group.inside.is_some()
                && inside(group, &raw_calls_and_exits(db, db.source(group.file)).exits).next().is_some()
        };
        let name = |group: &SkippedGroup| (group.file, group.directive);
        let wanted: FxHashSet<(FileId, u32)> = wanted.filter(has_exits).map(name).collect();
        let mut groups = FxHashMap::default();
        if wanted.is_empty() {
            return Items { is_convergent, groups };
        }
        // The groups of one item follow each other.
        let mut last: (&[Token], bool) = (&[], false);
        unit.for_each_left_out_of_item(&mut |group, tokens, place| {
            if !wanted.contains(&name(group)) {
                return;
            }
            if !std::ptr::eq(last.0, tokens) {
                last = (tokens, calls_any(tokens, is_convergent));
            }
            if last.1 {
                groups.insert(name(group), (tokens, place));
            }
        });
        Items { is_convergent, groups }
    }

    /// Returns the exits out of a group after which threads may be divergent at a convergent call.
    pub fn leaving(&self, db: &dyn Db, group: &SkippedGroup) -> Vec<Symbol> {
        let Some(&(item, place)) = self.groups.get(&(group.file, group.directive)) else { return Vec::new() };
        let file = db.source(group.file);
        let lexed = tokens(db, file);
        let mut exits = inside(group, &raw_calls_and_exits(db, file).exits).peekable();
        let mut nest = Nest::default();
        let mut leaving = Vec::new();
        for index in group.tokens.clone() {
            let Some(&(next, exit)) = exits.peek() else { break };
            if next == index {
                exits.next();
                // An exit from a loop or `switch` of the group stays in the group.
                let stays = is_of_loop(exit) && nest.around(exit).is_some();
                if !stays && self.may_part(item, place, exit) {
                    leaving.push(exit);
                }
            }
            let token = &lexed.tokens[index as usize];
            nest.token(token.text, token.kind);
        }
        leaving
    }

    /// Whether threads may be divergent at a convergent call after an exit at a place of an item.
    fn may_part(&self, item: &[Token], place: usize, exit: Symbol) -> bool {
        let mut nest = Nest::default();
        item[..place].iter().for_each(|token| nest.token(token.text, token.kind));
        let parted = if is_of_loop(exit) {
            let Some((depth, start)) = nest.around(exit) else { return false };
            let inside = item[place..].iter().take_while(|token| {
                nest.token(token.text, token.kind);
                nest.braces.len() > depth
            });
            &item[start..place + inside.count()]
        } else {
            &item[nest.outermost_loop().unwrap_or(place)..]
        };
        calls_any(parted, self.is_convergent)
    }
}

fn is_of_loop(exit: Symbol) -> bool {
    matches!(exit.as_str(), "break" | "continue")
}

/// Whether tokens contain a convergent call.
fn calls_any(tokens: &[Token], is_convergent: &dyn Fn(Symbol) -> bool) -> bool {
    let is_call =
        |pair: &&[Token]| pair[0].kind == TokenKind::Identifier && pair[1].kind == TokenKind::LeftParen;
    tokens.windows(2).filter(is_call).any(|pair| is_convergent(pair[0].text))
}
