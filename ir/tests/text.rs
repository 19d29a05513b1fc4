//! The text of a flow graph reads back as the printed graph. Any other text is rejected with a location.

use proptest::prelude::*;
use tangle_ir::flow::verify::verify;
use tangle_ir::flow::{
    Block, BlockId, BlockKind, Call, Callee, Function, Global, Module, Op, Parameter, ParameterRole, Passing,
    Slot, Terminator, Token, Unknown, Value, ValueId,
};
use tangle_ir::key::{
    Candidates, DeclaringScope, FunctionKey, InstanceArgument, InstanceArguments, UnresolvedCallee,
};
use tangle_ir::nest::StmtId;
use tangle_ir::text::{normal, print, print_module, read, read_module};
use tangle_ir::types::{
    Definition, Field, FunctionTy, Opaque, Pointer, Record, RecordName, TemplateArgument, Ty, TyKind,
    VectorAbi,
};
use tangle_ir::value::{Arithmetic, Comparison, Constant, Conversion, Data, UnaryOp};
use tangle_ir::{Access, AddressSpace, Namespace, Span, Symbol};

const NAMES: [&str; 8] = ["x", "y", "if", "int", "operator+", "x.1", "7", "größe\n"];
/// A source of choices: random numbers first, then zeros.
struct Choices(std::vec::IntoIter<u32>);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % count
    }

    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn symbol(&mut self) -> Symbol {
        Symbol::intern(self.of(&NAMES))
    }

    fn scalar(&mut self) -> Ty {
        self.of(&[Ty::INT, Ty::UINT, Ty::LONG, Ty::UCHAR, Ty::FLOAT, Ty::DOUBLE, Ty::HALF])
    }

    fn value_type(&mut self) -> Ty {
        match self.below(4) {
            0 => {
                let abi = self.of(&[VectorAbi::OpenCl, VectorAbi::Cuda, VectorAbi::Hip]);
                Ty::vector_of(abi, self.scalar(), [2, 3, 4, 8, 16][self.below(5)])
            }
            1 => self.pointer(3),
            _ => self.scalar(),
        }
    }

    fn pointer(&mut self, depth: u32) -> Ty {
        let pointee = self.ty(depth);
        let space = self.of(&AddressSpace::ALL);
        let (constant, volatile, restrict) = (self.yes(), self.yes(), self.yes());
        Ty::new(TyKind::Pointer(Pointer { pointee, space, constant, volatile, restrict, reference: false }))
    }

    fn ty(&mut self, depth: u32) -> Ty {
        let Some(depth) = depth.checked_sub(1) else { return self.scalar() };
        match self.below(11) {
            0 => self.pointer(depth),
            1 => {
                let element = self.ty(depth);
                let length = if self.yes() { Some(self.below(100) as u64) } else { None };
                Ty::array(element, length)
            }
            2 => {
                let result = self.ty(depth);
                let parameters = (0..self.below(4)).map(|_| self.ty(depth)).collect();
                let variadic = self.yes();
                Ty::new(TyKind::Function(Box::new(FunctionTy { result, parameters, variadic })))
            }
            3 => self.record(depth),
            4 => Ty::new(TyKind::Atomic(self.ty(depth))),
            5 => Ty::new(TyKind::BlockPointer(self.ty(depth))),
            6 => {
                let access = self.of(&[Access::ReadOnly, Access::WriteOnly, Access::ReadWrite]);
                Ty::new(TyKind::Opaque(match self.below(3) {
                    0 => Opaque::Image { name: self.symbol(), access },
                    1 => Opaque::Pipe { packet: self.ty(depth), access },
                    _ => Opaque::ReserveId,
                }))
            }
            7 => self.of(&[Ty::UNKNOWN, Ty::new(TyKind::Parameter(12))]),
            8 => Ty::vector(self.scalar(), 3),
            9 => Ty::BOOL,
            _ => self.scalar(),
        }
    }

    fn record(&mut self, depth: u32) -> Ty {
        let fields = (0..self.below(4)).map(|_| Field {
            name: if self.yes() { Some(self.symbol()) } else { None },
            ty: self.ty(depth),
            bits: if self.yes() { Some(self.below(8) as u32) } else { None },
            constant: self.yes(),
            volatile: self.yes(),
            packed: self.yes(),
            align: if self.yes() { Some(8) } else { None },
        });
        let fields = fields.collect();
        let definition = Definition {
            fields,
            packed: self.yes(),
            pack: if self.yes() { Some(2) } else { None },
            align: if self.yes() { Some(16) } else { None },
        };
        Ty::new(TyKind::Record(Box::new(Record {
            union: self.yes(),
            tag: if self.yes() { Some(self.class(depth)) } else { None },
            definition: if self.below(4) == 0 { None } else { Some(definition) },
        })))
    }

    fn namespace(&mut self) -> Namespace {
        (0..self.below(3)).fold(Namespace::GLOBAL, |around, _| around.child(self.symbol()))
    }

    fn class(&mut self, depth: u32) -> RecordName {
        let arguments = (0..self.below(3)).map(|_| match self.below(5) {
            0 => TemplateArgument::Any,
            1 => TemplateArgument::Other,
            2 => TemplateArgument::Number(self.below(100) as i128 - 50),
            3 => TemplateArgument::Parameter(self.below(3) as u32),
            _ => TemplateArgument::Type(self.ty(depth)),
        });
        let arguments = arguments.collect();
        RecordName::new(self.namespace(), self.symbol(), arguments)
    }

    fn constant(&mut self, ty: Ty) -> Constant {
        match (self.below(5), ty.as_vector(), ty.as_float()) {
            (0, ..) => Constant::Zero,
            (1, ..) => Constant::Undefined,
            (_, Some((element, lanes)), _) => {
                Constant::Vector((0..lanes).map(|_| self.constant(element)).collect())
            }
            (_, None, Some(_)) => {
                let bits =
                    u64::from(self.0.next().unwrap_or(0)) << 32 | u64::from(self.0.next().unwrap_or(0));
                Constant::Float(self.of(&[
                    bits,
                    0,
                    1.5f64.to_bits(),
                    f64::NEG_INFINITY.to_bits(),
                    f64::NAN.to_bits(),
                ]))
            }
            _ => Constant::Integer(i128::from(self.0.next().unwrap_or(0)) - 1000),
        }
    }
}

/// Builds a function with matching types. It need not satisfy the rules of SSA form.
struct Maker {
    choices: Choices,
    function: Function,
    /// The values that later operations may use.
    known: Vec<ValueId>,
    block: BlockId,
}

impl Maker {
    fn new(choices: Choices) -> Maker {
        let function = Function::new(FunctionKey::plain(Symbol::intern("f")), Ty::INT);
        Maker { choices, function, known: Vec::new(), block: BlockId::new(0) }
    }

    fn value(&mut self, op: Op, ty: Ty, name: Option<Symbol>) -> ValueId {
        self.function.values.push(Value { op, ty, name, span: Span::new(3, 4) })
    }

    fn push(&mut self, op: Op, ty: Ty) -> ValueId {
        let name = if self.choices.yes() { Some(self.choices.symbol()) } else { None };
        let value = self.value(op, ty, name);
        self.function.blocks[self.block].values.push(value);
        if !ty.is_void() {
            self.known.push(value);
        }
        value
    }

    /// Returns a value of this type: an existing one, or a constant.
    fn of(&mut self, ty: Ty) -> ValueId {
        let fitting: Vec<ValueId> =
            self.known.iter().copied().filter(|&value| self.function.values[value].ty == ty).collect();
        if fitting.is_empty() || self.choices.below(3) == 0 {
            let constant = self.choices.constant(ty);
            return self.value(Op::Constant(constant), ty, None);
        }
        self.choices.of(&fitting)
    }

    fn address(&mut self) -> ValueId {
        match self.choices.below(5) {
            0 => {
                let bytes: Box<[u8]> =
                    (0..self.choices.below(5)).map(|_| self.choices.below(256) as u8).collect();
                let ty = Ty::pointer(Ty::array(Ty::CHAR, Some(bytes.len() as u64)), AddressSpace::Constant);
                self.value(Op::String(bytes), ty, None)
            }
            1 => {
                let (name, ty) =
                    (self.choices.symbol(), Ty::pointer(self.choices.scalar(), AddressSpace::Global));
                self.value(Op::Global(name), ty, None)
            }
            2 => {
                let slot =
                    Slot { name: Some(self.choices.symbol()), ty: self.choices.ty(3), span: Span::new(1, 2) };
                let ty = Ty::pointer(slot.ty, AddressSpace::Private);
                let slot = self.function.slots.push(slot);
                self.value(Op::Slot(slot), ty, None)
            }
            _ => {
                let ty = self.choices.pointer(3);
                self.of(ty)
            }
        }
    }

    fn operation(&mut self) {
        let ty = self.choices.value_type();
        let scalar = self.choices.scalar();
        let vector = Ty::vector(scalar, 4);
        match self.choices.below(18) {
            0 => {
                let operand = self.of(ty);
                self.push(Op::Unary { op: UnaryOp::Negate, operand }, ty);
            }
            1 => {
                let (left, right) = (self.of(ty), self.of(ty));
                let op = self.choices.of(&[Arithmetic::Add, Arithmetic::Rem, Arithmetic::Shl]);
                self.push(Op::Binary { op, left, right }, ty);
            }
            2 => {
                let (left, right) = (self.of(ty), self.of(ty));
                // Comparisons do not normally have type `int`, so the text must contain the type.
                let result = self.choices.of(&[Ty::BOOL, Ty::INT]);
                self.push(Op::Compare { op: Comparison::Less, left, right }, result);
            }
            3 => {
                let (from, to) = (self.choices.value_type(), ty);
                let operand = self.of(from);
                let kind = |ty: Ty| {
                    (ty.as_pointer().is_some(), ty.lanes().and_then(|(it, _)| it.as_float()).is_some())
                };
                let conversion = match (kind(from), kind(to)) {
                    ((false, false), (false, false)) => Conversion::Integer,
                    ((false, false), (false, true)) => Conversion::IntToFloat,
                    ((false, true), (false, false)) => Conversion::FloatToInt,
                    ((false, true), (false, true)) => Conversion::Float,
                    ((true, _), (true, _)) => Conversion::Pointer,
                    ((true, _), (false, false)) => Conversion::PointerToInt,
                    ((false, false), (true, _)) => Conversion::IntToPointer,
                    _ => Conversion::Bits,
                };
                self.push(Op::Convert { conversion, operand }, to);
            }
            4 => {
                let (condition, then, otherwise) = (self.of(Ty::BOOL), self.of(ty), self.of(ty));
                self.push(Op::Select { condition, then, otherwise }, ty);
            }
            5 => {
                let number = self.choices.of(&[Ty::INT, Ty::ULONG]);
                let (vector, lane) = (self.of(vector), self.of(number));
                self.push(Op::Extract { vector, lane }, scalar);
            }
            6 => {
                let (of, lane, value) = (self.of(vector), self.of(Ty::INT), self.of(scalar));
                self.push(Op::Insert { vector: of, lane, value }, vector);
            }
            7 => {
                let (left, right) = (self.of(vector), self.of(vector));
                self.push(Op::Shuffle { left, right, lanes: [Some(3), None].into() }, Ty::vector(scalar, 2));
            }
            8 => {
                let (address, volatile) = (self.address(), self.choices.yes());
                let align = self.choices.of(&[1, 4, 8]);
                self.push(Op::Load { address, volatile, align }, ty);
            }
            9 => {
                let (address, value, volatile) = (self.address(), self.of(ty), self.choices.yes());
                let align = self.choices.of(&[1, 4, 8]);
                self.push(Op::Store { address, value, volatile, align }, Ty::VOID);
            }
            10 => {
                let (to, from, ty) = (self.address(), self.address(), self.choices.ty(3));
                self.push(Op::Copy { to, from, ty }, Ty::VOID);
                self.push(Op::Clear { address: to, ty }, Ty::VOID);
            }
            11 => {
                let (base, index) = (self.address(), self.of(Ty::LONG));
                let pointer = self.choices.pointer(2);
                self.push(Op::Element { base, index, element: scalar }, pointer);
            }
            12 => {
                let (base, record) = (self.address(), self.choices.record(3));
                let pointer = self.choices.pointer(2);
                let field = self.choices.below(3) as u32;
                self.push(Op::Field { base, record, field }, pointer);
            }
            13 => {
                let token = self.choices.of(&[Token::Entry, Token::Anchor]);
                let token = self.push(Op::Token(token), Ty::TOKEN);
                self.known.pop();
                self.call(Some(token));
            }
            14 => self.push_phi(ty),
            15 => self.unknown(ty),
            _ => self.call(None),
        }
    }

    fn unknown(&mut self, ty: Ty) {
        let name = Symbol::intern(self.choices.of(&["SIZE", "value", "a b", "unknown", "is<T, 4>"]));
        let ty = self.choices.of(&[ty, Ty::UNKNOWN]);
        let (what, operands, ty) = match self.choices.below(9) {
            8 => (Unknown::Dependent(name), Vec::new(), ty),
            0 => (Unknown::Name(name), Vec::new(), ty),
            1 => (Unknown::Variable(name), Vec::new(), ty),
            2 => (Unknown::Address, vec![self.address(), self.of(Ty::INT)], self.choices.pointer(2)),
            3 => (Unknown::Statement, Vec::new(), Ty::VOID),
            4 => (Unknown::Assembly, vec![self.of(Ty::INT)], Ty::VOID),
            5 => (Unknown::Arithmetic(Arithmetic::Mul), vec![self.of(ty), self.of(ty)], ty),
            6 => (Unknown::Compare(Comparison::Less), vec![self.of(ty), self.address()], ty),
            _ => (Unknown::Value, vec![self.of(ty), self.address()], ty),
        };
        self.push(Op::Unknown { what, operands: operands.into() }, ty);
    }

    fn push_phi(&mut self, ty: Ty) {
        let count = self.choices.below(3);
        let incoming = (0..count).map(|_| (BlockId::new(0), self.of(ty))).collect();
        self.push(Op::Phi(incoming), ty);
    }

    fn call(&mut self, token: Option<ValueId>) {
        let count = self.choices.below(4);
        let arguments: Vec<(ValueId, Passing)> = (0..count)
            .map(|_| match self.choices.below(3) {
                0 => (self.address(), Passing::Copy),
                1 => (self.address(), Passing::Result),
                _ => {
                    let ty = self.choices.value_type();
                    (self.of(ty), Passing::Value)
                }
            })
            .collect();
        let result = self.choices.of(&[Ty::VOID, Ty::INT]);
        let ty = self.choices.ty(3);
        let name = Symbol::intern(self.choices.of(&["g", "half", "builtin", "T0", "__builtin_g", "a b"]));
        let callee = match self.choices.below(5) {
            0 => {
                let owner = match self.choices.below(3) {
                    0 => DeclaringScope::Namespace(self.choices.namespace()),
                    1 => DeclaringScope::Class(self.choices.class(2)),
                    _ => DeclaringScope::Function { name, literal: 3 },
                };
                let name =
                    if matches!(owner, DeclaringScope::Function { .. }) { Symbol::EMPTY } else { name };
                let overload = if self.choices.yes() { Some(ty) } else { None };
                let [head, arguments] = [(); 2].map(|()| match self.choices.below(3) {
                    0 => InstanceArguments::new(&[
                        InstanceArgument::Type(self.choices.ty(2)),
                        InstanceArgument::Value { value: -4, ty: Ty::BOOL },
                        InstanceArgument::Unknown,
                    ]),
                    _ => InstanceArguments::NONE,
                });
                Callee::Function { key: FunctionKey { owner, name, overload, head, arguments }, ty }
            }
            1 => Callee::CompilerBuiltin { name, ty },
            2 => Callee::Pointer { address: self.address(), ty },
            3 => {
                let named = match self.choices.below(8) {
                    0 => None,
                    1 => Some(UnresolvedCallee::Function(name)),
                    2 => Some(UnresolvedCallee::Method(name)),
                    3 => Some(UnresolvedCallee::Literal { around: name, literal: 1 }),
                    4 => Some(UnresolvedCallee::Qualified(name)),
                    5 => {
                        let keys = (0..self.choices.below(3)).map(|_| {
                            let owner = DeclaringScope::Class(self.choices.class(1));
                            let overload = if self.choices.yes() { Some(self.choices.ty(2)) } else { None };
                            FunctionKey::of(owner, name, overload)
                        });
                        let candidates = Candidates::new(&keys.collect::<Vec<_>>());
                        Some(UnresolvedCallee::OneOf { candidates, of_object: self.choices.yes() })
                    }
                    _ => Some(UnresolvedCallee::Undeclared { name, of_object: self.choices.yes() }),
                };
                Callee::Unknown { named, ty }
            }
            _ => Callee::Builtin { name, ty },
        };
        let convergent = token.is_some() || self.choices.yes();
        self.push(Op::Call(Call { callee, arguments, call: None, convergent, token }), result);
    }

    fn done(mut self) -> Function {
        for number in 0..self.choices.below(3) {
            let ty = self.choices.value_type();
            let value = self.value(Op::Parameter(number as u32), ty, None);
            self.known.push(value);
            let name = if self.choices.yes() { Some(self.choices.symbol()) } else { None };
            let span = Span::new(0, 1);
            let role =
                self.choices.of(&[ParameterRole::Plain, ParameterRole::Object, ParameterRole::Captured]);
            let passing = Passing::Value;
            self.function.parameters.push(Parameter { name, ty, passing, value, role, span });
        }
        for _ in 0..=self.choices.below(4) {
            let kind = self.choices.of(&BlockKind::ALL);
            let label = if self.choices.yes() { Some(self.choices.symbol()) } else { None };
            // A block without a label has the name of its kind.
            let block = Block { label, ..Block::new(kind, StmtId::new(2), Span::new(5, 6)) };
            self.block = self.function.blocks.push(block);
            for _ in 0..self.choices.below(7) {
                self.operation();
            }
        }
        let last = self.function.blocks.len();
        for block in 0..last {
            let target = BlockId::new(self.choices.below(last));
            let terminator = match self.choices.below(5) {
                0 => Terminator::Jump(target),
                1 => Terminator::Branch {
                    condition: self.of(Ty::BOOL),
                    then: target,
                    otherwise: BlockId::new(0),
                },
                2 => {
                    let value = self.of(Ty::INT);
                    Terminator::Switch {
                        value,
                        cases: vec![(-3, -3, target), (1, 3, target)],
                        otherwise: target,
                    }
                }
                3 => Terminator::Return(Some(self.of(Ty::INT))),
                _ => Terminator::Unreachable,
            };
            self.function.blocks[block].terminator = terminator;
        }
        self.function.kernel = self.choices.yes();
        self.function.convergent = self.choices.yes();
        self.function.work_group_size = if self.choices.yes() { Some([1, 2, 3]) } else { None };
        self.function.sub_group_size = if self.choices.yes() { Some(16) } else { None };
        self.function.key.overload =
            if self.choices.yes() { Some(self.function.declared_type()) } else { None };
        self.function
    }
}

fn function(choices: Vec<u32>) -> Function {
    Maker::new(Choices(choices.into_iter())).done()
}

/// Returns the random numbers for a function. If a test fails, it shows the text of the function, which is easier to
/// read.
fn choices() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 0..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn printed_function_reads_back(choices in choices()) {
        let function = function(choices);
        let text = print(&function);
        let again = read(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(print(&again), &text[..]);
        prop_assert!(again == normal(&function), "{}\n{:?}\n{:?}", text, again, normal(&function));
    }

    #[test]
    fn corrupted_text_gives_located_error_or_reads_back(choices in choices(), at in any::<prop::sample::Index>(), byte in 9u8..127) {
        let mut text = print(&function(choices)).into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        let Ok(text) = String::from_utf8(text) else { return Ok(()) };
        match read(&text) {
            Err(error) => prop_assert!(error.line >= 1 && error.line <= text.lines().count() + 1, "{error}"),
            // If the text is read, the verifier does not panic, and the text of the function reads back.
            Ok(function) => {
                verify(&function);
                prop_assert_eq!(read(&print(&function)), Ok(function));
            }
        }
    }
}

#[test]
fn printed_module_reads_back() {
    let data = Data::Aggregate(
        [
            Data::Union { field: 1, data: Box::new(Data::Constant(Constant::float(0.1))) },
            Data::Bytes(b"a\"\0\xff".as_slice().into()),
            Data::StringAddress { bytes: b"text".as_slice().into(), offset: -4 },
            Data::Label(StmtId::new(7)),
        ]
        .into(),
    );
    let name = Symbol::intern("f.table");
    let global = Global {
        name,
        ty: Ty::array(Ty::pointer(Ty::INT, AddressSpace::Global), Some(4)),
        space: AddressSpace::Constant,
        constant: true,
        internal: true,
        external: false,
        initializer: Some(data),
    };
    let module = Module { file: String::new(), functions: Vec::new(), globals: vec![global] };
    let text = print_module(&module);
    assert_eq!(read_module("", &text).expect(&text), module);
}

#[test]
fn errors_state_location_and_reason() {
    for (text, error) in [
        ("function f() {\nentry:\n  jump out\n}\n", "3:8: unknown block `out`"),
        (
            "function f() {\nentry:\n  %x = add %x, %x\n  return\n}\n",
            "3:3: cannot infer the type of this value: write it",
        ),
        ("function f() {\nentry:\n  %x = frob %x\n", "3:8: unknown operation `frob`"),
        ("function f(%x: struct s) {\n", "1:16: unknown type `struct s`: add a `type` line"),
        ("function f() {\nentry:\n  return 1\n}\n", "3:10: expected a type before this constant"),
        ("function f() {\n", "2:1: expected a block name followed by a colon"),
        ("?", "1:1: unexpected character `?`"),
    ] {
        assert_eq!(read(text).expect_err(text).to_string(), error);
    }
}

/// Only `loop` has another token as an operand (`convergent-operations.rst`, the three intrinsics).
#[test]
fn only_loop_intrinsic_takes_a_token_operand() {
    let with = |token: &str| {
        format!("function f() convergent {{\nentry:\n  %0 = entry\n  %1 = {token}\n  return\n}}\n")
    };
    for token in ["entry with %0", "anchor with %0", "loop"] {
        let error = read(&with(token)).expect_err(token).to_string();
        assert!(error.starts_with("4:") || error.starts_with("5:"), "{token}: {error}");
    }
    for token in ["anchor", "loop with %0"] {
        read(&with(token)).expect(token);
    }
}

/// A text with many kinds of types and constants. The number at its end is invalid.
const RICH: &str = "\
type struct node = {value: int bits 3 const, next: global incomplete struct node *} packed align 8
use @f: void (*)(struct node)
variable @table: constant int[2] const internal = {1, 0x}
";

#[test]
fn hostile_texts_are_read_or_rejected_without_panic() {
    // Nested brackets without an end.
    for (before, bracket) in [
        ("variable @v: global int = ", "{"),
        ("variable @v: global int = ", "("),
        ("variable @v: global int = ", "{1: "),
        ("type T0 = int ", "(*"),
        ("type T0 = ", "_Atomic("),
        ("type T0 = ", "void ("),
        ("type T0 = ", "read_only pipe("),
        ("function f<", "void (*"),
        ("function f() {\nentry:\n  %0 = load ", "int ("),
    ] {
        let text = format!("{before}{}", bracket.repeat(200_000));
        let error = read_module("", &text).expect_err(bracket);
        assert!(error.line <= 4, "{error}");
    }
    // Numbers that are too large for every type.
    let nines = "9".repeat(10_000);
    for text in [
        format!("variable @v: global int = {nines}\n"),
        format!("variable @v: global int[{nines}]\n"),
        format!("variable @v: global int{nines}\n"),
        format!("variable @v: global char * = string \"\" + {nines}\n"),
        format!("function f() work_group_size({nines}, 1, 1) {{\n"),
        format!("function f(%p: int *) {{\nentry:\n  %0 = load int %p align {nines}\n"),
        format!("function f(%x: int) {{\nentry:\n  switch %x [{nines}: entry, default: entry]\n"),
    ] {
        assert!(read_module("", &text).is_err(), "{}", &text[..60]);
    }
    // Types built from types, each much longer than the one before.
    let mut text = "type T0 = int\n".to_owned();
    for number in 1..20_000 {
        let before = number - 1;
        text += &format!("type T{number} = T{before} (*)(T{before}, T{before})\n");
    }
    assert!(read_module("", &text).is_ok());
    assert!(read_module("", RICH).is_err());
}

#[test]
fn error_in_truncated_text_has_a_valid_line() {
    let text = RICH.replace(", 0x", "") + "\n\
function space::f<void (int)>(%x: int, copy %r: struct node) -> float4 convergent kernel work_group_size(1, 2, 3) sub_group_size(2) {
  slot %s: int[4]
entry:
  %0 = entry
  %1 = element int %s, %x
  store volatile %x, %1 align 2
  %2 = shuffle float4 (1.5, nan:0x7ff8000000000000, inf, -0.0), undefined, [0, _, 7, 3]
  call g(%x, copy %r, \"\\x00\", @f) as void (int, ...) with %0
  switch %x [-1: out, 2..5: entry.\"a b\", default: out]
entry.\"a b\":
  jump out
out:
  return %2
}
";
    let module = read_module("", &text).expect(&text);
    assert_eq!(print_module(&module), text);
    for end in 0..text.len() {
        if let Err(error) = read_module("", &text[..end]) {
            assert!(error.line <= text[..end].lines().count() + 1, "{error}");
        }
    }
}

#[test]
fn long_text_is_read_within_ten_seconds() {
    let mut text = "function f(%x: int) -> int {\nentry:\n".to_owned();
    for number in (1..100_000).rev() {
        // The type of each value follows from a value that is defined after it.
        text += &format!("  %{number} = add %{}, %{}\n", number - 1, number - 1);
    }
    text += "  %0 = neg %x\n  return %x\n}\n";
    let start = std::time::Instant::now();
    assert!(read(&text).is_ok());
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
