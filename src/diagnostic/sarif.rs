//! SARIF 2.1.0, the format that code scanning services read.

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Diagnostic, Place, Rule, Sources, positions, rules_of};

/// The document. Results are made as they are written: thousands of findings with their places are a lot of memory.
#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    runs: [Run<'a>; 1],
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    column_kind: &'static str,
    results: Results<'a>,
    tool: Value,
}

struct Results<'a> {
    diagnostics: &'a [Diagnostic],
    rules: &'a [&'a str],
    sources: &'a dyn Sources,
    /// Some are suppressed: then each tells whether it is (SARIF §3.27.23).
    suppressions: bool,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.diagnostics.iter().map(|d| {
            let mut result = result(d, self.rules, self.sources);
            if self.suppressions {
                result["suppressions"] = suppressions(d);
            }
            result
        }))
    }
}

/// Writes all findings, suppressed ones too, and what is known of their rules.
pub fn write(
    out: &mut dyn Write,
    diagnostics: &[Diagnostic],
    sources: &dyn Sources,
    known: &[Rule],
) -> io::Result<()> {
    let rules = rules_of(diagnostics);
    let tool = json!({ "driver": {
        "name": "tangle",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|id| rule(id, known)).collect::<Vec<_>>(),
    }});
    let suppressions = diagnostics.iter().any(|d| d.suppression.is_some());
    let results = Results { diagnostics, rules: &rules, sources, suppressions };
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        runs: [Run { column_kind: "unicodeCodePoints", results, tool }],
        version: "2.1.0",
    };
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn rule(id: &str, known: &[Rule]) -> Value {
    match known.iter().find(|rule| rule.id == id) {
        Some(rule) => json!({
            "id": rule.id,
            "shortDescription": { "text": rule.summary },
            "help": { "text": rule.page, "markdown": rule.page },
            "defaultConfiguration": { "level": rule.severity.name(), "enabled": rule.on },
        }),
        None => json!({ "id": id }),
    }
}

fn result(d: &Diagnostic, rules: &[&str], sources: &dyn Sources) -> Value {
    let related: Vec<Value> = d
        .related
        .iter()
        .enumerate()
        .map(|(id, label)| {
            let mut location = physical(&label.place, sources);
            location["id"] = json!(id + 1);
            location["message"] = json!({ "text": label.message });
            location
        })
        .collect();
    let mut place = physical(&d.place, sources);
    if let Some(function) = &d.function {
        place["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
    }
    json!({
        "ruleId": d.rule,
        "ruleIndex": rules.iter().position(|id| *id == d.rule),
        // SARIF has our three words for it.
        "level": d.severity.name(),
        "message": { "text": d.message },
        "locations": [place],
        "relatedLocations": related,
    })
}

fn suppressions(d: &Diagnostic) -> Value {
    match &d.suppression {
        Some(suppression) => {
            // A baseline is no part of the source.
            let kind = if suppression.by.is_empty() { "external" } else { "inSource" };
            json!([{ "kind": kind, "justification": suppression.reason }])
        }
        None => json!([]),
    }
}

fn physical(place: &Place, sources: &dyn Sources) -> Value {
    let (start, end) = positions(sources, place);
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&place.file) },
            "region": {
                "startLine": start.line, "startColumn": start.column,
                "endLine": end.line, "endColumn": end.column,
            },
        },
    })
}

/// A path as the URI reference that SARIF asks for.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    // A first segment with a colon would be read as a scheme.
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
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./a b/µ.cl"), "./a%20b/%C2%B5.cl");
        assert_eq!(uri("/x/a.cl"), "file:///x/a.cl");
        assert_eq!(uri("c:a.cl"), "./c:a.cl");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
    }
}
