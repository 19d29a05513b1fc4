//! Selection of specialisations of class templates.
//!
//! ```c
//! template <class T, int M, int N> struct sum { … };           // `sum`
//! template <class T, int M> struct sum<T, M, 1> { … };         // `sum<_, _, 1>`: another class
//! sum<float, 4, 1> a;                                          // the second: all arguments match, more are fixed
//! sum<float, 4, n> b;                                          // the first, unless `n` is known to be 1
//! ```
//!
//! Of the specialisations whose arguments are known to match, the one with the most fixed arguments is selected. A
//! specialisation that could match is not selected: code that uses `sum<T, M, N>` in a template usually has another
//! specialisation for the special case.

use tangle_grammar::ast::{self, Segment};
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;

use super::{Checker, LookupKey, Meaning, Qualified};
use crate::def::template::{by_name, class_mentions_parameter};
use crate::types::{Record, RecordName, TemplateArgument, Ty, TyKind};

/// Returns the number of fixed arguments of a specialisation, if all given arguments are known to match. Default
/// arguments are unknown: if an argument is omitted, nothing matches.
fn fits(class: RecordName, given: &[TemplateArgument]) -> Option<usize> {
    let asked = class.arguments();
    let fits = |(asked, given): (&TemplateArgument, &TemplateArgument)| {
        *asked == TemplateArgument::Any || asked == given && *asked != TemplateArgument::Other
    };
    let all = asked.len() == given.len() && asked.iter().zip(given).all(fits);
    all.then(|| asked.iter().filter(|&&asked| asked != TemplateArgument::Any).count())
}

impl Checker<'_> {
    /// Returns the class that a declaration names. The template parameters of the declaration must be in scope.
    pub(crate) fn defined_class(
        &mut self,
        namespace: Namespace,
        name: Symbol,
        arguments: Option<&[ast::TemplateArgument]>,
    ) -> RecordName {
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
        RecordName::new(namespace, name, asked.into())
    }

    /// Selects the specialisation of a class by its arguments.
    pub(crate) fn with_arguments(&mut self, class: Qualified, segment: &Segment) -> Qualified {
        let (Some(Record { union, tag: Some(tag), .. }), Some(arguments)) =
            (class.ty.as_record(), &segment.arguments)
        else {
            return class;
        };
        if let Some(instance) = self.instance_named(*tag, arguments) {
            let mention = Ty::new(TyKind::Record(Box::new(Record {
                union: *union,
                tag: Some(instance),
                definition: None,
            })));
            let ty = self.complete(mention);
            if ty != mention || class_mentions_parameter(instance) || self.is_pending(instance) {
                return Qualified { ty, ..class };
            }
        }
        let chosen = self.specialised(tag.name(), Some(*tag), arguments);
        let Some(class_of) = chosen else { return class };
        let mention = || {
            Ty::new(TyKind::Record(Box::new(Record { union: false, tag: Some(class_of), definition: None })))
        };
        Qualified { ty: self.tag(class_of).unwrap_or_else(mention), ..class }
    }

    /// Selects a specialisation by its arguments, among all templates of the name if the class is unknown. None: the
    /// template itself, or a class that is not a template.
    pub(super) fn specialised(
        &mut self,
        name: Symbol,
        class: Option<RecordName>,
        arguments: &[ast::TemplateArgument],
    ) -> Option<RecordName> {
        let entry = LookupKey::Specialisations(name);
        let Some(Meaning::Specialisations(all)) = self.lookup_as(entry) else { return None };
        let given: Vec<TemplateArgument> =
            arguments.iter().map(|argument| self.template_argument(argument)).collect();
        let own = all.iter().filter(|it| class.is_none_or(|class| it.template() == class.template()));
        let fitting = own.filter_map(|&it| Some((fits(it, &given)?, it)));
        fitting.max_by_key(|&(asked, _)| asked).map(|(_, class)| class)
    }

    /// Whether a class template of this name has specialisations.
    pub(crate) fn has_specialisations(&self, name: Symbol) -> bool {
        matches!(self.lookup_as(LookupKey::Specialisations(name)), Some(Meaning::Specialisations(_)))
    }

    /// Adds a specialisation.
    pub(crate) fn enter_specialisation(&mut self, class: RecordName) {
        let entry = LookupKey::Specialisations(class.name());
        let mut all = match self.lookup_as(entry) {
            Some(Meaning::Specialisations(known)) => known.to_vec(),
            _ => Vec::new(),
        };
        all.retain(|&known| known != class);
        all.push(class);
        self.scopes[0].enter_as(entry, Meaning::Specialisations(all.into()));
    }

    /// Returns the name, if an argument is a name alone.
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

    /// Returns an argument as written.
    pub(super) fn template_argument(&mut self, argument: &ast::TemplateArgument) -> TemplateArgument {
        let named = self.name_of(argument).and_then(|name| self.lookup(name));
        self.quietly(|checker| match (argument, named) {
            (_, Some(Meaning::TemplateValue { number: Some(number), .. })) => {
                TemplateArgument::Parameter(number)
            }
            // The parser does not always know whether a name is a type.
            (_, Some(Meaning::Type(q))) => checker.type_argument(q.ty),
            (ast::TemplateArgument::Value(value), _) => match &checker.ast.exprs[*value].kind {
                ast::ExprKind::Path(path)
                    if path.last().arguments.is_some()
                        && let Some(Meaning::Type(q)) = checker.lookup_path(path) =>
                {
                    let ty = checker.with_arguments(q, path.last()).ty;
                    checker.type_argument(ty)
                }
                _ => {
                    checker.constant_integer(*value).map_or(TemplateArgument::Other, TemplateArgument::Number)
                }
            },
            (ast::TemplateArgument::Type(ty), _) => {
                let ty = checker.type_name(*ty).ty;
                checker.type_argument(ty)
            }
        })
    }

    fn type_argument(&mut self, ty: Ty) -> TemplateArgument {
        match super::mentions_unknown(ty) && !matches!(ty.kind(), TyKind::Record(_)) {
            true => TemplateArgument::Other,
            false => TemplateArgument::Type(by_name(ty)),
        }
    }
}
