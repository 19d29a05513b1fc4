//! What calls order: fences, barriers, and atomics with an order, by their names and arguments (OpenCL C 3.0, 6.15.8 and 6.15.12).

use tangle_ir::scope::Scope;

use crate::value::Val;

/// `local` memory and global memory are ordered apart: for each of them, whether it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memories(pub [bool; 2]);

/// Local memory in lists of two.
pub const LOCAL: usize = 0;
/// Global memory in lists of two.
pub const GLOBAL: usize = 1;

/// What an atomic or a fence does beside its own access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// What was published to it comes before what follows.
    pub acquires: bool,
    /// What was done before is published by it.
    pub releases: bool,
    /// Only threads of this scope take notice.
    pub scope: Scope,
}

impl Order {
    /// By the numbers of `memory_order` and `memory_scope`; what is not given is as strong as can be.
    fn of(order: Option<&Val>, scope: Option<&Val>) -> Order {
        let order = order.and_then(Val::as_int);
        Order {
            acquires: !matches!(order, Some(0 | 3)),
            releases: !matches!(order, Some(0 | 2)),
            scope: scope_of(scope).unwrap_or(Scope::Grid),
        }
    }

    const RELAXED: Order = Order { acquires: false, releases: false, scope: Scope::Grid };
}

fn scope_of(scope: Option<&Val>) -> Option<Scope> {
    match scope?.as_int()? {
        0 => Some(Scope::None),
        1 => Some(Scope::Workgroup),
        4 => Some(Scope::Subgroup),
        _ => Some(Scope::Grid),
    }
}

/// By `CLK_LOCAL_MEM_FENCE` and `CLK_GLOBAL_MEM_FENCE`; flags that are not known name both.
fn memories(flags: Option<&Val>) -> Memories {
    let flags = flags.and_then(Val::as_int).unwrap_or(3);
    Memories([flags & 1 != 0, flags & 2 != 0])
}

/// The order of an atomic. Of a compare and exchange: that of a success, and of a failure.
pub fn atomic(name: &str, arguments: &[Val]) -> (Order, Order) {
    let given = |order: usize, scope: usize| Order::of(arguments.get(order), arguments.get(scope));
    let Some(plain) = name.strip_suffix("_explicit") else {
        // The functions of OpenCL 1 have no order; those of C11 have the strongest.
        let is_new = ["_fetch_", "_load", "_store", "_exchange", "_flag_"].iter().any(|it| name.contains(it));
        let order = if is_new { Order::of(None, None) } else { Order::RELAXED };
        return (order, order);
    };
    if plain.contains("compare_exchange") {
        return (given(3, 5), given(4, 5));
    }
    let at = if plain.ends_with("_load") || plain.contains("_flag_") { 1 } else { 2 };
    (given(at, at + 1), given(at, at + 1))
}

/// What a fence orders.
pub fn fence(name: &str, arguments: &[Val]) -> (Memories, Order) {
    let order = match name {
        "atomic_work_item_fence" => Order::of(arguments.get(1), arguments.get(2)),
        _ => Order {
            acquires: name != "write_mem_fence",
            releases: name != "read_mem_fence",
            scope: Scope::Workgroup,
        },
    };
    (memories(arguments.first()), order)
}

/// What a barrier orders, and for whom: its own scope, if no other is given. A barrier that is not of OpenCL orders all memory.
pub fn barrier(name: &str, arguments: &[Val], own: Scope) -> (Memories, Scope) {
    match name {
        "barrier"
        | "work_group_barrier"
        | "sub_group_barrier"
        | "intel_work_group_barrier_wait"
        | "intel_work_group_barrier_arrive" => {
            (memories(arguments.first()), scope_of(arguments.get(1)).unwrap_or(own))
        }
        "work_group_named_barrier" => (memories(arguments.get(1)), scope_of(arguments.get(2)).unwrap_or(own)),
        _ => (Memories([true; 2]), own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_what_the_names_and_numbers_say() {
        let order = |acquires, releases, scope| Order { acquires, releases, scope };
        let numbers = |all: &[i128]| -> Vec<Val> { all.iter().map(|&it| Val::Int(it)).collect() };
        let of = |name: &str, arguments: &[i128]| atomic(name, &numbers(arguments));
        let strong = order(true, true, Scope::Grid);
        assert_eq!(of("atomic_inc", &[0]).0, Order::RELAXED);
        assert_eq!(of("atom_cmpxchg", &[0, 1, 2]).0, Order::RELAXED);
        assert_eq!(of("atomic_fetch_add", &[0, 1]).0, strong);
        assert_eq!(of("atomic_store_explicit", &[0, 1, 3, 1]).0, order(false, true, Scope::Workgroup));
        assert_eq!(of("atomic_load_explicit", &[0, 2]).0, order(true, false, Scope::Grid));
        assert_eq!(of("atomic_flag_clear_explicit", &[0, 3, 4]).0, order(false, true, Scope::Subgroup));
        let exchange = of("atomic_compare_exchange_strong_explicit", &[0, 1, 2, 4, 0, 2]);
        assert_eq!(exchange, (strong, Order::RELAXED));
        assert_eq!(
            fence("mem_fence", &numbers(&[1])),
            (Memories([true, false]), order(true, true, Scope::Workgroup))
        );
        assert_eq!(fence("read_mem_fence", &numbers(&[2])).1, order(true, false, Scope::Workgroup));
        assert_eq!(fence("atomic_work_item_fence", &numbers(&[3, 3, 2])).1, order(false, true, Scope::Grid));
        assert_eq!(
            barrier("barrier", &numbers(&[2]), Scope::Workgroup),
            (Memories([false, true]), Scope::Workgroup)
        );
        assert_eq!(barrier("barrier", &numbers(&[0]), Scope::Workgroup).0, Memories([false, false]));
        assert_eq!(barrier("work_group_barrier", &numbers(&[1, 2]), Scope::Workgroup).1, Scope::Grid);
    }
}
