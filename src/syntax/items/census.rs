//! Counts the kernels of a file, and its unparsed parts.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;
use tangle_grammar::lexicon::Macro;
use tangle_grammar::token::{Token, TokenKind};

use super::{Locator, Part, ast, chunks, is_host, outline, parse, unit};
use crate::db::Db;
use crate::items::{Item, SharedTokens};
use crate::source::{Settings, SourceFile};

/// The counts for one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Definitions of kernels and of kernel templates, including kernels whose head has a syntax error and functions
    /// that an undefined macro makes kernels. Macros can define several kernels at one location.
    pub kernels: usize,
    /// Statements, members and declarations of device code with an unsupported construct or a syntax error.
    pub unparsed: usize,
}

/// Counts the contents of the file itself, without the files that it includes.
pub fn census(db: &dyn Db, file: SourceFile, settings: Settings) -> FileCounts {
    let mut census = FileCounts::default();
    for chunk in chunks(unit(db, file, settings)) {
        for part in &chunk.parts {
            let Part::Item { tokens, origins, .. } = part else { continue };
            let item = Item::new(db, SharedTokens(tokens.clone()), chunk.dialect);
            let is_host = is_host(db, item);
            let words = chunk.dialect.lexicon();
            let names_kernel = |token: &Token| {
                token.kind == TokenKind::Identifier && words.implies(token.text, Macro::Kernel)
            };
            if is_host && !tokens.tokens().iter().any(names_kernel) {
                continue;
            }
            let length = tokens.tokens().len() as u32;
            let locator = Locator::new(db, &chunk, origins.start, tokens.tokens().len());
            let is_here = |span: Span| locator.locate(span).at.file == file;
            // Functions of headers are not parsed for this, and are no kernels.
            let ends = [Span::new(0, 1), Span::new(length.saturating_sub(1), length)];
            if outline(db, item).is_some() && !ends.into_iter().any(is_here) {
                continue;
            }
            let (parsed, ast) = (parse(db, item), ast(db, item));
            let kernels = ast.items.iter().map(|&id| &ast.decls[id]);
            let kernels = kernels.filter(|decl| {
                decl.body.is_some() && decl.specifiers.storage.contains(&tangle_grammar::ast::Storage::Kernel)
            });
            census.kernels += kernels.filter(|decl| is_here(decl.span)).count();
            if is_host {
                continue;
            }
            let errors = parsed.errors.iter().map(|error| error.span);
            let unparsed: FxHashSet<Span> = parsed
                .opaque
                .iter()
                .map(|(span, _)| *span)
                .chain(errors)
                .filter(|&span| is_here(span))
                .collect();
            census.unparsed += unparsed.len();
            let is_kernel = tokens.tokens().iter().any(|token| token.kind == TokenKind::Kernel);
            if parsed.is_empty && is_kernel && is_here(Span::new(0, 1)) {
                census.kernels += 1;
            }
        }
    }
    census
}
