//! Data races for all output formats: the accessed element, and both accesses with location and thread.

use schemars::JsonSchema;
use serde::Serialize;
use tangle_ir::layout::{layout, record_layout};
use tangle_ir::types::{Ty, TyKind};
use tangle_simulate::races::{self, SharedObject};
use tangle_simulate::{Location, Run};

use super::report::Place;
use tangle_analysis::flow::{Function, Module};

/// Two accesses that nothing orders.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Race {
    /// The variable or parameter.
    pub object: String,
    /// The accessed part, as C writes it.
    pub element: String,
    /// In bytes from the start of the object.
    pub offset: u64,
    pub accesses: [Access; 2],
}

/// One of the two accesses of a race.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Access {
    #[serde(flatten)]
    pub place: Place,
    pub group: usize,
    pub thread: usize,
    pub access: AccessKind,
}

/// The kind of an access. `group-read` and `group-write` are copies by a whole work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    GroupRead,
    GroupWrite,
}

/// Returns the races of an execution in the order of their locations, one for each pair of locations.
pub fn of(run: &Run, module: &Module, kernel: &Function, place: impl Fn(Location) -> Place) -> Vec<Race> {
    let access = |it: &races::Access| {
        let at = run.grid.place(it.thread);
        let access = match (it.manner, it.stores) {
            (races::AccessKind::Plain, false) => AccessKind::Read,
            (races::AccessKind::Plain, true) => AccessKind::Write,
            (races::AccessKind::Atomic(_), false) => AccessKind::AtomicRead,
            (races::AccessKind::Atomic(_), true) => AccessKind::AtomicWrite,
            (races::AccessKind::Together, false) => AccessKind::GroupRead,
            (races::AccessKind::Together, true) => AccessKind::GroupWrite,
        };
        Access { place: place(it.spot), group: at.group, thread: at.linear, access }
    };
    let race = |it: &races::Race| {
        let (object, element) = match it.object {
            SharedObject::Variable(name) => {
                let ty = module.globals.iter().find(|global| global.name == name).map(|global| global.ty);
                (name.to_string(), path(ty, it.offset))
            }
            SharedObject::Parameter(number) => {
                let parameter = kernel.parameters.get(number);
                let name = parameter.and_then(|it| it.name).map_or(String::new(), |name| name.to_string());
                let of = parameter.and_then(|it| it.ty.as_pointer()).map(|pointer| pointer.pointee);
                (name, pointed(of, it.offset))
            }
        };
        let mut accesses = [access(&it.first), access(&it.second)];
        let order = |it: &Access| (it.place.file.clone(), it.place.line, it.place.column);
        accesses.sort_by_key(|it| (order(it), it.group, it.thread));
        Race { element: object.clone() + &element, object, offset: it.offset, accesses }
    };
    let mut races: Vec<Race> = run.races.found.iter().map(race).collect();
    let places = |race: &Race| {
        let at = |it: &Access| (it.place.file.clone(), it.place.line, it.place.column);
        race.accesses.each_ref().map(at)
    };
    races.sort_by_key(places);
    // `p[i] += 1` reads and writes at the same location.
    races.dedup_by_key(|race| places(race));
    races
}

/// Returns the element of the pointed-to memory that contains a byte, such as `[2].x`.
fn pointed(of: Option<Ty>, offset: u64) -> String {
    match of.and_then(layout).map_or(0, |layout| layout.size) {
        0 => String::new(),
        step => format!("[{}]{}", offset / step, path(of, offset % step)),
    }
}

/// Returns the part of an object that contains a byte: elements of arrays, members of structures, lanes of vectors.
fn path(ty: Option<Ty>, offset: u64) -> String {
    let (mut ty, mut offset, mut path) = (ty, offset, String::new());
    while let Some(of) = ty {
        ty = match of.kind() {
            TyKind::Array { element, .. } | TyKind::Vector { element, .. } => {
                let step = layout(*element).map_or(1, |layout| layout.size).max(1);
                path += &format!("[{}]", offset / step);
                offset %= step;
                Some(*element)
            }
            TyKind::Record(record) if !record.union => {
                let fields = record.definition.iter().flat_map(|definition| definition.fields.iter());
                let places = record_layout(of);
                let places = places.iter().flat_map(|places| places.fields.iter());
                // A bit-field covers its whole storage unit. If several share a unit, no member is named.
                let mut of = fields.zip(places).filter(|(field, place)| {
                    let size = layout(place.unit.unwrap_or(field.ty)).map_or(0, |layout| layout.size);
                    (place.offset..place.offset + size).contains(&offset)
                });
                let field = of.next().filter(|_| of.next().is_none());
                field.and_then(|(field, place)| {
                    path += &format!(".{}", field.name?);
                    offset -= place.offset;
                    place.unit.is_none().then_some(field.ty)
                })
            }
            _ => None,
        };
    }
    path
}
