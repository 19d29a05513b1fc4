//! The facts about a file and its headers that rules use. They are complete before the first rule runs.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tangle_grammar::WordRole;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;

use crate::item_context::{ItemContext, Subject};
use crate::items::relevant_items;
use crate::names::KnownFunctions;
use crate::other_language::OtherLanguageFiles;
use tangle_analysis::program::{Convergent, convergent};
use tangle_analysis::tangle::Model;
use tangle_hir::body::CallId;
use tangle_hir::check::{TypeProblem, TypeProblemKind, TypeProblemKind as Kind};
use tangle_hir::scope::{ScopedItem, Segment, items_with_type_errors, meaning_at_end, typed};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{
    Item, Located, Locator, TextRange, Unit, chunks, is_host, locate_origin, parse, unit,
};
use tangle_syntax::preprocess::{Chunk, Problem, ProblemKind};
use tangle_syntax::source::{Settings, SourceFile};

/// A file with its headers, and the facts about them.
pub(crate) struct FileFacts<'a> {
    pub db: &'a dyn Db,
    pub source: SourceFile,
    pub settings: Settings,
    pub dialect: Dialect,
    pub unit: &'a Unit,
    pub convergent: &'a Convergent,
    /// The items with a problem, a doubt or a pattern, in source order, including items of host code.
    pub all: Vec<ItemContext<'a>>,
    /// The items of device code with type problems.
    pub in_trouble: Vec<ScopedItem<'a>>,
    /// The undeclared words that the parser interpreted by their position. Words in C++ are omitted.
    pub unknown_words: Vec<UnknownWord>,
    /// The problems of the preprocessor, except headers that were not found and `#error`s that ask for settings.
    pub problems: Vec<At<Problem>>,
    /// The `#error`s that ask for settings.
    pub wanted: Vec<At<Problem>>,
    /// The headers that were not found, except headers that the dialect knows.
    pub missing: Vec<At<String>>,
    /// The undeclared names that a missing header may declare. Empty if no header is missing.
    pub undeclared: FxHashSet<Symbol>,
    /// The doubtful calls whose convergence is defined, because uniform jumps settle their doubts. Each call has its
    /// item and the number of its body.
    pub settled: FxHashSet<(Item<'a>, usize, CallId)>,
    pub foreign: OtherLanguageFiles,
    /// The type problems to report, each undeclared name once.
    pub type_problems: Vec<ReportedTypeProblem<'a>>,
}

/// A value with its location.
pub(crate) struct At<T> {
    pub what: T,
    pub located: Located,
    /// Further locations of a problem.
    pub related: Vec<Located>,
}

/// An undeclared word.
pub(crate) struct UnknownWord {
    pub name: Symbol,
    pub located: Located,
    pub interpretation: Interpretation,
}

/// How an undeclared word is interpreted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interpretation {
    /// By its position: the text ends a message. Only the first occurrence of each name is kept.
    As(&'static str),
    /// As an error: the unit declares the word, so punctuation is missing here. The text begins a message.
    Wrong(&'static str),
}

/// A type problem to report.
pub(crate) struct ReportedTypeProblem<'a> {
    pub kind: &'a TypeProblemKind,
    pub located: Located,
    pub about: TypeProblemRule,
}

/// The subject of a type problem. One rule reports the problems of each subject.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypeProblemRule {
    Types,
    UnknownName,
    UndeclaredFunction,
}

impl<'a> FileFacts<'a> {
    /// Returns the facts of a file. `segments`: the segments of its unit. `settled`: see [`FileFacts::settled`].
    pub fn of(
        db: &'a dyn Db,
        (source, settings, model): (SourceFile, Settings, Model),
        segments: &'a [(Arc<Chunk>, Segment<'a>)],
        settled: FxHashSet<(Item<'a>, usize, CallId)>,
    ) -> FileFacts<'a> {
        let unit = unit(db, source, settings);
        let convergent = convergent(db, source, settings);
        let mut all = Vec::new();
        for (chunk, segment) in segments {
            for &(scoped, first) in relevant_items(db, *segment, model) {
                let item = scoped.item(db);
                let locator = Locator::new(db, chunk, first, item.tokens(db).0.tokens().len());
                let is_host = is_host(db, item);
                let subject = Subject { db, item, scoped, locator };
                all.push(ItemContext { subject, model, convergent, is_host });
            }
        }
        let in_trouble = items_with_type_errors(db, segments).into_iter();
        let in_trouble = in_trouble.filter(|item| !is_host(db, item.scoped.item(db))).collect();
        let mut file = FileFacts {
            db,
            source,
            settings,
            dialect: settings.dialect(db),
            unit,
            convergent,
            foreign: OtherLanguageFiles::among(all.iter().filter(|item| !item.is_host)),
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
            let words =
                file.unknown_words.iter().filter(|word| matches!(word.interpretation, Interpretation::As(_)));
            file.undeclared = words.map(|word| word.name).collect();
            if !file.is_cpp() {
                file.undeclared.extend(undeclared(db, unit, segments));
            }
        }
        file.type_problems = type_problems(&file);
        file
    }

    fn add_problems(&mut self, chunk: &Arc<Chunk>) {
        let locate = |origin| locate_origin(self.db, chunk, origin);
        for problem in &chunk.problems {
            let located = locate(problem.origin);
            let related = problem.related.iter().map(|&origin| locate(origin)).collect();
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

    /// Returns the items of device code with a problem, a doubt or a pattern.
    pub fn items(&self) -> impl Iterator<Item = &ItemContext<'a>> {
        self.all.iter().filter(|item| !item.is_host)
    }

    pub fn is_cpp(&self) -> bool {
        self.dialect.lexicon().grammar() == Grammar::Cpp
    }

    /// Whether a name that the file uses may be declared in a header without text: a missing header, or a header that
    /// the dialect knows only by name.
    pub fn lacks_header(&self) -> bool {
        // In C++, the tables of the dialect contain all names of its known headers that a kernel needs.
        let is_known = |problem: &Problem| matches!(problem.kind, ProblemKind::KnownHeader { .. });
        let knows_all =
            self.is_cpp() || !chunks(self.unit).iter().flat_map(|chunk| &chunk.problems).any(is_known);
        !self.missing.is_empty() || !knows_all
    }

    /// Whether a location is in a file with text of another language. Its type problems are not reported.
    pub fn is_foreign(&self, at: &TextRange) -> bool {
        self.foreign.has(at.file)
    }
}

/// Returns the undeclared words of a unit. Items in C++ are skipped: most of their types and functions come from
/// missing headers.
fn unknown_words<'s>(
    db: &dyn Db,
    unit: &Unit,
    items: impl Iterator<Item = &'s ItemContext<'s>>,
) -> Vec<UnknownWord> {
    let mut found = Vec::new();
    let mut reported: FxHashSet<Symbol> = FxHashSet::default();
    for subject in items {
        let dialect = subject.item.dialect(db);
        if dialect.lexicon().grammar() == Grammar::Cpp {
            continue;
        }
        let declares = |name| dialect.is_own_name(name) || meaning_at_end(db, unit, name).is_some();
        for tangle_grammar::UnknownWord { name, role } in &parse(db, subject.item).unknown_words {
            let (reading, wrong) = match role {
                WordRole::Type => ("read as a type", None),
                WordRole::Ignored => ("ignored", None),
                // `assumed-from-name` reports it.
                WordRole::Kernel => continue,
                WordRole::FunctionNameMacro => ("read as a macro that forms the name of a function", None),
                WordRole::Loop => ("read as `for`", Some("expected `)` or `,` before the first `;` after")),
                // `unknown-name` or `undeclared-function` reports the name at its use.
                WordRole::Statement => ("", Some("expected `;` after")),
                WordRole::Arguments => ("", Some("expected `,` or `)` before")),
            };
            let interpretation = match wrong.filter(|_| declares(name.text)) {
                Some(wrong) => Interpretation::Wrong(wrong),
                None if !reading.is_empty() && reported.insert(name.text) => Interpretation::As(reading),
                None => continue,
            };
            found.push(UnknownWord {
                name: name.text,
                located: subject.locator.locate(name.span),
                interpretation,
            });
        }
    }
    found
}

/// Returns the names that a unit uses but does not declare, not even after the use. Names that belong to the language
/// are omitted.
fn undeclared(db: &dyn Db, unit: &Unit, segments: &[(Arc<Chunk>, Segment)]) -> FxHashSet<Symbol> {
    let mut names: FxHashSet<Symbol> = FxHashSet::default();
    for item in items_with_type_errors(db, segments) {
        let dialect = item.scoped.item(db).dialect(db);
        names.extend(typed(db, item.scoped).problems.iter().filter_map(|problem| match problem.kind {
            TypeProblemKind::UnknownName(name) | TypeProblemKind::UndeclaredFunction(name)
                if !dialect.is_own_name(name) =>
            {
                Some(name)
            }
            _ => None,
        }));
    }
    names.retain(|&name| meaning_at_end(db, unit, name).is_none());
    names
}

/// Returns the type problems to report: each undeclared name once, and no name that a missing header may declare.
fn type_problems<'a>(file: &FileFacts<'a>) -> Vec<ReportedTypeProblem<'a>> {
    let (db, settings) = (file.db, file.settings);
    let (lacks_header, known) = (file.lacks_header(), KnownFunctions::of(db, file.source, settings));
    let mut found = Vec::new();
    let mut told: FxHashSet<Symbol> = FxHashSet::default();
    for item in &file.in_trouble {
        let tokens = item.scoped.item(db).tokens(db).0.tokens().len();
        let locator = Locator::new(db, &item.chunk, item.first, tokens);
        for TypeProblem { span, kind } in &typed(db, item.scoped).problems {
            let about = match kind {
                kind if is_permitted(db, settings, kind) => continue,
                // `assumed-from-name` reports it.
                Kind::AssumedName { .. } | Kind::AssumedNamespace { .. } => continue,
                // A row in a table of the user describes the function.
                Kind::UndeclaredFunction(name) if settings.builtins(db).own(*name).is_some() => continue,
                Kind::UndeclaredFunction(name)
                    if (lacks_header || known.may_be_declared(*name))
                        && !known.is_misspelled_operation(*name) =>
                {
                    continue;
                }
                Kind::UnknownName(_) if lacks_header => continue,
                Kind::UnknownName(name) | Kind::UndeclaredFunction(name) if !told.insert(*name) => continue,
                Kind::UndeclaredFunction(_) => TypeProblemRule::UndeclaredFunction,
                Kind::UnknownName(_) => TypeProblemRule::UnknownName,
                _ => TypeProblemRule::Types,
            };
            found.push(ReportedTypeProblem { kind, located: locator.locate(*span), about });
        }
    }
    found
}

/// Whether the language version or an enabled extension permits the construct of a type problem.
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
