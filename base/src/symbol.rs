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

/// From text to number, in shards with a lock each; and from number to text, without any.
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
        // Another thread may have come first: then its number holds, and this copy of the text is lost.
        *self.numbers.entry(text).or_insert_with(|| {
            u32::try_from(self.texts.push(text)).expect("fewer than 2^32 distinct spellings")
        })
    }
}

impl Symbol {
    /// The symbol of the empty text, which every punctuator carries.
    pub const EMPTY: Symbol = Symbol(0);

    /// The symbol for `text`. Takes a lock: in a loop over many tokens keep a local map in front.
    pub fn intern(text: &str) -> Symbol {
        Symbol(INTERNER.intern(text))
    }

    /// The text that was interned.
    pub fn as_str(self) -> &'static str {
        INTERNER.texts[self.0 as usize]
    }

    /// The letters of the text, in lower case: `WARP_SIZE`, `warpSize` and `kWarpSize2` are compared by them.
    pub fn letters(self) -> String {
        let letters = self.as_str().chars().filter(char::is_ascii_alphabetic);
        letters.map(|letter| letter.to_ascii_lowercase()).collect()
    }

    /// The number of this symbol, for tables indexed by symbol. Dense from 0.
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
