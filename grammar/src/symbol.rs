//! Interned spellings: a name, number or string compares and hashes as one `u32`.

use std::fmt;
use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashMap;

/// The spelling of a token. Two symbols are equal iff their texts are.
///
/// Symbols live as long as the process: the set of names in a code base is small, and a stable number
/// lets macro tables be arrays. The number says nothing about order, and differs between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    numbers: FxHashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

static INTERNER: LazyLock<RwLock<Interner>> = LazyLock::new(|| {
    let mut interner = Interner::default();
    interner.intern("");
    RwLock::new(interner)
});

impl Interner {
    fn intern(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = u32::try_from(self.texts.len()).expect("fewer than 2^32 distinct spellings");
        let text: &'static str = Box::leak(text.into());
        self.texts.push(text);
        self.numbers.insert(text, number);
        number
    }
}

impl Symbol {
    /// The symbol of the empty text, which every punctuator carries.
    pub const EMPTY: Symbol = Symbol(0);

    /// The symbol for `text`. Takes a lock: in a loop over many tokens keep a local map in front.
    pub fn intern(text: &str) -> Symbol {
        if let Some(&number) = INTERNER.read().expect("no panic under this lock").numbers.get(text) {
            return Symbol(number);
        }
        Symbol(INTERNER.write().expect("no panic under this lock").intern(text))
    }

    /// The text that was interned.
    pub fn as_str(self) -> &'static str {
        INTERNER.read().expect("no panic under this lock").texts[self.0 as usize]
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
