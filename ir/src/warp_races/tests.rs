//! Laws of numbers and decisions, and races of small functions in text form.

use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::decisions::{Decisions, Wish};
use super::number::{AtomId, Atoms, LANES, Lanes, Number, UNIFORM, holds};
use super::screen::Screened;
use super::{BuiltinCall, KernelInputs, NumberedFunction, Place, Race, races, search};
use crate::flow::{Callee, ssa};
use crate::operation::{Barrier, Index as Id, Operation};
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
    search_with(kernel, &|inputs| races(inputs))
}

/// Calls a search with a kernel in text form, in blocks of 64 threads.
fn search_with(kernel: &str, search: &dyn Fn(&KernelInputs) -> Vec<Race>) -> Vec<Race> {
    let mut function = text::read(kernel).unwrap();
    ssa::construct(&mut function);
    let builtin = |callee: &Callee| {
        let operation = match callee.name()?.as_str() {
            "lane" => Operation::Index(Id::Local),
            "wait" => Operation::Barrier(Barrier::default()),
            "wait_for" => Operation::Barrier(Barrier::default()),
            _ => return None,
        };
        let mask = (callee.name()?.as_str() == "wait_for").then_some(0);
        Some(BuiltinCall { operation, scope: Scope::Subgroup, convergent: true, divergent: false, mask })
    };
    let kernel = NumberedFunction { number: 0, function: &function };
    search(&KernelInputs { kernel, called: &|_| None, builtin: &builtin, local_size: [64, 1, 1] })
}

/// A statement of a random kernel.
#[derive(Clone, Debug)]
enum Statement {
    /// Stores the lane to an element of an array.
    Store(usize, Index),
    /// Loads an element of an array, and the condition of the next branch from it.
    Load(usize, Index),
    /// Stores the value of the last load to an element of an array.
    Pass(usize, Index),
    Wait,
    If(Condition, Vec<Statement>, Vec<Statement>),
    Loop(Vec<Statement>),
}

#[derive(Clone, Copy, Debug)]
enum Index {
    Own,
    Neighbour,
    First,
    Loaded,
}

#[derive(Clone, Copy, Debug)]
enum Condition {
    OfLane,
    OfArgument,
    Loaded,
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let index =
        prop_oneof![Just(Index::Own), Just(Index::Neighbour), Just(Index::First), Just(Index::Loaded)];
    let condition =
        prop_oneof![Just(Condition::OfLane), Just(Condition::OfArgument), Just(Condition::Loaded)];
    let leaf = prop_oneof![
        (0..3_usize, index.clone()).prop_map(|(array, index)| Statement::Store(array, index)),
        (0..3_usize, index.clone()).prop_map(|(array, index)| Statement::Load(array, index)),
        (0..3_usize, index).prop_map(|(array, index)| Statement::Pass(array, index)),
        Just(Statement::Wait),
        Just(Statement::Wait),
    ];
    let statement = leaf.prop_recursive(3, 12, 4, move |inner| {
        let some = prop::collection::vec(inner, 0..4);
        prop_oneof![
            (condition.clone(), some.clone(), some.clone())
                .prop_map(|(condition, then, otherwise)| Statement::If(condition, then, otherwise)),
            some.prop_map(Statement::Loop),
        ]
    });
    prop::collection::vec(statement, 1..7)
}

/// Writes statements as text.
#[derive(Default)]
struct Writer {
    text: String,
    /// The declarations of the counters of loops.
    slots: String,
    next: usize,
}

impl Writer {
    fn name(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// Writes the address of an element, and returns its number.
    fn address(&mut self, array: usize, index: Index) -> usize {
        let id = self.name();
        match index {
            Index::Own => self.line(&format!("  %i{id} = add %l, 0")),
            Index::Neighbour => self.line(&format!("  %i{id} = xor %l, 1")),
            Index::First => self.line(&format!("  %i{id} = and %l, 0")),
            Index::Loaded => self.line(&format!("  %i{id} = load int %v")),
        }
        self.line(&format!("  %a{id} = element int %p{array}, %i{id}"));
        id
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Store(array, index) => {
                    let id = self.address(*array, *index);
                    self.line(&format!("  store %l, %a{id}"));
                }
                Statement::Load(array, index) => {
                    let id = self.address(*array, *index);
                    self.line(&format!("  %x{id} = load int %a{id}\n  store %x{id}, %v"));
                }
                Statement::Pass(array, index) => {
                    let id = self.address(*array, *index);
                    self.line(&format!("  %x{id} = load int %v\n  store %x{id}, %a{id}"));
                }
                Statement::Wait => self.line("  call wait() convergent"),
                Statement::If(condition, then, otherwise) => {
                    let id = self.name();
                    match condition {
                        Condition::OfLane => self.line(&format!("  %c{id} = lt %l, 7")),
                        Condition::OfArgument => self.line(&format!("  %c{id} = lt %n, 7")),
                        Condition::Loaded => {
                            self.line(&format!("  %x{id} = load int %v\n  %c{id} = lt %x{id}, 7"));
                        }
                    }
                    self.line(&format!("  branch %c{id}, then{id}, else{id}\nthen{id}:"));
                    self.statements(then);
                    self.line(&format!("  jump end{id}\nelse{id}:"));
                    self.statements(otherwise);
                    self.line(&format!("  jump end{id}\nend{id}:"));
                }
                Statement::Loop(body) => {
                    let id = self.name();
                    self.slots += &format!("  slot %k{id}: int\n");
                    self.line(&format!("  store int 0, %k{id}\n  jump head{id}\nhead{id}:"));
                    self.line(&format!("  %y{id} = load int %k{id}\n  %c{id} = lt %y{id}, 2"));
                    self.line(&format!("  branch %c{id}, body{id}, end{id}\nbody{id}:"));
                    self.line(&format!("  %z{id} = add %y{id}, 1\n  store %z{id}, %k{id}"));
                    self.statements(body);
                    self.line(&format!("  jump head{id}\nend{id}:"));
                }
            }
        }
    }

    fn kernel(mut self, statements: &[Statement]) -> String {
        self.statements(statements);
        let Writer { text, slots, .. } = self;
        format!(
            "function k(%p0: local int *, %p1: global int *, %p2: global int *, %n: int) kernel {{
  slot %v: int
{slots}entry:
  store int 0, %v
  %l = call int lane()
{text}  return
}}"
        )
    }
}

/// Whether the numbers of a kernel depend on values in memory.
fn passes_values(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Store(_, index) | Statement::Load(_, index) => matches!(index, Index::Loaded),
        Statement::Pass(..) => true,
        Statement::Wait => false,
        Statement::If(condition, then, otherwise) => {
            matches!(condition, Condition::Loaded) || passes_values(then) || passes_values(otherwise)
        }
        Statement::Loop(body) => passes_values(body),
    })
}

proptest! {
    /// Each race is between accesses to candidates. Without the values that are not needed, an execution finds the same
    /// races. Numbers in private memory may be more exact then, so kernels that pass them on are not compared.
    #[test]
    fn screen_loses_no_races(statements in statements()) {
        let kernel = Writer::default().kernel(&statements);
        let all = search_with(&kernel, &|inputs| search(inputs, &Screened::everything(inputs)));
        let of_candidates = search_with(&kernel, &|inputs| {
            let screened = Screened::of(inputs);
            let is_candidate = |place: Place| screened.accesses_candidate(place.value);
            all.iter().filter(|race| is_candidate(race.first) && is_candidate(race.second)).copied().collect()
        });
        prop_assert_eq!(&of_candidates, &all, "{}", &kernel);
        if !passes_values(&statements) {
            prop_assert_eq!(found(&kernel), all, "{}", kernel);
        }
    }
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
