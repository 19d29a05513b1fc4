//! The names of functions, values and blocks in the text of a flow graph, and their meaning.
//!
//! **Plain**: a name of letters, digits and `_` that does not begin with a digit. Other names are in quotes. A name
//! that is already in use gets a numeric suffix: the second `x` is `%x.1`.
//!
//! ```text
//! %x  %x.1  %0  %"operator+"  if.then.2  label.out  "a block"  @f  @space::f  @class tile::f  @f<int (float)>
//! ```

use std::collections::hash_map::Entry;
use std::fmt::Write;
use std::sync::Arc;

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_base::{Namespace, Symbol};

use super::spelling::{TypeNames, is_type_word};
use crate::flow::kind::kind_of;
use crate::flow::{Block, BlockId, BlockKind, Function, Module, Op, SlotId, ValueId, VariableId};
use crate::key::{DeclaringScope, FunctionKey, UnresolvedCallee};
use crate::types::Ty;

/// The names of the values and blocks of a function in the text.
#[derive(Clone, Debug)]
pub struct Names {
    /// The names of values, with `%` or `@`. Empty for a value of type `void`, a constant or a string.
    pub values: IndexVec<ValueId, String>,
    /// The names of blocks, without the colon.
    pub blocks: IndexVec<BlockId, String>,
    pub(super) slots: IndexVec<SlotId, String>,
    pub(super) variables: IndexVec<VariableId, String>,
    pub(super) context: Arc<Context>,
}

/// The declarations before the functions of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    pub types: TypeNames,
    /// The types of the addresses of variables and functions of the program, by name with `@`.
    addresses: FxHashMap<String, Ty>,
    /// The addresses that are declared in a `use` line, in order.
    told: Vec<String>,
}

impl Context {
    pub(super) fn of_function(function: &Function) -> Context {
        let mut context = Context::default();
        context.types.mention_function(function);
        context.declare_addresses(function);
        context
    }

    /// Returns the context of a text that contains some functions of the module, and all of its variables.
    pub(super) fn of_module(module: &Module, functions: &[usize]) -> Context {
        let mut context = Context::default();
        for variable in &module.globals {
            context.types.mention(variable.ty);
            let ty = Ty::pointer(variable.ty, variable.space);
            context.addresses.entry(global(variable.name)).or_insert(ty);
        }
        for &number in functions {
            context.types.mention_function(&module.functions[number]);
        }
        for &number in functions {
            context.declare_addresses(&module.functions[number]);
        }
        context
    }

    /// Declares the types of the addresses that a function uses. The first type of an address is declared for the whole
    /// text.
    fn declare_addresses(&mut self, function: &Function) {
        leaves(function, &mut |value| {
            let name = match &function.values[value].op {
                Op::Global(name) => global(*name),
                Op::Function(of) => format!("@{}", key(*of, &self.types)),
                _ => return,
            };
            if let Entry::Vacant(entry) = self.addresses.entry(name) {
                self.told.push(entry.key().clone());
                entry.insert(function.values[value].ty);
            }
        });
    }

    /// Returns the declared type of an address. An operand with another type states it.
    pub(super) fn address(&self, name: &str) -> Option<Ty> {
        self.addresses.get(name).copied()
    }

    /// Returns the lines before the functions.
    pub(super) fn declarations(&self) -> String {
        let mut out = self.types.declarations();
        for name in &self.told {
            let _ = writeln!(out, "use {name}: {}", self.types.spelled(self.addresses[name]));
        }
        out
    }
}

/// Visits the operands that are in no block, in the order of the text. An operand may be visited more than once.
pub(super) fn leaves(function: &Function, visit: &mut dyn FnMut(ValueId)) {
    let is_leaf = |value: ValueId| function.values[value].op.is_leaf();
    for block in &function.blocks {
        for &value in &block.values {
            function.values[value].op.operands(|&operand| {
                if is_leaf(operand) {
                    visit(operand);
                }
            });
        }
        block.terminator.operand().into_iter().filter(|&operand| is_leaf(operand)).for_each(&mut *visit);
    }
}

impl Names {
    /// Returns the names in a text that contains only this function.
    pub fn of(function: &Function) -> Names {
        Names::within(function, Arc::new(Context::of_function(function)))
    }

    /// Returns the names in a text that contains other functions, too.
    pub(super) fn within(function: &Function, context: Arc<Context>) -> Names {
        let mut unique = UniqueNames::default();
        let mut values: IndexVec<ValueId, String> = function.values.iter().map(|_| String::new()).collect();
        let mut unnamed = 0;
        let mut next = || {
            unnamed += 1;
            format!("%{}", unnamed - 1)
        };
        for parameter in &function.parameters {
            values[parameter.value] = match parameter.name {
                Some(name) => unique.name(format!("%{}", plain(name))),
                None => next(),
            };
        }
        let slots: IndexVec<SlotId, String> = function
            .slots
            .iter()
            .map(|slot| match slot.name {
                Some(name) => unique.name(format!("%{}", plain(name))),
                None => next(),
            })
            .collect();
        for block in &function.blocks {
            for &id in &block.values {
                let value = &function.values[id];
                values[id] = match value.name {
                    _ if value.ty.is_void() => String::new(),
                    Some(name) => unique.name(format!("%{}", plain(name))),
                    None => next(),
                };
            }
        }
        for (id, value) in function.values.iter_enumerated() {
            match value.op {
                Op::Slot(slot) => values[id].clone_from(&slots[slot]),
                Op::Global(name) => values[id] = global(name),
                Op::Function(of) => values[id] = format!("@{}", key(of, &context.types)),
                _ => {}
            }
        }
        let mut unique = UniqueNames::default();
        let blocks = function.blocks.iter().map(|block| unique.name(wish(block))).collect();
        let mut unique = UniqueNames::default();
        let variables = function.variables.iter_enumerated().map(|(id, variable)| match variable.name {
            Some(name) => unique.name(format!("${}", plain(name))),
            None => format!("${}", id.index()),
        });
        Names { values, blocks, slots, variables: variables.collect(), context }
    }
}

/// The names that are in use, for making each new name unique.
#[derive(Clone, Debug, Default)]
pub(super) struct UniqueNames {
    taken: FxHashSet<String>,
    /// The next suffix to try for each name.
    next: FxHashMap<String, u32>,
}

impl UniqueNames {
    pub(super) fn name(&mut self, wish: String) -> String {
        if self.taken.insert(wish.clone()) {
            return wish;
        }
        let next = self.next.entry(wish.clone()).or_insert(1);
        loop {
            let name = format!("{wish}.{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

fn is_plain(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// Returns a name, in quotes if it is not plain.
pub(super) fn plain(name: Symbol) -> String {
    if is_plain(name.as_str()) { name.as_str().to_owned() } else { quoted(name.as_str()) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.as_bytes().escape_ascii())
}

/// Returns the name of a variable of the module. The name of a variable that a function declares has plain parts with a
/// dot between them.
pub(super) fn global(name: Symbol) -> String {
    let is_plain = name.as_str().split('.').all(is_plain);
    if is_plain { format!("@{name}") } else { format!("@{}", quoted(name.as_str())) }
}

/// Returns the path of a namespace, as the prefix of a name in it.
pub(super) fn inside(namespace: Namespace) -> String {
    namespace.path().into_iter().map(|name| plain(name) + "::").collect()
}

/// Returns the name of a function, without the `@`.
pub(super) fn key(key: FunctionKey, types: &TypeNames) -> String {
    let mut text = match key.owner {
        DeclaringScope::Namespace(namespace) => format!("{}{}", inside(namespace), plain(key.name)),
        DeclaringScope::Class(class) => format!("class {}::{}", types.class(class), plain(key.name)),
        DeclaringScope::Function { name, literal } => spelled_literal(name, literal),
    };
    text += &types.arguments("for", key.head);
    text += &types.arguments("of", key.arguments);
    if let Some(overload) = key.overload {
        let _ = write!(text, "<{}>", types.spelled(overload));
    }
    text
}

/// Returns the name of a lambda or block literal.
fn spelled_literal(around: Symbol, literal: u32) -> String {
    format!("literal {literal} of {}", plain(around))
}

/// Returns the text for the callee of a call that overload resolution cannot decide.
pub(super) fn named(named: UnresolvedCallee, types: &TypeNames) -> String {
    match named {
        UnresolvedCallee::Function(name) => plain(name),
        UnresolvedCallee::Method(name) => format!("method {}", plain(name)),
        UnresolvedCallee::Qualified(name) => format!("qualified {}", plain(name)),
        UnresolvedCallee::Undeclared { name, of_object: false } => format!("foreign {}", plain(name)),
        UnresolvedCallee::Undeclared { name, of_object: true } => format!("foreign method {}", plain(name)),
        UnresolvedCallee::OneOf { candidates, of_object } => {
            let keys: Vec<String> =
                candidates.keys().iter().map(|&it| format!("@{}", key(it, types))).collect();
            format!("{}[{}]", if of_object { "method " } else { "" }, keys.join(", "))
        }
        UnresolvedCallee::Literal { around, literal } => spelled_literal(around, literal),
    }
}

/// Returns the name of a builtin, in quotes if it could be read as the beginning of a type.
pub(super) fn builtin(name: Symbol) -> String {
    if is_type_word(name.as_str()) { quoted(name.as_str()) } else { plain(name) }
}

/// Returns the name of a field, or its number if the name does not identify it.
pub(super) fn field(record: Ty, number: u32) -> String {
    let definition = record.as_record().and_then(|record| record.definition.as_ref());
    let name = definition.and_then(|definition| definition.fields.get(number as usize)?.name);
    let is_first = |name: Symbol| {
        let first = definition.and_then(|it| it.fields.iter().position(|field| field.name == Some(name)));
        first == Some(number as usize)
    };
    match name {
        Some(name) if is_first(name) => plain(name),
        _ => number.to_string(),
    }
}

/// Returns the preferred name of a block. It gets a suffix if another block has it already.
fn wish(block: &Block) -> String {
    let text = match (block.kind, block.label) {
        (kind, None) => return kind.name().to_owned(),
        (BlockKind::Other, Some(label)) => label.to_string(),
        (kind, Some(label)) => format!("{}.{label}", kind.name()),
    };
    // A name that would be read with another meaning is written in quotes.
    let is_plain = text.split('.').all(is_plain) && !(block.kind == BlockKind::Other && text.contains('.'));
    if is_plain && kind_of(&text) == (block.kind, block.label) {
        return text;
    }
    let label = block.label.map(|label| quoted(label.as_str())).unwrap_or_default();
    match block.kind {
        BlockKind::Other => label,
        kind => format!("{}.{label}", kind.name()),
    }
}

/// Returns whether a function has a name that is reserved for builtins of the compiler.
pub(super) fn is_compilers(name: Symbol) -> bool {
    name.as_str().starts_with("__builtin_")
}
