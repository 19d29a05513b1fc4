//! The code quality report of GitLab, which marks findings in the changes of a merge request.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::fingerprint::fingerprints_with_file;
use super::{Diagnostic, Position, Severity, SourceTexts, positions};

#[derive(Serialize)]
struct Finding<'a> {
    description: &'a str,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    positions: Positions,
}

#[derive(Serialize)]
struct Positions {
    begin: Point,
    end: Point,
}

struct Point(Position);

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("line", self.0.line), ("column", self.0.column)])
    }
}

/// Writes the findings as one array. `path` returns the path of a file relative to the root of the project.
pub fn write(
    out: &mut dyn Write,
    diagnostics: &[Diagnostic],
    sources: &dyn SourceTexts,
    path: &dyn Fn(&str) -> String,
) -> io::Result<()> {
    let fingerprints = fingerprints_with_file(diagnostics, sources, path);
    let finding = |(d, fingerprint)| {
        let d: &Diagnostic = d;
        let (begin, end) = positions(sources, &d.place);
        let severity = match d.severity {
            Severity::Note => "info",
            Severity::Warning => "minor",
            Severity::Error => "major",
        };
        let positions = Positions { begin: Point(begin), end: Point(end) };
        let location = Location { path: path(&d.place.file), positions };
        Finding { description: &d.message, check_name: d.rule, fingerprint, severity, location }
    };
    let findings: Vec<Finding> = diagnostics.iter().zip(fingerprints).map(finding).collect();
    serde_json::to_writer_pretty(&mut *out, &findings)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing::{CLEANUP, Texts, cleanup_finding};

    #[test]
    fn finding_has_the_fields_that_gitlab_requires() {
        let mut out = Vec::new();
        let sources = Texts::new(&[("./a.cl", CLEANUP)]);
        write(&mut out, &[cleanup_finding("./a.cl")], &sources, &|file| file.replace("./", "src/")).unwrap();
        expect![[r#"
            [
              {
                "description": "`barrier` is reached by 2 groups of threads that need not arrive together",
                "check_name": "implementation-defined-convergence",
                "fingerprint": "d8570ca92a5e198cd1ce0521148cb155",
                "severity": "minor",
                "location": {
                  "path": "src/a.cl",
                  "positions": {
                    "begin": {
                      "line": 7,
                      "column": 5
                    },
                    "end": {
                      "line": 7,
                      "column": 34
                    }
                  }
                }
              }
            ]
        "#]]
        .assert_eq(&String::from_utf8(out).unwrap());
    }
}
