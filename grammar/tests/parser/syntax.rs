//! The syntax of OpenCL C, construct by construct: source text and the tree that the parser builds.

use crate::common::{complaints, parse_text};
use crate::print::print;

/// Checks a whole item.
#[track_caller]
fn check(source: &str, expected: &str) {
    let parse = parse_text(source, &["real", "T"]);
    assert_eq!(complaints(source, &["real", "T"]), "", "in {source}");
    assert_eq!(print(&parse), expected, "for {source}");
}

/// Checks a statement in a function with parameters `int a, int b, int *p`.
#[track_caller]
fn check_stmt(source: &str, expected: &str) {
    let function = format!("void f(int a, int b, int *p) {{ {source} }}");
    let parse = parse_text(&function, &["real", "T"]);
    assert_eq!(complaints(&function, &["real", "T"]), "", "in {source}");
    let head = "f: function(a: int, b: int, p: pointer to int) to void {";
    let printed = print(&parse);
    let body = printed.strip_prefix(head).and_then(|rest| rest.strip_suffix('}'));
    assert_eq!(body, Some(expected), "for {source}");
}

#[track_caller]
fn check_expr(source: &str, expected: &str) {
    check_stmt(&format!("{source};"), &format!("{expected};"));
}

#[test]
fn file_level_declarations_are_parsed() {
    check("", "");
    check(";;", "");
    check("int x;", "x: int");
    check("int x = 1, *y;", "x: int = 1\ny: pointer to int");
    check("_Static_assert(sizeof(int) == 4, \"four\" \"bytes\");", "");
    check("asm(\"nop\");", "");
    check("void f(void) {}", "f: function() to void {}");
    check("kernel void k() { return; }", "k: function() to Kernel void {return;}");
}

#[test]
fn specifiers_are_accepted_in_any_order() {
    check("unsigned const long static int x;", "x: Static const unsigned long int");
    check("const __global float * restrict p;", "p: restrict pointer to const Global float");
    check("float constant *constant p;", "p: Constant pointer to Constant float");
    check("extern __read_only image2d_t i;", "i: Extern ReadOnly image2d_t");
    check(
        "void f(pipe int p, read_only pipe float4 q);",
        "f: function(p: pipe int, q: ReadOnly pipe float4) to void",
    );
    check("_Atomic int a; ", "a: _Atomic int");
    check("_Atomic(int) b; ", "b: _Atomic <int>");
    check("typeof(1 + 2) c;", "c: typeof (1 + 2)");
    check("__typeof__(int *) c;", "c: typeof <pointer to int>");
    check("half h; bool b;", "h: half\nb: bool");
}

#[test]
fn declarators_are_parsed_from_the_name_outwards() {
    check("int *a[3];", "a: array[3] of pointer to int");
    check("int (*a)[3];", "a: pointer to array[3] of int");
    check("int (*f)(int, float x);", "f: pointer to function(_: int, x: float) to int");
    check("int (*(*f)(int))(void);", "f: pointer to function(_: int) to pointer to function() to int");
    check("int ****p;", "p: pointer to pointer to pointer to pointer to int");
    check("int * const volatile p;", "p: const volatile pointer to int");
    check("void (^block)(int);", "block: block pointer to function(_: int) to void");
    check("int a[], b[2][3];", "a: array[] of int\nb: array[2] of array[3] of int");
    check(
        "void f(int a[static 3], int b[const], int c[*]);",
        "f: function(a: array[3] of int, b: array[] of int, c: array[] of int) to void",
    );
    check(
        "int printf(constant char *format, ...);",
        "printf: function(format: pointer to Constant char ...) to int",
    );
    check(
        "void f(int (*)(real), int (real), int *[2]);",
        "f: function(_: pointer to function(_: real) to int, _: function(_: real) to int, _: array[2] of pointer to int) to void",
    );
}

#[test]
fn structs_unions_and_enums_are_parsed() {
    check(
        "struct S { int a, *b; float c[2]; };",
        "_: struct S {a: int; b: pointer to int; c: array[2] of float}",
    );
    check("struct S s;", "s: struct S");
    check("struct { int : 3; unsigned x : 5; } s;", "s: struct {_: int bits 3; x: unsigned bits 5}");
    check("struct S {};", "_: struct S {}");
    check(
        "typedef struct { union { int i; float f; }; ; } U;",
        "U: Typedef struct {_: union {i: int; f: float}}",
    );
    check("struct S { int n; int data[]; };", "_: struct S {n: int; data: array[] of int}");
    check("enum E { A, B = 1 << 2, C, };", "_: enum E {A, B = (1 << 2), C}");
    check("enum E e;", "e: enum E");
    check(
        "struct __attribute__((packed)) S { int a; } __attribute__((aligned(8)));",
        "_: struct S {a: int} @packed @aligned(8)",
    );
}

#[test]
fn attributes_are_accepted_in_all_usual_positions() {
    check(
        "__attribute__((reqd_work_group_size(64, 1, 1), unused)) kernel void k();",
        "k: function() to Kernel void @reqd_work_group_size(64,1,1) @unused",
    );
    check(
        "kernel __attribute__((vec_type_hint(float4))) void k(global int *p __attribute__((nonnull))) { }",
        "k: function(p: pointer to Global int @nonnull) to Kernel void @vec_type_hint(float4) {}",
    );
    check("int x __attribute__((aligned(16))) = 3, y;", "x: int @aligned(16) = 3\ny: int");
    check("typedef float f4 __attribute__((ext_vector_type(4)));", "f4: Typedef float @ext_vector_type(4)");
    check(
        "int f(int) __attribute__((overloadable)) __attribute__((const));",
        "f: function(_: int) to int @overloadable @const",
    );
    check("[[clang::noinline]] void f();", "f: function() to void @noinline");
    check("_Alignas(16) float x;", "x: float @_Alignas(16)");
    check("int x asm(\"r0\") = 1;", "x: int = 1");
    check("int * __attribute__((address_space(1))) p;", "p: pointer to int @address_space(1)");
    check_stmt(
        "__attribute__((opencl_unroll_hint(4))) for (;;) a++;",
        "@opencl_unroll_hint(4) for (; ; ) (a++);",
    );
    check_stmt("L: __attribute__((unused)); goto L;", "L: @unused ; goto L;");
}

#[test]
fn k_and_r_function_definitions_are_parsed() {
    check(
        "int f(a, b, c) global int *b; register int a, c[4]; { return a * b[c[0]]; }",
        "f: function(a: Register int, b: pointer to Global int, c: array[4] of Register int) to int \
         {return (a * b[c[0]]);}",
    );
    check(
        "global int *f(p, n) global int *p; { return p + n; }",
        "f: function(p: pointer to Global int, n: int) to pointer to Global int {return (p + n);}",
    );
    check(
        "int f(a) struct s { int x; } *a; { return a->x; } int y;",
        "f: function(a: pointer to struct s {x: int}) to int {return a->x;}\ny: int",
    );
}

#[test]
fn last_pack_pragma_before_members_applies_to_the_record() {
    check(
        "struct a {\n#pragma pack(4)\nunion { int x; } u; };\n#pragma pack()\nvoid f(struct b { int y; } z);\n\
         #pragma pack(1)\nstruct a; struct a;",
        "_: struct a {u: union @pack(4) {x: int}}\nf: function(z: struct b {y: int}) to void\n_: struct a\n_: struct a",
    );
    check_stmt("\n#pragma pack(1)\nstruct a { int x; } y; a;", "let y: struct a @pack(1) {x: int}; a;");
    check_stmt("a;\n#pragma pack(1)\n", "a;");
}

#[test]
fn unroll_pragma_applies_to_the_next_statement() {
    check_stmt("#pragma unroll 4\nfor (;;) ;", "#unroll 4 for (; ; ) ;");
    check_stmt("if (a)\n#pragma unroll\nwhile (b) ;", "if a [#unroll while b ;]");
    check_stmt("#pragma unroll\nint x = 1; a;", "#unroll let x: int = 1; a;");
    check_stmt("a = \n#pragma unroll\n b;", "(a = b);");
    check_stmt("{ a;\n#pragma unroll\n#pragma unroll\n}\n#pragma OPENCL EXTENSION x : enable\n", "{a;}");
    check_stmt("if (a) {\n#pragma OPENCL EXTENSION x : enable\n}", "if a [{}]");
}

#[test]
fn initializers_are_parsed() {
    check("int a[] = {1, 2, 3,};", "a: array[] of int = {1, 2, 3}");
    check("struct S s = {};", "s: struct S = {}");
    check("struct S s = {.a = 1, .b[2].c = {3}};", "s: struct S = {.a = 1, .b[2].c = {3}}");
    check("int a[9] = {[1] = 2, [3 ... 5] = 4};", "a: array[9] of int = {[1] = 2, [3 ... 5] = 4}");
    check("struct S s = {real: 1, b: 2};", "s: struct S = {.real = 1, .b = 2}");
}

#[test]
fn operator_precedence_and_associativity_match_c() {
    check_expr("a + b * 2 - 1", "((a + (b * 2)) - 1)");
    check_expr("a = b = 3", "(a = (b = 3))");
    check_expr("a <<= b | 1 ^ 2 & 3", "(a <<= (b | (1 ^ (2 & 3))))");
    check_expr("a || b && a == b < 3 >> 1", "(a || (b && (a == (b < (3 >> 1)))))");
    check_expr("a ? b : a ? 1 : 2", "(a ? b : (a ? 1 : 2))");
    check_expr("a ?: b", "(a ?  : b)");
    check_expr("a, b, 3", "((a, b), 3)");
    check_expr("-a++ + *p--", "((-(a++)) + (*(p--)))");
    check_expr("!~-+&*p", "(!(~(-(+(&(*p))))))");
    check_expr("f(a, (b, 1))[2].x->y", "f(a, paren (b, 1))[2].x->y");
    check_expr("sizeof a + sizeof(int) * sizeof(a)", "(sizeof a + (sizeof <int> * sizeof paren a))");
}

#[test]
fn casts_and_vector_literals_are_parsed() {
    check_expr("(float)a * b", "((<float> a) * b)");
    check_expr("(global float *)p", "(<pointer to Global float> p)");
    check_expr("(float4)(1, 2, a, b)", "(<float4> paren (((1, 2), a), b))");
    check_expr("(float4)(1, 2, a, b).xy", "(<float4> paren (((1, 2), a), b)).xy");
    check_expr("(float4)(a).x", "(<float4> paren a).x");
    check_expr("(real)(p).x", "(<real> paren p.x)");
    check_expr("(T)(1, 2).x", "(<T> paren (1, 2)).x");
    check_expr("-(int2)(1, 2)[0]", "(-(<int2> paren (1, 2))[0])");
    check_expr("(int2){1, 2}.x", "<int2>{1, 2}.x");
    check_expr("&(struct S){.a = 1}", "(&<struct S>{.a = 1})");
    check_expr("(void (*)(int))p", "(<pointer to function(_: int) to void> p)");
    check_expr("(a) - 1", "(paren a - 1)");
    check_expr("(a)(b)", "paren a(b)");
    check_expr("(real)-1", "(<real> (-1))");
}

#[test]
fn builtin_expression_forms_are_parsed() {
    check_expr("__builtin_astype(a, float)", "astype(a, <float>)");
    check_expr("__builtin_astype(a, int) ^ (b)", "(astype(a, <int>) ^ paren b)");
    check_expr("sizeof(int) ^ (b)", "(sizeof <int> ^ paren b)");
    check_expr("sizeof(int[]){1, 2}", "sizeof <array[] of int>{1, 2}");
    check_expr("__builtin_offsetof(struct S, a.b[1])", "offsetof(<struct S>, a.b[1])");
    check_expr("__builtin_va_arg(a, int *)", "va_arg(a, <pointer to int>)");
    check_expr(
        "_Generic(a, int: 1, real *: 2, default: 3)",
        "generic(a, int: 1, pointer to real: 2, default: 3)",
    );
    check_expr("_Alignof(int) + __alignof__ a", "(alignof <int> + alignof a)");
    check_expr("({ int x = 1; x; })", "({let x: int = 1; x;})");
    check_expr("\"a\" \"b\"", "\"a\" \"b\"");
    check_expr("p = &&out", "(p = &&out)");
    check_expr("__extension__ (a)", "paren a");
}

#[test]
fn types_are_accepted_as_call_arguments() {
    check_expr("vec_step(float4)", "vec_step(<float4>)");
    check_expr("va(int) + b", "(va(<int>) + b)");
    check_expr("va(a, const int *, b * c)", "va(a, <pointer to const int>, (b * c))");
    check_expr("vec_step(int) ^ (b)", "(vec_step(<int>) ^ paren b)");
    check_expr("va(real)", "va(<real>)");
}

#[test]
fn clang_blocks_are_parsed() {
    check_expr("^{ a; }", "^(){a;}");
    check_expr("^(int x) { return x; }", "^(x: int){return x;}");
    check_expr("^int (int x) { return x; }", "^<function(x: int) to int>(x: int){return x;}");
    check_expr("enqueue_kernel(a, ^(local void *q) { })", "enqueue_kernel(a, ^(q: pointer to Local void){})");
    check_expr("a ^ (b)", "(a ^ paren b)");
    check_stmt("void (^g)(void) = ^{ a; };", "let g: block pointer to function() to void = ^(){a;};");
}

#[test]
fn statements_are_parsed() {
    check_stmt("if (a) b; else if (b) a; else ;", "if a [b; else if b [a; else ;]]");
    check_stmt("if (a) if (b) 1; else 2;", "if a [if b [1; else 2;]]");
    check_stmt("if (a) while (b) if (1) 2; else 3;", "if a [while b if 1 [2; else 3;]]");
    check_stmt(
        "for (int i = 0, j; i < 3; i++) { continue; }",
        "for (let i: int = 0, j: int; (i < 3); (i++)) {continue;}",
    );
    check_stmt("for (a = 0; ; ) break;", "for ((a = 0); ; ) break;");
    check_stmt(
        "for (int i = 0, j = 0; a, f(i) < 3; i++, f(j)) ;",
        "for (let i: int = 0, j: int = 0; (a, (f(i) < 3)); ((i++), f(j))) ;",
    );
    check_stmt("for (T i = 0; a, (T)i; a, (i)) ;", "for (let i: T = 0; (a, (<T> i)); (a, paren i)) ;");
    check_stmt("do a--; while (a);", "do (a--); while a;");
    check_stmt(
        "switch (a) { case 1: case 2 ... 3: b; break; default: ; }",
        "switch a {case 1: case 2 ... 3: b; break; default: ;}",
    );
    check_stmt("switch (a) { case 1 ? 2 : 3: int x; }", "switch a {case (1 ? 2 : 3): let x: int;}");
    check_stmt("L: int x; goto L; M: N: ", "L: let x: int; goto L; M: N: ;");
    check_stmt("goto *p;", "goto *p;");
    check_stmt("asm volatile (\"nop\" : : \"r\"(a)); asm goto (\"\" :::: L, M);", "asm[]; asm[L M];");
    check_stmt("int x; x = 1; int y;", "let x: int; (x = 1); let y: int;");
    check_stmt("typedef int I; I x;", "let I: Typedef int; let x: I;");
    check_stmt("_Static_assert(1, \"\"); static const int x = 1;", "let ; let x: Static const int = 1;");
}

#[test]
fn latest_declaration_decides_whether_name_is_a_type() {
    check_stmt("real real = 1; real * 2; (real) - 1;", "let real: real = 1; (real * 2); (paren real - 1);");
    check_stmt("{ int T; T * a; } T * c;", "{let T: int; (T * a);} let c: pointer to T;");
    check_stmt("a * b; real * c;", "(a * b); let c: pointer to real;");
    check_stmt("enum { T = 1 }; T * a;", "let _: enum {T = 1}; (T * a);");
    check_stmt("typedef real a; a * c;", "let a: Typedef real; let c: pointer to a;");
    check_stmt("p->real.T = 1; goto real; real: ;", "(p->real.T = 1); goto real; real: ;");
    check("void f(int real) { real * 2; }", "f: function(real: int) to void {(real * 2);}");
    check("struct real { real real; real *T; };", "_: struct real {real: real; T: pointer to real}");
    check("typedef unsigned int real;", "real: Typedef unsigned int");
}

#[test]
fn type_name_is_recognised_at_start_of_statement_or_operand() {
    check_stmt("for (T i = 0; ;) T * c;", "for (let i: T = 0; ; ) let c: pointer to T;");
    check_stmt("T (x); T (*q)[3];", "let x: T; let q: pointer to array[3] of T;");
    check_stmt("return (T){0};", "return <T>{0};");
    check_stmt("a = a ? (T)&b : (T)*p;", "(a = (a ? (<T> (&b)) : (<T> (*p))));");
    check_stmt("p = (T[2]){1, 2};", "(p = <array[2] of T>{1, 2});");
    check_stmt("{ } T *x; while (a) { } T *y;", "{} let x: pointer to T; while a {} let y: pointer to T;");
    check_stmt("do ; while (a); T *x;", "do ; while a; let x: pointer to T;");
    check_stmt(
        "switch (a) { case 0: { } T *x; default: T *y; }",
        "switch a {case 0: {} let x: pointer to T; default: let y: pointer to T;}",
    );
    check_stmt("L: T *x; ({ T *y; y; });", "L: let x: pointer to T; ({let y: pointer to T; y;});");
    check_stmt(
        "local T x[64]; const T *y; int f(), g();",
        "let x: array[64] of Local T; let y: pointer to const T; let f: function() to int, g: function() to int;",
    );
    check_stmt(
        "struct S { T a; } s, *t; enum E { A } e = A;",
        "let s: struct S {a: T}, t: pointer to struct S {a: T}; let e: enum E {A} = A;",
    );
    check_stmt(
        "int T = sizeof(T); f(T * 2, (T), -T);",
        "let T: int = sizeof paren T; f((T * 2), paren T, (-T));",
    );
    check(
        "void (*signal(int, void (*)(int)))(int);",
        "signal: function(_: int, _: pointer to function(_: int) to void) to pointer to function(_: int) to void",
    );
    check(
        "typedef struct S S; struct S { S *next; };",
        "S: Typedef struct S\n_: struct S {next: pointer to S}",
    );
    check(
        "__attribute__((unused)) static struct S { int a; } s = { 1 };",
        "s: Static struct S {a: int} @unused = {1}",
    );
}

#[test]
fn opencl_keywords_may_be_used_as_names() {
    check_stmt(
        "int pipe = 3; pipe = pipe + 1; p[pipe] *= pipe;",
        "let pipe: int = 3; (pipe = (pipe + 1)); (p[pipe] *= pipe);",
    );
    check_stmt("a = p->global.kernel + b;", "(a = (p->global.kernel + b));");
    check_stmt(
        "float kernel[9], generic; kernel[0] = generic * (generic);",
        "let kernel: array[9] of float, generic: float; (kernel[0] = (generic * paren generic));",
    );
    check(
        "void f(int local, float *private) { local++; f(local, private); }",
        "f: function(local: int, private: pointer to float) to void {(local++); f(local, private);}",
    );
    check_stmt(
        "local int x; global float *q = (global float *)p;",
        "let x: Local int; let q: pointer to Global float = (<pointer to Global float> p);",
    );
}

/// Checks sources with undeclared names.
#[track_caller]
/// In `unknown`, a name alone is a name parsed as a type. Another interpretation is a word before the name.
fn check_unknown(source: &str, unknown: &[&str], expected: &str) {
    let of_word = |word: &&str| match word.contains(' ') {
        true => format!("unknown {word}"),
        false => format!("unknown type {word}"),
    };
    let lines: Vec<String> = unknown.iter().map(of_word).collect();
    assert_eq!(complaints(source, &[]), lines.join("\n"), "in {source}");
    assert_eq!(print(&parse_text(source, &[])), expected, "for {source}");
}

#[test]
fn unknown_name_in_type_position_is_a_type() {
    check_unknown("foo x;", &["foo"], "x: foo");
    check_unknown(
        "const foo *f(bar, const baz x);",
        &["foo", "bar", "baz"],
        "f: function(_: bar, x: const baz) to pointer to const foo",
    );
    check_unknown("struct S { foo a; bar *b; };", &["foo", "bar"], "_: struct S {a: foo; b: pointer to bar}");
    check_unknown("typedef foo bar;", &["foo"], "bar: Typedef foo");
    check_unknown("static x = 1;", &[], "x: Static  = 1");
    check_unknown(
        "void f(global foo *p) { foo a; bar *b = (bar *)p; baz c = (qux) p; sizeof(quux *); a * c; }",
        &["foo", "bar", "baz", "qux", "quux"],
        "f: function(p: pointer to Global foo) to void {let a: foo; let b: pointer to bar = (<pointer to bar> p); \
         let c: baz = (<qux> p); sizeof <pointer to quux>; (a * c);}",
    );
    check_unknown(
        "void f() { g * h; (x) - 1; (y)(z); k(x); }",
        &["g"],
        "f: function() to void {let h: pointer to g; (paren x - 1); paren y(z); k(x);}",
    );
}

#[test]
fn unknown_word_next_to_a_type_is_skipped() {
    check_unknown("INLINE void f();", &["word INLINE"], "f: function() to void");
    check_unknown(
        "INLINE foo f(CONST bar *p);",
        &["word INLINE", "foo", "word CONST", "bar"],
        "f: function(p: pointer to bar @CONST) to foo",
    );
    check_unknown("void NOINLINE f() {}", &["word NOINLINE"], "f: function() to void {}");
    check_unknown(
        "WORKGROUP(64, 1) kernel void f() {}",
        &["word WORKGROUP"],
        "f: function() to Kernel void {}",
    );
    check_unknown(
        "void f(SPACE foo (*p)[64], SPACE bar (*q)(int)) { p = (SPACE foo *)p; }",
        &["word SPACE", "foo", "bar"],
        "f: function(p: pointer to array[64] of foo @SPACE, q: pointer to function(_: int) to bar @SPACE) to void {(p = (<pointer to foo> p));}",
    );
    check_unknown(
        "kernel void BOUNDS(64) f(int x) {}",
        &["word BOUNDS"],
        "f: function(x: int) to Kernel void {}",
    );
    check_unknown("KERNEL(foo) { return; }", &["foo"], "KERNEL: function(_: foo) to  {return;}");
    check_unknown("DECLARE(x);", &["word DECLARE"], "");
    check_unknown("static INLINE float4 f();", &["word INLINE"], "f: function() to Static float4");
}

#[test]
fn role_of_unknown_macro_follows_from_its_position() {
    check_unknown(
        "void f() { LOAD for (;;) { STEP(1) } SAVE }",
        &["statement LOAD", "statement STEP", "statement SAVE"],
        "f: function() to void {LOAD; for (; ; ) {STEP(1);} SAVE;}",
    );
    check_unknown(
        "void f() { LOAD SAVE(1) barrier(1); if (a) LOAD else SAVE }",
        &["statement LOAD", "statement SAVE"],
        "f: function() to void {LOAD; SAVE(1); barrier(1); if a [LOAD; else SAVE;]}",
    );
    check_unknown(
        "void f() { EACH(i, n) { g(i); } TYPE x; TYPE *y; TYPE z(int a); }",
        &["statement EACH", "type TYPE"],
        "f: function() to void {EACH(i, n); {g(i);} let x: TYPE; let y: pointer to TYPE; let z: function(a: int) to TYPE;}",
    );
    check_unknown(
        "void f(int n) { unroll_for (int i = 0; i < n; i++) g(i); }",
        &["loop unroll_for"],
        "f: function(n: int) to void {for (let i: int = 0; (i < n); (i++)) g(i);}",
    );
    check_unknown(
        "void f(int a EXTRA) { g(a MORE); g(1 MORE, a); }",
        &["word EXTRA", "arguments MORE"],
        "f: function(a: int) to void {g(a, MORE…); g(1, MORE…, a);}",
    );
    check_unknown(
        "float f(const event type EXTRA) { return type; }",
        &["type event", "word EXTRA"],
        "f: function(type: const event) to float {return type;}",
    );
    check_unknown("ATTRIBUTE", &["word ATTRIBUTE"], "");
    check_unknown(
        "KERNEL(foo)(global int *p MORE) { return; }",
        &["name KERNEL", "word MORE"],
        "KERNEL(foo): function(p: pointer to Global int) to  {return;}",
    );
    check_unknown(
        "kernel void NAME(foo, int)(global int *p) { return; }",
        &["name NAME"],
        "NAME(foo,int): function(p: pointer to Global int) to Kernel void {return;}",
    );
}
