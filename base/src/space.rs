//! Which memory a pointer points into, and what may be done with an image.

/// The memory that something lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// One for all threads of a launch.
    Global,
    /// One for each work-group.
    Local,
    /// One for all threads of a launch, and never written.
    Constant,
    /// One for each thread.
    Private,
    /// Global, local or private: a pointer that does not say.
    Generic,
}

impl AddressSpace {
    /// Every address space.
    pub const ALL: [AddressSpace; 5] = [
        AddressSpace::Global,
        AddressSpace::Local,
        AddressSpace::Constant,
        AddressSpace::Private,
        AddressSpace::Generic,
    ];
}

/// What a kernel may do with an image or a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `read_only`, also where nothing is said.
    ReadOnly,
    /// `write_only`
    WriteOnly,
    /// `read_write`
    ReadWrite,
}

impl Access {
    /// Every access.
    pub const ALL: [Access; 3] = [Access::ReadOnly, Access::WriteOnly, Access::ReadWrite];
}
