//! Objects in memory, stored as bytes: unions and casts read the bytes that were written.
//!
//! A pointer is stored as its number ([`Pointer::address`]). Each byte records whether it is defined. A value is
//! undefined if one of its bytes is.

use std::ops::Range;

use tangle_ir::layout::{layout, record_layout};
use tangle_ir::types::{Float, Ty, TyKind};
use tangle_ir::value::Data;

use crate::value::{Pointer, Value, constant, element, hash_of, small, wrap};

/// The assumed number of elements of an array, or of bytes of a record, if it is unknown.
const UNKNOWN_LENGTH: u64 = 64;

/// The free stack space below which the recursion over a type allocates more stack, in bytes.
const STACK: usize = 64 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Object {
    bytes: Vec<u8>,
    /// For each byte, whether it is defined.
    defined: Vec<bool>,
}

/// An access that begins or ends outside of its object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outside;

/// The size of a type in bytes. 0 for a type without a size; an assumed size for an unknown or incomplete type.
pub(crate) fn size(ty: Ty) -> u64 {
    if let Some(layout) = layout(ty) {
        return layout.size;
    }
    match ty.kind() {
        TyKind::Unknown => 8,
        TyKind::Array { element, length } => size(*element).saturating_mul(length.unwrap_or(UNKNOWN_LENGTH)),
        TyKind::Record(_) => UNKNOWN_LENGTH,
        _ => 0,
    }
}

impl Object {
    /// The bytes, 0 where they are undefined.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The memory that an object of this size needs, in bytes.
    pub fn cost(size: u64) -> u64 {
        size.saturating_mul(2).saturating_add(size_of::<Object>() as u64)
    }

    /// Creates an object of undefined bytes. The caller has checked that there is memory for it.
    pub fn undefined(size: u64) -> Object {
        let size = size as usize;
        Object { bytes: vec![0; size], defined: vec![false; size] }
    }

    pub fn zero(size: u64) -> Object {
        let size = size as usize;
        Object { bytes: vec![0; size], defined: vec![true; size] }
    }

    /// Creates an object that holds small values of a type, one after the other.
    pub fn random(ty: Ty, size: u64, seed: u64) -> Object {
        let mut object = Object::zero(size);
        let step = self::size(ty).max(1);
        for number in 0..size / step {
            object.fill(ty, number * step, hash_of(&(seed, number)));
        }
        object
    }

    fn fill(&mut self, ty: Ty, at: u64, seed: u64) {
        stacker::maybe_grow(STACK, 1 << 20, || match ty.kind() {
            TyKind::Array { element, length } => {
                let step = size(*element).max(1);
                let left = (self.bytes.len() as u64).saturating_sub(at) / step;
                for number in 0..length.unwrap_or(0).min(left) {
                    self.fill(*element, at + number * step, hash_of(&(seed, number)));
                }
            }
            TyKind::Record(record) => {
                let Some(places) = record_layout(ty) else { return };
                let fields = record.definition.iter().flat_map(|definition| definition.fields.iter());
                for (number, (field, place)) in fields.zip(&places.fields).enumerate() {
                    self.fill(place.unit.unwrap_or(field.ty), at + place.offset, hash_of(&(seed, number)));
                }
            }
            TyKind::Pointer(_) | TyKind::Opaque(_) | TyKind::Void => {}
            // Fields are inside of their object, so the write succeeds.
            _ => _ = self.write(at as i64, &small(ty, seed), ty),
        })
    }

    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn range(&self, offset: i64, count: u64) -> Result<Range<usize>, Outside> {
        let begin = usize::try_from(offset).map_err(|_| Outside)?;
        let end = begin.checked_add(usize::try_from(count).map_err(|_| Outside)?).ok_or(Outside)?;
        if end <= self.bytes.len() { Ok(begin..end) } else { Err(Outside) }
    }

    pub fn clear(&mut self, offset: i64, ty: Ty) -> Result<(), Outside> {
        let range = self.range(offset, size(ty))?;
        self.bytes[range.clone()].fill(0);
        self.defined[range].fill(true);
        Ok(())
    }

    /// Sets bytes to a value.
    pub fn set(&mut self, offset: i64, bytes: u64, value: u8) -> Result<(), Outside> {
        let range = self.range(offset, bytes)?;
        self.bytes[range.clone()].fill(value);
        self.defined[range].fill(true);
        Ok(())
    }

    /// Copies a part of the object.
    pub fn part(&self, offset: i64, bytes: u64) -> Result<Object, Outside> {
        let range = self.range(offset, bytes)?;
        Ok(Object { bytes: self.bytes[range.clone()].to_vec(), defined: self.defined[range].to_vec() })
    }

    pub fn put(&mut self, offset: i64, part: &Object) -> Result<(), Outside> {
        let range = self.range(offset, part.size())?;
        self.bytes[range.clone()].copy_from_slice(&part.bytes);
        self.defined[range].copy_from_slice(&part.defined);
        Ok(())
    }

    pub fn read(&self, offset: i64, ty: Ty) -> Result<Value, Outside> {
        let range = self.range(offset, size(ty))?;
        Ok(decode(&self.bytes[range.clone()], &self.defined[range], ty))
    }

    pub fn write(&mut self, offset: i64, value: &Value, ty: Ty) -> Result<(), Outside> {
        let range = self.range(offset, size(ty))?;
        encode(value, ty, &mut self.bytes[range.clone()], &mut self.defined[range]);
        Ok(())
    }

    /// Writes the initial value of a variable. Parts without an initializer stay unchanged.
    pub fn initialize(
        &mut self,
        offset: i64,
        data: &Data,
        ty: Ty,
        address: &dyn Fn(&Data) -> Option<Pointer>,
    ) {
        stacker::maybe_grow(STACK, 1 << 20, || match (data, ty.kind()) {
            // Initializers should not be longer than their variables. Parts that do not fit are ignored.
            (Data::Constant(value), _) => _ = self.write(offset, &constant(value, ty), ty),
            (Data::Aggregate(parts), TyKind::Array { element, .. }) => {
                let step = size(*element) as i64;
                for (number, part) in (0..).zip(parts) {
                    self.initialize(offset + number * step, part, *element, address);
                }
            }
            (Data::Aggregate(parts), TyKind::Record(record)) => {
                let (Some(places), Some(definition)) = (record_layout(ty), &record.definition) else {
                    return;
                };
                for ((part, place), field) in parts.iter().zip(&places.fields).zip(&definition.fields) {
                    // Bit-fields of variables at file scope stay zero.
                    if place.unit.is_none() {
                        self.initialize(offset + place.offset as i64, part, field.ty, address);
                    }
                }
            }
            (Data::Union { field, data }, TyKind::Record(record)) => {
                let field = record.definition.as_ref().and_then(|it| it.fields.get(*field as usize));
                if let Some(field) = field {
                    self.initialize(offset, data, field.ty, address);
                }
            }
            (Data::Bytes(bytes), _) => {
                let part = Object { bytes: bytes.to_vec(), defined: vec![true; bytes.len()] };
                _ = self.put(offset, &part);
            }
            _ => {
                if let Some(pointer) = address(data) {
                    _ = self.write(offset, &Value::Pointer(pointer), ty);
                }
            }
        })
    }
}

fn encode(value: &Value, ty: Ty, bytes: &mut [u8], defined: &mut [bool]) {
    let mut raw = [0; 16];
    let count = match value {
        Value::Undefined | Value::Token(_) => 0,
        Value::Int(value) => {
            raw = value.to_le_bytes();
            16
        }
        Value::Float(bits) => match ty.as_float() {
            Some(Float::Double) => {
                raw[..8].copy_from_slice(&bits.to_le_bytes());
                8
            }
            Some(Float::Half) => {
                raw[..2].copy_from_slice(&half::f16::from_f64(f64::from_bits(*bits)).to_le_bytes());
                2
            }
            _ => {
                raw[..4].copy_from_slice(&(f64::from_bits(*bits) as f32).to_le_bytes());
                4
            }
        },
        Value::Pointer(pointer) => {
            raw[..8].copy_from_slice(&pointer.address().to_le_bytes());
            8
        }
        Value::Vector(lanes) => {
            let element = element(ty);
            let step = size(element).max(1) as usize;
            let places = bytes.chunks_mut(step).zip(defined.chunks_mut(step));
            for (number, (bytes, defined)) in places.enumerate() {
                encode(lanes.get(number).unwrap_or(&Value::Undefined), element, bytes, defined);
            }
            return;
        }
    };
    let count = count.min(bytes.len());
    bytes[..count].copy_from_slice(&raw[..count]);
    defined[..count].fill(true);
    defined[count..].fill(false);
}

fn decode(bytes: &[u8], defined: &[bool], ty: Ty) -> Value {
    if bytes.len() <= 16 && !matches!(ty.kind(), TyKind::Vector { .. }) {
        if !defined.iter().all(|&defined| defined) {
            return Value::Undefined;
        }
        let mut raw = [0; 16];
        raw[..bytes.len()].copy_from_slice(bytes);
        let number = u128::from_le_bytes(raw);
        return match ty.kind() {
            TyKind::Float(Float::Double) => Value::float(f64::from_bits(number as u64)),
            TyKind::Float(Float::Single) => Value::float(f32::from_bits(number as u32).into()),
            TyKind::Float(Float::Half) => Value::float(half::f16::from_bits(number as u16).to_f64()),
            TyKind::Pointer(_) => Value::Pointer(Pointer::at(number as i64)),
            TyKind::Bool => Value::Int((number & 1) as i128),
            TyKind::Atomic(of) => decode(bytes, defined, *of),
            _ => Value::Int(wrap(number as i128, ty)),
        };
    }
    let Some((element, lanes)) = ty.as_vector() else { return Value::Undefined };
    let step = size(element).max(1) as usize;
    let places = bytes.chunks(step).zip(defined.chunks(step)).take(lanes.into());
    Value::Vector(places.map(|(bytes, defined)| decode(bytes, defined, element)).collect())
}

/// Reads the bits of a value as another type.
pub(crate) fn same_bits(value: &Value, from: Ty, ty: Ty) -> Value {
    let bytes = size(from).max(size(ty)) as usize;
    let (mut raw, mut defined) = (vec![0; bytes], vec![false; bytes]);
    let own = size(from) as usize;
    encode(value, from, &mut raw[..own], &mut defined[..own]);
    let wanted = size(ty) as usize;
    decode(&raw[..wanted], &defined[..wanted], ty)
}
