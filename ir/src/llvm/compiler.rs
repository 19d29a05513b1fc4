//! Functions of the compiler, `__builtin_…`: each becomes an intrinsic of LLVM or a few instructions.

use std::rc::Rc;

use super::convert::width;
use super::function::FunctionWriter;
use super::memory::suffix;
use super::operation::{LaneKind, mask, number};
use super::target::Target;
use super::types::Reason;
use crate::flow::{Call, Op, ValueId};
use crate::types::{Ty, TyKind};
use crate::value::Constant;

/// Whether the result of the call is its first argument, without any other effect.
pub(super) fn is_first_argument(name: &str) -> bool {
    matches!(name, "__builtin_expect" | "__builtin_expect_with_probability" | "__builtin_assume_aligned")
}

impl FunctionWriter<'_, '_> {
    pub fn compiler_call(&mut self, id: ValueId, call: &Call, name: &str, ty: Ty) -> Result<(), Reason> {
        let unknown = || format!("`{name}` is not supported in LLVM IR");
        let short = name.strip_prefix("__builtin_").ok_or_else(unknown)?;
        let arguments: Vec<ValueId> = call.arguments.iter().map(|(value, _)| *value).collect();
        if let Some(short) = short.strip_prefix("amdgcn_") {
            if self.module.target != Target::Amdgcn {
                return Err(format!("`{name}` requires the target `amdgcn`"));
            }
            return self.amdgcn(id, call, short, &arguments).unwrap_or_else(|| Err(unknown()));
        }
        match (short, &arguments[..]) {
            ("unreachable", _) => {
                self.module.declare_intrinsic("llvm.assume", "void", &["i1"]);
                self.line(format_args!("call void @llvm.assume(i1 false)"));
                Ok(())
            }
            ("trap" | "debugtrap", _) => {
                self.module.declare_intrinsic(&format!("llvm.{short}"), "void", &[]);
                self.line(format_args!("call void @llvm.{short}()"));
                Ok(())
            }
            ("assume", [condition]) => {
                let condition = self.typed(*condition)?;
                self.module.declare_intrinsic("llvm.assume", "void", &["i1"]);
                self.line(format_args!("call void @llvm.assume({condition})"));
                Ok(())
            }
            ("memcpy" | "memmove" | "memset", [to, from, size]) => {
                self.memory_call(id, short, *to, *from, *size)
            }
            ("inf" | "inff" | "huge_val" | "huge_valf", []) => {
                let text = self.ty(id)?;
                self.define(id, format_args!("freeze {text} 0x7FF0000000000000"));
                Ok(())
            }
            ("shufflevector", [left, right, lanes @ ..]) => self.shuffle_call(id, *left, *right, lanes),
            ("isnan", [value]) => {
                let value = self.typed(*value)?;
                let bit = self.temporary("nan", format_args!("fcmp uno {value}, 0.0"));
                self.define(id, format_args!("zext i1 {bit} to i32"));
                Ok(())
            }
            ("isinf", [value]) => self.class(id, *value, 0x204),
            ("isfinite", [value]) => self.class(id, *value, 0x1f8),
            ("isnormal", [value]) => self.class(id, *value, 0x108),
            ("signbit", [value]) => {
                let bits = width(self.function.values[*value].ty);
                let value = self.typed(*value)?;
                let integer = self.temporary("bits", format_args!("bitcast {value} to i{bits}"));
                let sign = self.temporary("sign", format_args!("icmp slt i{bits} {integer}, 0"));
                self.define(id, format_args!("zext i1 {sign} to i32"));
                Ok(())
            }
            ("fmod" | "fmodf", [left, right]) => {
                let (left, right) = (self.typed(*left)?, self.operand(*right));
                self.define(id, format_args!("frem {left}, {right}"));
                Ok(())
            }
            (_, [value]) if self.bits_call(id, short, *value)? => Ok(()),
            ("rotateleft8" | "rotateleft16" | "rotateleft32" | "rotateleft64", [value, count]) => {
                self.same_types(id, "fshl", &[*value, *value, *count])
            }
            ("rotateright8" | "rotateright16" | "rotateright32" | "rotateright64", [value, count]) => {
                self.same_types(id, "fshr", &[*value, *value, *count])
            }
            (_, [vector]) if short.starts_with("reduce_") => self.reduce(id, &short[7..], *vector),
            _ => {
                let kind = ty.as_function().map_or(LaneKind::Unsigned, |function| number(function.result));
                let base = intrinsic(short, kind).ok_or_else(unknown)?;
                self.same_types(id, base, &arguments)
            }
        }
    }

    /// Writes the call of an intrinsic whose operands and result have the same type.
    pub(super) fn same_types(
        &mut self,
        id: ValueId,
        base: &str,
        arguments: &[ValueId],
    ) -> Result<(), Reason> {
        let ty = self.function.values[id].ty;
        let text = self.ty(id)?;
        let mut operands: Vec<Rc<str>> = arguments.iter().map(|value| self.operand(*value)).collect();
        let mut types: Vec<&str> = arguments.iter().map(|_| &*text).collect();
        if base == "abs" {
            // The smallest value has a defined result: itself.
            types.push("i1");
            operands.push("false".into());
        }
        let name = format!("llvm.{base}.{}", overload(ty));
        self.module.declare_intrinsic(&name, &text, &types);
        let operands: Vec<String> =
            types.iter().zip(&operands).map(|(ty, operand)| format!("{ty} {operand}")).collect();
        self.define(id, format_args!("call {text} @{name}({})", operands.join(", ")));
        Ok(())
    }

    /// Writes a function that counts or finds bits. Returns false if it is another function.
    pub(super) fn bits_call(&mut self, id: ValueId, short: &str, value: ValueId) -> Result<bool, Reason> {
        let Some(family) =
            ["popcount", "clz", "ctz", "parity", "ffs"].into_iter().find(|family| short.starts_with(family))
        else {
            return Ok(false);
        };
        let ty = self.function.values[value].ty;
        let (text, operand) = (self.ty(value)?, self.operand(value));
        let base = match family {
            "popcount" | "parity" => "ctpop",
            "clz" => "ctlz",
            _ => "cttz",
        };
        let name = format!("llvm.{base}.{}", overload(ty));
        let mut count = if base == "ctpop" {
            self.module.declare_intrinsic(&name, &text, &[&text]);
            self.temporary("count", format_args!("call {text} @{name}({text} {operand})"))
        } else {
            self.module.declare_intrinsic(&name, &text, &[&text, "i1"]);
            self.temporary("count", format_args!("call {text} @{name}({text} {operand}, i1 false)"))
        };
        if family == "parity" {
            count = self.temporary("odd", format_args!("and {text} {count}, 1"));
        }
        if family == "ffs" {
            let next = self.temporary("next", format_args!("add {text} {count}, 1"));
            let none = self.temporary("none", format_args!("icmp eq {text} {operand}, 0"));
            count = self.temporary("first", format_args!("select i1 {none}, {text} 0, {text} {next}"));
        }
        let result = self.ty(id)?;
        match width(ty).cmp(&width(self.function.values[id].ty)) {
            std::cmp::Ordering::Greater => self.define(id, format_args!("trunc {text} {count} to {result}")),
            std::cmp::Ordering::Less => self.define(id, format_args!("zext {text} {count} to {result}")),
            std::cmp::Ordering::Equal => self.define(id, format_args!("or {text} {count}, 0")),
        }
        Ok(true)
    }

    fn class(&mut self, id: ValueId, value: ValueId, classes: u32) -> Result<(), Reason> {
        let ty = self.function.values[value].ty;
        let text = self.ty(value)?;
        let name = format!("llvm.is.fpclass.{}", overload(ty));
        self.module.declare_intrinsic(&name, "i1", &[&text, "i32"]);
        let operand = self.operand(value);
        let bit = self.temporary("is", format_args!("call i1 @{name}({text} {operand}, i32 {classes})"));
        self.define(id, format_args!("zext i1 {bit} to i32"));
        Ok(())
    }

    pub(super) fn memory_call(
        &mut self,
        id: ValueId,
        short: &str,
        to: ValueId,
        from: ValueId,
        size: ValueId,
    ) -> Result<(), Reason> {
        let (to_ty, size) = (self.ty(to)?, self.typed(size)?);
        let address = self.operand(to);
        if short == "memset" {
            let name = format!("llvm.memset.{}.i64", suffix(&to_ty));
            self.module.declare_intrinsic(&name, "void", &[&to_ty, "i8", "i64", "i1"]);
            let value = self.typed(from)?;
            let byte = self.temporary("byte", format_args!("trunc {value} to i8"));
            self.line(format_args!("call void @{name}({to_ty} {address}, i8 {byte}, {size}, i1 false)"));
        } else {
            let from_ty = self.ty(from)?;
            let name = format!("llvm.{short}.{}.{}.i64", suffix(&to_ty), suffix(&from_ty));
            self.module.declare_intrinsic(&name, "void", &[&to_ty, &from_ty, "i64", "i1"]);
            let from = self.typed(from)?;
            self.line(format_args!("call void @{name}({to_ty} {address}, {from}, {size}, i1 false)"));
        }
        if !self.function.values[id].ty.is_void() {
            self.define(id, format_args!("getelementptr i8, {to_ty} {address}, i64 0"));
        }
        Ok(())
    }

    fn shuffle_call(
        &mut self,
        id: ValueId,
        left: ValueId,
        right: ValueId,
        lanes: &[ValueId],
    ) -> Result<(), Reason> {
        let vector = |value: ValueId| self.function.values[value].ty.as_vector();
        let (Some((element, left_lanes)), Some((_, right_lanes))) = (vector(left), vector(right)) else {
            return Err("an operand of a shuffle is not a vector".to_owned());
        };
        let width = left_lanes.max(right_lanes);
        let mut operand = |value: ValueId, lanes: u8| {
            if lanes == width {
                Ok(self.operand(value))
            } else {
                self.resized(element, &self.operand(value), lanes, width)
            }
        };
        let left = operand(left, left_lanes)?;
        let right = operand(right, right_lanes)?;
        let lane = |value: &ValueId| match &self.function.values[*value].op {
            Op::Constant(Constant::Integer(lane)) => u8::try_from(*lane)
                .ok()
                // The second operand may have been widened, or may follow a first operand that was widened.
                .map(|lane| if lane < left_lanes { lane } else { lane - left_lanes + width }),
            Op::Constant(Constant::Zero) => Some(0),
            _ => None,
        };
        let lanes: Vec<Option<u8>> = lanes.iter().map(lane).collect();
        let element = self.module.types.value(element)?;
        let vector = format!("<{width} x {element}>");
        let mask = mask(lanes.iter().copied());
        self.define(id, format_args!("shufflevector {vector} {left}, {vector} {right}, {mask}"));
        Ok(())
    }

    fn reduce(&mut self, id: ValueId, what: &str, vector: ValueId) -> Result<(), Reason> {
        let ty = self.function.values[vector].ty;
        let base = match (what, number(ty)) {
            ("min", LaneKind::Float) => "fmin",
            ("max", LaneKind::Float) => "fmax",
            (_, LaneKind::Float) => {
                return Err("the order of a floating-point vector reduction is unspecified".to_owned());
            }
            ("min", LaneKind::Signed) => "smin",
            ("max", LaneKind::Signed) => "smax",
            ("min", _) => "umin",
            ("max", _) => "umax",
            (same, _) => same,
        };
        let (result, text) = (self.ty(id)?, self.ty(vector)?);
        let name = format!("llvm.vector.reduce.{base}.{}", overload(ty));
        self.module.declare_intrinsic(&name, &result, &[&text]);
        let operand = self.operand(vector);
        self.define(id, format_args!("call {result} @{name}({text} {operand})"));
        Ok(())
    }

    /// Writes a function of amdgcn. Returns `None` if it is unknown.
    fn amdgcn(
        &mut self,
        id: ValueId,
        call: &Call,
        short: &str,
        arguments: &[ValueId],
    ) -> Option<Result<(), Reason>> {
        let name = match short {
            "alignbit" => "llvm.fshr.i32",
            "perm" => "llvm.amdgcn.perm",
            "alignbyte" => "llvm.amdgcn.alignbyte",
            "ubfe" | "bfe_u32" => "llvm.amdgcn.ubfe.i32",
            "sbfe" => "llvm.amdgcn.sbfe.i32",
            "sad_u8" => "llvm.amdgcn.sad.u8",
            "s_barrier" => "llvm.amdgcn.s.barrier",
            "wave_barrier" => "llvm.amdgcn.wave.barrier",
            "readfirstlane" => "llvm.amdgcn.readfirstlane.i32",
            "readlane" => "llvm.amdgcn.readlane.i32",
            "ds_bpermute" => "llvm.amdgcn.ds.bpermute",
            "ds_permute" => "llvm.amdgcn.ds.permute",
            "mbcnt_lo" => "llvm.amdgcn.mbcnt.lo",
            "mbcnt_hi" => "llvm.amdgcn.mbcnt.hi",
            "workitem_id_x" => "llvm.amdgcn.workitem.id.x",
            "workitem_id_y" => "llvm.amdgcn.workitem.id.y",
            "workitem_id_z" => "llvm.amdgcn.workitem.id.z",
            "workgroup_id_x" => "llvm.amdgcn.workgroup.id.x",
            "workgroup_id_y" => "llvm.amdgcn.workgroup.id.y",
            "workgroup_id_z" => "llvm.amdgcn.workgroup.id.z",
            _ => return None,
        };
        Some(self.intrinsic_call(id, call, name, arguments))
    }

    fn intrinsic_call(
        &mut self,
        id: ValueId,
        call: &Call,
        name: &str,
        arguments: &[ValueId],
    ) -> Result<(), Reason> {
        let result = self.ty(id)?;
        let mut types = Vec::new();
        let mut operands = Vec::new();
        for &argument in arguments {
            types.push(self.ty(argument)?);
            operands.push(self.typed(argument)?);
        }
        let types: Vec<&str> = types.iter().map(|ty| &**ty).collect();
        self.module.declare_intrinsic(name, &result, &types);
        let tail = self.tail(call)?;
        self.define(id, format_args!("call {result} @{name}({}){tail}", operands.join(", ")));
        Ok(())
    }
}

/// Returns the intrinsic for a function of the compiler whose operands and result have the same type.
fn intrinsic(short: &str, kind: LaneKind) -> Option<&'static str> {
    // `sinf` is `sin` of `float`.
    let name = short.strip_suffix('f').filter(|_| kind == LaneKind::Float).unwrap_or(short);
    Some(match (name, kind) {
        ("bswap16" | "bswap32" | "bswap64", _) => "bswap",
        ("bitreverse8" | "bitreverse16" | "bitreverse32" | "bitreverse64" | "elementwise_bitreverse", _) => {
            "bitreverse"
        }
        ("elementwise_popcount", _) => "ctpop",
        ("elementwise_abs", LaneKind::Float) => "fabs",
        ("elementwise_abs" | "abs" | "labs" | "llabs", _) => "abs",
        ("elementwise_min", LaneKind::Float) => "minnum",
        ("elementwise_max", LaneKind::Float) => "maxnum",
        ("elementwise_min", LaneKind::Signed) => "smin",
        ("elementwise_max", LaneKind::Signed) => "smax",
        ("elementwise_min", _) => "umin",
        ("elementwise_max", _) => "umax",
        ("elementwise_add_sat", LaneKind::Signed) => "sadd.sat",
        ("elementwise_sub_sat", LaneKind::Signed) => "ssub.sat",
        ("elementwise_add_sat", _) => "uadd.sat",
        ("elementwise_sub_sat", _) => "usub.sat",
        ("fabs", _) => "fabs",
        ("sqrt" | "elementwise_sqrt", _) => "sqrt",
        ("floor" | "elementwise_floor", _) => "floor",
        ("ceil" | "elementwise_ceil", _) => "ceil",
        ("trunc" | "elementwise_trunc", _) => "trunc",
        ("rint", _) => "rint",
        ("round", _) => "round",
        ("elementwise_roundeven", _) => "roundeven",
        ("sin" | "elementwise_sin", _) => "sin",
        ("cos" | "elementwise_cos", _) => "cos",
        ("exp" | "elementwise_exp", _) => "exp",
        ("exp2", _) => "exp2",
        ("log" | "elementwise_log", _) => "log",
        ("log2", _) => "log2",
        ("log10", _) => "log10",
        ("canonicalize", _) => "canonicalize",
        ("copysign" | "elementwise_copysign", _) => "copysign",
        ("fmin", _) => "minnum",
        ("fmax", _) => "maxnum",
        ("pow" | "elementwise_pow", _) => "pow",
        ("fma" | "elementwise_fma", _) => "fma",
        _ => return None,
    })
}

/// Returns the suffix for a type in the name of an intrinsic.
fn overload(ty: Ty) -> String {
    match ty.kind() {
        TyKind::Vector { element, lanes, .. } => format!("v{lanes}{}", overload(*element)),
        TyKind::Float(float) => format!("f{}", float.bits()),
        _ => format!("i{}", width(ty)),
    }
}
