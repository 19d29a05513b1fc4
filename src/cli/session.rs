//! The analysis of the commands: a database that reads headers from the disk.

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::DashMap;
use index_vec::IndexVec;

use super::analysis::{Analysis, FileToCompare, IncompleteHeader, OtherTexts};
use super::plan::ReadOptions;
use super::requests::{
    Compared, DiffError, DiffFilesRequest, LowerError, LowerRequest, ShowError, ShowRequest, Shown,
    SimulateError, SimulateRequest, Simulated,
};
use super::{diff, facts, module, simulate};
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, SourceText, SourceTexts};
use tangle_execution::witness;
use tangle_hir::scope::reach::{HeaderReach, incomplete_headers};
use tangle_project::build_findings::DatabaseBuild;
use tangle_project::embedded::{self, Embedded, Program};
use tangle_project::paths::absolute;
use tangle_project::walk::Input;
use tangle_project::{BuildId, Builds, Language, Named, build_findings, read};
use tangle_rules as lint;
use tangle_syntax::db::{Database, Db};
use tangle_syntax::items::{FileCounts, census, chunks, unit};
use tangle_syntax::preprocess::Part;
use tangle_syntax::source::{Content, Loader, Settings, SourceFile};

/// The texts of files as on the disk, by name.
type Texts = DashMap<Arc<str>, Arc<SourceText>>;

/// Reads headers from the disk.
#[derive(Default)]
pub(crate) struct Disk {
    texts: Arc<Texts>,
    /// Texts that replace files on the disk.
    other: Arc<OtherTexts>,
}

impl Loader for Disk {
    fn load(&self, path: &str) -> Content {
        // Only text can be included. Any other file counts as missing, and `missing-include` reports it.
        let text = match other_text(&self.other, Path::new(path)) {
            Some(Some(text)) => SourceText::new(&*text),
            Some(None) => return Content::Missing,
            None => match read::file(Path::new(path)) {
                Ok(text) => text,
                Err(_) => return Content::Missing,
            },
        };
        content(&self.texts, path, Arc::new(text))
    }
}

/// Returns the text that replaces a file on the disk, if there is one. `Some(None)`: the file counts as missing.
pub(super) fn other_text(other: &OtherTexts, path: &Path) -> Option<Option<Arc<str>>> {
    if other.is_empty() {
        return None;
    }
    let path = absolute(path);
    // The path can contain links, and the keys are real paths. If the file exists only in `other`, resolve its folder.
    let real = || {
        let in_folder = || Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
        fs::canonicalize(&path).ok().or_else(in_folder).and_then(|real| other.get(&real))
    };
    other.get(&path).or_else(real).cloned()
}

/// Returns the OpenCL code in a text. If it is the content of literals, stores the text as on the disk, for output of
/// findings.
fn content(texts: &Texts, name: &str, text: Arc<SourceText>) -> Content {
    let embedded = match embedded::opencl(text.text()) {
        Cow::Borrowed(text) => return Content::Text(text.into()),
        Cow::Owned(embedded) => embedded,
    };
    texts.insert(name.into(), text);
    Content::Text(embedded.into())
}

/// The number of items that one database may analyse, summed over files, before a new database replaces it. The facts
/// about an item depend on the declarations before it. Each file that includes the item after other declarations
/// therefore adds facts: at most about 5 kB per item.
const MAX_ITEMS: usize = 80_000;

/// The analysis of one run of a command. A clone is a handle to the same database.
#[derive(Clone)]
pub struct Session {
    db: Database,
    given: Arc<Builds>,
    builds: Arc<Built>,
    /// The texts of the files that findings name.
    texts: Arc<Texts>,
    /// Texts that replace files on the disk.
    other: Arc<OtherTexts>,
    /// The texts that earlier databases read.
    read_before: Arc<DashMap<Arc<str>, Arc<str>>>,
    /// The number of items of all files that this database has linted. Items of headers count for each file.
    items: Arc<AtomicUsize>,
}

/// The builds of a run, as inputs of a database.
type Built = IndexVec<BuildId, (Settings, Model)>;

/// Returns a new database, and the builds as its inputs.
fn begin(builds: &Builds, texts: &Arc<Texts>, other: &Arc<OtherTexts>) -> (Database, Arc<Built>) {
    let mut db = Database::new(Arc::new(Disk { texts: texts.clone(), other: other.clone() }));
    let builds = builds.iter().map(|build| build.settings(&mut db)).collect();
    (db, Arc::new(builds))
}

impl Session {
    pub fn start(given: &Builds) -> Session {
        Session::with(given, Arc::default())
    }

    fn with(given: &Builds, other: Arc<OtherTexts>) -> Session {
        let texts: Arc<Texts> = Arc::default();
        let (db, builds) = begin(given, &texts, &other);
        let given = Arc::new(given.clone());
        Session { db, given, builds, texts, other, read_before: Arc::default(), items: Arc::default() }
    }

    /// Starts a new database with the same builds. The texts that the old database read stay available for output.
    fn renew(&mut self) {
        self.items.store(0, Ordering::Relaxed);
        for file in self.db.files() {
            self.read_before.insert(file.path(&self.db).clone(), file.text(&self.db));
        }
        (self.db, self.builds) = begin(&self.given, &self.texts, &self.other);
    }

    /// Adds the items of a linted file to the count.
    fn count(&self, file: SourceFile, builds: &[DatabaseBuild]) {
        let items = |settings| {
            let chunks = chunks(unit(&self.db, file, settings));
            let is_item = |part: &&Part| matches!(part, Part::Item { .. });
            chunks.iter().map(|chunk| chunk.parts.iter().filter(is_item).count()).sum::<usize>()
        };
        let items: usize = builds.iter().map(|known| items(known.build.0)).sum();
        self.items.fetch_add(items, Ordering::Relaxed);
    }

    fn known(&self, read_options: &ReadOptions) -> Vec<DatabaseBuild> {
        let known =
            |named: &Named<BuildId>| Named { name: named.name.clone(), build: self.builds[named.build] };
        read_options.builds.iter().map(known).collect()
    }

    /// Opens a file of the command line in the database.
    fn open(&mut self, file: &Input, text: Arc<SourceText>) -> SourceFile {
        let content = content(&self.texts, &file.name, text);
        self.db.open(&file.name, content)
    }

    /// Returns the findings of OpenCL programs in the string literals of a host file, with locations in the host file.
    fn lint_embedded(
        &self,
        host: &Input,
        builds: &[DatabaseBuild],
        read_options: &ReadOptions,
        programs: Vec<Program>,
    ) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for (number, Program { start, text, is_incomplete, is_raw }) in programs.into_iter().enumerate() {
            // Each program is a separate source, in the folder of the host file so that its headers are found.
            let name = format!("{} [{}]", host.name, number + 1);
            let file = self.db.open(&name, Content::Text(text.into()));
            for mut finding in
                build_findings::findings(&self.db, file, builds, read_options.branches, read_options.fixes())
            {
                // Other findings can result from the unknown parts of the program.
                if is_incomplete && !lint::is_about_execution(finding.rule) {
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

impl SourceTexts for Session {
    fn text(&self, file: &str) -> Option<Arc<SourceText>> {
        if let Some(known) = self.texts.get(file) {
            return Some(known.clone());
        }
        let text = match self.db.known(file) {
            Some(known) => known.text(&self.db),
            None => self.read_before.get(file)?.clone(),
        };
        let text = Arc::new(SourceText::new(text.to_string()));
        self.texts.insert(file.into(), text.clone());
        Some(text)
    }
}

impl Analysis for Session {
    fn lint(&mut self, file: &Input, read_options: &ReadOptions, text: Arc<SourceText>) -> Vec<Diagnostic> {
        let builds = self.known(read_options);
        let is_opencl = builds[0].build.0.dialect(&self.db) == Language::Opencl.dialect();
        let is_host = is_opencl && file.path.as_deref().is_some_and(embedded::is_host);
        let Embedded { programs, unread } =
            if is_host { embedded::read(text.text()) } else { Embedded::default() };
        if !programs.is_empty() || !unread.is_empty() {
            self.texts.insert(file.name.clone(), text);
            let mut found = self.lint_embedded(file, &builds, read_options, programs);
            let unread = unread.into_iter().map(|unread| (unread.name, unread.range));
            let settings = builds[0].build.0;
            found.extend(lint::unread_literals(&self.db, settings, &file.name, unread));
            return found;
        }
        let file = self.open(file, text.clone());
        // Lines of a literal are in quotes, which fixes do not add.
        let is_literal = *file.text(&self.db) != *text.text();
        let fixes = read_options.fixes().filter(|_| !is_literal);
        let mut found = build_findings::findings(&self.db, file, &builds, read_options.branches, fixes);
        if is_literal {
            found.iter_mut().for_each(|finding| finding.fixes.clear());
        }
        self.count(file, &builds);
        found
    }

    fn lint_inactive(
        &mut self,
        file: &Input,
        read_options: &ReadOptions,
        text: Arc<SourceText>,
    ) -> Vec<Diagnostic> {
        let builds = self.known(read_options);
        let file = self.open(file, text);
        let found =
            build_findings::further(&self.db, file, &builds, read_options.branches, read_options.fixes());
        self.count(file, &builds);
        found
    }

    fn included(&mut self, file: &Input, read_options: &ReadOptions) -> Vec<Arc<str>> {
        let Some(file) = self.db.known(&file.name) else { return Vec::new() };
        let settings = read_options.builds.iter().map(|build| self.builds[build.build].0);
        let files = settings.flat_map(|settings| unit(&self.db, file, settings).0.files.to_vec());
        let included = files.filter(|&id| id != file.id(&self.db));
        included.map(|id| self.db.source(id).path(&self.db).clone()).collect()
    }

    fn incomplete_headers(&mut self, file: &Input, read_options: &ReadOptions) -> Vec<IncompleteHeader> {
        let Some(file) = self.db.known(&file.name) else { return Vec::new() };
        let settings = read_options.builds.iter().map(|build| self.builds[build.build].0);
        let headers = settings.flat_map(|settings| incomplete_headers(&self.db, file, settings));
        headers
            .map(|HeaderReach { header, is_reached }| IncompleteHeader {
                name: self.db.source(header).path(&self.db).clone(),
                is_reached,
            })
            .collect()
    }

    fn census(&mut self, file: &Input, read_options: &ReadOptions) -> FileCounts {
        let (settings, _) = self.builds[read_options.builds[0].build];
        self.db.known(&file.name).map(|file| census(&self.db, file, settings)).unwrap_or_default()
    }

    fn find_witnesses(&mut self, file: &Input, build: BuildId, command: &str, findings: &mut [Diagnostic]) {
        let Some(file) = self.db.known(&file.name) else { return };
        let (settings, model) = self.builds[build];
        witness::search(&self.db, file, settings, model, command, None, findings);
    }

    fn show(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &ShowRequest,
        out: &mut dyn Write,
    ) -> Result<Shown, ShowError> {
        let file = self.open(file, text);
        let (settings, model) = self.builds[build];
        facts::show(&self.db, file, settings, model, request, out)
    }

    fn lower(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &LowerRequest,
        out: &mut dyn Write,
    ) -> Result<Vec<Diagnostic>, LowerError> {
        let file = self.open(file, text);
        let (settings, model) = self.builds[build];
        module::lower(&self.db, file, settings, model, request, out)
    }

    fn simulate(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &SimulateRequest,
        out: &mut dyn Write,
    ) -> Result<Simulated, SimulateError> {
        let file = self.open(file, text);
        let (settings, model) = self.builds[build];
        simulate::execute(&self.db, file, settings, model, request, out)
    }

    fn diff(
        &mut self,
        old: &FileToCompare,
        new: &FileToCompare,
        request: &DiffFilesRequest,
        out: &mut dyn Write,
    ) -> Result<Compared, DiffError> {
        let open = |session: &mut Session, it: &FileToCompare| {
            let file = session.open(&it.file, it.text.clone());
            let (settings, model) = session.builds[it.build];
            diff::Side { file, settings, model, text: it.text.clone() }
        };
        let (old, new) = (open(self, old), open(self, new));
        diff::compare_files(&self.db, [&old, &new], request, out)
    }

    fn with_texts(&self, texts: Arc<OtherTexts>) -> Session {
        Session::with(&self.given, texts)
    }

    fn rest(&mut self) {
        match self.items.load(Ordering::Relaxed) > MAX_ITEMS {
            true => self.renew(),
            false => salsa::Database::trigger_lru_eviction(&mut self.db),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tangle_project::Build;

    /// A new database gives the same findings, and the texts that the old database read stay available for output.
    #[test]
    fn new_database_gives_the_same_findings() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("wait.h"), "void wait(int n) {\n  if (get_local_id(0) < n)\n    barrier(1);\n}\n")
            .unwrap();
        let kernel = "#include \"wait.h\"\nkernel void k(int n) { wait(n); }\n";
        fs::write(path("k.cl"), kernel).unwrap();
        let mut builds = Builds::default();
        let read_options = ReadOptions::from(builds.add(Build::default()));
        let mut session = Session::start(&builds);
        let file = Input::named(&path("k.cl"));
        let lint = |session: &mut Session| {
            let found = session.lint(&file, &read_options, Arc::new(SourceText::new(kernel)));
            found
                .iter()
                .map(|it| (it.rule, it.place.file.clone(), it.place.range.clone()))
                .collect::<Vec<_>>()
        };
        let found = lint(&mut session);
        let header = &found[0].1;
        assert!(header.ends_with("wait.h"), "{found:?}");
        session.renew();
        assert!(session.db.known(header).is_none());
        assert!(session.text(header).unwrap().text().contains("get_local_id"));
        assert_eq!(lint(&mut session), found);
    }
}
