//! Lowers the initialisers of variables and compound literals.

use super::place::{Memory, Place};
use super::{Builder, VariableStorage};
use crate::flow::Op;
use tangle_hir::typed::{Constant, ExprId, ExprKind, Initializer, SubobjectStep, VarId};
use tangle_hir::types::{Ty, TyKind};

impl Builder<'_> {
    /// Initialises a variable. Without an initialiser, its value is undefined, in each iteration anew.
    pub(super) fn initialize(&mut self, var: VarId, initializer: Option<&Initializer>) {
        let ty = self.complete(self.typed.vars[var].ty);
        let volatile = self.typed.vars[var].volatile;
        match (self.homes[var], initializer) {
            (VariableStorage::Variable(variable), None) => {
                let value = self.undefined(ty);
                self.effect(Op::Set(variable, value));
            }
            (VariableStorage::Variable(variable), Some(initializer)) => {
                let place = Place::Variable(variable, ty);
                if initializer.entries.iter().all(|(path, _)| !path.is_empty()) {
                    let value = self.constant(Constant::Zero, ty);
                    self.effect(Op::Set(variable, value));
                }
                for (path, value) in &initializer.entries {
                    let place = self.inside(place.clone(), path);
                    self.entry(&place, *value);
                }
            }
            (VariableStorage::Memory(_), None) => {}
            (VariableStorage::Memory(address), Some(initializer)) => {
                let place = self.memory(address, ty, volatile);
                if initializer.zero {
                    self.effect(Op::Clear { address, ty });
                }
                for (path, value) in &initializer.entries {
                    let place = self.inside(place.clone(), path);
                    self.entry(&place, *value);
                }
            }
        }
    }

    /// Returns the place inside `place` that a path selects.
    fn inside(&mut self, place: Place, path: &[SubobjectStep]) -> Place {
        let mut place = place;
        for &step in path {
            let ty = place.ty(self);
            place = match (step, place, ty.kind()) {
                (SubobjectStep::Field(field), Place::Memory(memory), _) => self.field(memory, field),
                (
                    SubobjectStep::Element(index),
                    Place::Memory(memory),
                    TyKind::Array { element, .. } | TyKind::Vector { element, .. },
                ) => {
                    let index = self.integer(index.into(), Ty::ULONG);
                    Place::Memory(self.element(memory, index, self.complete(*element)))
                }
                (SubobjectStep::Element(index), base, TyKind::Vector { element, lanes, .. })
                    if index < u64::from(*lanes) =>
                {
                    Place::Lanes { base: Box::new(base), lanes: [index as u8].into(), ty: *element }
                }
                (SubobjectStep::Field(_) | SubobjectStep::Element(_), base, _) => {
                    Place::Part { base: Box::new(base), through: Vec::new() }
                }
            };
        }
        place
    }

    fn entry(&mut self, place: &Place, value: ExprId) {
        // A string initialises the first elements of an array. Its terminating zero byte may not fit.
        if let (ExprKind::String(bytes), Place::Memory(Memory { address, ty, .. })) =
            (&self.typed.exprs[value].kind, place)
            && let TyKind::Array { element, length: Some(length) } = ty.kind()
        {
            let from = self.place(value);
            let from = self.address(&from);
            let count = (bytes.len() as u64).min(*length);
            if count < *length {
                self.effect(Op::Clear { address: *address, ty: *ty });
            }
            self.effect(Op::Copy { to: *address, from, ty: Ty::array(*element, Some(count)) });
            return;
        }
        let value = self.value(value);
        self.store(place, value);
    }
}
