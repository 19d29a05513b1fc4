//! Hostile input: its cost in time and memory is bounded, and its problems are reported.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;

fn problems(text: &str) -> Vec<String> {
    let world = World::new(&[("main.cl", text)]);
    let chunk = world.run("main.cl");
    world.problems(&chunk)
}

#[test]
fn exponential_macro_is_reported_and_not_expanded() {
    let mut doubling = String::from("#define A0 x\n");
    let mut pasting = String::from("#define P0(x) x\n");
    let mut vanishing = String::from("#define V0\n");
    for n in 1..=40 {
        let m = n - 1;
        writeln!(doubling, "#define A{n} A{m} A{m}").unwrap();
        writeln!(pasting, "#define P{n}(x) P{m}(x##x)").unwrap();
        writeln!(vanishing, "#define V{n} V{m} V{m}").unwrap();
    }
    check(
        &format!("{doubling}int a = A40;\nA2"),
        "int a = A40; x x x x\n! main.cl:42:A40: expansion of macro `A40` is too large",
    );
    let found = problems(&format!("{pasting}int a = P40(ab);"));
    assert!(found.len() == 1 && found[0].ends_with("is too large"), "{found:?}");
    let found = problems(&format!("{vanishing}V40"));
    assert!(found.len() == 1 && found[0].ends_with("is too large"), "{found:?}");
    let found = problems(&format!("{vanishing}#if V40\n#endif\n#include V40\n"));
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn exponential_macro_arguments_are_reported_and_not_expanded() {
    let mut text = String::from("#define D(x) x x\nint a = ");
    text.push_str(&"D(".repeat(60));
    text.push('y');
    text.push_str(&")".repeat(60));
    text.push(';');
    assert_eq!(preprocessed(&text), "int a = D ;\n! main.cl:2:D: expansion of macro `D` is too large");
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let nest = |word: &str, depth: usize| format!("{}y{}", word.repeat(depth), ")".repeat(depth));
    let nested = |word: &str| nest(word, 100_000);
    check(
        &format!("#define f(x) [x]\n{};", nest("f(", 150)),
        &format!("{}y{};", "[".repeat(150), "]".repeat(150)),
    );
    let found = problems(&format!("#define f(x) x\n{};\n#if {}\n#endif", nest("f(", 300), nest("f(", 300)));
    assert_eq!(
        found,
        [
            "main.cl:2:f: calls of macro `f` are nested too deeply in its own arguments",
            "main.cl:3:f: calls of macro `f` are nested too deeply in its own arguments",
        ]
    );
    let found = problems(&format!(
        "#define f(x) x\n#define g(x) x\n{};\n#if {}\n#endif",
        nested("f("),
        nested("f(g(")
    ));
    assert_eq!(found.len(), 2, "{found:?}");
    for text in [format!("#if {}\n#endif", nested("(")), format!("#if {}1\n#endif", "1 ? ".repeat(100_000))] {
        assert_eq!(
            problems(&text),
            ["main.cl:1:if: cannot evaluate this condition: it is nested too deeply"]
        );
    }
    assert_eq!(problems(&format!("#if {}0\n#endif", "! ".repeat(100_000))), [""; 0]);
    assert_eq!(problems(&format!("int a = {};", nested("("))), [""; 0]);
    assert_eq!(problems(&"#if 1\n".repeat(10_000)).len(), 10_000);
}

#[test]
fn unterminated_macro_calls_are_reported_once() {
    let found = problems(&format!("#define f(x) x\n{}", "f(\n".repeat(20_000)));
    assert_eq!(found, ["main.cl:2:f: unterminated arguments of macro `f`: `)` is missing"]);
}

#[test]
fn recursive_include_is_reported_once() {
    for text in [
        "#include \"main.cl\"\n",
        "int a;\n#include \"main.cl\"\n#include \"main.cl\"\nint b;",
        "(\n#include \"main.cl\"\n",
    ] {
        let world = World::new(&[("main.cl", text)]);
        let found = world.problems(&world.run("main.cl"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with("endless recursive include of `main.cl`; further includes are skipped"));
    }
}

#[test]
fn exponential_includes_are_shared_or_bounded() {
    for inner in ["", "int a;\n", "int a = __COUNTER__;\n", "__COUNTER__ "] {
        let mut world = World::new(&[("main.cl", "#include \"40.h\"\n"), ("0.h", inner)]);
        for n in 1..=40 {
            world.write(&format!("{n}.h"), &format!("#include \"{}.h\"\n", n - 1).repeat(2));
        }
        let found = world.problems_of_distinct_chunks("main.cl");
        assert_eq!(found, usize::from(!inner.is_empty()), "{inner:?}");
    }
}

impl World {
    /// The number of problems of a unit. A shared chunk counts once.
    fn problems_of_distinct_chunks(&self, path: &str) -> usize {
        fn walk(chunk: &Arc<Chunk>, seen: &mut std::collections::HashSet<*const Chunk>) -> usize {
            if !seen.insert(Arc::as_ptr(chunk)) {
                return 0;
            }
            let nested: usize = chunk
                .parts
                .iter()
                .map(|part| if let Part::Include(inner) = part { walk(inner, seen) } else { 0 })
                .sum();
            chunk.problems.len() + nested
        }
        walk(&self.run(path), &mut Default::default())
    }
}

#[test]
fn unclosed_braces_take_linear_time() {
    for line in [
        "int f() {\n",
        "kernel void f() {\n",
        "}\nint x;\n{",
        "struct {\n",
        "f(){(\n",
        "typedef int (t,\n",
        "int x; {\nint y;\n",
    ] {
        let text = line.repeat(30_000);
        let chunk = World::new(&[("main.cl", &text)]).run("main.cl");
        assert!(chunk.weight > 0);
    }
}

#[test]
fn truncated_directive_at_end_of_file_does_not_panic() {
    for text in [
        "#",
        "#define",
        "#define f(",
        "#define f(x",
        "#define f(x,",
        "#define f(...",
        "#undef",
        "#if",
        "#ifdef",
        "#include",
        "#include <",
        "#pragma",
        "_Pragma",
        "_Pragma(",
        "#elif",
        "#error",
        "# 1",
        "#define f(x) #",
        "#define f ##",
        "#define f(...) __VA_OPT__(",
        "#if defined(",
        "#if __has_include(",
        "#if __has_include(<",
        "%:",
        "\\",
    ] {
        problems(text);
        problems(&format!("#define f(x) x\n#if 1\nf(\n{text}"));
        problems(&format!("#if 0\n{text}"));
    }
}

/// Fragments with a meaning for the preprocessor, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "#define ",
        "#undef ",
        "#if ",
        "#ifdef ",
        "#elif ",
        "#else\n",
        "#endif\n",
        "#include ",
        "#pragma ",
        "\n",
        "\n#",
        " ",
        "A",
        "B",
        "f",
        "g(x) ",
        "(x,...) ",
        "(",
        ")",
        ",",
        "##",
        "#",
        "x",
        "__VA_ARGS__",
        "__VA_OPT__(",
        "__LINE__",
        "__COUNTER__",
        "_Pragma(",
        "defined ",
        "\"main.cl\"",
        "\"a.h\"",
        "<a.h>",
        "1",
        "+",
        "{",
        "}",
        ";",
        "kernel ",
        "typedef ",
        "struct ",
        "int ",
        "\\\n",
        "/*",
        "*/",
        "//",
        "'",
        "\"",
        "__has_include(",
        "?",
        ":",
        "\0",
        "\r",
        "=",
        "*",
    ]);
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        preprocessed(&text);
    }

    #[test]
    fn random_directives_are_cached_correctly(header in pieces(), one in pieces(), two in pieces()) {
        let one = format!("{one}\n#include \"a.h\"\n{two}");
        let two = format!("{two}\n#include \"a.h\"\n{one}");
        let world = World::new(&[("main.cl", &one), ("two.cl", &two), ("a.h", &header)]);
        let first = world.run("main.cl");
        let second = world.run("two.cl");
        prop_assert_eq!(&first, &world.run("main.cl"));
        let fresh = Cache::new();
        prop_assert_eq!(&second, &preprocess(&world, &world.options, &fresh, world.names["two.cl"]));
        items(&first);
    }
}
