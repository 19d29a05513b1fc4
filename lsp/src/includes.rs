//! The files that the `#include` directives of a unit name, and the findings in them, which are shown at the directives.
//!
//! ```c
//! #include "reduce.h"      // in `reduce.h`, line 7: not all work-items reach this `barrier`
//! kernel void k() {}
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use tangle_diagnostic::{Diagnostic as Finding, Severity, counted};
use tangle_grammar::token::TokenKind;
use tangle_project::normal;
use tangle_syntax::items::{TextRange, spans, tokens, unit};
use tangle_syntax::source::SourceFile;
use tower_lsp::lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString};

use crate::snapshot::View;

/// The code of these diagnostics. It is the name of no rule, because the findings can be of several.
const CODE: &str = "in-header";

/// The maximum number of findings that a message quotes, and that a diagnostic refers to.
const QUOTED: usize = 3;
const LINKED: usize = 32;

/// The files of a unit, by path.
pub struct Includes<'a> {
    view: View<'a>,
    files: FxHashMap<PathBuf, SourceFile>,
}

impl<'a> Includes<'a> {
    pub fn of(view: &View<'a>) -> Includes<'a> {
        let ids = &unit(view.db, view.root, view.analysis.settings).0.files;
        let files = ids.iter().map(|&id| tangle_syntax::db::Db::source(view.db, id));
        let path = |file: SourceFile| normal(Path::new(&**file.path(view.db)));
        Includes { view: *view, files: files.map(|file| (path(file), file)).collect() }
    }

    /// Returns the file that a directive of a file names, if the unit reads it. `hash`: the `#` of the directive.
    pub fn file(&self, from: SourceFile, hash: u32) -> Option<SourceFile> {
        let db = self.view.db;
        let lexed = tokens(db, from);
        let (word, name) = (lexed.tokens.get(hash as usize + 1)?, lexed.tokens.get(hash as usize + 2)?);
        let is_include = matches!(word.text.as_str(), "include" | "include_next" | "import");
        if !is_include || name.kind != TokenKind::String {
            return None;
        }
        let (name, beside) = match name.text.as_str().strip_prefix('"') {
            Some(name) => (name.trim_end_matches('"'), Path::new(&**from.path(db)).parent()),
            None => (name.text.as_str().trim_matches(['<', '>']), None),
        };
        let folders = self.view.analysis.settings.include(db).iter().map(|folder| Path::new(&**folder));
        let mut wanted = beside.into_iter().chain(folders).map(|folder| normal(&folder.join(name)));
        wanted.find_map(|path| self.files.get(&path).copied())
    }

    /// Returns, for each other file that the document includes, directly or through headers, the `#` of the first
    /// directive of the document that leads to it.
    fn directives(&self) -> FxHashMap<SourceFile, u32> {
        let mut known: FxHashMap<SourceFile, u32> = FxHashMap::default();
        for &hash in &tokens(self.view.db, self.view.file).directives {
            let mut open: Vec<SourceFile> = self.file(self.view.file, hash).into_iter().collect();
            while let Some(file) = open.pop() {
                if file != self.view.file && !known.contains_key(&file) {
                    known.insert(file, hash);
                    let inner = &tokens(self.view.db, file).directives;
                    open.extend(inner.iter().filter_map(|&hash| self.file(file, hash)));
                }
            }
        }
        known
    }
}

/// Returns a diagnostic for each `#include` of a document that leads to errors or warnings in headers. `findings`: the
/// findings of the unit, with the user's levels applied.
pub fn diagnostics(view: &View, findings: &[Finding]) -> Vec<Diagnostic> {
    let own = view.file.path(view.db);
    let is_shown = |finding: &&Finding| finding.severity > Severity::Note && finding.place.file != *own;
    let mut foreign = findings.iter().filter(is_shown).peekable();
    if foreign.peek().is_none() {
        return Vec::new();
    }
    let directives = Includes::of(view).directives();
    let mut by_directive: BTreeMap<u32, Vec<(SourceFile, &Finding)>> = BTreeMap::new();
    for finding in foreign {
        let Some(file) = view.db.known(&finding.place.file) else { continue };
        if let Some(&hash) = directives.get(&file) {
            by_directive.entry(hash).or_default().push((file, finding));
        }
    }
    by_directive.into_iter().map(|(hash, found)| diagnostic(view, hash, &found)).collect()
}

/// Returns the diagnostic at a directive for the findings in the files that it includes.
fn diagnostic(view: &View, hash: u32, found: &[(SourceFile, &Finding)]) -> Diagnostic {
    let has_error = found.iter().any(|(_, finding)| finding.severity == Severity::Error);
    let related = found.iter().take(LINKED).filter_map(|(file, finding)| {
        let range = finding.place.range.clone();
        let location = view.snapshot.location(&TextRange { file: *file, range })?;
        Some(DiagnosticRelatedInformation { location, message: finding.message.clone() })
    });
    Diagnostic {
        range: view.range(&spans(view.db, view.file).get(hash + 2)),
        severity: Some(if has_error { DiagnosticSeverity::ERROR } else { DiagnosticSeverity::WARNING }),
        code: Some(NumberOrString::String(CODE.into())),
        source: Some("tangle".into()),
        message: message(view, found),
        related_information: Some(related.collect()),
        ..Diagnostic::default()
    }
}

fn message(view: &View, found: &[(SourceFile, &Finding)]) -> String {
    let quoted = |(file, finding): &(SourceFile, &Finding)| {
        let path = Path::new(&**file.path(view.db));
        let name = path.file_name().map_or(path.to_string_lossy(), |name| name.to_string_lossy());
        let line = view.snapshot.text(*file).position(finding.place.range.start).line;
        format!("in `{name}`, line {line}: {}", finding.message)
    };
    if let [only] = found {
        return quoted(only);
    }
    let mut lines = vec![format!("{} in included files", counted(found.len(), "finding"))];
    lines.extend(found.iter().take(QUOTED).map(quoted));
    if let Some(more @ 1..) = found.len().checked_sub(QUOTED) {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}
