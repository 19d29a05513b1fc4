//! Checks the bodies of functions and of block literals. A block literal sees the names around it.
//!
//! A block literal is checked at its location, in the scopes there. The state of the outer body is set aside meanwhile.
//! **Captured** variable: a variable of an outer body that a block literal mentions. It becomes a variable of the
//! literal too, and of each literal between the two.
//!
//! ```c
//! kernel void k(global int *p, int n) {
//!   void (^f)(int) = ^(int i) { p[i] = n; };   // captures `p` and `n`
//! }
//! ```
//!
//! The body of a lambda is a function of its own. Its parameters are the parameters of the lambda, followed by the captured
//! variables: the address of a variable that the lambda changes, otherwise its value. A call passes both.
//!
//! ```c
//! int x = 0, n = 4;
//! auto f = [&](int y) { x = y + n; };   // f(int y, int &x, int n)
//! f(threadIdx.x);                       // f(threadIdx.x, &x, n)
//! ```
//!
//! A copy that a lambda makes where it is defined is passed where it is called, too. This differs if the variable is
//! changed in between.

use std::mem::take;

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;
use tangle_grammar::ast::{self, AddressSpace, Decl, DeclaratorStep, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;

use super::{BodyState, Checker, ConversionContext, Holds, Meaning, Scope};
use crate::body::{Body, CallId};
use crate::declare::Context;
use crate::def::functions::has_no_result;
use crate::stored::Stored;
use crate::typed::{
    Callee, Capture, Conversion, ExprId, ExprKind, StmtExprs, Storage, TypedBody, Unknown, Var, VarId,
};
use crate::types::{FunctionTy, Pointer, Ty, TyKind};

/// The block literals of a function.
#[derive(Default)]
pub(super) struct Literals<'a> {
    bodies: &'a [Body],
    /// The number of the first body in the item.
    first: usize,
    /// The index in `bodies`, by the statement that is the body.
    places: FxHashMap<ast::StmtId, usize>,
    /// The literals checked so far.
    checked: Vec<Option<CheckedLiteral>>,
}

/// A literal whose body is checked.
pub(super) struct CheckedLiteral {
    pub typed: TypedBody,
    /// The number of bodies around the one with the literal.
    pub depth: usize,
    /// The captured variables: each variable of the body with the literal, and the variable of the literal for it.
    pub captured: Vec<(VarId, VarId)>,
}

impl<'a> Literals<'a> {
    pub fn of(bodies: &'a [Body], first: usize) -> Literals<'a> {
        let roots = bodies.iter().enumerate();
        let places = roots.map(|(place, body)| (body.stmts[Body::ROOT].syntax, place)).collect();
        Literals { bodies, first, places, checked: bodies.iter().map(|_| None).collect() }
    }

    /// Returns a literal by its number in the item. None: its body is not checked yet.
    pub fn get(&self, number: usize) -> Option<&CheckedLiteral> {
        self.checked.get(number.checked_sub(self.first)?)?.as_ref()
    }

    /// Returns the typed bodies. `around` is the key of the function that contains the literals.
    pub fn into_typed(self, around: FunctionKey) -> impl Iterator<Item = TypedBody> {
        let numbers = self.first..;
        self.checked.into_iter().zip(numbers).map(move |(checked, number)| TypedBody {
            key: TypedBody::key_of_literal(around, number),
            ..checked.map_or_else(|| unchecked(around), |checked| checked.typed)
        })
    }
}

/// Returns an empty body, for a literal that was not checked.
fn unchecked(key: FunctionKey) -> TypedBody {
    TypedBody { key, ty: Ty::UNKNOWN, vars: IndexVec::new(), exprs: IndexVec::new(), stmts: IndexVec::new() }
}

/// The variables of a body, set aside while a block literal inside it is checked.
pub(super) struct OuterBody {
    vars: IndexVec<VarId, Var>,
    held: FxHashMap<VarId, Holds>,
    /// The number of scopes outside of the block.
    scopes: usize,
    /// The variables that the block captures, each with the corresponding variable of the block.
    captured: FxHashMap<VarId, VarId>,
    /// The lambda that is checked. None: another kind of literal, which has copies.
    lambda: Option<ast::Lambda>,
}

/// Returns the parameters of a function declaration. The first function derivation belongs to the name.
fn parameters(decl: &Decl) -> &[ast::DeclId] {
    decl.declarator
        .iter()
        .find_map(|derived| match derived {
            DeclaratorStep::Function { parameters, .. } => Some(&**parameters),
            _ => None,
        })
        .unwrap_or_default()
}

impl<'a> Checker<'a> {
    /// Checks the body of a function. `method`: its key and the type of the pointer to the object, if it has one.
    pub(super) fn function(
        &mut self,
        decl: &'a Decl,
        body: &'a Body,
        method: Option<(FunctionKey, Option<Ty>)>,
    ) -> TypedBody {
        let q = self.declared(decl, Context::Other);
        let (key, this) = match method {
            Some(method) => method,
            None => (self.meaning_of_function(decl, body.name.text, q.ty).key, None),
        };
        self.function_key = Some(key);
        self.lambdas.clear();
        let result = match has_no_result(decl) {
            true => Ty::VOID,
            false => q.ty.as_function().map_or(Ty::UNKNOWN, |function| function.result),
        };
        self.done = Default::default();
        let typed = self.body(key, body, this, parameters(decl), Some(result));
        TypedBody { ty: q.ty, ..typed }
    }

    /// Checks a body in the current scopes. `result`: None if the result type is not specified.
    fn body(
        &mut self,
        key: FunctionKey,
        body: &'a Body,
        this: Option<Ty>,
        parameters: &[ast::DeclId],
        result: Option<Ty>,
    ) -> TypedBody {
        self.vars = Default::default();
        self.held = Default::default();
        self.exprs = Default::default();
        let literals = take(&mut self.literal_numbers);
        let outside = self.scopes.len();
        self.scopes.push(Scope::default());
        if let Some(ty) = this {
            self.object(ty, body);
        }
        let parameters = self.parameters(parameters, body.kernel);
        let ast = self.ast;
        let mut nested = FxHashMap::default();
        let mut labels = FxHashMap::default();
        for (id, stmt) in body.stmts.iter_enumerated() {
            nested.insert(stmt.syntax, id);
            if let ast::StmtKind::Label { name, .. } = &ast.stmts[stmt.syntax].kind {
                labels.entry(name.text).or_insert(id);
            }
        }
        self.body = Some(BodyState {
            body,
            result: result.map_or(Ty::VOID, |result| self.complete(result)),
            result_deduced: result.is_none(),
            stmts: index_vec![StmtExprs::Nothing; body.stmts.len()],
            blocks: Vec::new(),
            checked: FxHashMap::default(),
            calls: calls_by_place(body),
            nested,
            labels,
            switches: FxHashMap::default(),
        });
        self.statements(body, Body::ROOT, body.stmts[Body::ROOT].end);
        self.scopes.truncate(outside);
        self.literal_numbers = literals;
        let BodyState { result, stmts, .. } = self.body.take().expect("it was entered above");
        let ty = Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic: false })));
        let mut typed =
            TypedBody { key, ty, vars: take(&mut self.vars), exprs: take(&mut self.exprs), stmts };
        // Bodies are stored for long, so spare memory is released.
        typed.vars.shrink_to_fit();
        typed.exprs.shrink_to_fit();
        typed
    }

    /// Declares the object of a method, as its first parameter.
    fn object(&mut self, ty: Ty, body: &Body) {
        // The body knows the members of the class, unlike the type of the method.
        let ty = match ty.as_pointer() {
            Some(pointer) => {
                let pointee = self.complete(pointer.pointee);
                Ty::new(TyKind::Pointer(Pointer { pointee, ..*pointer }))
            }
            None => ty,
        };
        let name = ast::Name { text: Symbol::intern("this"), span: body.name.span };
        let var = self.vars.push(Var {
            name: Some(name),
            ty,
            storage: Storage::Parameter,
            space: AddressSpace::Private,
            constant: true,
            volatile: false,
            is_object: true,
            span: name.span,
        });
        self.scope().enter(name.text, Meaning::Variable(var));
        if let Some(class) = &mut self.class {
            class.this = Some(var);
        }
    }

    /// Declares parameters, and returns their types.
    fn parameters(&mut self, list: &[ast::DeclId], kernel: bool) -> Box<[Ty]> {
        let mut types = Vec::with_capacity(list.len());
        for &id in list {
            let ast = self.ast;
            let parameter = &ast.decls[id];
            let mut q = self.declared(parameter, Context::Parameter);
            if q.ty.is_void() && parameter.name.is_none() {
                continue;
            }
            if self.cpp && kernel {
                q.ty = in_global_memory(q.ty);
            }
            types.push(q.ty);
            let ty = match q.ty.as_pointer() {
                Some(pointer) if q.restrict => {
                    Ty::new(TyKind::Pointer(Pointer { restrict: true, ..*pointer }))
                }
                _ => self.complete(q.ty),
            };
            let var = self.vars.push(Var {
                name: parameter.name,
                ty,
                storage: Storage::Parameter,
                space: AddressSpace::Private,
                constant: q.constant,
                volatile: q.volatile,
                is_object: false,
                span: parameter.span,
            });
            if let Some(name) = parameter.name {
                self.scope().enter(name.text, Meaning::Variable(var));
            }
        }
        types.into()
    }

    /// Checks a literal: a block, or a `lambda`.
    pub(super) fn block(
        &mut self,
        ty: Option<ast::TypeId>,
        (parameters, body): (&[ast::DeclId], ast::StmtId),
        lambda: Option<&ast::Lambda>,
        span: ast::Span,
    ) -> ExprId {
        let known = self.literals.places.get(&body).copied().filter(|_| !self.is_speculative());
        let function = stacker::maybe_grow(64 * 1024, 1024 * 1024, || match known {
            Some(place) => self.literal(place, ty, parameters, lambda),
            // Never evaluated, or checked speculatively: only its type is needed.
            None => self.type_of_block(ty, parameters),
        });
        let literal = self.push(ExprKind::Block, Ty::new(TyKind::BlockPointer(function)), span);
        if let Some(place) = known {
            let number = self.literals.first + place;
            self.literal_numbers.insert(literal, number);
        }
        literal
    }

    /// Checks the body of a literal, and returns its function type.
    fn literal(
        &mut self,
        place: usize,
        ty: Option<ast::TypeId>,
        parameters: &[ast::DeclId],
        lambda: Option<&ast::Lambda>,
    ) -> Ty {
        if let Some(checked) = &self.literals.checked[place] {
            return checked.typed.ty;
        }
        let result = ty.map(|ty| self.result_of_block(ty));
        self.around.push(OuterBody {
            vars: take(&mut self.vars),
            held: take(&mut self.held),
            scopes: self.scopes.len(),
            captured: FxHashMap::default(),
            lambda: lambda.cloned(),
        });
        let around = (take(&mut self.exprs), self.body.take());
        let bodies = self.literals.bodies;
        let body = &bodies[place];
        let mut typed = self.body(FunctionKey::plain(body.name.text), body, None, parameters, result);
        (self.exprs, self.body) = around;
        let OuterBody { vars, held, captured, .. } = self.around.pop().expect("it was pushed above");
        (self.vars, self.held) = (vars, held);
        let mut captured: Vec<(VarId, VarId)> = captured.into_iter().collect();
        captured.sort_unstable_by_key(|&(_, own)| own);
        copy_where_only_read(&mut typed);
        let ty = typed.ty;
        let depth = self.around.len();
        self.literals.checked[place] = Some(CheckedLiteral { typed, depth, captured });
        ty
    }

    /// Returns the result type in the syntax of a literal. With parameters, the syntax is a function type.
    fn result_of_block(&mut self, ty: ast::TypeId) -> Ty {
        let ty = self.type_name(ty).ty;
        ty.as_function().map_or(ty, |function| function.result)
    }

    /// Returns the type of a literal whose body is not checked.
    fn type_of_block(&mut self, ty: Option<ast::TypeId>, parameters: &[ast::DeclId]) -> Ty {
        let result = ty.map_or(Ty::VOID, |ty| self.result_of_block(ty));
        let ast = self.ast;
        let parameters = parameters.iter();
        let parameters =
            parameters.map(|&parameter| self.declared(&ast.decls[parameter], Context::Parameter).ty);
        let parameters: Vec<Ty> = parameters.filter(|ty| !ty.is_void()).collect();
        Ty::new(TyKind::Function(Box::new(FunctionTy {
            result,
            parameters: parameters.into(),
            variadic: false,
        })))
    }

    /// Returns the variable of the current body for a variable that a name means in the current scopes. Captures it
    /// where necessary.
    pub(super) fn captured(&mut self, name: Symbol, var: VarId) -> VarId {
        let scope = self.scopes.iter().rposition(|scope| scope.has(name));
        let declared_in = self.around.partition_point(|around| Some(around.scopes) <= scope);
        (declared_in..self.around.len()).fold(var, |var, level| self.capture(level, var))
    }

    /// Captures a variable of an outer body, and returns the variable of the block inside it.
    pub(super) fn capture(&mut self, level: usize, var: VarId) -> VarId {
        let (around, inside) = self.around.split_at_mut(level + 1);
        let OuterBody { vars: outer, held: held_outside, captured, lambda, .. } = &mut around[level];
        let (vars, held) = match inside.first_mut() {
            Some(inside) => (&mut inside.vars, &mut inside.held),
            None => (&mut self.vars, &mut self.held),
        };
        let own = *captured.entry(var).or_insert_with(|| {
            let it = &outer[var];
            let storage = match &it.storage {
                Storage::Extern(name) => Storage::Extern(*name),
                _ => {
                    Storage::Captured(lambda.as_ref().map_or(Capture::Copy, |lambda| capture_of(lambda, it)))
                }
            };
            // A copy cannot be changed.
            let is_copy = storage == Storage::Captured(Capture::Copy) && it.space == AddressSpace::Private;
            let constant = it.constant || is_copy;
            let own = vars.push(Var { storage, constant, ..it.clone() });
            held.extend(held_outside.get(&var).map(|holds| (own, holds.clone())));
            own
        });
        if let Some(&lambda) = self.lambdas.get(&(level, var)) {
            self.lambdas.insert((level + 1, own), lambda);
        }
        own
    }

    /// Returns the number of the lambda that a value is.
    pub(super) fn lambda_of(&self, value: ExprId) -> Option<usize> {
        let of_variable = || {
            let ExprKind::Load(place) = self.exprs[value].kind else { return None };
            let ExprKind::Variable(var) = self.exprs[place].kind else { return None };
            self.lambdas.get(&(self.around.len(), var))
        };
        self.literal_numbers.get(&value).or_else(of_variable).copied()
    }

    /// Adds a call of a lambda, by its number in the item.
    pub(super) fn call_of_lambda(
        &mut self,
        number: usize,
        arguments: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> ExprId {
        let known = self.literals.get(number).zip(self.function_key);
        let Some((lambda, around)) = known else {
            // A lambda that calls itself.
            let values: Vec<ExprId> = arguments.iter().map(|&argument| self.value(argument)).collect();
            let what = Unknown::Call { named: None, call, constant: false, template: None };
            return self.unknown_as(what, &values, Ty::UNKNOWN, span);
        };
        let (key, depth) = (TypedBody::key_of_literal(around, number), lambda.depth);
        let of = lambda.typed.ty.as_function().cloned();
        let captured: Vec<_> = lambda
            .captured
            .iter()
            .filter_map(|&(var, own)| match lambda.typed.vars[own].storage {
                Storage::Captured(capture) => Some((var, capture)),
                _ => None,
            })
            .collect();
        let Some(FunctionTy { result, parameters, .. }) = of else {
            return self.unknown(&arguments, Ty::UNKNOWN, span);
        };
        let mut given: Vec<ExprId> = Vec::with_capacity(parameters.len() + captured.len());
        let mut arguments = arguments.into_iter();
        for (at, &parameter) in parameters.iter().enumerate() {
            let parameter = self.complete(parameter);
            given.push(match arguments.next() {
                Some(argument) => self.bind_or_convert(argument, parameter, ConversionContext::Argument(at)),
                // A default argument is assumed to be a constant of the build.
                None => self.unknown(&[], parameter, span),
            });
        }
        for (var, capture) in captured {
            // The bodies between the lambda and the call capture the variable, too.
            let var = (depth..self.around.len()).fold(var, |var, level| self.capture(level, var));
            let (ty, space) = (self.complete(self.vars[var].ty), self.vars[var].space);
            let place = self.push(ExprKind::Variable(var), ty, span);
            match (capture, space) {
                (Capture::Reference, AddressSpace::Local) => {
                    let address = self.address_of(place, span);
                    let to = Ty::reference(ty, AddressSpace::Generic);
                    given.push(self.converted(address, to, Conversion::Pointer));
                }
                (Capture::Reference, _) | (_, AddressSpace::Local) => {
                    given.push(self.address_of(place, span))
                }
                (Capture::Copy, AddressSpace::Private | AddressSpace::Generic) => {
                    given.push(self.value(place))
                }
                // The body names the variable itself.
                (Capture::Copy, AddressSpace::Global | AddressSpace::Constant) => {}
            }
        }
        let parameters = given.iter().map(|&it| self.exprs[it].ty).collect();
        let ty = Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic: false })));
        let callee = Callee::Function { key, ty };
        let result = self.complete(result);
        let called = self.push(ExprKind::Call { callee, arguments: given.into(), call }, result, span);
        self.deref_reference(called)
    }
}

/// Returns how a lambda captures a variable. An array is not copied: no value of a call has its type.
fn capture_of(lambda: &ast::Lambda, var: &Var) -> Capture {
    let name = var.name.map(|name| name.text);
    let own = lambda.captures.iter().find(|capture| Some(capture.name.text) == name);
    let by_reference = match own {
        Some(capture) => capture.by_reference,
        None => lambda.capture_default == Some(true),
    };
    let is_array = matches!(var.ty.kind(), TyKind::Array { .. });
    match var.space {
        // A lambda uses a shared variable itself.
        AddressSpace::Local => Capture::Reference,
        AddressSpace::Private | AddressSpace::Generic if by_reference || is_array => Capture::Reference,
        _ => Capture::Copy,
    }
}

/// Lets a lambda have copies of the variables that it only reads.
fn copy_where_only_read(typed: &mut TypedBody) {
    let is_reference = |var: &Var| var.storage == Storage::Captured(Capture::Reference);
    if !typed.vars.iter().any(is_reference) {
        return;
    }
    let stored = Stored::in_body(typed);
    for (id, var) in typed.vars.iter_mut_enumerated() {
        let is_array = matches!(var.ty.kind(), TyKind::Array { .. });
        let is_shared = var.space == AddressSpace::Local;
        if is_reference(var)
            && !is_array
            && !is_shared
            && !stored.changed.contains(&id)
            && !stored.taken.contains(&id)
        {
            var.storage = Storage::Captured(Capture::Copy);
        }
    }
}

/// Returns the type of a kernel parameter in C++. The host can pass only pointers to global memory.
fn in_global_memory(ty: Ty) -> Ty {
    match ty.as_pointer() {
        Some(pointer) if pointer.space == AddressSpace::Generic => {
            Ty::new(TyKind::Pointer(Pointer { space: AddressSpace::Global, ..*pointer }))
        }
        _ => ty,
    }
}

/// Returns the calls of a body by location. Several operations of inline assembly can be in one string literal: the
/// first of them counts.
fn calls_by_place(body: &Body) -> FxHashMap<Span, CallId> {
    let mut calls = FxHashMap::default();
    for (id, call) in body.calls.iter_enumerated() {
        calls.entry(call.span).or_insert(id);
    }
    calls
}
