//! Lowers statements to blocks and the control flow between them.
//!
//! A statement with substatements makes its blocks, and pushes tasks for its parts and for the control flow between
//! them. The list of tasks is the stack. A `case` or label begins a block wherever it is, so jumps into loops and
//! Duff's device are not special cases.

use super::place::Place;
use rustc_hash::FxHashMap;

use super::{Builder, is_case, label_number};
use crate::flow::{BlockId, BlockKind, Jump, JumpTarget, Op, StmtRange, Terminator, Unknown, ValueId};
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_hir::typed::{Conversion, StmtExprs, Storage};
use tangle_hir::types::{Ty, TyKind};

use tangle_grammar::ast;
use tangle_syntax::dialect::AssemblyOutput;

/// A task of the list. The last task of the list is the next one.
enum Task {
    Statement(StmtId),
    Begin(BlockId),
    Jump(BlockId),
    /// The condition of an `if` or loop: a branch to one of two blocks.
    Condition {
        stmt: StmtId,
        then: BlockId,
        otherwise: BlockId,
    },
    /// A `for` loop after its first clause.
    For(StmtId),
    Step(StmtId),
}

impl Builder<'_> {
    /// Lowers the whole body.
    pub(super) fn body(&mut self) {
        self.statements(Body::ROOT);
        if self.current.is_some() {
            self.span = self.body.span;
            self.span.start = self.span.end.saturating_sub(1).max(self.span.start);
            self.return_nothing();
        }
    }

    /// Lowers a statement with its substatements.
    pub(super) fn statements(&mut self, root: StmtId) {
        let mut tasks = vec![Task::Statement(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Statement(stmt) => {
                    self.stmt = stmt;
                    self.span = self.body.stmts[stmt].span;
                    self.statement(stmt, &mut tasks);
                }
                Task::Begin(block) => self.begin(block),
                Task::Jump(block) => self.jump(block),
                Task::Condition { stmt, then, otherwise } => {
                    self.stmt = stmt;
                    self.span = self.body.stmts[stmt].span;
                    let condition = match self.typed.stmts[stmt] {
                        StmtExprs::Condition(condition) => Some(condition),
                        StmtExprs::For { condition, .. } => condition,
                        _ => unreachable!("a statement with a condition has its expression"),
                    };
                    match condition {
                        Some(condition) => self.branch(condition, then, otherwise),
                        None => self.jump(then),
                    }
                }
                Task::For(stmt) => self.for_loop(stmt, &mut tasks),
                Task::Step(stmt) => {
                    self.stmt = stmt;
                    if let StmtExprs::For { step: Some(step), .. } = self.typed.stmts[stmt] {
                        self.discard(step);
                    }
                }
            }
        }
    }

    fn statement(&mut self, stmt: StmtId, tasks: &mut Vec<Task>) {
        let body = self.body;
        match &body.stmts[stmt].kind {
            StmtKind::Compound(children) => {
                tasks.extend(children.iter().rev().map(|&child| Task::Statement(child)));
            }
            &StmtKind::If { then, otherwise, .. } => {
                let then_block = self.block(BlockKind::IfThen, then);
                let else_block = otherwise.map(|otherwise| self.block(BlockKind::IfElse, otherwise));
                let end = self.block_after(BlockKind::IfEnd, stmt);
                tasks.push(Task::Begin(end));
                if let (Some(otherwise), Some(block)) = (otherwise, else_block) {
                    tasks.extend([Task::Jump(end), Task::Statement(otherwise), Task::Begin(block)]);
                }
                tasks.extend([Task::Jump(end), Task::Statement(then), Task::Begin(then_block)]);
                tasks.push(Task::Condition { stmt, then: then_block, otherwise: else_block.unwrap_or(end) });
            }
            StmtKind::Switch { body: inner, labels } => self.switch(stmt, *inner, labels, tasks),
            &StmtKind::While { body: inner, .. } => {
                let condition = self.block(BlockKind::WhileCondition, stmt);
                let then = self.block(BlockKind::WhileBody, inner);
                let end = self.block_after(BlockKind::WhileEnd, stmt);
                self.breaks.insert(stmt, end);
                self.continues.insert(stmt, condition);
                tasks.extend([
                    Task::Begin(end),
                    Task::Jump(condition),
                    Task::Statement(inner),
                    Task::Begin(then),
                    Task::Condition { stmt, then, otherwise: end },
                    Task::Begin(condition),
                ]);
            }
            &StmtKind::Do { body: inner, .. } => {
                let again = self.block(BlockKind::DoBody, inner);
                let condition = self.block(BlockKind::DoCondition, stmt);
                let end = self.block_after(BlockKind::DoEnd, stmt);
                self.breaks.insert(stmt, end);
                self.continues.insert(stmt, condition);
                tasks.extend([
                    Task::Begin(end),
                    Task::Condition { stmt, then: again, otherwise: end },
                    Task::Begin(condition),
                    Task::Statement(inner),
                    Task::Begin(again),
                ]);
            }
            &StmtKind::For { init, .. } => tasks.extend([Task::For(stmt), Task::Statement(init)]),
            StmtKind::Goto(Some(label)) => {
                if !self.is_way(stmt, *label) {
                    return self.unknown_statement();
                }
                let target = self.label(*label);
                let block = self.block_in_hand();
                self.function.blocks[block].jump = Some(self.jump_to(stmt, &[*label], |_| None));
                self.jump(target);
            }
            StmtKind::ComputedGoto(labels) => self.computed_goto(stmt, labels),
            StmtKind::Continue(Some(target)) => self.jump(self.continues[target]),
            StmtKind::Break(Some(target)) => self.jump(self.breaks[target]),
            StmtKind::Return => self.return_statement(stmt),
            &StmtKind::Label(inner) => {
                let block = self.label(stmt);
                self.begin(block);
                tasks.push(Task::Statement(inner));
            }
            &StmtKind::Case(inner) | &StmtKind::Default(inner) => {
                // The first of several stacked labels begins the block.
                if let Some(&block) = self.labels.get(&stmt)
                    && self.current != Some(block)
                {
                    self.begin(block);
                }
                tasks.push(Task::Statement(inner));
            }
            StmtKind::Declaration => self.declaration(stmt),
            StmtKind::Expression => {
                if let StmtExprs::Expression(expr) = self.typed.stmts[stmt] {
                    match self.captured.contains_key(&stmt) {
                        true => {
                            let value = self.value(expr);
                            self.captured.insert(stmt, Some(value));
                        }
                        false => self.discard(expr),
                    }
                    // An undeclared name that is a whole statement is a macro, and can be a barrier.
                    if self.is_undeclared_name(expr) {
                        self.unknown_statement();
                    }
                }
            }
            StmtKind::Empty => {}
            StmtKind::Asm(labels) => self.assembly(stmt, labels),
            StmtKind::Goto(None) | StmtKind::Continue(None) | StmtKind::Break(None) | StmtKind::Error => {
                self.unknown_statement();
            }
        }
    }

    /// Lowers inline assembly as an unknown call, whose result is stored to all outputs. Control may jump to a label of
    /// the assembly, or continue after it.
    fn assembly(&mut self, stmt: StmtId, labels: &[StmtId]) {
        self.effect(Op::Unknown { what: Unknown::Assembly, operands: Box::default() });
        if let StmtExprs::Assembly { outputs, inputs, operations, output } = &self.typed.stmts[stmt] {
            let places = outputs.iter().map(|&output| self.place(output));
            let is_array = |place: &Place| match place {
                Place::Memory(memory) => matches!(memory.ty.kind(), TyKind::Array { .. }),
                _ => false,
            };
            let (arrays, places): (Vec<Place>, Vec<Place>) = places.partition(is_array);
            let operations: Vec<ValueId> =
                operations.iter().map(|&operation| self.value(operation)).collect();
            let inputs: Vec<ValueId> = inputs.iter().map(|&input| self.value(input)).collect();
            self.span = self.body.stmts[stmt].span;
            if !places.is_empty() {
                let written = match (output, &*operations) {
                    (AssemblyOutput::Copy | AssemblyOutput::Computed, &[only]) => only,
                    _ => self.call_unnamed(&inputs),
                };
                match (output, &*places) {
                    (AssemblyOutput::Copy, [place]) => {
                        let ty = place.ty(self);
                        let value = self.unknown([written], ty);
                        self.store(place, value);
                    }
                    _ => places.iter().for_each(|place| {
                        self.update(place, None, vec![written]);
                    }),
                }
            }
            // Any element of an array can be the output.
            let addresses = arrays.iter().filter_map(|place| match place {
                Place::Memory(memory) => Some(memory.address),
                _ => None,
            });
            let addresses: Vec<ValueId> = addresses.collect();
            if !addresses.is_empty() {
                let operands: Vec<ValueId> = inputs.into_iter().chain(addresses).collect();
                self.call_unnamed(&operands);
            }
        }
        let labels: Vec<StmtId> = labels.iter().copied().filter(|&label| self.is_way(stmt, label)).collect();
        if labels.is_empty() {
            return;
        }
        let behind = self.block_after(BlockKind::Unreachable, stmt);
        let cases = labels.iter().map(|&label| (label_number(label), label_number(label), self.label(label)));
        let cases = cases.collect();
        let value = self.call_unnamed(&[]);
        let block = self.block_in_hand();
        self.function.blocks[block].jump = Some(self.jump_to(stmt, &labels, in_order(&labels)));
        self.terminate(Terminator::Switch { value, cases, otherwise: behind });
        self.begin(behind);
    }

    fn for_loop(&mut self, stmt: StmtId, tasks: &mut Vec<Task>) {
        let StmtKind::For { body: inner, .. } = self.body.stmts[stmt].kind else { return };
        let has_step = matches!(self.typed.stmts[stmt], StmtExprs::For { step: Some(_), .. });
        self.span = self.body.stmts[stmt].span;
        let condition = self.block(BlockKind::ForCondition, stmt);
        let then = self.block(BlockKind::ForBody, inner);
        let step = if has_step { self.block(BlockKind::ForStep, stmt) } else { condition };
        let end = self.block_after(BlockKind::ForEnd, stmt);
        self.breaks.insert(stmt, end);
        self.continues.insert(stmt, step);
        tasks.extend([Task::Begin(end), Task::Jump(condition)]);
        if has_step {
            tasks.extend([Task::Step(stmt), Task::Begin(step)]);
        }
        tasks.extend([
            Task::Statement(inner),
            Task::Begin(then),
            Task::Condition { stmt, then, otherwise: end },
            Task::Begin(condition),
        ]);
    }

    fn switch(&mut self, stmt: StmtId, inner: StmtId, labels: &[StmtId], tasks: &mut Vec<Task>) {
        let StmtExprs::Condition(condition) = self.typed.stmts[stmt] else {
            unreachable!("a statement with a condition has its expression");
        };
        let value = self.value(condition);
        let end = self.block_after(BlockKind::SwitchEnd, stmt);
        self.breaks.insert(stmt, end);
        let mut otherwise = end;
        let mut cases: Vec<(i128, i128, BlockId)> = Vec::new();
        let labels: Vec<StmtId> = labels.iter().copied().filter(|&label| self.is_way(stmt, label)).collect();
        let mut all_known = true;
        let mut numbers: FxHashMap<StmtId, u32> = FxHashMap::default();
        for &label in &labels {
            let kind = &self.body.stmts[label].kind;
            // `case 1: case 2:` without a statement in between share one block.
            let outer = self.body.stmts[label].parent.filter(|&outer| is_case(&self.body.stmts[outer].kind));
            let block = match outer.and_then(|outer| self.labels.get(&outer)) {
                Some(&block) => block,
                None => {
                    let name = if matches!(kind, StmtKind::Case(_)) {
                        BlockKind::SwitchCase
                    } else {
                        BlockKind::SwitchDefault
                    };
                    self.block(name, label)
                }
            };
            self.labels.insert(label, block);
            match (kind, &self.typed.stmts[label]) {
                (StmtKind::Default(_), _) => otherwise = block,
                (_, &StmtExprs::Case { low, high }) if low > high => {}
                (_, &StmtExprs::Case { low, high }) => {
                    numbers.insert(label, cases.len() as u32);
                    cases.push((low, high, block));
                }
                _ => {
                    all_known = false;
                    numbers.insert(label, cases.len() as u32);
                    cases.push((0, 0, block));
                }
            }
        }
        let mut sorted: Vec<(i128, i128)> = cases.iter().map(|&(low, high, _)| (low, high)).collect();
        sorted.sort_unstable();
        all_known &= sorted.windows(2).all(|pair| pair[0].1 < pair[1].0);
        let value = match all_known {
            true => value,
            // How the condition selects a case is unknown. So the cases are numbered, and an unknown value selects one.
            false => {
                for (number, (low, high, _)) in (0..).zip(&mut cases) {
                    (*low, *high) = (number, number);
                }
                self.unknown([value], Ty::UNKNOWN)
            }
        };
        let block = self.block_in_hand();
        self.function.blocks[block].jump =
            Some(self.jump_to(stmt, &labels, |label| numbers.get(&label).copied()));
        self.terminate(Terminator::Switch { value, cases, otherwise });
        tasks.extend([Task::Begin(end), Task::Jump(end), Task::Statement(inner)]);
    }

    /// Adds a block that begins after a statement, inside its parent.
    fn block_after(&mut self, kind: BlockKind, stmt: StmtId) -> BlockId {
        let block = self.block(kind, self.body.stmts[stmt].parent.unwrap_or(Body::ROOT));
        self.function.blocks[block].after = Some(stmt);
        block
    }

    /// Returns the record of a jump: for each label, its extent and the number of its case.
    fn jump_to(&self, at: StmtId, labels: &[StmtId], case_of: impl Fn(StmtId) -> Option<u32>) -> Jump {
        let stmts = &self.body.stmts;
        let landing = |&label: &StmtId| {
            let mut around = std::iter::successors(Some(label), |&it| stmts[it].parent);
            let first = around.find(|&it| self.body.contains(it, at)).unwrap_or(Body::ROOT);
            let case = case_of(label);
            JumpTarget { label, distinct_until: StmtRange { first, end: stmts[first].end }, case }
        };
        Jump { at, labels: labels.iter().map(landing).collect() }
    }

    /// Returns the block of a label.
    fn label(&mut self, label: StmtId) -> BlockId {
        if let Some(&block) = self.labels.get(&label) {
            return block;
        }
        let block = self.block(BlockKind::Label, label);
        if let ast::StmtKind::Label { name, .. } = &self.ast.stmts[self.body.stmts[label].syntax].kind {
            self.function.blocks[block].label = Some(name.text);
        }
        self.labels.insert(label, block);
        block
    }

    /// Whether a jump to a label is allowed. A jump into a statement expression would skip the evaluation of earlier
    /// operands.
    fn is_way(&self, from: StmtId, to: StmtId) -> bool {
        self.nested[to].is_none_or(|nested| self.body.contains(nested, from))
    }

    fn computed_goto(&mut self, stmt: StmtId, labels: &[StmtId]) {
        let StmtExprs::Goto(target) = &self.typed.stmts[stmt] else { return self.unknown_statement() };
        let target = self.value(*target);
        let labels: Vec<StmtId> = labels.iter().copied().filter(|&label| self.is_way(stmt, label)).collect();
        if labels.is_empty() {
            return self.unknown_statement();
        }
        let value = self.convert(Conversion::PointerToInt, target, Ty::SIZE);
        let mut cases = Vec::with_capacity(labels.len());
        for &label in &labels {
            let number = label_number(label);
            cases.push((number, number, self.label(label)));
        }
        let otherwise = self.block(BlockKind::GotoUnreachable, stmt);
        let block = self.block_in_hand();
        self.function.blocks[block].jump = Some(self.jump_to(stmt, &labels, in_order(&labels)));
        self.terminate(Terminator::Switch { value, cases, otherwise });
        self.begin(otherwise);
        self.terminate(Terminator::Unreachable);
    }

    fn return_statement(&mut self, stmt: StmtId) {
        let span = self.body.stmts[stmt].span;
        match self.typed.stmts[stmt] {
            StmtExprs::Return(Some(expr)) if self.function.result.is_void() => {
                self.discard(expr);
                self.span = span;
                self.return_nothing();
            }
            StmtExprs::Return(Some(expr)) => {
                let value = self.value(expr);
                self.span = span;
                match self.result {
                    Some(to) if self.ty(value).as_pointer().is_none() => {
                        self.effect(Op::Store { address: to, value, volatile: false, align: 1 });
                        self.return_nothing();
                    }
                    Some(to) => {
                        self.effect(Op::Copy { to, from: value, ty: self.function.result });
                        self.return_nothing();
                    }
                    None => {
                        let value = self.convert_to_known(value, self.function.result);
                        self.block_in_hand();
                        self.terminate(Terminator::Return(Some(value)));
                    }
                }
            }
            _ => self.return_nothing(),
        }
    }

    /// Returns from the function, with an undefined value if the function returns a value.
    fn return_nothing(&mut self) {
        self.block_in_hand();
        let nothing = self.function.result.is_void() || self.result.is_some();
        let value =
            (!nothing).then(|| self.constant(tangle_hir::typed::Constant::Undefined, self.function.result));
        self.terminate(Terminator::Return(value));
    }

    fn declaration(&mut self, stmt: StmtId) {
        let StmtExprs::Declaration(locals) = &self.typed.stmts[stmt] else { return };
        for local in locals {
            let var = &self.typed.vars[local.var];
            self.span = var.span;
            if var.storage == Storage::Automatic {
                self.initialize(local.var, local.initializer.as_ref());
            }
        }
    }
}

/// Returns the function from a label to the number of its case, for a jump whose cases are its labels in this order.
fn in_order(labels: &[StmtId]) -> impl Fn(StmtId) -> Option<u32> {
    let numbers: FxHashMap<StmtId, u32> = labels.iter().copied().zip(0..).collect();
    move |label| numbers.get(&label).copied()
}
