//! Places convergence tokens: which threads execute each convergent call together (`docs/semantics.md` §6).
//!
//! **Heart**: a `loop` token in the header of a natural loop that holds a convergent call; its parent is the token around the loop.
//! **Source loop**: a loop statement, or a goto cycle ([`loops`](super::loops)). That of a call is the innermost around it. **Extended cycle**: a call that has left its source loop's cycle, such as one before a `break` or a `return`, keeps the token of
//! that loop's heart. **Opportunistic**: a function or statement with `__attribute__((noconvergent))`; what it holds hangs on an anchor, so that
//! any threads will do.
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
//! Calls and hearts are followed outwards through the source loops and statements around them, to the first that decides:
//!
//! - a source loop whose cycle they are in: the base of their level (`plan`);
//! - a source loop whose cycle they have left, if the rules about closed paths allow the use of its heart: that heart;
//! - an opportunistic statement: an anchor, shared by all of its calls and hearts of one level;
//! - the function: the base.
//!
//! A choice other than the base lengthens regions, and after a `goto` they may overlap. Then the choices whose regions hold a use that
//! they should not are taken back: calls of a statement get an anchor each, right before them, everything else its base. Bases
//! alone are always valid, so the rounds end.
//!
//! A function is convergent if something in it hangs on `entry`, or if it is declared so.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cycles::CycleId;
use super::infer::{convergent_calls, place_by_graph};
use super::plan::{Choice, Graph, Plan, TokenId, Use, User, take};
use super::regions::overlaps;
use super::shape::Shape;
use super::{BlockId, Callee, Function, LoopId, Op, SourceLoop, ValueId};
use crate::nest::{Convergence, Nest, StmtId};

/// Where tokens come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    /// From how the statements of the source nest.
    #[default]
    Placed,
    /// From the graph alone ([`infer`](super::infer)).
    Infer,
    /// There are none.
    Off,
}

/// Marks the convergent calls of a function and gives them tokens; says whether the function is convergent. The function is in SSA
/// form, has the shape, and no tokens yet.
pub fn place(
    function: &mut Function,
    shape: &Shape,
    nest: &Nest,
    is_convergent: &dyn Fn(&Callee) -> bool,
    tokens: Tokens,
) {
    for value in &mut function.values {
        if let Op::Call(call) = &mut value.op {
            call.convergent = is_convergent(&call.callee);
        }
    }
    let calls = convergent_calls(function);
    let opportunistic = nest.declared == Some(Convergence::NotConvergent);
    let declared = nest.declared == Some(Convergence::Convergent);
    if calls.is_empty() || tokens == Tokens::Off {
        function.convergent = !opportunistic && (declared || !calls.is_empty());
        return;
    }
    let graph = Graph::of(shape);
    let needs_callers = match tokens {
        Tokens::Placed => place_by_source(function, nest, shape, &graph, &calls, opportunistic),
        Tokens::Infer | Tokens::Off => place_by_graph(function, &graph, &calls, opportunistic),
    };
    function.convergent = !opportunistic && (needs_callers || declared);
}

/// Whether the threads that call the function matter to it.
fn place_by_source(
    function: &mut Function,
    nest: &Nest,
    shape: &Shape,
    graph: &Graph,
    calls: &[(BlockId, ValueId)],
    opportunistic: bool,
) -> bool {
    let source = Source::of(function, nest, graph);
    let stmts: FxHashMap<ValueId, StmtId> =
        calls.iter().map(|&(block, call)| (call, source.stmt_of(function, block, call))).collect();
    let mut refused = Refused::default();
    let count = function.values.len();
    loop {
        let plan = Plan::new(graph, calls, &|user, block, level| {
            let wish = match user {
                User::Call(call) => source.of_call(stmts[&call], block, level),
                User::Heart(cycle) => source.of_heart(cycle, block, level),
            };
            refused.instead_of(wish, user)
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
        // Whose region is too long; or else who stands in it; or else everything.
        if !refused.add(plan.uses.iter().filter(|it| inside.contains(&it.token)))
            && !refused.add(plan.uses.iter().filter(|it| used.contains(&it.token)))
        {
            refused.everything = true;
        }
        take(function, count);
    }
}

/// Choices that made regions overlap.
#[derive(Default)]
struct Refused {
    everything: bool,
    hearts: FxHashSet<CycleId>,
    statements: FxHashSet<StmtId>,
}

impl Refused {
    /// Whether anything is refused now that was not before.
    fn add<'a>(&mut self, uses: impl Iterator<Item = &'a Use>) -> bool {
        let mut changed = false;
        for it in uses {
            changed |= match it.choice {
                Choice::Heart(cycle) => self.hearts.insert(cycle),
                Choice::Statement(stmt) => self.statements.insert(stmt),
                Choice::Base | Choice::Own => false,
            };
        }
        changed
    }

    fn instead_of(&self, wish: Choice, user: User) -> Choice {
        match (wish, user) {
            (Choice::Heart(cycle), _) if self.everything || self.hearts.contains(&cycle) => Choice::Base,
            (Choice::Statement(stmt), User::Call(_))
                if self.everything || self.statements.contains(&stmt) =>
            {
                Choice::Own
            }
            (Choice::Statement(stmt), User::Heart(_))
                if self.everything || self.statements.contains(&stmt) =>
            {
                Choice::Base
            }
            _ => wish,
        }
    }
}

/// What the source says of cycles and calls.
struct Source<'a> {
    nest: &'a Nest,
    graph: &'a Graph<'a>,
    loops: IndexVec<LoopId, SourceLoop>,
    /// The innermost source loop around each block.
    within: IndexVec<BlockId, Option<LoopId>>,
    /// The statement that each block begins in.
    stmts: IndexVec<BlockId, StmtId>,
    /// The cycle of a source loop, whose header is its head.
    cycle_of: FxHashMap<LoopId, CycleId>,
    loop_of: FxHashMap<CycleId, LoopId>,
    /// The innermost opportunistic statement around each one.
    opportunistic: IndexVec<StmtId, Option<StmtId>>,
}

/// What looks for a token.
struct Seeker {
    /// The innermost source loop around it.
    within: Option<LoopId>,
    /// Where it stands.
    stmt: StmtId,
    block: BlockId,
    level: Option<CycleId>,
}

impl<'a> Source<'a> {
    fn of(function: &Function, nest: &'a Nest, graph: &'a Graph<'a>) -> Source<'a> {
        let head = |(id, source_loop): (LoopId, &SourceLoop)| (source_loop.head, id);
        let heads: FxHashMap<BlockId, LoopId> = function.loops.iter_enumerated().map(head).collect();
        let cycles = graph.cycles.cycles.iter_enumerated();
        let loop_of: FxHashMap<CycleId, LoopId> =
            cycles.filter_map(|(id, cycle)| Some((id, *heads.get(&cycle.header)?))).collect();
        Source {
            nest,
            graph,
            loops: function.loops.clone(),
            within: function.blocks.iter().map(|block| block.within).collect(),
            stmts: function.blocks.iter().map(|block| block.stmt).collect(),
            cycle_of: loop_of.iter().map(|(&cycle, &id)| (id, cycle)).collect(),
            loop_of,
            opportunistic: nest.opportunistic(),
        }
    }

    /// The statement that a call stands in; of one that no source has, that which its block begins in.
    fn stmt_of(&self, function: &Function, block: BlockId, call: ValueId) -> StmtId {
        let number = match &function.values[call].op {
            Op::Call(call) => call.call,
            _ => None,
        };
        let stmt = number.and_then(|number| self.nest.calls.get(number));
        stmt.copied().unwrap_or(self.stmts[block])
    }

    /// What a call would like.
    fn of_call(&self, stmt: StmtId, block: BlockId, level: Option<CycleId>) -> Choice {
        self.choose(&Seeker { within: self.within[block], stmt, block, level })
    }

    /// What a heart would like.
    fn of_heart(&self, cycle: CycleId, block: BlockId, level: Option<CycleId>) -> Choice {
        let header = self.graph.header(cycle);
        let (within, stmt) = match self.loop_of.get(&cycle) {
            Some(&source_loop) => (self.loops[source_loop].parent, self.loops[source_loop].stmt),
            None => (self.within[header], self.stmts[header]),
        };
        self.choose(&Seeker { within, stmt, block, level })
    }

    fn choose(&self, seeker: &Seeker) -> Choice {
        let &Seeker { within, stmt, block, level } = seeker;
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

    /// What a user in an opportunistic statement would like.
    fn in_statement(&self, stmt: StmtId, level: Option<CycleId>) -> Choice {
        // A cycle inside the statement has its own tokens, which hang on the statement's anchor in turn.
        let begins_within = |level: CycleId| self.nest.contains(stmt, self.stmts[self.graph.header(level)]);
        if level.is_some_and(begins_within) { Choice::Base } else { Choice::Statement(stmt) }
    }

    /// What a user in a source loop with this cycle would like. None: the loop has nothing to offer.
    fn in_cycle(&self, cycle: CycleId, block: BlockId, level: Option<CycleId>) -> Option<Choice> {
        if self.graph.cycles.contains(cycle, block) {
            return Some(Choice::Base);
        }
        self.graph.may_use_heart(cycle, level, block).then_some(Choice::Heart(cycle))
    }
}
