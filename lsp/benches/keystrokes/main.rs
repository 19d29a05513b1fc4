//! Measures the latency of the server, compared with clangd: from a key press to the diagnostics, for a hover after the
//! key press, and when a file is opened.
//!
//! ```sh
//! apt-get install hashcat-data clangd-19
//! cargo bench -p tangle-lsp --bench keystrokes
//! ```
//!
//! Both servers are driven over standard input and output, with the same two files of 10,000 lines (see
//! `kernel.rs`) and the same edits: a letter is inserted before a name in a function, which makes the name undeclared,
//! and removed again. So each key press changes the diagnostics, and the time ends with the message that contains them.
//! `TANGLE_HASHCAT` names the folder of hashcat, `TANGLE_CLANGD` another clangd, `TANGLE_EDITS` the number of edits.
//! `TANGLE_FILE` names another file, to measure only that file, without clangd. In such a file, an undeclared name may
//! change no diagnostics, and equal ones are not sent again. So the client asks for them.

mod client;
mod kernel;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use client::Client;
use kernel::Kernel;

fn main() {
    let edits = std::env::var("TANGLE_EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(1000);
    if let Some(file) = std::env::var_os("TANGLE_FILE") {
        match Kernel::of_file(Path::new(&file)) {
            Some(kernel) => {
                print_head(&file.to_string_lossy(), &kernel);
                measure("tangle-lsp", Command::new(env!("CARGO_BIN_EXE_tangle-lsp")), &kernel, (edits, true));
            }
            None => println!("{} is not readable, or has no assignments", file.display()),
        }
        return;
    }
    match Kernel::of_hashcat() {
        Some(kernel) => compare("few findings: hashcat", &kernel, edits),
        None => println!("no hashcat: install hashcat-data, or set TANGLE_HASHCAT"),
    }
    match Kernel::of_samples() {
        Some(kernel) => compare("many findings: samples/rules", &kernel, edits),
        None => println!("the temporary folder is not writable"),
    }
}

/// Prints a table with a row for each server.
fn compare(title: &str, kernel: &Kernel, edits: usize) {
    print_head(title, kernel);
    measure("tangle-lsp", Command::new(env!("CARGO_BIN_EXE_tangle-lsp")), kernel, (edits, false));
    let clangd = std::env::var("TANGLE_CLANGD").unwrap_or_else(|_| "clangd-19".into());
    if Command::new(&clangd).arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("no {clangd}: install it, or set TANGLE_CLANGD");
        return;
    }
    let mut command = Command::new(clangd);
    command
        .arg(format!("--compile-commands-dir={}", kernel.folder.display()))
        .arg("--background-index=false");
    // clangd is slow here, so that it gets only a part of the edits.
    measure("clangd-19", command, kernel, (edits.min(60), false));
}

fn print_head(title: &str, kernel: &Kernel) {
    println!(
        "\n{title}; {} lines, {} KiB, {} places to edit",
        kernel.text.lines().count(),
        kernel.text.len() / 1024,
        kernel.sites.len()
    );
    println!(
        "{:12} {:>8} {:>22} {:>22} {:>22}",
        "", "open", "key to diagnostics", "hover after it", "memory"
    );
    println!(
        "{:12} {:>8} {:>22} {:>22} {:>22}",
        "", "", "median  p99  max", "median  p99  max", "100th edit, last"
    );
}

/// Prints the row of a server. `asks`: whether the client asks for diagnostics.
fn measure(name: &str, command: Command, kernel: &Kernel, (edits, asks): (usize, bool)) {
    let mut client = Client::start(command, &kernel.folder, asks);
    let open = client.open(&kernel.path, (kernel.language, &kernel.text));
    // A user does not type immediately after opening a file; servers use this time for more work.
    std::thread::sleep(Duration::from_secs(1));
    let mut keys = Vec::new();
    let mut hovers = Vec::new();
    let mut early = 0;
    // Each site is edited twice: a letter is inserted, then removed.
    for turn in 0..edits {
        let site = kernel.sites[(turn / 2 * 7919) % kernel.sites.len()];
        keys.push(client.edit(site, turn % 2 == 0));
        hovers.push(client.hover(site));
        if turn == 100 {
            early = client.memory();
        }
    }
    let row = |times: &mut Vec<Duration>| {
        times.sort();
        let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize].as_secs_f64() * 1e3;
        format!("{:.1}  {:.1}  {:.1} ms", at(0.5), at(0.99), at(1.0))
    };
    println!(
        "{name:12} {:>5.0} ms {:>22} {:>22} {:>22}",
        open.as_secs_f64() * 1e3,
        row(&mut keys),
        row(&mut hovers),
        format!("{} MiB, {} MiB", early / 1024, client.memory() / 1024)
    );
}

/// The `file:` URI of a path.
fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}
