//! Which overload of a builtin function a call means.
//!
//! **Step**: how an argument becomes a parameter, with a **rank**: the same type, a promotion, a conversion, a scalar into every lane of
//! a vector, or something that only C lets pass. An overload is *better* than another if no step of it is worse, and one is
//! better. The call means the overload that is better than all others; if there is none, it is ambiguous.
//!
//! ```c
//! float f(float x, int i) { return fmax(x, i); }   // fmax(float, float): an exact step and a conversion
//! ```
//!
//! These are the rules that clang has for functions declared `overloadable`. An argument of unknown type fits every parameter; what
//! is ambiguous only because of such arguments has the type in which the best overloads agree.

use smallvec::SmallVec;
use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;

use crate::types::{FunctionTy, Opaque, Pointer, Ty, TyKind};
use tangle_syntax::dialect::Dialect;

mod special;

/// How many candidates an answer that is none carries, at most.
const CANDIDATES: usize = 8;

/// What a call of a name means. Candidates and results are function types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    NotABuiltin,
    Found {
        ty: Ty,
    },
    /// No overload takes these arguments.
    NoMatch {
        candidates: Vec<Ty>,
    },
    /// None of these is better than all others.
    Ambiguous {
        candidates: Vec<Ty>,
    },
}

/// The type that tells an overload from others of its name: without the result, and without promises about aliases, which declarations
/// of one function need not share.
pub fn signature(ty: Ty) -> Ty {
    let Some(function) = ty.as_function() else { return ty };
    let parameter = |&ty: &Ty| match ty.kind() {
        TyKind::Pointer(pointer) => Ty::new(TyKind::Pointer(Pointer { restrict: false, ..*pointer })),
        _ => ty,
    };
    let parameters = function.parameters.iter().map(parameter).collect();
    Ty::new(TyKind::Function(Box::new(FunctionTy {
        result: Ty::VOID,
        parameters,
        variadic: function.variadic,
    })))
}

/// The types of the overloads of a name. Empty if it is no builtin, or if its type depends on its arguments.
pub fn signatures(dialect: Dialect, name: Symbol) -> Vec<Ty> {
    dialect.signatures().of(name).map(|overloads| overloads.functions.clone()).unwrap_or_default()
}

/// The overload that a call of `name` means. Arguments are values: arrays and functions are pointers already.
pub fn resolve(dialect: Dialect, name: Symbol, arguments: &[Ty]) -> Resolution {
    let Some(overloads) = dialect.signatures().of(name) else { return Resolution::NotABuiltin };
    if overloads.special {
        return special::resolve(name, arguments);
    }
    choose(&overloads.functions, arguments)
}

/// The best of several functions for these arguments.
pub fn choose(functions: &[Ty], arguments: &[Ty]) -> Resolution {
    // Nothing is better than the same types throughout.
    let exact = |ty: &&Ty| ty.as_function().is_some_and(|function| *function.parameters == *arguments);
    if let Some(ty) = functions.iter().find(exact) {
        return Resolution::Found { ty: *ty };
    }
    let candidates: Vec<Candidate> = functions
        .iter()
        .filter_map(|ty| Some(Candidate { ty: *ty, steps: steps(ty.as_function()?, arguments)? }))
        .collect();
    // The best, if there is one, survives every comparison on the way.
    let Some(mut best) = candidates.first() else {
        return Resolution::NoMatch { candidates: nearest(functions, arguments.len()) };
    };
    for candidate in &candidates[1..] {
        if !best.better(candidate) {
            best = candidate;
        }
    }
    if candidates.iter().all(|other| std::ptr::eq(other, best) || best.better(other)) {
        return Resolution::Found { ty: best.ty };
    }
    let rivals: Vec<Ty> = candidates
        .iter()
        .filter(|candidate| !candidates.iter().any(|other| other.better(candidate)))
        .map(|candidate| candidate.ty)
        .collect();
    if arguments.iter().any(|argument| is_vague(*argument)) {
        return Resolution::Found { ty: agreement(&rivals) };
    }
    Resolution::Ambiguous { candidates: rivals.into_iter().take(CANDIDATES).collect() }
}

/// Overloads for a message: those with as many parameters as there are arguments first.
fn nearest(functions: &[Ty], arguments: usize) -> Vec<Ty> {
    let fits = |ty: &&Ty| ty.as_function().is_some_and(|function| function.parameters.len() == arguments);
    let fitting = functions.iter().filter(fits);
    fitting.chain(functions.iter().filter(|ty| !fits(ty))).copied().take(CANDIDATES).collect()
}

/// Whether a type leaves open what it is.
fn is_vague(ty: Ty) -> bool {
    ty.is_unknown() || ty.as_pointer().is_some_and(|pointer| pointer.pointee.is_unknown())
}

/// What several functions with equally many parameters have in common; unknown where they differ.
fn agreement(functions: &[Ty]) -> Ty {
    let mut functions = functions.iter().filter_map(|ty| ty.as_function());
    let Some(first) = functions.next() else { return Ty::UNKNOWN };
    let mut common = first.clone();
    for function in functions {
        let same = |a: Ty, b: Ty| if a == b { a } else { Ty::UNKNOWN };
        common.result = same(common.result, function.result);
        for (mine, other) in common.parameters.iter_mut().zip(&function.parameters) {
            *mine = same(*mine, *other);
        }
    }
    Ty::new(TyKind::Function(Box::new(common)))
}

/// For each argument that has a parameter, how it becomes it.
type Steps = SmallVec<[Step; 4]>;

struct Candidate {
    ty: Ty,
    steps: Steps,
}

impl Candidate {
    fn better(&self, other: &Candidate) -> bool {
        // What a compiler would warn of weighs more than everything else.
        let frowned = |step: &Step| step.rank == Rank::Frowned;
        self.compare(other, |mine, theirs| !frowned(mine) && frowned(theirs))
            .or_else(|| self.compare(other, Step::better))
            .unwrap_or(false)
    }

    /// Whether some step of this is better than the other's and none worse; None if all are as good.
    fn compare(&self, other: &Candidate, better: impl Fn(&Step, &Step) -> bool) -> Option<bool> {
        let mut some = None;
        for (mine, theirs) in self.steps.iter().zip(&other.steps) {
            if better(theirs, mine) {
                return Some(false);
            }
            if better(mine, theirs) {
                some = Some(true);
            }
        }
        some
    }
}

/// From good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The same type, apart from qualifiers that a pointer gains.
    Exact,
    Promotion,
    Conversion,
    /// A scalar into every lane of a vector.
    Splat,
    /// What C allows without a word and C++ does not: `void *` to another pointer, and 0 to a null pointer.
    OnlyC,
    /// What C compilers warn of: another pointee, or a qualifier less.
    Frowned,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    rank: Rank,
    /// The qualifiers that a pointer gains: see the constants.
    gained: u8,
}

const CONST: u8 = 1;
const VOLATILE: u8 = 2;
const GENERIC: u8 = 4;

impl Step {
    fn better(&self, other: &Step) -> bool {
        match self.rank.cmp(&other.rank) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            // Of two steps of one rank the one that adds only part of what the other adds.
            std::cmp::Ordering::Equal => {
                self.gained != other.gained && self.gained & other.gained == self.gained
            }
        }
    }
}

fn steps(function: &FunctionTy, arguments: &[Ty]) -> Option<Steps> {
    let fits = if function.variadic {
        arguments.len() >= function.parameters.len()
    } else {
        arguments.len() == function.parameters.len()
    };
    if !fits {
        return None;
    }
    function
        .parameters
        .iter()
        .zip(arguments)
        .map(|(parameter, argument)| step(*argument, *parameter))
        .collect()
}

/// How a value of type `from` becomes a parameter of type `to`; None if it cannot.
fn step(from: Ty, to: Ty) -> Option<Step> {
    let plain = |rank| Some(Step { rank, gained: 0 });
    if from == to || from.is_unknown() || to.is_unknown() {
        return plain(Rank::Exact);
    }
    match (from.kind(), to.kind()) {
        (TyKind::Pointer(from), TyKind::Pointer(to)) => pointer_step(from, to),
        _ if from.is_arithmetic() && to.is_arithmetic() => plain(arithmetic_rank(from, to)),
        (_, TyKind::Vector { .. }) if from.is_arithmetic() => plain(Rank::Splat),
        (TyKind::Pointer(_), TyKind::Bool) => plain(Rank::Conversion),
        (TyKind::Integer(_), TyKind::Opaque(Opaque::Sampler | Opaque::Event | Opaque::Queue)) => {
            plain(Rank::Conversion)
        }
        // Only a null pointer constant may; whether this is one, its type does not tell.
        (TyKind::Integer(_), TyKind::Pointer(_) | TyKind::BlockPointer(_)) => plain(Rank::OnlyC),
        _ => None,
    }
}

fn arithmetic_rank(from: Ty, to: Ty) -> Rank {
    let small = from == Ty::BOOL || from.as_integer().is_some_and(|integer| integer.bits() < 32);
    if (small && to == Ty::INT) || (from == Ty::FLOAT && to == Ty::DOUBLE) {
        Rank::Promotion
    } else {
        Rank::Conversion
    }
}

fn pointer_step(from: &Pointer, to: &Pointer) -> Option<Step> {
    let mut gained = 0;
    if from.space != to.space {
        if to.space != AddressSpace::Generic || from.space == AddressSpace::Constant {
            return None;
        }
        gained |= GENERIC;
    }
    if to.constant && !from.constant {
        gained |= CONST;
    }
    if to.volatile && !from.volatile {
        gained |= VOLATILE;
    }
    let loses = (from.constant && !to.constant) || (from.volatile && !to.volatile);
    let rank = if loses {
        Rank::Frowned
    } else if same_pointee(from.pointee, to.pointee) {
        Rank::Exact
    } else if to.pointee.is_void() {
        Rank::Conversion
    } else if from.pointee.is_void() {
        Rank::OnlyC
    } else {
        Rank::Frowned
    };
    Some(Step { rank, gained })
}

fn same_pointee(from: Ty, to: Ty) -> bool {
    if from == to || from.is_unknown() || to.is_unknown() {
        return true;
    }
    // A promise about aliases changes nothing.
    match (from.as_pointer(), to.as_pointer()) {
        (Some(from), Some(to)) => Pointer { restrict: false, ..*from } == Pointer { restrict: false, ..*to },
        _ => false,
    }
}
