//! The types of declarations: what the specifiers say, and what the declarator makes of it.
//!
//! **Specified type**: what stands before the declarators, with its qualifiers (`specifiers`, `records`). **Declarator**: the steps
//! from a name outwards to the specified type; the type is made on the way back.
//!
//! ```c
//! global const float *rows[3];   // specified: float, global, const
//! // declarator [Array 3, Pointer]: pointer to global const float, then an array of 3 such
//! ```
//!
//! A qualifier belongs to what is declared, or, behind a `*`, to what that points to: so [`Qualified`] travels along the
//! declarator, and a pointer takes its qualifiers up. A pointer to a place that names no address space points into the generic one.

mod attributes;
mod records;
mod specifiers;

use tangle_grammar::ast::{self, AddressSpace, Decl, DeclId, Derived, ExprId, Qualifiers, Span, Storage};
use tangle_grammar::symbol::Symbol;

use super::check::{Checker, FunctionMeaning, Meaning, Qualified, Scope, TypeProblemKind};
use super::layout::{MAX_SIZE, layout};
use super::types::{FunctionTy, Opaque, Pointer, Record, Ty, TyKind};

/// How many steps a declarator may have. Clang's limit for brackets is the same.
const MAX_STEPS: usize = 256;

/// Where a declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    File,
    Block,
    Parameter { kernel: bool },
    Member,
}

impl Qualified {
    /// A type that nothing qualifies.
    pub fn plain(ty: Ty) -> Qualified {
        Qualified { ty, space: None, constant: false, volatile: false, restrict: false }
    }

    /// A pointer to this. Into the generic address space, unless this says where it is.
    pub fn pointer(self) -> Ty {
        Ty::new(TyKind::Pointer(Pointer {
            pointee: self.ty,
            space: self.space.unwrap_or(AddressSpace::Generic),
            constant: self.constant,
            volatile: self.volatile,
            restrict: false,
        }))
    }
}

impl Ty {
    /// The pointer with or without `restrict`; any other type as it is.
    pub fn with_restrict(self, restrict: bool) -> Ty {
        match self.kind() {
            TyKind::Pointer(pointer) if pointer.restrict != restrict => {
                Ty::new(TyKind::Pointer(Pointer { restrict, ..*pointer }))
            }
            _ => self,
        }
    }
}

impl Checker<'_> {
    /// What an ordinary name stands for here. None: nothing declares it, but the dialect may.
    pub(super) fn lookup(&self, name: Symbol) -> Option<Meaning> {
        let inner = self.scopes.iter().rev().find_map(|scope| scope.ordinary.get(&name));
        inner.or_else(|| self.names.ordinary(name)).cloned()
    }

    /// The record or enumeration type of a tag.
    pub(super) fn lookup_tag(&self, tag: Symbol) -> Option<Ty> {
        let inner = self.scopes.iter().rev().find_map(|scope| scope.tags.get(&tag));
        inner.copied().or_else(|| self.names.tag(tag))
    }

    /// The type with the members that are known here: a record that is mentioned by its tag is looked up.
    pub(super) fn complete(&self, ty: Ty) -> Ty {
        match ty.kind() {
            TyKind::Record(record) if record.definition.is_none() => record
                .tag
                .and_then(|tag| self.lookup_tag(tag))
                .filter(|found| found.as_record().is_some_and(|found| found.union == record.union))
                .unwrap_or(ty),
            _ => ty,
        }
    }

    /// The innermost scope.
    fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        self.scopes.last_mut().expect("just made")
    }

    /// The type of a cast, `sizeof` and the like.
    pub(super) fn type_name(&mut self, id: ast::TypeId) -> Qualified {
        let ast = self.ast;
        let name = &ast.types[id];
        let specified = self.specified_once(&name.specifiers);
        self.derived(specified, &name.declarator, Context::Block, false, name.span)
    }

    /// The type of what a declaration declares, with the qualifiers that it names. Records and enumerations defined on the way are
    /// entered in the innermost scope; the declared name itself is not.
    ///
    /// The type of a parameter is adjusted: arrays and functions are pointers. Where the space is None, see
    /// [`space_of`](Checker::space_of).
    pub(super) fn declared(&mut self, decl: &Decl, context: Context) -> Qualified {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.declared_here(decl, context))
    }

    fn declared_here(&mut self, decl: &Decl, context: Context) -> Qualified {
        let mut specified = self.specified_once(&decl.specifiers);
        if decl.declarator.is_empty()
            && decl.specifiers.storage.contains(&Storage::Typedef)
            && let Some(name) = decl.name
        {
            specified = self.named_by_typedef(specified, name.text);
        }
        specified.ty = self.with_vector_attributes(specified.ty, &decl.attributes);
        let kernel = decl.specifiers.storage.contains(&Storage::Kernel);
        let declared = self.derived(specified, &decl.declarator, context, kernel, decl.span);
        match context {
            Context::Parameter { kernel } => self.parameter(declared, kernel, decl.span),
            _ => declared,
        }
    }

    /// Where a variable lives whose declaration says nothing of it, or what it says.
    pub(super) fn space_of(&self, decl: &Decl, declared: Qualified, context: Context) -> AddressSpace {
        let storage = &decl.specifiers.storage;
        let outlives = storage.contains(&Storage::Static) || storage.contains(&Storage::Extern);
        match declared.space {
            Some(space) => space,
            // A sampler is a constant wherever it is declared outside of functions.
            None if context == Context::File && is_sampler(declared.ty) => AddressSpace::Constant,
            None if context == Context::File || context == Context::Block && outlives => AddressSpace::Global,
            None => AddressSpace::Private,
        }
    }

    /// Enters the name that a declaration at file scope declares, and what it means.
    pub(super) fn declare_at_file_scope(&mut self, decl: &Decl) -> Qualified {
        let mut declared = self.declared(decl, Context::File);
        let Some(name) = decl.name else { return declared };
        let meaning = if decl.specifiers.storage.contains(&Storage::Typedef) {
            Meaning::Type(declared)
        } else if declared.ty.as_function().is_some() {
            let overloadable = attributes::has(decl, "overloadable");
            self.with_overloads(name.text, FunctionMeaning { ty: declared.ty, overloadable })
        } else {
            let space = self.space_of(decl, declared, Context::File);
            let external = decl.specifiers.storage.contains(&Storage::Extern);
            if !external && matches!(space, AddressSpace::Local | AddressSpace::Private) {
                self.problem(name.span, TypeProblemKind::FileScopeSpace(space));
            }
            if let Some(initializer) = &decl.initializer {
                declared.ty = self.completed_by(declared.ty, initializer);
            }
            let Qualified { ty, constant, volatile, .. } = declared;
            Meaning::Global { ty, space, constant, volatile }
        };
        self.scope().ordinary.insert(name.text, meaning);
        declared
    }

    /// The functions of a name, once one more is declared: those that can be overloaded stand beside each other.
    fn with_overloads(&self, name: Symbol, function: FunctionMeaning) -> Meaning {
        let mut all = Vec::new();
        if function.overloadable
            && let Some(Meaning::Functions(before)) = self.lookup(name)
        {
            all.extend(
                before.into_iter().filter(|one| one.overloadable && !same_parameters(one.ty, function.ty)),
            );
        }
        all.push(function);
        Meaning::Functions(all.into())
    }

    /// What a declarator makes of the specified type.
    fn derived(
        &mut self,
        specified: Qualified,
        declarator: &[Derived],
        context: Context,
        kernel: bool,
        span: Span,
    ) -> Qualified {
        if declarator.len() > MAX_STEPS {
            self.problem(span, TypeProblemKind::DeclaratorTooLong);
            return Qualified::plain(Ty::UNKNOWN);
        }
        let mut all = specified;
        for (place, step) in declarator.iter().enumerate().rev() {
            all = match step {
                Derived::Pointer { qualifiers } => pointer(all, qualifiers),
                Derived::BlockPointer { qualifiers } => {
                    let ty = if all.ty.is_unknown() { all.ty } else { Ty::new(TyKind::BlockPointer(all.ty)) };
                    qualified(ty, qualifiers)
                }
                Derived::Array { size } => {
                    // The first dimension of a parameter is gone once it is a pointer, and need not be constant.
                    let parameter = matches!(context, Context::Parameter { .. }) && place == 0;
                    self.array(all, size.filter(|_| !parameter), span)
                }
                Derived::Function { parameters, variadic } => {
                    let result = self.result(all.ty, kernel && place == 0, span);
                    self.function(result, parameters, *variadic, kernel && place == 0)
                }
            };
        }
        all
    }

    fn array(&mut self, element: Qualified, size: Option<ExprId>, span: Span) -> Qualified {
        let unknown = Qualified { ty: Ty::UNKNOWN, ..element };
        let ty = self.complete(element.ty);
        if ty.is_unknown() {
            return unknown;
        }
        if ty.as_function().is_some() {
            self.problem(span, TypeProblemKind::ArrayOfFunctions);
            return unknown;
        }
        let Some(width) = layout(ty) else {
            self.problem(span, TypeProblemKind::IncompleteType(ty));
            return unknown;
        };
        let Some(size) = size else { return Qualified { ty: Ty::array(ty, None), ..element } };
        let place = self.ast.exprs[size].span;
        let Some(length) = self.constant_integer(size) else {
            // Of what is unknown the place of its origin says so already.
            if !self.type_of_expr(size).ty.is_unknown() {
                self.problem(place, TypeProblemKind::ArraySizeNotConstant);
            }
            return unknown;
        };
        let fits = u64::try_from(length)
            .ok()
            .filter(|&length| length.checked_mul(width.size).is_some_and(|bytes| bytes <= MAX_SIZE));
        if fits.is_none() {
            self.problem(place, TypeProblemKind::ArraySize(length));
            return unknown;
        }
        Qualified { ty: Ty::array(ty, fits), ..element }
    }

    fn result(&mut self, ty: Ty, kernel: bool, span: Span) -> Ty {
        if matches!(ty.kind(), TyKind::Array { .. } | TyKind::Function(_)) {
            self.problem(span, TypeProblemKind::FunctionReturns(ty));
            return Ty::UNKNOWN;
        }
        if kernel && !ty.is_void() && !ty.is_unknown() {
            self.problem(span, TypeProblemKind::KernelResult(ty));
        }
        ty.with_restrict(false)
    }

    fn function(&mut self, result: Ty, parameters: &[DeclId], variadic: bool, kernel: bool) -> Qualified {
        let ast = self.ast;
        // Tags first mentioned among parameters are known there only.
        self.scopes.push(Scope::default());
        let parameters = parameters
            .iter()
            .map(|&id| self.declared(&ast.decls[id], Context::Parameter { kernel }).ty.with_restrict(false))
            .collect();
        self.scopes.pop();
        Qualified::plain(Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic }))))
    }

    /// A parameter's type after adjustment.
    fn parameter(&mut self, declared: Qualified, kernel: bool, span: Span) -> Qualified {
        let mut adjusted = match declared.ty.kind() {
            TyKind::Array { element, .. } => {
                Qualified::plain(Qualified { ty: *element, ..declared }.pointer())
            }
            TyKind::Function(_) => Qualified::plain(Qualified::plain(declared.ty).pointer()),
            _ => Qualified { ty: self.complete(declared.ty), ..declared },
        };
        if adjusted.ty.is_void() {
            self.problem(span, TypeProblemKind::IncompleteType(adjusted.ty));
            adjusted.ty = Ty::UNKNOWN;
        }
        if kernel {
            let unfit = match adjusted.ty.kind() {
                TyKind::Pointer(pointer) => match pointer.space {
                    AddressSpace::Private | AddressSpace::Generic => {
                        Some(TypeProblemKind::KernelPointerSpace(adjusted.ty))
                    }
                    _ if pointer.pointee.as_function().is_some() => {
                        Some(TypeProblemKind::KernelParameter(adjusted.ty))
                    }
                    _ => None,
                },
                TyKind::Bool | TyKind::BlockPointer(_) | TyKind::Opaque(Opaque::Event) => {
                    Some(TypeProblemKind::KernelParameter(adjusted.ty))
                }
                _ => None,
            };
            if let Some(kind) = unfit {
                self.problem(span, kind);
            }
        }
        adjusted
    }

    /// The record without a tag that a typedef defines goes by the typedef's name.
    fn named_by_typedef(&mut self, specified: Qualified, name: Symbol) -> Qualified {
        let TyKind::Record(record) = specified.ty.kind() else { return specified };
        if record.tag.is_some() {
            return specified;
        }
        let named = Record { tag: Some(name), ..(**record).clone() };
        let named = Qualified { ty: Ty::new(TyKind::Record(Box::new(named))), ..specified };
        if let Some((_, ty)) = &mut self.read {
            *ty = named;
        }
        named
    }
}

fn pointer(pointee: Qualified, qualifiers: &Qualifiers) -> Qualified {
    // A pointer to what is not known is a pointer still, but `unknown *` tells nobody more than `unknown`.
    let ty = if pointee.ty.is_unknown() { pointee.ty } else { pointee.pointer() };
    qualified(ty.with_restrict(qualifiers.restrict), qualifiers)
}

/// A pointer with what stands behind its `*`.
fn qualified(ty: Ty, qualifiers: &Qualifiers) -> Qualified {
    let ty = if qualifiers.atomic && !ty.is_unknown() { Ty::new(TyKind::Atomic(ty)) } else { ty };
    Qualified {
        ty,
        space: qualifiers.space,
        constant: qualifiers.constant_value,
        volatile: qualifiers.volatile,
        restrict: qualifiers.restrict,
    }
}

fn is_sampler(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Opaque(Opaque::Sampler))
}

pub(super) fn same_parameters(a: Ty, b: Ty) -> bool {
    match (a.as_function(), b.as_function()) {
        (Some(a), Some(b)) => a.parameters == b.parameters && a.variadic == b.variadic,
        _ => a == b,
    }
}
