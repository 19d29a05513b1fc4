//! Finds the types of the objects that parameters point to. LLVM's pointers do not have them, and an execution fills
//! these objects with numbers of their type.

use index_vec::{IndexVec, index_vec};
use tangle_ir::flow::{Callee, Function, Op, Passing, ValueId};
use tangle_ir::types::{Pointer, Ty, TyKind};
use tangle_ir::value::Conversion;

/// Gives each parameter that points to `char` the type of its first use.
pub(super) fn infer(function: &mut Function) {
    // The parameter that an address is computed from.
    let mut roots: IndexVec<ValueId, Option<usize>> = index_vec![None; function.values.len()];
    for (number, parameter) in function.parameters.iter().enumerate() {
        let is_open = parameter.ty.as_pointer().is_some_and(|pointer| pointer.pointee == Ty::CHAR);
        if parameter.passing == Passing::Value && is_open {
            roots[parameter.value] = Some(number);
        }
    }
    let mut pointees: Vec<Option<Ty>> = vec![None; function.parameters.len()];
    for id in function.blocks.iter().flat_map(|block| &block.values).copied() {
        let value = &function.values[id];
        let mut used = |address: ValueId, ty: Ty| {
            if let Some(number) = roots[address] {
                pointees[number].get_or_insert(ty);
            }
        };
        match &value.op {
            Op::Load { address, .. } => used(*address, value.ty),
            Op::Store { address, value, .. } => used(*address, function.values[*value].ty),
            Op::Element { base, element, .. } => {
                if *element != Ty::CHAR {
                    used(*base, *element);
                }
                roots[id] = roots[*base];
            }
            Op::Convert { conversion: Conversion::Pointer, operand } => roots[id] = roots[*operand],
            Op::Call(call) => {
                // The types of a builtin, such as an atomic.
                let declared = match &call.callee {
                    Callee::Builtin { ty, .. } => ty.as_function(),
                    _ => None,
                };
                for ((argument, _), ty) in
                    call.arguments.iter().zip(declared.map_or(&[][..], |function| &function.parameters))
                {
                    if let Some(pointer) = ty.as_pointer().filter(|pointer| pointer.pointee != Ty::CHAR) {
                        used(*argument, pointer.pointee);
                    }
                }
            }
            _ => {}
        }
    }
    for (number, pointee) in pointees.into_iter().enumerate() {
        let parameter = &mut function.parameters[number];
        if let (Some(pointee), Some(pointer)) = (pointee, parameter.ty.as_pointer())
            && !matches!(pointee.kind(), TyKind::Unknown)
        {
            parameter.ty = Ty::new(TyKind::Pointer(Pointer { pointee, ..*pointer }));
            function.values[parameter.value].ty = parameter.ty;
        }
    }
}
