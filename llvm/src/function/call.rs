//! Calls: of functions, of builtins, through pointers, and of assembly.
//!
//! ```text
//! call spir_func void @_Z7barrierj(i32 1) #0 [ "convergencectrl"(token %t) ]
//!     → call barrier(uint 1) with %t
//! ```

use tangle_base::{AddressSpace, Symbol};
use tangle_ir::flow::{Call, Callee, Op, Passing, Slot, ValueId};
use tangle_ir::types::{FunctionTy, Pointer, Ty, TyKind};
use tangle_ir::value::Conversion;

use super::{Built, FunctionReader};
use crate::callee::{Demangled, Row, demangled, spirv_variable};
use crate::error::{Error, ErrorKind};
use crate::lex::Kind;
use crate::types::{Class, Number, Type, TypeId};

/// Libraries whose functions compute their results from their arguments alone.
const LIBRARIES: [&str; 4] = ["__nv_", "__ocml_", "__ockl_", "__spirv_ocl_"];

/// An argument of a call.
pub(super) struct Argument {
    pub ty: TypeId,
    pub built: Built,
    /// The type of the object whose address is passed, if the callee gets a copy of the object.
    pub copied: Option<TypeId>,
}

/// Whether a call is convergent, and its token.
pub(super) type Convergence = (bool, Option<ValueId>);

/// A call that is read, without its callee.
pub(super) struct Called {
    pub result: TypeId,
    pub arguments: Vec<Argument>,
    pub convergence: Convergence,
}

impl Called {
    /// Returns the arguments that are numbers or addresses. `None` if there are others.
    pub fn values(&self) -> Option<Vec<ValueId>> {
        let value = |argument: &Argument| match argument.built {
            Built::One(value) => Some(value),
            _ => None,
        };
        self.arguments.iter().map(value).collect()
    }
}

impl<'a> FunctionReader<'_, 'a, '_> {
    /// Reads a call, after `call`.
    pub(super) fn call_instruction(&mut self) -> Result<Built, Error> {
        // Flags, the calling convention, and attributes of the result.
        while !self.reader.is_type() {
            match self.reader.kind() {
                Kind::Word if self.reader.word() == "addrspace" => _ = self.reader.address_space()?,
                Kind::Word | Kind::Number => _ = self.reader.next(),
                Kind::Mark(b'(') => self.reader.skip_group(),
                _ => return Err(self.reader.expected("the result type of the call")),
            }
        }
        let ty = self.reader.ty()?;
        // The whole type of the function is written for a variadic one.
        let result = self.reader.function_result(ty).unwrap_or(ty);
        let at = self.reader.at;
        let token = self.reader.next();
        let mut symbol = None;
        let mut address = None;
        match token.kind {
            Kind::Global => symbol = Some(Symbol::intern(&self.reader.name_of(token))),
            Kind::Local => {
                self.reader.at = at;
                let pointer = self.reader.types.id(Type::Pointer(0));
                address = Some(self.value(pointer)?);
            }
            Kind::Word if self.reader.text_of(token) == "asm" => {
                while matches!(self.reader.kind(), Kind::Word | Kind::Text | Kind::Mark(b',')) {
                    self.reader.next();
                }
            }
            Kind::Word => {
                self.reader.at = at;
                let pointer = self.reader.types.id(Type::Pointer(0));
                address = Some(self.value(pointer)?);
            }
            _ => return Err(self.reader.error_at(at, ErrorKind::Expected("the function that is called"))),
        }
        let text = symbol.map_or("", Symbol::as_str);
        self.reader.expect(b'(', "`(`")?;
        if is_without_effect(text) {
            return Ok(Built::Nothing);
        }
        let mut arguments = Vec::new();
        while !self.reader.eat(b')') {
            if !arguments.is_empty() {
                self.comma()?;
            }
            let ty = self.reader.ty()?;
            let copied = self.reader.parameter_attributes()?;
            if matches!(self.reader.types.get(ty), Type::Metadata) {
                // Intrinsics of floating-point arithmetic have their rounding as metadata.
                while !matches!(self.reader.kind(), Kind::Mark(b',' | b')') | Kind::End) {
                    self.reader.skip_group();
                }
                if !self.reader.is(b')') {
                    self.reader.next();
                }
                continue;
            }
            let built = self.operand(ty)?;
            arguments.push(Argument { ty, built, copied });
        }
        let attributes = self.reader.function_attributes();
        let token = self.bundles()?;
        let is_convergent = self.reader.is_convergent(symbol, attributes);
        // A token has no effect on a call that is not convergent.
        let is_controlled = is_convergent
            || text.starts_with("llvm.experimental.convergence.")
            || Row::of(text).is_some_and(|row| row.is_convergent);
        let token = token.filter(|_| is_controlled);
        let called = Called { result, arguments, convergence: (is_convergent, token) };
        match symbol {
            Some(symbol) if text.starts_with("llvm.") => self.intrinsic(symbol, called),
            Some(symbol) => self.named_call(symbol, called),
            None => self.pointer_call(address, called),
        }
    }

    /// Reads the operand bundles of a call, and returns its token.
    fn bundles(&mut self) -> Result<Option<ValueId>, Error> {
        if !self.reader.eat(b'[') {
            return Ok(None);
        }
        let mut found = None;
        while !self.reader.eat(b']') {
            self.reader.eat(b',');
            let at = self.reader.at;
            let name = self.reader.next();
            if name.kind != Kind::Text || !self.reader.is(b'(') {
                return Err(self.reader.error_at(at, ErrorKind::Expected("the name of an operand bundle")));
            }
            if self.reader.text_of(name) != "\"convergencectrl\"" {
                self.reader.skip_group();
                continue;
            }
            self.reader.next();
            let (ty, token) = self.typed_value()?;
            self.reader.expect(b')', "`)`")?;
            if found.replace(token).is_some() || self.number(ty)?.class != Class::Token {
                return Err(self.reader.error_at(at, ErrorKind::Expected("one token")));
            }
        }
        Ok(found)
    }

    /// Calls an operation that the graph does not have. Its result depends only on its operands.
    pub(super) fn unknown(
        &mut self,
        name: &str,
        operands: &[ValueId],
        result: Number,
    ) -> Result<ValueId, Error> {
        let name = format!("__builtin_llvm_{name}");
        let mut types = Vec::new();
        for &operand in operands {
            let ty = self.builder.ty(operand);
            // It writes to no memory.
            types.push(match ty.as_pointer() {
                Some(pointer) => Ty::new(TyKind::Pointer(Pointer { constant: true, ..*pointer })),
                None => ty,
            });
        }
        let callee = compiler_builtin(&name, types, result.ty);
        self.call(callee, operands, result.ty, (false, None))
    }

    /// Appends a call. `operands` are passed by value.
    pub(super) fn call(
        &mut self,
        callee: Callee,
        operands: &[ValueId],
        result: Ty,
        (convergent, token): Convergence,
    ) -> Result<ValueId, Error> {
        let arguments = operands.iter().map(|&operand| (operand, Passing::Value)).collect();
        self.op(Op::Call(Call { callee, arguments, call: None, convergent, token }), result)
    }

    /// Calls a builtin that is not convergent. The arguments have the types of the parameters.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        arguments: &[(ValueId, Ty)],
        result: Ty,
    ) -> Result<ValueId, Error> {
        self.convergent_builtin(name, arguments, result, (false, None))
    }

    /// Calls a builtin.
    pub(super) fn convergent_builtin(
        &mut self,
        name: &str,
        arguments: &[(ValueId, Ty)],
        result: Ty,
        convergence: Convergence,
    ) -> Result<ValueId, Error> {
        let ty = function_type(arguments.iter().map(|&(_, ty)| ty).collect(), result);
        let name = Symbol::intern(name);
        let operands: Vec<ValueId> = arguments.iter().map(|&(value, _)| value).collect();
        self.call(Callee::Builtin { name, ty }, &operands, result, convergence)
    }

    fn named_call(&mut self, symbol: Symbol, called: Called) -> Result<Built, Error> {
        let is_defined = self.reader.functions.get(&symbol).is_some_and(|function| function.is_defined);
        if is_defined {
            return self.function_call(symbol, called);
        }
        if let Some(row) = Row::of(symbol.as_str()) {
            return self.row_call(row, called);
        }
        let text = symbol.as_str();
        if let Some(values) = called.values() {
            let whole = Demangled { name: text, parameters: Vec::new() };
            let found = demangled(text).unwrap_or(whole);
            if let Some(name) = spirv_variable(found.name) {
                let dimension = values.first().map(|&value| (value, self.builder.ty(value)));
                let result = self.number(called.result)?;
                return Ok(Built::One(self.builtin(name, dimension.as_slice(), result.ty)?));
            }
            if found.name == "__spirv_ControlBarrier" {
                return self.spirv_barrier(&values, called.convergence);
            }
            if (self.environment.is_builtin)(Symbol::intern(found.name)) {
                return self.library_call(&found, &values, &called);
            }
            if LIBRARIES.iter().any(|library| text.starts_with(library))
                && let Some(result) = self.reader.types.number(called.result)
            {
                let types = values.iter().map(|&value| self.builder.ty(value)).collect();
                let callee = compiler_builtin(text, types, result.ty);
                return Ok(Built::One(self.call(callee, &values, result.ty, called.convergence)?));
            }
        }
        self.function_call(symbol, called)
    }

    /// `__spirv_ControlBarrier(execution, memory, semantics)`: scope 3 is the sub-group.
    fn spirv_barrier(&mut self, values: &[ValueId], convergence: Convergence) -> Result<Built, Error> {
        let scope = values.first().and_then(|&scope| self.constant_of(scope));
        let name = if scope == Some(3) { "sub_group_barrier" } else { "barrier" };
        let memories = self.op(Op::Constant(tangle_ir::value::Constant::Integer(3)), Ty::UINT)?;
        self.convergent_builtin(name, &[(memories, Ty::UINT)], Ty::VOID, convergence)?;
        Ok(Built::Nothing)
    }

    /// Calls a builtin of the language. The symbol has the types of its parameters, which have signs.
    fn library_call(
        &mut self,
        found: &Demangled<'_>,
        values: &[ValueId],
        called: &Called,
    ) -> Result<Built, Error> {
        let mut arguments = Vec::new();
        for (number, &value) in values.iter().enumerate() {
            let of = self.number(called.arguments[number].ty)?;
            let is_complete = found.parameters.len() == values.len();
            let declared = found.parameters.get(number).copied().flatten().filter(|_| is_complete);
            arguments.push(self.declared_argument(value, of, declared)?);
        }
        if self.reader.types.number(called.result).is_none() {
            self.convergent_builtin(found.name, &arguments, Ty::VOID, called.convergence)?;
            return Ok(Built::Nothing);
        }
        let result = self.number(called.result)?;
        // A symbol does not have its result type. A result with the bits of the first argument has its sign.
        let ty = match arguments.first() {
            Some(&(_, ty)) if ty == result.unsigned() => ty,
            _ => result.ty,
        };
        let value = self.convergent_builtin(found.name, &arguments, ty, called.convergence)?;
        Ok(Built::One(self.convert(Conversion::Integer, value, result.ty)?))
    }

    /// Returns an argument in the type that the parameter has in the source, and this type.
    fn declared_argument(
        &mut self,
        value: ValueId,
        of: Number,
        declared: Option<Ty>,
    ) -> Result<(ValueId, Ty), Error> {
        let own = self.builder.ty(value);
        let Some(declared) = declared else { return Ok((value, own)) };
        match (own.as_pointer(), declared.as_pointer()) {
            (Some(own), Some(declared)) => {
                let Pointer { pointee, constant, .. } = *declared;
                Ok((value, Ty::new(TyKind::Pointer(Pointer { pointee, constant, ..*own }))))
            }
            _ if of.class == Class::Integer && declared == of.unsigned() && of.is_exact() => {
                Ok((self.convert(Conversion::Integer, value, declared)?, declared))
            }
            _ => Ok((value, own)),
        }
    }

    /// Calls a function of this or another module.
    fn function_call(&mut self, symbol: Symbol, called: Called) -> Result<Built, Error> {
        let key = self.reader.key(symbol);
        self.finish_call(called, |ty| Callee::Function { key, ty })
    }

    /// Calls the function at an address, or assembly.
    fn pointer_call(&mut self, address: Option<ValueId>, called: Called) -> Result<Built, Error> {
        self.finish_call(called, |ty| match address {
            Some(address) => Callee::Pointer { address, ty },
            None => Callee::Unknown { named: None, ty },
        })
    }

    fn finish_call(&mut self, called: Called, callee: impl FnOnce(Ty) -> Callee) -> Result<Built, Error> {
        let Called { result, arguments, convergence: (convergent, token) } = called;
        let (mut operands, mut parameters) = (Vec::new(), Vec::new());
        let returned = match self.reader.types.parts(result) {
            Some(_) => {
                let ty = self.reader.types.memory(result);
                let address = self.temporary(ty)?;
                operands.push((address, Passing::Result));
                Some((address, ty))
            }
            None => None,
        };
        for Argument { ty, built, copied } in arguments {
            match (built, copied) {
                (Built::One(value), None) => {
                    operands.push((value, Passing::Value));
                    parameters.push(self.builder.ty(value));
                }
                (Built::One(address), Some(of)) => {
                    let of = self.reader.types.memory(of);
                    let address = self.private(address, of)?;
                    operands.push((address, Passing::Copy));
                    parameters.push(of);
                }
                (built @ Built::Parts(_), _) => {
                    let of = self.reader.types.memory(ty);
                    let address = self.temporary(of)?;
                    self.store_parts(ty, &built, address)?;
                    operands.push((address, Passing::Copy));
                    parameters.push(of);
                }
                (Built::Nothing, _) => return Err(self.reader.expected("an argument")),
            }
        }
        let number = self.reader.types.number(result);
        let of_result = match (returned, number) {
            (Some((_, ty)), _) => ty,
            (None, Some(number)) => number.ty,
            (None, None) => Ty::VOID,
        };
        let callee = callee(function_type(parameters, of_result));
        let of_value = if returned.is_some() { Ty::VOID } else { of_result };
        let call = Call { callee, arguments: operands, call: None, convergent, token };
        let value = self.op(Op::Call(call), of_value)?;
        match returned {
            Some((address, _)) => self.load_parts(result, address),
            None if of_value.is_void() => Ok(Built::Nothing),
            None => Ok(Built::One(value)),
        }
    }

    /// Returns the address of a new private object.
    pub(super) fn temporary(&mut self, ty: Ty) -> Result<ValueId, Error> {
        let span = tangle_base::Span::new(0, 0);
        let slot = self.builder.function().slots.push(Slot { name: None, ty, span });
        self.op(Op::Slot(slot), Ty::pointer(ty, AddressSpace::Private))
    }

    /// Returns the address of an object that the callee gets as a copy.
    fn private(&mut self, address: ValueId, of: Ty) -> Result<ValueId, Error> {
        let wanted = Ty::pointer(of, AddressSpace::Private);
        self.convert(Conversion::Pointer, address, wanted)
    }
}

/// Returns the builtin of the compiler with a name.
pub(super) fn compiler_builtin(name: &str, parameters: Vec<Ty>, result: Ty) -> Callee {
    Callee::CompilerBuiltin { name: Symbol::intern(name), ty: function_type(parameters, result) }
}

fn function_type(parameters: Vec<Ty>, result: Ty) -> Ty {
    let function = FunctionTy { result, parameters: parameters.into(), variadic: false };
    Ty::new(TyKind::Function(Box::new(function)))
}

/// Whether a call of an intrinsic only informs the compiler or a debugger.
fn is_without_effect(intrinsic: &str) -> bool {
    const NAMES: [&str; 8] = [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.invariant.",
        "llvm.assume",
        "llvm.experimental.noalias.scope.decl",
        "llvm.donothing",
        "llvm.prefetch",
        "llvm.pseudoprobe",
    ];
    NAMES.iter().any(|name| intrinsic.starts_with(name))
}
