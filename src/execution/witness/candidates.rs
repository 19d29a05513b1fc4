//! The launches that a search tries: sizes, then arguments, from small to large.
//!
//! The first rounds give all numbers the same value: half of the work-group, all of it, one, zero. Later rounds choose
//! each number at random from a pool: small numbers, numbers near the size of the work-group, numbers near the constants
//! of the program, and operands of its comparisons. A comparison with a constant or an id therefore has arguments on
//! both of its sides.

use std::collections::BTreeSet;

use tangle_ir::AddressSpace;
use tangle_ir::flow::{Module, Op};
use tangle_ir::operation::{Index, Operation};
use tangle_ir::types::{Ty, TyKind};
use tangle_ir::value::Constant;
use tangle_simulate::{Argument, Language, Number, Random};

use crate::arguments::NamedArgument;
use crate::{Executable, LaunchRequest};

/// The maximum number of constants of a program in the pool.
const MAX_CONSTANTS: usize = 64;

/// The number of rounds that give all numbers the same value.
const EQUAL_ROUNDS: u64 = 5;

/// The number of elements of explicit memory.
const ELEMENTS: usize = 64;

/// The sizes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    local: [u32; 3],
    groups: u32,
    sub_group: u32,
}

/// A parameter that gets explicit arguments.
#[derive(Clone, Debug)]
struct ScalarParameter {
    name: String,
    is_float: bool,
}

/// The launches of a search, in order.
pub(super) struct Candidates {
    sizes: Vec<Sizes>,
    scalars: Vec<ScalarParameter>,
    /// The parameters that point to global memory with numbers.
    arrays: Vec<ScalarParameter>,
    constants: Vec<i128>,
    uses_local_memory: bool,
}

impl Candidates {
    pub(super) fn of(executable: &Executable) -> Candidates {
        let scalars = executable.parameters().filter_map(|(name, ty)| {
            let is_float = ty.as_float().is_some();
            let is_number = is_float || ty.as_integer().is_some() || matches!(ty.kind(), TyKind::Bool);
            is_number.then(|| ScalarParameter { name: name.as_str().to_owned(), is_float })
        });
        let arrays = executable.parameters().filter_map(|(name, ty)| {
            let pointer = ty.as_pointer()?;
            let is_float = pointer.pointee.as_float().is_some();
            let is_number = is_float || pointer.pointee.as_integer().is_some();
            let is_global = matches!(pointer.space, AddressSpace::Global | AddressSpace::Constant);
            (is_number && is_global).then(|| ScalarParameter { name: name.as_str().to_owned(), is_float })
        });
        Candidates {
            sizes: sizes(executable),
            scalars: scalars.collect(),
            arrays: arrays.collect(),
            constants: constants(&executable.module),
            uses_local_memory: uses_local_memory(executable),
        }
    }

    /// Returns a launch with the given number.
    pub(super) fn launch(&self, number: u64) -> LaunchRequest {
        let of_round = self.sizes.len() as u64;
        let (round, sizes) = (number / of_round, self.sizes[(number % of_round) as usize]);
        let threads = i128::from(sizes.local.iter().product::<u32>());
        let mut random = Random::new(number);
        let value = |random: &mut Random| match round {
            0 => threads / 2,
            1 => threads,
            2 => 1,
            3 => 0,
            4 => 2 * threads + 1,
            _ => self.pick(random, threads),
        };
        let arguments = self.scalars.iter().map(|it| {
            let value = value(&mut random);
            NamedArgument::new(&it.name, Argument::Number(number_of(value, it.is_float)))
        });
        let mut arguments: Vec<NamedArgument> = arguments.collect();
        if round >= EQUAL_ROUNDS {
            for it in &self.arrays {
                let elements: Vec<i128> = match random.below(4) {
                    // Zeros and a few other numbers.
                    0 => {
                        let mut element = || match random.below(4) {
                            0 => self.pick(&mut random, threads),
                            _ => 0,
                        };
                        (0..ELEMENTS).map(|_| element()).collect()
                    }
                    // One number: pointers to single values are parameters, too.
                    1 => vec![self.pick(&mut random, threads); ELEMENTS],
                    // Random memory has small positive numbers.
                    _ => continue,
                };
                let numbers = elements.into_iter().map(|value| number_of(value, it.is_float));
                arguments.push(NamedArgument::new(&it.name, Argument::Array(numbers.collect())));
            }
        }
        LaunchRequest {
            arguments,
            local_size: Some(sizes.local),
            groups: sizes.groups,
            sub_group_size: Some(sizes.sub_group),
            // Undefined memory ends an execution at the first branch on it.
            zero_local_memory: self.uses_local_memory && round % 3 == 2,
            seed: round.saturating_sub(EQUAL_ROUNDS - 1),
            races: false,
            ..LaunchRequest::default()
        }
    }

    fn pick(&self, random: &mut Random, threads: i128) -> i128 {
        let near = |value: i128, random: &mut Random| value + random.below(3) as i128 - 1;
        match random.below(4) {
            0 => random.below(9) as i128,
            1 => near(*random.pick(&[threads / 4, threads / 2, threads, 2 * threads]), random),
            _ if self.constants.is_empty() => random.below(64) as i128,
            _ => {
                let value = *random.pick(&self.constants);
                near(value, random)
            }
        }
    }

    /// Returns simpler launches than one that confirms a finding: each has a smaller number as one argument.
    pub(super) fn simpler(&self, launch: &LaunchRequest) -> Vec<LaunchRequest> {
        let mut simpler = Vec::new();
        for (at, argument) in launch.arguments.iter().enumerate() {
            let Argument::Number(number) = argument.value() else { continue };
            let Some(parameter) = self.scalars.iter().find(|it| it.name == argument.name()) else { continue };
            let magnitude = match number {
                Number::Integer(value) => value.abs(),
                Number::Float(value) => value.abs() as i128,
            };
            for value in (0..=2).filter(|value| *value < magnitude) {
                let mut launch = launch.clone();
                let value = Argument::Number(number_of(value, parameter.is_float));
                launch.arguments[at] = NamedArgument::new(&parameter.name, value);
                simpler.push(launch);
            }
        }
        simpler
    }
}

fn number_of(value: i128, is_float: bool) -> Number {
    if is_float { Number::Float(value as f64) } else { Number::Integer(value) }
}

/// Returns the sizes to try. Sub-groups are full, so that every lane exists.
fn sizes(executable: &Executable) -> Vec<Sizes> {
    let dimensions = dimensions(executable);
    let known_local = executable.known.work_group_size();
    let known_sub_group = executable.known.sub_group_size;
    let lanes: &[u32] = match known_sub_group {
        Some(_) => &[],
        None => &[4, 16, 32],
    };
    let lanes = known_sub_group.iter().chain(lanes);
    let mut sizes = Vec::new();
    for &sub_group in lanes {
        if let Some(local) = known_local {
            sizes.extend([1, 2].map(|groups| Sizes { local, groups, sub_group }));
            continue;
        }
        // Where the language fixes the size of a sub-group, a row of a block consists of whole sub-groups.
        let row = if known_sub_group.is_some() { sub_group } else { (sub_group / 2).max(1) };
        let shapes = [
            (1, [sub_group, 1, 1]),
            (1, [2 * sub_group, 1, 1]),
            (2, [row, 4, 1]),
            (3, [row, 2, 2]),
            (1, [8 * sub_group, 1, 1]),
        ];
        let shapes = shapes.into_iter().filter(|(least, _)| *least <= dimensions);
        sizes.extend(shapes.map(|(_, local)| Sizes { local, groups: 1, sub_group }));
        sizes.push(Sizes { local: [sub_group, 1, 1], groups: 2, sub_group });
    }
    sizes
}

/// Returns the number of dimensions whose indices a kernel and its callees use. A kernel that uses only the first one is
/// launched in one dimension.
fn dimensions(executable: &Executable) -> u32 {
    let mut dimensions = 1;
    for function in &executable.module.functions {
        for value in &function.values {
            let Op::Call(call) = &value.op else { continue };
            let builtin = call.callee.name().and_then(|name| executable.builtins.builtin(name));
            let is_index = builtin
                .is_some_and(|it| matches!(it.operation, Operation::Index(Index::Local | Index::Global)));
            let Some(&(mut dimension, _)) = call.arguments.first().filter(|_| is_index) else { continue };
            while let Op::Convert { operand, .. } = function.values[dimension].op {
                dimension = operand;
            }
            if let Op::Constant(Constant::Integer(number @ 0..3)) = function.values[dimension].op {
                dimensions = dimensions.max(number as u32 + 1);
            }
        }
    }
    dimensions
}

/// Whether a kernel or its callees have memory that a work-group shares.
fn uses_local_memory(executable: &Executable) -> bool {
    let is_local = |ty: Ty| ty.as_pointer().is_some_and(|pointer| pointer.space == AddressSpace::Local);
    executable.parameters().any(|(_, ty)| is_local(ty))
        || executable
            .module
            .functions
            .iter()
            .flat_map(|it| &it.values)
            .any(|value| matches!(value.op, Op::Global(_)) && is_local(value.ty))
}

/// Returns the integer constants of a module.
fn constants(module: &Module) -> Vec<i128> {
    let values = module.functions.iter().flat_map(|function| &function.values);
    let constants = values.filter_map(|value| match &value.op {
        Op::Constant(Constant::Integer(number)) if number.unsigned_abs() < 1 << 24 => Some(*number),
        _ => None,
    });
    let all: BTreeSet<i128> = constants.collect();
    let mut all: Vec<i128> = all.into_iter().collect();
    all.sort_by_key(|number| number.abs());
    all.truncate(MAX_CONSTANTS);
    all
}
