//! The operations of builtins: the result of a call, and its effect on the order of memory accesses.
//!
//! An operation has no name. A language gives each of its builtins one of these, and two languages give the same
//! operation to functions with the same meaning. Executions compute its result, and [`llvm`](crate::llvm) writes the
//! instructions of a target for it. Argument numbers count from 0.

use crate::scope::Scope;

/// The number of an argument of a call, from 0.
pub type Argument = u16;

/// The effect of a call of a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Yields the position of the thread. The first argument, if the call has one, is the dimension.
    Index(Index),
    /// Yields a number of threads, groups or dimensions. The first argument, if the call has one, is the dimension.
    Size(Size),
    /// Reads and writes memory in one step. Argument 0 is the address.
    Atomic(Atomic),
    /// Reads a vector from memory. Arguments: the offset in vectors, and the address of the first element.
    LoadVector,
    /// Writes a vector to memory. Arguments: the vector, the offset in vectors, and the address of the first element.
    StoreVector,
    /// Orders the accesses of one thread.
    Fence(Fence),
    /// Orders the accesses of the threads that execute it together.
    Barrier(Barrier),
    /// Copies memory as a whole group. Arguments: the destination, the source, the number of elements; and the stride
    /// in the memory that is not `local`, if it is `strided`.
    AsyncCopy {
        /// Whether the elements in global memory are not adjacent.
        strided: bool,
    },
    /// Waits for the copies of the group.
    AwaitCopies,
    /// Communicates with the threads that execute it together.
    Collective(Collective),
    /// Computes on a mask with one bit for each lane of a sub-group: a vector of four 32-bit integers.
    Mask(Mask),
    /// Yields its first argument.
    Argument,
    /// Reads memory. Argument 0 is the address.
    Load,
    /// Writes argument 1 to memory. Argument 0 is the address.
    Store,
    /// Copies bytes. Arguments: the destination, the source, and the number of bytes. Yields the destination.
    CopyBytes {
        /// Whether source and destination may overlap.
        overlapping: bool,
    },
    /// Sets bytes. Arguments: the destination, the value of each byte, and the number of bytes. Yields the destination.
    SetBytes,
    /// Prints. Argument 0 is the address of the format, and the values follow.
    Print,
    /// Has no effect.
    Nothing,
    /// Yields the bits of its argument as a value of the result type, which has the same size.
    Bits,
    /// Yields a vector of its arguments, or its only argument.
    Vector,
    /// Computes an integer from integers. Other types yield an arbitrary value that depends on the arguments alone.
    Math(Math),
    /// Converts a number, or each lane of a vector, to the type of the result.
    Convert {
        /// How a floating-point number becomes an integer.
        rounding: Rounding,
        /// Whether a number that is out of range becomes the nearest one of the type.
        saturated: bool,
    },
    /// Anything else.
    Other,
}

/// A position of a thread, or of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// The thread in the launch, in one dimension.
    Global,
    /// The thread in its work-group, in one dimension.
    Local,
    /// The work-group in the launch, in one dimension.
    Group,
    /// The first global index of the launch, in one dimension.
    GlobalOffset,
    /// The thread in its work-group, over all dimensions.
    LocalLinear,
    /// The thread in the launch, over all dimensions: the threads of a row are consecutive.
    GlobalLinear,
    /// The thread in the launch, over all dimensions: the threads of a work-group are consecutive.
    Launch,
    /// The work-group in the launch, over all dimensions.
    GroupLinear,
    /// The sub-group in its work-group.
    SubGroup,
    /// The thread in its sub-group.
    Lane,
    /// The thread in its tile, a part of a sub-group. The first argument is the number of threads of a tile, a power of
    /// two.
    TileLane,
}

/// A number of threads, groups or dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// The threads of the launch, in one dimension.
    Global,
    /// The threads of a work-group, in one dimension.
    Local,
    /// The threads of a work-group, over all dimensions.
    LocalLinear,
    /// The threads of the launch, over all dimensions.
    Launch,
    /// The work-groups of the launch, in one dimension.
    Groups,
    /// The work-groups of the launch, over all dimensions.
    GroupsLinear,
    /// The dimensions of the launch.
    Dimensions,
    /// The threads of the sub-group of this thread; the last sub-group can be smaller than the others.
    SubGroup,
    /// The threads of a full sub-group.
    MaxSubGroup,
    /// The sub-groups of a work-group.
    SubGroups,
}

/// An atomic access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// The computation on the object.
    pub op: AtomicOp,
    /// How it orders other accesses.
    pub ordering: Ordering,
    /// How a compare and exchange orders other accesses if it does not write.
    pub failure: Ordering,
}

/// The effect of an atomic access on the object at its address. Except for [`Compare`](AtomicOp::Compare) and
/// operations that only write, its result is the old value, and argument 1 is the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Writes the initial value of the object. This is not an atomic access.
    Init,
    /// Writes the operand.
    Store,
    /// Writes 0.
    Clear,
    /// Reads.
    Load,
    /// Writes 1.
    TestAndSet,
    /// Writes the operand.
    Exchange,
    /// Writes argument 2 if the old value equals argument 1.
    CompareExchange,
    /// Writes argument 2 if the old value equals the object at the address in argument 1, and otherwise writes the old
    /// value to that object. The result says whether they were equal.
    Compare,
    /// Adds the operand.
    Add,
    /// Subtracts the operand.
    Sub,
    /// Adds 1.
    Increment,
    /// Subtracts 1.
    Decrement,
    /// Adds 1 if the old value is less than the operand, and writes 0 otherwise. Both are unsigned.
    IncrementUpTo,
    /// Writes the operand if the old value is 0 or greater than the operand, and subtracts 1 otherwise. Both are
    /// unsigned.
    DecrementFrom,
    /// Writes the lesser of both.
    Min,
    /// Writes the greater of both.
    Max,
    /// Writes the bits that both have.
    And,
    /// Writes the bits that one of them has.
    Or,
    /// Writes the bits that exactly one of them has.
    Xor,
    /// Writes an arbitrary value.
    Other,
}

/// How an atomic or a fence orders the accesses before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// Accesses after it come after what other threads have published to it.
    pub acquires: bool,
    /// It publishes the accesses before it.
    pub releases: bool,
    /// The threads for which it does so.
    pub scope: Scope,
}

impl Order {
    /// Orders no other accesses.
    pub const RELAXED: Order = Order { acquires: false, releases: false, scope: Scope::Grid };
    /// Orders all accesses, for all threads.
    pub const STRONGEST: Order = Order { acquires: true, releases: true, scope: Scope::Grid };
}

/// An order, or the arguments that give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordering {
    /// The same in all calls.
    Fixed(Order),
    /// The arguments of the call. A missing argument means the strongest order, or all threads.
    Arguments {
        /// A `memory_order` of C11: 0 is relaxed, 2 acquires, 3 releases; all others do both.
        order: Argument,
        /// A scope, numbered as in clang: 0 is the thread, 1 the work-group, 4 the sub-group; other numbers mean all
        /// threads.
        scope: Argument,
    },
}

/// A fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// The argument with the memory that it orders: bit 0 is `local`, bit 1 is global. All memory without such an
    /// argument.
    pub memories: Option<Argument>,
    /// How it orders accesses.
    pub ordering: Ordering,
}

/// A barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// The argument with the memory that it orders: bit 0 is `local`, bit 1 is global. All memory without such an
    /// argument.
    pub memories: Option<Argument>,
    /// The argument with the scope of the order, numbered as in [`Ordering`]. The scope of the builtin without such an
    /// argument.
    pub scope: Option<Argument>,
    /// The argument with the number of threads of a tile, a power of two: only threads of the same tile take part
    /// together.
    pub tile: Option<Argument>,
}

/// An operation of the threads that execute it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Collective {
    /// The computation.
    pub op: CollectiveOp,
    /// The argument with the value of each thread.
    pub value: Argument,
    /// The argument with a mask of lanes: only threads with the same mask take part together.
    pub mask: Option<Argument>,
    /// The argument with the number of threads of a tile, a power of two: only threads of the same tile take part
    /// together. The lanes of a resulting mask are counted from the first lane of the tile.
    pub tile: Option<Argument>,
    /// Whether it also orders the accesses of these threads, as a [`Barrier`] of the same scope does.
    pub orders_memory: bool,
}

impl Collective {
    /// A computation on the first arguments of a call, without a mask. It orders no accesses.
    pub fn of(op: CollectiveOp) -> Collective {
        Collective { op, value: 0, mask: None, tile: None, orders_memory: false }
    }
}

/// A computation on the values of the threads that execute an operation together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectiveOp {
    /// Whether all values are non-zero.
    All,
    /// Whether one of the values is non-zero.
    Any,
    /// Whether all values are equal.
    AllEqual,
    /// The number of threads whose value is non-zero.
    Count,
    /// The mask of the threads whose value is non-zero.
    Ballot,
    /// The mask of the threads that have the value of this thread.
    MatchAny,
    /// The mask of the threads if all values are equal, and 0 otherwise. Writes whether they are equal to the address in
    /// the argument after the value.
    MatchAll,
    /// The mask of the threads that execute it together. It has no value.
    Active,
    /// Whether this thread is the first one. It has no value.
    Elect,
    /// The value of the lane that the argument after the value names.
    BroadcastLane,
    /// The value of the thread of the work-group whose local indices are the arguments after the value.
    BroadcastThread,
    /// The value of the first thread.
    BroadcastFirst,
    /// All values, combined.
    Reduce(Combination),
    /// The values of the threads before this one, combined.
    Scan {
        /// How two values are combined.
        combination: Combination,
        /// Whether the value of this thread is included.
        inclusive: bool,
    },
    /// The value of another lane.
    Shuffle {
        /// Which lane.
        from: Lane,
        /// The argument that [`Lane`] refers to.
        by: Argument,
        /// What happens if there is no such lane.
        outside: Outside,
    },
}

/// How values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combination {
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The bits that all have.
    And,
    /// The bits that at least one has.
    Or,
    /// The bits that an odd number of them have.
    Xor,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// 1 if all are non-zero, 0 otherwise.
    LogicalAnd,
    /// 1 if at least one is non-zero, 0 otherwise.
    LogicalOr,
    /// 1 if an odd number of them are non-zero, 0 otherwise.
    LogicalXor,
}

/// The lane that a shuffle reads, by its argument `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Lane `n`.
    Absolute,
    /// The lane of this thread with the bits of `n` flipped.
    Xor,
    /// The lane of this thread minus `n`.
    Up,
    /// The lane of this thread plus `n`.
    Down,
    /// The lane of this thread plus `n`, starting again at the first lane after the last one.
    Rotate,
    /// Some lane: the result is arbitrary.
    Any,
}

/// The result of a shuffle that reads a lane that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outside {
    /// The value is undefined.
    Undefined,
    /// The sub-group is divided into segments, whose size is a power of two. Absolute lanes count from the first lane
    /// of the segment, modulo its size. A thread keeps its own value if it reads a lane before its segment with
    /// [`Lane::Up`], or a lane after its segment with [`Lane::Down`] or [`Lane::Xor`].
    Segments {
        /// The argument with the size of a segment. The whole sub-group is one segment if a call does not have it.
        size: Argument,
    },
    /// Lanes are numbered among those in the mask of the operation, from the first one. A thread keeps its own value if it
    /// reads a lane before the first one with [`Lane::Up`], or after the last one with [`Lane::Down`].
    Ranked,
}

impl Lane {
    /// Returns the lane that a shuffle with [`Outside::Ranked`] reads. `Some(None)`: there is none; `None`: it is not
    /// defined.
    pub fn ranked(self, mask: u64, lane: u32, by: i128) -> Option<Option<u32>> {
        let below = mask & ((1u64 << lane) - 1);
        let own = i128::from(below.count_ones());
        let rank = match self {
            Lane::Absolute => by,
            Lane::Up => own.wrapping_sub(by),
            Lane::Down => own.wrapping_add(by),
            Lane::Xor | Lane::Rotate | Lane::Any => return None,
        };
        let mut lanes = (0..u64::BITS).filter(|lane| mask >> lane & 1 != 0);
        let read = usize::try_from(rank).ok().and_then(|rank| lanes.nth(rank));
        Some(if self == Lane::Absolute { read } else { read.or(Some(lane)) })
    }
}

/// A computation on a mask with one bit for each lane. Argument 0 is the mask, if the operation has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mask {
    /// The mask of this lane.
    Equal,
    /// The mask of this lane and the lanes after it.
    GreaterOrEqual,
    /// The mask of the lanes after this one.
    Greater,
    /// The mask of this lane and the lanes before it.
    LessOrEqual,
    /// The mask of the lanes before this one.
    Less,
    /// Whether the bit of this lane is set.
    Own,
    /// Whether the bit of the lane in argument 1 is set.
    Extract,
    /// The number of bits.
    Count,
    /// The number of bits of this lane and the lanes before it.
    InclusiveScan,
    /// The number of bits of the lanes before this one.
    ExclusiveScan,
    /// The first lane whose bit is set.
    First,
    /// The last lane whose bit is set.
    Last,
}

/// A computation on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Math {
    /// The lesser of two numbers.
    Min,
    /// The greater of two numbers.
    Max,
    /// A number, moved into the range between two others.
    Clamp,
    /// The absolute value.
    Abs,
    /// The product of two numbers.
    Multiply,
    /// The product of two numbers plus a third.
    MultiplyAdd,
    /// The number of bits that are set.
    CountOnes,
    /// The number of zeros before the highest bit that is set.
    LeadingZeros,
    /// The bits in reverse order.
    ReverseBits,
    /// The number of the lowest bit that is set, counted from 1; 0 if no bit is set.
    FindFirst,
}

/// How a number is rounded to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest integer, and to the even one of two.
    NearestEven,
    /// To the next greater integer.
    Up,
    /// To the next lesser integer.
    Down,
    /// To the next integer towards zero.
    TowardZero,
}
