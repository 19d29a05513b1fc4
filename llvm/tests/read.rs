//! Flow graphs of small functions, and the errors of texts that are not read. The expected graphs are written from the
//! language reference of LLVM 19.

use tangle_ir::flow::verify::verify;
use tangle_ir::text;

/// Returns the text form of the functions of a module whose functions satisfy all rules.
fn flow(llvm: &str) -> String {
    let module = tangle_llvm::read("k.ll", llvm, &|name| {
        ["barrier", "get_global_id", "sub_group_shuffle"].contains(&name.as_str())
    });
    let module = module.unwrap_or_else(|error| panic!("{error}"));
    for function in &module.functions {
        assert_eq!(verify(function), [], "{}", text::print(function));
    }
    module.functions.iter().map(text::print).collect::<Vec<_>>().join("")
}

#[track_caller]
fn rejected(llvm: &str, expected: &str) {
    let error = tangle_llvm::read("k.ll", llvm, &|_| false).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

/// Section *udiv*: an unsigned division. The operands of `sdiv` and `add` need no conversion.
#[test]
fn signs_belong_to_operations() {
    let llvm = "\
define i32 @f(i32 %a, i32 %b) {
  %q = udiv i32 %a, %b
  %r = sdiv i32 %q, %b
  %s = add nsw i32 %r, 1
  ret i32 %s
}
";
    let expected = "\
function f(%a: int, %b: int) -> int {
entry:
  %0 = convert uint %a
  %1 = convert uint %b
  %2 = div %0, %1
  %q = convert int %2
  %r = div %q, %b
  %s = add %r, 1
  return %s
}
";
    assert_eq!(flow(llvm), expected);
}

/// A number of 33 bits is in a `long` whose upper 31 bits are zero.
#[test]
fn other_widths_have_zeros_above_their_bits() {
    let llvm = "\
define i64 @f(i32 %a) {
  %w = sext i32 %a to i33
  %s = add i33 %w, 1
  %r = zext i33 %s to i64
  ret i64 %r
}
";
    let expected = "\
function f(%a: int) -> long {
entry:
  %0 = convert long %a
  %w = and %0, 8589934591
  %1 = add %w, 1
  %s = and %1, 8589934591
  return %s
}
";
    assert_eq!(flow(llvm), expected);
}

/// A token controls each call, and a value is used before the line that defines it.
#[test]
fn loop_has_a_heart_and_phis() {
    let llvm = "\
define spir_kernel void @k(i32 %n) convergent !kernel_arg_base_type !0 {
entry:
  %e = call token @llvm.experimental.convergence.entry()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %h = call token @llvm.experimental.convergence.loop() [ \"convergencectrl\"(token %e) ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %end
end:
  ret void
body:
  call void @_Z7barrierj(i32 1) [ \"convergencectrl\"(token %h) ]
  %next = add i32 %i, 1
  br label %head
}
declare void @_Z7barrierj(i32) convergent
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
!0 = !{!\"int\"}
";
    let expected = "\
function k(%n: int) convergent kernel {
entry:
  %e = entry
  jump head
head:
  %i = phi int [entry: 0], [body: %next]
  %h = loop with %e
  %c = lt %i, %n
  branch %c, body, end
end:
  return
body:
  call barrier(uint 1) with %h
  %next = add %i, 1
  jump head
}
";
    assert_eq!(flow(llvm), expected);
}

/// A variable in private memory becomes a value, and a struct that a function returns is written through a parameter.
#[test]
fn aggregates_are_their_leaves() {
    let llvm = "\
define internal { i32, float } @pair(i32 %a) {
  %x = alloca i32
  store i32 %a, ptr %x
  %y = load i32, ptr %x
  %p = insertvalue { i32, float } { i32 poison, float 1.5 }, i32 %y, 0
  ret { i32, float } %p
}
";
    let found = flow(llvm);
    assert!(found.contains("store %a, "), "{found}");
    assert!(found.contains("store float 1.5, "), "{found}");
    assert!(!found.contains("load"), "{found}");
}

/// The result of a comparison of floating-point numbers, section *fcmp*: `ult` holds for NaN.
#[test]
fn unordered_comparisons_hold_for_nan() {
    let llvm = "\
define i1 @f(float %a, float %b) {
  %c = fcmp ult float %a, %b
  ret i1 %c
}
";
    let expected = "\
function f(%a: float, %b: float) -> bool {
entry:
  %0 = ge %a, %b
  %c = not %0
  return %c
}
";
    assert_eq!(flow(llvm), expected);
}

#[test]
fn errors_have_their_location() {
    let body = |text: &str| format!("define void @k(i32 %a, ptr %p) {{\n  {text}\n  ret void\n}}\n");
    rejected(&body("%x = add i32 %a, %missing"), "2:20: the value `%missing` is not defined");
    rejected(&body("%x = add i64 %a, 1"), "2:16: expected a value of this type");
    rejected(&body("br label %nowhere"), "2:12: the function has no block `nowhere`");
    rejected(&body("indirectbr ptr %p, []"), "2:3: `indirectbr` is not supported");
    rejected(&body("%a = add i32 1, 2"), "2:3: `%a` is already defined");
    rejected(&body("%x = load i32, ptr @g"), "3:3: `@g` is not defined");
    rejected(&body("%x = phi token [ undef, %0 ]"), "2:12: `phi token` is not supported");
    rejected("define void @k() {\n  ret void\n", "3:1: expected `}`");
    rejected("hello", "1:1: expected a function, a variable or another part of a module");
    rejected("@g = global i32 \"", "1:17: this string has no closing quote");
}
