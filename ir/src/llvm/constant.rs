//! Constants, and the initial values of variables.

use std::fmt::Write;
use std::rc::Rc;

use tangle_base::AddressSpace;

use super::module::ModuleWriter;
use super::names::{escaped, variable};
use super::types::{Reason, StructElement, is_array, pointer_text};
use crate::key::GlobalEntity;
use crate::types::{Definition, Float, Opaque, Ty, TyKind};
use crate::value::{Constant, Data};

/// An initial value in memory: its type and the constant. If a member of a union other than the most aligned one has
/// the value, this type differs from that of the variable.
struct InitialValue {
    ty: Rc<str>,
    text: String,
}

impl ModuleWriter<'_> {
    /// Returns a constant without its type.
    pub fn constant(&mut self, ty: Ty, constant: &Constant) -> Result<String, Reason> {
        Ok(match (ty.kind(), constant) {
            (_, Constant::Undefined) => "undef".to_owned(),
            (TyKind::Atomic(inner), _) => self.constant(*inner, constant)?,
            (TyKind::Vector { .. }, Constant::Zero) => "zeroinitializer".to_owned(),
            (TyKind::Vector { element, lanes, .. }, constant) => {
                let lane = self.types.value(*element)?;
                let mut text = String::from("<");
                for number in 0..usize::from(*lanes) {
                    let value = match constant {
                        Constant::Vector(values) => values.get(number).unwrap_or(&Constant::Zero),
                        scalar => scalar,
                    };
                    let value = self.constant(*element, value)?;
                    let separator = if number == 0 { "" } else { ", " };
                    let _ = write!(text, "{separator}{lane} {value}");
                }
                text.push('>');
                text
            }
            (TyKind::Bool, Constant::Integer(value)) => (*value != 0).to_string(),
            (TyKind::Bool, Constant::Zero) => "false".to_owned(),
            (TyKind::Integer(_), Constant::Integer(value)) => value.to_string(),
            (TyKind::Integer(_), Constant::Zero) => "0".to_owned(),
            (TyKind::Float(_), Constant::Zero) => "0.0".to_owned(),
            (TyKind::Float(float), Constant::Float(bits)) => float_text(*float, *bits),
            (TyKind::Float(float), Constant::Integer(value)) => float_text(*float, (*value as f64).to_bits()),
            (TyKind::Pointer(_) | TyKind::BlockPointer(_), Constant::Zero | Constant::Integer(0)) => {
                self.null(ty)
            }
            (TyKind::Pointer(_), Constant::Integer(value)) => {
                format!("inttoptr (i64 {} to {})", *value as i64, self.types.value(ty)?)
            }
            (TyKind::Opaque(_), Constant::Zero | Constant::Integer(0)) => match &*self.types.value(ty)? {
                text if text.starts_with("ptr") => "null".to_owned(),
                text if text.starts_with("target") => "zeroinitializer".to_owned(),
                _ => "0".to_owned(),
            },
            _ => return Err("a constant does not fit its type".to_owned()),
        })
    }

    fn null(&self, ty: Ty) -> String {
        match self.types.space_of(ty) {
            Some(space) if self.target.null_is_cast(space) => {
                format!("addrspacecast (ptr null to {})", pointer_text(space))
            }
            _ => "null".to_owned(),
        }
    }

    /// Returns the initial value of a variable of this type: type and constant.
    pub fn initial(&mut self, ty: Ty, data: &Data) -> Result<String, Reason> {
        let initial = self.data(ty, data)?;
        Ok(format!("{} {}", initial.ty, initial.text))
    }

    fn data(&mut self, ty: Ty, data: &Data) -> Result<InitialValue, Reason> {
        let memory = self.types.memory(ty)?;
        let plain = |text: String| Ok(InitialValue { ty: memory.text.clone(), text });
        match (ty.kind(), data) {
            (TyKind::Atomic(inner), _) => self.data(*inner, data),
            (TyKind::Array { .. } | TyKind::Record(_), Data::Constant(Constant::Undefined)) => {
                plain("undef".to_owned())
            }
            (TyKind::Array { .. } | TyKind::Record(_), Data::Constant(_)) => {
                plain("zeroinitializer".to_owned())
            }
            (TyKind::Bool, Data::Constant(Constant::Integer(value))) => plain(value.to_string()),
            (TyKind::Bool, Data::Constant(Constant::Zero)) => plain("0".to_owned()),
            (_, Data::Constant(constant)) => {
                let text = self.constant(ty, constant)?;
                self.value_in_memory(ty, text)
            }
            (_, Data::Address { of, offset }) => {
                let (address, space) = self.address_of(*of, ty)?;
                let text = self.moved(&address, space, *offset, ty)?;
                self.value_in_memory(ty, text)
            }
            (_, Data::StringAddress { bytes, offset }) => {
                let name = self.string(bytes);
                let space = self.target.space(AddressSpace::Constant);
                let text = self.moved(&name, space, *offset, ty)?;
                self.value_in_memory(ty, text)
            }
            (TyKind::Array { length, .. }, Data::Bytes(bytes)) => {
                let length =
                    length.map_or(bytes.len(), |length| usize::try_from(length).unwrap_or(bytes.len()));
                let mut bytes = bytes.to_vec();
                bytes.resize(length, 0);
                plain(format!("c\"{}\"", escaped(&bytes)))
            }
            (TyKind::Array { element, length }, Data::Aggregate(values)) => {
                self.array(*element, length.unwrap_or(values.len() as u64), values)
            }
            (TyKind::Record(record), Data::Aggregate(values)) if !record.union => {
                let definition = record.definition.as_ref().ok_or("a record is incomplete")?;
                self.structure(ty, definition, values)
            }
            (TyKind::Record(record), Data::Union { field, data }) if record.union => {
                let member = record
                    .definition
                    .as_ref()
                    .and_then(|definition| definition.fields.get(*field as usize))
                    .ok_or("a union has no such member")?;
                if let (Some(width), Data::Constant(Constant::Integer(value))) = (member.bits, &**data) {
                    let size = usize::try_from(memory.size).map_err(|_| "a record is too large")?;
                    let mut bytes = vec![0; size];
                    set_bits(&mut bytes, 0, width, *value);
                    return Ok(plain_bytes(&bytes));
                }
                let initial = self.data(member.ty, data)?;
                let used = self.types.memory(member.ty)?.size;
                if used == memory.size {
                    return Ok(initial);
                }
                let (ty, text) = (&initial.ty, &initial.text);
                let rest = memory.size.saturating_sub(used);
                Ok(InitialValue {
                    ty: format!("<{{ {ty}, [{rest} x i8] }}>").into(),
                    text: format!("<{{ {ty} {text}, [{rest} x i8] zeroinitializer }}>"),
                })
            }
            (_, Data::Unknown) => Err("its initial value is unknown".to_owned()),
            (_, Data::Label(_)) => Err("an initialiser contains the address of a label".to_owned()),
            _ => Err("an initialiser does not fit its type".to_owned()),
        }
    }

    /// Returns a scalar, vector or pointer, padded as in memory.
    fn value_in_memory(&mut self, ty: Ty, text: String) -> Result<InitialValue, Reason> {
        let memory = self.types.memory(ty)?;
        let value = self.types.value(ty)?;
        let text = match text.strip_prefix('<').and_then(|text| text.strip_suffix('>')) {
            _ if self.target.is_small_pointer(&value) => {
                format!("{{ {value} {text}, [4 x i8] zeroinitializer }}")
            }
            Some(lanes) if is_array(ty) => format!("[{lanes}]"),
            _ => text,
        };
        Ok(InitialValue { ty: memory.text, text })
    }

    /// Returns the name and the address space of a variable or function of the module.
    fn address_of(&mut self, of: GlobalEntity, ty: Ty) -> Result<(String, u8), Reason> {
        match of {
            GlobalEntity::Variable(name) => {
                let global = self.globals.get(&name).ok_or("an initialiser refers to an unknown variable")?;
                Ok((format!("@{}", variable(name.as_str())), self.target.space(global.space)))
            }
            GlobalEntity::Function(key) => {
                let function = ty.as_pointer().map_or(Ty::UNKNOWN, |pointer| pointer.pointee);
                Ok((self.function_address(key, function)?, 0))
            }
        }
    }

    /// Returns an address plus an offset in bytes, as a constant of type `ty`.
    fn moved(&mut self, address: &str, space: u8, offset: i64, ty: Ty) -> Result<String, Reason> {
        let from = pointer_text(space);
        let address = match offset {
            0 => address.to_owned(),
            _ => format!("getelementptr (i8, {from} {address}, i64 {offset})"),
        };
        let to = self.types.value(ty)?;
        Ok(if *to == *from {
            address
        } else if to.starts_with("ptr") {
            format!("addrspacecast ({from} {address} to {to})")
        } else {
            format!("ptrtoint ({from} {address} to {to})")
        })
    }

    fn array(&mut self, element: Ty, length: u64, values: &[Data]) -> Result<InitialValue, Reason> {
        let expected = self.types.memory(element)?;
        let mut parts = Vec::new();
        for value in values.iter().take(usize::try_from(length).unwrap_or(usize::MAX)) {
            parts.push(self.data(element, value)?);
        }
        let rest = length - parts.len() as u64;
        // If the initialiser is about as long as the array, all elements are written. Otherwise, one zero follows it.
        if parts.iter().all(|part| part.ty == expected.text) && (rest <= 16 || rest <= parts.len() as u64) {
            for _ in 0..rest {
                parts.push(self.data(element, &Data::Constant(Constant::Zero))?);
            }
            let text = parts.iter().map(|part| format!("{} {}", part.ty, part.text)).collect::<Vec<_>>();
            return Ok(InitialValue {
                ty: format!("[{length} x {}]", expected.text).into(),
                text: format!("[{}]", text.join(", ")),
            });
        }
        if rest > 0 {
            let ty = format!("[{rest} x {}]", expected.text);
            parts.push(InitialValue { ty: ty.into(), text: "zeroinitializer".to_owned() });
        }
        Ok(literal(&parts))
    }

    fn structure(
        &mut self,
        ty: Ty,
        definition: &Definition,
        values: &[Data],
    ) -> Result<InitialValue, Reason> {
        let record = self.types.record(ty)?;
        // Bit-fields are in the bytes between fields.
        let size = usize::try_from(record.memory.size).map_err(|_| "a record is too large")?;
        let has_bits = definition.fields.iter().any(|field| field.bits.is_some());
        let mut bits = vec![0_u8; if has_bits { size } else { 0 }];
        for (number, field) in definition.fields.iter().enumerate() {
            let (Some(width), Some(Data::Constant(Constant::Integer(value)))) =
                (field.bits, values.get(number))
            else {
                continue;
            };
            let place = record.layout.fields[number];
            set_bits(&mut bits, place.offset * 8 + u64::from(place.bit), width, *value);
        }
        let mut parts = Vec::new();
        let mut offset = 0;
        let mut same = true;
        for element in &record.elements {
            match *element {
                StructElement::Field(number) => {
                    let field = &definition.fields[number as usize];
                    let expected = self.types.memory(field.ty)?;
                    offset = record.layout.fields[number as usize].offset + expected.size;
                    let zero = Data::Constant(Constant::Zero);
                    let part = self.data(field.ty, values.get(number as usize).unwrap_or(&zero))?;
                    same &= part.ty == expected.text;
                    parts.push((offset - expected.size, expected.size, part));
                }
                StructElement::Bytes(count) => {
                    let own = bits.get(offset as usize..(offset + count) as usize).unwrap_or(&[]);
                    let part = if own.is_empty() { zero_bytes(count) } else { plain_bytes(own) };
                    parts.push((offset, count, part));
                    offset += count;
                }
            }
        }
        if same {
            let (open, close) = if record.packed { ("<{", "}>") } else { ("{", "}") };
            let text =
                parts.iter().map(|(.., part)| format!("{} {}", part.ty, part.text)).collect::<Vec<_>>();
            let text = match text.is_empty() {
                true => "zeroinitializer".to_owned(),
                false => format!("{open} {} {close}", text.join(", ")),
            };
            return Ok(InitialValue { ty: record.memory.text.clone(), text });
        }
        // The type differs from that of the record: also write the bytes that LLVM would use as padding.
        let mut exact = Vec::new();
        let mut end = 0;
        for (offset, size, part) in parts {
            if end < offset {
                exact.push(zero_bytes(offset - end));
            }
            exact.push(part);
            end = offset + size;
        }
        if end < record.memory.size {
            exact.push(zero_bytes(record.memory.size - end));
        }
        Ok(literal(&exact))
    }
}

/// Writes a bit-field. Its first bit is bit `first` of the bytes.
fn set_bits(bytes: &mut [u8], first: u64, width: u32, value: i128) {
    for bit in 0..width {
        let at = first + u64::from(bit);
        let set = value >> bit.min(127) & 1 == 1;
        if let Some(byte) = bytes.get_mut((at / 8) as usize).filter(|_| set) {
            *byte |= 1 << (at % 8);
        }
    }
}

fn plain_bytes(bytes: &[u8]) -> InitialValue {
    if bytes.iter().all(|byte| *byte == 0) {
        return zero_bytes(bytes.len() as u64);
    }
    let ty = format!("[{} x i8]", bytes.len()).into();
    InitialValue { ty, text: format!("c\"{}\"", escaped(bytes)) }
}

fn zero_bytes(count: u64) -> InitialValue {
    InitialValue { ty: format!("[{count} x i8]").into(), text: "zeroinitializer".to_owned() }
}

/// Returns the parts one after the other, without padding.
fn literal(parts: &[InitialValue]) -> InitialValue {
    let types = parts.iter().map(|part| &*part.ty).collect::<Vec<_>>().join(", ");
    let texts = parts.iter().map(|part| format!("{} {}", part.ty, part.text)).collect::<Vec<_>>().join(", ");
    InitialValue { ty: format!("<{{ {types} }}>").into(), text: format!("<{{ {texts} }}>") }
}

/// Returns a literal with exactly this value. LLVM reads decimal literals as `double`.
fn float_text(float: Float, bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_finite() {
        let text = format!("{value:?}");
        return match text.split_once('e') {
            Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
            _ => text,
        };
    }
    match float {
        // LLVM reads hexadecimal digits of a `half` only as its own 16 bits.
        Float::Half => {
            let quiet = u64::from(value.is_nan()) << 9;
            format!("0xH{:04X}", bits >> 48 & 0x8000 | 0x7c00 | bits >> 42 & 0x3ff | quiet)
        }
        // Drops the bits that a `float` does not have, but a NaN stays a NaN.
        Float::Single => format!("0x{:016X}", bits & !0x1fff_ffff | u64::from(value.is_nan()) << 51),
        Float::Double => format!("0x{bits:016X}"),
    }
}

/// Whether a call has to create the constants of this type.
pub(super) fn is_sampler(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Opaque(Opaque::Sampler))
}
