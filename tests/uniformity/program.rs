//! Programs to be run: lowered by the real pipeline, or made as graphs.

use std::sync::Arc;

use tangle::db::Database;
use tangle::flow::Module;
use tangle::flow::module::{Options, lower};
use tangle::source::{Content, Loader};

use crate::claims::Analysis;
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
pub fn contradict(module: &Module, analysis: Analysis, effort: Effort, seed: u64) -> Option<Found> {
    let claims = analysis(module);
    let kernels: Vec<usize> = (0..module.functions.len()).filter(|&it| module.functions[it].kernel).collect();
    let (contradiction, grid) = kernels.into_iter().find_map(|kernel| {
        (0..effort.runs).find_map(|run| {
            let mut machine = Machine::new(module, kernel, &claims, effort, seed.wrapping_mul(31) + run);
            machine.run();
            let found = machine.evidence.contradiction(&machine.grid);
            found.map(|contradiction| (contradiction, machine.grid.clone()))
        })
    })?;
    Some(Found { contradiction, grid })
}
