//! Workflow commands, which GitHub turns into annotations beside the code of a pull request.

use std::io::{self, Write};

use super::{Diagnostic, Severity, SourceTexts, positions};

pub fn write(out: &mut dyn Write, diagnostics: &[Diagnostic], sources: &dyn SourceTexts) -> io::Result<()> {
    for d in diagnostics {
        let command = match d.severity {
            Severity::Note => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let (start, end) = positions(sources, &d.place);
        let file = property(&d.place.file);
        write!(out, "::{command} file={file},line={},col={}", start.line, start.column)?;
        write!(out, ",endLine={},endColumn={}", end.line, end.column)?;
        write!(out, ",title={}::{}", property(d.rule), data(&d.message))?;
        // An annotation has one location, so the text lists the others.
        for label in &d.related {
            let (start, _) = positions(sources, &label.place);
            let at = format!("\n{}:{}:{}: ", label.place.file, start.line, start.column);
            write!(out, "{}{}", data(&at), data(&label.message))?;
        }
        for help in &d.help {
            write!(out, "{}{}", data("\nhelp: "), data(help))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, which must not contain the separators of properties.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::testing::Texts;

    #[test]
    fn special_characters_are_escaped() {
        let sources = Texts::new(&[("a,b:c.cl", "x\ny")]);
        let finding = Diagnostic::new("r", Severity::Note, Place::new("a,b:c.cl", 2..3), "100% sure:\nyes")
            .with_related(Place::new("a,b:c.cl", 0..1), "seen, here")
            .with_help("do 50%,\r\nnot more");
        let mut out = Vec::new();
        write(&mut out, &[finding], &sources).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "::notice file=a%2Cb%3Ac.cl,line=2,col=1,endLine=2,endColumn=2,title=r\
             ::100%25 sure:%0Ayes%0Aa,b:c.cl:1:1: seen, here%0Ahelp: do 50%25,%0D%0Anot more\n"
        );
    }
}
