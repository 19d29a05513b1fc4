//! A loop whose token is used after it gets a single exit.

use std::io::Write;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use tangle_ir::flow::exits::unify_exits;
use tangle_ir::flow::verify::verify;
use tangle_ir::flow::{Function, Module};
use tangle_ir::llvm::{NoLocations, Options, PlainNames, Target, emit};
use tangle_ir::text::{print, read};

#[track_caller]
fn unified(text: &str) -> (String, usize) {
    let mut function = read(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(verify(&function), []);
    let hubs = unify_exits(&mut function);
    assert_eq!(verify(&function), [], "{}", print(&function));
    (print(&function), hubs.len())
}

/// Runs a program of LLVM on a text, if it is installed.
fn pipe(program: &str, arguments: &[&str], text: &[u8]) -> Option<Result<Vec<u8>, String>> {
    let mut command = Command::new(tangle_referees::llvm(program)?);
    let command = command.args(arguments).args(["-o", "-"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("program exists");
    child.stdin.take().expect("piped").write_all(text).expect("the program reads its input");
    let output = child.wait_with_output().expect("the program exits");
    let error = || String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { Ok(output.stdout) } else { Err(error()) })
}

/// Runs LLVM's optimiser and code generator on the IR of a function for amdgcn.
fn compiled(function: Function) -> Result<(), String> {
    let module = Module { file: "k".to_owned(), functions: vec![function], globals: Vec::new() };
    let options = Options { target: Target::Amdgcn, language: &PlainNames, debug: false };
    let text = emit(&module, &options, &NoLocations).map_err(|error| error.reason)?;
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let Some(optimized) = pipe("opt", &["-S", level], text.as_bytes()) else { continue };
        let Some(assembly) = pipe("llc", &["-mcpu=gfx1030"], &optimized?) else { continue };
        assembly.map_err(|error| format!("{level}: {error}"))?;
    }
    Ok(())
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let (after, hubs) = unified(text);
    assert_ne!(hubs, 0);
    compiled(read(text).unwrap_or_else(|error| panic!("{error}"))).unwrap();
    expected.assert_eq(&after);
}

#[track_caller]
fn stays(text: &str) {
    let before = print(&read(text).unwrap_or_else(|error| panic!("{error}")));
    assert_eq!(unified(text), (before, 0));
}

#[test]
fn values_used_after_a_loop_pass_through_its_exit_hub() {
    check(
        "\
function f(%n: int, %p: int *) -> int convergent {
entry:
  %t = entry
  jump head
head:
  %i = phi int [entry: 0], [latch: %next]
  %h = loop with %t
  %a = eq %i, %n
  branch %a, end, body
body:
  %x = load int %p
  %b = eq %x, %n
  branch %b, out, latch
latch:
  %next = add %i, 1
  jump head
out:
  call op() with %h
  %y = add %x, %i
  jump end
end:
  %z = phi int [head: %i], [out: %y]
  return %z
}
",
        &expect![[r#"
            function f(%n: int, %p: int *) -> int convergent {
            entry:
              %t = entry
              jump head
            head:
              %i = phi int [entry: 0], [latch: %next]
              %h = loop with %t
              %a = eq %i, %n
              branch %a, "loop.exit", body
            body:
              %x = load int %p
              %b = eq %x, %n
              branch %b, "loop.exit", latch
            latch:
              %next = add %i, 1
              jump head
            out:
              call op() with %h
              %y = add %x.1, %i
              jump end
            end:
              %z = phi int [out: %y], ["loop.exit": %z.1]
              return %z
            "loop.exit":
              %x.1 = phi int [head: undefined], [body: %x]
              %way = phi int [head: 0], [body: 1]
              %z.1 = phi int [head: %i], [body: undefined]
              switch %way [0: end, default: out]
            }
        "#]],
    );
}

#[test]
fn block_with_several_exits_passes_the_chosen_one_to_the_hub() {
    check(
        "\
function f(%n: int, %p: int *) convergent {
entry:
  %t = entry
  jump head
head:
  %h = loop with %t
  %x = load int %p
  switch %x [0: head, 1..3: one, 4: two, 5..200: one, default: end]
one:
  call op() with %h
  jump end
two:
  call other() with %h
  jump end
end:
  return
}
",
        &expect![[r#"
            function f(%n: int, %p: int *) convergent {
            entry:
              %t = entry
              jump head
            head:
              %h = loop with %t
              %x = load int %p
              %0 = le %x, 3
              %1 = select %0, int 0, 2
              %2 = ge %x, 1
              %3 = select %2, %1, 2
              %4 = eq %x, 4
              %5 = select %4, int 1, %3
              %6 = le %x, 200
              %7 = select %6, int 0, %5
              %8 = ge %x, 5
              %9 = select %8, %7, %5
              switch %x [0: head, 1..3: "loop.exit", 4: "loop.exit", 5..200: "loop.exit", default: "loop.exit"]
            one:
              call op() with %h
              jump end
            two:
              call other() with %h
              jump end
            end:
              return
            "loop.exit":
              %way = phi int [head: %9], [head: %9], [head: %9], [head: %9]
              switch %way [0: one, 1: two, default: end]
            }
        "#]],
    );
}

#[test]
fn exit_from_nested_loops_leaves_them_one_by_one() {
    check(
        "\
function f(%n: int, %p: int *) -> int convergent {
entry:
  %t = entry
  jump outer
outer:
  %i = phi int [entry: 0], [again: %i.1]
  %h = loop with %t
  %a = eq %i, %n
  branch %a, end, inner
inner:
  %g = loop with %h
  %x = load int %p
  switch %x [0: again, 1: out, default: inner]
again:
  call op() with %h
  %i.1 = add %i, 1
  jump outer
out:
  call op() with %g
  return %x
end:
  return %i
}
",
        &expect![[r#"
            function f(%n: int, %p: int *) -> int convergent {
            entry:
              %t = entry
              jump outer
            outer:
              %i = phi int [entry: 0], [again: %i.1]
              %h = loop with %t
              %a = eq %i, %n
              branch %a, end, inner
            inner:
              %g = loop with %h
              %x = load int %p
              %0 = eq %x, 1
              %1 = select %0, int 1, 0
              switch %x [0: "loop.exit", 1: "loop.exit", default: inner]
            again:
              call op() with %h
              %i.1 = add %i, 1
              jump outer
            out:
              call op() with %g
              jump "loop.exit".1
            end:
              return %i
            "loop.exit":
              %way = phi int [inner: %1], [inner: %1]
              switch %way [0: "loop.exit".1, default: out]
            "loop.return":
              return %x
            "loop.exit".1:
              %way.1 = phi int [out: 0], ["loop.exit": 1]
              switch %way.1 [0: "loop.return", default: again]
            }
        "#]],
    );
}

#[test]
fn loop_with_one_exit_target_is_unchanged() {
    stays(
        "\
function f(%b: bool, %c: bool) convergent {
entry:
  %t = entry
  jump head
head:
  %h = loop with %t
  branch %b, out, body
body:
  branch %c, out, head
out:
  call op() with %h
  return
}
",
    );
}

#[test]
fn loop_is_unchanged_if_its_token_is_not_used_after_it() {
    stays(
        "\
function f(%b: bool, %c: bool) convergent {
entry:
  %t = entry
  jump head
head:
  %h = loop with %t
  call op() with %h
  branch %b, out, body
body:
  branch %c, end, head
out:
  call op() with %t
  return
end:
  return
}
",
    );
}

#[test]
fn loop_is_unchanged_if_token_does_not_dominate_all_exits() {
    stays(
        "\
function f(%b: bool, %c: bool) convergent {
entry:
  %t = entry
  jump head
head:
  %h = loop with %t
  branch %b, end, body
body:
  %a = anchor
  branch %c, out, head
out:
  call op() with %a
  return
end:
  return
}
",
    );
}

#[test]
fn tail_that_uses_an_outer_token_gets_no_hub() {
    let (after, hubs) = unified(
        "\
function f(%b: bool, %c: bool) convergent {
entry:
  %t = entry
  jump head
head:
  %h = loop with %t
  branch %b, end, body
body:
  branch %c, out, head
out:
  call op() with %h
  call op() with %t
  return
end:
  return
}
",
    );
    assert_eq!(hubs, 1, "{after}");
}
