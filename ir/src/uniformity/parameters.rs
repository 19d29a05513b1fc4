//! Sets of parameters, as facts name them.
//!
//! Facts are copied often, and most functions have few parameters. A set is therefore one 64-bit integer: bits 0 to 62
//! are the parameters with these numbers. A set with a greater number is interned. The integer is then the index of the
//! set, marked by the top bit.

use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;

/// The bit that marks an interned set.
const INTERNED: u64 = 1 << 63;

/// A set of parameters of a function, by number.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Parameters(u64);

/// The sets with numbers from 63 on, as arrays of 64-bit words without trailing zeros.
struct Interner {
    numbers: DashMap<Box<[u64]>, u64, FxBuildHasher>,
    sets: boxcar::Vec<Box<[u64]>>,
}

static INTERNER: LazyLock<Interner> =
    LazyLock::new(|| Interner { numbers: DashMap::default(), sets: boxcar::Vec::new() });

impl Parameters {
    /// No parameter.
    pub const NONE: Parameters = Parameters(0);

    /// Returns the set of the parameter with this number.
    pub fn one(number: usize) -> Parameters {
        if number < 63 {
            return Parameters(1 << number);
        }
        let mut words = vec![0; number / 64 + 1];
        words[number / 64] = 1 << (number % 64);
        Parameters::of(words)
    }

    fn of(mut words: Vec<u64>) -> Parameters {
        while words.last() == Some(&0) {
            words.pop();
        }
        match words[..] {
            [] => Parameters(0),
            [only] if only & INTERNED == 0 => Parameters(only),
            _ => {
                let words: Box<[u64]> = words.into();
                let push = || INTERNER.sets.push(words.clone()) as u64;
                Parameters(INTERNED | *INTERNER.numbers.entry(words.clone()).or_insert_with(push))
            }
        }
    }

    /// Returns the set as an array of words. `small` is the storage for a set that is not interned.
    fn words(self, small: &mut [u64; 1]) -> &[u64] {
        if self.0 & INTERNED == 0 {
            *small = [self.0];
            return &small[..];
        }
        &INTERNER.sets[(self.0 & !INTERNED) as usize]
    }

    /// Whether the parameter with this number is in the set.
    pub fn contains(self, number: usize) -> bool {
        let word = self.words(&mut [0]).get(number / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the parameters that are in at least one of the sets.
    #[inline]
    #[must_use]
    pub fn union(self, other: Parameters) -> Parameters {
        match (self.0 | other.0) & INTERNED == 0 {
            true => Parameters(self.0 | other.0),
            false => self.union_of_words(other),
        }
    }

    #[cold]
    fn union_of_words(self, other: Parameters) -> Parameters {
        if self == other {
            return self;
        }
        let (mut a, mut b) = ([0], [0]);
        let (a, b) = (self.words(&mut a), other.words(&mut b));
        let word = |at: usize| a.get(at).unwrap_or(&0) | b.get(at).unwrap_or(&0);
        Parameters::of((0..a.len().max(b.len())).map(word).collect())
    }

    /// Returns the parameters that are in both sets.
    #[must_use]
    pub fn intersection(self, other: Parameters) -> Parameters {
        if (self.0 | other.0) & INTERNED == 0 {
            return Parameters(self.0 & other.0);
        }
        let kept = self.iter().filter(|&number| other.contains(number));
        kept.map(Parameters::one).fold(Parameters::NONE, Parameters::union)
    }

    /// Returns the parameters that are not in `others`.
    #[must_use]
    pub fn without(self, others: Parameters) -> Parameters {
        let kept = self.iter().filter(|&number| !others.contains(number));
        kept.map(Parameters::one).fold(Parameters::NONE, Parameters::union)
    }

    /// Returns the numbers in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let words: Vec<u64> = self.words(&mut [0]).to_vec();
        words.into_iter().enumerate().flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(numbers: &BTreeSet<usize>) -> Parameters {
        numbers.iter().fold(Parameters::NONE, |set, &number| set.union(Parameters::one(number)))
    }

    proptest! {
        #[test]
        fn parameter_sets_match_btree_sets(a in prop::collection::btree_set(0..200usize, 0..9), b in prop::collection::btree_set(0..200usize, 0..9)) {
            let union: BTreeSet<usize> = a.union(&b).copied().collect();
            prop_assert_eq!(set(&a).union(set(&b)), set(&union));
            let both: BTreeSet<usize> = a.intersection(&b).copied().collect();
            prop_assert_eq!(set(&a).intersection(set(&b)), set(&both));
            prop_assert_eq!(set(&a).iter().collect::<BTreeSet<_>>(), a.clone());
            prop_assert_eq!(set(&a) == set(&b), a == b);
            prop_assert!((0..200).all(|number| set(&a).contains(number) == a.contains(&number)));
        }
    }
}
