//! Queries from files to parsed items.
//!
//! ```text
//! lex(file) -> tokens(file), spans(file)     separate, so that a token is equal after it moves
//! unit(file) = preprocess(tokens of all files)
//! items(chunk) -> Item                        interned by tokens and language: the unit of all later queries
//! parse(item)
//! remarks(file)                               the comments for this tool, from text and spans alone
//! ```
//!
//! An edit inside one function changes the tokens of one item. An edit of a comment or a blank line changes only
//! spans. Then only the queries that compute source locations run again.

mod census;
mod extent;
pub mod find;
mod launches;
mod locate;
mod outlines;
mod remark;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use salsa::plumbing::AsId;
use tangle_grammar::ast::{Ast, Span, UnsupportedConstruct};
use tangle_grammar::lex::{Lexed, Spans};
use tangle_grammar::lexicon::Grammar;
use tangle_grammar::{Parse, SyntaxError, UnknownWord};

pub use census::{FileCounts, census};
pub use launches::{LaunchSite, instantiation_requests, launches};
pub use locate::{ItemText, Located, Locator, TextRange, locate_origin};
pub use outlines::outline;
pub use remark::{ControlComment, Request, remarks, remarks_of};

use crate::db::Db;
use crate::dialect::Dialect;
use crate::dialect::content::is_cuda_or_hip;
use crate::preprocess::{Chunk, FileId, Files, ItemTokens, Options, Part, preprocess};
use crate::source::{Content, Settings, SourceFile, folder, join};

/// The tokens of a file, and their positions.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Lex {
    tokens: Arc<Lexed>,
    spans: Arc<Spans>,
}

/// The lexical rules for a file. Several languages can include one header. So C++ rules are the default: additions
/// such as raw strings are not valid in C.
fn rules_for(path: &str, text: &str) -> Grammar {
    match is_named_for_opencl(path) && !is_cuda_or_hip(text) {
        true => Grammar::C,
        false => Grammar::Cpp,
    }
}

/// Whether the extension of a file names OpenCL C.
pub fn is_named_for_opencl(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| ["cl", "clh", "ocl", "opencl"].contains(&extension))
}

#[salsa::tracked]
fn lex(db: &dyn Db, file: SourceFile) -> Lex {
    let (tokens, spans) = lex_text(file.path(db), &file.text(db));
    Lex { tokens: Arc::new(tokens), spans: Arc::new(spans) }
}

/// The tokens of a text in a file with this path, and their positions.
pub fn lex_text(path: &str, text: &str) -> (Lexed, Spans) {
    tangle_grammar::lex::lex_as(text, rules_for(path, text))
}

/// The tokens of a file, without their positions.
#[salsa::tracked(returns(clone))]
pub fn tokens(db: &dyn Db, file: SourceFile) -> Arc<Lexed> {
    lex(db, file).tokens.clone()
}

/// The positions of the tokens of a file.
#[salsa::tracked(returns(clone))]
pub fn spans(db: &dyn Db, file: SourceFile) -> Arc<Spans> {
    lex(db, file).spans.clone()
}

/// The positions of the line breaks of a file, in ascending order.
#[salsa::tracked(returns(ref))]
fn line_breaks(db: &dyn Db, file: SourceFile) -> Vec<usize> {
    memchr::memchr_iter(b'\n', file.text(db).as_bytes()).collect()
}

/// A preprocessed file, compared and hashed by identity, because chunks are shared and large.
#[derive(Clone, Debug, salsa::SalsaValue)]
pub struct SharedChunk(pub Arc<Chunk>);

impl PartialEq for SharedChunk {
    fn eq(&self, other: &SharedChunk) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedChunk {}

impl Hash for SharedChunk {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// A preprocessed file as a key for queries.
#[salsa::interned(debug)]
pub struct ChunkKey<'db> {
    pub shared: SharedChunk,
}

/// The tokens of an item and the packing of its records, as a key: the hash is computed once, and the comparison is
/// by content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct SharedTokens(pub Arc<ItemTokens>);

/// A top-level item, independent of its location and of the number of its occurrences.
#[salsa::interned(debug)]
pub struct Item<'db> {
    pub tokens: SharedTokens,
    /// The language of the tokens. The same tokens in another language are another item.
    #[returns(copy)]
    pub dialect: Dialect,
}

/// A preprocessed unit, compared by content: an edit that changes no token leaves it equal.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Unit(pub Arc<Chunk>);

/// The translation unit whose main file is `file`.
// A unit is as large as its own tokens without shared headers. It is read again only to compute the location of a
// finding.
#[salsa::tracked(lru = 16)]
pub fn unit(db: &dyn Db, file: SourceFile, settings: Settings) -> Unit {
    let options = Options {
        dialect: settings.dialect(db),
        predefined: Some(settings.predefined(db).id(db)),
        command_line: Some(settings.command_line(db).id(db)),
    };
    let unit = Unit(preprocess(&DbFiles { db, settings }, &options, db.headers(), file.id(db)));
    // Salsa drops values interned in a query when no text produces them any more. It never drops values interned
    // outside a query.
    for chunk in chunks(&unit) {
        ChunkKey::new(db, SharedChunk(chunk));
    }
    unit
}

/// The items of a chunk, excluding included chunks, in order, each with the index of its first origin.
#[salsa::tracked]
pub fn items<'db>(db: &'db dyn Db, chunk: ChunkKey<'db>) -> Box<[(Item<'db>, u32)]> {
    db.depends_on_text();
    let chunk = &chunk.shared(db).0;
    let item = |tokens: &Arc<ItemTokens>| Item::new(db, SharedTokens(tokens.clone()), chunk.dialect);
    chunk
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Item { tokens, origins, .. } => Some((item(tokens), origins.start)),
            Part::Include(_) => None,
        })
        .collect()
}

/// Whether an item may be pure host code: its language has host and device code, and no keyword in the item marks
/// device code. Device code can still use it, so it is parsed, but its errors are not reported.
pub fn is_host(db: &dyn Db, item: Item) -> bool {
    item.dialect(db).lexicon().grammar() == Grammar::Cpp && !item.tokens(db).0.has_device_keyword()
}

/// The findings of the parser about an item, without the tree: see [`ast`].
#[salsa::tracked]
pub fn parse<'db>(db: &'db dyn Db, item: Item<'db>) -> Parsed {
    let Parse { ast, errors, unknown_words, opaque } = parsed(db, item);
    keep_tree(db, item, &ast);
    Parsed { is_empty: ast.items.is_empty(), errors, unknown_words, opaque }
}

/// The value of [`parse`]. [`Parse`] describes its lists.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Parsed {
    /// Whether the tree has no declaration, as after a syntax error.
    pub is_empty: bool,
    pub errors: Vec<SyntaxError>,
    pub unknown_words: Vec<UnknownWord>,
    pub opaque: Vec<(Span, UnsupportedConstruct)>,
}

/// Returns the syntax tree of an item. Later stages read facts that are computed from the tree, so only recent trees
/// are kept, and another tree is parsed again.
pub fn ast(db: &dyn Db, item: Item) -> Arc<Ast> {
    let known = || db.recent_trees().get::<Ast>(item.as_id());
    if let Some(known) = known() {
        return known;
    }
    // The query keeps the tree if it runs now.
    parse(db, item);
    known().unwrap_or_else(|| {
        let Parse { ast, .. } = parsed(db, item);
        keep_tree(db, item, &ast);
        ast
    })
}

fn parsed(db: &dyn Db, item: Item) -> Parse {
    let SharedTokens(tokens) = item.tokens(db);
    tangle_grammar::parse_packed(tokens.tokens(), item.dialect(db).lexicon(), tokens.packing())
}

fn keep_tree(db: &dyn Db, item: Item, ast: &Arc<Ast>) {
    db.recent_trees().keep(item.as_id(), ast.clone(), ast.bytes());
}

/// The chunks of a unit, each once, in source order.
pub fn chunks(unit: &Unit) -> Vec<Arc<Chunk>> {
    let mut chunks = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut todo = vec![unit.0.clone()];
    while let Some(chunk) = todo.pop() {
        if !seen.insert(Arc::as_ptr(&chunk)) {
            continue;
        }
        todo.extend(chunk.parts.iter().rev().filter_map(|part| match part {
            Part::Include(included) => Some(included.clone()),
            Part::Item { .. } => None,
        }));
        chunks.push(chunk);
    }
    chunks
}

/// The files, for the preprocessor. Each result is a dependency of the current query.
struct DbFiles<'a> {
    db: &'a dyn Db,
    settings: Settings,
}

/// The maximum number of folders above a file that are searched for a header with a folder in its name.
const MAX_PARENT_LEVELS: usize = 8;

/// The same for a header without a folder in its name. Such a name is less specific, so a distant match is probably
/// another header.
const LEVELS_WITHOUT_FOLDER: usize = 3;

impl DbFiles<'_> {
    /// Returns the file at this path, if it has text.
    fn at(&self, path: &str) -> Option<FileId> {
        let file = self.db.file(path);
        matches!(file.content(self.db), Content::Text(_)).then(|| file.id(self.db))
    }

    /// Searches for a header that is in no folder of the build. Projects are usually built with `-I` for a folder
    /// above the source, or for its `src`: the nearest folder with the header is used. Headers of the language and
    /// its libraries are not searched. Folders named `include` are not searched either: they usually contain a
    /// library that would have to be read completely, although a source needs little of it.
    fn find_in_parent_folders(&self, name: &str, quoted: bool, from: FileId) -> Option<FileId> {
        let in_folder = name.contains('/');
        let is_own = (quoted || in_folder) && !name.starts_with('/');
        if !is_own || self.settings.dialect(self.db).knows_header(name) {
            return None;
        }
        let path = self.db.source(from).path(self.db).clone();
        let above = std::iter::successors(Some(folder(&path)), |&at| {
            (!at.is_empty() && at != "/").then(|| folder(at))
        });
        let levels = if in_folder { MAX_PARENT_LEVELS } else { LEVELS_WITHOUT_FOLDER };
        above.take(levels).find_map(|at| {
            [at.to_owned(), join(at, "src")].iter().find_map(|place| self.at(&join(place, name)))
        })
    }
}

impl Files for DbFiles<'_> {
    fn lexed(&self, file: FileId) -> Arc<Lexed> {
        tokens(self.db, self.db.source(file))
    }

    fn resolve(&self, name: &str, quoted: bool, from: FileId) -> Option<FileId> {
        let beside = self.db.source(from).path(self.db).clone();
        let beside = quoted.then(|| folder(&beside));
        let quote = self.settings.quote(self.db).iter().filter(|_| quoted);
        let include = quote.chain(self.settings.include(self.db)).map(|folder| &**folder);
        let found = beside.into_iter().chain(include).find_map(|folder| self.at(&join(folder, name)));
        found.or_else(|| self.find_in_parent_folders(name, quoted, from))
    }

    fn path(&self, file: FileId) -> String {
        self.db.source(file).path(self.db).to_string()
    }

    fn line(&self, file: FileId, token: u32) -> u32 {
        let file = self.db.source(file);
        let start = spans(self.db, file).get(token).start;
        let breaks_before = line_breaks(self.db, file).partition_point(|&line_break| line_break < start);
        u32::try_from(breaks_before + 1).unwrap_or(u32::MAX)
    }
}
