//! `tangle lint --witness` on the samples.
//!
//! - At least 95 % of the errors in `samples/rules` and 80 % of those in `samples/history` are confirmed. The others are
//!   printed.
//! - The printed command line repeats the execution: it prints the same bytes each time, and the threads that wait or
//!   execute the operation of the finding are those of the witness.
//! - No search confirms a finding at an operation of a correct kernel, whatever the finding is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;
use tangle::Build;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Evidence, Place, Severity};
use tangle_execution::witness;
use tangle_project::Language;
use tangle_referees::{is_thorough, some_of};
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

fn samples(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(folder)
}

fn tangle(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tangle")).args(args).output().unwrap()
}

fn is_kernel_file(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "cl" || it == "cu" || it == "hip")
}

/// Returns the findings of the files of a folder. The options of a file are in its first line.
fn findings(folder: &str) -> Vec<Value> {
    let files = ignore::Walk::new(samples(folder)).map(|it| it.unwrap().into_path());
    let files: Vec<PathBuf> = files.filter(|path| is_kernel_file(path)).collect();
    let lint = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let first = text.lines().next().and_then(|line| line.strip_prefix("// args: "));
        let options = first.unwrap_or_default().split_whitespace();
        let path = file.to_str().unwrap();
        let args: Vec<&str> =
            ["lint", "--witness", "--format", "json", path].into_iter().chain(options).collect();
        let document: Value = serde_json::from_slice(&tangle(&args).stdout).unwrap();
        document["findings"].as_array().unwrap().clone()
    };
    files.par_iter().flat_map(lint).collect()
}

/// Asserts that enough of the errors about threads are confirmed.
fn confirmed(folder: &str, percent: usize) -> Vec<Value> {
    let findings = findings(folder);
    let has_evidence = |it: &&Value| tangle_rules::evidence(it["rule"].as_str().unwrap()).is_some();
    let errors: Vec<&Value> =
        findings.iter().filter(has_evidence).filter(|it| it["severity"] == "error").collect();
    let (confirmed, others): (Vec<&Value>, Vec<&Value>) =
        errors.iter().partition(|it| it["confirmed"] == true);
    println!("{folder}: {} of {} errors are confirmed", confirmed.len(), errors.len());
    for it in &others {
        println!("  {}:{} [{}]", it["file"], it["line"], it["rule"].as_str().unwrap());
    }
    assert!(confirmed.len() * 100 >= errors.len() * percent, "{} of {}", confirmed.len(), errors.len());
    findings
}

/// Returns the words of a command line as a shell does.
fn words(command: &str) -> Vec<String> {
    let output = Command::new("sh").arg("-c").arg(format!("printf '%s\\n' {command}")).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Returns the threads that wait at, or take part in, an operation on a line.
fn threads_at(report: &Value, line: &Value) -> BTreeSet<Vec<u64>> {
    let lists = ["waiting", "communications", "ends"].map(|list| report[list].as_array());
    let at_line = lists.into_iter().flatten().flatten().filter(|it| it["line"] == *line);
    let threads =
        |it: &Value| it["threads"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
    at_line.map(threads).collect()
}

/// Executes the command line of a witness, and compares the threads.
fn replay(finding: &Value, execution: &Value) {
    let command = execution["command"].as_str().unwrap();
    let mut args = words(command);
    assert_eq!(args.remove(0), "tangle");
    args.extend(["--format", "json"].map(str::to_owned));
    let args: Vec<&str> = args.iter().map(|arg| &**arg).collect();
    let (first, second) = (tangle(&args), tangle(&args));
    assert_eq!(first.stdout, second.stdout, "{command}");
    let report: Value = serde_json::from_slice(&first.stdout)
        .unwrap_or_else(|error| panic!("{command}: {error}: {}", String::from_utf8_lossy(&first.stderr)));
    for lanes in execution["lanes"].as_array().unwrap() {
        let message = lanes["message"].as_str().unwrap();
        if !["wait", "execute"].iter().any(|verb| message.contains(verb)) {
            continue;
        }
        let threads: Vec<u64> =
            lanes["threads"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
        let known = threads_at(&report, &lanes["line"]);
        let is_known = known.iter().any(|all| threads.iter().all(|thread| all.contains(thread)));
        assert!(is_known, "{command}: {message}\n{known:?}\n{finding:#}");
    }
}

fn replay_all(findings: &[Value]) {
    let witnesses = findings.iter().filter(|it| it["confirmed"] == true);
    let all: Vec<(&Value, &Value)> = witnesses
        .flat_map(|it| [(it, &it["witness"]), (it, &it["witness"]["alternative"])])
        .filter(|(_, execution)| execution.is_object())
        .collect();
    assert!(!all.is_empty());
    all.par_iter().for_each(|(finding, execution)| replay(finding, execution));
    println!("{} command lines repeat their executions", all.len());
}

#[test]
fn errors_in_samples_of_rules_are_confirmed_and_replayed() {
    replay_all(&confirmed("rules", 95));
}

#[test]
fn fixed_bugs_are_confirmed_and_replayed() {
    replay_all(&confirmed("history", 80));
}

#[test]
fn two_readings_are_confirmed_and_replayed() {
    let findings = findings("spec-patterns");
    let about = findings.iter().filter(|it| it["rule"] == "implementation-defined-convergence");
    let about: Vec<&Value> = about.collect();
    assert!(
        about.len() > 10 && about.iter().all(|it| it["witness"]["alternative"].is_object()),
        "{about:#?}"
    );
    replay_all(&findings);
}

/// Returns the only finding of a text.
fn finding_of(name: &str, text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let output = tangle(&["lint", "--witness", "--format", "json", path.to_str().unwrap()]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{document:#}");
    if findings[0]["confirmed"] == true {
        replay_all(findings);
    }
    findings[0].clone()
}

#[test]
fn macros_of_an_inactive_branch_are_defined_in_its_execution() {
    let text =
        "kernel void k(int n) {\n#ifdef FAST\n  if (get_local_id(0) > n)\n    barrier(1);\n#endif\n}\n";
    let finding = finding_of("k.cl", text);
    assert_eq!(finding["definitions"], serde_json::json!(["FAST=1"]));
    let command = finding["witness"]["command"].as_str().unwrap();
    assert!(command.contains(" -D FAST=1 "), "{command}");
}

#[test]
fn finding_without_executions_has_the_reason() {
    let text = "template <class T> struct S {\n  __device__ void f(T *p) {\n    if (threadIdx.x > p[0])\n      \
                __syncthreads();\n  }\n};\n";
    let finding = finding_of("k.cu", text);
    assert_eq!((&finding["confirmed"], &finding["executions"]), (&Value::from(false), &Value::from(0)));
    let reason = finding["not_tried"].as_str().unwrap();
    assert!(reason.contains("no call gives all its template arguments"), "{reason}");
}

/// Rules for each kind of event at an operation.
const RULES: [&str; 3] = ["divergent-barrier", "shuffle-from-inactive-lane", "divergent-collective-argument"];

/// Returns the searched and the confirmed findings at the convergent calls of functions without findings. The functions
/// that such a call executes have no findings, either.
fn confirmed_without_finding(path: &Path) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    if text.starts_with("// args:") || text.contains("tangle:") {
        return (0, Vec::new());
    }
    let shown = tangle(&["show", "--what", "tangles", "--format", "json", path.to_str().unwrap()]);
    let found = tangle(&["lint", "--format", "json", "--possible", path.to_str().unwrap()]);
    let (Ok(shown), Ok(found)) =
        (serde_json::from_slice::<Value>(&shown.stdout), serde_json::from_slice::<Value>(&found.stdout))
    else {
        return (0, Vec::new());
    };
    let with_findings: BTreeSet<&str> =
        found["findings"].as_array().unwrap().iter().filter_map(|it| it["function"].as_str()).collect();
    let calls = |name: &str| -> Vec<&str> {
        let functions = shown["functions"].as_array().unwrap().iter().filter(|it| it["name"] == name);
        let statements = functions.flat_map(|it| it["statements"].as_array().unwrap());
        let calls = statements.flat_map(|it| it["convergent_calls"].as_array()).flatten();
        calls.filter_map(|it| it["callee"].as_str()).collect()
    };
    let has_finding_inside = |callee: &str| {
        let mut reached: Vec<&str> = vec![callee];
        let mut number = 0;
        while let Some(&name) = reached.get(number) {
            let new: Vec<&str> = calls(name).into_iter().filter(|it| !reached.contains(it)).collect();
            reached.extend(new);
            number += 1;
        }
        reached.iter().any(|name| with_findings.contains(name))
    };
    let source = tangle_diagnostic::SourceText::new(text.clone());
    let mut invented = Vec::new();
    for function in shown["functions"].as_array().unwrap() {
        let name = function["name"].as_str().unwrap();
        if function["kernel"] != true || with_findings.contains(name) {
            continue;
        }
        for call in function["statements"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|it| it["convergent_calls"].as_array())
            .flatten()
        {
            // A call through a pointer has no name.
            if call["callee"].as_str().is_none_or(has_finding_inside) {
                continue;
            }
            let number = |field: &str| call[field].as_u64().unwrap() as usize;
            let (line, column) = (number("line"), number("column"));
            let range = source.line_range(line);
            let start = range.start + text[range].char_indices().nth(column - 1).map_or(0, |(at, _)| at);
            // In OpenCL C, a kernel can need sub-groups of more lanes than those of the launches.
            let is_opencl = path.extension().is_some_and(|it| it == "cl");
            let is_searched = |rule: &&str| !is_opencl || *rule != "shuffle-from-inactive-lane";
            for rule in RULES.into_iter().filter(is_searched) {
                let place = Place::new(path.to_str().unwrap(), start..start + 1);
                invented.push(Diagnostic::new(rule, Severity::Error, place, "").in_function(name));
            }
        }
    }
    let mut db = Database::new(Arc::new(NoHeaders));
    let language = match path.extension().and_then(|it| it.to_str()) {
        Some("cu") => Language::Cuda,
        Some("hip") => Language::Hip,
        _ => Language::Opencl,
    };
    let (settings, model) = Build { language, ..Build::default() }.settings(&mut db);
    assert_eq!(model, Model::Tangles);
    let file = db.set_text(path.to_str().unwrap(), &text);
    witness::search(&db, file, settings, model, "tangle simulate", None, &mut invented);
    let wrong = invented.iter().filter_map(|it| match &it.evidence {
        Some(Evidence::Confirmed(witness)) => {
            Some(format!("{}: {}: {}", path.display(), it.rule, witness.command))
        }
        _ => None,
    });
    (invented.iter().filter(|it| it.evidence.is_some()).count(), wrong.collect())
}

#[test]
fn no_event_is_found_without_a_finding() {
    let files = ["quiet", "rules"].iter().flat_map(|folder| ignore::Walk::new(samples(folder)));
    let is_correct = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        is_kernel_file(path) && !name.starts_with("bad")
    };
    let files: Vec<PathBuf> =
        files.map(|it| it.unwrap().into_path()).filter(|path| is_correct(path)).collect();
    let files = some_of(files);
    let results: Vec<(usize, Vec<String>)> =
        files.par_iter().map(|path| confirmed_without_finding(path)).collect();
    let searched: usize = results.iter().map(|(searched, _)| searched).sum();
    let wrong: Vec<&String> = results.iter().flat_map(|(_, wrong)| wrong).collect();
    println!("{searched} searches at operations without findings confirm nothing");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!is_thorough() || searched > 500, "{searched}");
}
