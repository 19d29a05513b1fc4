//! The type of the expression that ends with a token. It is derived from the tokens, since a statement does not parse
//! while the name after its `.` is missing.
//!
//! ```text
//! q.c->m[n + 1].        variable, member, element
//! make(1).              result of a function
//! (*p).   ((T *) p)->   parentheses, casts
//! ```

use std::sync::Arc;

use tangle_grammar::symbol::Symbol;
use tangle_hir::def::names::Meaning;
use tangle_hir::def::overload;
use tangle_hir::scope::{meaning_at_end, tag_at_end};
use tangle_hir::types::{Definition, RecordName, Ty, TyKind};
use tangle_syntax::items::{Unit, spans, tokens, unit};

use super::position::TokenAt;
use crate::snapshot::View;

/// The maximum depth of nested member accesses.
const DEEPEST: usize = 32;
/// The maximum number of tokens between two matching brackets.
const MAX_TOKENS: usize = 4096;

pub struct Chain<'a, 'b> {
    view: &'b View<'a>,
    at: TokenAt<'a>,
}

impl<'a, 'b> Chain<'a, 'b> {
    /// Returns the chain for expressions that end with this token of the file.
    pub fn at(view: &'b View<'a>, token: u32) -> Option<Chain<'a, 'b>> {
        let start = spans(view.db, view.file).get(token).start;
        Some(Chain { view, at: TokenAt::find(*view, view.position(start))? })
    }

    fn spelling(&self, token: u32) -> &'static str {
        tokens(self.view.db, self.view.file).tokens.get(token as usize).map_or("", |token| token.spelling())
    }

    fn is_name(&self, token: u32) -> bool {
        self.spelling(token).starts_with(|c: char| c.is_alphabetic() || c == '_')
    }

    pub fn ends_with(&self, token: u32) -> Option<Ty> {
        self.type_of(token, DEEPEST)
    }

    fn type_of(&self, token: u32, depth: usize) -> Option<Ty> {
        let depth = depth.checked_sub(1)?;
        match self.spelling(token) {
            "]" => {
                let open = self.opening(token)?;
                element(self.type_of(open.checked_sub(1)?, depth)?)
            }
            ")" => {
                let open = self.opening(token)?;
                match open.checked_sub(1).filter(|&before| self.is_name(before)) {
                    Some(function) => self.result(Symbol::intern(self.spelling(function))),
                    None => self.inside(open + 1, token, depth),
                }
            }
            _ if self.is_name(token) => {
                let name = Symbol::intern(self.spelling(token));
                match token.checked_sub(1).filter(|&dot| matches!(self.spelling(dot), "." | "->")) {
                    Some(dot) => self.member(self.type_of(dot.checked_sub(1)?, depth)?, name),
                    None => self.variable(name),
                }
            }
            _ => None,
        }
    }

    /// Returns the opening bracket that matches a closing bracket.
    fn opening(&self, close: u32) -> Option<u32> {
        let mut open = 0usize;
        for at in (0..=close).rev().take(MAX_TOKENS) {
            match self.spelling(at) {
                ")" | "]" => open += 1,
                "(" | "[" => {
                    open -= 1;
                    if open == 0 {
                        return Some(at);
                    }
                }
                ";" | "{" | "}" => return None,
                _ => {}
            }
        }
        None
    }

    /// Returns the type of an expression in parentheses, possibly with stars or a cast. A pointer counts as its
    /// pointee, because `.` and `->` are treated alike.
    fn inside(&self, first: u32, close: u32, depth: usize) -> Option<Ty> {
        let last = close.checked_sub(1)?;
        match self.spelling(first) {
            "*" => self.inside(first + 1, close, depth).and_then(element),
            "&" => self.inside(first + 1, close, depth),
            "(" => {
                let cast = (first + 1..close).take_while(|&token| self.spelling(token) != ")");
                let named = cast.into_iter().find_map(|token| self.named_type(token));
                named.or_else(|| self.type_of(last, depth))
            }
            _ => self.type_of(last, depth),
        }
    }

    fn named_type(&self, token: u32) -> Option<Ty> {
        let name = Symbol::intern(self.spelling(token));
        match self.spelling(token.checked_sub(1)?) {
            "struct" | "union" => tag_at_end(self.view.db, self.unit(), RecordName::plain(name)),
            _ => match &*self.meaning(name)? {
                Meaning::Type(ty) => Some(ty.ty),
                _ => None,
            },
        }
    }

    fn unit(&self) -> &'a Unit {
        unit(self.view.db, self.view.root, self.view.analysis.settings)
    }

    /// Returns the meaning of a name at file scope.
    fn meaning(&self, name: Symbol) -> Option<Arc<Meaning>> {
        meaning_at_end(self.view.db, self.unit(), name)
    }

    fn result(&self, name: Symbol) -> Option<Ty> {
        let declared = match self.meaning(name).as_deref() {
            Some(Meaning::Functions(functions)) => functions.first().map(|function| function.ty),
            _ => {
                overload::signatures(self.view.analysis.settings.dialect(self.view.db), name).first().copied()
            }
        };
        Some(declared?.as_function()?.result)
    }

    fn variable(&self, name: Symbol) -> Option<Ty> {
        let typed = self.at.body().and_then(|body| self.at.item.typed(body));
        let declared = typed
            .iter()
            .flat_map(|typed| &typed.vars)
            .filter(|var| var.name.is_some_and(|it| it.text == name && it.span.start <= self.at.token));
        if let Some(var) = declared.max_by_key(|var| var.span.start) {
            return Some(var.ty);
        }
        match &*self.meaning(name)? {
            Meaning::Global { ty, .. } => Some(*ty),
            _ => None,
        }
    }

    fn member(&self, of: Ty, name: Symbol) -> Option<Ty> {
        let of = target(of);
        if let Some((element, lanes)) = of.as_vector() {
            return Some(of.similar_vector(element, selected(name.as_str(), lanes)?));
        }
        let definition = self.definition(of)?;
        definition.fields.iter().find(|field| field.name == Some(name)).map(|field| field.ty)
    }

    /// Returns the members of a record. Inside its own definition, a record is found by its tag.
    pub fn definition(&self, ty: Ty) -> Option<&'static Definition> {
        let record = ty.as_record()?;
        record.definition.as_ref().or_else(|| {
            let known = tag_at_end(self.view.db, self.unit(), record.tag?)?;
            known.as_record()?.definition.as_ref()
        })
    }
}

/// Returns the pointee of a pointer, the element of an array, or the type itself.
pub fn target(ty: Ty) -> Ty {
    match ty.kind() {
        TyKind::Pointer(pointer) => pointer.pointee,
        TyKind::Array { element, .. } => *element,
        _ => ty,
    }
}

/// Returns the result type of `*` and `[]`.
fn element(ty: Ty) -> Option<Ty> {
    match ty.kind() {
        TyKind::Vector { element, .. } => Some(*element),
        TyKind::Pointer(_) | TyKind::Array { .. } => Some(target(ty)),
        _ => None,
    }
}

/// Returns the number of vector lanes that a name selects.
fn selected(name: &str, lanes: u8) -> Option<u8> {
    match name {
        "lo" | "hi" | "even" | "odd" => Some(lanes.div_ceil(2)),
        _ => u8::try_from(name.trim_start_matches(['s', 'S']).len()).ok().filter(|&count| count > 0),
    }
}
