//! Variables become values in SSA form.

use expect_test::{Expect, expect};
use tangle_ir::flow::builder::Builder;
use tangle_ir::flow::ssa;
use tangle_ir::flow::verify::verify_shaped;
use tangle_ir::text::{print, read};
use tangle_ir::types::Ty;
use tangle_ir::value::{Arithmetic, Comparison};

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let mut function = read(text).unwrap_or_else(|error| panic!("{error}"));
    let shape = ssa::construct(&mut function);
    assert_eq!(verify_shaped(&function, &shape), []);
    expected.assert_eq(&print(&function));
}

#[test]
fn loop_header_gets_phis_for_live_variables() {
    check(
        "\
function f(%n: int) -> int {
  variable $i: int
  variable $sum: int
  variable $dead: int
entry:
  set $i, 0
  set $sum, 0
  set $dead, 0
  jump for.cond
for.cond:
  %0 = get $i
  %1 = lt %0, %n
  branch %1, for.body, for.end
for.body:
  %2 = get $sum
  %3 = get $i
  %4 = add %2, %3
  set $sum, %4
  set $dead, %4
  %5 = get $i
  %6 = add %5, 1
  set $i, %6
  jump for.cond
for.end:
  %7 = get $sum
  return %7
}
",
        &expect![[r#"
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
        "#]],
    );
}

#[test]
fn unreachable_blocks_and_unused_values_are_removed() {
    check(
        "\
function f(%n: int) -> int {
  variable $x: int
entry:
  set $x, %n
  %0 = get $x
  %1 = neg %0
  %2 = eq %n, %0
  branch %2, if.then, if.end
if.then:
  set $x, %n
  jump if.end
unreachable:
  set $x, 7
  jump if.end
if.end:
  %3 = get $x
  return %3
}
",
        &expect![[r#"
            function f(%n: int) -> int {
            entry:
              %0 = eq %n, %n
              branch %0, if.then, if.end
            if.then:
              jump if.end
            if.end:
              return %n
            }
        "#]],
    );
}

#[test]
fn read_before_any_write_is_undefined() {
    check(
        "\
function f(%n: int) -> int {
  variable $x: int
entry:
  %0 = eq %n, %n
  branch %0, if.then, if.end
if.then:
  set $x, %n
  jump if.end
if.end:
  %1 = get $x
  return %1
}
",
        &expect![[r#"
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
        "#]],
    );
}

#[test]
fn irreducible_cycle_gets_phis_at_both_entries() {
    check(
        "\
function f(%n: int, %c: bool) -> int {
  variable $x: int
entry:
  set $x, %n
  branch %c, label, label.1
label:
  %0 = get $x
  %1 = add %0, %n
  set $x, %1
  jump label.1
label.1:
  branch %c, label, label.2
label.2:
  %2 = get $x
  return %2
}
",
        &expect![[r#"
            function f(%n: int, %c: bool) -> int {
            entry:
              branch %c, label, label.1
            label:
              %x = phi int [entry: %n], [label.1: %x.2]
              %x.1 = add %x, %n
              jump label.1
            label.1:
              %x.2 = phi int [entry: %n], [label: %x.1]
              branch %c, label, label.2
            label.2:
              return %x.2
            }
        "#]],
    );
}

#[test]
fn ssa_construction_handles_hundred_thousand_blocks() {
    const COUNT: usize = 100_000;
    let mut builder = Builder::new("f", Ty::INT);
    let n = builder.parameter("n", Ty::INT);
    let x = builder.variable("x", Ty::INT);
    let mut blocks = vec![builder.here()];
    blocks.extend((1..COUNT).map(|_| builder.block("label")));
    builder.set(x, n);
    for (number, &block) in blocks[..COUNT - 1].iter().enumerate() {
        builder.at(block);
        let left = builder.get(x);
        let next = builder.binary(Arithmetic::Add, left, n);
        builder.set(x, next);
        let condition = builder.compare(Comparison::NotEqual, next, n);
        // All blocks have a path to the end, and every other block has a back edge.
        let other = if number % 2 == 0 { COUNT - 1 } else { 1 };
        builder.branch(condition, blocks[number + 1], blocks[other]);
    }
    builder.at(blocks[COUNT - 1]);
    let result = builder.get(x);
    builder.ret(Some(result));
    let mut function = builder.finish();
    ssa::construct(&mut function);
    assert_eq!(function.blocks.len(), COUNT);
}
