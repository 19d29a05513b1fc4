//! Text of another language in a file in OpenCL: CUDA, or C++ with templates. What it does not mean in OpenCL is told once, not at each word.

use std::sync::LazyLock;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use tangle_base::Span;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::TokenKind;
use tangle_grammar::words::Grammar;

use super::check::{Subject, place};
use super::syntax_error::RULE;
use tangle_diagnostic::{Diagnostic, Place, Severity};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::dialect::content::is_cuda_or_hip;
use tangle_syntax::items::{TextRange, is_named_for_opencl};
use tangle_syntax::source::SourceFile;

/// Rules that speak of what text does not mean.
const MEANING: &[&str] = &[RULE, "type-error", "unknown-type", "unknown-name", "undeclared-function"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Cuda,
    Cpp,
}

/// Words that mean nothing in OpenCL, unless the text defines them. `template` counts with a `<` behind it.
static WORDS: LazyLock<FxHashMap<Symbol, Language>> = LazyLock::new(|| {
    let cuda = ["__global__", "__device__", "__host__", "__shared__"].map(|word| (word, Language::Cuda));
    let words = cuda.into_iter().chain([("template", Language::Cpp)]);
    words.map(|(word, language)| (Symbol::intern(word), language)).collect()
});

/// The files of a unit that hold text of another language, each with the first word that shows it.
#[derive(Default)]
pub(super) struct Foreign(IndexMap<SourceFile, (TextRange, Language)>);

impl Foreign {
    /// Takes note of an item. One in which all has a meaning holds none.
    pub fn item(&mut self, subject: &Subject) {
        let tokens = subject.item.tokens(subject.db).0.tokens();
        for (index, token) in (0..).zip(tokens) {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let Some(&language) = WORDS.get(&token.text) else { continue };
            let next = tokens.get(index as usize + 1).map(|next| next.kind);
            let located = subject.locator.locate(Span::new(index, index + 1));
            if (language == Language::Cpp && next != Some(TokenKind::Less)) || !located.macros.is_empty() {
                continue;
            }
            let first = self.0.entry(located.at.file).or_insert_with(|| (located.at.clone(), language));
            // CUDA has templates as well.
            if language == Language::Cuda && first.1 == Language::Cpp {
                *first = (located.at, language);
            }
        }
    }

    /// Says of a file that it is read in another language than its name says, because of its content.
    pub fn tell_of_name(db: &dyn Db, file: SourceFile, dialect: Dialect, found: &mut Vec<Diagnostic>) {
        let (path, text) = (file.path(db), file.text(db));
        if dialect.words().grammar() != Grammar::Cpp || !is_named_for_opencl(path) || !is_cuda_or_hip(&text) {
            return;
        }
        let words = ["__global__", "__device__"].into_iter();
        let Some((at, word)) = words.filter_map(|word| Some((text.find(word)?, word))).min() else { return };
        let title = dialect.title();
        let place = Place::new(path.clone(), at..at + word.len());
        let message = format!("the file is read as {title}: it has `{word}` and no words of OpenCL C");
        let mut finding = Diagnostic::new(RULE, Severity::Note, place, message);
        finding.help.push("read it as OpenCL C with `--dialect opencl`".to_owned());
        found.push(finding);
    }

    /// Puts one finding in the place of all that say what text of another language does not mean, for each file that holds any.
    pub fn tell(self, db: &dyn Db, found: &mut Vec<Diagnostic>) {
        for (file, (at, language)) in self.0 {
            let path = file.path(db);
            let word = &file.text(db)[at.range.clone()];
            let (name, severity, help) = match language {
                Language::Cuda => ("CUDA", Severity::Note, "lint the file with `--dialect cuda`"),
                Language::Cpp => ("C++", Severity::Error, "rewrite this code in OpenCL C"),
            };
            let message = format!(
                "{name} in an OpenCL file: OpenCL C has no `{word}`; further errors of this kind are not reported"
            );
            found.retain(|finding| !(MEANING.contains(&finding.rule) && finding.place.file == *path));
            let mut finding = Diagnostic::new(RULE, severity, place(db, &at), message);
            finding.help.push(format!("{help}: functions that use {name} may be missing from the analysis"));
            found.push(finding);
        }
    }
}
