//! The named types of a language.
//!
//! The description of a type is one word, or two words:
//!
//! ```text
//! char uchar short … double  int128 uint128         a number
//! image sampler event clk-event queue reserve-id ndrange va-list   an opaque type that only builtin functions use
//! atomic T                                          T with atomic reads and writes
//! enumeration T                                     T, with its own name in mangled names
//! device T                                          T; its value can differ between devices, and from the host
//! T2 T3 …                                           a vector of a number with this name in the language
//! ```

use rustc_hash::FxHashMap;
use tangle_grammar::ast::Access;
use tangle_grammar::symbol::Symbol;

use tangle_ir::types::{Float, Integer, Opaque, Ty, TyKind, VectorAbi};

/// The types of a language by name.
#[derive(Debug, Default)]
pub struct Types {
    /// The rules for the vectors of the language.
    vectors: VectorAbi,
    named: FxHashMap<Symbol, Named>,
    /// The names in the order of their addition.
    names: Vec<Symbol>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Named {
    ty: Ty,
    enumeration: bool,
    device: bool,
}

impl Named {
    fn plain(ty: Ty) -> Named {
        Named { ty, enumeration: false, device: false }
    }
}

impl Types {
    /// A language without types, whose vectors follow these rules.
    pub(super) fn new(vectors: VectorAbi) -> Types {
        Types { vectors, ..Types::default() }
    }

    /// The rules for the vectors of the language.
    pub fn vector_abi(&self) -> VectorAbi {
        self.vectors
    }

    /// The type with this name.
    pub fn get(&self, name: Symbol) -> Option<Ty> {
        self.named.get(&name).map(|named| named.ty)
    }

    /// Whether a name is an enumeration. Its type is an integer, except in mangled names.
    pub fn is_enumeration(&self, name: Symbol) -> bool {
        self.named.get(&name).is_some_and(|named| named.enumeration)
    }

    /// Whether the value of a name differs between devices, or between device and host.
    pub fn depends_on_device(&self, name: Symbol) -> bool {
        self.named.get(&name).is_some_and(|named| named.device)
    }

    /// All names. They can include keywords.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.names.iter().copied()
    }

    /// Adds a scalar whose name is the same as its description, and its vectors. Returns false if there is no such
    /// scalar.
    pub(super) fn add_scalar(&mut self, name: &str, lanes: &[u8]) -> bool {
        let Some(ty) = number(name) else { return false };
        self.add(Symbol::intern(name), Named::plain(ty));
        for &lanes in lanes {
            let vector = Symbol::intern(&format!("{name}{lanes}"));
            self.add(vector, Named::plain(Ty::vector_of(self.vectors, ty, lanes)));
        }
        true
    }

    /// Adds a type by its description. Returns false if the description is invalid.
    pub(super) fn add_described(&mut self, name: &str, description: &str) -> bool {
        let name = Symbol::intern(name);
        let enumerated = description.strip_prefix("enumeration ");
        let of_device = description.strip_prefix("device ");
        let word = enumerated.or(of_device).unwrap_or(description);
        let ty = match word.strip_prefix("atomic ") {
            Some(inner) => number(inner).map(|ty| Ty::new(TyKind::Atomic(ty))),
            None => number(word).or_else(|| opaque(name, word)).or_else(|| self.vector(word)),
        };
        if let Some(ty) = ty {
            self.add(name, Named { ty, enumeration: enumerated.is_some(), device: of_device.is_some() });
        }
        ty.is_some()
    }

    /// The vector type with this name in the language.
    fn vector(&self, word: &str) -> Option<Ty> {
        self.get(Symbol::intern(word)).filter(|ty| ty.as_vector().is_some())
    }

    fn add(&mut self, name: Symbol, named: Named) {
        if self.named.insert(name, named).is_none() {
            self.names.push(name);
        }
    }
}

fn number(word: &str) -> Option<Ty> {
    let is_meant = |integer: &Integer| integer.bits() <= 64 && integer.name() == word;
    let integer = Integer::ALL.into_iter().find(is_meant).map(Ty::integer);
    let float = || Float::ALL.into_iter().find(|float| float.name() == word).map(Ty::float);
    let wide = || match word {
        "int128" => Some(Ty::integer(Integer::Int128)),
        "uint128" => Some(Ty::integer(Integer::UInt128)),
        _ => None,
    };
    integer.or_else(float).or_else(wide)
}

fn opaque(name: Symbol, word: &str) -> Option<Ty> {
    let opaque = match word {
        "image" => Opaque::Image { name, access: Access::ReadOnly },
        "sampler" => Opaque::Sampler,
        "event" => Opaque::Event,
        "clk-event" => Opaque::ClkEvent,
        "queue" => Opaque::Queue,
        "reserve-id" => Opaque::ReserveId,
        "ndrange" => Opaque::NdRange,
        "va-list" => Opaque::VaList,
        _ => return None,
    };
    Some(Ty::new(TyKind::Opaque(opaque)))
}
