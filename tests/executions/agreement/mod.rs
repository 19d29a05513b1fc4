//! Tokens, and executions by the rules of the source, agree with the tangles in both models (`docs/semantics.md` §11).
//!
//! `tangle_referees::random::source` makes random kernels, and `derivation` executes their text by the rules of
//! `docs/semantics.md` §2 and §3. `judge` executes the lowered kernels with `tangle-simulate`, and compares which
//! threads take part together. The incorrect token placements of `wrong` must be detected.
//! `TANGLE_PROGRAMS` sets the number of programs, `TANGLE_SEED` the first seed.

mod judge;
mod wrong;

use rayon::prelude::*;
use tangle_analysis::flow::module::Irreducible;
use tangle_referees::random::source;
use tangle_simulate::Random;

use judge::{Compared, Language, compare};
use tangle_referees::random::source::{Chance, Stmt};
use wrong::MISTAKES;

const MODES: [Irreducible; 3] = [Irreducible::Auto, Irreducible::Anchor, Irreducible::Dispatch];

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

fn contradiction(language: Language, body: &[Stmt], seed: u64) -> Option<Result<Compared, String>> {
    let mut all = Compared::default();
    for mode in MODES {
        match compare(language, body, seed as u32, mode, &|_| true)? {
            Ok(compared) => {
                all.instances += compared.instances;
                all.strictly += compared.strictly;
                all.in_all += compared.in_all;
            }
            Err(why) => return Some(Err(format!("{mode:?}: {why}"))),
        }
    }
    Some(Ok(all))
}

/// Shrinks a failing program, and returns the error of the smallest one that still fails.
fn least(language: Language, mut body: Vec<Stmt>, seed: u64) -> String {
    let mut why = String::new();
    loop {
        let smaller = source::smaller(&body).into_iter().find_map(|smaller| {
            let found = contradiction(language, &smaller, seed)?.err()?;
            Some((smaller, found))
        });
        match smaller {
            Some((smaller, found)) => (body, why) = (smaller, found),
            None => return why,
        }
    }
}

#[test]
fn convergence_tokens_agree_with_tangles() {
    agree(Language::OpenCl, number("TANGLE_PROGRAMS", tangle_referees::of_all(2000)));
}

#[test]
fn convergence_tokens_agree_with_tangles_in_cuda() {
    agree(Language::Cuda, number("TANGLE_PROGRAMS", tangle_referees::of_all(1000)));
}

fn agree(language: Language, count: u64) {
    let first = number("TANGLE_SEED", 0);
    let results: Vec<(u64, Option<Result<Compared, String>>)> = (first..first + count)
        .into_par_iter()
        .map(|seed| (seed, contradiction(language, &source::body(&mut Random::new(seed)), seed)))
        .collect();
    let mut programs = 0;
    let mut all = Compared::default();
    let mut failed = Vec::new();
    for (seed, result) in results {
        match result {
            None => {}
            Some(Ok(compared)) => {
                programs += 1;
                all.instances += compared.instances;
                all.strictly += compared.strictly;
                all.in_all += compared.in_all;
            }
            Some(Err(why)) => {
                println!("seed {seed}: {}", why.lines().next().unwrap_or_default());
                failed.push(seed);
            }
        }
    }
    let Compared { instances, strictly, in_all } = all;
    println!(
        "{programs} programs, {instances} instances, {strictly} compared strictly ({in_all} by all strategies and models), {} failed",
        failed.len()
    );
    if let Some(&seed) = failed.first() {
        panic!("seed {seed} ({failed:?}): {}", least(language, source::body(&mut Random::new(seed)), seed));
    }
    assert!(programs * 10 > count * 9, "too few programs can be lowered");
    assert!(strictly * 3 > instances, "too few operations are compared strictly");
}

#[test]
fn wrong_token_placements_are_detected() {
    for (name, mistake) in MISTAKES {
        let caught = (0..4000).find(|&seed| {
            let body = source::body(&mut Random::new(seed));
            compare(Language::OpenCl, &body, seed as u32, Irreducible::Auto, &mistake)
                .is_some_and(|it| it.is_err())
        });
        let caught = caught.unwrap_or_else(|| panic!("{name}: not found out"));
        println!("{name}: found out by program {caught}");
    }
}

/// The program of `docs/semantics.md` §11: in each iteration of the goto cycle, threads that return belong to its
/// tangle.
#[test]
fn threads_that_leave_a_goto_cycle_belong_to_its_iteration() {
    let out = Stmt::If(Chance(1), vec![Stmt::Op(1), Stmt::Return], Vec::new());
    let body =
        [Stmt::Label(1, Box::new(Stmt::Empty)), out, Stmt::If(Chance(3), vec![Stmt::Goto(1)], Vec::new())];
    let compared = compare(Language::OpenCl, &body, 7, Irreducible::Auto, &|_| true).unwrap().unwrap();
    assert_eq!(compared.instances, compared.strictly);
    assert!(compared.instances > 3);
}

/// A loop that is entered only by the jump of a `switch`: an iteration may bypass the label.
#[test]
fn threads_that_jump_into_a_loop_belong_to_its_iterations() {
    let inner = Stmt::If(Chance(2), vec![Stmt::Case(0, Box::new(Stmt::Empty))], Vec::new());
    let body = [Stmt::Switch(2, vec![Stmt::While(Chance(3), vec![inner, Stmt::Op(1)])]), Stmt::Op(2)];
    for mode in MODES {
        let compared = compare(Language::OpenCl, &body, 3, mode, &|_| true).unwrap().unwrap();
        assert_eq!(compared.instances, compared.strictly);
        assert!(compared.instances > 20);
    }
}
