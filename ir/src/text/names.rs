//! What the text of a flow graph calls functions, values and blocks; and what a name in the text means.
//!
//! **Plain**: a name of letters, digits and `_` that does not begin with a digit. Others stand in quotes. A name that is taken gets a
//! number behind it: the second `x` is `%x.1`.
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

use super::spelling::{Types, is_type_word};
use crate::flow::kind::kind_of;
use crate::flow::{Block, BlockId, BlockKind, Function, Module, Op, SlotId, ValueId, VariableId};
use crate::key::{FunctionKey, Named, Owner};
use crate::types::Ty;

/// What the text calls the values and blocks of a function.
#[derive(Clone, Debug)]
pub struct Names {
    /// With `%` or `@`; empty for what yields nothing, and for constants and strings, which have no names.
    pub values: IndexVec<ValueId, String>,
    /// Without the colon.
    pub blocks: IndexVec<BlockId, String>,
    pub(super) slots: IndexVec<SlotId, String>,
    pub(super) variables: IndexVec<VariableId, String>,
    pub(super) context: Arc<Context>,
}

/// What the text says before the functions.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    pub types: Types,
    /// The types of addresses that the program knows.
    addresses: FxHashMap<String, Ty>,
    /// Those that a line of their own tells, in order.
    told: Vec<String>,
}

impl Context {
    pub(super) fn of_function(function: &Function) -> Context {
        let mut context = Context::default();
        context.types.mention_function(function);
        context.tell(function);
        context
    }

    /// Of a text that holds some functions of the module, and all of its variables.
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
            context.tell(&module.functions[number]);
        }
        context
    }

    /// The first type that an address has is told once for all.
    fn tell(&mut self, function: &Function) {
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

    /// The type that an address of the program has where the text says nothing else.
    pub(super) fn address(&self, name: &str) -> Option<Ty> {
        self.addresses.get(name).copied()
    }

    /// The lines before the functions.
    pub(super) fn declarations(&self) -> String {
        let mut out = self.types.declarations();
        for name in &self.told {
            let _ = writeln!(out, "use {name}: {}", self.types.spelled(self.addresses[name]));
        }
        out
    }
}

/// The operands that stand in no block, in the order of the text; each maybe more than once.
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
    /// The names in the text of the function alone.
    pub fn of(function: &Function) -> Names {
        Names::within(function, Arc::new(Context::of_function(function)))
    }

    /// The names in a text that also has other functions.
    pub(super) fn within(function: &Function, context: Arc<Context>) -> Names {
        let mut unique = Unique::default();
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
        let mut unique = Unique::default();
        let blocks = function.blocks.iter().map(|block| unique.name(wish(block))).collect();
        let mut unique = Unique::default();
        let variables = function.variables.iter_enumerated().map(|(id, variable)| match variable.name {
            Some(name) => unique.name(format!("${}", plain(name))),
            None => format!("${}", id.index()),
        });
        Names { values, blocks, slots, variables: variables.collect(), context }
    }
}

/// Names that were given, to give each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Unique {
    taken: FxHashSet<String>,
    /// The next suffix to try.
    next: FxHashMap<String, u32>,
}

impl Unique {
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

/// The name, in quotes if it must.
pub(super) fn plain(name: Symbol) -> String {
    if is_plain(name.as_str()) { name.as_str().to_owned() } else { quoted(name.as_str()) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.as_bytes().escape_ascii())
}

/// A variable of the module. The plain names of those that functions declare have dots.
pub(super) fn global(name: Symbol) -> String {
    let is_plain = name.as_str().split('.').all(is_plain);
    if is_plain { format!("@{name}") } else { format!("@{}", quoted(name.as_str())) }
}

/// A namespace before a name in it.
pub(super) fn inside(namespace: Namespace) -> String {
    namespace.path().into_iter().map(|name| plain(name) + "::").collect()
}

/// A function, without the `@`.
pub(super) fn key(key: FunctionKey, types: &Types) -> String {
    let mut text = match key.owner {
        Owner::Namespace(namespace) => format!("{}{}", inside(namespace), plain(key.name)),
        Owner::Class(class) => format!("class {}::{}", types.class(class), plain(key.name)),
        Owner::Function { name, literal } => spelled_literal(name, literal),
    };
    if let Some(overload) = key.overload {
        let _ = write!(text, "<{}>", types.spelled(overload));
    }
    text
}

/// A lambda or block literal.
fn spelled_literal(around: Symbol, literal: u32) -> String {
    format!("literal {literal} of {}", plain(around))
}

/// What a call names whose function is not known.
pub(super) fn named(named: Named, types: &Types) -> String {
    match named {
        Named::Function(name) => plain(name),
        Named::Method(name) => format!("method {}", plain(name)),
        Named::Qualified(name) => format!("qualified {}", plain(name)),
        Named::Foreign { name, of_object: false } => format!("foreign {}", plain(name)),
        Named::Foreign { name, of_object: true } => format!("foreign method {}", plain(name)),
        Named::OneOf { candidates, of_object } => {
            let keys: Vec<String> =
                candidates.keys().iter().map(|&it| format!("@{}", key(it, types))).collect();
            format!("{}[{}]", if of_object { "method " } else { "" }, keys.join(", "))
        }
        Named::Literal { around, literal } => spelled_literal(around, literal),
    }
}

/// A builtin where a type might stand.
pub(super) fn builtin(name: Symbol) -> String {
    if is_type_word(name.as_str()) { quoted(name.as_str()) } else { plain(name) }
}

/// A field of a record.
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

/// The name that the text gives a block, unless another one has it already.
fn wish(block: &Block) -> String {
    let text = match (block.kind, block.label) {
        (kind, None) => return kind.name().to_owned(),
        (BlockKind::Plain, Some(label)) => label.to_string(),
        (kind, Some(label)) => format!("{}.{label}", kind.name()),
    };
    // In quotes what would be read as something else.
    let is_plain = text.split('.').all(is_plain) && !(block.kind == BlockKind::Plain && text.contains('.'));
    if is_plain && kind_of(&text) == (block.kind, block.label) {
        return text;
    }
    let label = block.label.map(|label| quoted(label.as_str())).unwrap_or_default();
    match block.kind {
        BlockKind::Plain => label,
        kind => format!("{}.{label}", kind.name()),
    }
}

/// Whether a function's name is one that only the compiler's own have.
pub(super) fn is_compilers(name: Symbol) -> bool {
    name.as_str().starts_with("__builtin_")
}
