//! Groups of threads.

use serde::Deserialize;

/// The group of threads that takes part in an operation. Scopes are ordered: a larger group is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Each thread alone.
    None,
    /// The threads that execute one instruction in lockstep: a subgroup, warp or wavefront.
    Subgroup,
    /// The threads that share local memory: a work-group or block.
    Workgroup,
    /// Work-groups that run at the same time and can access each other's local memory. In a language without clusters,
    /// each work-group is its own cluster.
    Cluster,
    /// All threads of a launch.
    Grid,
}

impl Scope {
    /// Returns the name in tables and in output.
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
