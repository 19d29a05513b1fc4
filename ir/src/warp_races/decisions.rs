//! The decisions of an execution at branches whose condition is unknown, and what follows from them.
//!
//! **Site**: a branch on one path of calls. **Bounds**: the least and the greatest value of a sum of atoms, after the
//! decisions so far.
//!
//! ```c
//! if (i < n) f();          // decided: all lanes, so n > 31
//! if (n == 0) g();         // follows: no lane
//! if (lane == k) h();      // decided: lane 0, so k = 0
//! if (p[lane]) e();        // decided: all lanes; in a further execution, every second lane
//! ```

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::number::{AtomId, Atoms, LANES, Lanes, Number, Terms, UNIFORM, each_lane, holds};
use crate::flow::{BlockId, ValueId};
use crate::value::Comparison;

/// The limit on quotients of quotients whose bounds depend on each other.
const MAX_QUOTIENTS: u32 = 8;

/// The number of a path of calls. 0: no call.
pub(super) type PathId = u32;

/// The paths of calls of all executions.
#[derive(Default)]
pub(super) struct Paths(IndexSet<(PathId, ValueId), FxBuildHasher>);

impl Paths {
    /// Returns the path that continues another one by a call.
    pub fn of_call(&mut self, path: PathId, call: ValueId) -> PathId {
        self.0.insert_full((path, call)).0 as PathId + 1
    }
}

/// A branch on a path of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Site {
    pub path: PathId,
    pub block: BlockId,
}

/// How an execution differs from the first one at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// It takes the other side.
    OtherSide,
    /// Every second lane or tile takes one side, and the others the other one.
    BothSides,
}

/// A decision that an execution is to make.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish {
    /// All lanes have this truth, unless earlier decisions exclude it.
    All(bool),
    /// The truth holds in every second lane, if it is unknown in each lane.
    EverySecond,
}

/// The truth of a condition in some lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth {
    /// The lanes where it holds.
    pub lanes: Lanes,
    /// Whether it was open, so that a further execution may decide otherwise.
    pub was_open: bool,
    /// If it was open: how many consecutive lanes surely have the same truth.
    pub spread: u32,
}

/// The decisions of one execution.
#[derive(Default)]
pub(super) struct Decisions {
    /// The decided lanes of each condition, and the lanes where it holds.
    decided: FxHashMap<AtomId, (Lanes, Lanes)>,
    bounds: FxHashMap<Terms, (i64, i64)>,
}

impl Decisions {
    /// Returns the truth of a condition in some lanes: whether the number is not 0.
    pub fn truth(&mut self, atoms: &mut Atoms, condition: &Number, lanes: Lanes, wish: Wish) -> Truth {
        if condition.terms.is_empty() {
            let is_true = |lane: &usize| condition.offsets.at(*lane) != 0;
            let lanes = each_lane(lanes).filter(is_true).fold(0, |all, lane| all | 1 << lane);
            return Truth { lanes, was_open: false, spread: UNIFORM };
        }
        let same = condition.has_same_offset(lanes);
        let offset = condition.offsets.at(lanes.trailing_zeros() as usize % LANES);
        match condition.terms[..] {
            [(atom, 1)] if same && offset == 0 => self.of_atom(atoms, atom, lanes, wish),
            // The negation of a truth.
            [(atom, -1)] if same && offset == 1 => {
                let wish = match wish {
                    Wish::All(truth) => Wish::All(!truth),
                    Wish::EverySecond => Wish::EverySecond,
                };
                let found = self.of_atom(atoms, atom, lanes, wish);
                Truth { lanes: lanes & !found.lanes, ..found }
            }
            _ => {
                let condition = atoms.compare(Comparison::NotEqual, condition, &Number::new(0), lanes);
                self.truth(atoms, &condition, lanes, wish)
            }
        }
    }

    fn of_atom(&mut self, atoms: &Atoms, atom: AtomId, lanes: Lanes, wish: Wish) -> Truth {
        let (known, holding) = self.decided.get(&atom).copied().unwrap_or_default();
        let open = lanes & !known;
        if open == 0 {
            return Truth { lanes: holding & lanes, was_open: false, spread: UNIFORM };
        }
        let truth = match atoms.get(atom).compares.as_deref() {
            Some((op, number)) if atoms.spread_of_terms(number) == UNIFORM => {
                self.of_comparison(atoms, *op, number, open, wish)
            }
            _ => {
                let spread = atoms.get(atom).spread;
                let is_even = |lane: &usize| (lane / spread as usize).is_multiple_of(2);
                let lanes = match wish {
                    Wish::All(true) => open,
                    Wish::All(false) => 0,
                    Wish::EverySecond => each_lane(open).filter(is_even).fold(0, |all, lane| all | 1 << lane),
                };
                Truth { lanes, was_open: true, spread }
            }
        };
        // A uniform condition has the same truth in lanes that come later.
        let (known, holding) = match atoms.get(atom).spread {
            UNIFORM if truth.lanes != 0 => (Lanes::MAX, Lanes::MAX),
            UNIFORM => (Lanes::MAX, 0),
            _ => (known | open, holding | truth.lanes),
        };
        self.decided.insert(atom, (known, holding));
        Truth { lanes: holding & lanes, ..truth }
    }

    /// Returns the truth of a comparison with 0. The number has uniform terms.
    fn of_comparison(
        &mut self,
        atoms: &Atoms,
        op: Comparison,
        number: &Number,
        lanes: Lanes,
        wish: Wish,
    ) -> Truth {
        // Opposite sums have opposite bounds.
        if number.terms[0].1 < 0 {
            let mirrored = match op {
                Comparison::Less => Comparison::Greater,
                Comparison::Greater => Comparison::Less,
                Comparison::LessEqual => Comparison::GreaterEqual,
                Comparison::GreaterEqual => Comparison::LessEqual,
                op => op,
            };
            return self.of_comparison(atoms, mirrored, &number.times(-1), lanes, wish);
        }
        let (least, greatest) = self.bounds(atoms, &number.terms, MAX_QUOTIENTS);
        let truth = |lane: usize| {
            let offset = number.offsets.at(lane);
            let (low, high) = (least.saturating_add(offset), greatest.saturating_add(offset));
            match op {
                Comparison::Equal | Comparison::NotEqual if low > 0 || high < 0 => Some(holds(op, 1)),
                Comparison::Equal | Comparison::NotEqual => (low == 0 && high == 0).then(|| holds(op, 0)),
                _ => (holds(op, low) == holds(op, high)).then(|| holds(op, low)),
            }
        };
        let (mut holding, mut open): (Lanes, Lanes) = (0, 0);
        for lane in each_lane(lanes) {
            match truth(lane) {
                Some(holds) => holding |= u32::from(holds) << lane,
                None => open |= 1 << lane,
            }
        }
        if open == 0 {
            return Truth { lanes: holding, was_open: false, spread: UNIFORM };
        }
        let is_wished = !matches!(wish, Wish::All(false));
        let first = open.trailing_zeros() as usize;
        let offset = number.offsets.at(first);
        let (mut least, mut greatest) = (least, greatest);
        let offsets = || each_lane(open).map(|lane| number.offsets.at(lane));
        let chosen = match op {
            Comparison::Equal | Comparison::NotEqual => {
                // At most the lanes with the same offset have the number.
                let equal = (op == Comparison::Equal) == is_wished;
                let same = each_lane(open).filter(|lane| number.offsets.at(*lane) == offset);
                let same: Lanes = same.fold(0, |all, lane| all | 1 << lane);
                if equal {
                    (least, greatest) = (offset.wrapping_neg(), offset.wrapping_neg());
                } else if open == same && least == -offset {
                    least += 1;
                }
                match (op, equal) {
                    (Comparison::Equal, true) => same,
                    (Comparison::Equal, false) => 0,
                    (_, true) => open & !same,
                    (_, false) => open,
                }
            }
            _ => {
                let op = match (op, is_wished) {
                    (op, true) => op,
                    (Comparison::Less, _) => Comparison::GreaterEqual,
                    (Comparison::Greater, _) => Comparison::LessEqual,
                    (Comparison::LessEqual, _) => Comparison::Greater,
                    (_, _) => Comparison::Less,
                };
                let top = offsets().max().unwrap_or_default();
                let bottom = offsets().min().unwrap_or_default();
                match op {
                    Comparison::Less => greatest = greatest.min(top.saturating_neg().saturating_sub(1)),
                    Comparison::LessEqual => greatest = greatest.min(top.saturating_neg()),
                    Comparison::Greater => least = least.max(bottom.saturating_neg().saturating_add(1)),
                    _ => least = least.max(bottom.saturating_neg()),
                }
                if is_wished { open } else { 0 }
            }
        };
        self.set_bounds(atoms, &number.terms, (least, greatest));
        Truth { lanes: holding | chosen, was_open: true, spread: UNIFORM }
    }

    /// Returns the least and the greatest value of a sum. A quotient has the bounds of its dividend, divided.
    fn bounds(&self, atoms: &Atoms, terms: &Terms, depth: u32) -> (i64, i64) {
        let (mut least, mut greatest) = self.bounds.get(terms).copied().unwrap_or((i64::MIN, i64::MAX));
        if let (Some((dividend, divisor)), true) = (quotient(atoms, terms), depth > 0) {
            let (low, high) = self.bounds(atoms, &dividend.terms, depth - 1);
            let Some(offset) = dividend.offsets.same() else { return (least, greatest) };
            if low != i64::MIN {
                least = least.max(low.saturating_add(offset) / divisor);
            }
            if high != i64::MAX {
                greatest = greatest.min(high.saturating_add(offset) / divisor);
            }
        }
        (least, greatest)
    }

    /// Sets the bounds of a sum, and of the dividends that it is a quotient of.
    fn set_bounds(&mut self, atoms: &Atoms, terms: &Terms, (least, greatest): (i64, i64)) {
        let mut terms = terms.clone();
        let (mut least, mut greatest) = (least, greatest);
        for _ in 0..MAX_QUOTIENTS {
            let (low, high) = self.bounds.get(&terms).copied().unwrap_or((i64::MIN, i64::MAX));
            (least, greatest) = (least.max(low), greatest.min(high));
            self.bounds.insert(terms.clone(), (least, greatest));
            let Some(&(ref dividend, divisor)) = quotient(atoms, &terms) else { break };
            let Some(offset) = dividend.offsets.same() else { break };
            // A quotient of 0 says little about the sign of its dividend.
            least = match least {
                1.. => least.saturating_mul(divisor).saturating_sub(offset),
                _ => i64::MIN,
            };
            greatest = match greatest {
                i64::MAX | i64::MIN..0 => i64::MAX,
                _ => greatest.saturating_mul(divisor).saturating_add(divisor - 1 - offset),
            };
            terms = dividend.terms.clone();
        }
    }

    /// Records that a number is at least `least`.
    pub fn assume_at_least(&mut self, number: &Number, least: i64) {
        self.bounds.insert(number.terms.clone(), (least, i64::MAX));
    }
}

/// Returns the dividend and the divisor of a sum that is one quotient. The terms of the dividend are ordered as in bounds.
fn quotient<'a>(atoms: &'a Atoms, terms: &Terms) -> Option<&'a (Number, i64)> {
    match terms[..] {
        [(atom, 1)] => {
            let quotient = atoms.get(atom).quotient.as_deref();
            quotient.filter(|(dividend, _)| dividend.terms.first().is_some_and(|(_, factor)| *factor > 0))
        }
        _ => None,
    }
}
