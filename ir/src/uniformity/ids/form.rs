//! Affine forms: integers as a base and ids with known factors.
//!
//! **Range** of an affine form in a group: the interval of the sum of its ids, with the residue of the rest, which all
//! threads of the group share. In a work-group, the rest is the base. In a sub-group of known size, it is the base plus
//! the ids of the first thread.
//!
//! ```text
//! 64·u + x, x below 64      range in a work-group: 0 to 63, residue: a multiple of 64
//!                           range in a sub-group of 16: 0 to 15, residue: a multiple of 16
//! ```

use std::ops::RangeInclusive;

use crate::scope::Scope;
use crate::types::{Integer, Ty};
use crate::uniformity::launch::Launch;

/// The number of the first unit for a constant of the build. A unit is a number with an unknown value that is the same
/// everywhere. Units 0 to 2 are the sizes of a work-group.
pub(super) const FIRST_BUILD_UNIT: u8 = 3;

/// The index of the factor of the number in the sub-group, after the factors of the three dimensions.
const LANE: usize = 3;

/// A number greater than any id.
const UNBOUNDED: i64 = 1 << 40;

/// The limit on numbers in an affine form. A sum of a few such numbers does not overflow `i64`.
const LARGEST: i64 = 1 << 46;

/// A congruence of a number that a group shares: the number minus `rest` is a multiple of `modulus`. If there is a unit
/// in `of_size`, it is a multiple of `modulus` times this [unit](UNITS). Modulus 0: the number is `rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::uniformity) struct Residue {
    modulus: i64,
    of_size: Option<u8>,
    /// A known divisor of that unit.
    divisor: i64,
    rest: i64,
}

/// An integer as a base and ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::uniformity) struct AffineForm {
    factors: [i64; 4],
    base: Residue,
    exactness: Exactness,
    /// Whether it may be negative.
    may_be_negative: bool,
    /// The dimension, if the number is the size of a work-group in that dimension.
    size_of: Option<u8>,
    /// A bound of its ids: a loop steps by this number from the local id on, and we assume that it steps over all
    /// threads of the work-group.
    stride: Option<Stride>,
    /// A positive [unit](UNITS) that all factors are multiplied by.
    scale: Option<u8>,
}

/// Whether a value is the number of its affine form. Ordered from least to most exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Exactness {
    /// It may have wrapped.
    No,
    /// Read as a signed value, the bits are the number, for example a negative `int` as a `size_t`.
    AsSigned,
    /// The value, as its type reads it, is the number.
    Yes,
}

/// The step of a loop that steps over all threads of a work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::uniformity) enum Stride {
    /// A known number, at least 1.
    Number(u32),
    /// A number, at least 1, times a [unit](UNITS).
    Times(u32, u8),
}

impl Residue {
    /// Any number.
    pub const ANY: Residue = Residue { modulus: 1, of_size: None, divisor: 1, rest: 0 };

    pub fn number(rest: i64) -> Residue {
        Residue { modulus: 0, of_size: None, divisor: 1, rest }
    }

    pub fn multiple_of(modulus: i64) -> Residue {
        Residue { modulus, of_size: None, divisor: 1, rest: 0 }
    }

    /// Returns the residue of a multiple of the work-group size.
    pub fn multiple_of_size(dimension: usize, launch: &Launch) -> Residue {
        match launch.local_size[dimension] {
            Some(size) => Residue::multiple_of(size.into()),
            None => {
                let rows =
                    launch.sub_group_size.filter(|_| launch.rows_are_whole_sub_groups && dimension == 0);
                let divisor = rows.map_or(1, i64::from);
                Residue { modulus: 1, of_size: u8::try_from(dimension).ok(), divisor, rest: 0 }
            }
        }
    }

    /// Turns a multiple of the work-group size into a multiple of the sub-group size, if rows consist of whole
    /// sub-groups.
    fn in_whole_rows(self, launch: &Launch) -> Residue {
        let size =
            launch.sub_group_size.filter(|_| launch.rows_are_whole_sub_groups && self.of_size == Some(0));
        let modulus = size.and_then(|size| self.modulus.checked_mul(size.into()));
        modulus.map_or(self, |modulus| {
            Residue { modulus, of_size: None, divisor: 1, ..self }.small().unwrap_or(Residue::ANY)
        })
    }

    /// Returns the greatest known divisor of the number minus its rest.
    fn in_numbers(self) -> i64 {
        if self.of_size.is_some() { self.modulus.saturating_mul(self.divisor) } else { self.modulus }
    }

    /// Normalises the rest. `None` if a number is too large.
    fn small(self) -> Option<Residue> {
        let rest = if self.modulus > 0 && self.of_size.is_none() {
            self.rest.rem_euclid(self.modulus)
        } else {
            self.rest
        };
        (self.modulus <= LARGEST && rest.abs() <= LARGEST).then_some(Residue { rest, ..self })
    }

    fn plus(self, other: Residue) -> Option<Residue> {
        let rest = self.rest.checked_add(other.rest)?;
        Residue { rest, ..common(self, other) }.small()
    }

    fn times_number(self, factor: i64) -> Option<Residue> {
        if factor == 0 {
            return Some(Residue::number(0));
        }
        let modulus = self.modulus.checked_mul(factor.checked_abs()?)?;
        Residue { modulus, rest: self.rest.checked_mul(factor)?, ..self }.small()
    }

    fn times(self, other: Residue) -> Option<Residue> {
        match (self, other) {
            (Residue { modulus: 0, rest, .. }, it) | (it, Residue { modulus: 0, rest, .. }) => {
                it.times_number(rest)
            }
            (sized @ Residue { of_size: Some(_), rest: 0, .. }, it)
            | (it, sized @ Residue { of_size: Some(_), rest: 0, .. }) => {
                let own = if it.of_size.is_some() { 1 } else { gcd(it.modulus, it.rest) };
                sized.times_number(own)
            }
            (a, b) if a.of_size.is_none() && b.of_size.is_none() => {
                let both = a.modulus.checked_mul(b.modulus)?;
                let modulus = gcd(both, gcd(a.modulus.checked_mul(b.rest)?, b.modulus.checked_mul(a.rest)?));
                Residue { modulus, of_size: None, divisor: 1, rest: a.rest.checked_mul(b.rest)? }.small()
            }
            _ => Some(Residue::ANY),
        }
    }

    /// Returns the residue of a number that has one of both residues.
    fn join(self, other: Residue) -> Residue {
        let common = common(self, other);
        let apart = self.rest.abs_diff(other.rest) as i64;
        if apart == 0 {
            return Residue { rest: self.rest, ..common };
        }
        // For any value of the unit, a multiple of it is a multiple of its known divisor, times the modulus.
        let modulus = gcd(common.in_numbers(), apart);
        let joined = Residue { modulus, of_size: None, divisor: 1, rest: self.rest };
        joined.small().unwrap_or(Residue::ANY)
    }
}

/// Returns the greatest common modulus of both, with rest 0.
fn common(a: Residue, b: Residue) -> Residue {
    let of_size = match (a, b) {
        (Residue { modulus: 0, .. }, it) | (it, Residue { modulus: 0, .. }) => it.of_size,
        _ => a.of_size.filter(|_| a.of_size == b.of_size),
    };
    let modulus = match of_size {
        Some(_) => gcd(a.modulus, b.modulus),
        None => gcd(a.in_numbers(), b.in_numbers()),
    };
    let divisor = if of_size.is_some() { a.divisor.max(b.divisor) } else { 1 };
    Residue { modulus, of_size, divisor, rest: 0 }
}

/// Returns the greatest common divisor. If one number is 0, that is the other one.
fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

/// The interval of the sum of ids in a group, and the residue of the rest.
struct Range {
    ids: RangeInclusive<i64>,
    residue: Residue,
}

impl Range {
    /// Returns the remainder of the smallest number modulo `by`, and the distance from the smallest to the greatest
    /// number. `None` if `by` does not divide the modulus.
    fn offset(&self, by: i64) -> Option<(i64, i64)> {
        if self.residue.of_size.is_some() || by == 0 || self.residue.modulus % by != 0 {
            return None;
        }
        let least = self.residue.rest.checked_add(*self.ids.start())?;
        Some((least.rem_euclid(by), self.width()))
    }

    fn width(&self) -> i64 {
        self.ids.end() - self.ids.start()
    }

    /// Returns the smallest and the greatest number, if the rest is known.
    fn numbers(&self) -> Option<(i64, i64)> {
        let rest = Some(self.residue.rest).filter(|_| self.residue.modulus == 0)?;
        Some((rest.checked_add(*self.ids.start())?, rest.checked_add(*self.ids.end())?))
    }
}

impl AffineForm {
    /// Returns a number without ids that is not negative.
    pub fn uniform(base: Residue) -> AffineForm {
        AffineForm {
            factors: [0; 4],
            base,
            exactness: Exactness::Yes,
            may_be_negative: false,
            size_of: None,
            stride: None,
            scale: None,
        }
    }

    /// Returns an unknown value. If its type is unknown, too, it counts as an `int`.
    pub fn leaf(ty: Ty) -> AffineForm {
        let ty = if ty.is_unknown() { Ty::INT } else { ty };
        ty.as_integer().map_or(
            AffineForm {
                may_be_negative: true,
                exactness: Exactness::No,
                ..AffineForm::uniform(Residue::ANY)
            },
            AffineForm::leaf_of,
        )
    }

    pub fn leaf_of(integer: Integer) -> AffineForm {
        AffineForm { may_be_negative: integer.signed(), ..AffineForm::uniform(Residue::ANY) }
    }

    pub fn number(number: i128, integer: Integer) -> AffineForm {
        match i64::try_from(number).ok().filter(|number| number.abs() <= LARGEST) {
            Some(number) => {
                AffineForm { may_be_negative: number < 0, ..AffineForm::uniform(Residue::number(number)) }
            }
            None => AffineForm::leaf_of(integer),
        }
    }

    /// Returns the local id of a dimension plus a base.
    pub fn id(dimension: usize, launch: &Launch, base: Residue) -> AffineForm {
        let mut form = AffineForm::uniform(base);
        if launch.local_size[dimension] != Some(1) {
            form.factors[dimension] = 1;
        }
        form
    }

    pub fn lane() -> AffineForm {
        AffineForm { factors: [0, 0, 0, 1], ..AffineForm::uniform(Residue::number(0)) }
    }

    /// Returns the local ids as one linear number. `None` if its factors are unknown.
    pub fn linear(launch: &Launch) -> Option<AffineForm> {
        let [x, y, z] = launch.local_size;
        let is_row = y == Some(1) && z == Some(1);
        let factors = match (x, y) {
            _ if is_row => [1, 0, 0, 0],
            (Some(x), Some(y)) => [1, i64::from(x), i64::from(x).checked_mul(y.into())?, 0],
            _ => return None,
        };
        let mut form = AffineForm { factors, ..AffineForm::uniform(Residue::number(0)) };
        for (factor, size) in form.factors.iter_mut().zip(launch.local_size) {
            *factor *= i64::from(size != Some(1));
        }
        form.small()
    }

    /// Returns a constant of the build.
    pub fn unit(unit: u8) -> AffineForm {
        AffineForm::uniform(Residue { modulus: 1, of_size: Some(unit), divisor: 1, rest: 0 })
    }

    /// Returns the size of a work-group.
    pub fn size(dimension: usize, launch: &Launch) -> AffineForm {
        match launch.local_size[dimension] {
            Some(size) => AffineForm::uniform(Residue::number(size.into())),
            None => {
                let base = Residue::multiple_of_size(dimension, launch);
                AffineForm { size_of: base.of_size, ..AffineForm::uniform(base) }
            }
        }
    }

    /// Returns the dimension, if this is the local id of a dimension.
    pub fn as_id(&self) -> Option<usize> {
        let id = |at: &usize| self.factors.iter().enumerate().all(|(of, &it)| it == i64::from(of == *at));
        (0..LANE).find(id).filter(|_| self.base == Residue::number(0) && self.scale.is_none())
    }

    /// Returns the affine form of the counter of a loop with this step.
    pub fn stepping_by(self, stride: Stride) -> AffineForm {
        AffineForm { stride: Some(stride), ..self }
    }

    /// Returns the limit on threads that the loop steps over, if it is a known number.
    fn most(&self) -> Option<u32> {
        match self.stride {
            Some(Stride::Number(most)) => Some(most),
            _ => None,
        }
    }

    /// Returns the affine form of any multiple of this number. `None` if its divisors are unknown.
    pub fn as_multiple(&self) -> Option<AffineForm> {
        let Residue { modulus, of_size, divisor, rest } = self.base;
        let modulus = match (self.has_ids() || !self.is_exact(), modulus) {
            (false, 0) => rest,
            (false, _) if rest == 0 => modulus,
            _ => return None,
        };
        let multiple = AffineForm::uniform(Residue { modulus, of_size, divisor, rest: 0 });
        (modulus > 0).then_some(AffineForm { may_be_negative: true, ..multiple })
    }

    /// Returns the step of a loop that adds this number to its counter.
    pub fn as_stride(&self) -> Option<Stride> {
        let Residue { modulus, of_size, rest, .. } = self.base;
        match (self.has_ids() || !self.is_exact(), of_size) {
            (true, _) => None,
            (false, None) if modulus == 0 => {
                u32::try_from(rest).ok().filter(|&it| it > 1).map(Stride::Number)
            }
            (false, Some(unit)) if unit >= FIRST_BUILD_UNIT && rest == 0 => {
                u32::try_from(modulus).ok().filter(|&it| it > 0).map(|times| Stride::Times(times, unit))
            }
            _ => None,
        }
    }

    /// Returns the affine form for callers, which number constants of the build differently. `None` if it has no ids,
    /// or if a factor is such a constant.
    pub fn for_callers(self) -> Option<AffineForm> {
        let is_unit = |unit: u8| unit >= FIRST_BUILD_UNIT;
        if self.scale.is_some() {
            return None;
        }
        let names_unit =
            self.base.of_size.is_some_and(is_unit) || matches!(self.stride, Some(Stride::Times(..)));
        let form = if names_unit { AffineForm { base: Residue::ANY, stride: None, ..self } } else { self };
        form.has_ids().then_some(form)
    }

    pub fn has_ids(&self) -> bool {
        self.factors != [0; 4]
    }

    pub fn is_exact(&self) -> bool {
        self.exactness == Exactness::Yes
    }

    /// Whether the bits of the value represent its number.
    pub fn has_bits_of_number(&self) -> bool {
        self.exactness > Exactness::No
    }

    /// Whether a comparison of the value with an exact value separates only threads that a comparison of the numbers
    /// separates. An unsigned value without ids that represents a negative number is greater than all exact values.
    pub fn keeps_order(&self) -> bool {
        self.is_exact() || self.has_bits_of_number() && !self.has_ids()
    }

    pub fn may_be_negative(&self) -> bool {
        self.may_be_negative
    }

    pub fn size_of(&self) -> Option<u8> {
        self.size_of
    }

    /// Returns the number, if it is known.
    pub fn as_number(&self) -> Option<i64> {
        (!self.has_ids() && self.base.modulus == 0).then_some(self.base.rest)
    }

    /// Returns an affine form without information, if the value may have wrapped and has no ids.
    pub fn or_unknown(self, integer: Integer) -> AffineForm {
        if self.has_ids() || self.has_bits_of_number() { self } else { AffineForm::leaf_of(integer) }
    }

    /// Returns the affine form of a value whose bits have to be read as signed to get the number.
    pub fn as_signed(self) -> AffineForm {
        AffineForm { exactness: self.exactness.min(Exactness::AsSigned), ..self }
    }

    /// Returns an exact affine form as a value of a type.
    pub fn in_type(self, integer: Integer) -> AffineForm {
        AffineForm { may_be_negative: self.may_be_negative && integer.signed(), ..self }
    }

    fn small(self) -> Option<AffineForm> {
        self.factors.iter().all(|factor| factor.abs() <= 1 << 20).then_some(self)
    }

    fn combined(
        self,
        other: AffineForm,
        of: impl Fn(i64, i64) -> i64,
        base: Option<Residue>,
    ) -> Option<AffineForm> {
        let factors = std::array::from_fn(|at| of(self.factors[at], other.factors[at]));
        let scale = match (self.has_ids(), other.has_ids()) {
            (true, true) if self.scale != other.scale => return None,
            (true, _) => self.scale,
            (false, _) => other.scale,
        };
        let form = AffineForm {
            scale,
            factors,
            base: base?,
            exactness: self.exactness.min(other.exactness),
            may_be_negative: self.may_be_negative || other.may_be_negative,
            size_of: None,
            stride: match (self.has_ids(), other.has_ids()) {
                (true, true) => self.stride.filter(|_| self.stride == other.stride),
                (true, false) => self.stride,
                _ => other.stride,
            },
        };
        form.small()
    }

    pub fn plus(self, other: AffineForm) -> Option<AffineForm> {
        self.combined(other, |a, b| a + b, self.base.plus(other.base))
    }

    /// Returns the difference of the signed numbers.
    pub fn minus(self, other: AffineForm) -> Option<AffineForm> {
        let base = other.base.times_number(-1).and_then(|other| self.base.plus(other));
        let form = self.combined(other, |a, b| a - b, base)?;
        Some(AffineForm { may_be_negative: true, ..form })
    }

    pub fn times_number(self, factor: i128, integer: Integer) -> Option<AffineForm> {
        let factor = i64::try_from(factor).ok().filter(|factor| factor.abs() <= LARGEST)?;
        let factors = self.factors.map(|it| it.saturating_mul(factor));
        let may_be_negative = self.may_be_negative || factor < 0;
        let base = self.base.times_number(factor)?;
        let form = AffineForm {
            factors,
            base,
            exactness: self.exactness,
            may_be_negative,
            size_of: None,
            stride: self.stride,
            scale: self.scale,
        };
        let keeps_sign = integer.signed() || factor >= 0;
        if keeps_sign { form } else { form.as_signed() }.small()
    }

    /// Returns the product. `None` if it has ids with unknown factors.
    pub fn times(self, other: AffineForm) -> Option<AffineForm> {
        if self.has_ids() || other.has_ids() {
            return None;
        }
        self.combined(other, |_, _| 0, self.base.times(other.base))
    }

    /// Returns the product with a number without ids, as a base: its ids are not known as such. `None` if both or none
    /// have ids.
    pub fn times_as_base(self, other: AffineForm) -> Option<AffineForm> {
        let (ids, factor) = match (self.has_ids(), other.has_ids()) {
            (true, false) => (self, other),
            (false, true) => (other, self),
            _ => return None,
        };
        let base = ids.combined(factor, |_, _| 0, Residue::ANY.times(factor.base))?;
        Some(AffineForm { stride: None, scale: None, ..base })
    }

    /// Returns the product with a unit. `None` if its factors are unknown.
    pub fn times_unit(self, unit: u8) -> Option<AffineForm> {
        let base = self.base.times(AffineForm::unit(unit).base)?;
        let is_scaled = self.has_ids() && self.scale.is_some();
        (!is_scaled).then_some(AffineForm { base, size_of: None, stride: None, scale: Some(unit), ..self })
    }

    /// Returns the affine form of a value that is one of both. `None` if their ids have different factors.
    pub fn join(self, other: AffineForm) -> Option<AffineForm> {
        if self.factors != other.factors || self.has_ids() && self.scale != other.scale {
            return None;
        }
        let size_of = self.size_of.filter(|_| self.size_of == other.size_of);
        Some(AffineForm { size_of, ..self.combined(other, |a, _| a, Some(self.base.join(other.base)))? })
    }

    /// Returns the affine form in another type. `None` if it is unknown there.
    pub fn converted(self, from: Integer, to: Integer) -> Option<AffineForm> {
        if from.bits() < 32 || !matches!(to.bits(), 32 | 64) {
            return None;
        }
        let exactness = match self.exactness {
            Exactness::Yes if self.may_be_negative && !to.signed() => Exactness::AsSigned,
            Exactness::Yes => Exactness::Yes,
            // The additional bits of a wider type are unknown.
            Exactness::No | Exactness::AsSigned if to.bits() > from.bits() => return None,
            Exactness::AsSigned if to.signed() => Exactness::Yes,
            it => it,
        };
        Some(AffineForm { exactness, ..self })
    }

    /// Returns the range in the groups of a scope. `None` if it is unknown.
    fn range(&self, scope: Scope, launch: &Launch) -> Option<Range> {
        if self.scale.is_some() && self.has_ids() {
            return None;
        }
        let lanes = launch.sub_group_size.map_or(UNBOUNDED, |size| i64::from(size) - 1);
        match scope {
            Scope::Workgroup => {
                let (mut least, mut most) = (0, 0);
                for (at, &factor) in self.factors.iter().enumerate().filter(|(_, factor)| **factor != 0) {
                    let last = match launch.local_size.get(at) {
                        Some(size) => size.or(self.most()).map_or(UNBOUNDED, |size| i64::from(size) - 1),
                        None => lanes,
                    };
                    let end = factor.saturating_mul(last);
                    least = end.min(0).saturating_add(least);
                    most = end.max(0).saturating_add(most);
                }
                let small = -LARGEST * 4..=LARGEST * 4;
                let is_small = small.contains(&least) && small.contains(&most);
                is_small.then_some(Range { ids: least..=most, residue: self.base })
            }
            Scope::Subgroup => {
                let [x, y, z, lane] = self.factors;
                let this = AffineForm { base: self.base.in_whole_rows(launch), ..*self };
                let (factor, residue) =
                    if (x, y, z) == (0, 0, 0) { (lane, this.base) } else { this.along_lanes(launch)? };
                let end = factor.saturating_mul(lanes);
                Some(Range { ids: end.min(0)..=end.max(0), residue })
            }
            Scope::None | Scope::Cluster | Scope::Grid => None,
        }
    }

    /// Returns the factor of the number in the sub-group, and the residue of the part that the sub-group shares.
    fn along_lanes(&self, launch: &Launch) -> Option<(i64, Residue)> {
        let size = i64::from(launch.sub_group_size?);
        let [x, y, z, lane] = self.factors;
        let step = self.base.plus(Residue::multiple_of(x.checked_mul(size)?.abs()))?;
        let [width, height, depth] = launch.local_size.map(|size| size.map(i64::from));
        // Each row consists of whole sub-groups, so the sub-group shares the other ids.
        if width.map_or(launch.rows_are_whole_sub_groups, |width| width % size == 0) {
            let shared = step.plus(Residue::multiple_of(y.abs()))?.plus(Residue::multiple_of(z.abs()))?;
            return Some((x + lane, shared));
        }
        // Rows are consecutive, and one linear number has these factors.
        let follows = |size: Option<i64>, before: i64, factor: i64| match size {
            Some(size) => before.checked_mul(size) == Some(factor),
            None => false,
        };
        let is_row = height == Some(1) && depth == Some(1);
        let planes = width.zip(height).map(|(width, height)| width.saturating_mul(height));
        let is_linear = is_row
            || ((height == Some(1) || follows(width, x, y)) && (depth == Some(1) || follows(planes, x, z)));
        is_linear.then_some((x + lane, step))
    }

    /// Whether the number is the same in all threads of a group, given the same base.
    pub fn is_uniform(&self, scope: Scope, launch: &Launch) -> bool {
        // All threads have the same scale.
        let ids = AffineForm { scale: None, ..*self };
        !self.has_ids() || ids.range(scope, launch).is_some_and(|range| range.width() == 0)
    }

    /// Whether the number is negative in all threads of a group, or in none, given the same base.
    pub fn has_one_sign(&self, scope: Scope, launch: &Launch) -> bool {
        if !self.has_ids() {
            return true;
        }
        if let Some((modulus, factor, rest)) = self.by_size(scope, launch) {
            // `rest + factor · id` is between two consecutive multiples of the modulus times the size.
            return match factor > 0 {
                true => factor <= modulus && (0..modulus).contains(&rest),
                // The same for the mirrored number: where it is negative, `-1 - rest` is not.
                false => -factor <= modulus && (0..modulus).contains(&(-1 - rest)),
            };
        }
        let Some(range) = self.range(scope, launch) else { return false };
        match range.numbers() {
            Some((least, most)) => least >= 0 || most < 0,
            None => range
                .offset(range.residue.modulus)
                .is_some_and(|(least, width)| least + width < range.residue.modulus),
        }
    }

    /// Whether this number is in a tile of the work-group, and `bound` is the start of a tile: `x·W + ids` and `y·W`
    /// for a [unit](UNITS) `W`. Then it is below `bound` in all threads of the work-group, or in none. We assume that
    /// the ids are below `W`.
    pub fn is_in_tile(&self, bound: &AffineForm) -> bool {
        let tile = |form: &AffineForm| {
            form.base.of_size.filter(|&unit| unit >= FIRST_BUILD_UNIT && form.base.rest == 0)
        };
        let has_tile = tile(self).is_some_and(|unit| tile(bound) == Some(unit));
        // Tiles of another size do not qualify, and neither do the elements that a loop steps over.
        let is_whole = self.base.modulus == bound.base.modulus && self.stride.is_none();
        has_tile && is_whole && !bound.has_ids() && self.factors.iter().all(|&factor| factor >= 0)
    }

    /// Whether the known properties of a difference hold in an unsigned type. A difference with known numbers must not
    /// be negative. Another one may be negative only in all threads of a work-group together.
    pub fn may_be_unsigned(&self, launch: &Launch) -> bool {
        match self.range(Scope::Workgroup, launch).and_then(|range| range.numbers()) {
            Some((least, _)) => least >= 0,
            None => self.has_one_sign(Scope::Workgroup, launch),
        }
    }

    /// Whether the number is not zero in any thread of a group, for any base.
    pub fn is_never_zero(&self, scope: Scope, launch: &Launch) -> bool {
        let Some(range) = self.range(scope, launch) else { return false };
        match range.numbers() {
            Some((least, most)) => least > 0 || most < 0,
            None => range
                .offset(range.residue.modulus)
                .is_some_and(|(least, width)| least > 0 && least + width < range.residue.modulus),
        }
    }

    /// Whether the quotient by a positive number, rounded down, is the same in all threads of a group, given the same
    /// base.
    pub fn has_one_quotient(&self, by: i64, scope: Scope, launch: &Launch) -> bool {
        let range = self.range(scope, launch);
        range.and_then(|range| range.offset(by)).is_some_and(|(least, width)| least + width < by)
    }

    /// The same for the quotient by the unknown size of a work-group in a dimension.
    pub fn has_one_quotient_by_size(&self, dimension: u8, scope: Scope, launch: &Launch) -> bool {
        let is_by =
            self.base.of_size.is_none_or(|size| size == dimension) && self.factors[dimension as usize] == 1;
        let is_multiple = self.base.of_size.is_some() || self.base.modulus == 0;
        let known = self.by_size(scope, launch);
        is_by && is_multiple && self.base.rest == 0 && known.is_some_and(|(_, factor, _)| factor == 1)
    }

    /// Returns the remainder modulo a positive number, if all threads of a work-group have the same quotient.
    pub fn remainder(&self, by: i64, launch: &Launch) -> Option<AffineForm> {
        if !self.has_one_quotient(by, Scope::Workgroup, launch) {
            return None;
        }
        let range = self.range(Scope::Workgroup, launch)?;
        let (least, _) = range.offset(by)?;
        let base = Residue::number(least.checked_sub(*range.ids.start())?);
        Some(AffineForm { base, exactness: Exactness::Yes, may_be_negative: false, size_of: None, ..*self })
    }

    /// Returns the modulus, the factor of the id and the rest. Only for a number with one id, where the size of the
    /// work-group in its dimension is unknown and divides the base minus the rest.
    fn by_size(&self, scope: Scope, launch: &Launch) -> Option<(i64, i64, i64)> {
        if scope != Scope::Workgroup || self.factors[LANE] != 0 || self.scale.is_some() {
            return None;
        }
        let mut ids = (0..LANE).filter(|&at| self.factors[at] != 0);
        let (at, None) = (ids.next()?, ids.next()) else { return None };
        let is_of_size = self.base.of_size.is_some_and(|size| usize::from(size) == at);
        if let (Some(Stride::Times(times, unit)), None) = (self.stride, launch.local_size[at])
            && self.base.of_size == Some(unit)
        {
            // The ids are below `times` times the unit.
            let factor = self.factors[at].checked_mul(times.into())?;
            return Some((self.base.modulus, factor, self.base.rest));
        }
        let is_number = self.base.modulus == 0;
        if launch.local_size[at].is_some() || !(is_of_size || is_number) {
            return None;
        }
        let modulus = if is_number { return self.number_by_size(at) } else { self.base.modulus };
        Some((modulus, self.factors[at], self.base.rest))
    }

    /// Returns the same for a base that is a known number. Only zero is a multiple of every size.
    fn number_by_size(&self, at: usize) -> Option<(i64, i64, i64)> {
        (self.base.rest == 0).then_some((self.factors[at].abs(), self.factors[at], 0))
    }
}
