//! Finds data races: two threads access the same byte, at least one of them stores, and the accesses are unordered.
//!
//! **Definition** (OpenCL 3.0, 3.3.6, with the terms of C11). Two accesses *conflict* if they touch the same byte of
//! local or global memory, different threads perform them, and at least one of them stores. Two conflicting accesses
//! are in a *race* unless
//!
//! - both are atomic, and the scope of each contains the thread of the other; or
//! - one *happens before* the other.
//!
//! There are two happens-before relations, one for local and one for global memory. Each is transitive. It contains the
//! program order of each thread, and:
//!
//! - **barrier**: accesses before a barrier happen before accesses after it, between threads that execute it together
//!   and are in the scope of its argument. This orders the memory that its flags name: `barrier(CLK_GLOBAL_MEM_FENCE)`
//!   does not order local memory, and `barrier(0)` orders no memory.
//! - **atomics**: accesses before an atomic with release order happen before accesses after an atomic with acquire
//!   order. The second must read the value of the first, or a value that other updates made from it, and the scope of
//!   each must contain the other thread. This orders the memory of the atomic object.
//! - **fences**: a fence with release order before an atomic store, and a fence with acquire order after an atomic load
//!   that reads its value, order accesses in the same way. This orders the memory that both fences name, if the first
//!   fence names the memory of the atomic object.
//! - **group copies**: a copy of a whole group happens before accesses of its threads after `wait_group_events`, in
//!   both memories.
//!
//! A group copy belongs to no thread. An earlier access does not race with it if it happens before the copy for all
//! threads that start the copy. A barrier is also a fence with both orders. The older `atomic_inc` and similar
//! functions have no order. Collective operations (votes, reductions, shuffles) do not order memory. Convergence does
//! not order accesses either: threads that execute the same step together can race. Private memory has no races.
//!
//! ```c
//! kernel void k(global int *p, local int *t) {
//!   int l = get_local_id(0);
//!   t[l] = p[l];                      // a
//!   barrier(CLK_LOCAL_MEM_FENCE);
//!   p[l] = t[l ^ 1];                  // b: after a of all threads in local memory
//!   p[l ^ 1] += 1;                    // c: races with a and b of thread l ^ 1
//! }
//! ```
//!
//! **Algorithm** (Flanagan and Freund, *FastTrack*, 2009). Each thread counts its own time, which advances whenever it
//! publishes its accesses. It has a *clock* for each memory: for each other thread, the time up to which the accesses
//! of that thread happen before its own (`clock`). For each word of memory, the search stores the last write and the
//! reads since then, with their times (`shadow`). An access races with a stored one if its clock has not reached that
//! time. So a race is found in whichever order the executor runs the threads, as long as they reach both locations and
//! the atomics read the same values.
//!
//! A race does not end the execution. It is reported once for each pair of locations. The search may use a part of the
//! memory of the launch, and its work is limited by the steps of the launch. If one of them is used up, the search ends
//! and reports this.

mod clock;
mod order;
mod shadow;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use tangle_base::Symbol;
use tangle_ir::AddressSpace;
use tangle_ir::flow::{Module, ValueId};
use tangle_ir::scope::Scope;

use crate::grid::Grid;
use crate::keys::Point;
use crate::launch::Launch;
use crate::operation::Order;
use crate::outcome::Location;
use crate::value::{Base, Pointer};
use clock::{Clock, Meter};
use order::{GLOBAL, LOCAL};
pub(crate) use order::{Memories, barrier, fence, order};
use shadow::{AccessMode, Conflict, CurrentAccess, Shadow};

/// Two unordered accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The object that they access.
    pub object: SharedObject,
    /// The first byte that both access, counted from the start of the object.
    pub offset: u64,
    /// The access that the executor performed first. This order has no meaning.
    pub first: Access,
    /// The other access.
    pub second: Access,
}

/// An object that several threads can access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SharedObject {
    /// A variable of the module.
    Variable(Symbol),
    /// The object that the argument for this parameter points to.
    Parameter(usize),
}

/// One of the two accesses of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The location.
    pub spot: Location,
    /// The thread. For a copy of a whole group, the first of the threads that executed it.
    pub thread: usize,
    /// Whether the access stores.
    pub stores: bool,
    /// The kind of access.
    pub manner: AccessKind,
}

/// The kind of an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// By one thread, not atomic.
    Plain,
    /// By an atomic with this scope.
    Atomic(Scope),
    /// By a group as a whole.
    Together,
}

/// The result of the search for races.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Races {
    /// One race for each pair of locations: the first that was found.
    pub found: Vec<Race>,
    /// The number of further pairs of locations.
    pub more: usize,
    /// Whether the search ended early because it exceeded its limits.
    pub cut: bool,
}

/// The number of races that are stored.
const MAX_RACES: usize = 100;

/// A publication of a thread at one of its times: its clocks for the memories that it publishes, and its own accesses
/// up to then.
#[derive(Clone)]
struct Publication {
    by: u32,
    time: u32,
    scope: Scope,
    clocks: [Option<Clock>; 2],
}

impl Publication {
    /// Adds the publication to a list. It replaces publications that it covers: of the same thread, no later, for no
    /// more threads and no more memory.
    fn add_to(self, list: &mut Vec<Publication>, meter: &Meter) {
        let before = list.capacity();
        meter.spend(list.len());
        let is_beyond =
            |memory: usize, it: &Publication| it.clocks[memory].is_none() || self.clocks[memory].is_some();
        list.retain(|it| {
            let is_covered = it.by == self.by && it.scope <= self.scope && it.time <= self.time;
            !(is_covered && is_beyond(LOCAL, it) && is_beyond(GLOBAL, it))
        });
        list.push(self);
        meter.take((list.capacity() - before) * size_of::<Publication>());
    }
}

/// A thread, or a work-group that copies as a whole.
struct Agent {
    /// The number of its next publication, from 1.
    time: u32,
    /// For each memory, the clocks that all have to contain an earlier access, each with the thread whose own accesses
    /// count as contained.
    views: [SmallVec<[(Clock, u32); 1]>; 2],
    /// Publications of its fences with release order. Its next atomic stores pass them on.
    released: Vec<Publication>,
    /// Publications that its atomic loads read. A fence with acquire order takes them.
    read: Vec<Publication>,
    /// The thread that a report names.
    named: usize,
}

/// The search for races in one execution.
pub(crate) struct Search {
    grid: Grid,
    agents: Vec<Agent>,
    /// For each memory, its objects. `None` for objects that no thread stores to.
    objects: [Vec<Option<SharedObject>>; 2],
    /// The objects of global memory, and then the objects of each work-group.
    shadows: Vec<Vec<Shadow>>,
    /// The publications of atomics at an address: the owner of the memory, the object and the offset.
    published: FxHashMap<(usize, u32, i64), Vec<Publication>>,
    /// For each function, the number of its first operation in the module.
    sites: Vec<u32>,
    known: FxHashSet<(u32, u32)>,
    races: Races,
    meter: Meter,
    most_bytes: u64,
    most_work: u64,
    conflicts: Vec<Conflict>,
}

impl Search {
    pub fn new(module: &Module, launch: &Launch, grid: &Grid) -> Search {
        let threads = grid.threads();
        let mut sites = vec![0];
        for function in &module.functions {
            sites.push(sites[sites.len() - 1] + function.values.len() as u32);
        }
        let agent = |number: usize| {
            let own = number as u32;
            let view = || SmallVec::from_elem((Clock::default(), own), 1);
            let named = if number < threads { number } else { (number - threads) * grid.threads_per_group() };
            Agent { time: 1, views: [view(), view()], released: Vec::new(), read: Vec::new(), named }
        };
        Search {
            agents: (0..threads + grid.groups()).map(agent).collect(),
            objects: [Vec::new(), Vec::new()],
            shadows: Vec::new(),
            published: FxHashMap::default(),
            sites,
            known: FxHashSet::default(),
            races: Races::default(),
            meter: Meter::default(),
            most_bytes: launch.memory / 4,
            most_work: (1 << 24) + u64::from(launch.steps) * threads as u64 * 16,
            conflicts: Vec::new(),
            grid: grid.clone(),
        }
    }

    /// Adds the next object of a memory. `None`: an object without a name, to which no thread stores.
    pub fn object(&mut self, space: AddressSpace, shared: Option<SharedObject>) {
        let memory = if space == AddressSpace::Local { LOCAL } else { GLOBAL };
        self.objects[memory].push(shared.filter(|_| space != AddressSpace::Constant));
    }

    pub fn found(self) -> Races {
        self.races
    }

    /// The agent for copies of the work-group of a thread.
    fn copier(&self, thread: usize) -> usize {
        self.grid.threads() + self.grid.place(thread).group
    }

    /// Whether the search is within its limits. Otherwise ends it and frees its memory.
    fn within_limits(&mut self) -> bool {
        if !self.races.cut
            && (self.meter.bytes.get() > self.most_bytes || self.meter.work.get() > self.most_work)
        {
            self.races.cut = true;
            self.shadows.clear();
            self.published.clear();
            self.agents.clear();
        }
        !self.races.cut
    }

    /// The location of an address: the memory, its owner, and the number of the object there. `None` for private
    /// memory.
    fn place(&self, thread: usize, pointer: Pointer) -> Option<(usize, usize, u32)> {
        match pointer.base {
            Base::Global(number) => Some((GLOBAL, 0, number)),
            Base::Local(number) => Some((LOCAL, 1 + self.grid.place(thread).group, number)),
            Base::Null | Base::Private(..) | Base::Function(_) => None,
        }
    }

    /// Checks and stores an access inside an object. Calls `raced` for each thread whose earlier access races with this
    /// one, and passes whether that access stored.
    pub fn access(
        &mut self,
        thread: usize,
        pointer: Pointer,
        bytes: u64,
        (stores, manner): (bool, AccessKind),
        spot: Location,
        mut raced: impl FnMut(usize, bool),
    ) {
        let Some((memory, owner, number)) = self.place(thread, pointer) else { return };
        let Point::Operation(value) = spot.point else { return };
        let Some(&Some(object)) = self.objects[memory].get(number as usize) else { return };
        if bytes == 0 || !self.within_limits() {
            return;
        }
        let agent = if manner == AccessKind::Together { self.copier(thread) } else { thread };
        if self.shadows.len() <= owner {
            self.shadows.resize_with(owner + 1, Vec::new);
        }
        let of_owner = &mut self.shadows[owner];
        if of_owner.len() <= number as usize {
            of_owner.resize_with(number as usize + 1, Shadow::default);
        }
        let grid = &self.grid;
        let together = |a: u32, b: u32, scope: Scope| {
            let group = |agent: u32| grid.group_of(&grid.place(agent as usize), scope);
            group(a) == group(b)
        };
        let atomic = match manner {
            AccessKind::Atomic(scope) => Some(scope),
            AccessKind::Plain | AccessKind::Together => None,
        };
        let site = self.sites[spot.function] + value.index() as u32;
        let viewer = CurrentAccess {
            agent: agent as u32,
            time: self.agents[agent].time,
            site,
            way: AccessMode { stores, atomic },
            views: &self.agents[agent].views[memory],
            meter: &self.meter,
            together: &together,
        };
        let mut conflicts = std::mem::take(&mut self.conflicts);
        of_owner[number as usize].access(&viewer, pointer.offset as u64, bytes, &mut conflicts);
        let second = Access { spot, thread: self.agents[agent].named, stores, manner };
        for conflict in &conflicts {
            raced(self.agents[conflict.thread as usize].named, conflict.way.stores);
            self.report(object, conflict, site, &second);
        }
        conflicts.clear();
        self.conflicts = conflicts;
    }

    fn report(&mut self, object: SharedObject, conflict: &Conflict, site: u32, second: &Access) {
        if !self.known.insert((conflict.site.min(site), conflict.site.max(site))) {
            return;
        }
        if self.races.found.len() == MAX_RACES {
            self.races.more += 1;
            return;
        }
        let agent = conflict.thread as usize;
        let function = self.sites.partition_point(|&first| first <= conflict.site) - 1;
        let value = ValueId::from_usize((conflict.site - self.sites[function]) as usize);
        let first = Access {
            spot: Location { function, point: Point::Operation(value) },
            thread: self.agents[agent].named,
            stores: conflict.way.stores,
            manner: match conflict.way.atomic {
                Some(scope) => AccessKind::Atomic(scope),
                None if agent >= self.grid.threads() => AccessKind::Together,
                None => AccessKind::Plain,
            },
        };
        self.races.found.push(Race { object, offset: conflict.at, first, second: second.clone() });
    }

    /// Whether two threads are in one group of a scope.
    fn share_group(&self, a: usize, b: usize, scope: Scope) -> bool {
        let group = |thread: usize| self.grid.group_of(&self.grid.place(thread), scope);
        group(a) == group(b)
    }

    fn take(&mut self, thread: usize, published: &Publication, scope: Scope) {
        if !self.share_group(thread, published.by as usize, scope.min(published.scope)) {
            return;
        }
        for memory in [LOCAL, GLOBAL] {
            let Some(clock) = &published.clocks[memory] else { continue };
            let own = &mut self.agents[thread].views[memory][0].0;
            // A clock that contains this time also contains the clocks published at this time.
            if own.get(published.by) < published.time && thread != published.by as usize {
                let by = std::iter::once((published.by, published.time));
                *own = Clock::join([&*own, clock].into_iter(), by, &self.meter);
            }
        }
    }

    /// Records that an atomic reads the publications at its address.
    pub fn observe(&mut self, thread: usize, pointer: Pointer, order: Order) {
        let Some((_, owner, number)) = self.place(thread, pointer) else { return };
        if !self.within_limits() {
            return;
        }
        let Some(published) = self.published.get(&(owner, number, pointer.offset)).cloned() else { return };
        for mut it in published {
            if order.acquires {
                self.take(thread, &it, order.scope);
            }
            // A later fence may take it.
            it.scope = it.scope.min(order.scope);
            it.add_to(&mut self.agents[thread].read, &self.meter);
        }
    }

    /// Records that an atomic writes and publishes. `updates`: it also passes on earlier publications at its address.
    pub fn publish(&mut self, thread: usize, pointer: Pointer, order: Order, updates: bool) {
        let Some((memory, owner, number)) = self.place(thread, pointer) else { return };
        if !self.within_limits() {
            return;
        }
        let here = self.published.entry((owner, number, pointer.offset)).or_default();
        if !updates {
            here.clear();
        }
        let agent = &mut self.agents[thread];
        // The atomic passes on the publication of a fence if the fence orders the memory of the atomic.
        for fence in agent.released.iter().filter(|it| it.clocks[memory].is_some()) {
            let handed = Publication { scope: fence.scope.min(order.scope), ..fence.clone() };
            handed.add_to(here, &self.meter);
        }
        if order.releases {
            let mut clocks = [None, None];
            clocks[memory] = Some(agent.views[memory][0].0.clone());
            let published = Publication { by: thread as u32, time: agent.time, scope: order.scope, clocks };
            published.add_to(here, &self.meter);
            agent.time += 1;
        }
    }

    /// Records a fence.
    pub fn fence(&mut self, thread: usize, Memories(memories): Memories, order: Order) {
        if !self.within_limits() {
            return;
        }
        if order.acquires && !self.agents[thread].read.is_empty() {
            for mut it in self.agents[thread].read.clone() {
                for memory in [LOCAL, GLOBAL] {
                    it.clocks[memory] = it.clocks[memory].take().filter(|_| memories[memory]);
                }
                self.take(thread, &it, order.scope);
            }
        }
        if order.releases {
            let agent = &mut self.agents[thread];
            let clocks =
                [LOCAL, GLOBAL].map(|memory| memories[memory].then(|| agent.views[memory][0].0.clone()));
            let published = Publication { by: thread as u32, time: agent.time, scope: order.scope, clocks };
            published.add_to(&mut agent.released, &self.meter);
            agent.time += 1;
        }
    }

    /// Records that threads of one group execute a barrier together.
    pub fn barrier(&mut self, threads: &[usize], memories: Memories, scope: Scope) {
        if !self.within_limits() {
            return;
        }
        let order = |acquires, releases| Order { acquires, releases, scope };
        threads.iter().for_each(|&thread| self.fence(thread, memories, order(false, true)));
        let grid = self.grid.clone();
        let group = |thread: &usize| grid.group_of(&grid.place(*thread), scope);
        for part in threads.chunk_by(|a, b| group(a) == group(b)) {
            for memory in [LOCAL, GLOBAL].into_iter().filter(|&memory| memories.0[memory]) {
                let known = part.iter().map(|&thread| &self.agents[thread].views[memory][0].0);
                // The last publication is that of the fence above.
                let own = part.iter().map(|&thread| (thread as u32, self.agents[thread].time - 1));
                let joined = Clock::join(known, own, &self.meter);
                for &thread in part {
                    self.agents[thread].views[memory][0].0 = joined.clone();
                }
            }
        }
        threads.iter().for_each(|&thread| self.fence(thread, memories, order(true, false)));
    }

    /// Starts a copy of a work-group: an access happens before it if it does so for all these threads.
    pub fn copy(&mut self, threads: &[usize]) {
        if !self.within_limits() {
            return;
        }
        let copier = self.copier(threads[0]);
        self.agents[copier].named = threads[0];
        for memory in [LOCAL, GLOBAL] {
            let mut views: Vec<(Clock, u32)> = Vec::new();
            for &thread in threads {
                let (clock, own) = &self.agents[thread].views[memory][0];
                match views.iter_mut().find(|(known, _)| known.is(clock)) {
                    // If threads share a clock, an access of one of them is not ordered for the others.
                    Some((_, only)) => *only = u32::MAX,
                    None => views.push((clock.clone(), *own)),
                }
                self.meter.spend(views.len());
            }
            self.agents[copier].views[memory] = views.into();
        }
    }

    /// Records that threads of a work-group wait for its copies.
    pub fn copied(&mut self, threads: &[usize]) {
        if !self.within_limits() {
            return;
        }
        let copier = self.copier(threads[0]);
        let time = std::iter::once((copier as u32, self.agents[copier].time));
        let done = Clock::join(std::iter::empty(), time, &self.meter);
        self.agents[copier].time += 1;
        for memory in [LOCAL, GLOBAL] {
            // Threads that shared a clock share the new one.
            let mut last = (Clock::default(), done.clone());
            for &thread in threads {
                let own = &mut self.agents[thread].views[memory][0].0;
                if !own.is(&last.0) {
                    let joined = Clock::join([&*own, &done].into_iter(), std::iter::empty(), &self.meter);
                    last = (own.clone(), joined);
                }
                *own = last.1.clone();
            }
        }
    }
}
