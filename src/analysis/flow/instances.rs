//! The instances of function templates, and of methods of class templates, that a unit needs.
//!
//! **Instance**: a template with known arguments, checked with them. A kernel template is instantiated by its
//! launches and explicit instantiations; any other function template by the calls in functions that are compiled: those
//! that are not templates, and other instances.
//!
//! ```c
//! template <class T> __device__ T twice(T x) { return x + x; }
//! template <class T> __global__ void k(T *p) { *p = twice(*p); }
//! k<float><<<1, 1>>>(p);   // the instances k<float> and twice<float>
//! ```
//!
//! A call in an `if constexpr` branch that is not taken needs nothing. The lambdas of an instance belong to it.
//!
//! Algorithm: a worklist of compiled functions. The flow graph of each shows its calls.

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_grammar::lexicon::Grammar;
use tangle_ir::flow::{Callee, Function, NotLowered, Op};
use tangle_ir::key::FunctionKey;

use super::skeletons::{Irreducible, skeletons};
use crate::program::instances::is_in_template;
use crate::program::{DefinitionId, Functions, functions};
use tangle_hir::scope::{Scoped, declared_template, instantiated, typed};
use tangle_hir::template_arguments::TemplateArguments;
use tangle_syntax::db::Db;
use tangle_syntax::items::unit;
use tangle_syntax::source::{Settings, SourceFile};

/// The limit on the instances of a unit. A template can instantiate itself without end.
const MAX_INSTANCES: usize = 4096;

/// An instance of a function template, or a lambda in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct Instance<'db> {
    /// The definition of the template.
    pub definition: DefinitionId,
    /// The item of the definition, checked with the arguments.
    pub scoped: Scoped<'db>,
}

/// The instances of a unit.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Instances<'db> {
    all: Vec<Instance<'db>>,
    by_key: FxHashMap<FunctionKey, usize>,
    templates: FxHashSet<DefinitionId>,
    /// The instances that are called, but exceed the limit.
    excess: FxHashSet<FunctionKey>,
}

impl<'db> Instances<'db> {
    /// Returns the instance with a key.
    pub fn get(&self, key: FunctionKey) -> Option<Instance<'db>> {
        self.by_key.get(&key).map(|&number| self.all[number])
    }

    /// Whether a definition is a template that has instances.
    pub fn has_instances(&self, template: DefinitionId) -> bool {
        self.templates.contains(&template)
    }

    /// Returns, for each instance that is called but exceeds the limit, the reason not to lower it.
    pub fn excess(&self) -> impl Iterator<Item = NotLowered> + '_ {
        let reason = format!("the unit has more than {MAX_INSTANCES} instances of function templates");
        let error =
            move |&key| NotLowered { function: Some(key), span: Span::new(0, 0), reason: reason.clone() };
        self.excess.iter().map(error)
    }
}

/// Finds the instances of function templates that a unit needs.
// A query, because salsa never frees values that are interned outside of queries.
#[salsa::tracked(no_eq, lru = 16)]
pub fn instances(db: &dyn Db, file: SourceFile, settings: Settings) -> Instances<'_> {
    let mut found = Instances::default();
    if settings.dialect(db).lexicon().grammar() != Grammar::Cpp {
        return found;
    }
    let (unit, functions) = (unit(db, file, settings), functions(db, file, settings));
    let mut todo: Vec<(Scoped, u32)> = Vec::new();
    for (id, definition) in functions.iter() {
        let scoped = definition.item.scoped;
        if definition.instantiation.is_some() {
            found.add(db, functions, Instance { definition: id, scoped }, &mut todo);
        } else if !is_in_template(db, scoped, definition.key) {
            todo.push((scoped, definition.body));
        }
    }
    while let Some((scoped, body)) = todo.pop() {
        let Some(skeleton) = &skeletons(db, scoped, Irreducible::Auto).0[body as usize] else { continue };
        for key in called(&skeleton.function) {
            if !key.is_instance() || found.by_key.contains_key(&key) {
                continue;
            }
            let Some(id) = functions.of_key(key.template()) else { continue };
            if found.all.len() >= MAX_INSTANCES {
                found.excess.insert(key);
                continue;
            }
            let scoped = functions.get(id).item.scoped;
            let Some(template) = declared_template(db, scoped, key.template()) else { continue };
            let arguments = TemplateArguments::new(template.parameters(), key.arguments);
            let scoped = instantiated(db, unit, scoped, &arguments);
            found.add(db, functions, Instance { definition: id, scoped }, &mut todo);
        }
    }
    found
}

impl<'db> Instances<'db> {
    /// Adds an instance with its lambdas.
    fn add(
        &mut self,
        db: &'db dyn Db,
        functions: &Functions<'db>,
        instance: Instance<'db>,
        todo: &mut Vec<(Scoped<'db>, u32)>,
    ) {
        self.templates.insert(instance.definition);
        let scoped = instance.scoped;
        for (id, definition) in functions.with_literals(instance.definition) {
            let key = typed(db, scoped).keys[definition.body as usize];
            self.by_key.insert(key, self.all.len());
            self.all.push(Instance { definition: id, scoped });
            todo.push((scoped, definition.body));
        }
    }
}

/// Returns the functions that a function calls or refers to.
fn called(function: &Function) -> impl Iterator<Item = FunctionKey> + '_ {
    function.values.iter().filter_map(|value| match &value.op {
        Op::Call(call) => match call.callee {
            Callee::Function { key, .. } => Some(key),
            _ => None,
        },
        Op::Function(key) => Some(*key),
        _ => None,
    })
}
