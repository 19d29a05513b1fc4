//! The plan of a run: how each file is read. It is complete before the first file is read.

use std::path::Path;

use thiserror::Error;

use tangle_diagnostic::Severity;
use tangle_project::build_findings::WantedFixes;
use tangle_project::levels::{FailOn, Levels};
use tangle_project::walk::Input;
use tangle_project::{
    Branches, BuildId, Builds, Named, Project, SettingsError, SourceSettings, UserSettings, normal,
};

/// Settings files are invalid or cannot be read.
#[derive(Debug, Error)]
#[error("{}", lines(.0))]
pub struct InvalidSettings(pub Vec<SettingsError>);

fn lines(troubles: &[SettingsError]) -> String {
    troubles.iter().map(SettingsError::to_string).collect::<Vec<_>>().join("\n")
}

/// A file that will be analysed.
#[derive(Debug)]
pub struct Planned {
    pub input: Input,
    pub read_options: ReadOptions,
}

/// How a file is read: with which builds, inactive branches and levels of rules.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Never empty.
    pub builds: Vec<Named<BuildId>>,
    /// The inactive `#if` branches to check.
    pub branches: Branches,
    pub levels: Levels,
    /// The lowest severity of findings that include their fixes. `None`: no finding includes any.
    pub fixes_from: Option<Severity>,
}

impl ReadOptions {
    /// Returns the findings that include their fixes.
    pub fn fixes(&self) -> Option<WantedFixes<'_>> {
        Some(WantedFixes { levels: &self.levels, least: self.fixes_from? })
    }

    /// Returns the first build, for operations that use only one build.
    pub fn first(&self) -> BuildId {
        self.builds[0].build
    }
}

impl From<BuildId> for ReadOptions {
    fn from(build: BuildId) -> ReadOptions {
        ReadOptions {
            builds: vec![Named { name: None, build }],
            branches: Branches::Active,
            levels: Levels::default(),
            fixes_from: None,
        }
    }
}

#[derive(Debug, Default)]
pub struct Plan {
    /// In the order of the inputs.
    pub files: Vec<Planned>,
    pub builds: Builds,
    pub fail_on: FailOn,
    /// The number of inputs that the settings exclude.
    pub excluded: usize,
}

impl Plan {
    /// Returns the plan for the found files. `first`: the first path of the command line, whose settings determine
    /// `fail_on`.
    ///
    /// # Errors
    ///
    /// The settings of one of the files are invalid.
    pub fn new(inputs: Vec<Input>, first: &Path, given: &UserSettings) -> Result<Plan, InvalidSettings> {
        let mut project = Project::default();
        let mut wrong = Vec::new();
        let mut plan = Plan { fail_on: project.fail_on(first, given, &mut wrong), ..Plan::default() };
        for mut input in inputs {
            if let (None, Some(path)) = (&input.path, &given.stdin_filename) {
                input.name = normal(path).to_string_lossy().into();
            }
            let source = input.path.as_deref().or(given.stdin_filename.as_deref());
            let reading = project.reading(source, given, &mut wrong);
            let SourceSettings { builds, levels, branches, is_excluded } = reading;
            if is_excluded && !input.is_named {
                plan.excluded += 1;
                continue;
            }
            let add = |Named { name, build }| Named { name, build: plan.builds.add(build) };
            let builds = builds.into_iter().map(add).collect();
            let read_options = ReadOptions { builds, branches, levels, fixes_from: None };
            plan.files.push(Planned { input, read_options });
        }
        if wrong.is_empty() { Ok(plan) } else { Err(InvalidSettings(wrong)) }
    }

    /// Returns the plan for the one file that an argument names.
    ///
    /// # Errors
    ///
    /// The settings of the file are invalid.
    pub(super) fn single(
        argument: &Path,
        given: &UserSettings,
    ) -> Result<(Planned, Builds), InvalidSettings> {
        let Plan { mut files, builds, .. } = Plan::each(&[argument], given)?;
        Ok((files.pop().expect("a plan for one input has one file"), builds))
    }

    /// Returns the plan for the files that arguments name.
    ///
    /// # Errors
    ///
    /// The settings of one of the files are invalid.
    pub(super) fn each(
        arguments: &[impl AsRef<Path>],
        given: &UserSettings,
    ) -> Result<Plan, InvalidSettings> {
        let inputs: Vec<Input> = arguments.iter().map(|argument| Input::named(argument.as_ref())).collect();
        let first = inputs.iter().find_map(|input| input.path.clone()).unwrap_or_else(|| ".".into());
        Plan::new(inputs, &first, given)
    }
}
