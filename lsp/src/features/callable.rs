//! Functions as their callers see them: the type, the names of the parameters, and the user's documentation.
//!
//! ```c
//! // Adds the elements of a row.           the documentation
//! float sum(const float *row, int count);  the declaration; `row` and `count` are the names
//! ```
//!
//! The parameters of a builtin have the names that the specification of its language gives them.

use std::ops::Range;

use tangle_grammar::ast::{Ast, Decl, DeclId, DeclaratorStep, Span, TypeSpecifier};
use tangle_grammar::lex::comments;
use tangle_grammar::symbol::Symbol;
use tangle_hir::def::functions::members_of;
use tangle_hir::def::names::Meaning;
use tangle_hir::scope::meaning_at_end;
use tangle_hir::typed::{Callee, ExprKind};
use tangle_hir::types::{FunctionTy, Ty};
use tangle_ir::key::FunctionKey;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::find::all_items;
use tangle_syntax::items::{TextRange, spans, unit};

use super::position::{BodyLookup, ItemAt, TokenAt, shortened_lines};
use super::spelling::{declarator, in_language};
use crate::snapshot::View;

/// A function with one type.
pub struct Callable {
    /// Its identity in the unit. `None` for a builtin.
    pub key: Option<FunctionKey>,
    pub ty: Ty,
    /// The name of each parameter.
    parameters: Vec<Option<Symbol>>,
    /// Whether the first parameter is the object of a method, which declarations do not show.
    has_object: bool,
    pub documentation: Option<String>,
}

/// A declaration of a function in the unit.
struct Declared {
    key: Option<FunctionKey>,
    parameters: Vec<Option<Symbol>>,
    defined: bool,
    documentation: Option<String>,
}

impl Callable {
    /// Returns the functions that a name means at the end of the unit, or the overloads of a builtin.
    pub fn named(view: &View, name: Symbol) -> Vec<Callable> {
        let unit = unit(view.db, view.root, view.analysis.settings);
        match meaning_at_end(view.db, unit, name).as_deref() {
            Some(Meaning::Functions(functions)) => {
                let declared = declarations(view, name);
                functions.iter().map(|it| Callable::declared(it.key, it.ty, &declared)).collect()
            }
            _ => Callable::of_builtin(view.analysis.settings.dialect(view.db), name),
        }
    }

    /// Returns the overloads of a builtin. Empty if the name is not a builtin, or if its type depends on its arguments.
    pub fn of_builtin(dialect: Dialect, name: Symbol) -> Vec<Callable> {
        let Some(overloads) = dialect.signatures().of(name) else { return Vec::new() };
        let callable = |&ty: &Ty| {
            let count = ty.as_function().map_or(0, |function| function.parameters.len());
            let parameters = (0..count).map(|number| overloads.parameter_name(ty, number)).collect();
            Callable { key: None, ty, parameters, has_object: false, documentation: None }
        };
        overloads.functions.iter().map(callable).collect()
    }

    /// Returns the function that a resolved call means, where the name of its callee is here.
    pub fn called(at: &TokenAt, body: BodyLookup) -> Option<(Symbol, Callable)> {
        let typed = at.item.typed(body)?;
        let callee = typed.exprs.iter().find_map(|expr| match &expr.kind {
            ExprKind::Call { callee, call: Some(call), .. } => {
                let named = body.body.calls.get(*call)?.span;
                (named.start <= at.token && at.token < named.end).then_some(callee)
            }
            _ => None,
        })?;
        match *callee {
            Callee::Function { key, ty } => Some((key.name, Callable::of_key(&at.view, key, ty))),
            Callee::Builtin { name, ty } => {
                let all = Callable::of_builtin(at.view.analysis.settings.dialect(at.view.db), name);
                Some((name, all.into_iter().find(|it| it.ty == ty)?))
            }
            Callee::Compiler { .. } | Callee::Pointer(_) => None,
        }
    }

    /// Returns a function of the unit.
    pub fn of_key(view: &View, key: FunctionKey, ty: Ty) -> Callable {
        Callable::declared(key, ty, &declarations(view, key.name))
    }

    /// Chooses the names and the documentation of a function from the declarations of its name.
    fn declared(key: FunctionKey, ty: Ty, all: &[Declared]) -> Callable {
        let count = ty.as_function().map_or(0, |function| function.parameters.len());
        let is_it = |it: &&Declared| match it.key {
            Some(known) => known.template() == key.template(),
            None => it.parameters.len() == count,
        };
        let own: Vec<&Declared> = all.iter().filter(is_it).collect();
        let names = own.iter().find(|it| it.defined).or(own.first());
        let mut parameters = names.map_or(Vec::new(), |it| it.parameters.clone());
        let has_object = parameters.len() + 1 == count;
        if has_object {
            parameters.insert(0, None);
        }
        let documentation = own.iter().find_map(|it| it.documentation.clone());
        Callable { key: Some(key), ty, parameters, has_object, documentation }
    }

    fn function(&self) -> Option<&FunctionTy> {
        self.ty.as_function()
    }

    /// Returns the declaration of a parameter: `int *row`.
    fn parameter(&self, view: &View, number: usize, ty: Ty) -> String {
        let ty = in_language(*view, ty);
        match self.name_of(number) {
            Some(name) => declarator(ty, name),
            None => ty.to_string(),
        }
    }

    pub fn name_of(&self, parameter: usize) -> Option<Symbol> {
        self.parameters.get(parameter).copied().flatten()
    }

    /// Returns the declaration with the ranges of its parameters in it: `float sum(const float *row, int count)`.
    pub fn declaration(&self, view: &View, name: Symbol) -> (String, Vec<Range<usize>>) {
        let Some(function) = self.function() else { return (name.to_string(), Vec::new()) };
        let result = in_language(*view, function.result).to_string();
        let gap = if result.ends_with('*') { "" } else { " " };
        let mut text = format!("{result}{gap}{name}(");
        let mut ranges = Vec::new();
        for (number, &ty) in function.parameters.iter().enumerate().skip(usize::from(self.has_object)) {
            text += if ranges.is_empty() { "" } else { ", " };
            let start = text.len();
            text += &self.parameter(view, number, ty);
            ranges.push(start..text.len());
        }
        text += match (function.variadic, ranges.is_empty()) {
            (true, true) => "...)",
            (true, false) => ", ...)",
            (false, _) => ")",
        };
        (text, ranges)
    }
}

/// Returns a text for each parameter of a function: its name, or its type.
pub fn places(ty: Ty, names: &[Option<Symbol>]) -> Vec<String> {
    let types = ty.as_function().map_or(&[][..], |function| &function.parameters);
    let place = |(number, ty): (usize, &Ty)| match names.get(number).copied().flatten() {
        Some(name) => name.to_string(),
        None => ty.to_string(),
    };
    types.iter().enumerate().map(place).collect()
}

/// Returns a text for each parameter that a declaration names: its name, or `_`. `None` if it declares no function.
pub fn parameter_names(ast: &Ast, decl: &Decl) -> Option<Vec<String>> {
    let DeclaratorStep::Function { parameters, .. } = decl.declarator.first()? else { return None };
    // `(void)` is a list without parameters.
    if let [only] = **parameters
        && let decl = &ast.decls[only]
        && (decl.name.is_none() && decl.declarator.is_empty())
        && matches!(decl.specifiers.types[..], [TypeSpecifier::Void])
    {
        return Some(Vec::new());
    }
    let name = |&id: &DeclId| ast.decls[id].name.map_or_else(|| "_".to_owned(), |name| name.text.to_string());
    Some(parameters.iter().map(name).collect())
}

/// Returns the declarations of a function name in the unit.
fn declarations(view: &View, name: Symbol) -> Vec<Declared> {
    let mut found = Vec::new();
    for placed in all_items(view.db, unit(view.db, view.root, view.analysis.settings)) {
        let functions = &tangle_hir::declared(view.db, placed.item).functions;
        if !functions.iter().any(|function| function.name == name) {
            continue;
        }
        let item = ItemAt::new(*view, placed);
        let ast = item.ast();
        for decl in with_members(&ast) {
            if decl.name.is_some_and(|known| known.text == name) {
                found.extend(declared(&item, &ast, decl));
            }
        }
    }
    found
}

/// Returns the declarations of an item and of the members of its classes.
pub fn with_members(ast: &Ast) -> impl Iterator<Item = &Decl> {
    let mut todo: Vec<&Decl> = ast.items.iter().rev().map(|&id| &ast.decls[id]).collect();
    std::iter::from_fn(move || {
        let decl = todo.pop()?;
        todo.extend(members_of(decl).into_iter().flatten().rev().map(|&id| &ast.decls[id]));
        Some(decl)
    })
}

fn declared(item: &ItemAt, ast: &Ast, decl: &Decl) -> Option<Declared> {
    let DeclaratorStep::Function { parameters, .. } = decl.declarator.first()? else { return None };
    let is_it = |body: &BodyLookup| decl.name.is_some_and(|name| name.span == body.body.name.span);
    let body = item.bodies().find(is_it);
    // A method is documented inside of its class, other functions are the whole item.
    let is_item = ast.items.iter().any(|&id| std::ptr::eq(&ast.decls[id], decl));
    let start = if is_item { 0 } else { decl.specifiers.span.map_or(decl.span.start, |span| span.start) };
    Some(Declared {
        key: body.and_then(|body| item.key(body)),
        parameters: parameters.iter().map(|&id| ast.decls[id].name.map(|name| name.text)).collect(),
        defined: body.is_some(),
        documentation: documentation(item.view, &item.locate(Span::new(start, start + 1))),
    })
}

/// Returns the text of the comments directly before a declaration, without their marks.
fn documentation(view: View, declaration: &TextRange) -> Option<String> {
    let spans = spans(view.db, declaration.file);
    let token = spans.token_at(declaration.range.start)?;
    let from = token.checked_sub(1).map_or(0, |before| spans.get(before).end);
    let text = declaration.file.text(view.db);
    let between = text.get(from..declaration.range.start)?;
    let mut end = between.len();
    let mut lines: Vec<&str> = Vec::new();
    for comment in comments(between).collect::<Vec<_>>().into_iter().rev() {
        let is_near = between[comment.end..end].matches('\n').count() <= 1;
        // A comment after code on its line describes that code.
        let is_own_line = from == 0 || between[..comment.start].contains('\n');
        if !is_near || !is_own_line {
            break;
        }
        lines.splice(0..0, between[comment.clone()].lines().map(without_marks));
        // The end of a `//` comment is the end of its line.
        end = comment.start;
    }
    let text = lines.join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| shortened_lines(text))
}

/// Removes the marks of a comment from a line of it.
fn without_marks(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("/*").or_else(|| line.strip_prefix("//")).unwrap_or(line);
    let line = line.strip_suffix("*/").unwrap_or(line);
    line.trim_start_matches(['*', '/', '!']).trim()
}
