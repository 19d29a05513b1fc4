//! The names that a source declares, found by its tokens alone. Notes on undeclared names use them to name that source.
//!
//! Some programs concatenate several sources. tangle reads each source alone: a macro, type or function of one source
//! is undeclared in the next one, unless a `prelude` lists the first one.

use rustc_hash::FxHashSet;
use tangle_grammar::lex::lex;
use tangle_grammar::token::TokenKind;

/// Returns the names in `wanted` that a text declares as a macro, a type or a function.
pub fn declared_by(text: &str, wanted: &FxHashSet<&str>) -> FxHashSet<String> {
    let (lexed, _) = lex(text);
    let mut declared = FxHashSet::default();
    let (mut depth, mut is_type_definition) = (0_usize, false);
    for (index, token, in_directive) in lexed.with_directives() {
        let index = index as usize;
        let kind = |at: Option<usize>| at.and_then(|at| lexed.tokens.get(at)).map(|token| token.kind);
        let word =
            |at: Option<usize>| at.and_then(|at| lexed.tokens.get(at)).map(|token| token.text.as_str());
        let before = index.checked_sub(1);
        is_type_definition |= !in_directive && depth == 0 && token.text.as_str() == "typedef";
        let is_declared = match token.kind {
            TokenKind::Identifier if in_directive => {
                word(before) == Some("define") && kind(index.checked_sub(2)) == Some(TokenKind::Hash)
            }
            _ if in_directive => false,
            TokenKind::LeftBrace => {
                depth += 1;
                false
            }
            TokenKind::RightBrace => {
                depth = depth.saturating_sub(1);
                false
            }
            TokenKind::Semicolon if depth == 0 => {
                is_type_definition = false;
                false
            }
            TokenKind::Identifier if depth == 0 => match kind(Some(index + 1)) {
                // The name of a function follows a type. A macro call at the start of a line is no declaration.
                Some(TokenKind::LeftParen) => {
                    let is_type = matches!(kind(before), Some(TokenKind::Identifier | TokenKind::Star));
                    !token.flags.line_start() && is_type
                }
                Some(TokenKind::Semicolon) => is_type_definition,
                _ => false,
            },
            _ => false,
        };
        if is_declared && wanted.contains(token.text.as_str()) {
            declared.insert(token.text.as_str().to_owned());
        }
    }
    declared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_macros_types_and_functions_are_found() {
        let text = "#define REAL float\n#if X\n# define TWICE(x) (x)\n#endif\ntypedef struct { int a; } pair;\n\
                    inline REAL add(REAL a) { return call(a); }\nint *find(void);\nRUN(add)\nint count; a = add(1);";
        let names = ["REAL", "TWICE", "pair", "add", "find", "X", "call", "RUN", "count", "a", "struct"];
        let mut declared: Vec<String> = declared_by(text, &names.into_iter().collect()).into_iter().collect();
        declared.sort();
        assert_eq!(declared, ["REAL", "TWICE", "add", "find", "pair"]);
    }
}
