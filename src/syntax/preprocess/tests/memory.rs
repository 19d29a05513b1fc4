//! The cache for translation units, and the conditions under which its chunks are not reused.

use super::*;

/// The chunk of the first include.
fn included(chunk: &Chunk) -> Arc<Chunk> {
    chunk
        .parts
        .iter()
        .find_map(|part| match part {
            Part::Include(chunk) => Some(Arc::clone(chunk)),
            Part::Item { .. } => None,
        })
        .expect("the unit must have an include")
}

/// Preprocesses two units one after the other. Returns whether they share the chunk of their first include.
fn shared(one: &str, two: &str, header: &str) -> bool {
    let world = World::new(&[
        ("one.cl", one),
        ("two.cl", two),
        ("a.h", header),
        ("b.h", "#ifndef B_H\n#define B_H\nint b;\n#endif\n"),
    ]);
    let (first, second) = (world.run("one.cl"), world.run("two.cl"));
    // A shared chunk must be equal to the result without a cache.
    let fresh = World::new(&[]);
    let alone = preprocess(&world, &world.options, &fresh.cache, world.names["two.cl"]);
    assert_eq!(second, alone);
    Arc::ptr_eq(&included(&first), &included(&second))
}

const INCLUDE: &str = "#include \"a.h\"\n";

#[test]
fn second_unit_shares_cached_headers() {
    assert!(shared(
        INCLUDE,
        "// another\n#include \"a.h\"\nint x;",
        "typedef int t;\n#define T t\nT f(T x) { return x; }\n"
    ));
    assert!(shared(INCLUDE, INCLUDE, "#include \"b.h\"\nint a;\n#include \"b.h\"\n"));
    assert!(shared("#define OTHER 1\n#include \"a.h\"\n", INCLUDE, "int a;"));
}

#[test]
fn cache_hit_restores_the_definitions_of_a_header() {
    let world = World::new(&[
        ("one.cl", "#include \"a.h\"\nA x; NONE"),
        ("two.cl", "#define NONE 1\n#include \"a.h\"\nA x; NONE"),
        ("three.cl", "#define NONE 1\n#include \"a.h\"\nA x; NONE\n#include \"a.h\"\n"),
        ("a.h", "#pragma once\ntypedef int t;\n#define A t\n#undef NONE\n"),
    ]);
    let expected = ["typedef int t ;", "t x ;", "NONE"];
    for unit in ["one.cl", "two.cl", "three.cl"] {
        let chunk = world.run(unit);
        assert_eq!(items(&chunk), expected, "{unit}");
        let mut kind = None;
        chunk.for_each_item(&mut |_, item, _| {
            if item.tokens().len() == 3 {
                kind = Some(item.tokens()[0].kind);
            }
        });
        assert_eq!(kind, Some(TokenKind::TypeName));
    }
    assert_eq!(world.cache.len(), 2, "with and without NONE");
}

#[test]
fn header_with_another_meaning_is_preprocessed_again() {
    let with = |line: &str| format!("{line}\n{INCLUDE}");
    assert!(!shared(INCLUDE, &with("#define x 1"), "int x;"));
    assert!(!shared(INCLUDE, &with("#define FLAG"), "#ifdef FLAG\nint a;\n#else\nint b;\n#endif\n"));
    assert!(!shared(INCLUDE, &with("typedef int x;"), "int f(x);"));
    assert!(!shared(&with("#define x 1"), &with("#define x 2"), "int a = x;"));
    assert!(!shared(INCLUDE, &with("#define B_H"), "#include \"b.h\"\nint a;"));
    // The same macro with a definition at another location: the expansion would refer to the wrong location.
    assert!(!shared(&with("#define x 1"), &with("\nint q;\n#define x 1"), "int a = x;"));
}

#[test]
fn cached_header_inherits_and_exports_the_packing() {
    let world = World::new(&[
        ("one.cl", "#include \"a.h\"\nstruct s x;\n#pragma pack(pop)\nstruct s y;\n"),
        ("two.cl", "#include \"a.h\"\nstruct s x;\n#pragma pack(pop)\nstruct s y;\n"),
        ("three.cl", "#pragma pack(8)\n#include \"a.h\"\nstruct s x;\n#pragma pack(pop)\nstruct s y;\n"),
        (
            "four.cl",
            "#pragma pack(8)\n#pragma pack(push)\n#include \"a.h\"\nstruct s x;\n#pragma pack(pop)\nstruct s y;\n",
        ),
        ("a.h", "struct s { int b; };\n#include \"b.h\"\nstruct s c;\n"),
        ("b.h", "struct s a;\n#pragma pack(push, 2)\n"),
    ]);
    let around = [("one.cl", None), ("two.cl", None), ("three.cl", Some(8)), ("four.cl", Some(8))];
    for (unit, around) in around.into_iter().chain(around) {
        let mut found = Vec::new();
        world.run(unit).for_each_item(&mut |_, item, _| {
            if item.tokens()[0].kind == TokenKind::Struct {
                found.push(item.packing().limit());
            }
        });
        assert_eq!(found, [around, around, Some(2), Some(2), around], "{unit}");
    }
    assert_eq!(world.cache.len(), 6, "two headers, without packing, with 8, and with 8 pushed on 8");
}

#[test]
fn header_that_only_tests_a_macro_ignores_its_location() {
    let header = "#ifdef FLAG\nint a;\n#endif\n";
    assert!(shared(
        "#define FLAG\n#include \"a.h\"\n",
        "int first;\n#define FLAG\n#include \"a.h\"\n",
        header
    ));
}

#[test]
fn cached_header_is_invalidated_when_its_tokens_change() {
    let mut world = World::new(&[
        ("main.cl", "#include \"a.h\"\n"),
        ("a.h", "#include \"b.h\"\nint a;\n"),
        ("b.h", "int b;\n"),
    ]);
    let first = included(&world.run("main.cl"));
    world.write("b.h", "// a comment changes nothing\nint b;\n");
    assert!(Arc::ptr_eq(&first, &included(&world.run("main.cl"))));
    world.write("b.h", "int c;\n");
    assert_eq!(items(&world.run("main.cl")), ["int c ;", "int a ;"]);
}

#[test]
fn missing_header_is_found_once_it_exists() {
    let mut world =
        World::new(&[("main.cl", "#include \"a.h\"\n"), ("a.h", "#include \"late.h\"\nint a;\n")]);
    assert_eq!(world.problems(&world.run("main.cl")).len(), 1);
    assert_eq!(world.problems(&world.run("main.cl")).len(), 1, "a cached chunk repeats the problem");
    world.write("late.h", "int late;\n");
    let chunk = world.run("main.cl");
    assert_eq!(world.problems(&chunk), [""; 0]);
    assert_eq!(items(&chunk), ["int late ;", "int a ;"]);
}

#[test]
fn changed_value_of_line_macro_invalidates_the_cache() {
    let mut world = World::new(&[("main.cl", "#include \"a.h\"\n"), ("a.h", "int a = __LINE__;\n")]);
    let first = included(&world.run("main.cl"));
    assert!(Arc::ptr_eq(&first, &included(&world.run("main.cl"))));
    world.write("a.h", "\n\nint a = __LINE__;\n");
    assert_eq!(items(&world.run("main.cl")), ["int a = 3 ;"]);
}

#[test]
fn header_that_depends_on_a_counter_is_not_cached() {
    for header in ["int a = __COUNTER__;", "int a = __INCLUDE_LEVEL__;", "int b; int"] {
        let world = World::new(&[
            ("main.cl", "#include \"mid.h\"\nx;"),
            ("mid.h", "#include \"a.h\"\nx;"),
            ("a.h", header),
        ]);
        let first = world.run("main.cl");
        assert_eq!(first, world.run("main.cl"));
    }
    assert!(!shared(INCLUDE, INCLUDE, "int a = __COUNTER__;"));
}

#[test]
fn outer_header_is_cached_by_the_first_meaning_of_a_name() {
    // The outer header reads `X` and changes it, and the inner header reads it again.
    let world = World::new(&[
        ("one.cl", "#define X 1\n#include \"outer.h\"\n"),
        ("two.cl", "#define X 1\n#include \"outer.h\"\n"),
        ("three.cl", "#define X 2\n#include \"outer.h\"\n"),
        ("outer.h", "int a = X;\n#undef X\n#define X 2\n#include \"inner.h\"\nint c = X;\n"),
        ("inner.h", "int b = X;\n#undef X\n#define X 3\n"),
    ]);
    assert_eq!(items(&world.run("one.cl")), ["int a = 1 ;", "int b = 2 ;", "int c = 3 ;"]);
    assert_eq!(items(&world.run("three.cl")), ["int a = 2 ;", "int b = 2 ;", "int c = 3 ;"]);
    assert_eq!(items(&world.run("two.cl")), ["int a = 1 ;", "int b = 2 ;", "int c = 3 ;"]);
}

#[test]
fn number_of_cached_variants_is_bounded() {
    let mut world = World::new(&[("a.h", "int a = X;\n")]);
    for value in 0..100 {
        let text = format!("#define X {value}\n#include \"a.h\"\n");
        world.write("main.cl", &text);
        assert_eq!(items(&world.run("main.cl")), [format!("int a = {value} ;")]);
    }
    assert_eq!(world.cache.len(), 16);
}

#[test]
fn threads_share_the_cache() {
    let header: String = (0..200)
        .map(|n| format!("#define M{n}(x) x + {n}\nint f{n}(int x) {{ return M{n}(x); }}\n"))
        .collect();
    let world = World::new(&[("main.cl", "#include \"a.h\"\nint y = M3(4);\n"), ("a.h", &header)]);
    let expected = items(&world.run("main.cl"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(items(&world.run("main.cl")), expected);
                }
            });
        }
    });
}

#[test]
fn cached_unit_requests_each_line_once() {
    let world = World::new(&[("main.cl", "#include \"a.h\"\n"), ("a.h", "int a = __LINE__ + __LINE__;\n")]);
    world.run("main.cl");
    let before = world.lines_asked.load(Ordering::Relaxed);
    world.run("main.cl");
    // One request for each of the two tokens, to check that its line is still valid.
    assert_eq!(world.lines_asked.load(Ordering::Relaxed), before + 2);
}
