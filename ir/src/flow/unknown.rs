//! Finds the first unknown in a function: the reason why no LLVM IR is emitted for it.
//!
//! **Unknown** (`docs/semantics.md` §9): a value, address, call, statement or type that the source does not determine.
//! Each analysis continues with an assumption about it. It has no machine code.
//!
//! ```text
//! %size = unknown name SIZE       // "`SIZE` is not defined"
//! %0 = lt %i, %size
//! branch %0, then, end
//! ```

use super::{Callee, Function, NotLowered, Op, Unknown, ValueId};
use crate::layout::layout;
use crate::types::{Ty, TyKind};

/// Returns the first unknown of a function with its reason: types of the signature and of slots first, then operations
/// in order. None if there is no unknown.
pub fn first(function: &Function) -> Option<NotLowered> {
    let refused = |span, reason| NotLowered { function: Some(function.key), span, reason };
    let parameters = function.parameters.iter().map(|parameter| (parameter.ty, parameter.span));
    let slots = function.slots.iter().map(|slot| (slot.ty, slot.span));
    let declared = parameters.chain([(function.result, function.span)]).chain(slots);
    if let Some((ty, span)) = declared.into_iter().find(|&(ty, _)| !has_layout(ty)) {
        return Some(refused(span, size_of_unknown(ty)));
    }
    for id in function.blocks.iter().flat_map(|block| &block.values) {
        let value = &function.values[*id];
        let reason = match &value.op {
            // The operation derives from other values. If one of them is unknown itself, that one is reported instead.
            Op::Unknown { what, operands }
                if !operands.is_empty() && !matches!(what, Unknown::Statement | Unknown::Assembly) =>
            {
                let is_reported =
                    |operand: ValueId| matches!(function.values[operand].op, Op::Unknown { .. });
                match operands.iter().any(|&operand| is_reported(operand)) {
                    true => continue,
                    false => Some(Unknown::Value.reason()),
                }
            }
            Op::Unknown { what, .. } => Some(what.reason()),
            Op::Call(call) => match &call.callee {
                callee @ Callee::Unknown { .. } => Some(unknown_call(callee)),
                Callee::Pointer { address, .. } if !is_pointer(function.values[*address].ty) => {
                    Some(unknown_call(&call.callee))
                }
                _ => None,
            },
            Op::Global(_) if !has_known_pointee(value.ty) => Some(size_of_unknown(value.ty)),
            Op::Element { element, .. } if !has_layout(*element) => Some(size_of_unknown(*element)),
            Op::Field { record, .. } if !has_layout(*record) => Some(size_of_unknown(*record)),
            Op::Copy { ty, .. } | Op::Clear { ty, .. } if !has_layout(*ty) => Some(size_of_unknown(*ty)),
            _ => None,
        };
        if let Some(reason) = reason {
            return Some(refused(value.span, reason));
        }
    }
    None
}

/// Returns the reason for the call of an unknown function, as a clause.
pub(crate) fn unknown_call(callee: &Callee) -> String {
    match callee.name() {
        Some(name) => format!("the call of `{name}` cannot be resolved"),
        None => "the callee of this call is unknown".to_owned(),
    }
}

fn size_of_unknown(ty: Ty) -> String {
    match ty.is_unknown() {
        true => "a type is unknown".to_owned(),
        false => format!("the size of `{ty}` is unknown"),
    }
}

/// Returns whether a function can be called through a value of the type. Calls of block pointers are not supported.
fn is_pointer(ty: Ty) -> bool {
    ty.as_pointer().is_some()
}

/// Returns whether the size of a variable is known from the type of its address. The launch gives the length of an array
/// without one.
fn has_known_pointee(address: Ty) -> bool {
    address.as_pointer().is_none_or(|pointer| match pointer.pointee.kind() {
        TyKind::Array { element, length: None } => has_layout(*element),
        _ => has_layout(pointer.pointee),
    })
}

/// Returns whether the size of an object of the type is known. True for `void` and functions, which need no size.
fn has_layout(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Void | TyKind::Function(_)) || layout(ty).is_some()
}
