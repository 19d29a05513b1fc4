//! The contributions to the result of a call.
//!
//! A function of the module has a summary, and a builtin of the language has an effect. An unknown function has neither
//! (`docs/semantics.md` §9): its result is as divergent as its arguments. An argument **tells** something if it carries
//! information that the result could follow from. If no argument does, the result counts as divergent.
//!
//! ```c
//! int a = own(i);             // the summary of `own`: as divergent as `i`, if the result depends on it
//! int b = get_num_groups(0);  // the effect: the same for all threads
//! int c = helper(i, &a);      // unknown: as divergent as `i` and the contents of `a`
//! int d = helper(0, 0);       // constants carry no information: divergent
//! ```

use super::{Analysis, BuiltinEffect, Contribution, DivergenceSource, Reason, UnknownAssumption};
use crate::flow::{BlockId, Call, Callee, Op, ValueId};
use crate::scope::Scope;
use crate::types::{Opaque, Ty, TyKind};
use crate::uniformity::unknown_numbers::carries_information;
use crate::uniformity::{Confidence, Divergence, Fact, ParameterRanges, Parameters, ThreadIndex};
use crate::uniformity::{ids, names};
use crate::value::Conversion;

impl Analysis<'_> {
    pub(super) fn of_call(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        ids: Option<Divergence>,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        if let Some(summary) = (self.environment.summary)(&call.callee) {
            // The result is computed from the arguments, as if the operations were here.
            if let (Some(_), None, None, Some(formula)) =
                (ids, summary.affine_result, summary.multiple, &summary.formula)
            {
                for number in formula.parameters() {
                    if let Some(&(argument, _)) = call.arguments.get(number as usize) {
                        self.visit_operand(argument, ids, Some(id), block, visit);
                    }
                }
                return;
            }
            let result = match (ids, summary.affine_result) {
                // The divergence that remains after the ids cancel is `own`.
                (Some(own), Some(counted)) => counted.base.join(Fact::of(own)),
                _ => summary.result,
            };
            self.of_callee(id, block, call, (&summary.inputs, result), visit);
            if let Some(argument) = self.state.reads.raced.get(&id).copied() {
                self.of_sharing(argument, visit);
            }
            return;
        }
        match self.builtin(&call.callee) {
            Some(builtin) => self.of_builtin(id, block, call, (builtin, ids), visit),
            None if call.callee.is_of_dialect() => self.of_arguments(id, block, call, visit),
            None => self.of_unknown(id, block, call, visit),
        }
    }

    /// Visits the contributions that a fact of a callee has at a call of it.
    pub(super) fn of_callee(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        (inputs, fact): (&ParameterRanges, Fact),
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        // The callee derives the fact from an argument with a confidence that limits that of the argument.
        let limit = |certain: Parameters, number: usize| match certain.contains(number) {
            true => Confidence::Certain,
            false => Confidence::Likely,
        };
        let certain_values = fact.values_at(Confidence::Certain);
        let certain_pointees = fact.pointees_at(Confidence::Certain);
        for number in fact.pointees.iter() {
            let Some(input) = inputs.get(number) else { continue };
            let Some(&(argument, _)) = call.arguments.get(input.parameter as usize) else { continue };
            let limit = limit(certain_pointees, number);
            let mut visit = |contribution: Contribution, fact: Fact| visit(contribution, fact.at_most(limit));
            match self.function.values[argument].ty.as_pointer() {
                Some(_) => self.of_input(id, argument, input, &mut visit),
                None => self.of_use(argument, Some(id), block, &mut visit),
            }
        }
        if fact.divergence != Divergence::None {
            visit(Reason::Callee.into(), fact.without_parameters());
        }
        if !fact.depends_on_caller() {
            return;
        }
        for (number, &(argument, _)) in call.arguments.iter().enumerate() {
            let is_pointer = self.function.values[argument].ty.as_pointer().is_some();
            // If several functions may be called, one of them may take this value by reference.
            let is_content = !is_pointer && fact.pointees.contains(number);
            if fact.values.contains(number) || is_content {
                let limit = limit(certain_values, number).max(limit(certain_pointees, number));
                self.of_use(argument, Some(id), block, &mut |contribution, fact| {
                    visit(contribution, fact.at_most(limit));
                });
            }
            if !is_pointer {
                continue;
            }
            if fact.pointees.contains(number) {
                let limit = limit(certain_pointees, number);
                self.of_memory(id, argument, &mut |contribution, fact| {
                    visit(contribution, fact.at_most(limit));
                });
            }
            if fact.shared.contains(number) {
                self.of_sharing(argument, visit);
            }
            if fact.private.contains(number) {
                self.of_privacy(argument, visit);
            }
        }
    }

    /// Visits the contributions to the result or the writes of an unknown call (`docs/semantics.md` §9): its arguments,
    /// and the memory that they point to.
    pub(super) fn of_unknown(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        if names::is_sub_group_size(&self.function.values[id].op, self.environment.implied) {
            return;
        }
        let knows_nothing =
            || !call.arguments.iter().any(|&(argument, _)| self.carries_information(argument));
        let differs = match self.environment.assumed {
            UnknownAssumption::Nothing => true,
            UnknownAssumption::Usual => knows_nothing(),
            UnknownAssumption::Uniform => false,
        };
        if differs || matches!(call.callee, Callee::Pointer { .. }) {
            let fact = Fact::divergent(Confidence::Possible);
            visit(Reason::Source(DivergenceSource::UnknownFunction).into(), fact);
        }
        let mut visit = |contribution: Contribution, fact: Fact| {
            visit(contribution, fact.at_most(Confidence::Likely));
        };
        self.of_arguments(id, block, call, &mut visit);
        for &(argument, _) in &call.arguments {
            if self.function.values[argument].ty.as_pointer().is_some() {
                self.of_memory(id, argument, &mut visit);
            }
        }
    }

    fn carries_information(&self, argument: ValueId) -> bool {
        carries_information(self.function, (&self.model.memory, &self.model.filled), argument)
    }

    /// Whether the effect of a call is unknown.
    pub(super) fn is_unknown(&self, call: &Call) -> bool {
        self.environment.is_unknown(call)
    }

    fn of_builtin(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        (builtin, ids): (BuiltinEffect, Option<Divergence>),
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let own = match (ids, builtin.index) {
            // The base of a global id differs between work-groups.
            (Some(ids), Some(ThreadIndex::Global)) => ids.max(Divergence::Grid),
            (Some(ids), _) => ids,
            // If a work-group has only one sub-group, its sub-groups cannot differ.
            (None, _) if self.environment.launch.is_one_sub_group() => match builtin.result {
                Divergence::Workgroup => Divergence::Grid,
                result => result,
            },
            (None, _) => builtin.result,
        };
        // A tile with as many threads as a sub-group is one.
        let tile = builtin.of_tile.and_then(|tile| call.arguments.get(tile));
        let own = match tile {
            Some(&(tile, _)) if self.is_sub_group_size(tile) => own.min(Divergence::Workgroup),
            _ => own,
        };
        if let Some((value, lane)) = builtin.moved
            && call.arguments.get(value).is_some()
        {
            self.visit_shuffled(id, block, call, (value, lane), visit);
        } else if own != Divergence::None {
            let source = if builtin.atomic { DivergenceSource::Atomic } else { DivergenceSource::Builtin };
            visit(Reason::Source(source).into(), Fact::of(own));
        }
        // A collective returns the same result to all its threads, even if their arguments differ.
        if builtin.of_arguments {
            self.of_arguments(id, block, call, visit);
        } else if let Some((argument, _)) = builtin.of_argument.and_then(|at| call.arguments.get(at)) {
            self.of_use(*argument, Some(id), block, visit);
        }
        if builtin.loads {
            for (argument, _) in &call.arguments {
                let ty = self.function.values[*argument].ty;
                if ty.as_pointer().is_some() {
                    self.of_memory(id, *argument, visit);
                } else if is_written_image(ty) {
                    let fact = Fact::divergent(Confidence::Likely);
                    visit(Reason::Source(DivergenceSource::Image).into(), fact);
                }
            }
        }
    }

    /// Visits the contributions to a value that another thread of the sub-group passes. The result is uniform if all
    /// threads pass the same value. In a sub-group, it is also uniform if all threads select the same thread.
    fn visit_shuffled(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        (value, lane): (usize, Option<usize>),
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        let is_whole = || match call.arguments.get(lane.unwrap_or(0) + 1..) {
            Some([]) => true,
            Some([(segment, _)]) => self.is_sub_group_size(*segment),
            _ => false,
        };
        let named = lane.and_then(|lane| call.arguments.get(lane)).filter(|_| is_whole());
        let lane = named.map(|&(lane, _)| self.used(lane, Some(id), block));
        let limit = |confidence: Confidence| match lane {
            Some(lane)
                if !lane.divergence_at(confidence).within(Scope::Subgroup) && !lane.depends_on_caller() =>
            {
                Divergence::Workgroup
            }
            _ => Divergence::Subgroup,
        };
        self.of_use(call.arguments[value].0, Some(id), block, &mut |contribution, fact| {
            visit(contribution, fact.limited(limit));
        });
    }

    /// Whether a value is the number of threads of a sub-group, or a greater number.
    fn is_sub_group_size(&self, value: ValueId) -> bool {
        let op = match &self.function.values[value].op {
            Op::Convert { conversion: Conversion::Integer, operand } => &self.function.values[*operand].op,
            op => op,
        };
        let number = || ids::number(self.function, value, self.environment.summary);
        let index = match op {
            Op::Call(call) => self.builtin(&call.callee).and_then(|builtin| builtin.index),
            _ => None,
        };
        index == Some(ThreadIndex::SubGroupSize)
            || names::is_sub_group_size(op, self.environment.implied)
            || self.environment.launch.sub_group_size.is_some_and(|size| number() >= Some(size.into()))
    }

    pub(super) fn of_arguments(
        &self,
        id: ValueId,
        block: BlockId,
        call: &Call,
        visit: &mut dyn FnMut(Contribution, Fact),
    ) {
        for (argument, _) in &call.arguments {
            self.of_use(*argument, Some(id), block, visit);
        }
    }

    pub(super) fn builtin(&self, callee: &Callee) -> Option<BuiltinEffect> {
        (self.environment.builtin)(callee)
    }
}

/// Whether a type is an image that is not read-only, or a pipe.
fn is_written_image(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Opaque(Opaque::Image { access, .. }) => *access != tangle_base::Access::ReadOnly,
        TyKind::Opaque(Opaque::Pipe { .. }) => true,
        _ => false,
    }
}
