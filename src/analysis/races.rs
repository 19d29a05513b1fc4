//! The races inside warps of the kernels of a unit ([`tangle_ir::warp_races`]).
//!
//! A kernel is executed with the functions that it calls. The result is cached until one of these functions changes.
//! **Block size**: if the launches of a kernel do not determine it, we assume 256 threads, in the dimensions whose ids the
//! kernel uses: `[256, 1, 1]`; `[1, 256, 1]` for `threadIdx.y` alone; rows of a whole warp for several dimensions.
//!
//! Only kernels that use shared memory or operations of the warp are executed, in languages whose lanes do not run in step.

use rustc_hash::FxHashMap;
use tangle_ir::key::FunctionKey;
use tangle_ir::operation::{Index, Operation};
use tangle_ir::value::Constant;
use tangle_ir::warp_races::{self, BuiltinCall, KernelInputs, NumberedFunction, Race};

use crate::flow::skeletons::{Irreducible, skeletons};
use crate::flow::{Callee, Function, Op};
use crate::program::graph::{CallGraph, call_graph};
use crate::program::launches::launches;
use crate::program::{CallTarget, DefinitionId, Functions, functions};
use tangle_grammar::ast::AddressSpace;
use tangle_hir::scope::Scoped;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::{Builtins, ResultUniformity, Scope};
use tangle_syntax::items::{LaunchSite, launches as host_launches, unit};
use tangle_syntax::source::{Settings, SourceFile};

/// The number of threads of a block whose size is unknown.
const ASSUMED_THREADS: u32 = 256;

/// The limit on functions that are executed with a kernel.
const MAX_FUNCTIONS: usize = 256;

/// The races of a kernel.
#[derive(Clone, Debug)]
pub struct KernelRaces<'db> {
    pub kernel: DefinitionId,
    /// The functions that the places of the races number.
    pub functions: Vec<DefinitionId>,
    pub races: &'db [Race],
    pub block: BlockSize,
}

/// The number of threads of a block in each dimension, by its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockSize {
    /// From an attribute, a comment or a setting.
    Known([u32; 3]),
    /// From a launch by host code of the unit. Other launches may have another size.
    Launched([u32; 3]),
    /// Neither is known.
    Assumed([u32; 3]),
}

impl BlockSize {
    /// Returns the numbers.
    pub fn threads(self) -> [u32; 3] {
        match self {
            BlockSize::Known(size) | BlockSize::Launched(size) | BlockSize::Assumed(size) => size,
        }
    }
}

/// A kernel with the functions that it calls, directly or indirectly.
#[salsa::interned(debug)]
struct Executed<'db> {
    /// The kernel first.
    #[returns(ref)]
    functions: Vec<ExecutedFunction<'db>>,
    #[returns(copy)]
    settings: Settings,
    #[returns(copy)]
    local_size: [u32; 3],
}

/// A function that is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, salsa::SalsaValue)]
struct ExecutedFunction<'db> {
    key: FunctionKey,
    scoped: Scoped<'db>,
    /// The number of its body in the item.
    body: u32,
}

/// The value of [`found`].
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
struct Races(Box<[Race]>);

/// Returns the races of the kernels of a unit, in source order. Kernels without races are omitted.
pub fn races(db: &dyn Db, file: SourceFile, settings: Settings) -> Vec<KernelRaces<'_>> {
    if !settings.masks_name_threads(db) {
        return Vec::new();
    }
    let functions = functions(db, file, settings);
    let (graph, launches) = (call_graph(db, file, settings), launches(db, file, settings));
    let builtins = settings.builtins(db);
    let sites = host_launches(unit(db, file, settings));
    let kernels = functions.iter().filter(|(_, definition)| definition.kernel && !definition.replaced);
    let of_kernel = |(kernel, _)| {
        let reached = reached(graph, kernel);
        let bodies: Vec<&Function> = reached.iter().filter_map(|&at| body_of(db, functions, at)).collect();
        if bodies.len() != reached.len() || !bodies.iter().any(|body| communicates(body, builtins)) {
            return None;
        }
        let block = match launches.of(kernel).work_group_size() {
            Some(size) => BlockSize::Known(size),
            None => match launched_size(&sites, functions.get(kernel).key.name.as_str()) {
                Some(size) => BlockSize::Launched(size),
                None => BlockSize::Assumed(assumed_size(&bodies, builtins)),
            },
        };
        let executed: Vec<ExecutedFunction> = reached
            .iter()
            .map(|&at| {
                let definition = functions.get(at);
                ExecutedFunction {
                    key: definition.key,
                    scoped: definition.item.scoped,
                    body: definition.body,
                }
            })
            .collect();
        let races = &found(db, Executed::new(db, executed, settings, block.threads())).0;
        (!races.is_empty()).then_some(KernelRaces { kernel, functions: reached, races, block })
    };
    kernels.filter_map(of_kernel).collect()
}

#[salsa::tracked]
fn found<'db>(db: &'db dyn Db, executed: Executed<'db>) -> Races {
    let builtins = executed.settings(db).builtins(db);
    let all: Vec<(FunctionKey, &Function)> = executed
        .functions(db)
        .iter()
        .filter_map(|&ExecutedFunction { key, scoped, body }| {
            let skeleton = skeletons(db, scoped, Irreducible::Anchor).0.get(body as usize)?;
            Some((key, &skeleton.as_ref()?.function))
        })
        .collect();
    let by_key: FxHashMap<FunctionKey, u32> = all.iter().map(|(key, _)| *key).zip(0..).collect();
    let called = |callee: &Callee| {
        let key = match CallTarget::of(callee) {
            CallTarget::Function(key) => match by_key.contains_key(&key) {
                true => key,
                false => key.template(),
            },
            CallTarget::Builtin(name) => FunctionKey::plain(name),
            CallTarget::Pointer | CallTarget::Unresolved(_) | CallTarget::Unknown => return None,
        };
        let number = *by_key.get(&key)?;
        Some(NumberedFunction { number, function: all[number as usize].1 })
    };
    let builtin = |callee: &Callee| {
        let name = callee.row()?;
        let row = builtins.get(name)?;
        Some(BuiltinCall {
            operation: builtins.operation(name)?,
            scope: row.scope,
            convergent: row.convergent,
            divergent: row.result == Some(ResultUniformity::Divergent),
            mask: row.mask.map(|argument| argument.0),
        })
    };
    let Some(&(_, kernel)) = all.first() else { return Races(Box::default()) };
    let inputs = KernelInputs {
        kernel: NumberedFunction { number: 0, function: kernel },
        called: &called,
        builtin: &builtin,
        local_size: executed.local_size(db),
    };
    Races(warp_races::races(&inputs).into())
}

/// Returns a kernel and the functions that it calls, directly or indirectly, the kernel first.
fn reached(graph: &CallGraph, kernel: DefinitionId) -> Vec<DefinitionId> {
    let mut reached = vec![kernel];
    let mut next = 0;
    while let Some(&at) = reached.get(next).filter(|_| reached.len() < MAX_FUNCTIONS) {
        next += 1;
        for &callee in graph.callees(at) {
            if !reached.contains(&callee) {
                reached.push(callee);
            }
        }
    }
    reached
}

fn body_of<'db>(db: &'db dyn Db, functions: &Functions<'db>, at: DefinitionId) -> Option<&'db Function> {
    let definition = functions.get(at);
    let skeletons = skeletons(db, definition.item.scoped, Irreducible::Anchor);
    Some(&skeletons.0.get(definition.body as usize)?.as_ref()?.function)
}

/// Whether a function uses shared memory, or an operation of the warp.
fn communicates(function: &Function, builtins: &Builtins) -> bool {
    function.values.iter().any(|value| match &value.op {
        Op::Global(_) => value.ty.as_pointer().is_some_and(|pointer| pointer.space == AddressSpace::Local),
        Op::Call(call) => {
            let row = call.callee.row().and_then(|name| builtins.get(name));
            row.is_some_and(|row| row.convergent && row.scope == Scope::Subgroup)
        }
        _ => false,
    })
}

/// Returns the size of the block in the first launch of a kernel that has a known one.
fn launched_size(sites: &[LaunchSite], kernel: &str) -> Option<[u32; 3]> {
    let name = kernel.rsplit("::").next();
    let of_kernel = sites
        .iter()
        .map(LaunchSite::launch)
        .filter(|launch| launch.kernel.last().is_some_and(|last| Some(last.text.as_str()) == name));
    of_kernel.filter_map(|launch| launch.block).find(|size| !size.contains(&0))
}

/// Returns the size that we assume for a block, by the dimensions whose ids the functions use.
fn assumed_size(functions: &[&Function], builtins: &Builtins) -> [u32; 3] {
    let mut uses = [false; 3];
    for function in functions {
        for value in &function.values {
            let Op::Call(call) = &value.op else { continue };
            let operation = call.callee.row().and_then(|name| builtins.operation(name));
            let Some(Operation::Index(index)) = operation else { continue };
            let dimension =
                match (index, call.arguments.first().map(|(value, _)| &function.values[*value].op)) {
                    (Index::Local | Index::Global, Some(Op::Constant(Constant::Integer(dimension)))) => {
                        *dimension
                    }
                    (Index::LocalLinear | Index::Launch | Index::GlobalLinear, _) => 0,
                    _ => continue,
                };
            if let Some(uses) = usize::try_from(dimension).ok().and_then(|dimension| uses.get_mut(dimension))
            {
                *uses = true;
            }
        }
    }
    match uses {
        [false, true, _] => [1, ASSUMED_THREADS, 1],
        [true, true, _] => [32, ASSUMED_THREADS / 32, 1],
        [true, false, true] => [32, 1, ASSUMED_THREADS / 32],
        _ => [ASSUMED_THREADS, 1, 1],
    }
}
