//! Compares the text in the editor with the saved files, as `tangle diff` does (`docs/diff.md`).
//!
//! A comparison takes up to a few seconds. It uses two databases of its own, one with the files on disk and one with the
//! texts in the editor. So no edit waits for it. A change of a text or of a file ends it.

use std::collections::BTreeMap;
use std::path::Path;

use salsa::Database as _;
use serde::{Deserialize, Serialize};
use tangle_analysis::flow::module::Irreducible;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::SourceText;
use tangle_execution::comparison_text::write_comparison;
use tangle_execution::difference::{Comparison, DiffRequest, Proof, compare};
use tangle_execution::lowered::FunctionLocations;
use tangle_execution::{Executable, FunctionSelector, NotExecutable, Report, html};
use tangle_ir::key::FunctionKey;
use tangle_project::{Build, normal};
use tangle_syntax::db::Database;
use tangle_syntax::source::{Content, Settings, SourceFile};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::lsp_types::{Position, TextDocumentIdentifier, Url};

use super::panels::failed;
use super::position::TokenAt;
use crate::files::{self, Files};
use crate::server_state::kernel_text;
use crate::snapshot::View;

/// The command of this server that compares a document with its saved version, and shows the result as text.
pub const COMMAND: &str = "tangle.server.compare";

/// A document, and a function in it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompareRequest {
    pub text_document: TextDocumentIdentifier,
    /// A position in the kernel to compare. Without a kernel there: all kernels of the file.
    #[serde(default)]
    pub position: Option<Position>,
}

/// The files of a comparison.
pub struct Versions {
    path: String,
    uri: Url,
    /// The texts in the editor.
    editor: Files,
    build: Build,
    /// The function at the position, and whether it is a kernel.
    function: Option<(FunctionKey, bool)>,
}

/// The result of a comparison.
#[derive(Serialize)]
pub struct Compared {
    /// The output of `tangle diff`.
    pub text: String,
    /// Its first lines, without tables.
    pub summary: String,
    /// The first difference.
    difference: Option<ShownDifference>,
}

#[derive(Serialize)]
struct ShownDifference {
    function: String,
    /// The thread tables as HTML elements.
    old: String,
    new: String,
    /// The addresses of the files that the new table names. The empty name: the compared file.
    files: BTreeMap<String, Url>,
}

/// Collects the texts of both versions.
pub fn versions(view: &View, position: Option<Position>) -> Versions {
    let editor = Files::default();
    for document in view.snapshot.documents.values() {
        editor.set_buffer(&document.path, Some(kernel_text(&document.text)));
    }
    let at = position.and_then(|position| TokenAt::find(*view, position));
    let function = at.and_then(|at| {
        let body = at.function()?;
        Some((at.item.key(body)?, body.body.kernel))
    });
    Versions {
        path: view.root.path(view.db).to_string(),
        uri: view.snapshot.uri(view.root).unwrap_or_else(|| view.document.uri.clone()),
        editor,
        build: view.analysis.build.clone(),
        function,
    }
}

/// One version of the file.
struct Side {
    db: Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    /// The version in messages.
    name: &'static str,
}

impl Side {
    /// Returns `None` if the file does not exist.
    fn of(files: Files, path: &str, build: &Build, name: &'static str) -> Option<Side> {
        let content = files.content(&normal(Path::new(path)));
        if matches!(content, Content::Missing) {
            return None;
        }
        let mut db = Database::new(std::sync::Arc::new(files));
        let file = db.set_content(path, content);
        let (settings, model) = build.settings(&mut db);
        Some(Side { db, file, settings, model, name })
    }

    fn places(&self) -> FunctionLocations<'_> {
        FunctionLocations::of(&self.db, self.file, self.settings)
    }

    /// Returns a function for execution, or the reason why it cannot be executed.
    fn executable<'a>(
        &'a self,
        key: FunctionKey,
        places: &'a FunctionLocations<'a>,
    ) -> std::result::Result<Executable<'a>, String> {
        let (irreducible, which) = (Irreducible::default(), FunctionSelector::Exactly(key));
        let found =
            Executable::of(&self.db, self.file, self.settings, self.model, irreducible, which, places);
        found.map_err(|why| match why {
            NotExecutable::Unsupported(why) => format!("{}: {why}", self.name),
            NotExecutable::NotLowered(findings) => {
                let reason = findings.first().map(|finding| {
                    let known = self.db.known(&finding.place.file);
                    let line = known.map_or(1, |file| {
                        SourceText::new(&*file.text(&self.db)).position(finding.place.range.start).line
                    });
                    let is_own = known == Some(self.file);
                    let file = if is_own { String::new() } else { format!("{}, ", finding.place.file) };
                    format!("{file}line {line} of {}: {}", self.name, finding.message)
                });
                reason.unwrap_or_default()
            }
        })
    }
}

/// Compares the versions. `is_wanted` returns whether the work should continue.
pub fn compare_versions(versions: Versions, is_wanted: &dyn Fn() -> bool) -> Result<Compared> {
    let Versions { path, uri, editor, build, function } = versions;
    let old = Side::of(Files::default(), &path, &build, "the saved version")
        .ok_or_else(|| failed("there is no saved version of this file".to_owned()))?;
    let new = Side::of(editor, &path, &build, "the text in the editor").ok_or_else(Error::internal_error)?;
    let watch = || {
        if !is_wanted() {
            new.db.cancellation_token().cancel();
            new.db.unwind_if_revision_cancelled();
        }
    };
    let (old_places, new_places) = (old.places(), new.places());
    let (old_kernels, new_kernels) = (old_places.kernels(), new_places.kernels());
    let is_all = !matches!(function, Some((_, true)));
    let wanted: Vec<FunctionKey> = match function {
        Some((key, true)) => vec![key],
        Some((key, false)) if new_kernels.is_empty() => vec![key],
        _ => new_kernels.clone(),
    };
    let mut text = String::new();
    let not_compared = |text: &mut String, key: &FunctionKey, why: &str| {
        *text += &format!("`{}`: not compared: {why}\n", key.label());
    };
    let (mut unchanged, mut difference) = (0, None);
    for key in &wanted {
        watch();
        if new_kernels.contains(key) && !old_kernels.contains(key) {
            not_compared(&mut text, key, "only in the text in the editor");
            continue;
        }
        let sides = (old.executable(*key, &old_places), new.executable(*key, &new_places));
        let (old_function, new_function) = match sides {
            (Ok(old), Ok(new)) => (old, new),
            (Err(why), _) | (_, Err(why)) => {
                not_compared(&mut text, key, &why);
                continue;
            }
        };
        let compared = compare(&old_function, &new_function, &DiffRequest::default(), Some(&watch));
        let comparison = match compared {
            Ok(comparison) => comparison,
            Err(why) => {
                not_compared(&mut text, key, &why.message);
                continue;
            }
        };
        if comparison.proof == Some(Proof::EqualGraphs) {
            unchanged += 1;
            continue;
        }
        text += &written(&comparison, &old_places, &new_places)?;
        if let Some(found) = &comparison.difference {
            let mut files = addresses(&found.new);
            files.insert(String::new(), uri);
            let (old, new) = (elements(&found.old)?, elements(&found.new)?);
            difference = Some(ShownDifference { function: comparison.new, old, new, files });
            break;
        }
    }
    let only_old = old_kernels.iter().filter(|key| is_all && !new_kernels.contains(key));
    only_old.for_each(|key| not_compared(&mut text, key, "only in the saved version"));
    if text.is_empty() {
        text = match unchanged {
            0 => return Err(failed("there is no kernel to compare".to_owned())),
            1 => "no difference: the flow graphs of both versions are equal\n".to_owned(),
            many => format!("no difference: the flow graphs of {many} kernels are equal\n"),
        };
    }
    let summary = text.split("\n\n").next().unwrap_or_default().trim_end().to_owned();
    Ok(Compared { text, summary, difference })
}

/// Returns the result for one function as text.
fn written(comparison: &Comparison, old: &FunctionLocations, new: &FunctionLocations) -> Result<String> {
    let mut text = Vec::new();
    write_comparison(&mut text, comparison, [old, new], false).map_err(|_| Error::internal_error())?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns a thread table as HTML elements.
fn elements(report: &Report) -> Result<String> {
    let mut page = Vec::new();
    html::elements(&mut page, report).map_err(|_| Error::internal_error())?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Returns the addresses of other files that a report names.
fn addresses(report: &Report) -> BTreeMap<String, Url> {
    let address = |name: &str| Some((name.to_owned(), files::uri(name)?));
    report.other_files().into_iter().filter_map(address).collect()
}
