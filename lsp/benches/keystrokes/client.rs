//! A minimal LSP client that measures the response times of a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::uri;

pub struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: i64,
    version: i64,
    uri: String,
    /// Whether the client asks for diagnostics. Otherwise it waits until the server sends them.
    asks: bool,
}

/// A position in a document: line and column, both from 0.
pub type Site = (usize, usize);

impl Client {
    pub fn start(mut command: Command, folder: &Path, asks: bool) -> Client {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { child, input, output, id: 0, version: 1, uri: String::new(), asks };
        let mut document = json!({ "publishDiagnostics": { "versionSupport": true } });
        if asks {
            document["diagnostic"] = json!({ "dynamicRegistration": false });
        }
        let capabilities = json!({ "textDocument": document });
        client.request("initialize", json!({ "capabilities": capabilities, "rootUri": uri(folder) }));
        client.notify("initialized", json!({}));
        client
    }

    /// Opens a file and returns the time until its diagnostics arrive.
    pub fn open(&mut self, path: &Path, (language, text): (&str, &str)) -> Duration {
        self.uri = uri(path);
        let document = json!({ "uri": self.uri, "languageId": language, "version": 1, "text": text });
        let start = Instant::now();
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics();
        start.elapsed()
    }

    /// Inserts a letter, or removes it again, and returns the time until the diagnostics of this version arrive.
    pub fn edit(&mut self, (line, column): Site, insert: bool) -> Duration {
        self.version += 1;
        let end = if insert { column } else { column + 1 };
        let change = json!({
            "range": { "start": { "line": line, "character": column }, "end": { "line": line, "character": end } },
            "text": if insert { "q" } else { "" },
        });
        let document = json!({ "uri": self.uri, "version": self.version });
        let start = Instant::now();
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
        self.diagnostics();
        start.elapsed()
    }

    pub fn hover(&mut self, (line, column): Site) -> Duration {
        let start = Instant::now();
        self.request(
            "textDocument/hover",
            json!({ "textDocument": { "uri": self.uri }, "position": { "line": line, "character": column } }),
        );
        start.elapsed()
    }

    /// The resident memory of the server in KiB, or 0 if `/proc` does not provide it.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Waits for the diagnostics of this version.
    fn diagnostics(&mut self) {
        if self.asks {
            let document = json!({ "textDocument": { "uri": self.uri } });
            self.request("textDocument/diagnostic", document);
            return;
        }
        loop {
            let message = self.read();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" && params["version"] == self.version {
                return;
            }
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let bytes = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.input.write_all(bytes.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            match line.trim().split_once(": ") {
                None => break,
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                Some(_) => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The benchmark is over, so the server is not shut down in the regular way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
