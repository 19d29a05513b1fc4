//! The state of the server: open documents, the database, and the settings of each file. Only the owner thread changes
//! it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tangle_analysis::tangle::Model;
use tangle_diagnostic::SourceText;
use tangle_project::build_findings::DatabaseBuild;
use tangle_project::embedded;
use tangle_project::levels::Levels;
use tangle_project::{Branches, Build, Dialect, Language, Named, Project, SourceSettings, normal, read};
use tangle_syntax::db::Database;
use tangle_syntax::source::{Content, Settings, SourceFile};
use tower_lsp::lsp_types::{TextDocumentContentChangeEvent, Url};

use crate::client::Client;
use crate::files::{self, Files};
use crate::options::{Options, written};
use crate::settings_file::{SettingsFile, is_settings_file};
use crate::snapshot::{Changes, Snapshot, Texts};
use crate::witnesses::Witnesses;

/// The number of changes after which the database should be replaced.
const WORN: usize = 256;

/// The settings for the analysis of a document.
#[derive(Debug)]
pub struct Analysis {
    /// The settings of the first build. Everything except findings is shown for this build.
    pub settings: Settings,
    pub model: Model,
    /// All builds, for the findings. Never empty.
    pub builds: Vec<DatabaseBuild>,
    /// How inactive `#if` branches are analysed.
    pub branches: Branches,
    /// The levels of the rules that differ from the default.
    pub levels: Levels,
    /// The settings of the editor for this document.
    pub options: Arc<Options>,
    /// These settings as options of the command line.
    pub written: String,
    /// The first build.
    pub build: Build,
}

/// A file that is open in the editor.
#[derive(Clone, Debug)]
pub struct Document {
    pub uri: Url,
    pub path: PathBuf,
    /// The language of the document according to the editor, if it has device code.
    language: Option<Dialect>,
    pub version: i32,
    pub text: Arc<SourceText>,
    /// The text on disk. `None` without a file.
    pub saved: Option<Arc<SourceText>>,
    pub file: SourceFile,
    pub analysis: Arc<Analysis>,
    /// Whether the database does not have the current text yet.
    dirty: bool,
}

pub type Documents = BTreeMap<Url, Document>;

/// The open settings files.
pub type SettingsFiles = BTreeMap<Url, SettingsFile>;

/// Returns the text of a buffer as the database reads it. A kernel in a string literal keeps its position in the
/// document.
pub fn kernel_text(buffer: &Arc<SourceText>) -> Arc<str> {
    Arc::from(&*embedded::opencl(buffer.text()))
}

/// Returns the text of a file on disk. If it is that of the editor, they share memory.
fn saved(path: &Path, text: &Arc<SourceText>) -> Option<Arc<SourceText>> {
    let saved = read::file(path).ok()?;
    Some(if saved.text() == text.text() { text.clone() } else { Arc::new(saved) })
}

/// A folder of the workspace, with its settings.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    pub path: PathBuf,
    pub options: Arc<Options>,
}

pub struct ServerState {
    db: Database,
    files: Arc<Files>,
    documents: Arc<Documents>,
    settings_files: Arc<SettingsFiles>,
    texts: Arc<Texts>,
    witnesses: Arc<Witnesses>,
    /// The number of interruptions.
    interruptions: Arc<AtomicU64>,
    pub client: Arc<Client>,
    /// The settings for files outside all folders.
    pub options: Arc<Options>,
    pub folders: Vec<Folder>,
    /// The number of changes since the database was made.
    changes: usize,
    /// The settings of the database for each build.
    builds: HashMap<Build, (Settings, Model)>,
    /// The new messages for the user, and the messages that were already shown.
    messages: Vec<String>,
    shown_messages: Vec<String>,
}

impl ServerState {
    pub fn new() -> ServerState {
        let files = Arc::new(Files::default());
        ServerState {
            db: Database::new(files.clone()),
            files,
            documents: Arc::default(),
            settings_files: Arc::default(),
            texts: Arc::default(),
            witnesses: Arc::default(),
            interruptions: Arc::default(),
            client: Arc::default(),
            options: Arc::default(),
            folders: Vec::new(),
            changes: 0,
            builds: HashMap::new(),
            messages: Vec::new(),
            shown_messages: Vec::new(),
        }
    }

    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    pub fn settings_files(&self) -> &SettingsFiles {
        &self.settings_files
    }

    /// Returns the messages for the user that were not shown before.
    pub fn take_troubles(&mut self) -> Vec<String> {
        let mut new = std::mem::take(&mut self.messages);
        new.retain(|trouble| !self.shown_messages.contains(trouble));
        self.shown_messages.extend(new.iter().cloned());
        new
    }

    /// Cancels the work on the current state, and waits until it has stopped.
    pub fn interrupt(&mut self) {
        self.interruptions.fetch_add(1, Ordering::Relaxed);
        salsa::Database::trigger_cancellation(&mut self.db);
    }

    pub fn open(&mut self, uri: Url, language: &str, version: i32, text: String) {
        self.interrupt();
        let path = files::path(&uri);
        if is_settings_file(&path) {
            let file = SettingsFile { path, version, text: Arc::new(SourceText::new(text)) };
            Arc::make_mut(&mut self.settings_files).insert(uri, file);
            return;
        }
        // Editors send all files of a language, such as a `Cargo.toml`.
        if path.extension().is_some_and(|extension| extension == "toml") {
            return;
        }
        self.files.name(&path, &path.to_string_lossy());
        let text = Arc::new(SourceText::new(text));
        self.set(&path, Some(&text));
        let file = self.db.known(&path.to_string_lossy()).expect("`set` adds the file");
        let language = match language {
            // VS Code's name, and that of other editors.
            "cuda-cpp" | "cuda" => Some(Dialect::Cuda),
            "hip" => Some(Dialect::Hip),
            _ => None,
        };
        let analysis = self.analysis(&path, language, &mut Project::default());
        let saved = saved(&path, &text);
        let document =
            Document { uri: uri.clone(), saved, path, language, version, text, file, analysis, dirty: false };
        self.documents_mut().insert(uri, document);
    }

    /// Applies edits in order. [`ServerState::flush_edits`] later passes the text to the database.
    pub fn change(&mut self, uri: &Url, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let encoding = self.client.encoding;
        if let Some(file) = Arc::make_mut(&mut self.settings_files).get_mut(uri) {
            for change in changes {
                file.text = Arc::new(encoding.edited(&file.text, change));
            }
            file.version = version;
            return;
        }
        if !self.documents.contains_key(uri) {
            return;
        }
        self.interrupt();
        let Some(document) = self.documents_mut().get_mut(uri) else { return };
        for change in changes {
            document.text = Arc::new(encoding.edited(&document.text, change));
        }
        document.version = version;
        document.dirty = true;
        self.changes += 1;
    }

    /// Whether the database has seen so many changes that a new one would be smaller.
    ///
    /// Values of deleted text are kept for long. Salsa reuses the slot of an unused value only if it finds no older
    /// value that is in use, and most values of headers are older.
    pub fn is_worn(&self) -> bool {
        self.changes >= WORN
    }

    /// Returns a state with the same documents and settings, and an empty database. It shares no database with this
    /// state, so another thread can [fill](ServerState::fill) it while this state changes.
    pub fn successor(&self) -> ServerState {
        ServerState {
            db: Database::new(self.files.clone()),
            files: self.files.clone(),
            documents: self.documents.clone(),
            settings_files: self.settings_files.clone(),
            texts: Arc::default(),
            witnesses: self.witnesses.clone(),
            interruptions: self.interruptions.clone(),
            client: self.client.clone(),
            options: self.options.clone(),
            folders: self.folders.clone(),
            changes: 0,
            builds: HashMap::new(),
            messages: Vec::new(),
            shown_messages: Vec::new(),
        }
    }

    /// Adds the documents of a [successor](ServerState::successor) to its database.
    pub fn fill(&mut self) {
        let all: Vec<Document> = self.documents.values().cloned().collect();
        let mut project = Project::default();
        for document in all {
            self.set_in_database(&document.path, Some(&document.text), Some(&kernel_text(&document.text)));
            let file = self.db.known(&document.path.to_string_lossy()).expect("the database has the file");
            let analysis = self.analysis(&document.path, document.language, &mut project);
            let uri = document.uri.clone();
            self.documents_mut().insert(uri, Document { file, analysis, dirty: false, ..document });
        }
    }

    /// Replaces the database by that of a successor. The documents keep their texts. Work on the old database can
    /// continue. Returns the old database, which takes long to drop.
    ///
    /// Both states need the same documents and settings.
    pub fn adopt(&mut self, successor: ServerState) -> Database {
        let ServerState { db, documents, texts, builds, .. } = successor;
        for (uri, document) in Arc::make_mut(&mut self.documents) {
            let Some(Document { file, analysis, text, .. }) = documents.get(uri) else { continue };
            (document.file, document.analysis) = (*file, analysis.clone());
            document.dirty = !Arc::ptr_eq(&document.text, text);
        }
        (self.texts, self.builds, self.changes) = (texts, builds, 0);
        std::mem::replace(&mut self.db, db)
    }

    pub fn close(&mut self, uri: &Url) {
        if Arc::make_mut(&mut self.settings_files).remove(uri).is_some() {
            return;
        }
        self.interrupt();
        if let Some(document) = self.documents_mut().remove(uri) {
            self.set(&document.path, None);
        }
    }

    /// Updates a file that was changed, created or deleted on disk.
    pub fn changed_on_disk(&mut self, path: &Path) {
        let path = normal(path);
        if !self.documents.values().any(|document| document.path == path) {
            self.set(&path, None);
            return;
        }
        let open = self.documents_mut().values_mut().filter(|document| document.path == path);
        open.for_each(|document| document.saved = saved(&path, &document.text));
    }

    /// Reads the settings of every document again, after a change of settings files or options.
    pub fn reconfigure(&mut self) {
        self.interrupt();
        self.witnesses = Arc::default();
        self.shown_messages.clear();
        let all: Vec<Document> = self.documents.values().cloned().collect();
        let mut project = Project::default();
        for Document { uri, path, language, .. } in all {
            let analysis = self.analysis(&path, language, &mut project);
            if let Some(document) = self.documents_mut().get_mut(&uri) {
                document.analysis = analysis;
            }
        }
    }

    /// Passes all edits to the database.
    pub fn flush_edits(&mut self) {
        let dirty: Vec<Url> = self
            .documents
            .values()
            .filter(|document| document.dirty)
            .map(|document| document.uri.clone())
            .collect();
        for uri in dirty {
            let Some(document) = self.documents_mut().get_mut(&uri) else { continue };
            document.dirty = false;
            let (path, text) = (document.path.clone(), document.text.clone());
            self.set(&path, Some(&text));
        }
    }

    /// Returns a snapshot of the current state. Work on it is cancelled when the state changes.
    pub fn snapshot(&mut self) -> Snapshot {
        self.flush_edits();
        Snapshot {
            db: self.db.clone(),
            documents: self.documents.clone(),
            settings_files: self.settings_files.clone(),
            client: self.client.clone(),
            texts: self.texts.clone(),
            files: self.files.clone(),
            witnesses: self.witnesses.clone(),
            changes: Changes::since_now(&self.interruptions),
        }
    }

    fn documents_mut(&mut self) -> &mut Documents {
        Arc::make_mut(&mut self.documents)
    }

    /// Sets or removes the buffer of the file at a path, under all names of the file.
    fn set(&mut self, path: &Path, buffer: Option<&Arc<SourceText>>) {
        let text = buffer.map(kernel_text);
        self.files.set_buffer(path, text.clone());
        self.set_in_database(path, buffer, text.as_ref());
    }

    /// The same for the database only. `text`: the [`kernel_text`] of the buffer.
    fn set_in_database(&mut self, path: &Path, buffer: Option<&Arc<SourceText>>, text: Option<&Arc<str>>) {
        let names = self.files.names(path);
        if names.is_empty() {
            return;
        }
        let content = text.map_or_else(|| self.files.content(path), |text| Content::Text(text.clone()));
        for name in names {
            // A file that no query has looked up is ignored until it is opened.
            if buffer.is_some() || self.db.known(&name).is_some() {
                let file = self.db.set_content(&name, content.clone());
                match buffer {
                    Some(text) => _ = self.texts.insert(file, text.clone()),
                    None => _ = self.texts.remove(&file),
                }
            }
        }
    }

    /// Returns the analysis of a file. Errors in its project are reported to the user, and the invalid part is ignored.
    fn analysis(&mut self, path: &Path, language: Option<Dialect>, project: &mut Project) -> Arc<Analysis> {
        let inside = self.folders.iter().filter(|folder| path.starts_with(&folder.path));
        let folder = inside.max_by_key(|folder| folder.path.as_os_str().len());
        let options = folder.map_or(&self.options, |folder| &folder.options).clone();
        let mut given = options.given(folder.map(|folder| &*folder.path));
        // Neither the extension nor the content of an unsaved text may show its language.
        if Language::of_source(path) == Language::Opencl {
            given.dialect = given.dialect.or(language);
        }
        let mut wrong = Vec::new();
        let reading = project.reading(Some(path), &given, &mut wrong);
        // Documents of one project have the same errors.
        let new = wrong.iter().map(ToString::to_string).filter(|trouble| !self.messages.contains(trouble));
        self.messages.extend(new.collect::<Vec<_>>());
        // An open file is analysed even if the settings exclude it.
        let SourceSettings { builds, levels, branches, is_excluded: _ } = reading;
        let mut known = |Named { name, build }| {
            let build = match self.builds.get(&build) {
                Some(known) => *known,
                None => {
                    let settings = build.settings(&mut self.db);
                    *self.builds.entry(build).or_insert(settings)
                }
            };
            Named { name, build }
        };
        let build = builds[0].build.clone();
        let builds: Vec<DatabaseBuild> = builds.into_iter().map(&mut known).collect();
        let (settings, model) = builds[0].build;
        let written = written(&given);
        Arc::new(Analysis { settings, model, builds, branches, levels, options, written, build })
    }
}
