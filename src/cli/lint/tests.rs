//! Tests of the command with an analysis that finds words (`stand_in`).

mod stand_in;

use std::fs;
use std::io::{Error, ErrorKind};

use expect_test::expect;

use super::super::output::Output;
use super::*;
use stand_in::Words;
pub(crate) use stand_in::{Folder, check, tangle};
use tangle_project::{Build, Builds};

#[test]
fn findings_of_a_folder_are_printed_in_order() {
    let folder = Folder::new(
        "order",
        &[
            ("b.cl", "x NOTE\nWARN\n"),
            ("a/z.OCL", "ERROR µ WARN"),
            (".hidden/h.cl", "ERROR"),
            ("skip.h", "ERROR"),
            ("skip.clh", "ERROR"),
            (".ignore", "ignored.cl\n"),
            ("ignored.cl", "ERROR"),
            ("gpu.cu", "ERROR"),
            ("gpu.cpp", "ERROR"),
        ],
    );
    check(
        &folder,
        &["lint", &folder.path(""), "--format", "short"],
        expect![[r#"
        DIR/a/z.OCL:1:1: error: found ERROR [syntax-error]
        DIR/a/z.OCL:1:9: warning: found WARN [implementation-defined-convergence]
        DIR/b.cl:1:3: note: found NOTE [missing-include]
        DIR/b.cl:2:1: warning: found WARN [implementation-defined-convergence]
        DIR/gpu.cu:1:1: error: found ERROR [syntax-error]
        --- stderr
        2 errors, 2 warnings, 1 note in 3 files
        --- Findings
    "#]],
    );
    check(
        &folder,
        &["lint", &folder.path(""), "--format", "json", "--rule", "syntax-error=off"],
        expect![[r#"
            {
              "version": 1,
              "files": 3,
              "kernels": 0,
              "unparsed_statements": 0,
              "findings": [
                {
                  "rule": "implementation-defined-convergence",
                  "severity": "warning",
                  "confidence": "certain",
                  "file": "DIR/a/z.OCL",
                  "line": 1,
                  "column": 9,
                  "end_line": 1,
                  "end_column": 13,
                  "function": null,
                  "message": "found WARN",
                  "label": "",
                  "related": [],
                  "help": [],
                  "fixes": []
                },
                {
                  "rule": "missing-include",
                  "severity": "note",
                  "confidence": "certain",
                  "file": "DIR/b.cl",
                  "line": 1,
                  "column": 3,
                  "end_line": 1,
                  "end_column": 7,
                  "function": null,
                  "message": "found NOTE",
                  "label": "",
                  "related": [],
                  "help": [],
                  "fixes": []
                },
                {
                  "rule": "implementation-defined-convergence",
                  "severity": "warning",
                  "confidence": "certain",
                  "file": "DIR/b.cl",
                  "line": 2,
                  "column": 1,
                  "end_line": 2,
                  "end_column": 5,
                  "function": null,
                  "message": "found WARN",
                  "label": "",
                  "related": [],
                  "help": [],
                  "fixes": []
                }
              ]
            }
            --- stderr
            --- Findings
        "#]],
    );
    check(
        &folder,
        &["lint", &folder.path("b.cl"), "--statistics", "--quiet", "--notes"],
        expect![[r#"
        warning[implementation-defined-convergence]: found WARN
           ╭─[ DIR/b.cl:2:1 ]
           │
         2 │ WARN
           │ ──┬─
           │   ╰─── here
        ───╯

        note[missing-include]: found NOTE
           ╭─[ DIR/b.cl:1:3 ]
         1 │x NOTE
           │    ╰── here

        findings     files  rule
               1         1  implementation-defined-convergence
               1         1  missing-include
        --- stderr
        --- Findings
    "#]],
    );
    check(
        &folder,
        &["lint", &folder.path("skip.clh"), &folder.path("gpu.cu"), "--format=short"],
        expect![[r#"
            DIR/gpu.cu:1:1: error: found ERROR [syntax-error]
            DIR/skip.clh:1:1: error: found ERROR [syntax-error]
            --- stderr
            2 errors in 2 files
            --- Findings
        "#]],
    );
    check(
        &folder,
        &["lint", &folder.path("b.cl"), "--format=github"],
        expect![[r#"
        ::notice file=DIR/b.cl,line=1,col=3,endLine=1,endColumn=7,title=missing-include::found NOTE
        ::warning file=DIR/b.cl,line=2,col=1,endLine=2,endColumn=5,title=implementation-defined-convergence::found WARN
        --- stderr
        --- Findings
    "#]],
    );
}

/// Returns the output of the command in a GitHub workflow.
fn in_github_workflow(args: &[&str]) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams = Streams {
        input: &mut io::empty(),
        out: Output::new(&mut out),
        err: Output::new(&mut err),
        terminal: Terminal::default(),
        err_terminal: Terminal::default(),
        progress: false,
        in_github_workflow: true,
    };
    super::super::run(["tangle"].iter().chain(args), &mut streams, |_| Words::default());
    String::from_utf8(out).unwrap()
}

#[test]
fn github_workflow_gets_annotations_unless_format_is_given() {
    let folder = Folder::new("workflow", &[("w.cl", "WARN\n")]);
    let path = folder.path("w.cl");
    let run = |more: &[&str]| in_github_workflow(&[&["lint", &path], more].concat());
    assert!(run(&[]).starts_with("::warning file="), "{}", run(&[]));
    assert!(run(&["--format", "human"]).starts_with("warning["));
    assert!(run(&["--output-format", "short"]).ends_with("[implementation-defined-convergence]\n"));
}

#[test]
fn gitlab_and_junit_output_has_paths_and_failures() {
    let folder = Folder::new("services", &[("w.cl", "WARN\n NOTE")]);
    let path = folder.path("w.cl");
    let (status, out, err) = tangle(&folder, "", &["lint", "--format", "gitlab", &path]);
    assert_eq!((status, &*err), (Status::Findings, ""));
    let findings: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(findings[0]["location"]["path"], "DIR/w.cl");
    assert_eq!(findings[1]["severity"], "info");
    let run = |more: &[&str]| tangle(&folder, "", &[&["lint", "--format", "junit", &path], more].concat()).1;
    assert!(
        run(&[]).contains(r#"<testsuites name="tangle" tests="2" skipped="0" failures="1" errors="0">"#),
        "{}",
        run(&[])
    );
    assert!(run(&["--fail-on", "note"]).contains(r#"failures="2""#));
    assert!(run(&["--fail-on", "never"]).contains(r#"failures="0""#));
}

#[test]
fn output_does_not_depend_on_number_of_jobs() {
    let files: Vec<(String, String)> =
        (0..60).map(|n| (format!("{}/{n}.cl", n % 7), "WARN ERROR\nNOTE\n".repeat(n % 5))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = Folder::new("threads", &files);
    for format in ["human", "json", "sarif", "github", "gitlab", "junit", "short"] {
        let run = |jobs| tangle(&folder, "", &["lint", &folder.path(""), "--format", format, "-j", jobs]);
        assert_eq!(run("1"), run("8"));
    }
}

#[test]
fn exit_status_depends_on_worst_finding_and_fail_on() {
    let folder =
        Folder::new("status", &[("n.cl", "NOTE"), ("w.cl", "WARN"), ("e.cl", "ERROR"), ("c.cl", "")]);
    let status = |file: &str, more: &[&str]| {
        let path = folder.path(file);
        tangle(&folder, "", &[&["lint", &path], more].concat()).0
    };
    assert_eq!(status("c.cl", &[]), Status::Clean);
    assert_eq!(status("n.cl", &[]), Status::Clean);
    assert_eq!(status("w.cl", &[]), Status::Findings);
    assert_eq!(status("e.cl", &[]), Status::Findings);
    assert_eq!(status("n.cl", &["--fail-on", "note"]), Status::Findings);
    assert_eq!(status("w.cl", &["--fail-on", "error"]), Status::Clean);
    assert_eq!(status("e.cl", &["--fail-on", "never"]), Status::Clean);
    assert_eq!(status("w.cl", &["--rule", "implementation-defined-convergence=note"]), Status::Clean);
    assert_eq!(status("n.cl", &["--rule", "missing-include=error"]), Status::Findings);
    assert_eq!(status("n.cl", &["--dialect", "cuda"]), Status::Clean);
    assert_eq!(status("gone.cl", &["--fail-on", "never"]), Status::Trouble);
}

#[cfg(unix)]
#[test]
fn unreadable_files_are_reported_and_others_linted() {
    let folder = Folder::new(
        "unreadable",
        &[("w.cl", "WARN"), ("bin.cl", "x\ny\0"), ("p.cl", "PANIC"), ("no/x.txt", "")],
    );
    std::os::unix::fs::symlink("nowhere", folder.0.join("vanished.cl")).unwrap();
    check(
        &folder,
        &["lint", "--format=short", &folder.path(""), &folder.path("no"), &folder.path("gone")],
        expect![[r#"
            DIR/w.cl:1:1: warning: found WARN [implementation-defined-convergence]
            --- stderr
            tangle: DIR/no: no kernel sources found (.cl, .cu, .hip and others)
            tangle: DIR/gone: No such file or directory
            tangle: DIR/bin.cl: not a text file: a NUL byte at line 2, column 2 (byte 3)
            tangle: DIR/p.cl: internal error: please report it with the text above and the file
            tangle: DIR/vanished.cl: No such file or directory
            1 warning in 1 file
            --- Trouble
        "#]],
    );
    check(
        &folder,
        &["lint", &folder.path("w.cl/x.cl")],
        expect![[r#"
        --- stderr
        tangle: DIR/w.cl/x.cl: Not a directory
        --- Trouble
    "#]],
    );
    check(
        &folder,
        &["show", &folder.path("")],
        expect![[r#"
        --- stderr
        tangle: DIR: Is a directory
        --- Trouble
    "#]],
    );
}

#[test]
fn file_named_several_times_is_linted_once() {
    let folder = Folder::new("once", &[("w.cl", "WARN")]);
    let (_, out, _) = tangle(
        &folder,
        "",
        &["lint", "--format=short", &folder.path("w.cl"), &folder.path("./w.cl"), &folder.path("")],
    );
    assert_eq!(out.lines().count(), 1, "{out}");
}

#[test]
fn standard_input_is_read_as_a_file() {
    let folder = Folder::new("stdin", &[]);
    let (status, out, err) = tangle(&folder, "int WARN;", &["lint", "-", "--format=short"]);
    assert_eq!(status, Status::Findings);
    assert_eq!(out, "<stdin>:1:5: warning: found WARN [implementation-defined-convergence]\n");
    assert_eq!(err, "1 warning in 1 file\n");
    let (status, out, _) = tangle(&folder, "int x;", &["show", "-", "--what", "items"]);
    assert_eq!((status, out.as_str()), (Status::Clean, "Items of <stdin>: int x;"));
}

#[test]
fn nearest_config_applies_and_command_line_overrides_it() {
    let config = "fail-on = 'never'\n[rules]\nsyntax-error = 'off'\nmissing-include = 'warning'\n";
    let folder = Folder::new(
        "config",
        &[("tangle.toml", config), ("a/b/x.cl", "ERROR NOTE"), ("bad.toml", "nope = 1")],
    );
    let x = folder.path("a/b/x.cl");
    check(
        &folder,
        &["lint", &x, "--format=short"],
        expect![[r#"
        DIR/a/b/x.cl:1:7: warning: found NOTE [missing-include]
        --- stderr
        1 warning in 1 file
        --- Clean
    "#]],
    );
    check(
        &folder,
        &["lint", &x, "--format=short", "--fail-on=error", "--rule=syntax-error=error"],
        expect![[r#"
            DIR/a/b/x.cl:1:1: error: found ERROR [syntax-error]
            DIR/a/b/x.cl:1:7: warning: found NOTE [missing-include]
            --- stderr
            1 error, 1 warning in 1 file
            --- Findings
        "#]],
    );
    check(
        &folder,
        &["lint", &x, "--config", &folder.path("bad.toml")],
        expect![[r#"
            --- stderr
            error: unknown key `nope`: expected `include`, `include-files`, `define`, `undefine`, `compile-commands`, `dialect`, `model`, `fail-on`, `all-branches`, `only-active-branches`, `prelude`, `exclude`, `builds`, `rules`, `overrides`, `builtins`, `uniform`, `conventions`, `launch`, `opencl`, `cuda` or `hip`
               ╭─[ DIR/bad.toml:1:1 ]
               │
             1 │ nope = 1
               │ ──┬─
               │   ╰─── here
            ───╯

            --- Trouble
        "#]],
    );
    check(
        &folder,
        &["lint", &x, "--config", &folder.path("none.toml")],
        expect![[r#"
        --- stderr
        tangle: DIR/none.toml: No such file or directory
        --- Trouble
    "#]],
    );
}

#[test]
fn wrong_usage_is_reported() {
    let folder = Folder::new("usage", &[]);
    check(
        &folder,
        &["lint", "--rule", "sintax-error=off"],
        expect![[r#"
        --- stderr
        error: invalid value 'sintax-error=off' for '--rule <ID=LEVEL>': there is no rule `sintax-error`; did you mean `syntax-error`?

        For more information, try '--help'.
        --- Trouble
    "#]],
    );
    check(
        &folder,
        &["lint", "--fail-on", "panic"],
        expect![[r#"
        --- stderr
        error: invalid value 'panic' for '--fail-on <SEVERITY>': unknown severity `panic`: expected `error`, `warning`, `note`, `confirmed` or `never`

        For more information, try '--help'.
        --- Trouble
    "#]],
    );
    check(
        &folder,
        &["explain", "implementation-defined"],
        expect![[r#"
        --- stderr
        tangle: there is no rule `implementation-defined`; did you mean `implementation-defined-convergence`?
        --- Trouble
    "#]],
    );
    check(
        &folder,
        &["explain", "zzz"],
        expect![[r#"
        --- stderr
        tangle: there is no rule `zzz`; `tangle rules` lists them
        --- Trouble
    "#]],
    );
}

#[test]
fn rules_command_prints_one_line_per_rule() {
    let folder = Folder::new("rules", &[]);
    let (_, out, err) = tangle(&folder, "", &["rules"]);
    assert_eq!(err, "");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), tangle_rules::RULES.len());
    for (line, rule) in lines.iter().zip(tangle_rules::RULES) {
        assert!(line.starts_with(rule.id) && line.ends_with(rule.summary), "{line}");
    }
    let expected = expect![[r#"
        ambiguous-loop-nest                 note     a loop with several divergent back edges, which can be read as one loop or as two
        fallthrough-into-convergent         off      a `case` before a convergent operation that threads reach both by fall-through and by a jump
        implementation-defined-convergence  warning  a convergent operation that threads reach on paths that need not reconverge
        syntax-error                        error    text that does not follow the grammar of the language
    "#]];
    let reported = |line: &&&str| {
        ["ambiguous", "fall", "implementation", "syntax"].iter().any(|it| line.starts_with(it))
    };
    let reported: Vec<&str> = lines.iter().filter(reported).copied().collect();
    expected.assert_eq(&format!("{}\n", reported.join("\n")));
}

/// A stream that fails with this kind of error.
struct Failing(ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(Error::from(self.0))
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(Error::from(self.0))
    }
}

#[test]
fn broken_pipe_is_ignored_but_full_disk_is_an_error() {
    let folder = Folder::new("pipe", &[("w.cl", "WARN\n")]);
    let path = folder.path("w.cl");
    for (kind, expected, reported) in
        [(ErrorKind::BrokenPipe, Status::Findings, false), (ErrorKind::StorageFull, Status::Trouble, true)]
    {
        for format in ["human", "json", "sarif", "github", "gitlab", "junit", "short"] {
            let (mut out, mut err) = (Failing(kind), Vec::new());
            let mut streams = Streams {
                input: &mut io::empty(),
                out: Output::new(&mut out),
                err: Output::new(&mut err),
                terminal: Terminal::default(),
                err_terminal: Terminal::default(),
                progress: false,
                in_github_workflow: false,
            };
            let args = ["tangle", "lint", &path, "--format", format, "--quiet"];
            assert_eq!(super::super::run(args, &mut streams, |_| Words::default()), expected);
            assert_eq!(
                String::from_utf8(err).unwrap().contains("cannot write the output"),
                reported,
                "{format}"
            );
        }
    }
}

#[test]
fn sarif_output_contains_rules_and_their_help() {
    let folder = Folder::new("sarif", &[("w.cl", "NOTE\n WARN")]);
    let (_, out, _) = tangle(&folder, "", &["lint", "--format=sarif", &folder.path("w.cl")]);
    let log: serde_json::Value = serde_json::from_str(&out).unwrap();
    let run = &log["runs"][0];
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "implementation-defined-convergence");
    assert!(run["tool"]["driver"]["rules"][0]["help"]["text"].as_str().unwrap().starts_with("# "));
    assert_eq!(run["results"][1]["ruleIndex"], 0);
    assert_eq!(run["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
}

#[test]
fn config_macros_precede_command_line_macros_in_order() {
    let folder =
        Folder::new("macros", &[("tangle.toml", "define = ['C']\ninclude = ['inc']\n"), ("x.cl", "")]);
    let path = folder.path("x.cl");
    let [build] = &builds(&["lint", &path, "-D", "S(x)=#x", "-US", "-DT", "-I", "first"])[..] else {
        panic!("one build")
    };
    use tangle_project::MacroOption::{Define, Undefine};
    let expected = [Define("C".into()), Define("S(x)=#x".into()), Undefine("S".into()), Define("T".into())];
    assert_eq!(build.macros, expected);
    assert_eq!(build.include_dirs, [PathBuf::from("first"), folder.0.join("inc")]);
}

/// Returns the builds with which the command starts an analysis.
fn builds(args: &[&str]) -> Vec<Build> {
    let seen = Mutex::new(Vec::new());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams = Streams {
        input: &mut io::empty(),
        out: Output::new(&mut out),
        err: Output::new(&mut err),
        terminal: Terminal::default(),
        err_terminal: Terminal::default(),
        progress: false,
        in_github_workflow: false,
    };
    super::super::run(["tangle"].iter().chain(args), &mut streams, |builds: &Builds| {
        seen.lock().unwrap().extend(builds.iter().cloned());
        Words::default()
    });
    seen.into_inner().unwrap()
}

#[test]
fn files_with_equal_flags_share_a_build() {
    let entry = |file: &str, define: &str| {
        format!(r#"{{ "directory": ".", "file": "{file}", "command": "cc -D{define} {file}" }}"#)
    };
    let commands = format!("[{}, {}, {}]", entry("a.cl", "X"), entry("b.cl", "Y"), entry("c.cl", "X"));
    let files = ["a.cl", "b.cl", "c.cl", "none.cl"].map(|name| (name, ""));
    let folder = Folder::new("builds", &[&files[..], &[("compile_commands.json", &commands)]].concat());
    let named = |args: &[&str]| -> Vec<String> {
        let path = folder.path("");
        let args = [&["lint", &path], args].concat();
        builds(&args).iter().map(|build| format!("{:?}", build.macros)).collect()
    };
    let [x, y] = ["X", "Y"].map(|name| format!(r#"[Define("{name}")]"#));
    assert_eq!(named(&[]), [x, y, "[]".to_owned()]);
    let [x, y] = ["X", "Y"].map(|name| format!(r#"[Define("{name}"), Undefine("X")]"#));
    assert_eq!(named(&["-U", "X"]), [x, y, r#"[Undefine("X")]"#.to_owned()]);
}

#[test]
fn each_file_uses_the_settings_of_its_own_project() {
    let off = "[rules]\nsyntax-error = 'off'\nmissing-include = 'error'\n";
    let folder = Folder::new(
        "projects",
        &[
            ("one/tangle.toml", off),
            ("one/a.cl", "ERROR NOTE"),
            ("two/tangle.toml", "fail-on = 'never'\n"),
            ("two/b.cl", "ERROR NOTE"),
            ("cuda/tangle.toml", "dialect = 'cuda'\n"),
            ("cuda/c.cl", "ERROR"),
        ],
    );
    check(
        &folder,
        &["lint", "--format=short", &folder.path("")],
        expect![[r#"
        DIR/cuda/c.cl:1:1: error: found ERROR [syntax-error]
        DIR/one/a.cl:1:7: error: found NOTE [missing-include]
        DIR/two/b.cl:1:1: error: found ERROR [syntax-error]
        DIR/two/b.cl:1:7: note: found NOTE [missing-include]
        --- stderr
        3 errors, 1 note in 3 files
        --- Findings
    "#]],
    );
    // The settings of the first path determine which findings make a run fail.
    let (one, two) = (folder.path("one"), folder.path("two"));
    assert_eq!(tangle(&folder, "", &["lint", &one, &two]).0, Status::Findings);
    assert_eq!(tangle(&folder, "", &["lint", &two, &one]).0, Status::Clean);
    assert_eq!(tangle(&folder, "", &["lint", &two, &one, "--fail-on=error"]).0, Status::Findings);
}

#[test]
fn invalid_settings_are_reported_and_nothing_is_linted() {
    let folder = Folder::new(
        "wrong",
        &[
            ("a.cl", "ERROR"),
            ("b/tangle.toml", "model = 'x'\n"),
            ("b/b.cl", ""),
            ("b/compile_commands.json", "[1]"),
        ],
    );
    check(
        &folder,
        &["lint", &folder.path(""), "--format=json"],
        expect![[r#"
        --- stderr
        tangle: DIR/b/tangle.toml:1:9: `model`: expected `tangles` or `revised`, found `x`
        tangle: DIR/b/compile_commands.json:1:2: expected an object with `directory`, `file`, and `arguments` or `command`, found `1`
        --- Trouble
    "#]],
    );
    check(
        &folder,
        &["lower", &folder.path("b/b.cl")],
        expect![[r#"
            --- stderr
            error: `model`: expected `tangles` or `revised`, found `x`
               ╭─[ DIR/b/tangle.toml:1:9 ]
               │
             1 │ model = 'x'
               │         ─┬─
               │          ╰─── here
            ───╯

            error: expected an object with `directory`, `file`, and `arguments` or `command`, found `1`
               ╭─[ DIR/b/compile_commands.json:1:2 ]
               │
             1 │ [1]
               │  ┬
               │  ╰── here
            ───╯

            --- Trouble
        "#]],
    );
    check(
        &folder,
        &["lint", &folder.path("a.cl"), "-p", &folder.path("c")],
        expect![[r#"
        --- stderr
        tangle: DIR/c/compile_commands.json: No such file or directory
        --- Trouble
    "#]],
    );
    // Errors in settings that apply to none of the files are ignored.
    assert_eq!(tangle(&folder, "", &["lint", &folder.path("a.cl")]).0, Status::Findings);
}

#[test]
fn notes_are_counted_and_shown_on_request() {
    let folder = Folder::new("notes", &[("a.cl", "NOTE NOTE\nWARN\n"), ("b.cl", "ERROR\n")]);
    let lint = |args: &[&str]| {
        let (status, out, err) = tangle(&folder, "", &[&["lint", &*folder.path("")], args].concat());
        (status, out.matches("found NOTE").count(), out.contains("found WARN"), err)
    };
    let (status, notes, warns, err) = lint(&[]);
    assert_eq!((status, notes, warns), (Status::Findings, 0, true));
    assert_eq!(err, "1 error, 1 warning in 2 files\n2 notes hidden: `--notes` shows them\n");
    for option in [&["--notes"][..], &["--fail-on", "note"]] {
        let (_, notes, _, err) = lint(option);
        assert_eq!((notes, &*err), (2, "1 error, 1 warning, 2 notes in 2 files\n"), "{option:?}");
    }
    // Formats for programs contain all notes.
    assert_eq!(lint(&["--format", "short"]).1, 2);
    let (status, notes, warns, err) = lint(&["--errors-only", "--format", "short"]);
    assert_eq!((status, notes, warns), (Status::Findings, 0, false));
    assert_eq!(err, "1 error in 2 files\n");
}

#[test]
fn findings_in_baseline_are_not_reported() {
    let folder = Folder::new("baseline", &[("a.cl", "WARN\nx NOTE\n"), ("b/b.cl", "if (x)  WARN;\nWARN\n")]);
    let (all, file) = (folder.path(""), folder.path("tangle-baseline.json"));
    let short = |args: &[&str]| tangle(&folder, "", &[&["lint", "--format", "short", &*all], args].concat());
    // Tests run in another folder, so a new baseline is written to the folder of the files. A second run changes
    // nothing.
    for _ in 0..2 {
        let (status, out, err) = short(&["--write-baseline"]);
        let expected = (Status::Clean, "", "DIR/tangle-baseline.json: 3 known findings\n");
        assert_eq!((status, &*out, &*err), expected);
        assert_eq!(fs::read_to_string(&file).unwrap().matches("\"count\": 1").count(), 3);
    }
    // The run finds the baseline from the path. Edits above a finding or to its spaces do not make it new. A further
    // finding with the same identity is new.
    fs::write(folder.path("b/b.cl"), "// more\n  if (x) WARN;\nWARN\nWARN\n").unwrap();
    let (status, out, err) = short(&["--fail-on", "warning"]);
    assert_eq!(status, Status::Findings);
    assert_eq!(
        out,
        "DIR/a.cl:2:3: note: found NOTE [missing-include]\n\
         DIR/b/b.cl:4:1: warning: found WARN [implementation-defined-convergence]\n"
    );
    assert_eq!(err, "1 warning, 1 note in 2 files\n3 findings in the baseline\n");
    assert_eq!(short(&["--no-baseline"]).1.lines().count(), 5);
    // SARIF also contains the known findings.
    let (_, sarif, _) = tangle(&folder, "", &["lint", "--format", "sarif", &all]);
    assert_eq!(sarif.matches(r#""kind": "external""#).count(), 3, "{sarif}");
    // A fixed finding is removed from the baseline on request.
    let reasoned = fs::read_to_string(&file)
        .unwrap()
        .replace("\"count\": 1\n", "\"count\": 1,\n      \"reason\": \"why\"\n");
    fs::write(&file, &reasoned).unwrap();
    fs::write(folder.path("b/b.cl"), "WARN\n").unwrap();
    assert!(
        short(&[]).2.contains("1 finding of the baseline no longer found: remove with `--prune-baseline`")
    );
    short(&["--prune-baseline"]);
    let pruned = fs::read_to_string(&file).unwrap();
    assert_eq!((pruned.matches("\"rule\"").count(), pruned.matches("why").count()), (2, 2), "{pruned}");
    // A run on one file does not change the entries of other files.
    fs::write(folder.path("a.cl"), "").unwrap();
    let (_, _, err) = tangle(&folder, "", &["lint", &folder.path("b/b.cl"), "--write-baseline"]);
    assert_eq!(err, "DIR/tangle-baseline.json: 1 known finding\n");
    assert!(fs::read_to_string(&file).unwrap().contains("a.cl"));
}

#[test]
fn invalid_baseline_is_an_error() {
    let folder = Folder::new(
        "baseline-bad",
        &[("a.cl", "WARN\n"), ("bad.json", "{\n\"version\": 2, \"findings\": []}")],
    );
    let bad = folder.path("bad.json");
    let lint = |file: &str| {
        let (status, _, err) = tangle(&folder, "", &["lint", &folder.path("a.cl"), "--baseline", file]);
        (status, err)
    };
    let (status, err) = lint(&bad);
    assert_eq!(status, Status::Trouble);
    assert_eq!(err, "tangle: DIR/bad.json: version 2 is not known; this is version 1\n");
    fs::write(&bad, "{\n\"version\": 1, \"findings\": 3}").unwrap();
    assert!(lint(&bad).1.starts_with("tangle: DIR/bad.json:2: no baseline: invalid type: integer `3`"));
    assert_eq!(lint(&folder.path("none.json")).0, Status::Trouble);
}

#[test]
fn config_excludes_files_and_sets_levels_by_path() {
    // `*` does not match a slash, so the second table applies to no file.
    let config = "exclude = ['other/**', 'old']\n\
                  [[overrides]]\nfiles = ['tests/**']\nrules = { implementation-defined-convergence = 'error' }\n\
                  [[overrides]]\nfiles = ['tes*', '*.cu']\nrules = { implementation-defined-convergence = 'off' }\n";
    let folder = Folder::new(
        "exclude",
        &[
            ("tangle.toml", config),
            ("a.cl", "WARN\n"),
            ("other/x/b.cl", "WARN\n"),
            ("old/c.cl", "WARN\n"),
            ("tests/t.cl", "WARN\n"),
        ],
    );
    let short = |path: &str| {
        let (_, out, err) = tangle(&folder, "", &["lint", "--format", "short", &folder.path(path)]);
        format!("{out}{err}")
    };
    assert_eq!(
        short(""),
        "DIR/a.cl:1:1: warning: found WARN [implementation-defined-convergence]\n\
         DIR/tests/t.cl:1:1: error: found WARN [implementation-defined-convergence]\n\
         1 error, 1 warning in 2 files\n2 files excluded by `tangle.toml`\n"
    );
    // `exclude` does not apply to a file that an argument names.
    assert!(short("old/c.cl").contains("found WARN"));
}

#[test]
fn findings_without_witness_do_not_fail_on_confirmed() {
    let folder = Folder::new("confirmed", &[("a.cl", "WARN\n")]);
    let lint = |args: &[&str]| {
        let (status, out, _) = tangle(&folder, "", &[&["lint", &*folder.path("a.cl")], args].concat());
        (status, out.contains("not confirmed in 3 executions"))
    };
    assert_eq!(lint(&[]), (Status::Findings, false));
    assert_eq!(lint(&["--witness"]), (Status::Findings, true));
    assert_eq!(lint(&["--fail-on", "confirmed"]), (Status::Clean, true));
}
