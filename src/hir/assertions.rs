//! What users say is uniform although no analysis can see it: in `tangle.toml`, or by a comment at a declaration.
//!
//! ```c
//! // tangle: uniform(workgroup): one tile for each work-group      the result of the function that follows
//! int tile_of(global const int *map);
//!
//! void step(global float *p,
//!           int n) {               // tangle: uniform(workgroup)  the parameter `n`
//!   int last = p[n];               // tangle: uniform(subgroup)   the variable `last`
//! }
//! ```
//!
//! An assertion names a function and what of it is uniform, and says nothing of places: a comment that moves changes no fact.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{Ast, DeclId, Derived, Span, StmtKind, Storage, TypeSpecifier};
use tangle_grammar::symbol::Symbol;

use super::bodies;
use super::body::Body;
use crate::db::Db;
use crate::dialect::Scope;
use crate::preprocess::Chunk;
use crate::source::{Settings, SourceFile, UniformRow};
use crate::syntax::{ChunkKey, Item, Request, SharedChunk, chunks, items, parse, remarks, spans, unit};

/// What of a function is uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asserted {
    /// All threads of the scope that call it together get the same result.
    Result,
    /// A parameter or variable of this name: all threads of the scope that are at the same place together see the same value in it.
    Variable(Symbol),
}

/// Where an assertion comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    Settings,
    Comment,
}

/// Something of a function is uniform in a scope, and so in every narrower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assertion {
    pub what: Asserted,
    pub scope: Scope,
    pub source: Source,
}

/// All that is asserted of the functions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Assertions {
    by_function: FxHashMap<Symbol, Vec<Assertion>>,
}

impl Assertions {
    /// What is asserted of a function. Part of the key of whatever depends on it.
    pub fn of(&self, function: Symbol) -> &[Assertion] {
        self.by_function.get(&function).map_or(&[], Vec::as_slice)
    }

    /// The widest scope in which something of a function is uniform, with the assertion that says so.
    pub fn get(&self, function: Symbol, what: Asserted) -> Option<Assertion> {
        self.of(function).iter().copied().filter(|known| known.what == what).max_by_key(|known| known.scope)
    }

    pub fn is_empty(&self) -> bool {
        self.by_function.is_empty()
    }

    fn add(&mut self, function: Symbol, assertion: Assertion) {
        self.by_function.entry(function).or_default().push(assertion);
    }
}

/// Why a comment asserts nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Without parentheses, or with nothing in them.
    NoScope,
    /// What stands where the scope should.
    UnknownScope(String),
    /// What it is about declares no function, parameter or variable; of this name, if it has one.
    NothingDeclared(Option<String>),
}

/// An assertion, or a mistake, with the place of its comment.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Comments {
    assertions: Box<[(Symbol, Assertion, Place)]>,
    mistakes: Box<[(Mistake, Place)]>,
}

type Place = (SourceFile, Range<usize>);

/// What is asserted of the functions of a file and of what it includes.
#[salsa::tracked]
pub fn assertions(db: &dyn Db, file: SourceFile, settings: Settings) -> Assertions {
    let mut all = Assertions::default();
    for UniformRow { function, variable, scope } in settings.uniform(db).iter() {
        let what = match variable {
            Some(name) => Asserted::Variable(Symbol::intern(name)),
            None => Asserted::Result,
        };
        all.add(Symbol::intern(function), Assertion { what, scope: *scope, source: Source::Settings });
    }
    for (function, assertion, _) in &comments(db, file, settings).assertions {
        all.add(*function, *assertion);
    }
    all
}

/// The word `uniform` of the comment that asserts something of a function.
pub fn place_of(
    db: &dyn Db,
    file: SourceFile,
    settings: Settings,
    function: Symbol,
    what: Asserted,
) -> Option<Place> {
    let comments = &comments(db, file, settings).assertions;
    let found = comments.iter().filter(|(name, known, _)| *name == function && known.what == what);
    found.max_by_key(|(_, known, _)| known.scope).map(|(.., place)| place.clone())
}

/// The comments of a file and of what it includes that say `uniform` and assert nothing.
pub fn mistakes(db: &dyn Db, file: SourceFile, settings: Settings) -> &[(Mistake, Place)] {
    &comments(db, file, settings).mistakes
}

// Apart from `assertions`: places change with every line that is written above them.
#[salsa::tracked]
fn comments(db: &dyn Db, file: SourceFile, settings: Settings) -> Comments {
    let (mut assertions, mut mistakes) = (Vec::new(), Vec::new());
    let unit = unit(db, file, settings);
    for &id in &unit.0.files {
        let file = db.source(id);
        let remarks = remarks(db, file);
        if remarks.is_empty() {
            continue;
        }
        let text = file.text(db);
        let mut declared = None;
        for remark in remarks {
            let Request { word: "uniform", word_at, arguments, .. } = remark.request(&text) else { continue };
            let declared = declared.get_or_insert_with(|| {
                let chunks = chunks(unit).into_iter().filter(|chunk| chunk.file == id);
                chunks.flat_map(|chunk| declarations(db, file, chunk)).collect::<Vec<_>>()
            });
            let here = declared.iter().filter(|(at, ..)| remark.about.contains(at));
            let here: Vec<(Symbol, Asserted)> = here.map(|&(_, function, what)| (function, what)).collect();
            match read(arguments.unwrap_or_default(), here) {
                Ok((scope, found)) => assertions.extend(found.into_iter().map(|(function, what)| {
                    let assertion = Assertion { what, scope, source: Source::Comment };
                    (function, assertion, (file, word_at.clone()))
                })),
                Err(mistake) => mistakes.push((mistake, (file, word_at))),
            }
        }
    }
    Comments { assertions: assertions.into(), mistakes: mistakes.into() }
}

/// What `uniform(scope, name, …)` asserts of what is declared where it stands.
fn read(
    arguments: Vec<(&str, Range<usize>)>,
    here: Vec<(Symbol, Asserted)>,
) -> Result<(Scope, Vec<(Symbol, Asserted)>), Mistake> {
    let mut arguments = arguments.into_iter().map(|(argument, _)| argument);
    let scope = match arguments.next() {
        Some("subgroup") => Scope::Subgroup,
        Some("workgroup") => Scope::Workgroup,
        Some("grid") => Scope::Grid,
        Some(other) => return Err(Mistake::UnknownScope(other.to_owned())),
        None => return Err(Mistake::NoScope),
    };
    let mut found = Vec::new();
    for name in arguments {
        let named = Asserted::Variable(Symbol::intern(name));
        let before = found.len();
        found.extend(here.iter().filter(|(_, what)| *what == named));
        if found.len() == before {
            return Err(Mistake::NothingDeclared(Some(name.to_owned())));
        }
    }
    if found.is_empty() {
        // A function's head declares its parameters too: those stand on lines of their own, or are named.
        let result = here.iter().find(|(_, what)| *what == Asserted::Result).copied();
        found = result.map_or(here, |result| vec![result]);
    }
    if found.is_empty() { Err(Mistake::NothingDeclared(None)) } else { Ok((scope, found)) }
}

/// What the items of a chunk declare: where the name is written in the chunk's file, whose it is, and what.
fn declarations(db: &dyn Db, file: SourceFile, chunk: Arc<Chunk>) -> Vec<(usize, Symbol, Asserted)> {
    let spans = spans(db, file);
    let mut found = Vec::new();
    let key = ChunkKey::new(db, SharedChunk(chunk.clone()));
    for &(item, first) in items(db, key) {
        let mut add = |name: Span, function: Symbol, what: Asserted| {
            let Some(&origin) = chunk.origins.get((first + name.start) as usize) else { return };
            let used = chunk.place_of_use(origin);
            if used.file == chunk.file {
                found.push((spans.get(used.token).start, function, what));
            }
        };
        of_item(db, item, &mut add);
    }
    found
}

fn of_item(db: &dyn Db, item: Item, add: &mut impl FnMut(Span, Symbol, Asserted)) {
    let ast: &Ast = &parse(db, item).0.ast;
    let mut functions = Vec::new();
    let mut declare = |id: DeclId, function: Symbol| {
        if let Some(name) = ast.decls[id].name {
            add(name.span, function, Asserted::Variable(name.text));
        }
    };
    let bodies = &bodies(db, item).0;
    for (_, stmt) in ast.stmts.iter() {
        let StmtKind::Declaration(decls) = &stmt.kind else { continue };
        let holds = |body: &&Body| body.span.start <= stmt.span.start && stmt.span.end <= body.span.end;
        // The innermost: a block literal stands inside a function.
        let innermost = bodies.iter().filter(holds).min_by_key(|body| body.span.end - body.span.start);
        if let Some(body) = innermost {
            decls.iter().for_each(|&id| declare(id, body.name.text));
        }
    }
    for decl in ast.items.iter().map(|&id| &ast.decls[id]) {
        if let (Some(name), Some(Derived::Function { parameters, .. })) = (decl.name, decl.declarator.first())
            && !decl.specifiers.storage.contains(&Storage::Typedef)
        {
            parameters.iter().for_each(|&parameter| declare(parameter, name.text));
            // Without a result only the parameters can be meant.
            if !matches!((&*decl.specifiers.types, decl.declarator.len()), ([TypeSpecifier::Void], 1)) {
                functions.push(name);
            }
        }
    }
    functions.into_iter().for_each(|name| add(name.span, name.text, Asserted::Result));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Database;
    use crate::source::{Content, Loader};

    struct NoFiles;
    impl Loader for NoFiles {
        fn load(&self, _: &str) -> Content {
            Content::Missing
        }
    }

    /// What the comments of a text assert, and the mistakes in them.
    fn check(text: &str, expected: &[&str]) {
        let mut db = Database::new(Arc::new(NoFiles));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let file = db.set_text("a.cl", text);
        let comments = comments(&db, file, settings);
        let assertion = |(function, assertion, _): &(Symbol, Assertion, Place)| {
            let what = match assertion.what {
                Asserted::Result => "()".to_owned(),
                Asserted::Variable(name) => format!(".{name}"),
            };
            format!("{function}{what} {}", assertion.scope.as_str())
        };
        let mistake = |(mistake, (_, at)): &(Mistake, Place)| format!("{mistake:?} {}", &text[at.clone()]);
        let found = comments.assertions.iter().map(assertion).chain(comments.mistakes.iter().map(mistake));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_comment_is_about_the_parameters_and_variables_of_its_line() {
        check(
            "void f(global int *p,  // tangle: uniform(grid)\n  int n, int m) { // tangle: uniform(workgroup): why\n}",
            &["f.p grid", "f.n workgroup", "f.m workgroup"],
        );
        check(
            "void f(void) {\n int a = g(), b; // tangle: uniform(subgroup)\n}",
            &["f.a subgroup", "f.b subgroup"],
        );
        check(
            "void f(void) {\n // tangle: uniform(subgroup)\n for (int i = 0; i < 9; i++) { int j; } }",
            &["f.i subgroup"],
        );
        check("void f(int n); // tangle: uniform(grid, n)\n", &["f.n grid"]);
    }

    #[test]
    fn a_comment_at_a_function_is_about_its_result_unless_it_names_parameters() {
        check("// tangle: uniform(workgroup): why\nint f(int n);\n", &["f() workgroup"]);
        check("int f(int n) { return n; } // tangle: uniform(workgroup)", &["f() workgroup"]);
        check(
            "// tangle: uniform(workgroup, n, m)\nint f(int n, int m) { int n; }\n",
            &["f.n workgroup", "f.m workgroup"],
        );
    }

    #[test]
    fn a_comment_at_nothing_that_can_be_uniform_is_a_mistake() {
        check("int x; // tangle: uniform(workgroup)", &["NothingDeclared(None) uniform"]);
        check("typedef int f(int n); // tangle: uniform(grid)\n", &["NothingDeclared(None) uniform"]);
        check("struct s {\n int n; // tangle: uniform(grid)\n};", &["NothingDeclared(None) uniform"]);
        check("void f(int n) { // tangle: uniform(grid, m)\n}", &["NothingDeclared(Some(\"m\")) uniform"]);
        check("void f(int n) { // tangle: uniform(block)\n}", &["UnknownScope(\"block\") uniform"]);
        check("void f(int n) { // tangle: uniform\n}", &["NoScope uniform"]);
        check("void f(int n) { // tangle: uniform()\n}", &["NoScope uniform"]);
    }

    #[test]
    fn what_comes_through_a_macro_is_declared_where_the_macro_is_used() {
        check("#define ARG int n\nvoid f(ARG) { } // tangle: uniform(grid, n)\n", &["f.n grid"]);
    }

    #[test]
    fn a_wider_scope_wins() {
        let mut db = Database::new(Arc::new(NoFiles));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let (f, n) = (Symbol::intern("f"), Symbol::intern("n"));
        let row = UniformRow { function: "f".into(), variable: Some("n".into()), scope: Scope::Workgroup };
        db.set_uniform(settings, vec![row]);
        let file = db.set_text("a.cl", "void f(int n) { } // tangle: uniform(subgroup, n)\n");
        let all = assertions(&db, file, settings);
        let expected =
            Assertion { what: Asserted::Variable(n), scope: Scope::Workgroup, source: Source::Settings };
        assert_eq!(all.get(f, Asserted::Variable(n)), Some(expected));
        assert_eq!(all.of(f).len(), 2);
        assert_eq!(all.get(f, Asserted::Result), None);
        assert_eq!(place_of(&db, file, settings, f, Asserted::Variable(n)), Some((file, 29..36)));
    }

    #[test]
    fn a_comment_that_moves_changes_no_assertion() {
        let mut db = Database::new(Arc::new(NoFiles));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let text = "void f(int n) { } // tangle: uniform(subgroup, n)\n";
        let file = db.set_text("a.cl", text);
        let before = assertions(&db, file, settings).clone();
        db.set_text("a.cl", &format!("\n\n{text}"));
        assert_eq!(*assertions(&db, file, settings), before);
    }
}
