//! Clocks: for each other thread, the last time whose accesses happen before the accesses of this thread.
//!
//! A clock is a sorted list of runs. A run is a range of threads with the same time; threads outside of all runs have
//! time 0. So the clock after a barrier of 1,024 threads is one run, which all of them share.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashSet;

/// The threads from `first` to `last`, with the same time, which is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    last: u32,
    time: u32,
}

/// The bytes that all live clocks use, and the number of steps spent on them.
#[derive(Clone, Default)]
pub struct Meter {
    pub bytes: Rc<Cell<u64>>,
    pub work: Rc<Cell<u64>>,
}

impl Meter {
    pub fn take(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes as u64);
    }

    pub fn spend(&self, steps: usize) {
        self.work.set(self.work.get() + steps as u64);
    }
}

struct Runs {
    runs: Box<[Run]>,
    meter: Meter,
}

impl Runs {
    fn bytes(&self) -> u64 {
        (size_of::<Runs>() + size_of_val(&*self.runs)) as u64
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.meter.bytes.set(self.meter.bytes.get() - self.bytes());
    }
}

/// A clock. Copies share their runs.
#[derive(Clone, Default)]
pub struct Clock(Option<Rc<Runs>>);

impl Clock {
    fn new(runs: Vec<Run>, meter: &Meter) -> Clock {
        let runs = Runs { runs: runs.into(), meter: meter.clone() };
        meter.bytes.set(meter.bytes.get() + runs.bytes());
        Clock(Some(Rc::new(runs)))
    }

    fn runs(&self) -> &[Run] {
        self.0.as_ref().map_or(&[], |runs| &runs.runs)
    }

    fn identity(&self) -> *const Runs {
        self.0.as_ref().map_or(std::ptr::null(), Rc::as_ptr)
    }

    /// Whether both clocks share their runs. If so, they are equal.
    pub fn is(&self, other: &Clock) -> bool {
        self.identity() == other.identity()
    }

    /// The time of a thread.
    pub fn get(&self, thread: u32) -> u32 {
        let runs = self.runs();
        let at = runs.partition_point(|run| run.last < thread);
        runs.get(at).filter(|run| run.first <= thread).map_or(0, |run| run.time)
    }

    /// The first thread in a range whose time is less than `time`, except the threads in `except`.
    pub fn behind(
        &self,
        (first, last): (u32, u32),
        time: u32,
        except: [u32; 2],
        meter: &Meter,
    ) -> Option<u32> {
        let runs = self.runs();
        let mut at = runs.partition_point(|run| run.last < first);
        let mut thread = first;
        while thread <= last {
            meter.spend(1);
            match runs.get(at) {
                Some(run) if run.first <= thread && run.time >= time => {
                    thread = run.last + 1;
                    at += 1;
                }
                run => {
                    if !except.contains(&thread) {
                        return Some(thread);
                    }
                    at += usize::from(run.is_some_and(|run| run.last == thread));
                    thread += 1;
                }
            }
        }
        None
    }

    /// Returns the latest time of each thread, among these clocks and the times in `own`, which are sorted by thread.
    pub fn join<'a>(
        clocks: impl Iterator<Item = &'a Clock>,
        own: impl Iterator<Item = (u32, u32)>,
        meter: &Meter,
    ) -> Clock {
        let mut seen = FxHashSet::default();
        let distinct = clocks.filter(|clock| seen.insert(clock.identity()));
        let mut single = Vec::new();
        for (thread, time) in own {
            push(&mut single, Run { first: thread, last: thread, time });
        }
        // Merge pairs, so that each run is visited only once per round.
        let mut all: Vec<Vec<Run>> = distinct.map(|clock| clock.runs().to_vec()).collect();
        all.push(single);
        while all.len() > 1 {
            all = all
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => {
                        meter.spend(a.len() + b.len());
                        merge(a, b)
                    }
                    _ => pair[0].clone(),
                })
                .collect();
        }
        Clock::new(all.pop().unwrap_or_default(), meter)
    }
}

fn push(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        Some(last) if last.last + 1 == run.first && last.time == run.time => last.last = run.last,
        _ => runs.push(run),
    }
}

fn merge(a: &[Run], b: &[Run]) -> Vec<Run> {
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.iter().copied(), b.iter().copied());
    // The rest of the current run of each list.
    let (mut mine, mut theirs) = (a.next(), b.next());
    loop {
        (mine, theirs) = match (mine, theirs) {
            (None, None) => return out,
            (Some(run), None) => {
                push(&mut out, run);
                (a.next(), None)
            }
            (None, Some(run)) => {
                push(&mut out, run);
                (None, b.next())
            }
            (Some(x), Some(y)) if x.last < y.first => {
                push(&mut out, x);
                (a.next(), Some(y))
            }
            (Some(x), Some(y)) if y.last < x.first => {
                push(&mut out, y);
                (Some(x), b.next())
            }
            (Some(x), Some(y)) if x.first < y.first => {
                push(&mut out, Run { last: y.first - 1, ..x });
                (Some(Run { first: y.first, ..x }), Some(y))
            }
            (Some(x), Some(y)) if y.first < x.first => {
                push(&mut out, Run { last: x.first - 1, ..y });
                (Some(x), Some(Run { first: x.first, ..y }))
            }
            (Some(x), Some(y)) => {
                let last = x.last.min(y.last);
                push(&mut out, Run { first: x.first, last, time: x.time.max(y.time) });
                let rest = |run: Run| (run.last > last).then_some(Run { first: last + 1, ..run });
                (rest(x).or_else(|| a.next()), rest(y).or_else(|| b.next()))
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn clock(times: &[u32], meter: &Meter) -> Clock {
        let own = (0..).zip(times.iter().copied()).filter(|(_, time)| *time > 0);
        Clock::join(std::iter::empty(), own, meter)
    }

    #[test]
    fn clock_matches_a_plain_list_of_times() {
        let mut random = Random::new(1);
        let meter = Meter::default();
        for _ in 0..2000 {
            let mut times = || -> Vec<u32> { (0..12).map(|_| random.below(3) as u32).collect() };
            let (a, b) = (times(), times());
            let joined = Clock::join([clock(&a, &meter), clock(&b, &meter)].iter(), [].into_iter(), &meter);
            let expected: Vec<u32> = a.iter().zip(&b).map(|(a, b)| *a.max(b)).collect();
            let found: Vec<u32> = (0..12).map(|thread| joined.get(thread)).collect();
            assert_eq!(found, expected);
            let (first, last) = (random.below(12) as u32, random.below(12) as u32);
            let (time, own) = (1 + random.below(2) as u32, random.below(12) as u32);
            let behind = (first..=last).find(|&it| it != own && expected[it as usize] < time);
            assert_eq!(joined.behind((first, last), time, [own, u32::MAX], &meter), behind);
        }
        assert_eq!(meter.bytes.get(), 0, "no clock is left");
    }

    #[test]
    fn clock_after_a_barrier_is_small() {
        let meter = Meter::default();
        let own = (0..65_536).map(|thread| (thread, 1));
        let clock = Clock::join([Clock::default(), Clock::default()].iter(), own, &meter);
        assert_eq!(clock.runs().len(), 1);
        assert!(meter.bytes.get() < 128);
    }
}
