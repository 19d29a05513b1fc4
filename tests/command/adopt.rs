//! Adopting tangle in an old code base: `--add-suppressions`, `--changed-since`, lists of paths, and `--fix`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

struct Run {
    out: String,
    err: String,
    status: i32,
}

/// A folder with files.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(file, text)| folder.write(file, text));
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    /// Runs `tangle lint --format short` in the folder.
    fn lint(&self, args: &[&str]) -> Run {
        self.piped(args, "")
    }

    fn piped(&self, args: &[&str], input: &str) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        command.current_dir(self.path()).args(["lint", "--format", "short"]).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A run may end before it reads its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { out: text(output.stdout), err: text(output.stderr), status: output.status.code().unwrap() }
    }

    fn git(&self, args: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(self.path()).args(["-c", "user.name=n", "-c", "user.email=e@e.e"]).args(args);
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "m"]);
    }
}

const DIVERGENT: &str = "kernel void k(global int *p) {\n  if (get_local_id(0) < 3)\n    barrier(1);\n}\n";

#[test]
fn run_after_add_suppressions_reports_and_changes_nothing() {
    let other = "\u{feff}kernel void m(global int *p) {\r\n\tif (get_local_id(0) < 3) {\r\n\t\tbarrier(1); // all\r\n\t\t\
                 p[0] = 0; barrier(2); /* two */\r\n\t}\r\n}\r\n";
    let folder = Folder::new(&[("src/a.cl", DIVERGENT), ("src/b.cl", other)]);
    let first = folder.lint(&["--add-suppressions", "src"]);
    assert_eq!((first.out.as_str(), first.status), ("", 0), "{}", first.err);
    assert!(first.err.contains("findings suppressed in 2 files\n"), "{}", first.err);
    let comment = "// tangle: allow(divergent-barrier): TODO say why";
    assert_eq!(folder.read("src/a.cl"), DIVERGENT.replace("barrier(1);", &format!("barrier(1); {comment}")));
    let line = "\t\tbarrier(1); // all\r\n";
    let block = "/* tangle: allow(divergent-barrier): TODO say why */";
    let expected = other
        .replace(line, &format!("\t\t{comment}\r\n{line}"))
        .replace("barrier(2);", &format!("barrier(2); {block}"));
    assert_eq!(folder.read("src/b.cl"), expected);
    let second = folder.lint(&["src"]);
    assert_eq!((second.out.as_str(), second.status), ("", 0));
    let third = folder.lint(&["--add-suppressions", "src"]);
    assert!(third.err.contains("0 findings suppressed in 0 files\n"), "{}", third.err);
    assert_eq!(folder.read("src/b.cl"), expected);
}

#[test]
fn given_reason_is_used_and_rules_of_a_line_share_a_comment() {
    let text =
        "#define N 4\nkernel void k(global later *p, int n) { if (get_local_id(0) < n) barrier(1); }\n";
    let folder = Folder::new(&[("a.cl", text)]);
    let run = folder.lint(&["--add-suppressions=see issue 12", "--notes", "a.cl"]);
    assert_eq!((run.out.as_str(), run.status), ("", 0), "{}", run.err);
    let comment = "// tangle: allow(divergent-barrier, unknown-type): see issue 12";
    assert!(folder.read("a.cl").contains(comment), "{}", folder.read("a.cl"));
    for reason in ["a */ b", "a\nb", " "] {
        let wrong = folder.lint(&[&format!("--add-suppressions={reason}"), "a.cl"]);
        assert_eq!(wrong.status, 2, "{reason:?}");
    }
}

#[test]
fn add_suppressions_changes_only_given_files() {
    let header = "void wait(int n) {\n  if (get_local_id(0) < n)\n    barrier(1);\n}\n";
    let kernel = "#include \"../h/wait.h\"\nkernel void k(int n) { wait(n); }\n";
    let files = [("h/wait.h", header), ("src/k.cl", kernel), ("old/x.cl", DIVERGENT)];
    let folder = Folder::new(&files);
    folder.write("tangle.toml", "exclude = ['old']\n");
    let run = folder.lint(&["--add-suppressions", "src"]);
    assert_eq!(run.status, 1);
    let why = "cannot suppress `divergent-barrier`: the file is not among the given files and folders\n";
    assert!(run.err.contains(why), "{}", run.err);
    assert!(run.out.contains("[divergent-barrier]"), "{}", run.out);
    files.iter().for_each(|(file, text)| assert_eq!(folder.read(file), *text));
    // The header is in the folder, and no argument names the excluded file.
    assert_eq!(folder.lint(&["--add-suppressions", "."]).status, 0);
    assert!(folder.read("h/wait.h").contains("tangle: allow(divergent-barrier)"));
    assert_eq!(folder.read("old/x.cl"), DIVERGENT);
    assert_eq!(folder.lint(&["."]).out, "");
}

#[test]
fn finding_that_no_comment_can_suppress_is_reported() {
    let host = "const char *s = \"kernel void k() {\\n\" \"if (get_local_id(0)) barrier(1); }\\n\";\n";
    let spliced = "kernel void k(global int *p) {\n  p[0] = 0; \\\n  if (get_local_id(0)) barrier(1); \\\n  p[1] = 0;\n}\n";
    let latin: &[u8] = b"// \xE9\nkernel void k() { if (get_local_id(0)) barrier(1); }\n";
    let folder = Folder::new(&[("a.cpp", host), ("b.cl", spliced)]);
    fs::write(folder.path().join("c.cl"), latin).unwrap();
    let run = folder.lint(&["--add-suppressions", "."]);
    assert_eq!((run.out.lines().count(), run.status), (3, 1), "{}", run.out);
    for why in [
        "a.cpp:1:61: cannot suppress `divergent-barrier`: the code is in a string literal",
        "b.cl:3:24: cannot suppress `divergent-barrier`: a comment in this line would change the code",
        "c.cl:2:40: cannot suppress `divergent-barrier`: the file is not UTF-8",
    ] {
        assert!(run.err.contains(why), "{}", run.err);
    }
    assert_eq!((folder.read("a.cpp"), folder.read("b.cl")), (host.to_owned(), spliced.to_owned()));
    assert_eq!(fs::read(folder.path().join("c.cl")).unwrap(), latin);
    let stdin = folder.piped(&["--add-suppressions", "-"], DIVERGENT);
    assert_eq!(
        (stdin.err.as_str(), stdin.status),
        ("tangle: `--add-suppressions` cannot change standard input\n", 2)
    );
}

#[test]
fn unused_suppression_is_reported_and_not_suppressed() {
    let text = "kernel void k() {\n  barrier(1); // tangle: allow(divergent-barrier): once\n}\n";
    let folder = Folder::new(&[("a.cl", text)]);
    let run = folder.lint(&["--add-suppressions", "a.cl"]);
    assert!(
        run.err.contains("cannot suppress `unused-suppression`: remove or correct the comment"),
        "{}",
        run.err
    );
    assert_eq!((folder.read("a.cl").as_str(), run.status), (text, 1));
}

#[test]
fn macro_finding_is_suppressed_at_the_macro_use() {
    let text = "#define WAIT \\\n  barrier(1)\n\nkernel void k() {\n  if (get_local_id(0))\n    WAIT;\n}\n";
    let folder = Folder::new(&[("a.cl", text)]);
    assert_eq!(folder.lint(&["--add-suppressions", "a.cl"]).status, 0);
    let comment = "    WAIT; // tangle: allow(divergent-barrier): TODO say why\n";
    assert_eq!(folder.read("a.cl"), text.replace("    WAIT;\n", comment));
}

#[test]
fn findings_of_the_given_revision_are_not_reported() {
    let folder = Folder::new(&[("k.cl", DIVERGENT)]);
    folder.git(&["init", "--quiet"]);
    folder.commit();
    let since = ["--changed-since", "HEAD", "."];
    let none = folder.lint(&since);
    assert_eq!((none.out.as_str(), none.status), ("", 0));
    assert!(none.err.contains("1 finding also in `HEAD`\n"), "{}", none.err);
    // The lines of the first finding moved, and there is a second finding in the same kernel.
    let second = DIVERGENT
        .replace("  if", "  p[0] = 0;\n  if")
        .replace("    barrier(1);\n", "    barrier(1);\n  if (get_local_id(0) < 5)\n    barrier(1);\n");
    folder.write("k.cl", &second);
    folder.write("new.cl", DIVERGENT);
    let some = folder.lint(&since);
    assert_eq!((some.out.lines().count(), some.status), (2, 1), "{}", some.out);
    assert!(some.out.contains("k.cl:6:5:") && some.out.contains("new.cl:3:5:"), "{}", some.out);
    // A committed change is also new relative to an older revision.
    folder.commit();
    assert_eq!(folder.lint(&["--changed-since", "HEAD~1", "."]).out, some.out);
    assert_eq!(folder.lint(&["--changed-since", "HEAD", "."]).out, "");
}

#[test]
fn header_change_is_reported_in_an_unchanged_file() {
    let (quiet, loud) = ("void wait(int n) { }\n", "void wait(int n) { if (n) barrier(1); }\n");
    let kernel =
        "#include \"wait.h\"\n#include \"made.h\"\nkernel void k() { wait(get_local_id(0)); wait(N); }\n";
    let folder = Folder::new(&[("wait.h", quiet), ("src/k.cl", kernel), (".gitignore", "made.h\n")]);
    folder.write("made.h", "#define N 4\n");
    folder.git(&["init", "--quiet"]);
    folder.commit();
    folder.write("wait.h", loud);
    let run = folder.lint(&["--changed-since", "HEAD", "-I", ".", "src"]);
    assert!(run.out.contains("[divergent-barrier]"), "{}{}", run.out, run.err);
    assert!(!run.out.contains("made.h"), "{}", run.out);
    // The command runs in another folder, and a file is renamed.
    folder.write("wait.h", quiet);
    folder.write("src/k.cl", DIVERGENT);
    folder.commit();
    folder.git(&["mv", "src/k.cl", "src/other.cl"]);
    assert_eq!(folder.lint(&["--changed-since", "HEAD", "src"]).out, "");
}

#[cfg(unix)]
#[test]
fn changed_since_follows_symbolic_links() {
    let kernel = "#include \"wait.h\"\nkernel void k(int n) { wait(n); }\n";
    let header = "void wait(int n) {\n  if (get_local_id(0) < n) barrier(1);\n}\n";
    let folder = Folder::new(&[("a/src/k.cl", kernel), ("a/src/wait.h", header)]);
    let repository = folder.path().join("a");
    let git = |args: &[&str]| folder.git(&[&["-C", repository.to_str().unwrap()], args].concat());
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "m"]);
    std::os::unix::fs::symlink("a/src", folder.path().join("link")).unwrap();
    let since = |path: &str| folder.lint(&["--changed-since", "HEAD", path]);
    for path in ["link", "link/k.cl", "a/src", "a"] {
        assert_eq!((since(path).out.as_str(), since(path).status), ("", 0), "{path}: {}", since(path).err);
    }
    folder.write("a/src/wait.h", &header.replace("barrier(1)", "barrier(2)"));
    for path in ["link", "link/k.cl", "a/src", "a"] {
        assert!(since(path).out.contains("wait.h:2:28: error"), "{path}: {}", since(path).err);
    }
}

#[test]
fn git_errors_are_reported() {
    let folder = Folder::new(&[("k.cl", DIVERGENT)]);
    let outside = folder.lint(&["--changed-since", "HEAD", "."]);
    assert_eq!(outside.status, 2);
    assert!(
        outside.err.contains("`--changed-since` needs a git repository: not a git repository"),
        "{}",
        outside.err
    );
    folder.git(&["init", "--quiet"]);
    folder.commit();
    for revision in ["no-such-branch", "--output=x", ""] {
        let unknown = folder.lint(&[&format!("--changed-since={revision}"), "."]);
        assert_eq!(unknown.status, 2);
        assert!(unknown.err.ends_with(&format!(": unknown revision `{revision}`\n")), "{}", unknown.err);
    }
}

#[test]
fn add_suppressions_with_changed_since_skips_old_findings() {
    let folder = Folder::new(&[("k.cl", DIVERGENT)]);
    folder.git(&["init", "--quiet"]);
    folder.commit();
    folder.write("new.cl", DIVERGENT);
    assert_eq!(folder.lint(&["--changed-since", "HEAD", "--add-suppressions", "."]).status, 0);
    assert_eq!(folder.read("k.cl"), DIVERGENT);
    assert!(folder.read("new.cl").contains("tangle: allow"));
}

#[test]
fn path_list_has_one_path_per_line() {
    let folder = Folder::new(&[("a b.cl", DIVERGENT), ("c.cl", DIVERGENT), ("d.cl", DIVERGENT)]);
    folder.write("list", "a b.cl\r\n\nc.cl\n");
    let files = |run: Run| -> Vec<String> {
        assert!(run.status < 2, "{}", run.err);
        run.out.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect()
    };
    assert_eq!(files(folder.lint(&["@list"])), ["a b.cl", "c.cl"]);
    assert_eq!(files(folder.lint(&["d.cl", "@list"])), ["a b.cl", "c.cl", "d.cl"]);
    assert_eq!(files(folder.piped(&["@-"], "d.cl\n")), ["d.cl"]);
    // An empty list means no files, not the current folder.
    let none = folder.piped(&["@-"], "");
    assert_eq!((none.err.as_str(), none.status), ("no findings in 0 files\n", 0));
    let gone = folder.lint(&["@gone"]);
    assert_eq!((gone.err.as_str(), gone.status), ("tangle: @gone: No such file or directory\n", 2));
    let twice = folder.piped(&["@-", "-"], "");
    assert_eq!(twice.status, 2);
}

const EARLY: &str = "kernel void k(global int *p, int n) {\n  int i = get_global_id(0);\n  if (i >= n) return;\n  \
                     for (int j = 0; j < n; j++)\n    p[i] += j;\n  barrier(1);\n}\n";

#[test]
fn fix_preserves_other_bytes_and_is_idempotent() {
    let before = format!("\u{feff}{}", EARLY.replace('\n', "\r\n"));
    let folder = Folder::new(&[("a.cl", &before)]);
    let patch = folder.lint(&["--diff", "a.cl"]);
    assert_eq!((patch.status, folder.read("a.cl")), (1, before));
    assert!(patch.out.contains("+  const bool is_active = i < n;\r\n"), "{}", patch.out);
    let fixed = folder.lint(&["--fix", "a.cl"]);
    assert_eq!((fixed.out.as_str(), fixed.status), ("", 0), "{}", fixed.err);
    let loops = "  for (int j = 0; j < n; j++)\n    p[i] += j;\n";
    let guarded = "  if (is_active) {\n    for (int j = 0; j < n; j++)\n      p[i] += j;\n  }\n";
    let after = EARLY.replace("if (i >= n) return;", "const bool is_active = i < n;").replace(loops, guarded);
    let after = format!("\u{feff}{}", after.replace('\n', "\r\n"));
    assert_eq!(folder.read("a.cl"), after);
    assert_eq!(folder.lint(&["--fix", "a.cl"]).status, 0);
    assert_eq!(folder.read("a.cl"), after);
}

/// An edit of a file that is not UTF-8 would lose bytes. Lines inserted into a string literal would have no quotes.
#[test]
fn fix_does_not_change_files_that_it_would_break() {
    let folder = Folder::new(&[]);
    let literal: String = EARLY.lines().map(|line| format!("\"{line}\\n\"\n")).collect();
    folder.write("b.cl", &literal);
    let mut latin = EARLY.replace("return;", "return; // ").into_bytes();
    let at = EARLY.find("return;").unwrap() + "return; // ".len();
    latin.insert(at, 0xe9);
    fs::write(folder.path().join("a.cl"), &latin).unwrap();
    let run = folder.lint(&["--fix", "a.cl", "b.cl"]);
    assert_eq!(run.status, 1, "{}", run.err);
    assert!(run.err.contains("a.cl: not fixed: the file is not UTF-8"), "{}", run.err);
    assert_eq!(run.out.matches("[divergent-barrier]").count(), 2, "{}", run.out);
    assert_eq!(fs::read(folder.path().join("a.cl")).unwrap(), latin);
    assert_eq!(folder.read("b.cl"), literal);
}
