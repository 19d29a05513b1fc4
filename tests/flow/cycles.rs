//! Cycles and dominators.

use std::collections::BTreeSet;

use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{BlockId, Function, ssa};

use super::opt::Opt;
use super::random::{Random, graph, llvm};
use super::text::{self, parse};

/// Describes each cycle as `depth header {other entries} {other blocks}`, with both sets sorted.
fn describe(function: &Function) -> BTreeSet<String> {
    let cycles = GraphAnalysis::of(function).cycles;
    let name = |block: &BlockId| format!("b{}", block.index());
    cycles
        .cycles
        .iter_enumerated()
        .map(|(id, cycle)| {
            let others = cycle.entries[1..].iter().map(name).collect::<BTreeSet<String>>();
            let blocks = cycles.blocks(id);
            let blocks = blocks.iter().filter(|block| !cycle.entries.contains(block)).map(name);
            line(cycle.depth + 1, &name(&cycle.header), &others, &blocks.collect())
        })
        .collect()
}

fn line(depth: u32, header: &str, entries: &BTreeSet<String>, blocks: &BTreeSet<String>) -> String {
    format!("{depth} {header} {entries:?} {blocks:?}")
}

/// Converts a line of `print<cycles>`, such as `depth=1: entries(b2 b1) b3`, to the format of `describe`.
fn of_llvm(text: &str) -> String {
    let (depth, rest) =
        text.trim().strip_prefix("depth=").and_then(|it| it.split_once(": entries(")).unwrap();
    let (entries, blocks) = rest.split_once(')').unwrap();
    let mut entries = entries.split_whitespace().map(str::to_owned);
    let header = entries.next().unwrap();
    let blocks = blocks.split_whitespace().map(str::to_owned).collect();
    line(depth.parse().unwrap(), &header, &entries.collect(), &blocks)
}

#[test]
fn cycles_match_llvm() {
    let Some(opt) = Opt::find() else { return };
    let functions: Vec<Function> = (0..600)
        .map(|seed| {
            let mut function =
                graph(&mut Random::new(seed), if seed % 3 == 0 { 30 } else { 9 }, seed % 2 == 0);
            // LLVM counts an edge from an unreachable block as an entry.
            ssa::remove_unreachable(&mut function);
            function
        })
        .collect();
    let module: String = functions
        .iter()
        .enumerate()
        .map(|(number, function)| llvm(function, &format!("f{number}")))
        .collect();
    let (_, text) = opt.run("print<cycles>", &module);
    let mut irreducible = 0;
    let printed: Vec<&str> = text.split("CycleInfo for function: ").skip(1).collect();
    assert_eq!(printed.len(), functions.len());
    for (function, text) in functions.iter().zip(printed) {
        let expected: BTreeSet<String> = text.lines().skip(1).map(of_llvm).collect();
        assert_eq!(describe(function), expected, "{}", llvm(function, "f"));
        irreducible +=
            usize::from(GraphAnalysis::of(function).cycles.cycles.iter().any(|cycle| !cycle.is_reducible()));
    }
    assert!(irreducible > 100, "only {irreducible} of the graphs have irreducible cycles");
}

#[track_caller]
fn check(blocks: &str, expected: &[&str]) {
    let function = parse(&format!("function f() {{\n{blocks}}}\n"));
    let cycles = GraphAnalysis::of(&function).cycles;
    let name = |block: &BlockId| function.blocks[*block].label.map_or("?", |label| label.as_str());
    let found: Vec<String> = cycles
        .cycles
        .iter_enumerated()
        .map(|(id, cycle)| {
            let entries: Vec<&str> = cycle.entries.iter().map(name).collect();
            let blocks: Vec<&str> = cycles.blocks(id).iter().map(name).collect();
            format!("{}: {} of {}", cycle.depth, entries.join(" "), blocks.join(" "))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn block_that_jumps_to_itself_is_a_cycle() {
    check("a:\njump b\nb:\nbranch %c, b, d\nd:\nreturn\n", &["0: b of b"]);
}

#[test]
fn loop_in_a_loop_is_a_nested_cycle() {
    check(
        "a:\njump out\nout:\nbranch %c, in, d\nin:\nbranch %c, body, out\nbody:\njump in\nd:\nreturn\n",
        &["0: out of out in body", "1: in of in body"],
    );
}

#[test]
fn jump_into_a_loop_makes_it_irreducible() {
    // LLVM visits the last successor first, so the body becomes the header.
    check(
        "a:\nbranch %c, head, body\nhead:\nbranch %c, body, d\nbody:\njump head\nd:\nreturn\n",
        &["0: body head of head body"],
    );
}

#[test]
fn duffs_device_has_one_cycle_entry_per_case() {
    check(
        "a:\nswitch %n [1: three, 2: two, default: one]\none:\njump two\ntwo:\njump three\nthree:\nbranch %c, one, d\nd:\nreturn\n",
        &["0: two one three of one two three"],
    );
}

#[test]
fn irreducible_cycles_can_be_nested() {
    // {x, y} remains a cycle when the header p of the outer cycle is removed.
    check(
        "a:\nbranch %c, q, p\np:\nbranch %c, x, y\nx:\nbranch %c, y, q\ny:\njump x\nq:\nbranch %c, p, d\nd:\nreturn\n",
        &["0: p q of p x y q", "1: y x of x y"],
    );
}

#[test]
fn long_chain_of_blocks_needs_no_recursion_and_little_time() {
    let mut builder = text::empty("f");
    let count = 100_000;
    for _ in 1..count {
        builder.block("b");
    }
    for number in 0..count - 1 {
        // Every tenth block of the second half jumps back to its mirror image: cycles nest 5,000 deep.
        builder.at(BlockId::new(number));
        match number >= count / 2 && number % 10 == 0 {
            true => builder.branch(text::condition(), BlockId::new(count - number), BlockId::new(number + 1)),
            false => builder.jump(BlockId::new(number + 1)),
        }
    }
    let function = builder.finish();
    let start = std::time::Instant::now();
    let GraphAnalysis { dominators, cycles, .. } = GraphAnalysis::of(&function);
    assert_eq!(dominators.depth(BlockId::new(count - 1)), count - 1);
    assert!(dominators.dominates(BlockId::new(17), BlockId::new(count - 1)));
    assert_eq!(cycles.cycles.len(), count / 20);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn dominance_matches_reachability_without_a_block() {
    for seed in 0..200 {
        let function = graph(&mut Random::new(seed), 14, seed % 2 == 0);
        let dominators = GraphAnalysis::of(&function).dominators;
        let all = reached(&function, None);
        for a in function.blocks.indices() {
            let without = reached(&function, Some(a));
            assert_eq!(dominators.is_reachable(a), all.contains(&a));
            for b in function.blocks.indices() {
                let expected = all.contains(&a) && all.contains(&b) && !without.contains(&b);
                assert_eq!(dominators.dominates(a, b), expected, "{a:?} {b:?} {}", llvm(&function, "f"));
            }
            if let Some(idom) = dominators.immediate(a) {
                let others = function.blocks.indices().filter(|&b| dominators.strictly_dominates(b, a));
                assert!(others.into_iter().all(|b| dominators.dominates(b, idom)));
            }
        }
        let predecessors = function.predecessors();
        for (a, frontier) in dominators.frontiers(&predecessors).iter_enumerated() {
            let expected: Vec<BlockId> = function
                .blocks
                .indices()
                .filter(|&b| {
                    !dominators.strictly_dominates(a, b)
                        && predecessors[b].iter().any(|&p| dominators.dominates(a, p))
                })
                .collect();
            assert_eq!(frontier, &expected, "{a:?} {}", llvm(&function, "f"));
        }
    }
}

/// Returns the blocks that are reachable from the entry on paths that avoid a block.
fn reached(function: &Function, without: Option<BlockId>) -> BTreeSet<BlockId> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![Function::ENTRY];
    while let Some(block) = todo.pop() {
        if Some(block) != without && seen.insert(block) {
            todo.extend(function.blocks[block].terminator.successors());
        }
    }
    seen
}
