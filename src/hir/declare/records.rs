//! Structs, unions and enumerations, defined or mentioned.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{Attribute, Decl, DeclId, Enumerator, Name, TypeSpecifier};
use tangle_grammar::symbol::Symbol;

use super::Context;
use super::attributes::{defines_record, packed};
use crate::hir::check::{Checker, Meaning, TypeProblemKind};
use crate::hir::layout::layout;
use crate::hir::types::{Definition, Field, Integer, Record, Ty, TyKind};

impl Checker<'_> {
    /// `struct s` without members: the one that is known by this tag, or a new one of which no more is known.
    pub(super) fn mentioned_record(&mut self, union: bool, name: Name) -> Ty {
        match self.lookup_tag(name.text) {
            Some(ty) => self.of_kind(ty, Some(union), name),
            None => {
                let ty = record(union, Some(name.text), None);
                self.scope().tags.insert(name.text, ty);
                ty
            }
        }
    }

    pub(super) fn mentioned_enum(&mut self, name: Name) -> Ty {
        match self.lookup_tag(name.text) {
            Some(ty) => self.of_kind(ty, None, name),
            None => {
                self.problem(name.span, TypeProblemKind::UndeclaredEnum(name.text));
                Ty::UNKNOWN
            }
        }
    }

    /// The type of a tag, if it is a union, a struct or (None) an enumeration as expected.
    fn of_kind(&mut self, ty: Ty, union: Option<bool>, name: Name) -> Ty {
        if ty.is_unknown() || ty.as_record().map(|record| record.union) == union {
            return ty;
        }
        self.problem(name.span, TypeProblemKind::TagOfOtherKind(name.text));
        Ty::UNKNOWN
    }

    /// Enters a tag that is defined in the innermost scope. As in C23, a definition may be repeated, but not changed.
    fn define_tag(&mut self, name: Name, before: Option<Ty>, ty: Ty) {
        self.scope().tags.insert(name.text, ty);
        let defined = |ty: &Ty| ty.as_record().is_none_or(|record| record.definition.is_some());
        if before.filter(defined).is_some_and(|before| before != ty) {
            self.problem(name.span, TypeProblemKind::TagRedefined(name.text));
        }
    }

    pub(super) fn defined_record(
        &mut self,
        union: bool,
        name: Option<Name>,
        members: &[DeclId],
        attributes: &[Attribute],
    ) -> Ty {
        let tag = name.map(|name| name.text);
        // Inside itself the record is known by its tag.
        let before = tag.and_then(|tag| self.scope().tags.insert(tag, record(union, Some(tag), None)));
        let packed = packed(attributes.iter());
        let align = self.alignment(attributes.iter());
        let ast = self.ast;
        let mut names = FxHashSet::default();
        let mut fields = Vec::new();
        for &member in members {
            let decl = &ast.decls[member];
            let Some(field) = self.field(decl, packed) else { continue };
            if let Some(name) = decl.name
                && !names.insert(name.text)
            {
                self.problem(name.span, TypeProblemKind::DuplicateMember(name.text));
            }
            fields.push(field);
        }
        let ty = record(union, tag, Some(Definition { fields: fields.into(), packed, align }));
        if let Some(name) = name {
            self.define_tag(name, before, ty);
        }
        ty
    }

    fn field(&mut self, decl: &Decl, record_packed: bool) -> Option<Field> {
        let declared = self.declared(decl, Context::Member);
        let mut ty = self.complete(declared.ty);
        if decl.name.is_none() && decl.bit_width.is_none() {
            // `struct t { … };` inside declares no member but the tag; without a tag its members are this record's.
            let anonymous = decl
                .specifiers
                .types
                .iter()
                .any(|ty| matches!(ty, TypeSpecifier::Record { name: None, members: Some(_), .. }));
            if !anonymous {
                return None;
            }
        }
        if let Some(space) = declared.space {
            self.problem(decl.span, TypeProblemKind::MemberSpace(space));
        }
        let known = match ty.kind() {
            // A flexible array member; where it may stand is a matter of layout.
            TyKind::Array { element, length: None } => layout(*element).is_some(),
            TyKind::Unknown => true,
            _ => layout(ty).is_some(),
        };
        if !known {
            self.problem(decl.span, TypeProblemKind::IncompleteType(ty));
            ty = Ty::UNKNOWN;
        }
        let bits = match decl.bit_width {
            Some(width) => {
                let (bits, of) = self.bit_field(ty, width, decl);
                ty = of;
                bits
            }
            None => None,
        };
        let own = decl.attributes.iter();
        let specified = decl.specifiers.attributes.iter().filter(|_| !defines_record(&decl.specifiers.types));
        let packed = packed(own.clone().chain(specified.clone()));
        let asked = self.alignment(own.chain(specified));
        let natural = layout(ty).map_or(1, |layout| layout.align);
        let align = match asked {
            Some(asked) if packed || record_packed || asked > natural => Some(asked),
            _ if packed => Some(1),
            _ => None,
        };
        Some(Field {
            name: decl.name.map(|name| name.text),
            ty,
            bits,
            constant: declared.constant,
            volatile: declared.volatile,
            align,
        })
    }

    fn bit_field(&mut self, ty: Ty, width: tangle_grammar::ast::ExprId, decl: &Decl) -> (Option<u32>, Ty) {
        if ty.is_unknown() {
            return (None, ty);
        }
        let limit = match ty.kind() {
            TyKind::Bool => 1,
            TyKind::Integer(integer) => integer.bits(),
            _ => {
                self.problem(decl.span, TypeProblemKind::BitFieldType(ty));
                return (None, Ty::UNKNOWN);
            }
        };
        let span = self.ast.exprs[width].span;
        let Some(value) = self.constant_integer(width) else {
            if !self.type_of_expr(width).ty.is_unknown() {
                self.problem(span, TypeProblemKind::BitFieldNotConstant);
            }
            return (None, Ty::UNKNOWN);
        };
        // Only a bit-field without a name may be empty: it ends a unit.
        let least = u32::from(decl.name.is_some());
        match u32::try_from(value).ok().filter(|bits| (least..=limit).contains(bits)) {
            Some(bits) => (Some(bits), ty),
            None => {
                self.problem(span, TypeProblemKind::BitFieldWidth { width: value, ty });
                (None, Ty::UNKNOWN)
            }
        }
    }

    pub(super) fn defined_enum(
        &mut self,
        name: Option<Name>,
        list: &[Enumerator],
        attributes: &[Attribute],
    ) -> Ty {
        let mut next = Some(0i128);
        let mut values: Vec<(Symbol, i128)> = Vec::new();
        for (name, value) in list {
            let value = match value {
                Some(expr) => {
                    let value = self.constant_integer(*expr);
                    if value.is_none() && !self.type_of_expr(*expr).ty.is_unknown() {
                        self.problem(name.span, TypeProblemKind::EnumeratorNotConstant(name.text));
                    }
                    value
                }
                None => next,
            };
            next = value.and_then(|value| value.checked_add(1));
            // Without a value the name is known still, so that nothing follows from what is said of it once.
            let meaning = match value {
                Some(value) => {
                    values.push((name.text, value));
                    let ty = if i32::try_from(value).is_ok() { Ty::INT } else { wide(value) };
                    Meaning::Enumerator { value, ty }
                }
                None => Meaning::Enumerator { value: 0, ty: Ty::UNKNOWN },
            };
            self.scope().ordinary.insert(name.text, meaning);
        }
        let ty = underlying(&values, packed(attributes.iter()));
        // Until its end an enumerator has the type of its own value, then what does not fit an `int` has that of all.
        for &(name, value) in values.iter().filter(|(_, value)| i32::try_from(*value).is_err()) {
            self.scope().ordinary.insert(name, Meaning::Enumerator { value, ty });
        }
        if let Some(name) = name {
            let before = self.scope().tags.get(&name.text).copied();
            self.define_tag(name, before, ty);
        }
        ty
    }
}

fn record(union: bool, tag: Option<Symbol>, definition: Option<Definition>) -> Ty {
    Ty::new(TyKind::Record(Box::new(Record { union, tag, definition })))
}

fn wide(value: i128) -> Ty {
    if value > i128::from(i64::MAX) { Ty::ULONG } else { Ty::LONG }
}

/// The integer type of an enumeration, as clang chooses it: `uint` where no value is negative, wider where it must be.
fn underlying(values: &[(Symbol, i128)], packed: bool) -> Ty {
    let least = values.iter().map(|(_, value)| *value).min().unwrap_or(0).min(0);
    let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0).max(0);
    let signed = least < 0;
    let narrow: &[Integer] = if packed { &[Integer::Char, Integer::Short] } else { &[] };
    let fitting =
        narrow.iter().chain(&[Integer::Int]).map(|integer| integer.with_sign(signed)).find(|integer| {
            let bits = integer.bits();
            if signed { least >= -(1 << (bits - 1)) && most < 1 << (bits - 1) } else { most < 1 << bits }
        });
    Ty::integer(fitting.unwrap_or(Integer::Long.with_sign(signed)))
}
