//! The findings of a file: runs each rule on the facts that it checks.

use crate::comments::Comments;
use crate::component_findings::findings_of;
use crate::divergence::ExaminedUnit;
use crate::file::FileFacts;
use crate::registry::REGISTRY;
use crate::rule::Check;
use crate::rules::{syntax_error, type_error};
use crate::suppression::comments;
use rustc_hash::FxHashSet;
use tangle_analysis::program::{convergent, functions};
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Severity, merge_instantiations, sort_and_dedupe};
use tangle_hir::scope::segments;
use tangle_syntax::db::Db;
use tangle_syntax::source::{Settings, SourceFile};

/// Returns the findings of a file and its headers, in the order of output, with the default severities of the rules.
/// They include suppressed findings, and findings of rules that are off by default.
pub fn check(db: &dyn Db, file: SourceFile, settings: Settings, model: Model) -> Vec<Diagnostic> {
    findings(db, file, settings, model).0.to_vec()
}

/// Returns the errors in the text of a file and its headers: the findings of `syntax-error` and `type-error`, in the
/// order of output. They include suppressed findings.
pub fn errors_in_text(db: &dyn Db, source: SourceFile, settings: Settings, model: Model) -> Vec<Diagnostic> {
    let segments = segments(db, source, settings);
    let file = FileFacts::of(db, (source, settings, model), &segments, FxHashSet::default());
    let mut found = Vec::new();
    for entry in [&syntax_error::RULE, &type_error::RULE] {
        if let Check::Files(check) = entry.check {
            check(&file, &mut found);
        }
    }
    // A note, such as that OpenCL C is read as CUDA, is no error.
    found.retain(|finding| finding.severity != Severity::Note);
    comments(db, source, settings).mark(&mut found);
    sort_and_dedupe(&mut found);
    found
}

/// The value of [`findings`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Findings(Box<[Diagnostic]>);

/// Computes the findings for [`check`].
// An editor queries the findings of one text several times, and those for unchanged files. A batch run queries each
// file once. So a small cache is enough.
#[salsa::tracked(lru = 64)]
fn findings(db: &dyn Db, source: SourceFile, settings: Settings, model: Model) -> Findings {
    let segments = segments(db, source, settings);
    let convergent = convergent(db, source, settings);
    let mut comments: Comments = comments(db, source, settings);
    let mut found = Vec::new();
    let examined = ExaminedUnit::of(db, source, settings, model, convergent);
    let settled = examined.as_ref().map(|examined| examined.settled_calls(model)).unwrap_or_default();
    let file = FileFacts::of(db, (source, settings, model), &segments, settled);
    for entry in REGISTRY {
        match entry.check {
            Check::Items(check) => file.items().for_each(|item| check(&file, item, &mut found)),
            Check::Files(check) => check(&file, &mut found),
            Check::Functions(_) | Check::ByConfidence | Check::Comments(_) | Check::Literals(_) => {}
        }
    }
    for component in examined.iter().flat_map(|examined| examined.components(&comments)) {
        found.extend(findings_of(db, &component));
    }
    merge_instantiations(&mut found, |name| functions(db, source, settings).count_instantiations(name));
    comments.mark(&mut found);
    for entry in REGISTRY {
        if let Check::Comments(check) = entry.check {
            check(&mut comments, &mut found);
        }
    }
    sort_and_dedupe(&mut found);
    Findings(found.into())
}
