//! Two files of 10,000 lines.
//!
//! [`Kernel::of_hashcat`] has few findings: it consists of unmodified kernels of hashcat and of `samples/quiet`. The kernels are concatenated without their block of `#include`s; the union of their includes comes first. A kernel
//! is skipped if it defines a name again, or defines macros that would also affect the kernels after it. hashcat's
//! kernels have barriers only at their beginning. So the samples come first: they have barriers in loops and after
//! branches.
//!
//! [`Kernel::of_samples`] has a finding in most functions: it consists of the kernels in `samples/rules` without
//! preprocessor directives, again and again, each time with other names for their functions, types and variables.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::client::Site;

const LINES: usize = 10_000;
/// The macros that hashcat defines when it compiles its kernels.
const DEFINES: &str = include_str!("../../../tests/hashcat.defines");

pub struct Kernel {
    /// The folder of the file.
    pub folder: PathBuf,
    pub path: PathBuf,
    pub text: String,
    /// The language, as editors name it.
    pub language: &'static str,
    /// Whether the folder is temporary, with the file and its `compile_commands.json`.
    is_temporary: bool,
    /// The positions of the assigned names in functions (see [`sites`]).
    pub sites: Vec<Site>,
}

impl Kernel {
    /// Creates the file with many findings.
    pub fn of_samples() -> Option<Kernel> {
        let rules = sorted(concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/rules"));
        let rules = rules.iter().filter(|rule| rule.is_dir());
        let samples = rules.flat_map(|rule| sorted(&rule.to_string_lossy()));
        let is_opencl = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "cl");
        let texts: Vec<String> = samples
            .filter(is_opencl)
            .filter_map(|path| std::fs::read_to_string(path).ok())
            .filter(|text| !text.contains('#'))
            .collect();
        let mut lines: Vec<String> = Vec::new();
        for (number, text) in texts.iter().cycle().enumerate() {
            lines.extend(renamed(text, number).lines().map(str::to_owned));
            if lines.len() >= LINES {
                break;
            }
        }
        Kernel::written(&lines, "many", Vec::new())
    }

    /// Creates the file with few findings; returns `None` if hashcat is not installed.
    pub fn of_hashcat() -> Option<Kernel> {
        let hashcat = std::env::var_os("TANGLE_HASHCAT").map_or("/usr/share/hashcat".into(), PathBuf::from);
        let sources = hashcat.join("OpenCL");
        let mut names: Vec<PathBuf> =
            std::fs::read_dir(&sources).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        names.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_kernel));
        names.sort();
        names.splice(0..0, sorted(concat!(env!("CARGO_MANIFEST_DIR"), "/../samples/quiet")));
        let mut includes: Vec<String> = Vec::new();
        let mut body: Vec<String> = Vec::new();
        let mut defined: HashSet<String> = HashSet::new();
        for path in names {
            let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
            let (own_includes, own) = split(&text);
            let definitions: Vec<String> = own.iter().filter_map(|line| defines(line)).collect();
            // Indented directives may define macros inside a function. These would also apply in the kernels after it.
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
        let include = format!("-I{}", sources.display());
        let defines = DEFINES.lines().chain(["VECT_SIZE=1"]).map(|define| format!("-D{define}"));
        Kernel::written(&lines, "few", [include].into_iter().chain(defines).collect())
    }

    /// Reads a file of the user. Returns `None` if it is not readable or has no places to edit.
    pub fn of_file(path: &Path) -> Option<Kernel> {
        let path = path.canonicalize().ok()?;
        let text = std::fs::read_to_string(&path).ok()?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let sites = sites(&lines);
        let language = match path.extension()?.to_str()? {
            "cl" => "opencl",
            "hip" => "hip",
            _ => "cuda",
        };
        let folder = path.parent()?.to_owned();
        (!sites.is_empty()).then_some(Kernel { folder, path, text, language, is_temporary: false, sites })
    }

    /// Writes the files. `options`: further options for the compiler.
    fn written(lines: &[String], name: &str, options: Vec<String>) -> Option<Kernel> {
        let text = lines.join("\n") + "\n";
        let folder = std::env::temp_dir().join(format!("tangle-bench-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).ok()?;
        let (path, sites) = (folder.join("kernel.cl"), sites(lines));
        let kernel = Kernel { folder, path, text, language: "opencl", is_temporary: true, sites };
        std::fs::write(&kernel.path, &kernel.text).ok()?;
        let mut arguments = ["clang", "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header"]
            .map(str::to_owned)
            .to_vec();
        arguments.extend(options);
        arguments.push("kernel.cl".to_owned());
        let commands = json!([{ "directory": kernel.folder, "file": "kernel.cl", "arguments": arguments }]);
        std::fs::write(kernel.folder.join("compile_commands.json"), commands.to_string()).ok()?;
        Some(kernel)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if self.is_temporary {
            // It is harmless if the folder remains.
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// The paths in a folder of samples, sorted.
fn sorted(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the samples are part of the project");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// Returns a sample without its expectations, and with a number at the end of each name that it declares at file scope.
fn renamed(text: &str, number: usize) -> String {
    let text: String =
        text.lines().flat_map(|line| [line.split("//~").next().unwrap_or_default(), "\n"]).collect();
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let declares = |line: &&str| line.starts_with(is_letter) && line.contains(['(', '{', '=', ';']);
    let declared: HashSet<&str> = text
        .lines()
        .filter(declares)
        .filter_map(|line| line[..line.find(['(', '{', '=', ';', '['])?].trim_end().rsplit([' ', '*']).next())
        .collect();
    let mut changed = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(start) = rest.find(is_letter) {
        let end = rest[start..].find(|c| !is_letter(c)).map_or(rest.len(), |length| start + length);
        changed += &rest[..end];
        if declared.contains(&rest[start..end]) {
            changed += &format!("_{number}");
        }
        rest = &rest[end..];
    }
    changed + rest
}

fn is_kernel(name: &str) -> bool {
    name.starts_with('m') && name.ends_with("-pure.cl")
}

/// Splits a kernel into its `#include` lines and the other lines.
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

/// The name that a line defines if it is not indented and looks like the start of a definition. `COMPARE` macros are
/// ignored, because their repeated definitions are identical.
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

/// The positions of lines such as `  x = y;`, where a letter inserted before the first name makes it an undeclared
/// name.
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
