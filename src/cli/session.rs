//! The analysis behind the commands: a database that reads the disk.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use dashmap::DashMap;
use index_vec::IndexVec;

use super::analysis::Analysis;
use super::module::Shown;
use super::plan::Ways;
use super::show::Request;
use super::simulate::{self, Simulated};
use super::{facts, lower, module};
use crate::db::{Database, Db};
use crate::diagnostic::{Diagnostic, SourceText, Sources};
use crate::lint;
use crate::project::embedded::{self, Embedded, Program};
use crate::project::several::Known;
use crate::project::walk::Input;
use crate::project::{Branches, BuildId, Builds, Language, Named, read, several};
use crate::source::{Content, Loader, Settings, SourceFile};
use crate::syntax::{Census, census, unit};
use crate::tangle::Model;

/// Texts with their lines, as they are on the disk.
type Texts = DashMap<Arc<str>, Arc<SourceText>>;

/// Reads headers from the disk.
#[derive(Default)]
pub(crate) struct Disk {
    texts: Arc<Texts>,
}

impl Loader for Disk {
    fn load(&self, path: &str) -> Content {
        // Only a text can be included: everything else is as good as missing, and `missing-include` says so.
        let Ok(text) = read::file(Path::new(path)) else { return Content::Missing };
        content(&self.texts, path, Arc::new(text))
    }
}

/// What is read of a text. If that is what its literals hold, findings are shown in the text as it is on the disk.
fn content(texts: &Texts, name: &str, text: Arc<SourceText>) -> Content {
    let embedded = match embedded::opencl(text.text()) {
        Cow::Borrowed(text) => return Content::Text(text.into()),
        Cow::Owned(embedded) => embedded,
    };
    texts.insert(name.into(), text);
    Content::Text(embedded.into())
}

/// One run of a command. A clone is a handle on the same database.
#[derive(Clone)]
pub struct Session {
    db: Database,
    builds: Arc<IndexVec<BuildId, (Settings, Model)>>,
    /// Texts with their lines, of the files that findings name.
    texts: Arc<Texts>,
}

impl Session {
    pub fn start(builds: &Builds) -> Session {
        let texts: Arc<Texts> = Arc::default();
        let mut db = Database::new(Arc::new(Disk { texts: texts.clone() }));
        let builds = builds.iter().map(|build| build.settings(&mut db)).collect();
        Session { db, builds: Arc::new(builds), texts }
    }

    fn known(&self, ways: &Ways) -> Vec<Known> {
        let known =
            |named: &Named<BuildId>| Named { name: named.name.clone(), build: self.builds[named.build] };
        ways.builds.iter().map(known).collect()
    }

    /// The file of the database for a file of the command line.
    fn open(&mut self, file: &Input, text: Arc<SourceText>) -> SourceFile {
        let content = content(&self.texts, &file.name, text);
        self.db.open(&file.name, content)
    }

    /// The findings of OpenCL in literals of another language, at their places there.
    fn lint_embedded(
        &self,
        host: &Input,
        builds: &[Known],
        branches: Branches,
        programs: Vec<Program>,
    ) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for (number, Program { start, text, is_incomplete, is_raw }) in programs.into_iter().enumerate() {
            // Programs of one host are sources of their own, beside it for its headers.
            let name = format!("{} [{}]", host.name, number + 1);
            let file = self.db.open(&name, Content::Text(text.into()));
            for mut finding in several::findings(&self.db, file, builds, branches) {
                // What cannot be read may be for want of the values that are not known.
                if is_incomplete && !lint::is_about_threads(finding.rule) {
                    continue;
                }
                if !is_raw {
                    finding.fixes.clear();
                }
                finding.for_each_place(&mut |place| {
                    if *place.file == *name {
                        place.file = host.name.clone();
                        place.range = place.range.start + start..place.range.end + start;
                    }
                });
                all.push(finding);
            }
        }
        all
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
    fn lint(&mut self, file: &Input, ways: &Ways, text: Arc<SourceText>) -> Vec<Diagnostic> {
        let builds = self.known(ways);
        let is_opencl = builds[0].build.0.dialect(&self.db) == Language::Opencl.dialect();
        let is_host = is_opencl && file.path.as_deref().is_some_and(embedded::is_host);
        let Embedded { programs, unread } =
            if is_host { embedded::read(text.text()) } else { Embedded::default() };
        if !programs.is_empty() || !unread.is_empty() {
            self.texts.insert(file.name.clone(), text);
            let mut found = self.lint_embedded(file, &builds, ways.branches, programs);
            let unread = unread.into_iter().map(|unread| (unread.name, unread.range));
            let settings = builds[0].build.0;
            found.extend(lint::unread_literals(&self.db, settings, &file.name, unread));
            return found;
        }
        let file = self.open(file, text);
        several::findings(&self.db, file, &builds, ways.branches)
    }

    fn lint_inactive(&mut self, file: &Input, ways: &Ways, text: Arc<SourceText>) -> Vec<Diagnostic> {
        let builds = self.known(ways);
        let file = self.open(file, text);
        several::further(&self.db, file, &builds, ways.branches)
    }

    fn included(&mut self, file: &Input, ways: &Ways) -> Vec<Arc<str>> {
        let Some(file) = self.db.known(&file.name) else { return Vec::new() };
        let settings = ways.builds.iter().map(|build| self.builds[build.build].0);
        let files = settings.flat_map(|settings| unit(&self.db, file, settings).0.files.to_vec());
        let included = files.filter(|&id| id != file.id(&self.db));
        included.map(|id| self.db.source(id).path(&self.db).clone()).collect()
    }

    fn census(&mut self, file: &Input, ways: &Ways) -> Census {
        let (settings, _) = self.builds[ways.builds[0].build];
        self.db.known(&file.name).map(|file| census(&self.db, file, settings)).unwrap_or_default()
    }

    fn show(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &Request,
        out: &mut dyn Write,
    ) -> Result<Shown, String> {
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
