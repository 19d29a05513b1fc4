//! `docs/ir.md` is right: its example reads back and violates no rule, and its table is that of the verifier.

use tangle_ir::flow::verify::{RULES, verify};
use tangle_ir::text::{print_module, read_module};

const PAGE: &str = include_str!("../../docs/ir.md");

#[test]
fn documented_example_is_valid_and_reads_back() {
    let text = PAGE.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let module = read_module("", text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print_module(&module), text);
    for function in &module.functions {
        assert_eq!(verify(function), []);
    }
}

#[test]
fn documented_rule_table_matches_the_verifier() {
    let row = |row: &tangle_ir::flow::verify::Row| {
        format!("| `{}` | {} | {} |\n", row.name, row.demands, row.section)
    };
    let table: String = RULES.iter().map(row).collect();
    assert!(PAGE.contains(&table), "{table}");
}
