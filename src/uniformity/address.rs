//! What an address is computed from, as it is written: which object it points into, and whether two are the same.
//!
//! **Base** of an address: what is left without steps to elements and fields, and without conversions.
//!
//! ```c
//! local int a[4];
//! a[i + 1]      // the base is `a`
//! a[0], *a      // the same address
//! ```

use tangle_grammar::ast::AddressSpace;
use tangle_grammar::symbol::Symbol;

use crate::flow::{Function, Op, Unknown, ValueId};
use crate::hir::typed::{Constant, Conversion};

/// The base of an address.
fn base(function: &Function, mut at: ValueId) -> ValueId {
    loop {
        match &function.values[at].op {
            Op::Element { base, .. } | Op::Field { base, .. } => at = *base,
            Op::Unknown { what: Unknown::Place, operands } if !operands.is_empty() => at = operands[0],
            Op::Convert { conversion: Conversion::Pointer, operand } => at = *operand,
            _ => return at,
        }
    }
}

/// The parameter or variable that an address points into. None: not known, or private memory.
pub fn root(function: &Function, address: ValueId) -> Option<ValueId> {
    let base = base(function, address);
    matches!(function.values[base].op, Op::Parameter(_) | Op::Global(_)).then_some(base)
}

/// Whether an address may lead into what a [root] points to. Roots are taken to be distinct memory, and so are address spaces; private memory
/// is nobody else's. What nothing declares leads to other memory (SEMANTICS §9).
pub fn may_lead_into(function: &Function, address: ValueId, into: ValueId) -> bool {
    if is_apart(function, address) {
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

/// Whether an address may lead to memory that is shared.
pub fn may_lead_anywhere(function: &Function, address: ValueId) -> bool {
    !is_apart(function, address)
}

/// Whether an address leads to private memory, or to what only names that nothing declares lead to.
fn is_apart(function: &Function, mut address: ValueId) -> bool {
    loop {
        match &function.values[base(function, address)].op {
            Op::Slot(_) => return true,
            Op::Unknown { what, .. } => return matches!(what, Unknown::Name(_) | Unknown::Variable(_)),
            Op::Load { address: of, .. } if !is_private(function, *of) => address = *of,
            _ => return false,
        }
    }
}

/// Whether an address leads into a variable of the function: what is kept there may be any address.
fn is_private(function: &Function, address: ValueId) -> bool {
    matches!(function.values[base(function, address)].op, Op::Slot(_))
}

/// The name of what a load reads from, or an address points into.
pub fn object(function: &Function, value: ValueId) -> Option<Symbol> {
    let address = match &function.values[value].op {
        Op::Load { address, .. } => *address,
        _ => value,
    };
    match &function.values[base(function, address)].op {
        Op::Parameter(number) => function.parameters.get(*number as usize)?.name,
        Op::Global(name) => Some(*name),
        Op::Slot(slot) => function.slots[*slot].name,
        _ => None,
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
