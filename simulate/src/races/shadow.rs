//! Stores the accesses to an object: for each word, the last write and the reads since then.
//!
//! A word is four adjacent bytes. After an access to a part of a word, its bytes are stored separately. Memory is
//! allocated only for accessed parts of the object, 256 bytes of the object at a time.

use tangle_ir::scope::Scope;

use super::clock::{Clock, Meter};

/// The bytes of a word, and the words of a page.
const WORD: u64 = 4;
const PAGE: usize = 64;

/// The thread number of an empty entry.
const NOBODY: u32 = u32::MAX;

/// One access by each thread from `first` to `last`, all at the same time and location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastAccess {
    pub first: u32,
    pub last: u32,
    pub time: u32,
    pub site: u32,
    /// The scope, for an atomic.
    pub scope: Scope,
}

const UNTOUCHED: PastAccess =
    PastAccess { first: NOBODY, last: NOBODY, time: 0, site: 0, scope: Scope::None };

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessMode {
    pub stores: bool,
    /// The scope, for an atomic.
    pub atomic: Option<Scope>,
}

/// An access, with the accesses that happen before it.
pub struct CurrentAccess<'a> {
    pub agent: u32,
    pub time: u32,
    pub site: u32,
    pub way: AccessMode,
    /// The clocks that all have to contain an earlier access, each with the thread whose own accesses count as
    /// contained.
    pub views: &'a [(Clock, u32)],
    pub meter: &'a Meter,
    /// Whether two threads are in one group of a scope.
    pub together: &'a dyn Fn(u32, u32, Scope) -> bool,
}

impl CurrentAccess<'_> {
    /// The first thread, from `from` on, whose access in `touch` does not happen before this one.
    fn unordered(&self, touch: &PastAccess, from: u32) -> Option<u32> {
        if touch.first == NOBODY || (touch.first, touch.last) == (self.agent, self.agent) {
            return None;
        }
        let range = (touch.first.max(from), touch.last);
        self.views
            .iter()
            .find_map(|(clock, own)| clock.behind(range, touch.time, [self.agent, *own], self.meter))
    }

    /// The same for an earlier atomic access. Two atomics do not race if each is in the scope of the other.
    fn unordered_atomic(&self, touch: &PastAccess) -> Option<u32> {
        let Some(scope) = self.way.atomic else { return self.unordered(touch, 0) };
        if (scope, touch.scope) == (Scope::Grid, Scope::Grid) {
            return None;
        }
        let is_for = |it: u32| (self.together)(it, self.agent, scope.min(touch.scope));
        let mut from = 0;
        while let Some(thread) = self.unordered(touch, from) {
            if !is_for(thread) {
                return Some(thread);
            }
            from = thread + 1;
        }
        None
    }
}

/// Two unordered accesses. The fields describe the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub thread: u32,
    pub site: u32,
    pub way: AccessMode,
    /// The offset in the object, in bytes.
    pub at: u64,
}

const LOAD: AccessMode = AccessMode { stores: false, atomic: None };
const STORE: AccessMode = AccessMode { stores: true, atomic: None };

#[derive(Clone, Copy)]
struct Word {
    write: PastAccess,
    read: PastAccess,
    /// The index, plus 1, of the additional accesses, or of the bytes of a split word. 0: none.
    more: u32,
    is_split: bool,
}

const EMPTY: Word = Word { write: UNTOUCHED, read: UNTOUCHED, more: 0, is_split: false };

/// Accesses beyond one write and one read.
#[derive(Clone, Default)]
struct ExtraAccesses {
    reads: Vec<PastAccess>,
    atomic_reads: Vec<PastAccess>,
    atomic_writes: Vec<PastAccess>,
}

/// The stored accesses to one object.
#[derive(Default)]
pub struct Shadow {
    pages: Vec<Option<Box<[Word; PAGE]>>>,
    more: Vec<ExtraAccesses>,
    split: Vec<[Word; WORD as usize]>,
}

impl Shadow {
    /// Stores an access to some bytes, and adds the earlier accesses that race with it to `conflicts`.
    pub fn access(&mut self, viewer: &CurrentAccess, offset: u64, bytes: u64, conflicts: &mut Vec<Conflict>) {
        let end = offset + bytes;
        let mut at = offset;
        while at < end {
            let begin = at / WORD * WORD;
            let next = (begin + WORD).min(end);
            let is_whole = at == begin && next == begin + WORD;
            self.access_word(viewer, at, next, is_whole, conflicts);
            at = next;
        }
        if bytes > WORD {
            viewer.meter.spend((bytes / WORD) as usize);
        }
    }

    fn access_word(
        &mut self,
        viewer: &CurrentAccess,
        at: u64,
        end: u64,
        is_whole: bool,
        conflicts: &mut Vec<Conflict>,
    ) {
        let number = (at / WORD) as usize;
        let (page, number) = (number / PAGE, number % PAGE);
        if self.pages.len() <= page {
            grown(&mut self.pages, page + 1, viewer.meter);
        }
        let words = self.pages[page].get_or_insert_with(|| {
            viewer.meter.take(size_of::<[Word; PAGE]>());
            Box::new([EMPTY; PAGE])
        });
        let word = &mut words[number];
        if is_whole && !word.is_split {
            return touch(word, &mut self.more, viewer, at, conflicts);
        }
        if !word.is_split {
            // Each byte gets the accesses of the word, with a separate copy of the lists.
            let mut bytes = [*word; WORD as usize];
            for byte in bytes.iter_mut().filter(|byte| byte.more > 0) {
                let copy = self.more[byte.more as usize - 1].clone();
                let touches = copy.reads.len() + copy.atomic_reads.len() + copy.atomic_writes.len();
                viewer.meter.take(size_of::<ExtraAccesses>() + touches * size_of::<PastAccess>());
                self.more.push(copy);
                byte.more = self.more.len() as u32;
            }
            viewer.meter.take(size_of_val(&bytes));
            self.split.push(bytes);
            *word = Word { more: self.split.len() as u32, is_split: true, ..EMPTY };
        }
        let bytes = &mut self.split[word.more as usize - 1];
        for at in at..end {
            touch(&mut bytes[(at % WORD) as usize], &mut self.more, viewer, at, conflicts);
        }
    }
}

fn grown(pages: &mut Vec<Option<Box<[Word; PAGE]>>>, count: usize, meter: &Meter) {
    let before = pages.capacity();
    pages.resize_with(count, || None);
    meter.take((pages.capacity() - before) * size_of::<Option<Box<[Word; PAGE]>>>());
}

/// Checks an access against the stored accesses to a word or byte, and then stores it.
fn touch(
    word: &mut Word,
    more: &mut Vec<ExtraAccesses>,
    viewer: &CurrentAccess,
    at: u64,
    conflicts: &mut Vec<Conflict>,
) {
    let AccessMode { stores, atomic } = viewer.way;
    let now = PastAccess {
        first: viewer.agent,
        last: viewer.agent,
        time: viewer.time,
        site: viewer.site,
        scope: atomic.unwrap_or(Scope::None),
    };
    check(&word.write, STORE, viewer, at, conflicts);
    if stores {
        check(&word.read, LOAD, viewer, at, conflicts);
    }
    if word.more > 0 {
        let beside = &more[word.more as usize - 1];
        viewer.meter.spend(beside.reads.len() + beside.atomic_reads.len() + beside.atomic_writes.len());
        if stores {
            beside.reads.iter().for_each(|it| check(it, LOAD, viewer, at, conflicts));
            let loads = beside.atomic_reads.iter();
            loads.for_each(|it| check_atomic(it, LOAD, viewer, at, conflicts));
        }
        let writes = beside.atomic_writes.iter();
        writes.for_each(|it| check_atomic(it, STORE, viewer, at, conflicts));
    }
    match (stores, atomic) {
        (true, None) => {
            (word.read, word.write) = (UNTOUCHED, now);
            if word.more > 0 {
                let beside = &mut more[word.more as usize - 1];
                for touches in [&mut beside.reads, &mut beside.atomic_reads, &mut beside.atomic_writes] {
                    touches.clear();
                }
            }
        }
        // A read replaces an earlier read that happens before it.
        (false, None) if viewer.unordered(&word.read, 0).is_none() && has_no_extra_reads(word, more) => {
            word.read = now
        }
        (false, None) => remember(&mut beside(word, more, viewer.meter).reads, now, viewer),
        (false, Some(_)) => remember(&mut beside(word, more, viewer.meter).atomic_reads, now, viewer),
        (true, Some(_)) => remember(&mut beside(word, more, viewer.meter).atomic_writes, now, viewer),
    }
}

/// Whether the word has no additional reads.
fn has_no_extra_reads(word: &Word, more: &[ExtraAccesses]) -> bool {
    word.more == 0 || more[word.more as usize - 1].reads.is_empty()
}

fn beside<'a>(word: &mut Word, more: &'a mut Vec<ExtraAccesses>, meter: &Meter) -> &'a mut ExtraAccesses {
    if word.more == 0 {
        meter.take(size_of::<ExtraAccesses>());
        more.push(ExtraAccesses::default());
        word.more = more.len() as u32;
    }
    &mut more[word.more as usize - 1]
}

fn check(
    touch: &PastAccess,
    way: AccessMode,
    viewer: &CurrentAccess,
    at: u64,
    conflicts: &mut Vec<Conflict>,
) {
    if let Some(thread) = viewer.unordered(touch, 0) {
        conflicts.push(Conflict { thread, site: touch.site, way, at });
    }
}

fn check_atomic(
    touch: &PastAccess,
    way: AccessMode,
    viewer: &CurrentAccess,
    at: u64,
    conflicts: &mut Vec<Conflict>,
) {
    if let Some(thread) = viewer.unordered_atomic(touch) {
        let way = AccessMode { atomic: Some(touch.scope), ..way };
        conflicts.push(Conflict { thread, site: touch.site, way, at });
    }
}

/// Adds an access to a list that is sorted by thread and contains the last access of each thread. Removes the accesses
/// that happen before it. Merges accesses of adjacent threads at the same time and location.
fn remember(touches: &mut Vec<PastAccess>, now: PastAccess, viewer: &CurrentAccess) {
    viewer.meter.spend(touches.len());
    let thread = now.first;
    let is_own = |it: &PastAccess| (it.first..=it.last).contains(&thread) && it.scope == now.scope;
    if touches.iter().any(|it| is_own(it) && it.time == now.time) {
        return;
    }
    let before = touches.capacity();
    touches.retain(|it| viewer.unordered(it, 0).is_some());
    if let Some(at) = touches.iter().position(is_own) {
        let old = touches[at];
        let parts =
            [PastAccess { last: thread.wrapping_sub(1), ..old }, PastAccess { first: thread + 1, ..old }];
        let is_left = [old.first < thread, thread < old.last];
        touches.splice(at..=at, parts.into_iter().zip(is_left).filter(|it| it.1).map(|it| it.0));
    }
    let is_same = |it: &PastAccess| (it.time, it.site, it.scope) == (now.time, now.site, now.scope);
    let at = touches.partition_point(|it| it.first < thread);
    let joins_last = at > 0 && is_same(&touches[at - 1]) && touches[at - 1].last + 1 == thread;
    let joins_next = at < touches.len() && is_same(&touches[at]) && touches[at].first == thread + 1;
    match (joins_last, joins_next) {
        (true, true) => {
            touches[at - 1].last = touches[at].last;
            touches.remove(at);
        }
        (true, false) => touches[at - 1].last = thread,
        (false, true) => touches[at].first = thread,
        (false, false) => touches.insert(at, now),
    }
    viewer.meter.take((touches.capacity() - before) * size_of::<PastAccess>());
}
