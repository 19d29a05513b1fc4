//! The help of a finding names the condition of the guarded work, and never puts the barrier under it.

use std::fs;
use std::process::Command;

/// Checks the help of the one finding in the body of a kernel with `int i = get_local_id(0)`.
fn check(body: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cl");
    fs::write(&file, format!("kernel void k(global int *p, int n) {{ int i = get_local_id(0); {body} }}\n"))
        .unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(["lint", "--format", "json", "--rule", "implementation-defined-convergence=off"])
        .arg(&file)
        .output()
        .unwrap();
    let run: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let findings = run["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{body}: {findings:#?}");
    assert_eq!(findings[0]["help"][0], expected, "{body}");
}

#[test]
fn help_replaces_an_early_return_by_a_condition() {
    let under = |condition: &str| {
        format!(
            "do not return early: put the work under `if ({condition})`, and let every work-item reach `barrier`"
        )
    };
    check("if (i >= n) return; barrier(1);", &under("i < n"));
    check("if (!p) return; if (i) { p[0] = 1; return; } barrier(1);", &under("!i"));
    // The `return` is in the `else` branch, so the work runs under the condition itself.
    check("if (i < n) p[i] = 1; else return; barrier(1);", &under("i < n"));
    // The work depends on both conditions; neither alone is right.
    check("if (i >= n) { if (p[i]) return; } barrier(1);", &under_a_condition());
}

fn under_a_condition() -> String {
    "do not return early: put the work under a condition, and let every work-item reach `barrier`".to_owned()
}

#[test]
fn help_moves_a_barrier_out_of_its_branch() {
    let others = |condition: &str| {
        format!("move `barrier` out of the `if`, and guard only the other statements with `if ({condition})`")
    };
    check("if (i < n) { p[i] = 1; barrier(1); }", &others("i < n"));
    check("if (i >= n) p[i] = 1; else { p[i] = 2; barrier(1); }", &others("i < n"));
    check("if (n ? i : p[0]) { p[i] = 1; barrier(1); }", &others("n ? i : p[0]"));
    let alone = "move `barrier` out of the `if`, or make the condition uniform";
    check("if (i < n) barrier(1);", alone);
    check("if (i < n) { barrier(1); }", alone);
}

#[test]
fn help_guards_the_loop_body_except_its_barrier() {
    let count = "give the loop the same trip count in every work-item, and guard only the other statements of its body";
    check("for (; i < n; i++) { p[i] = 1; barrier(1); }", &format!("{count} with `if (i < n)`"));
    // The condition cannot be evaluated twice.
    check("while (i++ < n) { p[i] = 1; barrier(1); }", count);
    // The first iteration has no condition.
    check("do { p[i] = 1; barrier(1); } while (++i < n);", count);
}

#[test]
fn jumps_switches_and_operands_have_their_own_help() {
    check(
        "for (int k = 0; k < n; k++) { if (i > k) continue; barrier(1); }",
        "put the rest of the iteration under `if (i <= k)` instead of `continue`, and let every work-item reach `barrier`",
    );
    check(
        "for (int k = 0; k < n; k++) { if (i > k) break; barrier(1); }",
        "guard the work that follows with a flag instead of `break`, and let every work-item reach `barrier`",
    );
    check(
        "switch (i) { case 0: p[0] = 1; barrier(1); }",
        "move `barrier` out of the `switch`, and guard only the other statements",
    );
    check(
        "p[0] = i < n && work_group_all(p[1]);",
        "evaluate `work_group_all` before this expression, in every work-item",
    );
}
