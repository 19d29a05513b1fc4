//! Each rule of the verifier, with texts that only this rule rejects.

use tangle_ir::flow::verify::{RULES, Rule, verify};
use tangle_ir::flow::{BlockId, Function, Op, Terminator, ValueId};
use tangle_ir::text::read;

/// Returns a function with parameters of several types and these lines. `head` is the text after the parameters.
fn function(head: &str, lines: &str) -> Function {
    let text = format!(
        "type struct pair = {{a: int, b: float}}\n\
         function f(%b: bool, %i: int, %l: long, %x: float, %p: global int *, %v: int4, %w: float4){head} {{\n{lines}\n}}\n"
    );
    read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn rules(function: &Function) -> Vec<Rule> {
    let mut rules: Vec<Rule> = verify(function).into_iter().map(|violation| violation.rule).collect();
    rules.dedup();
    rules
}

/// For each rule, texts that it rejects: the text after the parameters, and the lines.
const BROKEN: &[(Rule, &str, &str)] = &[
    (Rule::Targets, "", "entry:\n jump entry"),
    (Rule::Targets, "", "entry:\n branch %b, a, entry\na:\n return"),
    (Rule::Phis, "", "entry:\n jump a\na:\n %0 = phi int\n return"),
    (Rule::Phis, "", "entry:\n jump a\na:\n %0 = phi int [entry: 1], [entry: 1]\n return"),
    (Rule::Phis, "", "entry:\n jump a\na:\n %0 = neg %i\n %1 = phi int [entry: 1]\n return"),
    (Rule::SsaForm, "", "variable $x: int\nentry:\n %0 = get $x\n return"),
    (Rule::SsaForm, "", "variable $x: int\nentry:\n set $x, 1\n return"),
    (Rule::Dominance, "", "entry:\n %0 = neg %1\n %1 = neg %i\n return"),
    (Rule::Dominance, " -> int", "entry:\n branch %b, a, c\na:\n %0 = neg %i\n jump c\nc:\n return %0"),
    (Rule::Constants, "", "entry:\n %0 = neg char 128\n return"),
    (Rule::Constants, "", "entry:\n %0 = neg uchar -1\n return"),
    (Rule::Constants, "", "entry:\n %0 = add %x, 1\n return"),
    (Rule::Constants, "", "entry:\n %0 = add %v, (1, 2, 3)\n return"),
    (Rule::Constants, "", "entry:\n %0 = add %v, (1, 2, 3, 1.5)\n return"),
    (Rule::PhiTypes, "", "entry:\n jump a\na:\n %0 = phi int [entry: %l]\n return"),
    (Rule::Arithmetic, "", "entry:\n %0 = add %i, %l\n return"),
    (Rule::Arithmetic, "", "entry:\n %0: long = add %i, %i\n return"),
    (Rule::Arithmetic, "", "entry:\n %0 = and %x, %x\n return"),
    (Rule::Arithmetic, "", "entry:\n %0 = not %w\n return"),
    (Rule::Arithmetic, "", "entry:\n %0 = add %p, %p\n return"),
    (Rule::Comparison, "", "entry:\n %0 = lt %i, %x\n return"),
    (Rule::Comparison, "", "entry:\n %0: float = lt %i, %i\n return"),
    (Rule::Comparison, "", "entry:\n %0: bool = lt %v, %v\n return"),
    (Rule::Conversion, "", "entry:\n %0 = convert float4 %i\n return"),
    (Rule::Conversion, "", "entry:\n %0 = bits long %i\n return"),
    (Rule::Conversion, "", "entry:\n %0 = splat float4 %i\n return"),
    (Rule::Select, "", "entry:\n %0 = select %i, %i, %i\n return"),
    (Rule::Select, "", "entry:\n %0 = select %b, %i, %l\n return"),
    (Rule::Lanes, "", "entry:\n %0: int = extract %i, 0\n return"),
    (Rule::Lanes, "", "entry:\n %0: int = extract %w, 0\n return"),
    (Rule::Lanes, "", "entry:\n %0 = insert %v, 0, %x\n return"),
    (Rule::Lanes, "", "entry:\n %0 = shuffle %v, %v, [0, 8]\n return"),
    (Rule::Lanes, "", "entry:\n %0 = shuffle %v, %w, [0, 1]\n return"),
    (Rule::Memory, "", "entry:\n %0 = load int %i\n return"),
    (Rule::Memory, "", "entry:\n store %i, %x\n return"),
    (Rule::Memory, "", "entry:\n clear void %p\n return"),
    (Rule::Addresses, "", "entry:\n %0 = element int %p, %x\n return"),
    (Rule::Addresses, "", "entry:\n %0: local int * = element int %p, %i\n return"),
    (Rule::Addresses, "", "entry:\n %0: global int * = field struct pair %p, 2\n return"),
    (Rule::Addresses, "", "entry:\n %0: global int * = field int %p, 0\n return"),
    (Rule::Calls, "", "entry:\n call g(%i) as void (float)\n return"),
    (Rule::Calls, "", "entry:\n call g(%i) as void ()\n return"),
    (Rule::Calls, "", "entry:\n call g() as void (int, ...)\n return"),
    (Rule::Calls, "", "entry:\n %0 = call int g() as float ()\n return"),
    (Rule::Calls, "", "entry:\n call g(copy %i) as void (int)\n return"),
    (Rule::Calls, "", "entry:\n call through %i() as void ()\n return"),
    (Rule::Terminators, "", "entry:\n branch %i, a, a\na:\n return"),
    (Rule::Terminators, "", "entry:\n switch %x [default: a]\na:\n return"),
    (Rule::Terminators, "", "entry:\n switch %i [1..3: a, 3: a, default: a]\na:\n return"),
    (Rule::Terminators, "", "entry:\n switch %i [3..1: a, default: a]\na:\n return"),
    (Rule::Terminators, "", "entry:\n switch %i [2147483648: a, default: a]\na:\n return"),
    (Rule::Terminators, "", "entry:\n return %i"),
    (Rule::Terminators, " -> int", "entry:\n return"),
    (Rule::Terminators, " -> int", "entry:\n return %x"),
    (Rule::Results, "", "entry:\n %0: int = anchor\n return"),
    (Rule::TokenOperand, "", "entry:\n call op() with %i\n return"),
    (Rule::TokenOperand, "", "entry:\n %0 = loop with %i\n return"),
    (Rule::TokenOperand, "", "entry:\n %0 = anchor\n call op(%0)\n return"),
    (Rule::EntryPlacement, " convergent", "entry:\n jump a\na:\n %0 = entry\n return"),
    (Rule::EntryPlacement, " convergent", "entry:\n %0 = entry\n %1 = entry\n return"),
    (Rule::EntryInConvergentFunction, "", "entry:\n %0 = entry\n return"),
    (
        Rule::LoopPlacement,
        " convergent",
        "entry:\n %0 = entry\n jump a\na:\n %1 = anchor\n %2 = loop with %0\n branch %b, a, c\nc:\n return",
    ),
    (Rule::Mixed, " convergent", "entry:\n %0 = entry\n call op() with %0\n call op() convergent\n return"),
    (
        Rule::UseInCycle,
        " convergent",
        "entry:\n %0 = entry\n jump a\na:\n call op() with %0\n branch %b, a, c\nc:\n return",
    ),
    (
        Rule::HeartDominates,
        " convergent",
        "entry:\n %0 = entry\n jump a\na:\n branch %b, c, d\nc:\n %1 = loop with %0\n jump a\nd:\n return",
    ),
    (
        Rule::NestedRegions,
        "",
        "entry:\n %0 = anchor\n %1 = anchor\n call op() with %0\n call op() with %1\n return",
    ),
];

#[test]
fn each_invalid_text_violates_only_its_rule() {
    for (rule, head, lines) in BROKEN {
        assert_eq!(rules(&function(head, lines)), [*rule], "{lines}");
    }
}

/// If two hearts in a cycle name the same token, the second one is not in a header, or it comes after the first one. So
/// no text violates this rule alone.
#[test]
fn second_loop_heart_with_same_token_in_cycle_is_rejected() {
    let in_header = "entry:\n %0 = entry\n jump a\na:\n %1 = loop with %0\n %2 = loop with %0\n branch %b, a, c\nc:\n return";
    assert_eq!(rules(&function(" convergent", in_header)), [Rule::LoopPlacement, Rule::OneUseInCycle]);
    let nested = "entry:\n %0 = entry\n jump a\na:\n %1 = loop with %0\n branch %b, c, d\n\
                  c:\n %2 = loop with %0\n branch %b, c, a\nd:\n return";
    assert_eq!(rules(&function(" convergent", nested)), [Rule::OneUseInCycle, Rule::HeartDominates]);
}

/// A text cannot violate this rule, because the reader resolves all names.
#[test]
fn invalid_operands_and_targets_are_rejected() {
    let fine = || function(" -> int", "slot %s: int\nentry:\n %0 = neg %i\n return %0");
    assert_eq!(rules(&fine()), []);
    let negation = |function: &Function| function.blocks[Function::ENTRY].values[0];
    let breaks: [fn(&mut Function, ValueId); 6] = [
        |function, value| function.blocks[Function::ENTRY].values.push(value),
        |function, _| function.blocks[Function::ENTRY].values.push(ValueId::new(99)),
        |function, _| function.blocks[Function::ENTRY].values.push(ValueId::new(0)),
        |function, value| function.values[value].op.operands_mut(|it| *it = ValueId::new(99)),
        |function, _| {
            function.blocks[Function::ENTRY].terminator = Terminator::Return(Some(ValueId::new(99)))
        },
        |function, _| function.values[ValueId::new(0)].op = Op::Parameter(7),
    ];
    for change in breaks {
        let mut function = fine();
        let value = negation(&function);
        change(&mut function, value);
        assert_eq!(rules(&function), [Rule::Operands]);
    }
    let mut function = fine();
    function.blocks[Function::ENTRY].terminator = Terminator::Jump(BlockId::new(7));
    assert_eq!(rules(&function), [Rule::Targets]);
    function.blocks.clear();
    assert_eq!(rules(&function), [Rule::Targets]);
}

#[test]
fn every_rule_is_tested() {
    for row in RULES {
        let apart = [Rule::Operands, Rule::OneUseInCycle];
        let tested = BROKEN.iter().any(|(rule, ..)| *rule == row.rule) || apart.contains(&row.rule);
        assert!(tested, "{}", row.name);
        assert!(!row.demands.is_empty() && !row.section.is_empty());
        assert_eq!(row.rule.row().name, row.name, "one row for each rule");
    }
}

#[test]
fn valid_functions_are_accepted() {
    for (head, lines) in [
        ("", "entry:\n return"),
        (
            " -> int",
            "entry:\n jump a\na:\n %0 = phi int [entry: 1], [a: %0]\n branch %b, a, c\nc:\n return %0",
        ),
        ("", "entry:\n %0 = lt %w, %w\n %1 = select %0, %v, %v\n %2 = bits int4 %w\n return"),
        ("", "entry:\n %0 = element int %p, %l\n %1 = load int %0\n store %1, %p\n clear int %p\n return"),
        ("", "entry:\n %0 = shuffle %v, %v, [0, _, 7]\n %1 = extract %v, 3\n %2 = insert %v, 0, %1\n return"),
        ("", "entry:\n switch %i [-1..3: a, 4: a, default: a]\na:\n return"),
        (
            "",
            "entry:\n %0 = call int g(%i, %x) as int (int, ...)\n %1 = test %p\n %2 = convert long %p\n return",
        ),
        (" convergent", "entry:\n %0 = entry\n call op() with %0\n return"),
    ] {
        assert_eq!(rules(&function(head, lines)), [], "{lines}");
    }
}
