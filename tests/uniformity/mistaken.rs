//! An analysis that is mistaken about ids or launches: executions contradict each mistake.

use tangle::dialect::opencl;
use tangle::flow::shape::Shape;
use tangle::flow::{Callee, Function, Module};
use tangle::uniformity::analysis::{Analysis, Effect, Environment};
use tangle::uniformity::effect::effect;
use tangle::uniformity::{Index, Launch};

use crate::claims::Claims;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The global id is taken for the local id.
    GlobalIsLocal,
    /// The number in the sub-group is taken for the local id.
    LaneIsLocal,
    /// The local ids as one number are taken for the local id.
    LinearIsLocal,
    /// Work-groups are taken to have half the threads.
    HalfAGroup,
    /// Sub-groups are taken to have twice the threads.
    TwiceASubGroup,
    /// Sub-groups are taken to have half the threads.
    HalfASubGroup,
    /// Each work-group is taken for one sub-group.
    OneSubGroup,
}

impl Mistake {
    pub const ALL: [Mistake; 7] = [
        Mistake::GlobalIsLocal,
        Mistake::LaneIsLocal,
        Mistake::LinearIsLocal,
        Mistake::HalfAGroup,
        Mistake::TwiceASubGroup,
        Mistake::HalfASubGroup,
        Mistake::OneSubGroup,
    ];

    fn of_index(self, index: Index) -> Index {
        match (self, index) {
            (Mistake::GlobalIsLocal, Index::Global) => Index::Local,
            (Mistake::LaneIsLocal, Index::Lane) => Index::Local,
            (Mistake::LinearIsLocal, Index::LocalLinear) => Index::Local,
            _ => index,
        }
    }

    fn of_launch(self, launch: Launch) -> Launch {
        let Launch { local_size: [x, y, z], sub_group_size, .. } = launch;
        match self {
            Mistake::HalfAGroup => Launch { local_size: [x.map(|x| x.div_ceil(2)), y, z], ..launch },
            Mistake::TwiceASubGroup => {
                Launch { sub_group_size: sub_group_size.map(|size| size * 2), ..launch }
            }
            Mistake::HalfASubGroup => {
                Launch { sub_group_size: sub_group_size.map(|size| size / 2), ..launch }
            }
            Mistake::OneSubGroup => Launch { sub_group_size: Some(1 << 20), ..launch },
            _ => launch,
        }
    }
}

/// What the analysis says of the kernels of a module, with a mistake or without; nothing of other functions.
pub fn claims(module: &Module, mistake: Option<Mistake>) -> Vec<Claims> {
    let builtin = |callee: &Callee| {
        let effect = effect(opencl().builtins(), callee)?;
        let mistaken = |index: Index| mistake.map_or(index, |mistake| mistake.of_index(index));
        Some(Effect { index: effect.index.map(mistaken), ..effect })
    };
    let of = |function: &Function| {
        if !function.kernel {
            return Claims::all(function, crate::claims::Scopes::NONE);
        }
        let launch = Launch {
            local_size: function.work_group_size.map_or([None; 3], |size| size.map(Some)),
            sub_group_size: function.sub_group_size,
            global_multiple_of: None,
        };
        // What is not a builtin may do anything.
        let launch = mistake.map_or(launch, |mistake| mistake.of_launch(launch));
        let environment = Environment { doubts: true, launch, ..Environment::of(&builtin) };
        Claims::from(&Analysis::of(function, Shape::of(function), &environment).result())
    };
    module.functions.iter().map(of).collect()
}
