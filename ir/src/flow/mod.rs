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
//! [`loops`] finds the loops of its source; [`heads`] leads threads that jump into a loop through its head; [`dispatch`], if asked for, makes irreducible cycles reducible; [`ssa`] turns variables into values; [`tokens`]
//! places tokens by how the source nests (or [`infer`] from the graph alone); [`verify`] holds the result against the static rules.
//! For a machine whose code generator asks for it, [`exits`] gives loops one way out.

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

pub use kind::{Begins, BlockKind};
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
    /// Of what it holds.
    pub ty: Ty,
    /// The memory that it is in.
    pub space: AddressSpace,
    /// Nothing writes it.
    pub constant: bool,
    /// No other module knows it.
    pub internal: bool,
    /// Defined by another module.
    pub external: bool,
    /// None: in `local` memory, or external: undefined; elsewhere zero.
    pub initializer: Option<Data>,
}

/// A function: what callers know, and its graph. Ids of blocks, values, slots and variables are those of this function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// By what calls name it.
    pub key: FunctionKey,
    /// Launched from outside, for every thread of a grid.
    pub kernel: bool,
    /// `static` or `inline`: no other module calls it.
    pub internal: bool,
    /// Of `reqd_work_group_size`.
    pub work_group_size: Option<[u32; 3]>,
    /// Of `intel_reqd_sub_group_size`.
    pub sub_group_size: Option<u32>,
    /// Whether the threads that call it together matter to it. Known once tokens are placed.
    pub convergent: bool,
    /// The result; of record type: written through the first parameter, see [`Passing::Result`].
    pub result: Ty,
    /// In the order of the arguments; one with [`Passing::Result`] first.
    pub parameters: Vec<Parameter>,
    /// The entry first, then in source order.
    pub blocks: IndexVec<BlockId, Block>,
    /// By number, in no particular order.
    pub values: IndexVec<ValueId, Value>,
    /// Private memory, one for each activation of the function.
    pub slots: IndexVec<SlotId, Slot>,
    /// Empty in SSA form.
    pub variables: IndexVec<VariableId, Variable>,
    /// The loops of the source, from the outside in ([`loops`]). Debug data, as far as the graph itself goes.
    pub loops: IndexVec<LoopId, SourceLoop>,
    /// The jumps back that lead into no goto cycle, in order. Debug data, too.
    pub entering: Box<[Entering]>,
    /// The statement that contains each call of the source. Debug data, too.
    pub calls: IndexVec<CallId, StmtId>,
    /// The calls for which the source leaves it open who executes them together, in order, each with the innermost statement that says so
    /// (`noconvergent`): those who begin it together stay together in it.
    pub opportunistic: Box<[(CallId, StmtId)]>,
    /// The name of the function in its declaration.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name in the source.
    pub name: Option<Symbol>,
    /// As declared: a record, for [`Passing::Copy`] and [`Passing::Result`].
    pub ty: Ty,
    /// How its argument comes.
    pub passing: Passing,
    /// The value with [`Op::Parameter`]; of pointer type for records.
    pub value: ValueId,
    /// Whether it is the object of a method: a pointer that leads to one object, as a reference does.
    pub is_object: bool,
    /// Its name in the declaration.
    pub span: Span,
}

/// How an argument comes to its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// The argument is the value.
    Value,
    /// A record: the value is the address of the callee's own copy, in private memory.
    Copy,
    /// The record that the function returns: the address of private memory of the caller.
    Result,
}

/// A variable of scalar, vector, pointer or opaque type whose address is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source.
    pub name: Option<Symbol>,
    /// Of the values that it holds.
    pub ty: Ty,
    /// The name in its declaration.
    pub span: Span,
}

/// Private memory of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The name of the variable in the source.
    pub name: Option<Symbol>,
    /// Of the object in it.
    pub ty: Ty,
    /// The name in its declaration.
    pub span: Span,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What the block is in the source.
    pub kind: BlockKind,
    /// The label in the source, if it is one; of a block without a source, its name.
    pub label: Option<Symbol>,
    /// Phis first.
    pub values: Vec<ValueId>,
    /// Where it leads.
    pub terminator: Terminator,
    /// Where the terminator comes from: the condition, the `return`, the jump.
    pub end: Span,
    /// The statement that the block begins in.
    pub stmt: StmtId,
    /// The last statement in that one behind which it begins. None: it begins elsewhere.
    pub behind: Option<StmtId>,
    /// The `goto` or `switch` with which it ends.
    pub jump: Option<Jump>,
    /// The innermost loop of the source around it.
    pub within: Option<LoopId>,
    /// No statement is behind it: it leads threads on.
    pub detour: bool,
}

/// A `goto` or `switch` of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The statement.
    pub at: StmtId,
    /// The labels to which it may lead.
    pub labels: Box<[Landing]>,
}

/// A jump back to a label from which no thread comes to it: no goto cycle, but one way into what stands between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entering {
    /// The block of the label.
    pub first: BlockId,
    /// The block that ends with the jump.
    pub last: BlockId,
}

/// A label to which a jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The labelled statement.
    pub label: StmtId,
    /// How far threads that come by the jump stay apart from others: the smallest statement that holds jump and label, for a `case` the `switch`
    /// (`docs/semantics.md` §2).
    pub extent: Extent,
    /// The number of the case of the block's `switch` that leads there; None: what leads there is every other number, or it is no `switch`.
    pub case: Option<u32>,
}

/// The statements of one statement: itself and all inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Extent {
    /// Itself.
    pub first: StmtId,
    /// One past the last.
    pub end: StmtId,
}

impl Extent {
    /// Whether a statement is among them.
    pub fn contains(&self, stmt: StmtId) -> bool {
        (self.first..self.end).contains(&stmt)
    }
}

impl Jump {
    /// The landing at a label, if it may lead there.
    pub fn to(&self, label: StmtId) -> Option<&Landing> {
        self.labels.iter().find(|landing| landing.label == label)
    }
}

impl Block {
    /// A block without operations, of a statement of the source.
    pub fn new(kind: BlockKind, stmt: StmtId, span: Span) -> Block {
        Block {
            kind,
            label: None,
            values: Vec::new(),
            terminator: Terminator::Unreachable,
            end: span,
            stmt,
            behind: None,
            jump: None,
            within: None,
            detour: false,
        }
    }

    /// A block without operations that no statement of a source is behind. Its name says of what kind it is, as in the text ([`text`](crate::text)).
    pub fn named(name: &str) -> Block {
        let (kind, label) = kind::kind_of(name);
        Block { label, ..Block::new(kind, StmtId::new(0), Span::new(0, 0)) }
    }
}

/// What ends a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// To the one block that follows.
    Jump(BlockId),
    /// The condition is a `bool`.
    Branch {
        /// A `bool`.
        condition: ValueId,
        /// Where it leads if the condition is 1.
        then: BlockId,
        /// Where it leads if the condition is 0.
        otherwise: BlockId,
    },
    /// Ranges with both ends included, disjoint; in the type of `value`, an integer.
    Switch {
        /// An integer.
        value: ValueId,
        /// The first and the last number of each range, and where it leads.
        cases: Vec<(i128, i128, BlockId)>,
        /// Where every other number leads.
        otherwise: BlockId,
    },
    /// Out of the function, with its result.
    Return(Option<ValueId>),
    /// No thread comes here.
    Unreachable,
}

impl Terminator {
    /// The blocks that may follow, in order; one may stand twice.
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

    /// The value that it looks at.
    pub fn operand(&self) -> Option<ValueId> {
        match self {
            Terminator::Branch { condition: value, .. } | Terminator::Switch { value, .. } => Some(*value),
            Terminator::Return(value) => *value,
            Terminator::Jump(_) | Terminator::Unreachable => None,
        }
    }

    /// The value that it looks at, to replace it.
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
    /// What yields it.
    pub op: Op,
    /// `void`: yields nothing.
    pub ty: Ty,
    /// The variable that holds it in the source.
    pub name: Option<Symbol>,
    /// Where it comes from.
    pub span: Span,
}

/// Why a function is not lowered, or nothing can be emitted for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLowered {
    /// None: a variable of the module.
    pub function: Option<FunctionKey>,
    /// Where the reason stands.
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
    /// The block that each activation of the function begins with.
    pub const ENTRY: BlockId = BlockId { _raw: 0 };

    /// A function without blocks and parameters, which other modules may call.
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
            entering: Box::default(),
            calls: IndexVec::new(),
            opportunistic: Box::default(),
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

    /// Whether an operation gives an integer an unknown type, or something of an unknown type the type of an integer. Then
    /// its result is taken for the same number. A part of something unknown has an unknown type as the whole has, and is
    /// another number.
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
