//! Kernel templates that are launched with known arguments: each finding names the instantiations that have it.

use std::process::Command;

use serde_json::Value;

#[test]
fn finding_names_the_instantiations_that_have_it() {
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["lint", "--format", "json", "--fail-on", "never", "samples/cuda/instantiations.cu"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let found: Vec<(u64, Vec<&str>)> = findings
        .iter()
        .map(|finding| {
            let names = finding["instantiations"].as_array().into_iter().flatten();
            (finding["line"].as_u64().unwrap(), names.map(|name| name.as_str().unwrap()).collect())
        })
        .collect();
    let of_double = vec!["decided_by_arguments<double, SIZE, false>"];
    let explicit = |line: u64, name| (line, vec![name]);
    let expected = [
        (8, of_double.clone()),
        (11, of_double),
        (14, vec![]),
        (55, vec![]),
        (70, vec![]),
        explicit(86, "instantiated<float, 4>"),
        explicit(91, "instantiated<double, 8>"),
    ];
    assert_eq!(found, expected);
    let help = &findings[0]["help"];
    let says = "1 of 3 instantiations have this finding: `decided_by_arguments<double, SIZE, false>`";
    assert!(help.as_array().unwrap().iter().any(|help| help == says), "{help}");
}
