//! Numbers that look random, the same in every run.

/// Dice that depend on nothing but their seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Dice of a seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // Seeds that are near each other begin alike.
        (0..4).for_each(|_| _ = random.below(2));
        random
    }

    /// A number from 0 up to, but not with, `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    /// True in so many of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several, of which there is one at least.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
