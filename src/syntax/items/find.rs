//! Maps a position in the text to the item that contains it: the inverse of [`Locator`].
//!
//! If a macro repeats its argument, one token of the text is several tokens of an item. If a macro drops its
//! argument, it is none. The name of a macro at its use corresponds to its whole expansion.

use std::ops::Range;
use std::sync::Arc;

use tangle_grammar::ast::Span;
use tangle_grammar::token::Token;

use super::{ChunkKey, Item, Locator, SharedChunk, Unit, chunks, items};
use crate::db::Db;
use crate::preprocess::{Chunk, Expansion, FileId, Origin, Part};
use crate::source::SourceFile;

/// One occurrence of an item.
#[derive(Clone, Debug)]
pub struct ItemOccurrence<'db> {
    pub chunk: Arc<Chunk>,
    pub item: Item<'db>,
    /// The index of its first origin in the chunk.
    pub first: u32,
    pub len: u32,
}

impl<'db> ItemOccurrence<'db> {
    pub fn locator<'a>(&'a self, db: &'a dyn Db) -> Locator<'a> {
        Locator::new(db, &self.chunk, self.first, self.len as usize)
    }

    fn origins(&self) -> &[Origin] {
        &self.chunk.origins[self.first as usize..(self.first + self.len) as usize]
    }

    /// The tokens of the item that are this token of the text, or that come from the macro whose use begins there.
    pub fn tokens_from(&self, file: FileId, token: u32) -> Vec<u32> {
        // The arguments of a macro are in the text after its name.
        let end = self.expansion_at(file, token).map_or(token, |expansion| expansion.call_end);
        let here = |origin: &Origin| origin.file == file && (token..=end).contains(&origin.token);
        let written = |origin: &Origin| {
            let mut origin = *origin;
            loop {
                if here(&origin) {
                    return true;
                }
                match self.chunk.expansion(origin) {
                    Some(expansion) => origin = expansion.call,
                    None => return false,
                }
            }
        };
        (0..).zip(self.origins()).filter(|(_, origin)| written(origin)).map(|(index, _)| index).collect()
    }

    /// The tokens of the text that the item spans, if it begins and ends in this file.
    fn extent(&self, file: FileId) -> Option<Range<u32>> {
        let used = |origin: &Origin| self.chunk.place_of_use(*origin);
        let (first, last) = (used(self.origins().first()?), self.origins().last()?);
        let end = match self.outermost(*last) {
            Some(expansion) => expansion.call_end,
            None => last.token,
        };
        (first.file == file && used(last).file == file).then_some(first.token..end + 1)
    }

    /// The outermost macro use that a token comes from.
    fn outermost(&self, origin: Origin) -> Option<&Expansion> {
        let mut found = self.chunk.expansion(origin)?;
        while let Some(outer) = self.chunk.expansion(found.call) {
            found = outer;
        }
        Some(found)
    }

    /// The expansion of the macro whose name is at a token of the text, if the expansion was recorded.
    pub fn expansion_at(&self, file: FileId, token: u32) -> Option<&Expansion> {
        self.chunk
            .expansions
            .iter()
            .find(|expansion| (expansion.call.file, expansion.call.token) == (file, token))
    }
}

/// The items of a unit whose text is in a file, in order.
pub fn items_of<'db>(db: &'db dyn Db, unit: &Unit, file: FileId) -> Vec<ItemOccurrence<'db>> {
    let own = chunks(unit).into_iter().filter(|chunk| chunk.file == file);
    own.flat_map(|chunk| placed(db, &chunk)).collect()
}

/// All items of a unit, in source order.
pub fn all_items<'db>(db: &'db dyn Db, unit: &Unit) -> Vec<ItemOccurrence<'db>> {
    chunks(unit).iter().flat_map(|chunk| placed(db, chunk)).collect()
}

fn placed<'db>(db: &'db dyn Db, chunk: &Arc<Chunk>) -> Vec<ItemOccurrence<'db>> {
    let lengths = chunk.parts.iter().filter_map(|part| match part {
        Part::Item { origins, .. } => Some(origins.end - origins.start),
        Part::Include(_) => None,
    });
    let items = items(db, ChunkKey::new(db, SharedChunk(chunk.clone()))).iter();
    items
        .zip(lengths)
        .map(|(&(item, first), len)| ItemOccurrence { chunk: chunk.clone(), item, first, len })
        .collect()
}

/// Returns the item that contains a token of the text.
pub fn item_at<'db>(db: &'db dyn Db, unit: &Unit, file: FileId, token: u32) -> Option<ItemOccurrence<'db>> {
    let own = items_of(db, unit, file);
    let holds = |placed: &ItemOccurrence| placed.extent(file).is_some_and(|extent| extent.contains(&token));
    if let Some(found) = own.into_iter().find(holds) {
        return Some(found);
    }
    // A header included in the middle of an item has no chunk of its own.
    let all = chunks(unit).into_iter().filter(|chunk| chunk.file != file && chunk.files.contains(&file));
    all.flat_map(|chunk| placed(db, &chunk)).find(|placed| !placed.tokens_from(file, token).is_empty())
}

/// Returns the token at an offset of a file: the token under a cursor there, or directly before it.
pub fn token_at(db: &dyn Db, file: SourceFile, offset: usize) -> Option<u32> {
    let spans = super::spans(db, file);
    let token = spans.token_at(offset)?;
    let before = token.checked_sub(1).filter(|&before| spans.get(before).end == offset);
    let is_name = |token: u32| {
        let tokens = super::tokens(db, file);
        let spelled = tokens.tokens.get(token as usize).map(|token| token.spelling()).unwrap_or_default();
        spelled.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    match before {
        // Between two tokens, the cursor is at the name rather than at the other token.
        Some(before) if is_name(before) && !is_name(token) => Some(before),
        _ => Some(token),
    }
}

/// Returns the value with the smallest span that contains a token.
pub fn innermost<T>(spans: impl Iterator<Item = (T, Span)>, token: u32) -> Option<T> {
    let holding = spans.filter(|(_, span)| span.start <= token && token < span.end);
    holding.min_by_key(|(_, span)| span.end - span.start).map(|(found, _)| found)
}

/// Formats tokens as one line of text, with spaces where the language requires them or a reader expects them.
pub fn spelled(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        let spelling = tangle_grammar::lex::spelling(token.kind, token.text);
        let last = text.chars().last();
        let operator = last.is_some_and(|c| "+-/%<>=|^?:,".contains(c));
        let tight = last.is_none_or(|c| "([!~.".contains(c))
            || ")],;.".contains(spelling)
            || ("([".contains(spelling) && !operator)
            || spelling == "->";
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let joined = word(last) && word(spelling.chars().next());
        if joined || !(tight || text.ends_with("->") || spelling == "++" || spelling == "--") {
            text.push(' ');
        }
        text += spelling;
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::db::Database;
    use crate::items::unit;
    use crate::source::NoHeaders;

    /// Returns the tokens of the item that come from the token after `^` in the text.
    fn found(text: &str) -> Vec<String> {
        let offset = text.find('^').unwrap();
        let mut db = Database::new(Arc::new(NoHeaders));
        let settings = db.settings(&[], &[], &[], Vec::new());
        let file = db.set_text("k.cl", &text.replace('^', ""));
        let token = token_at(&db, file, offset).unwrap();
        let unit = unit(&db, file, settings);
        let Some(placed) = item_at(&db, unit, file.id(&db), token) else { return vec!["nothing".into()] };
        let tokens = placed.item.tokens(&db).0.tokens();
        let from = placed.tokens_from(file.id(&db), token);
        from.iter().map(|&at| spelled(&tokens[at as usize..=at as usize])).collect()
    }

    #[test]
    fn source_token_maps_to_its_expanded_tokens() {
        for (text, expected) in [
            ("int a; int ^b;", &["b"][..]),
            ("#define TWICE(x) x + x\nint a = TWICE(^c);", &["c", "c"]),
            ("#define TWICE(x) x + x\nint a = ^TWICE(c);", &["c", "+", "c"]),
            ("#define DROP(x)\nint a DROP(^c) = 1;", &[]),
            ("#define IN 1\n#define OUT IN + 2\nint a = ^OUT;", &["1", "+", "2"]),
            ("#if 0\nint ^a;\n#endif", &["nothing"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn offset_between_two_tokens_selects_the_name() {
        assert_eq!(found("int a = b^+ 1;"), ["b"]);
        assert_eq!(found("int a = 1 +^b;"), ["b"]);
    }

    #[test]
    fn tokens_are_printed_with_usual_spacing() {
        let (lexed, _) = tangle_grammar::lex::lex("if(p [ 0 ]&&!q->x)return f(a,b )+( 1 );");
        let tokens: Vec<Token> =
            lexed.tokens.iter().map(|token| Token { kind: token.kind, text: token.text }).collect();
        assert_eq!(spelled(&tokens), "if(p[0] && !q->x) return f(a, b) + (1);");
    }
}
