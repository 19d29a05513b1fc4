//! Loops of the source: their blocks, their nesting, and which of them get a new head.

use std::sync::Arc;

use tangle_analysis::flow::module::{Options, lower};
use tangle_analysis::flow::{BlockId, Function};
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

fn lowered(body: &str) -> Function {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let text = format!("kernel void k(global int *p, int n) {{ {body} }}");
    let file = db.set_text("k.cl", &text);
    let mut lowered = lower(&db, file, settings, &Options::default());
    assert_eq!(lowered.errors, [], "{text}");
    lowered.module.functions.remove(0)
}

fn name(function: &Function, block: BlockId) -> String {
    let block = &function.blocks[block];
    block.label.map_or_else(|| block.kind.name().to_owned(), |label| label.to_string())
}

/// Checks the loops of a kernel: each with its blocks, except inserted ones, and whether it has a new head.
#[track_caller]
fn holds(body: &str, expected: &[&str]) {
    let function = lowered(body);
    let found: Vec<String> = function
        .loops
        .iter_enumerated()
        .map(|(id, source_loop)| {
            let inside = function.blocks.indices().filter(|&it| function.is_within(it, id));
            let own = inside.filter(|&it| !function.blocks[it].is_inserted);
            let names: Vec<String> = own.map(|it| name(&function, it)).collect();
            let head = if source_loop.head == source_loop.beginning { "" } else { ", with a head" };
            format!("{}: {}{head}", name(&function, source_loop.beginning), names.join(" "))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn for_initialization_is_outside_the_loop() {
    holds(
        "for (int i = n ? 1 : 2; i < n; i++) p[i] = 0; p[0] = 1;",
        &["for.cond: for.cond for.body for.step"],
    );
}

#[test]
fn branch_that_exits_a_loop_is_inside_it() {
    holds(
        "while (p[0]) { if (n) { p[1] = 0; break; } p[2] = 0; }",
        &["while.cond: while.cond while.body if.then if.end"],
    );
    holds("do { if (n) { p[1] = 0; return; } } while (p[0]);", &["do.body: do.body if.then if.end do.cond"]);
}

#[test]
fn goto_cycle_ends_with_its_last_jump() {
    holds("A: p[0]++; if (n) goto A; p[1] = 1;", &["A: A if.then"]);
    // A `goto` that no thread reaches makes no loop.
    holds("A: p[0]++; return; goto A;", &[]);
}

#[test]
fn overlapping_goto_cycle_that_ends_last_is_the_outer_one() {
    holds(
        "A: p[0]++; B: p[1]++; if (p[2]) goto A; if (n) goto B;",
        &["B: A B if.then if.end if.then", "A: A B if.then"],
    );
}

#[test]
fn goto_cycle_contains_the_whole_loop_that_it_overlaps() {
    // The `goto` leaves the loop.
    holds(
        "A: p[0]++; while (p[1]) { if (n) goto A; p[2] = 0; }",
        &["A: A while.cond while.body if.then if.end", "while.cond: while.cond while.body if.then if.end"],
    );
    // The `goto` enters the loop.
    holds(
        "while (p[1]) { A: p[0]++; } if (n) goto A;",
        &["A: while.cond while.body A while.end if.then", "while.cond: while.cond while.body A"],
    );
}

#[test]
fn threads_that_jump_into_a_loop_enter_through_a_new_head() {
    holds(
        "switch (n) { while (p[0]) { if (p[1]) { case 0: p[2] = 0; } } }",
        &["while.cond: while.cond while.body if.then switch.case if.end, with a head"],
    );
    // Threads also enter the loop at its head: irreducible.
    holds(
        "if (n) goto in; while (p[0]) { p[1] = 0; in: p[2] = 0; }",
        &["while.cond: while.cond while.body in"],
    );
    // Threads enter the inner loop at the label of the outer one. The new head of the outer one precedes the inner
    // head.
    holds(
        "goto B; A: p[0]++; B: p[1]++; if (p[2]) goto A; if (n) goto B;",
        &["B: A B if.then if.end if.then, with a head", "A: A B if.then, with a head"],
    );
}
