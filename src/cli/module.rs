//! `tangle lower` and `tangle show --what flow`: a file lowered, in the form that was asked for.

use std::collections::BTreeSet;
use std::io::Write;

use super::lower::Request;
use crate::db::Database;
use crate::diagnostic::{Diagnostic, Severity};
use crate::hir::bodies;
use crate::lint;
use crate::source::{Settings, SourceFile};
use crate::syntax::{ChunkKey, SharedChunk, Unit, chunks, items, unit};
use crate::tangle::Model;

pub(super) fn lower(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    request: &Request,
    _out: &mut dyn Write,
) -> Result<Vec<Diagnostic>, String> {
    let unit = unit(db, file, settings);
    if let Some(name) = &request.function {
        known(db, file, unit, name)?;
    }
    let mut findings = lint::check(db, file, settings, model);
    findings.retain(|finding| finding.severity == Severity::Error);
    Ok(findings)
}

/// Whether a function is defined in a unit; if not, a sentence that suggests another.
pub(super) fn known(db: &Database, file: SourceFile, unit: &Unit, name: &str) -> Result<(), String> {
    let items = chunks(unit).into_iter().flat_map(|chunk| items(db, ChunkKey::new(db, SharedChunk(chunk))));
    let bodies = items.flat_map(|&(item, _)| &bodies(db, item).0);
    let names: BTreeSet<&str> = bodies.map(|body| body.name.text.as_str()).collect();
    if names.contains(name) {
        return Ok(());
    }
    let near = |other: &&&str| strsim::jaro_winkler(name, other);
    let nearest = names.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|other| near(other) > 0.7);
    let file = file.path(db);
    Err(match nearest {
        Some(nearest) => format!("{file}: no function `{name}` is defined here; did you mean `{nearest}`?"),
        None => format!("{file}: no function `{name}` is defined here"),
    })
}
