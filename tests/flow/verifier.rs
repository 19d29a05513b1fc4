//! The rules of the verifier: graphs that violate a rule or obey it, and whether LLVM 19 has the same verdict.

use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::tokens::TokenMethod;
use tangle_analysis::flow::verify::{Rule, verify};
use tangle_analysis::flow::{BlockId, Function, Op, Terminator, Token, ValueId, infer, loops, ssa, tokens};
use tangle_hir::types::Ty;

use super::opt::Opt;
use super::random::{Random, add_calls, body, graph, is_op, llvm};
use super::text::{self, parse};

fn rules(function: &Function) -> Vec<Rule> {
    let mut rules: Vec<Rule> = verify(function).into_iter().map(|violation| violation.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Checks which rules a function with the parameter `%c` violates. LLVM must have the same verdict.
#[track_caller]
fn check(convergent: bool, blocks: &str, expected: &[Rule]) {
    let function =
        parse(&format!("function f() {}{{\n{blocks}\n}}", if convergent { "convergent " } else { "" }));
    assert_eq!(rules(&function), expected);
    if let Some(opt) = Opt::find() {
        let refused = opt.refuses(&llvm(&function, "f"));
        assert_eq!(refused.is_some(), !expected.is_empty(), "{refused:?}");
    }
}

#[test]
fn entry_precedes_convergent_operations_in_entry_block() {
    check(true, "a:\n%0 = entry\ncall op() with %0\nreturn", &[]);
    check(true, "a:\ncall plain()\n%0 = entry\nreturn", &[]);
    check(true, "a:\njump b\nb:\n%0 = entry\nreturn", &[Rule::EntryPlacement]);
    check(true, "a:\n%1 = anchor\n%0 = entry\nreturn", &[Rule::EntryPlacement]);
    check(true, "a:\n%0 = entry\n%1 = entry\nreturn", &[Rule::EntryPlacement]);
}

#[test]
fn entry_requires_a_convergent_function() {
    check(false, "a:\n%0 = entry\nreturn", &[Rule::EntryInConvergentFunction]);
    check(false, "a:\n%0 = anchor\ncall op() with %0\nreturn", &[]);
}

#[test]
fn heart_precedes_convergent_operations_of_its_block() {
    check(
        true,
        "a:\n%0 = entry\njump b\nb:\n%1 = loop with %0\ncall op() with %1\nbranch %c, b, d\nd:\nreturn",
        &[],
    );
    check(
        true,
        "a:\n%0 = entry\njump b\nb:\ncall plain()\n%1 = loop with %0\nbranch %c, b, d\nd:\nreturn",
        &[],
    );
    check(
        true,
        "a:\n%0 = entry\njump b\nb:\n%2 = anchor\n%1 = loop with %0\nbranch %c, b, d\nd:\nreturn",
        &[Rule::LoopPlacement],
    );
}

#[test]
fn token_operand_must_be_a_token_and_not_a_phi() {
    check(true, "a:\n%0 = entry\ncall op() with %c\nreturn", &[Rule::TokenOperand]);
    let mut function =
        parse("function f() convergent {\na:\n%0 = entry\nbranch %c, b, d\nb:\njump d\nd:\nreturn\n}");
    let entry = function.blocks[Function::ENTRY].values[0];
    let phi = text::push(
        &mut function,
        BlockId::new(2),
        Op::Phi(vec![(Function::ENTRY, entry), (BlockId::new(1), entry)]),
    );
    function.values[phi].ty = Ty::TOKEN;
    assert_eq!(rules(&function), [Rule::Results, Rule::TokenOperand]);
}

#[test]
fn token_must_dominate_its_uses() {
    check(
        true,
        "a:\n%0 = entry\nbranch %c, b, d\nb:\n%1 = anchor\njump d\nd:\ncall op() with %1\nreturn",
        &[Rule::Dominance],
    );
    check(true, "a:\ncall op() with %0\n%0 = anchor\nreturn", &[Rule::Dominance]);
    check(true, "a:\n%0 = anchor\nbranch %c, b, d\nb:\njump d\nd:\ncall op() with %0\nreturn", &[]);
}

#[test]
fn controlled_and_uncontrolled_operations_are_not_mixed() {
    check(true, "a:\n%0 = entry\ncall op() with %0\ncall op() convergent\nreturn", &[Rule::Mixed]);
    check(true, "a:\ncall op() convergent\ncall op() convergent\nreturn", &[]);
    check(true, "a:\n%0 = entry\ncall op() with %0\ncall plain()\nreturn", &[]);
}

#[test]
fn only_heart_may_use_outside_token_in_a_cycle() {
    check(
        true,
        "a:\n%0 = entry\njump b\nb:\ncall op() with %0\nbranch %c, b, d\nd:\nreturn",
        &[Rule::UseInCycle],
    );
    check(true, "a:\njump b\nb:\n%0 = anchor\ncall op() with %0\nbranch %c, b, d\nd:\nreturn", &[]);
    // The same holds in an irreducible cycle.
    check(
        true,
        "a:\n%0 = entry\nbranch %c, b, e\nb:\ncall op() with %0\njump e\ne:\nbranch %c, b, d\nd:\nreturn",
        &[Rule::UseInCycle],
    );
}

#[test]
fn heart_must_dominate_its_cycle() {
    let not_header = "a:\n%0 = entry\njump b\nb:\nbranch %c, e, d\ne:\n%1 = loop with %0\njump b\nd:\nreturn";
    check(true, not_header, &[Rule::HeartDominates]);
    let irreducible =
        "a:\n%0 = entry\nbranch %c, b, e\nb:\njump e\ne:\n%1 = loop with %0\nbranch %c, b, d\nd:\nreturn";
    check(true, irreducible, &[Rule::HeartDominates]);
    // The parent token is from outside two loops.
    check(
        true,
        "a:\n%0 = entry\njump b\nb:\njump e\ne:\n%1 = loop with %0\nbranch %c, e, g\ng:\nbranch %c, b, d\nd:\nreturn",
        &[Rule::HeartDominates],
    );
}

#[test]
fn cycle_may_use_only_one_outside_token_once() {
    // Both loop tokens are in the header, so the second one also follows a convergent operation.
    let twice =
        "a:\n%0 = entry\njump b\nb:\n%1 = loop with %0\n%2 = loop with %0\nbranch %c, b, d\nd:\nreturn";
    check(true, twice, &[Rule::LoopPlacement, Rule::OneUseInCycle]);
    let two_tokens = "a:\n%0 = entry\n%3 = anchor\njump b\nb:\n%1 = loop with %0\n%2 = loop with %3\nbranch %c, b, d\nd:\nreturn";
    check(true, two_tokens, &[Rule::LoopPlacement, Rule::OneUseInCycle, Rule::NestedRegions]);
}

#[test]
fn convergence_regions_must_be_nested() {
    check(
        true,
        "a:\n%0 = anchor\n%1 = anchor\ncall op() with %0\ncall op() with %1\nreturn",
        &[Rule::NestedRegions],
    );
    check(true, "a:\n%0 = anchor\n%1 = anchor\ncall op() with %1\ncall op() with %0\nreturn", &[]);
    // The inner token is live on the path through the block that uses the outer token.
    check(
        true,
        "a:\n%0 = entry\njump b\nb:\n%1 = anchor\nbranch %c, e, g\ne:\ncall op() with %0\njump g\ng:\ncall op() with %1\nreturn",
        &[Rule::NestedRegions],
    );
    check(
        true,
        "a:\n%0 = entry\njump b\nb:\n%1 = anchor\nbranch %c, e, g\ne:\ncall op() with %0\nreturn\ng:\ncall op() with %1\nreturn",
        &[],
    );
}

#[test]
fn invalid_phis_and_jump_targets_are_rejected() {
    let mut function = parse("function f() {\na:\nbranch %c, b, d\nb:\njump d\nd:\nreturn\n}");
    function.blocks[BlockId::new(1)].terminator = Terminator::Jump(BlockId::new(7));
    assert_eq!(rules(&function), [Rule::Targets]);
    function.blocks[BlockId::new(1)].terminator = Terminator::Jump(Function::ENTRY);
    assert_eq!(rules(&function), [Rule::Targets]);
    function.blocks[BlockId::new(1)].terminator = Terminator::Jump(BlockId::new(2));
    assert_eq!(rules(&function), []);
    let phi = text::push(&mut function, BlockId::new(2), Op::Phi(vec![(BlockId::new(1), text::number())]));
    assert_eq!(rules(&function), [Rule::Phis]);
    function.values[phi].op =
        Op::Phi(vec![(Function::ENTRY, text::number()), (BlockId::new(1), text::number())]);
    function.values[phi].ty = Ty::INT;
    assert_eq!(rules(&function), []);
    function.blocks[BlockId::new(2)].values.push(phi);
    assert_eq!(rules(&function), [Rule::Operands]);
}

/// Changes the tokens of a function at one place.
fn break_something(random: &mut Random, function: &mut Function) {
    let places: Vec<(BlockId, ValueId)> = function
        .blocks
        .iter_enumerated()
        .flat_map(|(id, block)| block.values.iter().map(move |&value| (id, value)))
        .filter(|&(_, value)| !matches!(&function.values[value].op, Op::Call(call) if !call.convergent))
        .collect();
    let tokens: Vec<ValueId> = places
        .iter()
        .map(|&(_, value)| value)
        .filter(|&value| function.values[value].ty == Ty::TOKEN)
        .collect();
    if places.is_empty() || tokens.is_empty() {
        return;
    }
    let (block, value) = places[random.below(places.len())];
    let token = tokens[random.below(tokens.len())];
    match random.below(6) {
        // Use another token, or none.
        0..=2 => match &mut function.values[value].op {
            Op::Call(call) => call.token = random.chance(80).then_some(token),
            Op::Token(op) => {
                *op = [Token::Loop(token), Token::Loop(token), Token::Anchor, Token::Entry][random.below(4)]
            }
            _ => {}
        },
        // Move the operation within the block or to another block.
        3..=4 => {
            function.blocks[block].values.retain(|&it| it != value);
            let to = match random.chance(50) {
                true => block,
                false => BlockId::new(random.below(function.blocks.len())),
            };
            let at = random.below(function.blocks[to].values.len() + 1);
            function.blocks[to].values.insert(at, value);
        }
        // Add an operation.
        _ => {
            let op = [
                Op::Token(Token::Anchor),
                Op::Token(Token::Loop(token)),
                Op::Call(text::call("op", true, Some(token))),
            ];
            let value = text::push(function, block, op[random.below(3)].clone());
            function.blocks[block].values.pop();
            let at = random.below(function.blocks[block].values.len() + 1);
            function.blocks[block].values.insert(at, value);
        }
    }
}

#[test]
fn verifier_agrees_with_llvm() {
    let Some(opt) = Opt::find() else { return };
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let mut function = graph(random, 10, true);
        add_calls(random, &mut function);
        let body = body(random, &mut function, false);
        loops::find(&mut function, &body.nest());
        ssa::remove_unreachable(&mut function);
        let shape = GraphAnalysis::of(&function);
        tokens::place(&mut function, &shape, &body.nest(), &is_op, TokenMethod::Placed);
        for _ in 0..1 + random.below(3) {
            break_something(random, &mut function);
        }
        let ours = rules(&function);
        let llvms = opt.refuses(&llvm(&function, "f"));
        assert_eq!(ours.is_empty(), llvms.is_none(), "{seed} {ours:?} {llvms:?}\n{}", llvm(&function, "f"));
        match ours.is_empty() {
            true => accepted += 1,
            false => refused += 1,
        }
    }
    assert!(refused > 100 && accepted > 50, "{refused} refused, {accepted} accepted");
}

#[test]
fn many_nested_loops_are_verified_quickly() {
    // Each of 10,000 nested loops has a call at its end.
    let mut text = "function f() {\nentry:\njump h0\n".to_owned();
    let count = 10_000;
    for number in 0..count {
        text += &format!(
            "h{number}:\njump {}\n",
            if number + 1 < count { format!("h{}", number + 1) } else { format!("t{number}") }
        );
    }
    for number in (0..count).rev() {
        let next = if number == 0 { "end".to_owned() } else { format!("t{}", number - 1) };
        text += &format!("t{number}:\ncall op() convergent\nbranch %c, h{number}, {next}\n");
    }
    let mut function = parse(&(text + "end:\nreturn\n}"));
    let start = std::time::Instant::now();
    let shape = GraphAnalysis::of(&function);
    infer::infer(&mut function, &shape);
    assert_eq!(rules(&function), []);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
