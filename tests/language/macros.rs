//! The predefined macros have the same names and values as in clang with its header for OpenCL C.
//!
//! Intentional differences are listed with the reason. Needs clang-19.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use tangle_grammar::symbol::Symbol;
use tangle_syntax::dialect::opencl;

/// Macros that only clang has, and why. A star stands for any text.
const LEFT_OUT: &[(&str, &str)] = &[
    ("as_*", "operators of the language"),
    ("CLK_AVC_*", "video motion estimation of one generation of devices"),
    (
        "cl_amd_*",
        "of one vendor: a kernel that tests for it also has code for all other devices, which is analysed",
    ),
    (
        "cl_intel_*",
        "of one vendor: a kernel that tests for it also has code for all other devices, which is analysed",
    ),
    ("cl_clang_*", "extensions of clang"),
    ("__cl_clang_*", "extensions of clang"),
    ("__clang*", "says that the compiler is clang"),
    ("__llvm__", "says that the compiler is clang"),
    ("__GNUC*", "says that the compiler is like GCC"),
    ("__GXX_ABI_VERSION", "says that the compiler is like GCC"),
    ("__VERSION__", "says which compiler it is"),
    ("_OPENCL_BASE_H_", "says that clang's header is read"),
    ("__opencl_subgroup_builtins", "of clang's header, for itself"),
    ("__SPIR*", "says that the target is SPIR"),
    ("__ELF__", "about the target's object files"),
    ("__USER_LABEL_PREFIX__", "about the target's object files"),
    ("__PRAGMA_REDEFINE_EXTNAME", "about the target's object files"),
    ("__CLANG_ATOMIC_*", "about atomic operations of the target's host"),
    ("__GCC_*", "about atomic operations of the target's host"),
    ("__FPCLASS_*", "for a builtin function of clang"),
    ("__OPTIMIZE__", "depends on the options of clang"),
    ("__NO_MATH_ERRNO__", "depends on the options of clang"),
    ("__STRICT_ANSI__", "depends on the options of clang"),
    ("__FINITE_MATH_ONLY__", "depends on the options of clang: `-cl-finite-math-only` defines it"),
    ("__CONSTANT_CFSTRINGS__", "of Objective C"),
    ("__OBJC_BOOL_IS_BOOL", "of Objective C"),
    ("__BLOCKS__", "of Objective C"),
    ("__block", "of Objective C"),
    ("__STDC_EMBED_*", "of C23"),
    ("__BITINT_MAXWIDTH__", "of C23"),
    ("__STDC_UTF_*", "for character types other than `char`"),
    ("__CHAR16_TYPE__", "for character types other than `char`"),
    ("__CHAR32_TYPE__", "for character types other than `char`"),
    ("__WCHAR_*", "for character types other than `char`"),
    ("__WINT_*", "for character types other than `char`"),
    ("__SIZEOF_WCHAR_T__", "for character types other than `char`"),
    ("__SIZEOF_WINT_T__", "for character types other than `char`"),
    ("*_FMT?__", "for `inttypes.h`, which OpenCL C lacks"),
    ("*_C_SUFFIX__", "for `stdint.h`, which OpenCL C lacks"),
    ("__INT_FAST*", "for `stdint.h`, which OpenCL C lacks"),
    ("__INT_LEAST*", "for `stdint.h`, which OpenCL C lacks"),
    ("__UINT_FAST*", "for `stdint.h`, which OpenCL C lacks"),
    ("__UINT_LEAST*", "for `stdint.h`, which OpenCL C lacks"),
    ("__INTMAX_*", "for `stdint.h`, which OpenCL C lacks"),
    ("__UINTMAX_*", "for `stdint.h`, which OpenCL C lacks"),
    ("__SIG_ATOMIC_*", "for `stdint.h`, which OpenCL C lacks"),
    ("__INT128_*", "for a type that OpenCL C lacks"),
    ("__UINT128_*", "for a type that OpenCL C lacks"),
    ("__LLONG_WIDTH__", "for a type that OpenCL C lacks"),
    ("__LONG_LONG_MAX__", "for a type that OpenCL C lacks"),
    ("__SIZEOF_LONG_LONG__", "for a type that OpenCL C lacks"),
    ("__LDBL_*", "for a type that OpenCL C lacks"),
    ("__SIZEOF_LONG_DOUBLE__", "for a type that OpenCL C lacks"),
    ("__DECIMAL_DIG__", "for a type that OpenCL C lacks"),
    ("__BIGGEST_ALIGNMENT__", "false for vectors"),
];

/// Macros that only we have, and why.
const OURS: &[(&str, &str)] = &[
    ("CL_VERSION_3_1", "clang 19 does not know OpenCL C 3.1"),
    ("__OPENCL_VERSION__", "of the device: the runtime of clang's caller defines it"),
    ("cl_khr_device_enqueue_local_arg_types", "clang does not know the extension"),
    ("cl_khr_extended_async_copies", "clang does not know the extension"),
    ("cl_khr_subgroup_named_barrier", "clang does not know the extension"),
    ("cl_khr_work_group_uniform_arithmetic", "clang does not know the extension"),
];

/// Macros with another definition: name, whether the value is the same, and why.
const OTHERWISE: &[(&str, bool, &str)] = &[
    ("HUGE_VAL", true, "without a builtin function of clang"),
    ("HUGE_VALF", true, "without a builtin function of clang"),
    ("INFINITY", true, "without a builtin function of clang"),
    (
        "NAN",
        false,
        "a quiet NaN with other bits, so that it is constant: clang refuses `constant float x = NAN;`",
    ),
    ("CLK_NULL_EVENT", false, "no event, without the bits by which one target of clang knows it"),
    ("CLK_NULL_RESERVE_ID", false, "no reservation, without the bits by which one target of clang knows it"),
];

/// Returns the macros that a text defines: name, parameters and replacement, without spaces.
fn macros(text: &str) -> BTreeMap<String, (String, String)> {
    let defined = text.lines().filter_map(|line| line.strip_prefix("#define "));
    let read = |line: &str| {
        let length = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
        let (name, rest) = line.split_at(length);
        let end = if rest.starts_with('(') { rest.find(')').map_or(0, |at| at + 1) } else { 0 };
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        (name.to_owned(), (bare(&rest[..end]), bare(&rest[end..])))
    };
    defined.map(read).collect()
}

/// Runs clang with its header for OpenCL C on a text. Returns whether it succeeds, and its output.
fn clang(clang: &str, options: &[&str], text: &str) -> (bool, String) {
    let mut child = Command::new(clang)
        .args(["-x", "cl", "-cl-std=CL3.0", "-target", "spir64-unknown-unknown", "-w"])
        .args(["-Xclang", "-finclude-default-header"])
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

/// Returns whether a name matches a pattern: `*` stands for any text, `?` for one character.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.chars().next() {
        None => name.is_empty(),
        Some('*') => (0..=name.len()).any(|at| fits(&pattern[1..], &name[at..])),
        Some(first) => {
            name.chars().next().is_some_and(|c| first == '?' || first == c) && fits(&pattern[1..], &name[1..])
        }
    }
}

#[test]
fn predefined_macros_match_clang() {
    let Some(program) = tangle_referees::clang() else { return };
    let theirs = macros(&clang(&program, &["-dM", "-E"], "").1);
    let ours = macros(opencl().predefined());
    assert!(theirs.len() > 500 && ours.len() > 300, "{} and {}", theirs.len(), ours.len());
    let mut wrong = Vec::new();
    for (name, value) in &theirs {
        let left_out = LEFT_OUT.iter().any(|(pattern, _)| fits(pattern, name));
        let otherwise = OTHERWISE.iter().any(|(other, ..)| other == name);
        match ours.get(name) {
            None if !left_out => wrong.push(format!("{name} is missing: {value:?}")),
            Some(_) if left_out => wrong.push(format!("{name} is in both, although listed")),
            Some(own) if (own == value) == otherwise => wrong.push(format!("{name}: {own:?}, not {value:?}")),
            _ => {}
        }
        if name.starts_with("as_") && opencl().reinterpreted(Symbol::intern(name)).is_none() {
            wrong.push(format!("{name} is not an operator"));
        }
    }
    for name in ours.keys() {
        if theirs.contains_key(name) == OURS.iter().any(|(own, _)| own == name) {
            wrong.push(format!("{name}: also defined by clang: {}", theirs.contains_key(name)));
        }
    }
    for (pattern, _) in LEFT_OUT {
        if !theirs.keys().any(|name| fits(pattern, name)) {
            wrong.push(format!("no macro of clang matches {pattern}"));
        }
    }
    for name in OURS.iter().map(|(name, _)| name).chain(OTHERWISE.iter().map(|(name, ..)| name)) {
        if !ours.contains_key(*name) {
            wrong.push(format!("{name} is not predefined"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn differently_defined_macros_equal_clang_values_as_listed() {
    let Some(program) = tangle_referees::clang() else { return };
    let ours = macros(opencl().predefined());
    let same = |name: &str| {
        let (_, value) = &ours[name];
        let text = format!("_Static_assert({name} == {value} && sizeof({name}) == sizeof({value}), \"\");\n");
        clang(&program, &["-fsyntax-only"], &text).0
    };
    for (name, expected, _) in OTHERWISE {
        assert_eq!(same(name), *expected, "{name}");
    }
}

#[test]
fn wildcard_patterns_match() {
    assert!(fits("a*", "a") && fits("*_FMT?__", "__INT_FMTd__") && fits("ab", "ab"));
    assert!(!fits("a*", "ba") && !fits("*_FMT?__", "__INT_FMT__") && !fits("ab", "abc"));
}
