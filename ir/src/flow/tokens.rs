//! Places convergence tokens: which threads execute each convergent call together (SEMANTICS §6).
//!
//! **Heart**: a `loop` token in the header of a natural loop that holds a convergent call; its parent is the token around the loop.
//! **Source loop**: a loop statement, or a goto cycle: what stands from a label to the last jump back to it. That of a call is the innermost
//! around it. **Extended cycle**: a call that has left its source loop's cycle, such as one before a `break` or a `return`, keeps the token of
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
use super::heads::Heads;
use super::infer::{convergent_calls, place_by_graph};
use super::plan::{Choice, Graph, Plan, TokenId, Use, User, take};
use super::regions::overlaps;
use super::shape::Shape;
use super::{BlockId, Callee, Function, Op, ValueId};
use crate::nest::{Convergence, Nest, Role, StmtId};

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
    let places: FxHashMap<ValueId, (StmtId, Role)> =
        calls.iter().map(|&(block, call)| (call, source.place(function, block, call))).collect();
    let mut refused = Refused::default();
    let count = function.values.len();
    loop {
        let plan = Plan::new(graph, calls, &|user, block, level| {
            let wish = match user {
                User::Call(call) => source.choose(places[&call], None, block, level),
                User::Heart(cycle) => match source.loop_of.get(&cycle) {
                    Some(&stmt) => source.choose((stmt, Role::Entry), Some(stmt), block, level),
                    None => source.choose((source.begin(cycle), Role::Entry), None, block, level),
                },
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

/// What stands between a label and the last jump back to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GotoCycle {
    /// The label, or the loop statement around it into which jumps lead back.
    first: StmtId,
    label: StmtId,
    last: StmtId,
}

/// What the statements of the source say of cycles and calls.
struct Source<'a> {
    function_stmts: Vec<StmtId>,
    nest: &'a Nest,
    graph: &'a Graph<'a>,
    cycle_of: FxHashMap<StmtId, CycleId>,
    loop_of: FxHashMap<CycleId, StmtId>,
    /// Goto cycles that are cycles, in source order.
    labels: Vec<GotoCycle>,
    /// The innermost statement around each one that decides anything, and what it holds on the way there. Statements nest as deep as
    /// `else if` chains are long.
    around: IndexVec<StmtId, Option<(StmtId, StmtId)>>,
}

impl<'a> Source<'a> {
    fn of(function: &Function, nest: &'a Nest, graph: &'a Graph<'a>) -> Source<'a> {
        let mut source = Source {
            function_stmts: function.blocks.iter().map(|block| block.stmt).collect(),
            nest,
            graph,
            cycle_of: FxHashMap::default(),
            loop_of: FxHashMap::default(),
            labels: Vec::new(),
            around: IndexVec::with_capacity(nest.stmts.len()),
        };
        let heads = Heads::of(function, nest);
        let loop_of: FxHashMap<BlockId, StmtId> = heads.iter().map(|(stmt, head)| (head, stmt)).collect();
        for (id, cycle) in graph.cycles.cycles.iter_enumerated() {
            let known = loop_of.get(&cycle.header).copied();
            let Some(stmt) = known.or_else(|| heads.iterated_by(function, graph.cycles, id)) else {
                continue;
            };
            // Outer cycles have smaller numbers.
            if let std::collections::hash_map::Entry::Vacant(entry) = source.cycle_of.entry(stmt) {
                entry.insert(id);
                source.loop_of.insert(id, stmt);
                let goto_cycle = |last| GotoCycle { first: heads.beginning(stmt), label: stmt, last };
                source.labels.extend(heads.last_jump(stmt).map(goto_cycle));
            }
        }
        source.labels.sort_unstable();
        for (id, stmt) in nest.stmts.iter_enumerated() {
            let around = stmt.parent.and_then(|parent| {
                let parent_data = &nest.stmts[parent];
                let is_loop = parent_data.iterates.is_some() && source.cycle_of.contains_key(&parent);
                let decides = parent_data.opportunistic || is_loop;
                if decides { Some((parent, id)) } else { source.around[parent] }
            });
            source.around.push(around);
        }
        source
    }

    /// The statement that the header of a cycle begins in.
    fn begin(&self, cycle: CycleId) -> StmtId {
        self.function_stmts[self.graph.header(cycle).index()]
    }

    /// Where a call stands in the source; one that no source has, where its block begins.
    fn place(&self, function: &Function, block: BlockId, call: ValueId) -> (StmtId, Role) {
        let number = match &function.values[call].op {
            Op::Call(call) => call.call,
            _ => None,
        };
        match number.and_then(|number| self.nest.calls.get(number)) {
            Some(&place) => place,
            None => (function.blocks[block].stmt, Role::LoopCondition),
        }
    }

    /// What a user at a place of the source would like. `of_loop`: the user is the heart of this source loop, and looks for what is
    /// around it.
    fn choose(
        &self,
        (stmt, role): (StmtId, Role),
        of_loop: Option<StmtId>,
        block: BlockId,
        level: Option<CycleId>,
    ) -> Choice {
        let mut labels = self.labels_around(stmt).filter(|it| Some(it.label) != of_loop).peekable();
        let mut inner: Option<StmtId> = None;
        let mut at = Some(stmt);
        while let Some(stmt) = at {
            // A goto cycle is inside of the statements that begin before it.
            while let Some(it) = labels.next_if(|it| it.first > stmt) {
                if let Some(choice) = self.in_cycle(self.cycle_of[&it.label], block, level) {
                    return choice;
                }
            }
            let Some(data) = self.nest.stmts.get(stmt) else { break };
            let in_loop = data.iterates.is_some_and(|iterates| match inner {
                Some(inner) => iterates.first != Some(inner),
                None => !iterates.begins_outside || role != Role::Entry,
            });
            if in_loop
                && of_loop != Some(stmt)
                && let Some(&cycle) = self.cycle_of.get(&stmt)
                && let Some(choice) = self.in_cycle(cycle, block, level)
            {
                return choice;
            }
            if data.opportunistic {
                // A cycle inside the statement has its own tokens, which hang on the statement's anchor in turn.
                let within = level.is_some_and(|level| self.nest.contains(stmt, self.begin(level)));
                return if within { Choice::Base } else { Choice::Statement(stmt) };
            }
            (at, inner) = self.around[stmt].unzip();
        }
        let mut outer = labels.filter_map(|it| self.in_cycle(self.cycle_of[&it.label], block, level));
        outer.next().unwrap_or(Choice::Base)
    }

    /// The goto cycles in which a statement stands, the innermost first.
    fn labels_around(&self, stmt: StmtId) -> impl Iterator<Item = GotoCycle> {
        let before = self.labels.partition_point(|it| it.first <= stmt);
        self.labels[..before].iter().rev().copied().filter(move |it| stmt <= it.last)
    }

    /// What a user in a source loop with this cycle would like. None: the loop has nothing to offer.
    fn in_cycle(&self, cycle: CycleId, block: BlockId, level: Option<CycleId>) -> Option<Choice> {
        if self.graph.cycles.contains(cycle, block) {
            return Some(Choice::Base);
        }
        self.graph.may_use_heart(cycle, level, block).then_some(Choice::Heart(cycle))
    }
}
