//! Operations of blocks and waves on amdgcn, as the device headers of HIP compute them.
//!
//! A wave has 32 or 64 lanes, so a mask has 64 bits, and a segment without a size is the whole wave.
//!
//! | operation | instructions |
//! |---|---|
//! | barrier of a block | `fence release`, `llvm.amdgcn.s.barrier`, `fence acquire`, for the block |
//! | barrier of a wave | the same with `llvm.amdgcn.wave.barrier`, for the wave |
//! | shuffle | `llvm.amdgcn.ds.bpermute` from a computed lane |
//! | vote | `llvm.amdgcn.ballot.i64` and a comparison |
//! | first lane | `llvm.amdgcn.readfirstlane` |
//! | match, reduce | a ballot for each bit of the values |

use std::rc::Rc;

use super::tiles::is_combining;
use super::{Tile, after_value};
use crate::flow::{Call, ValueId};
use crate::llvm::function::FunctionWriter;
use crate::llvm::operation::{LaneKind, number};
use crate::llvm::types::Reason;
use crate::operation::{Collective, CollectiveOp, Combination, Lane, Outside};
use crate::scope::Scope;

impl FunctionWriter<'_, '_> {
    /// Reads an extent of the launch from the implicit arguments of the kernel: at byte 0 the numbers of groups (`i32`),
    /// at byte 12 the sizes of a group (`i16`), as code objects since version 5 have them.
    pub(super) fn amdgcn_extent(&mut self, of_groups: bool, axis: &str) -> Rc<str> {
        let number = super::AXES.iter().position(|it| *it == axis).unwrap_or(0);
        let pointer = "ptr addrspace(4)";
        let call = self.intrinsic("llvm.amdgcn.implicitarg.ptr", pointer, &[], "");
        let base = self.temporary("implicit", format_args!("{call}"));
        let (offset, ty, align) =
            if of_groups { (4 * number, "i32", 4) } else { (12 + 2 * number, "i16", 2) };
        let address = self
            .temporary("address", format_args!("getelementptr inbounds i8, {pointer} {base}, i64 {offset}"));
        let extent = self.temporary("extent", format_args!("load {ty}, {pointer} {address}, align {align}"));
        match of_groups {
            true => extent,
            false => self.temporary("extent", format_args!("zext i16 {extent} to i32")),
        }
    }

    /// Counts the lanes before this one.
    pub(super) fn amdgcn_lane(&mut self) -> Rc<str> {
        let low = self.intrinsic("llvm.amdgcn.mbcnt.lo", "i32", &[("i32", "-1"), ("i32", "0")], "");
        let low = self.temporary("low", format_args!("{low}"));
        let lane = self.intrinsic("llvm.amdgcn.mbcnt.hi", "i32", &[("i32", "-1"), ("i32", &low)], "");
        self.temporary("lane", format_args!("{lane}"))
    }

    pub(super) fn amdgcn_barrier(&mut self, call: &Call, scope: Scope) -> Result<bool, Reason> {
        let tail = self.tail(call)?;
        let barrier = match (scope, call.arguments.len()) {
            (Scope::Workgroup, 0) => "s.barrier",
            // The lanes of a wave execute it together, whatever the mask is.
            (Scope::Subgroup, 0 | 1) => "wave.barrier",
            _ => return Ok(false),
        };
        let text = self.intrinsic(&format!("llvm.amdgcn.{barrier}"), "void", &[], &tail);
        self.between_fences(scope, |writer| writer.line(format_args!("{text}")));
        Ok(true)
    }

    fn between_fences<T>(&mut self, scope: Scope, write: impl FnOnce(&mut Self) -> T) -> T {
        let among = self.module.target.sync_scope(scope);
        self.line(format_args!("fence{among} release"));
        let written = write(self);
        self.line(format_args!("fence{among} acquire"));
        written
    }

    pub(super) fn amdgcn_collective(
        &mut self,
        id: ValueId,
        call: &Call,
        collective: Collective,
        scope: Scope,
    ) -> Result<bool, Reason> {
        let tail = self.tail(call)?;
        if scope != Scope::Subgroup {
            return self.amdgcn_vote_of_block(id, call, collective, &tail);
        }
        if let (Some(tile), true) = (collective.tile, is_combining(collective.op)) {
            return self.combined_in_tile(id, call, (collective, tile), &tail);
        }
        let tile = match collective.tile {
            Some(tile) => {
                let Some(tile) = self.tile(call, tile, 64)? else { return Ok(false) };
                Some(tile)
            }
            None => None,
        };
        let mask = match (&tile, collective.mask) {
            (Some(Tile { mask, .. }), _) => Some(mask.clone()),
            (None, Some(mask)) => self.integer_argument(call, mask, 64)?,
            (None, None) => None,
        };
        match collective.op {
            CollectiveOp::Active => {
                let lanes = self.ballot("true", &tail);
                self.define_integer(id, "i64", &lanes)?;
                Ok(true)
            }
            CollectiveOp::Ballot | CollectiveOp::Any | CollectiveOp::All => {
                let Some(truth) = self.truth(call, collective.value)? else { return Ok(false) };
                let first = tile.map(|tile| tile.first);
                self.amdgcn_vote(id, collective.op, first, &truth, (mask.as_deref(), &tail))?;
                Ok(true)
            }
            CollectiveOp::BroadcastFirst => {
                let Some(&(value, _)) = call.arguments.get(usize::from(collective.value)) else {
                    return Ok(false);
                };
                let mut moved = Vec::new();
                for word in self.words(value)? {
                    let text =
                        self.intrinsic("llvm.amdgcn.readfirstlane.i32", "i32", &[("i32", &word)], &tail);
                    moved.push(self.temporary("moved", format_args!("{text}")));
                }
                self.define_words(id, &moved)?;
                Ok(true)
            }
            CollectiveOp::Shuffle { from, by, outside } => {
                self.amdgcn_shuffle(id, call, (from, by, outside, collective.value), &tail)
            }
            CollectiveOp::MatchAny | CollectiveOp::MatchAll | CollectiveOp::Reduce(_) => {
                let first = tile.map(|tile| tile.first);
                self.amdgcn_by_bits(id, call, collective, (mask.as_deref(), first, &tail))
            }
            _ => Ok(false),
        }
    }

    /// Matches and reductions: no instruction has them, so each bit of the values is one ballot.
    fn amdgcn_by_bits(
        &mut self,
        id: ValueId,
        call: &Call,
        collective: Collective,
        (mask, first, tail): (Option<&str>, Option<Rc<str>>, &str),
    ) -> Result<bool, Reason> {
        let Some(&(value, _)) = call.arguments.get(usize::from(collective.value)) else { return Ok(false) };
        let (bits, is_integer) = self.movable(value)?;
        let ty = format!("i{bits}");
        let typed = self.typed(value)?;
        let own = match is_integer {
            true => self.operand(value),
            false => self.temporary("bits", format_args!("bitcast {typed} to {ty}")),
        };
        let mut lanes = self.ballot("true", tail);
        if let Some(mask) = mask {
            lanes = self.temporary("lanes", format_args!("and i64 {lanes}, {mask}"));
        }
        let is_signed = number(self.function.values[value].ty) == LaneKind::Signed;
        match collective.op {
            CollectiveOp::MatchAny | CollectiveOp::MatchAll => {
                let mut same = lanes.clone();
                for bit in 0..bits {
                    let (is_set, set) = self.lanes_with_bit(&ty, &own, bit, tail);
                    let own = self.temporary("own", format_args!("sext i1 {is_set} to i64"));
                    let other = self.temporary("other", format_args!("xor i64 {set}, {own}"));
                    let like = self.temporary("like", format_args!("xor i64 {other}, -1"));
                    same = self.temporary("same", format_args!("and i64 {same}, {like}"));
                }
                if collective.op == CollectiveOp::MatchAll {
                    let equal = self.temporary("equal", format_args!("icmp eq i64 {same}, {lanes}"));
                    if let Some(&(address, _)) = call.arguments.get(usize::from(after_value(collective, 1))) {
                        let equal = self.temporary("equal", format_args!("zext i1 {equal} to i32"));
                        let address = self.typed(address)?;
                        self.line(format_args!("store i32 {equal}, {address}, align 4"));
                    }
                    same = self.temporary("same", format_args!("select i1 {equal}, i64 {lanes}, i64 0"));
                }
                if let Some(first) = first {
                    let by = self.temporary("by", format_args!("zext i32 {first} to i64"));
                    same = self.temporary("same", format_args!("lshr i64 {same}, {by}"));
                }
                self.define_integer(id, "i64", &same)?;
            }
            CollectiveOp::Reduce(combination) if is_integer && matches!(bits, 32 | 64) => {
                let Some(whole) =
                    self.reduced_by_bits((combination, is_signed), (&ty, bits), (&own, &lanes), tail)
                else {
                    return Ok(false);
                };
                self.define(id, format_args!("or {ty} {whole}, 0"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes whether a bit of a value is set, and the lanes where it is.
    fn lanes_with_bit(&mut self, ty: &str, value: &str, bit: u32, tail: &str) -> (Rc<str>, Rc<str>) {
        let bit = self.temporary("bit", format_args!("and {ty} {value}, {}", 1i128 << bit));
        let is_set = self.temporary("set", format_args!("icmp ne {ty} {bit}, 0"));
        let lanes = self.ballot(&is_set, tail);
        (is_set, lanes)
    }

    /// Writes the combination of the integers in some lanes. `None`: it is not computed bit by bit.
    fn reduced_by_bits(
        &mut self,
        (combination, is_signed): (Combination, bool),
        (ty, bits): (&str, u32),
        (own, lanes): (&Rc<str>, &Rc<str>),
        tail: &str,
    ) -> Option<Rc<str>> {
        let is_order = matches!(combination, Combination::Min | Combination::Max);
        let sign = -(1i128 << (bits - 1));
        // With the other sign bit, signed numbers have the order of unsigned numbers.
        let own = match is_order && is_signed {
            true => self.temporary("ordered", format_args!("xor {ty} {own}, {sign}")),
            false => own.clone(),
        };
        let (mut whole, mut candidates): (Rc<str>, Rc<str>) = ("0".into(), lanes.clone());
        for bit in (0..bits).rev() {
            let (_, set) = self.lanes_with_bit(ty, &own, bit, tail);
            let set = self.temporary("set", format_args!("and i64 {set}, {candidates}"));
            let part = match combination {
                Combination::Add => {
                    let count = self.intrinsic("llvm.ctpop.i64", "i64", &[("i64", &set)], "");
                    let count = self.temporary("count", format_args!("{count}"));
                    match bits {
                        64 => count,
                        _ => self.temporary("count", format_args!("trunc i64 {count} to {ty}")),
                    }
                }
                Combination::And
                | Combination::Or
                | Combination::Max
                | Combination::Min
                | Combination::Xor => {
                    let holds = match combination {
                        Combination::And => format!("icmp eq i64 {set}, {candidates}"),
                        Combination::Xor => {
                            let count = self.intrinsic("llvm.ctpop.i64", "i64", &[("i64", &set)], "");
                            let count = self.temporary("count", format_args!("{count}"));
                            format!("trunc i64 {count} to i1")
                        }
                        // The lanes without the bit are less, if there are any.
                        Combination::Min => format!("icmp eq i64 {set}, {candidates}"),
                        _ => format!("icmp ne i64 {set}, 0"),
                    };
                    let holds = self.temporary("holds", format_args!("{holds}"));
                    if is_order {
                        let rest = self.temporary("rest", format_args!("xor i64 {set}, {candidates}"));
                        let (then, otherwise) = match combination {
                            Combination::Max => (&set, &candidates),
                            _ => (&candidates, &rest),
                        };
                        candidates = self.temporary(
                            "candidates",
                            format_args!("select i1 {holds}, i64 {then}, i64 {otherwise}"),
                        );
                    }
                    self.temporary("part", format_args!("zext i1 {holds} to {ty}"))
                }
                _ => return None,
            };
            let part = self.temporary("part", format_args!("shl {ty} {part}, {bit}"));
            whole = self.temporary("whole", format_args!("add {ty} {whole}, {part}"));
        }
        Some(match is_order && is_signed {
            true => self.temporary("whole", format_args!("xor {ty} {whole}, {sign}")),
            false => whole,
        })
    }

    /// `__syncthreads_count`: a barrier, and then the combination of a block in the device library.
    fn amdgcn_vote_of_block(
        &mut self,
        id: ValueId,
        call: &Call,
        collective: Collective,
        tail: &str,
    ) -> Result<bool, Reason> {
        let name = match collective.op {
            CollectiveOp::Count => "add",
            CollectiveOp::Reduce(Combination::LogicalAnd) => "and",
            CollectiveOp::Reduce(Combination::LogicalOr) => "or",
            _ => return Ok(false),
        };
        let Some(truth) = self.truth(call, collective.value)? else { return Ok(false) };
        let vote = self.temporary("vote", format_args!("zext i1 {truth} to i32"));
        let barrier = self.intrinsic("llvm.amdgcn.s.barrier", "void", &[], tail);
        self.between_fences(Scope::Workgroup, |writer| writer.line(format_args!("{barrier}")));
        let text = self.intrinsic(&format!("__ockl_wgred_{name}_i32"), "i32", &[("i32", &vote)], tail);
        let result = self.temporary("votes", format_args!("{text}"));
        self.define_integer(id, "i32", &result)?;
        Ok(true)
    }

    /// Writes the mask of the lanes where a condition holds.
    fn ballot(&mut self, condition: &str, tail: &str) -> Rc<str> {
        let text = self.intrinsic("llvm.amdgcn.ballot.i64", "i64", &[("i1", condition)], tail);
        self.temporary("lanes", format_args!("{text}"))
    }

    fn amdgcn_vote(
        &mut self,
        id: ValueId,
        op: CollectiveOp,
        first: Option<Rc<str>>,
        truth: &str,
        (mask, tail): (Option<&str>, &str),
    ) -> Result<(), Reason> {
        if let (CollectiveOp::All, None) = (op, mask) {
            let not = self.temporary("not", format_args!("xor i1 {truth}, true"));
            let lanes = self.ballot(&not, tail);
            let vote = self.temporary("vote", format_args!("icmp eq i64 {lanes}, 0"));
            return self.define_integer(id, "i1", &vote);
        }
        let mut lanes = self.ballot(truth, tail);
        if let Some(mask) = mask {
            lanes = self.temporary("lanes", format_args!("and i64 {lanes}, {mask}"));
        }
        let vote = match (op, mask) {
            (CollectiveOp::Any, _) => self.temporary("vote", format_args!("icmp ne i64 {lanes}, 0")),
            (CollectiveOp::All, Some(mask)) => {
                self.temporary("vote", format_args!("icmp eq i64 {lanes}, {mask}"))
            }
            _ => {
                if let Some(first) = first {
                    let by = self.temporary("by", format_args!("zext i32 {first} to i64"));
                    lanes = self.temporary("lanes", format_args!("lshr i64 {lanes}, {by}"));
                }
                return self.define_integer(id, "i64", &lanes);
            }
        };
        self.define_integer(id, "i1", &vote)
    }

    /// Computes the lane to read, and reads it. A lane outside the segment means the own lane.
    fn amdgcn_shuffle(
        &mut self,
        id: ValueId,
        call: &Call,
        (from, by, outside, value): (Lane, u16, Outside, u16),
        tail: &str,
    ) -> Result<bool, Reason> {
        let (Some(&(value, _)), Some(by)) =
            (call.arguments.get(usize::from(value)), self.integer_argument(call, by, 32)?)
        else {
            return Ok(false);
        };
        let size = match outside {
            Outside::Segments { size } => self.integer_argument(call, size, 32)?,
            Outside::Undefined => None,
            // The target has no instruction that finds the n-th bit.
            Outside::Ranked => return Ok(false),
        };
        let size = match size {
            Some(size) => size,
            None => self.lanes_of_group(),
        };
        let lane = self.lane();
        let start = self.temporary("start", format_args!("sub i32 0, {size}"));
        let first = self.temporary("first", format_args!("and i32 {lane}, {start}"));
        let end = self.temporary("end", format_args!("add i32 {first}, {size}"));
        let read = match from {
            Lane::Absolute => {
                let last = self.temporary("last", format_args!("sub i32 {size}, 1"));
                let inside = self.temporary("inside", format_args!("and i32 {by}, {last}"));
                self.temporary("from", format_args!("add i32 {first}, {inside}"))
            }
            Lane::Xor | Lane::Up | Lane::Down => {
                let (op, outside, limit) = match from {
                    Lane::Xor => ("xor", "sge", &end),
                    Lane::Up => ("sub", "slt", &first),
                    _ => ("add", "sge", &end),
                };
                let other = self.temporary("other", format_args!("{op} i32 {lane}, {by}"));
                let is_outside =
                    self.temporary("outside", format_args!("icmp {outside} i32 {other}, {limit}"));
                self.temporary("from", format_args!("select i1 {is_outside}, i32 {lane}, i32 {other}"))
            }
            Lane::Rotate | Lane::Any => return Ok(false),
        };
        let address = self.temporary("address", format_args!("shl i32 {read}, 2"));
        let mut moved = Vec::new();
        for word in self.words(value)? {
            let arguments = [("i32", &*address), ("i32", &*word)];
            let text = self.intrinsic("llvm.amdgcn.ds.bpermute", "i32", &arguments, tail);
            moved.push(self.temporary("moved", format_args!("{text}")));
        }
        self.define_words(id, &moved)?;
        Ok(true)
    }
}
