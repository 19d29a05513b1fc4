//! A small lexer and a printer of trees, for tests.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::LazyLock;

use logos::Logos;
use tangle_grammar::ast::*;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_grammar::words::Words;
use tangle_grammar::{Parse, Taken, UnknownWord, parse};

/// Spellings of keywords beside their names.
const ALSO: [(&str, &[&str]); 20] = [
    ("inline", &["__inline", "__inline__"]),
    ("const", &["__const", "__const__"]),
    ("volatile", &["__volatile", "__volatile__"]),
    ("restrict", &["__restrict", "__restrict__"]),
    ("signed", &["__signed", "__signed__"]),
    ("bool", &["_Bool"]),
    ("_Alignof", &["alignof", "__alignof", "__alignof__"]),
    ("typeof", &["__typeof", "__typeof__"]),
    ("__attribute__", &["__attribute"]),
    ("asm", &["__asm", "__asm__"]),
    ("kernel", &["__kernel"]),
    ("global", &["__global"]),
    ("local", &["__local"]),
    ("constant", &["__constant"]),
    ("private", &["__private"]),
    ("generic", &["__generic"]),
    ("read_only", &["__read_only"]),
    ("write_only", &["__write_only"]),
    ("read_write", &["__read_write"]),
    ("_Complex", &["__complex__"]),
];

const SCALARS: [&str; 11] =
    ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];

/// The names of vector types.
static VECTORS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let of = |scalar: &str| ["2", "3", "4", "8", "16"].map(|lanes| format!("{scalar}{lanes}"));
    SCALARS.into_iter().flat_map(of).collect()
});

/// The words of OpenCL C.
pub static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let also =
        ALSO.iter().flat_map(|(name, spellings)| spellings.iter().map(move |spelling| (*spelling, *name)));
    let named = TokenKind::KEYWORDS.iter().map(|&(name, _)| (name, name));
    let keyword = |(spelling, name)| (Symbol::intern(spelling), TokenKind::keyword(name).expect("it is one"));
    Words::new("OpenCL C", named.chain(also).map(keyword), VECTORS.iter().map(|name| Symbol::intern(name)))
});

/// Whether the language has a type of this name that is no keyword.
fn is_builtin_type(name: &str) -> bool {
    let others = ["size_t", "ptrdiff_t", "event_t", "sampler_t", "atomic_int", "memory_order"];
    let image = name.starts_with("image") && name.ends_with("_t");
    image || SCALARS.contains(&name) || others.contains(&name) || VECTORS.contains(name)
}

/// The tokens of `text`, as the preprocessor would hand them on; builtin types and `types` are TypeNames.
pub fn tokens(text: &str, types: &[&str]) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut lexer = TokenKind::lexer(text);
    while let Some(kind) = lexer.next() {
        let mut kind = kind.unwrap_or(TokenKind::Stray);
        if kind.is_trivia() {
            continue;
        }
        let mut slice = lexer.slice();
        if kind == TokenKind::Hash && lexer.remainder().starts_with("pragma ") {
            let line = lexer.remainder().split('\n').next().unwrap_or_default();
            lexer.bump(line.len());
            slice = &line["pragma ".len()..];
            kind = TokenKind::Pragma;
        }
        if kind == TokenKind::Identifier {
            kind = WORDS.kind(Symbol::intern(slice));
        }
        if kind == TokenKind::Identifier && (types.contains(&slice) || is_builtin_type(slice)) {
            kind = TokenKind::TypeName;
        }
        let is_punctuation = kind.spelling().is_some() && kind < TokenKind::If;
        let text = if is_punctuation { Symbol::EMPTY } else { Symbol::intern(slice) };
        tokens.push(Token { kind, text });
    }
    tokens
}

pub fn parse_text(text: &str, types: &[&str]) -> Parse {
    parse(&tokens(text, types), &WORDS)
}

/// The errors and unknown types of `text`, one on each line, with the tokens that they point at.
pub fn complaints(text: &str, types: &[&str]) -> String {
    let tokens = tokens(text, types);
    let parse = parse(&tokens, &WORDS);
    let spell = |token: &Token| token.kind.spelling().map_or_else(|| token.text.to_string(), str::to_owned);
    let mut out = String::new();
    for error in &parse.errors {
        let Span { start, end } = error.span;
        let place = if start == end {
            let before = (start as usize).checked_sub(1).map_or("the start".into(), |at| spell(&tokens[at]));
            format!("behind {before}")
        } else {
            let range = tokens[start as usize..end as usize].iter().map(spell).collect::<Vec<_>>();
            format!("at {}", range.join(" "))
        };
        writeln!(out, "{place}: {}", error.message).unwrap();
    }
    for UnknownWord { name, taken } in &parse.unknown_words {
        let taken = match taken {
            Taken::Type => "type",
            Taken::Nothing => "word",
            Taken::Name => "name",
            Taken::Loop => "loop",
            Taken::Statement => "statement",
            Taken::Arguments => "arguments",
        };
        writeln!(out, "unknown {taken} {}", name.text).unwrap();
    }
    out.truncate(out.trim_end().len());
    out
}

/// The tree, written so that its shape shows: every operation in parentheses, every declaration as a sentence.
pub fn print(parse: &Parse) -> String {
    let printer = Printer { ast: &parse.ast };
    let items: Vec<String> = parse.ast.items.iter().map(|item| printer.decl(*item)).collect();
    items.join("\n")
}

struct Printer<'a> {
    ast: &'a Ast,
}

impl Printer<'_> {
    fn list<T>(&self, items: &[T], separator: &str, print: impl Fn(&T) -> String) -> String {
        items.iter().map(print).collect::<Vec<_>>().join(separator)
    }

    fn decl(&self, id: DeclId) -> String {
        let decl = &self.ast.decls[id];
        let mut out = decl.name.map_or("_".to_owned(), |name| name.text.to_string());
        write!(out, ": {}{}", self.derived(&decl.declarator), self.specifiers(&decl.specifiers)).unwrap();
        if !decl.attributes.is_empty() {
            write!(out, " {}", self.attributes(&decl.attributes)).unwrap();
        }
        if let Some(width) = decl.bit_width {
            write!(out, " bits {}", self.expr(width)).unwrap();
        }
        if let Some(initializer) = &decl.initializer {
            write!(out, " = {}", self.initializer(initializer)).unwrap();
        }
        if let Some(body) = decl.body {
            write!(out, " {}", self.stmt(body)).unwrap();
        }
        out
    }

    fn derived(&self, derived: &[Derived]) -> String {
        derived
            .iter()
            .map(|step| match step {
                Derived::Pointer { qualifiers } => format!("{}pointer to ", self.qualifiers(qualifiers)),
                Derived::BlockPointer { qualifiers } => {
                    format!("{}block pointer to ", self.qualifiers(qualifiers))
                }
                Derived::Array { size: Some(size) } => format!("array[{}] of ", self.expr(*size)),
                Derived::Array { size: None } => "array[] of ".into(),
                Derived::Function { parameters, variadic } => {
                    let dots = if *variadic { " ..." } else { "" };
                    format!("function({}{dots}) to ", self.list(parameters, ", ", |p| self.decl(*p)))
                }
            })
            .collect()
    }

    fn qualifiers(&self, q: &Qualifiers) -> String {
        let mut out = String::new();
        for (set, word) in [
            (q.constant_value, "const "),
            (q.volatile, "volatile "),
            (q.restrict, "restrict "),
            (q.atomic, "_Atomic "),
        ] {
            if set {
                out += word;
            }
        }
        if let Some(space) = q.space {
            write!(out, "{space:?} ").unwrap();
        }
        if let Some(access) = q.access {
            write!(out, "{access:?} ").unwrap();
        }
        out
    }

    fn specifiers(&self, all: &Specifiers) -> String {
        let mut out = String::new();
        for storage in &all.storage {
            write!(out, "{storage:?} ").unwrap();
        }
        out += &self.qualifiers(&all.qualifiers);
        out += &self.list(&all.types, " ", |ty| self.specifier(ty));
        if !all.attributes.is_empty() {
            write!(out, " {}", self.attributes(&all.attributes)).unwrap();
        }
        out
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        let spell =
            |token: &Token| token.kind.spelling().map_or_else(|| token.text.to_string(), str::to_owned);
        let one = |attribute: &Attribute| {
            let arguments = self.list(&attribute.arguments, "", spell);
            let arguments = if arguments.is_empty() { arguments } else { format!("({arguments})") };
            format!("@{}{arguments}", attribute.name.text)
        };
        self.list(attributes, " ", one)
    }

    fn specifier(&self, ty: &TypeSpecifier) -> String {
        let tag = |name: &Option<Name>| name.map_or(String::new(), |name| format!(" {}", name.text));
        match ty {
            TypeSpecifier::Named(name) => name.text.to_string(),
            TypeSpecifier::Record { union, name, members, packing } => {
                let word = if *union { "union" } else { "struct" };
                let members = members.as_ref().map_or(String::new(), |members| {
                    format!(" {{{}}}", self.list(members, "; ", |member| self.decl(*member)))
                });
                let pack = packing.limit().map_or(String::new(), |limit| format!(" @pack({limit})"));
                format!("{word}{}{pack}{members}", tag(name))
            }
            TypeSpecifier::Enum { name, enumerators } => {
                let one = |(name, value): &(Name, Option<ExprId>)| match value {
                    Some(value) => format!("{} = {}", name.text, self.expr(*value)),
                    None => name.text.to_string(),
                };
                let all = enumerators
                    .as_ref()
                    .map_or(String::new(), |all| format!(" {{{}}}", self.list(all, ", ", one)));
                format!("enum{}{all}", tag(name))
            }
            TypeSpecifier::TypeofExpr(expr) => format!("typeof {}", self.expr(*expr)),
            TypeSpecifier::TypeofType(ty) => format!("typeof <{}>", self.ty(*ty)),
            TypeSpecifier::Atomic(ty) => format!("_Atomic <{}>", self.ty(*ty)),
            plain => format!("{plain:?}").to_lowercase(),
        }
    }

    fn ty(&self, id: TypeId) -> String {
        let ty = &self.ast.types[id];
        format!("{}{}", self.derived(&ty.declarator), self.specifiers(&ty.specifiers))
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Expression(expr) => self.expr(*expr),
            Initializer::List(entries) => {
                let designator = |designator: &Designator| match designator {
                    Designator::Member(name) => format!(".{}", name.text),
                    Designator::Index(index) => format!("[{}]", self.expr(*index)),
                    Designator::Range(low, high) => format!("[{} ... {}]", self.expr(*low), self.expr(*high)),
                };
                let entry = |(path, value): &(Box<[Designator]>, Initializer)| {
                    let path = self.list(path, "", designator);
                    let equals = if path.is_empty() { "" } else { " = " };
                    format!("{path}{equals}{}", self.initializer(value))
                };
                format!("{{{}}}", self.list(entries, ", ", entry))
            }
        }
    }

    fn stmt(&self, id: StmtId) -> String {
        let stmt = &self.ast.stmts[id];
        let mut out = String::new();
        for pragma in &stmt.pragmas {
            write!(out, "#{pragma} ").unwrap();
        }
        if !stmt.attributes.is_empty() {
            write!(out, "{} ", self.attributes(&stmt.attributes)).unwrap();
        }
        let optional = |expr: &Option<ExprId>| expr.map_or(String::new(), |expr| self.expr(expr));
        out += &match &stmt.kind {
            StmtKind::Error => "<error>".into(),
            StmtKind::Compound(all) => format!("{{{}}}", self.list(all, " ", |stmt| self.stmt(*stmt))),
            StmtKind::Declaration(all) => format!("let {};", self.list(all, ", ", |decl| self.decl(*decl))),
            StmtKind::Expression(expr) => format!("{};", self.expr(*expr)),
            StmtKind::Empty => ";".into(),
            StmtKind::If { condition, then, otherwise } => {
                let rest = otherwise.map_or(String::new(), |stmt| format!(" else {}", self.stmt(stmt)));
                format!("if {} [{}{rest}]", self.expr(*condition), self.stmt(*then))
            }
            StmtKind::Switch { condition, body } => {
                format!("switch {} {}", self.expr(*condition), self.stmt(*body))
            }
            StmtKind::While { condition, body } => {
                format!("while {} {}", self.expr(*condition), self.stmt(*body))
            }
            StmtKind::Do { body, condition } => {
                format!("do {} while {};", self.stmt(*body), self.expr(*condition))
            }
            StmtKind::For { init, condition, step, body } => {
                let head = format!("{} {}; {}", self.stmt(*init), optional(condition), optional(step));
                format!("for ({head}) {}", self.stmt(*body))
            }
            StmtKind::Goto(name) => format!("goto {};", name.text),
            StmtKind::ComputedGoto(expr) => format!("goto *{};", self.expr(*expr)),
            StmtKind::Continue => "continue;".into(),
            StmtKind::Break => "break;".into(),
            StmtKind::Return(None) => "return;".into(),
            StmtKind::Return(Some(expr)) => format!("return {};", self.expr(*expr)),
            StmtKind::Label { name, statement } => format!("{}: {}", name.text, self.stmt(*statement)),
            StmtKind::Case { low, high: None, statement } => {
                format!("case {}: {}", self.expr(*low), self.stmt(*statement))
            }
            StmtKind::Case { low, high: Some(high), statement } => {
                format!("case {} ... {}: {}", self.expr(*low), self.expr(*high), self.stmt(*statement))
            }
            StmtKind::Default { statement } => format!("default: {}", self.stmt(*statement)),
            StmtKind::Asm(Assembly { labels, .. }) => {
                format!("asm[{}];", self.list(labels, " ", |name| name.text.to_string()))
            }
        };
        out
    }

    fn expr(&self, id: ExprId) -> String {
        let binary = |op: BinaryOp| {
            use BinaryOp::*;
            match op {
                Mul => "*",
                Div => "/",
                Rem => "%",
                Add => "+",
                Sub => "-",
                Shl => "<<",
                Shr => ">>",
                Less => "<",
                Greater => ">",
                LessEqual => "<=",
                GreaterEqual => ">=",
                Equal => "==",
                NotEqual => "!=",
                BitAnd => "&",
                BitXor => "^",
                BitOr => "|",
                And => "&&",
                Or => "||",
            }
        };
        match &self.ast.exprs[id].kind {
            ExprKind::Error => "<error>".into(),
            ExprKind::Name(text) | ExprKind::Number(text) | ExprKind::Character(text) => text.to_string(),
            ExprKind::String(parts) => self.list(parts, " ", Symbol::to_string),
            // The operations inside are in parentheses anyway.
            ExprKind::Paren(inner) => format!("paren {}", self.expr(*inner)),
            ExprKind::Call { callee, arguments } => {
                format!(
                    "{}({})",
                    self.expr(*callee),
                    self.list(arguments, ", ", |argument| self.expr(*argument))
                )
            }
            ExprKind::Index { base, index } => format!("{}[{}]", self.expr(*base), self.expr(*index)),
            ExprKind::Member { base, arrow, name } => {
                format!("{}{}{}", self.expr(*base), if *arrow { "->" } else { "." }, name.text)
            }
            ExprKind::Unary { op, operand } => {
                let operand = self.expr(*operand);
                match op {
                    UnaryOp::Plus => format!("(+{operand})"),
                    UnaryOp::Minus => format!("(-{operand})"),
                    UnaryOp::Not => format!("(!{operand})"),
                    UnaryOp::Complement => format!("(~{operand})"),
                    UnaryOp::Deref => format!("(*{operand})"),
                    UnaryOp::AddressOf => format!("(&{operand})"),
                    UnaryOp::PreIncrement => format!("(++{operand})"),
                    UnaryOp::PreDecrement => format!("(--{operand})"),
                    UnaryOp::PostIncrement => format!("({operand}++)"),
                    UnaryOp::PostDecrement => format!("({operand}--)"),
                    UnaryOp::Real | UnaryOp::Imag | UnaryOp::Extension => format!("({op:?} {operand})"),
                }
            }
            ExprKind::Binary { op, left, right } => {
                format!("({} {} {})", self.expr(*left), binary(*op), self.expr(*right))
            }
            ExprKind::Assign { op, left, right } => {
                format!("({} {}= {})", self.expr(*left), op.map_or("", binary), self.expr(*right))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let then = then.map_or(String::new(), |then| self.expr(then));
                format!("({} ? {then} : {})", self.expr(*condition), self.expr(*otherwise))
            }
            ExprKind::Comma { left, right } => format!("({}, {})", self.expr(*left), self.expr(*right)),
            ExprKind::Cast { ty, operand } => format!("(<{}> {})", self.ty(*ty), self.expr(*operand)),
            ExprKind::CompoundLiteral { ty, initializer } => {
                format!("<{}>{}", self.ty(*ty), self.initializer(initializer))
            }
            ExprKind::SizeofExpr(expr) => format!("sizeof {}", self.expr(*expr)),
            ExprKind::SizeofType(ty) => format!("sizeof <{}>", self.ty(*ty)),
            ExprKind::Type(ty) => format!("<{}>", self.ty(*ty)),
            ExprKind::Arguments(name) => format!("{}…", self.expr(*name)),
            ExprKind::AlignofType(ty) => format!("alignof <{}>", self.ty(*ty)),
            ExprKind::AlignofExpr(expr) => format!("alignof {}", self.expr(*expr)),
            ExprKind::Offsetof { ty, member } => {
                format!("offsetof(<{}>, {})", self.ty(*ty), self.expr(*member))
            }
            ExprKind::Astype { operand, ty } => {
                format!("astype({}, <{}>)", self.expr(*operand), self.ty(*ty))
            }
            ExprKind::VaArg { list, ty } => format!("va_arg({}, <{}>)", self.expr(*list), self.ty(*ty)),
            ExprKind::Generic { control, arms } => {
                let arm = |(ty, value): &(Option<TypeId>, ExprId)| {
                    let ty = ty.map_or("default".into(), |ty| self.ty(ty));
                    format!("{ty}: {}", self.expr(*value))
                };
                format!("generic({}, {})", self.expr(*control), self.list(arms, ", ", arm))
            }
            ExprKind::Statement(stmt) => format!("({})", self.stmt(*stmt)),
            ExprKind::LabelAddress(name) => format!("&&{}", name.text),
            ExprKind::Block { ty, parameters, body } => {
                let ty = ty.map_or(String::new(), |ty| format!("<{}>", self.ty(ty)));
                format!("^{ty}({}){}", self.list(parameters, ", ", |p| self.decl(*p)), self.stmt(*body))
            }
        }
    }
}
