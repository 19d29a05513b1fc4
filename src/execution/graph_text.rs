//! Flow graphs that are read as text, with the lines of the text as locations: the text form of flow graphs, and LLVM
//! IR.

use std::sync::Arc;

use tangle_grammar::ast::Span;
use tangle_ir::key::FunctionKey;
use tangle_ir::text;

use tangle_analysis::flow::Module;
use tangle_diagnostic::SourceText;
use tangle_emit::source::{FunctionSource, SourceRange};
use tangle_syntax::dialect::{Dialect, Vocabulary};

/// The text of a module.
pub struct GraphText {
    file: Arc<str>,
    text: Arc<SourceText>,
    vocabulary: &'static Vocabulary,
}

impl GraphText {
    /// Reads a module. `dialect`: the language of its builtins.
    ///
    /// # Errors
    ///
    /// The text is not a module.
    pub fn read(
        file: Arc<str>,
        text: Arc<SourceText>,
        dialect: Dialect,
    ) -> Result<(GraphText, Module), text::Error> {
        let mut module = text::read_module(&file, text.text())?;
        locate(&mut module, text.text());
        Ok((GraphText { file, text, vocabulary: dialect.vocabulary() }, module))
    }

    /// Reads a module of LLVM IR. `dialect`: the language that it was compiled from.
    ///
    /// # Errors
    ///
    /// The text is not LLVM IR, or has a part without a flow graph.
    pub fn read_llvm(
        file: Arc<str>,
        text: Arc<SourceText>,
        dialect: Dialect,
    ) -> Result<(GraphText, Module), tangle_llvm::Error> {
        let is_builtin = |name| dialect.builtins().get(name).is_some();
        let module = tangle_llvm::read(&file, text.text(), &is_builtin)?;
        Ok((GraphText { file, text, vocabulary: dialect.vocabulary() }, module))
    }
}

const NOWHERE: Span = Span { start: 0, end: 0 };

/// Gives each operation and each end of a block the range of its line. The reader keeps the order of blocks and
/// operations, and each operation is one line.
fn locate(module: &mut Module, text: &str) {
    let mut lines = body_lines(text).into_iter();
    for function in &mut module.functions {
        for block in &mut function.blocks {
            for &value in &block.values {
                function.values[value].span = lines.next().unwrap_or(NOWHERE);
            }
            block.end = lines.next().unwrap_or(NOWHERE);
        }
    }
}

/// Returns the ranges of the lines with an operation or an end of a block.
fn body_lines(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let (mut at, mut is_inside) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let line = line.split(';').next().unwrap_or_default().trim();
        match line {
            "" => {}
            "}" => is_inside = false,
            _ if !is_inside => is_inside = line.starts_with("function "),
            _ if line.ends_with(':') || line.starts_with("slot ") || line.starts_with("variable ") => {}
            _ => found.push(Span { start: start as u32, end: (start + line.len()) as u32 }),
        }
    }
    found
}

impl FunctionSource for GraphText {
    fn spot(&self, _: FunctionKey, span: Span) -> Option<SourceRange> {
        let [start, end] = [span.start, span.end].map(|at| self.text.position(at as usize));
        let file = self.file.clone();
        Some(SourceRange {
            file,
            foreign: false,
            start: (start.line, start.column),
            end: (end.line, end.column),
        })
    }

    fn vocabulary(&self) -> &'static Vocabulary {
        self.vocabulary
    }

    fn line(&self, _: &Arc<str>, line: usize) -> Option<String> {
        Some(self.text.text()[self.text.line_range(line)].to_owned())
    }
}
