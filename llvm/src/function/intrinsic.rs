//! Intrinsics of LLVM and of targets.
//!
//! Computations on integers become operations of the graph, so that they are exact in each language:
//!
//! ```text
//! %m = call i32 @llvm.umin.i32(i32 %a, i32 %b)  →  %0 = lt uint(%a), uint(%b); %m = select %0, %a, %b
//! ```

use tangle_base::Symbol;
use tangle_ir::flow::{Op, Token, ValueId};
use tangle_ir::types::Ty;
use tangle_ir::value::{Arithmetic, Comparison, Constant as Scalar, Conversion};

use super::call::{Called, Convergence, compiler_builtin};
use super::{Built, FunctionReader};
use crate::callee::{Form, Language, Row, dimension};
use crate::error::{Error, ErrorKind};
use crate::types::{Class, Number};

/// Parts of the packet that describes a launch on amdgcn: the offset in bytes, the bytes of the number, its builtin, and
/// the dimension.
type Described = (u64, u32, &'static str, i128);

/// `llvm.amdgcn.implicitarg.ptr`, as code objects since version 5 have it.
const IMPLICIT: [Described; 9] = [
    (0, 4, "get_num_groups", 0),
    (4, 4, "get_num_groups", 1),
    (8, 4, "get_num_groups", 2),
    (12, 2, "get_local_size", 0),
    (14, 2, "get_local_size", 1),
    (16, 2, "get_local_size", 2),
    (40, 8, "get_global_offset", 0),
    (48, 8, "get_global_offset", 1),
    (56, 8, "get_global_offset", 2),
];

/// `llvm.amdgcn.dispatch.ptr`: the packet of the Heterogeneous System Architecture.
const DISPATCH: [Described; 6] = [
    (4, 2, "get_local_size", 0),
    (6, 2, "get_local_size", 1),
    (8, 2, "get_local_size", 2),
    (12, 4, "get_global_size", 0),
    (16, 4, "get_global_size", 1),
    (20, 4, "get_global_size", 2),
];

impl FunctionReader<'_, '_, '_> {
    /// Calls an intrinsic.
    pub(super) fn intrinsic(&mut self, symbol: Symbol, called: Called) -> Result<Built, Error> {
        let text = symbol.as_str();
        if let Some(kind) = text.strip_prefix("llvm.experimental.convergence.") {
            return self.token(kind, &called);
        }
        let Some(values) = called.values() else { return self.unknown_intrinsic(text, &called, &[]) };
        if let Some((name, axis)) = dimension(text) {
            let axis = self.op(Op::Constant(Scalar::Integer(axis.into())), Ty::UINT)?;
            let value = self.builtin(name, &[(axis, Ty::UINT)], Ty::UINT)?;
            let result = self.number(called.result)?;
            return Ok(Built::One(self.narrowed(value, result)?));
        }
        if let Some(row) = Row::of(text) {
            return self.row_call(row, called);
        }
        let name = text.strip_prefix("llvm.").unwrap_or(text);
        let name = without_types(name);
        if let Some(built) = self.of_target(text, name, &values, &called)? {
            return Ok(built);
        }
        if let Some(built) = self.of_memory(name, &values)? {
            return Ok(built);
        }
        if let Some(number) = self.reader.types.number(called.result) {
            if let Some(value) = self.of_numbers(name, &values, number, &called)? {
                return Ok(Built::One(value));
            }
        } else if let Some((name, rest)) = name.split_once(".with.")
            && rest == "overflow"
            && let [left, right] = values[..]
        {
            let number = self.number(called.arguments[0].ty)?;
            return self.with_overflow(name, number, left, right);
        }
        self.unknown_intrinsic(text, &called, &values)
    }

    /// `entry`, `anchor` and `loop`.
    fn token(&mut self, kind: &str, called: &Called) -> Result<Built, Error> {
        let (_, parent) = called.convergence;
        let token = match (kind, parent) {
            ("entry", None) => Token::Entry,
            ("anchor", None) => Token::Anchor,
            ("loop", Some(parent)) => Token::Loop(parent),
            ("loop", None) => {
                return Err(self.reader.expected("a `convergencectrl` bundle with the parent of `loop`"));
            }
            ("entry" | "anchor", Some(_)) => {
                return Err(self.reader.expected("no `convergencectrl` bundle at `entry` and `anchor`"));
            }
            _ => {
                return Err(
                    self.error(ErrorKind::Unsupported(format!("llvm.experimental.convergence.{kind}")))
                );
            }
        };
        if self.number(called.result)?.class != Class::Token {
            return Err(self.reader.expected("the result type `token`"));
        }
        Ok(Built::One(self.op(Op::Token(token), Ty::TOKEN)?))
    }

    /// Calls the builtin of a row.
    pub(super) fn row_call(&mut self, row: &Row, called: Called) -> Result<Built, Error> {
        let Some(values) = called.values() else {
            return Err(self.reader.expected("the operands of the intrinsic"));
        };
        if values.len() < row.parameters.len() {
            return Err(self.reader.expected("the operands of the intrinsic"));
        }
        let mut arguments = Vec::new();
        for (number, form) in row.parameters.iter().enumerate() {
            let value = values[number];
            let of = self.number(called.arguments[number].ty)?;
            let ty = form_type(*form, of);
            arguments
                .push((if ty == of.ty { value } else { self.convert(Conversion::Integer, value, ty)? }, ty));
        }
        let (is_convergent, token) = called.convergence;
        let convergence = (is_convergent || row.is_convergent, token);
        let name = row.name(self.environment.language);
        if row.result == Form::Void {
            self.convergent_builtin(name, &arguments, Ty::VOID, convergence)?;
            return Ok(Built::Nothing);
        }
        let result = self.number(called.result)?;
        let ty = form_type(row.result, result);
        let value = self.convergent_builtin(name, &arguments, ty, convergence)?;
        Ok(Built::One(match row.result {
            Form::Truth => self.convert(Conversion::ToBool, value, Ty::BOOL)?,
            Form::Same => value,
            _ => self.narrowed(value, result)?,
        }))
    }

    /// Intrinsics of targets that are not one builtin with the same operands.
    fn of_target(
        &mut self,
        text: &str,
        name: &str,
        values: &[ValueId],
        called: &Called,
    ) -> Result<Option<Built>, Error> {
        let (is_convergent, token) = called.convergence;
        let convergence = (true, token);
        if let Some(rest) = text.strip_prefix("llvm.nvvm.shfl.sync.") {
            return self.shuffle(rest, values, convergence).map(Some);
        }
        if let (Some(kind), [value, mask]) = (text.strip_prefix("llvm.nvvm.redux.sync."), values) {
            return self.reduce(kind, *value, *mask, convergence).map(Some);
        }
        match (name, values) {
            ("nvvm.match.all.sync.i32p" | "nvvm.match.all.sync.i64p", &[mask, value]) => {
                let equal = self.temporary(Ty::INT)?;
                let mask = self.convert(Conversion::Integer, mask, Ty::UINT)?;
                let arguments =
                    [(mask, Ty::UINT), (value, self.builder.ty(value)), (equal, self.builder.ty(equal))];
                let lanes = self.convergent_builtin("__match_all_sync", &arguments, Ty::UINT, convergence)?;
                let lanes = self.convert(Conversion::Integer, lanes, Ty::INT)?;
                let equal = self.op(Op::Load { address: equal, volatile: false, align: 4 }, Ty::INT)?;
                let equal = self.convert(Conversion::ToBool, equal, Ty::BOOL)?;
                Ok(Some(Built::Parts(vec![Built::One(lanes), Built::One(equal)])))
            }
            ("amdgcn.ds.bpermute", &[address, value]) => {
                let two = self.integer(Number::integer(32), 2)?;
                let lane = self.arithmetic(Arithmetic::Shr, address, two)?;
                let (name, ty) = match self.environment.language {
                    Language::OpenCl => ("sub_group_shuffle", Ty::UINT),
                    _ => ("__shfl", Ty::INT),
                };
                let lane = self.convert(Conversion::Integer, lane, ty)?;
                let of = self.builder.ty(value);
                Ok(Some(Built::One(self.convergent_builtin(
                    name,
                    &[(value, of), (lane, ty)],
                    of,
                    convergence,
                )?)))
            }
            ("amdgcn.mbcnt.lo" | "amdgcn.mbcnt.hi", &[mask, base]) => {
                Ok(Some(Built::One(self.lanes_before(name.ends_with("hi"), mask, base)?)))
            }
            ("amdgcn.implicitarg.ptr", []) => self.description(&IMPLICIT, called).map(Some),
            ("amdgcn.dispatch.ptr", []) => self.description(&DISPATCH, called).map(Some),
            // The first half of a barrier: the second half waits.
            ("amdgcn.s.barrier.signal", _) => Ok(Some(Built::Nothing)),
            ("amdgcn.s.barrier.wait", _) => {
                let row = Row::of("llvm.amdgcn.s.barrier");
                let Some(row) = row else { return Ok(None) };
                let name = row.name(self.environment.language);
                self.convergent_builtin(name, &[], Ty::VOID, convergence)?;
                Ok(Some(Built::Nothing))
            }
            ("sideeffect", []) => {
                // It keeps a token alive.
                let callee = compiler_builtin("__builtin_llvm_sideeffect", Vec::new(), Ty::VOID);
                self.call(callee, &[], Ty::VOID, (is_convergent, token))?;
                Ok(Some(Built::Nothing))
            }
            _ => Ok(None),
        }
    }

    /// `__shfl_down_sync(mask, value, distance)`. Bits 8 to 12 of the last operand select the segment of a lane.
    fn shuffle(&mut self, rest: &str, values: &[ValueId], convergence: Convergence) -> Result<Built, Error> {
        let &[mask, value, by, clamp] = values else { return Err(self.reader.expected("four operands")) };
        let (kind, suffix) = rest.split_once('.').unwrap_or((rest, ""));
        let is_opencl = self.environment.language == Language::OpenCl;
        let (name, ty, last) = match kind {
            "idx" => ("__shfl_sync", Ty::INT, 31),
            "bfly" => ("__shfl_xor_sync", Ty::INT, 31),
            "up" => ("__shfl_up_sync", Ty::UINT, 0),
            "down" => ("__shfl_down_sync", Ty::UINT, 31),
            _ => return Err(self.reader.expected("a shuffle")),
        };
        let opencl = format!("__nvvm_shfl_sync_{kind}_i32");
        let name = if is_opencl { &opencl } else { name };
        let of = self.builder.ty(value);
        let mask = self.convert(Conversion::Integer, mask, Ty::UINT)?;
        let by = self.convert(Conversion::Integer, by, ty)?;
        let mut arguments = vec![(mask, Ty::UINT), (value, of), (by, ty)];
        if self.constant_of(clamp) != Some(last) {
            let int = Number::integer(32);
            let (eight, all) = (self.integer(int, 8)?, self.integer(int, 32)?);
            let segment = self.arithmetic(Arithmetic::Shr, clamp, eight)?;
            arguments.push((self.arithmetic(Arithmetic::Sub, all, segment)?, Ty::INT));
        }
        let moved = self.convergent_builtin(name, &arguments, of, convergence)?;
        if !suffix.ends_with('p') {
            return Ok(Built::One(moved));
        }
        // Whether the lane is in the segment.
        let is_inside = self.unknown("shfl_inside", &[by, clamp], Number::BOOL)?;
        Ok(Built::Parts(vec![Built::One(moved), Built::One(is_inside)]))
    }

    fn reduce(
        &mut self,
        kind: &str,
        value: ValueId,
        mask: ValueId,
        convergence: Convergence,
    ) -> Result<Built, Error> {
        let (name, ty) = match kind {
            "add" => ("__reduce_add_sync", Ty::INT),
            "min" => ("__reduce_min_sync", Ty::INT),
            "max" => ("__reduce_max_sync", Ty::INT),
            "umin" => ("__reduce_min_sync", Ty::UINT),
            "umax" => ("__reduce_max_sync", Ty::UINT),
            "and" => ("__reduce_and_sync", Ty::UINT),
            "or" => ("__reduce_or_sync", Ty::UINT),
            "xor" => ("__reduce_xor_sync", Ty::UINT),
            _ => return Err(self.reader.expected("a reduction")),
        };
        let mask = self.convert(Conversion::Integer, mask, Ty::UINT)?;
        let value = self.convert(Conversion::Integer, value, ty)?;
        let whole = self.convergent_builtin(name, &[(mask, Ty::UINT), (value, ty)], ty, convergence)?;
        Ok(Built::One(self.convert(Conversion::Integer, whole, Ty::INT)?))
    }

    /// The number of lanes before this one in a mask, plus a number. The low half of the mask has lanes 0 to 31.
    fn lanes_before(&mut self, is_high: bool, mask: ValueId, base: ValueId) -> Result<ValueId, Error> {
        let int = Number::integer(32);
        let is_whole = self.constant_of(mask) == Some(-1);
        if is_whole && is_high {
            // Both halves of the whole mask together are the lane. The low half adds it.
            return Ok(base);
        }
        let lane = self.builtin("get_sub_group_local_id", &[], Ty::UINT)?;
        let count = match is_whole {
            true => self.convert(Conversion::Integer, lane, Ty::INT)?,
            false => {
                let long = Number::integer(64);
                let lane = self.convert(Conversion::Integer, lane, Ty::LONG)?;
                let one = self.integer(long, 1)?;
                let bit = self.arithmetic(Arithmetic::Shl, one, lane)?;
                let mut before = self.arithmetic(Arithmetic::Sub, bit, one)?;
                if is_high {
                    let half = self.integer(long, 32)?;
                    before = self.arithmetic(Arithmetic::Shr, before, half)?;
                }
                let before = self.narrowed(before, int)?;
                let lanes = self.arithmetic(Arithmetic::And, mask, before)?;
                self.count_ones(int, lanes)?
            }
        };
        self.arithmetic(Arithmetic::Add, count, base)
    }

    /// Returns the address of a private object with the sizes of the launch.
    fn description(&mut self, parts: &[Described], called: &Called) -> Result<Built, Error> {
        let object = self.temporary(Ty::array(Ty::CHAR, Some(256)))?;
        for &(offset, bytes, name, axis) in parts {
            let axis = self.op(Op::Constant(Scalar::Integer(axis)), Ty::UINT)?;
            let value = self.builtin(name, &[(axis, Ty::UINT)], Ty::UINT)?;
            let ty = Number::integer(8 * bytes).unsigned();
            let value = self.convert(Conversion::Integer, value, ty)?;
            let index = self.integer(Number::integer(64), offset.into())?;
            let of = self.builder.ty(object);
            let address = self.op(Op::Element { base: object, index, element: Ty::CHAR }, of)?;
            self.op(Op::Store { address, value, volatile: false, align: 1 }, Ty::VOID)?;
        }
        let number = self.number(called.result)?;
        Ok(Built::One(self.in_space(object, number)?))
    }

    /// `memcpy`, `memmove` and `memset`.
    fn of_memory(&mut self, name: &str, values: &[ValueId]) -> Result<Option<Built>, Error> {
        let name = name.split('.').next().unwrap_or(name);
        let &[to, from, size, _] = values else { return Ok(None) };
        if !matches!(name, "memcpy" | "memmove" | "memset") {
            return Ok(None);
        }
        let constant = self.constant_of(size).and_then(|size| u64::try_from(size).ok());
        let is_zero = self.constant_of(from) == Some(0);
        let bytes = constant.map(|size| Ty::array(Ty::CHAR, Some(size)));
        let bytes = bytes.filter(|&ty| tangle_ir::layout::layout(ty).is_some());
        match (name, bytes) {
            (_, Some(_)) if constant == Some(0) => {}
            ("memset", Some(ty)) if is_zero => _ = self.op(Op::Clear { address: to, ty }, Ty::VOID)?,
            ("memcpy" | "memmove", Some(ty)) => _ = self.op(Op::Copy { to, from, ty }, Ty::VOID)?,
            _ => {
                let types = [self.builder.ty(to), self.builder.ty(from), Ty::ULONG];
                let size = self.convert(Conversion::Integer, size, Ty::ULONG)?;
                let arguments = [(to, types[0]), (from, types[1]), (size, types[2])];
                self.builtin(name, &arguments, types[0])?;
            }
        }
        Ok(Some(Built::Nothing))
    }

    /// Computations on numbers.
    fn of_numbers(
        &mut self,
        name: &str,
        values: &[ValueId],
        result: Number,
        called: &Called,
    ) -> Result<Option<ValueId>, Error> {
        let first = match called.arguments.first() {
            Some(argument) => self.number(argument.ty)?,
            None => return Ok(None),
        };
        let is_integer = first.class == Class::Integer && (first.is_exact() || first.is_bool());
        Ok(Some(match (name, values) {
            (
                "expect"
                | "expect.with.probability"
                | "ssa.copy"
                | "launder.invariant.group"
                | "strip.invariant.group"
                | "annotation"
                | "ptr.annotation"
                | "arithmetic.fence",
                [value, ..],
            ) => *value,
            ("is.constant", _) => self.integer(Number::BOOL, 0)?,
            ("fmuladd" | "fma", &[a, b, c]) if first.class == Class::Float => {
                let product = self.arithmetic(Arithmetic::Mul, a, b)?;
                self.arithmetic(Arithmetic::Add, product, c)?
            }
            ("umin" | "umax" | "smin" | "smax", &[left, right]) if first.class == Class::Integer => {
                let is_less = self.is_less(name.starts_with('s'), first, left, right)?;
                let (then, otherwise) = if name.ends_with("min") { (left, right) } else { (right, left) };
                self.op(Op::Select { condition: is_less, then, otherwise }, first.ty)?
            }
            ("abs", &[value, ..]) if is_integer => {
                let zero = self.integer(first, 0)?;
                let is_negative = self.is_less(true, first, value, zero)?;
                let negated = self.arithmetic(Arithmetic::Sub, zero, value)?;
                self.op(Op::Select { condition: is_negative, then: negated, otherwise: value }, first.ty)?
            }
            ("ctpop", &[value]) if first.is_exact() => self.count_ones(first, value)?,
            ("cttz", &[value, ..]) if first.is_exact() => {
                // The ones below the lowest one: `~x & (x - 1)`.
                let one = self.integer(first, 1)?;
                let all = self.integer(first, -1)?;
                let less = self.arithmetic(Arithmetic::Sub, value, one)?;
                let not = self.arithmetic(Arithmetic::Xor, value, all)?;
                let below = self.arithmetic(Arithmetic::And, not, less)?;
                self.count_ones(first, below)?
            }
            ("ctlz", &[value, ..]) if first.is_exact() => {
                let mut all = value;
                for by in [1, 2, 4, 8, 16, 32, 64].into_iter().filter(|&by| by < first.bits) {
                    let right = self.logical_right(first, all, by)?;
                    all = self.arithmetic(Arithmetic::Or, all, right)?;
                }
                let ones = self.integer(first, -1)?;
                let zeros = self.arithmetic(Arithmetic::Xor, all, ones)?;
                self.count_ones(first, zeros)?
            }
            ("bswap", &[value]) if first.is_exact() => self.reversed(first, value, 8)?,
            ("bitreverse", &[value]) if first.is_exact() => self.reversed(first, value, 1)?,
            ("fshl" | "fshr", &[high, low, by]) if first.is_exact() => {
                self.funnel(first, name == "fshl", high, low, by)?
            }
            ("uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat", &[left, right])
                if first.is_exact() && first.bits < 128 =>
            {
                self.saturated(name, first, left, right)?
            }
            (
                "vector.reduce.add" | "vector.reduce.mul" | "vector.reduce.and" | "vector.reduce.or"
                | "vector.reduce.xor",
                &[vector],
            ) if is_integer && first.lanes > 1 => {
                let op = match name.rsplit('.').next() {
                    Some("add") => Arithmetic::Add,
                    Some("mul") => Arithmetic::Mul,
                    Some("and") => Arithmetic::And,
                    Some("or") => Arithmetic::Or,
                    _ => Arithmetic::Xor,
                };
                let mut whole: Option<ValueId> = None;
                for lane in 0..first.lanes {
                    let lane = self.integer(Number::integer(32), lane.into())?;
                    let value = self.op(Op::Extract { vector, lane }, first.element)?;
                    whole = Some(match whole {
                        Some(whole) => self.arithmetic(op, whole, value)?,
                        None => value,
                    });
                }
                match whole {
                    Some(whole) => self.narrowed(whole, result)?,
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        }))
    }

    fn logical_right(&mut self, number: Number, value: ValueId, by: u32) -> Result<ValueId, Error> {
        let value = self.unsigned(number, value)?;
        let by = self.integer(number, by.into())?;
        let by = self.unsigned(number, by)?;
        let shifted = self.arithmetic(Arithmetic::Shr, value, by)?;
        self.narrowed(shifted, number)
    }

    /// Returns a number whose bits repeat a pattern: `0x5555…`.
    fn pattern(&mut self, number: Number, ones: u32) -> Result<ValueId, Error> {
        let bits = (0..number.bits.min(128)).filter(|bit| (bit / ones).is_multiple_of(2));
        let pattern = bits.fold(0u128, |pattern, bit| pattern | 1 << bit);
        self.integer(number, pattern as i128)
    }

    /// Counts the bits that are one: pairs, then groups of four, and so on.
    fn count_ones(&mut self, number: Number, value: ValueId) -> Result<ValueId, Error> {
        let mut counts = value;
        let mut width = 1;
        while width < number.bits {
            let mask = self.pattern(number, width)?;
            let right = self.logical_right(number, counts, width)?;
            let (even, odd) = (
                self.arithmetic(Arithmetic::And, counts, mask)?,
                self.arithmetic(Arithmetic::And, right, mask)?,
            );
            counts = self.arithmetic(Arithmetic::Add, even, odd)?;
            width *= 2;
        }
        Ok(counts)
    }

    /// Reverses the order of groups of `width` bits.
    fn reversed(&mut self, number: Number, value: ValueId, width: u32) -> Result<ValueId, Error> {
        let mut all = value;
        let mut width = width;
        while width < number.bits {
            let mask = self.pattern(number, width)?;
            let right = self.logical_right(number, all, width)?;
            let right = self.arithmetic(Arithmetic::And, right, mask)?;
            let left = self.arithmetic(Arithmetic::And, all, mask)?;
            let by = self.integer(number, width.into())?;
            let left = self.arithmetic(Arithmetic::Shl, left, by)?;
            all = self.arithmetic(Arithmetic::Or, left, right)?;
            width *= 2;
        }
        Ok(all)
    }

    /// Shifts two numbers as one, and returns the high or the low half.
    fn funnel(
        &mut self,
        number: Number,
        is_left: bool,
        high: ValueId,
        low: ValueId,
        by: ValueId,
    ) -> Result<ValueId, Error> {
        let mask = self.integer(number, i128::from(number.bits) - 1)?;
        let width = self.integer(number, number.bits.into())?;
        let by = self.arithmetic(Arithmetic::And, by, mask)?;
        let rest = self.arithmetic(Arithmetic::Sub, width, by)?;
        let (left, right) = if is_left { (by, rest) } else { (rest, by) };
        // A shift by the whole width gives no bits: it is done in two steps.
        let one = self.integer(number, 1)?;
        let left_rest = self.arithmetic(Arithmetic::Sub, left, one)?;
        let right_rest = self.arithmetic(Arithmetic::Sub, right, one)?;
        let twice = |this: &mut Self, op, value, all: ValueId, rest: ValueId, is_whole_possible: bool| {
            if !is_whole_possible {
                return this.arithmetic(op, value, all);
            }
            let first = this.arithmetic(op, value, rest)?;
            let by = if op == Arithmetic::Shr { this.unsigned(number, one)? } else { one };
            this.arithmetic(op, first, by)
        };
        let high = twice(self, Arithmetic::Shl, high, left, left_rest, !is_left)?;
        let low = self.unsigned(number, low)?;
        let (right, right_rest) = (self.unsigned(number, right)?, self.unsigned(number, right_rest)?);
        let low = twice(self, Arithmetic::Shr, low, right, right_rest, is_left)?;
        let low = self.narrowed(low, number)?;
        self.arithmetic(Arithmetic::Or, high, low)
    }

    /// Returns a sum or difference in a type that represents it, and the number of the wider type.
    fn wide(
        &mut self,
        op: Arithmetic,
        is_signed: bool,
        number: Number,
        operands: [ValueId; 2],
    ) -> Result<(ValueId, Number), Error> {
        let wide = number.with_lanes_of(Number::integer((2 * number.bits).min(128)));
        let mut converted = [operands[0]; 2];
        for (to, operand) in converted.iter_mut().zip(operands) {
            let value =
                if is_signed { self.signed(number, operand)? } else { self.unsigned(number, operand)? };
            *to = self.convert(Conversion::Integer, value, wide.ty)?;
        }
        Ok((self.arithmetic(op, converted[0], converted[1])?, wide))
    }

    fn limits(&mut self, is_signed: bool, number: Number, wide: Number) -> Result<[ValueId; 2], Error> {
        let (least, most) = match is_signed {
            true => (-(1i128 << (number.bits - 1)), (1i128 << (number.bits - 1)) - 1),
            false => (0, (1i128 << number.bits) - 1),
        };
        Ok([self.integer(wide, least)?, self.integer(wide, most)?])
    }

    fn saturated(
        &mut self,
        name: &str,
        number: Number,
        left: ValueId,
        right: ValueId,
    ) -> Result<ValueId, Error> {
        let is_signed = name.starts_with('s');
        let op = if name.contains("add") { Arithmetic::Add } else { Arithmetic::Sub };
        let (value, wide) = self.wide(op, is_signed, number, [left, right])?;
        let [least, most] = self.limits(is_signed, number, wide)?;
        let is_below = self.is_less(true, wide, value, least)?;
        let value = self.op(Op::Select { condition: is_below, then: least, otherwise: value }, wide.ty)?;
        let is_above = self.is_less(true, wide, most, value)?;
        let value = self.op(Op::Select { condition: is_above, then: most, otherwise: value }, wide.ty)?;
        self.narrowed(value, number)
    }

    /// `{ result, whether it does not fit }`
    fn with_overflow(
        &mut self,
        name: &str,
        number: Number,
        left: ValueId,
        right: ValueId,
    ) -> Result<Built, Error> {
        let is_signed = name.starts_with('s');
        let op = match name.get(1..) {
            Some("add") => Arithmetic::Add,
            Some("sub") => Arithmetic::Sub,
            _ => Arithmetic::Mul,
        };
        let truth = Number::BOOL.vector(number.lanes);
        // The product of two numbers of 64 bits fits into a signed number of 128 bits if they are signed.
        let is_exact = number.is_exact()
            && (number.bits < 64 || number.bits == 64 && (is_signed || op != Arithmetic::Mul));
        if !is_exact {
            let value = self.unknown(name, &[left, right], number)?;
            let overflows = self.unknown("overflow", &[left, right], truth)?;
            return Ok(Built::Parts(vec![Built::One(value), Built::One(overflows)]));
        }
        let (value, wide) = self.wide(op, is_signed, number, [left, right])?;
        let result = self.narrowed(value, number)?;
        let back = if is_signed { self.signed(number, result)? } else { self.unsigned(number, result)? };
        let back = self.convert(Conversion::Integer, back, wide.ty)?;
        let overflows = match number.lanes {
            1 => self.op(Op::Compare { op: Comparison::NotEqual, left: back, right: value }, Ty::BOOL)?,
            _ => {
                let differ =
                    self.op(Op::Compare { op: Comparison::NotEqual, left: back, right: value }, wide.ty)?;
                self.convert(Conversion::Integer, differ, truth.ty)?
            }
        };
        Ok(Built::Parts(vec![Built::One(result), Built::One(overflows)]))
    }

    /// Calls an intrinsic without a counterpart. Its result depends only on its operands.
    fn unknown_intrinsic(&mut self, text: &str, called: &Called, values: &[ValueId]) -> Result<Built, Error> {
        let own = text.strip_prefix("llvm.").unwrap_or(text);
        let of_target = match (own.strip_prefix("amdgcn."), own.strip_prefix("nvvm.")) {
            (Some(rest), _) => Some(format!("__builtin_amdgcn_{}", without_types(rest).replace('.', "_"))),
            (_, Some(rest)) => Some(format!("__nvvm_{}", rest.replace('.', "_"))),
            _ => None,
        };
        let of_target = of_target.filter(|name| (self.environment.is_builtin)(Symbol::intern(name)));
        let name = without_types(own).replace('.', "_");
        if self.reader.types.number(called.result).is_none()
            && self.reader.types.parts(called.result).is_none()
        {
            let types = values.iter().map(|&value| self.builder.ty(value)).collect();
            let name = of_target.unwrap_or(format!("__builtin_llvm_{name}"));
            let callee = compiler_builtin(&name, types, Ty::VOID);
            self.call(callee, values, Ty::VOID, called.convergence)?;
            return Ok(Built::Nothing);
        }
        let mut leaf = 0;
        let (convergence, values) = (called.convergence, values.to_vec());
        self.each_leaf(called.result, &mut 0, &mut |this, number| {
            leaf += 1;
            let mut operands = values.clone();
            if leaf > 1 {
                operands.push(this.integer(Number::integer(32), leaf)?);
            }
            match &of_target {
                Some(name) => {
                    let types = operands.iter().map(|&value| this.builder.ty(value)).collect();
                    let callee = compiler_builtin(name, types, number.ty);
                    this.call(callee, &operands, number.ty, convergence)
                }
                None if convergence.0 => {
                    let types = operands.iter().map(|&value| this.builder.ty(value)).collect();
                    let callee = compiler_builtin(&format!("__builtin_llvm_{name}"), types, number.ty);
                    this.call(callee, &operands, number.ty, convergence)
                }
                None => this.unknown(&name, &operands, number),
            }
        })
    }
}

/// Returns the type in the graph that a parameter or a result of a builtin has.
fn form_type(form: Form, own: Number) -> Ty {
    match form {
        Form::Same => own.ty,
        Form::Int | Form::Truth => Ty::INT,
        Form::UInt => Ty::UINT,
        Form::ULong => Ty::ULONG,
        Form::Void => Ty::VOID,
    }
}

/// Returns the name of an intrinsic without the types at its end: `umin` for `umin.v4i32`.
fn without_types(name: &str) -> &str {
    let mut name = name;
    while let Some((before, word)) = name.rsplit_once('.') {
        let letters = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_scalar = |word: &str| matches!(word, "i" | "f" | "p" | "bf");
        let is_type = letters.len() < word.len()
            && (is_scalar(letters)
                || letters.strip_prefix('v').is_some_and(|rest| {
                    is_scalar(rest.trim_start_matches(|letter: char| letter.is_ascii_digit()))
                }));
        if !is_type {
            break;
        }
        name = before;
    }
    name
}
