//! Data races: two threads access the same byte, one of them stores, and nothing orders them.
//!
//! **Definition** (OpenCL 3.0, 3.3.6, with the words of C11). Two accesses *conflict* if they touch the same byte of local or global memory, are
//! done by different threads, and one of them at least stores. Two that conflict are in a *race* unless
//!
//! - both are atomic, and the scope of each holds the thread of the other; or
//! - one *happens before* the other.
//!
//! Happens-before is two relations, one for local and one for global memory. Each holds what a thread does in its own order, and what
//! *synchronises*, and is transitive:
//!
//! | what | comes before what | in which memory |
//! |---|---|---|
//! | what a thread did before a barrier | what the threads do behind it that executed the barrier together with it, and are in the scope of its argument | in those that its flags name: `barrier(CLK_GLOBAL_MEM_FENCE)` orders no local memory, `barrier(0)` none at all |
//! | what a thread did before an atomic with release order | what a thread does behind an atomic with acquire order that reads what the first one wrote, or what other updates made of it; if the scope of each holds the other thread | in that of the atomic |
//! | what a thread did before a fence with release order, with an atomic store behind it | what a thread does behind a fence with acquire order, with an atomic load before it that reads that | in those that both fences name, if that of the atomic is among them |
//! | a copy of a whole group | what the threads of the group do behind `wait_group_events` | in both |
//!
//! Such a copy belongs to no thread: what it accesses is in no race if it comes before the copy for all threads that start it. A barrier is a fence with
//! both orders, too. The older `atomic_inc` and its relatives have no order. Collective operations (votes, reductions, shuffles) order no
//! memory, nor does it matter who is converged with whom: threads that do the same in the same step race all the same. Private memory is in no race.
//!
//! ```c
//! kernel void k(global int *p, local int *t) {
//!   int l = get_local_id(0);
//!   t[l] = p[l];                      // a
//!   barrier(CLK_LOCAL_MEM_FENCE);
//!   p[l] = t[l ^ 1];                  // b: behind a of all threads; and p[l] is a thread's own
//!   p[l ^ 1] += 1;                    // c: a race with b of thread l ^ 1, and with c
//! }
//! ```
//!
//! **Algorithm** (Flanagan and Freund, *FastTrack*, 2009). Each thread counts its own time, which goes on whenever it publishes what it did, and has a *clock* for each
//! memory: for each other thread, up to which time what that one did comes before (`clock`). Of each word of memory it is remembered who wrote it last and who read
//! it since, at which time (`shadow`). An access is in a race with a remembered one if its clock is behind that time. So a race is found in whichever order the
//! executor happens to let threads go, as long as they come to both places, and the atomics hand on what they handed on in this execution.
//!
//! A race ends nothing. It is told once for each pair of places. What is remembered is bounded by a part of the memory of the launch, and work by its steps; when either is
//! used up, the search ends and says so.

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
use crate::outcome::Spot;
use crate::value::{Base, Pointer};
use clock::{Clock, Meter};
use order::{GLOBAL, LOCAL};
pub(crate) use order::{Memories, barrier, fence, order};
use shadow::{Conflict, Shadow, Viewer, Way};

/// Two accesses that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// What they access.
    pub object: Shared,
    /// The first byte that both access, from the begin of the object.
    pub offset: u64,
    /// The one that the executor did first; the order says nothing.
    pub first: Access,
    /// The other one.
    pub second: Access,
}

/// An object that several threads can access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shared {
    /// A variable of the module.
    Variable(Symbol),
    /// What the kernel was passed for a parameter, by its number.
    Parameter(usize),
}

/// One of two accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where.
    pub spot: Spot,
    /// Who; of a copy of a whole group, the first of those who executed it.
    pub thread: usize,
    /// Whether it stores.
    pub stores: bool,
    /// How.
    pub manner: Manner,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// By one thread.
    Plain,
    /// By an atomic of a scope.
    Atomic(Scope),
    /// By a group as a whole.
    Together,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Races {
    /// Pairs of places, with the threads and the byte for which each was found first.
    pub found: Vec<Race>,
    /// Pairs of places beyond those.
    pub more: usize,
    /// There was too much to remember: accesses from some point on were not looked at.
    pub cut: bool,
}

/// Races that are kept.
const MOST: usize = 100;

/// What a thread published at one of its times: what it knew of the memories that are meant, and what it had done itself.
#[derive(Clone)]
struct Published {
    by: u32,
    time: u32,
    scope: Scope,
    clocks: [Option<Clock>; 2],
}

impl Published {
    /// Adds it to a list, in which it stands for all that its thread published before to no more than those threads, of no more memory.
    fn add_to(self, list: &mut Vec<Published>, meter: &Meter) {
        let before = list.capacity();
        meter.spend(list.len());
        let is_beyond =
            |memory: usize, it: &Published| it.clocks[memory].is_none() || self.clocks[memory].is_some();
        list.retain(|it| {
            let is_covered = it.by == self.by && it.scope <= self.scope && it.time <= self.time;
            !(is_covered && is_beyond(LOCAL, it) && is_beyond(GLOBAL, it))
        });
        list.push(self);
        meter.take((list.capacity() - before) * size_of::<Published>());
    }
}

/// A thread; or what a work-group copies as a whole.
struct Agent {
    /// Counts what it published. From 1 on.
    time: u32,
    /// For each memory what comes before, with who knows that of itself.
    views: [SmallVec<[(Clock, u32); 1]>; 2],
    /// By its fences with release order: an atomic store hands it on.
    released: Vec<Published>,
    /// What its atomic loads read: a fence with acquire order takes it.
    read: Vec<Published>,
    /// Who stands for it.
    named: usize,
}

/// The search for races in one execution.
pub(crate) struct Search {
    grid: Grid,
    agents: Vec<Agent>,
    /// For each memory what its objects are; None: nobody stores there.
    objects: [Vec<Option<Shared>>; 2],
    /// Objects of global memory, then those of each work-group.
    shadows: Vec<Vec<Shadow>>,
    /// What atomics published at a place.
    published: FxHashMap<(usize, u32, i64), Vec<Published>>,
    /// The number of the first operation of each function.
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
            let named = if number < threads { number } else { (number - threads) * grid.of_group() };
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

    /// The next object of a memory; None: one without a name, which nobody stores to.
    pub fn object(&mut self, space: AddressSpace, shared: Option<Shared>) {
        let memory = if space == AddressSpace::Local { LOCAL } else { GLOBAL };
        self.objects[memory].push(shared.filter(|_| space != AddressSpace::Constant));
    }

    pub fn found(self) -> Races {
        self.races
    }

    /// The work-group that copies as a whole, as an agent.
    fn copier(&self, thread: usize) -> usize {
        self.grid.threads() + self.grid.place(thread).group
    }

    /// Whether there is room for more; else what is remembered is given back.
    fn may_go_on(&mut self) -> bool {
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

    /// Where an address lies: in which memory, whose, and the number of the object there.
    fn place(&self, thread: usize, pointer: Pointer) -> Option<(usize, usize, u32)> {
        match pointer.base {
            Base::Global(number) => Some((GLOBAL, 0, number)),
            Base::Local(number) => Some((LOCAL, 1 + self.grid.place(thread).group, number)),
            Base::Null | Base::Private(..) | Base::Function(_) => None,
        }
    }

    /// A thread accesses bytes that are there. `raced` is told each thread with whose earlier access this one is in a race, and whether that one stored.
    pub fn access(
        &mut self,
        thread: usize,
        pointer: Pointer,
        bytes: u64,
        (stores, manner): (bool, Manner),
        spot: Spot,
        mut raced: impl FnMut(usize, bool),
    ) {
        let Some((memory, owner, number)) = self.place(thread, pointer) else { return };
        let Point::Operation(value) = spot.point else { return };
        let Some(&Some(object)) = self.objects[memory].get(number as usize) else { return };
        if bytes == 0 || !self.may_go_on() {
            return;
        }
        let agent = if manner == Manner::Together { self.copier(thread) } else { thread };
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
            Manner::Atomic(scope) => Some(scope),
            Manner::Plain | Manner::Together => None,
        };
        let site = self.sites[spot.function] + value.index() as u32;
        let viewer = Viewer {
            agent: agent as u32,
            time: self.agents[agent].time,
            site,
            way: Way { stores, atomic },
            views: &self.agents[agent].views[memory],
            meter: &self.meter,
            together: &together,
        };
        let mut conflicts = std::mem::take(&mut self.conflicts);
        of_owner[number as usize].access(&viewer, pointer.offset as u64, bytes, &mut conflicts);
        let second = Access { spot, thread: self.agents[agent].named, stores, manner };
        for conflict in &conflicts {
            raced(self.agents[conflict.thread as usize].named, conflict.way.stores);
            self.tell(object, conflict, site, &second);
        }
        conflicts.clear();
        self.conflicts = conflicts;
    }

    fn tell(&mut self, object: Shared, conflict: &Conflict, site: u32, second: &Access) {
        if !self.known.insert((conflict.site.min(site), conflict.site.max(site))) {
            return;
        }
        if self.races.found.len() == MOST {
            self.races.more += 1;
            return;
        }
        let agent = conflict.thread as usize;
        let function = self.sites.partition_point(|&first| first <= conflict.site) - 1;
        let value = ValueId::from_usize((conflict.site - self.sites[function]) as usize);
        let first = Access {
            spot: Spot { function, point: Point::Operation(value) },
            thread: self.agents[agent].named,
            stores: conflict.way.stores,
            manner: match conflict.way.atomic {
                Some(scope) => Manner::Atomic(scope),
                None if agent >= self.grid.threads() => Manner::Together,
                None => Manner::Plain,
            },
        };
        self.races.found.push(Race { object, offset: conflict.at, first, second: second.clone() });
    }

    /// Whether each of two threads is in the other's group of a scope.
    fn is_inclusive(&self, a: usize, b: usize, scope: Scope) -> bool {
        let group = |thread: usize| self.grid.group_of(&self.grid.place(thread), scope);
        group(a) == group(b)
    }

    fn take(&mut self, thread: usize, published: &Published, scope: Scope) {
        if !self.is_inclusive(thread, published.by as usize, scope.min(published.scope)) {
            return;
        }
        for memory in [LOCAL, GLOBAL] {
            let Some(clock) = &published.clocks[memory] else { continue };
            let own = &mut self.agents[thread].views[memory][0].0;
            // Who knows of that time knows what was known then.
            if own.get(published.by) < published.time && thread != published.by as usize {
                let by = std::iter::once((published.by, published.time));
                *own = Clock::join([&*own, clock].into_iter(), by, &self.meter);
            }
        }
    }

    /// An atomic reads what others published at its place.
    pub fn observe(&mut self, thread: usize, pointer: Pointer, order: Order) {
        let Some((_, owner, number)) = self.place(thread, pointer) else { return };
        if !self.may_go_on() {
            return;
        }
        let Some(published) = self.published.get(&(owner, number, pointer.offset)).cloned() else { return };
        for mut it in published {
            if order.acquires {
                self.take(thread, &it, order.scope);
            }
            // For a fence that may come.
            it.scope = it.scope.min(order.scope);
            it.add_to(&mut self.agents[thread].read, &self.meter);
        }
    }

    /// An atomic writes: whoever reads it may take notice. `updates`: it also hands on what others published there.
    pub fn publish(&mut self, thread: usize, pointer: Pointer, order: Order, updates: bool) {
        let Some((memory, owner, number)) = self.place(thread, pointer) else { return };
        if !self.may_go_on() {
            return;
        }
        let here = self.published.entry((owner, number, pointer.offset)).or_default();
        if !updates {
            here.clear();
        }
        let agent = &mut self.agents[thread];
        // What a fence published goes along, if the fence is about the memory of the atomic.
        for fence in agent.released.iter().filter(|it| it.clocks[memory].is_some()) {
            let handed = Published { scope: fence.scope.min(order.scope), ..fence.clone() };
            handed.add_to(here, &self.meter);
        }
        if order.releases {
            let mut clocks = [None, None];
            clocks[memory] = Some(agent.views[memory][0].0.clone());
            let published = Published { by: thread as u32, time: agent.time, scope: order.scope, clocks };
            published.add_to(here, &self.meter);
            agent.time += 1;
        }
    }

    /// A fence.
    pub fn fence(&mut self, thread: usize, Memories(memories): Memories, order: Order) {
        if !self.may_go_on() {
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
            let published = Published { by: thread as u32, time: agent.time, scope: order.scope, clocks };
            published.add_to(&mut agent.released, &self.meter);
            agent.time += 1;
        }
    }

    /// Threads of one group execute a barrier together.
    pub fn barrier(&mut self, threads: &[usize], memories: Memories, scope: Scope) {
        if !self.may_go_on() {
            return;
        }
        let order = |acquires, releases| Order { acquires, releases, scope };
        threads.iter().for_each(|&thread| self.fence(thread, memories, order(false, true)));
        let grid = self.grid.clone();
        let group = |thread: &usize| grid.group_of(&grid.place(*thread), scope);
        for part in threads.chunk_by(|a, b| group(a) == group(b)) {
            for memory in [LOCAL, GLOBAL].into_iter().filter(|&memory| memories.0[memory]) {
                let known = part.iter().map(|&thread| &self.agents[thread].views[memory][0].0);
                // The fence was the last that it published.
                let own = part.iter().map(|&thread| (thread as u32, self.agents[thread].time - 1));
                let joined = Clock::join(known, own, &self.meter);
                for &thread in part {
                    self.agents[thread].views[memory][0].0 = joined.clone();
                }
            }
        }
        threads.iter().for_each(|&thread| self.fence(thread, memories, order(true, false)));
    }

    /// Threads of a work-group begin to copy as a whole: before the copy comes what comes before it for all of them.
    pub fn copy(&mut self, threads: &[usize]) {
        if !self.may_go_on() {
            return;
        }
        let copier = self.copier(threads[0]);
        self.agents[copier].named = threads[0];
        for memory in [LOCAL, GLOBAL] {
            let mut views: Vec<(Clock, u32)> = Vec::new();
            for &thread in threads {
                let (clock, own) = &self.agents[thread].views[memory][0];
                match views.iter_mut().find(|(known, _)| known.is(clock)) {
                    // Of several who know the same, none knows what another one did.
                    Some((_, only)) => *only = u32::MAX,
                    None => views.push((clock.clone(), *own)),
                }
                self.meter.spend(views.len());
            }
            self.agents[copier].views[memory] = views.into();
        }
    }

    /// Threads of a work-group wait until it has copied.
    pub fn copied(&mut self, threads: &[usize]) {
        if !self.may_go_on() {
            return;
        }
        let copier = self.copier(threads[0]);
        let time = std::iter::once((copier as u32, self.agents[copier].time));
        let done = Clock::join(std::iter::empty(), time, &self.meter);
        self.agents[copier].time += 1;
        for memory in [LOCAL, GLOBAL] {
            // Threads that knew the same still do.
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
