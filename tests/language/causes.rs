//! The complete output for each kernel in `samples/causes`: source and message together.
//!
//! `tests/language/samples.rs` checks only where each chain of causes ends, as the samples specify. This test checks
//! every link, as the command prints it without a terminal width.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::expect_file;

#[test]
fn every_cause_in_a_chain_is_printed_with_its_location() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = fs::read_dir(root.join("samples/causes")).unwrap();
    let mut names: Vec<String> =
        folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        let path = format!("samples/causes/{name}");
        let output = command
            .current_dir(root)
            .args(["lint", "--notes", "--color", "never", "--fail-on", "never", &path])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let snapshot = root.join("tests/language/causes").join(name.replace(".cl", ".txt"));
        expect_file![snapshot].assert_eq(&String::from_utf8(output.stdout).unwrap());
    }
}
