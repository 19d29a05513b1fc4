//! The control-flow graph of a function in SSA form. Every convergent operation carries a token.
//!
//! **Value**: the result of a parameter, constant or operation. An operation without a result is a value of type
//! `void`. **Block**: a sequence of operations with one terminator at its end. **Slot**: private memory of a thread,
//! for variables whose address is taken and for aggregates; all other variables are values. **Token**: a value of type
//! [`Ty::TOKEN`] that says which threads execute a convergent operation together (`convergent-operations.rst`).
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
//! A function is built in steps. A frontend builds a graph whose variables are read and written in place ([`Op::Get`],
//! [`Op::Set`]). [`loops`] finds the loops of the source, and [`heads`] redirects jumps into a loop through the head of
//! the loop. On request, [`dispatch`] makes irreducible cycles reducible. [`ssa`] converts variables to values.
//! [`tokens`] places tokens by the nesting of the source, or [`infer`] by the graph alone. [`verify`] checks the result
//! against the static rules. For targets that need it, [`exits`] gives each loop a single exit.

pub mod builder;
pub mod cycles;
pub mod dispatch;
pub mod dominators;
pub mod exits;
pub mod heads;
pub mod infer;
pub(crate) mod kind;
pub mod loops;
mod operation;
mod plan;
pub mod regions;
pub mod shape;
pub mod ssa;
pub mod tokens;
pub(crate) mod typing;
pub mod unknown;
pub mod verify;

pub use kind::{BlockKind, LoopStart};
pub use loops::{LoopId, SourceLoop};
pub use operation::{Call, Callee, Op, Token, Unknown};

use index_vec::{IndexVec, define_index_type};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use tangle_base::Symbol;
use tangle_base::{AddressSpace, Span};

use crate::key::FunctionKey;
use crate::nest::{CallId, StmtId};
use crate::types::{FunctionTy, Ty, TyKind};
use crate::value::Data;

define_index_type! {
    /// A basic block of one function. Block 0 is the entry, which no block jumps to.
    pub struct BlockId = u32;
}
define_index_type! {
    /// A value of one function.
    pub struct ValueId = u32;
}
define_index_type! {
    /// An object in private memory of one function.
    pub struct SlotId = u32;
}
define_index_type! {
    /// A variable of one function before SSA form.
    pub struct VariableId = u32;
}

/// The lowered functions and variables of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The path of the file, as the caller gave it.
    pub file: String,
    /// The functions in source order.
    pub functions: Vec<Function>,
    /// The variables in source order. The variables of a function precede the variables of the next one.
    pub globals: Vec<Global>,
}

/// A variable with one instance for the program or, in `local` memory, for each work-group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// The name, unique in the module: `name`, or `function.name` for a variable that a function declares.
    pub name: Symbol,
    /// The type of the variable.
    pub ty: Ty,
    /// The address space of the variable.
    pub space: AddressSpace,
    /// Whether the variable is never written.
    pub constant: bool,
    /// Whether the variable is not visible in other modules.
    pub internal: bool,
    /// Whether another module defines the variable.
    pub external: bool,
    /// The initial value. None: undefined for a variable in `local` memory or an external one; otherwise zero.
    pub initializer: Option<Data>,
}

/// A function: its signature and its graph. The ids of blocks, values, slots and variables are local to the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The key by which calls refer to the function.
    pub key: FunctionKey,
    /// Whether the host launches the function, for every thread of a grid.
    pub kernel: bool,
    /// Whether the function is `static` or `inline`, so that no other module calls it.
    pub internal: bool,
    /// The value of `reqd_work_group_size`.
    pub work_group_size: Option<[u32; 3]>,
    /// The value of `intel_reqd_sub_group_size`.
    pub sub_group_size: Option<u32>,
    /// Whether the function is convergent: it depends on the set of threads that call it together. Set when tokens are
    /// placed.
    pub convergent: bool,
    /// The result type. A record is written through the first parameter, see [`Passing::Result`].
    pub result: Ty,
    /// The parameters in the order of the arguments. A parameter with [`Passing::Result`] is first.
    pub parameters: Vec<Parameter>,
    /// The blocks: the entry first, the others in source order.
    pub blocks: IndexVec<BlockId, Block>,
    /// The values by number. The order has no meaning.
    pub values: IndexVec<ValueId, Value>,
    /// The objects in private memory. Each activation of the function has its own.
    pub slots: IndexVec<SlotId, Slot>,
    /// The variables. Empty in SSA form.
    pub variables: IndexVec<VariableId, Variable>,
    /// The loops of the source, outer loops first ([`loops`]). Debug data: the meaning of the graph does not depend on
    /// it.
    pub loops: IndexVec<LoopId, SourceLoop>,
    /// The backward jumps that make no goto cycle, in order. Debug data, too.
    pub non_cyclic_back_jumps: Box<[NonCyclicBackJump]>,
    /// The innermost statement that contains each call of the source. Debug data, too.
    pub calls: IndexVec<CallId, StmtId>,
    /// The calls for which the source does not define the set of threads that execute them together, in order. Each has
    /// the innermost statement that is marked `noconvergent`: threads that begin this statement together stay together
    /// in it.
    pub noconvergent_calls: Box<[(CallId, StmtId)]>,
    /// The location of the name in its declaration.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in the source. None if the parameter has no name.
    pub name: Option<Symbol>,
    /// The declared type: a record for [`Passing::Copy`] and [`Passing::Result`].
    pub ty: Ty,
    /// How the argument is passed.
    pub passing: Passing,
    /// The value with [`Op::Parameter`]. For a record, its address.
    pub value: ValueId,
    /// What kind of parameter the source has here.
    pub role: ParameterRole,
    /// The location of the name in the declaration.
    pub span: Span,
}

/// The kind of a parameter in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterRole {
    /// A declared parameter.
    Plain,
    /// The object of a method: a pointer to exactly one object, like a reference.
    Object,
    /// A variable that a lambda captures by reference. The captured variables of a lambda are distinct.
    Captured,
}

/// How an argument is passed to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// The value is the argument itself.
    Value,
    /// The argument is a record, and the value is the address of the callee's copy in private memory.
    Copy,
    /// The function returns a record. The value is the address of private memory of the caller for it.
    Result,
}

/// A variable of scalar, vector, pointer or opaque type whose address is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source.
    pub name: Option<Symbol>,
    /// The type of its values.
    pub ty: Ty,
    /// The location of the name in its declaration.
    pub span: Span,
}

/// An object in private memory of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The name of the variable in the source.
    pub name: Option<Symbol>,
    /// The type of the object.
    pub ty: Ty,
    /// The location of the name in its declaration.
    pub span: Span,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The construct of the source that begins with the block.
    pub kind: BlockKind,
    /// The name of the source label at the block. For a block without a source, its own name.
    pub label: Option<Symbol>,
    /// The operations in order, phis first.
    pub values: Vec<ValueId>,
    /// The jump at the end of the block.
    pub terminator: Terminator,
    /// The location of the terminator: the condition, the `return` or the jump.
    pub end: Span,
    /// The innermost statement that contains the beginning of the block.
    pub stmt: StmtId,
    /// The statement directly inside `stmt` that ends where the block begins. None if the block does not begin after a
    /// statement.
    pub after: Option<StmtId>,
    /// The `goto` or `switch` at the end of the block.
    pub jump: Option<Jump>,
    /// The innermost source loop around the block.
    pub source_loop: Option<LoopId>,
    /// Whether the block was inserted to redirect threads, and no statement of the source is in it.
    pub is_inserted: bool,
}

/// A `goto` or `switch` of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The statement.
    pub at: StmtId,
    /// The labels that it may jump to.
    pub labels: Box<[JumpTarget]>,
}

/// A backward jump that no thread reaches from its label. It makes no goto cycle, but it is an entry into the blocks
/// from the label to the jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonCyclicBackJump {
    /// The block of the label.
    pub first: BlockId,
    /// The block that ends with the jump.
    pub last: BlockId,
}

/// A label that a jump may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JumpTarget {
    /// The labelled statement.
    pub label: StmtId,
    /// The statement at whose end the threads of the jump stop being separate from others (*distinct until*,
    /// `docs/semantics.md` §2): the smallest statement that contains the jump and the label; for a `case`, the
    /// `switch`.
    pub distinct_until: StmtRange,
    /// The index of the label in the cases of the block's `switch` terminator. None if no case leads to the label: it
    /// is the `default`, its range is empty, or the jump is no `switch`.
    pub case: Option<u32>,
}

/// The range of statements that consists of one statement and all statements inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtRange {
    /// The outermost statement.
    pub first: StmtId,
    /// One past the last statement inside it.
    pub end: StmtId,
}

impl StmtRange {
    /// Returns whether the range contains a statement.
    pub fn contains(&self, stmt: StmtId) -> bool {
        (self.first..self.end).contains(&stmt)
    }
}

impl Jump {
    /// Returns the landing at a label, if the jump may lead to the label.
    pub fn to(&self, label: StmtId) -> Option<&JumpTarget> {
        self.labels.iter().find(|landing| landing.label == label)
    }
}

impl Block {
    /// Returns a block without operations that begins in a statement of the source.
    pub fn new(kind: BlockKind, stmt: StmtId, span: Span) -> Block {
        Block {
            kind,
            label: None,
            values: Vec::new(),
            terminator: Terminator::Unreachable,
            end: span,
            stmt,
            after: None,
            jump: None,
            source_loop: None,
            is_inserted: false,
        }
    }

    /// Returns a block without operations and without a source. Its name determines its kind, as in the text form
    /// ([`text`](crate::text)).
    pub fn named(name: &str) -> Block {
        let (kind, label) = kind::kind_of(name);
        Block { label, ..Block::new(kind, StmtId::new(0), Span::new(0, 0)) }
    }
}

/// The terminator of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Jumps to a block.
    Jump(BlockId),
    /// Jumps to one of two blocks.
    Branch {
        /// The condition, of type `bool`.
        condition: ValueId,
        /// The block for the condition 1.
        then: BlockId,
        /// The block for the condition 0.
        otherwise: BlockId,
    },
    /// Jumps to a block by the value of an integer. The ranges are inclusive and disjoint, in the type of `value`.
    Switch {
        /// The integer.
        value: ValueId,
        /// The first and the last number of each range, and the block for it.
        cases: Vec<(i128, i128, BlockId)>,
        /// The block for all other numbers.
        otherwise: BlockId,
    },
    /// Returns from the function, with its result.
    Return(Option<ValueId>),
    /// No thread reaches this point.
    Unreachable,
}

impl Terminator {
    /// Returns the blocks that may follow, in order. A block may occur more than once.
    pub fn successors(&self) -> SmallVec<[BlockId; 2]> {
        match self {
            Terminator::Jump(target) => smallvec![*target],
            Terminator::Branch { then, otherwise, .. } => smallvec![*then, *otherwise],
            Terminator::Switch { cases, otherwise, .. } => {
                cases.iter().map(|&(.., block)| block).chain([*otherwise]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable => SmallVec::new(),
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

    /// Returns the value that the terminator uses.
    pub fn operand(&self) -> Option<ValueId> {
        match self {
            Terminator::Branch { condition: value, .. } | Terminator::Switch { value, .. } => Some(*value),
            Terminator::Return(value) => *value,
            Terminator::Jump(_) | Terminator::Unreachable => None,
        }
    }

    /// Returns the value that the terminator uses, to replace it.
    pub fn operand_mut(&mut self) -> Option<&mut ValueId> {
        match self {
            Terminator::Branch { condition: value, .. } | Terminator::Switch { value, .. } => Some(value),
            Terminator::Return(value) => value.as_mut(),
            Terminator::Jump(_) | Terminator::Unreachable => None,
        }
    }
}

/// A value of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The operation that computes it.
    pub op: Op,
    /// The type of the result. `void`: the operation has no result.
    pub ty: Ty,
    /// The name of the source variable that holds it.
    pub name: Option<Symbol>,
    /// The location in the source.
    pub span: Span,
}

/// The reason why a function is not lowered, or why no LLVM IR is emitted for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLowered {
    /// The function. None if the reason is in a variable of the module.
    pub function: Option<FunctionKey>,
    /// The location of the reason.
    pub span: Span,
    /// The reason: the text that follows "cannot lower `f`: ".
    pub reason: String,
}

impl Module {
    /// Returns the functions of the module that some functions call or refer to, directly or indirectly, including
    /// themselves.
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
    /// The block at which each activation of the function begins.
    pub const ENTRY: BlockId = BlockId { _raw: 0 };

    /// Returns a function without blocks and parameters, which other modules may call.
    pub fn new(key: FunctionKey, result: Ty) -> Function {
        Function {
            key,
            kernel: false,
            internal: false,
            work_group_size: None,
            sub_group_size: None,
            convergent: false,
            result,
            parameters: Vec::new(),
            blocks: IndexVec::new(),
            values: IndexVec::new(),
            slots: IndexVec::new(),
            variables: IndexVec::new(),
            loops: IndexVec::new(),
            non_cyclic_back_jumps: Box::default(),
            calls: IndexVec::new(),
            noconvergent_calls: Box::default(),
            span: Span::new(0, 0),
        }
    }

    /// Returns the function type as declared: without the parameter for the address of a returned record.
    pub fn declared_type(&self) -> Ty {
        let parameters = self.parameters.iter().filter(|parameter| parameter.passing != Passing::Result);
        Ty::new(TyKind::Function(Box::new(FunctionTy {
            result: self.result,
            parameters: parameters.map(|parameter| parameter.ty).collect(),
            variadic: false,
        })))
    }

    /// Whether the result of an operation depends only on its operands. That of an unknown value also depends on the
    /// operator, which is unknown.
    pub fn is_pure(&self, id: ValueId) -> bool {
        match &self.values[id].op {
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Convert { .. }
            | Op::Select { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Element { .. }
            | Op::Field { .. } => true,
            Op::Unknown { what, .. } => {
                matches!(what, Unknown::Arithmetic(_) | Unknown::Compare(_)) || self.is_same_number(id)
            }
            _ => false,
        }
    }

    /// Returns whether an operation converts an integer to the unknown type, or a value of unknown type to an integer.
    /// Its result is then assumed to be the same number. For a part of an unknown value this does not hold: both have
    /// the unknown type, but the part is another number.
    pub fn is_same_number(&self, id: ValueId) -> bool {
        let value = &self.values[id];
        match &value.op {
            Op::Unknown { what: Unknown::Value, operands } => match **operands {
                [of] => {
                    let from = self.values[of].ty;
                    from.is_unknown() && value.ty.as_integer().is_some()
                        || from.as_integer().is_some() && value.ty.is_unknown()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns the predecessors of each block, ordered by number. A predecessor with two edges to the block occurs
    /// twice.
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
