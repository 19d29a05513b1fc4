//! The analysis behind the commands: a database that reads the disk.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use dashmap::DashMap;

use super::analysis::Analysis;
use super::options::Language;
use super::show::Request;
use super::{facts, lower, module, read, walk};
use crate::db::Database;
use crate::diagnostic::{Diagnostic, SourceText, Sources};
use crate::lint;
use crate::source::{Content, Loader, Settings};
use crate::tangle::Model;

/// Reads headers from the disk.
struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Content {
        // Only a text can be included: everything else is as good as missing, and `missing-include` says so.
        match read::file(Path::new(path)) {
            Ok(text) => Content::Text(text.text().into()),
            Err(_) => Content::Missing,
        }
    }
}

/// One run of a command. A clone is a handle on the same database.
#[derive(Clone)]
pub struct Session {
    db: Database,
    settings: Settings,
    model: Model,
    /// Texts with their lines, of the files that findings name.
    texts: Arc<DashMap<Arc<str>, Arc<SourceText>>>,
}

impl Session {
    pub fn start(language: Language) -> Session {
        let mut db = Database::new(Arc::new(Disk));
        let (settings, model) = language.settings(&mut db);
        Session { db, settings, model, texts: Arc::default() }
    }

    /// The file of the database for a file of the command line.
    fn open(&mut self, file: &walk::SourceFile, text: Arc<SourceText>) -> crate::source::SourceFile {
        let content = Content::Text(text.text().into());
        self.db.open(&file.name, content)
    }
}

impl Sources for Session {
    fn text(&self, file: &str) -> Option<Arc<SourceText>> {
        if let Some(known) = self.texts.get(file) {
            return Some(known.clone());
        }
        let text = Arc::new(SourceText::new(self.db.known(file)?.text(&self.db).to_string()));
        self.texts.insert(file.into(), text.clone());
        Some(text)
    }
}

impl Analysis for Session {
    fn lint(&mut self, file: &walk::SourceFile, text: Arc<SourceText>) -> Vec<Diagnostic> {
        let file = self.open(file, text);
        lint::check(&self.db, file, self.settings, self.model)
    }

    fn show(
        &mut self,
        file: &walk::SourceFile,
        text: Arc<SourceText>,
        request: &Request,
        out: &mut dyn Write,
    ) -> Result<(), String> {
        let file = self.open(file, text);
        facts::show(&self.db, file, self.settings, self.model, request, out)
    }

    fn lower(
        &mut self,
        file: &walk::SourceFile,
        text: Arc<SourceText>,
        request: &lower::Request,
        out: &mut dyn Write,
    ) -> Result<Vec<Diagnostic>, String> {
        let file = self.open(file, text);
        module::lower(&self.db, file, self.settings, self.model, request, out)
    }

    fn rest(&mut self) {
        salsa::Database::trigger_lru_eviction(&mut self.db);
    }
}
