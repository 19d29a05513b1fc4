//! What the content of a text says about its language, whatever its file is called.
//!
//! ```text
//! __global__ void k() {}      a kernel of CUDA or HIP
//! kernel void k() {}          OpenCL C
//! ```

use memchr::memmem;

/// Words that only code for devices in CUDA and HIP has.
const DEVICE: &[&str] = &["__global__", "__device__"];

/// Words that only OpenCL C has, or text that is also read as OpenCL C.
const OPENCL: &[&str] = &[
    "__kernel",
    "kernel void",
    "get_global_id",
    "get_local_id",
    "__OPENCL_VERSION__",
    "__OPENCL_C_VERSION__",
];

/// Definitions that give a word of CUDA another meaning.
const REDEFINED: &[&str] = &["define __global__", "define __device__"];

/// Whether a text has words of CUDA or HIP for devices.
pub fn has_device_words(text: &str) -> bool {
    has_any(text, DEVICE)
}

/// Whether a text has words of CUDA or HIP for devices, does not define them, and has no words of OpenCL C.
pub fn is_cuda_or_hip(text: &str) -> bool {
    has_device_words(text) && !has_any(text, OPENCL) && !has_any(text, REDEFINED)
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}
