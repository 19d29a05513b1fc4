//! The state of one translation unit during preprocessing, and the loop over the tokens of its files.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tangle_grammar::lex::{LexFlags, Lexed, lex};
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};

use super::chunk::{Builder, Chunk};
use super::chunk_cache::Cache;
use super::cursor::Cursor;
use super::definition::Definition;
use super::files::{Files, Options};
use super::known::RESERVED;
use super::log::{Entry, Resolution};
use super::origin::{FileId, Origin};
use super::pack::{self, PackState};
use super::problem::{Problem, ProblemKind};
use super::scratch::Scratch;
use super::symbols::Meaning;
use super::tok::ExpansionToken;
use crate::dialect::Dialect;

/// The maximum nesting depth of includes.
const INCLUDE_DEPTH: usize = 200;
/// The maximum number of files that a unit may preprocess, not counting cached ones.
const INCLUDES: u32 = 100_000;
/// The maximum number of tokens of a unit: about thirty times the size of the largest known kernels.
const UNIT_TOKENS: u64 = 16_000_000;

pub(super) struct Unit<'a> {
    pub files: &'a dyn Files,
    pub dialect: Dialect,
    cache: &'a Cache,
    pub scratch: Scratch,
    pub builder: Builder,
    pub cursor: Cursor,
    /// The current file and the files that include it, outermost first.
    pub open: Vec<FileId>,
    pub base: FileId,
    once: FxHashSet<FileId>,
    pub counter: u32,
    packing: PackState,
    includes: u32,
    /// The weight of the enclosing chunks.
    outer_weight: u64,
    /// Includes nested too deeply: all further includes are skipped.
    no_more_includes: bool,
    /// The unit is too large: no more tokens are added.
    pub too_large: bool,
}

impl<'a> Unit<'a> {
    pub fn new(files: &'a dyn Files, dialect: Dialect, cache: &'a Cache, base: FileId) -> Unit<'a> {
        Unit {
            files,
            dialect,
            cache,
            scratch: cache.take_scratch(),
            builder: Builder::default(),
            cursor: Cursor::default(),
            open: Vec::new(),
            base,
            once: FxHashSet::default(),
            counter: 0,
            packing: PackState::default(),
            includes: 0,
            outer_weight: 0,
            no_more_includes: false,
            too_large: false,
        }
    }

    /// Preprocesses the whole unit.
    pub fn run(mut self, options: &Options) -> Chunk {
        let Scratch { symbols, log, cutter, .. } = &mut self.scratch;
        log.start(symbols, self.dialect);
        log.open();
        cutter.start(self.dialect);
        for name in self.dialect.types().names() {
            symbols.set(name, Meaning { is_type: true, ..Meaning::default() });
        }
        for (name, builtin) in RESERVED.builtins {
            let definition = Some(Definition::builtin(builtin).intern());
            symbols.set(name, Meaning { definition, ..Meaning::default() });
        }
        for file in [options.predefined, options.command_line].into_iter().flatten() {
            self.include(file);
        }
        self.walk(self.base);
        let mut cutter = std::mem::take(&mut self.scratch.cutter);
        cutter.end(&mut self.builder);
        cutter.take_declared();
        self.scratch.cutter = cutter;
        let Scratch { symbols, log, .. } = &mut self.scratch;
        let files = log.close(symbols).frame.files.into_keys().collect();
        let mut chunk = self.builder.finish(self.dialect, self.base, files);
        let names = chunk.conditions.names().iter().copied();
        let is_open = |meaning: &Meaning| meaning.is_missing() || meaning.is_default();
        chunk.missing = names.filter(|&name| is_open(&self.scratch.symbols.state(name).meaning)).collect();
        self.cache.put_scratch(self.scratch);
        chunk
    }

    pub fn problem(&mut self, kind: ProblemKind, token: u32) {
        let origin = Origin::written(self.cursor.file, token);
        self.builder.problems.push(Problem { kind, origin, related: Vec::new() });
    }

    /// Records that the current chunk depends on state that the cache does not check, so it cannot be cached.
    pub fn make_volatile(&mut self) {
        self.scratch.log.frame().volatile = true;
    }

    /// Preprocesses all tokens of a file, also in the middle of an item.
    fn walk(&mut self, file: FileId) {
        let lexed = self.files.lexed(file);
        self.scratch.log.frame().files.insert(file, Arc::clone(&lexed));
        let around = std::mem::replace(&mut self.cursor, Cursor::new(file, Arc::clone(&lexed)));
        self.open.push(file);
        self.run_tokens(&lexed);
        self.end_of_file(&lexed);
        self.open.pop();
        self.cursor = around;
    }

    fn run_tokens(&mut self, lexed: &Lexed) {
        while !self.too_large {
            let stop = self.cursor.stop();
            if !self.run_plain(lexed, stop) {
                continue;
            }
            if stop as usize >= lexed.tokens.len() {
                break;
            }
            self.directive();
        }
    }

    /// Passes on the tokens up to `stop`. Returns false after a macro use, because its arguments may extend past
    /// `stop`.
    fn run_plain(&mut self, lexed: &Lexed, stop: u32) -> bool {
        let file = self.cursor.file;
        let id = self.scratch.log.id();
        while self.cursor.pos < stop {
            let index = self.cursor.pos;
            self.cursor.pos += 1;
            let token = lexed.tokens[index as usize];
            let mut kind = token.kind;
            let origin = Origin::written(file, index);
            if kind == TokenKind::Identifier {
                let Scratch { symbols, log, .. } = &mut self.scratch;
                let mut state = symbols.state(token.text);
                if state.frame != id {
                    log.note(symbols, token.text);
                    state = symbols.state(token.text);
                }
                if state.meaning.definition.is_some() {
                    self.use_macro(ExpansionToken {
                        kind,
                        flags: token.flags,
                        painted: false,
                        text: token.text,
                        origin,
                    });
                    return false;
                }
                kind = state.kind;
            } else if kind == TokenKind::UnclosedComment {
                continue;
            }
            self.push(Token { kind, text: token.text }, token.flags, origin);
        }
        true
    }

    /// Whether an item is open.
    pub fn is_inside_item(&self) -> bool {
        self.scratch.cutter.is_open()
    }

    #[inline]
    fn push(&mut self, token: Token, flags: LexFlags, origin: Origin) {
        let Scratch { cutter, .. } = &mut self.scratch;
        cutter.push(&mut self.builder, token, flags, origin);
        if cutter.has_declared() {
            self.declare_types();
        }
    }

    /// Passes on an expanded token.
    pub fn emit(&mut self, mut token: ExpansionToken) {
        let kind = match token.kind {
            TokenKind::Pragma => {
                self.pack(&mut token);
                TokenKind::Pragma
            }
            TokenKind::Identifier => self.scratch.symbols.state(token.text).kind,
            kind => kind,
        };
        self.push(Token { kind, text: token.text }, token.flags, token.origin);
    }

    /// Executes a pragma if it is `#pragma pack`. Its text becomes the pragma with the resulting packing as an
    /// explicit value.
    fn pack(&mut self, pragma: &mut ExpansionToken) {
        let (lexed, _) = lex(pragma.text.as_str());
        let [word, operands @ ..] = &*lexed.tokens else { return };
        if word.text != RESERVED.pack {
            return;
        }
        let operands = operands.iter().map(|token| ExpansionToken {
            kind: token.kind,
            flags: token.flags,
            painted: false,
            text: token.text,
            origin: pragma.origin,
        });
        let Some(operands) = self.expand_line(&operands.collect::<Vec<_>>(), false) else { return };
        if let Err(reason) = pack::read(&operands).and_then(|action| self.packing.act(action)) {
            let kind = ProblemKind::BadPack { reason };
            self.builder.problems.push(Problem { kind, origin: pragma.origin, related: Vec::new() });
        }
        pragma.text = Symbol::intern(&self.packing.current.pragma());
    }

    #[cold]
    fn declare_types(&mut self) {
        let Scratch { symbols, log, cutter, .. } = &mut self.scratch;
        for name in cutter.take_declared() {
            log.note(symbols, name);
            let meaning = symbols.state(name).meaning;
            symbols.set(name, Meaning { is_type: true, ..meaning });
        }
    }

    /// Checks whether the unit has become too large.
    pub fn check_size(&mut self, token: u32) {
        let weight = self.outer_weight + self.builder.included + self.builder.origins.len() as u64;
        if weight > UNIT_TOKENS {
            self.give_up(token);
        }
    }

    pub fn give_up(&mut self, token: u32) {
        if !self.too_large {
            self.too_large = true;
            self.make_volatile();
            self.problem(ProblemKind::UnitTooLarge, token);
        }
    }

    fn end_of_file(&mut self, lexed: &Lexed) {
        if let Some(last) = lexed.tokens.last()
            && last.kind == TokenKind::UnclosedComment
        {
            self.problem(ProblemKind::UnclosedComment, lexed.tokens.len() as u32 - 1);
        } else if !self.too_large {
            for condition in std::mem::take(&mut self.cursor.conditions) {
                self.problem(ProblemKind::UnclosedIf, condition.opener);
            }
        }
    }

    /// Resolves an `#include`, and records the result.
    pub fn resolve(&mut self, name: &str, quoted: bool) -> Option<FileId> {
        let from = self.cursor.file;
        let found = self.files.resolve(name, quoted, from);
        let frame = self.scratch.log.frame();
        frame.resolutions.insert(Resolution { name: name.into(), quoted, from, found });
        found
    }

    /// The line of the last token that was read. The line is recorded as a dependency.
    pub fn line(&mut self) -> u32 {
        let (file, token) = (self.cursor.file, self.cursor.pos.saturating_sub(1));
        let line = self.files.line(file, token);
        self.scratch.log.frame().lines.insert((file, token, line));
        line
    }

    pub fn pragma_once(&mut self) {
        let file = self.cursor.file;
        self.once.insert(file);
        self.scratch.log.frame().once_writes.insert(file);
    }

    /// Includes a file whose name is at `token`.
    pub fn include_at(&mut self, file: FileId, name: &str, token: u32) {
        if self.no_more_includes {
            return;
        }
        let recursive = self.open.contains(&file);
        if self.open.len() >= INCLUDE_DEPTH {
            self.no_more_includes = true;
            self.make_volatile();
            return self.problem(ProblemKind::IncludeDepth { name: name.into(), recursive }, token);
        }
        self.include(file);
        self.check_size(token);
        if self.includes > INCLUDES {
            self.give_up(token);
        }
    }

    fn include(&mut self, file: FileId) {
        let once = self.once.contains(&file);
        self.scratch.log.frame().read_once(file, once);
        if once {
            return;
        }
        self.scratch.cutter.finish_macro_only_item(&mut self.builder);
        if !self.scratch.cutter.at_boundary() {
            self.includes += 1;
            return self.walk(file);
        }
        if let Some(entry) = self.remembered(file) {
            return self.apply(&entry);
        }
        self.includes += 1;
        let around = std::mem::take(&mut self.builder);
        let weight = around.included + around.origins.len() as u64;
        self.outer_weight += weight;
        self.scratch.log.open();
        let packing = self.packing.clone();
        self.walk(file);
        self.outer_weight -= weight;
        let inner = std::mem::replace(&mut self.builder, around);
        let Scratch { symbols, log, cutter, .. } = &mut self.scratch;
        let closed = log.close(symbols);
        if !cutter.at_boundary() {
            return self.builder.absorb(inner);
        }
        let chunk = Arc::new(inner.finish(self.dialect, file, closed.frame.files.keys().copied().collect()));
        self.builder.include(Arc::clone(&chunk));
        if !closed.frame.volatile {
            self.cache.insert(Entry::new(chunk, closed, (packing, self.packing.clone())));
        }
    }

    /// Returns a cached chunk of this file whose dependencies are valid, or `None`.
    fn remembered(&mut self, file: FileId) -> Option<Arc<Entry>> {
        let variants = self.cache.variants(self.dialect, file)?;
        let entry = variants.iter().find(|entry| self.holds(entry))?;
        self.cache.used(entry);
        Some(Arc::clone(entry))
    }

    /// Whether all dependencies of a cached chunk are valid.
    fn holds(&mut self, entry: &Entry) -> bool {
        let symbols = &mut self.scratch.symbols;
        entry.packing.0 == self.packing
            && entry.reads.iter().all(|read| {
                let meaning = &symbols.state(read.symbol).meaning;
                if read.expanded { meaning.same(&read.before) } else { meaning.same_content(&read.before) }
            })
            && entry.once_reads.iter().all(|&(file, once)| self.once.contains(&file) == once)
            && entry.files.iter().all(|(file, lexed)| {
                let now = self.files.lexed(*file);
                Arc::ptr_eq(&now, lexed) || now == *lexed
            })
            && entry.resolutions.iter().all(|resolution| {
                self.files.resolve(&resolution.name, resolution.quoted, resolution.from) == resolution.found
            })
            && entry.lines.iter().all(|&(file, token, line)| self.files.line(file, token) == line)
    }

    fn apply(&mut self, entry: &Entry) {
        let Scratch { symbols, log, cutter, .. } = &mut self.scratch;
        log.take_over(symbols, entry);
        self.packing = entry.packing.1.clone();
        cutter.set_packing(self.packing.current);
        for &(symbol, meaning) in &entry.writes {
            symbols.set(symbol, meaning);
        }
        self.once.extend(entry.once_writes.iter().copied());
        self.builder.include(Arc::clone(&entry.chunk));
    }

    /// Returns the meaning of `name`, and records that the current frame depends on it.
    pub fn meaning(&mut self, name: Symbol) -> Meaning {
        let Scratch { symbols, log, .. } = &mut self.scratch;
        log.note(symbols, name);
        symbols.state(name).meaning
    }

    /// Defines or undefines a macro.
    pub fn define(&mut self, name: Symbol, definition: Option<&'static Definition>, token: u32) {
        let meaning = self.meaning(name);
        let place = (self.cursor.file, token);
        self.scratch.symbols.set(name, Meaning { definition, place, is_type: meaning.is_type });
    }
}
