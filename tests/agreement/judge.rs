//! Holds the tokens of a lowered kernel, and the verdicts on its statements, against the executor of the source (`docs/semantics.md` §11).
//!
//! Asked is who takes part together: by tokens, and by the strategies `tangles` and `revised` of the executor, which follow the source on the graph. For
//! instances of one operation, by two threads or by one:
//!
//! - **order**: graph and source execute the same operations in the same order;
//! - **together**: where the model defines the statement, they are executed together if and only if they have the same turns: one turn of every
//!   loop and goto cycle around the operation. Where it does not, the same holds if the only loops are loop statements, entered at their heads, and all
//!   come as early as possible; else no thread meets itself. Tokens that hang on an anchor are free; such an anchor stands in an irreducible cycle.
//!   Those in a cycle with a dispatch block go by its rounds, of which no thread is in one twice;
//! - **verdict**: where the statement is defined, instances with the same turns have the same marks, which is to say that they are of one candidate. (The
//!   model `revised` knows no marks: who jumps reconverges at the label.)
//! - **waiting**: if all threads are one sub-group, those that are together by the keys of their instances, and nobody else, take part in one operation.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::Arc;

use tangle::db::Database;
use tangle::dialect::opencl;
use tangle::flow::module::{Irreducible, Options, lower};
use tangle::flow::shape::Shape;
use tangle::flow::{BlockId, BlockKind, Function, Module, Op, Token, ValueId};
use tangle::hir::typed::Constant;
use tangle::source::{Content, Loader};
use tangle::{Build, Model, Source};
use tangle_ir::text::print;
use tangle_simulate::{Key, Launch, Policy, Program as Executed, Run, Strategy};

use crate::source::{Stmt, text};
use crate::threads::{Instance, Program, Turns};

const THREADS: u32 = 12;
const STEPS: u32 = 4000;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _: &str) -> Content {
        Content::Missing
    }
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Instances, by tokens and for the model `tangles`.
    pub instances: usize,
    /// How many of them strictly.
    pub strictly: usize,
    /// How many instances strictly in all that is asked.
    pub in_all: usize,
}

/// The kernel of a text, with tokens.
fn lowered(text: &str, irreducible: Irreducible) -> Option<Module> {
    let mut db = Database::new(Arc::new(NoFiles));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let lowered = lower(&db, file, settings, &Options { irreducible, ..Options::default() });
    (lowered.errors.is_empty() && lowered.module.functions.len() == 1).then_some(lowered.module)
}

/// Compares a program with what becomes of it, after a change. None: it is no program, or the change makes no valid function of it.
///
/// # Errors
///
/// What contradicts the section, with the text and the graph.
pub fn compare(
    body: &[Stmt],
    seed: u32,
    irreducible: Irreducible,
    change: &dyn Fn(&mut Function) -> bool,
) -> Option<Result<Compared, String>> {
    let program = Program::of(body)?;
    let text = text(body, seed);
    let mut module = lowered(&text, irreducible)?;
    if !change(&mut module.functions[0]) {
        return None;
    }
    let executed = Executed::new(&module, opencl().builtins()).ok()?;
    let case = Case { program, function: &module.functions[0], executed, verdicts: verdicts(&text), seed };
    let judged = case.judge();
    Some(judged.map_err(|why| format!("{why}\n{text}\n{}", print(case.function))))
}

/// For each operation, whether its statement is defined, by each model.
fn verdicts(text: &str) -> HashMap<u32, [bool; 2]> {
    let lines: Vec<&str> = text.lines().collect();
    let mut verdicts: HashMap<u32, [bool; 2]> = HashMap::new();
    for (at, model) in [Model::Tangles, Model::Revised].into_iter().enumerate() {
        let source = Source::of_text("k.cl", text, &Build { model, ..Build::default() });
        for statement in source.tangles("k").expect("it is defined") {
            let op = lines[statement.line - 1].trim().strip_prefix("sub_group_reduce_add(");
            if let Some(op) = op.and_then(|op| op.strip_suffix(");")?.parse().ok()) {
                verdicts.entry(op).or_default()[at] = !statement.implementation_defined;
            }
        }
    }
    verdicts
}

/// How an instance is judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Law {
    Strict,
    Rounds,
    Free,
}

/// The number of an operation, and how its token is judged.
fn operation(function: &Function, shape: &Shape, call: ValueId) -> Result<(u32, Law), String> {
    let Op::Call(data) = &function.values[call].op else { unreachable!("only calls are operations") };
    let Op::Constant(Constant::Integer(number)) = function.values[data.arguments[0].0].op else {
        unreachable!("operations have a constant argument")
    };
    let home = |value: ValueId| -> BlockId {
        let stands = |it: &BlockId| function.blocks[*it].values.contains(&value);
        function.blocks.indices().find(stands).expect("tokens stand in blocks")
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
                    return Err(format!("op {number} hangs on an anchor that is in no irreducible cycle"));
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

/// Who is asked who is together, and by which model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    strategy: Strategy,
    policy: Policy,
    model: Model,
}

/// All that is asked. One placement of tokens serves both models; by the rules of the source each model has its own executions.
const ASKED: [Asked; 8] = {
    const fn asked(strategy: Strategy, policy: Policy, model: Model) -> Asked {
        Asked { strategy, policy, model }
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

/// A program, and what became of it.
struct Case<'a> {
    program: Program,
    function: &'a Function,
    executed: Executed<'a>,
    verdicts: HashMap<u32, [bool; 2]>,
    seed: u32,
}

impl Case<'_> {
    fn judge(&self) -> Result<Compared, String> {
        let mut compared = Compared::default();
        let source: Vec<Vec<Instance>> =
            (0..THREADS).map(|thread| self.program.run(thread, self.seed, STEPS as usize)).collect();
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

    /// Each thread in a sub-group of its own waits for nobody: who is together is asked of the keys.
    fn run(&self, Asked { strategy, policy, .. }: Asked, sub_group_size: u32) -> Result<Run, String> {
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

    /// Those with one key, and nobody else, take part together if all threads are one sub-group.
    fn wait(&self, asked: Asked, alone: &Run) -> Result<(), String> {
        // Dice fall as threads come by.
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
        if expected != found {
            return Err("they do not wait for each other".to_owned());
        }
        Ok(())
    }

    /// Holds one execution against the executor of the source.
    fn hold(&self, asked: Asked, run: &Run, source: &[Vec<Instance>]) -> Result<Compared, String> {
        let shape = Shape::of(self.function);
        let by_tokens = asked.strategy == Strategy::Tokens;
        let revised = asked.model == Model::Revised;
        let mut operations: HashMap<ValueId, (u32, Law)> = HashMap::new();
        let mut compared = Compared::default();
        let mut by_turns: HashMap<(u32, Turns), (Key, u32, Instance)> = HashMap::new();
        let mut by_key: HashMap<Key, (u32, Instance)> = HashMap::new();
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
                    true => revised || !self.program.is_entered_twice(instance),
                    false => asked.policy == Policy::Early && self.program.is_tame(),
                };
                let mut law = if by_tokens { of_token } else { Law::Strict };
                if law == Law::Strict && !is_fixed {
                    law = Law::Rounds;
                }
                let known = by_turns
                    .entry((op, instance.turns.clone()))
                    .or_insert_with(|| (done.key, thread, instance.clone()));
                if defined && !revised && known.2.marks != instance.marks {
                    return Err(differ("it is said to be defined", (known.1, &known.2), (thread, instance)));
                }
                match law {
                    Law::Free => {}
                    Law::Rounds => {
                        if let Some(twice) = rounds.insert((done.key, thread), instance.clone()) {
                            return Err(differ(
                                "a thread meets itself",
                                (thread, &twice),
                                (thread, instance),
                            ));
                        }
                    }
                    Law::Strict => {
                        compared.strictly += 1;
                        if known.0 != done.key {
                            return Err(differ("apart", (known.1, &known.2), (thread, instance)));
                        }
                        let other = by_key.entry(done.key).or_insert_with(|| (thread, instance.clone()));
                        if by_label(&other.1.turns) != by_label(&instance.turns) {
                            return Err(differ("together", (other.0, &other.1), (thread, instance)));
                        }
                    }
                }
            }
        }
        Ok(compared)
    }
}

/// Of a label with several scopes, all turns together: one token may count them.
fn by_label(turns: &Turns) -> BTreeMap<usize, u32> {
    let mut sums = BTreeMap::new();
    for (cycle, turn) in turns {
        *sums.entry(cycle.head).or_insert(0) += turn;
    }
    sums
}

fn differ(what: &str, one: (u32, &Instance), other: (u32, &Instance)) -> String {
    let mut out = format!("{what}:\n");
    for (thread, instance) in [one, other] {
        writeln!(out, "  thread {thread}: {instance:?}").unwrap();
    }
    out
}
