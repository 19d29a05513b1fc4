//! The syntactic computation of addresses: the object that an address points into, and whether two addresses are equal.
//!
//! **Base** of an address: the address without steps to elements and fields, and without conversions.
//!
//! ```c
//! local int a[4];
//! a[i + 1]      // the base is `a`
//! a[0], *a      // the same address
//! ```

use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;

use super::analysis::Analysis;
use crate::flow::{Call, Function, Op, Unknown, ValueId};
use tangle_hir::typed::{Arithmetic, Constant, Conversion};
use tangle_syntax::dialect::Scope;

/// Returns the base of an address.
fn base(function: &Function, mut at: ValueId) -> ValueId {
    loop {
        match &function.values[at].op {
            Op::Element { base, .. } | Op::Field { base, .. } => at = *base,
            Op::Unknown { what: Unknown::Address | Unknown::Member(_), operands }
                if !operands.is_empty() && function.values[at].ty.as_pointer().is_some() =>
            {
                at = operands[0];
            }
            Op::Convert { conversion: Conversion::Pointer, operand } => at = *operand,
            _ => return at,
        }
    }
}

/// Returns the parameter or module variable that an address points into. None if it is unknown or private memory.
pub fn root(function: &Function, address: ValueId) -> Option<ValueId> {
    let base = base(function, address);
    matches!(function.values[base].op, Op::Parameter(_) | Op::Global(_)).then_some(base)
}

/// Whether an address may point into the target of a [root]. We assume that roots are distinct memory, and so are
/// address spaces. Other threads cannot access private memory. Undeclared names point to other memory
/// (`docs/semantics.md` §9).
pub fn may_point_into(function: &Function, address: ValueId, into: ValueId) -> bool {
    if is_private_or_undeclared(function, address) {
        return false;
    }
    if let Some(known) = root(function, address) {
        return known == into;
    }
    let space = |id: ValueId| function.values[id].ty.as_pointer().map(|pointer| pointer.space);
    match (space(address), space(into)) {
        (Some(a), Some(b)) if a != AddressSpace::Generic && b != AddressSpace::Generic => a == b,
        _ => true,
    }
}

/// Whether an address may point to shared memory.
pub fn may_point_to_shared(function: &Function, address: ValueId) -> bool {
    !is_private_or_undeclared(function, address)
}

/// Whether an address points to private memory, or to memory that only undeclared names point to.
fn is_private_or_undeclared(function: &Function, mut address: ValueId) -> bool {
    loop {
        match &function.values[base(function, address)].op {
            Op::Slot(_) => return true,
            Op::Unknown { what, .. } => {
                return matches!(what, Unknown::Name(_) | Unknown::Dependent(_) | Unknown::Variable(_));
            }
            Op::Load { address: of, .. } if !is_private(function, *of) => address = *of,
            _ => return false,
        }
    }
}

/// Whether an address points into private memory of the function. A pointer that is loaded from it may be any address.
fn is_private(function: &Function, address: ValueId) -> bool {
    matches!(function.values[base(function, address)].op, Op::Slot(_))
}

/// Returns the name in the source of the object that a load reads, or that an address points into.
pub fn object(function: &Function, value: ValueId) -> Option<Symbol> {
    let address = match &function.values[value].op {
        Op::Load { address, .. } => *address,
        _ => value,
    };
    match &function.values[base(function, address)].op {
        Op::Parameter(number) => function.parameters.get(*number as usize)?.name,
        Op::Global(name) => Some(unqualified(*name)),
        Op::Slot(slot) => function.slots[*slot].name,
        _ => None,
    }
}

/// Returns the name of a variable in the source. The graph qualifies the names of variables in shared or static memory
/// that a function declares: `k.xs`, `k.xs.2`.
fn unqualified(name: Symbol) -> Symbol {
    let mut parts = name.as_str().rsplit('.');
    let last = parts.next().unwrap_or_default();
    let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    match parts.next().filter(|_| is_number) {
        Some(before) => Symbol::intern(before),
        None => Symbol::intern(last),
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

/// Returns an address without conversions, and without steps to the first element.
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

/// Returns the part of a shared array that contains an address. Kernels divide an array of unknown length, whose size the
/// launch gives, into parts that begin at launch arguments. The part is identified by the sorted terms of its begin: `n` and `m` for `&s[n + m + i]`. None if
/// it is unknown, or if a term is subtracted (`s[n - 1]`).
///
/// ```c
/// extern __shared__ float s[];   // n values, followed by m counts
/// s[tid] = 0;                    // in the part that begins at 0
/// s[n + tid] = 0;                // in the part that begins at `n`
/// ```
pub fn region(analysis: &Analysis, address: ValueId) -> Option<Vec<String>> {
    let function = analysis.function;
    let mut terms = Vec::new();
    let mut at = address;
    let is_of_unknown_length = |array: ValueId| {
        let pointer = function.values[array].ty.as_pointer();
        pointer.is_some_and(|it| it.pointee.is_array_of_unknown_length())
    };
    loop {
        match &function.values[at].op {
            Op::Element { base, index, .. } => {
                add_terms(analysis, *index, &mut terms, MAX_DEPTH)?;
                at = *base;
            }
            Op::Convert { conversion: Conversion::Pointer, operand } => at = *operand,
            // Only arrays whose length the launch gives: an index into another array may contain launch arguments for
            // other reasons. The length of an array that the function defines may be unknown, too.
            Op::Global(name) if is_of_unknown_length(at) && unqualified(*name) == *name => {
                break;
            }
            _ => return None,
        }
    }
    terms.sort_unstable();
    Some(terms)
}

/// The maximum depth of an expression that is examined.
const MAX_DEPTH: usize = 8;

/// Adds the terms of a sum that depend on the launch alone. Terms that vary between iterations or threads do not
/// identify a part. None if a term is subtracted.
fn add_terms(analysis: &Analysis, value: ValueId, terms: &mut Vec<String>, depth: usize) -> Option<()> {
    match &analysis.function.values[value].op {
        Op::Constant(Constant::Integer(number)) => return (*number >= 0 && *number < 1 << 31).then_some(()),
        Op::Binary { op: Arithmetic::Add, left, right } if depth > 0 => {
            add_terms(analysis, *left, terms, depth - 1)?;
            return add_terms(analysis, *right, terms, depth - 1);
        }
        Op::Binary { op: Arithmetic::Sub, .. } => return None,
        Op::Convert { conversion: Conversion::Integer, operand } => {
            return add_terms(analysis, *operand, terms, depth);
        }
        _ => {}
    }
    let mut text = String::new();
    if write_launch_expression(analysis, value, &mut text, depth)
        && !text.chars().all(|it| it.is_ascii_digit())
    {
        terms.push(text);
    }
    Some(())
}

/// Writes an expression that depends on the launch alone, so that equal expressions have equal texts. Returns false if
/// the expression depends on other values.
fn write_launch_expression(analysis: &Analysis, value: ValueId, text: &mut String, depth: usize) -> bool {
    let (name, operands): (String, Vec<ValueId>) = match &analysis.function.values[value].op {
        _ if depth == 0 => return false,
        Op::Constant(Constant::Integer(number)) => (number.to_string(), Vec::new()),
        Op::Parameter(number) => (format!("p{number}"), Vec::new()),
        Op::Convert { conversion: Conversion::Integer, operand } => {
            return write_launch_expression(analysis, *operand, text, depth - 1);
        }
        Op::Binary { op, left, right } => (format!("{op:?}"), vec![*left, *right]),
        Op::Unknown { what: Unknown::Name(name) | Unknown::Dependent(name), .. } => {
            (name.to_string(), Vec::new())
        }
        Op::Unknown { what: Unknown::Value, operands } if !operands.is_empty() => {
            ("?".to_owned(), operands.to_vec())
        }
        Op::Unknown { what: Unknown::Arithmetic(op), operands } => (format!("{op:?}"), operands.to_vec()),
        Op::Unknown { what: Unknown::Compare(op), operands } => (format!("{op:?}"), operands.to_vec()),
        Op::Call(call) => match call.callee.name() {
            // Ids are excluded, because they differ between threads.
            Some(name) if is_of_launch(analysis, call, value) => {
                (name.to_string(), call.arguments.iter().map(|(it, _)| *it).collect())
            }
            _ => return false,
        },
        _ => return false,
    };
    text.push_str(&name);
    text.push('(');
    let all = operands.iter().all(|&operand| write_launch_expression(analysis, operand, text, depth - 1));
    text.push(')');
    all
}

/// Whether we assume that the result of a call depends on its arguments alone. True for an unknown callee with
/// arguments. The result of a known callee must be uniform in the work-group. False for convergent calls.
fn is_of_launch(analysis: &Analysis, call: &Call, value: ValueId) -> bool {
    let environment = analysis.environment;
    let is_known =
        (environment.builtin)(&call.callee).is_some() || (environment.summary)(&call.callee).is_some();
    !call.convergent
        && !call.arguments.is_empty()
        && (!is_known || !analysis.state.values[value].divergence.within(Scope::Workgroup))
}

/// Returns the number of a constant, ignoring integer conversions.
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
