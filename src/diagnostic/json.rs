//! The findings as JSON, for scripts. The fields keep their names and meaning; others may be added.

use std::io::{self, Write};

use serde::Serialize;

use super::{Diagnostic, Place, Sources, positions};
use crate::syntax::Census;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    files: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernels: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unparsed_statements: Option<usize>,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    rule: &'static str,
    severity: &'static str,
    #[serde(flatten)]
    at: Range<'a>,
    function: Option<&'a str>,
    message: &'a str,
    label: &'a str,
    related: Vec<Related<'a>>,
    help: &'a [String],
    fixes: Vec<Fix<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumes: Vec<Range<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Range<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    builds: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    definitions: &'a [String],
}

#[derive(Serialize)]
struct Related<'a> {
    #[serde(flatten)]
    at: Range<'a>,
    message: &'a str,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
    applicability: &'static str,
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize)]
struct Edit<'a> {
    #[serde(flatten)]
    at: Range<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct Range<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl<'a> Range<'a> {
    fn new(place: &'a Place, sources: &dyn Sources) -> Range<'a> {
        let (start, end) = positions(sources, place);
        Range {
            file: &place.file,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

/// Writes the findings of a run over so many files, and what there is in these, if that was counted.
pub fn write(
    out: &mut dyn Write,
    diagnostics: &[Diagnostic],
    files: usize,
    census: Option<Census>,
    sources: &dyn Sources,
) -> io::Result<()> {
    let findings = diagnostics.iter().map(|d| Finding {
        rule: d.rule,
        severity: d.severity.name(),
        at: Range::new(&d.place, sources),
        function: d.function.as_deref(),
        message: &d.message,
        label: &d.label,
        related: d
            .related
            .iter()
            .map(|label| Related { at: Range::new(&label.place, sources), message: &label.message })
            .collect(),
        help: &d.help,
        fixes: d
            .fixes
            .iter()
            .map(|fix| Fix {
                title: &fix.title,
                applicability: fix.applicability.name(),
                edits: fix
                    .edits
                    .iter()
                    .map(|edit| Edit { at: Range::new(&edit.place, sources), text: &edit.text })
                    .collect(),
            })
            .collect(),
        assumes: d.assumes.iter().map(|place| Range::new(place, sources)).collect(),
        also: d.also.iter().map(|place| Range::new(place, sources)).collect(),
        builds: &d.builds,
        definitions: &d.definitions,
    });
    let document = Document {
        version: 1,
        files,
        kernels: census.map(|census| census.kernels),
        unparsed_statements: census.map(|census| census.unparsed),
        findings: findings.collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::diagnostic::testing::{CLEANUP, Texts, cleanup_finding, find};
    use crate::diagnostic::{Edit, Fix};

    #[test]
    fn a_finding_has_the_fields_that_scripts_rely_on() {
        let edit = Edit { place: find("a.cl", CLEANUP, "goto done;"), text: "return;".to_owned() };
        let mut finding = cleanup_finding("a.cl").with_fix(Fix {
            title: "return instead".to_owned(),
            applicability: Applicability::Unsafe,
            edits: vec![edit],
        });
        finding.related.truncate(1);
        let mut out = Vec::new();
        write(&mut out, &[finding], 3, None, &Texts::new(&[("a.cl", CLEANUP)])).unwrap();
        expect![[r#"
            {
              "version": 1,
              "files": 3,
              "findings": [
                {
                  "rule": "implementation-defined-convergence",
                  "severity": "warning",
                  "file": "a.cl",
                  "line": 7,
                  "column": 5,
                  "end_line": 7,
                  "end_column": 34,
                  "function": "k",
                  "message": "`barrier` is reached by 2 groups of threads that need not arrive together",
                  "label": "threads of both groups run this `barrier`",
                  "related": [
                    {
                      "file": "a.cl",
                      "line": 4,
                      "column": 9,
                      "end_line": 4,
                      "end_column": 18,
                      "message": "the first group jumps from here"
                    }
                  ],
                  "help": [
                    "move the `barrier` past the end of the block that holds the label"
                  ],
                  "fixes": [
                    {
                      "title": "return instead",
                      "applicability": "unsafe",
                      "edits": [
                        {
                          "file": "a.cl",
                          "line": 4,
                          "column": 9,
                          "end_line": 4,
                          "end_column": 19,
                          "text": "return;"
                        }
                      ]
                    }
                  ]
                }
              ]
            }
        "#]]
        .assert_eq(&String::from_utf8(out).unwrap());
    }
}
