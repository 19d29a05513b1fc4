//! Executes threads along given paths through a graph, and returns the steps that they execute.

use std::collections::HashMap;
use std::fmt::Write;

use tangle_ir::flow::verify::verify;
use tangle_ir::flow::{BlockId, Function, Module, Op, Token, ValueId};
use tangle_ir::scope::Scope;
use tangle_ir::{Symbol, text};
use tangle_simulate::operation::{Atomic, AtomicOp, Index, Operation, Order, Ordering};
use tangle_simulate::{
    Argument, Builtin, Communication, Key, Language, Launch, Number, Observer, Outcome, PartialArrival,
    Point, Policy, Program, ResultUniformity, Strategy, Trace, Value,
};

struct Toy;

impl Language for Toy {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let relaxed = Ordering::Fixed(Order::RELAXED);
        let increment = Atomic { op: AtomicOp::Increment, ordering: relaxed, failure: relaxed };
        let (operation, convergent) = match name.as_str() {
            "get_local_id" => (Operation::Index(Index::Local), false),
            "atomic_inc" => (Operation::Atomic(increment), false),
            name if name.starts_with("op") => (Operation::Other, true),
            _ => return None,
        };
        let scope = if convergent { Scope::Workgroup } else { Scope::None };
        Some(Builtin {
            operation,
            scope,
            convergent,
            gives: ResultUniformity::Divergent,
            partial: PartialArrival::Executes,
            counts_returned: true,
            names: None,
        })
    }
}

/// The maximum number of steps of a path.
const LONGEST: usize = 64;

/// A node: its name, its successors, and its other operations.
pub type Node<'a> = (&'a str, &'a [&'a str], &'a str);

/// A step of a thread: the node, token or operation, and its instance.
pub type Step = (String, u32);

/// The kind of steps to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The nodes whose name begins with a capital letter. The text has no names for the others.
    Nodes,
    /// Anchors, hearts and convergent operations.
    Operations,
}

/// The rules that decide which threads are converged.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub strategy: Strategy,
    pub policy: Policy,
    pub choices: u64,
}

impl Rules {
    pub fn by(strategy: Strategy, policy: Policy) -> Rules {
        Rules { strategy, policy, choices: 0 }
    }
}

/// A function that makes each thread read its next successor from memory, and the functions that it calls.
fn graph(nodes: &[Node], called: &str) -> Module {
    let mut out = "function k(%at: global int *, %next: global int *) convergent kernel {\n".to_owned();
    for (number, (name, successors, inside)) in nodes.iter().enumerate() {
        writeln!(out, "{name}:\n{inside}").unwrap();
        if number == 0 {
            out += "  %l = call int builtin get_local_id()\n  %mine = element int %at, %l\n";
            writeln!(out, "  %first = mul %l, {LONGEST}").unwrap();
        }
        match successors {
            [] => out += "  return\n",
            [only] => writeln!(out, "  jump {only}").unwrap(),
            _ => {
                writeln!(out, "  %{name}a = call int builtin atomic_inc(%mine)").unwrap();
                writeln!(out, "  %{name}b = add %first, %{name}a").unwrap();
                writeln!(out, "  %{name}c = element int %next, %{name}b").unwrap();
                writeln!(out, "  %{name}d = load int %{name}c").unwrap();
                let cases: Vec<String> =
                    successors.iter().enumerate().skip(1).map(|(at, name)| format!("{at}: {name}")).collect();
                writeln!(out, "  switch %{name}d [{}, default: {}]", cases.join(", "), successors[0])
                    .unwrap();
            }
        }
    }
    out = out + "}\n" + called;
    text::read_module("k", &out).unwrap_or_else(|error| panic!("{error}\n{out}"))
}

/// The names of the rules that a graph violates.
pub fn broken_rules(nodes: &[Node]) -> Vec<&'static str> {
    verify(&graph(nodes, "").functions[0]).iter().map(|violation| violation.rule.row().name).collect()
}

/// The choices of each path, at the nodes with several successors.
fn choices(nodes: &[Node], paths: &[&str]) -> Vec<Number> {
    let mut choices = vec![Number::Integer(0); paths.len() * LONGEST];
    for (thread, way) in paths.iter().enumerate() {
        let way: Vec<&str> = way.split_whitespace().collect();
        let mut at = thread * LONGEST;
        for pair in way.windows(2) {
            let (_, successors, _) = nodes.iter().find(|(name, ..)| *name == pair[0]).unwrap();
            let choice = successors.iter().position(|name| *name == pair[1]);
            let choice = choice.unwrap_or_else(|| panic!("no edge leads from {} to {}", pair[0], pair[1]));
            if successors.len() > 1 {
                choices[at] = Number::Integer(choice as i128);
                at += 1;
            }
        }
    }
    choices
}

/// A launch that takes each thread along its path.
fn launch(nodes: &[Node], paths: &[&str], asked: Rules) -> Launch {
    Launch {
        local_size: [paths.len() as u32, 1, 1],
        arguments: vec![
            Argument::Array(vec![Number::Integer(0); paths.len()]),
            Argument::Array(choices(nodes, paths)),
        ],
        strategy: asked.strategy,
        policy: asked.policy,
        choices: asked.choices,
        ..Launch::default()
    }
}

/// The node of each column of the thread table that `tangle simulate` shows. Nodes without operations have no column.
pub fn columns(nodes: &[Node], paths: &[&str], asked: Rules) -> Vec<String> {
    let module = graph(nodes, "");
    let program = Program::new(&module, &Toy).unwrap();
    let mut trace = Trace::new(10_000);
    let run = program.run(0, &launch(nodes, paths, asked), &mut trace).unwrap();
    let name = |step: &tangle_simulate::Step| match step.spot.point {
        Point::Block(block) => nodes[block.index()].0.to_owned(),
        other => panic!("{other:?}"),
    };
    trace.table(&program, &run.grid).steps.iter().map(name).collect()
}

/// The steps of each thread along its path. Steps with the same number are converged, in whichever order the threads
/// run.
pub fn steps(nodes: &[Node], paths: &[&str], asked: Rules, shown: Shown) -> Vec<Vec<Step>> {
    steps_with(nodes, "", paths, asked, shown)
}

/// The same for a graph that calls other functions.
pub fn steps_with(
    nodes: &[Node],
    called: &str,
    paths: &[&str],
    asked: Rules,
    shown: Shown,
) -> Vec<Vec<Step>> {
    let module = graph(nodes, called);
    let program = Program::new(&module, &Toy).unwrap();
    let launch = launch(nodes, paths, asked);
    let of_seed = |seed| {
        let threads = vec![ThreadSteps::default(); paths.len()];
        let mut seen = Recorder { functions: &module.functions, shown, threads };
        let run = program.run(0, &Launch { seed, ..launch.clone() }, &mut seen).unwrap();
        assert_eq!(run.outcome, Outcome::Finished);
        seen.numbered()
    };
    let first = of_seed(0);
    // Under the random policy, another seed makes other choices.
    let seeds = if asked.policy == Policy::Random { 1 } else { 20 };
    for seed in 1..seeds {
        assert_eq!(of_seed(seed), first, "seed {seed}");
    }
    first
}

/// The steps of a thread, and the functions that it is in.
#[derive(Clone, Default)]
struct ThreadSteps {
    inside: Vec<usize>,
    steps: Vec<(String, Key)>,
}

/// The steps of all threads.
struct Recorder<'a> {
    functions: &'a [Function],
    shown: Shown,
    threads: Vec<ThreadSteps>,
}

impl Recorder<'_> {
    fn add(&mut self, thread: usize, name: Symbol, key: Key) {
        self.threads[thread].steps.push((name.as_str().to_owned(), key));
    }

    /// The steps, with instances numbered by their first occurrence in the paths of the first thread, the second, and
    /// so on.
    fn numbered(&self) -> Vec<Vec<Step>> {
        let mut numbers: HashMap<Key, u32> = HashMap::new();
        let mut of_thread = |steps: &Vec<(String, Key)>| {
            let step = |(name, key): &(String, Key)| {
                let next = numbers.len() as u32;
                (name.clone(), *numbers.entry(*key).or_insert(next))
            };
            steps.iter().map(step).collect()
        };
        self.threads.iter().map(|way| of_thread(&way.steps)).collect()
    }
}

impl Observer for Recorder<'_> {
    fn wants_values(&self) -> bool {
        self.shown == Shown::Operations
    }

    fn wants_blocks(&self) -> bool {
        self.shown == Shown::Nodes
    }

    fn entered(&mut self, _: Key, function: usize, thread: usize, _: &[Value]) {
        self.threads[thread].inside.push(function);
    }

    fn left(&mut self, _: Key, thread: usize) {
        self.threads[thread].inside.pop();
    }

    fn value(&mut self, _: Key, value: ValueId, key: Key, thread: usize, _: &Value) {
        let function = *self.threads[thread].inside.last().expect("a thread with a value is in a function");
        let value = &self.functions[function].values[value];
        if matches!(value.op, Op::Token(Token::Anchor | Token::Loop(_))) {
            self.add(thread, value.name.expect("tokens have names here"), key);
        }
    }

    fn visited(&mut self, _: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        let name = self.functions[function].blocks[block].label.expect("nodes have names");
        if name.as_str().starts_with(|first: char| first.is_uppercase()) {
            self.add(thread, name, key);
        }
    }

    fn together(&mut self, it: &Communication) {
        if self.shown == Shown::Operations {
            it.threads.iter().for_each(|&thread| self.add(thread, it.callee, it.key));
        }
    }
}
