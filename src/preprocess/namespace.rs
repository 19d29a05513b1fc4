//! The namespaces that an item stands in.
//!
//! ```cpp
//! namespace ops { inline namespace v1 { namespace {
//!   __device__ float twice(float x);      // stands in `ops`, `v1` and one without a name
//! }}}
//! ```
//!
//! An item is the same wherever it stands; what its names mean depends on it. So the namespace goes beside the item's tokens, not into them.

use std::fmt;
use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;

/// A namespace, with all that are around it. Interned: a copy is a number, and two are equal iff their paths are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Namespace(u32);

/// What a namespace is within the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Step {
    around: Namespace,
    /// None: it has no name.
    name: Option<Symbol>,
    is_inline: bool,
}

#[derive(Default)]
struct Interner {
    /// The namespace of number `n` is at `n - 1`: zero is the file's own.
    steps: Vec<Step>,
    numbers: FxHashMap<Step, Namespace>,
}

static KNOWN: LazyLock<RwLock<Interner>> = LazyLock::new(RwLock::default);

impl Namespace {
    /// What is in no namespace.
    pub const GLOBAL: Namespace = Namespace(0);

    /// The namespace of a name in this one; without a name, the nameless one.
    pub fn within(self, name: Option<Symbol>, is_inline: bool) -> Namespace {
        let step = Step { around: self, name, is_inline };
        if let Some(&known) = KNOWN.read().expect("no panic under this lock").numbers.get(&step) {
            return known;
        }
        let mut all = KNOWN.write().expect("no panic under this lock");
        if let Some(&known) = all.numbers.get(&step) {
            return known;
        }
        all.steps.push(step);
        let number = Namespace(u32::try_from(all.steps.len()).expect("fewer than 2^32 namespaces"));
        all.numbers.insert(step, number);
        number
    }

    fn step(self) -> Option<Step> {
        let index = self.0.checked_sub(1)?;
        KNOWN.read().expect("no panic under this lock").steps.get(index as usize).copied()
    }

    /// The namespace around it; none around the global one.
    pub fn around(self) -> Option<Namespace> {
        self.step().map(|step| step.around)
    }

    /// Its own name; none for the global and for a nameless one.
    pub fn name(self) -> Option<Symbol> {
        self.step()?.name
    }

    /// Whether what it holds is found in the namespace around it too: it is `inline`, or has no name.
    pub fn is_transparent(self) -> bool {
        self.step().is_some_and(|step| step.is_inline || step.name.is_none())
    }

    /// It and those around it, from the inside outwards: the order in which names are looked for. The global one is the last.
    pub fn outwards(self) -> impl Iterator<Item = Namespace> {
        std::iter::successors(Some(self), |namespace| namespace.around())
    }

    /// The names of those around it and its own, outermost first. What has no name is passed over.
    pub fn path(self) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = self.outwards().filter_map(Namespace::name).collect();
        names.reverse();
        names
    }
}

/// As it is written before a name: `ops::v1`. Empty for the global one.
impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Vec<&str> = self.path().into_iter().map(|name| name.as_str()).collect();
        f.write_str(&path.join("::"))
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Namespace({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_namespace() {
        let name = |name| Some(Symbol::intern(name));
        let inner = Namespace::GLOBAL.within(name("ops"), false).within(name("v1"), true);
        assert_eq!(inner, Namespace::GLOBAL.within(name("ops"), false).within(name("v1"), true));
        assert_ne!(inner, Namespace::GLOBAL.within(name("ops"), false).within(name("v1"), false));
        let nameless = inner.within(None, false);
        assert_eq!((nameless.to_string(), nameless.name()), ("ops::v1".into(), None));
        assert!(inner.is_transparent() && nameless.is_transparent());
        assert!(!Namespace::GLOBAL.is_transparent());
        let outwards: Vec<String> = nameless.outwards().map(|it| it.to_string()).collect();
        assert_eq!(outwards, ["ops::v1", "ops::v1", "ops", ""]);
    }
}
