//! Types as OpenCL C spells them, for people.
//!
//! ```c
//! global const float4 *        // a pointer
//! private int (*)[4]           // a pointer to an array: the qualifier is that of what is pointed to
//! int (*)(float, struct s)     // a pointer to a function
//! ```
//!
//! A type is written from the inside out: what is read so far is put into what stands around it. The text is bounded, since a
//! few typedefs can make a type whose spelling no memory holds.

use std::fmt;

use tangle_grammar::ast::{Access, AddressSpace};

use super::types::{Opaque, Ty, TyKind};

/// What is longer is cut.
const MAX_TEXT: usize = 200;
/// How deep parameter lists are written out.
const MAX_DEPTH: u32 = 3;

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&spelled(*self, String::new(), "", MAX_DEPTH))
    }
}

/// The keyword of an address space. The generic one is what a pointer has that names none.
pub fn keyword(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Global => "global",
        AddressSpace::Local => "local",
        AddressSpace::Constant => "constant",
        AddressSpace::Private => "private",
        AddressSpace::Generic => "generic",
    }
}

/// The type around `inner`, which is a declarator without a name; `qualifiers` are the type's own, each with a space behind it.
fn spelled(ty: Ty, inner: String, qualifiers: &str, depth: u32) -> String {
    let mut inner = inner;
    let mut qualifiers = qualifiers.to_owned();
    let mut ty = ty;
    loop {
        if inner.len() > MAX_TEXT {
            return format!("… {inner}");
        }
        let name = match ty.kind() {
            TyKind::Pointer(pointer) => {
                let own = if pointer.restrict { format!("{qualifiers}restrict ") } else { qualifiers };
                inner = around(pointer.pointee, '*', &own, &inner);
                qualifiers = match pointer.space {
                    AddressSpace::Generic => String::new(),
                    space => format!("{} ", keyword(space)),
                };
                qualifiers += if pointer.constant { "const " } else { "" };
                qualifiers += if pointer.volatile { "volatile " } else { "" };
                ty = pointer.pointee;
                continue;
            }
            TyKind::BlockPointer(function) => {
                inner = around(*function, '^', &qualifiers, &inner);
                qualifiers = String::new();
                ty = *function;
                continue;
            }
            TyKind::Array { element, length } => {
                inner += &length.map_or("[]".to_owned(), |length| format!("[{length}]"));
                ty = *element;
                continue;
            }
            TyKind::Function(function) => {
                inner += &parameters(&function.parameters, function.variadic, depth);
                qualifiers = String::new();
                ty = function.result;
                continue;
            }
            TyKind::Unknown => "unknown".to_owned(),
            TyKind::Void => "void".to_owned(),
            TyKind::Bool => "bool".to_owned(),
            TyKind::Integer(integer) => integer.name().to_owned(),
            TyKind::Float(float) => float.name().to_owned(),
            TyKind::Vector { element, lanes } => format!("{element}{lanes}"),
            TyKind::Record(record) => {
                let word = if record.union { "union" } else { "struct" };
                match record.tag {
                    Some(tag) => format!("{word} {tag}"),
                    None => format!("{word} without a name"),
                }
            }
            TyKind::Atomic(of) => match depth.checked_sub(1) {
                Some(depth) => format!("_Atomic({})", spelled(*of, String::new(), "", depth)),
                None => "_Atomic(…)".to_owned(),
            },
            TyKind::Opaque(opaque) => opaque_name(opaque, depth),
            TyKind::Token => "token".to_owned(),
        };
        return match inner.is_empty() {
            true => format!("{qualifiers}{name}"),
            false => format!("{qualifiers}{name} {inner}"),
        };
    }
}

/// A pointer's declarator, in parentheses where what it points to stands behind it.
fn around(pointee: Ty, star: char, qualifiers: &str, inner: &str) -> String {
    let text = format!("{star}{qualifiers}{inner}");
    let text = text.trim_end();
    match pointee.kind() {
        TyKind::Array { .. } | TyKind::Function(_) => format!("({text})"),
        _ => text.to_owned(),
    }
}

fn parameters(parameters: &[Ty], variadic: bool, depth: u32) -> String {
    let Some(depth) = depth.checked_sub(1) else { return "(…)".to_owned() };
    let mut text = String::from("(");
    for (index, &ty) in parameters.iter().enumerate() {
        text += if index > 0 { ", " } else { "" };
        if text.len() > MAX_TEXT {
            return text + "…)";
        }
        text += &spelled(ty, String::new(), "", depth);
    }
    text += match (parameters.is_empty(), variadic) {
        (true, true) => "...",
        (true, false) => "void",
        (false, true) => ", ...",
        (false, false) => "",
    };
    text + ")"
}

fn opaque_name(opaque: &Opaque, depth: u32) -> String {
    let word = |access: &Access| match access {
        Access::ReadOnly => "read_only",
        Access::WriteOnly => "write_only",
        Access::ReadWrite => "read_write",
    };
    match opaque {
        Opaque::Image { name, access } => format!("{} {name}", word(access)),
        Opaque::Pipe { packet, access } => match depth.checked_sub(1) {
            Some(depth) => format!("{} pipe {}", word(access), spelled(*packet, String::new(), "", depth)),
            None => format!("{} pipe …", word(access)),
        },
        Opaque::Sampler => "sampler_t".to_owned(),
        Opaque::Event => "event_t".to_owned(),
        Opaque::ClkEvent => "clk_event_t".to_owned(),
        Opaque::Queue => "queue_t".to_owned(),
        Opaque::ReserveId => "reserve_id_t".to_owned(),
        Opaque::NdRange => "ndrange_t".to_owned(),
        Opaque::VaList => "va_list".to_owned(),
    }
}
