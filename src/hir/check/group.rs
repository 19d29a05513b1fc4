//! Objects that represent groups of threads, and their operations.
//!
//! **Group**: a value of a class in the table of the language (`[[group]]`), such as a block or a tile of cooperative
//! groups. Its class has the fields that the table lists, so a group is stored, copied and passed like a record. The
//! number of threads of a tile is a part of its type.
//!
//! ```c
//! cg::thread_block block = cg::this_thread_block();                // no fields
//! cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);   // { rank of the block / 8, size of the block / 8 }
//! v += tile.shfl_down(v, 1);                                       // thread_block_tile::shfl_down(v, 1, 8)
//! ```
//!
//! The row of a reduction or scan depends on its last argument, an object without contents: for `reduce(tile, v,
//! plus<int>())` it is `plus::reduce`. A call of an operation becomes a call of the builtin with the properties of the group as further arguments
//! (`adds`), instead of the object. If the types of the arguments are unknown, it is an unknown call with these arguments.
//! If a property is unknown, it is an unknown call as before.

use tangle_grammar::ast::{self, AddressSpace, ExprKind as Ast, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;
use tangle_ir::operation::Operation;
use tangle_ir::value::Arithmetic;
use tangle_syntax::dialect::GroupProperty;

use super::Checker;
use super::callee::inside;
use crate::body::CallId;
use crate::builtin_class::{builtin_class_type, class_of_language};
use crate::def::overload::{self, Resolution};
use crate::typed::{Callee, Constant, ExprId, ExprKind, Initializer, Storage, SubobjectStep};
use crate::types::{TemplateArgument, Ty};

impl Checker<'_> {
    /// Adds the call of an operation on a group, or of a function that makes a group. None: it is neither, or not known
    /// well enough.
    pub(super) fn group_call(
        &mut self,
        callee: ast::ExprId,
        named: UnresolvedCallee,
        arguments: &[ExprId],
        call: Option<CallId>,
        span: Span,
    ) -> Option<ExprId> {
        let name = named.table_name()?;
        let row = self.dialect.builtins().get(name)?;
        let (own, object) = match &self.ast.exprs[callee].kind {
            Ast::Member { base, name, .. } => (name.text, Some(self.done[*base])),
            Ast::MemberPath { base, path, .. } => (path.last().name.text, Some(self.done[*base])),
            Ast::Path(path) => (path.last().name.text, None),
            Ast::Name(name) => (*name, None),
            _ => return None,
        };
        if let Some(class) = row.gives.as_deref() {
            return self.make_group(callee, name, Symbol::intern(class), arguments, call, span);
        }
        let (group, rest) = match object {
            Some(object) => (object, arguments),
            None => arguments.split_first().map(|(group, rest)| (*group, rest))?,
        };
        let class = self.group_class(group)?;
        // `reduce(tile, value, plus<int>())` has a row for the class of the last argument.
        if let Some((&function, values)) = rest.split_last()
            && let Some(row) = self.row_of_class(self.exprs[function].ty, own)
        {
            return self.group_operation(row, group, values, call, span);
        }
        if inside(class, own) != name {
            return None;
        }
        self.group_operation(name, group, rest, call, span)
    }

    /// Returns the class of an object that represents a group.
    fn group_class(&self, group: ExprId) -> Option<Symbol> {
        let ty = self.exprs[group].ty;
        let ty = ty.as_pointer().map_or(ty, |pointer| pointer.pointee);
        let class = class_of_language(ty.as_record()?.tag?);
        self.dialect.builtins().group(class).map(|_| class)
    }

    fn group_operation(
        &mut self,
        name: Symbol,
        group: ExprId,
        arguments: &[ExprId],
        call: Option<CallId>,
        span: Span,
    ) -> Option<ExprId> {
        let row = self.dialect.builtins().get(name)?;
        if let (Some(index), []) = (row.index.as_deref().map(Symbol::intern), arguments)
            && overload::signatures(self.dialect, index).iter().any(|ty| has_parameter(*ty))
        {
            return Some(self.indices(index, span));
        }
        if !self.dialect.signatures().has(name) {
            return None;
        }
        let mut operands: Vec<ExprId> = arguments.iter().map(|&argument| self.value(argument)).collect();
        for property in &row.adds {
            operands.push(self.property(group, *property, span)?);
        }
        // `tile.size()` is a constant expression.
        if let (Some(Operation::Argument), [GroupProperty::Threads], &[threads]) =
            (row.operation(), &row.adds[..], &operands[..])
        {
            return Some(threads);
        }
        match self.builtin_call(name, operands.clone(), call, span) {
            Some(known) => Some(known),
            // In a template, types can be unknown. The threads of the group are known.
            None => Some(self.unknown_call(Some(name), call, &operands, Ty::UNKNOWN, span)),
        }
    }

    /// Adds a call of a builtin whose overload is known. None: no overload has these types.
    fn builtin_call(
        &mut self,
        name: Symbol,
        operands: Vec<ExprId>,
        call: Option<CallId>,
        span: Span,
    ) -> Option<ExprId> {
        let found: Vec<Ty> = operands.iter().map(|&operand| self.exprs[operand].ty).collect();
        if found.iter().any(|ty| ty.is_unknown()) {
            return None;
        }
        let Resolution::Found { ty } = overload::resolve(self.dialect, name, &found) else { return None };
        let function = ty.as_function().filter(|of| of.parameters.len() == operands.len())?;
        Some(self.finish_call(Callee::Builtin { name, ty }, function, Some(name), operands, call, span))
    }

    /// Returns a property of a group, from its type or from a field of the object.
    fn property(&mut self, group: ExprId, property: GroupProperty, span: Span) -> Option<ExprId> {
        let class = self.group_class(group)?;
        let ty = self.exprs[group].ty;
        let pointee = ty.as_pointer().map(|pointer| pointer.pointee);
        let record = pointee.unwrap_or(ty).as_record()?;
        if property == GroupProperty::Threads {
            let threads = record.tag?.arguments().iter().find_map(|argument| match argument {
                TemplateArgument::Number(number) => Some(*number),
                _ => None,
            })?;
            return Some(self.push(ExprKind::Constant(Constant::Integer(threads)), Ty::UINT, span));
        }
        let fields = &self.dialect.builtins().group(class)?.fields;
        let field = u32::try_from(fields.iter().position(|it| *it == property)?).ok()?;
        let of = record.definition.as_ref()?.fields.get(field as usize)?.ty;
        let base = match (pointee, &self.exprs[group].kind) {
            (Some(pointee), _) => {
                let pointer = self.value(group);
                self.push(ExprKind::Deref(pointer), pointee, span)
            }
            (None, ExprKind::Unknown { .. }) => return None,
            (None, &ExprKind::Load(place)) => place,
            (None, _) if self.place(group).is_some() => group,
            (None, _) => {
                let var = self.unnamed(ty, Storage::Automatic, AddressSpace::Private, span);
                let initializer = Initializer { zero: false, entries: [(Box::default(), group)].into() };
                self.push(ExprKind::Compound { var, initializer }, ty, span)
            }
        };
        let place = self.push(ExprKind::Field { base, field }, of, span);
        Some(self.push(ExprKind::Load(place), of, span))
    }

    /// Adds an object of a group: a variable whose fields are set.
    fn make_group(
        &mut self,
        callee: ast::ExprId,
        name: Symbol,
        class: Symbol,
        arguments: &[ExprId],
        call: Option<CallId>,
        span: Span,
    ) -> Option<ExprId> {
        let group = self.dialect.builtins().group(class)?;
        let path = match &self.ast.exprs[callee].kind {
            Ast::Path(path) => Some(path),
            _ => None,
        };
        let threads = path.and_then(|path| self.threads_of_group(class, path));
        if group.threads.is_some() && threads.is_none() {
            return None;
        }
        let mut entries = Vec::new();
        for (number, property) in (0..).zip(&group.fields) {
            let value = match property {
                GroupProperty::Mask => {
                    let operands = match *arguments {
                        [] => Vec::new(),
                        [parent, label] => vec![self.value(label), self.mask_of(parent, span)?],
                        _ => return None,
                    };
                    self.builtin_call(name, operands, call, span)?
                }
                GroupProperty::MetaGroupRank => {
                    let rank = self.number_in_parent(*arguments.first()?, "thread_rank", span)?;
                    self.quotient(rank, threads?, span)
                }
                GroupProperty::MetaGroupSize => {
                    let size = self.number_in_parent(*arguments.first()?, "size", span)?;
                    let more = self.push(ExprKind::Constant(Constant::Integer(threads? - 1)), Ty::UINT, span);
                    let kind = ExprKind::Binary { op: Arithmetic::Add, left: size, right: more };
                    let rounded = self.push(kind, Ty::UINT, span);
                    self.quotient(rounded, threads?, span)
                }
                GroupProperty::Threads => return None,
            };
            let path: Box<[SubobjectStep]> = [SubobjectStep::Field(number)].into();
            entries.push((path, value));
        }
        let ty = builtin_class_type(self.dialect, class, threads.map(TemplateArgument::Number));
        let var = self.unnamed(ty, Storage::Automatic, AddressSpace::Private, span);
        let initializer = Initializer { zero: false, entries: entries.into() };
        let object = self.push(ExprKind::Compound { var, initializer }, ty, span);
        Some(self.push(ExprKind::Load(object), ty, span))
    }

    /// Returns the mask of a group. For a tile: its lanes in the warp, by its index in the block. None: it is unknown.
    fn mask_of(&mut self, group: ExprId, span: Span) -> Option<ExprId> {
        if let Some(mask) = self.property(group, GroupProperty::Mask, span) {
            return Some(mask);
        }
        let threads = self.property(group, GroupProperty::Threads, span)?;
        let ExprKind::Constant(Constant::Integer(threads)) = self.exprs[threads].kind else { return None };
        let warp = i128::from(self.dialect.largest_sub_group());
        let ty = if warp > 32 { Ty::ULONG } else { Ty::UINT };
        let number = |checker: &mut Self, number: i128, ty: Ty| {
            checker.push(ExprKind::Constant(Constant::Integer(number)), ty, span)
        };
        let ones = number(self, (1 << threads) - 1, ty);
        if threads >= warp {
            return Some(ones);
        }
        let tile = self.property(group, GroupProperty::MetaGroupRank, span)?;
        let tiles = number(self, warp / threads, Ty::UINT);
        let kind = ExprKind::Binary { op: Arithmetic::Rem, left: tile, right: tiles };
        let in_warp = self.push(kind, Ty::UINT, span);
        let threads = number(self, threads, Ty::UINT);
        let kind = ExprKind::Binary { op: Arithmetic::Mul, left: in_warp, right: threads };
        let first = self.push(kind, Ty::UINT, span);
        Some(self.push(ExprKind::Binary { op: Arithmetic::Shl, left: ones, right: first }, ty, span))
    }

    /// Returns the rank of this thread in the group that a tile divides, or the size of that group.
    fn number_in_parent(&mut self, parent: ExprId, method: &str, span: Span) -> Option<ExprId> {
        let class = self.group_class(parent)?;
        let number = self.group_operation(inside(class, Symbol::intern(method)), parent, &[], None, span)?;
        Some(self.cast(number, Ty::UINT, span))
    }

    fn quotient(&mut self, number: ExprId, threads: i128, span: Span) -> ExprId {
        let threads = self.push(ExprKind::Constant(Constant::Integer(threads)), Ty::UINT, span);
        let kind = ExprKind::Binary { op: Arithmetic::Div, left: number, right: threads };
        self.push(kind, Ty::UINT, span)
    }

    /// Returns the number of threads that the template arguments of a class of groups give: a power of two, and not more
    /// than a subgroup has.
    fn threads_of_group(&mut self, class: Symbol, path: &ast::Path) -> Option<i128> {
        let position = self.dialect.builtins().group(class)?.threads?;
        match path.last().arguments.as_deref()?.get(position)? {
            &ast::TemplateArgument::Value(value) => self.constant_if_any(value),
            ast::TemplateArgument::Type(_) => None,
        }
        .filter(|threads| {
            threads.count_ones() == 1 && (1..=i128::from(self.dialect.largest_sub_group())).contains(threads)
        })
    }

    /// Returns the parameter of a template that gives the number of threads of a class of groups, in a pattern.
    fn parameter_of_group(&mut self, class: Symbol, path: &ast::Path) -> Option<TemplateArgument> {
        let position = self.dialect.builtins().group(class)?.threads?;
        let argument = self.template_argument(path.last().arguments.as_deref()?.get(position)?);
        matches!(argument, TemplateArgument::Parameter(_)).then_some(argument)
    }

    /// Returns the type of a class of the language that a name with arguments means.
    pub(crate) fn class_of_path(&mut self, class: Symbol, path: &ast::Path) -> Ty {
        let number = self.threads_of_group(class, path).map(TemplateArgument::Number);
        let threads = number.or_else(|| self.parameter_of_group(class, path));
        builtin_class_type(self.dialect, self.class_for_group_size(class, path), threads)
    }
}

/// Whether a function has parameters: an id function has one, the dimension.
fn has_parameter(ty: Ty) -> bool {
    ty.as_function().is_some_and(|function| !function.parameters.is_empty())
}
