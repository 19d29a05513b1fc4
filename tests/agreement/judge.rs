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
use tangle::flow::module::{Irreducible, Options, lower};
use tangle::flow::shape::Shape;
use tangle::flow::{BlockKind, Function, ValueId};
use tangle::source::{Content, Loader};
use tangle::{Build, Source};
use tangle_ir::text::print;

use crate::graph::{self, Key, Keys, Made};
use crate::source::{Stmt, text};
use crate::threads::{Instance, Program, Turns};

const THREADS: u32 = 12;
const STEPS: usize = 4000;

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
pub fn lowered(text: &str, irreducible: Irreducible) -> Option<Function> {
    let mut db = Database::new(Arc::new(NoFiles));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let lowered = lower(&db, file, settings, &Options { irreducible, ..Options::default() });
    let function = lowered.module.functions.into_iter().next();
    function.filter(|_| lowered.errors.is_empty())
}

/// Compares a program with what becomes of it. None: it is no program.
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
    let mut function = lowered(&text, irreducible)?;
    if !change(&mut function) {
        return None;
    }
    let verdicts = verdicts(&text);
    let judged = judge(&program, &function, &verdicts, seed);
    Some(judged.map_err(|why| format!("{why}\n{text}\n{}", print(&function))))
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

fn judge(
    program: &Program,
    function: &Function,
    verdicts: &HashMap<u32, bool>,
    seed: u32,
) -> Result<Compared, String> {
    let shape = Shape::of(function);
    let home =
        |value: ValueId| function.blocks.indices().find(|&it| function.blocks[it].values.contains(&value));
    let mut keys = Keys::default();
    let mut compared = Compared::default();
    let mut by_turns: HashMap<(u32, Turns), (Key, u32, Instance)> = HashMap::new();
    let mut by_key: HashMap<(ValueId, Key), (u32, Instance)> = HashMap::new();
    let mut rounds: HashMap<(ValueId, Key, u32), Instance> = HashMap::new();
    for thread in 0..THREADS {
        let source = program.run(thread, seed, STEPS);
        let graph = graph::run(function, &mut keys, thread, STEPS);
        for (instance, done) in source.into_iter().zip(&graph) {
            if instance.op != done.op {
                return Err(format!(
                    "thread {thread} executes {} where the source has {instance:?}",
                    done.op
                ));
            }
            compared.instances += 1;
            let mut law = Law::Strict;
            for made in keys.chain(done.key) {
                match made {
                    Made::Anchor(value) => {
                        let block = home(*value).expect("it stands somewhere");
                        let cycles = &shape.cycles;
                        if cycles.around(block).all(|cycle| cycles.cycles[cycle].is_reducible()) {
                            return Err(format!(
                                "op {} hangs on an anchor that is in no irreducible cycle",
                                done.op
                            ));
                        }
                        law = Law::Free;
                    }
                    Made::Heart(value, ..) => {
                        let block = home(*value).expect("it stands somewhere");
                        if function.blocks[block].kind == BlockKind::Dispatch && law == Law::Strict {
                            law = Law::Rounds;
                        }
                    }
                    Made::Entry => {}
                }
            }
            let is_fixed =
                if verdicts[&instance.op] { !program.is_entered_twice(&instance) } else { program.is_tame() };
            if law == Law::Strict && !is_fixed {
                law = Law::Rounds;
            }
            let known = by_turns
                .entry((instance.op, instance.turns.clone()))
                .or_insert_with(|| (done.key, thread, instance.clone()));
            if verdicts[&instance.op] && known.2.marks != instance.marks {
                return Err(differ("it is said to be defined", (known.1, &known.2), (thread, &instance)));
            }
            match law {
                Law::Free => {}
                Law::Rounds => {
                    if let Some(twice) = rounds.insert((done.call, done.key, thread), instance.clone()) {
                        return Err(differ("a thread meets itself", (thread, &twice), (thread, &instance)));
                    }
                }
                Law::Strict => {
                    compared.strictly += 1;
                    if known.0 != done.key {
                        return Err(differ("apart by tokens", (known.1, &known.2), (thread, &instance)));
                    }
                    let other =
                        by_key.entry((done.call, done.key)).or_insert_with(|| (thread, instance.clone()));
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
