//! CUDA and HIP: device code has the same features as OpenCL kernels, and host code has none.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, position as at};

const SOURCE: &str = "\
#include <vector>
#include \"block.cuh\"
#include \"lane.h\"
#define CHECK(call) if (int error = (call)) fail(error)
#define WIDTH 256
__global__ void reduce(const float *data, float *sums) {
  __shared__ float part[WIDTH];
  int i = threadIdx.x;
  part[i] = data[i];
  if (lane(i) < 16) {
    __syncthreads();
    all(part);
  }
  sums[i] = part[0];
}
int main() {
  std::vector<float> host(WIDTH);
  float *data = allocate(WIDTH), *sums = allocate(1);
  CHECK(copy(data, host));
  auto launch = [&](int blocks) { reduce<<<blocks, WIDTH>>>(data, sums); };
  for (int i = 0; i < 2; ++i) launch(i);
  return 0;
}
";

const CUH: &str = "\
#pragma once
__device__ inline void all(float *part) {
  int i = threadIdx.x;
  if (i < 8) __syncthreads();
  part[i] *= 2;
}
inline int blocks(int count) { int width = 256; return count / width; }
";

/// A header whose file name does not indicate CUDA.
const HEADER: &str = "\
template <class T> __device__ T lane(T i) {
  return i % 32;
}
static int idle(int i) { return i + 1; }
";

const FILES: &[(&str, &str)] = &[("reduce.cu", SOURCE), ("block.cuh", CUH), ("lane.h", HEADER)];

fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn uri(folder: &Path, name: &str) -> String {
    format!("file://{}", folder.join(name).display())
}

fn client() -> Client {
    Client::with(json!({ "capabilities": { "textDocument": {
        "diagnostic": {},
        "hover": { "contentFormat": ["markdown"] },
        "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
    } } }))
}

/// The semantic tokens of a document as `text type modifiers`, with their lines from 1.
fn tokens(client: &mut Client, uri: &str, text: &str) -> Vec<(usize, String)> {
    let legend = client.server["capabilities"]["semanticTokensProvider"]["legend"].clone();
    let answer =
        client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } }));
    let lines: Vec<&str> = text.lines().collect();
    let (mut line, mut column) = (0, 0);
    let mut found = Vec::new();
    for token in answer["data"].as_array().unwrap().chunks(5) {
        let number = |at: usize| token[at].as_u64().unwrap() as usize;
        (line, column) = (line + number(0), if number(0) > 0 { number(1) } else { column + number(1) });
        let mut words =
            vec![&lines[line][column..column + number(2)], legend["tokenTypes"][number(3)].as_str().unwrap()];
        let modifiers = legend["tokenModifiers"].as_array().unwrap().iter().enumerate();
        words
            .extend(modifiers.filter(|(bit, _)| number(4) >> bit & 1 == 1).filter_map(|(_, it)| it.as_str()));
        found.push((line + 1, words.join(" ")));
    }
    found
}

/// The rules of the findings in a document, with their lines.
fn findings(client: &mut Client, uri: &str) -> Vec<(u64, String)> {
    let report = client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    let finding = |finding: &Value| {
        let line = finding["range"]["start"]["line"].as_u64().unwrap() + 1;
        (line, finding["code"].as_str().unwrap().to_owned())
    };
    report["items"].as_array().unwrap().iter().map(finding).collect()
}

fn hover(client: &mut Client, uri: &str, position: Value) -> Option<String> {
    let ask = json!({ "textDocument": { "uri": uri }, "position": position });
    Some(client.request("textDocument/hover", ask)["contents"]["value"].as_str()?.to_owned())
}

fn of_line(tokens: &[(usize, String)], line: usize) -> Vec<&str> {
    tokens.iter().filter(|(at, _)| *at == line).map(|(_, token)| &**token).collect()
}

/// The line where the host code of [`SOURCE`] begins.
fn host() -> usize {
    SOURCE.lines().position(|line| line.starts_with("int main")).unwrap() + 1
}

#[test]
fn semantic_tokens_cover_only_device_code() {
    let folder = project(FILES);
    let uri = uri(folder.path(), "reduce.cu");
    let mut client = client();
    client.open(&uri, SOURCE);
    let tokens = tokens(&mut client, &uri, SOURCE);
    assert_eq!(
        of_line(&tokens, 6),
        [
            "reduce function declaration convergent",
            "data parameter declaration uniform",
            "sums parameter declaration uniform"
        ]
    );
    assert!(of_line(&tokens, 7).contains(&"WIDTH macro"), "{tokens:#?}");
    assert!(of_line(&tokens, 8).contains(&"i variable declaration divergent"), "{tokens:#?}");
    assert_eq!(of_line(&tokens, 10), ["lane function", "i variable divergent"]);
    assert_eq!(of_line(&tokens, 11), ["__syncthreads function defaultLibrary convergent"]);
    assert_eq!(of_line(&tokens, 12), ["all function convergent", "part variable"]);
    assert_eq!(
        tokens.iter().filter(|(line, _)| *line >= host()).collect::<Vec<_>>(),
        [] as [&(usize, String); 0]
    );
    // A request for a range of the document returns the tokens that the whole document has there.
    let part =
        json!({ "start": { "line": host() - 1, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let ask = json!({ "textDocument": { "uri": uri }, "range": part });
    assert_eq!(client.request("textDocument/semanticTokens/range", ask)["data"], json!([]));
}

#[test]
fn findings_and_hovers_cover_only_device_code() {
    let folder = project(FILES);
    let uri = uri(folder.path(), "reduce.cu");
    let mut client = client();
    client.open(&uri, SOURCE);
    let found = findings(&mut client, &uri);
    let race = (14, "implicit-warp-synchronous".to_owned());
    // The barrier in `block.cuh` is shown at its `#include`.
    let in_header = (2, "in-header".to_owned());
    assert_eq!(found, [(11, "divergent-barrier".to_owned()), race, in_header]);
    let told = hover(&mut client, &uri, at(SOURCE, "__syncthreads", 0, 0)).unwrap();
    assert!(told.contains("`__syncthreads` is a convergent operation"), "{told}");
    assert!(told.contains("threads of T0 for which `lane(i) < 16`"), "{told}");
    for (needle, nth) in
        [("main", 0), ("host(", 0), ("CHECK(copy", 0), ("launch", 0), ("reduce<<<", 0), ("WIDTH>>>", 0)]
    {
        let told = hover(&mut client, &uri, at(SOURCE, needle, nth, 0));
        assert_eq!(told, None, "{needle}");
    }
    // Errors in host code are not reported.
    client.change(&uri, 2, &SOURCE.replace("int main() {", "int main( {\n  goto nowhere; 1 = ;\n"));
    assert_eq!(findings(&mut client, &uri), found);
}

#[test]
fn hints_lenses_symbols_and_completions_cover_only_device_code() {
    let folder = project(FILES);
    let uri = uri(folder.path(), "reduce.cu");
    let mut client = client();
    client.open(&uri, SOURCE);
    let document = json!({ "textDocument": { "uri": uri } });
    let mut ask = document.clone();
    ask["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", ask);
    let lines: Vec<u64> =
        hints.as_array().unwrap().iter().map(|hint| hint["position"]["line"].as_u64().unwrap() + 1).collect();
    assert_eq!(lines, [10], "{hints:#}");
    let lenses = client.request("textDocument/codeLens", document.clone());
    let lines: Vec<u64> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| lens["range"]["start"]["line"].as_u64().unwrap() + 1)
        .collect();
    assert_eq!(lines, [6, 6, 6, 6], "{lenses:#}");
    let symbols = client.request("textDocument/documentSymbol", document);
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["reduce"]);
    let complete = |client: &mut Client, needle: &str| -> Vec<String> {
        let ask = json!({ "textDocument": { "uri": uri }, "position": at(SOURCE, needle, 0, 2) });
        let items = client.request("textDocument/completion", ask);
        let items = items.as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    };
    let names = complete(&mut client, "part[i] =");
    assert!(
        ["part", "__syncthreads", "lane", "all"].iter().all(|name| names.iter().any(|it| it == name)),
        "{names:?}"
    );
    assert_eq!(complete(&mut client, "CHECK(copy"), [""; 0]);
    // Outside functions, keywords of device code are offered.
    assert!(complete(&mut client, "int main").iter().any(|it| it == "__global__"));
    let help = |client: &mut Client, needle: &str, after: usize| {
        let ask = json!({ "textDocument": { "uri": uri }, "position": at(SOURCE, needle, 0, after) });
        client.request("textDocument/signatureHelp", ask)
    };
    assert_eq!(help(&mut client, "all(part)", 5)["signatures"][0]["label"], "void all(float *part)");
    assert_eq!(help(&mut client, "CHECK(copy(data", 12), Value::Null);
}

#[test]
fn header_is_analysed_as_part_of_its_including_source() {
    let folder = project(FILES);
    let mut client = client();
    client.open(&uri(folder.path(), "reduce.cu"), SOURCE);
    for (name, text, line, expected, host) in [
        (
            "block.cuh",
            CUH,
            4,
            &["i variable divergent", "__syncthreads function defaultLibrary convergent"][..],
            "inline int blocks",
        ),
        ("lane.h", HEADER, 1, &["lane function declaration", "i parameter declaration"], "static int idle"),
    ] {
        let uri = uri(folder.path(), name);
        client.open(&uri, text);
        let tokens = tokens(&mut client, &uri, text);
        assert_eq!(of_line(&tokens, line), expected, "{name}");
        let host = text.lines().position(|line| line.starts_with(host)).unwrap() + 1;
        assert_eq!(of_line(&tokens, host), [""; 0], "{name}");
    }
    let uri = uri(folder.path(), "block.cuh");
    let told = hover(&mut client, &uri, at(CUH, "__syncthreads", 0, 0)).unwrap();
    assert!(told.contains("`__syncthreads` is a convergent operation"), "{told}");
    assert_eq!(hover(&mut client, &uri, at(CUH, "width;", 0, 0)), None);
    assert_eq!(findings(&mut client, &uri), [(4, "divergent-barrier".to_owned())]);
}

/// The meaning of an included header depends on the code before its `#include`.
#[test]
fn header_of_any_extension_is_analysed_with_its_source() {
    let header = "__device__ inline void step() {\n  if (threadIdx.x < 4) SYNC();\n}\n";
    for name in ["step.cuh", "step.h", "step.hh", "step.hpp", "step.hxx", "step.inl"] {
        let source = format!("#define SYNC __syncthreads\n#include \"{name}\"\n");
        let folder = project(&[("all.cu", &source), (name, header)]);
        let mut client = client();
        client.open(&uri(folder.path(), "all.cu"), &source);
        let uri = uri(folder.path(), name);
        client.open(&uri, header);
        assert_eq!(findings(&mut client, &uri), [(2, "divergent-barrier".to_owned())], "{name}");
    }
}

#[test]
fn unincluded_header_is_analysed_by_its_content() {
    let folder = project(FILES);
    let mut client = client();
    for (name, text, findings_expected) in [("block.cuh", CUH, 1), ("lane.h", HEADER, 0)] {
        let uri = uri(folder.path(), name);
        client.open(&uri, text);
        assert_eq!(findings(&mut client, &uri).len(), findings_expected, "{name}");
    }
}

/// A name that host code also uses cannot be renamed, because not all its uses are known.
#[test]
fn name_used_in_host_code_is_not_renamed() {
    let folder = project(FILES);
    let uri = uri(folder.path(), "reduce.cu");
    let mut client = client();
    client.open(&uri, SOURCE);
    let mut rename = |needle: &str| {
        let ask = json!({ "textDocument": { "uri": uri }, "position": at(SOURCE, needle, 0, 0), "newName": "other" });
        let id = client.send("textDocument/rename", ask);
        client.answer(id)
    };
    let refused = rename("reduce(const");
    assert!(
        refused["error"]["message"].as_str().unwrap().starts_with("line 20 uses this name in host code"),
        "{refused}"
    );
    // The `i` in host code is another variable.
    let changed = rename("i = threadIdx");
    assert_eq!(changed["result"]["changes"][&uri].as_array().unwrap().len(), 5, "{changed}");
}

/// A class without `__device__` is parsed, because device code may have objects of it, but it is host code.
#[test]
fn host_classes_and_host_methods_are_not_analysed() {
    let text = "\
struct timer {
  int start;
  int elapsed(int now) { if (now > start) return now; return now - start; }
};
struct both {
  int value;
  int on_host(int now) { if (now > value) return now; return now - value; }
  __device__ int on_device() { if (threadIdx.x > value) return 1; return value; }
};
";
    let folder = project(&[("classes.cu", text)]);
    let uri = uri(folder.path(), "classes.cu");
    let mut client = client();
    client.open(&uri, text);
    assert_eq!(findings(&mut client, &uri), []);
    let tokens = tokens(&mut client, &uri, text);
    assert!(tokens.iter().all(|(line, _)| *line >= 5), "{tokens:#?}");
    // A class with device methods is analysed, except for the bodies of its host methods.
    assert_eq!(of_line(&tokens, 7), ["on_host property declaration", "now parameter declaration"]);
    assert!(of_line(&tokens, 8).contains(&"on_device property declaration"), "{tokens:#?}");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let ask = json!({ "textDocument": { "uri": uri }, "range": range });
    let hints = client.request("textDocument/inlayHint", ask);
    let lines: Vec<u64> =
        hints.as_array().unwrap().iter().map(|hint| hint["position"]["line"].as_u64().unwrap() + 1).collect();
    assert!(!lines.is_empty() && lines.iter().all(|&line| line == 8), "{hints:#}");
    assert_eq!(hover(&mut client, &uri, at(text, "now > start", 0, 0)), None);
    assert_eq!(hover(&mut client, &uri, at(text, "now > value", 0, 0)), None);
    assert!(hover(&mut client, &uri, at(text, "threadIdx", 0, 0)).is_some());
}

#[test]
fn editor_language_decides_dialect_of_unsaved_document() {
    let text = "__global__ void k() {\n  if (threadIdx.x < 4) __syncthreads();\n}\n";
    for language in ["cuda-cpp", "cuda", "hip"] {
        for uri in ["untitled:Untitled-1", "file:///nowhere/new.h"] {
            let mut client = client();
            client.open_as(uri, language, text);
            let expected = [(2, "divergent-barrier".to_owned())];
            assert_eq!(findings(&mut client, uri), expected, "{language} {uri}");
            // A configuration change does not change the dialect.
            client.notify("workspace/didChangeConfiguration", json!({ "settings": { "tangle": {} } }));
            assert_eq!(findings(&mut client, uri), expected, "{language} {uri}");
        }
    }
}

#[test]
fn default_editor_dialect_does_not_override_the_project() {
    let text = "__global__ void k() {\n  if (threadIdx.x < 4) __syncthreads();\n}\n";
    let folder = project(&[("kernel.inc", text), ("tangle.toml", "dialect = 'cuda'\n")]);
    let uri = uri(folder.path(), "kernel.inc");
    let options = json!({ "dialect": "auto" });
    let mut client = Client::with(
        json!({ "capabilities": { "textDocument": { "diagnostic": {} } }, "initializationOptions": options }),
    );
    client.open(&uri, text);
    assert_eq!(findings(&mut client, &uri), [(2, "divergent-barrier".to_owned())]);
}

/// A kernel and a helper, to test the terms in hovers.
const WORDS: &str = "\
__device__ float sum(float x) {
  return x + __shfl_down_sync(0xffffffff, x, 1);
}
__global__ void k(float *data) {
  __shared__ float xs[4];
  int i = threadIdx.x;
  xs[i] = sum(data[i]);
}
";

/// The file names under which [`WORDS`] is opened, with the term for a sub-group in that language.
const LANGUAGES: &[(&str, &str)] = &[("k.cu", "warp"), ("k.hip", "wavefront")];

/// The hover at `needle` in [`WORDS`], opened as a file with this name.
fn hover_on(name: &str, needle: &str) -> String {
    let folder = project(&[(name, WORDS)]);
    let uri = uri(folder.path(), name);
    let mut client = client();
    client.open(&uri, WORDS);
    hover(&mut client, &uri, at(WORDS, needle, 0, 0)).unwrap_or_else(|| panic!("no hover on {needle}"))
}

#[test]
fn hover_names_thread_index_as_in_the_source() {
    for (name, subgroup) in LANGUAGES {
        let told = hover_on(name, "i = threadIdx");
        assert!(told.contains("`threadIdx.x`"), "{told}");
        assert!(told.contains(&format!("in the {subgroup}, the block and the grid")), "{told}");
        for word in ["get_local_id", "work-item", "work-group", "sub-group", "NDRange"] {
            assert!(!told.contains(word), "{word} in {told}");
        }
    }
}

#[test]
fn hover_declares_variables_as_in_the_source() {
    for (name, _) in LANGUAGES {
        let told = hover_on(name, "xs[4]");
        assert!(told.contains("__shared__ float xs[4]; // one for each block"), "{told}");
        assert!(!told.contains("local float"), "{told}");
        let told = hover_on(name, "data)");
        assert!(told.contains("float *data; // parameter"), "{told}");
        assert!(!told.contains("global float"), "{told}");
    }
}

#[test]
fn hover_names_operation_scope_in_terms_of_the_language() {
    for (name, subgroup) in LANGUAGES {
        let told = hover_on(name, "__shfl_down_sync");
        let operation = format!("`__shfl_down_sync` is a convergent operation, scope *{subgroup}*.");
        assert!(told.contains(&operation), "{told}");
        for word in ["workgroup", "work-group", "subgroup", "sub-group"] {
            assert!(!told.contains(word), "{word} in {told}");
        }
    }
}

#[test]
fn hover_describes_first_tangle_as_threads_of_the_block() {
    for (name, _) in LANGUAGES {
        let told = hover_on(name, "xs[i]");
        assert!(told.contains(":\n- **T0**: the threads of the block that runs `k`"), "{told}");
    }
}
