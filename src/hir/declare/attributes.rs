//! Attributes that change a type: `aligned`, `packed`, `ext_vector_type`, `vector_size`.

use tangle_grammar::ast::{Attribute, TypeSpecifier};
use tangle_grammar::literal::{Number, number};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use crate::check::Checker;
use crate::layout::layout;
use crate::types::{MAX_LANES, Ty};

/// The alignment of `aligned` without an argument: the largest that any type needs.
const LARGEST_ALIGNMENT: u32 = 16;

/// Returns the name of an attribute without underscores at its start and end.
fn plain(attribute: &Attribute) -> &'static str {
    attribute.name.text.as_str().trim_matches('_')
}

pub(super) fn packed<'a>(mut attributes: impl Iterator<Item = &'a Attribute>) -> bool {
    attributes.any(|attribute| plain(attribute) == "packed")
}

impl Checker<'_> {
    /// Returns the largest alignment that attributes request, in bytes.
    pub(crate) fn alignment<'a>(&mut self, attributes: impl Iterator<Item = &'a Attribute>) -> Option<u32> {
        let asked = attributes.filter(|attribute| matches!(plain(attribute), "aligned" | "Alignas"));
        asked.filter_map(|attribute| self.aligned(attribute)).max()
    }

    fn aligned(&mut self, attribute: &Attribute) -> Option<u32> {
        if attribute.arguments.is_empty() {
            return Some(LARGEST_ALIGNMENT);
        }
        let align = self.argument(attribute)?;
        u32::try_from(align).ok().filter(|align| align.is_power_of_two())
    }

    /// Applies `ext_vector_type` and `vector_size` to a type.
    pub(super) fn with_vector_attributes(&mut self, ty: Ty, attributes: &[Attribute]) -> Ty {
        let mut ty = ty;
        for attribute in attributes {
            let bytes = match plain(attribute) {
                "ext_vector_type" => false,
                "vector_size" => true,
                _ => continue,
            };
            let Some((1, size)) = ty.lanes().zip(layout(ty)).map(|((_, lanes), layout)| (lanes, layout.size))
            else {
                break;
            };
            let size = if bytes { i128::from(size) } else { 1 };
            let argument = self.argument(attribute);
            let lanes = argument.filter(|number| number % size == 0).map(|number| number / size);
            // Clang supports more lanes than this checker.
            let lanes = lanes.and_then(|lanes| u8::try_from(lanes).ok());
            let Some(lanes @ 1..=MAX_LANES) = lanes else { return Ty::UNKNOWN };
            ty = Ty::vector(ty, lanes);
        }
        ty
    }

    /// Returns the value of an attribute's argument; for `_Alignas(type)`, the alignment of the type.
    fn argument(&mut self, attribute: &Attribute) -> Option<i128> {
        if let [only] = &*attribute.arguments
            && only.kind == TokenKind::Number
        {
            return match number(only.text.as_str()) {
                Ok(Number::Integer { value, .. }) => Some(i128::from(value)),
                _ => None,
            };
        }
        // Any other expression is parsed as the length of an array. A type becomes the operand of `_Alignof` there.
        let from_type = attribute.arguments.first().is_some_and(|first| is_type(first.kind));
        let inner = if from_type { vec![token(TokenKind::Alignof, "_Alignof")] } else { Vec::new() };
        let mut tokens = vec![token(TokenKind::Char, "char"), token(TokenKind::Identifier, "argument")];
        tokens.push(token(TokenKind::LeftBracket, ""));
        tokens.extend(inner);
        tokens.push(token(TokenKind::LeftParen, ""));
        tokens.extend_from_slice(&attribute.arguments);
        tokens.push(token(TokenKind::RightParen, ""));
        tokens.push(token(TokenKind::RightBracket, ""));
        tokens.push(token(TokenKind::Semicolon, ""));
        let parsed = tangle_grammar::parse(&tokens, self.dialect.lexicon());
        let decl = &parsed.ast.decls[*parsed.ast.items.first()?];
        let [tangle_grammar::ast::DeclaratorStep::Array { size: Some(size) }] = &*decl.declarator else {
            return None;
        };
        self.constant_elsewhere(&parsed.ast, *size)
    }
}

fn token(kind: TokenKind, text: &str) -> Token {
    Token { kind, text: Symbol::intern(text) }
}

fn is_type(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(
        kind,
        K::TypeName
            | K::Char
            | K::Short
            | K::Int
            | K::Long
            | K::Float
            | K::Double
            | K::Half
            | K::Signed
            | K::Unsigned
            | K::Bool
            | K::Struct
            | K::Union
            | K::Enum
    )
}

/// Whether the specifiers define a record. `aligned` and `packed` among them then belong to the record.
pub(super) fn defines_record(types: &[TypeSpecifier]) -> bool {
    types.iter().any(|ty| matches!(ty, TypeSpecifier::Record { members: Some(_), .. }))
}
