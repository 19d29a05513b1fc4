//! Members of records and lanes of vectors.

use tangle_grammar::ast::{self, ExprKind as Ast, Span};
use tangle_grammar::symbol::Symbol;

use super::{Checker, Meaning, TypeProblemKind};
use crate::layout::record_layout;
use crate::typed::{Constant, ExprId, ExprKind, Unknown};
use crate::types::{Record, Ty};

impl Checker<'_> {
    /// Checks `base.name` or `base->name`.
    pub(super) fn member(&mut self, base: ExprId, arrow: bool, name: ast::Name, span: Span) -> ExprId {
        let ty = self.exprs[base].ty;
        if ty.is_unknown() {
            return self.part(base, name.text, span);
        }
        let base = match (arrow, ty.as_pointer().is_some() || ty_is_array(ty)) {
            (true, true) => {
                let pointer = self.value(base);
                let Some(target) = self.exprs[pointer].ty.as_pointer() else {
                    return self.part(base, name.text, span);
                };
                let pointee = self.complete(target.pointee);
                self.push(ExprKind::Deref(pointer), pointee, self.exprs[pointer].span)
            }
            (false, false) => base,
            _ => {
                let target = ty.as_pointer().map_or(ty, |pointer| pointer.pointee);
                let kind = match self.complete(target).as_record() {
                    Some(_) => TypeProblemKind::WrongArrow { of: ty, arrow },
                    None => TypeProblemKind::NoMembers { of: ty },
                };
                self.problem(span, kind);
                return self.part(base, name.text, span);
            }
        };
        let ty = self.complete(self.exprs[base].ty);
        if ty.is_unknown() {
            return self.part(base, name.text, span);
        }
        if let Some((element, lanes)) = ty.as_vector() {
            return match swizzle(name.text.as_str(), lanes) {
                Some(chosen) => {
                    if let Some(index) = self.lane_of_indices(base, &chosen) {
                        return index;
                    }
                    let result = ty.similar_vector(element, chosen.len() as u8);
                    self.push(ExprKind::Lanes { base, lanes: chosen.into() }, result, span)
                }
                None => {
                    self.problem(name.span, TypeProblemKind::Swizzle { name: name.text, of: ty });
                    self.part(base, name.text, span)
                }
            };
        }
        let Some(record) = ty.as_record() else {
            self.problem(span, TypeProblemKind::NoMembers { of: ty });
            return self.part(base, name.text, span);
        };
        if record.definition.is_none() {
            self.problem(span, TypeProblemKind::Incomplete { ty });
            return self.part(base, name.text, span);
        }
        let Some(path) = find_field(record, name.text) else {
            if let Some(class) = record.tag
                && let Some(Meaning::Enumerator { value, ty }) = self.member_of_class(class, name.text)
            {
                return self.push(ExprKind::Constant(Constant::Integer(value)), ty, span);
            }
            self.problem(name.span, TypeProblemKind::UnknownMember { name: name.text, of: ty });
            return self.part(base, name.text, span);
        };
        let mut at = base;
        // The base may have the incomplete type that a record has in its own definition. It gets the complete type.
        if self.exprs[at].ty != ty {
            self.exprs[at].ty = ty;
        }
        for field in path {
            let Some(record) = self.exprs[at].ty.as_record() else { return self.part(at, name.text, span) };
            let Some(definition) = &record.definition else { return self.part(at, name.text, span) };
            let ty = self.complete(definition.fields[field as usize].ty);
            at = self.push(ExprKind::Field { base: at, field }, ty, span);
        }
        self.deref_reference(at)
    }

    /// Adds a member of an expression whose members are unknown.
    fn part(&mut self, base: ExprId, name: Symbol, span: Span) -> ExprId {
        self.unknown_as(Unknown::Member(name), &[base], Ty::UNKNOWN, span)
    }

    /// Checks `__builtin_offsetof(type, a.b[3])`.
    pub(super) fn offsetof(&mut self, ty: ast::TypeId, member: ast::ExprId, span: Span) -> ExprId {
        let ty = self.type_name(ty).ty;
        let ty = self.complete(ty);
        match self.offset_in(ty, member) {
            Some((offset, _)) => {
                self.push(ExprKind::Constant(Constant::Integer(offset.into())), Ty::SIZE, span)
            }
            None => {
                if !super::expr::mentions_unknown(ty) {
                    self.problem(span, TypeProblemKind::NoMembers { of: ty });
                }
                self.unknown(&[], Ty::SIZE, span)
            }
        }
    }

    /// Returns the offset of a designator in a type, and the type there. The depth is bounded by that of expressions.
    fn offset_in(&mut self, ty: Ty, member: ast::ExprId) -> Option<(u64, Ty)> {
        let ast = self.ast;
        // From the end of the designator to its start, which is a name.
        let mut steps = Vec::new();
        let mut at = member;
        loop {
            match &ast.exprs[at].kind {
                Ast::Name(name) => {
                    steps.push(Err(*name));
                    break;
                }
                Ast::Member { base, name, .. } => {
                    steps.push(Err(name.text));
                    at = *base;
                }
                Ast::Index { base, index } => {
                    steps.push(Ok(*index));
                    at = *base;
                }
                Ast::Paren(inner) => at = *inner,
                _ => return None,
            }
        }
        let (mut offset, mut ty) = (0, ty);
        for step in steps.into_iter().rev() {
            match step {
                Err(name) => {
                    ty = self.complete(ty);
                    for field in find_field(ty.as_record()?, name)? {
                        offset += record_layout(ty)?.fields[field as usize].offset;
                        ty = ty.as_record()?.definition.as_ref()?.fields[field as usize].ty;
                    }
                }
                Ok(index) => {
                    let index = u64::try_from(self.constant_integer(index)?).ok()?;
                    let crate::types::TyKind::Array { element, .. } = ty.kind() else { return None };
                    ty = *element;
                    offset += crate::layout::layout(ty)?.size.checked_mul(index)?;
                }
            }
        }
        Some((offset, ty))
    }
}

fn ty_is_array(ty: Ty) -> bool {
    matches!(ty.kind(), crate::types::TyKind::Array { .. })
}

/// Returns the path to a field by its name, through unnamed records where necessary. The parser limits their depth.
pub(super) fn find_field(record: &Record, name: Symbol) -> Option<Vec<u32>> {
    let fields = &record.definition.as_ref()?.fields;
    for (number, field) in fields.iter().enumerate() {
        if field.name == Some(name) {
            return Some(vec![number as u32]);
        }
        if field.name.is_none()
            && let Some(inner) = field.ty.as_record()
            && let Some(mut path) = find_field(inner, name)
        {
            path.insert(0, number as u32);
            return Some(path);
        }
    }
    None
}

/// Returns the lanes that a swizzle selects. None: it is not valid for this vector. A vector with an odd number of
/// lanes has the size of the next even number. `hi` and `odd` of 3 lanes therefore select lane 3, which is undefined.
fn swizzle(name: &str, lanes: u8) -> Option<Vec<u8>> {
    let all = lanes.next_multiple_of(2);
    match name {
        "lo" => return Some((0..all / 2).collect()),
        "hi" => return Some((all / 2..all).collect()),
        "even" => return Some((0..all).step_by(2).collect()),
        "odd" => return Some((1..all).step_by(2).collect()),
        _ => {}
    }
    let letters = |letters: &str| -> Option<Vec<u8>> {
        let lane = |c: char| letters.find(c).map(|at| at as u8).filter(|&lane| lane < lanes);
        name.chars().map(lane).collect()
    };
    let chosen = letters("xyzw").or_else(|| letters("rgba")).or_else(|| {
        let digits = name.strip_prefix(['s', 'S'])?;
        let lane = |c: char| c.to_digit(16).map(|lane| lane as u8).filter(|&lane| lane < lanes);
        digits.chars().map(lane).collect()
    })?;
    matches!(chosen.len(), 1 | 2 | 3 | 4 | 8 | 16).then_some(chosen)
}
