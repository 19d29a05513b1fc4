//! Measures the speed of the executor in operations per second:
//! `cargo run --release -p tangle-simulate --example speed`.
//!
//! The kernel has 64 threads and a loop of arithmetic, loads and stores. In every 64th iteration, each sub-group
//! communicates.

use std::time::Instant;

use tangle_ir::flow::Module;
use tangle_ir::scope::Scope;
use tangle_ir::{Symbol, text};
use tangle_simulate::operation::{Collective, CollectiveOp, Combination, Index, Operation};
use tangle_simulate::{
    Argument, Builtin, Language, Launch, Number, PartialArrival, Program, ResultUniformity, Trace,
};

const KERNEL: &str = "\
function k(%p: global int *, %n: int) convergent kernel {
entry:
  %0 = entry
  %1 = call int builtin get_local_id()
  %2 = element int %p, %1
  jump while.cond
while.cond:
  %i = phi int [entry: 0], [while.end.1: %next]
  %x = phi int [entry: 1], [while.end.1: %z]
  %3 = loop with %0
  %4 = lt %i, %n
  branch %4, while.body, while.end
while.body:
  %5 = mul %x, 1664525
  %6 = add %5, %i
  %7 = load int %2
  %y = xor %6, %7
  store %y, %2
  %8 = and %i, 63
  %9 = eq %8, 0
  branch %9, if.then, while.end.1
if.then:
  %10 = call int builtin sub_group_reduce_add(%y) with %3
  jump while.end.1
while.end.1:
  %z = phi int [while.body: %y], [if.then: %10]
  %next = add %i, 1
  jump while.cond
while.end:
  return
}
";

struct Toy;

impl Language for Toy {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let convergent = name.as_str() == "sub_group_reduce_add";
        Some(Builtin {
            operation: match convergent {
                true => Operation::Collective(Collective::of(CollectiveOp::Reduce(Combination::Add))),
                false => Operation::Index(Index::Local),
            },
            scope: if convergent { Scope::Subgroup } else { Scope::None },
            convergent,
            gives: if convergent { ResultUniformity::Uniform } else { ResultUniformity::Divergent },
            partial: PartialArrival::Executes,
            counts_returned: true,
            names: None,
        })
    }
}

fn main() {
    let function = text::read(KERNEL).expect("the text of the kernel is valid");
    let module = Module { file: "k".to_owned(), functions: vec![function], globals: Vec::new() };
    let program = Program::new(&module, &Toy).expect("the kernel satisfies the rules of the flow graph");
    let launch = Launch {
        local_size: [64, 1, 1],
        sub_group_size: 32,
        arguments: vec![Argument::Random { bytes: 256 }, Argument::Number(Number::Integer(40_000))],
        ..Launch::default()
    };
    for (name, events, races) in
        [("plain", 0, false), ("with a trace", 1_000_000, false), ("with races looked for", 0, true)]
    {
        let launch = Launch { races, ..launch.clone() };
        let begin = Instant::now();
        let run = match events {
            0 => program.run(0, &launch, &mut ()),
            _ => program.run(0, &launch, &mut Trace::new(events)),
        };
        let run = run.expect("the launch fits");
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "{name}: {:?}, {} operations and {} communications in {seconds:.2} s: {:.1} million operations a second",
            run.outcome,
            run.steps,
            run.communications.len(),
            run.steps as f64 / seconds / 1e6
        );
    }
}
