//! The thread table (`tangle/threadTable`): its contents, errors for invalid launches, and that no other request waits
//! for an execution.

use serde_json::{Value, json};

use crate::client::{Client, position};

const URI: &str = "file:///nowhere/k.cl";

const KERNEL: &str = "\
kernel void k(global int *p, int n) {
  int l = get_local_id(0);
  if (l & 1) {
    p[l] = n;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
";

/// Some work-items return before the barrier.
const DEADLOCK: &str = "\
kernel void k(global int *p, int n) {
  if (get_local_id(0) >= n) return;
  barrier(CLK_LOCAL_MEM_FENCE);
}
";

const ENDLESS: &str = "kernel void k(int n) {\n  while (n >= 0) n &= 7;\n}\n";

fn opened(text: &str) -> Client {
    let mut client = Client::start();
    client.open(URI, text);
    client
}

fn ask(text: &str, needle: &str, launch: Value) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": position(text, needle, 0, 0), "launch": launch })
}

fn table(client: &mut Client, text: &str, launch: Value) -> Value {
    client.request("tangle/threadTable", ask(text, "k(", launch))
}

/// The executed convergent operations as `line threads`.
fn communications(table: &Value) -> Vec<String> {
    let all = table["report"]["communications"].as_array().unwrap_or_else(|| panic!("{table}"));
    all.iter().map(|it| format!("{} {}", it["line"], it["threads"])).collect()
}

#[test]
fn function_at_cursor_is_executed_with_the_given_launch() {
    let mut client = opened(KERNEL);
    let of = table(&mut client, KERNEL, json!({ "localSize": "4", "subGroupSize": "2" }));
    assert_eq!(of["function"], "k");
    assert_eq!(
        of["range"],
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 7, "character": 1 } })
    );
    assert_eq!(
        of["parameters"],
        json!([{ "name": "p", "type": "global int *" }, { "name": "n", "type": "int" }])
    );
    assert_eq!(communications(&of), ["5 [1]", "5 [3]", "7 [0,1,2,3]"]);
    assert_eq!((&of["report"]["outcome"], &of["errors"]), (&json!("undefined"), &json!([])));
    let reason = "only 1 of the 2 work-items of a sub-group reaches `sub_group_barrier`";
    assert_eq!(of["report"]["reason"], reason);
    // Any position in the function works; without a launch, the defaults of the command apply.
    let of = client.request("tangle/threadTable", ask(KERNEL, "p[l]", Value::Null));
    assert_eq!(communications(&of), ["5 [1,3]", "5 [5,7]", "7 [0,1,2,3,4,5,6,7]"]);
    assert_eq!(of["defaults"]["localSize"], "8");
    assert_eq!(of["defaults"]["strategy"], of["report"]["strategy"]);
    assert_eq!(of["defaults"]["arguments"], json!({ "p": "random", "n": "random" }));
}

#[test]
fn unsaved_changes_are_executed() {
    let mut client = opened(KERNEL);
    let edited = KERNEL.replace("l & 1", "l < n");
    client.change(URI, 2, &edited);
    let launch = json!({ "localSize": "4", "arguments": { "n": "2" } });
    let of = table(&mut client, &edited, launch);
    assert_eq!(communications(&of), ["5 [0,1]", "7 [0,1,2,3]"]);
}

#[test]
fn html_page_shows_the_report() {
    let mut client = opened(DEADLOCK);
    let of = table(&mut client, DEADLOCK, json!({ "localSize": "4", "arguments": { "n": "3" } }));
    let html = of["html"].as_str().unwrap();
    assert_eq!(of["report"]["outcome"], "deadlock");
    for part in [
        "<strong>deadlock</strong>: work-items wait for other work-items that never arrive",
        "<button class=\"place\" data-line=\"3\" data-column=\"3\">3:3</button>: work-items 0-2 wait in <code>barrier</code>",
        "work-item 3 has returned",
        "data-step=\"0\" data-line=\"2\"",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
}

#[test]
fn image_is_sent_only_on_request() {
    let mut client = opened(DEADLOCK);
    let launch = json!({ "localSize": "4", "arguments": { "n": "3" } });
    let of = table(&mut client, DEADLOCK, launch.clone());
    assert!(of["svg"].is_null(), "{of}");
    let mut ask = ask(DEADLOCK, "k(", launch);
    ask["svg"] = json!(true);
    let of = client.request("tangle/threadTable", ask);
    let svg = of["svg"].as_str().unwrap();
    for part in [
        "<svg xmlns=",
        ">C waits at 3</text>",
        ">returned at 2</text>",
        "if (get_local_id(0) &gt;= n) return;",
    ] {
        assert!(svg.contains(part), "{part}\n{svg}");
    }
}

#[test]
fn every_invalid_launch_field_is_reported() {
    let mut client = opened(KERNEL);
    let launch = json!({
        "localSize": "0", "groups": "many", "subGroupSize": "129", "strategy": "magic", "policy": "late", "seed": "-1",
        "arguments": { "p": "1,x", "n": "five" },
    });
    let of = table(&mut client, KERNEL, launch);
    let errors = of["errors"].as_array().unwrap();
    let reported: Vec<String> = errors
        .iter()
        .map(|it| format!("{}: {}", it["field"].as_str().unwrap(), it["message"].as_str().unwrap()))
        .collect();
    assert_eq!(
        reported,
        [
            "localSize: expected one to three numbers of at least 1, such as 8,4,2",
            "groups: `many` is not a valid number of work-groups",
            "subGroupSize: a sub-group has 1 to 128 work-items",
            "strategy: unknown strategy `magic`: expected one of tokens, graph, tangles, revised",
            "policy: unknown policy `late`: expected one of early, must, random",
            "seed: `-1` is not an integer of at least 0",
            "arguments.p: `x` is not a number",
            "arguments.n: `five` is not a number",
        ]
    );
    assert!(of["report"].is_null() && of["html"].is_null());
    assert_eq!(of["parameters"][1]["name"], "n");
}

#[test]
fn invalid_argument_is_reported_at_its_field() {
    let mut client = opened(KERNEL);
    let of = table(&mut client, KERNEL, json!({ "arguments": { "n": "1,2" } }));
    assert_eq!(of["errors"][0]["field"], "arguments.n");
    assert!(of["errors"][0]["message"].as_str().unwrap().contains("invalid argument"), "{of}");
    // The client may keep an argument of a parameter that no longer exists; it is ignored.
    let of = table(&mut client, KERNEL, json!({ "arguments": { "m": "1,2" } }));
    assert_eq!(of["errors"], json!([]));
}

#[test]
fn more_than_1024_threads_are_rejected() {
    let mut client = opened(KERNEL);
    let of = table(&mut client, KERNEL, json!({ "localSize": "64,16", "groups": "2" }));
    assert_eq!(of["errors"][0]["field"], "localSize");
    assert!(of["errors"][0]["message"].as_str().unwrap().contains("2048"), "{of}");
    let of = table(&mut client, KERNEL, json!({ "localSize": "64,16" }));
    assert_eq!(of["report"]["communications"].as_array().map(Vec::len), Some(257), "{of}");
}

#[test]
fn infinite_loop_is_stopped_at_the_step_limit() {
    let mut client = opened(ENDLESS);
    let of = table(&mut client, ENDLESS, Value::Null);
    assert_eq!(
        (&of["report"]["outcome"], &of["report"]["stopped"]["line"]),
        (&json!("out-of-steps"), &json!(2))
    );
}

#[test]
fn hover_does_not_wait_for_an_execution() {
    let mut client = opened(ENDLESS);
    let hover = json!({ "textDocument": { "uri": URI }, "position": position(ENDLESS, "n >=", 0, 0) });
    client.request("textDocument/hover", hover.clone());
    // The longest possible execution: 1024 work-items in an endless loop.
    let slow = client.send("tangle/threadTable", ask(ENDLESS, "k(", json!({ "localSize": "1024" })));
    let hovered = client.send("textDocument/hover", hover);
    let first = client.wait(|message| message["id"] == slow || message["id"] == hovered);
    assert_eq!(first["id"], hovered);
    assert_eq!(client.answer(slow)["result"]["report"]["outcome"], "out-of-steps");
}

#[test]
fn edit_stops_a_running_execution() {
    let mut client = opened(ENDLESS);
    let slow = client.send("tangle/threadTable", ask(ENDLESS, "k(", json!({ "localSize": "1024" })));
    client.change(URI, 2, DEADLOCK);
    assert_eq!(client.answer(slow)["error"]["code"], -32801);
    let of = table(&mut client, DEADLOCK, json!({ "arguments": { "n": "9" } }));
    assert_eq!(of["report"]["outcome"], "finished");
}

#[test]
fn cancelled_execution_is_stopped() {
    let mut client = opened(ENDLESS);
    let slow = client.send("tangle/threadTable", ask(ENDLESS, "k(", json!({ "localSize": "1024" })));
    client.notify("$/cancelRequest", json!({ "id": slow }));
    assert_eq!(client.answer(slow)["error"]["code"], -32800);
}

#[test]
fn functions_that_are_not_kernels_are_executed() {
    let text = "int f(int x) { return x; }\nstatic int unused(int x) { return x; }\nkernel void k(global int *p) { p[0] = f(1); }\n";
    let mut client = opened(text);
    let of = client.request("tangle/threadTable", ask(text, "return", json!({ "localSize": "2" })));
    assert_eq!((&of["function"], &of["report"]["outcome"]), (&json!("f"), &json!("finished")));
    let id = client.send("tangle/threadTable", ask(text, "unused", Value::Null));
    let error = &client.answer(id)["error"];
    assert_eq!(error["code"], -32803);
    assert!(error["message"].as_str().unwrap().contains("no code in this file calls it"), "{error}");
}

#[test]
fn syntax_error_preventing_execution_is_reported_with_line() {
    let text = "kernel void k(global int *p) {\n  p[0] = ;\n}\n";
    let mut client = opened(text);
    let id = client.send("tangle/threadTable", ask(text, "k(", Value::Null));
    let error = &client.answer(id)["error"];
    assert_eq!(error["code"], -32803);
    assert!(error["message"].as_str().unwrap().starts_with("line 2: "), "{error}");
}

#[test]
fn locations_in_other_files_have_uris() {
    let folder = tempfile::TempDir::new().unwrap();
    let header = folder.path().join("wait.h");
    std::fs::write(&header, "void all_wait(void) {\n  barrier(CLK_LOCAL_MEM_FENCE);\n}\n").unwrap();
    let text = "#include \"wait.h\"\nkernel void k(void) { all_wait(); }\n";
    let uri = format!("file://{}", folder.path().join("k.cl").display());
    let mut client = Client::start();
    client.open(&uri, text);
    let ask = json!({ "textDocument": { "uri": uri }, "position": position(text, "k(", 0, 0) });
    let of = client.request("tangle/threadTable", ask);
    let place = &of["report"]["communications"][0];
    assert_eq!(place["line"], 2);
    let address = of["files"][place["file"].as_str().unwrap()].as_str().unwrap();
    assert_eq!(address, format!("file://{}", header.display()));
    assert!(of["html"].as_str().unwrap().contains("data-file="));
    assert_eq!(of["uri"], uri);
    // In the header the result is the same: the function is executed as part of the kernel's file.
    let name = format!("file://{}", header.display());
    client.open(&name, &std::fs::read_to_string(&header).unwrap());
    let ask = json!({ "textDocument": { "uri": name }, "position": { "line": 1, "character": 3 } });
    let of = client.request("tangle/threadTable", ask);
    assert_eq!((&of["function"], &of["uri"]), (&json!("all_wait"), &json!(uri)));
    assert_eq!(of["files"][of["report"]["table"][0]["file"].as_str().unwrap()], name);
}
