//! The functions that an item defines: at file scope, and as members of classes.
//!
//! ```c
//! struct tile {
//!   __device__ void load(int *p) { … }             // a method: `class` is the declaration of `tile`
//! };
//! __device__ void tile::store(int *p) { … }        // a method without `class`: see `written_class`
//! ```

use tangle_grammar::ast::{
    Ast, Decl, DeclId, Name, OfCompiler, Segment, SpecialFunction, StmtId, Storage, TemplateArgument,
    TypeSpecifier,
};
use tangle_grammar::symbol::Symbol;

/// A function with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionDefinition {
    pub decl: DeclId,
    pub name: Name,
    pub body: StmtId,
    /// The declaration of the class that contains it, if it is a member defined inside the class.
    pub class: Option<DeclId>,
    /// The declaration at file scope that is or contains the function.
    pub item: DeclId,
}

/// Returns the functions that an item defines, in source order. C has functions at file scope only.
pub fn defined(ast: &Ast) -> Vec<FunctionDefinition> {
    let mut found = Vec::new();
    let mut todo: Vec<(DeclId, Option<DeclId>, DeclId)> =
        ast.items.iter().rev().map(|&id| (id, None, id)).collect();
    while let Some((id, class, item)) = todo.pop() {
        let decl = &ast.decls[id];
        if let (Some(name), Some(body)) = (decl.name, decl.body) {
            found.push(FunctionDefinition { decl: id, name, body, class, item });
        }
        if let Some(members) = members_of(decl) {
            todo.extend(members.iter().rev().map(|&member| (member, Some(id), item)));
        }
    }
    found
}

/// Returns the members of the class that a C++ declaration defines.
pub fn members_of(decl: &Decl) -> Option<&[DeclId]> {
    decl.specifiers.types.iter().find_map(|ty| match ty {
        TypeSpecifier::Record { members: Some(members), class: Some(_), .. } => Some(&**members),
        _ => None,
    })
}

/// Returns the name of the class that a declaration defines, with the arguments of a specialisation.
pub fn class_name(decl: &Decl) -> Option<(Symbol, Option<&[TemplateArgument]>)> {
    decl.specifiers.types.iter().find_map(|ty| match ty {
        TypeSpecifier::Record { name, members: Some(_), class: Some(class), .. } => {
            Some((name.as_ref()?.text, class.arguments.as_deref()))
        }
        _ => None,
    })
}

/// Returns the class of a method that is defined outside of the class.
pub fn written_class(decl: &Decl) -> Option<&Segment> {
    // `::f` names no class.
    decl.more.as_ref()?.scope.as_ref()?.segments.last()
}

/// Whether a function is called on an object, and so has `this`.
pub fn has_this(decl: &Decl, in_class: bool) -> bool {
    let stat = decl.specifiers.storage.contains(&Storage::Static);
    let friend = decl.more.as_ref().is_some_and(|more| more.friend);
    (in_class || written_class(decl).is_some()) && !stat && !friend
}

/// Whether a function is a constructor or destructor, which has no result.
pub fn has_no_result(decl: &Decl) -> bool {
    let special = decl.more.as_ref().and_then(|more| more.special);
    matches!(special, Some(SpecialFunction::Constructor | SpecialFunction::Destructor))
}

/// Whether the compiler writes a function as it would without the declaration: `= default`.
pub fn is_defaulted(decl: &Decl) -> bool {
    decl.more.as_ref().is_some_and(|more| more.of_compiler == Some(OfCompiler::Defaulted))
}

/// Whether a function is declared `overloadable`.
pub fn is_overloadable(decl: &Decl) -> bool {
    let mut attributes = decl.specifiers.attributes.iter().chain(&decl.attributes);
    attributes.any(|attribute| attribute.name.text.as_str().trim_matches('_') == "overloadable")
}

/// The beginning of the name of a conversion function.
const CONVERSION: &str = "operator ";

/// Returns the name by which the conversion functions of all classes are found: `operator T *()` and others.
pub fn conversions() -> Symbol {
    Symbol::intern(CONVERSION)
}

/// Whether a name is that of a conversion function.
pub fn is_conversion(name: Symbol) -> bool {
    name.as_str().starts_with(CONVERSION)
}

/// Returns the name of the function for an operator with this spelling.
pub fn operator_function(spelling: &str) -> Symbol {
    Symbol::intern(&format!("operator{spelling}"))
}

/// Returns the name of the function for the assignment that applies an operator, or for the plain one.
pub fn assignment_function(spelling: &str) -> Symbol {
    Symbol::intern(&format!("operator{spelling}="))
}
