//! Classes: the keys of their methods, the names inside them, and the parameters of templates.
//!
//! **Given**: a template parameter. A template is checked once, for all possible arguments. A parameter that is a value
//! is the same in all threads of a launch (`docs/semantics.md` §9); its type is known only if it is an integer type of
//! at least 32 bits. A type parameter is unknown.
//!
//! ```c
//! template <typename T, int N> struct tile {   // T: an unknown type; N: given
//!   T part[N];
//!   __device__ void load(const T *p) {         // `part` is a member of `*this`
//!     part[0] = p[threadIdx.x];
//!   }
//! };
//! ```
//!
//! A call does not always determine the class of a method, so methods are looked up by name in all classes. A method
//! has the object as its first parameter.

use tangle_grammar::ast::{self, AddressSpace, Decl, DeclaratorStep, Storage, TemplateParameterKind};
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::{DeclaringScope, FunctionKey, InstanceArgument};

use super::{Checker, FunctionMeaning, LookupKey, Meaning, Qualified, Scope};
use crate::body::Body;
use crate::declare::{Context, pointer_to};
use crate::def::functions::{FunctionDefinition, class_name, has_this, members_of, written_class};
use crate::def::overload;
use crate::typed::{ExprId, ExprKind, TypedBody, VarId};
use crate::types::{FunctionTy, RecordName, Ty, TyKind};

/// The class around a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct EnclosingClass {
    pub class: RecordName,
    /// The object, if the method has one.
    pub this: Option<VarId>,
}

impl<'a> Checker<'a> {
    /// Enters scopes with the template parameters of a declaration. Returns the number of scopes outside of them.
    pub(crate) fn enter_templates(&mut self, decl: &Decl) -> usize {
        let outside = self.scopes.len();
        let Some(more) = &decl.more else { return outside };
        for parameters in &more.templates {
            let mut scope = Scope::default();
            for parameter in parameters {
                let Some(name) = parameter.name else { continue };
                let meaning = match parameter.kind {
                    TemplateParameterKind::Type | TemplateParameterKind::Template => {
                        Meaning::Type(Qualified::plain(Ty::UNKNOWN))
                    }
                    TemplateParameterKind::Value(given) => {
                        Meaning::TemplateValue { ty: self.template_value_type(given) }
                    }
                };
                scope.enter(name.text, meaning);
            }
            self.scopes.push(scope);
        }
        outside
    }

    /// Enters a scope with the known template arguments of a function. They hide the parameters.
    fn enter_arguments(&mut self, decl: &'a Decl) {
        let mut scope = Scope::default();
        let templates = decl.more.as_ref().map_or(&[][..], |more| &more.templates);
        for parameter in templates.iter().flatten() {
            let Some(name) = parameter.name else { continue };
            let meaning = match (self.arguments.get(name.text), parameter.kind) {
                (Some(InstanceArgument::Value { value, .. }), TemplateParameterKind::Value(given)) => {
                    let ty = match self.template_value_type(given) {
                        Ty::UNKNOWN => Ty::INT,
                        ty => ty,
                    };
                    Meaning::Enumerator { value, ty }
                }
                (Some(InstanceArgument::Type(ty)), TemplateParameterKind::Type) => {
                    Meaning::Type(Qualified::plain(ty))
                }
                _ => continue,
            };
            scope.enter(name.text, meaning);
        }
        self.scopes.push(scope);
        // The specifiers can mean other types now.
        self.read = None;
    }

    /// Returns the type of a template parameter that is a value, if it is an integer type of at least 32 bits.
    fn template_value_type(&mut self, given: ast::DeclId) -> Ty {
        let ast = self.ast;
        let ty = self.quietly(|checker| checker.declared(&ast.decls[given], Context::Parameter).ty);
        match ty.as_integer() {
            Some(integer) if integer.bits() >= 32 => ty,
            _ => Ty::UNKNOWN,
        }
    }

    /// Enters a scope with the types that a class names: `using extents_type = Extents;`.
    fn enter_member_types(&mut self, class: &'a Decl) {
        self.scopes.push(Scope::default());
        for &member in members_of(class).unwrap_or_default() {
            let member = &self.ast.decls[member];
            if let (Some(name), true) = (member.name, member.specifiers.storage.contains(&Storage::Typedef)) {
                let outside = self.enter_templates(member);
                let ty = self.declared(member, Context::Other);
                self.leave_templates(outside);
                self.scope().enter(name.text, Meaning::Type(ty));
            }
        }
    }

    /// Leaves the scopes of template parameters. Types that the declaration defines stay visible.
    pub(crate) fn leave_templates(&mut self, outside: usize) {
        let inner = self.scopes.split_off(outside);
        for scope in inner {
            // Parameters belong to the template. Types that it defines belong to the scope around it.
            for (tag, ty) in scope.tags {
                if self.cpp && tag.arguments().is_empty() {
                    self.scope().enter(tag.name(), Meaning::Type(Qualified::plain(ty)));
                }
                self.scope().tags.insert(tag, ty);
            }
        }
    }

    /// Returns the meaning of a function, with the key that calls use.
    pub(super) fn meaning_of_function(&mut self, decl: &Decl, name: Symbol, ty: Ty) -> FunctionMeaning {
        let meaning = self.overloaded(decl, name, ty);
        let Some(template) = self.template(decl, ty) else { return meaning };
        let meaning = FunctionMeaning { template: Some(template), ..meaning };
        match template.parameters() {
            [] => meaning,
            // The types of a template show which parameters they mention, also the type of the result.
            _ => {
                let overload = Some(template.signature());
                FunctionMeaning { key: FunctionKey { overload, ..meaning.key }, ..meaning }
            }
        }
    }

    /// Returns the meaning of a function that is no template.
    fn overloaded(&self, decl: &Decl, name: Symbol, ty: Ty) -> FunctionMeaning {
        let namespace = self.written_namespace(decl).unwrap_or(self.names.namespace);
        let meaning = FunctionMeaning::of(decl, name, namespace, ty);
        if !self.cpp {
            return meaning;
        }
        // Every function of C++ can be overloaded, except kernels in C's manner and `extern "C"` functions. For these,
        // the overload does no harm.
        let overload = Some(overload::signature(ty));
        let own = ty.as_function().map_or(0, |function| function.parameters.len());
        let written = parameters(decl);
        let defaulted = written.iter().rev().take_while(|&&id| self.has_default(id)).count();
        let required = own.saturating_sub(defaulted) as u32;
        FunctionMeaning { key: FunctionKey { overload, ..meaning.key }, required, ..meaning }
    }

    fn has_default(&self, parameter: ast::DeclId) -> bool {
        self.ast.decls[parameter].more.as_ref().is_some_and(|more| more.default.is_some() || more.pack)
    }

    /// Declares the methods of the class that a declaration defines, or the method that it declares outside of a class.
    pub(super) fn export_members(&mut self, decl: &'a Decl) {
        if !self.cpp {
            return;
        }
        let ast = self.ast;
        if written_class(decl).is_some() && decl.name.is_some() {
            let outside = self.enter_templates(decl);
            let class = self.written_owner(decl);
            self.leave_templates(outside);
            if let Some(class) = class {
                self.export_method(decl, class, false);
            }
        }
        let mut todo = vec![decl];
        while let Some(decl) = todo.pop() {
            let Some(members) = members_of(decl) else { continue };
            let outside = self.enter_templates(decl);
            let class = self.class_owner(decl);
            for &member in members {
                let member = &ast.decls[member];
                if let Some(class) = class {
                    self.export_method(member, class, true);
                }
                todo.push(member);
            }
            self.leave_templates(outside);
        }
    }

    /// Returns the class that a declaration defines.
    fn class_owner(&mut self, decl: &Decl) -> Option<RecordName> {
        let (class, arguments) = class_name(decl)?;
        Some(self.defined_class(self.names.namespace, class, arguments))
    }

    /// Returns the namespace of a function that is declared outside of it: `ops` in `void ops::f() {`.
    pub(super) fn written_namespace(&self, decl: &Decl) -> Option<Namespace> {
        let path = decl.more.as_ref()?.scope.as_ref()?;
        let path: Vec<Symbol> = path.segments.iter().map(|segment| segment.name.text).collect();
        let declared = self.names.qualified(&path, LookupKey::Ordinary(decl.name?.text))?;
        match declared.functions()?.first()?.key.owner {
            DeclaringScope::Namespace(namespace) => Some(namespace),
            _ => None,
        }
    }

    /// Returns the class of a method that is declared outside of the class.
    fn written_owner(&mut self, decl: &Decl) -> Option<RecordName> {
        let path = decl.more.as_ref()?.scope.as_ref()?;
        let class = written_class(decl)?;
        if self.written_namespace(decl).is_some() {
            return None;
        }
        let known = self.lookup_class(path);
        let namespace = known.map_or(self.names.namespace, RecordName::namespace);
        Some(self.defined_class(namespace, class.name.text, class.arguments.as_deref()))
    }

    fn export_method(&mut self, decl: &'a Decl, class: RecordName, inside: bool) {
        let Some(name) = decl.name else { return };
        if !matches!(decl.declarator.first(), Some(DeclaratorStep::Function { .. })) {
            return;
        }
        let outside = self.enter_templates(decl);
        let meaning = self.meaning_of_method(decl, name.text, class, inside);
        self.leave_templates(outside);
        let own = LookupKey::Methods(name.text);
        let mut functions = vec![meaning];
        if let Some(Meaning::Functions(known)) = self.lookup_as(own) {
            functions.extend(known.iter().copied().filter(|known| known.key != meaning.key));
        }
        self.scopes[0].enter_as(own, Meaning::Functions(functions.into()));
    }

    /// Returns the meaning of a method of a class, with the key that calls use.
    fn meaning_of_method(
        &mut self,
        decl: &'a Decl,
        name: Symbol,
        class: RecordName,
        inside: bool,
    ) -> FunctionMeaning {
        let ty = self.declared(decl, Context::Other).ty;
        let ty = match has_this(decl, inside) {
            true => self.with_this(ty, class),
            false => ty,
        };
        let meaning = self.overloaded(decl, name, ty);
        FunctionMeaning { key: FunctionKey { owner: DeclaringScope::Class(class), ..meaning.key }, ..meaning }
    }

    /// Returns the type of a method, with the object as its first parameter.
    fn with_this(&self, ty: Ty, class: RecordName) -> Ty {
        let Some(function) = ty.as_function() else { return ty };
        let this = self.this_type(class);
        let parameters = [this].into_iter().chain(function.parameters.iter().copied()).collect();
        Ty::new(TyKind::Function(Box::new(FunctionTy { parameters, ..function.clone() })))
    }

    fn this_type(&self, class: RecordName) -> Ty {
        let object = self.tag(class).unwrap_or(Ty::UNKNOWN);
        // The tag alone distinguishes classes. The members are not needed.
        let object = match object.as_record() {
            Some(record) => {
                Ty::new(TyKind::Record(Box::new(crate::types::Record { definition: None, ..record.clone() })))
            }
            None => object,
        };
        let q = Qualified { space: Some(AddressSpace::Generic), ..Qualified::plain(object) };
        pointer_to(q, false)
    }

    /// Checks the body of a function, with the names of its class in scope.
    pub(super) fn defined(&mut self, function: &FunctionDefinition, body: &'a Body) -> TypedBody {
        let ast = self.ast;
        let decl = &ast.decls[function.decl];
        let class = function.class.map(|class| &ast.decls[class]);
        let outside = class.map_or(self.scopes.len(), |class| self.enter_templates(class));
        if let Some(class) = class {
            self.enter_member_types(class);
        }
        let outside = outside.min(self.enter_templates(decl));
        let owner = class.and_then(|class| self.class_owner(class)).or_else(|| self.written_owner(decl));
        let owner = owner.filter(|_| self.cpp);
        let typed = match owner {
            None if !self.arguments.is_empty() => {
                let q = self.declared(decl, Context::Other);
                let template = self.meaning_of_function(decl, body.name.text, q.ty).key;
                let key = FunctionKey { arguments: self.arguments.of_key(), ..template };
                self.enter_arguments(decl);
                self.function(decl, body, Some((key, None)))
            }
            None => self.function(decl, body, None),
            Some(owner) => {
                let meaning = self.meaning_of_method(decl, body.name.text, owner, class.is_some());
                let this = has_this(decl, class.is_some()).then(|| self.this_type(owner));
                self.class = Some(EnclosingClass { class: owner, this: None });
                let typed = self.function(decl, body, Some((meaning.key, this)));
                self.class = None;
                TypedBody { key: meaning.key, ty: meaning.ty, ..typed }
            }
        };
        self.scopes.truncate(outside);
        typed
    }

    /// Resolves a plain name as a member of the current object. None: there is no object, or it has no such member.
    pub(super) fn own_member(&mut self, name: Symbol, span: ast::Span) -> Option<ExprId> {
        let EnclosingClass { class, this } = self.class?;
        let this = this?;
        let record = self.tag(class)?;
        let known =
            record.as_record().is_some_and(|record| super::member::find_field(record, name).is_some());
        if !known {
            return None;
        }
        let this = self.this(this, span);
        Some(self.member(this, true, ast::Name { text: name, span }, span))
    }

    /// Returns the pointer to the object of the current method.
    pub(super) fn this(&mut self, var: VarId, span: ast::Span) -> ExprId {
        let name = Symbol::intern("this");
        let var = self.captured(name, var);
        let ty = self.vars[var].ty;
        let place = self.push(ExprKind::Variable(var), ty, span);
        self.push(ExprKind::Load(place), ty, span)
    }
}

fn parameters(decl: &Decl) -> &[ast::DeclId] {
    decl.declarator
        .iter()
        .find_map(|derived| match derived {
            DeclaratorStep::Function { parameters, .. } => Some(&**parameters),
            _ => None,
        })
        .unwrap_or_default()
}
