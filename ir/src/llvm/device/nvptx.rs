//! Operations of blocks and warps on nvptx64, as intrinsics of NVVM.
//!
//! | operation | intrinsic (`llvm.nvvm.…`) | PTX |
//! |---|---|---|
//! | barrier of a block | `barrier0`, `barrier0.popc`, `.and`, `.or` | `bar.sync`, `bar.red` |
//! | barrier of a warp | `bar.warp.sync` | `bar.warp.sync` |
//! | shuffle with a mask | `shfl.sync.idx`, `.up`, `.down`, `.bfly` | `shfl.sync` |
//! | vote with a mask | `vote.any.sync`, `.all`, `.ballot` | `vote.sync` |
//! | reduce and scan of a tile | `shfl.sync.bfly`, `.up` for each step | `shfl.sync` |
//! | `printf` | a call of `vprintf` | `vprintf` |
//! | match, reduce | `match.any.sync`, `match.all.sync`, `redux.sync.…` | `match.sync` (sm_70), `redux.sync` (sm_80) |
//! | active lanes, also for an operation without a mask | `activemask` | `activemask` |

use std::rc::Rc;

use super::tiles::is_combining;
use super::{Tile, after_value};
use crate::AddressSpace;
use crate::flow::{Call, ValueId};
use crate::llvm::function::FunctionWriter;
use crate::llvm::operation::{LaneKind, number};
use crate::llvm::types::Reason;
use crate::operation::{Barrier, Collective, CollectiveOp, Combination, Lane, Outside};
use crate::scope::Scope;
use crate::types::Ty;

/// The mask of all lanes of a warp.
const ALL_LANES: &str = "-1";

impl FunctionWriter<'_, '_> {
    /// Writes a read of a special register.
    pub(super) fn special_register(&mut self, name: &'static str, axis: Option<&str>) -> Rc<str> {
        let axis = axis.map_or(String::new(), |axis| format!(".{axis}"));
        self.read(name, &format!("llvm.nvvm.read.ptx.sreg.{name}{axis}"))
    }

    pub(super) fn nvptx_barrier(
        &mut self,
        call: &Call,
        barrier: Barrier,
        scope: Scope,
    ) -> Result<bool, Reason> {
        let tail = self.tail(call)?;
        if let Some(tile) = barrier.tile {
            let Some(Tile { mask, .. }) = self.tile(call, tile, 32)? else { return Ok(false) };
            let text = self.intrinsic("llvm.nvvm.bar.warp.sync", "void", &[("i32", &mask)], &tail);
            self.line(format_args!("{text}"));
            return Ok(true);
        }
        let text = match (scope, call.arguments.len()) {
            (Scope::Workgroup, 0) => self.intrinsic("llvm.nvvm.barrier0", "void", &[], &tail),
            (Scope::Subgroup, 0 | 1) => {
                let mask = self.integer_argument(call, 0, 32)?.unwrap_or_else(|| ALL_LANES.into());
                self.intrinsic("llvm.nvvm.bar.warp.sync", "void", &[("i32", &mask)], &tail)
            }
            _ => return Ok(false),
        };
        self.line(format_args!("{text}"));
        Ok(true)
    }

    pub(super) fn nvptx_collective(
        &mut self,
        id: ValueId,
        call: &Call,
        collective: Collective,
        scope: Scope,
    ) -> Result<bool, Reason> {
        let tail = self.tail(call)?;
        if scope != Scope::Subgroup {
            return self.nvptx_vote_of_block(id, call, collective, &tail);
        }
        if let (Some(tile), true) = (collective.tile, is_combining(collective.op)) {
            return self.combined_in_tile(id, call, (collective, tile), &tail);
        }
        let tile = match collective.tile {
            Some(tile) => {
                let Some(tile) = self.tile(call, tile, 32)? else { return Ok(false) };
                Some(tile)
            }
            None => None,
        };
        let mask = match (&tile, collective.mask) {
            (Some(Tile { mask, .. }), _) => Some(mask.clone()),
            (None, Some(mask)) => self.integer_argument(call, mask, 32)?,
            (None, None) => None,
        };
        let first = tile.map(|tile| tile.first);
        let mask = match mask {
            Some(mask) => mask,
            // Operations without a mask do not exist since sm_70: the active lanes take part.
            None => {
                let text = self.intrinsic("llvm.nvvm.activemask", "i32", &[], &tail);
                self.temporary("active", format_args!("{text}"))
            }
        };
        match collective.op {
            CollectiveOp::Active => {
                self.define_integer(id, "i32", &mask)?;
                Ok(true)
            }
            CollectiveOp::All | CollectiveOp::Any | CollectiveOp::AllEqual | CollectiveOp::Ballot => {
                self.nvptx_vote(id, call, collective, first, (&mask, &tail))
            }
            CollectiveOp::MatchAny | CollectiveOp::MatchAll => {
                self.nvptx_match(id, call, collective, first, (&mask, &tail))
            }
            CollectiveOp::Reduce(combination) => {
                let Some(&(value, _)) = call.arguments.get(usize::from(collective.value)) else {
                    return Ok(false);
                };
                let is_signed = number(self.function.values[value].ty) == LaneKind::Signed;
                let name = match combination {
                    Combination::Add => "add",
                    Combination::Min if is_signed => "min",
                    Combination::Min => "umin",
                    Combination::Max if is_signed => "max",
                    Combination::Max => "umax",
                    Combination::And => "and",
                    Combination::Or => "or",
                    Combination::Xor => "xor",
                    _ => return Ok(false),
                };
                let Some(value) = self.integer_argument(call, collective.value, 32)? else {
                    return Ok(false);
                };
                let name = format!("llvm.nvvm.redux.sync.{name}");
                let text = self.intrinsic(&name, "i32", &[("i32", &value), ("i32", &mask)], &tail);
                let combined = self.temporary("combined", format_args!("{text}"));
                self.define_integer(id, "i32", &combined)?;
                Ok(true)
            }
            CollectiveOp::Shuffle { from, by, outside } => {
                self.nvptx_shuffle(id, call, (from, by, outside, collective.value), (&mask, &tail))
            }
            _ => Ok(false),
        }
    }

    /// `__syncthreads_count`: a vote that is a barrier, too.
    fn nvptx_vote_of_block(
        &mut self,
        id: ValueId,
        call: &Call,
        collective: Collective,
        tail: &str,
    ) -> Result<bool, Reason> {
        let name = match collective.op {
            CollectiveOp::Count => "popc",
            CollectiveOp::Reduce(Combination::LogicalAnd) => "and",
            CollectiveOp::Reduce(Combination::LogicalOr) => "or",
            _ => return Ok(false),
        };
        let Some(truth) = self.truth(call, collective.value)? else { return Ok(false) };
        let vote = self.temporary("vote", format_args!("zext i1 {truth} to i32"));
        let text = self.intrinsic(&format!("llvm.nvvm.barrier0.{name}"), "i32", &[("i32", &vote)], tail);
        let result = self.temporary("votes", format_args!("{text}"));
        self.define_integer(id, "i32", &result)?;
        Ok(true)
    }

    fn nvptx_vote(
        &mut self,
        id: ValueId,
        call: &Call,
        collective: Collective,
        first: Option<Rc<str>>,
        (mask, tail): (&str, &str),
    ) -> Result<bool, Reason> {
        let Some(truth) = self.truth(call, collective.value)? else { return Ok(false) };
        let (name, result) = match collective.op {
            CollectiveOp::All => ("all", "i1"),
            CollectiveOp::Any => ("any", "i1"),
            CollectiveOp::AllEqual => ("uni", "i1"),
            _ => ("ballot", "i32"),
        };
        let name = format!("llvm.nvvm.vote.{name}.sync");
        let text = self.intrinsic(&name, result, &[("i32", mask), ("i1", &truth)], tail);
        let mut vote = self.temporary("vote", format_args!("{text}"));
        if let (Some(first), "i32") = (first, result) {
            vote = self.temporary("vote", format_args!("lshr i32 {vote}, {first}"));
        }
        self.define_integer(id, result, &vote)?;
        Ok(true)
    }

    fn nvptx_match(
        &mut self,
        id: ValueId,
        call: &Call,
        collective: Collective,
        first: Option<Rc<str>>,
        (mask, tail): (&str, &str),
    ) -> Result<bool, Reason> {
        let Some(&(value, _)) = call.arguments.get(usize::from(collective.value)) else { return Ok(false) };
        let (bits, is_integer) = self.movable(value)?;
        let typed = self.typed(value)?;
        if !matches!(bits, 32 | 64) {
            return Ok(false);
        }
        let ty = format!("i{bits}");
        let value = match is_integer {
            true => self.operand(value),
            false => self.temporary("bits", format_args!("bitcast {typed} to {ty}")),
        };
        let arguments = [("i32", mask), (&ty, &value)];
        if collective.op == CollectiveOp::MatchAny {
            let text = self.intrinsic(&format!("llvm.nvvm.match.any.sync.{ty}"), "i32", &arguments, tail);
            let mut lanes = self.temporary("lanes", format_args!("{text}"));
            if let Some(first) = first {
                lanes = self.temporary("lanes", format_args!("lshr i32 {lanes}, {first}"));
            }
            self.define_integer(id, "i32", &lanes)?;
            return Ok(true);
        }
        let name = format!("llvm.nvvm.match.all.sync.{ty}p");
        let text = self.intrinsic(&name, "{ i32, i1 }", &arguments, tail);
        let both = self.temporary("match", format_args!("{text}"));
        let lanes = self.temporary("lanes", format_args!("extractvalue {{ i32, i1 }} {both}, 0"));
        if let Some(&(address, _)) = call.arguments.get(usize::from(after_value(collective, 1))) {
            let equal = self.temporary("equal", format_args!("extractvalue {{ i32, i1 }} {both}, 1"));
            let equal = self.temporary("equal", format_args!("zext i1 {equal} to i32"));
            let address = self.typed(address)?;
            self.line(format_args!("store i32 {equal}, {address}, align 4"));
        }
        self.define_integer(id, "i32", &lanes)?;
        Ok(true)
    }

    /// A shuffle has an operand with two numbers: bits 8 to 12 are the bits of a lane that select its segment, bits 0 to 4
    /// are the last lane that a thread can read, in its segment.
    fn nvptx_shuffle(
        &mut self,
        id: ValueId,
        call: &Call,
        (from, by, outside, value): (Lane, u16, Outside, u16),
        (mask, tail): (&str, &str),
    ) -> Result<bool, Reason> {
        let (name, last) = match from {
            Lane::Absolute => ("idx", 31),
            Lane::Xor => ("bfly", 31),
            Lane::Up => ("up", 0),
            Lane::Down => ("down", 31),
            Lane::Rotate | Lane::Any => return Ok(false),
        };
        let (Some(&(value, _)), Some(by)) =
            (call.arguments.get(usize::from(value)), self.integer_argument(call, by, 32)?)
        else {
            return Ok(false);
        };
        let (by, name, last) = match outside {
            Outside::Ranked => match self.ranked_lane(from, &by, mask) {
                Some(lane) => (lane, "idx", 31),
                None => return Ok(false),
            },
            Outside::Segments { .. } | Outside::Undefined => (by, name, last),
        };
        let size = match outside {
            Outside::Segments { size } => self.integer_argument(call, size, 32)?,
            Outside::Undefined | Outside::Ranked => None,
        };
        let clamp: Rc<str> = match size.as_deref().map(str::parse::<u32>) {
            None => last.to_string().into(),
            Some(Ok(size)) => (32u32.saturating_sub(size) << 8 | last).to_string().into(),
            Some(Err(_)) => {
                let size = size.unwrap_or_default();
                let rest = self.temporary("rest", format_args!("sub i32 32, {size}"));
                let segment = self.temporary("segment", format_args!("shl i32 {rest}, 8"));
                self.temporary("clamp", format_args!("or i32 {segment}, {last}"))
            }
        };
        let mut moved = Vec::new();
        for word in self.words(value)? {
            let arguments = [("i32", mask), ("i32", &*word), ("i32", &*by), ("i32", &*clamp)];
            let text = self.intrinsic(&format!("llvm.nvvm.shfl.sync.{name}.i32"), "i32", &arguments, tail);
            moved.push(self.temporary("moved", format_args!("{text}")));
        }
        self.define_words(id, &moved)?;
        Ok(true)
    }

    /// Returns the lane that a shuffle with [`Outside::Ranked`] reads: the lane `by` ranks from the first one in the mask, or
    /// from this lane. `fns` finds the n-th bit from a bit on; for a negative n, it searches downwards.
    fn ranked_lane(&mut self, from: Lane, by: &str, mask: &str) -> Option<Rc<str>> {
        let distance = self.temporary("distance", format_args!("add i32 {by}, 1"));
        let (base, distance): (Rc<str>, Rc<str>) = match from {
            Lane::Absolute => ("0".into(), distance),
            Lane::Down => (self.lane(), distance),
            Lane::Up => {
                let down = self.temporary("distance", format_args!("sub i32 0, {distance}"));
                (self.lane(), down)
            }
            Lane::Xor | Lane::Rotate | Lane::Any => return None,
        };
        let arguments = [("i32", mask), ("i32", &*base), ("i32", &*distance)];
        let text = self.intrinsic("llvm.nvvm.fns", "i32", &arguments, "");
        let found = self.temporary("found", format_args!("{text}"));
        if from == Lane::Absolute {
            return Some(found);
        }
        let is_lane = self.temporary("is_lane", format_args!("icmp ult i32 {found}, 32"));
        Some(self.temporary("read", format_args!("select i1 {is_lane}, i32 {found}, i32 {base}")))
    }

    /// Returns a pointer as a pointer to generic memory.
    fn generic_pointer(&mut self, pointer: ValueId) -> Result<Rc<str>, Reason> {
        let (from, operand) = (self.ty(pointer)?, self.operand(pointer));
        let generic = self.pointer_to(AddressSpace::Generic);
        Ok(match *from == *generic {
            true => operand,
            false => self.temporary("generic", format_args!("addrspacecast {from} {operand} to {generic}")),
        })
    }

    /// `printf`: the values are stored in a buffer, each at a multiple of its size, and the runtime prints it.
    pub(super) fn nvptx_print(&mut self, id: ValueId, call: &Call) -> Result<bool, Reason> {
        let Some((&(format, _), values)) = call.arguments.split_first() else { return Ok(false) };
        let mut places = Vec::new();
        let mut end: u64 = 0;
        for &(value, _) in values {
            let ty = self.function.values[value].ty;
            let Some(layout) = crate::layout::layout(ty) else { return Ok(false) };
            let start = end.next_multiple_of(u64::from(layout.align));
            places.push((value, start));
            end = start + layout.size;
        }
        let generic = self.pointer_to(AddressSpace::Generic);
        let buffer: Rc<str> = match places[..] {
            [] => "null".into(),
            _ => self.allocate("values", Ty::array(Ty::ULONG, Some(end.div_ceil(8))))?,
        };
        for (value, start) in places {
            let at = self.temporary("at", format_args!("getelementptr i8, {generic} {buffer}, i64 {start}"));
            let align = self.module.types.align(self.function.values[value].ty);
            let (ty, operand) = match self.function.values[value].ty.as_pointer() {
                Some(_) => (generic.as_str().into(), self.generic_pointer(value)?),
                None => (self.ty(value)?, self.operand(value)),
            };
            self.line(format_args!("store {ty} {operand}, {generic} {at}, align {align}"));
        }
        let format = self.generic_pointer(format)?;
        let arguments = [(&*generic, &*format), (&*generic, &*buffer)];
        let text = self.intrinsic("vprintf", "i32", &arguments, "");
        self.define(id, format_args!("{text}"));
        Ok(true)
    }

    /// `atomicInc` and `atomicDec`. LLVM 19 has no `uinc_wrap` for this target.
    pub(super) fn nvptx_wrapping_atomic(
        &mut self,
        id: ValueId,
        call: &Call,
        increments: bool,
    ) -> Result<bool, Reason> {
        let [(address, _), (limit, _)] = call.arguments[..] else { return Ok(false) };
        let (space, limit) = (self.ty(address)?, self.operand(limit));
        let address = self.operand(address);
        let name = if increments { "inc" } else { "dec" };
        let name = format!("llvm.nvvm.atomic.load.{name}.32.{}", crate::llvm::memory::suffix(&space));
        let text = self.intrinsic(&name, "i32", &[(&space, &address), ("i32", &limit)], "");
        match self.function.values[id].ty.is_void() {
            true => self.line(format_args!("{text}")),
            false => self.define(id, format_args!("{text}")),
        }
        Ok(true)
    }
}
