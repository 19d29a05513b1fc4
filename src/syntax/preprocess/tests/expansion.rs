//! Macros: the rules of C11 6.10.3 with its examples, and common extensions.

use super::*;

#[test]
fn c11_6_10_3_5_example_3() {
    check(
        "#define x 3
         #define f(a) f(x * (a))
         #undef x
         #define x 2
         #define g f
         #define z z[0]
         #define h g(~
         #define m(a) a(w)
         #define w 0,1
         #define t(a) a
         #define p() int
         #define q(x) x
         #define r(x,y) x ## y
         #define str(x) # x
         f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
         g(x+(3,4)-w) | h 5) & m
         (f)^m(m);
         p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
         char c[2][6] = { str(hello), str() };",
        r#"f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
         f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);
         int i[] = { 1, 23, 4, 5, };
         char c[2][6] = { "hello", "" };"#,
    );
}

#[test]
fn c11_6_10_3_5_example_4() {
    let defines = r#"
        #define str(s) # s
        #define xstr(s) str(s)
        #define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
                                   x ## s, x ## t)
        #define INCFILE(n) vers ## n
        #define glue(a, b) a ## b
        #define xglue(a, b) glue(a, b)
        #define HIGHLOW "hello"
        #define LOW LOW ", world"
        "#;
    check(
        &format!(
            r#"{defines}
            debug(1, 2);
            fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
                  == 0) str(: @\n), s);
            xstr(INCFILE(2).h)
            glue(HIGH, LOW);
            xglue(HIGH, LOW)"#
        ),
        r#"printf("x" "1" "= %d, x" "2" "= %s", x1, x2);
        fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s);
        "vers2.h"
        "hello";
        "hello" ", world""#,
    );
    let world = World::new(&[
        ("main.cl", &format!("{defines}\n#include xstr(INCFILE(2).h)\n")),
        ("vers2.h", "int included;"),
    ]);
    assert_eq!(items(&world.run("main.cl")), ["int included ;"]);
}

#[test]
fn c11_6_10_3_5_example_5() {
    check(
        "#define t(x,y,z) x ## y ## z
         int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),
                     t(10,,), t(,11,), t(,,12), t(,,) };",
        "int j[] = { 123, 45, 67, 89, 10, 11, 12, };",
    );
}

#[test]
fn c11_6_10_3_5_example_7() {
    check(
        r#"#define debug(...) fprintf(stderr, __VA_ARGS__)
           #define showlist(...) puts(#__VA_ARGS__)
           #define report(test, ...) ((test)?puts(#test):\
                       printf(__VA_ARGS__))
           debug("Flag");
           debug("X = %d\n", x);
           showlist(The first, second, and third items.);
           report(x>y, "x is %d but y is %d", x, y);"#,
        r#"fprintf(stderr, "Flag" );
           fprintf(stderr, "X = %d\n", x );
           puts( "The first, second, and third items." );
           ((x>y)?puts("x>y"): printf("x is %d but y is %d", x, y));"#,
    );
}

#[test]
fn pasted_hash_hash_is_not_an_operator() {
    check(
        r#"#define hash_hash # ## #
           #define mkstr(a) # a
           #define in_between(a) mkstr(a)
           #define join(c, d) in_between(c hash_hash d)
           char p[] = join(x, y);"#,
        r#"char p[] = "x ## y";"#,
    );
}

#[test]
fn macro_does_not_expand_in_itself() {
    check("#define a a b\n#define b a\na b c", "a a a b c");
    check("#define f(x) x f\n f(1)(2)(3)", "1 f(2)(3)");
    check("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g");
    check("#define AA BB\n#define BB AA\nAA BB", "AA BB");
    check("#define foo foo\n#define id(x) x\nid(foo) id(id)(foo)", "foo id(foo)");
}

#[test]
fn function_like_macro_without_parenthesis_is_not_expanded() {
    check("#define f(x) [x]\nf f (1) f\n(2) f", "f [1] [2] f");
    check("#define f(x) [x]\n#define g f\ng(1) g", "[1] f");
    check("#define f(x) [x]\nf\n#define y\n(1)", "f (1)");
    check("#define EMPTY\n#define f() x\nf EMPTY () f EMPTY", "f () f");
}

#[test]
fn directives_in_macro_arguments_are_executed() {
    check("#define f(x) [x]\nf(1\n#ifdef f\n+2\n#else\n+3\n#endif\n)", "[1 +2]");
}

#[test]
fn macro_arguments_may_be_empty_or_contain_nested_commas() {
    check("#define f(x,y) [x|y]\nf(,) f((1,2),3) f( , (a))", "[|] [(1,2)|3] [|(a)]");
    check("#define f() []\nf() f( )", "[] []");
    check("#define f(x) [x]\nf() f(\n)", "[] []");
}

#[test]
fn variadic_macros_are_expanded() {
    check("#define f(a, ...) a<__VA_ARGS__>\nf(1) f(1,) f(1,2,3)", "1<> 1<> 1<2,3>");
    check("#define f(a, rest...) a<rest>\nf(1,2,3)", "1<2,3>");
    check("#define f(a, ...) g(a, ## __VA_ARGS__)\nf(1) f(1,2) f(1,2,3)", "g(1) g(1,2) g(1,2,3)");
    check("#define f(a, ...) g(a __VA_OPT__(,) __VA_ARGS__)\nf(1) f(1,2)", "g(1) g(1, 2)");
    check("#define f(...) x ## __VA_OPT__(y z)\nf() f(1)", "x xy z");
    check("#define f(...) #__VA_ARGS__\nf(a,  b ,c)", r#""a, b ,c""#);
}

#[test]
fn stringification_keeps_the_spelling() {
    check(
        r#"#define s(x) #x
             s( a  +b ) s("q\n") s('"') s(a/* c */b) s(\) s(@)"#,
        r#""a +b" "\"q\\n\"" "'\"'" "a b" "" "@""#,
    );
}

#[test]
fn builtin_macros_are_expanded() {
    check(
        "int a = __LINE__;\n#define l() __LINE__\nl(\n) __FILE__ __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__ __BASE_FILE__",
        r#"int a = 1; 4 "main.cl" 0 1 0 "main.cl""#,
    );
}

#[test]
fn macro_definition_and_use_errors_are_reported() {
    check("#define f(x) x\nf(1,2);", "f;\n! main.cl:2:f: macro `f` takes 1 argument, but 2 were passed");
    check("#define f(x, x) x\n", "\n! main.cl:1:f: invalid macro definition: duplicate parameter `x`");
    check("#define 1\n", "\n! main.cl:1:define: invalid macro definition: expected a macro name");
    check(
        "#define glue(a,b) a##b\nglue(+,/) glue(x,y)",
        "+ / xy\n! main.cl:2:glue: `##` produces `+/`, which is not a valid token",
    );
    check(
        "#define f(x) x\nint a;\nf(1;\nint b;",
        "int a; f(1; int b;\n! main.cl:3:f: unterminated arguments of macro `f`: `)` is missing",
    );
}

#[test]
fn origin_gives_the_location_and_expansions_of_a_token() {
    let world = World::new(&[(
        "main.cl",
        "#define twice(x) (x + x)\n#define outer twice(a)\nint b = outer;\nint c = twice(d);",
    )]);
    let chunk = world.run("main.cl");
    let mut found = Vec::new();
    chunk.for_each_item(&mut |chunk, item, origins| {
        for (token, index) in item.tokens().iter().zip(origins) {
            let mut origin = chunk.origins[index as usize];
            let mut line = format!("{} {}", spelling(token.kind, token.text), world.place(origin));
            while let Some(expansion) = chunk.expansion(origin) {
                origin = expansion.call;
                line += &format!(" <- {}", world.place(origin));
                let (file, token) = expansion.definition;
                line += &format!(" ({})", world.place(Origin::written(file, token)));
            }
            found.push(line);
        }
    });
    expect_test::expect![[r#"
        int main.cl:3:int
        b main.cl:3:b
        = main.cl:3:=
        ( main.cl:1:( <- main.cl:2:twice (main.cl:1:twice) <- main.cl:3:outer (main.cl:2:outer)
        a main.cl:2:a <- main.cl:3:outer (main.cl:2:outer)
        + main.cl:1:+ <- main.cl:2:twice (main.cl:1:twice) <- main.cl:3:outer (main.cl:2:outer)
        a main.cl:2:a <- main.cl:3:outer (main.cl:2:outer)
        ) main.cl:1:) <- main.cl:2:twice (main.cl:1:twice) <- main.cl:3:outer (main.cl:2:outer)
        ; main.cl:3:;
        int main.cl:4:int
        c main.cl:4:c
        = main.cl:4:=
        ( main.cl:1:( <- main.cl:4:twice (main.cl:1:twice)
        d main.cl:4:d
        + main.cl:1:+ <- main.cl:4:twice (main.cl:1:twice)
        d main.cl:4:d
        ) main.cl:1:) <- main.cl:4:twice (main.cl:1:twice)
        ; main.cl:4:;"#]]
    .assert_eq(&found.join("\n"));
}
