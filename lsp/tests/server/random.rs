//! Numbers that look random, and are the same in every run.

pub struct Random(pub u64);

impl Random {
    /// From 0, and less than the limit, which is taken for 1 if it is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
