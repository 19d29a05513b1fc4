//! A small lexer, for tests.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::LazyLock;

use logos::Logos;
use tangle_grammar::ast::Span;
use tangle_grammar::lexicon::Lexicon;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_grammar::{Parse, UnknownWord, WordRole, parse};

/// Further spellings of keywords, besides their names.
const ALSO: [(&str, &[&str]); 20] = [
    ("inline", &["__inline", "__inline__"]),
    ("const", &["__const", "__const__"]),
    ("volatile", &["__volatile", "__volatile__"]),
    ("restrict", &["__restrict", "__restrict__"]),
    ("signed", &["__signed", "__signed__"]),
    ("bool", &["_Bool"]),
    ("_Alignof", &["alignof", "__alignof", "__alignof__"]),
    ("typeof", &["__typeof", "__typeof__"]),
    ("__attribute__", &["__attribute"]),
    ("asm", &["__asm", "__asm__"]),
    ("kernel", &["__kernel"]),
    ("global", &["__global"]),
    ("local", &["__local"]),
    ("constant", &["__constant"]),
    ("private", &["__private"]),
    ("generic", &["__generic"]),
    ("read_only", &["__read_only"]),
    ("write_only", &["__write_only"]),
    ("read_write", &["__read_write"]),
    ("_Complex", &["__complex__"]),
];

const SCALARS: [&str; 11] =
    ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];

/// The names of vector types.
static VECTORS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let of = |scalar: &str| ["2", "3", "4", "8", "16"].map(|lanes| format!("{scalar}{lanes}"));
    SCALARS.into_iter().flat_map(of).collect()
});

/// The keywords of OpenCL C.
pub static WORDS: LazyLock<Lexicon> = LazyLock::new(|| {
    let also =
        ALSO.iter().flat_map(|(name, spellings)| spellings.iter().map(move |spelling| (*spelling, *name)));
    let named = TokenKind::KEYWORDS
        .iter()
        .filter(|(_, kind)| *kind < TokenKind::Class)
        .map(|&(name, _)| (name, name));
    let keyword = |(spelling, name)| (Symbol::intern(spelling), TokenKind::keyword(name).expect("a keyword"));
    Lexicon::new("OpenCL C", named.chain(also).map(keyword), VECTORS.iter().map(|name| Symbol::intern(name)))
});

/// Whether the language has a builtin type with this name that is not a keyword.
fn is_builtin_type(name: &str) -> bool {
    let others = ["size_t", "ptrdiff_t", "event_t", "sampler_t", "atomic_int", "memory_order"];
    let image = name.starts_with("image") && name.ends_with("_t");
    image || SCALARS.contains(&name) || others.contains(&name) || VECTORS.contains(name)
}

/// The tokens of `text`, as the preprocessor would pass them on. Builtin types and `types` are TypeNames.
pub fn tokens(text: &str, types: &[&str]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut lexer = TokenKind::lexer(text);
    while let Some(kind) = lexer.next() {
        let mut kind = kind.unwrap_or(TokenKind::Stray);
        if kind.is_trivia() {
            continue;
        }
        let mut slice = lexer.slice();
        if kind == TokenKind::Hash && lexer.remainder().starts_with("pragma ") {
            let line = lexer.remainder().split('\n').next().unwrap_or_default();
            lexer.bump(line.len());
            slice = &line["pragma ".len()..];
            kind = TokenKind::Pragma;
        }
        if kind == TokenKind::Identifier {
            kind = WORDS.kind(Symbol::intern(slice));
        }
        if kind == TokenKind::Identifier && (types.contains(&slice) || is_builtin_type(slice)) {
            kind = TokenKind::TypeName;
        }
        let is_punctuation = kind.spelling().is_some() && kind < TokenKind::If;
        let text = if is_punctuation { Symbol::EMPTY } else { Symbol::intern(slice) };
        tokens.push(Token { kind, text });
    }
    tokens
}

pub fn parse_text(text: &str, types: &[&str]) -> Parse {
    parse(&tokens(text, types), &WORDS)
}

/// The errors and unknown names of `text`, one on each line, with the tokens at their locations.
pub fn complaints(text: &str, types: &[&str]) -> String {
    let tokens = tokens(text, types);
    let parse = parse(&tokens, &WORDS);
    let spell = |token: &Token| token.kind.spelling().map_or_else(|| token.text.to_string(), str::to_owned);
    let mut out = String::new();
    for error in &parse.errors {
        let Span { start, end } = error.span;
        let place = if start == end {
            let before = (start as usize).checked_sub(1).map_or("the start".into(), |at| spell(&tokens[at]));
            format!("behind {before}")
        } else {
            let range = tokens[start as usize..end as usize].iter().map(spell).collect::<Vec<_>>();
            format!("at {}", range.join(" "))
        };
        writeln!(out, "{place}: {}", error.message).unwrap();
    }
    for UnknownWord { name, role: taken } in &parse.unknown_words {
        let taken = match taken {
            WordRole::Type => "type",
            WordRole::Ignored => "word",
            WordRole::Kernel => "kernel",
            WordRole::FunctionNameMacro => "name",
            WordRole::Loop => "loop",
            WordRole::Statement => "statement",
            WordRole::Arguments => "arguments",
        };
        writeln!(out, "unknown {taken} {}", name.text).unwrap();
    }
    out.truncate(out.trim_end().len());
    out
}
