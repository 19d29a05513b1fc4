//! The ends of C items.

use super::*;

#[track_caller]
fn check_items(text: &str, expected: &[&str]) {
    assert_eq!(items(&World::new(&[("main.cl", text)]).run("main.cl")), expected, "{text}");
}

/// The names that are types after a text.
fn types(text: &str) -> Vec<String> {
    let world = World::new(&[("main.cl", &format!("{text}\nstatic a, b, c, d, T, U, V, S, f, g;"))]);
    let chunk = world.run("main.cl");
    let mut last = Vec::new();
    chunk.for_each_item(&mut |_, item, _| last = item.tokens().to_vec());
    last.iter()
        .filter(|token| token.kind == TokenKind::TypeName)
        .map(|token| token.text.to_string())
        .collect()
}

#[test]
fn semicolons_and_function_bodies_end_items() {
    check_items(
        "int a; struct S { int x; } s;\nint b[] = { 1 };\nvoid f(int x) { if (x) { ; } }\nvoid g(void);",
        &[
            "int a ;",
            "struct S { int x ; } s ;",
            "int b [ ] = { 1 } ;",
            "void f ( int x ) { if ( x ) { ; } }",
            "void g ( void ) ;",
        ],
    );
}

#[test]
fn k_and_r_function_is_one_item() {
    for text in [
        "int f ( a , b ) int a ; float b ; { return a ; }",
        "int f ( a , b ) int a , b ; { return a ; }",
        "global int * f ( a ) global int * a ; { { } }",
        "int f ( a ) struct { int x ; } a ; { }",
    ] {
        check_items(&format!("int before; {text} int after;"), &["int before ;", text, "int after ;"]);
    }
    // An item that only resembles a function of C before 1989 ends with its declaration.
    check_items("int f(a) int b; int c; int d;", &["int f ( a ) int b ;", "int c ;", "int d ;"]);
    check_items("M(a) int b; { }", &["M ( a ) int b ;", "{ }"]);
}

#[test]
fn parameter_may_define_its_type() {
    for text in [
        "void f ( struct S { int x ; } s ) { }",
        "void f ( struct S { int x ; } * s , union { int x ; } const t [ 3 ] , enum E { A } ) { { } }",
        "void f ( struct { int x ; } s ) ;",
    ] {
        check_items(&format!("int before; {text} int after;"), &["int before ;", text, "int after ;"]);
    }
    // A token that cannot continue the parameter is not part of the item.
    check_items("int f(struct S { int x; }\nint after;", &["int f ( struct S { int x ; }", "int after ;"]);
}

#[test]
fn attributes_do_not_make_a_struct_a_function() {
    for text in [
        "struct __attribute__ ( ( packed ) ) { int x ; } s ;",
        "struct __attribute__ ( ( packed ) ) S { int x ; } s ;",
        "__attribute__ ( ( aligned ( 4 ) ) ) struct S { int x ; } s ;",
        "typedef union { int x ; } __attribute__ ( ( aligned ( 4 ) ) ) U ;",
        "struct S f ( struct S s ) { return s ; }",
        "__kernel __attribute__ ( ( reqd_work_group_size ( 8 , 1 , 1 ) ) ) void k ( ) { }",
        "void f ( ) __attribute__ ( ( noinline ) ) { }",
        "int ( * table [ ] ) ( int ) = { f , g } ;",
        "int ( * f ( int x ) ) ( int ) { return 0 ; }",
        "constant int a = ( int ) { 1 } . x ;",
        "enum { A , B } e ( ) { }",
    ] {
        check_items(&format!("int before; {text} int after;"), &["int before ;", text, "int after ;"]);
    }
}

#[test]
fn stray_brace_is_an_item() {
    check_items("int a; } int b; int c } int d;", &["int a ;", "}", "int b ;", "int c", "}", "int d ;"]);
}

#[test]
fn missing_parenthesis_affects_one_item() {
    check_items(
        "int f(int a;\nint g(int a { return 1; }\nvoid h(void) {}\nint i = (1;\nint j;",
        &[
            "int f ( int a ;",
            "int g ( int a { return 1 ; }",
            "void h ( void ) { }",
            "int i = ( 1 ;",
            "int j ;",
        ],
    );
}

#[test]
fn missing_brace_affects_one_item() {
    check_items(
        "void f(int x) {\n  if (x) {\n  int y;\n}\nvoid g(void) {}\nkernel void k() {}\nint z;",
        &[
            "void f ( int x ) { if ( x ) { int y ; }",
            "void g ( void ) { }",
            "kernel void k ( ) { }",
            "int z ;",
        ],
    );
    check_items(
        "void f(int x) {\n  if (x) {\n  int y;\n}\ntypedef int t;\nt g(void) {}\nt z;",
        &["void f ( int x ) { if ( x ) { int y ; }", "typedef int t ;", "t g ( void ) { }", "t z ;"],
    );
}

#[test]
fn missing_semicolon_affects_one_item() {
    check_items(
        "struct S { int x; }\nkernel void k() {}\nint a\nkernel void l() {}\nUNKNOWN(1)\nkernel void m() {}",
        &[
            "struct S { int x ; }",
            "kernel void k ( ) { }",
            "int a",
            "kernel void l ( ) { }",
            "UNKNOWN ( 1 )",
            "kernel void m ( ) { }",
        ],
    );
}

#[test]
fn typedefs_declare_type_names() {
    assert_eq!(types("typedef unsigned int a __attribute__((aligned(4))), *b;"), ["a", "b"]);
    assert_eq!(types("typedef void (*f)(int a, int b), (*g[2])(int);"), ["f", "g"]);
    assert_eq!(types("typedef struct S { int a; } T, *U;"), ["T", "U"]);
    assert_eq!(types("typedef struct S S; typedef struct S T;"), ["T", "S"]);
    assert_eq!(types("typedef struct __attribute__((packed)) { int b; } T;"), ["T"]);
    assert_eq!(types("typedef enum { a, b } T;"), ["T"]);
    assert_eq!(types("typedef int f(int a), T[4][2];"), ["T", "f"]);
    assert_eq!(types("typedef float T __attribute__((ext_vector_type(4)));"), ["T"]);
    assert_eq!(types("typedef unknown T; typedef T U; typedef T (V);"), ["T", "U", "V"]);
    assert_eq!(types("typedef __typeof__(a) T; typedef _Atomic(int) U;"), ["T", "U"]);
    assert_eq!(types("int typedef T; __extension__ typedef int U; typedef struct S { int a; };"), ["T", "U"]);
    assert_eq!(types("int a; struct b { int c; }; int f(int typed);"), [""; 0]);
}
