//! A printer of trees, for tests.

use std::fmt::Write;

use tangle_grammar::Parse;
use tangle_grammar::ast::*;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::Token;

/// Prints the structure of a tree: every operation in parentheses, every declaration as a sentence.
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
        if let Some(more) = &decl.more {
            out += &self.more(more);
        }
        if let Some(initializer) = &decl.initializer {
            write!(out, " = {}", self.initializer(initializer)).unwrap();
        }
        if let Some(body) = decl.body {
            write!(out, " {}", self.stmt(body)).unwrap();
        }
        out
    }

    fn derived(&self, derived: &[DeclaratorStep]) -> String {
        derived
            .iter()
            .map(|step| match step {
                DeclaratorStep::Pointer { qualifiers } => {
                    format!("{}pointer to ", self.qualifiers(qualifiers))
                }
                DeclaratorStep::BlockPointer { qualifiers } => {
                    format!("{}block pointer to ", self.qualifiers(qualifiers))
                }
                DeclaratorStep::Reference { rvalue } => {
                    format!("{}reference to ", if *rvalue { "rvalue " } else { "" })
                }
                DeclaratorStep::Array { size: Some(size) } => format!("array[{}] of ", self.expr(*size)),
                DeclaratorStep::Array { size: None } => "array[] of ".into(),
                DeclaratorStep::Function { parameters, variadic } => {
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
            TypeSpecifier::Record { union, name, members, packing, class } => {
                let word = if *union { "union" } else { "struct" };
                let class = class.as_ref().map_or(String::new(), |class| self.class(class));
                let members = members.as_ref().map_or(String::new(), |members| {
                    format!(" {{{}}}", self.list(members, "; ", |member| self.decl(*member)))
                });
                let pack = packing.limit().map_or(String::new(), |limit| format!(" @pack({limit})"));
                format!("{word}{}{class}{pack}{members}", tag(name))
            }
            TypeSpecifier::Path(path) => self.path(path),
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
            Initializer::Arguments(all) => format!("({})", self.list(all, ", ", |one| self.expr(*one))),
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

    fn path(&self, path: &Path) -> String {
        let segment = |segment: &Segment| match &segment.arguments {
            None => segment.name.text.to_string(),
            Some(arguments) => format!("{}{}", segment.name.text, self.template_arguments(arguments)),
        };
        let global = if path.global { "::" } else { "" };
        format!("{global}{}", self.list(&path.segments, "::", segment))
    }

    fn template_arguments(&self, arguments: &[TemplateArgument]) -> String {
        format!("<{}>", self.list(arguments, ", ", |one| self.template_argument(*one)))
    }

    fn template_argument(&self, argument: TemplateArgument) -> String {
        match argument {
            TemplateArgument::Type(ty) => format!("type {}", self.ty(ty)),
            TemplateArgument::Value(value) => self.expr(value),
        }
    }

    fn class(&self, class: &Class) -> String {
        let mut out = class.arguments.as_ref().map_or(String::new(), |all| self.template_arguments(all));
        if let Some(scope) = &class.scope {
            write!(out, " of {}", self.path(scope)).unwrap();
        }
        if !class.bases.is_empty() {
            write!(out, " : {}", self.list(&class.bases, ", ", |base| self.ty(*base))).unwrap();
        }
        out
    }

    fn lambda(&self, lambda: &Lambda) -> String {
        let others =
            lambda.capture_default.map_or("", |by_reference| if by_reference { "&; " } else { "=; " });
        let capture = |capture: &Capture| {
            let by = if capture.by_reference { "&" } else { "" };
            let value = capture.initializer.map_or(String::new(), |value| format!(" = {}", self.expr(value)));
            format!("{by}{}{value}", capture.name.text)
        };
        let captures = self.list(&lambda.captures, ", ", capture);
        let parameters = self.list(&lambda.parameters, ", ", |p| self.decl(*p));
        format!("[{others}{captures}]({parameters}){}", self.stmt(lambda.body))
    }

    /// The parts of a declaration that only C++ has.
    fn more(&self, more: &CppDecl) -> String {
        let mut out = String::new();
        for parameters in &more.templates {
            write!(out, " template<{}>", self.list(parameters, ", ", |one| self.template_parameter(one)))
                .unwrap();
        }
        if let Some(scope) = &more.scope {
            write!(out, " of {}", self.path(scope)).unwrap();
        }
        if let Some(arguments) = &more.arguments {
            write!(out, " for {}", self.template_arguments(arguments)).unwrap();
        }
        if let Some(result) = more.result {
            write!(out, " -> {}", self.ty(result)).unwrap();
        }
        if let Some(special) = more.special {
            write!(out, " {special:?}").unwrap();
        }
        if !more.bindings.is_empty() {
            write!(out, " [{}]", self.list(&more.bindings, ", ", |name| name.text.to_string())).unwrap();
        }
        if let Some(default) = more.default {
            write!(out, " default {}", self.expr(default)).unwrap();
        }
        let is = |what: OfCompiler| more.of_compiler == Some(what);
        let words = [
            (more.pack, " pack"),
            (is(OfCompiler::Defaulted), " defaulted"),
            (is(OfCompiler::Deleted), " deleted"),
            (more.friend, " friend"),
        ];
        for (set, word) in words {
            if set {
                out += word;
            }
        }
        out
    }

    fn template_parameter(&self, parameter: &TemplateParameter) -> String {
        let name = parameter.name.map_or(String::new(), |name| format!(" {}", name.text));
        let mut out = match parameter.kind {
            TemplateParameterKind::Type => format!("typename{name}"),
            TemplateParameterKind::Value(decl) => self.decl(decl),
            TemplateParameterKind::Template => format!("template{name}"),
        };
        if parameter.pack {
            out += "...";
        }
        if let Some(default) = parameter.default {
            write!(out, " = {}", self.template_argument(default)).unwrap();
        }
        out
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
            StmtKind::RangeFor { init, range, body } => {
                let head = format!("{} : {}", self.stmt(*init), self.expr(*range));
                format!("for ({head}) {}", self.stmt(*body))
            }
            StmtKind::Opaque(construct) => format!("<opaque {}>", construct.0),
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
            // The operation inside has its own parentheses.
            ExprKind::Paren(inner) => format!("paren {}", self.expr(*inner)),
            ExprKind::ConstantExpr(inner) => format!("constexpr {}", self.expr(*inner)),
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
            ExprKind::Path(path) => self.path(path),
            ExprKind::MemberPath { base, arrow, path } => {
                format!("{}{}{}", self.expr(*base), if *arrow { "->" } else { "." }, self.path(path))
            }
            ExprKind::Construct { ty, arguments } => {
                format!("new <{}>({})", self.ty(*ty), self.list(arguments, ", ", |one| self.expr(*one)))
            }
            ExprKind::Braces(initializer) => self.initializer(initializer),
            ExprKind::This => "this".into(),
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Element { range } => format!("element of {}", self.expr(*range)),
            ExprKind::Expansion(pattern) => format!("{}...", self.expr(*pattern)),
            ExprKind::Fold { operands } => {
                format!("fold({})", self.list(operands, ", ", |one| self.expr(*one)))
            }
            ExprKind::Launch { callee, configuration, arguments } => {
                let configuration = self.list(configuration, ", ", |one| self.expr(*one));
                let arguments = self.list(arguments, ", ", |one| self.expr(*one));
                format!("{}<<<{configuration}>>>({arguments})", self.expr(*callee))
            }
            ExprKind::Opaque { what, operands } => {
                format!("<{}>({})", what.0, self.list(operands, ", ", |one| self.expr(*one)))
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
