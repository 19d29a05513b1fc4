//! The thread table of the bad example of each rule: as text in the page of the rule, and as a picture in
//! `docs/images/rules/`, which `docs/rules.md` shows. `tangle simulate` makes them.
//!
//! `UPDATE_EXPECT=1 cargo test --test command rule_tables::` writes the pages and pictures. Read the changes before you
//! commit them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tangle_rules::{RULES, Rule};

/// Rules whose bad example shows the defect in an execution, with the options of `tangle simulate`.
const TABLES: [(&str, &str); 17] = [
    ("assumed-from-name", ""),
    ("barrier-after-return", "--arg n=6"),
    ("caller-not-in-mask", "--arg n=6"),
    ("divergent-barrier", "--arg n=6"),
    ("divergent-grid-sync", "--groups 2 --local-size 4 --arg rows=1,2"),
    ("divergent-subgroup-operation", "--arg p=1,0,2,3,4,5,6,0"),
    ("full-mask-in-divergent-flow", "--local-size 32"),
    ("group-sync-outside-group", "--local-size 32"),
    (
        "implementation-defined-convergence",
        "--strategy tangles --policy must --arg data=1,9,2,3,4,8,5,6 --arg limit=6",
    ),
    ("implicit-warp-synchronous", "--local-size 64"),
    ("merged-convergent-branches", "--arg p=1,2,-3,-4,5,-6,7,8"),
    ("mismatched-barriers", "--local-size 32"),
    ("possible-divergence", "--seed 3"),
    ("shuffle-from-inactive-lane", "--arg n=6"),
    ("subgroup-operation-before-break", "--arg n=2 --arg p=0,0,1,1,0,0,1,1"),
    ("unprotected-exit-flag", "--no-races"),
    ("wrong-mask-constant", ""),
];

/// Rules whose pages have no table, with the reason.
const WITHOUT: [(&str, &str); 21] = [
    ("activemask-as-mask", "the executor lets all lanes of a loop iteration arrive together"),
    ("ambiguous-loop-nest", "the executor reads the loop as one loop"),
    ("divergent-collective-argument", "all work-items take part: the arguments differ"),
    ("divergent-spin-lock", "the executor runs work-items one by one, so each gets the lock"),
    ("fallthrough-into-convergent", "all work-items take the same `case`"),
    ("jump-into-loop", "all work-items take the same jump"),
    ("left-out-text", "an execution has no text that `#if` leaves out"),
    ("legacy-warp-intrinsic", "the executor lets all lanes of the warp arrive together"),
    ("missing-include", "the rule is about files"),
    ("opaque-item", "the item is skipped"),
    ("opaque-statement", "the statement is skipped"),
    ("preprocessor-note", "the rule is about directives"),
    ("shuffle-width", "all lanes take part: the width decides which lane they read"),
    ("syntax-error", "the example has a syntax error"),
    ("type-error", "the example has a type error"),
    ("undeclared-function", "the call of an undeclared function is no step"),
    ("unknown-name", "the rule is about names"),
    ("unknown-type", "the rule is about names"),
    ("unread-literal", "the rule is about string literals"),
    ("unused-suppression", "the rule is about comments"),
    ("wave-width", "all lanes take part: the type of the result is too narrow"),
];

/// The heading of the section in `docs/rules.md`, which is the last section.
const HEADING: &str = "\n## Thread tables of the bad examples\n";
/// The heading of the section in the page of a rule.
const SECTION: &str = "\n## Execution\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page_path(id: &str) -> PathBuf {
    root().join(format!("src/rules/pages/{id}.md"))
}

/// Returns the name of the file with the bad example of a rule, and its text.
fn bad_example(rule: &Rule) -> (String, String) {
    let (_, part) = rule.page.split_once("## Bad\n").unwrap();
    let (_, block) = part.split_once("```").unwrap();
    let (language, rest) = block.split_once('\n').unwrap();
    let extension = match language {
        "opencl" => "cl",
        "cuda" => "cu",
        other => other,
    };
    (format!("{}.{extension}", rule.id), format!("{}\n", rest.split("\n```").next().unwrap()))
}

/// Executes the bad example of a rule.
fn simulate(rule: &Rule, options: &str, format: &str) -> String {
    let (name, text) = bad_example(rule);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(&name), text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(folder.path())
        .args(["simulate", &name, "--format", format])
        .args(options.split_whitespace())
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {output:?}", rule.id);
    String::from_utf8(output.stdout).unwrap()
}

/// Merges consecutive threads whose rows are equal. `parts`: the rows of each part of the table, with their heads.
fn merged(parts: &[Vec<&str>]) -> String {
    let side = parts[0][0].find("  ").unwrap();
    let rows = parts[0].len() - 1;
    let rest = |row: usize| -> Vec<&str> { parts.iter().map(|part| &part[row + 1][side..]).collect() };
    let numbers: Vec<usize> = (0..rows).collect();
    let runs: Vec<&[usize]> = numbers.chunk_by(|a, b| rest(*a) == rest(*b)).collect();
    let name = |run: &[usize]| {
        let label = |row: usize| parts[0][row + 1][..side].trim();
        let first = label(run[0]).split('-').next().unwrap();
        let last = label(run[run.len() - 1]).rsplit('-').next().unwrap();
        if first == last { first.to_owned() } else { format!("{first}-{last}") }
    };
    let names: Vec<String> = runs.iter().map(|run| name(run)).collect();
    let width = names.iter().map(String::len).max().unwrap().max(side);
    let mut out = String::new();
    for part in parts {
        writeln!(out, "{:>width$}{}", part[0][..side].trim(), &part[0][side..]).unwrap();
        for (run, name) in runs.iter().zip(&names) {
            writeln!(out, "{name:>width$}{}", &part[run[0] + 1][side..]).unwrap();
        }
    }
    out
}

/// Returns the section of a page with the table as text.
fn section(rule: &Rule, options: &str) -> String {
    let output = simulate(rule, options, "human");
    let blocks: Vec<&str> = output.trim_end().split("\n\n").collect();
    let key = blocks.iter().position(|block| block.starts_with("same letter")).unwrap();
    let table: Vec<Vec<&str>> = blocks[1..key].iter().map(|block| block.lines().collect()).collect();
    let mut text = merged(&table);
    writeln!(text, "{}\n", blocks[key].lines().next().unwrap()).unwrap();
    // The source lines follow, and then the outcome and the races.
    text += blocks[key + 2];
    if let Some(races) = blocks.get(key + 3).filter(|block| block.starts_with("data races")) {
        write!(text, "\n{}", races.lines().take(2).collect::<Vec<_>>().join("\n")).unwrap();
    }
    let options = if options.is_empty() { String::new() } else { format!(" {options}") };
    format!("{SECTION}\n`tangle simulate{options}` executes the bad example:\n\n```text\n{text}\n```\n")
}

fn rule(id: &str) -> &'static Rule {
    RULES.iter().find(|rule| rule.id == id).unwrap_or_else(|| panic!("no rule {id}"))
}

/// Compares a file with the text that it should have, or writes it.
fn check(path: &Path, expected: &str) {
    let written = fs::read_to_string(path).unwrap_or_default();
    if written != expected {
        assert!(
            std::env::var_os("UPDATE_EXPECT").is_some(),
            "{} differs: write it with UPDATE_EXPECT=1\n{expected}",
            path.display()
        );
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, expected).unwrap();
    }
}

#[test]
fn every_rule_has_a_table_or_a_reason_to_have_none() {
    let listed: Vec<&str> = TABLES.iter().chain(&WITHOUT).map(|(id, _)| *id).collect();
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), rules);
    assert_eq!(listed.len(), rules.len(), "a rule is listed twice");
}

#[test]
fn rule_pages_have_the_thread_tables_of_their_bad_examples() {
    for rule in RULES {
        let table = TABLES.iter().find(|(id, _)| *id == rule.id);
        let path = page_path(rule.id);
        let page = fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once("\n## Good\n").unwrap();
        let bad = before.split(SECTION).next().unwrap();
        let section = table.map_or(String::new(), |(_, options)| section(rule, options));
        check(&path, &format!("{bad}{section}\n## Good\n{rest}"));
    }
}

#[test]
fn pictures_of_rules_have_the_thread_tables_of_their_bad_examples() {
    let folder = root().join("docs/images/rules");
    for (id, options) in TABLES {
        check(&folder.join(format!("{id}.svg")), &simulate(rule(id), options, "svg"));
    }
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let expected = TABLES.iter().map(|(id, _)| format!("{id}.svg"));
    assert_eq!(files.collect::<BTreeSet<_>>(), expected.collect::<BTreeSet<_>>());
}

#[test]
fn rule_list_shows_the_pictures_and_the_reasons() {
    let path = root().join("docs/rules.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut expected = page.split(HEADING).next().unwrap().to_owned() + HEADING;
    expected += "\n`tangle simulate --format svg` makes these pictures of the bad example in the page of each rule\n\
                 ([docs/simulate.md](simulate.md)).\n";
    for (id, _) in TABLES {
        write!(
            expected,
            "\n### {id}\n\n<img src=\"images/rules/{id}.svg\" alt=\"Thread table of the bad example of {id}\">\n"
        )
        .unwrap();
    }
    expected += "\n### Rules without a table\n\n| rule | reason |\n| --- | --- |\n";
    for (id, reason) in WITHOUT {
        writeln!(expected, "| `{id}` | {reason} |").unwrap();
    }
    check(&path, &expected);
}
