//! Searches two allowed executions of one launch that differ in the threads that execute an operation together.
//!
//! ```c
//! switch (get_local_id(0)) {
//! case 0: out[0] = 1;
//! case 1: out[t] = sub_group_reduce_add(1);     // work-items 0 and 1 may or may not reconverge here
//! }
//! ```
//!
//! In the first execution, threads reconverge as early as possible; in the second, they reconverge only if they must, or
//! at random. The first difference at an operation of the finding is described by the threads of one execution that
//! take part together, and the same threads in the other execution.

use tangle_analysis::flow::Function;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Alternative, Part, ThreadsAt, Witness};
use tangle_emit::source::FunctionSource;
use tangle_simulate::{Communication, Outcome, Policy, Program, Run, Strategy, Undefined};
use tangle_syntax::dialect::Vocabulary;

use super::candidates::Candidates;
use super::event::{Moment, Snapshot};
use super::{BOUNDS, Budget, Search};
use crate::cells::ranges;
use crate::{Bounds, LaunchRequest};

impl Search<'_> {
    /// Returns a witness with its alternative. `others`: the strategies and policies of the second execution; without
    /// a strategy, that of the model.
    pub(super) fn two_readings(
        &self,
        model: Model,
        budget: &mut Budget,
        others: &[(Option<Strategy>, Policy)],
    ) -> Option<Witness> {
        let program = self.executable.program().ok()?;
        let candidates = Candidates::of(self.executable);
        let strategy = match model {
            Model::Tangles => Strategy::Tangles,
            Model::Revised => Strategy::Revised,
        };
        let mut number = 0;
        while !budget.is_spent() {
            let first = LaunchRequest { strategy, ..candidates.launch(number) };
            let early = self.run(&program, &first, &BOUNDS)?;
            budget.count(&early);
            for &(other, policy) in others {
                let strategy = other.unwrap_or(strategy);
                let second = LaunchRequest { strategy, policy, ..first.clone() };
                let other = self.run(&program, &second, &BOUNDS)?;
                budget.count(&other);
                if self.difference(&early, &other).is_some() {
                    return self.described_readings(&program, [&first, &second], budget.executions);
                }
            }
            number += 1;
        }
        None
    }

    /// Returns the first communication of the finding in an execution whose threads do not execute it together in the
    /// other one. Executions that end in undefined behaviour or exceed a limit do not count. An operation that only a
    /// part of its group executes is undefined in one reading, and can be defined in the other.
    fn difference<'r>(&self, one: &'r Run, other: &Run) -> Option<&'r Communication> {
        let is_complete = |run: &Run| match run.outcome {
            Outcome::Finished | Outcome::Deadlock { .. } => true,
            Outcome::Undefined { what, .. } => matches!(
                what,
                Undefined::Partial { .. } | Undefined::Elsewhere { .. } | Undefined::Unnamed { .. }
            ),
            Outcome::Spent { .. } => false,
        };
        if !is_complete(one) || !is_complete(other) {
            return None;
        }
        let count = |run: &Run, it: &Communication| {
            let same = run.communications.iter().filter(|other| {
                (other.function, other.value, &other.threads) == (it.function, it.value, &it.threads)
            });
            same.count()
        };
        let mut meant = one.communications.iter().filter(|it| self.goal.has(it));
        meant.find(|it| count(one, it) > count(other, it))
    }

    fn run(&self, program: &Program, launch: &LaunchRequest, bounds: &Bounds) -> Option<Run> {
        let launch = self.executable.launch(launch, bounds).ok()?;
        self.execute(program, &launch)
    }

    /// Executes both launches as `tangle simulate` does, and describes the difference.
    fn described_readings(
        &self,
        program: &Program,
        launches: [&LaunchRequest; 2],
        executions: usize,
    ) -> Option<Witness> {
        let launches = launches.map(|launch| LaunchRequest { races: true, ..launch.clone() });
        let [first, second] = &launches;
        let early = self.run(program, first, &Bounds::default())?;
        let other = self.run(program, second, &Bounds::default())?;
        let shown = self.difference(&early, &other)?;
        let describer = self.describer();
        let of_first = self.together(program, &early, shown, std::slice::from_ref(&shown));
        let is_part = |it: &&Communication| {
            (it.function, it.value) == (shown.function, shown.value)
                && it.threads.iter().any(|thread| shown.threads.binary_search(thread).is_ok())
        };
        let parts: Vec<&Communication> = other.communications.iter().filter(is_part).collect();
        let of_second = match parts.is_empty() {
            // They wait for the others, or are elsewhere.
            true => {
                let at_end = Snapshot::new(Moment::End, other.grid.threads()).activities(&other);
                describer.threads(program, &other, Moment::End, at_end)
            }
            false => self.together(program, &other, shown, &parts),
        };
        let mut witness = describer.witness(first, of_first, executions);
        let command = describer.witness(second, Vec::new(), 0).command;
        let difference = difference_of_results(self.executable.function(), &early, &other);
        witness.alternative = Some(Alternative {
            strategy: second.strategy.name(),
            policy: second.policy.name(),
            command,
            threads: of_second,
            difference,
        });
        Some(witness)
    }

    /// Describes which threads of the group of `shown` execute an operation together.
    fn together(
        &self,
        program: &Program,
        run: &Run,
        shown: &Communication,
        parts: &[&Communication],
    ) -> Vec<ThreadsAt> {
        let group = run.grid.place(shown.threads[0]).group;
        let Vocabulary { thread, .. } = self.places.vocabulary();
        let described = |it: &&Communication| {
            let spot = it.spot();
            let (key, span) = (self.executable.module.functions[spot.function].key, program.span(spot));
            let at = self.places.place(key, span)?;
            let line = self.places.spot(key, span)?.start.0;
            let threads = it.threads.iter().map(|&it| run.grid.place(it));
            let threads = threads.filter(|it| it.group == group).map(|it| it.linear);
            let threads: Vec<usize> = threads.collect();
            let who = ranges(thread, &threads);
            let activity = match threads.len() {
                1 => format!("{who} executes `{}` alone", it.callee),
                _ => format!("{who} execute `{}` together", it.callee),
            };
            Some(ThreadsAt { place: at, line, group, threads, part: Part::Executes, activity })
        };
        parts.iter().filter_map(described).collect()
    }
}

/// Describes the first element of global memory that differs after two executions. `None` without a difference.
fn difference_of_results(function: &Function, one: &Run, other: &Run) -> Option<String> {
    for (number, parameter) in function.parameters.iter().enumerate() {
        let (Some(a), Some(b)) = (one.memory.of_argument(number), other.memory.of_argument(number)) else {
            continue;
        };
        let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) else { continue };
        let (name, pointee) = (parameter.name?, parameter.ty.as_pointer()?.pointee);
        let size = tangle_ir::layout::layout(pointee).map_or(1, |layout| layout.size as usize).max(1);
        let index = at / size;
        let element = |bytes: &[u8]| bytes.get(index * size..(index + 1) * size).map(<[u8]>::to_vec);
        let values = [element(a)?, element(b)?].map(|bytes| number_in(&bytes, pointee));
        let [Some(a), Some(b)] = values else {
            return Some(format!("`{name}[{index}]` differs between the executions"));
        };
        return Some(format!("`{name}[{index}]` is {a} in the first execution, and {b} in the second"));
    }
    None
}

/// Returns the number in the bytes of an element. `None` if the element is no number.
fn number_in(bytes: &[u8], ty: tangle_ir::types::Ty) -> Option<String> {
    if ty.as_float().is_some() {
        return match *bytes {
            [a, b, c, d] => Some(f32::from_le_bytes([a, b, c, d]).to_string()),
            _ => Some(f64::from_le_bytes(bytes.try_into().ok()?).to_string()),
        };
    }
    let integer = ty.as_integer()?;
    let mut wide = [0; 16];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let value = u128::from_le_bytes(wide);
    let bits = 8 * bytes.len() as u32;
    Some(match integer.signed() && bits < 128 && value >> (bits - 1) & 1 == 1 {
        true => (value as i128 - (1i128 << bits)).to_string(),
        false => value.to_string(),
    })
}
