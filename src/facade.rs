//! The API for other programs: the findings of a source, the tangles of its functions, and the source as LLVM IR.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_base::Symbol;
use tangle_ir::key::UnresolvedCallee;

use tangle_analysis::flow::module::Options;
use tangle_analysis::program::functions;
use tangle_analysis::tangle::{Model, tangles_of};
use tangle_diagnostic::{Diagnostic, SourceText};
use tangle_emit::llvm::Target;
use tangle_execution::lowered::{
    FunctionLocations, LoweringRequest, RequestedFunctions, llvm_ir, lower_requested,
};
use tangle_project::read::{self, ReadError};
use tangle_project::{Build, embedded};
use tangle_rules as lint;
use tangle_syntax::db::Database;
use tangle_syntax::items::Locator;
use tangle_syntax::source::{Content, Loader, NoHeaders, Settings, SourceFile};

/// A source in one of the languages of tangle, with its headers.
///
/// The results of a query are cached for later queries.
pub struct Source {
    db: Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
}

/// The threads that execute a statement together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementTangles {
    /// The line of its first character, counted from 1.
    pub line: usize,
    /// The column of its first character, in characters, counted from 1.
    pub column: usize,
    /// Whether threads can reach it.
    pub reachable: bool,
    /// Whether the language leaves open which threads execute it together (`docs/semantics.md` §3).
    pub implementation_defined: bool,
    /// The numbers of its candidate tangles. The same threads execute statements with the same numbers. Empty if it is
    /// unreachable, and in the model `revised`, which has no candidates.
    pub tangles: Vec<usize>,
}

/// A loader that reads headers from the disk.
struct DiskLoader;

impl Loader for DiskLoader {
    fn load(&self, path: &str) -> Content {
        match read::file(Path::new(path)) {
            Ok(text) => Content::Text(embedded::opencl(text.text()).into()),
            Err(_) => Content::Missing,
        }
    }
}

impl Source {
    /// Returns a source with this text. The locations of findings contain the name. All its headers are missing.
    pub fn of_text(name: &str, text: &str, build: &Build) -> Source {
        Source::new(Arc::new(NoHeaders), name, text, build)
    }

    /// Reads a source from a file. Its headers are read when they are needed.
    pub fn of_file(path: &Path, build: &Build) -> Result<Source, ReadError> {
        let text: SourceText = read::file(path)?;
        Ok(Source::new(Arc::new(DiskLoader), &path.to_string_lossy(), text.text(), build))
    }

    fn new(loader: Arc<dyn Loader>, name: &str, text: &str, build: &Build) -> Source {
        let mut db = Database::new(loader);
        let (settings, model) = build.settings(&mut db);
        let file = db.set_text(name, text);
        Source { db, file, settings, model }
    }

    /// Returns the findings of the source, in the order of output, with the default severities of the rules. They
    /// include findings of rules that are off by default. Suppressed findings are omitted.
    ///
    /// ```
    /// use tangle::{Build, Source};
    ///
    /// let text = "kernel void k(int n) { if (get_local_id(0) < n) barrier(CLK_LOCAL_MEM_FENCE); }";
    /// let findings = Source::of_text("k.cl", text, &Build::default()).lint();
    /// assert_eq!(findings[0].rule, "divergent-barrier");
    /// assert_eq!(&text[findings[0].place.range.clone()], "barrier");
    /// ```
    pub fn lint(&self) -> Vec<Diagnostic> {
        let mut findings = lint::check(&self.db, self.file, self.settings, self.model);
        findings.retain(|finding| finding.suppression.is_none());
        findings
    }

    /// Returns the tangles of the statements of a function, in source order. `None` if no function of this name is
    /// defined. If several are, returns the tangles of the first one.
    ///
    /// ```
    /// use tangle::{Build, Source};
    ///
    /// let text = "kernel void k(int n) {\n  if (get_local_id(0)) goto out;\n  n = 1;\nout:\n  barrier(1);\n}";
    /// let source = Source::of_text("k.cl", text, &Build::default());
    /// let statements = source.tangles("k").unwrap();
    /// let barrier = statements.iter().find(|statement| statement.line == 5).unwrap();
    /// assert!(barrier.implementation_defined);
    /// assert_eq!(source.tangles("f"), None);
    /// ```
    pub fn tangles(&self, function: &str) -> Option<Vec<StatementTangles>> {
        let db = &self.db;
        let functions = functions(db, self.file, self.settings);
        let definition =
            functions.get(*functions.named(UnresolvedCallee::Function(Symbol::intern(function))).first()?);
        let item = definition.item.scoped.item(db);
        let locator =
            Locator::new(db, &definition.item.chunk, definition.item.first, item.tokens(db).0.tokens().len());
        let tangles = &tangles_of(db, item, self.model).0[definition.body as usize];
        let mut texts: FxHashMap<SourceFile, SourceText> = FxHashMap::default();
        let statements = definition.body(db).stmts.iter_enumerated().map(|(id, stmt)| {
            let at = locator.locate(stmt.span).at;
            let text = texts.entry(at.file).or_insert_with(|| SourceText::new(at.file.text(db).to_string()));
            let start = text.position(at.range.start);
            let facts = &tangles.stmts[id];
            StatementTangles {
                line: start.line,
                column: start.column,
                reachable: facts.reachable,
                implementation_defined: facts.doubt.is_some(),
                tangles: facts.candidates.iter().map(|candidate| candidate.index()).collect(),
            }
        });
        Some(statements.collect())
    }

    /// Returns the source as text of LLVM IR, without a target. The token of each convergent operation determines which
    /// threads execute it together.
    ///
    /// # Errors
    ///
    /// Returns the findings that explain why the source cannot be lowered.
    ///
    /// ```
    /// use tangle::{Build, Source};
    ///
    /// let source = Source::of_text("k.cl", "kernel void k(global int *p) { barrier(1); *p = 1; }", &Build::default());
    /// let ir = source.lower().unwrap();
    /// assert!(ir.contains("call token @llvm.experimental.convergence.entry()"));
    /// assert_eq!(Source::of_text("k.cl", "kernel void k( {", &Build::default()).lower().unwrap_err().len(), 1);
    /// ```
    pub fn lower(&self) -> Result<String, Vec<Diagnostic>> {
        let (db, file, settings) = (&self.db, self.file, self.settings);
        let places = FunctionLocations::of(db, file, settings);
        let options = Options::default();
        let wanted = LoweringRequest { part: RequestedFunctions::All, emitted: true, partial: false };
        let lowering = lower_requested(db, file, settings, self.model, &options, &places, wanted)?;
        let text = llvm_ir(&lowering.module, settings.dialect(db), Target::None, false, &places);
        text.map_err(|errors| errors.iter().map(|error| places.not_lowered(error)).collect())
    }
}
