//! The requests of the commands to the analysis, with their errors and the results that are returned, not written.

use std::sync::Arc;

use clap::ValueEnum;
use thiserror::Error;

use super::output::OutputError;
use crate::human::Terminal;
use tangle_analysis::flow;
use tangle_diagnostic::Diagnostic;
use tangle_execution::difference::DiffRequest;
use tangle_execution::lowered::FunctionError;
use tangle_execution::{LaunchRequest, RequestError};
use tangle_ir::key::FunctionKey;
use tangle_project::levels::Levels;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The source, with the thread tangles and the divergence of every line
    #[default]
    Tangles,
    /// Which branches and variables are divergent, and why
    Uniformity,
    /// The flow graph of every function, with its tokens
    Flow,
    /// The declarations at file scope
    Items,
    /// The text after preprocessing
    Preprocessed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    #[default]
    Human,
    Json,
}

/// A request to show the result of one stage of the analysis.
#[derive(Clone, Debug)]
pub struct ShowRequest {
    pub what: What,
    pub function: Option<String>,
    pub format: ShowFormat,
    /// The colours and the line width of the output.
    pub terminal: Terminal,
}

/// How much of the requested output is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Whole,
    /// Only a part, although the file has no errors.
    Part,
    /// Only a part; the file has errors.
    PartOfErroneous,
}

/// Why a stage of the analysis cannot be shown.
#[derive(Debug, Error)]
pub enum ShowError {
    /// The requested function is not in the file.
    #[error(transparent)]
    Function(#[from] FunctionError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// LLVM IR as text
    #[default]
    Llvm,
    /// Flow graph with tokens, as text or JSON
    Flow,
    /// Picture of the flow graph for Graphviz
    Dot,
    /// Picture of the flow graph for a browser
    Svg,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Irreducible {
    /// Make the cycle reducible if it contains a convergent operation whose convergence is defined
    #[default]
    Auto,
    /// Keep the cycle: the implementation chooses which threads iterate together
    Anchor,
    /// Make the cycle reducible: all entries pass through one block, which is the header of the loop
    Dispatch,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Tokens {
    /// Use the tangles of the source
    #[default]
    Placed,
    /// Use only the flow graph
    Infer,
    /// Emit no tokens
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    Amdgcn,
    Nvptx64,
    Spirv64,
    #[value(name = "x86_64")]
    X86_64,
    /// No target triple; address spaces and calling conventions of SPIR
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LowerFormat {
    #[default]
    Human,
    Json,
}

/// A request to lower a file.
#[derive(Clone, Debug)]
pub struct LowerRequest {
    pub emit: Emit,
    pub function: Option<String>,
    pub irreducible: Irreducible,
    pub tokens: Tokens,
    /// `None`: the usual target of the language.
    pub target: Option<Target>,
    pub debug: bool,
    pub format: LowerFormat,
    /// The levels of the rules whose findings a picture shows.
    pub levels: Levels,
}

/// Why a file cannot be lowered, unless findings in the file are the reason.
#[derive(Debug, Error)]
pub enum LowerError {
    /// The requested function is not in the file.
    #[error(transparent)]
    Function(#[from] FunctionError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SimulateFormat {
    #[default]
    Human,
    Json,
    /// A web page that shows the execution step by step
    Html,
    /// An image of the thread table
    Svg,
}

/// A request to execute a kernel.
#[derive(Clone, Debug)]
pub struct SimulateRequest {
    pub function: Option<String>,
    pub launch: LaunchRequest,
    /// `Some`: search for two different executions. True: use the strategy of the model instead of the strategy in
    /// `launch`.
    pub all: Option<bool>,
    pub irreducible: flow::module::Irreducible,
    pub format: SimulateFormat,
    pub color: bool,
}

/// The result of executing a kernel.
#[derive(Debug)]
pub enum Simulated {
    Ran {
        /// Whether all threads returned, and there was no race.
        clean: bool,
    },
    /// The kernel cannot be lowered, for these reasons.
    NotLowered(Vec<Diagnostic>),
}

/// Why a kernel cannot be executed, unless findings in the file are the reason.
#[derive(Debug, Error)]
pub enum SimulateError {
    /// The requested function is not in the file.
    #[error(transparent)]
    Function(#[from] FunctionError),
    #[error("{file}: no kernel found; select a function to execute with `--function`")]
    NoKernel { file: Arc<str> },
    #[error("{file}: {} kernels found; select one with `--function`: {}", .kernels.len(), listed(.kernels))]
    SeveralKernels { file: Arc<str>, kernels: Vec<FunctionKey> },
    /// The options request a page or image, which has one execution, and several executions.
    #[error("`--format {0}` shows one execution: use another `--policy` than `all`")]
    SeveralExecutionsInOne(&'static str),
    /// The lowered kernel is invalid. The text is from the executor.
    #[error("{0}")]
    Broken(String),
    /// The executor rejects the requested launch.
    #[error("{}", .0.message)]
    Launch(RequestError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A request to compare functions of two files.
#[derive(Clone, Debug)]
pub struct DiffFilesRequest {
    /// The functions of the old and of the new file. `None`: the kernels that both files have.
    pub functions: Option<[String; 2]>,
    pub launches: DiffRequest,
    pub irreducible: flow::module::Irreducible,
    pub format: LowerFormat,
    pub color: bool,
}

/// The result of comparing two files.
#[derive(Debug)]
pub enum Compared {
    NoDifference,
    Difference,
    /// A function cannot be lowered, for these reasons.
    NotLowered(Vec<Diagnostic>),
}

/// Why two files cannot be compared, unless findings in them are the reason.
#[derive(Debug, Error)]
pub enum DiffError {
    /// A requested function is not in its file.
    #[error(transparent)]
    Function(#[from] FunctionError),
    #[error("{file}:{error}")]
    Graph { file: Arc<str>, error: tangle_ir::text::Error },
    #[error("{file}:{error}")]
    Llvm { file: Arc<str>, error: tangle_llvm::Error },
    #[error("{file}: cannot read bitcode: convert it to text with `llvm-dis`")]
    Bitcode { file: Arc<str> },
    #[error("no kernel is in both files; select functions with `--old-function` and `--new-function`")]
    NoCommonKernel,
    #[error("`{function}`: no launch could be compared; give arguments with `--arg`")]
    NothingCompared { function: String },
    /// A lowered function is invalid. The text is from the executor.
    #[error("{0}")]
    Broken(String),
    /// The executor rejects the requested launch.
    #[error("{}", .0.message)]
    Launch(RequestError),
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// The maximum number of kernels that an error names.
const MOST_LISTED: usize = 8;

/// Returns the names of the first kernels, with an ellipsis if there are more.
fn listed(kernels: &[FunctionKey]) -> String {
    let names: Vec<String> = kernels.iter().take(MOST_LISTED).map(|kernel| format!("`{kernel}`")).collect();
    let more = if kernels.len() > names.len() { ", …" } else { "" };
    names.join(", ") + more
}
