//! libclc defines the builtins that our modules declare: the two link, and LLVM accepts and compiles the result.
//!
//! libclc 19 was compiled by a clang that makes every function of OpenCL convergent, without tokens. In LLVM, a
//! function must not mix convergent calls with and without tokens. Kernels to be linked with libclc are therefore
//! lowered with `--tokens off`.

use std::process::Command;

use tangle_referees::{libclc, llvm};

use super::tools::{lower, pipe, run, scratch};

const KERNEL: &str = "\
kernel void k(global float4 *a, global int *b, global uchar4 *c, volatile global int *n, local int *shared) {
  size_t i = get_global_id(0) + get_local_id(1) * get_group_id(2) + get_num_groups(0) + get_local_size(0);
  a[i] = sin(a[i]) + fma(a[i], a[i], a[i]) + clamp(a[i], 0.0f, 1.0f) + mix(a[i], a[i], 0.5f) + normalize(a[i]);
  a[i] += (float4)(dot(a[i], a[i])) + max(a[i], 1.0f) + ldexp(a[i], 2) + step(0.5f, a[i]);
  b[i] = abs_diff(b[i], 1) + mad24(b[i], 2, 3) + popcount(b[i]) + atomic_add(n, 1) + rotate(b[i], 3);
  b[i] += convert_int_sat(a[i].x) + as_int(a[i].y) + isnan(a[i].x) + mul_hi(b[i], 7) + clz(b[i]);
  c[i] = convert_uchar4_sat_rte(a[i]) + select(c[i], c[i], c[i]) + hadd(c[i], c[i]);
  shared[get_local_id(0)] = b[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[i] = shared[0];
}
";

#[test]
fn modules_link_with_libclc() {
    let (Some(link), Some(llc)) = (llvm("llvm-link"), llvm("llc")) else { return };
    let folder = scratch("libclc");
    std::fs::write(folder.join("k.cl"), KERNEL).unwrap();
    for (target, library, march) in [
        ("amdgcn", "amdgcn--amdhsa", ["-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx1030"]),
        ("nvptx64", "nvptx64--nvidiacl", ["-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_70"]),
    ] {
        let Some(library) = libclc(&format!("{library}.bc")) else { continue };
        run(&mut lower(&folder, &["--tokens", "off", "--target", target, "k.cl", "-o", "k.ll"])).unwrap();
        let mut command = Command::new(&link);
        command.current_dir(&folder).args(["--only-needed", "-S", "k.ll"]).arg(&library);
        let linked = run(&mut command).unwrap();
        let text = String::from_utf8_lossy(&linked);
        let missing: Vec<&str> =
            text.lines().filter(|line| line.starts_with("declare") && line.contains("@_Z")).collect();
        assert!(missing.is_empty(), "{target}: libclc does not define {missing:#?}");
        let code = pipe(Command::new(&llc).args(march).args(["-filetype=asm", "-o", "-"]), &linked).unwrap();
        assert!(!code.is_empty());
    }
}
