//! Classes, templates, and their functions.

use crate::common::{check, check_stmt};

#[test]
fn method_bodies_may_use_members_declared_later() {
    check(
        "struct A { __device__ int g() { return size < 3 ? W{1}.x : (Q)size; } int size; using W = B; typedef int Q; };",
        "_: struct A {g: function() to Device int {return ((size < 3) ? new <W>(1).x : (<Q> size));}; size: int; W: Typedef B; Q: Typedef int}",
    );
    check(
        "struct A { __device__ int g() { return n < m && m > n; } static constexpr int n = 3, m = 4; };",
        "_: struct A {g: function() to Device int {return ((n < m) && (m > n));}; n: Static Constexpr int = 3; m: Static Constexpr int = 4}",
    );
    check(
        "struct A { __device__ E g() { return X; } enum E { X, Y }; };",
        "_: struct A {g: function() to Device E {return X;}; _: enum E {X, Y}}",
    );
}

#[test]
fn template_parameter_constrained_by_concept_is_a_type() {
    check(
        "template <integer A, std::floating B = float> __device__ A f(A a, B &b) { return A{1}; }",
        "f: function(a: A, b: reference to B) to Device A template<typename A, typename B = type float> {return new <A>(1);}",
    );
    check(
        "template <ranges::input<int>... Ts> __device__ void f(Ts... ts) {}",
        "f: function(ts: Ts pack) to Device void template<typename Ts...> {}",
    );
    check(
        "template <number A> __device__ auto f() -> A;",
        "f: function() to Device auto template<typename A> -> A",
    );
    // A value parameter of an undeclared type: the item uses its name as a value.
    check(
        "template <Mode M> __device__ int f(int x) { return x < M ? M * x : M; }",
        "f: function(x: int) to Device int template<M: Mode> {return ((x < M) ? (M * x) : M);}",
    );
}

#[test]
fn class_name_remains_a_class_after_friend_of_same_name() {
    check(
        "template <typename T> class H { template <typename U> friend struct H; __device__ void f(const H<T> &x, H<int> y); };",
        "_: struct H {f: function(x: reference to const H<type T>, y: H<type int>) to Device void} template<typename T>",
    );
}

#[test]
fn device_specifiers_may_follow_operator_name() {
    check(
        "struct A { int operator() __device__(int x) const { return x; } A &operator+ __host__ __device__(int x); };",
        "_: struct A {operator(): function(x: int) to Device int {return x;}; operator+: function(x: int) to reference to Device Host A}",
    );
}

#[test]
fn methods_constructors_and_operators_are_parsed() {
    check(
        "struct A { __device__ A(int x) : x(x), y{1, 2}, B<int>(x), C{} { f(); } };",
        "_: struct A {A: function(x: int) to Device  Constructor {(this->x = x); (this->y = {1, 2}); new <B<type int>>(x); (this->C = {}); f();}}",
    );
    check(
        "template <> struct A<int> { __device__ A<int>(int x) : x(x) {} int x; };",
        "_: struct A<type int> {A: function(x: int) to Device  Constructor {(this->x = x);}; x: int}",
    );
    check(
        "template <typename... Ts> __device__ A(Ts...) -> A<Ts...>; __device__ void f() {}",
        "f: function() to Device void {}",
    );
    check(
        "struct A { __device__ ~A() {} __device__ explicit A(); A(const A &) = delete; A &operator=(A &&) = default; };",
        "_: struct A {~A: function() to Device  Destructor {}; A: function() to Device Other  Constructor; A: function(_: reference to const A) to  Constructor deleted; operator=: function(_: rvalue reference to A) to reference to A defaulted}",
    );
    check(
        "struct A { __device__ int operator()(int x) const { return x; } __device__ operator bool() const { return true; } };",
        "_: struct A {operator(): function(x: int) to Device int {return x;}; operator bool: function() to Device bool {return true;}}",
    );
    check(
        "struct A { __device__ A operator+(A b) const; __device__ int &operator[](int i) { return p[i]; } };",
        "_: struct A {operator+: function(b: A) to Device A; operator[]: function(i: int) to reference to Device int {return p[i];}}",
    );
    check(
        "struct A { __device__ int f() { return 1; } auto operator=(const A &) noexcept -> A & = default; };",
        "_: struct A {f: function() to Device int {return 1;}; operator=: function(_: reference to const A) to auto -> reference to A defaulted}",
    );
    check(
        "struct A { __device__ auto f() & -> T<int>& { return *this; } };",
        "_: struct A {f: function() to Device auto -> reference to T<type int> {return (*this);}}",
    );
    check(
        "struct A { __device__ virtual int g() const noexcept override final; virtual void h() = 0; };",
        "_: struct A {g: function() to Device Other int; h: function() to Other void}",
    );
    check(
        "class A final : public virtual B, private ns::C<int> { public: int x; private: int y; protected: static int z; };",
        "_: struct A : B, ns::C<type int> {x: int; y: int; z: Static int}",
    );
    check(
        "struct A { friend class B; __device__ friend A operator-(A x) { return x; } mutable int y; };",
        "_: struct A {operator-: function(x: A) to Device A friend {return x;}; y: Other int}",
    );
    check(
        "template <typename U> __device__ A<U>::A(int x) : x(x) {}",
        "A: function(x: int) to Device  template<typename U> of A<type U> Constructor {(this->x = x);}",
    );
    check(
        "template <typename U> __device__ void A<U>::g() {}",
        "g: function() to Device void template<typename U> of A<type U> {}",
    );
    check(
        "template <typename U> __device__ A<U>::~A() {}",
        "~A: function() to Device  template<typename U> of A<type U> Destructor {}",
    );
    check(
        "__device__ bool operator==(const A &x, const A &y) { return x.operator==(y); }",
        "operator==: function(x: reference to const A, y: reference to const A) to Device bool {return x.operator==(y);}",
    );
    check(
        "struct A { __device__ auto g() const -> decltype(x) { return x; } };",
        "_: struct A {g: function() to Device auto -> typeof x {return x;}}",
    );
    check(
        "struct A { int x = 3; int y{4}; float z[2] = {1, 2}; int *p = nullptr; };",
        "_: struct A {x: int = 3; y: int = {4}; z: array[2] of float = {1, 2}; p: pointer to int = nullptr}",
    );
}

#[test]
fn host_function_bodies_are_not_parsed() {
    check(
        "struct A { A() : x(3), y{4} { !!! } void g() { $ } __device__ int h() { return 3; } };",
        "_: struct A {A: function() to  Constructor; g: function() to void; h: function() to Device int {return 3;}}",
    );
    check("void g() { a b c d = = }", "g: function() to void");
    check("constexpr int g() { return 3; }", "g: function() to Constexpr int {return 3;}");
    check(
        "struct A { constexpr A(int x) : x(x) {} };",
        "_: struct A {A: function(x: int) to Constexpr  Constructor {(this->x = x);}}",
    );
}

#[test]
fn templates_are_parsed() {
    check(
        "template <typename U, int N = 4, class... Ts> __global__ void k(U x, Ts... xs) { U y = x; }",
        "k: function(x: U, xs: Ts pack) to Kernel void template<typename U, N: int = 4, typename Ts...> {let y: U = x;}",
    );
    check(
        "template <class U, typename = std::enable_if_t<A<U>::x && B<U>::y>> __device__ U g(U x);",
        "g: function(x: U) to Device U template<typename U, typename = type std::enable_if_t<(A<type U>::x && B<type U>::y)>>",
    );
    check(
        "template <template <typename> class C, typename U = int> struct A {};",
        "_: struct A {} template<template C, typename U = type int>",
    );
    check(
        "template <> __device__ int g<float>(float x) { return 3; }",
        "g: function(x: float) to Device int for <type float> {return 3;}",
    );
    check(
        "template <typename U> struct A<U *> { U x; };",
        "_: struct A<type pointer to U> {x: U} template<typename U>",
    );
    check(
        "template __global__ void k<float>(float *x);",
        "k: function(x: pointer to float) to Kernel void for <type float>",
    );
    check("template struct A<float>;", "_: struct A<type float>");
    check("template <typename U> using P = A<U, 3>;", "P: Typedef A<type U, 3> template<typename U>");
    check(
        "template <typename U> constexpr int size = sizeof(U);",
        "size: Constexpr int template<typename U> = sizeof <U>",
    );
    check(
        "template <typename U> template <int N> __device__ void A<U>::g() {}",
        "g: function() to Device void template<typename U> template<N: int> of A<type U> {}",
    );
    check(
        "template <int N, bool... B> struct A : C<(N > 3), B...> {};",
        "_: struct A : C<paren (N > 3), B...> {} template<N: int, B: bool...>",
    );
    check(
        "template <typename U, std::enable_if_t<(sizeof(U) > 2), int> = 0> __device__ void g(U x) {}",
        "g: function(x: U) to Device void template<typename U, _: std::enable_if_t<paren (sizeof <U> > 2), type int> = 0> {}",
    );
    check(
        "template <typename F, typename... A> __device__ void g(F f, A &&...a) { f(std::forward<A>(a)...); }",
        "g: function(f: F, a: rvalue reference to A pack) to Device void template<typename F, typename A...> {f(std::forward<type A>(a)...);}",
    );
    check(
        "template <typename... A> __device__ int g(A... a) { return (0 + ... + a) + (... * a) + (a && ...) + sizeof...(A); }",
        "g: function(a: A pack) to Device int template<typename A...> {return (((fold(0, a) + fold(a)) + fold(a)) + sizeof <A>);}",
    );
    check(
        "template <typename U> requires std::integral<U> && (sizeof(U) > 2) __device__ void g(U x) {}",
        "g: function(x: U) to Device void template<typename U> {}",
    );
    check("template <typename U> concept C = requires(U x) { x + 1; };", "");
    check(
        "template <typename U> __device__ void g() { typename U::template V<3> x; x.template h<U>(); U::template k<3>(); }",
        "g: function() to Device void template<typename U> {let x: U::V<3>; x.h<type U>(); U::k<3>();}",
    );
}

#[test]
fn aliases_and_using_declarations_are_parsed() {
    check("using P = int *;", "P: pointer to Typedef int");
    check("using F = int (*)(float);", "F: pointer to function(_: float) to Typedef int");
    check("using A = B<int>::type;", "A: Typedef B<type int>::type");
    check_stmt("using U = Foo<int>; U x(a);", "let U: Typedef Foo<type int>; let x: U = (a);");
    check_stmt("using namespace ns; using ns::x; namespace n = ns::m; a = x;", "let ; let ; let ; (a = x);");
    check_stmt(
        "typedef Foo<int, 3> W; W x; a = (W)b;",
        "let W: Typedef Foo<type int, 3>; let x: W; (a = (<W> b));",
    );
    check_stmt(
        "struct L { int x; }; L y{3}; a = y.x;",
        "let _: struct L {x: int}; let y: L = {3}; (a = y.x);",
    );
    check("namespace n { int x; namespace { int y; } }", "x: int\ny: int");
    check("extern \"C\" { __global__ void k(); }", "k: function() to Kernel void");
    check("extern \"C\" __global__ void k();", "k: function() to Extern Kernel void");
    check("inline namespace a::b { int x; }", "x: int");
}
