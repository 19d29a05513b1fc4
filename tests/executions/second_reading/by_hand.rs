//! Kernels with verdicts that were derived by hand.

use tangle_referees::random::derivation::Program;
use tangle_referees::random::source::{Chance, Stmt};

pub const C: Chance = Chance(2);

pub fn op(number: u32) -> Stmt {
    Stmt::Op(number)
}

pub fn goto(label: u32) -> Stmt {
    Stmt::Goto(label)
}

pub fn label(number: u32, after: Stmt) -> Stmt {
    Stmt::Label(number, Box::new(after))
}

pub fn mark(number: u32) -> Stmt {
    label(number, Stmt::Empty)
}

pub fn case(number: u32, after: Stmt) -> Stmt {
    Stmt::Case(number, Box::new(after))
}

pub fn when(then: impl Into<Vec<Stmt>>) -> Stmt {
    Stmt::If(C, then.into(), Vec::new())
}

pub fn either(then: impl Into<Vec<Stmt>>, otherwise: impl Into<Vec<Stmt>>) -> Stmt {
    Stmt::If(C, then.into(), otherwise.into())
}

pub fn looped(body: impl Into<Vec<Stmt>>) -> Stmt {
    Stmt::While(C, body.into())
}

/// Checks which operations are implementation-defined. All others must be reached and defined.
fn check(name: &str, expected: &[u32], body: impl Into<Vec<Stmt>>) {
    let body = body.into();
    let program = Program::of(&body).unwrap_or_else(|| panic!("{name}: no program"));
    let verdicts = program.explore(12, 400);
    let found: Vec<u32> =
        verdicts.ops.iter().filter(|(_, it)| it.implementation_defined()).map(|(&op, _)| op).collect();
    let missing = program.operations().find(|(op, _)| !verdicts.ops.contains_key(op));
    assert_eq!(missing, None, "{name}: not reached");
    let text = tangle_referees::random::source::text(&body, 0);
    if found != expected {
        for (op, verdict) in &verdicts.ops {
            if let Some((one, other)) = &verdict.example {
                println!(
                    "op {op}: {}\n      {}",
                    verdicts.arena.describe(one.node),
                    verdicts.arena.describe(other.node)
                );
            }
        }
        panic!("{name}: {found:?} instead of {expected:?}\n{text}");
    }
}

#[test]
fn verdicts_match_those_derived_by_hand() {
    check("1", &[], [Stmt::Block(vec![when([goto(1)]), op(1), mark(1)]), op(2)]);
    check("2", &[], [label(1, when([goto(1)])), op(1)]);
    check("3", &[1], [either([label(1, op(1))], [goto(1)])]);
    check("4", &[1], [Stmt::Switch(3, vec![case(0, case(1, op(1)))])]);
    let both = either([label(1, op(1)), when([Stmt::Return])], [mark(2), goto(1)]);
    check("5", &[1], [goto(2), Stmt::For(C, vec![both.clone()])]);
    check("5, entered in sequence", &[1], [Stmt::For(C, vec![both])]);
    check("6", &[1, 2, 3], [label(1, op(1)), when([goto(1)]), op(2), when([goto(1)]), op(3)]);
    check("7", &[], [goto(2), label(1, op(1)), when([goto(1)]), Stmt::Return, label(2, goto(1))]);
    check("8", &[1, 3], [when([label(1, op(1))]), op(2), when([goto(1)]), op(3)]);
    check("9", &[1, 3], [Stmt::Do(vec![label(1, op(1))], C), op(2), when([goto(1)]), op(3)]);
    let out = || when([Stmt::Return]);
    check("10", &[1], [out(), when([label(1, op(1))]), op(2), out(), when([goto(1)])]);
    check("11", &[], [looped([when([op(1)])])]);
    check("12", &[2], [label(1, op(1)), when([goto(1)]), op(2)]);
    check("13", &[2], [Stmt::Switch(2, vec![label(2, op(1)), case(0, op(2))]), when([goto(2)])]);
    check("14", &[], [goto(1), looped([looped([label(1, op(1))])])]);
    check("15", &[2], [when([goto(1)]), op(1), label(1, op(2))]);
    check("16", &[], [mark(1), either([op(1)], [goto(1)])]);
    check("16, the other branch", &[1], [mark(1), either([goto(1)], [op(1)])]);
}

/// Operations in the branch of an `if`: none derives from another one, so only the iteration separates them.
#[test]
fn verdicts_depend_on_goto_cycle_iterations() {
    let guarded = |number| when([op(number)]);
    check("one goto", &[], [mark(1), guarded(1), when([goto(1)])]);
    check("after the cycle", &[2], [mark(1), guarded(1), when([goto(1)]), guarded(2)]);
    // Threads that skip the label make the `goto` a second entry. Its tangle derives from the statement before the
    // branch, not from the branch.
    check("past the label in a branch", &[1, 2], [when([label(1, guarded(1))]), guarded(2), when([goto(1)])]);
    check(
        "past the label by a jump",
        &[1, 2],
        [when([goto(2)]), mark(1), guarded(1), mark(2), guarded(2), when([goto(1)])],
    );
    check(
        "inner cycle",
        &[1, 2],
        [mark(1), mark(2), guarded(1), when([goto(2)]), guarded(2), when([goto(1)])],
    );
    check(
        "the labelled statement contains the goto",
        &[],
        [label(1, Stmt::Block(vec![guarded(1), when([goto(1)])])), guarded(2)],
    );
    check("in a loop", &[], [looped([mark(1), guarded(1), when([goto(1)])]), guarded(2)]);
    check("around a loop", &[], [mark(1), looped([guarded(1)]), when([goto(1)])]);
    check("a loop left by goto", &[2], [looped([guarded(1), when([goto(1)])]), label(1, guarded(2))]);
    check("a loop left by break", &[], [looped([guarded(1), when([Stmt::Break])]), mark(1), guarded(2)]);
}

/// Consequences of the literal text that are easy to miss.
#[test]
fn verdicts_follow_the_literal_text_of_the_specification() {
    let block = |body: Vec<Stmt>| Stmt::Block(body);
    // All threads pass L before the `goto`: it begins the next iteration, wherever L is in the block (SEMANTICS §3.1).
    check("label first in a block", &[], [block(vec![label(1, op(1))]), when([goto(1)])]);
    check("label later in a block", &[], [block(vec![Stmt::Empty, label(1, op(1))]), when([goto(1)])]);
    // The body of a `do` begins with the tangle of the `do`.
    check("do", &[], [Stmt::Do(vec![label(1, op(1)), Stmt::Break], C), when([goto(1)])]);
    check("while", &[1], [looped([label(1, op(1)), Stmt::Break]), when([goto(1)])]);
    // The inner cycle is left by `goto`, or in sequence: its iterations do not reconverge before the outer `goto`.
    check("two labels", &[1], [mark(1), mark(2), op(1), when([goto(2)]), when([goto(1)])]);
    let inner = label(2, block(vec![op(1), when([goto(2)])]));
    check("two labels, inner statement", &[], [mark(1), inner, when([goto(1)])]);
    // Iterations of a loop that is left by `goto` are unrelated, even if the `goto` jumps back.
    check("goto in a loop", &[1, 2], [label(1, op(1)), looped([op(2), when([goto(1)])])]);
    // A `break` reconverges, a `goto` to the same place does not.
    check("break", &[], [looped([when([op(1), Stmt::Break])]), op(2)]);
    check("goto for break", &[2], [looped([when([op(1), goto(1)])]), label(1, op(2))]);
    // `continue` reconverges at the end of the body.
    check("continue", &[], [looped([when([Stmt::Continue]), op(1)])]);
}

#[test]
fn revised_model_has_the_expected_verdicts() {
    let check = |name: &str, expected: &[u32], body: &[Stmt]| {
        let program = Program::of(body).unwrap_or_else(|| panic!("{name}: no program"));
        let verdicts = super::revised::implementation_defined(&program);
        let found: Vec<u32> = verdicts.into_iter().filter_map(|(op, it)| it.then_some(op)).collect();
        assert_eq!(found, expected, "{name}");
    };
    check("forward goto", &[], &[when([goto(1)]), op(1), label(1, op(2))]);
    check("case", &[], &[Stmt::Switch(2, vec![case(0, op(1)), case(1, op(2))])]);
    check("goto cycle", &[1], &[label(1, op(1)), when([goto(1)]), op(2)]);
    check("after the goto", &[1, 2], &[label(1, op(1)), when([when([goto(1)]), op(2)]), op(3)]);
    check("loop in a goto cycle", &[1, 2], &[label(1, op(1)), looped([when([goto(1)]), op(2)]), op(3)]);
    check("from else to then", &[1, 2], &[either([label(1, op(1))], [op(2), goto(1)])]);
    let body = looped([when([op(1)]), case(1, op(2))]);
    check("Duff's device", &[1, 2], &[Stmt::Switch(2, vec![case(0, body), op(3)]), op(4)]);
    check("into a loop", &[1, 2], &[when([goto(1)]), looped([looped([op(1)]), label(1, op(2))]), op(3)]);
    check("into an inner loop", &[2], &[looped([when([goto(1)]), op(1), looped([label(1, op(2))])])]);
}

#[test]
fn malformed_programs_are_rejected() {
    let none = |body: &[Stmt]| assert!(Program::of(body).is_none(), "{body:?}");
    none(&[goto(1)]);
    none(&[mark(1), mark(1)]);
    none(&[Stmt::Break]);
    none(&[Stmt::Continue]);
    none(&[Stmt::Switch(2, vec![Stmt::Continue])]);
    none(&[case(0, Stmt::Empty)]);
    none(&[Stmt::Switch(2, vec![case(0, Stmt::Empty), case(0, Stmt::Empty)])]);
    let default = || Stmt::Default(Box::new(Stmt::Empty));
    none(&[default()]);
    none(&[Stmt::Switch(2, vec![default(), default()])]);
    assert!(Program::of(&[Stmt::Switch(2, vec![looped([case(0, Stmt::Empty), Stmt::Break])])]).is_some());
}
