//! Mutants that do not change an execution, by the paths of the threads in the original kernel.
//!
//! The judgement uses the paths of threads in the original, and no execution of the mutant:
//!
//! | mutation | no execution changes if |
//! |---|---|
//! | two operations exchanged | no thread executes either of them |
//! | heart dropped | each group of threads executes each of its operations at most once |
//! | jump threaded | the threads that execute an operation of the block together all come from one of its copies |
//! | body executed twice | each execution of the loop has an even number of iterations |
//! | operation hoisted | threads that are converged at the branch all go to the operation, or all go elsewhere |

use std::collections::BTreeMap;

use tangle_analysis::flow::{BlockId, Function, Module, Op, Token};
use tangle_ir::flow::ValueId;
use tangle_simulate::{Communication, Key, Launch, Observer, Program};
use tangle_syntax::dialect::opencl;

use super::mutants::Site;

/// The launches of the comparison.
const SIZES: [(u32, u32, u32); 4] = [(8, 4, 1), (4, 4, 1), (4, 2, 2), (1, 4, 1)];
const LAUNCHES: u64 = 32;

/// The paths of threads through the kernel.
struct Paths {
    kernel: usize,
    /// For each thread, the blocks with their instances.
    blocks: BTreeMap<usize, Vec<(BlockId, Key)>>,
    /// The operations, the threads that execute them together, and the number of blocks of each thread before.
    together: Vec<(ValueId, Vec<(usize, usize)>)>,
}

impl Observer for Paths {
    fn wants_blocks(&self) -> bool {
        true
    }

    fn visited(&mut self, _: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        if function == self.kernel {
            self.blocks.entry(thread).or_default().push((block, key));
        }
    }

    fn together(&mut self, it: &Communication) {
        if it.function == self.kernel {
            let passed = |thread: usize| self.blocks.get(&thread).map_or(0, Vec::len);
            let threads = it.threads.iter().map(|&thread| (thread, passed(thread))).collect();
            self.together.push((it.value, threads));
        }
    }
}

/// Returns whether no execution of the launches changes.
pub fn is_equivalent(module: &Module, kernel: usize, site: Site) -> bool {
    let program = Program::new(module, opencl().builtins()).unwrap();
    let function = &module.functions[kernel];
    (0..LAUNCHES).all(|seed| {
        let (threads, sub_group_size, groups) = SIZES[seed as usize % SIZES.len()];
        let local_size = function.work_group_size.unwrap_or([threads, 1, 1]);
        let launch = Launch { local_size, groups, sub_group_size, seed, steps: 100_000, ..Launch::default() };
        let mut paths = Paths { kernel, blocks: BTreeMap::new(), together: Vec::new() };
        let run = program.run(kernel, &Launch { races: true, ..launch.clone() }, &mut paths).unwrap();
        if !run.races.found.is_empty() {
            // The kernel is undefined, so a mutant may do anything.
            return true;
        }
        let grid = launch.grid();
        let sub_group = |thread: usize| grid.of_sub_group(&grid.place(thread));
        !changes(function, site, &paths, &sub_group)
    })
}

fn changes(function: &Function, site: Site, paths: &Paths, sub_group: &dyn Fn(usize) -> usize) -> bool {
    match site {
        Site::Swap(operations) => paths.together.iter().any(|(value, _)| operations.contains(value)),
        Site::DropHeart(heart) => {
            let mut executed: BTreeMap<(ValueId, usize), u32> = BTreeMap::new();
            for (value, threads) in &paths.together {
                let is_under = match &function.values[*value].op {
                    Op::Call(call) => call.token.is_some_and(|token| is_under(function, token, heart)),
                    _ => false,
                };
                if is_under {
                    *executed.entry((*value, sub_group(threads[0].0))).or_default() += 1;
                }
            }
            executed.values().any(|&times| times > 1)
        }
        Site::ThreadJump { block, from } => {
            let comes_from = |&(thread, passed): &(usize, usize)| {
                let blocks = &paths.blocks[&thread];
                passed.checked_sub(2).is_some_and(|before| blocks[before].0 == from)
            };
            let is_here = |value: &ValueId| function.blocks[block].values.contains(value);
            paths.together.iter().filter(|(value, _)| is_here(value)).any(|(_, threads)| {
                let first = comes_from(&threads[0]);
                threads.iter().any(|thread| comes_from(thread) != first)
            })
        }
        Site::Unroll { body } => paths.blocks.values().any(|blocks| {
            // The header is the only other block of the loop.
            let iterations = blocks.iter().enumerate().filter(|(_, (block, _))| *block == body);
            let mut last = None;
            let mut count = 0_u32;
            for (at, _) in iterations {
                if last.is_some_and(|last| last + 2 != at) && count % 2 == 1 {
                    return true;
                }
                count = if last == at.checked_sub(2) { count + 1 } else { 1 };
                last = Some(at);
            }
            count % 2 == 1
        }),
        Site::Hoist { block, before } => {
            let mut ways: BTreeMap<(Key, usize), bool> = BTreeMap::new();
            for (&thread, blocks) in &paths.blocks {
                for (at, &(_, key)) in blocks.iter().enumerate().filter(|(_, (it, _))| *it == before) {
                    let goes = blocks.get(at + 1).is_some_and(|(next, _)| *next == block);
                    if *ways.entry((key, sub_group(thread))).or_insert(goes) != goes {
                        return true;
                    }
                }
            }
            false
        }
    }
}

/// Returns whether a token is a heart, or derives from it.
fn is_under(function: &Function, token: ValueId, heart: ValueId) -> bool {
    token == heart
        || matches!(function.values[token].op, Op::Token(Token::Loop(parent)) if is_under(function, parent, heart))
}
