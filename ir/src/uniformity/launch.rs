//! What is known of each launch of a kernel.

/// What is known of each launch in which a function runs. Sizes hold for every work-group: none is smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Threads of a work-group by dimension, each at least 1. None: not known.
    pub local_size: [Option<u32>; 3],
    /// Threads of a sub-group, at least 1. Sub-groups are consecutive threads of a work-group, the first dimension first; all are full but for the
    /// last one.
    pub sub_group_size: Option<u32>,
    /// The number of threads of the grid in its first dimension is a multiple of this, at least 1.
    pub global_multiple_of: Option<u32>,
    /// The size of a work-group in its first dimension is a multiple of that of a sub-group, if it is not known: each row is whole sub-groups.
    pub whole_rows: bool,
    /// A loop that begins at the local id steps over all threads of a work-group: these are no more than its step. And work-groups have one dimension where
    /// a function asks for no other.
    pub whole_strides: bool,
}

impl Launch {
    /// Sizes of a work-group of which some may be left out at the end: these are 1. None: there are none, too many, or one is 0.
    pub fn sizes(written: &[u32]) -> Option<[Option<u32>; 3]> {
        let all_are_sizes = (1..=3).contains(&written.len()) && !written.contains(&0);
        all_are_sizes.then(|| std::array::from_fn(|at| Some(written.get(at).copied().unwrap_or(1))))
    }

    /// The size of a work-group, if all of it is known.
    pub fn work_group_size(&self) -> Option<[u32; 3]> {
        let [x, y, z] = self.local_size;
        Some([x?, y?, z?])
    }

    /// Whether each work-group is one sub-group.
    pub fn is_one_sub_group(&self) -> bool {
        let threads = self.local_size.iter().try_fold(1_u64, |all, &size| all.checked_mul(size?.into()));
        matches!((threads, self.sub_group_size), (Some(threads), Some(size)) if threads <= size.into())
    }

    /// What is known of a launch of which something else is known as well, which this goes before.
    #[must_use]
    pub fn over(self, other: Launch) -> Launch {
        Launch {
            local_size: std::array::from_fn(|at| self.local_size[at].or(other.local_size[at])),
            sub_group_size: self.sub_group_size.or(other.sub_group_size),
            global_multiple_of: self.global_multiple_of.or(other.global_multiple_of),
            whole_rows: self.whole_rows || other.whole_rows,
            whole_strides: self.whole_strides || other.whole_strides,
        }
    }

    /// What is known of a function that runs in launches of both.
    #[must_use]
    pub fn join(self, other: Launch) -> Launch {
        let same = |a: Option<u32>, b: Option<u32>| a.filter(|_| a == b);
        Launch {
            local_size: std::array::from_fn(|at| same(self.local_size[at], other.local_size[at])),
            sub_group_size: same(self.sub_group_size, other.sub_group_size),
            global_multiple_of: same(self.global_multiple_of, other.global_multiple_of),
            whole_rows: self.whole_rows && other.whole_rows,
            whole_strides: self.whole_strides && other.whole_strides,
        }
    }
}
