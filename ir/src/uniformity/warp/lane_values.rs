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

use smallvec::SmallVec;

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

/// One item for each lane. Most values are the same in all lanes, or unknown in all, so these take no memory for each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lanes<T> {
    /// All lanes have this item.
    Same(T),
    /// The items of the lanes. They are not all the same.
    Each(Rc<[T]>),
}

impl<T: Copy + PartialEq> Lanes<T> {
    /// Returns the lanes with these items, at least one.
    fn of(items: impl IntoIterator<Item = T>) -> Lanes<T> {
        let items: SmallVec<[T; 32]> = items.into_iter().collect();
        match items.iter().all(|it| *it == items[0]) {
            true => Lanes::Same(items[0]),
            false => Lanes::Each(Rc::from(&*items)),
        }
    }

    pub fn at(&self, lane: usize) -> T {
        match self {
            Lanes::Same(item) => *item,
            Lanes::Each(items) => items[lane],
        }
    }

    /// Whether all lanes have the same item.
    pub fn are_same(&self) -> bool {
        matches!(self, Lanes::Same(_))
    }

    pub fn all(&self, holds: impl Fn(T) -> bool) -> bool {
        match self {
            Lanes::Same(item) => holds(*item),
            Lanes::Each(items) => items.iter().all(|&item| holds(item)),
        }
    }

    pub fn map<U: Copy + PartialEq>(&self, of: impl Fn(T) -> U) -> Lanes<U> {
        match self {
            Lanes::Same(item) => Lanes::Same(of(*item)),
            Lanes::Each(items) => Lanes::of(items.iter().map(|&item| of(item))),
        }
    }

    /// Returns the results for the items of each lane.
    pub fn with<U: Copy, V: Copy + PartialEq>(&self, other: &Lanes<U>, of: impl Fn(T, U) -> V) -> Lanes<V> {
        match (self, other) {
            (Lanes::Same(a), Lanes::Same(b)) => Lanes::Same(of(*a, *b)),
            (Lanes::Same(a), Lanes::Each(other)) => Lanes::of(other.iter().map(|&b| of(*a, b))),
            (Lanes::Each(items), Lanes::Same(b)) => Lanes::of(items.iter().map(|&a| of(a, *b))),
            (Lanes::Each(items), Lanes::Each(other)) => {
                Lanes::of(items.iter().zip(&**other).map(|(&a, &b)| of(a, b)))
            }
        }
    }

    /// Returns the item of each of `size` lanes.
    fn to_vec(&self, size: u32) -> Vec<T> {
        (0..size as usize).map(|lane| self.at(lane)).collect()
    }
}

/// The value in each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneValues {
    /// The number of lanes.
    size: u32,
    lanes: Lanes<LaneValue>,
    /// The values have a shared base, a multiple of 2 to this power. The lanes then have the offsets, as exact numbers.
    pub(super) shared: Option<u32>,
}

impl LaneValues {
    /// Returns the number in each lane. `None` for a lane: it is not known exactly.
    pub fn exact(&self) -> Vec<Option<i128>> {
        self.parts().map(LaneValue::exact).to_vec(self.size)
    }

    /// Returns the known part of the value in a lane.
    pub(super) fn at(&self, lane: usize) -> LaneValue {
        self.part(self.lanes.at(lane))
    }

    /// Returns the known part of the value in each lane.
    pub(super) fn parts(&self) -> Lanes<LaneValue> {
        match self.shared {
            Some(_) => self.lanes.map(|value| self.part(value)),
            None => self.lanes.clone(),
        }
    }

    fn part(&self, value: LaneValue) -> LaneValue {
        self.shared.map_or(value, |low| LaneValue::with_low_bits(value.number, low))
    }

    /// Returns the number in each lane, up to one unknown number that is the same in all lanes. `None`: lanes differ in an
    /// unknown way.
    pub fn offsets(&self) -> Option<Vec<i128>> {
        self.based().map(|(_, offsets)| offsets.to_vec(self.size))
    }

    /// Whether all lanes have the same number, known or unknown.
    pub fn is_uniform(&self) -> bool {
        self.based().is_some_and(|(_, offsets)| offsets.are_same())
    }

    /// Whether the numbers are unknown in all lanes.
    pub(super) fn is_unknown(&self) -> bool {
        self.shared.is_none() && self.lanes == Lanes::Same(LaneValue::UNKNOWN)
    }

    /// Returns the number that all lanes have. `None`: it is unknown, or lanes differ.
    pub(super) fn constant(&self) -> Option<i128> {
        match self.lanes {
            Lanes::Same(value) if self.shared.is_none() => value.exact(),
            _ => None,
        }
    }

    /// Returns the power of two that divides the shared base, and the offsets. An exact value has the base 0, which
    /// every power divides. `None`: neither.
    pub(super) fn based(&self) -> Option<(u32, Lanes<i128>)> {
        let is_exact = self.lanes.all(|value| value.exact().is_some());
        is_exact.then(|| (self.shared.unwrap_or(64), self.lanes.map(|value| value.number)))
    }

    /// Returns the known part of the value in each lane, without the base.
    pub(super) fn without_base(&self) -> LaneValues {
        LaneValues { lanes: self.parts(), shared: None, ..*self }
    }

    /// Returns the values with these known parts, one for each lane.
    pub(super) fn of(parts: impl Iterator<Item = LaneValue>) -> LaneValues {
        let mut size = 0;
        let lanes = Lanes::of(parts.inspect(|_| size += 1));
        LaneValues { size, lanes, shared: None }
    }

    /// Returns the value that is the same in all lanes.
    pub(super) fn same(value: LaneValue, size: u32) -> LaneValues {
        LaneValues { size, lanes: Lanes::Same(value), shared: None }
    }

    /// Returns the values with a shared base, a multiple of 2 to the power `low`, and no offsets.
    pub(super) fn shared(low: u32, size: u32) -> LaneValues {
        LaneValues::with_base(low, &Lanes::Same(0), size)
    }

    /// Returns the values with a shared base, a multiple of 2 to the power `low`, and these offsets.
    pub(super) fn with_base(low: u32, offsets: &Lanes<i128>, size: u32) -> LaneValues {
        LaneValues { size, lanes: offsets.map(LaneValue::new), shared: Some(low.min(64)) }
    }

    /// Returns the values with a shared base, whose offsets are the numbers of the lanes.
    pub(super) fn lane_numbers(low: u32, size: u32) -> LaneValues {
        LaneValues::with_base(low, &Lanes::of((0..size).map(i128::from)), size)
    }

    /// Returns the results for the known part of the value in each lane.
    pub(super) fn map(&self, of: impl Fn(LaneValue) -> LaneValue) -> LaneValues {
        LaneValues { lanes: self.parts().map(of), shared: None, ..*self }
    }

    /// Returns the results for the known parts of two values in each lane.
    pub(super) fn with(
        &self,
        other: &LaneValues,
        of: impl Fn(LaneValue, LaneValue) -> LaneValue,
    ) -> LaneValues {
        LaneValues { lanes: self.parts().with(&other.parts(), of), shared: None, ..*self }
    }

    /// Returns the values in an integer type. A shared base does not wrap in a type of at least 32 bits.
    pub(super) fn wrapped(&self, ty: Ty) -> LaneValues {
        let keeps_base = ty.as_integer().map_or(ty.is_unknown(), |integer| integer.bits() >= 32);
        match self.shared {
            Some(_) if keeps_base || ty == Ty::BOOL => self.clone(),
            _ => self.map(|value| value.wrapped(ty)),
        }
    }
}

pub(super) fn truth(holds: bool) -> LaneValue {
    LaneValue::new(holds.into())
}

/// Returns the result of an operation on two values as a value with a shared base, or as exact numbers. One of the values
/// must have a shared base. `None`: the lanes must be considered one by one.
pub(super) fn shared_arithmetic(op: Arithmetic, left: &LaneValues, right: &LaneValues) -> Option<LaneValues> {
    if left.shared.is_none() && right.shared.is_none() {
        return None;
    }
    let ((a, of_a), (b, of_b)) = (left.based()?, right.based()?);
    let low = a.min(b);
    let constant = right.constant();
    // A power of two on the right, as the number of its bit.
    let power = match op {
        Arithmetic::Shl | Arithmetic::Shr => constant.and_then(|it| u32::try_from(it).ok()),
        _ => constant.filter(|it| *it > 0 && it & (it - 1) == 0).map(i128::trailing_zeros),
    };
    let power = power.filter(|&power| power < 64);
    // The part of an offset that belongs to the multiples of the base.
    let in_one_part = of_a.map(|offset| offset >> low.min(63)).are_same();
    let size = left.size;
    let based = |low: u32, offsets: Lanes<i128>| LaneValues::with_base(low, &offsets, size);
    Some(match (op, power) {
        (Arithmetic::Add, _) => based(low, of_a.with(&of_b, i128::wrapping_add)),
        (Arithmetic::Sub, _) => based(low, of_a.with(&of_b, i128::wrapping_sub)),
        (Arithmetic::Mul, Some(power)) => based(a + power, of_a.map(|x| x << power)),
        (Arithmetic::Shl, Some(power)) => based(a + power, of_a.map(|x| x << power)),
        (Arithmetic::Div | Arithmetic::Shr, Some(power)) if power <= a => {
            based(a - power, of_a.map(|x| x >> power))
        }
        (Arithmetic::Div | Arithmetic::Shr, Some(_)) if in_one_part => LaneValues::shared(0, size),
        (Arithmetic::Rem, Some(power)) if power <= a => {
            let lanes = of_a.map(|x| LaneValue::new(x & ((1 << power) - 1)));
            LaneValues { size, lanes, shared: None }
        }
        (Arithmetic::Rem, Some(_)) if in_one_part => based(a, of_a.map(|x| x & ((1 << a) - 1))),
        (Arithmetic::Mul, None) if constant.is_some() => {
            let factor = constant?;
            based(a + factor.trailing_zeros().min(64), of_a.map(|x| x.wrapping_mul(factor)))
        }
        (Arithmetic::Mul, None) if left.constant().is_some() => return shared_arithmetic(op, right, left),
        // One number in all lanes.
        _ if of_a.are_same() && of_b.are_same() => {
            let value = arithmetic(op, left.at(0), right.at(0));
            match value.exact() {
                Some(_) => LaneValues::same(value, size),
                None => based(value.known_bits(), Lanes::Same(value.number)),
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
    let offsets = of_a.with(&of_b, i128::wrapping_sub);
    let part = |offset: i128| match op {
        Comparison::Less | Comparison::GreaterEqual => offset >> low,
        Comparison::Greater | Comparison::LessEqual => (offset - 1) >> low,
        Comparison::Equal | Comparison::NotEqual => offset,
    };
    offsets.map(part).are_same().then(|| match comparison(op, left.at(0), right.at(0)) {
        known if known.exact().is_some() => LaneValues::same(known, left.size),
        _ => LaneValues::shared(0, left.size),
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
