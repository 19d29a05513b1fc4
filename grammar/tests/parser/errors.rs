//! The messages for text that is not OpenCL C, and the parts of the text that are still parsed.

use crate::common::{complaints, parse_text};
use crate::print::print;
use expect_test::{Expect, expect};

#[track_caller]
fn check(source: &str, expected: Expect) {
    expected.assert_eq(&format!("{}\n{}", complaints(source, &[]), print(&parse_text(source, &[]))));
}

#[test]
fn missing_semicolon_is_reported_and_inserted() {
    check(
        "void f(int a) { a = 1 a = 2; }",
        expect![[r#"
        behind 1: expected `;` after the expression, found `a`
        f: function(a: int) to void {(a = 1); (a = 2);}"#]],
    );
    check(
        "void f(int a) { return a }",
        expect![[r#"
        behind a: expected `;` after `a`, found `}`
        f: function(a: int) to void {return a;}"#]],
    );
    check(
        "void f(int a) { a++ int b; float4 c }",
        expect![[r#"
        behind ++: expected `;` after the expression, found `int`
        behind c: expected `;` after `c`, found `}`
        f: function(a: int) to void {(a++); let b: int; let c: float4;}"#]],
    );
    check(
        "struct S { int a int b; };",
        expect![[r#"
        behind a: expected `;` after `a`, found `int`
        _: struct S {a: int; b: int}"#]],
    );
    check(
        "int x",
        expect![[r#"
        behind x: expected `;` after `x`, found the end of the input
        x: int"#]],
    );
    check(
        "void f(int a) { for (a = 0 a < 1; a++) ; break if (a) ; }",
        expect![[r#"
        behind 0: expected `;` after the expression, found `a`
        behind break: expected `;` after `break`, found `if`
        f: function(a: int) to void {for ((a = 0); (a < 1); (a++)) ; break; if a [;]}"#]],
    );
}

#[test]
fn unmatched_bracket_is_reported_at_its_location() {
    check(
        "void f(int a) { f(a; f(1); }",
        expect![[r#"
        at (: unclosed `(`
        f: function(a: int) to void {f(a); f(1);}"#]],
    );
    check(
        "void f(int a) { if (a { f(1); } }",
        expect![[r#"
        at (: unclosed `(`
        f: function(a: int) to void {if a [{f(1);}]}"#]],
    );
    check(
        "void f(int a) { for (a = 0; a < 1; a++ { f(a[1); } }",
        expect![[r#"
        at (: unclosed `(`
        at [: unclosed `[`
        f: function(a: int) to void {for ((a = 0); (a < 1); (a++)) {f(a[1]);}}"#]],
    );
    check(
        "void f(int a, int b { f(a); }",
        expect![[r#"
        at (: unclosed `(`
        f: function(a: int, b: int) to void {f(a);}"#]],
    );
    check(
        "void f(int a) { if (a) { f(a); }",
        expect![[r#"
        at {: unclosed `{`
        f: function(a: int) to void {if a [{f(a);}]}"#]],
    );
    check(
        "void f(int a) { f(a)); f(1); }",
        expect![[r#"
        at ): unmatched `)`
        f: function(a: int) to void {f(a); f(1);}"#]],
    );
    check(
        "enum { A = 1, B; void f(int x) { x = 1; }",
        expect![[r#"
        at {: unclosed `{`
        at ;: expected `,` or `}` after `B`, found `;`
    "#]],
    );
    check(
        "void f() { } }",
        expect![[r#"
        at }: unmatched `}`
        f: function() to void {}"#]],
    );
}

#[test]
fn error_discards_only_the_smallest_part_around_it() {
    check(
        "void f(int a) { f(a +); f(1); }",
        expect![[r#"
        at ): expected an expression after `+`, found `)`
        f: function(a: int) to void {f(<error>); f(1);}"#]],
    );
    check(
        "void f(int a) { if (a ==) f(1); else f(2); }",
        expect![[r#"
        at ): expected an expression after `==`, found `)`
        f: function(a: int) to void {if <error> [f(1); else f(2);]}"#]],
    );
    check(
        "void f(int a) { while () f(1); for (a) f(2); }",
        expect![[r#"
            at ): expected an expression after `(`, found `)`
            at ): expected `;` after `a`, found `)`
            f: function(a: int) to void {while <error> f(1); for (<error> ; ) f(2);}"#]],
    );
    check(
        "void f(int a) { a = = 1; f(2); }",
        expect![[r#"
        at =: expected an expression after `=`, found `=`
        f: function(a: int) to void {<error> f(2);}"#]],
    );
    check(
        "void f(int a) { else f(1); f(2); }",
        expect![[r#"
            at else: `else` without a matching `if`
            f: function(a: int) to void {f(1); f(2);}"#]],
    );
    check(
        "void f(int a) { int = 3; f(2); }",
        expect![[r#"
            at =: expected a name or `;` after `int`, found `=`
            f: function(a: int) to void {<error> f(2);}"#]],
    );
    check(
        "void f(int a,, int b) { f(a); }",
        expect![[r#"
        at ,: expected a type after `,`, found `,`
        f: function(a: int, b: int) to void {f(a);}"#]],
    );
    check(
        "void f(int a,) { f(a); }",
        expect![[r#"
        at ): expected a type after `,`, found `)`
        f: function(a: int) to void {f(a);}"#]],
    );
    check(
        "struct S { int a; int 3; int b; };",
        expect![[r#"
            at 3: expected a name or `;` after `int`, found `3`
            _: struct S {a: int; b: int}"#]],
    );
    check(
        "void f(int a) { a @ 3; f(1); }",
        expect![[r#"
        at @: unexpected `@`
        f: function(a: int) to void {<error> f(1);}"#]],
    );
    check(
        "void f(int a) { f(\"abc); f(1); }",
        expect![[r#"
            at ": unterminated literal `"`: the closing quote is missing
            f: function(a: int) to void {f(<error>); f(1);}"#]],
    );
    check(
        "void f(int a) { switch (a) { case : f(1); case 2: f(2); } }",
        expect![[r#"
        at :: expected an expression after `case`, found `:`
        f: function(a: int) to void {switch a {<error> case 2: f(2);}}"#]],
    );
    check(
        "void f(int a) { a ? 1; f(2); }",
        expect![[r#"
            at ;: expected `:` after `1`, found `;`
            f: function(a: int) to void {<error> f(2);}"#]],
    );
    check(
        "void f(int a) { do f(1); f(2); }",
        expect![[r#"
            at f: expected `while` after `;`, found `f`
            f: function(a: int) to void {<error>}"#]],
    );
    check(
        "int a[] = {1, 2 3}; ",
        expect![[r#"
            at 3: expected `,` or `}` after the expression, found `3`
            a: array[] of int = {1, <error>}"#]],
    );
    check(
        "enum E { A = , B };",
        expect![[r#"
            at ,: expected an expression after `=`, found `,`
            _: enum E {A = <error>, B}"#]],
    );
    check(
        "a b c d e;",
        expect![[r#"
            unknown word a
            unknown word b
            unknown word c
            unknown type d
            e: d"#]],
    );
    check(
        "template<class T> void f(T x) { }",
        expect![[r#"
            at <: expected a name or `;` after `template`, found `<`
        "#]],
    );
}

#[test]
fn type_keyword_is_rejected_as_a_name() {
    let first = |source: &str| complaints(source, &[]).lines().next().unwrap_or_default().to_owned();
    let half = ": `half` is a type";
    assert!(first("void f() { int half = 3; }").ends_with(half));
    assert!(first("float half(float x) { return x; }").ends_with(half));
    assert!(first("void f() { a = half + 1; }").ends_with("found `half`, which is a type"));
    assert!(first("void f() { int a = 1, half = 2; }").ends_with("found `half`, which is a type"));
    assert!(first("void f() { int = 2; }").ends_with("found `=`"));
}

#[test]
fn invalid_numbers_are_reported() {
    check(
        "int x = 09 + 0x;",
        expect![[r#"
        at 09: invalid number `09`: `9` is not an octal digit
        at 0x: invalid number `0x`: it has no digits
        x: int = (09 + 0x)"#]],
    );
}

#[test]
fn item_with_too_many_errors_is_discarded() {
    let many = "a = = 1; ".repeat(30);
    let parse = parse_text(&format!("void f(int a) {{ {many} }}"), &[]);
    assert_eq!(parse.errors.len(), tangle_grammar::MAX_ERRORS + 1);
    assert!(parse.ast.items.is_empty());
}
