//! The analysis behind the commands: a database that reads the disk.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use dashmap::DashMap;

use super::analysis::Analysis;
use super::options::{Language, MacroOption, Model as ModelOption};
use super::show::Request;
use super::{facts, lower, module, read, walk};
use crate::db::Database;
use crate::diagnostic::{Diagnostic, SourceText, Sources};
use crate::lint;
use crate::source::{Content, Loader, Macro, Settings};
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
        let paths = |paths: &[std::path::PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
        };
        let macros: Vec<Macro> = language
            .macros
            .iter()
            .map(|option| match option {
                MacroOption::Define(text) => Macro::Define(text),
                MacroOption::Undefine(name) => Macro::Undefine(name),
            })
            .collect();
        let settings = db.settings(
            &paths(&language.include_dirs),
            &macros,
            &paths(&language.include_files),
            language.builtins,
        );
        db.set_uniform(settings, language.uniform);
        let model = match language.model {
            ModelOption::Tangles => Model::Tangles,
            ModelOption::Revised => Model::Revised,
        };
        Session { db, settings, model, texts: Arc::default() }
    }

    /// Puts text at a path, whatever is on the disk.
    pub fn set_text(&mut self, path: &str, text: &str) {
        self.db.set_text(path, text);
        self.texts.remove(path);
    }

    /// Reads a file again that was read or set before.
    pub fn reload(&mut self, path: &str) {
        if self.db.known(path).is_some() {
            self.db.set_content(path, Disk.load(path));
            self.texts.remove(path);
        }
    }

    /// What there is to say of a file that was read or set before; nothing of what is suppressed.
    pub fn lint_known(&self, path: &str) -> Vec<Diagnostic> {
        let file = self.db.known(path);
        let mut found =
            file.map(|file| lint::check(&self.db, file, self.settings, self.model)).unwrap_or_default();
        found.retain(|finding| finding.suppression.is_none());
        found
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
