//! From findings to what the protocol has for them.

use std::sync::Arc;

use tangle::diagnostic::{Diagnostic, Place, Severity, SourceText, Sources};
use tower_lsp::lsp_types::{
    self, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range, Url,
};

/// A byte offset as the protocol counts: lines from 0, and UTF-16 code units.
fn position(text: &SourceText, offset: usize) -> Position {
    let line = text.position(offset).line;
    let range = text.line_range(line);
    let before = &text.text()[range.start..offset.clamp(range.start, range.end)];
    let column = before.chars().map(char::len_utf16).sum::<usize>();
    Position { line: number(line - 1), character: number(column) }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn range(sources: &dyn Sources, place: &Place) -> Option<Range> {
    let text: Arc<SourceText> = sources.text(&place.file)?;
    let bytes = text.clamp(&place.range);
    Some(Range { start: position(&text, bytes.start), end: position(&text, bytes.end) })
}

/// A finding for the editor. `uri` is that of the file it stands in.
pub fn diagnostic(sources: &dyn Sources, uri: &Url, finding: &Diagnostic) -> lsp_types::Diagnostic {
    let related = finding.related.iter().filter_map(|label| {
        let uri = match label.place.file == finding.place.file {
            true => uri.clone(),
            false => Url::from_file_path(&*label.place.file).ok()?,
        };
        let location = Location { uri, range: range(sources, &label.place)? };
        Some(DiagnosticRelatedInformation { location, message: label.message.clone() })
    });
    let mut message = finding.message.clone();
    for help in &finding.help {
        message += &format!("\nhelp: {help}");
    }
    lsp_types::Diagnostic {
        range: range(sources, &finding.place).unwrap_or_default(),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.rule.into())),
        source: Some("tangle".into()),
        message,
        related_information: Some(related.collect()),
        ..lsp_types::Diagnostic::default()
    }
}
