//! Uniformity: which values are the same in all threads of a group, and which places all of them reach (`docs/semantics.md` §7).
//!
//! **Uniform** in a scope: whenever threads of one group of this scope execute an operation convergently, it yields the same in all
//! of them. **Divergent**: not known to be uniform. **Control** of a block: what decides whether a thread that entered the function reaches it. **Join** of
//! a branch: a block that is reached from it on disjoint paths. **Temporal divergence**: threads that leave a cycle in different iterations bring
//! different values of the same operation with them. **m-converged**: whose convergence does not depend on which entry of an irreducible
//! cycle is called its header (`convergence-and-uniformity.rst`).
//!
//! ```c
//! kernel void k(global int *p, int n) {   // n: uniform in the grid
//!   int group = get_group_id(0);          // uniform in the work-group, divergent in the grid
//!   int i = get_local_id(0);              // divergent
//!   if (i < n)                            // divergent: from `i`
//!     p[i] = group;                       // reached by some: the branch decides
//!   barrier(1);                           // reached by all
//! }
//! ```
//!
//! Scopes are nested, so one pass does for all: what differs between two threads of a subgroup differs in every larger group too, and a
//! verdict is the smallest group that may already disagree ([`Divergence`]). In a function that is no kernel, a verdict also names the
//! parameters on which it depends ([`Fact`]); a call puts in what it passes ([`Summary`]).
//!
//! Stages: [`graph`] finds what depends on the shape of the flow graph alone; [`memory`] where pointers point; [`accesses`] who reads and writes there; `parts` which
//! parts of private memory are told apart; [`versions`] what each of them holds when; `lanes` where lanes of vectors come from; `ids` what values share with each other but for the ids of threads; `multiples` which results are multiples of a parameter; `names` what names of undefined things imply; [`analysis`] propagates facts
//! until nothing changes; [`cause`] explains a verdict by the shortest chain of what made it so; [`groups`] puts the functions of a program in an order in
//! which callees come first.
//!
//! Assumed: distinct pointer arguments of a kernel point to distinct memory, and memory that a kernel does not write does not change
//! while it runs.

pub mod accesses;
pub mod analysis;
pub mod cause;
pub mod graph;
pub mod groups;
mod ids;
mod lanes;
mod launch;
pub mod memory;
mod multiples;
mod names;
mod parameters;
mod parts;
pub mod print;
pub mod versions;

pub use ids::Index;
pub use launch::Launch;
pub use multiples::Multiple;
pub use names::Implied;
pub use parameters::Parameters;

use crate::scope::Scope;
use crate::types::Ty;
use ids::Form;
use memory::Bytes;
use tangle_base::symbol::Symbol;

/// The smallest group in which threads may disagree. Ordered: the smaller the group, the greater the divergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Divergence {
    /// All threads of the grid agree.
    #[default]
    None,
    /// Threads of one work-group agree, work-groups may differ. Those of one cluster are taken to agree: no source says which those are.
    Grid,
    /// Threads of one work-group agree, work-groups of one cluster may differ.
    Cluster,
    /// Threads of one subgroup agree, subgroups of a work-group may differ.
    Workgroup,
    /// Threads of one subgroup may differ.
    Subgroup,
}

impl Divergence {
    /// Whether two threads of one group of this scope may disagree.
    pub fn within(self, scope: Scope) -> bool {
        match scope {
            Scope::None => false,
            Scope::Subgroup => self >= Divergence::Subgroup,
            Scope::Workgroup => self >= Divergence::Workgroup,
            Scope::Cluster => self >= Divergence::Cluster,
            Scope::Grid => self >= Divergence::Grid,
        }
    }

    /// How divergent is what the threads of a group of this scope agree on, if no more is known.
    pub fn uniform_in(scope: Scope) -> Divergence {
        match scope {
            Scope::None => Divergence::Subgroup,
            Scope::Subgroup => Divergence::Workgroup,
            // What each work-group has for itself, those of a cluster are taken to agree on.
            Scope::Workgroup | Scope::Cluster => Divergence::Grid,
            Scope::Grid => Divergence::None,
        }
    }
}

/// A verdict: divergent regardless, and by what the caller passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fact {
    /// How divergent it is at least, whatever the caller passes.
    pub divergence: Divergence,
    /// As divergent as these arguments.
    pub values: Parameters,
    /// As divergent as what these arguments point to.
    pub pointees: Parameters,
    /// As divergent as memory that other threads may write, if these arguments point to such: in `generic` space a function does not know.
    pub shared: Parameters,
    /// As divergent as private memory of which nothing is known, if these arguments point to such.
    pub private: Parameters,
}

impl Fact {
    /// All threads agree.
    pub const UNIFORM: Fact = Fact::of(Divergence::None);
    /// Threads of one subgroup may differ.
    pub const DIVERGENT: Fact = Fact::of(Divergence::Subgroup);

    /// A fact that does not depend on the caller.
    pub const fn of(divergence: Divergence) -> Fact {
        Fact {
            divergence,
            values: Parameters::NONE,
            pointees: Parameters::NONE,
            shared: Parameters::NONE,
            private: Parameters::NONE,
        }
    }

    /// As divergent as the argument of this number.
    pub fn parameter(number: usize) -> Fact {
        Fact { values: Parameters::one(number), ..Fact::UNIFORM }
    }

    /// As divergent as what the argument of this number points to.
    pub fn pointee(number: usize) -> Fact {
        Fact { pointees: Parameters::one(number), ..Fact::UNIFORM }
    }

    /// As divergent as memory that other threads may write, if the argument of this number points to such.
    pub fn shared(number: usize) -> Fact {
        Fact { shared: Parameters::one(number), ..Fact::UNIFORM }
    }

    /// As divergent as private memory of which nothing is known, if the argument of this number points to such.
    pub fn private(number: usize) -> Fact {
        Fact { private: Parameters::one(number), ..Fact::UNIFORM }
    }

    /// Whether nothing may make threads disagree.
    pub fn is_uniform(self) -> bool {
        self == Fact::UNIFORM
    }

    /// Whether it depends on what callers pass.
    pub fn is_open(self) -> bool {
        !self.values.is_empty() || self.is_of_memory()
    }

    /// Whether it depends on memory that callers pass pointers to.
    pub fn is_of_memory(self) -> bool {
        !self.pointees.is_empty() || !self.shared.is_empty() || !self.private.is_empty()
    }

    /// What holds of something that is as divergent as both.
    #[must_use]
    pub fn join(self, other: Fact) -> Fact {
        Fact {
            divergence: self.divergence.max(other.divergence),
            values: self.values.union(other.values),
            pointees: self.pointees.union(other.pointees),
            shared: self.shared.union(other.shared),
            private: self.private.union(other.private),
        }
    }

    /// Adds what another fact says; tells whether that is news.
    pub fn add(&mut self, other: Fact) -> bool {
        let joined = self.join(other);
        std::mem::replace(self, joined) != joined
    }

    /// The fact as the caller sees it, given what it passes, what that points to, and how divergent that is because others may write there, or because it
    /// is private.
    pub fn applied(
        self,
        value: impl Fn(usize) -> Fact,
        pointee: impl Fn(usize) -> Fact,
        shared: impl Fn(usize) -> Fact,
        private: impl Fn(usize) -> Fact,
    ) -> Fact {
        let mut fact = Fact::of(self.divergence);
        for number in self.private.iter() {
            fact.add(private(number));
        }
        for number in self.shared.iter() {
            fact.add(shared(number));
        }
        for number in self.values.iter() {
            fact.add(value(number));
        }
        for number in self.pointees.iter() {
            fact.add(pointee(number));
        }
        fact
    }
}

/// What a caller has to know of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Summary {
    /// Of what it returns.
    pub result: Fact,
    /// What facts of it name beside parameters.
    pub inputs: Inputs,
    /// What it writes through each pointer parameter.
    pub writes: Box<[Written]>,
    /// How many bytes it surely writes through each pointer parameter, from where that points on, whichever way it returns. What is beyond: none.
    pub overwrites: Box<[u64]>,
    /// Pointer parameters that it keeps or hands on to who knows whom.
    pub escapes: Parameters,
    /// It may write memory that is shared, other than through its parameters, and other than the variables that are named next.
    pub writes_shared: bool,
    /// Where it may write through pointers that stand in what parameters point to.
    pub writes_behind: Box<[Behind]>,
    /// The variables outside of functions that it may write, in the order of their names.
    pub writes_variables: Box<[Symbol]>,
    /// Whoever runs it waits for all of the work-group. None: not on every way through it.
    pub waits: Option<Waits>,
    /// The number that it returns whatever it is given. None: there is none, or it is not known.
    pub number: Option<i128>,
    /// The parameter that divides its result. None: there is none, or it is not known.
    pub multiple: Option<Multiple>,
    /// How ids make what it returns. None: they do not, or that is not known.
    pub counted: Option<Counted>,
    /// Where the pointer leads that it returns. None: it returns none, or that is not known.
    pub leads: Option<Leads>,
}

/// A returned number that ids make: `blockIdx.x * blockDim.x + threadIdx.x`. What a caller takes from it may be the same for all again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counted {
    form: Form,
    /// What the number is made of beside ids.
    base: Fact,
}

/// Where a pointer leads that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leads {
    /// Somewhere into what the parameter of this number points to.
    Into(u32),
    /// Somewhere into what a pointer leads to that stands in what a parameter points to.
    Behind(Behind),
}

/// Parts of what parameters point to, which the facts of a function name by numbers from that of its parameters on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inputs {
    /// How many parameters the function has.
    pub parameters: usize,
    /// The parts.
    pub parts: Box<[Input]>,
}

/// A part of what a parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The number of the parameter.
    pub parameter: u32,
    /// Of which type the function takes that for.
    pub seen_as: Ty,
    /// Bytes from where it points on.
    pub bytes: Bytes,
}

impl Inputs {
    /// The part that a number stands for. None: all that the parameter of this number points to.
    pub fn get(&self, number: usize) -> Option<&Input> {
        self.parts.get(number.checked_sub(self.parameters)?)
    }

    /// A fact that names parameters only.
    fn without_parts(&self, fact: Fact) -> Fact {
        let whole = |number: usize| self.get(number).map_or(number, |input| input.parameter as usize);
        let pointees = fact.pointees.iter().map(|number| Parameters::one(whole(number)));
        Fact { pointees: pointees.fold(Parameters::NONE, Parameters::union), ..fact }
    }
}

/// Memory to which a pointer leads that stands in what a parameter points to, or is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Behind {
    /// The number of the parameter.
    pub parameter: u32,
    /// Of which type the function takes that for.
    pub seen_as: Ty,
    /// At which byte the pointer stands. None: at any.
    pub at: Option<i64>,
}

/// What a function writes through a pointer parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Written {
    /// Of which type it takes what that points to for.
    pub seen_as: Ty,
    /// Bytes from where it points on, with what holds of them. Without bytes: anything around.
    pub parts: Vec<(Option<Bytes>, Fact)>,
}

/// With more parts, they are one.
const WRITTEN: usize = 16;

impl Default for Written {
    fn default() -> Written {
        Written { seen_as: Ty::UNKNOWN, parts: Vec::new() }
    }
}

impl Written {
    /// Anything around where a parameter points.
    pub fn anywhere(fact: Fact) -> Written {
        Written { parts: vec![(None, fact)], ..Written::default() }
    }

    /// Adds what is written to some bytes.
    pub fn add(&mut self, bytes: Option<Bytes>, fact: Fact) {
        match self.parts.iter_mut().find(|(known, _)| *known == bytes) {
            Some((_, known)) => *known = known.join(fact),
            None => self.parts.push((bytes, fact)),
        }
        if self.parts.len() > WRITTEN {
            self.parts = self.all().map(|fact| (None, fact)).into_iter().collect();
        }
    }

    /// What holds of all that is written. None: nothing is.
    pub fn all(&self) -> Option<Fact> {
        self.parts.iter().map(|&(_, fact)| fact).reduce(Fact::join)
    }

    fn join(&self, other: &Written) -> Written {
        match (self.parts.is_empty(), other.parts.is_empty()) {
            (true, _) => return other.clone(),
            (_, true) => return self.clone(),
            _ => {}
        }
        let is_same = self.seen_as == other.seen_as;
        let mut joined = Written { seen_as: self.seen_as, parts: Vec::new() };
        for &(bytes, fact) in self.parts.iter().chain(&other.parts) {
            joined.add(bytes.filter(|_| is_same), fact);
        }
        joined
    }
}

/// What a function that waits for all of the work-group may write with no barrier between that and its caller. What it writes between barriers of its own
/// is kept apart from whatever the caller does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Waits {
    /// Before its first barrier.
    pub before: Writes,
    /// Behind its last one.
    pub behind: Writes,
}

/// Memory that may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Writes {
    /// Behind these pointer parameters.
    pub parameters: Parameters,
    /// Other memory that is shared.
    pub shared: bool,
}

impl Writes {
    /// What either may write.
    #[must_use]
    pub fn union(self, other: Writes) -> Writes {
        Writes { parameters: self.parameters.union(other.parameters), shared: self.shared || other.shared }
    }
}

/// Each of some things once, in the order in which they come first.
fn unique<T: PartialEq>(all: impl Iterator<Item = T>) -> Box<[T]> {
    let mut unique: Vec<T> = Vec::new();
    for it in all {
        if !unique.contains(&it) {
            unique.push(it);
        }
    }
    unique.into()
}

/// Names without those that stand twice, in the order of their texts: their numbers depend on which thread met them first.
fn sorted(names: impl Iterator<Item = Symbol>) -> Box<[Symbol]> {
    let mut names: Vec<Symbol> = names.collect();
    names.sort_unstable_by_key(|name| name.as_str());
    names.dedup();
    names.into()
}

impl Summary {
    /// Of a function that does nothing but compute its result from its arguments and what they point to.
    pub fn of_arguments() -> Summary {
        let all = (0..63).map(Parameters::one).fold(Parameters::NONE, Parameters::union);
        let result = Fact { values: all, pointees: all, ..Fact::UNIFORM };
        Summary { result, ..Summary::default() }
    }

    /// The same, in facts that name parameters only.
    fn without_parts(&self) -> Summary {
        let whole = |fact: Fact| self.inputs.without_parts(fact);
        let of = |written: &Written| Written {
            parts: written.parts.iter().map(|&(bytes, fact)| (bytes, whole(fact))).collect(),
            ..written.clone()
        };
        Summary {
            result: whole(self.result),
            counted: self.counted.map(|it| Counted { base: whole(it.base), ..it }),
            writes: self.writes.iter().map(of).collect(),
            inputs: Inputs::default(),
            ..self.clone()
        }
    }

    /// What it writes through the pointer that it gets for a parameter. None: nothing.
    pub fn writes_through(&self, parameter: usize) -> Option<Fact> {
        self.writes.get(parameter)?.all()
    }

    /// How many bytes it surely writes through the pointer that it gets for a parameter.
    pub fn overwrites(&self, parameter: usize) -> u64 {
        self.overwrites.get(parameter).copied().unwrap_or(0)
    }

    /// Whether it keeps the pointer that it gets for a parameter, or hands it on.
    pub fn keeps(&self, parameter: usize) -> bool {
        self.escapes.contains(parameter)
    }

    /// What holds of a call that may run either of two functions.
    #[must_use]
    pub fn join(&self, other: &Summary) -> Summary {
        if self.inputs != other.inputs {
            return self.without_parts().join(&other.without_parts());
        }
        let count = self.writes.len().max(other.writes.len());
        let nothing = Written::default();
        let write = |number: usize| match (self.writes.get(number), other.writes.get(number)) {
            (Some(a), Some(b)) => a.join(b),
            (a, b) => a.or(b).unwrap_or(&nothing).clone(),
        };
        Summary {
            inputs: self.inputs.clone(),
            result: self.result.join(other.result),
            writes: (0..count).map(write).collect(),
            overwrites: self.overwrites.iter().zip(&other.overwrites).map(|(&a, &b)| a.min(b)).collect(),
            escapes: self.escapes.union(other.escapes),
            writes_shared: self.writes_shared || other.writes_shared,
            writes_behind: unique(self.writes_behind.iter().chain(&other.writes_behind).copied()),
            writes_variables: sorted(self.writes_variables.iter().chain(&other.writes_variables).copied()),
            waits: self
                .waits
                .zip(other.waits)
                .map(|(a, b)| Waits { before: a.before.union(b.before), behind: a.behind.union(b.behind) }),
            number: self.number.filter(|_| self.number == other.number),
            multiple: self.multiple.filter(|_| self.multiple == other.multiple),
            counted: self.counted.filter(|_| self.counted == other.counted),
            leads: self.leads.filter(|_| self.leads == other.leads),
        }
    }
}
