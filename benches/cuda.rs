//! Measures CPU time and peak memory of `tangle lint` on a folder of CUDA in one process, and compares it with clang on
//! a sample of the files. Also compares the parser with that of tree-sitter, on the same bytes.
//!
//! ```sh
//! TANGLE_CUDA=HeCBench/src TANGLE_CUDA_SDK=/usr/local/cuda cargo bench --bench cuda
//! ```
//!
//! tangle reads the files nine times, without headers of an SDK. clang reads them with these headers, and only files that it
//! accepts count. The parsers get the output of our preprocessor: the device code, after macro expansion. Without
//! `TANGLE_CUDA`, the folder is `samples/cuda`.

mod usage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tangle_grammar::lex::lex_as;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::token::{Token, TokenKind};
use usage::{Spread, exists, peak, run};

/// The number of files for clang and the parsers.
const SAMPLE: usize = 40;

/// The number of times that tangle reads the files.
const ROUNDS: usize = 9;

/// The number of times that the parsers read a file. The best time counts.
const TIMES: usize = 5;

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
    all.args(["lint", "--quiet"]).arg(&folder);
    let ours = Spread::of((0..ROUNDS).map(|_| run(&mut all).0.as_secs_f64()));
    println!(
        "tangle: {} files of CUDA, and what else the folder has, in {ours} s of CPU, peak {} MiB",
        files.len(),
        peak()
    );

    let sample: Vec<&PathBuf> = files.iter().step_by((files.len() / SAMPLE).max(1)).take(SAMPLE).collect();
    parsers(&sample);
    match std::env::var("TANGLE_CUDA_SDK") {
        Ok(sdk) => beside_clang(&sample, &sdk),
        Err(_) => println!("no SDK for clang: set TANGLE_CUDA_SDK"),
    }
}

/// Compares one process of tangle for the files that clang accepts with one process of clang for each.
fn beside_clang(sample: &[&PathBuf], sdk: &str) {
    let clang = std::env::var("TANGLE_CLANG").unwrap_or_else(|_| "clang-19".into());
    if !exists(&clang) {
        println!("no {clang}: install it, or set TANGLE_CLANG");
        return;
    }
    let (mut accepted, mut theirs, mut lines) = (Vec::new(), Duration::ZERO, 0);
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
        if is_accepted {
            accepted.push(file);
            theirs += time;
            lines += fs::read_to_string(file).map_or(0, |text| text.lines().count());
        }
    }
    if accepted.is_empty() {
        println!("{clang} rejects all {} files", sample.len());
        return;
    }
    let mut ours = Command::new(env!("CARGO_BIN_EXE_tangle"));
    ours.args(["lint", "--quiet"]).args(&accepted);
    let ours: Vec<f64> = (0..ROUNDS).map(|_| run(&mut ours).0.as_secs_f64()).collect();
    println!(
        "{} of {} files that {clang} accepts, {lines} lines: {} s of CPU, {clang} {:.1} s: 1/{}",
        accepted.len(),
        sample.len(),
        Spread::of(ours.iter().copied()),
        theirs.as_secs_f64(),
        Spread::of(ours.iter().map(|ours| theirs.as_secs_f64() / ours))
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
