//! `tangle simulate`: tables derived by hand from the specification, outcomes of executions, and hostile kernels.

mod marks;
mod masks;
mod races;

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use serde_json::Value;
use tempfile::TempDir;

/// Runs the command on a kernel of OpenCL C.
fn simulate(text: &str, options: &[&str]) -> Output {
    simulate_file("a.cl", text, options)
}

fn simulate_file(name: &str, text: &str, options: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(folder.path())
        .args(["simulate", name])
        .args(options)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn trouble(text: &str, options: &[&str]) -> String {
    let output = simulate(text, options);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[track_caller]
fn prints(kernel: &str, options: &[&str], status: i32, expected: Expect) {
    let output = simulate(kernel, options);
    expected.assert_eq(&text(&output));
    assert_eq!(output.status.code(), Some(status), "{output:?}");
}

fn json(kernel: &str, options: &[&str]) -> Value {
    let output = simulate(kernel, &[options, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// Returns the table as `line[*] threads/threads` for each step.
fn table(of: &Value) -> Vec<String> {
    let steps = of["table"].as_array().unwrap();
    let step = |step: &Value| {
        let instances = step["instances"].as_array().unwrap();
        let threads: Vec<String> = instances.iter().map(|it| it["threads"].to_string()).collect();
        let sign = if step["callee"].is_null() { "" } else { "*" };
        format!("{}{sign} {}", step["line"], threads.join(" "))
    };
    steps.iter().map(step).collect()
}

/// Returns the communications as `line threads`.
/// Returns the line of each operation, and its threads: one list for each group.
fn communications(of: &Value) -> Vec<String> {
    let all = of["communications"].as_array().unwrap();
    let further = |it: &Value| -> String {
        let groups = it["further"].as_array().into_iter().flatten();
        groups.map(|group| format!(" {}", group["threads"])).collect()
    };
    all.iter().map(|it| format!("{} {}{}", it["line"], it["threads"], further(it))).collect()
}

const FOUR: [&str; 2] = ["--local-size", "4"];

const IF: &str = "\
kernel void k(global int *p) {
  int l = get_local_id(0);
  if (l & 1) {
    p[l] = 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    p[l] = 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
";

#[test]
fn threads_diverge_at_a_branch_and_reconverge_after_it() {
    prints(
        IF,
        &FOUR,
        1,
        expect![[r#"
        k in a.cl: 4 work-items, sub-groups of 4; tokens, early, seed 0

        work-item  2  4  7  5*  9*
                0  A     C   ?   A
                1  A  B      B   A
                2  A     C   ?   A
                3  A  B      B   A

        same letter: work-items that execute together; *: convergent operation; ?: awaited, but elsewhere
        A: work-items 0-3
        B: work-items 1, 3
        C: work-items 0, 2

        2 |   int l = get_local_id(0);
        4 |     p[l] = 1;
        5 |     sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        7 |     p[l] = 2;
        9 |   barrier(CLK_LOCAL_MEM_FENCE);

        undefined: only 2 of the 4 work-items of a sub-group reach `sub_group_barrier`
          at 5:5: work-item 1

        executed together:
          5:5 `sub_group_barrier`: work-items 1, 3; awaited, but elsewhere: work-items 0, 2
          9:3 `barrier`: work-items 0-3
    "#]],
    );
}

#[test]
fn json_output_has_the_keys_that_scripts_use() {
    prints(
        IF,
        &[&FOUR[..], &["--format", "json"]].concat(),
        1,
        expect![[r#"
        {
          "file": "a.cl",
          "function": "k",
          "local_size": [
            4,
            1,
            1
          ],
          "groups": 1,
          "sub_group_size": 4,
          "strategy": "tokens",
          "policy": "early",
          "seed": 0,
          "outcome": "undefined",
          "reason": "only 2 of the 4 work-items of a sub-group reach `sub_group_barrier`",
          "stopped": {
            "line": 5,
            "column": 5,
            "group": 0,
            "thread": 1
          },
          "ends": [
            {
              "state": "returned",
              "line": 10,
              "column": 1,
              "group": 0,
              "threads": [
                0,
                1,
                2,
                3
              ]
            }
          ],
          "operations": 46,
          "communications": [
            {
              "callee": "sub_group_barrier",
              "line": 5,
              "column": 5,
              "group": 0,
              "threads": [
                1,
                3
              ],
              "named": {
                "missing": [
                  {
                    "group": 0,
                    "threads": [
                      0,
                      2
                    ]
                  }
                ]
              }
            },
            {
              "callee": "barrier",
              "line": 9,
              "column": 3,
              "group": 0,
              "threads": [
                0,
                1,
                2,
                3
              ]
            }
          ],
          "races": [],
          "table": [
            {
              "line": 2,
              "column": 11,
              "instances": [
                {
                  "group": 0,
                  "threads": [
                    0,
                    1,
                    2,
                    3
                  ]
                }
              ]
            },
            {
              "line": 4,
              "column": 5,
              "instances": [
                {
                  "group": 0,
                  "threads": [
                    1,
                    3
                  ]
                }
              ]
            },
            {
              "line": 7,
              "column": 5,
              "instances": [
                {
                  "group": 0,
                  "threads": [
                    0,
                    2
                  ]
                }
              ]
            },
            {
              "line": 5,
              "column": 5,
              "callee": "sub_group_barrier",
              "instances": [
                {
                  "group": 0,
                  "threads": [
                    1,
                    3
                  ]
                }
              ],
              "named": {
                "missing": [
                  {
                    "group": 0,
                    "threads": [
                      0,
                      2
                    ]
                  }
                ]
              }
            },
            {
              "line": 9,
              "column": 3,
              "callee": "barrier",
              "instances": [
                {
                  "group": 0,
                  "threads": [
                    0,
                    1,
                    2,
                    3
                  ]
                }
              ]
            }
          ]
        }
    "#]],
    );
}

const BREAK: &str = "\
kernel void k(global int *p, int n) {
  int l = get_local_id(0);
  for (int i = 0; i < n; i++) {
    if (i == l) {
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
      break;
    }
    p[l] = i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
";

#[test]
fn threads_leaving_a_loop_converge_per_iteration() {
    let of = json(BREAK, &["--local-size", "4", "--arg", "n=3"]);
    // In iteration i, thread i leaves the loop through the barrier. Thread 3 leaves by the condition. Then all threads
    // meet. Line 3 has two blocks, the step and the condition.
    let expected = [
        "2 [0,1,2,3]",
        "3 [0,1,2,3]",
        "4 [0,1,2,3]",
        "5* [0]",
        "8 [1,2,3]",
        "3 [1,2,3]",
        "3 [1,2,3]",
        "4 [1,2,3]",
        "5* [1]",
        "8 [2,3]",
        "3 [2,3]",
        "3 [2,3]",
        "4 [2,3]",
        "5* [2]",
        "8 [3]",
        "3 [3]",
        "3 [3]",
        "10* [0,1,2,3]",
    ];

    assert_eq!(table(&of), expected);
    assert_eq!(communications(&of), ["5 [0]", "5 [1]", "5 [2]", "10 [0,1,2,3]"]);
}

#[test]
fn without_tokens_exiting_threads_converge_after_the_loop() {
    // The barrier is in no cycle of the graph.
    let of = json(BREAK, &["--local-size", "4", "--arg", "n=3", "--strategy", "graph"]);
    assert_eq!(of["strategy"], "graph");
    assert_eq!(communications(&of), ["5 [0,1,2]", "10 [0,1,2,3]"]);
}

#[test]
fn barrier_that_some_threads_never_reach_is_a_deadlock() {
    let kernel = "\
kernel void k(global int *p) {
  if (get_local_id(0) == 2) return;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[0] = 1;
}
";
    prints(
        kernel,
        &FOUR,
        1,
        expect![[r#"
        k in a.cl: 4 work-items, sub-groups of 4; tokens, early, seed 0

        work-item  2  2  3  end
                0  A     C  C waits at 3
                1  A     C  C waits at 3
                2  A  B  ·  returned at 2
                3  A     C  C waits at 3

        same letter: work-items that execute or wait together; ·: has returned
        A: work-items 0-3
        B: work-item 2
        C: work-items 0-1, 3

        2 |   if (get_local_id(0) == 2) return;
        3 |   barrier(CLK_LOCAL_MEM_FENCE);

        deadlock: work-items wait for other work-items that never arrive
          at 3:3: work-items 0-1, 3 wait in `barrier`
          work-item 2 has returned
    "#]],
    );
    let of = json(kernel, &FOUR);
    assert_eq!((of["outcome"].as_str(), communications(&of)), (Some("deadlock"), vec![]));
    assert_eq!(of["waiting"][0]["threads"].to_string(), "[0,1,3]");
    assert_eq!(of["returned"][0]["threads"].to_string(), "[2]");
}

#[test]
fn threads_that_wait_at_different_barriers_deadlock() {
    let kernel = "\
kernel void k(global int *p) {
  if (get_local_id(0) < 2)
    barrier(CLK_LOCAL_MEM_FENCE);
  else
    barrier(CLK_LOCAL_MEM_FENCE);
}
";
    let of = json(kernel, &FOUR);
    assert_eq!(of["outcome"], "deadlock");
    let waits: Vec<String> = of["waiting"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["line"], it["threads"]))
        .collect();
    assert_eq!(waits, ["3 [0,1]", "5 [2,3]"]);
    assert!(of["returned"].is_null());
}

#[test]
fn reduction_combines_only_threads_that_reach_it() {
    // 0 + 1 + 2 is 3, so all three threads reach line 6.
    let kernel = "\
kernel void k(global int *p) {
  int l = get_local_id(0);
  if (l < 3) {
    int s = sub_group_reduce_add(l);
    if (s == 3)
      p[l] = s;
  }
}
";
    let of = json(kernel, &FOUR);
    assert_eq!(of["reason"], "only 3 of the 4 work-items of a sub-group reach `sub_group_reduce_add`");
    assert_eq!(table(&of), ["2 [0,1,2,3]", "4* [0,1,2]", "6 [0,1,2]", "8 [0,1,2,3]"]);
}

#[test]
fn threads_in_different_calls_do_not_converge() {
    let kernel = "\
void inner(global int *p) {
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  p[get_local_id(0)] = 1;
}
void outer(global int *p, int l) {
  if (l == 0) return;
  inner(p);
}
kernel void k(global int *p) {
  int l = get_local_id(0);
  outer(p, l);
  inner(p);
}
";
    // Thread 0 returns early from `outer`. It meets the others only in the second call of `inner`.
    prints(
        kernel,
        &FOUR,
        1,
        expect![[r#"
        k in a.cl: 4 work-items, sub-groups of 4; tokens, early, seed 0

        work-item  10  6  6  7  2*  2*
                0   A  A  B      ?   A
                1   A  A     C   C   A
                2   A  A     C   C   A
                3   A  A     C   C   A

        same letter: work-items that execute together; *: convergent operation; ?: awaited, but elsewhere
        A: work-items 0-3
        B: work-item 0
        C: work-items 1-3

         2 |   sub_group_barrier(CLK_LOCAL_MEM_FENCE);
         6 |   if (l == 0) return;
         7 |   inner(p);
        10 |   int l = get_local_id(0);

        undefined: only 3 of the 4 work-items of a sub-group reach `sub_group_barrier`
          at 2:3: work-item 1

        executed together:
          2:3 `sub_group_barrier`: work-items 1-3; awaited, but elsewhere: work-item 0
          2:3 `sub_group_barrier`: work-items 0-3
    "#]],
    );
}

const IRREDUCIBLE: &str = "\
kernel void k(global int *p, int n) {
  int i = 0;
  if (get_local_id(0) & 1) goto b;
a:
  p[0] = 1;
b:
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (++i < n) goto a;
}
";

#[test]
fn policies_differ_only_in_implementation_defined_behaviour() {
    let with = |policy: &str| {
        let options = ["--local-size", "4", "--arg", "n=2", "--policy", policy];
        (json(IRREDUCIBLE, &options), json(IF, &["--local-size", "4", "--policy", policy]))
    };
    let (early, _) = with("early");
    let (must, structured) = with("must");
    assert!(communications(&early).iter().any(|it| it.contains(',')), "{early}");
    // Each of the four threads reaches the barrier twice, alone.
    let alone = ["7 [0]", "7 [1]", "7 [2]", "7 [3]"];
    let mut all = communications(&must);
    all.sort();
    all.dedup();
    assert_eq!(all, alone);
    assert_eq!(communications(&must).len(), 8);
    // Where tangles are defined, there is no choice.
    assert_eq!(communications(&structured), ["5 [1,3]", "9 [0,1,2,3]"]);
    assert_eq!(communications(&with("random").1), ["5 [1,3]", "9 [0,1,2,3]"]);
}

#[test]
fn dispatcher_converges_threads_in_each_iteration() {
    let options = ["--local-size", "4", "--arg", "n=2", "--irreducible", "dispatch", "--policy", "must"];
    let of = json(IRREDUCIBLE, &options);
    assert_eq!(of["outcome"], "undefined");
    assert!(of["reason"].as_str().unwrap().starts_with("only "), "{of}");
    assert!(communications(&of).iter().any(|it| it.contains(',')), "{of}");
}

#[test]
fn same_seed_gives_the_same_output() {
    for format in ["human", "json", "html"] {
        let options =
            ["--groups", "2", "--arg", "n=3", "--policy", "random", "--seed", "7", "--format", format];
        assert_eq!(text(&simulate(BREAK, &options)), text(&simulate(BREAK, &options)));
    }
}

#[test]
fn threads_of_different_work_groups_do_not_converge() {
    let of = json(IF, &["--local-size", "2", "--groups", "2"]);
    assert_eq!(communications(&of), ["5 [1]", "5 [1]", "9 [0,1]", "9 [0,1]"]);
    let instances = &of["table"][0]["instances"];
    assert_eq!(instances.to_string(), r#"[{"group":0,"threads":[0,1]},{"group":1,"threads":[0,1]}]"#);
}

#[test]
fn undefined_behaviour_is_reported_with_its_location() {
    let ends = |kernel: &str, options: &[&str], reason: &str, line: u64| {
        let output = simulate(kernel, &[options, &["--format", "json"]].concat());
        let of: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{of}");
        assert_eq!(of["outcome"], "undefined", "{of}");
        assert_eq!((of["reason"].as_str(), of["stopped"]["line"].as_u64()), (Some(reason), Some(line)));
    };
    let bounds = "an access of 4 bytes at byte 12 is outside its object of 12 bytes";
    ends("kernel void k(global int *p) {\n  p[3] = 1;\n}", &["--arg", "p=1,2,3"], bounds, 2);
    let undefined = "a branch depends on an undefined value";
    ends("kernel void k(global int *p) {\n  int x;\n  if (x) p[0] = 1;\n}", &[], undefined, 3);
    let nowhere = "an address does not point to an object";
    ends("kernel void k() {\n  global int *p = 0;\n  *p = 1;\n}", &[], nowhere, 3);
    // The initial contents of `local` memory may be loaded, but no branch, address or lane may depend on them.
    let first = |rest: &str| format!("kernel void k(global int *p, local int *t, int z) {{\n  {rest}\n}}");
    let address = "an address depends on an undefined value";
    ends(&first("p[t[0]] = 1;"), &[], address, 2);
    ends(&first("if (sub_group_reduce_add(t[0])) p[0] = 1;"), &[], undefined, 2);
    ends(&first("if (sub_group_broadcast(z, t[0])) p[0] = 1;"), &[], undefined, 2);
    ends(&first("if (sub_group_shuffle(z, t[0])) p[0] = 1;"), &[], undefined, 2);
    // The result of a division by zero is undefined.
    for division in ["5 / z", "5 % z", "-5 / z"] {
        ends(&first(&format!("if ({division}) p[0] = 1;")), &["--arg", "z=0"], undefined, 2);
        ends(
            &first(&format!("switch ({division}) {{ case 1: p[0] = 1; }}")),
            &["--arg", "z=0"],
            undefined,
            2,
        );
        ends(&first(&format!("p[{division}] = 1;")), &["--arg", "z=0"], address, 2);
    }
    // A lane that does not take part provides no value.
    let lane = "kernel void k(global int *p) {\n  int l = get_local_id(0);\n  if (l < 2) {\n    \
                if (sub_group_shuffle(l, 3))\n      p[0] = 1;\n  }\n}";
    ends(lane, &FOUR, undefined, 4);
}

#[test]
fn unused_undefined_values_are_accepted_and_integers_wrap() {
    let finishes = |statement: &str, options: &[&str]| {
        let kernel = format!("kernel void k(global int *p, local int *t, int z) {{\n  {statement}\n}}");
        let of = json(&kernel, &[&["--local-size", "1"], options].concat());
        assert_eq!(of["outcome"], "finished", "{statement}: {of}");
    };
    finishes("p[0] = t[0];", &[]);
    finishes("p[0] = 5 / z;", &["--arg", "z=0"]);
    finishes("int x; p[0] = x + 1;", &[]);
    // A wrong result causes a write outside the object. Shift counts are taken modulo the width.
    finishes("if ((1 << z) != 2) p[-1] = 1;", &["--arg", "z=33"]);
    finishes("if ((1 >> z) != 1) p[-1] = 1;", &["--arg", "z=32"]);
    finishes("if ((1L << z) != (1L << 33)) p[-1] = 1;", &["--arg", "z=33"]);
    finishes("if (z + 1 > 0) p[-1] = 1;", &["--arg", "z=2147483647"]);
}

/// Checks that a kernel that does not end is stopped soon, with a message that contains `word`.
#[track_caller]
fn is_ended(kernel: &str, options: &[&str], word: &str) {
    let begin = Instant::now();
    let output = simulate(kernel, options);
    let (out, err) = (text(&output), String::from_utf8_lossy(&output.stderr));
    assert!(matches!(output.status.code(), Some(1 | 2)), "{output:?}");
    assert!(format!("{out}{err}").contains(word), "{out}{err}");
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
}

#[test]
fn endless_or_oversized_kernels_are_stopped() {
    let endless = "possibly an endless loop";
    is_ended("kernel void k() { for (;;); }", &[], endless);
    is_ended(
        "kernel void k() { for (;;) sub_group_barrier(1); }",
        &[],
        "a work-item exceeds its limit of operations",
    );
    is_ended(
        "kernel void k(global int *p) { while (p[0] == p[0]) barrier(1); }",
        &["--local-size", "1024"],
        "exceeds its limit of",
    );
    is_ended(
        "kernel void k(global int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }",
        &["--arg", "n=2147483647"],
        "outside its object",
    );
    is_ended(
        "kernel void k(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) ; }",
        &["--arg", "n=2147483647"],
        endless,
    );
    is_ended(
        "int f(int n) { return n ? f(n + 1) : 0; } kernel void k(global int *p) { p[0] = f(1); }",
        &[],
        "possibly an endless recursion",
    );
    is_ended("kernel void k() { L: goto L; }", &[], endless);
    let calls: String =
        (0..10_000).rev().map(|it| format!("int f{it}(int n) {{ return f{}(n) + 1; }}\n", it + 1)).collect();
    let deep =
        format!("int f10000(int n) {{ return n; }}\n{calls}kernel void k(global int *p) {{ p[0] = f0(1); }}");
    is_ended(&deep, &[], "calls are nested too deeply");
    is_ended("kernel void k() { for (;;) barrier(1); }", &["--local-size", "4096"], endless);
    let orders = "kernel void k(global atomic_int *p) { for (;;) atomic_fetch_add(p, 1); }";
    is_ended(orders, &["--local-size", "1024"], endless);
    let copies = "struct s { int a[1 << 22]; }; kernel void k(global struct s *p) { for (;;) p[0] = p[0]; }";
    is_ended(copies, &["--arg", "p=2"], endless);
    is_ended(
        "global char a[1L << 32]; kernel void k(int n) { a[n] = n; }",
        &[],
        "exceeds its limit of memory",
    );
    is_ended("kernel void k(int n) { local int a[1 << 29]; a[n] = n; }", &[], "exceeds its limit of memory");
    is_ended(
        "kernel void k(int n) { int a[1 << 24]; a[n] = n; }",
        &["--local-size", "1024"],
        "exceeds its limit of memory",
    );
    is_ended(
        "struct s { int a[1 << 24]; }; void f(struct s x) { f(x); } kernel void k() { struct s x = {}; f(x); }",
        &[],
        "exceeds its limit of",
    );
}

#[test]
fn steps_option_limits_the_operations_of_a_thread() {
    let kernel = "kernel void k(global int *p) { for (int i = 0; i < 100; i++) p[i] = i; }";
    assert_eq!(json(kernel, &["--steps", "10"])["outcome"], "out-of-steps");
    assert_eq!(json(kernel, &["--steps", "1000"])["outcome"], "finished");
    trouble(kernel, &["--steps", "0"]);
}

#[test]
fn invalid_launches_are_rejected() {
    for size in ["2147483648", "65536,65536", "4294967295,4294967295,4294967295"] {
        assert!(trouble(IF, &["--local-size", size]).contains("cannot launch `k`"), "{size}");
    }
    assert!(trouble(IF, &["--groups", "1000000"]).contains("cannot launch `k`"));
    for size in ["0", "8,", "1,2,3,4", "99999999999", "x"] {
        assert!(trouble(IF, &["--local-size", size]).contains("expected one to three numbers"), "{size}");
    }
    trouble(IF, &["--groups", "0"]);
    trouble(IF, &["--sub-group-size", "0"]);
    trouble(IF, &["--sub-group-size", "129"]);
    assert!(trouble(IF, &["--arg", "q=1"]).contains("`k` has no parameter `q`; its only parameter is `p`"));
    assert!(trouble(IF, &["--arg", "p"]).contains("NAME=VALUE"));
    assert!(trouble(IF, &["--arg", "p=1,x"]).contains("`x` is not a number"));
    assert!(
        trouble(BREAK, &["--arg", "n=1,2"])
            .contains("invalid argument for `n` of `k`: expected one number, not an array")
    );
    let much = json("kernel void k(global int *p) { p[0] = 1; }", &["--arg", "p=99999999999"]);
    assert_eq!(much["outcome"], "out-of-steps");
    let much = json("kernel void k(global int *p) { p[0] = 1; }", &["--arg", "p=4611686018427387904"]);
    assert_eq!(much["outcome"], "out-of-steps");
}

#[test]
fn kernel_must_be_the_only_one_or_selected() {
    assert!(trouble("void f() {}", &[]).contains("no kernel found"));
    let two = "kernel void a() {} kernel void b() {}";
    assert!(trouble(two, &[]).contains("2 kernels found; select one with `--function`: `a`, `b`"));
    assert!(trouble(two, &["--function", "c"]).contains("cannot find function `c`"));
    assert_eq!(json(two, &["--function", "b"])["function"], "b");
    // The functions that the kernel needs must be lowered, and no others.
    let broken = "void f() { return 1 +; } kernel void a() { f(); } kernel void b() {}";
    assert!(trouble(broken, &["--function", "a"]).contains("syntax-error"));
    let missing =
        Command::new(env!("CARGO_BIN_EXE_tangle")).args(["simulate", "no/such/file.cl"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn required_work_group_size_of_a_kernel_is_used() {
    let kernel = "kernel __attribute__((reqd_work_group_size(2, 3, 1))) void k() { barrier(1); }";
    let of = json(kernel, &[]);
    assert_eq!(of["local_size"].to_string(), "[2,3,1]");
    assert_eq!(communications(&of), ["1 [0,1,2,3,4,5]"]);
}

#[test]
fn declared_sizes_are_used_unless_options_give_them() {
    let attribute = "kernel __attribute__((intel_reqd_sub_group_size(2))) void k() { sub_group_barrier(1); }";
    let of = json(attribute, &["--local-size", "4"]);
    assert_eq!(of["sub_group_size"].to_string(), "2");
    assert_eq!(communications(&of), ["1 [0,1]", "1 [2,3]"]);
    assert_eq!(json(attribute, &["--sub-group-size", "8"])["sub_group_size"].to_string(), "8");
    let comment =
        "// tangle: launch(local_size = [2, 3], sub_group_size = 3)\nkernel void k() { barrier(1); }";
    let of = json(comment, &[]);
    assert_eq!(of["local_size"].to_string(), "[2,3,1]");
    assert_eq!(of["sub_group_size"].to_string(), "3");
}

#[test]
fn html_page_is_self_contained_and_escapes_the_source() {
    let kernel =
        "kernel void k(global int *p) {\n  // <script>alert(\"&\")</script>\n  if (p[0] < 1) barrier(1);\n}";
    let page = text(&simulate(kernel, &["--format", "html"]));
    assert!(page.contains("&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;"));
    assert!(!page.contains("<script>alert"));
    for loaded in ["src=", "href=", "http:", "https:", "@import", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    assert!(page.contains("ArrowLeft") && page.contains("id=\"back\"") && page.contains("data-step=\"1\""));
}

#[test]
fn html_page_has_the_same_set_letters_as_the_text_output() {
    let page = text(&simulate(IF, &[&FOUR[..], &["--format", "html"]].concat()));
    // The fourth step is the barrier of the sub-group: threads 1 and 3 are set B.
    assert_eq!(page.matches("<td data-step=\"3\" class=\"set c1 together\">B</td>").count(), 2);
    // The others are in the same sub-group, so the barrier needs them.
    let named = "awaited, but elsewhere: work-items 0, 2\">";
    assert_eq!(page.matches(&format!("{named}?</td>")).count(), 2);
    assert!(page.contains(&format!("title=\"sub_group_barrier — B: work-items 1, 3; {named}5*</th>")));
    assert!(page.contains(
        "data-line=\"9\" data-column=\"3\">9:3</button> <code>barrier</code>: work-items 0-3</li>"
    ));
}

#[test]
fn colored_output_has_the_same_text_as_plain_output() {
    let plain = text(&simulate(IF, &FOUR));
    let colored = text(&simulate(IF, &[&FOUR[..], &["--color", "always"]].concat()));
    assert_ne!(plain, colored);
    let mut bare = colored.replace("\x1b[0m", "").replace("\x1b[1m", "");
    for color in 1..=6 {
        bare = bare.replace(&format!("\x1b[3{color}m"), "");
    }
    assert_eq!(plain, bare);
}

/// A wrong result causes a write outside the object, on the line of the check.
#[test]
fn builtins_return_the_specified_values() {
    let kernel = "\
#define CHECK(condition) if (!(condition)) p[-1] = 0
kernel void k(global int *p, global float *f, local int *tile) {
  int l = get_local_id(0), s = get_sub_group_id(), lane = get_sub_group_local_id();
  CHECK(get_local_size(0) == 8 && get_num_sub_groups() == 2 && get_sub_group_size() == 4);
  CHECK(l == 4 * s + lane && get_global_id(0) == 8 * get_group_id(0) + l);
  CHECK(sub_group_reduce_add(l) == 6 + 16 * s);
  CHECK(sub_group_reduce_min(l) == 4 * s);
  CHECK(sub_group_scan_inclusive_add(1) == lane + 1);
  CHECK(sub_group_scan_exclusive_add(1) == lane);
  CHECK(sub_group_scan_exclusive_max(lane) == (lane ? lane - 1 : (-2147483647 - 1)));
  CHECK(work_group_scan_inclusive_add(1) == l + 1);
  CHECK(work_group_reduce_max(l) == 7 && work_group_broadcast(l, 5) == 5);
  CHECK(sub_group_shuffle(l, 2) == 4 * s + 2 && sub_group_shuffle_xor(lane, 1) == (lane ^ 1));
  CHECK(sub_group_broadcast(l, 3) == 4 * s + 3);
  CHECK(sub_group_any(lane == 3) && !sub_group_all(lane == 3));
  uint4 odd = sub_group_ballot(lane & 1);
  CHECK(odd.x == 10 && sub_group_ballot_bit_count(odd) == 2 && sub_group_ballot_find_msb(odd) == 3);
  CHECK(sub_group_inverse_ballot(odd) == (lane & 1));
  CHECK(sub_group_non_uniform_reduce_logical_and(1) == 1);
  CHECK(vload4(1, p).y == 6);
  barrier(CLK_GLOBAL_MEM_FENCE);
  atomic_add(&p[0], l);
  atomic_max(&p[1], l);
  barrier(CLK_GLOBAL_MEM_FENCE);
  CHECK(p[0] == 29 && p[1] == 7);
  CHECK(f[0] == 0.5f && convert_int(f[1] * 4.0f) == 6 && convert_int_rte(f[1] + 1.0f) == 2);
  CHECK(convert_uchar_sat(300) == 255 && convert_uchar(300) == 44 && convert_char_sat(-200) == -128);
  event_t copied = async_work_group_copy(tile, p, 8, 0);
  wait_group_events(1, &copied);
  CHECK(tile[l] == p[l]);
  copied = async_work_group_strided_copy(tile, p, 4, 2, 0);
  wait_group_events(1, &copied);
  CHECK(tile[3] == p[6]);
}
";
    let options =
        ["--sub-group-size", "4", "--arg", "p=1,2,3,4,5,6,7,8", "--arg", "f=0.5,1.5", "--arg", "tile=8"];
    let of = json(kernel, &options);
    assert_eq!(of["outcome"], "finished", "{}", of["stopped"]);
}

const FALL_THROUGH: &str = "\
kernel void k(global uint *out) {
  int t = get_local_id(0);
  switch (t) {
  case 0:
    out[t] = sub_group_ballot(1).x;
  case 1:
    out[t] += sub_group_ballot(1).x;
  }
  out[t] += sub_group_ballot(1).x;
}
";

/// In the draft, threads that fall into a `case` and threads that jump to it are unrelated: it is
/// implementation-defined whether they meet. In the revision they are converged there.
#[test]
fn fall_through_may_diverge_only_with_tangles_strategy() {
    let with = |strategy: &str, policy: &str| {
        let options = ["--local-size", "4", "--strategy", strategy, "--policy", policy];
        communications(&json(FALL_THROUGH, &options))
    };
    let together = ["5 [0]", "7 [0,1]", "9 [0,1,2,3]"];
    for (strategy, policy) in
        [("tokens", "must"), ("tangles", "early"), ("revised", "early"), ("revised", "must")]
    {
        assert_eq!(with(strategy, policy), together, "{strategy} {policy}");
    }
    assert_eq!(with("tangles", "must"), ["5 [0]", "7 [0]", "7 [1]", "9 [0,1,2,3]"]);
}

/// The program of `docs/semantics.md` §11: each iteration of the goto cycle is one tangle, including the threads that
/// leave the cycle. The statements after the cycle have a family, up to the end of the enclosing statement.
#[test]
fn each_iteration_of_a_goto_cycle_is_one_tangle() {
    let kernel = "\
kernel void k(global int *p) {
  int id = get_local_id(0), i = 0;
L:
  i++;
  if (p[id] == i) {
    sub_group_barrier(1);
    return;
  }
  if (i < 3)
    goto L;
  sub_group_barrier(2);
}
";
    let with = |more: &[&str]| {
        let options = [&["--local-size", "4", "--arg", "p=1,2,2,9"], more].concat();
        communications(&json(kernel, &options))
    };
    let expected = ["6 [0]", "6 [1,2]", "11 [3]"];
    for strategy in ["tokens", "tangles"] {
        for policy in ["early", "must"] {
            assert_eq!(with(&["--strategy", strategy, "--policy", policy]), expected);
        }
    }
    // In the revision, convergence in the span is implementation-defined.
    assert_eq!(with(&["--strategy", "revised"]), expected);
    assert_eq!(with(&["--strategy", "revised", "--policy", "must"]), ["6 [0]", "6 [1]", "6 [2]", "11 [3]"]);
}

#[test]
fn policy_all_lists_every_allowed_execution() {
    let all = |model: &str| json(FALL_THROUGH, &["--local-size", "4", "--policy", "all", "--model", model]);
    let of_draft = all("tangles");
    let executions: Vec<Vec<String>> =
        of_draft["executions"].as_array().unwrap().iter().map(communications).collect();
    assert_eq!(executions.len(), 2);
    assert_eq!(executions[0], ["5 [0]", "7 [0,1]", "9 [0,1,2,3]"]);
    assert_eq!(executions[1], ["5 [0]", "7 [0]", "7 [1]", "9 [0,1,2,3]"]);
    let of_revision = all("revised");
    assert_eq!(of_revision["executions"].as_array().unwrap().len(), 1);
    assert!(of_revision["tried"].as_u64().unwrap() > 8);
    // Where convergence is defined, no two executions differ.
    let text = text(&simulate(IF, &["--policy", "all"]));
    assert!(text.contains("no difference in the participating work-items"), "{text}");
}

/// It is implementation-defined which threads enter a `noconvergent` statement together, by every strategy.
#[test]
fn convergence_in_noconvergent_statement_depends_on_policy() {
    let kernel = "\
kernel void k(global uint *out) {
  int t = get_local_id(0);
  __attribute__((noconvergent)) {
    out[t] = sub_group_ballot(1).x;
  }
  out[t] += sub_group_ballot(1).x;
}
";
    for strategy in ["tokens", "tangles", "revised"] {
        let with = |policy: &str| {
            let options = ["--local-size", "2", "--strategy", strategy, "--policy", policy];
            communications(&json(kernel, &options))
        };
        assert_eq!(with("early"), ["4 [0,1]", "6 [0,1]"], "{strategy}");
        assert_eq!(with("must"), ["4 [0]", "4 [1]", "6 [0,1]"], "{strategy}");
    }
}

#[test]
fn async_copy_into_an_array_row_copies_its_elements() {
    let kernel = "\
kernel void k(global const int *p, global int *out) {
  local int rows[2][16];
  event_t copied = async_work_group_copy(rows[1], p, 16, 0);
  wait_group_events(1, &copied);
  if (rows[1][15] != 15)
    out[-1] = 0;
}
";
    let numbers = format!("p={}", (0..16).map(|it| it.to_string()).collect::<Vec<_>>().join(","));
    let report = json(kernel, &["--local-size", "4", "--arg", &numbers]);
    assert_eq!(report["outcome"], "finished", "{report}");
}

#[test]
fn atomic_uses_the_type_of_a_pointer_cast() {
    let kernel = "\
kernel void k(volatile global float *sum) {
  union { uint bits; float number; } before, after;
  do {
    before.number = *sum;
    after.number = before.number + 1.5f;
  } while (atomic_cmpxchg((volatile global uint *) sum, before.bits, after.bits) != before.bits);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (*sum != 6.0f)
    sum[-1] = 0;
}
";
    let report = json(kernel, &["--local-size", "4", "--arg", "sum=0,", "--no-races"]);
    assert_eq!(report["outcome"], "finished", "{report}");
}

#[test]
fn sampler_variable_in_a_kernel_is_accepted() {
    let kernel = "\
kernel void k(read_only image2d_t in, global float *out) {
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
  out[get_global_id(0)] = read_imagef(in, nearest, (int2)(get_global_id(0), 0)).x;
}
";
    let report = json(kernel, &["--local-size", "4"]);
    assert_eq!(report["outcome"], "finished", "{report}");
}

/// Executes a kernel in CUDA. Returns the outcome, and the lines of communications with their threads.
fn of_cuda(body: &str, options: &[&str]) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.cu");
    std::fs::write(&path, format!("__global__ void k(int *p, int n) {{ int i = threadIdx.x;\n{body}\n}}\n"))
        .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(["simulate", "--local-size", "8", "--no-races", "--format", "json", "--arg", "n=5"])
        .args(options)
        .arg(&path)
        .output()
        .unwrap();
    let of: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    (of["outcome"].as_str().unwrap().to_owned(), communications(&of))
}

/// Threads that left the kernel early do not count at a barrier of CUDA. Threads that bypassed it do, even after a
/// return.
#[test]
fn exited_cuda_threads_do_not_count_at_barriers() {
    let finished = |body: &str, expected: &[&str]| {
        let (outcome, communications) = of_cuda(body, &[]);
        assert_eq!(outcome, "finished", "{body}");
        assert_eq!(communications, expected, "{body}");
    };
    finished("if (i >= n) return;\n__syncthreads();", &["3 [0,1,2,3,4]"]);
    let turns = "while (true) {\nif (i < n++) return;\n__syncthreads(); }";
    finished(turns, &["4 [5,6,7]", "4 [6,7]", "4 [7]"]);
    let stuck = |body: &str| assert_eq!(of_cuda(body, &[]).0, "deadlock", "{body}");
    stuck("if (i < n)\n__syncthreads();\nelse p[i] = 0;");
    stuck("if (i >= n) return;\nif (i < 2) __syncthreads();\np[i] = 0;");
    stuck("for (int k = 0; k < 3; k++) {\nif (i == 3) break;\n__syncthreads(); }");
}

#[test]
fn cuda_grid_barrier_waits_for_all_blocks() {
    let body = "auto g = cooperative_groups::this_grid();\np[g.thread_rank()] = 1;\ng.sync();";
    let (outcome, communications) = of_cuda(body, &["--groups", "2"]);
    // One operation of both blocks.
    let expected = ["4 [0,1,2,3,4,5,6,7] [0,1,2,3,4,5,6,7]".to_owned()];
    assert_eq!((outcome.as_str(), &*communications), ("finished", &expected[..]));
    let some = "if (blockIdx.x == 0) cooperative_groups::this_grid().sync();\nelse p[i] = 0;";
    assert_eq!(of_cuda(some, &["--groups", "2"]).0, "deadlock");
}

/// The kernels of `samples/unknown/tiles.cl`, with sizes that a build could define: exactly those with a finding
/// deadlock.
#[test]
fn only_tile_kernels_with_a_finding_deadlock() {
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/unknown/tiles.cl");
    let is_stuck = |kernel: &str, n: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        command.args([
            "simulate",
            "--function",
            kernel,
            "--local-size",
            "4",
            "--groups",
            "3",
            "--format",
            "json",
        ]);
        command.args(["-D", "W=8", "-D", "M=2", "-D", "N=3", "-D", "V=3", "--arg", &format!("n={n}")]);
        if kernel == "several_elements_each" {
            command.args(["--arg", "m=17"]);
        }
        let output = command.arg(&sample).output().unwrap();
        let of: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        of["outcome"] == "deadlock"
    };
    for kernel in ["one_element_each", "several_elements_each"] {
        assert!((0..28).all(|n| !is_stuck(kernel, n)), "{kernel}");
    }
    for kernel in ["any_bound", "on_the_bound", "tiles_of_another_size", "downwards"] {
        assert!((0..28).any(|n| is_stuck(kernel, n)), "{kernel}");
    }
}
