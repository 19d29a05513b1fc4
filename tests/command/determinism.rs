//! The same input gives the same bytes with any number of threads.

use std::path::Path;
use std::process::Command;

fn lint(args: &[&str]) -> Vec<u8> {
    Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .arg("lint")
        .args(args)
        .output()
        .unwrap()
        .stdout
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let formats = ["json", "human", "sarif", "github", "gitlab", "junit", "short"];
    for format in tangle_referees::some_of(formats) {
        let once = lint(&["--format", format, "-j", "1", "samples"]);
        assert!(!once.is_empty());
        for threads in ["2", "8"] {
            for _ in 0..if tangle_referees::is_thorough() { 3 } else { 1 } {
                let again = lint(&["--format", format, "-j", threads, "samples"]);
                assert!(again == once, "--format {format} -j {threads}");
            }
        }
    }
}

#[test]
fn output_does_not_depend_on_the_order_of_paths() {
    let forwards = lint(&["--format", "short", "samples/idioms", "samples/models"]);
    let backwards = lint(&["--format", "short", "samples/models", "samples/idioms"]);
    assert!(!forwards.is_empty());
    assert_eq!(String::from_utf8(forwards).unwrap(), String::from_utf8(backwards).unwrap());
}
