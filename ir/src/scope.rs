//! Groups of threads.

use serde::Deserialize;

/// The group of threads that takes part in an operation. Ordered: a larger group is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Each thread for itself.
    None,
    /// The threads that one instruction is executed for: a subgroup, warp or wave.
    Subgroup,
    /// The threads that share local memory: a work-group or block.
    Workgroup,
    /// Several work-groups that run at the same time and see each other's local memory. Where a language has none, each work-group is one.
    Cluster,
    /// All threads of a launch.
    Grid,
}

impl Scope {
    /// The name in tables and in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::None => "none",
            Scope::Subgroup => "subgroup",
            Scope::Workgroup => "workgroup",
            Scope::Cluster => "cluster",
            Scope::Grid => "grid",
        }
    }
}
