//! The analysis behind the commands: a database that reads the disk.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use dashmap::DashMap;
use index_vec::IndexVec;

use super::analysis::Analysis;
use super::show::Request;
use super::simulate::{self, Simulated};
use super::{facts, lower, module};
use crate::db::Database;
use crate::diagnostic::{Diagnostic, SourceText, Sources};
use crate::lint;
use crate::project::walk::Input;
use crate::project::{BuildId, Builds, read};
use crate::source::{Content, Loader, Settings, SourceFile};
use crate::tangle::Model;

/// Reads headers from the disk.
pub(crate) struct Disk;

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
    builds: Arc<IndexVec<BuildId, (Settings, Model)>>,
    /// Texts with their lines, of the files that findings name.
    texts: Arc<DashMap<Arc<str>, Arc<SourceText>>>,
}

impl Session {
    pub fn start(builds: &Builds) -> Session {
        let mut db = Database::new(Arc::new(Disk));
        let builds = builds.iter().map(|build| build.settings(&mut db)).collect();
        Session { db, builds: Arc::new(builds), texts: Arc::default() }
    }

    /// The file of the database for a file of the command line.
    fn open(&mut self, file: &Input, text: Arc<SourceText>) -> SourceFile {
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
    fn lint(&mut self, file: &Input, build: BuildId, text: Arc<SourceText>) -> Vec<Diagnostic> {
        let file = self.open(file, text);
        let (settings, model) = self.builds[build];
        lint::check(&self.db, file, settings, model)
    }

    fn show(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &Request,
        out: &mut dyn Write,
    ) -> Result<(), String> {
        let file = self.open(file, text);
        let (settings, model) = self.builds[build];
        facts::show(&self.db, file, settings, model, request, out)
    }

    fn lower(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &lower::Request,
        out: &mut dyn Write,
    ) -> Result<Vec<Diagnostic>, String> {
        let file = self.open(file, text);
        let (settings, model) = self.builds[build];
        module::lower(&self.db, file, settings, model, request, out)
    }

    fn simulate(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &simulate::Request,
        out: &mut dyn Write,
    ) -> Result<Simulated, String> {
        let file = self.open(file, text);
        let (settings, model) = self.builds[build];
        simulate::execute(&self.db, file, settings, model, request, out)
    }

    fn rest(&mut self) {
        salsa::Database::trigger_lru_eviction(&mut self.db);
    }
}
