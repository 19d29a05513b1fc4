//! Shared memory that barriers protect, as far as the rules need it.
//!
//! **Agreed**: a read at an address that is the same for all, of memory that nothing writes between the last work-group barrier before
//! it and the next one behind it. Work-items that read it between the same two barriers get the same, or race, which is undefined.
//!
//! ```c
//! if (get_local_id(0) == 0) go = n--;
//! barrier(CLK_LOCAL_MEM_FENCE);
//! int again = go;                     // agreed: a barrier before it …
//! barrier(CLK_LOCAL_MEM_FENCE);       // … and behind it
//! ```

use rustc_hash::FxHashSet;

use crate::dialect::{Builtins, Scope};
use crate::flow::shape::Shape;
use crate::flow::{BlockId, Callee, Function, Op, Value, ValueId};
use crate::hir::typed::{Constant, Conversion};
use crate::uniformity::analysis::{Analysis, Environment};
use crate::uniformity::effect::effect;
use crate::uniformity::{Divergence, Summary};

/// How often what is agreed may make further addresses known to be the same.
const ROUNDS: usize = 4;

/// The loads of a function that are agreed.
pub fn agreed_loads(
    function: &Function,
    builtins: &Builtins,
    summary: &dyn Fn(&Callee) -> Option<Summary>,
    limit: &dyn Fn(ValueId, &Value) -> Option<Divergence>,
) -> FxHashSet<ValueId> {
    let mut agreed: FxHashSet<ValueId> = FxHashSet::default();
    if !function.values.iter().any(|value| is_barrier(&value.op, builtins)) {
        return agreed;
    }
    let flow = Flow::of(function);
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    for _ in 0..ROUNDS {
        let limited = |id: ValueId, value: &Value| {
            let own = agreed.contains(&id).then_some(Divergence::Grid);
            own.into_iter().chain(limit(id, value)).min()
        };
        let environment =
            Environment { builtin: &|callee| effect(builtins, callee), summary, limit: &limited };
        let analysis = Analysis::of(function, Shape::of(function), &environment);
        let mut news = Vec::new();
        for (id, value) in function.values.iter_enumerated() {
            let Op::Load { address, volatile: false, .. } = value.op else { continue };
            let at = analysis.values[address];
            let differs = analysis.values[id].divergence.within(Scope::Workgroup);
            let same_address =
                !at.divergence.within(Scope::Workgroup) && at.values.is_empty() && at.pointees.is_empty();
            if differs
                && same_address
                && seen.insert(id)
                && is_protected(&flow, id, address, builtins, summary)
            {
                news.push(id);
            }
        }
        if news.is_empty() {
            break;
        }
        agreed.extend(news);
    }
    agreed
}

/// Whether a barrier stands between a load and each operation that may write what it reads.
fn is_protected(
    flow: &Flow,
    load: ValueId,
    address: ValueId,
    builtins: &Builtins,
    summary: &dyn Fn(&Callee) -> Option<Summary>,
) -> bool {
    let function = flow.function;
    let Some(read) = root(function, address) else { return false };
    let may_write = |address: ValueId| root(function, address).is_none_or(|written| written == read);
    let writes = |id: ValueId| match &function.values[id].op {
        Op::Store { address, .. } | Op::Clear { address, .. } | Op::Copy { to: address, .. } => {
            may_write(*address)
        }
        Op::Call(call) => match summary(&call.callee) {
            Some(summary) => {
                let through = |number: usize| summary.writes_through(number).is_some();
                let mut arguments = call.arguments.iter().enumerate();
                summary.writes_shared || arguments.any(|(number, (it, _))| through(number) && may_write(*it))
            }
            None => call.arguments.iter().any(|(it, _)| root(function, *it) == Some(read)),
        },
        _ => false,
    };
    let barrier = |id: ValueId| is_barrier(&function.values[id].op, builtins);
    let everywhere = |_: BlockId| true;
    flow.ahead(load, &everywhere, &barrier, &writes).is_none()
        && flow.behind(load, &everywhere, &barrier, &writes).is_none()
}

/// Whether an operation is one for which all of the work-group wait.
pub fn is_barrier(op: &Op, builtins: &Builtins) -> bool {
    let Op::Call(call) = op else { return false };
    call.callee
        .name()
        .and_then(|name| builtins.get(name))
        .is_some_and(|builtin| builtin.convergent && builtin.scope >= Scope::Workgroup)
}

/// The parameter or variable that an address points into. None: not known, or private memory.
pub fn root(function: &Function, address: ValueId) -> Option<ValueId> {
    let mut at = address;
    loop {
        match &function.values[at].op {
            Op::Element { base, .. } | Op::Field { base, .. } => at = *base,
            Op::Convert { conversion: Conversion::Pointer, operand } => at = *operand,
            Op::Parameter(_) | Op::Global(_) => return Some(at),
            _ => return None,
        }
    }
}

/// Whether two addresses are computed in the same way from the same values.
pub fn is_same_address(function: &Function, a: ValueId, b: ValueId) -> bool {
    let (mut a, mut b) = (a, b);
    loop {
        a = stripped(function, a);
        b = stripped(function, b);
        if a == b {
            return true;
        }
        match (&function.values[a].op, &function.values[b].op) {
            (Op::Element { base: x, index: i, .. }, Op::Element { base: y, index: j, .. })
                if is_same_number(function, *i, *j) =>
            {
                (a, b) = (*x, *y);
            }
            (Op::Field { base: x, field: i, .. }, Op::Field { base: y, field: j, .. }) if i == j => {
                (a, b) = (*x, *y)
            }
            (Op::Global(x), Op::Global(y)) => return x == y,
            _ => return false,
        }
    }
}

/// An address without conversions, and without steps to the first element.
fn stripped(function: &Function, mut at: ValueId) -> ValueId {
    loop {
        match &function.values[at].op {
            Op::Convert { conversion: Conversion::Pointer, operand } => at = *operand,
            Op::Element { base, index, .. } if constant(function, *index) == Some(0) => at = *base,
            _ => return at,
        }
    }
}

fn is_same_number(function: &Function, a: ValueId, b: ValueId) -> bool {
    a == b || constant(function, a).is_some_and(|number| constant(function, b) == Some(number))
}

/// The number that a value is, conversions of integers seen through.
pub fn constant(function: &Function, mut at: ValueId) -> Option<i128> {
    loop {
        match &function.values[at].op {
            Op::Constant(Constant::Integer(number)) => return Some(*number),
            Op::Constant(Constant::Zero) => return Some(0),
            Op::Convert { conversion: Conversion::Integer, operand } => at = *operand,
            _ => return None,
        }
    }
}

/// The way through a function, operation by operation.
pub struct Flow<'a> {
    pub function: &'a Function,
    predecessors: index_vec::IndexVec<BlockId, Vec<BlockId>>,
    home: index_vec::IndexVec<ValueId, Option<(BlockId, usize)>>,
}

type Test<'a, T> = &'a dyn Fn(T) -> bool;

impl<'a> Flow<'a> {
    pub fn of(function: &'a Function) -> Flow<'a> {
        let mut home = index_vec::index_vec![None; function.values.len()];
        for (id, block) in function.blocks.iter_enumerated() {
            for (position, &value) in block.values.iter().enumerate() {
                home[value] = Some((id, position));
            }
        }
        Flow { function, predecessors: function.predecessors(), home }
    }

    /// An operation that is wanted and that threads may come to from another, in some blocks, without passing one that stops them.
    pub fn ahead(
        &self,
        from: ValueId,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let (block, position) = self.home[from]?;
        let next = |block: BlockId| self.function.blocks[block].terminator.successors().into_vec();
        self.search(
            block,
            &|block| self.function.blocks[block].values.clone(),
            position + 1,
            &next,
            within,
            stops,
            wanted,
        )
    }

    /// The same backwards.
    pub fn behind(
        &self,
        from: ValueId,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let (block, position) = self.home[from]?;
        let values =
            |block: BlockId| self.function.blocks[block].values.iter().rev().copied().collect::<Vec<_>>();
        let skipped = self.function.blocks[block].values.len() - position;
        self.search(block, &values, skipped, &|block| self.predecessors[block].clone(), within, stops, wanted)
    }

    #[allow(clippy::too_many_arguments, reason = "the two directions differ in each of them")]
    fn search(
        &self,
        block: BlockId,
        values: &dyn Fn(BlockId) -> Vec<ValueId>,
        skipped: usize,
        next: &dyn Fn(BlockId) -> Vec<BlockId>,
        within: Test<BlockId>,
        stops: Test<ValueId>,
        wanted: Test<ValueId>,
    ) -> Option<ValueId> {
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut todo = vec![(block, skipped)];
        while let Some((block, skipped)) = todo.pop() {
            let mut stopped = false;
            for value in values(block).into_iter().skip(skipped) {
                if stops(value) {
                    stopped = true;
                    break;
                }
                if wanted(value) {
                    return Some(value);
                }
            }
            if !stopped {
                let further = next(block).into_iter().filter(|&it| within(it) && seen.insert(it));
                todo.extend(further.map(|it| (it, 0)));
            }
        }
        None
    }
}
