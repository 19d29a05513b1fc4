//! Builds functions operation by operation, and checks each operation against the type rules at the point of use.
//!
//! The builder appends to the end of the current block. The type of a result follows from the operands. An operation
//! that violates a rule of the [verifier](super::verify) causes a panic that names the rule, at the line of the caller.
//! A frontend that cannot exclude this calls [`try_op`](Builder::try_op).
//!
//! Variables can be read and written in place ([`get`](Builder::get), [`set`](Builder::set));
//! [`ssa::construct`](super::ssa::construct) converts them to values.
//!
//! ```
//! use tangle_ir::flow::builder::Builder;
//! use tangle_ir::flow::verify::verify;
//! use tangle_ir::flow::{infer, ssa};
//! use tangle_ir::text;
//! use tangle_ir::types::Ty;
//! use tangle_ir::value::{Arithmetic, Comparison};
//!
//! let mut b = Builder::new("count", Ty::VOID);
//! let n = b.parameter("n", Ty::INT);
//! let i = b.variable("i", Ty::INT);
//! let (head, body, end) = (b.block("while.cond"), b.block("while.body"), b.block("while.end"));
//! let zero = b.integer(Ty::INT, 0);
//! b.set(i, zero);
//! b.jump(head);
//! b.at(head);
//! let now = b.get(i);
//! let more = b.compare(Comparison::Less, now, n);
//! b.branch(more, body, end);
//! b.at(body);
//! b.convergent_builtin("barrier", Ty::VOID, &[]);
//! let (now, one) = (b.get(i), b.integer(Ty::INT, 1));
//! let next = b.binary(Arithmetic::Add, now, one);
//! b.set(i, next);
//! b.jump(head);
//! b.at(end);
//! b.ret(None);
//! let mut function = b.finish();
//!
//! let shape = ssa::construct(&mut function);
//! infer::infer(&mut function, &shape);
//! assert_eq!(verify(&function), []);
//! assert_eq!(text::print(&function), "\
//! function count(%n: int) convergent {
//! entry:
//!   %0 = entry
//!   jump while.cond
//! while.cond:
//!   %i = phi int [entry: 0], [while.body: %i.1]
//!   %1 = loop with %0
//!   %2 = lt %i, %n
//!   branch %2, while.body, while.end
//! while.body:
//!   call barrier() with %1
//!   %i.1 = add %i, 1
//!   jump while.cond
//! while.end:
//!   return
//! }
//! ");
//! ```

use tangle_base::{AddressSpace, Span, Symbol};

use super::typing::{self, TypeOrigin};
use super::verify::{Rule, end_breaks, operation_breaks};
use super::{
    Block, BlockId, Call, Callee, Function, Op, Parameter, ParameterRole, Passing, Slot, Terminator, Token,
    Value, ValueId, Variable, VariableId,
};
use crate::key::FunctionKey;
use crate::types::{FunctionTy, Ty, TyKind};
use crate::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};

const NO_SPAN: Span = Span { start: 0, end: 0 };

/// A function under construction. See the [module](self).
pub struct Builder {
    function: Function,
    block: BlockId,
    span: Span,
}

impl Builder {
    /// Creates a function with an empty entry block, which becomes the current block. The key of the function is the
    /// name alone.
    pub fn new(name: &str, result: Ty) -> Builder {
        let mut function = Function::new(FunctionKey::plain(Symbol::intern(name)), result);
        function.blocks.push(Block::named("entry"));
        Builder { function, block: Function::ENTRY, span: NO_SPAN }
    }

    /// Returns the function built so far, to inspect it, or to set properties without a method here: kernel,
    /// convergent.
    pub fn function(&mut self) -> &mut Function {
        &mut self.function
    }

    /// Returns the function. A block without a terminator ends with `unreachable`. The verifier checks the rules about
    /// the whole graph.
    pub fn finish(self) -> Function {
        self.function
    }

    /// Sets the source location of all following items.
    pub fn place(&mut self, span: Span) {
        self.span = span;
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: ValueId) -> Ty {
        self.function.values[value].ty
    }

    /// Adds a parameter that is passed by value.
    #[track_caller]
    pub fn parameter(&mut self, name: &str, ty: Ty) -> ValueId {
        self.passed(name, ty, Passing::Value)
    }

    /// Adds a parameter. If it is not passed by value, the returned value is its address in private memory.
    #[track_caller]
    pub fn passed(&mut self, name: &str, ty: Ty, passing: Passing) -> ValueId {
        let number = u32::try_from(self.function.parameters.len()).expect("fewer than 2^32 parameters");
        let of = if passing == Passing::Value { ty } else { Ty::pointer(ty, AddressSpace::Private) };
        let value = self.op(Op::Parameter(number), of);
        let name = symbol(name);
        self.function.parameters.push(Parameter {
            name,
            ty,
            passing,
            value,
            role: ParameterRole::Plain,
            span: self.span,
        });
        value
    }

    /// Adds an object in private memory, and returns its address.
    #[track_caller]
    pub fn slot(&mut self, name: &str, ty: Ty) -> ValueId {
        let slot = self.function.slots.push(Slot { name: symbol(name), ty, span: self.span });
        self.op(Op::Slot(slot), Ty::pointer(ty, AddressSpace::Private))
    }

    /// Adds a variable that is read and written in place.
    pub fn variable(&mut self, name: &str, ty: Ty) -> VariableId {
        self.function.variables.push(Variable { name: symbol(name), ty, span: self.span })
    }

    /// Adds a block; [`at`](Builder::at) makes it the current block. Its name determines its kind: [`Block::named`].
    pub fn block(&mut self, name: &str) -> BlockId {
        self.function.blocks.push(Block::named(name))
    }

    /// Makes a block the current block: operations are appended to its end.
    pub fn at(&mut self, block: BlockId) {
        self.block = block;
    }

    /// Returns the current block.
    pub fn here(&self) -> BlockId {
        self.block
    }

    /// Gives a value the name of a source variable, for printers.
    pub fn name(&mut self, value: ValueId, name: &str) {
        self.function.values[value].name = symbol(name);
    }

    /// Appends an operation to the current block, or adds a value that is in no block.
    ///
    /// # Errors
    ///
    /// The first rule that the operation violates.
    pub fn try_op(&mut self, op: Op, ty: Ty) -> Result<ValueId, Rule> {
        let mut known = true;
        op.operands(|operand| known &= operand.index() < self.function.values.len());
        if !known {
            return Err(Rule::Operands);
        }
        if let Some(rule) = operation_breaks(&self.function, &op, ty) {
            return Err(rule);
        }
        let is_leaf = op.is_leaf();
        let value = self.function.values.push(Value { op, ty, name: None, span: self.span });
        if !is_leaf {
            self.function.blocks[self.block].values.push(value);
        }
        Ok(value)
    }

    /// Does the same as [`try_op`](Builder::try_op), but panics instead of returning an error.
    ///
    /// # Panics
    ///
    /// If the operation violates a rule.
    #[track_caller]
    pub fn op(&mut self, op: Op, ty: Ty) -> ValueId {
        match self.try_op(op, ty) {
            Ok(value) => value,
            Err(rule) => refuse(rule),
        }
    }

    /// Appends an operation whose operands determine its type.
    #[track_caller]
    fn inferred_op(&mut self, op: Op) -> ValueId {
        let ty = match typing::source(&op) {
            TypeOrigin::Fixed(ty) => ty,
            TypeOrigin::Operand(operand) => typing::from(&op, self.ty(operand)),
            TypeOrigin::Explicit => Ty::UNKNOWN,
        };
        self.op(op, ty)
    }

    /// Returns a constant.
    #[track_caller]
    pub fn constant(&mut self, ty: Ty, constant: Constant) -> ValueId {
        self.op(Op::Constant(constant), ty)
    }

    /// Returns a number of an integer type or `bool`, which must be in the range of the type.
    #[track_caller]
    pub fn integer(&mut self, ty: Ty, number: i128) -> ValueId {
        self.constant(ty, Constant::Integer(number))
    }

    /// Negates a number, or inverts all bits.
    #[track_caller]
    pub fn unary(&mut self, op: UnaryOp, operand: ValueId) -> ValueId {
        self.inferred_op(Op::Unary { op, operand })
    }

    /// Applies an operation to two values of one type.
    #[track_caller]
    pub fn binary(&mut self, op: Arithmetic, left: ValueId, right: ValueId) -> ValueId {
        self.inferred_op(Op::Binary { op, left, right })
    }

    /// Compares two values of one type. Returns a `bool`, or for vectors a vector of integers that are 0 or -1.
    #[track_caller]
    pub fn compare(&mut self, op: Comparison, left: ValueId, right: ValueId) -> ValueId {
        self.inferred_op(Op::Compare { op, left, right })
    }

    /// Converts a value to another type.
    #[track_caller]
    pub fn convert(&mut self, conversion: Conversion, operand: ValueId, to: Ty) -> ValueId {
        self.op(Op::Convert { conversion, operand }, to)
    }

    /// Chooses one of two values of one type.
    #[track_caller]
    pub fn select(&mut self, condition: ValueId, then: ValueId, otherwise: ValueId) -> ValueId {
        self.inferred_op(Op::Select { condition, then, otherwise })
    }

    /// Loads a value from memory, with the natural alignment of its type.
    #[track_caller]
    pub fn load(&mut self, ty: Ty, address: ValueId) -> ValueId {
        self.op(Op::Load { address, volatile: false, align: align(ty) }, ty)
    }

    /// Stores a value to memory, with the natural alignment of its type.
    #[track_caller]
    pub fn store(&mut self, value: ValueId, address: ValueId) {
        let align = align(self.ty(value));
        self.inferred_op(Op::Store { address, value, volatile: false, align });
    }

    /// Returns the address of an element, given the address `base` of the first element.
    #[track_caller]
    pub fn element(&mut self, element: Ty, base: ValueId, index: ValueId) -> ValueId {
        self.inferred_op(Op::Element { base, index, element })
    }

    /// Returns the address of a field of the record at `base`, by its number.
    #[track_caller]
    pub fn field(&mut self, record: Ty, base: ValueId, field: u32) -> ValueId {
        self.inferred_op(Op::Field { base, record, field })
    }

    /// Reads a variable.
    #[track_caller]
    pub fn get(&mut self, variable: VariableId) -> ValueId {
        let ty = self.function.variables[variable].ty;
        self.op(Op::Get(variable), ty)
    }

    /// Writes a variable.
    #[track_caller]
    pub fn set(&mut self, variable: VariableId, value: ValueId) {
        self.inferred_op(Op::Set(variable, value));
    }

    /// Appends a phi. Its operands are added later, by [`incoming`](Builder::incoming).
    #[track_caller]
    pub fn phi(&mut self, ty: Ty) -> ValueId {
        self.op(Op::Phi(Vec::new()), ty)
    }

    /// Adds the operand of a phi for threads that come from a block.
    ///
    /// # Panics
    ///
    /// If the value is not a phi, or the operand has another type.
    #[track_caller]
    pub fn incoming(&mut self, phi: ValueId, from: BlockId, operand: ValueId) {
        let mut op = self.function.values[phi].op.clone();
        let Op::Phi(incoming) = &mut op else { panic!("the value is not a phi") };
        incoming.push((from, operand));
        if let Some(rule) = operation_breaks(&self.function, &op, self.ty(phi)) {
            refuse(rule);
        }
        self.function.values[phi].op = op;
    }

    /// Calls a function or builtin with arguments that are passed by value. The type of the callee determines
    /// parameters and result.
    #[track_caller]
    pub fn call(&mut self, callee: Callee, arguments: &[ValueId]) -> ValueId {
        self.called(callee, arguments, false, None)
    }

    /// Does the same for a convergent callee: it matters which threads call it together. Tokens are placed later.
    #[track_caller]
    pub fn convergent_call(&mut self, callee: Callee, arguments: &[ValueId]) -> ValueId {
        self.called(callee, arguments, true, None)
    }

    /// Does the same; a token says which threads execute the call together.
    #[track_caller]
    pub fn controlled_call(&mut self, callee: Callee, arguments: &[ValueId], token: ValueId) -> ValueId {
        self.called(callee, arguments, true, Some(token))
    }

    /// Calls a builtin of the language. Its parameter types are the types of the arguments.
    #[track_caller]
    pub fn builtin(&mut self, name: &str, result: Ty, arguments: &[ValueId]) -> ValueId {
        let callee = self.callee(name, result, arguments);
        self.call(callee, arguments)
    }

    /// Does the same for a convergent builtin.
    #[track_caller]
    pub fn convergent_builtin(&mut self, name: &str, result: Ty, arguments: &[ValueId]) -> ValueId {
        let callee = self.callee(name, result, arguments);
        self.convergent_call(callee, arguments)
    }

    fn callee(&self, name: &str, result: Ty, arguments: &[ValueId]) -> Callee {
        let parameters = arguments.iter().map(|&argument| self.ty(argument)).collect();
        let ty = Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic: false })));
        Callee::Builtin { name: Symbol::intern(name), ty }
    }

    #[track_caller]
    fn called(
        &mut self,
        callee: Callee,
        arguments: &[ValueId],
        convergent: bool,
        token: Option<ValueId>,
    ) -> ValueId {
        let result = callee.ty().as_function().map_or(Ty::UNKNOWN, |function| function.result);
        let arguments = arguments.iter().map(|&argument| (argument, Passing::Value)).collect();
        self.op(Op::Call(Call { callee, arguments, call: None, convergent, token }), result)
    }

    /// Appends `entry`: the token of the threads that entered the function together.
    #[track_caller]
    pub fn entry(&mut self) -> ValueId {
        self.inferred_op(Op::Token(Token::Entry))
    }

    /// Appends `anchor`: a token of any set of threads that the implementation brings here together.
    #[track_caller]
    pub fn anchor(&mut self) -> ValueId {
        self.inferred_op(Op::Token(Token::Anchor))
    }

    /// Appends the heart of a cycle: the token of the threads that are in the same iteration.
    #[track_caller]
    pub fn heart(&mut self, parent: ValueId) -> ValueId {
        self.inferred_op(Op::Token(Token::Loop(parent)))
    }

    /// Ends the current block.
    ///
    /// # Panics
    ///
    /// If the terminator violates a rule.
    #[track_caller]
    pub fn end(&mut self, terminator: Terminator) {
        if let Some(rule) = end_breaks(&self.function, &terminator) {
            refuse(rule);
        }
        let block = &mut self.function.blocks[self.block];
        (block.terminator, block.end) = (terminator, self.span);
    }

    /// Ends the current block with a jump.
    #[track_caller]
    pub fn jump(&mut self, to: BlockId) {
        self.end(Terminator::Jump(to));
    }

    /// Ends the current block with a branch. The condition is a `bool`.
    #[track_caller]
    pub fn branch(&mut self, condition: ValueId, then: BlockId, otherwise: BlockId) {
        self.end(Terminator::Branch { condition, then, otherwise });
    }

    /// Ends the current block with a `switch` on an integer. Cases are inclusive ranges.
    #[track_caller]
    pub fn switch(&mut self, value: ValueId, cases: &[(i128, i128, BlockId)], otherwise: BlockId) {
        self.end(Terminator::Switch { value, cases: cases.to_vec(), otherwise });
    }

    /// Ends the current block with a return, of a value if the function has a result.
    #[track_caller]
    pub fn ret(&mut self, value: Option<ValueId>) {
        self.end(Terminator::Return(value));
    }
}

fn symbol(name: &str) -> Option<Symbol> {
    (!name.is_empty()).then(|| Symbol::intern(name))
}

/// Returns the alignment of a type in bytes. A type without a layout has alignment 1.
fn align(ty: Ty) -> u32 {
    typing::natural_align(ty).unwrap_or(1)
}

#[track_caller]
fn refuse(rule: Rule) -> ! {
    let row = rule.row();
    panic!("this violates the rule `{}`: {}", row.name, row.demands)
}
