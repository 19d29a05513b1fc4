//! Two functions with one name stay distinct in every module: summary, tokens, findings, debug locations, call chains.
//! (A test of the server covers the hover.)

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tangle_analysis::flow::module::{Lowered, Options, lower};
use tangle_analysis::tangle::Model;
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_diagnostic::Diagnostic;
use tangle_emit::language::DialectLanguage;
use tangle_emit::llvm::{self, Target};
use tangle_rules::check;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::opencl;
use tangle_syntax::source::{NoHeaders, Settings, SourceFile};

const TEXT: &str = "\
__attribute__((overloadable)) int step(int n) { if (n) barrier(1); return n; }
__attribute__((overloadable)) int step(float x) { return 1; }
__attribute__((overloadable)) int step(char c);
int through(int n) { return step(n); }
kernel void a(global int *p) { p[0] = through(get_local_id(0)); }
kernel void b(global int *p) { if (p[get_local_id(0)]) p[0] = step(1.0f); }
kernel void c(global int *p) { p[0] = step((char)1); }
";

fn opened() -> (Database, SourceFile, Settings) {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let file = db.set_text("k.cl", TEXT);
    (db, file, settings)
}

fn lowered() -> Lowered {
    let (db, file, settings) = opened();
    let lowered = lower(&db, file, settings, &Options::default());
    assert_eq!(lowered.errors, []);
    lowered
}

#[test]
fn each_overload_has_its_own_summary() {
    let (db, file, settings) = opened();
    let facts = UnitFacts::of(&db, file, settings);
    let results = facts.functions().iter().filter(|(_, it)| it.key.name.as_str() == "step").map(|(at, _)| {
        facts.facts(at).expect("step has facts").uniformity.summary.result.values.iter().collect::<Vec<_>>()
    });
    // The result of the first depends on its parameter; the result of the second is constant.
    assert_eq!(results.collect::<Vec<_>>(), [vec![0], vec![]]);
}

#[test]
fn each_overload_has_its_own_convergence() {
    let module = lowered().module;
    let convergent: Vec<(String, bool)> =
        module.functions.iter().map(|function| (function.key.to_string(), function.convergent)).collect();
    let expected =
        [("step", true), ("step", false), ("through", true), ("a", true), ("b", false), ("c", false)];
    assert_eq!(convergent, expected.map(|(name, convergent)| (name.to_owned(), convergent)));
}

#[test]
fn finding_in_an_overload_has_its_own_call_chain() {
    let (db, file, settings) = opened();
    let found: Vec<Diagnostic> = check(&db, file, settings, Model::Tangles);
    let rules: Vec<&str> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, ["divergent-barrier"], "{found:#?}");
    assert!(found[0].message.ends_with("`n` (from `get_local_id(0)` in `a`)"), "{}", found[0].message);
    let related: Vec<&str> = found[0].related.iter().map(|related| &*related.message).collect();
    assert!(related.contains(&"`through` calls `step` here"), "{related:?}");
}

/// Each function is on its own line: the `n`th in line `n + 1`, without the line of the prototype.
struct Lines;

impl llvm::LocationMap for Lines {
    fn place(&self, function: usize, _: tangle_ir::Span) -> Option<llvm::SourceLocation> {
        let line = [1, 2, 4, 5, 6, 7][function];
        Some(llvm::SourceLocation { file: "k.cl".into(), line, column: 1 })
    }
}

#[test]
fn each_overload_is_emitted_once_with_its_symbol_and_line() {
    let module = lowered().module;
    let options = llvm::Options { target: Target::Amdgcn, language: &DialectLanguage(opencl()), debug: true };
    let text = llvm::emit(&module, &options, &Lines).unwrap();
    let defined =
        |symbol: &str| text.lines().filter(|it| it.starts_with("define") && it.contains(symbol)).count();
    let declared =
        |symbol: &str| text.lines().filter(|it| it.starts_with("declare") && it.contains(symbol)).count();
    assert_eq!((defined("@_Z4stepi("), declared("@_Z4stepi(")), (1, 0), "{text}");
    assert_eq!((defined("@_Z4stepf("), declared("@_Z4stepf(")), (1, 0), "{text}");
    assert_eq!((defined("@_Z4stepc("), declared("@_Z4stepc(")), (0, 1), "{text}");
    // The memory effects of a prototype are unknown: it may read and write.
    let prototype = text.lines().find(|it| it.starts_with("declare") && it.contains("@_Z4stepc(")).unwrap();
    let group = prototype.rsplit_once('#').unwrap().1;
    let attributes = text.lines().find(|it| it.starts_with(&format!("attributes #{group} "))).unwrap();
    assert!(!attributes.contains("memory(none)"), "{attributes}");
    let line =
        |symbol: &str| text.lines().find(|it| it.contains("DISubprogram") && it.contains(symbol)).unwrap();
    assert!(line("_Z4stepi").contains("line: 1,"), "{text}");
    assert!(line("_Z4stepf").contains("line: 2,"), "{text}");
    verified(&text);
}

/// LLVM's verifier accepts the module, if `opt-19` is installed.
fn verified(text: &str) {
    let child =
        Command::new("opt-19").args(["-passes=verify", "-disable-output", "-"]).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = child else { return };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{text}");
}

#[test]
fn command_prints_the_line_of_each_overload() {
    let folder = std::env::temp_dir().join(format!("tangle-identity-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("k.cl");
    std::fs::write(&path, TEXT).unwrap();
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_tangle")).args(args).arg(&path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let ir = run(&["lower", "-g"]);
    let line =
        |symbol: &str| ir.lines().find(|it| it.contains("DISubprogram") && it.contains(symbol)).unwrap();
    assert!(line("_Z4stepi").contains("line: 1,"), "{ir}");
    assert!(line("_Z4stepf").contains("line: 2,"), "{ir}");
    let tangles: serde_json::Value = serde_json::from_str(&run(&["show", "--format", "json"])).unwrap();
    let functions = tangles["functions"].as_array().unwrap().iter();
    let lines: Vec<(u64, bool)> = functions
        .filter(|it| it["name"] == "step")
        .map(|it| (it["line"].as_u64().unwrap(), it["convergent"].as_bool().unwrap()))
        .collect();
    assert_eq!(lines, [(1, true), (2, false)]);
    std::fs::remove_dir_all(&folder).unwrap();
}
