//! A file as a module of the flow graph: which functions are lowered, and in which order they get their tokens.
//!
//! **Root**: a kernel, or a function that other modules may call. Roots, and what they call or refer to, are lowered; what a
//! header holds beyond that costs nothing. The graph of a function depends on its item and the meanings of its names alone, and is
//! shared by all units ([`skeletons`]); its tokens depend on which of its callees are convergent, so callees come first.

use index_vec::{IndexVec, define_index_type};
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::symbol::Symbol;

use super::build::{Skeleton, build};
use super::tokens::{self, Tokens};
use super::{Callee, Function, Global, Module, NotLowered, Op, dispatch, ssa, verify};
use crate::db::Db;
use crate::hir::bodies;
use crate::hir::declared;
use crate::hir::scope::{Scoped, scoped_items, typed};
use crate::hir::typed::{self as types, Data};
use crate::source::{Settings, SourceFile};
use crate::syntax::parse;
use crate::tangle::convergent::of_unit;
use tangle_ir::key::Entity;

define_index_type! {
    /// A function definition of the unit, in the order of the text.
    struct DefinitionId = u32;
}

/// How a file is lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub tokens: Tokens,
    pub irreducible: Irreducible,
}

/// What is done with irreducible cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Irreducible {
    #[default]
    Anchor,
    Dispatch,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    pub module: Module,
    /// The functions that are not in the module, and why.
    pub errors: Vec<NotLowered>,
}

/// The graphs of an item's bodies in SSA form, without tokens.
pub fn skeletons<'db>(db: &'db dyn Db, scoped: Scoped<'db>, irreducible: Irreducible) -> &'db Skeletons {
    // Queries of one key: what several make up is kept for good if it is asked for outside of queries.
    match irreducible {
        Irreducible::Anchor => anchored(db, scoped),
        Irreducible::Dispatch => dispatched(db, scoped),
    }
}

#[salsa::tracked]
fn anchored<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Skeletons {
    built(db, scoped, |_| {})
}

#[salsa::tracked]
fn dispatched<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Skeletons {
    built(db, scoped, |function| {
        ssa::remove_unreachable(function);
        dispatch::dispatch(function);
    })
}

fn built<'db>(db: &'db dyn Db, scoped: Scoped<'db>, prepare: impl Fn(&mut Function)) -> Skeletons {
    let item = scoped.item(db);
    let ast = &parse(db, item).0.ast;
    let typed = &typed(db, scoped).0;
    let names = scoped.names(db);
    let bodies = bodies(db, item).0.iter().zip(&typed.bodies);
    let skeletons = bodies.map(|(body, typed)| {
        let mut skeleton = build(ast, body, typed, &names.names)?;
        prepare(&mut skeleton.function);
        ssa::construct(&mut skeleton.function);
        Ok(skeleton)
    });
    Skeletons(skeletons.collect())
}

/// The value of [`skeletons`], in the order of the bodies.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Skeletons(pub Box<[Result<Skeleton, NotLowered>]>);

/// A function that the unit defines.
struct Definition<'db> {
    scoped: Scoped<'db>,
    /// The number of its body in the item.
    body: usize,
    root: bool,
}

/// What the unit defines, by name.
struct Unit<'db> {
    db: &'db dyn Db,
    definitions: IndexVec<DefinitionId, Definition<'db>>,
    /// Several for a name that is overloaded.
    by_name: FxHashMap<Symbol, Vec<DefinitionId>>,
    /// Variables at file scope: the last declaration with an initialiser, or else the last.
    globals: FxHashMap<Symbol, (usize, &'db types::Global)>,
}

impl<'db> Unit<'db> {
    fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> Unit<'db> {
        let mut unit = Unit {
            db,
            definitions: IndexVec::new(),
            by_name: FxHashMap::default(),
            globals: FxHashMap::default(),
        };
        for (order, item) in scoped_items(db, file, settings).into_iter().enumerate() {
            let scoped = item.scoped;
            let declared = declared(db, scoped.item(db));
            if !declared.variables.is_empty() {
                for global in &typed(db, scoped).0.globals {
                    let known = unit.globals.get(&global.name.text);
                    if known.is_none_or(|(_, known)| known.initializer.is_none()) {
                        unit.globals.insert(global.name.text, (order, global));
                    }
                }
            }
            if !declared.functions.iter().any(|function| function.defined) {
                continue;
            }
            for (number, body) in
                bodies(db, scoped.item(db)).0.iter().enumerate().filter(|(_, body)| !body.block)
            {
                let name = body.name.text;
                let function =
                    declared.functions.iter().find(|function| function.name == name && function.defined);
                let root = body.kernel || function.is_none_or(|function| !function.internal);
                let id = unit.definitions.push(Definition { scoped, body: number, root });
                let known = unit.by_name.entry(name).or_default();
                // Of two definitions of one name the last holds; `redefinition` is a compiler's to tell.
                if function.is_none_or(|function| !function.overloadable) {
                    known.drain(..).for_each(|earlier| unit.definitions[earlier].root = false);
                }
                known.push(id);
            }
        }
        unit
    }

    fn skeleton(&self, id: DefinitionId, irreducible: Irreducible) -> &'db Result<Skeleton, NotLowered> {
        let definition = &self.definitions[id];
        &skeletons(self.db, definition.scoped, irreducible).0[definition.body]
    }
}

/// Lowers the functions of a unit.
pub fn lower(db: &dyn Db, file: SourceFile, settings: Settings, options: &Options) -> Lowered {
    let facts = Unit::of(db, file, settings);
    let mut errors = Vec::new();
    let mut wanted: FxHashMap<DefinitionId, &Skeleton> = FxHashMap::default();
    let mut seen: FxHashSet<DefinitionId> = FxHashSet::default();
    let mut variables: FxHashSet<Symbol> = FxHashSet::default();
    let mut todo: Vec<Symbol> = Vec::new();
    let roots = facts.definitions.iter_enumerated().filter(|(_, definition)| definition.root);
    let mut functions: Vec<DefinitionId> = roots.map(|(id, _)| id).rev().collect();
    // Variables that other modules may read are there whether or not this one does.
    todo.extend(facts.globals.iter().filter(|(_, (_, global))| !global.internal).map(|(&name, _)| name));
    loop {
        while let Some(name) = todo.pop() {
            if let Some(ids) = facts.by_name.get(&name) {
                functions.extend(ids);
            } else if let Some((_, global)) = facts.globals.get(&name)
                && variables.insert(name)
                && let Some(data) = &global.initializer
            {
                mentioned_by(data, &mut todo);
            }
        }
        let Some(id) = functions.pop() else { break };
        if !seen.insert(id) {
            continue;
        }
        match facts.skeleton(id, options.irreducible) {
            Ok(skeleton) => {
                mentions(&skeleton.function, &mut todo);
                let own = skeleton.globals.iter().filter_map(|global| global.initializer.as_ref());
                own.for_each(|data| mentioned_by(data, &mut todo));
                wanted.insert(id, skeleton);
            }
            Err(error) => errors.push(error.clone()),
        }
    }

    let convergent = of_unit(db, file, settings);
    let mut done: FxHashMap<DefinitionId, Function> = FxHashMap::default();
    for id in callees_first(&facts, &wanted) {
        let mut function = wanted[&id].function.clone();
        let is_convergent = |callee: &Callee| match callee {
            Callee::Function { .. } | Callee::Builtin { .. } | Callee::Compiler { .. } => {
                let name = &callee.name().expect("it has one");
                let of_unit = facts.by_name.get(name).into_iter().flatten();
                let mut known = of_unit.map(|id| done.get(id)).peekable();
                match known.peek() {
                    // One that calls itself has no answer yet.
                    Some(_) => {
                        known.any(|function| function.map_or(convergent.function(*name), |f| f.convergent))
                    }
                    None => convergent.function(*name),
                }
            }
            Callee::Pointer { .. } => true,
        };
        let definition = &facts.definitions[id];
        let body = &bodies(db, definition.scoped.item(db)).0[definition.body];
        tokens::place(&mut function, &body.nest(), &is_convergent, options.tokens);
        let violations = verify::verify(&function);
        match violations.first() {
            None => _ = done.insert(id, function),
            Some(violation) => errors.push(NotLowered {
                function: Some(function.key),
                span: function.span,
                reason: format!(
                    "its convergence tokens break a rule, which is an error of this program: {violation:?}"
                ),
            }),
        }
    }

    let mut ids: Vec<DefinitionId> = done.keys().copied().collect();
    ids.sort_unstable();
    let mut globals = module_globals(&facts, &variables);
    globals.extend(ids.iter().flat_map(|id| wanted[id].globals.iter().cloned()));
    let functions = ids.iter().filter_map(|id| done.remove(id)).collect();
    errors.sort_by_key(|error| {
        error.function.and_then(|key| facts.by_name.get(&key.name)).and_then(|ids| ids.first().copied())
    });
    Lowered { module: Module { file: file.path(db).to_string(), functions, globals }, errors }
}

/// The variables at file scope that the module has, in the order of the text.
fn module_globals(facts: &Unit, wanted: &FxHashSet<Symbol>) -> Vec<Global> {
    let mut globals: Vec<(usize, &types::Global)> =
        wanted.iter().filter_map(|name| facts.globals.get(name)).copied().collect();
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

/// The functions and variables that a function refers to.
fn mentions(function: &Function, names: &mut Vec<Symbol>) {
    for value in &function.values {
        match &value.op {
            Op::Global(name) => names.push(*name),
            Op::Function(key) => names.push(key.name),
            Op::Call(call) => match &call.callee {
                // An overloadable function of the unit has a definition of that name; a builtin has none.
                callee @ (Callee::Function { .. } | Callee::Builtin { .. }) => names.extend(callee.name()),
                Callee::Compiler { .. } | Callee::Pointer { .. } => {}
            },
            _ => {}
        }
    }
}

fn mentioned_by(data: &Data, names: &mut Vec<Symbol>) {
    let mut todo = vec![data];
    while let Some(data) = todo.pop() {
        match data {
            Data::Address { of: Entity::Variable(name), .. } => names.push(*name),
            Data::Address { of: Entity::Function(key), .. } => names.push(key.name),
            Data::Aggregate(parts) => todo.extend(parts),
            Data::Union { data, .. } => todo.push(data),
            Data::Constant(_) | Data::Bytes(_) | Data::StringAddress { .. } | Data::Label(_) => {}
        }
    }
}

/// The functions in an order in which callees come first, but for recursion.
fn callees_first(facts: &Unit, wanted: &FxHashMap<DefinitionId, &Skeleton>) -> Vec<DefinitionId> {
    enum Step {
        Enter(DefinitionId),
        Leave(DefinitionId),
    }
    let mut order = Vec::with_capacity(wanted.len());
    let mut seen: FxHashSet<DefinitionId> = FxHashSet::default();
    let mut roots: Vec<DefinitionId> = wanted.keys().copied().collect();
    roots.sort_unstable();
    let mut todo: Vec<Step> = roots.into_iter().rev().map(Step::Enter).collect();
    let mut names = Vec::new();
    while let Some(step) = todo.pop() {
        match step {
            Step::Leave(id) => order.push(id),
            Step::Enter(id) => {
                let Some(skeleton) = wanted.get(&id).filter(|_| seen.insert(id)) else { continue };
                todo.push(Step::Leave(id));
                mentions(&skeleton.function, &mut names);
                todo.extend(
                    names
                        .drain(..)
                        .flat_map(|name| facts.by_name.get(&name).into_iter().flatten().copied())
                        .map(Step::Enter),
                );
            }
        }
    }
    order
}
