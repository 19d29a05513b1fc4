//! Kernels of CUDA compute the same in an execution as in a plain C++ emulation.
//!
//! `kernels.cu` is lowered and executed, and compiled by clang for the host with `emulation.h`, which has the indices,
//! barriers and warps of CUDA in 250 lines. Both start with the same memory, and all bytes must be equal at the end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tangle_analysis::flow::Module;
use tangle_analysis::flow::module::{Options, lower};
use tangle_simulate::{Argument, Launch, Number, Outcome, Program};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::cuda;
use tangle_syntax::source::NoHeaders;

/// The elements of each array.
const COUNT: i128 = 256;

/// The least number of kernels that must be compared.
const KERNELS: usize = 82;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/executions/emulation")
}

/// Returns the kernels of a source with the arguments of templates, as host code names them.
fn kernels(text: &str) -> Vec<String> {
    let named = text.lines().filter_map(|line| line.split_once("__global__ void "));
    named
        .map(|(before, rest)| {
            let name = rest.split('(').next().unwrap();
            let launch = |line: &&str| line.trim_start().starts_with(&format!("{name}<"));
            match before.contains("template") {
                true => {
                    let launch = text.lines().find(launch).unwrap_or_else(|| panic!("no launch of {name}"));
                    launch.trim_start().split("<<<").next().unwrap().to_owned()
                }
                false => name.to_owned(),
            }
        })
        .collect()
}

/// Returns the output of the emulation: a line for each kernel and shape, with the memory at its end.
fn emulated(clang: &str, kernels: &[String]) -> String {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emulation");
    std::fs::create_dir_all(&scratch).unwrap();
    let shows: String = kernels.iter().map(|kernel| format!("  show(\"{kernel}\", {kernel});\n")).collect();
    let source = scratch.join("all.cpp");
    let include = |file: &str| format!("#include \"{}\"\n", folder().join(file).display());
    let text = format!("{}{}int main() {{\n{shows}}}\n", include("emulation.h"), include("kernels.cu"));
    std::fs::write(&source, text).unwrap();
    // The header of cooperative groups is empty: the emulation has its classes.
    std::fs::write(scratch.join("cooperative_groups.h"), "").unwrap();
    let program = scratch.join("all");
    let compiled = Command::new(clang)
        .args(["-x", "c++", "-std=c++17", "-O1", "-w", "-fwrapv", "-ffp-contract=off"])
        .args(["-fno-exceptions", "-fno-rtti", "-fno-strict-aliasing", "-I"])
        .arg(&scratch)
        .arg(&source)
        .args(["-lm", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).output().unwrap();
    assert!(run.status.success(), "{:?}", run.status);
    String::from_utf8(run.stdout).unwrap()
}

fn lowered(text: &str) -> Module {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings_in(cuda(), &[], &[], &[], cuda().builtins().with(Vec::new()));
    let file = db.set_text("kernels.cu", text);
    let lowered = lower(&db, file, settings, &Options::default());
    let errors: Vec<String> =
        lowered.errors.iter().map(|error| format!("{:?}: {}", error.function, error.reason)).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    lowered.module
}

/// The arguments of each kernel, as `show` of the emulation has them.
fn arguments() -> Vec<Argument> {
    let integers =
        |of: fn(i128) -> i128| Argument::Array((0..COUNT).map(|i| Number::Integer(of(i))).collect());
    let floats = (0..COUNT).map(|i| Number::Float((i * 29 % 64) as f64 / 4.0 - 5.0)).collect();
    vec![
        integers(|i| (i * 37 + 11) % 64 - 8),
        integers(|i| (i * i + 5 * i) % 97),
        Argument::Array(floats),
        Argument::Number(Number::Integer(23)),
    ]
}

/// Executes a kernel, and returns the words of its memory, as the emulation prints them.
fn executed(module: &Module, name: &str, height: u32, seed: u64) -> Result<String, String> {
    let plain = name.split('<').next().unwrap();
    let kernel =
        module.functions.iter().position(|function| function.kernel && function.key.label() == plain);
    let kernel = kernel.ok_or("the module does not have it")?;
    let launch = Launch {
        local_size: [64 / height, height, 1],
        groups: 2,
        sub_group_size: 32,
        arguments: arguments(),
        seed,
        ..Launch::default()
    };
    let program = Program::new(module, cuda().builtins()).expect("a lowered module obeys the rules");
    let run = program.run(kernel, &launch, &mut ()).map_err(|error| error.to_string())?;
    if run.outcome != Outcome::Finished {
        return Err(format!("{:?}", run.outcome));
    }
    let words = |parameter| {
        let bytes = run.memory.of_argument(parameter).expect("a pointer to global memory");
        let word = |word: &[u8]| i32::from_le_bytes(word.try_into().unwrap()).to_string();
        bytes.chunks(4).map(word).collect::<Vec<_>>().join(" ")
    };
    Ok(format!("{} {}", words(0), words(2)))
}

#[test]
fn kernels_of_cuda_compute_what_the_emulation_computes() {
    let Some(clang) = tangle_referees::clang() else { return };
    let text = std::fs::read_to_string(folder().join("kernels.cu")).unwrap();
    let kernels = kernels(&text);
    assert!(kernels.len() >= KERNELS, "{} kernels", kernels.len());
    let expected = emulated(&clang, &kernels);
    let module = lowered(&text);
    let mut wrong = Vec::new();
    for line in expected.lines() {
        let mut fields = line.split('\t');
        let (name, height) = (fields.next().unwrap(), fields.next().unwrap().parse().unwrap());
        let line = fields.next().unwrap().trim_end();
        for seed in 0..2 {
            match executed(&module, name, height, seed) {
                Ok(found) if found == line => {}
                Ok(found) => {
                    let pairs = found.split(' ').zip(line.split(' ')).enumerate();
                    let (at, (ours, theirs)) = pairs.clone().find(|(_, (a, b))| a != b).unwrap();
                    wrong.push(format!("{name}, {height} rows: word {at} is {ours}, expected {theirs}"));
                }
                Err(why) => wrong.push(format!("{name}, {height} rows: {why}")),
            }
        }
    }
    assert_eq!(expected.lines().count(), 2 * kernels.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("{} kernels compute the same", kernels.len());
}
