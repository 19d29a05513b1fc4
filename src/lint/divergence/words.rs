//! Puts the chain of causes of a divergent fact into words.
//!
//! The message says what control flow depends on: the first variable on the chain, and where the chain ends. Each step that has a place of
//! its own is a related place.

use tangle_grammar::ast::{AddressSpace, Span};

use super::{Blame, Context, Known};
use crate::diagnostic::{Diagnostic, Place};
use crate::flow::{Op, ValueId};
use crate::hir::builtins::Scope;
use crate::lint::check::place;
use crate::lint::words::spelled;
use crate::uniformity::analysis::{Reason, Source};
use crate::uniformity::cause::{Link, Subject, Why};

/// The longest piece of source that a message quotes, in characters.
const QUOTED: usize = 60;

/// What threads of a scope are together.
pub fn group(scope: Scope) -> &'static str {
    match scope {
        Scope::Subgroup => "sub-group",
        Scope::Grid => "grid",
        Scope::None | Scope::Workgroup => "work-group",
    }
}

/// What a blame comes down to: `` `i`, which derives from `get_local_id(0)` ``.
pub fn depends_on(context: &Context, number: usize, blame: &Blame) -> String {
    let known = &context.functions[number];
    let own = Said::of(context, known, &blame.chain);
    match blame.calls.last() {
        None => own.phrase(),
        Some(&(caller, call)) => {
            let it = &context.functions[caller];
            let passed = Said::of(context, it, &blame.passed);
            let name = match &it.function.values[call].op {
                Op::Call(call) => super::named(&call.callee).map_or("?", |name| name.as_str()),
                _ => "?",
            };
            let head = own.head.or(own.origin).unwrap_or_else(|| "a parameter".to_owned());
            let origin = passed.origin.or(passed.head).unwrap_or_else(|| "what differs".to_owned());
            format!("{head}, which derives from {origin} where `{}` calls `{name}`", it.function.key)
        }
    }
}

/// Adds the places of a blame to a finding.
pub fn with_places(
    context: &Context,
    number: usize,
    blame: &Blame,
    scope: Scope,
    mut finding: Diagnostic,
) -> Diagnostic {
    for (at, message) in places(context, &context.functions[number], &blame.chain, scope) {
        finding = finding.with_related(at, message);
    }
    for &(caller, call) in &blame.calls {
        let it = &context.functions[caller];
        let span = it.function.values[call].span;
        let at = context.subject(it).locator.locate(span).at;
        finding =
            finding.with_related(place(context.db, &at), format!("`{}` calls it here", it.function.key));
    }
    if let Some(&(caller, _)) = blame.calls.last() {
        for (at, message) in places(context, &context.functions[caller], &blame.passed, scope) {
            finding = finding.with_related(at, message);
        }
    }
    finding
}

/// What a chain says in a few words.
struct Said {
    /// The first variable on it.
    head: Option<String>,
    /// What it ends with.
    origin: Option<String>,
    /// A loop that is left in different iterations, if that is what makes the value differ.
    temporal: bool,
}

impl Said {
    fn of(context: &Context, known: &Known, chain: &[Link]) -> Said {
        let named = |link: &Link| {
            let Subject::Value(value) = link.subject else { return None };
            let it = &known.function.values[value];
            // What was brought out of a loop is an operand of where it is used.
            let mut brought = None;
            if matches!(link.reason, Why::Reason(Reason::Temporal(_))) {
                it.op.operands(|&operand| brought = brought.or(known.function.values[operand].name));
            }
            it.name.or(brought)
        };
        let head = chain.iter().find_map(named).map(|name| format!("`{name}`"));
        let origin = chain.last().and_then(|link| origin(context, known, link));
        let temporal = |link: &Link| matches!(link.reason, Why::Reason(Reason::Temporal(_)));
        Said { head, origin, temporal: chain.iter().any(temporal) }
    }

    fn phrase(self) -> String {
        let how = if self.temporal {
            "is left in different iterations of a loop, which depends on"
        } else {
            "derives from"
        };
        match (self.head, self.origin) {
            (Some(head), Some(origin)) if head == origin => head,
            (Some(head), Some(origin)) => format!("{head}, which {how} {origin}"),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => "what differs between them".to_owned(),
        }
    }
}

/// The end of a chain: what is divergent by itself.
fn origin(context: &Context, known: &Known, link: &Link) -> Option<String> {
    let value = match link.subject {
        Subject::Value(value) | Subject::Write(value) => value,
        Subject::Branch(_) | Subject::Control(_) => return None,
    };
    let text = quoted(context, known, known.function.values[value].span);
    let Why::Reason(reason) = link.reason else { return None };
    Some(match reason {
        Reason::Source(Source::SharedMemory(space)) => {
            format!("{text}, read from {} memory that other work-items may write", words_of(space))
        }
        Reason::Source(Source::EscapedMemory) => format!("{text}, whose address is known elsewhere"),
        Reason::Source(Source::UnknownFunction) => format!("{text}, a call of a function that is not known"),
        Reason::Source(Source::Volatile) => format!("{text}, which is volatile"),
        Reason::Source(Source::Image) => format!("{text}, read from an image that is written"),
        Reason::Parameter(number) | Reason::Pointee(number) => {
            let name = known.function.parameters.get(number as usize)?.name?;
            format!("`{name}`")
        }
        _ => text,
    })
}

/// The source of a value, in quotes.
fn quoted(context: &Context, known: &Known, span: Span) -> String {
    let mut text = spelled(&context.subject(known), span);
    if text.chars().count() > QUOTED {
        text = text.chars().take(QUOTED).collect::<String>() + " …";
    }
    format!("`{text}`")
}

fn words_of(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Local => "local",
        AddressSpace::Global => "global",
        AddressSpace::Constant => "constant",
        AddressSpace::Private => "private",
        AddressSpace::Generic => "shared",
    }
}

/// The places of a chain, each once, in the order of the chain.
fn places(context: &Context, known: &Known, chain: &[Link], scope: Scope) -> Vec<(Place, String)> {
    let subject = context.subject(known);
    let mut places: Vec<(Place, String)> = Vec::new();
    let mut add = |span: Span, message: String| {
        let at = place(context.db, &subject.locator.locate(span).at);
        if span.start < span.end && !places.iter().any(|(known, _)| *known == at) {
            places.push((at, message));
        }
    };
    let group = group(scope);
    for link in chain {
        match link.subject {
            Subject::Branch(block) => {
                let branch = &known.function.blocks[block];
                add(branch.end, format!("work-items of one {group} part here"));
            }
            Subject::Value(value) => {
                let it = &known.function.values[value];
                let ends = matches!(link.reason, Why::Reason(Reason::Source(_) | Reason::Callee));
                match it.name {
                    Some(name) if !ends && !matches!(it.op, Op::Phi(_)) => {
                        add(it.span, format!("`{name}` differs between them"));
                    }
                    _ if ends => add(it.span, source(&it.op, link.reason)),
                    _ => {}
                }
            }
            Subject::Write(value) => {
                add(known.function.values[value].span, "what is stored here differs between them".into());
            }
            Subject::Control(_) => {}
        }
    }
    places
}

fn source(op: &Op, reason: Why) -> String {
    match (op, reason) {
        (_, Why::Reason(Reason::Source(Source::SharedMemory(space)))) => {
            format!("other work-items may write this {} memory", words_of(space))
        }
        (Op::Call(call), _) => match super::named(&call.callee) {
            Some(name) => format!("`{name}` gives each of them its own"),
            None => "this gives each of them its own".into(),
        },
        _ => "this differs between them".into(),
    }
}

/// The load of shared memory that a blame ends with, if it does.
pub fn shared_load(blame: &Blame) -> Option<ValueId> {
    match blame.chain.last()? {
        Link {
            subject: Subject::Value(value),
            reason: Why::Reason(Reason::Source(Source::SharedMemory(_))),
        } => Some(*value),
        _ => None,
    }
}
