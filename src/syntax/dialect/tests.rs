//! Checks of the tables of the languages. Numbers come from the programming guides and headers that the tables cite.

use tangle_simulate::Language as _;
use tangle_simulate::operation::{
    Atomic, AtomicOp, Barrier, Collective, CollectiveOp, Combination, Fence, Lane, Mask, Math, Order,
    Ordering, Outside, Rounding, Size,
};
use tangle_simulate::operation::{Index, Operation};

use super::row::Argument;
use super::*;

fn row(dialect: Dialect, name: &str) -> &'static Builtin {
    let row = dialect.builtins().get(Symbol::intern(name));
    row.unwrap_or_else(|| panic!("{dialect:?} has no row for {name}"))
}

fn scope(dialect: Dialect, name: &str) -> Option<Group> {
    let row = row(dialect, name);
    row.convergent.then_some(row.group)
}

#[test]
fn every_row_has_a_kind_a_result_and_a_doc() {
    for dialect in [opencl(), cuda(), hip()] {
        for row in dialect.builtins().rows() {
            let kind = row.kind.unwrap_or_else(|| panic!("{:?} has no kind", row.name));
            assert!(row.result.is_some(), "{:?} has no result", row.name);
            assert!(row.doc.is_some(), "{:?} has no `doc`", row.name);
            assert!(
                row.takes_lock.is_none() && !row.keeps_lock || kind == BuiltinKind::Atomic,
                "{:?}",
                row.name
            );
            assert!(
                row.partial.is_none() || row.convergent && row.scope == Scope::Subgroup,
                "{:?}",
                row.name
            );
            assert!(row.waits || row.convergent, "{:?} is not convergent: no `waits = false`", row.name);
            assert!(row.gives.is_none() || kind == BuiltinKind::Group, "{:?}", row.name);
            if let Some(index) = &row.index {
                assert!(matches!(kind, BuiltinKind::Id | BuiltinKind::Size), "{:?}", row.name);
                assert!(dialect.builtins().get(Symbol::intern(index)).is_some(), "{:?}", row.name);
            }
        }
    }
}

#[test]
fn row_names_have_only_allowed_characters() {
    for dialect in [opencl(), cuda(), hip()] {
        for row in dialect.builtins().rows() {
            let (Name::Exact(name) | Name::Pattern(name)) = &row.name;
            // Names of instructions and registers have further characters (`assembly.rs`).
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_:*+-.%, ".contains(c);
            assert!(!name.is_empty() && name.chars().all(is_of_name), "{name}");
        }
    }
}

#[test]
fn every_cooperative_group_type_has_a_sync() {
    for dialect in [cuda(), hip()] {
        for row in dialect.builtins().rows() {
            let Some(ty) = row.gives.as_ref().filter(|ty| ty.starts_with("cooperative_groups::")) else {
                continue;
            };
            assert!(self::row(dialect, &format!("{ty}::sync")).convergent, "{ty}");
        }
    }
}

#[test]
fn builtins_have_the_expected_scope() {
    for dialect in [cuda(), hip()] {
        for (name, expected) in [
            ("__syncthreads", Some(Group::Workgroup)),
            ("__syncthreads_count", Some(Group::Workgroup)),
            ("__shfl_down_sync", Some(Group::Subgroup)),
            ("__shfl_xor", Some(Group::Subgroup)),
            ("__ballot", Some(Group::Subgroup)),
            ("__activemask", Some(Group::Subgroup)),
            ("cooperative_groups::thread_block::sync", Some(Group::Workgroup)),
            ("cooperative_groups::grid_group::sync", Some(Group::Grid)),
            ("cooperative_groups::thread_block_tile::shfl_down", Some(Group::Tile)),
            ("cooperative_groups::coalesced_threads", Some(Group::Subgroup)),
            ("cooperative_groups::this_thread_block", None),
            ("__threadfence_block", None),
            ("atomicAdd", None),
            ("atomicCAS_system", None),
            ("tex2D", None),
            ("__popc", None),
            ("sqrtf", None),
            ("make_float4", None),
        ] {
            assert_eq!(scope(dialect, name), expected, "{dialect:?} {name}");
        }
    }
    assert_eq!(scope(cuda(), "cub::BlockReduce::Sum"), Some(Group::Workgroup));
    assert_eq!(scope(hip(), "hipcub::WarpScan::ExclusiveSum"), Some(Group::Subgroup));
    assert_eq!(scope(cuda(), "nvcuda::wmma::mma_sync"), Some(Group::Subgroup));
    assert_eq!(scope(cuda(), "cooperative_groups::cluster_group::sync"), Some(Group::Cluster));
    assert_eq!(row(cuda(), "cooperative_groups::cluster_group::sync").scope, Scope::Cluster);
    assert_eq!(scope(hip(), "rocprim::block_scan::inclusive_scan"), Some(Group::Workgroup));
    // The barrier counts arrivals of any threads, so the threads need not arrive together.
    assert_eq!(scope(cuda(), "cuda::barrier::arrive_and_wait"), None);
    assert_eq!(row(cuda(), "cuda::barrier::arrive_and_wait").left, ExitedThreads::Counted);
}

#[test]
fn languages_differ_on_exited_threads_and_masks() {
    let of = |dialect, name| (row(dialect, name).left, row(dialect, name).meets);
    assert_eq!(of(opencl(), "barrier"), (ExitedThreads::Counted, MeetingPoint::Here));
    assert_eq!(of(cuda(), "__syncthreads"), (ExitedThreads::Uncounted, MeetingPoint::Here));
    assert_eq!(of(hip(), "__syncthreads"), (ExitedThreads::Warned, MeetingPoint::Here));
    assert_eq!(of(cuda(), "__shfl_sync"), (ExitedThreads::Uncounted, MeetingPoint::Anywhere));
    assert_eq!(of(hip(), "__shfl_sync"), (ExitedThreads::Warned, MeetingPoint::Here));
    assert_eq!(of(cuda(), "__barrier_sync_count"), (ExitedThreads::Counted, MeetingPoint::Anywhere));
    for name in
        ["__shfl_sync", "__any_sync", "__ballot_sync", "__match_any_sync", "__reduce_add_sync", "__syncwarp"]
    {
        assert_eq!(row(cuda(), name).mask, Some(Argument(0)), "{name}");
        assert_eq!(row(hip(), name).mask, Some(Argument(0)), "{name}");
    }
    assert!(row(cuda(), "__shfl").deprecated.is_some());
    assert!(row(hip(), "__shfl").deprecated.is_none());
}

#[test]
fn operations_that_take_a_mask_are_masked() {
    for dialect in [cuda(), hip()] {
        for row in dialect.builtins().rows() {
            assert!(row.masked || row.mask.is_none(), "{:?}", row.name);
            assert!(row.convergent || !row.masked, "{:?}", row.name);
        }
        for name in ["__shfl_up_sync", "__all_sync", "__match_all_sync", "__reduce_or_sync", "__syncwarp"] {
            assert!(row(dialect, name).masked, "{dialect:?} {name}");
        }
        for name in ["__shfl_up", "__all", "__ballot", "__activemask", "__syncthreads"] {
            assert!(!row(dialect, name).masked, "{dialect:?} {name}");
        }
        assert!(!row(dialect, "cooperative_groups::thread_block_tile::shfl_down").masked, "{dialect:?}");
    }
    for (name, expected) in [
        ("shfl.sync.down.b32 a, b, c, d, e", true),
        ("vote.sync.ballot.b32 a, b, c", true),
        ("match.all.sync.b32 a, b, c", true),
        ("redux.sync.add.s32 a, b, c", true),
        ("bar.warp.sync a", true),
        ("elect.sync a, b", true),
        ("bar.sync a", false),
        ("activemask.b32 a", false),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 a, b, c, d", false),
        ("__nvvm_shfl_sync_down_i32", true),
        ("__nvvm_vote_any_sync", true),
        ("__nvvm_redux_sync_add", true),
        ("__nvvm_bar_warp_sync", true),
        ("__nvvm_shfl_down_i32", false),
        ("__nvvm_bar_sync", false),
    ] {
        assert_eq!(row(cuda(), name).masked, expected, "{name}");
    }
}

#[test]
fn cuda_masks_suffice_from_sm_70_on() {
    let masks = cuda().masks().unwrap();
    assert_eq!((&*masks.architecture, masks.since, &*masks.name), ("__CUDA_ARCH__", 700, "sm_70"));
    assert!(cuda().predefined().contains("#define __CUDA_ARCH__ 800\n"));
    assert!(hip().masks().is_none() && opencl().masks().is_none());
}

#[test]
fn vendor_builtins_are_in_the_expected_languages() {
    let amd = Symbol::intern("__builtin_amdgcn_readfirstlane");
    let nvidia = Symbol::intern("__nvvm_bar_warp_sync");
    let has = |dialect: Dialect| [amd, nvidia].map(|name| dialect.builtins().get(name).is_some());
    assert_eq!(has(opencl()), [true, true]);
    assert_eq!(has(cuda()), [false, true]);
    assert_eq!(has(hip()), [true, false]);
}

#[test]
fn index_variables_map_to_index_functions() {
    let index = |dialect: Dialect, variable: &str, field: Option<&str>| {
        let index = dialect.index(Symbol::intern(variable), field.map(Symbol::intern))?;
        Some((index.function.to_string(), index.dimension))
    };
    for dialect in [cuda(), hip()] {
        let of = |variable, field| index(dialect, variable, field);
        assert_eq!(of("threadIdx", Some("x")), Some(("get_local_id".to_owned(), Some(0))));
        assert_eq!(of("gridDim", Some("z")), Some(("get_num_groups".to_owned(), Some(2))));
        assert_eq!(of("warpSize", None), Some(("get_max_sub_group_size".to_owned(), None)));
        assert_eq!(of("threadIdx", None), None);
        assert_eq!(of("threadIdx", Some("w")), None);
        assert!(dialect.is_own_name(Symbol::intern("blockDim")));
    }
    assert_eq!(index(hip(), "hipBlockIdx_y", None), Some(("get_group_id".to_owned(), Some(1))));
    assert_eq!(index(cuda(), "hipBlockIdx_y", None), None);
    assert_eq!(index(opencl(), "threadIdx", Some("x")), None);
}

#[test]
fn cuda_vector_types_have_their_element_types() {
    let ty = |name| cuda().types().get(Symbol::intern(name));
    assert_eq!(ty("float4"), Some(Ty::vector_of(tangle_ir::types::VectorAbi::Cuda, ty("float").unwrap(), 4)));
    assert_eq!(ty("dim3"), ty("uint3"));
    assert_eq!(ty("ulonglong2"), ty("ulong2"));
    assert_eq!(ty("float1"), ty("float"));
    assert_eq!(ty("float8"), None);
}

#[test]
fn builtins_have_the_expected_number_of_overloads() {
    let overloads = |dialect: Dialect, name| {
        dialect.signatures().of(Symbol::intern(name)).map_or(0, |overloads| overloads.functions.len())
    };
    // Eight types, with and without a width.
    assert_eq!(overloads(cuda(), "__shfl_down_sync"), 16);
    assert_eq!(overloads(hip(), "__shfl_down"), 16);
    assert_eq!(overloads(cuda(), "atomicAdd_block"), 5);
    assert_eq!(overloads(cuda(), "__match_any"), 0);
}

#[test]
fn earlier_table_takes_precedence() {
    let rows = |text: &str| toml::from_str::<super::builtins::Table>(text).unwrap().builtin;
    let own = rows("[[builtin]]\nname = 'f_[a|b]'\nscope = 'workgroup'\n");
    let shared = rows(
        "[[builtin]]\nname = 'f_[b|c]'\nscope = 'subgroup'\ntakes-lock = 1\n\
         [[builtin]]\npattern = 'f_*'\nscope = 'grid'\n",
    );
    let table = Builtins::of(own).extended_with(Builtins::of(shared));
    let scope = |name| table.get(Symbol::intern(name)).map(|row| row.group);
    assert_eq!(scope("f_b"), Some(Group::Workgroup));
    assert_eq!(scope("f_c"), Some(Group::Subgroup));
    assert_eq!(scope("f_d"), Some(Group::Grid));
    assert_eq!(table.locks().collect::<Vec<_>>(), [Symbol::intern("f_c")]);
}

/// The operation that an execution performs at a call of a builtin.
fn operation(dialect: Dialect, name: &str) -> Operation {
    let builtin = dialect.builtins().builtin(Symbol::intern(name));
    builtin.unwrap_or_else(|| panic!("{dialect:?} has no row for {name}")).operation
}

fn collective(op: CollectiveOp, value: u16, mask: Option<u16>) -> Operation {
    Operation::Collective(Collective { value, mask, ..Collective::of(op) })
}

fn atomic(op: AtomicOp, order: Order) -> Operation {
    let ordering = Ordering::Fixed(order);
    Operation::Atomic(Atomic { op, ordering, failure: ordering })
}

#[test]
fn opencl_builtins_have_the_expected_operations() {
    let given = |order, scope| Ordering::Arguments { order, scope };
    let workgroup =
        |acquires, releases| Ordering::Fixed(Order { acquires, releases, scope: Scope::Workgroup });
    let shuffle =
        |from| collective(CollectiveOp::Shuffle { from, by: 1, outside: Outside::Undefined }, 0, None);
    let explicit = |op, ordering, failure| Operation::Atomic(Atomic { op, ordering, failure });
    let scan = |combination, inclusive| collective(CollectiveOp::Scan { combination, inclusive }, 0, None);
    let fence = |ordering| Operation::Fence(Fence { memories: Some(0), ordering });
    let barrier = |memories, scope| Operation::Barrier(Barrier { memories, scope, tile: None });
    let convert = |rounding, saturated| Operation::Convert { rounding, saturated };
    for (name, expected) in [
        ("get_global_id", Operation::Index(Index::Global)),
        ("get_sub_group_local_id", Operation::Index(Index::Lane)),
        ("get_enqueued_local_size", Operation::Size(Size::Local)),
        ("get_image_width", Operation::Other),
        ("atomic_inc", atomic(AtomicOp::Increment, Order::RELAXED)),
        ("atom_cmpxchg", atomic(AtomicOp::CompareExchange, Order::RELAXED)),
        ("atomic_fetch_add", atomic(AtomicOp::Add, Order::STRONGEST)),
        ("atomic_new", atomic(AtomicOp::Other, Order::RELAXED)),
        ("atomic_store_explicit", explicit(AtomicOp::Store, given(2, 3), given(2, 3))),
        ("atomic_load_explicit", explicit(AtomicOp::Load, given(1, 2), given(1, 2))),
        ("atomic_flag_clear_explicit", explicit(AtomicOp::Clear, given(1, 2), given(1, 2))),
        ("atomic_compare_exchange_weak_explicit", explicit(AtomicOp::Compare, given(3, 5), given(4, 5))),
        ("vload4", Operation::LoadVector),
        ("vload_half4", Operation::Other),
        ("vstore3", Operation::StoreVector),
        ("mem_fence", fence(workgroup(true, true))),
        ("read_mem_fence", fence(workgroup(true, false))),
        ("write_mem_fence", fence(workgroup(false, true))),
        ("atomic_work_item_fence", fence(given(1, 2))),
        ("sub_group_barrier", barrier(Some(0), Some(1))),
        ("work_group_named_barrier", barrier(Some(1), Some(2))),
        ("named_barrier_init", barrier(None, None)),
        ("async_work_group_copy", Operation::AsyncCopy { strided: false }),
        ("async_work_group_strided_copy", Operation::AsyncCopy { strided: true }),
        ("wait_group_events", Operation::AwaitCopies),
        ("work_group_broadcast", collective(CollectiveOp::BroadcastThread, 0, None)),
        ("sub_group_non_uniform_broadcast", collective(CollectiveOp::BroadcastLane, 0, None)),
        ("sub_group_non_uniform_all_equal", collective(CollectiveOp::AllEqual, 0, None)),
        ("work_group_reduce_add", collective(CollectiveOp::Reduce(Combination::Add), 0, None)),
        ("sub_group_scan_inclusive_max", scan(Combination::Max, true)),
        ("sub_group_non_uniform_scan_exclusive_logical_xor", scan(Combination::LogicalXor, false)),
        ("sub_group_clustered_reduce_add", Operation::Other),
        ("sub_group_shuffle", shuffle(Lane::Absolute)),
        ("intel_sub_group_shuffle_xor", shuffle(Lane::Xor)),
        ("intel_sub_group_shuffle_up", shuffle(Lane::Any)),
        ("sub_group_shuffle_up", shuffle(Lane::Up)),
        ("sub_group_ballot", collective(CollectiveOp::Ballot, 0, None)),
        ("sub_group_ballot_bit_count", Operation::Mask(Mask::Count)),
        ("sub_group_inverse_ballot", Operation::Mask(Mask::Own)),
        ("get_sub_group_gt_mask", Operation::Mask(Mask::Greater)),
        ("popcount", Operation::Math(Math::CountOnes)),
        ("sqrt", Operation::Other),
        ("convert_int4_rte", convert(Rounding::NearestEven, false)),
        ("convert_uchar_sat", convert(Rounding::TowardZero, true)),
        ("convert_short_sat_rtn", convert(Rounding::Down, true)),
    ] {
        assert_eq!(operation(opencl(), name), expected, "{name}");
    }
}

#[test]
fn cuda_and_hip_builtins_have_the_expected_operations() {
    let shuffle = |from, value, mask| {
        let outside = Outside::Segments { size: value + 2 };
        collective(CollectiveOp::Shuffle { from, by: value + 1, outside }, value, mask)
    };
    let ranked =
        |from| collective(CollectiveOp::Shuffle { from, by: 1, outside: Outside::Ranked }, 0, Some(2));
    let workgroup = Scope::Workgroup;
    let fence = |scope| {
        Operation::Fence(Fence {
            memories: None,
            ordering: Ordering::Fixed(Order { scope, ..Order::STRONGEST }),
        })
    };
    for dialect in [cuda(), hip()] {
        for (name, expected) in [
            ("__syncthreads", Operation::Barrier(Barrier::default())),
            ("__syncwarp", Operation::Barrier(Barrier::default())),
            ("__shfl_sync", shuffle(Lane::Absolute, 1, Some(0))),
            ("__shfl_xor_sync", shuffle(Lane::Xor, 1, Some(0))),
            ("__shfl_up_sync", shuffle(Lane::Up, 1, Some(0))),
            ("__shfl_down_sync", shuffle(Lane::Down, 1, Some(0))),
            ("__shfl_down", shuffle(Lane::Down, 0, None)),
            ("cooperative_groups::coalesced_group::shfl", ranked(Lane::Absolute)),
            ("cooperative_groups::coalesced_group::shfl_up", ranked(Lane::Up)),
            ("cooperative_groups::coalesced_group::shfl_down", ranked(Lane::Down)),
            ("__ballot_sync", collective(CollectiveOp::Ballot, 1, Some(0))),
            ("__ballot", collective(CollectiveOp::Ballot, 0, None)),
            ("__any_sync", collective(CollectiveOp::Any, 1, Some(0))),
            ("__all_sync", collective(CollectiveOp::All, 1, Some(0))),
            ("__all", collective(CollectiveOp::All, 0, None)),
            ("__activemask", collective(CollectiveOp::Active, 0, None)),
            ("__reduce_max_sync", collective(CollectiveOp::Reduce(Combination::Max), 1, Some(0))),
            ("atomicAdd", atomic(AtomicOp::Add, Order::RELAXED)),
            ("atomicSub_system", atomic(AtomicOp::Sub, Order::RELAXED)),
            ("atomicMin_block", atomic(AtomicOp::Min, Order { scope: workgroup, ..Order::RELAXED })),
            ("atomicXor", atomic(AtomicOp::Xor, Order::RELAXED)),
            ("atomicInc", atomic(AtomicOp::IncrementUpTo, Order::RELAXED)),
            ("atomicDec", atomic(AtomicOp::DecrementFrom, Order::RELAXED)),
            ("atomicExch", atomic(AtomicOp::Exchange, Order::RELAXED)),
            ("atomicCAS", atomic(AtomicOp::CompareExchange, Order::RELAXED)),
            ("__threadfence", fence(Scope::Grid)),
            ("__threadfence_block", fence(workgroup)),
            ("__popcll", Operation::Math(Math::CountOnes)),
            ("__ffs", Operation::Math(Math::FindFirst)),
            ("min", Operation::Math(Math::Min)),
            ("ullmax", Operation::Math(Math::Max)),
            ("abs", Operation::Math(Math::Abs)),
        ] {
            assert_eq!(operation(dialect, name), expected, "{dialect:?} {name}");
        }
        // The fields of `threadIdx` and of similar variables.
        for (variable, expected) in [
            ("threadIdx", Operation::Index(Index::Local)),
            ("blockIdx", Operation::Index(Index::Group)),
            ("blockDim", Operation::Size(Size::Local)),
            ("gridDim", Operation::Size(Size::Groups)),
        ] {
            let index = dialect.index(Symbol::intern(variable), Some(Symbol::intern("x"))).unwrap();
            assert_eq!(operation(dialect, index.function.as_str()), expected, "{dialect:?} {variable}");
        }
    }
}

#[test]
fn rows_with_an_operation_are_consistent_with_it() {
    for dialect in [opencl(), cuda(), hip()] {
        for row in dialect.builtins().rows() {
            let Some(operation) = row.operation() else { continue };
            let (Name::Exact(name) | Name::Pattern(name)) = &row.name;
            assert_eq!(row.operations.len(), 1, "{name}");
            assert_ne!(operation, Operation::Other, "{name}");
            let is_together = matches!(operation, Operation::Collective(_) | Operation::Barrier(_));
            assert_eq!(row.convergent && row.scope != Scope::None, is_together, "{name}");
            if let Operation::Collective(collective) = operation {
                assert_eq!(collective.mask, row.mask.map(|Argument(mask)| mask), "{name}");
                assert_ne!(Some(collective.value), collective.mask, "{name}");
            }
            if let Operation::Atomic(_) | Operation::Fence(_) = operation {
                assert!(matches!(row.kind, Some(BuiltinKind::Atomic | BuiltinKind::Fence)), "{name}");
            }
        }
    }
}

#[test]
fn operation_names_are_distinct_and_checked() {
    let words: std::collections::BTreeSet<&str> = effects::WORDS.iter().map(|(word, _)| &**word).collect();
    assert_eq!(words.len(), effects::WORDS.len());
    let table = |row: &str| {
        let text = format!("[[builtin]]\nscope = 'subgroup'\n{row}");
        toml::from_str::<super::builtins::Table>(&text).map(|table| Builtins::of(table.builtin))
    };
    let several = table("name = 'f_[a|b]'\noperation = 'reduce-[add|mul]'\nmask = 0\n").unwrap();
    let operation = |table: &Builtins, name| table.builtin(Symbol::intern(name)).unwrap().operation;
    let reduce = |combination| collective(CollectiveOp::Reduce(combination), 1, Some(0));
    assert_eq!(operation(&several, "f_a"), reduce(Combination::Add));
    assert_eq!(operation(&several, "f_b"), reduce(Combination::Mul));
    let one = table("name = 'f_[a|b]'\noperation = 'elect'\n").unwrap();
    assert_eq!(operation(&one, "f_b"), collective(CollectiveOp::Elect, 0, None));
    let message = |row: &str| table(row).unwrap_err().message().to_owned();
    assert_eq!(
        message("name = 'f'\noperation = 'shufle-xor'\n"),
        "unknown operation `shufle-xor`; did you mean `shuffle-xor`?"
    );
    assert_eq!(
        message("name = 'f_[a|b|c]'\noperation = 'reduce-[add|mul]'\n"),
        "this builtin has 2 operations for 3 names: give one, or one for each"
    );
}

#[test]
fn error_in_a_json_table_has_its_place() {
    let source = |builtins| DialectTexts {
        language: "title = \"L\"\n[keywords]\n[types]\nscalars = []\n",
        predefined: "",
        builtins,
        signatures: "",
    };
    let error = Dialect::define(source(&["{\n  \"builtin\": [{ \"name\": \"f\", \"surprise\": 1 }]\n}"]))
        .unwrap_err();
    assert_eq!((error.text, error.place.line), ("builtins", 2), "{error}");
    assert!(error.message.contains("surprise"), "{error}");
    let error = Dialect::define(source(&["{"])).unwrap_err();
    assert_eq!((error.place.line, error.place.column), (1, 1), "{error}");
}
