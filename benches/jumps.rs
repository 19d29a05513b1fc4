//! Measures time and memory of `tangle` on n labels and n jumps across them, for several n. Twice the number may take
//! at most four times as long.
//!
//! ```sh
//! cargo bench --bench jumps
//! ```

use std::fmt::Write;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A kernel with this number of labels and conditional jumps. The label of each jump is far from it.
fn kernel(labels: usize) -> String {
    let mut text = "kernel void k(global int *a) {\n  int i = get_global_id(0);\n".to_owned();
    for label in 0..labels {
        // 7919 is a prime: the jumps go to all labels, forwards and backwards, without an order.
        let target = label * 7919 % labels;
        writeln!(text, "  if (a[i] == {label}) goto l{target};").expect("writing to a string succeeds");
        writeln!(text, "l{label}:\n  a[i] = sub_group_reduce_add(i);").expect("writing to a string succeeds");
    }
    text + "}\n"
}

fn main() {
    let folder = std::env::temp_dir().join(format!("tangle-jumps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for the kernels is created");
    println!("{:>6}  {:<44} {:>8} {:>12}", "labels", "command", "seconds", "bytes");
    for labels in [100, 200, 400, 800, 1_600, 3_000] {
        let file = folder.join("k.cl");
        std::fs::write(&file, kernel(labels)).expect("the kernel is written");
        for arguments in [
            &["lint", "--fail-on", "never"][..],
            &["lint", "--fail-on", "never", "--format", "json"],
            &["show", "--what", "tangles", "--format", "json"],
            &["show", "--what", "uniformity", "--format", "json"],
            &["lower", "--emit", "flow"],
        ] {
            let begin = Instant::now();
            let mut child = Command::new(env!("CARGO_BIN_EXE_tangle"))
                .args(arguments)
                .arg(&file)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("the command starts");
            let mut output = child.stdout.take().expect("the output is piped");
            // Reads the output and drops it, so that no disk affects the time.
            let (mut buffer, mut bytes) = (vec![0; 1 << 16], 0);
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                bytes += count;
            }
            let status = child.wait().expect("the command ends");
            assert!(status.success(), "{arguments:?} ends with {status}");
            let (command, seconds) = (arguments.join(" "), begin.elapsed().as_secs_f64());
            println!("{labels:>6}  {command:<44} {seconds:>8.2} {bytes:>12}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}
