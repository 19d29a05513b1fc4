//! Requests of all kinds at random positions of the samples, some with random insertions. Each gets a valid response.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, REQUESTS};
use crate::random::Random;

/// Texts that are inserted at random positions.
const PIECES: &[&str] = &[
    "{", "}", "(", ")", ";", "#", "\"", "\\\n", "goto x;", "x:", "case 1:", "q.", "\u{3bc}", "\r\n", "/*",
    "*/",
];

fn samples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => samples(&path, found),
            false if path.extension().is_some_and(|extension| extension == "cl") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn requests_at_random_positions_are_answered() {
    let mut files = Vec::new();
    samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples"), &mut files);
    files.sort();
    assert!(files.len() > 100);
    let mut client = Client::start();
    let mut random = Random(0x5eed);
    for path in files {
        let Ok(mut text) = std::fs::read_to_string(&path) else { continue };
        for _ in 0..random.below(4) {
            let at = random.below(text.len() + 1);
            if text.is_char_boundary(at) {
                text.insert_str(at, PIECES[random.below(PIECES.len())]);
            }
        }
        let uri = format!("file://{}", path.display());
        client.open(&uri, &text);
        let lines: Vec<&str> = text.lines().collect();
        let asked: Vec<(i64, String)> = (0..6)
            .map(|_| {
                let line = random.below(lines.len() + 1);
                let length = lines.get(line).map_or(0, |line| line.len());
                let start = json!({ "line": line, "character": random.below(length + 2) });
                let end = json!({ "line": line + random.below(4), "character": length });
                let method = REQUESTS[random.below(REQUESTS.len())];
                let ask = json!({
                    "textDocument": { "uri": uri }, "position": start, "positions": [start],
                    "range": { "start": start, "end": end }, "newName": "other",
                    "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false },
                });
                (client.send(method, ask), format!("{method} at {start} of {uri}"))
            })
            .collect();
        for (id, what) in asked {
            let answer: Value = client.answer(id);
            // An impossible rename and a missing function have their own error codes.
            let code = answer["error"]["code"].as_i64();
            assert!(matches!(code, None | Some(-32602 | -32803)), "{what}: {answer}\n{text}");
        }
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert_eq!(client.exit(true), Some(0));
}
