//! The functions that an item defines: at file scope, and as members of classes.
//!
//! ```c
//! struct tile {                                    // path: ["tile"]
//!   __device__ void load(int *p) { … }             // a method of it
//! };
//! __device__ void tile::store(int *p) { … }        // a method, too: its scope is written
//! ```

use tangle_grammar::ast::{
    Ast, Decl, DeclId, Name, Segment, StmtId, Storage, TemplateArgument, TypeSpecifier,
};
use tangle_grammar::symbol::Symbol;

/// A function with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defined {
    pub decl: DeclId,
    pub name: Name,
    pub body: StmtId,
    /// The declaration of the class that holds it, if it is a member that is defined inside.
    pub class: Option<DeclId>,
    /// The declaration at file scope that it is, or is inside of.
    pub item: DeclId,
}

/// The functions that an item defines, in the order of the text. C has them at file scope only.
pub fn defined(ast: &Ast) -> Vec<Defined> {
    let mut found = Vec::new();
    let mut todo: Vec<(DeclId, Option<DeclId>, DeclId)> =
        ast.items.iter().rev().map(|&id| (id, None, id)).collect();
    while let Some((id, class, item)) = todo.pop() {
        let decl = &ast.decls[id];
        if let (Some(name), Some(body)) = (decl.name, decl.body) {
            found.push(Defined { decl: id, name, body, class, item });
        }
        if let Some(members) = members_of(decl) {
            todo.extend(members.iter().rev().map(|&member| (member, Some(id), item)));
        }
    }
    found
}

/// The members of the class that a declaration of C++ defines.
pub fn members_of(decl: &Decl) -> Option<&[DeclId]> {
    decl.specifiers.types.iter().find_map(|ty| match ty {
        TypeSpecifier::Record { members: Some(members), class: Some(_), .. } => Some(&**members),
        _ => None,
    })
}

/// The name of the class that a declaration defines, with the arguments of a specialisation.
pub fn class_name(decl: &Decl) -> Option<(Symbol, Option<&[TemplateArgument]>)> {
    decl.specifiers.types.iter().find_map(|ty| match ty {
        TypeSpecifier::Record { name, members: Some(_), class: Some(class), .. } => {
            Some((name.as_ref()?.text, class.arguments.as_deref()))
        }
        _ => None,
    })
}

/// The class of a method that is defined outside of the class.
pub fn written_class(decl: &Decl) -> Option<&Segment> {
    // `::f` names no class.
    decl.more.as_ref()?.scope.as_ref()?.segments.last()
}

/// Whether a function is of an object: it has a `this`.
pub fn has_this(decl: &Decl, in_class: bool) -> bool {
    let stat = decl.specifiers.storage.contains(&Storage::Static);
    let friend = decl.more.as_ref().is_some_and(|more| more.friend);
    (in_class || written_class(decl).is_some()) && !stat && !friend
}

/// Whether a function is declared `overloadable`.
pub fn is_overloadable(decl: &Decl) -> bool {
    let mut attributes = decl.specifiers.attributes.iter().chain(&decl.attributes);
    attributes.any(|attribute| attribute.name.text.as_str().trim_matches('_') == "overloadable")
}
