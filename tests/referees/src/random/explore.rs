//! Explores all paths of a kernel, up to a number of inputs.
//!
//! The future of a thread depends only on its statement and its node there, since the node determines the nodes of all
//! enclosing statements. So among paths that read an input at the same statement with the same node, only the first is
//! continued. Paths with fewer inputs come first.
//!
//! A verdict *implementation-defined* is certain, because there is an example. A verdict *defined* holds for the
//! explored paths.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::derivation::{Arena, Instance, NodeId, Program, Thread};

/// The maximum number of stored instances for each operation, with which others are compared.
const KEPT: usize = 400;
/// The maximum number of threads that are continued after an input.
const THREADS: usize = 50_000;

/// The verdict on an operation that some path reached.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Two unrelated instances, if the operation is implementation-defined.
    pub example: Option<(Instance, Instance)>,
}

impl Verdict {
    pub fn implementation_defined(&self) -> bool {
        self.example.is_some()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// The operations that were reached, by number.
    pub ops: BTreeMap<u32, Verdict>,
    /// The nodes of the examples.
    pub arena: Arena,
    /// Whether every path was followed to its end.
    pub complete: bool,
}

#[derive(Default)]
struct Kept {
    nodes: HashSet<NodeId>,
    instances: Vec<Instance>,
    example: Option<(Instance, Instance)>,
}

impl Program {
    /// Returns the verdict on each operation, from all paths with at most `reads` inputs and `steps` statements.
    ///
    /// A `switch` can jump to each of its labels, whatever its value: see `choices`.
    pub fn explore(&self, reads: usize, steps: usize) -> Verdicts {
        self.explore_paths(reads, steps, true)
    }

    /// `merged` is false in the test that equal nodes have equal futures.
    pub fn explore_paths(&self, reads: usize, steps: usize, merged: bool) -> Verdicts {
        let mut arena = Arena::default();
        let mut found: HashMap<u32, Kept> = HashMap::new();
        let mut undecided = self.operations().filter(|&(_, place)| self.reachable[place]).count();
        let mut known = HashSet::new();
        let mut threads = vec![Thread::new(self, steps)];
        let mut left = THREADS;
        let mut complete = true;
        for read in 0..=reads {
            let mut next = Vec::new();
            for mut thread in std::mem::take(&mut threads) {
                let mut seen = Vec::new();
                self.advance(&mut thread, &mut arena, &mut |thread, op, node| {
                    let kept = found.entry(op).or_default();
                    if kept.example.is_none() && kept.nodes.insert(node) {
                        seen.push(thread.instance(self));
                    }
                });
                for instance in seen {
                    let kept = found.get_mut(&instance.op).expect("`advance` inserted the operation");
                    if kept.example.is_some() {
                        continue;
                    }
                    match kept.instances.iter().find(|other| !arena.related(other, &instance)) {
                        Some(other) => {
                            kept.example = Some((other.clone(), instance));
                            undecided -= 1;
                        }
                        None if kept.instances.len() < KEPT => kept.instances.push(instance),
                        None => {}
                    }
                }
                let Some(at) = thread.reads() else {
                    complete &= !thread.is_cut_off();
                    continue;
                };
                if merged && !known.insert(at) {
                    continue;
                }
                if read == reads || left == 0 {
                    complete = false;
                    continue;
                }
                left -= 1;
                for choice in (0..self.choices(at.0)).rev() {
                    let mut thread = thread.clone();
                    self.answer(&mut thread, &mut arena, choice);
                    next.push(thread);
                }
            }
            if undecided == 0 {
                break;
            }
            threads = next;
        }
        let ops = found.into_iter().map(|(op, kept)| (op, Verdict { example: kept.example })).collect();
        Verdicts { ops, arena, complete }
    }
}
