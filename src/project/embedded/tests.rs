//! Texts as projects have them, and what is read of them.

use proptest::prelude::*;

use super::*;

/// The text of the one program, with its blanks at the ends of lines taken off, and empty lines.
fn only(host: &str) -> String {
    let programs = programs(host);
    assert_eq!(programs.len(), 1, "{programs:#?}");
    assert_eq!(programs[0].text.len(), host.len());
    tidy(&programs[0].text)
}

fn tidy(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn plain_literals_are_glued_line_by_line() {
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
        "#define TWICE(x)  \\\n((x) * 2)\nkernel void k(global char *p) {\np[0] = ' \"'; // comment\np[1] =  \"a \\tb \"[0];  }"
    );
}

#[test]
fn what_stands_in_a_literal_keeps_its_offset() {
    let host = "auto s = R\"CLC(\nkernel void k() { barrier(1); } // µ)\"\n)CLC\";\nauto t = \"kernel void l() {\\n barrier(1); }\";";
    let programs = programs(host);
    assert_eq!(programs.len(), 2, "each is a program of its own");
    for (program, is_raw) in programs.iter().zip([true, false]) {
        assert_eq!((program.text.len(), program.is_raw, program.is_incomplete), (host.len(), is_raw, false));
        let at = program.text.find("barrier").unwrap();
        assert_eq!(&host[at..at + 7], "barrier");
    }
    assert_eq!(
        programs[0].text.lines().count(),
        host.lines().count(),
        "lines of raw strings are those of the host"
    );
}

#[test]
fn pieces_of_a_raw_string_are_one_program() {
    let host = "// a macro's part\nR\"(\nkernel void k(int n) {\n)\"\n// and more\n#include \"x.h\"\nR\"(\n  barrier(1); }\n)\"\n";
    assert_eq!(only(host), "kernel void k(int n) {\nbarrier(1); }");
    assert_eq!(tidy(&opencl(host)), "kernel void k(int n) {\nbarrier(1); }");
}

#[test]
fn a_file_in_opencl_is_read_as_its_pieces_only_if_it_begins_as_one() {
    for text in ["kernel void k() {}", "// R\"(\nint a; R\"( )\"", "", "/*", "Real x(\"kernel\");", "\u{e9}"]
    {
        assert!(matches!(opencl(text), Cow::Borrowed(_)), "{text}");
    }
    let clpeak = "MSTRINGIFY(\n// it's one\n\\n#define MAD(x) \\\n    x * x\n__kernel void k(global float *p) { p[0] = MAD(2); }\n)\n";
    assert_eq!(
        tidy(&opencl(clpeak)),
        "// it's one\n#define MAD(x) \\\nx * x\n__kernel void k(global float *p) { p[0] = MAD(2); }"
    );
    // Fragments need no kernel to be OpenCL.
    assert_eq!(tidy(&opencl("R\"(\n#define A 1\n)\"\n")), "#define A 1");
}

#[test]
fn arguments_of_macros_that_make_strings_are_found() {
    let host = "#define SOURCE(...) #__VA_ARGS__\nconst char *s = SOURCE(\n  kernel void k(global int *p) { f(p); }\n);\n";
    assert_eq!(only(host), "kernel void k(global int *p) { f(p); }");
    let defined = "#define KERNEL_TEXT \"kernel void k() {\" \\\n  \"}\"\n";
    assert_eq!(tidy(&programs(defined)[0].text).replace(' ', ""), "kernelvoidk(){}");
}

#[test]
fn values_in_between_are_names() {
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
    let stream = "o << \"kernel void k() {\"; o << \" barrier(1);\" << \"}\"; o << \"not of it\";";
    assert_eq!(only(stream).split_whitespace().collect::<String>(), "kernelvoidk(){barrier(1);}");
}

#[test]
fn other_literals_are_no_programs() {
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

proptest! {
    /// Whatever is read, a program is as long as its host, and is text.
    #[test]
    fn no_text_breaks_the_scan(host in r#"([ "'\\/*#(){}+<;\na-cR0µ]|R"\(|\)"|\\n|\\x4|kernel void k\(|STRINGIFY\(|#define A\(x\) #x)*"#) {
        for program in programs(&host) {
            prop_assert_eq!(program.text.len(), host.len());
        }
        prop_assert_eq!(opencl(&host).len(), host.len());
    }
}
