//! Measures CPU time and peak memory of `tangle lint` on a folder of CUDA in one process, and compares it with clang on
//! a sample of the files. Also compares the parser with that of tree-sitter, on the same bytes.
//!
//! ```sh
//! TANGLE_CUDA=HeCBench/src TANGLE_CUDA_SDK=/usr/local/cuda cargo bench --bench cuda
//! ```
//!
//! tangle reads the files without headers of an SDK. clang reads them with these headers, and only files that it
//! accepts count. The parsers get the output of our preprocessor: the device code, after macro expansion. Without
//! `TANGLE_CUDA`, the folder is `samples/cuda`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use tangle_grammar::lex::lex_as;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::token::{Token, TokenKind};

/// The number of files for clang and the parsers.
const SAMPLE: usize = 40;

/// The number of times that the parsers read a file. The best time counts.
const TIMES: usize = 5;

/// The CPU time of all finished children, and the peak memory of the largest, in KiB.
fn children() -> (Duration, i64) {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts children");
    let time = |value: TimeVal| {
        Duration::new(value.tv_sec().unsigned_abs(), u32::try_from(value.tv_usec()).unwrap_or(0) * 1000)
    };
    (time(usage.user_time()) + time(usage.system_time()), usage.max_rss())
}

/// The CPU time of a command, and whether it succeeded.
fn run(command: &mut Command) -> (Duration, bool) {
    let (before, _) = children();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let status = status.unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
    (children().0 - before, status.success())
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => sources(&path, found),
            Some("cu") => found.push(path),
            _ => {}
        }
    }
}

/// The best time of several runs.
fn best(mut of: impl FnMut()) -> Duration {
    let once = |_| {
        let begin = Instant::now();
        of();
        begin.elapsed()
    };
    (0..TIMES).map(once).min().unwrap_or_default()
}

fn main() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/cuda");
    let folder = std::env::var_os("TANGLE_CUDA").map_or(samples, PathBuf::from);
    let mut files = Vec::new();
    sources(&folder, &mut files);
    files.sort();

    // tangle runs first, so the peak of the children is its peak.
    let mut all = Command::new(env!("CARGO_BIN_EXE_tangle"));
    let (ours, _) = run(all.args(["lint", "--quiet"]).arg(&folder));
    let memory = children().1 / 1024;
    println!(
        "tangle: {} files of CUDA, and what else the folder has, in {:.2} s of CPU, peak {memory} MiB",
        files.len(),
        ours.as_secs_f64()
    );

    let sample: Vec<&PathBuf> = files.iter().step_by((files.len() / SAMPLE).max(1)).take(SAMPLE).collect();
    parsers(&sample);
    match std::env::var("TANGLE_CUDA_SDK") {
        Ok(sdk) => beside_clang(&sample, &sdk),
        Err(_) => println!("no SDK for clang: set TANGLE_CUDA_SDK"),
    }
}

/// Runs one process for each file, both of tangle and of clang.
fn beside_clang(sample: &[&PathBuf], sdk: &str) {
    let clang = std::env::var("TANGLE_CLANG").unwrap_or_else(|_| "clang-19".into());
    let (mut ours, mut theirs, mut accepted, mut lines) = (Duration::ZERO, Duration::ZERO, 0, 0);
    for file in sample {
        let mut command = Command::new(&clang);
        command.args([
            "-x",
            "cuda",
            "--cuda-device-only",
            "--cuda-gpu-arch=sm_80",
            "-std=c++17",
            "-w",
            "-fsyntax-only",
        ]);
        let (time, is_accepted) = run(command.arg(format!("--cuda-path={sdk}")).arg(file));
        if !is_accepted {
            continue;
        }
        accepted += 1;
        theirs += time;
        lines += fs::read_to_string(file).map_or(0, |text| text.lines().count());
        ours += run(Command::new(env!("CARGO_BIN_EXE_tangle")).args(["lint", "--quiet"]).arg(file)).0;
    }
    println!(
        "{accepted} of {} files that {clang} accepts, {lines} lines, one process each: {:.2} s of CPU, {clang} {:.2} s: 1/{:.0}",
        sample.len(),
        ours.as_secs_f64(),
        theirs.as_secs_f64(),
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
}

fn parsers(sample: &[&PathBuf]) {
    let words = tangle_syntax::dialect::cuda().lexicon();
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).expect("the grammar fits the library");
    let (mut ours, mut theirs, mut bytes) = (Duration::ZERO, Duration::ZERO, 0);
    for file in sample {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        let Ok(output) = command.args(["show", "--what", "preprocessed"]).arg(file).output() else {
            continue;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        let text: String =
            text.lines().filter(|line| !line.starts_with("# ")).flat_map(|line| [line, "\n"]).collect();
        bytes += text.len();
        ours += best(|| {
            let (lexed, _) = lex_as(&text, Grammar::Cpp);
            let tokens: Vec<Token> = lexed
                .outside_directives()
                .map(|(_, token)| {
                    let kind = match token.kind {
                        TokenKind::Identifier => words.kind(token.text),
                        kind => kind,
                    };
                    Token { kind, text: token.text }
                })
                .collect();
            std::hint::black_box(tangle_grammar::parse(&tokens, words));
        });
        theirs += best(|| {
            std::hint::black_box(parser.parse(&text, None));
        });
    }
    println!(
        "parsers, {} KiB of {} files: ours {:.1} ms, tree-sitter {:.1} ms: 1/{:.1}",
        bytes / 1024,
        sample.len(),
        ours.as_secs_f64() * 1e3,
        theirs.as_secs_f64() * 1e3,
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
}
