//! The kinds of programs on which the two implementations disagree, each with who is right. A test fails when one of them changes its mind.

use super::by_hand::{C, case, goto, looped, mark, op, when};
use super::compare;
use tangle_referees::random::source::Stmt;

/// Holds one operation of a body against what is known of it: `what` is the disagreement.
fn disagree(what: &str, number: u32, body: &[Stmt]) {
    let compared = compare(body, 0).expect("it is a program");
    let found: Vec<(u32, &str)> = compared.disagreements.iter().map(|it| (it.operation, it.what)).collect();
    assert!(found.contains(&(number, what)), "{number} {what}: {found:?}");
}

const WARNS: &str = "implementation-defined only for tangle";

/// tangle warns without need. The `if` is executed with the tangle of `case 0`, from which the `goto` derives, and so does what comes back. tangle
/// takes what stands in a branch as apart from what follows it.
#[test]
fn a_jump_into_a_branch() {
    let switch = Stmt::Switch(2, vec![when([case(0, op(1))]), goto(1)]);
    disagree(WARNS, 1, &[Stmt::Do(vec![looped([mark(1)]), switch], C)]);
}

/// tangle warns without need: of two goto cycles that share statements, one is left by the jump of the other. tangle takes what leaves a cycle in
/// any of its iterations as a family, also if it comes back to where the other cycle begins.
#[test]
fn cycles_that_overlap() {
    disagree(WARNS, 1, &[Stmt::Switch(3, vec![mark(1), mark(2), op(1), when([goto(1)])]), goto(2)]);
}

/// tangle warns without need: the label is reached by the jump in the first iteration alone, and the `case` in all others.
#[test]
fn a_first_iteration_of_its_own() {
    disagree(WARNS, 1, &[goto(1), looped([Stmt::Switch(3, vec![mark(1), case(2, Stmt::Empty), op(1)])])]);
}
