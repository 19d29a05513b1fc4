//! Computes how fences, barriers and atomics order accesses, from their arguments (OpenCL C 3.0, 6.15.8 and 6.15.12).

use tangle_ir::scope::Scope;

use crate::operation::{Argument, Barrier, Fence, Order, Ordering};
use crate::value::Value;

/// Whether `local` memory and global memory are ordered. The two are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memories(pub [bool; 2]);

/// The index of local memory in arrays of both memories.
pub const LOCAL: usize = 0;
/// The index of global memory in arrays of both memories.
pub const GLOBAL: usize = 1;

/// The order of an atomic or a fence in a call with these arguments.
pub fn order(ordering: Ordering, arguments: &[Value]) -> Order {
    let (order, scope) = match ordering {
        Ordering::Fixed(order) => return order,
        Ordering::Arguments { order, scope } => (given(order, arguments), given(scope, arguments)),
    };
    let order = order.and_then(Value::as_int);
    Order {
        acquires: !matches!(order, Some(0 | 3)),
        releases: !matches!(order, Some(0 | 2)),
        scope: scope_of(scope).unwrap_or(Scope::Grid),
    }
}

fn given(argument: Argument, arguments: &[Value]) -> Option<&Value> {
    arguments.get(usize::from(argument))
}

fn scope_of(scope: Option<&Value>) -> Option<Scope> {
    match scope?.as_int()? {
        0 => Some(Scope::None),
        1 => Some(Scope::Workgroup),
        4 => Some(Scope::Subgroup),
        _ => Some(Scope::Grid),
    }
}

/// The memory that the flags of a call name. Both memories if the flags are unknown.
fn memories(argument: Option<Argument>, arguments: &[Value]) -> Memories {
    let flags = argument.and_then(|argument| given(argument, arguments)).and_then(Value::as_int).unwrap_or(3);
    Memories([flags & 1 != 0, flags & 2 != 0])
}

/// The memory that a fence orders, and how.
pub fn fence(fence: Fence, arguments: &[Value]) -> (Memories, Order) {
    (memories(fence.memories, arguments), order(fence.ordering, arguments))
}

/// The memory that a barrier orders, and for which scope: `own` if the call has no scope argument.
pub fn barrier(barrier: Barrier, arguments: &[Value], own: Scope) -> (Memories, Scope) {
    let scope = barrier.scope.and_then(|argument| scope_of(given(argument, arguments)));
    (memories(barrier.memories, arguments), scope.unwrap_or(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(all: &[i128]) -> Vec<Value> {
        all.iter().map(|&it| Value::Int(it)).collect()
    }

    #[test]
    fn memory_order_and_scope_follow_from_arguments() {
        let given = |acquires, releases, scope| Order { acquires, releases, scope };
        let of = |at: Argument, arguments: &[i128]| {
            order(Ordering::Arguments { order: at, scope: at + 1 }, &numbers(arguments))
        };
        assert_eq!(of(2, &[0, 1, 3, 1]), given(false, true, Scope::Workgroup));
        assert_eq!(of(1, &[0, 2]), given(true, false, Scope::Grid));
        assert_eq!(of(1, &[0, 3, 4]), given(false, true, Scope::Subgroup));
        assert_eq!(of(3, &[0, 1, 2, 4, 0, 2]), given(true, true, Scope::None));
        assert_eq!(of(3, &[0, 1, 2, 4]), Order::STRONGEST);
        assert_eq!(of(1, &[0, 0]), Order::RELAXED);
        assert_eq!(order(Ordering::Fixed(Order::RELAXED), &numbers(&[5, 5])), Order::RELAXED);
    }

    #[test]
    fn fences_and_barriers_order_the_memory_in_their_arguments() {
        let ordering = Ordering::Fixed(Order { acquires: true, releases: false, scope: Scope::Workgroup });
        let fence =
            |memories, arguments: &[i128]| super::fence(Fence { memories, ordering }, &numbers(arguments)).0;
        assert_eq!(fence(Some(0), &[1]), Memories([true, false]));
        assert_eq!(fence(Some(0), &[]), Memories([true, true]));
        assert_eq!(fence(None, &[1]), Memories([true, true]));
        let of = |memories, scope, arguments: &[i128]| {
            barrier(Barrier { memories, scope, tile: None }, &numbers(arguments), Scope::Workgroup)
        };
        assert_eq!(of(Some(0), Some(1), &[2]), (Memories([false, true]), Scope::Workgroup));
        assert_eq!(of(Some(0), Some(1), &[0]).0, Memories([false, false]));
        assert_eq!(of(Some(0), Some(1), &[1, 2]).1, Scope::Grid);
        assert_eq!(of(Some(1), Some(2), &[7, 1, 4]), (Memories([true, false]), Scope::Subgroup));
        assert_eq!(of(None, None, &[0, 4]), (Memories([true, true]), Scope::Workgroup));
    }
}
