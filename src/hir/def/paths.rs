//! Lookup of plain and qualified names.
//!
//! **Level**: an enclosing namespace, with the namespaces and names that `using` adds to it. A plain name is looked up
//! level by level, from the innermost outwards, and the first level that declares it decides. All functions of this
//! level are candidates. A qualified name is looked up relative to each enclosing namespace in the same order.
//!
//! ```cpp
//! namespace ops {
//! namespace detail { __device__ void sync(); }
//! __device__ void sync();
//! __device__ void f() { sync(); detail::sync(); }    // ops::sync, ops::detail::sync
//! }
//! ```
//!
//! A macro of a missing header can open a namespace. So if no level declares a name, all functions of this name are
//! candidates; for a type or a variable, the last declaration counts.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::FunctionKey;
use tangle_ir::types::{RecordName, Ty};

use super::names::{FunctionMeaning, LookupKey, Meaning, Names, Used};

type Found<'a> = SmallVec<[&'a Meaning; 2]>;

impl Names {
    /// Looks up a plain name from the namespace of the item. Blocks and classes are not considered.
    pub fn visible(&self, entry: LookupKey) -> Option<Meaning> {
        let all: Found = self.all(entry).map(|(_, meaning)| meaning).collect();
        if let [only] = all[..] {
            return Some(only.clone());
        }
        let around = self.namespace.ancestors().map(|level| self.meanings_at_level(level, entry));
        joined(around.into_iter().find(|found| !found.is_empty()).unwrap_or(all))
    }

    /// Looks up a tag from the namespace of the item.
    pub fn visible_tag(&self, tag: Symbol) -> Option<Ty> {
        self.namespace.ancestors().find_map(|around| self.tag(RecordName::new(around, tag, Box::default())))
    }

    /// Looks up a name that is qualified with a path of namespaces. None: the path does not lead to a declaration.
    pub fn qualified(&self, path: &[Symbol], entry: LookupKey) -> Option<&Meaning> {
        self.from(self.namespace, path, entry)
    }

    /// Returns the functions of an entry in all namespaces.
    pub fn functions_anywhere(&self, entry: LookupKey) -> Vec<FunctionMeaning> {
        let all = self.all(entry).filter_map(|(_, meaning)| meaning.functions());
        let mut found: Vec<FunctionMeaning> = all.flat_map(|all| all.iter().copied()).collect();
        retain_first(&mut found);
        found
    }

    fn meanings_at_level(&self, level: Namespace, entry: LookupKey) -> Found<'_> {
        let mut found: Found = self.within(level, entry).into_iter().collect();
        for using in self.usings.iter().filter(|using| using.within == level) {
            found.extend(match (using.used, entry) {
                (Used::Namespace(of), _) => self.from(level, &of.path(), entry),
                (Used::Alias { name, of }, LookupKey::Ordinary(asked)) if name == asked => {
                    let outside = of.parent().unwrap_or_default();
                    of.name().and_then(|own| self.from(level, &outside.path(), LookupKey::Ordinary(own)))
                }
                (Used::Alias { .. }, _) => None,
            });
        }
        found
    }

    /// Looks up a name that is qualified with a path, starting at a namespace.
    fn from(&self, place: Namespace, path: &[Symbol], entry: LookupKey) -> Option<&Meaning> {
        let ahead = |path: &[Symbol]| {
            let inside = |outer: Namespace| path.iter().try_fold(outer, |at, &name| at.find(name));
            place.ancestors().filter_map(inside).find_map(|found| self.within(found, entry))
        };
        let through = || {
            let (&first, rest) = path.split_first()?;
            let levels = place.ancestors();
            let usings = levels.flat_map(|level| self.usings.iter().filter(move |it| it.within == level));
            usings.into_iter().find_map(|using| match using.used {
                Used::Alias { name, of } if name == first => ahead(&[&of.path(), rest].concat()),
                Used::Alias { .. } => None,
                Used::Namespace(of) => ahead(&[&of.path(), path].concat()),
            })
        };
        ahead(path).or_else(through)
    }
}

/// Merges the meanings of one level: all functions, or otherwise the last meaning.
fn joined(found: Found) -> Option<Meaning> {
    if let [only] = found[..] {
        return Some(only.clone());
    }
    let last = *found.last()?;
    if last.functions().is_none() {
        return Some(last.clone());
    }
    let mut all: Vec<FunctionMeaning> =
        found.iter().filter_map(|it| it.functions()).flat_map(|all| all.iter().copied()).collect();
    retain_first(&mut all);
    Some(Meaning::Functions(all.into()))
}

/// Removes duplicates.
fn retain_first(functions: &mut Vec<FunctionMeaning>) {
    let mut seen: FxHashSet<FunctionKey> = FxHashSet::default();
    functions.retain(|it| seen.insert(it.key));
}
