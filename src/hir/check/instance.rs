//! Instances of class templates: their fields, constants, types and methods.
//!
//! **Instance**: a class template with known arguments. It is selected among the declarations of its name: an explicit
//! specialisation, else the most special partial specialisation that fits, else the template itself. **Template** of an
//! instance: the selected declaration; its methods belong to it.
//!
//! ```c
//! template <class T, int N> struct tile { T part[N]; static constexpr int size = N; T sum(); };
//! template <class T> struct tile<T, 1> { T only; T sum(); };
//! tile<float, 4> a;      // the first: `part` has 4 floats, and `a.size` is 4
//! tile<float, 1> b;      // the second, with T = float: `b.sum()` is a method of `tile<_, 1>`
//! ```
//!
//! Algorithm: the members of the selected declaration are checked with the arguments in scope and with the names that its
//! item sees. A class that is no template is an instance of itself: its constants and types are found in the same way.
//! Instances are computed when somebody asks for a member.

use std::rc::Rc;
use std::sync::Arc;

use tangle_grammar::ast::{self, Decl, Path, Segment, TypeSpecifier};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{DeclaringScope, FunctionKey, InstanceArgument, InstanceArguments};

use super::{Checker, ClassDeclaration, FunctionMeaning, ItemSource, LookupKey, Meaning, Qualified};
use crate::def::class::ClassInstance;
use crate::def::overload::signature;
use crate::def::template::{
    TemplateParameter, by_name, class_mentions_parameter, class_substituted, deduce_class, fitting,
    substituted,
};
use crate::template_arguments::TemplateArguments;
use crate::types::{Record, RecordName, TemplateArgument, Ty, TyKind};

/// The limit on classes that need the members of another class, as `a<T>` with a member `a<T *>` does.
const MAX_NESTED: u32 = 16;

/// Returns the parameters of a declaration that is a template.
fn parameters_of(decl: &Decl) -> &[ast::TemplateParameter] {
    let lists = decl.more.as_ref().map_or(&[][..], |more| &more.templates);
    lists.first().map_or(&[][..], |list| list)
}

/// The parts of the class that a declaration defines.
struct WrittenClass<'a> {
    union: bool,
    class: &'a ast::Class,
    members: &'a [ast::DeclId],
    packing: tangle_grammar::packing::Packing,
}

impl<'a> WrittenClass<'a> {
    fn of(decl: &'a Decl) -> Option<WrittenClass<'a>> {
        decl.specifiers.types.iter().find_map(|ty| match ty {
            TypeSpecifier::Record { union, members: Some(members), packing, class: Some(class), .. } => {
                Some(WrittenClass { union: *union, class, members, packing: *packing })
            }
            _ => None,
        })
    }
}

impl<'a> Checker<'a> {
    /// Declares the class that a declaration of the item defines, if an instance of it can be asked for its members.
    pub(super) fn enter_class(&mut self, decl: ast::DeclId, class: RecordName) {
        let Some(source) = self.source else { return };
        let entry = LookupKey::Classes(class.name());
        let mut all = match self.lookup_as(entry) {
            Some(Meaning::Classes(known)) => known.to_vec(),
            _ => Vec::new(),
        };
        all.retain(|known| known.class != class);
        all.push(ClassDeclaration { class, decl, item: Arc::clone(source) });
        self.scopes[0].enter_as(entry, Meaning::Classes(all.into()));
        self.instances.get_mut().clear();
    }

    /// Returns the members of a class. `None`: it is not known, or its arguments are not, or it is being computed.
    pub(crate) fn class_instance(&self, class: RecordName) -> Option<Rc<ClassInstance>> {
        if !self.cpp || class_mentions_parameter(class) {
            return None;
        }
        if let Some(known) = self.instances.borrow().get(&class) {
            return known.clone();
        }
        let Some(Meaning::Classes(declarations)) = self.lookup_as(LookupKey::Classes(class.name())) else {
            return None;
        };
        if self.pending.borrow().contains(&class) {
            return None;
        }
        self.pending.borrow_mut().push(class);
        let found = self.selected(class, &declarations).and_then(|(declaration, arguments)| {
            stacker::maybe_grow(256 * 1024, 1024 * 1024, || self.members(class, declaration, arguments))
        });
        let found = found.map(Rc::new);
        self.pending.borrow_mut().pop();
        self.instances.borrow_mut().insert(class, found.clone());
        found
    }

    /// Selects the declaration of a class, with the arguments of its parameters.
    fn selected<'b>(
        &self,
        class: RecordName,
        declarations: &'b [ClassDeclaration],
    ) -> Option<(&'b ClassDeclaration, InstanceArguments)> {
        let parameters = |it: &'b ClassDeclaration| parameters_of(&it.item.ast.decls[it.decl]);
        if let Some(same) = declarations.iter().find(|it| it.class == class) {
            return parameters(same).is_empty().then_some((same, InstanceArguments::NONE));
        }
        let own = || declarations.iter().filter(|it| it.class.template() == class.template());
        let special = own().filter(|it| !it.class.arguments().is_empty());
        let suitable = special.filter_map(|it| {
            let fixed = it.class.arguments().iter().filter(|&&it| it != TemplateArgument::Any).count();
            Some((fixed, it, self.arguments_of_specialisation(class, it)?))
        });
        if let Some((_, declaration, arguments)) = suitable.max_by_key(|&(fixed, ..)| fixed) {
            return Some((declaration, arguments));
        }
        let template = own().find(|it| it.class.arguments().is_empty() && !parameters(it).is_empty())?;
        let kinds = self.inside(&template.item, |inner| inner.template_parameters(parameters(template)));
        if kinds.len() != class.arguments().len() || kinds.iter().any(|it| it.pack) {
            return None;
        }
        let given = kinds.iter().zip(class.arguments()).map(|(parameter, argument)| {
            let argument = match *argument {
                TemplateArgument::Type(ty) => InstanceArgument::Type(ty),
                TemplateArgument::Number(value) => InstanceArgument::Value { value, ty: Ty::INT },
                _ => return None,
            };
            fitting(parameter.kind, argument)
        });
        let given: Option<Vec<InstanceArgument>> = given.collect();
        Some((template, InstanceArguments::new(&given?)))
    }

    /// Returns the arguments of the parameters of a partial specialisation for which it is this class.
    fn arguments_of_specialisation(
        &self,
        class: RecordName,
        declaration: &ClassDeclaration,
    ) -> Option<InstanceArguments> {
        let decl = &declaration.item.ast.decls[declaration.decl];
        let parameters = parameters_of(decl);
        let written = WrittenClass::of(decl)?.class.arguments.as_deref()?;
        if parameters.is_empty() || written.len() != class.arguments().len() {
            return None;
        }
        self.inside(&declaration.item, |inner| {
            let kinds = inner.template_parameters(parameters);
            inner.enter_pattern([parameters]);
            let pattern = inner.class_with(class, written);
            let mut found = vec![InstanceArgument::Unknown; kinds.len()];
            deduce_class(pattern, class, &mut found);
            let found: Option<Vec<InstanceArgument>> = kinds
                .iter()
                .zip(found)
                .map(|(parameter, argument)| fitting(parameter.kind, argument))
                .collect();
            let arguments = InstanceArguments::new(&found?);
            (class_substituted(pattern, arguments) == Some(class)).then_some(arguments)
        })
    }

    /// Computes the members of a class from its declaration.
    fn members(
        &self,
        class: RecordName,
        declaration: &ClassDeclaration,
        arguments: InstanceArguments,
    ) -> Option<ClassInstance> {
        if self.nested_instances >= MAX_NESTED {
            return None;
        }
        let types = class.arguments().iter().filter_map(|argument| match argument {
            TemplateArgument::Type(ty) => Some(*ty),
            _ => None,
        });
        // The item of the class does not know the classes among the arguments.
        let mut known: Vec<(RecordName, Ty)> = Vec::new();
        for mut ty in types {
            while let Some(pointer) = ty.as_pointer() {
                ty = pointer.pointee;
            }
            if let Some(tag) = ty.as_record().and_then(|record| record.tag) {
                known.push((tag, self.complete(ty)));
            }
        }
        self.inside(&declaration.item, |inner| {
            inner.scopes[0].tags.extend(known);
            let ast = inner.ast;
            let decl = &ast.decls[declaration.decl];
            let WrittenClass { union, class: written, members, packing } = WrittenClass::of(decl)?;
            let incomplete =
                Ty::new(TyKind::Record(Box::new(Record { union, tag: Some(class), definition: None })));
            let parameters = inner.template_parameters(parameters_of(decl));
            inner.arguments = TemplateArguments::new(&parameters, arguments);
            inner.enter_templates(decl);
            inner.enter_arguments([decl]);
            inner.scope().enter(class.name(), Meaning::Type(Qualified::plain(incomplete)));
            inner.scope().tags.insert(class, incomplete);
            let (ty, _, members) = inner.defined_record(
                union,
                Some(class),
                Some(written),
                (members, packing),
                &decl.specifiers.attributes,
            );
            Some(ClassInstance {
                ty,
                template: declaration.class,
                arguments,
                members: members.into_meanings(),
            })
        })
    }

    /// Runs a check in another item, without recording problems.
    fn inside<R>(&self, item: &Arc<ItemSource>, run: impl FnOnce(&mut Checker) -> R) -> R {
        let mut inner = Checker::of_item(item, self.dialect);
        inner.suppress_problems += 1;
        inner.nested_instances = self.nested_instances + 1;
        // The classes that are being computed are not computed again.
        inner.pending.get_mut().extend(self.pending.borrow().iter());
        run(&mut inner)
    }

    /// Returns the template parameters of a list.
    pub(super) fn template_parameters(&mut self, list: &[ast::TemplateParameter]) -> Vec<TemplateParameter> {
        list.iter().map(|parameter| self.template_parameter(parameter)).collect()
    }

    /// Returns the class of this template with these written arguments.
    pub(super) fn class_with(
        &mut self,
        template: RecordName,
        written: &[ast::TemplateArgument],
    ) -> RecordName {
        let arguments = written.iter().map(|argument| self.template_argument(argument)).collect();
        RecordName::new(template.namespace(), template.name(), arguments)
    }

    /// Returns the instance that a template with written arguments means, with its default arguments. `None`: the template
    /// has no known declaration, or an argument is not known.
    pub(super) fn instance_named(
        &mut self,
        template: RecordName,
        written: &[ast::TemplateArgument],
    ) -> Option<RecordName> {
        let Some(Meaning::Classes(declarations)) = self.lookup_as(LookupKey::Classes(template.name())) else {
            return None;
        };
        let declaration = declarations.iter().find(|it| it.class == template.template())?;
        let parameters = parameters_of(&declaration.item.ast.decls[declaration.decl]);
        let mut arguments: Vec<TemplateArgument> =
            written.iter().map(|argument| self.template_argument(argument)).collect();
        if parameters.is_empty() || parameters.iter().any(|it| it.pack) || arguments.len() > parameters.len()
        {
            return None;
        }
        let named = |arguments: &[TemplateArgument]| {
            RecordName::new(template.namespace(), template.name(), arguments.into())
        };
        if arguments.len() < parameters.len() {
            let defaults = &parameters[arguments.len()..];
            if class_mentions_parameter(named(&arguments)) {
                return None;
            }
            self.inside(&declaration.item, |inner| {
                for (parameter, argument) in parameters.iter().zip(&arguments) {
                    inner.enter_argument(parameter, *argument);
                }
                for parameter in defaults {
                    let argument = inner.template_argument(&parameter.default?);
                    inner.enter_argument(parameter, argument);
                    arguments.push(argument);
                }
                Some(())
            })?;
        }
        let is_known = |it: &TemplateArgument| !matches!(it, TemplateArgument::Any | TemplateArgument::Other);
        arguments.iter().all(is_known).then(|| named(&arguments))
    }

    /// Declares a template parameter as its argument, in a new scope.
    fn enter_argument(&mut self, parameter: &ast::TemplateParameter, argument: TemplateArgument) {
        let meaning = match argument {
            TemplateArgument::Type(ty) => Meaning::Type(Qualified::plain(self.complete(ty))),
            TemplateArgument::Number(value) => Meaning::Enumerator { value, ty: Ty::INT },
            _ => return,
        };
        let mut scope = super::Scope::default();
        if let Some(name) = parameter.name {
            scope.enter(name.text, meaning);
        }
        self.scopes.push(scope);
    }

    /// Whether the members of a class are being computed.
    pub(super) fn is_pending(&self, class: RecordName) -> bool {
        self.pending.borrow().contains(&class)
    }

    /// Returns the methods of this name that a class has itself, for the arguments of the class.
    pub(super) fn methods_of(&self, class: RecordName, name: Symbol) -> Vec<FunctionMeaning> {
        let mut found = self.functions(LookupKey::Methods(name));
        if found.is_empty() {
            return found;
        }
        let instance = self.class_instance(class);
        let template = instance.as_ref().map_or(class, |instance| instance.template);
        let is_of =
            |class: RecordName| move |it: &FunctionMeaning| it.key.owner == DeclaringScope::Class(class);
        // The explicit specialisations of methods for this class: `template <> int tile<float>::size()`.
        let own = match template == class {
            true => Vec::new(),
            false => found.iter().copied().filter(is_of(class)).collect(),
        };
        found.retain(is_of(template));
        if let Some(instance) = instance.filter(|it| it.arguments != InstanceArguments::NONE) {
            for function in &mut found {
                let method = method_of_instance(*function, &instance);
                let ty = by_name(method.ty);
                let has_type = |it: &&FunctionMeaning| signature(by_name(it.ty)) == signature(ty);
                *function = own.iter().copied().find(|it| has_type(&it)).unwrap_or(method);
            }
        }
        found
    }

    /// Returns the class that the qualifier of a name means: `x128` in `x128::size`.
    pub(crate) fn class_of_qualifier(&mut self, path: &Path) -> Option<RecordName> {
        let (_, outside) = path.segments.split_last()?;
        let class: &Segment = outside.last()?;
        let found = match outside.len() {
            1 => self.lookup(class.name.text),
            _ => self.lookup_path(&Path { segments: outside.into(), ..path.clone() }),
        };
        match found? {
            Meaning::Type(q) => self.with_arguments(q, class).ty.as_record()?.tag,
            _ => None,
        }
    }

    /// Returns the meaning of a constant or type of a class.
    pub(crate) fn member_of_class(&self, class: RecordName, name: Symbol) -> Option<Meaning> {
        self.class_instance(class)?.members.get(&name).cloned()
    }
}

/// Returns a method of a template as one of an instance. The arguments of its own parameters are not known yet.
fn method_of_instance(function: FunctionMeaning, instance: &ClassInstance) -> FunctionMeaning {
    let given = instance.arguments.list();
    let Some(template) = function.template.filter(|it| it.of_class() == given.len()) else { return function };
    let own = template.parameters().len() - given.len();
    let all: Vec<InstanceArgument> =
        given.iter().copied().chain(std::iter::repeat_n(InstanceArgument::Unknown, own)).collect();
    let arguments = InstanceArguments::new(&all);
    let ty = substituted(template.pattern(), arguments);
    FunctionMeaning { key: FunctionKey { arguments, ..function.key }, ty, ..function }
}
