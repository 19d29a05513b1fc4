//! The state when a request arrives. Work on a snapshot is cancelled when the state changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use tangle_analysis::lookup::FileContext;
use tangle_diagnostic::{SourceText, SourceTexts};
use tangle_grammar::lexicon::Grammar;
use tangle_project::normal;
use tangle_syntax::db::Database;
use tangle_syntax::items::{TextRange, unit};
use tangle_syntax::source::SourceFile;
use tower_lsp::lsp_types::{Location, Position, Range, Url};

use crate::client::Client;
use crate::files::{self, Files};
use crate::server_state::{Analysis, Document, Documents, SettingsFiles};
use crate::witnesses::Witnesses;

/// The texts of files with their line tables.
pub type Texts = DashMap<SourceFile, Arc<SourceText>>;

pub struct Snapshot {
    pub db: Database,
    pub documents: Arc<Documents>,
    pub settings_files: Arc<SettingsFiles>,
    pub client: Arc<Client>,
    pub texts: Arc<Texts>,
    pub files: Arc<Files>,
    pub witnesses: Arc<Witnesses>,
    pub changes: Changes,
}

/// The changes of the state since the start of some work that uses no snapshot.
#[derive(Clone)]
pub struct Changes {
    all: Arc<AtomicU64>,
    before: u64,
}

impl Changes {
    /// Begins with no change. `all`: the number of changes of the state.
    pub fn since_now(all: &Arc<AtomicU64>) -> Changes {
        Changes { all: all.clone(), before: all.load(Ordering::Relaxed) }
    }

    /// Whether there was a change.
    pub fn any(&self) -> bool {
        self.all.load(Ordering::Relaxed) != self.before
    }
}

impl Snapshot {
    /// Returns an open document, or `None` if it is not open.
    pub fn view(&self, uri: &Url) -> Option<View<'_>> {
        let document = self.documents.get(uri)?;
        let (root, file) = self.root(document);
        Some(View { snapshot: self, db: &self.db, document, analysis: &root.analysis, root: root.file, file })
    }

    /// Returns the root document of a document's unit, and the document's file in that unit. The root of a header is an
    /// open kernel that includes it.
    fn root<'a>(&'a self, document: &'a Document) -> (&'a Document, SourceFile) {
        if !is_header(document) {
            return (document, document.file);
        }
        let names = self.files.names(&document.path);
        let known: Vec<SourceFile> = names.iter().filter_map(|name| self.db.known(name)).collect();
        for other in self.documents.values().filter(|other| !is_header(other)) {
            let unit = unit(&self.db, other.file, other.analysis.settings);
            if let Some(&file) = known.iter().find(|file| unit.0.files.contains(&file.id(&self.db))) {
                return (other, file);
            }
        }
        (document, document.file)
    }

    pub fn text(&self, file: SourceFile) -> Arc<SourceText> {
        if let Some(known) = self.texts.get(&file) {
            return known.clone();
        }
        let text = Arc::new(SourceText::new(&*file.text(&self.db)));
        self.texts.insert(file, text.clone());
        text
    }

    pub fn range(&self, at: &TextRange) -> Range {
        self.client.encoding.range(&self.text(at.file), &at.range)
    }

    /// Returns the location of a text range for the editor, or `None` for pseudo files, which no editor can open.
    pub fn location(&self, at: &TextRange) -> Option<Location> {
        let uri = self.uri(at.file)?;
        Some(Location { uri, range: self.range(at) })
    }

    /// Returns the URI of a file. For an open document it is the editor's URI.
    pub fn uri(&self, file: SourceFile) -> Option<Url> {
        let name = file.path(&self.db);
        let path = normal(std::path::Path::new(&**name));
        let open = self.documents.values().find(|document| document.path == path);
        open.map(|document| document.uri.clone()).or_else(|| files::uri(name))
    }
}

impl SourceTexts for Snapshot {
    fn text(&self, file: &str) -> Option<Arc<SourceText>> {
        Some(Snapshot::text(self, self.db.known(file)?))
    }
}

fn is_header(document: &Document) -> bool {
    let extension = document.path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| files::HEADERS.contains(&extension))
}

/// One document of a snapshot.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub snapshot: &'a Snapshot,
    pub db: &'a Database,
    pub document: &'a Document,
    /// The analysis of the root.
    pub analysis: &'a Analysis,
    /// The main file of the unit of the document.
    pub root: SourceFile,
    /// The document as a file of that unit.
    pub file: SourceFile,
}

impl<'a> View<'a> {
    /// Returns the database, files and settings for queries about the document.
    pub fn reading(&self) -> FileContext<'a> {
        let Analysis { settings, model, .. } = *self.analysis;
        FileContext { db: self.db, root: self.root, file: self.file, settings, model }
    }

    pub fn text(&self) -> &'a SourceText {
        &self.document.text
    }

    /// Whether the text differs from the file on disk. False if there is no such file.
    pub fn is_changed(&self) -> bool {
        let saved = self.document.saved.as_ref();
        saved.is_some_and(|saved| saved.text() != self.document.text.text())
    }

    /// Returns whether the document's language also has host code, which the server does not analyse.
    pub fn has_host_code(&self) -> bool {
        self.analysis.settings.dialect(self.db).lexicon().grammar() == Grammar::Cpp
    }

    /// Returns the byte offset of a position in the document.
    pub fn offset(&self, position: Position) -> usize {
        self.snapshot.client.encoding.offset(self.text(), position)
    }

    pub fn position(&self, offset: usize) -> Position {
        self.snapshot.client.encoding.position(self.text(), offset)
    }

    /// Converts a byte range of the document.
    pub fn range(&self, range: &std::ops::Range<usize>) -> Range {
        self.snapshot.client.encoding.range(self.text(), range)
    }
}
