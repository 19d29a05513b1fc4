//! Each violation that an exhaustive search finds in a random program has a finding.
//!
//! A program has two uniform inputs `x` and `y`, and an input `v` of each thread. All inputs from 0 to 2 are executed for
//! one sub-group of four threads. **Violation**: in an execution, threads wait forever, or execute an operation without
//! threads that it needs. The program must have a finding about threads. In at least 95 % of these
//! programs, it is at one of the operations where the threads wait; the others have several mistakes on one branch.
//!
//! ```c
//! kernel void k(int x, int y, global const int *p) {
//!   int t = get_local_id(0), v = p[t], w = x;
//!   if (v > y) { barrier(1); }      // x = 0, y = 0, v = (0, 1, 0, 0): thread 1 waits
//!   w += v;
//!   while (w < 2) { w++; … }
//! }
//! ```
//!
//! `TANGLE_PROGRAMS` sets the number of programs, `TANGLE_SEED` the first seed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use tangle::{Build, Source};
use tangle_analysis::flow::module::{Options, lower};
use tangle_analysis::flow::{Module, Op};
use tangle_diagnostic::{Severity, SourceText};
use tangle_emit::source::FunctionSource as _;
use tangle_execution::lowered::FunctionLocations;
use tangle_grammar::symbol::Symbol;
use tangle_project::Language;
use tangle_referees::random::source::{Input, InputText, Stmt, small_body, smaller, text_with};
use tangle_simulate::{Argument, Launch, Location, Number, Outcome, Point, Program, Random, Run, Undefined};
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

const THREADS: u32 = 4;
const VALUES: i128 = 3;

/// The number of programs without findings that are shown.
const SHOWN: usize = 12;

/// The conditions of branches. Some differ between threads.
const CONDITIONS: [&str; 14] = [
    "x > 0",
    "y == 1",
    "x == y",
    "x + y > 2",
    "w < 2",
    "w != x",
    "u > 1",
    "t == x",
    "t < y",
    "t & 1",
    "v > 1",
    "v == x",
    "w == t",
    "u < v",
];

/// The values of `switch` statements.
const SELECTORS: [&str; 5] = ["x", "w", "t", "v", "u & 3"];

/// Operations that need no other threads.
const ASSIGNMENTS: [&str; 7] = ["w++;", "u = x;", "w = u;", "u = v;", "w += t;", "u++;", "w = y;"];

/// Operations that need threads.
fn operations(language: Language) -> [&'static str; 5] {
    match language {
        Language::Opencl => [
            "barrier(1);",
            "sub_group_barrier(1);",
            "w = sub_group_reduce_max(u);",
            "u = sub_group_any(w > 1);",
            "u = work_group_any(v > w);",
        ],
        Language::Cuda | Language::Hip => [
            "__syncthreads();",
            "__syncwarp();",
            "w = __reduce_max_sync(0xffffffff, (unsigned)u);",
            "u = __any_sync(0xffffffff, w > 1);",
            "u = __syncthreads_or(v > w);",
        ],
    }
}

/// Returns the text of a program. The seed determines its conditions and operations.
fn text(language: Language, body: &[Stmt], seed: u64) -> String {
    let random = RefCell::new(Random::new(seed));
    let input = |input: Input| match input {
        Input::Condition(_) => random.borrow_mut().pick(&CONDITIONS).to_string(),
        Input::Switch(_) => random.borrow_mut().pick(&SELECTORS).to_string(),
    };
    let head = match language {
        Language::Opencl => {
            "kernel void k(int x, int y, global const int *p) {\n  int t = get_local_id(0), v = p[t], w = x, u = y;\n"
        }
        Language::Cuda | Language::Hip => {
            "__global__ void k(int x, int y, const int *p) {\n  int t = threadIdx.x, v = p[t], w = x, u = y;\n"
        }
    };
    let text = text_with(body, head, &InputText { input: &input, before_switch: "" });
    let line = |line: &str| match line.find("sub_group_reduce_add(") {
        Some(indent) => {
            let mut random = random.borrow_mut();
            let chosen = match random.chance(50) {
                true => *random.pick(&operations(language)),
                false => *random.pick(&ASSIGNMENTS),
            };
            format!("{}{chosen}\n", " ".repeat(indent))
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A violation, and the lines of the operations where threads wait.
struct Violation {
    inputs: String,
    lines: BTreeSet<usize>,
}

/// Returns the spots where threads wait forever, or execute an operation without threads that it needs. The threads may
/// execute another call of the same operation: then they execute both calls together (`docs/semantics.md` §10), but the
/// simulator expects that all threads come to that call first.
fn violated(run: &Run, callee: impl Fn(Location) -> Option<Symbol>) -> Vec<Location> {
    let is_at_another_call = |spot: Location| {
        let mut all = run.communications.iter();
        let at = all.find(|it| it.spot() == spot && !it.named.missing.is_empty());
        at.is_some_and(|at| {
            run.communications.iter().any(|other| {
                let is_there = |thread| other.threads.binary_search(thread).is_ok();
                other.value != at.value
                    && callee(other.spot()) == callee(spot)
                    && at.named.missing.iter().all(is_there)
            })
        })
    };
    match &run.outcome {
        Outcome::Undefined { spot, .. } if is_at_another_call(*spot) => Vec::new(),
        Outcome::Deadlock { waiting, .. } => waiting.iter().map(|it| it.spot).collect(),
        Outcome::Undefined {
            what: Undefined::Partial { .. } | Undefined::Elsewhere { .. } | Undefined::Unnamed { .. },
            spot,
            ..
        } => vec![*spot],
        _ => Vec::new(),
    }
}

/// Executes all inputs. `None` if no execution is a violation.
fn search(module: &Module, program: &Program, places: &FunctionLocations, text: &str) -> Option<Violation> {
    let body: Vec<&str> = text.lines().skip(2).collect();
    let is_read = |names: &[&str]| {
        let mut words =
            body.iter().flat_map(|line| line.split(|it: char| !it.is_alphanumeric() && it != '_'));
        words.any(|word| names.contains(&word))
    };
    let of_y = if is_read(&["y", "u"]) { VALUES } else { 1 };
    let of_v = if is_read(&["v"]) { VALUES.pow(THREADS) } else { 1 };
    for number in 0..VALUES * of_y * of_v {
        let (x, y, values) = (number % VALUES, number / VALUES % of_y, number / VALUES / of_y);
        let element = |thread: u32| Number::Integer(values / VALUES.pow(thread) % VALUES);
        let elements: Vec<Number> = (0..THREADS).map(element).collect();
        let inputs = format!("x = {x}, y = {y}, v = {elements:?}");
        let [x, y] = [x, y].map(|it| Argument::Number(Number::Integer(it)));
        let launch = Launch {
            local_size: [THREADS, 1, 1],
            sub_group_size: THREADS,
            arguments: vec![x, y, Argument::Array(elements)],
            steps: 400,
            masks: true,
            ..Launch::default()
        };
        let run = program.run(0, &launch, &mut ()).expect("the launch fits the kernel");
        let callee = |spot: Location| match spot.point {
            Point::Operation(value) => match &module.functions[spot.function].values[value].op {
                Op::Call(call) => call.callee.name(),
                _ => None,
            },
            _ => None,
        };
        let spots = violated(&run, callee);
        if !spots.is_empty() {
            let line = |spot| places.spot(module.functions[0].key, program.span(spot)).map(|it| it.start.0);
            let lines = spots.into_iter().filter_map(line).collect();
            return Some(Violation { inputs, lines });
        }
    }
    None
}

/// The result for one program.
#[derive(PartialEq)]
enum Checked {
    /// It cannot be lowered.
    Invalid,
    /// No execution is a violation. Whether it has findings.
    Correct(bool),
    /// A violation, and a finding at one of its operations.
    Found,
    /// A violation, and findings at other operations.
    FoundElsewhere,
    /// A violation without findings, with a description.
    Missed(String),
}

fn check(language: Language, body: &[Stmt], seed: u64) -> Checked {
    let text = text(language, body, seed);
    let name = match language {
        Language::Opencl => "k.cl",
        Language::Cuda | Language::Hip => "k.cu",
    };
    let mut db = Database::new(Arc::new(NoHeaders));
    let (settings, _) = Build { language, ..Build::default() }.settings(&mut db);
    let file = db.set_text(name, &text);
    let lowered = lower(&db, file, settings, &Options::default());
    if !lowered.errors.is_empty() || lowered.module.functions.len() != 1 {
        return Checked::Invalid;
    }
    let places = FunctionLocations::of(&db, file, settings);
    let Ok(program) = Program::new(&lowered.module, settings.dialect(&db).builtins()) else {
        return Checked::Invalid;
    };
    let source = SourceText::new(text.clone());
    let findings = Source::of_text(name, &text, &Build { language, ..Build::default() }).lint();
    let findings: Vec<_> = findings.iter().filter(|it| it.severity >= Severity::Warning).collect();
    if findings.iter().any(|it| ["syntax-error", "type-error"].contains(&it.rule)) {
        return Checked::Invalid;
    }
    let found: BTreeSet<usize> = findings
        .iter()
        .filter(|it| tangle_rules::evidence(it.rule).is_some())
        .flat_map(|it| {
            // The finding at one of two barriers names the other one.
            let others = it.related.iter().filter(|_| it.rule == "mismatched-barriers");
            std::iter::once(&it.place).chain(&it.also).chain(others.map(|label| &label.place))
        })
        .map(|place| source.position(place.range.start).line)
        .collect();
    match search(&lowered.module, &program, &places, &text) {
        None => Checked::Correct(!found.is_empty()),
        Some(violation) if !found.is_empty() && violation.lines.is_disjoint(&found) => {
            Checked::FoundElsewhere
        }
        Some(violation) if found.is_empty() => {
            let Violation { inputs, lines } = violation;
            Checked::Missed(format!("{inputs}: lines {lines:?}, findings {found:?}\n{text}"))
        }
        Some(_) => Checked::Found,
    }
}

/// Shrinks a program whose violation has no finding, and returns the description of the smallest one.
fn least(language: Language, mut body: Vec<Stmt>, seed: u64, mut why: String) -> String {
    loop {
        let next = smaller(&body).into_iter().find_map(|body| match check(language, &body, seed) {
            Checked::Missed(why) => Some((body, why)),
            _ => None,
        });
        match next {
            Some(next) => (body, why) = next,
            None => return why,
        }
    }
}

fn each_violation_has_a_finding(language: Language) {
    let number = |variable: &str, otherwise| {
        std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
    };
    let first: u64 = number("TANGLE_SEED", 0);
    let count = number("TANGLE_PROGRAMS", tangle_referees::of_all(4_000));
    let body = |seed: u64| small_body(&mut Random::new(seed));
    let results: Vec<(u64, Checked)> = (first..first + count)
        .into_par_iter()
        .map(|seed| (seed, check(language, &body(seed), seed)))
        .collect();
    let of = |wanted: Checked| results.iter().filter(|(_, it)| *it == wanted).count();
    let (violations, elsewhere, invalid) =
        (of(Checked::Found), of(Checked::FoundElsewhere), of(Checked::Invalid));
    println!(
        "{count} programs: {violations} with a violation and a finding, {elsewhere} with findings elsewhere, {} without violations, {} of them with findings, {invalid} invalid",
        of(Checked::Correct(false)) + of(Checked::Correct(true)),
        of(Checked::Correct(true)),
    );
    let mut missed = Vec::new();
    for (seed, result) in results {
        if let Checked::Missed(why) = result {
            missed.push((seed, why));
        }
    }
    let all: Vec<u64> = missed.iter().map(|(seed, _)| *seed).collect();
    missed.sort_by_key(|(_, why)| why.len());
    let smallest = missed.into_iter().take(SHOWN);
    let smallest = smallest.map(|(seed, why)| format!("{seed}: {}", least(language, body(seed), seed, why)));
    let smallest: Vec<String> = smallest.collect();
    assert!(all.is_empty(), "{} violations without findings {all:?}\n{}", all.len(), smallest.join("\n"));
    assert!(elsewhere * 20 <= violations, "too many findings are elsewhere");
    assert!(violations as u64 * 5 > count && (invalid as u64) * 5 < count);
}

#[test]
fn each_violation_of_a_random_program_has_a_finding() {
    each_violation_has_a_finding(Language::Opencl);
}

#[test]
fn each_violation_of_a_random_program_has_a_finding_in_cuda() {
    each_violation_has_a_finding(Language::Cuda);
}
