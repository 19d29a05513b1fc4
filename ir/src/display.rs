//! Types as OpenCL C spells them, for messages.
//!
//! ```c
//! global const float4 *        // a pointer
//! private int (*)[4]           // a pointer to an array: the qualifier belongs to the pointee
//! int (*)(float, struct s)     // a pointer to a function
//! ```
//!
//! A type is written from the inside out: the declarator so far is inserted into the text of the enclosing type. The
//! text is bounded, because a few typedefs can define a type whose spelling does not fit in memory.

use std::fmt;

use tangle_base::{Access, AddressSpace};

use crate::types::{Opaque, Ty, TyKind};

/// The length in bytes after which the text is cut.
const MAX_TEXT: usize = 200;
/// The maximum nesting depth of parameter lists, atomic types and pipes that are written in full.
const MAX_DEPTH: u32 = 3;

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&spelled(*self, String::new(), "", MAX_DEPTH))
    }
}

/// Returns the keyword of an address space. A pointer type without an address space has the generic one.
pub fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Global => "global",
        AddressSpace::Local => "local",
        AddressSpace::Constant => "constant",
        AddressSpace::Private => "private",
        AddressSpace::Generic => "generic",
    }
}

/// Returns the keyword for the access of a kernel to an image or pipe.
pub fn access_name(access: Access) -> &'static str {
    match access {
        Access::ReadOnly => "read_only",
        Access::WriteOnly => "write_only",
        Access::ReadWrite => "read_write",
    }
}

/// Returns the text of a type around `inner`, a declarator without a name. `qualifiers` belong to the type itself,
/// each followed by a space.
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
                let star = if pointer.reference { '&' } else { '*' };
                inner = around(pointer.pointee, star, &own, &inner);
                qualifiers = match pointer.space {
                    AddressSpace::Generic => String::new(),
                    // A function has no address space.
                    _ if pointer.pointee.as_function().is_some() => String::new(),
                    space => format!("{} ", space_name(space)),
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
            TyKind::Unknown => "unknown type".to_owned(),
            TyKind::Void => "void".to_owned(),
            TyKind::Bool => "bool".to_owned(),
            TyKind::Integer(integer) => integer.name().to_owned(),
            TyKind::Float(float) => float.name().to_owned(),
            TyKind::Vector { element, lanes, .. } => format!("{element}{lanes}"),
            TyKind::Record(record) => {
                let word = if record.union { "union" } else { "struct" };
                record.tag.map_or_else(|| format!("unnamed {word}"), |tag| format!("{word} {tag}"))
            }
            TyKind::Atomic(of) => match (of.as_integer(), depth.checked_sub(1)) {
                (Some(integer), _) => format!("atomic_{}", integer.name()),
                (None, Some(depth)) => format!("_Atomic({})", spelled(*of, String::new(), "", depth)),
                (None, None) => "_Atomic(…)".to_owned(),
            },
            TyKind::Opaque(opaque) => opaque_name(opaque, depth),
            TyKind::Parameter(number) => format!("parameter {number}"),
            TyKind::Token => "token".to_owned(),
        };
        let space = if inner.is_empty() || inner.starts_with('[') { "" } else { " " };
        return format!("{qualifiers}{name}{space}{inner}");
    }
}

/// Returns the declarator of a pointer, in parentheses if the pointee is an array or function.
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
        (false, true) => ", ...",
        (_, false) => "",
    };
    text + ")"
}

fn opaque_name(opaque: &Opaque, depth: u32) -> String {
    match opaque {
        Opaque::Image { name, access } => format!("{} {name}", access_name(*access)),
        Opaque::Pipe { packet, access } => match depth.checked_sub(1) {
            Some(depth) => {
                format!("{} pipe {}", access_name(*access), spelled(*packet, String::new(), "", depth))
            }
            None => format!("{} pipe …", access_name(*access)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{FunctionTy, Pointer};

    fn function(result: Ty, parameters: &[Ty]) -> Ty {
        let function = FunctionTy { result, parameters: parameters.into(), variadic: false };
        Ty::new(TyKind::Function(Box::new(function)))
    }

    #[test]
    fn types_are_printed_in_opencl_syntax() {
        let float4 = Ty::vector(Ty::FLOAT, 4);
        let constant = |pointee, space| {
            Ty::new(TyKind::Pointer(Pointer {
                pointee,
                space,
                constant: true,
                volatile: false,
                restrict: false,
                reference: false,
            }))
        };
        let rows = Ty::array(Ty::array(Ty::INT, Some(4)), None);
        let callback = Ty::pointer(function(Ty::VOID, &[Ty::INT, rows]), AddressSpace::Private);
        let pointer = constant(float4, AddressSpace::Global);
        for (ty, text) in [
            (pointer, "global const float4 *"),
            (constant(pointer, AddressSpace::Private), "global const float4 *private const *"),
            (Ty::pointer(Ty::INT, AddressSpace::Generic), "int *"),
            (Ty::pointer(Ty::array(Ty::INT, Some(4)), AddressSpace::Private), "private int (*)[4]"),
            (rows, "int[][4]"),
            (Ty::array(Ty::pointer(Ty::INT, AddressSpace::Local), Some(2)), "local int *[2]"),
            (callback, "void (*)(int, int[][4])"),
            (function(callback, &[]), "void (*())(int, int[][4])"),
            (Ty::new(TyKind::BlockPointer(function(Ty::INT, &[Ty::INT]))), "int (^)(int)"),
            (Ty::new(TyKind::Atomic(Ty::UINT)), "atomic_uint"),
        ] {
            assert_eq!(ty.to_string(), text);
        }
    }

    #[test]
    fn printed_type_has_bounded_length() {
        let mut ty = Ty::INT;
        for _ in 0..1000 {
            let tower = function(ty, &[ty, ty, ty]);
            ty = Ty::pointer(
                Ty::array(Ty::pointer(tower, AddressSpace::Private), Some(2)),
                AddressSpace::Local,
            );
        }
        assert!(ty.to_string().len() < 2000, "{ty}");
    }
}
