//! Flow graphs written by hand.

use std::collections::HashMap;

use index_vec::IndexVec;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;

use super::*;
use crate::flow::{Block as FlowBlock, Call, Token as FlowToken, Value};
use crate::hir::types::Ty;

/// A source in which a span is a line, from its first sign to its last.
pub struct Lines(pub &'static str);

impl Source for Lines {
    fn spot(&self, _: FunctionKey, span: Span) -> Option<Spot> {
        let line = span.start as usize;
        let text = self.line(&"k.cl".into(), line)?;
        let start = text.len() - text.trim_start().len() + 1;
        Some(Spot {
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

/// Reads a graph: a block on each line, `NAME: OPERATION; …; TERMINATOR @LINE`. Operations: `at LINE`, `T = entry`, `T = anchor`,
/// `T = loop T`, `call CALLEE LINE T`. Terminators: `jump B`, `branch B B`, `switch 1:B 2:B *:B`, `return`.
pub fn function(text: &str) -> Function {
    let lines: Vec<(&str, &str)> =
        text.trim().lines().map(|line| line.trim().split_once(": ").unwrap()).collect();
    let names: Vec<String> = lines.iter().map(|(name, _)| (*name).to_owned()).collect();
    let block = |name: &str| BlockId::from(names.iter().position(|other| other == name).expect(name));
    let at = |line: &str| {
        let line: u32 = line.parse().expect(line);
        Span::new(line, line + 1)
    };
    let mut values: IndexVec<ValueId, Value> = IndexVec::new();
    let mut tokens: HashMap<&str, ValueId> = HashMap::new();
    let mut blocks: IndexVec<BlockId, FlowBlock> = IndexVec::new();
    for (name, rest) in &lines {
        let (rest, end) = rest.rsplit_once(" @").unwrap();
        let parts: Vec<&str> = rest.split("; ").collect();
        let (terminator, operations) = parts.split_last().unwrap();
        let mut own = Vec::new();
        for operation in operations {
            let words: Vec<&str> = operation.split(' ').collect();
            let token = |name: &str| tokens[name];
            let (op, span, ty) = match words[..] {
                ["at", line] => (Op::Clear { address: 0usize.into(), ty: Ty::INT }, at(line), Ty::VOID),
                [_, "=", "entry"] => (Op::Token(FlowToken::Entry), at("1"), Ty::TOKEN),
                [_, "=", "anchor"] => (Op::Token(FlowToken::Anchor), at("1"), Ty::TOKEN),
                [_, "=", "loop", outer] => (Op::Token(FlowToken::Loop(token(outer))), at("1"), Ty::TOKEN),
                ["call", callee, line, ref with @ ..] => {
                    let callee = Callee::Builtin { name: Symbol::intern(callee), ty: Ty::VOID };
                    let token = with.first().map(|name| token(name));
                    let call = Call { callee, arguments: Vec::new(), call: None, convergent: true, token };
                    (Op::Call(call), at(line), Ty::VOID)
                }
                _ => panic!("{operation}"),
            };
            let id = values.push(Value { op, ty, name: None, span });
            if words.get(1) == Some(&"=") {
                tokens.insert(words[0], id);
            }
            own.push(id);
        }
        let words: Vec<&str> = terminator.split(' ').collect();
        let condition = ValueId::from(0usize);
        let terminator = match words[..] {
            ["jump", to] => Terminator::Jump(block(to)),
            ["branch", then, otherwise] => {
                Terminator::Branch { condition, then: block(then), otherwise: block(otherwise) }
            }
            ["switch", ref ways @ ..] => {
                let ways: Vec<(&str, &str)> = ways.iter().map(|way| way.split_once(':').unwrap()).collect();
                let (last, cases) = ways.split_last().unwrap();
                let cases = cases.iter().map(|(label, to)| {
                    let label: i128 = label.parse().unwrap();
                    (label, label, block(to))
                });
                Terminator::Switch { value: condition, cases: cases.collect(), otherwise: block(last.1) }
            }
            ["return"] => Terminator::Return(None),
            _ => panic!("{terminator}"),
        };
        let end = at(end);
        blocks.push(FlowBlock { values: own, terminator, end, ..FlowBlock::named(name) });
    }
    Function {
        kernel: true,
        convergent: true,
        blocks,
        values,
        span: Span::new(1, 2),
        ..Function::new(FunctionKey::plain(Symbol::intern("k")), Ty::VOID)
    }
}

pub fn picture(source: &'static str, graph: &str) -> Picture {
    let function = function(graph);
    let graph = Graph::of(&function, &shapes(&function), &Lines(source));
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
