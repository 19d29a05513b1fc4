//! Conditions, includes and the other directives.

use super::*;

/// The result of an `#if` condition: `yes`, `no`, or the message.
fn condition(text: &str) -> String {
    let output = preprocessed(&format!("#if {text}\nyes\n#else\nno\n#endif"));
    match output.split_once("cannot evaluate this condition: ") {
        Some((_, reason)) => reason.into(),
        None => output,
    }
}

#[test]
fn if_conditions_are_integer_expressions() {
    for holds in [
        "1",
        "2 + 3 * 4 == 14 && (2 + 3) * 4 == 20",
        "-1 < 0 && !(-1 < 0u) && -1 > 0u",
        "0xffffffffffffffff == -1",
        "18446744073709551615 > 0",
        "(2 || 1/0) && !(0 && 1/0)",
        "0 ? 1/0 : 2",
        "1 ? 2 : 0 ? 3 : 4",
        "(1, 2) == 2",
        "'a' == 97 && '\\n' == 10 && '\\377' < 0 && '\\x41' == 65 && 'ab' == 24930 && L'\\377' == 255",
        "0b101 == 5 && 010 == 8 && 0x1FuLL == 31",
        "~0 == -1 && -~0 == 1 && !!5 == 1",
        "1 << 62 > 0 && -8 >> 1 == -4",
        "7 / -2 == -3 && 7 % -2 == 1",
        "undefined_name == 0 && true && !false",
        "defined __FILE__ && !defined(nothing) && defined(__has_include)",
        "__has_include(\"main.cl\") && !__has_include(<none.h>) && __has_attribute(noinline)",
        "9223372036854775807 + 1 < 0",
        "-9223372036854775807 - 1 == 1 << 63",
        "(-9223372036854775807 - 1) / -1 < 0",
    ] {
        assert_eq!(condition(holds), "yes", "{holds}");
    }
}

#[test]
fn invalid_condition_is_reported_with_a_reason() {
    for (text, reason) in [
        ("", "the expression is missing"),
        ("1 +", "expected a value at the end"),
        ("1 2", "unexpected `2`"),
        ("(1", "`(` without `)`"),
        ("1 ? 2", "`?` without `:`"),
        ("1 / 0", "division by zero"),
        ("1.5", "`1.5` is not an integer"),
        ("08", "`08` is not an integer"),
        ("99999999999999999999", "`99999999999999999999` is too large for an integer"),
        ("f(1", "`(` without `)`"),
        ("\"a\"", "expected a value, found `\"a\"`"),
        ("defined", "expected a value, found `defined`"),
    ] {
        assert_eq!(condition(text), reason, "{text}");
    }
}

/// Undefined names count as 0. Errors that follow from this value are not reported.
#[test]
fn undefined_names_in_conditions_are_not_errors() {
    for text in ["A % B == 1", "1 / B", "f(1)", "f(g(1), 2) < 0", "max(1, A) > 2"] {
        assert_eq!(condition(text), "no", "{text}");
    }
    assert_eq!(condition("A % B == 0 || f(x) == 0"), "yes");
}

#[test]
fn macros_in_conditions_are_expanded_except_after_defined() {
    check("#define A B\n#define B 0\n#if defined A && !A && defined(B)\nyes\n#endif", "yes");
    check("#define HAS defined(B) && B\n#define B 1\n#if HAS\nyes\n#endif", "yes");
    check("#define f(x) x\n#if f(defined f)\nyes\n#endif", "yes");
}

#[test]
fn has_include_operand_is_expanded() {
    for (defines, operand, found) in [
        ("#define HEADER \"main.cl\"\n", "HEADER", true),
        ("#define HEADER \"none.h\"\n", "HEADER", false),
        ("#define ANGLED <main.cl>\n", "ANGLED", true),
        ("#define name main.cl\n#define ANGLED <name>\n", "ANGLED", true),
        ("#define STR(x) #x\n#define HEADER(name) STR(name.cl)\n", "HEADER(main)", true),
        ("#define ME __FILE__\n", "ME", true),
        ("#define EMPTY\n", "EMPTY", false),
        ("#define SELF SELF\n", "SELF", false),
        ("", "NOTHING", false),
        // A name in angle brackets in the source is not expanded.
        ("#define main other\n", "<main.cl>", true),
    ] {
        let text = format!("{defines}#if __has_include({operand})\nyes\n#else\nno\n#endif");
        let output = preprocessed(&text);
        assert_eq!(output.contains("yes"), found, "{text}\n{output}");
    }
}

#[test]
fn exactly_one_branch_of_a_conditional_is_active() {
    let text = |value: u32| {
        format!(
            "#define V {value}\n#if V == 1\none\n#elif V == 2\ntwo\n#elifdef V\n#if 0\nnot\n#else\nother\n#endif\n#else\nnever\n#endif\nend"
        )
    };
    check(&text(1), "one end");
    check(&text(2), "two end");
    check(&text(3), "other end");
    check("#ifndef A\nno\n#elif 1/0\nnever\n#endif", "no");
    check("#ifdef A\n#elifndef A\nno A\n#endif", "no A");
    check("#if 0\n#if 1\nx\n#else\ny\n#endif\n#elif 1\nz\n#endif", "z");
    check("#if 0\n# error don't \" care\n#unknown\n'\n#endif\nx", "x");
}

#[test]
fn unbalanced_conditional_is_reported_with_its_location() {
    check(
        "#if 1\n#ifdef A\n#endif\nx;",
        "x;\n! main.cl:1:if: unterminated conditional directive: `#endif` is missing",
    );
    check("#if 0\n#ifdef A\nx;", "\n! main.cl:1:if: unterminated conditional directive: `#endif` is missing");
    check("#endif\nx;", "x;\n! main.cl:1:endif: `#endif` without `#if`");
    check(
        "#else\n#endif",
        "\n! main.cl:1:else: `#else` without `#if`\n! main.cl:2:endif: `#endif` without `#if`",
    );
    check("#if 0\n#else\nx\n#else\ny\n#endif", "x\n! main.cl:4:else: `#else` after `#else`");
    check("#if 1\n#else\n#elif 1\ny\n#endif", "\n! main.cl:3:elif: `#elif` after `#else`");
}

#[test]
fn error_line_and_unknown_directives_are_handled() {
    check("#error  something   is off\n", "\n! main.cl:1:error: `#error something is off`");
    check("#warning don't\n", "\n! main.cl:1:warning: `#warning don't`");
    check("#line 7 \"x\"\n# 8 \"y\"\n#\n#ident \"z\"\nx", "x");
    check("#frobnicate 1\nx", "x\n! main.cl:1:frobnicate: ignored unknown directive `#frobnicate`");
    check("/* a */ # /* b */ define /* c */ A /* d */ 1\nA", "1");
    check("a /*", "a\n! main.cl:1:/*: unterminated comment: it includes the rest of the file");
}

#[test]
fn pack_pragma_is_replaced_by_the_packing_after_it() {
    let steps = [
        ("#pragma pack(4)", "pack(4)"),
        ("#pragma pack(push)", "pack(4)"),
        ("#pragma  pack( push , here , 2 )", "pack(2)"),
        ("#pragma pack(push, ONE)", "pack(1)"),
        ("#pragma pack(pop)", "pack(2)"),
        ("#pragma pack(show)", "pack(2)"),
        ("#pragma pack(pop, here)", "pack(4)"),
        ("#pragma pack(pop, 16)", "pack(16)"),
        ("_Pragma(\"pack(push, 8)\")", "pack(8)"),
        ("PACK(2)", "pack(2)"),
        ("#pragma pack(0)", "pack()"),
        ("#pragma pack(pop)", "pack(16)"),
        ("#pragma pack()", "pack()"),
        ("#pragma packed(2)", "packed(2)"),
    ];
    let lines = steps.map(|(line, _)| line).join("\n");
    let defined = "#define ONE 1\n#define PRAGMA(x) _Pragma(#x)\n#define PACK(n) PRAGMA(pack(n))\n";
    let world = World::new(&[("main.cl", &format!("{defined}{lines}"))]);
    let chunk = world.run("main.cl");
    assert_eq!(items(&chunk), steps.map(|(_, packing)| format!("#pragma {packing}")));
    assert!(chunk.problems.is_empty(), "{:?}", chunk.problems);
}

#[test]
fn invalid_pack_pragma_is_reported_with_a_reason() {
    let reasons = [
        ("#pragma pack", "expected `(`"),
        ("#pragma pack 4", "expected `(`"),
        ("#pragma pack(4", "expected `)`"),
        ("#pragma pack(3)", "expected 1, 2, 4, 8 or 16, found `3`"),
        ("#pragma pack(32)", "expected 1, 2, 4, 8 or 16, found `32`"),
        ("#pragma pack(swap)", "expected a number, `push`, `pop` or `show`"),
        ("#pragma pack(push,)", "expected a number after `,`"),
        ("#pragma pack(push, a, b)", "expected a number after `,`"),
        ("#pragma pack(pop)", "`pop` without a matching `push`"),
        ("#pragma pack(push)\n#pragma pack(pop, a)", "`pop` without a matching `push` of `a`"),
    ];
    for (text, reason) in reasons {
        let world = World::new(&[("main.cl", &format!("#pragma pack(2)\n{text}\n"))]);
        let chunk = world.run("main.cl");
        let problems: Vec<String> = chunk.problems.iter().map(Problem::message).collect();
        assert_eq!(problems, [format!("`#pragma pack` does not take full effect: {reason}")], "{text}");
        assert_eq!(items(&chunk).last().map(String::as_str), Some("#pragma pack(2)"), "{text}");
    }
}

#[test]
fn record_items_have_the_packing_at_their_start() {
    let world = World::new(&[(
        "main.cl",
        "struct a { int x; };\n#pragma pack(push, 2)\nstruct a { int x; };\nint f(int x) { return x; }\n\
         struct b { int x;\n#pragma pack(4)\n struct c { int x; } y; };\nstruct a { int x; };\n#pragma pack(pop)\n\
         struct a { int x; };\nint f(int x) { return x; }\n",
    )]);
    let mut found = Vec::new();
    world.run("main.cl").for_each_item(&mut |_, item, _| {
        if item.tokens()[0].kind != TokenKind::Pragma {
            found.push((item.tokens()[1].text.to_string(), item.packing().limit()));
        }
    });
    let expected =
        [("a", None), ("a", Some(2)), ("f", None), ("b", Some(2)), ("a", Some(4)), ("a", None), ("f", None)];
    assert_eq!(found, expected.map(|(name, limit)| (name.to_owned(), limit)));
}

#[test]
fn pragma_between_items_is_its_own_item() {
    let world = World::new(&[(
        "main.cl",
        "#pragma OPENCL  EXTENSION all : enable\nint a;\nvoid f() {\n#pragma unroll\n for (;;) ; _Pragma(\"unroll 4\") ; }\n#pragma once",
    )]);
    assert_eq!(
        items(&world.run("main.cl")),
        [
            "#pragma OPENCL EXTENSION all : enable",
            "int a ;",
            "void f ( ) { #pragma unroll for ( ; ; ) ; #pragma unroll 4 ; }",
        ]
    );
}

#[test]
fn only_includes_between_items_are_separate_chunks() {
    let world = World::new(&[
        (
            "main.cl",
            "#include \"a.h\"\nint table[] = {\n#include <b.h>\n};\n#include \"a.h\"\n#include \"nested.h\"",
        ),
        ("a.h", "#pragma once\ntypedef int t;\n#define A t\n"),
        ("b.h", "1, 2,\n"),
        ("nested.h", "#ifndef N\n#define N\n#include \"a.h\"\n#include \"nested.h\"\nA x;\n#endif\n"),
    ]);
    let chunk = world.run("main.cl");
    assert_eq!(items(&chunk), ["typedef int t ;", "int table [ ] = { 1 , 2 , } ;", "t x ;"]);
    assert_eq!(world.problems(&chunk), [""; 0]);
    assert_eq!(chunk.parts.iter().filter(|part| matches!(part, Part::Include(_))).count(), 2);
    assert_eq!(chunk.files.len(), 4);
}

#[test]
fn item_may_continue_after_the_end_of_its_header() {
    let world = World::new(&[
        ("main.cl", "int first;\n#include \"a.h\"\nfoo(void);\nint c;"),
        ("a.h", "#define ID(x) x\nint a; ID(int) b; ID(struct)\n"),
    ]);
    let chunk = world.run("main.cl");
    assert_eq!(items(&chunk), ["int first ;", "int a ;", "int b ;", "struct foo ( void ) ;", "int c ;"]);
    let item = |wanted: usize| {
        let mut index = 0;
        let mut place = String::new();
        chunk.for_each_item(&mut |chunk, _, origins| {
            if index == wanted {
                place = world.place(chunk.place_of_use(chunk.origins[origins.start as usize]));
            }
            index += 1;
        });
        place
    };
    assert_eq!(item(2), "a.h:2:int");
    assert_eq!(item(3), "a.h:2:struct");
}

#[test]
fn missing_header_is_reported_and_the_rest_is_read() {
    check("#include <nowhere.h>\nint a;", "int a;\n! main.cl:1:<nowhere.h>: header `nowhere.h` not found");
    check("#include\nx", "x\n! main.cl:1:include: `#include` expects a file name in `\"…\"` or `<…>`");
    check("#include BODY\nint a;", "int a;\n! main.cl:1:BODY: header `BODY` not found");
    check("#define H <a b.h>\n#include H\n", "\n! main.cl:2:H: header `a b.h` not found");
}

#[test]
fn command_line_macros_follow_predefined_macros() {
    let mut world = World::new(&[("main.cl", "#include M2S(DIR/a.h)\nint v = VALUE;"), ("./a.h", "int a;")]);
    world.options.predefined = Some(world.write("<predefined>", "#define VALUE 1\n#define OTHER 2\n"));
    let lines = "#undef OTHER\n#undef VALUE\n#define VALUE 5\n#define XM2S(x) #x\n#define M2S(x) XM2S(x)\n#define DIR .\n";
    world.options.command_line = Some(world.write("<command line>", lines));
    assert_eq!(items(&world.run("main.cl")), ["int a ;", "int v = 5 ;"]);
}
