//! The names of types that a function mentions, and that are unknown: nothing declares them, or a `typedef` of an
//! unknown type does.
//!
//! Kernels are often read without all of their headers. A function with such a type is analysed, but it cannot be
//! lowered: the size of the type is not known. These names say which declaration is missing.
//!
//! ```c
//! template <class T> __global__ void find(node *p, T key) { half x = …; }   // `node` and `half`, if no header is read
//! ```

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{Ast, Path, Span, Specifiers, TypeSpecifier};
use tangle_grammar::symbol::Symbol;

use super::def::functions::defined;
use super::def::names::{LookupKey, Meaning, Used};
use super::resolve::qualified_name;
use super::scope::Scoped;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::parse;

/// Returns the names of unknown types in the function of an item whose body has this range, each once, in source order.
pub fn unknown_types(db: &dyn Db, scoped: Scoped, body: Span) -> Vec<Symbol> {
    let item = scoped.item(db);
    let dialect = item.dialect(db);
    let ast = &parse(db, item).0.ast;
    let names = &scoped.names(db).names;
    let own = declared_names(ast);
    let definition = defined(ast).into_iter().find(|function| ast.stmts[function.body].span == body);
    let start = definition.map_or(body.start, |function| {
        let decl = &ast.decls[function.decl];
        decl.specifiers.span.map_or(decl.span.start, |span| span.start.min(decl.span.start))
    });
    let within = Span::new(start, body.end);
    let is_unknown = |name: Symbol, last: Symbol| {
        let means_type = |meaning: &Meaning| match meaning {
            Meaning::Type(q) => !q.ty.is_unknown(),
            _ => true,
        };
        !own.contains(&last)
            && !names.all(LookupKey::Ordinary(last)).any(|(_, meaning)| means_type(meaning))
            && !is_of_language(dialect, name)
            && !is_of_language(dialect, last)
    };
    // The tables do not list each class of these namespaces: `cg::plus`.
    let is_in_language = |path: &Path| {
        let [first, _, ..] = &*path.segments else { return false };
        let mut aliases = names.usings.iter().filter(|using| using.in_language);
        dialect.builtins().leads(first.name.text)
            || aliases.any(|it| matches!(it.used, Used::Alias { name, .. } if name == first.name.text))
    };
    let mut found: Vec<(Span, Symbol)> = Vec::new();
    let mut add = |specifiers: &Specifiers| {
        for specifier in &specifiers.types {
            let (span, name, last) = match specifier {
                TypeSpecifier::Named(name) => (name.span, name.text, name.text),
                TypeSpecifier::Path(path) if !starts_with_own(path, &own) && !is_in_language(path) => {
                    let last = path.last().name;
                    (last.span, qualified_name(path), last.text)
                }
                _ => continue,
            };
            if within.start <= span.start && span.start < within.end && is_unknown(name, last) {
                found.push((span, name));
            }
        }
    };
    ast.types.iter().for_each(|(_, ty)| add(&ty.specifiers));
    ast.decls.iter().for_each(|(_, decl)| add(&decl.specifiers));
    found.sort_unstable_by_key(|&(span, _)| span.start);
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    found.into_iter().map(|(_, name)| name).filter(|&name| seen.insert(name)).collect()
}

/// Returns the names that an item declares in any scope, with its template parameters.
fn declared_names(ast: &Ast) -> FxHashSet<Symbol> {
    let mut names: FxHashSet<Symbol> = FxHashSet::default();
    let mut add = |specifiers: &Specifiers| {
        for specifier in &specifiers.types {
            if let TypeSpecifier::Record { name: Some(name), .. }
            | TypeSpecifier::Enum { name: Some(name), .. } = specifier
            {
                names.insert(name.text);
            }
        }
    };
    ast.types.iter().for_each(|(_, ty)| add(&ty.specifiers));
    ast.decls.iter().for_each(|(_, decl)| add(&decl.specifiers));
    for (_, decl) in ast.decls.iter() {
        names.extend(decl.name.map(|name| name.text));
        let templates = decl.more.iter().flat_map(|more| more.templates.iter().flatten());
        names.extend(templates.filter_map(|parameter| parameter.name).map(|name| name.text));
    }
    names
}

/// Whether a path starts at a name of the item: `T` in `typename T::value_type`.
fn starts_with_own(path: &Path, own: &FxHashSet<Symbol>) -> bool {
    path.segments.len() > 1 && path.segments.first().is_some_and(|first| own.contains(&first.name.text))
}

/// Whether the language has a type or a class of this name.
fn is_of_language(dialect: Dialect, name: Symbol) -> bool {
    let builtins = dialect.builtins();
    dialect.types().get(name).is_some()
        || builtins.is_class(name)
        || builtins.of_any_namespace(name).is_some()
        || builtins.get(name).is_some()
}
