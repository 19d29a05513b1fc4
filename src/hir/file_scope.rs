//! The functions, variables and constants that an item declares for the rest of its file.

use tangle_grammar::ast::{Ast, Attribute, Decl, DeclId, DeclaratorStep, Storage, TypeSpecifier};
use tangle_grammar::symbol::Symbol;

pub use tangle_ir::nest::Convergence;

use super::def::functions::members_of;

/// A function that an item declares or defines.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Function {
    pub name: Symbol,
    pub defined: bool,
    pub kernel: bool,
    /// `static`, `inline` or a member: code is needed only if something calls it.
    pub internal: bool,
    pub attribute: Option<Convergence>,
    /// Declared `const` or `pure`: the result depends only on the arguments and the memory that they point to, and the
    /// call writes nothing.
    pub pure: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct FileScopeDeclarations {
    pub functions: Box<[Function]>,
    /// Variables at file scope. A call of one is a call through a pointer.
    pub variables: Box<[Symbol]>,
    /// Constants of file-scope `enum`s.
    pub constants: Box<[Symbol]>,
}

impl FileScopeDeclarations {
    pub(super) fn of(ast: &Ast) -> FileScopeDeclarations {
        let mut functions = Vec::new();
        let mut variables = Vec::new();
        let mut constants = Vec::new();
        let mut todo: Vec<(DeclId, bool)> = ast.items.iter().rev().map(|&id| (id, false)).collect();
        while let Some((id, member)) = todo.pop() {
            let decl = &ast.decls[id];
            let members = members_of(decl).into_iter().flatten();
            todo.extend(members.rev().map(|&member| (member, true)));
            constants.extend(enumerators(&decl.specifiers.types));
            let Some(name) = decl.name else { continue };
            if decl.specifiers.storage.contains(&Storage::Typedef) {
                continue;
            }
            if !matches!(decl.declarator.first(), Some(DeclaratorStep::Function { .. })) {
                if !member {
                    variables.push(name.text);
                }
                continue;
            }
            functions.push(Function {
                name: name.text,
                defined: decl.body.is_some(),
                kernel: decl.specifiers.storage.contains(&Storage::Kernel),
                internal: member
                    || [Storage::Static, Storage::Inline]
                        .iter()
                        .any(|word| decl.specifiers.storage.contains(word)),
                attribute: convergence(decl),
                pure: is_pure(decl),
            });
        }
        FileScopeDeclarations {
            functions: functions.into(),
            variables: variables.into(),
            constants: constants.into(),
        }
    }
}

/// Returns the constants of the `enum`s among type specifiers.
fn enumerators(types: &[TypeSpecifier]) -> Vec<Symbol> {
    let lists = types.iter().filter_map(|ty| match ty {
        TypeSpecifier::Enum { enumerators: Some(list), .. } => Some(list),
        _ => None,
    });
    lists.flat_map(|list| list.iter().map(|(name, ..)| name.text)).collect()
}

/// Whether a statement is marked `noconvergent`, so that an anchor controls its operations.
pub(super) fn is_opportunistic(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.name.text.as_str().trim_matches('_') == "noconvergent")
}

/// Whether attributes declare that a function only computes its result from its arguments.
fn is_pure(decl: &Decl) -> bool {
    let mut attributes = decl.specifiers.attributes.iter().chain(&decl.attributes);
    attributes.any(|attribute| matches!(attribute.name.text.as_str().trim_matches('_'), "const" | "pure"))
}

/// Returns the convergence that the attributes of a function declare.
pub(super) fn convergence(decl: &Decl) -> Option<Convergence> {
    let attributes: Vec<&Attribute> = decl.specifiers.attributes.iter().chain(&decl.attributes).collect();
    attributes.iter().rev().find_map(|attribute| match attribute.name.text.as_str().trim_matches('_') {
        "convergent" => Some(Convergence::Convergent),
        "noconvergent" => Some(Convergence::NotConvergent),
        _ => None,
    })
}
