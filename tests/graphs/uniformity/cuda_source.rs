//! Random kernels in CUDA: indices in three dimensions, references, objects with methods and constructors, lambdas, groups,
//! shared records, votes, shuffles, function templates, and barriers that threads may leave before. Jumps and loops are generated
//! as in [`source`](super::source).
//!
//! The programs obey the assumptions of the analysis (`docs/cuda.md`): a row of a block consists of whole warps, and no pointer
//! aliases the target of a reference parameter.

use std::fmt::Write;
use tangle_simulate::Random;

use super::source::{About, COUNTERS, Function, Maker, Source, Stmt, made};

/// The number of threads of a warp. A smaller warp than that of hardware has the same rules, and executes faster.
pub const WARP: u32 = 8;

/// The types and functions of each program.
const PRELUDE: &str = "\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct pair {
  int i, j;
  __device__ int sum() const { return i + j; }
  __device__ void set(int a, int b) { i = a; j = b; }
  __device__ int &at(int k) { if (k & 1) return j; return i; }
};
struct box {
  int v;
  pair in;
  __device__ box(int a, int b) : v(a) { in.i = b; in.j = a + b; }
  __device__ int get(int k) const { if (k > 1) return v; return in.i; }
  __device__ void put(int a) { v = a; }
  __device__ int vote(int a) { return __any_sync(~0u, a > v); }
  __device__ void wait(int a) { in.j = a; __syncthreads(); }
};
static __device__ int least(int a, int b) { return a < b ? a : b; }
static __device__ void give(int &to, int a) { to = a; }
static __device__ void exchange(int &a, int &b) { int t = a; a = b; b = t; }
static __device__ pair both(int a, int b) { pair r = {a, b}; return r; }
template <class T> static __device__ T larger(T a, T b) { return a < b ? b : a; }
template <class T> static __device__ void turn(T &a, T &b) { T t = a; a = b + 1; b = t; }
template <int W> static __device__ int part(int a) { if constexpr (W > 2) return part<W / 2>(a + 1); return a / W; }
template <class T, int W = 4> static __device__ T in_warp(T a) { return __shfl_sync(~0u, a, 1, W); }
template <class T, bool WAIT> static __device__ T waiting(T a) { if (WAIT) __syncthreads(); return a + WAIT; }
static __device__ int from_first(cg::thread_block_tile<4> tile, int a) { return tile.shfl(a, 0); }
__constant__ int c[8] = {3, 1, 4, 1, 5, 9, 2, 6};
";

/// Returns a program with these functions.
pub fn with_prelude(functions: &str) -> String {
    let mut text = format!("{PRELUDE}{}", functions.replace("min(", "least("));
    if text.contains("template <int N, int M>") {
        text += "void host(dim3 blocks, dim3 threads) { k<4, 1><<<blocks, threads>>>(0, 0, 0, 0); }\n";
    }
    text
}

/// Returns a random program in CUDA. Its kernel may be a template with a launch.
pub fn cuda_source(random: &mut Random) -> Source {
    made(random, About::Cuda)
}

impl Maker<'_> {
    /// Returns a function with this body. `number`: that of a helper.
    pub(super) fn cuda_function(&mut self, number: Option<usize>, body: Vec<Stmt>) -> Function {
        let mut head = match number {
            Some(number) => format!(
                "{}\n  int l = x, g = y;",
                match self.random.chance(30) {
                    true => format!(
                        "template <class T, int N = 3> static __device__ int h{number}(T x, int y, int *e, pair &f, box d, \
                         int *p) {{\n  y += N;"
                    ),
                    false => format!(
                        "static __device__ int h{number}(int x, int y, int *e, pair &f, box d, int *p) {{"
                    ),
                }
            ),
            None => {
                let template = if self.random.chance(30) { "template <int N, int M> " } else { "" };
                let bounds = self.pick(&["", "", "__launch_bounds__(64) "]);
                let (x, y) = (self.pick(&["0", "1", "n", "u", "l"]), self.pick(&["2", "n", "l", "g", "s"]));
                let size = if template.is_empty() { "" } else { " x += N; y = y * M;" };
                format!(
                    "// tangle: launch(sub_group_size = {WARP})\n{template}__global__ {bounds}void k(int *p, const int *q, int n, int u) {{\n  \
                     __shared__ int m[64]; __shared__ pair sm;\n  \
                     int l = threadIdx.x, g = blockIdx.x, s = threadIdx.y, t = blockIdx.x * blockDim.x + threadIdx.x;\n  \
                     int x = {x}; int y = {y};{size}\n  \
                     m[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)] = 0;\n  \
                     int first; int *e = &first; first = n; pair own = {{x, l}}; pair &f = own; box d(x, l);"
                )
            }
        };
        let counters: Vec<String> = (0..COUNTERS).map(|it| format!("w{it} = 0")).collect();
        write!(
            head,
            "\n  int z = 0, v = 1, w = 2, {};\n  int a[4] = {{0, 1, l, 3}}; pair r = {{1, l}}, o = {{0, g}};\n  \
             box d2(y, 2); int b[4] = {{x, l, 2, y}}; int &ref = b[1]; uint3 ti = threadIdx;\n  \
             auto add = [&](int a) {{ w += a; return w + l; }};\n  \
             auto chosen = [=](int a) {{ return a > 1 ? x : l; }};\n  \
             auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<4>(block);",
            counters.join(", ")
        )
        .unwrap();
        let last = match number {
            None => {
                "p[t & 15] = x + y * 2 + z * 3 + w + r.i + a[1] + *e + f.sum() + d.get(z) + ref;".to_owned()
            }
            Some(_) => format!("return {};", self.expr(1)),
        };
        Function { head, body, last, shown: true }
    }

    pub(super) fn cuda_leaf(&mut self) -> String {
        self.pick(&[
            "f.i",
            "f.j",
            "f.sum()",
            "f.at(x)",
            "r.sum()",
            "o.at(l)",
            "d.v",
            "d.get(z)",
            "d.get(y)",
            "d.in.j",
            "d.in.sum()",
            "d2.v",
            "d2.get(x)",
            "d2.in.i",
            "box(x, l).get(z)",
            "both(x, l).i",
            "both(l, y).j",
            "ref",
            "b[0]",
            "b[x & 3]",
            "b[l & 3]",
            "chosen(y)",
            "chosen(z)",
            "(l / 4)",
            "(l / 8)",
            "(l & 8)",
            "((int)block.thread_rank() / 8)",
            "((int)block.thread_rank() - l)",
            "(int)threadIdx.y",
            "(int)threadIdx.z",
            "(int)ti.x",
            "(int)ti.y",
            "(int)(threadIdx.x + blockDim.x * threadIdx.y)",
            "(int)blockDim.y",
            "(int)gridDim.x",
            "(int)block.thread_rank()",
            "(int)block.size()",
            "(int)block.group_index().x",
            "(int)block.thread_index().y",
            "(int)tile.thread_rank()",
            "(int)tile.meta_group_rank()",
            "(int)tile.size()",
            "larger(x, l)",
            "larger(y, n)",
            "larger<long long>(z, u)",
            "part<8>(l)",
            "part<4>(y)",
        ])
    }

    pub(super) fn cuda_assignment(&mut self) -> String {
        let (a, b) = (self.expr(1), self.leaf());
        match self.random.below(26) {
            24 => self.pick(&["turn(x, z);", "turn(f.j, b[2]);", "turn(*e, ref);"]),
            25 => format!("z = larger({a}, {b});"),
            0 => format!("f.i = {a};"),
            1 => format!("f.set({a}, {b});"),
            2 => format!("d.put({a});"),
            3 => format!("d.v = {a};"),
            4 => format!("d.in.set({a}, {b});"),
            5 => format!("ref = {a};"),
            6 => format!("give(x, {a});"),
            7 => format!("give(f.j, {a});"),
            8 => format!("give(b[1], {a});"),
            9 => format!("give(d2.in.i, {a});"),
            10 => self.pick(&["exchange(x, y);", "exchange(f.i, z);", "exchange(b[0], ref);"]),
            11 => format!("x = add({a});"),
            12 => format!("add({a});"),
            13 => self.pick(&["f = r;", "r = f;", "o = d.in;", "d.in = f;", "d = d2;"]),
            14 => format!("d2 = box({a}, {b});"),
            15 => format!("f.at(z) = {a};"),
            16 => format!("d.in.at(l) = {a};"),
            17 => format!("r = both({a}, {b});"),
            18 => format!("z = d.get({a});"),
            19 => format!("y = chosen({a});"),
            _ => {
                let target = self.pick(&["b[0]", "b[x & 3]", "b[l & 3]", "f.j", "d2.v", "*e", "o.i", "r.j"]);
                format!("{target} = {a};")
            }
        }
    }

    pub(super) fn cuda_memory(&mut self) -> String {
        let (value, leaf) = (self.expr(1), self.leaf());
        let helper = (self.helpers > 0).then(|| self.random.below(self.helpers));
        match (self.random.below(8), helper) {
            (0, _) => self.pick(&["e = &w;", "e = &v;", "e = &a[2];", "r = o;", "o = r;"]),
            (1, _) => format!("p[{leaf} & 15] = {value};"),
            (2, _) if self.kernel => format!("m[{leaf} & 3] = {value};"),
            (3, _) => format!("x = atomicAdd(p + ({leaf} & 7), 1);"),
            (4, _) if self.kernel => self.pick(&["sm.i = x;", "sm.set(x, l);", "y = sm.i;", "z = sm.sum();"]),
            (_, Some(helper)) => {
                let target = self.pick(&["x", "y", "z"]);
                let pointer = self.pick(&["&w", "&v", "e", "a", "&b[2]"]);
                let record = self.pick(&["f", "r", "o", "d.in"]);
                let object = self.pick(&["d", "d2", "box(x, l)"]);
                format!("{target} = h{helper}({value}, {leaf}, {pointer}, {record}, {object}, p);")
            }
            _ => format!("*e = {value};"),
        }
    }

    pub(super) fn cuda_convergent(&mut self) -> String {
        let value = self.expr(1);
        let target = self.pick(&["x", "y", "z", "v"]);
        match self.random.below(28) {
            24 => format!("{target} = in_warp({value});"),
            25 => format!("{target} = in_warp<int, 2>({value});"),
            26 => format!("{target} = waiting<int, true>({value});"),
            27 => format!("{target} = waiting<int, false>({value});"),
            0 | 1 => "__syncthreads();".into(),
            2 => "block.sync();".into(),
            3 => "__syncwarp();".into(),
            4 => format!("{target} = __syncthreads_count({value});"),
            5 => format!("{target} = __syncthreads_or({value});"),
            6 => format!("{target} = __syncthreads_and({value});"),
            7 => format!("{target} = __any_sync(~0u, {value});"),
            8 => format!("{target} = __all_sync(~0u, {value});"),
            9 => format!("{target} = __ballot_sync(~0u, {value});"),
            10 => format!("{target} = __shfl_sync(~0u, {value}, 0);"),
            11 => format!("{target} = __shfl_sync(~0u, {value}, {} & 3);", self.leaf()),
            12 => format!("{target} = __shfl_sync(~0u, {value}, 1, 4);"),
            13 => format!("{target} = __shfl_xor_sync(~0u, {value}, 1);"),
            14 => format!("{target} = __shfl_down_sync(~0u, {value}, 1);"),
            15 => format!("{target} = __match_any_sync(~0u, {value});"),
            16 => format!("{target} = tile.shfl({value}, 0);"),
            17 => format!("{target} = tile.shfl_xor({value}, 1);"),
            18 => format!("{target} = tile.any({value});"),
            19 => format!("{target} = tile.ballot({value});"),
            20 => "tile.sync();".into(),
            21 => format!("{target} = d.vote({value});"),
            22 => format!("d2.wait({value});"),
            _ => format!("{target} = from_first(tile, {value});"),
        }
    }
}
