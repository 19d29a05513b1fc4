//! The messages for text that is not C++, and the parts of the text that are still parsed.

use crate::common::{complaints, parse_text};
use crate::print::print;
use expect_test::{Expect, expect};

#[track_caller]
fn check(source: &str, expected: Expect) {
    expected.assert_eq(&format!("{}\n{}", complaints(source), print(&parse_text(source))));
}

#[test]
fn missing_semicolon_is_reported_and_inserted() {
    check(
        "__device__ void f(int a) { a = 1 a = 2; }",
        expect![[r#"
        behind 1: expected `;` after the expression, found `a`
        f: function(a: int) to Device void {(a = 1); (a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { __syncthreads() a = 2; }",
        expect![[r#"
        behind ): expected `;` after the expression, found `a`
        f: function(a: int) to Device void {__syncthreads(); (a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { int b = 3 int c; return a }",
        expect![[r#"
        behind 3: expected `;` after the expression, found `int`
        behind a: expected `;` after `a`, found `}`
        f: function(a: int) to Device void {let b: int = 3; let c: int; return a;}"#]],
    );
    check(
        "__device__ void f(int a) { Foo x float y; x.g() if (a) ; }",
        expect![[r#"
        behind x: expected `;` after `x`, found `float`
        behind ): expected `;` after the expression, found `if`
        f: function(a: int) to Device void {let x: Foo; let y: float; x.g(); if a [;]}"#]],
    );
    check(
        "struct A { int x int y; __device__ void g() { x = 3 } };",
        expect![[r#"
        behind x: expected `;` after `x`, found `int`
        behind 3: expected `;` after `3`, found `}`
        _: struct A {x: int; y: int; g: function() to Device void {(x = 3);}}"#]],
    );
}

#[test]
fn error_discards_only_the_smallest_part_around_it() {
    check(
        "__device__ void f(int a) { a = = 1; g(a +); a = 2; }",
        expect![[r#"
        at =: expected an expression after `=`, found `=`
        at ): expected an expression after `+`, found `)`
        f: function(a: int) to Device void {<error> g(<error>); (a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { if (a { g(1); } }",
        expect![[r#"
        at (: unclosed `(`
        f: function(a: int) to Device void {if a [{g(1);}]}"#]],
    );
    check(
        "__device__ void f(int a) { g<int(a); a = 2; }",
        expect![[r#"

        f: function(a: int) to Device void {(g < new <int>(a)); (a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { auto l = [](int x) { x = ; x = 2; }; a = 2; }",
        expect![[r#"
        at ;: expected an expression after `=`, found `;`
        f: function(a: int) to Device void {let l: auto = [](x: int){<error> (x = 2);}; (a = 2);}"#]],
    );
    check(
        "struct A { int x; int ]; __device__ void g() { x = 3; } };",
        expect![[r#"
        at ]: unmatched `]`
        _: struct A {x: int; _: int; g: function() to Device void {(x = 3);}}"#]],
    );
    check(
        "__device__ void f(int a, int +) { a = 2; }",
        expect![[r#"
        at +: expected a type, `)` or `,` after `int`, found `+`
        f: function(a: int) to Device void {(a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { else a = 2; }",
        expect![[r#"
        at else: `else` without a matching `if`
        f: function(a: int) to Device void {(a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { a = 09 + 0_km; }",
        expect![[r#"
        at 09: invalid number `09`: `9` is not an octal digit
        f: function(a: int) to Device void {(a = (09 + 0_km));}"#]],
    );
}

#[test]
fn unsupported_syntax_is_opaque_without_error() {
    check(
        "__device__ void f(int a) { try { a = 3; } catch (...) { } a = 2; }",
        expect![[r#"
        opaque try: try { a = 3 ; } catch ( ... ) { }
        f: function(a: int) to Device void {<opaque try> (a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { a = 1; co_return a; co_await a; a = 2; }",
        expect![[r#"
        opaque coroutine: co_await a ;
        f: function(a: int) to Device void {(a = 1); <opaque coroutine> <co_await>(a); (a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { a = 1; (x.*g)(3); a = 2; }",
        expect![[r#"
        opaque pointer to member: ( x . * g ) ( 3 ) ;
        f: function(a: int) to Device void {(a = 1); <opaque pointer to member> (a = 2);}"#]],
    );
    check(
        "__device__ void f(int a) { if (a) { x->*g = _Generic(a, int: 3); } a = 2; }",
        expect![[r#"
        opaque pointer to member: x -> * g = _Generic ( a , int : 3 ) ;
        f: function(a: int) to Device void {if a [{<opaque pointer to member>}] (a = 2);}"#]],
    );
}

#[test]
fn item_with_too_many_unsupported_parts_is_opaque() {
    let source = format!("__device__ void f(int a) {{ {} }}", "(x.*g)(3); ".repeat(100));
    let parse = parse_text(&source);
    assert_eq!(parse.errors, []);
    assert_eq!(parse.opaque.len(), 1);
}
