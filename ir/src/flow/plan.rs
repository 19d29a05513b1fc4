//! Plans the tokens of a function and their uses, before tokens are inserted.
//!
//! **User**: an operation that needs a token: a convergent call, or a heart. **Level** of a user: the innermost cycle
//! that must contain the definition of its token. For a call this is the innermost cycle around it, and for a heart the
//! parent of its cycle. **Base** of a level: the token that every user of the level may use:
//!
//! - outside all cycles: `entry`, or an anchor in the entry block of a function declared `noconvergent`;
//! - in a reducible cycle: its **heart**, a `loop` token in the header;
//! - in an irreducible cycle, where no token from outside may be used: an **anchor**. It is at the beginning of the
//!   topmost block of the level that dominates the user. Users with the same topmost block share it. Topmost blocks do
//!   not dominate each other, so the regions of different anchors are disjoint. A reducible cycle inside an irreducible
//!   one cannot have a heart if no block of the outer level dominates its header. Then it has anchors in its own
//!   blocks.
//!
//! With bases alone, all rules hold: the regions of hearts and anchors are inside their cycles, and the regions of an
//! inner cycle are inside the regions of the outer one. Other choices ([`Choice`]) are checked against the rule about
//! regions afterwards.

use index_vec::{IndexVec, define_index_type, index_vec};
use rustc_hash::FxHashMap;

use super::cycles::{CycleId, Cycles};
use super::dominators::Dominators;
use super::shape::GraphAnalysis;
use super::{BlockId, Function, Op, Token, Value, ValueId};
use crate::nest::StmtId;
use crate::types::Ty;

define_index_type! {
    /// A planned token.
    pub(super) struct TokenId = u32;
}

/// The facts about a graph that the planning of tokens needs.
pub(super) struct TokenGraph<'a> {
    pub cycles: &'a Cycles,
    pub dominators: &'a Dominators,
    /// Whether each cycle has a heart, provided that a user needs one.
    pub hearts: IndexVec<CycleId, bool>,
}

impl<'a> TokenGraph<'a> {
    pub fn of(shape: &'a GraphAnalysis) -> TokenGraph<'a> {
        let hearts = index_vec![false; shape.cycles.cycles.len()];
        let mut graph = TokenGraph { cycles: &shape.cycles, dominators: &shape.dominators, hearts };
        let mut levels = Levels::default();
        // Parents have smaller numbers.
        for id in graph.cycles.cycles.indices() {
            let cycle = &graph.cycles.cycles[id];
            let around = match cycle.parent {
                Some(parent) if !graph.hearts[parent] => {
                    levels.before(&graph, parent, cycle.header).is_some()
                }
                _ => true,
            };
            graph.hearts[id] = cycle.is_reducible() && around;
        }
        graph
    }

    pub fn header(&self, cycle: CycleId) -> BlockId {
        self.cycles.cycles[cycle].header
    }

    /// Returns whether a user at `level` in `block` may use a token that is defined in the header of `cycle`.
    pub fn may_use_heart(&self, cycle: CycleId, level: Option<CycleId>, block: BlockId) -> bool {
        let header = self.header(cycle);
        self.hearts[cycle]
            && self.dominators.dominates(header, block)
            && level.is_none_or(|level| self.cycles.contains(level, header))
    }
}

/// The blocks of a level among the dominators of a block, with a cache.
#[derive(Default)]
struct Levels {
    /// The nearest and the topmost such block, for a cycle and a block in it.
    found: FxHashMap<(CycleId, BlockId), Option<(BlockId, BlockId)>>,
}

impl Levels {
    /// Returns the nearest and the topmost block that dominates `block` and is in `cycle`, but in no cycle nested in
    /// it.
    fn find(&mut self, graph: &TokenGraph, cycle: CycleId, block: BlockId) -> Option<(BlockId, BlockId)> {
        let mut path = Vec::new();
        let mut at = Some(block).filter(|&block| graph.cycles.contains(cycle, block));
        let mut found = None;
        while let Some(block) = at {
            if let Some(&known) = self.found.get(&(cycle, block)) {
                found = known;
                break;
            }
            path.push(block);
            at = graph.dominators.immediate(block).filter(|&block| graph.cycles.contains(cycle, block));
        }
        while let Some(block) = path.pop() {
            if graph.cycles.innermost(block) == Some(cycle) {
                found = Some((block, found.map_or(block, |(_, top)| top)));
            }
            self.found.insert((cycle, block), found);
        }
        found
    }

    /// Does the same among the strict dominators.
    fn before(&mut self, graph: &TokenGraph, cycle: CycleId, block: BlockId) -> Option<(BlockId, BlockId)> {
        self.find(graph, cycle, graph.dominators.immediate(block)?)
    }
}

/// The token that a user gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Base,
    /// The heart of a cycle that does not contain the user.
    Heart(CycleId),
    /// An anchor that the users in a statement share.
    StatementAnchor(StmtId),
    /// An anchor directly before the call.
    OwnAnchor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    Call(ValueId),
    Heart(CycleId),
}

/// A user with its level, its choice and the resulting token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub user: User,
    pub block: BlockId,
    pub level: Option<CycleId>,
    pub choice: Choice,
    pub token: TokenId,
}

/// A planned token, which has no value yet.
struct Planned {
    kind: TokenKind,
    block: BlockId,
    place: InsertionPoint,
}

#[derive(Clone, Copy)]
enum TokenKind {
    Outermost,
    Heart { parent: TokenId },
    Anchor,
}

#[derive(Clone, Copy)]
enum InsertionPoint {
    /// After the phis.
    Begin,
    Before(ValueId),
    End,
}

/// The users that share the anchor of a statement: they have the same statement, level and topmost block.
type Group = (StmtId, Option<CycleId>, BlockId);

pub(super) struct Plan<'a> {
    graph: &'a TokenGraph<'a>,
    levels: Levels,
    tokens: IndexVec<TokenId, Planned>,
    pub uses: Vec<Use>,
    outermost: Option<TokenId>,
    hearts: IndexVec<CycleId, Option<TokenId>>,
    anchors: FxHashMap<BlockId, TokenId>,
    groups: FxHashMap<Group, TokenId>,
}

impl<'a> Plan<'a> {
    /// Plans tokens for calls, and for the hearts that they need. `choose` returns the preferred choice of a user.
    pub fn new(
        graph: &'a TokenGraph<'a>,
        calls: &[(BlockId, ValueId)],
        choose: &dyn Fn(User, BlockId, Option<CycleId>) -> Choice,
    ) -> Plan<'a> {
        let mut plan = Plan {
            graph,
            levels: Levels::default(),
            tokens: IndexVec::new(),
            uses: Vec::with_capacity(calls.len()),
            outermost: None,
            hearts: index_vec![None; graph.hearts.len()],
            anchors: FxHashMap::default(),
            groups: FxHashMap::default(),
        };
        let mut todo: Vec<(User, BlockId, Option<CycleId>)> = Vec::new();
        for &(block, call) in calls {
            todo.push((User::Call(call), block, graph.cycles.innermost(block)));
            // A heart is a user, too, and may need another heart.
            while let Some((user, block, level)) = todo.pop() {
                let choice = choose(user, block, level);
                let token = plan.token(user, block, level, choice, &mut todo);
                if let User::Heart(cycle) = user
                    && let Some(heart) = plan.hearts[cycle]
                {
                    plan.tokens[heart].kind = TokenKind::Heart { parent: token };
                }
                plan.uses.push(Use { user, block, level, choice, token });
            }
        }
        plan.sink_statement_anchors();
        plan
    }

    fn push(&mut self, kind: TokenKind, block: BlockId, place: InsertionPoint) -> TokenId {
        self.tokens.push(Planned { kind, block, place })
    }

    fn token(
        &mut self,
        user: User,
        block: BlockId,
        level: Option<CycleId>,
        choice: Choice,
        todo: &mut Vec<(User, BlockId, Option<CycleId>)>,
    ) -> TokenId {
        match (choice, user) {
            (Choice::Heart(cycle), _) => self.heart(cycle, todo),
            (Choice::OwnAnchor, User::Call(call)) => {
                self.push(TokenKind::Anchor, block, InsertionPoint::Before(call))
            }
            (Choice::StatementAnchor(stmt), _) => {
                let (_, top) = self.stand(user, block, level);
                match self.groups.get(&(stmt, level, top)) {
                    Some(&token) => token,
                    None => {
                        let token = self.push(TokenKind::Anchor, top, InsertionPoint::Begin);
                        self.groups.insert((stmt, level, top), token);
                        token
                    }
                }
            }
            (Choice::Base | Choice::OwnAnchor, _) => match level {
                None => match self.outermost {
                    Some(token) => token,
                    None => {
                        let token = self.push(TokenKind::Outermost, Function::ENTRY, InsertionPoint::Begin);
                        *self.outermost.insert(token)
                    }
                },
                Some(cycle) if self.graph.hearts[cycle] => self.heart(cycle, todo),
                Some(_) => {
                    let (_, top) = self.stand(user, block, level);
                    match self.anchors.get(&top) {
                        Some(&token) => token,
                        None => {
                            let token = self.push(TokenKind::Anchor, top, InsertionPoint::Begin);
                            self.anchors.insert(top, token);
                            token
                        }
                    }
                }
            },
        }
    }

    fn heart(&mut self, cycle: CycleId, todo: &mut Vec<(User, BlockId, Option<CycleId>)>) -> TokenId {
        if let Some(token) = self.hearts[cycle] {
            return token;
        }
        let header = self.graph.header(cycle);
        // The parent is determined later. Until then the heart is its own parent.
        let parent = self.tokens.next_idx();
        let token = self.push(TokenKind::Heart { parent }, header, InsertionPoint::Begin);
        self.hearts[cycle] = Some(token);
        todo.push((User::Heart(cycle), header, self.graph.cycles.cycles[cycle].parent));
        token
    }

    /// Returns the nearest and the topmost block of the level that may contain an anchor for a user.
    fn stand(&mut self, user: User, block: BlockId, level: Option<CycleId>) -> (BlockId, BlockId) {
        match (level, user) {
            (None, User::Call(_)) => (block, Function::ENTRY),
            (None, User::Heart(_)) => {
                let mut at = block;
                loop {
                    at = self.graph.dominators.immediate(at).unwrap_or(Function::ENTRY);
                    match self.graph.cycles.innermost(at) {
                        Some(cycle) => at = self.graph.header(self.graph.cycles.outermost(cycle)),
                        None => break (at, Function::ENTRY),
                    }
                }
            }
            (Some(cycle), User::Call(_)) => {
                self.levels.find(self.graph, cycle, block).unwrap_or((block, block))
            }
            (Some(cycle), User::Heart(_)) => {
                self.levels.before(self.graph, cycle, block).unwrap_or((block, block))
            }
        }
    }

    /// Moves the anchor of each statement down to the nearest block that dominates all its users.
    fn sink_statement_anchors(&mut self) {
        let mut places: FxHashMap<TokenId, (BlockId, Option<CycleId>)> = FxHashMap::default();
        let users: Vec<Use> =
            self.uses.iter().filter(|it| matches!(it.choice, Choice::StatementAnchor(_))).copied().collect();
        for it in &users {
            let (near, _) = self.stand(it.user, it.block, it.level);
            let (at, _) = places.entry(it.token).or_insert((near, it.level));
            while !self.graph.dominators.dominates(*at, near) {
                *at = self.graph.dominators.immediate(*at).unwrap_or(Function::ENTRY);
            }
        }
        for (&token, &(at, level)) in &places {
            let near = match level {
                Some(cycle) => self.levels.find(self.graph, cycle, at).map(|(near, _)| near),
                None => match self.graph.cycles.innermost(at) {
                    None => Some(at),
                    // The heart of any cycle inside would do as well: the search continues at the header of the
                    // outermost cycle.
                    Some(inner) => {
                        let outer = self.graph.cycles.outermost(inner);
                        Some(self.stand(User::Heart(outer), self.graph.header(outer), None).0)
                    }
                },
            };
            self.tokens[token].block = near.unwrap_or(self.tokens[token].block);
            self.tokens[token].place = InsertionPoint::End;
        }
        // In the block of a call, the anchor is directly before the first call.
        for it in users.iter().rev() {
            if let User::Call(call) = it.user
                && self.tokens[it.token].block == it.block
            {
                self.tokens[it.token].place = InsertionPoint::Before(call);
            }
        }
    }

    /// Returns whether the function depends on the set of threads that call it together.
    pub fn needs_callers(&self) -> bool {
        self.outermost.is_some()
    }

    /// Inserts the tokens into the function, which must have none. Returns their values.
    pub fn put(&self, function: &mut Function, opportunistic: bool) -> IndexVec<TokenId, ValueId> {
        let first = function.values.len();
        let values: IndexVec<TokenId, ValueId> =
            (0..self.tokens.len()).map(|number| ValueId::new(first + number)).collect();
        for (token, planned) in self.tokens.iter_enumerated() {
            let op = match planned.kind {
                TokenKind::Outermost if !opportunistic => Token::Entry,
                TokenKind::Heart { parent } => Token::Loop(values[parent]),
                TokenKind::Outermost | TokenKind::Anchor => Token::Anchor,
            };
            let block = &function.blocks[planned.block];
            let at = match planned.place {
                // After the phis and before all other operations; a heart or `entry` precedes any anchor.
                InsertionPoint::Begin => {
                    block.values.iter().position(|&value| !matches!(function.values[value].op, Op::Phi(_)))
                }
                InsertionPoint::Before(call) => block.values.iter().position(|&value| value == call),
                InsertionPoint::End => None,
            }
            .unwrap_or(block.values.len());
            let span = block.values.get(at).map_or(block.end, |&value| function.values[value].span);
            let value = function.values.push(Value { op: Op::Token(op), ty: Ty::TOKEN, name: None, span });
            debug_assert_eq!(value, values[token]);
            function.blocks[planned.block].values.insert(at, value);
        }
        for it in &self.uses {
            if let User::Call(call) = it.user
                && let Op::Call(call) = &mut function.values[call].op
            {
                call.token = Some(values[it.token]);
            }
        }
        values
    }
}

/// Removes all tokens of a function again. They are the values from number `values` on.
pub(super) fn take(function: &mut Function, values: usize) {
    for block in &mut function.blocks {
        block.values.retain(|value| value.index() < values);
        for &value in &block.values {
            if let Op::Call(call) = &mut function.values[value].op {
                call.token = None;
            }
        }
    }
    function.values.truncate(values);
}
