//! The thread tables of the revised text.

use tangle_referees::table::Table;

use super::led::{Asked, steps};

struct Example {
    section: &'static str,
    sample: &'static str,
    /// The strategies for which the table holds.
    strategies: &'static [&'static str],
    /// The conditions of each thread, which lead it along the path of its row.
    paths: [&'static [u32]; 2],
    table: &'static str,
}

const OF_SOURCE: &[&str] = &["tangles", "revised", "tokens"];

const EXAMPLES: &[Example] = &[
    Example {
        section: "Ambiguity in a Simplified CFG: loop_continue()",
        sample: "loop_continue",
        strategies: OF_SOURCE,
        // The inputs are cond1 and, where it is false, cond2. Thread 1 takes the first `continue`, thread 2 the second.
        paths: [&[1, 0, 0], &[0, 1, 0, 0]],
        table: "
            |          | 1  | 2  | 3  | 4  | 5  | 6  |
            | Thread 1 | A1 | B1 |    | B3 | C1 | D1 |
            | Thread 2 | A2 | B2 | C2 | B4 | C3 | D2 |
        ",
    },
    Example {
        section: "Ambiguity in a Simplified CFG: loop_nest()",
        sample: "loop_nest",
        strategies: OF_SOURCE,
        paths: [&[1, 0, 0], &[0, 1, 0, 0]],
        table: "
            |          | 1  | 2  | 3  | 4  | 5  | 6  | 7  |
            | Thread 1 | A1 | B1 | B3 | C1 |    |    | D1 |
            | Thread 2 | A2 | B2 |    | C2 | B4 | C3 | D2 |
        ",
    },
    Example {
        section: "Divergent Loop Exits: the source",
        sample: "divergent_exit",
        strategies: OF_SOURCE,
        paths: [&[1], &[0, 1]],
        table: "
            |          | 1  | 2  | 3  | 4  | 5  | 6  |
            | Thread 1 | A1 | B1 |    | C1 |    | D1 |
            | Thread 2 | A2 | B2 | B4 |    | C2 | D2 |
        ",
    },
    Example {
        section: "Divergent Loop Exits: what LLVM makes of it",
        sample: "divergent_exit",
        strategies: &["graph"],
        paths: [&[1], &[0, 1]],
        table: "
            |          | 1  | 2  | 3  | 4  | 5  |
            | Thread 1 | A1 | B1 |    | C1 | D1 |
            | Thread 2 | A2 | B2 | B4 | C2 | D2 |
        ",
    },
];

#[test]
fn executions_match_every_cell_of_the_thread_tables() {
    let (mut tables, mut cells, mut refused) = (0, 0, 0);
    for Example { section, sample, strategies, paths, table } in EXAMPLES {
        let table = Table::read(table);
        let paths = paths.map(<[u32]>::to_vec);
        for &strategy in *strategies {
            for policy in ["early", "must", "random"] {
                let steps = steps(sample, &paths, Asked { strategy, policy, seed: 0 });
                let compared = table.compare(&steps);
                let compared =
                    compared.unwrap_or_else(|why| panic!("{section}, {strategy}, {policy}: {why}"));
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
    assert_eq!((tables, cells), (4, 40));
}
