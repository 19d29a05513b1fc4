//! The statements of the normative texts about their examples, tested for every two threads.
//!
//! **Converged** `FROM -> TO`: if two threads are converged at `FROM`, and both reach `TO` before they reach `FROM`
//! again, they are converged at `TO`. This holds for every implementation. **Free**: at this place, it is
//! implementation-defined which threads are converged, so two executions of one launch differ. At a place that is
//! neither free nor **inherited** (in a free statement), all executions are equal.
//!
//! Each execution also obeys the law of both texts that *converged-before* is a strict partial order.

use std::collections::{BTreeMap, BTreeSet};

use super::led::{Asked, Step, steps};

struct Claims {
    sample: &'static str,
    strategy: &'static str,
    converged: &'static str,
    free: &'static str,
    inherited: &'static str,
}

/// The sections *Sequential Execution* to *The noconvergent Statement* of the revised text.
const REVISED: &[Claims] = &[
    Claims {
        sample: "sequential_branch",
        strategy: "revised",
        converged: "A1 -> A2; A2 -> B1; B1 -> B2; A2 -> C; A2 -> D",
        free: "",
        inherited: "",
    },
    Claims {
        sample: "sequential_loop",
        strategy: "revised",
        converged: "A1 -> A2; A2 -> cond; A2 -> C; cond -> L1; L1 -> L2; L2 -> cond",
        free: "",
        inherited: "",
    },
    // Threads at L1 that reach `cond1` again stayed in the body: they executed `continue` or passed L3.
    Claims {
        sample: "iteration_statement",
        strategy: "revised",
        converged: "A1 -> A2; A2 -> L1; L1 -> L2; L2 -> L3; L1 -> cond1; A2 -> cond1; A2 -> C",
        free: "",
        inherited: "",
    },
    Claims {
        sample: "jump_into_loop",
        strategy: "revised",
        converged: "L3 -> L4; A -> C; A -> D; A -> B",
        free: "cond L1 L2 L3 L5",
        inherited: "L4",
    },
    Claims {
        sample: "duffs_device",
        strategy: "revised",
        converged: "A -> S; S -> C1; S -> C2; S -> C3; A -> D",
        free: "L LC2",
        inherited: "",
    },
    // G is the `goto`. The body of the loop begins with L1.
    Claims {
        sample: "simple_goto",
        strategy: "revised",
        converged: "L1 -> L2; L2 -> X; G -> X; L1 -> X; X -> L3; A -> B",
        free: "",
        inherited: "",
    },
    // Threads that jump to `case 2` and fall through are converged at C3 with threads that jump to `case 3`.
    Claims {
        sample: "simple_switch",
        strategy: "revised",
        converged: "S -> C1; S -> C2; S -> C3; C2 -> C3; A -> D",
        free: "",
        inherited: "",
    },
    Claims {
        sample: "backwards_goto",
        strategy: "revised",
        converged: "L3 -> L4; A -> C; A -> D; A -> B",
        free: "L1 L2 L3 L5 L6",
        inherited: "L4",
    },
    // At the beginning of the statement, convergence is implementation-defined; after that the usual rules hold.
    Claims {
        sample: "noconvergent",
        strategy: "revised",
        converged: "S1 -> S2; S1 -> S4; cond -> S3; S3 -> cond; A -> B",
        free: "S1",
        inherited: "S2 cond S3 S4",
    },
];

/// The examples of the draft. Its section *Divergent Jumps* also applies to examples of the revised text.
const DRAFT: &[Claims] = &[
    // The threads with a true condition reach X1, the others S4.
    Claims {
        sample: "draft_sequence",
        strategy: "tangles",
        converged: "S1 -> S2; S2 -> S3; S3 -> X1; S3 -> S4",
        free: "",
        inherited: "",
    },
    // "The candidate tangles … are S2 and S5."
    Claims {
        sample: "draft_then_else",
        strategy: "tangles",
        converged: "S1 -> S2; S2 -> S5; S1 -> S3; S3 -> S4; S3 -> S5",
        free: "S5",
        inherited: "",
    },
    // "Two sequences: one derived from S3 and the other derived from S2."
    Claims {
        sample: "draft_into_loop",
        strategy: "tangles",
        converged: "S1 -> S2; S2 -> T; S3 -> L; L -> T; T -> S3",
        free: "S3 L T",
        inherited: "",
    },
    // Threads that leave the loop by its condition reconverge after it, before the label.
    Claims {
        sample: "draft_out_of_loop",
        strategy: "tangles",
        converged: "S1 -> S2; G -> T; S2 -> T; cond -> L1; L1 -> G; L1 -> L2; L2 -> cond",
        free: "T",
        inherited: "",
    },
    // "The tangle associated with L remains distinct until the end of the smallest statement that contains both G and
    // L": in this example, the body of the function.
    Claims {
        sample: "jump_into_loop",
        strategy: "tangles",
        converged: "A -> B; L2 -> L3; L3 -> L4; L3 -> L5; L5 -> cond",
        free: "cond L1 L2 L3 L5 C D",
        inherited: "L4",
    },
    Claims {
        sample: "backwards_goto",
        strategy: "tangles",
        converged: "A -> B; L1 -> L2; L2 -> L3; L3 -> L4; L3 -> L5; L5 -> L6; L6 -> L1",
        free: "L1 L2 L3 L5 L6 C D",
        inherited: "L4",
    },
    // In this example, that statement is the body of the loop.
    Claims {
        sample: "simple_goto",
        strategy: "tangles",
        converged: "A -> cond; cond -> L1; L1 -> L2; L2 -> X; G -> X; X -> L3; L1 -> cond; A -> B",
        free: "X L3",
        inherited: "",
    },
    // "Threads that jumped to C1 do not reconverge with threads that jumped to C2, until the end of the switch
    // statement."
    Claims {
        sample: "simple_switch",
        strategy: "tangles",
        converged: "S -> C1; S -> C2; C2 -> C3; A -> D",
        free: "C3",
        inherited: "",
    },
    Claims {
        sample: "duffs_device",
        strategy: "tangles",
        converged: "A -> S; S -> C1; S -> C3; L -> LC2; A -> D",
        free: "L LC2 C2",
        inherited: "",
    },
    Claims {
        sample: "iteration_statement",
        strategy: "tangles",
        converged: "A1 -> A2; A2 -> L1; L1 -> L2; L2 -> L3; L1 -> cond1; A2 -> cond1; A2 -> C",
        free: "",
        inherited: "",
    },
];

/// The number of seeds for the policy `random`.
const SEEDS: u32 = 4;

#[test]
fn claims_of_the_revised_text_hold_for_all_thread_pairs() {
    judge(REVISED);
}

#[test]
fn claims_of_the_draft_hold_for_all_thread_pairs() {
    judge(DRAFT);
}

/// Returns all sequences of a number from 0 to 3 and five conditions. A thread uses as many conditions as it needs.
fn all_paths() -> Vec<Vec<u32>> {
    let way =
        |thread: u32| std::iter::once(thread % 4).chain((0..5).map(move |bit| ((thread / 4) >> bit) & 1));
    (0..128).map(|thread| way(thread).collect()).collect()
}

fn judge(all: &[Claims]) {
    let (mut claims, mut pairs, mut open) = (0, 0, 0);
    for of in all {
        let paths = all_paths();
        let run = |policy, seed| {
            let steps = steps(of.sample, &paths, Asked { strategy: of.strategy, policy, seed });
            is_strict_order(&steps).unwrap_or_else(|why| panic!("{} {policy}: {why}", of.sample));
            steps
        };
        let (early, must) = (run("early", 0), run("must", 0));
        let random: Vec<_> = (0..SEEDS).map(|seed| run("random", seed)).collect();
        let executions = || [&early, &must].into_iter().chain(&random);
        for claim in of.converged.split("; ") {
            let (from, to) = claim.split_once(" -> ").expect("a claim is FROM -> TO");
            for (at, execution) in executions().enumerate() {
                let held = converged(execution, from, to);
                let held = held.unwrap_or_else(|why| panic!("{} {claim}, {at}: {why}", of.sample));
                assert!(at > 0 || held > 0, "{} {claim}: no two threads are converged", of.sample);
                pairs += held;
            }
            claims += 1;
        }
        let names: BTreeSet<&str> = early.iter().flatten().map(|(name, _)| name.as_str()).collect();
        let [free, inherited] = [of.free, of.inherited].map(|it| it.split(' ').collect::<Vec<_>>());
        for name in &names {
            let [most, least] = [&early, &must].map(|it| classes(it, name));
            if free.contains(name) {
                assert!(most != least, "{} {}: {name} is not free", of.sample, of.strategy);
                open += 1;
            } else if !inherited.contains(name) {
                for (at, execution) in executions().enumerate() {
                    assert_eq!(classes(execution, name), most, "{} {}: {name}, {at}", of.sample, of.strategy);
                }
            }
        }
        let known = |name: &&str| name.is_empty() || names.contains(name);
        assert!(free.iter().chain(&inherited).all(known), "{}: no thread reaches a place", of.sample);
    }
    println!("{claims} claims hold for {pairs} pairs of instances; {open} places are implementation-defined");
}

/// Returns the number of thread pairs converged at `from` and `to`. Fails if two threads are converged only at `from`.
fn converged(threads: &[Vec<Step>], from: &str, to: &str) -> Result<usize, String> {
    // For each instance of `from`: its threads, each with the instance of `to` that it reaches next.
    let mut next: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for (thread, steps) in threads.iter().enumerate() {
        for (at, (_, instance)) in steps.iter().enumerate().filter(|(_, (name, _))| name == from) {
            let then = steps[at + 1..].iter().take_while(|(name, _)| name != from);
            if let Some((_, reached)) = then.into_iter().find(|(name, _)| name == to) {
                next.entry(*instance).or_default().insert(thread, *reached);
            }
        }
    }
    let mut held = 0;
    for reached in next.values() {
        let mut others = reached.iter();
        let Some((first, instance)) = others.next() else { continue };
        if let Some((thread, _)) = others.find(|(_, it)| *it != instance) {
            return Err(format!("threads {first} and {thread} are not converged"));
        }
        held += reached.len() * (reached.len() - 1) / 2;
    }
    Ok(held)
}

/// Returns the groups of threads that are converged at a place, each thread with the number of its earlier visits.
fn classes(threads: &[Vec<Step>], name: &str) -> BTreeSet<Vec<(usize, usize)>> {
    let mut of_instance: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (thread, steps) in threads.iter().enumerate() {
        let here = steps.iter().filter(|(node, _)| node == name);
        for (count, (_, instance)) in here.enumerate() {
            of_instance.entry(*instance).or_default().push((thread, count));
        }
    }
    of_instance.into_values().collect()
}

/// Checks that *converged-before* has no cycle. This implies that no thread is in one instance twice.
fn is_strict_order(threads: &[Vec<Step>]) -> Result<(), String> {
    let mut at = vec![0; threads.len()];
    let mut left: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, instance) in threads.iter().flatten() {
        *left.entry(*instance).or_default() += 1;
    }
    // An instance is complete when all its threads have reached it.
    loop {
        let mut here: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (thread, steps) in threads.iter().enumerate() {
            if let Some((_, instance)) = steps.get(at[thread]) {
                here.entry(*instance).or_default().push(thread);
            }
        }
        if here.is_empty() {
            return Ok(());
        }
        let over: Vec<_> = here.iter().filter(|(instance, come)| left[instance] == come.len()).collect();
        if over.is_empty() {
            return Err(format!("each of {here:?} waits for another"));
        }
        over.iter().flat_map(|(_, come)| come.iter()).for_each(|&thread| at[thread] += 1);
    }
}
