//! `tangle diff`: searches a launch for which a new version of a kernel communicates in a way that the old one does not
//! allow.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::analysis::{Analysis, FileToCompare, Start};
use super::error::CommandError;
use super::input::{StandardInput, guarded};
use super::lower;
use super::module::{self, pretty};
use super::options::{Globals, Jobs, LanguageArgs};
use super::outcome::Status;
use super::output::{OutputError, Streams};
use super::plan::{Plan, Planned};
use super::requests::{Compared, DiffError, DiffFilesRequest, Irreducible, LowerFormat};
use tangle_analysis::flow::Module;
use tangle_analysis::flow::module as lowering;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, SourceText};
use tangle_emit::source::FunctionSource;
use tangle_execution::comparison_text::write_comparison;
use tangle_execution::difference::{Comparison, DiffRequest, Difference, compare};
use tangle_execution::graph_text::GraphText;
use tangle_execution::lowered::{FunctionError, FunctionLocations, check_function_exists};
use tangle_execution::{Executable, FunctionSelector, NamedArgument, NotExecutable, arguments};
use tangle_syntax::db::Database;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::unit;
use tangle_syntax::source::{Settings, SourceFile};

/// Compare the communication of two versions of a kernel
///
/// Both versions are executed with the same launches and inputs. The convergent operations of each thread must be ones
/// that the old version allows: the same operations, arguments and participating threads. The first difference is shown
/// with the thread tables of both versions.
///
/// The exit status is 0 without a difference, 1 with a difference, and 2 if the files cannot be compared.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// File with the old version: a source, LLVM IR (`.ll`), or a flow graph (`.flow`); `-` reads standard input
    #[arg(value_name = "OLD", value_hint = ValueHint::FilePath)]
    old: PathBuf,

    /// File with the new version
    #[arg(value_name = "NEW", value_hint = ValueHint::FilePath)]
    new: PathBuf,

    /// Function to compare in both files [default: all kernels that both files have]
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// Function of the old file [default: that of `--function`]
    #[arg(long, value_name = "NAME", requires = "new_function")]
    old_function: Option<String>,

    /// Function of the new file [default: that of `--function`]
    #[arg(long, value_name = "NAME", requires = "old_function", conflicts_with = "function")]
    new_function: Option<String>,

    /// Threads per work-group in each dimension [default: the known size of the launches, or several sizes]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = arguments::local_size)]
    local_size: Option<[u32; 3]>,

    /// Number of work-groups [default: several numbers, or 1 if a size is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    groups: Option<u32>,

    /// Threads per sub-group [default: the known size of the launches, or several sizes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128))]
    sub_group_size: Option<u32>,

    /// Argument for a kernel parameter of the old version [default: small random numbers]
    ///
    /// VALUE is a number or `random`. For a pointer, it is a list of numbers separated by commas, or one number: the
    /// number of elements. The new version gets the same arguments, in the order of its parameters.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = NamedArgument::parse)]
    arguments: Vec<NamedArgument>,

    /// Seed of the random numbers of the first launch
    #[arg(long, value_name = "N", default_value_t = DiffRequest::default().seed)]
    seed: u64,

    /// Number of launches
    #[arg(long, value_name = "N", default_value_t = DiffRequest::default().launches)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    launches: u32,

    /// Treatment of cycles with several entries
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    irreducible: Irreducible,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: LowerFormat,

    #[command(flatten)]
    jobs: Jobs,

    #[command(flatten)]
    language: LanguageArgs,
}

/// Compares the files.
///
/// # Errors
///
/// Settings are wrong, a file cannot be read, the request is impossible, or the result cannot be written.
pub(super) fn run<A: Analysis>(
    args: DiffArgs,
    globals: &Globals,
    streams: &mut Streams,
    start: impl Start<A>,
) -> Result<Status, CommandError> {
    let mut given = args.language.given();
    let paths = [args.old, args.new];
    let mut input = StandardInput::of(paths.iter().map(|path| &**path), &mut given, streams.input);
    let Plan { files, builds, .. } = Plan::each(&paths, &given)?;
    let mut read = files.into_iter().map(|Planned { input: file, read_options, .. }| {
        let text = Arc::new(input.text_of(&file)?);
        Ok::<_, CommandError>(FileToCompare { file, build: read_options.first(), text })
    });
    let mut next = || read.next().expect("a plan for two inputs has two files");
    let (old, new) = (next()?, next()?);
    let request = DiffFilesRequest {
        functions: match (args.function, args.old_function, args.new_function) {
            (_, Some(old), Some(new)) => Some([old, new]),
            (Some(name), ..) => Some([name.clone(), name]),
            _ => None,
        },
        launches: DiffRequest {
            local_size: args.local_size,
            groups: args.groups,
            sub_group_size: args.sub_group_size,
            arguments: args.arguments,
            seed: args.seed,
            launches: args.launches,
        },
        irreducible: module::irreducible(args.irreducible),
        format: args.format,
        color: globals.terminal(streams.terminal).color,
    };
    let mut analysis = start(&builds);
    let out = &mut streams.out;
    let diff = || analysis.diff(&old, &new, &request, out);
    // Run on a thread of the pool, which has a larger stack.
    let compared = args.jobs.pool()?.install(|| guarded(&new.file.name, diff))??;
    match compared {
        Compared::NoDifference => Ok(Status::Clean),
        Compared::Difference => Ok(Status::Findings),
        Compared::NotLowered(findings) => {
            let terminal = globals.terminal(streams.err_terminal);
            lower::report(findings, request.format, terminal, globals.quiet, &analysis, &mut streams.err)
                .map_err(OutputError)?;
            Ok(Status::Trouble)
        }
    }
}

/// The result of a comparison.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "tangle diff --format json")]
struct Document<'a> {
    /// The first difference.
    difference: Option<&'a Difference>,
    /// The compared functions. The last one has the difference.
    functions: &'a [Comparison],
    /// Kernels that are not compared, because the new file does not have them.
    only_in_old: &'a [String],
    /// Kernels that are not compared, because the old file does not have them.
    only_in_new: &'a [String],
}

/// The schema of the JSON output.
pub(super) fn schema(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<Document>()
}

/// A file of a comparison.
pub(super) struct Side {
    pub file: SourceFile,
    pub settings: Settings,
    pub model: Model,
    pub text: Arc<SourceText>,
}

/// The functions of a file.
enum Functions<'a> {
    Source { side: &'a Side, db: &'a Database, places: FunctionLocations<'a> },
    Graph { file: &'a Arc<str>, module: Module, text: GraphText, dialect: Dialect, is_llvm: bool },
}

impl<'a> Functions<'a> {
    fn of(db: &'a Database, side: &'a Side) -> Result<Functions<'a>, DiffError> {
        let file = side.file.path(db);
        let has_extension =
            |name: &str| Path::new(&**file).extension().is_some_and(|extension| extension == name);
        if has_extension("bc") {
            return Err(DiffError::Bitcode { file: file.clone() });
        }
        let is_llvm = has_extension("ll");
        if !is_llvm && !has_extension("flow") {
            let places = FunctionLocations::of(db, side.file, side.settings);
            return Ok(Functions::Source { side, db, places });
        }
        let dialect = side.settings.dialect(db);
        let (text, module) = if is_llvm {
            GraphText::read_llvm(file.clone(), side.text.clone(), dialect)
                .map_err(|error| DiffError::Llvm { file: file.clone(), error })?
        } else {
            GraphText::read(file.clone(), side.text.clone(), dialect)
                .map_err(|error| DiffError::Graph { file: file.clone(), error })?
        };
        Ok(Functions::Graph { file, module, text, dialect, is_llvm })
    }

    /// Whether the types of parameters lack their signs and the types that they point to.
    fn is_llvm(&self) -> bool {
        matches!(self, Functions::Graph { is_llvm: true, .. })
    }

    fn source(&self) -> &dyn FunctionSource {
        match self {
            Functions::Source { places, .. } => places,
            Functions::Graph { text, .. } => text,
        }
    }

    /// Returns the names of the kernels, in the order of the file.
    fn kernels(&self) -> Vec<String> {
        match self {
            Functions::Source { places, .. } => {
                places.kernels().iter().map(|kernel| kernel.name.as_str().to_owned()).collect()
            }
            Functions::Graph { module, .. } => {
                let kernels = module.functions.iter().filter(|function| function.kernel);
                kernels.map(|function| function.key.label().into_owned()).collect()
            }
        }
    }

    fn executable(
        &self,
        name: &str,
        irreducible: lowering::Irreducible,
    ) -> Result<Result<Executable<'_>, Vec<Diagnostic>>, DiffError> {
        match self {
            Functions::Source { side, db, places } => {
                let Side { file, settings, model, .. } = **side;
                check_function_exists(db, file, unit(*db, file, settings), name)?;
                let which = FunctionSelector::Named(name);
                match Executable::of(db, file, settings, model, irreducible, which, places) {
                    Ok(executable) => Ok(Ok(executable)),
                    Err(NotExecutable::NotLowered(findings)) => Ok(Err(findings)),
                    Err(NotExecutable::Unsupported(why)) => Err(DiffError::Broken(why)),
                }
            }
            Functions::Graph { file, module, text, dialect, is_llvm } => {
                let keys = module.functions.iter().map(|function| function.key);
                let Some(key) = keys.into_iter().find(|key| key.label() == name) else {
                    let (file, name) = (Arc::clone(file), name.to_owned());
                    return Err(FunctionError::Unknown { file, name }.into());
                };
                let reached = module.reached_from([key]);
                let mut module = module.clone();
                module.functions.retain(|function| reached.contains(&function.key));
                let kernel = module.functions.iter().position(|function| function.key == key);
                let kernel = kernel.expect("a function reaches itself");
                let executable = Executable::of_graph(module, kernel, text, file, dialect.builtins());
                Ok(Ok(if *is_llvm { executable.of_llvm() } else { executable }))
            }
        }
    }
}

/// Compares functions of two files, and writes the result. `sides`: the old file, and the new one.
///
/// # Errors
///
/// A requested function does not exist, no launch can be compared, or the output cannot be written.
pub(super) fn compare_files(
    db: &Database,
    sides: [&Side; 2],
    request: &DiffFilesRequest,
    out: &mut dyn Write,
) -> Result<Compared, DiffError> {
    let [old_side, new_side] = sides;
    let (old, new) = (Functions::of(db, old_side)?, Functions::of(db, new_side)?);
    let (mut only_in_old, mut only_in_new) = (Vec::new(), Vec::new());
    let pairs: Vec<[String; 2]> = match &request.functions {
        Some(pair) => vec![pair.clone()],
        None => {
            let (of_old, of_new) = (old.kernels(), new.kernels());
            only_in_new = of_new.iter().filter(|name| !of_old.contains(name)).cloned().collect();
            let common;
            (common, only_in_old) = of_old.into_iter().partition(|name| of_new.contains(name));
            Vec::from_iter(common).into_iter().map(|name: String| [name.clone(), name]).collect()
        }
    };
    if pairs.is_empty() {
        return Err(DiffError::NoCommonKernel);
    }
    let mut comparisons: Vec<Comparison> = Vec::new();
    for [old_name, new_name] in &pairs {
        let (mut old_one, mut new_one) = match (
            old.executable(old_name, request.irreducible)?,
            new.executable(new_name, request.irreducible)?,
        ) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(findings), _) | (_, Err(findings)) => return Ok(Compared::NotLowered(findings)),
        };
        if new.is_llvm() {
            new_one.adopt_parameters(&old_one);
        } else if old.is_llvm() {
            old_one.adopt_parameters(&new_one);
        }
        let comparison = compare(&old_one, &new_one, &request.launches, None).map_err(DiffError::Launch)?;
        let is_different = comparison.difference.is_some();
        comparisons.push(comparison);
        if is_different {
            break;
        }
    }
    let document = Document {
        difference: comparisons.iter().find_map(|comparison| comparison.difference.as_deref()),
        functions: &comparisons,
        only_in_old: &only_in_old,
        only_in_new: &only_in_new,
    };
    write(&document, [old.source(), new.source()], request, out).map_err(OutputError)?;
    if document.difference.is_some() {
        return Ok(Compared::Difference);
    }
    match comparisons.into_iter().find(Comparison::is_empty) {
        Some(Comparison { old: function, .. }) => Err(DiffError::NothingCompared { function }),
        None => Ok(Compared::NoDifference),
    }
}

fn write(
    document: &Document,
    sources: [&dyn FunctionSource; 2],
    request: &DiffFilesRequest,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    if let LowerFormat::Json = request.format {
        return pretty(out, document);
    }
    for comparison in document.functions {
        write_comparison(out, comparison, sources, request.color)?;
    }
    for (file, names) in [("old", document.only_in_old), ("new", document.only_in_new)] {
        for name in names {
            writeln!(out, "`{name}`: not compared: only in the {file} file")?;
        }
    }
    Ok(())
}
