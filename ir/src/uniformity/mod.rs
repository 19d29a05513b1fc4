//! Uniformity: which values are the same in all threads of a group, and which blocks all of them reach
//! (`docs/semantics.md` §7).
//!
//! - **Uniform** value in a scope: all threads of one group of this scope that execute the operation convergently get
//!   the same value. **Divergent**: not known to be uniform.
//! - **Control** of a block: the verdict on whether threads that entered the function together reach the block
//!   together.
//! - **Join** of a branch: a block that disjoint paths from the branch reach.
//! - **Temporal divergence**: threads that leave a cycle in different iterations carry different values of the same
//!   operation out of it.
//! - **m-converged**: convergence that does not depend on the choice of the header of an irreducible cycle
//!   (`convergence-and-uniformity.rst`).
//!
//! ```c
//! kernel void k(global int *p, int n) {   // n: uniform in the grid
//!   int group = get_group_id(0);          // uniform in the work-group, divergent in the grid
//!   int i = get_local_id(0);              // divergent
//!   if (i < n)                            // divergent: from `i`
//!     p[i] = group;                       // only some threads reach it: the branch decides
//!   barrier(1);                           // all threads reach it
//! }
//! ```
//!
//! Scopes are nested: two threads of a subgroup also belong to the same larger groups. One pass therefore covers all
//! scopes: a verdict is the smallest group whose threads may have different values ([`Divergence`]). In a function that
//! is not a kernel, a verdict also names the parameters that it depends on ([`Fact`]). At a call, the facts of the
//! arguments replace these parameters ([`Summary`]).
//!
//! Stages: [`graph`] computes the facts that depend only on the shape of the flow graph. [`memory`] finds the targets
//! of pointers, [`accesses`] the reads and writes there, `partitions` the alias partitions of private memory, [`versions`]
//! the memory versions of each partition, and `lanes` the sources of vector lanes. `ids` computes affine forms in the
//! ids of threads, `formula` the results that are sums of products of parameters, `multiples` the results that are
//! multiples of a parameter, and `names` the meaning of names without a definition. [`analysis`] propagates facts until
//! nothing changes. [`cause`] explains a verdict by its shortest chain of causes. [`groups`] orders the functions of a
//! program, callees first.
//!
//! Assumptions: distinct pointer arguments of a kernel point to distinct memory. Memory that a kernel does not write
//! does not change while it runs.

pub mod accesses;
pub mod analysis;
pub mod cause;
mod conditions;
mod congruence;
mod formula;
pub mod graph;
pub mod groups;
mod ids;
mod lanes;
mod launch;
pub mod memory;
mod multiples;
mod names;
mod parameters;
mod partitions;
pub mod place;
pub mod print;
mod stored;
mod unknown_numbers;
pub mod versions;
pub mod warp;

pub use analysis::ThreadIndex;
pub use formula::Formula;
pub use launch::Launch;
pub use multiples::Multiple;
pub use names::ImpliedMeaning;
pub use parameters::Parameters;

use std::sync::Arc;

use crate::scope::Scope;
use crate::types::Ty;
use ids::AffineForm;
use place::ByteRange;
use tangle_base::symbol::Symbol;

/// The smallest group whose threads may have different values. Ordered: the smaller the group, the greater the
/// divergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Divergence {
    /// All threads of the grid have the same value.
    #[default]
    None,
    /// Threads of one work-group have the same value; work-groups may differ. We assume that the work-groups of one
    /// cluster have the same value, because the source does not say which work-groups form a cluster.
    Grid,
    /// Threads of one work-group have the same value; work-groups of one cluster may differ.
    Cluster,
    /// Threads of one subgroup have the same value; subgroups of a work-group may differ.
    Workgroup,
    /// Threads of one subgroup may differ.
    Subgroup,
}

impl Divergence {
    /// Whether two threads of one group of this scope may have different values.
    pub fn within(self, scope: Scope) -> bool {
        match scope {
            Scope::None => false,
            Scope::Subgroup => self >= Divergence::Subgroup,
            Scope::Workgroup => self >= Divergence::Workgroup,
            Scope::Cluster => self >= Divergence::Cluster,
            Scope::Grid => self >= Divergence::Grid,
        }
    }

    /// Returns the divergence of a value that is uniform in groups of this scope, if no more is known.
    pub fn uniform_in(scope: Scope) -> Divergence {
        match scope {
            Scope::None => Divergence::Subgroup,
            Scope::Subgroup => Divergence::Workgroup,
            // We assume that the work-groups of one cluster agree on a value that is uniform in each work-group.
            Scope::Workgroup | Scope::Cluster => Divergence::Grid,
            Scope::Grid => Divergence::None,
        }
    }
}

/// How sure it is that a divergent value really differs between threads (`docs/semantics.md` §7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// An assumption about unknown code or an unknown pointer decides.
    Possible,
    /// A write by other threads decides, or the arguments of an unknown function.
    Likely,
    /// Only ids, data of the launch and operations of the language decide.
    Certain,
}

impl Confidence {
    /// All levels, the most certain first.
    pub const ALL: [Confidence; 3] = [Confidence::Certain, Confidence::Likely, Confidence::Possible];

    /// Returns the name of the confidence. It is part of the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Possible => "possible",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        }
    }
}

/// A verdict: a divergence that does not depend on the caller, and the arguments that it depends on.
///
/// The verdict has three divergences, one for each [`Confidence`]. Each is the verdict of an analysis that considers
/// only the sources of divergence of at least this confidence, so a more certain divergence is never greater. Every
/// operation on facts treats each level on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fact {
    /// The divergence that remains if all arguments and all memory are uniform, from all sources.
    pub divergence: Divergence,
    likely: Divergence,
    certain: Divergence,
    /// The arguments that it is as divergent as, at a confidence of at most [`Confidence::Likely`].
    pub values: Parameters,
    certain_values: Parameters,
    /// The arguments whose target memory it is as divergent as, at a confidence of at most [`Confidence::Likely`].
    pub pointees: Parameters,
    certain_pointees: Parameters,
    /// Arguments in `generic` space. If one of them points to memory that other threads may write, the verdict is as
    /// divergent as that memory. The function itself does not know where they point.
    pub shared: Parameters,
    /// The same kind of arguments: if one of them points to private memory, the verdict is as divergent as unknown
    /// private memory.
    pub private: Parameters,
}

impl Fact {
    /// All threads have the same value.
    pub const UNIFORM: Fact = Fact::of(Divergence::None);
    /// Threads of one subgroup may differ.
    pub const DIVERGENT: Fact = Fact::of(Divergence::Subgroup);

    /// Returns a certain fact that does not depend on the caller.
    pub const fn of(divergence: Divergence) -> Fact {
        Fact {
            divergence,
            likely: divergence,
            certain: divergence,
            values: Parameters::NONE,
            certain_values: Parameters::NONE,
            pointees: Parameters::NONE,
            certain_pointees: Parameters::NONE,
            shared: Parameters::NONE,
            private: Parameters::NONE,
        }
    }

    /// Threads of one subgroup may differ, with this confidence.
    pub const fn divergent(confidence: Confidence) -> Fact {
        Fact::DIVERGENT.at_most(confidence)
    }

    /// Returns the same fact with at most this confidence.
    #[must_use]
    pub const fn at_most(self, confidence: Confidence) -> Fact {
        match confidence {
            Confidence::Certain => self,
            Confidence::Likely | Confidence::Possible => Fact {
                certain: Divergence::None,
                certain_values: Parameters::NONE,
                certain_pointees: Parameters::NONE,
                likely: match confidence {
                    Confidence::Possible => Divergence::None,
                    _ => self.likely,
                },
                ..self
            },
        }
    }

    /// Returns the verdict on contents with this verdict, if they may be in shared memory, where all threads read one
    /// value. Only the caller knows how certain the initial contents are.
    #[must_use]
    pub const fn in_shared_memory(self) -> Fact {
        Fact { certain_pointees: self.certain_pointees, ..self.at_most(Confidence::Likely) }
    }

    /// Returns the divergence from sources of at least this confidence.
    pub const fn divergence_at(self, confidence: Confidence) -> Divergence {
        match confidence {
            Confidence::Possible => self.divergence,
            Confidence::Likely => self.likely,
            Confidence::Certain => self.certain,
        }
    }

    /// Returns the greatest confidence that two threads of one group of a scope have different values. `None` if the
    /// value is uniform there, or divergent only because of arguments.
    pub fn confidence(self, scope: Scope) -> Option<Confidence> {
        Confidence::ALL.into_iter().find(|&it| self.divergence_at(it).within(scope))
    }

    /// Returns the arguments that it is as divergent as, at this confidence.
    pub const fn values_at(self, confidence: Confidence) -> Parameters {
        match confidence {
            Confidence::Certain => self.certain_values,
            Confidence::Likely | Confidence::Possible => self.values,
        }
    }

    /// Returns the arguments whose target memory it is as divergent as, at this confidence.
    pub const fn pointees_at(self, confidence: Confidence) -> Parameters {
        match confidence {
            Confidence::Certain => self.certain_pointees,
            Confidence::Likely | Confidence::Possible => self.pointees,
        }
    }

    /// Returns the fact with a limit for the divergence at each confidence. The parameters stay.
    #[must_use]
    pub fn limited(self, limit: impl Fn(Confidence) -> Divergence) -> Fact {
        Fact {
            divergence: self.divergence.min(limit(Confidence::Possible)),
            likely: self.likely.min(limit(Confidence::Likely)),
            certain: self.certain.min(limit(Confidence::Certain)),
            ..self
        }
    }

    /// Returns the same fact without parameters.
    #[must_use]
    pub const fn without_parameters(self) -> Fact {
        Fact { divergence: self.divergence, likely: self.likely, certain: self.certain, ..Fact::UNIFORM }
    }

    /// Returns a fact that is as divergent as the argument with this number.
    pub fn parameter(number: usize) -> Fact {
        let values = Parameters::one(number);
        Fact { values, certain_values: values, ..Fact::UNIFORM }
    }

    /// Returns a fact that is as divergent as the target memory of the argument with this number.
    pub fn pointee(number: usize) -> Fact {
        let pointees = Parameters::one(number);
        Fact { pointees, certain_pointees: pointees, ..Fact::UNIFORM }
    }

    /// Returns a fact that is as divergent as memory that other threads may write, if this argument points to such
    /// memory.
    pub fn shared(number: usize) -> Fact {
        Fact { shared: Parameters::one(number), ..Fact::UNIFORM }
    }

    /// Returns a fact that is as divergent as unknown private memory, if this argument points to private memory.
    pub fn private(number: usize) -> Fact {
        Fact { private: Parameters::one(number), ..Fact::UNIFORM }
    }

    /// Whether all threads have the same value, for any arguments.
    pub fn is_uniform(self) -> bool {
        self == Fact::UNIFORM
    }

    /// Whether it depends on the arguments of the caller.
    pub fn depends_on_caller(self) -> bool {
        !self.values.is_empty() || self.depends_on_pointees()
    }

    /// Whether it depends on the memory that arguments point to.
    pub fn depends_on_pointees(self) -> bool {
        !self.pointees.is_empty() || !self.shared.is_empty() || !self.private.is_empty()
    }

    /// Whether it depends on the memory that arguments point to, unless that memory is private.
    pub fn depends_on_shared_pointees(self) -> bool {
        !self.pointees.is_empty() || !self.shared.is_empty()
    }

    /// Returns the fact of a value that is as divergent as both.
    #[must_use]
    pub fn join(self, other: Fact) -> Fact {
        Fact {
            divergence: self.divergence.max(other.divergence),
            likely: self.likely.max(other.likely),
            certain: self.certain.max(other.certain),
            values: self.values.union(other.values),
            certain_values: self.certain_values.union(other.certain_values),
            pointees: self.pointees.union(other.pointees),
            certain_pointees: self.certain_pointees.union(other.certain_pointees),
            shared: self.shared.union(other.shared),
            private: self.private.union(other.private),
        }
    }

    /// Returns the fact of a value that is one of the two, but it is unknown which. It is more than possibly divergent
    /// only if both are.
    #[must_use]
    pub fn either(self, other: Fact) -> Fact {
        let joined = self.join(other);
        let both = |confidence| self.divergence_at(confidence).min(other.divergence_at(confidence));
        Fact {
            certain_values: self.certain_values.intersection(other.certain_values),
            certain_pointees: self.certain_pointees.intersection(other.certain_pointees),
            likely: both(Confidence::Likely),
            certain: both(Confidence::Certain),
            ..joined
        }
    }

    /// Joins `other` into this fact. Returns whether the fact changed.
    pub fn add(&mut self, other: Fact) -> bool {
        let joined = self.join(other);
        std::mem::replace(self, joined) != joined
    }

    /// Replaces the parameters of the fact by facts of the caller. For the number of a parameter, `value` returns the
    /// fact of the argument, `pointee` that of its target memory, `shared` the divergence of the target because other
    /// threads may write it, and `private` its divergence if it is private.
    pub fn substituted(
        self,
        value: impl Fn(usize) -> Fact,
        pointee: impl Fn(usize) -> Fact,
        shared: impl Fn(usize) -> Fact,
        private: impl Fn(usize) -> Fact,
    ) -> Fact {
        let mut fact = self.without_parameters();
        let firm = |number: usize, certain: Parameters, fact: Fact| match certain.contains(number) {
            true => fact,
            false => fact.at_most(Confidence::Likely),
        };
        for number in self.private.iter() {
            fact.add(private(number));
        }
        for number in self.shared.iter() {
            fact.add(shared(number));
        }
        for number in self.values.iter() {
            fact.add(firm(number, self.certain_values, value(number)));
        }
        for number in self.pointees.iter() {
            fact.add(firm(number, self.certain_pointees, pointee(number)));
        }
        fact
    }
}

/// The facts of a function that its callers use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Summary {
    /// The verdict on the result.
    pub result: Fact,
    /// The byte ranges that the facts of this summary name in addition to parameters.
    pub inputs: ParameterRanges,
    /// The writes through each pointer parameter.
    pub writes: Box<[ParameterWrites]>,
    /// For each pointer parameter, the number of bytes from its target on that are written on every path to a return.
    /// Parameters after the end of the list: 0.
    pub overwrites: Box<[u64]>,
    /// Pointer parameters that escape: the function stores or returns them, or passes them to a callee that may keep
    /// them.
    pub escapes: Parameters,
    /// Whether it may write shared memory other than the targets of its parameters and `writes_variables`.
    pub writes_shared: bool,
    /// The memory that it may write through pointers stored in the targets of its parameters.
    pub writes_after: Box<[StoredPointer]>,
    /// The variables outside functions that it may write, sorted by name.
    pub writes_variables: Box<[Symbol]>,
    /// Its writes around its barriers, if every path through it waits for the whole work-group. Otherwise `None`.
    pub barrier_writes: Option<WritesAroundBarriers>,
    /// The number that it returns for all arguments. `None` if it returns different numbers, or if they are unknown.
    pub number: Option<i128>,
    /// The parameter that divides its result. `None` if no parameter is known to divide it.
    pub multiple: Option<Multiple>,
    /// The affine form of its result in the ids of threads. `None` if it has none, or it is unknown.
    pub affine_result: Option<AffineResult>,
    /// The number that it returns, computed from its parameters. `None` if it has no such formula.
    pub formula: Option<Arc<Formula>>,
    /// The memory that the returned pointer points to. `None` if it returns no pointer, or the memory is unknown.
    pub returned_pointer: Option<ReturnedPointer>,
}

/// A returned number that is computed from ids, such as `blockIdx.x * blockDim.x + threadIdx.x`. If the caller
/// subtracts the ids again, the rest may be uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AffineResult {
    form: AffineForm,
    /// The verdict on the base: the number without its ids.
    base: Fact,
}

/// The memory that a returned pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReturnedPointer {
    /// Anywhere in the object that the parameter with this number points to.
    IntoParameter(u32),
    /// Anywhere in the object that a pointer stored in the target of a parameter points to.
    ThroughStoredPointer(StoredPointer),
}

/// Byte ranges of the targets of parameters. Facts name them by numbers after the numbers of the parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ParameterRanges {
    /// How many parameters the function has.
    pub parameters: usize,
    /// The byte ranges, in the order of their numbers.
    pub ranges: Box<[ParameterRange]>,
}

/// A byte range of the target of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterRange {
    /// The number of the parameter.
    pub parameter: u32,
    /// The type that the function assumes for the target.
    pub seen_as: Ty,
    /// The bytes, counted from the target of the pointer.
    pub bytes: ByteRange,
}

impl ParameterRanges {
    /// Returns the byte range with this number. `None` if the number is that of a parameter: all of its target.
    pub fn get(&self, number: usize) -> Option<&ParameterRange> {
        self.ranges.get(number.checked_sub(self.parameters)?)
    }

    /// Returns a fact that names only parameters: byte ranges are replaced by the parameters that they belong to.
    fn without_parts(&self, fact: Fact) -> Fact {
        let whole = |number: usize| self.get(number).map_or(number, |input| input.parameter as usize);
        let parameters = |all: Parameters| {
            all.iter().map(|number| Parameters::one(whole(number))).fold(Parameters::NONE, Parameters::union)
        };
        let (pointees, certain_pointees) = (parameters(fact.pointees), parameters(fact.certain_pointees));
        Fact { pointees, certain_pointees, ..fact }
    }
}

/// Memory that a pointer stored in the target of a parameter points to. If the parameter has an unknown type, the
/// pointer may be stored in the parameter itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoredPointer {
    /// The number of the parameter.
    pub parameter: u32,
    /// The type that the function assumes for the target.
    pub seen_as: Ty,
    /// The byte offset of the pointer in the target. `None` if it may be any.
    pub offset: Option<i64>,
}

/// The writes of a function through a pointer parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParameterWrites {
    /// The type that the function assumes for the target.
    pub seen_as: Ty,
    /// The written bytes, counted from the target of the pointer, with the verdict on their contents. `None` instead of
    /// bytes: anything in the object around the target.
    pub ranges: Vec<(Option<ByteRange>, Fact)>,
}

/// The limit on written byte ranges. If there are more, they are merged into one that may be anywhere.
const MAX_WRITTEN_RANGES: usize = 16;

impl Default for ParameterWrites {
    fn default() -> ParameterWrites {
        ParameterWrites { seen_as: Ty::UNKNOWN, ranges: Vec::new() }
    }
}

impl ParameterWrites {
    /// Returns a write of anything in the object around the target.
    pub fn anywhere(fact: Fact) -> ParameterWrites {
        ParameterWrites { ranges: vec![(None, fact)], ..ParameterWrites::default() }
    }

    /// Adds a write of some bytes.
    pub fn add(&mut self, bytes: Option<ByteRange>, fact: Fact) {
        match self.ranges.iter_mut().find(|(known, _)| *known == bytes) {
            Some((_, known)) => *known = known.join(fact),
            None => self.ranges.push((bytes, fact)),
        }
        if self.ranges.len() > MAX_WRITTEN_RANGES {
            self.ranges = self.all().map(|fact| (None, fact)).into_iter().collect();
        }
    }

    /// Returns the verdict on all written contents. `None` without writes.
    pub fn all(&self) -> Option<Fact> {
        self.ranges.iter().map(|&(_, fact)| fact).reduce(Fact::join)
    }

    fn join(&self, other: &ParameterWrites) -> ParameterWrites {
        match (self.ranges.is_empty(), other.ranges.is_empty()) {
            (true, _) => return other.clone(),
            (_, true) => return self.clone(),
            _ => {}
        }
        let is_same = self.seen_as == other.seen_as;
        let mut joined = ParameterWrites { seen_as: self.seen_as, ranges: Vec::new() };
        for &(bytes, fact) in self.ranges.iter().chain(&other.ranges) {
            joined.add(bytes.filter(|_| is_same), fact);
        }
        joined
    }
}

/// The writes of a function, which waits for the whole work-group, that no barrier separates from its caller. Writes
/// between two of its own barriers cannot race with accesses of the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WritesAroundBarriers {
    /// Writes before its first barrier.
    pub before_first: Writes,
    /// Writes after its last barrier.
    pub after_last: Writes,
    /// The pointer parameters in `generic` space whose targets it reads after its last barrier. A write of the caller
    /// after the call races with such a read, unless a barrier comes first.
    pub reads_after_last: Parameters,
}

/// Memory that may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Writes {
    /// The pointer parameters whose targets may be written.
    pub parameters: Parameters,
    /// Whether other shared memory may be written.
    pub shared: bool,
}

impl Writes {
    /// Returns the memory that either may write.
    #[must_use]
    pub fn union(self, other: Writes) -> Writes {
        Writes { parameters: self.parameters.union(other.parameters), shared: self.shared || other.shared }
    }
}

/// Returns the items without duplicates, in the order of their first occurrences.
fn unique<T: PartialEq>(all: impl Iterator<Item = T>) -> Box<[T]> {
    let mut unique: Vec<T> = Vec::new();
    for it in all {
        if !unique.contains(&it) {
            unique.push(it);
        }
    }
    unique.into()
}

/// Returns the names without duplicates, sorted by text. The number of a symbol depends on the thread that interned it
/// first.
fn sorted(names: impl Iterator<Item = Symbol>) -> Box<[Symbol]> {
    let mut names: Vec<Symbol> = names.collect();
    names.sort_unstable_by_key(|name| name.as_str());
    names.dedup();
    names.into()
}

impl Summary {
    /// Returns the summary of a function that only computes its result from its arguments and their target memory.
    pub fn of_arguments() -> Summary {
        let all = (0..63).map(Parameters::one).fold(Parameters::NONE, Parameters::union);
        let result =
            Fact { values: all, certain_values: all, pointees: all, certain_pointees: all, ..Fact::UNIFORM };
        Summary { result, ..Summary::default() }
    }

    /// Returns the same summary with facts that name only parameters.
    fn without_parts(&self) -> Summary {
        let whole = |fact: Fact| self.inputs.without_parts(fact);
        let of = |written: &ParameterWrites| ParameterWrites {
            ranges: written.ranges.iter().map(|&(bytes, fact)| (bytes, whole(fact))).collect(),
            ..written.clone()
        };
        Summary {
            result: whole(self.result),
            affine_result: self.affine_result.map(|it| AffineResult { base: whole(it.base), ..it }),
            writes: self.writes.iter().map(of).collect(),
            inputs: ParameterRanges::default(),
            ..self.clone()
        }
    }

    /// Returns the verdict on the contents that it writes through a pointer parameter. `None` if it writes nothing
    /// there.
    pub fn writes_through(&self, parameter: usize) -> Option<Fact> {
        self.writes.get(parameter)?.all()
    }

    /// Returns the number of bytes that it writes through a pointer parameter on every path.
    pub fn definite_writes(&self, parameter: usize) -> u64 {
        self.overwrites.get(parameter).copied().unwrap_or(0)
    }

    /// Whether the pointer for a parameter escapes: the function stores or returns it, or passes it on.
    pub fn lets_escape(&self, parameter: usize) -> bool {
        self.escapes.contains(parameter)
    }

    /// Returns the summary of a call that runs one of two functions, but it is unknown which.
    #[must_use]
    pub fn either(&self, other: &Summary) -> Summary {
        let either = |own: &Summary, other: &Summary| {
            let mut joined = own.join(other);
            joined.result = own.result.either(other.result);
            // The other function may write something else, or nothing.
            for (_, fact) in joined.writes.iter_mut().flat_map(|writes| &mut writes.ranges) {
                *fact = fact.at_most(Confidence::Possible);
            }
            joined
        };
        match self.inputs == other.inputs {
            true => either(self, other),
            false => either(&self.without_parts(), &other.without_parts()),
        }
    }

    /// Returns a summary with all that either of two summaries says of one function.
    #[must_use]
    pub fn join(&self, other: &Summary) -> Summary {
        if self.inputs != other.inputs {
            return self.without_parts().join(&other.without_parts());
        }
        let count = self.writes.len().max(other.writes.len());
        let nothing = ParameterWrites::default();
        let write = |number: usize| match (self.writes.get(number), other.writes.get(number)) {
            (Some(a), Some(b)) => a.join(b),
            (a, b) => a.or(b).unwrap_or(&nothing).clone(),
        };
        let returned_pointer =
            self.returned_pointer.filter(|_| self.returned_pointer == other.returned_pointer);
        // A caller of the joined summary does not know where the result points.
        let lost = [self, other].into_iter().filter_map(|it| match it.returned_pointer {
            Some(ReturnedPointer::IntoParameter(number)) if returned_pointer.is_none() => {
                Some(Parameters::one(number as usize))
            }
            _ => None,
        });
        Summary {
            inputs: self.inputs.clone(),
            result: self.result.join(other.result),
            writes: (0..count).map(write).collect(),
            overwrites: self.overwrites.iter().zip(&other.overwrites).map(|(&a, &b)| a.min(b)).collect(),
            escapes: lost.fold(self.escapes.union(other.escapes), Parameters::union),
            writes_shared: self.writes_shared || other.writes_shared,
            writes_after: unique(self.writes_after.iter().chain(&other.writes_after).copied()),
            writes_variables: sorted(self.writes_variables.iter().chain(&other.writes_variables).copied()),
            barrier_writes: self.barrier_writes.zip(other.barrier_writes).map(|(a, b)| {
                WritesAroundBarriers {
                    before_first: a.before_first.union(b.before_first),
                    after_last: a.after_last.union(b.after_last),
                    reads_after_last: a.reads_after_last.union(b.reads_after_last),
                }
            }),
            number: self.number.filter(|_| self.number == other.number),
            multiple: self.multiple.filter(|_| self.multiple == other.multiple),
            affine_result: self.affine_result.filter(|_| self.affine_result == other.affine_result),
            formula: self.formula.clone().filter(|_| self.formula == other.formula),
            returned_pointer,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn divergence() -> impl Strategy<Value = Divergence> {
        use Divergence::*;
        prop::sample::select(vec![None, Grid, Cluster, Workgroup, Subgroup])
    }

    fn fact() -> impl Strategy<Value = Fact> {
        let confidence = prop::sample::select(Confidence::ALL.to_vec());
        let source = (divergence(), 0..3usize, confidence).prop_map(|(divergence, number, confidence)| {
            let fact = Fact::of(divergence).join(Fact::parameter(number)).join(Fact::pointee(number + 1));
            fact.at_most(confidence)
        });
        prop::collection::vec(source, 0..4).prop_map(|all| all.into_iter().fold(Fact::UNIFORM, Fact::join))
    }

    /// Whether a more certain divergence is never greater, and depends on no further parameters.
    fn is_ordered(fact: Fact) -> bool {
        let levels = Confidence::ALL.map(|it| fact.divergence_at(it));
        let is_subset = |some: Parameters, all: Parameters| some.without(all).is_empty();
        levels.is_sorted()
            && is_subset(fact.values_at(Confidence::Certain), fact.values)
            && is_subset(fact.pointees_at(Confidence::Certain), fact.pointees)
    }

    proptest! {
        #[test]
        fn operations_on_facts_keep_levels_ordered(a in fact(), b in fact(), limit in divergence()) {
            for fact in [a, b, a.join(b), a.either(b), a.limited(|_| limit), a.without_parameters()] {
                prop_assert!(is_ordered(fact), "{:?}", fact);
            }
            let substituted = a.substituted(|_| b, |_| Fact::UNIFORM, |_| b, |_| b);
            prop_assert!(is_ordered(substituted), "{:?}", substituted);
        }

        #[test]
        fn unknown_alternative_is_certain_only_if_both_are(a in fact(), b in fact()) {
            let either = a.either(b);
            prop_assert_eq!(either.divergence, a.join(b).divergence);
            for confidence in [Confidence::Likely, Confidence::Certain] {
                let both = a.divergence_at(confidence).min(b.divergence_at(confidence));
                prop_assert_eq!(either.divergence_at(confidence), both);
            }
        }

        #[test]
        fn substitution_treats_each_level_separately(a in fact(), b in fact()) {
            let all = a.substituted(|_| b, |_| Fact::UNIFORM, |_| b, |_| b);
            for confidence in Confidence::ALL {
                let argument = match a.values_at(confidence).is_empty() {
                    true => Divergence::None,
                    false => b.divergence_at(confidence),
                };
                prop_assert_eq!(all.divergence_at(confidence), a.divergence_at(confidence).max(argument));
            }
        }
    }
}
