//! The normal form of a function: the properties that its text expresses.
//!
//! Source locations and debug data (spans, statements, loops, jumps, numbers of calls) are removed. Values are numbered
//! in the order of the text: parameters first, then operation by operation, each after its leaf operands. Equal leaves
//! are merged, and unused leaves are removed. Two functions with the same normal form have the same text.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle_base::Span;

use crate::flow::{Function, Op, Value, ValueId};
use crate::key::FunctionKey;
use crate::nest::StmtId;
use crate::types::Ty;
use crate::value::Constant;

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A leaf, as a key for finding equal ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Leaf {
    Parameter(u32),
    Constant(Constant),
    Slot(u32),
    Global(tangle_base::Symbol),
    Function(FunctionKey),
    String(Box<[u8]>),
}

fn leaf(op: &Op) -> Option<Leaf> {
    Some(match op {
        Op::Parameter(number) => Leaf::Parameter(*number),
        Op::Constant(constant) => Leaf::Constant(constant.clone()),
        Op::Slot(slot) => Leaf::Slot(slot.raw()),
        Op::Global(name) => Leaf::Global(*name),
        Op::Function(key) => Leaf::Function(*key),
        Op::String(bytes) => Leaf::String(bytes.clone()),
        _ => return None,
    })
}

/// Returns the normal form of a function whose operands and successors are valid.
pub fn normal(function: &Function) -> Function {
    let mut numbers: IndexVec<ValueId, Option<ValueId>> = index_vec![None; function.values.len()];
    let mut order: Vec<ValueId> = Vec::new();
    let mut leaves: FxHashMap<(Leaf, Ty), ValueId> = FxHashMap::default();
    let mut number = |value: ValueId| {
        if numbers[value].is_some() {
            return;
        }
        let it = &function.values[value];
        let next = ValueId::new(order.len());
        let known = leaf(&it.op).map(|leaf| *leaves.entry((leaf, it.ty)).or_insert(next));
        if known.is_none_or(|known| known == next) {
            order.push(value);
        }
        numbers[value] = Some(known.unwrap_or(next));
    };
    let is_leaf = |value: ValueId| function.values[value].op.is_leaf();
    function.parameters.iter().for_each(|parameter| number(parameter.value));
    for block in &function.blocks {
        for &value in &block.values {
            let mut operands = Vec::new();
            function.values[value].op.operands(|&operand| operands.push(operand));
            operands.into_iter().filter(|&operand| is_leaf(operand)).for_each(&mut number);
            number(value);
        }
        block.terminator.operand().into_iter().filter(|&operand| is_leaf(operand)).for_each(&mut number);
    }
    let new = |value: ValueId| numbers[value].unwrap_or(value);
    let mut result = Function {
        span: NOWHERE,
        loops: IndexVec::new(),
        non_cyclic_back_jumps: Box::default(),
        calls: IndexVec::new(),
        noconvergent_calls: Box::default(),
        ..function.clone()
    };
    result.values = order.iter().map(|&value| plain(&function.values[value], &new)).collect();
    for parameter in &mut result.parameters {
        parameter.value = new(parameter.value);
        parameter.span = NOWHERE;
    }
    result.slots.iter_mut().for_each(|slot| slot.span = NOWHERE);
    result.variables.iter_mut().for_each(|variable| variable.span = NOWHERE);
    for block in &mut result.blocks {
        block.values.iter_mut().for_each(|value| *value = new(*value));
        if let Some(operand) = block.terminator.operand_mut() {
            *operand = new(*operand);
        }
        block.end = NOWHERE;
        (block.stmt, block.after, block.jump) = (StmtId::new(0), None, None);
        (block.source_loop, block.is_inserted) = (None, false);
    }
    result
}

fn plain(value: &Value, new: &impl Fn(ValueId) -> ValueId) -> Value {
    let mut op = value.op.clone();
    op.operands_mut(|operand| *operand = new(*operand));
    if let Op::Call(call) = &mut op {
        call.call = None;
    }
    let name = value.name.filter(|_| !op.is_leaf() && !value.ty.is_void());
    Value { op, ty: value.ty, name, span: NOWHERE }
}
