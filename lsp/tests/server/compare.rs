//! Comparisons with the saved version (`tangle/compare`, and the command `tangle.server.compare`).

use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, position};

const SAVED: &str = "\
kernel void k(global int *p, int n) {
  p[get_global_id(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void same(global int *p) {
  barrier(CLK_LOCAL_MEM_FENCE);
}
";

/// Only three of eight work-items reach the barrier: they wait forever.
const GUARD: (&str, &str) = (
    "  barrier(CLK_LOCAL_MEM_FENCE);\n}\nkernel",
    "  if (get_local_id(0) < 3) barrier(CLK_LOCAL_MEM_FENCE);\n}\nkernel",
);

const SUMMARY: &str = "\
`k`: difference in work-item 0: this work-item does not execute the operation in the new function
  old: 3:3 `barrier`: work-items 0-7
  new: deadlock: work-items wait for other work-items that never arrive";

/// A saved file that is open in the server.
struct Opened {
    client: Client,
    folder: TempDir,
    uri: String,
    version: i32,
}

impl Opened {
    fn of(saved: &str) -> Opened {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("k.cl"), saved).unwrap();
        let uri = format!("file://{}", folder.path().join("k.cl").display());
        let mut client = Client::start();
        client.open(&uri, saved);
        Opened { client, folder, uri, version: 1 }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("k.cl")
    }

    fn change(&mut self, text: &str) {
        self.version += 1;
        self.client.change(&self.uri, self.version, text);
    }

    fn ask(&self, text: &str, needle: &str) -> Value {
        json!({ "textDocument": { "uri": self.uri }, "position": position(text, needle, 0, 0) })
    }

    /// The result for all kernels.
    fn compare(&mut self) -> Value {
        self.client.request("tangle/compare", json!({ "textDocument": { "uri": self.uri } }))
    }

    fn lenses(&mut self) -> Vec<u64> {
        let all =
            self.client.request("textDocument/codeLens", json!({ "textDocument": { "uri": self.uri } }));
        let all = all.as_array().unwrap().iter();
        let own = all.filter(|lens| lens["command"]["command"] == "tangle.server.compare");
        own.map(|lens| lens["range"]["start"]["line"].as_u64().unwrap()).collect()
    }
}

#[test]
fn first_difference_is_shown_with_both_tables() {
    let mut opened = Opened::of(SAVED);
    opened.change(&SAVED.replace(GUARD.0, GUARD.1));
    let compared = opened.compare();
    assert_eq!(compared["summary"], SUMMARY);
    let text = compared["text"].as_str().unwrap();
    let file = opened.path().display().to_string();
    for part in [SUMMARY, &format!("--- old: {file} ---"), &format!("--- new: {file} ---"), "deadlock"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let difference = &compared["difference"];
    assert_eq!((&difference["function"], &difference["files"][""]), (&json!("k"), &json!(opened.uri)));
    assert!(difference["old"].as_str().unwrap().contains("<strong>finished</strong>"));
    assert!(difference["new"].as_str().unwrap().contains("<strong>deadlock</strong>"));
}

#[test]
fn changes_without_a_difference_are_reported() {
    let mut opened = Opened::of(SAVED);
    let summary = |opened: &mut Opened, text: &str| {
        opened.change(text);
        let compared = opened.compare();
        assert_eq!(compared["difference"], Value::Null);
        compared["summary"].as_str().unwrap().to_owned()
    };
    let equal = "no difference: the flow graphs of 2 kernels are equal";
    assert_eq!(summary(&mut opened, SAVED), equal);
    assert_eq!(summary(&mut opened, &format!("// A comment.\n{SAVED}")), equal);
    let other_value = SAVED.replace("= n;", "= n + 1;");
    assert_eq!(summary(&mut opened, &other_value), "`k`: no difference in 32 launches");
    // A position selects one kernel.
    let ask = opened.ask(&other_value, "same(");
    let compared = opened.client.request("tangle/compare", ask);
    assert_eq!(compared["summary"], "no difference: the flow graphs of both versions are equal");
}

#[test]
fn functions_that_cannot_be_compared_are_reported_with_the_reason() {
    let mut opened = Opened::of(SAVED);
    let summary = |opened: &mut Opened, text: &str| {
        opened.change(text);
        opened.compare()["summary"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        summary(&mut opened, &SAVED.replace("k(", "other(")),
        "`other`: not compared: only in the text in the editor\n`k`: not compared: only in the saved version"
    );
    let broken = summary(&mut opened, &SAVED.replace("= n;", "= ;"));
    assert!(broken.starts_with("`k`: not compared: line 2 of the text in the editor: "), "{broken}");
    assert_eq!(
        summary(&mut opened, &SAVED.replace("int n", "long n")),
        "`k`: not compared: cannot compare `k` and `k`: they have different parameters"
    );
    std::fs::write(opened.path(), SAVED.replace("= n;", "= ;")).unwrap();
    let broken = summary(&mut opened, SAVED);
    assert!(broken.starts_with("`k`: not compared: line 2 of the saved version: "), "{broken}");
    std::fs::remove_file(opened.path()).unwrap();
    let id = opened.client.send("tangle/compare", json!({ "textDocument": { "uri": opened.uri } }));
    let error = &opened.client.answer(id)["error"];
    assert_eq!(error["message"], "there is no saved version of this file");
}

#[test]
fn unsaved_header_is_part_of_the_new_version() {
    let folder = TempDir::new().unwrap();
    let (header, kernel) = (folder.path().join("wait.h"), folder.path().join("k.cl"));
    let saved = "void all_wait(void) {\n  barrier(CLK_LOCAL_MEM_FENCE);\n}\n";
    let text = "#include \"wait.h\"\nkernel void k(void) { all_wait(); }\n";
    std::fs::write(&header, saved).unwrap();
    std::fs::write(&kernel, text).unwrap();
    let uri = |path: &PathBuf| format!("file://{}", path.display());
    let mut client = Client::start();
    client.open(&uri(&kernel), text);
    client.open(&uri(&header), saved);
    let edited = saved.replace("  barrier", "  if (get_local_id(0) < 3) barrier");
    client.change(&uri(&header), 2, &edited);
    for (path, place) in [(&kernel, json!(null)), (&header, position(&edited, "barrier", 0, 0))] {
        let ask = json!({ "textDocument": { "uri": uri(path) }, "position": place });
        let compared = client.request("tangle/compare", ask);
        let summary = compared["summary"].as_str().unwrap();
        assert!(summary.starts_with("`k`: difference in work-item 0: "), "{summary}");
        let files = &compared["difference"]["files"];
        assert_eq!(files[header.to_str().unwrap()], uri(&header), "{files}");
    }
}

#[test]
fn changed_functions_have_a_lens_until_they_are_saved() {
    let mut opened = Opened::of(SAVED);
    assert_eq!(opened.lenses(), [] as [u64; 0]);
    let edited = SAVED.replace(GUARD.0, GUARD.1);
    opened.change(&edited);
    assert_eq!(opened.lenses(), [0]);
    // Text before a function does not change the function.
    let edited = format!("// A comment.\n{edited}");
    opened.change(&edited);
    assert_eq!(opened.lenses(), [1]);
    let mut ask = opened.ask(&edited, "barrier");
    ask["range"] = json!({ "start": ask["position"], "end": ask["position"] });
    ask["context"] = json!({ "diagnostics": [], "only": ["source"] });
    let actions = opened.client.request("textDocument/codeAction", ask.clone());
    let [action] = &actions.as_array().unwrap()[..] else { panic!("{actions}") };
    assert_eq!(action["title"], "Compare with the saved version");
    let run = json!({ "command": action["command"]["command"], "arguments": action["command"]["arguments"] });
    let text = opened.client.request("workspace/executeCommand", run);
    assert!(text.as_str().unwrap().contains("--- new: "), "{text}");
    let shown = opened.client.wait(|message| message["method"] == "window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("`k`: difference in work-item 0: ") && !message.contains("---"), "{message}");
    std::fs::write(opened.path(), &edited).unwrap();
    opened.client.notify("textDocument/didSave", json!({ "textDocument": { "uri": opened.uri } }));
    assert_eq!(opened.lenses(), [] as [u64; 0]);
    assert_eq!(opened.client.request("textDocument/codeAction", ask), json!([]));
}

#[test]
fn edit_and_cancellation_stop_a_comparison() {
    let slow = "\
kernel void k(global int *p, int n) {
  for (int i = 0; i < 4000; i++) n += p[i & 7];
  if (n != 0x12345) barrier(CLK_LOCAL_MEM_FENCE);
}
";
    let mut opened = Opened::of(slow);
    let edited = slow.replace("n +=", "n -=");
    opened.change(&edited);
    let ask = json!({ "textDocument": { "uri": opened.uri } });
    let id = opened.client.send("tangle/compare", ask.clone());
    opened.change(&format!("{edited}\n"));
    assert_eq!(opened.client.answer(id)["error"]["code"], -32801);
    let id = opened.client.send("tangle/compare", ask);
    opened.client.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(opened.client.answer(id)["error"]["code"], -32800);
    // No later request waits for the work that was cancelled.
    let ask = opened.ask(slow, "k(");
    opened.client.request("textDocument/hover", ask);
}
