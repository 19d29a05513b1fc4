//! The values of an integer in the lanes of a warp, and their arithmetic.
//!
//! ```text
//! exact          0, 1, 2, 3                 the numbers of four lanes
//! low bits       …00, …01, …10, …11         the other bits of each lane are unknown
//! shared base    4b + 0, 4b + 1, 4b + 2     one unknown b for all lanes, a power of two, and an offset in each lane
//! ```
//!
//! The result of an operation has a shared base if its operands have one, and the result is again a base plus an offset:
//! their sum, their product with a constant. A comparison is decided where the offsets alone decide it.

use std::rc::Rc;

use crate::types::{Integer, Ty, TyKind};
use crate::value::{Arithmetic, Comparison, UnaryOp};

/// The known part of a number in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneValue {
    /// The number if it is exact. Otherwise its known low bits; the other bits are 0.
    number: i128,
    /// How many low bits are known, at most 64. `None`: the number is exact.
    low: Option<u32>,
}

impl LaneValue {
    /// Nothing is known of the number.
    pub const UNKNOWN: LaneValue = LaneValue { number: 0, low: Some(0) };

    /// Returns a number that is known exactly.
    pub const fn new(number: i128) -> LaneValue {
        LaneValue { number, low: None }
    }

    /// Returns a number with the lowest `low` bits of `number`. Its other bits are unknown.
    pub(super) fn with_low_bits(number: i128, low: u32) -> LaneValue {
        let low = low.min(64);
        LaneValue { number: number & ((1 << low) - 1), low: Some(low) }
    }

    /// Returns the number. `None` if it is not known exactly.
    pub fn exact(self) -> Option<i128> {
        match self.low {
            None => Some(self.number),
            Some(_) => None,
        }
    }

    /// Returns the number of known low bits. 64 if the number is exact.
    pub(super) fn known_bits(self) -> u32 {
        self.low.unwrap_or(64)
    }

    /// Returns the number of low bits that are known to be 0.
    fn zeros(self) -> u32 {
        match self.number {
            0 => self.known_bits(),
            number => number.trailing_zeros(),
        }
    }

    /// Whether the number is known not to be the other one.
    fn differs(self, other: LaneValue) -> bool {
        let common = self.known_bits().min(other.known_bits());
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => a != b,
            _ => ((self.number ^ other.number) & ((1 << common) - 1)) != 0,
        }
    }

    /// Returns the common part of two numbers, for a number that is one of them.
    pub(super) fn either(self, other: LaneValue) -> LaneValue {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) if a == b => self,
            _ => {
                let equal = (self.number ^ other.number).trailing_zeros();
                let low = self.known_bits().min(other.known_bits()).min(equal);
                LaneValue::with_low_bits(self.number, low)
            }
        }
    }

    /// Returns the number in an integer type.
    pub(super) fn wrapped(self, ty: Ty) -> LaneValue {
        let TyKind::Integer(integer) = ty.kind() else { return self };
        if matches!(integer, Integer::Int128 | Integer::UInt128) {
            return self;
        }
        let bits = integer.bits();
        match self.low {
            Some(low) if low < bits => self,
            _ => {
                let low = self.number & ((1 << bits) - 1);
                let is_negative = integer.signed() && low >> (bits - 1) != 0;
                LaneValue::new(if is_negative { low - (1 << bits) } else { low })
            }
        }
    }

    /// Whether the number is not 0. `None`: unknown.
    pub(super) fn is_true(self) -> Option<bool> {
        match self.exact() {
            Some(number) => Some(number != 0),
            None => (self.number != 0).then_some(true),
        }
    }
}

/// The value in each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneValues {
    pub(super) lanes: Rc<[LaneValue]>,
    /// The values have a shared base, a multiple of 2 to this power. The lanes then have the offsets, as exact numbers.
    pub(super) shared: Option<u32>,
}

impl LaneValues {
    /// Returns the number in each lane. `None` for a lane: it is not known exactly.
    pub fn exact(&self) -> Vec<Option<i128>> {
        (0..self.lanes.len()).map(|lane| self.at(lane).exact()).collect()
    }

    /// Returns the known part of the value in a lane.
    pub(super) fn at(&self, lane: usize) -> LaneValue {
        let value = self.lanes[lane];
        self.shared.map_or(value, |low| LaneValue::with_low_bits(value.number, low))
    }

    /// Returns the number in each lane, up to one unknown number that is the same in all lanes. `None`: lanes differ in an
    /// unknown way.
    pub fn offsets(&self) -> Option<Vec<i128>> {
        self.based().map(|(_, offsets)| offsets)
    }

    /// Whether all lanes have the same number, known or unknown.
    pub fn is_uniform(&self) -> bool {
        self.based().is_some_and(|(_, offsets)| are_equal(&offsets))
    }

    /// Returns the number that all lanes have. `None`: it is unknown, or lanes differ.
    pub(super) fn constant(&self) -> Option<i128> {
        let first = self.lanes.first()?.exact().filter(|_| self.shared.is_none())?;
        self.lanes.iter().all(|value| value.exact() == Some(first)).then_some(first)
    }

    /// Returns the power of two that divides the shared base, and the offsets. An exact value has the base 0, which
    /// every power divides. `None`: neither.
    pub(super) fn based(&self) -> Option<(u32, Vec<i128>)> {
        let offsets = self.lanes.iter().map(|value| value.exact());
        Some((self.shared.unwrap_or(64), offsets.collect::<Option<Vec<i128>>>()?))
    }

    /// Returns the known part of the value in each lane, without the base.
    pub(super) fn without_base(&self) -> LaneValues {
        LaneValues::of((0..self.lanes.len()).map(|lane| self.at(lane)))
    }

    pub(super) fn of(lanes: impl Iterator<Item = LaneValue>) -> LaneValues {
        LaneValues { lanes: lanes.collect(), shared: None }
    }

    pub(super) fn with_base(low: u32, offsets: impl Iterator<Item = i128>) -> LaneValues {
        LaneValues { lanes: offsets.map(LaneValue::new).collect(), shared: Some(low.min(64)) }
    }

    /// Returns the values in an integer type. A shared base does not wrap in a type of at least 32 bits.
    pub(super) fn wrapped(&self, ty: Ty) -> LaneValues {
        let keeps_base = ty.as_integer().map_or(ty.is_unknown(), |integer| integer.bits() >= 32);
        match self.shared {
            Some(_) if keeps_base || ty == Ty::BOOL => self.clone(),
            _ => LaneValues::of((0..self.lanes.len()).map(|lane| self.at(lane).wrapped(ty))),
        }
    }
}

pub(super) fn truth(holds: bool) -> LaneValue {
    LaneValue::new(holds.into())
}

pub(super) fn are_equal(numbers: &[i128]) -> bool {
    numbers.iter().all(|number| *number == numbers[0])
}

/// Returns the result of an operation on two values as a value with a shared base, or as exact numbers. One of the values
/// must have a shared base. `None`: the lanes must be considered one by one.
pub(super) fn shared_arithmetic(op: Arithmetic, left: &LaneValues, right: &LaneValues) -> Option<LaneValues> {
    if left.shared.is_none() && right.shared.is_none() {
        return None;
    }
    let ((a, of_a), (b, of_b)) = (left.based()?, right.based()?);
    let low = a.min(b);
    let pairs = || of_a.iter().zip(&of_b);
    let constant = right.constant();
    // A power of two on the right, as the number of its bit.
    let power = match op {
        Arithmetic::Shl | Arithmetic::Shr => constant.and_then(|it| u32::try_from(it).ok()),
        _ => constant.filter(|it| *it > 0 && it & (it - 1) == 0).map(i128::trailing_zeros),
    };
    let power = power.filter(|&power| power < 64);
    // The part of an offset that belongs to the multiples of the base.
    let multiple = |offset: &i128| offset >> low.min(63);
    let in_one_part = are_equal(&of_a.iter().map(multiple).collect::<Vec<_>>());
    let uniform = LaneValues::with_base(0, of_a.iter().map(|_| 0));
    Some(match (op, power) {
        (Arithmetic::Add, _) => LaneValues::with_base(low, pairs().map(|(x, y)| x.wrapping_add(*y))),
        (Arithmetic::Sub, _) => LaneValues::with_base(low, pairs().map(|(x, y)| x.wrapping_sub(*y))),
        (Arithmetic::Mul, Some(power)) => LaneValues::with_base(a + power, of_a.iter().map(|x| x << power)),
        (Arithmetic::Shl, Some(power)) => LaneValues::with_base(a + power, of_a.iter().map(|x| x << power)),
        (Arithmetic::Div | Arithmetic::Shr, Some(power)) if power <= a => {
            LaneValues::with_base(a - power, of_a.iter().map(|x| x >> power))
        }
        (Arithmetic::Div | Arithmetic::Shr, Some(_)) if in_one_part => uniform,
        (Arithmetic::Rem, Some(power)) if power <= a => {
            LaneValues::of(of_a.iter().map(|x| LaneValue::new(x & ((1 << power) - 1))))
        }
        (Arithmetic::Rem, Some(_)) if in_one_part => {
            LaneValues::with_base(a, of_a.iter().map(|x| x & ((1 << a) - 1)))
        }
        (Arithmetic::Mul, None) if constant.is_some() => {
            let factor = constant?;
            LaneValues::with_base(
                a + factor.trailing_zeros().min(64),
                of_a.iter().map(|x| x.wrapping_mul(factor)),
            )
        }
        (Arithmetic::Mul, None) if left.constant().is_some() => return shared_arithmetic(op, right, left),
        // One number in all lanes.
        _ if are_equal(&of_a) && are_equal(&of_b) => {
            let value = arithmetic(op, left.at(0), right.at(0));
            match value.exact() {
                Some(_) => LaneValues::of(of_a.iter().map(|_| value)),
                None => LaneValues::with_base(value.known_bits(), of_a.iter().map(|_| value.number)),
            }
        }
        _ => return None,
    })
}

/// Returns whether a relation between two values holds, if this is the same in all lanes. One of the values must have a
/// shared base. `None`: the lanes must be considered one by one.
pub(super) fn shared_comparison(op: Comparison, left: &LaneValues, right: &LaneValues) -> Option<LaneValues> {
    if left.shared.is_none() && right.shared.is_none() {
        return None;
    }
    let ((a, of_a), (b, of_b)) = (left.based()?, right.based()?);
    let low = a.min(b).min(63);
    // The difference is a multiple of the base plus these offsets. Offsets in one part do not change its sign.
    let offsets: Vec<i128> = of_a.iter().zip(&of_b).map(|(x, y)| x.wrapping_sub(*y)).collect();
    let part = |offset: &i128| match op {
        Comparison::Less | Comparison::GreaterEqual => offset >> low,
        Comparison::Greater | Comparison::LessEqual => (offset - 1) >> low,
        Comparison::Equal | Comparison::NotEqual => *offset,
    };
    let is_same = are_equal(&offsets.iter().map(part).collect::<Vec<_>>());
    is_same.then(|| match comparison(op, left.at(0), right.at(0)) {
        known if known.exact().is_some() => LaneValues::of(offsets.iter().map(|_| known)),
        _ => LaneValues::with_base(0, offsets.iter().map(|_| 0)),
    })
}

/// Returns the result of an operation on a number of this type.
pub(super) fn unary(op: UnaryOp, value: LaneValue, ty: Ty) -> LaneValue {
    let of_bits = |number: i128| match value.low {
        None => LaneValue::new(number),
        Some(low) => LaneValue::with_low_bits(number, low),
    };
    match op {
        UnaryOp::Complement if ty == Ty::BOOL => {
            value.is_true().map_or(LaneValue::UNKNOWN, |holds| truth(!holds))
        }
        UnaryOp::Complement => of_bits(!value.number),
        UnaryOp::Negate => of_bits(value.number.wrapping_neg()),
    }
}

/// Returns the result of an operation on two integers.
pub(super) fn arithmetic(op: Arithmetic, a: LaneValue, b: LaneValue) -> LaneValue {
    if let (Some(a), Some(b)) = (a.exact(), b.exact()) {
        return exact_arithmetic(op, a, b).map_or(LaneValue::UNKNOWN, LaneValue::new);
    }
    let low = a.known_bits().min(b.known_bits());
    let (x, y) = (a.number, b.number);
    // A power of two on the right, as the number of its bit.
    let power = b.exact().filter(|&it| it > 0 && it & (it - 1) == 0).map(i128::trailing_zeros);
    let count = || b.exact().and_then(|count| u32::try_from(count).ok()).filter(|&count| count < 64);
    let less = |by: u32| LaneValue::with_low_bits(x >> by, a.known_bits().saturating_sub(by));
    match op {
        Arithmetic::Add => LaneValue::with_low_bits(x.wrapping_add(y), low),
        Arithmetic::Sub => LaneValue::with_low_bits(x.wrapping_sub(y), low),
        Arithmetic::Or => LaneValue::with_low_bits(x | y, low),
        Arithmetic::Xor => LaneValue::with_low_bits(x ^ y, low),
        Arithmetic::Mul => {
            let (of_a, of_b) = (a.low.map(|low| low + b.zeros()), b.low.map(|low| low + a.zeros()));
            let known = of_a.unwrap_or(64).min(of_b.unwrap_or(64));
            LaneValue::with_low_bits(x.wrapping_mul(y), known)
        }
        Arithmetic::And => {
            let fits = |mask: LaneValue, other: LaneValue| {
                mask.exact().is_some_and(|it| it >= 0 && it >> other.known_bits() == 0)
            };
            match fits(a, b) || fits(b, a) {
                true => LaneValue::new(x & y),
                false => LaneValue::with_low_bits(x & y, low),
            }
        }
        Arithmetic::Shl => match count() {
            Some(count) => LaneValue::with_low_bits(x << count, a.known_bits() + count),
            None => LaneValue::UNKNOWN,
        },
        Arithmetic::Shr => count().map_or(LaneValue::UNKNOWN, less),
        Arithmetic::Div => power.map_or(LaneValue::UNKNOWN, less),
        Arithmetic::Rem => match power {
            Some(bits) if bits <= a.known_bits() => LaneValue::new(x & ((1 << bits) - 1)),
            _ => LaneValue::UNKNOWN,
        },
    }
}

/// Returns the result of an operation on two known integers. `None`: it is undefined.
fn exact_arithmetic(op: Arithmetic, a: i128, b: i128) -> Option<i128> {
    let count = || u32::try_from(b).ok().filter(|&count| count < 64);
    match op {
        Arithmetic::Mul => a.checked_mul(b),
        Arithmetic::Div => a.checked_div(b),
        Arithmetic::Rem => a.checked_rem(b),
        Arithmetic::Add => a.checked_add(b),
        Arithmetic::Sub => a.checked_sub(b),
        Arithmetic::Shl => a.checked_mul(1 << count()?),
        Arithmetic::Shr => Some(a >> count()?),
        Arithmetic::And => Some(a & b),
        Arithmetic::Or => Some(a | b),
        Arithmetic::Xor => Some(a ^ b),
    }
}

pub(super) fn comparison(op: Comparison, a: LaneValue, b: LaneValue) -> LaneValue {
    match (a.exact(), b.exact()) {
        (Some(a), Some(b)) => truth(match op {
            Comparison::Less => a < b,
            Comparison::Greater => a > b,
            Comparison::LessEqual => a <= b,
            Comparison::GreaterEqual => a >= b,
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
        }),
        _ if a.differs(b) && op == Comparison::Equal => truth(false),
        _ if a.differs(b) && op == Comparison::NotEqual => truth(true),
        _ => LaneValue::UNKNOWN,
    }
}
