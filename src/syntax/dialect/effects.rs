//! The operations of executions: maps a builtin to its operation, by a word of a table or by its name in OpenCL C.
//!
//! ```text
//! operation = "reduce-add"   →   Collective::of(Reduce(Add))
//! sub_group_reduce_add       →   the same, without an `operation`
//! ```
//!
//! `simulate/` receives an [`Operation`] and no name. This file has all names and words of operations.

use std::sync::LazyLock;

use tangle_base::Symbol;
use tangle_ir::scope::Scope;
use tangle_ir::uniformity::ThreadIndex as Known;
use tangle_simulate::operation::{
    self, Atomic, AtomicOp, Barrier, Collective, CollectiveOp, Combination, Fence, Index, Lane, Mask, Math,
    Operation, Order, Ordering, Outside, Rounding, Size,
};

use super::row::{Argument, Builtin, BuiltinKind};

/// Each word of the key `operation`, with its operation on the first arguments of a call.
pub(super) static WORDS: LazyLock<Vec<(String, Operation)>> = LazyLock::new(words);

/// The combining operators of reductions and scans: `reduce-add`.
const COMBINATIONS: [(&str, Combination); 10] = [
    ("add", Combination::Add),
    ("mul", Combination::Mul),
    ("and", Combination::And),
    ("or", Combination::Or),
    ("xor", Combination::Xor),
    ("min", Combination::Min),
    ("max", Combination::Max),
    ("logical-and", Combination::LogicalAnd),
    ("logical-or", Combination::LogicalOr),
    ("logical-xor", Combination::LogicalXor),
];

/// The operations of atomics: `atomic-add`.
const ATOMICS: [(&str, AtomicOp); 15] = [
    ("load", AtomicOp::Load),
    ("store", AtomicOp::Store),
    ("exchange", AtomicOp::Exchange),
    ("compare-exchange", AtomicOp::CompareExchange),
    ("add", AtomicOp::Add),
    ("sub", AtomicOp::Sub),
    ("inc", AtomicOp::Increment),
    ("dec", AtomicOp::Decrement),
    ("inc-wrap", AtomicOp::IncrementUpTo),
    ("dec-wrap", AtomicOp::DecrementFrom),
    ("min", AtomicOp::Min),
    ("max", AtomicOp::Max),
    ("and", AtomicOp::And),
    ("or", AtomicOp::Or),
    ("xor", AtomicOp::Xor),
];

/// The scopes of atomics and fences: `atomic-add-workgroup`.
const SCOPES: [(&str, Scope); 3] =
    [("", Scope::Grid), ("-workgroup", Scope::Workgroup), ("-subgroup", Scope::Subgroup)];

fn words() -> Vec<(String, Operation)> {
    let collective = |op| Operation::Collective(Collective::of(op));
    let ordering = |op| Operation::Collective(Collective { orders_memory: true, ..Collective::of(op) });
    let shuffle = |from, outside| collective(CollectiveOp::Shuffle { from, by: 1, outside });
    let segments = Outside::Segments { size: 2 };
    let mut words: Vec<(String, Operation)> = [
        ("barrier", Operation::Barrier(Barrier::default())),
        ("all", collective(CollectiveOp::All)),
        ("any", collective(CollectiveOp::Any)),
        ("all-equal", collective(CollectiveOp::AllEqual)),
        ("match-any", collective(CollectiveOp::MatchAny)),
        ("match-all", collective(CollectiveOp::MatchAll)),
        ("barrier-count", ordering(CollectiveOp::Count)),
        ("barrier-and", ordering(CollectiveOp::Reduce(Combination::LogicalAnd))),
        ("barrier-or", ordering(CollectiveOp::Reduce(Combination::LogicalOr))),
        ("ballot", collective(CollectiveOp::Ballot)),
        ("active-mask", collective(CollectiveOp::Active)),
        ("elect", collective(CollectiveOp::Elect)),
        ("broadcast", collective(CollectiveOp::BroadcastLane)),
        ("broadcast-first", collective(CollectiveOp::BroadcastFirst)),
        ("broadcast-thread", collective(CollectiveOp::BroadcastThread)),
        ("shuffle", shuffle(Lane::Absolute, Outside::Undefined)),
        ("shuffle-xor", shuffle(Lane::Xor, Outside::Undefined)),
        ("shuffle-up", shuffle(Lane::Up, Outside::Undefined)),
        ("shuffle-down", shuffle(Lane::Down, Outside::Undefined)),
        ("rotate", shuffle(Lane::Rotate, Outside::Undefined)),
        ("segment-shuffle", shuffle(Lane::Absolute, segments)),
        ("segment-shuffle-xor", shuffle(Lane::Xor, segments)),
        ("segment-shuffle-up", shuffle(Lane::Up, segments)),
        ("segment-shuffle-down", shuffle(Lane::Down, segments)),
        ("ranked-shuffle", shuffle(Lane::Absolute, Outside::Ranked)),
        ("ranked-shuffle-up", shuffle(Lane::Up, Outside::Ranked)),
        ("ranked-shuffle-down", shuffle(Lane::Down, Outside::Ranked)),
        ("mask-eq", Operation::Mask(Mask::Equal)),
        ("mask-ge", Operation::Mask(Mask::GreaterOrEqual)),
        ("mask-gt", Operation::Mask(Mask::Greater)),
        ("mask-le", Operation::Mask(Mask::LessOrEqual)),
        ("mask-lt", Operation::Mask(Mask::Less)),
        ("inverse-ballot", Operation::Mask(Mask::Own)),
        ("ballot-bit-extract", Operation::Mask(Mask::Extract)),
        ("ballot-bit-count", Operation::Mask(Mask::Count)),
        ("ballot-inclusive-scan", Operation::Mask(Mask::InclusiveScan)),
        ("ballot-exclusive-scan", Operation::Mask(Mask::ExclusiveScan)),
        ("ballot-find-lsb", Operation::Mask(Mask::First)),
        ("ballot-find-msb", Operation::Mask(Mask::Last)),
        ("argument", Operation::Argument),
        ("load", Operation::Load),
        ("store", Operation::Store),
        ("copy-bytes", Operation::CopyBytes { overlapping: false }),
        ("move-bytes", Operation::CopyBytes { overlapping: true }),
        ("set-bytes", Operation::SetBytes),
        ("print", Operation::Print),
        ("nothing", Operation::Nothing),
        ("bits", Operation::Bits),
        ("vector", Operation::Vector),
        ("tile-lane", Operation::Index(Index::TileLane)),
        ("launch-rank", Operation::Index(Index::Launch)),
        ("group-rank", Operation::Index(Index::GroupLinear)),
        ("group-size", Operation::Size(Size::LocalLinear)),
        ("launch-size", Operation::Size(Size::Launch)),
        ("groups", Operation::Size(Size::GroupsLinear)),
        ("min", Operation::Math(Math::Min)),
        ("max", Operation::Math(Math::Max)),
        ("clamp", Operation::Math(Math::Clamp)),
        ("abs", Operation::Math(Math::Abs)),
        ("multiply", Operation::Math(Math::Multiply)),
        ("multiply-add", Operation::Math(Math::MultiplyAdd)),
        ("count-ones", Operation::Math(Math::CountOnes)),
        ("find-first", Operation::Math(Math::FindFirst)),
        ("leading-zeros", Operation::Math(Math::LeadingZeros)),
        ("reverse-bits", Operation::Math(Math::ReverseBits)),
    ]
    .map(|(word, operation)| (word.to_owned(), operation))
    .into();
    for (word, combination) in COMBINATIONS {
        let scan = |inclusive| collective(CollectiveOp::Scan { combination, inclusive });
        words.push((format!("reduce-{word}"), collective(CollectiveOp::Reduce(combination))));
        words.push((format!("scan-inclusive-{word}"), scan(true)));
        words.push((format!("scan-exclusive-{word}"), scan(false)));
    }
    for (suffix, scope) in SCOPES {
        let relaxed = Ordering::Fixed(Order { scope, ..Order::RELAXED });
        let strong = Ordering::Fixed(Order { scope, ..Order::STRONGEST });
        words.push((format!("fence{suffix}"), Operation::Fence(Fence { memories: None, ordering: strong })));
        for (word, op) in ATOMICS {
            let atomic = Atomic { op, ordering: relaxed, failure: relaxed };
            words.push((format!("atomic-{word}{suffix}"), Operation::Atomic(atomic)));
        }
    }
    words
}

/// The operation for a word, on the first arguments of a call.
pub(super) fn of_word(word: &str) -> Option<Operation> {
    WORDS.iter().find(|(known, _)| known == word).map(|&(_, operation)| operation)
}

/// The arguments that an operation of a row refers to. `value` is the argument with the value of each thread; further
/// arguments that the operation needs follow it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arguments {
    pub value: Option<Argument>,
    /// The argument with the mask of the participating threads.
    pub mask: Option<Argument>,
    /// The argument with the number of threads of a tile.
    pub tile: Option<Argument>,
}

/// Adapts an operation to a call with other argument positions.
pub(super) fn with_arguments(operation: Operation, arguments: Arguments) -> Operation {
    let number = |argument: Option<Argument>| argument.map(|Argument(number)| number);
    let (mask, tile) = (number(arguments.mask), number(arguments.tile));
    let collective = match operation {
        Operation::Barrier(barrier) => return Operation::Barrier(Barrier { tile, ..barrier }),
        Operation::Collective(collective) => collective,
        _ => return operation,
    };
    let value = number(arguments.value).unwrap_or_else(|| operation::Argument::from(mask == Some(0)));
    let op = match collective.op {
        CollectiveOp::Shuffle { from, outside, .. } => {
            let outside = match outside {
                Outside::Undefined | Outside::Ranked => outside,
                Outside::Segments { .. } => Outside::Segments { size: value.saturating_add(2) },
            };
            CollectiveOp::Shuffle { from, by: value.saturating_add(1), outside }
        }
        op => op,
    };
    Operation::Collective(Collective { op, value, mask, tile, ..collective })
}

/// The operation of a builtin: the one in its row, otherwise the operation of the OpenCL function with this name.
pub(super) fn of_row(name: &str, row: &Builtin) -> Operation {
    if let Some(operation) = row.operation() {
        return operation;
    }
    if let Some(operation) = of_group_function(name) {
        return operation;
    }
    let is_vector = !name.contains("half");
    match row.kind {
        Some(BuiltinKind::Id | BuiltinKind::Size) => of_index(row.index.as_deref().unwrap_or(name)),
        Some(BuiltinKind::Atomic) => of_atomic(name),
        Some(BuiltinKind::Load) if is_vector && name.starts_with("vload") => Operation::LoadVector,
        Some(BuiltinKind::Store) if is_vector && name.starts_with("vstore") => Operation::StoreVector,
        Some(BuiltinKind::Fence) => of_fence(name),
        Some(BuiltinKind::Barrier) => of_barrier(name),
        _ => of_computation(name),
    }
}

/// The builtins that return an index or a size of the launch, with their operation in executions and their index in the uniformity analysis.
const INDICES: [(&str, Operation, Option<Known>); 18] = [
    ("get_global_id", Operation::Index(Index::Global), Some(Known::Global)),
    ("get_local_id", Operation::Index(Index::Local), Some(Known::Local)),
    ("get_group_id", Operation::Index(Index::Group), None),
    ("get_global_offset", Operation::Index(Index::GlobalOffset), None),
    ("get_local_linear_id", Operation::Index(Index::LocalLinear), Some(Known::LocalLinear)),
    ("get_global_linear_id", Operation::Index(Index::GlobalLinear), None),
    ("get_sub_group_id", Operation::Index(Index::SubGroup), None),
    ("get_sub_group_local_id", Operation::Index(Index::Lane), Some(Known::Lane)),
    ("get_global_size", Operation::Size(Size::Global), Some(Known::GlobalSize)),
    ("get_local_size", Operation::Size(Size::Local), Some(Known::LocalSize)),
    // In executions all work-groups have the same size. On a device, the last one can be smaller than the enqueued size.
    ("get_enqueued_local_size", Operation::Size(Size::Local), None),
    // Only rows of CUDA and HIP use this name.
    ("get_local_linear_size", Operation::Size(Size::LocalLinear), Some(Known::LocalLinearSize)),
    ("get_num_groups", Operation::Size(Size::Groups), None),
    ("get_work_dim", Operation::Size(Size::Dimensions), None),
    ("get_sub_group_size", Operation::Size(Size::SubGroup), None),
    ("get_max_sub_group_size", Operation::Size(Size::MaxSubGroup), Some(Known::SubGroupSize)),
    ("get_num_sub_groups", Operation::Size(Size::SubGroups), None),
    ("get_enqueued_num_sub_groups", Operation::Size(Size::SubGroups), None),
];

fn of_index(name: &str) -> Operation {
    let known = INDICES.iter().find(|(known, ..)| *known == name);
    known.map_or(Operation::Other, |(_, operation, _)| *operation)
}

/// The index or size that a builtin returns, if the uniformity analysis has it. `name` is the name of the builtin.
pub fn thread_index(name: Symbol, row: &Builtin) -> Option<Known> {
    let name = row.index.as_deref().unwrap_or(name.as_str());
    INDICES.iter().find(|(known, ..)| *known == name).and_then(|(.., known)| *known)
}

/// `sub_group_scan_inclusive_add`, `sub_group_ballot_bit_count`, `get_sub_group_eq_mask`: the rest of the name is a
/// word.
fn of_group_function(name: &str) -> Option<Operation> {
    if let Some(relation) = name.strip_prefix("get_sub_group_").and_then(|rest| rest.strip_suffix("_mask")) {
        return of_word(&format!("mask-{relation}"));
    }
    let (group, rest) = ["work_group_", "sub_group_", "intel_sub_group_", "qcom_sub_group_"]
        .into_iter()
        .find_map(|group| Some((group, name.strip_prefix(group)?)))?;
    let rest = rest.strip_prefix("non_uniform_").unwrap_or(rest);
    match (group, rest) {
        ("work_group_", "broadcast") => of_word("broadcast-thread"),
        // The executor does not support the argument lists of these two.
        ("intel_sub_group_" | "qcom_sub_group_", "shuffle_up" | "shuffle_down") => {
            let op = CollectiveOp::Shuffle { from: Lane::Any, by: 1, outside: Outside::Undefined };
            Some(Operation::Collective(Collective::of(op)))
        }
        _ => of_word(&rest.replace('_', "-"))
            .filter(|operation| matches!(operation, Operation::Collective(_) | Operation::Mask(_))),
    }
}

/// `atomic_fetch_add_explicit`
fn of_atomic(name: &str) -> Operation {
    let plain = name.strip_suffix("_explicit");
    let rest = plain.unwrap_or(name);
    let rest = rest.strip_prefix("atomic_").or_else(|| rest.strip_prefix("atom_"));
    let op = match rest {
        Some("init") => AtomicOp::Init,
        Some("flag_clear") => AtomicOp::Clear,
        Some("flag_test_and_set") => AtomicOp::TestAndSet,
        Some("xchg") => AtomicOp::Exchange,
        Some("cmpxchg") => AtomicOp::CompareExchange,
        Some("compare_exchange_strong" | "compare_exchange_weak") => AtomicOp::Compare,
        Some(rest) => {
            let word = rest.strip_prefix("fetch_").unwrap_or(rest);
            ATOMICS.iter().find(|(known, _)| *known == word).map_or(AtomicOp::Other, |&(_, op)| op)
        }
        None => AtomicOp::Other,
    };
    let (ordering, failure) = match plain {
        Some(plain) => {
            let given = |order| Ordering::Arguments { order, scope: order + 1 };
            if plain.contains("compare_exchange") {
                (Ordering::Arguments { order: 3, scope: 5 }, given(4))
            } else if plain.ends_with("_load") || plain.contains("_flag_") {
                (given(1), given(1))
            } else {
                (given(2), given(2))
            }
        }
        None => {
            // The functions of OpenCL 1 are relaxed; the C11 functions have the strongest order.
            let is_new =
                ["_fetch_", "_load", "_store", "_exchange", "_flag_"].iter().any(|it| name.contains(it));
            let ordering = Ordering::Fixed(if is_new { Order::STRONGEST } else { Order::RELAXED });
            (ordering, ordering)
        }
    };
    Operation::Atomic(Atomic { op, ordering, failure })
}

/// `mem_fence`
fn of_fence(name: &str) -> Operation {
    let ordering = match name {
        "atomic_work_item_fence" => Ordering::Arguments { order: 1, scope: 2 },
        _ => Ordering::Fixed(Order {
            acquires: name != "write_mem_fence",
            releases: name != "read_mem_fence",
            scope: Scope::Workgroup,
        }),
    };
    Operation::Fence(Fence { memories: Some(0), ordering })
}

/// `work_group_barrier`. A barrier with another name orders all memory.
fn of_barrier(name: &str) -> Operation {
    Operation::Barrier(match name {
        "barrier"
        | "work_group_barrier"
        | "sub_group_barrier"
        | "intel_work_group_barrier_wait"
        | "intel_work_group_barrier_arrive" => Barrier { memories: Some(0), scope: Some(1), tile: None },
        "work_group_named_barrier" => Barrier { memories: Some(1), scope: Some(2), tile: None },
        _ => Barrier::default(),
    })
}

/// `convert_uchar_sat_rte`, `max`, `async_work_group_copy`
fn of_computation(name: &str) -> Operation {
    if let Some(how) = name.strip_prefix("convert_") {
        let rounding = match how {
            _ if how.ends_with("_rte") => Rounding::NearestEven,
            _ if how.ends_with("_rtp") => Rounding::Up,
            _ if how.ends_with("_rtn") => Rounding::Down,
            _ => Rounding::TowardZero,
        };
        return Operation::Convert { rounding, saturated: how.contains("_sat") };
    }
    match name {
        "min" => Operation::Math(Math::Min),
        "max" => Operation::Math(Math::Max),
        "clamp" => Operation::Math(Math::Clamp),
        "abs" => Operation::Math(Math::Abs),
        "mul24" => Operation::Math(Math::Multiply),
        "mad24" => Operation::Math(Math::MultiplyAdd),
        "popcount" => Operation::Math(Math::CountOnes),
        "wait_group_events" => Operation::AwaitCopies,
        "async_work_group_strided_copy" => Operation::AsyncCopy { strided: true },
        _ if name.starts_with("async_work_group_") => Operation::AsyncCopy { strided: false },
        _ => Operation::Other,
    }
}
