//! Comparison with the preprocessor of clang, if clang is installed.

use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

/// The output of clang for a text, lexed. `None` without clang.
fn clang(text: &str) -> Option<Vec<&'static str>> {
    let mut child = Command::new(tangle_referees::clang()?)
        .args(["-E", "-P", "-x", "cl", "-cl-no-stdinc", "-w", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(lex(&text).0.tokens.iter().map(|token| token.spelling()).collect())
}

const TEXTS: &[&str] = &[
    "#define EVAL(...) EVAL1(EVAL1(EVAL1(__VA_ARGS__)))\n#define EVAL1(...) __VA_ARGS__\n#define EMPTY()\n#define DEFER(x) x EMPTY()\n#define A() 123\nDEFER(A)() EVAL(DEFER(A)()) A()",
    "#define CAT(a, ...) a ## __VA_ARGS__\n#define IIF(c) CAT(IIF_, c)\n#define IIF_0(t, ...) __VA_ARGS__\n#define IIF_1(t, ...) t\nIIF(1)(a, b, c) IIF(0)(a, b, c) CAT(x, y, z)",
    "#define OBSTRUCT(...) __VA_ARGS__ DEFER(EMPTY)()\n#define EMPTY()\n#define DEFER(id) id EMPTY()\n#define REPEAT_INDIRECT() REPEAT\n#define REPEAT(n) n OBSTRUCT(REPEAT_INDIRECT)()(n)\nOBSTRUCT(REPEAT(1)) REPEAT(2)",
    "#define f(x) x g\n#define g(x) x f\nf(1)(2)(3)(4) g(f)(g)(1)",
    "#define str(...) #__VA_ARGS__\n#define xstr(...) str(__VA_ARGS__)\nstr( a , \"b\\n\" 'c' ) xstr(str(x  y)) xstr(__LINE__)",
    "#define a b c\n#define b d a\n#define c(x) [x]\na(1) c(a)(b)",
    "#define LPAREN (\n#define f(x) <x>\nf LPAREN 1) f(LPAREN 1))",
    "#define NIL(x) x\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)",
    "#define cat(x,y) x##y\ncat(L,'a') cat(1.,e+5) cat(.,5) cat(<,<=) cat(-,>) cat(x,1) cat(,) cat(1,x)",
    "#define f(x, y...) x|y\nf(1) f(1,) f(1,2) f(1,2,3)",
    "#define log(fmt, ...) printf(fmt, ## __VA_ARGS__)\nlog(\"a\") log(\"b\", 1) log(\"c\", 1, 2)",
    "#define v(a,...) a __VA_OPT__(<a __VA_ARGS__>) end\nv(1) v(1,2) v(1,) v(,2,3)",
    "#define X Y\n#define Y X\n#define call(f, x) f(x)\n#define id(x) x\ncall(id, X) call(call, id) id(call)(id, Y)",
    "#define SWAP(a,b) b a\nSWAP(SWAP(1,2), SWAP(SWAP(3,4),5)) SWAP\n(\n6\n,\n7\n)",
    "#if (1 ? 2 : 1/0) == 2 && ('\\0' == 0) && -1 >> 1 == -1 && (0 || 1u) - 2 < 0\nyes\n#else\nno\n#endif",
];

#[test]
fn macro_expansion_matches_clang() {
    for text in TEXTS {
        let Some(expected) = clang(text) else { return };
        assert_eq!(preprocessed(text), expected.join(" "), "{text}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    /// Random macros in random order must have the same expansion as with clang.
    #[test]
    fn random_macro_expansion_matches_clang(
        bodies in proptest::collection::vec(proptest::collection::vec(0..16usize, 0..7), 4),
        used in proptest::collection::vec(0..16usize, 1..20),
    ) {
        let words = ["a", "b", "f", "g", "x", "(", ")", "y", "1", "f(x)", "g(y, 1)", "##", "#x", "__VA_ARGS__", "(x)", ","];
        let join = |picked: &[usize]| picked.iter().map(|&index| words[index]).collect::<Vec<_>>().join(" ");
        let mut text = String::new();
        for (name, body) in ["a", "b", "f(x)", "g(y, ...)"].iter().zip(&bodies) {
            text += &format!("#define {name} {}\n", join(body));
        }
        text += &join(&used);
        let world = World::new(&[("main.cl", &text)]);
        let chunk = world.run("main.cl");
        // The standard leaves the order of two `##` operators in a row open.
        proptest::prop_assume!(!text.contains("## ##"));
        // Both report wrong uses, but their outputs differ.
        if chunk.problems.is_empty() && let Some(expected) = clang(&text) {
            proptest::prop_assert_eq!(items(&chunk).join(" "), expected.join(" "), "{}", text);
        }
    }
}
