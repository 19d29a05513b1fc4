//! Text of another language in an OpenCL file: CUDA, or C++ with templates. It is reported once per file, and not at
//! each word that OpenCL C does not have.

use std::sync::LazyLock;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use tangle_base::Span;
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;

use crate::item_context::ItemContext;
use tangle_syntax::items::TextRange;
use tangle_syntax::source::SourceFile;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherLanguage {
    Cuda,
    Cpp,
}

/// The words that show another language, unless a macro expands to them. `template` counts only before `<`.
static WORDS: LazyLock<FxHashMap<Symbol, OtherLanguage>> = LazyLock::new(|| {
    let cuda = ["__global__", "__device__", "__host__", "__shared__"].map(|word| (word, OtherLanguage::Cuda));
    let words = cuda.into_iter().chain([("template", OtherLanguage::Cpp)]);
    words.map(|(word, language)| (Symbol::intern(word), language)).collect()
});

/// The files of a unit with text of another language, each with its first word of CUDA, or else of C++.
#[derive(Default)]
pub(crate) struct OtherLanguageFiles(IndexMap<SourceFile, (TextRange, OtherLanguage)>);

impl OtherLanguageFiles {
    /// Finds such files by some of their items. Items without a problem can be omitted: OpenCL C has all their words.
    pub fn among<'s>(items: impl Iterator<Item = &'s ItemContext<'s>>) -> OtherLanguageFiles {
        let mut foreign = OtherLanguageFiles::default();
        let of_c =
            |subject: &&ItemContext| subject.item.dialect(subject.db).lexicon().grammar() == Grammar::C;
        items.filter(of_c).for_each(|subject| foreign.add(subject));
        foreign
    }

    pub fn has(&self, file: SourceFile) -> bool {
        self.0.contains_key(&file)
    }

    /// Returns the files, each with the location and language of its word.
    pub fn files(&self) -> impl Iterator<Item = (SourceFile, &TextRange, OtherLanguage)> {
        self.0.iter().map(|(file, (at, language))| (*file, at, *language))
    }

    fn add(&mut self, subject: &ItemContext) {
        let tokens = subject.item.tokens(subject.db).0.tokens();
        for (index, token) in (0..).zip(tokens) {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let Some(&language) = WORDS.get(&token.text) else { continue };
            let next = tokens.get(index as usize + 1).map(|next| next.kind);
            let located = subject.locator.locate(Span::new(index, index + 1));
            if (language == OtherLanguage::Cpp && next != Some(TokenKind::Less)) || !located.macros.is_empty()
            {
                continue;
            }
            let first = self.0.entry(located.at.file).or_insert_with(|| (located.at.clone(), language));
            // CUDA has templates as well.
            if language == OtherLanguage::Cuda && first.1 == OtherLanguage::Cpp {
                *first = (located.at, language);
            }
        }
    }
}
