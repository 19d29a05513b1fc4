//! Early exits in text that conditions leave out: `return`, `break`, `continue` and `goto` after which a convergent operation may come.
//!
//! ```c
//! while (n--) {
//!   barrier(CLK_LOCAL_MEM_FENCE);
//! #ifdef FAST_EXIT
//!   if (p[n]) break;               // work-items may part here
//! #endif
//! }
//! ```
//!
//! The text stands in an item of the unit. Threads that `return` or jump part where something convergent stands behind that in the item, or in a loop around it;
//! those that leave a loop, or a pass of it, where it stands in that loop: behind it they are together again.

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::lex::{LexToken, Lexed};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use crate::db::Db;
use crate::preprocess::{Chunk, FileId, LeftOut, Origin};
use crate::source::SourceFile;
use crate::syntax::tokens;

const EXITS: &[&str] = &["return", "break", "continue", "goto"];
const LOOPS: &[&str] = &["for", "while", "do"];

/// The early exits that are written in a file, outside of directives, by their tokens, in order.
#[salsa::tracked]
pub fn exits(db: &dyn Db, file: SourceFile) -> Box<[(u32, Symbol)]> {
    let lexed = tokens(db, file);
    let mut in_directive = directives(&lexed);
    let exits = lexed
        .tokens
        .iter()
        .enumerate()
        .filter(|(index, token)| !in_directive(*index, token) && EXITS.contains(&token.text.as_str()));
    exits.map(|(index, token)| (index as u32, token.text)).collect()
}

/// Tells of each token in turn whether it is of a directive.
fn directives(lexed: &Lexed) -> impl FnMut(usize, &LexToken) -> bool + use<'_> {
    let mut directives = lexed.directives.iter().copied().peekable();
    let mut in_directive = false;
    move |index, token| {
        if token.flags.line_start() {
            in_directive = directives.next_if(|&directive| directive as usize == index).is_some();
        }
        in_directive
    }
}

/// Of the exits in a group those that leave what is around it: no loop or `switch` of the group itself.
pub fn leaving(lexed: &Lexed, group: &LeftOut, exits: Vec<(u32, Symbol)>) -> Vec<Symbol> {
    let Some(&(last, _)) = exits.last() else { return Vec::new() };
    let written = group.tokens.start..last;
    let mut nest = Nest::default();
    let mut exits = exits.into_iter().peekable();
    let mut leaving = Vec::new();
    for index in written.start..=last {
        let token = &lexed.tokens[index as usize];
        if let Some((_, exit)) = exits.next_if(|(at, _)| *at == index) {
            let stays = match exit.as_str() {
                "break" | "continue" => nest.around(exit).is_some(),
                _ => false,
            };
            if !stays {
                leaving.push(exit);
            }
        }
        nest.token(token.text, token.kind);
    }
    leaving
}

/// Before which braces the tokens of a text stand: the word of the statement that each belongs to.
#[derive(Default)]
struct Nest {
    braces: Vec<(Option<Symbol>, usize)>,
    /// The words before the parentheses that are open.
    parentheses: Vec<Option<Symbol>>,
    /// The last token; if it closes a parenthesis, the word before that.
    before: Option<Symbol>,
    count: usize,
}

impl Nest {
    fn token(&mut self, text: Symbol, kind: TokenKind) {
        let before = self.before.replace(text);
        match kind {
            TokenKind::LeftParen => self.parentheses.push(before),
            TokenKind::RightParen => self.before = self.parentheses.pop().flatten(),
            TokenKind::LeftBrace => self.braces.push((before, self.count)),
            TokenKind::RightBrace => _ = self.braces.pop(),
            _ => {}
        }
        self.count += 1;
    }

    /// What a `break` or `continue` leaves: how deep it is, and how many tokens stand before its brace.
    fn around(&self, exit: Symbol) -> Option<(usize, usize)> {
        let is_left = |word: &Option<Symbol>| {
            is_loop(*word) || (exit.as_str() == "break" && word.is_some_and(|word| word.as_str() == "switch"))
        };
        let depth = self.braces.iter().rposition(|(word, _)| is_left(word))?;
        Some((depth, self.braces[depth].1))
    }

    /// How many tokens stand before the brace of the outermost loop.
    fn outermost_loop(&self) -> Option<usize> {
        self.braces.iter().find(|(word, _)| is_loop(*word)).map(|(_, count)| *count)
    }
}

fn is_loop(word: Option<Symbol>) -> bool {
    word.is_some_and(|word| LOOPS.contains(&word.as_str()))
}

/// An item, with the first and the last token of a file that it has.
struct Extent<'u> {
    first: u32,
    last: u32,
    tokens: &'u [Token],
    origins: &'u [Origin],
}

/// The items of a unit, by the files in which they are written.
pub struct Items<'u>(FxHashMap<FileId, Vec<Extent<'u>>>);

impl<'u> Items<'u> {
    /// Those of the files that matter.
    pub fn of(unit: &'u Chunk, files: &FxHashSet<FileId>) -> Items<'u> {
        let mut items: FxHashMap<FileId, Vec<Extent>> = FxHashMap::default();
        unit.for_each_item(&mut |chunk, tokens, origins| {
            let origins = &chunk.origins[origins.start as usize..origins.end as usize];
            let mut extents: FxHashMap<FileId, (u32, u32)> = FxHashMap::default();
            for origin in
                origins.iter().filter(|origin| origin.expansion == 0 && files.contains(&origin.file))
            {
                let extent = extents.entry(origin.file).or_insert((origin.token, origin.token));
                *extent = (extent.0.min(origin.token), extent.1.max(origin.token));
            }
            for (file, (first, last)) in extents {
                items.entry(file).or_default().push(Extent { first, last, tokens: tokens.tokens(), origins });
            }
        });
        items.values_mut().for_each(|extents| extents.sort_by_key(|extent| extent.first));
        Items(items)
    }

    /// Whether an exit that leaves a group may part threads where something is convergent.
    pub fn may_part(&self, group: &LeftOut, exit: Symbol, is_convergent: &dyn Fn(Symbol) -> bool) -> bool {
        let Some(extents) = self.0.get(&group.file) else { return false };
        let behind = extents.partition_point(|extent| extent.first < group.tokens.start);
        let Some(item) = extents[..behind].last().filter(|item| item.last >= group.tokens.end) else {
            return false;
        };
        let is_behind = |origin: &Origin| {
            origin.expansion == 0 && origin.file == group.file && origin.token >= group.tokens.end
        };
        let place = item.origins.iter().position(is_behind).unwrap_or(item.tokens.len());
        let mut nest = Nest::default();
        item.tokens[..place].iter().for_each(|token| nest.token(token.text, token.kind));
        let parted = match exit.as_str() {
            "break" | "continue" => {
                let Some((depth, start)) = nest.around(exit) else { return false };
                let rest = item.tokens[place..].iter();
                let inside = rest.take_while(|token| {
                    nest.token(token.text, token.kind);
                    nest.braces.len() > depth
                });
                &item.tokens[start..place + inside.count()]
            }
            _ => &item.tokens[nest.outermost_loop().unwrap_or(place)..],
        };
        let is_call =
            |pair: &&[Token]| pair[0].kind == TokenKind::Identifier && pair[1].kind == TokenKind::LeftParen;
        parted.windows(2).filter(is_call).any(|pair| is_convergent(pair[0].text))
    }
}
