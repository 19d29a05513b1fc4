//! Random kernels made as graphs: what no source says, such as cycles with many entries, in thousands of forms.
//!
//! A graph is kept with its variables in place ([`Op::Get`], [`Op::Set`]), so that blocks and operations can be cut out of it; SSA form and
//! tokens are made anew each time.

use index_vec::IndexVec;
use tangle::dialect::opencl;
use tangle::flow::{
    Block, BlockId, Call, Callee, Function, Module, Op, Parameter, Passing, Terminator, Value, ValueId,
    Variable, VariableId, dispatch, infer, ssa, verify,
};
use tangle::hir::typed::{Arithmetic, Comparison, Constant, Conversion};
use tangle::hir::types::{FunctionTy, Ty, TyKind};
use tangle::uniformity::analysis::{Analysis, Environment};
use tangle::uniformity::effect::effect;
use tangle_grammar::ast::{AddressSpace, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;

use crate::claims::Claims;
use crate::random::Random;

const NOWHERE: Span = Span { start: 0, end: 0 };
const VARIABLES: usize = 4;

/// What becomes of a graph before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub tokens: bool,
    pub dispatch: bool,
}

struct Maker<'a> {
    function: Function,
    block: BlockId,
    random: &'a mut Random,
}

fn empty() -> Function {
    let key = FunctionKey::plain(Symbol::intern("k"));
    let mut function = Function { kernel: true, convergent: true, ..Function::new(key, Ty::VOID) };
    let pointer = Ty::pointer(Ty::INT, AddressSpace::Global);
    for (number, (name, ty)) in [("p", pointer), ("q", pointer), ("n", Ty::INT)].into_iter().enumerate() {
        let op = Op::Parameter(number as u32);
        let value = function.values.push(Value { op, ty, name: None, span: NOWHERE });
        let name = Some(Symbol::intern(name));
        function.parameters.push(Parameter { name, ty, passing: Passing::Value, value, span: NOWHERE });
    }
    for name in ["a", "b", "c", "d"] {
        function.variables.push(Variable { name: Some(Symbol::intern(name)), ty: Ty::INT, span: NOWHERE });
    }
    function
}

/// A kernel of up to `most` blocks. With `near`, most jumps are short, as in a program.
pub fn graph(random: &mut Random, most: usize, near: bool) -> Function {
    let mut maker = Maker { function: empty(), block: Function::ENTRY, random };
    let count = 3 + maker.random.below(most - 2);
    for number in 0..count {
        maker.function.blocks.push(Block::named(if number == 0 { "entry" } else { "b" }));
    }
    maker.begin();
    for number in 0..count {
        maker.block = BlockId::new(number);
        for _ in 0..maker.random.below(4) {
            maker.action();
        }
        maker.terminator(count, near);
    }
    maker.function
}

impl Maker<'_> {
    fn push(&mut self, op: Op, ty: Ty) -> ValueId {
        let leaf = op.is_leaf();
        let value = self.function.values.push(Value { op, ty, name: None, span: NOWHERE });
        if !leaf {
            self.function.blocks[self.block].values.push(value);
        }
        value
    }

    fn number(&mut self, number: i128, ty: Ty) -> ValueId {
        self.push(Op::Constant(Constant::Integer(number)), ty)
    }

    fn call(&mut self, name: &str, arguments: &[ValueId], result: Ty, convergent: bool) -> ValueId {
        let parameters = arguments.iter().map(|&it| self.function.values[it].ty).collect();
        let ty = Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic: false })));
        let callee = Callee::Builtin { name: Symbol::intern(name), ty };
        let arguments = arguments.iter().map(|&it| (it, Passing::Value)).collect();
        self.push(Op::Call(Call { callee, arguments, call: None, convergent, token: None }), result)
    }

    fn set(&mut self, variable: usize, value: ValueId) {
        self.push(Op::Set(VariableId::new(variable), value), Ty::VOID);
    }

    fn get(&mut self) -> ValueId {
        let variable = self.random.below(VARIABLES);
        self.push(Op::Get(VariableId::new(variable)), Ty::INT)
    }

    /// The variables: one that differs between threads, or subgroups, or work-groups, and others.
    fn begin(&mut self) {
        let zero = self.number(0, Ty::UINT);
        let ids = ["get_local_id", "get_sub_group_id", "get_group_id", "get_global_id"];
        for variable in 0..VARIABLES {
            let value = match self.random.below(6) {
                0 => ValueId::new(2),
                1 => self.number(1, Ty::INT),
                2 => self.number(0, Ty::INT),
                _ => {
                    let id = if variable == 0 { 0 } else { self.random.below(ids.len()) };
                    let (arguments, ty) = if id == 1 { (vec![], Ty::UINT) } else { (vec![zero], Ty::ULONG) };
                    let id = self.call(ids[id], &arguments, ty, false);
                    self.push(Op::Convert { conversion: Conversion::Integer, operand: id }, Ty::INT)
                }
            };
            self.set(variable, value);
        }
    }

    fn action(&mut self) {
        let left = self.get();
        let value = match self.random.below(10) {
            0..=2 => {
                let right = self.number(1, Ty::INT);
                self.push(Op::Binary { op: Arithmetic::Add, left, right }, Ty::INT)
            }
            3 | 4 => {
                let right = self.get();
                let op =
                    *self.random.pick(&[Arithmetic::Add, Arithmetic::Xor, Arithmetic::And, Arithmetic::Sub]);
                self.push(Op::Binary { op, left, right }, Ty::INT)
            }
            5 | 6 => {
                let names = [
                    "sub_group_reduce_add",
                    "sub_group_any",
                    "work_group_reduce_max",
                    "sub_group_scan_inclusive_add",
                    "sub_group_broadcast_first",
                ];
                let one = self.number(1, Ty::INT);
                let name = *self.random.pick(&names);
                let argument = if self.random.chance(50) { left } else { one };
                self.call(name, &[argument], Ty::INT, true)
            }
            7 | 8 => {
                let seven = self.number(7, Ty::INT);
                let index = self.push(Op::Binary { op: Arithmetic::And, left, right: seven }, Ty::INT);
                // Only `p` is written.
                let written = self.random.chance(50);
                let base = ValueId::new(usize::from(!written));
                let ty = self.function.values[base].ty;
                let address = self.push(Op::Element { base, index, element: Ty::INT }, ty);
                if written && self.random.chance(50) {
                    let value = self.get();
                    self.push(Op::Store { address, value, volatile: false, align: 4 }, Ty::VOID);
                    return;
                }
                self.push(Op::Load { address, volatile: false, align: 4 }, Ty::INT)
            }
            _ => {
                let number = self.random.below(3) as i128;
                self.number(number, Ty::INT)
            }
        };
        let variable = self.random.below(VARIABLES);
        self.set(variable, value);
    }

    fn terminator(&mut self, count: usize, near: bool) {
        let here = self.block.index();
        let mut target = || {
            let number = match near && self.random.chance(80) {
                true => (here + 1 + self.random.below(5)).saturating_sub(2),
                false => self.random.below(count),
            };
            BlockId::new(number.clamp(1, count - 1))
        };
        let (a, b, c) = (target(), target(), target());
        let terminator = match self.random.below(11) {
            _ if here + 1 == count => Terminator::Return(None),
            0 => Terminator::Return(None),
            1..=3 => Terminator::Jump(a),
            4..=9 => {
                let (left, mask) = (self.get(), 1 << self.random.below(3));
                let right = self.number(mask, Ty::INT);
                let left = self.push(Op::Binary { op: Arithmetic::And, left, right }, Ty::INT);
                let right = self.number(0, Ty::INT);
                let op = if self.random.chance(50) { Comparison::Equal } else { Comparison::NotEqual };
                let condition = self.push(Op::Compare { op, left, right }, Ty::BOOL);
                Terminator::Branch { condition, then: a, otherwise: b }
            }
            _ => {
                let (left, right) = (self.get(), self.number(3, Ty::INT));
                let value = self.push(Op::Binary { op: Arithmetic::And, left, right }, Ty::INT);
                Terminator::Switch { value, cases: vec![(0, 0, a), (1, 1, b)], otherwise: c }
            }
        };
        self.function.blocks[self.block].terminator = terminator;
    }
}

/// What the analysis says of the functions of a module, which call none of each other.
pub fn claims(module: &Module) -> Vec<Claims> {
    let builtin = |callee: &Callee| effect(opencl().builtins(), callee);
    let environment = Environment { builtin: &builtin, summary: &|_| None, limit: &|_, _| None };
    let of = |function: &Function| Claims::from(&Analysis::of(function, &environment).result());
    module.functions.iter().map(of).collect()
}

/// The graph as a module in SSA form.
pub fn module(graph: &Function, form: Form) -> Module {
    let mut function = graph.clone();
    if form.dispatch {
        ssa::remove_unreachable(&mut function);
        dispatch::dispatch(&mut function);
    }
    ssa::construct(&mut function);
    if form.tokens {
        infer::infer(&mut function);
        assert_eq!(verify::verify(&function), []);
    }
    Module { file: "graph".into(), functions: vec![function], globals: Vec::new() }
}

/// How much of a graph is reached: blocks, operations with jumps, and jumps to blocks that only jump on.
fn size(graph: &Function) -> (usize, usize, usize) {
    let mut seen: IndexVec<BlockId, bool> = graph.blocks.iter().map(|_| false).collect();
    let mut todo = vec![Function::ENTRY];
    let (mut blocks, mut operations, mut detours) = (0, 0, 0);
    while let Some(block) = todo.pop() {
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        let block = &graph.blocks[block];
        let next = block.terminator.successors();
        let is_detour = |to: &&BlockId| {
            let to = &graph.blocks[**to];
            to.values.is_empty() && matches!(to.terminator, Terminator::Jump(_))
        };
        blocks += 1;
        operations += block.values.len() + next.len();
        detours += next.iter().filter(is_detour).count();
        todo.extend(next);
    }
    (blocks, operations, detours)
}

/// Graphs with one thing less.
pub fn smaller(graph: &Function) -> Vec<Function> {
    let mut found = changed(graph);
    found.retain(|it| size(it) < size(graph));
    found
}

fn changed(graph: &Function) -> Vec<Function> {
    let mut found = Vec::new();
    for (id, block) in graph.blocks.iter_enumerated() {
        let instead: Vec<Terminator> = match &block.terminator {
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
            Terminator::Jump(target) => {
                match (&graph.blocks[*target].values[..], &graph.blocks[*target].terminator) {
                    ([], Terminator::Jump(next)) if next != target => vec![Terminator::Jump(*next)],
                    ([], Terminator::Return(_)) => vec![Terminator::Return(None)],
                    _ => Vec::new(),
                }
            }
            branch => branch.successors().into_iter().map(Terminator::Jump).collect(),
        };
        for terminator in instead {
            let mut changed = graph.clone();
            changed.blocks[id].terminator = terminator;
            found.push(changed);
        }
        // A branch past an empty block.
        let skips = block.terminator.successors().into_iter().filter_map(|target| {
            match (&graph.blocks[target].values[..], &graph.blocks[target].terminator) {
                ([], Terminator::Jump(next)) if *next != target => Some((target, *next)),
                _ => None,
            }
        });
        for (target, next) in skips {
            let mut changed = graph.clone();
            changed.blocks[id].terminator.redirect(|it| {
                if *it == target {
                    *it = next;
                }
            });
            found.push(changed);
        }
        for at in 0..block.values.len() {
            let op = &graph.values[block.values[at]].op;
            if matches!(op, Op::Set(..) | Op::Store { .. }) {
                let mut changed = graph.clone();
                changed.blocks[id].values.remove(at);
                found.push(without_unused(changed));
            }
        }
    }
    found
}

/// Reads and computations that nothing uses are no part of a minimal graph; calls stay, since they may be why it is interesting.
fn without_unused(mut graph: Function) -> Function {
    loop {
        let mut used: IndexVec<ValueId, bool> = graph.values.iter().map(|_| false).collect();
        for block in &graph.blocks {
            block.values.iter().for_each(|&it| graph.values[it].op.operands(|&operand| used[operand] = true));
            block.terminator.operand().iter().for_each(|&it| used[it] = true);
        }
        let mut changed = false;
        for block in &mut graph.blocks {
            let before = block.values.len();
            block.values.retain(|&it| used[it] || graph.values[it].ty.is_void());
            changed |= block.values.len() < before;
        }
        if !changed {
            return graph;
        }
    }
}
