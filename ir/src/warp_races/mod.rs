//! Races inside a warp: two of its lanes access the same memory, one of them stores, and no barrier orders the accesses.
//!
//! Lanes of a warp need not run in step. So a lane sees the value of another one only after both took part in a barrier:
//! of the warp, of a tile with both, or of the block. Votes, shuffles and fences order no accesses of other lanes
//! (CUDA C++ Programming Guide, *Independent Thread Scheduling*, *Warp Vote Functions*).
//!
//! ```c
//! __shared__ int s[32];
//! s[lane] = x;
//! int y = s[lane ^ 1];             // a race: lane 0 reads what lane 1 stores
//! __syncwarp();
//! s[lane] = y;                     // ordered after the read by the other lane
//! s[lane] += s[lane + 8];          // a race: lane 8 stores what lane 0 reads
//! ```
//!
//! **Algorithm**: a few symbolic executions of the first warp of a block. Numbers are exact, or sums of unknown *atoms* and
//! exact offsets (`number`). A branch on a known number divides the lanes; an unknown one takes one side for all lanes,
//! in a way that agrees with its earlier decisions (`decisions`). The first execution prefers the sides that reach more
//! of the function, and leaves loops with an unknown trip count in the third iteration. Each further execution changes
//! one decision. Lanes that wait at the same block continue together. Calls of known functions are executed, too.
//!
//! A race is certain if both addresses are the same sum of atoms, and the offsets overlap: it is in each execution with these
//! decisions. That one exists is assumed. A race in shared memory is possible if each lane
//! computes one of the addresses from data. Everything that may order accesses in an unknown way is
//! taken to order all: unknown functions, inline assembly, atomics that may take a lock, reads that may wait. Two stores,
//! and atomics, are no races here.
//!
//! | module | contents |
//! |---|---|
//! | `inputs`, `race` | the input and the results of the search |
//! | `number` | the numbers of lanes |
//! | `access` | the accesses that are not ordered, and the values in private memory |
//! | `decisions` | the sides of branches with an unknown condition |
//! | `shape` | graphs, and the branches that matter |
//! | `effects` | what single operations mean for races |
//! | `screen` | the objects and values that matter |
//! | `machine` | executes functions |
//! | `calls` | executes builtins |

mod access;
mod calls;
mod decisions;
mod effects;
mod inputs;
mod machine;
mod number;
mod race;
mod screen;
mod shape;

use rustc_hash::FxHashSet;

pub use inputs::{BuiltinCall, KernelInputs, NumberedFunction};
pub use race::{Place, Race};

use decisions::{Change, Paths, Site};
use machine::{Machine, Shapes};
use number::Atoms;
use screen::Screened;

/// The limit on executions of one kernel.
const MAX_EXECUTIONS: usize = 16;

/// The limit on operations that all executions of one kernel perform.
const MAX_STEPS: u32 = 12_000;

/// Returns the races in the first warp of a block, each pair of places once, in the order of the executions.
pub fn races(inputs: &KernelInputs) -> Vec<Race> {
    let screened = Screened::of(inputs);
    if screened.may_race() { search(inputs, &screened) } else { Vec::new() }
}

fn search<'a, 'k>(inputs: &'k KernelInputs<'a>, screened: &'k Screened<'a, 'k>) -> Vec<Race> {
    let (mut paths, mut shapes) = (Paths::default(), Shapes::default());
    let mut found: Vec<Race> = Vec::new();
    let mut known: FxHashSet<(Place, Place)> = FxHashSet::default();
    let mut seen: FxHashSet<(Site, Change)> = FxHashSet::default();
    let mut todo: Vec<Option<(Site, Change)>> = vec![None];
    let (mut atoms, mut steps) = (Atoms::default(), 0);
    let mut executions = 0;
    while let Some(change) = todo.get(executions).copied() {
        executions += 1;
        let (kernel, cached) = ((inputs, screened), (&mut paths, &mut shapes));
        let mut machine = Machine::of(kernel, cached, std::mem::take(&mut atoms), change, MAX_STEPS - steps);
        machine.run();
        steps += machine.steps();
        let (races, sites, free) = machine.results();
        atoms = free;
        found.extend(races.into_iter().filter(|race| known.insert((race.first, race.second))));
        if steps >= MAX_STEPS {
            break;
        }
        let changes = sites.into_iter().filter(|change| seen.insert(*change)).map(Some);
        let free = MAX_EXECUTIONS.saturating_sub(todo.len());
        todo.extend(changes.take(free));
    }
    found
}

#[cfg(test)]
mod tests;
