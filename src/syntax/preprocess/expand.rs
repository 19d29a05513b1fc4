//! Macro expansion according to C11 6.10.3.
//!
//! A use of a macro opens a *context*: the replacement with its arguments inserted. Tokens are read from the
//! innermost context. If a name read there is a macro, it opens another context. While the context of a macro is
//! open, its name is not a use of it. A name that was read in that time never becomes a use (it is *painted*). An
//! argument is expanded in its own context with a *wall* around it: no token outside the wall is read.
//!
//! All tokens of a use are collected before any of them is passed on. So a use whose expansion is unterminated or too
//! large can be undone completely. Then only its name is passed on.

use tangle_grammar::lex::LexFlags;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use super::definition::{BodyRole, BodyToken, Definition, MacroKind};
use super::expander::{Arguments, WORK};
use super::known::{Builtin, Operator, RESERVED};
use super::origin::{Expansion, Origin};
use super::paste;
use super::problem::{Problem, ProblemKind};
use super::tok::ExpansionToken;
use super::unit::Unit;

/// The maximum number of tokens that one use of a macro may produce.
const OUTPUT: usize = 1_000_000;
/// The maximum nesting depth of uses in arguments.
const DEPTH: u32 = 200;
/// The maximum distance to the end of a call, after an unterminated call was found in this file.
const LOOKAHEAD: u32 = 1000;

impl Unit<'_> {
    /// Expands a macro that is used in the text, and passes on the result.
    pub fn use_macro(&mut self, token: ExpansionToken) {
        let expansions = self.builder.expansions.len();
        let problems = self.builder.problems.len();
        let conditions = self.builder.conditions.mark();
        let (pos, directive) = (self.cursor.pos, self.cursor.directive);
        let expander = &mut self.scratch.expander;
        expander.rewind = None;
        expander.work = 0;
        let mut output = expander.buffer();
        match self.enter(token) {
            Some(token) => output.push(token),
            None => self.expand_contexts(&mut output),
        }
        let expander = &mut self.scratch.expander;
        expander.unit_work += expander.work;
        if let Some(kind) = expander.failure.take() {
            let rewind = expander.rewind.take();
            self.abandon(0);
            self.builder.expansions.truncate(expansions);
            self.builder.problems.truncate(problems);
            self.builder.conditions.rewind(conditions);
            let mut known = false;
            if matches!(kind, ProblemKind::UnclosedCall { .. }) {
                self.cursor.pos = pos;
                self.cursor.directive = directive;
                if let Some(conditions) = rewind {
                    self.cursor.conditions = conditions;
                }
                known = std::mem::replace(&mut self.cursor.unclosed_call, true);
            } else {
                // The result depends on the amount of expansion before it.
                self.make_volatile();
            }
            // Several macros may take part in the expansion. The user wrote this one.
            let kind = match kind {
                ProblemKind::TooLarge { .. } => ProblemKind::TooLarge { name: token.text },
                kind => kind,
            };
            if !known {
                self.builder.problems.push(Problem { kind, origin: token.origin, related: Vec::new() });
            }
            output.clear();
            output.push(token);
        }
        if let Some(first) = output.first_mut() {
            first.flags = token.flags;
        }
        for &token in &output {
            self.emit(token);
        }
        self.scratch.expander.give_back(output);
        self.check_size(pos.saturating_sub(1));
    }

    /// Expands the rest of a directive. Returns `None` if that fails; the problem has then been reported.
    pub fn expand_line(
        &mut self,
        line: &[ExpansionToken],
        in_condition: bool,
    ) -> Option<Vec<ExpansionToken>> {
        let expander = &mut self.scratch.expander;
        let around = std::mem::replace(&mut expander.in_condition, in_condition);
        // A directive in the arguments of a macro has its own limit.
        let work = std::mem::take(&mut expander.work);
        let level = expander.contexts.len();
        let mut output = Vec::new();
        self.expand_apart(line, &mut output);
        let expander = &mut self.scratch.expander;
        expander.in_condition = around;
        expander.unit_work += expander.work;
        expander.work = work;
        let failure = expander.failure.take();
        let Some(kind) = failure else { return Some(output) };
        self.abandon(level);
        self.make_volatile();
        let origin =
            line.first().map_or(Origin::written(self.cursor.file, self.cursor.pos), |first| first.origin);
        self.builder.problems.push(Problem { kind, origin, related: Vec::new() });
        None
    }

    /// Closes the contexts above `level`, whether or not they were read completely.
    fn abandon(&mut self, level: usize) {
        while self.scratch.expander.contexts.len() > level {
            self.close_context();
        }
        if level == 0 {
            self.scratch.expander.depth = 0;
        }
    }

    fn close_context(&mut self) {
        let Some(context) = self.scratch.expander.contexts.pop() else { return };
        if !context.is_barrier() {
            self.scratch.symbols.state(context.name).disabled = false;
        }
        self.scratch.expander.arena.truncate(context.start);
    }

    /// Returns the next token of the open contexts, up to the innermost wall.
    fn pull(&mut self) -> Option<ExpansionToken> {
        loop {
            let expander = &mut self.scratch.expander;
            let context = expander.contexts.last_mut()?;
            if context.next < context.end {
                context.next += 1;
                return Some(expander.arena[context.next - 1]);
            }
            if context.is_barrier() {
                return None;
            }
            self.close_context();
        }
    }

    /// Returns the next token for the arguments of `name`. Without a wall, the file continues after the end of the
    /// contexts.
    fn pull_argument(&mut self, name: Symbol) -> Option<ExpansionToken> {
        if let Some(token) = self.pull() {
            return Some(token);
        }
        if !self.scratch.expander.contexts.is_empty() {
            return None;
        }
        loop {
            let index = self.cursor.pos;
            if index as usize >= self.cursor.lexed.tokens.len() {
                return None;
            }
            if index >= self.cursor.stop() {
                let around = self.scratch.expander.collecting.replace(name);
                if self.scratch.expander.rewind.is_none() {
                    self.scratch.expander.rewind = Some(self.cursor.conditions.clone());
                }
                self.directive();
                self.scratch.expander.collecting = around;
                continue;
            }
            self.cursor.pos += 1;
            let token = self.cursor.lexed.tokens[index as usize];
            if token.kind == TokenKind::UnclosedComment {
                continue;
            }
            let flags = if token.flags.separated() { LexFlags::SPACE_BEFORE } else { LexFlags::NONE };
            let origin = Origin::written(self.cursor.file, index);
            return Some(ExpansionToken {
                kind: token.kind,
                flags,
                painted: false,
                text: token.text,
                origin,
            });
        }
    }

    fn peek_parenthesis(&self) -> bool {
        self.scratch.expander.peek_parenthesis().unwrap_or_else(|| {
            let pos = self.cursor.pos;
            pos < self.cursor.stop() && self.cursor.lexed.tokens[pos as usize].kind == TokenKind::LeftParen
        })
    }

    /// Expands the tokens of the open contexts, up to the innermost wall.
    fn expand_contexts(&mut self, output: &mut Vec<ExpansionToken>) {
        while self.scratch.expander.failure.is_none() {
            let Some(token) = self.pull() else { return };
            if token.kind != TokenKind::Identifier || token.painted {
                output.push(token);
            } else if self.scratch.expander.in_condition
                && let Some(operator) = RESERVED.operator(token.text)
            {
                self.operate(operator, token, output);
            } else if let Some(token) = self.enter(token) {
                output.push(token);
            }
            if output.len() > OUTPUT {
                self.scratch.expander.fail(ProblemKind::TooLarge { name: token.text });
            }
        }
    }

    /// Expands tokens in isolation.
    fn expand_apart(&mut self, tokens: &[ExpansionToken], output: &mut Vec<ExpansionToken>) {
        let expander = &mut self.scratch.expander;
        let start = expander.arena.len();
        expander.arena.extend_from_slice(tokens);
        expander.open(start, Symbol::EMPTY);
        self.expand_contexts(output);
        if self.scratch.expander.failure.is_none() {
            self.close_context();
        }
    }

    /// Opens the context of a macro's use. Returns the token if it is not a use, or if its replacement is a single
    /// token.
    fn enter(&mut self, mut token: ExpansionToken) -> Option<ExpansionToken> {
        let name = token.text;
        let meaning = self.meaning(name);
        let Some(definition) = meaning.definition else { return Some(token) };
        if self.scratch.symbols.state(name).disabled {
            token.painted = true;
            return Some(token);
        }
        let mut call_end = token.origin.token;
        let mut arguments = None;
        match definition.shape {
            MacroKind::Builtin(builtin) => return self.enter_builtin(builtin, token),
            MacroKind::Object => {}
            MacroKind::Function { parameters, variadic } => {
                if !self.peek_parenthesis() {
                    return Some(token);
                }
                let (mut collected, end) =
                    self.collect(token, if variadic { parameters } else { usize::MAX })?;
                if (end.file, end.expansion) == (token.origin.file, token.origin.expansion) {
                    call_end = end.token;
                }
                let found = collected.ends.len();
                // `f()` has no argument, or one empty argument.
                let none = found == 1 && collected.tokens.is_empty();
                let fits = match variadic {
                    _ if parameters == 0 => none,
                    true => found + 1 >= parameters,
                    false => found == parameters,
                };
                if !fits {
                    let found = if none { 0 } else { found };
                    let expected = if variadic { parameters - 1 } else { parameters };
                    let kind = ProblemKind::ArgumentCount { name, expected, variadic, found };
                    let related = vec![Origin::written(meaning.place.0, meaning.place.1)];
                    self.builder.problems.push(Problem { kind, origin: token.origin, related });
                    self.recycle(collected);
                    token.painted = true;
                    return Some(token);
                }
                self.expand_arguments(definition, &mut collected, name);
                if self.scratch.expander.failure.is_some() {
                    return None;
                }
                arguments = Some(collected);
            }
        }
        let unit = &mut self.scratch;
        unit.log.note_expanded(&mut unit.symbols, name);
        self.builder.expansions.push(Expansion {
            name,
            call: token.origin,
            call_end,
            definition: meaning.place,
        });
        let expansion = self.builder.expansions.len() as u32;
        let start = self.scratch.expander.arena.len();
        let origin = |body: &BodyToken| Origin {
            file: meaning.place.0,
            token: meaning.place.1 + body.offset,
            expansion,
        };
        self.substitute(definition, arguments.as_ref(), &origin, name);
        if let Some(arguments) = arguments {
            self.recycle(arguments);
        }
        self.scratch.symbols.state(name).disabled = true;
        let expander = &mut self.scratch.expander;
        expander.spend(expander.arena.len() - start + 1, name);
        if let Some(first) = expander.arena.get_mut(start) {
            first.flags = token.flags;
        }
        expander.open(start, name);
        None
    }

    fn recycle(&mut self, mut arguments: Arguments) {
        arguments.tokens.clear();
        arguments.ends.clear();
        arguments.expanded.clear();
        arguments.expanded_ends.clear();
        self.scratch.expander.argument_pool.push(arguments);
    }

    /// Reads the arguments of a use, from `(` to `)`. The arguments from number `variadic` on count as one. Also
    /// returns the origin of the `)`.
    fn collect(&mut self, token: ExpansionToken, variadic: usize) -> Option<(Arguments, Origin)> {
        let name = token.text;
        let mut arguments = self.scratch.expander.argument_pool.pop().unwrap_or_default();
        let limit = match self.cursor.unclosed_call {
            true => self.cursor.pos.saturating_add(LOOKAHEAD),
            false => u32::MAX,
        };
        let mut depth = 0u32;
        loop {
            let next = if self.cursor.pos > limit { None } else { self.pull_argument(name) };
            let Some(mut next) = next else {
                self.scratch.expander.fail(ProblemKind::UnclosedCall { name });
                return None;
            };
            match next.kind {
                TokenKind::LeftParen => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                TokenKind::RightParen => {
                    depth -= 1;
                    if depth == 0 {
                        arguments.ends.push(arguments.tokens.len());
                        self.scratch.expander.spend(arguments.tokens.len(), name);
                        return Some((arguments, next.origin));
                    }
                }
                TokenKind::Comma if depth == 1 && arguments.ends.len() + 1 < variadic => {
                    arguments.ends.push(arguments.tokens.len());
                    continue;
                }
                TokenKind::Identifier if !next.painted => {
                    next.painted = self.scratch.symbols.state(next.text).disabled;
                }
                _ => {}
            }
            arguments.tokens.push(next);
        }
    }

    /// Expands the arguments whose expanded form the body uses.
    fn expand_arguments(&mut self, definition: &Definition, arguments: &mut Arguments, name: Symbol) {
        for (index, &used) in definition.expanded.iter().enumerate() {
            if used {
                let mut expanded = std::mem::take(&mut arguments.expanded);
                let raw = arguments.raw(index);
                if self.is_plain(raw) {
                    expanded.extend_from_slice(raw);
                } else if self.scratch.expander.depth >= DEPTH {
                    self.scratch.expander.fail(ProblemKind::TooDeep { name });
                } else {
                    self.scratch.expander.depth += 1;
                    let start = expanded.len();
                    let mut output = self.scratch.expander.buffer();
                    self.expand_apart(raw, &mut output);
                    expanded.extend_from_slice(&output);
                    self.scratch.expander.give_back(output);
                    let length = expanded.len() - start;
                    self.scratch.expander.spend(length, name);
                    self.scratch.expander.depth -= 1;
                }
                arguments.expanded = expanded;
                if self.scratch.expander.failure.is_some() {
                    return;
                }
            }
            arguments.expanded_ends.push(arguments.expanded.len());
        }
    }

    /// Whether these tokens contain no macro to expand. Each name among them is read again later, and recorded then.
    fn is_plain(&mut self, tokens: &[ExpansionToken]) -> bool {
        !self.scratch.expander.in_condition
            && tokens.iter().all(|token| {
                token.kind != TokenKind::Identifier
                    || token.painted
                    || self.scratch.symbols.state(token.text).meaning.definition.is_none()
            })
    }

    /// Adds the body to the arena, with its parameters replaced.
    fn substitute(
        &mut self,
        definition: &Definition,
        arguments: Option<&Arguments>,
        origin: &dyn Fn(&BodyToken) -> Origin,
        name: Symbol,
    ) {
        let none = Arguments::default();
        let arguments = arguments.unwrap_or(&none);
        let absent = |raw: bool| {
            definition.variadic_index().is_none_or(|index| match raw {
                true => arguments.raw(index).is_empty(),
                false => arguments.expanded(index).is_empty(),
            })
        };
        let mut problems = Vec::new();
        let expander = &mut self.scratch.expander;
        // Whether `##` was the previous token, and whether the operand before it is empty.
        let mut pasting = false;
        let mut left_empty = true;
        let mut body = definition.body.iter();
        while let Some(part) = body.next() {
            let plain = |kind: TokenKind, text: Symbol| ExpansionToken {
                kind,
                flags: part.flags,
                painted: false,
                text,
                origin: origin(part),
            };
            let before = expander.arena.len();
            match part.role {
                BodyRole::Plain => expander.arena.push(plain(part.kind, part.text)),
                BodyRole::Paste => {
                    pasting = true;
                    continue;
                }
                BodyRole::OptionalComma if absent(true) => {}
                BodyRole::OptionalComma => expander.arena.push(plain(part.kind, part.text)),
                BodyRole::Optional(length) if length > 0 && absent(false) => {
                    body.nth(usize::from(length) - 1);
                }
                BodyRole::Optional(_) => continue,
                BodyRole::Expanded(index) => {
                    expander.arena.extend_from_slice(arguments.expanded(index.into()))
                }
                BodyRole::Raw(index) => expander.arena.extend_from_slice(arguments.raw(index.into())),
                BodyRole::Quoted(index) => match paste::stringify(arguments.raw(index.into())) {
                    Some(text) => expander.arena.push(plain(TokenKind::String, text)),
                    None => expander.fail(ProblemKind::TooLarge { name }),
                },
            }
            if let Some(first) = expander.arena.get_mut(before) {
                first.flags = part.flags;
            }
            let empty = expander.arena.len() == before;
            if !pasting {
                left_empty = empty;
                continue;
            }
            pasting = false;
            if !left_empty && !empty {
                match paste::join(&expander.arena[before - 1], &expander.arena[before]) {
                    paste::Joined::Token(joined) => {
                        expander.arena[before - 1] = joined;
                        expander.arena.remove(before);
                    }
                    paste::Joined::NoToken(text) => problems.push(ProblemKind::BadPaste { text }),
                    paste::Joined::TooLong => expander.fail(ProblemKind::TooLarge { name }),
                }
            }
            left_empty &= empty;
            // A body can contain many arguments without opening a context.
            if expander.arena.len() > WORK as usize {
                expander.fail(ProblemKind::TooLarge { name });
            }
            if expander.failure.is_some() {
                return;
            }
        }
        let place = self.builder.expansions.last().map(|expansion| expansion.call);
        self.builder.problems.extend(
            problems.into_iter().zip(place.into_iter().cycle()).map(|(kind, origin)| Problem {
                kind,
                origin,
                related: Vec::new(),
            }),
        );
    }

    /// Expands a builtin macro: its value depends on the position.
    fn enter_builtin(&mut self, builtin: Builtin, mut token: ExpansionToken) -> Option<ExpansionToken> {
        let number = |value: u64| (TokenKind::Number, value.to_string());
        let quoted = |text: &str| (TokenKind::String, format!("\"{}\"", paste::escaped(text)));
        let (kind, text) = match builtin {
            Builtin::File => quoted(&self.files.path(self.cursor.file)),
            Builtin::BaseFile => {
                self.make_volatile();
                quoted(&self.files.path(self.base))
            }
            Builtin::Line => number(self.line().into()),
            Builtin::IncludeLevel => {
                self.make_volatile();
                number(self.open.len() as u64 - 1)
            }
            Builtin::Counter => {
                self.make_volatile();
                self.counter += 1;
                number(u64::from(self.counter) - 1)
            }
            // A constant, so that equal inputs always give equal outputs.
            Builtin::Date => quoted("Jan  1 1970"),
            Builtin::Time => quoted("00:00:00"),
            Builtin::Pragma => {
                if !self.peek_parenthesis() {
                    return Some(token);
                }
                let (arguments, _) = self.collect(token, usize::MAX)?;
                let text = arguments.tokens.first().map_or("", |token| token.spelling());
                let text = paste::unquoted(text);
                self.recycle(arguments);
                (TokenKind::Pragma, text)
            }
        };
        token.kind = kind;
        token.text = Symbol::intern(&text);
        token.painted = true;
        Some(token)
    }

    /// Replaces an operator of `#if` and its operand by a number.
    fn operate(&mut self, operator: Operator, token: ExpansionToken, output: &mut Vec<ExpansionToken>) {
        let mut operand = Vec::new();
        let mut depth = 0u32;
        // Without parentheses, `defined` takes one token.
        while let Some(next) = self.pull() {
            match next.kind {
                TokenKind::LeftParen => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                TokenKind::RightParen if depth <= 1 => break,
                TokenKind::RightParen => depth -= 1,
                _ => {}
            }
            operand.push(next);
            if depth == 0 {
                break;
            }
        }
        // As in `#include`, an operand that is not a header name is expanded.
        if operator == Operator::HasInclude
            && operand.first().is_some_and(|first| !matches!(first.kind, TokenKind::String | TokenKind::Less))
        {
            let mut expanded = Vec::new();
            self.expand_apart(&operand, &mut expanded);
            operand = expanded;
        }
        let word = operand.first().filter(|word| word.kind == TokenKind::Identifier).map(|word| word.text);
        let value = match (operator, word) {
            (Operator::Defined, Some(name)) if operand.len() == 1 => self.is_defined(name),
            (Operator::HasInclude, _) if !operand.is_empty() => self.has_include(&operand),
            (Operator::Has, Some(_)) => true,
            (Operator::HasNot, Some(_)) => false,
            // The evaluation reports this token as an invalid value.
            _ => return output.push(ExpansionToken { kind: TokenKind::Stray, ..token }),
        };
        let text = if value { RESERVED.one } else { RESERVED.zero };
        output.push(ExpansionToken { kind: TokenKind::Number, text, ..token });
    }
}
