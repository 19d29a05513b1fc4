//! Lowers a file, and writes the result in the requested format: for `tangle lower` and `tangle show --what flow`.

use std::io::{self, Write};

use serde::Serialize;
use tangle_ir::text::print_functions;

use super::output::OutputError;
use super::requests::{
    Emit, Irreducible, LowerError, LowerFormat, LowerRequest, ShowError, ShowFormat, Shown, Target, Tokens,
};
use tangle_analysis::flow::module::{self, Options};
use tangle_analysis::flow::{Module, NotLowered, tokens};
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Severity};
use tangle_emit::language::usual_target;
use tangle_emit::picture::{Graph, Picture, shapes};
use tangle_emit::source::FunctionSource;
use tangle_emit::{dot, json, llvm, svg};
use tangle_execution::lowered::{
    FunctionLocations, Lowering, LoweringRequest, RequestedFunctions, check_function_exists, llvm_ir,
    lower_requested,
};
use tangle_execution::marks::Marker;
use tangle_grammar::lexicon::Grammar;
use tangle_rules::{check, errors_in_text};
use tangle_syntax::db::Database;
use tangle_syntax::items::unit;
use tangle_syntax::source::{Settings, SourceFile};

/// Lowers a file, writes the result, and returns remarks (notes). If the file cannot be lowered, returns the errors
/// instead.
///
/// # Errors
///
/// The requested function does not exist, or the output cannot be written.
pub(crate) fn lower(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    request: &LowerRequest,
    out: &mut dyn Write,
) -> Result<Vec<Diagnostic>, LowerError> {
    let dialect = settings.dialect(db);
    let places = FunctionLocations::of(db, file, settings);
    if let Some(name) = &request.function {
        check_function_exists(db, file, unit(db, file, settings), name)?;
    }
    let options = Options {
        tokens: match request.tokens {
            Tokens::Placed => tokens::TokenMethod::Placed,
            Tokens::Infer => tokens::TokenMethod::Infer,
            Tokens::Off => tokens::TokenMethod::Off,
        },
        irreducible: irreducible(request.irreducible),
    };
    let emitted = matches!(request.emit, Emit::Llvm);
    let part = match (&request.function, request.emit) {
        (None, _) => RequestedFunctions::All,
        (Some(name), Emit::Llvm) => RequestedFunctions::Reached(name),
        (Some(name), _) => RequestedFunctions::Named(name),
    };
    let partial = emitted && request.function.is_none() && dialect.lexicon().grammar() == Grammar::Cpp;
    let Lowering { mut module, remarks, mut left_out } = match lower_requested(
        db,
        file,
        settings,
        model,
        &options,
        &places,
        LoweringRequest { part, emitted, partial },
    ) {
        Ok(lowering) => lowering,
        Err(findings) => return Ok(findings),
    };
    let written = if let Emit::Llvm = request.emit {
        let target = request.target.map_or_else(|| usual_target(dialect), target);
        let text = loop {
            match llvm_ir(&module, dialect, target, request.debug, &places) {
                Ok(text) => break text,
                Err(errors) if partial && left_out.remove(&mut module, &errors, &places) => {}
                Err(errors) => return Ok(errors.iter().map(|error| places.not_lowered(error)).collect()),
            }
        };
        let notes = left_out.notes(&places);
        if module.functions.is_empty() && !notes.is_empty() {
            let error = |note: Diagnostic| Diagnostic { severity: Severity::Error, ..note };
            return Ok(notes.into_iter().map(error).collect());
        }
        out.write_all(text.as_bytes())
    } else {
        let marker = || {
            let mut findings = check(db, file, settings, model);
            request.levels.apply(&mut findings);
            Marker::of(db, file, settings, &findings)
        };
        write_graphs(&module, request, &places, &marker, out)
    };
    written.map_err(OutputError)?;
    Ok(left_out.notes(&places).into_iter().chain(remarks).collect())
}

/// Writes the flow graphs of the requested functions as text, JSON or a picture. A picture also has marks.
fn write_graphs<'a>(
    module: &Module,
    request: &LowerRequest,
    places: &FunctionLocations,
    marker: &dyn Fn() -> Marker<'a>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shown = places.shown(module, request.function.as_deref());
    match request.emit {
        Emit::Flow | Emit::Llvm => match request.format {
            LowerFormat::Human => write_text(module, &shown, out),
            LowerFormat::Json => write_json(module, &shown, places, out),
        },
        Emit::Dot => dot::write(out, &picture(module, &shown, places, &marker())),
        Emit::Svg => svg::write(out, &picture(module, &shown, places, &marker())),
    }
}

/// Converts the treatment of irreducible cycles to the type of the lowering.
pub(super) fn irreducible(asked: Irreducible) -> module::Irreducible {
    match asked {
        Irreducible::Auto => module::Irreducible::Auto,
        Irreducible::Anchor => module::Irreducible::Anchor,
        Irreducible::Dispatch => module::Irreducible::Dispatch,
    }
}

/// Writes the flow graphs of a file, and the reasons why functions have none.
///
/// # Errors
///
/// The requested function does not exist, or the output cannot be written.
pub(super) fn show(
    db: &Database,
    file: SourceFile,
    settings: Settings,
    model: Model,
    function: Option<&str>,
    format: ShowFormat,
    out: &mut dyn Write,
) -> Result<Shown, ShowError> {
    let unit = unit(db, file, settings);
    if let Some(name) = function {
        check_function_exists(db, file, unit, name)?;
    }
    let places = FunctionLocations::of(db, file, settings);
    let lowered = module::lower(db, file, settings, &Options::default());
    let shown = places.shown(&lowered.module, function);
    let here = |error: &&NotLowered| match function {
        Some(name) => error.function.is_some_and(|key| key.label() == name),
        None => error.function.is_none_or(|key| places.is_here(key)),
    };
    let errors: Vec<&NotLowered> = lowered.errors.iter().filter(here).collect();
    let written = match format {
        ShowFormat::Json => pretty(out, &json::document(&lowered.module, &shown, &errors, &shapes, &places)),
        ShowFormat::Human => write_text(&lowered.module, &shown, out).and_then(|()| {
            errors.iter().enumerate().try_for_each(|(number, error)| {
                let gap = if shown.is_empty() && number == 0 { "" } else { "\n" };
                let spot = error.function.and_then(|key| places.spot(key, error.span));
                let (line, column) = spot.map_or((1, 1), |spot| spot.start);
                let of = error.function.map_or("module".to_owned(), |key| format!("function {key}"));
                writeln!(out, "{gap}{of}: cannot be lowered: {} ({line}:{column})", error.reason)
            })
        }),
    };
    written.map_err(OutputError)?;
    if errors.is_empty() {
        return Ok(Shown::Whole);
    }
    let has_errors = !errors_in_text(db, file, settings, model).is_empty();
    Ok(if has_errors { Shown::PartOfErroneous } else { Shown::Part })
}

/// Converts the requested target to the type of the LLVM IR emitter.
fn target(asked: Target) -> llvm::Target {
    match asked {
        Target::Amdgcn => llvm::Target::Amdgcn,
        Target::Nvptx64 => llvm::Target::Nvptx64,
        Target::Spirv64 => llvm::Target::Spirv64,
        Target::X86_64 => llvm::Target::X86_64,
        Target::None => llvm::Target::None,
    }
}

fn write_text(module: &Module, shown: &[usize], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", print_functions(module, shown))
}

fn write_json(
    module: &Module,
    shown: &[usize],
    places: &FunctionLocations,
    out: &mut dyn Write,
) -> io::Result<()> {
    pretty(out, &json::document(module, shown, &[], &shapes, places))
}

/// Writes indented JSON and a line end.
pub(super) fn pretty(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

fn picture(module: &Module, shown: &[usize], places: &FunctionLocations, marker: &Marker) -> Picture {
    let graph = |&number: &usize| {
        let function = &module.functions[number];
        Graph::of(function, &shapes(function), places, &marker.marks(function))
    };
    Picture { file: module.file.clone(), graphs: shown.iter().map(graph).collect() }
}
