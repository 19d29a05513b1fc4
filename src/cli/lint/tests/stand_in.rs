//! An analysis that stands in for the real one: the words `WARN`, `ERROR` and `NOTE` are findings, and `PANIC` panics.
//! Also runs the command with it in a temporary folder.

use std::collections::HashMap;
use std::fs;

use expect_test::Expect;

use super::super::super::analysis::{FileToCompare, OtherTexts};
use super::super::super::output::Output;
use super::super::super::plan::ReadOptions;
use super::super::super::requests::{
    Compared, DiffError, DiffFilesRequest, LowerError, LowerRequest, ShowError, ShowRequest, Shown,
    SimulateError, SimulateRequest, Simulated,
};
use super::super::*;
use tangle_diagnostic::{Evidence, Place, Severity};
use tangle_project::BuildId;
use tangle_syntax::items::FileCounts;

#[derive(Clone, Default)]
pub(crate) struct Words {
    texts: Arc<Mutex<HashMap<String, Arc<SourceText>>>>,
}

impl SourceTexts for Words {
    fn text(&self, file: &str) -> Option<Arc<SourceText>> {
        self.texts.lock().unwrap().get(file).cloned()
    }
}

impl Analysis for Words {
    fn incomplete_headers(&mut self, _: &Input, _: &ReadOptions) -> Vec<IncompleteHeader> {
        Vec::new()
    }

    fn lint(&mut self, file: &Input, _: &ReadOptions, text: Arc<SourceText>) -> Vec<Diagnostic> {
        self.texts.lock().unwrap().insert(file.name.to_string(), text.clone());
        assert!(!text.text().contains("PANIC"), "simulated internal error");
        let rules = [
            ("NOTE", "missing-include", Severity::Note),
            ("WARN", "implementation-defined-convergence", Severity::Warning),
            ("ERROR", "syntax-error", Severity::Error),
        ];
        let find = |(word, rule, severity): (&'static str, _, _)| {
            let starts: Vec<usize> = text.text().match_indices(word).map(|(start, _)| start).collect();
            starts.into_iter().map(move |start| {
                let place = Place::new(file.name.clone(), start..start + word.len());
                Diagnostic::new(rule, severity, place, format!("found {word}"))
            })
        };
        rules.into_iter().rev().flat_map(find).collect()
    }

    fn lint_inactive(&mut self, _: &Input, _: &ReadOptions, _: Arc<SourceText>) -> Vec<Diagnostic> {
        Vec::new()
    }

    fn included(&mut self, file: &Input, _: &ReadOptions) -> Vec<Arc<str>> {
        let text = std::fs::read_to_string(&*file.name).unwrap_or_default();
        let name = |line: &str| Some(line.strip_prefix("#include \"")?.trim_end_matches('"').to_owned());
        let folder = std::path::Path::new(&*file.name).parent().unwrap();
        text.lines().filter_map(name).map(|name| folder.join(name).to_string_lossy().into()).collect()
    }

    fn census(&mut self, _: &Input, _: &ReadOptions) -> FileCounts {
        FileCounts::default()
    }

    fn with_texts(&self, _: Arc<OtherTexts>) -> Words {
        Words::default()
    }

    fn find_witnesses(&mut self, _: &Input, _: BuildId, _: &str, findings: &mut [Diagnostic]) {
        for finding in findings {
            finding.evidence = Some(Evidence::NotConfirmed { executions: 3 });
        }
    }

    fn show(
        &mut self,
        file: &Input,
        _: BuildId,
        text: Arc<SourceText>,
        request: &ShowRequest,
        out: &mut dyn Write,
    ) -> Result<Shown, ShowError> {
        write!(out, "{:?} of {}: {}", request.what, file.name, text.text()).map_err(OutputError)?;
        Ok(Shown::Whole)
    }

    fn lower(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &LowerRequest,
        out: &mut dyn Write,
    ) -> Result<Vec<Diagnostic>, LowerError> {
        let found = self.lint(file, &build.into(), text.clone());
        if found.is_empty() {
            write!(out, "{:?} of {}: {}", request.emit, file.name, text.text()).map_err(OutputError)?;
        }
        Ok(found)
    }

    fn simulate(
        &mut self,
        file: &Input,
        build: BuildId,
        text: Arc<SourceText>,
        request: &SimulateRequest,
        out: &mut dyn Write,
    ) -> Result<Simulated, SimulateError> {
        let found = self.lint(file, &build.into(), text.clone());
        if !found.is_empty() {
            return Ok(Simulated::NotLowered(found));
        }
        write!(out, "{:?} of {}: {}", request.format, file.name, text.text()).map_err(OutputError)?;
        Ok(Simulated::Ran { clean: true })
    }

    fn diff(
        &mut self,
        old: &FileToCompare,
        new: &FileToCompare,
        _: &DiffFilesRequest,
        out: &mut dyn Write,
    ) -> Result<Compared, DiffError> {
        let [old, new] = [old, new].map(|it| it.text.text());
        write!(out, "{old} and {new}").map_err(OutputError)?;
        Ok(if old == new { Compared::NoDifference } else { Compared::Difference })
    }
}

/// A temporary folder, removed after the test.
pub(crate) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("tangle-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Folder(folder)
    }

    pub(crate) fn path(&self, file: &str) -> String {
        self.0.join(file).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the command, and replaces the name of the folder in the output by `DIR`.
pub(crate) fn tangle(folder: &Folder, stdin: &str, args: &[&str]) -> (Status, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut input = stdin.as_bytes();
    let mut streams = Streams {
        input: &mut input,
        out: Output::new(&mut out),
        err: Output::new(&mut err),
        terminal: Terminal::default(),
        err_terminal: Terminal::default(),
        progress: false,
        in_github_workflow: false,
    };
    let status = super::super::super::run(["tangle"].iter().chain(args), &mut streams, |_| Words::default());
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(folder.0.to_str().unwrap(), "DIR");
    (status, text(out), text(err))
}

pub(crate) fn check(folder: &Folder, args: &[&str], expected: Expect) {
    let (status, out, err) = tangle(folder, "", args);
    expected.assert_eq(&format!("{out}--- stderr\n{err}--- {status:?}\n"));
}
