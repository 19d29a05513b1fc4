//! Parses macro definitions once, into a form for fast expansion.

use std::sync::{LazyLock, RwLock};

use rustc_hash::FxHashMap;
use tangle_grammar::lex::{LexFlags, LexToken};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use thiserror::Error;

use super::condition;
use super::known::{Builtin, RESERVED};

/// A macro without its name and location. Equal macros share one definition.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    pub shape: MacroKind,
    pub body: Box<[BodyToken]>,
    /// For each parameter, whether the body uses its expanded argument. Empty if all tokens of the body are plain.
    pub expanded: Box<[bool]>,
    /// Whether it applies only because the name was undefined: `#ifndef X`, `#define X 0`.
    pub is_default: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
pub enum MacroKind {
    Object,
    /// The last parameter of a variadic macro takes all further arguments.
    Function {
        parameters: usize,
        variadic: bool,
    },
    Builtin(Builtin),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyToken {
    pub kind: TokenKind,
    pub flags: LexFlags,
    pub role: BodyRole,
    pub text: Symbol,
    /// The distance from the macro's name, in tokens.
    pub offset: u32,
}

/// The replacement of a token of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyRole {
    Plain,
    /// A parameter: the argument, fully expanded.
    Expanded(u16),
    /// A parameter next to `##`: the argument without expansion.
    Raw(u16),
    /// `#parameter`.
    Quoted(u16),
    /// `##`.
    Paste,
    /// The comma in `, ## __VA_ARGS__`: removed if there are no variadic arguments.
    OptionalComma,
    /// `__VA_OPT__(…)`: the given number of following body tokens is removed if there are no variadic arguments.
    Optional(u16),
}

/// The result of parsing a `#define` line.
pub struct Reading {
    pub definition: Definition,
    pub complaint: Option<DefinitionError>,
}

/// An error in a `#define` line. Tokens are given by their spelling.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Error)]
pub enum DefinitionError {
    #[error("expected a macro name")]
    MissingName,
    #[error("`{0}` is a reserved name")]
    ReservedName(Symbol),
    #[error("the parameter list has no closing `)`")]
    UnclosedParameters,
    #[error("duplicate parameter `{0}`")]
    DuplicateParameter(Symbol),
    #[error("expected a parameter name, found `{0}`")]
    NotAParameter(&'static str),
    /// A token between two parameters, or after `...`.
    #[error("unexpected `{0}` in the parameter list")]
    UnexpectedInParameters(&'static str),
    #[error("it has too many parameters")]
    TooManyParameters,
    #[error("`##` cannot be at the start of the replacement")]
    PasteAtStart,
    #[error("`##` cannot be at the end of the replacement")]
    PasteAtEnd,
    #[error("`#` must be followed by a parameter")]
    QuoteWithoutParameter,
    #[error("`__VA_OPT__` must be followed by parentheses")]
    OptionalWithoutParentheses,
}

/// Definitions live as long as the process, like symbols, so that they can be compared by address.
static DEFINITIONS: LazyLock<RwLock<FxHashMap<&'static Definition, ()>>> = LazyLock::new(RwLock::default);

impl Definition {
    /// Returns the unique definition that is equal to this one. Interned definitions can be compared by address.
    pub fn intern(self) -> &'static Definition {
        if let Some((&definition, ())) =
            DEFINITIONS.read().expect("no panic under this lock").get_key_value(&self)
        {
            return definition;
        }
        let mut definitions = DEFINITIONS.write().expect("no panic under this lock");
        if let Some((&definition, ())) = definitions.get_key_value(&self) {
            return definition;
        }
        let definition: &'static Definition = Box::leak(Box::new(self));
        definitions.insert(definition, ());
        definition
    }

    pub fn builtin(builtin: Builtin) -> Definition {
        Definition {
            shape: MacroKind::Builtin(builtin),
            body: Box::default(),
            expanded: Box::default(),
            is_default: false,
        }
    }

    /// Returns the value of the macro if its body is one number.
    pub fn number(&self) -> Option<i64> {
        match &*self.body {
            [number] if number.kind == TokenKind::Number => condition::integer(number.text.as_str()),
            _ => None,
        }
    }

    /// The index of the variadic parameter.
    pub fn variadic_index(&self) -> Option<usize> {
        match self.shape {
            MacroKind::Function { parameters, variadic: true } => parameters.checked_sub(1),
            _ => None,
        }
    }
}

/// Parses the part of a `#define` line after the macro's name.
pub fn read(line: &[LexToken]) -> Result<Reading, DefinitionError> {
    let mut at = 0;
    let mut parameters: Vec<Symbol> = Vec::new();
    let mut variadic = false;
    let function =
        line.first().is_some_and(|token| token.kind == TokenKind::LeftParen && !token.flags.separated());
    if function {
        at = 1;
        loop {
            let token = line.get(at).ok_or(DefinitionError::UnclosedParameters)?;
            at += 1;
            match token.kind {
                TokenKind::RightParen if parameters.is_empty() => break,
                TokenKind::Ellipsis => {
                    variadic = true;
                    parameters.push(RESERVED.va_args);
                }
                TokenKind::Identifier => {
                    if parameters.contains(&token.text) {
                        return Err(DefinitionError::DuplicateParameter(token.text));
                    }
                    parameters.push(token.text);
                    if line.get(at).is_some_and(|token| token.kind == TokenKind::Ellipsis) {
                        variadic = true;
                        at += 1;
                    }
                }
                _ => return Err(DefinitionError::NotAParameter(token.spelling())),
            }
            let separator = line.get(at).ok_or(DefinitionError::UnclosedParameters)?;
            at += 1;
            match separator.kind {
                TokenKind::RightParen => break,
                TokenKind::Comma if !variadic => {}
                _ => return Err(DefinitionError::UnexpectedInParameters(separator.spelling())),
            }
        }
        if parameters.len() > usize::from(u16::MAX) {
            return Err(DefinitionError::TooManyParameters);
        }
    }
    let mut reader = BodyReader {
        parameters: parameters.iter().enumerate().map(|(index, &name)| (name, index as u16)).collect(),
        function,
        variadic,
        body: Vec::with_capacity(line.len() - at),
        complaint: None,
    };
    reader.read(line, at, line.len());
    let mut body = reader.body;
    mark_operands(&mut body, variadic.then(|| parameters.len() as u16 - 1));
    let mut complaint = reader.complaint;
    // `#define UNROLL #pragma unroll`: device compilers treat it like a `_Pragma`, which does not affect the
    // analysis.
    if matches!(&body[..], [hash, word, ..] if hash.kind == TokenKind::Hash && word.text.as_str() == "pragma")
    {
        body.clear();
    }
    while body.first().is_some_and(|token| token.role == BodyRole::Paste) {
        body.remove(0);
        complaint = Some(DefinitionError::PasteAtStart);
    }
    while body.last().is_some_and(|token| token.role == BodyRole::Paste) {
        body.pop();
        complaint = Some(DefinitionError::PasteAtEnd);
    }
    let mut expanded = Vec::new();
    if body.iter().any(|token| token.role != BodyRole::Plain) {
        expanded.resize(parameters.len(), false);
        for token in &body {
            match token.role {
                BodyRole::Expanded(index) => expanded[usize::from(index)] = true,
                // Only the expansion shows whether there are variadic arguments.
                BodyRole::Optional(length) if length > 0 => expanded[parameters.len() - 1] = true,
                _ => {}
            }
        }
    }
    let shape = match function {
        true => MacroKind::Function { parameters: parameters.len(), variadic },
        false => MacroKind::Object,
    };
    Ok(Reading {
        definition: Definition { shape, body: body.into(), expanded: expanded.into(), is_default: false },
        complaint,
    })
}

struct BodyReader {
    parameters: FxHashMap<Symbol, u16>,
    function: bool,
    variadic: bool,
    body: Vec<BodyToken>,
    complaint: Option<DefinitionError>,
}

impl BodyReader {
    fn parameter(&self, token: Option<&LexToken>) -> Option<u16> {
        let token = token.filter(|token| token.kind == TokenKind::Identifier)?;
        self.parameters.get(&token.text).copied()
    }

    /// Parses `line[at..end]`. A `__VA_OPT__` cannot contain another one.
    fn read(&mut self, line: &[LexToken], mut at: usize, end: usize) {
        // The current `__VA_OPT__`: its index in the body, and the index of its `)` in the line.
        let mut optional: Option<(usize, usize)> = None;
        while at < end {
            if let Some((start, close)) = optional
                && at == close
            {
                let length = (self.body.len() - start - 1).min(usize::from(u16::MAX)) as u16;
                self.body[start].role = BodyRole::Optional(length);
                optional = None;
                at += 1;
                continue;
            }
            let token = line[at];
            let mut role = BodyRole::Plain;
            let mut used = 1;
            match token.kind {
                TokenKind::HashHash => role = BodyRole::Paste,
                TokenKind::Hash if self.function => match self.parameter(line.get(at + 1)) {
                    Some(index) => {
                        role = BodyRole::Quoted(index);
                        used = 2;
                    }
                    None => self.complaint = Some(DefinitionError::QuoteWithoutParameter),
                },
                TokenKind::Identifier => {
                    if let Some(index) = self.parameter(Some(&token)) {
                        role = BodyRole::Expanded(index);
                    } else if self.variadic && token.text == RESERVED.va_opt && optional.is_none() {
                        match closing(line, at + 1) {
                            Some(close) => {
                                optional = Some((self.body.len(), close));
                                role = BodyRole::Optional(0);
                                used = 2;
                            }
                            None => self.complaint = Some(DefinitionError::OptionalWithoutParentheses),
                        }
                    }
                }
                _ => {}
            }
            self.body.push(BodyToken {
                kind: token.kind,
                flags: if token.flags.separated() { LexFlags::SPACE_BEFORE } else { LexFlags::NONE },
                role,
                text: token.text,
                offset: at as u32 + 1,
            });
            at += used;
        }
    }
}

/// The index of the `)` that closes the `(` at `open`.
fn closing(line: &[LexToken], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in line.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen if depth == 1 => return Some(index),
            TokenKind::RightParen => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Marks parameters next to `##` as not expanded, and removes the `##` of `, ## __VA_ARGS__`.
fn mark_operands(body: &mut [BodyToken], variadic: Option<u16>) {
    let mut index = 0;
    while index < body.len() {
        if body[index].role == BodyRole::Paste {
            let raw = |role: BodyRole| {
                if let BodyRole::Expanded(index) = role { BodyRole::Raw(index) } else { role }
            };
            if let Some(next) = body.get_mut(index + 1) {
                next.role = raw(next.role);
            }
            if index > 0 {
                body[index - 1].role = raw(body[index - 1].role);
            }
            if index > 0
                && body[index - 1].kind == TokenKind::Comma
                && variadic.is_some()
                && body.get(index + 1).map(|next| next.role) == variadic.map(BodyRole::Raw)
            {
                body[index - 1].role = BodyRole::OptionalComma;
                // The lengths of `__VA_OPT__` groups count this operator, so the token stays, as an optional group
                // without tokens.
                body[index].role = BodyRole::Optional(0);
            }
        }
        index += 1;
    }
}
