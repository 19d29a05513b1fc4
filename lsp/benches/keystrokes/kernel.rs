//! A file of 10,000 lines, made of hashcat's kernels and some of our samples, as they are.
//!
//! Kernels are joined one after the other, each without its block of `#include`s; what any of them includes stands at the top. One
//! that would define a name again is left out, and one that would disturb the next. hashcat's kernels have no barrier but at their beginning:
//! those of `samples/quiet` come first, which have them in loops and behind branches.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::json;

use super::client::Site;

const LINES: usize = 10_000;
/// The macros that hashcat gives its kernels.
const DEFINES: &str = include_str!("../../../tests/hashcat.defines");

pub struct Kernel {
    /// Holds the file and its `compile_commands.json`.
    pub folder: PathBuf,
    pub text: String,
    /// Where names stand in assignments inside functions.
    pub sites: Vec<Site>,
}

impl Kernel {
    /// None without hashcat.
    pub fn make() -> Option<Kernel> {
        let hashcat = std::env::var_os("TANGLE_HASHCAT").map_or("/usr/share/hashcat".into(), PathBuf::from);
        let sources = hashcat.join("OpenCL");
        let mut names: Vec<PathBuf> =
            std::fs::read_dir(&sources).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        names.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_kernel));
        names.sort();
        names.splice(0..0, quiet());
        let mut includes: Vec<String> = Vec::new();
        let mut body: Vec<String> = Vec::new();
        let mut defined: HashSet<String> = HashSet::new();
        for path in names {
            let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
            let (own_includes, own) = split(&text);
            let definitions: Vec<String> = own.iter().filter_map(|line| defines(line)).collect();
            // A macro that a kernel defines in the middle of itself would go on into the next.
            let local_macros =
                own.iter().any(|line| line.starts_with(' ') && line.trim_start().starts_with('#'));
            if local_macros || definitions.iter().any(|name| defined.contains(name)) {
                continue;
            }
            defined.extend(definitions);
            includes
                .extend(own_includes.into_iter().filter(|line| !includes.contains(line)).collect::<Vec<_>>());
            body.extend(own);
            if includes.len() + body.len() >= LINES {
                break;
            }
        }
        let lines: Vec<String> = includes.into_iter().chain(body).collect();
        let text = lines.join("\n") + "\n";
        let folder = std::env::temp_dir().join(format!("tangle-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).ok()?;
        let kernel = Kernel { folder, sites: sites(&lines), text };
        std::fs::write(kernel.path(), &kernel.text).ok()?;
        let mut arguments = ["clang", "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header"]
            .map(str::to_owned)
            .to_vec();
        arguments.push(format!("-I{}", sources.display()));
        arguments.extend(DEFINES.lines().chain(["VECT_SIZE=1"]).map(|define| format!("-D{define}")));
        arguments.push("kernel.cl".to_owned());
        let commands = json!([{ "directory": kernel.folder, "file": "kernel.cl", "arguments": arguments }]);
        std::fs::write(kernel.folder.join("compile_commands.json"), commands.to_string()).ok()?;
        Some(kernel)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join("kernel.cl")
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // A folder that stays behind does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Reductions, scans, sorting networks and the like.
fn quiet() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/quiet");
    let entries = std::fs::read_dir(folder).expect("the samples are part of the project");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn is_kernel(name: &str) -> bool {
    name.starts_with('m') && name.ends_with("-pure.cl")
}

/// What a kernel includes, and the rest of it.
fn split(text: &str) -> (Vec<String>, Vec<String>) {
    let mut includes = Vec::new();
    let mut rest = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "#ifdef KERNEL_STATIC" => inside = true,
            "#endif" if inside => inside = false,
            _ if line.starts_with("#include") => includes.push(line.to_owned()),
            _ if !inside => rest.push(line.to_owned()),
            _ => {}
        }
    }
    (includes, rest)
}

/// The name that a line at the left margin defines, if it looks like the start of a definition. Macros may stand twice if they are alike.
fn defines(line: &str) -> Option<String> {
    if line.starts_with("#define COMPARE")
        || !line.starts_with(|c: char| c.is_alphabetic() || c == '#' || c == '}')
    {
        return None;
    }
    let line = line.strip_prefix("#define ").unwrap_or(line);
    let end = line.find(['(', ';', '=']).unwrap_or(line.len());
    let name = line[..end].trim_end().rsplit([' ', '*', '}']).next()?;
    (!name.is_empty() && !name.starts_with('#')).then(|| name.to_owned())
}

/// Lines such as `  x = y;`, where a letter before the first name makes it another one.
fn sites(lines: &[String]) -> Vec<Site> {
    let mut depth = 0usize;
    let mut sites = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if line.starts_with("#if") {
            depth += 1;
        } else if line.starts_with("#endif") {
            depth = depth.saturating_sub(1);
        }
        let text = line.trim_start();
        let column = line.len() - text.len();
        let name = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
        let assigns = text[name..].starts_with(" = ") || text[name..].starts_with("[");
        if depth == 0 && column > 0 && name > 0 && assigns && text.ends_with(';') && !line.contains("macro") {
            sites.push((number, column));
        }
    }
    sites
}
