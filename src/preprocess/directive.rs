//! Directives: what each line that begins with `#` does.

use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::lex::{LexFlags, LexToken, Lexed};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::condition;
use super::definition;
use super::expand::Tok;
use super::known::{Directive, KNOWN};
use super::origin::Origin;
use super::problem::{Problem, ProblemKind};
use super::unit::{Condition, Unit};

/// The index behind the last token of the line that goes on at `at`.
fn line_end(lexed: &Lexed, at: u32) -> u32 {
    let rest = &lexed.tokens[at as usize..];
    let length = rest.iter().position(|token| token.flags.line_start()).unwrap_or(rest.len());
    at + length as u32
}

/// The text of a line, its white space made even.
fn text_of(line: &[LexToken]) -> String {
    let mut text = String::new();
    for token in line.iter().filter(|token| token.kind != TokenKind::UnclosedComment) {
        if !text.is_empty() && token.flags.separated() {
            text.push(' ');
        }
        text.push_str(token.spelling());
    }
    text
}

impl Unit<'_> {
    /// Obeys the directive that comes next.
    pub fn directive(&mut self) {
        let lexed = Arc::clone(&self.cursor.lexed);
        let hash = self.cursor.stop();
        let end = line_end(&lexed, hash + 1);
        self.cursor.directive += 1;
        self.cursor.pos = end;
        let name = hash + 1;
        if name == end {
            return;
        }
        let token = lexed.tokens[name as usize];
        let rest = name + 1..end;
        let line = &lexed.tokens[rest.start as usize..rest.end as usize];
        let directive = match token.kind {
            TokenKind::Identifier => KNOWN.directive(token.text),
            // A line marker.
            TokenKind::Number | TokenKind::UnclosedComment => Some(Directive::Ignored),
            _ => None,
        };
        match directive {
            Some(Directive::If | Directive::Ifdef | Directive::Ifndef) => {
                let taken = self.test(directive, &lexed, name, end);
                self.cursor.conditions.push(Condition { opener: name, taken, otherwise: None });
                if !taken {
                    self.skip(&lexed);
                }
            }
            Some(Directive::Elif | Directive::Elifdef | Directive::Elifndef | Directive::Else) => {
                if self.cursor.conditions.is_empty() {
                    return self.problem(ProblemKind::StrayConditional { directive: token.text }, name);
                }
                // The group before was taken.
                self.otherwise(directive, token.text, name);
                self.skip(&lexed);
            }
            Some(Directive::Endif) => {
                if self.cursor.conditions.pop().is_none() {
                    self.problem(ProblemKind::StrayConditional { directive: token.text }, name);
                }
            }
            Some(Directive::Define) => self.define_line(line, rest.start),
            Some(Directive::Undef) => match line.first() {
                Some(token) if token.kind == TokenKind::Identifier => {
                    self.define(token.text, None, rest.start)
                }
                _ => self.problem(
                    ProblemKind::BadDefine { reason: "`#undef` needs the name of a macro".into() },
                    name,
                ),
            },
            Some(Directive::Include) => self.include_line(&lexed, rest, false),
            Some(Directive::IncludeNext) => self.include_line(&lexed, rest, true),
            Some(Directive::Error) => self.problem(ProblemKind::ErrorDirective { text: text_of(line) }, name),
            Some(Directive::Warning) => {
                self.problem(ProblemKind::WarningDirective { text: text_of(line) }, name)
            }
            Some(Directive::Pragma) => self.pragma_line(line, name),
            Some(Directive::Ignored) => {}
            None => self.problem(ProblemKind::UnknownDirective { name: token.spelling().into() }, name),
        }
    }

    /// Whether the group behind a condition is to be taken.
    fn test(&mut self, directive: Option<Directive>, lexed: &Lexed, name: u32, end: u32) -> bool {
        let operand = lexed.tokens[name as usize + 1..end as usize].first();
        match directive {
            Some(Directive::If | Directive::Elif) => self.evaluate(lexed, name, end),
            _ => {
                let Some(operand) = operand.filter(|token| token.kind == TokenKind::Identifier) else {
                    let reason = "it needs the name of a macro".into();
                    self.problem(ProblemKind::BadCondition { reason }, name);
                    return false;
                };
                let wanted = matches!(directive, Some(Directive::Ifdef | Directive::Elifdef));
                self.is_defined(operand.text) == wanted
            }
        }
    }

    pub fn is_defined(&mut self, name: Symbol) -> bool {
        self.meaning(name).definition.is_some()
            || KNOWN.operator(name).is_some_and(|_| name.as_str().starts_with("__"))
    }

    fn evaluate(&mut self, lexed: &Lexed, name: u32, end: u32) -> bool {
        let line = self.tokens_of(lexed, name + 1..end);
        let value = match self.expand_line(&line, true) {
            Some(tokens) => condition::evaluate(&tokens),
            // The trouble has been reported.
            None => return false,
        };
        match value {
            Ok(value) => value,
            Err(reason) => {
                self.problem(ProblemKind::BadCondition { reason }, name);
                false
            }
        }
    }

    fn tokens_of(&self, lexed: &Lexed, range: Range<u32>) -> Vec<Tok> {
        range
            .map(|index| {
                let token = lexed.tokens[index as usize];
                let origin = Origin::written(self.cursor.file, index);
                Tok { kind: token.kind, flags: token.flags, painted: false, text: token.text, origin }
            })
            .filter(|token| token.kind != TokenKind::UnclosedComment)
            .collect()
    }

    /// Checks that an `#else` or `#elif` comes in order.
    fn otherwise(&mut self, directive: Option<Directive>, word: Symbol, name: u32) {
        let file = self.cursor.file;
        let Some(condition) = self.cursor.conditions.last_mut() else { return };
        if let Some(first) = condition.otherwise {
            self.builder.problems.push(Problem {
                kind: ProblemKind::AfterElse { directive: word },
                origin: Origin::written(file, name),
                related: vec![Origin::written(file, first)],
            });
        } else if directive == Some(Directive::Else) {
            condition.otherwise = Some(name);
        }
    }

    /// Goes on behind the directive that ends the current group or begins one to be taken.
    fn skip(&mut self, lexed: &Lexed) {
        let mut depth = 0u32;
        loop {
            let hash = self.cursor.stop();
            if hash as usize >= lexed.tokens.len() {
                self.cursor.pos = hash;
                return;
            }
            self.cursor.directive += 1;
            let name = hash + 1;
            let directive = lexed
                .tokens
                .get(name as usize)
                .filter(|token| token.kind == TokenKind::Identifier && !token.flags.line_start())
                .and_then(|token| Some((KNOWN.directive(token.text)?, token.text)));
            let Some((directive, word)) = directive else { continue };
            match directive {
                Directive::If | Directive::Ifdef | Directive::Ifndef => depth += 1,
                Directive::Endif if depth > 0 => depth -= 1,
                Directive::Endif => {
                    self.cursor.conditions.pop();
                    self.cursor.pos = line_end(lexed, name);
                    return;
                }
                Directive::Elif | Directive::Elifdef | Directive::Elifndef | Directive::Else
                    if depth == 0 =>
                {
                    self.otherwise(Some(directive), word, name);
                    let open = self.cursor.conditions.last();
                    if open.is_some_and(|condition| {
                        condition.taken || condition.otherwise.is_some_and(|first| first != name)
                    }) {
                        continue;
                    }
                    let end = line_end(lexed, name);
                    self.cursor.pos = end;
                    if directive == Directive::Else || self.test(Some(directive), lexed, name, end) {
                        if let Some(condition) = self.cursor.conditions.last_mut() {
                            condition.taken = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn define_line(&mut self, line: &[LexToken], name: u32) {
        let Some(token) = line.first().filter(|token| token.kind == TokenKind::Identifier) else {
            let reason = "`#define` needs a name".into();
            return self.problem(ProblemKind::BadDefine { reason }, name.saturating_sub(1));
        };
        if KNOWN.operator(token.text).is_some() || token.text == KNOWN.va_args {
            let reason = format!("`{}` cannot be a macro", token.text);
            return self.problem(ProblemKind::BadDefine { reason }, name);
        }
        let mut body = &line[1..];
        if let [rest @ .., last] = body
            && last.kind == TokenKind::UnclosedComment
        {
            body = rest;
        }
        match definition::read(body) {
            Ok(reading) => {
                if let Some(reason) = reading.complaint {
                    self.problem(ProblemKind::BadDefine { reason }, name);
                }
                self.define(token.text, Some(reading.definition.intern()), name);
            }
            Err(reason) => self.problem(ProblemKind::BadDefine { reason }, name),
        }
    }

    fn include_line(&mut self, lexed: &Lexed, rest: Range<u32>, next: bool) {
        let place = rest.start.min(rest.end - u32::from(rest.end > rest.start));
        if let Some(name) = self.scratch.expander.collecting {
            return self.problem(ProblemKind::IncludeInArguments { name }, place);
        }
        let mut line = self.tokens_of(lexed, rest);
        if line.first().is_some_and(|token| token.kind != TokenKind::String) {
            match self.expand_line(&line, false) {
                Some(tokens) => line = tokens,
                None => return,
            }
        }
        let Some((name, quoted)) = header_name(&line) else {
            return self.problem(ProblemKind::BadInclude, place.saturating_sub(u32::from(line.is_empty())));
        };
        let found = self.resolve(&name, quoted).filter(|&file| !next || file != self.cursor.file);
        match found {
            Some(file) => self.include_at(file, &name, place),
            None => self.problem(ProblemKind::MissingInclude { name }, place),
        }
    }

    /// Whether `__has_include` of these tokens finds a file.
    pub fn has_include(&mut self, tokens: &[Tok]) -> bool {
        header_name(tokens).is_some_and(|(name, quoted)| self.resolve(&name, quoted).is_some())
    }

    fn pragma_line(&mut self, line: &[LexToken], name: u32) {
        if line.first().is_some_and(|token| token.text == KNOWN.once) {
            return self.pragma_once();
        }
        if self.scratch.expander.collecting.is_none() {
            self.emit(Tok {
                kind: TokenKind::Pragma,
                flags: LexFlags::LINE_START.with(LexFlags::SPACE_BEFORE),
                painted: true,
                text: Symbol::intern(&text_of(line)),
                origin: Origin::written(self.cursor.file, name),
            });
        }
    }
}

/// The name that an `#include` line gives, and whether it is in quotes.
fn header_name(line: &[Tok]) -> Option<(String, bool)> {
    let first = line.first()?;
    match first.kind {
        TokenKind::String => {
            let text = first.text.as_str();
            if let Some(name) = text.strip_prefix('"') {
                return Some((name.strip_suffix('"')?.into(), true));
            }
            Some((text.strip_prefix('<')?.strip_suffix('>')?.into(), false))
        }
        TokenKind::Less => {
            let mut name = String::new();
            for token in &line[1..] {
                if token.flags.separated() && !name.is_empty() {
                    name.push(' ');
                }
                if token.kind == TokenKind::Greater {
                    return Some((name.trim_end().into(), false));
                }
                name.push_str(token.spelling());
            }
            None
        }
        _ => None,
    }
}
