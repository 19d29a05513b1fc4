//! Findings in headers are also shown at the `#include` that leads to them.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;

const KERNEL: &str = "\
#include \"quiet.h\"
#include \"helper.h\"
#include \"deep.h\"
kernel void k(global int *p) {
  helper(p);
  deep(p);
}
";

const HELPER: &str = "\
#ifndef HELPER
#define HELPER
#include \"deep.h\"
void helper(global int *p) {
  if (get_local_id(0) > 3)
    barrier(1);
}
#endif
";

const DEEP: &str = "\
#ifndef DEEP
#define DEEP
void deep(global int *p) {
  if (get_local_id(0) > 3)
    barrier(1);
}
#endif
";

const REACHED_BY_PART: &str =
    "not all work-items reach this `barrier`: the condition depends on `get_local_id(0)`";

fn folder(helper: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [("k.cl", KERNEL), ("helper.h", helper), ("deep.h", DEEP), ("quiet.h", "#define QUIET 1\n")];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn uri(folder: &TempDir, name: &str) -> String {
    format!("file://{}", folder.path().join(name).display())
}

fn open(client: &mut Client, folder: &TempDir, name: &str) -> Value {
    let path = folder.path().join(name);
    let uri = uri(folder, name);
    client.open(&uri, &std::fs::read_to_string(path).unwrap());
    client.published(&uri)
}

/// A diagnostic at an `#include`: its line, severity, message, and the file and line of each finding.
type Shown = (u64, u64, String, Vec<(String, u64)>);

fn at_includes(published: &Value) -> Vec<Shown> {
    let diagnostics = published["diagnostics"].as_array().unwrap().iter();
    let shown = |it: &Value| {
        let linked = |it: &Value| {
            let uri = it["location"]["uri"].as_str().unwrap();
            let name = Path::new(uri).file_name().unwrap().to_str().unwrap().to_owned();
            (name, it["location"]["range"]["start"]["line"].as_u64().unwrap())
        };
        let related = it["relatedInformation"].as_array().unwrap().iter().map(linked).collect();
        let (line, severity) = (&it["range"]["start"]["line"], &it["severity"]);
        let message = it["message"].as_str().unwrap().to_owned();
        (line.as_u64().unwrap(), severity.as_u64().unwrap(), message, related)
    };
    diagnostics.filter(|it| it["code"] == "in-header").map(shown).collect()
}

#[test]
fn findings_of_headers_are_shown_at_the_first_include_that_leads_to_them() {
    let folder = folder(HELPER);
    let mut client = Client::start();
    let published = open(&mut client, &folder, "k.cl");
    // `deep.h` is read through `helper.h`, so its findings are shown there, and its own `#include` is quiet.
    let lines = [
        "2 findings in included files".to_owned(),
        format!("in `deep.h`, line 5: {REACHED_BY_PART}"),
        format!("in `helper.h`, line 6: {REACHED_BY_PART}"),
    ];
    let related = vec![("deep.h".to_owned(), 4), ("helper.h".to_owned(), 5)];
    assert_eq!(at_includes(&published), [(1, 1, lines.join("\n"), related)]);
    // The kernel has no finding of its own.
    assert_eq!(published["diagnostics"].as_array().unwrap().len(), 1, "{published:#}");
    let range = json!({ "start": { "line": 1, "character": 9 }, "end": { "line": 1, "character": 19 } });
    assert_eq!(published["diagnostics"][0]["range"], range);
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn a_header_shows_findings_of_the_headers_that_it_includes() {
    let folder = folder(HELPER);
    let mut client = Client::start();
    open(&mut client, &folder, "k.cl");
    let published = open(&mut client, &folder, "helper.h");
    let message = format!("in `deep.h`, line 5: {REACHED_BY_PART}");
    assert_eq!(at_includes(&published), [(2, 1, message, vec![("deep.h".to_owned(), 4)])]);
    // Its own finding is at its place.
    let diagnostics = published["diagnostics"].as_array().unwrap().iter();
    let own: Vec<_> = diagnostics.filter(|it| it["code"] == "divergent-barrier").collect();
    assert!(matches!(&own[..], [only] if only["range"]["start"]["line"] == 5), "{own:#?}");
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn a_mended_header_is_quiet_at_once() {
    let folder = folder(HELPER);
    let mut client = Client::start();
    open(&mut client, &folder, "k.cl");
    open(&mut client, &folder, "helper.h");
    let mended = HELPER.replace("get_local_id(0) > 3", "p[0] > 3").replace("int *p", "const int *p");
    client.change(&uri(&folder, "helper.h"), 2, &mended);
    let published = client.wait(|it| {
        it["method"] == "textDocument/publishDiagnostics"
            && it["params"]["uri"] == json!(uri(&folder, "k.cl"))
    });
    let message = format!("in `deep.h`, line 5: {REACHED_BY_PART}");
    assert_eq!(at_includes(&published["params"]), [(1, 1, message, vec![("deep.h".to_owned(), 4)])]);
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn notes_and_rules_that_are_off_are_not_shown() {
    let folder = folder(HELPER);
    for (level, expected) in [("off", None), ("note", None), ("warning", Some(2))] {
        let settings = json!({ "rules": { "divergent-barrier": level } });
        let mut client = Client::with(json!({ "capabilities": {}, "initializationOptions": settings }));
        let published = open(&mut client, &folder, "k.cl");
        let severities: Vec<u64> = at_includes(&published).iter().map(|it| it.1).collect();
        assert_eq!(severities, Vec::from_iter(expected), "{level}");
        assert_eq!(client.exit(true), Some(0));
    }
}
