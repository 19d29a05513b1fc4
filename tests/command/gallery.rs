//! `docs/gallery.md`: mistakes that kernel authors make, with the findings of tangle and the fixes.
//!
//! The kernels are in `docs/gallery/`. Where tangle has no fix, the corrected kernel is in `docs/gallery/by_hand/`.
//! This test makes the page and compares it with the file; `UPDATE_EXPECT=1` writes the file. After a fix,
//! `tangle lint --notes` reports nothing, and `tangle simulate` ends without deadlock, undefined behaviour or data
//! race.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fix {
    Safe,
    Unsafe,
    /// tangle has no fix.
    ByHand,
}
use Fix::{ByHand, Safe, Unsafe};

struct Kernel {
    /// A path relative to `docs/gallery/`.
    file: &'static str,
    title: &'static str,
    rule: &'static str,
    fix: Fix,
    /// The options of `tangle simulate` that show the mistake, if an execution can show it.
    launch: &'static str,
    /// The outcome of the kernel with the mistake.
    before: &'static str,
}

const fn kernel(
    file: &'static str,
    title: &'static str,
    (rule, fix): (&'static str, Fix),
    (launch, before): (&'static str, &'static str),
) -> Kernel {
    Kernel { file, title, rule, fix, launch, before }
}

const KERNELS: [Kernel; 22] = [
    kernel(
        "tiled_transpose.cl",
        "Early return in a tiled kernel",
        ("divergent-barrier", Safe),
        ("--local-size 4,4 --arg width=3 --arg height=4 --arg in=64 --arg out=64", "deadlock"),
    ),
    kernel(
        "tree_reduction.cl",
        "Barrier for the active half of a reduction",
        ("divergent-barrier", Unsafe),
        ("", "deadlock"),
    ),
    kernel(
        "strided_rows.cl",
        "Loop that starts at the id",
        ("divergent-barrier", Safe),
        ("--local-size 4 --arg n=6", "deadlock"),
    ),
    kernel(
        "skipped_tiles.cl",
        "`continue` before a barrier",
        ("divergent-barrier", Safe),
        (
            "--local-size 4 --arg tiles=2 --arg entries=1,0,1,1,0,1,1,0 --arg matrix=512 --arg vector=128",
            "deadlock",
        ),
    ),
    kernel(
        "return_in_helper.cl",
        "Early return in a helper function",
        ("divergent-barrier", Safe),
        ("--arg n=6", "deadlock"),
    ),
    kernel(
        "goto_to_barrier.cl",
        "`goto` to a barrier",
        ("implementation-defined-convergence", Safe),
        ("--arg n=6", "finished"),
    ),
    kernel(
        "goto_over_barrier.cl",
        "`goto` over a barrier",
        ("divergent-barrier", ByHand),
        ("--arg in=1,2,-1,4,5,-2,7,8", "deadlock"),
    ),
    kernel(
        "barrier_on_each_side.cl",
        "A barrier on each side of a branch",
        ("mismatched-barriers", Unsafe),
        ("", "deadlock"),
    ),
    kernel(
        "misspelt_barrier.cl",
        "Misspelt barrier",
        ("undeclared-function", Safe),
        ("", "finished, with data races"),
    ),
    kernel(
        "barrier_in_macro_branch.cl",
        "Barrier in a variant that is rarely built",
        ("divergent-barrier", ByHand),
        ("-D USE_LOCAL_CACHE --arg n=6", "deadlock"),
    ),
    kernel(
        "unprotected_flag.cl",
        "Exit flag without a barrier between reading and resetting",
        ("unprotected-exit-flag", ByHand),
        ("--no-races", "deadlock"),
    ),
    kernel(
        "bounds_around_reduce.cl",
        "Reduction of a sub-group under a bounds check",
        ("divergent-subgroup-operation", Unsafe),
        ("--arg n=6", "undefined"),
    ),
    kernel(
        "neighbour_shuffle.cl",
        "Shuffle in a divergent branch",
        ("divergent-subgroup-operation", ByHand),
        ("", "finished"),
    ),
    kernel(
        "missing_break.cl",
        "Missing `break` before a collective",
        ("implementation-defined-convergence", Unsafe),
        ("--arg kind=0,1,1,0,2,0,1,1", "finished"),
    ),
    kernel(
        "broadcast_from_best.cl",
        "Broadcast from a divergent lane",
        ("divergent-collective-argument", Unsafe),
        ("--arg leader=0,1,2,3,0,1,2,3", "finished"),
    ),
    kernel(
        "copy_of_each_row.cl",
        "Asynchronous copy with divergent arguments",
        ("divergent-collective-argument", Unsafe),
        ("--arg n=8", "finished"),
    ),
    kernel(
        "early_return.cu",
        "Early return before `__syncthreads`",
        ("barrier-after-return", ByHand),
        ("--arg n=6", "finished"),
    ),
    kernel(
        "vote_in_condition.cu",
        "Vote of the block as an operand of `&&`",
        ("divergent-barrier", ByHand),
        ("--arg n=6", "deadlock"),
    ),
    kernel(
        "template_barrier.cu",
        "Barrier in a function template, called in a branch",
        ("divergent-barrier", ByHand),
        ("--arg n=6", "deadlock"),
    ),
    kernel(
        "sync_per_side.cu",
        "`__syncthreads` on each side of a branch",
        ("mismatched-barriers", Unsafe),
        ("", "deadlock"),
    ),
    kernel(
        "grid_sync_in_branch.cu",
        "Grid synchronisation without some blocks",
        ("divergent-grid-sync", Unsafe),
        ("--groups 2 --arg tiles=1 --arg in=64 --arg mid=64 --arg out=64", "deadlock"),
    ),
    kernel(
        "spin_lock.cu",
        "Spin lock that a whole warp takes",
        ("divergent-spin-lock", ByHand),
        ("--no-races --arg lock=0,0", "finished"),
    ),
];

/// The number of seeds with which a kernel is executed after its fix.
const SEEDS: u64 = 4;

const INTRODUCTION: &str = "\
# Gallery

Mistakes that kernel authors make. For each kernel, this page shows the finding and the fix. A **safe** fix keeps the results
of all executions without a missed convergent operation; `tangle lint --fix` applies it. An **unsafe** fix may
change the results; `tangle lint --fix --unsafe-fixes` applies it. The other kernels are corrected by hand.

After each fix, `tangle lint --notes` reports nothing, and `tangle simulate` finishes without a data race.
`tests/command/gallery.rs` makes this page and checks it; `UPDATE_EXPECT=1 cargo test --test command gallery::` writes it.
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn gallery() -> PathBuf {
    root().join("docs/gallery")
}

fn tangle(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tangle"));
    command.current_dir(folder).args(args).env_remove("GITHUB_ACTIONS").output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns the outcome of an execution of a kernel.
fn outcome(folder: &Path, file: &str, launch: &str, seed: u64) -> String {
    let seed = seed.to_string();
    let launch = launch.split_whitespace();
    let args: Vec<&str> = ["simulate", file, "--seed", &seed].into_iter().chain(launch).collect();
    let run = tangle(folder, &args);
    let out = text(&run.stdout);
    let is_outcome =
        |line: &&str| ["finished", "deadlock", "undefined"].iter().any(|word| line.starts_with(word));
    let found =
        out.lines().find(is_outcome).unwrap_or_else(|| panic!("{args:?}: {out}{}", text(&run.stderr)));
    let races = if out.contains("\ndata races") { ", with data races" } else { "" };
    format!("{found}{}", if found == "finished" { races } else { "" })
}

fn language(file: &str) -> &'static str {
    if file.ends_with(".cu") { "cuda" } else { "opencl" }
}

/// Returns a command with its output, in the format of the documentation.
fn console(args: &str, out: &str) -> String {
    format!("```console\n$ tangle {args}\n{}\n```\n", out.trim_end())
}

/// Returns the section of the page on a kernel.
fn section(kernel: &Kernel) -> String {
    let Kernel { file, title, rule, fix, launch, before } = *kernel;
    let path = format!("docs/gallery/{file}");
    let source = fs::read_to_string(gallery().join(file)).unwrap();
    let run = |args: &str| {
        let args: Vec<&str> = args.split_whitespace().collect();
        tangle(root(), &args)
    };

    let found: Value = serde_json::from_slice(&run(&format!("lint --format json {path}")).stdout).unwrap();
    let found = found["findings"].as_array().unwrap();
    let [finding] = &found[..] else { panic!("{file}: not one finding: {found:?}") };
    assert_eq!(finding["rule"], rule, "{file}");
    assert!(finding["help"].as_array().is_some_and(|help| !help.is_empty()), "{file}: no help");
    let notes = if finding["severity"] == "note" { "--notes " } else { "" };
    let lint = format!("lint --color never {notes}{path}");

    let mut part = format!("\n## {title}\n\n[`{file}`](gallery/{file})\n\n");
    write!(part, "```{}\n{}\n```\n\n", language(file), source.trim_end()).unwrap();
    part += &console(&lint, text(&run(&lint).stdout));

    // The fixed kernel has the same file name, in another folder.
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fixed = folder.join(file);
    let diffs = |unsafe_fixes: &str| {
        let diff = format!("lint --color never --diff {unsafe_fixes}{path}");
        let out = text(&run(&diff).stdout).to_owned();
        (diff, out)
    };
    let (safe, unsafe_) = (diffs(""), diffs("--unsafe-fixes "));
    let has = match (safe.1.is_empty(), unsafe_.1.is_empty()) {
        (false, _) => Safe,
        (true, false) => Unsafe,
        (true, true) => ByHand,
    };
    assert_eq!(has, fix, "{file}");
    match fix {
        Safe | Unsafe => {
            let title = finding["fixes"][0]["title"].as_str().unwrap_or_else(|| panic!("{file}: {finding}"));
            let (kind, (diff, out)) = if fix == Safe { ("Safe", safe) } else { ("Unsafe", unsafe_) };
            write!(part, "\n{kind} fix: {title}\n\n{}", console(&diff, &out)).unwrap();
            fs::write(&fixed, &source).unwrap();
            let flags: &[&str] = if fix == Safe { &["--fix"] } else { &["--fix", "--unsafe-fixes"] };
            tangle(folder, &[&["lint", file], flags].concat());
        }
        ByHand => {
            let corrected = fs::read_to_string(gallery().join("by_hand").join(file)).unwrap();
            write!(part, "\nCorrected by hand:\n\n```{}\n{}\n```\n", language(file), corrected.trim_end())
                .unwrap();
            fs::write(&fixed, corrected).unwrap();
        }
    }

    let left = tangle(folder, &["lint", "--notes", "--format", "short", file]);
    assert_eq!(text(&left.stdout), "", "{file}: after the fix\n{}", fs::read_to_string(&fixed).unwrap());
    let ended = outcome(&gallery(), file, launch, 0);
    assert!(ended.starts_with(before), "{file}: {ended}");
    for seed in 0..SEEDS {
        assert_eq!(outcome(folder, file, launch, seed), "finished", "{file}: seed {seed}");
    }
    let with = if launch.is_empty() { String::new() } else { format!(" with `{launch}`") };
    let before = match &*ended {
        "finished" => "finished: one execution does not show this mistake",
        ended => ended,
    };
    write!(part, "\n`tangle simulate`{with}:\n\n- before the fix: {before}\n- after the fix: finished\n")
        .unwrap();
    part
}

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "\n| mistake | finding | fix |\n| --- | --- | --- |\n";
    for Kernel { title, rule, fix, .. } in &KERNELS {
        let anchor: String = title
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let fix = match fix {
            Safe => "safe",
            Unsafe => "unsafe",
            ByHand => "by hand",
        };
        writeln!(page, "| [{title}](#{anchor}) | `{rule}` | {fix} |").unwrap();
    }
    page.extend(KERNELS.iter().map(section));
    page
}

#[test]
fn gallery_page_is_up_to_date() {
    let (page, file) = (page(), root().join("docs/gallery.md"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, &page).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    let differs = page.lines().zip(written.lines()).position(|(made, written)| made != written);
    assert!(
        page == written,
        "docs/gallery.md differs, first in line {}: write it with UPDATE_EXPECT=1",
        differs.map_or(0, |line| line + 1)
    );
}

#[test]
fn gallery_lists_all_kernels_of_its_folder() {
    for (folder, fixes) in [("", &[Safe, Unsafe, ByHand][..]), ("by_hand", &[ByHand])] {
        let entries = fs::read_dir(gallery().join(folder)).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        let mut files: Vec<String> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
        files.sort();
        let shown = KERNELS.iter().filter(|kernel| fixes.contains(&kernel.fix));
        let mut shown: Vec<&str> = shown.map(|kernel| kernel.file).collect();
        shown.sort_unstable();
        assert_eq!(files, shown, "docs/gallery/{folder}");
    }
}
