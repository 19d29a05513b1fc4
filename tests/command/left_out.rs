//! The reasons that `tangle lower` gives for the functions that it leaves out.

use std::process::Command;

/// Lowers a CUDA file, and returns the messages about functions that are left out, in source order.
fn reasons(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cu");
    std::fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tangle"))
        .args(["lower", "--emit", "llvm", "--target", "nvptx64", "--color", "never"])
        .arg(&file)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let message = |line: &str| Some(line.split_once("cannot lower ")?.1.replace(" [not-lowered]", ""));
    text.lines().filter_map(message).collect()
}

#[test]
fn reason_names_the_unknown_types_of_the_function() {
    let text = "\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
typedef float real;
typedef tensor_header row;
struct pair { real a, b; };
__global__ void lowered(pair *p, real x) { p[threadIdx.x].a = x; }
__global__ void one(node *p, real x) { p[threadIdx.x].value = x; }
__global__ void two(int *q, int n) { row *first = (row *)q; edge *last = (edge *)q; first[n].a = last[n].a; }
__global__ void four(a *p, b *q, c *r, d *s, real x) { p[0].v = q[0].v = r[0].v = s[0].v = x; }
template <class T> __global__ void generic(T *p) { T x = *p; p[1] = x; }
";
    let expected = [
        "`one`: a type is unknown (`node` is not known)",
        "`two`: a type is unknown (`row` and `edge` are not known)",
        "`four`: a type is unknown (`a`, `b`, `c` and others are not known)",
        "`generic`: no launch or explicit instantiation gives the arguments of the template: a type is unknown",
    ];
    assert_eq!(reasons(text), expected);
}
