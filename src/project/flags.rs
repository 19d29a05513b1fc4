//! The compiler options that determine how a kernel is read.
//!
//! These are the options of clang in `compile_commands.json`: `-I`, `-iquote`, `-isystem`, `-idirafter`, `-D`, `-U`,
//! `-include`, `-x` and `-std=`; options of nvcc and hipcc that name the device; and OpenCL options that determine
//! predefined macros: `-cl-std=`, `-cl-ext=`, `-cl-fast-relaxed-math` and `-cl-finite-math-only`. Other options, such
//! as `-O2` or `-cl-mad-enable`, do not change the meaning of a text.

use std::path::{Path, PathBuf};

use super::build::MacroOption;
use super::language::Language;
use super::paths::normal;
use tangle_syntax::dialect::opencl;

/// The options with which a build reads a file. Paths are absolute if the compiler's folder is absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Folders for headers that are included with quotes.
    pub quote_dirs: Vec<PathBuf>,
    /// Folders for all headers, in search order.
    pub include_dirs: Vec<PathBuf>,
    pub macros: Vec<MacroOption>,
    pub include_files: Vec<PathBuf>,
    /// The language of `-x`, or of the compiler.
    pub language: Option<Language>,
    /// The compute capability of the device without its dot. The highest if there are several.
    pub arch: Option<u32>,
}

/// The meaning of the value of an option.
#[derive(Clone, Copy)]
enum OptionKind {
    Quote,
    Include,
    System,
    After,
    Define,
    Undefine,
    IncludeFile,
    Language,
    Standard,
    Extensions,
    Arch,
    /// No effect here. The value is not an option, even if it looks like one.
    Nothing,
}

/// The position of the value of an option.
#[derive(Clone, Copy)]
enum ValuePosition {
    /// In the same word.
    Joined,
    /// In the next word.
    Separate,
    /// In the same word if characters follow the name, otherwise in the next word.
    Either,
    /// After `=`, or in the next word.
    Long,
}

/// The options with a value. The first match applies.
const OPTIONS: &[(&str, ValuePosition, OptionKind)] = &[
    ("-I", ValuePosition::Either, OptionKind::Include),
    ("--include-path", ValuePosition::Long, OptionKind::Include),
    ("--system-include", ValuePosition::Long, OptionKind::System),
    ("--pre-include", ValuePosition::Long, OptionKind::IncludeFile),
    ("--include-directory", ValuePosition::Long, OptionKind::Include),
    ("-iquote", ValuePosition::Either, OptionKind::Quote),
    ("-isystem-after", ValuePosition::Either, OptionKind::After),
    ("-isystem=", ValuePosition::Joined, OptionKind::System),
    ("-isystem", ValuePosition::Either, OptionKind::System),
    ("-idirafter", ValuePosition::Either, OptionKind::After),
    ("-D", ValuePosition::Either, OptionKind::Define),
    ("--define-macro", ValuePosition::Long, OptionKind::Define),
    ("-U", ValuePosition::Either, OptionKind::Undefine),
    ("--undefine-macro", ValuePosition::Long, OptionKind::Undefine),
    ("-include-pch", ValuePosition::Separate, OptionKind::Nothing),
    ("-include", ValuePosition::Either, OptionKind::IncludeFile),
    ("--include", ValuePosition::Long, OptionKind::IncludeFile),
    ("-x", ValuePosition::Either, OptionKind::Language),
    ("--language", ValuePosition::Long, OptionKind::Language),
    ("-cl-std=", ValuePosition::Joined, OptionKind::Standard),
    ("-std=", ValuePosition::Joined, OptionKind::Standard),
    ("--std", ValuePosition::Long, OptionKind::Standard),
    ("-std", ValuePosition::Separate, OptionKind::Standard),
    ("-gencode", ValuePosition::Long, OptionKind::Arch),
    ("--generate-code", ValuePosition::Long, OptionKind::Arch),
    ("--gpu-architecture", ValuePosition::Long, OptionKind::Arch),
    ("--cuda-gpu-arch=", ValuePosition::Joined, OptionKind::Arch),
    ("--offload-arch=", ValuePosition::Joined, OptionKind::Arch),
    ("-arch", ValuePosition::Long, OptionKind::Arch),
    ("-cl-ext=", ValuePosition::Joined, OptionKind::Extensions),
    ("-o", ValuePosition::Separate, OptionKind::Nothing),
    ("-MF", ValuePosition::Separate, OptionKind::Nothing),
    ("-MT", ValuePosition::Separate, OptionKind::Nothing),
    ("-MQ", ValuePosition::Separate, OptionKind::Nothing),
    ("-MJ", ValuePosition::Separate, OptionKind::Nothing),
    ("-target", ValuePosition::Separate, OptionKind::Nothing),
    ("-code", ValuePosition::Separate, OptionKind::Nothing),
    ("-ccbin", ValuePosition::Separate, OptionKind::Nothing),
    ("-Xcompiler", ValuePosition::Separate, OptionKind::Nothing),
    ("-Xptxas", ValuePosition::Separate, OptionKind::Nothing),
    ("-Xcudafe", ValuePosition::Separate, OptionKind::Nothing),
    ("-Xfatbin", ValuePosition::Separate, OptionKind::Nothing),
    ("-Xnvlink", ValuePosition::Separate, OptionKind::Nothing),
    ("-Xlinker", ValuePosition::Separate, OptionKind::Nothing),
    ("-Xassembler", ValuePosition::Separate, OptionKind::Nothing),
];

/// The C++ versions that `-std=` names after `c++` or `gnu++`, with their values of `__cplusplus`.
const CPP_STANDARDS: &[(&str, u32)] = &[
    ("03", 199_711),
    ("98", 199_711),
    ("0x", 201_103),
    ("11", 201_103),
    ("1y", 201_402),
    ("14", 201_402),
    ("1z", 201_703),
    ("17", 201_703),
    ("2a", 202_002),
    ("20", 202_002),
    ("2b", 202_302),
    ("23", 202_302),
];

/// The versions that `-cl-std=` names, with the version macro and its value.
const STANDARDS: &[(&str, &str, u32)] = &[
    ("cl", C_VERSION, 100),
    ("cl1.0", C_VERSION, 100),
    ("cl1.1", C_VERSION, 110),
    ("cl1.2", C_VERSION, 120),
    ("cl2.0", C_VERSION, 200),
    ("cl3.0", C_VERSION, 300),
    ("cl3.1", C_VERSION, 310),
    ("clc++", CPP_VERSION, 100),
    ("clc++1.0", CPP_VERSION, 100),
    ("clc++2021", CPP_VERSION, 202_100),
];

/// The macro for the version of OpenCL C.
pub const C_VERSION: &str = "__OPENCL_C_VERSION__";
const CPP_VERSION: &str = "__OPENCL_CPP_VERSION__";
/// The prefix of macros for optional features. They exist since OpenCL C 3.0 and C++ for OpenCL 2021.
pub const FEATURE: &str = "__opencl_c_";
const EXTENSION: &str = "cl_";

impl Flags {
    /// Parses the words of a command, which begins with the compiler. `directory` is its working folder.
    pub fn of(words: &[String], directory: &Path) -> Flags {
        let (mut flags, mut system, mut after, mut files) =
            (Flags::default(), Vec::new(), Vec::new(), Vec::new());
        let (mut standard, mut reported) = (Vec::new(), Vec::new());
        let path = |value: &str| normal(&directory.join(value));
        let compiler = words.first().and_then(|compiler| Path::new(compiler).file_stem()?.to_str());
        if compiler == Some("hipcc") {
            flags.language = Some(Language::Hip);
        }
        let mut rest = words.iter().skip(1).map(String::as_str);
        // The words after `--` are inputs.
        while let Some(word) = rest.next().filter(|word| *word != "--") {
            match word {
                "-cl-fast-relaxed-math" => reported.push(defined("__FAST_RELAXED_MATH__")),
                "-cl-finite-math-only" => reported.push(defined("__FINITE_MATH_ONLY__")),
                _ => {}
            }
            let Some((value, meaning)) = option(word, &mut rest) else { continue };
            match meaning {
                OptionKind::Quote => flags.quote_dirs.push(path(value)),
                OptionKind::Include => flags.include_dirs.push(path(value)),
                OptionKind::System => system.push(path(value)),
                OptionKind::After => after.push(path(value)),
                OptionKind::Define => flags.macros.push(MacroOption::Define(value.into())),
                OptionKind::Undefine => flags.macros.push(MacroOption::Undefine(value.into())),
                OptionKind::IncludeFile => files.push(value),
                OptionKind::Language => flags.language = Language::of_option(value),
                OptionKind::Standard => standard = macros_of_standard(value).unwrap_or(standard),
                OptionKind::Extensions => reported.extend(value.split(',').flat_map(macros_of_extension)),
                OptionKind::Arch => flags.arch = flags.arch.max(capability(value)),
                OptionKind::Nothing => {}
            }
        }
        flags.include_dirs.extend(system.into_iter().chain(after));
        flags.macros.splice(0..0, standard.into_iter().chain(reported));
        flags.include_files = files.into_iter().map(|file| flags.include_file(file, directory)).collect();
        flags
    }

    /// Returns the file that `-include` names: in the folder of the compiler, or otherwise by the search for an
    /// `#include` with quotes.
    fn include_file(&self, file: &str, directory: &Path) -> PathBuf {
        let here = normal(&directory.join(file));
        let folders = self.quote_dirs.iter().chain(&self.include_dirs);
        let places = folders.map(|folder| normal(&folder.join(file)));
        std::iter::once(here.clone()).chain(places).find(|path| path.is_file()).unwrap_or(here)
    }
}

/// Returns the value and the meaning of the option in a word. The value can be the next word.
fn option<'a>(word: &'a str, rest: &mut impl Iterator<Item = &'a str>) -> Option<(&'a str, OptionKind)> {
    for &(name, form, meaning) in OPTIONS {
        let Some(behind) = word.strip_prefix(name) else { continue };
        let value = match (form, behind) {
            (ValuePosition::Joined, value) => Some(value),
            (ValuePosition::Separate | ValuePosition::Either | ValuePosition::Long, "") => rest.next(),
            (ValuePosition::Either, value) => Some(value),
            (ValuePosition::Long, value) if value.starts_with('=') => Some(&value[1..]),
            (ValuePosition::Separate | ValuePosition::Long, _) => continue,
        };
        return value.map(|value| (value, meaning));
    }
    None
}

fn defined(name: &str) -> MacroOption {
    MacroOption::Define(format!("{name}=1"))
}

/// Returns the predefined macros with a prefix.
fn predefined(prefix: &'static str) -> impl Iterator<Item = &'static str> {
    let names =
        opencl().predefined().lines().filter_map(|line| line.strip_prefix("#define ")?.split(' ').next());
    names.filter(move |name| name.starts_with(prefix))
}

/// Returns the highest compute capability in a text: `sm_80`, `compute_90a`, `arch=compute_80,code=[sm_80,sm_86]`.
fn capability(text: &str) -> Option<u32> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let numbers = words.filter_map(|word| word.strip_prefix("sm_").or(word.strip_prefix("compute_")));
    numbers.filter_map(|number| number.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()).max()
}

/// Returns the changes of a language version to the predefined macros of OpenCL C 3.0 or C++17. `None` for an unknown
/// version.
pub(super) fn macros_of_standard(name: &str) -> Option<Vec<MacroOption>> {
    let name = name.to_ascii_lowercase();
    let cpp = name.strip_prefix("c++").or(name.strip_prefix("gnu++"));
    if let Some((_, version)) = cpp.and_then(|cpp| CPP_STANDARDS.iter().find(|(known, _)| *known == cpp)) {
        return Some(vec![MacroOption::Define(format!("__cplusplus={version}L"))]);
    }
    let (_, tells, version) = STANDARDS.iter().find(|(known, ..)| *known == name)?;
    let mut macros =
        vec![MacroOption::Undefine(C_VERSION.into()), MacroOption::Define(format!("{tells}={version}"))];
    if *version < 300 {
        macros.extend(predefined(FEATURE).map(|feature| MacroOption::Undefine(feature.into())));
    }
    Some(macros)
}

/// Returns the names of the OpenCL versions for `-cl-std=`, in lower case.
pub(super) fn standards() -> impl Iterator<Item = &'static str> {
    STANDARDS.iter().map(|&(name, ..)| name)
}

/// Returns the OpenCL version with this name for `-cl-std=`, ignoring case.
pub(super) fn standard(name: &str) -> Option<&'static str> {
    standards().find(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the macro options of an item of `-cl-ext=`: `+name`, `-name`, `+all` or `-all`.
fn macros_of_extension(item: &str) -> Vec<MacroOption> {
    let (on, name) = match item.strip_prefix('-') {
        Some(name) => (false, name),
        None => (true, item.strip_prefix('+').unwrap_or(item)),
    };
    let names: Vec<&str> = match name {
        "" => Vec::new(),
        "all" => predefined(EXTENSION).chain(predefined(FEATURE)).collect(),
        name => vec![name],
    };
    let each = |name| if on { defined(name) } else { MacroOption::Undefine(String::from(name)) };
    names.into_iter().map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(words: &[&str]) -> Flags {
        let words: Vec<String> =
            std::iter::once("clang").chain(words.iter().copied()).map(str::to_owned).collect();
        Flags::of(&words, Path::new("/p/build"))
    }

    fn paths<const N: usize>(paths: [&str; N]) -> Vec<PathBuf> {
        paths.map(PathBuf::from).into()
    }

    fn define(text: &str) -> MacroOption {
        MacroOption::Define(text.into())
    }

    fn undefine(name: &str) -> MacroOption {
        MacroOption::Undefine(name.into())
    }

    #[test]
    fn option_value_is_joined_or_in_the_next_argument() {
        let joined =
            ["-I..", "-isystem/sys", "-iquoteq", "-idirafterlate", "-DN=4", "-UM", "-includepre.h", "-xcl"];
        let separate = "-I .. -isystem /sys -iquote q -idirafter late -D N=4 -U M -include pre.h -x cl";
        let separate: Vec<&str> = separate.split(' ').collect();
        let long = ["--include-directory=..", "-isystem", "/sys", "-iquote", "q", "-isystem-after", "late"];
        let long_too = ["--define-macro", "N=4", "--undefine-macro=M", "--include=pre.h", "--language=cl"];
        let expected = Flags {
            quote_dirs: paths(["/p/build/q"]),
            include_dirs: paths(["/p", "/sys", "/p/build/late"]),
            macros: vec![define("N=4"), undefine("M")],
            include_files: paths(["/p/build/pre.h"]),
            language: Some(Language::Opencl),
            arch: None,
        };
        assert_eq!(flags(&joined), expected);
        assert_eq!(flags(&separate), expected);
        assert_eq!(flags(&[&long[..], &long_too].concat()), expected);
    }

    #[test]
    fn include_folders_are_in_search_order() {
        let found = flags(&["-idirafter", "d", "-isystem", "s", "-I", "i", "-isystem", "t", "-I", "j"]);
        assert_eq!(
            found.include_dirs,
            paths(
                ["i", "j", "s", "t", "d"]
                    .map(|name| "/p/build/".to_owned() + name)
                    .each_ref()
                    .map(String::as_str)
            )
        );
    }

    #[test]
    fn macros_keep_their_order() {
        assert_eq!(
            flags(&["-DA=1", "-UA", "-D", "A=2", "-DS(x)=#x", "-DE="]).macros,
            [define("A=1"), undefine("A"), define("A=2"), define("S(x)=#x"), define("E=")]
        );
    }

    #[test]
    fn unknown_options_are_ignored() {
        assert_eq!(
            flags(&["-O2", "-c", "k.cl", "-o", "-DX", "-MF", "-Ideps", "-include-pch", "-DY", "-undef"]),
            Flags::default()
        );
        assert_eq!(
            flags(&["-Xclang", "-finclude-default-header", "-cl-mad-enable", "-std=c99"]),
            Flags::default()
        );
        assert_eq!(flags(&["-Xclang", "-DX"]).macros, [define("X")]);
        assert_eq!(flags(&["-DX", "--", "-DY"]).macros, [define("X")]);
        assert_eq!(flags(&["-DX", "-I"]).macros, [define("X")], "the value is missing");
        assert_eq!(Flags::of(&[], Path::new("/")), Flags::default());
    }

    #[test]
    fn last_language_takes_precedence() {
        assert_eq!(flags(&["-x", "cuda"]).language, Some(Language::Cuda));
        assert_eq!(flags(&["-x", "cuda", "-xhip"]).language, Some(Language::Hip));
        assert_eq!(flags(&["-x", "cl", "-x", "none"]).language, None);
        assert_eq!(flags(&["-x", "c++"]).language, None);
    }

    #[test]
    fn version_macros_precede_macros_of_the_build() {
        let of = |standard: &str| flags(&["-DMINE", standard]).macros;
        let [first, second, third, .., last] = &of("-cl-std=CL1.2")[..] else { panic!("more than four") };
        assert_eq!((first, second), (&undefine(C_VERSION), &define("__OPENCL_C_VERSION__=120")));
        assert_eq!((third, last), (&undefine("__opencl_c_3d_image_writes"), &define("MINE")));
        assert_eq!(of("-cl-std=CL1.2"), of("-std=cl1.2"));
        // A later version replaces an earlier one. An unknown version is ignored.
        assert_eq!(
            of("-cl-std=CL1.2"),
            flags(&["-cl-std=CL2.0", "-DMINE", "-cl-std=cl1.2", "-cl-std=CL9"]).macros
        );
        let modern = [undefine(C_VERSION), define("__OPENCL_C_VERSION__=300"), define("MINE")];
        assert_eq!(of("-cl-std=CL3.0"), modern);
        assert_eq!(
            of("-cl-std=CL3.1"),
            [undefine(C_VERSION), define("__OPENCL_C_VERSION__=310"), define("MINE")]
        );
        assert_eq!(of("-cl-std=clc++2021")[1], define("__OPENCL_CPP_VERSION__=202100"));
    }

    #[test]
    fn options_of_cuda_and_hip_compilers_are_parsed() {
        let of = |words: &[&str]| (flags(words).language, flags(words).arch);
        assert_eq!(of(&["-x", "cu", "-arch=sm_80"]), (Some(Language::Cuda), Some(80)));
        assert_eq!(of(&["--gpu-architecture", "compute_90a", "-Xcompiler", "-arch=sm_10"]).1, Some(90));
        assert_eq!(
            of(&[
                "-gencode",
                "arch=compute_70,code=[compute_70,sm_75]",
                "-gencode=arch=compute_60,code=sm_60"
            ])
            .1,
            Some(75)
        );
        assert_eq!(of(&["--cuda-gpu-arch=sm_86"]).1, Some(86));
        assert_eq!(of(&["--offload-arch=gfx90a", "-arch", "native"]).1, None);
        let hipcc = ["/opt/rocm/bin/hipcc", "-c", "k.cpp"].map(str::to_owned);
        assert_eq!(Flags::of(&hipcc, Path::new("/")).language, Some(Language::Hip));
        let nvcc = flags(&[
            "-isystem=/cuda/include",
            "--pre-include",
            "/p/pre.h",
            "-std=c++20",
            "--include-path=inc",
        ]);
        assert_eq!(nvcc.include_dirs, paths(["/p/build/inc", "/cuda/include"]));
        assert_eq!(nvcc.include_files, paths(["/p/pre.h"]));
        assert_eq!(nvcc.macros, [define("__cplusplus=202002L")]);
        assert_eq!(flags(&["-std", "gnu++14"]).macros, [define("__cplusplus=201402L")]);
    }

    #[test]
    fn extension_options_apply_in_order() {
        let found =
            flags(&["-cl-ext=-all,+cl_khr_fp64,,cl_mine", "-cl-fast-relaxed-math", "-cl-finite-math-only"])
                .macros;
        assert!(found.contains(&undefine("cl_khr_fp64")) && found.contains(&undefine("__opencl_c_fp64")));
        let last = [
            define("cl_khr_fp64=1"),
            define("cl_mine=1"),
            define("__FAST_RELAXED_MATH__=1"),
            define("__FINITE_MATH_ONLY__=1"),
        ];
        assert!(found.ends_with(&last), "{found:?}");
    }
}
