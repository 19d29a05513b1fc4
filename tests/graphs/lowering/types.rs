//! Statements with a type error are errors for tangle and for clang; statements without one are errors for neither.
//!
//! Each statement is in a kernel after [`PRELUDE`]. Needs clang-19 for the comparison; without it the test prints a
//! message and checks only our own errors.

use std::io::Write;
use std::process::{Command, Stdio};

use rayon::prelude::*;

const PRELUDE: &str = "
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
typedef struct { int a; float b[2]; struct { char c; } in; uint bits : 3; } s_t;
struct other { int a; };
struct incomplete;
union u_t { int i; float f; };
enum e { E0, E1 = 5 };
constant int table[4] = {1, 2};
void none(void); int one(int x); float two(float4 v, global int *p); void fixed(s_t s, local int *l);
int OVER(int x); float OVER(float x);
";

const LOCALS: &str = "
  int i = 1; uint u = 2; long l = 3; char c = 4; uchar uc = 5; float f = 6; double d = 7; half h = 8; bool b = true;
  int4 v4 = 1; int2 v2 = 2; float4 f4 = 3; float2 f2 = 4; uchar4 c4 = 5; uint4 u4 = 6; int3 v3 = 7; long2 l2 = 8; int8 v8 = 9;
  s_t s; struct other o; union u_t un; enum e en = E1; int a[3]; int m[2][3]; const int ci = 9;
  private int *pp = &i; global float *gf = (global float *)g; constant int *cp = table; int *gp = &i; void *vp = pp;
";

/// Statements that no compiler accepts, each with a part of our message.
const WRONG: &[(&str, &str)] = &[
    ("s.zz = 1;", "`struct s_t` has no member `zz`"),
    ("i.x = 1;", "`int` has no members"),
    ("gf.x = 1;", "has no members"),
    ("s->a = 1;", "`->` requires a pointer"),
    ("(&s).a = 1;", "`.` cannot be applied to a pointer"),
    ("f4.q = 1;", "`float4` has no vector component `q`"),
    ("f2.z = 1;", "`float2` has no vector component `z`"),
    ("f4.xyr = 1;", "has no vector component"),
    ("v4.s4 = 1;", "`int4` has no vector component `s4`"),
    ("f4.xyzwx;", "has no vector component"),
    ("f4.xx = f2;", "cannot assign to"),
    ("i = s;", " to `int` "),
    ("s = o;", " to `struct s_t` "),
    ("s = i;", " to `struct s_t` "),
    ("v4 = v2;", "cannot convert `int2` to `int4`"),
    ("v4 = f4;", "cannot convert `float4` to `int4`"),
    ("u4 = v4;", "cannot convert `int4` to `uint4`"),
    ("i = v4;", "cannot convert `int4` to `int`"),
    ("pp = f;", "cannot convert `float` to `private int *`"),
    ("f = pp;", " to `float` "),
    ("pp = g;", "the address spaces differ"),
    ("pp = cp;", "the address spaces differ"),
    ("gp = cp;", "the address spaces differ"),
    ("g = gp;", "the address spaces differ"),
    ("g = (global int *)cp;", "the address spaces differ"),
    ("lp = (local int *)g;", "the address spaces differ"),
    ("ci = 1;", "cannot assign to a constant"),
    ("table[0] = 1;", "cannot assign to a constant"),
    ("*cp = 1;", "cannot assign to a constant"),
    ("a = a;", "cannot assign to"),
    ("1 = i;", "cannot assign to"),
    ("(i + 1) = 2;", "cannot assign to"),
    ("one = 0;", "cannot assign to"),
    ("++5;", "cannot assign to"),
    ("ci++;", "cannot assign to a constant"),
    ("s++;", "cannot apply `++` to"),
    ("v4 + v2;", "cannot apply `+` to `int4` and `int2`"),
    ("v4 + f4;", "cannot apply `+` to `int4` and `float4`"),
    ("v4 + f;", "cannot apply `+` to `int4` and `float`"),
    ("v4 + l;", "cannot apply `+` to `int4` and `long`"),
    ("f % 2;", "cannot apply `%` to `float` and `int`"),
    ("f << 1;", "cannot apply `<<` to"),
    ("i << f;", "cannot apply `<<` to"),
    ("f4 & f4;", "cannot apply `&` to"),
    ("~f;", "cannot apply `~` to `float`"),
    ("-s;", "cannot apply `-` to"),
    ("!s;", "cannot apply `!` to"),
    ("s + 1;", "cannot apply `+` to"),
    ("pp + pp;", "cannot apply `+` to"),
    ("pp * 2;", "cannot apply `*` to"),
    ("pp - gf;", "cannot apply `-` to"),
    ("g == lp;", "cannot apply `==` to"),
    ("s == s;", "cannot apply `==` to"),
    ("s && 1;", "cannot apply `&&` to"),
    ("*i;", "cannot apply `*` to `int`"),
    ("i[i];", "cannot apply `[]` to"),
    ("a[f];", "cannot apply `[]` to"),
    ("&5;", "cannot take the address of"),
    ("&f4.xy;", "cannot take the address of"),
    ("&s.bits;", "cannot take the address of"),
    ("if (s) i = 1;", "a condition must be"),
    ("while (v4) i = 1;", "a condition must be"),
    ("switch (f) { default: i = 1; }", "of `switch` must be an integer"),
    ("switch (i) { case 1: case 1: i = 2; }", "duplicate `case` value"),
    ("switch (i) { case i: i = 2; }", "expected a constant expression"),
    ("one();", "takes 1 argument, but 0 were passed"),
    ("one(1, 2);", "takes 1 argument, but 2 were passed"),
    ("one(s);", " to `int` "),
    ("two(f4, lp);", "the address spaces differ"),
    ("i(1);", "is not a function"),
    ("s.a(1);", "is not a function"),
    ("max(v4, v2);", "no overload of `max` accepts"),
    ("dot(v4, v4);", "no overload of `dot` accepts"),
    ("get_global_id(s);", "no overload of `get_global_id` accepts"),
    ("barrier(1, 2, 3);", "no overload of `barrier` accepts"),
    ("sizeof(struct incomplete);", "is an incomplete type"),
    ("vec_step(g);", "cannot apply `vec_step` to"),
    ("vec_step(int[4]);", "cannot apply `vec_step` to"),
    ("i = one(int);", "found the type `int`"),
    ("i = as_int(float);", "found the type `float`"),
    ("barrier(int);", "found the type `int`"),
    ("struct incomplete x;", "is an incomplete type"),
    ("int n[-1];", "negative"),
    ("int n[i];", "expected a constant expression"),
    ("(int4)(1, 2);", "wrong number of components for `int4`: found 2"),
    ("(int4)(1, 2, 3, 4, 5);", "wrong number of components for `int4`: found 5"),
    ("(int4)(f2, f2);", "cannot convert"),
    ("(int)s;", " to `int` "),
    ("(int4)v2;", " to `int4` "),
    ("(s_t)i;", "cannot convert"),
    ("as_int(l);", " to `int` "),
    ("as_int4(f2);", " to `int4` "),
    ("s_t n = {.zz = 1};", "has no member `zz`"),
    ("int n[2] = {[5] = 1};", "has no member or element for"),
    ("static constant int n = i;", "expected a constant expression"),
    ("return 5;", "`void` function cannot return a value"),
    ("b ? s : i;", "cannot apply `?:`"),
    ("v4 ? f2 : f2;", "cannot apply `?:`"),
    ("v2 = v4 ? v4 : v4;", "cannot convert"),
];

/// Statements that clang accepts, some with a warning.
const RIGHT: &[&str] = &[
    "i = c + uc * u - l / 3;",
    "f = i; i = f; d = f; h = f; f = h; b = f; i = b; c = 1000;",
    "f4 = i; v4 = f; v4 = l; f4 = d; v4 = 2.5f; c4 = 5; f4 *= 2; v4 += c; v4 <<= 1; c4 >>= 2;",
    "v4 = v4 + i; f4 = f4 * f; f4 = f * f4; f4 = f4 + i; l2 = l2 * i; v4 = v4 << 3; v4 = v4 << u4;",
    "v4 = f4 < f4; v4 = !f4; v4 = f4 && f4; l2 = (double2)(1.0, 2.0) == d; v2 = v4.xy; v4.zw = v2; v4.s01 = v4.hi;",
    "v3 = v4.xyz; v4.odd = v4.even; v8.lo = v4; v8.s07 = v2; v4 = v8.s0246; f4.rgb = f4.bgr; i = v8.s7;",
    "_Static_assert(vec_step(v3) == 4 && vec_step(float8) == 8 && vec_step(i) == 1 && vec_step(void) == 1, \"\");",
    "i = _Generic(vec_step(int), ulong: 1); int n[vec_step(f4)]; i = vec_step(float4) * i; h = 1.5f16;",
    "i = __builtin_astype(f, int) ^ (i ^ 1); i = sizeof(int) ^ (i);",
    "f4 = (float4)(f2, f2); f4 = (float4)(f2, 1, 2.0f); f4 = (float4)(1); f4 = (float4)f; v8 = (int8)(v4, v2, 1, 2);",
    "v4 = v4 ? v4 : v4; f4 = v4 ? f4 : 1.0f; v4 = i ? v4 : v4; f = b ? 1 : f; pp = b ? pp : 0; vp = b ? pp : vp;",
    "s.a = 1; s.b[1] = 2; s.in.c = 3; s.bits = 4; (&s)->a = 5; s = s; un.i = 1; un.f = 2; en = E0; i = E1 + 1; en = 3;",
    "pp = a; pp = &a[1]; pp = m[1]; i = *m[0]; i = pp - a; pp += 2; pp++; --pp; i = pp < a + 1; i = !pp; i = pp && 1;",
    "gp = pp; gp = lp; gp = (int *)g; vp = gp; pp = (private int *)gp; g = (global int *)gf; gf = g; cp++; i = cp[1];",
    "i = (int)gf; l = (long)pp; pp = (private int *)l; i = pp == 0; i = g == (global int *)0; i = gp == pp;",
    "none(); i = one(2.5f); f = two(1.0f, g); fixed(s, lp);",
    "i = OVER(1); f = OVER(1.0f); i = max(i, 3); f = max(f, 1.0f); f4 = max(f4, 1.0f); i = min(u, 3u); f4 = clamp(f4, 0.0f, 1.0f);",
    "f = dot(f4, f4); f4 = mix(f4, f4, f); u = abs(i); l = mad_hi(l, l, l); v4 = convert_int4_rte(f4); f4 = as_float4(v4);",
    "v4 = vload4(0, g); vstore4(v4, i, g); f = vload_half(0, (global half *)g); i = get_global_id(u) + get_local_size(0);",
    "i = atomic_add(g, 1); i = atomic_cmpxchg(g, i, u); barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE);",
    "f4 = read_imagef(im, sa, (float2)(0.5f)); f4 = read_imagef(im, sa, (int2)(1, 2)); i = get_image_width(im); v2 = get_image_dim(im);",
    "int n[] = {1, 2, 3}; i = sizeof n / sizeof *n; int k[5] = {[2] = 1, 2}; char t[] = \"text\"; i = n[0] + k[1] + t[2];",
    "s_t n = {1, {2, 3}, {4}}; s_t k = {.b = {[1] = 2}, .in.c = 3}; s_t z = {0}; union u_t w = {.f = 1.0f}; i = n.a + k.a + z.a + w.i;",
    "i = ({ int n = 5; n + 1; }); i = i ?: 3; i = (i, 2); for (int n = 0, k = 1; n < k; n++) i += n;",
    "switch (i) { case 1: case 'x': case 2 ... 5: break; case E1 + 1: default: i = 1; } do i--; while (i > 0);",
    "const float4 n[2] = {(float4)(1), (float4)(1, 2, 3, 4)}; f4 = n[1]; f = n[0].x; f4 += n[i & 1];",
    "typedef int t; t n = 1; struct { t a, b; } k = {n, 2}; i = k.b; enum { A, B = A + 3 } q = B; i = q;",
    "i = sizeof(int) + sizeof i + sizeof(float4) + _Alignof(double) + __builtin_offsetof(s_t, b[1]);",
    "constant char *t = \"text\"; i = t[1]; i = \"text\"[2]; i = 'a' + '\\n'; u = 0xffffffff; l = 1l << 40; f = 1e3f + 0x1p3f;",
    "i++; --f; v4++; --v4; b = !b; c += 1.5f; uc <<= 3; l %= 7; b |= i; f4.x++; s.bits++; *pp += 1; a[i] -= 2;",
    "int (*pa)[3] = m; i = (*pa)[1] + pa[1][2]; int *ap[2] = {a, pp}; i = *ap[1] + ap[0][2]; int **app = ap; i = **app;",
    "volatile int n = 1; n++; i = n; volatile global int *vg = g; *vg = 1; i = *vg; const global int *cg = g; i = cg[1];",
    "local int n; local float4 k[4]; n = 1; k[n].x = 2; lp = &n; gp = &n; f4 = k[1];",
    "int n[2] = {1, 2, 3}; i = isnan(f); v4 = isequal(f4, f4); f4 = select(f4, f4, v4); f = select(f, f, i);",
    "event_t e = async_work_group_copy(lp, g, 4, 0); wait_group_events(1, &e); prefetch(g, 4); i = popcount(i) + clz(u);",
    "i = get_global_size(0); size_t z = get_local_id(0); ptrdiff_t y = pp - a; uintptr_t x = (uintptr_t)pp; i = z + y + x;",
    "f = sqrt(f) + pow(f, 2.0f) + fabs(d) + native_sin(f) + half_cos(f); d = fma(d, d, 1.0); f4 = exp2(f4); f = ldexp(f, 3);",
    "return;",
];

fn source(statement: &str) -> String {
    let prelude = PRELUDE.replace("OVER(", "__attribute__((overloadable)) over(");
    let statement = statement.replace("OVER(", "over(");
    format!(
        "{prelude}kernel void k(global int *g, local int *lp, read_only image2d_t im, sampler_t sa) {{{LOCALS}\n  {statement}\n}}\n"
    )
}

fn ours(source: &str) -> String {
    let mut lint = Command::new(env!("CARGO_BIN_EXE_tangle"));
    lint.args(["lint", "--format", "short", "--quiet", "--fail-on", "never", "-"]);
    String::from_utf8(super::tools::pipe(&mut lint, source.as_bytes()).unwrap()).unwrap()
}

/// Returns the errors of clang for a source.
fn clang(clang: &str, source: &str) -> Result<(), String> {
    let arguments = ["-x", "cl", "-cl-std=CL3.0", "-Xclang", "-finclude-default-header", "-w"];
    let mut command = Command::new(clang);
    command.args(arguments).args(["-target", "spir64", "-fsyntax-only", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().expect("piped").write_all(source.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

#[test]
fn ill_typed_statements_are_rejected_as_by_clang() {
    let referee = tangle_referees::clang();
    let wrong: Vec<String> = WRONG
        .par_iter()
        .filter_map(|(statement, message)| {
            let source = source(statement);
            let found = ours(&source);
            let errors: Vec<&str> = found.lines().filter(|line| line.contains(": error: ")).collect();
            if !matches!(errors[..], [only] if only.contains(message) && only.contains("[type-error]")) {
                return Some(format!("{statement}: {errors:#?}"));
            }
            let accepted = referee.as_ref().is_some_and(|referee| clang(referee, &source).is_ok());
            accepted.then(|| format!("{statement}: clang accepts it"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn well_typed_statements_are_accepted_as_by_clang() {
    let referee = tangle_referees::clang();
    let wrong: Vec<String> = RIGHT
        .par_iter()
        .filter_map(|statement| {
            let source = source(statement);
            let found = ours(&source);
            if !found.is_empty() {
                return Some(format!("{statement}: {found}"));
            }
            let refused = referee.as_ref().and_then(|referee| clang(referee, &source).err());
            refused.map(|error| format!("{statement}: clang: {error}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
