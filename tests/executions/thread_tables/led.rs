//! Executes samples with given inputs: each condition of a sample is the next number of its thread in `way`.
//!
//! A trailing comment names each operation as in the text: `sub_group_barrier(CLK_LOCAL_MEM_FENCE);  // L1`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The maximum number of conditions of one thread. The samples reserve this number of elements.
pub const CONDITIONS: usize = 16;

/// A step of a thread: the name of the operation, and the number of its instance. Converged steps have the same number.
pub type Step = (String, usize);

/// The rules that decide which threads are converged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    pub strategy: &'static str,
    pub policy: &'static str,
    /// The seed of random choices.
    pub seed: u32,
}

/// Executes a sample, and returns the steps of each thread. Conditions without a number are false.
pub fn steps(sample: &str, paths: &[Vec<u32>], asked: Asked) -> Vec<Vec<Step>> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "samples", "thread-tables", &format!("{sample}.cl")].iter().collect();
    let text = std::fs::read_to_string(&path).unwrap();
    let names: HashMap<u64, &str> =
        (1..).zip(text.lines()).filter_map(|(line, text)| Some((line, name(text)?))).collect();
    let numbers = paths.iter().flat_map(|way| {
        assert!(way.len() <= CONDITIONS);
        way.iter().copied().chain(std::iter::repeat(0)).take(CONDITIONS)
    });
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    let (threads, seed) = (paths.len().to_string(), asked.seed.to_string());
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
    // OpenCL C requires the whole sub-group at these operations. The tables of the text also show partial groups.
    let by_part = report["reason"].as_str().is_some_and(|reason| reason.starts_with("only "));
    assert!(report["outcome"] == "finished" || by_part, "{sample}: {output:?}");
    let mut steps = vec![Vec::new(); paths.len()];
    for (instance, together) in report["communications"].as_array().unwrap().iter().enumerate() {
        let name = names[&together["line"].as_u64().unwrap()];
        for thread in together["threads"].as_array().unwrap() {
            steps[thread.as_u64().unwrap() as usize].push((name.to_owned(), instance));
        }
    }
    steps
}

/// Returns the name of the operation on a line. It precedes the expected findings.
fn name(line: &str) -> Option<&str> {
    let (code, name) = line.split("//~").next()?.rsplit_once("// ")?;
    code.contains("sub_group_barrier").then_some(name.trim())
}
