//! Suppressed findings in the output formats, in the exit status, and across the files of a run. The samples test to
//! which findings a comment applies, and which comments are incorrect (`samples/suppression`).

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("tangle-suppression-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
        Folder(folder)
    }

    /// Returns the output of `tangle lint`, and its exit status.
    fn lint(&self, args: &[&str]) -> (String, i32) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        let output = command.current_dir(&self.0).args(["lint", "--quiet"]).args(args).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

const KERNEL: &str = "\
kernel void k(global int *p) {
  if (p[0]) goto out;
  p[1] = 0;
out:
  // tangle: allow(implementation-defined-convergence): p[0] is the same for all
  barrier(1);
}
";

#[test]
fn suppressed_finding_is_not_printed_and_exit_status_is_0() {
    let folder = Folder::new("formats", &[("k.cl", KERNEL)]);
    for (format, expected) in [("human", ""), ("short", ""), ("github", "")] {
        assert_eq!(folder.lint(&["--format", format, "k.cl"]), (expected.to_owned(), 0), "{format}");
    }
    let (json, status) = folder.lint(&["--format", "json", "k.cl"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["findings"].as_array().unwrap().len(), status), (0, 0));
    let (statistics, _) = folder.lint(&["--statistics", "k.cl"]);
    assert_eq!(statistics, "findings     files  rule\n");
}

#[test]
fn sarif_lists_suppressed_findings_with_their_reasons() {
    let other = "kernel void o(global int *p) { if (p[0]) goto out; p[1] = 0; out: barrier(1); }\n";
    let folder = Folder::new("sarif", &[("k.cl", KERNEL), ("o.cl", other)]);
    let (log, status) = folder.lint(&["--format", "sarif", "k.cl"]);
    let log: Value = serde_json::from_str(&log).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    let expected = serde_json::json!([{ "kind": "inSource", "justification": "p[0] is the same for all" }]);
    assert_eq!((&results[0]["suppressions"], status), (&expected, 0));
    // If one result has `suppressions`, all results have it.
    let (log, status) = folder.lint(&["--format", "sarif", "."]);
    let log: Value = serde_json::from_str(&log).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let told: Vec<usize> =
        results.iter().map(|result| result["suppressions"].as_array().unwrap().len()).collect();
    assert_eq!((told, status), (vec![1, 0], 1));
    let (log, _) = folder.lint(&["--format", "sarif", "o.cl"]);
    assert!(!log.contains("suppressions"));
}

#[test]
fn unused_suppression_of_a_disabled_rule_is_not_reported() {
    let text =
        "kernel void k(void) { barrier(1); } // tangle: allow(implementation-defined-convergence): not so\n";
    let folder = Folder::new("off", &[("k.cl", text)]);
    let (told, status) = folder.lint(&["--format", "short", "k.cl"]);
    assert!(told.contains("[unused-suppression]"), "{told}");
    assert_eq!(status, 1);
    let off = ["--format", "short", "--rule", "implementation-defined-convergence=off", "k.cl"];
    assert_eq!(folder.lint(&off), (String::new(), 0));
    assert_eq!(folder.lint(&["--format", "short", "--rule", "unused-suppression=off", "k.cl"]).1, 0);
}

#[test]
fn header_suppression_is_used_if_any_file_needs_it() {
    let header = "\
inline void sync(int x) {
#ifdef RETRY
again:
#endif
  barrier(1);
#ifdef RETRY
  if (x) goto again;
#endif
  barrier(1); // tangle: allow(implementation-defined-convergence): all retry together
}
";
    let user = "#include \"h.h\"\nkernel void k(void) { sync(get_local_id(0)); }\n";
    let retry = format!("#define RETRY\n{user}");
    let folder = Folder::new("header", &[("h.h", header), ("a.cl", user), ("b.cl", &retry)]);
    let off = ["--rule", "divergent-barrier=off", "--rule", "left-out-text=off"];
    let short = |files: &[&str]| folder.lint(&[&["--format", "short"], &off[..], files].concat()).0;
    let unused = "h.h:9:32: warning: unused suppression: no finding of `implementation-defined-convergence` here [unused-suppression]\n";
    assert_eq!(short(&["a.cl"]), unused);
    assert_eq!(short(&["b.cl"]), "");
    assert_eq!(short(&["a.cl", "b.cl"]), "");
    assert_eq!(short(&["b.cl", "a.cl", "-j", "1"]), "");
}
