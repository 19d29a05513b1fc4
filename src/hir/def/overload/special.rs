//! Builtin functions whose types depend on the pointees or the number of their arguments.
//!
//! `to_global`, `to_local` and `to_private` keep the pointee. Pipe functions accept pipes of any packet type.
//! `enqueue_kernel` accepts blocks, and a size for each pointer parameter of its block. The types are built here from
//! the arguments of the call.

use tangle_grammar::ast::{Access, AddressSpace};
use tangle_grammar::symbol::Symbol;

use super::{Resolution, choose};
use crate::types::{FunctionTy, Opaque, Pointer, Ty, TyKind};

/// Resolves a call of a builtin that the table marks as special.
pub(super) fn resolve(name: Symbol, arguments: &[Ty]) -> Resolution {
    let name = name.as_str();
    match name {
        "to_global" => to_space(AddressSpace::Global, arguments),
        "to_local" => to_space(AddressSpace::Local, arguments),
        "to_private" => to_space(AddressSpace::Private, arguments),
        _ if name.contains("_pipe") => pipe(name, arguments),
        "enqueue_kernel" => enqueue(arguments),
        _ => query(name, arguments),
    }
}

fn function(result: Ty, parameters: &[Ty], variadic: bool) -> Ty {
    Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters: parameters.into(), variadic })))
}

fn opaque(opaque: Opaque) -> Ty {
    Ty::new(TyKind::Opaque(opaque))
}

/// Returns the same pointer type in the generic address space.
fn generic(pointer: &Pointer) -> Ty {
    Ty::new(TyKind::Pointer(Pointer { space: AddressSpace::Generic, restrict: false, ..*pointer }))
}

fn to_space(space: AddressSpace, arguments: &[Ty]) -> Resolution {
    let void = Pointer {
        pointee: Ty::VOID,
        space: AddressSpace::Generic,
        constant: false,
        volatile: false,
        restrict: false,
        reference: false,
    };
    let pointer = match arguments {
        [argument] if argument.is_unknown() => {
            return Resolution::Found { ty: function(Ty::UNKNOWN, &[Ty::UNKNOWN], false) };
        }
        [argument] => argument.as_pointer().filter(|pointer| pointer.space != AddressSpace::Constant),
        _ => None,
    };
    let to = |pointer: &Pointer| Ty::new(TyKind::Pointer(Pointer { space, restrict: false, ..*pointer }));
    match pointer {
        Some(pointer) => Resolution::Found { ty: function(to(pointer), &[generic(pointer)], false) },
        None => Resolution::NoMatch { candidates: vec![function(to(&void), &[generic(&void)], false)] },
    }
}

fn pipe(name: &str, arguments: &[Ty]) -> Resolution {
    let reserve = opaque(Opaque::ReserveId);
    let (pipe, packet) = match arguments.first().map(|pipe| (*pipe, pipe.kind())) {
        Some((pipe, TyKind::Opaque(Opaque::Pipe { packet, .. }))) => (pipe, *packet),
        Some((Ty::UNKNOWN, _)) => (Ty::UNKNOWN, Ty::UNKNOWN),
        _ => {
            let access = if name.contains("write") { Access::WriteOnly } else { Access::ReadOnly };
            (opaque(Opaque::Pipe { packet: Ty::UNKNOWN, access }), Ty::UNKNOWN)
        }
    };
    let pointer = Ty::pointer(packet, AddressSpace::Generic);
    let functions = match name {
        // Reads and writes have the same type: the pointer is not const for writes either.
        "read_pipe" | "write_pipe" => vec![
            function(Ty::INT, &[pipe, pointer], false),
            function(Ty::INT, &[pipe, reserve, Ty::UINT, pointer], false),
        ],
        "get_pipe_num_packets" | "get_pipe_max_packets" => vec![function(Ty::UINT, &[pipe], false)],
        _ if name.contains("commit_") => vec![function(Ty::VOID, &[pipe, reserve], false)],
        _ => vec![function(reserve, &[pipe, Ty::UINT], false)],
    };
    choose(&functions, arguments, false)
}

/// `enqueue_kernel(queue, flags, range, [count, waits, event,] block [, size …])`.
fn enqueue(arguments: &[Ty]) -> Resolution {
    let block = arguments.iter().find(|argument| matches!(argument.kind(), TyKind::BlockPointer(_)));
    let block = block.copied().unwrap_or(Ty::UNKNOWN);
    let event = Pointer {
        pointee: opaque(Opaque::ClkEvent),
        space: AddressSpace::Generic,
        constant: false,
        volatile: false,
        restrict: false,
        reference: false,
    };
    let waits = Ty::new(TyKind::Pointer(Pointer { constant: true, ..event }));
    let event = Ty::new(TyKind::Pointer(event));
    let head = [opaque(Opaque::Queue), Ty::INT, opaque(Opaque::NdRange)];
    let functions = [[&head[..], &[block]].concat(), [&head[..], &[Ty::UINT, waits, event, block]].concat()];
    let functions = functions.map(|mut parameters| {
        // One size for each parameter of the block: all of them are pointers.
        let sizes = arguments.len().saturating_sub(parameters.len());
        if let TyKind::BlockPointer(ty) = block.kind()
            && let Some(of) = ty.as_function()
            && of.parameters.len() == sizes
        {
            parameters.extend(std::iter::repeat_n(Ty::UINT, sizes));
        }
        function(Ty::INT, &parameters, false)
    });
    choose(&functions, arguments, false)
}

/// `get_kernel_…(block)` and `get_kernel_…_for_ndrange(range, block)`.
fn query(name: &str, arguments: &[Ty]) -> Resolution {
    let block = match arguments.last() {
        Some(block) if matches!(block.kind(), TyKind::BlockPointer(_)) => *block,
        _ => Ty::UNKNOWN,
    };
    let range = opaque(Opaque::NdRange);
    let ty = if name.ends_with("_for_ndrange") {
        function(Ty::UINT, &[range, block], false)
    } else {
        function(Ty::UINT, &[block], false)
    };
    choose(&[ty], arguments, false)
}
