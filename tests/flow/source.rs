//! Tokens of source programs: the examples of `convergent-operations.rst`, and the effects of `goto`, `switch` and
//! attributes.

use std::sync::Arc;

use expect_test::{Expect, expect};
use tangle_analysis::flow::module::{Irreducible, Options, lower};
use tangle_analysis::flow::tokens::TokenMethod;
use tangle_ir::text::print;
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

/// Returns the operations of a file that define or use tokens. `op()` in the text is a convergent operation.
fn lowered(text: &str, options: Options) -> String {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let text = text.replace("op()", "sub_group_barrier(1)");
    let file = db.set_text("k.cl", &text);
    let lowered = lower(&db, file, settings, &options);
    assert_eq!(lowered.errors, []);
    let mut out = String::new();
    for function in &lowered.module.functions {
        let text = print(function);
        let mut label = "";
        for line in text.lines() {
            let shown =
                [" = entry", " = anchor", " = loop with ", " with %"].iter().any(|it| line.contains(it));
            if line.starts_with("function") {
                let attributes = line.rsplit(')').next().unwrap_or_default().trim_end_matches(" {");
                out += &format!("{}{attributes}\n", function.key);
            } else if line.ends_with(':') {
                label = line;
            } else if shown {
                if !label.is_empty() {
                    out += &format!("{label}\n");
                    label = "";
                }
                out += &format!("{line}\n").replace("sub_group_barrier(uint 1)", "op()");
            }
        }
    }
    out
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&lowered(text, Options::default()));
}

#[test]
fn jump_threading_example_uses_the_entry_token() {
    check(
        "kernel void k(int a, int b) { bool flag = true; if (a) flag = b; if (flag) op(); }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            if.then.1:
              call op() with %0
        "#]],
    );
}

#[test]
fn reductions_in_both_branches_use_the_entry_token() {
    check(
        "kernel void k(int delta, global int *r) {
           if (delta > 0) r[0] = sub_group_reduce_add(delta); else r[1] = sub_group_reduce_add(delta);
         }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            if.then:
              %3 = call int sub_group_reduce_add(%delta) with %0
            if.else:
              %5 = call int sub_group_reduce_add(%delta) with %0
        "#]],
    );
}

#[test]
fn operation_before_divergent_exit_uses_token_of_its_loop() {
    check(
        "kernel void k(int n, int c) { for (int i = 0; i < n; i++) { if (i == c) { op(); break; } } op(); }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            for.cond:
              %1 = loop with %0
            if.then:
              call op() with %1
            for.end:
              call op() with %0
        "#]],
    );
    check(
        "kernel void k(int n, int c) { while (n--) { if (n == c) { op(); return; } } op(); }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            while.cond:
              %1 = loop with %0
            if.then:
              call op() with %1
            while.end:
              call op() with %0
        "#]],
    );
    check(
        "kernel void k(int n, int c) { do { if (n == c) { op(); goto out; } } while (n--); op(); out: op(); }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            do.body:
              %1 = loop with %0
            if.then:
              call op() with %1
            do.end:
              call op() with %0
            label.out:
              call op() with %0
        "#]],
    );
}

#[test]
fn loop_before_break_uses_token_of_enclosing_loop() {
    check(
        "kernel void k(int n, int c) {
           while (n--) { if (n == c) { while (c--) op(); op(); break; } }
           op();
         }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            while.cond:
              %1 = loop with %0
            while.cond.1:
              %4 = loop with %1
            while.body.1:
              call op() with %4
            while.end:
              call op() with %1
            while.end.1:
              call op() with %0
        "#]],
    );
}

#[test]
fn operation_before_exit_of_two_loops_uses_inner_token() {
    check(
        "kernel void k(int n, int c) {
           while (n--) { for (int i = 0; i < c; i++) { if (i == n) { op(); goto out; } } op(); }
           out: op();
         }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            while.cond:
              %1 = loop with %0
            for.cond:
              %3 = loop with %1
            if.then:
              call op() with %3
            for.end:
              call op() with %1
            label.out:
              call op() with %0
        "#]],
    );
}

#[test]
fn nested_loop_uses_token_of_outer_loop() {
    check(
        "kernel void k(int n, int m) { while (n--) while (m--) op(); while (m++) ; }",
        &expect![[r#"
        k convergent kernel
        entry:
          %0 = entry
        while.cond:
          %1 = loop with %0
        while.cond.1:
          %3 = loop with %1
        while.body.1:
          call op() with %3
    "#]],
    );
    check(
        "kernel void k(int n, int m) { while (n--) { if (n) while (m--) op(); if (m) while (n--) op(); } }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            while.cond:
              %1 = loop with %0
            while.cond.1:
              %4 = loop with %1
            while.body.1:
              call op() with %4
            while.cond.2:
              %7 = loop with %1
            while.body.2:
              call op() with %7
        "#]],
    );
}

#[test]
fn append_buffer_uses_an_anchor_and_is_not_convergent() {
    check(
        "__attribute__((noconvergent)) static int reserve(volatile global int *count) {
           uint4 ballot = sub_group_ballot(1);
           int base = 0;
           if (sub_group_ballot_bit_extract(ballot, 0)) base = atomic_add(count, 4);
           return sub_group_broadcast_first(base);
         }
         kernel void k(volatile global int *count, global int *to) { to[reserve(count)] = 1; }",
        &expect![[r#"
            reserve -> int internal
            entry:
              %0 = anchor
              %ballot = call uint4 sub_group_ballot(int 1) with %0
            if.end:
              %3 = call int sub_group_broadcast_first(%base.1) with %0
            k kernel
        "#]],
    );
}

#[test]
fn noconvergent_statement_has_an_anchor() {
    check(
        "kernel void k(int n) { op(); __attribute__((noconvergent)) { op(); if (n) op(); } op(); }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
              call op() with %0
              %1 = anchor
              call op() with %1
            if.then:
              call op() with %1
            if.end:
              call op() with %0
        "#]],
    );
    // All operations are in such a statement, so the function is not convergent.
    check(
        "void f(int n) { __attribute__((noconvergent)) { if (n) op(); else op(); } }",
        &expect![[r#"
        f
        entry:
          %1 = anchor
        if.then:
          call op() with %1
        if.else:
          call op() with %1
    "#]],
    );
    check(
        "void f(int n) { __attribute__((noconvergent)) while (n--) { op(); while (n--) op(); } }",
        &expect![[r#"
            f
            entry:
              %0 = anchor
            while.cond:
              %1 = loop with %0
            while.body:
              call op() with %1
            while.cond.1:
              %3 = loop with %1
            while.body.1:
              call op() with %3
        "#]],
    );
    check(
        "void f(int n) { while (n--) __attribute__((noconvergent)) { if (n == 3) { op(); break; } op(); } }",
        &expect![[r#"
            f
            if.then:
              %2 = anchor
              call op() with %2
            if.end:
              %3 = anchor
              call op() with %3
        "#]],
    );
}

#[test]
fn jump_into_noconvergent_statement_gives_each_call_an_anchor() {
    check(
        "kernel void k(int n) {
           if (n) { op(); goto inside; }
           __attribute__((noconvergent)) { op(); inside: op(); }
         }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            if.then:
              call op() with %0
            if.end:
              %2 = anchor
              call op() with %2
            label.inside:
              %3 = anchor
              call op() with %3
        "#]],
    );
}

#[test]
fn goto_cycle_has_a_heart() {
    check(
        "kernel void k(int n) { again: op(); if (n--) goto again; op(); }",
        &expect![[r#"
        k convergent kernel
        entry:
          %0 = entry
        label.again:
          %1 = loop with %0
          call op() with %1
        if.end:
          call op() with %0
    "#]],
    );
    // The operation after the `goto` is outside the goto cycle, but inside the loop statement.
    check(
        "kernel void k(int n) { do { again: op(); if (n--) goto again; op(); } while (0); op(); }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            label.again:
              %1 = loop with %0
              call op() with %1
            if.end:
              call op() with %0
            do.end:
              call op() with %0
        "#]],
    );
}

#[test]
fn operation_reached_by_jump_into_loop_uses_outer_token() {
    check(
        "kernel void k(int n) {
           while (n--) { if (n == 7) goto away; if (n == 9) { back: op(); break; } }
           return;
           away: op(); goto back;
         }",
        &expect![[r#"
            k convergent kernel
            entry:
              %0 = entry
            label.back:
              call op() with %0
            label.away:
              call op() with %0
        "#]],
    );
}

#[test]
fn irreducible_cycle_uses_anchors_or_dispatcher_token() {
    let duff = "kernel void k(int n, int m) {
        switch (n) { case 0: do { op(); case 1: op(); while (m--) op(); } while (n--); }
        op();
    }";
    check(
        duff,
        &expect![[r#"
        k convergent kernel
        entry:
          %0 = entry
        do.body:
          %1 = anchor
          call op() with %1
        switch.case.1:
          %2 = anchor
          call op() with %2
        while.cond:
          %3 = loop with %2
        while.body:
          call op() with %3
        switch.end:
          call op() with %0
    "#]],
    );
    let dispatch = Options { irreducible: Irreducible::Dispatch, ..Options::default() };
    expect![[r#"
        k convergent kernel
        entry:
          %0 = entry
        do.body:
          call op() with %5
        switch.case.1:
          call op() with %5
        while.cond:
          %1 = loop with %5
        while.body:
          call op() with %1
        switch.end:
          call op() with %0
        dispatch:
          %5 = loop with %0
    "#]]
    .assert_eq(&lowered(duff, dispatch));
}

#[test]
fn inference_uses_only_the_flow_graph() {
    let text = "kernel void k(int n, int c) { while (n--) { if (n == c) { op(); break; } op(); } }";
    let infer = Options { tokens: TokenMethod::Infer, ..Options::default() };
    expect![[r#"
        k convergent kernel
        entry:
          %0 = entry
        while.cond:
          %1 = loop with %0
        if.then:
          call op() with %0
        if.end:
          call op() with %1
    "#]]
    .assert_eq(&lowered(text, infer));
    let off = Options { tokens: TokenMethod::Off, ..Options::default() };
    expect![[r#"
        k convergent kernel
    "#]]
    .assert_eq(&lowered(text, off));
}

#[test]
fn for_initialiser_is_outside_its_loop() {
    check(
        "int f(void) { op(); return 1; } kernel void k(int n) { while (n--) for (int i = f(); f(); f()) ; }",
        &expect![[r#"
            f -> int convergent
            entry:
              %0 = entry
              call op() with %0
            k convergent kernel
            entry:
              %0 = entry
            while.cond:
              %1 = loop with %0
            while.body:
              %i = call int @f() with %1
            for.cond:
              %3 = loop with %1
              %4 = call int @f() with %3
            for.step:
              %6 = call int @f() with %3
        "#]],
    );
}

#[test]
fn long_else_if_chain_is_lowered_quickly() {
    let mut text = "kernel void k(int n) { while (n--) { if (n == 0) op();\n".to_owned();
    for number in 1..20_000 {
        text += &format!("else if (n == {number}) op();\n");
    }
    let start = std::time::Instant::now();
    let text = lowered(&(text + "} }"), Options::default());
    assert_eq!(text.matches("call op() with %1").count(), 20_000);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}
