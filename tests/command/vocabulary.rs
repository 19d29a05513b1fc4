//! Every message uses the words of its file's language: "work-item" in OpenCL C, "block" in CUDA, "wavefront" in HIP.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use tangle_rules::RULES;

/// A language with the words that its messages must not contain.
struct Language {
    /// The extension of its files.
    ending: &'static str,
    /// The words of the other languages, in the singular and in lower case.
    foreign: &'static [&'static [&'static str]],
}

const OPENCL: Language = Language { ending: "cl", foreign: &[OF_DEVICE, OF_CUDA, OF_HIP] };
const CUDA: Language = Language { ending: "cu", foreign: &[OF_OPENCL, OF_HIP, SHORT] };
const HIP: Language = Language { ending: "hip", foreign: &[OF_OPENCL, OF_CUDA, SHORT] };

const OF_OPENCL: &[&str] = &["work-item", "work-group", "sub-group", "ndrange", "workgroup", "subgroup"];
const OF_DEVICE: &[&str] = &["thread", "block", "grid", "wave"];
const OF_CUDA: &[&str] = &["warp"];
const OF_HIP: &[&str] = &["wavefront"];
/// Incorrect abbreviation of "warp" and "wavefront".
const SHORT: &[&str] = &["wave"];

/// Phrases that no message may contain.
const AVOIDED: &[&str] = &["them", "those who", "may not", "nobody", "told"];

/// Kernels of CUDA and HIP, each with the rule of its finding.
const DEVICE_KERNELS: &[(&str, &str)] = &[
    (
        "activemask-as-mask",
        "__global__ void k(int *p) {\n  p[threadIdx.x] = __shfl_sync(__activemask(), 1, 0);\n  bool v = __any_sync(__activemask(), p[1]);\n  if (threadIdx.x == 0) p[0] = v;\n}",
    ),
    (
        "ambiguous-loop-nest",
        "__global__ void k(int *p, int n) {\n  while (n-- > 0) {\n    if (p[threadIdx.x] > n) continue;\n    p[2] = __ballot(1);\n  }\n}",
    ),
    (
        "barrier-after-return",
        "__global__ void k(int *p, int n) {\n  if (threadIdx.x >= n) return;\n  __syncthreads();\n}",
    ),
    ("divergent-barrier", "__global__ void k(int *p) {\n  if (threadIdx.x > 3) __syncthreads();\n}"),
    (
        "divergent-barrier",
        "__global__ void k(int *p) {\n  for (int i = threadIdx.x; i < 9; i++) __syncthreads();\n}",
    ),
    (
        "divergent-barrier",
        "__device__ void f(int n) {\n  if (n) __syncthreads();\n}\n__global__ void k() { f(threadIdx.x); }",
    ),
    (
        "divergent-barrier",
        "int g(int *);\n__global__ void k(int *p) {\n  __shared__ int s; s = p[0]; if (s) __syncthreads(); s = threadIdx.x;\n}",
    ),
    ("divergent-barrier", "__global__ void k(int *p) {\n  if (unknown(p, threadIdx.x)) __syncthreads();\n}"),
    ("possible-divergence", "__global__ void k(int *p) {\n  if (unknown()) __syncthreads();\n}"),
    ("assumed-from-name", "__global__ void k(int *p) { p[0] = threadIdx.x / WARP_SIZE; }"),
    (
        "caller-not-in-mask",
        "__global__ void k(int *p) {\n  if (threadIdx.x % 32 == 3) p[0] = __any_sync(1, 1);\n  if (p[threadIdx.x]) __syncwarp(0xf);\n  unsigned m = __ballot_sync(~0u, p[threadIdx.x]);\n  __syncwarp(m);\n}",
    ),
    (
        "divergent-collective-argument",
        "__global__ void k(void *p) {\n  __barrier_sync(threadIdx.x);\n  __barrier(threadIdx.x);\n}",
    ),
    (
        "divergent-grid-sync",
        "#include <cooperative_groups.h>\n__global__ void k(int *p) {\n  if (blockIdx.x) cooperative_groups::this_grid().sync();\n  if (p[threadIdx.x]) cooperative_groups::this_grid().sync();\n}",
    ),
    (
        "divergent-spin-lock",
        "__global__ void k(int *l, int *p) {\n  while (atomicCAS(l, 0, 1) != 0) {}\n  p[0]++;\n  atomicExch(l, 0);\n}",
    ),
    (
        "divergent-subgroup-operation",
        "__global__ void k(int *p) {\n  if (threadIdx.x & 1) p[threadIdx.x] = __shfl(p[threadIdx.x], 3);\n}",
    ),
    (
        "fallthrough-into-convergent",
        "__global__ void k(int *p) {\n  switch (p[threadIdx.x]) {\n  case 0: p[1] = 1;\n  case 1: __syncthreads();\n  }\n}",
    ),
    (
        "full-mask-in-divergent-flow",
        "__global__ void k(int *p) {\n  if (p[threadIdx.x]) p[threadIdx.x] = __any_sync(~0u, 1);\n  if (threadIdx.x & 1) __syncwarp();\n}",
    ),
    (
        "group-sync-outside-group",
        "#include <cooperative_groups.h>\n__global__ void k(int *p) {\n  auto t = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());\n  if (threadIdx.x & 1) t.sync();\n  if (p[threadIdx.x]) t.sync();\n}",
    ),
    (
        "implementation-defined-convergence",
        "__global__ void k(int *p) {\n  if (p[threadIdx.x]) goto out;\n  p[1] = 2;\nout:\n  __syncthreads();\n}",
    ),
    (
        "implicit-warp-synchronous",
        "__global__ void k(int *p) {\n  __shared__ int s[32], t[32];\n  s[threadIdx.x] = 1;\n  s[threadIdx.x] = s[threadIdx.x ^ 1];\n  t[p[threadIdx.x]] += 1;\n}",
    ),
    (
        "jump-into-loop",
        "__global__ void k(int *p, int n) {\n  if (p[threadIdx.x]) goto in;\n  while (n--) {\n    p[n] = 1;\n  in:\n    __syncthreads();\n  }\n}",
    ),
    (
        "left-out-text",
        "#if TILE * UNROLL == 64 && TILE > 4\n__global__ void k(int *p) { __syncthreads(); }\n#endif\n__global__ void f(int *p) {}",
    ),
    ("legacy-warp-intrinsic", "__global__ void k(int *p) { p[threadIdx.x] = __any(1); }"),
    (
        "merged-convergent-branches",
        "__global__ void k(int *p) {\n  if (p[threadIdx.x]) p[1] = __ballot(1);\n  else p[2] = __ballot(0);\n}",
    ),
    (
        "mismatched-barriers",
        "__global__ void k(int *p) {\n  if (p[threadIdx.x]) __syncthreads();\n  else __syncthreads();\n}",
    ),
    ("missing-include", "#include \"not_there.h\"\n__global__ void k(int *p) {}"),
    ("opaque-item", "__device__ co_await int first(int *p);\n__global__ void k(int *p) {}"),
    ("opaque-statement", "__global__ void k(int *p) {\n  try { p[0] = 1; } catch (...) {}\n}"),
    ("preprocessor-note", "#warning careful\n__global__ void k(int *p) {}"),
    (
        "shuffle-from-inactive-lane",
        "__global__ void k(int *p, int n) {\n  if (threadIdx.x >= n) return;\n  p[threadIdx.x] += __shfl_down_sync(~0u, p[threadIdx.x], 1);\n  if (threadIdx.x < 8) p[0] = __shfl_sync(0xff, 1, 9);\n}",
    ),
    (
        "shuffle-width",
        "__global__ void k(int *p) {\n  p[0] = __shfl_sync(~0ull, 1, 0, 12);\n  p[0] = __shfl_sync(~0ull, 1, 0, 128);\n}",
    ),
    (
        "subgroup-operation-before-break",
        "__global__ void k(int *p, int n) {\n  for (;;) {\n    if (p[threadIdx.x]++ > n) {\n      p[1] = __ballot(1);\n      break;\n    }\n  }\n}",
    ),
    ("syntax-error", "__global__ void k(int *p) { p[0] = ; }"),
    ("undeclared-function", "__global__ void k(int *p) { __synchthreads(); }"),
    (
        "unprotected-exit-flag",
        "__global__ void k(int *p) {\n  __shared__ int done;\n  done = 0;\n  __syncthreads();\n  while (!done) {\n    __syncthreads();\n    if (threadIdx.x == 0) done = p[0];\n  }\n}",
    ),
    ("unused-suppression", "// tangle: allow(divergent-barrier): nothing here\n__global__ void k(int *p) {}"),
    (
        "wave-width",
        "__global__ void k(int *p) {\n  unsigned m = __activemask();\n  p[0] = m + (1 << (threadIdx.x % 64));\n}",
    ),
    (
        "wrong-mask-constant",
        "__global__ void k(int *p) {\n  __syncwarp(0xf);\n  __syncwarp(0xfe);\n  __syncwarp(threadIdx.x & 1 ? ~0u : 0x55555555u);\n}",
    ),
];

/// The rules without findings in CUDA and HIP. Their types and names may come from missing headers, and
/// `unread-literal` is about OpenCL in literals.
const OPENCL_ONLY: &[&str] = &["type-error", "unknown-name", "unknown-type", "unread-literal"];

/// The rules of one language, by the ending of its files.
const OF_ONE_LANGUAGE: &[(&str, &str)] = &[
    ("activemask-as-mask", "cu"),
    ("implicit-warp-synchronous", "cu"),
    ("legacy-warp-intrinsic", "cu"),
    ("shuffle-from-inactive-lane", "cu"),
    ("wave-width", "hip"),
];

/// Returns the texts of all findings in a file, with their rules.
fn texts(path: &Path) -> Vec<(String, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    command.args(["lint", "--possible", "--format", "json", "--fail-on", "never"]).arg(path);
    for rule in RULES.iter().filter(|rule| !rule.on) {
        command.args(["--rule", &format!("{}={}", rule.id, rule.severity)]);
    }
    let run: serde_json::Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let mut texts = Vec::new();
    for finding in run["findings"].as_array().unwrap() {
        let rule = finding["rule"].as_str().unwrap();
        let mut add = |text: &serde_json::Value| {
            texts.push((rule.to_owned(), text.as_str().unwrap_or_default().to_owned()));
        };
        add(&finding["message"]);
        add(&finding["label"]);
        finding["related"].as_array().unwrap().iter().for_each(|place| add(&place["message"]));
        finding["help"].as_array().unwrap().iter().for_each(&mut add);
        finding["assumes"].as_array().into_iter().flatten().for_each(|place| add(&place["message"]));
    }
    texts
}

/// Returns the words of a text outside quotations, in lower case. A block literal is not a block of threads.
fn words(text: &str) -> Vec<String> {
    let text = text.replace("a block in `", "a literal in `");
    let outside: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    outside.to_lowercase().split(|c| !is_part(c)).map(str::to_owned).collect()
}

/// Returns a word or phrase of a text that messages about its language must not contain.
fn wrong(language: &Language, text: &str) -> Option<String> {
    let words = words(text);
    let joined = format!(" {} ", words.join(" "));
    let is_foreign = |word: &&String| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        language.foreign.iter().any(|words| words.contains(&singular))
    };
    let foreign = words.iter().find(is_foreign).cloned();
    foreign.or_else(|| {
        let avoided = AVOIDED.iter().find(|phrase| joined.contains(&format!(" {phrase} ")));
        avoided.map(|&phrase| phrase.to_owned())
    })
}

fn check(language: &Language, path: &Path, found: &mut BTreeMap<String, usize>, mistakes: &mut Vec<String>) {
    for (rule, text) in texts(path) {
        if let Some(word) = wrong(language, &text) {
            mistakes.push(format!("{}: [{rule}] {word:?} in: {text}", path.display()));
        }
        *found.entry(rule).or_default() += 1;
    }
}

#[test]
fn cuda_and_hip_messages_use_their_own_terms() {
    let mut mistakes = Vec::new();
    for language in [&CUDA, &HIP] {
        let mut found = BTreeMap::new();
        let folder = tempfile::tempdir().unwrap();
        for (number, (rule, kernel)) in DEVICE_KERNELS.iter().enumerate() {
            let path = folder.path().join(format!("k{number}.{}", language.ending));
            fs::write(&path, format!("{kernel}\n")).unwrap();
            let only = OF_ONE_LANGUAGE.iter().find(|(of, _)| of == rule);
            assert!(
                only.is_some_and(|(_, ending)| *ending != language.ending)
                    || texts(&path).iter().any(|(of, _)| of == rule),
                "{rule} has no finding in {}:\n{kernel}",
                language.ending
            );
            check(language, &path, &mut found, &mut mistakes);
        }
        let all: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
        let others = OPENCL_ONLY.iter().copied().chain(OF_ONE_LANGUAGE.iter().map(|(rule, _)| *rule));
        let found: BTreeSet<&str> = found.keys().map(String::as_str).chain(others).collect();
        assert_eq!(found, all, "rules without a finding in {}", language.ending);
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn opencl_messages_use_opencl_terms() {
    let (mut found, mut mistakes) = (BTreeMap::new(), Vec::new());
    let mut of_cuda = 0;
    let folder = tempfile::tempdir().unwrap();
    for rule in RULES {
        let bad = rule.page.split("## Bad").nth(1).unwrap();
        let block = bad.split("```").nth(1).unwrap();
        let (language, text) = block.split_once('\n').unwrap();
        if language == "cuda" || language == "hip" {
            of_cuda += 1;
            continue;
        }
        let ending = if language == "cpp" { "cpp" } else { OPENCL.ending };
        let path = folder.path().join(format!("{}.{ending}", rule.id));
        fs::write(&path, text).unwrap();
        check(&OPENCL, &path, &mut found, &mut mistakes);
    }
    assert!(found.len() >= RULES.len() - of_cuda - 2, "{found:?}");
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn messages_on_samples_use_the_terms_of_their_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let (mut todo, mut mistakes, mut files) = (vec![root], Vec::new(), 0);
    let mut found = BTreeMap::new();
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
                continue;
            }
            let language = match path.extension().and_then(|ending| ending.to_str()) {
                Some("cl") => &OPENCL,
                Some("cu") => &CUDA,
                Some("hip") => &HIP,
                _ => continue,
            };
            files += 1;
            check(language, &path, &mut found, &mut mistakes);
        }
    }
    assert!(files > 400, "{files}");
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn show_uses_cuda_names_of_indices_and_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.cu");
    let kernel = "__global__ void k(int *p) {\n  int i = threadIdx.x;\n  if (i > 3) p[0] = 1;\n  if (threadIdx.x / 32 > 1) p[1] = 1;\n}\n";
    fs::write(&path, kernel).unwrap();
    let show = |format: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
        command.args(["show", "--what", "uniformity", "--format", format]).arg(&path);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let text = show("human");
    assert!(text.contains("threadIdx.x at 2:11") && text.contains("divergent"), "{text}");
    assert!(text.contains("uniform in the warp, divergent in the block"), "{text}");
    for word in ["get_local_id", "work-", "subgroup", "sub-group"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    let document: serde_json::Value = serde_json::from_str(&show("json")).unwrap();
    let branch = &document["functions"][0]["branches"][0];
    assert_eq!(branch["cause"].as_array().unwrap().last().unwrap()["what"], "threadIdx.x");
}
