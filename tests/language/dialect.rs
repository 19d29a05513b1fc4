//! A language is data: a language that this test defines passes through every stage as OpenCL C does. Facts about a
//! text in one language do not apply to it in another.

use std::sync::Arc;

use expect_test::{Expect, expect};
use tangle_analysis::flow::module::{Options, lower};
use tangle_analysis::program::{
    CallTarget, Convergent, ConvergentCallee, FunctionKey, Targets, convergent, targets,
};
use tangle_analysis::tangle::print::PrintContext;
use tangle_analysis::tangle::{DoubtId, Model, tangles_of};
use tangle_analysis::uniformity::unit::UnitFacts;
use tangle_diagnostic::Diagnostic;
use tangle_emit::language::DialectLanguage;
use tangle_emit::llvm;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_hir::body::CallId;
use tangle_hir::{bodies, scope};
use tangle_ir::text::print;
use tangle_rules as lint;
use tangle_syntax::db::Database;
use tangle_syntax::dialect::{Dialect, DialectTexts, Scope, opencl};
use tangle_syntax::items::parse;
use tangle_syntax::source::{NoHeaders, Settings, SourceFile};

/// A language with its own words for `kernel` and `global`, a barrier and a lane number. It has no `barrier`.
const TOY: DialectTexts = DialectTexts {
    language: r#"
title = "Toy"

[keywords]
if = ["if"]
else = ["else"]
for = ["for"]
return = ["return"]
void = ["void"]
int = ["int"]
unsigned = ["unsigned"]
kernel = ["entry_point"]
global = ["device"]

[types]
scalars = ["int", "uint"]
lanes = [2]

[types.named]
lane_t = "uint"

[constants.int]
TOY_ALL = 7

[target]
version = [1, 2]
version-metadata = "toy.version"
"#,
    predefined: "#define TOY 1\n",
    builtins: &[r#"
[[builtin]]
name = "toy_barrier"
scope = "workgroup"
kind = "barrier"
result = "operands"

[[builtin]]
name = "toy_lane"
scope = "none"
kind = "id"
convergent = false
result = "divergent"
"#],
    signatures: "toy_barrier: () -> void\ntoy_lane: () -> lane_t\n",
};

fn toy() -> Dialect {
    Dialect::define(TOY).expect("the tables are well-formed")
}

/// A database with one file, and settings for both languages.
struct Both {
    db: Database,
    file: SourceFile,
    toy: Settings,
    opencl: Settings,
}

impl Both {
    fn new(text: &str) -> Both {
        let mut db = Database::new(Arc::new(NoHeaders));
        let toy = db.settings_in(toy(), &[], &[], &[], toy().builtins().with(Vec::new()));
        let opencl = db.settings_in(opencl(), &[], &[], &[], opencl().builtins().with(Vec::new()));
        let file = db.set_text("k.toy", text);
        Both { db, file, toy, opencl }
    }

    fn findings(&self, settings: Settings) -> Vec<String> {
        let text = self.file.text(&self.db);
        let show =
            |it: &Diagnostic| format!("{}: {}: {}", &text[it.place.range.clone()], it.rule, it.message);
        lint::check(&self.db, self.file, settings, Model::Tangles).iter().map(show).collect()
    }

    /// Returns the functions of the file, each with whether it is a kernel.
    fn functions(&self, settings: Settings) -> Vec<(String, bool)> {
        let items = scope::scoped_items(&self.db, self.file, settings);
        let all = items.iter().flat_map(|it| &bodies(&self.db, it.scoped.item(&self.db)).0);
        all.map(|body| (body.name.text.to_string(), body.kernel)).collect()
    }

    fn flow(&self, settings: Settings) -> String {
        let lowered = lower(&self.db, self.file, settings, &Options::default());
        assert_eq!(lowered.errors, []);
        lowered.module.functions.iter().map(print).collect()
    }

    fn llvm(&self, settings: Settings) -> String {
        let lowered = lower(&self.db, self.file, settings, &Options::default());
        let language = &DialectLanguage(settings.dialect(&self.db));
        let options = llvm::Options { target: llvm::Target::Amdgcn, language, debug: false };
        llvm::emit(&lowered.module, &options, &llvm::NoLocations).expect("the file can be lowered")
    }
}

const KERNEL: &str = "\
#if TOY
entry_point void k(device int *p) {
    uint2 pair = (uint2)(TOY_ALL, toy_lane());
    lane_t lane = toy_lane();
    if (lane < 3) {
        toy_barrier();
    }
    p[lane] = pair.y;
}
#endif
";

#[test]
fn toy_language_is_parsed() {
    let both = Both::new(KERNEL);
    assert_eq!(both.functions(both.toy), [("k".to_owned(), true)]);
    for item in scope::scoped_items(&both.db, both.file, both.toy) {
        let item = item.scoped.item(&both.db);
        assert_eq!(parse(&both.db, item).errors, []);
        assert_eq!(parse(&both.db, item).unknown_words, []);
        assert_eq!(item.dialect(&both.db), toy());
    }
}

#[test]
fn divergent_barrier_of_toy_language_is_reported() {
    let both = Both::new(KERNEL);
    check_lines(
        &both.findings(both.toy),
        &expect![[r#"
        toy_barrier: divergent-barrier: not all work-items reach this `toy_barrier`: the condition depends on `lane` (from `toy_lane()`)
    "#]],
    );
}

fn check_lines(lines: &[String], expected: &Expect) {
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

/// Provides the printer of `tangle_analysis::tangle` with facts of later stages.
struct Shown<'a> {
    convergent: &'a Convergent,
    targets: Targets,
    key: FunctionKey,
}

impl PrintContext for Shown<'_> {
    fn place(&self, span: Span) -> ((usize, usize), (usize, usize)) {
        ((1, span.start as usize), (1, span.end as usize))
    }

    fn scope(&self, call: CallId) -> Option<Scope> {
        self.convergent.call(self.targets[call]).map(|called| called.scope())
    }

    fn is_settled(&self, _: DoubtId) -> bool {
        false
    }

    fn is_settled_call(&self, _: CallId) -> bool {
        false
    }

    fn group(&self, scope: Scope) -> &str {
        scope.as_str()
    }

    fn convergent(&self) -> bool {
        self.convergent.function(self.key)
    }
}

#[test]
fn toy_language_has_tangles_and_uniformity() {
    let both = Both::new(KERNEL);
    let db = &both.db;
    let convergent = convergent(db, both.file, both.toy);
    let barrier = Symbol::intern("toy_barrier");
    let called = convergent.call(CallTarget::Builtin(barrier));
    assert_eq!(called, Some(ConvergentCallee::Operation(barrier, tangle_syntax::dialect::Scope::Workgroup)));
    let items = scope::scoped_items(db, both.file, both.toy);
    let item = items[0].scoped.item(db);
    let body = &bodies(db, item).0[0];
    let tangles = &tangles_of(db, item, Model::Tangles).0[0];
    let key = FunctionKey::plain(body.name.text);
    let shown = Shown { convergent, targets: targets(db, items[0].scoped, 0), key };
    expect![[r#"
        kernel k, convergent
          T0   function-body 1:9
          T1   if-branch 1:37 of T0
          1:9     compound                   T0
          1:10      declaration              T0
          1:24      declaration              T0
          1:31      if                       T0
          1:37        compound               T1
          1:38          expression           T1
          1:38            calls toy_barrier (workgroup) T1
          1:43      expression               T0
    "#]]
    .assert_eq(&tangle_analysis::tangle::print::print(body, tangles, &shown));

    let facts = UnitFacts::of(db, both.file, both.toy);
    let [(at, _)] = facts.functions().iter().collect::<Vec<_>>()[..] else { panic!("one function") };
    let facts = facts.facts(at).expect("the function has a flow graph");
    let divergent = facts.uniformity.branches.iter().filter(|branch| !branch.is_uniform()).count();
    assert_eq!(divergent, 1);
}

#[test]
fn toy_language_is_lowered() {
    let both = Both::new(KERNEL);
    expect![[r#"
        function k(%p: global int *) convergent kernel {
        entry:
          %0 = entry
          %1 = call uint toy_lane()
          %2 = insert uint2 undefined, 0, 7
          %pair = insert %2, 1, %1
          %lane = call uint toy_lane()
          %3 = lt %lane, 3
          branch %3, if.then, if.end
        if.then:
          call toy_barrier() with %0
          jump if.end
        if.end:
          %4 = element int %p, %lane
          %5 = extract %pair, 1
          %6 = convert int %5
          store %6, %4
          return
        }
    "#]]
    .assert_eq(&both.flow(both.toy));
    let llvm = both.llvm(both.toy);
    for wanted in [
        "define protected amdgpu_kernel void @k(ptr addrspace(1)",
        "@_Z11toy_barrierv()",
        "!toy.version = !{!",
        "!{i32 1, i32 2}",
    ] {
        assert!(llvm.contains(wanted), "no {wanted} in\n{llvm}");
    }
    assert!(!llvm.contains("opencl"), "{llvm}");
}

#[test]
fn words_of_another_language_are_unknown() {
    let both = Both::new("entry_point void k(void) { if (toy_lane()) barrier(1); }\n");
    check_lines(
        &both.findings(both.toy),
        &expect![[r#"
        barrier: undeclared-function: undeclared function `barrier`: result assumed as divergent as its arguments
    "#]],
    );
    let both = Both::new("kernel void k(void) { }\n");
    assert_eq!(both.functions(both.opencl), [("k".to_owned(), true)]);
    assert_eq!(both.functions(both.toy), [("k".to_owned(), false)]);
    let both = Both::new("entry_point void k(void) { § }\n");
    check_lines(
        &both.findings(both.toy),
        &expect![[r#"
        §: syntax-error: character `§` is not allowed in Toy
    "#]],
    );
}

/// The tokens are the same in both languages, but their meaning differs.
const SHARED: &str = "\
void f(int n) { if (n < get_local_id(0)) toy_barrier(); }
void g(int n) { if (n < toy_lane()) toy_barrier(); }
";

#[test]
fn languages_in_one_database_share_no_facts() {
    let alone = |language: fn(&Both) -> Settings| {
        let both = Both::new(SHARED);
        both.findings(language(&both))
    };
    let (toy, opencl) = (alone(|both| both.toy), alone(|both| both.opencl));
    assert_ne!(toy, opencl);
    let both = Both::new(SHARED);
    assert_eq!(both.findings(both.toy), toy);
    assert_eq!(both.findings(both.opencl), opencl);
    let both = Both::new(SHARED);
    assert_eq!(both.findings(both.opencl), opencl);
    assert_eq!(both.findings(both.toy), toy);
    let items = |settings| scope::scoped_items(&both.db, both.file, settings);
    for (a, b) in items(both.toy).iter().zip(items(both.opencl)) {
        let (a, b) = (a.scoped.item(&both.db), b.scoped.item(&both.db));
        assert_eq!(a.tokens(&both.db), b.tokens(&both.db));
        assert_ne!(a, b);
    }
}

#[test]
fn shared_header_is_analysed_separately_for_each_language() {
    let mut both = Both::new("#include \"h.h\"\nvoid k(void) { sync(); }\n");
    both.db.set_text("h.h", "entry_point void first(void) { }\nvoid sync(void) { toy_barrier(); }\n");
    let sync = Symbol::intern("sync");
    for _ in 0..2 {
        let sync = FunctionKey::plain(sync);
        let is_convergent = |settings| convergent(&both.db, both.file, settings).function(sync);
        assert!(is_convergent(both.toy));
        assert!(!is_convergent(both.opencl));
        assert!(both.functions(both.toy).contains(&("first".to_owned(), true)));
        assert!(both.functions(both.opencl).contains(&("first".to_owned(), false)));
    }
}

#[test]
fn equal_definitions_are_the_same_language() {
    assert_eq!(toy(), toy());
    let other = DialectTexts { predefined: "#define TOY 2\n", ..TOY };
    assert_ne!(Dialect::define(other).unwrap(), toy());
}

/// Returns the error of the toy language after `from` is replaced by `to` in its texts.
fn mistake(from: &str, to: &str) -> String {
    let texts = [TOY.language, TOY.builtins[0], TOY.signatures].map(|text| text.replace(from, to));
    let [language, builtins, signatures] = &texts;
    let source = DialectTexts { language, predefined: TOY.predefined, builtins: &[builtins], signatures };
    Dialect::define(source).expect_err("the language has an error").to_string()
}

#[test]
fn error_in_language_table_is_reported_with_its_location() {
    for (from, to, expected) in [
        (
            "kind = \"barrier\"",
            "kind = \"barier\"",
            "builtins:5:8: unknown kind `barier`; did you mean `barrier`?",
        ),
        (
            "result = \"operands\"",
            "result = \"uniform\"",
            "builtins:6:10: unknown result `uniform`: expected one of `uniform:cluster`, `divergent:cluster`, `uniform:workgroup`, `uniform:subgroup`, `uniform:tile`, `divergent`, `operands`",
        ),
        (
            "scope = \"none\"",
            "scope = \"warp\"",
            "builtins:10:9: unknown scope `warp`: expected one of `none`, `tile`, `subgroup`, `workgroup`, `cluster`, `grid`",
        ),
        (
            "scope = \"workgroup\"\n",
            "",
            "builtins:2:1: this builtin needs a `scope`: one of `none`, `tile`, `subgroup`, `workgroup`, `cluster`, `grid`",
        ),
        ("name = \"toy_lane\"\n", "", "builtins:8:1: this builtin needs `name` or `pattern`"),
        (
            "name = \"toy_lane\"\n",
            "name = \"toy_lane\"\npattern = \"toy_*\"\n",
            "builtins:8:1: this builtin has both `name` and `pattern`: remove one",
        ),
        (
            "convergent = false",
            "convergant = false",
            "builtins:12:1: unknown key `convergant`; did you mean `convergent`?",
        ),
        (
            "convergent = false",
            "mask = -1",
            "builtins:12:8: invalid argument number `-1`: arguments count from 0",
        ),
        (
            "convergent = false",
            "uniform-arguments = [\"first\"]",
            "builtins:12:22: invalid type: string \"first\", expected i64",
        ),
        ("kernel = [", "kernal = [", "language:12:1: unknown keyword `kernal`"),
        ("lane_t = \"uint\"", "lane_t = \"lane\"", "language:20:10: unknown type description `lane`"),
        ("[constants.int]", "[constants.real]", "language:22:12: unknown type `real`"),
        (
            "toy_lane: () -> lane_t",
            "toy_lane: () -> lane",
            "signatures:2:1: unknown type `lane` in `toy_lane: () -> lane`",
        ),
    ] {
        assert_eq!(mistake(from, to), expected, "{to}");
    }
}
