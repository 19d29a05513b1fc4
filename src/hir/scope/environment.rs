//! The environments at file scope.
//!
//! **Environment**: the meanings of all file-scope names at one point of a unit. It depends only on the code before it.
//! A scoped item gets from it the meanings of the names that the item uses. The exports of the item extend it.
//!
//! A type can contain a record by its tag only, for example a record inside itself. The tag has the members. So an item
//! that uses such a type also receives the meaning of the tag.

use std::sync::{Arc, LazyLock};

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use tangle_grammar::ast::{self, Ast, BinaryOp, DeclaratorStep, ExprKind, Specifiers, TypeSpecifier};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;

use crate::check;
use crate::def::functions::{self, is_overloadable};
use crate::def::names::{ItemSource, LookupKey, Meaning, Names, SharedNames, Used, Using};
use crate::template_arguments::TemplateArguments;
use crate::types::{RecordName, TemplateArgument, Ty, TyKind};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{Item, ast};

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

/// A meaning of a name in a namespace.
type Member = (Namespace, Arc<Meaning>);

/// The meanings of all names at one point of a unit. Copies share memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// The meanings in the global namespace.
    entries: Map<LookupKey, Arc<Meaning>>,
    /// The meanings in other namespaces, in the order of the declarations.
    inside: Map<LookupKey, Arc<[Member]>>,
    usings: Arc<[Using]>,
    pub tags: Map<RecordName, Ty>,
    /// The classes of a name, without specialisations.
    classes: Map<Symbol, Arc<[RecordName]>>,
    /// Whether an entry is a [`LookupKey::Classes`].
    has_classes: bool,
}

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
pub(super) struct Exports {
    pub entries: Box<[(LookupKey, Namespace, Arc<Meaning>)]>,
    usings: Box<[Using]>,
    tags: Box<[(RecordName, Ty)]>,
}

/// Returns the item with its names, as the check reads them.
pub(super) fn source<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Arc<ItemSource> {
    let item = scoped.item(db);
    Arc::new(ItemSource {
        tokens: item.tokens(db).clone(),
        ast: ast(db, item),
        names: scoped.names(db).clone(),
    })
}

#[salsa::tracked]
pub(super) fn exports<'db>(db: &'db dyn Db, scoped: Scoped<'db>) -> Exports {
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
    pub fn all(&self, entry: LookupKey) -> impl DoubleEndedIterator<Item = (Namespace, &Arc<Meaning>)> {
        let global = self.entries.get(&entry).map(|meaning| (Namespace::GLOBAL, meaning));
        let inside = self.inside.get(&entry).map_or(&[][..], |all| all);
        global.into_iter().chain(inside.iter().map(|(namespace, meaning)| (*namespace, meaning)))
    }

    /// Returns an item with the meanings of its names in this environment.
    pub fn scoped<'db>(&self, db: &'db dyn Db, item: Item<'db>, namespace: Namespace) -> Scoped<'db> {
        let names = self.names_of(db, item, namespace, &[]);
        Scoped::new(db, item, SharedNames::new(names), TemplateArguments::default())
    }

    /// Returns the names of an item with their meanings in this environment, and the records that `types` mention.
    pub fn names_of(&self, db: &dyn Db, item: Item<'_>, namespace: Namespace, types: &[Ty]) -> Names {
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

    /// Adds the exports of an item.
    pub fn add(&mut self, exports: &Exports) {
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
