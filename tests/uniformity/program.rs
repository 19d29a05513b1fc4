//! Programs to be run: lowered by the real pipeline, or made as graphs.

use std::sync::Arc;

use tangle::db::Database;
use tangle::flow::module::{Options, lower};
use tangle::flow::{Function, Module};
use tangle::source::{Content, Loader};
use tangle::uniformity::unit::UnitFacts;

use crate::claims::Claims;
use crate::evidence::Contradiction;
use crate::grid::Grid;
use crate::machine::Machine;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str) -> Content {
        Content::Missing
    }
}

/// The module of a source, and whether all of its functions are in it.
pub fn lowered(text: &str, options: &Options) -> (Module, bool) {
    let mut db = Database::new(Arc::new(NoFiles));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let lowered = lower(&db, file, settings, options);
    (lowered.module, lowered.errors.is_empty())
}

/// The module of a source; None if a function of it cannot be lowered.
pub fn module(text: &str, options: &Options) -> Option<Module> {
    let (module, complete) = lowered(text, options);
    complete.then_some(module)
}

/// The module of a source, and what the driver that users get claims of its functions. None: a function cannot be lowered.
pub fn driven(text: &str) -> Option<(Module, Vec<Claims>)> {
    let (module, claims, complete) = claimed(text);
    complete.then_some((module, claims))
}

/// The same as far as functions can be lowered, and whether all of them can.
pub fn claimed(text: &str) -> (Module, Vec<Claims>, bool) {
    let mut db = Database::new(Arc::new(NoFiles));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let lowered = lower(&db, file, settings, &Options::default());
    let facts = UnitFacts::of(&db, file, settings);
    let of = |function: &Function| {
        let at = facts.functions().of_key(function.key).expect("the unit defines it");
        let known = facts.facts(at).expect("it is lowered");
        assert_eq!(known.function.values, function.values, "one function, whoever asks");
        Claims::from(known.uniformity)
    };
    let claims = lowered.module.functions.iter().map(of).collect();
    (lowered.module, claims, lowered.errors.is_empty())
}

/// How often a kernel is run, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub runs: u64,
    /// Operations of one thread.
    pub fuel: u32,
    /// Whether pointers that a kernel is passed may point to the same memory.
    pub aliases: bool,
}

/// What two threads of an execution have against the claims.
pub struct Found {
    pub contradiction: Contradiction,
    pub grid: Grid,
}

/// Runs the kernels of a module, and gives the first contradiction.
pub fn contradict(module: &Module, claims: &[Claims], effort: Effort, seed: u64) -> Option<Found> {
    let kernels: Vec<usize> = (0..module.functions.len()).filter(|&it| module.functions[it].kernel).collect();
    let (contradiction, grid) = kernels.into_iter().find_map(|kernel| {
        (0..effort.runs).find_map(|run| {
            let mut machine = Machine::new(module, kernel, claims, effort, seed.wrapping_mul(31) + run);
            machine.run();
            let found = machine.evidence.contradiction(&machine.grid);
            found.map(|contradiction| (contradiction, machine.grid.clone()))
        })
    })?;
    Some(Found { contradiction, grid })
}
