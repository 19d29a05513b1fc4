//! The instances of templates that the analyses of a unit examine.
//!
//! **Instance**: a template with known arguments, checked with them. **Wanted** function: one that may run a convergent
//! operation, directly or through a call. The arguments of a wanted template can decide the size of a group of threads,
//! and which operation a call executes. Of a template that a wanted function calls, an argument that is a number can
//! decide which threads get the same result.
//!
//! ```c
//! template <int W> __device__ int sum(thread_block_tile<W> tile, int v) { return v + tile.shfl_xor(v, W / 2); }
//! template <class G> __device__ void wait(G group) { group.sync(); }
//! template <int W> __device__ int part() { return threadIdx.x / W; }
//! template <class T> __device__ T twice(T x) { return x + x; }   // never instantiated here
//! __global__ void k(int *p) {
//!   wait(this_thread_block());              // the instance wait<thread_block>: a barrier of the block
//!   wait(tiled_partition<8>(this_thread_block()));   // the instance wait<thread_block_tile<8>>
//! }
//! ```
//!
//! Kernel templates are instantiated by launches and explicit instantiations. Wanted templates, and others with a number
//! among their arguments, are instantiated by the calls of wanted kernels, of wanted functions that are not templates, and
//! of instances. **Generic** template: one that has
//! instances, but also runs by a call whose arguments are not known, or that exceeds a limit; it is examined as well, for
//! all arguments at once.
//!
//! Algorithm: a function is wanted if calls lead from it to an operation, by name where types do not determine the callee.
//! Then a worklist of bodies: the calls of each request instances, and the body of each new instance is checked for further
//! calls.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{DeclaringScope, FunctionKey, InstanceArgument, UnresolvedCallee};

use super::calls::{CallTarget, Calls, calls, instance_calls};
use super::defined::{Defined, defined};
use tangle_hir::def::template::mentions_parameter;
use tangle_hir::instantiation::{Instantiation, TemplateLaunches, is_template};
use tangle_hir::scope::{Scoped, declared_template, instantiated, segments};
use tangle_hir::template_arguments::TemplateArguments;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Builtins;
use tangle_syntax::items::{ast, unit};
use tangle_syntax::source::{Settings, SourceFile};

/// The limit on the instances of one template. Calls of further ones run the generic template.
const MAX_OF_TEMPLATE: usize = 16;

/// The limit on the instances of a unit. A template can instantiate itself without end.
const MAX_INSTANCES: usize = 1024;

/// An instance of a function template.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct TemplateInstance<'db> {
    pub key: FunctionKey,
    /// The item of the template, checked with the arguments.
    pub scoped: Scoped<'db>,
}

/// The instances of templates that the analyses of a unit examine.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct TemplateInstances<'db> {
    /// The instantiations of kernel templates, with the checked item of each.
    kernels: Vec<(Instantiation, Scoped<'db>)>,
    /// The range in `kernels` of each kernel template.
    of_kernel: FxHashMap<FunctionKey, Range<usize>>,
    /// The instances of other function templates, in a fixed order.
    all: Vec<TemplateInstance<'db>>,
    /// The numbers of the instances of each template.
    by_template: FxHashMap<FunctionKey, Vec<usize>>,
    keys: FxHashSet<FunctionKey>,
    /// The generic templates.
    generic: FxHashSet<FunctionKey>,
}

impl<'db> TemplateInstances<'db> {
    /// Returns the instantiations of a kernel template, with the checked item of each.
    pub fn of_kernel(&self, kernel: FunctionKey) -> &[(Instantiation, Scoped<'db>)] {
        self.of_kernel.get(&kernel).map_or(&[], |range| &self.kernels[range.clone()])
    }

    /// Returns the instances of a function template that is no kernel.
    pub fn of_template(&self, template: FunctionKey) -> impl Iterator<Item = &TemplateInstance<'db>> {
        let numbers = self.by_template.get(&template).into_iter().flatten();
        numbers.map(|&number| &self.all[number])
    }

    /// Whether a template is examined for all arguments at once, besides its instances.
    pub fn is_generic(&self, template: FunctionKey) -> bool {
        self.generic.contains(&template)
    }

    /// Returns the checked items of all instances, of kernels as well, in no particular order.
    pub fn items(&self) -> impl Iterator<Item = Scoped<'db>> {
        let kernels = self.kernels.iter().map(|(_, scoped)| *scoped);
        kernels.chain(self.all.iter().map(|instance| instance.scoped))
    }

    /// Returns the instances of templates that are no kernels, in a fixed order.
    pub fn all(&self) -> impl Iterator<Item = &TemplateInstance<'db>> {
        self.all.iter()
    }
}

/// Finds the instances of the templates of a unit.
// `no_eq`: nearly all units have none, and a comparison is not faster than the computation.
#[salsa::tracked(no_eq, lru = 16)]
pub fn template_instances(db: &dyn Db, file: SourceFile, settings: Settings) -> TemplateInstances<'_> {
    let mut found = TemplateInstances::default();
    if settings.dialect(db).lexicon().grammar() != Grammar::Cpp {
        return found;
    }
    let unit = unit(db, file, settings);
    let launches = TemplateLaunches::of(unit);
    let segments = segments(db, file, settings);
    let all: Vec<&Calls> = segments.iter().map(|&(_, segment)| calls(db, segment)).collect();
    if launches.is_empty() && all.iter().all(|calls| calls.instances.is_empty()) {
        return found;
    }
    let functions = segments.iter().flat_map(|&(_, segment)| defined(db, segment));
    if !launches.is_empty() {
        // A launch names a kernel without its parameters, and often without its namespace.
        let mut count: FxHashMap<Symbol, u32> = FxHashMap::default();
        let kernels = functions.clone().filter(|it| it.kernel && !it.block);
        kernels.clone().for_each(|it| *count.entry(it.key.name).or_default() += 1);
        for kernel in kernels.filter(|kernel| count[&kernel.key.name] == 1) {
            let own = launches.instantiations(db, unit, kernel.scoped, kernel.key.name);
            if !own.is_empty() {
                let checked = |it: Instantiation| {
                    let scoped = instantiated(db, unit, kernel.scoped, &it.arguments);
                    (it, scoped)
                };
                let before = found.kernels.len();
                found.kernels.extend(own.into_iter().map(checked));
                found.of_kernel.insert(kernel.key, before..found.kernels.len());
            }
        }
    }
    if found.kernels.is_empty() && all.iter().all(|calls| calls.instances.is_empty()) {
        return found;
    }
    let wanted = wanted(&all, settings.builtins(db));
    if wanted.is_empty() {
        return found;
    }
    let functions: FxHashMap<FunctionKey, &Defined> = functions.map(|it| (it.key, it)).collect();
    let is_compiled = |key: FunctionKey| {
        !found.of_kernel.contains_key(&key)
            && functions.get(&key).is_none_or(|it| it.kernel || !is_in_template(db, it.scoped, key))
    };
    let mut requests: Vec<FunctionKey> = Vec::new();
    for calls in &all {
        let is_request = |key: &&FunctionKey| {
            let callers = calls.callers.get(&CallTarget::Function(**key)).into_iter().flatten();
            let mut callers = callers.map(|caller| caller.key).filter(|caller| wanted.contains(caller));
            callers.any(is_compiled)
        };
        requests.extend(calls.instances.iter().filter(is_request));
    }
    for (_, scoped) in &found.kernels {
        requests.extend(instance_calls(db, *scoped).instances.iter());
    }
    let mut next = 0;
    while let Some(&key) = requests.get(next) {
        next += 1;
        let template = key.template();
        let known = found.by_template.get(&template).map_or(0, Vec::len);
        if found.keys.contains(&key) || known >= MAX_OF_TEMPLATE || found.all.len() >= MAX_INSTANCES {
            continue;
        }
        if !is_known(key) || !wanted.contains(&template) && !has_number(key) {
            continue;
        }
        let Some(defined) = functions.get(&template).filter(|it| !it.kernel) else { continue };
        let Some(of) = declared_template(db, defined.scoped, template) else { continue };
        let arguments = TemplateArguments::new(of.parameters(), key.arguments);
        let scoped = instantiated(db, unit, defined.scoped, &arguments);
        found.keys.insert(key);
        found.by_template.entry(template).or_default().push(found.all.len());
        found.all.push(TemplateInstance { key, scoped });
        requests.extend(instance_calls(db, scoped).instances.iter());
    }
    found.generic = generic(db, &found, &all);
    found
}

/// Whether the function with a key, which an item defines, is a template, or a lambda in one.
pub(crate) fn is_in_template(db: &dyn Db, scoped: Scoped, key: FunctionKey) -> bool {
    let name = match key.owner {
        DeclaringScope::Function { name, .. } => name,
        DeclaringScope::Namespace(_) | DeclaringScope::Class(_) => key.name,
    };
    is_template(&ast(db, scoped.item(db)), name)
}

/// Whether all arguments of an instance are known.
fn is_known(key: FunctionKey) -> bool {
    key.arguments.list().iter().all(|argument| match argument {
        InstanceArgument::Unknown => false,
        InstanceArgument::Type(ty) => !mentions_parameter(*ty) && !ty.is_unknown(),
        InstanceArgument::Value { .. } => true,
    })
}

/// Whether an argument of an instance is a number.
fn has_number(key: FunctionKey) -> bool {
    key.arguments.list().iter().any(|argument| matches!(argument, InstanceArgument::Value { .. }))
}

/// Returns the functions that may run a convergent operation, templates and others.
fn wanted(all: &[&Calls], builtins: &Builtins) -> FxHashSet<FunctionKey> {
    let may_run = |target: CallTarget| {
        let row = target.row().is_some_and(|name| builtins.convergent(name).is_some());
        row || matches!(target, CallTarget::Unresolved(named) if named.name().is_some_and(|name| builtins.may_be_convergent(name)))
    };
    let mut callers: FxHashMap<Called, Vec<FunctionKey>> = FxHashMap::default();
    let mut todo: Vec<FunctionKey> = Vec::new();
    for (&target, of_target) in all.iter().flat_map(|calls| &calls.callers) {
        let keys = of_target.iter().map(|caller| caller.key);
        if may_run(target) {
            todo.extend(keys.clone());
        }
        for called in Called::by(target) {
            callers.entry(called).or_default().extend(keys.clone());
        }
    }
    let mut found: FxHashSet<FunctionKey> = FxHashSet::default();
    while let Some(key) = todo.pop() {
        if found.insert(key) {
            let meant = Called::of(key);
            todo.extend(meant.filter_map(|called| callers.get(&called)).flatten());
        }
    }
    found
}

/// The callee of a call: a function or template, or a name that types do not resolve.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Called {
    Key(FunctionKey),
    Name(UnresolvedCallee),
}

impl Called {
    /// Returns the callees of a call with a target.
    fn by(target: CallTarget) -> SmallVec<[Called; 2]> {
        match target {
            CallTarget::Function(key) => [Called::Key(key.template())].into_iter().collect(),
            CallTarget::Builtin(name) => [Called::Key(FunctionKey::plain(name))].into_iter().collect(),
            CallTarget::Unresolved(UnresolvedCallee::OneOf { candidates, .. }) => {
                candidates.keys().iter().map(|&key| Called::Key(key)).collect()
            }
            CallTarget::Unresolved(named) => [Called::Name(named)].into_iter().collect(),
            CallTarget::Pointer | CallTarget::Unknown => SmallVec::new(),
        }
    }

    /// Returns the callees by which calls mean a function.
    fn of(key: FunctionKey) -> impl Iterator<Item = Called> {
        [Called::Key(key)].into_iter().chain(key.named().map(Called::Name))
    }
}

/// Returns the generic templates: a function without instances calls them with unknown arguments, or an instance or
/// another generic template does.
fn generic(db: &dyn Db, found: &TemplateInstances, all: &[&Calls]) -> FxHashSet<FunctionKey> {
    let has_instances =
        |key: FunctionKey| found.by_template.contains_key(&key) || found.of_kernel.contains_key(&key);
    // The callers of the generic templates, if they are generic templates themselves.
    let mut callers: FxHashMap<FunctionKey, Vec<FunctionKey>> = FxHashMap::default();
    let mut todo: Vec<FunctionKey> = Vec::new();
    let mut named: FxHashMap<UnresolvedCallee, Vec<FunctionKey>> = FxHashMap::default();
    for &template in found.by_template.keys() {
        template.named().for_each(|by| named.entry(by).or_default().push(template));
    }
    let mut add = |target: CallTarget, by: &mut dyn Iterator<Item = Option<FunctionKey>>| {
        let meant: SmallVec<[FunctionKey; 2]> = match target {
            CallTarget::Function(key) if found.keys.contains(&key) => SmallVec::new(),
            target => Called::by(target)
                .into_iter()
                .flat_map(|called| match called {
                    Called::Key(key) => [key].into_iter().filter(|&key| has_instances(key)).collect(),
                    Called::Name(name) => named
                        .get(&name)
                        .map_or_else(SmallVec::<[FunctionKey; 2]>::new, |all| all.iter().copied().collect()),
                })
                .collect(),
        };
        if meant.is_empty() {
            return;
        }
        for by in by {
            match by {
                Some(caller) => callers.entry(caller).or_default().extend(&meant),
                None => todo.extend(&meant),
            }
        }
    };
    for (&target, of_target) in all.iter().flat_map(|calls| &calls.callers) {
        let mut by = of_target.iter().map(|caller| Some(caller.key).filter(|&key| has_instances(key)));
        add(target, &mut by);
    }
    for scoped in found.items() {
        for (&target, of_target) in &instance_calls(db, scoped).callers {
            add(target, &mut of_target.iter().map(|_| None));
        }
    }
    let mut generic: FxHashSet<FunctionKey> = FxHashSet::default();
    while let Some(key) = todo.pop() {
        if generic.insert(key) {
            todo.extend(callers.get(&key).into_iter().flatten());
        }
    }
    // An instantiated kernel never runs for unknown arguments.
    generic.retain(|key| found.by_template.contains_key(key));
    generic
}
