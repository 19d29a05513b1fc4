//! The features of the server on a small kernel, with expectations derived by hand.

use serde_json::{Value, json};

use crate::client::{Client, position as at};

const URI: &str = "file:///nowhere/k.cl";

const KERNEL: &str = "\
typedef struct pair { int a; float4 b; } pair;
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
int twice(int x) { return 2 * x; }
void sync_all(void) { SYNC; }
kernel void k(global int *p, int n) {
  pair q;
  int i = get_local_id(0);
  if (p[0]) goto out;
  for (int j = 0; j < n; j++) {
    p[j] = twice(j) + q.a;
    if (i && n) q.b.x = 1;
  }
out:
  SYNC;
  sync_all();
}
";

fn place(needle: &str, nth: usize, after: usize) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": at(KERNEL, needle, nth, after) })
}

fn document() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

fn opened(text: &str) -> Client {
    let mut client = Client::with(json!({ "capabilities": { "textDocument": {
        "hover": { "contentFormat": ["markdown"] },
        "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
    } } }));
    client.open(URI, text);
    client
}

fn hover(client: &mut Client, needle: &str, nth: usize) -> String {
    hover_in(client, KERNEL, needle, nth)
}

/// Like [`hover`], in another text.
fn hover_in(client: &mut Client, text: &str, needle: &str, nth: usize) -> String {
    let place = json!({ "textDocument": { "uri": URI }, "position": at(text, needle, nth, 0) });
    let hover = client.request("textDocument/hover", place);
    hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("no hover on {needle}")).to_owned()
}

/// The starts of ranges, each as line and column.
fn starts<'a>(ranges: impl IntoIterator<Item = &'a Value>) -> Vec<(u64, u64)> {
    let start = |range: &Value| {
        let start = &range["start"];
        (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
    };
    ranges.into_iter().map(start).collect()
}

fn ranges(found: &Value) -> Vec<(u64, u64)> {
    starts(found.as_array().unwrap().iter().map(|found| &found["range"]))
}

#[test]
fn hover_shows_derivation_of_the_tangles_of_a_statement() {
    let mut client = opened(KERNEL);
    let text = hover(&mut client, "p[j]", 0);
    for line in [
        "- **T5**: work-items of T4 for which `j < n` is true, in any iteration of the loop at line 9",
        "- T4: work-items of T1 that enter the loop at line 9",
        "- T1: work-items of T0 that continue to line 9",
        "- T0: the work-items of the work-group that runs `k`",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let text = hover(&mut client, "out:", 0);
    assert!(text.contains("**implementation-defined**"), "{text}");
    assert!(text.contains("Paths to this statement: in sequence; by `goto out` at line 8."), "{text}");
    assert!(text.contains("The work-items reconverge at the end of the function."), "{text}");
}

#[test]
fn hover_shows_participating_tangles_and_macro_expansion() {
    let mut client = opened(KERNEL);
    let text = hover(&mut client, "SYNC;", 1);
    assert!(text.contains("#define SYNC barrier(CLK_LOCAL_MEM_FENCE)"), "{text}");
    assert!(text.contains("expands to\n```c\nbarrier("), "{text}");
    assert!(text.contains("void barrier(uint flags);"), "{text}");
    assert!(text.contains("scope *work-group*. **T1**, **T2** take part."), "{text}");
    assert!(text.contains("Whether they take part together is implementation-defined."), "{text}");
    let text = hover(&mut client, "sync_all();", 0);
    assert!(text.contains("`sync_all` is a convergent function (it calls `barrier`)"), "{text}");
}

#[test]
fn hover_distinguishes_overloads() {
    let text = "__attribute__((overloadable)) void advance(int n) { barrier(1); }\n\
         __attribute__((overloadable)) void advance(float x) { x = 1; }\n\
         kernel void k(void) { advance(1); advance(1.0f); }\n";
    let mut client = opened(text);
    let convergent = "`advance` is a convergent function (it calls `barrier`)";
    let told = hover_in(&mut client, text, "advance(1);", 0);
    assert!(told.contains(convergent), "{told}");
    let told = hover_in(&mut client, text, "advance(1.0f)", 0);
    assert!(!told.contains(convergent), "{told}");
    let told = hover_in(&mut client, text, "advance(int", 0);
    assert!(told.contains("A convergent function"), "{told}");
    let told = hover_in(&mut client, text, "advance(float", 0);
    assert!(told.contains("Not convergent"), "{told}");
}

#[test]
fn hover_after_uniform_jumps_is_not_implementation_defined() {
    let text = "kernel void k(global int *p, int n) {\n  switch (n & 3) {\n  case 1: p[0] = 1;\n  case 2: barrier(1);\n  }\n}\n\
         kernel void l(global int *p) {\n  switch (p[get_local_id(0)]) {\n  case 1: p[0] = 1;\n  case 2: barrier(2);\n  }\n}\n";
    let mut client = opened(text);
    let told = hover_in(&mut client, text, "barrier(1)", 0);
    assert!(
        told.contains("They are in effect one tangle: the jumps here are uniform in the work-group."),
        "{told}"
    );
    assert!(!told.contains("implementation-defined"), "{told}");
    let told = hover_in(&mut client, text, "barrier(2)", 0);
    assert!(told.contains("Whether they take part together is implementation-defined"), "{told}");
}

#[test]
fn hover_names_the_divergent_array() {
    let text = "kernel void k(global int *many) {\n  many[get_local_id(0)] = 1;\n  int x = many[0];\n  if (x) barrier(1);\n}\n";
    let mut client = opened(text);
    let told = hover_in(&mut client, text, "x) barrier", 0);
    assert!(told.contains("Cause: `many`, [line 3]("), "{told}");
}

#[test]
fn hover_shows_types_and_builtin_descriptions() {
    let mut client = opened(KERNEL);
    for (needle, nth, expected) in [
        ("p[j]", 0, "global int *p; // parameter"),
        ("i && n", 0, "int i;"),
        ("q.a", 0, "struct pair q;"),
        ("twice(j)", 0, "int twice(int x);"),
        ("get_local_id", 0, "The id of this work-item in its work-group"),
    ] {
        let text = hover(&mut client, needle, nth);
        assert!(text.contains(expected), "{needle}: {text}");
    }
}

#[test]
fn hover_shows_divergence_and_its_cause() {
    let mut client = opened(KERNEL);
    let text = hover(&mut client, "i && n", 0);
    assert!(text.contains("`i` is **divergent**"), "{text}");
    assert!(text.contains("Cause: `get_local_id(0)`, [line 7]("), "{text}");
    // The host passes the same value to all work-items.
    let text = hover(&mut client, "n; j++", 0);
    assert!(text.contains("`n` is **uniform**"), "{text}");
}

#[test]
fn definitions_and_references_are_found() {
    let mut client = opened(KERNEL);
    for (needle, nth, after, expected) in [
        ("twice(j)", 0, 0, (2, 4)),
        ("SYNC;", 1, 0, (1, 8)),
        ("goto out", 0, 5, (12, 0)),
        ("p[j]", 0, 0, (4, 26)),
        ("pair q", 0, 0, (0, 41)),
    ] {
        let found = client.request("textDocument/definition", place(needle, nth, after));
        assert_eq!(ranges(&found), [expected], "{needle}");
    }
    let mut ask = place("n) {", 0, 0);
    ask["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", ask.clone());
    assert_eq!(ranges(&found), [(4, 33), (8, 22), (10, 13)]);
    ask["context"] = json!({ "includeDeclaration": false });
    assert_eq!(ranges(&client.request("textDocument/references", ask)), [(8, 22), (10, 13)]);
}

#[test]
fn highlight_marks_statements_of_a_tangle_or_uses_of_a_name() {
    let mut client = opened(KERNEL);
    // Statements before the jump are executed by T0: the whole body, both declarations and the `if`.
    let found = client.request("textDocument/documentHighlight", place("if (p[0])", 0, 0));
    assert_eq!(ranges(&found), [(4, 36), (5, 2), (6, 2), (7, 2)]);
    // On a name, the uses of the name are highlighted.
    let found = client.request("textDocument/documentHighlight", place("i && n", 0, 0));
    assert_eq!(ranges(&found), [(6, 6), (10, 8)]);
}

#[test]
fn rename_changes_all_uses_and_rejects_invalid_names() {
    let mut client = opened(KERNEL);
    let mut ask = place("twice(j)", 0, 0);
    ask["newName"] = json!("double_it");
    let edit = client.request("textDocument/rename", ask.clone());
    assert_eq!(ranges(&edit["changes"][URI]), [(2, 4), (9, 11)]);
    for name in ["k", "int", "2x", ""] {
        ask["newName"] = json!(name);
        let id = client.send("textDocument/rename", ask.clone());
        assert_eq!(client.answer(id)["error"]["code"], -32602, "{name}");
    }
}

#[test]
fn hints_lenses_symbols_and_folding_ranges_are_returned() {
    let mut client = opened(KERNEL);
    let mut ask = document();
    ask["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", ask);
    let mut hints: Vec<(u64, &str)> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| (hint["position"]["line"].as_u64().unwrap(), hint["label"].as_str().unwrap()))
        .collect();
    hints.sort();
    // `p[0]` is read from memory that the kernel writes, `i` is a local id, `j < n` is the same in all work-items.
    assert_eq!(hints, [(7, "divergent"), (10, "divergent"), (12, "implementation-defined")]);
    let lenses = client.request("textDocument/codeLens", document());
    let titles: Vec<&str> =
        lenses.as_array().unwrap().iter().map(|it| it["command"]["title"].as_str().unwrap()).collect();
    let confirm = "show confirming execution";
    assert_eq!(
        titles,
        ["2 convergent operations, 2 findings", "show flow graph", "show thread table", confirm]
    );
    let symbols = client.request("textDocument/documentSymbol", document());
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pair", "pair", "twice", "sync_all", "k"]);
    assert_eq!(symbols[4]["children"][0]["name"], "out");
    let folds = client.request("textDocument/foldingRange", document());
    let folds: Vec<(u64, u64)> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(folds, [(8, 10), (4, 14)]);
}

#[test]
fn inlay_hints_can_name_tangles() {
    let options = json!({ "inlayHints": { "tangles": true } });
    let mut client = Client::with(json!({ "capabilities": {}, "initializationOptions": options }));
    client.open(URI, KERNEL);
    let mut ask = document();
    ask["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", ask);
    let hints = hints.as_array().unwrap().iter();
    let mut hints: Vec<(u64, &str)> = hints
        .map(|hint| (hint["position"]["line"].as_u64().unwrap(), hint["label"].as_str().unwrap()))
        .collect();
    hints.sort_unstable();
    let divergent = "divergent";
    assert_eq!(hints, [(7, "T3"), (7, divergent), (8, "T5"), (10, "T7"), (10, divergent), (12, "T1 T2?")]);
}

#[test]
fn inlay_hints_can_be_disabled() {
    let mut client = Client::with(
        json!({ "capabilities": {}, "initializationOptions": { "inlayHints": { "enable": false } } }),
    );
    client.open(URI, KERNEL);
    let mut ask = document();
    ask["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    assert_eq!(client.request("textDocument/inlayHint", ask), json!([]));
}

#[test]
fn semantic_tokens_mark_convergent_and_divergent_names() {
    let mut client = opened(KERNEL);
    let legend = client.server["capabilities"]["semanticTokensProvider"]["legend"].clone();
    let tokens = client.request("textDocument/semanticTokens/full", document());
    let (mut line, mut column) = (0, 0);
    let mut found = Vec::new();
    for token in tokens["data"].as_array().unwrap().chunks(5) {
        let number = |at: usize| token[at].as_u64().unwrap();
        (line, column) = (line + number(0), if number(0) > 0 { number(1) } else { column + number(1) });
        let kind = legend["tokenTypes"][number(3) as usize].as_str().unwrap();
        let modifiers = legend["tokenModifiers"].as_array().unwrap().iter().enumerate();
        let modifiers: Vec<&str> = modifiers
            .filter(|(bit, _)| number(4) >> bit & 1 == 1)
            .map(|(_, it)| it.as_str().unwrap())
            .collect();
        found.push(((line, column), number(2), kind.to_owned(), modifiers.join(" ")));
    }
    for expected in [
        ((4, 12), 1, "function", "declaration convergent"),
        ((6, 6), 1, "variable", "declaration divergent"),
        ((6, 10), 12, "function", "defaultLibrary"),
        ((8, 22), 1, "parameter", "uniform"),
        ((9, 11), 5, "function", ""),
        ((13, 2), 4, "macro", ""),
        ((14, 2), 8, "function", "convergent"),
    ] {
        let (at, length, kind, modifiers) = expected;
        let expected = (at, length, kind.to_owned(), modifiers.to_owned());
        assert!(found.contains(&expected), "{expected:?} in {found:#?}");
    }
}

#[test]
fn completion_offers_members_swizzles_locals_and_builtins() {
    let text = KERNEL.replace("q.b.x = 1", "q.b. = 1").replace("sync_all();", "q. ; tw");
    let mut client = opened(&text);
    let labels = |client: &mut Client, needle: &str, after: usize| -> Vec<String> {
        let ask = json!({ "textDocument": { "uri": URI }, "position": at(&text, needle, 0, after) });
        let items = client.request("textDocument/completion", ask);
        items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(labels(&mut client, "q. ; tw", 2), ["a", "b"]);
    let names = labels(&mut client, "tw\n", 2);
    for name in ["twice", "q", "i", "p", "n", "SYNC", "pair", "barrier", "get_local_id", "while"] {
        assert!(names.iter().any(|it| it == name), "{name}");
    }
    let mut client = opened(KERNEL);
    let items = client.request("textDocument/completion", place("q.b.x", 0, 4));
    assert!(
        items.as_array().unwrap().iter().any(|item| item["label"] == "xyz" && item["detail"] == "float3")
    );
    let items = client.request("textDocument/completion", place("twice(j)", 0, 2));
    let builtin = items.as_array().unwrap().iter().find(|item| item["label"] == "barrier").unwrap().clone();
    let resolved = client.request("completionItem/resolve", builtin);
    assert!(resolved["documentation"]["value"].as_str().unwrap().contains("work-group"), "{resolved}");
}

#[test]
fn signature_help_is_shown_in_call_arguments() {
    let mut client = opened(KERNEL);
    let help = client.request("textDocument/signatureHelp", place("twice(j)", 0, 6));
    assert_eq!(
        (&help["signatures"][0]["label"], &help["activeParameter"]),
        (&json!("int twice(int x)"), &json!(0))
    );
    let help = client.request("textDocument/signatureHelp", place("get_local_id(0)", 0, 13));
    assert_eq!(help["signatures"][0]["label"], "ulong get_local_id(uint dimindx)");
}

#[test]
fn call_hierarchy_marks_convergent_functions() {
    let mut client = opened(KERNEL);
    let found = client.request("textDocument/prepareCallHierarchy", place("sync_all(void", 0, 0));
    assert_eq!((&found[0]["name"], &found[0]["detail"]), (&json!("sync_all"), &json!("convergent")));
    let calls = client.request("callHierarchy/incomingCalls", json!({ "item": found[0] }));
    assert_eq!(
        (&calls[0]["from"]["name"], &calls[0]["from"]["detail"]),
        (&json!("k"), &json!("kernel, convergent"))
    );
    assert_eq!(starts(calls[0]["fromRanges"].as_array().unwrap()), [(14, 2)]);
    let found = client.request("textDocument/prepareCallHierarchy", place("k(global", 0, 0));
    let calls = client.request("callHierarchy/outgoingCalls", json!({ "item": found[0] }));
    let names: Vec<&str> =
        calls.as_array().unwrap().iter().map(|call| call["to"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["sync_all", "twice"]);
}

#[test]
fn workspace_symbols_and_selection_ranges_are_found() {
    let mut client = opened(KERNEL);
    let found = client.request("workspace/symbol", json!({ "query": "tw" }));
    assert_eq!(
        found.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["twice"]
    );
    let mut ask = document();
    ask["positions"] = json!([at(KERNEL, "q.a", 0, 2)]);
    let found = client.request("textDocument/selectionRange", ask);
    let mut texts = Vec::new();
    let mut range = &found[0];
    while !range.is_null() {
        let lines: Vec<&str> = KERNEL.lines().collect();
        let (start, end) = (&range["range"]["start"], &range["range"]["end"]);
        if start["line"] == end["line"] {
            let columns =
                start["character"].as_u64().unwrap() as usize..end["character"].as_u64().unwrap() as usize;
            texts.push(lines[start["line"].as_u64().unwrap() as usize][columns].to_owned());
        }
        range = &range["parent"];
    }
    assert_eq!(texts, ["a", "q.a", "twice(j) + q.a", "p[j] = twice(j) + q.a", "p[j] = twice(j) + q.a;"]);
}

/// The text after the edits of the action whose title begins with `title`.
fn applied(text: &str, actions: &Value, title: &str) -> String {
    let action =
        actions.as_array().unwrap().iter().find(|it| it["title"].as_str().unwrap().starts_with(title));
    let action = action.unwrap_or_else(|| panic!("no {title} in {actions:#}"));
    crate::client::edited(text, &action["edit"]["changes"][URI])
}

fn actions(client: &mut Client, text: &str, needle: &str, diagnostics: &Value) -> Value {
    let position = at(text, needle, 0, 0);
    let ask = json!({
        "textDocument": { "uri": URI }, "range": { "start": position, "end": position }, "context": { "diagnostics": diagnostics },
    });
    client.request("textDocument/codeAction", ask)
}

#[test]
fn finding_can_be_suppressed_and_explained() {
    let mut client = opened(KERNEL);
    let found = client.published(URI)["diagnostics"].clone();
    let first = json!([found[0]]);
    let offered = actions(&mut client, KERNEL, "SYNC;\n  sync", &first);
    let text = applied(KERNEL, &offered, "Suppress");
    assert!(
        text.contains("  SYNC; // tangle: allow(implementation-defined-convergence): TODO say why\n"),
        "{text}"
    );
    client.change(URI, 2, &text);
    assert_eq!(
        client.published(URI)["diagnostics"].as_array().unwrap().len(),
        found.as_array().unwrap().len() - 1
    );
    let explain = offered
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["title"] == "Explain `implementation-defined-convergence`")
        .unwrap();
    let command = &explain["command"];
    let page = client.request(
        "workspace/executeCommand",
        json!({ "command": command["command"], "arguments": command["arguments"] }),
    );
    assert!(page.as_str().unwrap().starts_with("# implementation-defined-convergence"));
    let id = client.send("workspace/executeCommand", json!({ "command": "no.such", "arguments": [] }));
    assert_eq!(client.answer(id)["error"]["code"], -32602);
}

#[test]
fn forward_jump_is_replaced_by_if_where_meaning_is_kept() {
    let mut client = opened(KERNEL);
    client.published(URI);
    let offered = actions(&mut client, KERNEL, "goto out", &json!([]));
    let text =
        applied(KERNEL, &offered, "Replace the jumps to `out` by `if` (keeps the meaning of the program)");
    assert!(text.contains("  if (!(p[0])) {\n    for (int j"), "{text}");
    assert!(text.contains("    }\n  }\n  SYNC;\n"), "{text}");
    client.change(URI, 2, &text);
    assert_eq!(client.published(URI)["diagnostics"], json!([]));
    // No action is offered if a declaration would go out of scope, another jump leads to the label, the jump is in a
    // loop, or a label is between the jump and its target.
    for (from, to) in [
        ("out:\n  SYNC;", "  int z = 1;\nout:\n  p[z] = 1;"),
        ("  SYNC;\n  sync", "  SYNC;\n  if (n) goto out;\n  sync"),
        ("if (p[0]) goto out;", "while (p[0]) { if (n) goto out; }"),
        ("  for (int", "other: p[1] = 1;\n  for (int"),
    ] {
        let text = KERNEL.replace(from, to);
        client.change(URI, 3, &text);
        let offered = actions(&mut client, &text, "goto out", &json!([]));
        assert_eq!(offered, json!([]), "{text}");
    }
}

#[test]
fn break_is_added_before_case_reached_by_fallthrough() {
    let text = "kernel void k(int n) {\n  switch (get_local_id(0)) {\n    case 1: n = 2;\n    case 2:\n      barrier(1);\n  }\n}\n";
    let mut client = opened(text);
    let doubts = |published: &Value| {
        let all = published["diagnostics"].as_array().unwrap();
        all.iter().filter(|it| it["code"] == "implementation-defined-convergence").count()
    };
    assert_eq!(doubts(&client.published(URI)), 1);
    let offered = actions(&mut client, text, "barrier", &json!([]));
    let mended = applied(text, &offered, "Add `break;` before `case 2`");
    assert!(mended.contains("case 1: n = 2;\n      break;\n    case 2:"), "{mended}");
    client.change(URI, 2, &mended);
    assert_eq!(doubts(&client.published(URI)), 0);
    assert!(!actions(&mut client, &mended, "barrier", &json!([])).to_string().contains("Add `break;`"));
}

#[test]
fn graph_tree_and_ir_of_function_at_cursor_are_returned() {
    let mut client = opened(KERNEL);
    let graph = client.request("tangle/flowGraph", place("p[j]", 0, 0));
    assert_eq!(graph["function"], "k");
    let svg = graph["svg"].as_str().unwrap();
    let blocks = graph["blocks"].as_array().unwrap();
    assert!(blocks.len() > 5);
    for block in blocks {
        assert!(svg.contains(&format!("data-block=\"{}\"", block["id"])), "{block}");
    }
    assert!(svg.contains("divergent: get_local_id(0)"), "{svg}");
    // The condition of the first `if` ends the first block.
    assert_eq!(blocks[0]["range"]["end"], at(KERNEL, "p[0]", 0, 4));
    let tree = client.request("tangle/tangleTree", place("p[j]", 0, 0));
    assert!(tree["text"].as_str().unwrap().starts_with("kernel k, convergent\n"));
    let [root] = &tree["nodes"].as_array().unwrap()[..] else { panic!("{tree}") };
    assert_eq!((&root["id"], root["children"].as_array().unwrap().len() > 1), (&json!("T0"), true));
    let ir = client.request("tangle/llvmIr", place("p[j]", 0, 0));
    let text = ir["text"].as_str().unwrap();
    assert!(text.contains("@k(") && text.contains("@twice("), "{text}");
    // The function is never called and has internal linkage: it is not lowered, and the request fails with an error.
    client.change(URI, 2, "static int idle(int x) { return x; }\n");
    let ask = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 26 } });
    let id = client.send("tangle/flowGraph", ask);
    assert_eq!(client.answer(id)["error"]["code"], -32803);
}
