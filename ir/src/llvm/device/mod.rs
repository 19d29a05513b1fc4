//! Instructions of a target for the builtins of languages without a library of device functions, such as CUDA.
//!
//! A language gives an [operation](crate::operation) for a builtin, and the target the instructions for it: intrinsics of
//! LLVM 19, atomic instructions and fences. The names of builtins play no part, so `__shfl_down_sync` of CUDA and of HIP
//! have the same instructions.
//!
//! ```text
//! x = __shfl_down_sync(mask, v, 1);
//!     nvptx64   %x = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %mask, i32 %v, i32 1, i32 31) [ token ]
//!     amdgcn    %lane = mbcnt; %from = the lane, clamped to its segment
//!               %x = call i32 @llvm.amdgcn.ds.bpermute(i32 4 * %from, i32 %v) [ token ]
//! ```
//!
//! - `nvptx`, `amdgcn`: the operations of a group of threads, and indices.
//! - `tiles`: reductions and scans of tiles, which are the same on both.
//! - This file: atomics and computations, which are the same on both, and conversions to 32-bit words: shuffles move one
//!   word, so a value of 64 bits is moved by two of them.
//!
//! An operation without instructions on a target is an error with the name of the builtin.

mod amdgcn;
mod nvptx;
mod tiles;

use std::rc::Rc;

use tangle_base::Symbol;

use super::convert::width;
use super::function::FunctionWriter;
use super::operation::{LaneKind, number};
use super::target::Target;
use super::types::Reason;
use crate::flow::{Call, Op, ValueId};
use crate::operation::{
    Argument, Atomic, AtomicOp, Collective, Fence, Index, Mask, Math, Operation, Ordering, Size,
};
use crate::scope::Scope;
use crate::types::TyKind;
use crate::value::Constant;

/// The operation of a builtin, and the group of threads that takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinOperation {
    /// The operation that a call performs.
    pub operation: Operation,
    /// The group of threads that it communicates with.
    pub scope: Scope,
}

/// A dimension of a launch, by its letter.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The names of values that describe the tile of a thread.
struct Tile {
    /// Its first lane.
    first: Rc<str>,
    /// The mask of its lanes in the sub-group.
    mask: Rc<str>,
}

impl FunctionWriter<'_, '_> {
    /// Writes a call of a builtin as instructions of the target. Returns false for an operation that a library of the
    /// target computes: the call remains a call.
    pub fn device_call(
        &mut self,
        id: ValueId,
        call: &Call,
        name: Symbol,
        BuiltinOperation { operation, scope }: BuiltinOperation,
    ) -> Result<bool, Reason> {
        let target = self.module.target;
        let refused = || Err(format!("`{name}` has no instructions for this target"));
        if !matches!(target, Target::Nvptx64 | Target::Amdgcn) {
            let is_alone = matches!(operation, Operation::Math(_) | Operation::Other);
            return if is_alone && scope == Scope::None { Ok(false) } else { refused() };
        }
        let is_nvptx = target == Target::Nvptx64;
        let is_written = match operation {
            Operation::Index(index) => self.index_call(id, call, index)?,
            Operation::Size(size) => self.size_call(id, call, size)?,
            Operation::Atomic(atomic) => self.atomic(id, call, atomic)?,
            Operation::Fence(fence) => self.device_fence(fence),
            Operation::Barrier(barrier) if is_nvptx => self.nvptx_barrier(call, barrier, scope)?,
            Operation::Barrier(_) => self.amdgcn_barrier(call, scope)?,
            Operation::Collective(collective) if is_nvptx => {
                self.nvptx_collective(id, call, collective, scope)?
            }
            Operation::Collective(collective) => self.amdgcn_collective(id, call, collective, scope)?,
            Operation::Math(math) => return self.math(id, call, math),
            Operation::Other if scope == Scope::None => return Ok(false),
            Operation::Argument => {
                let Some(operand) = self.integer_argument(call, 0, 64)? else { return refused() };
                self.define_integer(id, "i64", &operand)?;
                true
            }
            Operation::Load | Operation::Store => self.plain_access(id, call)?,
            Operation::CopyBytes { .. } | Operation::SetBytes => {
                let &[(to, _), (from, _), (size, _)] = &call.arguments[..] else { return refused() };
                let name = match operation {
                    Operation::CopyBytes { overlapping: false } => "memcpy",
                    Operation::CopyBytes { overlapping: true } => "memmove",
                    _ => "memset",
                };
                self.memory_call(id, name, to, from, size)?;
                true
            }
            Operation::Print if is_nvptx => self.nvptx_print(id, call)?,
            Operation::Nothing => true,
            Operation::Bits => {
                let Some(&(operand, _)) = call.arguments.first() else { return refused() };
                let (from, to) = (self.typed(operand)?, self.ty(id)?);
                self.define(id, format_args!("bitcast {from} to {to}"));
                true
            }
            Operation::Vector => self.vector_of(id, call)?,
            Operation::Mask(Mask::ExclusiveScan) => self.count_before(id, call)?,
            _ => false,
        };
        if is_written { Ok(true) } else { refused() }
    }

    fn index_call(&mut self, id: ValueId, call: &Call, index: Index) -> Result<bool, Reason> {
        let number = match index {
            Index::Local | Index::Group => {
                let Some(axis) = self.axis(call) else { return Ok(false) };
                self.position(index == Index::Group, axis)
            }
            Index::LocalLinear => self.linear_index(),
            Index::Lane => self.lane(),
            Index::TileLane => {
                let Some(size) = self.integer_argument(call, 0, 32)? else { return Ok(false) };
                let lane = self.lane();
                let last = self.temporary("last", format_args!("sub i32 {size}, 1"));
                self.temporary("rank", format_args!("and i32 {lane}, {last}"))
            }
            Index::GroupLinear => self.linear_group(),
            Index::Launch => {
                let group = self.linear_group();
                let group = self.temporary("group", format_args!("zext i32 {group} to i64"));
                let (size, thread) = (self.threads_of_group(), self.linear_index());
                let size = self.temporary("size", format_args!("zext i32 {size} to i64"));
                let thread = self.temporary("thread", format_args!("zext i32 {thread} to i64"));
                let before = self.temporary("before", format_args!("mul i64 {group}, {size}"));
                let rank = self.temporary("rank", format_args!("add i64 {before}, {thread}"));
                self.define_integer(id, "i64", &rank)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.define_integer(id, "i32", &number)?;
        Ok(true)
    }

    fn size_call(&mut self, id: ValueId, call: &Call, size: Size) -> Result<bool, Reason> {
        let number = match size {
            Size::Local | Size::Groups => {
                let Some(axis) = self.axis(call) else { return Ok(false) };
                self.extent(size == Size::Groups, axis)
            }
            Size::MaxSubGroup => self.lanes_of_group(),
            Size::LocalLinear => self.threads_of_group(),
            Size::GroupsLinear => self.extents(true),
            Size::Launch => {
                let (groups, threads) = (self.extents(true), self.threads_of_group());
                let groups = self.temporary("groups", format_args!("zext i32 {groups} to i64"));
                let threads = self.temporary("threads", format_args!("zext i32 {threads} to i64"));
                let all = self.temporary("all", format_args!("mul i64 {groups}, {threads}"));
                self.define_integer(id, "i64", &all)?;
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.define_integer(id, "i32", &number)?;
        Ok(true)
    }

    /// Returns the dimension that a call names. `None` if it is not a constant.
    fn axis(&self, call: &Call) -> Option<&'static str> {
        let Some((argument, _)) = call.arguments.first() else { return Some(AXES[0]) };
        match &self.function.values[*argument].op {
            Op::Constant(Constant::Integer(axis)) => AXES.get(usize::try_from(*axis).ok()?).copied(),
            Op::Constant(Constant::Zero) => Some(AXES[0]),
            _ => None,
        }
    }

    /// Writes the index of the thread, or of its group, in one dimension.
    fn position(&mut self, of_group: bool, axis: &str) -> Rc<str> {
        match self.module.target {
            Target::Nvptx64 => self.special_register(if of_group { "ctaid" } else { "tid" }, Some(axis)),
            _ => {
                let of = if of_group { "workgroup" } else { "workitem" };
                self.read("index", &format!("llvm.amdgcn.{of}.id.{axis}"))
            }
        }
    }

    /// Writes the number of threads of a group, or of groups, in one dimension.
    fn extent(&mut self, of_groups: bool, axis: &str) -> Rc<str> {
        match self.module.target {
            Target::Nvptx64 => self.special_register(if of_groups { "nctaid" } else { "ntid" }, Some(axis)),
            _ => self.amdgcn_extent(of_groups, axis),
        }
    }

    /// Writes the index of the thread in its group, over all dimensions.
    fn linear_index(&mut self) -> Rc<str> {
        self.linear(false)
    }

    /// Writes the index of the group in the launch, over all dimensions.
    fn linear_group(&mut self) -> Rc<str> {
        self.linear(true)
    }

    /// Writes the number of threads of a group, over all dimensions.
    fn threads_of_group(&mut self) -> Rc<str> {
        self.extents(false)
    }

    /// Writes the product of the extents of a group, or of the launch.
    fn extents(&mut self, of_groups: bool) -> Rc<str> {
        let [x, y, z] = AXES.map(|axis| self.extent(of_groups, axis));
        let plane = self.temporary("plane", format_args!("mul i32 {x}, {y}"));
        self.temporary("extents", format_args!("mul i32 {plane}, {z}"))
    }

    fn linear(&mut self, of_group: bool) -> Rc<str> {
        let [x, y, z] = AXES.map(|axis| self.position(of_group, axis));
        let [width, height, _] = AXES.map(|axis| self.extent(of_group, axis));
        let plane = self.temporary("plane", format_args!("mul i32 {z}, {height}"));
        let rows = self.temporary("rows", format_args!("add i32 {plane}, {y}"));
        let before = self.temporary("before", format_args!("mul i32 {rows}, {width}"));
        self.temporary("index", format_args!("add i32 {before}, {x}"))
    }

    /// Writes the index of the thread in its subgroup.
    fn lane(&mut self) -> Rc<str> {
        match self.module.target {
            Target::Nvptx64 => self.special_register("laneid", None),
            _ => self.amdgcn_lane(),
        }
    }

    /// Writes the number of threads of a full subgroup.
    fn lanes_of_group(&mut self) -> Rc<str> {
        match self.module.target {
            Target::Nvptx64 => self.special_register("warpsize", None),
            _ => self.read("size", "llvm.amdgcn.wavefrontsize"),
        }
    }

    /// Writes a vector of the arguments, lane by lane. A vector of one lane is a scalar.
    fn vector_of(&mut self, id: ValueId, call: &Call) -> Result<bool, Reason> {
        let ty = self.ty(id)?;
        let Some((&(last, _), first)) = call.arguments.split_last() else { return Ok(false) };
        if first.is_empty() {
            return Ok(false);
        }
        let mut vector: Rc<str> = "poison".into();
        for (number, (lane, _)) in first.iter().enumerate() {
            let lane = self.typed(*lane)?;
            vector =
                self.temporary("lanes", format_args!("insertelement {ty} {vector}, {lane}, i32 {number}"));
        }
        let last = self.typed(last)?;
        self.define(id, format_args!("insertelement {ty} {vector}, {last}, i32 {}", first.len()));
        Ok(true)
    }

    /// Counts the lanes of a mask before this one.
    fn count_before(&mut self, id: ValueId, call: &Call) -> Result<bool, Reason> {
        let Some(mask) = self.integer_argument(call, 0, 64)? else { return Ok(false) };
        let lane = self.lane();
        let lane = self.temporary("lane", format_args!("zext i32 {lane} to i64"));
        let bit = self.temporary("bit", format_args!("shl i64 1, {lane}"));
        let below = self.temporary("below", format_args!("sub i64 {bit}, 1"));
        let lanes = self.temporary("lanes", format_args!("and i64 {mask}, {below}"));
        let count = self.intrinsic("llvm.ctpop.i64", "i64", &[("i64", &lanes)], "");
        let count = self.temporary("count", format_args!("{count}"));
        self.define_integer(id, "i64", &count)?;
        Ok(true)
    }

    /// Writes the tile of this thread, with a mask of 32 or 64 `bits`. `size`: the argument with the number of threads of
    /// a tile. `None` if it is not an integer.
    fn tile(&mut self, call: &Call, size: Argument, bits: u32) -> Result<Option<Tile>, Reason> {
        let Some(size) = self.integer_argument(call, size, 32)? else { return Ok(None) };
        let lane = self.lane();
        let start = self.temporary("start", format_args!("sub i32 0, {size}"));
        let first = self.temporary("first", format_args!("and i32 {lane}, {start}"));
        let wide = self.temporary("wide", format_args!("zext i32 {size} to i64"));
        // A shift by all bits is undefined: a tile of 64 threads has all of them.
        let rest = self.temporary("rest", format_args!("sub i64 64, {wide}"));
        let own = self.temporary("own", format_args!("lshr i64 -1, {rest}"));
        let by = self.temporary("by", format_args!("zext i32 {first} to i64"));
        let mask = self.temporary("mask", format_args!("shl i64 {own}, {by}"));
        let mask = match bits {
            32 => self.temporary("lanes", format_args!("trunc i64 {mask} to i32")),
            _ => mask,
        };
        Ok(Some(Tile { first, mask }))
    }

    /// Writes a call of an intrinsic without arguments, whose result has 32 bits.
    fn read(&mut self, wanted: &'static str, intrinsic: &str) -> Rc<str> {
        self.module.declare_intrinsic(intrinsic, "i32", &[]);
        self.temporary(wanted, format_args!("call i32 @{intrinsic}()"))
    }

    /// Returns the text of a call of an intrinsic. `tail`: the end of the call, as [`Self::tail`] gives it.
    fn intrinsic(&mut self, name: &str, result: &str, arguments: &[(&str, &str)], tail: &str) -> String {
        let types: Vec<&str> = arguments.iter().map(|(ty, _)| *ty).collect();
        self.module.declare_intrinsic(name, result, &types);
        let arguments: Vec<String> = arguments.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        format!("call {result} @{name}({}){tail}", arguments.join(", "))
    }

    /// Defines a value by an unsigned integer of another type.
    fn define_integer(&mut self, id: ValueId, from: &str, operand: &str) -> Result<(), Reason> {
        let ty = self.function.values[id].ty;
        if ty.is_void() {
            return Ok(());
        }
        let to = self.ty(id)?;
        let bits = |text: &str| text.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok());
        let (Some(narrow), Some(wide)) = (bits(from), bits(&to)) else {
            return Err(format!("a result has the type `{ty}`, which is not an integer"));
        };
        match narrow.cmp(&wide) {
            std::cmp::Ordering::Less => self.define(id, format_args!("zext {from} {operand} to {to}")),
            std::cmp::Ordering::Equal => self.define(id, format_args!("or {to} {operand}, 0")),
            std::cmp::Ordering::Greater if wide == 1 => {
                self.define(id, format_args!("icmp ne {from} {operand}, 0"));
            }
            std::cmp::Ordering::Greater => self.define(id, format_args!("trunc {from} {operand} to {to}")),
        }
        Ok(())
    }

    /// Returns an argument as an integer of 32 or 64 bits.
    fn integer_argument(
        &mut self,
        call: &Call,
        argument: Argument,
        bits: u32,
    ) -> Result<Option<Rc<str>>, Reason> {
        let Some(&(value, _)) = call.arguments.get(usize::from(argument)) else { return Ok(None) };
        let ty = self.function.values[value].ty;
        let kind = number(ty);
        if !matches!(kind, LaneKind::Signed | LaneKind::Unsigned) {
            return Err(format!("an argument has the type `{ty}`, which is not an integer"));
        }
        let operand = self.operand(value);
        let typed = self.typed(value)?;
        let extend = if kind == LaneKind::Signed { "sext" } else { "zext" };
        Ok(Some(match width(ty).cmp(&bits) {
            std::cmp::Ordering::Less => self.temporary("wide", format_args!("{extend} {typed} to i{bits}")),
            std::cmp::Ordering::Equal => operand,
            std::cmp::Ordering::Greater => self.temporary("narrow", format_args!("trunc {typed} to i{bits}")),
        }))
    }

    /// Returns whether an argument is not zero, as an `i1`.
    fn truth(&mut self, call: &Call, argument: Argument) -> Result<Option<Rc<str>>, Reason> {
        let Some(&(value, _)) = call.arguments.get(usize::from(argument)) else { return Ok(None) };
        let ty = self.function.values[value].ty;
        let typed = self.typed(value)?;
        Ok(Some(match number(ty) {
            _ if matches!(ty.kind(), TyKind::Bool) => self.operand(value),
            LaneKind::Float => self.temporary("truth", format_args!("fcmp une {typed}, 0.0")),
            LaneKind::Pointer => self.temporary("truth", format_args!("icmp ne {typed}, null")),
            LaneKind::Signed | LaneKind::Unsigned => {
                self.temporary("truth", format_args!("icmp ne {typed}, 0"))
            }
        }))
    }

    /// Writes a load, or a store if the call has a value.
    fn plain_access(&mut self, id: ValueId, call: &Call) -> Result<bool, Reason> {
        let (address, value) = match call.arguments[..] {
            [(address, _)] => (address, None),
            [(address, _), (value, _)] => (address, Some(value)),
            _ => return Ok(false),
        };
        let place = self.typed(address)?;
        let ty = self.function.values[value.unwrap_or(id)].ty;
        let align = self.module.types.align(ty);
        match value {
            Some(value) => {
                let value = self.typed(value)?;
                self.line(format_args!("store {value}, {place}, align {align}"));
            }
            None => {
                let ty = self.ty(id)?;
                self.define(id, format_args!("load {ty}, {place}, align {align}"));
            }
        }
        Ok(true)
    }

    /// Returns the bits of a value as words of 32 bits, the lowest first.
    fn words(&mut self, value: ValueId) -> Result<Vec<Rc<str>>, Reason> {
        let operand = self.operand(value);
        self.words_of(value, &operand)
    }

    /// Returns the bits of an operand with the type of a value as words of 32 bits, the lowest first.
    fn words_of(&mut self, like: ValueId, operand: &Rc<str>) -> Result<Vec<Rc<str>>, Reason> {
        let ty = self.function.values[like].ty;
        let (bits, is_integer) = self.movable(like)?;
        let of = self.ty(like)?;
        let whole = match is_integer {
            true => operand.clone(),
            false => self.temporary("bits", format_args!("bitcast {of} {operand} to i{bits}")),
        };
        if bits < 32 {
            let extend = if number(ty) == LaneKind::Signed { "sext" } else { "zext" };
            return Ok(vec![self.temporary("word", format_args!("{extend} i{bits} {whole} to i32"))]);
        }
        if bits == 32 {
            return Ok(vec![whole]);
        }
        let mut words = Vec::new();
        for first in (0..bits).step_by(32) {
            let low = match first {
                0 => whole.clone(),
                _ => self.temporary("high", format_args!("lshr i{bits} {whole}, {first}")),
            };
            words.push(self.temporary("word", format_args!("trunc i{bits} {low} to i32")));
        }
        Ok(words)
    }

    /// Defines a value by words of 32 bits, the lowest first: the inverse of [`Self::words`].
    fn define_words(&mut self, id: ValueId, words: &[Rc<str>]) -> Result<(), Reason> {
        let text = self.of_words(id, words)?;
        self.define(id, format_args!("{text}"));
        Ok(())
    }

    /// Returns the last instruction that computes a value of the type of another one from words of 32 bits.
    fn of_words(&mut self, like: ValueId, words: &[Rc<str>]) -> Result<String, Reason> {
        let (bits, is_integer) = self.movable(like)?;
        let ty = self.ty(like)?;
        let mut whole = words[0].clone();
        if bits < 32 {
            if is_integer {
                return Ok(format!("trunc i32 {whole} to {ty}"));
            }
            whole = self.temporary("bits", format_args!("trunc i32 {whole} to i{bits}"));
        } else if bits > 32 {
            whole = self.temporary("whole", format_args!("zext i32 {whole} to i{bits}"));
            for (word, first) in words.iter().zip((0..).step_by(32)).skip(1) {
                let wide = self.temporary("wide", format_args!("zext i32 {word} to i{bits}"));
                let high = self.temporary("high", format_args!("shl i{bits} {wide}, {first}"));
                whole = self.temporary("whole", format_args!("or i{bits} {whole}, {high}"));
            }
        }
        Ok(match is_integer {
            true => format!("or {ty} {whole}, 0"),
            false => format!("bitcast i{bits} {whole} to {ty}"),
        })
    }

    /// Returns the number of bits of a value that moves between lanes, and whether it is an integer in LLVM.
    fn movable(&mut self, value: ValueId) -> Result<(u32, bool), Reason> {
        let ty = self.function.values[value].ty;
        let lanes = ty.as_vector().map_or(1, |(_, lanes)| u32::from(lanes));
        let bits = width(ty) * lanes;
        let is_number = matches!(ty.kind(), TyKind::Bool | TyKind::Integer(_) | TyKind::Float(_));
        if !is_number && ty.as_vector().is_none() || (bits > 32 && !bits.is_multiple_of(32)) {
            return Err(format!("a value of the type `{ty}` cannot be moved to another lane"));
        }
        Ok((bits, matches!(ty.kind(), TyKind::Bool | TyKind::Integer(_))))
    }

    /// Writes an atomic access. Returns false if the target has no instruction for it.
    fn atomic(&mut self, id: ValueId, call: &Call, atomic: Atomic) -> Result<bool, Reason> {
        let Ordering::Fixed(order) = atomic.ordering else { return Ok(false) };
        let [(address, _), rest @ ..] = &call.arguments[..] else { return Ok(false) };
        let Some(&(operand, _)) = rest.first() else { return Ok(false) };
        let ty = self.function.values[operand].ty;
        let (kind, is_float) = (number(ty), number(ty) == LaneKind::Float);
        let scope = self.module.target.sync_scope(order.scope);
        let (address, operand_text) = (self.typed(*address)?, self.typed(operand)?);
        let operation = match atomic.op {
            AtomicOp::CompareExchange => {
                let Some(&(new, _)) = rest.get(1) else { return Ok(false) };
                let new = self.typed(new)?;
                let text = self.ty(operand)?;
                let both = self.temporary(
                    "exchanged",
                    format_args!("cmpxchg {address}, {operand_text}, {new}{scope} monotonic monotonic"),
                );
                self.define(id, format_args!("extractvalue {{ {text}, i1 }} {both}, 0"));
                return Ok(true);
            }
            AtomicOp::Exchange => "xchg",
            AtomicOp::Add if is_float => "fadd",
            AtomicOp::Add => "add",
            AtomicOp::Sub if is_float => "fsub",
            AtomicOp::Sub => "sub",
            AtomicOp::Min if is_float => "fmin",
            AtomicOp::Min if kind == LaneKind::Signed => "min",
            AtomicOp::Min => "umin",
            AtomicOp::Max if is_float => "fmax",
            AtomicOp::Max if kind == LaneKind::Signed => "max",
            AtomicOp::Max => "umax",
            AtomicOp::And => "and",
            AtomicOp::Or => "or",
            AtomicOp::Xor => "xor",
            AtomicOp::IncrementUpTo | AtomicOp::DecrementFrom if self.module.target == Target::Nvptx64 => {
                return self.nvptx_wrapping_atomic(id, call, atomic.op == AtomicOp::IncrementUpTo);
            }
            AtomicOp::IncrementUpTo => "uinc_wrap",
            AtomicOp::DecrementFrom => "udec_wrap",
            _ => return Ok(false),
        };
        let text = format!("atomicrmw {operation} {address}, {operand_text}{scope} monotonic");
        match self.function.values[id].ty.is_void() {
            true => drop(self.temporary("old", format_args!("{text}"))),
            false => self.define(id, format_args!("{text}")),
        }
        Ok(true)
    }

    fn device_fence(&mut self, fence: Fence) -> bool {
        let Ordering::Fixed(order) = fence.ordering else { return false };
        if self.module.target == Target::Nvptx64 {
            let level = if order.scope <= Scope::Workgroup { "cta" } else { "gl" };
            let call = self.intrinsic(&format!("llvm.nvvm.membar.{level}"), "void", &[], "");
            self.line(format_args!("{call}"));
        } else {
            let scope = self.module.target.sync_scope(order.scope);
            self.line(format_args!("fence{scope} seq_cst"));
        }
        true
    }

    /// Writes a computation. Most computations on other numbers than integers remain calls.
    fn math(&mut self, id: ValueId, call: &Call, math: Math) -> Result<bool, Reason> {
        let arguments: Vec<ValueId> = call.arguments.iter().map(|(value, _)| *value).collect();
        let kind = number(self.function.values[id].ty);
        let is_signed = kind == LaneKind::Signed;
        let name = match (math, &arguments[..]) {
            (Math::Min, [_, _]) if kind == LaneKind::Float => "minnum",
            (Math::Max, [_, _]) if kind == LaneKind::Float => "maxnum",
            (Math::Abs, [_]) if kind == LaneKind::Float => "fabs",
            _ if !matches!(kind, LaneKind::Signed | LaneKind::Unsigned) => return Ok(false),
            (Math::CountOnes, [value]) => return self.bits_call(id, "popcount", *value),
            (Math::FindFirst, [value]) => return self.bits_call(id, "ffs", *value),
            (Math::LeadingZeros, [value]) => return self.bits_call(id, "clz", *value),
            (Math::ReverseBits, [_]) => "bitreverse",
            (Math::Min, [_, _]) if is_signed => "smin",
            (Math::Min, [_, _]) => "umin",
            (Math::Max, [_, _]) if is_signed => "smax",
            (Math::Max, [_, _]) => "umax",
            (Math::Abs, [_]) => "abs",
            _ => return Ok(false),
        };
        self.same_types(id, name, &arguments)?;
        Ok(true)
    }
}

/// Returns an argument of a collective after its value.
fn after_value(collective: Collective, further: Argument) -> Argument {
    collective.value.saturating_add(further)
}
