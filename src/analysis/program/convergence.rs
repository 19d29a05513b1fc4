//! The convergent functions of a unit, and the calls that make them convergent.
//!
//! **Convergent function**: a function that is declared `convergent`, or contains a settled call through a pointer, of
//! a convergent operation, or of a convergent function. A function that is declared `noconvergent` is never convergent
//! (`docs/semantics.md` §6). A function without a definition, declared or not, is convergent if the table of the
//! dialect or an attribute says so.
//!
//! ```c
//! void sync(void) { barrier(1); }                     // convergent: an operation
//! void twice(void) { sync(); sync(); }                // convergent, through sync
//! void never(void) { return; barrier(1); }            // not convergent: no thread reaches the barrier
//! kernel void k(void) { if (get_local_id(0)) twice(); }
//! ```
//!
//! **Implicit** threads of an operation: control flow, and not a mask, decides which threads take part. A function has
//! implicit threads if it reaches such an operation. If [masks do not name threads](Settings::masks_name_threads), all
//! convergent operations and functions have implicit threads.
//!
//! ```c
//! __device__ int sum(int v) { return v + __shfl_xor_sync(~0u, v, 1); }   // convergent: the mask names the threads
//! __device__ void wait() { __syncthreads(); }                            // convergent, implicit threads
//! ```
//!
//! The analysis follows calls backwards from the convergent operations. So recursion is not a special case, and a unit
//! without convergent operations costs only the search for one.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{FunctionKey, UnresolvedCallee};
use tangle_ir::nest::Convergence;

use super::calls::{CallTarget, Caller, Calls, calls, instance_calls, operations};
use super::defined::defined;
use super::instances::template_instances;
use tangle_hir::scope::segments;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtin, Builtins, Scope};
use tangle_syntax::source::{Settings, SourceFile};

/// Finds the convergent functions in the unit of a file.
// `no_eq`: a comparison with the previous result is not faster than the computation.
#[salsa::tracked(no_eq, lru = 16)]
pub fn convergent(db: &dyn Db, file: SourceFile, settings: Settings) -> Convergent {
    let segments = segments(db, file, settings);
    let instances = template_instances(db, file, settings);
    let of_segments = segments.iter().map(|&(_, segment)| calls(db, segment));
    let of_instances = instances.items().map(|scoped| instance_calls(db, scoped));
    let calls: Vec<&Calls> = of_segments.chain(of_instances).collect();
    let defined = segments.iter().flat_map(|&(_, segment)| defined(db, segment)).map(|defined| defined.key);
    let program = Convergent {
        builtins: settings.builtins(db).clone(),
        defined: defined.collect(),
        instances: instances.all().map(|instance| instance.key).collect(),
        ..Convergent::default()
    };
    program.with_calls(&calls, settings.masks_name_threads(db))
}

/// The reason why a function is convergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvergenceReason {
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
    /// The functions that the unit defines, without instances.
    defined: FxHashSet<FunctionKey>,
    /// The [instances](super::instances) of templates that are no kernels.
    instances: FxHashSet<FunctionKey>,
    not_convergent: FxHashSet<FunctionKey>,
    /// The targets of all convergent calls.
    targets: FxHashSet<CallTarget>,
    /// File-scope variables that are called.
    pointers: FxHashSet<Symbol>,
}

/// Functions with a shortest path from each to an operation.
#[derive(Debug, Default, PartialEq, Eq)]
struct Paths {
    /// The first step of each path.
    functions: FxHashMap<FunctionKey, ConvergenceReason>,
    /// For each name that a call can use, one of these functions with that name.
    by_name: FxHashMap<UnresolvedCallee, FunctionKey>,
}

impl Paths {
    /// Returns the callee of a call, if it is one of these functions.
    fn called(&self, target: CallTarget) -> Option<FunctionKey> {
        let key = match target {
            CallTarget::Function(key) => key,
            CallTarget::Builtin(name) => FunctionKey::plain(name),
            CallTarget::Unresolved(UnresolvedCallee::OneOf { candidates, .. }) => {
                *candidates.keys().iter().find(|key| self.functions.contains_key(key))?
            }
            CallTarget::Unresolved(named) => *self.by_name.get(&named)?,
            CallTarget::Pointer | CallTarget::Unknown => return None,
        };
        self.functions.contains_key(&key).then_some(key)
    }

    /// Returns the names of the callees on the path from a function to an operation. The path may end early, at a
    /// declared function or a call through a pointer.
    fn way(&self, key: FunctionKey) -> impl Iterator<Item = Symbol> + '_ {
        let mut at = self.functions.get(&key).copied();
        std::iter::from_fn(move || match at.take()? {
            ConvergenceReason::Declared | ConvergenceReason::Pointer => None,
            ConvergenceReason::Operation(name) => Some(name),
            ConvergenceReason::Function(key) => {
                at = self.functions.get(&key).copied();
                Some(key.name)
            }
        })
    }
}

impl Convergent {
    /// Finds the convergent functions of a program whose functions and instances are known.
    fn with_calls(mut self, segments: &[&Calls], masks_name_threads: bool) -> Convergent {
        let found = &mut self;
        let mut todo: Vec<(FunctionKey, ConvergenceReason)> = Vec::new();
        let mut targets: FxHashSet<CallTarget> = FxHashSet::default();
        let mut some_masked = false;
        for calls in segments {
            for &(key, said) in &calls.declared {
                match said {
                    Convergence::Convergent => {
                        let instances = found.instances.iter().filter(|it| it.template() == key);
                        let all = [key].into_iter().chain(instances.copied());
                        todo.extend(all.map(|key| (key, ConvergenceReason::Declared)));
                    }
                    Convergence::NotConvergent => _ = found.not_convergent.insert(key),
                }
            }
        }
        for calls in segments {
            let unresolved = calls.callers.keys().filter_map(|target| match target {
                CallTarget::Unresolved(UnresolvedCallee::Function(name)) => Some(*name),
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
            let pointers =
                found.pointers.iter().map(|&name| CallTarget::Unresolved(UnresolvedCallee::Function(name)));
            let pointers = pointers.chain([CallTarget::Pointer]);
            for target in operations.iter().copied().chain(pointers) {
                let through = match found.operation(target) {
                    Some((name, _)) => {
                        some_masked |= found.is_masked(name);
                        ConvergenceReason::Operation(name)
                    }
                    None if found.is_pointer(target) => ConvergenceReason::Pointer,
                    None => continue,
                };
                if let Some(callers) = calls.callers.get(&target) {
                    targets.insert(target);
                    let settled = callers.iter().filter(|caller| caller.settled);
                    todo.extend(settled.map(|caller| (found.examined(caller.key), through)));
                }
            }
        }
        if masks_name_threads && some_masked {
            let is_implicit = |(_, through): &(FunctionKey, ConvergenceReason)| match through {
                ConvergenceReason::Operation(name) => !found.is_masked(*name),
                ConvergenceReason::Declared | ConvergenceReason::Pointer | ConvergenceReason::Function(_) => {
                    true
                }
            };
            let implicit: Vec<(FunctionKey, ConvergenceReason)> =
                todo.iter().copied().filter(is_implicit).collect();
            found.implicit = Some(found.paths(segments, implicit, &mut FxHashSet::default()));
        }
        found.all = found.paths(segments, todo, &mut targets);
        found.targets = targets;
        self
    }

    /// Returns the function that a call of a function runs: the instance, or the template if it is not examined with
    /// these arguments.
    fn examined(&self, key: FunctionKey) -> FunctionKey {
        if self.instances.contains(&key) { key } else { key.template() }
    }

    /// Returns the target with the function that a call of it runs.
    fn run_by(&self, target: CallTarget) -> CallTarget {
        match target {
            CallTarget::Function(key) => CallTarget::Function(self.examined(key)),
            target => target,
        }
    }

    /// Finds the functions that reach some operations, with their paths. `todo` contains the last step of each path: a
    /// function, and the operation that it calls. Adds the targets of calls of these functions to `targets`.
    fn paths(
        &self,
        segments: &[&Calls],
        mut todo: Vec<(FunctionKey, ConvergenceReason)>,
        targets: &mut FxHashSet<CallTarget>,
    ) -> Paths {
        let mut found = Paths::default();
        // The targets with a list of candidates, by candidate.
        let mut one_of: FxHashMap<FunctionKey, Vec<CallTarget>> = FxHashMap::default();
        for &target in segments.iter().flat_map(|calls| calls.one_of.iter()) {
            if let CallTarget::Unresolved(UnresolvedCallee::OneOf { candidates, .. }) = target {
                candidates.keys().iter().for_each(|&key| one_of.entry(key).or_default().push(target));
            }
        }
        // The targets that are instances, by the template that they run.
        let mut of_template: FxHashMap<FunctionKey, Vec<CallTarget>> = FxHashMap::default();
        for &key in segments.iter().flat_map(|calls| calls.instances.iter()) {
            if !self.instances.contains(&key) {
                of_template.entry(key.template()).or_default().push(CallTarget::Function(key));
            }
        }
        // Breadth first, so that each recorded step is on a shortest path to an operation.
        let mut next = 0;
        while let Some(&(key, through)) = todo.get(next) {
            next += 1;
            if self.not_convergent.contains(&key.template()) || found.functions.contains_key(&key) {
                continue;
            }
            found.functions.insert(key, through);
            key.named().for_each(|named| _ = found.by_name.entry(named).or_insert(key));
            let unresolved = key.named().map(CallTarget::Unresolved);
            let builtin = key.row().map(CallTarget::Builtin);
            let among = one_of.get(&key).into_iter().chain(of_template.get(&key)).flatten().copied();
            let meant = [CallTarget::Function(key)].into_iter().chain(builtin).chain(unresolved).chain(among);
            for target in meant.filter(|&target| self.means(target, key)) {
                targets.insert(target);
                let callers = segments.iter().filter_map(|calls| calls.callers.get(&target)).flatten();
                let settled = callers.filter(|caller| caller.settled);
                let of = |caller: &Caller| (self.examined(caller.key), ConvergenceReason::Function(key));
                todo.extend(settled.map(of));
            }
        }
        found
    }

    /// Whether a call may run a function.
    fn means(&self, target: CallTarget, key: FunctionKey) -> bool {
        match target {
            CallTarget::Function(own) => self.examined(own) == key,
            // A definition with the name of a builtin replaces the builtin, even if it follows the call.
            CallTarget::Builtin(name) => FunctionKey::plain(name) == key && self.defined.contains(&key),
            CallTarget::Unresolved(named) => !key.is_instance() && key.is_named(named),
            CallTarget::Pointer | CallTarget::Unknown => false,
        }
    }

    /// Returns the convergent operation that a call executes, with its scope. A row of the user applies even if the
    /// unit defines the function. A row of the dialect applies only if the unit does not define it.
    fn operation(&self, target: CallTarget) -> Option<(Symbol, Scope)> {
        let name = target.row()?;
        let own;
        let keys = match target {
            CallTarget::Unresolved(UnresolvedCallee::OneOf { candidates, .. }) => candidates.keys(),
            CallTarget::Function(key) => {
                own = [key.template()];
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

    fn is_pointer(&self, target: CallTarget) -> bool {
        match target {
            CallTarget::Pointer => true,
            CallTarget::Unresolved(UnresolvedCallee::Function(name)) => self.pointers.contains(&name),
            CallTarget::Function(_)
            | CallTarget::Builtin(_)
            | CallTarget::Unresolved(_)
            | CallTarget::Unknown => false,
        }
    }

    /// Whether a function that the unit defines or declares is convergent.
    pub fn function(&self, key: FunctionKey) -> bool {
        let key = self.examined(key);
        self.all.functions.contains_key(&key) || self.operation(CallTarget::Function(key)).is_some()
    }

    /// Returns the names of the convergent callees on the path from a function to an operation. The path may end early,
    /// at a declared function or a call through a pointer.
    pub fn call_path(&self, key: FunctionKey) -> impl Iterator<Item = Symbol> + '_ {
        self.all.way(self.examined(key))
    }

    /// The same for a function with implicit threads: the path to an operation with implicit threads.
    pub fn implicit_call_path(&self, key: FunctionKey) -> impl Iterator<Item = Symbol> + '_ {
        self.implicit.as_ref().unwrap_or(&self.all).way(self.examined(key))
    }

    /// Returns the targets of all convergent calls of the unit, in no particular order.
    pub fn targets(&self) -> impl Iterator<Item = CallTarget> + '_ {
        self.targets.iter().copied()
    }

    /// Returns the operation, function or pointer that a convergent call runs; None if the call is not convergent.
    pub fn call(&self, target: CallTarget) -> Option<ConvergentCallee> {
        if let Some((name, scope)) = self.operation(target) {
            return Some(ConvergentCallee::Operation(name, scope));
        }
        if self.is_pointer(target) {
            return Some(ConvergentCallee::Pointer);
        }
        self.all.called(self.run_by(target)).map(ConvergentCallee::Function)
    }

    /// The same as [`call`](Convergent::call), for calls with implicit threads only.
    pub fn implicit_call(&self, target: CallTarget) -> Option<ConvergentCallee> {
        let called = self.call(target)?;
        let Some(implicit) = &self.implicit else { return Some(called) };
        match called {
            ConvergentCallee::Operation(name, _) => (!self.is_masked(name)).then_some(called),
            ConvergentCallee::Function(_) => {
                implicit.called(self.run_by(target)).map(ConvergentCallee::Function)
            }
            ConvergentCallee::Pointer => Some(called),
        }
    }

    /// Returns the row of an operation in the table of builtins.
    pub fn builtin(&self, name: Symbol) -> Option<&Builtin> {
        self.builtins.get(name)
    }

    /// Returns the names of the convergent functions of the unit, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.all.by_name.keys().filter_map(|named| named.name())
    }

    /// The same as [`call`](Convergent::call), for a call by a name at file scope.
    pub fn name(&self, name: Symbol) -> Option<ConvergentCallee> {
        self.call(CallTarget::Unresolved(UnresolvedCallee::Function(name)))
    }
}

/// The callee of a convergent call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvergentCallee {
    /// A builtin operation in its scope.
    Operation(Symbol, Scope),
    /// A function that is convergent itself.
    Function(FunctionKey),
    /// The target of a pointer, or a block.
    Pointer,
}

impl ConvergentCallee {
    /// Returns the scope of the operation. For a function or pointer, which may contain a barrier: the work-group.
    pub fn scope(self) -> Scope {
        match self {
            ConvergentCallee::Operation(_, scope) => scope,
            ConvergentCallee::Function(_) | ConvergentCallee::Pointer => Scope::Workgroup,
        }
    }
}
