//! The meaning of the names in an item, and the queries that an edit of a declaration executes again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tangle_analysis::tangle::Model;
use tangle_hir::def::names::LookupKey;
use tangle_hir::scope::{ScopedItem, scoped_items, typed};
use tangle_rules::check;
use tangle_syntax::db::Database;
use tangle_syntax::source::{NoHeaders, Settings, SourceFile};

/// The queries that belong to one item each.
const OF_ITEMS: &[&str] = &["uses", "exports", "typed"];

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

    /// Sets the text of a file and checks the types of all its items. Returns the number of executions of each query.
    fn check(&mut self, path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let file = self.db.set_text(path, text);
        self.log.lock().unwrap().clear();
        for item in scoped_items(&self.db, file, self.settings) {
            let problems = &typed(&self.db, item.scoped).problems;
            assert!(problems.is_empty(), "{problems:?}");
        }
        let mut runs: BTreeMap<String, usize> = BTreeMap::new();
        for query in self.log.lock().unwrap().iter() {
            *runs.entry(query.split('(').next().unwrap().to_owned()).or_default() += 1;
        }
        OF_ITEMS.iter().filter_map(|&name| Some((name, *runs.get(name)?))).collect()
    }

    fn items(&self, file: SourceFile) -> Vec<ScopedItem<'_>> {
        scoped_items(&self.db, file, self.settings)
    }

    /// Returns the names that each item of a file refers to. Tags have the prefix `#`.
    fn names(&mut self, text: &str) -> Vec<String> {
        let file = self.db.set_text("k.cl", text);
        let items = self.items(file);
        let names = items.iter().map(|item| item.scoped.names(&self.db).names.clone());
        names
            .map(|names| {
                let ordinary = names.entries.iter().filter_map(|(entry, ..)| match entry {
                    LookupKey::Ordinary(name) => Some(name.as_str().to_owned()),
                    LookupKey::Methods(_) | LookupKey::Specialisations(_) | LookupKey::Classes(_) => None,
                });
                let mut all: Vec<String> = ordinary.collect();
                all.extend(names.tags.iter().map(|(tag, _)| format!("#{tag}")));
                all.sort();
                all.join(" ")
            })
            .collect()
    }
}

fn each(times: usize) -> Vec<(&'static str, usize)> {
    OF_ITEMS.iter().map(|&name| (name, times)).collect()
}

/// The queries for new items, some of them functions. A function has an outline with uses of its own. The outline
/// determines the exports of the function.
fn new_items(items: usize, functions: usize) -> Vec<(&'static str, usize)> {
    vec![("uses", items + functions), ("exports", items), ("typed", items)]
}

/// The queries for a function with a new body: its outline, and so its exports, stay the same.
fn new_body() -> Vec<(&'static str, usize)> {
    vec![("uses", 1), ("typed", 1)]
}

const HEADER: &str = "\
typedef unsigned int u32;
struct pair { u32 a, b; };
u32 twice(u32 x) { return 2 * x; }
";

const KERNEL: &str = "\
#include \"h.h\"
u32 one(u32 x) { return twice(x) + 1; }
u32 two(struct pair p) { return one(p.a) + p.b; }
kernel void k(global struct pair *p) { p->a = two(*p); }
";

fn opened() -> Bench {
    let mut bench = Bench::new();
    bench.db.set_text("h.h", HEADER);
    assert_eq!(bench.check("k.cl", KERNEL), new_items(6, 3));
    bench
}

#[test]
fn body_edit_affects_only_its_item() {
    let mut bench = opened();
    assert_eq!(bench.check("k.cl", &KERNEL.replace("+ 1", "+ 2")), new_body());
}

#[test]
fn header_body_edit_does_not_affect_callers() {
    let mut bench = opened();
    bench.db.set_text("h.h", &HEADER.replace("2 * x", "x << 1"));
    assert_eq!(bench.check("k.cl", KERNEL), new_body());
}

#[test]
fn comment_or_moved_item_affects_no_item() {
    let mut bench = opened();
    assert_eq!(bench.check("k.cl", &KERNEL.replace("u32 two", "// twice\n\nu32 two")), []);
}

#[test]
fn function_type_change_affects_only_direct_callers() {
    let mut bench = opened();
    let text = KERNEL.replace("u32 one(u32 x)", "ulong one(ulong x)");
    // `one` and its outline have new tokens. `two` is the same item, with another meaning of `one`. Its outline does not
    // mention `one`.
    assert_eq!(bench.check("k.cl", &text), [("uses", 2), ("exports", 1), ("typed", 2)]);
}

#[test]
fn files_with_the_same_header_share_its_scoped_items() {
    let mut bench = opened();
    let other = "#include \"h.h\"\nkernel void other(global u32 *p) { *p = twice(1); }\n";
    assert_eq!(bench.check("other.cl", other), each(1));
    let [kernel, other] = [bench.db.set_text("k.cl", KERNEL), bench.db.set_text("other.cl", other)];
    let scoped = |file| bench.items(file).iter().take(3).map(|item| item.scoped).collect::<Vec<_>>();
    assert_eq!(scoped(kernel), scoped(other));
}

#[test]
fn declaration_before_header_affects_only_items_that_use_it() {
    let mut bench = opened();
    let text = format!("float unused(float x) {{ return x; }}\n{KERNEL}");
    assert_eq!(bench.check("k.cl", &text), new_items(1, 1));
}

#[test]
fn item_scope_has_used_names_and_tags_of_their_types() {
    let mut bench = Bench::new();
    let text = "\
struct list { struct list *next; struct late *other; };
typedef struct late *handle;
int before(handle h);
struct late { int x; };
int after(handle h) { return h->x; }
int walk(struct list *l) { return l->next->other->x; }
";
    assert_eq!(
        bench.names(text),
        [
            "",
            "",
            // No earlier item defines `late`.
            "handle",
            "",
            "#late handle",
            "#late #list",
        ]
    );
    bench.check("k.cl", text);
}

#[test]
fn overloads_of_a_name_are_visible_together() {
    let mut bench = Bench::new();
    let text = "\
typedef float real;
real a(real x);
__attribute__((overloadable)) int twice(int x) { return 2 * x; }
__attribute__((overloadable)) float twice(float x) { return 2 * x; }
kernel void k(global int *p, global float *q) { *p = twice(1); *q = twice(1.5f); }
";
    assert_eq!(bench.names(text), ["", "real", "", "twice", "twice"]);
    bench.check("k.cl", text);
}

#[test]
fn declarators_of_one_declaration_share_its_record() {
    let mut bench = Bench::new();
    let text = "\
typedef struct { int x; } pair_t, *pair_p;
typedef struct early early_t;
struct early { int y; };
struct outer { early_t e[2]; };
int f(pair_p p) { pair_t copy = *p; p = &copy; return p->x; }
int g(struct outer *o) { return o->e[1].y; }
";
    assert_eq!(bench.check("k.cl", text), new_items(6, 2));
}

/// Lints a text, and returns the elapsed time.
fn timed(files: &[(&str, &str)], text: &str) -> Duration {
    let mut bench = Bench::new();
    for (path, text) in files {
        bench.db.set_text(path, text);
    }
    let file = bench.db.set_text("k.cl", text);
    let start = Instant::now();
    check(&bench.db, file, bench.settings, Model::Tangles);
    start.elapsed()
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn repeated_includes_of_empty_headers_are_checked_quickly() {
    let mut files = vec![("h0.h".to_owned(), "#warning x\n".to_owned())];
    for number in 1..100 {
        let line = format!("#include \"h{}.h\"\n", number - 1);
        files.push((format!("h{number}.h"), line.repeat(2)));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert!(timed(&files, "#include \"h99.h\"\nkernel void k(global int *p) { *p = 1; }\n") < LONG);
}

#[test]
fn deeply_composed_types_are_checked_quickly() {
    let mut text = String::from("struct s0 { int x; };\ntypedef void f0(int);\n");
    for number in 1..200 {
        let before = number - 1;
        writeln!(text, "struct s{number} {{ struct s{before} a, b; }};").unwrap();
        writeln!(text, "typedef void (*f{number})(f{before}, f{before}, struct s{before} *);").unwrap();
    }
    text += "int size(f199 f, struct s199 *s) { float4 x = f; return sizeof(struct s59) + sizeof(*s); }\n";
    assert!(timed(&[], &text) < LONG);
}

#[test]
fn long_typedef_chain_is_checked_quickly() {
    let mut text = String::from("typedef int *t0;\n");
    for number in 1..20_000 {
        writeln!(text, "typedef t{} *t{number};", number - 1).unwrap();
    }
    text += "void f(t19999 p) { float4 x = p; }\n";
    assert!(timed(&[], &text) < LONG);
}
