//! The marks of a thread table, derived by hand: threads that wait at the end, threads that have returned, and threads
//! that an operation names although they are elsewhere.

use expect_test::{Expect, expect};
use serde_json::json;

use super::{FOUR, json, simulate, simulate_file, text};

/// Returns the table and its key, without the launch, the sets and the text below.
fn table(output: &str) -> &str {
    let (_, rest) = output.split_once("\n\n").unwrap();
    rest.split("\n\n").next().unwrap()
}

fn key(output: &str) -> &str {
    output.lines().find(|line| line.starts_with("same letter")).unwrap()
}

#[track_caller]
fn cuda(kernel: &str, options: &[&str], expected: Expect) -> String {
    let out = text(&simulate_file("a.cu", kernel, &[&FOUR, &["--sub-group-size", "4"], options].concat()));
    expected.assert_eq(&format!("{}\n", table(&out)));
    out
}

/// Work-item 3 returns before the barrier.
const EARLY: &str = "\
kernel void k(global int *p, int n) {
  int l = get_local_id(0);
  if (l >= n)
    return;
  p[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
}
";

#[test]
fn last_column_says_who_waits_where_and_who_has_returned() {
    let out = text(&simulate(EARLY, &["--local-size", "4", "--arg", "n=3"]));
    expect![[r#"
        work-item  2  4  5  end
                0  A     C  C waits at 6
                1  A     C  C waits at 6
                2  A     C  C waits at 6
                3  A  B  ·  returned at 4
    "#]]
    .assert_eq(&format!("{}\n", table(&out)));
    assert_eq!(key(&out), "same letter: work-items that execute or wait together; ·: has returned");
    // The line of the barrier is shown, although no work-item executes it.
    assert!(out.contains("\n6 |   barrier(CLK_LOCAL_MEM_FENCE);\n"), "{out}");
}

#[test]
fn threads_that_wait_at_two_barriers_are_told_apart() {
    let kernel = "\
kernel void k(local int *p) {
  if (get_local_id(0) < 2)
    barrier(CLK_LOCAL_MEM_FENCE);
  else
    barrier(CLK_GLOBAL_MEM_FENCE);
}
";
    let out = text(&simulate(kernel, &FOUR));
    expect![[r#"
        work-item  2  3  5  end
                0  A  B     B waits at 3
                1  A  B     B waits at 3
                2  A     C  C waits at 5
                3  A     C  C waits at 5
    "#]]
    .assert_eq(&format!("{}\n", table(&out)));
}

/// The specification lets the work-items that jump and the others execute two instances of the barrier.
#[test]
fn threads_that_wait_apart_at_one_barrier_have_different_letters() {
    let kernel = "\
kernel void k(global int *p) {
  if (get_local_id(0) < 2)
    goto out;
  p[get_local_id(0)] = 1;
out:
  barrier(CLK_GLOBAL_MEM_FENCE);
}
";
    let out = text(&simulate(kernel, &[&FOUR[..], &["--strategy", "tangles", "--policy", "must"]].concat()));
    expect![[r#"
        work-item  2  4  6  6  end
                0  A     C     C waits at 6
                1  A     C     C waits at 6
                2  A  B     B  B waits at 6
                3  A  B     B  B waits at 6
    "#]]
    .assert_eq(&format!("{}\n", table(&out)));
}

/// The access outside of the object ends the execution, while other work-items can continue.
#[test]
fn thread_with_undefined_behaviour_is_the_one_that_stopped() {
    let kernel = "\
kernel void k(global int *p) {
  if (get_local_id(0) == 2)
    p[-1] = 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
}
";
    let of = json(kernel, &FOUR);
    let ends = of["ends"].as_array().unwrap();
    let stopped: Vec<_> = ends.iter().filter(|end| end["state"] == "stopped").collect();
    assert_eq!(stopped.len(), 1);
    assert_eq!((&stopped[0]["line"], &stopped[0]["threads"]), (&json!(3), &json!([2])));
}

/// All threads return in the end, so the table has no last column.
#[test]
fn threads_that_returned_early_are_marked_in_later_steps() {
    let kernel = "\
__global__ void k(int *p, int n) {
  int l = threadIdx.x;
  if (l >= n)
    return;
  p[l] = l;
  __syncthreads();
}
";
    cuda(
        kernel,
        &["--arg", "n=3"],
        expect![[r#"
            thread  2  4  5  6*
                 0  A     C   C
                 1  A     C   C
                 2  A     C   C
                 3  A  B  ·   ·
        "#]],
    );
}

#[test]
fn named_threads_that_are_elsewhere_are_marked() {
    let kernel = "\
__global__ void k(int *p) {
  int v = threadIdx.x;
  if (v < 2)
    v += __shfl_xor_sync(0xf, v, 1);
  p[threadIdx.x] = v;
}
";
    let out = cuda(
        kernel,
        &[],
        expect![[r#"
            thread  2  4*  5
                 0  A   B  A
                 1  A   B  A
                 2  A   ?  A
                 3  A   ?  A
        "#]],
    );
    assert_eq!(
        key(&out),
        "same letter: threads that execute together; *: convergent operation; ?: awaited, but elsewhere"
    );
    let threads = "4:10 `__shfl_xor_sync`: threads 0-1; mask 0xf; awaited, but elsewhere: threads 2-3\n";
    assert!(out.contains(threads), "{out}");
}

#[test]
fn threads_that_execute_an_operation_without_being_named_are_marked() {
    let kernel = "\
__global__ void k(int *p) {
  int v = threadIdx.x;
  v += __shfl_xor_sync(0x3, v, 1);
  p[threadIdx.x] = v;
}
";
    let out = cuda(
        kernel,
        &[],
        expect![[r#"
            thread  2  3*
                 0  A   A
                 1  A   A
                 2  A  !A
                 3  A  !A
        "#]],
    );
    assert!(key(&out).ends_with("; !: not in its own mask"), "{out}");
    assert!(out.contains("its mask does not name this thread\n  at 3:8: thread 2\n"), "{out}");
    assert!(
        out.contains("`__shfl_xor_sync`: threads 0-3; mask 0x3; not in their own masks: threads 2-3\n"),
        "{out}"
    );
}

/// A tile of two threads awaits its other thread, and no thread of the other tile.
#[test]
fn threads_of_a_tile_that_are_elsewhere_are_marked() {
    let kernel = "\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *p) {
  auto tile = cg::tiled_partition<2>(cg::this_thread_block());
  if (threadIdx.x != 1)
    tile.sync();
  p[threadIdx.x] = 1;
}
";
    let out = cuda(
        kernel,
        &[],
        expect![[r#"
            thread  4  6*  7
                 0  A   B  A
                 1  A   ?  A
                 2  A   B  A
                 3  A   B  A
        "#]],
    );
    assert!(out.contains("threads 0, 2-3; masks 0x3, 0xc; awaited, but elsewhere: thread 1\n"), "{out}");
}

/// In OpenCL C, a reduction needs all work-items of the sub-group.
#[test]
fn work_items_that_an_operation_of_the_sub_group_needs_are_marked() {
    let kernel = "\
kernel void k(global int *p) {
  int l = get_local_id(0);
  if (l != 1)
    p[l] = sub_group_reduce_add(l);
}
";
    let out = text(&simulate(kernel, &FOUR));
    let rows = table(&out).lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "));
    let rows: Vec<String> = rows.collect();
    // The block of line 4 begins with the address of the store, before the reduction.
    assert_eq!(rows[0], "work-item 2 4 4* 5");
    assert_eq!(rows[1], "0 A B B A");
    assert_eq!(rows[2], "1 A ? A");
}

/// Returns the elements of an image: the name, the class and the text of each.
fn elements(svg: &str) -> Vec<(String, String, String)> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    let own = |it: roxmltree::Node, name: &str| it.attribute(name).unwrap_or_default().to_owned();
    let element = |it: roxmltree::Node| {
        (it.tag_name().name().to_owned(), own(it, "class"), it.text().unwrap_or_default().to_owned())
    };
    elements.map(element).collect()
}

#[test]
fn image_has_the_cells_of_the_text_and_no_scripts() {
    let svg = text(&simulate(EARLY, &["--local-size", "4", "--arg", "n=3", "--format", "svg"]));
    let elements = elements(&svg);
    let texts = |class: &str| -> Vec<&str> {
        let with = elements.iter().filter(|(name, of, _)| name == "text" && of == class);
        with.map(|(.., text)| &**text).collect()
    };
    assert_eq!(texts("mid"), ["A", "A", "A", "A", "B", "C", "C", "C"]);
    // The work-item that has returned, in the step of line 5.
    assert_eq!(texts("mid strong"), ["·"]);
    assert_eq!(texts("strong")[1..], ["C waits at 6"; 3]);
    assert!(texts("faint").contains(&"returned at 4"), "{svg}");
    // The condition explains the steps, although no step begins there.
    assert!(texts("").contains(&"  if (l >= n)"), "{svg}");
    assert!(svg.contains("@media(prefers-color-scheme:dark)"), "{svg}");
    for foreign in ["<script", "href", "url(http", "<image", "@import"] {
        assert!(!svg.contains(foreign), "{foreign}: {svg}");
    }
}

#[test]
fn image_of_a_long_execution_is_cut_and_says_so() {
    let kernel = "\
kernel void k(global int *p, int n) {
  for (int i = 0; i < n; i++)
    barrier(CLK_LOCAL_MEM_FENCE);
}
";
    let svg = text(&simulate(kernel, &["--local-size", "100", "--arg", "n=40", "--format", "svg"]));
    let steps = svg.matches("<g><title>").count();
    assert_eq!(steps, 40);
    assert!(svg.contains(" more steps</text>"), "{svg}");
    // The 100 equal rows are one row.
    assert!(svg.contains(">0-99</text>"), "{svg}");
}

#[test]
fn text_of_a_kernel_is_escaped_in_an_image() {
    let kernel =
        "kernel void k(global int *p) {\n  if (p[0] < 1 && get_local_id(0) < 2) p[1] = '\"'; // </text>\n}\n";
    let svg = text(&simulate(kernel, &[&FOUR[..], &["--format", "svg", "--no-races"]].concat()));
    let lines = elements(&svg);
    assert!(lines.iter().any(|(.., text)| text.ends_with("p[1] = '\"'; // </text>")), "{svg}");
}

#[test]
fn image_shows_one_execution() {
    let trouble = super::trouble(EARLY, &["--policy", "all", "--format", "svg"]);
    assert!(trouble.contains("`--format svg` shows one execution"), "{trouble}");
}

#[test]
fn json_has_the_ends_and_the_named_threads() {
    let of = json(EARLY, &["--local-size", "4", "--arg", "n=3"]);
    assert_eq!(
        of["ends"],
        json!([
            { "state": "waiting", "callee": "barrier", "line": 6, "column": 3, "group": 0, "threads": [0, 1, 2] },
            { "state": "returned", "line": 4, "column": 5, "group": 0, "threads": [3] },
        ])
    );
    let kernel = "\
__global__ void k(int *p) {
  if (threadIdx.x < 2)
    p[0] = __shfl_xor_sync(0x5, 1, 1);
}
";
    let options = ["--local-size", "4", "--sub-group-size", "4", "--format", "json"];
    let of: serde_json::Value =
        serde_json::from_str(&text(&simulate_file("a.cu", kernel, &options))).unwrap();
    let expected = json!({
        "masks": [{ "lanes": "0x5", "group": 0, "threads": [0, 1] }],
        "unnamed": [{ "group": 0, "threads": [1] }],
        "missing": [{ "group": 0, "threads": [2] }],
    });
    assert_eq!(of["communications"][0]["named"], expected);
    let step = of["table"].as_array().unwrap().iter().find(|step| !step["callee"].is_null()).unwrap();
    assert_eq!(step["named"], expected);
}
