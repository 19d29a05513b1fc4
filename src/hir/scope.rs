//! The file scope, item by item: the meanings of the names that each item uses.
//!
//! **Environment**: the meanings of all file-scope names at one point of a unit. It depends only on the code before it,
//! a chain of **segments**: runs of items of one chunk. Units that begin with the same headers share the environments
//! of these headers. So 1,189 kernels look up the names of a header once.
//!
//! **Scoped item**: an item together with the meanings of the names that it uses. Type checking depends on the scoped
//! item, not on the unit. The meaning of a function is its type, so an edit inside a body affects no other item.
//!
//! ```c
//! typedef float real;           // exports: real = float
//! real half_of(real x);         // uses real; exports: half_of = float(float)
//! kernel void k(global real *p) // uses real, half_of
//! { *p = half_of(*p); }
//! ```
//!
//! A type can contain a record by its tag only, for example a record inside itself. The tag has the members. So an item
//! that uses such a type also receives the meaning of the tag.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use salsa::plumbing::AsId;
use tangle_grammar::ast::{self, Ast, BinaryOp, DeclaratorStep, ExprKind, Span, Specifiers, TypeSpecifier};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_ir::key::FunctionKey;

use super::check::{self, Checked, TypeProblem};
use super::def::functions::{self, is_overloadable};
use super::def::names::{FunctionMeaning, ItemSource, LookupKey, Meaning, Names, SharedNames, Used, Using};
use super::def::template::FunctionTemplate;
use super::template_arguments::TemplateArguments;
use super::typed::{Global, TypedBody};
use super::types::{RecordName, TemplateArgument, Ty, TyKind};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{ChunkKey, Item, SharedChunk, SharedTokens, Unit, ast, unit};
use tangle_syntax::preprocess::{Chunk, Part};
use tangle_syntax::source::{Settings, SourceFile};

type Map<K, V> = imbl::GenericHashMap<K, V, FxBuildHasher, imbl::shared_ptr::DefaultSharedPtr>;

/// An item with the meanings of its names.
#[salsa::interned(debug)]
pub struct Scoped<'db> {
    #[returns(copy)]
    pub item: Item<'db>,
    pub names: SharedNames,
    /// The template arguments of the functions in the item, if a launch gives them.
    pub arguments: TemplateArguments,
}

/// The end of a run of items: parts `start` to `end` of a chunk, after the segment `before`.
#[salsa::interned(debug)]
pub struct Segment<'db> {
    #[returns(copy)]
    before: Option<Segment<'db>>,
    #[returns(copy)]
    chunk: ChunkKey<'db>,
    #[returns(copy)]
    start: u32,
    #[returns(copy)]
    end: u32,
}

impl<'db> Segment<'db> {
    /// Returns the language of its items.
    pub fn dialect(self, db: &'db dyn Db) -> Dialect {
        self.chunk(db).shared(db).0.dialect
    }
}

/// A meaning of a name in a namespace.
type Member = (Namespace, Arc<Meaning>);

/// The meanings of all names at one point of a unit. Copies share memory.
#[derive(Clone, Debug, Default)]
struct Environment {
    /// The meanings in the global namespace.
    entries: Map<LookupKey, Arc<Meaning>>,
    /// The meanings in other namespaces, in the order of the declarations.
    inside: Map<LookupKey, Arc<[Member]>>,
    usings: Arc<[Using]>,
    tags: Map<RecordName, Ty>,
    /// The classes of a name, without specialisations.
    classes: Map<Symbol, Arc<[RecordName]>>,
    /// Whether an entry is a [`LookupKey::Classes`].
    has_classes: bool,
}

/// The items of a segment, each with its first origin.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Contribution<'db>(Box<[(Scoped<'db>, u32)]>);

/// The names that an item mentions, in any scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct Uses {
    entries: Box<[LookupKey]>,
    /// The ordinary names, the tags and the first segments of paths.
    heads: Box<[Symbol]>,
    usings: Box<[Using]>,
    tags: Box<[Symbol]>,
}

#[salsa::tracked]
fn uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Uses {
    Uses::of(&ast(db, item), item.dialect(db))
}

impl Uses {
    fn of(ast: &Ast, dialect: Dialect) -> Uses {
        let cpp = dialect.lexicon().grammar() == Grammar::Cpp;
        let mut ordinary: FxHashSet<Symbol> = FxHashSet::default();
        let mut methods: FxHashSet<Symbol> = FxHashSet::default();
        let mut templates: FxHashSet<Symbol> = FxHashSet::default();
        let mut qualifiers: FxHashSet<Symbol> = FxHashSet::default();
        let mut tags: FxHashSet<Symbol> = FxHashSet::default();
        let mut heads: FxHashSet<Symbol> = FxHashSet::default();
        // With the spelling, whether it assigns.
        let mut operators: FxHashSet<(&str, bool)> = FxHashSet::default();
        for (_, expr) in ast.exprs.iter() {
            match &expr.kind {
                ExprKind::Name(name) => _ = ordinary.insert(*name),
                ExprKind::Path(path) => {
                    let last = path.last().name.text;
                    heads.extend(path.segments.first().map(|segment| segment.name.text));
                    ordinary.extend(path.segments.iter().map(|segment| segment.name.text));
                    qualifiers.extend(qualifier_of(path));
                    methods.insert(last);
                    let special = path.segments.iter().filter(|segment| segment.arguments.is_some());
                    templates.extend(special.map(|segment| segment.name.text));
                }
                ExprKind::Member { name, .. } if cpp => _ = methods.insert(name.text),
                // The callee can be an object.
                ExprKind::Call { .. } if cpp => _ = methods.insert(Symbol::intern("operator()")),
                ExprKind::Index { .. } if cpp => _ = methods.insert(Symbol::intern("operator[]")),
                ExprKind::Unary { op, .. } if cpp => operators.extend(op.spelling().map(|it| (it, false))),
                ExprKind::Binary { op, .. } if cpp => _ = operators.insert((op.spelling(), false)),
                ExprKind::Assign { op, .. } if cpp => {
                    operators.insert((op.map_or("", BinaryOp::spelling), true));
                }
                ExprKind::MemberPath { path, .. } => {
                    heads.extend(path.segments.first().map(|segment| segment.name.text));
                    methods.insert(path.last().name.text);
                }
                _ => {}
            }
        }
        for (spelling, assigns) in operators {
            let function =
                if assigns { functions::assignment_function } else { functions::operator_function };
            ordinary.insert(function(spelling));
        }
        let mut specifiers = |specifiers: &Specifiers| {
            for ty in &specifiers.types {
                match ty {
                    TypeSpecifier::Named(name) => _ = ordinary.insert(name.text),
                    TypeSpecifier::Path(path) => {
                        let last = path.last();
                        heads.extend(path.segments.first().map(|segment| segment.name.text));
                        ordinary.insert(last.name.text);
                        qualifiers.extend(qualifier_of(path));
                        let special = last.arguments.is_some() || path.segments.len() > 1;
                        templates.extend(special.then_some(last.name.text));
                    }
                    TypeSpecifier::Record { name: Some(name), class, .. } => {
                        tags.insert(name.text);
                        let special = class.as_ref().is_some_and(|class| class.arguments.is_some());
                        templates.extend(special.then_some(name.text));
                    }
                    TypeSpecifier::Enum { name: Some(name), .. } => _ = tags.insert(name.text),
                    _ => {}
                }
            }
        };
        ast.types.iter().for_each(|(_, ty)| specifiers(&ty.specifiers));
        ast.decls.iter().for_each(|(_, decl)| specifiers(&decl.specifiers));
        // An overload needs the other overloads of its name.
        let overloads =
            ast.items.iter().map(|&id| &ast.decls[id]).filter(|decl| cpp || is_overloadable(decl));
        ordinary.extend(overloads.filter_map(|decl| decl.name).map(|name| name.text));
        if cpp {
            // Methods and their classes: other items may declare more of both.
            methods.extend(&ordinary);
            for (_, decl) in ast.decls.iter() {
                let is_function = matches!(decl.declarator.first(), Some(DeclaratorStep::Function { .. }));
                methods.extend(decl.name.filter(|_| is_function).map(|name| name.text));
                if let Some(class) = functions::written_class(decl) {
                    tags.insert(class.name.text);
                    ordinary.insert(class.name.text);
                    templates.extend(class.arguments.is_some().then_some(class.name.text));
                }
            }
        }
        let sorted = |set: FxHashSet<Symbol>| {
            let mut list: Vec<Symbol> = set.into_iter().collect();
            list.sort_unstable();
            list.into_boxed_slice()
        };
        heads.extend(&ordinary);
        heads.extend(&tags);
        let heads = sorted(heads);
        let ordinary = ordinary.into_iter().map(LookupKey::Ordinary);
        let methods = methods.into_iter().map(LookupKey::Methods);
        // The class before `::` can be a template, or have constants and types.
        let named = templates.iter().chain(&qualifiers).chain(cpp.then_some(&tags).into_iter().flatten());
        let classes: FxHashSet<LookupKey> = named.map(|&name| LookupKey::Classes(name)).collect();
        let templates = templates.into_iter().map(LookupKey::Specialisations);
        let conversions = cpp.then(LookupKey::conversions);
        let mut entries: Vec<LookupKey> =
            ordinary.chain(methods).chain(templates).chain(classes).chain(conversions).collect();
        entries.sort_unstable();
        let usings = Using::of(ast, Namespace::GLOBAL, dialect).collect();
        Uses { entries: entries.into(), heads, usings, tags: sorted(tags) }
    }
}

/// The last name before the last `::` of a path.
fn qualifier_of(path: &ast::Path) -> Option<Symbol> {
    let outside = path.segments.len().checked_sub(2)?;
    Some(path.segments[outside].name.text)
}

/// The declarations of an item at file scope.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
struct Exports {
    entries: Box<[(LookupKey, Namespace, Arc<Meaning>)]>,
    usings: Box<[Using]>,
    tags: Box<[(RecordName, Ty)]>,
}

/// Returns the item with its names, as the check reads them.
fn source<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Arc<ItemSource> {
    let item = scoped.item(db);
    Arc::new(ItemSource {
        tokens: item.tokens(db).clone(),
        ast: ast(db, item),
        names: scoped.names(db).clone(),
    })
}

#[salsa::tracked]
fn exports<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Exports {
    let item = scoped.item(db);
    let Names { entries, usings, tags, .. } = check::exports(&source(db, scoped), item.dialect(db));
    Exports {
        entries: entries
            .into_iter()
            .map(|(entry, namespace, meaning)| (entry, namespace, Arc::new(meaning)))
            .collect(),
        usings,
        tags,
    }
}

impl Environment {
    /// Returns the meanings of an entry in all namespaces.
    fn all(&self, entry: LookupKey) -> impl DoubleEndedIterator<Item = (Namespace, &Arc<Meaning>)> {
        let global = self.entries.get(&entry).map(|meaning| (Namespace::GLOBAL, meaning));
        let inside = self.inside.get(&entry).map_or(&[][..], |all| all);
        global.into_iter().chain(inside.iter().map(|(namespace, meaning)| (*namespace, meaning)))
    }

    /// Returns an item with the meanings of its names in this environment.
    fn scoped<'db>(&self, db: &'db dyn Db, item: Item<'db>, namespace: Namespace) -> Scoped<'db> {
        let names = self.names_of(db, item, namespace, &[]);
        Scoped::new(db, item, SharedNames::new(names), TemplateArguments::default())
    }

    /// Returns the names of an item with their meanings in this environment, and the records that `types` mention.
    fn names_of(&self, db: &dyn Db, item: Item<'_>, namespace: Namespace, types: &[Ty]) -> Names {
        let uses = uses(db, item);
        let mut entries = Vec::new();
        let mut tags: Vec<(RecordName, Ty)> = Vec::new();
        let of_name = |tag: &Symbol| self.classes.get(tag).map_or(&[][..], |all| all);
        let mut wanted: Vec<RecordName> = uses.tags.iter().flat_map(of_name).copied().collect();
        let mut classes: FxHashSet<Symbol> = FxHashSet::default();
        let mut mention = |ty: Ty, wanted: &mut Vec<RecordName>| {
            let mentions = mentions(ty);
            wanted.extend(mentions.incomplete.iter().copied());
            if self.has_classes {
                classes.extend(mentions.all.iter().map(|class| class.name()));
            }
        };
        types.iter().for_each(|&ty| mention(ty, &mut wanted));
        for &entry in &uses.entries {
            for (namespace, meaning) in self.all(entry) {
                mentioned_by(meaning, &mut |ty, wanted| mention(ty, wanted), &mut wanted);
                entries.push((entry, namespace, Meaning::clone(meaning)));
            }
        }
        let mut seen: FxHashSet<RecordName> = FxHashSet::default();
        while let Some(tag) = wanted.pop() {
            if let (true, Some(&ty)) = (seen.insert(tag), self.tags.get(&tag)) {
                mention(ty, &mut wanted);
                tags.push((tag, ty));
            }
        }
        // The types of the meanings can be instances of class templates that the item does not name.
        for name in classes {
            let entry = LookupKey::Classes(name);
            if uses.entries.binary_search(&entry).is_err() {
                let found = self.all(entry).map(|(namespace, it)| (entry, namespace, Meaning::clone(it)));
                entries.extend(found);
            }
        }
        // A stable sort: the meanings of one entry stay in the order of their declarations.
        entries.sort_by_key(|&(entry, ..)| entry);
        tags.sort_unstable_by_key(|&(tag, _)| tag);
        // Other `using`s do not affect the names of the item. Without them, units with different headers share the
        // scoped item.
        let builtins = item.dialect(db).builtins();
        let is_inside = |path: Namespace| {
            entries.iter().any(|(_, namespace, _)| namespace.path().ends_with(&path.path()))
        };
        let is_about = |using: &&Using| match using.used {
            Used::Alias { name, .. } => uses.heads.binary_search(&name).is_ok(),
            Used::Namespace(path) => {
                let in_language = using.in_language
                    && uses.heads.iter().any(|&head| builtins.has_member(path.to_symbol(), head));
                in_language || is_inside(path)
            }
        };
        let own = uses.usings.iter().map(|using| Using { within: namespace, ..*using });
        let usings = self.usings.iter().filter(is_about).copied().chain(own).collect();
        Names { namespace, entries: entries.into(), usings, tags: tags.into() }
    }

    fn add(&mut self, exports: &Exports) {
        for (entry, namespace, meaning) in &exports.entries {
            self.has_classes |= matches!(entry, LookupKey::Classes(_));
            if *namespace == Namespace::GLOBAL {
                self.entries.insert(*entry, meaning.clone());
                continue;
            }
            let known = self.inside.get(entry).map_or(&[][..], |all| all);
            let others = known.iter().filter(|(other, _)| other != namespace).cloned();
            self.inside.insert(*entry, others.chain([(*namespace, meaning.clone())]).collect());
        }
        if !exports.usings.is_empty() {
            let new = exports.usings.iter().filter(|used| !self.usings.contains(used));
            self.usings = self.usings.iter().chain(new).copied().collect();
        }
        for &(tag, ty) in &exports.tags {
            // A mention of a tag after its definition does not replace the definition.
            let defined = |ty: Ty| ty.as_record().is_none_or(|record| record.definition.is_some());
            let is_new = !self.tags.contains_key(&tag);
            if is_new && tag.arguments().is_empty() {
                let known = self.classes.get(&tag.name()).map_or(&[][..], |all| all);
                self.classes.insert(tag.name(), known.iter().copied().chain([tag]).collect());
            }
            if defined(ty) || is_new {
                self.tags.insert(tag, ty);
            }
        }
    }
}

/// Passes the types of a meaning to `mention`, and adds the classes that it names.
fn mentioned_by(
    meaning: &Meaning,
    mention: &mut dyn FnMut(Ty, &mut Vec<RecordName>),
    wanted: &mut Vec<RecordName>,
) {
    match meaning {
        Meaning::Type(q) => mention(q.ty, wanted),
        Meaning::Global { ty, .. } => mention(*ty, wanted),
        Meaning::Functions(functions) => {
            for function in functions.iter() {
                mention(function.ty, wanted);
                if let Some(template) = function.template {
                    mention(template.pattern(), wanted);
                }
            }
        }
        Meaning::Specialisations(all) => wanted.extend(all.iter().copied()),
        Meaning::Enumerator { .. }
        | Meaning::Variable(_)
        | Meaning::TemplateValue { .. }
        | Meaning::Classes(_) => {}
    }
}

/// The records in a type.
#[derive(Debug)]
struct Mentions {
    /// The records that it contains by tag only.
    incomplete: Box<[RecordName]>,
    /// All records with a tag.
    all: Box<[RecordName]>,
}

/// The records in each type. Cached, because they depend on the type alone.
static MENTIONS: LazyLock<DashMap<Ty, Arc<Mentions>, FxBuildHasher>> = LazyLock::new(DashMap::default);

fn mentions(ty: Ty) -> Arc<Mentions> {
    if let Some(known) = MENTIONS.get(&ty) {
        return known.clone();
    }
    let mut incomplete: FxHashSet<RecordName> = FxHashSet::default();
    let mut all: FxHashSet<RecordName> = FxHashSet::default();
    let mut seen: FxHashSet<Ty> = FxHashSet::default();
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        if !seen.insert(ty) {
            continue;
        }
        // Parts of a cached type are not visited again. This matters for long chains of typedefs.
        if let Some(known) = MENTIONS.get(&ty) {
            incomplete.extend(known.incomplete.iter().copied());
            all.extend(known.all.iter().copied());
            continue;
        }
        match ty.kind() {
            TyKind::Pointer(pointer) => todo.push(pointer.pointee),
            TyKind::Array { element: inner, .. } | TyKind::Atomic(inner) | TyKind::BlockPointer(inner) => {
                todo.push(*inner);
            }
            TyKind::Function(function) => todo.extend(function.parameters.iter().chain([&function.result])),
            TyKind::Record(record) => {
                all.extend(record.tag);
                for argument in record.tag.map_or(&[][..], RecordName::arguments) {
                    if let TemplateArgument::Type(ty) = argument {
                        todo.push(*ty);
                    }
                }
                match &record.definition {
                    Some(definition) => todo.extend(definition.fields.iter().map(|field| field.ty)),
                    None => incomplete.extend(record.tag),
                }
            }
            _ => {}
        }
    }
    let sorted = |tags: FxHashSet<RecordName>| {
        let mut tags: Vec<RecordName> = tags.into_iter().collect();
        tags.sort_unstable();
        tags.into_boxed_slice()
    };
    let mentions = Arc::new(Mentions { incomplete: sorted(incomplete), all: sorted(all) });
    MENTIONS.insert(ty, mentions.clone());
    mentions
}

#[salsa::tracked]
fn contribution<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Contribution<'db> {
    db.depends_on_text();
    let mut environment = Environment::clone(&environment_after(db, segment.before(db)));
    let chunk = &segment.chunk(db).shared(db).0;
    let range = segment.start(db) as usize..segment.end(db) as usize;
    let mut items = Vec::with_capacity(range.len());
    for part in &chunk.parts[range] {
        let Part::Item { tokens, origins, namespace } = part else { continue };
        let item = Item::new(db, SharedTokens(tokens.clone()), chunk.dialect);
        let scoped = environment.scoped(db, item, *namespace);
        environment.add(exports(db, scoped));
        items.push((scoped, origins.start));
    }
    db.recent_environments().keep(segment.as_id(), Arc::new(environment), 1);
    Contribution(items.into())
}

/// Returns the environment after a segment. The environments of a unit together are larger than all other data about
/// it, so only recent ones are kept. The others are rebuilt from the exports of the items before.
fn environment_after<'db>(db: &'db dyn Db, segment: Option<Segment<'db>>) -> Arc<Environment> {
    let Some(last) = segment else { return Arc::default() };
    let mut missing = Vec::new();
    let mut known = None;
    let mut at = segment;
    while let Some(segment) = at {
        known = db.recent_environments().get::<Environment>(segment.as_id());
        if known.is_some() {
            break;
        }
        missing.push(segment);
        at = segment.before(db);
    }
    let known = known.unwrap_or_default();
    if missing.is_empty() {
        return known;
    }
    let mut environment = Environment::clone(&known);
    for segment in missing.into_iter().rev() {
        contribution(db, segment).0.iter().for_each(|&(scoped, _)| environment.add(exports(db, scoped)));
    }
    let environment = Arc::new(environment);
    db.recent_environments().keep(last.as_id(), environment.clone(), 1);
    environment
}

/// An item of a unit and its location.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct ScopedItem<'db> {
    pub chunk: Arc<Chunk>,
    pub scoped: Scoped<'db>,
    /// The index in the chunk of the origin of its first token.
    pub first: u32,
}

/// Returns the items of a file and its headers in source order, with the meanings of their names.
pub fn scoped_items<'db>(db: &'db dyn Db, file: SourceFile, settings: Settings) -> Vec<ScopedItem<'db>> {
    let mut items = Vec::new();
    for (chunk, segment) in segments(db, unit(db, file, settings)) {
        let found = contribution(db, segment).0.iter();
        items.extend(found.map(|&(scoped, first)| ScopedItem { chunk: chunk.clone(), scoped, first }));
    }
    items
}

/// Returns the item whose first origin in a chunk is `first`, with the meanings of its names at the first inclusion of
/// the chunk in the unit.
pub fn scoped_at<'db>(db: &'db dyn Db, unit: &Unit, chunk: &Arc<Chunk>, first: u32) -> Option<Scoped<'db>> {
    let own = segments(db, unit).into_iter().filter(|(other, _)| Arc::ptr_eq(other, chunk));
    own.flat_map(|(_, segment)| &contribution(db, segment).0)
        .find(|(_, other)| *other == first)
        .map(|&(scoped, _)| scoped)
}

/// Returns the meaning of a name at file scope at the end of a unit. For locations in code that does not parse: the
/// names that such an item mentions are not all known.
pub fn meaning_at_end(db: &dyn Db, unit: &Unit, name: Symbol) -> Option<Arc<Meaning>> {
    behind(db, unit)?.all(LookupKey::Ordinary(name)).next_back().map(|(_, meaning)| meaning.clone())
}

/// Returns the type of a tag at the end of a unit.
pub fn tag_at_end(db: &dyn Db, unit: &Unit, tag: RecordName) -> Option<Ty> {
    behind(db, unit)?.tags.get(&tag).copied()
}

fn behind(db: &dyn Db, unit: &Unit) -> Option<Arc<Environment>> {
    segments(db, unit).last().map(|&(_, last)| environment_after(db, Some(last)))
}

/// Returns the items of [`scoped_items`] with type errors. Units with the same headers share the result.
pub fn items_with_type_errors<'db>(db: &'db dyn Db, unit: &Unit) -> Vec<ScopedItem<'db>> {
    let mut items = Vec::new();
    for (chunk, segment) in segments(db, unit) {
        let found = segment_type_errors(db, segment).iter();
        items.extend(found.map(|&(scoped, first)| ScopedItem { chunk: chunk.clone(), scoped, first }));
    }
    items
}

#[salsa::tracked]
fn segment_type_errors<'db>(db: &'db dyn Db, segment: Segment<'db>) -> Box<[(Scoped<'db>, u32)]> {
    let items = contribution(db, segment).0.iter().copied();
    items.filter(|&(scoped, _)| !typed(db, scoped).problems.is_empty()).collect()
}

/// Returns the items of a segment, each with its first origin in the segment's chunk.
pub fn segment_items<'db>(db: &'db dyn Db, segment: Segment<'db>) -> &'db [(Scoped<'db>, u32)] {
    &contribution(db, segment).0
}

/// Returns the key by which calls refer to the function that an item declares under this name.
pub fn declared_key<'db>(db: &'db dyn Db, scoped: Scoped<'db>, name: Symbol) -> FunctionKey {
    declared_function(db, scoped, name).map_or_else(|| FunctionKey::plain(name), |function| function.key)
}

/// Returns the function that an item declares under this name, outside of classes.
pub fn declared_function<'db>(db: &'db dyn Db, scoped: Scoped<'db>, name: Symbol) -> Option<FunctionMeaning> {
    exports(db, scoped).entries.iter().find_map(|(entry, _, meaning)| match &**meaning {
        Meaning::Functions(functions) if *entry == LookupKey::Ordinary(name) => functions.first().copied(),
        _ => None,
    })
}

/// Returns the template that an item declares with this key: a function template, or a method of a class template.
pub fn declared_template<'db>(
    db: &'db dyn Db,
    scoped: Scoped<'db>,
    key: FunctionKey,
) -> Option<FunctionTemplate> {
    let entries = exports(db, scoped).entries.iter().filter(|(entry, ..)| match entry {
        LookupKey::Ordinary(name) | LookupKey::Methods(name) => *name == key.name,
        LookupKey::Specialisations(_) | LookupKey::Classes(_) => false,
    });
    entries
        .filter_map(|(_, _, meaning)| meaning.functions())
        .flat_map(|all| all.iter())
        .find_map(|function| function.template.filter(|_| function.key == key))
}

/// Returns an item whose functions are checked with these template arguments.
///
/// A name has its meaning at the template. A name without a meaning there depends on the arguments, and has its meaning
/// at the end of the unit, as have the methods of classes: an argument can be a class that follows the template.
pub fn instantiated<'db>(
    db: &'db dyn Db,
    unit: &Unit,
    scoped: Scoped<'db>,
    arguments: &TemplateArguments,
) -> Scoped<'db> {
    let item = scoped.item(db);
    let names = &scoped.names(db).names;
    let Some(end) = behind(db, unit) else {
        return Scoped::new(db, item, scoped.names(db).clone(), arguments.clone());
    };
    let Names { entries, usings, tags, .. } = end.names_of(db, item, names.namespace, &arguments.types());
    let is_of_template =
        |entry: LookupKey| matches!(entry, LookupKey::Ordinary(_)) && names.all(entry).next().is_some();
    let own = names.entries.iter().filter(|(entry, ..)| is_of_template(*entry)).cloned();
    let others = entries.into_iter().filter(|(entry, ..)| !is_of_template(*entry));
    let mut entries: Vec<(LookupKey, Namespace, Meaning)> = own.chain(others).collect();
    // A stable sort: the meanings of one entry stay in the order of their declarations.
    entries.sort_by_key(|(entry, ..)| *entry);
    let names = Names { namespace: names.namespace, entries: entries.into(), usings, tags };
    Scoped::new(db, item, SharedNames::new(names), arguments.clone())
}

/// Returns the segments of a unit in order, each with its chunk.
pub fn segments<'db>(db: &'db dyn Db, unit: &Unit) -> Vec<(Arc<Chunk>, Segment<'db>)> {
    let main = ChunkKey::new(db, SharedChunk(unit.0.clone()));
    let segments = segments_of(db, main).iter();
    segments.map(|&(chunk, segment)| (chunk.shared(db).0.clone(), segment)).collect()
}

/// Returns the segments of the unit with this main chunk. Each is computed after the segments before it, so no query
/// waits for a long chain.
// A query, because salsa never frees values that are interned outside of queries.
#[salsa::tracked]
fn segments_of<'db>(db: &'db dyn Db, main: ChunkKey<'db>) -> Box<[(ChunkKey<'db>, Segment<'db>)]> {
    db.depends_on_text();
    let mut segments = Vec::new();
    let mut before = None;
    // A chunk, and the index of its first part that was not visited yet.
    let mut stack: Vec<(Arc<Chunk>, usize)> = vec![(main.shared(db).0.clone(), 0)];
    while let Some((chunk, from)) = stack.pop() {
        let parts = &chunk.parts;
        let run = parts[from..].iter().take_while(|part| matches!(part, Part::Item { .. })).count();
        let to = from + run;
        if run > 0 {
            let key = ChunkKey::new(db, SharedChunk(chunk.clone()));
            let segment = Segment::new(db, before, key, from as u32, to as u32);
            contribution(db, segment);
            segments.push((key, segment));
            before = Some(segment);
        }
        if let Some(Part::Include(included)) = parts.get(to) {
            let included = included.clone();
            stack.push((chunk, to + 1));
            // Headers without tokens are skipped: they can include each other exponentially often.
            if included.weight > 0 {
                stack.push((included, 0));
            }
        }
    }
    segments.into()
}

/// Returns the facts that the check of an item finds, without its typed bodies: see [`typed_bodies`].
#[salsa::tracked]
pub fn typed<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Typed {
    let Checked { bodies, globals, problems, unknown_types } = checked(db, scoped);
    let keys = bodies.iter().map(|body| body.key).collect();
    let types = bodies.iter().map(|body| body.ty).collect();
    keep_bodies(db, scoped, bodies);
    Typed { keys, types, globals, problems, unknown_types }
}

/// The value of [`typed`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Typed {
    /// The key of each body of the item, in order.
    pub keys: Box<[FunctionKey]>,
    /// The type of each body of the item, in order.
    pub types: Box<[Ty]>,
    /// See [`Checked::globals`].
    pub globals: Box<[Global]>,
    /// See [`Checked::problems`].
    pub problems: Box<[TypeProblem]>,
    /// See [`Checked::unknown_types`].
    pub unknown_types: Box<[(Span, Symbol)]>,
}

/// See [`Checked::bodies`].
#[derive(Debug)]
pub struct TypedBodies(pub Box<[TypedBody]>);

/// One of the bodies of an item, with its types.
pub struct SharedTypedBody {
    all: Arc<TypedBodies>,
    number: usize,
}

impl Deref for SharedTypedBody {
    type Target = TypedBody;

    fn deref(&self) -> &TypedBody {
        &self.all.0[self.number]
    }
}

/// Returns the body with this number of an item, with its types. `None` if the item has fewer.
pub fn typed_body(db: &dyn Db, scoped: Scoped, number: usize) -> Option<SharedTypedBody> {
    let all = typed_bodies(db, scoped);
    (number < all.0.len()).then_some(SharedTypedBody { all, number })
}

/// Returns the bodies of an item with the types of their expressions. Most are not needed again once the flow graph and
/// the facts of [`typed`] are known, so only recent ones are kept, and the others are checked again.
pub fn typed_bodies(db: &dyn Db, scoped: Scoped) -> Arc<TypedBodies> {
    let known = || db.recent_trees().get::<TypedBodies>(scoped.as_id());
    if let Some(known) = known() {
        return known;
    }
    // The query keeps the bodies if it runs now.
    typed(db, scoped);
    known().unwrap_or_else(|| keep_bodies(db, scoped, checked(db, scoped).bodies))
}

fn checked(db: &dyn Db, scoped: Scoped) -> Checked {
    let item = scoped.item(db);
    let bodies = &super::bodies(db, item).0;
    check::check(&source(db, scoped), bodies, scoped.arguments(db), item.dialect(db))
}

fn keep_bodies(db: &dyn Db, scoped: Scoped, bodies: Box<[TypedBody]>) -> Arc<TypedBodies> {
    let bytes = bodies.iter().map(TypedBody::bytes).sum();
    let bodies = Arc::new(TypedBodies(bodies));
    db.recent_trees().keep(scoped.as_id(), bodies.clone(), bytes);
    bodies
}
