//! Thread tables: which threads reached which location, and which of them were converged there.
//!
//! **Step**: a column of the table. It is one location, a block or a convergent operation, and contains converged
//! instances of it that are not ordered among each other. **Instance**: the threads of one work-group that are
//! converged there. Some blocks have no step: blocks that only jump to another block, and blocks that begin with a
//! convergent operation, because the operation has its own step.
//!
//! ```text
//! a: if (x) b: f(); c: return;       two threads, x is 1 in thread 0 only
//!
//!              a   b   f   c
//! thread 0     A   B   B   A         A: both threads   B: thread 0
//! thread 1     A           A
//! ```
//!
//! *Convergence-before* orders the instances: it combines the sequences of all threads, with one node for all threads
//! that are converged at an instance. The step of an instance comes directly after the last step that must precede it.
//! Steps of the same level are in source order.

use rustc_hash::FxHashMap;
use tangle_base::Symbol;
use tangle_ir::flow::BlockId;

use crate::grid::Grid;
use crate::keys::{Key, Point};
use crate::observer::Observer;
use crate::outcome::{Communication, Location, Named};
use crate::program::Program;

/// An [`Observer`] that records the blocks and convergent operations that threads reach.
#[derive(Clone, Debug)]
pub struct Trace {
    left: usize,
    nodes: Vec<TracedInstance>,
    numbers: FxHashMap<Key, u32>,
    /// The threads that operations name, by the number of the instance.
    named: FxHashMap<u32, Named>,
    /// For each thread, the numbers of its instances in order of execution.
    paths: Vec<Vec<u32>>,
}

/// A converged instance.
#[derive(Clone, Copy, Debug)]
struct TracedInstance {
    spot: Location,
    callee: Option<Symbol>,
}

/// A thread table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The columns, in order of time.
    pub steps: Vec<Step>,
    /// Whether the trace reached its limit, so that the end of the table may be missing.
    pub cut: bool,
}

/// A column of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// A block or a convergent operation. [`Program::span`] returns its source location.
    pub spot: Location,
    /// The called function, if the step is a convergent operation.
    pub callee: Option<Symbol>,
    /// Sorted by work-group, then by thread.
    pub instances: Vec<Instance>,
    /// The threads that the operation names, if the step is a convergent operation. Not sorted.
    pub named: Named,
}

/// Threads that are converged in a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// The number of the work-group.
    pub group: usize,
    /// The numbers of the threads within the work-group, in ascending order.
    pub threads: Vec<usize>,
}

impl Trace {
    /// Creates a trace of at most `events` events. An event is one thread that reaches one block or convergent
    /// operation.
    pub fn new(events: usize) -> Trace {
        Trace {
            left: events,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            named: FxHashMap::default(),
            paths: Vec::new(),
        }
    }

    fn add(&mut self, thread: usize, key: Key, node: TracedInstance) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        });
        if self.paths.len() <= thread {
            self.paths.resize_with(thread + 1, Vec::new);
        }
        self.paths[thread].push(number);
    }

    /// Returns the table of the recorded execution of `program` by the threads of `grid`.
    pub fn table(&self, program: &Program<'_>, grid: &Grid) -> Table {
        let ways: Vec<Vec<u32>> = self.paths.iter().map(|way| self.shown(program, way)).collect();
        let levels = self.levels(&ways);
        let mut threads: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (thread, way) in ways.iter().enumerate() {
            for &node in way {
                let of_node = &mut threads[node as usize];
                if of_node.last() != Some(&thread) {
                    of_node.push(thread);
                }
            }
        }
        let mut order: Vec<(u32, usize, u32, u32, Point, usize)> = (0..self.nodes.len())
            .filter(|&node| !threads[node].is_empty())
            .map(|node| {
                let spot = self.nodes[node].spot;
                let span = program.span(spot);
                (levels[node], spot.function, span.start, span.end, spot.point, node)
            })
            .collect();
        order.sort_unstable();
        let same = order.chunk_by(|a, b| (a.0, a.1, a.4) == (b.0, b.1, b.4));
        let steps = same.map(|nodes| {
            let TracedInstance { spot, callee } = self.nodes[nodes[0].5];
            let mut instances: Vec<Instance> = Vec::new();
            let mut named = Named::default();
            for node in nodes {
                if let Some(of_node) = self.named.get(&(node.5 as u32)) {
                    named.add(of_node);
                }
                let of_group = threads[node.5].chunk_by(|a, b| grid.place(*a).group == grid.place(*b).group);
                instances.extend(of_group.map(|of_group| Instance {
                    group: grid.place(of_group[0]).group,
                    threads: of_group.iter().map(|it| grid.place(*it).linear).collect(),
                }));
            }
            instances.sort_unstable();
            Step { spot, callee, instances, named }
        });
        Table { steps: steps.collect(), cut: self.left == 0 }
    }

    /// The path of a thread, without blocks that only jump to another block, and without blocks whose first operation
    /// is the next instance of the path.
    fn shown(&self, program: &Program<'_>, way: &[u32]) -> Vec<u32> {
        let is_shown = |at: &usize| match self.nodes[way[*at] as usize].spot {
            Location { function, point: Point::Block(block) } => {
                let first = program.first(function, block).map(Point::Operation);
                let next = way.get(at + 1).map(|&next| self.nodes[next as usize].spot);
                let is_next = next.is_some_and(|next| next.function == function && Some(next.point) == first);
                !is_next && !program.is_silent(function, block)
            }
            _ => true,
        };
        (0..way.len()).filter(is_shown).map(|at| way[at]).collect()
    }

    /// The level of each instance: the length of the longest chain of instances that must precede it.
    fn levels(&self, ways: &[Vec<u32>]) -> Vec<u32> {
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut before: Vec<u32> = vec![0; self.nodes.len()];
        for way in ways {
            for pair in way.windows(2).filter(|pair| pair[0] != pair[1]) {
                next[pair[0] as usize].push(pair[1]);
                before[pair[1] as usize] += 1;
            }
        }
        let mut levels: Vec<u32> = vec![0; self.nodes.len()];
        let mut done: Vec<bool> = vec![false; self.nodes.len()];
        // *Convergence-before* is acyclic if the graph satisfies the rules, so every instance is reached from one
        // without predecessors.
        for first in 0..self.nodes.len() {
            let mut ready = if before[first] == 0 { vec![first as u32] } else { Vec::new() };
            while let Some(node) = ready.pop() {
                if std::mem::replace(&mut done[node as usize], true) {
                    continue;
                }
                for &after in &next[node as usize] {
                    levels[after as usize] = levels[after as usize].max(levels[node as usize] + 1);
                    before[after as usize] -= 1;
                    if before[after as usize] == 0 {
                        ready.push(after);
                    }
                }
            }
        }
        levels
    }
}

impl Observer for Trace {
    fn wants_blocks(&self) -> bool {
        self.left > 0
    }

    fn visited(&mut self, _: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        self.add(
            thread,
            key,
            TracedInstance { spot: Location { function, point: Point::Block(block) }, callee: None },
        );
    }

    fn together(&mut self, it: &Communication) {
        for &thread in &it.threads {
            self.add(thread, it.key, TracedInstance { spot: it.spot(), callee: Some(it.callee) });
        }
        if self.left > 0 && it.named != Named::default() {
            self.named.entry(self.numbers[&it.key]).or_default().add(&it.named);
        }
    }
}
