//! The data races that `tangle simulate` reports: both places and the element; none for correct kernels.

use serde_json::Value;

use super::simulate;

/// Returns the races as `object line access / line access`. Each seed must find some or none; the exit status agrees.
#[track_caller]
fn races(kernel: &str, options: &[&str]) -> Vec<String> {
    let of_seed = |seed: &str| {
        let output = simulate(kernel, &[options, &["--format", "json", "--seed", seed]].concat());
        let of: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(of["outcome"], "finished", "{of}");
        let all = of["races"].as_array().unwrap();
        assert_eq!(output.status.code(), Some(i32::from(!all.is_empty())));
        let side = |it: &Value| format!("{} {}", it["line"], it["access"].as_str().unwrap());
        let mut races: Vec<String> = all
            .iter()
            .map(|it| {
                let accesses = &it["accesses"];
                let mut sides = [side(&accesses[0]), side(&accesses[1])];
                sides.sort();
                format!("{} {}", it["object"].as_str().unwrap(), sides.join(" / "))
            })
            .collect();
        races.sort();
        races
    };
    let first = of_seed("0");
    assert_eq!(of_seed("1").is_empty(), first.is_empty());
    first
}

const NONE: [&str; 0] = [];

const REDUCTION: &str = "\
kernel void sum(global const float *in, global float *out, local float *tile) {
  int l = get_local_id(0);
  tile[l] = in[get_global_id(0)];
  BARRIER
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    float other = l < s ? tile[l + s] : 0;
    BARRIER
    if (l < s)
      tile[l] = other;
    BARRIER
  }
  if (l == 0) out[get_group_id(0)] = tile[0];
}
";

#[test]
fn reduction_without_local_barriers_has_data_races() {
    let with = |barrier: &str| races(REDUCTION, &["--groups", "2", "-D", &format!("BARRIER={barrier}")]);
    assert_eq!(with("barrier(CLK_LOCAL_MEM_FENCE);"), NONE);
    let without = with("");
    assert!(without.contains(&"tile 3 write / 6 read".to_owned()), "{without:?}");
    assert_eq!(with("barrier(CLK_GLOBAL_MEM_FENCE);"), without);
    assert_eq!(with("barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);"), NONE);
}

#[test]
fn atomic_and_plain_access_to_one_element_are_a_race() {
    let counter = "kernel void k(global int *p) {\n  atomic_inc(p);\n}";
    assert_eq!(races(counter, &["--groups", "2"]), NONE);
    let mixed =
        "kernel void k(global int *p) {\n  atomic_inc(p);\n  if (get_global_id(0) == 0)\n    p[1] = *p;\n}";
    assert_eq!(races(mixed, &["--groups", "2"]), ["p 2 atomic-write / 4 read"]);
}

#[test]
fn barriers_do_not_order_accesses_of_different_work_groups() {
    let kernel = "kernel void k(global int *p) {\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  if (get_local_id(0) == 0)\n    p[0] = 1;\n}";
    assert_eq!(races(kernel, &["--groups", "2"]), ["p 4 write / 4 write"]);
    assert_eq!(races(kernel, &["--groups", "1"]), NONE);
}

#[test]
fn shuffle_is_not_a_memory_access() {
    let kernel = "kernel void k(global int *p) {\n  int l = get_local_id(0);\n  p[l] = sub_group_shuffle_xor(p[l], 1);\n}";
    assert_eq!(races(kernel, &[]), NONE);
}

#[test]
fn stores_of_equal_values_to_one_element_are_a_race() {
    let kernel = "kernel void k(global int *p) {\n  p[0] = 1;\n}";
    assert_eq!(races(kernel, &[]), ["p 2 write / 2 write"]);
    assert_eq!(simulate(kernel, &["--no-races"]).status.code(), Some(0));
}

#[test]
fn different_members_race_only_as_bit_fields_of_one_byte() {
    let two = |first: &str, second: &str| {
        let kernel = format!(
            "struct s {{ int a : 4, b : 4; char c, d; int e; }};\nkernel void k(global struct s *p) {{\n  \
             if (get_local_id(0))\n    p->{first} = 1;\n  else\n    p->{second} = 2;\n}}"
        );
        races(&kernel, &["--local-size", "2"])
    };
    assert_eq!(two("c", "d"), NONE);
    assert_eq!(two("c", "e"), NONE);
    assert_eq!(two("a", "c"), NONE);
    assert_ne!(two("a", "b"), NONE);
    assert_eq!(two("e", "e").len(), 1);
}

#[test]
fn async_copy_needs_a_barrier_before_and_a_wait_after() {
    let with = |before: &str, behind: &str| {
        let kernel = format!(
            "kernel void k(global int *p, local int *t) {{\n  int l = get_local_id(0);\n  t[l] = l;\n  {before}\n  \
             event_t e = async_work_group_copy(p, t, 8, 0);\n  {behind}\n  t[l] = p[l ^ 1];\n  wait_group_events(1, &e);\n}}"
        );
        races(&kernel, &["--arg", "t=8"])
    };
    let (barrier, wait) = ("barrier(CLK_LOCAL_MEM_FENCE);", "wait_group_events(1, &e);");
    assert_eq!(with(barrier, wait), NONE);
    assert_eq!(with("", wait), ["t 3 write / 5 group-read"]);
    assert_eq!(with(barrier, ""), ["p 5 group-write / 7 read", "t 5 group-read / 7 write"]);
}

#[test]
fn race_report_has_element_locations_and_threads() {
    let kernel =
        "struct s { int x, y[4]; };\nkernel void k(global struct s *p) {\n  p[1].y[2] = get_local_id(0);\n}";
    let output = simulate(kernel, &["--local-size", "2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let reported = |a: u32, b: u32| {
        let side = |thread| format!("written by work-item {thread} at 3:3");
        format!("\nfinished\n\ndata races (unordered accesses):\n  `p[1].y[2]`: {}, {}\n", side(a), side(b))
    };
    assert!(text.contains(&reported(0, 1)), "{text}");
    let page =
        String::from_utf8(simulate(kernel, &["--local-size", "2", "--format", "html"]).stdout).unwrap();
    assert!(page.contains("<code>p[1].y[2]</code>: written by work-item 0 at <button"), "{page}");
}

#[test]
fn races_of_many_threads_are_reported_quickly() {
    let kernel = "kernel void k(global int *p) { p[get_global_id(0) % 64] = 1; atomic_inc(p + 70); }";
    let begin = std::time::Instant::now();
    let output = simulate(kernel, &["--groups", "65536", "--local-size", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}
