//! The findings of a document as LSP diagnostics.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use tangle_diagnostic::{self as diagnostic, Place, Severity};
use tangle_project::build_findings;
use tangle_rules::{POSSIBLE_DIVERGENCE, suppression};
use tangle_syntax::items::TextRange;
use tower_lsp::lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Url,
};

use crate::inactive;
use crate::includes;
use crate::pages;
use crate::snapshot::{Snapshot, View};

/// The rule about unused suppressions, which editors show as faded text.
pub const UNUSED: &str = "unused-suppression";

/// Returns the diagnostics of an open document or settings file. `None` if it is not open.
pub fn of_uri(snapshot: &Snapshot, uri: &Url) -> Option<Vec<Diagnostic>> {
    match snapshot.settings_files.get(uri) {
        Some(file) => Some(file.diagnostics(&snapshot.client)),
        None => Some(of(&snapshot.view(uri)?)),
    }
}

/// Returns the diagnostics of a document: its findings, findings of headers at the `#include` and, if the client can
/// fade text, its inactive text.
pub fn of(view: &View) -> Vec<Diagnostic> {
    let all = findings_of_unit(view);
    let own = all.iter().filter(|finding| is_in_document(view, finding));
    let mut shown: Vec<Diagnostic> = own.map(|finding| shown(view, finding)).collect();
    shown.extend(includes::diagnostics(view, &all));
    if view.snapshot.client.fades_unnecessary && view.analysis.options.inactive_code.enable {
        shown.extend(inactive::diagnostics(view));
    }
    shown
}

/// Returns the findings in a document, with the user's levels applied.
pub fn findings(view: &View) -> Vec<diagnostic::Diagnostic> {
    let mut findings = findings_of_unit(view);
    findings.retain(|finding| is_in_document(view, finding));
    findings
}

/// Returns the findings in all files of a document's unit, with the user's levels applied.
fn findings_of_unit(view: &View) -> Vec<diagnostic::Diagnostic> {
    let mut findings =
        build_findings::findings(view.db, view.root, &view.analysis.builds, view.analysis.branches, None);
    view.analysis.levels.apply(&mut findings);
    // A suppression that one build uses is used, so suppressed findings are removed after this.
    suppression::remove_used_elsewhere(&mut findings);
    findings.retain(|finding| finding.suppression.is_none());
    findings
}

fn is_in_document(view: &View, finding: &diagnostic::Diagnostic) -> bool {
    finding.place.file == *view.file.path(view.db)
}

/// Returns an identifier of a list of findings. If it is unchanged, the client need not receive the list again.
pub fn result_id(findings: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(findings).unwrap_or_default().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn shown(view: &View, finding: &diagnostic::Diagnostic) -> Diagnostic {
    let related = finding.related.iter().filter_map(|label| {
        let location = location(view.snapshot, &label.place)?;
        Some(DiagnosticRelatedInformation { location, message: label.message.clone() })
    });
    let mut message = finding.message.clone();
    for help in &finding.help {
        message += &format!("\nhelp: {help}");
    }
    Diagnostic {
        range: view.range(&finding.place.range),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note if finding.rule == POSSIBLE_DIVERGENCE => DiagnosticSeverity::HINT,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.rule.into())),
        code_description: pages::address(finding.rule).map(|href| CodeDescription { href }),
        source: Some("tangle".into()),
        message,
        related_information: Some(related.collect()),
        tags: (finding.rule == UNUSED).then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    }
}

fn location(snapshot: &Snapshot, place: &Place) -> Option<Location> {
    let file = snapshot.db.known(&place.file)?;
    snapshot.location(&TextRange { file, range: place.range.clone() })
}
