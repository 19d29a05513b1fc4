//! Which functions of a unit are convergent, and through what.
//!
//! **Convergent function**: one that contains a settled call of a convergent operation, through a pointer, or of a convergent function, or is
//! declared `convergent`; unless it is declared `noconvergent` (`docs/semantics.md` §6). What is only declared, or not known at all, is
//! convergent if the table of the dialect or an attribute says so.
//!
//! ```c
//! void sync(void) { barrier(1); }                     // convergent: an operation
//! void twice(void) { sync(); sync(); }                // convergent, through sync
//! void never(void) { return; barrier(1); }            // not convergent: no thread reaches the barrier
//! kernel void k(void) { if (get_local_id(0)) twice(); }
//! ```
//!
//! **Implicit** threads: control flow decides which threads take part in an operation, and not a mask. A function has
//! implicit threads if it leads to such an operation. If [masks do not name threads](Settings::masks_name_threads), all
//! convergent operations and functions have implicit threads.
//!
//! ```c
//! __device__ int sum(int v) { return v + __shfl_xor_sync(~0u, v, 1); }   // convergent: the mask names the threads
//! __device__ void wait() { __syncthreads(); }                            // convergent, implicit threads
//! ```
//!
//! Found by following calls backwards from what is convergent by itself: recursion needs no care, and a unit without convergent
//! operations costs nothing but the look for one.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{FunctionKey, Named};
use tangle_ir::nest::Convergence;

use super::calls::{Calls, Target, calls, operations};
use super::definitions::defined;
use tangle_hir::scope::segments;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtin, Builtins, Scope};
use tangle_syntax::items::unit;
use tangle_syntax::source::{Settings, SourceFile};

/// What is convergent in the unit of a file.
// It is compared with the last one no faster than it is made.
#[salsa::tracked(no_eq, lru = 16)]
pub fn convergent(db: &dyn Db, file: SourceFile, settings: Settings) -> Convergent {
    let segments = segments(db, unit(db, file, settings));
    let calls: Vec<&Calls> = segments.iter().map(|&(_, segment)| calls(db, segment)).collect();
    let defined = segments.iter().flat_map(|&(_, segment)| defined(db, segment)).map(|defined| defined.key);
    let masks_name_threads = settings.masks_name_threads(db);
    Convergent::of(&calls, defined.collect(), settings.builtins(db).clone(), masks_name_threads)
}

/// What makes a function convergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// An attribute.
    Declared,
    /// A call through a pointer.
    Pointer,
    /// A call of an operation.
    Operation(Symbol),
    /// A call of a convergent function.
    Function(FunctionKey),
}

/// The convergent functions of a unit.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Convergent {
    builtins: Arc<Builtins>,
    all: Paths,
    /// The functions with implicit threads. None: all convergent functions have them.
    implicit: Option<Paths>,
    defined: FxHashSet<FunctionKey>,
    not_convergent: FxHashSet<FunctionKey>,
    /// All that convergent calls may mean.
    targets: FxHashSet<Target>,
    /// File-scope variables that are called.
    pointers: FxHashSet<Symbol>,
}

/// Functions with the shortest paths from them to operations.
#[derive(Debug, Default, PartialEq, Eq)]
struct Paths {
    /// The first step of each path.
    functions: FxHashMap<FunctionKey, Through>,
    /// For what calls name, one of the functions that it may be.
    by_name: FxHashMap<Named, FunctionKey>,
}

impl Paths {
    /// The function that a call means, if it is one of these.
    fn called(&self, target: Target) -> Option<FunctionKey> {
        let key = match target {
            Target::Function(key) => key,
            Target::Builtin(name) => FunctionKey::plain(name),
            Target::Unresolved(Named::OneOf { candidates, .. }) => {
                *candidates.keys().iter().find(|key| self.functions.contains_key(key))?
            }
            Target::Unresolved(named) => *self.by_name.get(&named)?,
            Target::Pointer | Target::Unknown => return None,
        };
        self.functions.contains_key(&key).then_some(key)
    }

    /// The callees that lead from a function to an operation, if each has a name.
    fn way(&self, key: FunctionKey) -> impl Iterator<Item = Symbol> + '_ {
        let mut at = self.functions.get(&key).copied();
        std::iter::from_fn(move || match at.take()? {
            Through::Declared | Through::Pointer => None,
            Through::Operation(name) => Some(name),
            Through::Function(key) => {
                at = self.functions.get(&key).copied();
                Some(key.name)
            }
        })
    }
}

impl Convergent {
    fn of(
        segments: &[&Calls],
        defined: FxHashSet<FunctionKey>,
        builtins: Arc<Builtins>,
        masks_name_threads: bool,
    ) -> Convergent {
        let mut found = Convergent { builtins, defined, ..Convergent::default() };
        let mut todo: Vec<(FunctionKey, Through)> = Vec::new();
        let mut targets: FxHashSet<Target> = FxHashSet::default();
        let mut some_masked = false;
        for calls in segments {
            for &(key, said) in &calls.declared {
                match said {
                    Convergence::Convergent => todo.push((key, Through::Declared)),
                    Convergence::NotConvergent => _ = found.not_convergent.insert(key),
                }
            }
        }
        for calls in segments {
            let unresolved = calls.callers.keys().filter_map(|target| match target {
                Target::Unresolved(Named::Function(name)) => Some(*name),
                _ => None,
            });
            let is_variable = |name: &Symbol| segments.iter().any(|calls| calls.variables.contains(name));
            found.pointers.extend(unresolved.filter(is_variable));
        }
        for calls in segments {
            let of_user;
            let operations = match found.builtins.is_plain() {
                true => &calls.operations,
                false => {
                    of_user = operations(calls.callers.keys(), &found.builtins);
                    &of_user
                }
            };
            let pointers = found.pointers.iter().map(|&name| Target::Unresolved(Named::Function(name)));
            let pointers = pointers.chain([Target::Pointer]);
            for target in operations.iter().copied().chain(pointers) {
                let through = match found.operation(target) {
                    Some((name, _)) => {
                        some_masked |= found.is_masked(name);
                        Through::Operation(name)
                    }
                    None if found.is_pointer(target) => Through::Pointer,
                    None => continue,
                };
                if let Some(callers) = calls.callers.get(&target) {
                    targets.insert(target);
                    let settled = callers.iter().filter(|caller| caller.settled);
                    todo.extend(settled.map(|caller| (caller.key, through)));
                }
            }
        }
        if masks_name_threads && some_masked {
            let is_implicit = |(_, through): &(FunctionKey, Through)| match through {
                Through::Operation(name) => !found.is_masked(*name),
                Through::Declared | Through::Pointer | Through::Function(_) => true,
            };
            let implicit: Vec<(FunctionKey, Through)> = todo.iter().copied().filter(is_implicit).collect();
            found.implicit = Some(found.paths(segments, implicit, &mut FxHashSet::default()));
        }
        found.all = found.paths(segments, todo, &mut targets);
        found.targets = targets;
        found
    }

    /// The functions that lead to some operations, with their paths. `todo` has the last step of each path: a function, and
    /// an operation that it calls. Adds to `targets` all that calls of these functions may mean.
    fn paths(
        &self,
        segments: &[&Calls],
        mut todo: Vec<(FunctionKey, Through)>,
        targets: &mut FxHashSet<Target>,
    ) -> Paths {
        let mut found = Paths::default();
        // The targets with a list of candidates, by candidate.
        let mut one_of: FxHashMap<FunctionKey, Vec<Target>> = FxHashMap::default();
        for &target in segments.iter().flat_map(|calls| calls.one_of.iter()) {
            if let Target::Unresolved(Named::OneOf { candidates, .. }) = target {
                candidates.keys().iter().for_each(|&key| one_of.entry(key).or_default().push(target));
            }
        }
        // Breadth first, so that what is noted is on a shortest way to an operation.
        let mut next = 0;
        while let Some(&(key, through)) = todo.get(next) {
            next += 1;
            if self.not_convergent.contains(&key) || found.functions.contains_key(&key) {
                continue;
            }
            found.functions.insert(key, through);
            key.named().for_each(|named| _ = found.by_name.entry(named).or_insert(key));
            let unresolved = key.named().map(Target::Unresolved);
            let builtin = key.row().map(Target::Builtin);
            let among = one_of.get(&key).into_iter().flatten().copied();
            let meant = [Target::Function(key)].into_iter().chain(builtin).chain(unresolved).chain(among);
            for target in meant.filter(|&target| self.means(target, key)) {
                targets.insert(target);
                let callers = segments.iter().filter_map(|calls| calls.callers.get(&target)).flatten();
                let settled = callers.filter(|caller| caller.settled);
                todo.extend(settled.map(|caller| (caller.key, Through::Function(key))));
            }
        }
        found
    }

    /// Whether a call may run a function.
    fn means(&self, target: Target, key: FunctionKey) -> bool {
        match target {
            Target::Function(own) => own == key,
            // The definition of a builtin's name stands for the builtin, also where it follows the call.
            Target::Builtin(name) => FunctionKey::plain(name) == key && self.defined.contains(&key),
            Target::Unresolved(named) => key.is_named(named),
            Target::Pointer | Target::Unknown => false,
        }
    }

    /// The convergent operation that a call is, with its scope: what the user says of a name holds, whatever its definition looks like; what
    /// the dialect says holds for what the unit does not define.
    fn operation(&self, target: Target) -> Option<(Symbol, Scope)> {
        let name = target.row()?;
        let own;
        let keys = match target {
            Target::Unresolved(Named::OneOf { candidates, .. }) => candidates.keys(),
            Target::Function(key) => {
                own = [key];
                &own[..]
            }
            _ => {
                own = [FunctionKey::plain(name)];
                &own[..]
            }
        };
        let is_defined = keys.iter().any(|key| self.defined.contains(key));
        if keys.iter().any(|key| self.not_convergent.contains(key))
            || is_defined && self.builtins.own(name).is_none()
        {
            return None;
        }
        self.builtins.convergent(name).map(|scope| (name, scope))
    }

    /// Whether a mask names the threads of an operation.
    fn is_masked(&self, name: Symbol) -> bool {
        self.builtin(name).is_some_and(|row| row.masked)
    }

    fn is_pointer(&self, target: Target) -> bool {
        match target {
            Target::Pointer => true,
            Target::Unresolved(Named::Function(name)) => self.pointers.contains(&name),
            Target::Function(_) | Target::Builtin(_) | Target::Unresolved(_) | Target::Unknown => false,
        }
    }

    /// Whether a function that the unit defines or declares is convergent.
    pub fn function(&self, key: FunctionKey) -> bool {
        self.all.functions.contains_key(&key) || self.operation(Target::Function(key)).is_some()
    }

    /// The convergent callees that lead from a function to an operation, if each has a name.
    pub fn way(&self, key: FunctionKey) -> impl Iterator<Item = Symbol> + '_ {
        self.all.way(key)
    }

    /// The same for a function with implicit threads, to an operation with such threads.
    pub fn implicit_way(&self, key: FunctionKey) -> impl Iterator<Item = Symbol> + '_ {
        self.implicit.as_ref().unwrap_or(&self.all).way(key)
    }

    /// All that convergent calls of the unit may mean, in no particular order.
    pub fn targets(&self) -> impl Iterator<Item = Target> + '_ {
        self.targets.iter().copied()
    }

    /// What a call does, if it is convergent.
    pub fn call(&self, target: Target) -> Option<Called> {
        if let Some((name, scope)) = self.operation(target) {
            return Some(Called::Operation(name, scope));
        }
        if self.is_pointer(target) {
            return Some(Called::Pointer);
        }
        self.all.called(target).map(Called::Function)
    }

    /// The operation or function that a convergent call runs, if it has implicit threads.
    pub fn implicit_call(&self, target: Target) -> Option<Called> {
        let called = self.call(target)?;
        let Some(implicit) = &self.implicit else { return Some(called) };
        match called {
            Called::Operation(name, _) => (!self.is_masked(name)).then_some(called),
            Called::Function(_) => implicit.called(target).map(Called::Function),
            Called::Pointer => Some(called),
        }
    }

    /// The row of the table for an operation.
    pub fn builtin(&self, name: Symbol) -> Option<&Builtin> {
        self.builtins.get(name)
    }

    /// The names of the functions of the unit that are convergent, in no order.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.all.by_name.keys().filter_map(|named| named.name())
    }

    /// What a name at file scope is, wherever it is called.
    pub fn name(&self, name: Symbol) -> Option<Called> {
        self.call(Target::Unresolved(Named::Function(name)))
    }
}

/// What a convergent call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// A builtin operation in its scope.
    Operation(Symbol, Scope),
    /// A function that is convergent itself.
    Function(FunctionKey),
    /// Whatever a pointer or a block refers to.
    Pointer,
}

impl Called {
    /// The group of threads that matters: of a function or pointer, the widest that it may contain.
    pub fn scope(self) -> Scope {
        match self {
            Called::Operation(_, scope) => scope,
            Called::Function(_) | Called::Pointer => Scope::Workgroup,
        }
    }
}
