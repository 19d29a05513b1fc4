//! Masks of 64 lanes in 32 bits.
//!
//! ```c
//! unsigned m = __ballot(p[i] > 0);    // the votes of lanes 32 to 63 are lost
//! unsigned bit = 1 << __lane_id();    // lanes 32 to 63 have no bit of their own
//! unsigned low = m64;                 // no mistake if the function also reads the other half: `m64 >> 32`
//! ```

use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use super::search::{Search, Variant};
use crate::divergence::FunctionFacts;
use tangle_analysis::flow::{Function, Op, ValueId};
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::warp::{MAX_LANES, Warp, WarpEntry};
use tangle_ir::operation::{CollectiveOp, Operation};
use tangle_ir::value::{Arithmetic, Constant, Conversion};

/// The number of bits of a mask that is too narrow for a warp of [`MAX_LANES`] lanes.
const NARROW: u32 = 32;

/// A number with too few bits for a mask.
pub(crate) struct NarrowMask {
    pub function: DefinitionId,
    pub span: Span,
    /// The operation whose mask loses bits. `None`: a single bit is shifted by the number of the lane.
    pub source: Option<Symbol>,
}

impl Search<'_, '_, '_> {
    /// Returns the masks in too few bits, in the functions that run with 64 lanes in a warp.
    pub(super) fn narrow_masks(&self) -> Vec<NarrowMask> {
        let mut found = Vec::new();
        for (id, known) in self.context.suspects() {
            if self.context.launch(id).sub_group_size == Some(MAX_LANES) {
                self.narrow_masks_of(id, known, &mut found);
            }
        }
        found
    }

    fn narrow_masks_of(&self, id: DefinitionId, known: &FunctionFacts, found: &mut Vec<NarrowMask>) {
        let function = known.function;
        let values = &function.values;
        let bits = |value: ValueId| values[value].ty.as_integer().map_or(0, |integer| integer.bits());
        let source = |operand: ValueId| self.mask_source(known, operand).filter(|_| bits(operand) > NARROW);
        let narrowed = |value: ValueId| match values[value].op {
            Op::Convert { conversion: Conversion::Integer, operand } if bits(value) == NARROW => {
                source(operand).filter(|_| !reads_upper_half(function, operand)).map(Some)
            }
            Op::Binary { op: Arithmetic::Shl, left, right } if bits(value) == NARROW => {
                let is_bit = values[left].op == Op::Constant(Constant::Integer(1));
                reduced_count(function, right).filter(|_| is_bit).map(|_| None)
            }
            _ => None,
        };
        let candidates: Vec<(ValueId, Option<Symbol>)> =
            values.indices().filter_map(|value| Some((value, narrowed(value)?))).collect();
        if candidates.is_empty() {
            return;
        }
        let variant = Variant { function, verdicts: known.verdicts };
        self.with_warp(id, known, variant, (0, WarpEntry::default()), &mut |warp: &mut Warp| {
            for &(value, source) in &candidates {
                let block = known.graph().home[value];
                let is_reached = block.is_some_and(|block| warp.flow().reaching(block).possibly != 0);
                let is_lane = |count: ValueId| {
                    let lanes = warp.values(count).exact();
                    lanes.iter().enumerate().all(|(lane, count)| *count == Some(lane as i128))
                };
                let is_mistake = match values[value].op {
                    Op::Binary { right, .. } => reduced_count(function, right).is_some_and(is_lane),
                    _ => true,
                };
                if is_reached && is_mistake {
                    found.push(NarrowMask { function: id, span: values[value].span, source });
                }
            }
        });
    }

    /// Returns the builtin that yields a value, if the value is a mask of lanes.
    fn mask_source(&self, known: &FunctionFacts, value: ValueId) -> Option<Symbol> {
        let Op::Call(call) = &known.function.values[value].op else { return None };
        let name = call.callee.row().filter(|_| self.context.defined(&call.callee).is_none())?;
        match self.context.builtins.operation(name)? {
            Operation::Collective(collective) if collective.tile.is_none() => matches!(
                collective.op,
                CollectiveOp::Ballot | CollectiveOp::Active | CollectiveOp::MatchAny | CollectiveOp::MatchAll
            )
            .then_some(name),
            _ => None,
        }
    }
}

/// Returns the count of a shift in 32 bits, which is reduced modulo 32.
fn reduced_count(function: &Function, right: ValueId) -> Option<ValueId> {
    match function.values[right].op {
        Op::Binary { op: Arithmetic::And, left, right: mask } => {
            let mask = &function.values[mask].op;
            (*mask == Op::Constant(Constant::Integer(i128::from(NARROW) - 1))).then_some(left)
        }
        _ => None,
    }
}

/// Whether the function shifts a value to the right, so that it reads its upper half.
fn reads_upper_half(function: &Function, value: ValueId) -> bool {
    function
        .values
        .iter()
        .any(|it| matches!(it.op, Op::Binary { op: Arithmetic::Shr, left, .. } if left == value))
}
