//! Merges several SARIF documents: the runs of one tool become one run, with each finding once.
//!
//! Two runs are merged if they differ only in their results and rules, and no rule id has two different descriptions.
//! Then all indices into other arrays of the run stay valid, for documents of any tool. Only indices of rules are
//! changed.
//!
//! Two results are the same finding if they have the same rule, fingerprints and locations. Results without
//! fingerprints are the same only if they are equal.

use std::collections::{HashMap, HashSet};

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::{SCHEMA, VERSION};

/// An error in a document. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SarifError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// The parts of a document that merging needs. They are parsed only to find errors; the content is kept as JSON.
#[derive(Deserialize)]
struct Log {
    #[serde(rename = "version", deserialize_with = "version")]
    _version: (),
    #[serde(rename = "runs")]
    _runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(rename = "tool")]
    _tool: Tool,
    #[serde(rename = "results")]
    _results: Option<Vec<Map<String, Value>>>,
}

#[derive(Deserialize)]
struct Tool {
    #[serde(rename = "driver")]
    _driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "rules")]
    _rules: Option<Vec<Rule>>,
}

#[derive(Deserialize)]
struct Rule {
    #[serde(rename = "id")]
    _id: String,
}

fn version<'de, D: Deserializer<'de>>(version: D) -> Result<(), D::Error> {
    let version = String::deserialize(version)?;
    match version == VERSION {
        true => Ok(()),
        false => Err(D::Error::custom(format!("unknown version `{version}` of SARIF: expected `{VERSION}`"))),
    }
}

/// Reads a document.
///
/// # Errors
///
/// The text is not valid JSON, or not SARIF 2.1.0.
pub fn read(text: &str) -> Result<Value, SarifError> {
    let misread = |error: serde_json::Error| {
        let (line, column) = (error.line().max(1), error.column().max(1));
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
        SarifError { line, column, message: format!("not a SARIF document: {message}") }
    };
    let document: Value = serde_json::from_str(text).map_err(misread)?;
    if !document.is_object() {
        let message = "not a SARIF document: expected an object".to_owned();
        return Err(SarifError { line: 1, column: 1, message });
    }
    serde_json::from_str::<Log>(text).map_err(misread)?;
    Ok(document)
}

/// Merges documents that [`read`] accepted, in their order.
pub fn merge(documents: Vec<Value>) -> Value {
    let mut merged = Map::new();
    merged.insert("$schema".into(), json!(SCHEMA));
    merged.insert("version".into(), json!(VERSION));
    merged.insert("runs".into(), json!([]));
    let mut runs: Vec<MergedRun> = Vec::new();
    for document in documents {
        let Value::Object(mut document) = document else { continue };
        for run in elements(document.remove("runs")) {
            let run = RunParts::of(run);
            match runs.iter_mut().find(|joined| joined.is_mergeable(&run)) {
                Some(joined) => joined.add(run),
                None => runs.push(MergedRun::of(run)),
            }
        }
        for (key, value) in document {
            merged.entry(key).or_insert(value);
        }
    }
    merged["runs"] = runs.into_iter().map(MergedRun::finish).collect();
    Value::Object(merged)
}

fn elements(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(elements)) => elements,
        _ => Vec::new(),
    }
}

/// The parts of a run.
struct RunParts {
    /// The run without results and rules.
    rest: Value,
    rules: Vec<Value>,
    /// `None` if the run has no array of results.
    results: Option<Vec<Value>>,
}

impl RunParts {
    fn of(mut run: Value) -> RunParts {
        let driver = run.pointer_mut("/tool/driver").and_then(Value::as_object_mut);
        let rules = elements(driver.and_then(|driver| driver.remove("rules")));
        let results = run.as_object_mut().and_then(|run| run.remove("results"));
        RunParts { rest: run, rules, results: results.map(|results| elements(Some(results))) }
    }
}

/// A merged run.
struct MergedRun {
    rest: Value,
    rules: Vec<Value>,
    /// The index of each rule, by id.
    places: HashMap<String, usize>,
    results: Option<Vec<Value>>,
    /// The index of each result, by [`key`].
    seen: HashMap<String, usize>,
}

impl MergedRun {
    fn of(run: RunParts) -> MergedRun {
        let rest = run.rest.clone();
        let mut joined = MergedRun {
            rest,
            rules: Vec::new(),
            places: HashMap::new(),
            results: None,
            seen: HashMap::new(),
        };
        joined.add(run);
        joined
    }

    fn is_mergeable(&self, run: &RunParts) -> bool {
        let mut seen = HashSet::new();
        self.rest == run.rest
            && run.rules.iter().all(|rule| {
                let id = id(rule);
                // Within a run, several rules can have the same id (SARIF §3.49.3).
                seen.insert(id) && self.places.get(id).is_none_or(|&place| self.rules[place] == *rule)
            })
    }

    fn add(&mut self, run: RunParts) {
        let mut places: Vec<usize> = Vec::new();
        for rule in run.rules {
            let id = id(&rule).to_owned();
            let known = self.places.get(&id).copied().filter(|&place| self.rules[place] == rule);
            places.push(known.unwrap_or(self.rules.len()));
            if known.is_none() {
                self.places.insert(id, self.rules.len());
                self.rules.push(rule);
            }
        }
        let Some(results) = run.results else { return };
        let all = self.results.get_or_insert_default();
        for mut result in results {
            move_rule(&mut result, &places);
            match self.seen.get(&key(&result, &self.rules)) {
                // A finding is suppressed only if all documents suppress it.
                Some(&place) if is_suppressed(&all[place]) && !is_suppressed(&result) => all[place] = result,
                Some(_) => {}
                None => {
                    self.seen.insert(key(&result, &self.rules), all.len());
                    all.push(result);
                }
            }
        }
    }

    fn finish(self) -> Value {
        let mut run = self.rest;
        if let Some(driver) = run.pointer_mut("/tool/driver")
            && !self.rules.is_empty()
        {
            driver["rules"] = self.rules.into();
        }
        if let Some(mut results) = self.results {
            // Either all results or none have `suppressions` (SARIF §3.27.23).
            if results.iter().any(|result| result.get("suppressions").is_some()) {
                for result in results.iter_mut().filter(|result| result.get("suppressions").is_none()) {
                    result["suppressions"] = json!([]);
                }
            }
            run["results"] = results.into();
        }
        run
    }
}

fn id(rule: &Value) -> &str {
    rule["id"].as_str().unwrap_or_default()
}

/// Changes the references of a result to its rule. `places` contains the new index of each rule.
fn move_rule(result: &mut Value, places: &[usize]) {
    let moved = |index: &Value| places.get(usize::try_from(index.as_u64()?).ok()?).copied();
    if let Some(place) = moved(&result["ruleIndex"]) {
        result["ruleIndex"] = json!(place);
    }
    // The rule of an extension has an index into the rules of the extension.
    if let Some(rule) = result.get_mut("rule").filter(|rule| rule.get("toolComponent").is_none())
        && let Some(place) = moved(&rule["index"])
    {
        rule["index"] = json!(place);
    }
}

fn is_suppressed(result: &Value) -> bool {
    result["suppressions"].as_array().is_some_and(|suppressions| !suppressions.is_empty())
}

/// Returns a text that is equal for results that are the same finding.
fn key(result: &Value, rules: &[Value]) -> String {
    let fingerprints = [&result["fingerprints"], &result["partialFingerprints"]];
    if fingerprints.iter().all(|it| it.as_object().is_none_or(Map::is_empty)) {
        return result.to_string();
    }
    let index = result["ruleIndex"].as_u64().and_then(|index| rules.get(usize::try_from(index).ok()?));
    let rule = result["ruleId"].as_str().or(result["rule"]["id"].as_str()).or(index.map(id));
    let place = |location: &Value| {
        let physical = &location["physicalLocation"];
        json!([physical["artifactLocation"], physical["region"]])
    };
    let places: Vec<Value> = result["locations"].as_array().into_iter().flatten().map(place).collect();
    json!([rule, fingerprints, places]).to_string()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Makes a document with one run, and a result for each pair of a rule and a line.
    fn document(version: &str, rules: &[&str], results: &[(&str, u32)]) -> Value {
        let descriptors: Vec<Value> = rules.iter().map(|id| json!({ "id": id })).collect();
        let result = |&(rule, line): &(&str, u32)| {
            json!({
                "ruleId": rule,
                "ruleIndex": rules.iter().position(|id| *id == rule),
                "message": { "text": "m" },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": "a.cl" }, "region": { "startLine": line },
                } }],
                "partialFingerprints": { "h/v1": rule },
            })
        };
        json!({
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "tangle", "version": version, "rules": descriptors } },
                "results": results.iter().map(result).collect::<Vec<_>>(),
            }],
        })
    }

    /// Describes each run by its rules, and by its results with the rules that their indices refer to.
    fn runs(merged: &Value) -> Vec<String> {
        let run = |run: &Value| {
            let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
            let result = |result: &Value| {
                let index = result["ruleIndex"].as_u64().unwrap() as usize;
                assert_eq!(rules[index]["id"], result["ruleId"]);
                let line = &result["locations"][0]["physicalLocation"]["region"]["startLine"];
                format!("{}:{line}", id(&rules[index]))
            };
            let ids: Vec<&str> = rules.iter().map(id).collect();
            let results: Vec<String> = run["results"].as_array().unwrap().iter().map(result).collect();
            format!("{ids:?} {}", results.join(" "))
        };
        merged["runs"].as_array().unwrap().iter().map(run).collect()
    }

    #[test]
    fn runs_of_same_tool_merge_without_duplicate_findings() {
        let first = document("1", &["b", "c"], &[("b", 1), ("c", 2)]);
        let second = document("1", &["a", "c"], &[("a", 1), ("c", 2), ("c", 3)]);
        assert_eq!(runs(&merge(vec![first, second])), [r#"["b", "c", "a"] b:1 c:2 a:1 c:3"#]);
    }

    #[test]
    fn runs_with_other_versions_or_rules_stay_separate() {
        let first = document("1", &["a"], &[("a", 1)]);
        let other_version = document("2", &["a"], &[("a", 1)]);
        let mut other_rule = first.clone();
        other_rule["runs"][0]["tool"]["driver"]["rules"][0]["name"] = json!("A");
        let merged = merge(vec![first.clone(), other_version, other_rule.clone(), first, other_rule]);
        assert_eq!(runs(&merged), [r#"["a"] a:1"#; 3]);
    }

    #[test]
    fn finding_is_suppressed_only_if_all_documents_suppress_it() {
        let plain = document("1", &["a"], &[("a", 1), ("a", 2)]);
        let mut suppressed = document("1", &["a"], &[("a", 1), ("a", 3)]);
        for number in 0..2 {
            suppressed["runs"][0]["results"][number]["suppressions"] = json!([{ "kind": "inSource" }]);
        }
        for documents in [[&plain, &suppressed], [&suppressed, &plain]] {
            let merged = merge(documents.map(Value::clone).to_vec());
            let results = merged["runs"][0]["results"].as_array().unwrap();
            let mut count: Vec<(u64, usize)> = results
                .iter()
                .map(|result| {
                    let line = &result["locations"][0]["physicalLocation"]["region"]["startLine"];
                    (line.as_u64().unwrap(), result["suppressions"].as_array().unwrap().len())
                })
                .collect();
            count.sort();
            assert_eq!(count, [(1, 0), (2, 0), (3, 1)]);
        }
    }

    #[test]
    fn results_without_fingerprints_match_only_if_equal() {
        let mut document = document("1", &["a"], &[("a", 1), ("a", 1), ("a", 1)]);
        for (number, text) in ["x", "y", "x"].into_iter().enumerate() {
            let result = document["runs"][0]["results"][number].as_object_mut().unwrap();
            result.remove("partialFingerprints");
            result["message"] = json!({ "text": text });
        }
        assert_eq!(runs(&merge(vec![document.clone(), document])), [r#"["a"] a:1 a:1"#]);
    }

    #[test]
    fn invalid_documents_are_reported_with_line_and_column() {
        let check = |text: &str, expected: Expect| {
            let SarifError { line, column, message } = read(text).unwrap_err();
            expected.assert_eq(&format!("{line}:{column}: {message}"));
        };
        check("", expect!["1:1: not a SARIF document: EOF while parsing a value"]);
        check("[]", expect!["1:1: not a SARIF document: expected an object"]);
        check("{\n  \"version\": \"2.1.0\"\n}", expect!["3:1: not a SARIF document: missing field `runs`"]);
        check(
            "{ \"runs\": [],\n  \"version\": \"2.0.0\" }",
            expect!["2:22: not a SARIF document: unknown version `2.0.0` of SARIF: expected `2.1.0`"],
        );
        check(
            "{ \"version\": \"2.1.0\", \"runs\": [\n  { \"results\": [] } ] }",
            expect!["2:19: not a SARIF document: missing field `tool`"],
        );
        check(
            "{ \"version\": \"2.1.0\", \"runs\": [",
            expect!["1:31: not a SARIF document: EOF while parsing a list"],
        );
        assert_eq!(read("{ \"version\": \"2.1.0\", \"runs\": [] }").unwrap()["runs"], json!([]));
    }
}
