//! Types as LLVM writes them.
//!
//! **Value type**: the type of the result of an operation. **Memory type**: the type of an object in memory. Its size
//! is that of [`layout`](crate::layout), so that the addresses of elements and fields are right. The two differ for
//! `bool` (a bit, and a byte), for pointers that are smaller than our fixed size of 8 bytes (padded), and for vectors of
//! CUDA and HIP whose size or alignment is not that of a vector of LLVM (arrays).
//!
//! ```text
//! struct S { char c; int3 v; private int *p; };
//! %struct.S = type { i8, <3 x i32>, ptr addrspace(5), [12 x i8] }     amdgcn
//! ```
//!
//! A record becomes a struct where the fields are at their offsets. If LLVM's padding before a field is too small,
//! bytes are inserted. If it is too large, the struct is packed. Bit-fields are bytes. A union is its most aligned
//! member, followed by bytes.

use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_base::AddressSpace;

use super::names::quoted;
use super::target::Target;
use crate::layout::{RecordLayout, layout, record_layout};
use crate::types::{Float, Record, Ty, TyKind, VectorAbi};

/// The reason why a construct cannot be emitted as LLVM IR.
pub(super) type Reason = String;

/// A type in memory.
#[derive(Clone, Debug)]
pub(super) struct MemoryType {
    pub text: Rc<str>,
    pub size: u64,
    /// The alignment that LLVM assumes: at most ours.
    align: u32,
}

/// A record as a struct type.
#[derive(Debug)]
pub(super) struct RecordType {
    pub memory: MemoryType,
    pub layout: Arc<RecordLayout>,
    pub packed: bool,
    pub elements: Vec<StructElement>,
    /// The element of each field. `None` for a bit-field, which is in the bytes, and for the other members of a union.
    pub indices: Vec<Option<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StructElement {
    Field(u32),
    Bytes(u64),
}

#[derive(Debug)]
pub(super) struct Types {
    pub target: Target,
    values: FxHashMap<Ty, Rc<str>>,
    memory: FxHashMap<Ty, MemoryType>,
    records: FxHashMap<Ty, Rc<RecordType>>,
    /// The number of records with each name.
    names: FxHashMap<String, u32>,
    /// The definitions of the records, in the order of their first use.
    pub definitions: String,
}

impl Types {
    pub fn new(target: Target) -> Types {
        Types {
            target,
            values: FxHashMap::default(),
            memory: FxHashMap::default(),
            records: FxHashMap::default(),
            names: FxHashMap::default(),
            definitions: String::new(),
        }
    }

    /// Returns the type of values of `ty`, which may be `void`.
    pub fn value(&mut self, ty: Ty) -> Result<Rc<str>, Reason> {
        if let Some(text) = self.values.get(&ty) {
            return Ok(text.clone());
        }
        let text: Rc<str> = self.new_value(ty)?.into();
        self.values.insert(ty, text.clone());
        Ok(text)
    }

    fn new_value(&mut self, ty: Ty) -> Result<String, Reason> {
        Ok(match ty.kind() {
            TyKind::Void => "void".to_owned(),
            TyKind::Bool => "i1".to_owned(),
            TyKind::Integer(integer) => format!("i{}", integer.bits()),
            TyKind::Float(float) => float_name(*float).to_owned(),
            TyKind::Vector { element, lanes, .. } => {
                let element = self.value(*element)?;
                format!("<{lanes} x {element}>")
            }
            TyKind::Pointer(pointer) => pointer_text(self.target.pointer_space(pointer)),
            TyKind::BlockPointer(_) => pointer_text(self.target.space(AddressSpace::Generic)),
            TyKind::Atomic(inner) => self.value(*inner)?.to_string(),
            TyKind::Opaque(opaque) => self
                .target
                .opaque(opaque)
                .ok_or_else(|| "the type of a value is not supported in LLVM IR".to_owned())?,
            TyKind::Token => "token".to_owned(),
            TyKind::Unknown | TyKind::Parameter(_) => return Err("a type is unknown".to_owned()),
            TyKind::Array { .. } | TyKind::Function(_) | TyKind::Record(_) => {
                return Err("an aggregate is used where a value is required".to_owned());
            }
        })
    }

    /// Returns the address space of a pointer type. `None` for all other types.
    pub fn space_of(&self, ty: Ty) -> Option<u8> {
        match ty.kind() {
            TyKind::Pointer(pointer) => Some(self.target.pointer_space(pointer)),
            TyKind::BlockPointer(_) => Some(self.target.space(AddressSpace::Generic)),
            TyKind::Atomic(inner) => self.space_of(*inner),
            _ => None,
        }
    }

    /// Returns the type of an object in memory. `void` and functions are one byte, as in GNU C.
    pub fn memory(&mut self, ty: Ty) -> Result<MemoryType, Reason> {
        if let Some(memory) = self.memory.get(&ty) {
            return Ok(memory.clone());
        }
        if matches!(ty.kind(), TyKind::Void | TyKind::Function(_) | TyKind::Bool) {
            return Ok(MemoryType { text: "i8".into(), size: 1, align: 1 });
        }
        // This check also limits the depth of the recursion below.
        let Some(own) = layout(ty) else {
            return Err("a type in memory is incomplete or too large".to_owned());
        };
        let memory = match ty.kind() {
            TyKind::Array { element, length } => {
                let element = self.memory(*element)?;
                let text = format!("[{} x {}]", length.unwrap_or(0), element.text);
                MemoryType { text: text.into(), size: own.size, align: element.align }
            }
            TyKind::Record(_) => self.record(ty)?.memory.clone(),
            TyKind::Atomic(inner) => self.memory(*inner)?,
            TyKind::Vector { element, lanes, .. } if is_array(ty) => {
                let element = self.memory(*element)?;
                let text = format!("[{lanes} x {}]", element.text);
                MemoryType { text: text.into(), size: own.size, align: element.align }
            }
            _ => {
                let text = self.value(ty)?;
                match &*text {
                    small if self.target.is_small_pointer(small) => MemoryType {
                        text: format!("{{ {text}, [4 x i8] }}").into(),
                        size: own.size,
                        align: 4,
                    },
                    "i128" => MemoryType { text, size: own.size, align: self.target.int128_align() },
                    _ => MemoryType { text, size: own.size, align: own.align },
                }
            }
        };
        self.memory.insert(ty, memory.clone());
        Ok(memory)
    }

    /// Returns the alignment of an object in memory, in bytes: ours, not LLVM's.
    pub fn align(&self, ty: Ty) -> u32 {
        layout(ty).map_or(1, |layout| layout.align)
    }

    pub fn record(&mut self, ty: Ty) -> Result<Rc<RecordType>, Reason> {
        if let Some(record) = self.records.get(&ty) {
            return Ok(record.clone());
        }
        let Some((record, layout)) = ty.as_record().zip(record_layout(ty)) else {
            return Err("a record is incomplete or too large".to_owned());
        };
        let record = Rc::new(self.new_record(record, layout)?);
        self.records.insert(ty, record.clone());
        Ok(record)
    }

    fn new_record(&mut self, record: &Record, layout: Arc<RecordLayout>) -> Result<RecordType, Reason> {
        let fields = record.definition.as_ref().map_or(&[][..], |definition| &definition.fields);
        let has_bits = fields.iter().any(|field| field.bits.is_some());
        let mut members = Vec::new();
        for (number, field) in fields.iter().enumerate() {
            if field.bits.is_some() {
                continue;
            }
            // An array without a length at the end takes no space.
            let memory = match field.ty.kind() {
                TyKind::Array { element, length: None } => self.memory(Ty::array(*element, Some(0)))?,
                _ => self.memory(field.ty)?,
            };
            members.push((number, layout.fields[number].offset, memory));
        }
        if record.union {
            let most = members
                .iter()
                .enumerate()
                .max_by_key(|(at, (.., memory))| (memory.align, memory.size, usize::MAX - at))
                .map(|(at, _)| at);
            members = most.map(|at| members.swap_remove(at)).into_iter().collect();
        }
        let size = layout.layout.size;
        let packed = !fits(&members, size);
        let mut elements = Vec::new();
        let mut texts: Vec<Rc<str>> = Vec::new();
        let mut indices = vec![None; fields.len()];
        let mut end = 0;
        let mut align = 1;
        for (number, offset, memory) in &members {
            let natural = if packed { end } else { u64::next_multiple_of(end, memory.align.into()) };
            // The padding of LLVM is written as bytes only if bit-fields may be there.
            if natural < *offset || has_bits && end < *offset {
                elements.push(StructElement::Bytes(offset - end));
                texts.push(format!("[{} x i8]", offset - end).into());
            }
            indices[*number] = u32::try_from(elements.len()).ok();
            elements.push(StructElement::Field(*number as u32));
            texts.push(memory.text.clone());
            end = offset + memory.size;
            align = align.max(memory.align);
        }
        if packed {
            align = 1;
        }
        if end.next_multiple_of(align.into()) < size || has_bits && end < size {
            elements.push(StructElement::Bytes(size - end));
            texts.push(format!("[{} x i8]", size - end).into());
        }
        let name = self.record_name(record);
        let (open, close) = if packed { ("<{", "}>") } else { ("{", "}") };
        let space = if texts.is_empty() { "" } else { " " };
        let _ = writeln!(
            self.definitions,
            "{name} = type {open}{space}{}{space}{close}",
            texts.iter().map(|text| &**text).collect::<Vec<_>>().join(", ")
        );
        let memory = MemoryType { text: name.into(), size, align };
        Ok(RecordType { memory, layout, packed, elements, indices })
    }

    fn record_name(&mut self, record: &Record) -> String {
        let kind = if record.union { "union" } else { "struct" };
        let tag = record.tag.map_or_else(|| "anon".to_owned(), |tag| tag.to_string());
        let name = format!("{kind}.{tag}");
        let count = self.names.entry(name.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { name } else { format!("{name}.{}", *count - 1) };
        format!("%{}", quoted(&name))
    }
}

/// Whether a vector is an array in memory, since its layout is not that of a vector of LLVM.
pub(super) fn is_array(ty: Ty) -> bool {
    ty.vector_abi() != VectorAbi::OpenCl
        && layout(ty).is_none_or(|layout| u64::from(layout.align) < layout.size)
}

/// Whether a struct that is not packed can have the members at these offsets, and this size.
fn fits(members: &[(usize, u64, MemoryType)], size: u64) -> bool {
    members.iter().all(|(_, offset, memory)| {
        let align = u64::from(memory.align);
        offset.is_multiple_of(align) && size.is_multiple_of(align)
    })
}

pub(super) fn float_name(float: Float) -> &'static str {
    match float {
        Float::Half => "half",
        Float::Single => "float",
        Float::Double => "double",
    }
}

pub(super) fn pointer_text(space: u8) -> String {
    if space == 0 { "ptr".to_owned() } else { format!("ptr addrspace({space})") }
}
