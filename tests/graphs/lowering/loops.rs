//! Every loop that must not be unrolled has its own metadata node, and all its latches name it.

use super::tools::{lower, pipe, run, scratch};

/// Returns the names after `!llvm.loop`, in the order of the text. Each is a distinct node, and LLVM accepts the
/// module.
fn names(name: &str, kernel: &str) -> Vec<String> {
    let folder = scratch(name);
    std::fs::write(folder.join("k.cl"), kernel).unwrap();
    let module = run(lower(&folder, &[]).arg("k.cl")).unwrap();
    if let Some(opt) = tangle_referees::llvm("opt") {
        pipe(std::process::Command::new(opt).args(["-passes=verify", "-disable-output"]), &module).unwrap();
    }
    let text = String::from_utf8(module).unwrap();
    let names: Vec<String> =
        text.lines().filter_map(|line| Some(line.split_once("!llvm.loop ")?.1.to_owned())).collect();
    for name in &names {
        assert!(text.contains(&format!("\n{name} = distinct !{{{name}, ")), "{name} in {text}");
    }
    names
}

#[test]
fn each_loop_has_its_own_metadata() {
    let found = names(
        "two_loops",
        "kernel void k(global int *p, int n) {
           for (int i = 0; i < n; i++) sub_group_barrier(0);
           do { sub_group_barrier(0); while (p[n++]) sub_group_barrier(0); } while (n);
         }
         kernel void l(int n) { while (n--) sub_group_barrier(0); }",
    );
    assert_eq!(found.len(), 4);
    assert!(found.iter().enumerate().all(|(at, name)| !found[..at].contains(name)), "{found:?}");
}

#[test]
fn loops_with_a_shared_latch_share_their_metadata() {
    let found = names(
        "shared_latch",
        "kernel void k(global int *p, int n) {
           void *to[] = {&&a, &&b, &&c};
           a: sub_group_barrier(0);
           b: sub_group_barrier(0);
           if (p[n]) goto b;
           goto *to[p[n + 1]];
           c: while (n--) sub_group_barrier(0);
         }",
    );
    let [inner, both, other] = &found[..] else { panic!("{found:?}") };
    assert_eq!(inner, both);
    assert_ne!(inner, other);
}
