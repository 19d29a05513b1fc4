//! The functions that a unit defines, each with its own identity.

use std::sync::Arc;

use index_vec::define_index_type;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{FunctionKey, UnresolvedCallee};
use tangle_ir::uniformity::Launch;

use tangle_hir::body::Body;
use tangle_hir::instantiation::{Instantiation, TemplateLaunches};
use tangle_hir::scope::{Scoped, ScopedItem, Segment, instantiated, segment_items, segments, typed};
use tangle_hir::{bodies, declared};
use tangle_syntax::db::Db;
use tangle_syntax::items::{Item, unit};
use tangle_syntax::source::{Settings, SourceFile};

define_index_type! {
    /// A definition of one unit, in source order.
    #[derive(salsa::SalsaValue)]
    pub struct DefinitionId = u32;
}

/// One definition of a function in a unit. It does not depend on the tokens of the function.
#[salsa::interned(debug)]
pub struct FunctionId<'db> {
    /// The main file of the unit.
    #[returns(copy)]
    pub file: SourceFile,
    #[returns(copy)]
    pub settings: Settings,
    /// The declaring scope, the name, and the types that distinguish the function from its overloads.
    #[returns(copy)]
    pub key: FunctionKey,
    /// The number among the definitions with this key. Greater than 0 only if the unit has a redefinition error, or for
    /// a further instantiation.
    #[returns(copy)]
    pub number: u32,
}

/// A function definition of a unit, or a block literal in one.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Definition<'db> {
    pub id: FunctionId<'db>,
    pub key: FunctionKey,
    pub item: ScopedItem<'db>,
    /// The number of its body in the item.
    pub body: u32,
    pub kernel: bool,
    /// Whether it is `static` or `inline`: needed only if it is called or referred to.
    pub internal: bool,
    /// Whether it is a block literal inside a function, which no call can name.
    pub block: bool,
    /// The launch sizes from the attributes of its declaration.
    pub launch: Launch,
    /// Whether a later definition with the same key replaces it.
    pub replaced: bool,
    /// The name of the instantiation, if launches request this kernel template with known arguments: `k<float, 4>`.
    pub instantiation: Option<Arc<str>>,
}

impl<'db> Definition<'db> {
    pub fn body(&self, db: &'db dyn Db) -> &'db Body {
        &bodies(db, self.item.scoped.item(db)).0[self.body as usize]
    }
}

/// The function definitions of a unit, each followed by the block literals in it.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Functions<'db> {
    all: Vec<Definition<'db>>,
    /// The last definition with each key.
    by_key: FxHashMap<FunctionKey, DefinitionId>,
    by_name: FxHashMap<UnresolvedCallee, SmallVec<[DefinitionId; 1]>>,
    by_body: FxHashMap<(Item<'db>, u32), DefinitionId>,
    by_id: FxHashMap<FunctionId<'db>, DefinitionId>,
    /// The further instantiations of a kernel template, by the first one.
    further: FxHashMap<DefinitionId, Vec<DefinitionId>>,
}

impl<'db> Functions<'db> {
    /// Returns all definitions in source order.
    pub fn iter(&self) -> impl Iterator<Item = (DefinitionId, &Definition<'db>)> {
        self.all.iter().enumerate().map(|(number, definition)| (DefinitionId::new(number), definition))
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn get(&self, at: DefinitionId) -> &Definition<'db> {
        &self.all[at.index()]
    }

    /// Returns the definition with a key; of an instance, the definition of the template. If there are several, the last
    /// one.
    pub fn of_key(&self, key: FunctionKey) -> Option<DefinitionId> {
        self.by_key.get(&key.template()).copied()
    }

    /// Returns the function around a literal, or the function itself.
    pub fn enclosing(&self, at: DefinitionId) -> DefinitionId {
        let before = self.all[..at.index()].iter().rev().take_while(|it| it.block).count();
        match self.get(at).block {
            // Of several instantiations of a kernel, the last one precedes its literals.
            true => at - (before + 1),
            false => at,
        }
    }

    /// Returns a definition, followed by the block literals and lambdas in it.
    pub fn with_literals(&self, at: DefinitionId) -> impl Iterator<Item = (DefinitionId, &Definition<'db>)> {
        let own = self.get(at);
        let after = self.iter().skip(at.index() + 1);
        // The other instantiations of a kernel precede its literals.
        let literals = after.skip_while(|(_, it)| it.key == own.key).take_while(|(_, it)| it.block);
        [(at, own)].into_iter().chain(literals)
    }

    /// Returns the definitions that a call may run, without replaced ones. Several if the name is overloaded.
    pub fn named(&self, named: UnresolvedCallee) -> SmallVec<[DefinitionId; 4]> {
        match named {
            UnresolvedCallee::OneOf { candidates, .. } => {
                let mut found: SmallVec<[DefinitionId; 4]> =
                    candidates.keys().iter().filter_map(|&key| self.of_key(key)).collect();
                found.sort_unstable();
                found.dedup();
                found
            }
            named => self.by_name.get(&named).map_or_else(SmallVec::new, |all| all.iter().copied().collect()),
        }
    }

    /// Returns a definition and the further instantiations of the same kernel template.
    pub fn instantiations(&self, first: DefinitionId) -> impl Iterator<Item = DefinitionId> {
        [first].into_iter().chain(self.further.get(&first).into_iter().flatten().copied())
    }

    /// Returns the number of instantiations of the kernel template that this one belongs to.
    pub fn count_instantiations(&self, name: &str) -> usize {
        let mut all = self.iter();
        let at = all.find(|(_, definition)| definition.instantiation.as_deref() == Some(name));
        let Some((at, _)) = at else { return 0 };
        let is_of = |further: &&Vec<DefinitionId>| further.contains(&at);
        let further = self.further.get(&at).or_else(|| self.further.values().find(is_of));
        1 + further.map_or(0, Vec::len)
    }

    /// Returns the definition whose body has this number in the item. If the unit contains the item more than once, the
    /// last one. Of several instantiations, the first one.
    pub fn of_body(&self, item: Item<'db>, body: u32) -> Option<DefinitionId> {
        self.by_body.get(&(item, body)).copied()
    }

    pub fn of_id(&self, id: FunctionId<'db>) -> Option<DefinitionId> {
        self.by_id.get(&id).copied()
    }
}

/// A function definition or block literal, with the facts that depend on its segment alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Defined<'db> {
    pub scoped: Scoped<'db>,
    /// The first origin of its item in the segment's chunk.
    pub first: u32,
    pub key: FunctionKey,
    /// The number of its body in the item.
    pub body: u32,
    pub kernel: bool,
    /// Whether it is `static` or `inline`.
    pub internal: bool,
    /// Whether it is a block literal inside a function.
    pub block: bool,
    /// The launch sizes from the attributes of its declaration.
    pub launch: Launch,
}

/// Finds the function definitions of a segment, and the block literals in them, in source order. All units that begin
/// with the segment share this.
#[salsa::tracked]
pub fn defined<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[Defined<'db>]> {
    db.depends_on_text();
    let mut found = Vec::new();
    for &(scoped, first) in segment_items(db, segment) {
        let source = scoped.item(db);
        let declared = &declared(db, source).functions;
        if !declared.iter().any(|function| function.defined) {
            continue;
        }
        let typed = &typed(db, scoped).0.bodies;
        for ((number, body), typed) in (0..).zip(&bodies(db, source).0).zip(typed) {
            let key = typed.key;
            let function = declared.iter().find(|function| function.name == key.name && function.defined);
            let internal = function.is_some_and(|function| function.internal);
            let Body { kernel, block, launch, .. } = *body;
            found.push(Defined { scoped, first, key, body: number, kernel, internal, block, launch });
        }
    }
    found.into()
}

/// Numbers the function definitions of a unit, and the block literals in them.
// `no_eq`: the chunks in the result change with every edit, so a comparison is useless.
#[salsa::tracked(no_eq, lru = 16)]
pub fn functions(db: &dyn Db, file: SourceFile, settings: Settings) -> Functions<'_> {
    let mut found = Functions::default();
    let unit = unit(db, file, settings);
    let launches = TemplateLaunches::of(unit);
    // A launch names a kernel without its parameters, and often without its namespace.
    let mut kernels: FxHashMap<Symbol, u32> = FxHashMap::default();
    if !launches.is_empty() {
        let all = segments(db, unit).into_iter().flat_map(|(_, segment)| defined(db, segment));
        all.filter(|it| it.kernel).for_each(|it| *kernels.entry(it.key.name).or_default() += 1);
    }
    for (chunk, segment) in segments(db, unit) {
        for &Defined { scoped, first, key, body, kernel, internal, block, launch } in defined(db, segment) {
            let at = DefinitionId::new(found.all.len());
            let before = found.by_key.insert(key, at);
            let mut again = 0;
            if let Some(before) = before {
                found.all[before.index()].replaced = true;
                again = found.all[before.index()].id.number(db) + 1;
            }
            for named in key.named() {
                let of_name = found.by_name.entry(named).or_default();
                if let Some(before) = before {
                    of_name.retain(|known| *known != before);
                }
                of_name.push(at);
            }
            found.by_body.insert((scoped.item(db), body), at);
            let id = FunctionId::new(db, file, settings, key, again);
            found.by_id.insert(id, at);
            let definition = |id, instantiation: Option<&Instantiation>| {
                let scoped = instantiation.map_or(scoped, |it| instantiated(db, unit, scoped, &it.arguments));
                let item = ScopedItem { chunk: chunk.clone(), scoped, first };
                let instantiation = instantiation.map(|it| it.name.clone());
                let replaced = false;
                Definition { id, key, item, body, kernel, internal, block, launch, replaced, instantiation }
            };
            let instantiations = match kernel && !block && kernels.get(&key.name) == Some(&1) {
                true => launches.instantiations(db, unit, scoped, key.name),
                false => Vec::new(),
            };
            found.all.push(definition(id, instantiations.first()));
            for (number, instantiation) in (again + 1..).zip(instantiations.iter().skip(1)) {
                let further = DefinitionId::new(found.all.len());
                let id = FunctionId::new(db, file, settings, key, number);
                found.by_id.insert(id, further);
                found.further.entry(at).or_default().push(further);
                found.all.push(definition(id, Some(instantiation)));
            }
        }
    }
    found
}
