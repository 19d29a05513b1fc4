//! The syntax of C++ in device code, construct by construct.

use crate::common::{check, check_expr, check_stmt, parse_text};
use tangle_grammar::ast::{AssemblyOperand, StmtKind};

#[test]
fn device_specifiers_and_attributes_are_parsed() {
    check("__device__ __constant__ float x[3];", "x: array[3] of Device ConstantMemory float");
    check("__managed__ int x;", "x: Managed int");
    check("extern __shared__ float4 x[];", "x: array[] of Extern Shared float4");
    check_stmt("__shared__ int x[32];", "let x: array[32] of Shared int;");
    check(
        "__global__ void __launch_bounds__(256, 2) k(const int *__restrict__ x);",
        "k: function(x: restrict pointer to const int) to Kernel void @__launch_bounds__(256,2)",
    );
    check("__global__ __launch_bounds__(N) void k();", "k: function() to Kernel void @__launch_bounds__(N)");
    check("struct __align__(16) A { int x; };", "_: struct A {x: int} @__align__(16)");
    check("struct alignas(8) A { alignas(4) int x; };", "_: struct A {x: int @alignas(4)} @alignas(8)");
    check(
        "[[nodiscard]] __device__ int g([[maybe_unused]] int x);",
        "g: function(x: int @maybe_unused) to Device int @nodiscard",
    );
    check(
        "__host__ __device__ __forceinline__ int g() { return 3; }",
        "g: function() to Host Device Inline int {return 3;}",
    );
    check(
        "static __device__ __forceinline__ int g(int x = 3, int y = N) { return x; }",
        "g: function(x: int default 3, y: int default N) to Static Device Inline int {return x;}",
    );
}

#[test]
fn qualified_names_and_member_accesses_are_parsed() {
    check_expr("ns::g(a)", "ns::g(a)");
    check_expr("::g(a)", "::g(a)");
    check_expr("cub::BlockReduce<T, 128>(s).Sum(a)", "cub::BlockReduce<type T, 128>(s).Sum(a)");
    check_expr("A<T>::B<3>::g(a)", "A<type T>::B<3>::g(a)");
    check_expr("a = x.y->z::w", "(a = x.y->z::w)");
    check_expr("p->~T()", "p->~T()");
    check_expr("this->x = *this", "(this->x = (*this))");
    check_expr("decltype(a)::value", "decltype::value");
    check_expr(
        "a = N::value + std::numeric_limits<T>::max()",
        "(a = (N::value + std::numeric_limits<type T>::max()))",
    );
}

#[test]
fn named_casts_are_parsed() {
    check_expr("static_cast<float>(a)", "(<float> a)");
    check_expr("reinterpret_cast<const float4 *>(p)[a]", "(<pointer to const float4> p)[a]");
    check_expr("const_cast<A<T> &>(a)", "(<reference to A<type T>> a)");
    check_expr("static_cast<foo>(a) * 2", "((<foo> a) * 2)");
    check_expr("static_cast<unsigned long long>(a)", "(<unsigned long long> a)");
}

#[test]
fn statements_are_parsed() {
    check_stmt(
        "for (auto x = p; x != p + a; ++x) a += *x;",
        "for (let x: auto = p; (x != (p + a)); (++x)) (a += (*x));",
    );
    check_stmt(
        "#pragma unroll\nfor (int i = 0; i < 4; ++i) a += i;",
        "#unroll for (let i: int = 0; (i < 4); (++i)) (a += i);",
    );
    check_stmt("#pragma unroll 4\n", "");
    check_stmt("#pragma unroll\nconst int x = 3;", "#unroll let x: const int = 3;");
    check_stmt("static_assert(sizeof(T) == 4, \"four\"); static_assert(N > 3);", "let ; let ;");
    check_stmt("char x alignas(16)[4];", "let x: array[4] of char;");
    check_stmt("do { a--; } while (a > 0);", "do {(a--);} while (a > 0);");
    check_stmt("[[likely]] a = 3;", "@likely (a = 3);");
    check_stmt("if (a) [[unlikely]] { b = 3; }", "if a [@unlikely {(b = 3);}]");
    check_stmt("if (a and not b or x) ;", "if ((a && (!b)) || x) [;]");
    check_stmt(
        "int x = 1'000, y = 0b1010, z = 0xFFu;",
        "let x: int = 1000, y: int = 0b1010, z: int = 0xFFu;",
    );
    check_stmt("const char *s = R\"(a \"b\" )c)\";", "let s: pointer to const char = R\"(a \"b\" )c)\";");
    check_stmt("a = b <=> 3;", "(a = (b <= 3));");
    check_stmt(
        "static constexpr int x = 3, y[2] = {1, 2};",
        "let x: Static Constexpr int = 3, y: array[2] of Static Constexpr int = {1, 2};",
    );
}

#[test]
fn asm_statement_keeps_its_text_and_outputs() {
    let source =
        "__device__ void f(int a) { asm volatile(\"bar.sync 0;\" \"nop;\" : \"=r\"(a) :: \"memory\"); }";
    let parse = parse_text(source);
    let found = parse.ast.stmts.iter().find_map(|(_, stmt)| match &stmt.kind {
        StmtKind::Asm(assembly) => Some(assembly.clone()),
        _ => None,
    });
    let assembly = found.expect("the body must contain an `asm` statement");
    let text: Vec<&str> = assembly.text.iter().map(|literal| literal.text.as_str()).collect();
    assert_eq!(text, ["\"bar.sync 0;\"", "\"nop;\""]);
    assert_eq!(assembly.outputs.len(), 1);
}

#[test]
fn operands_of_assembly_are_in_the_order_of_their_numbers() {
    let source = "__device__ void f(int *p, int m) { asm(\"x %0, %1, %2, %3;\" : \"=r\"(p[0]) : \"r\"(m), \"n\"(7), \"r\"(p[1] + m)); }";
    let parse = parse_text(source);
    let found = parse.ast.stmts.iter().find_map(|(_, stmt)| match &stmt.kind {
        StmtKind::Asm(assembly) => Some(assembly.clone()),
        _ => None,
    });
    let assembly = found.expect("the body must contain an `asm` statement");
    let operands: Vec<&str> = assembly
        .operands
        .iter()
        .map(|operand| match operand {
            AssemblyOperand::Name(name) | AssemblyOperand::Number(name) => name.text.as_str(),
            AssemblyOperand::Other => "other",
        })
        .collect();
    assert_eq!(operands, ["other", "m", "7", "other"]);
}

#[test]
fn kernel_launches_are_parsed() {
    check_stmt("k<<<a, b>>>(p, 3);", "k<<<a, b>>>(p, 3);");
    check_stmt("k<T, 4><<<dim3(a), b, 0, s>>>(p);", "k<type T, 4><<<new <dim3>(a), b, 0, s>>>(p);");
    check_stmt("ns::k<<<a, b>>>();", "ns::k<<<a, b>>>();");
    check_stmt("a = b << 3 >> 1;", "(a = ((b << 3) >> 1));");
}

#[test]
fn unsupported_expressions_keep_their_operands() {
    check_stmt(
        "T *x = new T(a, b); delete x; delete[] p;",
        "let x: pointer to T = <new>(a, b); <delete>(x); <delete>(p);",
    );
    check_stmt(
        "int *x = new int[a]; new (p) T{a}; new (p) T;",
        "let x: pointer to int = <new>(a); <new>(p, a); <new>(p);",
    );
    check_stmt("throw a; throw;", "<throw>(a); <throw>();");
    check_stmt(
        "bool x = noexcept(g()), y = requires { a + 1; };",
        "let x: bool = <noexcept>(), y: bool = <requires>();",
    );
    check_stmt("a = typeid(T).x;", "(a = <typeid>().x);");
}

#[test]
fn declarators_are_parsed() {
    check(
        "__device__ int (&g(int (&x)[3]))[3];",
        "g: function(x: reference to array[3] of int) to reference to array[3] of Device int",
    );
    check(
        "__device__ void g(const A &, A &&, int (*f)(int), B<int> = {}, ...);",
        "g: function(_: reference to const A, _: rvalue reference to A, f: pointer to function(_: int) to int, _: B<type int> default {} ...) to Device void",
    );
    check(
        "__device__ auto g(int x) -> int * { return p; }",
        "g: function(x: int) to Device auto -> pointer to int {return p;}",
    );
    check("__device__ auto g = [] (int x) { return x; };", "g: Device auto = [](x: int){return x;}");
    check(
        "__device__ const char *const g[] = {\"a\", \"b\"};",
        "g: array[] of const pointer to Device const char = {\"a\", \"b\"}",
    );
    check_stmt(
        "unsigned x = 3u, *y, &z = x, w[2][3];",
        "let x: unsigned = 3u, y: pointer to unsigned, z: reference to unsigned = x, w: array[2] of array[3] of unsigned;",
    );
    check_stmt("decltype(a) x; decltype(auto) y = a;", "let x: typeof a; let y: auto = a;");
    check_stmt("const volatile int *const *x;", "let x: pointer to const pointer to const volatile int;");
    check_stmt("A<int>::B *x, y;", "let x: pointer to A<type int>::B, y: A<type int>::B;");
    check_stmt(
        "struct A x; enum E y; class C<int> z;",
        "let x: struct A; let y: enum E; let z: struct C<type int>;",
    );
    check_stmt("int A::*x;", "let x: pointer to int;");
}
