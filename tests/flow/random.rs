//! Random graphs, and their skeletons in LLVM IR.

use std::fmt::Write;

use index_vec::IndexVec;
use tangle_analysis::flow::{BlockId, BlockKind, Callee, Function, Op, Terminator, Token, ValueId};
use tangle_analysis::uniformity::Launch;
use tangle_grammar::ast::Name;
use tangle_grammar::symbol::Symbol;
use tangle_hir::Convergence;
use tangle_hir::body::{Body, ConstantCondition, Stmt, StmtId, StmtKind};
pub use tangle_simulate::Random;

use super::text::{self, NOWHERE};

/// Returns a graph of up to `most` blocks. With `near`, most jumps are short, as in a program.
pub fn graph(random: &mut Random, most: usize, near: bool) -> Function {
    let mut builder = text::empty("f");
    let count = 2 + random.below(most - 1);
    for number in 1..count {
        builder.block(&format!("b{number}"));
    }
    for number in 0..count {
        let mut target = || {
            let number = match near && random.chance(80) {
                true => (number + 1 + random.below(5)).saturating_sub(2),
                false => random.below(count),
            };
            BlockId::new(number.clamp(1, count - 1))
        };
        let (a, b, c) = (target(), target(), target());
        builder.at(BlockId::new(number));
        match random.below(10) {
            0 => builder.ret(None),
            1..=3 => builder.jump(a),
            4..=8 => builder.branch(text::condition(), a, b),
            _ => builder.switch(text::number(), &[(0, 0, a), (1, 1, b)], c),
        }
    }
    builder.finish()
}

/// Inserts calls of `op`, and of `plain`, which is not convergent.
pub fn add_calls(random: &mut Random, function: &mut Function) {
    for block in function.blocks.indices() {
        for _ in 0..random.below(3) {
            let callee = if random.chance(80) { "op" } else { "plain" };
            text::push(function, block, Op::Call(text::call(callee, false, None)));
        }
    }
}

pub fn is_op(callee: &Callee) -> bool {
    matches!(callee, Callee::Builtin { name, .. } if name.as_str() == "op")
}

/// Returns a body of nested statements, some of them loops or `noconvergent`, and assigns each block and call to one.
/// With `wild`, the statement is random. Otherwise blocks with near numbers are in near statements.
pub fn body(random: &mut Random, function: &mut Function, wild: bool) -> Body {
    let compound = |parent: Option<StmtId>| Stmt {
        kind: StmtKind::Compound(Vec::new()),
        span: NOWHERE,
        syntax: la_arena::Idx::from_raw(la_arena::RawIdx::from_u32(0)),
        parent,
        end: StmtId::new(1),
        nested: Vec::new(),
        noconvergent: false,
    };
    let mut stmts: IndexVec<StmtId, Stmt> = IndexVec::new();
    stmts.push(compound(None));
    let mut open = vec![StmtId::new(0)];
    for _ in 0..function.blocks.len() {
        while open.len() > 1 && random.chance(40) {
            let done = open.pop().expect("more than one");
            stmts[done].end = stmts.next_idx();
        }
        let id = stmts.push(compound(open.last().copied()));
        stmts[id].noconvergent = random.chance(15);
        if random.chance(60) {
            stmts[id].kind = StmtKind::While { condition: ConstantCondition::Unknown, body: id };
        }
        open.push(id);
    }
    let end = stmts.next_idx();
    open.into_iter().for_each(|id| stmts[id].end = end);
    let count = stmts.len();
    let mut calls = IndexVec::new();
    for block in function.blocks.indices() {
        let stmt = match wild {
            true => StmtId::new(random.below(count)),
            false => StmtId::new((block.index() + random.below(3)).min(count - 1)),
        };
        function.blocks[block].stmt = stmt;
        if stmts[stmt].kind.is_loop() {
            function.blocks[block].kind = BlockKind::WhileCondition;
        }
        for value in function.blocks[block].values.clone() {
            if let Op::Call(call) = &mut function.values[value].op {
                let stmt = match wild {
                    true => StmtId::new(random.below(count)),
                    false => stmt,
                };
                call.call = Some(calls.push(tangle_hir::body::Call {
                    callee: tangle_hir::body::Callee::Pointer,
                    span: NOWHERE,
                    stmt,
                    role: tangle_hir::body::EvaluationTime::Entry,
                    operand: None,
                }));
            }
        }
    }
    Body {
        name: Name { text: Symbol::intern("f"), span: NOWHERE },
        kernel: false,
        block: false,
        convergence: [None, None, None, Some(Convergence::Convergent), Some(Convergence::NotConvergent)]
            [random.below(5)],
        launch: Launch::default(),
        span: NOWHERE,
        stmts,
        calls,
        operands: IndexVec::new(),
        problems: Vec::new(),
    }
}

/// Returns the skeleton of a function as LLVM IR: its branches, tokens and calls.
pub fn llvm(function: &Function, name: &str) -> String {
    let mut out = String::new();
    let convergent = if function.convergent { "convergent " } else { "" };
    writeln!(out, "define void @{name}(i1 %c, i32 %n) {convergent}{{").unwrap();
    let block = |id: BlockId| format!("%b{}", id.index());
    let bundle = |token: ValueId| match function.values[token].op {
        Op::Parameter(_) => "[ \"convergencectrl\"(i1 %c) ]".to_owned(),
        _ => format!("[ \"convergencectrl\"(token %{name}t{}) ]", token.index()),
    };
    for (id, data) in function.blocks.iter_enumerated() {
        writeln!(out, "b{}:", id.index()).unwrap();
        for &value in &data.values {
            let named = format!("%{name}t{} = call token @llvm.experimental.convergence", value.index());
            match &function.values[value].op {
                Op::Token(Token::Entry) => writeln!(out, "  {named}.entry()"),
                Op::Token(Token::Anchor) => writeln!(out, "  {named}.anchor()"),
                Op::Token(Token::Loop(parent)) => writeln!(out, "  {named}.loop() {}", bundle(*parent)),
                Op::Call(call) => {
                    let callee = if is_op(&call.callee) { "op" } else { "plain" };
                    writeln!(out, "  call void @{callee}() {}", call.token.map_or(String::new(), bundle))
                }
                op => panic!("{op:?} cannot be in a skeleton"),
            }
            .unwrap();
        }
        match &data.terminator {
            Terminator::Jump(to) => writeln!(out, "  br label {}", block(*to)),
            Terminator::Branch { then, otherwise, .. } => {
                writeln!(out, "  br i1 %c, label {}, label {}", block(*then), block(*otherwise))
            }
            Terminator::Switch { cases, otherwise, .. } => {
                write!(out, "  switch i32 %n, label {} [", block(*otherwise)).unwrap();
                for &(case, _, to) in cases {
                    write!(out, " i32 {case}, label {}", block(to)).unwrap();
                }
                writeln!(out, " ]")
            }
            Terminator::Return(_) => writeln!(out, "  ret void"),
            Terminator::Unreachable => writeln!(out, "  unreachable"),
        }
        .unwrap();
    }
    out + "}\n"
}
