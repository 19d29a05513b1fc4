//! LLVM's `opt`, if it is here.

use std::io::Write;
use std::process::{Command, Stdio};

/// `opt-19`, or that of `TANGLE_LLVM` (a folder of programs without a version in their names).
pub struct Opt(String);

impl Opt {
    /// None, and a plain word, if it is not here. Not through `eprintln!`, which the test runner swallows.
    pub fn find() -> Option<Opt> {
        let program = match std::env::var("TANGLE_LLVM") {
            Ok(folder) => format!("{folder}/opt"),
            Err(_) => "opt-19".to_owned(),
        };
        match Command::new(&program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
            Ok(_) => Some(Opt(program)),
            Err(_) => {
                let _ = writeln!(std::io::stderr(), "SKIPPED: no {program} on this machine; set TANGLE_LLVM");
                None
            }
        }
    }

    /// Whether passes run on a module, and what they print.
    pub fn run(&self, passes: &str, module: &str) -> (bool, String) {
        let mut child = Command::new(&self.0)
            .args([&format!("-passes={passes}"), "-disable-output"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // Apart, since both ends may wait for each other.
        let module = module.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(module.as_bytes()));
        let output = child.wait_with_output().unwrap();
        let written = writer.join().unwrap().is_ok();
        (written && output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// What the verifier says against the skeletons of functions.
    pub fn refuses(&self, functions: &str) -> Option<String> {
        let (accepted, text) = self.run("verify", &format!("{DECLARATIONS}{functions}"));
        (!accepted).then_some(text)
    }
}

const DECLARATIONS: &str = "\
declare void @op() convergent
declare void @plain()
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
declare token @llvm.experimental.convergence.anchor()
";
