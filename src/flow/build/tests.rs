//! Source and the graph that it becomes, in SSA form and before tokens.

use std::sync::Arc;

use expect_test::{Expect, expect};

use crate::db::Database;
use crate::flow::module::{Irreducible, skeletons};
use crate::flow::print::print;
use crate::hir::scope::scoped_items;
use crate::source::{Content, Loader};

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str) -> Content {
        Content::Missing
    }
}

/// The functions of a source, or why there are none.
fn lowered(source: &str) -> String {
    let mut db = Database::new(Arc::new(NoFiles));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", source);
    let mut text = String::new();
    for item in scoped_items(&db, file, settings) {
        for skeleton in &skeletons(&db, item.scoped, Irreducible::Anchor).0 {
            match skeleton {
                Ok(skeleton) => text.push_str(&print(&skeleton.function)),
                Err(error) => {
                    text.push_str(&format!("cannot lower `{}`: {}\n", error.function, error.reason))
                }
            }
        }
    }
    text
}

fn check(source: &str, expected: &Expect) {
    expected.assert_eq(&lowered(source));
}

#[test]
fn short_circuits_in_conditions_are_branches() {
    check("void f(int a, int b, global int *p) { if ((a && b) || !a) *p = 1; else *p = 2; }", &expect![[""]]);
}

#[test]
fn short_circuits_as_values_join() {
    check("int f(int a, int b) { return a && b > 1; }", &expect![[""]]);
}

#[test]
fn loops_of_all_kinds() {
    check(
        "int f(int n) {
           int s = 0;
           while (n > 10) { n -= 3; if (n == 20) break; }
           do { s += n; if (s & 1) continue; s++; } while (s < 100);
           for (int i = 0; i < n; ++i) s ^= i;
           for (;;) if (s-- == 0) return s;
         }",
        &expect![[""]],
    );
}

#[test]
fn a_switch_falls_through_and_stacked_labels_are_one_block() {
    check(
        "int f(int n) {
           switch (n) {
           case 1: case 2: n = 7;
           case 3 ... 5: n++; break;
           default: switch (n & 1) { case 0: return 0; }
           }
           return n;
         }",
        &expect![[""]],
    );
}

#[test]
fn duffs_device() {
    check(
        "void f(global int *to, int n) {
           int rounds = (n + 1) / 2;
           switch (n % 2) { case 0: do { *to = 1; case 1: *to = 2; } while (--rounds > 0); }
         }",
        &expect![[""]],
    );
}

#[test]
fn gotos_lead_backwards_and_into_loops() {
    check(
        "int f(int n) {
         again:
           if (n < 0) goto inside;
           while (n > 3) { n -= 2; inside: n++; }
           if (n == 1) goto again;
           return n;
         }",
        &expect![[""]],
    );
}

#[test]
fn a_computed_goto_is_a_switch_over_the_numbers_of_labels() {
    check(
        "int f(int n) {
           void *way = n ? &&one : &&two;
           goto *way;
         one: return 1;
         two: return 2;
         }",
        &expect![[""]],
    );
}

#[test]
fn lanes_are_replaced_in_variables_and_in_memory() {
    check(
        "void f(global float4 *p, int i) {
           float4 v = p[0];
           v.wz = v.xx;
           v[i] = 2.0f;
           p[1].y = v.s3;
           p[1].xz += v.lo;
         }",
        &expect![[""]],
    );
}

#[test]
fn vectors_are_made_from_parts() {
    check(
        "int4 f(int2 a, int b) { int4 v = (int4)(a, b, 7); return v == (int4)(1) ? v << 33 : -v; }",
        &expect![[""]],
    );
}

#[test]
fn records_are_copied() {
    check(
        "struct S { int a; short b[2]; };
         struct S make(struct S s) { s.a++; return s; }
         int f(global struct S *p) { struct S t = {1, {2}}; *p = make(*p); t = *p; return make(t).a + t.b[1]; }",
        &expect![[""]],
    );
}

#[test]
fn bit_fields_are_shifted_and_masked() {
    check(
        "struct B { int a : 3; uint b : 7; };
         int f(global struct B *p, int n) { p->b = n; return p->a; }",
        &expect![[""]],
    );
}

#[test]
fn conditional_operators_join() {
    check(
        "float f(int n, global float *p) { n > 2 ? (void)(*p = 1) : (void)0; return n ? *p : n ?: 2; }",
        &expect![[""]],
    );
}

#[test]
fn statement_expressions_yield_their_last_value() {
    check("int f(int n) { return n + ({ int m = n; while (m > 3) m--; m * 2; }); }", &expect![[""]]);
}

#[test]
fn steps_and_compound_assignments_of_all_places() {
    check(
        "void f(global char *p, local uint *q) {
           bool b = *p;
           b++;
           *p++ += 3;
           q[*p]--;
           *q >>= *p;
           float x = *q;
           x *= 2;
           *--q = x;
         }",
        &expect![[""]],
    );
}

#[test]
fn addresses_make_slots() {
    check(
        "void g(int *p);
         int f(int n) { int a = n, b = 2; volatile int c = 3; g(&a); return a + b + c; }",
        &expect![[""]],
    );
}

#[test]
fn what_is_behind_a_jump_is_removed_unless_a_label_is_there() {
    check("int f(int n) { if (n) goto out; return 1; n = 2; n++; out: return n; n = 3; }", &expect![[""]]);
}

#[test]
fn pointers_are_subtracted_in_elements() {
    check("long f(global int *a, global int *b, uint n) { return (a - n) - b; }", &expect![[""]]);
}

#[test]
fn what_cannot_be_lowered_says_why() {
    check(
        "void a(void) { unknown(1); }
         void b(void) { asm(\"nop\"); }
         void c(int n) { if (n) goto in; n = ({ in: n; }); }
         void d(void) { void (^block)(void) = ^{ }; }",
        &expect![[""]],
    );
}

#[test]
fn chains_of_a_hundred_thousand_operators_need_no_deep_stack() {
    let sum = format!("int f(int n) {{ return n{}; }}", " + n".repeat(100_000));
    assert_eq!(lowered(&sum).lines().count(), 100_000 + 4);
    let all = format!("int f(int n) {{ if (n{}) return 1; return 0; }}", " && n".repeat(20_000));
    assert!(lowered(&all).contains("and.right.19999:"));
    let ladder =
        format!("int f(int n) {{ {} return 9; }}", "if (n == 1) n = 2; else ".repeat(20_000) + "n = 3;");
    assert!(lowered(&ladder).contains("if.else.19999:"));
}
