//! Function templates at their declarations and calls: see [`crate::def::template`].

use tangle_grammar::ast::{self, Decl, ExprKind as Ast, TemplateParameterKind};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{FunctionKey, InstanceArgument};

use super::callee::has_object;
use super::{Checker, FunctionMeaning, Meaning, Qualified, Scope};
use crate::declare::Context;
use crate::def::functions::written_class;
use crate::def::template::{FunctionTemplate, ParameterKind, TemplateParameter, fitting, mentions_parameter};
use crate::typed::ExprId;
use crate::types::{Ty, TyKind};

impl<'a> Checker<'a> {
    /// Returns the template, or the explicit specialisation, that a declaration outside of classes declares with this
    /// type. `None`: the function is neither.
    pub(super) fn template(&mut self, decl: &Decl, ty: Ty) -> Option<FunctionTemplate> {
        let more = decl.more.as_ref().filter(|_| self.cpp)?;
        if written_class(decl).is_some() && self.written_namespace(decl).is_none() {
            return None;
        }
        match &*more.templates {
            [] => self.specialisation(decl, ty),
            [parameters] => {
                let outside = self.scopes.len();
                self.enter_pattern([&**parameters]);
                let read = self.read.take();
                let pattern = self.quietly(|checker| checker.declared(decl, Context::Other).ty);
                let parameters = self.template_parameters(parameters);
                self.read = read;
                self.scopes.truncate(outside);
                Some(FunctionTemplate::new(parameters, pattern))
            }
            _ => None,
        }
    }

    /// Returns the explicit specialisation that a declaration declares with this type. `None`: it declares none.
    pub(super) fn specialisation(&mut self, decl: &Decl, ty: Ty) -> Option<FunctionTemplate> {
        let more = decl.more.as_ref().filter(|more| more.specialisation)?;
        let arguments = more.arguments.as_deref().unwrap_or_default().iter();
        let arguments =
            arguments.map(|&argument| self.instance_argument(argument).unwrap_or(InstanceArgument::Unknown));
        Some(FunctionTemplate::specialisation(arguments.collect(), ty))
    }

    /// Enters a scope with the parameters of these lists in terms of their numbers, for the types of a pattern.
    pub(super) fn enter_pattern<'b>(
        &mut self,
        lists: impl IntoIterator<Item = &'b [ast::TemplateParameter]>,
    ) {
        let mut scope = Scope::default();
        for (number, parameter) in (0..).zip(lists.into_iter().flatten()) {
            let Some(name) = parameter.name else { continue };
            let meaning = match parameter.kind {
                TemplateParameterKind::Type => {
                    Meaning::Type(Qualified::plain(Ty::new(TyKind::Parameter(number))))
                }
                TemplateParameterKind::Template => Meaning::Type(Qualified::plain(Ty::UNKNOWN)),
                TemplateParameterKind::Value(_) => {
                    Meaning::TemplateValue { ty: Ty::UNKNOWN, number: Some(number) }
                }
            };
            scope.enter(name.text, meaning);
        }
        self.scopes.push(scope);
    }

    pub(super) fn template_parameter(&mut self, parameter: &ast::TemplateParameter) -> TemplateParameter {
        let ast = self.ast;
        let kind = match parameter.kind {
            TemplateParameterKind::Type => ParameterKind::Type,
            TemplateParameterKind::Template => ParameterKind::Template,
            TemplateParameterKind::Value(given) => {
                let ty = self.quietly(|checker| checker.declared(&ast.decls[given], Context::Parameter).ty);
                let is_number = ty == Ty::BOOL || ty.as_integer().is_some();
                ParameterKind::Value(if is_number { ty } else { Ty::UNKNOWN })
            }
        };
        let default = parameter.default.and_then(|default| self.instance_argument(default));
        TemplateParameter {
            name: parameter.name.map_or(Symbol::EMPTY, |name| name.text),
            kind,
            pack: parameter.pack,
            has_default: parameter.default.is_some(),
            default: default.and_then(|default| fitting(kind, default)),
        }
    }

    /// Returns the value of a template argument. `None`: it is not known, or depends on a parameter.
    fn instance_argument(&mut self, argument: ast::TemplateArgument) -> Option<InstanceArgument> {
        let ast = self.ast;
        self.quietly(|checker| {
            let ty = match argument {
                ast::TemplateArgument::Type(ty) => checker.type_name(ty).ty,
                ast::TemplateArgument::Value(value) => {
                    let named = match &ast.exprs[value].kind {
                        Ast::Name(name) => checker.lookup(*name),
                        Ast::Path(path) => checker.lookup_path(path),
                        _ => None,
                    };
                    match named {
                        Some(Meaning::Type(q)) => q.ty,
                        _ => {
                            let value = checker.constant_integer(value)?;
                            return Some(InstanceArgument::Value { value, ty: Ty::INT });
                        }
                    }
                }
            };
            let ty = checker.complete(ty);
            (!super::mentions_unknown(ty) && !mentions_parameter(ty)).then_some(InstanceArgument::Type(ty))
        })
    }

    /// Returns the template arguments that a callee is written with: `int` in `twice<int>`.
    pub(super) fn written_arguments(&self, callee: ast::ExprId) -> &'a [ast::TemplateArgument] {
        let mut callee = &self.ast.exprs[callee].kind;
        while let Ast::Paren(inner) = callee {
            callee = &self.ast.exprs[*inner].kind;
        }
        match callee {
            Ast::Path(path) | Ast::MemberPath { path, .. } => {
                path.last().arguments.as_deref().unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// Returns the instance of a template that a call means, or the explicit specialisation. If an argument of the
    /// template is not known, returns the template itself.
    pub(super) fn instance_of(
        &mut self,
        function: FunctionMeaning,
        written: &[ast::TemplateArgument],
        specialisations: &[FunctionMeaning],
        arguments: &[ExprId],
    ) -> FunctionMeaning {
        let Some(template) = function.template.filter(|template| !template.parameters().is_empty()) else {
            return function;
        };
        // The arguments of the class, if it is a method of an instance.
        let of_class = function.key.arguments.list();
        let itself = FunctionMeaning { key: function.key.template(), ..function };
        if template.of_class() > of_class.len() {
            return itself;
        }
        if template.of_class() == template.parameters().len() {
            return function;
        }
        let of_class = of_class[..template.of_class()].iter().map(|&argument| Some(argument));
        let given: Option<Vec<InstanceArgument>> =
            of_class.chain(written.iter().map(|&argument| self.instance_argument(argument))).collect();
        let Some(given) = given else { return itself };
        // The object of a method is no argument.
        let object = has_object(&function).then_some(Ty::UNKNOWN);
        let types: Vec<Ty> = object
            .into_iter()
            .chain(arguments.iter().map(|&argument| self.complete(self.exprs[argument].ty)))
            .collect();
        let Some((arguments, ty)) = template.instance(&given, &types) else { return itself };
        let special = specialisations.iter().find(|it| {
            it.key.owner == function.key.owner
                && it.template.is_some_and(|template| template.specialises(arguments, ty))
        });
        match special {
            Some(special) => *special,
            None => FunctionMeaning { key: FunctionKey { arguments, ..function.key }, ty, ..function },
        }
    }
}
