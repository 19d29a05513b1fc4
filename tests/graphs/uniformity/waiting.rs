//! Analyses with a mistake about helpers that contain barriers. Executions must contradict each mistake.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_analysis::flow::{Call, Callee, Function, Module, Op};
use tangle_analysis::program::{CallTarget, FunctionKey};
use tangle_analysis::uniformity::barriers::analyse;
use tangle_analysis::uniformity::context::{AnalysisInputs, CalleeFacts, Context};
use tangle_analysis::uniformity::memory::Memory;
use tangle_analysis::uniformity::paths::Direction;
use tangle_analysis::uniformity::waits::{unseparated_writes, waits, waits_at};
use tangle_analysis::uniformity::{Launch, Summary, Writes, WritesAroundBarriers};
use tangle_base::Symbol;
use tangle_syntax::db::Database;
use tangle_syntax::source::Settings;

use super::claims::Claims;
use tangle_syntax::source::NoHeaders;

/// A mistake about helpers with a barrier of the work-group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingMistake {
    /// If a helper waits on some path, assumes that it waits on every path.
    SometimesIsAlways,
    /// Treats a barrier of the sub-group in a helper as a barrier of the work-group.
    SubGroupIsGroup,
    /// Assumes that a barrier separates the writes before the helper's first barrier from accesses of the caller.
    BeforeIsApart,
    /// Assumes that a barrier separates the writes after the helper's last barrier from accesses of the caller.
    BehindIsApart,
    /// Assumes that a barrier separates accesses of the callers from loads in the helper.
    OutsideIsApart,
}

impl WaitingMistake {
    pub const ALL: [WaitingMistake; 5] = [
        WaitingMistake::SometimesIsAlways,
        WaitingMistake::SubGroupIsGroup,
        WaitingMistake::BeforeIsApart,
        WaitingMistake::BehindIsApart,
        WaitingMistake::OutsideIsApart,
    ];

    /// Returns the waits of a helper with this mistake. `right` is correct, and `all` has all its writes. `somewhere`
    /// tells whether it waits on some path.
    fn of_waits(
        self,
        right: Option<WritesAroundBarriers>,
        all: Writes,
        somewhere: bool,
    ) -> Option<WritesAroundBarriers> {
        let nothing = Writes::default();
        match self {
            WaitingMistake::SometimesIsAlways => right.or(somewhere.then_some(WritesAroundBarriers {
                before_first: all,
                after_last: all,
                reads_after_last: tangle_analysis::uniformity::Parameters::NONE,
            })),
            WaitingMistake::SubGroupIsGroup | WaitingMistake::OutsideIsApart => right,
            WaitingMistake::BeforeIsApart => {
                right.map(|it| WritesAroundBarriers { before_first: nothing, ..it })
            }
            WaitingMistake::BehindIsApart => {
                right.map(|it| WritesAroundBarriers { after_last: nothing, ..it })
            }
        }
    }
}

/// Returns the claims about the functions of a module, callees first, with or without a mistake.
pub fn waiting_claims(module: &Module, mistake: Option<WaitingMistake>) -> Vec<Claims> {
    let mut db = Database::new(Arc::new(NoHeaders));
    let settings = db.settings(&[], &[], &[], Vec::new());
    let mut summaries: FxHashMap<FunctionKey, Summary> = FxHashMap::default();
    let mut claims = Vec::new();
    for function in &module.functions {
        let changed = match mistake {
            Some(WaitingMistake::SubGroupIsGroup) if !function.kernel => with_wide_barriers(function),
            _ => function.clone(),
        };
        let context = context(&db, &changed, &summaries);
        let inputs = AnalysisInputs::of(&db, settings, context);
        let known = match mistake {
            // As a kernel, the function has no callers. Loads found uniform stay so in the second analysis.
            Some(WaitingMistake::OutsideIsApart) => {
                let kernel = Function { kernel: true, ..changed.clone() };
                analyse(&kernel, &inputs, &FxHashSet::default(), |it| it.state.reads.agreed.clone())
            }
            _ => FxHashSet::default(),
        };
        let found = analyse(&changed, &inputs, &known, |it| it.result());
        let mut summary = found.summary.clone();
        summary.barrier_writes = seen_to_wait(&db, settings, &changed, context, &summary, mistake);
        summaries.insert(function.key, summary);
        claims.push(Claims::from(&found));
    }
    claims
}

/// Returns the facts about the callees of a function.
fn context<'db>(
    db: &'db Database,
    function: &Function,
    summaries: &FxHashMap<FunctionKey, Summary>,
) -> Context<'db> {
    let of = |call: &Call| CalleeFacts {
        target: CallTarget::of(&call.callee),
        convergent: false,
        summary: call.callee.key().and_then(|key| summaries.get(&key).cloned().map(Arc::new)),
        asserted: None,
    };
    let calls = function.values.iter().filter_map(|value| match &value.op {
        Op::Call(call) => Some(of(call)),
        _ => None,
    });
    Context::new(db, calls.collect::<Vec<_>>(), Vec::new(), Launch::default())
}

fn seen_to_wait(
    db: &Database,
    settings: Settings,
    function: &Function,
    context: Context,
    summary: &Summary,
    mistake: Option<WaitingMistake>,
) -> Option<WritesAroundBarriers> {
    let inputs = AnalysisInputs::of(db, settings, context);
    let memory = Memory::of(function, &|callee| inputs.summary(callee).cloned());
    let right = waits(function, &memory, &inputs);
    let Some(mistake) = mistake else { return right };
    let of_call = |call: &Call| inputs.summary(&call.callee)?.barrier_writes;
    let somewhere = function.values.iter().any(|value| waits_at(&value.op, inputs.builtins, of_call));
    let all = unseparated_writes(&Summary { barrier_writes: None, ..summary.clone() }, Direction::Forward);
    mistake.of_waits(right, all, somewhere)
}

/// Replaces barriers of the sub-group by barriers of the work-group.
fn with_wide_barriers(function: &Function) -> Function {
    let mut changed = function.clone();
    for value in &mut changed.values {
        if let Op::Call(call) = &mut value.op
            && let Callee::Builtin { name, .. } = &mut call.callee
            && name.as_str() == "sub_group_barrier"
        {
            *name = Symbol::intern("barrier");
        }
    }
    changed
}
