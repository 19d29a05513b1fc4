//! Reads the text of flow graphs, as [`print`](super::print()) writes it.
//!
//! The result is a function in its [normal form](super::normal()). Each input is either read or rejected with the
//! location of the error, in time and memory that depend only on its length. The reader does not check the rules of the
//! verifier.

mod body;
mod data;
mod infer;
mod lex;
mod types;

use std::fmt;

use rustc_hash::FxHashMap;
use tangle_base::{Namespace, Symbol};

use self::lex::{Kind, Token};
use crate::flow::{Function, Module};
use crate::key::{Candidates, DeclaringScope, FunctionKey, UnresolvedCallee};
use crate::types::Ty;

/// The maximum nesting depth of brackets.
const MAX_DEPTH: u32 = 1000;

/// An error in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The message.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    fn at(text: &str, byte: usize, message: String) -> Error {
        let before = &text[..byte];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        Error { line, column: before[start..].chars().count() + 1, message }
    }
}

/// Reads one function, with the declarations before it.
///
/// # Errors
///
/// If the text is not exactly one function.
pub fn read(text: &str) -> Result<Function, Error> {
    let mut module = read_module("", text)?;
    match (module.functions.pop(), module.functions.is_empty()) {
        (Some(function), true) => Ok(function),
        _ => Err(Error::at(text, 0, "expected exactly one function".to_owned())),
    }
}

/// Reads a module. The path `file` is not part of the text.
///
/// # Errors
///
/// If the text is not a module.
pub fn read_module(file: &str, text: &str) -> Result<Module, Error> {
    let mut parser = Parser {
        text,
        tokens: lex::tokens(text)?,
        at: 0,
        depth: 0,
        types: FxHashMap::default(),
        addresses: FxHashMap::default(),
    };
    parser.module(file)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// The types that `type` lines define, by name.
    types: FxHashMap<String, Ty>,
    /// The types of the addresses of variables and functions, by name with `@`.
    addresses: FxHashMap<String, Ty>,
}

impl<'a> Parser<'a> {
    fn module(&mut self, file: &str) -> Result<Module, Error> {
        let mut module = Module { file: file.to_owned(), functions: Vec::new(), globals: Vec::new() };
        loop {
            while self.kind() == &Kind::Break {
                self.at += 1;
            }
            if self.kind() == &Kind::End {
                return Ok(module);
            }
            match self.word() {
                Some("type") => {
                    self.at += 1;
                    self.type_line()?;
                }
                Some("use") => {
                    self.at += 1;
                    let name = self.address_name()?;
                    self.expect(":")?;
                    let ty = self.ty()?;
                    self.addresses.insert(name, ty);
                    self.line_end()?;
                }
                Some("variable") => {
                    self.at += 1;
                    let global = self.global()?;
                    let ty = Ty::pointer(global.ty, global.space);
                    self.addresses.entry(crate::text::names::global(global.name)).or_insert(ty);
                    module.globals.push(global);
                    self.line_end()?;
                }
                Some("function") => {
                    self.at += 1;
                    module.functions.push(self.function()?);
                }
                _ => return Err(self.error("expected `type`, `use`, `variable` or `function`")),
            }
        }
    }

    /// Reads `@name`, and returns its text.
    fn address_name(&mut self) -> Result<String, Error> {
        let start = self.token().start;
        self.expect("@")?;
        self.key()?;
        Ok(self.text[start..self.end_before()].to_owned())
    }

    /// Reads a function or variable after `@`. A variable is read as a function key with the full name.
    fn key(&mut self) -> Result<FunctionKey, Error> {
        if let Some((name, literal)) = self.literal()? {
            let owner = DeclaringScope::Function { name, literal };
            return self.rest_of_key(owner, Symbol::EMPTY);
        }
        // `class` can also be the name of a function.
        if self.word() == Some("class") && matches!(self.kind_at(self.at + 1), Kind::Word | Kind::Quoted(_)) {
            self.at += 1;
            let (class, name) = self.member()?;
            return self.rest_of_key(DeclaringScope::Class(class), name);
        }
        let mut namespace = Namespace::GLOBAL;
        let mut name = self.name("a name")?;
        while let Kind::Mark(mark @ ("." | "::")) = *self.kind() {
            self.at += 1;
            let next = self.name("a name")?;
            if mark == "::" {
                namespace = namespace.child(Symbol::intern(&name));
                name = next;
            } else {
                name = format!("{name}.{next}");
            }
        }
        let owner = DeclaringScope::Namespace(namespace);
        self.rest_of_key(owner, Symbol::intern(&name))
    }

    /// Reads what follows the name of a function: the arguments for which a template is declared, the arguments of an
    /// instantiation, and the type that distinguishes an overload.
    fn rest_of_key(&mut self, owner: DeclaringScope, name: Symbol) -> Result<FunctionKey, Error> {
        let head = self.instance_arguments("for")?;
        let arguments = self.instance_arguments("of")?;
        Ok(FunctionKey { owner, name, overload: self.overload()?, head, arguments })
    }

    /// Reads the type after a name, in `<…>`, that distinguishes a function from others with the same name.
    fn overload(&mut self) -> Result<Option<Ty>, Error> {
        if !self.eat("<") {
            return Ok(None);
        }
        let ty = self.ty()?;
        self.expect(">")?;
        Ok(Some(ty))
    }

    /// Reads `literal 1 of f`: a lambda or block literal. `literal` can also be the name of a function.
    fn literal(&mut self) -> Result<Option<(Symbol, u32)>, Error> {
        if !self.is_word("literal") || *self.kind_at(self.at + 1) != Kind::Number {
            return Ok(None);
        }
        self.at += 1;
        let literal = self.number("the number of a literal")?;
        if !self.eat_word("of") {
            return Err(self.error("expected `of`"));
        }
        Ok(Some((Symbol::intern(&self.name("a function")?), literal)))
    }

    /// Reads the name of a callee that overload resolution cannot decide. None for `_`.
    pub(super) fn named(&mut self) -> Result<Option<UnresolvedCallee>, Error> {
        if let Some((around, literal)) = self.literal()? {
            return Ok(Some(UnresolvedCallee::Literal { around, literal }));
        }
        // Each of these words can also be the name of the function.
        let is_mark = |reader: &Self| *reader.kind_at(reader.at + 1) == Kind::Mark("(");
        let foreign = !is_mark(self) && self.eat_word("foreign");
        let method = !is_mark(self) && self.eat_word("method");
        let qualified = !is_mark(self) && !foreign && !method && self.eat_word("qualified");
        if !foreign && !qualified && self.eat("[") {
            let mut keys = Vec::new();
            while !self.eat("]") {
                if !keys.is_empty() {
                    self.expect(",")?;
                }
                self.expect("@")?;
                keys.push(self.key()?);
            }
            return Ok(Some(UnresolvedCallee::OneOf {
                candidates: Candidates::new(&keys),
                of_object: method,
            }));
        }
        let name = Symbol::intern(&self.name("a callee")?);
        Ok(match (foreign, method) {
            (true, of_object) => Some(UnresolvedCallee::Undeclared { name, of_object }),
            (false, true) => Some(UnresolvedCallee::Method(name)),
            (false, false) if qualified => Some(UnresolvedCallee::Qualified(name)),
            (false, false) => Some(UnresolvedCallee::Function(name)).filter(|_| name.as_str() != "_"),
        })
    }

    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> &Kind {
        &self.token().kind
    }

    fn kind_at(&self, at: usize) -> &Kind {
        &self.tokens[at.min(self.tokens.len() - 1)].kind
    }

    fn word_at(&self, at: usize) -> Option<&'a str> {
        let token = &self.tokens[at.min(self.tokens.len() - 1)];
        (token.kind == Kind::Word).then(|| &self.text[token.start..token.end])
    }

    fn word(&self) -> Option<&'a str> {
        self.word_at(self.at)
    }

    /// Returns the byte offset at which the last read token ends.
    fn end_before(&self) -> usize {
        self.tokens[self.at - 1].end
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.kind(), Kind::Mark(it) if *it == mark)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let is = self.is(mark);
        self.at += usize::from(is);
        is
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.word() == Some(word);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, mark: &str) -> Result<(), Error> {
        if self.eat(mark) { Ok(()) } else { Err(self.error(&format!("expected `{mark}`"))) }
    }

    fn keyword(&mut self, word: &str) -> Result<(), Error> {
        if self.eat_word(word) { Ok(()) } else { Err(self.error(&format!("expected `{word}`"))) }
    }

    fn line_end(&mut self) -> Result<(), Error> {
        match self.kind() {
            Kind::Break => self.at += 1,
            Kind::End => {}
            _ => return Err(self.error("expected the end of the line")),
        }
        Ok(())
    }

    /// Reads a word or a quoted name.
    fn name(&mut self, what: &str) -> Result<String, Error> {
        let missing = || self.error(&format!("expected {what}"));
        let name = match self.kind() {
            Kind::Word => self.word().unwrap_or_default().to_owned(),
            Kind::Quoted(bytes) => String::from_utf8(bytes.to_vec()).map_err(|_| missing())?,
            _ => return Err(missing()),
        };
        self.at += 1;
        Ok(name)
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Error> {
        let token = self.token();
        let text = &self.text[token.start..token.end];
        if token.kind != Kind::Number {
            return Err(self.error(&format!("expected {what}")));
        }
        let invalid = |_| self.error(&format!("{what} must be an integer in range"));
        let number = text.parse::<T>().map_err(invalid)?;
        self.at += 1;
        Ok(number)
    }

    fn error(&self, message: &str) -> Error {
        self.error_at(self.at, message)
    }

    fn error_at(&self, token: usize, message: &str) -> Error {
        let token = &self.tokens[token.min(self.tokens.len() - 1)];
        Error::at(self.text, token.start, message.to_owned())
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == MAX_DEPTH {
            return Err(self.error("brackets are nested too deeply"));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(128 << 10, 1 << 20, || read(self));
        self.depth -= 1;
        result
    }
}
