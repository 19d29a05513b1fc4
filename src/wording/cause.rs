//! What a chain of causes comes down to.
//!
//! A chain leads from what is divergent, link by link, to what is divergent by itself ([`cause`](crate::uniformity::cause)). A **phrase** names
//! the first variable on it and where it ends: `` `i`, which derives from `get_local_id(0)` ``. Each link that has a place of its own is a
//! **place** of the chain.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{AddressSpace, Span};
use tangle_grammar::symbol::Symbol;

use crate::dialect::Scope;
use crate::flow::{Function, Op, Unknown, ValueId};
use crate::uniformity::address::{may_lead_into, object, root};
use crate::uniformity::analysis::{Reason, Source};
use crate::uniformity::cause::{Link, Subject, Why};
use crate::uniformity::versions::{Held, Made};
use crate::wording::headline::fitting;

/// The longest piece of source that a phrase quotes, in characters.
const QUOTED: usize = 38;

/// The source of a function: the tokens of a span, as one line.
pub type Text<'a> = &'a dyn Fn(Span) -> String;

/// What threads of a scope are together.
pub fn group(scope: Scope) -> &'static str {
    match scope {
        Scope::Subgroup => "sub-group",
        Scope::Cluster => "cluster",
        Scope::Grid => "grid",
        Scope::None | Scope::Workgroup => "work-group",
    }
}

/// What a chain says in a few words.
pub struct Said {
    /// The first variable on it.
    pub head: Option<String>,
    /// What it ends with.
    pub origin: Option<String>,
    /// A loop that is left in different iterations, if that is what makes the value differ.
    pub temporal: bool,
}

impl Said {
    pub fn of(function: &Function, text: Text, chain: &[Link]) -> Said {
        let named = |link: &Link| {
            let Subject::Value(value) = link.subject else { return None };
            let it = &function.values[value];
            // What was brought out of a loop is an operand of where it is used.
            let mut brought = None;
            if matches!(link.reason, Why::Reason(Reason::Temporal(_))) {
                it.op.operands(|&operand| brought = brought.or(function.values[operand].name));
            }
            let read = matches!(link.reason, Why::Reason(Reason::Held(_))).then(|| object(function, value));
            it.name.or(brought).or(read.flatten())
        };
        let head = chain.iter().find_map(named).map(|name| format!("`{name}`"));
        let origin = chain.last().and_then(|link| origin(function, text, link));
        let temporal = |link: &Link| matches!(link.reason, Why::Reason(Reason::Temporal(_)));
        Said { head, origin, temporal: chain.iter().any(temporal) }
    }

    /// The fullest of what may be said in so many characters; the shortest, if none of it fits.
    pub fn phrase(self, room: usize) -> String {
        let how = if self.temporal {
            "is left in different iterations of a loop, which depends on"
        } else {
            "derives from"
        };
        let phrases = match (self.head, self.origin) {
            (Some(head), Some(origin)) if head == bare(&origin) => vec![origin, head],
            (Some(head), Some(origin)) => vec![
                format!("{head}, which {how} {origin}"),
                format!("{head}, from {origin}"),
                format!("{head}, from {}", bare(&origin)),
                bare(&origin).to_owned(),
                head,
            ],
            (Some(only), None) => vec![only],
            (None, Some(only)) => vec![only.clone(), bare(&only).to_owned()],
            (None, None) => vec!["what differs between them".to_owned()],
        };
        fitting(phrases, room)
    }

    /// The same of a chain that ends with a parameter, for which some caller passes what another chain explains.
    pub fn phrase_through(self, passed: Said, caller: &str, callee: &str, room: usize) -> String {
        let head = self.head.or(self.origin).unwrap_or_else(|| "a parameter".to_owned());
        let origin = passed.origin.or(passed.head).unwrap_or_else(|| "what differs".to_owned());
        let phrases = vec![
            format!("{head}, which derives from {origin} where {caller} calls `{callee}`"),
            format!("{head}, from {origin} in {caller}"),
            format!("{head}, from {}", bare(&origin)),
            bare(&origin).to_owned(),
            head,
        ];
        fitting(phrases, room)
    }
}

/// An origin without what is said of it.
fn bare(origin: &str) -> &str {
    let end = origin.strip_prefix('`').and_then(|rest| rest.find("`, ")).map(|at| at + 2);
    &origin[..end.unwrap_or(origin.len())]
}

/// The operation that writes what differs, if a link is about what memory holds.
pub fn writer(link: Link) -> Option<ValueId> {
    match (link.subject, link.reason) {
        // It leaves what was there.
        (Subject::Held(_), Why::Reason(Reason::Kept(_))) => None,
        (Subject::Held(Held { made: Made::Write(by), .. }), _) => Some(by),
        _ => None,
    }
}

/// The end of a chain: what is divergent by itself.
fn origin(function: &Function, text: Text, link: &Link) -> Option<String> {
    let Why::Reason(reason) = link.reason else { return None };
    if let Reason::Parameter(number) | Reason::Pointee(number) = reason {
        let name = function.parameters.get(number as usize)?.name?;
        let star = if matches!(reason, Reason::Pointee(_)) { "*" } else { "" };
        return Some(format!("`{star}{name}`"));
    }
    let value = match link.subject {
        Subject::Value(value) => value,
        Subject::Held(_) => writer(*link)?,
        Subject::Branch(_) | Subject::Control(_) => return None,
    };
    let text = quoted(text(function.values[value].span));
    Some(match reason {
        Reason::Source(Source::SharedMemory(space)) => match words_of(space) {
            Some(space) => format!("{text}, read from {space} memory that other work-items may write"),
            None => format!("{text}, read through a pointer that may lead anywhere"),
        },
        Reason::Source(Source::EscapedMemory) => format!("{text}, whose address is known elsewhere"),
        Reason::Source(Source::UnknownFunction) => format!("{text}, a call of a function that is not known"),
        Reason::Source(Source::UnknownVariable) => match function.values[value].op {
            Op::Unknown { what: Unknown::Variable(name), .. } => {
                format!("`{name}`, a variable that nothing declares")
            }
            _ => text,
        },
        Reason::Source(Source::Volatile) => format!("{text}, which is volatile"),
        Reason::Source(Source::Image) => format!("{text}, read from an image that is written"),
        _ => text,
    })
}

/// A piece of source, in quotes.
pub fn quoted(mut text: String) -> String {
    if text.chars().count() > QUOTED {
        text = text.chars().take(QUOTED).collect::<String>() + " …";
    }
    format!("`{text}`")
}

/// What memory is called that others may write. None: a pointer leads there of which that is all one knows.
fn words_of(space: AddressSpace) -> Option<&'static str> {
    match space {
        AddressSpace::Local => Some("local"),
        AddressSpace::Global => Some("global"),
        AddressSpace::Constant => Some("constant"),
        AddressSpace::Private | AddressSpace::Generic => None,
    }
}

/// The places of a chain, in the order of the chain, with what is to be said there.
pub fn places(function: &Function, chain: &[Link], scope: Scope) -> Vec<(Span, String)> {
    let mut places: Vec<(Span, String)> = Vec::new();
    let mut add = |span: Span, message: String| places.push((span, message));
    let group = group(scope);
    for link in chain {
        match link.subject {
            Subject::Branch(block) => {
                let branch = &function.blocks[block];
                add(branch.end, format!("work-items of one {group} diverge here"));
            }
            Subject::Value(value) => {
                let it = &function.values[value];
                let ends = matches!(link.reason, Why::Reason(Reason::Source(_) | Reason::Callee));
                match it.name {
                    Some(name) if !ends && !matches!(it.op, Op::Phi(_)) => {
                        add(it.span, format!("`{name}` differs between them"));
                    }
                    _ if ends => {
                        if let Why::Reason(Reason::Source(Source::SharedMemory(_))) = link.reason
                            && let Some((by, message)) = written_by(function, &it.op)
                        {
                            add(function.values[by].span, message.into());
                        }
                        add(it.span, source(&it.op, link.reason));
                    }
                    _ => {}
                }
            }
            Subject::Held(_) => {
                if let Some(by) = writer(*link) {
                    let op = &function.values[by].op;
                    let message = match link.reason {
                        Why::Reason(Reason::Source(Source::UnknownFunction)) => source(op, link.reason),
                        reason if is_address(op, reason) => {
                            "where this is stored differs between them".into()
                        }
                        _ => "what is stored here differs between them".into(),
                    };
                    add(function.values[by].span, message);
                }
            }
            Subject::Control(_) => {}
        }
    }
    places
}

/// An operation that may write what a load reads, in words: the first one that names the same object, or else the first one whose pointer may lead there.
fn written_by(function: &Function, load: &Op) -> Option<(ValueId, &'static str)> {
    let Op::Load { address, .. } = load else { return None };
    let read = root(function, *address)?;
    let ids = || function.blocks.iter().flat_map(|block| block.values.iter().copied());
    let target = |id: ValueId| match &function.values[id].op {
        Op::Store { address, .. } | Op::Clear { address, .. } | Op::Copy { to: address, .. } => {
            Some(*address)
        }
        _ => None,
    };
    let passes = |id: ValueId| match &function.values[id].op {
        Op::Call(call) => call.arguments.iter().any(|&(it, _)| root(function, it) == Some(read)),
        _ => false,
    };
    let same = ids().find(|&id| target(id).is_some_and(|to| root(function, to) == Some(read)));
    let known = same.map(|id| (id, "it is written here"));
    let passed = || ids().find(|&id| passes(id)).map(|id| (id, "this may write it"));
    let through = || {
        let id = ids().find(|&id| target(id).is_some_and(|to| may_lead_into(function, to, read)))?;
        Some((id, "this may write it: where the pointer leads is not known"))
    };
    known.or_else(passed).or_else(through)
}

/// Whether a write is divergent because of its address.
fn is_address(op: &Op, reason: Why) -> bool {
    let Why::Reason(Reason::Operand(operand)) = reason else { return false };
    match *op {
        Op::Store { address, value, .. } => operand == address && operand != value,
        Op::Copy { to, from, .. } => operand == to && operand != from,
        Op::Clear { address, .. } => operand == address,
        _ => false,
    }
}

fn source(op: &Op, reason: Why) -> String {
    match (op, reason) {
        (_, Why::Reason(Reason::Source(Source::SharedMemory(space)))) => match words_of(space) {
            Some(space) => format!("other work-items may write this {space} memory"),
            None => "what is read here may differ: the pointer may lead anywhere".into(),
        },
        (Op::Unknown { what: Unknown::Variable(name), .. }, _) => {
            format!("nothing declares `{name}`: each of them is taken to have its own")
        }
        (Op::Call(call), Why::Reason(Reason::Source(Source::UnknownFunction))) => match call.callee.name() {
            Some(name) => format!("nothing defines `{name}`: it is taken to give each of them its own"),
            None => "what is called is not known: it is taken to give each of them its own".into(),
        },
        (_, Why::Reason(Reason::Source(Source::Volatile))) => {
            "this is volatile: each of them may read something else".into()
        }
        (_, Why::Reason(Reason::Source(Source::Image))) => {
            "this image is written while others read it".into()
        }
        // A variable of the language that holds a number of the thread is no call in the source.
        (Op::Call(call), _) if call.call.is_none() => "each of them has its own index".into(),
        (Op::Call(call), _) => match call.callee.name() {
            Some(name) => format!("`{name}` gives each of them its own"),
            None => "this gives each of them its own".into(),
        },
        _ => "this differs between them".into(),
    }
}

/// The most assumptions that are told.
const ASSUMPTIONS: usize = 4;

/// Operations that are looked at for one link of a chain.
const LOOKED_AT: usize = 100;

/// What is taken for granted of something that is not known (SEMANTICS §9).
pub struct Assumption {
    /// Where it stands.
    pub span: Span,
    /// In words.
    pub message: String,
    /// Were it otherwise, the threads might agree: a variable may be one that all share, and a function may wait for all of them.
    pub decides: bool,
}

/// What is taken for granted of things that are not known, on a chain and among what the values on it are computed from. No more than a few.
/// `unknown`: the functions that it calls and of which nothing is known, with their calls.
pub fn assumptions<'a>(
    function: &Function,
    chain: &[Link],
    unknown: &dyn Fn() -> &'a [(Symbol, Span)],
) -> Vec<Assumption> {
    let undeclared: FxHashSet<Symbol> = function
        .values
        .iter()
        .filter_map(|value| match value.op {
            Op::Unknown { what: Unknown::Variable(name), .. } => Some(name),
            _ => None,
        })
        .collect();
    let mut found: Vec<Assumption> = Vec::new();
    let of_thread =
        |name: Symbol| format!("nothing here declares `{name}`: it is taken for a variable of the thread");
    let mut add = |span: Span, message: String, decides: bool| {
        let known = found.iter().position(|known| known.message == message);
        match known {
            Some(known) => found[known].decides |= decides,
            None if found.len() < ASSUMPTIONS => found.push(Assumption { span, message, decides }),
            None => {}
        }
    };
    for link in chain {
        let from = match link.subject {
            Subject::Value(value) => Some(value),
            Subject::Held(_) => writer(*link),
            Subject::Branch(block) => function.blocks[block].terminator.operand(),
            Subject::Control(_) => None,
        };
        if let Subject::Value(value) = link.subject {
            let value = &function.values[value];
            if let Some(name) = value.name.filter(|name| undeclared.contains(name)) {
                add(value.span, of_thread(name), true);
            }
        }
        let mut seen: Vec<ValueId> = from.into_iter().collect();
        if let (Subject::Held(_), Some(Op::Call(call))) =
            (link.subject, from.map(|by| &function.values[by].op))
        {
            // It writes where its arguments lead.
            let arguments = call.arguments.iter().map(|&(argument, _)| argument);
            seen.extend(arguments.filter(|&it| function.values[it].ty.as_pointer().is_some()));
        }
        let mut at = 0;
        while at < seen.len().min(LOOKED_AT) {
            let value = &function.values[seen[at]];
            at += 1;
            match &value.op {
                Op::Unknown { what: Unknown::Name(name), .. } => {
                    let message =
                        format!("`{name}` is taken to be the same for all: nothing here defines it");
                    // Where it leads, if it is an address, may well be memory that nobody writes.
                    let is_read = matches!(link.reason, Why::Reason(Reason::Source(Source::SharedMemory(_))));
                    add(value.span, message, is_read);
                }
                Op::Unknown { what: Unknown::Variable(name), .. } => {
                    add(value.span, of_thread(*name), true);
                }
                // A variable that is in memory.
                Op::Slot(slot) => {
                    if let Some(name) = function.slots[*slot].name.filter(|name| undeclared.contains(name)) {
                        add(function.values[seen[0]].span, of_thread(name), true);
                    }
                }
                Op::Load { address, .. } => {
                    if !seen.contains(address) {
                        seen.push(*address);
                    }
                }
                // What is merged or called here was computed elsewhere.
                Op::Phi(_) | Op::Call(_) => {}
                op => op.operands(|&operand| {
                    if !seen.contains(&operand) {
                        seen.push(operand);
                    }
                }),
            }
        }
    }
    // A barrier would keep what all read apart from what they write.
    let end = chain.last().map(|link| link.reason);
    if matches!(end, Some(Why::Reason(Reason::Source(Source::SharedMemory(_))))) {
        for &(name, span) in unknown().iter().take(ASSUMPTIONS) {
            add(span, format!("nothing here defines `{name}`: it is taken not to wait"), true);
        }
    }
    found
}
