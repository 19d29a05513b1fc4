//! Runs every kernel in `samples/`, and compares the findings with the expectations in the comments of the kernel.
//! `samples/README.md` describes their format.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tangle_analysis::tangle::Model;
use tangle_cli::analysis::Analysis;
use tangle_cli::human::Terminal;
use tangle_cli::requests::{ShowFormat, ShowRequest, What};
use tangle_cli::session::Session;
use tangle_diagnostic::{SourceText, SourceTexts};
use tangle_project::levels::{Level, Levels, parse_level};
use tangle_project::walk::Input;
use tangle_project::{Build, Builds, Language, MacroOption};
use tangle_rules::wording::headline::fits;
use tangle_rules::{Rule, is_about_divergence, suppression};

macro_rules! groups {
    ($($test:ident: $folder:literal,)*) => {
        $(#[test] fn $test() { check_group($folder); })*

        const GROUPS: &[&str] = &[$($folder),*];
    };
}

groups! {
    builtins: "builtins",
    causes: "causes",
    cuda: "cuda",
    defined: "defined",
    functions: "functions",
    hip: "hip",
    history: "history",
    idioms: "idioms",
    ids: "ids",
    lowering: "lowering",
    models: "models",
    open_points: "open-points",
    preprocessor: "preprocessor",
    quiet: "quiet",
    relatedness: "relatedness",
    rules: "rules",
    spec_examples: "spec-examples",
    spec_patterns: "spec-patterns",
    suppression: "suppression",
    syntax: "syntax",
    thread_tables: "thread-tables",
    uniform_jumps: "uniform-jumps",
    unknown: "unknown",
}

#[test]
fn every_sample_folder_has_a_test() {
    let mut folders: Vec<String> = fs::read_dir(samples())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        // `tests/diff` compares the functions there.
        .filter(|folder| folder != "diff")
        .collect();
    folders.sort();
    assert_eq!(folders, GROUPS);
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

/// Returns the kernels of a group: those in its folder, and in its subfolders named after a rule.
fn kernels(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && tangle_rules::rule(name).is_some() {
            files.extend(kernels(&path));
        } else if path
            .extension()
            .is_some_and(|extension| ["cl", "cu", "hip"].iter().any(|known| extension == *known))
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Returns whether rules about divergence count without an expectation that names them.
fn is_about_threads(path: &Path) -> bool {
    path.parent()
        .is_some_and(|folder| ["quiet", "ids", "cuda", "hip"].iter().any(|name| folder.ends_with(name)))
}

/// Returns the rule that a sample's folder is named after.
fn rule_of(path: &Path) -> Option<&'static Rule> {
    tangle_rules::rule(path.parent()?.file_name()?.to_str()?)
}

fn check_group(folder: &str) {
    let files = kernels(&samples().join(folder));
    assert!(!files.is_empty(), "{folder} holds no sample");
    let mut failures = String::new();
    for file in &files {
        failures += &check_sample(file);
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The word that replaces the severity of a finding that a comment suppresses.
const SUPPRESSED: &str = "suppressed";

/// An expectation that a comment states about a line.
#[derive(Debug)]
struct Expectation {
    line: usize,
    model: Option<Model>,
    what: Expected,
}

#[derive(Debug)]
enum Expected {
    Finding {
        severity: String,
        rule: String,
        column: Option<usize>,
        text: String,
    },
    /// The chain of causes of a finding ends here. Its message contains this text.
    Origin(String),
    Tangles(String),
    Unreachable,
    Verdict {
        implementation_defined: bool,
    },
    Rejoins(usize),
    /// `entry`, `anchor` or `loop@LINE` for each operation of the line, in order.
    Token(String),
    Convergent(bool),
}

impl Expected {
    fn is_of_flow(&self) -> bool {
        matches!(self, Expected::Token(_) | Expected::Convergent(_))
    }
}

/// Returns the unmet expectations of a sample; empty if there are none.
fn check_sample(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let first = text.lines().next().unwrap_or_default();
    let expectations = expectations(&text);
    let models = if expectations.iter().any(|expectation| expectation.model.is_some()) {
        vec![Model::Tangles, Model::Revised]
    } else if first.trim() == "// model: revised" {
        vec![Model::Revised]
    } else {
        vec![Model::Tangles]
    };
    let mut failures = String::new();
    for model in models {
        let (build, levels) = options(first, path, model);
        let holds = |expectation: &&Expectation| expectation.model.is_none_or(|only| only == model);
        let held: Vec<&Expectation> = expectations.iter().filter(holds).collect();
        for failure in compare(path, &text, build, levels, &held) {
            let name = path.strip_prefix(samples()).unwrap_or(path).display();
            writeln!(failures, "{name} ({model:?}): {failure}").unwrap();
        }
    }
    failures
}

/// Returns the build and the levels that the first line of a sample sets.
fn options(first: &str, path: &Path, model: Model) -> (Build, Levels) {
    let folder = path.parent().unwrap();
    let mut levels = Levels::default();
    let mut build = Build { model, language: Language::of_source(path), ..Build::default() };
    let mut args = first.strip_prefix("// args:").unwrap_or_default().split_whitespace();
    while let Some(option) = args.next() {
        let value = args.next().unwrap_or_else(|| panic!("`{option}` needs a value")).to_owned();
        match option {
            "-D" => build.macros.push(MacroOption::Define(value)),
            "-U" => build.macros.push(MacroOption::Undefine(value)),
            "-I" => build.include_dirs.push(folder.join(value)),
            "--include" => build.include_files.push(folder.join(value)),
            "--rule" => {
                let (rule, level) = parse_level(&value).unwrap();
                levels.set(rule, level);
            }
            _ => panic!("`{option}` is not an option of samples"),
        }
    }
    (build, levels)
}

fn compare(
    path: &Path,
    text: &str,
    build: Build,
    mut levels: Levels,
    expectations: &[&Expectation],
) -> Vec<String> {
    let mut builds = Builds::default();
    let build = builds.add(build);
    let mut session = Session::start(&builds);
    let file = Input::named(path);
    let source = Arc::new(SourceText::new(text));
    let mut failures = Vec::new();

    let mut findings: Vec<(usize, usize, String, String, String)> = Vec::new();
    let mut origins: Vec<(usize, String)> = Vec::new();
    let mut all = session.lint(&file, &build.into(), source.clone());
    let about = rule_of(path);
    // A folder named after a rule that is off by default tests this rule, so it is switched on.
    if let Some(rule) = about.filter(|rule| !rule.on && levels.get(rule.id).is_none()) {
        levels.set(rule, Level::As(rule.severity));
    }
    levels.apply(&mut all);
    suppression::remove_used_elsewhere(&mut all);
    let named = |id: &str| {
        let mut findings = expectations.iter().filter_map(|expectation| match &expectation.what {
            Expected::Finding { rule, .. } => Some(rule.as_str()),
            _ => None,
        });
        findings.any(|rule| rule == id)
    };
    // A headline must fit into a line.
    let long = all.iter().filter(|found| !fits(&found.message));
    failures.extend(long.map(|found| format!("a headline of {}: {}", found.rule, found.message)));
    all.retain(|found| match about {
        Some(rule) => found.rule == rule.id || named(found.rule),
        // Most samples about tangles also contain divergent barriers, which they do not list.
        None => is_about_threads(path) || !is_about_divergence(found.rule) || named(found.rule),
    });
    for found in all {
        let at = session.text(&found.place.file).unwrap().position(found.place.range.start);
        if let Some(suppression) = found.suppression {
            if *found.place.file == *file.name {
                let rule = found.rule.to_owned();
                findings.push((at.line, at.column, SUPPRESSED.to_owned(), rule, suppression.reason));
            }
            continue;
        }
        if *found.place.file != *file.name {
            failures.push(format!("a finding in another file: {}", found.message));
        }
        for label in found.related.iter().filter(|label| *label.place.file == *file.name) {
            let at = session.text(&label.place.file).unwrap().position(label.place.range.start);
            origins.push((at.line, found.message.clone()));
        }
        // A finding with several places holds at each of them.
        for place in [&found.place].into_iter().chain(&found.also) {
            let at = session.text(&place.file).unwrap().position(place.range.start);
            let severity = found.severity.name().to_owned();
            let own = found.related.iter().filter(|label| label.place == *place).map(|label| &label.message);
            let words: Vec<&str> = own.chain([&found.message]).map(String::as_str).collect();
            findings.push((at.line, at.column, severity, found.rule.to_owned(), words.join(": ")));
        }
    }
    for expectation in expectations {
        if let Expected::Origin(text) = &expectation.what {
            let is_met =
                origins.iter().any(|(line, message)| *line == expectation.line && message.contains(text));
            if !is_met {
                failures.push(format!("line {}: no chain of causes ends here with {text}", expectation.line));
            }
        }
        if let Expected::Finding { severity, rule, column, text } = &expectation.what {
            let found = findings.iter().position(|(line, at, s, r, message)| {
                *line == expectation.line
                    && column.is_none_or(|column| column == *at)
                    && s == severity
                    && r == rule
                    && message.contains(text.as_str())
            });
            match found {
                Some(index) => _ = findings.remove(index),
                None => {
                    failures.push(format!("line {}: not found: {:?}", expectation.line, expectation.what))
                }
            }
        }
    }
    for (line, column, severity, rule, message) in findings {
        failures.push(format!("line {line}:{column}: not expected: {severity}[{rule}]: {message}"));
    }

    let mut show = |what: What| -> Value {
        let request =
            ShowRequest { what, function: None, format: ShowFormat::Json, terminal: Terminal::default() };
        let mut shown = Vec::new();
        session.show(&file, build, source.clone(), &request, &mut shown).unwrap();
        serde_json::from_slice(&shown).unwrap()
    };
    let is_of_finding = |it: &Expectation| matches!(it.what, Expected::Finding { .. } | Expected::Origin(_));
    let facts = expectations.iter().filter(|it| !is_of_finding(it));
    let (of_flow, of_tangles): (Vec<_>, Vec<_>) = facts.partition(|e| e.what.is_of_flow());
    let shown = show(What::Tangles);
    for expectation in of_tangles {
        failures.extend(check_fact(&shown, expectation));
    }
    if !of_flow.is_empty() {
        let shown = show(What::Flow);
        failures.extend(of_flow.into_iter().filter_map(|expectation| check_flow(&shown, expectation)));
    }
    failures
}

/// Returns the unmet expectation about the function, or the convergent operations, on its line.
fn check_flow(shown: &Value, expectation: &Expectation) -> Option<String> {
    let line = expectation.line;
    let all = |value: &Value| value.as_array().unwrap().clone();
    let functions = all(&shown["functions"]);
    let found = match &expectation.what {
        Expected::Convergent(_) => {
            let function = functions.iter().find(|function| function["line"] == line);
            function.map_or("no function".to_owned(), |function| match function["convergent"] == true {
                true => "convergent".to_owned(),
                false => "not-convergent".to_owned(),
            })
        }
        _ => {
            let mut tokens = Vec::new();
            for function in &functions {
                let operations = all(&function["convergent_operations"]);
                for operation in operations.iter().filter(|operation| operation["line"] == line) {
                    tokens.push(token(function, &operation["token"]));
                }
            }
            tokens.join(", ")
        }
    };
    let expected = match &expectation.what {
        Expected::Token(tokens) => tokens.clone(),
        Expected::Convergent(true) => "convergent".to_owned(),
        _ => "not-convergent".to_owned(),
    };
    (found != expected).then(|| format!("line {line}: {found}, but expected {expected}"))
}

/// Returns a token in the notation of the samples.
fn token(function: &Value, name: &Value) -> String {
    let all = |value: &Value| value.as_array().unwrap().clone();
    let tokens = all(&function["tokens"]);
    let Some(token) = tokens.iter().find(|token| token["value"] == *name) else { return "none".to_owned() };
    let kind = token["kind"].as_str().unwrap();
    if kind != "loop" {
        return kind.to_owned();
    }
    let mut values = all(&function["blocks"]).into_iter().flat_map(|block| all(&block["values"]));
    let heart = values.find(|value| value["name"] == *name).unwrap();
    format!("loop@{}", heart["line"])
}

/// Returns the unmet expectation about the statement that begins on its line.
fn check_fact(shown: &Value, expectation: &Expectation) -> Option<String> {
    let line = expectation.line;
    let all = |value: &Value| value.as_array().unwrap().clone();
    let found = all(&shown["functions"]).into_iter().find_map(|function| {
        let statement =
            all(&function["statements"]).into_iter().find(|statement| statement["line"] == line)?;
        Some((function, statement))
    });
    let Some((function, statement)) = found else {
        return Some(format!("line {line}: no statement begins here"));
    };
    let candidates = all(&statement["tangles"]);
    let wrong = |what: String, expected: &dyn std::fmt::Debug| {
        Some(format!("line {line}: {what}, but expected {expected:?}"))
    };
    match &expectation.what {
        Expected::Finding { .. } | Expected::Origin(_) | Expected::Token(_) | Expected::Convergent(_) => None,
        Expected::Unreachable => match (candidates.is_empty(), &statement["reachable"]) {
            (true, Value::Bool(false)) => None,
            _ => wrong("reachable".into(), &expectation.what),
        },
        Expected::Verdict { implementation_defined } => {
            (statement["implementation_defined"] != *implementation_defined).then(|| {
                format!("line {line}: implementation_defined is {}", statement["implementation_defined"])
            })
        }
        Expected::Rejoins(end) => (statement["rejoins"]["line"] != *end)
            .then(|| format!("line {line}: rejoins {}, but expected {end}", statement["rejoins"])),
        Expected::Tangles(list) => {
            if let Ok(count) = list.parse::<usize>() {
                return (candidates.len() != count)
                    .then(|| format!("line {line}: {} candidates, but expected {count}", candidates.len()));
            }
            let found: Vec<(String, Vec<String>)> = candidates
                .iter()
                .map(|id| {
                    let candidate = &function["tangles"][usize::try_from(id.as_u64().unwrap()).unwrap()];
                    let star = if candidate["family"] == true { "*" } else { "" };
                    let marks = all(&candidate["marks"]);
                    let marks = marks.iter().map(|mark| mark.as_str().unwrap().to_owned()).collect();
                    (format!("{}{star}", candidate["rule"].as_str().unwrap()), marks)
                })
                .collect();
            let expected: Vec<(&str, Option<&str>)> = list
                .split(',')
                .map(|one| match one.trim().split_once('[') {
                    Some((rule, mark)) => (rule, Some(mark.trim_end_matches(']'))),
                    None => (one.trim(), None),
                })
                .collect();
            let same = found.len() == expected.len()
                && found.iter().zip(&expected).all(|((rule, marks), (expected, mark))| {
                    // The star comes before the marks in the output, but samples may write it after them.
                    rule == expected && mark.is_none_or(|mark| marks.iter().any(|known| known == mark))
                });
            if same { None } else { wrong(format!("{found:?}"), &expected) }
        }
    }
}

fn expectations(text: &str) -> Vec<Expectation> {
    let mut expectations = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        // Comments without `//~` are not expectations.
        for comment in content.split("//~").skip(1) {
            expectations.push(expectation(line, comment.trim()));
        }
    }
    expectations
}

fn expectation(line: usize, comment: &str) -> Expectation {
    let carets = comment.len() - comment.trim_start_matches('^').len();
    let comment = comment[carets..].trim();
    let (model, comment) = match comment.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some(("tangles", rest)) => (Some(Model::Tangles), rest.trim()),
        Some(("revised", rest)) => (Some(Model::Revised), rest.trim()),
        Some((other, _)) => panic!("line {line}: `{other}` is not a model"),
        None => (None, comment),
    };
    // Carets may also follow the model.
    let more = comment.len() - comment.trim_start_matches('^').len();
    let comment = comment[more..].trim();
    let what = match comment {
        "unreachable" => Expected::Unreachable,
        "implementation-defined" => Expected::Verdict { implementation_defined: true },
        "defined" => Expected::Verdict { implementation_defined: false },
        "convergent" => Expected::Convergent(true),
        "not-convergent" => Expected::Convergent(false),
        _ => match comment.split_once(':') {
            Some(("tangles", list)) => Expected::Tangles(list.trim().to_owned()),
            Some(("origin", text)) => Expected::Origin(text.trim().to_owned()),
            Some(("token", tokens)) => Expected::Token(tokens.trim().to_owned()),
            Some(("rejoins", end)) => Expected::Rejoins(end.trim().parse().unwrap()),
            _ => finding(line, comment),
        },
    };
    Expectation { line: line - carets - more, model, what }
}

fn finding(line: usize, comment: &str) -> Expected {
    let parsed = comment.split_once('[').and_then(|(severity, rest)| {
        let (rule, rest) = rest.split_once(']')?;
        let (place, text) = rest.split_once(':').unwrap_or((rest, ""));
        let column = match place.trim().strip_prefix('@') {
            Some(column) => Some(column.parse().ok()?),
            None => None,
        };
        Some(Expected::Finding {
            severity: severity.to_owned(),
            rule: rule.to_owned(),
            column,
            text: text.trim().to_owned(),
        })
    });
    parsed.unwrap_or_else(|| panic!("line {line}: not an expectation: {comment}"))
}

/// The samples of CUDA with other findings in HIP, and why.
const DIFFERENT_IN_HIP: [(&str, &str); 15] = [
    ("broadcasts.cu", "a wavefront can have 64 threads"),
    ("clusters.cu", "HIP has no clusters"),
    ("default_arguments.cu", "a wavefront can have 64 threads"),
    ("ids_through_functions.cu", "a wavefront can have 32 or 64 threads"),
    ("left_elsewhere.cu", "a barrier after threads have left is a warning: `samples/hip/left.hip`"),
    ("masks.cu", "the threads of a mask must meet at one call: `samples/hip/masks.hip`"),
    ("masks_before_sm_70.cu", "HIP has no compute capabilities"),
    ("names.cu", "the size of a wavefront is unknown"),
    ("nv_target.cu", "the macro is NVIDIA's"),
    ("ptx_masks.cu", "HIP has no PTX"),
    ("segments.cu", "a wavefront can have 64 threads"),
    ("templates_of_masks.cu", "a wavefront can have 64 threads"),
    ("vectors.cu", "`double4` is aligned to 32 bytes"),
    ("warp_values.cu", "the size of a wavefront is unknown"),
    ("warps.cu", "the size of a wavefront is unknown"),
];

/// The rules of CUDA that HIP does not have: the lanes of a wavefront run in step.
const RULES_OF_CUDA: [&str; 1] = ["implicit-warp-synchronous"];

/// Returns a sample without its expectations of rules that HIP does not have.
fn as_hip(text: &str) -> String {
    let is_of_cuda = |comment: &&str| RULES_OF_CUDA.iter().any(|rule| comment.contains(&format!("[{rule}]")));
    let line = |line: &str| {
        let mut parts = line.split("//~");
        let code = parts.next().unwrap_or_default().to_owned();
        parts.filter(|comment| !is_of_cuda(comment)).fold(code, |all, comment| all + "//~" + comment)
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

#[test]
fn samples_of_cuda_have_the_same_findings_in_hip() {
    // The folder decides which rules count.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples_of_cuda/hip");
    fs::create_dir_all(&folder).unwrap();
    let mut failures = String::new();
    let mut compared = 0;
    for entry in fs::read_dir(samples().join("cuda")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        match name.strip_suffix(".cu") {
            Some(stem) => {
                let copy = folder.join(format!("{stem}.hip"));
                fs::write(&copy, as_hip(&fs::read_to_string(&path).unwrap())).unwrap();
                let is_listed = DIFFERENT_IN_HIP.iter().any(|(known, _)| *known == name);
                let found = check_sample(&copy);
                assert!(!is_listed || !found.is_empty(), "{name} has the same findings in HIP");
                if !is_listed {
                    failures += &found;
                    compared += 1;
                }
            }
            None => _ = fs::copy(&path, folder.join(name)).unwrap(),
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(compared > 20, "{compared} samples were compared");
}
