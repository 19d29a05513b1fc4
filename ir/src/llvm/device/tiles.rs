//! Reductions and scans of tiles, as shuffles: each step combines the value with that of a lane twice as far away.
//!
//! ```text
//! reduce(tile, x, plus)            of 4 threads: x += x of lane ^ 2; x += x of lane ^ 1
//! inclusive_scan(tile, x, plus)    of 4 threads: x += x of lane - 1, then of lane - 2, if they are in the tile
//! exclusive_scan(tile, x, plus)    the same, then x of lane - 1, and 0 in the first lane
//! ```
//!
//! Additions have no defined order, so the last bits of floating-point results can differ from a device.

use std::rc::Rc;

use super::super::function::FunctionWriter;
use super::super::operation::{LaneKind, number};
use super::super::target::Target;
use super::super::types::Reason;
use crate::flow::{Call, Op, ValueId};
use crate::operation::{Argument, Collective, CollectiveOp, Combination};
use crate::value::Constant;

/// The lane that a step reads.
#[derive(Clone, Copy)]
enum Step {
    /// The lane with one bit flipped.
    Flipped(u32),
    /// The lane this far before. Before the first lane of the tile, the result has no meaning.
    Before(u32),
}

/// Whether an operation combines the values of the threads.
pub(super) fn is_combining(op: CollectiveOp) -> bool {
    matches!(op, CollectiveOp::Reduce(_) | CollectiveOp::Scan { .. })
}

impl FunctionWriter<'_, '_> {
    /// Writes a reduction or scan of a tile. `tile`: the argument with its number of threads. Returns false if that is no
    /// constant, or if the type cannot be combined.
    pub(super) fn combined_in_tile(
        &mut self,
        id: ValueId,
        call: &Call,
        (collective, tile): (Collective, Argument),
        tail: &str,
    ) -> Result<bool, Reason> {
        let argument = |number: Argument| call.arguments.get(usize::from(number)).map(|&(value, _)| value);
        let (Some(value), Some(size)) = (argument(collective.value), argument(tile)) else {
            return Ok(false);
        };
        let Op::Constant(Constant::Integer(size)) = self.function.values[size].op else { return Ok(false) };
        let Ok(size) = u32::try_from(size) else { return Ok(false) };
        let mask = match self.module.target {
            Target::Nvptx64 => self.tile(call, tile, 32)?.map(|tile| tile.mask),
            _ => Some("".into()),
        };
        let Some(mask) = mask else { return Ok(false) };
        let how = (size, &*mask, tail);
        let own = self.operand(value);
        let steps = || (0..size.trailing_zeros()).map(|bit| 1 << bit);
        let result = match collective.op {
            CollectiveOp::Reduce(combination) => {
                let mut whole = own;
                for by in steps().rev() {
                    let other = self.of_step(value, &whole, Step::Flipped(by), how)?;
                    let Some(next) = self.combine(value, combination, (&whole, &other))? else {
                        return Ok(false);
                    };
                    whole = next;
                }
                whole
            }
            CollectiveOp::Scan { combination, inclusive } => {
                let lane = self.lane();
                let rank = self.temporary("rank", format_args!("and i32 {lane}, {}", size - 1));
                let ty = self.ty(value)?;
                let mut whole = own;
                for by in steps() {
                    let other = self.of_step(value, &whole, Step::Before(by), how)?;
                    let Some(next) = self.combine(value, combination, (&other, &whole))? else {
                        return Ok(false);
                    };
                    let inside = self.temporary("inside", format_args!("icmp uge i32 {rank}, {by}"));
                    whole =
                        self.temporary("scan", format_args!("select i1 {inside}, {ty} {next}, {ty} {whole}"));
                }
                if inclusive {
                    whole
                } else {
                    if combination != Combination::Add {
                        return Ok(false);
                    }
                    let before = self.of_step(value, &whole, Step::Before(1), how)?;
                    let first = self.temporary("first", format_args!("icmp eq i32 {rank}, 0"));
                    self.temporary(
                        "scan",
                        format_args!("select i1 {first}, {ty} zeroinitializer, {ty} {before}"),
                    )
                }
            }
            _ => return Ok(false),
        };
        let ty = self.ty(id)?;
        // The value of a tile of one thread is its result.
        self.define(id, format_args!("select i1 true, {ty} {result}, {ty} {result}"));
        Ok(true)
    }

    /// Writes the read of a value of another lane. `like` has its type.
    fn of_step(
        &mut self,
        like: ValueId,
        operand: &Rc<str>,
        step: Step,
        (size, mask, tail): (u32, &str, &str),
    ) -> Result<Rc<str>, Reason> {
        let words = self.words_of(like, operand)?;
        let mut moved = Vec::new();
        if self.module.target == Target::Nvptx64 {
            let (name, by, last) = match step {
                Step::Flipped(by) => ("bfly", by, 31),
                Step::Before(by) => ("up", by, 0),
            };
            let (by, clamp) = (by.to_string(), ((32 - size) << 8 | last).to_string());
            for word in words {
                let arguments = [("i32", mask), ("i32", &*word), ("i32", &*by), ("i32", &*clamp)];
                let text =
                    self.intrinsic(&format!("llvm.nvvm.shfl.sync.{name}.i32"), "i32", &arguments, tail);
                moved.push(self.temporary("moved", format_args!("{text}")));
            }
        } else {
            let lane = self.lane();
            let other = match step {
                Step::Flipped(by) => self.temporary("other", format_args!("xor i32 {lane}, {by}")),
                Step::Before(by) => self.temporary("other", format_args!("sub i32 {lane}, {by}")),
            };
            let address = self.temporary("address", format_args!("shl i32 {other}, 2"));
            for word in words {
                let arguments = [("i32", &*address), ("i32", &*word)];
                let text = self.intrinsic("llvm.amdgcn.ds.bpermute", "i32", &arguments, tail);
                moved.push(self.temporary("moved", format_args!("{text}")));
            }
        }
        let text = self.of_words(like, &moved)?;
        Ok(self.temporary("other", format_args!("{text}")))
    }

    /// Writes the combination of two values of the type of `like`. `None`: the type cannot be combined like this.
    fn combine(
        &mut self,
        like: ValueId,
        combination: Combination,
        (a, b): (&str, &str),
    ) -> Result<Option<Rc<str>>, Reason> {
        let kind = number(self.function.values[like].ty);
        let ty = self.ty(like)?;
        let is_signed = kind == LaneKind::Signed;
        let instruction = match (combination, kind) {
            (_, LaneKind::Pointer) => return Ok(None),
            (Combination::Add, LaneKind::Float) => "fadd",
            (Combination::Mul, LaneKind::Float) => "fmul",
            (Combination::Min, LaneKind::Float) => "llvm.minnum",
            (Combination::Max, LaneKind::Float) => "llvm.maxnum",
            (_, LaneKind::Float) => return Ok(None),
            (Combination::Add, _) => "add",
            (Combination::Mul, _) => "mul",
            (Combination::And, _) => "and",
            (Combination::Or, _) => "or",
            (Combination::Xor, _) => "xor",
            (Combination::Min, _) if is_signed => "llvm.smin",
            (Combination::Min, _) => "llvm.umin",
            (Combination::Max, _) if is_signed => "llvm.smax",
            (Combination::Max, _) => "llvm.umax",
            _ => return Ok(None),
        };
        if !instruction.starts_with("llvm.") {
            return Ok(Some(self.temporary("combined", format_args!("{instruction} {ty} {a}, {b}"))));
        }
        let suffix = match &*ty {
            "float" => "f32",
            "double" => "f64",
            integer => integer,
        };
        let text = self.intrinsic(&format!("{instruction}.{suffix}"), &ty, &[(&ty, a), (&ty, b)], "");
        Ok(Some(self.temporary("combined", format_args!("{text}"))))
    }
}
