//! Random edits: after any edits, mixed with requests and cancellations, the server gives the same answers as a new
//! server that opens the final text.
//!
//! `TANGLE_EDITS` sets the number of edits. The default is small, because CI runs the tests on every push.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::random::Random;

const URI: &str = "file:///nowhere/k.cl";
const HEADER: &str = "file:///nowhere/h.h";

const TEXT: &str = "\
#include \"h.h\"
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)
typedef struct pair { int a; float4 b; } pair_t;
int twice(int x) { return 2 * x; }
void all(void) { WAIT; }
kernel void k(global int *p, int n) {
  pair_t q = { 1 };
  if (p[0]) goto out; // 𝛍 µ
  for (int j = 0; j < n; j++) {
    p[j] = twice(j) + q.a;
    switch (n) { case 1: p[1] = 2; case 2: all(); default: break; }
  }
out:
  WAIT;
}
kernel void l(global float *f, int n) {
  while (n--) { if (n == 3) continue; sub_group_barrier(1); }
  f[0] = 𝛍_is_no_name + LIMIT;
}
void sync_if(int n) { if (n > LIMIT) WAIT; }
kernel void r(void) { sync_if(get_local_id(0)); }
kernel void s(void) { if (get_local_id(1)) { WAIT; } }
";

const HEADER_TEXT: &str = "#define LIMIT 3\nint limit(void);\n";

/// Inserted texts: parts of tokens, brackets, line ends, and characters of each UTF-8 length.
const PIECES: &[&str] = &[
    "x",
    "(",
    ")",
    "{",
    "}",
    ";",
    "\n",
    " ",
    "goto out;",
    "barrier(1);",
    "// c\n",
    "/* 𝛍",
    "*/",
    "#define N 1\n",
    "#if 0\n",
    "#endif\n",
    "𝛍",
    "µ",
    "\r\n",
    "\\\n",
    "\"",
    "'",
    "return;",
    "case 3:",
    "p[0] = 1;",
    "int y;",
    "WAIT",
    "LIMIT",
    "if (get_local_id(0)) WAIT;",
    "sync_if(get_local_id(1));",
    "// tangle: allow(all): known\n",
    "kernel void m(void) { all(); }\n",
];

/// The client's copy of a document.
struct Document {
    uri: &'static str,
    original: &'static str,
    text: String,
    version: i32,
}

impl Document {
    fn position(&self, offset: usize, utf8: bool) -> Value {
        let before = &self.text[..offset];
        // The line ends of the protocol are `\n`, `\r\n` and `\r`.
        let mut line = 0;
        let mut start = 0;
        for (at, byte) in before.bytes().enumerate() {
            let next = self.text.as_bytes().get(at + 1);
            if byte == b'\n' || (byte == b'\r' && next != Some(&b'\n')) {
                line += 1;
                start = at + 1;
            }
        }
        let column = match utf8 {
            true => offset - start,
            false => before[start..].encode_utf16().count(),
        };
        json!({ "line": line, "character": column })
    }

    fn boundary(&self, random: &mut Random) -> usize {
        let mut at = random.below(self.text.len() + 1);
        // No position lies between `\r` and `\n`.
        while !self.text.is_char_boundary(at) || self.text[..at].ends_with('\r') {
            at -= 1;
        }
        at
    }

    /// Makes a random change, applies it to the copy and returns it as a `TextDocumentContentChangeEvent`.
    fn change(&mut self, random: &mut Random, utf8: bool) -> Value {
        // The original text is restored sometimes; otherwise little of the text could still be analysed.
        if random.below(40) == 0 {
            self.text = self.original.to_owned();
            return json!({ "text": self.text });
        }
        let (a, b) = (self.boundary(random), self.boundary(random));
        let start = a.min(b);
        let end = if random.below(3) == 0 { a.max(b).min(start + 12) } else { start };
        let end = (start..=end)
            .rev()
            .find(|&end| self.text.is_char_boundary(end) && !self.text[..end].ends_with('\r'))
            .unwrap_or(start);
        let piece = if random.below(4) == 0 { "" } else { PIECES[random.below(PIECES.len())] };
        let range = json!({ "start": self.position(start, utf8), "end": self.position(end, utf8) });
        self.text.replace_range(start..end, piece);
        json!({ "range": range, "text": piece })
    }
}

fn start(utf8: bool) -> Client {
    let encodings = if utf8 { json!(["utf-8", "utf-16"]) } else { json!(["utf-16"]) };
    Client::with(json!({ "capabilities": {
        "general": { "positionEncodings": encodings },
        "textDocument": { "diagnostic": {} },
    } }))
}

/// The answers of a server about its documents: the diagnostics, and hovers at about 40 positions of each.
fn said(client: &mut Client, documents: &[Document], utf8: bool) -> Vec<Value> {
    let mut said = Vec::new();
    for document in documents {
        let report =
            client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": document.uri } }));
        said.push(report["items"].clone());
        let step = (document.text.len() / 40).max(1);
        for offset in (0..document.text.len()).step_by(step) {
            let Some(offset) = (0..=offset).rev().find(|&at| document.text.is_char_boundary(at)) else {
                continue;
            };
            let position = document.position(offset, utf8);
            let params = json!({ "textDocument": { "uri": document.uri }, "position": position });
            said.push(client.request("textDocument/hover", params));
        }
    }
    said
}

fn session(seed: u64, edits: usize, utf8: bool) {
    let mut random = Random(seed);
    let document =
        |uri, original: &'static str| Document { uri, original, text: original.to_owned(), version: 1 };
    let mut documents = [document(URI, TEXT), document(HEADER, HEADER_TEXT)];
    let mut client = start(utf8);
    documents.iter().for_each(|document| client.open(document.uri, &document.text));
    let mut asked = Vec::new();
    for _ in 0..edits {
        let document = &mut documents[usize::from(random.below(12) == 0)];
        document.version += 1;
        let changes: Vec<Value> =
            (0..1 + random.below(3)).map(|_| document.change(&mut random, utf8)).collect();
        client.edit(document.uri, document.version, json!(changes));
        if random.below(4) == 0 {
            let methods = [
                "textDocument/hover",
                "textDocument/inlayHint",
                "textDocument/semanticTokens/full",
                "tangle/flowGraph",
            ];
            let position = json!({ "line": random.below(20), "character": random.below(30) });
            let range =
                json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
            let params = json!({ "textDocument": { "uri": URI }, "position": position, "range": range });
            let id = client.send(methods[random.below(methods.len())], params);
            if random.below(3) == 0 {
                client.notify("$/cancelRequest", json!({ "id": id }));
            }
            asked.push(id);
        }
        // Keeps the number of unanswered requests small.
        if asked.len() > 20 {
            answered(&mut client, &mut asked);
        }
    }
    answered(&mut client, &mut asked);
    if edits > 256 {
        // After this number of changes, the server uses a pause to rebuild its state.
        std::thread::sleep(Duration::from_millis(1500));
    }
    let ours = said(&mut client, &documents, utf8);
    let mut fresh = start(utf8);
    documents.iter().for_each(|document| fresh.open(document.uri, &document.text));
    let expected = said(&mut fresh, &documents, utf8);
    assert_eq!(ours, expected, "seed {seed}, after {edits} edits: {}", documents[0].text);
    assert_eq!(client.exit(true), Some(0));
}

/// Checks that each request has a response: a result, or the error for a cancelled, outdated or impossible request.
fn answered(client: &mut Client, asked: &mut Vec<i64>) {
    for id in asked.drain(..) {
        let answer = client.answer(id);
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, None | Some(-32800 | -32801 | -32803)), "{answer}");
    }
}

fn edits(default: usize) -> usize {
    std::env::var("TANGLE_EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(default)
}

/// The lengths of sessions: a long one, so that the server rebuilds its state, and nine short ones, which stay close to
/// the original text.
fn lengths(edits: usize) -> impl Iterator<Item = usize> {
    std::iter::once(edits / 2).chain(std::iter::repeat_n(edits / 18, 9))
}

#[test]
fn utf_16_edits_give_the_same_answers_as_a_fresh_server() {
    for (seed, edits) in (1..).zip(lengths(edits(2000))) {
        session(seed, edits, false);
    }
}

#[test]
fn utf_8_edits_give_the_same_answers_as_a_fresh_server() {
    for (seed, edits) in (11..).zip(lengths(edits(2000))) {
        session(seed, edits, true);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_use_stays_bounded_over_many_edits() {
    let memory = |client: &Client| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    let all = edits(tangle_referees::of_all(4000) as usize);
    let text: String = (0..40)
        .map(|n| {
            TEXT.replace("twice", &format!("f{n}"))
                .replace(" k(", &format!(" k{n}("))
                .replace(" l(", &format!(" l{n}("))
        })
        .collect();
    let mut client = start(false);
    client.open(URI, &text);
    let mut early = 0;
    // Each iteration makes two edits.
    for version in 1..=all as i32 / 2 {
        // Inserts a statement with new numbers, so that the function differs from all its earlier versions.
        let line = 9 + 23 * (version % 40);
        let range =
            json!({ "start": { "line": line, "character": 4 }, "end": { "line": line, "character": 4 } });
        client.edit(
            URI,
            2 * version,
            json!([{ "range": range, "text": format!("p[{version}] = {version};") }]),
        );
        client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
        // Removes the statement, so that the text does not grow.
        let end = format!("p[{version}] = {version};").len();
        let range = json!({ "start": { "line": line, "character": 4 }, "end": { "line": line, "character": 4 + end } });
        client.edit(URI, 2 * version + 1, json!([{ "range": range, "text": "" }]));
        client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
        // The caches are full by then.
        if version == all as i32 / 16 {
            early = memory(&client);
        }
    }
    let late = memory(&client);
    assert!(late * 2 <= early * 3, "{early} KiB after an eighth of the edits, {late} KiB after {all}");
    assert_eq!(client.exit(true), Some(0));
}
