//! Hosts in the style of real projects, and their extracted programs.

use proptest::prelude::*;

use super::*;

fn programs(host: &str) -> Vec<Program> {
    read(host).programs
}

/// Returns the text of the only program, without indentation, trailing blanks and empty lines.
fn only(host: &str) -> String {
    let programs = programs(host);
    assert_eq!(programs.len(), 1, "{programs:#?}");
    tidy(&programs[0].text)
}

fn tidy(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn adjacent_literals_are_joined_line_by_line() {
    let host = r##"
const char *src = // not "this"
  "#define TWICE(x) \\\n"
  "  ((x) * 2)\n"   /* nor "this" */
  "kernel void k(global char *p) {\n"
  "  p[0] = '\"'; // comment\n"
  "  p[1] = \"a\\tb\"[0];\t}\n";
int other() { return '"' + 1'000; }
"##;
    assert_eq!(
        only(host),
        "#define TWICE(x)  \\\n((x) * 2)\nkernel void k(global char *p) {\np[0] = ' \"'; // comment\np[1] =  \"a \\tb\" [0];  }"
    );
}

#[test]
fn program_text_keeps_its_offset_in_the_host() {
    let host = "auto s = R\"CLC(\nkernel void k() { barrier(1); } // µ)\"\n)CLC\";\nauto t = \"kernel void l() {\\n barrier(1); }\";";
    let programs = programs(host);
    assert_eq!(programs.len(), 2, "each is a separate program");
    for (program, is_raw) in programs.iter().zip([true, false]) {
        assert_eq!((program.is_raw, program.is_incomplete), (is_raw, false));
        let at = program.start + program.text.find("barrier").unwrap();
        assert_eq!(&host[at..at + 7], "barrier");
    }
    assert_eq!(programs[0].text.lines().count(), 3, "raw strings keep the line breaks of the host");
}

#[test]
fn consecutive_raw_strings_are_one_program() {
    let host = "// a macro's part\nR\"(\nkernel void k(int n) {\n)\"\n// and more\n#include \"x.h\"\nR\"(\n  barrier(1); }\n)\"\n";
    assert_eq!(only(host), "kernel void k(int n) {\nbarrier(1); }");
    assert_eq!(tidy(&opencl(host)), "kernel void k(int n) {\nbarrier(1); }");
}

#[test]
fn file_is_unwrapped_only_if_it_starts_with_a_wrapper() {
    for text in ["kernel void k() {}", "// R\"(\nint a; R\"( )\"", "", "/*", "Real x(\"kernel\");", "\u{e9}"]
    {
        assert!(matches!(opencl(text), Cow::Borrowed(_)), "{text}");
    }
    let clpeak = "MSTRINGIFY(\n// it's one\n\\n#define MAD(x) \\\n    x * x\n__kernel void k(global float *p) { p[0] = MAD(2); }\n)\n";
    assert_eq!(
        tidy(&opencl(clpeak)),
        "// it's one\n#define MAD(x) \\\nx * x\n__kernel void k(global float *p) { p[0] = MAD(2); }"
    );
    // Fragments need no kernel to count as OpenCL.
    assert_eq!(tidy(&opencl("R\"(\n#define A 1\n)\"\n")), "#define A 1");
}

#[test]
fn arguments_of_stringify_macros_are_programs() {
    let host = "#define SOURCE(...) #__VA_ARGS__\nconst char *s = SOURCE(\n  kernel void k(global int *p) { f(p); }\n);\n";
    assert_eq!(only(host), "kernel void k(global int *p) { f(p); }");
    let defined = "#define KERNEL_TEXT \"kernel void k() {\" \\\n  \"}\"\n";
    assert_eq!(tidy(&programs(defined)[0].text).replace(' ', ""), "kernelvoidk(){}");
}

#[test]
fn inserted_values_become_placeholder_names() {
    let host =
        "s = \"kernel void k() { int a[\" + std::to_string(n) + \"];\";\ns += \" barrier(1);\"; s += \"}\";";
    let programs = programs(host);
    assert_eq!(programs.len(), 1);
    assert!(programs[0].is_incomplete);
    let words = programs[0].text.split_whitespace().collect::<String>();
    assert_eq!(words.replace('_', ""), "kernelvoidk(){inta[];barrier(1);}");
    let appended = "s.append(\"kernel void k(\"); s.append(type); s.append(\" x)\\n\");\n  if (n) s.append(\"{ barrier(1); }\");\nputs(\"no part\");";
    let programs = self::programs(appended);
    assert_eq!(programs.len(), 1, "{programs:?}");
    let words = programs[0].text.split_whitespace().collect::<String>();
    assert_eq!(words.replace('_', ""), "kernelvoidk(x){barrier(1);}");
    let stream = "o << \"kernel void k() {\"; o << \" barrier(1);\" << \"}\"; p << \"not of it\";";
    assert_eq!(only(stream).split_whitespace().collect::<String>(), "kernelvoidk(){barrier(1);}");
}

#[test]
fn text_without_kernel_literals_has_no_programs() {
    for host in [
        "puts(\"no kernel void here\");",
        "puts(\"{ my_kernel void }\"); call(\"kernel\", \"{}\");",
        "// \"kernel void k() {}\"\n/* R\"(kernel void k() {})\" */",
        "kernel void k() { }",
        "#error \"kernel void k() {}\"\n",
        "char c = '\"'; kernel void k() {} char d = '\"';",
    ] {
        assert_eq!(programs(host), [], "{host}");
    }
}

#[test]
fn streamed_values_keep_their_place_in_the_program() {
    let host = "void f() {\n  o << \"#define A\" << a << b << std::endl << \"kernel void k() { //\" << '\\n';\n  o << i;\n  o << \"}\";\n}";
    let programs = programs(host);
    assert_eq!(programs.len(), 1, "{programs:#?}");
    assert!(programs[0].is_incomplete);
    let lines: Vec<&str> = programs[0].text.lines().map(str::trim).collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["#define", "A", "______"]);
    assert_eq!(lines[1], "kernel void k() { //");
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["_", "}"]);
    // Targets that are calls with arguments, other calls between the writes, and a brace that a condition closes.
    for (host, is_incomplete) in [
        ("t(o, 0) << \"kernel void k() {\" << endl;\nt(o, 3) << \"}\" << endl;", false),
        ("o << \"kernel void k() {\\n\"; o.indent(); p.f(); o << \"}\";", true),
        ("o << \"kernel void k() {\\n\"; p.f(1); o << \"}\";", false),
        ("o << \"kernel void k() {\\n\"; if (n) o << \"}\";", true),
        ("s = std::string(\"kernel void k() {\") + \"}\";", false),
        ("s = \"kernel void k() {\" + std::string(\"}\");", false),
        ("s = \"kernel void k() { int a = \" NUMBER(1) \"; }\";", true),
        ("a = { \"kernel void k() {\",\n // more; of { it\n \"}\" };", false),
    ] {
        let programs = self::programs(host);
        assert_eq!(programs.len(), 1, "{host}");
        assert_eq!(programs[0].is_incomplete, is_incomplete, "{host}");
    }
}

#[test]
fn host_function_starts_a_new_program() {
    let host = "void f() {\n  s += \"kernel void k() { {\";\n}\n\ntemplate <class S> void g(S &s) {\n  s += \"kernel void l() { }\";\n}";
    assert_eq!(programs(host).len(), 2);
    // The function can write the rest of an open body.
    let host = host.replace("kernel void l() { }", "  } }");
    assert_eq!(only(&host).split_whitespace().collect::<String>(), "kernelvoidk(){{}}");
    let host = "  s += \"kernel void k() { {\";\n  FOREACH(a, b) { if (c) { s += \"}\"; } }\n  s += \"}\";";
    assert_eq!(only(host).split_whitespace().collect::<String>(), "kernelvoidk(){{}}");
}

/// Returns the texts of the programs, without blanks.
fn ways(host: &str) -> Vec<String> {
    programs(host).iter().map(|program| program.text.split_whitespace().collect()).collect()
}

#[test]
fn alternatives_become_separate_programs() {
    for (middle, expected) in [
        ("if (a) s += \"A;\"; else s += \"B;\";", &["A;", "B;"][..]),
        ("if (a) { s += \"A;\"; } else if (b) { s += \"B;\"; } else { s += \"C;\"; }", &["A;", "B;", "C;"]),
        // Each arm occurs once. Arms with the same number are combined.
        (
            "if (a) s += \"A;\"; else s += \"B;\"; s += \"-\"; if (a) s += \"C;\"; else s += \"D;\";",
            &["A;-C;", "B;-D;"],
        ),
        (
            "if (a) s += \"A;\"; else { s += \"-\"; if (b) s += \"B;\"; else s += \"C;\"; }",
            &["A;", "-B;", "-C;"],
        ),
        (
            "if (a) { s += \"-\"; if (b) s += \"A;\"; else s += \"B;\"; } else s += \"C;\";",
            &["-A;", "-B;", "C;"],
        ),
        // Text under a condition without `else` is included.
        ("if (a) s += \"A;\"; if (b) { s += \"B;\"; }", &["A;B;"]),
        ("if (a) s += \"A;\"; else n = 1; s += \"B;\";", &["A;B;"]),
        ("for (auto c : d) { s += \"A;\"; } while (n) { s += \"B;\"; }", &["A;B;"]),
        ("s += (a ? \"A;\" : \"B;\"); s += \"C;\";", &["A;C;", "B;C;"]),
        (
            "s += std::string(\"-\") + (a ? \"A;\" : b ? \"B;\" : \"C;\") + \"D;\";",
            &["-A;D;", "-B;D;", "-C;D;"],
        ),
        (
            "switch (n) { case 0: case 1: s += \"A;\"; break; case 2: { s += \"B;\"; break; } default: s += \"C;\"; }",
            &["A;", "B;", "C;"],
        ),
        ("switch (n) { case 1: s += \"A;\"; case 2: s += \"B;\"; }", &["A;B;"]),
        ("for (;;) { if (a) { s += \"A;\"; continue; } s += \"B;\"; }", &["A;", "B;"]),
        ("if (a) { for (;;) { s += \"A;\"; break; } } s += \"B;\";", &["A;B;"]),
        ("if (a) s += x; else s += y; s += \"A;\";", &["_A;", "_A;"]),
        // Lists, lambdas and invalid C++.
        ("if (a) { f({ 1, 2 }, [&] { return 1; }); s += \"A;\"; } else s += \"B;\";", &["A;", "B;"]),
        ("} ] ) else else : ? switch case s += \"A;\";", &["A;"]),
    ] {
        let host = format!("void f() {{ s += \"kernel void k() {{\"; {middle} s += \"}}\"; }}");
        let expected: Vec<String> = expected.iter().map(|text| format!("kernelvoidk(){{{text}}}")).collect();
        assert_eq!(
            ways(&host).iter().map(|way| way.replace("__", "_").replace("__", "_")).collect::<Vec<_>>(),
            expected,
            "{middle}"
        );
    }
    let heads =
        "if (a) { s += \"kernel void a(int n) {\"; } else { s += \"kernel void b(int n) {\"; } s += \"}\";";
    assert_eq!(ways(heads), ["kernelvoida(intn){}", "kernelvoidb(intn){}"]);
    let left = "void f() { if (a) { s += \"kernel void a() {\"; s += \"A; }\"; return; }\n s += \"kernel void b() {\"; s += \"B; }\"; }";
    assert_eq!(ways(left), ["kernelvoida(){A;}", "kernelvoidb(){B;}"]);
}

#[test]
fn calls_outside_programs_are_listed_as_unread() {
    for (host, expected) in [
        ("f(\"barrier(CLK_LOCAL_MEM_FENCE);\");", &["barrier"][..]),
        (
            "f(\"\\tbarrier(1); sub_group_all(a);\\nwork_group_barrier (1)\"); g(\"__global\");",
            &["barrier", "sub_group_all", "work_group_barrier"],
        ),
        ("f(\"my_barrier(1); get_local_id(0)\");", &["my_barrier"]),
        ("f(\"kernel void k() { barrier(1); }\"); g(\"barrier(2);\");", &["barrier"]),
        ("f(\"kernel void k() { barrier(1); }\");", &[]),
        ("throw \"barrier(1) failed\"; boost::barrier(2);", &[]),
        ("barrier(CLK_LOCAL_MEM_FENCE); // \"barrier(__local)\"", &[]),
        ("f(\"__local\\n#define barrier(x) sync()\");", &[]),
        ("f(\"barrier\"); g(\"__global\");", &[]),
    ] {
        let mut unread = read(host).unread;
        unread.sort_by_key(|unread| unread.range.start);
        let names: Vec<&str> = unread.iter().map(|unread| &*unread.name).collect();
        assert_eq!(names, expected, "{host}");
        assert!(unread.iter().all(|unread| host[unread.range.clone()] == unread.name));
    }
}

#[test]
fn literals_for_same_target_are_joined_at_any_distance() {
    let long = "std::sort(list.begin(), list.end()); for (int j = 0; j < b; j++) { list.push_back(j); }\n"
        .repeat(20);
    let host = |target: &str, between: &str| {
        format!(
            "void f() {{\n  s += \"kernel void k() {{\";\n{long}{between}  {target} += \"barrier(1); }}\";\n}}"
        )
    };
    assert_eq!(ways(&host("s", "")), ["kernelvoidk(){barrier(1);}"]);
    assert_eq!(programs(&host("t", ""))[0].text.matches("barrier").count(), 0);
    assert_eq!(programs(&host("s", "}\nvoid g() {\n"))[0].text.matches("barrier").count(), 0);
}

#[test]
fn literal_without_kernel_needs_a_whole_opencl_function() {
    for (literal, counts) in [
        ("int f(__global int *p) { return p[0]; }", true),
        ("struct s { int a; }; inline void f(int a) { if (a) { barrier(1); } }", true),
        ("static int f(int a) { return a; }", false),
        ("if (a) { barrier(1); }", false),
        ("else { barrier(1); }", false),
        ("barrier(1);", false),
        ("__local int a[1];", false),
        ("int f(__global int *p) {", false),
        ("} int f(__global int *p) { ", false),
    ] {
        let host = format!("a(\"{literal}\"); b(); c(); d(\"kernel void k() {{}}\");");
        assert_eq!(programs(&host).len(), 1 + usize::from(counts), "{literal}");
    }
}

#[test]
fn time_and_memory_are_bounded() {
    // Each quote could begin a literal that is never closed.
    assert_eq!(programs(&("\\\"".repeat(1 << 19) + "kernel")), []);
    assert_eq!(programs(&("\\'".repeat(1 << 19) + "kernel")), []);
    // Each program spans over half of the host.
    let defined: String =
        (0..4000).map(|n| format!("a{n}(\"void f{n}() {{ barrier(1); }}\"); b();\n")).collect();
    let called: String =
        (0..4000).map(|n| format!("b{n}(\"kernel void k{n}() {{ f{n}(); }}\"); b();\n")).collect();
    let host = defined + &called;
    let programs = programs(&host);
    assert!(programs.len() > 4000);
    assert!(
        programs.iter().map(|program| program.text.len()).sum::<usize>()
            <= (MAX_TOTAL_LENGTH + 1) * host.len()
    );
    // Nested arms, and consecutive arms.
    for part in ["if (a) s += \"A\"; else { ", "if (a) { s += \"A\"; return; } ", "a ? \"A\" : "] {
        let host = format!("s += \"kernel void k() {{\";\n{}", part.repeat(20_000));
        assert!(self::programs(&host).len() <= MAX_ALTERNATIVES);
    }
}

proptest! {
    /// For any host, a program lies within the host and is valid text.
    #[test]
    fn programs_lie_within_any_host_text(host in r#"([ "'\\/*#(){}+<;\na-cR0µ]|R"\(|\)"|\\n|\\x4|kernel void k\(|barrier\(|STRINGIFY\(|#define A\(x\) #x|char ?= ?|void f\(\)|if \(a\)|else|return;|switch \(a\) \{|case|default:|\?|:|__local|; s << |<< endl|\) \+ f\()*"#) {
        let Embedded { programs, unread } = read(&host);
        for program in programs {
            prop_assert!(program.start + program.text.len() <= host.len());
        }
        for unread in unread {
            prop_assert_eq!(&host[unread.range], unread.name);
        }
        prop_assert_eq!(opencl(&host).len(), host.len());
    }
}
