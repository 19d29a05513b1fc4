//! Places convergence tokens, which say which threads execute each convergent call together (`docs/semantics.md` §6).
//!
//! **Heart**: a `loop` token in the header of a natural loop that contains a convergent call. Its parent is the token
//! around the loop. **Source loop**: a loop statement, or a goto cycle ([`loops`](super::loops)). A call belongs to the
//! innermost source loop around it. **Extended cycle**: a call outside the cycle of its source loop, such as a call
//! before a `break` or a `return`, keeps the token of that loop's heart. **Opportunistic**: a function or statement
//! with `__attribute__((noconvergent))`. Its calls and hearts depend on an anchor, so any set of threads may execute
//! them together.
//!
//! ```c
//! for (;;) {        // for.cond:  %h = loop %entry
//!   if (c) {
//!     op();         // if.then:   call op() with %h, though this block is in no cycle
//!     break;
//!   }
//! }
//! ```
//!
//! For each call and heart, the source loops and statements around it are visited from the inside out. The first of the
//! following decides:
//!
//! - a source loop whose cycle contains the call or heart: it gets the base of its level (`plan`);
//! - a source loop whose cycle does not contain it, if the rules about closed paths allow the use of the loop's heart:
//!   it gets that heart;
//! - an opportunistic statement: it gets an anchor, which all calls and hearts of the statement at one level share;
//! - the function: it gets the base.
//!
//! A choice other than the base makes regions longer, and after a `goto` they may overlap. Choices whose regions
//! contain a forbidden use are then withdrawn: calls in an opportunistic statement get an anchor each, directly before
//! the call, and all other users get their base. Bases alone are always valid, so the iteration ends.
//!
//! A function is convergent if a user in it depends on `entry`, or if it is declared so.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cycles::CycleId;
use super::infer::{convergent_calls, place_by_graph};
use super::plan::{Choice, Plan, TokenGraph, TokenId, Use, User, take};
use super::regions::overlaps;
use super::shape::GraphAnalysis;
use super::{BlockId, Callee, Function, LoopId, Op, SourceLoop, ValueId};
use crate::nest::{Convergence, StmtId, StmtTree};

/// The method that places tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenMethod {
    /// By the nesting of the source statements.
    #[default]
    Placed,
    /// By the graph alone ([`infer`](super::infer)).
    Infer,
    /// No tokens.
    Off,
}

/// Marks the convergent calls of a function, gives them tokens, and sets [`Function::convergent`]. The function must be
/// in SSA form without tokens, and `shape` must be its shape.
pub fn place(
    function: &mut Function,
    shape: &GraphAnalysis,
    nest: &StmtTree,
    is_convergent: &dyn Fn(&Callee) -> bool,
    tokens: TokenMethod,
) {
    for value in &mut function.values {
        if let Op::Call(call) = &mut value.op {
            call.convergent = is_convergent(&call.callee);
        }
    }
    let calls = convergent_calls(function);
    let opportunistic = nest.declared == Some(Convergence::NotConvergent);
    let declared = nest.declared == Some(Convergence::Convergent);
    if calls.is_empty() || tokens == TokenMethod::Off {
        function.convergent = !opportunistic && (declared || !calls.is_empty());
        return;
    }
    let graph = TokenGraph::of(shape);
    let needs_callers = match tokens {
        TokenMethod::Placed => place_by_source(function, nest, shape, &graph, &calls, opportunistic),
        TokenMethod::Infer | TokenMethod::Off => place_by_graph(function, &graph, &calls, opportunistic),
    };
    function.convergent = !opportunistic && (needs_callers || declared);
}

/// Places tokens by the nesting of the source. Returns whether the function depends on the set of threads that call it.
fn place_by_source(
    function: &mut Function,
    nest: &StmtTree,
    shape: &GraphAnalysis,
    graph: &TokenGraph,
    calls: &[(BlockId, ValueId)],
    opportunistic: bool,
) -> bool {
    let source = SourceFacts::of(function, nest, graph);
    let stmts: FxHashMap<ValueId, StmtId> =
        calls.iter().map(|&(block, call)| (call, source.stmt_of(function, block, call))).collect();
    let mut refused = WithdrawnChoices::default();
    let count = function.values.len();
    loop {
        let plan = Plan::new(graph, calls, &|user, block, level| {
            let preference = match user {
                User::Call(call) => source.choice_for_call(stmts[&call], block, level),
                User::Heart(cycle) => source.choice_for_heart(cycle, block, level),
            };
            refused.instead_of(preference, user)
        });
        let values = plan.put(function, opportunistic);
        if plan.uses.iter().all(|it| it.choice == Choice::Base) {
            return plan.needs_callers();
        }
        let tokens: FxHashMap<ValueId, TokenId> =
            values.iter_enumerated().map(|(token, &value)| (value, token)).collect();
        let found = overlaps(function, shape);
        if found.is_empty() {
            return plan.needs_callers();
        }
        let inside: FxHashSet<TokenId> =
            found.iter().filter_map(|it| tokens.get(&it.inside).copied()).collect();
        let used: FxHashSet<TokenId> = found.iter().filter_map(|it| tokens.get(&it.token).copied()).collect();
        // Withdraw choices whose region is too long; without any left, choices of the users in such a region; then all
        // choices.
        if !refused.add(plan.uses.iter().filter(|it| inside.contains(&it.token)))
            && !refused.add(plan.uses.iter().filter(|it| used.contains(&it.token)))
        {
            refused.everything = true;
        }
        take(function, count);
    }
}

/// The choices that are withdrawn because their regions overlap others.
#[derive(Default)]
struct WithdrawnChoices {
    everything: bool,
    hearts: FxHashSet<CycleId>,
    statements: FxHashSet<StmtId>,
}

impl WithdrawnChoices {
    /// Withdraws the choices of some uses. Returns whether one of them was not withdrawn before.
    fn add<'a>(&mut self, uses: impl Iterator<Item = &'a Use>) -> bool {
        let mut changed = false;
        for it in uses {
            changed |= match it.choice {
                Choice::Heart(cycle) => self.hearts.insert(cycle),
                Choice::StatementAnchor(stmt) => self.statements.insert(stmt),
                Choice::Base | Choice::OwnAnchor => false,
            };
        }
        changed
    }

    fn instead_of(&self, preference: Choice, user: User) -> Choice {
        match (preference, user) {
            (Choice::Heart(cycle), _) if self.everything || self.hearts.contains(&cycle) => Choice::Base,
            (Choice::StatementAnchor(stmt), User::Call(_))
                if self.everything || self.statements.contains(&stmt) =>
            {
                Choice::OwnAnchor
            }
            (Choice::StatementAnchor(stmt), User::Heart(_))
                if self.everything || self.statements.contains(&stmt) =>
            {
                Choice::Base
            }
            _ => preference,
        }
    }
}

/// The facts about cycles and calls that follow from the source.
struct SourceFacts<'a> {
    nest: &'a StmtTree,
    graph: &'a TokenGraph<'a>,
    loops: IndexVec<LoopId, SourceLoop>,
    /// The innermost source loop around each block.
    within: IndexVec<BlockId, Option<LoopId>>,
    /// The innermost statement that contains the beginning of each block.
    stmts: IndexVec<BlockId, StmtId>,
    /// The cycle of each source loop: its header is the loop's head.
    cycle_of: FxHashMap<LoopId, CycleId>,
    loop_of: FxHashMap<CycleId, LoopId>,
    /// The innermost opportunistic statement around each statement.
    opportunistic: IndexVec<StmtId, Option<StmtId>>,
}

/// A user that needs a token, and its position.
struct TokenUser {
    /// The innermost source loop around the user.
    within: Option<LoopId>,
    /// The statement that contains the user.
    stmt: StmtId,
    block: BlockId,
    level: Option<CycleId>,
}

impl<'a> SourceFacts<'a> {
    fn of(function: &Function, nest: &'a StmtTree, graph: &'a TokenGraph<'a>) -> SourceFacts<'a> {
        let head = |(id, source_loop): (LoopId, &SourceLoop)| (source_loop.head, id);
        let heads: FxHashMap<BlockId, LoopId> = function.loops.iter_enumerated().map(head).collect();
        let cycles = graph.cycles.cycles.iter_enumerated();
        let loop_of: FxHashMap<CycleId, LoopId> =
            cycles.filter_map(|(id, cycle)| Some((id, *heads.get(&cycle.header)?))).collect();
        SourceFacts {
            nest,
            graph,
            loops: function.loops.clone(),
            within: function.blocks.iter().map(|block| block.source_loop).collect(),
            stmts: function.blocks.iter().map(|block| block.stmt).collect(),
            cycle_of: loop_of.iter().map(|(&cycle, &id)| (id, cycle)).collect(),
            loop_of,
            opportunistic: nest.is_noconvergent(),
        }
    }

    /// Returns the innermost statement that contains a call. For a call without a source, the statement of its block.
    fn stmt_of(&self, function: &Function, block: BlockId, call: ValueId) -> StmtId {
        let number = match &function.values[call].op {
            Op::Call(call) => call.call,
            _ => None,
        };
        let stmt = number.and_then(|number| self.nest.calls.get(number));
        stmt.copied().unwrap_or(self.stmts[block])
    }

    /// Returns the preferred choice of a call.
    fn choice_for_call(&self, stmt: StmtId, block: BlockId, level: Option<CycleId>) -> Choice {
        self.choose(&TokenUser { within: self.within[block], stmt, block, level })
    }

    /// Returns the preferred choice of a heart.
    fn choice_for_heart(&self, cycle: CycleId, block: BlockId, level: Option<CycleId>) -> Choice {
        let header = self.graph.header(cycle);
        let (within, stmt) = match self.loop_of.get(&cycle) {
            Some(&source_loop) => (self.loops[source_loop].parent, self.loops[source_loop].stmt),
            None => (self.within[header], self.stmts[header]),
        };
        self.choose(&TokenUser { within, stmt, block, level })
    }

    fn choose(&self, seeker: &TokenUser) -> Choice {
        let &TokenUser { within, stmt, block, level } = seeker;
        let opportunistic = self.opportunistic.get(stmt).copied().flatten();
        for id in std::iter::successors(within, |&it| self.loops[it].parent) {
            if let Some(outer) = opportunistic.filter(|&it| !self.nest.contains(it, self.loops[id].stmt)) {
                return self.in_statement(outer, level);
            }
            if let Some(choice) = self.cycle_of.get(&id).and_then(|&cycle| self.in_cycle(cycle, block, level))
            {
                return choice;
            }
        }
        opportunistic.map_or(Choice::Base, |it| self.in_statement(it, level))
    }

    /// Returns the preferred choice of a user in an opportunistic statement.
    fn in_statement(&self, stmt: StmtId, level: Option<CycleId>) -> Choice {
        // A cycle inside the statement has its own tokens, which depend on the statement's anchor.
        let begins_within = |level: CycleId| self.nest.contains(stmt, self.stmts[self.graph.header(level)]);
        if level.is_some_and(begins_within) { Choice::Base } else { Choice::StatementAnchor(stmt) }
    }

    /// Returns the preferred choice of a user in a source loop with this cycle. None if the user cannot use a token of
    /// the loop.
    fn in_cycle(&self, cycle: CycleId, block: BlockId, level: Option<CycleId>) -> Option<Choice> {
        if self.graph.cycles.contains(cycle, block) {
            return Some(Choice::Base);
        }
        self.graph.may_use_heart(cycle, level, block).then_some(Choice::Heart(cycle))
    }
}
