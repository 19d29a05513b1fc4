//! Holds the tokens of a lowered kernel, and the verdicts on its statements, against the executor of the source (SEMANTICS §11).
//!
//! For instances of one operation, by two threads or by one:
//!
//! - **order**: graph and source execute the same operations in the same order;
//! - **tokens**: where the statement is defined, they are executed together by their token if and only if they have the same turns: one turn of every
//!   loop and goto cycle around the operation. Where it is not, the same holds if the only loops are loop statements, entered at their heads: all come
//!   together; else no thread meets itself. Operations that hang on an anchor are free; such an anchor stands in an irreducible cycle. Those in a cycle
//!   with a dispatch block go by its rounds, of which no thread is in one twice;
//! - **verdict**: where the statement is defined, instances with the same turns have the same marks, which is to say that they are of one candidate.

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
use tangle::{Build, Source};
use tangle_ir::text::print;
use tangle_simulate::{Key, Launch, Program as Executed};

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

/// How many instances were compared, and how many of them strictly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    pub instances: usize,
    pub strictly: usize,
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
    let judged = judge(&program, (&module.functions[0], &executed), &verdicts(&text), seed);
    Some(judged.map_err(|why| format!("{why}\n{text}\n{}", print(&module.functions[0]))))
}

/// For each operation, whether its statement is defined.
fn verdicts(text: &str) -> HashMap<u32, bool> {
    let source = Source::of_text("k.cl", text, &Build::default());
    let lines: Vec<&str> = text.lines().collect();
    let statements = source.tangles("k").expect("it is defined");
    let of_op = statements.iter().filter_map(|statement| {
        let op = lines[statement.line - 1].trim().strip_prefix("sub_group_reduce_add(")?;
        Some((op.strip_suffix(");")?.parse().ok()?, !statement.implementation_defined))
    });
    of_op.collect()
}

/// How the token of an instance is judged.
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

fn judge(
    program: &Program,
    (function, executed): (&Function, &Executed),
    verdicts: &HashMap<u32, bool>,
    seed: u32,
) -> Result<Compared, String> {
    let shape = Shape::of(function);
    // Each thread is a sub-group of its own, and waits for nobody: who is together is asked of the keys.
    let launch = Launch {
        local_size: [THREADS, 1, 1],
        sub_group_size: 1,
        lenient: true,
        steps: STEPS,
        ..Launch::default()
    };
    let run = executed.run(0, &launch, &mut ()).map_err(|why| format!("{why:?}"))?;
    let mut operations: HashMap<ValueId, (u32, Law)> = HashMap::new();
    let mut compared = Compared::default();
    let mut by_turns: HashMap<(u32, Turns), (Key, u32, Instance)> = HashMap::new();
    let mut by_key: HashMap<Key, (u32, Instance)> = HashMap::new();
    let mut rounds: HashMap<(Key, u32), Instance> = HashMap::new();
    for thread in 0..THREADS {
        let source = program.run(thread, seed, STEPS as usize);
        for (instance, done) in source.into_iter().zip(run.of_thread(thread as usize)) {
            let (op, mut law) = match operations.get(&done.value) {
                Some(&known) => known,
                None => *operations.entry(done.value).or_insert(operation(function, &shape, done.value)?),
            };
            if instance.op != op {
                return Err(format!("thread {thread} executes {op} where the source has {instance:?}"));
            }
            compared.instances += 1;
            let is_fixed = match verdicts[&op] {
                true => !program.is_entered_twice(&instance),
                false => program.is_tame(),
            };
            if law == Law::Strict && !is_fixed {
                law = Law::Rounds;
            }
            let known = by_turns
                .entry((op, instance.turns.clone()))
                .or_insert_with(|| (done.key, thread, instance.clone()));
            if verdicts[&op] && known.2.marks != instance.marks {
                return Err(differ("it is said to be defined", (known.1, &known.2), (thread, &instance)));
            }
            match law {
                Law::Free => {}
                Law::Rounds => {
                    if let Some(twice) = rounds.insert((done.key, thread), instance.clone()) {
                        return Err(differ("a thread meets itself", (thread, &twice), (thread, &instance)));
                    }
                }
                Law::Strict => {
                    compared.strictly += 1;
                    if known.0 != done.key {
                        return Err(differ("apart by tokens", (known.1, &known.2), (thread, &instance)));
                    }
                    let other = by_key.entry(done.key).or_insert_with(|| (thread, instance.clone()));
                    if by_label(&other.1.turns) != by_label(&instance.turns) {
                        return Err(differ("together by tokens", (other.0, &other.1), (thread, &instance)));
                    }
                }
            }
        }
    }
    Ok(compared)
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
