//! Overload resolution: selects the function that a call means, by the types of the arguments.
//!
//! **Step**: the conversion of an argument to a parameter. It has a **rank**: the same type, a promotion, a conversion,
//! a scalar copied to every lane of a vector, or a conversion that only C permits. An overload is *better* than another
//! if no step is worse and at least one is better. The call means the overload that is better than all others; if
//! there is none, the call is ambiguous.
//!
//! ```c
//! float f(float x, int i) { return fmax(x, i); }   // fmax(float, float): an exact step and a conversion
//! ```
//!
//! These are clang's rules for functions declared `overloadable`. An argument of unknown type fits every parameter. If
//! a call is ambiguous and has such arguments, its type is the common part of the types of the best overloads.

use smallvec::SmallVec;
use tangle_grammar::ast::AddressSpace;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;

use crate::types::{FunctionTy, Opaque, Pointer, Ty, TyKind};
use tangle_syntax::dialect::Dialect;

mod special;

/// The maximum number of candidates in a failed resolution.
const CANDIDATES: usize = 8;

/// The result of overload resolution. Candidates and results are function types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    NotABuiltin,
    Found {
        ty: Ty,
    },
    /// No overload accepts these arguments.
    NoMatch {
        candidates: Vec<Ty>,
    },
    /// None of these candidates is better than all others.
    Ambiguous {
        candidates: Vec<Ty>,
    },
}

/// Returns the type that distinguishes an overload from others of its name. It has no result type and no `restrict`:
/// declarations of one function may differ in these.
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

/// Returns the types of the overloads of a builtin. Empty if the name is not a builtin, or if its type depends on its
/// arguments.
pub fn signatures(dialect: Dialect, name: Symbol) -> Vec<Ty> {
    dialect.signatures().of(name).map(|overloads| overloads.functions.clone()).unwrap_or_default()
}

/// Resolves a call of `name`. Arguments are values: arrays and functions are pointers already.
pub fn resolve(dialect: Dialect, name: Symbol, arguments: &[Ty]) -> Resolution {
    let Some(overloads) = dialect.signatures().of(name) else { return Resolution::NotABuiltin };
    if overloads.special {
        return special::resolve(name, arguments);
    }
    let functions = &overloads.functions;
    match dialect.lexicon().grammar() {
        Grammar::C => choose(functions, arguments, false),
        Grammar::Cpp if has_additional_overloads(functions, arguments) => {
            choose(functions, &vec![Ty::DOUBLE; arguments.len()], true)
        }
        Grammar::Cpp => choose(functions, arguments, true),
    }
}

/// Whether a call of a function of `<cmath>` means one of its additional overloads in C++: unless all arguments are
/// `float`, they are converted to `double` (\[cmath.syn\]).
fn has_additional_overloads(functions: &[Ty], arguments: &[Ty]) -> bool {
    let mut parameters = functions.iter().filter_map(|ty| ty.as_function()).flat_map(|of| &of.parameters);
    let are_numbers = |ty: &Ty| ty.as_integer().is_some() || *ty == Ty::FLOAT || *ty == Ty::DOUBLE;
    parameters.all(|ty| ty.as_float().is_some())
        && arguments.iter().all(are_numbers)
        && arguments.iter().any(|ty| *ty != Ty::FLOAT)
}

/// Selects the best of several functions for these arguments. `cpp`: in C++ a pointer to constant memory converts to a
/// generic pointer.
pub fn choose(functions: &[Ty], arguments: &[Ty], cpp: bool) -> Resolution {
    // No function is better than one with exactly these types.
    let exact = |ty: &&Ty| ty.as_function().is_some_and(|function| *function.parameters == *arguments);
    if let Some(ty) = functions.iter().find(exact) {
        return Resolution::Found { ty: *ty };
    }
    let candidates: Vec<Candidate> = functions
        .iter()
        .filter_map(|ty| Some(Candidate { ty: *ty, steps: steps(ty.as_function()?, arguments, cpp)? }))
        .collect();
    // A best candidate wins all comparisons of this loop, but a candidate that wins them need not be the best.
    let Some(mut best) = candidates.first() else {
        return Resolution::NoMatch { candidates: candidates_for_message(functions, arguments.len()) };
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
    if arguments.iter().any(|argument| is_partly_unknown(*argument)) {
        return Resolution::Found { ty: common_type(&rivals) };
    }
    Resolution::Ambiguous { candidates: rivals.into_iter().take(CANDIDATES).collect() }
}

/// Returns overloads for a message. Functions with the right number of parameters come first.
fn candidates_for_message(functions: &[Ty], arguments: usize) -> Vec<Ty> {
    let fits = |ty: &&Ty| ty.as_function().is_some_and(|function| function.parameters.len() == arguments);
    let fitting = functions.iter().filter(fits);
    fitting.chain(functions.iter().filter(|ty| !fits(ty))).copied().take(CANDIDATES).collect()
}

/// Whether a type is unknown, or a pointer to an unknown type.
fn is_partly_unknown(ty: Ty) -> bool {
    ty.is_unknown() || ty.as_pointer().is_some_and(|pointer| pointer.pointee.is_unknown())
}

/// Returns the common type of functions with the same number of parameters. Types that differ become unknown.
fn common_type(functions: &[Ty]) -> Ty {
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

/// The step of each argument that has a parameter.
type Steps = SmallVec<[Step; 4]>;

struct Candidate {
    ty: Ty,
    steps: Steps,
}

impl Candidate {
    fn better(&self, other: &Candidate) -> bool {
        // Conversions with compiler warnings are compared first: they outweigh all other steps.
        let frowned = |step: &Step| step.rank == Rank::WarnedByC;
        self.compare(other, |mine, theirs| !frowned(mine) && frowned(theirs))
            .or_else(|| self.compare(other, Step::better))
            .unwrap_or(false)
    }

    /// Whether some step of this candidate is better and no step is worse. None: all steps are equally good.
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

/// The rank of a step, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The same type, apart from qualifiers that a pointer gains.
    Exact,
    Promotion,
    Conversion,
    /// A scalar is copied to every lane of a vector.
    Splat,
    /// Permitted without a warning in C, but not in C++: `void *` to another pointer, and 0 to a null pointer.
    OnlyC,
    /// C compilers warn: the pointee differs, or a qualifier is lost.
    WarnedByC,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    rank: Rank,
    /// The qualifiers that a pointer gains: a union of the constants below.
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
            // Of two steps of one rank, the step that adds fewer qualifiers is better, if the other adds these too.
            std::cmp::Ordering::Equal => {
                self.gained != other.gained && self.gained & other.gained == self.gained
            }
        }
    }
}

fn steps(function: &FunctionTy, arguments: &[Ty], cpp: bool) -> Option<Steps> {
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
        .map(|(parameter, argument)| step(*argument, *parameter, cpp))
        .collect()
}

/// Returns the step from a value of type `from` to a parameter of type `to`. None: there is no conversion.
fn step(from: Ty, to: Ty, cpp: bool) -> Option<Step> {
    let plain = |rank| Some(Step { rank, gained: 0 });
    if from == to || from.is_unknown() || to.is_unknown() {
        return plain(Rank::Exact);
    }
    match (from.kind(), to.kind()) {
        (TyKind::Pointer(from), TyKind::Pointer(to)) => pointer_step(from, to, cpp),
        _ if from.is_arithmetic() && to.is_arithmetic() => plain(arithmetic_rank(from, to)),
        (_, TyKind::Vector { .. }) if from.is_arithmetic() => plain(Rank::Splat),
        (TyKind::Pointer(_), TyKind::Bool) => plain(Rank::Conversion),
        (TyKind::Integer(_), TyKind::Opaque(Opaque::Sampler | Opaque::Event | Opaque::Queue)) => {
            plain(Rank::Conversion)
        }
        // Only a null pointer constant converts. The type does not show whether this value is one.
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

fn pointer_step(from: &Pointer, to: &Pointer, cpp: bool) -> Option<Step> {
    let mut gained = 0;
    if from.space != to.space {
        if to.space != AddressSpace::Generic || (from.space == AddressSpace::Constant && !cpp) {
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
        Rank::WarnedByC
    } else if same_pointee(from.pointee, to.pointee) {
        Rank::Exact
    } else if to.pointee.is_void() {
        Rank::Conversion
    } else if from.pointee.is_void() {
        Rank::OnlyC
    } else {
        Rank::WarnedByC
    };
    Some(Step { rank, gained })
}

fn same_pointee(from: Ty, to: Ty) -> bool {
    if from == to || from.is_unknown() || to.is_unknown() {
        return true;
    }
    // `restrict` is ignored.
    match (from.as_pointer(), to.as_pointer()) {
        (Some(from), Some(to)) => Pointer { restrict: false, ..*from } == Pointer { restrict: false, ..*to },
        _ => false,
    }
}
