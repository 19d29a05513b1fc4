//! Text that `#if` leaves out is faded, with the reason.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///nowhere/k.cl";

const KERNEL: &str = "\
#define WIDTH 4
#ifndef DEPTH
#define DEPTH 2
#endif
kernel void k(global int *p) {
#ifdef HIDDEN
  p[0] = 1;
#ifdef INNER
  p[1] = 1;
#endif
#else
  p[0] = 2;
#endif
#if WIDTH == 4
  p[2] = 1;
#elif WIDTH == 8
  p[2] = 2;
#else
  p[2] = 3;
#endif
#if 0
  p[3] = 1;
#endif
#if DEPTH == 3
  p[4] = 1;
#endif
#if WIDTH > \\
    5
  p[5] = 1;
#endif
#ifdef EMPTY
#endif
}
";

/// Opens a document in a client that can fade text, with these settings.
fn open(uri: &str, language: &str, text: &str, settings: Value) -> Client {
    let faded = json!({ "textDocument": { "publishDiagnostics": { "tagSupport": { "valueSet": [1, 2] } } } });
    let mut client = Client::with(json!({ "capabilities": faded, "initializationOptions": settings }));
    client.open_as(uri, language, text);
    client
}

/// Returns the first line, the last line and the message of each faded text.
fn faded(published: &Value) -> Vec<(u64, u64, String)> {
    let diagnostics = published["diagnostics"].as_array().unwrap().iter();
    let of_text = diagnostics.filter(|it| it["code"] == "inactive-code");
    let shown = |it: &Value| {
        assert_eq!((&it["severity"], &it["tags"]), (&json!(4), &json!([1])));
        let line = |end: &str| it["range"][end]["line"].as_u64().unwrap();
        (line("start"), line("end"), it["message"].as_str().unwrap().to_owned())
    };
    of_text.map(shown).collect()
}

#[test]
fn inactive_text_is_faded_with_the_reason() {
    let mut client = open(URI, "opencl", KERNEL, json!({}));
    let found = faded(&client.published(URI));
    let expected = [
        (6, 9, "`HIDDEN` is not defined"),
        (16, 16, "another branch of this condition is taken"),
        (18, 18, "another branch of this condition is taken"),
        (21, 21, "the condition of this `#if` is false"),
        (24, 24, "`DEPTH` has its default value"),
        (28, 28, "the condition of this `#if` is false"),
    ];
    let expected = expected.map(|(first, last, why)| (first, last, format!("this text is left out: {why}")));
    assert_eq!(found, expected);
    // A definition changes it at once.
    client.change(URI, 2, &format!("#define HIDDEN\n{KERNEL}"));
    let found = faded(&client.published(URI));
    assert_eq!(found[0], (9, 9, "this text is left out: `INNER` is not defined".to_owned()));
    assert_eq!(found[1].0, 12);
}

#[test]
fn fading_can_be_disabled_and_needs_a_client_that_fades() {
    let off = json!({ "inactiveCode": { "enable": false } });
    assert_eq!(faded(&open(URI, "opencl", KERNEL, off).published(URI)), []);
    let mut client = Client::with(json!({ "capabilities": {} }));
    client.open(URI, KERNEL);
    assert_eq!(faded(&client.published(URI)), []);
}

#[test]
fn host_code_of_cuda_is_left_out_of_device_code_only() {
    const CUDA: &str = "file:///nowhere/k.cu";
    let text = "\
__host__ __device__ int f() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
__global__ void k(int *p) { p[0] = f(); }
";
    let mut client = open(CUDA, "cuda", text, json!({}));
    let expected =
        (4, 4, "this text is left out of device code: another branch of this condition is taken".to_owned());
    assert_eq!(faded(&client.published(CUDA)), [expected]);
}
