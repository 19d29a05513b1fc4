//! Input designed to break a parser. The parser must terminate in linear time and never panic.

use std::time::{Duration, Instant};

use crate::common::{WORDS, complaints, parse_text, tokens};
use proptest::prelude::*;
use tangle_grammar::ast::StmtKind;
use tangle_grammar::token::Token;
use tangle_grammar::{Parse, parse};

const MANY: usize = 50_000;

/// Parses a function with this body, within a time that only a linear parser can meet.
#[track_caller]
fn parse_body(body: &str) -> Parse {
    let tokens = tokens(&format!("__device__ void f(int a) {{ {body} }}"));
    let start = Instant::now();
    let parse = parse(&tokens, &WORDS);
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    parse
}

#[test]
fn long_chains_are_parsed_without_error() {
    for body in [
        format!("a = a{};", "+a".repeat(MANY)),
        format!("a = {}b;", "x::".repeat(MANY)),
        format!("a{};", "<a".repeat(MANY)),
        format!("f(a{});", ", b < c, d > (e)".repeat(MANY)),
        format!("g<a{}>();", ", T".repeat(MANY)),
        format!("{};", "if (a) a; else ".repeat(MANY)),
        format!("a{};", ".g<3>()".repeat(MANY)),
        "Foo<int> x; ".repeat(MANY),
        "auto l = [&](int x) { return x; }; ".repeat(MANY),
        format!("int b[] = {{ {} }};", "{1},".repeat(MANY)),
        format!("int {}b;", "*".repeat(MANY)),
    ] {
        assert_eq!(parse_body(&body).errors, [], "in {}", &body[..40]);
    }
}

#[test]
fn long_invalid_input_is_parsed_in_linear_time() {
    for body in [
        format!("a = {};", "!".repeat(MANY)),
        format!("a = a{}", "+a".repeat(MANY)),
        "a = = 1; ".repeat(MANY),
        "a + ".repeat(MANY),
        ")".repeat(MANY),
        ">".repeat(MANY),
        "a<".repeat(MANY),
        "a<(".repeat(MANY),
        "a<b>>".repeat(MANY),
        "<<<".repeat(MANY),
        "k<<<a, ".repeat(MANY),
        "template <".repeat(MANY),
        "template <typename ".repeat(MANY),
        "[".repeat(MANY),
        "[] ".repeat(MANY),
        "[&](".repeat(MANY),
        "new ".repeat(MANY),
        "new (".repeat(MANY),
        "x::".repeat(MANY),
        "::".repeat(MANY),
        "MACRO ".repeat(MANY),
        "MACRO(a) ".repeat(MANY),
        "struct A : ".repeat(MANY),
        "struct A { A() : ".repeat(MANY),
        "struct A { struct B ".repeat(MANY),
        "operator ".repeat(MANY),
        "requires ".repeat(MANY),
        "requires (".repeat(MANY),
        "decltype(".repeat(MANY),
        "-> ".repeat(MANY),
        "... ".repeat(MANY),
        "try { ".repeat(MANY),
        "foo bar baz ".repeat(MANY),
        "foo * ".repeat(MANY),
        "x const & ".repeat(MANY),
        "using x = ".repeat(MANY),
    ] {
        parse_body(&body);
        let tokens = tokens(&body);
        let start = Instant::now();
        parse(&tokens, &WORDS);
        assert!(start.elapsed() < Duration::from_secs(20), "{} took {:?}", &body[..40], start.elapsed());
    }
}

const KERNEL: &str = "
    template <typename U, int N = 4, class... Ts>
    struct __align__(16) Tile final : public Base<U>, private ns::Other {
        using W = Vec<U, (N > 2)>;
        __device__ explicit Tile(int n) : n(n), Base<U>{n} { load<3>(); }
        __device__ ~Tile() {}
        template <int K> __device__ auto load() const noexcept -> W * { return reinterpret_cast<W *>(&data[n < K ? 0 : 1]); }
        __device__ Tile &operator+=(const Tile &other) { data[0] += other.data[0]; return *this; }
        void host() { std::cout << 3; }
        enum class E : int { X, Y = 2 };
        int n : 3, m = 4; static constexpr U data[2] = {1, U{}};
    };
    template <typename U, typename... A> requires C<U>
    __global__ void __launch_bounds__(256) k(const U *__restrict__ in, U *out, int n, A &&...a) {
        extern __shared__ float4 s[];
        auto [x, y] = g<U, 3>(in);
        #pragma unroll
        for (int i = threadIdx.x; i < n; i += blockDim.x) { if (i < n && x > y) continue; s[i] = (float4)in[i] * U(3); }
        if (auto it = f(x); it != nullptr) { __syncthreads(); } else if constexpr (sizeof(U) > 4) { return; }
        for (const auto &v : {1, 2, 3}) out[v] += static_cast<U>(v) >> 2;
        auto l = [=, &x, z = y + 1](auto q) mutable -> int { return q < z ? q : (0 + ... + a); };
        cub::BlockReduce<U, 128>::TempStorage t; typename Tile<U>::W w(x), u{1, 2};
        switch (int e = l(2); e) { case 1: case 3 ... 4: break; default: goto end; }
        asm volatile(\"bar.sync %0;\" :: \"r\"(x) : \"memory\");
        child<U><<<dim3(1), n, 0>>>(out, new (out) U[3], throw 3);
        while (Foo *p = next()) p->template h<3>().x--;
        end: ;
    }
    template __global__ void k<float>(const float *, float *, int);
    using namespace ns; namespace c = ns::d; typedef void (*F)(int (&)[3]);";

// `requires` makes the statement opaque, and the error at `if` makes a larger part around it opaque.
#[test]
fn nested_opaque_parts_are_recorded_as_one() {
    let broken = KERNEL.replace("out[v] += static_cast", "out[v] += if requires static_cast");
    assert_ne!(broken, KERNEL);
    check_invariants(&tokens(&broken));
    assert_eq!(parse(&tokens(&broken), &WORDS).opaque.len(), 1);
}

#[test]
fn sample_kernel_is_parsed_without_error() {
    assert_eq!(complaints(KERNEL), "");
}

/// Checks that the span of every node is within the item, that children come before their parents, and that each
/// error has a location.
fn check_invariants(tokens: &[Token]) {
    let parse = parse(tokens, &WORDS);
    let length = tokens.len() as u32;
    for error in &parse.errors {
        assert!(error.span.start <= error.span.end && error.span.end <= length, "{error:?}");
    }
    for (span, _) in &parse.opaque {
        assert!(span.start <= span.end && span.end <= length);
    }
    for (id, expr) in parse.ast.exprs.iter() {
        assert!(expr.span.start <= expr.span.end && expr.span.end <= length, "{expr:?}");
        expr.kind.each_child(|child, _| assert!(child.into_raw().into_u32() < id.into_raw().into_u32()));
    }
    for (id, stmt) in parse.ast.stmts.iter() {
        assert!(stmt.span.start <= stmt.span.end && stmt.span.end <= length, "{stmt:?}");
        stmt.kind.each_child(|child, _| assert!(child.into_raw().into_u32() < id.into_raw().into_u32()));
        assert!(stmt.kind != StmtKind::Error || !parse.errors.is_empty());
    }
}

fn any_token() -> impl Strategy<Value = Token> {
    let words = "( ) [ ] { } ; , : :: ? . -> ... + * ^ & && < > << >> <<< >>> = == += # @ ~ if else switch case default while do for \
                 goto return typedef static const constexpr int float auto struct class union enum sizeof typename template using \
                 namespace operator friend new delete throw try catch this noexcept requires concept co_await co_return decltype \
                 static_cast static_assert __attribute__ alignas asm __device__ __global__ __shared__ __launch_bounds__ public \
                 mutable final override x y FOO Foo T 1 09 'c' \"s\" ' \" [[ ]] (( ))";
    let mut all = tokens(words);
    all.extend(tokens(KERNEL));
    proptest::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn any_tokens_are_parsed_without_panic(tokens in proptest::collection::vec(any_token(), 0..60)) {
        check_invariants(&tokens);
    }

    #[test]
    fn kernel_with_deleted_tokens_is_parsed_without_panic(holes in proptest::collection::vec((0usize..700, 1usize..5), 0..6), cut in 0usize..700) {
        let mut tokens = tokens(KERNEL);
        if cut % 2 == 0 {
            tokens.truncate(cut);
        }
        for (at, length) in holes {
            let at = at.min(tokens.len());
            let end = (at + length).min(tokens.len());
            tokens.drain(at..end);
        }
        check_invariants(&tokens);
    }

    #[test]
    fn kernel_with_inserted_tokens_is_parsed_without_panic(extra in proptest::collection::vec((0usize..700, any_token()), 1..6)) {
        let mut tokens = tokens(KERNEL);
        for (at, token) in extra {
            tokens.insert(at.min(tokens.len()), token);
        }
        check_invariants(&tokens);
    }
}

#[test]
fn empty_input_gives_an_empty_parse() {
    assert_eq!(parse_text(""), Parse::default());
}
