//! Hand-made graphs.

use expect_test::{Expect, expect};
use tangle_base::Span;
use tangle_base::Symbol;

use super::*;
use crate::value::Constant;

struct Graph(Function);

impl Graph {
    fn new(name: &str) -> Graph {
        Graph(Function::new(FunctionKey::plain(Symbol::intern(name)), Ty::INT))
    }

    fn leaf(&mut self, op: Op) -> ValueId {
        self.0.values.push(Value { op, ty: Ty::INT, name: None, span: Span::new(0, 0) })
    }

    fn parameter(&mut self, name: &str) -> ValueId {
        let number = u32::try_from(self.0.parameters.len()).unwrap();
        let value = self.leaf(Op::Parameter(number));
        let (name, span) = (Some(Symbol::intern(name)), Span::new(0, 0));
        self.0.parameters.push(Parameter { name, ty: Ty::INT, passing: Passing::Value, value, span });
        value
    }

    fn integer(&mut self, value: i128) -> ValueId {
        self.leaf(Op::Constant(Constant::Integer(value)))
    }

    fn variable(&mut self, name: &str) -> VariableId {
        let name = Some(Symbol::intern(name));
        self.0.variables.push(Variable { name, ty: Ty::INT, span: Span::new(0, 0) })
    }

    fn blocks(&mut self, names: &[&'static str]) {
        for &name in names {
            self.0.blocks.push(Block::named(name));
        }
    }

    fn op(&mut self, block: usize, op: Op) -> ValueId {
        let ty = match op {
            Op::Set(..) => Ty::VOID,
            Op::Compare { .. } => Ty::BOOL,
            _ => Ty::INT,
        };
        let value = self.0.values.push(Value { op, ty, name: None, span: Span::new(0, 0) });
        self.0.blocks[block].values.push(value);
        value
    }

    fn end(&mut self, block: usize, terminator: Terminator) {
        self.0.blocks[block].terminator = terminator;
    }

    fn branch(&mut self, block: usize, condition: ValueId, then: usize, otherwise: usize) {
        let (then, otherwise) = (BlockId::new(then), BlockId::new(otherwise));
        self.end(block, Terminator::Branch { condition, then, otherwise });
    }

    fn jump(&mut self, block: usize, target: usize) {
        self.end(block, Terminator::Jump(BlockId::new(target)));
    }

    fn check(mut self, expected: &Expect) {
        ssa::construct(&mut self.0);
        expected.assert_eq(&print::print(&self.0));
    }
}

#[test]
fn a_loop_gets_phis_where_variables_live() {
    let mut graph = Graph::new("f");
    let n = graph.parameter("n");
    let (i, sum, dead) = (graph.variable("i"), graph.variable("sum"), graph.variable("dead"));
    let (zero, one) = (graph.integer(0), graph.integer(1));
    graph.blocks(&["entry", "for.cond", "for.body", "for.end"]);
    graph.op(0, Op::Set(i, zero));
    graph.op(0, Op::Set(sum, zero));
    graph.op(0, Op::Set(dead, zero));
    graph.jump(0, 1);
    let left = graph.op(1, Op::Get(i));
    let condition = graph.op(1, Op::Compare { op: Comparison::Less, left, right: n });
    graph.branch(1, condition, 2, 3);
    let (left, right) = (graph.op(2, Op::Get(sum)), graph.op(2, Op::Get(i)));
    let next = graph.op(2, Op::Binary { op: Arithmetic::Add, left, right });
    graph.op(2, Op::Set(sum, next));
    graph.op(2, Op::Set(dead, next));
    let left = graph.op(2, Op::Get(i));
    let next = graph.op(2, Op::Binary { op: Arithmetic::Add, left, right: one });
    graph.op(2, Op::Set(i, next));
    graph.jump(2, 1);
    let result = graph.op(3, Op::Get(sum));
    graph.end(3, Terminator::Return(Some(result)));
    graph.check(&expect![[r#"
        function f(%n: int) -> int {
        entry:
          jump for.cond
        for.cond:
          %i = phi int [entry: 0], [for.body: %i.1]
          %sum = phi int [entry: 0], [for.body: %sum.1]
          %0 = lt %i, %n
          branch %0, for.body, for.end
        for.body:
          %sum.1 = add %sum, %i
          %i.1 = add %i, 1
          jump for.cond
        for.end:
          return %sum
        }
    "#]]);
}

#[test]
fn what_is_not_reached_or_not_used_is_removed() {
    let mut graph = Graph::new("f");
    let n = graph.parameter("n");
    let x = graph.variable("x");
    graph.blocks(&["entry", "if.then", "return.after", "if.end"]);
    graph.op(0, Op::Set(x, n));
    let unused = graph.op(0, Op::Get(x));
    graph.op(0, Op::Unary { op: UnaryOp::Negate, operand: unused });
    let condition = graph.op(0, Op::Compare { op: Comparison::Equal, left: n, right: unused });
    graph.branch(0, condition, 1, 3);
    graph.op(1, Op::Set(x, n));
    graph.jump(1, 3);
    graph.op(2, Op::Set(x, condition));
    graph.jump(2, 3);
    let result = graph.op(3, Op::Get(x));
    graph.end(3, Terminator::Return(Some(result)));
    graph.check(&expect![[r#"
        function f(%n: int) -> int {
        entry:
          %0 = eq %n, %n
          branch %0, if.then, if.end
        if.then:
          jump if.end
        if.end:
          return %n
        }
    "#]]);
}

#[test]
fn a_read_before_any_write_is_undefined() {
    let mut graph = Graph::new("f");
    let n = graph.parameter("n");
    let x = graph.variable("x");
    graph.blocks(&["entry", "if.then", "if.end"]);
    let condition = graph.op(0, Op::Compare { op: Comparison::Equal, left: n, right: n });
    graph.branch(0, condition, 1, 2);
    graph.op(1, Op::Set(x, n));
    graph.jump(1, 2);
    let result = graph.op(2, Op::Get(x));
    graph.end(2, Terminator::Return(Some(result)));
    graph.check(&expect![[r#"
        function f(%n: int) -> int {
        entry:
          %0 = eq %n, %n
          branch %0, if.then, if.end
        if.then:
          jump if.end
        if.end:
          %x = phi int [entry: undefined], [if.then: %n]
          return %x
        }
    "#]]);
}

#[test]
fn variables_of_an_irreducible_cycle_get_phis_at_both_entries() {
    let mut graph = Graph::new("f");
    let n = graph.parameter("n");
    let x = graph.variable("x");
    graph.blocks(&["entry", "label", "label", "label"]);
    graph.op(0, Op::Set(x, n));
    graph.branch(0, n, 1, 2);
    let left = graph.op(1, Op::Get(x));
    let next = graph.op(1, Op::Binary { op: Arithmetic::Add, left, right: n });
    graph.op(1, Op::Set(x, next));
    graph.jump(1, 2);
    let condition = graph.op(2, Op::Get(x));
    graph.branch(2, condition, 1, 3);
    let result = graph.op(3, Op::Get(x));
    graph.end(3, Terminator::Return(Some(result)));
    graph.check(&expect![[r#"
        function f(%n: int) -> int {
        entry:
          branch %n, label, label.1
        label:
          %x = phi int [entry: %n], [label.1: %x.2]
          %x.1 = add %x, %n
          jump label.1
        label.1:
          %x.2 = phi int [entry: %n], [label: %x.1]
          branch %x.2, label, label.2
        label.2:
          return %x.2
        }
    "#]]);
}

#[test]
fn a_hundred_thousand_blocks_in_a_row_are_nothing_special() {
    const COUNT: usize = 100_000;
    let mut graph = Graph::new("f");
    let n = graph.parameter("n");
    let x = graph.variable("x");
    graph.blocks(&["label"; COUNT]);
    graph.op(0, Op::Set(x, n));
    for block in 0..COUNT - 1 {
        let left = graph.op(block, Op::Get(x));
        let next = graph.op(block, Op::Binary { op: Arithmetic::Add, left, right: n });
        graph.op(block, Op::Set(x, next));
        // All leave for the end, and half of them begin anew.
        let other = if block % 2 == 0 { COUNT - 1 } else { 1 };
        graph.branch(block, next, block + 1, other);
    }
    let result = graph.op(COUNT - 1, Op::Get(x));
    graph.end(COUNT - 1, Terminator::Return(Some(result)));
    ssa::construct(&mut graph.0);
    assert_eq!(graph.0.blocks.len(), COUNT);
}
