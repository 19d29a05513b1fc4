//! Builds the graph of a typed body. Its variables are not values yet: they are read by `get` and written by `set`.
//!
//! **Place**: a location that can store a value: a variable, memory, bits of memory, or lanes of another place
//! (`place`). **Record value**: the address of memory that contains the record. Code that keeps the value copies the
//! memory. **Task**: the remaining work for a statement. A list of tasks replaces recursion over statements
//! (`statement`).
//!
//! ```c
//! void f(int n, global int *p) { while (n && *p) n--; }
//! // entry: jump while.cond
//! // while.cond: %0 = get $n; %1 = test %0; branch %1, and.right, while.end
//! // and.right: … branch %4, while.body, while.end
//! ```
//!
//! Operands are evaluated from left to right. `&&`, `||` and `?:` are branches, because the analyses need them as
//! branches. Code after a `return` also gets blocks, because it may contain a label. [`ssa`](super::ssa) removes
//! unreachable blocks.

mod call;
mod expr;
mod init;
mod operation;
mod place;
mod statement;
#[cfg(test)]
mod tests;
mod unknown;

use index_vec::{IndexVec, index_vec};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::{AddressSpace, Ast, Span, Storage as Word};
use tangle_grammar::symbol::Symbol;

use super::{
    Block, BlockId, BlockKind, Function, Global, Op, Parameter, ParameterRole, Passing, Slot, SlotId,
    Terminator, Unknown, Value, ValueId, Variable, VariableId,
};
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_hir::def::functions::defined;
use tangle_hir::def::names::Names;
use tangle_hir::stored::Stored;
use tangle_hir::typed::{Capture, Constant, Conversion, Data, Storage, TypedBody, Var, VarId};
use tangle_hir::types::{Ty, TyKind};
use tangle_ir::key::FunctionKey;

/// A function with the variables of the module that it declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    pub function: Function,
    /// Named `function.variable`.
    pub globals: Vec<Global>,
}

/// Builds the graph of a body of an item, given its syntax and the meanings of its names. Variables are not values yet.
/// The captured variables of a block literal are parameters after its own. None for a block literal that is never
/// evaluated.
pub fn build(ast: &Ast, body: &Body, typed: &TypedBody, names: &Names) -> Option<Skeleton> {
    if typed.stmts.is_empty() {
        return None;
    }
    let mut builder = Builder::new(ast, body, typed, names);
    builder.function.internal = match body.block {
        true => true,
        false => {
            let own = defined(ast).into_iter().find(|function| function.name == body.name)?;
            let storage = &ast.decls[own.decl].specifiers.storage;
            storage.contains(&Word::Static) || storage.contains(&Word::Inline)
        }
    };
    builder.declare();
    builder.body();
    Some(builder.finish())
}

/// The storage of a variable of the body in the graph.
#[derive(Clone, Copy, Debug)]
enum VariableStorage {
    Variable(VariableId),
    /// The address of its memory.
    Memory(ValueId),
}

struct Builder<'a> {
    ast: &'a Ast,
    body: &'a Body,
    typed: &'a TypedBody,
    names: &'a Names,
    function: Function,
    globals: Vec<Global>,
    homes: IndexVec<VarId, VariableStorage>,
    /// The storage of undeclared names that the body stores to, or whose address it takes.
    undeclared: FxHashMap<Symbol, VariableStorage>,
    /// The values of undeclared names that the body only reads.
    constants: FxHashMap<(Unknown, Ty), ValueId>,
    /// The block to which operations are added. None after a jump.
    current: Option<BlockId>,
    /// The blocks that have begun, in order.
    order: Vec<BlockId>,
    /// The current statement.
    stmt: StmtId,
    /// The span of the current expression.
    span: Span,
    /// The blocks of labels, `case`s and `default`s.
    labels: FxHashMap<StmtId, BlockId>,
    /// The target of `break`, by loop or `switch`.
    breaks: FxHashMap<StmtId, BlockId>,
    /// The target of `continue`, by loop.
    continues: FxHashMap<StmtId, BlockId>,
    /// The values that are in no block, without repetition.
    leaves: FxHashMap<(Leaf, Ty), ValueId>,
    /// The values of statement expressions, by their last statement.
    captured: FxHashMap<StmtId, Option<ValueId>>,
    /// The innermost statement expression around each statement.
    nested: IndexVec<StmtId, Option<StmtId>>,
    /// The address at which the function returns a record.
    result: Option<ValueId>,
}

/// A value that is in no block: a constant, or the address of a global, function or string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Leaf {
    Constant(Constant),
    Global(Symbol),
    Function(FunctionKey),
    String(Box<[u8]>),
}

impl<'a> Builder<'a> {
    fn new(ast: &'a Ast, body: &'a Body, typed: &'a TypedBody, names: &'a Names) -> Builder<'a> {
        Builder {
            ast,
            body,
            typed,
            names,
            function: Function {
                kernel: body.kernel,
                span: body.name.span,
                ..Function::new(typed.key, Ty::VOID)
            },
            globals: Vec::new(),
            homes: IndexVec::new(),
            undeclared: FxHashMap::default(),
            constants: FxHashMap::default(),
            current: None,
            order: Vec::new(),
            stmt: Body::ROOT,
            span: body.span,
            labels: FxHashMap::default(),
            breaks: FxHashMap::default(),
            continues: FxHashMap::default(),
            leaves: FxHashMap::default(),
            captured: FxHashMap::default(),
            nested: statement_expressions(body),
            result: None,
        }
    }

    /// Declares the parameters, and assigns a home to each variable.
    fn declare(&mut self) {
        self.function.work_group_size = self.body.launch.work_group_size();
        self.function.sub_group_size = self.body.launch.sub_group_size;
        let entry = self.block(BlockKind::Entry, Body::ROOT);
        self.begin(entry);
        let result = self.typed.ty.as_function().map_or(Ty::UNKNOWN, |ty| ty.result);
        self.function.result = self.complete(result);
        if self.function.result.as_record().is_some() {
            let name = Some(Symbol::intern("result"));
            self.result =
                Some(self.parameter(name, self.function.result, Passing::Result, self.body.name.span));
        }

        let Stored { taken, names, .. } = Stored::in_body(self.typed);
        let mut used: FxHashSet<Symbol> = FxHashSet::default();
        for (id, var) in self.typed.vars.iter_enumerated() {
            self.span = var.span;
            let ty = self.complete(var.ty);
            let name = var.name.map(|name| name.text);
            let register = is_register(ty) && !var.volatile && !taken.contains(&id);
            let home = match &var.storage {
                Storage::Parameter => self.given(var, ty, register),
                Storage::Captured(Capture::Reference) => {
                    // The call shows whether it is shared.
                    let space = match var.space {
                        AddressSpace::Local => AddressSpace::Generic,
                        space => space,
                    };
                    let pointer = Ty::reference(ty, space);
                    let address = self.parameter(name, pointer, Passing::Value, var.span);
                    if let Some(parameter) = self.function.parameters.last_mut() {
                        parameter.role = ParameterRole::Captured;
                    }
                    // The elements of a shared array have pointers to shared memory.
                    let is_shared_array =
                        var.space == AddressSpace::Local && matches!(ty.kind(), TyKind::Array { .. });
                    VariableStorage::Memory(match is_shared_array {
                        true => self.convert(Conversion::Pointer, address, Ty::pointer(ty, var.space)),
                        false => address,
                    })
                }
                Storage::Captured(Capture::Copy) => match var.space {
                    AddressSpace::Private | AddressSpace::Generic => self.given(var, ty, register),
                    AddressSpace::Local => {
                        let pointer = Ty::pointer(ty, var.space);
                        VariableStorage::Memory(self.parameter(name, pointer, Passing::Value, var.span))
                    }
                    AddressSpace::Global | AddressSpace::Constant => {
                        let name = self.own_name(id, &mut used);
                        VariableStorage::Memory(self.global(name, ty, var.space))
                    }
                },
                Storage::Automatic if register => {
                    VariableStorage::Variable(self.variable(name, ty, var.span))
                }
                Storage::Automatic => VariableStorage::Memory(self.slot(name, ty, var.span)),
                Storage::Extern(global) => VariableStorage::Memory(self.global(*global, ty, var.space)),
                Storage::Local => VariableStorage::Memory(self.own_global(id, None, &mut used)),
                Storage::Static(data) => {
                    VariableStorage::Memory(self.own_global(id, data.as_ref(), &mut used))
                }
            };
            self.homes.push(home);
        }
        for (name, in_memory) in names {
            self.span = self.body.name.span;
            let op = Op::Unknown { what: Unknown::Variable(name), operands: Box::default() };
            let value = self.push(op, Ty::UNKNOWN);
            let home = match in_memory {
                false => {
                    let variable = self.variable(Some(name), Ty::UNKNOWN, self.span);
                    self.effect(Op::Set(variable, value));
                    VariableStorage::Variable(variable)
                }
                true => {
                    let address = self.slot(Some(name), Ty::UNKNOWN, self.span);
                    self.effect(Op::Store { address, value, volatile: false, align: 1 });
                    VariableStorage::Memory(address)
                }
            };
            self.undeclared.insert(name, home);
        }
    }

    /// Returns the home of a variable that is initialised by a parameter of the graph.
    fn given(&mut self, var: &Var, ty: Ty, register: bool) -> VariableStorage {
        let (name, span) = (var.name.map(|name| name.text), var.span);
        let is_copied = matches!(ty.kind(), TyKind::Record(_) | TyKind::Array { .. });
        let passing = if is_copied { Passing::Copy } else { Passing::Value };
        let value = self.parameter(name, ty, passing, span);
        if let (true, Some(parameter)) = (var.is_object, self.function.parameters.last_mut()) {
            parameter.role = ParameterRole::Object;
        }
        if is_copied {
            VariableStorage::Memory(value)
        } else if register {
            let variable = self.variable(name, ty, span);
            self.effect(Op::Set(variable, value));
            VariableStorage::Variable(variable)
        } else {
            let address = self.slot(name, ty, span);
            let align = align(ty);
            self.effect(Op::Store { address, value, volatile: false, align });
            VariableStorage::Memory(address)
        }
    }

    fn parameter(&mut self, name: Option<Symbol>, ty: Ty, passing: Passing, span: Span) -> ValueId {
        let number = u32::try_from(self.function.parameters.len()).expect("parameters are few");
        let of_value = match passing {
            Passing::Value => ty,
            Passing::Copy | Passing::Result => Ty::pointer(ty, AddressSpace::Private),
        };
        let value = self.function.values.push(Value { op: Op::Parameter(number), ty: of_value, name, span });
        self.function.parameters.push(Parameter {
            name,
            ty,
            passing,
            value,
            role: ParameterRole::Plain,
            span,
        });
        value
    }

    /// Returns the name of a module variable that this function, or one around it, declares.
    fn own_name(&self, id: VarId, used: &mut FxHashSet<Symbol>) -> Symbol {
        let own = self.typed.vars[id].name.map_or("literal", |name| name.text.as_str());
        let wish = format!("{}.{own}", self.body.name.text);
        let mut name = Symbol::intern(&wish);
        let mut number = 1;
        while !used.insert(name) {
            name = Symbol::intern(&format!("{wish}.{number}"));
            number += 1;
        }
        name
    }

    /// Adds a module variable that this function declares. Returns its address.
    fn own_global(&mut self, id: VarId, data: Option<&Data>, used: &mut FxHashSet<Symbol>) -> ValueId {
        let var = &self.typed.vars[id];
        let name = self.own_name(id, used);
        let ty = self.complete(var.ty);
        let initializer = data.map(number_labels);
        self.globals.push(Global {
            name,
            ty,
            space: var.space,
            constant: var.constant,
            internal: true,
            external: false,
            initializer,
        });
        self.global(name, ty, var.space)
    }

    fn variable(&mut self, name: Option<Symbol>, ty: Ty, span: Span) -> VariableId {
        self.function.variables.push(Variable { name, ty, span })
    }

    /// Adds private memory. Returns its address.
    fn slot(&mut self, name: Option<Symbol>, ty: Ty, span: Span) -> ValueId {
        let slot: SlotId = self.function.slots.push(Slot { name, ty, span });
        let ty = Ty::pointer(ty, AddressSpace::Private);
        self.function.values.push(Value { op: Op::Slot(slot), ty, name, span })
    }

    fn global(&mut self, name: Symbol, ty: Ty, space: AddressSpace) -> ValueId {
        self.leaf(Leaf::Global(name), Ty::pointer(ty, space))
    }

    fn leaf(&mut self, leaf: Leaf, ty: Ty) -> ValueId {
        let span = self.span;
        let values = &mut self.function.values;
        *self.leaves.entry((leaf, ty)).or_insert_with_key(|(leaf, ty)| {
            let op = match leaf.clone() {
                Leaf::Constant(constant) => Op::Constant(constant),
                Leaf::Global(name) => Op::Global(name),
                Leaf::Function(key) => Op::Function(key),
                Leaf::String(bytes) => Op::String(bytes),
            };
            values.push(Value { op, ty: *ty, name: None, span })
        })
    }

    fn constant(&mut self, constant: Constant, ty: Ty) -> ValueId {
        self.leaf(Leaf::Constant(constant), ty)
    }

    fn integer(&mut self, value: i128, ty: Ty) -> ValueId {
        self.constant(Constant::Integer(value), ty)
    }

    /// Returns the type of a value.
    fn ty(&self, value: ValueId) -> Ty {
        self.function.values[value].ty
    }

    /// Adds an operation with a result.
    fn push(&mut self, op: Op, ty: Ty) -> ValueId {
        let block = self.block_in_hand();
        let value = self.function.values.push(Value { op, ty, name: None, span: self.span });
        self.function.blocks[block].values.push(value);
        value
    }

    /// Adds an operation without a result.
    fn effect(&mut self, op: Op) {
        self.push(op, Ty::VOID);
    }

    /// Returns the current block. After a jump, begins a new, unreachable one.
    fn block_in_hand(&mut self) -> BlockId {
        match self.current {
            Some(block) => block,
            None => {
                let block = self.block(BlockKind::Unreachable, self.stmt);
                self.begin(block);
                block
            }
        }
    }

    fn block(&mut self, kind: BlockKind, stmt: StmtId) -> BlockId {
        self.function.blocks.push(Block::new(kind, stmt, self.span))
    }

    /// Begins a block. If there is a current block, it jumps to the new one.
    fn begin(&mut self, block: BlockId) {
        self.jump(block);
        self.order.push(block);
        self.current = Some(block);
    }

    /// Ends the current block with a jump. After a jump, does nothing.
    fn jump(&mut self, target: BlockId) {
        self.terminate(Terminator::Jump(target));
    }

    fn terminate(&mut self, terminator: Terminator) {
        if let Some(block) = self.current.take() {
            self.function.blocks[block].terminator = terminator;
            self.function.blocks[block].end = self.span;
        }
    }

    /// Returns a type with the definition of its record, if only the tag of the record was given.
    fn complete(&self, ty: Ty) -> Ty {
        match ty.as_record() {
            Some(record) if record.definition.is_none() => {
                record.tag.and_then(|tag| self.names.tag(tag)).unwrap_or(ty)
            }
            _ => ty,
        }
    }

    /// Renumbers the blocks in the order of their beginnings.
    fn finish(mut self) -> Skeleton {
        let mut numbers: IndexVec<BlockId, Option<BlockId>> = index_vec![None; self.function.blocks.len()];
        for (number, &block) in self.order.iter().enumerate() {
            numbers[block] = Some(BlockId::new(number));
        }
        // Every block that is a target has begun, except the label of a statement that was never visited.
        let missing = numbers.iter_mut().filter(|number| number.is_none());
        for (next, number) in (self.order.len()..).zip(missing) {
            *number = Some(BlockId::new(next));
        }
        let mut blocks: Vec<(BlockId, Block)> = std::mem::take(&mut self.function.blocks)
            .into_iter_enumerated()
            .map(|(id, block)| (numbers[id].unwrap_or(id), block))
            .collect();
        blocks.sort_unstable_by_key(|&(number, _)| number);
        // Sorted by id, because maps have no order.
        let mut constants: Vec<ValueId> = self.constants.into_values().collect();
        constants.sort_unstable();
        blocks[0].1.values.splice(0..0, constants);
        self.function.blocks = blocks
            .into_iter()
            .map(|(_, mut block)| {
                block.terminator.redirect(|target| *target = numbers[*target].unwrap_or(*target));
                block
            })
            .collect();
        Skeleton { function: self.function, globals: self.globals }
    }
}

/// Whether variables of a type are variables of the graph, not memory.
fn is_register(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Unknown
        | TyKind::Bool
        | TyKind::Integer(_)
        | TyKind::Float(_)
        | TyKind::Vector { .. }
        | TyKind::Pointer(_)
        | TyKind::BlockPointer(_) => true,
        TyKind::Opaque(opaque) => !matches!(opaque, tangle_hir::types::Opaque::VaList),
        TyKind::Void
        | TyKind::Array { .. }
        | TyKind::Function(_)
        | TyKind::Record(_)
        | TyKind::Atomic(_)
        | TyKind::Parameter(_)
        | TyKind::Token => false,
    }
}

/// Returns the alignment of a type in bytes; 1 if it is unknown.
fn align(ty: Ty) -> u32 {
    tangle_hir::layout::layout(ty).map_or(1, |layout| layout.align)
}

/// Finds the innermost statement expression around each statement.
fn statement_expressions(body: &Body) -> IndexVec<StmtId, Option<StmtId>> {
    let mut innermost: IndexVec<StmtId, Option<StmtId>> = IndexVec::with_capacity(body.stmts.len());
    let roots: FxHashSet<StmtId> =
        body.stmts.iter().flat_map(|stmt| stmt.nested.iter().map(|nested| nested.stmt)).collect();
    for (id, stmt) in body.stmts.iter_enumerated() {
        let own = roots.contains(&id).then_some(id);
        innermost.push(own.or_else(|| stmt.parent.and_then(|parent| innermost[parent])));
    }
    innermost
}

/// Returns the number that represents the address of a label. Never 0.
fn label_number(label: StmtId) -> i128 {
    label.index() as i128 + 1
}

/// Replaces the addresses of labels in data by their numbers. The depth of recursion is the depth of the type.
fn number_labels(data: &Data) -> Data {
    match data {
        Data::Label(stmt) => Data::Constant(Constant::Integer(label_number(*stmt))),
        Data::Aggregate(parts) => Data::Aggregate(parts.iter().map(number_labels).collect()),
        Data::Union { field, data } => Data::Union { field: *field, data: Box::new(number_labels(data)) },
        other => other.clone(),
    }
}

/// Whether a statement is a `case` or `default`.
fn is_case(kind: &StmtKind) -> bool {
    matches!(kind, StmtKind::Case(_) | StmtKind::Default(_))
}
