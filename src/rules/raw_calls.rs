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
use tangle_syntax::preprocess::SkippedGroup;
use tangle_syntax::source::SourceFile;

/// A word, with the index of its token.
pub type WordToken = (u32, Symbol);

/// The calls and early exits of a file, each list in source order.
#[derive(Debug, Default, PartialEq, Eq, salsa::SalsaValue)]
pub struct CallsAndExits {
    /// The names before a `(`. A name that directly follows another name is omitted: it declares a function.
    pub calls: Vec<WordToken>,
    /// `return`, `break`, `continue` and `goto`.
    pub exits: Vec<WordToken>,
}

/// Returns the words of a list that are in an inactive group.
pub fn inside<'a>(
    left_out: &SkippedGroup,
    written: &'a [WordToken],
) -> impl Iterator<Item = WordToken> + use<'a> {
    let tokens = left_out.tokens.clone();
    let first = written.partition_point(|&(token, _)| token < tokens.start);
    written[first..].iter().copied().take_while(move |&(token, _)| token < tokens.end)
}

/// The keywords that affect the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeywordRole {
    /// A keyword that can precede a call: the next name is no declaration.
    BeforeCall,
    Exit,
    /// Both.
    Return,
}

static KINDS: LazyLock<FxHashMap<Symbol, KeywordRole>> = LazyLock::new(|| {
    let kinds = [
        (KeywordRole::BeforeCall, &["else", "do"][..]),
        (KeywordRole::Exit, &["break", "continue", "goto"]),
        (KeywordRole::Return, &["return"]),
    ];
    let words = kinds.iter().flat_map(|(kind, words)| words.iter().map(|word| (Symbol::intern(word), *kind)));
    words.collect()
});

/// Returns the calls and early exits of a file.
#[salsa::tracked]
pub fn raw_calls_and_exits(db: &dyn Db, file: SourceFile) -> CallsAndExits {
    let lexed: Arc<Lexed> = tokens(db, file);
    let mut written = CallsAndExits::default();
    let mut after_name = false;
    for (index, token) in lexed.outside_directives() {
        if token.kind != TokenKind::Identifier {
            after_name = false;
            continue;
        }
        let kind = KINDS.get(&token.text);
        let word = (index, token.text);
        let next = lexed.tokens.get(index as usize + 1).map(|next| next.kind);
        if matches!(kind, Some(KeywordRole::Exit | KeywordRole::Return)) {
            written.exits.push(word);
        }
        if !after_name && next == Some(TokenKind::LeftParen) {
            written.calls.push(word);
        }
        after_name = !matches!(kind, Some(KeywordRole::BeforeCall | KeywordRole::Return));
    }
    written
}
