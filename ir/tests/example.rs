//! The example frontend: its output for a kernel, whether LLVM 19 accepts the output, and errors for invalid kernels.

#[path = "../examples/simt.rs"]
#[allow(dead_code, reason = "the example's `main` is not run here")]
mod simt;

use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::expect;
use simt::{DRAIN, compile};

#[test]
fn output_shows_graph_tokens_and_divergent_branches() {
    let output = compile(DRAIN).unwrap();
    let comments: String =
        output.lines().filter(|line| line.starts_with(';')).map(|it| format!("{it}\n")).collect();
    expect![[r#"
        ; function drain(%p: global int *, %n: int) convergent kernel {
        ; entry:
        ;   %0 = entry
        ;   %i = call int lane()
        ;   jump while.cond
        ; while.cond:
        ;   %n.1 = phi int [entry: %n], [if.end: %n.2]
        ;   %i.1 = phi int [entry: %i], [if.end: %i.2]
        ;   %1 = loop with %0
        ;   %2 = lt %i.1, %n.1
        ;   branch %2, while.body, while.end
        ; while.body:
        ;   %3 = element int %p, %i.1
        ;   %4 = load int %3
        ;   %5 = gt %4, 9
        ;   branch %5, if.then, if.else
        ; while.end:
        ;   return
        ; if.then:
        ;   %6 = element int %p, %i.1
        ;   %7 = element int %p, %i.1
        ;   %8 = load int %7
        ;   %9 = call int sum(int 1) with %1
        ;   %10 = sub %8, %9
        ;   store %10, %6
        ;   jump if.end
        ; if.end:
        ;   %n.2 = phi int [if.then: %n.1], [if.else: %n.3]
        ;   call barrier() with %1
        ;   %i.2 = add %i.1, 64
        ;   jump while.cond
        ; if.else:
        ;   %n.3 = sub %n.1, 1
        ;   jump if.end
        ; }
        ; branch of while.cond: threads of a subgroup may part
        ; branch of while.body: threads of a subgroup may part
    "#]]
    .assert_eq(&comments);
}

#[test]
fn llvm_accepts_the_emitted_ir() {
    let Some(opt) = tangle_referees::llvm("opt") else { return };
    for source in [
        DRAIN,
        "kernel k(p[]) { if (lane == 0) { while (p[0] < 1) { barrier; } } barrier; }",
        "kernel k(n) { x = sum(n); while (x < n) { while (n < x) { n = n + sum(lane); } x = x + 1; } }",
    ] {
        let mut child = Command::new(&opt)
            .args(["-passes=verify", "-disable-output"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(compile(source).unwrap().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{source}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn invalid_kernel_is_rejected() {
    let deep = format!("kernel k(n) {{ n = {}", "(".repeat(100_000));
    for (source, error) in [
        ("", "line 1: expected `kernel`"),
        ("kernel k(n) {", "line 1: expected a name"),
        ("kernel k(n) {\n m = x;\n}", "line 2: nothing was assigned to `x`"),
        ("kernel k(n) {\n if (n) { barrier; }\n}", "line 2: a condition compares two numbers"),
        ("kernel k(n) { n = 99999999999; }", "line 1: expected a 32-bit number"),
        ("kernel k(p[]) { p = 1; }", "line 1: a buffer is written element by element"),
        ("kernel k(n, n) { }", "line 1: two parameters have the same name"),
        (&deep, "line 1: brackets are nested too deeply"),
    ] {
        assert_eq!(compile(source).expect_err(source).to_string(), error);
    }
}
