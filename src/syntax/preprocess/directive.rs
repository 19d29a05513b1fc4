//! Executes directives: the lines that begin with `#`.

use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::lex::{LexFlags, LexToken, Lexed};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::condition::{self, ConditionError};
use super::cursor::Condition;
use super::cut::is_of_device;
use super::definition::{self, Definition, DefinitionError, MacroKind};
use super::known::{Directive, RESERVED};
use super::origin::Origin;
use super::problem::{Problem, ProblemKind};
use super::skipped::{self, SkippedGroup, UndefinedName};
use super::tok::ExpansionToken;
use super::unit::Unit;

/// The index after the last token of the line that contains `at`.
fn line_end(lexed: &Lexed, at: u32) -> u32 {
    let rest = &lexed.tokens[at as usize..];
    let length = rest.iter().position(|token| token.flags.line_start()).unwrap_or(rest.len());
    at + length as u32
}

/// The text of a line, with white space normalised.
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

/// The result of a condition.
#[derive(Default)]
struct Test {
    holds: bool,
    /// The undefined names that it depends on.
    missing: Vec<UndefinedName>,
}

impl Unit<'_> {
    /// Executes the next directive.
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
            TokenKind::Identifier => RESERVED.directive(token.text),
            // Line markers are ignored.
            TokenKind::Number | TokenKind::UnclosedComment => Some(Directive::Ignored),
            _ => None,
        };
        match directive {
            Some(Directive::If | Directive::Ifdef | Directive::Ifndef) => {
                let Test { holds, missing } = self.test(directive, &lexed, name, end);
                let refuses = holds && self.only_reports_error(&lexed, &missing);
                let holds = holds && !refuses;
                let decisive = if holds { missing.clone() } else { Vec::new() };
                let headers = std::mem::take(&mut self.cursor.unfound);
                let group = (name, if refuses { Vec::new() } else { missing.clone() });
                self.cursor.conditions.push(Condition {
                    opener: name,
                    group_taken: holds,
                    missing,
                    decisive,
                    headers,
                    otherwise: None,
                });
                match holds {
                    true => self.take(name),
                    false => self.skip(&lexed, group),
                }
            }
            Some(Directive::Elif | Directive::Elifdef | Directive::Elifndef | Directive::Else) => {
                if self.cursor.conditions.is_empty() {
                    return self.problem(ProblemKind::StrayConditional { directive: token.text }, name);
                }
                // The previous group was taken.
                self.otherwise(directive, token.text, name);
                let missing = self.missing_after_taken(directive, &lexed, name, end);
                self.skip(&lexed, (name, missing));
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
                _ => self.problem(ProblemKind::BadUndef, name),
            },
            Some(Directive::Include) => self.include_line(&lexed, rest, false),
            Some(Directive::IncludeNext) => self.include_line(&lexed, rest, true),
            Some(Directive::Error) => {
                let undefined = self.missing_here();
                // If no name is undefined, a missing header may be the cause of the `#error`.
                let header = undefined.is_empty().then(|| self.unfound_header()).flatten();
                self.problem(
                    match header {
                        Some(name) => ProblemKind::MissingInclude { name },
                        None => ProblemKind::ErrorDirective { text: text_of(line), undefined },
                    },
                    name,
                )
            }
            Some(Directive::Warning) => {
                self.problem(ProblemKind::WarningDirective { text: text_of(line) }, name)
            }
            Some(Directive::Pragma) => self.pragma_line(line, name),
            Some(Directive::Ignored) => {}
            None => self.problem(ProblemKind::UnknownDirective { name: token.spelling().into() }, name),
        }
    }

    /// Whether the group that begins here contains only an `#error` about an undefined name, and another group
    /// follows: `#ifndef HAVE_X`, `#error`, `#else`. No build takes such a group. This function reports the `#error`.
    fn only_reports_error(&mut self, lexed: &Lexed, missing: &[UndefinedName]) -> bool {
        let hash = self.cursor.stop();
        if missing.is_empty() || hash != self.cursor.pos {
            return false;
        }
        let directive = |at: u32| {
            let token = lexed.tokens.get(at as usize)?;
            (token.kind == TokenKind::Identifier && !token.flags.line_start())
                .then(|| RESERVED.directive(token.text))?
        };
        let name = hash + 1;
        if directive(name) != Some(Directive::Error) {
            return false;
        }
        let end = line_end(lexed, name);
        let next = lexed.directives.get(self.cursor.directive as usize + 1).copied();
        let after = next.filter(|&next| next == end).and_then(|next| directive(next + 1));
        let has_other = matches!(
            after,
            Some(Directive::Else | Directive::Elif | Directive::Elifdef | Directive::Elifndef)
        );
        if has_other {
            let text = text_of(&lexed.tokens[name as usize + 1..end as usize]);
            let undefined = missing.iter().map(|missing| missing.name).collect();
            self.problem(ProblemKind::ErrorDirective { text, undefined }, name);
        }
        has_other
    }

    /// Whether the group after a condition is taken.
    fn test(&mut self, directive: Option<Directive>, lexed: &Lexed, name: u32, end: u32) -> Test {
        let operand = lexed.tokens[name as usize + 1..end as usize].first();
        match directive {
            Some(Directive::If | Directive::Elif) => self.evaluate(lexed, name, end),
            _ => {
                let Some(operand) = operand.filter(|token| token.kind == TokenKind::Identifier) else {
                    let reason = ConditionError::MissingName;
                    self.problem(ProblemKind::BadCondition { reason }, name);
                    return Test::default();
                };
                let wanted = matches!(directive, Some(Directive::Ifdef | Directive::Elifdef));
                let defined = self.is_defined(operand.text);
                let missing = if defined { Vec::new() } else { vec![UndefinedName::defined(operand.text)] };
                Test { holds: defined == wanted, missing }
            }
        }
    }

    pub fn is_defined(&mut self, name: Symbol) -> bool {
        // Other compilers do not know the keywords of device languages and get these names as macros from missing
        // headers: `#ifndef __host__`.
        let is_word = || {
            let words = self.dialect.lexicon();
            let kind = words.kind(name);
            words.grammar() == Grammar::Cpp && (kind == TokenKind::Host || is_of_device(kind))
        };
        is_word()
            || self.meaning(name).definition.is_some()
            || RESERVED.operator(name).is_some_and(|_| name.as_str().starts_with("__"))
    }

    fn evaluate(&mut self, lexed: &Lexed, name: u32, end: u32) -> Test {
        let mut line = self.tokens_of(lexed, name + 1..end);
        // C++ has words for some operators: `#if not defined(X)`.
        for token in line.iter_mut().filter(|token| token.kind == TokenKind::Identifier) {
            let kind = self.dialect.lexicon().kind(token.text);
            if kind.is_punctuator() {
                (token.kind, token.text) = (kind, Symbol::EMPTY);
            }
        }
        // Without tokens, expansion has already reported a problem.
        let Some(tokens) = self.expand_line(&line, true) else { return Test::default() };
        match condition::evaluate(&tokens) {
            Ok(holds) => {
                let mut missing = Vec::new();
                skipped::add(&mut missing, skipped::names_of_values(&tokens));
                skipped::add(&mut missing, self.missing_of_defined(&line));
                skipped::add(&mut missing, self.missing_of_defaults(&line));
                Test { holds, missing }
            }
            Err(reason) => {
                self.problem(ProblemKind::BadCondition { reason }, name);
                Test::default()
            }
        }
    }

    /// The undefined names that a condition tests with `defined`.
    fn missing_of_defined(&mut self, line: &[ExpansionToken]) -> Vec<UndefinedName> {
        let asked = skipped::names_of_defined(line).filter(|&name| !self.is_defined(name));
        asked.map(UndefinedName::defined).collect()
    }

    /// The names in a condition that have a default definition, with values other than the default.
    fn missing_of_defaults(&mut self, line: &[ExpansionToken]) -> Vec<UndefinedName> {
        skipped::names_of_defaults(line, |name| {
            let meaning = self.meaning(name);
            meaning.is_default().then(|| meaning.definition.and_then(|definition| definition.number()))
        })
    }

    /// The undefined names for a skipped `#elif` or `#else` group after a taken group: names that could change the
    /// decisive test, and names in the group's own line, which is not evaluated. Empty if no undefined name affected
    /// the decisive test.
    fn missing_after_taken(
        &mut self,
        directive: Option<Directive>,
        lexed: &Lexed,
        name: u32,
        end: u32,
    ) -> Vec<UndefinedName> {
        let Some(decisive) = self.cursor.conditions.last().map(|condition| condition.decisive.clone()) else {
            return Vec::new();
        };
        if decisive.is_empty() || directive == Some(Directive::Else) {
            return decisive;
        }
        let line = self.tokens_of(lexed, name + 1..end);
        let mut missing = Vec::new();
        if directive == Some(Directive::Elif) {
            let asked: Vec<UndefinedName> = skipped::names_of_values(&line).collect();
            let asked = asked.into_iter().filter(|asked| self.meaning(asked.name).definition.is_none());
            skipped::add(&mut missing, asked.collect::<Vec<_>>());
            skipped::add(&mut missing, self.missing_of_defaults(&line));
        }
        skipped::add(&mut missing, decisive);
        missing
    }

    /// The undefined names of the innermost condition that depends on such names.
    fn missing_here(&mut self) -> Vec<Symbol> {
        let asked = |condition: &Condition| condition.missing.iter().map(|missing| missing.name).collect();
        let conditions: Vec<Vec<Symbol>> = self.cursor.conditions.iter().rev().map(asked).collect();
        // An include guard depends on a name that the next line defines.
        let still = |mut names: Vec<Symbol>| {
            names.retain(|&name| self.meaning(name).definition.is_none());
            (!names.is_empty()).then_some(names)
        };
        conditions.into_iter().find_map(still).unwrap_or_default()
    }

    /// The first missing header that the innermost open `#if` tests.
    fn unfound_header(&self) -> Option<String> {
        self.cursor.conditions.last()?.headers.first().cloned()
    }

    /// Records that a group is taken.
    fn take(&mut self, directive: u32) {
        self.builder.conditions.take(self.cursor.file, directive);
    }

    /// Records a skipped group with its tokens, if its condition depends on undefined names.
    fn leave_out(&mut self, (directive, missing): (u32, Vec<UndefinedName>), tokens: Range<u32>) {
        if !missing.is_empty() && !tokens.is_empty() {
            let file = self.cursor.file;
            let before = self.builder.origins.len() as u32;
            let inside = self.is_inside_item().then_some(before);
            self.builder.conditions.leave_out(SkippedGroup { file, directive, tokens, inside, missing });
        }
    }

    fn tokens_of(&self, lexed: &Lexed, range: Range<u32>) -> Vec<ExpansionToken> {
        range
            .map(|index| {
                let token = lexed.tokens[index as usize];
                let origin = Origin::written(self.cursor.file, index);
                ExpansionToken {
                    kind: token.kind,
                    flags: token.flags,
                    painted: false,
                    text: token.text,
                    origin,
                }
            })
            .filter(|token| token.kind != TokenKind::UnclosedComment)
            .collect()
    }

    /// Reports an `#else` or `#elif` after an `#else`.
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

    /// Skips to the directive that ends the current conditional or begins a group that is taken. `group` has the
    /// directive of the current group and the undefined names that it depends on.
    fn skip(&mut self, lexed: &Lexed, mut group: (u32, Vec<UndefinedName>)) {
        let mut depth = 0u32;
        let mut start = self.cursor.pos;
        loop {
            let hash = self.cursor.stop();
            if hash as usize >= lexed.tokens.len() {
                self.leave_out(group, start..hash);
                self.cursor.pos = hash;
                return;
            }
            self.cursor.directive += 1;
            let name = hash + 1;
            let directive = lexed
                .tokens
                .get(name as usize)
                .filter(|token| token.kind == TokenKind::Identifier && !token.flags.line_start())
                .and_then(|token| Some((RESERVED.directive(token.text)?, token.text)));
            let Some((directive, word)) = directive else { continue };
            match directive {
                Directive::If | Directive::Ifdef | Directive::Ifndef => depth += 1,
                Directive::Endif if depth > 0 => depth -= 1,
                Directive::Endif => {
                    self.leave_out(group, start..hash);
                    self.cursor.conditions.pop();
                    self.cursor.pos = line_end(lexed, name);
                    return;
                }
                Directive::Elif | Directive::Elifdef | Directive::Elifndef | Directive::Else
                    if depth == 0 =>
                {
                    self.otherwise(Some(directive), word, name);
                    let end = line_end(lexed, name);
                    self.leave_out(std::mem::take(&mut group), start..hash);
                    start = end;
                    let open = self.cursor.conditions.last();
                    if open.is_some_and(|condition| {
                        condition.group_taken || condition.otherwise.is_some_and(|first| first != name)
                    }) {
                        group = (name, self.missing_after_taken(Some(directive), lexed, name, end));
                        continue;
                    }
                    self.cursor.pos = end;
                    let test = match directive {
                        Directive::Else => Test { holds: true, missing: Vec::new() },
                        _ => self.test(Some(directive), lexed, name, end),
                    };
                    let refuses = test.holds && self.only_reports_error(lexed, &test.missing);
                    let holds = test.holds && !refuses;
                    if let Some(condition) = self.cursor.conditions.last_mut() {
                        condition.headers.append(&mut self.cursor.unfound);
                        skipped::add(&mut condition.missing, test.missing.clone());
                        if holds {
                            condition.group_taken = true;
                            condition.decisive = test.missing;
                            return self.take(name);
                        }
                    }
                    group = (name, if refuses { Vec::new() } else { test.missing });
                }
                _ => {}
            }
        }
    }

    fn define_line(&mut self, line: &[LexToken], name: u32) {
        let Some(token) = line.first().filter(|token| token.kind == TokenKind::Identifier) else {
            let reason = DefinitionError::MissingName;
            return self.problem(ProblemKind::BadDefine { reason }, name.saturating_sub(1));
        };
        if RESERVED.operator(token.text).is_some() || token.text == RESERVED.va_args {
            let reason = DefinitionError::ReservedName(token.text);
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
                let is_default = self.is_default(token.text, &reading.definition);
                let definition = Definition { is_default, ..reading.definition };
                self.define(token.text, Some(definition.intern()), name);
            }
            Err(reason) => self.problem(ProblemKind::BadDefine { reason }, name),
        }
    }

    /// Whether this definition of a name applies only because the name was undefined. A definition without a value is
    /// an include guard.
    fn is_default(&mut self, name: Symbol, definition: &Definition) -> bool {
        let conditions = &self.cursor.conditions;
        let is_decisive =
            |condition: &Condition| condition.decisive.iter().any(|missing| missing.name == name);
        definition.shape == MacroKind::Object
            && !definition.body.is_empty()
            && conditions.iter().any(is_decisive)
            && self.meaning(name).is_missing()
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
            // `#include BODY_FILE`, `#include HEADER(cassert)`: the build defines the macro.
            if line.first().is_some_and(|token| token.kind == TokenKind::Identifier) {
                let name = line.iter().map(ExpansionToken::spelling).collect::<String>();
                return self.problem(ProblemKind::MissingInclude { name }, place);
            }
            return self.problem(ProblemKind::BadInclude, place.saturating_sub(u32::from(line.is_empty())));
        };
        let found = self.resolve(&name, quoted).filter(|&file| !next || file != self.cursor.file);
        match found {
            Some(file) => self.include_at(file, &name, place),
            None if self.dialect.knows_header(&name) => {
                self.problem(ProblemKind::KnownHeader { name }, place);
            }
            None => self.problem(ProblemKind::MissingInclude { name }, place),
        }
    }

    /// Whether `__has_include` of these tokens finds a file.
    pub fn has_include(&mut self, tokens: &[ExpansionToken]) -> bool {
        let Some((name, quoted)) = header_name(tokens) else { return false };
        let found = self.resolve(&name, quoted).is_some() || self.dialect.knows_header(&name);
        if !found {
            self.cursor.unfound.push(name);
        }
        found
    }

    fn pragma_line(&mut self, line: &[LexToken], name: u32) {
        if line.first().is_some_and(|token| token.text == RESERVED.once) {
            return self.pragma_once();
        }
        if self.scratch.expander.collecting.is_none() {
            self.emit(ExpansionToken {
                kind: TokenKind::Pragma,
                flags: LexFlags::LINE_START.with(LexFlags::SPACE_BEFORE),
                painted: true,
                text: Symbol::intern(&text_of(line)),
                origin: Origin::written(self.cursor.file, name),
            });
        }
    }
}

/// Returns the file name on an `#include` line, and whether it is in quotes.
fn header_name(line: &[ExpansionToken]) -> Option<(String, bool)> {
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
