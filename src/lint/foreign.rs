//! Text of another language in a file in OpenCL: CUDA, or C++ with templates. What it does not mean in OpenCL is told once, not at each word.

use rustc_hash::FxHashMap;
use tangle_grammar::token::TokenKind;

use super::check::place;
use super::syntax_error::RULE;
use crate::db::Db;
use crate::diagnostic::{Diagnostic, Severity};
use crate::preprocess::FileId;
use crate::source::SourceFile;
use crate::syntax::{TextRange, Unit, spans, tokens};

/// Words that CUDA has, and that mean nothing in OpenCL unless the text defines them.
const CUDA: &[&str] = &["__global__", "__device__", "__host__", "__shared__"];
const TEMPLATE: &str = "template";

/// Rules that speak of what text does not mean.
const MEANING: &[&str] = &[RULE, "type-error", "unknown-type", "unknown-name", "undeclared-function"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Cuda,
    Cpp,
}

/// Puts one finding in the place of all that say what text of another language does not mean, for each file of a unit that holds any.
pub(super) fn check(db: &dyn Db, unit: &Unit, found: &mut Vec<Diagnostic>) {
    if !unit.0.files.iter().any(|&file| *has_words(db, db.source(file))) {
        return;
    }
    let mut files: FxHashMap<FileId, (u32, Language)> = FxHashMap::default();
    unit.0.for_each_item(&mut |chunk, item, origins| {
        let origins = &chunk.origins[origins.start as usize..origins.end as usize];
        for (index, (token, origin)) in item.tokens().iter().zip(origins).enumerate() {
            let is_less = || item.tokens().get(index + 1).is_some_and(|next| next.kind == TokenKind::Less);
            let language = match token.text.as_str() {
                _ if token.kind != TokenKind::Identifier || origin.expansion != 0 => continue,
                word if CUDA.contains(&word) => Language::Cuda,
                TEMPLATE if is_less() => Language::Cpp,
                _ => continue,
            };
            let first = files.entry(origin.file).or_insert((origin.token, language));
            // CUDA has templates as well.
            if language == Language::Cuda && first.1 == Language::Cpp {
                *first = (origin.token, language);
            }
        }
    });
    for (id, (token, language)) in files {
        let file = db.source(id);
        let path = file.path(db);
        let range = spans(db, file).get(token);
        let word = &file.text(db)[range.clone()];
        let (message, severity) = match language {
            Language::Cuda => (
                format!("this is CUDA: `{word}` means nothing in OpenCL, and what else does not is not told"),
                Severity::Note,
            ),
            Language::Cpp => (
                format!("this is C++: OpenCL C has no `{word}`, and what else it does not have is not told"),
                Severity::Error,
            ),
        };
        found.retain(|finding| !(MEANING.contains(&finding.rule) && finding.place.file == *path));
        let mut finding = Diagnostic::new(RULE, severity, place(db, &TextRange { file, range }), message);
        finding.help.push("functions of it may be left out".to_owned());
        found.push(finding);
    }
}

/// Whether a file has any of the words.
#[salsa::tracked]
fn has_words(db: &dyn Db, file: SourceFile) -> bool {
    let lexed = tokens(db, file);
    lexed.tokens.iter().any(|token| {
        let word = token.text.as_str();
        token.kind == TokenKind::Identifier && (word == TEMPLATE || CUDA.contains(&word))
    })
}
