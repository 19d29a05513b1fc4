//! The specification of the preprocessor, as examples.

mod clang;
mod cpp;
mod cutting;
mod expansion;
mod files;
mod hostile;
mod left_out;
mod memory;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tangle_grammar::lex::{Lexed, Spans, lex, spelling};
use tangle_grammar::token::TokenKind;

use super::*;
use crate::dialect::opencl;

struct Source {
    path: String,
    text: String,
    lexed: Arc<Lexed>,
    spans: Spans,
}

/// Files in memory. A file is found by its name; folders do not matter.
struct World {
    sources: Vec<Source>,
    names: HashMap<String, FileId>,
    options: Options,
    cache: Cache,
    /// The number of requests for the line of a token.
    lines_asked: AtomicU32,
}

impl Default for World {
    fn default() -> World {
        World {
            sources: Vec::new(),
            names: HashMap::new(),
            options: Options { dialect: opencl(), predefined: None, command_line: None },
            cache: Cache::default(),
            lines_asked: AtomicU32::new(0),
        }
    }
}

impl World {
    fn new(files: &[(&str, &str)]) -> World {
        let mut world = World::default();
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    /// Writes a file, or overwrites it.
    fn write(&mut self, path: &str, text: &str) -> FileId {
        let (lexed, spans) = lex(text);
        let source = Source { path: path.into(), text: text.into(), lexed: Arc::new(lexed), spans };
        match self.names.get(path) {
            Some(&file) => {
                self.sources[file.0 as usize] = source;
                file
            }
            None => {
                let file = FileId(self.sources.len() as u32);
                self.names.insert(path.into(), file);
                self.sources.push(source);
                file
            }
        }
    }

    fn run(&self, path: &str) -> Arc<Chunk> {
        preprocess(self, &self.options, &self.cache, self.names[path])
    }

    /// The token at an origin, as `file:line:text`.
    fn place(&self, origin: Origin) -> String {
        let source = &self.sources[origin.file.0 as usize];
        let line = self.line_of(origin.file, origin.token);
        format!("{}:{line}:{}", source.path, &source.text[source.spans.get(origin.token)])
    }

    fn line_of(&self, file: FileId, token: u32) -> u32 {
        let source = &self.sources[file.0 as usize];
        let start = source.spans.get(token).start;
        1 + source.text[..start].matches('\n').count() as u32
    }

    /// All problems, each with its location.
    fn problems(&self, chunk: &Chunk) -> Vec<String> {
        let mut found: Vec<String> = chunk
            .problems
            .iter()
            .map(|problem| {
                format!("{}: {}", self.place(chunk.place_of_use(problem.origin)), problem.message())
            })
            .collect();
        for part in &chunk.parts {
            if let Part::Include(inner) = part {
                found.extend(self.problems(inner));
            }
        }
        found
    }
}

impl Files for World {
    fn lexed(&self, file: FileId) -> Arc<Lexed> {
        Arc::clone(&self.sources[file.0 as usize].lexed)
    }

    fn resolve(&self, name: &str, _quoted: bool, _from: FileId) -> Option<FileId> {
        self.names.get(name).copied()
    }

    fn path(&self, file: FileId) -> String {
        self.sources[file.0 as usize].path.clone()
    }

    fn line(&self, file: FileId, token: u32) -> u32 {
        self.lines_asked.fetch_add(1, Ordering::Relaxed);
        self.line_of(file, token)
    }
}

/// The items of a chunk, one per line, with spaces between their tokens.
fn items(chunk: &Chunk) -> Vec<String> {
    let mut found = Vec::new();
    chunk.for_each_item(&mut |chunk, item, origins| {
        assert_eq!(origins.len(), item.tokens().len());
        assert!(origins.end as usize <= chunk.origins.len());
        let words: Vec<String> = item
            .tokens()
            .iter()
            .map(|token| match token.kind {
                TokenKind::Pragma => format!("#pragma {}", token.text),
                _ => spelling(token.kind, token.text).into(),
            })
            .collect();
        found.push(words.join(" "));
    });
    found
}

/// The tokens of a text after preprocessing, followed by the problems, each on a line after `!`.
fn preprocessed(text: &str) -> String {
    let world = World::new(&[("main.cl", text)]);
    let chunk = world.run("main.cl");
    let mut output = items(&chunk).join(" ");
    for problem in world.problems(&chunk) {
        output.push_str("\n! ");
        output.push_str(&problem);
    }
    output
}

/// Checks the tokens of a text after preprocessing. White space in the expected text separates tokens and is
/// otherwise ignored.
#[track_caller]
fn check(text: &str, expected: &str) {
    let (expected, problems) = expected.split_once("\n!").map_or((expected, None), |(a, b)| (a, Some(b)));
    let words: Vec<&str> = lex(expected).0.tokens.iter().map(|token| token.spelling()).collect();
    let mut wanted = words.join(" ");
    if let Some(problems) = problems {
        wanted.push_str("\n!");
        wanted.push_str(problems);
    }
    assert_eq!(preprocessed(text), wanted);
}

#[test]
fn unit_with_only_comments_is_empty() {
    let chunk = World::new(&[("main.cl", "// nothing\n")]).run("main.cl");
    assert!(chunk.is_empty());
    assert_eq!(chunk.weight, 0);
}

#[test]
fn builtin_types_are_type_names() {
    let world = World::new(&[("main.cl", "uint4 x; uint5 y;")]);
    let chunk = world.run("main.cl");
    let mut kinds = Vec::new();
    chunk.for_each_item(&mut |_, item, _| kinds.push(item.tokens()[0].kind));
    assert_eq!(kinds, [TokenKind::TypeName, TokenKind::Identifier]);
}
