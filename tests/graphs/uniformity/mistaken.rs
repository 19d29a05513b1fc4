//! Analyses with a mistake about ids, launches, private memory, records or conditions. Executions must contradict each mistake.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{Callee, Function, Module, Op, SlotId, Terminator, Value, ValueId};
use tangle_analysis::uniformity::analysis::{
    Analysis, BuiltinEffect, Environment, Uniformity, UnknownAssumption,
};
use tangle_analysis::uniformity::effect::effect;
use tangle_analysis::uniformity::{Divergence, Launch, Summary, ThreadIndex};
use tangle_hir::typed::{Comparison, Constant, Conversion};
use tangle_ir::key::FunctionKey;
use tangle_syntax::dialect::opencl;

use super::claims::Claims;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Treats the global id as the local id.
    GlobalIsLocal,
    /// Treats the lane number in the sub-group as the local id.
    LaneIsLocal,
    /// Treats the linear local id as the local id.
    LinearIsLocal,
    /// Assumes that work-groups have half their number of threads.
    HalfAGroup,
    /// Assumes that sub-groups have twice their number of threads.
    TwiceASubGroup,
    /// Assumes that sub-groups have half their number of threads.
    HalfASubGroup,
    /// Assumes that each work-group is one sub-group.
    OneSubGroup,
    /// Swaps the first two parameters in the formula of a function's result.
    SwappedParameters,
}

impl Mistake {
    pub const ALL: [Mistake; 8] = [
        Mistake::GlobalIsLocal,
        Mistake::LaneIsLocal,
        Mistake::LinearIsLocal,
        Mistake::HalfAGroup,
        Mistake::TwiceASubGroup,
        Mistake::HalfASubGroup,
        Mistake::OneSubGroup,
        Mistake::SwappedParameters,
    ];

    fn of_index(self, index: ThreadIndex) -> ThreadIndex {
        match (self, index) {
            (Mistake::GlobalIsLocal, ThreadIndex::Global) => ThreadIndex::Local,
            (Mistake::LaneIsLocal, ThreadIndex::Lane) => ThreadIndex::Local,
            (Mistake::LinearIsLocal, ThreadIndex::LocalLinear) => ThreadIndex::Local,
            _ => index,
        }
    }

    fn of_launch(self, launch: Launch) -> Launch {
        let Launch { local_size: [x, y, z], sub_group_size, .. } = launch;
        match self {
            Mistake::HalfAGroup => Launch { local_size: [x.map(|x| x.div_ceil(2)), y, z], ..launch },
            Mistake::TwiceASubGroup => {
                Launch { sub_group_size: sub_group_size.map(|size| size * 2), ..launch }
            }
            Mistake::HalfASubGroup => {
                Launch { sub_group_size: sub_group_size.map(|size| size / 2), ..launch }
            }
            Mistake::OneSubGroup => Launch { sub_group_size: Some(1 << 20), ..launch },
            _ => launch,
        }
    }
}

/// Returns the claims about the kernels of a module, with or without a mistake. Other functions get no claims.
pub fn claims(module: &Module, mistake: Option<Mistake>) -> Vec<Claims> {
    let builtin = |callee: &Callee| {
        let effect = effect(opencl().builtins(), callee.row()?)?;
        let mistaken = |index: ThreadIndex| mistake.map_or(index, |mistake| mistake.of_index(index));
        Some(BuiltinEffect { index: effect.index.map(mistaken), ..effect })
    };
    let mut formulas: FxHashMap<FunctionKey, Summary> = FxHashMap::default();
    let mut of = |function: &Function| {
        if !function.kernel {
            let function = match mistake {
                Some(Mistake::SwappedParameters) => &with_swapped_parameters(function),
                _ => function,
            };
            let summary = analyse(function, &formulas, &FxHashMap::default()).summary;
            if summary.formula.is_some() {
                formulas.insert(function.key, summary);
            }
            return Claims::all(function, super::claims::Scopes::NONE);
        }
        let launch = Launch {
            local_size: function.work_group_size.map_or([None; 3], |size| size.map(Some)),
            sub_group_size: function.sub_group_size,
            global_multiple_of: None,
            rows_are_whole_sub_groups: false,
            strides_cover_work_group: false,
        };
        // A call may have any effect, unless it calls a builtin or a function with a formula.
        let launch = mistake.map_or(launch, |mistake| mistake.of_launch(launch));
        let environment = Environment {
            assumed: UnknownAssumption::Nothing,
            launch,
            summary: &|callee| formulas.get(&callee.key()?).cloned().map(Arc::new),
            ..Environment::of(&builtin)
        };
        Claims::from(&Analysis::of(function, GraphAnalysis::of(function), &environment).result())
    };
    module.functions.iter().map(&mut of).collect()
}

/// Swaps the first two parameters of a function.
fn with_swapped_parameters(function: &Function) -> Function {
    let mut changed = function.clone();
    for value in &mut changed.values {
        if let Op::Parameter(number @ (0 | 1)) = &mut value.op {
            *number = 1 - *number;
        }
    }
    changed
}

/// A mistake about the contents of variables and private memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryMistake {
    /// If a helper writes memory on some path, assumes that it does so on every path.
    SometimesIsAlways,
    /// Treats an element with an unknown index as the first element.
    AnyIsFirst,
    /// Treats a field of an element as the record's first field, if both have the same type.
    FieldIsFirst,
    /// Assumes that loads are only as divergent as the stored values, and ignores the branches that select a store.
    NoJoins,
    /// Assumes that a load after a loop is only as divergent as the loads in the loop.
    NoIterations,
    /// Assumes that all back edges of a loop have the values of the first one.
    OneWayBack,
}

impl MemoryMistake {
    pub const ALL: [MemoryMistake; 6] = [
        MemoryMistake::SometimesIsAlways,
        MemoryMistake::AnyIsFirst,
        MemoryMistake::FieldIsFirst,
        MemoryMistake::NoJoins,
        MemoryMistake::NoIterations,
        MemoryMistake::OneWayBack,
    ];
}

/// A mistake about records behind pointers, pointers in records, or correlated branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordMistake {
    /// Assumes that all pointers that are stored in one variable are the first of them.
    FirstStoredPointer,
    /// Treats each field that a helper accesses through a pointer as the record's second field, if both have the same
    /// type.
    OneFieldBehindPointers,
    /// Takes branches for correlated if they compare the same values, whatever the comparison is.
    AnyComparison,
    /// Takes the condition of a correlated branch for its opposite.
    OppositeCondition,
}

impl RecordMistake {
    pub const ALL: [RecordMistake; 4] = [
        RecordMistake::FirstStoredPointer,
        RecordMistake::OneFieldBehindPointers,
        RecordMistake::AnyComparison,
        RecordMistake::OppositeCondition,
    ];

    fn change(self, function: &Function) -> Function {
        match self {
            RecordMistake::FirstStoredPointer => with_first_stored_pointers(function),
            RecordMistake::OneFieldBehindPointers => with_one_field_behind_pointers(function),
            RecordMistake::AnyComparison => with_one_comparison(function),
            RecordMistake::OppositeCondition => with_opposite_conditions(function),
        }
    }
}

/// Returns the claims about the functions of a module, callees first, with or without a mistake about records or
/// conditions.
pub fn record_claims(module: &Module, mistake: Option<RecordMistake>) -> Vec<Claims> {
    let mut summaries: FxHashMap<FunctionKey, Summary> = FxHashMap::default();
    let mut claims = Vec::new();
    for function in &module.functions {
        let changed = mistake.map_or_else(|| function.clone(), |mistake| mistake.change(function));
        let found = analyse(&changed, &summaries, &FxHashMap::default());
        summaries.insert(function.key, found.summary.clone());
        claims.push(Claims::from(&found));
    }
    claims
}

/// Replaces each pointer that is stored in a slot by the first one that is stored there.
fn with_first_stored_pointers(function: &Function) -> Function {
    let mut changed = function.clone();
    let mut first: FxHashMap<SlotId, ValueId> = FxHashMap::default();
    for block in &function.blocks {
        for &id in &block.values {
            let Op::Store { address, value, .. } = function.values[id].op else { continue };
            if let (Some(slot), Some(_)) = (slot(function, address), function.values[value].ty.as_pointer())
                && let Op::Store { value: stored, .. } = &mut changed.values[id].op
            {
                *stored = *first.entry(slot).or_insert(value);
            }
        }
    }
    changed
}

/// Replaces the fields that are accessed through parameters by the second field, if both have the same type.
fn with_one_field_behind_pointers(function: &Function) -> Function {
    let mut changed = function.clone();
    for value in &mut changed.values {
        let Op::Field { base, field, record } = &mut value.op else { continue };
        let fields = record.as_record().and_then(|record| record.definition.as_ref()).map(|it| &it.fields);
        let is_like = fields.is_some_and(|it| it.len() > 1 && it[1].ty == it[*field as usize].ty);
        if is_like && matches!(function.values[*base].op, Op::Parameter(_)) {
            *field = 1;
        }
    }
    changed
}

/// Replaces all comparisons by one.
fn with_one_comparison(function: &Function) -> Function {
    let mut changed = function.clone();
    for value in &mut changed.values {
        if let Op::Compare { op, .. } = &mut value.op {
            *op = Comparison::Less;
        }
    }
    changed
}

/// Swaps the targets of every second branch, in the order of blocks.
fn with_opposite_conditions(function: &Function) -> Function {
    let mut changed = function.clone();
    let branches = changed.blocks.iter_mut().filter_map(|block| match &mut block.terminator {
        Terminator::Branch { then, otherwise, .. } => Some((then, otherwise)),
        _ => None,
    });
    for (then, otherwise) in branches.skip(1).step_by(2) {
        std::mem::swap(then, otherwise);
    }
    changed
}

/// Returns the claims about the functions of a module, callees first, with or without a mistake about memory.
pub fn memory_claims(module: &Module, mistake: Option<MemoryMistake>) -> Vec<Claims> {
    let mut summaries: FxHashMap<FunctionKey, Summary> = FxHashMap::default();
    let mut claims = Vec::new();
    for function in &module.functions {
        let changed = match mistake {
            Some(MemoryMistake::AnyIsFirst) => with_first_elements(function),
            Some(MemoryMistake::FieldIsFirst) => with_first_fields(function),
            Some(MemoryMistake::OneWayBack) => with_one_way_back(function),
            _ => function.clone(),
        };
        let mut found = analyse(&changed, &summaries, &FxHashMap::default());
        let limits = match mistake {
            Some(MemoryMistake::NoJoins) => as_stored(function, &found),
            Some(MemoryMistake::NoIterations) => as_in_loops(function, &found),
            _ => FxHashMap::default(),
        };
        if !limits.is_empty() {
            found = analyse(function, &summaries, &limits);
        }
        let mut summary = found.summary.clone();
        if mistake == Some(MemoryMistake::SometimesIsAlways) {
            // Replace the parts of the target by one fact for the whole target.
            for written in &mut summary.writes {
                written.ranges = written.all().map(|fact| (None, fact)).into_iter().collect();
            }
            summary.overwrites = vec![u64::MAX; function.parameters.len()].into();
        }
        summaries.insert(function.key, summary);
        claims.push(Claims::from(&found));
    }
    claims
}

fn analyse(
    function: &Function,
    summaries: &FxHashMap<FunctionKey, Summary>,
    limits: &FxHashMap<ValueId, Divergence>,
) -> Uniformity {
    let values = function.values.iter_enumerated();
    let number: FxHashMap<*const Value, ValueId> =
        values.map(|(id, value)| (std::ptr::from_ref(value), id)).collect();
    let environment = Environment {
        summary: &|callee| summaries.get(&callee.key()?).cloned().map(Arc::new),
        limit: &|value| limits.get(number.get(&std::ptr::from_ref(value))?).copied(),
        assumed: UnknownAssumption::Nothing,
        ..Environment::of(&|callee| effect(opencl().builtins(), callee.row()?))
    };
    Analysis::of(function, GraphAnalysis::of(function), &environment).result()
}

/// Replaces unknown indices of stores to elements of slots by 0.
fn with_first_elements(function: &Function) -> Function {
    let mut changed = function.clone();
    for value in &function.values {
        let Op::Store { address, .. } = value.op else { continue };
        let Op::Element { index, .. } = function.values[address].op else { continue };
        if slot(function, address).is_some() && !matches!(function.values[index].op, Op::Constant(_)) {
            let ty = function.values[index].ty;
            let zero = Value { op: Op::Constant(Constant::Integer(0)), ty, ..function.values[index].clone() };
            let zero = changed.values.push(zero);
            if let Op::Element { index, .. } = &mut changed.values[address].op {
                *index = zero;
            }
        }
    }
    changed
}

/// Replaces the field of a store to an element by the first field, if both have the same type.
fn with_first_fields(function: &Function) -> Function {
    let mut changed = function.clone();
    for value in &function.values {
        let Op::Store { address, .. } = value.op else { continue };
        let Op::Field { base, field, record } = function.values[address].op else { continue };
        let fields = record.as_record().and_then(|record| record.definition.as_ref());
        let is_like = fields.is_some_and(|it| it.fields[0].ty == it.fields[field as usize].ty);
        if is_like && matches!(function.values[base].op, Op::Element { .. }) {
            changed.values[address].op = Op::Field { base, field: 0, record };
        }
    }
    changed
}

/// Makes each phi at a loop header use the same value for all back edges.
fn with_one_way_back(function: &Function) -> Function {
    let shape = GraphAnalysis::of(function);
    let mut changed = function.clone();
    for cycle in shape.cycles.cycles.indices() {
        for &id in &function.blocks[shape.cycles.cycles[cycle].header].values {
            let Op::Phi(incoming) = &mut changed.values[id].op else { continue };
            let mut back = incoming.iter_mut().filter(|(from, _)| shape.cycles.contains(cycle, *from));
            if let Some(&mut (_, first)) = back.next() {
                back.for_each(|(_, value)| *value = first);
            }
        }
    }
    changed
}

/// Returns the slot that an address points into.
fn slot(function: &Function, mut address: ValueId) -> Option<SlotId> {
    loop {
        match function.values[address].op {
            Op::Slot(slot) => return Some(slot),
            Op::Element { base, .. } | Op::Field { base, .. } => address = base,
            Op::Convert { conversion: Conversion::Pointer, operand } => address = operand,
            _ => return None,
        }
    }
}

/// Returns, for loads from slots that stores write: the divergence of the stored values and addresses.
fn as_stored(function: &Function, found: &Uniformity) -> FxHashMap<ValueId, Divergence> {
    let mut stored: FxHashMap<SlotId, Divergence> = FxHashMap::default();
    for value in &function.values {
        if let Op::Store { address, value, .. } = value.op
            && let Some(slot) = slot(function, address)
        {
            let known = stored.entry(slot).or_default();
            *known = found.values[value].divergence.max(found.values[address].divergence).max(*known);
        }
    }
    let loads = function.values.iter_enumerated().filter_map(|(id, value)| match value.op {
        Op::Load { address, .. } => Some((id, *stored.get(&slot(function, address)?)?)),
        _ => None,
    });
    loads.collect()
}

/// Returns, for loads from slots after loops: the divergence of the loads from the same slot in loops.
fn as_in_loops(function: &Function, found: &Uniformity) -> FxHashMap<ValueId, Divergence> {
    let shape = GraphAnalysis::of(function);
    let mut inside: FxHashMap<SlotId, Divergence> = FxHashMap::default();
    let mut after: Vec<(ValueId, SlotId)> = Vec::new();
    for (block, it) in function.blocks.iter_enumerated() {
        for &id in &it.values {
            let Op::Load { address, .. } = function.values[id].op else { continue };
            let Some(slot) = slot(function, address) else { continue };
            if shape.cycles.innermost(block).is_some() {
                let known = inside.entry(slot).or_default();
                *known = found.values[id].divergence.max(*known);
            } else {
                after.push((id, slot));
            }
        }
    }
    after.into_iter().filter_map(|(id, slot)| Some((id, *inside.get(&slot)?))).collect()
}
