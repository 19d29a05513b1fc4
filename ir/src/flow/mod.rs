//! The control-flow graph of a function in SSA form, in which every convergent operation carries a token.
//!
//! **Value**: what a parameter, constant or operation yields; operations that yield nothing are values of type `void`. **Block**:
//! operations in order, then one terminator. **Slot**: private memory of a thread, for variables whose address is taken and
//! for aggregates; all other variables are values. **Token**: a value of type [`Ty::TOKEN`] that says which threads execute a
//! convergent operation together (`convergent-operations.rst`).
//!
//! ```text
//! function k(%p: global int *) convergent kernel {
//! entry:
//!   %0 = entry
//!   %x = load int %p
//!   %1 = ne %x, 0
//!   branch %1, if.then, if.end
//! if.then:
//!   call barrier(uint 1) with %0
//!   jump if.end
//! if.end:
//!   return
//! }
//! ```
//!
//! A function is made in steps: a frontend gives a graph whose variables are read and written in place ([`Op::Get`], [`Op::Set`]);
//! [`dispatch`], if asked for, makes irreducible cycles reducible; [`ssa`] turns variables into values; [`tokens`]
//! places tokens from the tangles (or [`infer`] from the graph alone); [`verify`] holds the result against the static rules.

pub mod cycles;
pub mod dispatch;
pub mod dominators;
pub mod infer;
mod kind;
mod plan;
pub mod print;
pub mod regions;
pub mod ssa;
#[cfg(test)]
mod tests;
pub mod tokens;
pub mod verify;

pub use kind::{Begins, BlockKind};

use index_vec::{IndexVec, define_index_type};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::Symbol;
use tangle_base::{AddressSpace, Span};

use crate::key::FunctionKey;
use crate::nest::{CallId, StmtId};
use crate::types::{FunctionTy, Ty, TyKind};
use crate::value::{Arithmetic, Comparison, Constant, Conversion, Data, UnaryOp};

define_index_type! {
    /// A basic block of one function. The entry is 0; nothing jumps to it.
    pub struct BlockId = u32;
}
define_index_type! {
    /// A value of one function.
    pub struct ValueId = u32;
}
define_index_type! {
    /// Private memory of one function.
    pub struct SlotId = u32;
}
define_index_type! {
    /// A variable of one function before SSA form.
    pub struct VariableId = u32;
}

/// What is lowered of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The path of the file as it was given.
    pub file: String,
    /// In source order.
    pub functions: Vec<Function>,
    /// In source order; those of a function stand before those of the next.
    pub globals: Vec<Global>,
}

/// A variable that is one for the program or, in `local` memory, for the work-group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Unique in the module: `name`, or `function.name` for one that a function declares.
    pub name: Symbol,
    pub ty: Ty,
    pub space: AddressSpace,
    pub constant: bool,
    pub internal: bool,
    /// Defined by another module.
    pub external: bool,
    /// None: in `local` memory, or external: undefined; elsewhere zero.
    pub initializer: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub key: FunctionKey,
    pub kernel: bool,
    /// `static` or `inline`: no other module calls it.
    pub internal: bool,
    /// Of `reqd_work_group_size`.
    pub work_group_size: Option<[u32; 3]>,
    /// Whether the threads that call it together matter to it. Known once tokens are placed.
    pub convergent: bool,
    /// The result; of record type: written through the first parameter, see [`Passing::Result`].
    pub result: Ty,
    pub parameters: Vec<Parameter>,
    /// The entry first, then in source order.
    pub blocks: IndexVec<BlockId, Block>,
    pub values: IndexVec<ValueId, Value>,
    pub slots: IndexVec<SlotId, Slot>,
    /// Empty in SSA form.
    pub variables: IndexVec<VariableId, Variable>,
    /// The name of the function in its declaration.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: Option<Symbol>,
    /// As declared: a record, for [`Passing::Copy`] and [`Passing::Result`].
    pub ty: Ty,
    pub passing: Passing,
    /// The value with [`Op::Parameter`]; of pointer type for records.
    pub value: ValueId,
    pub span: Span,
}

/// How an argument comes to its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    Value,
    /// A record: the value is the address of the callee's own copy, in private memory.
    Copy,
    /// The record that the function returns: the address of private memory of the caller.
    Result,
}

/// A variable of scalar, vector, pointer or opaque type whose address is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: Option<Symbol>,
    pub ty: Ty,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    pub name: Option<Symbol>,
    pub ty: Ty,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What the block is in the source.
    pub kind: BlockKind,
    /// The label in the source, if it is one; of a block without a source, its name.
    pub label: Option<Symbol>,
    /// Phis first.
    pub values: Vec<ValueId>,
    pub terminator: Terminator,
    /// Where the terminator comes from: the condition, the `return`, the jump.
    pub end: Span,
    /// The statement that the block begins in.
    pub stmt: StmtId,
}

impl Block {
    /// A block without operations, of a statement of the source.
    pub fn new(kind: BlockKind, stmt: StmtId, span: Span) -> Block {
        Block { kind, label: None, values: Vec::new(), terminator: Terminator::Unreachable, end: span, stmt }
    }

    /// A block without operations that no statement of a source is behind.
    pub fn named(name: &str) -> Block {
        let label = Some(Symbol::intern(name));
        Block { label, ..Block::new(BlockKind::Plain, StmtId::new(0), Span::new(0, 0)) }
    }

    /// The name that printers give the block, unless another one has it already.
    pub(crate) fn wish(&self) -> String {
        match (self.kind, self.label) {
            (kind, None) => kind.name().to_owned(),
            (BlockKind::Plain, Some(label)) => label.to_string(),
            (kind, Some(label)) => format!("{}.{label}", kind.name()),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    Jump(BlockId),
    /// The condition is a `bool`.
    Branch {
        condition: ValueId,
        then: BlockId,
        otherwise: BlockId,
    },
    /// Ranges with both ends included, disjoint; in the type of `value`, an integer.
    Switch {
        value: ValueId,
        cases: Vec<(i128, i128, BlockId)>,
        otherwise: BlockId,
    },
    Return(Option<ValueId>),
    Unreachable,
}

impl Terminator {
    /// The blocks that may follow, in order; one may stand twice.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(target) => vec![*target],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, otherwise, .. } => {
                cases.iter().map(|&(.., block)| block).chain([*otherwise]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        }
    }

    /// Calls `change` with each successor, to redirect it.
    pub fn redirect(&mut self, mut change: impl FnMut(&mut BlockId)) {
        match self {
            Terminator::Jump(target) => change(target),
            Terminator::Branch { then, otherwise, .. } => {
                change(then);
                change(otherwise);
            }
            Terminator::Switch { cases, otherwise, .. } => {
                cases.iter_mut().for_each(|(.., block)| change(block));
                change(otherwise);
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }

    pub fn operand(&self) -> Option<ValueId> {
        match self {
            Terminator::Branch { condition: value, .. } | Terminator::Switch { value, .. } => Some(*value),
            Terminator::Return(value) => *value,
            Terminator::Jump(_) | Terminator::Unreachable => None,
        }
    }

    pub fn operand_mut(&mut self) -> Option<&mut ValueId> {
        match self {
            Terminator::Branch { condition: value, .. } | Terminator::Switch { value, .. } => Some(value),
            Terminator::Return(value) => value.as_mut(),
            Terminator::Jump(_) | Terminator::Unreachable => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub op: Op,
    /// `void`: yields nothing.
    pub ty: Ty,
    /// The variable that holds it in the source.
    pub name: Option<Symbol>,
    pub span: Span,
}

/// What yields a value.
///
/// `Parameter`, `Constant`, `Slot`, `Global` and `Function` stand in no block: they are there from the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Parameter(u32),
    Constant(Constant),
    /// The address of a slot.
    Slot(SlotId),
    /// The address of a variable of the module, by its name there.
    Global(Symbol),
    /// The address of a function.
    Function(FunctionKey),
    /// The address of a string in `constant` memory, its zero byte included.
    String(Box<[u8]>),

    /// One operand for each predecessor; one that leads here twice stands twice, as in [`Function::predecessors`].
    Phi(Vec<(BlockId, ValueId)>),
    /// The variable's value. Not in SSA form.
    Get(VariableId),
    /// Not in SSA form.
    Set(VariableId, ValueId),

    /// On integers and floats, and vectors of them.
    Unary {
        op: UnaryOp,
        operand: ValueId,
    },
    /// Operands have the type of the result. A shift's count is below the width.
    Binary {
        op: Arithmetic,
        left: ValueId,
        right: ValueId,
    },
    /// `bool` of scalars and pointers; of vectors integers as wide as the lanes, 0 or -1.
    Compare {
        op: Comparison,
        left: ValueId,
        right: ValueId,
    },
    /// Types are those of the operand and of the result. `Integer` also takes `bool` operands; never `Discard`.
    Convert {
        conversion: Conversion,
        operand: ValueId,
    },
    /// The condition is a `bool`, or a vector of integers whose lanes choose by their top bit.
    Select {
        condition: ValueId,
        then: ValueId,
        otherwise: ValueId,
    },
    /// One lane of a vector; any integer is the number.
    Extract {
        vector: ValueId,
        lane: ValueId,
    },
    /// The vector with one lane replaced.
    Insert {
        vector: ValueId,
        lane: ValueId,
        value: ValueId,
    },
    /// Lanes of two vectors of the same type: those of the second follow those of the first. None: undefined.
    Shuffle {
        left: ValueId,
        right: ValueId,
        lanes: Box<[Option<u8>]>,
    },

    /// Alignment in bytes.
    Load {
        address: ValueId,
        volatile: bool,
        align: u32,
    },
    Store {
        address: ValueId,
        value: ValueId,
        volatile: bool,
        align: u32,
    },
    /// Copies an object of type `ty`.
    Copy {
        to: ValueId,
        from: ValueId,
        ty: Ty,
    },
    /// Fills an object of type `ty` with zero bytes.
    Clear {
        address: ValueId,
        ty: Ty,
    },
    /// `base` plus `index` elements of type `element`. The index is any integer, extended by its sign.
    Element {
        base: ValueId,
        index: ValueId,
        element: Ty,
    },
    /// The address of a field of a record at `base`.
    Field {
        base: ValueId,
        record: Ty,
        field: u32,
    },

    Call(Call),
    /// A convergence-control intrinsic: the value is a token.
    Token(Token),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub callee: Callee,
    /// Values, and addresses for [`Passing::Copy`] and [`Passing::Result`] (which comes first), as the callee's parameters say.
    pub arguments: Vec<(ValueId, Passing)>,
    /// The call in the body. None: it stands in no body, such as what a builtin expands to.
    pub call: Option<CallId>,
    /// The threads that execute it together matter. Known once tokens are placed.
    pub convergent: bool,
    /// The token that controls it, if it is convergent and tokens are placed.
    pub token: Option<ValueId>,
}

impl Callee {
    /// What people call it. None: it has no name.
    pub fn name(&self) -> Option<Symbol> {
        match self {
            Callee::Function { key, .. } => Some(key.name),
            Callee::Builtin { name, .. } | Callee::Compiler { name, .. } => Some(*name),
            Callee::Pointer { .. } => None,
        }
    }

    /// The function that is called, if it is one of the program.
    pub fn key(&self) -> Option<FunctionKey> {
        match self {
            Callee::Function { key, .. } => Some(*key),
            _ => None,
        }
    }

    /// The type of the function that is called.
    pub fn ty(&self) -> Ty {
        let (Callee::Function { ty, .. }
        | Callee::Builtin { ty, .. }
        | Callee::Compiler { ty, .. }
        | Callee::Pointer { ty, .. }) = self;
        *ty
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function of the module, or one that another module defines. The type is the declared one.
    Function {
        key: FunctionKey,
        ty: Ty,
    },
    /// A builtin of the dialect; its name is mangled with the types of its parameters.
    Builtin {
        name: Symbol,
        ty: Ty,
    },
    /// `__builtin_…`
    Compiler {
        name: Symbol,
        ty: Ty,
    },
    Pointer {
        address: ValueId,
        ty: Ty,
    },
}

/// The convergence-control intrinsics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    Entry,
    /// The heart of a cycle, with the token of what is around it.
    Loop(ValueId),
    Anchor,
}

/// Why a function could not be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLowered {
    /// None: a variable of the module.
    pub function: Option<FunctionKey>,
    pub span: Span,
    /// A sentence part that follows "cannot lower `f`: ".
    pub reason: String,
}

impl Module {
    /// Some functions, and all that they call or refer to.
    pub fn reached_from(&self, roots: impl IntoIterator<Item = FunctionKey>) -> FxHashSet<FunctionKey> {
        let by_key: FxHashMap<FunctionKey, &Function> =
            self.functions.iter().map(|function| (function.key, function)).collect();
        let mut reached = FxHashSet::default();
        let mut todo: Vec<FunctionKey> = roots.into_iter().collect();
        while let Some(key) = todo.pop() {
            let Some(function) = by_key.get(&key).filter(|_| reached.insert(key)) else { continue };
            todo.extend(function.values.iter().filter_map(|value| match &value.op {
                Op::Call(call) => match call.callee {
                    Callee::Function { key, .. } => Some(key),
                    _ => None,
                },
                Op::Function(key) => Some(*key),
                _ => None,
            }));
        }
        reached
    }
}

impl Function {
    pub const ENTRY: BlockId = BlockId { _raw: 0 };

    /// A function without blocks and parameters, which other modules may call.
    pub fn new(key: FunctionKey, result: Ty) -> Function {
        Function {
            key,
            kernel: false,
            internal: false,
            work_group_size: None,
            convergent: false,
            result,
            parameters: Vec::new(),
            blocks: IndexVec::new(),
            values: IndexVec::new(),
            slots: IndexVec::new(),
            variables: IndexVec::new(),
            span: Span::new(0, 0),
        }
    }

    /// The type that callers know, without the address of a record that is returned.
    pub fn declared_type(&self) -> Ty {
        let parameters = self.parameters.iter().filter(|parameter| parameter.passing != Passing::Result);
        Ty::new(TyKind::Function(Box::new(FunctionTy {
            result: self.result,
            parameters: parameters.map(|parameter| parameter.ty).collect(),
            variadic: false,
        })))
    }

    /// The predecessors of each block, in order of their numbers; one that leads here twice stands twice.
    pub fn predecessors(&self) -> IndexVec<BlockId, Vec<BlockId>> {
        let mut predecessors: IndexVec<BlockId, Vec<BlockId>> =
            self.blocks.iter().map(|_| Vec::new()).collect();
        for (id, block) in self.blocks.iter_enumerated() {
            for successor in block.terminator.successors() {
                predecessors[successor].push(id);
            }
        }
        predecessors
    }
}

/// The operands of an operation, by reference of the kind that the caller has.
macro_rules! visit_operands {
    ($op:expr, $visit:ident, $iter:ident $(, $mutable:tt)?) => {
        match $op {
            Op::Parameter(_)
            | Op::Constant(_)
            | Op::Slot(_)
            | Op::Global(_)
            | Op::Function(_)
            | Op::String(_)
            | Op::Get(_)
            | Op::Token(Token::Entry | Token::Anchor) => {}
            Op::Phi(incoming) => incoming.$iter().for_each(|(_, value)| $visit(value)),
            Op::Set(_, value) | Op::Token(Token::Loop(value)) => $visit(value),
            Op::Unary { operand, .. } | Op::Convert { operand, .. } => $visit(operand),
            Op::Binary { left, right, .. }
            | Op::Compare { left, right, .. }
            | Op::Shuffle { left, right, .. } => {
                $visit(left);
                $visit(right);
            }
            Op::Select { condition, then, otherwise } => {
                $visit(condition);
                $visit(then);
                $visit(otherwise);
            }
            Op::Extract { vector, lane } => {
                $visit(vector);
                $visit(lane);
            }
            Op::Insert { vector, lane, value } => {
                $visit(vector);
                $visit(lane);
                $visit(value);
            }
            Op::Load { address, .. } | Op::Clear { address, .. } => $visit(address),
            Op::Store { address, value, .. } => {
                $visit(address);
                $visit(value);
            }
            Op::Copy { to, from, .. } => {
                $visit(to);
                $visit(from);
            }
            Op::Element { base, index, .. } => {
                $visit(base);
                $visit(index);
            }
            Op::Field { base, .. } => $visit(base),
            Op::Call(call) => {
                if let Callee::Pointer { address, .. } = & $($mutable)? call.callee {
                    $visit(address);
                }
                call.arguments.$iter().for_each(|(argument, _)| $visit(argument));
                call.token.$iter().for_each($visit);
            }
        }
    };
}

impl Op {
    /// Calls `visit` with each operand, phi operands and tokens included.
    pub fn operands(&self, mut visit: impl FnMut(&ValueId)) {
        visit_operands!(self, visit, iter)
    }

    /// Calls `visit` with each operand, to replace it.
    pub fn operands_mut(&mut self, mut visit: impl FnMut(&mut ValueId)) {
        visit_operands!(self, visit, iter_mut, mut)
    }

    /// Whether it stands in no block.
    pub fn is_leaf(&self) -> bool {
        matches!(
            self,
            Op::Parameter(_)
                | Op::Constant(_)
                | Op::Slot(_)
                | Op::Global(_)
                | Op::Function(_)
                | Op::String(_)
        )
    }
}
