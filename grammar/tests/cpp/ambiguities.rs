//! Constructs that are ambiguous in the grammar alone: one test for each rule of the adapter, with its decisions.

use crate::common::{check, check_expr, check_stmt};

#[test]
fn less_than_opens_template_arguments_if_greater_than_matches() {
    check_expr("g<int>(a)", "g<type int>(a)");
    check_expr("g<4>(a)", "g<4>(a)");
    check_expr("g<a>(b)", "g<a>(b)");
    check_expr("a < b", "(a < b)");
    check_expr("a < b > (3)", "((a < b) > paren 3)");
    check_expr("g(a < b, b > (3))", "g((a < b), (b > paren 3))");
    check_expr("g(x < y, y > (3))", "g(x<y, y>(3))");
    check_expr("x < 3 && y > 4", "((x < 3) && (y > 4))");
    check_expr("x < y || y > z", "((x < y) || (y > z))");
    check_expr("x < y > 4", "((x < y) > 4)");
    check_expr("p[a] < b", "(p[a] < b)");
    check_expr("g<(a > b)>(a)", "g<paren (a > b)>(a)");
    check_expr("g<a && b>(3)", "((g < a) && (b > paren 3))");
    check_expr("a = std::is_same_v<T, int> && b", "(a = (std::is_same_v<type T, type int> && b))");
    check_expr("a = b < 3 ? x < 4 : y > 5", "(a = ((b < 3) ? (x < 4) : (y > 5)))");
    check_stmt(
        "for (int i = 0; i < a; i++) if (i > b) ;",
        "for (let i: int = 0; (i < a); (i++)) if (i > b) [;]",
    );
    check_stmt("if (a < b) { } else if (a > b) ;", "if (a < b) [{} else if (a > b) [;]]");
}

#[test]
fn one_token_may_close_two_template_argument_lists() {
    check_stmt("A<B<int>> x;", "let x: A<type B<type int>>;");
    check_stmt("A<B<C<int>>> x;", "let x: A<type B<type C<type int>>>;");
    check_expr("a >> b", "(a >> b)");
    check_expr("x < y >> 2", "(x < (y >> 2))");
    check_expr("g<(a >> 2)>(b)", "g<paren (a >> 2)>(b)");
    check_stmt("A<B<int>>::type x;", "let x: A<type B<type int>>::type;");
    check_stmt("A<auto(T, T) -> void> x;", "let x: A<type auto>;");
}

#[test]
fn member_takes_template_arguments_before_parentheses() {
    check_expr("x.g<4>(a)", "x.g<4>(a)");
    check_expr("p->template g<int>(a)", "p->g<type int>(a)");
    check_expr("x.y < a", "(x.y < a)");
    check_expr("g(x.y < a, x.z > b)", "g((x.y < a), (x.z > b))");
    check_expr("x.template operator()<int>(a)", "x.operator()<type int>(a)");
}

#[test]
fn type_name_before_declarator_begins_a_declaration() {
    check_stmt("Foo x;", "let x: Foo;");
    check_stmt("ns::Foo x;", "let x: ns::Foo;");
    check_stmt("::ns::Foo<int> x = 3;", "let x: ::ns::Foo<type int> = 3;");
    check_stmt("Foo *x;", "let x: pointer to Foo;");
    check_stmt("Foo &x = y;", "let x: reference to Foo = y;");
    check_stmt("Foo &&x = y;", "let x: rvalue reference to Foo = y;");
    check_stmt("Foo const &x = y;", "let x: reference to const Foo = y;");
    check_stmt("a * b;", "(a * b);");
    check_stmt("T * x;", "let x: pointer to T;");
    check_stmt("Foo * x = y, z;", "let x: pointer to Foo = y, z: Foo;");
    check_stmt("a & b;", "(a & b);");
    check_stmt("x = y * z;", "(x = (y * z));");
    check_stmt("typename T::type x;", "let x: T::type;");
    check_stmt(
        "auto x = a; auto *y = p; auto &z = a; const auto w = b;",
        "let x: auto = a; let y: pointer to auto = p; let z: reference to auto = a; let w: const auto = b;",
    );
}

#[test]
fn type_before_parentheses_constructs_a_value() {
    check_stmt("T(a);", "new <T>(a);");
    check_stmt("T(a).x = 3;", "(new <T>(a).x = 3);");
    check_stmt("T{a};", "new <T>(a);");
    check_stmt("int(a);", "new <int>(a);");
    check_stmt("a = int(b) + float(a);", "(a = (new <int>(b) + new <float>(a)));");
    check_stmt("Foo{a, b}.g();", "new <Foo>(a, b).g();");
    check_stmt("Foo<int>{a}.g();", "new <Foo<type int>>(a).g();");
    check_stmt("ns::Foo<int>(a).g();", "ns::Foo<type int>(a).g();");
    check_stmt("typename T::Foo(a).g();", "new <T::Foo>(a).g();");
    check_stmt("T (*x)(int);", "let x: pointer to function(_: int) to T;");
    check_stmt("T (&x)[3] = y;", "let x: reference to array[3] of T = y;");
    check_stmt("int (*x)[3];", "let x: pointer to array[3] of int;");
}

#[test]
fn parentheses_after_name_are_initializer_or_parameters() {
    check_stmt("T x(a);", "let x: T = (a);");
    check_stmt("T x(a, 3);", "let x: T = (a, 3);");
    check_stmt("Foo x(y);", "let x: Foo = (y);");
    check_stmt("T x(int(a));", "let x: T = (new <int>(a));");
    check_stmt("T x(y * z);", "let x: T = ((y * z));");
    check_stmt("T x{a};", "let x: T = {a};");
    check_stmt("T x{};", "let x: T = {};");
    check_stmt("void g(int);", "let g: function(_: int) to void;");
    check_stmt("T x();", "let x: function() to T;");
    check("constexpr int n(4);", "n: Constexpr int = (4)");
    check("T g(int);", "g: function(_: int) to T");
    check("__device__ T g(Foo, Bar x);", "g: function(_: Foo, x: Bar) to Device T");
}

#[test]
fn type_in_parentheses_is_a_cast() {
    check_expr("(int)a", "(<int> a)");
    check_expr("(T)a", "(<T> a)");
    check_expr("(T)(a)", "(<T> paren a)");
    check_expr("(T)-a", "(<T> (-a))");
    check_expr("(Foo)a", "(<Foo> a)");
    check_expr("(Foo)(a)", "(<Foo> paren a)");
    check_expr("(Foo *)p", "(<pointer to Foo> p)");
    check_expr("(const Foo<int> &)p", "(<reference to const Foo<type int>> p)");
    check_expr("(ns::Foo)a", "(<ns::Foo> a)");
    check_expr("(ns::Foo *)&a", "(<pointer to ns::Foo> (&a))");
    check_expr("(ns::Foo *)*p", "(<pointer to ns::Foo> (*p))");
    check_expr("f(a, (ns::Foo const *)&b)", "f(a, (<pointer to const ns::Foo> (&b)))");
    check_expr("(ns::x) & b", "(paren ns::x & b)");
    check_expr("(x)(a)", "paren x(a)");
    check_expr("(a) + b", "(paren a + b)");
    check_expr("(x) - b", "(paren x - b)");
    check_expr("(a) * b", "(paren a * b)");
    check_expr("(unsigned long long)a", "(<unsigned long long> a)");
    check_expr("(T)3 * (T)a", "((<T> 3) * (<T> a))");
    check_expr("(float4){1, 2, 3, 4}", "<float4>{1, 2, 3, 4}");
    check_expr("*(volatile int *)p", "(*(<pointer to volatile int> p))");
    check_expr("(int (*)(int))p", "(<pointer to function(_: int) to int> p)");
    check_expr("(a * b)", "paren (a * b)");
    check_expr("(T(a) * b)", "paren (new <T>(a) * b)");
}

#[test]
fn template_argument_is_a_type_or_a_value() {
    check_expr("g<T>()", "g<type T>()");
    check_expr("g<Foo>()", "g<type Foo>()");
    check_expr("g<foo_t>()", "g<type foo_t>()");
    check_expr("g<kFoo>()", "g<kFoo>()");
    check_expr("g<BLOCK>()", "g<BLOCK>()");
    check_expr("g<foo>()", "g<foo>()");
    check_expr("g<foo *>()", "g<type pointer to foo>()");
    check_expr("g<const foo &>()", "g<type reference to const foo>()");
    check_expr("g<ns::foo>()", "g<ns::foo>()");
    check_expr("g<ns::Foo>()", "g<type ns::Foo>()");
    check_expr("g<Foo::value>()", "g<Foo::value>()");
    check_expr("g<Foo<int>>()", "g<type Foo<type int>>()");
    check_expr("g<Foo<int>::value>()", "g<Foo<type int>::value>()");
    check_expr("g<typename Foo::foo>()", "g<type Foo::foo>()");
    check_expr("g<is_same_v<T, int>>()", "g<is_same_v<type T, type int>>()");
    check_expr("g<int[]>()", "g<type array[] of int>()");
    check_expr("g<int(float)>()", "g<type function(_: float) to int>()");
    check_expr("g<sizeof(T)>()", "g<sizeof <T>>()");
    check_expr("g<a + 1, 'c', -1, !x>()", "g<(a + 1), 'c', (-1), (!x)>()");
    check_expr("g<T(3)>()", "g<new <T>(3)>()");
    check_expr("g<T{}>()", "g<new <T>()>()");
    check_expr("g<>()", "g<>()");
    check_expr("g<Ts...>()", "g<type Ts>()");
    check_expr(
        "sizeof(T) + sizeof(Foo) + sizeof(a) + sizeof a",
        "(((sizeof <T> + sizeof <Foo>) + sizeof paren a) + sizeof a)",
    );
}

#[test]
fn bracket_at_start_of_operand_opens_a_lambda() {
    check_stmt("p[a] = 3;", "(p[a] = 3);");
    check_stmt("auto l = [](int x) { return x; };", "let l: auto = [](x: int){return x;};");
    check_stmt("g([&] { a = 3; });", "g([&; ](){(a = 3);});");
    check_stmt(
        "[=, &b, this, c = a + 1]() mutable -> int { return a; }();",
        "[=; &b, &this, c = (a + 1)](){return a;}();",
    );
    check_stmt(
        "auto l = [=] __device__ (int x) -> T<int> { return x; };",
        "let l: auto = [=; ](x: int){return x;};",
    );
    check_stmt("auto l = []<typename U>(U x) { U y = x; };", "let l: auto = [](x: U){let y: U = x;};");
    check_stmt(
        "auto l = [](auto... x) { return g(x...); };",
        "let l: auto = [](x: auto pack){return g(x...);};",
    );
    check_stmt("auto [x, y] = g(a); x++;", "let _: auto [x, y] = g(a); (x++);");
    check_stmt("for (auto &[x, y] : z) ;", "for (; : z) {let _: reference to auto [x, y] = element of z; ;}");
}

#[test]
fn braces_form_a_block_or_an_initializer_list() {
    check_stmt("{ a = 3; }", "{(a = 3);}");
    check_stmt("int x[] = {1, 2, {3}};", "let x: array[] of int = {1, 2, {3}};");
    check_stmt("g({1, 2}, {});", "g({1, 2}, {});");
    check_stmt("a = {1};", "(a = {1});");
    check_stmt("if (a) { } else { }", "if a [{} else {}]");
    check_stmt("a = ({ int x = 3; x; });", "(a = ({let x: int = 3; x;}));");
    check_stmt("Foo x = {.y = 1, .z = {2}};", "let x: Foo = {.y = 1, .z = {2}};");
    check_stmt("Foo x{.y = 1};", "let x: Foo = {.y = 1};");
    check_stmt("p[0] = int{3};", "(p[0] = new <int>(3));");
    check("__device__ T g() { return {1, 2}; }", "g: function() to Device T {return {1, 2};}");
}

#[test]
fn colon_meaning_depends_on_the_construct_before_it() {
    check_stmt("a ? b : a ? 1 : 2;", "(a ? b : (a ? 1 : 2));");
    check_stmt(
        "switch (a) { case 1: a++; case ns::B: default: b++; }",
        "switch a {case 1: (a++); case ns::B: default: (b++);}",
    );
    check_stmt("x: a++; goto x;", "x: (a++); goto x;");
    check_stmt("for (int x : y) a += x;", "for (; : y) {let x: int = element of y; (a += x);}");
    check_stmt(
        "for (auto i = 0; auto x : y) a += x;",
        "for (let i: auto = 0; : y) {let x: auto = element of y; (a += x);}",
    );
    check_stmt(
        "for (int x : {1, 2}) a += x;",
        "for (; : {1, 2}) {let x: int = element of {1, 2}; (a += x);}",
    );
    check(
        "struct A { int x : 3, : 2; unsigned y : 4 = 1; };",
        "_: struct A {x: int bits 3; _: int bits 2; y: unsigned bits 4 = 1}",
    );
    check("struct A : B, public C<int> { };", "_: struct A : B, C<type int> {}");
    check("enum class E : int { X, Y = 3 };", "_: enum E {X, Y = 3}");
}

#[test]
fn conditions_may_declare_variables() {
    check_stmt("if (int x = g()) a = x; else b = x;", "{let x: int = g(); if x [(a = x); else (b = x);]}");
    check_stmt("if (auto x = g(); x > 3) a = x;", "{let x: auto = g(); if (x > 3) [(a = x);]}");
    check_stmt("if (a = 3; b) ;", "{(a = 3); if b [;]}");
    check_stmt("if (a * b) ;", "if (a * b) [;]");
    check_stmt("if (x & y) ;", "if (x & y) [;]");
    check_stmt(
        "while (Foo *x = g()) x->h();",
        "for (; ; ) {let x: pointer to Foo = g(); if x [x->h(); else break;]}",
    );
    check_stmt("switch (int x = g(); x) { }", "{let x: int = g(); switch x {}}");
    check_stmt("if constexpr (a > 3) b++; else a++;", "if constexpr (a > 3) [(b++); else (a++);]");
}
