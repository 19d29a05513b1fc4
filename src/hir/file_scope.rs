//! What an item tells the rest of its file: the functions and variables that it declares, and whom they call.

use tangle_grammar::ast::{Ast, Attribute, Decl, Derived, Storage};
use tangle_grammar::symbol::Symbol;

use super::body::{Body, Callee};
use super::names::enumerators;

pub use tangle_ir::nest::Convergence;

/// A function that an item declares or defines.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Function {
    pub name: Symbol,
    pub defined: bool,
    pub kernel: bool,
    /// `static` or `inline`: it is there only if something calls it.
    pub internal: bool,
    /// Other functions may have the same name.
    pub overloadable: bool,
    pub attribute: Option<Convergence>,
    /// The functions that it names in calls, each once, sorted.
    pub callees: Box<[Symbol]>,
    /// It calls something that is no name: any function may run.
    pub calls_pointer: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Declared {
    pub functions: Box<[Function]>,
    /// Variables at file scope. A call of one is a call through a pointer.
    pub variables: Box<[Symbol]>,
    /// Constants of file-scope `enum`s.
    pub constants: Box<[Symbol]>,
}

impl Declared {
    pub(super) fn of(ast: &Ast, bodies: &[Body]) -> Declared {
        let mut functions = Vec::new();
        let mut variables = Vec::new();
        let mut constants = Vec::new();
        for &id in &ast.items {
            let decl = &ast.decls[id];
            constants.extend(enumerators(&decl.specifiers.types));
            let Some(name) = decl.name else { continue };
            if decl.specifiers.storage.contains(&Storage::Typedef) {
                continue;
            }
            if !matches!(decl.declarator.first(), Some(Derived::Function { .. })) {
                variables.push(name.text);
                continue;
            }
            // Blocks inside a function run when it is, or later: their calls count as its own.
            let own = bodies.iter().filter(|body| decl.body.is_some() && body.name.text == name.text);
            let mut function = Function {
                name: name.text,
                defined: decl.body.is_some(),
                kernel: decl.specifiers.storage.contains(&Storage::Kernel),
                internal: [Storage::Static, Storage::Inline]
                    .iter()
                    .any(|word| decl.specifiers.storage.contains(word)),
                overloadable: super::check::is_overloadable(decl),
                attribute: convergence(decl),
                callees: Box::default(),
                calls_pointer: false,
            };
            let mut callees = Vec::new();
            for call in own.flat_map(|body| &body.calls) {
                match call.callee {
                    Callee::Named(name) => callees.push(name),
                    Callee::Pointer => function.calls_pointer = true,
                }
            }
            callees.sort_unstable();
            callees.dedup();
            function.callees = callees.into();
            functions.push(function);
        }
        Declared { functions: functions.into(), variables: variables.into(), constants: constants.into() }
    }
}

/// Whether a statement's attributes ask for an anchor.
pub(super) fn is_opportunistic(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.name.text.as_str().trim_matches('_') == "noconvergent")
}

/// What the attributes of a function say of its convergence.
pub(super) fn convergence(decl: &Decl) -> Option<Convergence> {
    let attributes: Vec<&Attribute> = decl.specifiers.attributes.iter().chain(&decl.attributes).collect();
    attributes.iter().rev().find_map(|attribute| match attribute.name.text.as_str().trim_matches('_') {
        "convergent" => Some(Convergence::Convergent),
        "noconvergent" => Some(Convergence::NotConvergent),
        _ => None,
    })
}
