//! The threads of a launch: their work-groups and sub-groups, and the position of each thread.

use tangle_ir::scope::Scope;

/// The division of the threads of a launch into groups. Threads are numbered work-group by work-group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    groups: usize,
    local: [usize; 3],
    sub_group: usize,
}

/// The position of a thread in the launch. All numbers count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPosition {
    /// The number of the work-group.
    pub group: usize,
    /// The index in the work-group, in each dimension.
    pub local: [usize; 3],
    /// The index in the work-group, over all dimensions.
    pub linear: usize,
    /// The number of the sub-group in the work-group.
    pub sub_group: usize,
    /// The index in the sub-group.
    pub lane: usize,
}

impl Grid {
    /// Creates a grid of `groups` work-groups in the first dimension. `local` is the size of a work-group, and
    /// `sub_group` the number of threads in a sub-group.
    pub fn new(groups: usize, local: [usize; 3], sub_group: usize) -> Grid {
        Grid { groups, local, sub_group }
    }

    /// The number of work-groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of threads of a work-group, in each dimension.
    pub fn local(&self) -> [usize; 3] {
        self.local
    }

    /// The number of threads of a sub-group. The last one of a work-group may have fewer.
    pub fn sub_group(&self) -> usize {
        self.sub_group
    }

    /// The number of threads of a work-group.
    pub fn threads_per_group(&self) -> usize {
        self.local.iter().product()
    }

    /// The number of threads of the launch.
    pub fn threads(&self) -> usize {
        self.groups * self.threads_per_group()
    }

    /// The position of the thread with this number.
    pub fn place(&self, thread: usize) -> ThreadPosition {
        let linear = thread % self.threads_per_group();
        let [x, y, _] = self.local;
        ThreadPosition {
            group: thread / self.threads_per_group(),
            local: [linear % x, linear / x % y, linear / x / y],
            linear,
            sub_group: linear / self.sub_group,
            lane: linear % self.sub_group,
        }
    }

    /// The number of sub-groups of a work-group.
    pub fn sub_groups(&self) -> usize {
        self.threads_per_group().div_ceil(self.sub_group)
    }

    /// The number of threads of the sub-group of a position. The last sub-group of a work-group may be smaller.
    pub fn of_sub_group(&self, place: &ThreadPosition) -> usize {
        self.sub_group.min(self.threads_per_group() - place.sub_group * self.sub_group)
    }

    /// The number of the group of a scope that contains a position. It is the same for all threads of the group.
    pub fn group_of(&self, place: &ThreadPosition, scope: Scope) -> usize {
        match scope {
            Scope::None => place.group * self.threads_per_group() + place.linear,
            Scope::Subgroup => place.group * self.sub_groups() + place.sub_group,
            // A cluster counts as one work-group.
            Scope::Workgroup | Scope::Cluster => place.group,
            Scope::Grid => 0,
        }
    }

    /// The numbers of the threads of a group, which has the number that [`group_of`](Grid::group_of) returns.
    pub fn members(&self, scope: Scope, group: usize) -> std::ops::Range<usize> {
        let of_group = self.threads_per_group();
        match scope {
            Scope::None => group..group + 1,
            Scope::Subgroup => {
                let first = group / self.sub_groups() * of_group;
                let begin = group % self.sub_groups() * self.sub_group;
                first + begin..first + (begin + self.sub_group).min(of_group)
            }
            Scope::Workgroup | Scope::Cluster => group * of_group..(group + 1) * of_group,
            Scope::Grid => 0..self.threads(),
        }
    }
}
