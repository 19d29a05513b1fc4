//! Properties of the second implementation itself, tested on random programs.

use std::collections::HashMap;

use tangle_simulate::Random;

use tangle_referees::random::derivation::{Arena, Instance, NodeId, OUTSIDE, Program};
use tangle_referees::random::shape::StatementKind;
use tangle_referees::random::source::{self, Input, Stmt};

const PROGRAMS: u64 = 500;

fn programs() -> impl Iterator<Item = (u64, Program)> {
    (0..PROGRAMS).filter_map(|seed| Some((seed, Program::of(&source::body(&mut Random::new(seed)))?)))
}

/// The node of an instance determines its iterations and rounds, and derives from them.
#[test]
fn nodes_determine_instances() {
    for (seed, program) in programs() {
        let mut arena = Arena::default();
        let mut random = Random::new(seed + 1);
        let mut known: HashMap<(u32, NodeId), Instance> = HashMap::new();
        for _ in 0..100 {
            let mut left = 14;
            let mut input = |input: Input| {
                let paths = if let Input::Switch(paths) = input { paths } else { 2 };
                left -= 1;
                (left >= 0).then(|| random.below(paths as usize) as u32)
            };
            for instance in program.run(&mut input, 400, &mut arena) {
                let loops = instance.loops.iter().map(|it| (it.execution, it.iteration));
                let came_in = instance.rounds.iter().filter(|&&it| it != OUTSIDE);
                for (outer, inner) in loops.chain(came_in.map(|it| (it.entry, it.round))) {
                    assert!(arena.derives(inner, outer), "seed {seed}: {instance:?}");
                    assert!(arena.derives(instance.node, inner), "seed {seed}: {instance:?}");
                }
                let first = known.entry((instance.op, instance.node)).or_insert_with(|| instance.clone());
                assert_eq!(*first, instance, "seed {seed}");
            }
        }
    }
}

/// Exploration may stop a path that has the same node at an input as another path: it finds no further verdicts.
#[test]
fn merging_paths_does_not_change_verdicts() {
    for (seed, program) in programs() {
        let verdicts = |merged| {
            let ops = program.explore_paths(8, 400, merged).ops;
            ops.into_iter().map(|(op, it)| (op, it.implementation_defined())).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(true), verdicts(false), "seed {seed}");
    }
}

/// Each operation is on its line of the text, also in the programs that the shrinker makes.
#[test]
fn statement_lines_match_the_text() {
    for seed in 0..PROGRAMS {
        let body = source::body(&mut Random::new(seed));
        for body in source::smaller(&body).into_iter().chain([body]) {
            let Some(program) = Program::of(&body) else { continue };
            let text = source::text(&body, 0);
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            for (op, place) in program.operations() {
                let line = program.statements[place].line as usize;
                assert_eq!(lines[line - 1], format!("sub_group_reduce_add({op});"), "seed {seed}");
            }
            for statement in &program.statements {
                let start = match statement.kind {
                    StatementKind::If => "if (",
                    StatementKind::Do => "do {",
                    StatementKind::Switch(_) => "switch (",
                    StatementKind::Goto(_) => "goto L",
                    _ => continue,
                };
                assert!(lines[statement.line as usize - 1].starts_with(start), "seed {seed}: {statement:?}");
            }
        }
    }
}

/// Returns the body with each loop replaced by a labelled statement that contains its `goto`. Loops that a `break` or
/// `continue` leaves are kept.
fn without_loops(body: &[Stmt], label: &mut u32) -> Vec<Stmt> {
    let one = |stmt: &Stmt, label: &mut u32| {
        Box::new(without_loops(std::slice::from_ref(stmt), label).pop().unwrap_or(Stmt::Empty))
    };
    let mut result = Vec::new();
    for stmt in body {
        result.push(match stmt {
            Stmt::While(chance, body) | Stmt::For(chance, body) | Stmt::Do(body, chance) => {
                let inner = without_loops(body, label);
                if leaves(body, true) {
                    match stmt {
                        Stmt::Do(..) => Stmt::Do(inner, *chance),
                        _ => Stmt::While(*chance, inner),
                    }
                } else {
                    *label += 1;
                    // Different paths through the body reconverge at its end, so the `goto` is outside the body.
                    let (inner, again) = (Stmt::Block(inner), Stmt::Goto(*label));
                    let cycle = match stmt {
                        Stmt::Do(..) => Stmt::Block(vec![inner, Stmt::If(*chance, vec![again], Vec::new())]),
                        _ => Stmt::If(*chance, vec![inner, again], Vec::new()),
                    };
                    Stmt::Label(*label, Box::new(cycle))
                }
            }
            Stmt::If(chance, then, otherwise) => {
                Stmt::If(*chance, without_loops(then, label), without_loops(otherwise, label))
            }
            Stmt::Switch(paths, body) => Stmt::Switch(*paths, without_loops(body, label)),
            Stmt::Block(body) => Stmt::Block(without_loops(body, label)),
            Stmt::Case(number, inner) => Stmt::Case(*number, one(inner, label)),
            Stmt::Default(inner) => Stmt::Default(one(inner, label)),
            Stmt::Label(number, inner) => Stmt::Label(*number, one(inner, label)),
            other => other.clone(),
        });
    }
    result
}

/// Returns whether a `break` or `continue` in the body of a loop leaves this body.
fn leaves(body: &[Stmt], breaks: bool) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Break => breaks,
        Stmt::Continue => true,
        Stmt::If(_, then, otherwise) => leaves(then, breaks) || leaves(otherwise, breaks),
        Stmt::Switch(_, body) => leaves(body, false),
        Stmt::Block(body) => leaves(body, breaks),
        Stmt::Case(_, inner) | Stmt::Default(inner) | Stmt::Label(_, inner) => {
            leaves(std::slice::from_ref(inner), breaks)
        }
        _ => false,
    })
}

/// A loop and the equivalent goto cycle have the same verdicts.
#[test]
fn loop_and_equivalent_goto_cycle_have_the_same_verdicts() {
    let mut replaced = 0;
    for seed in 0..PROGRAMS {
        let body = source::body(&mut Random::new(seed));
        let mut label = 1000;
        let other = without_loops(&body, &mut label);
        replaced += label - 1000;
        let (Some(program), Some(other)) = (Program::of(&body), Program::of(&other)) else { continue };
        // A jump into or out of a loop has another meaning for a goto cycle.
        if program
            .statements
            .iter()
            .any(|it| matches!(it.kind, StatementKind::Goto(_) | StatementKind::Switch(_)))
        {
            continue;
        }
        let verdicts = |program: &Program, reads| {
            let ops = program.explore(reads, 1000).ops;
            ops.into_iter().map(|(op, it)| (op, it.implementation_defined())).collect::<Vec<_>>()
        };
        // Examples may need paths of different lengths.
        let agree = |reads| verdicts(&program, reads) == verdicts(&other, reads);
        assert!([14, 18, 22, 26].into_iter().any(agree), "seed {seed}: {}", source::text(&body, 0));
    }
    assert!(u64::from(replaced) > PROGRAMS / 2);
}
