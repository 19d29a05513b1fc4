//! Laws of numbers and decisions, and races of small functions in text form.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::decisions::{Decisions, Wish};
use super::number::{AtomId, Atoms, LANES, Lanes, Number, UNIFORM, holds};
use super::{BuiltinCall, KernelInputs, NumberedFunction, Race, races};
use crate::flow::{Callee, ssa};
use crate::operation::{Barrier, Index, Operation};
use crate::scope::Scope;
use crate::text;
use crate::types::Ty;
use crate::value::{Arithmetic, Comparison};

/// An expression of integers that are not negative.
#[derive(Clone, Debug)]
enum Expression {
    Lane,
    Constant(i64),
    Unknown(usize),
    Operation(Arithmetic, Box<Expression>, Box<Expression>),
}

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        Just(Expression::Lane),
        (0..40_i64).prop_map(Expression::Constant),
        (0..3_usize).prop_map(Expression::Unknown),
    ];
    let op = prop_oneof![
        Just(Arithmetic::Add),
        Just(Arithmetic::Mul),
        Just(Arithmetic::Div),
        Just(Arithmetic::Rem),
        Just(Arithmetic::And),
        Just(Arithmetic::Or),
        Just(Arithmetic::Xor),
    ];
    leaf.prop_recursive(4, 24, 2, move |inner| {
        (op.clone(), inner.clone(), inner)
            .prop_map(|(op, left, right)| Expression::Operation(op, Box::new(left), Box::new(right)))
    })
}

/// The exact number in each lane. `None`: it is undefined, or too large.
type Exact = Option<Vec<i64>>;

/// The known values of atoms in each lane.
struct Values {
    atoms: Atoms,
    known: FxHashMap<AtomId, Vec<i64>>,
    unknown: Vec<(Number, i64)>,
}

impl Values {
    fn of(values: &[i64]) -> Values {
        let mut atoms = Atoms::default();
        let unknown: Vec<(Number, i64)> = values.iter().map(|&value| (atoms.fresh(UNIFORM), value)).collect();
        let known = unknown.iter().map(|(number, value)| (number.terms[0].0, vec![*value; LANES])).collect();
        Values { atoms, known, unknown }
    }

    /// Evaluates an expression with and without knowing the values of atoms, and compares the results.
    fn evaluate(&mut self, expression: &Expression) -> Result<Option<(Number, Vec<i64>)>, TestCaseError> {
        let (number, exact) = match expression {
            Expression::Lane => (Number::each(|lane| lane as i64), (0..LANES as i64).collect()),
            Expression::Constant(number) => (Number::new(*number), vec![*number; LANES]),
            Expression::Unknown(which) => {
                let (number, value) = &self.unknown[*which];
                (number.clone(), vec![*value; LANES])
            }
            Expression::Operation(op, left, right) => {
                let Some((left, of_left)) = self.evaluate(left)? else { return Ok(None) };
                let Some((right, of_right)) = self.evaluate(right)? else { return Ok(None) };
                let pairs = of_left.iter().zip(&of_right);
                let exact: Exact = pairs.map(|(&x, &y)| exact(*op, x, y)).collect();
                let Some(exact) = exact.filter(|exact| exact.iter().all(|&it| it < 1 << 30)) else {
                    return Ok(None);
                };
                let number = self.atoms.arithmetic(*op, &left, &right, Ty::INT, Lanes::MAX);
                // A new atom has the value of the operation.
                if let [(atom, 1)] = number.terms[..] {
                    self.known.entry(atom).or_insert_with(|| exact.clone());
                }
                (number, exact)
            }
        };
        for (lane, &exact) in exact.iter().enumerate() {
            let terms = number.terms.iter().map(|(atom, factor)| factor * self.known[atom][lane]);
            prop_assert_eq!(
                terms.sum::<i64>() + number.offsets.at(lane),
                exact,
                "lane {} of {:?}",
                lane,
                expression
            );
        }
        // Equal numbers of lanes are claimed only where they are equal.
        let spread = self.atoms.spread(&number, Lanes::MAX) as usize;
        prop_assert!(
            exact.chunks(spread).all(|tile| tile.iter().all(|it| *it == tile[0])),
            "{:?}",
            expression
        );
        Ok(Some((number, exact)))
    }
}

fn exact(op: Arithmetic, x: i64, y: i64) -> Option<i64> {
    match op {
        Arithmetic::Add => x.checked_add(y),
        Arithmetic::Mul => x.checked_mul(y),
        Arithmetic::Div => x.checked_div(y),
        Arithmetic::Rem => x.checked_rem(y),
        Arithmetic::And => Some(x & y),
        Arithmetic::Or => Some(x | y),
        Arithmetic::Xor => Some(x ^ y),
        _ => None,
    }
}

fn comparison() -> impl Strategy<Value = Comparison> {
    prop_oneof![
        Just(Comparison::Less),
        Just(Comparison::LessEqual),
        Just(Comparison::Greater),
        Just(Comparison::GreaterEqual),
    ]
}

proptest! {
    #[test]
    fn symbolic_numbers_have_the_exact_values(
        expression in expression(),
        values in proptest::collection::vec(0..100_i64, 3),
    ) {
        Values::of(&values).evaluate(&expression)?;
    }

    /// After each decision about `n / divisor` and a constant, some `n` agrees with all decisions so far.
    #[test]
    fn some_number_agrees_with_all_decisions(
        asked in proptest::collection::vec((comparison(), -20..20_i64, 0..4_u32, any::<bool>()), 1..12),
    ) {
        let mut atoms = Atoms::default();
        let mut decisions = Decisions::default();
        let n = atoms.fresh(UNIFORM);
        decisions.assume_at_least(&n, 0);
        let mut decided: Vec<(Comparison, i64, i64, bool)> = Vec::new();
        for (op, constant, shift, wish) in asked {
            let divisor = 1_i64 << shift;
            let quotient =
                atoms.arithmetic(Arithmetic::Div, &n, &Number::new(divisor), Ty::INT, Lanes::MAX);
            let condition = atoms.compare(op, &quotient, &Number::new(constant), Lanes::MAX);
            let truth = decisions.truth(&mut atoms, &condition, Lanes::MAX, Wish::All(wish));
            prop_assert!(truth.lanes == 0 || truth.lanes == Lanes::MAX);
            decided.push((op, constant, divisor, truth.lanes != 0));
            let agrees = |n: i64| {
                decided.iter().all(|&(op, constant, divisor, truth)| holds(op, n / divisor - constant) == truth)
            };
            prop_assert!((0..400).any(agrees), "{:?}", decided);
        }
    }
}

/// Returns the races of a kernel in text form, in blocks of 64 threads.
fn found(kernel: &str) -> Vec<Race> {
    let mut function = text::read(kernel).unwrap();
    ssa::construct(&mut function);
    let builtin = |callee: &Callee| {
        let operation = match callee.name()?.as_str() {
            "lane" => Operation::Index(Index::Local),
            "wait" => Operation::Barrier(Barrier::default()),
            "wait_for" => Operation::Barrier(Barrier::default()),
            _ => return None,
        };
        let mask = (callee.name()?.as_str() == "wait_for").then_some(0);
        Some(BuiltinCall { operation, scope: Scope::Subgroup, convergent: true, divergent: false, mask })
    };
    let kernel = NumberedFunction { number: 0, function: &function };
    races(&KernelInputs { kernel, called: &|_| None, builtin: &builtin, local_size: [64, 1, 1] })
}

/// A kernel that stores an element, and then reads the element of another lane.
fn exchange(between: &str) -> String {
    format!(
        "function k(%s: global int *, %r: global int *) kernel {{
entry:
  %l = call int lane()
  %a = element int %s, %l
  store %l, %a
{between}
  %o = xor %l, 1
  %b = element int %s, %o
  %x = load int %b
  %c = element int %r, %l
  store %x, %c
  return
}}"
    )
}

#[test]
fn only_a_barrier_orders_a_store_and_a_read() {
    let races = found(&exchange(""));
    assert_eq!(races.len(), 1, "{races:?}");
    assert!(races[0].first_stores && races[0].is_certain);
    assert_eq!((races[0].first_lane, races[0].second_lane), (0, 1));
    assert_eq!(found(&exchange("  call wait() convergent")), []);
    // An unknown function may contain a barrier.
    assert_eq!(found(&exchange("  call other()")), []);
}

#[test]
fn barrier_with_a_mask_orders_its_lanes() {
    let halves = "  %h = and %l, 16\n  %m = shl int 65535, %h\n  call wait_for(%m) convergent";
    assert_eq!(found(&exchange(halves)), [], "lanes l and l ^ 1 are in one half");
    let even = "  %h = and %l, 1\n  %m = shl int 1431655765, %h\n  call wait_for(%m) convergent";
    assert_eq!(found(&exchange(even)).len(), 1, "lanes l and l ^ 1 are in different masks");
}
