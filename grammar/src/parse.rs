//! Parses the tokens of one item into its tree and its errors.
//!
//! A syntax error affects as little of the tree as possible. The parser stops at the first unexpected token. Then the
//! input is *repaired* there and parsed again from the start. A repair inserts a missing `;` or `)`, or replaces the
//! smallest part around the error that has a substitute token: an expression in parentheses, a parameter, a
//! statement, a member. The number of repairs is limited ([`MAX_ERRORS`]) and each parse is one pass, so the time
//! stays linear.

use std::sync::Arc;

use crate::adapt::{self, BracketContext, Input, ParserInput, UnknownWord};
use crate::ast::{Ast, Span, UnsupportedConstruct};
use crate::brackets::{Brackets, MAX_NESTING, NO_PARTNER};
use crate::height::too_high;
use crate::lexicon::{Grammar, Lexicon};
use crate::literal;
use crate::message::{self, Expected};
use crate::packing::Packing;
use crate::symbol::Symbol;
use crate::token::{Token, TokenKind};
use crate::tree::Tree;
use crate::{cpp, kernel};

/// The parser gives up on an item with more syntax errors than this.
pub const MAX_ERRORS: usize = 20;

/// The maximum number of repairs, including repairs of consequential errors that are not reported.
const MAX_REPAIRS: usize = 3 * MAX_ERRORS;

/// The result of parsing an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parse {
    pub ast: Arc<Ast>,
    pub errors: Vec<SyntaxError>,
    /// Undeclared words whose role follows from the tokens around them, each at its first occurrence.
    pub unknown_words: Vec<UnknownWord>,
    /// The statements, declarations and members with unsupported constructs. Only C++ has them.
    pub opaque: Vec<(Span, UnsupportedConstruct)>,
}

/// A syntax error.
///
/// An empty span means that something is missing there, directly after the previous token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub span: Span,
    pub message: String,
    pub related: Vec<(Span, String)>,
}

/// Parses the tokens of an item with no `#pragma pack` in force at its start. See [`parse_packed`].
pub fn parse(tokens: &[Token], words: &Lexicon) -> Parse {
    parse_packed(tokens, words, Packing::default())
}

/// Parses the tokens of an item in the language of `words`. Identifiers that earlier items declare as types are
/// `TypeName`s, and keywords have their own kinds. `packing` is the `#pragma pack` in force at the start of the item.
pub fn parse_packed(tokens: &[Token], words: &Lexicon, packing: Packing) -> Parse {
    let input = tokens
        .iter()
        .zip(0..)
        .filter(|(token, _)| !token.kind.is_trivia())
        .map(|(&token, at)| Input { token, start: at, end: at + 1 })
        .collect();
    let mut work = ItemParser { words, input, packing, errors: Vec::new(), reported: Vec::new(), repairs: 0 };
    let numbers = match words.grammar() {
        Grammar::C => wrong_numbers(work.input.iter().map(|item| (item.token, item.span()))),
        // The adapter skips host code, so `run` checks only the numbers that the parser reads.
        Grammar::Cpp => Vec::new(),
    };
    let mut result = work.run();
    result.errors.append(&mut work.errors);
    result.errors.extend(numbers);
    result.errors.sort_by_key(|error| (error.span.start, error.span.end));
    result
}

struct ItemParser<'a> {
    words: &'a Lexicon,
    input: Vec<Input>,
    packing: Packing,
    errors: Vec<SyntaxError>,
    /// Parts of the item with a reported error. Further errors there are consequences.
    reported: Vec<Span>,
    repairs: usize,
}

/// The first [`MAX_ERRORS`] invalid numbers. They do not stop the parser, and do not count against [`MAX_ERRORS`].
fn wrong_numbers(tokens: impl Iterator<Item = (Token, Span)>) -> Vec<SyntaxError> {
    let numbers = tokens.filter(|(token, _)| token.kind == TokenKind::Number);
    let wrong = numbers.filter_map(|(token, span)| {
        let error = literal::number(token.text.as_str()).err()?;
        Some(SyntaxError::new(span, error.to_string()))
    });
    wrong.take(MAX_ERRORS).collect()
}

impl ItemParser<'_> {
    fn run(&mut self) -> Parse {
        loop {
            let brackets = Brackets::pair(&self.input);
            if let Some(at) = brackets.too_deep {
                let message = format!("nested too deeply: the limit is {MAX_NESTING} levels of brackets");
                self.errors.push(SyntaxError::new(self.input[at as usize].span(), message));
                return Parse::default();
            }
            if self.balance(&brackets) {
                if self.has_too_many() {
                    return Parse::default();
                }
                continue;
            }
            let is_cpp = self.words.grammar() == Grammar::Cpp;
            let mut adapted = adapt::adapt(&self.input, &brackets, self.words, self.packing);
            let mut tree = Tree::new(std::mem::take(&mut adapted.payloads));
            let stream = adapted.stream.iter().copied();
            let parsed = if is_cpp {
                cpp::ItemParser::new().parse(&mut tree, stream)
            } else {
                kernel::ItemParser::new().parse(&mut tree, stream)
            };
            let Err(error) = parsed else {
                if let Some((span, message)) = too_high(&tree.ast) {
                    self.errors.push(SyntaxError::new(span, message));
                    return Parse::default();
                }
                tree.ast.shrink_to_fit();
                let mut numbers = Vec::new();
                if is_cpp {
                    // `10_km` is a user-defined literal: the program defines its meaning.
                    let own =
                        adapted.stream.iter().filter(|(_, token, _)| !token.text.as_str().contains('_'));
                    numbers = wrong_numbers(own.map(|(start, token, end)| (*token, Span::new(*start, *end))));
                }
                return Parse {
                    ast: Arc::new(tree.ast),
                    errors: numbers,
                    unknown_words: adapted.unknown_words,
                    opaque: tree.opaque,
                };
            };
            let (found, expected) = message::read(error, &adapted.stream);
            self.repair(found, &expected, &brackets, &adapted);
            if self.has_too_many() {
                return self.given_up();
            }
        }
    }

    /// The result for an item with too many errors: an empty tree. If no error was reported, the item is opaque.
    fn given_up(&self) -> Parse {
        let mut parse = Parse::default();
        if self.errors.is_empty() {
            let end = self.input.last().map_or(0, |last| last.end);
            parse.opaque.push((Span::new(0, end), UnsupportedConstruct("too many unsupported constructs")));
        }
        parse
    }

    fn has_too_many(&self) -> bool {
        self.errors.len() > MAX_ERRORS || self.repairs > MAX_REPAIRS
    }

    /// Reports `error`, unless it is a consequence of an earlier error.
    fn report(&mut self, error: SyntaxError) {
        let known =
            self.reported.iter().any(|span| span.start <= error.span.start && error.span.start <= span.end);
        if !known && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    // ---- Brackets without a partner ----

    /// Repairs brackets without a partner. Returns whether the item had such brackets.
    fn balance(&mut self, brackets: &Brackets) -> bool {
        if brackets.unclosed.is_empty() && brackets.unopened.is_empty() {
            return false;
        }
        self.repairs += 1;
        for &at in &brackets.unopened {
            let span = self.input[at as usize].span();
            let word = self.input[at as usize].token.kind.describe();
            self.report(SyntaxError::new(span, format!("unmatched {word}")));
            if self.has_too_many() {
                return true;
            }
        }
        let mut closers: Vec<(usize, TokenKind)> = Vec::new();
        for &at in &brackets.unclosed {
            let opener = self.input[at as usize];
            let (close, closer) = match opener.token.kind {
                TokenKind::LeftBrace => (self.end_of_block(brackets, at as usize), TokenKind::RightBrace),
                TokenKind::LeftParen => (self.end_of_paren(brackets, at as usize), TokenKind::RightParen),
                _ => (self.end_of_paren(brackets, at as usize), TokenKind::RightBracket),
            };
            self.report(SyntaxError::new(
                opener.span(),
                format!("unclosed {}", opener.token.kind.describe()),
            ));
            if opener.token.kind != TokenKind::LeftBrace {
                let end = self.end_before(close);
                self.reported.push(Span::new(opener.start, end));
            }
            closers.push((close, closer));
            if self.has_too_many() {
                return true;
            }
        }
        let mut repaired = Vec::with_capacity(self.input.len() + closers.len());
        // The innermost bracket is closed first.
        closers.reverse();
        closers.sort_by_key(|(at, _)| *at);
        let mut next = closers.into_iter().peekable();
        let mut unopened = brackets.unopened.iter().peekable();
        for at in 0..=self.input.len() {
            while let Some((_, kind)) = next.next_if(|(close, _)| *close == at) {
                let end = self.end_before(at);
                repaired.push(Input { token: Token { kind, text: Symbol::EMPTY }, start: end, end });
            }
            let drop = unopened.next_if(|unopened| **unopened as usize == at).is_some();
            if !drop && let Some(item) = self.input.get(at) {
                repaired.push(*item);
            }
        }
        self.input = repaired;
        true
    }

    /// Returns the position for the missing `}` of the `{` at `at`: before the `}` of the enclosing block, or at the
    /// end.
    fn end_of_block(&self, brackets: &Brackets, at: usize) -> usize {
        let mut next = at + 1;
        while next < self.input.len() {
            match brackets.partner[next] {
                NO_PARTNER => next += 1,
                partner if (partner as usize) < next => return next,
                partner => next = partner as usize + 1,
            }
        }
        next
    }

    /// Returns the position for the missing `)` or `]` of the bracket at `at`: before the end of the statement, or
    /// before the next `{`.
    fn end_of_paren(&self, brackets: &Brackets, at: usize) -> usize {
        let before = at.checked_sub(1).map(|before| self.input[before].token.kind);
        let mut semicolons = if before == Some(TokenKind::For) { 2 } else { 0 };
        let mut next = at + 1;
        while next < self.input.len() {
            match self.input[next].token.kind {
                TokenKind::Semicolon if semicolons == 0 => return next,
                TokenKind::Semicolon => semicolons -= 1,
                // The braces after `=` are an initialiser list, not a block.
                TokenKind::LeftBrace if self.input[next - 1].token.kind != TokenKind::Equal => return next,
                _ => {}
            }
            match brackets.partner[next] {
                NO_PARTNER => next += 1,
                partner if (partner as usize) < next => return next,
                partner => next = partner as usize + 1,
            }
        }
        next
    }

    fn end_before(&self, at: usize) -> u32 {
        at.checked_sub(1).map_or(0, |before| self.input[before].end)
    }

    // ---- Tokens that do not fit ----

    /// Repairs the input around the unexpected token with index `found` in the stream. `found` is the length of the
    /// stream if the input ended too early.
    fn repair(&mut self, found: usize, expected: &Expected, brackets: &Brackets, adapted: &ParserInput) {
        self.repairs += 1;
        let at = adapted.origin.get(found).map_or(self.input.len(), |at| *at as usize);
        let around = self.around(at, brackets, adapted);
        let place = around.last().map_or(BracketContext::File, |(_, place)| *place);
        let kind = adapted.stream.get(found).map(|(_, token, _)| token.kind);

        if place == BracketContext::File && self.words.grammar() == Grammar::Cpp && self.give_up_head() {
            return;
        }
        let separates = match place {
            BracketContext::File | BracketContext::Block | BracketContext::Members => {
                kind.is_none_or(|kind| {
                    kind >= TokenKind::If
                        || matches!(kind, TokenKind::Identifier | TokenKind::TypeName | TokenKind::RightBrace)
                })
            }
            BracketContext::For => matches!(kind, Some(TokenKind::Identifier | TokenKind::TypeName)),
            _ => false,
        };
        let before = at.checked_sub(1).map(|before| self.input[before].token.kind);
        let can_end = !matches!(before, None | Some(TokenKind::Semicolon | TokenKind::LeftBrace));
        if expected.semicolon && !expected.statement && separates && can_end {
            let end = self.end_before(at);
            self.report(message::missing_semicolon(end, expected, adapted, found));
            let semicolon = Token { kind: TokenKind::Semicolon, text: Symbol::EMPTY };
            self.input.insert(at, Input { token: semicolon, start: end, end });
            return;
        }

        if kind == Some(TokenKind::Else) {
            // Remove only the `else`, so that the statement after it is still parsed.
            self.report(message::unexpected(self.end_before(at), expected, adapted, found, self.words));
            self.input.remove(at);
            return;
        }

        let (from, to, substitute) = self.region(at, &around, brackets, adapted);
        if self.words.grammar() == Grammar::Cpp
            && let Some(opaque) = self.opaque(at, &around, brackets, adapted, (from, to, substitute))
        {
            let (from, to, token) = opaque;
            let start = self.input[from].start;
            let end = self.end_before(to);
            self.reported.push(Span::new(start, end));
            self.input.splice(from..to, [Input { token, start, end }]);
            return;
        }
        let start = self.input.get(from).map_or(self.end_before(from), |item| item.start);
        let end = if to > from { self.end_before(to) } else { start };
        if kind.is_some_and(|kind| !matches!(kind, TokenKind::Broken | TokenKind::BrokenExpression))
            || kind.is_none()
        {
            self.report(message::unexpected(self.end_before(at), expected, adapted, found, self.words));
        }
        self.reported.push(Span::new(start, end));
        let token = Token { kind: substitute, text: Symbol::EMPTY };
        self.input.splice(from..to, [Input { token, start, end }]);
    }

    /// Replaces the whole item by one token if its head contains an unsupported construct: then the declared entity
    /// is unknown.
    fn give_up_head(&mut self) -> bool {
        let head = self.input.iter().position(|item| item.token.kind == TokenKind::LeftBrace);
        let Some(construct) = adapt::unsupported_construct(&self.input[..head.unwrap_or(self.input.len())])
        else {
            return false;
        };
        let (Some(first), Some(last)) = (self.input.first(), self.input.last()) else { return false };
        let token = Token { kind: TokenKind::Opaque, text: Symbol::intern(construct) };
        self.input = vec![Input { token, start: first.start, end: last.end }];
        true
    }

    /// Returns the substitute for the statement, member or declaration around `at` if it contains an unsupported
    /// construct. Then no error is reported. `region` is the part that a normal repair would replace.
    fn opaque(
        &self,
        at: usize,
        around: &[(u32, BracketContext)],
        brackets: &Brackets,
        adapted: &ParserInput,
        region: (usize, usize, TokenKind),
    ) -> Option<(usize, usize, Token)> {
        let (mut from, mut to, mut substitute) = region;
        if substitute == TokenKind::BrokenExpression {
            // Replace the statement that contains the expression.
            let level = around.iter().rposition(|(_, place)| place.holds_declarations())?;
            let (opener, place) = around[level];
            let close = brackets.partner[opener as usize] as usize;
            let inside = opener as usize + 1;
            (from, to) = self.statement(at, inside, close, level as u32 + 2, place, brackets, adapted);
            substitute = TokenKind::Broken;
        }
        let in_parameters = around
            .last()
            .is_some_and(|(_, place)| matches!(place, BracketContext::Parameters | BracketContext::For));
        if in_parameters || substitute != TokenKind::Broken || from >= to {
            return None;
        }
        let tokens = &self.input[from..to];
        let construct = adapt::unsupported_construct(tokens)?;
        let token = Token { kind: TokenKind::Opaque, text: Symbol::intern(construct) };
        Some((from, to, token))
    }

    /// Returns the brackets that are open at `at`, outermost first, each with the kind of its contents.
    fn around(&self, at: usize, brackets: &Brackets, adapted: &ParserInput) -> Vec<(u32, BracketContext)> {
        let is_open = |(opener, _): &&(u32, BracketContext)| {
            let opener = *opener as usize;
            opener < at && at <= brackets.partner[opener] as usize
        };
        adapted.places.iter().filter(is_open).copied().collect()
    }

    /// Returns the smallest part of the input around `at` that has a substitute token, and the kind of that token.
    fn region(
        &self,
        at: usize,
        around: &[(u32, BracketContext)],
        brackets: &Brackets,
        adapted: &ParserInput,
    ) -> (usize, usize, TokenKind) {
        for (level, (opener, place)) in around.iter().enumerate().rev() {
            let inside = *opener as usize + 1;
            let close = brackets.partner[*opener as usize] as usize;
            let part = match place {
                BracketContext::Control | BracketContext::Paren | BracketContext::Index => {
                    (inside, close, TokenKind::BrokenExpression)
                }
                BracketContext::For => (inside, close, TokenKind::Broken),
                BracketContext::Block | BracketContext::Members | BracketContext::Parameters => {
                    let depth = level as u32 + 2;
                    let (from, to) = self.statement(at, inside, close, depth, *place, brackets, adapted);
                    (from, to, TokenKind::Broken)
                }
                BracketContext::Initializer => self.entry(at, inside, close, brackets),
                BracketContext::Enumerators => {
                    let (from, to, substitute) = self.entry(at, inside, close, brackets);
                    let has_value =
                        self.input[from..to].get(1).is_some_and(|item| item.token.kind == TokenKind::Equal);
                    if !has_value {
                        continue;
                    }
                    (from + 2, to, substitute)
                }
                BracketContext::File
                | BracketContext::Declarator
                | BracketContext::TemplateArguments
                | BracketContext::TemplateParameters => {
                    continue;
                }
            };
            if !self.is_substitute(part.0, part.1) {
                return part;
            }
        }
        let (from, to) = self.statement(at, 0, self.input.len(), 1, BracketContext::File, brackets, adapted);
        if self.is_substitute(from, to) {
            return (0, self.input.len(), TokenKind::Broken);
        }
        (from, to, TokenKind::Broken)
    }

    /// Whether these tokens are only substitutes. Such a part does not fit either, so the repair must replace a
    /// larger part.
    fn is_substitute(&self, from: usize, to: usize) -> bool {
        from < to && self.input[from..to].iter().all(|item| is_broken(item.token.kind))
    }

    /// Returns the list entry around `at`, between commas, in the list between `inside` and `close`.
    fn entry(
        &self,
        at: usize,
        inside: usize,
        close: usize,
        brackets: &Brackets,
    ) -> (usize, usize, TokenKind) {
        let (mut from, mut to) = (inside, inside);
        while to < close {
            if self.input[to].token.kind == TokenKind::Comma {
                if to >= at {
                    break;
                }
                from = to + 1;
            }
            to = match brackets.partner[to] {
                NO_PARTNER => to + 1,
                partner => (partner as usize).max(to) + 1,
            };
        }
        (from, to.min(close), TokenKind::BrokenExpression)
    }

    /// Returns the statement, member, parameter or declaration around `at` between `inside` and `close`.
    #[expect(clippy::too_many_arguments, reason = "a search with many bounds, called from one function")]
    fn statement(
        &self,
        at: usize,
        inside: usize,
        close: usize,
        depth: u32,
        place: BracketContext,
        brackets: &Brackets,
        adapted: &ParserInput,
    ) -> (usize, usize) {
        let mut starts = adapted
            .starts
            .iter()
            .rev()
            .filter(|(start, level)| *level == depth && *start as usize <= at && *start as usize >= inside)
            .map(|(start, _)| *start as usize);
        let mut from = starts.next().unwrap_or(inside);
        // If a substitute does not fit, the error is in the statement before it, such as a `do` without `while`.
        while self.is_substitute(from, (at + 1).min(close)) {
            match starts.next() {
                Some(start) => from = start,
                None => break,
            }
        }
        let mut to = from;
        while to < close {
            let kind = self.input[to].token.kind;
            match kind {
                TokenKind::Comma if place == BracketContext::Parameters => break,
                TokenKind::Semicolon if to >= at => return (from, to + 1),
                // The keyword of a statement begins a new statement.
                _ if to > at
                    && place == BracketContext::Block
                    && kind >= TokenKind::If
                    && kind <= TokenKind::Return =>
                {
                    break;
                }
                _ => {}
            }
            match brackets.partner[to] {
                NO_PARTNER => to += 1,
                partner => {
                    to = (partner as usize).max(to) + 1;
                    if kind == TokenKind::LeftBrace && to > at && place != BracketContext::Parameters {
                        let goes_on = matches!(
                            self.input.get(to).map(|item| item.token.kind),
                            Some(TokenKind::Semicolon | TokenKind::Comma)
                        );
                        if !goes_on {
                            break;
                        }
                    }
                }
            }
        }
        (from, to.min(close))
    }
}

fn is_broken(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Broken | TokenKind::BrokenExpression | TokenKind::Opaque)
}

impl Input {
    fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }
}

impl SyntaxError {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> SyntaxError {
        SyntaxError { span, message: message.into(), related: Vec::new() }
    }
}
