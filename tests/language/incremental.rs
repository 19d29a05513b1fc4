//! Queries that an edit must not execute again: assertions on the event log of the database.
//!
//! The queries of an item (`parse`, `bodies`, `declared`, `tangles_of_draft`, `doubtful_calls`) depend only on its
//! tokens. So an edit executes them only for the items whose tokens it changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tangle_analysis::tangle::Model;
use tangle_diagnostic::Diagnostic;
use tangle_rules::check;
use tangle_syntax::db::Database;
use tangle_syntax::source::{NoHeaders, Settings};

/// The queries that analyse an item.
const ANALYSIS: &[&str] = &["parse", "bodies", "declared", "tangles_of_draft", "doubtful_calls"];

/// The queries that read the text. An edit of a comment executes only these.
const TEXTUAL: &[&str] = &["lex", "tokens", "spans", "remarks", "comments", "findings", "component_findings"];

struct Bench {
    db: Database,
    settings: Settings,
    log: Arc<Mutex<Vec<String>>>,
}

impl Bench {
    fn new() -> Bench {
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let events = {
            let log = log.clone();
            move |event: salsa::Event| {
                if let salsa::EventKind::WillExecute { database_key } = event.kind {
                    log.lock().unwrap().push(format!("{database_key:?}"));
                }
            }
        };
        let mut db = Database::with_events(Arc::new(NoHeaders), Some(Box::new(events)));
        let settings = db.settings(&[], &[], &[], Vec::new());
        Bench { db, settings, log }
    }

    /// Sets the text of a file and lints it. Returns the findings, and the number of executions of each query.
    fn lint(&mut self, path: &str, text: &str) -> (Vec<Diagnostic>, BTreeMap<String, usize>) {
        let file = self.db.set_text(path, text);
        self.log.lock().unwrap().clear();
        let found = check(&self.db, file, self.settings, Model::Tangles);
        let mut runs = BTreeMap::new();
        for query in self.log.lock().unwrap().iter() {
            let name = query.split('(').next().unwrap().to_owned();
            *runs.entry(name).or_default() += 1;
        }
        (found, runs)
    }

    /// Returns the number of executions of each query of items.
    fn analyses(&mut self, path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let (_, runs) = self.lint(path, text);
        let ran = |&name: &&str| runs.get(name).copied().unwrap_or(0) > 0;
        ANALYSIS.iter().copied().filter(ran).map(|name| (name, runs[name])).collect()
    }
}

fn once_each() -> Vec<(&'static str, usize)> {
    ANALYSIS.iter().map(|&name| (name, 1)).collect()
}

const HEADER: &str = "\
typedef unsigned int u32;
u32 twice(u32 x) { return 2 * x; }
";

const KERNEL: &str = "\
#include \"h.h\"
u32 one(u32 x) { if (x) goto out; x = 2; out: return x; }
u32 two(u32 x) { return x + 2; }
kernel void k(global u32 *p) {
  if (p[0]) goto out;
  p[1] = one(two(3));
out:
  barrier(1);
}
";

fn opened() -> Bench {
    let mut bench = Bench::new();
    bench.db.set_text("h.h", HEADER);
    let (found, runs) = bench.lint("k.cl", KERNEL);
    assert_eq!(found.len(), 1, "{found:?}");
    // typedef, twice, one, two, k, and the outlines of twice, one, two
    assert_eq!(runs["parse"], 8, "{runs:?}");
    bench
}

#[test]
fn pack_pragma_edit_reruns_only_queries_of_later_records() {
    let packed = |number: &str| {
        let records = format!("#pragma pack({number})\nstruct s {{ char c; u32 x; }};\nu32 one");
        KERNEL.replace("u32 one", &records)
    };
    let mut bench = opened();
    bench.lint("k.cl", &packed("2"));
    // The pragma, which is an item of its own, and the struct.
    assert_eq!(bench.lint("k.cl", &packed("4")).1["parse"], 2);
    assert_eq!(bench.lint("k.cl", &packed("push, 4")).1.get("parse"), None, "the same packing applies");
}

#[test]
fn function_edit_reruns_only_queries_of_that_function() {
    let mut bench = opened();
    assert_eq!(bench.analyses("k.cl", &KERNEL.replace("x + 2", "x + 3")), once_each());
}

#[test]
fn unchanged_text_runs_no_query() {
    let mut bench = opened();
    let (_, runs) = bench.lint("k.cl", KERNEL);
    assert_eq!(runs, BTreeMap::new());
}

#[test]
fn comment_or_blank_line_moves_findings_without_analysis() {
    let mut bench = opened();
    for text in [
        format!("// a comment\n\n{KERNEL}"),
        KERNEL.replace("  p[1] =", "\n\n  /* why */ p[1] ="),
        KERNEL.replace("u32 two", "\n// before a function\nu32 two"),
        KERNEL.replace("barrier(1);", "barrier(1); // at the end of a line"),
    ] {
        let (found, runs) = bench.lint("k.cl", &text);
        let ran: Vec<&String> = runs.keys().filter(|name| !TEXTUAL.contains(&&***name)).collect();
        assert!(ran.is_empty(), "{runs:?} for {text}");
        assert_eq!(found[0].place.range.start, text.find("barrier").unwrap());
    }
}

#[test]
fn new_suppression_runs_no_analysis() {
    let mut bench = opened();
    let known = "barrier(1); // tangle: allow(implementation-defined-convergence): p[0] is uniform";
    let (found, runs) = bench.lint("k.cl", &KERNEL.replace("barrier(1);", known));
    let ran: Vec<&String> = runs.keys().filter(|name| !TEXTUAL.contains(&&***name)).collect();
    assert!(ran.is_empty(), "{runs:?}");
    assert_eq!(found[0].suppression.as_ref().unwrap().reason, "p[0] is uniform");
    let (found, _) = bench.lint("k.cl", KERNEL);
    assert_eq!(found[0].suppression, None);
}

/// Barriers that all threads reach together: no findings, but code to analyse.
const BARRIERS: &str = "\
void wait(int n) { for (int i = 0; i < n; i++) barrier(1); }
kernel void a(global int *p, int n) { if (n) wait(n); p[0] = 1; }
kernel void b(global int *p, int n) { while (n--) { p[n] = n; barrier(1); } }
kernel void c(global int *p, int n) { for (int i = 0; i < n; i++) { p[i] = i; barrier(1); } }
";

#[test]
fn edit_between_barriers_reruns_analysis_of_one_function() {
    let mut bench = Bench::new();
    let uniformity = |runs: &BTreeMap<String, usize>| {
        let of = |query: &str| runs.get(query).copied().unwrap_or(0);
        [of("anchored"), of("uniformity"), of("is_suspect")]
    };
    let (found, runs) = bench.lint("k.cl", BARRIERS);
    assert_eq!(found, []);
    assert_eq!(uniformity(&runs), [4, 4, 4], "{runs:?}");
    let (_, runs) = bench.lint("k.cl", &BARRIERS.replace("p[n] = n;", "p[n] = 2 * n;"));
    assert_eq!(uniformity(&runs), [1, 1, 1], "{runs:?}");
    let (_, runs) = bench.lint("k.cl", &format!("// moved\n{BARRIERS}"));
    // The kernel has its first text again, so its results are still cached.
    assert_eq!(uniformity(&runs), [0, 0, 0], "{runs:?}");
    // The summary of `wait` stays the same, so no caller is analysed again.
    let (_, runs) =
        bench.lint("k.cl", &BARRIERS.replace("barrier(1); }\nkernel void a", "barrier(2); }\nkernel void a"));
    assert_eq!(uniformity(&runs), [1, 1, 1], "{runs:?}");
}

/// Two components with a finding each: `k` with `sync_if`, and `l`.
const COMPONENTS: &str = "\
#define WAIT barrier(1)
void sync_if(int n) { if (n) WAIT; }
kernel void k(global int *p) { p[0] = 1; sync_if(get_local_id(0)); }
kernel void l(global int *p) { p[0] = 2; if (get_local_id(0)) WAIT; }
";

#[test]
fn edit_reruns_the_rules_of_one_component() {
    let mut bench = Bench::new();
    let components = |runs: &BTreeMap<String, usize>| runs.get("component_findings").copied().unwrap_or(0);
    let places = |found: &[Diagnostic], text: &str| {
        let barriers: Vec<usize> = text.match_indices("WAIT;").map(|(at, _)| at).collect();
        let found: Vec<usize> = found.iter().map(|finding| finding.place.range.start).collect();
        assert_eq!(found, barriers, "{text}");
    };
    let (found, runs) = bench.lint("k.cl", COMPONENTS);
    assert_eq!(components(&runs), 2, "{runs:?}");
    places(&found, COMPONENTS);
    for (old, new, expected) in [
        // An edit in a function moves the components after it.
        ("p[0] = 1;", "p[0] = 1000;", 1),
        ("p[0] = 2;", "p[0] = 2000;", 1),
        // The findings are the same text at other places.
        ("kernel void k", "\n// moved\nkernel void k", 0),
        ("kernel void l", "int f(void);\nkernel void l", 0),
        // A comment in a function may change a quote of it.
        ("p[0] = 2;", "/* two */ p[0] = 2;", 1),
        // The definition of a macro is a place of both findings.
        ("#define", "\n#define", 2),
        // The caller passes the cause of a finding in the callee.
        ("void sync_if(int n) {", "void sync_if(int n) { n++;", 1),
        ("(0)) WAIT; }", "(0)) WAIT; // tangle: allow(all): here\n}", 1),
    ] {
        let text = COMPONENTS.replace(old, new);
        let (found, runs) = bench.lint("k.cl", &text);
        assert_eq!(components(&runs), expected, "{new}: {runs:?}");
        places(&found, &text);
        bench.lint("k.cl", COMPONENTS);
    }
}

#[test]
fn edit_of_a_function_keeps_its_identity() {
    let mut bench = Bench::new();
    let identities = |bench: &Bench, file| -> Vec<salsa::Id> {
        let functions = tangle_analysis::program::functions(&bench.db, file, bench.settings);
        functions.iter().map(|(_, definition)| salsa::plumbing::AsId::as_id(&definition.id)).collect()
    };
    let file = bench.db.set_text("k.cl", BARRIERS);
    let before = identities(&bench, file);
    assert_eq!(before.len(), 4);
    bench.db.set_text("k.cl", &BARRIERS.replace("p[n] = n;", "p[n] = 2 * n; if (n) barrier(1);"));
    assert_eq!(identities(&bench, file), before);
    // A changed parameter makes another function only if it distinguishes overloads.
    bench.db.set_text("k.cl", &BARRIERS.replace("b(global int *p, int n)", "b(global int *p, uint n)"));
    assert_eq!(identities(&bench, file), before);
}

#[test]
fn moving_an_item_runs_no_analysis() {
    let mut bench = opened();
    let two = "u32 two(u32 x) { return x + 2; }\n";
    let moved = KERNEL.replace(two, "").replace("u32 one", &format!("{two}u32 one"));
    assert_ne!(moved, KERNEL);
    assert_eq!(bench.analyses("k.cl", &moved), []);
}

#[test]
fn second_file_reuses_cached_items_of_the_same_header() {
    let mut bench = opened();
    let other = "#include \"h.h\"\nkernel void other(global u32 *p) { p[0] = twice(1); }\n";
    assert_eq!(bench.analyses("other.cl", other), once_each());
}

#[test]
fn header_is_reanalysed_only_where_macros_change_it() {
    let mut bench = Bench::new();
    bench.db.set_text("h.h", "u32 same(u32 x) { return x; }\nu32 n(void) { return N; }\n");
    let with = |n: &str| format!("typedef unsigned u32;\n#define N {n}\n#include \"h.h\"\n");
    bench.lint("a.cl", &with("1"));
    assert_eq!(bench.analyses("b.cl", &with("2")), once_each());
}

#[test]
fn new_type_name_reruns_only_items_that_use_the_name() {
    let mut bench = Bench::new();
    let text = "void f(int t) { t = 1; }\nvoid g(int x) { (t)(x); }\n";
    bench.lint("a.cl", text);
    // `t` is now a type in `g`, and still the parameter in `f`. The kind of a name is part of its token, so `f`
    // changes.
    let (_, runs) = bench.lint("a.cl", &format!("typedef int t;\nvoid h(void) {{ }}\n{text}"));
    // typedef, h, f, g, and the outline of f. The outline of g does not contain `t`, and h is its own outline.
    assert_eq!(runs["parse"], 5, "{runs:?}");
    let (_, runs) = bench.lint("a.cl", &format!("typedef int s;\nvoid h(void) {{ }}\n{text}"));
    // The items with their former tokens are still cached: only the typedef is new.
    assert_eq!(runs["parse"], 1, "{runs:?}");
}

#[test]
fn header_that_appears_later_is_read() {
    let mut bench = Bench::new();
    let text = "#include \"late.h\"\nkernel void k(global later *p) { p[0] = 1; }\n";
    let (found, _) = bench.lint("k.cl", text);
    let rules: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["missing-include", "unknown-type"]);
    bench.db.set_text("late.h", "typedef int later;\n");
    let (found, _) = bench.lint("k.cl", text);
    assert_eq!(found, []);
}

#[test]
fn replaced_texts_are_freed() {
    let mut bench = opened();
    let mut units = Vec::new();
    for number in 0..200 {
        let file = bench.db.set_text("k.cl", &KERNEL.replace("x + 2", &format!("x + {number}")));
        check(&bench.db, file, bench.settings, Model::Tangles);
        units.push(Arc::downgrade(&tangle_syntax::items::unit(&bench.db, file, bench.settings).0));
    }
    let alive = units.iter().filter(|unit| unit.strong_count() > 0).count();
    assert!(alive < 60, "{alive} of 200");
}

/// When a name becomes known or unknown, only its users are affected: their types, their flow graphs and derived facts.
#[test]
fn newly_declared_name_reruns_only_items_that_use_it() {
    const KERNELS: &str = "\
kernel void uses(int n) { if (get_local_id(0) < SIZE) barrier(1); }
kernel void calls(int n) { helper(n); if (get_local_id(0) < n) barrier(1); }
kernel void neither(int n) { if (get_local_id(0) < n) barrier(1); }
";
    let of_graph = ["typed", "anchored", "function", "uniformity"];
    let mut bench = Bench::new();
    let mut lint = |before: &str| {
        let (found, runs) = bench.lint("k.cl", &format!("{before}\n{KERNELS}"));
        let barriers = found.iter().filter(|finding| finding.rule == "divergent-barrier").count();
        (barriers, of_graph.map(|query| runs.get(query).copied().unwrap_or(0)))
    };
    let (barriers, all) = lint("");
    assert_eq!(barriers, 3);
    // Types are checked for the function and for the declaration of the name.
    let (barriers, known) = lint("constant int SIZE = 4;");
    assert_eq!((barriers, known), (3, [2, 1, 1, 1]), "of {all:?}");
    let (barriers, known) = lint("void helper(int);");
    // `SIZE` is unknown again, as at first: only its user is lowered again, or found in the cache.
    assert_eq!(barriers, 3);
    assert!(known[0] <= 3 && known[3] <= 2, "{known:?} of {all:?}");
}

/// A function of a header that the file does not reach is only parsed as an outline.
#[test]
fn unreached_functions_of_headers_are_not_analysed() {
    const CHAIN: &str = "\
int last(int x) { return x + 1; }
int next(int x);
int first(int x) { return next(x) + last(x); }
int next(int x) { return x; }
int unreached(int x) { return first(x); }
";
    let mut bench = Bench::new();
    salsa::Setter::to(bench.settings.set_reached_only(&mut bench.db), true);
    bench.db.set_text("chain.h", CHAIN);
    let (_, runs) = bench.lint("k.cl", "#include \"chain.h\"\nkernel void k(global int *p) { *p = 1; }\n");
    let of =
        |runs: &BTreeMap<String, usize>| ["parse", "bodies", "typed", "tangles_of_draft"].map(|it| runs[it]);
    // The declaration of `next` and the kernel; the outlines of the four functions.
    assert_eq!(of(&runs), [6, 2, 2, 2], "{runs:?}");
    let (_, runs) =
        bench.lint("k.cl", "#include \"chain.h\"\nkernel void k(global int *p) { *p = first(1); }\n");
    // The kernel, and the bodies of `first`, `next` and `last`.
    assert_eq!(of(&runs), [4, 4, 4, 4], "{runs:?}");
    salsa::Setter::to(bench.settings.set_reached_only(&mut bench.db), false);
    let (_, runs) =
        bench.lint("k.cl", "#include \"chain.h\"\nkernel void k(global int *p) { *p = first(1); }\n");
    assert_eq!(of(&runs), [1, 1, 1, 1], "{runs:?}");
}
