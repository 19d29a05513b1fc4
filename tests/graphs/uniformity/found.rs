//! Regression tests: kernels whose executions once contradicted the analysis.

use tangle_simulate::Program;
use tangle_syntax::dialect::opencl;

use super::evidence::Evidence;
use super::program::{Effort, Language, contradict, driven, launch};

#[track_caller]
fn holds(text: &str) {
    let effort =
        Effort { runs: 20, fuel: 400, aliases: false, whole_groups: false, language: Language::OpenCl };
    let (module, claims) = driven(Language::OpenCl, text).expect("the kernel can be lowered");
    if let Some(found) = contradict(&module, &claims, effort, 1) {
        panic!("{}", found.contradiction.explain(&module, &found.grid));
    }
}

#[test]
fn threads_that_jump_before_a_loop_skip_its_next_iteration() {
    holds(
        "kernel void k(global int *p) {
           int g = get_local_id(0), w;
         again:
           for (w = 0; w < 3; w++) { if (g > 1) { g--; goto again; } p[w] = 1; }
         }",
    );
}

#[test]
fn threads_that_iterate_early_skip_rest_of_iteration() {
    holds(
        "kernel void k(global int *p, int n) {
           int w = 0, x;
           do { x = get_local_id(0); } while (++w < 4 && x || n > 20);
           p[0] = w * 3;
         }",
    );
}

#[test]
fn heart_region_after_its_loop_is_reached_per_iteration() {
    holds(
        "kernel void k(global int *p) {
           int v = get_local_id(0) & 3;
           for (;;) {
             int first = sub_group_broadcast_first(v);
             if (v == first) { p[v] = sub_group_non_uniform_reduce_add(1); break; }
           }
         }",
    );
}

#[test]
fn endless_loop_of_several_blocks_is_not_reached_by_all() {
    holds(
        "kernel void k(global int *p, int n) {
           if (n == 99) goto b;
           if (get_local_id(0) & 1) goto out;
         a: p[1] = 1;
         b: p[2] = n;
           goto a;
         out: ;
         }",
    );
}

#[test]
fn diverged_threads_may_write_memory_that_others_read() {
    holds(
        "kernel void k(global int *p, int n) {
           int l = get_local_id(0), y = 0;
           work_group_broadcast(n, 0);
           if (l & 3) y = work_group_broadcast(p[n & 7], 0);
           p[get_global_id(0) & 15] = l + y;
         }",
    );
}

#[test]
fn inner_and_outer_paths_of_irreducible_cycle_converge() {
    holds(
        "kernel void k(global int *p, int n) {
           int x = 0, w = 0;
           switch (n & 3) {
           case 0: x = get_local_id(0) & 1;
           case 1:
           again:
             if (w) p[1] = n;
             if (x) goto again;
           }
           if (++w < 4 && 1 > p[n & 7]) goto again;
           p[get_global_id(0)] = w;
         }",
    );
}

#[test]
fn threads_that_skip_a_call_may_write_memory_that_it_reads() {
    holds(
        "static int f(int y, global int *p) { int z = p[y & 7]; z += work_group_reduce_max(z); p[y] = z; return z; }
         kernel void k(global int *p, int n) {
           int x = 0;
           if (get_sub_group_id() == 0) x = f(n & 7, p);
           p[get_global_id(0) & 15] = x + 1;
         }",
    );
}

/// The verdict "uniform" for this load assumes that work-groups do not race with each other.
#[test]
fn race_with_another_work_group_is_no_contradiction() {
    let text = "kernel void k(global int *p, int n) {
           if (get_group_id(0) == 1)
             sub_group_elect();
           int y = p[n & 7];
           barrier(CLK_GLOBAL_MEM_FENCE);
           p[get_global_id(0) & 15] = y + 1;
         }";
    let (module, claims) = driven(Language::OpenCl, text).expect("the kernel can be lowered");
    let effort =
        Effort { runs: 300, fuel: 400, aliases: false, whole_groups: false, language: Language::OpenCl };
    assert!(contradict(&module, &claims, effort, 1).is_none());
    let program = Program::new(&module, opencl().builtins()).expect("a lowered module obeys the rules");
    let without_races = (0..effort.runs).any(|seed| {
        let launch = launch(&module.functions[0], effort, seed);
        let mut evidence = Evidence::new(&claims, launch.grid(), effort.language);
        let run = program.run(0, &launch, &mut evidence).expect("the launch fits the kernel");
        evidence.contradiction(&run.grid).is_some()
    });
    assert!(without_races, "some execution contradicts the claims without the check for races");
}
