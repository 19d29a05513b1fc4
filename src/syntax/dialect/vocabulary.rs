//! The words of a language for threads, their groups and memory.
//!
//! Every sentence for users is built with the vocabulary of the file's language; no finished sentence is rewritten.
//!
//! ```text
//! OpenCL C   work-item   work-group   sub-group   NDRange   local memory
//! CUDA       thread      block        warp        grid      shared memory
//! HIP        thread      block        wavefront   grid      shared memory
//! ```

use serde::Deserialize;
use tangle_grammar::ast::AddressSpace;

use super::Scope;

/// The words of a language. All nouns are in the singular and form their plural with `s`. The default words are those
/// of OpenCL C.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Vocabulary {
    /// One thread.
    pub thread: String,
    /// The threads that share memory and barriers.
    pub workgroup: String,
    /// The threads that run in lockstep.
    pub subgroup: String,
    /// The whole launch.
    pub grid: String,
    /// The memory that a work-group shares: `local`, `shared`.
    pub local: String,
    /// A call of the barrier of the work-group, as code.
    pub barrier: String,
    /// The number of a thread in its work-group in each dimension, as code.
    pub local_ids: [String; 3],
    /// The keyword of a kernel's declaration.
    pub kernel_keyword: String,
    /// The keyword of a variable in the memory of the work-group.
    pub local_keyword: String,
    /// The keyword of a variable in global memory.
    pub global_keyword: String,
    /// The keyword of a variable in constant memory.
    pub constant_keyword: String,
    /// The prefix of the names of sub-group operations, and the prefix of their variants for divergent control flow.
    pub divergent_variant: Option<(String, String)>,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        let word = str::to_owned;
        Vocabulary {
            thread: word("work-item"),
            workgroup: word("work-group"),
            subgroup: word("sub-group"),
            grid: word("NDRange"),
            local: word("local"),
            barrier: word("barrier(CLK_LOCAL_MEM_FENCE)"),
            local_ids: ["get_local_id(0)", "get_local_id(1)", "get_local_id(2)"].map(word),
            kernel_keyword: word("kernel"),
            local_keyword: word("local"),
            global_keyword: word("global"),
            constant_keyword: word("constant"),
            divergent_variant: None,
        }
    }
}

impl Vocabulary {
    /// The plural of `thread`.
    pub fn threads(&self) -> String {
        format!("{}s", self.thread)
    }

    /// The word for the group of a scope. The scope `None` is a single thread.
    pub fn group(&self, scope: Scope) -> &str {
        match scope {
            Scope::None => &self.thread,
            Scope::Subgroup => &self.subgroup,
            Scope::Workgroup => &self.workgroup,
            Scope::Cluster => "cluster",
            Scope::Grid => &self.grid,
        }
    }

    /// An adjective for memory that several threads can access. `None` for the memory of one thread, and if the
    /// address space is unknown.
    pub fn memory(&self, space: AddressSpace) -> Option<&str> {
        match space {
            AddressSpace::Local => Some(&self.local),
            AddressSpace::Global => Some("global"),
            AddressSpace::Constant => Some("constant"),
            AddressSpace::Private | AddressSpace::Generic => None,
        }
    }

    /// The keyword that places a variable in an address space. `None` if the language has or needs no keyword.
    pub fn keyword(&self, space: AddressSpace) -> Option<&str> {
        match space {
            AddressSpace::Local => Some(&self.local_keyword),
            AddressSpace::Global => Some(&self.global_keyword),
            AddressSpace::Constant => Some(&self.constant_keyword),
            AddressSpace::Private | AddressSpace::Generic => None,
        }
    }
}
