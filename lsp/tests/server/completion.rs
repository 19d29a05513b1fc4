//! Completion by context: labels, flags, headers, types, members, or names by scope.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, position};

/// The cursor is at `|` in the text that replaces `/**/`.
const KERNEL: &str = "\
#include \"helper.h\"
#define WIDTH 4
typedef struct pair { int a; float b; } pair;
enum shape { round, square };
/// Scales a pair.
pair scaled(pair value, float factor);
int nothing(void);
kernel void other(global int *p) {
  elsewhere: p[0] = 1;
}
kernel void k(global int *data, int count) {
  int outer = 1;
  {
    int inner = 2;
again:
    /**/;
  }
  goto done;
done:
  data[0] = outer;
}
";

const CUDA: &str = "\
template <int N> struct tile {
  int width;
  __device__ void load(const float *from, int row) {}
  __device__ int size() const { return N; }
};
__global__ void k(float *data, int n) {
  tile<4> t;
  /**/;
}
";

struct Editor {
    client: Client,
    folder: TempDir,
    version: i32,
}

impl Editor {
    fn new(snippets: bool) -> Editor {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        for (name, text) in [
            ("k.cl", KERNEL),
            ("k.cu", CUDA),
            ("helper.h", "float helped(float x);\n"),
            ("sub/inner.clh", ""),
            ("sub/notes.txt", ""),
            (".hidden.h", ""),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let items = json!({ "completionItem": { "snippetSupport": snippets } });
        let mut client = Client::with(json!({
            "capabilities": { "textDocument": { "completion": items } },
            "initializationOptions": { "defines": ["FROM_SETTINGS=1"] },
        }));
        for (name, text) in [("k.cl", KERNEL), ("k.cu", CUDA)] {
            client.open(&format!("file://{}", folder.path().join(name).display()), text);
        }
        Editor { client, folder, version: 1 }
    }

    /// Returns the completions at `|` in a text, by rank.
    fn items(&mut self, name: &str, text: &str, trigger: Option<&str>) -> Vec<Value> {
        let uri = format!("file://{}", self.folder.path().join(name).display());
        let at = position(text, "|", 0, 0);
        self.version += 1;
        self.client.change(&uri, self.version, &text.replacen('|', "", 1));
        let mut ask = json!({ "textDocument": { "uri": uri }, "position": at });
        if let Some(trigger) = trigger {
            ask["context"] = json!({ "triggerKind": 2, "triggerCharacter": trigger });
        }
        let items = self.client.request("textDocument/completion", ask);
        let mut items = items.as_array().cloned().unwrap_or_default();
        items.sort_by_key(|item| item["sortText"].as_str().unwrap().to_owned());
        items
    }

    /// Returns the labels at `|` in a statement of the kernel.
    fn labels(&mut self, statement: &str) -> Vec<String> {
        labels(&self.items("k.cl", &KERNEL.replace("/**/", statement), None))
    }

    fn triggered(&mut self, statement: &str, trigger: &str) -> Vec<String> {
        labels(&self.items("k.cl", &KERNEL.replace("/**/", statement), Some(trigger)))
    }

    /// The same for a line at the end of the file.
    fn at_end(&mut self, line: &str) -> Vec<String> {
        labels(&self.items("k.cl", &format!("{KERNEL}{line}\n"), None))
    }
}

fn labels(items: &[Value]) -> Vec<String> {
    items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn assert_has(labels: &[String], wanted: &[&str], unwanted: &[&str]) {
    for name in wanted {
        assert!(
            labels.iter().any(|it| it == name),
            "{name} is missing in {:?}",
            &labels[..labels.len().min(40)]
        );
    }
    for name in unwanted {
        assert!(!labels.iter().any(|it| it == name), "{name} is in {labels:?}");
    }
}

const NONE: [&str; 0] = [];

#[test]
fn only_labels_of_the_function_follow_goto() {
    let mut editor = Editor::new(false);
    assert_eq!(editor.labels("goto |"), ["again", "done"]);
    assert_eq!(editor.labels("goto ag|"), ["again", "done"]);
}

#[test]
fn flags_come_first_in_a_barrier() {
    const FLAGS: [&str; 3] = ["CLK_GLOBAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"];
    let mut editor = Editor::new(false);
    for place in [
        "barrier(|)",
        "barrier(|",
        "barrier(CLK|)",
        "barrier(CLK_LOCAL_MEM_FENCE | |)",
        "mem_fence(|)",
        "atomic_work_item_fence(|, memory_order_relaxed)",
        "work_group_barrier(\n      |)",
    ] {
        // The first `|` is the cursor, so an operator before it is written as a comment here.
        let place = place.replace("FENCE | |", "FENCE + |");
        let found = editor.labels(&place);
        assert_eq!(found[..3], FLAGS, "{place}");
        assert_has(&found, &["count", "WIDTH", "CHAR_BIT"], &["while", "return", "__FLT_DIG__"]);
    }
    let orders = editor.labels("atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, |)");
    assert_eq!(orders[..2], ["memory_order_acq_rel", "memory_order_acquire"]);
    let scopes = editor.labels("work_group_barrier(CLK_LOCAL_MEM_FENCE, |)");
    assert_eq!(scopes[..2], ["memory_scope_all_devices", "memory_scope_all_svm_devices"]);
    assert_eq!(scopes[4..6], ["memory_scope_work_group", "memory_scope_work_item"]);
    // After `(`, an editor asks by itself: only values that the parameter has are offered.
    assert_eq!(editor.triggered("barrier(|)", "("), FLAGS);
    assert_eq!(editor.triggered("scaled(|)", "("), NONE);
    assert_eq!(editor.triggered("get_local_id(|)", "("), NONE);
    // A parameter of the user's function has no flags.
    assert_eq!(editor.labels("nothing(|)")[0], "inner");
}

#[test]
fn headers_follow_include() {
    let mut editor = Editor::new(false);
    assert_eq!(editor.at_end("#include \"|"), ["helper.h", "sub/"]);
    assert_eq!(editor.at_end("#include \"he|\""), ["helper.h", "sub/"]);
    assert_eq!(editor.at_end("#include \"sub/|\""), ["inner.clh"]);
    assert_eq!(editor.at_end("#include <|>"), NONE, "there are no header folders");
    assert_has(&editor.at_end("#inc|"), &["include", "include \"helper.h\"", "ifdef"], &["count", "while"]);
    assert_has(&editor.at_end("# |"), &["include", "pragma"], &["int"]);
    assert_eq!(editor.at_end("#include \"helper.h\" |"), NONE);
    // The whole name is replaced, also after a `-` or `.`, which end a word for the editor.
    let items = editor.items("k.cl", &format!("{KERNEL}#include \"sub/in|\"\n"), None);
    let line = KERNEL.lines().count();
    let range =
        json!({ "start": { "line": line, "character": 14 }, "end": { "line": line, "character": 16 } });
    assert_eq!(items[0]["textEdit"], json!({ "range": range, "newText": "inner.clh" }));
    assert_eq!(editor.triggered("\n#include \"|", "\""), ["helper.h", "sub/"]);
    assert_eq!(editor.triggered("char *s = \"|\"", "\""), NONE);
}

#[test]
fn macros_follow_conditions() {
    let mut editor = Editor::new(false);
    for line in ["#ifdef |", "#if defined(W|", "#undef |", "#if WIDTH > 3 && |"] {
        let found = editor.at_end(line);
        assert_has(&found, &["FROM_SETTINGS", "WIDTH", "CHAR_BIT"], &["scaled", "int", "barrier"]);
        assert_eq!(found[..2], ["FROM_SETTINGS", "WIDTH"], "{line}: macros of the language come last");
    }
}

#[test]
fn types_stand_where_a_declaration_begins() {
    let mut editor = Editor::new(false);
    for line in ["|", "kernel void f(|)", "kernel void f(global |)", "void f(int x, const |)", "static |"] {
        let found = editor.at_end(line);
        assert_has(
            &found,
            &["pair", "float4", "int", "image2d_t", "WIDTH"],
            &["scaled", "barrier", "return"],
        );
        assert_eq!(found[0], "pair", "{line}: types of the user come first");
        assert_has(&found, &[], &["CHAR_BIT"]);
    }
    assert_eq!(editor.at_end("struct |"), ["pair", "shape"]);
    assert_has(&editor.labels("const |"), &["pair", "float4"], &["inner", "count"]);
    // A new name follows a type.
    for statement in ["int |", "float4 |", "pair |", "int *|", "unsigned int n|"] {
        assert_eq!(editor.labels(statement), NONE, "{statement}");
    }
    assert_eq!(editor.at_end("void |"), NONE);
    // A product is an expression.
    assert_has(&editor.labels("outer = inner *|"), &["inner", "count"], &[]);
}

#[test]
fn names_are_ranked_by_scope() {
    let mut editor = Editor::new(false);
    let found = editor.labels("outer = |");
    assert_eq!(found[..4], ["inner", "outer", "count", "data"]);
    let rank = |name: &str| found.iter().position(|it| it == name).unwrap_or_else(|| panic!("{name}"));
    let order = ["data", "scaled", "helped", "WIDTH", "get_local_id", "float4", "sizeof"];
    assert!(order.is_sorted_by_key(|name| rank(name)), "{order:?}");
    assert_has(&found, &["round", "pair"], &["while", "return", "goto", "elsewhere"]);
    assert_has(&editor.labels("|"), &["while", "return", "inner", "barrier", "float4", "pair"], &[]);
    assert_has(&editor.labels("if (outer) |"), &["return", "break"], &[]);
}

#[test]
fn a_function_is_inserted_with_places_for_its_arguments() {
    let mut editor = Editor::new(true);
    let text = |editor: &mut Editor, name: &str, statement: &str| {
        let items = editor.items("k.cl", &KERNEL.replace("/**/", statement), None);
        let item =
            items.iter().find(|item| item["label"] == name).unwrap_or_else(|| panic!("{name}")).clone();
        assert_eq!(
            item["insertTextFormat"],
            if item["insertText"].is_null() { Value::Null } else { json!(2) }
        );
        item["insertText"].as_str().unwrap_or_default().to_owned()
    };
    for (name, expected) in [
        ("scaled", "scaled(${1:value}, ${2:factor})$0"),
        ("helped", "helped(${1:x})$0"),
        ("nothing", "nothing()$0"),
        ("barrier", "barrier(${1:flags})$0"),
        ("get_global_id", "get_global_id(${1:dimindx})$0"),
        ("atomic_cmpxchg", "atomic_cmpxchg(${1:p}, ${2:cmp}, ${3:val})$0"),
        ("vload4", "vload4(${1:offset}, ${2:p})$0"),
        ("outer", ""),
    ] {
        assert_eq!(text(&mut editor, name, "|"), expected);
    }
    // There is already a list of arguments.
    assert_eq!(text(&mut editor, "scaled", "|(1)"), "");
    let mut plain = Editor::new(false);
    assert_eq!(text(&mut plain, "scaled", "|"), "");
}

#[test]
fn methods_and_fields_follow_an_object() {
    let mut editor = Editor::new(true);
    let items = editor.items("k.cu", &CUDA.replace("/**/", "t.|"), None);
    assert_eq!(labels(&items), ["width", "load", "size"]);
    assert_eq!(items[1]["insertText"], "load(${1:from}, ${2:row})$0");
    let items = editor.items("k.cu", &CUDA.replace("/**/", "|"), None);
    let shuffle = items.iter().find(|item| item["label"] == "__shfl_down_sync").unwrap();
    assert_eq!(shuffle["insertText"], "__shfl_down_sync(${1:mask}, ${2:var}, ${3:delta})$0");
    assert_has(&labels(&items), &["tile", "t", "data", "__syncthreads"], &[]);
}
