//! Pseudo-random numbers, the same in each run.

pub struct Random(pub u64);

impl Random {
    /// A number from 0 to `limit - 1`, or 0 if the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
