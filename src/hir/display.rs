//! Types as OpenCL C spells them, for people.

use std::fmt::{self, Display, Formatter, Write};

use tangle_grammar::ast::{Access, AddressSpace};

use super::types::{Opaque, Pointer, Ty, TyKind};

/// A declarator nested deeper than this is cut short.
const MAX_DEPTH: u32 = 32;

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut base = String::new();
        let mut declarator = String::new();
        spell(*self, &mut base, &mut declarator, 0)?;
        f.write_str(&base)?;
        if !declarator.is_empty() && !declarator.starts_with('[') {
            f.write_char(' ')?;
        }
        f.write_str(&declarator)
    }
}

/// Splits a type into what stands before the declared name and what stands around it, from the outside in.
fn spell(ty: Ty, base: &mut String, declarator: &mut String, depth: u32) -> fmt::Result {
    if depth > MAX_DEPTH {
        return base.write_str("…");
    }
    match ty.kind() {
        TyKind::Unknown => base.write_str("unknown type"),
        TyKind::Void => base.write_str("void"),
        TyKind::Bool => base.write_str("bool"),
        TyKind::Token => base.write_str("token"),
        TyKind::Integer(integer) => base.write_str(integer.name()),
        TyKind::Float(float) => base.write_str(float.name()),
        TyKind::Vector { element, lanes } => write!(base, "{element}{lanes}"),
        TyKind::Atomic(inner) => match inner.as_integer() {
            Some(integer) => write!(base, "atomic_{}", integer.name()),
            None => write!(base, "_Atomic({inner})"),
        },
        TyKind::Pointer(pointer) => {
            let derived = matches!(pointer.pointee.kind(), TyKind::Array { .. } | TyKind::Function(_));
            *declarator = if derived { format!("(*{declarator})") } else { format!("*{declarator}") };
            qualifiers(pointer, base)?;
            spell(pointer.pointee, base, declarator, depth + 1)
        }
        TyKind::BlockPointer(function) => {
            *declarator = format!("(^{declarator})");
            spell(*function, base, declarator, depth + 1)
        }
        TyKind::Array { element, length } => {
            match length {
                Some(length) => write!(declarator, "[{length}]")?,
                None => declarator.write_str("[]")?,
            }
            spell(*element, base, declarator, depth + 1)
        }
        TyKind::Function(function) => {
            declarator.write_char('(')?;
            for (number, parameter) in function.parameters.iter().enumerate() {
                let comma = if number > 0 { ", " } else { "" };
                let mut inner = (String::new(), String::new());
                spell(*parameter, &mut inner.0, &mut inner.1, depth + 1)?;
                let space = if inner.1.is_empty() || inner.1.starts_with('[') { "" } else { " " };
                write!(declarator, "{comma}{}{space}{}", inner.0, inner.1)?;
            }
            if function.variadic {
                declarator.write_str(if function.parameters.is_empty() { "..." } else { ", ..." })?;
            }
            declarator.write_char(')')?;
            spell(function.result, base, declarator, depth + 1)
        }
        TyKind::Record(record) => {
            let word = if record.union { "union" } else { "struct" };
            match record.tag {
                Some(tag) => write!(base, "{word} {tag}"),
                None => write!(base, "unnamed {word}"),
            }
        }
        TyKind::Opaque(opaque) => match opaque {
            Opaque::Image { name, access } => write!(base, "{} {name}", access_name(*access)),
            Opaque::Pipe { packet, access } => write!(base, "{} pipe {packet}", access_name(*access)),
            Opaque::Sampler => base.write_str("sampler_t"),
            Opaque::Event => base.write_str("event_t"),
            Opaque::ClkEvent => base.write_str("clk_event_t"),
            Opaque::Queue => base.write_str("queue_t"),
            Opaque::ReserveId => base.write_str("reserve_id_t"),
            Opaque::NdRange => base.write_str("ndrange_t"),
            Opaque::VaList => base.write_str("va_list"),
        },
    }
}

fn qualifiers(pointer: &Pointer, base: &mut String) -> fmt::Result {
    // Of a pointer to a pointer, only the outermost qualifiers are shown: this is for a message.
    if pointer.space != AddressSpace::Generic {
        write!(base, "{} ", space_name(pointer.space))?;
    }
    if pointer.constant {
        base.write_str("const ")?;
    }
    if pointer.volatile {
        base.write_str("volatile ")?;
    }
    Ok(())
}

/// The name of an address space in the language.
pub fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Global => "global",
        AddressSpace::Local => "local",
        AddressSpace::Constant => "constant",
        AddressSpace::Private => "private",
        AddressSpace::Generic => "generic",
    }
}

fn access_name(access: Access) -> &'static str {
    match access {
        Access::ReadOnly => "read_only",
        Access::WriteOnly => "write_only",
        Access::ReadWrite => "read_write",
    }
}
