//! JUnit XML, which most CI services show: each finding is a test, in a suite for its file.

use std::io::{self, Write};

use indexmap::IndexMap;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Diagnostic, Place, SourceTexts, counted, positions};

/// Writes the findings of a run over a number of files. `fails` returns whether a finding is a failed test; the others
/// are passed tests.
pub fn write(
    out: &mut dyn Write,
    diagnostics: &[Diagnostic],
    files: usize,
    sources: &dyn SourceTexts,
    to_path: &dyn Fn(&str) -> String,
    fails: &dyn Fn(&Diagnostic) -> bool,
) -> io::Result<()> {
    let mut suites: IndexMap<String, TestSuite> = IndexMap::new();
    for d in diagnostics {
        let path = to_path(&d.place.file);
        let suite = suites.entry(path.clone()).or_insert_with(|| TestSuite::new(path.clone()));
        let (start, _) = positions(sources, &d.place);
        let (rule, line, column) = (d.rule, start.line, start.column);
        let text = text(d, sources, to_path);
        let mut case = TestCase::new(format!("{rule} at {line}:{column}"), TestCaseStatus::success());
        if fails(d) {
            case.status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            case.status.set_message(&*d.message).set_type(d.severity.name()).set_description(text);
        } else {
            case.set_system_out(text);
        }
        case.set_classname(path.clone());
        case.extra.insert("file".into(), path.into());
        case.extra.insert("line".into(), line.to_string().into());
        suite.add_test_case(case);
    }
    if suites.is_empty() {
        // Some services reject a report without tests.
        let mut suite = TestSuite::new("tangle");
        let mut case = TestCase::new("no findings", TestCaseStatus::success());
        case.set_system_out(format!("no findings in {}", counted(files, "file")));
        suite.add_test_case(case);
        suites.insert(String::new(), suite);
    }
    let mut report = Report::new("tangle");
    report.add_test_suites(suites.into_values());
    let text = report.to_string().map_err(io::Error::other)?;
    out.write_all(text.as_bytes())?;
    if text.ends_with('\n') { Ok(()) } else { writeln!(out) }
}

/// Formats a finding with its other locations and its help, as lines.
fn text(d: &Diagnostic, sources: &dyn SourceTexts, to_path: &dyn Fn(&str) -> String) -> String {
    let at = |place: &Place| {
        let (start, _) = positions(sources, place);
        format!("{}:{}:{}", to_path(&place.file), start.line, start.column)
    };
    let mut lines = vec![format!("{}: {}: {} [{}]", at(&d.place), d.severity, d.message, d.rule)];
    lines.extend(d.related.iter().map(|label| format!("{}: {}", at(&label.place), label.message)));
    lines.extend(d.help.iter().map(|help| format!("help: {help}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::Severity;
    use crate::testing::{CLEANUP, Texts, cleanup_finding};

    #[test]
    fn findings_become_test_cases_of_their_file() {
        let sources = Texts::new(&[("a.cl", CLEANUP), ("b.cl", "x")]);
        let note = Diagnostic::new("unknown-name", Severity::Note, Place::new("b.cl", 0..1), "`<x>` & \u{1}");
        let findings = [cleanup_finding("a.cl"), note];
        let write = |findings: &[Diagnostic]| {
            let fails = |d: &Diagnostic| d.severity > Severity::Note;
            let mut out = Vec::new();
            write(&mut out, findings, 2, &sources, &|file| format!("src/{file}"), &fails).unwrap();
            String::from_utf8(out).unwrap()
        };
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="tangle" tests="2" skipped="0" failures="1" errors="0">
                <testsuite name="src/a.cl" tests="1" skipped="0" errors="0" failures="1">
                    <testcase name="implementation-defined-convergence at 7:5" classname="src/a.cl" file="src/a.cl" line="7">
                        <failure message="`barrier` is reached by 2 groups of threads that need not arrive together" type="warning">src/a.cl:7:5: warning: `barrier` is reached by 2 groups of threads that need not arrive together [implementation-defined-convergence]
            src/a.cl:4:9: the first group jumps from here
            src/a.cl:6:1: the second group falls through to this label
            src/a.cl:9:1: here they reconverge
            help: move the `barrier` past the end of the block that holds the label</failure>
                    </testcase>
                </testsuite>
                <testsuite name="src/b.cl" tests="1" skipped="0" errors="0" failures="0">
                    <testcase name="unknown-name at 1:1" classname="src/b.cl" file="src/b.cl" line="1">
                        <system-out>src/b.cl:1:1: note: `&lt;x&gt;` &amp;  [unknown-name]</system-out>
                    </testcase>
                </testsuite>
            </testsuites>
        "#]].assert_eq(&write(&findings));
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="tangle" tests="1" skipped="0" failures="0" errors="0">
                <testsuite name="tangle" tests="1" skipped="0" errors="0" failures="0">
                    <testcase name="no findings">
                        <system-out>no findings in 2 files</system-out>
                    </testcase>
                </testsuite>
            </testsuites>
        "#]]
        .assert_eq(&write(&[]));
    }
}
