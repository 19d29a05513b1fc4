//! A position in the tokens of a module, and the parts of the language that occur everywhere: types and attributes.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use tangle_base::Symbol;
use tangle_ir::flow::Global;
use tangle_ir::types::{Float, Ty};

use crate::error::{Error, ErrorKind};
use crate::lex::{Kind, Token, unescaped};
use crate::types::{Type, TypeId, Types};

/// The maximum nesting depth of brackets.
const MAX_DEPTH: u32 = 200;

/// The attributes of a function or a call that matter for convergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub convergent: bool,
    pub noconvergent: bool,
}

impl Attributes {
    fn add(&mut self, word: &str) {
        self.convergent |= word == "convergent";
        self.noconvergent |= word == "noconvergent";
    }

    pub fn join(&mut self, other: Attributes) {
        self.convergent |= other.convergent;
        self.noconvergent |= other.noconvergent;
    }
}

/// A function that the module declares or defines.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub attributes: Attributes,
    /// The name of the function in the graph. For a function that is only declared, its symbol.
    pub name: Symbol,
    pub is_defined: bool,
}

/// The contents of a module that its functions refer to.
pub(crate) struct Reader<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub at: usize,
    depth: u32,
    pub types: Types,
    pub groups: FxHashMap<&'a str, Attributes>,
    pub functions: FxHashMap<Symbol, Declared>,
    pub globals: FxHashMap<Symbol, Global>,
    /// The first token of each metadata node, after the `=`, by name with `!`.
    pub nodes: FxHashMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, tokens: Vec<Token>) -> Reader<'a> {
        Reader {
            text,
            tokens,
            at: 0,
            depth: 0,
            types: Types::default(),
            groups: FxHashMap::default(),
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            nodes: FxHashMap::default(),
        }
    }

    pub fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub fn kind(&self) -> Kind {
        self.token().kind
    }

    /// Returns the text of a token.
    pub fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Returns the current word. Empty for any other token.
    pub fn word(&self) -> &'a str {
        let token = self.token();
        if token.kind == Kind::Word { self.text_of(token) } else { "" }
    }

    pub fn next(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn is(&self, mark: u8) -> bool {
        self.kind() == Kind::Mark(mark)
    }

    pub fn eat(&mut self, mark: u8) -> bool {
        let is_there = self.is(mark);
        if is_there {
            self.next();
        }
        is_there
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let is_there = self.word() == word;
        if is_there {
            self.next();
        }
        is_there
    }

    pub fn error(&self, kind: ErrorKind) -> Error {
        self.error_at(self.at, kind)
    }

    pub fn error_at(&self, token: usize, kind: ErrorKind) -> Error {
        let token = self.tokens[token.min(self.tokens.len() - 1)];
        Error::at(self.text, token.start as usize, kind)
    }

    pub fn expected(&self, what: &'static str) -> Error {
        self.error(ErrorKind::Expected(what))
    }

    pub fn expect(&mut self, mark: u8, what: &'static str) -> Result<(), Error> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Reads a part that may contain itself. Limits the depth of the recursion.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(ErrorKind::Nested));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Skips the rest of the line. A line contains at least the current token.
    pub fn skip_line(&mut self) {
        self.next();
        while !self.token().is_first {
            self.next();
        }
    }

    /// Skips a token, or everything from an opening bracket to its closing one.
    pub fn skip_group(&mut self) {
        let mut depth = 0;
        loop {
            match self.kind() {
                Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
                Kind::Mark(b')' | b']' | b'}') => depth -= 1,
                Kind::End => return,
                _ => {}
            }
            self.next();
            if depth <= 0 {
                return;
            }
        }
    }

    /// Returns the name of a token that names a value, function, block or type, without its sigil and quotes.
    pub fn name_of(&self, token: Token) -> Cow<'a, str> {
        let text = self.text_of(token);
        let text = match token.kind {
            Kind::Local | Kind::Global => &text[1..],
            _ => text,
        };
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(quoted) if !quoted.contains('\\') => Cow::Borrowed(quoted),
            Some(quoted) => Cow::Owned(String::from_utf8_lossy(&unescaped(quoted)).into_owned()),
            None => Cow::Borrowed(text),
        }
    }

    /// Reads a number of 64 bits without a sign.
    pub fn unsigned(&mut self) -> Result<u64, Error> {
        let token = self.token();
        let number = (token.kind == Kind::Number).then(|| self.text_of(token).parse().ok()).flatten();
        let number = number.ok_or_else(|| self.error(ErrorKind::Number))?;
        self.next();
        Ok(number)
    }

    /// Reads `addrspace(n)`, if it is there.
    pub fn address_space(&mut self) -> Result<u32, Error> {
        if !self.eat_word("addrspace") {
            return Ok(0);
        }
        self.expect(b'(', "`(`")?;
        // A letter names the space of the data layout: `A` is that of `alloca`, `G` that of variables, `P` that of code.
        let number = match self.kind() {
            Kind::Text => {
                self.next();
                0
            }
            _ => self.unsigned()?.try_into().map_err(|_| self.error(ErrorKind::Number))?,
        };
        self.expect(b')', "`)`")?;
        Ok(number)
    }

    /// Whether a type begins here.
    pub fn is_type(&self) -> bool {
        match self.kind() {
            Kind::Local | Kind::Mark(b'<' | b'[' | b'{') => true,
            Kind::Word => {
                let word = self.word();
                let digits = word.strip_prefix('i').unwrap_or_default();
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
                    || TYPE_WORDS.contains(&word)
            }
            _ => false,
        }
    }

    /// Reads a type.
    pub fn ty(&mut self) -> Result<TypeId, Error> {
        self.nested(Self::type_inside)
    }

    fn type_inside(&mut self) -> Result<TypeId, Error> {
        let start = self.at;
        let token = self.next();
        let mut ty = match token.kind {
            Kind::Word => self.type_word(token, start)?,
            Kind::Local => {
                let name = Symbol::intern(&self.name_of(token));
                Type::Named(self.types.name(name))
            }
            Kind::Mark(b'<') if self.eat(b'{') => {
                let fields = self.type_list(b'}')?;
                self.expect(b'>', "`>`")?;
                Type::Struct { fields, is_packed: true }
            }
            Kind::Mark(b'<') => {
                // A vector whose number of lanes depends on the machine has no counterpart.
                let is_scalable = self.eat_word("vscale");
                if is_scalable {
                    self.next();
                }
                let (lanes, element) = self.sequence()?;
                self.expect(b'>', "`>`")?;
                if is_scalable { Type::Other } else { Type::Vector { lanes, element } }
            }
            Kind::Mark(b'[') => {
                let (length, element) = self.sequence()?;
                self.expect(b']', "`]`")?;
                Type::Array { length, element }
            }
            Kind::Mark(b'{') => Type::Struct { fields: self.type_list(b'}')?, is_packed: false },
            _ => return Err(self.error_at(start, ErrorKind::Expected("a type"))),
        };
        loop {
            let space = self.address_space()?;
            if self.eat(b'*') {
                ty = Type::Pointer(space);
            } else if self.eat(b'(') {
                let result = self.types.id(ty);
                let (mut parameters, mut is_variadic) = (Vec::new(), false);
                while !self.eat(b')') {
                    if !parameters.is_empty() {
                        self.expect(b',', "`,`")?;
                    }
                    if self.eat_word("...") {
                        is_variadic = true;
                    } else {
                        parameters.push(self.ty()?);
                    }
                }
                ty = Type::Function { result, parameters: parameters.into(), is_variadic };
            } else {
                return Ok(self.types.id(ty));
            }
        }
    }

    fn type_word(&mut self, token: Token, start: usize) -> Result<Type, Error> {
        Ok(match self.text_of(token) {
            "void" => Type::Void,
            "half" => Type::Float(Float::Half),
            "float" => Type::Float(Float::Single),
            "double" => Type::Float(Float::Double),
            "ptr" => Type::Pointer(self.address_space()?),
            "token" => Type::Token,
            "metadata" | "label" => Type::Metadata,
            "target" if self.is(b'(') => {
                // A handle: its bits have no meaning.
                self.skip_group();
                Type::Integer(64)
            }
            "bfloat" | "x86_fp80" | "fp128" | "ppc_fp128" | "x86_mmx" | "x86_amx" | "opaque" => Type::Other,
            word => {
                let bits = word.strip_prefix('i').and_then(|digits| digits.parse::<u32>().ok());
                match bits {
                    Some(bits @ 1..=0x80_0000) => Type::Integer(bits),
                    _ => return Err(self.error_at(start, ErrorKind::Expected("a type"))),
                }
            }
        })
    }

    /// Reads `4 x i32`.
    fn sequence(&mut self) -> Result<(u64, TypeId), Error> {
        let length = self.unsigned()?;
        if !self.eat_word("x") {
            return Err(self.expected("`x`"));
        }
        Ok((length, self.ty()?))
    }

    fn type_list(&mut self, end: u8) -> Result<Box<[TypeId]>, Error> {
        let mut list = Vec::new();
        while !self.eat(end) {
            if !list.is_empty() {
                self.expect(b',', "`,`")?;
            }
            list.push(self.ty()?);
        }
        Ok(list.into())
    }

    /// Skips the attributes of a parameter or a result, and returns the type that one of them gives: `byval(%struct.S)`.
    pub fn parameter_attributes(&mut self) -> Result<Option<TypeId>, Error> {
        let mut copied = None;
        loop {
            match self.kind() {
                Kind::Word if !VALUE_WORDS.contains(&self.word()) && !self.is_type() => {
                    let word = self.word();
                    self.next();
                    if self.is(b'(') {
                        if matches!(word, "byval" | "byref") {
                            self.next();
                            copied = Some(self.ty()?);
                            self.expect(b')', "`)`")?;
                        } else {
                            self.skip_group();
                        }
                    } else if word == "align" && self.kind() == Kind::Number {
                        self.next();
                    }
                }
                Kind::Text => {
                    self.next();
                    if self.eat(b'=') {
                        self.next();
                    }
                }
                _ => return Ok(copied),
            }
        }
    }

    /// Reads the attributes after the parameters of a function, or after the arguments of a call.
    pub fn function_attributes(&mut self) -> Attributes {
        let mut all = Attributes::default();
        loop {
            let token = self.token();
            match token.kind {
                Kind::Attributes => {
                    // A group may be defined after its use.
                    all.join(self.groups.get(self.text_of(token)).copied().unwrap_or_default());
                    self.next();
                }
                // The first word of a line begins the next instruction.
                Kind::Word if !token.is_first => {
                    all.add(self.text_of(token));
                    self.next();
                    if self.is(b'(') {
                        self.skip_group();
                    } else if self.eat(b'=') {
                        self.next();
                    }
                }
                Kind::Text if !token.is_first => {
                    self.next();
                    if self.eat(b'=') {
                        self.next();
                    }
                }
                Kind::Number if !token.is_first => _ = self.next(),
                _ => return all,
            }
        }
    }

    /// Reads the attributes of a group, after the opening brace.
    pub fn group(&mut self) -> Attributes {
        let mut all = Attributes::default();
        while !matches!(self.kind(), Kind::End | Kind::Mark(b'}')) {
            all.add(self.word());
            match self.is(b'(') {
                true => self.skip_group(),
                false => _ = self.next(),
            }
        }
        self.next();
        all
    }

    /// Returns the items of a metadata node, such as `!{!"int*", i32 4}`. Empty if it is not a list.
    pub fn node(&mut self, name: &str) -> Vec<Item> {
        let Some(&start) = self.nodes.get(name) else { return Vec::new() };
        let before = std::mem::replace(&mut self.at, start);
        let mut items = Vec::new();
        let is_list = self.eat(b'!') && self.eat(b'{');
        while is_list && !matches!(self.kind(), Kind::End | Kind::Mark(b'}')) {
            if self.eat(b',') {
                continue;
            }
            if self.eat(b'!') {
                let token = self.next();
                let text = self.text_of(token).trim_matches('"');
                items.push(Item::Text(String::from_utf8_lossy(&unescaped(text)).into_owned()));
                continue;
            }
            let mut item = Item::Other;
            // `i32 4`, `ptr @k`, `!7`.
            while !matches!(self.kind(), Kind::End | Kind::Mark(b',' | b'}')) {
                let token = self.token();
                match token.kind {
                    Kind::Number => item = self.text_of(token).parse().map_or(Item::Other, Item::Number),
                    Kind::Global => item = Item::Global(Symbol::intern(&self.name_of(token))),
                    Kind::Metadata => item = Item::Node(self.text_of(token).to_owned()),
                    _ => {}
                }
                self.skip_group();
            }
            items.push(item);
        }
        self.at = before;
        items
    }

    /// Returns the type of the address of a variable.
    pub fn address_of(&self, name: Symbol) -> Option<Ty> {
        let global = self.globals.get(&name)?;
        Some(Ty::pointer(global.ty, global.space))
    }
}

/// An item of a metadata node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Text(String),
    Number(i64),
    Global(Symbol),
    /// Another node, by its name with `!`.
    Node(String),
    Other,
}

/// The words that are types, besides the integers.
const TYPE_WORDS: [&str; 17] = [
    "void",
    "half",
    "float",
    "double",
    "ptr",
    "token",
    "metadata",
    "label",
    "target",
    "bfloat",
    "x86_fp80",
    "fp128",
    "ppc_fp128",
    "x86_mmx",
    "x86_amx",
    "opaque",
    "...",
];

/// The words with which a value can begin.
pub(crate) const VALUE_WORDS: [&str; 36] = [
    "true",
    "false",
    "null",
    "none",
    "undef",
    "poison",
    "zeroinitializer",
    "splat",
    "asm",
    "blockaddress",
    "dso_local_equivalent",
    "no_cfi",
    "getelementptr",
    "bitcast",
    "addrspacecast",
    "ptrtoint",
    "inttoptr",
    "trunc",
    "zext",
    "sext",
    "fptrunc",
    "fpext",
    "add",
    "sub",
    "mul",
    "shl",
    "lshr",
    "ashr",
    "and",
    "or",
    "xor",
    "icmp",
    "fcmp",
    "select",
    "extractelement",
    "ptrauth",
];
