//! Tests of rendered findings: the source with the messages.

use expect_test::{Expect, expect};

use super::testing::{CLEANUP, Texts, cleanup_finding, find};
use super::*;

fn render(files: &[(&str, &str)], diagnostic: &Diagnostic) -> String {
    let texts = Texts::new(files);
    let mut out = Vec::new();
    Renderer::new(&texts, Terminal::default()).write(&mut out, diagnostic).unwrap();
    String::from_utf8(out).unwrap()
}

fn check(files: &[(&str, &str)], diagnostic: &Diagnostic, expected: Expect) {
    expected.assert_eq(&render(files, diagnostic));
}

fn warning(place: Place) -> Diagnostic {
    Diagnostic::new("rule", Severity::Warning, place, "the matter").with_label("the place")
}

#[test]
fn each_place_is_shown_with_its_label() {
    check(
        &[("a.cl", CLEANUP)],
        &cleanup_finding("a.cl"),
        expect![[r#"
        warning[implementation-defined-convergence]: `barrier` is reached by 2 groups of threads that need not arrive together
           ╭─[ a.cl:7:5 ] in `k`
           │
         4 │         goto done;
           │         ────┬────
           │             ╰────── the first group jumps from here
           │
         6 │ done:
           │ ──┬──
           │   ╰──── the second group falls through to this label
         7 │     barrier(CLK_GLOBAL_MEM_FENCE);
           │     ──────────────┬──────────────
           │                   ╰──────────────── threads of both groups run this `barrier`
           │
         9 │ }
           │ ┬
           │ ╰── here they reconverge
           │
           │ Help: move the `barrier` past the end of the block that holds the label
        ───╯

    "#]],
    );
}

#[test]
fn places_are_grouped_by_file_with_line_numbers() {
    let header = "/* µµµµ */\n#define SYNC() \\\n\tbarrier(1)\n";
    let user = "kernel void k() {\n\t\tSYNC();\n}\n";
    let finding = warning(find("k.cl", user, "SYNC()"))
        .with_related(find("inc/sync.h", header, "barrier(1)"), "from this macro")
        .with_related(find("k.cl", user, "kernel"), "in this kernel");
    check(
        &[("k.cl", user), ("inc/sync.h", header)],
        &finding,
        expect![[r#"
        warning[rule]: the matter
           ╭─[ k.cl:2:3 ]
           │
         1 │ kernel void k() {
           │ ───┬──
           │    ╰──── in this kernel
         2 │         SYNC();
           │         ───┬──
           │            ╰──── the place
           │
           ├─[ inc/sync.h:3:2 ]
           │
         3 │     barrier(1)
           │     ─────┬────
           │          ╰────── from this macro
        ───╯

    "#]],
    );
}

#[test]
fn note_with_a_single_place_is_compact() {
    let text = "#include \"missing.h\"\nint x;\n";
    let place = find("a.cl", text, "\"missing.h\"");
    let finding = Diagnostic::new("missing-include", Severity::Note, place, "`missing.h` is not there")
        .with_label("searched in `.`");
    check(
        &[("a.cl", text)],
        &finding,
        expect![[r#"
        note[missing-include]: `missing.h` is not there
           ╭─[ a.cl:1:10 ]
         1 │#include "missing.h"
           │              ╰────── searched in `.`

    "#]],
    );
}

#[test]
fn only_first_line_of_multiline_range_is_marked() {
    let text = "void f() {\n    while (x) {   \n        g();\n    }\n}\n";
    let start = text.find("while").unwrap();
    check(
        &[("a.cl", text)],
        &warning(Place::new("a.cl", start..text.len() - 2)),
        expect![[r#"
        warning[rule]: the matter
           ╭─[ a.cl:2:5 ]
           │
         2 │     while (x) {
           │     ─────┬─────
           │          ╰─────── the place
        ───╯

    "#]],
    );
}

#[test]
fn crlf_tabs_and_control_characters_are_not_printed() {
    let text = "int a;\x0C\r\n\t\tint\tb\u{1b}[31m; // \u{202E}\r\nint c;\r\n";
    let finding = warning(find("a.cl", text, "b\u{1b}")).with_related(find("a.cl", text, "c;\r\n"), "third");
    let rendered = render(&[("a.cl", text)], &finding);
    assert!(!rendered.contains(['\r', '\u{1b}', '\u{202E}', '\t']), "{rendered}");
    check(
        &[("a.cl", text)],
        &finding,
        expect![[r#"
        warning[rule]: the matter
           ╭─[ a.cl:2:7 ]
           │
         2 │         int b�[31m; // �
           │             ─┬
           │              ╰── the place
         3 │ int c;
           │     ─┬
           │      ╰── third
        ───╯

    "#]],
    );
}

#[test]
fn any_range_of_a_text_can_be_shown() {
    let text = "a\r\nµ€\t\n\n𝄞 x\rlast";
    for start in 0..text.len() + 2 {
        for end in [0, start, start + 1, start + 4, text.len(), usize::MAX] {
            let other = Place::new("b.cl", start / 2..end);
            let finding = warning(Place::new("a.cl", start..end)).with_related(other, "another");
            let rendered = render(&[("a.cl", text), ("b.cl", text)], &finding);
            assert!(rendered.contains("the place") && rendered.contains("another"), "{rendered}");
            assert!(rendered.contains(" a.cl:") && rendered.contains(" b.cl:"), "{rendered}");
        }
    }
}

#[test]
fn end_of_file_can_be_marked() {
    let text = "void f() {\n";
    let at_end = |text: &str| warning(Place::new("a.cl", text.len()..text.len()));
    check(
        &[("a.cl", text)],
        &at_end(text),
        expect![[r#"
        warning[rule]: the matter
           ╭─[ a.cl:2:1 ]
           │
         2 │
           │ ┬
           │ ╰── the place
        ───╯

    "#]],
    );
    check(
        &[("a.cl", "int x")],
        &at_end("int x"),
        expect![[r#"
        warning[rule]: the matter
           ╭─[ a.cl:1:6 ]
           │
         1 │ int x
           │      ┬
           │      ╰── the place
        ───╯

    "#]],
    );
    check(
        &[("a.cl", "")],
        &at_end(""),
        expect![[r#"
        warning[rule]: the matter
           ╭─[ a.cl:1:1 ]
           │
         1 │
           │ ┬
           │ ╰── the place
        ───╯

    "#]],
    );
}

#[test]
fn very_long_line_is_truncated() {
    let text = format!("{}barrier(0); {}", "int µ; ".repeat(1_000_000), "int y; ".repeat(400_000));
    let finding = warning(find("long.cl", &text, "barrier(0)"))
        .in_function("k")
        .with_related(Place::new("long.cl", 0..3), "the start")
        .with_help("break the line");
    check(
        &[("long.cl", &text)],
        &finding,
        expect![[r#"
        warning[rule]: the matter
          long.cl:1:7000001: in `k` the place
              …t µ; int µ; int µ; int µ; int µ; int µ; barrier(0); int y; int y; int y; int y; int y; int y; int y;…
                                                       ^^^^^^^^^^
          long.cl:1:1: the start
              int µ; int µ; int µ; int µ; int µ; int µ; int µ; int µ; int …
              ^^^
          Help: break the line

    "#]],
    );
}

#[test]
fn finding_without_source_text_names_only_the_file() {
    check(
        &[],
        &warning(Place::new("gone.cl", 3..5)),
        expect![[r#"
        warning[rule]: the matter
          gone.cl: the place

    "#]],
    );
}

#[test]
fn number_of_shown_places_is_limited() {
    let text = "x\n".repeat(30);
    let mut finding = warning(Place::new("a.cl", 0..1));
    for line in 1..30 {
        finding = finding.with_related(Place::new("a.cl", line * 2..line * 2 + 1), "jump");
    }
    let rendered = render(&[("a.cl", &text)], &finding);
    assert_eq!(rendered.matches("jump").count(), MOST_LABELS);
    assert!(rendered.contains("17 more locations are not shown"), "{rendered}");
}

#[test]
fn colour_is_used_only_on_request() {
    let texts = Texts::new(&[("a.cl", CLEANUP)]);
    let mut out = Vec::new();
    Renderer::new(&texts, Terminal { color: true, width: None })
        .write(&mut out, &cleanup_finding("a.cl"))
        .unwrap();
    let colored = String::from_utf8(out).unwrap();
    assert!(
        colored.starts_with("\u{1b}[33mwarning[implementation-defined-convergence]:\u{1b}[0m"),
        "{colored}"
    );
    assert!(!render(&[("a.cl", CLEANUP)], &cleanup_finding("a.cl")).contains('\u{1b}'));
}

#[test]
fn overlapping_marks_are_merged() {
    let text = "if (id() == 0) sync();\n";
    let finding = warning(find("a.cl", text, "sync()"))
        .with_related(find("a.cl", text, "id() == 0"), "threads diverge here")
        .with_related(find("a.cl", text, "id()"), "each has its own");
    check(
        &[("a.cl", text)],
        &finding,
        expect![[r#"
        warning[rule]: the matter
           ╭─[ a.cl:1:16 ]
           │
         1 │ if (id() == 0) sync();
           │     ────┬────  ───┬──
           │         ╰─────────┼──── threads diverge here; each has its own
           │                   │
           │                   ╰──── the place
        ───╯

    "#]],
    );
}

#[test]
fn output_lines_are_wrapped_to_terminal_width() {
    let text = "if (id() == 0) sync();\n";
    let finding = Diagnostic::new(
        "rule",
        Severity::Warning,
        find("a.cl", text, "sync()"),
        "words that are more than fit into a line",
    )
    .with_label("not all of the threads may reach this")
    .with_related(find("a.cl", text, "id() == 0"), "threads of one work-group diverge here")
    .with_help("let all of them reach it, or none of them at all");
    let texts = Texts::new(&[("a.cl", text)]);
    let mut out = Vec::new();
    Renderer::new(&texts, Terminal { color: false, width: Some(48) }).write(&mut out, &finding).unwrap();
    expect![[r#"
        warning[rule]: words that are more than fit into
          a line
           ╭─[ a.cl:1:16 ]
           │
         1 │ if (id() == 0) sync();
           │     ────┬────  ───┬──
           │         ╰─────────┼──── threads of one
           │                   │     work-group diverge
           │                   │     here
           │                   │
           │                   ╰──── not all of the
           │                         threads may reach
           │                         this
           │
           │ Help: let all of them reach it, or none
           │       of them at all
        ───╯

    "#]]
    .assert_eq(&String::from_utf8(out).unwrap());
}
