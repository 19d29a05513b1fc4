//! The address spaces of memory, and the access qualifiers of images.

/// The address space of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Shared by all threads of a launch.
    Global,
    /// Shared by the threads of one work-group.
    Local,
    /// Shared by all threads of a launch, and never written.
    Constant,
    /// Private to each thread.
    Private,
    /// Global, local or private: unknown for this pointer.
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

/// The permitted accesses of a kernel to an image or a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `read_only`, or no qualifier.
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
