//! Input designed to break a parser. The parser must terminate in linear time and never panic.

use std::time::{Duration, Instant};

use crate::common::{WORDS, complaints, parse_text, tokens};
use proptest::prelude::*;
use tangle_grammar::ast::StmtKind;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_grammar::{Parse, parse};

const MANY: usize = 100_000;

/// Parses a function with this body, within a time that only a linear parser can meet.
#[track_caller]
fn parse_body(body: &str) -> Parse {
    let source = format!("void f(int a) {{ {body} }}");
    let tokens = tokens(&source, &[]);
    let start = Instant::now();
    let parse = parse(&tokens, &WORDS);
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    parse
}

#[track_caller]
fn accept(body: &str) {
    let parse = parse_body(body);
    assert_eq!(parse.errors, []);
    assert_eq!(parse.ast.items.len(), 1);
}

#[track_caller]
fn reject(body: &str, message: &str) {
    let parse = parse_body(body);
    let found: Vec<&str> = parse.errors.iter().map(|error| error.message.as_str()).collect();
    assert_eq!(found, [message]);
    assert!(parse.ast.items.is_empty());
}

#[test]
fn long_chains_are_parsed_without_error() {
    accept(&format!("a = a{};", "+a".repeat(MANY)));
    accept(&format!("a = a{};", ",a".repeat(MANY)));
    accept(&format!("{};", "if (a) a; else ".repeat(MANY)));
    accept(&format!("switch (a) {{ {}; }}", "case 1: ".repeat(MANY)));
    accept(&format!("a = {} a;", "a ? a : ".repeat(MANY)));
    accept(&format!("a{};", ".x".repeat(MANY)));
    accept(&"a;".repeat(MANY));
    accept(&format!("f(a{});", ",a".repeat(MANY)));
    accept(&format!("int b[] = {{ {} }};", "1,".repeat(MANY)));
    accept(&format!("int {}b;", "*".repeat(MANY)));
}

#[test]
fn too_deep_nesting_is_rejected() {
    let message = "nested too deeply: the limit is 1000 levels";
    reject(&format!("a = {}a;", "!".repeat(MANY)), message);
    reject(&format!("{};", "if (a) ".repeat(MANY)), message);
    reject(&format!("a = {}a;", "(int)".repeat(MANY)), message);
    reject(&format!("{}a;", "a = ".repeat(MANY)), message);
    let message = "nested too deeply: the limit is 256 levels of brackets";
    reject(&format!("{}a{};", "(".repeat(MANY), ")".repeat(MANY)), message);
    reject(&"{".repeat(MANY), message);
}

#[test]
fn long_invalid_input_is_parsed_in_linear_time() {
    for body in [
        format!("a = {};", "!".repeat(MANY)),
        format!("a = a{}", "+a".repeat(MANY)),
        format!("{} else", "if (a) ".repeat(MANY)),
        "a = = 1; ".repeat(MANY),
        "a + ".repeat(MANY),
        ")".repeat(MANY),
        "case ".repeat(MANY),
        "{ ( }".repeat(MANY),
        "09 + ".repeat(MANY),
        "foo bar baz ".repeat(MANY),
        "do ".repeat(MANY),
        "foo * ".repeat(MANY),
        "x const ".repeat(MANY),
    ] {
        let parse = parse_body(&body);
        assert!(!parse.errors.is_empty());
    }
}

const KERNEL: &str = "
    typedef struct __attribute__((packed)) { int a : 3; union { float f; uint u; }; } item_t;
    enum { FIRST = 1, SECOND };
    __attribute__((reqd_work_group_size(64, 1, 1)))
    kernel void k(global item_t *restrict in, __local float4 *tmp, const uint n, write_only image2d_t out) {
        const size_t id = get_global_id(0);
        float4 sum = (float4)(0.0f, 1.0f, .5f, 1e3f), *q = &sum;
        #pragma unroll 4
        for (int i = 0, j = n; i < j; ++i, --j) {
            if (in[i].a > 3) { sum.xy += convert_float2((int2)(i, j)); continue; } else if (i) break;
            switch (i & 3) { case 0: case 1 ... 2: sum.x++; break; default: goto end; }
            do { sum = -sum * 2.0f; } while (any(isless(sum, tmp[i])));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        int values[] = { [0] = 1, [1 ... 3] = sizeof(item_t *), }; 
        end: ;
        write_imagef(out, (int2)(id, 0), id ? sum : as_float4(*(global uint4 *)in));
    }";

#[test]
fn sample_kernel_is_parsed_without_error() {
    assert_eq!(complaints(KERNEL, &[]), "");
}

/// Checks that the span of every node is within the item, that children come before their parents, and that each
/// error has a location.
fn check_invariants(tokens: &[Token]) {
    let parse = parse(tokens, &WORDS);
    let length = tokens.len() as u32;
    for error in &parse.errors {
        assert!(error.span.start <= error.span.end && error.span.end <= length, "{error:?}");
    }
    for (id, expr) in parse.ast.exprs.iter() {
        assert!(expr.span.start <= expr.span.end && expr.span.end <= length);
        expr.kind.each_child(|child, _| assert!(child.into_raw().into_u32() < id.into_raw().into_u32()));
    }
    for (id, stmt) in parse.ast.stmts.iter() {
        assert!(stmt.span.start <= stmt.span.end && stmt.span.end <= length);
        stmt.kind.each_child(|child, _| assert!(child.into_raw().into_u32() < id.into_raw().into_u32()));
        assert!(stmt.kind != StmtKind::Error || !parse.errors.is_empty());
    }
}

fn any_token() -> impl Strategy<Value = Token> {
    let kinds = tokens(KERNEL, &[]);
    let words = "( ) [ ] { } ; , : :: ? . -> ... + * ^ && = += # @ if else switch case default while do for goto \
                 typedef static const _Atomic int float struct union enum sizeof typeof _Generic _Static_assert \
                 __builtin_astype __builtin_va_arg __builtin_offsetof __attribute__ asm __declspec _Alignas kernel \
                 global pipe x y FOO 1 09 'c' \"s\" ' \" float4 __extension__ [[ ]] (( ))";
    let mut all = tokens(words, &[]);
    all.extend(kinds);
    all.push(Token { kind: TokenKind::Pragma, text: Symbol::intern("unroll") });
    proptest::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn any_tokens_are_parsed_without_panic(tokens in proptest::collection::vec(any_token(), 0..60)) {
        check_invariants(&tokens);
    }

    #[test]
    fn kernel_with_deleted_tokens_is_parsed_without_panic(holes in proptest::collection::vec((0usize..400, 1usize..5), 0..6), cut in 0usize..400) {
        let mut tokens = tokens(KERNEL, &[]);
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
    fn kernel_with_inserted_tokens_is_parsed_without_panic(extra in proptest::collection::vec((0usize..400, any_token()), 1..6)) {
        let mut tokens = tokens(KERNEL, &[]);
        for (at, token) in extra {
            tokens.insert(at.min(tokens.len()), token);
        }
        check_invariants(&tokens);
    }
}

#[test]
fn empty_input_gives_an_empty_parse() {
    assert_eq!(parse_text("", &[]), Parse::default());
}
