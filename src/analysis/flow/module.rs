//! Lowers a file to a module of flow graphs with tokens.
//!
//! **Root**: a kernel, or a function that other modules may call. Roots, and the functions and variables that they call
//! or refer to, are lowered. The rest of a header costs nothing. The tokens of a function depend on the
//! convergence of its callees ([`program`](crate::program)). A function template with instances is not lowered itself.

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{GlobalEntity, UnresolvedCallee};

use super::build::Skeleton;
use super::instances::{Instance, Instances, instances};
use super::shape::GraphAnalysis;
pub use super::skeletons::Irreducible;
use super::skeletons::{built_body, make_reducible, skeletons};
use super::tokens::{self, TokenMethod};
use super::{Call, Callee, Function, Global, LoopId, Module, NotLowered, Op, unknown, verify};
use crate::program::{CallTarget, Definition, DefinitionId, FunctionKey, Functions, convergent, functions};
use crate::tangle::{Model, tangles_of};
use tangle_hir::body::CallId;
use tangle_hir::declared;
use tangle_hir::scope::{scoped_items, typed};
use tangle_hir::typed::{self as types, Data};
use tangle_syntax::db::Db;
use tangle_syntax::source::{Settings, SourceFile};

/// The options of lowering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub tokens: TokenMethod,
    pub irreducible: Irreducible,
}

/// The result of lowering a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    pub module: Module,
    /// The functions that are not in the module, with the reason: an internal error.
    pub errors: Vec<NotLowered>,
    /// The convergent operations with defined convergence that their tokens do not guarantee, because a cycle is
    /// unchanged. In source order of the functions.
    pub unguaranteed: Vec<UnguaranteedOperation>,
}

/// A convergent operation whose token guarantees less than the source defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnguaranteedOperation {
    pub function: FunctionKey,
    /// The call.
    pub span: Span,
    pub callee: Option<Symbol>,
}

impl Lowered {
    /// Returns, for each function that cannot be emitted as LLVM IR, the first unknown in it.
    pub fn unknown(&self) -> impl Iterator<Item = NotLowered> + '_ {
        self.module.functions.iter().filter_map(unknown::first)
    }
}

/// The functions and variables that the unit defines.
struct UnitDefinitions<'db> {
    db: &'db dyn Db,
    functions: &'db Functions<'db>,
    instances: &'db Instances<'db>,
    /// Variables at file scope: the first declaration with an initialiser, or else the last declaration.
    globals: FxHashMap<Symbol, (usize, &'db types::Global)>,
}

impl<'db> UnitDefinitions<'db> {
    fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> UnitDefinitions<'db> {
        let mut globals: FxHashMap<Symbol, (usize, &types::Global)> = FxHashMap::default();
        for (order, item) in scoped_items(db, file, settings).into_iter().enumerate() {
            if declared(db, item.scoped.item(db)).variables.is_empty() {
                continue;
            }
            for global in &typed(db, item.scoped).globals {
                let known = globals.get(&global.name.text);
                if known.is_none_or(|(_, known)| known.initializer.is_none()) {
                    globals.insert(global.name.text, (order, global));
                }
            }
        }
        let (functions, instances) = (functions(db, file, settings), instances(db, file, settings));
        UnitDefinitions { db, functions, instances, globals }
    }

    fn skeleton(&self, of: Instance<'db>, irreducible: Irreducible) -> Option<&'db Skeleton> {
        let definition = self.functions.get(of.definition);
        skeletons(self.db, of.scoped, irreducible).0[definition.body as usize].as_ref()
    }

    /// Returns a definition without further arguments: an ordinary function, an instantiated kernel, or a template.
    fn as_defined(&self, definition: DefinitionId) -> Instance<'db> {
        Instance { definition, scoped: self.functions.get(definition).item.scoped }
    }

    /// Returns the functions that are lowered even if they are not called. Of several definitions of one function, the
    /// last one counts: redefinition errors are left to compilers.
    fn roots(&self) -> impl Iterator<Item = Instance<'db>> {
        let is_root = |id: DefinitionId, it: &Definition| {
            let is_replaced = it.replaced || it.instantiation.is_none() && self.instances.has_instances(id);
            !is_replaced && !it.block && (it.kernel || !it.internal)
        };
        let roots = self.functions.iter().filter(move |(id, definition)| is_root(*id, definition));
        roots.map(|(id, _)| self.as_defined(id))
    }

    /// Returns the function with this key, if the unit defines it.
    fn function(&self, key: FunctionKey) -> Option<Instance<'db>> {
        let instance = self.instances.get(key);
        instance.or_else(|| self.functions.of_key(key).map(|id| self.as_defined(id)))
    }
}

/// Lowers the functions of a unit.
pub fn lower(db: &dyn Db, file: SourceFile, settings: Settings, options: &Options) -> Lowered {
    let unit = UnitDefinitions::of(db, file, settings);
    // The inference of tokens begins with making irreducible cycles reducible.
    let irreducible = match (options.irreducible, options.tokens) {
        (Irreducible::Auto, TokenMethod::Infer) => Irreducible::Dispatch,
        (irreducible, _) => irreducible,
    };
    let mut errors: Vec<(DefinitionId, NotLowered)> = Vec::new();
    let mut wanted: Vec<(Instance, &Skeleton)> = Vec::new();
    let mut seen: FxHashSet<Instance> = FxHashSet::default();
    let mut variables: FxHashSet<Symbol> = FxHashSet::default();
    let mut functions: Vec<Instance> = unit.roots().collect();
    // Variables with external linkage are lowered even if this module does not use them.
    let visible = unit.globals.iter().filter(|(_, (_, global))| !global.internal);
    let mut todo: Vec<GlobalEntity> = visible.map(|(&name, _)| GlobalEntity::Variable(name)).collect();
    loop {
        while let Some(mentioned) = todo.pop() {
            match mentioned {
                GlobalEntity::Function(key) => functions.extend(unit.function(key)),
                GlobalEntity::Variable(name) => {
                    if let Some((_, global)) = unit.globals.get(&name)
                        && variables.insert(name)
                        && let Some(data) = &global.initializer
                    {
                        collect_data_references(data, &mut todo);
                    }
                }
            }
        }
        let Some(of) = functions.pop() else { break };
        if !seen.insert(of) {
            continue;
        }
        if let Some(skeleton) = unit.skeleton(of, irreducible) {
            collect_references(&skeleton.function, &mut todo);
            let named = unresolved(&skeleton.function).flat_map(|named| unit.functions.named(named));
            functions.extend(named.map(|id| unit.as_defined(id)));
            let own = skeleton.globals.iter().filter_map(|global| global.initializer.as_ref());
            own.for_each(|data| collect_data_references(data, &mut todo));
            wanted.push((of, skeleton));
        }
    }
    // The lambdas of a function or of an instance come right after it.
    let around = |(of, skeleton): &(Instance, &Skeleton)| {
        let definition = unit.functions.get(of.definition);
        let first = unit.functions.enclosing(of.definition);
        (first, skeleton.function.key.arguments.to_string(), definition.block, of.definition)
    };
    wanted.sort_by_cached_key(around);

    let convergent = convergent(db, file, settings);
    let is_convergent = |callee: &Callee| convergent.call(CallTarget::of(callee)).is_some();
    let mut globals = module_globals(&unit, &variables);
    let mut lowered = Vec::with_capacity(wanted.len());
    let mut unguaranteed = Vec::new();
    let mut own = OwnVariables::default();
    for (of, skeleton) in wanted {
        let id = of.definition;
        let definition = unit.functions.get(id);
        // A block literal follows the function whose variables it uses.
        if !definition.block {
            own.renamed.clear();
        }
        let lost = find_unguaranteed(db, definition, &skeleton.function, &is_convergent);
        let loops: FxHashSet<LoopId> = lost.iter().flat_map(|(_, loops)| loops.iter().copied()).collect();
        let with_heads = match irreducible {
            Irreducible::Auto | Irreducible::Dispatch
                if !loops.is_empty() && options.tokens == TokenMethod::Placed =>
            {
                let is_wanted = |id: LoopId| loops.contains(&id);
                let prepare = match irreducible {
                    Irreducible::Dispatch => make_reducible,
                    _ => |_: &mut Function| {},
                };
                built_body(db, of.scoped, definition.body as usize, &is_wanted, &prepare)
            }
            Irreducible::Anchor => {
                unguaranteed.extend(lost.into_iter().map(|(lost, _)| lost));
                None
            }
            _ => None,
        };
        let mut function = with_heads.map_or_else(|| skeleton.function.clone(), |it| it.function);
        let shape = GraphAnalysis::of(&function);
        let nest = definition.body(db).nest();
        tokens::place(&mut function, &shape, &nest, &is_convergent, options.tokens);
        function.convergent |= convergent.function(definition.key);
        let variables = own.rename(&skeleton.globals, &mut function);
        match verify::verify_shaped(&function, &shape).first() {
            None => {
                globals.extend(variables);
                lowered.push(function);
            }
            Some(violation) => {
                let rule = violation.rule.row();
                let reason = format!(
                    "internal error: the flow graph violates the rule `{}` ({}): {violation:?}",
                    rule.name, rule.demands
                );
                let error = NotLowered { function: Some(function.key), span: function.span, reason };
                errors.push((id, error));
            }
        }
    }
    errors.sort_by_key(|(id, _)| *id);
    let errors = errors.into_iter().map(|(_, error)| error).chain(unit.instances.excess()).collect();
    let module = Module { file: file.path(db).to_string(), functions: lowered, globals };
    Lowered { module, errors, unguaranteed }
}

/// Finds the convergent calls with defined convergence that are in loops entered past their heads, with these loops.
fn find_unguaranteed(
    db: &dyn Db,
    definition: &Definition<'_>,
    function: &Function,
    is_convergent: &dyn Fn(&Callee) -> bool,
) -> Vec<(UnguaranteedOperation, Vec<LoopId>)> {
    if !function.loops.iter().any(|it| it.is_entered_past_head) {
        return Vec::new();
    }
    let tangles =
        &tangles_of(db, definition.item.scoped.item(db), Model::Tangles).0[definition.body as usize];
    let mut lost = Vec::new();
    for (block, data) in function.blocks.iter_enumerated() {
        let around = function.loops_around(block);
        let loops: Vec<LoopId> = around.filter(|&it| function.loops[it].is_entered_past_head).collect();
        if loops.is_empty() {
            continue;
        }
        for &value in &data.values {
            let Op::Call(call) = &function.values[value].op else { continue };
            let is_defined = |call: CallId| tangles.calls[call].doubt.is_none();
            if is_convergent(&call.callee) && call.call.is_some_and(is_defined) {
                let span = function.values[value].span;
                let given_up =
                    UnguaranteedOperation { function: function.key, span, callee: call.callee.name() };
                lost.push((given_up, loops.clone()));
            }
        }
    }
    lost
}

/// The names of the variables that functions declare. Two functions of one name, such as instantiations of a template,
/// can declare variables of one name.
#[derive(Default)]
struct OwnVariables {
    taken: FxHashSet<Symbol>,
    /// The new names of variables of the current function.
    renamed: FxHashMap<Symbol, Symbol>,
}

impl OwnVariables {
    /// Returns the variables of a function with names that no other variable has, and uses these names in the function.
    fn rename(&mut self, variables: &[Global], function: &mut Function) -> Vec<Global> {
        let mut own = variables.to_vec();
        for variable in &mut own {
            let wish = variable.name;
            let mut number = 1;
            while !self.taken.insert(variable.name) {
                number += 1;
                variable.name = Symbol::intern(&format!("{wish}${number}"));
            }
            if number > 1 {
                self.renamed.insert(wish, variable.name);
            }
        }
        if !self.renamed.is_empty() {
            for value in &mut function.values {
                if let Op::Global(name) = &mut value.op {
                    *name = self.renamed.get(name).copied().unwrap_or(*name);
                }
            }
        }
        own
    }
}

/// Returns the variables at file scope of the module, in source order.
fn module_globals(unit: &UnitDefinitions, wanted: &FxHashSet<Symbol>) -> Vec<Global> {
    let mut globals: Vec<(usize, &types::Global)> =
        wanted.iter().filter_map(|name| unit.globals.get(name)).copied().collect();
    globals.sort_by_key(|(order, global)| (*order, global.name.span));
    let global = |(_, global): (usize, &types::Global)| Global {
        name: global.name.text,
        ty: global.ty,
        space: global.space,
        constant: global.constant,
        internal: global.internal,
        external: global.external,
        initializer: global.initializer.clone(),
    };
    globals.into_iter().map(global).collect()
}

/// Drops the variables that no function of the module refers to, not even through an initial value.
pub fn drop_unused_variables(module: &mut Module) {
    let mut todo = Vec::new();
    module.functions.iter().for_each(|function| collect_references(function, &mut todo));
    let mut used: FxHashSet<Symbol> = FxHashSet::default();
    while let Some(mentioned) = todo.pop() {
        let GlobalEntity::Variable(name) = mentioned else { continue };
        if used.insert(name) {
            let own = module.globals.iter().filter(|global| global.name == name);
            own.filter_map(|global| global.initializer.as_ref())
                .for_each(|data| collect_data_references(data, &mut todo));
        }
    }
    module.globals.retain(|global| used.contains(&global.name));
}

/// Adds the functions and variables that a function refers to.
fn collect_references(function: &Function, mentioned: &mut Vec<GlobalEntity>) {
    for value in &function.values {
        match &value.op {
            Op::Global(name) => mentioned.push(GlobalEntity::Variable(*name)),
            Op::Function(key) => mentioned.push(GlobalEntity::Function(*key)),
            Op::Call(call) => match &call.callee {
                Callee::Function { key, .. } => mentioned.push(GlobalEntity::Function(*key)),
                // The unit may define a function with the name of the builtin after the call.
                Callee::Builtin { name, .. } => {
                    mentioned.push(GlobalEntity::Function(FunctionKey::plain(*name)))
                }
                Callee::CompilerBuiltin { .. } | Callee::Pointer { .. } | Callee::Unknown { .. } => {}
            },
            _ => {}
        }
    }
}

/// Returns the callee names of calls that overload resolution cannot decide.
fn unresolved(function: &Function) -> impl Iterator<Item = UnresolvedCallee> + '_ {
    function.values.iter().filter_map(|value| match &value.op {
        Op::Call(Call { callee: Callee::Unknown { named, .. }, .. }) => *named,
        _ => None,
    })
}

fn collect_data_references(data: &Data, mentioned: &mut Vec<GlobalEntity>) {
    let mut todo = vec![data];
    while let Some(data) = todo.pop() {
        match data {
            Data::Address { of, .. } => mentioned.push(*of),
            Data::Aggregate(parts) => todo.extend(parts),
            Data::Union { data, .. } => todo.push(data),
            Data::Constant(_)
            | Data::Bytes(_)
            | Data::StringAddress { .. }
            | Data::Label(_)
            | Data::Unknown => {}
        }
    }
}
