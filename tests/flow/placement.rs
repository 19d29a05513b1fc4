//! The placement of tokens from the source, and their inference from the graph.

use expect_test::{Expect, expect};
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::tokens::TokenMethod;
use tangle_analysis::flow::verify::verify;
use tangle_analysis::flow::{Function, Op, ValueId, dispatch, infer, loops, ssa, tokens};
use tangle_ir::text::print;

use super::opt::Opt;
use super::random::{Random, add_calls, body, graph, is_op, llvm};
use super::text::parse;

/// Returns random functions with tokens, placed from the source or inferred from the graph, some after `dispatch`.
fn functions(count: u64) -> impl Iterator<Item = Function> {
    (0..count).map(|seed| {
        let random = &mut Random::new(seed);
        let mut function = graph(random, if seed % 7 == 0 { 40 } else { 12 }, seed % 3 != 0);
        add_calls(random, &mut function);
        let body = body(random, &mut function, seed % 4 == 0);
        loops::find(&mut function, &body.nest());
        ssa::remove_unreachable(&mut function);
        if seed % 5 == 0 {
            dispatch::dispatch(&mut function);
            ssa::construct(&mut function);
        }
        let tokens = if seed % 6 == 0 { TokenMethod::Infer } else { TokenMethod::Placed };
        let shape = GraphAnalysis::of(&function);
        tokens::place(&mut function, &shape, &body.nest(), &is_op, tokens);
        function
    })
}

fn values_in_blocks(function: &Function) -> impl Iterator<Item = ValueId> + '_ {
    function.blocks.iter().flat_map(|block| block.values.iter().copied())
}

#[test]
fn every_token_placement_is_valid() {
    let (mut extended, mut hearts) = (0, 0);
    for (seed, function) in functions(6000).enumerate() {
        assert_eq!(verify(&function), [], "{seed}\n{}", print(&function));
        let every_call_is_controlled =
            values_in_blocks(&function).all(|value| match &function.values[value].op {
                Op::Call(call) => call.convergent == call.token.is_some(),
                _ => true,
            });
        assert!(every_call_is_controlled, "{seed}\n{}", print(&function));
        let cycles = GraphAnalysis::of(&function).cycles;
        for (block, data) in function.blocks.iter_enumerated() {
            for &value in &data.values {
                hearts += usize::from(matches!(
                    function.values[value].op,
                    Op::Token(tangle_analysis::flow::Token::Loop(_))
                ));
                if let Op::Call(call) = &function.values[value].op
                    && let Some(token) = call.token
                    && let Some(definition) =
                        function.blocks.indices().find(|&b| function.blocks[b].values.contains(&token))
                    && let Some(cycle) = cycles.innermost(definition)
                {
                    extended += usize::from(!cycles.contains(cycle, block));
                }
            }
        }
    }
    assert!(extended > 200 && hearts > 1000, "{extended} extended uses, {hearts} hearts");
}

#[test]
fn llvm_accepts_every_token_placement() {
    let Some(opt) = Opt::find() else { return };
    // Skeletons cannot show the operations that `dispatch` adds.
    let functions: Vec<Function> =
        functions(1000).enumerate().filter(|(seed, _)| seed % 5 != 0).map(|(_, f)| f).collect();
    let module: String =
        functions.iter().enumerate().map(|(number, f)| llvm(f, &format!("f{number}"))).collect();
    assert_eq!(opt.refuses(&module), None);
}

#[test]
fn dispatch_removes_irreducible_cycles_with_bounded_growth() {
    for seed in 0..1000 {
        let random = &mut Random::new(seed);
        let mut function = graph(random, 40, seed % 3 != 0);
        ssa::remove_unreachable(&mut function);
        let edges: usize = function.blocks.iter().map(|block| block.terminator.successors().len()).sum();
        dispatch::dispatch(&mut function);
        let cycles = GraphAnalysis::of(&function).cycles;
        assert!(cycles.cycles.iter().all(|cycle| cycle.is_reducible()), "{seed}\n{}", llvm(&function, "f"));
        assert!(function.blocks.len() < 8 * (edges + 1), "{seed}: {} of {edges}", function.blocks.len());
        ssa::construct(&mut function);
        assert_eq!(verify(&function), [], "{seed}");
    }
}

#[track_caller]
fn check_inferred(blocks: &str, expected: &Expect) {
    let mut function = parse(&format!("function f() {{\n{blocks}}}"));
    let shape = GraphAnalysis::of(&function);
    infer::infer(&mut function, &shape);
    assert_eq!(verify(&function), []);
    expected.assert_eq(&print(&function));
}

#[test]
fn operations_outside_loops_use_the_entry_token() {
    // The example of jump threading in the specification, after the transformation.
    check_inferred(
        "entry:\nbranch %c, then1, then2\nthen1:\nbranch %c, then2, end\nthen2:\ncall op() convergent\njump end\nend:\nreturn\n",
        &expect![[r#"
            function f(%c: bool, %n: int) convergent {
            entry:
              %0 = entry
              branch %c, then1, then2
            then1:
              branch %c, then2, end
            then2:
              call op() with %0
              jump end
            end:
              return
            }
        "#]],
    );
}

#[test]
fn only_loops_with_convergent_operations_have_hearts() {
    check_inferred(
        "entry:\njump a\na:\nbranch %c, a, b\nb:\njump inner\ninner:\ncall op() convergent\nbranch %c, inner, latch\nlatch:\nbranch %c, b, end\nend:\nreturn\n",
        &expect![[r#"
            function f(%c: bool, %n: int) convergent {
            entry:
              %0 = entry
              jump a
            a:
              branch %c, a, b
            b:
              %1 = loop with %0
              jump inner
            inner:
              %2 = loop with %1
              call op() with %2
              branch %c, inner, latch
            latch:
              branch %c, b, end
            end:
              return
            }
        "#]],
    );
}

#[test]
fn irreducible_cycle_has_an_anchor_that_inner_loops_use() {
    check_inferred(
        "entry:\nbranch %c, a, b\na:\ncall op() convergent\njump b\nb:\nbranch %c, inner, end\ninner:\ncall op() convergent\nbranch %c, inner, a\nend:\ncall op() convergent\nreturn\n",
        &expect![[r#"
            function f(%c: bool, %n: int) convergent {
            entry:
              %0 = entry
              branch %c, a, b
            a:
              %1 = anchor
              call op() with %1
              jump b
            b:
              %2 = anchor
              branch %c, inner, end
            inner:
              %3 = loop with %2
              call op() with %3
              branch %c, inner, a
            end:
              call op() with %0
              return
            }
        "#]],
    );
}
