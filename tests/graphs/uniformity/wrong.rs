//! Tests of the evaluation: small kernels contradict the naive analysis without one of its rules, but not with all
//! rules.

use tangle_analysis::flow::module::{Irreducible, Options};
use tangle_analysis::flow::tokens::TokenMethod;

use super::claims::{Claims, Scopes};
use super::naive::{Rule, analyse};
use super::program::{Effort, Language, contradict, module};

const EFFORT: Effort =
    Effort { runs: 20, fuel: 400, aliases: true, whole_groups: false, language: Language::OpenCl };
const UNCONTROLLED: Options = Options { tokens: TokenMethod::Off, irreducible: Irreducible::Anchor };

#[track_caller]
fn right(text: &str, options: &Options) {
    let module = module(Language::OpenCl, text, options).expect("the kernel can be lowered");
    if let Some(found) = contradict(&module, &analyse(&module, None), EFFORT, 1) {
        panic!("{}", found.contradiction.explain(&module, &found.grid));
    }
}

/// Checks that a kernel contradicts the analysis without a rule, but not the analysis with all rules.
#[track_caller]
fn needs(rule: Rule, text: &str) {
    right(text, &UNCONTROLLED);
    let module = module(Language::OpenCl, text, &UNCONTROLLED).expect("the kernel can be lowered");
    let found = contradict(&module, &analyse(&module, Some(rule)), EFFORT, 1);
    assert!(found.is_some(), "nothing contradicts the analysis without {rule:?}");
}

#[test]
fn claim_that_all_is_uniform_is_contradicted() {
    let text = "kernel void k(global int *p) { p[0] = get_local_id(0); }";
    let module = module(Language::OpenCl, text, &UNCONTROLLED).unwrap();
    let all = |scopes: Scopes| {
        let claims: Vec<Claims> = module.functions.iter().map(|it| Claims::all(it, scopes)).collect();
        contradict(&module, &claims, EFFORT, 1).map(|found| found.contradiction.scope.as_str())
    };
    assert_eq!(all(Scopes::ALL), Some("subgroup"));
    assert_eq!(all(Scopes::NONE), None);
}

#[test]
fn ids_are_divergent_as_in_the_builtin_table() {
    needs(Rule::Sources, "kernel void k(global int *p) { p[0] = get_local_id(0); }");
    needs(Rule::Sources, "kernel void k(global int *p) { p[0] = get_sub_group_id(); }");
    needs(Rule::Sources, "kernel void k(global int *p) { p[0] = get_group_id(0); }");
}

#[test]
fn result_with_divergent_operand_is_divergent() {
    needs(Rule::Operands, "kernel void k(global int *p, int n) { p[0] = get_local_id(0) * 3 + n; }");
}

#[test]
fn memory_written_by_other_threads_is_divergent() {
    needs(Rule::Memory, "kernel void k(global int *p, int n) { p[0] = get_local_id(0); p[1] = p[0] + n; }");
    // The kernel reads the same memory through another pointer.
    needs(
        Rule::Memory,
        "kernel void k(global int *p, global const int *q) { p[0] = get_global_id(0) + 99; p[1] = q[0]; }",
    );
}

#[test]
fn phis_at_joins_of_divergent_branches_are_divergent() {
    needs(
        Rule::Joins,
        "kernel void k(global int *p, int n) { int x = 1; if (get_local_id(0) > n % 3) x = 2; p[0] = x; }",
    );
    needs(
        Rule::Joins,
        "kernel void k(global int *p) {
           int x = 0;
           switch (get_local_id(0)) { case 0: x = 1; case 1: x += 2; break; case 2: x = 7; }
           p[0] = x;
         }",
    );
}

#[test]
fn value_leaving_loop_in_different_iterations_is_divergent() {
    needs(
        Rule::TemporalDivergence,
        "kernel void k(global int *p) { int i = 0; while (i < get_local_id(0)) i++; p[0] = i * 3; }",
    );
    // The use is a branch.
    needs(
        Rule::TemporalDivergence,
        "kernel void k(global int *p) {
           int i = 0;
           for (;;) { i++; if (i > get_local_id(0)) break; }
           if (i & 1) p[0] = 1;
         }",
    );
}

#[test]
fn value_in_divergent_irreducible_cycle_is_divergent() {
    // The cycle has a divergent branch, and another entry (`r`) on the path to its join (`s`). If `r` is the header,
    // threads reach it together with values of `c` from different executions of `p`. If `p` is the header, they do not.
    needs(
        Rule::Irreducible,
        "kernel void k(global int *out, int n) {
           int c = 0, i = 0;
           if (n == 0) goto r;
         p: c = sub_group_reduce_add(1);
           if ((get_local_id(0) & 1) == (i & 1)) goto s;
         r: out[i] = c + 5;
         s: if (++i < 4) goto p;
         }",
    );
}

#[test]
fn parameter_with_divergent_argument_is_divergent() {
    needs(
        Rule::Parameters,
        "static int twice(int x) { return x * 2; }
         kernel void k(global int *p) { p[0] = twice(get_local_id(0)) + twice(1); }",
    );
}

#[test]
fn result_of_divergent_returns_is_divergent() {
    needs(
        Rule::Returns,
        "static int pick(int x) { if (x > 2) return 1; return 2; }
         kernel void k(global int *p) { p[0] = pick(get_local_id(0)); }",
    );
}

#[test]
fn blocks_after_divergent_branches_are_not_reached_together() {
    needs(Rule::Control, "kernel void k(global int *p) { if (get_local_id(0) > 1) p[0] = 1; p[1] = 2; }");
    needs(
        Rule::Control,
        "kernel void k(global int *p) { for (int i = 0; i < get_local_id(0); i++) p[0] = 1; p[1] = 2; }",
    );
}

#[test]
fn token_keeps_threads_converged_after_divergent_exit() {
    // Threads that leave in the same iteration have equal `i` up to the barrier, but not after its region.
    let text = "kernel void k(global int *p, int n) {
        for (int i = 0; i < 9; i++)
          if (i == get_local_id(0)) { p[i] = i * 3; sub_group_barrier(1); p[9] = i; break; }
      }";
    right(text, &Options::default());
    let uniform = |options: &Options| {
        let module = module(Language::OpenCl, text, options).unwrap();
        let function = &module.functions[0];
        let mut claims = Claims::all(function, Scopes::NONE);
        for (id, value) in function.values.iter_enumerated() {
            let is_product = matches!(
                value.op,
                tangle_analysis::flow::Op::Binary { op: tangle_hir::typed::Arithmetic::Mul, .. }
            );
            claims.values[id] = if is_product { Scopes::ALL } else { Scopes::NONE };
        }
        contradict(&module, &[claims], EFFORT, 1).is_none()
    };
    assert!(uniform(&Options::default()), "the heart controls the region up to the barrier");
    assert!(!uniform(&UNCONTROLLED), "without tokens, the threads converge after the loop");
}
