//! A file has the same findings in CI and in the editor: the server publishes the findings that `tangle lint` reports.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use tangle_cli as cli;
use tangle_cli::human::Terminal;
use tangle_cli::output::{Output, Streams};
use tangle_cli::session::Session;
use tempfile::TempDir;

use crate::client::Client;

/// The properties of a finding that both report: range, severity and rule, message with help.
type Finding = (String, String, String);

/// Runs `tangle lint --format json` and returns its output.
fn command(args: &[&str]) -> Value {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams = Streams {
        input: &mut std::io::empty(),
        out: Output::new(&mut out),
        err: Output::new(&mut err),
        terminal: Terminal::default(),
        err_terminal: Terminal::default(),
        progress: false,
        in_github_workflow: false,
    };
    let args = ["tangle", "lint", "--format", "json"].iter().chain(args);
    cli::run(args, &mut streams, Session::start);
    serde_json::from_slice(&out).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&err)))
}

/// The findings of the command, by file.
fn linted(args: &[&str]) -> BTreeMap<String, Vec<Finding>> {
    let mut by_file: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    for finding in command(args)["findings"].as_array().unwrap() {
        let text = |name: &str| finding[name].as_str().unwrap().to_owned();
        let place = ["line", "column", "end_line", "end_column"].map(|name| finding[name].as_u64().unwrap());
        let help: String = finding["help"]
            .as_array()
            .unwrap()
            .iter()
            .map(|help| format!("\nhelp: {}", help.as_str().unwrap()))
            .collect();
        let what = format!("{} {}", text("severity"), text("rule"));
        by_file.entry(text("file")).or_default().push((format!("{place:?}"), what, text("message") + &help));
    }
    by_file.values_mut().for_each(|findings| findings.sort());
    by_file
}

/// The diagnostics that the server publishes for a file when it is opened.
fn published(client: &mut Client, path: &Path) -> Vec<Finding> {
    let uri = format!("file://{}", path.display());
    client.open(&uri, &std::fs::read_to_string(path).unwrap());
    let diagnostics = client.published(&uri)["diagnostics"].clone();
    let finding = |diagnostic: &Value| {
        let count = |name: &str, end: &str| diagnostic["range"][end][name].as_u64().unwrap() + 1;
        let place = [("line", "start"), ("character", "start"), ("line", "end"), ("character", "end")];
        let place = place.map(|(name, end)| count(name, end));
        let severity = ["", "error", "warning", "note"][diagnostic["severity"].as_u64().unwrap() as usize];
        let what = format!("{severity} {}", diagnostic["code"].as_str().unwrap());
        (format!("{place:?}"), what, diagnostic["message"].as_str().unwrap().to_owned())
    };
    let mut findings: Vec<Finding> = diagnostics.as_array().unwrap().iter().map(finding).collect();
    findings.sort();
    findings
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// A kernel whose findings depend on its build settings.
const KERNEL: &str = "\
#include \"quoted.h\"
#include <found.h>
kernel void k(global int *p, int n) {
#ifdef SKIP
  if (p[get_local_id(0)]) goto out;
#endif
  p[1] = WIDTH + FROM_PRELUDE + FROM_QUOTED + FROM_FOUND;
out:
  BARRIER;
#if __OPENCL_C_VERSION__ < 200
  p[2] = old;
#endif
#ifdef __opencl_c_subgroups
  p[3] = subgroups;
#endif
}
";

const COMMANDS: &str = r#"[
  { "directory": "build", "file": "../src/skip.cl",
    "command": "clang -x cl -cl-std=CL1.2 -iquote ../quotes -isystem ../sys -include ../src/prelude.h -DSKIP -D'BARRIER=barrier(1)' -DWIDTH=4 ../src/skip.cl" },
  { "directory": "build", "file": "../src/plain.cl",
    "arguments": ["clang", "-I../sys", "-DBARRIER=barrier(1)", "-DWIDTH", "-U", "WIDTH", "../src/plain.cl"] },
  { "directory": "build", "file": "../src/skip.cl", "arguments": ["clang", "-DSECOND"] },
  { "directory": "build", "file": "../src/again.cl",
    "arguments": ["clang", "-I../sys", "-iquote", "../quotes", "-DBARRIER=my_barrier()", "-DSKIP", "../src/again.cl"] },
  { "directory": "build", "file": "../src/gpu.cl", "arguments": ["clang", "-x", "cuda", "../src/gpu.cl"] }
]"#;

const CONFIG: &str = "\
define = ['FROM_CONFIG=1']
[rules]
unknown-name = 'warning'
[[builtins]]
name = 'my_barrier'
scope = 'workgroup'
";

fn project() -> TempDir {
    folder(&[
        ("compile_commands.json", COMMANDS),
        ("tangle.toml", CONFIG),
        ("quotes/quoted.h", "#define FROM_QUOTED 1\n"),
        ("sys/found.h", "#define FROM_FOUND 1\n"),
        ("src/prelude.h", "#define FROM_PRELUDE 1\n"),
        ("src/skip.cl", KERNEL),
        ("src/plain.cl", KERNEL),
        ("src/again.cl", KERNEL),
        ("src/unknown.cl", KERNEL),
        ("src/gpu.cl", KERNEL),
        ("src/below/tangle.toml", "define = ['SKIP', 'BARRIER=barrier(1)']\n"),
        ("src/below/own.cl", KERNEL),
    ])
}

const KERNELS: &[&str] =
    &["src/skip.cl", "src/plain.cl", "src/again.cl", "src/unknown.cl", "src/gpu.cl", "src/below/own.cl"];

fn assert_same(folder: &TempDir, client: Client, linted: &BTreeMap<String, Vec<Finding>>) {
    assert_same_of(KERNELS, folder, client, linted);
}

fn assert_same_of(
    kernels: &[&str],
    folder: &TempDir,
    mut client: Client,
    linted: &BTreeMap<String, Vec<Finding>>,
) {
    for name in kernels {
        let path = folder.path().join(name);
        let expected = linted.get(path.to_str().unwrap()).cloned().unwrap_or_default();
        assert_eq!(published(&mut client, &path), expected, "{name}");
    }
}

#[test]
fn server_publishes_the_same_findings_as_the_command() {
    let folder = project();
    let root = folder.path().to_str().unwrap();
    let linted = linted(&[root]);
    assert_same(&folder, Client::start(), &linted);
    // Each file is also analysed with the settings of its build.
    let of = |name: &str, text: &str| {
        let findings = linted.get(folder.path().join(name).to_str().unwrap());
        findings
            .into_iter()
            .flatten()
            .filter(|(_, what, message)| format!("{what} {message}").contains(text))
            .count()
    };
    let all = |text: &str| KERNELS.iter().map(|name| of(name, text)).collect::<Vec<_>>();
    assert_eq!(all("warning implementation-defined-convergence"), [1, 0, 1, 0, 0, 1], "-D, and [[builtins]]");
    // The build of `plain.cl` excludes the jump.
    assert_eq!(all("note implementation-defined-convergence"), [0, 1, 0, 0, 0, 0], "-D");
    assert_eq!(all("`my_barrier` has implementation-defined convergence"), [0, 0, 1, 0, 0, 0]);
    // Where a header is missing, undeclared names are reported as part of that finding.
    // `[[builtins]]` declares `my_barrier`.
    assert_eq!(all("warning unknown-name"), [1, 0, 3, 0, 0, 0], "[rules], -include");
    assert_eq!(all("undeclared-function"), [0; 6], "[[builtins]]");
    // `gpu.cl` is built as CUDA, without include folders.
    assert_eq!(all("`quoted.h`"), [0, 1, 0, 1, 1, 1], "-iquote");
    assert_eq!(all("`found.h`"), [0, 0, 0, 1, 1, 1], "-I and -isystem");
    assert_eq!(all("`old`"), [1, 0, 0, 0, 0, 0], "-cl-std");
    assert_eq!(all("`subgroups`"), [0, 0, 1, 0, 0, 0], "-cl-std");
}

#[test]
fn user_options_override_the_project_in_server_and_command() {
    let folder = project();
    let root = folder.path().to_str().unwrap();
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::fs::write(folder.path().join("other/compile_commands.json"), COMMANDS.replace("-DSKIP", "-DLEAP"))
        .unwrap();
    let other = folder.path().join("other");
    let quotes = folder.path().join("quotes");
    let (other, quotes) = (other.to_str().unwrap(), quotes.to_str().unwrap());
    let with = linted(&[
        root,
        "-p",
        other,
        "-I",
        quotes,
        "-D",
        "WIDTH=8",
        "-U",
        "BARRIER",
        "--rule",
        "unknown-name=error",
    ]);
    assert_ne!(with, linted(&[root]));
    let options = json!({
        "compileCommands": other, "includePaths": [quotes], "defines": ["WIDTH=8"], "undefines": ["BARRIER"],
        "rules": { "unknown-name": "error" },
    });
    let client = Client::with(json!({ "capabilities": {}, "initializationOptions": options }));
    assert_same(&folder, client, &with);
}

/// A kernel with several builds, and with a prelude.
const BUILT: &str = "\
kernel void k(int n) {
#ifdef ONE
  if (get_local_id(0) < n) barrier(1);
#else
  if (get_local_id(0) < n) SYNC();
#endif
#ifdef THREE
  if (get_local_id(0) < n) barrier(1);
#endif
#ifdef __GPU__
  barrier(1);
#endif
}
";

#[test]
fn builds_branches_and_preludes_agree_in_server_and_command() {
    const KERNELS: &[&str] = &["k.cl", "wrapped.opencl", "common.cl"];
    let config = "all-branches = true\nprelude = ['common.cl']\n[[builds]]\nname = 'one'\ndefine = ['ONE']\n[[builds]]\nname = 'two'\n";
    let folder = folder(&[
        ("tangle.toml", config),
        ("common.cl", "#define SYNC() barrier(1)\n"),
        ("k.cl", BUILT),
        ("wrapped.opencl", &format!("// a part\nR\"(\n{BUILT})\"\n")),
    ]);
    let linted = linted(&[folder.path().to_str().unwrap()]);
    assert_same_of(KERNELS, &folder, Client::start(), &linted);
    let messages = |name: &str| -> Vec<&str> {
        let found = &linted[folder.path().join(name).to_str().unwrap()];
        let headline = |message: &'_ str| message.lines().next().unwrap().len();
        let headlines = found.iter().map(|(.., message)| &message[..headline(message)]);
        headlines.map(|message| message.rsplit(" (").next().unwrap().trim_end_matches(')')).collect()
    };
    let mut found = messages("k.cl");
    found.sort_unstable();
    assert_eq!(found, ["in the build `one`", "in the build `two`", "with `-D THREE=1`"]);
    assert_eq!(messages("wrapped.opencl").len(), 3);
}

#[test]
fn invalid_compile_commands_are_reported_and_ignored() {
    let folder = folder(&[("k.cl", "kernel void k() {}\n"), ("compile_commands.json", "[\n  {]")]);
    let mut client = Client::start();
    assert_eq!(published(&mut client, &folder.path().join("k.cl")), []);
    let shown = client.wait(|message| message["method"] == "window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(message.contains("compile_commands.json:2:4: "), "{message}");
}

#[test]
fn suppression_that_only_one_build_uses_is_used() {
    let folder = folder(&[
        ("tangle.toml", "[[builds]]\nname = 'all'\n[[builds]]\nname = 'some'\ndefine = ['SOME']\n"),
        (
            "k.cl",
            "kernel void k(global int *p) {\n#ifdef SOME\n  if (get_local_id(0) > 3)\n#endif\n    \
             // tangle: allow(divergent-barrier): a test\n    barrier(1);\n}\n",
        ),
    ]);
    let path = folder.path().join("k.cl");
    assert_eq!(linted(&[path.to_str().unwrap()]).get(path.to_str().unwrap()), None);
    assert_eq!(published(&mut Client::start(), &path), []);
}
