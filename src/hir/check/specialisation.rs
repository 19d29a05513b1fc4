//! Specialisations of class templates: which one a name with template arguments means.
//!
//! ```c
//! template <class T, int M, int N> struct sum { … };           // `sum`
//! template <class T, int M> struct sum<T, M, 1> { … };         // `sum<_, _, 1>`: a class of its own, with members of its own
//! sum<float, 4, 1> a;                                          // the second: all of it fits, and it asks for more
//! sum<float, 4, n> b;                                          // the first, if nothing tells that `n` is 1
//! ```
//!
//! The specialisation that asks for most among those that surely fit is meant. What may fit is not taken: who writes `sum<T, M, N>` in a template mostly has
//! another one for the special case.

use tangle_grammar::ast::{self, Segment};
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;

use super::{Checker, Entry, Meaning, Qualified};
use crate::hir::types::{Class, Record, TemplateArgument, Ty, TyKind};

/// How many arguments a specialisation asks something of, if all that are given surely fit. Which values arguments have that are left out is not
/// known: then nothing surely fits.
fn fits(class: Class, given: &[TemplateArgument]) -> Option<usize> {
    let asked = class.arguments();
    let fits = |(asked, given): (&TemplateArgument, &TemplateArgument)| {
        *asked == TemplateArgument::Any || asked == given && *asked != TemplateArgument::Other
    };
    let all = asked.len() == given.len() && asked.iter().zip(given).all(fits);
    all.then(|| asked.iter().filter(|&&asked| asked != TemplateArgument::Any).count())
}

impl Checker<'_> {
    /// The class that a declaration defines, or has defined, under a name that may have arguments. The templates of the declaration have been entered.
    pub(in crate::hir) fn defined_class(
        &mut self,
        namespace: Namespace,
        name: Symbol,
        arguments: Option<&[ast::TemplateArgument]>,
    ) -> Class {
        let mut asked = Vec::new();
        for argument in arguments.unwrap_or_default() {
            let is_parameter = |name| self.scopes[1..].iter().any(|scope| scope.has(name));
            asked.push(match self.name_of(argument).is_some_and(is_parameter) {
                true => TemplateArgument::Any,
                false => self.template_argument(argument),
            });
        }
        if asked.iter().all(|&asked| asked == TemplateArgument::Any) {
            asked.clear();
        }
        Class::new(namespace, name, asked.into())
    }

    /// A class that a name means, as the specialisation that its arguments choose.
    pub(in crate::hir) fn with_arguments(&mut self, class: Qualified, segment: &Segment) -> Qualified {
        let chosen = match (class.ty.as_record(), &segment.arguments) {
            (Some(Record { tag: Some(tag), .. }), Some(arguments)) => {
                self.specialised(tag.name(), Some(*tag), arguments)
            }
            _ => None,
        };
        let Some(class_of) = chosen else { return class };
        let mention = || {
            Ty::new(TyKind::Record(Box::new(Record { union: false, tag: Some(class_of), definition: None })))
        };
        Qualified { ty: self.tag(class_of).unwrap_or_else(mention), ..class }
    }

    /// The specialisation that a class with arguments is; of any template of the name, if it is not known which. None: the template itself, or a class that is no
    /// template.
    pub(super) fn specialised(
        &mut self,
        name: Symbol,
        class: Option<Class>,
        arguments: &[ast::TemplateArgument],
    ) -> Option<Class> {
        let entry = Entry::Specialisations(name);
        let Some(Meaning::Specialisations(all)) = self.lookup_as(entry) else { return None };
        let given: Vec<TemplateArgument> =
            arguments.iter().map(|argument| self.template_argument(argument)).collect();
        let own = all.iter().filter(|it| class.is_none_or(|class| it.template() == class.template()));
        let fitting = own.filter_map(|&it| Some((fits(it, &given)?, it)));
        fitting.max_by_key(|&(asked, _)| asked).map(|(_, class)| class)
    }

    /// Whether a name is that of a class template with specialisations.
    pub(in crate::hir) fn has_specialisations(&self, name: Symbol) -> bool {
        matches!(self.lookup_as(Entry::Specialisations(name)), Some(Meaning::Specialisations(_)))
    }

    /// Adds a specialisation to those of its template.
    pub(in crate::hir) fn enter_specialisation(&mut self, class: Class) {
        let entry = Entry::Specialisations(class.name());
        let mut all = match self.lookup_as(entry) {
            Some(Meaning::Specialisations(known)) => known.to_vec(),
            _ => Vec::new(),
        };
        all.retain(|&known| known != class);
        all.push(class);
        self.scopes[0].enter_as(entry, Meaning::Specialisations(all.into()));
    }

    /// The name that an argument is, if it is no more.
    fn name_of(&self, argument: &ast::TemplateArgument) -> Option<Symbol> {
        match argument {
            ast::TemplateArgument::Value(value) => match self.ast.exprs[*value].kind {
                ast::ExprKind::Name(name) => Some(name),
                _ => None,
            },
            ast::TemplateArgument::Type(ty) => {
                let ty = &self.ast.types[*ty];
                match &*ty.specifiers.types {
                    [ast::TypeSpecifier::Named(name)] if ty.declarator.is_empty() => Some(name.text),
                    _ => None,
                }
            }
        }
    }

    fn template_argument(&mut self, argument: &ast::TemplateArgument) -> TemplateArgument {
        self.quietly(|checker| match argument {
            ast::TemplateArgument::Value(value) => {
                checker.constant_integer(*value).map_or(TemplateArgument::Other, TemplateArgument::Number)
            }
            ast::TemplateArgument::Type(ty) => {
                let ty = checker.type_name(*ty).ty;
                match super::mentions_unknown(ty) && !matches!(ty.kind(), TyKind::Record(_)) {
                    true => TemplateArgument::Other,
                    false => TemplateArgument::Type(ty),
                }
            }
        })
    }
}
