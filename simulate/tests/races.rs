//! Data races: unordered accesses, in whichever order the threads run.

use std::collections::BTreeSet;

use tangle_ir::flow::Module;
use tangle_ir::scope::Scope;
use tangle_ir::{Symbol, text};
use tangle_simulate::operation::{
    Argument, Atomic, AtomicOp, Barrier, Fence, Index, Operation, Order, Ordering,
};
use tangle_simulate::races::{AccessKind, Races};
use tangle_simulate::{Builtin, Language, Launch, Outcome, PartialArrival, Program, ResultUniformity};

struct OpenCl;

/// An atomic. `order` is the first argument of its order, followed by its scope.
fn atomic(op: AtomicOp, order: Option<Argument>) -> Operation {
    let ordering = order
        .map_or(Ordering::Fixed(Order::RELAXED), |order| Ordering::Arguments { order, scope: order + 1 });
    Operation::Atomic(Atomic { op, ordering, failure: ordering })
}

impl Language for OpenCl {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let barrier = Operation::Barrier(Barrier { memories: Some(0), scope: Some(1), tile: None });
        let by_flags = |ordering| Operation::Fence(Fence { memories: Some(0), ordering });
        let (operation, scope) = match name.as_str() {
            "get_local_id" => (Operation::Index(Index::Local), Scope::None),
            "get_global_id" => (Operation::Index(Index::Global), Scope::None),
            "barrier" | "work_group_barrier" => (barrier, Scope::Workgroup),
            "sub_group_barrier" => (barrier, Scope::Subgroup),
            "sub_group_shuffle" => (Operation::Other, Scope::Subgroup),
            "wait_group_events" => (Operation::AwaitCopies, Scope::Workgroup),
            "async_work_group_copy" => (Operation::AsyncCopy { strided: false }, Scope::Workgroup),
            "mem_fence" => {
                let order = Order { scope: Scope::Workgroup, ..Order::STRONGEST };
                (by_flags(Ordering::Fixed(order)), Scope::None)
            }
            "atomic_inc" => (atomic(AtomicOp::Increment, None), Scope::None),
            "atomic_add" => (atomic(AtomicOp::Add, None), Scope::None),
            "atomic_fetch_add_explicit" => (atomic(AtomicOp::Add, Some(2)), Scope::None),
            "atomic_store_explicit" => (atomic(AtomicOp::Store, Some(2)), Scope::None),
            "atomic_load_explicit" => (atomic(AtomicOp::Load, Some(1)), Scope::None),
            _ => return None,
        };
        let convergent = scope != Scope::None;
        Some(Builtin {
            operation,
            scope,
            convergent,
            gives: ResultUniformity::Divergent,
            partial: if scope == Scope::Workgroup { PartialArrival::Waits } else { PartialArrival::Executes },
            counts_returned: true,
            names: None,
        })
    }
}

fn launch() -> Launch {
    Launch { local_size: [8, 1, 1], races: true, ..Launch::default() }
}

/// The races in a kernel with a pointer `%p` to global and `%t` to `local` integers. `%l` is the index of the thread in
/// its group, and `%g` in the launch. `%mine` and `%next` are the addresses of the elements `l` and `l ^ 1` of `t`.
fn races_of(body: &str, launch: &Launch) -> Races {
    let kernel = format!(
        "function k(%p: global int *, %t: local int *) convergent kernel {{
entry:
  %e = entry
  %l = call int builtin get_local_id()
  %g = call int builtin get_global_id()
  %mine = element int %t, %l
  %m = xor %l, 1
  %next = element int %t, %m
{body}
}}
"
    );
    let function = text::read(&kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let module = Module { file: "k".to_owned(), functions: vec![function], globals: Vec::new() };
    let program = Program::new(&module, &OpenCl).unwrap();
    let run = program.run(0, launch, &mut ()).unwrap();
    assert_eq!(run.outcome, Outcome::Finished);
    run.races
}

/// Whether there is a race. Fails if this depends on the seed.
#[track_caller]
fn has_race(body: &str, launch: &Launch) -> bool {
    let has = |seed| !races_of(body, &Launch { seed, ..launch.clone() }).found.is_empty();
    let found: BTreeSet<bool> = (0..20).map(has).collect();
    assert_eq!(found.len(), 1, "the result depends on the order of the threads");
    found.contains(&true)
}

#[track_caller]
fn exchange(between: &str) -> bool {
    has_race(&format!("  store %l, %mine\n{between}  %x = load int %next\n  return"), &launch())
}

#[test]
fn barrier_orders_only_the_memory_in_its_flags() {
    assert!(exchange(""));
    assert!(!exchange("  call builtin barrier(uint 1) with %e\n"));
    assert!(exchange("  call builtin barrier(uint 2) with %e\n"));
    assert!(!exchange("  call builtin barrier(uint 3) with %e\n"));
    assert!(exchange("  call builtin barrier(uint 0) with %e\n"));
    // Threads `l` and `l ^ 1` are in one sub-group.
    assert!(!exchange("  call builtin sub_group_barrier(uint 1) with %e\n"));
    assert!(exchange("  call builtin sub_group_barrier(uint 2) with %e\n"));
    assert!(!exchange("  call builtin work_group_barrier(uint 1, uint 4) with %e\n"));
    // Communication does not order accesses.
    assert!(exchange("  %y = call int builtin sub_group_shuffle(%l, int 0) with %e\n"));
    // A fence without an atomic does not order accesses of different threads.
    assert!(exchange("  call builtin mem_fence(uint 1)\n"));
}

#[test]
fn sub_group_barrier_orders_only_its_own_threads() {
    let far = "  %f = xor %l, 4\n  %far = element int %t, %f\n";
    let with = |barrier: &str| {
        let body = format!(
            "{far}  store %l, %mine\n  call builtin {barrier} with %e\n  %x = load int %far\n  return"
        );
        has_race(&body, &launch())
    };
    assert!(with("sub_group_barrier(uint 1)"));
    // A barrier of the work-group orders only accesses of threads in its scope argument.
    assert!(with("work_group_barrier(uint 1, uint 4)"));
    assert!(!with("work_group_barrier(uint 1, uint 1)"));
}

#[test]
fn race_reports_its_threads_and_the_stored_offset() {
    let races = races_of("  store %l, %mine\n  %x = load int %next\n  return", &launch());
    let [race] = &races.found[..] else { panic!("{races:?}") };
    assert_eq!(race.first.thread ^ 1, race.second.thread);
    assert_ne!(race.first.stores, race.second.stores);
    let writer = if race.first.stores { &race.first } else { &race.second };
    assert_eq!(race.offset, 4 * writer.thread as u64);
    assert_eq!((writer.manner, races.cut, races.more), (AccessKind::Plain, false, 0));
}

#[test]
fn stores_of_equal_values_race_and_reads_do_not() {
    assert!(has_race("  store int 1, %p\n  return", &launch()));
    assert!(!has_race("  %x = load int %p\n  return", &launch()));
    // All threads read, and then thread 7 stores.
    let last = "  %x = load int %p\n  %7 = eq %l, 7\n  branch %7, if.then, if.end\nif.then:\n  store int 1, %p\n  jump if.end\nif.end:\n  return";
    assert!(has_race(last, &launch()));
    assert!(!has_race(last, &Launch { local_size: [4, 1, 1], ..launch() }));
}

#[test]
fn no_barrier_orders_different_work_groups() {
    let two = Launch { groups: 2, ..launch() };
    let own = "  %at = element int %p, %g\n  store int 1, %at\n  return";
    assert!(!has_race(own, &two));
    let same =
        "  %at = element int %p, %l\n  store int 1, %at\n  call builtin barrier(uint 2) with %e\n  return";
    assert!(has_race(same, &two));
    assert!(!has_race(same, &launch()));
    // Each group has its own `local` memory.
    assert!(!has_race("  store int 1, %mine\n  return", &two));
}

#[test]
fn only_accesses_to_overlapping_bytes_race() {
    let of = |step: &str| {
        let body = format!(
            "  %b = convert global uchar * %p\n  %i = mul %l, {step}\n  %at = element uchar %b, %i\n  \
             %short = convert global ushort * %at\n  store ushort 1, %short\n  return"
        );
        has_race(&body, &launch())
    };
    assert!(of("1"));
    assert!(!of("2"));
    assert!(!of("3"));
}

#[test]
fn atomics_do_not_race_with_each_other() {
    let inc = "  %a = call int builtin atomic_inc(%p)\n";
    let many = Launch { groups: 3, ..launch() };
    assert!(!has_race(&format!("{inc}  return"), &many));
    assert!(has_race(&format!("{inc}  %x = load int %p\n  return"), &many));
    // The older atomics do not order accesses, but a barrier does.
    let behind = format!("{inc}  call builtin barrier(uint 2) with %e\n  %x = load int %p\n  return");
    assert!(!has_race(&behind, &launch()));
    assert!(has_race(&behind, &many));
    // An atomic with work-group scope is not atomic for another group.
    let scoped = "  %a = call int builtin atomic_fetch_add_explicit(%p, int 1, uint 0, uint 1)\n  return";
    assert!(!has_race(scoped, &launch()));
    assert!(has_race(scoped, &many));
}

/// Thread 0 stores and raises a flag; thread 1 reads if it sees the flag. The seed decides which one runs first.
fn message(raise: &str, look: &str, local: bool) -> Races {
    let data = if local { "%t" } else { "%data" };
    let body = format!(
        "  %data = element int %p, int 1
  %first = eq %l, 0
  branch %first, if.then, if.else
if.then:
  store int 42, {data}
{raise}
  return
if.else:
{look}
  %seen = eq %flag, 77
  branch %seen, if.then.1, if.end
if.then.1:
  %x = load int {data}
  return
if.end:
  return"
    );
    let mut all = Races::default();
    for seed in 0..64 {
        let two = Launch { local_size: [2, 1, 1], seed, turn: 1, ..launch() };
        all.found.extend(races_of(&body, &two).found);
    }
    all
}

#[test]
fn atomics_order_accesses_by_memory_order_and_scope() {
    let store =
        |order: u32| format!("  call builtin atomic_store_explicit(%p, int 77, uint {order}, uint 1)");
    let load =
        |order: u32| format!("  %flag = call int builtin atomic_load_explicit(%p, uint {order}, uint 1)");
    let races = |raise: &str, look: &str, local: bool| !message(raise, look, local).found.is_empty();
    assert!(!races(&store(3), &load(2), false));
    assert!(races(&store(0), &load(2), false));
    assert!(races(&store(3), &load(0), false));
    assert!(!races(&store(5), &load(5), false));
    // The flag is in global memory, so it does not order `local` memory.
    assert!(races(&store(3), &load(2), true));
    // It does not order accesses of threads outside of its scope either.
    let narrow = store(3).replace("uint 3, uint 1", "uint 3, uint 0");
    assert!(races(&narrow, &load(2), false));
    // Fences around atomics without order.
    let fence = |flags: u32| format!("  call builtin mem_fence(uint {flags})\n");
    assert!(!races(&(fence(2) + &store(0)), &(load(0) + "\n" + &fence(2)), false));
    assert!(races(&(fence(1) + &store(0)), &(load(0) + "\n" + &fence(1)), false));
    assert!(races(&store(0), &(load(0) + "\n" + &fence(2)), false));
    assert!(!races(&(fence(3) + &store(0)), &(load(0) + "\n" + &fence(3)), true));
    // An update passes on the publication of the store.
    let look = load(2);
    let update = store(3) + "\n  %u = call int builtin atomic_add(%p, int 0)";
    assert!(!races(&update, &look, false));
    // A store does not.
    assert!(races(&(store(3) + "\n" + &store(0)), &look, false));
}

#[test]
fn async_group_copy_races_without_barrier_or_wait() {
    let copy = "  %event = call ulong builtin async_work_group_copy(%p, %t, uint 8, ulong 0) with %e\n";
    let of = |before: &str, behind: &str| has_race(&format!("{before}{copy}{behind}  return"), &launch());
    let store = "  store int 1, %mine\n";
    let barrier = "  call builtin barrier(uint 1) with %e\n";
    let wait = "  call builtin wait_group_events(%event) with %e\n";
    assert!(of(store, ""));
    assert!(!of(&(store.to_owned() + barrier), ""));
    assert!(of("", store));
    assert!(!of("", &(wait.to_owned() + store)));
    let read = "  %at = element int %p, %m\n  %x = load int %at\n";
    assert!(of("", read));
    assert!(!of("", &(wait.to_owned() + read)));
}

#[test]
fn race_detection_stops_at_its_memory_limit() {
    // Eight threads touch 400 KB each.
    let body = "  %q = mul %l, 100000\n  jump while.cond\nwhile.cond:\n  %i = phi int [entry: 0], [while.body: %j]\n  \
                %c = lt %i, 100000\n  branch %c, while.body, while.end\nwhile.body:\n  %k = add %q, %i\n  \
                %at = element int %p, %k\n  store %i, %at\n  %j = add %i, 1\n  jump while.cond\nwhile.end:\n  return";
    let large = tangle_simulate::Argument::Random { bytes: 3_200_000 };
    let roomy = Launch { arguments: vec![large], ..launch() };
    assert!(!races_of(body, &roomy).cut);
    assert!(races_of(body, &Launch { memory: 8 << 20, ..roomy }).cut);
}
