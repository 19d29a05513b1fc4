//! Fixes are checked by execution. If no thread misses a convergent operation, a safe fix must not change the results.
//!
//! The kernels are the OpenCL C samples, the CUDA samples of some rules, and random kernels (`source`). Each safe fix is applied alone. The kernel is
//! executed before and after it with the same arguments, and the final contents of global memory are compared.
//! Executions with a data race, and executions that do not finish, are ignored.

mod source;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use tangle::Build;
use tangle_analysis::flow::module::{Options, lower};
use tangle_analysis::flow::{Function, Module, Op};
use tangle_analysis::lookup::FileContext;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Applicability, Fix};
use tangle_fix::{Budget, applied, of_finding};
use tangle_project::language::Language;
use tangle_referees::{is_thorough, of_all, some_of};
use tangle_rules as lint;
use tangle_simulate::{Argument, Launch, Number, Outcome, Program, Random, Run};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{cuda, opencl};
use tangle_syntax::source::{NoHeaders, Settings, SourceFile};

fn is_cuda(text: &str) -> bool {
    text.contains("__global__")
}

/// Opens a source in OpenCL C or CUDA.
fn opened(text: &str) -> (Database, SourceFile, Settings, Model) {
    let mut db = Database::new(Arc::new(NoHeaders));
    let (language, name) = if is_cuda(text) { (Language::Cuda, "k.cu") } else { (Language::Opencl, "k.cl") };
    let (settings, model) = Build { language, ..Build::default() }.settings(&mut db);
    let file = db.set_text(name, text);
    (db, file, settings, model)
}

/// Returns the rules of the findings of a source, and its fixes.
fn fixes(text: &str) -> (Vec<&'static str>, Vec<Fix>) {
    let (db, file, settings, model) = opened(text);
    let reading = FileContext { db: &db, root: file, file, settings, model };
    let found = lint::check(&db, file, settings, model);
    let mut budget = Budget::OF_A_FILE;
    let fixes = found.iter().flat_map(|finding| of_finding(&db, reading, finding, &mut budget)).collect();
    (found.iter().map(|finding| finding.rule).collect(), fixes)
}

fn module(text: &str) -> Option<Module> {
    let (db, file, settings, _) = opened(text);
    let lowered = lower(&db, file, settings, &Options::default());
    // The executor chooses values for unknown operations. A change of the source may change the choice.
    let is_unknown =
        |function: &Function| function.values.iter().any(|it| matches!(it.op, Op::Unknown { .. }));
    let is_judge = lowered.errors.is_empty() && !lowered.module.functions.iter().any(is_unknown);
    is_judge.then_some(lowered.module)
}

fn launch(kernel: &Function, seed: u64, is_cuda: bool) -> Launch {
    let mut random = Random::new(seed);
    let argument = |random: &mut Random, is_pointer: bool| match is_pointer {
        true => Argument::Random { bytes: 4096 },
        false => Argument::Number(Number::Integer(*random.pick(&[0, 1, 2, 5, 8, 16, 17, 40]))),
    };
    let is_pointer = |parameter: &tangle_analysis::flow::Parameter| parameter.ty.as_integer().is_none();
    let arguments = kernel.parameters.iter().map(|it| argument(&mut random, is_pointer(it))).collect();
    Launch {
        local_size: kernel.work_group_size.unwrap_or([if is_cuda { 64 } else { 8 }, 1, 1]),
        // The kernels of CUDA use the index of the thread in its block.
        groups: if is_cuda { 1 } else { 2 },
        sub_group_size: kernel.sub_group_size.unwrap_or(if is_cuda { 32 } else { 4 }),
        arguments,
        seed,
        steps: 20_000,
        races: true,
        ..Launch::default()
    }
}

/// The result of comparing executions before and after a change: the number of comparisons, and the first difference.
#[derive(Default)]
struct Verdict {
    compared: usize,
    contradiction: Option<String>,
}

fn judged(before: &str, after: &str, seeds: std::ops::Range<u64>) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(old) = module(before) else { return verdict };
    let Some(new) = module(after) else {
        verdict.contradiction = Some("the changed source cannot be lowered".to_owned());
        return verdict;
    };
    let builtins = if is_cuda(before) { cuda().builtins() } else { opencl().builtins() };
    let (Ok(first), Ok(second)) = (Program::new(&old, builtins), Program::new(&new, builtins)) else {
        return verdict;
    };
    for (number, kernel) in old.functions.iter().enumerate().filter(|(_, function)| function.kernel) {
        let other = new.functions.iter().position(|it| it.key == kernel.key).expect("the same kernels");
        for seed in seeds.clone() {
            let launch = launch(kernel, seed, is_cuda(before));
            let run =
                |program: &Program, kernel| -> Option<Run> { program.run(kernel, &launch, &mut ()).ok() };
            let Some(run_before) = run(&first, number) else { continue };
            if run_before.outcome != Outcome::Finished || !run_before.races.found.is_empty() {
                continue;
            }
            let Some(run_after) = run(&second, other) else { continue };
            verdict.compared += 1;
            if run_after.outcome != Outcome::Finished || run_after.memory != run_before.memory {
                verdict.contradiction = Some(format!("seed {seed}: {:?}", run_after.outcome));
                return verdict;
            }
        }
    }
    verdict
}

#[derive(Default)]
struct Checked {
    fixes: usize,
    judged: usize,
    compared: usize,
    wrong: Vec<String>,
}

impl Checked {
    fn plus(mut self, other: Checked) -> Checked {
        self.fixes += other.fixes;
        self.judged += other.judged;
        self.compared += other.compared;
        self.wrong.extend(other.wrong);
        self
    }
}

/// Applies each safe fix of a source, and compares executions.
fn check(name: &str, text: &str, seeds: std::ops::Range<u64>) -> Checked {
    let mut checked = Checked::default();
    let (before, fixes) = fixes(text);
    for fix in fixes {
        let Some(after) = applied(text, &fix.edits) else {
            checked.wrong.push(format!("{name}: edits overlap: {fix:?}"));
            continue;
        };
        checked.fixes += 1;
        let (rules, _) = self::fixes(&after);
        if rules.len() >= before.len() {
            checked.wrong.push(format!("{name}: {}: {before:?}, then {rules:?}\n{after}", fix.title));
        }
        if fix.applicability == Applicability::Safe {
            let verdict = judged(text, &after, seeds.clone());
            checked.judged += usize::from(verdict.compared > 0);
            checked.compared += verdict.compared;
            if let Some(contradiction) = verdict.contradiction {
                checked.wrong.push(format!("{name}: {}: {contradiction}\n{text}\n{after}", fix.title));
            }
        }
    }
    checked
}

fn samples() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => walk(&path, found),
                false if path.extension().is_some_and(|it| it == "cl") => found.push(path),
                false => {}
            }
        }
    }
    let mut found = Vec::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    walk(&samples, &mut found);
    let of_cuda = [
        "legacy-warp-intrinsic",
        "implicit-warp-synchronous",
        "full-mask-in-divergent-flow",
        "group-sync-outside-group",
    ];
    found.extend(of_cuda.map(|rule| samples.join(format!("rules/{rule}/bad.cu"))));
    found.sort();
    found
}

/// The fix of each kernel of CUDA, and its results before and after it.
#[test]
fn safe_fixes_of_warp_operations_preserve_results() {
    for (before, after) in [
        (
            "__global__ void k(int *p) {\n  int v = p[threadIdx.x];\n  for (int o = 16; o > 0; o /= 2)\n    v += __shfl_down(v, o);\n  p[threadIdx.x] = v;\n}\n",
            "__global__ void k(int *p) {\n  int v = p[threadIdx.x];\n  for (int o = 16; o > 0; o /= 2)\n    v += __shfl_down_sync(0xffffffff, v, o);\n  p[threadIdx.x] = v;\n}\n",
        ),
        (
            "__global__ void k(int *p) {\n  p[threadIdx.x] = __any(p[threadIdx.x] > 3);\n}\n",
            "__global__ void k(int *p) {\n  p[threadIdx.x] = __any_sync(0xffffffff, p[threadIdx.x] > 3);\n}\n",
        ),
    ] {
        assert_eq!(fixed(before).as_deref(), Some(after));
        let checked = check("k.cu", before, 0..24);
        assert!(checked.wrong.is_empty() && checked.compared > 0, "{:?}", checked.wrong);
    }
}

/// Lanes that do not come must not be in the mask.
#[test]
fn deprecated_operation_in_divergent_flow_gets_no_full_mask() {
    let text = "__global__ void k(int *p) {\n  int v = p[threadIdx.x];\n  if (v > 3)\n    v += __shfl_down(v, 1);\n  p[threadIdx.x] = v;\n}\n";
    let (rules, fixes) = fixes(text);
    assert_eq!(rules, ["divergent-subgroup-operation", "legacy-warp-intrinsic"]);
    assert!(fixes.iter().all(|fix| fix.applicability == Applicability::Unsafe), "{fixes:?}");
}

/// Each race gets a barrier, and the executions of the fixed kernel have no race.
#[test]
fn safe_fixes_of_races_order_the_accesses() {
    let text = "__global__ void k(int *p) {\n  __shared__ int s[64];\n  s[threadIdx.x] = p[threadIdx.x];\n  int v = s[threadIdx.x ^ 1];\n  s[threadIdx.x] = v;\n  p[threadIdx.x] = s[threadIdx.x ^ 2];\n}\n";
    let after = text
        .replace("  int v", "  __syncwarp();\n  int v")
        .replace("  s[threadIdx.x] = v", "  __syncwarp();\n  s[threadIdx.x] = v")
        .replace("  p[threadIdx.x] =", "  __syncwarp();\n  p[threadIdx.x] =");
    assert_eq!(fixed(text), Some(after.clone()));
    let races = |text: &str| {
        let module = module(text).unwrap();
        let program = Program::new(&module, cuda().builtins()).unwrap();
        let launch = launch(&module.functions[0], 1, true);
        program.run(0, &launch, &mut ()).unwrap().races.found.len()
    };
    assert!(races(text) > 0);
    assert_eq!(races(&after), 0);
    // The barrier would be in divergent flow.
    let in_a_branch = "__global__ void k(int *p) {\n  __shared__ int s[64];\n  s[threadIdx.x] = p[threadIdx.x];\n  if (p[threadIdx.x] > 3) {\n    p[threadIdx.x] = s[threadIdx.x ^ 1];\n  }\n}\n";
    let (rules, fixes) = fixes(in_a_branch);
    assert_eq!(rules, ["implicit-warp-synchronous"]);
    assert!(fixes.is_empty(), "{fixes:?}");
}

#[test]
fn safe_fixes_of_samples_preserve_results() {
    let check = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        check(&path.display().to_string(), &text, 0..24)
    };
    let Checked { fixes, judged, compared, wrong } =
        some_of(samples()).par_iter().map(check).reduce(Checked::default, Checked::plus);
    println!("{fixes} fixes of samples, {judged} of them judged by {compared} executions");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!is_thorough() || fixes > 100 && judged > 20, "{fixes} {judged}");
}

fn programs() -> u64 {
    std::env::var("TANGLE_PROGRAMS").map_or(of_all(1_000), |number| number.parse().expect("a number"))
}

#[test]
fn safe_fixes_of_random_kernels_preserve_results() {
    let check = |seed: u64| check(&format!("seed {seed}"), &source::source(&mut Random::new(seed)), 0..24);
    let Checked { fixes, judged, compared, wrong } =
        (0..programs()).into_par_iter().map(check).reduce(Checked::default, Checked::plus);
    println!("{fixes} fixes of random kernels, {judged} of them judged by {compared} executions");
    assert!(wrong.is_empty(), "{} of them wrong: {}", wrong.len(), wrong[0]);
    assert!(fixes as u64 > of_all(400) && judged as u64 > of_all(200), "{fixes} {judged}");
}

/// Executions detect a fix that guards too little.
#[test]
fn executions_detect_a_fix_without_a_guard() {
    let contradicted = (0..200).into_par_iter().filter(|&seed| {
        let text = source::source(&mut Random::new(seed));
        let (_, fixes) = fixes(&text);
        fixes.iter().filter(|fix| fix.applicability == Applicability::Safe).any(|fix| {
            let mut edits = fix.edits.clone();
            let guards = edits.iter_mut().filter(|edit| edit.text.contains("if (is_active)"));
            guards.for_each(|edit| edit.text = edit.text.replace("if (is_active)", "if (true)"));
            let after = applied(&text, &edits).unwrap();
            judged(&text, &after, 0..24).contradiction.is_some()
        })
    });
    let contradicted = contradicted.count();
    println!("{contradicted} of 200 kernels contradict a fix without guards");
    assert!(contradicted > 10, "{contradicted}");
}

/// Returns the text after the first fix of a source.
fn fixed(text: &str) -> Option<String> {
    let (_, fixes) = fixes(text);
    fixes.first().map(|fix| applied(text, &fix.edits).unwrap())
}

/// Code of an inactive branch would not be guarded by the flag.
#[test]
fn code_around_an_inactive_branch_gets_no_fix() {
    for text in [
        "kernel void k(global int *p, local int *m, int n) {\n  int i = get_global_id(0);\n  if (i >= n) return;\n  m[i] = 0;\n  barrier(1);\n#ifdef OTHER\n  p[i] = 1;\n#else\n  p[i] = m[i];\n#endif\n}\n",
        "kernel void k(global int *p, local int *m, int n) {\n  int i = get_global_id(0);\n  if (i >= n) return;\n  m[i] = 0;\n  barrier(1);\n#ifdef OTHER\n  p[i] = 1;\n#endif\n}\n",
        "kernel void k(global int *p, local int *m, int n) {\n  for (int i = get_local_id(0); i < n; i += get_local_size(0)) {\n    m[i] = 0;\n    barrier(1);\n#ifdef OTHER\n    p[i] = 1;\n#endif\n  }\n}\n",
        "kernel void k(global int *p, local int *m, int n) {\n  int i = get_global_id(0);\n  if (i < n) {\n    for (int j = 0; j < 3; j++) barrier(1);\n#ifdef OTHER\n    p[i] = 1;\n#endif\n  }\n}\n",
    ] {
        assert_eq!(fixed(text), None, "{text}");
        let active = text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n"));
        assert!(fixed(&active.collect::<String>()).is_some(), "{text}");
    }
}

#[test]
fn fix_keeps_the_operator_of_a_floating_point_comparison() {
    let text = |ty: &str| {
        format!(
            "kernel void k(global {ty} *p, local {ty} *m, {ty} n) {{\n  int i = get_global_id(0);\n  if (p[i] < n)\n    return;\n  m[i] = 0;\n  barrier(1);\n}}\n"
        )
    };
    assert!(fixed(&text("int")).unwrap().contains("const bool is_active = p[i] >= n;"));
    assert!(fixed(&text("float")).unwrap().contains("const bool is_active = !(p[i] < n);"));
}

#[test]
fn fix_replaces_branch_by_block_only_on_a_name_conflict() {
    let text = |before: &str| {
        format!(
            "kernel void k(global int *p, int n) {{\n  int i = get_global_id(0);\n{before}  if (i < n) {{  // inside\n    int x = sub_group_shuffle_down(i, 1);\n\n    p[i] = x; // all\n  }}\n}}\n"
        )
    };
    let plain = "  const bool is_inside = i < n;  // inside\n  int x = sub_group_shuffle_down(i, 1);\n\n  if (is_inside) p[i] = x; // all\n}\n";
    let fixed_text = fixed(&text("")).unwrap();
    assert!(fixed_text.ends_with(plain), "{fixed_text}");
    let taken = fixed(&text("  int x = n;\n")).unwrap();
    assert!(taken.contains("  const bool is_inside = i < n;\n  {  // inside\n"), "{taken}");
}

#[test]
fn reduction_in_a_branch_is_fixed_to_non_uniform_variant() {
    let text = "kernel void k(global int *p, int n) {\n  if (get_global_id(0) < n)\n    p[0] = sub_group_reduce_add(n);\n}\n";
    assert_eq!(
        fixed(text).unwrap(),
        text.replace("sub_group_reduce_add", "sub_group_non_uniform_reduce_add")
    );
}
