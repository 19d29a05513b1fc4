//! The result of preprocessing a file: its top-level items, and the chunks of the headers that it includes.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};
use tangle_grammar::packing::Packing;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_ir::Namespace;

use super::cut::is_of_device;
use super::launches::Launch;
use super::origin::{Expansion, FileId, Origin};
use super::problem::Problem;
use super::skipped::{Conditions, SkippedGroup, UndefinedName};
use crate::dialect::Dialect;

/// The tokens of one top-level item, and the packing of its records. The parse depends only on these.
///
/// The hash is computed once, so interning an item costs only a comparison.
#[derive(Debug)]
pub struct ItemTokens {
    hash: u64,
    tokens: Box<[Token]>,
    packing: Packing,
}

impl ItemTokens {
    /// `packing` is the `#pragma pack` in force at the start of the item. It is ignored for an item without records.
    pub fn new(tokens: &[Token], packing: Packing) -> ItemTokens {
        let names_record = |token: &Token| matches!(token.kind, TokenKind::Struct | TokenKind::Union);
        let any = Packing::default();
        let packing = if packing != any && tokens.iter().any(names_record) { packing } else { any };
        let mut hasher = FxHasher::default();
        packing.hash(&mut hasher);
        for token in tokens {
            hasher.write_u64((token.text.index() as u64) << 8 | token.kind as u64);
        }
        ItemTokens { hash: hasher.finish(), tokens: tokens.into(), packing }
    }

    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Whether a keyword in it marks device code. An item without such a keyword is host code, or code for both.
    pub fn has_device_keyword(&self) -> bool {
        self.tokens.iter().any(|token| is_of_device(token.kind))
    }

    /// The `#pragma pack` in force at the start of the item.
    pub fn packing(&self) -> Packing {
        self.packing
    }
}

impl PartialEq for ItemTokens {
    fn eq(&self, other: &ItemTokens) -> bool {
        self.hash == other.hash && self.packing == other.packing && self.tokens == other.tokens
    }
}

impl Eq for ItemTokens {}

impl Hash for ItemTokens {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// A part of a chunk, in source order.
#[derive(Clone, Debug)]
pub enum Part {
    Item {
        tokens: Arc<ItemTokens>,
        /// The origins of the tokens, as a range of [`Chunk::origins`] with one entry for each token.
        origins: Range<u32>,
        /// The namespace that contains the item. Name lookup uses it; the tokens do not contain it.
        namespace: Namespace,
    },
    /// A header that was included between two items.
    Include(Arc<Chunk>),
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        match (self, other) {
            (
                Part::Item { tokens: a, origins: x, namespace: m },
                Part::Item { tokens: b, origins: y, namespace: n },
            ) => x == y && m == n && (Arc::ptr_eq(a, b) || a == b),
            (Part::Include(a), Part::Include(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Part {}

/// A preprocessed file. All translation units where the file has the same meaning share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The language of its items.
    pub dialect: Dialect,
    pub file: FileId,
    pub parts: Vec<Part>,
    pub origins: Vec<Origin>,
    pub expansions: Vec<Expansion>,
    /// The problems of this chunk, excluding included chunks.
    pub problems: Vec<Problem>,
    /// The launches by host code in this chunk, excluding included chunks.
    pub launches: Box<[Launch]>,
    /// The groups that conditions skip and take, also in included chunks.
    pub conditions: Arc<Conditions>,
    /// The names that skipped groups depend on and that the whole unit leaves undefined or with a default, sorted.
    /// Set only for the chunk of a unit.
    pub missing: Vec<Symbol>,
    /// Every file that this chunk or an included chunk read.
    pub files: Vec<FileId>,
    /// The number of tokens, also in included chunks.
    pub weight: u64,
}

impl Chunk {
    /// Whether the chunk adds nothing to the including file.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.problems.is_empty()
    }

    /// The groups of a unit that conditions skip because of undefined names, each once, with the names that the unit
    /// leaves undefined or with a default.
    pub fn left_out(&self) -> impl Iterator<Item = (&SkippedGroup, Vec<&UndefinedName>)> {
        let mut seen = FxHashSet::default();
        self.conditions.left_out().filter_map(move |group| {
            let is_missing = |missing: &&UndefinedName| self.missing.binary_search(&missing.name).is_ok();
            let missing: Vec<&UndefinedName> = group.missing.iter().filter(is_missing).collect();
            (!missing.is_empty() && seen.insert((group.file, group.directive))).then_some((group, missing))
        })
    }

    /// Calls `visit` with each chunk and item, in source order.
    pub fn for_each_item<'a>(&'a self, visit: &mut dyn FnMut(&'a Chunk, &'a Arc<ItemTokens>, Range<u32>)) {
        for part in &self.parts {
            match part {
                Part::Item { tokens, origins, .. } => visit(self, tokens, origins.clone()),
                Part::Include(chunk) => chunk.for_each_item(visit),
            }
        }
    }

    /// Calls `visit` with each skipped group in the middle of an item, the tokens of the item, and the number of
    /// tokens before the group. A chunk that is included several times is visited once.
    pub fn for_each_left_out_of_item<'a>(
        &'a self,
        visit: &mut dyn FnMut(&'a SkippedGroup, &'a [Token], usize),
    ) {
        let (mut seen, mut todo) = (FxHashSet::default(), vec![self]);
        while let Some(chunk) = todo.pop() {
            if !seen.insert(std::ptr::from_ref(chunk)) {
                continue;
            }
            let mut groups = chunk.conditions.own_left_out().iter().filter_map(|it| Some((it.inside?, it)));
            let mut next = groups.next();
            for part in &chunk.parts {
                match part {
                    Part::Include(included) => todo.push(included),
                    Part::Item { tokens, origins, .. } => {
                        while let Some((before, group)) = next.filter(|(before, _)| *before < origins.end) {
                            // An item without its closing brace may have been cut at this position.
                            if before > origins.start {
                                visit(group, tokens.tokens(), (before - origins.start) as usize);
                            }
                            next = groups.next();
                        }
                    }
                }
            }
        }
    }

    /// The expansion that produced a token; `None` for a token outside expansions.
    pub fn expansion(&self, origin: Origin) -> Option<&Expansion> {
        self.expansions.get(origin.expansion.checked_sub(1)? as usize)
    }

    /// The use in the source text of the outermost macro that produced this token; the token itself if it comes from
    /// no macro.
    pub fn place_of_use(&self, origin: Origin) -> Origin {
        let mut place = origin;
        while let Some(expansion) = self.expansion(place) {
            place = expansion.call;
        }
        place
    }
}

/// A chunk under construction.
#[derive(Debug, Default)]
pub struct Builder {
    pub parts: Vec<Part>,
    pub origins: Vec<Origin>,
    /// The number of origins that belong to finished items.
    pub claimed: u32,
    pub expansions: Vec<Expansion>,
    pub problems: Vec<Problem>,
    pub launches: Vec<Launch>,
    pub conditions: Conditions,
    /// The weight of the included chunks.
    pub included: u64,
}

impl Builder {
    /// Ends an item. Its origins are the next unclaimed ones.
    pub fn item(&mut self, tokens: &[Token], packing: Packing, namespace: Namespace) {
        let start = self.claimed;
        self.claimed += tokens.len() as u32;
        self.parts.push(Part::Item {
            tokens: Arc::new(ItemTokens::new(tokens, packing)),
            origins: start..self.claimed,
            namespace,
        });
    }

    /// Drops tokens that belong to no item, with the next unclaimed origins.
    pub fn drop_tokens(&mut self, count: usize) {
        self.claimed += count as u32;
    }

    /// Removes problems of macro expansion from index `first` on: the item is dropped host code.
    pub fn drop_expansion_problems(&mut self, first: usize) {
        let kept = |problem: &Problem| !problem.is_of_expansion();
        let rest: Vec<Problem> = self.problems.drain(first.min(self.problems.len())..).filter(kept).collect();
        self.problems.extend(rest);
    }

    pub fn include(&mut self, chunk: Arc<Chunk>) {
        self.included += chunk.weight;
        self.conditions.include(&chunk.conditions);
        if !chunk.is_empty() {
            self.parts.push(Part::Include(chunk));
        }
    }

    pub fn finish(self, dialect: Dialect, file: FileId, files: Vec<FileId>) -> Chunk {
        let weight = self.origins.len() as u64 + self.included;
        let Builder { mut parts, mut origins, mut expansions, problems, launches, conditions, .. } = self;
        parts.shrink_to_fit();
        origins.shrink_to_fit();
        expansions.shrink_to_fit();
        Chunk {
            dialect,
            file,
            parts,
            origins,
            expansions,
            problems,
            launches: launches.into(),
            conditions: Arc::new(conditions.finish()),
            missing: Vec::new(),
            files,
            weight,
        }
    }

    /// Appends the contents of a file that did not become a chunk of its own.
    pub fn absorb(&mut self, other: Builder) {
        let origins = self.origins.len() as u32;
        let expansions = self.expansions.len() as u32;
        let moved = |mut origin: Origin| {
            if origin.expansion != 0 {
                origin.expansion += expansions;
            }
            origin
        };
        self.parts.extend(other.parts.into_iter().map(|part| match part {
            Part::Item { tokens, origins: range, namespace } => {
                Part::Item { tokens, origins: range.start + origins..range.end + origins, namespace }
            }
            include => include,
        }));
        self.origins.extend(other.origins.into_iter().map(moved));
        self.claimed = origins + other.claimed;
        self.expansions.extend(other.expansions.into_iter().map(|mut expansion| {
            expansion.call = moved(expansion.call);
            expansion
        }));
        self.problems.extend(other.problems.into_iter().map(|mut problem| {
            problem.origin = moved(problem.origin);
            problem.related.iter_mut().for_each(|origin| *origin = moved(*origin));
            problem
        }));
        self.launches.extend(other.launches.into_iter().map(|mut launch| {
            launch.origin += origins;
            launch
        }));
        self.conditions.absorb(other.conditions, origins);
        self.included += other.included;
    }
}
