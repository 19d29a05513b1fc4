//! Every operator on every pair of operand types has the same type as in clang, or is an error in both.
//!
//! Each expression is a statement of one kernel, on its own line, so one run of clang checks all of them. The first run
//! finds which have a type, the second compares the types by static assertions. Needs clang-19; without it the test
//! prints a message and passes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;
use std::sync::Arc;

use rayon::prelude::*;
use tangle_hir::bodies;
use tangle_hir::scope::{scoped_items, typed, typed_body};
use tangle_hir::typed::{Conversion, ExprKind, StmtExprs};
use tangle_syntax::db::Database;
use tangle_syntax::source::NoHeaders;

const PRELUDE: &str = "
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef struct s_t { int a; float b[2]; uint bits : 3; uchar narrow : 3; ulong wide : 40; uint full : 32; struct s_t *next; } s_t;
struct other { int a; };
struct incomplete;
enum e { E0, E1 = 5 };
enum n { N0 = -1, N1 };
constant int table[4] = {1, 2, 3, 4};
int function(int x);
kernel void k(global int *g, local int *lp, read_only image2d_t im, write_only image2d_t wim, sampler_t sa, queue_t q) {
  bool b = true; char c = 4; uchar uc = 5; short s = 1; ushort us = 2; int i = 1; uint u = 2; long l = 3; ulong ul = 4;
  half h = 8; float f = 6; double d = 7; size_t z = 1;
  char4 c4 = 5; uchar4 uc4 = 6; short4 s4 = 1; int2 i2 = 2; int3 i3 = 3; int4 i4 = 4; uint4 u4 = 5; long4 l4 = 6; ulong2 ul2 = 3;
  half4 h4 = 2; float2 f2 = 4; float3 f3 = 2; float4 f4 = 3; double4 d4 = 2;
  const int ci = 9; const float4 cf4 = 1; volatile int vi = 1;
  s_t r; struct other o; enum e e = E1; enum n n = N1; int a[3]; int m[2][3]; char text[4];
  private int *pp = &i; const private int *cpp = &i; int *gp = &i; const int *cgp = &i; volatile int *vgp = &i;
  global float *gf = (global float *)g; const global int *cg = g; constant int *cp = table;
  void *vp = pp; global void *gvp = g; constant void *cvp = table; private void *pvp = pp; char *cc = (char *)vp; s_t *rp = &r;
  global float4 *gf4 = (global float4 *)g; int **app = &gp; private int *private *ppp = &pp; global int *private *gpp = &g;
  struct incomplete *ip = (struct incomplete *)vp; event_t ev; bool *bp = &b;
";

const SCALARS: &[&str] = &[
    "b", "c", "uc", "s", "us", "i", "u", "l", "ul", "h", "f", "d", "e", "n", "r.bits", "r.narrow", "r.wide",
    "r.full", "ci", "vi",
];
const LITERALS: &[&str] =
    &["0", "1", "'x'", "1u", "1l", "1ul", "0xffffffff", "2147483648", "1.0f", "1.0", "E1", "N0", "true"];
const VECTORS: &[&str] =
    &["c4", "uc4", "s4", "i2", "i3", "i4", "u4", "l4", "ul2", "h4", "f2", "f3", "f4", "d4", "f4.xy", "cf4"];
const POINTERS: &[&str] = &[
    "pp",
    "cpp",
    "gp",
    "cgp",
    "vgp",
    "g",
    "gf",
    "cg",
    "lp",
    "cp",
    "vp",
    "gvp",
    "cvp",
    "pvp",
    "cc",
    "rp",
    "rp->next",
    "gf4",
    "app",
    "ppp",
    "gpp",
    "ip",
    "a",
    "m",
    "table",
    "\"text\"",
    "((void *)0)",
    "((int *)0)",
];
const OTHERS: &[&str] = &["r", "o", "im", "sa", "ev", "q"];
const BINARY: &[&str] =
    &["*", "/", "%", "+", "-", "<<", ">>", "<", "==", "&", "^", "|", "&&", "||", ">", "<=", ">=", "!="];
const ASSIGN: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="];
const TYPES: &[&str] = &[
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "half",
    "float",
    "double",
    "char4",
    "uchar4",
    "int2",
    "int3",
    "int4",
    "uint4",
    "long4",
    "half4",
    "float2",
    "float4",
    "double4",
    "void",
    "s_t",
    "struct other",
    "enum e",
    "private int *",
    "int *",
    "const int *",
    "global int *",
    "global float *",
    "local int *",
    "constant int *",
    "void *",
    "global void *",
    "constant void *",
    "private void *",
    "private int *private *",
    "int **",
    "event_t",
    "sampler_t",
];

fn operands() -> Vec<&'static str> {
    [SCALARS, LITERALS, VECTORS, POINTERS, OTHERS].concat()
}

fn source(expressions: &[String], line: impl Fn(&str) -> String) -> String {
    let mut text = PRELUDE.to_owned();
    for expression in expressions {
        text += &line(expression);
        text.push('\n');
    }
    text + "}\n"
}

/// Returns our type of each expression, or the problem if it has none.
fn ours(expressions: &[String]) -> Vec<Result<String, String>> {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", &source(expressions, |expression| format!("(void)({expression});")));
    let item = scoped_items(&db, file, settings).pop().expect("the kernel is the last item");
    let parsed = tangle_syntax::items::parse(&db, item.scoped.item(&db));
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let body = &bodies(&db, item.scoped.item(&db)).0[0];
    let mut answers = Vec::new();
    let mut problems = typed(&db, item.scoped).problems.iter().peekable();
    let typed = typed_body(&db, item.scoped, 0).expect("the kernel has a body");
    for (id, evaluated) in typed.stmts.iter_enumerated() {
        let StmtExprs::Expression(expr) = evaluated else { continue };
        let mut problem = None;
        while let Some(found) = problems.next_if(|problem| problem.span.start < body.stmts[id].span.end) {
            problem = Some(format!("{:?}", found.kind).chars().take(60).collect::<String>());
        }
        let exprs = &typed.exprs;
        let ty = match &exprs[*expr].kind {
            ExprKind::Convert { conversion: Conversion::Discard, operand } => exprs[*operand].ty,
            _ => exprs[*expr].ty,
        };
        answers.push(match problem {
            Some(problem) => Err(problem),
            None if ty.is_unknown() => Err("unknown without a problem".to_owned()),
            None => Ok(ty.to_string()),
        });
    }
    assert_eq!(answers.len(), expressions.len());
    answers
}

/// Returns the lines that clang rejects, with its messages. Line 0 is the first line after the prelude.
fn refused(clang: &str, source: &str) -> Vec<(usize, String)> {
    let mut command = Command::new(clang);
    command.args([
        "-x",
        "cl",
        "-cl-std=CL3.0",
        "-Xclang",
        "-finclude-default-header",
        "-w",
        "-target",
        "spir64",
    ]);
    command.args(["-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-"]);
    let text = super::tools::answer(&mut command, source.as_bytes());
    let first = PRELUDE.lines().count() + 1;
    let errors = text.lines().filter(|line| line.contains(": error: "));
    errors
        .map(|line| {
            let rest = line.split_once("<stdin>:").unwrap_or_else(|| panic!("no place: {line}")).1;
            let (number, message) = rest.split_once(':').unwrap();
            let number: usize = number.parse().unwrap();
            assert!(number >= first, "the prelude: {line}");
            (number - first, message.split_once(": error: ").unwrap().1.to_owned())
        })
        .collect()
}

/// Returns all differences between our types and clang's.
fn differences(expressions: &[String]) -> Vec<String> {
    let Some(clang) = tangle_referees::clang() else { return Vec::new() };
    let ours = ours(expressions);
    let mut theirs: Vec<Option<String>> = vec![None; expressions.len()];
    for (line, message) in
        refused(&clang, &source(expressions, |expression| format!("(void)({expression});")))
    {
        theirs[line] = Some(message);
    }
    let mut differences = Vec::new();
    let mut both = Vec::new();
    for ((expression, ours), theirs) in expressions.iter().zip(ours).zip(theirs) {
        match (ours, theirs) {
            (Ok(ty), None) => both.push((expression.clone(), ty)),
            (Ok(_), Some(_)) if widens(expression) => {}
            (Ok(ty), Some(message)) => {
                differences.push(format!("{expression}: `{ty}`, but clang: {message}"))
            }
            (Err(problem), None) => {
                differences.push(format!("{expression}: ours: {problem}, but clang accepts it"))
            }
            (Err(_), Some(_)) => {}
        }
    }
    let lines: Vec<String> = both
        .iter()
        .map(|(expression, ty)| {
            // The right operand of a comma is converted to a value. Types such as images are not allowed there.
            let opaque = ["image", "sampler_t", "event_t", "queue_t"].iter().any(|word| ty.contains(word));
            let comma = if opaque || ty == "void" { "" } else { "0, " };
            format!(
                "_Static_assert(__builtin_types_compatible_p(__typeof__(({comma}{expression})), {ty}), \"\");"
            )
        })
        .collect();
    let wrong: BTreeSet<usize> =
        refused(&clang, &source(&lines, str::to_owned)).into_iter().map(|(line, _)| line).collect();
    differences.extend(wrong.into_iter().map(|line| {
        let (expression, ty) = &both[line];
        format!("{expression}: `{ty}`, but not for clang")
    }));
    differences
}

/// We convert constants to lanes of any size: `v * 2.0` is common on devices without doubles.
fn widens(expression: &str) -> bool {
    let has = |list: &[&str]| expression.split(' ').any(|word| list.contains(&word));
    has(LITERALS) && (has(VECTORS) || has(&["f4.x", "i4.lo", "*gf4", "i4", "u4", "c4", "l4", "i2"]))
}

fn check(expressions: Vec<String>) {
    // The length of a kernel is limited.
    let parts: Vec<&[String]> = expressions.chunks(8000).collect();
    let differences: Vec<String> = parts.par_iter().flat_map(|part| differences(part)).collect();
    let mut text = String::new();
    for difference in differences.iter().take(std::env::var("ALL").map_or(60, |n| n.parse().unwrap())) {
        writeln!(text, "{difference}").unwrap();
    }
    assert!(differences.is_empty(), "{} of {}:\n{text}", differences.len(), expressions.len());
}

/// Returns whether we differ from clang intentionally for two operands: clang uses the type of a bit-field where it is
/// widened to a vector, and the promoted type everywhere else. The callers exclude two other differences: clang adds
/// pointers to `bool`s in assignments, and in `c ? p : q` with one `void *` it uses the other pointer's address space.
fn differ(left: &str, right: &str) -> bool {
    let one = |a: &dyn Fn(&str) -> bool, b: &dyn Fn(&str) -> bool| a(left) && b(right) || a(right) && b(left);
    one(&|x| x.starts_with("r.") && SCALARS.contains(&x), &|x| VECTORS.contains(&x) || x.starts_with("i4.lo"))
}

fn pairs(left: &[&str], operators: &[&str], right: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for l in left {
        for r in right {
            if differ(l, r) {
                continue;
            }
            all.extend(operators.iter().map(|op| format!("{l} {op} {r}")));
        }
    }
    all
}

#[test]
fn binary_operators_are_typed_as_by_clang() {
    let all = operands();
    check(pairs(&all, BINARY, &all));
}

#[test]
fn assignments_are_typed_as_by_clang() {
    let places = [
        SCALARS,
        VECTORS,
        POINTERS,
        OTHERS,
        &["a[1]", "*cgp", "*cp", "f4.x", "f4.xx", "i4.lo", "*gf4", "text"],
    ]
    .concat();
    let all = pairs(&places, ASSIGN, &operands()).into_iter();
    check(all.filter(|text| !text.starts_with("b +=") && !text.starts_with("b -=")).collect());
}

#[test]
fn unary_operators_are_typed_as_by_clang() {
    let mut all = Vec::new();
    for operand in operands() {
        // For us, the address of an enumeration has the type of a pointer to its integer type.
        let enumeration = ["e", "n"].contains(&operand);
        for op in ["+", "-", "~", "!", "*", "&", "++", "--", "sizeof ", "*&", "&*", "__alignof__ "] {
            if !(enumeration && op == "&") {
                all.push(format!("{op}{operand}"));
            }
        }
        for op in [
            "++", "--", "[1]", "[f]", "[ul]", "[b]", ".x", ".a", "->a", "->next", ".s3", ".lo", ".even",
            "(1)", "()",
        ] {
            all.push(format!("({operand}){op}"));
        }
    }
    check(all);
}

#[test]
fn casts_are_typed_as_by_clang() {
    let mut all = Vec::new();
    for operand in operands() {
        for ty in TYPES {
            // clang 19 crashes on casts of pointers to vectors. Opaque types cannot be cast.
            let lanes = ty.ends_with(['2', '3', '4']) || ty.ends_with("_t");
            if lanes && (POINTERS.contains(&operand) || OTHERS.contains(&operand)) {
                continue;
            }
            all.push(format!("({ty})({operand})"));
            // Kernels do not use as_type between pointers.
            let bits = !POINTERS.contains(&operand) && !OTHERS.contains(&operand) && !ty.contains(['*', '_']);
            if bits && !operand.starts_with("r.") {
                all.push(format!("__builtin_astype({operand}, {ty})"));
            }
        }
    }
    check(all);
}

#[test]
fn conditional_operators_are_typed_as_by_clang() {
    let all = operands();
    let mut expressions = Vec::new();
    for left in &all {
        for right in &all {
            if differ(left, right) || left != right && [left, right].iter().any(|p| p.ends_with("vp")) {
                continue;
            }
            expressions.push(format!("i ? {left} : {right}"));
            expressions.push(format!("{left} ?: {right}"));
            // For these operands, clang makes vector types that no declaration could name.
            let scalar = |x: &str| ["b", "true", "e", "n"].contains(&x) || x.starts_with("r.");
            if ![left, right].into_iter().any(|x| scalar(x)) {
                expressions.push(format!("i4 ? {left} : {right}"));
            }
            if !VECTORS.contains(left) || !scalar(right) {
                expressions.push(format!("{left} ? {right} : {right}"));
            }
        }
        if ["b", "true", "e", "n"].contains(left) || left.starts_with("r.") {
            continue;
        }
        expressions.extend(
            ["c4", "u4", "f4", "l4", "i2", "r"].map(|condition| format!("{condition} ? {left} : {left}")),
        );
    }
    check(expressions);
}
