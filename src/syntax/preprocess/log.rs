//! Records the reads and writes of a file during preprocessing, for [`chunk_cache`](super::memo).

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use tangle_grammar::lex::Lexed;
use tangle_grammar::symbol::Symbol;

use super::chunk::Chunk;
use super::origin::FileId;
use super::pack::PackState;
use super::symbols::{Meaning, Symbols};
use crate::dialect::Dialect;

/// The result of an `#include`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Resolution {
    pub name: Box<str>,
    pub quoted: bool,
    pub from: FileId,
    pub found: Option<FileId>,
}

/// A cached chunk.
pub(super) struct Entry {
    pub chunk: Arc<Chunk>,
    pub reads: Box<[NameRead]>,
    pub writes: Box<[(Symbol, Meaning)]>,
    pub files: Box<[(FileId, Arc<Lexed>)]>,
    pub resolutions: Box<[Resolution]>,
    /// For each included file, whether `#pragma once` was in force for it at that time.
    pub once_reads: Box<[(FileId, bool)]>,
    pub once_writes: Box<[FileId]>,
    /// The line of each token whose line was requested.
    pub lines: Box<[(FileId, u32, u32)]>,
    /// The state of `#pragma pack` before and after the file.
    pub packing: (PackState, PackState),
    pub used: AtomicU64,
}

impl Entry {
    pub fn new(chunk: Arc<Chunk>, closed: FrameSummary, packing: (PackState, PackState)) -> Entry {
        let FrameSummary { frame, reads, writes } = closed;
        Entry {
            chunk,
            reads,
            writes,
            files: frame.files.into_iter().collect(),
            resolutions: frame.resolutions.into_iter().collect(),
            once_reads: frame.once_reads.into_iter().collect(),
            once_writes: frame.once_writes.into_iter().collect(),
            lines: frame.lines.into_iter().collect(),
            packing,
            used: AtomicU64::new(0),
        }
    }
}

/// A name, and its meaning when a frame first used it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameRead {
    pub symbol: Symbol,
    pub before: Meaning,
    /// Whether the macro was expanded.
    pub expanded: bool,
    /// The frame that had recorded the name before, and the index in its log.
    frame: u32,
    touch: u32,
}

/// The dependencies of a file during its preprocessing, without those on names.
#[derive(Debug, Default)]
pub(super) struct Frame {
    id: u32,
    start: usize,
    pub files: IndexMap<FileId, Arc<Lexed>, FxBuildHasher>,
    pub resolutions: IndexSet<Resolution, FxBuildHasher>,
    pub once_reads: IndexMap<FileId, bool, FxBuildHasher>,
    pub once_writes: IndexSet<FileId, FxBuildHasher>,
    pub lines: IndexSet<(FileId, u32, u32), FxBuildHasher>,
    /// Whether it depends on state that is not recorded, so that it cannot be cached.
    pub volatile: bool,
}

/// A finished frame: its dependencies and its changes.
pub(super) struct FrameSummary {
    pub frame: Frame,
    reads: Box<[NameRead]>,
    writes: Box<[(Symbol, Meaning)]>,
}

/// The open frames, and the names that they used.
#[derive(Debug, Default)]
pub(super) struct Log {
    touches: Vec<NameRead>,
    frames: Vec<Frame>,
    last_id: u32,
}

impl Log {
    /// Clears the state of an abandoned unit, and starts a unit in a language.
    pub fn start(&mut self, symbols: &mut Symbols, dialect: Dialect) {
        self.touches.clear();
        self.frames.clear();
        if self.last_id > u32::MAX / 2 {
            *symbols = Symbols::default();
            self.last_id = 0;
        }
        symbols.start(dialect);
    }

    pub fn open(&mut self) {
        self.last_id += 1;
        self.frames.push(Frame { id: self.last_id, start: self.touches.len(), ..Frame::default() });
    }

    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a unit must open its frame first")
    }

    /// The number of the innermost frame.
    #[inline]
    pub fn id(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.id)
    }

    /// Whether the records will be used. The frame of the main file is never cached.
    pub fn is_recording(&self) -> bool {
        self.frames.len() > 1
    }

    /// Records that the innermost frame depends on the meaning of a name.
    #[inline]
    pub fn note(&mut self, symbols: &mut Symbols, symbol: Symbol) {
        let id = self.id();
        let state = symbols.state(symbol);
        if state.frame != id {
            self.touches.push(NameRead {
                symbol,
                before: state.meaning,
                expanded: false,
                frame: state.frame,
                touch: state.touch,
            });
            state.frame = id;
            state.touch = self.touches.len() as u32 - 1;
        }
    }

    /// Records that the innermost frame depends on the location of a macro's definition.
    #[inline]
    pub fn note_expanded(&mut self, symbols: &mut Symbols, symbol: Symbol) {
        self.note(symbols, symbol);
        self.touches[symbols.state(symbol).touch as usize].expanded = true;
    }

    /// Closes the innermost frame and returns its dependencies and changes. The enclosing frame inherits the
    /// dependencies.
    pub fn close(&mut self, symbols: &mut Symbols) -> FrameSummary {
        let frame = self.frames.pop().expect("each `close` must have its `open`");
        let reads: Box<[NameRead]> = self.touches[frame.start..].into();
        let writes = reads
            .iter()
            .filter_map(|touch| {
                let meaning = symbols.state(touch.symbol).meaning;
                (!meaning.same(&touch.before)).then_some((touch.symbol, meaning))
            })
            .collect();
        self.touches.truncate(frame.start);
        let Some(outer) = self.frames.last_mut() else { return FrameSummary { frame, reads, writes } };
        let around = outer.id;
        for touch in &reads {
            let state = symbols.state(touch.symbol);
            if touch.frame == around {
                state.frame = around;
                state.touch = touch.touch;
                self.touches[touch.touch as usize].expanded |= touch.expanded;
            } else {
                state.frame = around;
                state.touch = self.touches.len() as u32;
                self.touches.push(*touch);
            }
        }
        outer.take_over(
            frame.files.iter().map(|(&file, lexed)| (file, lexed)),
            frame.resolutions.iter(),
            frame.once_reads.iter().map(|(&file, &once)| (file, once)),
            frame.once_writes.iter().copied(),
            frame.lines.iter().copied(),
        );
        outer.volatile |= frame.volatile;
        FrameSummary { frame, reads, writes }
    }

    /// Adds the dependencies of a cached chunk to the current frame. Call this before the writes of the chunk are
    /// applied.
    pub fn take_over(&mut self, symbols: &mut Symbols, entry: &Entry) {
        if self.is_recording() {
            for touch in &entry.reads {
                match touch.expanded {
                    true => self.note_expanded(symbols, touch.symbol),
                    false => self.note(symbols, touch.symbol),
                }
            }
        }
        self.frame().take_over(
            entry.files.iter().map(|(file, lexed)| (*file, lexed)),
            entry.resolutions.iter(),
            entry.once_reads.iter().copied(),
            entry.once_writes.iter().copied(),
            entry.lines.iter().copied(),
        );
    }
}

impl Frame {
    fn take_over<'a>(
        &mut self,
        files: impl Iterator<Item = (FileId, &'a Arc<Lexed>)>,
        resolutions: impl Iterator<Item = &'a Resolution>,
        once_reads: impl Iterator<Item = (FileId, bool)>,
        once_writes: impl Iterator<Item = FileId>,
        lines: impl Iterator<Item = (FileId, u32, u32)>,
    ) {
        for (file, lexed) in files {
            self.files.entry(file).or_insert_with(|| Arc::clone(lexed));
        }
        for resolution in resolutions {
            if !self.resolutions.contains(resolution) {
                self.resolutions.insert(resolution.clone());
            }
        }
        for (file, once) in once_reads {
            self.read_once(file, once);
        }
        self.once_writes.extend(once_writes);
        self.lines.extend(lines);
    }

    /// Records whether `#pragma once` was in force for a file, unless this frame itself set it.
    pub fn read_once(&mut self, file: FileId, once: bool) {
        if !self.once_writes.contains(&file) {
            self.once_reads.entry(file).or_insert(once);
        }
    }
}
