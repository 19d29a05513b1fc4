//! Flow graphs written by hand, for tests.

use std::collections::HashMap;
use std::sync::Arc;

use tangle_analysis::flow::{BlockId, Callee, Function, Op, ValueId};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::flow::builder::Builder;
use tangle_ir::key::FunctionKey;

use super::{Graph, Marks, Picture, shapes};
use crate::source::{FunctionSource, SourceRange};
use tangle_hir::types::{FunctionTy, Ty, TyKind};
use tangle_syntax::dialect::Vocabulary;

/// A source that maps a span to a line, from its first to its last character other than a space.
pub struct Lines(pub &'static str);

impl FunctionSource for Lines {
    fn vocabulary(&self) -> &'static Vocabulary {
        tangle_syntax::dialect::opencl().vocabulary()
    }

    fn spot(&self, _: FunctionKey, span: Span) -> Option<SourceRange> {
        let line = span.start as usize;
        let text = self.line(&"k.cl".into(), line)?;
        let start = text.len() - text.trim_start().len() + 1;
        Some(SourceRange {
            file: "k.cl".into(),
            foreign: false,
            start: (line, start),
            end: (line, text.chars().count() + 1),
        })
    }

    fn line(&self, _: &Arc<str>, line: usize) -> Option<String> {
        self.0.lines().nth(line - 1).map(str::to_owned)
    }
}

/// Reads a graph with one block per line: `NAME: OPERATION; …; TERMINATOR @LINE`. Operations: `at LINE`, `T = entry`,
/// `T = anchor`, `T = loop T`, `call CALLEE LINE T`. Terminators: `jump B`, `branch B B`, `switch 1:B 2:B *:B`,
/// `return`. Unlike the text form of graphs, it gives the source line of each operation.
pub fn function(text: &str) -> Function {
    let lines: Vec<(&str, &str)> =
        text.trim().lines().map(|line| line.trim().split_once(": ").unwrap()).collect();
    let at = |line: &str| {
        let line: u32 = line.parse().expect(line);
        Span::new(line, line + 1)
    };
    let mut builder = Builder::new("k", Ty::VOID);
    let condition = builder.parameter("c", Ty::BOOL);
    let number = builder.parameter("n", Ty::INT);
    let memory = builder.slot("m", Ty::INT);
    let mut blocks: HashMap<&str, BlockId> = HashMap::new();
    for (index, (name, _)) in lines.iter().enumerate() {
        let block = if index == 0 { builder.here() } else { builder.block(name) };
        blocks.insert(name, block);
    }
    let mut tokens: HashMap<&str, ValueId> = HashMap::new();
    for (name, rest) in &lines {
        builder.at(blocks[name]);
        let (rest, end) = rest.rsplit_once(" @").unwrap();
        let parts: Vec<&str> = rest.split("; ").collect();
        let (terminator, operations) = parts.split_last().unwrap();
        for operation in operations {
            builder.place(at("1"));
            let words: Vec<&str> = operation.split(' ').collect();
            match words[..] {
                ["at", line] => {
                    builder.place(at(line));
                    builder.op(Op::Clear { address: memory, ty: Ty::INT }, Ty::VOID);
                }
                [token, "=", "entry"] => {
                    tokens.insert(token, builder.entry());
                }
                [token, "=", "anchor"] => {
                    tokens.insert(token, builder.anchor());
                }
                [token, "=", "loop", outer] => {
                    tokens.insert(token, builder.heart(tokens[outer]));
                }
                ["call", callee, line, ref with @ ..] => {
                    builder.place(at(line));
                    let ty = FunctionTy { result: Ty::VOID, parameters: Box::default(), variadic: false };
                    let ty = Ty::new(TyKind::Function(Box::new(ty)));
                    let callee = Callee::Builtin { name: Symbol::intern(callee), ty };
                    match with.first() {
                        Some(token) => builder.controlled_call(callee, &[], tokens[token]),
                        None => builder.convergent_call(callee, &[]),
                    };
                }
                _ => panic!("{operation}"),
            }
        }
        builder.place(at(end));
        let words: Vec<&str> = terminator.split(' ').collect();
        match words[..] {
            ["jump", to] => builder.jump(blocks[to]),
            ["branch", then, otherwise] => builder.branch(condition, blocks[then], blocks[otherwise]),
            ["switch", ref paths @ ..] => {
                let paths: Vec<(&str, &str)> = paths.iter().map(|way| way.split_once(':').unwrap()).collect();
                let (last, cases) = paths.split_last().unwrap();
                let cases: Vec<(i128, i128, BlockId)> = cases
                    .iter()
                    .map(|(label, to)| {
                        let label: i128 = label.parse().unwrap();
                        (label, label, blocks[to])
                    })
                    .collect();
                builder.switch(number, &cases, blocks[last.1]);
            }
            ["return"] => builder.ret(None),
            _ => panic!("{terminator}"),
        }
    }
    let function = builder.function();
    (function.kernel, function.convergent, function.span) = (true, true, Span::new(1, 2));
    builder.finish()
}

pub fn picture(source: &'static str, graph: &str) -> Picture {
    marked_picture(source, graph, &Marks::default())
}

pub fn marked_picture(source: &'static str, graph: &str, marks: &Marks) -> Picture {
    let function = function(graph);
    let graph = Graph::of(&function, &shapes(&function), &Lines(source), marks);
    Picture { file: "k.cl".into(), graphs: vec![graph] }
}

/// A loop with a barrier that some threads leave.
pub const LOOP: (&str, &str) = (
    "\
kernel void k(global int *p, int n) {
  int id = get_global_id(0);
  for (int i = 0; i < n; i++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[i] == id) {
      sub_group_barrier(0);
      break;
    }
    p[i + 1] = id;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}",
    "entry: t = entry; at 2; jump for.cond @3
     for.cond: u = loop t; at 3; branch for.body for.end @3
     for.body: call barrier 4 u; at 5; branch if.then if.end @5
     if.then: call sub_group_barrier 6 u; jump for.end @7
     if.end: at 9; jump for.step @9
     for.step: at 3; jump for.cond @3
     for.end: call barrier 11 t; return @12",
);

/// A jump into a loop.
pub const JUMP_IN: (&str, &str) = (
    "\
kernel void k(global int *p, int n) {
  if (n > 3)
    goto inside;
  while (p[0] < n) {
    p[0]++;
inside:
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  sub_group_barrier(0);
}",
    "entry: t = entry; at 2; branch if.then if.end @2
     if.then: jump inside @3
     if.end: jump while.cond @4
     while.cond: at 4; branch while.body while.end @4
     while.body: at 5; jump inside @6
     inside: u = anchor; call barrier 7 u; jump while.cond @7
     while.end: call sub_group_barrier 9 t; return @10",
);
