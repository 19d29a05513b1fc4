//! The state of the server: open documents, the database, and the settings of each file. Only the owner thread changes
//! it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tangle_analysis::tangle::Model;
use tangle_diagnostic::SourceText;
use tangle_project::embedded;
use tangle_project::levels::Levels;
use tangle_project::several::Known;
use tangle_project::{Branches, Build, Dialect, Language, Named, Project, Reading, normal};
use tangle_syntax::db::Database;
use tangle_syntax::source::{Content, Settings, SourceFile};
use tower_lsp::lsp_types::{TextDocumentContentChangeEvent, Url};

use crate::client::Client;
use crate::files::{self, Files};
use crate::options::Options;
use crate::snapshot::{Snapshot, Texts};

/// How a document is analysed.
#[derive(Debug)]
pub struct Analysis {
    /// Those of the first build: everything except findings is shown for this build.
    pub settings: Settings,
    pub model: Model,
    /// All builds, for the findings. Never empty.
    pub builds: Vec<Known>,
    /// Whether text is looked at that conditions leave out.
    pub branches: Branches,
    /// How much the findings of rules matter, where it is not the default.
    pub levels: Levels,
    /// The settings of the editor for this document.
    pub options: Arc<Options>,
}

/// A file that is open in the editor.
#[derive(Clone, Debug)]
pub struct Document {
    pub uri: Url,
    pub path: PathBuf,
    /// The language that the editor takes it for, if that is one with devices.
    language: Option<Dialect>,
    pub version: i32,
    pub text: Arc<SourceText>,
    pub file: SourceFile,
    pub analysis: Arc<Analysis>,
    /// The text is newer than that of the database.
    dirty: bool,
}

pub type Documents = BTreeMap<Url, Document>;

/// A folder of the workspace, with its settings.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    pub path: PathBuf,
    pub options: Arc<Options>,
}

pub struct World {
    db: Database,
    files: Arc<Files>,
    documents: Arc<Documents>,
    texts: Arc<Texts>,
    pub client: Arc<Client>,
    /// The settings for files outside all folders.
    pub options: Arc<Options>,
    pub folders: Vec<Folder>,
    /// Changes since the database was made.
    changes: usize,
    /// The settings of the database for each build.
    builds: HashMap<Build, (Settings, Model)>,
    /// The messages for the user, and the messages that were shown before.
    troubles: Vec<String>,
    told: Vec<String>,
}

impl World {
    pub fn new() -> World {
        let files = Arc::new(Files::default());
        World {
            db: Database::new(files.clone()),
            files,
            documents: Arc::default(),
            texts: Arc::default(),
            client: Arc::default(),
            options: Arc::default(),
            folders: Vec::new(),
            changes: 0,
            builds: HashMap::new(),
            troubles: Vec::new(),
            told: Vec::new(),
        }
    }

    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// The messages for the user that were not shown before.
    pub fn take_troubles(&mut self) -> Vec<String> {
        let mut new = std::mem::take(&mut self.troubles);
        new.retain(|trouble| !self.told.contains(trouble));
        self.told.extend(new.iter().cloned());
        new
    }

    /// Stops what works on the present state, and waits until it has stopped.
    pub fn interrupt(&mut self) {
        salsa::Database::trigger_cancellation(&mut self.db);
    }

    pub fn open(&mut self, uri: Url, language: &str, version: i32, text: String) {
        self.interrupt();
        let path = files::path(&uri);
        self.files.name(&path, &path.to_string_lossy());
        let text = Arc::new(SourceText::new(text));
        self.set(&path, Some(&text));
        let file = self.db.known(&path.to_string_lossy()).expect("its text was just set");
        let language = match language {
            // VS Code's name, and that of other editors.
            "cuda-cpp" | "cuda" => Some(Dialect::Cuda),
            "hip" => Some(Dialect::Hip),
            _ => None,
        };
        let analysis = self.analysis(&path, language, &mut Project::default());
        let document =
            Document { uri: uri.clone(), path, language, version, text, file, analysis, dirty: false };
        self.documents_mut().insert(uri, document);
    }

    /// Applies edits in their order. The database learns of them with the next [`World::settle`].
    pub fn change(&mut self, uri: &Url, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let encoding = self.client.encoding;
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
    /// Values of deleted text are kept for long: salsa reuses the place of an unused value only if it finds no older
    /// value that is in use, and most values of headers are older.
    pub fn is_worn(&self, changes: usize) -> bool {
        self.changes >= changes
    }

    /// Begins anew with an empty database. Everything that is known of files is found out again, when it is asked for.
    pub fn renew(&mut self) {
        self.interrupt();
        self.db = Database::new(self.files.clone());
        self.texts = Arc::default();
        self.builds.clear();
        self.changes = 0;
        let all: Vec<Document> = self.documents.values().cloned().collect();
        let mut project = Project::default();
        for document in all {
            self.set(&document.path, Some(&document.text));
            let file = self.db.known(&document.path.to_string_lossy()).expect("its text was just set");
            let analysis = self.analysis(&document.path, document.language, &mut project);
            let uri = document.uri.clone();
            self.documents_mut().insert(uri, Document { file, analysis, dirty: false, ..document });
        }
    }

    pub fn close(&mut self, uri: &Url) {
        self.interrupt();
        if let Some(document) = self.documents_mut().remove(uri) {
            self.set(&document.path, None);
        }
    }

    /// A file changed on the disk, or came, or went.
    pub fn changed_on_disk(&mut self, path: &Path) {
        let path = normal(path);
        if !self.documents.values().any(|document| document.path == path) {
            self.set(&path, None);
        }
    }

    /// Configurations may say something else now: every document is looked at again.
    pub fn reconfigure(&mut self) {
        self.interrupt();
        self.told.clear();
        let all: Vec<Document> = self.documents.values().cloned().collect();
        let mut project = Project::default();
        for Document { uri, path, language, .. } in all {
            let analysis = self.analysis(&path, language, &mut project);
            if let Some(document) = self.documents_mut().get_mut(&uri) {
                document.analysis = analysis;
            }
        }
    }

    /// Tells the database of all edits.
    pub fn settle(&mut self) {
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

    /// The current state. Work on it ends when the state changes.
    pub fn snapshot(&mut self) -> Snapshot {
        self.settle();
        Snapshot {
            db: self.db.clone(),
            documents: self.documents.clone(),
            client: self.client.clone(),
            texts: self.texts.clone(),
            files: self.files.clone(),
        }
    }

    fn documents_mut(&mut self) -> &mut Documents {
        Arc::make_mut(&mut self.documents)
    }

    /// Puts a buffer over the file at a path, or takes it away, under all names that the file has.
    fn set(&mut self, path: &Path, buffer: Option<&Arc<SourceText>>) {
        // A kernel in a literal keeps its position in the document.
        let opencl = |text: &Arc<SourceText>| Arc::from(&*embedded::opencl(text.text()));
        self.files.set_buffer(path, buffer.map(opencl));
        let names = self.files.names(path);
        if names.is_empty() {
            return;
        }
        let content: Content = self.files.content(path);
        for name in names {
            // A file that nothing ever looked for is of no interest before it is opened.
            if buffer.is_some() || self.db.known(&name).is_some() {
                let file = self.db.set_content(&name, content.clone());
                match buffer {
                    Some(text) => _ = self.texts.insert(file, text.clone()),
                    None => _ = self.texts.remove(&file),
                }
            }
        }
    }

    /// The analysis of a file. Errors in its project are reported to the user, and the invalid part is ignored.
    fn analysis(&mut self, path: &Path, language: Option<Dialect>, project: &mut Project) -> Arc<Analysis> {
        let inside = self.folders.iter().filter(|folder| path.starts_with(&folder.path));
        let folder = inside.max_by_key(|folder| folder.path.as_os_str().len());
        let options = folder.map_or(&self.options, |folder| &folder.options).clone();
        let mut given = options.given(folder.map(|folder| &*folder.path));
        // A text that was never saved has neither a name nor a content that tells more.
        if Language::of_source(path) == Language::Opencl {
            given.dialect = given.dialect.or(language);
        }
        let mut wrong = Vec::new();
        let reading = project.reading(Some(path), &given, &mut wrong);
        // Documents of one project have the same troubles.
        let new = wrong.iter().map(ToString::to_string).filter(|trouble| !self.troubles.contains(trouble));
        self.troubles.extend(new.collect::<Vec<_>>());
        // Whoever opens a file means it.
        let Reading { builds, levels, branches, is_excluded: _ } = reading;
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
        let builds: Vec<Known> = builds.into_iter().map(&mut known).collect();
        let (settings, model) = builds[0].build;
        Arc::new(Analysis { settings, model, builds, branches, levels, options })
    }
}
