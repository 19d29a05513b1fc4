//! Constants: folds expressions while types are checked, and computes the initial contents of variables.
//!
//! Integers wrap to their type. Floats are computed as `double` and rounded. For a single operation, this gives the
//! same result as a computation in the type itself.

use tangle_grammar::ast::{self, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::GlobalEntity;

use super::expr::mentions_unknown;
use super::{Checker, Holds, Meaning, TypeProblemKind};
use crate::layout::{layout, record_layout};
use crate::typed::{
    Arithmetic, Comparison, Constant, Conversion, Data, Expr, ExprId, ExprKind, Initializer, SubobjectStep,
    UnaryOp,
};
use crate::types::{Float, Ty, TyKind};

/// The maximum nesting of constant expressions. Deeper expressions are not constant.
const MAX_DEPTH: u32 = 200;

/// Returns the nearest `half`, as a `double`. Ties are rounded to even.
pub(super) fn to_half(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    // The exponent of the last place of a `half` near the value: 10 bits below the first bit, and not below the last
    // place of the subnormals.
    let exponent = ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(-14) - 10;
    let unit = 2f64.powi(exponent);
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() > 65504.0 { f64::INFINITY.copysign(value) } else { rounded }
}

fn round(value: f64, float: Float) -> f64 {
    match float {
        // Every type has the quiet NaN with either sign. No other NaN is produced.
        _ if value.is_nan() => nan(value.is_sign_negative()),
        Float::Half => to_half(value),
        Float::Single => f64::from(value as f32),
        Float::Double => value,
    }
}

fn nan(negative: bool) -> f64 {
    f64::from_bits(0x7ff8 << 48 | u64::from(negative) << 63)
}

fn as_f64(constant: &Constant) -> Option<f64> {
    match constant {
        Constant::Float(bits) => Some(f64::from_bits(*bits)),
        Constant::Zero => Some(0.0),
        _ => None,
    }
}

fn as_integer(constant: &Constant) -> Option<i128> {
    match constant {
        Constant::Integer(value) => Some(*value),
        Constant::Zero => Some(0),
        _ => None,
    }
}

/// Converts a constant. None: the conversion is not folded, or the value does not fit.
pub(super) fn convert_constant(
    constant: &Constant,
    from: Ty,
    to: Ty,
    conversion: Conversion,
) -> Option<Constant> {
    match conversion {
        Conversion::Integer => Some(Constant::Integer(to.as_integer()?.wrap(as_integer(constant)?))),
        Conversion::IntToFloat => {
            let value = as_integer(constant)?;
            // Converted directly: through `double`, the value would be rounded twice.
            let value = match to.as_float()? {
                Float::Single => f64::from(value as f32),
                float => round(value as f64, float),
            };
            Some(Constant::float(value))
        }
        Conversion::FloatToInt => {
            let value = as_f64(constant)?.trunc();
            let integer = to.as_integer()?;
            let fits = value.abs() < 2f64.powi(100) && integer.wrap(value as i128) == value as i128;
            fits.then_some(Constant::Integer(value as i128))
        }
        Conversion::Float => Some(Constant::float(round(as_f64(constant)?, to.as_float()?))),
        Conversion::ToBool => Some(Constant::Integer(truth(constant, from)?.into())),
        Conversion::Splat => {
            let (_, lanes) = to.as_vector()?;
            matches!(constant, Constant::Integer(_) | Constant::Float(_) | Constant::Zero)
                .then(|| Constant::Vector(vec![constant.clone(); lanes.into()].into()))
        }
        Conversion::IntToPointer => Some(Constant::Integer(as_integer(constant)?)),
        Conversion::Pointer => Some(constant.clone()),
        Conversion::PointerToInt | Conversion::Bits | Conversion::Discard => None,
    }
}

/// Converts a float that does not fit into an integer type to the nearest integer. C leaves this undefined; clang folds
/// it so.
fn saturated(constant: &Constant, to: Ty) -> Option<Constant> {
    let (value, integer) = (as_f64(constant)?, to.as_integer()?);
    let bits = integer.bits() - u32::from(integer.signed());
    if bits > 64 {
        return None;
    }
    let most = (1i128 << bits) - 1;
    let least = if integer.signed() { -most - 1 } else { 0 };
    // `as` saturates, and converts a NaN to 0.
    Some(Constant::Integer((value as i128).clamp(least, most)))
}

/// Returns a lane of a vector comparison: all of its bits are equal.
fn mask(holds: bool) -> Option<Constant> {
    Some(Constant::Integer(-i128::from(holds)))
}

fn truth(constant: &Constant, ty: Ty) -> Option<bool> {
    match ty.as_float() {
        Some(_) => Some(as_f64(constant)? != 0.0),
        None => Some(as_integer(constant)? != 0),
    }
}

/// Applies an operation to each lane, if `ty` is a vector.
fn lanes(
    a: &Constant,
    b: &Constant,
    ty: Ty,
    one: impl Fn(&Constant, &Constant, Ty) -> Option<Constant>,
) -> Option<Constant> {
    let Some((element, count)) = ty.as_vector() else { return one(a, b, ty) };
    let lane = |constant: &Constant, lane: usize| match constant {
        Constant::Vector(lanes) => lanes.get(lane).cloned(),
        Constant::Zero => Some(Constant::Zero),
        _ => None,
    };
    let lanes = (0..usize::from(count)).map(|n| one(&lane(a, n)?, &lane(b, n)?, element));
    Some(Constant::Vector(lanes.collect::<Option<Vec<_>>>()?.into()))
}

pub(super) fn unary(op: UnaryOp, operand: &Constant, ty: Ty) -> Option<Constant> {
    lanes(operand, operand, ty, |operand, _, ty| match ty.as_float() {
        Some(_) if op == UnaryOp::Negate => Some(Constant::float(-as_f64(operand)?)),
        Some(_) => None,
        None => {
            let value = as_integer(operand)?;
            let value = match op {
                UnaryOp::Negate => value.checked_neg()?,
                UnaryOp::Complement => !value,
            };
            Some(Constant::Integer(ty.as_integer()?.wrap(value)))
        }
    })
}

pub(super) fn binary(op: Arithmetic, left: &Constant, right: &Constant, ty: Ty) -> Option<Constant> {
    lanes(left, right, ty, |left, right, ty| match ty.as_float() {
        Some(float) => {
            let (l, r) = (as_f64(left)?, as_f64(right)?);
            let value = match op {
                Arithmetic::Add => l + r,
                Arithmetic::Sub => l - r,
                Arithmetic::Mul => l * r,
                Arithmetic::Div => l / r,
                _ => return None,
            };
            // As in clang: a NaN operand is the result, and a new NaN has no sign.
            let value = match [l, r].into_iter().find(|operand| operand.is_nan()) {
                Some(operand) => operand,
                None if value.is_nan() => nan(false),
                None => value,
            };
            Some(Constant::float(round(value, float)))
        }
        None => {
            let integer = ty.as_integer()?;
            let (l, r) = (as_integer(left)?, as_integer(right)?);
            let count = (r & i128::from(integer.bits() - 1)) as u32;
            let value = match op {
                Arithmetic::Add => l.checked_add(r)?,
                Arithmetic::Sub => l.checked_sub(r)?,
                Arithmetic::Mul => l.checked_mul(r)?,
                Arithmetic::Div => l.checked_div(r)?,
                Arithmetic::Rem => l.checked_rem(r)?,
                Arithmetic::Shl => l.checked_shl(count).filter(|_| integer.bits() <= 64)?,
                Arithmetic::Shr => l >> count,
                Arithmetic::And => l & r,
                Arithmetic::Xor => l ^ r,
                Arithmetic::Or => l | r,
            };
            Some(Constant::Integer(integer.wrap(value)))
        }
    })
}

/// Compares two scalars.
pub(super) fn compare(op: Comparison, left: &Constant, right: &Constant, ty: Ty) -> Option<bool> {
    let order = match ty.as_float() {
        Some(_) => as_f64(left)?.partial_cmp(&as_f64(right)?),
        None => Some(as_integer(left)?.cmp(&as_integer(right)?)),
    };
    Some(match op {
        Comparison::Less => order.is_some_and(|order| order.is_lt()),
        Comparison::Greater => order.is_some_and(|order| order.is_gt()),
        Comparison::LessEqual => order.is_some_and(|order| order.is_le()),
        Comparison::GreaterEqual => order.is_some_and(|order| order.is_ge()),
        Comparison::Equal => order.is_some_and(|order| order.is_eq()),
        Comparison::NotEqual => order.is_none_or(|order| order.is_ne()),
    })
}

/// Returns the value of a character constant from its source text with quotes. `char` is signed.
pub(super) fn character(text: &str) -> i64 {
    let mut bytes = Vec::new();
    unescape(text, '\'', &mut bytes);
    match bytes[..] {
        [only] => i64::from(only as i8),
        // Several characters: as in compilers, the last one is the lowest byte.
        _ => bytes.iter().fold(0i64, |value, &byte| (value << 8 | i64::from(byte)) as i32 as i64),
    }
}

/// Adds the bytes of a string literal from its source text with quotes.
pub(super) fn string(text: &str, bytes: &mut Vec<u8>) {
    unescape(text, '"', bytes);
}

fn unescape(text: &str, quote: char, bytes: &mut Vec<u8>) {
    let Some((_, text)) = text.split_once(quote) else { return };
    let text = text.strip_suffix(quote).unwrap_or(text);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            let mut buffer = [0; 4];
            bytes.extend(c.encode_utf8(&mut buffer).bytes());
            continue;
        }
        let Some(c) = rest.next() else { return };
        let mut digits = |first: u32, radix: u32, most: usize| {
            let mut value = first;
            for _ in 0..most {
                let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
                value = value.wrapping_mul(radix).wrapping_add(digit);
                rest.next();
            }
            value
        };
        let byte = match c {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            'x' => digits(0, 16, 8) as u8,
            '0'..='7' => digits(c as u32 - '0' as u32, 8, 2) as u8,
            'u' | 'U' => {
                let code = digits(0, 16, if c == 'u' { 4 } else { 8 });
                let mut buffer = [0; 4];
                bytes.extend(char::from_u32(code).unwrap_or('\u{fffd}').encode_utf8(&mut buffer).bytes());
                continue;
            }
            _ => {
                let mut buffer = [0; 4];
                bytes.extend(c.encode_utf8(&mut buffer).bytes());
                continue;
            }
        };
        bytes.push(byte);
    }
}

/// The contents of an initialised object, for conversion to [`Data`].
enum Node {
    Zero,
    Leaf(Data),
    Parts(Vec<Node>),
    Union(u32, Box<Node>),
}

impl Node {
    fn put(&mut self, path: &[SubobjectStep], ty: Ty, data: Data) {
        let Some((first, rest)) = path.split_first() else {
            *self = Node::Leaf(data);
            return;
        };
        let union = ty.as_record().is_some_and(|record| record.union);
        let (index, inner) = match (*first, ty.kind()) {
            (SubobjectStep::Field(field), TyKind::Record(record)) => {
                let fields = record.definition.as_ref().map(|definition| &definition.fields);
                (field as usize, fields.map_or(Ty::UNKNOWN, |fields| fields[field as usize].ty))
            }
            (SubobjectStep::Element(index), TyKind::Array { element, .. }) => (index as usize, *element),
            _ => return,
        };
        if union {
            if !matches!(self, Node::Union(field, _) if *field == index as u32) {
                *self = Node::Union(index as u32, Box::new(Node::Zero));
            }
            if let Node::Union(_, node) = self {
                node.put(rest, inner, data);
            }
            return;
        }
        if !matches!(self, Node::Parts(_)) {
            *self = Node::Parts(Vec::new());
        }
        if let Node::Parts(parts) = self {
            while parts.len() <= index {
                parts.push(Node::Zero);
            }
            parts[index].put(rest, inner, data);
        }
    }

    fn data(self) -> Data {
        match self {
            Node::Zero => Data::Constant(Constant::Zero),
            Node::Leaf(data) => data,
            Node::Parts(parts) => Data::Aggregate(parts.into_iter().map(Node::data).collect()),
            Node::Union(field, node) => Data::Union { field, data: Box::new(node.data()) },
        }
    }
}

/// The maximum number of values in the stored contents of a constant.
const MAX_STORED_VALUES: usize = 64;

fn is_small(data: &Data) -> bool {
    let (mut numbers, mut todo) = (0, vec![data]);
    while let Some(data) = todo.pop() {
        match data {
            Data::Aggregate(parts) => {
                // Visits only a limited number of parts.
                numbers += parts.len();
                todo.extend(parts.iter().take(MAX_STORED_VALUES));
            }
            Data::Union { data, .. } => todo.push(data),
            Data::Bytes(bytes) => numbers += bytes.len(),
            _ => numbers += 1,
        }
        if numbers > MAX_STORED_VALUES {
            return false;
        }
    }
    true
}

/// Whether an initialiser has so few values that the contents are stored.
pub(super) fn is_short(syntax: &ast::Initializer) -> bool {
    let (mut values, mut todo) = (0, vec![syntax]);
    while let Some(syntax) = todo.pop() {
        match syntax {
            ast::Initializer::Expression(_) => values += 1,
            ast::Initializer::List(list) if list.len() <= MAX_STORED_VALUES => {
                todo.extend(list.iter().map(|(_, inner)| inner));
            }
            ast::Initializer::List(_) | ast::Initializer::Arguments(_) => return false,
        }
        if values > MAX_STORED_VALUES {
            return false;
        }
    }
    true
}

/// The largest index of an initialised element. Memory is needed for all elements before it.
const MAX_ELEMENTS: u64 = 1 << 24;

impl Checker<'_> {
    /// Returns the value of an expression, if it is a constant integer. Its problems are reported elsewhere.
    pub(crate) fn constant_if_any(&mut self, root: ast::ExprId) -> Option<i128> {
        self.quietly(|checker| checker.constant_integer(root))
    }

    /// Returns the value of an integer constant expression.
    pub(crate) fn constant_integer(&mut self, root: ast::ExprId) -> Option<i128> {
        let id = self.rvalue(root);
        let ty = self.exprs[id].ty;
        match (self.constant(id, 0)?, ty.kind()) {
            (Constant::Integer(value), TyKind::Integer(_) | TyKind::Bool) => Some(value),
            (Constant::Zero, TyKind::Integer(_) | TyKind::Bool) => Some(0),
            _ => None,
        }
    }

    /// Returns a condition as a constant, if its truth does not depend on the execution.
    pub(super) fn with_known_truth(&mut self, condition: ExprId) -> ExprId {
        let Expr { ty, span, .. } = self.exprs[condition];
        let known = self.constant(condition, 0).and_then(|constant| truth(&constant, ty));
        match known {
            Some(holds) => self.push(ExprKind::Constant(Constant::Integer(holds.into())), Ty::BOOL, span),
            None => condition,
        }
    }

    /// Returns the value of an expression, if it does not depend on the execution. Many constants were folded when they
    /// were checked.
    pub(super) fn constant(&self, id: ExprId, depth: u32) -> Option<Constant> {
        if depth > MAX_DEPTH {
            return None;
        }
        let at = |id: ExprId| self.constant(id, depth + 1);
        let expr = &self.exprs[id];
        let holds = |id: ExprId| truth(&at(id)?, self.exprs[id].ty);
        let int = |value: bool| Some(Constant::Integer(value.into()));
        match &expr.kind {
            ExprKind::Constant(constant) => Some(constant.clone()),
            ExprKind::Convert { conversion, operand } => {
                let from = self.exprs[*operand].ty;
                let constant = at(*operand)?;
                if from.as_vector().is_some() {
                    return None;
                }
                let converted = convert_constant(&constant, from, expr.ty, *conversion);
                converted.or_else(|| match conversion {
                    Conversion::FloatToInt => saturated(&constant, expr.ty),
                    _ => None,
                })
            }
            ExprKind::Load(place) => match self.held(*place, depth + 1)? {
                Data::Constant(constant) => Some(constant),
                _ => None,
            },
            ExprKind::Unary { op, operand } => unary(*op, &at(*operand)?, expr.ty),
            ExprKind::Not(operand) if expr.ty.as_vector().is_none() => int(!holds(*operand)?),
            ExprKind::Not(operand) => {
                let operand_ty = self.exprs[*operand].ty;
                let operand = at(*operand)?;
                lanes(&operand, &operand, operand_ty, |lane, _, ty| mask(!truth(lane, ty)?))
            }
            ExprKind::Binary { op, left, right } => binary(*op, &at(*left)?, &at(*right)?, expr.ty),
            ExprKind::Compare { op, left, right } if expr.ty.as_vector().is_none() => {
                int(compare(*op, &at(*left)?, &at(*right)?, self.exprs[*left].ty)?)
            }
            ExprKind::Compare { op, left, right } => {
                let ty = self.exprs[*left].ty;
                lanes(&at(*left)?, &at(*right)?, ty, |l, r, ty| mask(compare(*op, l, r, ty)?))
            }
            ExprKind::LogicalLanes { and, left, right } => {
                let ty = self.exprs[*left].ty;
                lanes(&at(*left)?, &at(*right)?, ty, |l, r, ty| {
                    let (l, r) = (truth(l, ty)?, truth(r, ty)?);
                    mask(if *and { l && r } else { l || r })
                })
            }
            ExprKind::Logical { and: true, left, right } => int(holds(*left)? && holds(*right)?),
            ExprKind::Logical { and: false, left, right } => int(holds(*left)? || holds(*right)?),
            ExprKind::Conditional { condition, then, otherwise } => {
                if holds(*condition)? {
                    at(*then)
                } else {
                    at(*otherwise)
                }
            }
            ExprKind::Elvis { value, otherwise } if self.exprs[*value].ty == expr.ty => {
                if holds(*value)? {
                    at(*value)
                } else {
                    at(*otherwise)
                }
            }
            ExprKind::Comma { left, right } => at(*left).and_then(|_| at(*right)),
            ExprKind::Vector(parts) => {
                let mut lanes = Vec::new();
                for part in parts {
                    match at(*part)? {
                        Constant::Vector(part) => lanes.extend(part),
                        constant => lanes.push(constant),
                    }
                }
                Some(Constant::Vector(lanes.into()))
            }
            _ => None,
        }
    }

    /// Returns the initial contents of a variable. `from` is the first expression of its initialiser. A value that is
    /// not constant is a problem, and makes the contents unknown.
    pub(super) fn data(&mut self, filled: Result<Data, ExprId>, from: ExprId, span: Span) -> Option<Data> {
        let value = match filled {
            Ok(data) => return Some(data),
            Err(value) => value,
        };
        let expr = &self.exprs[value];
        let at = if expr.span.start < expr.span.end { expr.span } else { span };
        if !self.may_be_constant(value, from) {
            self.problem(at, TypeProblemKind::NotConstant);
        }
        Some(Data::Unknown)
    }

    /// Returns the known contents of a constant with this initialiser.
    pub(super) fn holds(&self, filled: &Result<Data, ExprId>, from: ExprId) -> Holds {
        match filled {
            Ok(data) if is_small(data) => Holds::Known(data.clone()),
            Err(value) if !self.may_be_constant(*value, from) => Holds::Variable,
            _ => Holds::UnknownConstant,
        }
    }

    /// Returns the contents of an object of a type after its initialiser, or the first value that is not constant.
    pub(super) fn initial_data(&self, initializer: &Initializer, ty: Ty) -> Result<Data, ExprId> {
        let mut root = Node::Zero;
        for (path, value) in &initializer.entries {
            let far = path
                .iter()
                .any(|step| matches!(step, SubobjectStep::Element(index) if *index > MAX_ELEMENTS));
            let data = self.entry_data(*value, 0).filter(|_| !far).ok_or(*value)?;
            root.put(path, ty, data);
        }
        Ok(root.data())
    }

    /// Whether a value may be constant although its value was not found: its type or an expression of the initialiser
    /// is unknown.
    fn may_be_constant(&self, value: ExprId, from: ExprId) -> bool {
        mentions_unknown(self.exprs[value].ty) || self.exprs[from..].iter().any(|expr| self.is_unknown(expr))
    }

    /// Whether the value of an expression, or of the constant that it names, is unknown.
    pub(super) fn is_unknown(&self, expr: &Expr) -> bool {
        // A block literal is constant, but has no number as its value.
        matches!(expr.kind, ExprKind::Unknown { .. } | ExprKind::Block)
            || matches!(self.declared_to_hold(expr), Some(Holds::UnknownConstant))
    }

    /// Returns the contents of the variable that an expression names, according to its declaration.
    fn declared_to_hold(&self, expr: &Expr) -> Option<&Holds> {
        match &expr.kind {
            ExprKind::Variable(var) => self.held.get(var),
            ExprKind::Global(name) => match self.global_meaning(*name)? {
                Meaning::Global { holds, .. } => Some(holds),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the contents of a place, if they do not depend on the execution.
    fn held(&self, place: ExprId, depth: u32) -> Option<Data> {
        if depth > MAX_DEPTH {
            return None;
        }
        let expr = &self.exprs[place];
        match &expr.kind {
            ExprKind::Field { base, field } => part(&self.held(*base, depth + 1)?, u64::from(*field)),
            ExprKind::String(bytes) => Some(Data::Bytes(bytes.clone())),
            ExprKind::Deref(pointer) => {
                let (array, index) = match self.exprs[*pointer].kind {
                    ExprKind::Offset { pointer, index, negative: false } => (pointer, Some(index)),
                    _ => (*pointer, None),
                };
                let ExprKind::Decay(array) = self.exprs[array].kind else {
                    return Self::string_byte(&self.entry_data(*pointer, depth + 1)?, expr.ty);
                };
                let TyKind::Array { length, .. } = self.exprs[array].ty.kind() else { return None };
                let index = match index {
                    Some(index) => as_integer(&self.constant(index, depth + 1)?)?,
                    None => 0,
                };
                let index = u64::try_from(index).ok().filter(|index| Some(*index) < *length)?;
                part(&self.held(array, depth + 1)?, index)
            }
            _ => match self.declared_to_hold(expr)? {
                Holds::Known(data) => Some(data.clone()),
                Holds::Variable | Holds::UnknownConstant => None,
            },
        }
    }

    /// Returns the character that a constant pointer into a string points to. Other targets may be missing in the item,
    /// so they are unknown.
    fn string_byte(pointer: &Data, ty: Ty) -> Option<Data> {
        let Data::StringAddress { bytes, offset } = pointer else { return None };
        let byte = *bytes.get(usize::try_from(*offset).ok()?).filter(|_| ty == Ty::CHAR)?;
        Some(Data::Constant(Constant::Integer((byte as i8).into())))
    }

    /// Returns the variable at file scope with this name.
    pub(super) fn global_meaning(&self, name: Symbol) -> Option<&Meaning> {
        self.scopes[0].global(name).or_else(|| self.names.global(name))
    }

    /// Returns the value of one entry of an initialiser.
    fn entry_data(&self, id: ExprId, depth: u32) -> Option<Data> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(constant) = self.constant(id, depth) {
            return Some(Data::Constant(constant));
        }
        let expr = &self.exprs[id];
        match &expr.kind {
            ExprKind::String(bytes) => Some(Data::Bytes(bytes.clone())),
            ExprKind::Function(key) => Some(Data::Address { of: GlobalEntity::Function(*key), offset: 0 }),
            ExprKind::Label(label) => Some(Data::Label(*label)),
            ExprKind::Convert { conversion: Conversion::Pointer, operand } => {
                self.entry_data(*operand, depth + 1)
            }
            // The bits of a sampler. Clang does not treat the result of `as_T` as constant either.
            ExprKind::Convert { conversion: Conversion::Bits, operand } => match expr.ty.kind() {
                TyKind::Opaque(_) => self.entry_data(*operand, depth + 1),
                _ => None,
            },
            ExprKind::Decay(place) | ExprKind::AddressOf(place) => self.address(*place, depth + 1),
            ExprKind::Offset { pointer, index, negative } => {
                let size = layout(expr.ty.as_pointer()?.pointee)?.size;
                let index = as_integer(&self.constant(*index, depth + 1)?)?;
                let bytes = i64::try_from(index.checked_mul(size.into())?).ok()?;
                with_offset(
                    self.entry_data(*pointer, depth + 1)?,
                    if *negative { bytes.checked_neg()? } else { bytes },
                )
            }
            // A copy of a constant aggregate: `= (struct s){1, 2}`.
            ExprKind::Load(place) => match &self.exprs[*place].kind {
                ExprKind::Compound { initializer, .. } => {
                    let mut root = Node::Zero;
                    for (path, value) in &initializer.entries {
                        root.put(path, expr.ty, self.entry_data(*value, depth + 1)?);
                    }
                    Some(root.data())
                }
                _ => self.held(*place, depth + 1),
            },
            _ => None,
        }
    }

    /// Returns the address of a place, if it is the same in every execution.
    fn address(&self, place: ExprId, depth: u32) -> Option<Data> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &self.exprs[place].kind {
            ExprKind::Global(name) => Some(Data::Address { of: GlobalEntity::Variable(*name), offset: 0 }),
            ExprKind::String(bytes) => Some(Data::StringAddress { bytes: bytes.clone(), offset: 0 }),
            ExprKind::Deref(pointer) => self.entry_data(*pointer, depth + 1),
            ExprKind::Field { base, field } => {
                let offset = record_layout(self.exprs[*base].ty)?.fields[*field as usize].offset;
                with_offset(self.address(*base, depth + 1)?, i64::try_from(offset).ok()?)
            }
            _ => None,
        }
    }
}

/// Returns a field or element from the contents of an aggregate.
fn part(whole: &Data, number: u64) -> Option<Data> {
    let at = usize::try_from(number).ok()?;
    let zero = Data::Constant(Constant::Zero);
    Some(match whole {
        Data::Constant(Constant::Zero) => zero,
        Data::Aggregate(parts) => parts.get(at).cloned().unwrap_or(zero),
        Data::Bytes(bytes) => {
            let byte = bytes.get(at).copied().unwrap_or(0);
            Data::Constant(Constant::Integer((byte as i8).into()))
        }
        Data::Union { field, data } if u64::from(*field) == number => Data::clone(data),
        _ => return None,
    })
}

fn with_offset(data: Data, bytes: i64) -> Option<Data> {
    Some(match data {
        Data::Address { of, offset } => Data::Address { of, offset: offset.checked_add(bytes)? },
        Data::StringAddress { bytes: text, offset } => {
            Data::StringAddress { bytes: text, offset: offset.checked_add(bytes)? }
        }
        _ => return None,
    })
}
