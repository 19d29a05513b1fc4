//! A frontend for `tangle-ir` in one file: a toy language in which every thread runs one kernel.
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
//! `p[]` is a buffer of integers, every other name an integer variable; `sum(e)` adds over the threads that execute it together. What is
//! compiled is LLVM IR; before it, as comments, stand the graph with its tokens, and how far the threads agree at each branch.
//!
//! ```sh
//! cargo run -p tangle-ir --example simt | opt-19 -passes=verify -S
//! ```

use std::collections::HashMap;
use std::fmt::Write;

use tangle_ir::flow::builder::Builder;
use tangle_ir::flow::verify::verify_shaped;
use tangle_ir::flow::{Callee, Function, Module, Terminator, ValueId, VariableId, infer, ssa};
use tangle_ir::llvm::{self, NoPlaces, Options, PlainNames, Target};
use tangle_ir::scope::Scope;
use tangle_ir::types::Ty;
use tangle_ir::uniformity::Divergence;
use tangle_ir::uniformity::analysis::{Analysis, Effect, Environment};
use tangle_ir::value::{Arithmetic, Comparison};
use tangle_ir::{AddressSpace, text};

/// What is compiled where no file is named.
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

/// How deep brackets nest at most.
const MAX_DEPTH: u32 = 100;

fn main() -> Result<(), String> {
    let source = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?,
        None => DRAIN.to_owned(),
    };
    print!("{}", compile(&source)?);
    Ok(())
}

/// From the text of a kernel to LLVM IR, or to what is wrong with it.
pub fn compile(source: &str) -> Result<String, String> {
    let mut function = Frontend::new(source).kernel()?;
    // Variables become values; which threads execute a convergent operation together is inferred from the graph.
    let shape = ssa::construct(&mut function);
    infer::infer(&mut function, &shape);
    if let Some(violation) = verify_shaped(&function, &shape).first() {
        return Err(format!("the graph violates the rule `{}`", violation.rule.row().name));
    }
    let mut out = commented(&text::print(&function));
    let environment = Environment::of(&effect);
    let analysis = Analysis::of(&function, shape, &environment);
    let names = text::Names::of(&function);
    for (id, block) in function.blocks.iter_enumerated() {
        if matches!(block.terminator, Terminator::Branch { .. }) {
            let verdict = match analysis.branches[id].divergence {
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
    let llvm = llvm::emit(&module, &options, &NoPlaces).map_err(|error| error.reason)?;
    Ok(out + &llvm)
}

fn commented(text: &str) -> String {
    text.lines().map(|line| format!("; {line}\n")).collect()
}

/// What uniformity has to know of the builtins of the language.
fn effect(callee: &Callee) -> Option<Effect> {
    let result = match callee.name()?.as_str() {
        "lane" => Divergence::Subgroup,
        "sum" => Divergence::uniform_in(Scope::Subgroup),
        _ => Divergence::None,
    };
    Some(Effect {
        result,
        of_arguments: false,
        of_argument: None,
        moved: None,
        alike: Default::default(),
        atomic: false,
        loads: false,
        index: None,
    })
}

#[derive(Clone, Copy)]
enum Name {
    Buffer(ValueId),
    Variable(VariableId),
}

/// Reads a kernel, and builds it as it goes.
struct Frontend<'a> {
    /// Each with its line.
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

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.eat(word) { Ok(()) } else { self.error(&format!("expected `{word}`")) }
    }

    fn error<T>(&self, message: &str) -> Result<T, String> {
        let line = self.words.get(self.at).or(self.words.last()).map_or(1, |&(line, _)| line);
        Err(format!("line {line}: {message}"))
    }

    fn name(&mut self) -> Result<&'a str, String> {
        match self.word().starts_with(|c: char| c.is_alphabetic() || c == '_') {
            true => Ok(self.next()),
            false => self.error("expected a name"),
        }
    }

    fn nested<T>(&mut self, read: fn(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth == MAX_DEPTH {
            return self.error("brackets are nested too deeply");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn kernel(mut self) -> Result<Function, String> {
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
                return self.error("two parameters have the same name");
            }
        }
        self.block()?;
        if self.at < self.words.len() {
            return self.error("expected the end of the kernel");
        }
        self.builder.ret(None);
        Ok(self.builder.finish())
    }

    fn block(&mut self) -> Result<(), String> {
        self.expect("{")?;
        while !self.eat("}") {
            self.nested(Self::statement)?;
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), String> {
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

    fn condition_and_blocks(&mut self) -> Result<(), String> {
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

    fn iteration(&mut self) -> Result<(), String> {
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

    /// `name = e;` or `name[e] = e;`
    fn assignment(&mut self, name: &'a str) -> Result<(), String> {
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
            Name::Buffer(_) => return self.error("a buffer is written element by element"),
        }
        self.expect(";")
    }

    fn element(&mut self, name: &str) -> Result<ValueId, String> {
        let Some(&Name::Buffer(base)) = self.names.get(name) else {
            return self.error(&format!("`{name}` is not a buffer"));
        };
        self.expect("[")?;
        let index = self.nested(Self::number)?;
        self.expect("]")?;
        Ok(self.builder.element(Ty::INT, base, index))
    }

    /// `(e)`, of which it only matters whether it holds.
    fn condition(&mut self) -> Result<ValueId, String> {
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        match self.builder.ty(value) == Ty::BOOL {
            true => Ok(value),
            false => self.error("a condition compares two numbers"),
        }
    }

    fn number(&mut self) -> Result<ValueId, String> {
        let value = self.expression()?;
        match self.builder.ty(value) == Ty::INT {
            true => Ok(value),
            false => self.error("expected a number, not a comparison"),
        }
    }

    /// A sum, or two of them compared.
    fn expression(&mut self) -> Result<ValueId, String> {
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

    fn sum(&mut self) -> Result<ValueId, String> {
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

    fn primary(&mut self) -> Result<ValueId, String> {
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
                Err(_) => self.error("expected a 32-bit number"),
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
                _ => self.error(&format!("nothing was assigned to `{name}`")),
            },
        }
    }
}
