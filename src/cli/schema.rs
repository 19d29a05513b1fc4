//! `tangle schema`: the JSON schemas of the settings and of all JSON outputs.
//!
//! The schemas are derived from the Rust types of the documents. `docs/schemas/` has a copy of each for editors and
//! scripts.

use clap::{Args, ValueEnum};
use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::module::pretty;
use super::outcome::Status;
use super::output::{OutputError, Streams};
use super::requests::What;
use super::{config, facts, lint, rules, simulate};
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
    /// `tangle lint --format json`, and the errors of `lower` and `simulate`
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
    pretty(&mut streams.out, &schema(args.document)).map_err(OutputError)?;
    Ok(Status::Clean)
}

fn schema(document: Document) -> Schema {
    // TOML editors support this draft.
    let settings = SchemaSettings::draft07();
    let read = settings.clone().for_deserialize().into_generator();
    let written = settings.for_serialize().into_generator();
    match document {
        Document::Settings => tangle_toml::schema(),
        // People edit the baseline, so fields with a default can be absent.
        Document::Baseline => lint::baseline::schema(read),
        Document::Lint => json::schema(written),
        Document::Tangles => facts::schema(What::Tangles, written),
        Document::Uniformity => facts::schema(What::Uniformity, written),
        Document::Flow => facts::schema(What::Flow, written),
        Document::Items => facts::schema(What::Items, written),
        Document::Preprocessed => facts::schema(What::Preprocessed, written),
        Document::Simulate => simulate::schema(written),
        Document::Rules => rules::schema(written),
        Document::Config => config::schema(written),
    }
}
