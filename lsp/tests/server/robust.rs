//! Robustness: for any input of a client, the server responds as the protocol requires. It never panics, hangs or
//! outlives its client.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, DOUBTFUL, REQUESTS};

const URI: &str = "file:///nowhere/k.cl";

/// Parameters that are valid for all of [`REQUESTS`].
fn everything(uri: &str, line: u32, character: u32) -> Value {
    let position = json!({ "line": line, "character": character });
    let range = json!({ "start": position, "end": position });
    json!({
        "textDocument": { "uri": uri }, "position": position, "positions": [position], "range": range,
        "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false }, "newName": "other",
    })
}

#[test]
fn requests_at_any_position_are_answered() {
    let mut client = Client::start();
    client.open(URI, DOUBTFUL);
    for (line, character) in
        [(0, 0), (0, 99), (4, 6), (4, 7), (99, 0), (99, 99), (u32::MAX >> 1, u32::MAX >> 1)]
    {
        for method in REQUESTS {
            let id = client.send(method, everything(URI, line, character));
            let answer = client.answer(id);
            // An impossible rename and a missing function have their own error codes.
            let code = answer["error"]["code"].as_i64();
            assert!(matches!(code, None | Some(-32602 | -32803)), "{method} at {line}:{character}: {answer}");
        }
    }
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn requests_at_every_position_of_invalid_text_are_answered() {
    let mut client = Client::start();
    let text = "#define M(x) x x\n#include \"no.h\"\nkernel void k(global int *p { if (M(p[0]) goto a; µ\n a: switch (q.) { case M(1: barrier(";
    client.open(URI, text);
    for (line, length) in text.lines().map(|line| line.chars().count() as u32).enumerate() {
        for character in 0..=length {
            let ids: Vec<i64> = REQUESTS
                .iter()
                .map(|method| client.send(method, everything(URI, line as u32, character)))
                .collect();
            for id in ids {
                let code = client.answer(id)["error"]["code"].as_i64();
                assert!(matches!(code, None | Some(-32602 | -32803)), "{line}:{character}: {code:?}");
            }
        }
    }
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn requests_for_unopened_document_give_empty_results() {
    let mut client = Client::start();
    for method in REQUESTS {
        let id = client.send(method, everything("file:///nowhere/else.cl", 0, 0));
        let answer = client.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        assert!(answer["result"].is_null() || answer["result"]["items"] == json!([]), "{method}: {answer}");
    }
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    client.edit(URI, 2, json!([{ "text": "int a;" }]));
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn requests_before_initialize_or_after_shutdown_are_rejected() {
    let mut client = Client::silent();
    let id = client.send("textDocument/hover", everything(URI, 0, 0));
    assert_eq!(client.answer(id)["error"]["code"], -32002);
    client.request("initialize", json!({ "capabilities": {} }));
    client.notify("initialized", json!({}));
    let id = client.send("initialize", json!({ "capabilities": {} }));
    assert_eq!(client.answer(id)["error"]["code"], -32600);
    client.request("shutdown", Value::Null);
    let id = client.send("textDocument/hover", everything(URI, 0, 0));
    assert_eq!(client.answer(id)["error"]["code"], -32600);
    assert_eq!(client.exit(false), Some(0));
}

#[test]
fn unknown_methods_and_invalid_parameters_are_reported() {
    let mut client = Client::start();
    let id = client.send("no/such/method", json!({}));
    assert_eq!(client.answer(id)["error"]["code"], -32601);
    for params in
        [json!({}), json!([1, 2]), json!({ "textDocument": { "uri": "not a uri" }, "position": {} })]
    {
        let id = client.send("textDocument/hover", params);
        assert_eq!(client.answer(id)["error"]["code"], -32602);
    }
    client.notify("$/no/such/notification", json!({}));
    client.notify("textDocument/didChange", json!({ "nonsense": true }));
    client.open(URI, DOUBTFUL);
    assert_eq!(client.published(URI)["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn cancelled_request_gets_a_result_or_a_cancelled_error() {
    let mut client = Client::start();
    client.open(URI, &kernels(400));
    for _ in 0..20 {
        let id = client.send("textDocument/semanticTokens/full", everything(URI, 0, 0));
        client.notify("$/cancelRequest", json!({ "id": id }));
        let answer = client.answer(id);
        assert!(answer.get("result").is_some() || answer["error"]["code"] == -32800, "{answer}");
    }
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn request_outdated_by_edit_gets_a_result_or_an_error() {
    let mut client = Client::start();
    client.open(URI, &kernels(400));
    let mut overtaken = 0;
    for version in 2..40 {
        let id = client.send("textDocument/semanticTokens/full", everything(URI, 0, 0));
        let insert = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 0 } });
        client.edit(URI, version, json!([{ "range": insert, "text": "\n" }]));
        let answer = client.answer(id);
        assert!(answer.get("result").is_some() || answer["error"]["code"] == -32801, "{answer}");
        overtaken += usize::from(answer.get("error").is_some());
    }
    assert!(overtaken > 0, "no edit was fast enough");
    assert_eq!(client.exit(true), Some(0));
}

/// A text with `count` kernels, each with one finding.
fn kernels(count: usize) -> String {
    (0..count).map(|number| DOUBTFUL.replace("void k(", &format!("void k{number}("))).collect()
}

#[test]
fn document_of_20_mb_is_opened_edited_and_closed() {
    let mut client = Client::start();
    // The text is mostly comments, as in some generated files; the rest is analysed.
    let filler = format!("// {}\n", "x".repeat(997)).repeat(20_000);
    let text = format!("{DOUBTFUL}{filler}{}", DOUBTFUL.replace("void k(", "void last("));
    assert!(text.len() > 20_000_000);
    client.open(URI, &text);
    assert_eq!(client.published(URI)["diagnostics"].as_array().unwrap().len(), 2);
    let line = text.lines().count() as u32 - 5;
    let place =
        json!({ "start": { "line": line, "character": 2 }, "end": { "line": line, "character": 21 } });
    client.edit(URI, 2, json!([{ "range": place, "text": "return;" }]));
    assert_eq!(client.published(URI)["diagnostics"].as_array().unwrap().len(), 1);
    let id = client.send("textDocument/hover", everything(URI, line, 3));
    assert!(client.answer(id).get("error").is_none());
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(client.published(URI)["diagnostics"], json!([]));
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn closing_the_input_ends_the_process() {
    let mut client = Client::start();
    client.open(URI, &kernels(100));
    let Client { child, input, .. } = &mut client;
    // The pipe is closed in the middle of a message.
    input.write_all(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\"").unwrap();
    let (input, _output) = (std::mem::replace(input, idle()), child.id());
    drop(input);
    assert_eq!(client.end(), Some(0));
}

/// The standard input of a process that has ended; it replaces the closed input in [`Client`].
fn idle() -> std::process::ChildStdin {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tangle-lsp"))
        .arg("--version")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    child.wait().unwrap();
    input
}

#[test]
fn closing_the_output_ends_the_process() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_tangle-lsp"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    let start = Instant::now();
    let status = loop {
        // The write fails after the server has ended.
        let _ = write!(input, "Content-Length: {}\r\n\r\n{message}", message.len());
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the server hangs");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(1));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert!(!said.contains("panicked"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn server_exits_when_its_client_process_ends() {
    let mut editor = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let mut client = Client::with(json!({ "capabilities": {}, "processId": editor.id() }));
    client.open(URI, DOUBTFUL);
    client.published(URI);
    editor.kill().unwrap();
    editor.wait().unwrap();
    // Its standard input is still open in this process.
    assert_eq!(client.end(), Some(1));
}

#[test]
fn new_server_works_after_others_were_killed() {
    for _ in 0..2 {
        let mut client = Client::start();
        client.open(URI, &kernels(50));
        client.child.kill().unwrap();
        client.end();
    }
    let mut client = Client::start();
    client.open(URI, DOUBTFUL);
    assert_eq!(client.published(URI)["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(client.exit(true), Some(0));
}
