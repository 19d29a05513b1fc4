//! Which tokens a function gets, and what each controls, before they stand in it.
//!
//! **User**: what needs a token: a convergent call, or a heart. **Level** of a user: the innermost cycle that it must not leave: the one
//! around a call, the parent of a heart's cycle. **Base** of a level: the token that any user of it may have:
//!
//! - outside of all cycles: `entry`, or an anchor in the entry block of a function declared `noconvergent`;
//! - in a reducible cycle: its **heart**, a `loop` token in the header;
//! - in an irreducible cycle no token from outside may be used. An **anchor** stands at the beginning of the topmost block of the level that
//!   dominates the user. Users with the same topmost block share it; topmost blocks do not dominate each other, so
//!   regions of different anchors lie apart. A reducible cycle in an irreducible one with no block of the level above its header
//!   cannot have a heart, and gets anchors in its own blocks.
//!
//! With bases alone all rules hold: regions of hearts and anchors lie inside their cycles, and those of an inner cycle inside those of the
//! outer one. What deviates from the base ([`Choice`]) is held against the rule about regions afterwards.

use index_vec::{IndexVec, define_index_type, index_vec};
use rustc_hash::FxHashMap;

use super::cycles::{CycleId, Cycles};
use super::dominators::Dominators;
use super::shape::Shape;
use super::{BlockId, Function, Op, Token, Value, ValueId};
use crate::nest::StmtId;
use crate::types::Ty;

define_index_type! {
    /// A token that the function gets.
    pub(super) struct TokenId = u32;
}

/// What is known of a graph before tokens are planned.
pub(super) struct Graph<'a> {
    pub cycles: &'a Cycles,
    pub dominators: &'a Dominators,
    /// Whether a cycle has a heart, if it has tokens at all.
    pub hearts: IndexVec<CycleId, bool>,
}

impl<'a> Graph<'a> {
    pub fn of(shape: &'a Shape) -> Graph<'a> {
        let hearts = index_vec![false; shape.cycles.cycles.len()];
        let mut graph = Graph { cycles: &shape.cycles, dominators: &shape.dominators, hearts };
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

    /// Whether a token defined in the header of `cycle` may be used in a block that no cycle deeper than `level` is around.
    pub fn may_use_heart(&self, cycle: CycleId, level: Option<CycleId>, block: BlockId) -> bool {
        let header = self.header(cycle);
        self.hearts[cycle]
            && self.dominators.dominates(header, block)
            && level.is_none_or(|level| self.cycles.contains(level, header))
    }
}

/// Blocks of a level among the dominators of a block; what was found is kept.
#[derive(Default)]
struct Levels {
    /// The nearest and the topmost, for a cycle and a block in it.
    found: FxHashMap<(CycleId, BlockId), Option<(BlockId, BlockId)>>,
}

impl Levels {
    /// The nearest and the topmost of the blocks that dominate `block`, stand in `cycle`, and in none nested in it.
    fn find(&mut self, graph: &Graph, cycle: CycleId, block: BlockId) -> Option<(BlockId, BlockId)> {
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

    /// The same among the strict dominators.
    fn before(&mut self, graph: &Graph, cycle: CycleId, block: BlockId) -> Option<(BlockId, BlockId)> {
        self.find(graph, cycle, graph.dominators.immediate(block)?)
    }
}

/// Which token a user gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Base,
    /// The heart of a cycle that the user has left.
    Heart(CycleId),
    /// An anchor for what a statement holds.
    Statement(StmtId),
    /// An anchor right before the call.
    Own,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    Call(ValueId),
    Heart(CycleId),
}

/// A user and its circumstances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub user: User,
    pub block: BlockId,
    pub level: Option<CycleId>,
    pub choice: Choice,
    pub token: TokenId,
}

/// A token before it has a value.
struct Planned {
    kind: Kind,
    block: BlockId,
    place: Place,
}

#[derive(Clone, Copy)]
enum Kind {
    Outermost,
    Heart { parent: TokenId },
    Anchor,
}

#[derive(Clone, Copy)]
enum Place {
    /// Behind phis.
    Begin,
    Before(ValueId),
    End,
}

/// Anchors for statements are shared like those of levels.
type Group = (StmtId, Option<CycleId>, BlockId);

pub(super) struct Plan<'a> {
    graph: &'a Graph<'a>,
    levels: Levels,
    tokens: IndexVec<TokenId, Planned>,
    pub uses: Vec<Use>,
    outermost: Option<TokenId>,
    hearts: IndexVec<CycleId, Option<TokenId>>,
    anchors: FxHashMap<BlockId, TokenId>,
    groups: FxHashMap<Group, TokenId>,
}

impl<'a> Plan<'a> {
    /// Plans tokens for calls, and for the hearts that these need. `choose` says what a user at a level would like.
    pub fn new(
        graph: &'a Graph<'a>,
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
            // Hearts may need hearts.
            while let Some((user, block, level)) = todo.pop() {
                let choice = choose(user, block, level);
                let token = plan.token(user, block, level, choice, &mut todo);
                if let User::Heart(cycle) = user
                    && let Some(heart) = plan.hearts[cycle]
                {
                    plan.tokens[heart].kind = Kind::Heart { parent: token };
                }
                plan.uses.push(Use { user, block, level, choice, token });
            }
        }
        plan.settle_groups();
        plan
    }

    fn push(&mut self, kind: Kind, block: BlockId, place: Place) -> TokenId {
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
            (Choice::Own, User::Call(call)) => self.push(Kind::Anchor, block, Place::Before(call)),
            (Choice::Statement(stmt), _) => {
                let (_, top) = self.stand(user, block, level);
                match self.groups.get(&(stmt, level, top)) {
                    Some(&token) => token,
                    None => {
                        let token = self.push(Kind::Anchor, top, Place::Begin);
                        self.groups.insert((stmt, level, top), token);
                        token
                    }
                }
            }
            (Choice::Base | Choice::Own, _) => match level {
                None => match self.outermost {
                    Some(token) => token,
                    None => {
                        let token = self.push(Kind::Outermost, Function::ENTRY, Place::Begin);
                        *self.outermost.insert(token)
                    }
                },
                Some(cycle) if self.graph.hearts[cycle] => self.heart(cycle, todo),
                Some(_) => {
                    let (_, top) = self.stand(user, block, level);
                    match self.anchors.get(&top) {
                        Some(&token) => token,
                        None => {
                            let token = self.push(Kind::Anchor, top, Place::Begin);
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
        // Its parent is found next; until then it stands for itself.
        let parent = self.tokens.next_idx();
        let token = self.push(Kind::Heart { parent }, header, Place::Begin);
        self.hearts[cycle] = Some(token);
        todo.push((User::Heart(cycle), header, self.graph.cycles.cycles[cycle].parent));
        token
    }

    /// The nearest and the topmost block of the level in which an anchor for a user may stand.
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

    /// Moves the anchors of statements down to what they control: to the nearest block that dominates all of it.
    fn settle_groups(&mut self) {
        let mut places: FxHashMap<TokenId, (BlockId, Option<CycleId>)> = FxHashMap::default();
        let users: Vec<Use> =
            self.uses.iter().filter(|it| matches!(it.choice, Choice::Statement(_))).copied().collect();
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
                    // Any heart's place would do as well: the way up is the same.
                    Some(inner) => {
                        let outer = self.graph.cycles.outermost(inner);
                        Some(self.stand(User::Heart(outer), self.graph.header(outer), None).0)
                    }
                },
            };
            self.tokens[token].block = near.unwrap_or(self.tokens[token].block);
            self.tokens[token].place = Place::End;
        }
        // In the block itself: right before the first call.
        for it in users.iter().rev() {
            if let User::Call(call) = it.user
                && self.tokens[it.token].block == it.block
            {
                self.tokens[it.token].place = Place::Before(call);
            }
        }
    }

    /// Whether the threads that call the function matter to it.
    pub fn needs_callers(&self) -> bool {
        self.outermost.is_some()
    }

    /// Puts the tokens into the function, which has none. Returns their values.
    pub fn put(&self, function: &mut Function, opportunistic: bool) -> IndexVec<TokenId, ValueId> {
        let first = function.values.len();
        let values: IndexVec<TokenId, ValueId> =
            (0..self.tokens.len()).map(|number| ValueId::new(first + number)).collect();
        for (token, planned) in self.tokens.iter_enumerated() {
            let op = match planned.kind {
                Kind::Outermost if !opportunistic => Token::Entry,
                Kind::Heart { parent } => Token::Loop(values[parent]),
                Kind::Outermost | Kind::Anchor => Token::Anchor,
            };
            let block = &function.blocks[planned.block];
            let at = match planned.place {
                // Behind phis, before all else; a heart or `entry` before any anchor.
                Place::Begin => {
                    block.values.iter().position(|&value| !matches!(function.values[value].op, Op::Phi(_)))
                }
                Place::Before(call) => block.values.iter().position(|&value| value == call),
                Place::End => None,
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

/// Takes all tokens out of a function again, of which the last values are tokens.
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
