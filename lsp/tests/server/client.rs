//! An LSP client for tests. Each client starts its own server, and each wait has a time limit.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest wait for a message or for the end of the server. It is long, because parallel tests can slow the
/// machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The requests whose parameters are a document and at most a position or range.
pub const REQUESTS: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/diagnostic",
    "tangle/flowGraph",
    "tangle/tangleTree",
    "tangle/llvmIr",
    "tangle/threadTable",
    "tangle/witness",
];

pub const DOUBTFUL: &str = "\
kernel void k(global int *p) {
  if (p[0]) goto out;
  p[1] = 2;
out:
  /* 𝛍 */ barrier(1);
}
";

pub struct Client {
    pub child: Child,
    pub input: ChildStdin,
    messages: Receiver<Value>,
    /// Received messages that no caller has asked for yet.
    pending: Vec<Value>,
    requests: i64,
    /// The result of `initialize`.
    pub server: Value,
}

impl Client {
    pub fn start() -> Client {
        Client::with(json!({ "capabilities": {} }))
    }

    /// Starts a server and initializes it with these parameters.
    pub fn with(params: Value) -> Client {
        let mut client = Client::silent();
        client.server = client.request("initialize", params);
        assert_eq!(client.server["serverInfo"]["name"], "tangle-lsp");
        client.notify("initialized", json!({}));
        client
    }

    /// Starts a server without initializing it.
    pub fn silent() -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tangle-lsp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = output;
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client { child, input, messages, pending: Vec::new(), requests: 0, server: Value::Null }
    }

    pub fn raw(&mut self, body: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.raw(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request and returns its id.
    pub fn send(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        self.raw(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// Waits for the complete response to a request.
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Sends a request and returns its result; an error response fails the test.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Returns the next message of any kind.
    pub fn read(&mut self) -> Value {
        match self.pending.is_empty() {
            true => self.receive(),
            false => self.pending.remove(0),
        }
    }

    /// Waits for a message that matches; other messages are kept for later calls.
    pub fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.pending.iter().position(&wanted) {
            return self.pending.remove(at);
        }
        loop {
            let message = self.receive();
            if wanted(&message) {
                return message;
            }
            self.pending.push(message);
        }
    }

    fn receive(&mut self) -> Value {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("no answer in time; pending: {:#?}", self.pending),
            Err(RecvTimeoutError::Disconnected) => panic!("the server ended"),
        }
    }

    /// Waits for the next published diagnostics of a file.
    pub fn published(&mut self, uri: &str) -> Value {
        let message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
        });
        message["params"].clone()
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.open_as(uri, "opencl", text);
    }

    /// Opens a document with a language id.
    pub fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the complete text of a document.
    pub fn change(&mut self, uri: &str, version: i32, text: &str) {
        self.edit(uri, version, json!([{ "text": text }]));
    }

    pub fn edit(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Sends `exit` while the standard input stays open, and returns the exit status of the server.
    pub fn exit(mut self, shut_down: bool) -> Option<i32> {
        if shut_down {
            self.request("shutdown", Value::Null);
        }
        self.raw(r#"{"jsonrpc":"2.0","method":"exit"}"#);
        self.end()
    }

    /// Waits for the server to end and returns its exit status.
    pub fn end(&mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(start.elapsed() < PATIENCE, "the server hangs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failing test must not leave its server running. Killing a server that has ended fails, which is harmless.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The byte offset of an LSP position in UTF-16.
fn offset(text: &str, position: &Value) -> usize {
    let (line, column) = (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
    let start: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let mut passed = 0;
    for (at, character) in text[start..].char_indices() {
        if passed >= column {
            return start + at;
        }
        passed += character.len_utf16() as u64;
    }
    text.len()
}

/// The position that is `after` bytes after the start of the `nth` (from 0) occurrence of a text.
pub fn position(text: &str, needle: &str, nth: usize, after: usize) -> Value {
    let (at, _) = text.match_indices(needle).nth(nth).unwrap_or_else(|| panic!("no {needle}"));
    let before = &text[..at + after];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": before.matches('\n').count(), "character": before[start..].encode_utf16().count() })
}

/// Applies edits, which must not overlap, to a text. Insertions at the same position keep their order.
pub fn edited(text: &str, edits: &Value) -> String {
    let edit = |edit: &Value| {
        let range = &edit["range"];
        (
            offset(text, &range["start"]),
            offset(text, &range["end"]),
            edit["newText"].as_str().unwrap().to_owned(),
        )
    };
    let mut edits: Vec<_> = edits.as_array().unwrap().iter().map(edit).collect();
    edits.sort_by_key(|(start, end, _)| (*start, *end));
    let (mut new, mut after) = (String::new(), 0);
    for (start, end, with) in edits {
        assert!(after <= start, "edits overlap");
        new += &text[after..start];
        new += &with;
        after = end;
    }
    new + &text[after..]
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            line => {
                if let Some(value) = line.strip_prefix("Content-Length: ") {
                    length = value.parse().ok()?;
                }
            }
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
