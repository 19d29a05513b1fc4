//! Namespaces: where the names of a program stand.
//!
//! ```cpp
//! namespace ops { inline namespace v1 { namespace {
//!   __device__ float twice(float x);      // stands in `ops`
//! }}}
//! ```
//!
//! What is declared in an inline namespace, or in one without a name, is a member of the namespace around: so it is found there, and so it
//! stands there here.

use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;

use crate::Symbol;

/// A namespace, with all that are around it. Interned: a copy is a number, and two are equal iff their paths are. The number says nothing
/// about order, and differs between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Namespace(u32);

/// A namespace as its own name, and the namespace around it.
type Step = (Namespace, Symbol);

#[derive(Default)]
struct Interner {
    numbers: DashMap<Step, Namespace, FxBuildHasher>,
    /// The namespace of number `n` is at `n - 1`: zero is the global one.
    steps: boxcar::Vec<Step>,
}

static KNOWN: LazyLock<Interner> = LazyLock::new(Interner::default);

impl Namespace {
    /// What is in no namespace.
    pub const GLOBAL: Namespace = Namespace(0);

    /// The namespace of a name in this one.
    pub fn within(self, name: Symbol) -> Namespace {
        let step = (self, name);
        if let Some(known) = KNOWN.numbers.get(&step) {
            return *known;
        }
        // Of two threads that come at once, one leaves a step behind that nothing refers to.
        *KNOWN.numbers.entry(step).or_insert_with(|| {
            let index = KNOWN.steps.push(step);
            Namespace(u32::try_from(index + 1).expect("fewer than 2^32 namespaces"))
        })
    }

    /// The namespace of a path in this one.
    pub fn of_path(self, path: impl IntoIterator<Item = Symbol>) -> Namespace {
        path.into_iter().fold(self, Namespace::within)
    }

    /// The namespace of a name in this one, if anybody has asked for it by [`within`](Namespace::within): none stands there otherwise.
    pub fn find(self, name: Symbol) -> Option<Namespace> {
        KNOWN.numbers.get(&(self, name)).map(|known| *known)
    }

    fn step(self) -> Option<Step> {
        self.0.checked_sub(1).map(|index| KNOWN.steps[index as usize])
    }

    /// The namespace around it; none around the global one.
    pub fn around(self) -> Option<Namespace> {
        self.step().map(|(around, _)| around)
    }

    /// Its own name; none for the global one.
    pub fn name(self) -> Option<Symbol> {
        self.step().map(|(_, name)| name)
    }

    /// It and those around it, from the inside outwards: the order in which names are looked for. The global one is the last.
    pub fn outwards(self) -> impl Iterator<Item = Namespace> {
        std::iter::successors(Some(self), |namespace| namespace.around())
    }

    /// The names of those around it and its own, outermost first.
    pub fn path(self) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = self.outwards().filter_map(Namespace::name).collect();
        names.reverse();
        names
    }

    /// The path as one name, as tables have those of the language: `cooperative_groups::details`.
    pub fn spelled(self) -> Symbol {
        match self.around() {
            Some(Namespace::GLOBAL) => self.name().unwrap_or(Symbol::EMPTY),
            Some(_) => Symbol::intern(&self.to_string()),
            None => Symbol::EMPTY,
        }
    }
}

/// As it is written before a name: `ops::detail`. Empty for the global one.
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
        let path = ["ops", "detail"].map(Symbol::intern);
        let inner = Namespace::GLOBAL.of_path(path);
        assert_eq!(inner, Namespace::GLOBAL.within(path[0]).within(path[1]));
        assert_ne!(inner, Namespace::GLOBAL.within(path[1]).within(path[0]));
        assert_eq!(Namespace::GLOBAL.find(path[0]).and_then(|outer| outer.find(path[1])), Some(inner));
        assert_eq!(inner.find(Symbol::intern("nobody has asked for it")), None);
        assert_eq!((inner.to_string(), inner.name()), ("ops::detail".into(), Some(path[1])));
        assert_eq!((inner.path(), Namespace::GLOBAL.path()), (path.to_vec(), Vec::new()));
        let outwards: Vec<String> = inner.outwards().map(|it| it.to_string()).collect();
        assert_eq!(outwards, ["ops::detail", "ops", ""]);
    }
}
