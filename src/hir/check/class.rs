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
use tangle_ir::key::{DeclaringScope, FunctionKey, InstanceArgument, InstanceArguments};

use super::{Checker, FunctionMeaning, LookupKey, Meaning, Qualified, Scope};
use crate::body::Body;
use crate::declare::{Context, pointer_to};
use crate::def::functions::{
    FunctionDefinition, class_name, has_no_result, has_this, is_conversion, is_defaulted, members_of,
    written_class,
};
use crate::def::names::declared_again;
use crate::def::overload;
use crate::def::template::{FunctionTemplate, class_of_arguments};
use crate::typed::{ExprId, ExprKind, TypedBody, VarId};
use crate::types::{FunctionTy, Record, RecordName, TemplateArgument, Ty, TyKind};

/// The class around a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct EnclosingClass {
    /// The class of the object: an instance, if the method is checked for one.
    pub class: RecordName,
    /// The declaration to which the method belongs: the class, or the template of the instance.
    pub owner: RecordName,
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
                        Meaning::TemplateValue { ty: self.template_value_type(given), number: None }
                    }
                };
                scope.enter(name.text, meaning);
            }
            self.scopes.push(scope);
        }
        outside
    }

    /// Enters a scope with the known template arguments of these declarations. They hide the parameters.
    pub(super) fn enter_arguments<'b>(&mut self, decls: impl IntoIterator<Item = &'b Decl>) {
        let mut scope = Scope::default();
        let templates =
            decls.into_iter().filter_map(|decl| decl.more.as_ref()).flat_map(|more| &more.templates);
        for parameter in templates.flatten() {
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
        let key = FunctionKey { head: template.head(), ..meaning.key };
        let meaning = FunctionMeaning { template: Some(template), key, ..meaning };
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
    fn overloaded(&mut self, decl: &Decl, name: Symbol, ty: Ty) -> FunctionMeaning {
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
        let defaults: Vec<InstanceArgument> = written[written.len() - defaulted..]
            .iter()
            .map(|&parameter| {
                let default = self.ast.decls[parameter].more.as_ref().and_then(|more| more.default);
                let value = default.and_then(|default| self.constant_if_any(default));
                value.map_or(InstanceArgument::Unknown, |value| InstanceArgument::Value {
                    value,
                    ty: Ty::LONG,
                })
            })
            .collect();
        let defaults = InstanceArguments::new(&defaults);
        FunctionMeaning { key: FunctionKey { overload, ..meaning.key }, required, defaults, ..meaning }
    }

    fn has_default(&self, parameter: ast::DeclId) -> bool {
        self.ast.decls[parameter].more.as_ref().is_some_and(|more| more.default.is_some() || more.pack)
    }

    /// Declares the methods of the class that a declaration defines, or the method that it declares outside of a class.
    pub(super) fn export_members(&mut self, id: ast::DeclId) {
        if !self.cpp {
            return;
        }
        let ast = self.ast;
        let decl = &ast.decls[id];
        if written_class(decl).is_some() && decl.name.is_some() {
            let outside = self.enter_templates(decl);
            let class = self.written_owner(decl);
            self.leave_templates(outside);
            if let Some(class) = class {
                self.export_method(decl, class, None);
            }
        }
        if members_of(decl).is_some() {
            let outside = self.enter_templates(decl);
            let class = self.class_owner(decl);
            self.leave_templates(outside);
            if let Some(class) = class {
                self.enter_class(id, class);
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
                    self.export_method(member, class, Some(decl));
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

    /// Declares a method. `around`: the declaration of the class, if it is declared inside of it.
    fn export_method(&mut self, decl: &'a Decl, class: RecordName, around: Option<&'a Decl>) {
        let Some(name) = decl.name else { return };
        if !matches!(decl.declarator.first(), Some(DeclaratorStep::Function { .. })) {
            return;
        }
        // Objects are constructed and copied member by member without such a function, too.
        if is_defaulted(decl) {
            return;
        }
        let outside = self.enter_templates(decl);
        let meaning = self.meaning_of_method(decl, name.text, class, around);
        self.leave_templates(outside);
        let conversion = is_conversion(name.text).then(LookupKey::conversions);
        for own in [LookupKey::Methods(name.text)].into_iter().chain(conversion) {
            let known = match self.lookup_as(own) {
                Some(Meaning::Functions(known)) => known.to_vec(),
                _ => Vec::new(),
            };
            let functions = declared_again(meaning, &known);
            self.scopes[0].enter_as(own, Meaning::Functions(functions.into()));
        }
    }

    /// Returns the meaning of a method of a class, with the key that calls use.
    fn meaning_of_method(
        &mut self,
        decl: &'a Decl,
        name: Symbol,
        class: RecordName,
        around: Option<&'a Decl>,
    ) -> FunctionMeaning {
        let ty = self.method_type(decl, class, around.is_some());
        let meaning = self.overloaded(decl, name, ty);
        let template = self.method_template(decl, class, around);
        let is_of_template = decl.more.as_ref().is_some_and(|more| more.arguments.is_some());
        let template = template.or_else(|| self.specialisation(decl, ty).filter(|_| is_of_template));
        let owner = DeclaringScope::Class(class);
        let head = template.map_or(InstanceArguments::NONE, FunctionTemplate::head);
        FunctionMeaning { key: FunctionKey { owner, head, ..meaning.key }, template, ..meaning }
    }

    /// Returns the type of a method of a class, with the object as its first parameter.
    fn method_type(&mut self, decl: &'a Decl, class: RecordName, inside: bool) -> Ty {
        let mut ty = self.declared(decl, Context::Other).ty;
        if let (true, Some(function)) = (has_no_result(decl), ty.as_function()) {
            ty = Ty::new(TyKind::Function(Box::new(FunctionTy { result: Ty::VOID, ..function.clone() })));
        }
        if has_this(decl, inside) { self.with_this(ty, class) } else { ty }
    }

    /// Returns a method as a template: with the parameters of its class, and its own. `None`: there are none.
    fn method_template(
        &mut self,
        decl: &'a Decl,
        class: RecordName,
        around: Option<&'a Decl>,
    ) -> Option<FunctionTemplate> {
        let lists = templates_of(decl);
        let of_class = match around {
            Some(around) => templates_of(around).first(),
            // Outside of its class, a method of a template has the parameters of the class first.
            None => {
                lists.first().filter(|_| written_class(decl).is_some_and(|class| class.arguments.is_some()))
            }
        };
        let own = if around.is_none() && of_class.is_some() { &lists[1..] } else { lists };
        let lists: Vec<&[ast::TemplateParameter]> =
            of_class.into_iter().chain(own).map(|list| &**list).collect();
        let written = match around {
            Some(around) => class_name(around).and_then(|(_, arguments)| arguments),
            None => written_class(decl).and_then(|class| class.arguments.as_deref()),
        };
        if lists.iter().all(|list| list.is_empty()) {
            return None;
        }
        let outside = self.scopes.len();
        self.enter_pattern(lists.iter().copied());
        let own_class = match (of_class, written) {
            (Some(list), None) => class_of_parameters(class, list),
            (Some(_), Some(written)) => self.class_with(class, written),
            (None, _) => class,
        };
        if own_class != class {
            let object = self.mention_of(own_class, class);
            self.scope().enter(class.name(), Meaning::Type(Qualified::plain(object)));
        }
        if let Some(around) = around {
            self.enter_member_types(around);
        }
        let read = self.read.take();
        let pattern = self.quietly(|checker| checker.method_type(decl, own_class, around.is_some()));
        let parameters =
            lists.into_iter().flatten().map(|parameter| self.template_parameter(parameter)).collect();
        self.read = read;
        self.scopes.truncate(outside);
        Some(FunctionTemplate::of_method(parameters, of_class.map_or(0, |list| list.len()), pattern))
    }

    /// Returns the type of an instance of a template, by its name alone.
    fn mention_of(&self, instance: RecordName, template: RecordName) -> Ty {
        let union = self.tag(template).and_then(Ty::as_record).is_some_and(|record| record.union);
        Ty::new(TyKind::Record(Box::new(Record { union, tag: Some(instance), definition: None })))
    }

    /// Returns the type of a method, with the object as its first parameter.
    fn with_this(&self, ty: Ty, class: RecordName) -> Ty {
        let Some(function) = ty.as_function() else { return ty };
        let this = self.this_type(class);
        let parameters = [this].into_iter().chain(function.parameters.iter().copied()).collect();
        Ty::new(TyKind::Function(Box::new(FunctionTy { parameters, ..function.clone() })))
    }

    fn this_type(&self, class: RecordName) -> Ty {
        let is_instance = self.tag(class).is_none() && !class.arguments().is_empty();
        // The tag alone distinguishes classes. The members are not needed.
        let object = match self.tag(if is_instance { class.template() } else { class }) {
            Some(object) => match object.as_record() {
                Some(_) if is_instance => self.mention_of(class, class.template()),
                Some(record) => {
                    Ty::new(TyKind::Record(Box::new(Record { definition: None, ..record.clone() })))
                }
                None => object,
            },
            None => Ty::UNKNOWN,
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
                self.enter_arguments([decl]);
                self.function(decl, body, Some((key, None)))
            }
            None => self.function(decl, body, None),
            Some(owner) => {
                let meaning = self.meaning_of_method(decl, body.name.text, owner, class);
                let (mut key, mut ty, mut object) = (meaning.key, meaning.ty, owner);
                if !self.arguments.is_empty() {
                    key = FunctionKey { arguments: self.arguments.of_key(), ..key };
                    object = self.enter_instance(decl, owner, class, meaning.template);
                    ty = self.method_type(decl, object, class.is_some());
                }
                self.enter_members(object);
                let this = has_this(decl, class.is_some()).then(|| self.this_type(object));
                self.class = Some(EnclosingClass { class: object, owner, this: None });
                let typed = self.function(decl, body, Some((key, this)));
                self.class = None;
                TypedBody { key, ty, ..typed }
            }
        };
        self.scopes.truncate(outside);
        typed
    }

    /// Enters scopes with the template arguments of a method. Returns the class of its object.
    fn enter_instance(
        &mut self,
        decl: &'a Decl,
        owner: RecordName,
        around: Option<&'a Decl>,
        template: Option<FunctionTemplate>,
    ) -> RecordName {
        self.enter_arguments(around.into_iter().chain([decl]));
        let of_class = template.map_or(0, FunctionTemplate::of_class);
        let written = match around {
            Some(around) => class_name(around).and_then(|(_, arguments)| arguments),
            None => written_class(decl).and_then(|class| class.arguments.as_deref()),
        };
        if of_class == 0 {
            return owner;
        }
        let arguments = self.arguments.of_key().list();
        let instance = match written {
            Some(written) => Some(self.class_with(owner, written)),
            None => arguments.get(..of_class).and_then(|arguments| class_of_arguments(owner, arguments)),
        };
        let Some(instance) = instance else { return owner };
        let object = self.mention_of(instance, owner);
        let object = self.complete(object);
        self.scope().enter(owner.name(), Meaning::Type(Qualified::plain(object)));
        instance
    }

    /// Enters a scope with the constants and types of a class. Without known members, the scope is not entered.
    fn enter_members(&mut self, class: RecordName) {
        let Some(instance) = self.class_instance(class) else { return };
        let mut scope = Scope::default();
        for (&name, meaning) in &instance.members {
            scope.enter(name, meaning.clone());
        }
        self.scopes.push(scope);
    }

    /// Resolves a plain name as a member of the current object. None: there is no object, or it has no such member.
    pub(super) fn own_member(&mut self, name: Symbol, span: ast::Span) -> Option<ExprId> {
        let EnclosingClass { class, this, .. } = self.class?;
        let this = this?;
        let record = match self.tag(class) {
            Some(record) => record,
            None => self.class_instance(class)?.ty,
        };
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

/// Returns the lists of template parameters of a declaration.
fn templates_of(decl: &Decl) -> &[Box<[ast::TemplateParameter]>] {
    decl.more.as_ref().map_or(&[], |more| &more.templates)
}

/// Returns the class of a template with its own parameters as its arguments.
fn class_of_parameters(template: RecordName, list: &[ast::TemplateParameter]) -> RecordName {
    let argument = |(number, parameter): (u32, &ast::TemplateParameter)| match parameter.kind {
        TemplateParameterKind::Type => TemplateArgument::Type(Ty::new(TyKind::Parameter(number))),
        TemplateParameterKind::Value(_) => TemplateArgument::Parameter(number),
        TemplateParameterKind::Template => TemplateArgument::Other,
    };
    RecordName::new(template.namespace(), template.name(), (0..).zip(list).map(argument).collect())
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
