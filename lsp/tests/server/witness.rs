//! Executions that confirm findings (`tangle/witness`, and the command `tangle.server.witness`). No other request waits for
//! a search or starts one.

use serde_json::{Value, json};

use crate::client::{Client, position};

const URI: &str = "file:///nowhere/k.cl";

/// With a sub-group of 4 work-items, `n` = 2 shows the deadlock, and `n` = 1 is the smallest number that shows it.
const DEADLOCK: &str = "\
kernel void k(global int *p, int n) {
  if (get_local_id(0) >= n) return;
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void fine(global int *p) {
  barrier(CLK_LOCAL_MEM_FENCE);
}
";

const TEXT: &str = "\
`divergent-barrier` on line 3: confirmed by an execution with 4 work-items, sub-groups of 4, n = 1
line 3: #... work-item 0 waits forever
line 2: .### work-items 1-3 have returned
tangle simulate /nowhere/k.cl --function k --local-size 4 --sub-group-size 4 --arg n=1
save the file before you run the command";

/// Each of many executions is long, and none confirms the finding: no element of `p` is larger than a number that the
/// search tries.
const SLOW: &str = "\
kernel void k(global const int *p) {
  int i = 0;
  while (i >= 0) i = (i + 1) & 7;
  if (get_local_id(0) < 3) barrier(CLK_LOCAL_MEM_FENCE);
}
";

fn opened(text: &str) -> Client {
    let mut client = Client::with(json!({ "capabilities": { "textDocument": {
        "hover": { "contentFormat": ["markdown"] },
    } } }));
    client.open(URI, text);
    client
}

fn place(text: &str, needle: &str) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": position(text, needle, 0, 0) })
}

fn refusal(client: &mut Client, method: &str, params: Value) -> String {
    let id = client.send(method, params);
    let error = client.answer(id)["error"].clone();
    assert_eq!(error["code"], -32803, "{error}");
    error["message"].as_str().unwrap().to_owned()
}

fn hover(client: &mut Client, text: &str) -> String {
    let hover = client.request("textDocument/hover", place(text, "barrier"));
    hover["contents"]["value"].as_str().unwrap().to_owned()
}

#[test]
fn finding_is_confirmed_by_the_smallest_execution() {
    let mut client = opened(DEADLOCK);
    let found = client.request("tangle/witness", place(DEADLOCK, "barrier"));
    assert_eq!(found["text"], TEXT);
    let witness = &found["witness"];
    assert_eq!((&witness["rule"], &witness["function"]), (&json!("divergent-barrier"), &json!("k")));
    assert_eq!(witness["range"]["start"], json!({ "line": 2, "character": 2 }));
    assert_eq!(
        (&witness["definition"]["uri"], &witness["definition"]["range"]["start"]["line"]),
        (&json!(URI), &json!(0))
    );
    assert_eq!(
        witness["threads"],
        json!([
            { "group": 0, "threads": [0], "part": "waits", "activity": "work-item 0 waits forever" },
            { "group": 0, "threads": [1, 2, 3], "part": "absent", "activity": "work-items 1-3 have returned" },
        ])
    );
    assert_eq!(witness.get("second"), None);
    // The launch is one of a thread table, which shows the same deadlock.
    let mut ask = place(DEADLOCK, "k(");
    ask["launch"] = witness["launch"].clone();
    let table = client.request("tangle/threadTable", ask);
    assert_eq!((&table["errors"], &table["report"]["outcome"]), (&json!([]), &json!("deadlock")));
    assert_eq!(table["report"]["waiting"][0]["threads"], json!([0]));
    // The name of the function means its findings, and a rule selects one.
    assert_eq!(client.request("tangle/witness", place(DEADLOCK, "k("))["text"], TEXT);
    let mut ask = place(DEADLOCK, "k(");
    ask["rule"] = json!("shuffle-width");
    let none = "no finding at this position that an execution can confirm";
    assert_eq!(refusal(&mut client, "tangle/witness", ask), none);
    assert_eq!(refusal(&mut client, "tangle/witness", place(DEADLOCK, "fine(")), none);
}

#[test]
fn both_executions_of_an_implementation_defined_operation_can_be_shown() {
    let text = "\
kernel void k(global int *out) {
  int t = get_local_id(0);
  switch (t) {
  case 0: out[0] = 1;
  case 1: out[t] = sub_group_reduce_add(1);
  }
}
";
    let mut client = opened(text);
    let mut ask = place(text, "sub_group_reduce_add");
    ask["rule"] = json!("implementation-defined-convergence");
    let witness = &client.request("tangle/witness", ask)["witness"];
    let executed = |client: &mut Client, launch: &Value| -> Vec<Value> {
        let mut ask = place(text, "k(");
        ask["launch"] = launch.clone();
        let table = client.request("tangle/threadTable", ask);
        let all = table["report"]["communications"].as_array().unwrap().iter();
        all.map(|it| it["threads"].clone()).collect()
    };
    // Work-item 0 falls through to the reduction of work-item 1: together, or each of both alone.
    assert_eq!(executed(&mut client, &witness["launch"]), [json!([0, 1])]);
    let mut alone = executed(&mut client, &witness["second"]);
    alone.sort_by_key(ToString::to_string);
    assert_eq!(alone, [json!([0]), json!([1])]);
}

#[test]
fn hover_shows_a_result_that_is_known_for_this_content() {
    let mut client = opened(DEADLOCK);
    // A hover does not start a search.
    for _ in 0..2 {
        assert!(!hover(&mut client, DEADLOCK).contains("confirmed"));
    }
    client.request("tangle/witness", place(DEADLOCK, "barrier"));
    let known = "`divergent-barrier`: confirmed by an execution with 4 work-items, sub-groups of 4, n = 1\n```text\n\
                 line 3: #... work-item 0 waits forever\n";
    let text = hover(&mut client, DEADLOCK);
    assert!(text.contains(known), "{text}");
    let edited = DEADLOCK.replace(">= n", "> n");
    client.change(URI, 2, &edited);
    assert!(!hover(&mut client, &edited).contains("confirmed"));
    client.change(URI, 3, DEADLOCK);
    let text = hover(&mut client, DEADLOCK);
    assert!(text.contains(known), "{text}");
}

#[test]
fn lens_and_action_run_the_command_that_shows_the_execution() {
    let mut client = opened(DEADLOCK);
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    let commands: Vec<&Value> = lenses.as_array().unwrap().iter().map(|lens| &lens["command"]).collect();
    let own: Vec<&&Value> =
        commands.iter().filter(|command| command["command"] == "tangle.server.witness").collect();
    let [lens] = &own[..] else { panic!("{lenses}") };
    assert_eq!(lens["title"], "show confirming execution");
    let diagnostics = client.published(URI)["diagnostics"].clone();
    let mut ask = place(DEADLOCK, "barrier");
    ask["range"] = diagnostics[0]["range"].clone();
    ask["context"] = json!({ "diagnostics": diagnostics });
    let actions = client.request("textDocument/codeAction", ask);
    let mut actions = actions.as_array().unwrap().iter();
    let action =
        actions.find(|it| it["title"] == "Show an execution that confirms `divergent-barrier`").unwrap();
    for command in [lens, &&action["command"]] {
        let run = json!({ "command": command["command"], "arguments": command["arguments"] });
        assert_eq!(client.request("workspace/executeCommand", run), TEXT);
        let shown = client.wait(|message| message["method"] == "window/showMessage");
        assert_eq!(shown["params"], json!({ "type": 3, "message": TEXT }));
    }
}

#[test]
fn reason_is_given_if_nothing_can_be_executed() {
    let text = "\
void f(int x) { x = ; }
kernel void k(global int *p) {
  if (get_local_id(0) < 3) barrier(CLK_LOCAL_MEM_FENCE);
  f(1);
}
";
    let mut client = opened(text);
    let why = refusal(&mut client, "tangle/witness", place(text, "barrier"));
    assert!(why.starts_with("line 1: "), "{why}");
}

#[test]
fn edit_and_cancellation_stop_a_search() {
    let mut client = opened(SLOW);
    let slow = client.send("tangle/witness", place(SLOW, "barrier"));
    client.change(URI, 2, DEADLOCK);
    assert_eq!(client.answer(slow)["error"]["code"], -32801);
    client.change(URI, 3, SLOW);
    let slow = client.send("tangle/witness", place(SLOW, "barrier"));
    client.notify("$/cancelRequest", json!({ "id": slow }));
    assert_eq!(client.answer(slow)["error"]["code"], -32800);
}

#[test]
fn search_without_a_result_gives_the_number_of_executions() {
    let mut client = opened(SLOW);
    let found = client.request("tangle/witness", place(SLOW, "barrier"));
    assert_eq!(found["witness"], Value::Null);
    let text = found["text"].as_str().unwrap();
    assert!(text.starts_with("`divergent-barrier` on line 4: not confirmed in "), "{text}");
    assert!(hover(&mut client, SLOW).contains("`divergent-barrier`: not confirmed in "));
}
