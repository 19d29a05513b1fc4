//! Searches executions that confirm findings.
//!
//! **Witness** of a finding: a launch whose execution has the event of the finding's rule (`tangle_rules::Evidence`) at an
//! operation of the finding. For this kernel, the finding is at the barrier, and the event is a deadlock: threads wait
//! there forever:
//!
//! ```c
//! kernel void k(int n) {
//!   if (get_local_id(0) >= n) return;     // n = 4: work-items 4-7 return
//!   barrier(CLK_LOCAL_MEM_FENCE);         // work-items 0-3 wait
//! }
//! ```
//!
//! **Search**: executes the kernels that reach the function of the finding, or the function itself if no kernel of the
//! file does. `candidates` has the launches. The first launch with the event is simplified: each number is replaced by
//! 0, 1 or 2 as long as the event remains. The search ends after [`MAX_EXECUTIONS`] executions or [`OPERATIONS`]
//! operations, so its result does not depend on the speed of the machine.
//!
//! A witness is executed again in the way of `tangle simulate` before it is returned, so the command line of the witness
//! shows the event. A finding without a witness may still be correct.

mod candidates;
mod describe;
mod event;
mod readings;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use tangle_analysis::flow::Module;
use tangle_analysis::flow::module::{Irreducible, Options};
use tangle_analysis::flow::tokens::TokenMethod;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Evidence, NotTried, Witness};
use tangle_ir::key::FunctionKey;
use tangle_simulate::{EndState, Launch, Location, Policy, Program, Run, Strategy};
use tangle_syntax::db::Database;
use tangle_syntax::source::{Settings, SourceFile};

use crate::lowered::{FunctionLocations, LoweringRequest, RequestedFunctions, lower_requested};
use crate::{Bounds, Executable, FunctionSelector, LaunchRequest, NotExecutable, Watched, run_observed};
use candidates::Candidates;
use describe::Describer;
pub use describe::shell;
use event::{Goal, Moment, Snapshot};

/// The maximum number of executions for one finding.
pub const MAX_EXECUTIONS: usize = 400;

/// After this number of operations in the executions for one finding, no further execution starts.
pub const OPERATIONS: u64 = 4_000_000;

/// The limits of one execution.
const BOUNDS: Bounds = Bounds { steps: 200_000, steps_per_thread: 5_000, events: 0, memory: 64 << 20 };

/// The values of lanes that take no part, for executions that are compared.
const UNREAD: [i32; 4] = [0, 1, -1 << 30, 1 << 30];

/// The maximum number of kernels that are executed for one finding.
const MAX_KERNELS: usize = 3;

/// Whether an execution can confirm a finding, so that [`search`] searches one.
pub fn is_searched(finding: &Diagnostic) -> bool {
    finding.suppression.is_none() && tangle_rules::evidence(finding.rule).is_some()
}

/// Searches a witness for each finding of a file, and stores the result in the finding. `command`: the start of a
/// `tangle simulate` command line for the file, with the options of its settings. `watch` is called regularly during the
/// executions and may unwind.
pub fn search(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    command: &str,
    watch: Option<&dyn Fn()>,
    findings: &mut [Diagnostic],
) {
    // Findings that need macro definitions are in a text of their own.
    let mut groups: IndexMap<Vec<String>, Vec<&mut Diagnostic>> = IndexMap::new();
    for finding in findings.iter_mut().filter(|finding| is_searched(finding)) {
        groups.entry(finding.definitions.clone()).or_default().push(finding);
    }
    for (definitions, findings) in groups {
        let settings = match definitions.is_empty() {
            true => settings,
            false => db.with_definitions(settings, &definitions),
        };
        let options = definitions.iter().map(|it| format!(" -D {}", shell(it)));
        let command = options.fold(command.to_owned(), |command, option| command + &option);
        search_in((db, file, settings, model), &command, watch, findings);
    }
}

/// Searches a witness for each finding of a file with these settings.
fn search_in(
    (db, file, settings, model): (&Database, SourceFile, Settings, Model),
    command: &str,
    watch: Option<&dyn Fn()>,
    findings: Vec<&mut Diagnostic>,
) {
    let places = FunctionLocations::of(db, file, settings);
    let options = Options { tokens: TokenMethod::Placed, irreducible: Irreducible::default() };
    let all = LoweringRequest { part: RequestedFunctions::All, emitted: false, partial: true };
    let lowering = match lower_requested(db, file, settings, model, &options, &places, all) {
        Ok(lowering) => lowering,
        Err(errors) => {
            let message = errors.into_iter().next().map(|error| error.message).unwrap_or_default();
            for finding in findings {
                let reason = NotTried::NotExecutable { message: message.clone() };
                finding.evidence = Some(Evidence::NotTried(reason));
            }
            return;
        }
    };
    let builtins = settings.dialect(db).builtins();
    let mut executables: FxHashMap<FunctionKey, Result<Executable, String>> = FxHashMap::default();
    let executable = |kernel: FunctionKey| {
        let (irreducible, which) = (Irreducible::default(), FunctionSelector::Exactly(kernel));
        let executable = Executable::of(db, file, settings, model, irreducible, which, &places);
        executable.map_err(|error| match error {
            NotExecutable::NotLowered(errors) => {
                errors.into_iter().next().map(|error| error.message).unwrap_or_default()
            }
            NotExecutable::Unsupported(message) => message,
        })
    };
    for finding in findings {
        let Some(evidence) = tangle_rules::evidence(finding.rule) else { continue };
        let Some(function) = places.function_at(&finding.place) else {
            finding.evidence = Some(Evidence::NotTried(NotTried::OutsideOfFunctions));
            continue;
        };
        let mut budget = Budget { executions: 0, operations: 0 };
        let mut found = None;
        let mut not_tried = lowering.left_out.note(function).map_or_else(
            || NotTried::NotContained { function: function.label().into_owned() },
            |note| NotTried::NotExecutable { message: note.message.clone() },
        );
        for kernel in kernels(&lowering.module, function) {
            let executable = match executables.entry(kernel).or_insert_with(|| executable(kernel)) {
                Ok(executable) => executable,
                Err(message) => {
                    not_tried = NotTried::NotExecutable { message: message.clone() };
                    continue;
                }
            };
            let Some(goal) = Goal::of(finding, evidence, &executable.module, &places) else {
                not_tried = NotTried::NotContained { function: kernel.label().into_owned() };
                continue;
            };
            let search = Search { executable, places: &places, goal: &goal, builtins, command, watch };
            found = match evidence {
                tangle_rules::Evidence::TwoReadings => {
                    search.two_readings(model, &mut budget, &[(None, Policy::Must), (None, Policy::Random)])
                }
                tangle_rules::Evidence::WithoutTokens => {
                    search.two_readings(model, &mut budget, &[(Some(Strategy::Graph), Policy::Early)])
                }
                _ => search.witness(&mut budget),
            };
            if let (0, Err(error)) = (budget.executions, executable.program()) {
                not_tried = NotTried::NotExecutable { message: error.message };
            }
            if found.is_some() {
                break;
            }
        }
        finding.evidence = Some(match found {
            Some(witness) => Evidence::Confirmed(Box::new(witness)),
            None if budget.executions > 0 => Evidence::NotConfirmed { executions: budget.executions },
            None => Evidence::NotTried(not_tried),
        });
    }
}

/// Returns the kernels that reach a function, or the function itself if none does. Kernels of small modules first.
fn kernels(module: &Module, function: FunctionKey) -> Vec<FunctionKey> {
    let is_meant = |key: FunctionKey| key.template() == function.template();
    let kernels = module.functions.iter().filter(|it| it.kernel).map(|it| it.key);
    let mut reaching: Vec<(usize, FunctionKey)> = Vec::new();
    for kernel in kernels {
        let reached = module.reached_from([kernel]);
        if reached.iter().any(|&key| is_meant(key)) {
            reaching.push((reached.len(), kernel));
        }
    }
    reaching.sort_by_key(|(size, _)| *size);
    reaching.truncate(MAX_KERNELS);
    if reaching.is_empty() {
        let defined = module.functions.iter().map(|it| it.key).find(|&key| is_meant(key));
        return vec![defined.unwrap_or(function)];
    }
    reaching.into_iter().map(|(_, kernel)| kernel).collect()
}

/// The work that a search has done.
struct Budget {
    executions: usize,
    operations: u64,
}

impl Budget {
    /// Adds an execution. One of few operations takes time, too.
    fn count(&mut self, run: &Run) {
        self.executions += 1;
        self.operations += run.steps.max(1000);
    }

    fn is_spent(&self) -> bool {
        self.executions >= MAX_EXECUTIONS || self.operations >= OPERATIONS
    }
}

/// The search for a witness of one finding in one kernel.
struct Search<'a> {
    executable: &'a Executable<'a>,
    places: &'a FunctionLocations<'a>,
    goal: &'a Goal,
    builtins: &'a tangle_syntax::dialect::Builtins,
    command: &'a str,
    watch: Option<&'a dyn Fn()>,
}

impl Search<'_> {
    fn witness(&self, budget: &mut Budget) -> Option<Witness> {
        let program = self.executable.program().ok()?;
        let candidates = Candidates::of(self.executable);
        let mut number = 0;
        let mut found = None;
        while found.is_none() && !budget.is_spent() {
            let launch = candidates.launch(number);
            found = self.shows(&program, &launch, budget).then_some(launch);
            number += 1;
        }
        let mut launch = found?;
        let executions = budget.executions;
        while let Some(simpler) = candidates
            .simpler(&launch)
            .into_iter()
            .find(|launch| !budget.is_spent() && self.shows(&program, launch, budget))
        {
            launch = simpler;
        }
        self.replayed(&program, &launch, executions)
    }

    /// Whether the event occurs in an execution.
    fn shows(&self, program: &Program, launch: &LaunchRequest, budget: &mut Budget) -> bool {
        let launch = LaunchRequest { races: self.goal.needs_races(), ..launch.clone() };
        let Ok(launch) = self.executable.launch(&launch, &BOUNDS) else { return false };
        let Some(run) = self.execute(program, &launch) else { return false };
        budget.count(&run);
        let moment = self.moment(&run);
        let is_shown = moment.is_some_and(|moment| {
            !self.goal.has_callees() || self.snapshot(program, &launch, &run, moment).is_some()
        });
        is_shown && (!self.goal.needs_use() || self.uses_unread(program, &launch, budget))
    }

    /// Whether the results of the program depend on the values of lanes that take no part: executions that differ only
    /// in these values end with different memory, different outcomes or other communication.
    fn uses_unread(&self, program: &Program, launch: &Launch, budget: &mut Budget) -> bool {
        let mut runs = UNREAD.iter().map_while(|&number| {
            let launch = Launch { unread: Some(number), ..launch.clone() };
            let run = self.execute(program, &launch)?;
            budget.count(&run);
            Some(run)
        });
        let Some(first) = runs.next() else { return false };
        let together = |run: &Run| -> Vec<(Location, Vec<usize>)> {
            run.communications.iter().map(|it| (it.spot(), it.threads.clone())).collect()
        };
        runs.any(|run| {
            run.outcome != first.outcome
                || !run.memory.is_equal(&first.memory)
                || together(&run) != together(&first)
        })
    }

    fn execute(&self, program: &Program, launch: &Launch) -> Option<Run> {
        run_observed(program, self.executable.kernel, launch, &mut Watched(self.watch)).ok()
    }

    fn moment(&self, run: &Run) -> Option<Moment> {
        self.goal.moment(run, &self.executable.module, self.builtins)
    }

    /// Executes a launch again and records the locations of threads. `None` if the threads of the event did not get
    /// there through the call of the finding.
    fn snapshot(&self, program: &Program, launch: &Launch, run: &Run, moment: Moment) -> Option<Snapshot> {
        let mut snapshot = Snapshot::new(moment, run.grid.threads());
        run_observed(program, self.executable.kernel, launch, &mut snapshot).ok()?;
        let is_through = |spot: Location, thread: usize| self.goal.is_through(spot, &snapshot.frames[thread]);
        let is_shown = match moment {
            Moment::At(number) => {
                let it = &run.communications[number];
                it.threads.iter().any(|&thread| is_through(it.spot(), thread))
            }
            Moment::End if self.goal.needs_races() => true,
            Moment::End => {
                let mut ends = run.ends.iter().enumerate();
                ends.any(|(thread, end)| {
                    matches!(end.state, EndState::Waiting { .. }) && is_through(end.spot, thread)
                })
            }
        };
        is_shown.then_some(snapshot)
    }

    /// Executes the launch as `tangle simulate` does, and describes the moment of the event.
    fn replayed(&self, program: &Program, launch: &LaunchRequest, executions: usize) -> Option<Witness> {
        let launch = LaunchRequest { races: true, ..launch.clone() };
        let replayed = self.executable.launch(&launch, &Bounds::default()).ok()?;
        let run = self.execute(program, &replayed)?;
        let moment = self.moment(&run)?;
        let activities = self.snapshot(program, &replayed, &run, moment)?.activities(&run);
        let describer = self.describer();
        let threads = describer.threads(program, &run, moment, activities);
        Some(describer.witness(&launch, threads, executions))
    }

    fn describer(&self) -> Describer<'_> {
        Describer { executable: self.executable, places: self.places, command: self.command }
    }
}
