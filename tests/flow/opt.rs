//! LLVM's `opt`, if it is installed.

use std::io::Write;
use std::process::{Command, Stdio};

/// The path of the program.
pub struct Opt(String);

impl Opt {
    pub fn find() -> Option<Opt> {
        tangle_referees::llvm("opt").map(Opt)
    }

    /// Runs passes on a module. Returns whether they succeed, and what `opt` prints.
    pub fn run(&self, passes: &str, module: &str) -> (bool, String) {
        let mut child = Command::new(&self.0)
            .args([&format!("-passes={passes}"), "-disable-output"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A separate thread writes, since `opt` may block on its output before it has read all input.
        let module = module.to_owned();
        let writer = std::thread::spawn(move || stdin.write_all(module.as_bytes()));
        let output = child.wait_with_output().unwrap();
        let written = writer.join().unwrap().is_ok();
        (written && output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Returns the errors of the verifier for the skeletons of functions, or `None` if it accepts them.
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
