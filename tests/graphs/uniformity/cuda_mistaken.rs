//! Analyses of CUDA with a mistake about indices, groups, warps, references, objects or lambdas. Executions must
//! contradict each mistake.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_analysis::flow::shape::GraphAnalysis;
use tangle_analysis::flow::{Callee, Function, Module, Op, ParameterRole};
use tangle_analysis::uniformity::analysis::{Analysis, BuiltinEffect, Environment, UnknownAssumption};
use tangle_analysis::uniformity::effect::effect;
use tangle_analysis::uniformity::{Divergence, Launch, Summary, ThreadIndex};
use tangle_hir::typed::Constant;
use tangle_ir::key::FunctionKey;
use tangle_syntax::dialect::{BuiltinKind, cuda};

use super::claims::Claims;
use super::cuda_source::WARP;

/// A mistake about CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CudaMistake {
    /// Takes `threadIdx.y` and `threadIdx.z` for the indices of the block.
    FurtherIndicesAreOfTheBlock,
    /// Takes the rank in the block for `threadIdx.x`.
    RankIsFirstIndex,
    /// Takes the rank in a tile for the same in all threads.
    TileRankIsUniform,
    /// Takes the number of a tile for the same in the whole block.
    TileNumberIsUniform,
    /// Takes the result of a vote of a warp for that of the block.
    VoteIsOfTheBlock,
    /// Takes a shuffle in segments for one of the whole warp.
    NoSegments,
    /// Assumes that warps have half their number of threads.
    HalfAWarp,
    /// Assumes that functions change no target of a reference.
    ReferencesAreCopies,
    /// Assumes that methods do not change their object.
    ObjectsAreConstant,
    /// Assumes that lambdas do not change the variables that they capture.
    LambdasChangeNothing,
}

impl CudaMistake {
    /// All mistakes.
    pub const ALL: [CudaMistake; 10] = [
        CudaMistake::FurtherIndicesAreOfTheBlock,
        CudaMistake::RankIsFirstIndex,
        CudaMistake::TileRankIsUniform,
        CudaMistake::TileNumberIsUniform,
        CudaMistake::VoteIsOfTheBlock,
        CudaMistake::NoSegments,
        CudaMistake::HalfAWarp,
        CudaMistake::ReferencesAreCopies,
        CudaMistake::ObjectsAreConstant,
        CudaMistake::LambdasChangeNothing,
    ];

    fn of_effect(self, callee: &Callee, effect: BuiltinEffect) -> BuiltinEffect {
        let name = callee.row().map_or("", |name| name.as_str());
        let kind = callee.row().and_then(|name| cuda().builtins().get(name)?.kind);
        let uniform = BuiltinEffect { result: Divergence::None, of_arguments: true, ..effect };
        match self {
            CudaMistake::RankIsFirstIndex if effect.index == Some(ThreadIndex::LocalLinear) => {
                BuiltinEffect { index: Some(ThreadIndex::Local), ..effect }
            }
            CudaMistake::TileRankIsUniform if name.ends_with("thread_block_tile::thread_rank") => uniform,
            CudaMistake::TileNumberIsUniform if name.ends_with("meta_group_rank") => {
                BuiltinEffect { of_arguments: false, ..uniform }
            }
            CudaMistake::VoteIsOfTheBlock if kind == Some(BuiltinKind::Vote) => {
                BuiltinEffect { result: Divergence::Grid, ..effect }
            }
            _ => effect,
        }
    }

    /// Whether a function is assumed not to write through a parameter.
    fn keeps(self, function: &Function, number: usize) -> bool {
        let Some(parameter) = function.parameters.get(number) else { return false };
        match self {
            CudaMistake::ReferencesAreCopies => {
                parameter.role == ParameterRole::Plain
                    && parameter.ty.as_pointer().is_some_and(|pointer| pointer.reference)
            }
            CudaMistake::ObjectsAreConstant => parameter.role == ParameterRole::Object,
            CudaMistake::LambdasChangeNothing => parameter.role == ParameterRole::Captured,
            _ => false,
        }
    }

    fn change(self, function: &Function) -> Function {
        let mut changed = function.clone();
        for value in &mut changed.values {
            let Op::Call(call) = &mut value.op else { continue };
            let Some(name) = call.callee.row() else { continue };
            match self {
                CudaMistake::FurtherIndicesAreOfTheBlock if name.as_str() == "get_local_id" => {
                    let argument = call.arguments.first().map(|(it, _)| &function.values[*it].op);
                    if matches!(argument, Some(Op::Constant(Constant::Integer(1 | 2))))
                        && let Callee::Builtin { name, .. } = &mut call.callee
                    {
                        *name = tangle_grammar::symbol::Symbol::intern("get_group_id");
                    }
                }
                CudaMistake::NoSegments if name.as_str() == "__shfl_sync" => call.arguments.truncate(3),
                _ => {}
            }
        }
        changed
    }
}

/// Returns the numbers of the functions of a module, callees first. Lambdas come after the function around them in a
/// module.
fn callees_first(module: &Module) -> Vec<usize> {
    let numbers: FxHashMap<FunctionKey, usize> =
        module.functions.iter().enumerate().map(|(number, function)| (function.key, number)).collect();
    let mut order = Vec::new();
    let mut entered = vec![false; module.functions.len()];
    // Each function is on the stack twice: before its callees, and after them.
    let mut stack: Vec<(usize, bool)> =
        (0..module.functions.len()).rev().map(|number| (number, false)).collect();
    while let Some((number, is_done)) = stack.pop() {
        if is_done {
            order.push(number);
        } else if !std::mem::replace(&mut entered[number], true) {
            stack.push((number, true));
            let callees = module.functions[number].values.iter().filter_map(|value| match &value.op {
                Op::Call(call) => numbers.get(&call.callee.key()?).copied(),
                _ => None,
            });
            stack.extend(callees.map(|callee| (callee, false)));
        }
    }
    order
}

/// Returns the claims about the functions of a module, with or without a mistake.
pub fn cuda_claims(module: &Module, mistake: Option<CudaMistake>) -> Vec<Claims> {
    let builtin = |callee: &Callee| {
        let effect = effect(cuda().builtins(), callee.row()?)?;
        Some(mistake.map_or(effect, |mistake| mistake.of_effect(callee, effect)))
    };
    let warp = if mistake == Some(CudaMistake::HalfAWarp) { WARP / 2 } else { WARP };
    let mut summaries: FxHashMap<FunctionKey, Summary> = FxHashMap::default();
    let mut claims: Vec<Option<Claims>> = vec![None; module.functions.len()];
    for number in callees_first(module) {
        let function = &module.functions[number];
        let changed = mistake.map_or_else(|| function.clone(), |mistake| mistake.change(function));
        let environment = Environment {
            assumed: UnknownAssumption::Nothing,
            launch: Launch {
                sub_group_size: Some(warp),
                rows_are_whole_sub_groups: true,
                ..Launch::default()
            },
            summary: &|callee| summaries.get(&callee.key()?).cloned().map(Arc::new),
            ..Environment::of(&builtin)
        };
        let found = Analysis::of(&changed, GraphAnalysis::of(&changed), &environment).result();
        let mut summary = found.summary.clone();
        for number in 0..function.parameters.len() {
            if mistake.is_some_and(|mistake| mistake.keeps(function, number)) {
                summary.writes.get_mut(number).into_iter().for_each(|writes| writes.ranges.clear());
                summary.overwrites.get_mut(number).into_iter().for_each(|bytes| *bytes = 0);
            }
        }
        summaries.insert(function.key, summary);
        claims[number] = Some(Claims::from(&found));
    }
    claims.into_iter().map(|claims| claims.expect("each function is in the order")).collect()
}
