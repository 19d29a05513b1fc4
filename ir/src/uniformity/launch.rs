//! The known properties of the launches of a kernel.

/// The known properties of all launches that run a function. Sizes hold for every work-group: no work-group is partial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Launch {
    /// The number of threads of a work-group in each dimension, each at least 1. `None`: unknown.
    pub local_size: [Option<u32>; 3],
    /// The number of threads of a sub-group, at least 1. A sub-group consists of consecutive threads of a work-group,
    /// with the first dimension varying fastest. All sub-groups are full, except the last one.
    pub sub_group_size: Option<u32>,
    /// A divisor of the number of threads of the grid in its first dimension, at least 1.
    pub global_multiple_of: Option<u32>,
    /// Whether we assume that the sub-group size divides an unknown work-group size in the first dimension: each row
    /// consists of whole sub-groups.
    pub rows_are_whole_sub_groups: bool,
    /// Whether we assume that a loop that begins at the local id steps over all threads of the work-group: there are no
    /// more threads than its step. We also assume that work-groups have one dimension if a function queries no other.
    pub strides_cover_work_group: bool,
}

impl Launch {
    /// Completes a list of work-group sizes: omitted sizes at the end are 1. `None` if the list is empty or has more
    /// than three sizes, or if a size is 0.
    pub fn sizes(written: &[u32]) -> Option<[Option<u32>; 3]> {
        let all_are_sizes = (1..=3).contains(&written.len()) && !written.contains(&0);
        all_are_sizes.then(|| std::array::from_fn(|at| Some(written.get(at).copied().unwrap_or(1))))
    }

    /// Returns the size of a work-group, if it is known in all dimensions.
    pub fn work_group_size(&self) -> Option<[u32; 3]> {
        let [x, y, z] = self.local_size;
        Some([x?, y?, z?])
    }

    /// Whether each work-group has only one sub-group.
    pub fn is_one_sub_group(&self) -> bool {
        let threads = self.local_size.iter().try_fold(1_u64, |all, &size| all.checked_mul(size?.into()));
        matches!((threads, self.sub_group_size), (Some(threads), Some(size)) if threads <= size.into())
    }

    /// Adds the properties from another source. Those of `self` take precedence.
    #[must_use]
    pub fn over(self, other: Launch) -> Launch {
        Launch {
            local_size: std::array::from_fn(|at| self.local_size[at].or(other.local_size[at])),
            sub_group_size: self.sub_group_size.or(other.sub_group_size),
            global_multiple_of: self.global_multiple_of.or(other.global_multiple_of),
            rows_are_whole_sub_groups: self.rows_are_whole_sub_groups || other.rows_are_whole_sub_groups,
            strides_cover_work_group: self.strides_cover_work_group || other.strides_cover_work_group,
        }
    }

    /// Returns the properties that both have, for a function that runs in the launches of both.
    #[must_use]
    pub fn join(self, other: Launch) -> Launch {
        let same = |a: Option<u32>, b: Option<u32>| a.filter(|_| a == b);
        Launch {
            local_size: std::array::from_fn(|at| same(self.local_size[at], other.local_size[at])),
            sub_group_size: same(self.sub_group_size, other.sub_group_size),
            global_multiple_of: same(self.global_multiple_of, other.global_multiple_of),
            rows_are_whole_sub_groups: self.rows_are_whole_sub_groups && other.rows_are_whole_sub_groups,
            strides_cover_work_group: self.strides_cover_work_group && other.strides_cover_work_group,
        }
    }
}
