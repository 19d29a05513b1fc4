//! `tangle schema`: the JSON schemas of the settings and of all JSON outputs.
//!
//! The schemas are derived from the Rust types of the documents, and stored in `docs/schemas/` for editors and scripts.
//! The program contains these files and not the code that derives them, which is larger.

use std::io::Write;

use clap::{Args, ValueEnum};
use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::outcome::Status;
use super::output::{OutputError, Streams};
use super::requests::What;
use super::{config, diff, facts, lint, rules, simulate};
use tangle_diagnostic::json;
use tangle_project::tangle_toml;

/// A document with a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// `tangle.toml`
    #[default]
    Settings,
    /// `tangle-baseline.json`
    Baseline,
    /// `tangle lint --format json`, and the errors of `lower`, `simulate` and `diff`
    Lint,
    /// `tangle show --format json`
    Tangles,
    /// `tangle show --what uniformity --format json`
    Uniformity,
    /// `tangle show --what flow --format json`, and `tangle lower --emit flow --format json`
    Flow,
    /// `tangle show --what items --format json`
    Items,
    /// `tangle show --what preprocessed --format json`
    Preprocessed,
    /// `tangle simulate --format json`
    Simulate,
    /// `tangle diff --format json`
    Diff,
    /// `tangle rules --format json`
    Rules,
    /// `tangle config --format json`
    Config,
}

/// Print the JSON schema of the settings or of a JSON output
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The document that the schema describes
    #[arg(value_enum, value_name = "NAME", default_value_t)]
    document: Document,
}

/// Prints the schema.
///
/// # Errors
///
/// The output cannot be written.
pub(super) fn run(args: &SchemaArgs, streams: &mut Streams) -> Result<Status, OutputError> {
    streams.out.write_all(args.document.schema().as_bytes()).map_err(OutputError)?;
    Ok(Status::Clean)
}

/// The text of a file of `docs/schemas/`.
macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../docs/schemas/", $name, ".json"))
    };
}

impl Document {
    /// Its schema.
    fn schema(self) -> &'static str {
        match self {
            Document::Settings => tangle_toml::SCHEMA,
            Document::Baseline => file!("baseline"),
            Document::Lint => file!("lint"),
            Document::Tangles => file!("tangles"),
            Document::Uniformity => file!("uniformity"),
            Document::Flow => file!("flow"),
            Document::Items => file!("items"),
            Document::Preprocessed => file!("preprocessed"),
            Document::Simulate => file!("simulate"),
            Document::Diff => file!("diff"),
            Document::Rules => file!("rules"),
            Document::Config => file!("config"),
        }
    }

    fn derived(self) -> Schema {
        let written = || SchemaSettings::draft07().for_serialize().into_generator();
        match self {
            Document::Settings => tangle_toml::schema(),
            // People edit the baseline, so fields with a default can be absent.
            Document::Baseline => {
                lint::baseline::schema(SchemaSettings::draft07().for_deserialize().into_generator())
            }
            Document::Lint => json::schema(written()),
            Document::Tangles => facts::schema(What::Tangles, written()),
            Document::Uniformity => facts::schema(What::Uniformity, written()),
            Document::Flow => facts::schema(What::Flow, written()),
            Document::Items => facts::schema(What::Items, written()),
            Document::Preprocessed => facts::schema(What::Preprocessed, written()),
            Document::Simulate => simulate::schema(written()),
            Document::Diff => diff::schema(written()),
            Document::Rules => rules::schema(written()),
            Document::Config => config::schema(written()),
        }
    }
}

/// Returns the schema of a document as derived from the Rust types. `None`: no document has this name.
pub fn derived(name: &str) -> Option<Schema> {
    Some(Document::from_str(name, false).ok()?.derived())
}
