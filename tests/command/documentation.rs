//! The documentation is correct: its examples run, and the names in it exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tangle_rules::{RULES, Rule};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn tangle(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    command.current_dir(root()).args(args);
    command
}

fn output(args: &[&str]) -> String {
    String::from_utf8(tangle(args).output().unwrap().stdout).unwrap()
}

/// Returns the pages of the documentation, each with its path.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths =
        vec![root().join("README.md"), root().join("CONTRIBUTING.md"), root().join("samples/README.md")];
    for folder in ["docs", "src/rules/pages"] {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        paths.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Returns the fenced code blocks of a page in one language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect()
}

/// Returns the rules of the findings for a text in OpenCL, C++ with embedded OpenCL, CUDA or HIP. A rule that is off by
/// default is switched on. Its pattern also causes the main warning, which is then switched off.
fn rules_found(rule: &Rule, language: &str, text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let extension = match language {
        "cpp" => "cpp",
        "cuda" => "cu",
        "hip" => "hip",
        _ => "cl",
    };
    let file = folder.path().join(format!("k.{extension}"));
    fs::write(&file, text).unwrap();
    let on = format!("{}={}", rule.id, rule.severity);
    let main_off = "implementation-defined-convergence=off";
    let switch = if rule.on { vec![] } else { vec!["--rule", &on, "--rule", main_off] };
    let run = tangle(&["lint", "--possible", "--format", "short"]).args(switch).arg(&file).output().unwrap();
    let output = String::from_utf8(run.stdout).unwrap();
    output.lines().map(|line| line.rsplit('[').next().unwrap().trim_end_matches(']').to_owned()).collect()
}

#[test]
fn bad_example_of_a_rule_has_its_finding_and_good_one_none() {
    for rule in RULES {
        let part = |heading: &str| {
            let (_, rest) =
                rule.page.split_once(heading).unwrap_or_else(|| panic!("{}: no {heading}", rule.id));
            let part = rest.split("\n## ").next().unwrap();
            let found = |language| Some((language, *blocks(part, language).first()?));
            let found = ["opencl", "cpp", "cuda", "hip"].into_iter().find_map(found);
            found.unwrap_or_else(|| panic!("{}: no example", rule.id))
        };
        let found = |(language, text)| rules_found(rule, language, text);
        assert_eq!(found(part("## Bad")), [rule.id], "the bad example of {}", rule.id);
        assert_eq!(found(part("## Good")), [""; 0], "the good example of {}", rule.id);
        assert!(rule.page.starts_with(&format!("# {}\n", rule.id)));
        assert_eq!(output(&["explain", rule.id]).trim_end(), rule.page.trim_end());
    }
}

#[test]
fn documented_commands_print_the_documented_output() {
    let mut run = 0;
    for (path, page) in pages() {
        for block in blocks(&page, "console") {
            let (command, expected) = block.strip_prefix("$ tangle ").unwrap().split_once('\n').unwrap();
            let args: Vec<&str> = command.split_whitespace().collect();
            assert_eq!(output(&args).trim_end(), expected.trim_end(), "{}: tangle {command}", path.display());
            run += 1;
        }
    }
    assert!(run > 0);
}

/// Returns the findings for a kernel as text: the headline of each, then its label and related messages with lines.
fn told(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cl");
    fs::write(&file, text).unwrap();
    let run = tangle(&["lint", "--format", "json"]).arg(&file).output().unwrap();
    let run: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let mut told = String::new();
    for finding in run["findings"].as_array().unwrap() {
        let text = |of: &serde_json::Value, key: &str| of[key].as_str().unwrap().to_owned();
        told += &format!("{}: {}\n", text(finding, "severity"), text(finding, "message"));
        told += &format!("  {}: {}\n", finding["line"], text(finding, "label"));
        for place in finding["related"].as_array().unwrap() {
            told += &format!("  {}: {}\n", place["line"], text(place, "message"));
        }
    }
    told
}

#[test]
fn documented_chains_of_causes_match_the_findings() {
    let page = fs::read_to_string(root().join("docs/causes.md")).unwrap();
    let kernels = blocks(&page, "opencl");
    let expected = blocks(&page, "text");
    assert_eq!((kernels.len(), expected.len()), (20, 20));
    for (kernel, expected) in kernels.into_iter().zip(expected) {
        assert_eq!(told(&format!("{kernel}\n")).trim_end(), expected, "{kernel}");
    }
}

#[test]
fn documented_rule_table_matches_the_registry() {
    let page = fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| [`")).collect();
    let row = |rule: &Rule| {
        let (id, level, summary) = (rule.id, rule.default_level(), rule.summary);
        format!("| [`{id}`](../src/rules/pages/{id}.md) | {level} | {summary} |")
    };
    assert_eq!(rows, RULES.iter().map(row).collect::<Vec<_>>());
}

#[test]
fn rule_page_begins_with_the_rule_summary() {
    for rule in RULES {
        let mut summary = format!("{}.", rule.summary);
        summary[..1].make_ascii_uppercase();
        let first = rule.page.split("\n\n").nth(1).unwrap().replace('\n', " ");
        assert_eq!(first, summary, "{}", rule.id);
    }
}

#[test]
fn readme_examples_have_a_finding_and_then_none() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut shown = 0;
    for section in readme.split("\n### ").skip(1) {
        let title = section.lines().next().unwrap();
        let id = title.split('`').nth(1).unwrap();
        let rule = RULES.iter().find(|rule| rule.id == id).unwrap_or_else(|| panic!("no rule {id}"));
        let found = |language: &str| -> Vec<Vec<String>> {
            blocks(section, language).iter().map(|text| rules_found(rule, language, text)).collect()
        };
        let found = [found("opencl"), found("cuda")].concat();
        assert_eq!(found, [vec![id.to_owned()], vec![]], "{title}");
        shown += 1;
    }
    assert_eq!(shown, 10);
}

/// Returns the options of all subcommands, from their help.
fn options() -> BTreeSet<String> {
    let subcommands = [
        "lint", "show", "lower", "simulate", "diff", "explain", "rules", "config", "init", "merge", "schema",
        "server",
    ];
    let help: String = subcommands.iter().map(|subcommand| output(&[subcommand, "--help"])).collect();
    let words = help.split(|c: char| !(c.is_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with('-')).map(str::to_owned).collect()
}

/// The folders with which the paths in the documentation begin.
const FOLDERS: &[&str] = &[
    ".ci/",
    "base/",
    "benches/",
    "docs/",
    "editor-tests/",
    "grammar/",
    "ir/",
    "lsp/",
    "packaging/",
    "program/",
    "samples/",
    "simulate/",
    "src/",
    "tests/",
    "vscode-extension/",
];

#[test]
fn every_option_and_path_in_the_documentation_exists() {
    // Options of cargo, git, compilers and build tools. `RULE` is a placeholder.
    let foreign = [
        "--workspace",
        "--release",
        "--bench",
        "--test",
        "--all",
        "--check",
        "--all-targets",
        "--options-file",
        "--no-deps",
        "--name-only",
        "--diff-filter",
        "--aspects",
        "--output_groups",
        "--tag",
        "--rm",
        "--volume",
        "--path",
        "--from",
        "--install-extension",
        "--",
        "---",
    ];
    let known = options();
    for (path, page) in pages() {
        // The separator rows of tables consist of dashes.
        let words = page.split(|c: char| c.is_whitespace() || "`(),;:|=".contains(c));
        for word in words {
            let word = word.trim_end_matches(['.', '\'', '"']);
            if word.starts_with("--")
                && word.len() > 3
                && !word.starts_with("---")
                && !foreign.contains(&word)
            {
                assert!(known.contains(word), "{}: no option {word}", path.display());
            }
            let looks_like_path = FOLDERS.iter().any(|folder| word.starts_with(folder));
            if looks_like_path && !word.contains("RULE") && !word.contains('*') {
                let file = word.split('#').next().unwrap();
                assert!(root().join(file).exists(), "{}: no {word}", path.display());
            }
        }
    }
}

/// Each statement of the normative texts names existing samples or code that show it, or a reason why there are none.
#[test]
fn evidence_for_each_specification_statement_exists() {
    let page = std::fs::read_to_string(root().join("docs/texts.md")).unwrap();
    let mut statements = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")) {
        // A bar in code is escaped.
        let cells = line.replace("\\|", " ");
        let shown = cells.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        if shown == "shown by" {
            continue;
        }
        statements += 1;
        if let Some(reason) = shown.strip_prefix("none: ") {
            assert!(reason.len() > 10, "{line}");
            continue;
        }
        let mut text: Option<String> = None;
        for name in shown.split('`').skip(1).step_by(2) {
            if name.contains('/') {
                let path = root().join(name);
                assert!(path.exists(), "{name} does not exist: {line}");
                text = std::fs::read_to_string(path).ok();
            } else if let Some(text) = &text {
                assert!(text.contains(name), "the file does not contain {name}: {line}");
            }
        }
        assert!(shown.contains('/'), "no file shows it: {line}");
    }
    assert!(statements >= 88, "{statements}");
}

#[test]
fn readme_shell_examples_are_accepted() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    // Some of the commands write files.
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("samples/idioms")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::copy(root().join("samples/idioms/early_return.cl"), folder.path().join("b.cl")).unwrap();
    let mut run = 0;
    for line in blocks(&readme, "sh").into_iter().flat_map(str::lines) {
        let Some(command) = line.split('#').next().unwrap().trim().strip_prefix("tangle ") else { continue };
        // `a.cl` is a placeholder for any kernel, and `b.cl` for another version of it.
        let command = command.replace("a.cl", "early_return.cl");
        let status = Command::new(env!("CARGO_BIN_EXE_tangle"))
            .current_dir(folder.path())
            .args(command.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(matches!(status.code(), Some(0 | 1)), "tangle {command}: {status}");
        run += 1;
    }
    assert!(run >= 7);
}

#[test]
fn readme_settings_are_accepted_and_applied() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("tangle.toml"), blocks(&readme, "toml")[0]).unwrap();
    let kernel = "kernel void k(global int *p) { if (p[0]) goto out; p[1] = VECT_SIZE; out: my_barrier(); }";
    fs::write(folder.join("k.cl"), kernel).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(["lint", "--format", "short"])
        .arg(folder.join("k.cl"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("`my_barrier` has implementation-defined convergence"), "{text}");
    assert_eq!(output.status.code(), Some(0), "fail-on = \"error\"");
}

#[test]
fn documented_settings_are_accepted_and_complete() {
    let settings = fs::read_to_string(root().join("docs/settings.md")).unwrap();
    let example = blocks(&settings, "toml")[0];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("tangle.toml"), example).unwrap();
    for (file, text) in [
        ("prelude.h", ""),
        ("common.cl", ""),
        ("doubles.cl", ""),
        ("build-release/compile_commands.json", "[]"),
        ("k.cl", ""),
    ] {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_tangle")).arg("lint").arg(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    // The example shows every key: the error for an unknown key lists them.
    fs::write(folder.join("tangle.toml"), "no-such-key = 1\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tangle")).arg("lint").arg(folder).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let (_, keys) = told.split_once(": expected ").unwrap();
    assert!(keys.split('`').count() > 20, "{keys}");
    for key in keys.split('`').skip(1).step_by(2) {
        let has_key = |line: &str| {
            line.starts_with(&format!("{key} ="))
                || line.starts_with(&format!("[{key}]"))
                || line.starts_with(&format!("[[{key}]]"))
        };
        assert!(example.lines().any(has_key), "docs/settings.md does not show `{key}`");
    }
}
