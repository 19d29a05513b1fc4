//! Tests of sources against their graphs, in SSA form and without tokens.

use std::sync::Arc;

use expect_test::{Expect, expect};
use tangle_ir::text::print;

use crate::flow::skeletons::{Irreducible, skeletons};
use tangle_hir::scope::scoped_items;
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

/// Returns the graphs of the functions of a source.
fn lowered(source: &str) -> String {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", source);
    let mut text = String::new();
    for item in scoped_items(&db, file, settings) {
        for skeleton in &skeletons(&db, item.scoped, Irreducible::Anchor).0 {
            match skeleton {
                Some(skeleton) => text.push_str(&print(&skeleton.function)),
                None => text.push_str("a block literal that nothing evaluates\n"),
            }
        }
    }
    text
}

fn check(source: &str, expected: &Expect) {
    expected.assert_eq(&lowered(source));
}

#[test]
fn short_circuits_in_conditions_become_branches() {
    check(
        "void f(int a, int b, global int *p) { if ((a && b) || !a) *p = 1; else *p = 2; }",
        &expect![[r#"
        function f(%a: int, %b: int, %p: global int *) {
        entry:
          %0 = test %a
          branch %0, and.right, or.right
        and.right:
          %1 = test %b
          branch %1, if.then, or.right
        or.right:
          %2 = test %a
          branch %2, if.else, if.then
        if.then:
          store int 1, %p
          jump if.end
        if.else:
          store int 2, %p
          jump if.end
        if.end:
          return
        }
    "#]],
    );
}

#[test]
fn short_circuits_as_values_become_phis() {
    check(
        "int f(int a, int b) { return a && b > 1; }",
        &expect![[r#"
            function f(%a: int, %b: int) -> int {
            entry:
              %0 = test %a
              branch %0, and.right, and.end
            and.right:
              %1 = gt %b, 1
              jump and.end
            and.end:
              %2 = phi bool [entry: 0], [and.right: %1]
              %3 = convert int %2
              return %3
            }
        "#]],
    );
}

#[test]
fn loops_of_all_kinds_are_lowered() {
    check(
        "int f(int n) {
           int s = 0;
           while (n > 10) { n -= 3; if (n == 20) break; }
           do { s += n; if (s & 1) continue; s++; } while (s < 100);
           for (int i = 0; i < n; ++i) s ^= i;
           for (;;) if (s-- == 0) return s;
         }",
        &expect![[r#"
            function f(%n: int) -> int {
            entry:
              jump while.cond
            while.cond:
              %n.1 = phi int [entry: %n], [if.end: %n.2]
              %0 = gt %n.1, 10
              branch %0, while.body, while.end
            while.body:
              %n.2 = sub %n.1, 3
              %1 = eq %n.2, 20
              branch %1, if.then, if.end
            if.then:
              jump while.end
            if.end:
              jump while.cond
            while.end:
              %n.3 = phi int [while.cond: %n.1], [if.then: %n.2]
              jump do.body
            do.body:
              %s = phi int [while.end: 0], [do.cond: %s.3]
              %s.1 = add %s, %n.3
              %2 = and %s.1, 1
              %3 = test %2
              branch %3, if.then.1, if.end.1
            if.then.1:
              jump do.cond
            if.end.1:
              %s.2 = add %s.1, 1
              jump do.cond
            do.cond:
              %s.3 = phi int [if.then.1: %s.1], [if.end.1: %s.2]
              %4 = lt %s.3, 100
              branch %4, do.body, do.end
            do.end:
              jump for.cond
            for.cond:
              %s.4 = phi int [do.end: %s.3], [for.step: %s.5]
              %i = phi int [do.end: 0], [for.step: %i.1]
              %5 = lt %i, %n.3
              branch %5, for.body, for.end
            for.body:
              %s.5 = xor %s.4, %i
              jump for.step
            for.step:
              %i.1 = add %i, 1
              jump for.cond
            for.end:
              jump for.cond.1
            for.cond.1:
              %s.6 = phi int [for.end: %s.4], [if.end.2: %s.7]
              jump for.body.1
            for.body.1:
              %s.7 = sub %s.6, 1
              %6 = eq %s.6, 0
              branch %6, if.then.2, if.end.2
            if.then.2:
              return %s.7
            if.end.2:
              jump for.cond.1
            }
        "#]],
    );
}

#[test]
fn switch_falls_through_and_stacked_labels_share_a_block() {
    check(
        "int f(int n) {
           switch (n) {
           case 1: case 2: n = 7;
           case 3 ... 5: n++; break;
           default: switch (n & 1) { case 0: return 0; }
           }
           return n;
         }",
        &expect![[r#"
            function f(%n: int) -> int {
            entry:
              switch %n [1: switch.case, 2: switch.case, 3..5: switch.case.1, default: switch.default]
            switch.case:
              jump switch.case.1
            switch.case.1:
              %n.1 = phi int [entry: %n], [switch.case: 7]
              %n.2 = add %n.1, 1
              jump switch.end.1
            switch.default:
              %0 = and %n, 1
              switch %0 [0: switch.case.2, default: switch.end]
            switch.case.2:
              return int 0
            switch.end:
              jump switch.end.1
            switch.end.1:
              %n.3 = phi int [switch.case.1: %n.2], [switch.end: %n]
              return %n.3
            }
        "#]],
    );
}

#[test]
fn duffs_device_is_lowered() {
    check(
        "void f(global int *to, int n) {
           int rounds = (n + 1) / 2;
           switch (n % 2) { case 0: do { *to = 1; case 1: *to = 2; } while (--rounds > 0); }
         }",
        &expect![[r#"
            function f(%to: global int *, %n: int) {
            entry:
              %0 = add %n, 1
              %rounds = div %0, 2
              %1 = rem %n, 2
              switch %1 [0: switch.case, 1: switch.case.1, default: switch.end]
            switch.case:
              jump do.body
            do.body:
              %rounds.1 = phi int [switch.case: %rounds], [do.cond: %rounds.3]
              store int 1, %to
              jump switch.case.1
            switch.case.1:
              %rounds.2 = phi int [entry: %rounds], [do.body: %rounds.1]
              store int 2, %to
              jump do.cond
            do.cond:
              %rounds.3 = sub %rounds.2, 1
              %2 = gt %rounds.3, 0
              branch %2, do.body, do.end
            do.end:
              jump switch.end
            switch.end:
              return
            }
        "#]],
    );
}

#[test]
fn gotos_jump_backwards_and_into_loops() {
    check(
        "int f(int n) {
         again:
           if (n < 0) goto inside;
           while (n > 3) { n -= 2; inside: n++; }
           if (n == 1) goto again;
           return n;
         }",
        &expect![[r#"
            function f(%n: int) -> int {
            entry:
              jump label.again
            label.again:
              %n.1 = phi int [entry: %n], [if.then.1: %n.2]
              %0 = lt %n.1, 0
              branch %0, if.then, if.end
            if.then:
              jump label.inside
            if.end:
              jump while.cond
            while.cond:
              %n.2 = phi int [if.end: %n.1], [label.inside: %n.5]
              %1 = gt %n.2, 3
              branch %1, while.body, while.end
            while.body:
              %n.3 = sub %n.2, 2
              jump label.inside
            label.inside:
              %n.4 = phi int [if.then: %n.1], [while.body: %n.3]
              %n.5 = add %n.4, 1
              jump while.cond
            while.end:
              %2 = eq %n.2, 1
              branch %2, if.then.1, if.end.1
            if.then.1:
              jump label.again
            if.end.1:
              return %n.2
            }
        "#]],
    );
}

#[test]
fn computed_goto_becomes_switch_over_label_numbers() {
    check(
        "int f(int n) {
           void *way = n ? &&one : &&two;
           goto *way;
         one: return 1;
         two: return 2;
         }",
        &expect![[r#"
            function f(%n: int) -> int {
            entry:
              %0 = test %n
              branch %0, cond.then, cond.else
            cond.then:
              jump cond.end
            cond.else:
              jump cond.end
            cond.end:
              %way = phi void * [cond.then: 4], [cond.else: 6]
              %1 = convert ulong %way
              switch %1 [4: label.one, 6: label.two, default: goto.unreachable]
            goto.unreachable:
              unreachable
            label.one:
              return int 1
            label.two:
              return int 2
            }
        "#]],
    );
}

#[test]
fn vector_lanes_are_assigned_in_variables_and_memory() {
    check(
        "void f(global float4 *p, int i) {
           float4 v = p[0];
           v.wz = v.xx;
           v[i] = 2.0f;
           p[1].y = v.s3;
           p[1].xz += v.lo;
         }",
        &expect![[r#"
            function f(%p: global float4 *, %i: int) {
            entry:
              %0 = element float4 %p, int 0
              %v = load float4 %0
              %1 = shuffle %v, undefined, [0, 0]
              %2 = shuffle %1, undefined, [_, _, 1, 0]
              %v.1 = shuffle %v, %2, [0, 1, 6, 7]
              %v.2 = insert %v.1, %i, 2.0
              %3 = element float4 %p, int 1
              %4 = element float %3, ulong 1
              %5 = extract %v.2, 3
              store %5, %4
              %6 = element float4 %p, int 1
              %7 = shuffle %v.2, undefined, [0, 1]
              %8 = load float4 %6
              %9 = shuffle %8, undefined, [0, 2]
              %10 = add %9, %7
              %11 = load float4 %6
              %12 = shuffle %10, undefined, [0, _, 1, _]
              %13 = shuffle %11, %12, [4, 1, 6, 3]
              store %13, %6
              return
            }
        "#]],
    );
}

#[test]
fn vector_literals_and_operators_are_lowered() {
    check(
        "int4 f(int2 a, int b) { int4 v = (int4)(a, b, 7); return v == (int4)(1) ? v << 33 : -v; }",
        &expect![[r#"
            function f(%a: int2, %b: int) -> int4 {
            entry:
              %0 = shuffle %a, undefined, [0, 1, _, _]
              %1 = shuffle int4 undefined, %0, [4, 5, 2, 3]
              %2 = insert %1, 2, %b
              %v = insert %2, 3, 7
              %3 = eq %v, (1, 1, 1, 1)
              %4 = shl %v, (1, 1, 1, 1)
              %5 = neg %v
              %6 = select %3, %4, %5
              return %6
            }
        "#]],
    );
}

#[test]
fn structs_are_passed_and_assigned_by_copy() {
    check(
        "struct S { int a; short b[2]; };
         struct S make(struct S s) { s.a++; return s; }
         int f(global struct S *p) { struct S t = {1, {2}}; *p = make(*p); t = *p; return make(t).a + t.b[1]; }",
        &expect![[r#"
            type struct S = {a: int, b: short[2]}

            function make(result %result: struct S, copy %s: struct S) -> struct S {
            entry:
              %0 = field struct S %s, a
              %1 = load int %0
              %2 = add %1, 1
              store %2, %0
              copy struct S %result, %s
              return
            }
            type struct S = {a: int, b: short[2]}

            function f(%p: global struct S *) -> int {
              slot %t: struct S
              slot %0: struct S
              slot %1: struct S
              slot %2: struct S
            entry:
              clear struct S %t
              %3 = field struct S %t, a
              store int 1, %3
              %4 = field struct S %t, b
              %5 = element short %4, ulong 0
              store short 2, %5
              copy struct S %1, %p
              call @make(result %0, copy %1)
              copy struct S %p, %0
              copy struct S %t, %p
              call @make(result %2, copy %t)
              %6 = field struct S %2, a
              %7 = load int %6
              %8 = field struct S %t, b
              %9 = element short %8, int 1
              %10 = load short %9
              %11 = convert int %10
              %12 = add %7, %11
              return %12
            }
        "#]],
    );
}

#[test]
fn bit_fields_are_shifted_and_masked() {
    check(
        "struct B { int a : 3; uint b : 7; };
         int f(global struct B *p, int n) { p->b = n; return p->a; }",
        &expect![[r#"
            type struct B = {a: int bits 3, b: uint bits 7}

            function f(%p: global struct B *, %n: int) -> int {
            entry:
              %0 = convert uint %n
              %1 = convert ushort %0
              %2 = and %1, 127
              %3 = shl %2, 3
              %4 = load ushort %p
              %5 = and %4, 64519
              %6 = or %5, %3
              store %6, %p
              %7 = load uchar %p
              %8 = convert char %7
              %9 = shl %8, 5
              %10 = shr %9, 5
              %11 = convert int %10
              return %11
            }
        "#]],
    );
}

#[test]
fn conditional_operators_become_phis() {
    check(
        "float f(int n, global float *p) { n > 2 ? (void)(*p = 1) : (void)0; return n ? *p : n ?: 2; }",
        &expect![[r#"
            function f(%n: int, %p: global float *) -> float {
            entry:
              %0 = gt %n, 2
              branch %0, cond.then, cond.else
            cond.then:
              store float 1.0, %p
              jump cond.end
            cond.else:
              jump cond.end
            cond.end:
              %1 = test %n
              branch %1, cond.then.1, cond.else.1
            cond.then.1:
              %2 = load float %p
              jump cond.end.2
            cond.else.1:
              %3 = test %n
              branch %3, cond.end.1, cond.else.2
            cond.else.2:
              jump cond.end.1
            cond.end.1:
              %4 = phi int [cond.else.1: %n], [cond.else.2: 2]
              %5 = convert float %4
              jump cond.end.2
            cond.end.2:
              %6 = phi float [cond.then.1: %2], [cond.end.1: %5]
              return %6
            }
        "#]],
    );
}

#[test]
fn statement_expressions_yield_their_last_value() {
    check(
        "int f(int n) { return n + ({ int m = n; while (m > 3) m--; m * 2; }); }",
        &expect![[r#"
        function f(%n: int) -> int {
        entry:
          jump while.cond
        while.cond:
          %m = phi int [entry: %n], [while.body: %m.1]
          %0 = gt %m, 3
          branch %0, while.body, while.end
        while.body:
          %m.1 = sub %m, 1
          jump while.cond
        while.end:
          %1 = mul %m, 2
          %2 = add %n, %1
          return %2
        }
    "#]],
    );
}

#[test]
fn increments_and_compound_assignments_are_lowered() {
    check(
        "void f(global char *p, local uint *q) {
           bool b = *p;
           b++;
           *p = b;
           *p++ += 3;
           q[*p]--;
           *q >>= *p;
           float x = *q;
           x *= 2;
           *--q = x;
         }",
        &expect![[r#"
            function f(%p: global char *, %q: local uint *) {
            entry:
              %0 = load char %p
              %b = test %0
              %1 = convert int %b
              %2 = add %1, 1
              %b.1 = test %2
              %3 = convert char %b.1
              store %3, %p
              %p.1 = element char %p, long 1
              %4 = load char %p
              %5 = convert int %4
              %6 = add %5, 3
              %7 = convert char %6
              store %7, %p
              %8 = load char %p.1
              %9 = element uint %q, %8
              %10 = load uint %9
              %11 = sub %10, 1
              store %11, %9
              %12 = load char %p.1
              %13 = convert int %12
              %14 = load uint %q
              %15 = convert uint %13
              %16 = and %15, 31
              %17 = shr %14, %16
              store %17, %q
              %18 = load uint %q
              %x = convert float %18
              %x.1 = mul %x, 2.0
              %q.1 = element uint %q, long -1
              %19 = convert uint %x.1
              store %19, %q.1
              return
            }
        "#]],
    );
}

#[test]
fn address_taken_and_volatile_variables_get_slots() {
    check(
        "void g(int *p);
         int f(int n) { int a = n, b = 2; volatile int c = 3; g(&a); return a + b + c; }",
        &expect![[r#"
            function f(%n: int) -> int {
              slot %a: int
              slot %c: int
            entry:
              store %n, %a
              store volatile int 3, %c
              %0 = convert int * %a
              call @g(%0)
              %1 = load int %a
              %2 = add %1, 2
              %3 = load volatile int %c
              %4 = add %2, %3
              return %4
            }
        "#]],
    );
}

#[test]
fn code_after_jump_is_removed_unless_labelled() {
    check(
        "int f(int n) { if (n) goto out; return 1; n = 2; n++; out: return n; n = 3; }",
        &expect![[r#"
        function f(%n: int) -> int {
        entry:
          %0 = test %n
          branch %0, if.then, if.end
        if.then:
          jump label.out
        if.end:
          return int 1
        label.out:
          return %n
        }
    "#]],
    );
}

#[test]
fn pointer_difference_counts_elements() {
    check(
        "long f(global int *a, global int *b, uint n) { return (a - n) - b; }",
        &expect![[r#"
        function f(%a: global int *, %b: global int *, %n: uint) -> long {
        entry:
          %0 = convert long %n
          %1 = neg %0
          %2 = element int %a, %1
          %3 = convert long %2
          %4 = convert long %b
          %5 = sub %3, %4
          %6 = div %5, 4
          return %6
        }
    "#]],
    );
}

#[test]
fn unsupported_code_becomes_unknown_operation() {
    check(
        "void a(void) { unknown(1); }
         void b(void) { asm(\"nop\"); }
         void c(int n) { if (n) goto in; n = ({ in: n; }); }
         void d(void) { void (^block)(void) = ^{ }; }",
        &expect![[r#"
            function a() {
            entry:
              %0 = call unknown type unknown unknown(int 1)
              return
            }
            function b() {
            entry:
              unknown assembly
              return
            }
            function c(%n: int) {
            entry:
              %0 = test %n
              branch %0, if.then, if.end
            if.then:
              unknown statement
              jump if.end
            if.end:
              jump label.in
            label.in:
              return
            }
            function d() {
            entry:
              return
            }
            function literal 1 of d() internal {
            entry:
              return
            }
        "#]],
    );
}

#[test]
fn block_literal_becomes_function_with_captures_as_parameters() {
    check(
        "kernel void k(queue_t q, ndrange_t r, global int *p, int n) {
           local int tile[4];
           int own = p[0];
           enqueue_kernel(q, 0, r, ^{ p[1] = own; });
           int (^f)(int) = ^(int v) { return v + n + tile[0] + sizeof(^{ return v; }); };
         }",
        &expect![[r#"
            function k(%q: queue_t, %r: ndrange_t, %p: global int *, %n: int) kernel {
            entry:
              %0 = unknown void (^)() value
              %1 = call int enqueue_kernel(%q, int 0, %r, %0)
              return
            }
            function literal 1 of k(%p: global int *, %own: int) kernel internal {
            entry:
              %0 = element int %p, int 1
              store %own, %0
              return
            }
            function literal 2 of k(%v: int, %n: int, %tile: local int (*)[4]) -> ulong internal {
            entry:
              %0 = add %v, %n
              %1 = element int %tile, int 0
              %2 = load int %1
              %3 = add %0, %2
              %4 = convert ulong %3
              %5 = add %4, 8
              return %5
            }
        "#]],
    );
}

#[test]
fn long_operator_chains_do_not_overflow_the_stack() {
    let sum = format!("int f(int n) {{ return n{}; }}", " + n".repeat(100_000));
    assert_eq!(lowered(&sum).lines().count(), 100_000 + 4);
    let all = format!("int f(int n) {{ if (n{}) return 1; return 0; }}", " && n".repeat(20_000));
    assert!(lowered(&all).contains("and.right.19999:"));
    let ladder =
        format!("int f(int n) {{ {} return 9; }}", "if (n == 1) n = 2; else ".repeat(20_000) + "n = 3;");
    assert!(lowered(&ladder).contains("if.else.19999:"));
}
