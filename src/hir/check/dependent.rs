//! The texts of constants that depend on template arguments.
//!
//! A template is checked once, for all arguments, so the value of `sizeof(T)` or `std::is_same_v<T, float>` is unknown.
//! But it is one value: two such expressions in one body with the same text have the same value. So a text stands for
//! the constant. It contains names that the source declares outside of the body, numbers, and template arguments of the
//! same kind. Any other expression has no text, and each of its occurrences is an unknown value of its own.
//!
//! ```c
//! template <class T, int N> __global__ void k() {
//!   sizeof(T)                  // has a text
//!   traits<T, N>::value        // has a text
//!   using U = typename T::t;
//!   sizeof(U)                  // has none: another block of the body may declare another `U`
//! }
//! ```

use tangle_grammar::ast::{
    self, Ast as Tree, DeclaratorStep, ExprKind as Ast, Path, TemplateArgument, TypeSpecifier,
};
use tangle_grammar::symbol::Symbol;

/// The limit on template arguments inside template arguments.
const MAX_DEPTH: usize = 8;

/// The writer of these texts.
pub(super) struct DependentTexts<'a> {
    pub ast: &'a Tree,
    /// Whether a block of the checked body declares a name.
    pub is_declared_in_body: &'a dyn Fn(Symbol) -> bool,
}

impl DependentTexts<'_> {
    /// Returns the text of a qualified name, with its template arguments.
    pub fn path(&self, path: &Path) -> Option<String> {
        self.path_text(path, MAX_DEPTH)
    }

    /// Returns the text of a type.
    pub fn ty(&self, ty: ast::TypeId) -> Option<String> {
        self.type_text(ty, MAX_DEPTH)
    }

    fn path_text(&self, path: &Path, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let first = path.segments.first()?;
        if !path.global && (self.is_declared_in_body)(first.name.text) {
            return None;
        }
        let mut text = String::new();
        for segment in &path.segments {
            if path.global || !text.is_empty() {
                text.push_str("::");
            }
            text.push_str(segment.name.text.as_str());
            if let Some(arguments) = &segment.arguments {
                let texts: Option<Vec<String>> =
                    arguments.iter().map(|argument| self.argument_text(*argument, depth)).collect();
                text.push('<');
                text.push_str(&texts?.join(", "));
                text.push('>');
            }
        }
        Some(text)
    }

    fn argument_text(&self, argument: TemplateArgument, depth: usize) -> Option<String> {
        match argument {
            TemplateArgument::Type(ty) => self.type_text(ty, depth),
            TemplateArgument::Value(value) => match &self.ast.exprs[value].kind {
                Ast::Name(name) | Ast::Number(name) => {
                    (!(self.is_declared_in_body)(*name)).then(|| name.as_str().to_owned())
                }
                Ast::Path(path) => self.path_text(path, depth),
                _ => None,
            },
        }
    }

    fn type_text(&self, ty: ast::TypeId, depth: usize) -> Option<String> {
        let name = &self.ast.types[ty];
        let mut words: Vec<String> = Vec::new();
        let qualifiers = &name.specifiers.qualifiers;
        words.extend(qualifiers.constant_value.then(|| "const".to_owned()));
        words.extend(qualifiers.volatile.then(|| "volatile".to_owned()));
        for specifier in &name.specifiers.types {
            words.push(match specifier {
                TypeSpecifier::Void => "void".to_owned(),
                TypeSpecifier::Bool => "bool".to_owned(),
                TypeSpecifier::Char => "char".to_owned(),
                TypeSpecifier::Short => "short".to_owned(),
                TypeSpecifier::Int => "int".to_owned(),
                TypeSpecifier::Long => "long".to_owned(),
                TypeSpecifier::Half => "half".to_owned(),
                TypeSpecifier::Float => "float".to_owned(),
                TypeSpecifier::Double => "double".to_owned(),
                TypeSpecifier::Signed => "signed".to_owned(),
                TypeSpecifier::Unsigned => "unsigned".to_owned(),
                TypeSpecifier::Named(name) if !(self.is_declared_in_body)(name.text) => {
                    name.text.as_str().to_owned()
                }
                TypeSpecifier::Path(path) => self.path_text(path, depth)?,
                _ => return None,
            });
        }
        for step in name.declarator.iter().rev() {
            words.push(match step {
                DeclaratorStep::Pointer { qualifiers } if *qualifiers == ast::Qualifiers::default() => {
                    "*".to_owned()
                }
                DeclaratorStep::Reference { rvalue: false } => "&".to_owned(),
                _ => return None,
            });
        }
        (!words.is_empty()).then(|| words.join(" "))
    }
}
