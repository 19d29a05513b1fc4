//! Common requests: hover, completion, rename and others, in kernels, in headers and in incomplete text.

use serde_json::{Value, json};

use crate::client::{Client, edited, position};

const URI: &str = "file:///nowhere/k.cl";
const HEADER: &str = "file:///nowhere/h.h";

const KERNEL: &str = "\
#include \"h.h\"
#define LIMIT 4
#define USES_HELP help(1)
#define SYNC barrier(1)
constant int table[4] = { 1, 2, 3, 4 };
int help(int x) { return x; }
int plain(int y) { return y + LIMIT; }
int other(int y) { return y; }
kernel void k(global int *p, int n) {
  int count = plain(n);
  { int count = 2; p[count] = 1; }
  p[count] = in_header(get_local_id(0)) + help(n) + table[1];
  if (p[0]) {
    p[1] = 2;
  }
#ifdef HIDDEN
  p[0] = n;
#endif
  SYNC;
}
";

const TYPES: &str = "\
typedef struct inner { float4 v; int m[3]; } inner;
typedef struct pair { int a; float4 b; inner c; struct pair *next; } pair;
#define UNUSED_MACRO 3
pair make(int count, float scale) { pair made; return made; }
kernel void k(global pair *p, int n) {
  pair q; pair several[4];
  { int hidden = 1; }
  for (int turn = 0; turn < 3; turn++) { n++; }
  /**/
  int later = 1;
}
";

fn open(text: &str) -> Client {
    let mut client = Client::with(json!({ "capabilities": { "textDocument": {
        "hover": { "contentFormat": ["markdown"] },
        "signatureHelp": { "signatureInformation": { "parameterInformation": { "labelOffsetSupport": true } } },
    } } }));
    client.open(HEADER, "inline int in_header(int v) {\n  if (v > 3) barrier(1);\n  return v;\n}\n");
    client.open(URI, text);
    client
}

fn place(uri: &str, at: Value) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": at })
}

fn hover(client: &mut Client, needle: &str, nth: usize) -> String {
    let found = client.request("textDocument/hover", place(URI, position(KERNEL, needle, nth, 0)));
    found["contents"]["value"].as_str().unwrap_or_else(|| panic!("no hover on {needle}")).to_owned()
}

#[test]
fn every_named_entity_has_a_hover() {
    let mut client = open(KERNEL);
    for (needle, nth, expected) in [
        ("h.h", 0, "/nowhere/h.h"),
        ("include", 0, "/nowhere/h.h"),
        ("LIMIT", 0, "#define LIMIT 4"),
        ("table[4]", 0, "constant int table[4];"),
        ("n) {", 0, "int n; // parameter"),
        ("p, int n", 0, "global int *p; // parameter"),
        ("x)", 0, "`x` is **as uniform as these arguments**: `x`."),
        ("in_header", 0, "A convergent function"),
    ] {
        let text = hover(&mut client, needle, nth);
        assert!(text.contains(expected), "{needle}: {text}");
    }
    // The position where the work-items reconverge.
    let text = hover(&mut client, "p[1] = 2", 0);
    assert!(text.contains("The work-items of T0 reconverge after line 15."), "{text}");
}

#[test]
fn header_is_analysed_as_part_of_its_including_kernel() {
    let mut client = open(KERNEL);
    let at = json!({ "line": 1, "character": 6 });
    let found = client.request("textDocument/hover", place(HEADER, at));
    let text = found["contents"]["value"].as_str().unwrap();
    assert!(text.contains("`v` is **as uniform as these arguments**: `v`."), "{text}");
    let at = json!({ "line": 0, "character": 14 });
    let found = client.request("textDocument/prepareCallHierarchy", place(HEADER, at));
    let calls = client.request("callHierarchy/incomingCalls", json!({ "item": found[0] }));
    assert_eq!(calls[0]["from"]["name"], "k");
    // The range of an item contains the range of its name.
    let start = |range: &Value| (range["start"]["line"].as_u64(), range["start"]["character"].as_u64());
    assert_eq!(start(&found[0]["range"]), (Some(0), Some(0)));
    assert_eq!(start(&found[0]["selectionRange"]), (Some(0), Some(11)));
}

#[test]
fn graph_and_table_requests_work_anywhere_in_a_function() {
    let mut client = open(KERNEL);
    for needle in ["k(global", "kernel", "p, int n", "count = plain", "SYNC;"] {
        let at = position(KERNEL, needle, 0, 0);
        for method in ["tangle/flowGraph", "tangle/tangleTree", "tangle/llvmIr", "tangle/threadTable"] {
            assert_eq!(
                client.request(method, place(URI, at.clone()))["function"],
                "k",
                "{method} at {needle}"
            );
        }
    }
    // The commands of a lens work with the position that the lens gives them.
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let at = &lenses[1]["command"]["arguments"][0]["position"];
    assert_eq!(client.request("tangle/flowGraph", place(URI, at.clone()))["function"], "k");
    let at = &lenses[2]["command"]["arguments"][0]["position"];
    assert_eq!(client.request("tangle/threadTable", place(URI, at.clone()))["function"], "k");
    let between = position(KERNEL, "constant", 0, 0);
    assert_eq!(client.request("tangle/tangleTree", place(URI, between)), Value::Null);
}

#[test]
fn only_kernel_parameters_are_marked_uniform() {
    let mut client = open("int f(int v) { return v; }\nkernel void k(int n) { f(n); }\n");
    let tokens =
        client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }));
    let legend = &client.server["capabilities"]["semanticTokensProvider"]["legend"];
    let uniform = legend["tokenModifiers"].as_array().unwrap().iter().position(|it| it == "uniform").unwrap();
    let data: Vec<u64> = tokens["data"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
    let marked: Vec<bool> = data.chunks(5).map(|token| token[4] & (1 << uniform) != 0).collect();
    // `f`, `v`, `v`, `k`, `n`, `f`, `n`: a kernel argument is uniform, a parameter of a function depends on its
    // callers.
    assert_eq!(marked, [false, false, false, false, true, false, true]);
}

#[test]
fn macro_references_are_found_from_definition_and_uses() {
    let mut client = open(KERNEL);
    for nth in [0, 1] {
        let mut ask = place(URI, position(KERNEL, "LIMIT", nth, 0));
        let lines = |found: &Value| -> Vec<u64> {
            found
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["range"]["start"]["line"].as_u64().unwrap())
                .collect()
        };
        assert_eq!(lines(&client.request("textDocument/documentHighlight", ask.clone())), [1, 6]);
        ask["context"] = json!({ "includeDeclaration": true });
        assert_eq!(lines(&client.request("textDocument/references", ask.clone())), [1, 6]);
        ask["context"] = json!({ "includeDeclaration": false });
        assert_eq!(lines(&client.request("textDocument/references", ask)), [6]);
    }
    let found = client.request("textDocument/definition", place(URI, position(KERNEL, "h.h", 0, 1)));
    assert_eq!(found[0]["uri"], HEADER);
}

#[test]
fn rename_changes_all_uses_or_reports_why_not() {
    let mut client = open(KERNEL);
    let mut rename = |needle: &str, nth: usize, name: &str| {
        let mut ask = place(URI, position(KERNEL, needle, nth, 0));
        ask["newName"] = json!(name);
        let id = client.send("textDocument/rename", ask);
        client.answer(id)
    };
    let renamed = rename("count = 2", 0, "other_count");
    let text = edited(KERNEL, &renamed["result"]["changes"][URI]);
    assert!(text.contains("{ int other_count = 2; p[other_count] = 1; }\n  p[count]"), "{text}");
    // A local variable may hide a builtin that its function does not use.
    assert!(rename("count = plain", 0, "length").get("error").is_none());
    for (needle, nth, name, why) in [
        ("plain(n", 0, "other", "`other` is already in use"),
        ("plain(n", 0, "k", "`k` is already in use"),
        ("plain(n", 0, "LIMIT", "`LIMIT` is already a macro"),
        ("plain(n", 0, "barrier", "`barrier` is already a builtin function"),
        ("plain(n", 0, "float4", "`float4` cannot be used as a name"),
        ("count = plain", 0, "n", "`n` is already in use"),
        ("count = plain", 0, "SYNC", "`SYNC` is already a macro"),
        // Some uses would not be renamed: in a macro that is never expanded, or in text that a condition excludes.
        ("help(int", 0, "helper", "line 3 uses this name"),
        ("n) {", 0, "size", "line 17 uses this name"),
        ("in_header", 0, "better", "other files may include it"),
        ("SYNC;", 0, "WAIT", "macros cannot be renamed"),
        ("get_local_id", 0, "id", "no declaration of this name was found"),
        ("LIMIT", 0, "MOST", "nothing at this position can be renamed"),
    ] {
        let answer = rename(needle, nth, name);
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{needle}: {answer}"));
        assert!(message.contains(why), "{needle}: {message}");
    }
}

/// The labels of the completions at `|` in `line`, which replaces the comment `/**/`.
fn offered(client: &mut Client, version: i32, line: &str) -> Vec<String> {
    let at = position(&TYPES.replace("/**/", line), "|", 0, 0);
    client.change(URI, version, &TYPES.replace("/**/", &line.replace('|', "")));
    let items = client.request("textDocument/completion", place(URI, at));
    let items = items.as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn members_are_completed_after_records_and_vectors() {
    let mut client = open(TYPES);
    let pair = ["a", "b", "c", "next"];
    let mut version = 1;
    for (lines, expected) in [
        (&["q.|", "p->|", "p[n].|", "several[1].|", "(*p).|", "q.next->|", "make(1, 2).|"][..], &pair[..]),
        (&["((global pair *)p)->|", "if (q.|)", "make(q.|, 1)", "q.next->next[0].|;"], &pair),
        (&["q.c.|", "p[q.a + 1].c.|", "q.c.m|"], &["m", "v"]),
    ] {
        for line in lines {
            version += 1;
            assert_eq!(offered(&mut client, version, line), expected, "{line}");
        }
    }
    for line in ["q.b.|", "q.c.v.|", "q.c.v.xyzw.|"] {
        version += 1;
        let lanes = offered(&mut client, version, line);
        for lane in ["x", "w", "xyz", "zw", "s3", "lo", "odd"] {
            assert!(lanes.iter().any(|it| it == lane), "{lane} of {line} in {lanes:?}");
        }
        assert!(!lanes.iter().any(|it| it == "s4"), "{lanes:?}");
    }
    for line in ["float f = 1.|", "// q.|", "/* q.| */", "char *s = \"q.|\"", "unknown.|", "1[q.c.m.|"] {
        version += 1;
        assert_eq!(offered(&mut client, version, line), [] as [&str; 0], "{line}");
    }
}

#[test]
fn only_names_in_scope_are_completed() {
    let mut client = open(TYPES);
    let names = offered(&mut client, 2, "| ");
    for name in
        ["q", "several", "p", "n", "make", "UNUSED_MACRO", "pair", "float4", "image2d_t", "barrier", "while"]
    {
        assert!(names.iter().any(|it| it == name), "{name}");
    }
    for name in ["hidden", "turn", "later", "made"] {
        assert!(!names.iter().any(|it| it == name), "{name}");
    }
}

#[test]
fn signature_help_gives_parameter_label_offsets() {
    let mut client = open(TYPES);
    let text = TYPES.replace("/**/", "make(several[1].a, ");
    client.change(URI, 2, &text);
    let help = client.request("textDocument/signatureHelp", place(URI, position(&text, ".a, ", 0, 4)));
    let signature = &help["signatures"][0];
    assert_eq!(signature["label"], "struct pair make(int count, float scale)");
    assert_eq!(
        (&help["activeParameter"], &signature["parameters"][1]["label"]),
        (&json!(1), &json!([28, 39]))
    );
}
