//! Interned spellings: a name, number or string compares and hashes as one `u32`.

use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;

/// The spelling of a token. Two symbols are equal iff their texts are.
///
/// Symbols live as long as the process: the set of names in a code base is small, and a stable number
/// lets macro tables be arrays. The number says nothing about order, and differs between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

/// The map from texts to numbers has shards with one lock each. The map from numbers to texts needs no lock.
struct Interner {
    numbers: DashMap<&'static str, u32, FxBuildHasher>,
    texts: boxcar::Vec<&'static str>,
}

static INTERNER: LazyLock<Interner> = LazyLock::new(|| {
    let interner = Interner { numbers: DashMap::default(), texts: boxcar::Vec::new() };
    interner.intern("");
    interner
});

impl Interner {
    fn intern(&self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let text: &'static str = Box::leak(text.into());
        // Another thread may have added the text meanwhile. Then its number is valid, and this copy of the text is
        // unused.
        *self.numbers.entry(text).or_insert_with(|| {
            u32::try_from(self.texts.push(text)).expect("fewer than 2^32 distinct spellings")
        })
    }
}

impl Symbol {
    /// The symbol of the empty text. Every punctuator has it.
    pub const EMPTY: Symbol = Symbol(0);

    /// Returns the symbol for `text`. This takes a lock: a loop over many tokens should cache symbols in a local map.
    pub fn intern(text: &str) -> Symbol {
        Symbol(INTERNER.intern(text))
    }

    /// Returns the interned text.
    pub fn as_str(self) -> &'static str {
        INTERNER.texts[self.0 as usize]
    }

    /// Returns the letters of the text, in lower case, for comparisons of `WARP_SIZE`, `warpSize` and `kWarpSize2`.
    pub fn letters(self) -> String {
        let letters = self.as_str().chars().filter(char::is_ascii_alphabetic);
        letters.map(|letter| letter.to_ascii_lowercase()).collect()
    }

    /// Returns the number of this symbol, for tables indexed by symbol. Numbers are dense from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
