//! Declarations that make no type are errors here and for clang; those that do are none for either.
//!
//! Needs clang-19 for the second opinion; without it the test says so, and checks our own alone.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tangle::db::Database;
use tangle::lint::check;
use tangle::source::{Content, Loader};
use tangle::tangle::Model;

struct Nothing;

impl Loader for Nothing {
    fn load(&self, _: &str) -> Content {
        Content::Missing
    }
}

/// Texts that no compiler accepts, and a part of what we say of them.
const WRONG: &[(&str, &str)] = &[
    ("int float x;", "make no type"),
    ("unsigned float x;", "make no type"),
    ("unsigned signed x;", "make no type"),
    ("short long x;", "make no type"),
    ("short char x;", "make no type"),
    ("long half x;", "make no type"),
    ("struct s { int x; }; long struct s x;", "make no type"),
    ("struct s { int x; }; union s *p;", "another kind"),
    ("enum e { A }; struct e *p;", "another kind"),
    ("struct s { float x : 3; };", "a bit-field is made of an integer"),
    ("struct s { int x : 33; };", "the width of a bit-field"),
    ("struct s { int x : 0; };", "the width of a bit-field"),
    ("struct s { struct t x; };", "has no size here"),
    ("struct s { void x; };", "has no size here"),
    ("struct s { struct s x; };", "has no size here"),
    ("kernel void k(int *p) { }", "a pointer that a kernel is given"),
    ("kernel void k(private int *p) { }", "a pointer that a kernel is given"),
    ("kernel void k(float a[3]) { }", "a pointer that a kernel is given"),
    ("global int a[-1];", "negative"),
    ("int f(int n, int a[n]) { return a[0]; }", "must be constant"),
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
];

/// What our rules say of the types.
fn findings(text: &str) -> Vec<String> {
    let mut db = Database::new(Arc::new(Nothing));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", text);
    let found = check(&db, file, settings, Model::Tangles);
    found.into_iter().filter(|finding| finding.rule == "type-error").map(|finding| finding.message).collect()
}

/// Whether clang accepts a text.
fn accepts(clang: &str, text: &str) -> bool {
    let mut command = Command::new(clang);
    command.args(["-x", "cl", "-cl-std=CL3.0", "-target", "spir64-unknown-unknown", "-fsyntax-only", "-w"]);
    command.args(["-cl-ext=+__opencl_c_images", "-Xclang", "-fdeclare-opencl-builtins"]);
    command.args(["-Xclang", "-finclude-default-header", "-"]);
    command.stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let allowed = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n";
    writeln!(child.stdin.take().unwrap(), "{allowed}{text}").unwrap();
    child.wait().unwrap().success()
}

#[test]
fn declarations_are_accepted_as_by_clang() {
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
    assert!(different.is_empty(), "{different:#?}");
}
