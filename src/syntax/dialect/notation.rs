//! Parses the notation for tables of signatures. The head of `opencl/signatures.txt` describes it.
//!
//! ```text
//! family gentypev = float double x 2 3 4
//! fmax fmin: (gentypev, gentypev.scalar) -> gentypev
//! ```
//!
//! The text is first split into lines: comments are removed, and an indented line is joined to the line before it. A
//! family must be defined before the rows that use it. The names (a few thousand) are expanded here; the overloads
//! are not.

use rustc_hash::FxHashMap;
use tangle_grammar::ast::{Access, AddressSpace};
use tangle_grammar::symbol::Symbol;
use thiserror::Error;

use super::place::{TableError, TextPosition};
use super::signatures::{Base, Derived, Entry, Family, FamilyRef, Row, Table, Type, handle};
use super::types::Types;
use tangle_ir::types::{Opaque, Ty, TyKind};

/// An error in a line of a table. Words have their source spelling.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum NotationError {
    /// A line of one word.
    #[error("missing text after the first word")]
    OneWord,
    #[error("missing `{0}`")]
    Missing(&'static str),
    #[error("missing parameters in parentheses")]
    MissingParameters,
    #[error("expected a type, found `{0}`")]
    NotAType(String),
    #[error("unknown type `{0}`")]
    UnknownType(String),
    /// A step that derives a type from another: `.scalar`.
    #[error("unknown step `{0}`")]
    UnknownStep(String),
    /// A member of a list.
    #[error("unexpected `{0}`")]
    UnknownMember(String),
    #[error("unknown family `{0}`")]
    UnknownFamily(String),
    /// The family in a name is not one of the parameters or the result.
    #[error("the signature does not use this family")]
    UnusedFamily,
    /// The family in a name has spaces, accesses or images.
    #[error("expected a family of types")]
    NotTypes,
    /// A member of the family in a name is not a vector or scalar.
    #[error("expected a vector or scalar")]
    NotAVector,
}

/// Parses a table with the types of a language.
pub(super) fn parse(text: &str, types: &Types) -> Result<Table, TableError> {
    let mut parser =
        Parser { types, table: Table::default(), families: FxHashMap::default(), handles: Vec::new() };
    for (number, line) in lines(text) {
        parser.line(&line).map_err(|problem| TableError {
            text: "signatures",
            place: TextPosition { line: number, column: 1 },
            message: format!("{problem} in `{line}`"),
        })?;
    }
    Ok(parser.table)
}

/// The lines without comments and with continuations joined, each with its first line number.
fn lines(text: &str) -> Vec<(u32, String)> {
    let mut lines: Vec<(u32, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        match lines.last_mut() {
            Some((_, last)) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push((number, line.trim_end().to_owned())),
        }
    }
    lines
}

struct Parser<'a> {
    types: &'a Types,
    table: Table,
    families: FxHashMap<String, usize>,
    /// Opaque types without a definition.
    handles: Vec<String>,
}

impl Parser<'_> {
    fn line(&mut self, line: &str) -> Result<(), NotationError> {
        let (keyword, rest) = line.split_once(' ').ok_or(NotationError::OneWord)?;
        match keyword {
            "special" => {
                for name in rest.split_whitespace().flat_map(alternatives) {
                    let name = Symbol::intern(&name);
                    self.table.special.push(name);
                    self.table.names.push(name);
                }
                Ok(())
            }
            "handle" => {
                self.handles.extend(rest.split_whitespace().map(str::to_owned));
                Ok(())
            }
            "family" | "spaces" | "access" | "images" => {
                let (name, members) = rest.split_once('=').ok_or(NotationError::Missing("="))?;
                let members = members.split_whitespace();
                let family = match keyword {
                    "family" => Family::Types(self.types(members)?),
                    "spaces" => Family::Spaces(all(members, space)?),
                    "access" => Family::Accesses(all(members, access)?),
                    _ => Family::Images(members.map(Symbol::intern).collect()),
                };
                self.families.insert(name.trim().to_owned(), self.table.families.len());
                self.table.families.push(family);
                Ok(())
            }
            _ => self.row(line),
        }
    }

    fn types<'a>(&self, mut members: impl Iterator<Item = &'a str>) -> Result<Vec<Ty>, NotationError> {
        let mut scalars = Vec::new();
        for member in members.by_ref().take_while(|member| *member != "x") {
            match self.families.get(member).map(|family| &self.table.families[*family]) {
                Some(Family::Types(types)) => scalars.extend(types),
                _ => scalars
                    .push(self.named(member).ok_or_else(|| NotationError::UnknownType(member.to_owned()))?),
            }
        }
        let lanes: Vec<u8> = all(members, |lanes| lanes.parse().ok())?;
        if lanes.is_empty() {
            return Ok(scalars);
        }
        let abi = self.types.vector_abi();
        Ok(scalars.iter().flat_map(|ty| lanes.iter().map(|lanes| Ty::vector_of(abi, *ty, *lanes))).collect())
    }

    fn row(&mut self, line: &str) -> Result<(), NotationError> {
        // Names have colons, too: `std::sqrt`.
        let (names, signature) = line.split_once(": ").ok_or(NotationError::Missing(":"))?;
        let (parameters, result) = signature.rsplit_once("->").ok_or(NotationError::Missing("->"))?;
        let parameters = parameters.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let mut parameters = parameters.ok_or(NotationError::MissingParameters)?.trim();
        let mut variadic = false;
        if let Some(rest) = parameters.strip_suffix("...") {
            variadic = true;
            parameters = rest.trim().trim_end_matches(',');
        }
        let mut variables = Vec::new();
        let (mut types, mut named) = (Vec::new(), Vec::new());
        for parameter in parameters.split(',').filter(|parameter| !parameter.trim().is_empty()) {
            let (ty, name) = self.parameter(parameter, &mut variables)?;
            types.push(ty);
            named.push(name);
        }
        let (result, None) = self.parameter(result, &mut variables)? else {
            return Err(NotationError::NotAType(result.trim().to_owned()));
        };
        let row = self.table.rows.len();
        for name in names.split_whitespace().flat_map(alternatives) {
            self.name(&name, row, &variables)?;
        }
        self.table.rows.push(Row { variables, parameters: types, names: named, result, variadic });
        Ok(())
    }

    /// Adds a name of a row. Each member of a family in braces makes its own name.
    fn name(&mut self, name: &str, row: usize, variables: &[usize]) -> Result<(), NotationError> {
        let Some((before, rest)) = name.split_once('{') else {
            self.entry(name, Entry { row, only: None });
            return Ok(());
        };
        let (family, after) = rest.split_once('}').ok_or(NotationError::Missing("}"))?;
        let (lanes, family) = family.strip_prefix('#').map_or((false, family), |family| (true, family));
        let family =
            *self.families.get(family).ok_or_else(|| NotationError::UnknownFamily(family.to_owned()))?;
        let variable = variables.iter().position(|of| *of == family).ok_or(NotationError::UnusedFamily)?;
        let Family::Types(members) = &self.table.families[family] else {
            return Err(NotationError::NotTypes);
        };
        let mut members_of: Vec<(String, Vec<usize>)> = Vec::new();
        for (number, member) in members.iter().enumerate() {
            let spelled = spelling(*member, lanes).ok_or(NotationError::NotAVector)?;
            let name = format!("{before}{spelled}{after}");
            match members_of.iter_mut().find(|(other, _)| *other == name) {
                Some((_, numbers)) => numbers.push(number),
                None => members_of.push((name, vec![number])),
            }
        }
        for (name, only) in members_of {
            self.entry(&name, Entry { row, only: Some((variable, only)) });
        }
        Ok(())
    }

    fn entry(&mut self, name: &str, entry: Entry) {
        let name = Symbol::intern(name);
        let entries = self.table.index.entry(name).or_default();
        if entries.is_empty() {
            self.table.names.push(name);
        }
        entries.push(entry);
    }

    /// Reads a type, and the name of the parameter if it has one.
    fn parameter(
        &self,
        text: &str,
        variables: &mut Vec<usize>,
    ) -> Result<(Type, Option<Symbol>), NotationError> {
        let mut made = Type {
            constant: false,
            volatile: false,
            space: FamilyRef::Fixed(AddressSpace::Generic),
            access: FamilyRef::Fixed(Access::ReadOnly),
            atomic: false,
            pointer: false,
            base: Base::Type(FamilyRef::Fixed(Ty::VOID)),
            derived: Vec::new(),
        };
        let (mut based, mut name) = (false, None);
        for word in text.split_whitespace() {
            if based {
                // Only the name can follow the base.
                if name.replace(Symbol::intern(word)).is_some() || !is_name(word) {
                    return Err(NotationError::NotAType(text.trim().to_owned()));
                }
                continue;
            }
            match word {
                "const" => made.constant = true,
                "volatile" => made.volatile = true,
                "atomic" => made.atomic = true,
                _ => {
                    if let Some(space) = space(word) {
                        made.space = FamilyRef::Fixed(space);
                    } else if let Some(access) = access(word) {
                        made.access = FamilyRef::Fixed(access);
                    } else {
                        let (word, pointer) =
                            word.strip_suffix('*').map_or((word, false), |word| (word, true));
                        made.pointer = pointer;
                        based = self.word(word, &mut made, variables)?;
                    }
                }
            }
        }
        if based { Ok((made, name)) } else { Err(NotationError::NotAType(text.trim().to_owned())) }
    }

    /// Reads a family, or a type with derivation steps. Returns whether it is the base of the type.
    fn word(&self, word: &str, made: &mut Type, variables: &mut Vec<usize>) -> Result<bool, NotationError> {
        let mut pieces = word.split('.');
        let base = pieces.next().unwrap_or_default();
        if let Some(family) = self.families.get(base) {
            let variable = variable(*family, variables);
            match &self.table.families[*family] {
                Family::Types(_) => made.base = Base::Type(FamilyRef::Variable(variable)),
                Family::Images(_) => made.base = Base::Image(FamilyRef::Variable(variable)),
                Family::Spaces(_) => {
                    made.space = FamilyRef::Variable(variable);
                    return Ok(false);
                }
                Family::Accesses(_) => {
                    made.access = FamilyRef::Variable(variable);
                    return Ok(false);
                }
            }
        } else if self.types.is_enumeration(Symbol::intern(base)) {
            made.base = Base::Enumeration(Symbol::intern(base));
        } else {
            let ty = self.named(base).ok_or_else(|| NotationError::UnknownType(base.to_owned()))?;
            made.base = match ty.kind() {
                TyKind::Opaque(Opaque::Image { name, .. }) => Base::Image(FamilyRef::Fixed(*name)),
                _ => Base::Type(FamilyRef::Fixed(ty)),
            };
        }
        for piece in pieces {
            made.derived.push(
                self.derived(piece, variables).ok_or_else(|| NotationError::UnknownStep(piece.to_owned()))?,
            );
        }
        Ok(true)
    }

    fn derived(&self, text: &str, variables: &mut Vec<usize>) -> Option<Derived> {
        if let Some(family) = text.strip_prefix("lanes(").and_then(|rest| rest.strip_suffix(')')) {
            return Some(Derived::LanesOf(variable(*self.families.get(family)?, variables)));
        }
        if let Some(lanes) = text.strip_prefix('x') {
            return Some(Derived::Lanes(lanes.parse().ok()?));
        }
        Some(match text {
            "scalar" => Derived::Scalar,
            "signed" => Derived::Signed,
            "unsigned" => Derived::Unsigned,
            "truth" => Derived::Truth,
            "wide" => Derived::Wide,
            _ => Derived::Element(self.named(text)?),
        })
    }

    /// The type with this name, other than a family.
    fn named(&self, word: &str) -> Option<Ty> {
        match word {
            "void" => Some(Ty::VOID),
            "bool" => Some(Ty::BOOL),
            _ if self.handles.iter().any(|handle| handle == word) => Some(handle(word)),
            _ => self.types.get(Symbol::intern(word)),
        }
    }
}

fn is_name(word: &str) -> bool {
    word.chars().all(|char| char.is_alphanumeric() || char == '_')
}

/// The index of a family among the variables of a row.
fn variable(family: usize, variables: &mut Vec<usize>) -> usize {
    variables.iter().position(|of| *of == family).unwrap_or_else(|| {
        variables.push(family);
        variables.len() - 1
    })
}

/// Converts each member with `meaning`.
fn all<'a, T>(
    members: impl Iterator<Item = &'a str>,
    meaning: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, NotationError> {
    members
        .map(|member| meaning(member).ok_or_else(|| NotationError::UnknownMember(member.to_owned())))
        .collect()
}

/// Expands a name with `[a|b]` into all its alternatives.
pub(super) fn alternatives(name: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']').unwrap_or((after, ""));
        names = names
            .iter()
            .flat_map(|name| inside.split('|').map(move |inside| format!("{name}{before}{inside}")))
            .collect();
        rest = after;
    }
    for name in &mut names {
        name.push_str(rest);
    }
    names
}

/// The name of a scalar or vector type. With `only_lanes`, the number of its lanes; empty for a scalar.
fn spelling(ty: Ty, only_lanes: bool) -> Option<String> {
    let (element, lanes) = ty.lanes()?;
    let element = match element.kind() {
        _ if only_lanes => "",
        TyKind::Integer(integer) => integer.name(),
        TyKind::Float(float) => float.name(),
        _ => return None,
    };
    Some(if lanes == 1 { element.to_owned() } else { format!("{element}{lanes}") })
}

fn space(word: &str) -> Option<AddressSpace> {
    Some(match word {
        "global" => AddressSpace::Global,
        "local" => AddressSpace::Local,
        "constant" => AddressSpace::Constant,
        "private" => AddressSpace::Private,
        "generic" => AddressSpace::Generic,
        _ => return None,
    })
}

fn access(word: &str) -> Option<Access> {
    Some(match word {
        "read_only" => Access::ReadOnly,
        "write_only" => Access::WriteOnly,
        "read_write" => Access::ReadWrite,
        _ => return None,
    })
}
