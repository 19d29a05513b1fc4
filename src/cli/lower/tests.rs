//! Tests of `tangle lower` with a fake analysis: a file with `ERROR` cannot be lowered, and `PANIC` panics.

use std::fs;

use expect_test::expect;

use crate::Status;
use crate::lint::tests::{Folder, check, tangle};

/// Returns the names and contents of all files in a folder.
fn files(folder: &Folder) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<(String, String)> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap_or_default())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn lowered_code_goes_to_standard_output() {
    let folder = Folder::new("lower-out", &[("a.cl", "text")]);
    check(
        &folder,
        &["lower", &folder.path("a.cl")],
        expect![[r#"
        Llvm of DIR/a.cl: text--- stderr
        --- Clean
    "#]],
    );
    check(
        &folder,
        &["lower", "--emit", "dot", "-o", "-", &folder.path("a.cl")],
        expect![[r#"
        Dot of DIR/a.cl: text--- stderr
        --- Clean
    "#]],
    );
}

#[test]
fn lowering_errors_go_to_stderr_and_write_no_output() {
    let folder = Folder::new("lower-error", &[("a.cl", "an ERROR"), ("old.ll", "old")]);
    check(
        &folder,
        &["lower", &folder.path("a.cl")],
        expect![[r#"
            --- stderr
            error[syntax-error]: found ERROR
               ╭─[ DIR/a.cl:1:4 ]
               │
             1 │ an ERROR
               │    ──┬──
               │      ╰──── here
            ───╯

            1 error in 1 file
            --- Findings
        "#]],
    );
    for output in ["new.ll", "old.ll"] {
        let (status, out, err) = tangle(
            &folder,
            "",
            &["lower", "--format=json", "-o", &folder.path(output), &folder.path("a.cl")],
        );
        assert_eq!((status, out.as_str()), (Status::Findings, ""));
        let findings: serde_json::Value = serde_json::from_str(&err).unwrap();
        assert_eq!(findings["findings"][0]["line"], 1);
    }
    let names: Vec<String> = files(&folder).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a.cl", "old.ll"], "no output file, and no temporary file");
    assert_eq!(files(&folder)[1].1, "old");
}

#[test]
fn output_file_is_created_or_replaced() {
    let folder = Folder::new("lower-file", &[("a.cl", "text"), ("a.ll", "much longer than what comes")]);
    for output in ["a.ll", "b.ll"] {
        let args = ["lower", "--emit=flow", "-o", &folder.path(output), &folder.path("a.cl")];
        assert_eq!(tangle(&folder, "", &args), (Status::Clean, String::new(), String::new()));
    }
    let found = files(&folder);
    let texts: Vec<(&str, bool)> =
        found.iter().map(|(name, text)| (name.as_str(), text.starts_with("Flow of "))).collect();
    assert_eq!(texts, [("a.cl", false), ("a.ll", true), ("b.ll", true)]);
}

#[test]
fn internal_error_leaves_output_file_unchanged() {
    let folder = Folder::new("lower-panic", &[("a.cl", "PANIC"), ("a.ll", "old")]);
    let (status, out, err) =
        tangle(&folder, "", &["lower", "-o", &folder.path("a.ll"), &folder.path("a.cl")]);
    assert_eq!((status, out.as_str()), (Status::Trouble, ""));
    assert!(err.contains("DIR/a.cl: internal error"), "{err}");
    assert_eq!(files(&folder).len(), 2);
    assert_eq!(files(&folder)[1].1, "old");
}

#[test]
fn unwritable_output_is_an_error() {
    let folder = Folder::new("lower-nowhere", &[("a.cl", "text"), ("sub/x", "")]);
    check(
        &folder,
        &["lower", "-o", &folder.path("no/such/folder.ll"), &folder.path("a.cl")],
        expect![[r#"
        --- stderr
        tangle: cannot write DIR/no/such/folder.ll: No such file or directory
        --- Trouble
    "#]],
    );
    check(
        &folder,
        &["lower", "-o", &folder.path("sub"), &folder.path("a.cl")],
        expect![[r#"
        --- stderr
        tangle: cannot write DIR/sub: the path is a folder
        --- Trouble
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn output_to_link_or_device_does_not_replace_it() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = Folder::new("lower-link", &[("a.cl", "text"), ("real.ll", "old")]);
    symlink(folder.path("real.ll"), folder.path("link.ll")).unwrap();
    let link = folder.path("link.ll");
    assert_eq!(tangle(&folder, "", &["lower", "-o", &link, &folder.path("a.cl")]).0, Status::Clean);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(folder.path("real.ll")).unwrap().starts_with("Llvm of"));
    assert_eq!(tangle(&folder, "", &["lower", "-o", "/dev/null", &folder.path("a.cl")]).0, Status::Clean);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}
