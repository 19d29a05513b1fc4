//! One line for each finding, in the form that editors and `grep` understand:
//! `file:line:column: severity: message [rule]`.

use std::io::{self, Write};

use super::{Diagnostic, SourceTexts, positions};

pub fn write(out: &mut dyn Write, diagnostics: &[Diagnostic], sources: &dyn SourceTexts) -> io::Result<()> {
    for d in diagnostics {
        let (start, _) = positions(sources, &d.place);
        let message = d.message.replace(['\r', '\n'], " ");
        let (file, line, column) = (&d.place.file, start.line, start.column);
        writeln!(out, "{file}:{line}:{column}: {}: {message} [{}]", d.severity, d.rule)?;
    }
    Ok(())
}
