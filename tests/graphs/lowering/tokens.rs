//! In samples without extended cycles, the tokens placed from the source equal the tokens inferred from the graph.

use std::path::Path;

use rayon::prelude::*;

use super::tools::{lower, run};

/// Samples where a convergent operation outside the cycle of its loop keeps the loop's token. The graph does not show
/// it.
const EXTENDED: &[&str] = &[
    "defined/loop_until_all_agree.cl",
    "divergent-barrier/bad_helpers_and_pointers.cl",
    "divergent-barrier/bad_variables_through_branches.cl",
    "divergent-barrier/bad_variables_through_loops.cl",
    "divergent-barrier/fine_variables_through_loops.cl",
    "lowering/divergent_exit.cl",
    "models/left_at_different_iterations.cl",
    "relatedness/branch_order.cl",
    "subgroup-operation-before-break/bad.cl",
    "subgroup-operation-before-break/fine.cl",
    "thread-tables/divergent_exit.cl",
    "thread-tables/draft_out_of_loop.cl",
];

/// Samples with statements marked `noconvergent`. The graph does not show the mark.
const LEFT_OPEN: &[&str] =
    &["functions/unreachable_operation.cl", "models/noconvergent.cl", "thread-tables/noconvergent.cl"];

#[test]
fn placed_and_inferred_tokens_match_without_extended_cycles() {
    let samples = super::llvm::samples();
    assert!(samples.len() > 250);
    let wrong: Vec<String> = samples
        .par_iter()
        .filter_map(|(folder, name, options)| {
            let flow = |tokens: &str| {
                let mut command =
                    lower(folder, &["--emit", "flow", "--tokens", tokens, "--irreducible", "anchor"]);
                run(command.args(options).arg(name)).ok()
            };
            let (placed, inferred) = (flow("placed")?, flow("infer")?);
            let key = format!("{}/{name}", Path::new(folder).file_name()?.to_str()?);
            let listed = EXTENDED.contains(&key.as_str()) || LEFT_OPEN.contains(&key.as_str());
            match placed == inferred {
                true if listed => {
                    Some(format!("{key} is listed, but its placed and inferred tokens are equal"))
                }
                false if !listed => Some(format!("{key}: placed and inferred tokens differ")),
                _ => None,
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
