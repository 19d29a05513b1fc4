//! Invalid declarations are errors for tangle and for clang; valid ones are errors for neither.
//!
//! Needs clang-19 for the comparison. Without it, the test prints a message and checks only our own errors.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tangle_analysis::tangle::Model;
use tangle_rules::check;
use tangle_syntax::db::Database;
use tangle_syntax::source::{Macro, NoHeaders};

/// Texts that no compiler accepts, each with a part of our message.
const WRONG: &[(&str, &str)] = &[
    ("int float x;", "invalid combination of type specifiers"),
    ("unsigned float x;", "invalid combination of type specifiers"),
    ("unsigned signed x;", "invalid combination of type specifiers"),
    ("short long x;", "invalid combination of type specifiers"),
    ("short char x;", "invalid combination of type specifiers"),
    ("long half x;", "invalid combination of type specifiers"),
    ("struct s { int x; }; long struct s x;", "invalid combination of type specifiers"),
    ("struct s { int x; }; union s *p;", "is declared with another one of"),
    ("enum e { A }; struct e *p;", "is declared with another one of"),
    ("struct s { float x : 3; };", "a bit-field must have an integer type"),
    ("struct s { int x : 33; };", "the width of this bit-field"),
    ("struct s { int x : 0; };", "the width of this bit-field"),
    ("struct s { struct t x; };", "is an incomplete type"),
    ("struct s { void x; };", "is an incomplete type"),
    ("struct s { struct s x; };", "is an incomplete type"),
    ("kernel void k(int *p) { }", "a pointer parameter of a kernel"),
    ("kernel void k(private int *p) { }", "a pointer parameter of a kernel"),
    ("kernel void k(float a[3]) { }", "a pointer parameter of a kernel"),
    ("kernel void k(global int **p) { }", "a pointer parameter of a kernel"),
    ("kernel int k(void) { return 1; }", "a kernel must return `void`, but this one returns `int`"),
    ("kernel float4 *k(void);", "a kernel must return `void`"),
    ("static kernel void k(void) { }", "a kernel cannot be `static`"),
    ("kernel void k(bool b) { }", "`bool` is not allowed as a kernel parameter type"),
    ("kernel void k(size_t n) { }", "`size_t` is not allowed as a kernel parameter type"),
    ("kernel void k(const ptrdiff_t n) { }", "`ptrdiff_t` is not allowed as a kernel parameter type"),
    ("kernel void k(intptr_t n) { }", "`intptr_t` is not allowed as a kernel parameter type"),
    ("kernel void k(uintptr_t n) { }", "`uintptr_t` is not allowed as a kernel parameter type"),
    ("typedef size_t count; kernel void k(count n) { }", "`count` is not allowed as a kernel parameter type"),
    ("kernel void k(event_t e) { }", "`event_t` is not allowed as a kernel parameter type"),
    ("kernel void k(reserve_id_t r) { }", "`reserve_id_t` is not allowed as a kernel parameter type"),
    ("kernel void k(ndrange_t n) { }", "`ndrange_t` is not allowed as a kernel parameter type"),
    ("kernel void k(global image2d_t *i) { }", "is not allowed as a kernel parameter type"),
    ("kernel void k(constant sampler_t *s) { }", "is not allowed as a kernel parameter type"),
    (
        "typedef int (^block)(int); kernel void k(global block *b) { }",
        "is not allowed as a kernel parameter type",
    ),
    ("kernel void k(int (^b)(int)) { }", "is not allowed as a kernel parameter type"),
    (
        "typedef struct { size_t n; } s; kernel void k(s x) { }",
        "`s` is not allowed as a kernel parameter type",
    ),
    (
        "typedef struct { bool b[2]; } s; typedef struct { s x[3]; } t; kernel void k(t x) { }",
        "`t` is not allowed as",
    ),
    ("typedef size_t pair[2]; typedef struct { pair p; } s; kernel void k(s x) { }", "`s` is not allowed as"),
    ("struct s { event_t e; };", "a member of a struct or union cannot have type `event_t`"),
    ("struct s { sampler_t e; };", "a member of a struct or union cannot have type `sampler_t`"),
    ("struct s { image2d_t e; };", "a member of a struct or union cannot have type"),
    ("struct s { int (^b)(int); };", "a member of a struct or union cannot have type"),
    ("struct s { int n; int rest[]; int more; };", "is an incomplete type"),
    ("void f(void) { int a[]; }", "is an incomplete type"),
    ("int f(void) { return sizeof(int[]); }", "is an incomplete type"),
    ("global int a[-1];", "negative"),
    ("int f(int n, int a[n]) { return a[0]; }", "expected a constant expression"),
    ("void f(int n) { const int m = n; int a[m]; }", "expected a constant expression"),
    ("void f(const int n) { int a[n]; }", "expected a constant expression"),
    ("void f(void) { int n = 2; int a[n]; }", "expected a constant expression"),
    ("void f(void) { const volatile int n = 2; int a[n]; }", "expected a constant expression"),
    ("int n = 2; constant int m = n;", "expected a constant expression"),
    ("extern const int n; constant int m = n;", "expected a constant expression"),
    ("constant int n = n + 1;", "expected a constant expression"),
    ("constant int n = as_int(1.0f);", "expected a constant expression"),
    (
        "constant int a = 1, b = 1; void f(int x) { switch (x) { case a: case b: ; } }",
        "duplicate `case` value 1",
    ),
];

/// Texts that every compiler accepts.
const RIGHT: &[&str] = &[
    "unsigned long int x; long unsigned y; int short z; char unsigned u; signed v; long signed int w;",
    "typedef int __attribute__((ext_vector_type(2 * sizeof(short)))) v; int4 f(v a) { return a.wzyx; }",
    "typedef struct { int x; } pair, *pair_p; int f(pair_p p) { pair q = *p; p = &q; return p->x; }",
    "typedef struct s s_t; struct s { int x; }; struct t { s_t a[2]; s_t b; }; int f(struct t *t) { return t->a[1].x; }",
    "enum e { A = -1, B = 3000000000 }; typedef char wide[sizeof(enum e) == 8 ? 1 : -1];",
    "enum e { A, B = 3000000000 }; typedef char narrow[sizeof(enum e) == 4 && sizeof(A) == 4 ? 1 : -1];",
    "enum e { A = 5000000000 }; typedef char wide[sizeof(A) == 8 && sizeof(enum e) == 8 ? 1 : -1];",
    "struct s { char c; int x __attribute__((packed)); }; typedef char packed[sizeof(struct s) == 5 ? 1 : -1];",
    "struct s { char c; int x; } __attribute__((packed)) v; typedef char packed[sizeof(v) == 5 ? 1 : -1];",
    "struct s { char c; } __attribute__((aligned(sizeof(float4)))); typedef char a[sizeof(struct s) == 16 ? 1 : -1];",
    "kernel void k(global int *a, local float *b, constant char *c, global int *global *d, image2d_t i) { }",
    "struct s { int : 0; int x : 3; union { int a; float b; }; struct { char c; } d; };",
    "kernel void k(global size_t *n, global bool *b, ulong x, queue_t q, clk_event_t e, sampler_t s) { }",
    "typedef struct { global int *p; global struct t *q; } s; kernel void k(s x, global int *global *y) { }",
    "typedef struct { size_t n; } s; kernel void k(global s *x) { } size_t f(bool b, event_t e) { return b; }",
    "typedef void nothing; kernel nothing k(void) { } inline kernel void l(int) { }",
    "constant int A = 1, B = A + 1; constant int C = B * 2; typedef char four[C == 4 ? 1 : -1];",
    "const int A = 3; int B = A; constant float C = A / 2.0f; constant bool D = true; constant int E = D ? A : 0;",
    "constant float4 A = (float4)(1.0f); constant float4 B = A * 2.0f; constant int4 C = A < B && !(A == B);",
    "constant int A[] = {1, 2, 3}; constant int B = A[1]; constant struct { int x, y; } s = {1, 2}; constant int C = s.y;",
    "constant int W = 4; kernel void k(void) { local int a[W * 2]; const int n = W + 1, m = n; int b[n][m]; a[0] = b[0][0] = 1; }",
    "constant int W = 4; struct s { int a[W]; }; enum e { F = W }; typedef char five[F + 1 == 5 ? 1 : -1];",
    "kernel void f(int x) { constant int A = 1; static const int B = 2; switch (x) { case A: case B: ; } }",
    "constant float A = 0.0f / 0.0f; constant float B = -A + 1.0f; constant double C = 1.0 / 0.0; constant int D = A == A;",
    "constant char *constant S = \"abc\"; constant char C = S[1], D = *S;",
    "constant int A = (1, 2), B = 0 ?: 3; constant char C = \"abc\"[1];",
    "int f(struct s { int a; } x, enum { A, B } e, union { int i; } *u) { return x.a + (e == B) + u->i; }",
];

/// Texts with unknown names. No consequence of an unknown name is an error.
const UNKNOWN: &[&str] = &[
    "struct s { unknown a; }; struct s x[3]; int f(void) { return sizeof(struct s) + sizeof(x); }",
    "struct s { unknown a; }; struct t { struct s x[3]; int y; }; int f(struct t *t) { t++; return t[1].y + t->x[1].a; }",
    "typedef unknown a; struct s { a x[3]; }; typedef union { struct s s[2]; int i; } t; struct u { t t; } f(struct u *p) { struct u v = p[1]; return v; }",
    "struct s { unknown *p; struct s *next; }; int f(struct s *s) { return s[1].next[2].p == s->p; }",
    "kernel void k(void) { local float a[unknown][unknown]; a[get_local_id(0)][1] = sizeof(a) + sizeof(a[0]); }",
    "struct s { float a[3][unknown]; int b; }; kernel void k(global struct s *p) { struct s x = p[1]; p->b = sizeof(x); p[1].a[1][2] = 3; }",
    "typedef float tile[unknown][4]; void g(tile t) { t[1][2] = 3; t++; } kernel void k(void) { tile t; g(t); tile *q = &t; q++; }",
    "constant int a = unknown + 1; int f(int x) { const int b = a; switch (x) { case a: case b: ; } int c[a][b]; return c[1][1]; }",
    "constant float a[unknown] = {1, 2}; constant float b = a[1]; constant struct { int x, y; } c = {unknown, 2}; constant int d = c.y;",
    "struct s { unknown a; }; kernel void k(int x) { local char a[sizeof(struct s) * 2]; switch (x) { case sizeof(struct s): ; } a[0] = 1; }",
    "constant unknown a[] = \"abc\"; unknown f(int x, unknown()) { return a[x]; } void g(void) { f(1, 2, 3); f(1, 2); }",
    "kernel unknown k(unknown a, global unknown *p, read_only unknown i) { p[1] = a; }",
    "int f(unknown n) { struct s { int a : unknown_width, b; unknown c[2], d; } x; return x.b + __builtin_offsetof(struct s, d); }",
];

/// Constants computed from other constants, or by operations whose result C does not define.
const VALUES: &str = "
constant float no_number = 0.0f / 0.0f;
constant float negative = -(0.0f / 0.0f);
constant float first = -(0.0f / 0.0f) / (0.0f / 0.0f) + 1.0f;
constant float last = 1.0f - -(0.0f / 0.0f);
constant double wide = 0.0f / 0.0f;
constant float narrow = (float)-(0.0 / 0.0);
constant float difference = INFINITY - INFINITY;
constant float product = 0.0f * INFINITY;
constant float infinite = -1.0f / 0;
constant double huge = HUGE_VAL;
constant float overflow = FLT_MAX * 2.0f;
constant int most = (int)1e30f;
constant int least = (int)-1e30f;
constant int none = (int)(0.0f / 0.0f);
constant uint zero = (uint)-1.0f;
constant int unequal = (0.0f / 0.0f) != (0.0f / 0.0f);
constant int A = 3;
constant int B = A * 2 + 1, C = B;
constant short cut = 70000;
constant int long_again = cut;
constant bool truth = 4;
constant int one = truth;
constant int half_of = (int)(B / 2.0f);
constant int table[2][2] = {{1, 2}, {A}};
constant int element = table[0][1] + table[1][0] + table[1][1];
constant struct { int x; int y[2]; } record = {1, {2}};
constant int member = record.x + record.y[0] + record.y[1];
constant char letter = \"abc\"[1];
constant char text[] = \"abc\";
constant char third = text[2];
constant float4 vector = (float4)(1.0f, 2.0f, 3.0f, 4.0f) / 0.0f;
constant float4 again = vector;
constant int4 mask = (int4)(1, 2, 3, 4) < (int4)(A);
constant int4 not_mask = !mask;
constant int comma = (1, 2);
constant int either = 0 ?: A;
const int plain = 7;
constant int from_plain = plain;
";

/// Returns the messages of our type errors.
fn findings(text: &str) -> Vec<String> {
    findings_with(&[], text)
}

fn findings_with(macros: &[Macro], text: &str) -> Vec<String> {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], macros, &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let found = check(&db, file, settings, Model::Tangles);
    found.into_iter().filter(|finding| finding.rule == "type-error").map(|finding| finding.message).collect()
}

/// Returns whether clang accepts a text.
fn accepts(clang: &str, text: &str) -> bool {
    accepts_as(clang, "CL3.0", text)
}

fn accepts_as(clang: &str, version: &str, text: &str) -> bool {
    let mut command = Command::new(clang);
    command.args([
        "-x",
        "cl",
        &format!("-cl-std={version}"),
        "-target",
        "spir64-unknown-unknown",
        "-fsyntax-only",
        "-w",
    ]);
    command.args(["-cl-ext=+__opencl_c_images", "-Xclang", "-fdeclare-opencl-builtins"]);
    command.args(["-Xclang", "-finclude-default-header", "-"]);
    command.stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let allowed = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n";
    writeln!(child.stdin.take().unwrap(), "{allowed}{text}").unwrap();
    child.wait().unwrap().success()
}

/// Runs a command with a text as its standard input, and returns the output.
fn output(mut command: Command, text: &str) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// Returns the scalars and vectors among the constants of some LLVM IR, each with its type and value.
fn held(ir: &str) -> BTreeMap<&str, &str> {
    let variables = ir.lines().filter_map(|line| line.strip_prefix('@')?.split_once(" = "));
    let held = variables.filter_map(|(name, rest)| {
        let (_, value) = rest.split_once("constant ")?;
        Some((name, value.rsplit_once(", align")?.0))
    });
    held.filter(|(_, value)| !value.starts_with(['[', '%', '{'])).collect()
}

#[test]
fn constant_values_match_clang() {
    let Some(clang) = tangle_referees::clang() else { return };
    let mut theirs = Command::new(clang);
    theirs.args(["-x", "cl", "-cl-std=CL3.0", "-target", "spir64-unknown-unknown", "-w", "-S", "-emit-llvm"]);
    theirs.args(["-o", "-", "-"]);
    let mut ours = Command::new(env!("CARGO_BIN_EXE_tangle"));
    ours.args(["lower", "-"]);
    let (theirs, ours) = (output(theirs, VALUES), output(ours, VALUES));
    let (theirs, ours) = (held(&theirs), held(&ours));
    assert_eq!(ours, theirs);
    assert!(ours.len() > 35, "{ours:?}");
}

#[test]
fn declarations_are_accepted_or_rejected_as_by_clang() {
    let clang = tangle_referees::clang();
    let for_clang = |text: &str| clang.as_ref().map(|clang| accepts(clang, text));
    let mut different = Vec::new();
    for (text, part) in WRONG {
        let found = findings(text);
        if !found.iter().any(|message| message.contains(part)) {
            different.push(format!("{text}: {found:?}"));
        }
        if for_clang(text) == Some(true) {
            different.push(format!("{text}: clang accepts it"));
        }
    }
    for text in RIGHT {
        let found = findings(text);
        if !found.is_empty() {
            different.push(format!("{text}: {found:?}"));
        }
        if for_clang(text) == Some(false) {
            different.push(format!("{text}: clang does not accept it"));
        }
    }
    for text in UNKNOWN {
        let found = findings(text);
        if !found.is_empty() {
            different.push(format!("{text}: {found:?}"));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

/// Kernels with parameters that contain pointers to pointers.
const POINTERS: &[&str] = &[
    "kernel void k(global int *global *p) { }",
    "typedef struct { global int *p; } s; kernel void k(s x) { }",
    "struct s { local int *p[2]; }; union u { struct s s[2]; int i; }; kernel void k(union u x) { }",
];

#[test]
fn pointer_to_pointer_kernel_parameter_requires_opencl_2() {
    let clang = tangle_referees::clang();
    for (version, number) in [("CL1.1", "110"), ("CL1.2", "120"), ("CL2.0", "200"), ("CL3.0", "300")] {
        let define = format!("__OPENCL_C_VERSION__={number}");
        for text in POINTERS {
            let found =
                findings_with(&[Macro::Undefine("__OPENCL_C_VERSION__"), Macro::Define(&define)], text);
            assert_eq!(found.is_empty(), number >= "200", "{version}: {text}: {found:?}");
            if let Some(clang) = &clang {
                assert_eq!(accepts_as(clang, version, text), found.is_empty(), "{version}: {text}");
            }
        }
    }
}

#[test]
fn half_kernel_parameter_requires_the_extension() {
    let clang = tangle_referees::clang();
    let enabled = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    for text in ["kernel void k(half h) { }", "typedef struct { half h[2]; } s; kernel void k(s x) { }"] {
        assert_eq!(findings(text), [] as [String; 0]);
        let found = findings_with(&[Macro::Undefine("cl_khr_fp16")], text);
        assert!(matches!(&found[..], [only] if only.contains("requires an extension")), "{text}: {found:?}");
        if let Some(clang) = &clang {
            // clang enables the extension only with a pragma.
            assert!(!accepts(clang, text) && accepts(clang, &format!("{enabled}{text}")), "{text}");
        }
    }
}
