//! Searches two executions of one launch that are both allowed and differ in the threads that execute operations
//! together.
//!
//! In the first execution, threads reconverge as early as possible. For the second, they reconverge only if they must,
//! or at random; then both are repeated with other random arguments. Executions with different outcomes differ, too.

use schemars::JsonSchema;
use serde::Serialize;
use tangle_simulate::Policy;

use super::report::{Communication, Instance, Place, Report};
use super::{Bounds, Executable, LaunchRequest, RequestError};

/// The number of seeds for random arguments that are tried.
const MAX_SEEDS: u64 = 8;
/// The number of random policies that are tried for each seed.
const MAX_RANDOM_POLICIES: u64 = 6;
/// After this number of operations in all executions together, no further execution starts.
const OPERATIONS: u64 = 60_000_000;

/// The executions that `--policy all` found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Alternatives {
    /// One execution, or two that differ.
    pub executions: Vec<Report>,
    /// The number of executions that were tried to find them.
    pub tried: usize,
}

impl Alternatives {
    /// Returns whether all executions finished without races.
    pub fn is_clean(&self) -> bool {
        self.executions.iter().all(Report::is_clean)
    }

    /// Returns the communications that occur in only one of the two executions, for each of them.
    pub fn differences(&self) -> Option<[Vec<&Communication>; 2]> {
        let [one, other] = &self.executions[..] else { return None };
        Some([only_in_first(one, other), only_in_first(other, one)])
    }
}

/// An operation and its participants, without the threads that it only names.
fn participation(it: &Communication) -> (&str, &Place, usize, &[usize], &[Instance]) {
    (&it.callee, &it.place, it.group, &it.threads, &it.further)
}

/// Returns the communications of one execution that do not occur in the other.
fn only_in_first<'a>(one: &'a Report, other: &'a Report) -> Vec<&'a Communication> {
    let sorted = |report: &'a Report| {
        let mut all: Vec<&Communication> = report.communications.iter().collect();
        all.sort_by(|a, b| participation(a).cmp(&participation(b)));
        all
    };
    let (mut mine, left) = (sorted(one), sorted(other));
    let mut left = left.into_iter().map(participation).peekable();
    mine.retain(|it| {
        let it = participation(it);
        while left.next_if(|other| *other < it).is_some() {}
        left.next_if_eq(&it).is_none()
    });
    mine
}

fn differ(one: &Report, other: &Report) -> bool {
    one.outcome != other.outcome
        || !only_in_first(one, other).is_empty()
        || !only_in_first(other, one).is_empty()
}

impl Executable<'_> {
    /// Searches two executions that differ. Ignores the requested policy.
    ///
    /// # Errors
    ///
    /// The function cannot be executed as requested.
    pub fn alternatives(&self, asked: &LaunchRequest, bounds: &Bounds) -> Result<Alternatives, RequestError> {
        let with = |seed: u64, policy: Policy, choices: u64| {
            let seed = asked.seed.wrapping_add(seed);
            self.run(&LaunchRequest { seed, policy, choices, ..asked.clone() }, bounds, None)
        };
        let (mut first, mut operations, mut tried) = (None, 0, 0);
        for seed in 0..MAX_SEEDS {
            let early = with(seed, Policy::Early, 0)?;
            operations += early.operations;
            tried += 1;
            let others = (0..MAX_RANDOM_POLICIES).map(|choices| (Policy::Random, choices));
            for (policy, choices) in std::iter::once((Policy::Must, 0)).chain(others) {
                let other = with(seed, policy, choices)?;
                operations += other.operations;
                tried += 1;
                if differ(&early, &other) {
                    return Ok(Alternatives { executions: vec![early, other], tried });
                }
                if operations > OPERATIONS {
                    break;
                }
            }
            first = first.or(Some(early));
            if operations > OPERATIONS {
                break;
            }
        }
        Ok(Alternatives { executions: first.into_iter().collect(), tried })
    }
}
