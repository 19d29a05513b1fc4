//! Two executions of one launch that the text both allows, and that differ in who takes part.
//!
//! The first decides as early as possible. The second is searched for: as late as possible, then by dice; then the same for other random arguments. An
//! execution that ends in another way differs, too.

use schemars::JsonSchema;
use serde::Serialize;
use tangle_simulate::Policy;

use super::report::{Communication, Report};
use super::{Asked, Bounds, Executable, Wrong};

/// Random arguments that are tried.
const SEEDS: u64 = 8;
/// Ways of deciding by dice that are tried for each.
const DICE: u64 = 6;
/// Operations of all executions together, after which none is begun.
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
    /// Whether all that was found ended well.
    pub fn is_clean(&self) -> bool {
        self.executions.iter().all(Report::is_clean)
    }

    /// What took part together in one execution alone, for each of the two.
    pub fn differences(&self) -> Option<[Vec<&Communication>; 2]> {
        let [one, other] = &self.executions[..] else { return None };
        Some([without(one, other), without(other, one)])
    }
}

/// The communications of one execution that another one does not have.
fn without<'a>(one: &'a Report, other: &Report) -> Vec<&'a Communication> {
    let mut left: Vec<&Communication> = other.communications.iter().collect();
    left.sort();
    let mut mine: Vec<&Communication> = one.communications.iter().collect();
    mine.sort();
    let mut left = left.into_iter().peekable();
    mine.retain(|it| {
        while left.next_if(|other| other < it).is_some() {}
        left.next_if_eq(it).is_none()
    });
    mine
}

fn differ(one: &Report, other: &Report) -> bool {
    one.outcome != other.outcome || !without(one, other).is_empty() || !without(other, one).is_empty()
}

impl Executable<'_> {
    /// Looks for two executions that differ. The policy that is asked for does not matter.
    ///
    /// # Errors
    ///
    /// If it cannot be executed as is asked.
    pub fn alternatives(&self, asked: &Asked, bounds: &Bounds) -> Result<Alternatives, Wrong> {
        let with = |seed: u64, policy: Policy, choices: u64| {
            let seed = asked.seed.wrapping_add(seed);
            self.run(&Asked { seed, policy, choices, ..asked.clone() }, bounds, None)
        };
        let (mut first, mut operations, mut tried) = (None, 0, 0);
        for seed in 0..SEEDS {
            let early = with(seed, Policy::Early, 0)?;
            operations += early.operations;
            tried += 1;
            let others = (0..DICE).map(|choices| (Policy::Random, choices));
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
