//! The groups that conditions skip because of undefined names.

use super::*;

/// The skipped groups: the first word of each, and the undefined names with their candidate values.
fn left_out(files: &[(&str, &str)]) -> Vec<String> {
    let world = World::new(files);
    shown(&world, &world.run("main.cl"))
}

fn shown(world: &World, chunk: &Chunk) -> Vec<String> {
    let each = chunk.left_out().map(|(group, missing)| {
        let word = spelling_at(world, group.file, group.tokens.start);
        let missing = missing.into_iter().map(|missing| {
            let values: Vec<String> = missing.values.iter().map(ToString::to_string).collect();
            format!("{}={}", missing.name, values.join(","))
        });
        format!("{word}: {}", missing.collect::<Vec<_>>().join(" "))
    });
    each.collect()
}

fn spelling_at(world: &World, file: FileId, token: u32) -> String {
    let token = world.lexed(file).tokens[token as usize];
    spelling(token.kind, token.text).to_owned()
}

fn of(text: &str) -> Vec<String> {
    left_out(&[("main.cl", text)])
}

#[test]
fn inactive_branch_lists_undefined_names_of_its_condition() {
    assert_eq!(of("#ifdef A\na\n#endif"), ["a: A=1"]);
    assert_eq!(of("#if A == 3\na\n#elif 4 <= A\nb\n#else\nc\n#endif"), ["a: A=3,4,2,1", "b: A=4,5,3,1"]);
    assert_eq!(of("#if A > 0 && defined(B)\na\n#endif"), ["a: A=1,-1 B=1"]);
    assert_eq!(of("#if defined A && A == 2\na\n#endif"), ["a: A=2,3,1"]);
    assert_eq!(of("#define M A\n#if M\na\n#endif"), ["a: A=1"], "through a macro");
    assert_eq!(of("#ifdef A\na"), ["a: A=1"], "a missing `#endif`");
}

#[test]
fn later_branch_lists_names_that_deactivate_the_active_one() {
    assert_eq!(of("#ifndef A\na\n#else\nb\n#endif"), ["b: A=1"]);
    assert_eq!(of("#if !defined(A)\na\n#elif A == 7\nb\n#else\nc\n#endif"), ["b: A=7,8,6,1", "c: A=1"]);
    assert_eq!(of("#if 1\na\n#elif A\nb\n#else\nc\n#endif"), [""; 0], "no definition includes it");
}

#[test]
fn error_only_branch_is_replaced_by_the_next_branch() {
    check(
        "#ifndef A\n#error no A\n#else\nb\n#endif",
        "b\n! main.cl:2:error: `#error no A`: `A` is not defined",
    );
    check(
        "#if X\na\n#elif !defined(A)\n#error no A\n#else\nb\n#endif",
        "b\n! main.cl:4:error: `#error no A`: `A` is not defined",
    );
    // There is no other group, or the group contains more than the error, or no name is undefined.
    check("#ifndef A\n#error no A\n#endif\nb", "b\n! main.cl:2:error: `#error no A`: `A` is not defined");
    check(
        "#ifndef A\n#error no A\na\n#else\nb\n#endif",
        "a\n! main.cl:2:error: `#error no A`: `A` is not defined",
    );
    check("#if 1\n#error no A\n#else\nb\n#endif", "\n! main.cl:2:error: `#error no A`");
    assert_eq!(of("#ifndef A\n#error no A\n#else\nb\n#endif"), [""; 0], "no other definition is needed");
}

#[test]
fn names_that_the_unit_defines_or_undefines_are_not_listed() {
    assert_eq!(of("#ifdef A\na\n#endif\n#define A"), [""; 0]);
    assert_eq!(of("#undef A\n#ifdef A\na\n#endif"), [""; 0]);
    assert_eq!(of("#define B 0\n#if B\na\n#endif"), [""; 0]);
    assert_eq!(of("#ifdef A\na\n#ifdef B\nb\n#endif\n#endif"), ["a: A=1"], "a nested test is not evaluated");
    // Only names that the rest of the unit does not define count.
    assert_eq!(of("#if A && C\na\n#endif\n#define A"), ["a: C=1"]);
}

#[test]
fn macro_with_a_default_is_listed_with_other_values() {
    let default = |value: &str, rest: &str| of(&format!("#ifndef A\n#define A {value}\n#endif\n{rest}"));
    assert_eq!(default("0", "#if A == 2\na\n#endif"), ["a: A=2,3,1"]);
    assert_eq!(default("1", "#if A\n#else\nb\n#endif"), ["b: A=0"]);
    assert_eq!(default("(1)", "#if 0\n#elif A == 2 && B\na\n#endif"), ["a: B=1 A=2,3,1,0"]);
    assert_eq!(default("0", "#if defined(A)\n#else\nb\n#endif"), [""; 0]);
    assert_eq!(default("", "#if 1\n#elif A\nb\n#endif"), [""; 0], "an include guard");
    assert_eq!(default("0", "#undef A\n#define A 0\n#if A\na\n#endif"), [""; 0]);
    assert_eq!(of("#undef A\n#ifndef A\n#define A 0\n#endif\n#if A\na\n#endif"), [""; 0]);
    let either = of("#if B\n#define A 0\n#else\n#define A 1\n#endif\n#if A == 3\na\n#endif");
    assert_eq!(either, ["#: B=1"], "an earlier definition would not replace these");
}

#[test]
fn cached_header_lists_the_same_inactive_branches() {
    let header = "#ifdef A\na\n#endif\n#define B\n#undef B\nint h;\n";
    let main = "#include \"h.h\"\n#ifdef B\nb\n#endif\n";
    let world = World::new(&[("h.h", header), ("main.cl", main), ("other.cl", main)]);
    for path in ["main.cl", "other.cl"] {
        assert_eq!(shown(&world, &world.run(path)), ["a: A=1"], "{path}");
    }
    assert_eq!(left_out(&[("h.h", header), ("main.cl", "#include \"h.h\"\n#include \"h.h\"\n")]), ["a: A=1"]);
    let later = left_out(&[("h.h", header), ("main.cl", "#include \"h.h\"\n#define A\n")]);
    assert_eq!(later, [""; 0]);
}

#[test]
fn unterminated_call_lists_an_inactive_branch_once() {
    assert_eq!(of("#define F(x) x\nF(\n#ifdef A\na\n#endif\nint b;"), ["a: A=1"]);
}

#[test]
fn long_chains_and_conditions_take_linear_time() {
    let names: Vec<String> = (0..20_000).map(|n| format!("A{n}")).collect();
    let chain = names.iter().map(|name| format!("#elif {name}\n{name}\n")).collect::<String>();
    let found = of(&format!("#ifndef A\n#else\n#endif\n#if {}\na\n{chain}#endif", names.join(" || ")));
    assert_eq!(found.len(), 20_001);
    assert_eq!(found[0].split(' ').count(), 1 + 8, "the maximum number of names");
}
