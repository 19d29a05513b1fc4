//! Initialisers: the subobject that each of their expressions initialises.
//!
//! A braced list is traversed together with the type that it initialises. The **cursor** is the path to the next
//! subobject. An aggregate without braces of its own takes as many entries of the list as it has subobjects (C11,
//! 6.7.9).

use tangle_grammar::ast::{self, AddressSpace, Designator, ExprKind as Ast, Initializer as Syntax, Span};

use super::{Checker, ConversionContext, TypeProblemKind};
use crate::typed::{ExprId, ExprKind, Initializer, Storage, SubobjectStep};
use crate::types::{Ty, TyKind};

/// The entries of a list: the path to the subobject, and its value.
type Entries = Vec<(Box<[SubobjectStep]>, ExprId)>;

/// An aggregate on the path to the next subobject.
struct Level {
    ty: Ty,
    /// The next field or element.
    next: u64,
    /// Whether a subobject has an entry already: a union can have only one.
    taken: bool,
}

impl Level {
    fn of(ty: Ty) -> Level {
        Level { ty, next: 0, taken: false }
    }

    /// Returns the index of the next subobject, the step to it, and its type. Unnamed bit-fields are skipped.
    fn place(&self) -> Option<(u64, SubobjectStep, Ty)> {
        match self.ty.kind() {
            TyKind::Array { element, length } => {
                let room = length.is_none_or(|length| self.next < length);
                room.then_some((self.next, SubobjectStep::Element(self.next), *element))
            }
            TyKind::Record(record) if !(record.union && self.taken) => {
                let fields = &record.definition.as_ref()?.fields;
                let from = usize::try_from(self.next).ok()?;
                let places = fields.iter().enumerate().skip(from);
                let (index, field) =
                    places.into_iter().find(|(_, f)| f.name.is_some() || f.bits.is_none())?;
                Some((index as u64, SubobjectStep::Field(index as u32), field.ty))
            }
            _ => None,
        }
    }

    fn take(&mut self, index: u64) {
        self.next = index.saturating_add(1);
        self.taken = true;
    }
}

impl Checker<'_> {
    /// Checks an initialiser for a type. The returned type has a length if the type is an array without one.
    pub(super) fn initializer(&mut self, syntax: &Syntax, ty: Ty, span: Span) -> (Initializer, Ty) {
        let ty = self.complete(ty);
        let mut entries = Vec::new();
        match syntax {
            Syntax::Expression(expr) => {
                let id = self.expr(*expr);
                let value = self.convert_initialiser(id, ty);
                let ty = self.string_length(ty, value);
                entries.push((Box::default(), value));
                (Initializer { zero: false, entries: entries.into() }, ty)
            }
            Syntax::Arguments(all) => {
                let values: Vec<ExprId> = all.iter().map(|&argument| self.expr(argument)).collect();
                let value = match values[..] {
                    [only] => self.convert_initialiser(only, ty),
                    _ => {
                        let values: Vec<ExprId> = values.into_iter().map(|value| self.value(value)).collect();
                        self.unknown(&values, ty, span)
                    }
                };
                entries.push((Box::default(), value));
                (Initializer { zero: false, entries: entries.into() }, ty)
            }
            Syntax::List(list) => {
                let length = self.list(list, ty, &mut Vec::new(), &mut entries, span);
                let ty = match ty.kind() {
                    TyKind::Array { element, length: None } => Ty::array(*element, Some(length)),
                    _ => ty,
                };
                let scalar = entries.len() == 1 && entries[0].0.is_empty();
                (Initializer { zero: !scalar, entries: entries.into() }, ty)
            }
        }
    }

    /// Converts a value to the initialised type. A string can initialise a whole array; other values are assigned.
    fn convert_initialiser(&mut self, id: ExprId, ty: Ty) -> ExprId {
        let characters =
            matches!(ty.kind(), TyKind::Array { element, .. } if matches!(*element, Ty::CHAR | Ty::UCHAR));
        if characters && matches!(self.exprs[id].kind, ExprKind::String(_)) {
            return id;
        }
        // GNU C permits an array from a compound literal of the same type. If the element type is unknown, any value
        // may be right.
        if let TyKind::Array { element, .. } = ty.kind()
            && (self.exprs[id].ty == ty || element.is_unknown())
        {
            return id;
        }
        self.assigned(id, ty, ConversionContext::Initialise)
    }

    fn string_length(&self, ty: Ty, value: ExprId) -> Ty {
        match (ty.kind(), &self.exprs[value].kind) {
            (TyKind::Array { element, length: None }, ExprKind::String(bytes)) => {
                Ty::array(*element, Some(bytes.len() as u64))
            }
            _ => ty,
        }
    }

    /// Checks one braced list, whose depth the parser limits. Returns the number of elements that an array needs.
    fn list(
        &mut self,
        list: &[(Box<[Designator]>, Syntax)],
        ty: Ty,
        path: &mut Vec<SubobjectStep>,
        entries: &mut Entries,
        span: Span,
    ) -> u64 {
        let ty = self.complete(ty);
        if ty.is_unknown() {
            let mut values = Vec::new();
            list.iter().for_each(|(_, syntax)| self.collect_values(syntax, &mut values));
            let value = self.unknown(&values, Ty::UNKNOWN, span);
            entries.push((path.clone().into(), value));
            return 0;
        }
        if let Some((element, lanes)) = ty.as_vector() {
            self.vector_list(list, ty, element, lanes, path, entries, span);
            return 0;
        }
        let aggregate = matches!(ty.kind(), TyKind::Array { .. } | TyKind::Record(_));
        if !aggregate {
            // `int x = {5};`, or `{}`.
            if let Some((_, syntax)) = list.first() {
                self.entry(syntax, ty, path, entries, span);
            }
            return 0;
        }
        if let ([(designators, Syntax::Expression(expr))], TyKind::Array { element, .. }) = (list, ty.kind())
            && designators.is_empty()
            && matches!(*element, Ty::CHAR | Ty::UCHAR)
            && matches!(self.ast.exprs[*expr].kind, Ast::String(_))
        {
            // `char s[] = {"text"};`
            let value = self.expr(*expr);
            let length = match &self.exprs[value].kind {
                ExprKind::String(bytes) => bytes.len() as u64,
                _ => 0,
            };
            entries.push((path.clone().into(), value));
            return length;
        }
        let root = path.len();
        let mut levels = vec![Level::of(ty)];
        let mut length = 0;
        for (designators, syntax) in list {
            if !designators.is_empty() {
                levels.truncate(1);
                path.truncate(root);
                if !self.designate(designators, &mut levels, path, span) {
                    self.forget(syntax);
                    continue;
                }
                if let Some(&Designator::Range(low, high)) = designators.last()
                    && designators.len() == 1
                {
                    length = length.max(self.range(low, high, syntax, ty, path, entries, span));
                    if let (Some(level), Some(high)) = (levels.last_mut(), self.constant_integer(high)) {
                        level.next = u64::try_from(high).unwrap_or(0).saturating_add(1);
                    }
                    continue;
                }
            }
            self.place_entry(syntax, &mut levels, path, root, entries, span);
            length = length.max(levels[0].next);
        }
        path.truncate(root);
        length
    }

    /// Adds an entry at the cursor, and advances the cursor.
    fn place_entry(
        &mut self,
        syntax: &Syntax,
        levels: &mut Vec<Level>,
        path: &mut Vec<SubobjectStep>,
        root: usize,
        entries: &mut Entries,
        span: Span,
    ) {
        // An expression is checked once, even if several subobjects are tried for it.
        let value = match syntax {
            Syntax::Expression(expr) => Some(self.expr(*expr)),
            Syntax::List(_) | Syntax::Arguments(_) => None,
        };
        loop {
            let Some(level) = levels.last() else { return };
            let Some((index, step, ty)) = level.place() else {
                // This aggregate is full: the list continues with the subobject after it.
                if levels.len() == 1 {
                    // Too many entries: clang only warns.
                    if value.is_none() {
                        self.forget(syntax);
                    }
                    return;
                }
                levels.pop();
                path.truncate(root + levels.len() - 1);
                continue;
            };
            let depth = levels.len() - 1;
            let is_element = matches!(step, SubobjectStep::Element(_));
            path.truncate(root + depth);
            path.push(step);
            if let Some(level) = levels.last_mut() {
                level.take(index);
            }
            let ty = self.complete(ty);
            match value {
                None => {
                    self.entry(syntax, ty, path, entries, span);
                    break;
                }
                Some(value) if self.takes_whole(value, ty) => {
                    let value = self.convert_initialiser(value, ty);
                    entries.push((path.clone().into(), value));
                    break;
                }
                Some(value) if ty.as_vector().is_some() && self.exprs[value].ty.is_unknown() => {
                    entries.push((path.clone().into(), value));
                    break;
                }
                // No element of this array takes a value: the list continues after the array.
                Some(_) if is_element && !self.has_scalars(ty) => {
                    if levels.len() == 1 {
                        break;
                    }
                    levels.pop();
                }
                // The value initialises the first subobject of this aggregate.
                Some(_) => levels.push(Level::of(ty)),
            }
        }
        path.truncate(root + levels.len() - 1);
    }

    /// Whether an object of a type has a subobject that a single value initialises. False for a record without fields,
    /// an array of length 0, and aggregates that consist only of these.
    fn has_scalars(&self, ty: Ty) -> bool {
        match self.complete(ty).kind() {
            TyKind::Array { element, length } => *length != Some(0) && self.has_scalars(*element),
            TyKind::Record(record) => record.definition.as_ref().is_some_and(|definition| {
                let mut named = definition.fields.iter().filter(|it| it.name.is_some() || it.bits.is_none());
                named.any(|field| self.has_scalars(field.ty))
            }),
            _ => true,
        }
    }

    /// Whether a value initialises a whole object of a type, and not its first subobject.
    fn takes_whole(&self, value: ExprId, ty: Ty) -> bool {
        let found = self.exprs[value].ty;
        match ty.kind() {
            TyKind::Array { element, .. } => {
                (matches!(self.exprs[value].kind, ExprKind::String(_))
                    && matches!(*element, Ty::CHAR | Ty::UCHAR))
                    || found == ty
            }
            TyKind::Record(record) => {
                found.is_unknown()
                    || found
                        .as_record()
                        .is_some_and(|found| found.tag == record.tag && found.union == record.union)
            }
            _ => true,
        }
    }

    /// Moves the cursor to the subobject that designators name. The last level's `next` is its index.
    fn designate(
        &mut self,
        designators: &[Designator],
        levels: &mut Vec<Level>,
        path: &mut Vec<SubobjectStep>,
        span: Span,
    ) -> bool {
        for (number, designator) in designators.iter().enumerate() {
            let Some(level) = levels.last() else { return false };
            let ty = level.ty;
            let next: Vec<u64> = match (designator, ty.kind()) {
                (_, TyKind::Unknown) => return false,
                (Designator::Member(name), TyKind::Record(record)) => {
                    match super::member::find_field(record, name.text) {
                        Some(fields) => fields.into_iter().map(u64::from).collect(),
                        None => {
                            let kind = TypeProblemKind::UnknownMember { name: name.text, of: ty };
                            self.problem(name.span, kind);
                            return false;
                        }
                    }
                }
                (Designator::Index(index) | Designator::Range(index, _), TyKind::Array { length, .. }) => {
                    match self.constant_integer(*index).map(u64::try_from) {
                        Some(Ok(index)) if length.is_none_or(|length| index < length) => vec![index],
                        _ => {
                            self.problem(self.ast.exprs[*index].span, TypeProblemKind::Designator { ty });
                            return false;
                        }
                    }
                }
                _ => {
                    self.problem(span, TypeProblemKind::Designator { ty });
                    return false;
                }
            };
            for (depth, &index) in next.iter().enumerate() {
                let last = number + 1 == designators.len() && depth + 1 == next.len();
                let Some(level) = levels.last_mut() else { return false };
                (level.next, level.taken) = (index, false);
                if last {
                    break;
                }
                let Some((_, step, ty)) = level.place() else { return false };
                level.take(index);
                path.push(step);
                let ty = self.complete(ty);
                levels.push(Level::of(ty));
            }
        }
        true
    }

    /// `[low ... high] = value`: adds an entry for each element. Each entry evaluates the value, although GNU C
    /// evaluates it only once.
    #[expect(clippy::too_many_arguments, reason = "one walk, in one place")]
    fn range(
        &mut self,
        low: ast::ExprId,
        high: ast::ExprId,
        syntax: &Syntax,
        ty: Ty,
        path: &mut Vec<SubobjectStep>,
        entries: &mut Entries,
        span: Span,
    ) -> u64 {
        let TyKind::Array { element, length } = ty.kind() else { return 0 };
        let (Some(low), Some(high)) = (self.constant_integer(low), self.constant_integer(high)) else {
            return 0;
        };
        let limit = length.map_or(1 << 20, i128::from);
        if low < 0 || high < low || high >= limit {
            self.problem(span, TypeProblemKind::Designator { ty });
            return 0;
        }
        for index in low..=high {
            path.push(SubobjectStep::Element(index as u64));
            self.entry(syntax, *element, path, entries, span);
            path.pop();
        }
        high as u64 + 1
    }

    fn entry(
        &mut self,
        syntax: &Syntax,
        ty: Ty,
        path: &mut Vec<SubobjectStep>,
        entries: &mut Entries,
        span: Span,
    ) {
        match syntax {
            Syntax::Expression(expr) => {
                let value = self.expr(*expr);
                let value = self.convert_initialiser(value, ty);
                entries.push((path.clone().into(), value));
            }
            Syntax::List(list) => {
                self.list(list, ty, path, entries, span);
            }
            Syntax::Arguments(_) => self.forget(syntax),
        }
    }

    /// `{1, v.xy}` for a vector: in OpenCL C, a list of its lanes.
    #[expect(clippy::too_many_arguments, reason = "one walk, in one place")]
    fn vector_list(
        &mut self,
        list: &[(Box<[Designator]>, Syntax)],
        ty: Ty,
        element: Ty,
        lanes: u8,
        path: &[SubobjectStep],
        entries: &mut Entries,
        span: Span,
    ) {
        let mut parts = Vec::with_capacity(list.len());
        for (_, syntax) in list {
            match syntax {
                Syntax::Expression(expr) => parts.push(self.expr(*expr)),
                Syntax::List(inner) => {
                    let mut nested = Vec::new();
                    self.list(inner, element, &mut Vec::new(), &mut nested, span);
                    parts.extend(nested.into_iter().map(|(_, value)| value));
                }
                Syntax::Arguments(_) => self.collect_values(syntax, &mut parts),
            }
        }
        let value = match parts[..] {
            [] => return,
            [only] if self.exprs[only].ty == ty => self.value(only),
            [only] if lanes > 1 => self.wrong(span, TypeProblemKind::VectorLiteral { ty, lanes: 1 }, &[only]),
            _ => self.vector_of(ty, parts, span),
        };
        entries.push((path.into(), value));
    }

    /// Checks an initialiser without a known subobject. Its values are dropped.
    fn forget(&mut self, syntax: &Syntax) {
        self.collect_values(syntax, &mut Vec::new());
    }

    /// Collects the values of all expressions in an initialiser.
    fn collect_values(&mut self, syntax: &Syntax, values: &mut Vec<ExprId>) {
        match syntax {
            Syntax::Expression(expr) => values.push(self.rvalue(*expr)),
            Syntax::List(list) => list.iter().for_each(|(_, syntax)| self.collect_values(syntax, values)),
            Syntax::Arguments(all) => values.extend(all.iter().map(|&argument| self.rvalue(argument))),
        }
    }

    pub(super) fn compound_literal(&mut self, ty: ast::TypeId, initializer: &Syntax, span: Span) -> ExprId {
        let q = self.type_name(ty);
        let (initializer, ty) = self.initializer(initializer, q.ty, span);
        // `(int4){1, 2, 3, 4}` is a value and needs no variable.
        if let ([(path, value)], Some(_)) = (&initializer.entries[..], ty.lanes())
            && path.is_empty()
        {
            return *value;
        }
        let space = q.space.unwrap_or(AddressSpace::Private);
        let var = self.unnamed(ty, Storage::Automatic, space, span);
        self.push(ExprKind::Compound { var, initializer }, ty, span)
    }
}
