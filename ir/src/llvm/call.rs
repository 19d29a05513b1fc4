//! Calls.

use std::fmt::Write;
use std::rc::Rc;

use tangle_base::AddressSpace;

use super::function::FunctionWriter;
use super::module::{extension, is_record};
use super::types::Reason;
use crate::flow::unknown::unknown_call;
use crate::flow::{Call, Callee, Passing, ValueId};
use crate::types::{FunctionTy, Ty, TyKind};

impl<'a> FunctionWriter<'_, 'a> {
    pub fn call(&mut self, id: ValueId, call: &'a Call) -> Result<(), Reason> {
        if let Callee::Builtin { name, .. } = &call.callee
            && let Some(operation) = self.module.language.operation(*name)
            && self.device_call(id, call, *name, operation)?
        {
            return Ok(());
        }
        let (callee, ty): (Rc<str>, Ty) = match &call.callee {
            Callee::Function { key, ty } => (self.module.callee(*key, *ty, call.convergent)?, *ty),
            Callee::Builtin { name, ty } => (self.module.builtin(*name, *ty, call.convergent)?, *ty),
            Callee::CompilerBuiltin { name, ty } => return self.compiler_call(id, call, name.as_str(), *ty),
            Callee::Pointer { address, ty } => (self.operand(*address), *ty),
            Callee::Unknown { .. } => return Err(unknown_call(&call.callee)),
        };
        let function = function_of(ty).ok_or("the type of the callee is unknown")?;
        let mut arguments = String::new();
        // The first argument is the address that a returned record is written to.
        let mut parameters = is_record(function.result).then_some(function.result).into_iter();
        let mut declared = function.parameters.iter().copied();
        for (number, (argument, passing)) in call.arguments.iter().enumerate() {
            let ty = match passing {
                Passing::Result => parameters.next(),
                Passing::Value | Passing::Copy => declared.next(),
            };
            let separator = if number == 0 { "" } else { ", " };
            let text = self.argument(*argument, *passing, ty)?;
            let _ = write!(arguments, "{separator}{text}");
        }
        if let Callee::Builtin { name, ty } = &call.callee {
            for number in self.module.language.extra_arguments(*name, *ty) {
                let _ = write!(arguments, ", i32 {number}");
            }
        }
        let mut result = self.module.result_text(function.result)?;
        if function.variadic {
            let mut types = Vec::new();
            for &parameter in &function.parameters {
                types.push(self.module.types.value(parameter)?.to_string());
            }
            types.push("...".to_owned());
            let _ = write!(result, " ({})", types.join(", "));
        }
        let convention = self.module.target.function_convention();
        let tail = self.tail(call)?;
        self.define(id, format_args!("call {convention}{result} {callee}({arguments}){tail}"));
        Ok(())
    }

    /// Returns an argument with its type and attributes. `declared` is the type of the parameter.
    fn argument(&mut self, value: ValueId, passing: Passing, declared: Option<Ty>) -> Result<String, Reason> {
        if passing == Passing::Value {
            let ty = self.ty(value)?;
            let extension = extension(self.function.values[value].ty);
            return Ok(format!("{ty}{extension} {}", self.operand(value)));
        }
        let record = declared.ok_or("a record argument has no matching parameter")?;
        let parameter = self.module.record_parameter(record, passing, false)?;
        let private = self.pointer_to(AddressSpace::Private);
        let ty = self.ty(value)?;
        let mut address = self.operand(value);
        let natural = self.module.types.align(record);
        let aligned = self.aligned(value, natural);
        if (*ty != *private || aligned < natural) && passing == Passing::Copy {
            // The callee copies the record from private memory.
            let own = self.allocate("argument", record)?;
            let copy = self.copy_text(record, (&private, &own, natural), (&ty, &address, aligned))?;
            self.line(format_args!("{copy}"));
            address = own;
        }
        Ok(format!("{parameter} {address}"))
    }

    /// Returns the end of a call: whether it is convergent, and the token that controls it.
    pub fn tail(&mut self, call: &Call) -> Result<String, Reason> {
        let mut tail = String::new();
        if call.convergent {
            tail.push_str(&self.module.attributes("convergent".to_owned()));
        }
        if let Some(token) = call.token {
            let _ = write!(tail, " [ \"convergencectrl\"({}) ]", self.typed(token)?);
        }
        Ok(tail)
    }
}

/// Returns the function type of a callee, which may be a pointer to the function.
fn function_of(ty: Ty) -> Option<&'static FunctionTy> {
    match ty.kind() {
        TyKind::Function(function) => Some(function),
        TyKind::Pointer(pointer) => pointer.pointee.as_function(),
        TyKind::BlockPointer(function) => function.as_function(),
        _ => None,
    }
}
