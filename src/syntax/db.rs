//! The database: inputs by path, and state that queries share.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, RwLock};

use dashmap::DashMap;
use rustc_hash::FxHashMap;
use salsa::Setter;
use tangle_ir::uniformity::Launch;

use crate::dialect::{Builtin, Builtins, Dialect, opencl};
use crate::preprocess::{Cache, FileId};
use crate::source::{
    COMMAND_LINE, Content, Loader, Macro, PREDEFINED, Settings, SourceFile, UniformRow, command_line_text,
};

#[salsa::db]
pub trait Db: salsa::Database {
    /// Returns the file at a path. The first request reads it.
    fn file(&self, path: &str) -> SourceFile;
    /// Returns the file with a number from this database.
    fn source(&self, id: FileId) -> SourceFile;
    /// Marks the current query as dependent on the text of files.
    ///
    /// Salsa drops an interned value, and all results for it, when no text produces it any more. It does so only if
    /// the interning query has read a frequently changing input before. A query that reads only interned values would
    /// count as one that never changes.
    fn depends_on_text(&self);
    /// The expanded headers, shared by all units. This is a cache for a pure function: it does not affect the result
    /// of any query.
    fn headers(&self) -> &Cache;
    /// The recent environments: 512, each with the weight 1. See [`RecentCache`].
    fn recent_environments(&self) -> &RecentCache;
    /// The recent syntax trees and typed bodies: 48 MiB, each with its size in bytes as its weight. They are by far the
    /// largest values of an item, and most are not needed again once the facts about the item are known. See
    /// [`RecentCache`].
    fn recent_trees(&self) -> &RecentCache;
    /// The recent analyses of uniformity: 4 MiB, each with its estimated size as its weight. Verdicts are small and kept
    /// for each function; the analysis that found them is needed again only to explain them, usually soon.
    fn recent_analyses(&self) -> &RecentQueue;
}

/// Keeps the most recent values alive. Their owners hold weak references, and compute a value again if it is gone.
pub struct RecentQueue {
    /// The maximum sum of the weights.
    capacity: usize,
    values: Mutex<QueuedValues>,
}

#[derive(Default)]
struct QueuedValues {
    /// The oldest first, each with its weight.
    order: VecDeque<(CachedValue, usize)>,
    weight: usize,
}

impl RecentQueue {
    fn new(capacity: usize) -> RecentQueue {
        RecentQueue { capacity, values: Mutex::default() }
    }

    /// Keeps a value with this weight. Drops the oldest values while the queue is too full, but keeps this one.
    pub fn keep<T: Send + Sync + 'static>(&self, value: Arc<T>, weight: usize) {
        let mut removed: Vec<CachedValue> = Vec::new();
        {
            let values = &mut *self.values.lock().expect("no panic under this lock");
            values.weight += weight;
            values.order.push_back((value, weight));
            while values.weight > self.capacity
                && values.order.len() > 1
                && let Some((oldest, weight)) = values.order.pop_front()
            {
                values.weight -= weight;
                removed.push(oldest);
            }
        }
        // Large values take long to free. Other threads must not wait for it.
        drop(removed);
    }
}

/// The most recent values, by the id of their interned key.
///
/// A cache for values that depend only on one interned key and are too large to be kept for every key. A query reads
/// them like its own computation, so they are no results of queries.
pub struct RecentCache {
    /// The maximum sum of the weights.
    capacity: usize,
    values: Mutex<RecentValues>,
}

#[derive(Default)]
struct RecentValues {
    by_id: FxHashMap<salsa::Id, (CachedValue, usize)>,
    /// The oldest first.
    order: VecDeque<salsa::Id>,
    weight: usize,
}

type CachedValue = Arc<dyn Any + Send + Sync>;

impl RecentCache {
    /// The number of values that are kept although they weigh too much: the tree and the types of one function for each
    /// of two threads. Otherwise, each query about a very large function would compute them again.
    const LEAST: usize = 4;

    fn new(capacity: usize) -> RecentCache {
        RecentCache { capacity, values: Mutex::default() }
    }

    /// Returns the value for an interned key, if it is cached.
    pub fn get<T: Send + Sync + 'static>(&self, id: salsa::Id) -> Option<Arc<T>> {
        let values = self.values.lock().expect("no panic under this lock");
        let (value, _) = values.by_id.get(&id)?;
        value.clone().downcast().ok()
    }

    /// Caches a value with this weight. Removes the oldest values while the cache is too full, but keeps the last four.
    pub fn keep<T: Send + Sync + 'static>(&self, id: salsa::Id, value: Arc<T>, weight: usize) {
        let mut removed: Vec<CachedValue> = Vec::new();
        {
            let values = &mut *self.values.lock().expect("no panic under this lock");
            values.weight += weight;
            match values.by_id.insert(id, (value, weight)) {
                Some((before, weight)) => {
                    values.weight -= weight;
                    removed.push(before);
                }
                None => values.order.push_back(id),
            }
            while values.weight > self.capacity
                && values.order.len() > RecentCache::LEAST
                && let Some(oldest) = values.order.pop_front()
            {
                let known = values.by_id.remove(&oldest);
                values.weight -= known.as_ref().map_or(0, |(_, weight)| *weight);
                removed.extend(known.map(|(value, _)| value));
            }
        }
        // Large values take long to free. Other threads must not wait for it.
        drop(removed);
    }
}

/// All files that were requested. The snapshots of a database share this value.
#[derive(Default)]
struct Files {
    by_path: DashMap<Arc<str>, SourceFile>,
    by_id: RwLock<Vec<SourceFile>>,
    /// Pseudo files by name and text. A build of a thousand kernels can have a thousand command lines.
    pseudo: DashMap<(&'static str, Arc<str>), SourceFile>,
    /// Settings that extend other settings by definitions, by the original settings and the definitions.
    variants: DashMap<(Settings, String), Settings>,
}

#[salsa::db]
#[derive(Clone)]
pub struct Database {
    storage: salsa::Storage<Self>,
    files: Arc<Files>,
    headers: Arc<Cache>,
    environments: Arc<RecentCache>,
    trees: Arc<RecentCache>,
    analyses: Arc<RecentQueue>,
    loader: Arc<dyn Loader>,
}

impl Database {
    pub fn new(loader: Arc<dyn Loader>) -> Database {
        Database::with_events(loader, None)
    }

    /// Creates a database that passes its events to `events`, for tests of incremental computation.
    pub fn with_events(
        loader: Arc<dyn Loader>,
        events: Option<Box<dyn Fn(salsa::Event) + Send + Sync>>,
    ) -> Database {
        Database {
            storage: salsa::Storage::new(events),
            files: Arc::default(),
            headers: Arc::default(),
            environments: Arc::new(RecentCache::new(512)),
            trees: Arc::new(RecentCache::new(48 << 20)),
            analyses: Arc::new(RecentQueue::new(4 << 20)),
            loader,
        }
    }

    /// The settings for a command line and files in OpenCL C. A database can have several settings, each with its own
    /// units.
    pub fn settings(
        &mut self,
        include: &[String],
        macros: &[Macro],
        includes: &[String],
        builtins: Vec<Builtin>,
    ) -> Settings {
        self.settings_in(opencl(), include, macros, includes, opencl().builtins().with(builtins))
    }

    /// The settings for a command line and files in any language.
    pub fn settings_in(
        &mut self,
        dialect: Dialect,
        include: &[String],
        macros: &[Macro],
        includes: &[String],
        builtins: Builtins,
    ) -> Settings {
        let command_line = self.pseudo_file(COMMAND_LINE, &command_line_text(macros, includes));
        let predefined = self.pseudo_file(PREDEFINED, dialect.predefined());
        let include = include.iter().map(|folder| Arc::from(folder.as_str())).collect();
        let builtins = Arc::new(builtins);
        let (uniform, launch) = (Arc::default(), dialect.launch());
        Settings::new(
            self,
            dialect,
            Vec::new(),
            include,
            command_line,
            predefined,
            builtins,
            uniform,
            launch,
            false,
        )
    }

    /// The settings with additional definitions, each `NAME=VALUE`, after all others. Threads can call this
    /// concurrently.
    pub fn with_definitions(&self, settings: Settings, definitions: &[String]) -> Settings {
        let options: Vec<String> = definitions.iter().map(|definition| format!(" -D {definition}")).collect();
        let options = options.concat();
        *self.files.variants.entry((settings, options.clone())).or_insert_with(|| {
            let command_line = settings.command_line(self);
            let macros: Vec<Macro> = definitions.iter().map(|definition| Macro::Define(definition)).collect();
            let text = command_line.text(self).to_string() + &command_line_text(&macros, &[]);
            // The name determines the text, so the result does not depend on the order of the threads.
            let name = format!("{}{options}", command_line.path(self));
            let command_line = self.add(&name, || Content::Text(text.into()));
            let (dialect, predefined) = (settings.dialect(self), settings.predefined(self));
            let (quote, include) = (settings.quote(self).clone(), settings.include(self).clone());
            let (builtins, uniform) = (settings.builtins(self).clone(), settings.uniform(self).clone());
            let (launch, reached_only) = (settings.launch(self), settings.reached_only(self));
            Settings::new(
                self,
                dialect,
                quote,
                include,
                command_line,
                predefined,
                builtins,
                uniform,
                launch,
                reached_only,
            )
        })
    }

    /// Sets the launch sizes that the user declares.
    pub fn set_launch(&mut self, settings: Settings, launch: Launch) {
        let launch = launch.over(settings.dialect(self).launch());
        if launch != settings.launch(self) {
            settings.set_launch(self).to(launch);
        }
    }

    /// Sets the values that the user declares uniform.
    pub fn set_uniform(&mut self, settings: Settings, rows: Vec<UniformRow>) {
        // Salsa's setters do not compare values.
        if *rows != **settings.uniform(self) {
            settings.set_uniform(self).to(rows.into());
        }
    }

    /// Returns the pseudo file with this text. Each text has its own file, so chunks of other settings stay valid.
    fn pseudo_file(&mut self, name: &'static str, text: &str) -> SourceFile {
        if let Some(known) = self.files.pseudo.get(&(name, Arc::from(text))) {
            return *known;
        }
        let others = self.files.pseudo.iter().filter(|entry| entry.key().0 == name).count();
        let path = match others {
            0 => name.to_owned(),
            others => format!("{name} {}", others + 1),
        };
        let file = self.set_text(&path, text);
        self.files.pseudo.insert((name, text.into()), file);
        file
    }

    /// Sets the text at a path, whether or not the loader has a file there.
    pub fn set_text(&mut self, path: &str, text: &str) -> SourceFile {
        self.set_content(path, Content::Text(text.into()))
    }

    pub fn set_content(&mut self, path: &str, content: Content) -> SourceFile {
        match self.known(path) {
            // Salsa's setters do not compare values, and setting an equal value would verify all queries again.
            Some(file) if *file.content(self) == content => file,
            Some(file) => {
                file.set_content(self).to(content);
                file
            }
            None => self.add(path, || content),
        }
    }

    /// Returns the file at a path. At the first request, its content is `content`, which the caller has already read.
    /// A known file keeps its content, because a batch run reads each file once.
    pub fn open(&self, path: &str, content: Content) -> SourceFile {
        self.known(path).unwrap_or_else(|| self.add(path, || content))
    }

    /// Returns the file at a path if it was requested before.
    pub fn known(&self, path: &str) -> Option<SourceFile> {
        self.files.by_path.get(path).map(|file| *file)
    }

    /// The files that were requested so far.
    pub fn files(&self) -> Vec<SourceFile> {
        self.files.by_id.read().expect("no panic under this lock").clone()
    }

    fn add(&self, path: &str, content: impl FnOnce() -> Content) -> SourceFile {
        let path: Arc<str> = path.into();
        *self.files.by_path.entry(path.clone()).or_insert_with(|| {
            let content = content();
            let mut by_id = self.files.by_id.write().expect("no panic under this lock");
            let id = FileId(u32::try_from(by_id.len()).expect("fewer than 2^32 files"));
            let file = SourceFile::new(self, id, path, content);
            by_id.push(file);
            file
        })
    }
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn file(&self, path: &str) -> SourceFile {
        self.known(path).unwrap_or_else(|| self.add(path, || self.loader.load(path)))
    }

    fn source(&self, id: FileId) -> SourceFile {
        self.files.by_id.read().expect("no panic under this lock")[id.0 as usize]
    }

    fn depends_on_text(&self) {
        let first = self.files.by_id.read().expect("no panic under this lock").first().copied();
        // Any input would do. The id of a file never changes, so this read never causes a query to run again.
        first.map(|file| file.id(self));
    }

    fn headers(&self) -> &Cache {
        &self.headers
    }

    fn recent_environments(&self) -> &RecentCache {
        &self.environments
    }

    fn recent_trees(&self) -> &RecentCache {
        &self.trees
    }

    fn recent_analyses(&self) -> &RecentQueue {
        &self.analyses
    }
}
