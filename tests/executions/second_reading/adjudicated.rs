//! The kinds of programs for which the two implementations disagree, each with the correct verdict.
//!
//! A test fails when one of the implementations changes its verdict.

use super::by_hand::{C, case, goto, looped, mark, op, when};
use super::compare;
use tangle_referees::random::source::Stmt;

/// Asserts that the implementations disagree on one operation of a body; `what` is the disagreement.
fn disagree(what: &str, number: u32, body: &[Stmt]) {
    let compared = compare(body, 0).expect("the body is a valid program");
    let found: Vec<(u32, &str)> = compared.disagreements.iter().map(|it| (it.operation, it.what)).collect();
    assert!(found.contains(&(number, what)), "{number} {what}: {found:?}");
}

const WARNS: &str = "implementation-defined only for tangle";

/// The warning of tangle is unnecessary. The `if` is executed with the tangle of `case 0`. The `goto` derives from it,
/// and so do the threads that jump back. tangle assumes that statements in a branch and after it have separate tangles.
#[test]
fn jump_into_a_branch_has_an_unnecessary_warning() {
    let switch = Stmt::Switch(2, vec![when([case(0, op(1))]), goto(1)]);
    disagree(WARNS, 1, &[Stmt::Do(vec![looped([mark(1)]), switch], C)]);
}

/// The warning of tangle is unnecessary. Two goto cycles share statements, and the jump of one leaves the other. tangle
/// treats threads that leave a cycle in any iteration as a family, even if they return to the start of the other cycle.
#[test]
fn overlapping_cycles_have_an_unnecessary_warning() {
    disagree(WARNS, 1, &[Stmt::Switch(3, vec![mark(1), mark(2), op(1), when([goto(1)])]), goto(2)]);
}

/// The warning of tangle is unnecessary. Only the first iteration reaches the label by the `goto`; all others reach the
/// `case`.
#[test]
fn separate_first_iteration_has_an_unnecessary_warning() {
    disagree(WARNS, 1, &[goto(1), looped([Stmt::Switch(3, vec![mark(1), case(2, Stmt::Empty), op(1)])])]);
}
