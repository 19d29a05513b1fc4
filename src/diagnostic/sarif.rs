//! SARIF 2.1.0, the format that code scanning services read.

pub mod merge;

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::fingerprint::fingerprints;
use super::{
    Confidence, Diagnostic, Edit, Evidence, Fix, Place, Rule, SourceTexts, ThreadsAt, Witness, positions,
    rules_of,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The supported version of SARIF, for input and output.
const VERSION: &str = "2.1.0";

/// The base of relative paths, by the name that services know.
const ROOT: &str = "%SRCROOT%";

/// The maximum length of a `fullDescription` that GitHub accepts, in characters.
pub const LONGEST_DESCRIPTION: usize = 1024;

/// The content of the document besides the findings.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub sources: &'a dyn SourceTexts,
    /// The rules of the tool.
    pub rules: &'a [Rule],
    /// The web address of the repository of tangle, without a final slash. `None` without a repository.
    pub repository: Option<&'a str>,
    /// Returns the path of a file relative to the root of the project, or an absolute path for a file outside of the
    /// project.
    pub path: &'a dyn Fn(&str) -> String,
}

/// The document. Results are created while they are written, since thousands of findings with locations need much
/// memory.
#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Value,
    column_kind: &'static str,
    original_uri_base_ids: Value,
    results: Results<'a>,
}

struct Results<'a> {
    diagnostics: &'a [Diagnostic],
    context: Context<'a>,
    /// The rules with findings.
    rules: &'a [&'a str],
    /// Whether a finding is suppressed. Then each result must have `suppressions` (SARIF §3.27.23).
    suppressions: bool,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fingerprints = fingerprints(self.diagnostics, self.context.sources);
        serializer.collect_seq(self.diagnostics.iter().zip(fingerprints).map(|(d, fingerprint)| {
            let mut result = self.context.result(d, self.rules);
            // The version in the key changes if the definition of the fingerprint changes.
            result["partialFingerprints"] = json!({ "tangleFinding/v1": fingerprint });
            if self.suppressions {
                result["suppressions"] = suppressions(d);
            }
            result
        }))
    }
}

/// Writes all findings, including suppressed ones, and their rules.
pub fn write(out: &mut dyn Write, diagnostics: &[Diagnostic], context: Context) -> io::Result<()> {
    let rules = rules_of(diagnostics);
    let mut driver = json!({
        "name": "tangle",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|id| context.rule(id)).collect::<Vec<_>>(),
    });
    if let Some(repository) = context.repository {
        driver["informationUri"] = json!(repository);
    }
    let suppressions = diagnostics.iter().any(|d| d.suppression.is_some());
    let results = Results { diagnostics, context, rules: &rules, suppressions };
    // Without `uri`: the service may have the project in another folder.
    let root = json!({ ROOT: { "description": { "text": "The current folder of the run." } } });
    let log = Log {
        schema: SCHEMA,
        version: VERSION,
        runs: [Run {
            tool: json!({ "driver": driver }),
            column_kind: "unicodeCodePoints",
            original_uri_base_ids: root,
            results,
        }],
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

impl Context<'_> {
    fn rule(&self, id: &str) -> Value {
        let Some(rule) = self.rules.iter().find(|rule| rule.id == id) else { return json!({ "id": id }) };
        let mut value = json!({
            "id": rule.id,
            "name": pascal_case(rule.id),
            "shortDescription": { "text": rule.summary },
            "fullDescription": { "text": introduction(rule.page) },
            "help": { "text": rule.page, "markdown": rule.page },
            "defaultConfiguration": { "level": rule.severity.name(), "enabled": rule.on },
        });
        if let Some(repository) = self.repository {
            let version = env!("CARGO_PKG_VERSION");
            value["helpUri"] = json!(format!("{repository}/blob/v{version}/src/rules/pages/{id}.md"));
        }
        value
    }

    fn result(&self, d: &Diagnostic, rules: &[&str]) -> Value {
        let related: Vec<Value> = d
            .related
            .iter()
            .enumerate()
            .map(|(id, label)| {
                let mut location = self.location(&label.place);
                location["id"] = json!(id + 1);
                location["message"] = json!({ "text": label.message });
                location
            })
            .collect();
        let mut place = self.location(&d.place);
        if let Some(function) = &d.function {
            place["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
        }
        let mut result = json!({
            "ruleId": d.rule,
            "ruleIndex": rules.iter().position(|id| *id == d.rule),
            // SARIF uses the same three names.
            "level": d.severity.name(),
            "rank": rank(d.confidence),
            "message": { "text": d.message },
            "locations": [place],
            "relatedLocations": related,
        });
        let mut flows: Vec<Value> = self.flow(d).into_iter().collect();
        if let Some(evidence) = &d.evidence {
            result["properties"] = json!({ "confirmed": evidence.is_confirmed() });
        }
        if let Some(Evidence::Confirmed(witness)) = &d.evidence {
            flows.extend(self.witnesses(witness));
        }
        if !flows.is_empty() {
            result["codeFlows"] = flows.into();
        }
        if !d.fixes.is_empty() {
            result["fixes"] = d.fixes.iter().map(|fix| self.fix(fix)).collect();
        }
        result
    }

    /// Returns the chain of causes as a path from the source of divergence to the finding.
    fn flow(&self, d: &Diagnostic) -> Option<Value> {
        let steps = d.related.iter().rev().filter(|label| label.is_step);
        let steps = steps.map(|label| (&label.place, &label.message));
        let end = if d.label.is_empty() { &d.message } else { &d.label };
        let locations: Vec<Value> = steps
            .chain([(&d.place, end)])
            .map(|(place, message)| {
                let mut location = self.location(place);
                location["message"] = json!({ "text": message });
                json!({ "location": location })
            })
            .collect();
        (locations.len() > 1).then(|| json!({ "threadFlows": [{ "locations": locations }] }))
    }

    /// Returns an execution as a flow: its threads by location, each group of threads as a thread of SARIF.
    fn witness(&self, message: &str, threads: &[ThreadsAt]) -> Value {
        let of_threads = threads.iter().map(|it| {
            let mut location = self.location(&it.place);
            location["message"] = json!({ "text": it.activity });
            json!({ "message": { "text": it.activity }, "locations": [{ "location": location }] })
        });
        json!({ "message": { "text": message }, "threadFlows": of_threads.collect::<Value>() })
    }

    /// Returns the executions that confirm a finding, and their command lines.
    fn witnesses(&self, witness: &Witness) -> Vec<Value> {
        let message = |command: &str| format!("execution with {}: {command}", witness.launch);
        let mut flows = Vec::new();
        if !witness.threads.is_empty() {
            flows.push(self.witness(&message(&witness.command), &witness.threads));
        }
        if let Some(other) = witness.alternative.as_ref().filter(|it| !it.threads.is_empty()) {
            flows.push(self.witness(&message(&other.command), &other.threads));
        }
        flows
    }

    fn fix(&self, fix: &Fix) -> Value {
        let change = |edits: &[Edit]| {
            let replacement = |edit: &Edit| {
                json!({
                    "deletedRegion": self.region(&edit.place),
                    "insertedContent": { "text": edit.text },
                })
            };
            json!({
                "artifactLocation": artifact(&(self.path)(&edits[0].place.file)),
                "replacements": edits.iter().map(replacement).collect::<Vec<_>>(),
            })
        };
        let files = fix.edits.chunk_by(|a, b| a.place.file == b.place.file);
        json!({
            "description": { "text": fix.title },
            "artifactChanges": files.map(change).collect::<Vec<_>>(),
            "properties": { "applicability": fix.applicability.name() },
        })
    }

    fn location(&self, place: &Place) -> Value {
        json!({
            "physicalLocation": {
                "artifactLocation": artifact(&(self.path)(&place.file)),
                "region": self.region(place),
            },
        })
    }

    fn region(&self, place: &Place) -> Value {
        let (start, end) = positions(self.sources, place);
        json!({
            "startLine": start.line, "startColumn": start.column,
            "endLine": end.line, "endColumn": end.column,
        })
    }
}

/// Returns the introduction of a rule's page: the text between its title and the next heading or example.
pub fn introduction(page: &str) -> String {
    let paragraphs = page.split("\n\n").skip(1);
    let mut text = String::new();
    for paragraph in paragraphs.take_while(|it| !it.starts_with('#') && !it.starts_with("```")) {
        if text.chars().count() + 2 + paragraph.chars().count() > LONGEST_DESCRIPTION {
            break;
        }
        if !text.is_empty() {
            text += "\n\n";
        }
        // Joins the lines of a paragraph, except before list items.
        for (number, line) in paragraph.lines().enumerate() {
            match number {
                0 => {}
                _ if line.starts_with("- ") => text.push('\n'),
                _ => text.push(' '),
            }
            text += line.trim();
        }
    }
    text
}

/// Converts `divergent-barrier` to `DivergentBarrier`.
fn pascal_case(id: &str) -> String {
    let word = |word: &str| {
        let mut word = word.to_owned();
        word[..1].make_ascii_uppercase();
        word
    };
    id.split('-').filter(|part| !part.is_empty()).map(word).collect()
}

/// Returns the rank of a result, from 0 to 100: results with a higher rank are more likely to be right (SARIF 2.1.0,
/// section 3.27.26).
fn rank(confidence: Confidence) -> f64 {
    match confidence {
        Confidence::Certain => 90.0,
        Confidence::Likely => 50.0,
        Confidence::Possible => 10.0,
    }
}

fn suppressions(d: &Diagnostic) -> Value {
    match &d.suppression {
        Some(suppression) => {
            // Only a suppression by a baseline is outside the source.
            let kind = if suppression.by.is_empty() { "external" } else { "inSource" };
            json!([{ "kind": kind, "justification": suppression.reason }])
        }
        None => json!([]),
    }
}

fn artifact(path: &str) -> Value {
    match path.starts_with('/') {
        true => json!({ "uri": uri(path) }),
        false => json!({ "uri": uri(path), "uriBaseId": ROOT }),
    }
}

/// Converts a path to a URI reference, as SARIF requires.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    // A colon in the first segment would mark a scheme.
    if !path.contains('/') && path.contains(':') {
        uri.push_str("./");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b':' | b'+' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing::{CLEANUP, Texts, cleanup_finding};

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./a b/µ.cl"), "./a%20b/%C2%B5.cl");
        assert_eq!(uri("/x/a.cl"), "file:///x/a.cl");
        assert_eq!(uri("c:a.cl"), "./c:a.cl");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }

    #[test]
    fn finding_has_the_fields_that_services_use() {
        let mut finding = cleanup_finding("a.cl");
        // The chain of causes begins at the finding.
        finding.related.swap(0, 1);
        finding.related.truncate(2);
        finding.related.iter_mut().for_each(|label| label.is_step = true);
        let page = "# implementation-defined-convergence\n\nSummary.\n\nMore\nof it.\n\n## Bad\n";
        let rule = Rule {
            id: "implementation-defined-convergence",
            severity: crate::Severity::Warning,
            on: true,
            summary: "summary",
            page,
        };
        let mut out = Vec::new();
        let context = Context {
            sources: &Texts::new(&[("a.cl", CLEANUP)]),
            rules: &[rule],
            repository: Some("https://tangle.example"),
            path: &|file| format!("src/{file}"),
        };
        write(&mut out, &[finding], context).unwrap();
        expect![[r##"
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "version": "2.1.0",
              "runs": [
                {
                  "tool": {
                    "driver": {
                      "name": "tangle",
                      "version": "0.1.0",
                      "semanticVersion": "0.1.0",
                      "rules": [
                        {
                          "id": "implementation-defined-convergence",
                          "name": "ImplementationDefinedConvergence",
                          "shortDescription": {
                            "text": "summary"
                          },
                          "fullDescription": {
                            "text": "Summary.\n\nMore of it."
                          },
                          "help": {
                            "text": "# implementation-defined-convergence\n\nSummary.\n\nMore\nof it.\n\n## Bad\n",
                            "markdown": "# implementation-defined-convergence\n\nSummary.\n\nMore\nof it.\n\n## Bad\n"
                          },
                          "defaultConfiguration": {
                            "level": "warning",
                            "enabled": true
                          },
                          "helpUri": "https://tangle.example/blob/v0.1.0/src/rules/pages/implementation-defined-convergence.md"
                        }
                      ],
                      "informationUri": "https://tangle.example"
                    }
                  },
                  "columnKind": "unicodeCodePoints",
                  "originalUriBaseIds": {
                    "%SRCROOT%": {
                      "description": {
                        "text": "The current folder of the run."
                      }
                    }
                  },
                  "results": [
                    {
                      "ruleId": "implementation-defined-convergence",
                      "ruleIndex": 0,
                      "level": "warning",
                      "rank": 90.0,
                      "message": {
                        "text": "`barrier` is reached by 2 groups of threads that need not arrive together"
                      },
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "src/a.cl",
                              "uriBaseId": "%SRCROOT%"
                            },
                            "region": {
                              "startLine": 7,
                              "startColumn": 5,
                              "endLine": 7,
                              "endColumn": 34
                            }
                          },
                          "logicalLocations": [
                            {
                              "name": "k",
                              "kind": "function"
                            }
                          ]
                        }
                      ],
                      "relatedLocations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "src/a.cl",
                              "uriBaseId": "%SRCROOT%"
                            },
                            "region": {
                              "startLine": 6,
                              "startColumn": 1,
                              "endLine": 6,
                              "endColumn": 6
                            }
                          },
                          "id": 1,
                          "message": {
                            "text": "the second group falls through to this label"
                          }
                        },
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "uri": "src/a.cl",
                              "uriBaseId": "%SRCROOT%"
                            },
                            "region": {
                              "startLine": 4,
                              "startColumn": 9,
                              "endLine": 4,
                              "endColumn": 18
                            }
                          },
                          "id": 2,
                          "message": {
                            "text": "the first group jumps from here"
                          }
                        }
                      ],
                      "codeFlows": [
                        {
                          "threadFlows": [
                            {
                              "locations": [
                                {
                                  "location": {
                                    "physicalLocation": {
                                      "artifactLocation": {
                                        "uri": "src/a.cl",
                                        "uriBaseId": "%SRCROOT%"
                                      },
                                      "region": {
                                        "startLine": 4,
                                        "startColumn": 9,
                                        "endLine": 4,
                                        "endColumn": 18
                                      }
                                    },
                                    "message": {
                                      "text": "the first group jumps from here"
                                    }
                                  }
                                },
                                {
                                  "location": {
                                    "physicalLocation": {
                                      "artifactLocation": {
                                        "uri": "src/a.cl",
                                        "uriBaseId": "%SRCROOT%"
                                      },
                                      "region": {
                                        "startLine": 6,
                                        "startColumn": 1,
                                        "endLine": 6,
                                        "endColumn": 6
                                      }
                                    },
                                    "message": {
                                      "text": "the second group falls through to this label"
                                    }
                                  }
                                },
                                {
                                  "location": {
                                    "physicalLocation": {
                                      "artifactLocation": {
                                        "uri": "src/a.cl",
                                        "uriBaseId": "%SRCROOT%"
                                      },
                                      "region": {
                                        "startLine": 7,
                                        "startColumn": 5,
                                        "endLine": 7,
                                        "endColumn": 34
                                      }
                                    },
                                    "message": {
                                      "text": "threads of both groups run this `barrier`"
                                    }
                                  }
                                }
                              ]
                            }
                          ]
                        }
                      ],
                      "partialFingerprints": {
                        "tangleFinding/v1": "d34363350002b5d1e3d26691eb202bb3:1"
                      }
                    }
                  ]
                }
              ]
            }
        "##]].assert_eq(&String::from_utf8(out).unwrap());
    }

    #[test]
    fn absolute_paths_have_no_uri_base() {
        assert_eq!(artifact("/x/a.cl"), json!({ "uri": "file:///x/a.cl" }));
        assert_eq!(artifact("x/a.cl"), json!({ "uri": "x/a.cl", "uriBaseId": "%SRCROOT%" }));
    }
}
