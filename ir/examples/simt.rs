//! A frontend for `tangle-ir` in one file: a toy language for a single kernel that every thread runs.
//!
//! ```text
//! kernel drain(p[], n) {
//!   i = lane;                      // the number of the thread in its work-group
//!   while (i < n) {
//!     if (p[i] > 9) { p[i] = p[i] - sum(1); }
//!     barrier;                     // all threads of the work-group
//!     i = i + 64;
//!   }
//! }
//! ```
//!
//! `p[]` is a buffer of integers. Every other name is an integer variable. `sum(e)` adds `e` over the threads that
//! execute it together. The output is LLVM IR. Comments before it show the graph with its tokens, and the divergence of
//! each branch.
//!
//! ```sh
//! cargo run -p tangle-ir --example simt | opt-19 -passes=verify -S
//! ```

use std::collections::HashMap;
use std::fmt::Write;
use std::process::ExitCode;

use tangle_ir::flow::builder::Builder;
use tangle_ir::flow::verify::{Rule, verify_shaped};
use tangle_ir::flow::{Callee, Function, Module, NotLowered, Terminator, ValueId, VariableId, infer, ssa};
use tangle_ir::llvm::{self, NoLocations, Options, PlainNames, Target};
use tangle_ir::scope::Scope;
use tangle_ir::types::Ty;
use tangle_ir::uniformity::Divergence;
use tangle_ir::uniformity::analysis::{Analysis, BuiltinEffect, Environment};
use tangle_ir::value::{Arithmetic, Comparison};
use tangle_ir::{AddressSpace, text};
use thiserror::Error;

/// The kernel that is compiled if the command line names no file.
pub const DRAIN: &str = "\
kernel drain(p[], n) {
  i = lane;
  while (i < n) {
    if (p[i] > 9) { p[i] = p[i] - sum(1); } else { n = n - 1; }
    barrier;
    i = i + 64;
  }
}
";

/// The maximum depth of nested brackets and statements.
const MAX_DEPTH: u32 = 100;

/// The reason why a kernel cannot be compiled.
#[derive(Debug, Error)]
pub enum Error {
    #[error("{path}: {error}")]
    File { path: String, error: std::io::Error },
    /// The text is not a kernel. Lines count from 1.
    #[error("line {line}: {mistake}")]
    Text { line: usize, mistake: ParseError },
    #[error("the graph violates the rule `{}`", .0.row().name)]
    Graph(Rule),
    #[error("{}", .0.reason)]
    NotLowered(NotLowered),
}

/// An error in the text of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    #[error("expected `{0}`")]
    MissingWord(&'static str),
    #[error("expected a name")]
    MissingName,
    #[error("expected the end of the kernel")]
    MissingEnd,
    #[error("expected a 32-bit number")]
    TooLarge,
    #[error("expected a number, not a comparison")]
    NotANumber,
    #[error("a condition compares two numbers")]
    NotACondition,
    #[error("two parameters have the same name")]
    DuplicateParameter,
    #[error("`{0}` is not a buffer")]
    NotABuffer(String),
    #[error("a buffer is written element by element")]
    WholeBuffer,
    #[error("nothing was assigned to `{0}`")]
    Unassigned(String),
    #[error("brackets are nested too deeply")]
    TooDeep,
}

fn main() -> ExitCode {
    match run() {
        Ok(output) => {
            print!("{output}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles the file that the command line names, or [`DRAIN`] if it names none.
fn run() -> Result<String, Error> {
    match std::env::args().nth(1) {
        Some(path) => match std::fs::read_to_string(&path) {
            Ok(source) => compile(&source),
            Err(error) => Err(Error::File { path, error }),
        },
        None => compile(DRAIN),
    }
}

/// Compiles the text of a kernel to LLVM IR.
pub fn compile(source: &str) -> Result<String, Error> {
    let mut function = Frontend::new(source).kernel()?;
    // Construct SSA form, then infer the tokens of convergent operations from the graph.
    let shape = ssa::construct(&mut function);
    infer::infer(&mut function, &shape);
    if let Some(violation) = verify_shaped(&function, &shape).first() {
        return Err(Error::Graph(violation.rule));
    }
    let mut out = commented(&text::print(&function));
    let environment = Environment::of(&effect);
    let analysis = Analysis::of(&function, shape, &environment);
    let names = text::Names::of(&function);
    for (id, block) in function.blocks.iter_enumerated() {
        if matches!(block.terminator, Terminator::Branch { .. }) {
            let verdict = match analysis.state.branches[id].divergence {
                divergence if divergence.within(Scope::Subgroup) => "threads of a subgroup may part",
                divergence if divergence.within(Scope::Workgroup) => {
                    "subgroups may part, their threads do not"
                }
                _ => "all threads of a work-group agree",
            };
            let _ = writeln!(out, "; branch of {}: {verdict}", names.blocks[id]);
        }
    }
    let module = Module { file: "kernel".to_owned(), functions: vec![function], globals: Vec::new() };
    let options = Options { target: Target::None, language: &PlainNames, debug: false };
    let llvm = llvm::emit(&module, &options, &NoLocations).map_err(Error::NotLowered)?;
    Ok(out + &llvm)
}

fn commented(text: &str) -> String {
    text.lines().map(|line| format!("; {line}\n")).collect()
}

/// Returns the effect of a builtin of the language, for the uniformity analysis.
fn effect(callee: &Callee) -> Option<BuiltinEffect> {
    let result = match callee.name()?.as_str() {
        "lane" => Divergence::Subgroup,
        "sum" => Divergence::uniform_in(Scope::Subgroup),
        _ => Divergence::None,
    };
    Some(BuiltinEffect {
        result,
        of_arguments: false,
        of_argument: None,
        moved: None,
        alike: Default::default(),
        atomic: false,
        loads: false,
        of_tile: None,
        index: None,
    })
}

#[derive(Clone, Copy)]
enum Name {
    Buffer(ValueId),
    Variable(VariableId),
}

/// A parser that builds the function of a kernel while it reads the text.
struct Frontend<'a> {
    /// The words of the text, each with its line.
    words: Vec<(usize, &'a str)>,
    at: usize,
    depth: u32,
    names: HashMap<&'a str, Name>,
    builder: Builder,
}

impl<'a> Frontend<'a> {
    fn new(source: &'a str) -> Frontend<'a> {
        let mut words = Vec::new();
        for (number, line) in source.lines().enumerate() {
            let mut rest = line.split("//").next().unwrap_or_default().trim_start();
            while let Some(first) = rest.chars().next() {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let length = match is_word(first) {
                    true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                    false if rest.starts_with("==") => 2,
                    false => first.len_utf8(),
                };
                words.push((number + 1, &rest[..length]));
                rest = rest[length..].trim_start();
            }
        }
        Frontend { words, at: 0, depth: 0, names: HashMap::new(), builder: Builder::new("", Ty::VOID) }
    }

    fn word(&self) -> &'a str {
        self.words.get(self.at).map_or("", |&(_, word)| word)
    }

    fn next(&mut self) -> &'a str {
        let word = self.word();
        self.at += 1;
        word
    }

    fn eat(&mut self, word: &str) -> bool {
        let is = self.word() == word;
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, word: &'static str) -> Result<(), Error> {
        if self.eat(word) { Ok(()) } else { self.error(ParseError::MissingWord(word)) }
    }

    fn error<T>(&self, mistake: ParseError) -> Result<T, Error> {
        let line = self.words.get(self.at).or(self.words.last()).map_or(1, |&(line, _)| line);
        Err(Error::Text { line, mistake })
    }

    fn name(&mut self) -> Result<&'a str, Error> {
        match self.word().starts_with(|c: char| c.is_alphabetic() || c == '_') {
            true => Ok(self.next()),
            false => self.error(ParseError::MissingName),
        }
    }

    fn nested<T>(&mut self, read: fn(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == MAX_DEPTH {
            return self.error(ParseError::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn kernel(mut self) -> Result<Function, Error> {
        self.expect("kernel")?;
        let name = self.name()?;
        self.builder = Builder::new(name, Ty::VOID);
        self.builder.function().kernel = true;
        self.expect("(")?;
        while !self.eat(")") {
            if !self.names.is_empty() {
                self.expect(",")?;
            }
            let name = self.name()?;
            let meaning = if self.eat("[") {
                self.expect("]")?;
                Name::Buffer(self.builder.parameter(name, Ty::pointer(Ty::INT, AddressSpace::Global)))
            } else {
                let value = self.builder.parameter(name, Ty::INT);
                let variable = self.builder.variable(name, Ty::INT);
                self.builder.set(variable, value);
                Name::Variable(variable)
            };
            if self.names.insert(name, meaning).is_some() {
                return self.error(ParseError::DuplicateParameter);
            }
        }
        self.block()?;
        if self.at < self.words.len() {
            return self.error(ParseError::MissingEnd);
        }
        self.builder.ret(None);
        Ok(self.builder.finish())
    }

    fn block(&mut self) -> Result<(), Error> {
        self.expect("{")?;
        while !self.eat("}") {
            self.nested(Self::statement)?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), Error> {
        match self.name()? {
            "if" => self.condition_and_blocks(),
            "while" => self.iteration(),
            "barrier" => {
                self.builder.convergent_builtin("barrier", Ty::VOID, &[]);
                self.expect(";")
            }
            name => self.assignment(name),
        }
    }

    fn condition_and_blocks(&mut self) -> Result<(), Error> {
        let (then, end) = (self.builder.block("if.then"), self.builder.block("if.end"));
        let condition = self.condition()?;
        let before = self.builder.here();
        self.builder.at(then);
        self.block()?;
        self.builder.jump(end);
        let mut otherwise = end;
        if self.eat("else") {
            otherwise = self.builder.block("if.else");
            self.builder.at(otherwise);
            self.block()?;
            self.builder.jump(end);
        }
        self.builder.at(before);
        self.builder.branch(condition, then, otherwise);
        self.builder.at(end);
        Ok(())
    }

    fn iteration(&mut self) -> Result<(), Error> {
        let [head, body, end] =
            ["while.cond", "while.body", "while.end"].map(|name| self.builder.block(name));
        self.builder.jump(head);
        self.builder.at(head);
        let condition = self.condition()?;
        self.builder.branch(condition, body, end);
        self.builder.at(body);
        self.block()?;
        self.builder.jump(head);
        self.builder.at(end);
        Ok(())
    }

    /// Parses the rest of `name = e;` or `name[e] = e;`, after the name.
    fn assignment(&mut self, name: &'a str) -> Result<(), Error> {
        if self.word() == "[" {
            let address = self.element(name)?;
            self.expect("=")?;
            let value = self.number()?;
            self.builder.store(value, address);
            return self.expect(";");
        }
        self.expect("=")?;
        let value = self.number()?;
        let builder = &mut self.builder;
        match self.names.entry(name).or_insert_with(|| Name::Variable(builder.variable(name, Ty::INT))) {
            Name::Variable(variable) => self.builder.set(*variable, value),
            Name::Buffer(_) => return self.error(ParseError::WholeBuffer),
        }
        self.expect(";")
    }

    fn element(&mut self, name: &str) -> Result<ValueId, Error> {
        let Some(&Name::Buffer(base)) = self.names.get(name) else {
            return self.error(ParseError::NotABuffer(name.to_owned()));
        };
        self.expect("[")?;
        let index = self.nested(Self::number)?;
        self.expect("]")?;
        Ok(self.builder.element(Ty::INT, base, index))
    }

    /// Parses `(e)`, where `e` is a comparison.
    fn condition(&mut self) -> Result<ValueId, Error> {
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        match self.builder.ty(value) == Ty::BOOL {
            true => Ok(value),
            false => self.error(ParseError::NotACondition),
        }
    }

    fn number(&mut self) -> Result<ValueId, Error> {
        let value = self.expression()?;
        match self.builder.ty(value) == Ty::INT {
            true => Ok(value),
            false => self.error(ParseError::NotANumber),
        }
    }

    /// Parses a sum, or a comparison of two sums.
    fn expression(&mut self) -> Result<ValueId, Error> {
        let left = self.sum()?;
        let op = match self.word() {
            "<" => Comparison::Less,
            ">" => Comparison::Greater,
            "==" => Comparison::Equal,
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.sum()?;
        Ok(self.builder.compare(op, left, right))
    }

    fn sum(&mut self) -> Result<ValueId, Error> {
        let mut left = self.primary()?;
        loop {
            let op = match self.word() {
                "+" => Arithmetic::Add,
                "-" => Arithmetic::Sub,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.primary()?;
            left = self.builder.binary(op, left, right);
        }
    }

    fn primary(&mut self) -> Result<ValueId, Error> {
        if self.eat("(") {
            let value = self.nested(Self::number)?;
            self.expect(")")?;
            return Ok(value);
        }
        if self.word().starts_with(|c: char| c.is_ascii_digit()) {
            return match self.word().parse::<i32>() {
                Ok(number) => {
                    self.at += 1;
                    Ok(self.builder.integer(Ty::INT, number.into()))
                }
                Err(_) => self.error(ParseError::TooLarge),
            };
        }
        match self.name()? {
            "lane" => Ok(self.builder.builtin("lane", Ty::INT, &[])),
            "sum" => {
                self.expect("(")?;
                let value = self.nested(Self::number)?;
                self.expect(")")?;
                Ok(self.builder.convergent_builtin("sum", Ty::INT, &[value]))
            }
            name if self.word() == "[" => {
                let address = self.element(name)?;
                Ok(self.builder.load(Ty::INT, address))
            }
            name => match self.names.get(name) {
                Some(&Name::Variable(variable)) => Ok(self.builder.get(variable)),
                _ => self.error(ParseError::Unassigned(name.to_owned())),
            },
        }
    }
}
