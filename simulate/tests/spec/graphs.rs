//! The thread tables of `convergence-and-uniformity.rst`, unchanged.

use tangle_referees::table::Table;
use tangle_simulate::{Policy, Strategy};

use crate::led::{Node, Rules, Shown, columns, steps};

/// A table, with the graph of its figure.
struct Example {
    section: &'static str,
    nodes: &'static [Node<'static>],
    /// The paths of the threads where the table has `...`.
    left_out: &'static [&'static [&'static str]],
    table: &'static str,
}

/// The figure of *Threads and Dynamic Instances*.
const NATURAL_LOOP: &[Node] = &[
    ("Entry", &["H"], ""),
    ("H", &["B", "L"], ""),
    ("B", &["L"], ""),
    ("L", &["H", "Exit"], ""),
    ("Exit", &[], ""),
];

/// A graph that lets threads take the steps of the table of *Convergence*. `W` and `Y` are the nodes that the table
/// leaves out: thread 3 does not reach `Exit`.
const ORDER: &[Node] = &[
    ("Entry", &["W"], ""),
    ("W", &["P", "Q", "S"], ""),
    ("P", &["Q"], "  %px = neg %l"),
    ("Q", &["R", "Y"], ""),
    ("R", &["S"], "  %rx = neg %l"),
    ("S", &["T", "Y"], ""),
    ("T", &["Y"], "  %tx = neg %l"),
    ("Y", &["Exit", "Left"], ""),
    ("Exit", &[], ""),
    ("Left", &[], ""),
];

/// The graph of all figures about irreducible cycles. Of the entries `P` and `R`, the one that `Entry` names last is a
/// header, because the search of LLVM visits it first. If it is `R`, there is an inner cycle with header `S`.
const HEADER_R: &[Node] = &[("Entry", &["P", "R"], ""), P, Q, R, S, ("Exit", &[], "")];
const HEADER_P: &[Node] = &[("Entry", &["R", "P"], ""), P, Q, R, S, ("Exit", &[], "")];
const P: Node = ("P", &["Q"], "");
const Q: Node = ("Q", &["R", "S"], "");
const R: Node = ("R", &["S"], "");
const S: Node = ("S", &["P", "Exit"], "");

const EXAMPLES: &[Example] = &[
    Example {
        section: "Threads and Dynamic Instances",
        nodes: NATURAL_LOOP,
        left_out: &[&[]],
        table: "
            |          |        | 1   | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 9   |      |
            | Thread 1 | Entry1 | H1  | B1  | L1  | H3  |     | L3  |     |     |     | Exit |
            | Thread 2 | Entry1 | H2  |     | L2  | H4  | B2  | L4  | H5  | B3  | L5  | Exit |
        ",
    },
    Example { section: "Convergence", nodes: ORDER, left_out: &[ORDER_LEFT_OUT], table: ORDER_TABLE },
    Example {
        section: "Maximal Convergence",
        nodes: NATURAL_LOOP,
        left_out: &[&[]],
        table: "
            |          |        | 1   | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 9   |      |
            | Thread 1 | Entry1 | H1  | B1  | L1  | H3  |     | L3  |     |     |     | Exit |
            | Thread 2 | Entry2 | H2  |     | L2  | H4  | B2  | L4  | H5  | B3  | L5  | Exit |
        ",
    },
    Example {
        section: "Dependence on Cycles Headers: headers R and S",
        nodes: HEADER_R,
        left_out: &[&[]],
        table: "
            |         | 1     | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 10   |
            | Thread1 | Entry | P1  | Q1  | S1  | P3  | Q3  | R1  | S2  | Exit |
            | Thread2 | Entry | P2  | Q2  |     |     |     | R2  | S3  | Exit |
            | Thread3 | Entry |     |     |     |     |     | R3  | S4  | Exit |
        ",
    },
    Example {
        section: "Divergent Branch inside a Cycle: R is the header",
        nodes: HEADER_R,
        left_out: &[&["Q S"], &["Q R S"], &["Q S P Q S"], &["Q R S P Q R S"]],
        table: "
            |         | 1     | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 9   | 10  | 11   |
            | Thread1 | Entry | P1  | Q1  |     |     |     | R1  | S1  | P3  | ... | Exit |
            | Thread2 | Entry | P2  | Q2  | S2  | P4  | Q4  | R2  | S4  |     |     | Exit |
        ",
    },
    Example {
        section: "Divergent Branch inside a Cycle: P is the header",
        nodes: HEADER_P,
        left_out: &[&[]],
        table: "
            |         | 1     | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 9   | 10   |
            | Thread1 | Entry | P1  | Q1  | R1  | S1  | P3  | Q3  | R3  | S3  | Exit |
            | Thread2 | Entry | P2  | Q2  |     | S2  | P4  | Q4  | R2  | S4  | Exit |
        ",
    },
    // In both tables of this section, thread 2 has two instances `S2`. One name is wrong, because a thread executes
    // each instance only once.
    Example {
        section: "Diverged Paths reaching a Cycle: P is the header",
        nodes: HEADER_P,
        left_out: &[&[]],
        table: "
            |         | 1     | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 9   | 10  | 11  | 12  | 13   |
            | Thread1 | Entry |     |     |     | P1  | Q1  | R1  | S1  | P3  | Q3  |     | S3  | Exit |
            | Thread2 | Entry |     | R2  | S2  | P2  | Q2  |     | S2  | P4  | Q4  | R3  | S4  | Exit |
        ",
    },
    Example {
        section: "Diverged Paths reaching a Cycle: R is the header",
        nodes: HEADER_R,
        left_out: &[&["Q S"], &["Q R S"], &["Q S P Q S"], &["Q R S P Q S"]],
        table: "
            |         | 1     | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 9   | 10  | 11  | 12   |
            | Thread1 | Entry |     | P1  | Q1  | R1  | S1  | P3  | Q3  | S3  |     |     | Exit |
            | Thread2 | Entry |     |     |     | R2  | S2  | P2  | Q2  | S2  | P4  | ... | Exit |
        ",
    },
];

const ORDER_LEFT_OUT: &[&str] = &["W", "Y", "W", "Y", "W", "Y Left"];
const ORDER_TABLE: &str = "
    |          | 1     | 2   | 3   | 4   | 5   | 6   | 7   | 8   | 9    |
    | Thread 1 | Entry | ... |     |     |     | S2  | T   | ... | Exit |
    | Thread 2 | Entry | ... |     | Q2  | R   | S1  |     | ... | Exit |
    | Thread 3 | Entry | ... | P   | Q1  |     |     |     | ... |      |
";

#[test]
fn thread_tables_of_the_spec_match_in_every_cell() {
    let (mut tables, mut cells, mut refused) = (0, 0, 0);
    for Example { section, nodes, left_out, table } in EXAMPLES {
        let table = Table::read(table);
        for left_out in *left_out {
            let ways = table.paths(left_out);
            let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
            // Without tokens, both strategies give the same result.
            for strategy in [Strategy::Graph, Strategy::Tokens] {
                let steps = steps(nodes, &ways, Rules::by(strategy, Policy::Early), Shown::Nodes);
                let compared = table.compare(&steps).unwrap_or_else(|why| panic!("{section}: {why}"));
                assert_eq!(compared, table.cells(), "{section}");
                for wrong in table.with_one_wrong_cell() {
                    assert!(wrong.compare(&steps).is_err(), "{section}: {wrong:?}");
                    refused += 1;
                }
            }
        }
        tables += 1;
        cells += table.cells();
    }
    println!("{tables} tables, {cells} cells; {refused} tables with one wrong cell are refused");
    assert_eq!((tables, cells), (8, 137));
}

/// The edges of *convergence-before* that the text derives from the table of *Convergence*.
#[test]
fn convergence_before_orders_the_steps() {
    let table = Table::read(ORDER_TABLE);
    let ways = table.paths(ORDER_LEFT_OUT);
    let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
    let asked = Rules::by(Strategy::Graph, Policy::Early);
    let threads = steps(ORDER, &ways, asked, Shown::Nodes);
    let instance = |thread: usize, name: &str| {
        threads[thread - 1].iter().find(|(node, _)| node == name).expect("the path contains it").1
    };
    // By the three rules: along the steps of each thread, from one instance to the next.
    let before = |from: u32, to: u32| {
        let (mut reached, mut todo) = (Vec::new(), vec![from]);
        while let Some(at) = todo.pop() {
            let pairs = threads.iter().flat_map(|steps| steps.windows(2));
            for pair in pairs.filter(|pair| pair[0].1 == at) {
                if !reached.contains(&pair[1].1) {
                    reached.push(pair[1].1);
                    todo.push(pair[1].1);
                }
            }
        }
        reached.contains(&to)
    };
    let edges = [((3, "P"), (2, "Q")), ((3, "Q"), (2, "R")), ((3, "P"), (2, "R")), ((3, "P"), (1, "T"))];
    for (from, to) in edges {
        let (earlier, later) = (instance(from.0, from.1), instance(to.0, to.1));
        assert!(before(earlier, later) && !before(later, earlier), "{from:?} -> {to:?}");
    }

    // The thread tables that `tangle simulate` shows preserve them.
    let shown = columns(ORDER, &ways, asked);
    let column = |name: &str| shown.iter().position(|it| it == name).expect("it has a column");
    for (from, to) in edges {
        assert!(column(from.1) < column(to.1), "{shown:?}");
    }
}
