//! Words that only a missing header defines.

use crate::common::{complaints, parse_text};
use crate::print::print;
use expect_test::{Expect, expect};

#[track_caller]
fn check(source: &str, expected: Expect) {
    expected.assert_eq(&format!("{}\n{}", complaints(source), print(&parse_text(source))));
}

#[test]
fn unknown_macros_among_specifiers_are_skipped() {
    check(
        "DEVICE_INLINE int g(int x) { return x; }",
        expect![[r#"
            unknown Ignored DEVICE_INLINE
            g: function(x: int) to int {return x;}"#]],
    );
    check(
        "__global__ void C10_LAUNCH_BOUNDS_1(256) k(int x) {}",
        expect![[r#"
            unknown Ignored C10_LAUNCH_BOUNDS_1
            k: function(x: int) to Kernel void {}"#]],
    );
    check(
        "C10_LAUNCH_BOUNDS_1(256) __global__ void k(const float *GGML_RESTRICT x, int NAME) {}",
        expect![[r#"
            unknown Ignored C10_LAUNCH_BOUNDS_1
            unknown Ignored GGML_RESTRICT
            k: function(x: pointer to const float, NAME: int) to Kernel void {}"#]],
    );
    check(
        "template <typename U> HOST DEVICE static U g(U x) { return x; }",
        expect![[r#"
            unknown Ignored HOST
            unknown Ignored DEVICE
            g: function(x: U) to Static U template<typename U> {return x;}"#]],
    );
    check(
        "struct EXPORT A { HD A() {} HD(x) void g() {} };",
        expect![[r#"
            unknown Ignored EXPORT
            unknown Ignored HD
            _: struct A {A: function() to  Constructor {}; g: function() to void {}}"#]],
    );
    check(
        "__device__ void g() NOTHROW { }",
        expect![[r#"
            unknown Ignored NOTHROW
            g: function() to Device void {}"#]],
    );
    check(
        "NS_BEGIN namespace n { __device__ int x; } NS_END",
        expect![[r#"
            unknown Ignored NS_BEGIN
            unknown Ignored NS_END
            x: Device int"#]],
    );
    check(
        "HOST_DEVICE template <typename U> U g();",
        expect![[r#"
            unknown Ignored HOST_DEVICE
            g: function() to U template<typename U>"#]],
    );
    check(
        "__host__ inline template <typename U> U g();",
        expect![[r#"

        g: function() to Host Inline U template<typename U>"#]],
    );
}

#[test]
fn unknown_macro_may_be_a_statement_or_a_loop() {
    check(
        "__device__ void g(int a) { SYNC LOAD(a) if (a) { CHECK(a) } UNROLL for (;;) {} }",
        expect![[r#"
        unknown Statement SYNC
        unknown Statement LOAD
        unknown Statement CHECK
        unknown Statement UNROLL
        g: function(a: int) to Device void {SYNC; LOAD(a); if a [{CHECK(a);}] UNROLL; for (; ; ) {}}"#]],
    );
    check(
        "__device__ void g(int a) { LOOP(i, a) { a = i; } for_all (int i = 0; i < 3; i++) a++; }",
        expect![[r#"
        unknown Loop LOOP
        unknown Loop for_all
        g: function(a: int) to Device void {while LOOP {(a = i);} for (let i: int = 0; (i < 3); (i++)) (a++);}"#]],
    );
    check(
        "__device__ void g(int a) { CHECK(a != 3) Foo *x = y; }",
        expect![[r#"
            unknown Statement CHECK
            g: function(a: int) to Device void {CHECK((a != 3)); let x: pointer to Foo = y;}"#]],
    );
    check(
        "__device__ void g(int a) { IF_TARGET(SM_90, (f(); return;), (h();)) a = 3; }",
        expect![[r#"
        opaque macro: IF_TARGET ( SM_90 , ( f ( ) ; return ; ) , ( h ( ) ; ) )
        unknown Statement IF_TARGET
        g: function(a: int) to Device void {<opaque macro> (a = 3);}"#]],
    );
}

#[test]
fn unknown_macro_may_define_or_name_a_function() {
    check(
        "KERNEL(name) { a = 3; }",
        expect![[r#"

        KERNEL: function(_: name) to  {(a = 3);}"#]],
    );
    check(
        "__global__ void NAME(k, float)(int x) { x = 3; }",
        expect![[r#"
            unknown FunctionNameMacro NAME
            NAME(k,float): function(x: int) to Kernel void {(x = 3);}"#]],
    );
    check(
        "REGISTER(a, 3 + 4);",
        expect![[r#"
            unknown Ignored REGISTER
        "#]],
    );
    check(
        "REGISTER(a).name(\"x\");",
        expect![[r#"
            unknown Ignored REGISTER
        "#]],
    );
}
