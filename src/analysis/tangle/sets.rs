//! Interned sets of small numbers.
//!
//! The streams that pass one point of a body mostly pass the next one too, and thousands of streams may pass one point.
//! So a set is a sorted list of its non-zero 64-bit words, and equal sets share one number ([`SetId`]).
//!
//! A set has a bounded number of words. Numbers beyond the bound are dropped, and the set is marked as *cut*.

use std::cmp::Ordering;

use index_vec::define_index_type;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

define_index_type! {
    /// An interned set.
    pub struct SetId = u32;
}

/// The empty set.
pub const EMPTY: SetId = SetId { _raw: 0 };

/// Members in the range of 64 numbers that starts at `64 * at`, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Word {
    at: u32,
    bits: u64,
}

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set {
    /// The non-zero words, in ascending order of `at`.
    words: Vec<Word>,
    cut: bool,
}

impl Set {
    /// Whether numbers beyond the bound were dropped.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Records that numbers beyond the bound were dropped.
    pub fn mark_truncated(&mut self) {
        self.cut = true;
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.bits.count_ones() as usize).sum()
    }

    pub fn contains(&self, number: u32) -> bool {
        let found = self.words.binary_search_by_key(&(number / 64), |word| word.at);
        found.is_ok_and(|index| self.words[index].bits & bit(number) != 0)
    }

    /// Returns the numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        numbers(&self.words)
    }

    pub fn insert(&mut self, number: u32) {
        match self.words.binary_search_by_key(&(number / 64), |word| word.at) {
            Ok(index) => self.words[index].bits |= bit(number),
            Err(index) => self.words.insert(index, Word { at: number / 64, bits: bit(number) }),
        }
    }

    /// Adds the numbers of another set. Returns the numbers that are new.
    pub fn add(&mut self, other: &Set) -> Set {
        // The common case: `self` contains all numbers already.
        if other.is_within(self) {
            let cut = other.cut && !self.cut;
            self.cut |= cut;
            return Set { words: Vec::new(), cut };
        }
        let mut new = Set { words: Vec::new(), cut: other.cut && !self.cut };
        let mut joined = Vec::with_capacity(self.words.len().max(other.words.len()));
        let (mut own, mut others) = (self.words.as_slice(), other.words.as_slice());
        loop {
            let order = match (own.first(), others.first()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(own), Some(other)) => own.at.cmp(&other.at),
            };
            let mut word = if order.is_le() { own[0] } else { Word { at: others[0].at, bits: 0 } };
            if order.is_ge() {
                let bits = others[0].bits & !word.bits;
                if bits != 0 {
                    new.words.push(Word { at: word.at, bits });
                }
                word.bits |= bits;
                others = &others[1..];
            }
            if order.is_le() {
                own = &own[1..];
            }
            joined.push(word);
        }
        self.words = joined;
        self.cut |= other.cut;
        new
    }

    /// Whether this set is a subset of the other one.
    fn is_within(&self, other: &Set) -> bool {
        let mut others = other.words.iter();
        self.words.iter().all(|word| {
            let at = others.find(|other| other.at >= word.at);
            at.is_some_and(|other| other.at == word.at && word.bits & !other.bits == 0)
        })
    }

    /// Drops all words after the first `most`.
    pub fn truncate(&mut self, most: usize) {
        if self.words.len() > most {
            self.words.truncate(most);
            self.cut = true;
        }
    }

    pub fn remove(&mut self, number: u32) {
        if let Ok(index) = self.words.binary_search_by_key(&(number / 64), |word| word.at) {
            self.words[index].bits &= !bit(number);
            if self.words[index].bits == 0 {
                self.words.remove(index);
            }
        }
    }

    /// Returns the numbers that are at least `from`, in ascending order.
    pub fn from(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.words.partition_point(|word| word.at < from / 64);
        numbers(&self.words[first..]).skip_while(move |&number| number < from)
    }
}

fn numbers(words: &[Word]) -> impl Iterator<Item = u32> + '_ {
    words.iter().flat_map(|word| {
        let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|&bits| bits != 0);
        std::iter::successors(Some(word.bits), rest).map(|bits| word.at * 64 + bits.trailing_zeros())
    })
}

fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Set {
        let mut numbers: Vec<u32> = numbers.into_iter().collect();
        numbers.sort_unstable();
        let mut set = Set::default();
        for number in numbers {
            match set.words.last_mut() {
                Some(word) if word.at == number / 64 => word.bits |= bit(number),
                _ => set.words.push(Word { at: number / 64, bits: bit(number) }),
            }
        }
        set
    }
}

/// The interned sets of a body.
pub struct Sets {
    sets: IndexSet<Set, FxBuildHasher>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    /// The maximum number of words of a set.
    pub most: usize,
}

impl Sets {
    pub fn new(most: usize) -> Sets {
        Sets { sets: IndexSet::from_iter([Set::default()]), unions: FxHashMap::default(), most }
    }

    pub fn get(&self, set: SetId) -> &Set {
        &self.sets[set.index()]
    }

    pub fn intern(&mut self, mut set: Set) -> SetId {
        set.truncate(self.most);
        SetId::new(self.sets.insert_full(set).0)
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let mut union = self.get(a).clone();
        union.add(self.get(b));
        let union = self.intern(union);
        self.unions.insert((a, b), union);
        union
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn set_operations_match_btree_set(
            a in prop::collection::btree_set(0u32..500, 0..40),
            b in prop::collection::btree_set(0u32..500, 0..40),
            number in 0u32..500,
        ) {
            let (mut union, other) = (Set::from_iter(a.iter().copied()), Set::from_iter(b.iter().copied()));
            let new = union.add(&other);
            prop_assert_eq!(union.iter().collect::<BTreeSet<_>>(), &a | &b);
            prop_assert_eq!(new.iter().collect::<BTreeSet<_>>(), &b - &a);
            prop_assert_eq!(union.len(), (&a | &b).len());
            prop_assert_eq!(union.contains(number), a.contains(&number) || b.contains(&number));
            prop_assert!(union.from(number).eq((&a | &b).range(number..).copied()));
            let mut one_by_one = Set::default();
            b.iter().chain(&a).for_each(|&number| one_by_one.insert(number));
            prop_assert_eq!(&one_by_one, &union);
            a.iter().for_each(|&number| one_by_one.remove(number));
            prop_assert_eq!(one_by_one, new);
        }

        #[test]
        fn oversized_set_keeps_first_words_and_is_marked_cut(
            numbers in prop::collection::btree_set(0u32..500, 0..40),
        ) {
            let mut sets = Sets::new(2);
            let id = sets.intern(numbers.iter().copied().collect());
            let words: BTreeSet<u32> = numbers.iter().map(|number| number / 64).collect();
            let kept: BTreeSet<u32> = words.iter().copied().take(2).collect();
            let expected = numbers.iter().copied().filter(|number| kept.contains(&(number / 64)));
            prop_assert!(sets.get(id).iter().eq(expected));
            prop_assert_eq!(sets.get(id).is_cut(), words.len() > 2);
        }
    }
}
