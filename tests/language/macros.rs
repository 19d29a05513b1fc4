//! The macros that are there before the first line are those of clang and of its header for OpenCL C, with the same values.
//!
//! What is different on purpose stands here with its reason. Needs clang-19.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use tangle_grammar::symbol::Symbol;
use tangle_syntax::dialect::opencl;

/// Macros of clang that are none of ours, and why. A star stands for anything.
const LEFT_OUT: &[(&str, &str)] = &[
    ("as_*", "operators of the language"),
    ("CLK_AVC_*", "video motion estimation of one generation of devices"),
    (
        "cl_amd_*",
        "of one vendor: a kernel that asks for it has a way for all other devices, and that is read",
    ),
    (
        "cl_intel_*",
        "of one vendor: a kernel that asks for it has a way for all other devices, and that is read",
    ),
    ("cl_clang_*", "what clang lets pass beyond the standard"),
    ("__cl_clang_*", "what clang lets pass beyond the standard"),
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
    ("__OPTIMIZE__", "how clang is called"),
    ("__NO_MATH_ERRNO__", "how clang is called"),
    ("__STRICT_ANSI__", "how clang is called"),
    ("__FINITE_MATH_ONLY__", "how clang is called: `-cl-finite-math-only` defines it"),
    ("__CONSTANT_CFSTRINGS__", "of Objective C"),
    ("__OBJC_BOOL_IS_BOOL", "of Objective C"),
    ("__BLOCKS__", "of Objective C"),
    ("__block", "of Objective C"),
    ("__STDC_EMBED_*", "of C23"),
    ("__BITINT_MAXWIDTH__", "of C23"),
    ("__STDC_UTF_*", "about characters, of which OpenCL C has one type"),
    ("__CHAR16_TYPE__", "about characters, of which OpenCL C has one type"),
    ("__CHAR32_TYPE__", "about characters, of which OpenCL C has one type"),
    ("__WCHAR_*", "about characters, of which OpenCL C has one type"),
    ("__WINT_*", "about characters, of which OpenCL C has one type"),
    ("__SIZEOF_WCHAR_T__", "about characters, of which OpenCL C has one type"),
    ("__SIZEOF_WINT_T__", "about characters, of which OpenCL C has one type"),
    ("*_FMT?__", "for `inttypes.h`, which OpenCL C has not"),
    ("*_C_SUFFIX__", "for `stdint.h`, which OpenCL C has not"),
    ("__INT_FAST*", "for `stdint.h`, which OpenCL C has not"),
    ("__INT_LEAST*", "for `stdint.h`, which OpenCL C has not"),
    ("__UINT_FAST*", "for `stdint.h`, which OpenCL C has not"),
    ("__UINT_LEAST*", "for `stdint.h`, which OpenCL C has not"),
    ("__INTMAX_*", "for `stdint.h`, which OpenCL C has not"),
    ("__UINTMAX_*", "for `stdint.h`, which OpenCL C has not"),
    ("__SIG_ATOMIC_*", "for `stdint.h`, which OpenCL C has not"),
    ("__INT128_*", "about a type that OpenCL C has not"),
    ("__UINT128_*", "about a type that OpenCL C has not"),
    ("__LLONG_WIDTH__", "about a type that OpenCL C has not"),
    ("__LONG_LONG_MAX__", "about a type that OpenCL C has not"),
    ("__SIZEOF_LONG_LONG__", "about a type that OpenCL C has not"),
    ("__LDBL_*", "about a type that OpenCL C has not"),
    ("__SIZEOF_LONG_DOUBLE__", "about a type that OpenCL C has not"),
    ("__DECIMAL_DIG__", "about a type that OpenCL C has not"),
    ("__BIGGEST_ALIGNMENT__", "false for vectors"),
];

/// Macros of ours that are none of clang's, and why.
const OURS: &[(&str, &str)] = &[
    ("CL_VERSION_3_1", "clang 19 does not know OpenCL C 3.1"),
    ("__OPENCL_VERSION__", "of the device: the runtime of clang's caller defines it"),
    ("cl_khr_device_enqueue_local_arg_types", "clang does not know the extension"),
    ("cl_khr_extended_async_copies", "clang does not know the extension"),
    ("cl_khr_subgroup_named_barrier", "clang does not know the extension"),
    ("cl_khr_work_group_uniform_arithmetic", "clang does not know the extension"),
];

/// Macros that are written in another way, whether the value is the same, and why.
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

/// Macros as a text defines them: parameters and replacement, without spaces.
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

/// clang with its header for OpenCL C, reading a text.
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

/// Whether a name is as a pattern has it: `*` stands for anything, `?` for one character.
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
fn the_predefined_macros_are_those_of_clang() {
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
            Some(_) if left_out => wrong.push(format!("{name} is ours, and no difference")),
            Some(own) if (own == value) == otherwise => wrong.push(format!("{name}: {own:?}, not {value:?}")),
            _ => {}
        }
        if name.starts_with("as_") && opencl().reinterpreted(Symbol::intern(name)).is_none() {
            wrong.push(format!("{name} is no operator"));
        }
    }
    for name in ours.keys() {
        if theirs.contains_key(name) == OURS.iter().any(|(own, _)| own == name) {
            wrong.push(format!("{name}: of clang, too: {}", theirs.contains_key(name)));
        }
    }
    for (pattern, _) in LEFT_OUT {
        if !theirs.keys().any(|name| fits(pattern, name)) {
            wrong.push(format!("no macro of clang is like {pattern}"));
        }
    }
    for name in OURS.iter().map(|(name, _)| name).chain(OTHERWISE.iter().map(|(name, ..)| name)) {
        if !ours.contains_key(*name) {
            wrong.push(format!("{name} is not ours"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_written_in_another_way_has_the_same_value() {
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
fn patterns_fit_as_they_say() {
    assert!(fits("a*", "a") && fits("*_FMT?__", "__INT_FMTd__") && fits("ab", "ab"));
    assert!(!fits("a*", "ba") && !fits("*_FMT?__", "__INT_FMT__") && !fits("ab", "abc"));
}
