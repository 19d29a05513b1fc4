//! The threads of a launch: work-groups, subgroups in them, and who is where.

use tangle::dialect::Scope;

use crate::random::Random;

#[derive(Clone, Debug)]
pub struct Grid {
    /// Work-groups stand in a row.
    groups: usize,
    pub local: [usize; 3],
    pub subgroup: usize,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub group: usize,
    pub local: [usize; 3],
    /// In the work-group.
    pub linear: usize,
    pub subgroup: usize,
    pub lane: usize,
}

impl Grid {
    /// 8 to 32 threads, or as many as the kernel asks for.
    pub fn random(random: &mut Random, asked: Option<[u32; 3]>) -> Grid {
        let shapes = [[4, 1, 1], [8, 1, 1], [16, 1, 1], [4, 2, 1], [8, 2, 1], [2, 4, 1], [2, 2, 2]];
        let local = match asked {
            Some(local) => local.map(|size| size as usize),
            None => *random.pick(&shapes),
        };
        Grid { groups: 2, local, subgroup: *random.pick(&[2, 4, 4, 8]) }
    }

    pub fn groups(&self) -> usize {
        self.groups
    }

    pub fn of_group(&self) -> usize {
        self.local.iter().product()
    }

    pub fn threads(&self) -> usize {
        self.groups * self.of_group()
    }

    pub fn place(&self, thread: usize) -> Place {
        let linear = thread % self.of_group();
        let [x, y, _] = self.local;
        Place {
            group: thread / self.of_group(),
            local: [linear % x, linear / x % y, linear / x / y],
            linear,
            subgroup: linear / self.subgroup,
            lane: linear % self.subgroup,
        }
    }

    pub fn subgroups(&self) -> usize {
        self.of_group().div_ceil(self.subgroup)
    }

    /// The threads of a place's subgroup: the last may be smaller.
    pub fn of_subgroup(&self, place: &Place) -> usize {
        self.subgroup.min(self.of_group() - place.subgroup * self.subgroup)
    }

    /// Threads of one group of the scope have the same number.
    pub fn group_of(&self, place: &Place, scope: Scope) -> usize {
        match scope {
            Scope::None => place.group * self.of_group() + place.linear,
            Scope::Subgroup => place.group * self.subgroups() + place.subgroup,
            Scope::Workgroup => place.group,
            Scope::Grid => 0,
        }
    }
}
