//! Finds the variables and names that a body stores to, or whose address it takes.

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;

use crate::typed::{ExprId, ExprKind, StmtExprs, TypedBody, Unknown, VarId};

/// The variables and names that a body stores to, or whose address it takes.
pub struct Stored {
    /// The variables that are stored to.
    pub changed: FxHashSet<VarId>,
    /// The variables whose address is taken.
    pub taken: FxHashSet<VarId>,
    /// The undeclared names that are stored to or whose address is taken, in order, with whether the address is taken.
    pub names: Vec<(Symbol, bool)>,
}

impl Stored {
    /// Collects them from a body.
    pub fn in_body(typed: &TypedBody) -> Stored {
        let mut stored =
            Stored { changed: FxHashSet::default(), taken: FxHashSet::default(), names: Vec::new() };
        for expr in &typed.exprs {
            match &expr.kind {
                ExprKind::AddressOf(place) => stored.root(typed, *place, true),
                ExprKind::Unknown { what: Unknown::Address, operands } => {
                    operands.iter().for_each(|&place| stored.root(typed, place, true));
                }
                ExprKind::Assign { place, .. }
                | ExprKind::CompoundAssign { place, .. }
                | ExprKind::Step { place, .. } => stored.root(typed, *place, false),
                ExprKind::Unknown { what: Unknown::Update(_), operands } => {
                    operands.first().iter().for_each(|&&place| stored.root(typed, place, false));
                }
                _ => {}
            }
        }
        for evaluated in &typed.stmts {
            if let StmtExprs::Assembly { outputs, .. } = evaluated {
                outputs.iter().for_each(|&place| stored.root(typed, place, false));
            }
        }
        stored
    }

    /// Records the variable or name that contains a place. The target of an undeclared name is a different object.
    fn root(&mut self, typed: &TypedBody, place: ExprId, address: bool) {
        let is_name = |kind: &ExprKind| matches!(kind, ExprKind::Unknown { what: Unknown::Name(_), .. });
        let mut at = place;
        loop {
            match &typed.exprs[at].kind {
                ExprKind::Field { base, .. } | ExprKind::Lanes { base, .. } | ExprKind::Lane { base, .. } => {
                    at = *base;
                }
                ExprKind::Unknown { what: Unknown::ElementOrTarget | Unknown::Member(_), operands }
                    if address =>
                {
                    match operands.first() {
                        Some(&base) if !is_name(&typed.exprs[base].kind) => at = base,
                        _ => return,
                    }
                }
                ExprKind::Variable(var) | ExprKind::Compound { var, .. } => {
                    match address {
                        true => self.taken.insert(*var),
                        false => self.changed.insert(*var),
                    };
                    return;
                }
                ExprKind::Unknown { what: Unknown::Name(name), .. } => {
                    match self.names.iter_mut().find(|(known, _)| known == name) {
                        Some((_, in_memory)) => *in_memory |= address,
                        None => self.names.push((*name, address)),
                    }
                    return;
                }
                _ => return,
            }
        }
    }
}
