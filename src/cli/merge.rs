//! `tangle merge`: merges SARIF files into one, for example the files of several builds.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use thiserror::Error;

use super::draft::{self, WriteError};
use super::module::pretty;
use super::outcome::Status;
use super::output::{OutputError, Streams};
use tangle_diagnostic::sarif::merge::{self, SarifError};
use tangle_project::{SettingsError, read};

/// Merge SARIF files into one
///
/// Runs of the same tool become one run, and a finding that several files have is in the result once. Runs of other tools
/// or versions stay separate.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The SARIF files
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// Write the output to this file instead of standard output
    ///
    /// If an error occurs, the file stays unchanged. It may be one of the merged files.
    #[arg(short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// Why the files are not merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A file cannot be read, or is not UTF-8.
    #[error(transparent)]
    Read(#[from] SettingsError),
    /// A file is not JSON, or not SARIF.
    #[error("{}:{}:{}: {}", .path.display(), .error.line, .error.column, .error.message)]
    Misread { path: PathBuf, error: SarifError },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Merges the files.
///
/// # Errors
///
/// A file is not SARIF, or the result cannot be written.
pub(super) fn run(args: &MergeArgs, streams: &mut Streams) -> Result<Status, MergeError> {
    let mut documents = Vec::new();
    for path in &args.files {
        let text = read::strict(path)?;
        let document = merge::read(&text);
        documents.push(document.map_err(|error| MergeError::Misread { path: path.clone(), error })?);
    }
    let merged = merge::merge(documents);
    let Some(path) = &args.output else {
        pretty(&mut streams.out, &merged).map_err(OutputError)?;
        return Ok(Status::Clean);
    };
    draft::write(path, |draft| pretty(draft, &merged))?;
    Ok(Status::Clean)
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::super::lint::tests::{Folder, tangle};

    #[test]
    fn merge_combines_findings_of_two_runs() {
        let folder =
            Folder::new("merge", &[("a.cl", "WARN ERROR\n"), ("b.cl", "NOTE\n"), ("c.json", "{\n}\n")]);
        let paths = ["1.sarif", "2.sarif", "all.sarif"].map(|file| folder.path(file));
        let [first, second, all] = &paths;
        for (out, inputs) in [(first, &["a.cl"][..]), (second, &["a.cl", "b.cl"])] {
            let inputs: Vec<String> = inputs.iter().map(|file| folder.path(file)).collect();
            let args: Vec<&str> =
                ["lint", "--format", "sarif"].into_iter().chain(inputs.iter().map(|it| &**it)).collect();
            std::fs::write(out, tangle(&folder, "", &args).1).unwrap();
        }
        let (status, out, err) = tangle(&folder, "", &["merge", first, second]);
        assert_eq!((status, &*err), (Status::Clean, ""));
        let merged: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(merged["runs"].as_array().unwrap().len(), 1);
        assert_eq!(merged["runs"][0]["results"].as_array().unwrap().len(), 3);
        let (status, printed, _) = tangle(&folder, "", &["merge", first, second, "-o", all]);
        assert_eq!((status, &*printed), (Status::Clean, ""));
        let written = std::fs::read_to_string(all).unwrap();
        assert_eq!(tangle(&folder, "", &["merge", all]).1, out);
        let (status, _, err) = tangle(&folder, "", &["merge", first, &folder.path("c.json"), "-o", all]);
        let expected = "tangle: DIR/c.json:2:1: not a SARIF document: missing field `version`\n";
        assert_eq!((status, &*err), (Status::Trouble, expected));
        assert_eq!(std::fs::read_to_string(all).unwrap(), written);
        assert_eq!(tangle(&folder, "", &["merge", &folder.path("none")]).0, Status::Trouble);
        assert_eq!(tangle(&folder, "", &["merge"]).0, Status::Trouble);
    }
}
