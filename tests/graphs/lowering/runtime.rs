//! Our modules call the runtime of OpenCL as clang does: with the same names, types, and arguments that no source
//! shows.
//!
//! Needs clang-19. Without it, the tests print a message and pass.

use std::process::Command;

use super::tools::{lower, run, scratch};

/// Returns the lines of our module and of clang's that name functions with a word, for SPIR.
fn calls(name: &str, kernel: &str, word: &str) -> Option<(Vec<String>, Vec<String>)> {
    let clang = tangle_referees::clang()?;
    let folder = scratch(name);
    std::fs::write(folder.join("k.cl"), kernel).unwrap();
    let ours = run(lower(&folder, &["--target", "none", "--tokens", "off"]).arg("k.cl")).unwrap();
    let mut theirs = Command::new(clang);
    theirs.current_dir(&folder).args(["-x", "cl", "-cl-std=CL3.0", "-target", "spir64", "-O0", "-w"]);
    theirs.args(["-Xclang", "-finclude-default-header", "-S", "-emit-llvm", "-o", "-", "k.cl"]);
    let theirs = run(&mut theirs).unwrap();
    let lines = |module: Vec<u8>| {
        let text = String::from_utf8(module).unwrap();
        let mut lines: Vec<String> =
            text.lines().filter(|line| line.contains(&format!("@__{word}"))).map(shape).collect();
        lines.sort();
        lines
    };
    Some((lines(ours), lines(theirs)))
}

/// Reduces a declaration or call to its types, callee and constants.
fn shape(line: &str) -> String {
    let end = line.rfind(')').map_or(line.len(), |end| end + 1);
    let words = line[..end].split(' ').filter(|word| !matches!(*word, "dso_local" | ""));
    let values = words.map(|word| match word.starts_with('%') {
        true => &word[word.len() - usize::from(word.ends_with([',', ')']))..],
        false => word,
    });
    values.filter(|word| *word != "=").collect::<Vec<_>>().join(" ").trim().to_owned()
}

#[test]
fn pipe_runtime_calls_match_clang() {
    let kernel = "
        struct __attribute__((packed)) tight { char c; int x; };
        kernel void k(read_only pipe float3 p, write_only pipe struct tight q, global float3 *o, global struct tight *i) {
          read_pipe(p, o);
          write_pipe(q, i);
          reserve_id_t r = reserve_read_pipe(p, 3), w = work_group_reserve_write_pipe(q, 3);
          read_pipe(p, r, 1, o);
          write_pipe(q, w, 2, i);
          commit_read_pipe(p, r);
          work_group_commit_write_pipe(q, w);
          o[0].x = get_pipe_num_packets(p) + get_pipe_max_packets(q);
        }";
    for word in ["read_pipe", "write_pipe", "reserve", "commit", "work_group", "get_pipe"] {
        let Some((ours, theirs)) = calls(&format!("pipes_{word}"), kernel, word) else { return };
        assert!(!theirs.is_empty(), "{word}");
        assert_eq!(ours, theirs);
    }
}
