//! Collects the type names that an item of C++ declares.

use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use super::c;
use super::keep::ItemFacts;

/// Adds the names declared by a class, an `enum`, a `using X = …` or a `typedef`, including templates.
pub(super) fn declared_types(tokens: &[Token], shape: &ItemFacts, names: &mut Vec<Symbol>) {
    let head = shape.head(tokens);
    if let Some(key) = shape.class_key {
        names.extend(name_of_class(&tokens[key..], shape.has_members));
    }
    if head.iter().any(|token| token.kind == TokenKind::Typedef) {
        return c::declared_types(&without_arguments(tokens), names);
    }
    let using = head.iter().position(|token| token.kind == TokenKind::Using);
    if let Some([name, rest @ ..]) = using.map(|using| &head[using + 1..])
        && is_name(name)
        && rest.iter().take_while(|token| token.kind != TokenKind::Semicolon).any(is_equal)
    {
        names.push(name.text);
    }
}

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Identifier | TokenKind::TypeName)
}

fn is_equal(token: &Token) -> bool {
    token.kind == TokenKind::Equal
}

/// The name after `class`, `struct`, `union` or `enum`. Before members or bases it is the last name, because macros
/// can precede it; otherwise the first name. `None` for a qualified name: it is a member of another scope.
fn name_of_class(tokens: &[Token], has_members: bool) -> Option<Symbol> {
    let mut at = 1;
    let mut found: Option<Symbol> = None;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.kind {
            TokenKind::Class | TokenKind::Struct => {}
            TokenKind::ColonColon => return None,
            // `final` is a keyword only in this position.
            TokenKind::Identifier if found.is_some() && token.text.as_str() == "final" => break,
            TokenKind::Identifier | TokenKind::TypeName => {
                if found.is_some() && !has_members {
                    break;
                }
                found = Some(token.text);
            }
            TokenKind::LeftBracket => at = c::group_end(tokens, at - 1),
            TokenKind::LeftParen => {
                // The parentheses of a macro or attribute.
                found = None;
                at = c::group_end(tokens, at - 1);
            }
            kind if c::takes_parenthesis(kind) || kind == TokenKind::AttributeCall => {}
            _ => break,
        }
    }
    found
}

/// The tokens without template arguments. In a type, each `<` opens template arguments.
fn without_arguments(tokens: &[Token]) -> Vec<Token> {
    let mut rest = Vec::with_capacity(tokens.len());
    let (mut depth, mut braces) = (0_u32, 0_u32);
    for token in tokens {
        match token.kind {
            TokenKind::LeftBrace => braces += 1,
            TokenKind::RightBrace => braces = braces.saturating_sub(1),
            _ if braces > 0 => {}
            TokenKind::Less => {
                depth += 1;
                continue;
            }
            TokenKind::Greater if depth > 0 => {
                depth -= 1;
                continue;
            }
            TokenKind::GreaterGreater if depth > 0 => {
                depth = depth.saturating_sub(2);
                continue;
            }
            // Qualifiers of a name declare nothing and do not affect the declarator.
            _ => {}
        }
        if depth == 0 {
            rest.push(*token);
        }
    }
    rest
}
