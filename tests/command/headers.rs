//! Functions of headers are checked if a checked file reaches them, or with `--headers`.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

/// A folder with headers, and kernels that include them.
struct Folder(TempDir);

/// A function with an error that the rule `divergent-barrier` finds.
fn bad(name: &str) -> String {
    format!("void {name}(int n) {{ if (get_local_id(0) < n) barrier(1); }}\n")
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| fs::write(folder.0.path().join(name), text).unwrap());
        folder
    }

    /// Lints with these arguments. Returns the rule and the function of each finding, and the summary.
    fn lint(&self, args: &[&str]) -> (Vec<String>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
            .args(["lint", "--color", "never"])
            .args(args)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let rule = |line: &str| line.starts_with(|c: char| c.is_ascii_lowercase()) && line.contains("]: ");
        let mut found = Vec::new();
        for line in text.lines() {
            if rule(line) {
                found.push(line.split(['[', ']']).nth(1).unwrap().to_owned());
            } else if let (Some((_, function)), Some(last)) = (line.split_once("] in "), found.last_mut()) {
                *last += &format!(" {}", function.trim_matches('`'));
            }
        }
        (found, String::from_utf8(output.stderr).unwrap())
    }
}

const KERNEL: &str = "#include \"a.h\"\nkernel void k(int n) { n = half_of(n); }\n";

#[test]
fn unreached_function_is_checked_with_an_option_or_as_a_file() {
    let header = format!("int half_of(int n) {{ return n / 2; }}\n{}", bad("wait"));
    let folder = Folder::new(&[("a.h", &header), ("k.cl", KERNEL), ("b.cl", "#include \"a.h\"\n")]);
    let none: [&str; 0] = [];
    let (found, summary) = folder.lint(&["k.cl"]);
    assert_eq!(found, none);
    // Another function of the header is reached.
    assert_eq!(summary, "no findings in 1 file\n");
    assert_eq!(folder.lint(&["--headers", "k.cl"]).0, ["divergent-barrier wait"]);
    assert_eq!(folder.lint(&["a.h"]).0, ["divergent-barrier wait"]);
    let (found, summary) = folder.lint(&["b.cl"]);
    assert_eq!(found, none);
    let not_checked = "not checked: functions of `a.h`, which no file reaches: `--headers` checks them\n";
    assert_eq!(summary, format!("no findings in 1 file\n{not_checked}"));
    // `k.cl` reaches the header.
    assert_eq!(folder.lint(&["b.cl", "k.cl"]).1, "no findings in 2 files\n");
}

/// A header has a function `wait`. The file reaches it by a call, by a macro, or by code of the header.
#[test]
fn functions_are_reached_through_calls_macros_variables_and_kernels() {
    let kernel = |statement: &str| format!("#include \"a.h\"\nkernel void k(int n) {{ {statement} }}\n");
    let chain = format!("{}void outer(int n) {{ wait(n); }}\n", bad("wait"));
    let macros = format!("{}#define WAIT(n) wait(n)\n", bad("wait"));
    let parts = format!("{}#define CALL(name) wa ## name\n", bad("wait"));
    let in_kernel = format!("{}kernel void other(int n) {{ wait(n); }}\n", bad("wait"));
    let attribute = format!("__attribute__((noinline)) {}", bad("wait"));
    let overloaded = format!(
        "__attribute__((overloadable)) {}__attribute__((overloadable)) void wait(float x) {{ x = 1; }}\n",
        bad("wait")
    );
    for (header, statement) in [
        (bad("wait"), "wait(n);"),
        (chain.clone(), "outer(n);"),
        (macros, "WAIT(n);"),
        (parts, "CALL(it)(n);"),
        (in_kernel, ""),
        (attribute, "wait(n);"),
        (overloaded, "wait(1.0f);"),
        // Defined after its use.
        (format!("void wait(int n);\nvoid outer(int n) {{ wait(n); }}\n{}", bad("wait")), "outer(n);"),
    ] {
        let folder = Folder::new(&[("a.h", &header), ("k.cl", &kernel(statement))]);
        assert_eq!(folder.lint(&["k.cl"]).0, ["divergent-barrier wait"], "{header}");
    }
    // A declaration alone reaches nothing.
    let declared = format!("void wait(int n);\n{}", bad("wait"));
    let folder = Folder::new(&[("a.h", &declared), ("k.cl", &kernel(""))]);
    let none: [&str; 0] = [];
    assert_eq!(folder.lint(&["k.cl"]).0, none);
    // The main file is checked completely.
    let folder = Folder::new(&[("k.cl", &bad("wait"))]);
    assert_eq!(folder.lint(&["k.cl"]).0, ["divergent-barrier wait"]);
}

/// An inactive branch that calls a convergent function is read, so the function must be known as convergent.
#[test]
fn functions_are_reached_from_inactive_branches() {
    let kernel = "#include \"a.h\"
kernel void k(int n) {
#ifdef FAST
  if (get_local_id(0) < n) wait(n);
#endif
}
";
    let folder = Folder::new(&[("a.h", "void wait(int n) { barrier(n); }\n"), ("k.cl", kernel)]);
    assert_eq!(folder.lint(&["k.cl"]).0, ["divergent-barrier k"]);
    assert_eq!(folder.lint(&["--only-active-branches", "--notes", "k.cl"]).0, ["left-out-text"]);
    // All text of the header is inactive.
    let header = "#ifdef FAST\nvoid outer(int n) { wait(n); }\n#endif\n";
    let kernel = "#include \"a.h\"\n#include \"b.h\"\nkernel void k(int n) { n = 1; }\n";
    let folder = Folder::new(&[("a.h", &bad("wait")), ("b.h", header), ("k.cl", kernel)]);
    assert_eq!(folder.lint(&["k.cl"]).0, ["divergent-barrier wait"]);
}

#[test]
fn comment_in_an_unreached_function_is_not_unused() {
    let suppressed = bad("wait").replace('\n', " // tangle: allow(divergent-barrier): n is uniform\n");
    let unused =
        bad("fine").replace("barrier(1)", "n = 1").replace('\n', " // tangle: allow(divergent-barrier): n\n");
    let folder = Folder::new(&[("a.h", &(suppressed + &unused)), ("k.cl", "#include \"a.h\"\n")]);
    let none: [&str; 0] = [];
    assert_eq!(folder.lint(&["k.cl"]).0, none);
    assert_eq!(folder.lint(&["--headers", "k.cl"]).0, ["unused-suppression"]);
}

/// A name that the file does not declare is still compared with all functions of the headers.
#[test]
fn unreached_function_is_suggested_for_a_misspelt_name() {
    let kernel = "#include \"a.h\"\nkernel void k(int n) { n = quartre_of(n); }\n";
    let folder = Folder::new(&[("a.h", "int quarter_of(int n) { return n / 4; }\n"), ("k.cl", kernel)]);
    let output =
        Command::new(env!("CARGO_BIN_EXE_tangle")).arg("lint").arg(folder.0.path().join("k.cl")).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(text.contains("quarter_of`"), "{text}");
}
