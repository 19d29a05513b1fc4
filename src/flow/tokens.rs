//! Places convergence tokens: which threads execute each convergent call together (SEMANTICS §6).
//!
//! **Heart**: a `loop` token in the header of a natural loop that holds a convergent call; its parent is the token around the loop.
//! **Source loop** of a call: the innermost loop statement around it. **Extended cycle**: a call that has left its source loop's
//! cycle, such as one before a `break`, keeps the token of that loop's heart.
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
//! First every call gets the token of the innermost cycle around it ([`Base`]): that is the procedure of *Inferring Tokens*, and always
//! valid. A cycle has a heart if it is reducible, and if a token around it is there at its header; in any other cycle an **anchor**
//! controls what the cycle holds. An anchor stands in the topmost block of the cycle that dominates the call and is in no
//! cycle nested deeper, and is shared by all calls and hearts below: a closed path around the call without it would have to enter
//! the cycle through another block, and then it would not dominate.
//!
//! Then calls are moved to the heart of their source loop, where it dominates them and no cycle without the heart is around them. A use so
//! far out can make regions overlap that were apart: what [`verify`](super::verify) finds unnested is moved back.

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};

use super::cycles::{CycleId, Cycles};
use super::dominators::Dominators;
use super::module::Tokens;
use super::verify::unnested;
use super::{BlockId, Callee, Function, Op, Token, Value, ValueId};
use crate::hir::body::{Body, Role, StmtId, StmtKind};
use crate::hir::types::Ty;

/// Marks the convergent calls of a function and gives them tokens; says whether the function is convergent.
pub fn place(function: &mut Function, body: &Body, is_convergent: &dyn Fn(&Callee) -> bool, tokens: Tokens) {
    let mut calls = Vec::new();
    for (block, data) in function.blocks.iter_enumerated() {
        for &value in &data.values {
            if let Op::Call(call) = &mut function.values[value].op {
                call.convergent = is_convergent(&call.callee);
                if call.convergent {
                    calls.push((block, value));
                }
            }
        }
    }
    function.convergent =
        body.convergence != Some(false) && (body.convergence == Some(true) || !calls.is_empty());
    if calls.is_empty() || tokens == Tokens::Off {
        return;
    }
    let mut base = Base::new(function, body.convergence == Some(false));
    let mut uses: Vec<Use> = calls
        .into_iter()
        .map(|(block, call)| Use { call, block, token: base.at(base.cycles.innermost(block), block) })
        .collect();
    if tokens == Tokens::Placed {
        extend(&mut base, body, function, &mut uses);
    }
    base.finish(function, &uses);
    function.convergent |= body.convergence == Some(true);
}

/// A convergent call and the token that controls it.
struct Use {
    call: ValueId,
    block: BlockId,
    token: Option<TokenId>,
}

index_vec::define_index_type! {
    /// A token that the function may get.
    struct TokenId = u32;
}

/// A token before it has a value.
struct Planned {
    kind: Kind,
    block: BlockId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `entry`, or the anchor of a function that is declared `noconvergent`.
    Outermost,
    Heart(TokenId),
    Anchor,
}

/// What gives a cycle's calls their token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Provider {
    Heart(TokenId),
    /// Anchors, one for each group of calls.
    Anchors,
}

/// Tokens by the innermost cycle alone.
struct Base {
    cycles: Cycles,
    dominators: Dominators,
    /// A function declared `noconvergent`: its threads are whichever arrive.
    opportunistic: bool,
    planned: IndexVec<TokenId, Planned>,
    outermost: Option<TokenId>,
    providers: IndexVec<CycleId, Option<Provider>>,
    anchors: FxHashMap<BlockId, TokenId>,
}

impl Base {
    fn new(function: &Function, opportunistic: bool) -> Base {
        let cycles = Cycles::of(function);
        let providers = index_vec![None; cycles.cycles.len()];
        let dominators = Dominators::of(function);
        let (planned, anchors) = (IndexVec::new(), FxHashMap::default());
        Base { cycles, dominators, opportunistic, planned, outermost: None, providers, anchors }
    }

    /// The token of a use in a block, at the level of a cycle around it (None: outside of all). None if there is no block of that level
    /// for an anchor that would be there.
    fn at(&mut self, level: Option<CycleId>, block: BlockId) -> Option<TokenId> {
        let Some(cycle) = level else {
            let planned = &mut self.planned;
            let make = || planned.push(Planned { kind: Kind::Outermost, block: Function::ENTRY });
            return Some(*self.outermost.get_or_insert_with(make));
        };
        self.provide(cycle);
        match self.providers[cycle] {
            Some(Provider::Heart(heart)) => Some(heart),
            _ => {
                let top = self.topmost(cycle, block)?;
                if let Some(&anchor) = self.anchors.get(&top) {
                    return Some(anchor);
                }
                let anchor = self.planned.push(Planned { kind: Kind::Anchor, block: top });
                self.anchors.insert(top, anchor);
                Some(anchor)
            }
        }
    }

    /// Decides what gives a cycle's calls their token, from the outside in: nesting costs no stack.
    fn provide(&mut self, cycle: CycleId) {
        let parents = std::iter::successors(Some(cycle), |&cycle| self.cycles.cycles[cycle].parent);
        let open: Vec<CycleId> = parents.take_while(|&cycle| self.providers[cycle].is_none()).collect();
        for cycle in open.into_iter().rev() {
            let header = self.cycles.cycles[cycle].header;
            let parent = self.cycles.cycles[cycle].parent;
            let around = match self.cycles.cycles[cycle].is_reducible() {
                true => self.around(parent, header),
                false => None,
            };
            self.providers[cycle] = Some(match around {
                Some(token) => {
                    Provider::Heart(self.planned.push(Planned { kind: Kind::Heart(token), block: header }))
                }
                None => Provider::Anchors,
            });
        }
    }

    /// The token of a level for a heart in `header`: an anchor stands in a block before.
    fn around(&mut self, level: Option<CycleId>, header: BlockId) -> Option<TokenId> {
        match level {
            Some(cycle) if self.providers[cycle] == Some(Provider::Anchors) => {
                let before = self.dominators.immediate(header)?;
                self.at(level, before)
            }
            _ => self.at(level, header),
        }
    }

    /// The topmost block of a cycle, in no cycle nested in it, that dominates a block of it.
    fn topmost(&self, cycle: CycleId, block: BlockId) -> Option<BlockId> {
        let dominators = std::iter::successors(Some(block), |&block| self.dominators.immediate(block));
        let inside = dominators.take_while(|&block| self.cycles.contains(cycle, block));
        inside.filter(|&block| self.cycles.innermost(block) == Some(cycle)).last()
    }

    /// Puts the tokens into the function, and their uses.
    fn finish(self, function: &mut Function, uses: &[Use]) {
        // Only what a use leads to; parents have smaller numbers.
        let mut needed: IndexVec<TokenId, bool> = index_vec![false; self.planned.len()];
        uses.iter().filter_map(|used| used.token).for_each(|token| needed[token] = true);
        for token in self.planned.indices().rev() {
            if let (true, Kind::Heart(parent)) = (needed[token], self.planned[token].kind) {
                needed[parent] = true;
            }
        }
        let mut values: IndexVec<TokenId, Option<ValueId>> = index_vec![None; self.planned.len()];
        for (token, planned) in self.planned.iter_enumerated().filter(|&(token, _)| needed[token]) {
            let op = match planned.kind {
                Kind::Outermost if !self.opportunistic => Token::Entry,
                Kind::Heart(parent) => match values[parent] {
                    Some(parent) => Token::Loop(parent),
                    None => Token::Anchor,
                },
                Kind::Outermost | Kind::Anchor => Token::Anchor,
            };
            let block = &function.blocks[planned.block];
            let span = match block.values.iter().find(|&&value| is_placed(&function.values[value])) {
                Some(&first) => function.values[first].span,
                None => block.end,
            };
            let value = function.values.push(Value { op: Op::Token(op), ty: Ty::TOKEN, name: None, span });
            values[token] = Some(value);
            // Behind phis and tokens, before all else.
            let values = &function.values;
            let block = &mut function.blocks[planned.block].values;
            let at = block.iter().position(|&value| is_placed(&values[value])).unwrap_or(block.len());
            block.insert(at, value);
        }
        for used in uses {
            if let Op::Call(call) = &mut function.values[used.call].op {
                call.token = used.token.and_then(|token| values[token]);
            }
        }
        // What hangs on anchors alone is nothing to the threads that call.
        function.convergent = !self.opportunistic && self.outermost.is_some_and(|token| needed[token]);
    }
}

/// Whether tokens go before a value in its block.
fn is_placed(value: &Value) -> bool {
    !matches!(value.op, Op::Phi(_) | Op::Token(_))
}

/// Moves calls to the hearts of their source loops.
fn extend(base: &mut Base, body: &Body, function: &mut Function, uses: &mut [Use]) {
    let loops = Loops::of(base, body, function);
    let calls = |used: &Use| match &function.values[used.call].op {
        Op::Call(call) => call.call,
        _ => None,
    };
    let mut moved = Vec::new();
    for (number, used) in uses.iter().enumerate() {
        let Some(call) = calls(used).map(|call| &body.calls[call]) else { continue };
        let Some(source) = source_loop(body, call.stmt, call.role) else { continue };
        let Some(&cycle) = loops.cycles.get(&source) else { continue };
        let header = base.cycles.cycles[cycle].header;
        // Inside the cycle the base is right already: what is around the call there may be nested deeper, by a `goto`.
        let inside = base.cycles.contains(cycle, used.block);
        let reached = base.dominators.dominates(header, used.block);
        let around =
            base.cycles.innermost(used.block).is_none_or(|outer| base.cycles.contains(outer, header));
        if !inside && reached && around {
            moved.push((number, cycle));
        }
    }
    if moved.is_empty() {
        return;
    }
    let kept: Vec<Option<TokenId>> = uses.iter().map(|used| used.token).collect();
    for (number, cycle) in moved {
        base.provide(cycle);
        if let Some(Provider::Heart(heart)) = base.providers[cycle] {
            uses[number].token = Some(heart);
        }
    }
    // A trial: what is then not nested goes back, and if that helps nothing, all does.
    for attempt in 0.. {
        let mut trial = function.clone();
        base.plan().finish(&mut trial, uses);
        let wrong: FxHashSet<ValueId> = unnested(&trial).into_iter().collect();
        if wrong.is_empty() {
            return;
        }
        let mut changed = false;
        for (used, kept) in uses.iter_mut().zip(&kept) {
            let culprit = attempt > 0 || wrong.contains(&used.call);
            if culprit && used.token != *kept {
                used.token = *kept;
                changed = true;
            }
        }
        if !changed {
            if attempt > 0 {
                return;
            }
            uses.iter_mut().zip(&kept).for_each(|(used, kept)| used.token = *kept);
        }
    }
}

impl Base {
    /// The same plan once more, to try it.
    fn plan(&self) -> Base {
        Base {
            cycles: self.cycles.clone(),
            dominators: self.dominators.clone(),
            opportunistic: self.opportunistic,
            planned: self
                .planned
                .iter()
                .map(|planned| Planned { kind: planned.kind, block: planned.block })
                .collect(),
            outermost: self.outermost,
            providers: self.providers.clone(),
            anchors: self.anchors.clone(),
        }
    }
}

/// The cycle of each loop statement that has one.
struct Loops {
    cycles: FxHashMap<StmtId, CycleId>,
}

impl Loops {
    /// A loop statement's cycle is the outermost one whose header begins in it and in no loop nested in it.
    fn of(base: &Base, body: &Body, function: &Function) -> Loops {
        let mut cycles: FxHashMap<StmtId, CycleId> = FxHashMap::default();
        for (id, cycle) in base.cycles.cycles.iter_enumerated() {
            let Some(source) = innermost_loop(body, Some(function.blocks[cycle.header].stmt)) else {
                continue;
            };
            // Outer cycles have smaller numbers.
            cycles.entry(source).or_insert(id);
        }
        Loops { cycles }
    }
}

fn innermost_loop(body: &Body, stmt: Option<StmtId>) -> Option<StmtId> {
    std::iter::successors(stmt, |&stmt| body.stmts[stmt].parent).find(|&stmt| body.stmts[stmt].kind.is_loop())
}

/// The innermost loop around a call: what a `for` evaluates first is not in it.
fn source_loop(body: &Body, stmt: StmtId, role: Role) -> Option<StmtId> {
    let mut child = None;
    let mut at = Some(stmt);
    while let Some(stmt) = at {
        let inside = match (&body.stmts[stmt].kind, child) {
            (StmtKind::For { init, .. }, Some(child)) => *init != child,
            (StmtKind::For { .. }, None) => role != Role::Entry,
            (kind, _) => kind.is_loop(),
        };
        if inside {
            return Some(stmt);
        }
        child = Some(stmt);
        at = body.stmts[stmt].parent;
    }
    None
}
