//! All findings of a file: facts of the analyses, put into words by the rules.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::words::Grammar;

use super::foreign::Foreign;
use super::{
    Asked, REGISTRY, assumed_from_name, divergence, left_out_text, missing_include, preprocessor_note,
    suppression, syntax_error, type_error, undeclared_function, unknown_type,
};
use tangle_analysis::program::{Convergent, convergent};
use tangle_analysis::tangle::patterns::patterns_of;
use tangle_analysis::tangle::{Model, doubtful_calls};
use tangle_diagnostic::{Diagnostic, Place, sort_and_dedupe};
use tangle_hir::bodies;
use tangle_hir::check::TypeProblemKind;
use tangle_hir::scope::{Scoped, Segment, items_in_trouble, meaning_behind, segment_items, segments, typed};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Item, Located, Locator, TextRange, Unit, chunks, is_host, parse, unit};
use tangle_syntax::preprocess::{Chunk, Problem, ProblemKind};
use tangle_syntax::source::{Settings, SourceFile};

/// What a rule sees of one item.
pub(super) struct Subject<'a> {
    pub db: &'a dyn Db,
    pub item: Item<'a>,
    /// The item with what its names mean in this unit.
    pub scoped: Scoped<'a>,
    pub model: Model,
    pub convergent: &'a Convergent,
    pub locator: Locator<'a>,
}

/// The findings of a file and of what it includes, in the order of output, with each rule's default severity; those of rules that
/// are off by default, and suppressed ones, among them.
pub fn check(db: &dyn Db, file: SourceFile, settings: Settings, model: Model) -> Vec<Diagnostic> {
    findings(db, file, settings, model).0.to_vec()
}

/// The value of [`findings`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Findings(Box<[Diagnostic]>);

/// What [`check`] gives.
// An editor asks several times for the findings of one text, and for those of files that did not change. A batch asks once: few are kept.
#[salsa::tracked(lru = 64)]
fn findings(db: &dyn Db, file: SourceFile, settings: Settings, model: Model) -> Findings {
    let unit = unit(db, file, settings);
    let convergent = convergent(db, file, settings);
    let mut found = Vec::new();
    let mut unknown: FxHashSet<Symbol> = FxHashSet::default();
    let mut foreign = Foreign::default();
    let mut assumed: FxHashSet<Symbol> = FxHashSet::default();
    let mut missing = Vec::new();
    for (chunk, segment) in segments(db, unit) {
        for &(scoped, first) in concerns(db, segment, model) {
            let item = scoped.item(db);
            let locator = Locator::new(db, &chunk, first, item.tokens(db).0.tokens().len());
            let subject = Subject { db, item, scoped, model, convergent, locator };
            let dialect = item.dialect(db);
            let is_cpp = dialect.words().grammar() == Grammar::Cpp;
            if is_cpp {
                assumed_from_name::check_macros(&subject, &mut assumed, &mut found);
            }
            if is_host(db, item) {
                continue;
            }
            for entry in REGISTRY {
                if let Asked::OfItems(check) = entry.asked {
                    check(&subject, &mut found);
                }
            }
            if is_cpp {
                // Most types and functions of C++ come from headers that are not there.
                continue;
            }
            foreign.item(&subject);
            let declares = |name| dialect.is_own_name(name) || meaning_behind(db, unit, name).is_some();
            unknown_type::check(&subject, &declares, &mut unknown, &mut found);
        }
    }
    let chunks = chunks(unit);
    let mut wanted = Vec::new();
    for chunk in &chunks {
        problems(db, chunk, &mut missing, &mut wanted, &mut found);
    }
    preprocessor_note::wanted(db, &wanted, &mut found);
    left_out_text::check(db, unit, settings, convergent, &|_| false, &mut found);
    divergence::check(db, file, settings, model, convergent, &mut found);
    let mut told = FxHashSet::default();
    let known = undeclared_function::Known::of(db, file, settings);
    let is_known = |problem: &Problem| matches!(problem.kind, ProblemKind::KnownHeader { .. });
    // A header of C++ that the language knows of declares nothing that its tables lack and a kernel would miss.
    let is_cpp = settings.dialect(db).words().grammar() == Grammar::Cpp;
    let knows_all = is_cpp || !chunks.iter().flat_map(|chunk| &chunk.problems).any(is_known);
    let lacks_header = !missing.is_empty() || !knows_all;
    for item in items_in_trouble(db, unit).iter().filter(|item| !is_host(db, item.scoped.item(db))) {
        type_error::check(db, settings, item, lacks_header, &known, &mut told, &mut found);
        assumed_from_name::check(db, settings, item, &mut assumed, &mut found);
    }
    if !missing.is_empty() && !is_cpp {
        unknown.extend(undeclared(db, unit));
    }
    found.extend(
        missing.into_iter().map(|(name, located)| missing_include::finding(db, &name, &located, &unknown)),
    );
    foreign.tell(db, &mut found);
    Foreign::tell_of_name(db, file, settings.dialect(db), &mut found);
    suppression::apply(db, file, settings, &mut found);
    sort_and_dedupe(&mut found);
    divergence::one_cause::gather(&mut found);
    Findings(found.into())
}

/// The items of a segment that some rule may have something to say of: hardly any, and known once for all units that begin with it.
#[salsa::tracked]
fn concerns<'db>(db: &'db dyn Db, segment: Segment<'db>, model: Model) -> Box<[(Scoped<'db>, u32)]> {
    db.depends_on_text();
    let concerned = |item| {
        let parsed = &parse(db, item).0;
        !parsed.errors.is_empty()
            || !parsed.opaque.is_empty()
            || !parsed.unknown_words.is_empty()
            || bodies(db, item).0.iter().any(|body| !body.problems.is_empty())
            || !doubtful_calls(db, item, model).is_empty()
            || !patterns_of(db, item).0.is_empty()
    };
    let items = segment_items(db, segment).iter().copied();
    items.filter(|&(scoped, _)| concerned(scoped.item(db))).collect()
}

/// The bodies of a unit with doubtful calls, by item and number.
pub(super) fn bodies_in_doubt<'db>(
    db: &'db dyn Db,
    file: SourceFile,
    settings: Settings,
    model: Model,
) -> impl Iterator<Item = (Item<'db>, u32)> {
    let segments = segments(db, unit(db, file, settings)).into_iter();
    let concerned = segments.flat_map(move |(_, segment)| concerns(db, segment, model).iter());
    concerned.flat_map(move |&(scoped, _)| {
        let item = scoped.item(db);
        doubtful_calls(db, item, model).iter().map(move |&(body, _)| (item, body as u32))
    })
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

/// What the preprocessor says of a chunk; what it says of missing headers and settings, one by one.
fn problems<'c>(
    db: &dyn Db,
    chunk: &'c Arc<Chunk>,
    missing: &mut Vec<(String, Located)>,
    wanted: &mut Vec<(&'c Problem, Located)>,
    found: &mut Vec<Diagnostic>,
) {
    let locator = Locator::new(db, chunk, 0, chunk.origins.len());
    for problem in &chunk.problems {
        let located = locator.of_origin(problem.origin);
        match &problem.kind {
            ProblemKind::KnownHeader { .. } => {}
            ProblemKind::MissingInclude { name } => missing.push((name.clone(), located)),
            ProblemKind::ErrorDirective { .. } if !problem.wanted().is_empty() => {
                wanted.push((problem, located));
            }
            _ if problem.is_benign() => {
                found.push(preprocessor_note::finding(db, problem, &located));
            }
            _ => {
                let related = problem.related.iter().map(|&origin| locator.of_origin(origin));
                found.push(syntax_error::of_preprocessor(db, problem, &located, related));
            }
        }
    }
}

pub(super) fn place(db: &dyn Db, at: &TextRange) -> Place {
    Place::new(at.file.path(db).clone(), at.range.clone())
}

/// A finding at a place, with the macros that it came through as related places.
pub(super) fn finding(
    db: &dyn Db,
    rule: &'static str,
    located: &Located,
    message: impl Into<String>,
) -> Diagnostic {
    let rule = super::rule(rule).expect("a rule of the registry");
    Diagnostic::new(rule.id, rule.severity, place(db, &located.at), message)
}

/// Adds the definitions of the macros that a finding came through.
pub(super) fn with_macros(db: &dyn Db, mut finding: Diagnostic, located: &Located) -> Diagnostic {
    for (name, at) in &located.macros {
        finding = finding.with_related(place(db, at), format!("in the definition of macro `{name}`"));
    }
    finding
}
