//! The results of the operations that a language assigns to its builtins, independent of the names of the builtins.

use tangle_ir::flow::{Callee, Module, Op, ValueId};
use tangle_ir::scope::Scope;
use tangle_ir::{Symbol, text};
use tangle_simulate::operation::{
    Atomic, AtomicOp, Collective, CollectiveOp, Combination, Index, Lane, Math, Operation, Order, Ordering,
    Outside,
};
use tangle_simulate::{
    Argument, Builtin, Key, Language, Launch, Number, Observer, Outcome, PartialArrival, Program,
    ResultUniformity, Value,
};

/// A language with the functions `lane` and `operation`. The second performs the given operation.
struct Toy(Operation);

impl Language for Toy {
    fn builtin(&self, name: Symbol) -> Option<Builtin> {
        let operation = match name.as_str() {
            "lane" => Operation::Index(Index::Lane),
            "operation" => self.0,
            _ => return None,
        };
        let convergent = matches!(operation, Operation::Collective(_));
        Some(Builtin {
            operation,
            scope: if convergent { Scope::Subgroup } else { Scope::None },
            convergent,
            gives: ResultUniformity::Divergent,
            partial: PartialArrival::Executes,
            counts_returned: true,
            names: None,
        })
    }
}

/// The results of one value, by thread.
struct Results {
    of: ValueId,
    results: Vec<Option<Value>>,
}

impl Observer for Results {
    fn wants_values(&self) -> bool {
        true
    }

    fn value(&mut self, _: Key, value: ValueId, _: Key, thread: usize, result: &Value) {
        if value == self.of {
            self.results[thread] = Some(result.clone());
        }
    }
}

/// The results of the call of `operation` in a kernel, for 8 threads of one sub-group. `%l` is the lane, and `%p`
/// points to one integer in global memory. Threads that do not reach the call have no result.
fn results(operation: Operation, body: &str, memory: i128) -> Vec<Option<Value>> {
    results_of(operation, body, memory, |op| match op {
        Op::Call(call) => {
            matches!(&call.callee, Callee::Builtin { name, .. } if name.as_str() == "operation")
        }
        _ => false,
    })
}

/// The results of another operation of the same kernel: the first for which `is_it` holds.
fn results_of(
    operation: Operation,
    body: &str,
    memory: i128,
    is_it: impl Fn(&Op) -> bool,
) -> Vec<Option<Value>> {
    let kernel = format!(
        "function k(%p: global uint *) convergent kernel {{
entry:
  %e = entry
  %l = call int builtin lane()
{body}
}}
"
    );
    let function = text::read(&kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}"));
    let of = function.values.iter_enumerated().find(|(_, value)| is_it(&value.op)).unwrap().0;
    let module = Module { file: "k".to_owned(), functions: vec![function], globals: Vec::new() };
    let program = Program::new(&module, &Toy(operation)).unwrap();
    let launch = Launch {
        local_size: [8, 1, 1],
        sub_group_size: 8,
        arguments: vec![Argument::Array(vec![Number::Integer(memory)])],
        ..Launch::default()
    };
    let mut results = Results { of, results: vec![None; 8] };
    let run = program.run(0, &launch, &mut results).unwrap();
    assert_eq!(run.outcome, Outcome::Finished);
    results.results
}

/// The results of a call that all threads reach, as numbers. `None` for undefined results.
fn numbers(operation: Operation, call: &str) -> Vec<Option<i128>> {
    let results = results(operation, &format!("{call}\n  return"), 0);
    results.iter().map(|result| result.as_ref().unwrap().as_int()).collect()
}

fn all(numbers: [i128; 8]) -> Vec<Option<i128>> {
    numbers.map(Some).to_vec()
}

fn shuffle(from: Lane) -> Operation {
    let op = CollectiveOp::Shuffle { from, by: 2, outside: Outside::Segments { size: 3 } };
    Operation::Collective(Collective { value: 1, mask: Some(0), ..Collective::of(op) })
}

#[test]
fn shuffle_results_depend_on_segments() {
    let of = |from, by: i32, size: &str| {
        let call = format!("  %r = call int builtin operation(uint 255, %l, int {by}{size}) with %e");
        numbers(shuffle(from), &call)
    };
    let four = ", int 4";
    assert_eq!(of(Lane::Absolute, 1, four), all([1, 1, 1, 1, 5, 5, 5, 5]));
    assert_eq!(of(Lane::Absolute, 6, four), all([2, 2, 2, 2, 6, 6, 6, 6]));
    assert_eq!(of(Lane::Up, 1, four), all([0, 0, 1, 2, 4, 4, 5, 6]));
    assert_eq!(of(Lane::Down, 1, four), all([1, 2, 3, 3, 5, 6, 7, 7]));
    assert_eq!(of(Lane::Xor, 1, four), all([1, 0, 3, 2, 5, 4, 7, 6]));
    // An exclusive-or reads a lane before the segment, but not a lane after it.
    assert_eq!(of(Lane::Xor, 4, four), all([0, 1, 2, 3, 0, 1, 2, 3]));
    // The sub-group is one segment, also if the size of a segment is larger.
    for size in ["", ", int 32"] {
        assert_eq!(of(Lane::Up, 3, size), all([0, 1, 2, 0, 1, 2, 3, 4]));
        assert_eq!(of(Lane::Xor, 4, size), all([4, 5, 6, 7, 0, 1, 2, 3]));
    }
    assert_eq!(of(Lane::Absolute, 9, ""), all([1; 8]));
    for size in [", int 3", ", int 0"] {
        assert_eq!(of(Lane::Down, 1, size), [None; 8]);
    }
}

#[test]
fn shuffle_from_outside_the_sub_group_is_undefined() {
    let op = CollectiveOp::Shuffle { from: Lane::Up, by: 1, outside: Outside::Undefined };
    let operation = Operation::Collective(Collective::of(op));
    let given = numbers(operation, "  %r = call int builtin operation(%l, int 6) with %e");
    assert_eq!(given[..6], [None; 6]);
    assert_eq!(given[6..], [Some(0), Some(1)]);
}

#[test]
fn collective_combines_only_threads_with_the_same_mask() {
    let of = |op, value: &str| {
        let operation = Operation::Collective(Collective { value: 1, mask: Some(0), ..Collective::of(op) });
        let call = format!("  %m = shr %l, 2\n{value}\n  %r = call uint builtin operation(%m, %v) with %e");
        numbers(operation, &call)
    };
    let is_first = "  %v = eq %l, 0";
    assert_eq!(of(CollectiveOp::Any, is_first), all([1, 1, 1, 1, 0, 0, 0, 0]));
    assert_eq!(of(CollectiveOp::All, is_first), all([0; 8]));
    assert_eq!(of(CollectiveOp::Ballot, "  %v = ge %l, 3"), all([8, 8, 8, 8, 240, 240, 240, 240]));
    assert_eq!(
        of(CollectiveOp::Reduce(Combination::Add), "  %v = mul %l, 1"),
        all([6, 6, 6, 6, 22, 22, 22, 22])
    );
}

#[test]
fn threads_with_the_same_value_are_found() {
    let of = |op, value: &str| {
        let operation = Operation::Collective(Collective { value: 1, mask: Some(0), ..Collective::of(op) });
        let call = format!("{value}\n  %r = call uint builtin operation(uint 255, %v) with %e");
        numbers(operation, &call)
    };
    // Lanes 0, 3 and 6 have the remainder 0, lanes 1, 4 and 7 have 1, and lanes 2 and 5 have 2.
    let (zero, one, two) = (1 | 8 | 64, 2 | 16 | 128, 4 | 32);
    let expected = all([zero, one, two, zero, one, two, zero, one]);
    assert_eq!(of(CollectiveOp::MatchAny, "  %v = rem %l, 3"), expected);
    assert_eq!(of(CollectiveOp::MatchAll, "  %v = rem %l, 3"), all([0; 8]));
    assert_eq!(of(CollectiveOp::MatchAll, "  %v = div %l, 8"), all([255; 8]));
    assert_eq!(of(CollectiveOp::Count, "  %v = rem %l, 3"), all([5; 8]));
}

#[test]
fn match_of_all_writes_whether_the_values_are_equal() {
    let match_all = CollectiveOp::MatchAll;
    let operation =
        Operation::Collective(Collective { value: 1, mask: Some(0), ..Collective::of(match_all) });
    let of = |value: &str| {
        let call = "%m = call uint builtin operation(uint 255, %v, %p) with %e";
        let body = format!("{value}\n  {call}\n  %w = load uint %p\n  return");
        results_of(operation, &body, 7, |op| matches!(op, Op::Load { .. }))
    };
    assert_eq!(of("  %v = div %l, 8"), vec![Some(Value::Int(1)); 8]);
    assert_eq!(of("  %v = rem %l, 3"), vec![Some(Value::Int(0)); 8]);
}

#[test]
fn active_mask_contains_threads_that_execute_together() {
    let operation = Operation::Collective(Collective::of(CollectiveOp::Active));
    let body = "  %c = lt %l, 3\n  branch %c, if.then, if.end\nif.then:\n  \
                %r = call uint builtin operation() with %e\n  jump if.end\nif.end:\n  return";
    let given = results(operation, body, 0);
    assert_eq!(given[..3], vec![Some(Value::Int(7)); 3]);
    assert_eq!(given[3..], vec![None; 5]);
}

#[test]
fn atomics_return_the_old_value() {
    let of = |op, call: &str, memory| {
        let relaxed = Ordering::Fixed(Order::RELAXED);
        let operation = Operation::Atomic(Atomic { op, ordering: relaxed, failure: relaxed });
        let body = format!("  %r = call uint builtin operation({call})\n  return");
        let results = results(operation, &body, memory);
        let mut numbers: Vec<i128> =
            results.iter().map(|it| it.as_ref().unwrap().as_int().unwrap()).collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(of(AtomicOp::Increment, "%p", 3), [3, 4, 5, 6, 7, 8, 9, 10]);
    // The old values are 0, 1, 2, 3, and then 0 again.
    assert_eq!(of(AtomicOp::IncrementUpTo, "%p, uint 3", 0), [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(of(AtomicOp::IncrementUpTo, "%p, uint 3", 9), [0, 0, 1, 1, 2, 2, 3, 9]);
    // 0, 2, 1, and then 0 again.
    assert_eq!(of(AtomicOp::DecrementFrom, "%p, uint 2", 0), [0, 0, 0, 1, 1, 2, 2, 2]);
    assert_eq!(of(AtomicOp::DecrementFrom, "%p, uint 2", 9), [0, 0, 1, 1, 2, 2, 2, 9]);
    assert_eq!(of(AtomicOp::CompareExchange, "%p, uint 5, uint 6", 5), [5, 6, 6, 6, 6, 6, 6, 6]);
    assert_eq!(of(AtomicOp::Exchange, "%p, uint 6", 5), [5, 6, 6, 6, 6, 6, 6, 6]);
    assert_eq!(of(AtomicOp::Min, "%p, uint 6", 9), [6, 6, 6, 6, 6, 6, 6, 9]);
    assert_eq!(of(AtomicOp::And, "%p, uint 6", 13), [4, 4, 4, 4, 4, 4, 4, 13]);
}

#[test]
fn integer_math_operations_are_exact() {
    let of = |op, arguments: &str| {
        numbers(Operation::Math(op), &format!("  %r = call int builtin operation({arguments})"))[0]
    };
    assert_eq!(of(Math::Min, "int -3, int 2"), Some(-3));
    assert_eq!(of(Math::Max, "int -3, int 2"), Some(2));
    assert_eq!(of(Math::Clamp, "int 9, int 2, int 4"), Some(4));
    assert_eq!(of(Math::Abs, "int -3"), Some(3));
    assert_eq!(of(Math::MultiplyAdd, "int -3, int 2, int 1"), Some(-5));
    // The width is that of the operand.
    assert_eq!(of(Math::CountOnes, "int -1"), Some(32));
    assert_eq!(of(Math::CountOnes, "long -1"), Some(64));
    assert_eq!(of(Math::LeadingZeros, "int 1"), Some(31));
    assert_eq!(of(Math::LeadingZeros, "long 0"), Some(64));
    assert_eq!(of(Math::ReverseBits, "uint 2"), Some(1 << 30));
    assert_eq!(of(Math::FindFirst, "int 0"), Some(0));
    assert_eq!(of(Math::FindFirst, "int 12"), Some(3));
    assert_eq!(of(Math::FindFirst, "long -9223372036854775808"), Some(64));
}
