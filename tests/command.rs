//! The command as a process: exit status, streams that go away, help.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn tangle(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tangle")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn code(args: &[&str]) -> i32 {
    tangle(args).status.code().unwrap()
}

#[test]
fn the_exit_status_tells_how_it_went() {
    assert_eq!(code(&["rules"]), 0);
    assert_eq!(code(&["--help"]), 0);
    assert_eq!(code(&["explain", "syntax-error"]), 0);
    assert_eq!(code(&["explain", "no-such-rule"]), 2);
    assert_eq!(code(&[]), 2);
    assert_eq!(code(&["lint", "--no-such-option"]), 2);
    assert_eq!(code(&["lint", "-j", "0"]), 2);
    assert_eq!(code(&["lint", "no/such/file.cl"]), 2);
    assert_eq!(code(&["lint", "-"]), 0, "nothing is a kernel without findings");
}

#[test]
fn every_rule_has_a_page_that_begins_with_its_name() {
    for rule in tangle::lint::RULES {
        let page = tangle(&["explain", rule.id]).stdout;
        let page = String::from_utf8(page).unwrap();
        assert!(page.starts_with(&format!("# {}", rule.id)), "{page}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    for args in
        [&["rules"][..], &["rules", "--format=json"], &["explain", "syntax-error"], &["lint", "--help"]]
    {
        // The shell's reader ends at once; the command is run by another that keeps its status.
        let tangle = env!("CARGO_BIN_EXE_tangle");
        let script = format!("{{ sleep 0.2; {tangle} {}; echo $? >&2; }} | true", args.join(" "));
        let run = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&run.stderr), "0\n", "{args:?}");
    }
}

#[test]
fn standard_input_that_is_binary_is_told() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(["lint", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"int x;\n\0").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("tangle: <stdin>: not a text file: a NUL byte at line 2, column 1 (byte 7)"),
        "{err}"
    );
}
