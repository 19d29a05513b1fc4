//! Guesses the language of a text from its contents, independent of the name of its file.
//!
//! ```text
//! __global__ void k() {}      a kernel of CUDA or HIP
//! kernel void k() {}          OpenCL C
//! ```

use memchr::memmem;

/// Keywords that only device code in CUDA and HIP has.
const DEVICE: &[&str] = &["__global__", "__device__"];

/// Names that only OpenCL C has, or text that can also be parsed as OpenCL C.
const OPENCL: &[&str] = &[
    "__kernel",
    "kernel void",
    "get_global_id",
    "get_local_id",
    "__OPENCL_VERSION__",
    "__OPENCL_C_VERSION__",
];

/// Macro definitions that change the meaning of a CUDA keyword.
const REDEFINED: &[&str] = &["define __global__", "define __device__"];

/// Whether a text has device keywords of CUDA or HIP.
pub fn has_device_words(text: &str) -> bool {
    has_any(text, DEVICE)
}

/// Whether a text has device keywords of CUDA or HIP, does not define them, and has no names of OpenCL C.
pub fn is_cuda_or_hip(text: &str) -> bool {
    has_device_words(text) && !has_any(text, OPENCL) && !has_any(text, REDEFINED)
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}
