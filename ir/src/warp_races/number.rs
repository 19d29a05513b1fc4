//! The numbers of the lanes of a warp: a sum of atoms that is the same expression in all lanes, and an offset in each lane.
//!
//! **Atom**: an unknown number. **Spread** of an atom: how many consecutive lanes have the same number, a power of two. A
//! *uniform* atom is one number in all lanes, a *divergent* one another number in each lane, and the result of a tile has
//! the size of the tile. Two operations with equal operands yield the same atom, so equal addresses have equal sums.
//!
//! ```text
//! blockIdx.x * 256 + threadIdx.x     256·a + lane           a: the uniform atom of blockIdx.x
//! s[threadIdx.x + 1]                 b + 4·lane + 4         b: the address of s
//! p[threadIdx.x]                     c                      c: a divergent atom
//! ```

use std::rc::Rc;

use index_vec::{IndexVec, define_index_type};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use tangle_base::Symbol;

use crate::operation::Operation;
use crate::types::{Integer, Ty, TyKind};
use crate::value::{Arithmetic, Comparison};

/// The number of lanes of a warp.
pub const LANES: usize = 32;

/// The lanes of a warp, as bits.
pub type Lanes = u32;

/// The spread of a uniform number.
pub(super) const UNIFORM: u32 = LANES as u32;

/// The spread of a divergent number.
pub(super) const DIVERGENT: u32 = 1;

define_index_type! {
    /// An unknown number.
    pub(super) struct AtomId = u32;
}

/// A sum of products of atoms and factors, ordered by atom.
pub(super) type Terms = SmallVec<[(AtomId, i64); 2]>;

/// The offset in each lane.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Offsets {
    /// The offset of the first lane, and the step from each lane to the next.
    Steps(i64, i64),
    /// One for each lane. Never the same as [`Offsets::Steps`].
    Each(Rc<[i64; LANES]>),
}

/// A number in each lane: terms plus an offset. Numbers of 128 bits are truncated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Number {
    pub terms: Terms,
    pub offsets: Offsets,
}

/// What determines an atom: equal keys mean the same number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Arithmetic(Arithmetic, Number, Number),
    Compare(Comparison, Number),
    /// The result of a pure computation.
    Computed(Operation, Vec<Number>),
    Named(Symbol),
    Parameter(u32),
    /// A loaded value. The last number counts the writes before it.
    Loaded(Number, Ty, u32),
    /// A value that derives from others in a way that is not computed.
    Derived(Derivation, Vec<Number>),
}

/// How a value derives from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Derivation {
    Converted(Ty),
    Address,
    Member(Symbol),
    Field(Ty, u32),
    Part,
}

/// The known properties of an atom.
pub(super) struct Atom {
    /// How many consecutive lanes have the same number.
    pub spread: u32,
    /// Whether it depends on values in memory or of other lanes, and not only on arguments and ids.
    pub is_data: bool,
    /// The comparison of a number with 0 that it is the truth of.
    pub compares: Option<Box<(Comparison, Number)>>,
    /// The number and the divisor whose quotient it is.
    pub quotient: Option<Box<(Number, i64)>>,
    /// The memory that it is the address of.
    pub memory: Option<Memory>,
    /// The size of the elements of this memory in bytes, if it is known.
    pub element: Option<i64>,
}

/// The memory that a base address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// An object of one thread.
    Private,
    /// A variable of the block.
    Shared(Symbol),
    /// Any memory that several threads access.
    Other,
}

/// The atoms of one execution.
#[derive(Default)]
pub(super) struct Atoms {
    all: IndexVec<AtomId, Atom>,
    /// Keys are large, so the table has pointers to them.
    by_key: FxHashMap<Box<Key>, AtomId>,
}

impl Atoms {
    /// Removes all atoms, and keeps the capacity.
    pub fn clear(&mut self) {
        self.all.clear();
        self.by_key.clear();
    }

    pub fn get(&self, atom: AtomId) -> &Atom {
        &self.all[atom]
    }

    fn add(&mut self, spread: u32) -> AtomId {
        self.all.push(Atom {
            spread,
            is_data: false,
            compares: None,
            quotient: None,
            memory: None,
            element: None,
        })
    }

    /// Returns an unknown number.
    pub fn fresh(&mut self, spread: u32) -> Number {
        Number::atom(self.add(spread))
    }

    /// Returns a number that a thread reads, or gets from other lanes.
    pub fn data(&mut self, spread: u32) -> Number {
        let atom = self.add(spread);
        self.all[atom].is_data = true;
        Number::atom(atom)
    }

    /// Returns the base address of private memory.
    pub fn private(&mut self) -> Number {
        let atom = self.add(UNIFORM);
        self.all[atom].memory = Some(Memory::Private);
        Number::atom(atom)
    }

    /// Returns the number that a key determines.
    pub fn of(&mut self, key: Key, spread: u32) -> Number {
        if let Some(&atom) = self.by_key.get(&key) {
            return Number::atom(atom);
        }
        let atom = self.add(spread);
        self.all[atom].is_data = match &key {
            Key::Loaded(..) => true,
            Key::Arithmetic(_, a, b) => self.depends_on_data(a) || self.depends_on_data(b),
            Key::Compare(_, number) => self.depends_on_data(number),
            Key::Computed(_, operands) | Key::Derived(_, operands) => {
                operands.iter().any(|operand| self.depends_on_data(operand))
            }
            Key::Named(_) | Key::Parameter(_) => false,
        };
        match &key {
            Key::Compare(op, number) => self.all[atom].compares = Some(Box::new((*op, number.clone()))),
            Key::Arithmetic(op @ (Arithmetic::Div | Arithmetic::Shr), number, by) => {
                let divisor = match (op, by.constant()) {
                    (Arithmetic::Shr, Some(count @ 0..=62)) => Some(1 << count),
                    (Arithmetic::Div, divisor) => divisor.filter(|divisor| *divisor > 0),
                    _ => None,
                };
                self.all[atom].quotient = divisor.map(|divisor| Box::new((number.clone(), divisor)));
            }
            _ => {}
        }
        self.by_key.insert(Box::new(key), atom);
        Number::atom(atom)
    }

    /// Returns the base address of the memory that a key determines. `element`: the size of its elements in bytes.
    pub fn memory(&mut self, key: Key, memory: Memory, element: Option<i64>) -> Number {
        let number = self.of(key, UNIFORM);
        let atom = &mut self.all[number.terms[0].0];
        atom.memory.get_or_insert(memory);
        atom.element = atom.element.or(element);
        number
    }

    /// Returns how many consecutive lanes have the same number.
    pub fn spread(&self, number: &Number, lanes: Lanes) -> u32 {
        self.spread_of_terms(number).min(number.spread_of_offsets(lanes))
    }

    /// Whether a number depends on values in memory or of other lanes.
    pub fn depends_on_data(&self, number: &Number) -> bool {
        number.terms.iter().any(|&(atom, _)| self.all[atom].is_data)
    }

    pub fn spread_of_terms(&self, number: &Number) -> u32 {
        number.terms.iter().map(|&(atom, _)| self.all[atom].spread).min().unwrap_or(UNIFORM)
    }

    /// Returns the memory that an address points into, and the atom of its base. `None`: unknown.
    pub fn memory_of(&self, address: &Number) -> Option<(AtomId, Memory)> {
        let mut bases = address.terms.iter().filter(|&&(atom, _)| self.all[atom].memory.is_some());
        let &(atom, factor) = bases.next()?;
        (factor == 1 && bases.next().is_none()).then_some((atom, self.all[atom].memory?))
    }

    /// Returns the result of an operation on two integers of a type.
    pub fn arithmetic(&mut self, op: Arithmetic, a: &Number, b: &Number, ty: Ty, lanes: Lanes) -> Number {
        match self.linear(op, a, b) {
            Some(number) => number.wrapped(ty),
            None => {
                let spread = self.spread(a, lanes).min(self.spread(b, lanes));
                self.of(Key::Arithmetic(op, a.clone(), b.clone()), spread)
            }
        }
    }

    fn linear(&self, op: Arithmetic, a: &Number, b: &Number) -> Option<Number> {
        let exact = |of: &dyn Fn(i64, i64) -> Option<i64>| {
            (a.terms.is_empty() && b.terms.is_empty()).then(|| a.offsets.zip(&b.offsets, of)).flatten()
        };
        match op {
            Arithmetic::Add => Some(a.plus(b, 1)),
            Arithmetic::Sub => Some(a.plus(b, -1)),
            Arithmetic::Mul => match (a.constant(), b.constant()) {
                (_, Some(factor)) => Some(a.times(factor)),
                (Some(factor), _) => Some(b.times(factor)),
                _ => exact(&|x, y| x.checked_mul(y)),
            },
            Arithmetic::Shl => match b.constant() {
                Some(count @ 0..=62) => Some(a.times(1 << count)),
                _ => exact(&|x, y| u32::try_from(y).ok().filter(|&y| y < 63).map(|y| x.wrapping_shl(y))),
            },
            Arithmetic::Div => match b.constant() {
                Some(divisor) if !a.terms.is_empty() => a.divided(divisor),
                _ => exact(&|x, y| x.checked_div(y)),
            },
            Arithmetic::Shr => match b.constant() {
                Some(count @ 0..=62) if !a.terms.is_empty() => a.divided(1 << count),
                _ => exact(&|x, y| u32::try_from(y).ok().filter(|&y| y < 63).map(|y| x >> y)),
            },
            Arithmetic::Rem => match b.constant() {
                Some(divisor) if !a.terms.is_empty() => a.remainder(divisor),
                _ => exact(&|x, y| x.checked_rem(y)),
            },
            Arithmetic::And => match (a.constant(), b.constant()) {
                (_, Some(mask)) if !a.terms.is_empty() && mask > 0 && (mask + 1) & mask == 0 => {
                    a.remainder(mask + 1)
                }
                _ => exact(&|x, y| Some(x & y)),
            },
            Arithmetic::Or => exact(&|x, y| Some(x | y)),
            Arithmetic::Xor => exact(&|x, y| Some(x ^ y)),
        }
    }

    /// Returns the truth of a comparison: 0 or 1 in each lane, or an atom.
    pub fn compare(&mut self, op: Comparison, a: &Number, b: &Number, lanes: Lanes) -> Number {
        let difference = a.plus(b, -1);
        if difference.terms.is_empty() {
            return difference.map(|number| i64::from(holds(op, number)));
        }
        let spread = self.spread(&difference, lanes);
        self.of(Key::Compare(op, difference), spread)
    }
}

/// Whether a relation holds between a number and 0.
pub(super) fn holds(op: Comparison, number: i64) -> bool {
    match op {
        Comparison::Less => number < 0,
        Comparison::Greater => number > 0,
        Comparison::LessEqual => number <= 0,
        Comparison::GreaterEqual => number >= 0,
        Comparison::Equal => number == 0,
        Comparison::NotEqual => number != 0,
    }
}

/// Returns the lanes of a mask, in order.
pub(super) fn each_lane(lanes: Lanes) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| lanes >> lane & 1 != 0)
}

impl Offsets {
    /// Returns the offsets that a function computes.
    pub fn of(offset: impl Fn(usize) -> i64) -> Offsets {
        let all: [i64; LANES] = std::array::from_fn(offset);
        let step = all[1].wrapping_sub(all[0]);
        match all.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step) {
            true => Offsets::Steps(all[0], step),
            false => Offsets::Each(Rc::new(all)),
        }
    }

    /// Returns the offset that all lanes have. `None`: lanes differ.
    pub fn same(&self) -> Option<i64> {
        match self {
            Offsets::Steps(offset, 0) => Some(*offset),
            _ => None,
        }
    }

    pub fn at(&self, lane: usize) -> i64 {
        match self {
            Offsets::Steps(first, step) => first.wrapping_add(step.wrapping_mul(lane as i64)),
            Offsets::Each(all) => all[lane],
        }
    }

    fn zip(&self, other: &Offsets, of: &dyn Fn(i64, i64) -> Option<i64>) -> Option<Number> {
        if let (Some(x), Some(y)) = (self.same(), other.same()) {
            return Some(Number::new(of(x, y)?));
        }
        // An operation may be undefined in lanes that do not execute it.
        Some(Number::each(|lane| of(self.at(lane), other.at(lane)).unwrap_or_default()))
    }
}

impl Number {
    pub fn new(number: i64) -> Number {
        Number { terms: SmallVec::new(), offsets: Offsets::Steps(number, 0) }
    }

    pub fn each(number: impl Fn(usize) -> i64) -> Number {
        Number { terms: SmallVec::new(), offsets: Offsets::of(number) }
    }

    fn atom(atom: AtomId) -> Number {
        Number { terms: smallvec![(atom, 1)], offsets: Offsets::Steps(0, 0) }
    }

    /// Returns the number that all lanes have. `None`: it is unknown, or lanes differ.
    pub fn constant(&self) -> Option<i64> {
        self.offsets.same().filter(|_| self.terms.is_empty())
    }

    /// Returns the number in a lane, if it is known.
    pub fn exact(&self, lane: usize) -> Option<i64> {
        self.terms.is_empty().then(|| self.offsets.at(lane))
    }

    /// Whether some lanes have the same offset.
    pub fn has_same_offset(&self, lanes: Lanes) -> bool {
        match self.offsets {
            Offsets::Steps(_, step) => step == 0 || lanes.count_ones() < 2,
            Offsets::Each(ref all) => {
                let mut offsets = each_lane(lanes).map(|lane| all[lane]);
                let first = offsets.next();
                offsets.all(|offset| Some(offset) == first)
            }
        }
    }

    /// Returns how many consecutive lanes have the same offset: the number of lanes, or a smaller power of two.
    fn spread_of_offsets(&self, lanes: Lanes) -> u32 {
        if self.has_same_offset(lanes) {
            return UNIFORM;
        }
        let is_same = |&spread: &u32| {
            let tile = Lanes::MAX >> (UNIFORM - spread);
            (0..UNIFORM).step_by(spread as usize).all(|first| self.has_same_offset(lanes & tile << first))
        };
        [16, 8, 4, 2].into_iter().find(is_same).unwrap_or(DIVERGENT)
    }

    pub fn map(&self, of: impl Fn(i64) -> i64) -> Number {
        let offsets = match &self.offsets {
            Offsets::Steps(offset, 0) => Offsets::Steps(of(*offset), 0),
            offsets => Offsets::of(|lane| of(offsets.at(lane))),
        };
        Number { terms: self.terms.clone(), offsets }
    }

    /// Returns the sum with a multiple of another number.
    pub fn plus(&self, other: &Number, factor: i64) -> Number {
        let mut terms = self.terms.clone();
        for &(atom, times) in &other.terms {
            let times = times.wrapping_mul(factor);
            match terms.binary_search_by_key(&atom, |&(atom, _)| atom) {
                Ok(at) => terms[at].1 = terms[at].1.wrapping_add(times),
                Err(at) => terms.insert(at, (atom, times)),
            }
        }
        terms.retain(|(_, times)| *times != 0);
        let sum = |x: i64, y: i64| x.wrapping_add(y.wrapping_mul(factor));
        let offsets = match (&self.offsets, &other.offsets) {
            (Offsets::Steps(x, own), Offsets::Steps(y, step)) => {
                Offsets::Steps(sum(*x, *y), sum(*own, *step))
            }
            (x, y) => Offsets::of(|lane| sum(x.at(lane), y.at(lane))),
        };
        Number { terms, offsets }
    }

    pub fn times(&self, factor: i64) -> Number {
        Number::new(0).plus(self, factor)
    }

    /// Returns an index of an array of known length. Lanes with an index outside of the array are undefined, so they get
    /// numbers far away from each other and from all others.
    pub fn inside(&self, length: Option<i64>) -> Number {
        match length.filter(|_| self.terms.is_empty()) {
            Some(length) if (0..LANES).any(|lane| !(0..length).contains(&self.offsets.at(lane))) => {
                Number::each(|lane| match self.offsets.at(lane) {
                    index if (0..length).contains(&index) => index,
                    _ => (lane as i64 + 1) << 40,
                })
            }
            _ => self.clone(),
        }
    }

    /// Returns the quotient, if each factor is a multiple of the divisor and no offset is negative. We assume that the
    /// sum of the terms is not negative either.
    fn divided(&self, divisor: i64) -> Option<Number> {
        let is_multiple = divisor > 0 && self.terms.iter().all(|(_, factor)| factor % divisor == 0);
        let is_positive = |lane| self.offsets.at(lane) >= 0;
        (is_multiple && (0..LANES).all(is_positive)).then(|| {
            let terms = self.terms.iter().map(|&(atom, factor)| (atom, factor / divisor)).collect();
            Number { terms, ..self.map(|offset| offset / divisor) }
        })
    }

    /// Returns the remainder, under the conditions of [`divided`](Number::divided).
    fn remainder(&self, divisor: i64) -> Option<Number> {
        self.divided(divisor)?;
        Some(Number { terms: SmallVec::new(), ..self.map(|offset| offset % divisor) })
    }

    /// Returns the number in an integer type. Sums with atoms do not wrap.
    pub fn wrapped(self, ty: Ty) -> Number {
        let TyKind::Integer(integer) = ty.kind() else { return self };
        let is_wide = matches!(integer, Integer::Int128 | Integer::UInt128) || integer.bits() > 32;
        match is_wide || !self.terms.is_empty() {
            true => self,
            false => self.map(|number| integer.wrap(number.into()) as i64),
        }
    }
}

/// A value, in the lanes that computed it last.
#[derive(Clone, Debug, Default)]
pub(super) struct Computed(SmallVec<[(Lanes, Number); 1]>);

impl Computed {
    /// Returns the number in some lanes. `None`: no lane has computed it.
    pub fn get(&mut self, lanes: Lanes, atoms: &mut Atoms) -> Option<Number> {
        let parts = self.0.iter().filter(|(of, _)| of & lanes != 0).count();
        let number = self.joined(lanes, atoms)?;
        // Later uses get the same number.
        if parts > 1 {
            self.set(lanes, number.clone());
        }
        Some(number)
    }

    fn joined(&self, lanes: Lanes, atoms: &mut Atoms) -> Option<Number> {
        let mut parts = self.0.iter().filter(|(of, _)| of & lanes != 0);
        let (first_lanes, first) = parts.next()?;
        if first_lanes & lanes == lanes {
            return Some(first.clone());
        }
        if !parts.clone().all(|(_, number)| number.terms == first.terms) {
            return Some(atoms.fresh(DIVERGENT));
        }
        let at = |lane: usize| {
            let part = self.0.iter().find(|(of, _)| of >> lane & 1 != 0);
            part.map_or(0, |(_, number)| number.offsets.at(lane))
        };
        let offsets = Offsets::of(at);
        Some(Number { terms: first.terms.clone(), offsets })
    }

    /// Sets the number in some lanes.
    pub fn set(&mut self, lanes: Lanes, number: Number) {
        for (of, _) in &mut self.0 {
            *of &= !lanes;
        }
        self.0.retain(|(of, _)| *of != 0);
        self.0.push((lanes, number));
    }

    pub fn of(lanes: Lanes, number: Number) -> Computed {
        Computed(smallvec![(lanes, number)])
    }
}
