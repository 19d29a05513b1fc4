//! The names that OpenCL C declares as types before the first line of a kernel is read.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::symbol::Symbol;

/// The scalar types that vectors are made of; each is a keyword, or one of [`SCALARS`].
const ELEMENTS: [&str; 11] =
    ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];

const WIDTHS: [&str; 5] = ["2", "3", "4", "8", "16"];

const SCALARS: [&str; 8] =
    ["uchar", "ushort", "uint", "ulong", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"];

const OTHERS: [&str; 42] = [
    "image1d_t",
    "image1d_array_t",
    "image1d_buffer_t",
    "image2d_t",
    "image2d_array_t",
    "image2d_depth_t",
    "image2d_array_depth_t",
    "image2d_msaa_t",
    "image2d_array_msaa_t",
    "image2d_msaa_depth_t",
    "image2d_array_msaa_depth_t",
    "image3d_t",
    "sampler_t",
    "event_t",
    "queue_t",
    "ndrange_t",
    "clk_event_t",
    "reserve_id_t",
    "clk_profiling_info",
    "kernel_enqueue_flags_t",
    "cl_mem_fence_flags",
    "memory_order",
    "memory_scope",
    "atomic_int",
    "atomic_uint",
    "atomic_long",
    "atomic_ulong",
    "atomic_half",
    "atomic_float",
    "atomic_double",
    "atomic_flag",
    "atomic_size_t",
    "atomic_ptrdiff_t",
    "atomic_intptr_t",
    "atomic_uintptr_t",
    "atomic_intmax_t",
    "atomic_uintmax_t",
    "va_list",
    "__builtin_va_list",
    "__int128_t",
    "__uint128_t",
    "_Float16",
];

/// Every builtin type that is a name and not a keyword.
pub fn builtin_types() -> impl Iterator<Item = &'static str> {
    let vectors = VECTORS.iter().map(|name| name.as_str());
    SCALARS.into_iter().chain(OTHERS).chain(vectors)
}

/// Whether `name` is a builtin vector type, such as `float4`.
pub fn is_vector(name: Symbol) -> bool {
    VECTORS.contains(&name)
}

static VECTORS: LazyLock<FxHashSet<Symbol>> = LazyLock::new(|| {
    let named = |element: &&str| WIDTHS.map(|width| Symbol::intern(&format!("{element}{width}")));
    ELEMENTS.iter().flat_map(named).collect()
});
