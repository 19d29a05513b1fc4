//! The builder rejects a violation at the point of use, before the verifier would reject it.

use tangle_ir::flow::builder::Builder;
use tangle_ir::flow::verify::{Rule, verify};
use tangle_ir::flow::{Op, Terminator, ValueId};
use tangle_ir::text::{normal, print, read};
use tangle_ir::types::{Definition, Field, Record, RecordName, Ty, TyKind};
use tangle_ir::value::{Arithmetic, Comparison, Constant, Conversion, UnaryOp};
use tangle_ir::{AddressSpace, Symbol};

#[test]
fn invalid_operation_is_rejected_and_adds_no_value() {
    let mut b = Builder::new("f", Ty::VOID);
    let (i, x) = (b.parameter("i", Ty::INT), b.parameter("x", Ty::FLOAT));
    let values = b.function().values.len();
    let unknown = ValueId::new(99);
    for (op, ty, rule) in [
        (Op::Binary { op: Arithmetic::Add, left: i, right: x }, Ty::INT, Rule::Arithmetic),
        (Op::Binary { op: Arithmetic::Xor, left: x, right: x }, Ty::FLOAT, Rule::Arithmetic),
        (Op::Unary { op: UnaryOp::Negate, operand: unknown }, Ty::INT, Rule::Operands),
        (Op::Compare { op: Comparison::Less, left: i, right: x }, Ty::BOOL, Rule::Comparison),
        (Op::Constant(Constant::Integer(300)), Ty::UCHAR, Rule::Constants),
        (Op::Load { address: i, volatile: false, align: 4 }, Ty::INT, Rule::Memory),
        (Op::Convert { conversion: Conversion::Float, operand: i }, Ty::FLOAT, Rule::Conversion),
    ] {
        assert_eq!(b.try_op(op, ty), Err(rule));
    }
    assert_eq!(b.function().values.len(), values);
    b.ret(None);
    assert_eq!(verify(&b.finish()), []);
}

#[test]
#[should_panic(expected = "this violates the rule `arithmetic`")]
fn operands_of_different_types_panic_with_the_rule_name() {
    let mut b = Builder::new("f", Ty::VOID);
    let (i, x) = (b.parameter("i", Ty::INT), b.parameter("x", Ty::FLOAT));
    b.binary(Arithmetic::Add, i, x);
}

#[test]
#[should_panic(expected = "this violates the rule `ends`")]
fn branch_condition_must_be_bool() {
    let mut b = Builder::new("f", Ty::VOID);
    let i = b.parameter("i", Ty::INT);
    let block = b.block("then");
    b.end(Terminator::Branch { condition: i, then: block, otherwise: block });
}

#[test]
#[should_panic(expected = "this violates the rule `phi-types`")]
fn phi_rejects_a_value_of_another_type() {
    let mut b = Builder::new("f", Ty::VOID);
    let x = b.parameter("x", Ty::FLOAT);
    let (entry, block) = (b.here(), b.block("next"));
    b.jump(block);
    b.at(block);
    let phi = b.phi(Ty::INT);
    b.incoming(phi, entry, x);
}

#[test]
fn built_function_is_valid_and_reads_back() {
    let field = |name: &str, ty| Field {
        name: Some(Symbol::intern(name)),
        ty,
        bits: None,
        constant: false,
        volatile: false,
        packed: false,
        align: None,
    };
    let fields = [field("a", Ty::INT), field("b", Ty::FLOAT)].into();
    let definition = Some(Definition { fields, packed: false, pack: None, align: None });
    let record = Record { union: false, tag: Some(RecordName::plain(Symbol::intern("pair"))), definition };
    let pair = Ty::new(TyKind::Record(Box::new(record)));
    let mut b = Builder::new("f", Ty::FLOAT);
    let p = b.parameter("p", Ty::pointer(pair, AddressSpace::Global));
    let n = b.parameter("n", Ty::INT);
    let slot = b.slot("s", Ty::FLOAT);
    let element = b.element(pair, p, n);
    let address = b.field(pair, element, 1);
    let x = b.load(Ty::FLOAT, address);
    b.store(x, slot);
    let zero = b.constant(Ty::FLOAT, Constant::float(0.0));
    let less = b.compare(Comparison::Less, x, zero);
    let negative = b.unary(UnaryOp::Negate, x);
    let size = b.select(less, negative, x);
    b.name(size, "size");
    let whole = b.convert(Conversion::FloatToInt, size, Ty::INT);
    let (one, many) = (b.block("switch.case"), b.block("switch.default"));
    b.switch(whole, &[(0, 1, one)], many);
    b.at(one);
    b.ret(Some(size));
    b.at(many);
    let token = b.anchor();
    let sum = b.builtin("sum", Ty::FLOAT, &[x]);
    assert_eq!(b.ty(token), Ty::TOKEN);
    b.ret(Some(sum));
    let function = b.finish();
    assert_eq!(verify(&function), []);
    let text = print(&function);
    assert_eq!(read(&text).expect(&text), normal(&function));
}
