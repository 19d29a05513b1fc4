//! The database: inputs by path, and the state that queries share.

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
    /// The file at a path, read if this is the first time that it is asked for.
    fn file(&self, path: &str) -> SourceFile;
    /// The file with a number that this database gave out.
    fn source(&self, id: FileId) -> SourceFile;
    /// Marks the running query as one that depends on texts, which come and go.
    ///
    /// What a query interns is forgotten, with all that is known of it, when no text gives it any more; but only if the query has read an
    /// input before that changes often. A query that sees interned values alone has read none: it counts as one that never changes.
    fn depends_on_text(&self);
    /// Expanded headers, shared by all units. A memo of a pure function: it never changes what a query returns.
    fn headers(&self) -> &Cache;
    /// The same for what follows from something interned alone and is too large to be kept for each.
    fn recent(&self) -> &Recent;
}

/// How many values are kept.
const RECENT: usize = 1024;

/// Values by what they follow from, as far as they were made lately.
#[derive(Default)]
pub struct Recent(Mutex<(FxHashMap<salsa::Id, Kept>, VecDeque<salsa::Id>)>);

type Kept = Arc<dyn Any + Send + Sync>;

impl Recent {
    /// The value of something interned, if it is kept.
    pub fn get<T: Send + Sync + 'static>(&self, id: salsa::Id) -> Option<Arc<T>> {
        let (values, _) = &*self.0.lock().expect("no panic under this lock");
        values.get(&id)?.clone().downcast().ok()
    }

    /// Keeps a value, perhaps instead of the oldest.
    pub fn keep<T: Send + Sync + 'static>(&self, id: salsa::Id, value: Arc<T>) {
        let (values, order) = &mut *self.0.lock().expect("no panic under this lock");
        if values.insert(id, value).is_none() {
            order.push_back(id);
        }
        if values.len() > RECENT
            && let Some(oldest) = order.pop_front()
        {
            values.remove(&oldest);
        }
    }
}

/// All files that were asked for. Shared by the snapshots of a database.
#[derive(Default)]
struct Files {
    by_path: DashMap<Arc<str>, SourceFile>,
    by_id: RwLock<Vec<SourceFile>>,
    /// Pseudo files by their name and text: a build of a thousand kernels may have a thousand command lines.
    pseudo: DashMap<(&'static str, Arc<str>), SourceFile>,
    /// Settings that are those of others with more definitions.
    variants: DashMap<(Settings, String), Settings>,
}

#[salsa::db]
#[derive(Clone)]
pub struct Database {
    storage: salsa::Storage<Self>,
    files: Arc<Files>,
    headers: Arc<Cache>,
    recent: Arc<Recent>,
    loader: Arc<dyn Loader>,
}

impl Database {
    pub fn new(loader: Arc<dyn Loader>) -> Database {
        Database::with_events(loader, None)
    }

    /// A database that tells `events` what it does, for tests of what does not run again.
    pub fn with_events(
        loader: Arc<dyn Loader>,
        events: Option<Box<dyn Fn(salsa::Event) + Send + Sync>>,
    ) -> Database {
        Database {
            storage: salsa::Storage::new(events),
            files: Arc::default(),
            headers: Arc::default(),
            recent: Arc::default(),
            loader,
        }
    }

    /// The settings that a command line stands for, for files in OpenCL C. A database may have several, each a unit of work of its own.
    pub fn settings(
        &mut self,
        include: &[String],
        macros: &[Macro],
        includes: &[String],
        builtins: Vec<Builtin>,
    ) -> Settings {
        self.settings_in(opencl(), include, macros, includes, opencl().builtins().with(builtins))
    }

    /// The settings that a command line stands for, for files in any language.
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
        Settings::new(self, dialect, Vec::new(), include, command_line, predefined, builtins, uniform, launch)
    }

    /// The settings with more definitions, `NAME=VALUE` each, behind all others. Several threads may ask at once.
    pub fn with_definitions(&self, settings: Settings, definitions: &[String]) -> Settings {
        let options: Vec<String> = definitions.iter().map(|definition| format!(" -D {definition}")).collect();
        let options = options.concat();
        *self.files.variants.entry((settings, options.clone())).or_insert_with(|| {
            let command_line = settings.command_line(self);
            let macros: Vec<Macro> = definitions.iter().map(|definition| Macro::Define(definition)).collect();
            let text = command_line.text(self).to_string() + &command_line_text(&macros, &[]);
            // The name says what is in it, so that it does not depend on which thread is first.
            let name = format!("{}{options}", command_line.path(self));
            let command_line = self.add(&name, || Content::Text(text.into()));
            let (dialect, predefined) = (settings.dialect(self), settings.predefined(self));
            let (quote, include) = (settings.quote(self).clone(), settings.include(self).clone());
            let (builtins, uniform) = (settings.builtins(self).clone(), settings.uniform(self).clone());
            let launch = settings.launch(self);
            Settings::new(self, dialect, quote, include, command_line, predefined, builtins, uniform, launch)
        })
    }

    /// Adds what the user says of launches to settings.
    pub fn set_launch(&mut self, settings: Settings, launch: Launch) {
        let launch = launch.over(settings.dialect(self).launch());
        if launch != settings.launch(self) {
            settings.set_launch(self).to(launch);
        }
    }

    /// Adds what the user says is uniform to settings.
    pub fn set_uniform(&mut self, settings: Settings, rows: Vec<UniformRow>) {
        // Setters do not compare.
        if *rows != **settings.uniform(self) {
            settings.set_uniform(self).to(rows.into());
        }
    }

    /// The pseudo file with this text: what chunks of other settings point at stays as it is.
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

    /// Puts text at a path, whatever the loader would find there.
    pub fn set_text(&mut self, path: &str, text: &str) -> SourceFile {
        self.set_content(path, Content::Text(text.into()))
    }

    pub fn set_content(&mut self, path: &str, content: Content) -> SourceFile {
        match self.known(path) {
            // Setters do not compare, and a change that is none would have everything checked again.
            Some(file) if *file.content(self) == content => file,
            Some(file) => {
                file.set_content(self).to(content);
                file
            }
            None => self.add(path, || content),
        }
    }

    /// The file at a path that is asked for for the first time, with the content that the caller has read already. A file that
    /// is known keeps its content: a batch reads each file once.
    pub fn open(&self, path: &str, content: Content) -> SourceFile {
        self.known(path).unwrap_or_else(|| self.add(path, || content))
    }

    /// The file at a path, if it was ever asked for.
    pub fn known(&self, path: &str) -> Option<SourceFile> {
        self.files.by_path.get(path).map(|file| *file)
    }

    /// The files that were asked for so far.
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
        // Any input does; this one never changes, and so nothing runs again for it.
        first.map(|file| file.id(self));
    }

    fn headers(&self) -> &Cache {
        &self.headers
    }

    fn recent(&self) -> &Recent {
        &self.recent
    }
}
