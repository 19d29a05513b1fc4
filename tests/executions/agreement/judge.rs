//! Compares executions of a lowered kernel with the executor of the source (`docs/semantics.md` §11).
//!
//! The compared property is which threads take part in an operation together. It is determined by the tokens, and by
//! the strategies `tangles` and `revised` of the simulator. The rules, for instances of one operation:
//!
//! - **Order**: graph and source execute the same operations in the same order.
//! - **Together**, at a statement that the model defines: threads execute the operation together if and only if they
//!   have one tangle. In the model `tangles`, they have one node in `tangle_referees::random::derivation`. In the model
//!   `revised`, they are in the same iterations of all enclosing loop statements. At any other statement, the latter
//!   rule applies under the policy `early` if all loops are loop statements entered at their heads. Otherwise no thread
//!   may execute one instance twice, and the same holds for tokens that promise less than the source or depend on a
//!   dispatch block. Tokens that depend on an anchor are not compared; such an anchor must be in an irreducible cycle.
//! - **Waiting**: if all threads are one sub-group, exactly the threads with the same key take part in one operation.
//!   At a statement that the model does not define, a subset of them may.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

use tangle::{Build, Model, Source};
use tangle_analysis::flow::module::{Irreducible, Options, lower};
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{BlockId, BlockKind, Function, Module, Op, Token, ValueId};
use tangle_emit::source::FunctionSource as _;
use tangle_execution::lowered::FunctionLocations;
use tangle_hir::typed::Constant;
use tangle_ir::text::print;
use tangle_simulate::{Key, Launch, Policy, Program as Executed, Run, Strategy};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Dialect, cuda, opencl};
use tangle_syntax::source::NoHeaders;

use tangle_referees::random::derivation::{Arena, Instance, NodeId, Program};
use tangle_referees::random::shape::StatementKind;
use tangle_referees::random::source::{Chance, Input, MULTIPLIER, Stmt, THROWS, text, thrown};

const THREADS: u32 = 12;
const STEPS: u32 = 4000;

/// The numbers of compared instances.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Instances with the strategy `tokens` and the model `tangles`.
    pub instances: usize,
    /// The number of these instances that were compared with the rule "if and only if".
    pub strictly: usize,
    /// The number of such strict comparisons with all strategies, policies and models.
    pub in_all: usize,
}

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    OpenCl,
    Cuda,
}

impl Language {
    fn dialect(self) -> Dialect {
        match self {
            Language::OpenCl => opencl(),
            Language::Cuda => cuda(),
        }
    }

    fn file(self) -> &'static str {
        match self {
            Language::OpenCl => "k.cl",
            Language::Cuda => "k.cu",
        }
    }

    /// Returns the text of a program. The operation of CUDA has no mask, so the threads of a tangle execute
    /// it together.
    fn text(self, body: &[Stmt], seed: u32) -> String {
        let text = text(body, seed);
        match self {
            Language::OpenCl => text,
            Language::Cuda => text
                .replace("kernel void k(void)", "__global__ void k()")
                .replace("(uint)get_local_id(0)", "threadIdx.x")
                .replace("sub_group_reduce_add(", "__any("),
        }
    }
}

/// Lowers the kernel of a text. Also returns the operations whose tokens promise less than the source.
fn lowered(language: Language, text: &str, irreducible: Irreducible) -> Option<(Module, HashSet<u32>)> {
    let mut db = Database::new(Arc::new(NoHeaders));
    let builtins = language.dialect().builtins().with(Vec::new());
    let settings = db.settings_in(language.dialect(), &[], &[], &[], builtins);
    let file = db.set_text(language.file(), text);
    let lowered = lower(&db, file, settings, &Options { irreducible, ..Options::default() });
    let lines: Vec<&str> = text.lines().collect();
    let places = FunctionLocations::of(&db, file, settings);
    let given_up = lowered.unguaranteed.iter().filter_map(|it| {
        let (line, _) = places.spot(it.function, it.span)?.start;
        numbered(lines[line - 1])
    });
    let given_up = given_up.collect();
    (lowered.errors.is_empty() && lowered.module.functions.len() == 1).then_some((lowered.module, given_up))
}

/// Returns the number of the operation on a line, if the line is an operation.
fn numbered(line: &str) -> Option<u32> {
    let line = line.trim();
    let call = line.strip_prefix("sub_group_reduce_add(").or_else(|| line.strip_prefix("__any("))?;
    call.strip_suffix(");")?.parse().ok()
}

/// Compares a program with its lowered function after a change. Returns `None` if the body is not a valid program, or
/// if the change makes no valid function of it.
///
/// # Errors
///
/// Describes the violated rule, with the text and the graph.
pub fn compare(
    language: Language,
    body: &[Stmt],
    seed: u32,
    irreducible: Irreducible,
    change: &dyn Fn(&mut Function) -> bool,
) -> Option<Result<Compared, String>> {
    let program = Program::of(body)?;
    let text = language.text(body, seed);
    let (mut module, given_up) = lowered(language, &text, irreducible)?;
    if !change(&mut module.functions[0]) {
        return None;
    }
    let executed = Executed::new(&module, language.dialect().builtins()).ok()?;
    let (function, verdicts) = (&module.functions[0], verdicts(language, &text));
    let case = Case { program, function, executed, verdicts, given_up, seed };
    let judged = case.judge();
    Some(judged.map_err(|why| format!("{why}\n{text}\n{}", print(case.function))))
}

/// Returns for each operation whether its statement is defined, in the models `tangles` and `revised`.
fn verdicts(language: Language, text: &str) -> HashMap<u32, [bool; 2]> {
    let lines: Vec<&str> = text.lines().collect();
    let mut verdicts: HashMap<u32, [bool; 2]> = HashMap::new();
    for (at, model) in [Model::Tangles, Model::Revised].into_iter().enumerate() {
        let source = Source::of_text(language.file(), text, &Build { model, ..Build::default() });
        for statement in source.tangles("k").expect("it is defined") {
            if let Some(op) = numbered(lines[statement.line - 1]) {
                verdicts.entry(op).or_default()[at] = !statement.implementation_defined;
            }
        }
    }
    verdicts
}

/// How the token of an instance is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Law {
    Strict,
    Rounds,
    Free,
}

/// Returns the number of an operation, and how its token is compared.
fn operation(function: &Function, shape: &GraphAnalysis, call: ValueId) -> Result<(u32, Law), String> {
    let Op::Call(data) = &function.values[call].op else { unreachable!("only calls are operations") };
    let Op::Constant(Constant::Integer(number)) = function.values[data.arguments[0].0].op else {
        unreachable!("operations have a constant argument")
    };
    let home = |value: ValueId| -> BlockId {
        let stands = |it: &BlockId| function.blocks[*it].values.contains(&value);
        function.blocks.indices().find(stands).expect("every token is in a block")
    };
    let mut law = Law::Strict;
    let mut token = data.token;
    while let Some(value) = token {
        let block = home(value);
        token = match function.values[value].op {
            Op::Token(Token::Loop(parent)) => Some(parent),
            _ => None,
        };
        match function.values[value].op {
            Op::Token(Token::Anchor) => {
                let cycles = &shape.cycles;
                if cycles.around(block).all(|cycle| cycles.cycles[cycle].is_reducible()) {
                    return Err(format!("op {number} depends on an anchor outside irreducible cycles"));
                }
                law = Law::Free;
            }
            Op::Token(Token::Loop(_)) if function.blocks[block].kind == BlockKind::Dispatch => {
                law = Law::Rounds
            }
            _ => {}
        }
    }
    Ok((number as u32, law))
}

/// The strategy and policy of an execution, and the model that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Configuration {
    strategy: Strategy,
    policy: Policy,
    model: Model,
}

/// All compared combinations. One token placement serves both models; the source strategies have one model each.
const ASKED: [Configuration; 8] = {
    const fn asked(strategy: Strategy, policy: Policy, model: Model) -> Configuration {
        Configuration { strategy, policy, model }
    }
    [
        asked(Strategy::Tokens, Policy::Early, Model::Tangles),
        asked(Strategy::Tokens, Policy::Early, Model::Revised),
        asked(Strategy::Tangles, Policy::Early, Model::Tangles),
        asked(Strategy::Tangles, Policy::Must, Model::Tangles),
        asked(Strategy::Tangles, Policy::Random, Model::Tangles),
        asked(Strategy::Revised, Policy::Early, Model::Revised),
        asked(Strategy::Revised, Policy::Must, Model::Revised),
        asked(Strategy::Revised, Policy::Random, Model::Revised),
    ]
};

/// A program and its lowered form.
struct Case<'a> {
    program: Program,
    function: &'a Function,
    executed: Executed<'a>,
    verdicts: HashMap<u32, [bool; 2]>,
    /// Operations whose tokens promise less than the source.
    given_up: HashSet<u32>,
    seed: u32,
}

impl Case<'_> {
    fn judge(&self) -> Result<Compared, String> {
        let mut compared = Compared::default();
        let mut arena = Arena::default();
        let source: Vec<Vec<Instance>> =
            (0..THREADS).map(|thread| executed(&self.program, thread, self.seed, &mut arena)).collect();
        for asked in ASKED {
            let run = self.run(asked, 1)?;
            let of_strategy = self.hold(asked, &run, &source);
            let of_strategy = of_strategy.map_err(|why| format!("{asked:?}: {why}"))?;
            compared.in_all += of_strategy.strictly;
            if asked == ASKED[0] {
                (compared.instances, compared.strictly) = (of_strategy.instances, of_strategy.strictly);
            }
            if asked.model == Model::Tangles || asked.strategy == Strategy::Revised {
                self.wait(asked, &run).map_err(|why| format!("{asked:?}: {why}"))?;
            }
        }
        Ok(compared)
    }

    /// Executes the kernel. With sub-groups of one thread no thread waits, and only the keys of instances are compared.
    fn run(
        &self,
        Configuration { strategy, policy, .. }: Configuration,
        sub_group_size: u32,
    ) -> Result<Run, String> {
        let launch = Launch {
            local_size: [THREADS, 1, 1],
            sub_group_size,
            lenient: true,
            steps: STEPS,
            strategy,
            policy,
            ..Launch::default()
        };
        self.executed.run(0, &launch, &mut ()).map_err(|why| format!("{why:?}"))
    }

    /// If all threads are one sub-group, exactly the threads with one key must take part together.
    fn wait(&self, asked: Configuration, alone: &Run) -> Result<(), String> {
        let shape = GraphAnalysis::of(self.function);
        // Random choices depend on the order of arrival, and thus on the sub-group size.
        if asked.policy == Policy::Random && asked.strategy == Strategy::Tokens {
            return Ok(());
        }
        let mut together: HashMap<Key, (ValueId, Vec<usize>)> = HashMap::new();
        for done in &alone.communications {
            together.entry(done.key).or_insert((done.value, Vec::new())).1.extend(&done.threads);
        }
        let mut expected: Vec<(ValueId, Vec<usize>)> = together.into_values().collect();
        expected.iter_mut().for_each(|(_, threads)| threads.sort_unstable());
        let run = self.run(asked, THREADS)?;
        let mut found: Vec<(ValueId, Vec<usize>)> =
            run.communications.iter().map(|done| (done.value, done.threads.clone())).collect();
        expected.sort();
        found.sort();
        // Where convergence is implementation-defined, some threads may continue before others arrive.
        let is_defined = |value: ValueId| {
            let (op, _) = operation(self.function, &shape, value)?;
            Ok::<bool, String>(self.verdicts[&op][usize::from(asked.model == Model::Revised)])
        };
        for (value, threads) in &found {
            let is_part = |whole: &(ValueId, Vec<usize>)| {
                whole.0 == *value && threads.iter().all(|it| whole.1.binary_search(it).is_ok())
            };
            let is_right = match is_defined(*value)? || asked.policy == Policy::Must {
                true => expected.binary_search(&(*value, threads.clone())).is_ok(),
                false => expected.iter().any(is_part),
            };
            if !is_right {
                return Err(format!("they do not wait for each other: {threads:?}"));
            }
        }
        Ok(())
    }

    /// Compares one execution with the executor of the source.
    fn hold(&self, asked: Configuration, run: &Run, source: &[Vec<Instance>]) -> Result<Compared, String> {
        let shape = GraphAnalysis::of(self.function);
        let by_tokens = asked.strategy == Strategy::Tokens;
        let revised = asked.model == Model::Revised;
        let mut operations: HashMap<ValueId, (u32, Law)> = HashMap::new();
        let mut compared = Compared::default();
        let mut by_source: HashMap<(u32, Together), (Key, u32, Instance)> = HashMap::new();
        let mut by_key: HashMap<Key, (Together, u32, Instance)> = HashMap::new();
        let mut rounds: HashMap<(Key, u32), Instance> = HashMap::new();
        for (thread, source) in (0..THREADS).zip(source) {
            for (instance, done) in source.iter().zip(run.of_thread(thread as usize)) {
                let (op, of_token) = match operations.get(&done.value) {
                    Some(&known) => known,
                    None => {
                        let operation = operation(self.function, &shape, done.value)?;
                        *operations.entry(done.value).or_insert(operation)
                    }
                };
                if instance.op != op {
                    return Err(format!("thread {thread} executes {op} where the source has {instance:?}"));
                }
                compared.instances += 1;
                let defined = self.verdicts[&op][usize::from(revised)];
                let is_fixed = match defined {
                    true => revised || !by_tokens || !self.given_up.contains(&op),
                    false => asked.policy == Policy::Early && is_tame(&self.program),
                };
                let mut law = if by_tokens { of_token } else { Law::Strict };
                if law == Law::Strict && !is_fixed {
                    law = Law::Rounds;
                }
                let together = match defined && !revised {
                    true => Together::Node(instance.node),
                    false => Together::Iterations(instance.turns.clone()),
                };
                match law {
                    Law::Free => {}
                    Law::Rounds => {
                        if let Some(twice) = rounds.insert((done.key, thread), instance.clone()) {
                            return Err(differ(
                                "a thread is in one instance twice",
                                (thread, &twice),
                                (thread, instance),
                            ));
                        }
                    }
                    Law::Strict => {
                        compared.strictly += 1;
                        let known = by_source
                            .entry((op, together.clone()))
                            .or_insert_with(|| (done.key, thread, instance.clone()));
                        if known.0 != done.key {
                            return Err(differ("separate", (known.1, &known.2), (thread, instance)));
                        }
                        let other = by_key
                            .entry(done.key)
                            .or_insert_with(|| (together.clone(), thread, instance.clone()));
                        if other.0 != together {
                            return Err(differ("together", (other.1, &other.2), (thread, instance)));
                        }
                    }
                }
            }
        }
        Ok(compared)
    }
}

/// The property that instances of one operation share if they are executed together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Together {
    /// The node of their tangle.
    Node(NodeId),
    /// The iterations of the enclosing loop statements.
    Iterations(Vec<(usize, u32)>),
}

/// Returns the operations that a thread executes, by the executor of the source.
fn executed(program: &Program, thread: u32, seed: u32, arena: &mut Arena) -> Vec<Instance> {
    let mut dice = thread.wrapping_mul(MULTIPLIER).wrapping_add(seed);
    let mut throws = 0;
    let mut input = |input: Input| {
        dice = thrown(dice);
        throws += 1;
        Some(match input {
            Input::Condition(Chance(chance)) => (throws <= THROWS && (dice >> 24) % 4 < chance).into(),
            Input::Switch(paths) => (dice >> 24) % paths,
        })
    };
    program.run(&mut input, STEPS as usize, arena)
}

/// Returns whether all loops are loop statements entered at their heads: no jump leads backward or into a loop.
fn is_tame(program: &Program) -> bool {
    program.statements.iter().enumerate().all(|(from, statement)| {
        let leads_into = |to: usize| program.loops(to).any(|it| !program.contains(it, from));
        match statement.kind {
            StatementKind::Goto(label) => from < label && !leads_into(label),
            StatementKind::Switch(switch) => !program.landings(switch).any(leads_into),
            _ => true,
        }
    })
}

fn differ(what: &str, one: (u32, &Instance), other: (u32, &Instance)) -> String {
    let mut out = format!("{what}:\n");
    for (thread, instance) in [one, other] {
        writeln!(out, "  thread {thread}: {instance:?}").unwrap();
    }
    out
}
