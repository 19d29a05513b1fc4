//! A `tangle.toml` has errors, completion and hovers in the editor.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, REQUESTS, position};

struct Editor {
    client: Client,
    uri: String,
    version: i32,
    _folder: TempDir,
}

impl Editor {
    fn new(snippets: bool) -> Editor {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("there.h"), "").unwrap();
        let uri = format!("file://{}/tangle.toml", folder.path().display());
        let items = json!({ "completionItem": { "snippetSupport": snippets } });
        let mut client = Client::with(json!({ "capabilities": { "textDocument": { "completion": items } } }));
        client.open_as(&uri, "toml", "");
        assert_eq!(client.published(&uri)["diagnostics"], json!([]));
        Editor { client, uri, version: 1, _folder: folder }
    }

    fn change(&mut self, text: &str) {
        self.version += 1;
        self.client.change(&self.uri, self.version, text);
    }

    /// The errors of a text: the marked text and the message.
    fn errors(&mut self, text: &str) -> Vec<(String, String)> {
        self.change(text);
        let published = self.client.published(&self.uri);
        let error = |it: &Value| {
            assert_eq!((&it["severity"], &it["source"]), (&json!(1), &json!("tangle")));
            let (start, end) = (&it["range"]["start"], &it["range"]["end"]);
            assert_eq!(start["line"], end["line"]);
            let line = text.lines().nth(start["line"].as_u64().unwrap() as usize).unwrap();
            let column = |at: &Value| at["character"].as_u64().unwrap() as usize;
            (line[column(start)..column(end)].to_owned(), it["message"].as_str().unwrap().to_owned())
        };
        published["diagnostics"].as_array().unwrap().iter().map(error).collect()
    }

    /// The completions at `|`: the label, and the line after the insertion.
    fn completed(&mut self, text: &str) -> Vec<(String, String)> {
        let at = position(text, "|", 0, 0);
        let text = text.replacen('|', "", 1);
        self.change(&text);
        let ask = json!({ "textDocument": { "uri": self.uri }, "position": at });
        let items = self.client.request("textDocument/completion", ask);
        let line = text.split('\n').nth(at["line"].as_u64().unwrap() as usize).unwrap();
        let inserted = |item: &Value| {
            let edit = &item["textEdit"];
            let column = |end: &str| edit["range"][end]["character"].as_u64().unwrap() as usize;
            let new = edit["newText"].as_str().unwrap();
            let line = format!("{}{new}{}", &line[..column("start")], &line[column("end")..]);
            (item["label"].as_str().unwrap().to_owned(), line)
        };
        items.as_array().map(|items| items.iter().map(inserted).collect()).unwrap_or_default()
    }

    #[track_caller]
    fn inserts(&mut self, text: &str, label: &str, line: &str) {
        let found = self.completed(text);
        let item = found.iter().find(|(known, _)| known == label);
        assert_eq!(item.map(|(_, line)| &**line), Some(line), "{label} at {text:?} in {found:?}");
    }

    fn labels(&mut self, text: &str) -> Vec<String> {
        self.completed(text).into_iter().map(|(label, _)| label).collect()
    }
}

#[test]
fn errors_are_shown_at_their_place() {
    let mut editor = Editor::new(false);
    let one = |marked: &str, message: &str| vec![(marked.to_owned(), message.to_owned())];
    assert_eq!(
        editor.errors("# settings\ndefin = [\"A\"]\n"),
        one("defin", "unknown key `defin`; did you mean `define`?")
    );
    assert_eq!(editor.errors("define = [\"A\"]\n"), []);
    assert_eq!(
        editor.errors("[rules]\nmissing-include = \"of\"\n"),
        one(
            "\"of\"",
            "`missing-include` in `[rules]`: expected `error`, `warning`, `note` or `off`, found the string \"of\"; did you mean `off`?"
        )
    );
    assert_eq!(
        editor.errors("include-files = [\"there.h\", \"gone.h\"]\n"),
        one("\"gone.h\"", "`include-files`: there is no file `gone.h`")
    );
    assert_eq!(editor.errors("include-files = [\"there.h\"]\n"), []);
    let broken = editor.errors("define = [\n");
    assert!(matches!(&broken[..], [(_, message)] if message.starts_with("invalid TOML: ")), "{broken:?}");
}

#[test]
fn keys_tables_and_values_are_completed() {
    let mut editor = Editor::new(false);
    editor.inserts("|", "include-files", "include-files = ");
    editor.inserts("di|", "dialect", "dialect = ");
    editor.inserts("di| = \"cuda\"", "dialect", "dialect = \"cuda\"");
    editor.inserts("define = []\n|", "[rules]", "[rules]");
    editor.inserts("|", "[[builds]]", "[[builds]]");
    editor.inserts("[|", "rules", "[rules]");
    editor.inserts("[ru|]", "rules", "[rules]");
    editor.inserts("[[|]]", "builds", "[[builds]]");
    editor.inserts("[rules]\nmiss|", "missing-include", "missing-include = ");
    editor.inserts("[rules]\nmissing-include = |", "off", "missing-include = \"off\"");
    editor.inserts("[rules]\nmissing-include = \"no|\"", "note", "missing-include = \"note\"");
    editor.inserts("all-branches = t|", "true", "all-branches = true");
    editor.inserts("launch = { | }", "local-size", "launch = { local-size =  }");
    editor.inserts("[[builtins]]\nkind = \"|\"", "barrier", "kind = \"barrier\"");
    editor.inserts("[[uniform]]\nscope = |", "workgroup", "scope = \"workgroup\"");
    editor.inserts("[[builds]]\nname = \"a\"\n|", "prelude", "prelude = ");
    editor.inserts(
        "[[overrides]]\nrules = { unknown-type = | }",
        "off",
        "rules = { unknown-type = \"off\" }",
    );
    // A key that is already there is not offered again, except in another table.
    let again = editor.labels("define = []\n|\n[[builds]]\nname = \"a\"\n");
    assert!(!again.contains(&"define".to_owned()) && again.contains(&"undefine".to_owned()), "{again:?}");
    assert!(editor.labels("[[builds]]\nname = \"a\"\n[[builds]]\n|").contains(&"name".to_owned()));
    for text in ["# |", "define = [] # |", "[rules]\nno-such-rule = |", "x = |", "define = [|]"] {
        assert_eq!(editor.labels(text), [] as [&str; 0], "{text:?}");
    }
    let mut editor = Editor::new(true);
    editor.inserts("|", "define", "define = [\"$1\"]$0");
    editor.inserts("|", "all-branches", "all-branches = ${1|true,false|}$0");
    editor.inserts("[rules]\n|", "missing-include", "missing-include = \"$1\"$0");
}

#[test]
fn keys_are_described() {
    let mut editor = Editor::new(false);
    let text = "all-branches = true # settings\n[rules]\nmissing-include = \"off\"\n";
    editor.change(text);
    let mut hover = |needle: &str| {
        let ask = json!({ "textDocument": { "uri": editor.uri }, "position": position(text, needle, 0, 2) });
        editor.client.request("textDocument/hover", ask)["contents"]["value"].as_str().map(str::to_owned)
    };
    let branches = "Check all inactive `#if` branches, as `--all-branches`.\n\nValues: `true`, `false`.\n\nDefault: `false`.";
    assert_eq!(hover("all-branches").as_deref(), Some(branches));
    assert_eq!(hover("rules").as_deref(), Some("Levels of rules, as `--rule`."));
    let rule = hover("missing-include").unwrap();
    assert!(rule.contains("Values: `\"error\"`, `\"warning\"`, `\"note\"`, `\"off\"`."), "{rule}");
    // A value is described as its key.
    assert_eq!(hover("true").as_deref(), Some(branches));
    assert_eq!(hover("# settings"), None);
}

#[test]
fn no_toml_is_read_as_a_kernel() {
    let mut editor = Editor::new(false);
    editor.change("kernel = 1\n");
    editor.client.published(&editor.uri);
    let other = "file:///nowhere/Cargo.toml";
    editor.client.open_as(other, "toml", "kernel void k() { barrier(1); }\n");
    for uri in [&editor.uri, other] {
        for method in REQUESTS.iter().filter(|method| **method != "textDocument/diagnostic") {
            let range =
                json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 3 } });
            let ask = json!({
                "textDocument": { "uri": uri }, "position": { "line": 0, "character": 1 }, "range": range,
                "positions": [{ "line": 0, "character": 1 }], "newName": "x", "context": {
                    "diagnostics": [], "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false,
                },
            });
            let answer = editor.client.request(method, ask);
            let is_completion = *uri == editor.uri && *method == "textDocument/completion";
            assert_eq!(answer.is_null(), !is_completion, "{method}: {answer}");
        }
    }
    // Closing removes the errors.
    editor.client.notify("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri } }));
    assert_eq!(editor.client.published(&editor.uri)["diagnostics"], json!([]));
}
