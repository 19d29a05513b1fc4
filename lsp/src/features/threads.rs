//! The thread table: the function at the cursor, executed by a few threads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tangle_analysis::flow::module::Irreducible;
use tangle_execution::arguments::{self, ArgumentError, NamedArgument};
use tangle_execution::lowered::FunctionLocations;
use tangle_execution::{
    Bounds, Executable, FunctionSelector, LaunchRequest, NotExecutable, Policy, Report, Strategy, html, svg,
};
use tangle_syntax::dialect::Vocabulary;
use thiserror::Error;
use tower_lsp::jsonrpc;
use tower_lsp::lsp_types::{Position, Range, TextDocumentIdentifier, Url};

use super::panels::failed;
use super::position::TokenAt;
use super::spelling;
use crate::snapshot::View;

/// A function and its launch.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadTableRequest {
    pub text_document: TextDocumentIdentifier,
    pub position: Position,
    #[serde(default)]
    pub launch: Option<Launch>,
    /// Whether the client wants an image.
    #[serde(default)]
    pub svg: bool,
}

/// A launch with the options of the command line. An empty field has the default of the command line.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Launch {
    pub local_size: String,
    pub groups: String,
    pub sub_group_size: String,
    pub strategy: String,
    pub policy: String,
    pub seed: String,
    pub local_memory: String,
    /// By parameter name. Unknown names are ignored, so that a client can keep the argument of a parameter while the
    /// user edits its name.
    pub arguments: BTreeMap<String, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadTable {
    pub function: String,
    /// The range of the whole function.
    pub range: Range,
    pub parameters: Vec<Parameter>,
    /// The defaults of the launch.
    pub defaults: Launch,
    pub strategies: Vec<&'static str>,
    pub policies: Vec<&'static str>,
    pub local_memories: Vec<&'static str>,
    /// The errors in the launch. If there are any, nothing was executed.
    pub errors: Vec<FieldError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
    /// The report as HTML elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The report as an SVG image, if the client wants one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
    /// The address of the file for places without a file: the file of the kernel, if the document is a header.
    pub uri: Url,
    /// The addresses of other files that the report names.
    pub files: BTreeMap<String, Url>,
}

#[derive(Serialize)]
pub struct Parameter {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: String,
}

#[derive(Serialize)]
pub struct FieldError {
    /// A field of the launch, `arguments.NAME`, or empty for an error of the whole launch.
    pub field: String,
    pub message: String,
}

impl FieldError {
    fn new(field: impl Into<String>, message: impl Into<String>) -> FieldError {
        FieldError { field: field.into(), message: message.into() }
    }
}

/// An error in a launch. Texts of fields are unchanged; threads and groups have the terms of the kernel's language.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum LaunchError {
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error("`{text}` is not a valid number of {workgroup}s")]
    GroupCount { text: String, workgroup: String },
    #[error("a {subgroup} has 1 to 128 {threads}")]
    SubGroupSize { subgroup: String, threads: String },
    #[error("`{text}` is not an integer of at least 0")]
    Seed { text: String },
    /// A word that is not in `known`. `what` is the name of the field.
    #[error("unknown {what} `{text}`: expected one of {}", .known.join(", "))]
    UnknownWord { what: &'static str, text: String, known: Vec<&'static str> },
    #[error("the launch has {count} {threads}; the thread table executes at most {MOST_THREADS}")]
    TooManyThreads { count: u64, threads: String },
}

/// The bounds of an execution. It is repeated after each key press, so it may take a fraction of a second, and the
/// table must fit on a page.
const BOUNDS: Bounds =
    Bounds { steps: 1_000_000, steps_per_thread: 100_000, events: 20_000, memory: 128 << 20 };

/// The maximum number of threads in a launch, the same as for a work-group.
const MOST_THREADS: u64 = 1024;

/// The contents of local memory at the start: whether they are zeros.
const LOCAL_MEMORIES: [bool; 2] = [false, true];

/// Returns the name of a content of local memory.
pub fn local_memory(zeros: bool) -> &'static str {
    if zeros { "zeros" } else { "undefined" }
}

/// The default of every argument.
const RANDOM: &str = "random";

pub fn thread_table(
    view: &View,
    position: Position,
    launch: &Launch,
    wants_svg: bool,
) -> Option<jsonrpc::Result<ThreadTable>> {
    let at = TokenAt::find(*view, position)?;
    // A block literal is executed where it is called.
    let function = at.function()?;
    let key = at.item.key(function)?;
    let range = at.item.range(at.item.extent(function)).unwrap_or_default();
    let (db, settings, model) = (view.db, view.analysis.settings, view.analysis.model);
    let places = FunctionLocations::of(db, view.root, settings);
    let which = FunctionSelector::Exactly(key);
    let executable = match Executable::of(db, view.root, settings, model, Irreducible::Auto, which, &places) {
        Ok(executable) => executable,
        Err(NotExecutable::Unsupported(why)) => return Some(Err(failed(why))),
        Err(NotExecutable::NotLowered(findings)) => return Some(Err(not_lowered(view, &findings))),
    };
    let parameters: Vec<Parameter> = executable
        .parameters()
        .map(|(name, ty)| (name, spelling::in_language(*view, ty)))
        .map(|(name, ty)| Parameter { name: name.to_string(), ty: ty.to_string() })
        .collect();
    let mut table = ThreadTable {
        function: key.to_string(),
        range,
        defaults: defaults(&executable, &parameters),
        strategies: Strategy::ALL.iter().map(|it| it.name()).collect(),
        policies: Policy::ALL.iter().map(|it| it.name()).collect(),
        local_memories: LOCAL_MEMORIES.map(local_memory).to_vec(),
        errors: Vec::new(),
        report: None,
        html: None,
        svg: None,
        uri: view.snapshot.uri(view.root).unwrap_or_else(|| view.document.uri.clone()),
        files: BTreeMap::new(),
        parameters,
    };
    let asked = match launch.read(at.item.vocabulary(), &executable, &table.parameters) {
        Ok(asked) => asked,
        Err(mistakes) => return Some(Ok(ThreadTable { errors: mistakes, ..table })),
    };
    // A change of the text waits for all work on its previous state, so cancelled work must end.
    let watch = || salsa::Database::unwind_if_revision_cancelled(view.db);
    match executable.run(&asked, &BOUNDS, Some(&watch)) {
        Ok(report) => {
            let (mut page, mut image) = (Vec::new(), Vec::new());
            let drawn = if wants_svg { svg::write(&mut image, &report, &places) } else { Ok(()) };
            if html::elements(&mut page, &report).and(drawn).is_err() {
                return Some(Err(jsonrpc::Error::internal_error()));
            }
            table.svg = wants_svg.then(|| String::from_utf8_lossy(&image).into_owned());
            let file = |name: &str| Some((name.to_owned(), view.snapshot.uri(view.db.known(name)?)?));
            table.files = report.other_files().into_iter().filter_map(file).collect();
            table.html = Some(String::from_utf8_lossy(&page).into_owned());
            table.report = Some(report);
        }
        Err(wrong) => {
            let field = wrong.parameter.map_or(String::new(), |name| format!("arguments.{name}"));
            table.errors.push(FieldError::new(field, wrong.message));
        }
    }
    Some(Ok(table))
}

/// Returns the error for a text that cannot be lowered: its first finding.
pub fn not_lowered(view: &View, findings: &[tangle_diagnostic::Diagnostic]) -> jsonrpc::Error {
    let Some(finding) = findings.first() else { return jsonrpc::Error::internal_error() };
    let line = view.db.known(&finding.place.file).map(|file| {
        let line = view.snapshot.text(file).position(finding.place.range.start).line;
        if file == view.file { format!("line {line}") } else { format!("{}:{line}", finding.place.file) }
    });
    failed(match line {
        Some(line) => format!("{line}: {}", finding.message),
        None => finding.message.clone(),
    })
}

/// Returns the defaults of a launch, as on the command line.
fn defaults(executable: &Executable, parameters: &[Parameter]) -> Launch {
    let LaunchRequest { groups, strategy, policy, seed, zero_local_memory, .. } = LaunchRequest::default();
    Launch {
        local_size: format_size(executable.local_size(None)),
        groups: groups.to_string(),
        sub_group_size: executable.sub_group_size(None).to_string(),
        strategy: strategy.name().to_owned(),
        policy: policy.name().to_owned(),
        seed: seed.to_string(),
        local_memory: local_memory(zero_local_memory).to_owned(),
        arguments: parameters.iter().map(|it| (it.name.clone(), RANDOM.to_owned())).collect(),
    }
}

/// Formats a size as `8`, `8,4` or `8,4,2`.
pub fn format_size([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

impl Launch {
    /// Parses the launch, or returns all errors in it.
    fn read(
        &self,
        vocabulary: &Vocabulary,
        executable: &Executable,
        parameters: &[Parameter],
    ) -> Result<LaunchRequest, Vec<FieldError>> {
        let Vocabulary { workgroup, subgroup, .. } = vocabulary;
        let threads = vocabulary.threads();
        let standard = LaunchRequest::default();
        let mut fields = Fields(Vec::new());
        let asked = LaunchRequest {
            local_size: fields
                .read("localSize", &self.local_size, None, |text| Ok(Some(arguments::local_size(text)?))),
            groups: fields.read("groups", &self.groups, standard.groups, |text| {
                let (text, workgroup) = (text.to_owned(), workgroup.clone());
                number(&text, 1..=u32::MAX).ok_or(LaunchError::GroupCount { text, workgroup })
            }),
            sub_group_size: fields.read(
                "subGroupSize",
                &self.sub_group_size,
                standard.sub_group_size,
                |text| {
                    let size = number(text, 1..=128).map(Some);
                    let (subgroup, threads) = (subgroup.clone(), threads.clone());
                    size.ok_or(LaunchError::SubGroupSize { subgroup, threads })
                },
            ),
            strategy: fields.read("strategy", &self.strategy, standard.strategy, |text| {
                parse_choice(text, "strategy", Strategy::ALL, Strategy::name)
            }),
            policy: fields.read("policy", &self.policy, standard.policy, |text| {
                parse_choice(text, "policy", Policy::ALL, Policy::name)
            }),
            seed: fields.read("seed", &self.seed, standard.seed, |text| {
                text.parse().map_err(|_| LaunchError::Seed { text: text.to_owned() })
            }),
            zero_local_memory: fields.read(
                "localMemory",
                &self.local_memory,
                standard.zero_local_memory,
                |text| parse_choice(text, "local memory", &LOCAL_MEMORIES, local_memory),
            ),
            arguments: parameters
                .iter()
                .filter_map(|Parameter { name, .. }| {
                    let text = self.arguments.get(name)?;
                    let read = |text: &str| Ok(Some(NamedArgument::new(name, arguments::value(text)?)));
                    fields.read(&format!("arguments.{name}"), text, None, read)
                })
                .collect(),
            ..standard
        };
        // `asked` has the default in place of an invalid size.
        let count = executable.threads(&asked);
        if count > MOST_THREADS {
            let error = LaunchError::TooManyThreads { count, threads };
            fields.0.push(FieldError::new("localSize", error.to_string()));
        }
        if fields.0.is_empty() { Ok(asked) } else { Err(fields.0) }
    }
}

/// Parses fields, and collects their errors.
struct Fields(Vec<FieldError>);

impl Fields {
    /// Returns the value of a field, or the default if the field is empty or invalid.
    fn read<T>(
        &mut self,
        name: &str,
        text: &str,
        standard: T,
        read: impl FnOnce(&str) -> Result<T, LaunchError>,
    ) -> T {
        let text = text.trim();
        if text.is_empty() {
            return standard;
        }
        read(text).unwrap_or_else(|error| {
            self.0.push(FieldError::new(name, error.to_string()));
            standard
        })
    }
}

fn number(text: &str, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
    text.parse().ok().filter(|number| range.contains(number))
}

fn parse_choice<T: Copy>(
    text: &str,
    what: &'static str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, LaunchError> {
    let found = all.iter().copied().find(|&it| name(it) == text);
    let known = || all.iter().map(|&it| name(it)).collect();
    found.ok_or_else(|| LaunchError::UnknownWord { what, text: text.to_owned(), known: known() })
}
