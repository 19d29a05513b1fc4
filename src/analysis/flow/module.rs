//! A file as a module of the flow graph: which functions are lowered, with their tokens.
//!
//! **Root**: a kernel, or a function that other modules may call. Roots, and what they call or refer to, are lowered; what a
//! header holds beyond that costs nothing. The graph of a function depends on its item and the meanings of its names alone, and is
//! shared by all units ([`skeletons`]); its tokens also depend on which of its callees are convergent ([`program`](crate::program)).

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{Entity, Named};

use super::build::{Skeleton, build};
use super::shape::Shape;
use super::tokens::{self, Tokens};
use super::{
    Call, Callee, Function, Global, LoopId, Module, NotLowered, Op, dispatch, heads, loops, ssa, unknown,
    verify,
};
use crate::program::{Definition, DefinitionId, FunctionKey, Functions, Target, convergent, functions};
use crate::tangle::{Model, tangles_of};
use tangle_hir::bodies;
use tangle_hir::body::CallId;
use tangle_hir::declared;
use tangle_hir::scope::{Scoped, scoped_items, typed};
use tangle_hir::typed::{self as types, Data};
use tangle_syntax::db::Db;
use tangle_syntax::items::parse;
use tangle_syntax::source::{Settings, SourceFile};

/// How a file is lowered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub tokens: Tokens,
    pub irreducible: Irreducible,
}

/// What is done with irreducible cycles, and with other cycles of the graph whose iterations are not those of a loop of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Irreducible {
    /// A loop of the source gets a head if it holds a convergent operation whose convergence is defined; other cycles stay as they are. Tokens that are
    /// inferred go by the text: as `Dispatch`.
    #[default]
    Auto,
    /// They stay as they are. An anchor promises nothing, so [`Lowered::given_up`] says what is lost.
    Anchor,
    /// The same, and all entries of each other cycle lead through one block.
    Dispatch,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    pub module: Module,
    /// The functions that are not in the module, and why: an error of this program.
    pub errors: Vec<NotLowered>,
    /// The convergent operations whose convergence is defined, and whose tokens do not promise it: those in cycles that stayed as they are. In
    /// source order of the functions.
    pub given_up: Vec<GivenUp>,
}

/// A convergent operation whose token promises less than the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    pub function: FunctionKey,
    /// The call.
    pub span: Span,
    pub callee: Option<Symbol>,
}

impl Lowered {
    /// For each function of the module that cannot be emitted, the first thing in it that is not known.
    pub fn unknown(&self) -> impl Iterator<Item = NotLowered> + '_ {
        self.module.functions.iter().filter_map(unknown::first)
    }
}

/// The graphs of an item's bodies in SSA form, without tokens.
///
/// With `Auto` as with `Anchor`: which calls are convergent is known only in a unit.
pub fn skeletons<'db>(db: &'db dyn Db, scoped: Scoped<'db>, irreducible: Irreducible) -> &'db Skeletons {
    // Queries of one key: what several make up is kept for good if it is asked for outside of queries.
    match irreducible {
        Irreducible::Auto | Irreducible::Anchor => anchored(db, scoped),
        Irreducible::Dispatch => dispatched(db, scoped),
    }
}

#[salsa::tracked]
fn anchored<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Skeletons {
    built(db, scoped, |_| {})
}

#[salsa::tracked]
fn dispatched<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Skeletons {
    built(db, scoped, make_reducible)
}

fn make_reducible(function: &mut Function) {
    ssa::remove_unreachable(function);
    dispatch::dispatch(function);
}

fn built<'db>(db: &'db dyn Db, scoped: Scoped<'db>, prepare: impl Fn(&mut Function)) -> Skeletons {
    let bodies = 0..bodies(db, scoped.item(db)).0.len();
    Skeletons(bodies.map(|number| built_body(db, scoped, number, &|_| false, &prepare)).collect())
}

/// The graph of one body. Loops that are `wanted` get heads wherever they are entered; then the graph is prepared for SSA form.
fn built_body<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    number: usize,
    wanted: &dyn Fn(LoopId) -> bool,
    prepare: &dyn Fn(&mut Function),
) -> Option<Skeleton> {
    let item = scoped.item(db);
    let ast = &parse(db, item).0.ast;
    let names = scoped.names(db);
    let body = &bodies(db, item).0[number];
    let mut skeleton = build(ast, body, &typed(db, scoped).0.bodies[number], &names.names)?;
    loops::find(&mut skeleton.function, &body.nest());
    heads::lead_through_heads(&mut skeleton.function, wanted);
    prepare(&mut skeleton.function);
    ssa::construct(&mut skeleton.function);
    Some(skeleton)
}

/// The value of [`skeletons`], in the order of the bodies. A block literal that nothing evaluates has none.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Skeletons(pub Box<[Option<Skeleton>]>);

/// What the unit defines.
struct Unit<'db> {
    db: &'db dyn Db,
    functions: &'db Functions<'db>,
    /// Variables at file scope: the last declaration with an initialiser, or else the last.
    globals: FxHashMap<Symbol, (usize, &'db types::Global)>,
}

impl<'db> Unit<'db> {
    fn of(db: &'db dyn Db, file: SourceFile, settings: Settings) -> Unit<'db> {
        let mut globals: FxHashMap<Symbol, (usize, &types::Global)> = FxHashMap::default();
        for (order, item) in scoped_items(db, file, settings).into_iter().enumerate() {
            if declared(db, item.scoped.item(db)).variables.is_empty() {
                continue;
            }
            for global in &typed(db, item.scoped).0.globals {
                let known = globals.get(&global.name.text);
                if known.is_none_or(|(_, known)| known.initializer.is_none()) {
                    globals.insert(global.name.text, (order, global));
                }
            }
        }
        Unit { db, functions: functions(db, file, settings), globals }
    }

    fn skeleton(&self, id: DefinitionId, irreducible: Irreducible) -> Option<&'db Skeleton> {
        let definition = self.functions.get(id);
        skeletons(self.db, definition.item.scoped, irreducible).0[definition.body as usize].as_ref()
    }

    /// Functions that are there whether or not something calls them. Of two definitions of one function the last holds;
    /// a redefinition is a compiler's to tell.
    fn roots(&self) -> impl Iterator<Item = DefinitionId> {
        let is_root = |it: &Definition| !it.replaced && !it.block && (it.kernel || !it.internal);
        self.functions.iter().filter(move |(_, definition)| is_root(definition)).map(|(id, _)| id)
    }

    /// The function that a mention means, if the unit defines it.
    fn function(&self, key: FunctionKey) -> Option<DefinitionId> {
        self.functions.of_key(key)
    }
}

/// Lowers the functions of a unit.
pub fn lower(db: &dyn Db, file: SourceFile, settings: Settings, options: &Options) -> Lowered {
    let unit = Unit::of(db, file, settings);
    // The procedure by which tokens are inferred begins with making irreducible cycles reducible.
    let irreducible = match (options.irreducible, options.tokens) {
        (Irreducible::Auto, Tokens::Infer) => Irreducible::Dispatch,
        (irreducible, _) => irreducible,
    };
    let mut errors: Vec<(DefinitionId, NotLowered)> = Vec::new();
    let mut wanted: Vec<(DefinitionId, &Skeleton)> = Vec::new();
    let mut seen: FxHashSet<DefinitionId> = FxHashSet::default();
    let mut variables: FxHashSet<Symbol> = FxHashSet::default();
    let mut functions: Vec<DefinitionId> = unit.roots().collect();
    // Variables that other modules may read are there whether or not this one does.
    let visible = unit.globals.iter().filter(|(_, (_, global))| !global.internal);
    let mut todo: Vec<Entity> = visible.map(|(&name, _)| Entity::Variable(name)).collect();
    loop {
        while let Some(mentioned) = todo.pop() {
            match mentioned {
                Entity::Function(key) => functions.extend(unit.function(key)),
                Entity::Variable(name) => {
                    if let Some((_, global)) = unit.globals.get(&name)
                        && variables.insert(name)
                        && let Some(data) = &global.initializer
                    {
                        mentioned_by(data, &mut todo);
                    }
                }
            }
        }
        let Some(id) = functions.pop() else { break };
        if !seen.insert(id) {
            continue;
        }
        if let Some(skeleton) = unit.skeleton(id, irreducible) {
            mentions(&skeleton.function, &mut todo);
            functions.extend(unresolved(&skeleton.function).flat_map(|named| unit.functions.named(named)));
            let own = skeleton.globals.iter().filter_map(|global| global.initializer.as_ref());
            own.for_each(|data| mentioned_by(data, &mut todo));
            wanted.push((id, skeleton));
        }
    }
    wanted.sort_unstable_by_key(|(id, _)| *id);

    let convergent = convergent(db, file, settings);
    let is_convergent = |callee: &Callee| convergent.call(Target::of(callee)).is_some();
    let mut globals = module_globals(&unit, &variables);
    let mut lowered = Vec::with_capacity(wanted.len());
    let mut given_up = Vec::new();
    for (id, skeleton) in wanted {
        let definition = unit.functions.get(id);
        let lost = lost(db, definition, &skeleton.function, &is_convergent);
        let loops: FxHashSet<LoopId> = lost.iter().flat_map(|(_, loops)| loops.iter().copied()).collect();
        let with_heads = match irreducible {
            Irreducible::Auto | Irreducible::Dispatch
                if !loops.is_empty() && options.tokens == Tokens::Placed =>
            {
                let is_wanted = |id: LoopId| loops.contains(&id);
                let prepare = match irreducible {
                    Irreducible::Dispatch => make_reducible,
                    _ => |_: &mut Function| {},
                };
                built_body(db, definition.item.scoped, definition.body as usize, &is_wanted, &prepare)
            }
            Irreducible::Anchor => {
                given_up.extend(lost.into_iter().map(|(lost, _)| lost));
                None
            }
            _ => None,
        };
        let mut function = with_heads.map_or_else(|| skeleton.function.clone(), |it| it.function);
        let shape = Shape::of(&function);
        let nest = definition.body(db).nest();
        tokens::place(&mut function, &shape, &nest, &is_convergent, options.tokens);
        function.convergent |= convergent.function(definition.key);
        match verify::verify_shaped(&function, &shape).first() {
            None => {
                globals.extend(skeleton.globals.iter().cloned());
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
    let errors = errors.into_iter().map(|(_, error)| error).collect();
    let module = Module { file: file.path(db).to_string(), functions: lowered, globals };
    Lowered { module, errors, given_up }
}

/// The convergent calls of a function whose convergence is defined, and the loops of the source around each that are not entered through their heads.
fn lost(
    db: &dyn Db,
    definition: &Definition<'_>,
    function: &Function,
    is_convergent: &dyn Fn(&Callee) -> bool,
) -> Vec<(GivenUp, Vec<LoopId>)> {
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
                let given_up = GivenUp { function: function.key, span, callee: call.callee.name() };
                lost.push((given_up, loops.clone()));
            }
        }
    }
    lost
}

/// The variables at file scope that the module has, in the order of the text.
fn module_globals(unit: &Unit, wanted: &FxHashSet<Symbol>) -> Vec<Global> {
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

/// The functions and variables that a function refers to.
fn mentions(function: &Function, mentioned: &mut Vec<Entity>) {
    for value in &function.values {
        match &value.op {
            Op::Global(name) => mentioned.push(Entity::Variable(*name)),
            Op::Function(key) => mentioned.push(Entity::Function(*key)),
            Op::Call(call) => match &call.callee {
                Callee::Function { key, .. } => mentioned.push(Entity::Function(*key)),
                // The unit may define a builtin's name behind the call.
                Callee::Builtin { name, .. } => mentioned.push(Entity::Function(FunctionKey::plain(*name))),
                Callee::Compiler { .. } | Callee::Pointer { .. } | Callee::Unknown { .. } => {}
            },
            _ => {}
        }
    }
}

/// What calls name of which it is not known which function they call.
fn unresolved(function: &Function) -> impl Iterator<Item = Named> + '_ {
    function.values.iter().filter_map(|value| match &value.op {
        Op::Call(Call { callee: Callee::Unknown { named, .. }, .. }) => *named,
        _ => None,
    })
}

fn mentioned_by(data: &Data, mentioned: &mut Vec<Entity>) {
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
