//! The keywords of CUDA, for tests.

use std::fmt::Write;
use std::sync::LazyLock;

use tangle_grammar::lex::lex_as;
use tangle_grammar::lexicon::{Convention, Grammar, Lexicon, Macro};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_grammar::{Parse, UnknownWord, WordRole, parse};

use crate::print::print;

/// Further spellings of keywords, besides their names.
const ALSO: [(&str, &[&str]); 18] = [
    ("inline", &["__inline__", "__forceinline__"]),
    ("restrict", &["__restrict", "__restrict__"]),
    ("_Alignof", &["alignof"]),
    ("_Alignas", &["alignas"]),
    ("typeof", &["__typeof__", "decltype"]),
    ("asm", &["__asm__"]),
    ("volatile", &["__volatile__"]),
    ("kernel", &["__global__"]),
    ("_Static_assert", &["static_assert"]),
    ("public", &["private", "protected"]),
    ("static_cast", &["const_cast", "reinterpret_cast", "dynamic_cast"]),
    ("co_await", &["co_yield", "co_return"]),
    ("mutable", &["virtual", "explicit", "thread_local"]),
    ("__launch_bounds__", &["__align__"]),
    ("constexpr", &["consteval"]),
    ("&&", &["and"]),
    ("||", &["or"]),
    ("!", &["not"]),
];

/// Keywords of C and OpenCL C that CUDA does not have.
const OTHERS: [&str; 13] = [
    "kernel",
    "global",
    "local",
    "constant",
    "private",
    "generic",
    "read_only",
    "write_only",
    "read_write",
    "pipe",
    "restrict",
    "half",
    "_Generic",
];

pub static WORDS: LazyLock<Lexicon> = LazyLock::new(|| {
    let named = TokenKind::KEYWORDS.iter().filter(|(name, _)| !OTHERS.contains(name)).copied();
    let kind = |name| match name {
        "&&" => TokenKind::AmpAmp,
        "||" => TokenKind::PipePipe,
        "!" => TokenKind::Bang,
        name => TokenKind::keyword(name).expect("the name must be a keyword"),
    };
    let also = ALSO.iter().flat_map(|(name, all)| all.iter().map(move |spelling| (*spelling, kind(name))));
    let all = named.chain(also).map(|(spelling, kind)| (Symbol::intern(spelling), kind));
    let convention = |names: &[&str], implies| {
        let names = names.iter().map(|names| names.parse().expect("the text must be a pattern")).collect();
        Convention { names, unless: Vec::new(), implies }
    };
    let macros = vec![
        convention(&["… kernel …"], Macro::Kernel),
        convention(&["… kernel …", "… device …"], Macro::Device),
    ];
    Lexicon::new("CUDA C++", all, []).with_grammar(Grammar::Cpp).with_macros(macros)
});

/// Names that earlier items declare as types.
const TYPES: [&str; 7] = ["float4", "size_t", "dim3", "T", "S", "V", "uint"];

/// The tokens of `text`, as the preprocessor would pass them on.
pub fn tokens(text: &str) -> Vec<Token> {
    let (lexed, _) = lex_as(text, Grammar::Cpp);
    let mut tokens: Vec<Token> = Vec::new();
    let mut pragma = None;
    for (_, token, in_directive) in lexed.with_directives() {
        if in_directive {
            match token.spelling() {
                "#" => pragma = None,
                "pragma" => pragma = Some(String::new()),
                word => {
                    if let Some(text) = &mut pragma {
                        if !text.is_empty() {
                            text.push(' ');
                        }
                        *text += word;
                    }
                }
            }
            continue;
        }
        if let Some(text) = pragma.take() {
            tokens.push(Token { kind: TokenKind::Pragma, text: Symbol::intern(&text) });
        }
        let mut kind = token.kind;
        if kind == TokenKind::Identifier {
            kind = WORDS.kind(token.text);
        }
        if kind == TokenKind::Identifier && TYPES.contains(&token.text.as_str()) {
            kind = TokenKind::TypeName;
        }
        tokens.push(Token { kind, text: token.text });
    }
    tokens
}

pub fn parse_text(text: &str) -> Parse {
    parse(&tokens(text), &WORDS)
}

/// The errors and opaque parts of `text`, one on each line, with the tokens at their locations; and the undeclared
/// words that are not parsed as types.
pub fn complaints(text: &str) -> String {
    let tokens = tokens(text);
    let parse = parse(&tokens, &WORDS);
    let spell = |token: &Token| token.kind.spelling().map_or_else(|| token.text.to_string(), str::to_owned);
    let mut out = String::new();
    for error in &parse.errors {
        let (start, end) = (error.span.start as usize, error.span.end as usize);
        let place = if start == end {
            format!("behind {}", start.checked_sub(1).map_or("the start".into(), |at| spell(&tokens[at])))
        } else {
            format!("at {}", tokens[start..end].iter().map(spell).collect::<Vec<_>>().join(" "))
        };
        writeln!(out, "{place}: {}", error.message).unwrap();
    }
    for (span, what) in &parse.opaque {
        let all = tokens[span.start as usize..span.end as usize].iter().map(spell).collect::<Vec<_>>();
        writeln!(out, "opaque {}: {}", what.0, all.join(" ")).unwrap();
    }
    for UnknownWord { name, role: taken } in &parse.unknown_words {
        if *taken != WordRole::Type {
            writeln!(out, "unknown {taken:?} {}", name.text).unwrap();
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Checks a whole item without an error.
#[track_caller]
pub fn check(source: &str, expected: &str) {
    assert_eq!(complaints(source), "", "in {source}");
    assert_eq!(print(&parse_text(source)), expected, "for {source}");
}

/// Checks a statement without an error, in a function with parameters `int a, int b, int *p`.
#[track_caller]
pub fn check_stmt(source: &str, expected: &str) {
    let function = format!("__device__ void f(int a, int b, int *p) {{\n{source} }}");
    assert_eq!(complaints(&function), "", "in {source}");
    assert_eq!(body(&function), expected, "for {source}");
}

/// The body of the function `f`.
pub fn body(function: &str) -> String {
    let head = "f: function(a: int, b: int, p: pointer to int) to Device void {";
    let printed = print(&parse_text(function));
    let body = printed.strip_prefix(head).and_then(|rest| rest.strip_suffix('}'));
    body.unwrap_or_else(|| panic!("not the function `f`: {printed}")).to_owned()
}

#[track_caller]
pub fn check_expr(source: &str, expected: &str) {
    check_stmt(&format!("{source};"), &format!("{expected};"));
}
