//! The state of macro expansion.

use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::cursor::Condition;
use super::problem::ProblemKind;
use super::tok::ExpansionToken;

/// The maximum number of tokens that one use may read and write, including intermediate tokens.
pub(super) const WORK: u64 = 4_000_000;
/// The same limit for all uses of a unit together.
const UNIT_WORK: u64 = 128_000_000;

/// Tokens to be read: a range of the arena.
#[derive(Debug)]
pub(super) struct Context {
    pub start: usize,
    pub next: usize,
    pub end: usize,
    /// The macro whose replacement this is. [`Symbol::EMPTY`] for an argument or a line: then it is a wall.
    pub name: Symbol,
}

impl Context {
    pub fn is_barrier(&self) -> bool {
        self.name == Symbol::EMPTY
    }
}

/// The arguments of one macro use.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub tokens: Vec<ExpansionToken>,
    pub ends: Vec<usize>,
    pub expanded: Vec<ExpansionToken>,
    pub expanded_ends: Vec<usize>,
}

fn stretch<'a>(tokens: &'a [ExpansionToken], ends: &[usize], index: usize) -> &'a [ExpansionToken] {
    let Some(&end) = ends.get(index) else { return &[] };
    let start = index.checked_sub(1).map_or(0, |before| ends[before]);
    &tokens[start..end]
}

impl Arguments {
    pub fn raw(&self, index: usize) -> &[ExpansionToken] {
        stretch(&self.tokens, &self.ends, index)
    }

    pub fn expanded(&self, index: usize) -> &[ExpansionToken] {
        stretch(&self.expanded, &self.expanded_ends, index)
    }
}

/// The state of an expansion. It is empty between two uses.
#[derive(Debug, Default)]
pub(super) struct Expander {
    pub arena: Vec<ExpansionToken>,
    pub contexts: Vec<Context>,
    /// The macro whose arguments are being read from the file.
    pub collecting: Option<Symbol>,
    /// Whether `defined` is an operator.
    pub in_condition: bool,
    pub depth: u32,
    pub work: u64,
    pub unit_work: u64,
    /// The reason why the current use is abandoned.
    pub failure: Option<ProblemKind>,
    /// The open conditionals at the start of the current use, set once its arguments extend past a directive.
    pub rewind: Option<Vec<Condition>>,
    pub argument_pool: Vec<Arguments>,
    pub buffers: Vec<Vec<ExpansionToken>>,
}

impl Expander {
    pub fn fail(&mut self, kind: ProblemKind) {
        self.failure.get_or_insert(kind);
    }

    pub fn spend(&mut self, tokens: usize, name: Symbol) {
        self.work += tokens as u64;
        if self.work > WORK || self.unit_work + self.work > UNIT_WORK {
            self.fail(ProblemKind::TooLarge { name });
        }
    }

    pub fn open(&mut self, start: usize, name: Symbol) {
        self.contexts.push(Context { start, next: start, end: self.arena.len(), name });
    }

    pub fn buffer(&mut self) -> Vec<ExpansionToken> {
        self.buffers.pop().unwrap_or_default()
    }

    pub fn give_back(&mut self, mut buffer: Vec<ExpansionToken>) {
        buffer.clear();
        self.buffers.push(buffer);
    }

    /// Whether the next token is a `(`. `None` if the contexts have no further token.
    pub fn peek_parenthesis(&self) -> Option<bool> {
        for context in self.contexts.iter().rev() {
            if context.next < context.end {
                return Some(self.arena[context.next].kind == TokenKind::LeftParen);
            }
            if context.is_barrier() {
                return Some(false);
            }
        }
        None
    }
}
