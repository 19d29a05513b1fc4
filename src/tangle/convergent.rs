//! Which functions of a unit are convergent.
//!
//! **Convergent function**: one that contains a convergent operation or a call through a pointer, or calls a convergent function, or is
//! declared `convergent`; unless it is declared `noconvergent` (SEMANTICS §6). What is only declared, or not known at all, is
//! convergent if the builtin table or an attribute says so.
//!
//! ```c
//! void sync(void) { barrier(1); }                     // convergent
//! void twice(void) { sync(); sync(); }                // convergent, through sync
//! kernel void k(void) { if (get_local_id(0)) twice(); }
//! ```
//!
//! Found by following calls backwards from what is convergent by itself: recursion needs no care, and a unit without convergent
//! operations costs nothing but the look for one. What a header contributes is computed once for all units ([`calls`]).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;

use crate::db::Db;
use crate::hir::body::Callee;
use crate::hir::builtins::{Builtins, Scope};
use crate::hir::{Convergence, Function, declared};
use crate::source::{Settings, SourceFile};
use crate::syntax::{ChunkKey, SharedChunk, Unit, chunks, items, unit};

/// What the functions of one chunk are to convergence.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct Calls {
    /// Functions that call through a pointer, or are declared `convergent`.
    convergent: Box<[Symbol]>,
    not_convergent: Box<[Symbol]>,
    defined: FxHashSet<Symbol>,
    variables: FxHashSet<Symbol>,
    /// For each name that is called, who calls it.
    callers: FxHashMap<Symbol, Box<[Symbol]>>,
    /// Callees that are convergent operations of the dialect, if nothing in the unit replaces them.
    builtins: Box<[Symbol]>,
}

#[salsa::tracked]
fn calls<'db>(db: &'db dyn Db, chunk: ChunkKey<'db>) -> Calls {
    let mut calls = Calls::default();
    let (mut convergent, mut not_convergent) = (Vec::new(), Vec::new());
    let mut callers: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
    for &(item, _) in items(db, chunk) {
        let declared = declared(db, item);
        calls.variables.extend(declared.variables.iter().copied());
        for Function { name, defined, attribute, callees, calls_pointer, .. } in &declared.functions {
            match attribute {
                Some(Convergence::Convergent) => convergent.push(*name),
                Some(Convergence::NotConvergent) => not_convergent.push(*name),
                None if *calls_pointer => convergent.push(*name),
                None => {}
            }
            if *defined {
                calls.defined.insert(*name);
            }
            for &callee in callees {
                callers.entry(callee).or_default().push(*name);
            }
        }
    }
    calls.convergent = convergent.into();
    calls.not_convergent = not_convergent.into();
    calls.callers = callers.into_iter().map(|(callee, callers)| (callee, callers.into())).collect();
    calls.builtins = operations(&calls, Builtins::opencl()).into();
    calls
}

/// The callees that a table says are convergent operations.
fn operations(calls: &Calls, table: &Builtins) -> Vec<Symbol> {
    let called = calls.callers.keys().copied();
    let mut operations: Vec<Symbol> = called.filter(|&callee| table.convergent(callee).is_some()).collect();
    // By text: the numbers of symbols depend on which thread met them first.
    operations.sort_unstable_by_key(|operation| operation.as_str());
    operations
}

/// What is convergent in the unit of a file.
// It is compared with the last one no faster than it is made.
#[salsa::tracked(no_eq)]
pub fn of_unit(db: &dyn Db, file: SourceFile, settings: Settings) -> Convergent {
    Convergent::of(db, unit(db, file, settings), settings.builtins(db).clone())
}

/// The convergent functions of a unit.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Convergent {
    builtins: Arc<Builtins>,
    /// The convergent functions, each with the convergent callee through which it was found, if that has a name.
    functions: FxHashMap<Symbol, Option<Symbol>>,
    /// Names that the unit defines although the dialect has a builtin of that name.
    replaced: FxHashSet<Symbol>,
    not_convergent: FxHashSet<Symbol>,
    /// File-scope variables that are called.
    pointers: FxHashSet<Symbol>,
}

impl Convergent {
    fn of(db: &dyn Db, unit: &Unit, builtins: Arc<Builtins>) -> Convergent {
        let chunks: Vec<&Calls> =
            chunks(unit).into_iter().map(|chunk| calls(db, ChunkKey::new(db, SharedChunk(chunk)))).collect();
        let mut found = Convergent { builtins, ..Convergent::default() };
        found.not_convergent.extend(chunks.iter().flat_map(|calls| calls.not_convergent.iter().copied()));
        let mut todo: Vec<(Symbol, Option<Symbol>)> = Vec::new();
        for calls in &chunks {
            todo.extend(calls.convergent.iter().map(|&name| (name, None)));
            let of_user: Vec<Symbol>;
            let operations = match found.builtins.is_plain() {
                true => &*calls.builtins,
                false => {
                    of_user = operations(calls, &found.builtins);
                    &of_user
                }
            };
            for &builtin in operations {
                // What the user says of a name holds, whatever its definition looks like.
                let defined = chunks.iter().any(|calls| calls.defined.contains(&builtin));
                match defined && found.builtins.own(builtin).is_none() {
                    true => _ = found.replaced.insert(builtin),
                    false => todo.push((builtin, None)),
                }
            }
            let called = calls.variables.iter().copied();
            found
                .pointers
                .extend(called.filter(|v| chunks.iter().any(|calls| calls.callers.contains_key(v))));
        }
        todo.extend(found.pointers.iter().map(|&name| (name, None)));
        // Breadth first, so that the callee noted is on a shortest way to an operation.
        let mut next = 0;
        while let Some(&(name, through)) = todo.get(next) {
            next += 1;
            if found.not_convergent.contains(&name) || found.functions.contains_key(&name) {
                continue;
            }
            found.functions.insert(name, through);
            let callers = chunks.iter().filter_map(|calls| calls.callers.get(&name)).flatten();
            todo.extend(callers.map(|&caller| (caller, Some(name))));
        }
        found
    }

    /// Whether calls of this function are convergent.
    pub fn function(&self, name: Symbol) -> bool {
        self.functions.contains_key(&name) || self.operation(name).is_some()
    }

    /// The convergent callees that lead from a function to an operation, if each has a name.
    pub fn way(&self, function: Symbol) -> impl Iterator<Item = Symbol> + '_ {
        let through = |function: &Symbol| self.functions.get(function).copied().flatten();
        std::iter::successors(through(&function), through)
    }

    /// The names of all that is convergent, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.functions.keys().chain(&self.pointers).copied()
    }

    /// Whether nothing here is convergent.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The scope of a builtin convergent operation.
    fn operation(&self, name: Symbol) -> Option<Scope> {
        let builtin = self.builtins.convergent(name)?;
        (!self.replaced.contains(&name) && !self.not_convergent.contains(&name)).then_some(builtin)
    }

    /// What a call does, if it is convergent.
    pub fn call(&self, callee: Callee) -> Option<Called> {
        match callee {
            Callee::Pointer => Some(Called::Pointer),
            Callee::Named(name) => match self.operation(name) {
                Some(scope) => Some(Called::Operation(name, scope)),
                None if self.pointers.contains(&name) => Some(Called::Pointer),
                None => self.functions.contains_key(&name).then_some(Called::Function(name)),
            },
        }
    }
}

/// What a convergent call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// A builtin operation in its scope.
    Operation(Symbol, Scope),
    /// A function that is convergent itself.
    Function(Symbol),
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
