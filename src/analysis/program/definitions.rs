//! The functions that a unit defines, each with its own identity.

use std::sync::Arc;

use index_vec::define_index_type;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use tangle_ir::key::{FunctionKey, UnresolvedCallee};
use tangle_ir::uniformity::Launch;

use super::defined::{Defined, defined};
use super::instances::{TemplateInstance, TemplateInstances, template_instances};
use tangle_hir::bodies;
use tangle_hir::body::Body;
use tangle_hir::instantiation::Instantiation;
use tangle_hir::scope::{ScopedItem, segments, typed};
use tangle_syntax::db::Db;
use tangle_syntax::items::Item;
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
    /// a further instantiation of a kernel.
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
    /// The name of the instance, if this is one of a template, such as `k<float, 4>`.
    pub instantiation: Option<Arc<str>>,
}

impl<'db> Definition<'db> {
    pub fn body(&self, db: &'db dyn Db) -> &'db Body {
        &bodies(db, self.item.scoped.item(db)).0[self.body as usize]
    }
}

/// The function definitions of a unit, each followed by the block literals in it. If a template has
/// [instances](super::instances), the first one takes its place, unless it is generic as well.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Functions<'db> {
    /// The definitions in source order, then the further instances of templates that are no kernels.
    all: Vec<Definition<'db>>,
    /// The number of definitions in source order.
    written: usize,
    /// The last definition with each key. Of a template whose first instance takes its place, that instance.
    by_key: FxHashMap<FunctionKey, DefinitionId>,
    by_name: FxHashMap<UnresolvedCallee, SmallVec<[DefinitionId; 1]>>,
    by_body: FxHashMap<(Item<'db>, u32), DefinitionId>,
    by_id: FxHashMap<FunctionId<'db>, DefinitionId>,
    /// The further instances of a template, by the definition in its place.
    further: FxHashMap<DefinitionId, Vec<DefinitionId>>,
}

impl<'db> Functions<'db> {
    /// Returns the definitions in source order, each template once, but kernels with all instantiations.
    pub fn iter(&self) -> impl Iterator<Item = (DefinitionId, &Definition<'db>)> {
        self.with_instances().take(self.written)
    }

    /// Returns all definitions: those in source order, then the further instances of templates.
    pub fn with_instances(&self) -> impl Iterator<Item = (DefinitionId, &Definition<'db>)> {
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

    /// Returns the definition with a key; of an instance that is not examined, the definition of the template. If there
    /// are several, the last one.
    pub fn of_key(&self, key: FunctionKey) -> Option<DefinitionId> {
        self.by_key.get(&key).or_else(|| self.by_key.get(&key.template())).copied()
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
        let after = self.with_instances().skip(at.index() + 1);
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

    /// Returns a definition and the further instances of the same template.
    pub fn instantiations(&self, first: DefinitionId) -> impl Iterator<Item = DefinitionId> {
        [first].into_iter().chain(self.further.get(&first).into_iter().flatten().copied())
    }

    /// Returns the number of instances of the template that this one belongs to.
    pub fn count_instantiations(&self, name: &str) -> usize {
        let mut all = self.with_instances();
        let at = all.find(|(_, definition)| definition.instantiation.as_deref() == Some(name));
        let Some((at, _)) = at else { return 0 };
        let first =
            self.further.iter().find(|(_, further)| further.contains(&at)).map_or(at, |(&first, _)| first);
        self.instantiations(first).filter(|&it| self.get(it).instantiation.is_some()).count()
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

/// Numbers the function definitions of a unit, the block literals in them, and the instances of templates.
// `no_eq`: the chunks in the result change with every edit, so a comparison is useless.
#[salsa::tracked(no_eq, lru = 16)]
pub fn functions(db: &dyn Db, file: SourceFile, settings: Settings) -> Functions<'_> {
    let mut found = Functions::default();
    let instances = template_instances(db, file, settings);
    // The instance that takes the place of the last template, which its lambdas belong to.
    let mut around: Option<(Item, &TemplateInstance)> = None;
    for (chunk, segment) in segments(db, file, settings) {
        for written in defined(db, segment) {
            let &Defined { scoped, first, key, body, kernel, internal, block, launch } = written;
            let at = DefinitionId::new(found.all.len());
            if !block {
                let instance = instances.of_template(key).next().filter(|_| !instances.is_generic(key));
                around = instance.map(|instance| (scoped.item(db), instance));
            }
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
            let item = |scoped| ScopedItem { chunk: chunk.clone(), scoped, first };
            let definition = Definition {
                id: FunctionId::new(db, file, settings, key, again),
                key,
                item: item(scoped),
                body,
                kernel,
                internal,
                block,
                launch,
                replaced: false,
                instantiation: None,
            };
            let instantiations = if kernel && !block { instances.of_kernel(key) } else { &[] };
            let Some(((own, scoped), others)) = instantiations.split_first() else {
                let around = around.filter(|(item, _)| *item == scoped.item(db));
                found.add(around.map_or(definition.clone(), |(_, it)| definition.instantiated(db, it)));
                continue;
            };
            let of = |id, own: &Instantiation, scoped| Definition {
                id,
                item: item(scoped),
                instantiation: Some(own.name.clone()),
                ..definition.clone()
            };
            found.add(of(definition.id, own, *scoped));
            for (number, (own, scoped)) in (again + 1..).zip(others) {
                let id = FunctionId::new(db, file, settings, key, number);
                let further = found.add(of(id, own, *scoped));
                found.further.entry(at).or_default().push(further);
            }
        }
    }
    found.written = found.all.len();
    for (at, definition) in found.further_instances(instances) {
        for (number, template) in
            found.with_literals(at).map(|(_, it)| it.clone()).enumerate().collect::<Vec<_>>()
        {
            let further = found.add(template.instantiated(db, definition));
            if number == 0 {
                found.further.entry(at).or_default().push(further);
            }
        }
    }
    found
}

impl<'db> Functions<'db> {
    /// Adds a definition.
    fn add(&mut self, definition: Definition<'db>) -> DefinitionId {
        let at = DefinitionId::new(self.all.len());
        self.by_id.insert(definition.id, at);
        if definition.key.is_instance() {
            self.by_key.insert(definition.key, at);
        }
        self.all.push(definition);
        at
    }

    /// Returns the instances that do not take the place of their template, each with the definition of the template.
    fn further_instances<'a>(
        &self,
        instances: &'a TemplateInstances<'db>,
    ) -> Vec<(DefinitionId, &'a TemplateInstance<'db>)> {
        let is_in_place = |instance: &&TemplateInstance| self.by_key.contains_key(&instance.key);
        let further = instances.all().filter(|instance| !is_in_place(instance));
        further.filter_map(|instance| Some((self.of_key(instance.key)?, instance))).collect()
    }
}

impl<'db> Definition<'db> {
    /// Returns this template, or the lambda in it, with the arguments of an instance.
    fn instantiated(&self, db: &'db dyn Db, instance: &TemplateInstance<'db>) -> Definition<'db> {
        let scoped = instance.scoped;
        let key = match self.block {
            true => typed(db, scoped).keys[self.body as usize],
            false => instance.key,
        };
        Definition {
            id: FunctionId::new(db, self.id.file(db), self.id.settings(db), key, 0),
            key,
            item: ScopedItem { scoped, ..self.item.clone() },
            instantiation: Some(instance.key.to_string().into()),
            ..self.clone()
        }
    }
}
