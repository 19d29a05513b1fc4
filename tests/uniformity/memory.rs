//! Objects in memory, byte by byte: unions and casts see what is there.

use tangle::hir::layout::{layout, record_layout};
use tangle::hir::typed::Data;
use tangle::hir::types::{Float, Ty, TyKind};

use crate::value::{Base, Pointer, Val, constant, mixed, small, wrap};

/// A byte of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    Undefined,
    Raw(u8),
    /// A byte of a pointer, by its number.
    Of(Pointer, u8),
}

/// Larger objects are cut: what lies beyond is undefined to read, and lost to write.
const LARGEST: u64 = 1 << 16;

#[derive(Clone, Debug)]
pub struct Object {
    bytes: Vec<Byte>,
}

pub fn size(ty: Ty) -> usize {
    layout(ty).map_or(0, |layout| layout.size.min(LARGEST)) as usize
}

impl Object {
    pub fn undefined(ty: Ty) -> Object {
        Object { bytes: vec![Byte::Undefined; size(ty)] }
    }

    /// Small values of a type, one after the other.
    pub fn random(ty: Ty, bytes: usize, seed: u64) -> Object {
        let step = size(ty).max(1);
        let mut object = Object { bytes: vec![Byte::Raw(0); bytes] };
        for number in 0..bytes / step {
            object.fill(ty, number * step, mixed(&(seed, number)));
        }
        object
    }

    fn fill(&mut self, ty: Ty, at: usize, seed: u64) {
        match ty.kind() {
            TyKind::Array { element, length } => {
                let step = size(*element).max(1);
                for number in 0..length.unwrap_or(0).min(LARGEST / step as u64) as usize {
                    self.fill(*element, at + number * step, mixed(&(seed, number)));
                }
            }
            TyKind::Record(record) => {
                let Some(places) = record_layout(record) else { return };
                let fields = record.definition.iter().flat_map(|definition| definition.fields.iter());
                for (number, (field, place)) in fields.zip(&places.fields).enumerate() {
                    self.fill(
                        place.unit.unwrap_or(field.ty),
                        at + place.offset as usize,
                        mixed(&(seed, number)),
                    );
                }
            }
            TyKind::Pointer(_) | TyKind::Opaque(_) | TyKind::Void => {}
            _ => self.write(at as i64, &small(ty, seed), ty),
        }
    }

    pub fn clear(&mut self, offset: i64, ty: Ty) {
        for at in 0..size(ty) as i64 {
            self.put(offset + at, Byte::Raw(0));
        }
    }

    pub fn bytes(&self, offset: i64, count: usize) -> Vec<Byte> {
        (0..count as i64).map(|at| self.get(offset + at)).collect()
    }

    pub fn put_bytes(&mut self, offset: i64, bytes: &[Byte]) {
        for (at, &byte) in (0..).zip(bytes) {
            self.put(offset + at, byte);
        }
    }

    fn get(&self, at: i64) -> Byte {
        usize::try_from(at).ok().and_then(|at| self.bytes.get(at).copied()).unwrap_or(Byte::Undefined)
    }

    fn put(&mut self, at: i64, byte: Byte) {
        if let Some(place) = usize::try_from(at).ok().and_then(|at| self.bytes.get_mut(at)) {
            *place = byte;
        }
    }

    pub fn read(&self, offset: i64, ty: Ty) -> Val {
        decode(&self.bytes(offset, size(ty)), ty)
    }

    pub fn write(&mut self, offset: i64, value: &Val, ty: Ty) {
        self.put_bytes(offset, &encode(value, ty));
    }

    /// Writes what a variable begins with; what no entry names stays as it is.
    pub fn initialize(
        &mut self,
        offset: i64,
        data: &Data,
        ty: Ty,
        address: &dyn Fn(&Data) -> Option<Pointer>,
    ) {
        match (data, ty.kind()) {
            (Data::Constant(value), _) => self.write(offset, &constant(value, ty), ty),
            (Data::Aggregate(parts), TyKind::Array { element, .. }) => {
                for (number, part) in parts.iter().enumerate() {
                    self.initialize(offset + (number * size(*element)) as i64, part, *element, address);
                }
            }
            (Data::Aggregate(parts), TyKind::Record(record)) => {
                let (Some(places), Some(definition)) = (record_layout(record), &record.definition) else {
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
                if let Some(definition) = &record.definition {
                    self.initialize(offset, data, definition.fields[*field as usize].ty, address);
                }
            }
            (Data::Bytes(bytes), _) => {
                let bytes: Vec<Byte> = bytes.iter().map(|&byte| Byte::Raw(byte)).collect();
                self.put_bytes(offset, &bytes);
            }
            _ => {
                if let Some(pointer) = address(data) {
                    self.write(offset, &Val::Pointer(pointer), ty);
                }
            }
        }
    }
}

fn encode(value: &Val, ty: Ty) -> Vec<Byte> {
    let raw = |bytes: &[u8]| bytes.iter().map(|&byte| Byte::Raw(byte)).collect::<Vec<_>>();
    let count = size(ty);
    let mut bytes = match value {
        Val::Undefined | Val::Token(_) => Vec::new(),
        Val::Int(value) => raw(&value.to_le_bytes()[..count.min(16)]),
        Val::Float(bits) => match ty.as_float() {
            Some(Float::Double) => raw(&bits.to_le_bytes()),
            // The upper half of a `float` has the range of a `half` and more; precision is of no interest here.
            Some(Float::Half) => raw(&(f64::from_bits(*bits) as f32).to_le_bytes()[2..]),
            _ => raw(&(f64::from_bits(*bits) as f32).to_le_bytes()),
        },
        Val::Pointer(pointer) => (0..8).map(|number| Byte::Of(*pointer, number)).collect(),
        Val::Vector(lanes) => {
            let element = crate::value::element(ty);
            lanes.iter().flat_map(|lane| encode(lane, element)).collect()
        }
    };
    bytes.resize(count, Byte::Undefined);
    bytes
}

fn decode(bytes: &[Byte], ty: Ty) -> Val {
    if let Some((element, lanes)) = ty.as_vector() {
        let step = size(element).max(1);
        return Val::Vector(
            bytes.chunks(step).take(lanes.into()).map(|lane| decode(lane, element)).collect(),
        );
    }
    if let (Some(Byte::Of(pointer, 0)), 8) = (bytes.first(), bytes.len()) {
        let whole = (0..).zip(bytes).all(|(number, byte)| *byte == Byte::Of(*pointer, number));
        return if whole { Val::Pointer(*pointer) } else { Val::Undefined };
    }
    let mut raw = [0; 16];
    for (place, byte) in raw.iter_mut().zip(bytes) {
        match byte {
            Byte::Raw(byte) => *place = *byte,
            _ => return Val::Undefined,
        }
    }
    let number = u128::from_le_bytes(raw);
    match ty.kind() {
        TyKind::Float(Float::Double) => Val::Float(number as u64),
        TyKind::Float(Float::Single) => Val::float(f32::from_bits(number as u32).into()),
        TyKind::Float(Float::Half) => Val::float(f32::from_bits((number as u32) << 16).into()),
        TyKind::Pointer(_) => Val::Pointer(Pointer { base: Base::Null, offset: number as i64 }),
        TyKind::Bool => Val::Int((number & 1) as i128),
        TyKind::Atomic(of) => decode(bytes, *of),
        _ => Val::Int(wrap(number as i128, ty)),
    }
}

/// The same bits as another type.
pub fn same_bits(value: &Val, from: Ty, ty: Ty) -> Val {
    let mut bytes = encode(value, from);
    bytes.resize(size(ty), Byte::Undefined);
    decode(&bytes, ty)
}
