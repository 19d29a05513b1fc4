//! SARIF output is checked by the validator of the format's authors, including the rules of GitHub's code scanning.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Returns the errors and warnings of the validator for a document, with one kind of its rules.
fn complaints(validator: &str, document: &Path, kind: &str) -> Vec<String> {
    let run = Command::new(validator)
        .arg("validate")
        .arg(document)
        .args(["--rule-kind", kind])
        // The validator is self-contained except for locale data.
        .env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert!(text.contains("Analysis completed successfully."), "{text}");
    let is_complaint = |line: &&str| [": error ", ": warning "].iter().any(|word| line.contains(word));
    text.lines().filter(is_complaint).map(str::to_owned).collect()
}

/// Returns the findings as one document. The validator requires the address of the project, which may be undecided.
fn document(args: &[&str]) -> Value {
    let run = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["lint", "--format", "sarif"])
        .args(args)
        .output()
        .unwrap();
    let mut document: Value = serde_json::from_slice(&run.stdout).unwrap();
    let driver = &mut document["runs"][0]["tool"]["driver"];
    if env!("CARGO_PKG_REPOSITORY").is_empty() {
        assert_eq!(driver.get("informationUri"), None);
        driver["informationUri"] = json!("https://tangle.example");
    }
    document
}

#[test]
fn code_flow_begins_at_the_source_of_divergence() {
    let document = document(&["docs/examples/early_return.cl"]);
    let flow = &document["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let step = |step: &Value| {
        let location = &step["location"];
        let line = &location["physicalLocation"]["region"]["startLine"];
        format!("{line}: {}", location["message"]["text"].as_str().unwrap())
    };
    let steps: Vec<String> = flow.as_array().unwrap().iter().map(step).collect();
    assert_eq!(
        steps,
        [
            "2: the result of `get_global_id` differs between work-items",
            "4: work-items of the same work-group diverge here",
            "5: work-items that return here never reach the `barrier`",
            "7: only part of the work-group reaches this `barrier`",
        ]
    );
}

#[test]
fn validator_accepts_the_findings_of_all_samples() {
    let Some(validator) = tangle_referees::sarif_multitool() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.sarif");
    // The validator takes a minute for all samples.
    let (folders, least) = match tangle_referees::is_thorough() {
        true => (["samples", "docs"], 500),
        false => (["samples/rules", "docs"], 50),
    };
    let mut all = document(&folders);
    let results = all["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() > least && results.iter().any(|result| result["codeFlows"].is_array()));
    for kind in ["Sarif", "Ghas"] {
        std::fs::write(&path, all.to_string()).unwrap();
        assert_eq!(complaints(&validator, &path, kind), Vec::<String>::new(), "{kind}");
    }
    // The validator detects an error.
    all["runs"][0]["tool"]["driver"]["rules"][0].as_object_mut().unwrap().remove("fullDescription");
    std::fs::write(&path, all.to_string()).unwrap();
    assert_eq!(complaints(&validator, &path, "Ghas").len(), 1);
}

#[test]
fn validator_accepts_merged_documents() {
    let Some(validator) = tangle_referees::sarif_multitool() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("1.sarif"), document(&["samples/idioms"]).to_string()).unwrap();
    std::fs::write(path("2.sarif"), document(&["samples/idioms", "samples/models"]).to_string()).unwrap();
    let merge = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(["merge", "1.sarif", "2.sarif", "-o", "all.sarif"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert_eq!(merge.code(), Some(0));
    for kind in ["Sarif", "Ghas"] {
        assert_eq!(complaints(&validator, &path("all.sarif"), kind), Vec::<String>::new(), "{kind}");
    }
}
