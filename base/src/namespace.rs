//! Namespaces of C++.
//!
//! ```cpp
//! namespace ops { inline namespace v1 { namespace {
//!   __device__ float twice(float x);      // a member of `ops`
//! }}}
//! ```
//!
//! Members of inline and unnamed namespaces count as members of the enclosing namespace, where lookup finds them.

use std::fmt;
use std::sync::LazyLock;

use dashmap::DashMap;
use rustc_hash::FxBuildHasher;

use crate::Symbol;

/// A path of namespaces, interned as a number. Two namespaces are equal if and only if their paths are equal. The order
/// of the numbers has no meaning and differs between runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Namespace(u32);

/// The enclosing namespace, and the name in it.
type Step = (Namespace, Symbol);

#[derive(Default)]
struct Interner {
    numbers: DashMap<Step, Namespace, FxBuildHasher>,
    /// The namespace of number `n` is at `n - 1`. Zero is the global namespace.
    steps: boxcar::Vec<Step>,
}

static KNOWN: LazyLock<Interner> = LazyLock::new(Interner::default);

impl Namespace {
    /// The global namespace.
    pub const GLOBAL: Namespace = Namespace(0);

    /// Returns the nested namespace with this name.
    pub fn child(self, name: Symbol) -> Namespace {
        let step = (self, name);
        if let Some(known) = KNOWN.numbers.get(&step) {
            return *known;
        }
        // If two threads add the same step, one of the two entries is unused.
        *KNOWN.numbers.entry(step).or_insert_with(|| {
            let index = KNOWN.steps.push(step);
            Namespace(u32::try_from(index + 1).expect("fewer than 2^32 namespaces"))
        })
    }

    /// Returns the nested namespace with this path.
    pub fn of_path(self, path: impl IntoIterator<Item = Symbol>) -> Namespace {
        path.into_iter().fold(self, Namespace::child)
    }

    /// Returns the nested namespace with this name, if [`child`](Namespace::child) has been called for it. Otherwise
    /// the namespace has no members.
    pub fn find(self, name: Symbol) -> Option<Namespace> {
        KNOWN.numbers.get(&(self, name)).map(|known| *known)
    }

    fn step(self) -> Option<Step> {
        self.0.checked_sub(1).map(|index| KNOWN.steps[index as usize])
    }

    /// Returns the enclosing namespace. `None` for the global namespace.
    pub fn parent(self) -> Option<Namespace> {
        self.step().map(|(around, _)| around)
    }

    /// Returns its name. `None` for the global namespace.
    pub fn name(self) -> Option<Symbol> {
        self.step().map(|(_, name)| name)
    }

    /// Returns this namespace and all enclosing namespaces, in the order of lookup. The global namespace is the last
    /// one.
    pub fn ancestors(self) -> impl Iterator<Item = Namespace> {
        std::iter::successors(Some(self), |namespace| namespace.parent())
    }

    /// Returns the names of the path, outermost first.
    pub fn path(self) -> Vec<Symbol> {
        let mut names: Vec<Symbol> = self.ancestors().filter_map(Namespace::name).collect();
        names.reverse();
        names
    }

    /// Returns the path as one symbol, as in the tables of a dialect: `cooperative_groups::details`.
    pub fn to_symbol(self) -> Symbol {
        match self.parent() {
            Some(Namespace::GLOBAL) => self.name().unwrap_or(Symbol::EMPTY),
            Some(_) => Symbol::intern(&self.to_string()),
            None => Symbol::EMPTY,
        }
    }
}

/// Writes the path, such as `ops::detail`. It is empty for the global namespace.
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
    fn path_is_resolved_to_nested_namespaces() {
        let path = ["ops", "detail"].map(Symbol::intern);
        let inner = Namespace::GLOBAL.of_path(path);
        assert_eq!(inner, Namespace::GLOBAL.child(path[0]).child(path[1]));
        assert_ne!(inner, Namespace::GLOBAL.child(path[1]).child(path[0]));
        assert_eq!(Namespace::GLOBAL.find(path[0]).and_then(|outer| outer.find(path[1])), Some(inner));
        assert_eq!(inner.find(Symbol::intern("not added")), None);
        assert_eq!((inner.to_string(), inner.name()), ("ops::detail".into(), Some(path[1])));
        assert_eq!((inner.path(), Namespace::GLOBAL.path()), (path.to_vec(), Vec::new()));
        let outwards: Vec<String> = inner.ancestors().map(|it| it.to_string()).collect();
        assert_eq!(outwards, ["ops::detail", "ops", ""]);
    }
}
