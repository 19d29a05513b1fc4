//! Classes of the language: classes whose methods have rows in the table of builtins, such as the groups of cooperative
//! groups. No item declares them.

use tangle_grammar::symbol::Symbol;
use tangle_ir::Namespace;
use tangle_syntax::dialect::{Dialect, GroupProperty};

use crate::types::{Definition, Field, Record, RecordName, TemplateArgument, Ty, TyKind};

/// The byte of a class of C++ without fields, as an unnamed bit-field: nothing initialises or names it.
pub(crate) const EMPTY_CLASS: Field = Field {
    name: None,
    ty: Ty::CHAR,
    bits: Some(8),
    constant: false,
    volatile: false,
    packed: false,
    align: None,
};

/// Returns the name of a class of the language, without template arguments.
pub fn class_of_language(class: RecordName) -> Symbol {
    let mut path = class.namespace().path();
    path.push(class.name());
    Symbol::intern(&path.iter().map(|name| name.as_str()).collect::<Vec<_>>().join("::"))
}

/// Returns the type of a class of the language. Only builtins access its members: the fields of a group. `threads` is
/// the number of threads of a group, if its type gives it: a number, or a parameter of a template.
pub fn builtin_class_type(dialect: Dialect, class: Symbol, threads: Option<TemplateArgument>) -> Ty {
    let mut path: Vec<Symbol> = class.as_str().split("::").map(Symbol::intern).collect();
    let name = path.pop().unwrap_or(class);
    let arguments = threads.into_iter().collect();
    let tag = RecordName::new(Namespace::GLOBAL.of_path(path), name, arguments);
    let fields = dialect.builtins().group(class).map_or(&[][..], |group| &group.fields);
    let field = |property: &GroupProperty| Field {
        name: Some(Symbol::intern(property.as_str())),
        ty: match property {
            GroupProperty::Mask if dialect.largest_sub_group() > 32 => Ty::ULONG,
            _ => Ty::UINT,
        },
        bits: None,
        constant: false,
        volatile: false,
        packed: false,
        align: None,
    };
    let mut fields: Vec<Field> = fields.iter().map(field).collect();
    if fields.is_empty() {
        fields.push(EMPTY_CLASS);
    }
    let fields = fields.into();
    let definition = Definition { fields, packed: false, pack: None, align: None };
    Ty::new(TyKind::Record(Box::new(Record { union: false, tag: Some(tag), definition: Some(definition) })))
}
