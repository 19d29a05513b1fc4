//! Function templates at their declarations and calls: see [`crate::def::template`].

use tangle_grammar::ast::{self, Decl, ExprKind as Ast, TemplateParameterKind};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{FunctionKey, InstanceArgument};

use super::{Checker, FunctionMeaning, Meaning, Qualified, Scope};
use crate::declare::Context;
use crate::def::functions::written_class;
use crate::def::template::{FunctionTemplate, ParameterKind, TemplateParameter, fitting, mentions_parameter};
use crate::typed::ExprId;
use crate::types::{Ty, TyKind};

impl<'a> Checker<'a> {
    /// Returns the template that a declaration outside of classes declares with this type, or specialises. `None`: the
    /// function is no template.
    pub(super) fn template(&mut self, decl: &Decl, ty: Ty) -> Option<FunctionTemplate> {
        let more = decl.more.as_ref().filter(|_| self.cpp)?;
        if written_class(decl).is_some() && self.written_namespace(decl).is_none() {
            return None;
        }
        match &*more.templates {
            [] => None,
            [parameters] if !parameters.is_empty() => {
                // The types of the declaration in terms of its parameters.
                let mut scope = Scope::default();
                for (number, parameter) in (0..).zip(parameters) {
                    let Some(name) = parameter.name else { continue };
                    let meaning = match parameter.kind {
                        TemplateParameterKind::Type => {
                            Meaning::Type(Qualified::plain(Ty::new(TyKind::Parameter(number))))
                        }
                        TemplateParameterKind::Template => Meaning::Type(Qualified::plain(Ty::UNKNOWN)),
                        TemplateParameterKind::Value(_) => Meaning::TemplateValue { ty: Ty::UNKNOWN },
                    };
                    scope.enter(name.text, meaning);
                }
                self.scopes.push(scope);
                let read = self.read.take();
                let pattern = self.quietly(|checker| checker.declared(decl, Context::Other).ty);
                let parameters =
                    parameters.iter().map(|parameter| self.template_parameter(parameter)).collect();
                self.read = read;
                self.scopes.pop();
                Some(FunctionTemplate::new(parameters, pattern))
            }
            lists if lists.iter().all(|list| list.is_empty()) => {
                let arguments = more.arguments.as_deref().unwrap_or_default();
                let arguments = arguments
                    .iter()
                    .map(|&argument| self.instance_argument(argument).unwrap_or(InstanceArgument::Unknown));
                Some(FunctionTemplate::specialisation(arguments.collect(), ty))
            }
            _ => None,
        }
    }

    fn template_parameter(&mut self, parameter: &ast::TemplateParameter) -> TemplateParameter {
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

    /// Returns the instance of a template that a call means, or the explicit specialisation. If an argument of the
    /// template is not known, returns the template itself.
    pub(super) fn instance_of(
        &mut self,
        function: FunctionMeaning,
        callee: ast::ExprId,
        candidates: &[FunctionMeaning],
        arguments: &[ExprId],
    ) -> FunctionMeaning {
        let Some(template) = function.template.filter(|template| !template.parameters().is_empty()) else {
            return function;
        };
        let ast = self.ast;
        let mut callee = callee;
        while let Ast::Paren(inner) = ast.exprs[callee].kind {
            callee = inner;
        }
        let given = match &ast.exprs[callee].kind {
            Ast::Path(path) => path.last().arguments.as_deref().unwrap_or_default(),
            _ => &[],
        };
        let given: Option<Vec<InstanceArgument>> =
            given.iter().map(|&argument| self.instance_argument(argument)).collect();
        let Some(given) = given else { return function };
        let types: Vec<Ty> =
            arguments.iter().map(|&argument| self.complete(self.exprs[argument].ty)).collect();
        let Some((arguments, ty)) = template.instance(&given, &types) else { return function };
        let special = candidates.iter().find(|it| {
            it.key.owner == function.key.owner
                && it.template.is_some_and(|template| template.specialises(arguments, ty))
        });
        match special {
            Some(special) => *special,
            None => FunctionMeaning { key: FunctionKey { arguments, ..function.key }, ty, ..function },
        }
    }
}
