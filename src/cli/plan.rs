//! What the command is about to do: how each file is read, known before the first of them is.

use std::path::Path;

use thiserror::Error;

use tangle_project::levels::{FailOn, Levels};
use tangle_project::walk::Input;
use tangle_project::{Branches, BuildId, Builds, Given, Named, Project, Reading, Trouble, normal};

/// Files of settings are wrong or cannot be read.
#[derive(Debug, Error)]
#[error("{}", lines(.0))]
pub struct SettingsError(pub Vec<Trouble>);

fn lines(troubles: &[Trouble]) -> String {
    troubles.iter().map(Trouble::to_string).collect::<Vec<_>>().join("\n")
}

/// A file that will be analysed.
#[derive(Debug)]
pub struct Planned {
    pub input: Input,
    pub ways: Ways,
    pub levels: Levels,
}

/// The ways in which a file is read.
#[derive(Clone, Debug)]
pub struct Ways {
    /// Never empty.
    pub builds: Vec<Named<BuildId>>,
    /// How much of the text is read that conditions leave out.
    pub branches: Branches,
    /// Whether findings carry their fixes.
    pub wants_fixes: bool,
}

impl Ways {
    /// The build for what looks at one alone.
    pub fn first(&self) -> BuildId {
        self.builds[0].build
    }
}

impl From<BuildId> for Ways {
    fn from(build: BuildId) -> Ways {
        Ways { builds: vec![Named { name: None, build }], branches: Branches::Active, wants_fixes: false }
    }
}

#[derive(Debug, Default)]
pub struct Plan {
    /// In the order of the inputs.
    pub files: Vec<Planned>,
    pub builds: Builds,
    pub fail_on: FailOn,
    /// How many inputs the configuration leaves out.
    pub excluded: usize,
}

impl Plan {
    /// The plan for files that were found, where `first` is the first path of the command line.
    ///
    /// # Errors
    ///
    /// Settings that hold for any of the files are wrong.
    pub fn new(inputs: Vec<Input>, first: &Path, given: &Given) -> Result<Plan, SettingsError> {
        let mut project = Project::default();
        let mut wrong = Vec::new();
        let mut plan = Plan { fail_on: project.fail_on(first, given, &mut wrong), ..Plan::default() };
        for mut input in inputs {
            if let (None, Some(path)) = (&input.path, &given.stdin_filename) {
                input.name = normal(path).to_string_lossy().into();
            }
            let source = input.path.as_deref().or(given.stdin_filename.as_deref());
            let reading = project.reading(source, given, &mut wrong);
            let Reading { builds, levels, branches, is_excluded } = reading;
            if is_excluded && !input.is_named {
                plan.excluded += 1;
                continue;
            }
            let add = |Named { name, build }| Named { name, build: plan.builds.add(build) };
            let builds = builds.into_iter().map(add).collect();
            let ways = Ways { builds, branches, wants_fixes: false };
            plan.files.push(Planned { input, ways, levels });
        }
        if wrong.is_empty() { Ok(plan) } else { Err(SettingsError(wrong)) }
    }

    /// The plan for the one file that an argument names.
    ///
    /// # Errors
    ///
    /// Settings of the file are wrong.
    pub(super) fn single(argument: &Path, given: &Given) -> Result<(Planned, Builds), SettingsError> {
        let Plan { mut files, builds, .. } = Plan::each(&[argument], given)?;
        Ok((files.pop().expect("a plan for one file has one"), builds))
    }

    /// The plan for the files that arguments name.
    ///
    /// # Errors
    ///
    /// Settings that hold for any of the files are wrong.
    pub(super) fn each(arguments: &[impl AsRef<Path>], given: &Given) -> Result<Plan, SettingsError> {
        let inputs: Vec<Input> = arguments.iter().map(|argument| Input::named(argument.as_ref())).collect();
        let first = inputs.iter().find_map(|input| input.path.clone()).unwrap_or_else(|| ".".into());
        Plan::new(inputs, &first, given)
    }
}
