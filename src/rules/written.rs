//! The calls and early exits in the text of a file, outside directives, in active and inactive `#if` branches.
//!
//! The text of a file is searched once after each edit, for all users of the result.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;
use tangle_grammar::lex::Lexed;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use tangle_syntax::db::Db;
use tangle_syntax::items::tokens;
use tangle_syntax::preprocess::LeftOut;
use tangle_syntax::source::SourceFile;

/// A word, with the index of its token.
pub type Word = (u32, Symbol);

/// The calls and early exits of a file, each list in source order.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct Written {
    /// The names before a `(`. A name that directly follows another name is omitted: it declares a function.
    pub calls: Vec<Word>,
    /// `return`, `break`, `continue` and `goto`.
    pub exits: Vec<Word>,
}

/// Returns the words of a list that are in an inactive group.
pub fn inside<'a>(left_out: &LeftOut, written: &'a [Word]) -> impl Iterator<Item = Word> + use<'a> {
    let tokens = left_out.tokens.clone();
    let first = written.partition_point(|&(token, _)| token < tokens.start);
    written[first..].iter().copied().take_while(move |&(token, _)| token < tokens.end)
}

/// The keywords that affect the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A keyword that can precede a call: the next name is no declaration.
    BeforeCall,
    Exit,
    /// Both.
    Return,
}

static KINDS: LazyLock<FxHashMap<Symbol, Kind>> = LazyLock::new(|| {
    let kinds = [
        (Kind::BeforeCall, &["else", "do"][..]),
        (Kind::Exit, &["break", "continue", "goto"]),
        (Kind::Return, &["return"]),
    ];
    let words = kinds.iter().flat_map(|(kind, words)| words.iter().map(|word| (Symbol::intern(word), *kind)));
    words.collect()
});

/// Returns the calls and early exits of a file.
#[salsa::tracked]
pub fn written(db: &dyn Db, file: SourceFile) -> Written {
    let lexed: Arc<Lexed> = tokens(db, file);
    let mut written = Written::default();
    let mut behind_name = false;
    for (index, token) in lexed.outside_directives() {
        if token.kind != TokenKind::Identifier {
            behind_name = false;
            continue;
        }
        let kind = KINDS.get(&token.text);
        let word = (index, token.text);
        let next = lexed.tokens.get(index as usize + 1).map(|next| next.kind);
        if matches!(kind, Some(Kind::Exit | Kind::Return)) {
            written.exits.push(word);
        }
        if !behind_name && next == Some(TokenKind::LeftParen) {
            written.calls.push(word);
        }
        behind_name = !matches!(kind, Some(Kind::BeforeCall | Kind::Return));
    }
    written
}
