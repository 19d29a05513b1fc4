//! The traces of `convergent-operations.rst`, and its statements about the threads that execute an operation together.
//!
//! The nodes have their names in the text. Nodes with a small letter have no name there.

use tangle_referees::table::Table;
use tangle_simulate::{Policy, Strategy};

use crate::led::{Node, Rules, Shown, Step, broken_rules, steps, steps_with};

const EARLY: &[Policy] = &[Policy::Early];
const TOKENS: &[Strategy] = &[Strategy::Tokens];
/// The relations between instances that are independent of the source.
const OF_GRAPHS: &[Strategy] = &[Strategy::Tokens, Strategy::Graph];

/// A trace of the text as a table.
struct Trace {
    section: &'static str,
    nodes: &'static [Node<'static>],
    ways: &'static [&'static str],
    strategies: &'static [Strategy],
    policies: &'static [Policy],
    shown: Shown,
    table: &'static str,
}

/// *Rationales for Static rules about cycles*: the loop of the first argument, with a heart.
const WITH_HEART: &[Node] = &[
    ("A", &["B"], "  %anchor = anchor"),
    ("B", &["B", "C"], "  %loop = loop with %anchor\n  call builtin op() with %loop"),
    ("C", &[], ""),
];

/// The loop of the second argument, with its natural heart.
const NATURAL: &[Node] = &[
    ("A", &["B"], "  %anchor = anchor"),
    ("B", &["C", "D"], "  %loop = loop with %anchor"),
    ("C", &["D"], "  call builtin op1() with %loop"),
    ("D", &["E", "F"], ""),
    ("E", &["F"], "  call builtin op2() with %loop"),
    ("F", &["B", "G"], ""),
    ("G", &[], ""),
];

/// The same, but with an anchor of its own for the second operation.
const FREE: &[Node] = &[
    ("A", &["B"], "  %anchor = anchor"),
    ("B", &["C", "D"], "  %loop = loop with %anchor"),
    ("C", &["D"], "  call builtin op1() with %loop"),
    ("D", &["E", "F"], ""),
    ("E", &["F"], "  %free = anchor\n  call builtin op2() with %free"),
    ("F", &["B", "G"], ""),
    ("G", &[], ""),
];

const TWO_ITERATIONS: &[&str] = &["A B C D F B D E F G", "A B D E F B C D F G"];

/// *Loop unrolling examples*: the loop that must not be unrolled with a remainder.
const COUNTED: &[Node] = &[
    ("A", &["h"], "  %outer = anchor"),
    ("h", &["B", "C"], "  %inner = loop with %outer"),
    ("B", &["h"], "  call builtin op() with %inner"),
    ("C", &[], ""),
];

/// The result of unrolling it with a remainder.
const UNROLLED: &[Node] = &[
    ("A", &["h"], "  %outer = anchor"),
    ("h", &["B", "C"], "  %inner = loop with %outer"),
    ("B", &["h"], "  call builtin op1() with %inner\n  call builtin op2() with %inner"),
    ("C", &["D", "E"], ""),
    ("D", &["E"], "  %remainder = loop with %outer\n  call builtin op3() with %remainder"),
    ("E", &[], ""),
];

/// *Extended Cycles: Divergent Exit from a Loop*.
const EXTENDED: &[Node] = &[
    ("A", &["for"], "  %entry = entry"),
    ("for", &["B", "E"], "  %inner = loop with %entry"),
    ("B", &["C", "D"], ""),
    ("C", &["E"], "  call builtin op() with %inner"),
    ("D", &["for"], ""),
    ("E", &[], ""),
];
/// The third thread leaves with the second. The last thread leaves by the condition of the loop.
const EXITS: &[&str] = &["A for B C E", "A for B D for B C E", "A for B D for B C E", "A for B D for E"];

/// *Reductions inside divergent control flow*.
const REDUCTIONS: &[Node] = &[
    ("Entry", &["Then", "Else"], "  %entry = entry"),
    ("Then", &["End"], "  call builtin op1() with %entry"),
    ("Else", &["End"], "  call builtin op2() with %entry"),
    ("End", &[], ""),
];

/// *Unstructured control flow*, before and after jump threading.
const ORIGINAL: &[Node] = &[
    ("Entry", &["Then1", "Mid"], "  %entry = entry"),
    ("Then1", &["Mid"], ""),
    ("Mid", &["Then2", "End"], ""),
    ("Then2", &["End"], "  call builtin op() with %entry"),
    ("End", &[], ""),
];
const THREADED: &[Node] = &[
    ("Entry", &["Then1", "Then2"], "  %entry = entry"),
    ("Then1", &["Then2", "End"], ""),
    ("Then2", &["End"], "  call builtin op() with %entry"),
    ("End", &[], ""),
];
const BARRIER: &str = "
    | Thread 1 | op |
    | Thread 2 | op |
    | Thread 3 |    |
";

const TRACES: &[Trace] = &[
    Trace {
        section: "Rationales: the natural heart, nodes",
        nodes: NATURAL,
        ways: TWO_ITERATIONS,
        strategies: OF_GRAPHS,
        policies: EARLY,
        shown: Shown::Nodes,
        table: "
            | Thread 1 | A | B | C | D |   | F | B |   | D | E | F | G |
            | Thread 2 | A | B |   | D | E | F | B | C | D |   | F | G |
        ",
    },
    // Statements 1 to 4 about `%loop(i;j)` and `@op.k(i)`.
    Trace {
        section: "Rationales: the natural heart, operations",
        nodes: NATURAL,
        ways: TWO_ITERATIONS,
        strategies: TOKENS,
        policies: EARLY,
        shown: Shown::Operations,
        table: "
            | Thread 1 | anchor | loop1 | op1 |     | loop2 |     | op2 |
            | Thread 2 | anchor | loop1 |     | op2 | loop2 | op1 |     |
        ",
    },
    // "Whether @op.2(1) == @op.2(2) is implementation-defined because of the use of the %free anchor … In practice,
    // they almost certainly have to be non-converged": no policy makes instances of different iterations converged.
    Trace {
        section: "Rationales: a free anchor",
        nodes: FREE,
        ways: TWO_ITERATIONS,
        strategies: TOKENS,
        policies: EARLY,
        shown: Shown::Operations,
        table: "
            | Thread 1 | anchor | loop1 | op1 |       |     | loop2 |     | free2 | op2 |
            | Thread 2 | anchor | loop1 |     | free1 | op2 | loop2 | op1 |       |     |
        ",
    },
    Trace {
        section: "Loop unrolling: 3 and 4 iterations, nodes",
        nodes: COUNTED,
        ways: &["A h B h B h B h C", "A h B h B h B h B h C"],
        strategies: OF_GRAPHS,
        policies: EARLY,
        shown: Shown::Nodes,
        table: "
            | Thread 1 | A | B | B | B |   | C |
            | Thread 2 | A | B | B | B | B | C |
        ",
    },
    // The heart is in the header, which threads reach once more than the body.
    Trace {
        section: "Loop unrolling: 3 and 4 iterations, operations",
        nodes: COUNTED,
        ways: &["A h B h B h B h C", "A h B h B h B h B h C"],
        strategies: TOKENS,
        policies: EARLY,
        shown: Shown::Operations,
        table: "
            | Thread 1 | outer | inner1 | op1 | inner2 | op2 | inner3 | op3 | inner4 |     |        |
            | Thread 2 | outer | inner1 | op1 | inner2 | op2 | inner3 | op3 | inner4 | op4 | inner5 |
        ",
    },
    // In the trace, thread 2 reaches D. A thread with 4 iterations does not, because its counter is 0 at C; a thread
    // with 5 does. Both cases follow.
    Trace {
        section: "Loop unrolling: the remainder as the trace has it, nodes",
        nodes: UNROLLED,
        ways: &["A h B h C D E", "A h B h B h C D E"],
        strategies: OF_GRAPHS,
        policies: EARLY,
        shown: Shown::Nodes,
        table: "
            | Thread 1 | A | B |   | C | D | E |
            | Thread 2 | A | B | B | C | D | E |
        ",
    },
    Trace {
        section: "Loop unrolling: the remainder as the trace has it, operations",
        nodes: UNROLLED,
        ways: &["A h B h C D E", "A h B h B h C D E"],
        strategies: TOKENS,
        policies: EARLY,
        shown: Shown::Operations,
        table: "
            | Thread 1 | outer | inner | op1 | op2 | inner |     |     |       | remainder | op3 |
            | Thread 2 | outer | inner | op1 | op2 | inner | op1 | op2 | inner | remainder | op3 |
        ",
    },
    // The third iteration of the loop: thread 1 is at `op3`, thread 2 at its second `op1`.
    Trace {
        section: "Loop unrolling: the remainder after 3 and 4 iterations",
        nodes: UNROLLED,
        ways: &["A h B h C D E", "A h B h B h C E"],
        strategies: TOKENS,
        policies: EARLY,
        shown: Shown::Operations,
        table: "
            | Thread 1 | outer | inner | op1 | op2 | inner | remainder | op3 |     |     |       |
            | Thread 2 | outer | inner | op1 | op2 | inner |           |     | op1 | op2 | inner |
        ",
    },
    // The region of the heart's token contains C: threads that left in one iteration stay together (*Temporal
    // Divergence at Cycle Exit*).
    Trace {
        section: "Extended Cycles: by tokens",
        nodes: EXTENDED,
        ways: EXITS,
        strategies: TOKENS,
        policies: Policy::ALL,
        shown: Shown::Nodes,
        table: "
            | Thread 1 | A | B | C |   |   |   | E |
            | Thread 2 | A | B |   | D | B | C | E |
            | Thread 3 | A | B |   | D | B | C | E |
            | Thread 4 | A | B |   | D |   |   | E |
        ",
    },
    Trace {
        section: "Extended Cycles: all that take the exit, if there were no tokens",
        nodes: EXTENDED,
        ways: EXITS,
        strategies: &[Strategy::Graph],
        policies: Policy::ALL,
        shown: Shown::Nodes,
        table: "
            | Thread 1 | A | B |   |   | C | E |
            | Thread 2 | A | B | D | B | C | E |
            | Thread 3 | A | B | D | B | C | E |
            | Thread 4 | A | B | D |   |   | E |
        ",
    },
    Trace {
        section: "Reductions inside divergent control flow",
        nodes: REDUCTIONS,
        ways: &["Entry Then End", "Entry Else End", "Entry Then End", "Entry Else End"],
        strategies: OF_GRAPHS,
        policies: Policy::ALL,
        shown: Shown::Operations,
        table: "
            | Thread 1 | op1 |     |
            | Thread 2 |     | op2 |
            | Thread 3 | op1 |     |
            | Thread 4 |     | op2 |
        ",
    },
    Trace {
        section: "Unstructured control flow: original",
        nodes: ORIGINAL,
        ways: &["Entry Then1 Mid Then2 End", "Entry Mid Then2 End", "Entry Then1 Mid End"],
        strategies: OF_GRAPHS,
        policies: Policy::ALL,
        shown: Shown::Operations,
        table: BARRIER,
    },
    Trace {
        section: "Unstructured control flow: jumps threaded",
        nodes: THREADED,
        ways: &["Entry Then1 Then2 End", "Entry Then2 End", "Entry Then1 End"],
        strategies: OF_GRAPHS,
        policies: Policy::ALL,
        shown: Shown::Operations,
        table: BARRIER,
    },
];

#[test]
fn traces_of_the_spec_match_cell_by_cell() {
    let (mut traces, mut cells, mut refused) = (0, 0, 0);
    for Trace { section, nodes, ways, strategies, policies, shown, table } in TRACES {
        let table = Table::read(table);
        for &strategy in *strategies {
            for &policy in *policies {
                let steps = steps(nodes, ways, Rules::by(strategy, policy), *shown);
                let compared = table.compare(&steps).unwrap_or_else(|why| panic!("{section}: {why}"));
                assert_eq!(compared, table.cells(), "{section}");
                for wrong in table.with_one_wrong_cell() {
                    assert!(wrong.compare(&steps).is_err(), "{section}: {wrong:?}");
                    refused += 1;
                }
            }
        }
        traces += 1;
        cells += table.cells();
    }
    println!("{traces} traces, {cells} cells; {refused} traces with one wrong cell are refused");
    assert_eq!((traces, cells), (13, 162));
}

fn by_tokens(policy: Policy) -> Rules {
    Rules::by(Strategy::Tokens, policy)
}

/// The steps of a thread at one node, in order.
fn at<'a>(steps: &'a [Step], name: &str) -> Vec<&'a Step> {
    steps.iter().filter(|(node, _)| node == name).collect()
}

/// "WARNING: Example of incorrect convergence control!" Such a graph is not executed.
#[test]
fn incorrect_convergence_control_is_rejected() {
    // "This code is forbidden by the first static rule about cycles."
    let without_heart: &[Node] = &[
        ("A", &["B"], "  %anchor = anchor"),
        ("B", &["B", "C"], "  call builtin op() with %anchor"),
        ("C", &[], ""),
    ];
    // "Consider the following loop, again with incorrect convergence control."
    let two_operations: &[Node] = &[
        ("A", &["B"], "  %anchor = anchor"),
        ("B", &["C", "D"], ""),
        ("C", &["D"], "  call builtin op1() with %anchor"),
        ("D", &["E", "F"], ""),
        ("E", &["F"], "  call builtin op2() with %anchor"),
        ("F", &["B", "G"], ""),
        ("G", &[], ""),
    ];
    // "However, loop heart intrinsics could be inserted differently": the text mentions it, but its fourth rule
    // requires hearts in headers.
    let unnatural: &[Node] = &[
        ("A", &["B"], "  %anchor = anchor"),
        ("B", &["C", "D"], ""),
        ("C", &["D"], "  %loop = loop with %anchor\n  call builtin op1() with %loop"),
        ("D", &["E", "F"], ""),
        ("E", &["F"], "  %free = anchor\n  call builtin op2() with %free"),
        ("F", &["B", "G"], ""),
        ("G", &[], ""),
    ];
    // "An equivalent issue arises if the convergent operations are replaced by nested loops."
    let nested: &[Node] = &[
        ("A", &["B"], "  %anchor = anchor"),
        ("B", &["C", "D"], ""),
        ("C", &["C", "D"], "  %loop1 = loop with %anchor"),
        ("D", &["E", "F"], ""),
        ("E", &["E", "F"], "  %loop2 = loop with %anchor"),
        ("F", &["B", "G"], ""),
        ("G", &[], ""),
    ];
    assert!(broken_rules(without_heart).contains(&"use-in-cycle"));
    assert!(broken_rules(two_operations).contains(&"use-in-cycle"));
    assert_eq!(broken_rules(unnatural), ["heart-dominates"]);
    assert!(broken_rules(nested).contains(&"one-use-in-cycle"));
    for nodes in [WITH_HEART, NATURAL, FREE, COUNTED, UNROLLED, EXTENDED, REDUCTIONS, ORIGINAL, THREADED] {
        assert!(broken_rules(nodes).is_empty(), "{nodes:?}");
    }
}

/// "I1 == J1 … and then I2 == J2 … I1 != J2 and I2 != J1."
#[test]
fn loop_heart_separates_iterations() {
    let table = Table::read(
        "
        | Thread 1 | anchor | loop1 | I1 | loop2 | I2 |
        | Thread 2 | anchor | loop1 | J1 | loop2 | J2 |
        ",
    );
    let mut steps = steps(WITH_HEART, &["A B B C", "A B B C"], by_tokens(Policy::Early), Shown::Operations);
    for (thread, name) in steps.iter_mut().zip(["I", "J"]) {
        thread.iter_mut().filter(|(node, _)| node == "op").for_each(|step| step.0 = name.to_owned());
    }
    assert_eq!(table.compare(&steps), Ok(10));
    // The implementation chooses the threads with converged instances of the anchor. The rest follows from that choice.
    let alone = self::steps(WITH_HEART, &["A B B C", "A B B C"], by_tokens(Policy::Must), Shown::Operations);
    assert!(alone[0].iter().all(|step| !alone[1].contains(step)), "{alone:?}");
}

/// A free anchor never gives one token to threads that reach it in different iterations, whatever the random choices
/// are.
#[test]
fn free_anchor_never_converges_different_iterations() {
    for choices in 0..40 {
        let asked = Rules { choices, ..by_tokens(Policy::Random) };
        let steps = steps(FREE, TWO_ITERATIONS, asked, Shown::Operations);
        let first = at(&steps[0], "anchor") == at(&steps[1], "anchor");
        assert_eq!(at(&steps[0], "loop") == at(&steps[1], "loop"), first);
        assert!(at(&steps[0], "op2") != at(&steps[1], "op2"));
    }
}

/// *Opportunistic convergent operations*: any threads may take part, but both operations must have the same set of
/// threads.
#[test]
fn operations_of_an_anchor_have_the_same_threads() {
    let nodes: &[Node] = &[
        ("Entry", &["Call", "End"], ""),
        ("Call", &["End"], "  call @reserveSpaceInBuffer(%l)"),
        ("End", &[], ""),
    ];
    // The first of the threads takes the branch to `then`.
    let called = "\
function reserveSpaceInBuffer(%index: int) {
entry:
  %anchor = anchor
  call builtin op1() with %anchor
  %isFirstThread = lt %index, 1
  branch %isFirstThread, then, end
then:
  jump end
end:
  call builtin op2() with %anchor
  return
}
";
    let ways = ["Entry Call End", "Entry Call End", "Entry End", "Entry Call End", "Entry Call End"];
    let callers = [0, 1, 3, 4];
    let (mut together, mut apart) = (0, 0);
    let dice = (0..40).map(|choices| Rules { choices, ..by_tokens(Policy::Random) });
    for asked in [by_tokens(Policy::Early), by_tokens(Policy::Must)].into_iter().chain(dice) {
        let steps = steps_with(nodes, called, &ways, asked, Shown::Operations);
        assert!(steps[2].is_empty());
        for (a, b) in callers.iter().flat_map(|&a| callers.map(|b| (a, b))).filter(|(a, b)| a < b) {
            let same = |name: &str| at(&steps[a], name) == at(&steps[b], name);
            assert!(same("op1") == same("anchor") && same("op2") == same("anchor"), "{steps:?}");
            if same("anchor") { together += 1 } else { apart += 1 }
        }
    }
    assert!(together > 6 && apart > 6, "{together} together, {apart} apart");
}

/// `llvm.experimental.convergence.entry`: "Two threads execute converged dynamic instances of this intrinsic if and
/// only if both threads entered the function by executing converged dynamic instances of the call-site." So inlining
/// does not change the instances.
#[test]
fn entry_has_the_threads_of_its_call_site() {
    let caller = |inside| {
        let a: Node = ("A", &["h"], "  %outer = anchor");
        vec![a, ("h", &["B", "C"], "  %inner = loop with %outer"), ("B", &["h"], inside), ("C", &[], "")]
    };
    let called = "\
function callee() convergent {
entry:
  %tok = entry
  call builtin op() with %tok
  return
}
";
    let table = Table::read(
        "
        | Thread 1 | outer | inner | op | inner | op | inner | op | inner |    |       |
        | Thread 2 | outer | inner | op | inner | op | inner | op | inner | op | inner |
        ",
    );
    let ways = ["A h B h B h B h C", "A h B h B h B h B h C"];
    let asked = by_tokens(Policy::Early);
    let before = steps_with(&caller("  call @callee() with %inner"), called, &ways, asked, Shown::Operations);
    let after = steps(&caller("  call builtin op() with %inner"), &ways, asked, Shown::Operations);
    assert_eq!(table.compare(&before), Ok(18));
    assert_eq!(table.compare(&after), Ok(18));
}

/// *Loop unrolling*, with an anchor in the loop: "all threads with an odd trip count are now likely to execute the
/// convergent operation in their respective final iterations together".
#[test]
fn remainder_with_its_own_anchor_may_converge_threads() {
    let nodes: &[Node] = &[
        ("A", &["h"], ""),
        ("h", &["B", "i"], ""),
        (
            "B",
            &["h"],
            "  %tok = anchor\n  call builtin op1() with %tok\n  %too = anchor\n  call builtin op2() with %too",
        ),
        ("i", &["C", "D"], ""),
        ("C", &["i"], "  %tail = anchor\n  call builtin op3() with %tail"),
        ("D", &[], ""),
    ];
    assert!(broken_rules(nodes).is_empty());
    let ways = ["A h B h i C i D", "A h B h B h i D", "A h B h B h i C i D"];
    let of_policy = |policy| steps(nodes, &ways, by_tokens(policy), Shown::Operations);
    let early = of_policy(Policy::Early);
    assert!(at(&early[0], "op3") == at(&early[2], "op3") && at(&early[1], "op3").is_empty());
    // There is no guarantee, as before unrolling.
    let must = of_policy(Policy::Must);
    assert!(must[0].iter().all(|step| !must[2].contains(step)));
}

/// *Hoisting and sinking*: an anchor that is sunk into a loop may have another set of threads in each iteration.
#[test]
fn anchor_in_loop_may_change_threads_in_each_iteration() {
    let inside: &[Node] = &[
        ("A", &["h"], ""),
        ("h", &["B", "C"], ""),
        ("B", &["h"], "  %tok = anchor\n  call builtin op() with %tok"),
        ("C", &[], ""),
    ];
    let ways = ["A h B h B h B h C"; 2];
    // Whether the two threads are converged, in each iteration.
    let together = |nodes: &[Node], choices| {
        let asked = Rules { choices, ..by_tokens(Policy::Random) };
        let steps = steps(nodes, &ways, asked, Shown::Operations);
        let [a, b] = [at(&steps[0], "op"), at(&steps[1], "op")];
        assert_eq!((a.len(), b.len()), (3, 3));
        a.iter().zip(b).map(|(a, b)| *a == b).collect::<Vec<bool>>()
    };
    let changes = |nodes: &[Node]| {
        (0..40)
            .filter(|&choices| {
                !matches!(together(nodes, choices)[..], [true, true, true] | [false, false, false])
            })
            .count()
    };
    assert_eq!(changes(COUNTED), 0);
    assert!(changes(inside) > 0);
}

/// *Hoisting and sinking*: anchors that are hoisted out of both branches. "The behavior is unchanged, since each of the
/// static convergent operations only ever communicates with threads that have the same `condition` value."
#[test]
fn hoisting_anchors_in_acyclic_graph_keeps_behavior() {
    let inside: &[Node] = &[
        ("A", &["B", "C"], ""),
        ("B", &["D"], "  %tok1 = anchor\n  call builtin op1() with %tok1"),
        ("C", &["D"], "  %tok2 = anchor\n  call builtin op2() with %tok2"),
        ("D", &[], ""),
    ];
    let hoisted: &[Node] = &[
        ("A", &["B", "C"], "  %tok = anchor"),
        ("B", &["D"], "  call builtin op1() with %tok"),
        ("C", &["D"], "  call builtin op2() with %tok"),
        ("D", &[], ""),
    ];
    let table = Table::read(
        "
        | Thread 1 | op1 |     |
        | Thread 2 |     | op2 |
        | Thread 3 | op1 |     |
        | Thread 4 |     | op2 |
        ",
    );
    let ways = ["A B D", "A C D", "A B D", "A C D"];
    for nodes in [inside, hoisted] {
        assert!(broken_rules(nodes).is_empty());
        let mut steps = steps(nodes, &ways, by_tokens(Policy::Early), Shown::Operations);
        steps.iter_mut().for_each(|thread| thread.retain(|(name, _)| name.starts_with("op")));
        assert_eq!(table.compare(&steps), Ok(4));
    }
}
