//! The command prints the schemas of `docs/schemas/`, and all its JSON conforms to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use serde_json::{Value, json};
use tangle_cli::schema::derived;

const NAMES: &[&str] = &[
    "settings",
    "baseline",
    "lint",
    "tangles",
    "uniformity",
    "flow",
    "items",
    "preprocessed",
    "simulate",
    "diff",
    "rules",
    "config",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn tangle(args: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tangle")).current_dir(root()).args(args).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn schema(name: &str) -> Value {
    serde_json::from_str(&tangle(&["schema", name]).0).unwrap()
}

/// Checks documents against the schema with a given name.
struct Judge(jsonschema::Validator);

impl Judge {
    fn of(name: &str) -> Judge {
        let schema = schema(name);
        jsonschema::meta::validate(&schema).unwrap();
        Judge(jsonschema::validator_for(&schema).unwrap())
    }

    fn accepts(&self, document: &Value) {
        let errors: Vec<String> = self.0.iter_errors(document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
    }

    fn rejects(&self, document: &Value) {
        assert!(!self.0.is_valid(document), "{document:#}");
    }
}

/// Returns the kernels of some folders of samples.
fn samples() -> Vec<PathBuf> {
    let folders = ["samples/idioms", "samples/models", "samples/cuda", "docs/examples"];
    let files = folders.iter().filter_map(|folder| fs::read_dir(root().join(folder)).ok()).flatten();
    let files = files.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "cl" || it == "cu")).collect();
    files.sort();
    assert!(files.len() > 10, "{files:?}");
    files
}

/// Returns a document with the value at a JSON pointer replaced.
fn with(document: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = document.clone();
    *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} in {document:#}")) = value;
    changed
}

#[test]
fn schema_files_match_the_types_and_the_printed_schemas() {
    for name in NAMES {
        let path = root().join(format!("docs/schemas/{name}.json"));
        let derived = serde_json::to_string_pretty(&derived(name).unwrap()).unwrap() + "\n";
        expect_file![path].assert_eq(&derived);
        // After an update of the file, the program must be built again.
        assert_eq!(tangle(&["schema", name]).0, derived, "{name}");
    }
    assert_eq!(tangle(&["schema"]).0, tangle(&["schema", "settings"]).0);
    assert!(tangle(&["schema", "none"]).1.contains("[possible values: settings, baseline, lint,"));
    assert_eq!(fs::read_dir(root().join("docs/schemas")).unwrap().count(), NAMES.len());
}

#[test]
fn findings_conform_to_their_schema() {
    let judge = Judge::of("lint");
    let (out, _) = tangle(&["lint", "--format", "json", "samples"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    judge.accepts(&document);
    judge.rejects(&with(&document, "/findings/0/line", json!("1")));
    judge.rejects(&with(&document, "/findings/0/severity", json!("fatal")));
    judge.rejects(&with(&document, "/findings/0/related", json!([{ "message": "no place" }])));
    judge.rejects(&with(&document, "/version", Value::Null));
    // Errors of other commands have the same format.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cl");
    fs::write(&file, "kernel void k() { int i = ; }\n").unwrap();
    let file = file.to_str().unwrap();
    for args in
        [&["lower", file, "--format", "json", "--emit", "flow"][..], &["simulate", file, "--format", "json"]]
    {
        judge.accepts(&serde_json::from_str(&tangle(args).1).unwrap());
    }
}

#[test]
fn show_and_lower_output_conforms_to_its_schemas() {
    for (what, changed) in [
        ("tangles", "/model"),
        ("uniformity", "/functions"),
        ("flow", "/functions"),
        ("items", "/items"),
        ("preprocessed", "/text"),
    ] {
        let judge = Judge::of(what);
        for file in samples() {
            let (out, _) = tangle(&["show", file.to_str().unwrap(), "--what", what, "--format", "json"]);
            let document: Value = serde_json::from_str(&out).unwrap();
            judge.accepts(&document);
            judge.rejects(&with(&document, changed, json!(3)));
        }
    }
    let (out, _) = tangle(&["lower", "docs/examples/early_return.cl", "--emit", "flow", "--format", "json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    Judge::of("flow").accepts(&document);
    Judge::of("flow").rejects(&with(&document, "/functions/0/blocks/0/values/0/line", json!("one")));
    Judge::of("flow").rejects(&with(
        &document,
        "/functions/0/blocks/0/terminator",
        json!({ "kind": "jump" }),
    ));
}

#[test]
fn simulate_output_conforms_to_its_schema() {
    let judge = Judge::of("simulate");
    let kernel = "docs/examples/early_return.cl";
    for more in [&[][..], &["--policy", "all"]] {
        let args = [&["simulate", kernel, "--format", "json", "--local-size", "4"], more].concat();
        let (out, err) = tangle(&args);
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        judge.accepts(&document);
        let field = if more.is_empty() { "/table" } else { "/tried" };
        judge.rejects(&with(&document, field, json!("none")));
    }
}

#[test]
fn diff_output_conforms_to_its_schema() {
    let judge = Judge::of("diff");
    for (sample, field) in
        [("merged_branches", "/difference/thread"), ("merged_uniform_branches", "/functions/0/launches")]
    {
        let file = format!("samples/diff/{sample}.flow");
        let names = ["--old-function", "old", "--new-function", "new", "--format", "json"];
        let (out, err) = tangle(&[&["diff", &file, &file][..], &names].concat());
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        judge.accepts(&document);
        judge.rejects(&with(&document, field, json!("none")));
    }
}

#[test]
fn rules_and_config_output_conforms_to_its_schemas() {
    for (name, args, field) in [
        ("rules", &["rules", "--format", "json"][..], "/rules/0/on"),
        ("config", &["config", "docs/examples/early_return.cl", "--format", "json"], "/settings/0/origin"),
    ] {
        let document: Value = serde_json::from_str(&tangle(args).0).unwrap();
        Judge::of(name).accepts(&document);
        Judge::of(name).rejects(&with(&document, field, json!(1)));
    }
}

#[test]
fn baseline_conforms_to_its_schema() {
    let judge = Judge::of("baseline");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.json");
    let path = path.to_str().unwrap();
    tangle(&["lint", "docs/examples", "--write-baseline", "--baseline", path]);
    let document: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    judge.accepts(&document);
    assert!(document.pointer("/findings/0").is_some(), "{document:#}");
    judge.rejects(&with(&document, "/findings/0/count", json!("two")));
    judge.rejects(&with(&document, "/findings/0", json!({ "file": "a.cl" })));
}

/// Converts TOML to the JSON that the validator checks.
fn settings(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn settings_schema_accepts_exactly_what_tangle_accepts() {
    let judge = Judge::of("settings");
    let page = fs::read_to_string(root().join("docs/settings.md")).unwrap();
    let example = page.split("```toml\n").nth(1).unwrap().split("\n```").next().unwrap();
    judge.accepts(&settings(example));
    for right in [
        "",
        "[cuda]\narch = [80, 90]",
        "[hip]\nwave = 32",
        "[launch]\nlocal-size = [16, 16]",
        "[opencl]\nstd = 'cl1.2'",
        "[[uniform]]\nfunction = 'f'\nresult = true\nscope = 'grid'",
        "[[builtins]]\npattern = 'sync_*'\nscope = 'tile'\nuniform-arguments = [0]\nwaits = false",
    ] {
        judge.accepts(&settings(right));
        assert_eq!(error(right), "", "{right}");
    }
    for wrong in [
        "no-such-key = 1",
        "include = 'one'",
        "dialect = 'metal'",
        "fail-on = 'off'",
        "[rules]\nno-such-rule = 'off'",
        "[rules]\nsyntax-error = 'never'",
        "[[overrides]]\nrules = { unknown-type = 'off' }",
        "[[builds]]\nfiles = []",
        "[[builtins]]\nname = 'f'",
        "[[builtins]]\nscope = 'workgroup'",
        "[[builtins]]\nname = 'f'\nscope = 'workgroup'\nkind = 'barier'",
        "[[uniform]]\nfunction = 'f'\nscope = 'workgroup'",
        "[[uniform]]\nfunction = 'f'\nparameter = 'p'\nvariable = 'v'\nscope = 'workgroup'",
        "[opencl]\nstd = 'CL9'",
        "[cuda]\narch = 'sm_80'",
        "[hip]\nwave = 16",
        "[launch]\nlocal-size = 0",
        "[launch]\nlocal-size = [1, 1, 1, 1]",
    ] {
        judge.rejects(&settings(wrong));
        assert_ne!(error(wrong), "", "{wrong}");
    }
}

/// Returns the error output of the command for some settings, or an empty string.
fn error(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tangle.toml"), text).unwrap();
    let file = folder.path().join("a.cl");
    fs::write(&file, "").unwrap();
    tangle(&["lint", "--quiet", file.to_str().unwrap()]).1
}
