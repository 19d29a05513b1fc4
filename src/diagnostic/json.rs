//! The findings as JSON, for scripts. Fields keep their names and meanings; new fields may be added.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::{Diagnostic, Evidence, Place, SourceTexts, ThreadsAt, Witness, positions};
use tangle_syntax::items::FileCounts;

/// The findings of a run.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle lint --format json")]
struct Document<'a> {
    /// The version of this format: 1.
    version: u32,
    /// The number of linted files, without files that could not be read.
    files: usize,
    /// The kernels in these files. Absent in errors of `lower` and `simulate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernels: Option<usize>,
    /// The statements, members and declarations that were skipped or have a syntax error. Absent in errors of `lower` and `simulate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    unparsed_statements: Option<usize>,
    /// The findings, ordered by file and position.
    findings: Vec<Finding<'a>>,
}

/// A finding at a range.
#[derive(Serialize, JsonSchema)]
struct Finding<'a> {
    /// The id of the rule.
    rule: &'static str,
    /// `error`, `warning` or `note`.
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    severity: &'static str,
    /// How sure it is that the finding occurs in an execution: `certain`, `likely` or `possible`.
    #[schemars(extend("enum" = ["certain", "likely", "possible"]))]
    confidence: &'static str,
    #[serde(flatten)]
    at: Range<'a>,
    /// The enclosing function.
    function: Option<&'a str>,
    /// The finding in one sentence.
    message: &'a str,
    /// A short text for the place itself; may be empty.
    label: &'a str,
    /// Other places that explain the finding, in the order of the explanation.
    related: Vec<Related<'a>>,
    /// Suggestions.
    help: &'a [String],
    /// Edits that fix the finding.
    fixes: Vec<Fix<'a>>,
    /// Unknowns that the finding makes an assumption about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumes: Vec<Range<'a>>,
    /// Further operations with the same cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Range<'a>>,
    /// The builds with this finding, if not all builds of the file have it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    builds: &'a [String],
    /// The instantiations of the function template with this finding, if not all that launches request have it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    instantiations: &'a [String],
    /// Macros, each `NAME=VALUE`, that must be defined for this finding.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    definitions: &'a [String],
    /// Whether an execution confirms the finding. Absent if executions cannot confirm findings of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<bool>,
    /// The number of executions of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    executions: Option<usize>,
    /// The reason why no execution was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_tried: Option<String>,
    /// The execution that confirms the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<WitnessObject<'a>>,
}

/// An execution that confirms the finding.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Witness")]
struct WitnessObject<'a> {
    /// The `tangle simulate` command that repeats the execution.
    command: &'a str,
    /// The executed function.
    function: &'a str,
    /// The size of a work-group.
    local_size: [u32; 3],
    /// The number of work-groups.
    groups: u32,
    sub_group_size: u32,
    /// The arguments as written for `--arg`. Other arguments are random.
    arguments: BTreeMap<&'a str, &'a str>,
    strategy: &'static str,
    policy: &'static str,
    seed: u64,
    /// The threads of a work-group when the finding occurs, by location.
    lanes: Vec<Lanes<'a>>,
    /// A second execution of the same launch, if the finding is that both are allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<AlternativeObject<'a>>,
}

/// An allowed execution that differs from the first one.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Alternative")]
struct AlternativeObject<'a> {
    /// The `tangle simulate` command that repeats the execution.
    command: &'a str,
    policy: &'static str,
    /// The threads of the first execution.
    lanes: Vec<Lanes<'a>>,
    /// A difference between the results of the executions, in words. Absent if they are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a str>,
}

/// Threads of a work-group at one location.
#[derive(Serialize, JsonSchema)]
struct Lanes<'a> {
    #[serde(flatten)]
    at: Range<'a>,
    group: usize,
    threads: &'a [usize],
    /// The threads and their activity, in words.
    message: &'a str,
}

/// A place that explains a finding.
#[derive(Serialize, JsonSchema)]
struct Related<'a> {
    #[serde(flatten)]
    at: Range<'a>,
    message: &'a str,
}

/// Edits that fix a finding.
#[derive(Serialize, JsonSchema)]
struct Fix<'a> {
    title: &'a str,
    applicability: &'static str,
    edits: Vec<Edit<'a>>,
}

/// A replacement in the text. An empty range inserts.
#[derive(Serialize, JsonSchema)]
struct Edit<'a> {
    #[serde(flatten)]
    at: Range<'a>,
    text: &'a str,
}

/// A range in a file. Lines and columns count from 1.
#[derive(Serialize, JsonSchema)]
struct Range<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    /// The column after the last character.
    end_column: usize,
}

/// Returns the schema of the document that [`write()`] writes.
pub fn schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document>()
}

impl<'a> Range<'a> {
    fn new(place: &'a Place, sources: &dyn SourceTexts) -> Range<'a> {
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

impl<'a> WitnessObject<'a> {
    fn of(witness: &'a Witness, sources: &dyn SourceTexts) -> WitnessObject<'a> {
        let lanes = |threads: &'a [ThreadsAt]| {
            let lanes = threads.iter().map(|it| Lanes {
                at: Range::new(&it.place, sources),
                group: it.group,
                threads: &it.threads,
                message: &it.activity,
            });
            lanes.collect()
        };
        WitnessObject {
            alternative: witness.alternative.as_ref().map(|it| AlternativeObject {
                command: &it.command,
                policy: it.policy,
                lanes: lanes(&it.threads),
                difference: it.difference.as_deref(),
            }),
            command: &witness.command,
            function: &witness.function,
            local_size: witness.local_size,
            groups: witness.groups,
            sub_group_size: witness.sub_group_size,
            arguments: witness.arguments.iter().map(|(name, value)| (&**name, &**value)).collect(),
            strategy: witness.strategy,
            policy: witness.policy,
            seed: witness.seed,
            lanes: lanes(&witness.threads),
        }
    }
}

/// Writes the findings of a run over a number of files, with the census of their contents if it was taken.
pub fn write(
    out: &mut dyn Write,
    diagnostics: &[Diagnostic],
    files: usize,
    census: Option<FileCounts>,
    sources: &dyn SourceTexts,
) -> io::Result<()> {
    let findings = diagnostics.iter().map(|d| Finding {
        rule: d.rule,
        severity: d.severity.name(),
        confidence: d.confidence.name(),
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
        instantiations: &d.instantiations,
        definitions: &d.definitions,
        confirmed: d.evidence.as_ref().map(Evidence::is_confirmed),
        executions: d.evidence.as_ref().map(|evidence| match evidence {
            Evidence::Confirmed(witness) => witness.executions,
            Evidence::NotConfirmed { executions } => *executions,
            Evidence::NotTried(_) => 0,
        }),
        not_tried: match &d.evidence {
            Some(Evidence::NotTried(reason)) => Some(reason.to_string()),
            _ => None,
        },
        witness: match &d.evidence {
            Some(Evidence::Confirmed(witness)) => Some(WitnessObject::of(witness, sources)),
            _ => None,
        },
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
    use crate::Applicability;
    use crate::testing::{CLEANUP, Texts, cleanup_finding, find};
    use crate::{Edit, Fix};

    #[test]
    fn finding_is_printed_with_all_fields() {
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
                  "confidence": "certain",
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
