//! What the rules see of a file and of what it includes. It is complete before the first rule is asked.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::words::Grammar;
use tangle_grammar::{Taken, UnknownWord};

use crate::foreign::Foreign;
use crate::items::concerns;
use crate::names::Known;
use crate::subject::Subject;
use tangle_analysis::program::{Convergent, convergent};
use tangle_analysis::tangle::Model;
use tangle_hir::body::CallId;
use tangle_hir::check::{TypeProblem, TypeProblemKind, TypeProblemKind as Kind};
use tangle_hir::scope::{ScopedItem, Segment, items_in_trouble, meaning_behind, typed};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{Item, Located, Locator, TextRange, Unit, chunks, is_host, parse, unit};
use tangle_syntax::preprocess::{Chunk, Problem, ProblemKind};
use tangle_syntax::source::{Settings, SourceFile};

/// A file with what it includes.
pub(crate) struct File<'a> {
    pub db: &'a dyn Db,
    pub source: SourceFile,
    pub settings: Settings,
    pub dialect: Dialect,
    pub unit: &'a Unit,
    pub convergent: &'a Convergent,
    /// Items with a problem, a doubt or a pattern, in the order of the text.
    pub all: Vec<Subject<'a>>,
    /// Items with problems of types.
    pub in_trouble: Vec<ScopedItem<'a>>,
    /// Undeclared words where only a type, a specifier or a keyword can stand.
    pub unknown_words: Vec<Unknown>,
    /// What the preprocessor could not follow, but for missing headers and settings.
    pub problems: Vec<At<Problem>>,
    /// `#error`s that ask for settings.
    pub wanted: Vec<At<Problem>>,
    /// Headers that were not found.
    pub missing: Vec<At<String>>,
    /// Names that nothing declares, and that a missing header may declare.
    pub undeclared: FxHashSet<Symbol>,
    /// Doubtful calls of which convergence is defined after all: their threads jump together, or not at all.
    pub settled: FxHashSet<(Item<'a>, usize, CallId)>,
    pub foreign: Foreign,
    /// Problems of types, each undeclared name once.
    pub type_problems: Vec<OfTypes<'a>>,
}

/// Something with its place.
pub(crate) struct At<T> {
    pub what: T,
    pub located: Located,
    /// Further places of a problem.
    pub related: Vec<Located>,
}

/// An undeclared word.
pub(crate) struct Unknown {
    pub name: Symbol,
    pub located: Located,
    pub read: Read,
}

/// How an undeclared word is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// As what the sentence says. Only the first place of each name is kept.
    As(&'static str),
    /// It is declared elsewhere, so a mark is missing here: the beginning of a sentence that says so.
    Wrong(&'static str),
}

/// A problem of types.
pub(crate) struct OfTypes<'a> {
    pub kind: &'a TypeProblemKind,
    pub located: Located,
    pub about: About,
}

/// What a problem of types is about: each has a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Types,
    UnknownName,
    UndeclaredFunction,
}

impl<'a> File<'a> {
    /// The facts of a file. `segments` are those of its unit, `settled` the doubtful calls of which convergence is defined.
    pub fn of(
        db: &'a dyn Db,
        (source, settings, model): (SourceFile, Settings, Model),
        segments: &'a [(Arc<Chunk>, Segment<'a>)],
        settled: FxHashSet<(Item<'a>, usize, CallId)>,
    ) -> File<'a> {
        let unit = unit(db, source, settings);
        let convergent = convergent(db, source, settings);
        let mut all = Vec::new();
        for (chunk, segment) in segments {
            for &(scoped, first) in concerns(db, *segment, model) {
                let item = scoped.item(db);
                let locator = Locator::new(db, chunk, first, item.tokens(db).0.tokens().len());
                let is_host = is_host(db, item);
                all.push(Subject { db, item, scoped, model, convergent, locator, is_host });
            }
        }
        let in_trouble = items_in_trouble(db, unit).into_iter();
        let in_trouble = in_trouble.filter(|item| !is_host(db, item.scoped.item(db))).collect();
        let mut file = File {
            db,
            source,
            settings,
            dialect: settings.dialect(db),
            unit,
            convergent,
            foreign: Foreign::among(all.iter().filter(|item| !item.is_host)),
            unknown_words: unknown_words(db, unit, all.iter().filter(|item| !item.is_host)),
            all,
            in_trouble,
            problems: Vec::new(),
            wanted: Vec::new(),
            missing: Vec::new(),
            undeclared: FxHashSet::default(),
            settled,
            type_problems: Vec::new(),
        };
        for chunk in &chunks(unit) {
            file.add_problems(chunk);
        }
        if !file.missing.is_empty() {
            let words = file.unknown_words.iter().filter(|word| matches!(word.read, Read::As(_)));
            file.undeclared = words.map(|word| word.name).collect();
            if !file.is_cpp() {
                file.undeclared.extend(undeclared(db, unit));
            }
        }
        file.type_problems = type_problems(&file);
        file
    }

    fn add_problems(&mut self, chunk: &Arc<Chunk>) {
        let locator = Locator::new(self.db, chunk, 0, chunk.origins.len());
        for problem in &chunk.problems {
            let located = locator.of_origin(problem.origin);
            let related = problem.related.iter().map(|&origin| locator.of_origin(origin)).collect();
            match &problem.kind {
                ProblemKind::KnownHeader { .. } => {}
                ProblemKind::MissingInclude { name } => {
                    self.missing.push(At { what: name.clone(), located, related });
                }
                ProblemKind::ErrorDirective { .. } if !problem.wanted().is_empty() => {
                    self.wanted.push(At { what: problem.clone(), located, related });
                }
                _ => self.problems.push(At { what: problem.clone(), located, related }),
            }
        }
    }

    /// The items of the device.
    pub fn items(&self) -> impl Iterator<Item = &Subject<'a>> {
        self.all.iter().filter(|item| !item.is_host)
    }

    pub fn is_cpp(&self) -> bool {
        self.dialect.words().grammar() == Grammar::Cpp
    }

    /// Whether a header is missing, or known by its name only, that may declare what the file uses.
    pub fn lacks_header(&self) -> bool {
        // A header of C++ that the language knows of declares nothing that its tables lack and a kernel would miss.
        let is_known = |problem: &Problem| matches!(problem.kind, ProblemKind::KnownHeader { .. });
        let knows_all =
            self.is_cpp() || !chunks(self.unit).iter().flat_map(|chunk| &chunk.problems).any(is_known);
        !self.missing.is_empty() || !knows_all
    }

    /// Whether a place is in a file of another language, of which the words mean nothing here.
    pub fn is_foreign(&self, at: &TextRange) -> bool {
        self.foreign.has(at.file)
    }
}

/// The undeclared words of a unit. In C++, most types and functions come from headers that are missing.
fn unknown_words<'s>(db: &dyn Db, unit: &Unit, items: impl Iterator<Item = &'s Subject<'s>>) -> Vec<Unknown> {
    let mut found = Vec::new();
    let mut reported: FxHashSet<Symbol> = FxHashSet::default();
    for subject in items {
        let dialect = subject.item.dialect(db);
        if dialect.words().grammar() == Grammar::Cpp {
            continue;
        }
        let declares = |name| dialect.is_own_name(name) || meaning_behind(db, unit, name).is_some();
        for UnknownWord { name, taken } in &parse(db, subject.item).0.unknown_words {
            let (taken, wrong) = match taken {
                Taken::Type => ("read as a type", None),
                Taken::Nothing => ("ignored", None),
                // `assumed-from-name` reports it.
                Taken::Kernel => continue,
                Taken::Name => ("read as a macro that forms the name of a function", None),
                Taken::Loop => ("read as `for`", Some("expected `)` or `,` before the first `;` after")),
                // What the name is taken for is told where it is used.
                Taken::Statement => ("", Some("expected `;` after")),
                Taken::Arguments => ("", Some("expected `,` or `)` before")),
            };
            let read = match wrong.filter(|_| declares(name.text)) {
                Some(wrong) => Read::Wrong(wrong),
                None if !taken.is_empty() && reported.insert(name.text) => Read::As(taken),
                None => continue,
            };
            found.push(Unknown { name: name.text, located: subject.locator.locate(name.span), read });
        }
    }
    found
}

/// The names that a unit uses and nothing in it declares, not even behind the use, and that its language does not keep for itself.
fn undeclared(db: &dyn Db, unit: &Unit) -> FxHashSet<Symbol> {
    let mut names: FxHashSet<Symbol> = FxHashSet::default();
    for item in items_in_trouble(db, unit) {
        let dialect = item.scoped.item(db).dialect(db);
        names.extend(typed(db, item.scoped).0.problems.iter().filter_map(|problem| match problem.kind {
            TypeProblemKind::UnknownName(name) | TypeProblemKind::UndeclaredFunction(name)
                if !dialect.is_own_name(name) =>
            {
                Some(name)
            }
            _ => None,
        }));
    }
    names.retain(|&name| meaning_behind(db, unit, name).is_none());
    names
}

/// The problems of types that are worth telling: each undeclared name once, and none that a missing header may declare.
fn type_problems<'a>(file: &File<'a>) -> Vec<OfTypes<'a>> {
    let (db, settings) = (file.db, file.settings);
    let (lacks_header, known) = (file.lacks_header(), Known::of(db, file.source, settings));
    let mut found = Vec::new();
    let mut told: FxHashSet<Symbol> = FxHashSet::default();
    for item in &file.in_trouble {
        let tokens = item.scoped.item(db).tokens(db).0.tokens().len();
        let locator = Locator::new(db, &item.chunk, item.first, tokens);
        for TypeProblem { span, kind } in &typed(db, item.scoped).0.problems {
            let about = match kind {
                kind if is_permitted(db, settings, kind) => continue,
                // `assumed-from-name` reports it.
                Kind::AssumedName { .. } | Kind::AssumedNamespace { .. } => continue,
                // The user's own table says what it is.
                Kind::UndeclaredFunction(name) if settings.builtins(db).own(*name).is_some() => continue,
                Kind::UndeclaredFunction(name)
                    if (lacks_header || known.is_of_headers(*name)) && !known.is_slip(*name) =>
                {
                    continue;
                }
                Kind::UnknownName(_) if lacks_header => continue,
                Kind::UnknownName(name) | Kind::UndeclaredFunction(name) if !told.insert(*name) => continue,
                Kind::UndeclaredFunction(_) => About::UndeclaredFunction,
                Kind::UnknownName(_) => About::UnknownName,
                _ => About::Types,
            };
            found.push(OfTypes { kind, located: locator.locate(*span), about });
        }
    }
    found
}

/// Whether something is right in the language as the settings have it.
fn is_permitted(db: &dyn Db, settings: Settings, kind: &Kind) -> bool {
    let kernels = settings.dialect(db).kernels();
    let value = |name: &Option<String>| settings.macro_text(db, name.as_ref()?);
    match kind {
        Kind::KernelPointers { .. } => {
            let version = value(&kernels.version).and_then(|version| version.parse::<u32>().ok());
            version.is_none_or(|version| version >= kernels.pointers_since)
        }
        Kind::KernelHalf { .. } => kernels.half_with.is_none() || value(&kernels.half_with).is_some(),
        _ => false,
    }
}
