//! Reads types, as [`spelling`](crate::text::spelling) writes them.
//!
//! **Declarator**: in C, the text around the declared name; here, the name is missing. It is read into **steps** that
//! build the type outwards from its base: `int (*)[4]` is `int`, then an array of 4, then a pointer.

use tangle_base::{AddressSpace, Namespace, Symbol};

use super::lex::Kind;
use super::{Error, Parser};
use crate::key::{InstanceArgument, InstanceArguments};
use crate::text::{operators, spelling};
use crate::types::{
    Definition, Field, FunctionTy, Integer, Opaque, Pointer, Record, RecordName, TemplateArgument, Ty, TyKind,
};

/// The qualifiers of a pointee.
#[derive(Clone, Copy, Default, PartialEq)]
struct Qualifiers {
    space: Option<AddressSpace>,
    constant: bool,
    volatile: bool,
}

enum Step {
    /// The qualifiers of the pointee of the next pointer.
    Qualify(Qualifiers),
    Pointer {
        restrict: bool,
        reference: bool,
    },
    BlockPointer,
    Array(Option<u64>),
    Function {
        parameters: Vec<Ty>,
        variadic: bool,
    },
}

impl<'a> Parser<'a> {
    /// Returns whether a type begins here.
    pub(super) fn at_type(&self) -> bool {
        self.word().is_some_and(spelling::is_type_word)
    }

    pub(super) fn ty(&mut self) -> Result<Ty, Error> {
        self.nested(Parser::whole_type)
    }

    fn whole_type(&mut self) -> Result<Ty, Error> {
        let start = self.at;
        let mut pending = self.qualifiers()?;
        let mut ty = self.base()?;
        for step in self.declarator()? {
            ty = match step {
                Step::Qualify(more) => {
                    pending = Qualifiers {
                        space: more.space.or(pending.space),
                        constant: more.constant || pending.constant,
                        volatile: more.volatile || pending.volatile,
                    };
                    continue;
                }
                Step::Pointer { restrict, reference } => {
                    let Qualifiers { space, constant, volatile } = std::mem::take(&mut pending);
                    let space = space.unwrap_or(AddressSpace::Generic);
                    Ty::new(TyKind::Pointer(Pointer {
                        pointee: ty,
                        space,
                        constant,
                        volatile,
                        restrict,
                        reference,
                    }))
                }
                Step::BlockPointer => Ty::new(TyKind::BlockPointer(ty)),
                Step::Array(length) => Ty::array(ty, length),
                Step::Function { parameters, variadic } => {
                    let parameters = parameters.into();
                    Ty::new(TyKind::Function(Box::new(FunctionTy { result: ty, parameters, variadic })))
                }
            };
        }
        if pending != Qualifiers::default() {
            return Err(self.error_at(start, "an address space, `const` or `volatile` without a pointer"));
        }
        Ok(ty)
    }

    fn qualifiers(&mut self) -> Result<Qualifiers, Error> {
        let mut all = Qualifiers::default();
        while let Some(word) = self.word().filter(|word| spelling::is_qualifier(word)) {
            match operators::read_space(word) {
                Some(_) if all.space.is_some() => return Err(self.error("more than one address space")),
                Some(space) => all.space = Some(space),
                None if word == "const" => all.constant = true,
                None => all.volatile = true,
            }
            self.at += 1;
        }
        Ok(all)
    }

    /// Returns whether the qualifiers here are followed by a pointer. Otherwise they qualify the object that has the
    /// type.
    fn qualifies(&self) -> bool {
        let is_qualifier = |word: &str| spelling::is_qualifier(word) || word == "restrict";
        let mut at = self.at;
        while self.word_at(at).is_some_and(is_qualifier) {
            at += 1;
        }
        at > self.at && matches!(self.kind_at(at), Kind::Mark("*" | "^" | "(" | "["))
    }

    fn declarator(&mut self) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        loop {
            if self.word() == Some("restrict") {
                let last = steps.iter_mut().rev().find_map(|step| match step {
                    Step::Pointer { restrict, .. } => Some(restrict),
                    _ => None,
                });
                *last.ok_or_else(|| self.error("`restrict` without a pointer"))? = true;
                self.at += 1;
            } else if self.eat("*") {
                steps.push(Step::Pointer { restrict: false, reference: false });
            } else if self.eat("&") {
                steps.push(Step::Pointer { restrict: false, reference: true });
            } else if self.eat("^") {
                steps.push(Step::BlockPointer);
            } else if self.qualifies() {
                steps.push(Step::Qualify(self.qualifiers()?));
            } else {
                break;
            }
        }
        let mut inner = Vec::new();
        if self.is("(") && self.holds_declarator() {
            self.at += 1;
            inner = self.nested(Parser::declarator)?;
            self.expect(")")?;
        }
        let mut after = Vec::new();
        loop {
            if self.is("[") && self.holds_length() {
                self.at += 1;
                let length = if self.is("]") { None } else { Some(self.number("a length")?) };
                self.expect("]")?;
                after.push(Step::Array(length));
            } else if self.is("(") && self.holds_parameters() {
                self.at += 1;
                after.push(self.parameters()?);
            } else {
                break;
            }
        }
        steps.extend(after.into_iter().rev());
        steps.extend(inner);
        Ok(steps)
    }

    /// Returns whether the parenthesis here opens a declarator instead of a parameter list.
    fn holds_declarator(&self) -> bool {
        let mut at = self.at + 1;
        while self.word_at(at).is_some_and(spelling::is_qualifier) {
            at += 1;
        }
        matches!(self.kind_at(at), Kind::Mark("*" | "^"))
    }

    fn holds_length(&self) -> bool {
        let at = self.at + 1;
        let at = if matches!(self.kind_at(at), Kind::Number) { at + 1 } else { at };
        matches!(self.kind_at(at), Kind::Mark("]"))
    }

    fn holds_parameters(&self) -> bool {
        let at = self.at + 1;
        matches!(self.kind_at(at), Kind::Mark(")" | "..."))
            || self.word_at(at).is_some_and(spelling::is_type_word)
    }

    fn parameters(&mut self) -> Result<Step, Error> {
        let (mut parameters, mut variadic) = (Vec::new(), false);
        while !self.eat(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            if self.eat("...") {
                variadic = true;
                self.expect(")")?;
                break;
            }
            parameters.push(self.ty()?);
        }
        Ok(Step::Function { parameters, variadic })
    }

    fn base(&mut self) -> Result<Ty, Error> {
        let Some(word) = self.word() else { return Err(self.error("expected a type")) };
        if let Some((_, kind)) = spelling::SINGLE_WORD_TYPES.into_iter().find(|(it, _)| *it == word) {
            self.at += 1;
            return Ok(Ty::new(kind));
        }
        if let Some(abi) = spelling::vector_abi(word) {
            self.at += 1;
            let vector = self.word().and_then(spelling::arithmetic).and_then(Ty::as_vector);
            let (element, lanes) = vector.ok_or_else(|| self.error("expected a vector type"))?;
            self.at += 1;
            return Ok(Ty::vector_of(abi, element, lanes));
        }
        if let Some(ty) = spelling::arithmetic(word).or_else(|| spelling::atomic(word)) {
            self.at += 1;
            return Ok(ty);
        }
        if let Some(access) = operators::read_access(word) {
            self.at += 1;
            if self.word() == Some("pipe") {
                self.at += 1;
                self.expect("(")?;
                let packet = self.ty()?;
                self.expect(")")?;
                return Ok(Ty::new(TyKind::Opaque(Opaque::Pipe { packet, access })));
            }
            let name = Symbol::intern(&self.name("the name of an image")?);
            return Ok(Ty::new(TyKind::Opaque(Opaque::Image { name, access })));
        }
        match word {
            "unknown" => {
                self.at += 1;
                self.keyword("type")?;
                Ok(Ty::UNKNOWN)
            }
            "unsigned" => {
                self.at += 1;
                match self.word().and_then(|word| word.strip_prefix("__int128")) {
                    Some("") => {
                        self.at += 1;
                        Ok(Ty::integer(Integer::UInt128))
                    }
                    Some(lanes) => match lanes.parse() {
                        Ok(lanes) if lanes > 1u8 => {
                            self.at += 1;
                            Ok(Ty::vector(Ty::integer(Integer::UInt128), lanes))
                        }
                        _ => Err(self.error("expected a number of lanes")),
                    },
                    None => Err(self.error("expected `__int128`")),
                }
            }
            "_Atomic" => {
                self.at += 1;
                self.expect("(")?;
                let of = self.ty()?;
                self.expect(")")?;
                Ok(Ty::new(TyKind::Atomic(of)))
            }
            "parameter" => {
                self.at += 1;
                Ok(Ty::new(TyKind::Parameter(self.number("the number of a template parameter")?)))
            }
            "incomplete" => {
                self.at += 1;
                let (union, tag, _) = self.tag()?;
                Ok(Ty::new(TyKind::Record(Box::new(Record { union, tag, definition: None }))))
            }
            _ => {
                let start = self.at;
                let text = self.type_name()?;
                let known = self.types.get(text).copied();
                known
                    .ok_or_else(|| self.error_at(start, &format!("unknown type `{text}`: add a `type` line")))
            }
        }
    }

    /// Reads the name of a type that a `type` line defines, and returns its text.
    fn type_name(&mut self) -> Result<&'a str, Error> {
        let start = self.token().start;
        if self.word().is_some_and(spelling::is_given_name) {
            self.at += 1;
        } else {
            self.tag()?;
        }
        Ok(&self.text[start..self.end_before()])
    }

    /// Reads `struct name`, `union name` or `unnamed struct`. Returns whether it is a union, its tag, and whether a
    /// number follows.
    fn tag(&mut self) -> Result<(bool, Option<RecordName>, bool), Error> {
        let unnamed = self.word() == Some("unnamed");
        self.at += usize::from(unnamed);
        let union = match self.word() {
            Some("struct") => false,
            Some("union") => true,
            _ => return Err(self.error("expected a type")),
        };
        self.at += 1;
        let tag = if unnamed { None } else { Some(self.class("the tag of a record")?) };
        let numbered = self.eat(".");
        if numbered {
            self.number::<u64>("the number of a record")?;
        }
        Ok((union, tag, numbered))
    }

    /// Reads `ops::sum<any, 1>`: a class, or a specialisation with its arguments.
    pub(super) fn class(&mut self, what: &str) -> Result<RecordName, Error> {
        let mut path = self.path(what)?;
        let name = path.pop().unwrap_or(Symbol::EMPTY);
        let arguments = self.template_arguments()?;
        Ok(RecordName::new(Namespace::GLOBAL.of_path(path), name, arguments))
    }

    /// Reads a class and the name of a function in it, after `class`.
    pub(super) fn member(&mut self) -> Result<(RecordName, Symbol), Error> {
        let mut path = self.path("a class")?;
        let arguments = self.template_arguments()?;
        let name = match arguments.is_empty() {
            true => path.pop().filter(|_| !path.is_empty()),
            false if self.eat("::") => Some(Symbol::intern(&self.name("a name")?)),
            false => None,
        };
        match (name, path.pop()) {
            (Some(name), Some(class)) => {
                Ok((RecordName::new(Namespace::GLOBAL.of_path(path), class, arguments), name))
            }
            _ => Err(self.error("expected `::` and the name of a function")),
        }
    }

    /// Reads one or more names with `::` between them.
    pub(super) fn path(&mut self, what: &str) -> Result<Vec<Symbol>, Error> {
        let mut path = vec![Symbol::intern(&self.name(what)?)];
        while self.eat("::") {
            path.push(Symbol::intern(&self.name(what)?));
        }
        Ok(path)
    }

    fn template_arguments(&mut self) -> Result<Box<[TemplateArgument]>, Error> {
        let mut arguments = Vec::new();
        // `<` can also begin the type of a function, which does not begin with one of these words.
        let is_argument = matches!(self.word_at(self.at + 1), Some("any" | "other" | "type" | "value"))
            || *self.kind_at(self.at + 1) == Kind::Number;
        if is_argument && self.eat("<") {
            while !self.eat(">") {
                if !arguments.is_empty() {
                    self.expect(",")?;
                }
                arguments.push(self.nested(Parser::template_argument)?);
            }
        }
        Ok(arguments.into())
    }

    /// Reads the arguments of a function template after this word, if there are some.
    pub(super) fn instance_arguments(&mut self, word: &str) -> Result<InstanceArguments, Error> {
        let mut arguments = Vec::new();
        // `<` can also begin the type that distinguishes an overload, which does not begin with this word.
        if self.word_at(self.at + 1) == Some(word) && self.eat("<") {
            self.keyword(word)?;
            while !self.eat(">") {
                if !arguments.is_empty() {
                    self.expect(",")?;
                }
                arguments.push(self.nested(Parser::instance_argument)?);
            }
        }
        Ok(InstanceArguments::new(&arguments))
    }

    fn instance_argument(&mut self) -> Result<InstanceArgument, Error> {
        if self.eat_word("any") {
            return Ok(InstanceArgument::Unknown);
        }
        if self.eat_word("type") {
            return Ok(InstanceArgument::Type(self.ty()?));
        }
        let value = self.number("`any`, `type` or a number")?;
        self.expect(":")?;
        Ok(InstanceArgument::Value { value, ty: self.ty()? })
    }

    fn template_argument(&mut self) -> Result<TemplateArgument, Error> {
        if self.eat_word("any") {
            return Ok(TemplateArgument::Any);
        }
        if self.eat_word("other") {
            return Ok(TemplateArgument::Other);
        }
        if self.eat_word("type") {
            return Ok(TemplateArgument::Type(self.ty()?));
        }
        if self.eat_word("value") {
            return Ok(TemplateArgument::Parameter(self.number("the number of a parameter")?));
        }
        Ok(TemplateArgument::Number(self.number("`any`, `other`, `type`, `value` or a number")?))
    }

    /// Reads `type name = …`, after `type`.
    pub(super) fn type_line(&mut self) -> Result<(), Error> {
        let start = self.at;
        let name = self.type_name()?.to_owned();
        let after = self.at;
        self.expect("=")?;
        let ty = if self.is("{") {
            self.at = start;
            let (union, tag, _) = self.tag()?;
            self.at = after + 1;
            let definition = Some(self.definition()?);
            Ty::new(TyKind::Record(Box::new(Record { union, tag, definition })))
        } else {
            self.ty()?
        };
        match self.types.insert(name, ty) {
            None => self.line_end(),
            Some(_) => Err(self.error_at(start, "this type is already defined")),
        }
    }

    fn definition(&mut self) -> Result<Definition, Error> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.eat("}") {
            if !fields.is_empty() {
                self.expect(",")?;
            }
            fields.push(self.field()?);
        }
        let packed = self.eat_word("packed");
        let pack = if self.eat_word("pack") { Some(self.number("a number of bytes")?) } else { None };
        let align = if self.eat_word("align") { Some(self.number("a number of bytes")?) } else { None };
        Ok(Definition { fields: fields.into(), packed, pack, align })
    }

    fn field(&mut self) -> Result<Field, Error> {
        let name = if self.is(":") { None } else { Some(Symbol::intern(&self.name("the name of a field")?)) };
        self.expect(":")?;
        let ty = self.ty()?;
        let bits = if self.eat_word("bits") { Some(self.number("a number of bits")?) } else { None };
        let constant = self.eat_word("const");
        let volatile = self.eat_word("volatile");
        let packed = self.eat_word("packed");
        let align = if self.eat_word("align") { Some(self.number("a number of bytes")?) } else { None };
        Ok(Field { name, ty, bits, constant, volatile, packed, align })
    }
}
