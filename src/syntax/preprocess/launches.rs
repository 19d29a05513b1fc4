//! Finds the launches of kernels in host code, and the explicit instantiations of kernel templates. All other host code is
//! dropped.
//!
//! ```cpp
//! const int threads = 256;
//! dim3 block(16, 16);
//! k<float, 4><<<grid, block, bytes>>>(p);          // k, `float, 4`, a block of 16 × 16
//! hipLaunchKernelGGL(k, grid, threads, 0, 0, p);   // k, a block of 256
//! template __global__ void k<int, 2>(int *);       // k, `int, 2`: no launch
//! ```
//!
//! The size of a launch is known if it consists of numbers and of variables of the same function. Such a variable
//! must be assigned only once, at its declaration, and its address must not be taken.

use std::cell::Cell;

use rustc_hash::FxHashMap;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use super::condition;

/// The maximum number of tokens of a kernel name with its template arguments.
const LONGEST_NAME: usize = 512;
/// The maximum number of arguments between `<<<` and `>>>`.
const MOST_ARGUMENTS: usize = 4;
/// The maximum number of tokens of all these arguments together.
const LONGEST_ARGUMENTS: usize = 512;
/// The maximum number of tokens of the value of a size variable.
const LONGEST_VALUE: usize = 128;
/// The maximum nesting depth of parentheses and variables in a size, and the maximum number of numbers.
const DEPTH: u32 = 16;
const NUMBERS: u32 = 256;

/// A launch of a kernel by host code, or an explicit instantiation of a kernel template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The spelling of the kernel's name, including its qualifiers.
    pub kernel: Box<[Token]>,
    /// The tokens between its angle brackets; `None` without angle brackets.
    pub template_arguments: Option<Box<[Token]>>,
    /// The same, one for each argument.
    pub arguments: Box<[LaunchArgument]>,
    /// The number of blocks in each dimension, if it is known.
    pub grid: Option<[u32; 3]>,
    /// The number of threads of a block in each dimension, if it is known.
    pub block: Option<[u32; 3]>,
    /// Whether it is an explicit instantiation, which launches nothing.
    pub is_instantiation: bool,
    /// The first token of the name, as an index into [`Chunk::origins`](super::Chunk::origins).
    pub origin: u32,
}

/// A template argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchArgument {
    pub tokens: Box<[Token]>,
    /// Its value, if it is computed from numbers and from variables of the function around the launch.
    pub value: Option<i64>,
    /// Whether it contains a name that the function around the launch declares: a parameter, a variable, a template
    /// parameter.
    pub is_local: bool,
}

/// Returns the launches in an item. `first` is the index of the item's first origin in its chunk.
pub(super) fn of_item(tokens: &[Token], first: u32, is_launcher: &dyn Fn(Symbol) -> bool) -> Vec<Launch> {
    let mut values = None;
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let kinds = (tokens[at].kind, tokens.get(at + 1).map(|token| token.kind));
        let (name, sizes) = match kinds {
            (TokenKind::LessLess, Some(TokenKind::Less)) => {
                let Some(name) = name_before(tokens, at) else { continue };
                (name, arguments(tokens, at + 2, true))
            }
            (TokenKind::Identifier, Some(TokenKind::LeftParen)) if is_launcher(tokens[at].text) => {
                let mut all = arguments(tokens, at + 2, false).into_iter();
                let Some(name) = all.next().and_then(|range| name_within(tokens, range)) else { continue };
                (name, all.collect())
            }
            (TokenKind::Template, Some(next)) if next != TokenKind::Less => {
                let Some(name) = name_of_instantiation(tokens, at + 1) else { continue };
                (name, Vec::new())
            }
            _ => continue,
        };
        let values = values.get_or_insert_with(|| Values::of(tokens));
        let size = |number: usize| sizes.get(number).and_then(|range| values.size(&tokens[range.clone()]));
        let (kernel, template_arguments) = split_name(&tokens[name.clone()]);
        let arguments = template_arguments.iter().flat_map(|all| split(all)).map(|argument| LaunchArgument {
            tokens: argument.into(),
            value: values.integer(argument),
            is_local: argument.iter().any(|token| is_name(token) && is_declared(tokens, token.text)),
        });
        let arguments = arguments.collect();
        found.push(Launch {
            kernel: kernel.into(),
            template_arguments,
            arguments,
            grid: size(0),
            block: size(1),
            is_instantiation: kinds.0 == TokenKind::Template,
            origin: first + name.start as u32,
        });
    }
    found
}

type Range = std::ops::Range<usize>;

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Identifier | TokenKind::TypeName)
}

/// Returns the name that ends before `end`.
fn name_before(tokens: &[Token], end: usize) -> Option<Range> {
    let mut start = end;
    let least = end.saturating_sub(LONGEST_NAME);
    if start > least && matches!(tokens[start - 1].kind, TokenKind::Greater | TokenKind::GreaterGreater) {
        let (mut angles, mut brackets) = (0_u32, 0_u32);
        loop {
            start = start.checked_sub(1).filter(|start| *start >= least)?;
            match tokens[start].kind {
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => brackets += 1,
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                    brackets = brackets.checked_sub(1)?;
                }
                TokenKind::Semicolon => return None,
                _ if brackets > 0 => {}
                TokenKind::Greater => angles += 1,
                TokenKind::GreaterGreater => angles += 2,
                TokenKind::Less => angles = angles.checked_sub(1)?,
                _ => {}
            }
            if angles == 0 {
                break;
            }
        }
    }
    // The words of the name, and its qualifiers.
    loop {
        if start <= least || !is_name(&tokens[start - 1]) {
            return None;
        }
        start -= 1;
        if start <= least || tokens[start - 1].kind != TokenKind::ColonColon {
            return Some(start..end);
        }
        start -= 1;
        if start <= least || !is_name(&tokens[start - 1]) {
            // It begins with `::`.
            return Some(start..end);
        }
    }
}

/// Returns the name with template arguments in an explicit instantiation, whose declaration begins at `start`.
fn name_of_instantiation(tokens: &[Token], start: usize) -> Option<Range> {
    let end = tokens.len().min(start + LONGEST_NAME);
    let ends_arguments = |kind| matches!(kind, TokenKind::Greater | TokenKind::GreaterGreater);
    let is_name_end = |at: &usize| {
        ends_arguments(tokens[*at].kind)
            && tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::LeftParen)
    };
    let last = (start..end)
        .take_while(|&at| !matches!(tokens[at].kind, TokenKind::Semicolon | TokenKind::LeftBrace))
        .find(is_name_end)?;
    name_before(tokens, last + 1)
}

/// Returns the kernel name in an argument of a launching function: `k`, `(k<int, 4>)`, `HIP_KERNEL_NAME(k<int, 4>)`,
/// `(void *)k`.
fn name_within(tokens: &[Token], mut range: Range) -> Option<Range> {
    loop {
        let inner = &tokens[range.clone()];
        match inner {
            [
                Token { kind: TokenKind::Identifier, .. },
                Token { kind: TokenKind::LeftParen, .. },
                ..,
                Token { kind: TokenKind::RightParen, .. },
            ] => {
                range = range.start + 2..range.end - 1;
            }
            [Token { kind: TokenKind::LeftParen, .. }, .., Token { kind: TokenKind::RightParen, .. }] => {
                range = range.start + 1..range.end - 1;
            }
            [Token { kind: TokenKind::LeftParen, .. }, ..] => {
                let close = inner.iter().position(|token| token.kind == TokenKind::RightParen)?;
                range = range.start + close + 1..range.end;
            }
            [Token { kind: TokenKind::Amp, .. }, ..] => range.start += 1,
            _ => break,
        }
    }
    let name = name_before(tokens, range.end)?;
    (name.start == range.start).then_some(name)
}

/// Splits a name into its words and its template arguments.
fn split_name(tokens: &[Token]) -> (&[Token], Option<Box<[Token]>>) {
    let Some(open) = tokens.iter().position(|token| token.kind == TokenKind::Less) else {
        return (tokens, None);
    };
    let mut arguments = tokens[open + 1..].to_vec();
    // A final `>>` also closes the template arguments of the last argument.
    let close = arguments.pop();
    if close.is_some_and(|close| close.kind == TokenKind::GreaterGreater) {
        arguments.push(Token { kind: TokenKind::Greater, text: Symbol::EMPTY });
    }
    (&tokens[..open], Some(arguments.into()))
}

/// Splits template arguments at their commas.
fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0_u32, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace | TokenKind::Less => {
                depth += 1
            }
            TokenKind::GreaterGreater => depth = depth.saturating_sub(2),
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace | TokenKind::Greater => {
                depth = depth.saturating_sub(1);
            }
            TokenKind::Comma if depth == 0 => {
                found.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if from < tokens.len() {
        found.push(&tokens[from..]);
    }
    found
}

/// Whether an item of host code declares a name: it follows the name of a type there.
fn is_declared(tokens: &[Token], name: Symbol) -> bool {
    let is_declarator = |before: TokenKind| {
        is_type(before)
            || matches!(
                before,
                TokenKind::Bool
                    | TokenKind::Float
                    | TokenKind::Double
                    | TokenKind::Star
                    | TokenKind::Amp
                    | TokenKind::Typename
                    | TokenKind::Class
            )
    };
    tokens.windows(2).any(|pair| pair[1].text == name && is_name(&pair[1]) && is_declarator(pair[0].kind))
}

/// Returns the first arguments from `start` on, up to the closing `>>>` or `)`.
fn arguments(tokens: &[Token], start: usize, is_configuration: bool) -> Vec<Range> {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0_u32, start);
    let few = tokens.iter().enumerate().skip(start).take(LONGEST_ARGUMENTS);
    for (at, token) in few {
        let ends = match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => {
                depth += 1;
                false
            }
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace if depth > 0 => {
                depth -= 1;
                false
            }
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => true,
            TokenKind::GreaterGreater if is_configuration && depth == 0 => {
                tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Greater)
            }
            TokenKind::Comma if depth == 0 => {
                found.push(from..at);
                from = at + 1;
                found.len() == MOST_ARGUMENTS
            }
            _ => false,
        };
        if ends {
            if from <= at {
                found.push(from..at);
            }
            break;
        }
    }
    found
}

/// The values of the variables of a function that keep the value of their declaration.
struct Values<'a> {
    tokens: &'a [Token],
    /// The tokens of the value. `None` if there are several values, or if the variable may change.
    given: FxHashMap<Symbol, Option<Range>>,
    /// The number of further numbers that the current size may contain.
    rest: Cell<u32>,
}

impl<'a> Values<'a> {
    fn of(tokens: &'a [Token]) -> Values<'a> {
        let mut given: FxHashMap<Symbol, Option<Range>> = FxHashMap::default();
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let before = at.checked_sub(1).map_or(TokenKind::Semicolon, |before| tokens[before].kind);
            let after = |steps: usize| tokens.get(at + steps).map(|token| token.kind);
            let begins_declarator = is_type(before) || before == TokenKind::Comma;
            let value = match after(1) {
                Some(TokenKind::Equal) if begins_declarator => {
                    end_of_value(tokens, at + 2).map(|end| at + 2..end)
                }
                Some(TokenKind::LeftParen | TokenKind::LeftBrace) if is_type(before) => {
                    end_of_value(tokens, at + 1).map(|end| at + 1..end)
                }
                _ => None,
            };
            let changes = |kind| {
                matches!(
                    kind,
                    TokenKind::Equal
                        | TokenKind::PlusEqual
                        | TokenKind::MinusEqual
                        | TokenKind::StarEqual
                        | TokenKind::SlashEqual
                        | TokenKind::PercentEqual
                        | TokenKind::AmpEqual
                        | TokenKind::PipeEqual
                        | TokenKind::CaretEqual
                        | TokenKind::LessLessEqual
                        | TokenKind::GreaterGreaterEqual
                        | TokenKind::PlusPlus
                        | TokenKind::MinusMinus
                )
            };
            let may_change = after(1).is_some_and(changes)
                || after(1) == Some(TokenKind::Dot) && after(3).is_some_and(changes)
                || matches!(
                    before,
                    TokenKind::PlusPlus | TokenKind::MinusMinus | TokenKind::Amp | TokenKind::GreaterGreater
                )
                // A variable declared without a value is assigned elsewhere.
                || is_type(before) && matches!(
                        after(1),
                        Some(TokenKind::Semicolon | TokenKind::Comma | TokenKind::RightParen)
                    );
            if value.is_some() || may_change {
                given.entry(token.text).and_modify(|known| *known = None).or_insert(value);
            }
        }
        Values { tokens, given, rest: Cell::new(0) }
    }

    /// Evaluates a number of threads or blocks: `256`, `dim3(16, 16)`, or a variable with such a value.
    fn size(&self, tokens: &[Token]) -> Option<[u32; 3]> {
        let mut tokens = tokens;
        self.rest.set(NUMBERS);
        for _ in 0..DEPTH {
            match tokens {
                [name] if is_name(name) => tokens = &self.tokens[self.given.get(&name.text)?.clone()?],
                // The arguments of a constructor, or a value in braces.
                [.., Token { kind: TokenKind::RightParen | TokenKind::RightBrace, .. }]
                    if let Some(sizes) = list(tokens) =>
                {
                    let sizes: Option<Vec<u32>> = sizes.iter().map(|size| self.number(size)).collect();
                    return match sizes?[..] {
                        [x] => Some([x, 1, 1]),
                        [x, y] => Some([x, y, 1]),
                        [x, y, z] => Some([x, y, z]),
                        _ => None,
                    };
                }
                _ => return self.number(tokens).map(|x| [x, 1, 1]),
            }
        }
        None
    }

    /// Evaluates a template argument: a truth value, or a computation with numbers.
    fn integer(&self, tokens: &[Token]) -> Option<i64> {
        if let [word] = tokens {
            match word.text.as_str() {
                "true" => return Some(1),
                "false" => return Some(0),
                _ => {}
            }
        }
        self.rest.set(NUMBERS);
        let mut sum = ConstEvaluator { values: self, tokens, at: 0, depth: 0 };
        let value = sum.sum()?;
        (sum.at == sum.tokens.len()).then_some(value)
    }

    fn number(&self, tokens: &[Token]) -> Option<u32> {
        let mut sum = ConstEvaluator { values: self, tokens, at: 0, depth: 0 };
        let value = sum.sum()?;
        (sum.at == sum.tokens.len())
            .then_some(value)
            .and_then(|value| u32::try_from(value).ok())
            .filter(|&value| value > 0)
    }
}

/// Whether a variable name can follow a token of this kind.
fn is_type(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Identifier
            | TokenKind::TypeName
            | TokenKind::Int
            | TokenKind::Long
            | TokenKind::Short
            | TokenKind::Char
            | TokenKind::Unsigned
            | TokenKind::Signed
            | TokenKind::Auto
            | TokenKind::Const
    )
}

/// Returns the end of the value that begins at `start`: the `,` or `;` after it. `None` if the value is too long.
fn end_of_value(tokens: &[Token], start: usize) -> Option<usize> {
    let mut depth = 0_u32;
    let end = tokens.len().min(start + LONGEST_VALUE);
    for (at, token) in tokens[..end].iter().enumerate().skip(start) {
        match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => depth += 1,
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace if depth == 0 => {
                return Some(at);
            }
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => depth -= 1,
            TokenKind::Comma | TokenKind::Semicolon if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the arguments of `dim3(…)` or `dim3{…}`, of `(…)` after a declared name, or of `{…}`.
fn list(tokens: &[Token]) -> Option<Vec<&[Token]>> {
    let open = match tokens {
        [name, open, ..] if is_name(name) && is_open(open.kind) => 1,
        [open, ..] if is_open(open.kind) => 0,
        _ => return None,
    };
    let ranges = arguments(tokens, open + 1, false);
    let whole = ranges.last().is_some_and(|last| last.end == tokens.len() - 1);
    whole.then(|| ranges.into_iter().map(|range| &tokens[range]).collect())
}

fn is_open(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::LeftParen | TokenKind::LeftBrace)
}

/// Evaluates an integer expression.
struct ConstEvaluator<'a> {
    values: &'a Values<'a>,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

impl ConstEvaluator<'_> {
    fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        while let Some(kind @ (TokenKind::Plus | TokenKind::Minus)) = self.peek() {
            self.at += 1;
            let right = self.product()?;
            value =
                if kind == TokenKind::Plus { value.checked_add(right)? } else { value.checked_sub(right)? };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.factor()?;
        while let Some(kind @ (TokenKind::Star | TokenKind::Slash | TokenKind::Percent)) = self.peek() {
            self.at += 1;
            let right = self.factor()?;
            value = match kind {
                TokenKind::Star => value.checked_mul(right)?,
                TokenKind::Slash => value.checked_div(right)?,
                _ => value.checked_rem(right)?,
            };
        }
        Some(value)
    }

    fn factor(&mut self) -> Option<i64> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        self.depth += 1;
        self.values.rest.set(self.values.rest.get().checked_sub(1)?);
        let value = match token.kind {
            _ if self.depth > DEPTH => None,
            TokenKind::Number => condition::whole_number(token.text.as_str()),
            TokenKind::LeftParen => {
                let value = self.sum()?;
                let closed = self.peek() == Some(TokenKind::RightParen);
                self.at += 1;
                closed.then_some(value)
            }
            TokenKind::Identifier => {
                let range = self.values.given.get(&token.text)?.clone()?;
                let tokens = &self.values.tokens[range];
                let mut inner = ConstEvaluator { values: self.values, tokens, at: 0, depth: self.depth };
                let value = inner.sum()?;
                (inner.at == tokens.len()).then_some(value)
            }
            _ => None,
        };
        self.depth -= 1;
        value
    }
}
