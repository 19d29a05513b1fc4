//! The known launch sizes of each function, from attributes of kernels, from comments and from settings.
//!
//! A kernel runs in its own launches and in the launches of its callers. Any other function runs in the launches of its
//! callers. A size is known for a function if it is the same in all these launches. A block literal may run in any
//! launch.
//!
//! ```c
//! int of_two(void);                                                       // 64 threads in the first dimension
//! kernel __attribute__((reqd_work_group_size(64, 1, 1))) void a(void);    // calls `of_two`
//! kernel __attribute__((reqd_work_group_size(64, 2, 1))) void b(void);    // calls `of_two`
//! ```

use index_vec::IndexVec;
use tangle_ir::uniformity::Launch;

use super::graph::call_graph;
use super::{Definition, DefinitionId, functions};
use tangle_grammar::lexicon::Grammar;
use tangle_hir::launch_comments::launch_comments;
use tangle_syntax::db::Db;
use tangle_syntax::source::{Settings, SourceFile};

/// The known sizes of the launches of each function of a unit.
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Launches {
    /// For functions that no kernel of the unit reaches, and for all functions if `own` is empty.
    default: Launch,
    /// By definition. Empty if all functions have the same launches.
    own: IndexVec<DefinitionId, Launch>,
}

impl Launches {
    pub fn of(&self, at: DefinitionId) -> Launch {
        self.own.get(at).copied().unwrap_or(self.default)
    }
}

/// Computes the known sizes of the launches of the functions of a unit.
#[salsa::tracked(lru = 16)]
pub fn launches(db: &dyn Db, file: SourceFile, settings: Settings) -> Launches {
    let default = settings.launch(db);
    let functions = functions(db, file, settings);
    // A block literal can be enqueued with another launch. A lambda runs in the launch of its caller.
    let is_cpp = settings.dialect(db).lexicon().grammar() == Grammar::Cpp;
    let is_enqueued = |definition: &Definition| definition.block && !is_cpp;
    let is_plain = |definition: &Definition| {
        let own = definition.launch == Launch::default();
        own && (!is_enqueued(definition) || default == Launch::default())
    };
    let declared = launch_comments(db, file, settings);
    if declared.is_empty() && functions.iter().all(|(_, definition)| is_plain(definition)) {
        return Launches { default, own: IndexVec::new() };
    }
    let graph = call_graph(db, file, settings);
    // None: no launch found so far runs the function.
    let mut known: IndexVec<DefinitionId, Option<Launch>> =
        functions.with_instances().map(|_| None).collect();
    for group in graph.callers_first() {
        let of_kernel = |&member: &DefinitionId| {
            let definition = functions.get(member);
            if is_enqueued(definition) {
                return Some(Launch::default());
            }
            let is_launched = definition.kernel && !definition.replaced;
            let declared = declared.get(&definition.key.template()).copied().unwrap_or_default();
            is_launched.then(|| definition.launch.over(declared).over(default))
        };
        let kernels = group.iter().filter_map(of_kernel);
        let callers =
            group.iter().flat_map(|&member| graph.callers(member)).filter_map(|&caller| known[caller]);
        let all = kernels.chain(callers).reduce(Launch::join);
        group.iter().for_each(|&member| known[member] = all);
    }
    Launches { default, own: known.into_iter().map(|launch| launch.unwrap_or(default)).collect() }
}
