//! Specialisations of class templates: which one a name with template arguments means.
//!
//! **Shape** of a template argument: what a specialisation asks for there. **Owner**: what tells the methods of one specialisation from those of
//! another, and its type from theirs: the name with the shapes. **Family** of a name: its specialisations.
//!
//! ```c
//! template <class T, int M, int N> struct sum { … };           // owner: `sum`
//! template <class T, int M> struct sum<T, M, 1> { … };         // owner: `sum<_, _, 1>`
//! sum<float, 4, 1> a;                                          // the second: all of it fits, and it asks for more
//! sum<float, 4, n> b;                                          // the first, if nothing tells that `n` is 1
//! ```
//!
//! The specialisation that asks for most among those that surely fit is meant. What may fit is not taken: who writes `sum<T, M, N>` in a template mostly has
//! another one for the special case.

use std::fmt;

use tangle_grammar::ast::{self, Segment, TemplateArgument};
use tangle_grammar::symbol::Symbol;

use super::check::{Checker, Entry, Meaning, Qualified};
use super::types::{Record, Ty, TyKind};

/// What a specialisation asks of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Nothing: a parameter stands there.
    Any,
    Number(i128),
    Type(Ty),
    /// Something that is made of parameters, or of what nothing declares.
    Other,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Any => f.write_str("_"),
            Shape::Number(number) => write!(f, "{number}"),
            Shape::Type(ty) => write!(f, "{ty}"),
            Shape::Other => f.write_str("?"),
        }
    }
}

/// A specialisation of a class template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Specialisation {
    pub owner: Symbol,
    pub shapes: Box<[Shape]>,
}

impl Specialisation {
    /// How much it asks for, if arguments surely fit.
    fn fits(&self, arguments: &[Shape]) -> Option<usize> {
        // Which values arguments have that are left out is not known: then nothing surely fits.
        let are_equal = |asked: &Shape, given: &Shape| asked == given && *asked != Shape::Other;
        let pairs = || self.shapes.iter().zip(arguments);
        let all = self.shapes.len() == arguments.len()
            && pairs().all(|(asked, given)| *asked == Shape::Any || are_equal(asked, given));
        all.then(|| self.shapes.iter().filter(|&&asked| asked != Shape::Any).count())
    }
}

/// The name of the template of which an owner is a specialisation, or of the class itself.
pub fn template_of(owner: Symbol) -> Symbol {
    match owner.as_str().split_once('<') {
        Some((class, _)) => Symbol::intern(class),
        None => owner,
    }
}

impl Checker<'_> {
    /// The owner of what a class holds that a declaration defines under a name with arguments. The templates of the declaration have been entered.
    pub(super) fn owner(&mut self, class: Symbol, arguments: Option<&[TemplateArgument]>) -> Symbol {
        self.specialisation(class, arguments).map_or(class, |it| it.owner)
    }

    /// The specialisation that a declaration defines under a name with arguments. None: the template itself.
    pub(super) fn specialisation(
        &mut self,
        class: Symbol,
        arguments: Option<&[TemplateArgument]>,
    ) -> Option<Specialisation> {
        let mut shapes = Vec::new();
        for argument in arguments? {
            let is_parameter = |name| self.scopes[1..].iter().any(|scope| scope.has(name));
            shapes.push(match self.name_of(argument).is_some_and(is_parameter) {
                true => Shape::Any,
                false => self.shape(argument),
            });
        }
        if shapes.iter().all(|&shape| shape == Shape::Any) {
            return None;
        }
        let spelled: Vec<String> = shapes.iter().map(Shape::to_string).collect();
        let owner = Symbol::intern(&format!("{class}<{}>", spelled.join(", ")));
        Some(Specialisation { owner, shapes: shapes.into() })
    }

    /// A class that a name means, as the specialisation that its arguments choose.
    pub(super) fn with_arguments(&mut self, class: Qualified, segment: &Segment) -> Qualified {
        let chosen = match (class.ty.as_record(), &segment.arguments) {
            (Some(Record { tag: Some(tag), .. }), Some(arguments)) => self.specialised(*tag, arguments),
            _ => None,
        };
        let Some(owner) = chosen else { return class };
        let mention =
            || Ty::new(TyKind::Record(Box::new(Record { union: false, tag: Some(owner), definition: None })));
        Qualified { ty: self.lookup_tag(owner).unwrap_or_else(mention), ..class }
    }

    /// The owner that a name with arguments means. None: the template itself, or a class that is no template.
    pub(super) fn specialised(&mut self, class: Symbol, arguments: &[TemplateArgument]) -> Option<Symbol> {
        let Some(Meaning::Family(all)) = self.lookup_as(Entry::Specialisations(class)) else { return None };
        let given: Vec<Shape> = arguments.iter().map(|argument| self.shape(argument)).collect();
        let fitting = all.iter().filter_map(|it| Some((it.fits(&given)?, it.owner)));
        fitting.max_by_key(|&(asked, _)| asked).map(|(_, owner)| owner)
    }

    /// Whether a name is that of a class template with specialisations.
    pub(super) fn has_specialisations(&self, class: Symbol) -> bool {
        matches!(self.lookup_as(Entry::Specialisations(class)), Some(Meaning::Family(_)))
    }

    /// Adds a specialisation to those of its template.
    pub(super) fn enter_specialisation(&mut self, class: Symbol, it: Specialisation) {
        let entry = Entry::Specialisations(class);
        let mut all = match self.lookup_as(entry) {
            Some(Meaning::Family(known)) => known.to_vec(),
            _ => Vec::new(),
        };
        all.retain(|known| known.owner != it.owner);
        all.push(it);
        self.scopes[0].enter_as(entry, Meaning::Family(all.into()));
    }

    /// The name that an argument is, if it is no more.
    fn name_of(&self, argument: &TemplateArgument) -> Option<Symbol> {
        match argument {
            TemplateArgument::Value(value) => match self.ast.exprs[*value].kind {
                ast::ExprKind::Name(name) => Some(name),
                _ => None,
            },
            TemplateArgument::Type(ty) => {
                let ty = &self.ast.types[*ty];
                match &*ty.specifiers.types {
                    [ast::TypeSpecifier::Named(name)] if ty.declarator.is_empty() => Some(name.text),
                    _ => None,
                }
            }
        }
    }

    fn shape(&mut self, argument: &TemplateArgument) -> Shape {
        self.quietly(|checker| match argument {
            TemplateArgument::Value(value) => {
                checker.constant_integer(*value).map_or(Shape::Other, Shape::Number)
            }
            TemplateArgument::Type(ty) => {
                let ty = checker.type_name(*ty).ty;
                match super::check::mentions_unknown(ty) && !matches!(ty.kind(), TyKind::Record(_)) {
                    true => Shape::Other,
                    false => Shape::Type(ty),
                }
            }
        })
    }
}
