//! The facts about a function that the analysis needs besides verdicts: what its pointers point to, what its operations
//! read and write, and what its numbers are. They depend only on the function and on the summaries of its callees. So
//! they are computed once, for all runs of the analysis.
//!
//! ```text
//! store %s, %i        version 1 of the slot %s
//! %x = load %s        reads version 1: forwarded from %i
//! ```

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Environment, ParameterPlace};
use crate::flow::{BlockId, Function, Op, ParameterRole, Passing, SlotId, Value, ValueId};
use crate::uniformity::accesses::{Accesses, Extent};
use crate::uniformity::conditions::Conditions;
use crate::uniformity::graph::Graph;
use crate::uniformity::ids::AffineForms;
use crate::uniformity::lanes::Lanes;
use crate::uniformity::memory::Memory;
use crate::uniformity::partitions::Partitions;
use crate::uniformity::place::{PointerTarget, Root};
use crate::uniformity::unknown_numbers::UnknownNumbers;
use crate::uniformity::versions::{SeenVersions, VersionOrigin, Versions};
use index_vec::{IndexVec, index_vec};

/// The facts about a function that do not depend on verdicts.
pub struct FunctionModel {
    /// The graph, with the facts that depend only on the graph.
    pub graph: Arc<Graph>,
    pub(super) memory: Memory,
    pub(super) accesses: Accesses,
    pub(super) parts: Partitions,
    /// The memory versions of each alias partition of private memory.
    pub(in crate::uniformity) versions: Versions,
    pub(super) lanes: Lanes,
    pub(super) conditions: Conditions,
    pub(super) ids: AffineForms,
    pub(super) unknown_numbers: UnknownNumbers,
    /// The slots that operations with a known effect write.
    pub(super) filled: IndexVec<SlotId, bool>,
    /// The blocks with a branch that decides whether and where a thread leaves some cycle, in ascending order.
    pub exits: Arc<[BlockId]>,
    /// The loads of variables whose value one store wrote, with the stored value.
    pub forwarded: Arc<FxHashMap<ValueId, ValueId>>,
    /// The loads of objects and referents of parameters that see the contents at the call.
    pub given: Arc<FxHashMap<ValueId, ParameterPlace>>,
    /// The values that the function writes through its parameters, if each of its `return`s finds the same value there.
    pub written: Arc<FxHashMap<ParameterPlace, ValueId>>,
}

impl FunctionModel {
    pub(super) fn of(function: &Function, graph: Arc<Graph>, environment: &Environment) -> FunctionModel {
        let memory = Memory::of(function, environment.summary);
        let accesses = Accesses::of(function, &memory, environment.summary);
        let parts = Partitions::of(function, &memory, &accesses);
        let versions = Versions::of(function, &graph, &memory, &parts, &accesses);
        let lanes = Lanes::of(function);
        let conditions = Conditions::of(function, &graph);
        let forwarded = Arc::new(versions.forwarded(function, &memory, &parts));
        let filled = filled(function, (&memory, &accesses), environment);
        let unknown_numbers = UnknownNumbers::of(function, (&memory, &filled), &forwarded, environment);
        let order = graph.dominators.order();
        let ids = AffineForms::of(function, order, (&lanes, &forwarded, &unknown_numbers), environment);
        let mut exits: Vec<BlockId> = graph.exit_branches.iter().flatten().copied().collect();
        exits.sort_unstable();
        exits.dedup();
        let mut model = FunctionModel {
            filled,
            graph,
            memory,
            accesses,
            parts,
            versions,
            lanes,
            conditions,
            ids,
            unknown_numbers,
            exits: exits.into(),
            forwarded,
            given: Arc::default(),
            written: Arc::default(),
        };
        model.given = Arc::new(model.given(function));
        model.written = Arc::new(model.written(function));
        model
    }

    /// Computes [`FunctionModel::given`].
    fn given(&self, function: &Function) -> FxHashMap<ValueId, ParameterPlace> {
        let is_object = |number: u32| {
            let parameter = &function.parameters[number as usize];
            let pointer = function.values[parameter.value].ty.as_pointer();
            parameter.passing == Passing::Copy
                || parameter.role == ParameterRole::Object
                || pointer.is_some_and(|pointer| pointer.reference)
        };
        let of_load = |(id, value): (ValueId, &Value)| {
            let Op::Load { address, volatile: false, .. } = value.op else { return None };
            let PointerTarget::Object(Root::Parameter(number), cell) = self.memory.place(address) else {
                return None;
            };
            let parts = self.parts.touched(self.memory.place(address), Extent::Of(value.ty))?;
            let [(_, version)] = *self.versions.seen(id, parts) else { return None };
            let is_given = self.versions.all[version].made == VersionOrigin::Entry;
            let place = ParameterPlace { parameter: number, offset: cell.at? };
            (is_given && is_object(number)).then_some((id, place))
        };
        if function.kernel {
            return FxHashMap::default();
        }
        function.values.iter_enumerated().filter_map(of_load).collect()
    }

    /// Computes [`FunctionModel::written`].
    fn written(&self, function: &Function) -> FxHashMap<ParameterPlace, ValueId> {
        let mut written = FxHashMap::default();
        let [(_, first), others @ ..] = self.versions.returned() else { return written };
        let value = |version| self.versions.copied_value(function, &self.memory, &self.parts, version);
        for number in (0..).take(function.parameters.len()) {
            let Some(parts) = self.parts.of_object(Root::Parameter(number)) else { continue };
            for &(part, version) in first.iter().filter(|(part, _)| parts.contains(&part.index())) {
                let (Some(bytes), Some(stored)) =
                    (self.parts.bytes_of(Root::Parameter(number), part), value(version))
                else {
                    continue;
                };
                let is_same = |seen: &SeenVersions| {
                    let own = seen.iter().find(|(it, _)| *it == part);
                    own.and_then(|&(_, version)| value(version)) == Some(stored)
                };
                if others.iter().all(|(_, seen)| is_same(seen)) {
                    written.insert(ParameterPlace { parameter: number, offset: bytes.begin }, stored);
                }
            }
        }
        written
    }
}

/// Finds the slots that operations with a known effect write.
fn filled(
    function: &Function,
    (memory, accesses): (&Memory, &Accesses),
    environment: &Environment,
) -> IndexVec<SlotId, bool> {
    let mut filled = index_vec![false; function.slots.len()];
    for access in accesses.all.iter().filter(|access| access.writes) {
        if let PointerTarget::Object(Root::Slot(slot), _) = memory.place(access.address) {
            let op = &function.values[access.by].op;
            filled[slot] |= !matches!(op, Op::Call(call) if environment.is_unknown(call));
        }
    }
    filled
}
