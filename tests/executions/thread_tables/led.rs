//! Samples executed by threads that are led: each condition of a sample is the next number of the thread in `way`.
//!
//! Each operation has its name in a comment behind it, as the text calls the place: `sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Conditions of one thread, at most: as many as the samples leave room for.
pub const CONDITIONS: usize = 16;

/// A step of a thread: the name of the operation, and its instance, which converged steps have in common.
pub type Step = (String, usize);

/// By which rules threads are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub strategy: &'static str,
    pub policy: &'static str,
    /// What dice depend on.
    pub seed: u32,
}

/// The steps of each thread. Conditions for which it has no number are false.
pub fn steps(sample: &str, ways: &[Vec<u32>], asked: Asked) -> Vec<Vec<Step>> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "samples", "thread-tables", &format!("{sample}.cl")].iter().collect();
    let text = std::fs::read_to_string(&path).unwrap();
    let names: HashMap<u64, &str> =
        (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, name(text)?))).collect();
    let numbers = ways.iter().flat_map(|way| {
        assert!(way.len() <= CONDITIONS);
        way.iter().copied().chain(std::iter::repeat(0)).take(CONDITIONS)
    });
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    let (threads, seed) = (ways.len().to_string(), asked.seed.to_string());
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .arg("simulate")
        .arg(&path)
        .args(["--local-size", &threads, "--sub-group-size", &threads, "--arg"])
        .arg(format!("way={},", numbers.join(",")))
        .args(["--strategy", asked.strategy, "--policy", asked.policy, "--seed", &seed, "--format", "json"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // OpenCL C wants the whole sub-group at these operations; the tables of the text say who is there.
    let by_part = report["reason"].as_str().is_some_and(|reason| reason.starts_with("only "));
    assert!(report["outcome"] == "finished" || by_part, "{sample}: {output:?}");
    let mut steps = vec![Vec::new(); ways.len()];
    for (instance, together) in report["communications"].as_array().unwrap().iter().enumerate() {
        let name = names[&together["line"].as_u64().unwrap()];
        for thread in together["threads"].as_array().unwrap() {
            steps[thread.as_u64().unwrap() as usize].push((name.to_owned(), instance));
        }
    }
    steps
}

/// The name of the operation on a line, which stands before what is expected of findings.
fn name(line: &str) -> Option<&str> {
    let (code, name) = line.split("//~").next()?.rsplit_once("// ")?;
    code.contains("sub_group_barrier").then_some(name.trim())
}
