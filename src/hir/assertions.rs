//! Values that users assert to be uniform: in `tangle.toml`, or by a comment at a declaration.
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
//! An assertion consists of a function, a value in it and a scope, without a location: moving a comment changes no
//! fact. A comment applies only to the function that is declared in its range, not to other overloads. `tangle.toml`
//! has only the name, and applies to all functions with it.

use std::cell::LazyCell;
use std::ops::Range;

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{Ast, DeclId, DeclaratorStep, Span, StmtKind, Storage, TypeSpecifier};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::FunctionKey;

use super::bodies;
use super::body::Body;
use super::scope::{Scoped, ScopedItem, declared_key, scoped_items, typed};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Scope;
use tangle_syntax::items::{Request, ast, remarks, spans, unit};
use tangle_syntax::source::{Settings, SourceFile, UniformRow};

/// The uniform value of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssertedValue {
    /// All threads of the scope that call it together get the same result.
    Result,
    /// The parameter or variable of this name: all threads of the scope that are at the same point together see the
    /// same value in it.
    Variable(Symbol),
}

/// The origin of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssertionOrigin {
    Settings,
    Comment,
}

/// A value of a function is uniform in a scope, and so in every narrower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assertion {
    pub what: AssertedValue,
    pub scope: Scope,
    pub source: AssertionOrigin,
}

/// The assertions about the functions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Assertions {
    /// From the settings: for all functions of a name.
    by_name: FxHashMap<Symbol, Vec<Assertion>>,
    /// From comments.
    by_key: FxHashMap<FunctionKey, Vec<Assertion>>,
}

impl Assertions {
    /// Returns the assertions about a function.
    pub fn of(&self, function: FunctionKey) -> impl Iterator<Item = Assertion> + '_ {
        let named = self.by_name.get(&function.name).into_iter().flatten();
        named.chain(self.by_key.get(&function.template()).into_iter().flatten()).copied()
    }

    /// Returns the assertion with the widest scope about a value of a function.
    pub fn get(&self, function: FunctionKey, what: AssertedValue) -> Option<Assertion> {
        self.of(function).filter(|known| known.what == what).max_by_key(|known| known.scope)
    }
}

/// The reason why a comment asserts nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The parentheses are missing or empty.
    NoScope,
    /// The text in the position of the scope.
    UnknownScope(String),
    /// The range of the comment declares no function, parameter or variable, or not the given name.
    NothingDeclared(Option<String>),
}

/// The assertions in comments, and the mistakes in them with their locations.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Comments {
    assertions: Box<[(FunctionKey, Assertion)]>,
    mistakes: Box<[(Mistake, Location)]>,
}

type Location = (SourceFile, Range<usize>);

/// Returns the assertions about the functions of a file and its headers.
#[salsa::tracked]
pub fn assertions(db: &dyn Db, file: SourceFile, settings: Settings) -> Assertions {
    let mut all = Assertions::default();
    for UniformRow { function, variable, scope } in settings.uniform(db).iter() {
        let what = match variable {
            Some(name) => AssertedValue::Variable(Symbol::intern(name)),
            None => AssertedValue::Result,
        };
        let assertion = Assertion { what, scope: *scope, source: AssertionOrigin::Settings };
        all.by_name.entry(Symbol::intern(function)).or_default().push(assertion);
    }
    for &(function, assertion) in &comments(db, file, settings).assertions {
        all.by_key.entry(function).or_default().push(assertion);
    }
    all
}

/// Returns the mistakes in `uniform` comments of a file and its headers: these comments assert nothing.
pub fn mistakes(db: &dyn Db, file: SourceFile, settings: Settings) -> &[(Mistake, Location)] {
    &comments(db, file, settings).mistakes
}

// Not part of `assertions`: locations change with every line that is added above them.
#[salsa::tracked]
fn comments(db: &dyn Db, file: SourceFile, settings: Settings) -> Comments {
    let (mut assertions, mut mistakes) = (Vec::new(), Vec::new());
    let files = &unit(db, file, settings).0.files;
    let scoped = LazyCell::new(|| scoped_items(db, file, settings));
    for &id in files {
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
                let own = scoped.iter().filter(|item| item.chunk.file == id);
                own.flat_map(|item| declarations(db, file, item)).collect::<Vec<_>>()
            });
            let here = declared.iter().filter(|(at, ..)| remark.about.contains(at));
            let here: Vec<(FunctionKey, AssertedValue)> =
                here.map(|&(_, function, what)| (function, what)).collect();
            match read(arguments.unwrap_or_default(), here) {
                Ok((scope, found)) => assertions.extend(found.into_iter().map(|(function, what)| {
                    (function, Assertion { what, scope, source: AssertionOrigin::Comment })
                })),
                Err(mistake) => mistakes.push((mistake, (file, word_at))),
            }
        }
    }
    Comments { assertions: assertions.into(), mistakes: mistakes.into() }
}

/// Returns the assertions of `uniform(scope, name, …)` about `here`, the declarations in the range of the comment.
fn read(
    arguments: Vec<(&str, Range<usize>)>,
    here: Vec<(FunctionKey, AssertedValue)>,
) -> Result<(Scope, Vec<(FunctionKey, AssertedValue)>), Mistake> {
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
        let named = AssertedValue::Variable(Symbol::intern(name));
        let before = found.len();
        found.extend(here.iter().filter(|(_, what)| *what == named));
        if found.len() == before {
            return Err(Mistake::NothingDeclared(Some(name.to_owned())));
        }
    }
    if found.is_empty() {
        // The head of a function declares its parameters too. They are meant only if the range has no function name, or
        // if they are named.
        let result = here.iter().find(|(_, what)| *what == AssertedValue::Result).copied();
        found = result.map_or(here, |result| vec![result]);
    }
    if found.is_empty() { Err(Mistake::NothingDeclared(None)) } else { Ok((scope, found)) }
}

/// Returns the declarations of an item: the offset of the name in the file of its chunk, the function and the value.
fn declarations(
    db: &dyn Db,
    file: SourceFile,
    item: &ScopedItem,
) -> Vec<(usize, FunctionKey, AssertedValue)> {
    let spans = spans(db, file);
    let chunk = &item.chunk;
    let mut found = Vec::new();
    let mut add = |name: Span, function: FunctionKey, what: AssertedValue| {
        let Some(&origin) = chunk.origins.get((item.first + name.start) as usize) else { return };
        let used = chunk.place_of_use(origin);
        if used.file == chunk.file {
            found.push((spans.get(used.token).start, function, what));
        }
    };
    of_item(db, item.scoped, &mut add);
    found
}

fn of_item(db: &dyn Db, scoped: Scoped, add: &mut impl FnMut(Span, FunctionKey, AssertedValue)) {
    let item = scoped.item(db);
    let ast: &Ast = &ast(db, item);
    let mut functions = Vec::new();
    let mut declare = |id: DeclId, function: FunctionKey| {
        if let Some(name) = ast.decls[id].name {
            add(name.span, function, AssertedValue::Variable(name.text));
        }
    };
    let bodies: Vec<(&Body, FunctionKey)> =
        bodies(db, item).0.iter().zip(typed(db, scoped).keys.iter().copied()).collect();
    for (_, stmt) in ast.stmts.iter() {
        let StmtKind::Declaration(decls) = &stmt.kind else { continue };
        let holds = |(body, _): &&(&Body, FunctionKey)| {
            body.span.start <= stmt.span.start && stmt.span.end <= body.span.end
        };
        // The innermost body: a block literal is inside a function.
        let innermost = bodies.iter().filter(holds).min_by_key(|(body, _)| body.span.end - body.span.start);
        if let Some(&(_, function)) = innermost {
            decls.iter().for_each(|&id| declare(id, function));
        }
    }
    for decl in ast.items.iter().map(|&id| &ast.decls[id]) {
        if let (Some(name), Some(DeclaratorStep::Function { parameters, .. })) =
            (decl.name, decl.declarator.first())
            && !decl.specifiers.storage.contains(&Storage::Typedef)
        {
            let key = declared_key(db, scoped, name.text);
            parameters.iter().for_each(|&parameter| declare(parameter, key));
            // A function without a result: only its parameters can be meant.
            if !matches!((&*decl.specifiers.types, decl.declarator.len()), ([TypeSpecifier::Void], 1)) {
                functions.push((name, key));
            }
        }
    }
    functions.into_iter().for_each(|(name, key)| add(name.span, key, AssertedValue::Result));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tangle_syntax::db::Database;
    use tangle_syntax::source::NoHeaders;

    /// Checks the assertions in the comments of a text, and the mistakes in them.
    fn check(text: &str, expected: &[&str]) {
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let file = db.set_text("a.cl", text);
        let comments = comments(&db, file, settings);
        let assertion = |(function, assertion): &(FunctionKey, Assertion)| {
            let what = match assertion.what {
                AssertedValue::Result => "()".to_owned(),
                AssertedValue::Variable(name) => format!(".{name}"),
            };
            format!("{function}{what} {}", assertion.scope.as_str())
        };
        let mistake = |(mistake, (_, at)): &(Mistake, Location)| format!("{mistake:?} {}", &text[at.clone()]);
        let found = comments.assertions.iter().map(assertion).chain(comments.mistakes.iter().map(mistake));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn comment_applies_to_declarations_on_its_line() {
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
    fn comment_on_function_applies_to_result_or_named_parameters() {
        check("// tangle: uniform(workgroup): why\nint f(int n);\n", &["f() workgroup"]);
        check("int f(int n) { return n; } // tangle: uniform(workgroup)", &["f() workgroup"]);
        check(
            "// tangle: uniform(workgroup, n, m)\nint f(int n, int m) { int n; }\n",
            &["f.n workgroup", "f.m workgroup"],
        );
    }

    #[test]
    fn invalid_uniform_comment_is_reported() {
        check("int x; // tangle: uniform(workgroup)", &["NothingDeclared(None) uniform"]);
        check("typedef int f(int n); // tangle: uniform(grid)\n", &["NothingDeclared(None) uniform"]);
        check("struct s {\n int n; // tangle: uniform(grid)\n};", &["NothingDeclared(None) uniform"]);
        check("void f(int n) { // tangle: uniform(grid, m)\n}", &["NothingDeclared(Some(\"m\")) uniform"]);
        check("void f(int n) { // tangle: uniform(block)\n}", &["UnknownScope(\"block\") uniform"]);
        check("void f(int n) { // tangle: uniform\n}", &["NoScope uniform"]);
        check("void f(int n) { // tangle: uniform()\n}", &["NoScope uniform"]);
    }

    #[test]
    fn parameter_from_macro_is_declared_at_the_expansion() {
        check("#define ARG int n\nvoid f(ARG) { } // tangle: uniform(grid, n)\n", &["f.n grid"]);
    }

    #[test]
    fn wider_scope_takes_precedence() {
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let (f, n) = (FunctionKey::plain(Symbol::intern("f")), Symbol::intern("n"));
        let row = UniformRow { function: "f".into(), variable: Some("n".into()), scope: Scope::Workgroup };
        db.set_uniform(settings, vec![row]);
        let file = db.set_text("a.cl", "void f(int n) { } // tangle: uniform(subgroup, n)\n");
        let all = assertions(&db, file, settings);
        let expected = Assertion {
            what: AssertedValue::Variable(n),
            scope: Scope::Workgroup,
            source: AssertionOrigin::Settings,
        };
        assert_eq!(all.get(f, AssertedValue::Variable(n)), Some(expected));
        assert_eq!(all.of(f).count(), 2);
        assert_eq!(all.get(f, AssertedValue::Result), None);
    }

    #[test]
    fn comment_applies_to_its_overload_and_setting_to_all() {
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let row = UniformRow { function: "f".into(), variable: None, scope: Scope::Grid };
        db.set_uniform(settings, vec![row]);
        let text = "\
__attribute__((overloadable)) int f(int n) { int m; }   // tangle: uniform(subgroup, n, m)
__attribute__((overloadable)) int f(float n) { int m; }
";
        let file = db.set_text("a.cl", text);
        let all = assertions(&db, file, settings);
        let of = |body: &ScopedItem| {
            let key = typed(&db, body.scoped).keys[0];
            let variable = |name| all.get(key, AssertedValue::Variable(Symbol::intern(name))).is_some();
            (all.get(key, AssertedValue::Result).is_some(), variable("n"), variable("m"))
        };
        let found: Vec<_> = scoped_items(&db, file, settings).iter().map(of).collect();
        assert_eq!(found, [(true, true, true), (true, false, false)]);
    }

    #[test]
    fn moved_comment_keeps_its_assertion() {
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let text = "void f(int n) { } // tangle: uniform(subgroup, n)\n";
        let file = db.set_text("a.cl", text);
        let before = assertions(&db, file, settings).clone();
        db.set_text("a.cl", &format!("\n\n{text}"));
        assert_eq!(*assertions(&db, file, settings), before);
    }
}
