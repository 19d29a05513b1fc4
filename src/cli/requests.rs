//! Requests of the commands to the analysis, and the results besides the written text.

use clap::ValueEnum;

use crate::human::Terminal;
use tangle_analysis::flow;
use tangle_diagnostic::Diagnostic;
use tangle_execution::Asked;

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

/// A stage of the analysis that is to be shown.
#[derive(Clone, Debug)]
pub struct ShowRequest {
    pub what: What,
    pub function: Option<String>,
    pub format: ShowFormat,
    /// The terminal, or its absence, for colours and line width.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Target {
    #[default]
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

/// A file that is to be lowered.
#[derive(Clone, Debug)]
pub struct LowerRequest {
    pub emit: Emit,
    pub function: Option<String>,
    pub irreducible: Irreducible,
    pub tokens: Tokens,
    pub target: Target,
    pub debug: bool,
    pub format: LowerFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SimulateFormat {
    #[default]
    Human,
    Json,
    /// A web page that shows the execution step by step
    Html,
}

/// A kernel that is to be executed.
#[derive(Clone, Debug)]
pub struct SimulateRequest {
    pub function: Option<String>,
    pub launch: Asked,
    /// Two executions that differ are asked for; true: by the rules of the source that the model has.
    pub all: Option<bool>,
    pub irreducible: flow::module::Irreducible,
    pub format: SimulateFormat,
    pub color: bool,
}

/// What became of it.
#[derive(Debug)]
pub enum Simulated {
    Ran {
        /// All threads returned, and there was no race.
        clean: bool,
    },
    /// Why the kernel cannot be lowered.
    NotLowered(Vec<Diagnostic>),
}
