//! Checks calls of functions, builtins of the dialect, functions of the compiler, and pointers.

use tangle_grammar::ast::{self, AddressSpace, ExprKind as Ast, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;

use super::{Checker, ConversionContext, FunctionMeaning, Meaning, TypeProblemKind};
use crate::body::CallId;
use crate::def::overload::{self, Resolution};
use crate::typed::{Callee, Constant, Conversion, Expr, ExprId, ExprKind, Unknown};
use crate::types::{FunctionTy, MAX_LANES, Ty, TyKind};

impl Checker<'_> {
    pub(super) fn call(&mut self, callee: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> ExprId {
        let place = self.ast.exprs[callee].span;
        let call = self.body.as_ref().and_then(|body| body.calls.get(&place)).copied();
        let type_argument =
            arguments.iter().find(|&&argument| matches!(self.ast.exprs[argument].kind, Ast::Type(_)));
        let type_argument = type_argument.map(|argument| self.done[*argument]);
        let is_open = |argument: &ast::ExprId| matches!(self.ast.exprs[*argument].kind, Ast::Arguments(_));
        let known = arguments.iter().position(is_open);
        let arguments: Vec<ExprId> =
            arguments.iter().map(|argument| self.value(self.done[*argument])).collect();
        let target = match self.ast.exprs[callee].kind {
            Ast::Name(name) => match self.meaning(name, place) {
                Some(target) => target,
                // An undeclared callee may be a macro. A macro can take a type as an argument.
                None => {
                    self.problem(place, TypeProblemKind::UndeclaredFunction(name));
                    return self.unknown_call(Some(name), call, &arguments, Ty::UNKNOWN, span);
                }
            },
            _ => self.done[callee],
        };
        let kind = &self.exprs[target].kind;
        let named = match kind {
            ExprKind::Function(key) => Some(key.name),
            _ => None,
        };
        if let Some(argument) = type_argument {
            let may_take_it = match named {
                Some(name) => self.dialect.counts_lanes(name) || name.as_str().starts_with("__builtin_"),
                None => self.exprs[target].ty.is_unknown(),
            };
            if !may_take_it {
                let Expr { ty, span: at, .. } = self.exprs[argument];
                self.problem(at, TypeProblemKind::TypeAsValue { ty });
                return self.unknown_call(named, call, &arguments, Ty::UNKNOWN, span);
            }
        }
        let (callee, ty) = match named {
            Some(name) => match self.lookup(name) {
                Some(Meaning::Functions(functions)) if known.is_some() && functions.len() > 1 => {
                    return self.unknown_call(Some(name), call, &arguments, Ty::UNKNOWN, span);
                }
                Some(Meaning::Functions(functions)) => {
                    match self.user_function(name, &functions, &arguments, span) {
                        Some(FunctionMeaning { key, ty, .. }) => (Callee::Function { key, ty }, ty),
                        None => return self.unknown_call(Some(name), call, &arguments, Ty::UNKNOWN, span),
                    }
                }
                _ if known.is_some() => {
                    return self.unknown_call(Some(name), call, &arguments, Ty::UNKNOWN, span);
                }
                _ if self.dialect.reinterpreted(name).is_some() && arguments.len() == 1 => {
                    let to = self.dialect.reinterpreted(name).unwrap_or(Ty::UNKNOWN);
                    return self.reinterpret(arguments[0], to, span);
                }
                _ if self.dialect.counts_lanes(name) => return self.count_lanes(name, &arguments, span),
                _ if name.as_str().starts_with("__builtin_") => {
                    return self.compiler_builtin(name, &arguments, type_argument, call, span);
                }
                _ => match self.builtin(name, &arguments, span) {
                    Some(ty) => (Callee::Builtin { name, ty }, ty),
                    None => return self.unknown_call(Some(name), call, &arguments, Ty::UNKNOWN, span),
                },
            },
            None => {
                let target = self.value(target);
                let ty = self.exprs[target].ty;
                let function = match ty.kind() {
                    TyKind::Pointer(pointer) => pointer.pointee,
                    TyKind::BlockPointer(function) => *function,
                    _ => ty,
                };
                if function.as_function().is_none() {
                    if !ty.is_unknown() {
                        self.problem(place, TypeProblemKind::NotAFunction { ty });
                    }
                    let operands: Vec<ExprId> = [target].into_iter().chain(arguments).collect();
                    return self.unknown_call(None, call, &operands, Ty::UNKNOWN, span);
                }
                (Callee::Pointer(target), function)
            }
        };
        let Some(function) = ty.as_function() else {
            return self.unknown_call(named, call, &arguments, Ty::UNKNOWN, span);
        };
        let name = match &callee {
            Callee::Function { key, .. } => Some(key.name),
            Callee::Builtin { name, .. } => Some(*name),
            _ => None,
        };
        let arguments = match known {
            Some(known) => self.with_unknown_arguments(arguments, known, function.parameters.len()),
            None => arguments,
        };
        self.finish_call(callee, function, name, arguments, call, span)
    }

    /// Completes a list of arguments. Those from index `known` on stand for the missing arguments, in unknown number.
    fn with_unknown_arguments(
        &mut self,
        mut arguments: Vec<ExprId>,
        known: usize,
        wanted: usize,
    ) -> Vec<ExprId> {
        let further = arguments.split_off(known);
        let span = self.exprs[further[0]].span;
        while arguments.len() < wanted {
            arguments.push(self.unknown(&further, Ty::UNKNOWN, span));
        }
        arguments
    }

    /// Adds a call of an unknown function. Its arguments are evaluated.
    pub(super) fn unknown_call(
        &mut self,
        name: Option<Symbol>,
        call: Option<CallId>,
        operands: &[ExprId],
        ty: Ty,
        span: Span,
    ) -> ExprId {
        self.unknown_as(
            Unknown::Call {
                named: name.map(UnresolvedCallee::Function),
                call,
                constant: false,
                template: None,
            },
            operands,
            ty,
            span,
        )
    }

    /// Returns the number of lanes of a type or of a value's type: an operator like `sizeof`. 3 lanes count as 4.
    fn count_lanes(&mut self, name: Symbol, arguments: &[ExprId], span: Span) -> ExprId {
        let &[argument] = arguments else {
            let callee = Some(name);
            let found = arguments.len();
            let kind = TypeProblemKind::ArgumentCount { callee, expected: 1, found, variadic: false };
            self.problem(span, kind);
            return self.unknown(&[], Ty::SIZE, span);
        };
        let ty = self.exprs[argument].ty;
        let lanes = match ty.lanes() {
            _ if ty.is_unknown() => return self.unknown(&[], Ty::SIZE, span),
            Some((_, 3)) => 4,
            Some((_, lanes)) => lanes,
            None if ty.is_void() => 1,
            None => {
                return self.wrong(span, TypeProblemKind::Operand { op: name.as_str(), operand: ty }, &[]);
            }
        };
        self.push(ExprKind::Constant(Constant::Integer(lanes.into())), Ty::SIZE, span)
    }

    pub(super) fn finish_call(
        &mut self,
        callee: Callee,
        function: &FunctionTy,
        name: Option<Symbol>,
        arguments: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        let expected = function.parameters.len();
        let found = arguments.len();
        let count_fits = found == expected || (function.variadic && found >= expected);
        if !count_fits {
            let kind =
                TypeProblemKind::ArgumentCount { callee: name, expected, found, variadic: function.variadic };
            self.problem(span, kind);
            return self.unknown_call(name, call, &arguments, function.result, span);
        }
        let mut converted = Vec::with_capacity(found);
        for (number, argument) in arguments.into_iter().enumerate() {
            converted.push(match function.parameters.get(number) {
                Some(&parameter) => {
                    let parameter = self.complete(parameter);
                    self.assigned(argument, parameter, ConversionContext::Argument(number))
                }
                None => self.default_promoted(argument),
            });
        }
        let result = self.complete(function.result);
        self.push(ExprKind::Call { callee, arguments: converted.into(), call }, result, span)
    }

    /// Converts an argument of `...`: small integers become `int`, and `half` and `float` become `double`.
    fn default_promoted(&mut self, argument: ExprId) -> ExprId {
        let ty = self.exprs[argument].ty;
        match ty.as_float() {
            Some(_) => self.as_scalar(argument, Ty::DOUBLE),
            None => self.promoted(argument),
        }
    }

    fn user_function(
        &mut self,
        name: Symbol,
        functions: &[FunctionMeaning],
        arguments: &[ExprId],
        span: Span,
    ) -> Option<FunctionMeaning> {
        if let [only] = functions {
            return Some(*only);
        }
        let types: Vec<Ty> = functions.iter().map(|function| function.ty).collect();
        let found: Vec<Ty> = arguments.iter().map(|&argument| self.exprs[argument].ty).collect();
        let resolution = overload::choose(&types, &found, self.cpp);
        let ty = self.resolved(name, resolution, found, span)?;
        functions.iter().find(|function| function.ty == ty).copied()
    }

    fn builtin(&mut self, name: Symbol, arguments: &[ExprId], span: Span) -> Option<Ty> {
        let found: Vec<Ty> = arguments.iter().map(|&argument| self.exprs[argument].ty).collect();
        let resolution = overload::resolve(self.dialect, name, &found);
        self.resolved(name, resolution, found, span)
    }

    fn resolved(
        &mut self,
        name: Symbol,
        resolution: Resolution,
        arguments: Vec<Ty>,
        span: Span,
    ) -> Option<Ty> {
        let arguments: Box<[Ty]> = arguments.into();
        match resolution {
            Resolution::Found { ty } => return Some(ty),
            Resolution::NotABuiltin => {}
            Resolution::NoMatch { candidates } => {
                let candidates = candidates.into();
                self.problem(span, TypeProblemKind::NoOverload { name, arguments, candidates });
            }
            Resolution::Ambiguous { candidates } => {
                let candidates = candidates.into();
                self.problem(span, TypeProblemKind::Ambiguous { name, arguments, candidates });
            }
        }
        None
    }

    /// Checks a call of `__builtin_…`. Supports the functions that kernels use.
    fn compiler_builtin(
        &mut self,
        name: Symbol,
        arguments: &[ExprId],
        type_argument: Option<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        let first = arguments.first().map(|&argument| self.exprs[argument].ty);
        match (name.as_str(), arguments) {
            ("__builtin_expect" | "__builtin_expect_with_probability", [value, ..]) => {
                return self.assigned(*value, Ty::LONG, ConversionContext::Argument(0));
            }
            ("__builtin_constant_p", [value, ..]) => {
                let constant = self.is_constant(*value);
                return self.push(ExprKind::Constant(Constant::Integer(constant.into())), Ty::INT, span);
            }
            ("__builtin_choose_expr", [condition, then, otherwise]) => {
                if let ExprKind::Constant(constant) = &self.exprs[*condition].kind {
                    let zero = matches!(constant, Constant::Integer(0) | Constant::Zero);
                    return if zero { *otherwise } else { *then };
                }
                return self.wrong(span, TypeProblemKind::NotConstant, arguments);
            }
            ("__builtin_shufflevector", [left, right, lanes @ ..]) => {
                return self.shufflevector(*left, *right, lanes, name, span);
            }
            ("__builtin_convertvector", [value, to]) => {
                let to = match type_argument {
                    Some(argument) if argument == *to => self.exprs[argument].ty,
                    _ => Ty::VOID,
                };
                return self.convertvector(*value, to, span);
            }
            _ => {}
        }
        let Some(function) = compiler_function(name.as_str(), first) else {
            // Builtins of a single target have rows in the table, but no types.
            if self.dialect.builtins().get(name).is_none() {
                self.problem(span, TypeProblemKind::UnknownName(name));
            }
            return self.unknown_call(Some(name), call, arguments, Ty::UNKNOWN, span);
        };
        let ty = Ty::new(TyKind::Function(Box::new(function)));
        let Some(function) = ty.as_function() else { return self.unknown(arguments, Ty::UNKNOWN, span) };
        self.finish_call(Callee::Compiler { name, ty }, function, Some(name), arguments.to_vec(), call, span)
    }

    /// `__builtin_convertvector(v, type)`: converts each lane, as a cast converts scalars.
    fn convertvector(&mut self, value: ExprId, to: Ty, span: Span) -> ExprId {
        let from = self.exprs[value].ty;
        if from.is_unknown() || to.is_unknown() {
            return self.unknown(&[value], to, span);
        }
        let conversion = from.as_vector().zip(to.as_vector()).filter(|(from, to)| from.1 == to.1);
        match conversion.and_then(|(from, to)| Self::scalar_conversion(from.0, to.0)) {
            Some(_) if from == to => value,
            Some(conversion) => self.converted(value, to, conversion),
            None => self.wrong(span, TypeProblemKind::ConvertLanes { from, to }, &[value]),
        }
    }

    /// `__builtin_shufflevector(a, b, lanes…)` selects lanes of both operands by constant numbers. `(a, lanes)` selects
    /// lanes of `a` by a vector of lane numbers.
    fn shufflevector(
        &mut self,
        left: ExprId,
        right: ExprId,
        lanes: &[ExprId],
        name: Symbol,
        span: Span,
    ) -> ExprId {
        let (l, r) = (self.exprs[left].ty, self.exprs[right].ty);
        let (Some((element, count)), Some((other, other_count))) = (l.as_vector(), r.as_vector()) else {
            if l.is_unknown() || r.is_unknown() {
                return self.unknown(&[left, right], Ty::UNKNOWN, span);
            }
            return self.wrong(span, TypeProblemKind::Shuffle, &[left, right]);
        };
        let by_vector = lanes.is_empty();
        let valid = match by_vector {
            true => count == other_count && other.as_integer().is_some(),
            false => l == r && lanes.len() <= usize::from(MAX_LANES),
        };
        let mut numbers = Vec::with_capacity(lanes.len());
        for &lane in lanes {
            match &self.exprs[lane].kind {
                ExprKind::Constant(Constant::Integer(lane))
                    if (-1..i128::from(count) + i128::from(other_count)).contains(lane) =>
                {
                    numbers.push(lane);
                }
                _ => return self.wrong(span, TypeProblemKind::Shuffle, &[left, right]),
            }
        }
        if !valid {
            return self.wrong(span, TypeProblemKind::Shuffle, &[left, right]);
        }
        let result = if by_vector { l } else { l.similar_vector(element, lanes.len() as u8) };
        let parameters = [l, r].into_iter().chain(lanes.iter().map(|&lane| self.exprs[lane].ty));
        let function = FunctionTy { result, parameters: parameters.collect(), variadic: false };
        let ty = Ty::new(TyKind::Function(Box::new(function)));
        let arguments = [left, right].into_iter().chain(lanes.iter().copied()).collect();
        self.push(
            ExprKind::Call { callee: Callee::Compiler { name, ty }, arguments, call: None },
            result,
            span,
        )
    }

    /// Whether the operand of a cast to a vector is a list in parentheses: `(float4)(a, b)`.
    pub(super) fn is_vector_literal(&self, operand: ast::ExprId) -> bool {
        match &self.ast.exprs[operand].kind {
            Ast::Paren(inner) => matches!(self.ast.exprs[*inner].kind, Ast::Comma { .. }),
            _ => false,
        }
    }

    pub(super) fn vector_literal(&mut self, ty: Ty, operand: ast::ExprId, span: Span) -> ExprId {
        let Ast::Paren(list) = &self.ast.exprs[operand].kind else { return self.unknown(&[], ty, span) };
        let mut parts = Vec::new();
        let mut at = *list;
        while let Ast::Comma { left, right } = &self.ast.exprs[at].kind {
            parts.push(*right);
            at = *left;
        }
        parts.push(at);
        let parts: Vec<ExprId> = parts.into_iter().rev().map(|part| self.done[part]).collect();
        self.vector_of(ty, parts, span)
    }

    /// Adds a vector made of scalars and vectors. Scalars are converted to the element type; vectors must have it.
    pub(super) fn vector_of(&mut self, ty: Ty, parts: Vec<ExprId>, span: Span) -> ExprId {
        let parts: Vec<ExprId> = parts.into_iter().map(|part| self.value(part)).collect();
        let Some((element, lanes)) = ty.as_vector() else { return self.unknown(&parts, ty, span) };
        let mut found: u32 = 0;
        let mut values = Vec::with_capacity(parts.len());
        for &part in &parts {
            let part_ty = self.exprs[part].ty;
            match part_ty.as_vector() {
                Some((of, count)) => {
                    found += u32::from(count);
                    let same = of == element;
                    if !same {
                        let kind = TypeProblemKind::Convert {
                            from: part_ty,
                            to: ty,
                            what: ConversionContext::Operand,
                        };
                        return self.wrong(self.exprs[part].span, kind, &parts);
                    }
                    values.push(part);
                }
                None if part_ty.is_unknown() => return self.unknown(&parts, ty, span),
                None => {
                    found += 1;
                    values.push(self.assigned(part, element, ConversionContext::Operand));
                }
            }
        }
        if let ([only], 1) = (&values[..], found) {
            return self.converted(*only, ty, Conversion::Splat);
        }
        if found != u32::from(lanes) {
            return self.wrong(span, TypeProblemKind::VectorLiteral { ty, lanes: found }, &values);
        }
        self.push(ExprKind::Vector(values.into()), ty, span)
    }
}

/// Returns the type of a compiler function, from its name and the type of its first argument.
fn compiler_function(name: &str, first: Option<Ty>) -> Option<FunctionTy> {
    let name = name.strip_prefix("__builtin_")?;
    let function = |result: Ty, parameters: &[Ty]| {
        Some(FunctionTy { result, parameters: parameters.into(), variadic: false })
    };
    let pointer = Ty::pointer(Ty::VOID, AddressSpace::Generic);
    let of = |suffix: &str| match suffix {
        "l" | "ll" => Some(Ty::ULONG),
        "" => Some(Ty::UINT),
        _ => None,
    };
    for family in ["popcount", "clz", "ctz", "parity"] {
        if let Some(ty) = name.strip_prefix(family).and_then(of) {
            return function(Ty::INT, &[ty]);
        }
    }
    if let Some(ty) = name.strip_prefix("ffs").and_then(of) {
        let ty = if ty == Ty::UINT { Ty::INT } else { Ty::LONG };
        return function(Ty::INT, &[ty]);
    }
    let first = first.unwrap_or(Ty::UNKNOWN);
    match name {
        "bswap16" => function(Ty::USHORT, &[Ty::USHORT]),
        "bswap32" | "bitreverse32" => function(Ty::UINT, &[Ty::UINT]),
        "bswap64" | "bitreverse64" => function(Ty::ULONG, &[Ty::ULONG]),
        "rotateleft32" | "rotateright32" => function(Ty::UINT, &[Ty::UINT, Ty::UINT]),
        "rotateleft64" | "rotateright64" => function(Ty::ULONG, &[Ty::ULONG, Ty::ULONG]),
        "trap" | "unreachable" | "debugtrap" => function(Ty::VOID, &[]),
        "assume" => function(Ty::VOID, &[Ty::BOOL]),
        "memcpy" | "memmove" => function(pointer, &[pointer, pointer, Ty::SIZE]),
        "memset" => function(pointer, &[pointer, Ty::INT, Ty::SIZE]),
        "fabsf" | "sqrtf" | "floorf" | "ceilf" | "truncf" | "rintf" | "roundf" | "sinf" | "cosf" | "expf"
        | "exp2f" | "logf" | "log2f" | "log10f" | "canonicalizef" => function(Ty::FLOAT, &[Ty::FLOAT]),
        "fabs" | "sqrt" | "floor" | "ceil" | "trunc" | "rint" | "round" | "sin" | "cos" | "exp" | "exp2"
        | "log" | "log2" | "log10" => function(Ty::DOUBLE, &[Ty::DOUBLE]),
        "copysignf" | "fminf" | "fmaxf" | "powf" | "fmodf" => function(Ty::FLOAT, &[Ty::FLOAT, Ty::FLOAT]),
        "copysign" | "fmin" | "fmax" | "pow" | "fmod" => function(Ty::DOUBLE, &[Ty::DOUBLE, Ty::DOUBLE]),
        "fmaf" => function(Ty::FLOAT, &[Ty::FLOAT; 3]),
        "fma" => function(Ty::DOUBLE, &[Ty::DOUBLE; 3]),
        "inff" | "huge_valf" => function(Ty::FLOAT, &[]),
        "inf" | "huge_val" => function(Ty::DOUBLE, &[]),
        "elementwise_min"
        | "elementwise_max"
        | "elementwise_add_sat"
        | "elementwise_sub_sat"
        | "elementwise_copysign"
        | "elementwise_pow" => function(first, &[first, first]),
        "elementwise_abs"
        | "elementwise_ceil"
        | "elementwise_floor"
        | "elementwise_sqrt"
        | "elementwise_sin"
        | "elementwise_cos"
        | "elementwise_trunc"
        | "elementwise_roundeven"
        | "elementwise_exp"
        | "elementwise_log"
        | "elementwise_popcount"
        | "elementwise_bitreverse" => function(first, &[first]),
        "elementwise_fma" => function(first, &[first; 3]),
        "reduce_add" | "reduce_mul" | "reduce_and" | "reduce_or" | "reduce_xor" | "reduce_min"
        | "reduce_max" => function(first.as_vector()?.0, &[first]),
        "isnan" | "isinf" | "isfinite" | "isnormal" | "signbit" => function(Ty::INT, &[first]),
        "amdgcn_s_barrier" | "amdgcn_wave_barrier" => function(Ty::VOID, &[]),
        "amdgcn_perm" | "amdgcn_alignbit" | "amdgcn_alignbyte" | "amdgcn_bfe_u32" | "amdgcn_ubfe"
        | "amdgcn_sad_u8" => function(Ty::UINT, &[Ty::UINT; 3]),
        "amdgcn_sbfe" => function(Ty::INT, &[Ty::INT, Ty::UINT, Ty::UINT]),
        "amdgcn_workitem_id_x"
        | "amdgcn_workitem_id_y"
        | "amdgcn_workitem_id_z"
        | "amdgcn_workgroup_id_x"
        | "amdgcn_workgroup_id_y"
        | "amdgcn_workgroup_id_z" => function(Ty::UINT, &[]),
        "amdgcn_readfirstlane" => function(Ty::INT, &[Ty::INT]),
        "amdgcn_readlane" | "amdgcn_ds_bpermute" | "amdgcn_ds_permute" => {
            function(Ty::INT, &[Ty::INT, Ty::INT])
        }
        "amdgcn_mbcnt_lo" | "amdgcn_mbcnt_hi" => function(Ty::UINT, &[Ty::UINT, Ty::UINT]),
        _ => None,
    }
}
