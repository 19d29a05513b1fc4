//! LLVM's `opt`, if it is here.

use std::io::Write;
use std::process::{Command, Stdio};

/// The program.
pub struct Opt(String);

impl Opt {
    pub fn find() -> Option<Opt> {
        tangle_referees::llvm("opt").map(Opt)
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
