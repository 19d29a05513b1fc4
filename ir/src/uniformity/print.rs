//! The facts of a function as text, for tests and for developers of the analysis.
//!
//! ```text
//! k
//! entry
//!   %i: subgroup
//!   branch: subgroup <- %i <- call ulong get_local_id(uint 0)
//! if.then: subgroup
//! ```
//!
//! A fact is the smallest group whose threads may differ, and the parameters that it depends on. A uniform block has no
//! fact after its name. The output contains values with a name in the source, and blocks with a verdict or a branch.

use std::fmt::Write;

use super::analysis::{Analysis, Reason};
use super::cause::{LinkReason, Question, Subject, chain};
use super::graph::is_branch;
use super::place::ByteRange;
use super::versions::{VersionOrigin, VersionRef};
use super::{Divergence, Fact, ParameterRanges};
use crate::flow::{BlockId, Function, ValueId};
use crate::scope::Scope;
use crate::text;

/// Returns the facts of one function as text.
pub fn print(analysis: &Analysis) -> String {
    let function = analysis.function;
    let names = text::Names::of(function);
    let inputs = analysis.inputs();
    let fact = |function: &Function, fact: Fact| fact_of(function, &inputs, fact);
    let mut text = format!("{}\n", function.key);
    for (id, block) in function.blocks.iter_enumerated() {
        let mut lines = String::new();
        for &value in &block.values {
            if function.values[value].name.is_some() {
                let _ = writeln!(
                    lines,
                    "  {}: {}",
                    names.values[value],
                    fact(function, analysis.state.values[value])
                );
            }
        }
        if is_branch(function, id) {
            let verdict = analysis.state.branches[id];
            let because = because(analysis, &names, Subject::Branch(id), verdict);
            let _ = writeln!(lines, "  branch: {}{because}", fact(function, verdict));
        }
        let control = analysis.state.control[id];
        if !lines.is_empty() || !control.is_uniform() {
            let verdict = fact(function, control);
            let colon = if verdict == "uniform" { String::new() } else { format!(": {verdict}") };
            let _ = write!(text, "{}{colon}\n{lines}", names.blocks[id]);
        }
    }
    let summary = analysis.summary();
    if !summary.result.is_uniform() {
        let _ = writeln!(text, "result: {}", fact(function, summary.result));
    }
    for (parameter, written) in function.parameters.iter().zip(&summary.writes) {
        let name = parameter.name.map_or("?", |name| name.as_str());
        for &(bytes, of_part) in &written.ranges {
            let part = part(name, bytes);
            let _ = writeln!(text, "writes {part}: {}", fact(function, of_part));
        }
    }
    text
}

/// Returns the name of the target of a parameter, or of some bytes of it.
fn part(name: &str, bytes: Option<ByteRange>) -> String {
    match bytes {
        Some(ByteRange { begin, end }) => format!("*{name}[{begin}..{end}]"),
        None => format!("*{name}"),
    }
}

fn fact_of(function: &Function, inputs: &ParameterRanges, fact: Fact) -> String {
    let mut words: Vec<String> = Vec::new();
    match fact.divergence {
        Divergence::None => {}
        Divergence::Grid => words.push("grid".to_owned()),
        Divergence::Cluster => words.push("cluster".to_owned()),
        Divergence::Workgroup => words.push("workgroup".to_owned()),
        Divergence::Subgroup => words.push("subgroup".to_owned()),
    }
    for (number, parameter) in function.parameters.iter().enumerate() {
        let name = parameter.name.map_or("?", |name| name.as_str());
        if fact.values.contains(number) {
            words.push(name.to_owned());
        }
        if fact.pointees.contains(number) {
            words.push(format!("*{name}"));
        }
        if fact.shared.contains(number) {
            words.push(format!("shared *{name}"));
        }
        if fact.private.contains(number) {
            words.push(format!("private *{name}"));
        }
    }
    for input in fact.pointees.iter().filter_map(|number| inputs.get(number)) {
        let name = function.parameters.get(input.parameter as usize).and_then(|it| it.name);
        words.push(part(name.map_or("?", |name| name.as_str()), Some(input.bytes)));
    }
    if words.is_empty() { "uniform".to_owned() } else { words.join(" ") }
}

/// Returns the chain of causes of a verdict that is divergent in itself.
fn because(analysis: &Analysis, names: &text::Names, subject: Subject, verdict: Fact) -> String {
    let scope = match verdict.divergence {
        Divergence::None => return String::new(),
        Divergence::Grid => Scope::Grid,
        Divergence::Cluster => Scope::Cluster,
        Divergence::Workgroup => Scope::Workgroup,
        Divergence::Subgroup => Scope::Subgroup,
    };
    let mut text = String::new();
    for link in chain(analysis, subject, Question::strongest(verdict, scope)) {
        let value = |value: ValueId| match names.values[value].as_str() {
            "" => text::operation(analysis.function, names, value),
            name => name.to_owned(),
        };
        let block = |block: BlockId| names.blocks[block].clone();
        let _ = match link.reason {
            LinkReason::DependsOn(branch) => write!(text, " <- branch of {}", block(branch)),
            LinkReason::ControlOf(branch) => write!(text, " <- around {}", block(branch)),
            LinkReason::Reason(reason) => match reason {
                Reason::Operand(operand) => write!(text, " <- {}", value(operand)),
                Reason::Join(branch) => write!(text, " <- join of {}", block(branch)),
                Reason::Temporal(branch) => write!(text, " <- iterations ended by {}", block(branch)),
                Reason::NotConverged(branch) => write!(text, " <- paths into a cycle from {}", block(branch)),
                Reason::Held(held) | Reason::Kept(held) => match held.made {
                    VersionOrigin::Write(by) => {
                        write!(text, " <- {}", text::operation(analysis.function, names, by))
                    }
                    // The next link names the branch or the parameter.
                    VersionOrigin::Join(_) | VersionOrigin::Entry => Ok(()),
                },
                Reason::Parameter(number) | Reason::Pointee(number) => {
                    let name = analysis.function.parameters.get(number as usize).and_then(|it| it.name);
                    write!(text, " <- parameter {}", name.map_or("?", |name| name.as_str()))
                }
                Reason::Source(source) => match link.subject {
                    Subject::Value(id) | Subject::Held(VersionRef { made: VersionOrigin::Write(id), .. }) => {
                        let operation = text::operation(analysis.function, names, id);
                        let operation = operation.split_once(" = ").map_or(&*operation, |(_, it)| it);
                        write!(text, " <- {source:?}: {operation}")
                    }
                    _ => write!(text, " <- {source:?}"),
                },
                Reason::Callee => write!(text, " <- callee"),
            },
        };
    }
    text
}
