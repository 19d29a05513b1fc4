//! Tests of sources against their facts.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::print::print;
use super::unit::UnitFacts;
use super::{Divergence, Fact};
use tangle_syntax::db::{Database, Db};
use tangle_syntax::dialect::Scope;
use tangle_syntax::source::NoHeaders;

fn facts(source: &str) -> String {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", source);
    let facts = UnitFacts::of(&db, file, settings);
    let printed = facts.functions().iter().map(|(at, _)| facts.explain(at, print).expect("it is lowered"));
    printed.collect()
}

#[track_caller]
fn check(source: &str, expected: &Expect) {
    expected.assert_eq(&facts(source));
}

#[test]
fn each_id_builtin_has_its_scope_of_divergence() {
    check(
        "kernel void k(int n) {
           int i = get_local_id(0), g = get_group_id(0), s = get_sub_group_id(), z = get_local_size(0), m = n + z;
           if (i + g + s + m > 5) return;
         }",
        &expect![[r#"
            k
            entry
              %i: subgroup
              %g: grid
              %s: workgroup
              %z: grid
              %m: grid
              branch: subgroup <- %7 <- %6 <- %5 <- %4 <- %i <- %0 <- Builtin: call ulong get_local_id(uint 0)
            if.then: subgroup
            if.end: subgroup
        "#]],
    );
}

#[test]
fn value_joined_after_divergent_branch_is_divergent() {
    check(
        "kernel void k(int n, global int *p) {
           int x = 1, y = 1;
           if (get_local_id(0)) x = 2;
           if (n) y = 2;
           p[0] = x + y;
         }",
        &expect![[r#"
            k
            entry
              branch: subgroup <- %1 <- %0 <- Builtin: call ulong get_local_id(uint 0)
            if.then: subgroup
            if.end
              %x: subgroup
              branch: uniform
            if.end.1
              %y: uniform
            writes *p: subgroup
        "#]],
    );
}

#[test]
fn value_after_loop_with_divergent_exit_is_divergent() {
    check(
        "kernel void k(int n, global int *p) {
           int i = 0, last = 0;
           for (; i < get_local_id(0); i++) last = i * 2;
           p[0] = last;
           int j = 0;
           for (; j < n; j++) last = j * 2;
           p[1] = last;
         }",
        &expect![[r#"
            k
            for.cond: subgroup
              %i: uniform
              %last: uniform
              branch: subgroup <- %2 <- %1 <- Builtin: call ulong get_local_id(uint 0)
            for.body: subgroup
              %last.1: uniform
            for.step: subgroup
              %i.1: uniform
            for.cond.1
              %last.2: subgroup
              %j: uniform
              branch: uniform
            for.body.1
              %last.3: uniform
            for.step.1
              %j.1: uniform
            writes *p: subgroup
        "#]],
    );
}

#[test]
fn code_after_divergent_early_return_is_divergent() {
    check(
        "kernel void k(int n, global int *p) {
           if (n) return;
           barrier(1);
           if (p[get_global_id(0)]) return;
           barrier(1);
         }",
        &expect![[r#"
            k
            entry
              branch: uniform
            if.end
              branch: subgroup <- %5 <- %4 <- %3 <- %2 <- Builtin: call ulong get_global_id(uint 0)
            if.then.1: subgroup
            if.end.1: subgroup
        "#]],
    );
}

#[test]
fn function_summary_depends_on_its_parameters() {
    check(
        "static int twice(int x) { return x + x; }
         static int sign(int x) { return x < 0 ? -1 : 1; }
         static int id(void) { return get_local_id(0); }
         static void set(int *p, int x) { *p = x; }
         static int get(const int *p) { return *p; }
         kernel void k(int n, global int *p) {
           int a = twice(n), b = twice(id()), c = sign(n), d;
           set(&d, n);
           int e = get(&d), f, g;
           set(&f, id());
           int h = get(&f);
           p[0] = a + b + c + e + h;
         }",
        &expect![[r#"
            twice
            result: x
            sign
            entry
              branch: x
            cond.then: x
            cond.else: x
            result: x
            id
            result: subgroup
            set
            writes *p[0..4]: x
            get
            result: p *p
            k
            entry
              %a: uniform
              %b: subgroup
              %c: uniform
              %e: uniform
              %h: subgroup
            writes *p: subgroup
        "#]],
    );
}

#[test]
fn summaries_of_recursive_functions_are_complete() {
    check(
        "static int odd(int n, int x);
         static int even(int n, int x) { return n ? odd(n - 1, x) : x; }
         static int odd(int n, int x) { return n ? even(n - 1, x) : get_local_id(0); }
         kernel void k(int n, global int *p) { int x = even(n, 1); p[0] = x; }",
        &expect![[r#"
            even
            entry
              branch: n
            cond.then: n
            cond.else: n
            result: subgroup n x
            odd
            entry
              branch: n
            cond.then: n
            cond.else: n
            result: subgroup n x
            k
            entry
              %x: subgroup
            writes *p: subgroup
        "#]],
    );
}

#[test]
fn array_elements_and_fields_are_tracked_separately() {
    check(
        "struct s { int a, b; };
         kernel void k(int n, global int *p) {
           int w[4]; struct s s;
           w[0] = get_local_id(0); w[1] = n;
           s.a = get_local_id(0); s.b = n;
           int x = w[0], y = w[1], z = w[n], t = s.a, u = s.b;
           p[0] = x + y + z + t + u;
         }",
        &expect![[r#"
            k
            entry
              %x: subgroup
              %y: uniform
              %z: subgroup
              %t: subgroup
              %u: uniform
            writes *p: subgroup
        "#]],
    );
}

#[test]
fn read_only_memory_at_uniform_address_is_uniform() {
    check(
        "kernel void k(constant int *c, global const int *restrict r, global int *w, local int *l, int n) {
           int a = c[n], b = r[n], d = w[n], e = l[n], f = c[get_local_id(0)];
           if (a) w[0] = 1;
           if (b) w[1] = 1;
           if (d) w[2] = 1;
           if (e) l[0] = 1;
           if (f) l[1] = 1;
         }",
        &expect![[r#"
            k
            entry
              %a: uniform
              %b: uniform
              %d: subgroup
              %e: subgroup
              %f: subgroup
              branch: uniform
            if.end
              branch: uniform
            if.end.1
              branch: subgroup <- %10 <- %d <- SharedMemory(Global): load int %2
            if.then.2: subgroup
            if.end.2
              branch: subgroup <- %12 <- %e <- SharedMemory(Local): load int %3
            if.then.3: subgroup
            if.end.3
              branch: subgroup <- %14 <- %f <- %5 <- %4 <- Builtin: call ulong get_local_id(uint 0)
            if.then.4: subgroup
            writes *w: subgroup
            writes *l: subgroup
        "#]],
    );
}

#[test]
fn divergent_entry_makes_irreducible_cycle_divergent() {
    check(
        "kernel void k(int n, global int *p) {
           int x = n;
           if (get_local_id(0)) goto b;
           a: x = n + 1; p[0] = x;
           b: int y = n * 2; p[1] = y;
           if (n--) goto a;
         }",
        &expect![[r#"
            k
            entry
              branch: subgroup <- %1 <- %0 <- Builtin: call ulong get_local_id(uint 0)
            if.then: subgroup
            if.end: subgroup
            label.a: subgroup
              %n.1: subgroup
              %x: subgroup
            label.b: subgroup
              %n.2: subgroup
              %y: subgroup
              %n.3: subgroup
              branch: subgroup <- paths into a cycle from entry <- %1 <- %0 <- Builtin: call ulong get_local_id(uint 0)
            if.then.1: subgroup
            writes *p: subgroup
        "#]],
    );
}

#[test]
fn loop_token_keeps_threads_of_an_iteration_converged() {
    check(
        "kernel void k(int n, global int *p) {
           for (int i = 0; i < n; i++) {
             int x = i * 2;
             if (i == get_local_id(0)) {
               sub_group_barrier(1);
               int y = x + 1;
               p[y] = sub_group_any(y);
               int z = x + 1;
               p[z] = 1;
               break;
             }
           }
         }",
        &expect![[r#"
            k
            for.cond: subgroup
              %i: uniform
              branch: uniform
            for.body: subgroup
              %x: uniform
              branch: subgroup <- %5 <- %4 <- Builtin: call ulong get_local_id(uint 0)
            if.then: subgroup
              %y: uniform
              %z: subgroup
            if.end: subgroup
            for.step: subgroup
              %i.1: uniform
            writes *p: subgroup
        "#]],
    );
}

#[test]
fn load_between_two_barriers_is_uniform_in_work_group() {
    check(
        "kernel void k(local int *go, global int *p, int n) {
           if (get_local_id(0) == 0) *go = n;
           barrier(1);
           int again = *go;
           barrier(1);
           if (again) barrier(2);
           int late = *go;
           *go = 0;
           p[0] = late;
         }",
        &expect![[r#"
            k
            entry
              branch: subgroup <- %2 <- %1 <- Builtin: call ulong get_local_id(uint 0)
            if.then: subgroup
            if.end
              %again: grid
              branch: grid <- %3 <- %again <- SharedMemory(Local): load int %go
            if.then.1: grid
            if.end.1
              %late: subgroup
            writes *go: subgroup
            writes *p: subgroup
        "#]],
    );
}

/// Checks the first parameter of each function: its divergence at the call sites of the unit, and whether it is known
/// to be uniform in a work-group.
#[track_caller]
fn check_passed(source: &str, expected: &[(&str, Divergence, bool)]) {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", source);
    let facts = UnitFacts::of(&db, file, settings);
    let first = Fact::parameter(0);
    let of = |(at, definition): (_, &crate::program::Definition)| {
        let passed = facts.passed(at);
        (definition.key.name.as_str(), passed.verdict(first), passed.is_uniform(first, Scope::Workgroup))
    };
    assert_eq!(facts.functions().iter().map(of).collect::<Vec<_>>(), expected);
}

#[test]
fn parameter_fact_is_the_join_of_all_callers() {
    check_passed(
        "static void both(int n) { }
         static void same(int n) { both(n); }
         static void own(int n) { both(n); }
         void open(int n) { }
         static void nobodys(int n) { }
         kernel void k(int n) { same(n + 1); own(get_local_id(0)); own(n); open(n); }",
        &[
            ("both", Divergence::Subgroup, false),
            ("same", Divergence::None, true),
            ("own", Divergence::Subgroup, false),
            // Code outside the unit may call it.
            ("open", Divergence::None, false),
            ("nobodys", Divergence::None, false),
            ("k", Divergence::None, true),
        ],
    );
}

#[test]
fn parameter_facts_follow_recursion_but_not_pointees() {
    check_passed(
        "static void odd(int n, int x);
         static void even(int n, int x) { if (x) odd(x, n); }
         static void odd(int n, int x) { if (n) even(n - 1, x); }
         static void at(int *n) { }
         kernel void k(int n) { even(n, get_group_id(0)); int own = get_local_id(0); at(&own); }",
        &[
            ("even", Divergence::Grid, true),
            ("odd", Divergence::Grid, true),
            // The address is uniform, but the value at it is divergent.
            ("at", Divergence::None, true),
            ("k", Divergence::None, true),
        ],
    );
}

/// The agreed read of `go` takes three propagations, and one analysis explains all verdicts. If it is not recent any
/// more, another run with the agreed read finds the same.
#[test]
fn one_analysis_explains_all_verdicts() {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text(
        "k.cl",
        "kernel void k(int n) {
           local int go;
           if (get_local_id(0) == 0) go = n--;
           barrier(1);
           int again = go;
           barrier(1);
           if (again) barrier(1);
         }",
    );
    let facts = UnitFacts::of(&db, file, settings);
    let (at, _) = facts.functions().iter().next().unwrap();
    let first = facts.analysed(at).unwrap();
    assert_eq!(first.reads().agreed.len(), 1);
    let printed = first.explain(print);
    assert!(Arc::ptr_eq(&first.analysis, &facts.analysed(at).unwrap().analysis));
    let analysis = Arc::downgrade(&first.analysis);
    drop(first);
    // So heavy that all others are dropped.
    db.recent_analyses().keep(Arc::new(()), usize::MAX / 2);
    assert!(analysis.upgrade().is_none());
    let later = facts.analysed(at).unwrap();
    assert_eq!(later.explain(print), printed);
    assert!(Arc::ptr_eq(&later.analysis, &facts.analysed(at).unwrap().analysis));
}
