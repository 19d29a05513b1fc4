//! Which names a source declares, as far as its words show: so that a note on a name that nothing declares can say which source does.
//!
//! Sources that a program glues together are read one by one. A macro, a type or a function of one is unknown in the next, unless a `prelude` names it.

use rustc_hash::FxHashSet;
use tangle_grammar::lex::lex;
use tangle_grammar::token::TokenKind;

/// The names among those that are wanted of which a text defines a macro, a type or a function.
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
                // Behind a type: a call in a macro that stands alone is not.
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
    fn macros_types_and_functions_are_declared() {
        let text = "#define REAL float\n#if X\n# define TWICE(x) (x)\n#endif\ntypedef struct { int a; } pair;\n\
                    inline REAL add(REAL a) { return call(a); }\nint *find(void);\nRUN(add)\nint count; a = add(1);";
        let names = ["REAL", "TWICE", "pair", "add", "find", "X", "call", "RUN", "count", "a", "struct"];
        let mut declared: Vec<String> = declared_by(text, &names.into_iter().collect()).into_iter().collect();
        declared.sort();
        assert_eq!(declared, ["REAL", "TWICE", "add", "find", "pair"]);
    }
}
