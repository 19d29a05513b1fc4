//! A skeleton of the textual form as a function: blocks, jumps, tokens and calls.
//!
//! ```text
//! function f(%c: bool, %n: int) convergent {
//! entry:
//!   %0 = entry
//!   call op() with %0
//!   branch %c, then, end
//! ```
//!
//! Calls: `call op() with %t` is controlled, `call op() convergent` uncontrolled, `call op()` not convergent.

use std::collections::HashMap;

use tangle::flow::{
    Block, BlockId, Call, Callee, Function, Op, Parameter, Passing, Terminator, Token, Value, ValueId,
};
use tangle::hir::types::Ty;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;

pub const NOWHERE: Span = Span { start: 0, end: 0 };

/// A function without blocks, with the parameters that the text has.
pub fn empty(name: &str) -> Function {
    let mut function = Function::new(FunctionKey::plain(Symbol::intern(name)), Ty::VOID);
    for (number, (name, ty)) in [("c", Ty::BOOL), ("n", Ty::INT)].into_iter().enumerate() {
        let op = Op::Parameter(number as u32);
        let value = function.values.push(Value { op, ty, name: None, span: NOWHERE });
        let name = Some(Symbol::intern(name));
        function.parameters.push(Parameter { name, ty, passing: Passing::Value, value, span: NOWHERE });
    }
    function
}

/// The value of `%c`.
pub fn condition() -> ValueId {
    ValueId::new(0)
}

/// The value of `%n`.
pub fn number() -> ValueId {
    ValueId::new(1)
}

pub fn call(callee: &str, convergent: bool, token: Option<ValueId>) -> Call {
    let callee = Callee::Builtin { name: Symbol::intern(callee), ty: Ty::VOID };
    Call { callee, arguments: Vec::new(), call: None, convergent, token }
}

/// Puts an operation at the end of a block.
pub fn push(function: &mut Function, block: BlockId, op: Op) -> ValueId {
    let ty = if matches!(op, Op::Token(_)) { Ty::TOKEN } else { Ty::VOID };
    let value = function.values.push(Value { op, ty, name: None, span: NOWHERE });
    function.blocks[block].values.push(value);
    value
}

/// Reads the form. A value may be used before it is defined.
pub fn parse(text: &str) -> Function {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let head = lines.next().expect("a head");
    let name = head.strip_prefix("function ").and_then(|rest| rest.split('(').next()).expect("a name");
    let mut function = empty(name);
    function.convergent = head.ends_with("convergent {");
    let lines: Vec<&str> = lines.filter(|line| *line != "}").collect();

    let mut blocks: HashMap<&str, BlockId> = HashMap::new();
    let mut values: HashMap<&str, ValueId> = HashMap::from([("%c", condition()), ("%n", number())]);
    let mut current = Function::ENTRY;
    for line in &lines {
        if let Some(name) = line.strip_suffix(':') {
            current = function.blocks.push(Block::named(name));
            blocks.insert(name, current);
        } else if let Some((name, _)) = line.split_once(" = ") {
            let value = push(&mut function, current, Op::Token(Token::Anchor));
            if name[1..].parse::<u32>().is_err() {
                function.values[value].name = Some(Symbol::intern(&name[1..]));
            }
            values.insert(name, value);
        } else if line.starts_with("call ") {
            push(&mut function, current, Op::Call(call("", false, None)));
        }
    }
    let mut ops =
        function.blocks.iter().flat_map(|block| block.values.clone()).collect::<Vec<_>>().into_iter();
    for line in &lines {
        let words: Vec<&str> = line.split([' ', ',', '[', ']']).filter(|word| !word.is_empty()).collect();
        let target = |word: &str| *blocks.get(word).unwrap_or_else(|| panic!("no block {word}: {line}"));
        let value = |word: &str| *values.get(word).unwrap_or_else(|| panic!("no value {word}: {line}"));
        let terminator = match words.as_slice() {
            [name] if name.ends_with(':') => {
                current = target(name.trim_end_matches(':'));
                continue;
            }
            ["jump", to] => Terminator::Jump(target(to)),
            ["branch", condition, then, otherwise] => Terminator::Branch {
                condition: value(condition),
                then: target(then),
                otherwise: target(otherwise),
            },
            ["switch", number, cases @ .., "default:", otherwise] => Terminator::Switch {
                value: value(number),
                cases: cases
                    .chunks(2)
                    .map(|pair| {
                        let case: i128 = pair[0].trim_end_matches(':').parse().expect("a number");
                        (case, case, target(pair[1]))
                    })
                    .collect(),
                otherwise: target(otherwise),
            },
            ["return"] => Terminator::Return(None),
            ["unreachable"] => Terminator::Unreachable,
            _ => {
                let op = match words.as_slice() {
                    [_, "=", "entry"] => Op::Token(Token::Entry),
                    [_, "=", "anchor"] => Op::Token(Token::Anchor),
                    [_, "=", "loop", "with", parent] => Op::Token(Token::Loop(value(parent))),
                    ["call", callee, rest @ ..] => {
                        let token = match rest {
                            ["with", token] => Some(value(token)),
                            _ => None,
                        };
                        Op::Call(call(callee.trim_end_matches("()"), !rest.is_empty(), token))
                    }
                    _ => panic!("not understood: {line}"),
                };
                function.values[ops.next().expect("as many as before")].op = op;
                continue;
            }
        };
        function.blocks[current].terminator = terminator;
    }
    function
}

#[test]
fn what_is_printed_is_read_again() {
    let text = "\
function f(%c: bool, %n: int) convergent {
entry:
  %0 = entry
  jump head
head:
  %heart = loop with %0
  call op() with %heart
  branch %c, head, other
other:
  %1 = anchor
  call op() with %1
  call plain()
  switch %n [0: end, 3: other, default: dead]
dead:
  unreachable
end:
  return
}
";
    assert_eq!(tangle::flow::print::print(&parse(text)), text);
}
