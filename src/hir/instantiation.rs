//! The instantiations of kernel templates that launches and explicit instantiations request.
//!
//! A template is checked for all arguments at once. If host code of the unit launches it with known arguments, or
//! instantiates it, its body is checked with these arguments instead, once for each set of them: they decide
//! `if constexpr`, sizes and types.
//!
//! ```c
//! template <class T, int N> __global__ void k(T *p) { … }
//! k<float, 4><<<1, 64>>>(p);   // T is float, N is 4
//! k<T, 8><<<1, 64>>>(p);       // in a template of the host: N is 8
//! template __global__ void k<int, 2>(int *);   // T is int, N is 2
//! ```
//!
//! An argument is known if it is a number, a computation with numbers and constants, or a type that the unit knows at its
//! end. An unknown argument stays a parameter. A launch without any known argument means the template itself.

use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tangle_grammar::ast::Ast;
use tangle_grammar::lex::spelling;
use tangle_grammar::symbol::Symbol;
use tangle_grammar::token::{Token, TokenKind};
use tangle_ir::key::{InstanceArgument, InstanceArguments};

use super::def::functions::defined;
use super::def::names::{Holds, Meaning};
use super::def::template::{ParameterKind, fitting};
use super::scope::{Scoped, declared_function, meaning_at_end};
use super::template_arguments::TemplateArguments;
use super::typed::{Constant, Data};
use super::types::Ty;
use tangle_syntax::db::Db;
use tangle_syntax::dialect::Dialect;
use tangle_syntax::items::{Unit, instantiation_requests};
use tangle_syntax::preprocess::{Launch, LaunchArgument};

/// The limit on instantiations of one kernel. With more, the template itself is analysed, too.
const MAX_INSTANTIATIONS: usize = 16;

/// An instantiation of a kernel template.
#[derive(Clone, Debug, PartialEq, Eq, Hash, salsa::SalsaValue)]
pub struct Instantiation {
    /// Its name as the launch spells it: `k<float, 4>`.
    pub name: Arc<str>,
    /// Its known arguments.
    pub arguments: TemplateArguments,
}

/// The launches and explicit instantiations of a unit, by the name of the kernel without its qualifiers.
#[derive(Debug, Default)]
pub struct TemplateLaunches(FxHashMap<Symbol, Vec<Launch>>);

impl TemplateLaunches {
    /// Finds the launches and explicit instantiations of a unit.
    pub fn of(unit: &Unit) -> TemplateLaunches {
        let mut found: FxHashMap<Symbol, Vec<Launch>> = FxHashMap::default();
        for site in instantiation_requests(unit) {
            let launch = site.launch();
            if let Some(name) = launch.kernel.last() {
                found.entry(name.text).or_default().push(launch.clone());
            }
        }
        TemplateLaunches(found)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the instantiations of the kernel whose body has this number in an item. Empty: launches request none, or
    /// the kernel is no template.
    pub fn instantiations<'db>(
        &self,
        db: &'db dyn Db,
        unit: &Unit,
        scoped: Scoped<'db>,
        kernel: Symbol,
    ) -> Vec<Instantiation> {
        let Some(launches) = self.0.get(&kernel) else { return Vec::new() };
        let dialect = scoped.item(db).dialect(db);
        let Some(template) = declared_function(db, scoped, kernel).and_then(|it| it.template) else {
            return Vec::new();
        };
        let parameters = template.parameters();
        let mut found: Vec<Instantiation> = Vec::new();
        for launch in launches {
            let given = launch.arguments.iter().map(Some).chain(std::iter::repeat(None));
            let arguments: Vec<InstanceArgument> = parameters
                .iter()
                .zip(given)
                .map(|(parameter, argument)| {
                    let known = match argument {
                        _ if parameter.pack => None,
                        Some(argument) => known(db, unit, dialect, parameter.kind, argument),
                        None => parameter.default,
                    };
                    known.and_then(|it| fitting(parameter.kind, it)).unwrap_or(InstanceArgument::Unknown)
                })
                .collect();
            let is_known = |argument: &InstanceArgument| *argument != InstanceArgument::Unknown;
            // A launch with unknown arguments can request any instantiation.
            let count = launch.arguments.len().min(arguments.len());
            if !arguments[..count].iter().any(is_known) || found.len() == MAX_INSTANTIATIONS {
                return Vec::new();
            }
            let arguments = TemplateArguments::new(parameters, InstanceArguments::new(&arguments));
            if !found.iter().any(|it| it.arguments == arguments) {
                found.push(Instantiation { name: spelled(launch).into(), arguments });
            }
        }
        found
    }
}

/// Whether an item defines a function template with this name, at file scope or as a method, or a method of a class
/// template.
pub fn is_template(ast: &Ast, function: Symbol) -> bool {
    let named = defined(ast).into_iter().filter(|it| it.name.text == function);
    named.into_iter().any(|it| {
        let mut decls =
            [Some(it.decl), it.class].into_iter().flatten().filter_map(|id| ast.decls[id].more.as_ref());
        decls.any(|more| more.templates.iter().any(|parameters| !parameters.is_empty()))
    })
}

/// Returns the value of a template argument of a launch. `None`: it is not known.
fn known(
    db: &dyn Db,
    unit: &Unit,
    dialect: Dialect,
    kind: ParameterKind,
    argument: &LaunchArgument,
) -> Option<InstanceArgument> {
    let meaning = || match &*argument.tokens {
        [name] if !argument.is_local && matches!(name.kind, TokenKind::Identifier | TokenKind::TypeName) => {
            meaning_at_end(db, unit, name.text)
        }
        _ => None,
    };
    if kind == ParameterKind::Type {
        let ty = match meaning().as_deref() {
            Some(Meaning::Type(found)) => Some(found.ty),
            _ if argument.is_local => None,
            _ => builtin_type(dialect, &argument.tokens),
        };
        return ty.filter(|ty| !ty.is_unknown()).map(InstanceArgument::Type);
    }
    let number = argument.value.map(i128::from).or_else(|| match meaning().as_deref()? {
        Meaning::Enumerator { value, .. } => Some(*value),
        Meaning::Global { holds: Holds::Known(Data::Constant(Constant::Integer(value))), .. } => Some(*value),
        Meaning::Global { holds: Holds::Known(Data::Constant(Constant::Zero)), .. } => Some(0),
        _ => None,
    });
    number.map(|value| InstanceArgument::Value { value, ty: Ty::INT })
}

/// Returns the type of the language that tokens name: `unsigned long`, `float4`.
fn builtin_type(dialect: Dialect, tokens: &[Token]) -> Option<Ty> {
    if let [name] = tokens
        && let Some(ty) = dialect.types().get(name.text)
    {
        return Some(ty);
    }
    let count = |kind: TokenKind| tokens.iter().filter(|token| token.kind == kind).count();
    let is_word = |token: &Token| {
        matches!(
            token.kind,
            TokenKind::Int
                | TokenKind::Unsigned
                | TokenKind::Signed
                | TokenKind::Long
                | TokenKind::Short
                | TokenKind::Char
                | TokenKind::Float
                | TokenKind::Double
                | TokenKind::Bool
        )
    };
    if tokens.is_empty() || !tokens.iter().all(is_word) {
        return None;
    }
    let unsigned = count(TokenKind::Unsigned) > 0;
    let choose = |of_signed: Ty, of_unsigned: Ty| Some(if unsigned { of_unsigned } else { of_signed });
    match (count(TokenKind::Long), count(TokenKind::Short), count(TokenKind::Char)) {
        (0, 0, 0) if count(TokenKind::Float) > 0 => Some(Ty::FLOAT),
        (0, 0, 0) if count(TokenKind::Double) > 0 => Some(Ty::DOUBLE),
        (0, 0, 0) if count(TokenKind::Bool) > 0 => Some(Ty::BOOL),
        (0, 0, 1) => choose(Ty::CHAR, Ty::UCHAR),
        (0, 1, 0) => choose(Ty::SHORT, Ty::USHORT),
        (0, 0, 0) => choose(Ty::INT, Ty::UINT),
        (1 | 2, 0, 0) if count(TokenKind::Double) == 0 => choose(Ty::LONG, Ty::ULONG),
        _ => None,
    }
}

/// Returns the name of a launched kernel with its template arguments.
fn spelled(launch: &Launch) -> String {
    let write = |tokens: &[Token]| -> String {
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            let is_word = |token: &Token| spelling(token.kind, token.text).chars().all(char::is_alphanumeric);
            if at > 0 && is_word(token) && is_word(&tokens[at - 1]) {
                text.push(' ');
            }
            let _ = write!(text, "{}", spelling(token.kind, token.text));
        }
        text
    };
    let arguments: Vec<String> = launch.arguments.iter().map(|argument| write(&argument.tokens)).collect();
    format!("{}<{}>", write(&launch.kernel), arguments.join(", "))
}
