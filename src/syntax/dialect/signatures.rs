//! The types of the builtin functions, from a table where one row describes a family of overloads.
//!
//! **Row**: names, parameters and a result, written with *families* of types, address spaces or image kinds.
//! **Choice**: one member of each family in a row; every choice is an overload. **Overload**: one function type of a
//! name.
//!
//! ```c
//! float4 f(float4 a, float b) { return fmax(a, b); }   // row `(gentypev, gentypev.scalar) -> gentypev`, choice float4
//! ```
//!
//! The table of OpenCL C has about fifteen thousand overloads; its head describes the notation. They are not expanded
//! in advance: the text is parsed once into the rows and an index of their names. The overloads of a name are
//! computed at its first use and cached.

use std::ops::Range;

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use tangle_grammar::ast::{Access, AddressSpace};
use tangle_grammar::symbol::Symbol;

use super::notation;
use super::place::TableError;
use super::types::Types;
use tangle_ir::types::{FunctionTy, Integer, Opaque, Pointer, Record, RecordName, Ty, TyKind};

/// The overloads of one name.
#[derive(Debug, Default)]
pub struct Overloads {
    /// The function types without duplicates, in the order of the table.
    pub functions: Vec<Ty>,
    /// Whether rules in code determine the types (`src/hir/def/overload.rs`). Then `functions` is empty.
    pub special: bool,
    /// The properties of the parameters that a function type does not have, for functions that have any.
    parameters: FxHashMap<Ty, Box<[Parameter]>>,
}

/// The properties of a parameter that its type does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameter {
    pub name: Option<Symbol>,
    /// The name of its enumeration.
    pub enumeration: Option<Symbol>,
}

impl Overloads {
    fn parameter(&self, function: Ty, parameter: usize) -> Parameter {
        let known = self.parameters.get(&function).and_then(|known| known.get(parameter));
        known.copied().unwrap_or_default()
    }

    /// The name of a parameter, as in the specification of the language.
    pub fn parameter_name(&self, function: Ty, parameter: usize) -> Option<Symbol> {
        self.parameter(function, parameter).name
    }

    /// The name of a parameter's enumeration for mangling. The type of such a parameter is an integer.
    pub fn enumeration(&self, function: Ty, parameter: usize) -> Option<Symbol> {
        self.parameter(function, parameter).enumeration
    }
}

/// The possible values of a word in a row.
#[derive(Clone, Debug)]
pub(super) enum Family {
    Types(Vec<Ty>),
    Spaces(Vec<AddressSpace>),
    Accesses(Vec<Access>),
    Images(Vec<Symbol>),
}

impl Family {
    pub(super) fn len(&self) -> usize {
        match self {
            Family::Types(members) => members.len(),
            Family::Spaces(members) => members.len(),
            Family::Accesses(members) => members.len(),
            Family::Images(members) => members.len(),
        }
    }
}

/// A row without its names.
#[derive(Debug)]
pub(super) struct Row {
    /// The families in the row, each once. A variable [`FamilyRef`] is an index into this list.
    pub variables: Vec<usize>,
    pub parameters: Vec<Type>,
    /// The names of the parameters.
    pub names: Vec<Option<Symbol>>,
    pub result: Type,
    pub variadic: bool,
}

/// A fixed value, or a member of the family with this index in [`Row::variables`].
#[derive(Clone, Debug)]
pub(super) enum FamilyRef<T> {
    Fixed(T),
    Variable(usize),
}

/// A type in the notation of a row.
#[derive(Clone, Debug)]
pub(super) struct Type {
    pub constant: bool,
    pub volatile: bool,
    pub space: FamilyRef<AddressSpace>,
    pub access: FamilyRef<Access>,
    pub atomic: bool,
    pub pointer: bool,
    pub base: Base,
    pub derived: Vec<Derived>,
}

#[derive(Clone, Debug)]
pub(super) enum Base {
    Type(FamilyRef<Ty>),
    Image(FamilyRef<Symbol>),
    /// An integer, except in mangled names.
    Enumeration(Symbol),
}

/// One derivation step from a vector or scalar to a related type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Derived {
    Scalar,
    Signed,
    Unsigned,
    Truth,
    Wide,
    Lanes(u8),
    /// The number of lanes of the choice for this variable.
    LanesOf(usize),
    Element(Ty),
}

/// A row for a name. If the name includes the type (`vload4`), only some choices of the row belong to the name.
#[derive(Debug)]
pub(super) struct Entry {
    pub row: usize,
    /// A variable of the row, and the remaining members of its family.
    pub only: Option<(usize, Vec<usize>)>,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    pub families: Vec<Family>,
    pub rows: Vec<Row>,
    /// The names in the order of the table.
    pub names: Vec<Symbol>,
    pub index: FxHashMap<Symbol, Vec<Entry>>,
    pub special: Vec<Symbol>,
}

/// The types of the builtin functions of a language.
#[derive(Debug)]
pub struct Signatures {
    table: Table,
    /// The overloads that were requested. They live as long as the process, like the language.
    overloads: DashMap<Symbol, &'static Overloads, FxBuildHasher>,
}

impl Signatures {
    /// Parses a table with the types of a language.
    pub(super) fn read(text: &str, types: &Types) -> Result<Signatures, TableError> {
        Ok(Signatures { table: notation::parse(text, types)?, overloads: DashMap::default() })
    }

    /// Whether the language has a function with this name.
    pub fn has(&self, name: Symbol) -> bool {
        self.table.index.contains_key(&name) || self.table.special.contains(&name)
    }

    /// The names of all functions, in the order of the table.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.table.names.iter().copied()
    }

    /// Returns the first overload of a name with the names of its parameters. The other overloads are not computed.
    pub fn first(&self, name: Symbol) -> Option<(Ty, Vec<Option<Symbol>>)> {
        let entry = self.table.index.get(&name)?.first()?;
        let row = &self.table.rows[entry.row];
        let choice = |variable: usize| match &entry.only {
            Some((of, only)) if *of == variable => only.first().copied().unwrap_or(0),
            _ => 0,
        };
        let choices: Vec<usize> = (0..row.variables.len()).map(choice).collect();
        let (ty, parameters) = SignatureBuilder { table: &self.table, row, choices: &choices }.function();
        Some((ty, parameters.iter().map(|parameter| parameter.name).collect()))
    }

    /// Returns the overloads of a name; `None` if it is not a builtin.
    pub fn of(&self, name: Symbol) -> Option<&'static Overloads> {
        if let Some(overloads) = self.overloads.get(&name) {
            return Some(*overloads);
        }
        if !self.has(name) {
            return None;
        }
        // If another thread was faster, its overloads are used.
        let make = || Box::leak(Box::new(self.table.overloads(name)));
        Some(*self.overloads.entry(name).or_insert_with(|| make()))
    }
}

impl Table {
    fn overloads(&self, name: Symbol) -> Overloads {
        let mut overloads = Overloads { special: self.special.contains(&name), ..Overloads::default() };
        let mut seen = rustc_hash::FxHashSet::default();
        for entry in self.index.get(&name).into_iter().flatten() {
            let row = &self.rows[entry.row];
            for choices in self.choices(row, entry) {
                let maker = SignatureBuilder { table: self, row, choices: &choices };
                let (ty, parameters) = maker.function();
                if seen.insert(ty) {
                    overloads.functions.push(ty);
                    if parameters.iter().any(|it| *it != Parameter::default()) {
                        overloads.parameters.insert(ty, parameters);
                    }
                }
            }
        }
        overloads
    }

    /// All choices of members for the variables of a row that belong to the entry.
    fn choices(&self, row: &Row, entry: &Entry) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for (variable, family) in row.variables.iter().enumerate() {
            let members: Range<usize> = 0..self.families[*family].len();
            let members = match &entry.only {
                Some((of, only)) if *of == variable => only.clone(),
                _ => members.collect(),
            };
            all = all
                .into_iter()
                .flat_map(|choices: Vec<usize>| {
                    members.iter().map(move |member| [choices.as_slice(), &[*member]].concat())
                })
                .collect();
        }
        all
    }
}

/// Computes the function type of a row for one choice.
struct SignatureBuilder<'a> {
    table: &'a Table,
    row: &'a Row,
    /// The index of the chosen member for each variable of the row.
    choices: &'a [usize],
}

impl SignatureBuilder<'_> {
    fn function(&self) -> (Ty, Box<[Parameter]>) {
        let row = self.row;
        let parameters = row.parameters.iter().map(|ty| self.ty(ty)).collect();
        let further = row.parameters.iter().zip(&row.names).map(|(ty, &name)| {
            let enumeration = if let Base::Enumeration(name) = ty.base { Some(name) } else { None };
            Parameter { name, enumeration }
        });
        let function = FunctionTy { result: self.ty(&row.result), parameters, variadic: row.variadic };
        (Ty::new(TyKind::Function(Box::new(function))), further.collect())
    }

    fn family(&self, variable: usize) -> (&Family, usize) {
        (&self.table.families[self.row.variables[variable]], self.choices[variable])
    }

    fn member(&self, choice: &FamilyRef<Ty>) -> Ty {
        match choice {
            FamilyRef::Fixed(ty) => *ty,
            FamilyRef::Variable(variable) => match self.family(*variable) {
                (Family::Types(members), member) => members[member],
                _ => Ty::UNKNOWN,
            },
        }
    }

    fn space(&self, choice: &FamilyRef<AddressSpace>) -> AddressSpace {
        match choice {
            FamilyRef::Fixed(space) => *space,
            FamilyRef::Variable(variable) => match self.family(*variable) {
                (Family::Spaces(members), member) => members[member],
                _ => AddressSpace::Generic,
            },
        }
    }

    fn access(&self, choice: &FamilyRef<Access>) -> Access {
        match choice {
            FamilyRef::Fixed(access) => *access,
            FamilyRef::Variable(variable) => match self.family(*variable) {
                (Family::Accesses(members), member) => members[member],
                _ => Access::ReadOnly,
            },
        }
    }

    fn image(&self, choice: &FamilyRef<Symbol>) -> Symbol {
        match choice {
            FamilyRef::Fixed(name) => *name,
            FamilyRef::Variable(variable) => match self.family(*variable) {
                (Family::Images(members), member) => members[member],
                _ => Symbol::EMPTY,
            },
        }
    }

    fn ty(&self, ty: &Type) -> Ty {
        let mut made = match &ty.base {
            Base::Type(choice) => self.member(choice),
            Base::Enumeration(_) => Ty::UINT,
            Base::Image(name) => Ty::new(TyKind::Opaque(Opaque::Image {
                name: self.image(name),
                access: self.access(&ty.access),
            })),
        };
        for derived in &ty.derived {
            made = self.derive(made, *derived);
        }
        if ty.atomic {
            made = Ty::new(TyKind::Atomic(made));
        }
        if ty.pointer {
            made = Ty::new(TyKind::Pointer(Pointer {
                pointee: made,
                space: self.space(&ty.space),
                constant: ty.constant,
                volatile: ty.volatile,
                restrict: false,
                reference: false,
            }));
        }
        made
    }

    fn derive(&self, ty: Ty, derived: Derived) -> Ty {
        let Some((element, lanes)) = ty.lanes() else { return Ty::UNKNOWN };
        let bits = element
            .as_integer()
            .map(Integer::bits)
            .or_else(|| element.as_float().map(|float| float.bits()))
            .unwrap_or(8);
        match derived {
            Derived::Scalar => element,
            Derived::Signed => ty.similar_vector(integer(bits, true), lanes),
            Derived::Unsigned => ty.similar_vector(integer(bits, false), lanes),
            Derived::Truth if lanes == 1 => Ty::INT,
            Derived::Truth => ty.similar_vector(integer(bits, true), lanes),
            Derived::Wide => {
                let signed = element.as_integer().is_some_and(Integer::signed);
                ty.similar_vector(integer(bits * 2, signed), lanes)
            }
            Derived::Lanes(lanes) => ty.similar_vector(element, lanes),
            Derived::LanesOf(variable) => {
                let lanes = self.member(&FamilyRef::Variable(variable)).lanes().map_or(1, |(_, lanes)| lanes);
                ty.similar_vector(element, lanes)
            }
            Derived::Element(element) => ty.similar_vector(element, lanes),
        }
    }
}

fn integer(bits: u32, signed: bool) -> Ty {
    let integer = match bits {
        8 => Integer::Char,
        16 => Integer::Short,
        32 => Integer::Int,
        _ => Integer::Long,
    };
    Ty::integer(integer.with_sign(signed))
}

/// An opaque type without a definition.
pub(super) fn handle(name: &str) -> Ty {
    let record =
        Record { union: false, tag: Some(RecordName::plain(Symbol::intern(name))), definition: None };
    Ty::new(TyKind::Record(Box::new(record)))
}

#[cfg(test)]
mod tests;
