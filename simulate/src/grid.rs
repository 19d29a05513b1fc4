//! The threads of a launch: work-groups, sub-groups in them, and who is where.

use tangle_ir::scope::Scope;

/// How the threads of a launch are grouped. Threads are numbered work-group by work-group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    groups: usize,
    local: [usize; 3],
    sub_group: usize,
}

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The work-group.
    pub group: usize,
    /// In the work-group, for each direction.
    pub local: [usize; 3],
    /// In the work-group.
    pub linear: usize,
    /// The sub-group, in the work-group.
    pub sub_group: usize,
    /// In the sub-group.
    pub lane: usize,
}

impl Grid {
    /// So many work-groups in a row, of this size, in sub-groups of this size.
    pub fn new(groups: usize, local: [usize; 3], sub_group: usize) -> Grid {
        Grid { groups, local, sub_group }
    }

    /// Work-groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Threads of a work-group in each direction.
    pub fn local(&self) -> [usize; 3] {
        self.local
    }

    /// Threads of a sub-group that is not the last.
    pub fn sub_group(&self) -> usize {
        self.sub_group
    }

    /// Threads of a work-group.
    pub fn of_group(&self) -> usize {
        self.local.iter().product()
    }

    /// All threads.
    pub fn threads(&self) -> usize {
        self.groups * self.of_group()
    }

    /// Where the thread of a number stands.
    pub fn place(&self, thread: usize) -> Place {
        let linear = thread % self.of_group();
        let [x, y, _] = self.local;
        Place {
            group: thread / self.of_group(),
            local: [linear % x, linear / x % y, linear / x / y],
            linear,
            sub_group: linear / self.sub_group,
            lane: linear % self.sub_group,
        }
    }

    /// Sub-groups of a work-group.
    pub fn sub_groups(&self) -> usize {
        self.of_group().div_ceil(self.sub_group)
    }

    /// The threads of a place's sub-group: the last may be smaller.
    pub fn of_sub_group(&self, place: &Place) -> usize {
        self.sub_group.min(self.of_group() - place.sub_group * self.sub_group)
    }

    /// Threads of one group of the scope have the same number.
    pub fn group_of(&self, place: &Place, scope: Scope) -> usize {
        match scope {
            Scope::None => place.group * self.of_group() + place.linear,
            Scope::Subgroup => place.group * self.sub_groups() + place.sub_group,
            // No language that is run has clusters.
            Scope::Workgroup | Scope::Cluster => place.group,
            Scope::Grid => 0,
        }
    }

    /// The threads of a group of a scope.
    pub fn members(&self, scope: Scope, group: usize) -> std::ops::Range<usize> {
        let of_group = self.of_group();
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
