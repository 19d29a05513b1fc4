//! Accidental and hostile input: the command reports the error and its location, ends with the documented status, never
//! panics, and never takes long.
//!
//! The debug build runs these tests. Where it needs smaller inputs than the release build, the size is noted.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::expect;

/// A generous limit, since the debug build shares its machine with other tests.
const LIMIT: Duration = Duration::from_secs(30);

/// A folder for one test, removed after it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tangle-bad-input-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Folder {
        fs::write(self.0.join(name), content).unwrap();
        self
    }

    fn tangle(&self, args: &[&str]) -> Run {
        self.tangle_with(args, Vec::new())
    }

    /// Runs the command in the folder with bytes on its standard input, and stops it if it takes too long.
    fn tangle_with(&self, args: &[&str], input: Vec<u8>) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tangle"))
            .args(args)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The command may end before it reads its input.
        let writer = thread::spawn(move || _ = stdin.write_all(&input));
        let id = child.id();
        let waiter = thread::spawn(move || child.wait_with_output().unwrap());
        let start = Instant::now();
        while !waiter.is_finished() {
            if start.elapsed() > LIMIT {
                _ = Command::new("kill").args(["-9", &id.to_string()]).status();
                panic!("{args:?} takes more than {LIMIT:?}");
            }
            thread::sleep(Duration::from_millis(2));
        }
        writer.join().unwrap();
        let run = Run::new(args, waiter.join().unwrap());
        for text in [&run.out, &run.err] {
            for word in ["panicked", "internal error", "overflow"] {
                assert!(!text.contains(word), "{args:?}: {}", &text[..text.len().min(2_000)]);
            }
        }
        run
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that remains in the system's temporary folder does no harm.
        _ = fs::remove_dir_all(&self.0);
    }
}

/// The result of a run.
struct Run {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    fn new(args: &[&str], output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).unwrap_or_else(|_| panic!("{args:?} prints bad UTF-8"));
        Run { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// Lints each text as `a.cl`, and compares status and findings, one per line.
#[track_caller]
fn check_texts(name: &str, cases: &[(&str, Vec<u8>, i32, &str)]) {
    let folder = Folder::new(name);
    for (what, text, status, findings) in cases {
        folder.write("a.cl", text);
        let run = folder.tangle(&["lint", "--format", "short", "--quiet", "a.cl"]);
        let printed = if *status == 2 { run.err } else { run.out };
        assert_eq!((run.status, printed.trim_end()), (Some(*status), *findings), "{what}");
    }
}

#[test]
fn unusual_encodings_are_read_or_rejected_with_a_location() {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let wrong = "expected an expression after `=`, found `=` [syntax-error]";
    let at = |place: &str| format!("a.cl:{place}: error: {wrong}");
    let late_nul = [vec![b' '; 9_000], vec![0]].concat();
    check_texts(
        "encodings",
        &[
            ("nothing", b"".into(), 0, ""),
            ("white space", b" \n\t\r\n".into(), 0, ""),
            (
                "a NUL byte",
                b"int a;\n\0".into(),
                2,
                "tangle: a.cl: not a text file: a NUL byte at line 2, column 1 (byte 7)",
            ),
            (
                "an object file",
                b"\x7FELF\x02\x01\x01".into(),
                2,
                "tangle: a.cl: not a text file: it begins with the signature of an ELF object",
            ),
            (
                "a NUL byte far into a text",
                late_nul,
                1,
                "a.cl:1:9001: error: invisible character U+0000 is not allowed in OpenCL C [syntax-error]",
            ),
            ("Latin-1 in a comment", b"// \xE9\nint a;".into(), 0, ""),
            (
                "Latin-1 in code",
                b"int \xE9;".into(),
                1,
                "a.cl:1:5: error: invalid UTF-8: only comments and strings can contain bytes that are not UTF-8 [syntax-error]",
            ),
            (
                "a space that is none",
                "int\u{200B} a;".into(),
                1,
                "a.cl:1:4: error: invisible character U+200B is not allowed in OpenCL C [syntax-error]",
            ),
            ("CRLF", b"int b;\r\nint a = = 1;\r\n".into(), 1, &at("2:9")),
            ("lone CR", b"int b;\rint a = = 1;\r".into(), 1, &at("2:9")),
            ("a UTF-8 mark", b"\xEF\xBB\xBFint a = = 1;".into(), 1, &at("1:9")),
            ("UTF-16, little end first", utf16("int a = = 1;", u16::to_le_bytes), 1, &at("1:9")),
            ("UTF-16, big end first", utf16("int a = = 1;", u16::to_be_bytes), 1, &at("1:9")),
        ],
    );
}

#[test]
fn unclosed_construct_is_reported_where_it_opens() {
    let text = |text: &str| text.as_bytes().to_vec();
    check_texts(
        "unclosed",
        &[
            (
                "comment",
                text("int a;\n/* b\nint c;"),
                1,
                "a.cl:2:1: error: unterminated comment: it includes the rest of the file [syntax-error]",
            ),
            (
                "string",
                text("int a = \"b;\nint c;"),
                1,
                "a.cl:1:9: error: unterminated literal `\"b`: the closing quote is missing [syntax-error]",
            ),
            ("brace", text("void f() {\n  int a;\n"), 1, "a.cl:1:10: error: unclosed `{` [syntax-error]"),
            (
                "parenthesis",
                text("void f(int a) {\n  a = (1;\n}\n"),
                1,
                "a.cl:2:7: error: unclosed `(` [syntax-error]",
            ),
            (
                "brace too many",
                text("void f() { int a; }}"),
                1,
                "a.cl:1:20: error: unmatched `}` [syntax-error]",
            ),
            (
                "#if",
                text("#if 1\nint a;\n"),
                1,
                "a.cl:1:2: error: unterminated conditional directive: `#endif` is missing [syntax-error]",
            ),
            ("#endif", text("int a;\n#endif"), 1, "a.cl:2:2: error: `#endif` without `#if` [syntax-error]"),
            (
                "#define",
                text("#define"),
                1,
                "a.cl:1:2: error: invalid macro definition: expected a macro name [syntax-error]",
            ),
            (
                "#include",
                text("#include"),
                1,
                "a.cl:1:2: error: `#include` expects a file name in `\"…\"` or `<…>` [syntax-error]",
            ),
        ],
    );
}

#[test]
fn endless_includes_and_macro_expansions_are_reported() {
    let folder = Folder::new("endless");
    folder.write("self.cl", "#include \"self.cl\"\n");
    folder.write("a.cl", "#include \"b.cl\"\n").write("b.cl", "#include \"a.cl\"\n");
    let mut objects = String::from("#define A0 x x\n");
    let mut calls = String::from("#define A0(x) x x\n");
    let mut pastes = String::from("#define A0(x) x\n");
    for n in 1..=40 {
        let m = n - 1;
        objects += &format!("#define A{n} A{m} A{m}\n");
        calls += &format!("#define A{n}(x) A{m}(x) A{m}(x)\n");
        pastes += &format!("#define A{n}(x) A{m}(x##x)\n");
    }
    folder.write("objects.cl", objects + "int a = A40;\n");
    folder.write("calls.cl", calls + "int a = A40(1);\n");
    folder.write("pastes.cl", pastes + "int a = A40(b);\n");
    let arguments = format!("#define D(x) x x\nint a = {}1{};\n", "D(".repeat(60), ")".repeat(60));
    folder.write("arguments.cl", arguments);
    for (file, first) in [
        (
            "self.cl",
            "self.cl:1:10: error: endless recursive include of `self.cl`; further includes are skipped [syntax-error]",
        ),
        (
            "a.cl",
            "b.cl:1:10: error: endless recursive include of `a.cl`; further includes are skipped [syntax-error]",
        ),
        ("objects.cl", "objects.cl:42:9: error: expansion of macro `A40` is too large [syntax-error]"),
        ("calls.cl", "calls.cl:42:9: error: expansion of macro `A40` is too large [syntax-error]"),
        ("pastes.cl", "pastes.cl:42:9: error: expansion of macro `A"),
        ("arguments.cl", "arguments.cl:2:9: error: expansion of macro `D` is too large [syntax-error]"),
    ] {
        let run = folder.tangle(&["lint", "--format", "short", "--quiet", file]);
        assert_eq!(run.status, Some(1), "{file}");
        assert!(run.out.lines().any(|line| line.starts_with(first)), "{file}: {}", run.out);
        for what in ["tangles", "items", "preprocessed"] {
            assert_eq!(folder.tangle(&["show", "--what", what, file]).status, Some(0), "{file}");
        }
    }
}

/// Returns the text of a kernel with this body, which begins on line 2.
fn kernel(body: &str) -> String {
    format!("kernel void k(global int *p, int a) {{\n{body}\n}}\n")
}

/// Returns the same with a variable `a` that has another value in each thread.
fn kernel_by_id(body: &str) -> String {
    format!("kernel void k(global int *p) {{ int a = get_local_id(0);\n{body}\n}}\n")
}

/// Returns a line for each number below `n`, with `#` replaced by the number.
fn each(n: usize, line: &str) -> String {
    (0..n).map(|i| line.replace('#', &i.to_string())).collect()
}

/// Lints generated texts, and checks the status and the beginning of the first finding.
#[track_caller]
fn check_many(name: &str, cases: &[(&str, String, i32, &str)]) {
    let folder = Folder::new(name);
    for (what, text, status, first) in cases {
        folder.write("a.cl", text);
        // Divergent barriers in these texts are not the subject of the tests.
        let mut lint = vec!["lint", "--format", "short", "--quiet", "a.cl"];
        lint.extend(
            ["divergent-barrier=off", "mismatched-barriers=off"].iter().flat_map(|it| ["--rule", it]),
        );
        let run = folder.tangle(&lint);
        assert_eq!((run.status, run.err.as_str()), (Some(*status), ""), "{what}");
        assert!(run.out.starts_with(first), "{what}: {:?}", run.out.lines().next());
        assert!(!first.is_empty() || run.out.is_empty(), "{what}: {:?}", run.out.lines().next());
        // `lower` fails for a text with an error, or omits the incorrect part.
        let run = folder.tangle(&["lower", "--quiet", "a.cl", "-o", "a.ll"]);
        assert!(matches!(run.status, Some(0 | 1)), "{what}: {:?} {}", run.status, run.err);
    }
    // Any text can be shown; take the last one.
    for what in ["tangles", "items", "preprocessed", "flow"] {
        let run = folder.tangle(&["show", "--what", what, "a.cl"]);
        assert_eq!(run.status, Some(0), "{what}");
    }
}

#[test]
fn too_deep_nesting_is_reported_where_it_exceeds_the_limit() {
    const N: usize = 100_000;
    let around = |open: &str, inner: &str, close: &str| {
        kernel(&format!("{}{inner}{}", open.repeat(N), close.repeat(N)))
    };
    let brackets = "nested too deeply: the limit is 256 levels of brackets [syntax-error]";
    let levels = "nested too deeply: the limit is 1000 levels [syntax-error]";
    let at = |place: &str, message: &str| format!("a.cl:{place}: error: {message}");
    check_many(
        "nesting",
        &[
            (
                "parentheses",
                kernel(&format!("a = {}a{};", "(".repeat(N), ")".repeat(N))),
                1,
                &at("2:260", brackets),
            ),
            ("blocks", around("{", "", "}"), 1, &at("2:256", brackets)),
            (
                "initialisers",
                kernel(&format!("int q[] = {}1{};", "{".repeat(N), "}".repeat(N))),
                1,
                &at("2:266", brackets),
            ),
            (
                "structs",
                format!("{}int a;{};", "struct s {\n".repeat(N), "}".repeat(N)),
                1,
                &at("257:10", brackets),
            ),
            (
                "declarators",
                format!("int {}f{};", "(".repeat(N), ")(void)".repeat(N)),
                1,
                &at("1:261", brackets),
            ),
            ("ifs", kernel(&format!("{};", "if (a) ".repeat(N))), 1, "a.cl:2:"),
            ("unary operators", kernel(&format!("a = {}a;", "!".repeat(N))), 1, "a.cl:2:"),
            ("casts", kernel(&format!("a = {}a;", "(int)".repeat(N))), 1, "a.cl:2:"),
            (
                "statement expressions",
                kernel(&format!("a = {}1;{};", "({".repeat(N), "})".repeat(N))),
                1,
                "a.cl:2:",
            ),
            ("do", kernel(&format!("{};{}", "do ".repeat(N), " while (a);".repeat(N))), 1, "a.cl:2:"),
            (
                "pointers",
                kernel(&format!("int {}q;", "*".repeat(N))),
                1,
                "a.cl:2:5: error: the declared type is too deep: the limit is 256 levels [type-error]",
            ),
        ],
    );
    let folder = Folder::new("levels");
    folder.write("a.cl", kernel(&format!("a = {}a;", "!".repeat(N))));
    let run = folder.tangle(&["lint", "--format", "short", "--quiet", "a.cl"]);
    assert!(run.out.contains(levels), "{}", run.out);
}

/// Each initialiser has no place for its value, and the length of the array follows from the initialiser.
#[test]
fn initialiser_without_matching_element_terminates() {
    let with_empty_record =
        |body: &str| format!("struct E {{}};\nstruct F {{ struct E e; }};\n{}", kernel(body));
    check_many(
        "initialisers",
        &[
            ("elements without fields", with_empty_record("struct E b[] = {1}; barrier(1);"), 0, ""),
            ("elements without values", with_empty_record("struct F b[] = {1, 2}; barrier(1);"), 0, ""),
            ("elements of length 0", kernel("int b[][0] = {1}; barrier(1);"), 0, ""),
            (
                "the largest range",
                kernel("int b[] = {[0 ... 18446744073709551615u] = 1}; barrier(1);"),
                1,
                "a.cl:2:5: error: `int[]` has no member or element for this designator",
            ),
        ],
    );
}

#[test]
fn long_chains_are_accepted() {
    // The release build takes 100,000 of each.
    const N: usize = 20_000;
    check_many(
        "chains",
        &[
            ("&&", kernel(&format!("if ({}a) barrier(1);", "a && ".repeat(N))), 0, ""),
            ("?:", kernel(&format!("a = {}2;", "a ? abs_diff(a, 1) : ".repeat(N))), 0, ""),
            ("commas", kernel(&format!("a = a{};", ", a".repeat(N))), 0, ""),
            ("functions", each(N, "void f#(int a) { barrier(1); }\n"), 0, ""),
            (
                "calls through functions",
                "void f(void) { barrier(1); }\n".to_owned() + &each(N, "void g#(void) { f(); }\n"),
                0,
                "",
            ),
            ("stacked labels", kernel(&format!("{};", each(N, "l#: "))), 0, ""),
            (
                "loops by macro",
                format!("#define L while (a) {{ if (a) break; barrier(1); }}\n{}", kernel(&"L ".repeat(N))),
                0,
                "",
            ),
            (
                "stacked cases",
                kernel(&format!("switch (a) {{ {}; }} barrier(1);", each(N, "case #: "))),
                0,
                "",
            ),
            (
                "else if that returns",
                kernel(&format!("if (a) return;\n{}barrier(1);", "else if (a) return;\n".repeat(N))),
                0,
                "",
            ),
            (
                "else if",
                kernel(&format!("if (a) barrier(1);\n{}", "else if (a) barrier(1);\n".repeat(N))),
                0,
                "",
            ),
        ],
    );
}

#[test]
fn many_jumps_are_analysed_within_the_time_limit() {
    // The release build takes 100,000 of each in 1 to 5 s.
    const N: usize = 300;
    let doubt = |line: usize, column: usize| {
        format!("a.cl:{line}:{column}: warning: `barrier` has implementation-defined convergence: ")
    };
    check_many(
        "jumps",
        &[
            (
                "gotos to one label",
                kernel_by_id(&("if (a) goto l;\n".repeat(N) + "l: barrier(1);")),
                1,
                &doubt(N + 2, 4),
            ),
            (
                "a label for each goto",
                kernel_by_id(&(each(N, "if (a) goto l#;\n") + &each(N, "l#: barrier(1);\n"))),
                1,
                &doubt(N + 2, 5),
            ),
            (
                "backward gotos",
                kernel_by_id(&(each(N, "l#: p[0]++; if (a) goto l#;\n") + "barrier(1);")),
                1,
                &doubt(N + 2, 1),
            ),
            (
                "backward gotos to one label",
                kernel_by_id(&("l: ;\n".to_owned() + &"if (a) goto l;\n".repeat(N) + "barrier(1);")),
                1,
                &doubt(N + 3, 1),
            ),
            (
                "gotos from a switch to around it",
                kernel_by_id(&format!(
                    "l: switch (a) {{\n{}}}",
                    each(N, "case #: if (a) goto l; barrier(1);\n")
                )),
                1,
                "a.cl:3:",
            ),
            (
                "cases that fall through",
                kernel_by_id(&format!("switch (a) {{\n{}}}", each(N, "case #: barrier(1);\n"))),
                1,
                &doubt(4, 9),
            ),
            (
                "labels that are stacked",
                kernel_by_id(&(each(N, "l#: ") + ";\n" + &"if (a) goto l0;\n".repeat(N) + "barrier(1);")),
                1,
                &doubt(N + 3, 1),
            ),
            (
                "gotos into a loop",
                kernel_by_id(&("if (a) goto l;\n".repeat(N) + "while (a) {\nl: barrier(1); }")),
                1,
                &doubt(N + 3, 4),
            ),
            (
                "computed gotos",
                kernel_by_id(&(each(N, "l#: goto *p;\n") + &each(N, "p = &&l#;\n"))),
                1,
                &format!(
                    "a.cl:2:5: error: too many computed jumps in `k`: {N} `goto`s to {N} labels cannot be analysed"
                ),
            ),
            (
                "gotos at random",
                kernel_by_id(
                    &(0..N)
                        .map(|i| format!("l{i}: if (a) goto l{}; barrier(1);\n", (i * 7919 + 13) % N))
                        .collect::<String>(),
                ),
                1,
                "a.cl:",
            ),
        ],
    );
}

#[test]
fn numerous_findings_are_printed_quickly_and_briefly() {
    let folder = Folder::new("findings");
    let text =
        kernel(&(each(1_000, "if (a) goto l#;\n") + "barrier(1);\n" + &each(1_000, "l#: barrier(1);\n")));
    folder.write("a.cl", text).write("b.cl", "int = ;\n".repeat(2_000));
    folder.write("c.cl", kernel(&"l: ; break;\n".repeat(2_000)));
    for format in ["human", "json", "sarif", "github", "gitlab", "junit", "short"] {
        for model in ["tangles", "revised"] {
            let run = folder.tangle(&["lint", "--format", format, "--model", model, "a.cl", "b.cl", "c.cl"]);
            assert_eq!(run.status, Some(1), "{format}");
            assert!(run.out.len() < 40 << 20, "{format}: {} bytes", run.out.len());
        }
    }
}

#[test]
fn jumps_across_many_labels_are_reported_briefly() {
    // The release build takes 3,000 in 10 s (`cargo bench --bench scaling`).
    const N: usize = 400;
    let across = (0..N)
        .map(|j| format!("if (a[i] == {j}) goto l{}; l{j}: a[i] = sub_group_reduce_add(i);\n", j * 7919 % N));
    let text = format!(
        "kernel void k(global int *a) {{\nint i = get_global_id(0);\n{}}}\n",
        across.collect::<String>()
    );
    let folder = Folder::new("across");
    folder.write("a.cl", text);
    let run = folder.tangle(&["lint", "--format", "json", "a.cl"]);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let findings = document["findings"].as_array().unwrap();
    let of_rule = |rule: &str| findings.iter().filter(|it| it["rule"] == rule).collect::<Vec<_>>();
    let doubtful = of_rule("implementation-defined-convergence");
    assert_eq!(doubtful.len(), N);
    for finding in findings {
        assert!(finding["related"].as_array().unwrap().len() <= 10, "{finding}");
    }
    expect![
        "`sub_group_reduce_add` has implementation-defined convergence: reached in sequence and by `goto l0`"
    ]
    .assert_eq(doubtful[0]["message"].as_str().unwrap());
    expect!["`sub_group_reduce_add` has implementation-defined convergence: several paths meet here"]
        .assert_eq(doubtful[N - 1]["message"].as_str().unwrap());
    assert!(run.out.len() < 4_000 * N, "{} bytes", run.out.len());
    let human = folder.tangle(&["lint", "a.cl"]);
    assert!(human.out.len() < 6_000 * N, "{} bytes", human.out.len());
    let shown = folder.tangle(&["show", "--what", "tangles", "--format", "json", "a.cl"]);
    // Each pair of a jump and a later label is a candidate.
    assert!(shown.out.len() < 400 * N * N, "{} bytes", shown.out.len());
}

#[test]
fn long_lines_names_and_strings_are_shortened_in_messages() {
    // The release build takes lines of 10 MB in 3 s.
    const LONG: usize = 1_000_000;
    let x = "x".repeat(10 * LONG);
    let folder = Folder::new("long");
    let line = format!("void f(int a) {{ {} a = = 1; }}", "a = a + 1; ".repeat(LONG / 11));
    let place = format!("a.cl:1:{}: error:", line.find("= 1; }").unwrap() + 1);
    for (text, status, first) in [
        (line, 1, place.as_str()),
        (format!("int {x};\n"), 0, ""),
        (format!("void f(void) {{ goto {x}; }}"), 1, "a.cl:1:21: error: undeclared label `xxx"),
        (format!("{x} a;"), 0, "a.cl:1:1: note: undeclared name `xxx"),
        (format!("constant char *a = \"{x}\";"), 0, ""),
        (format!("constant char *a = \"{x};"), 1, "a.cl:1:20: error: unterminated literal `\"xxx"),
        (format!("#{x}\n"), 0, "a.cl:1:2: note: "),
        (format!("#error {x}\n"), 1, "a.cl:1:2: error: "),
        (format!("#include \"{x}\"\n"), 0, "a.cl:1:10: note: "),
    ] {
        folder.write("a.cl", text);
        let run = folder.tangle(&["lint", "--format", "short", "--quiet", "a.cl"]);
        assert_eq!(run.status, Some(status), "{first}");
        assert!(run.out.starts_with(first) && run.out.len() < 2_000, "{first}: {:.200}", run.out);
    }
}

#[test]
fn unreadable_paths_are_reported_and_other_paths_are_linted() {
    let folder = Folder::new("paths");
    folder.write("good.cl", "int a;\n").write("bad.cl", "int = 1;\n").write("nul.cl", "\0");
    fs::create_dir(folder.0.join("folder.cl")).unwrap();
    for (args, err) in [
        (
            &["lint", "gone.cl", "good.cl"][..],
            "tangle: gone.cl: No such file or directory\n1 error in 1 file\n",
        ),
        (&["lint", "nul.cl"], "tangle: nul.cl: not a text file: it begins with a NUL byte\n"),
        (&["show", "gone.cl"], "tangle: gone.cl: No such file or directory\n"),
        (&["show", "folder.cl"], "tangle: folder.cl: Is a directory\n"),
        (&["show", "nul.cl"], "tangle: nul.cl: not a text file: it begins with a NUL byte\n"),
        (&["show", "good.cl", "--function", "f"], "tangle: good.cl: cannot find function `f`\n"),
        (&["lint", ""], "error: a value is required for '[PATH]...'"),
    ] {
        let run = folder.tangle(args);
        assert_eq!(run.status, Some(2), "{args:?}");
        let first = err.lines().next().unwrap();
        assert_eq!(run.err.lines().next().unwrap().get(..first.len()), Some(first), "{args:?}");
    }
    assert_eq!(folder.tangle(&["lint", "folder.cl"]).status, Some(0), "a folder without kernels");
    let run = folder.tangle(&["lint", "--format", "short", "gone.cl", "bad.cl"]);
    assert_eq!(run.status, Some(2));
    assert!(run.out.starts_with("bad.cl:1:5: error: "), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn dangling_symlink_is_reported() {
    let folder = Folder::new("vanishing");
    std::os::unix::fs::symlink("nowhere", folder.0.join("a.cl")).unwrap();
    for args in [&["lint", "a.cl"][..], &["lint", "a.cl", "--format", "json"]] {
        let run = folder.tangle(args);
        assert_eq!(run.status, Some(2));
        assert!(run.err.starts_with("tangle: a.cl: No such file or directory\n"), "{}", run.err);
    }
}

/// Returns whether an error in a settings file has a location, with certain words in its first line or at the location.
fn says(err: &str, message: &str) -> bool {
    match message.split_once(": ").filter(|(at, _)| at.contains(".toml:") || at.contains(".json:")) {
        Some((at, words)) => {
            err.contains(&format!("/{at} ]")) && words.split("; ").all(|words| err.contains(words))
        }
        None => err.contains(message),
    }
}

#[test]
fn invalid_project_file_or_option_is_reported() {
    let folder = Folder::new("options");
    folder.write("good.cl", "int a;\n");
    for (config, message) in [
        ("include = [\n", "tangle.toml:1:12: "),
        ("includes = []\n", "tangle.toml:1:1: unknown key `includes`"),
        (
            "[rules]\nsyntax-eror = 'off'\n",
            "tangle.toml:2:1: there is no rule `syntax-eror`; did you mean `syntax-error`?",
        ),
        ("fail-on = 3\n", "tangle.toml:1:11: "),
    ] {
        folder.write("tangle.toml", config);
        let run = folder.tangle(&["lint", "good.cl"]);
        assert_eq!(run.status, Some(2), "{config}");
        assert!(says(&run.err, message), "{}", run.err);
        // For programs, the error is one line.
        let run = folder.tangle(&["lint", "good.cl", "--format", "short"]);
        assert!(run.err.contains(message) && run.err.lines().count() == 1, "{}", run.err);
    }
    folder.write("tangle.toml", b"\n#\xFF\xFE");
    assert!(says(&folder.tangle(&["lint", "good.cl"]).err, "tangle.toml:2:2: not valid UTF-8"));
    fs::remove_file(folder.0.join("tangle.toml")).unwrap();
    for (args, message) in [
        (&["--rule", "nope=off"][..], "there is no rule `nope`"),
        (
            &["--rule", "syntax-error=loud"],
            "unknown level `loud`: expected `error`, `warning`, `note` or `off`",
        ),
        (
            &["--fail-on", "x"],
            "unknown severity `x`: expected `error`, `warning`, `note`, `confirmed` or `never`",
        ),
        (&["--config", "gone.toml"], "gone.toml: No such file or directory"),
    ] {
        let run = folder.tangle(&[&["lint", "good.cl"], args].concat());
        assert_eq!(run.status, Some(2), "{args:?}");
        assert!(run.err.contains(message), "{args:?}: {}", run.err);
    }
}

#[test]
fn standard_input_is_linted_like_a_file() {
    let folder = Folder::new("input");
    let run = folder.tangle_with(&["lint", "-"], b"a\0b".to_vec());
    assert_eq!(run.status, Some(2));
    assert!(run.err.starts_with("tangle: <stdin>: not a text file: a NUL byte at line 1, column 2 (byte 1)"));
    let run = folder.tangle_with(&["lint", "--format", "short", "-"], b"int a = = 1;".to_vec());
    assert_eq!(run.status, Some(1));
    assert!(run.out.starts_with("<stdin>:1:9: error: "), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn closed_output_pipe_is_no_error() {
    let folder = Folder::new("pipe");
    folder.write("a.cl", "int = ;\n".repeat(5_000));
    let tangle = env!("CARGO_BIN_EXE_tangle");
    let script = format!(
        "{{ {tangle} lint --quiet --format json a.cl; echo $? >&2; }} | head -1; {tangle} rules >&-; echo $? >&2"
    );
    let run = Command::new("sh").args(["-c", &script]).current_dir(&folder.0).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stderr), "1\n0\n");
}

#[test]
fn invalid_compile_commands_json_is_reported() {
    let folder = Folder::new("commands");
    folder.write("k.cl", "int a;\n");
    let deep = format!(r#"[{{ "other": {}"#, "[".repeat(1_000_000));
    let entry = r#"{ "directory": ".", "file": "k.cl", "command": "#;
    for (text, message) in [
        ("", "compile_commands.json:1:1: "),
        ("[{\n  \"file\": }]", "compile_commands.json:2:11: "),
        ("{}", "compile_commands.json:1:1: expected a list, found an object"),
        ("[null]", "compile_commands.json:1:5: expected an object with `directory`"),
        (
            r#"[{ "directory": ".", "file": ["k.cl"], "command": "cc" }]"#,
            "compile_commands.json:1:29: expected a path, found a list",
        ),
        (
            r#"[{ "directory": ".", "file": "k.cl", "arguments": [1] }]"#,
            "compile_commands.json:1:52: expected a string, found `1`",
        ),
        (r#"[{ "directory": ".", "file": "k.cl" }]"#, "this entry needs `arguments` or `command`"),
        (r#"[{ "file": "k.cl", "command": "cc" }]"#, "missing key `directory`"),
        (&format!("[{entry}\"cc '-DX\" }}]"), "unterminated quote or escape in the `command` of entry 1 ("),
        (&deep, "EOF while parsing a list"),
    ] {
        folder.write("compile_commands.json", text);
        for args in [&["lint", "k.cl"][..], &["show", "k.cl"], &["lower", "k.cl", "-p", "."]] {
            let run = folder.tangle(args);
            assert_eq!(run.status, Some(2), "{args:?}: {}", run.err);
            assert!(says(&run.err, message) && run.out.is_empty(), "{args:?}: {}", run.err);
        }
    }
    folder.write("compile_commands.json", b"[{ \"file\": \"caf\xE9\" }]");
    assert!(says(&folder.tangle(&["lint", "k.cl"]).err, "compile_commands.json:1:16: not valid UTF-8"));
    // A missing folder, unusual macro names and incomplete options are not errors of the file.
    for command in [
        "",
        "cc",
        "cc -I",
        "cc -D -U -I/nowhere -isystem ../.. -include gone.h -x",
        "cc -D=3 -D( '-DA\\nB' -U3",
    ] {
        folder.write(
            "compile_commands.json",
            format!(
                r#"[{{ "directory": "/no/such/folder", "file": "{}/k.cl", "command": "{command}" }}]"#,
                folder.0.display()
            ),
        );
        let run = folder.tangle(&["lint", "k.cl"]);
        assert!(matches!(run.status, Some(0 | 1)), "{command}: {}", run.err);
    }
}

#[test]
fn large_compile_commands_json_is_read() {
    let folder = Folder::new("large-commands");
    let mut text = String::from("[");
    for n in 0..100_000 {
        text +=
            &format!(r#"{{ "directory": "/p/{n}", "file": "kernel.cl", "command": "cc -DN={n} -I inc" }},"#);
    }
    let define = "D".repeat(1_000_000);
    text += &format!(
        r#"{{ "directory": ".", "file": "kernel.cl", "arguments": ["cc", "-D{define}", "-DN=1"] }}]"#
    );
    folder.write("compile_commands.json", text).write("kernel.cl", "kernel void k() { int a = N; }\n");
    folder.write("other.cl", "kernel void k() { int a = N; }\n");
    let run = folder.tangle(&["lint", "kernel.cl", "--format", "short"]);
    assert_eq!((run.status, run.out.as_str()), (Some(0), ""), "{}", run.err);
    assert!(folder.tangle(&["lint", "other.cl", "--format", "short"]).out.contains("`N`"));
}

#[cfg(unix)]
#[test]
fn cyclic_symlinks_are_followed_only_once() {
    let folder = Folder::new("round");
    fs::create_dir_all(folder.0.join("a/b")).unwrap();
    for (to, from) in [
        ("..", "a/up"),
        ("../..", "a/b/top"),
        ("self", "self"),
        ("a", "again"),
        ("tangle.toml", "tangle.toml"),
    ] {
        std::os::unix::fs::symlink(to, folder.0.join(from)).unwrap();
    }
    folder.write("a/b/k.cl", "int a = ;\n");
    for path in [".", "again", "a/up/a/up/a"] {
        let run = folder.tangle(&["lint", path, "--format", "short"]);
        assert_eq!((run.status, run.out.lines().count()), (Some(1), 1), "{path}: {}{}", run.out, run.err);
    }
}
