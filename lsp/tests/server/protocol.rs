//! Basic LSP messages over standard input and output: diagnostics, edits and invalid messages.

use std::io::Write;

use serde_json::{Value, json};

use crate::client::{Client, DOUBTFUL};

#[test]
fn finding_is_published_and_removed_after_a_fix() {
    let mut client = Client::start();
    let uri = "file:///nowhere/k.cl";
    client.open(uri, DOUBTFUL);
    let shown = client.published(uri);
    let [finding] = &shown["diagnostics"].as_array().unwrap()[..] else { panic!("{shown}") };
    assert_eq!(finding["code"], "implementation-defined-convergence");
    // The letter in the comment has two UTF-16 code units.
    assert_eq!(finding["range"]["start"], json!({ "line": 4, "character": 11 }));
    assert_eq!(finding["range"]["end"], json!({ "line": 4, "character": 18 }));
    assert!(finding["relatedInformation"].as_array().unwrap().len() >= 3, "{finding}");
    client.change(uri, 2, &DOUBTFUL.replace("if (p[0]) goto out;", "if (p[0]) p[2] = 3;"));
    let shown = client.published(uri);
    assert_eq!((&shown["version"], &shown["diagnostics"]), (&json!(2), &json!([])));
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn unsaved_header_changes_are_used() {
    let mut client = Client::start();
    client.open("file:///nowhere/sync.h", "#define SYNC 0\n");
    client.published("file:///nowhere/sync.h");
    let uri = "file:///nowhere/k.cl";
    client.open(uri, &format!("#include \"sync.h\"\n{}", DOUBTFUL.replace("barrier(1)", "SYNC")));
    assert_eq!(client.published(uri)["diagnostics"], json!([]));
    client.change("file:///nowhere/sync.h", 2, "#define SYNC barrier(1)\n");
    assert_eq!(client.published(uri)["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn many_quick_edits_give_the_findings_of_the_last_text() {
    let mut client = Client::start();
    let uri = "file:///nowhere/k.cl";
    client.open(uri, DOUBTFUL);
    for version in 2..200 {
        client.change(
            uri,
            version,
            &format!("{}// {version}\n", DOUBTFUL.replace("p[1] = 2", &format!("p[1] = {version}"))),
        );
    }
    client.change(uri, 200, "kernel void k(void) { = }\n");
    loop {
        let shown = client.published(uri);
        if shown["diagnostics"].as_array().unwrap().iter().any(|finding| finding["code"] == "syntax-error") {
            assert_eq!(shown["version"], 200);
            break;
        }
    }
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn unknown_notification_and_unopened_document_are_ignored() {
    let mut client = Client::start();
    client.raw(r#"{"jsonrpc":"2.0","method":"no/such/method","params":{}}"#);
    client.change("untitled:never-opened", 1, DOUBTFUL);
    client.open("untitled:one", DOUBTFUL);
    assert_eq!(client.published("untitled:one")["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(client.exit(false), Some(1));
}

#[test]
fn invalid_message_gets_an_error_and_next_message_is_read() {
    let mut client = Client::start();
    let cases = [
        // Not JSON.
        ("Content-Length: 26\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":", -32700),
        ("Content-Length: 3\r\n\r\n\u{3bc}\"", -32700),
        ("Content-Length: 0\r\n\r\n", -32700),
        // JSON, but not a message.
        ("Content-Length: 2\r\n\r\n{}", -32600),
        ("Content-Length: 30\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":123}", -32600),
        // A header without a length, and one with an invalid length.
        ("X-Other: 1\r\n\r\n", -32700),
        ("Content-Length: many\r\n\r\n", -32700),
    ];
    for (number, (text, code)) in cases.into_iter().enumerate() {
        client.input.write_all(text.as_bytes()).unwrap();
        client.input.flush().unwrap();
        let answer = client.read();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{text}");
        let next = format!("untitled:{number}");
        client.open(&next, DOUBTFUL);
        assert_eq!(client.published(&next)["diagnostics"].as_array().unwrap().len(), 1, "{text}");
    }
    assert_eq!(client.exit(true), Some(0));
}

#[test]
fn too_small_content_length_loses_at_most_one_message() {
    let mut client = Client::start();
    client.input.write_all(b"Content-Length: 5\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}").unwrap();
    assert_eq!(client.read()["error"]["code"], -32700);
    client.open("untitled:one", DOUBTFUL);
    assert_eq!(client.published("untitled:one")["diagnostics"].as_array().unwrap().len(), 1);
    assert_eq!(client.exit(true), Some(0));
}
