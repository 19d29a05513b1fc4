//! The text of a chain of causes: a phrase, and its places with labels.
//!
//! A chain leads from a divergent value or branch to a source of divergence
//! ([`cause`](tangle_analysis::uniformity::cause)). A **phrase** names the first variable on the chain and the source:
//! `` `i`, which derives from `get_local_id(0)` ``. A **place** is the source location of a link, if it has one.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;

use tangle_analysis::flow::{Function, Op, Unknown, ValueId};
use tangle_analysis::uniformity::address::{may_point_into, object, root};
use tangle_analysis::uniformity::analysis::{DivergenceSource, Reason};
use tangle_analysis::uniformity::cause::{Link, LinkReason, Subject};
use tangle_analysis::uniformity::versions::{VersionOrigin, VersionRef};
use tangle_syntax::dialect::{Scope, Vocabulary};

/// The maximum length of a piece of source that a phrase quotes, in characters.
const QUOTED: usize = 38;

/// The source text of a function: returns the tokens of a span on one line.
pub type Text<'a> = &'a dyn Fn(Span) -> String;

/// Returns the undeclared variables of a function.
pub fn undeclared(function: &Function) -> FxHashSet<Symbol> {
    let name = |op: &Op| match *op {
        Op::Unknown { what: Unknown::Variable(name), .. } => Some(name),
        _ => None,
    };
    function.values.iter().filter_map(|value| name(&value.op)).collect()
}

/// The context of a text: the vocabulary of the language, a function of the file, and its source.
#[derive(Clone, Copy)]
pub struct TextContext<'a> {
    pub vocabulary: &'a Vocabulary,
    pub function: &'a Function,
    pub text: Text<'a>,
}

/// The parts of the phrase for a chain.
pub struct CausePhrase {
    /// The first variable on the chain.
    pub head: Option<String>,
    /// The source of divergence at its end.
    pub origin: Option<String>,
    /// Whether the variable is divergent because threads leave a loop in different iterations.
    pub temporal: bool,
}

impl CausePhrase {
    pub fn of(speaker: TextContext, chain: &[Link]) -> CausePhrase {
        let function = speaker.function;
        let named = |link: &Link| {
            let Subject::Value(value) = link.subject else { return None };
            let it = &function.values[value];
            // The value is a use after the loop. The variable that leaves the loop is its operand.
            let mut brought = None;
            if matches!(link.reason, LinkReason::Reason(Reason::Temporal(_))) {
                it.op.operands(|&operand| brought = brought.or(function.values[operand].name));
            }
            let read =
                matches!(link.reason, LinkReason::Reason(Reason::Held(_))).then(|| object(function, value));
            // The address is divergent, so each thread reads another element.
            let element = matches!((&it.op, link.reason), (Op::Load { address, .. }, LinkReason::Reason(Reason::Operand(by))) if by == *address);
            match it.name.or(brought).or(read.flatten()) {
                Some(name) => Some(format!("`{name}`")),
                None => element.then(|| quoted((speaker.text)(it.span))),
            }
        };
        let head = chain.iter().find_map(named);
        let origin = chain.last().and_then(|link| speaker.origin(link));
        let temporal = |link: &Link| matches!(link.reason, LinkReason::Reason(Reason::Temporal(_)));
        CausePhrase { head, origin, temporal: chain.iter().any(temporal) }
    }

    /// Returns phrases for the chain, the most detailed first.
    pub fn phrases(self) -> Vec<String> {
        match (self.head, self.origin) {
            (Some(head), Some(origin)) if head == without_explanation(&origin) => vec![origin, head],
            // The variable does not derive from the origin. The origin decides how often the loop iterates.
            (Some(head), Some(origin)) if self.temporal => vec![
                format!("{head}, set in a loop whose trip count depends on {origin}"),
                format!("{head}, set in a loop whose trip count depends on {}", without_explanation(&origin)),
                format!("{head} (loop over {})", without_explanation(&origin)),
                head,
            ],
            (Some(head), Some(origin)) => vec![
                format!("{head}, which derives from {origin}"),
                format!("{head}, which derives from {}", without_explanation(&origin)),
                format!("{head} (from {})", without_explanation(&origin)),
                without_explanation(&origin).to_owned(),
                head,
            ],
            (Some(only), None) => vec![only],
            (None, Some(only)) => vec![only.clone(), without_explanation(&only).to_owned()],
            (None, None) => vec!["a divergent value".to_owned()],
        }
    }

    /// Returns phrases for a chain that ends with a parameter. `passed`: the chain of the argument in the caller.
    pub fn phrases_with_caller(self, passed: CausePhrase, caller: &str) -> Vec<String> {
        let head = self.head.or(self.origin).unwrap_or_else(|| "a parameter".to_owned());
        let origin = passed.origin.or(passed.head).unwrap_or_else(|| "a divergent value".to_owned());
        vec![
            format!("{head}, which derives from {origin} in the call from {caller}"),
            format!("{head}, which derives from {} in the call from {caller}", without_explanation(&origin)),
            format!("{head} (from {} in {caller})", without_explanation(&origin)),
            format!("{head} (from {})", without_explanation(&origin)),
            without_explanation(&origin).to_owned(),
            head,
        ]
    }
}

/// Returns an origin without its explanation.
fn without_explanation(origin: &str) -> &str {
    let end = origin.strip_prefix('`').and_then(|rest| rest.find("`, ")).map(|at| at + 2);
    &origin[..end.unwrap_or(origin.len())]
}

/// Returns the operation that writes the divergent value, if a link is about the contents of memory.
pub fn writer(link: Link) -> Option<ValueId> {
    match (link.subject, link.reason) {
        // The operation keeps the old contents.
        (Subject::Held(_), LinkReason::Reason(Reason::Kept(_))) => None,
        (Subject::Held(VersionRef { made: VersionOrigin::Write(by), .. }), _) => Some(by),
        _ => None,
    }
}

impl TextContext<'_> {
    /// Returns the phrase for the source of divergence at the end of a chain.
    fn origin(self, link: &Link) -> Option<String> {
        let function = self.function;
        let LinkReason::Reason(reason) = link.reason else { return None };
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
        let text = quoted((self.text)(function.values[value].span));
        Some(match reason {
            Reason::Source(DivergenceSource::SharedMemory(space)) => match self.vocabulary.memory(space) {
                Some(space) => {
                    let others = self.vocabulary.threads();
                    format!("{text}, read from {space} memory that other {others} can write")
                }
                None => format!("{text}, read through a pointer with an unknown target"),
            },
            Reason::Source(DivergenceSource::EscapedMemory) => format!("{text}, whose address escapes"),
            Reason::Source(DivergenceSource::UnknownFunction) => {
                format!("{text}, a call to an unknown function")
            }
            Reason::Source(DivergenceSource::UnknownVariable) => match function.values[value].op {
                Op::Unknown { what: Unknown::Variable(name), .. } => {
                    format!("`{name}`, an undeclared variable")
                }
                _ => text,
            },
            Reason::Source(DivergenceSource::Volatile) => format!("{text}, a volatile read"),
            Reason::Source(DivergenceSource::Image) => {
                format!("{text}, read from an image that the kernel writes")
            }
            _ => text,
        })
    }

    /// Returns the places of a chain, in the order of the chain, each with its label.
    pub fn places(self, chain: &[Link], scope: Scope) -> Vec<(Span, String)> {
        let function = self.function;
        let mut places: Vec<(Span, String)> = Vec::new();
        let mut add = |span: Span, message: String| places.push((span, message));
        let threads = self.vocabulary.threads();
        let group = self.vocabulary.group(scope);
        // A variable that is initialised with the source needs no label of its own.
        let source = chain.last().and_then(|link| match (link.subject, link.reason) {
            (Subject::Value(value), LinkReason::Reason(Reason::Source(_) | Reason::Callee)) => {
                Some(function.values[value].span)
            }
            _ => None,
        });
        for link in chain {
            match link.subject {
                Subject::Branch(block) => {
                    let branch = &function.blocks[block];
                    add(branch.end, format!("{threads} of the same {group} diverge here"));
                }
                Subject::Value(value) => {
                    let it = &function.values[value];
                    let ends = matches!(link.reason, LinkReason::Reason(Reason::Source(_) | Reason::Callee));
                    match it.name {
                        Some(name) if !ends && !matches!(it.op, Op::Phi(_)) && source != Some(it.span) => {
                            add(it.span, format!("`{name}` differs between {threads}"));
                        }
                        _ if ends => {
                            if let LinkReason::Reason(Reason::Source(DivergenceSource::SharedMemory(_))) =
                                link.reason
                                && let Some((by, message)) = written_by(function, &it.op)
                            {
                                add(function.values[by].span, message);
                            }
                            add(it.span, self.source(value, link.reason));
                        }
                        _ => {}
                    }
                }
                Subject::Held(_) => {
                    if let Some(by) = writer(*link) {
                        let it = &function.values[by];
                        let message = match link.reason {
                            LinkReason::Reason(Reason::Source(DivergenceSource::UnknownFunction)) => {
                                self.source(by, link.reason)
                            }
                            reason if is_address(&it.op, reason) => {
                                format!("the address of this write differs between {threads}")
                            }
                            // The source has a more specific label at the same place.
                            _ if source == Some(it.span) => continue,
                            _ => match &it.op {
                                Op::Call(call) if call.call.is_some() => match call.callee.name() {
                                    Some(name) => {
                                        format!("`{name}` writes a value that differs between {threads}")
                                    }
                                    None => {
                                        format!("this call writes a value that differs between {threads}")
                                    }
                                },
                                _ => format!("the value that is written here differs between {threads}"),
                            },
                        };
                        add(it.span, message);
                    }
                }
                Subject::Control(_) => {}
            }
        }
        places
    }

    /// Returns the reason why a source is divergent.
    fn source(self, value: ValueId, reason: LinkReason) -> String {
        let it = &self.function.values[value];
        let (thread, threads) = (&self.vocabulary.thread, self.vocabulary.threads());
        match (&it.op, reason) {
            (_, LinkReason::Reason(Reason::Source(DivergenceSource::SharedMemory(space)))) => {
                match self.vocabulary.memory(space) {
                    Some(space) => format!("other {threads} can write this {space} memory"),
                    None => format!("this pointer can point to memory that other {threads} write"),
                }
            }
            (Op::Unknown { what: Unknown::Variable(name), .. }, _) => {
                format!("`{name}` is undeclared: we assume that each {thread} has its own")
            }
            (Op::Call(call), LinkReason::Reason(Reason::Source(DivergenceSource::UnknownFunction))) => {
                match call.callee.name() {
                    Some(name) => {
                        format!(
                            "`{name}` is not defined here: we assume that its results differ between {threads}"
                        )
                    }
                    None => {
                        format!("the callee is unknown: we assume that its results differ between {threads}")
                    }
                }
            }
            (_, LinkReason::Reason(Reason::Source(DivergenceSource::EscapedMemory))) => {
                "the address of this memory escapes: we assume that unknown code can write it".to_owned()
            }
            (_, LinkReason::Reason(Reason::Source(DivergenceSource::Volatile))) => {
                format!("this read is volatile: the values can differ between {threads}")
            }
            (_, LinkReason::Reason(Reason::Source(DivergenceSource::Image))) => {
                format!("other {threads} can write this image")
            }
            // An index variable of the language, such as `threadIdx.x`, is not a call in the source.
            (Op::Call(call), _) if call.call.is_none() => {
                format!("{} differs between {threads}", quoted((self.text)(it.span)))
            }
            (Op::Call(call), _) => match call.callee.name() {
                Some(name) => format!("the result of `{name}` differs between {threads}"),
                None => format!("the result of this call differs between {threads}"),
            },
            _ => format!("this value differs between {threads}"),
        }
    }

    /// Returns the assumptions about unknowns on a chain, and in the values that it is computed from: the first few.
    /// `unknown`: the unknown functions that the function calls, each with the first call. `undeclared`: its
    /// [undeclared variables](undeclared).
    pub fn assumptions<'u>(
        self,
        chain: &[Link],
        unknown: &dyn Fn() -> &'u [(Option<Symbol>, Span)],
        undeclared: &FxHashSet<Symbol>,
    ) -> Vec<Assumption> {
        let function = self.function;
        let (thread, threads) = (&self.vocabulary.thread, self.vocabulary.threads());
        let mut found: Vec<Assumption> = Vec::new();
        let of_thread = |name: Symbol| {
            format!("`{name}` is undeclared: we assume that each {thread} has its own variable")
        };
        let mut add = |span: Span, message: String, decides: bool| {
            let known = found.iter().position(|known| known.message == message);
            match known {
                Some(known) => found[known].affects_finding |= decides,
                None if found.len() < ASSUMPTIONS => {
                    found.push(Assumption { span, message, affects_finding: decides })
                }
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
                // The call writes to the targets of its pointer arguments.
                let arguments = call.arguments.iter().map(|&(argument, _)| argument);
                seen.extend(arguments.filter(|&it| function.values[it].ty.as_pointer().is_some()));
            }
            let mut at = 0;
            while at < seen.len().min(MAX_OPERATIONS) {
                let value = &function.values[seen[at]];
                at += 1;
                match &value.op {
                    Op::Unknown { what: Unknown::Name(name), .. } => {
                        let message =
                            format!("`{name}` is undefined: we assume that it is the same in all {threads}");
                        // If the name is an address, its target may be memory that no thread writes.
                        let is_read = matches!(
                            link.reason,
                            LinkReason::Reason(Reason::Source(DivergenceSource::SharedMemory(_)))
                        );
                        add(value.span, message, is_read);
                    }
                    Op::Unknown { what: Unknown::Variable(name), .. } => {
                        add(value.span, of_thread(*name), true);
                    }
                    // A variable in memory.
                    Op::Slot(slot) => {
                        if let Some(name) =
                            function.slots[*slot].name.filter(|name| undeclared.contains(name))
                        {
                            add(function.values[seen[0]].span, of_thread(name), true);
                        }
                    }
                    Op::Load { address, .. } => {
                        if !seen.contains(address) {
                            seen.push(*address);
                        }
                    }
                    // The operands of a phi or a call were computed elsewhere.
                    Op::Phi(_) | Op::Call(_) => {}
                    op => op.operands(|&operand| {
                        if !seen.contains(&operand) {
                            seen.push(operand);
                        }
                    }),
                }
            }
        }
        // A barrier in an unknown function would separate the read from the writes.
        let end = chain.last().map(|link| link.reason);
        if matches!(end, Some(LinkReason::Reason(Reason::Source(DivergenceSource::SharedMemory(_))))) {
            for &(name, span) in unknown().iter().take(ASSUMPTIONS) {
                let message = match name {
                    Some(name) => {
                        format!("`{name}` is not defined here: we assume that it does not wait at a barrier")
                    }
                    None => "we assume that this lambda does not wait at a barrier".to_owned(),
                };
                add(span, message, true);
            }
        }
        found
    }
}

/// Returns a piece of source in backquotes. A long piece is cut.
pub fn quoted(mut text: String) -> String {
    if text.chars().count() > QUOTED {
        text = text.chars().take(QUOTED).collect::<String>() + " …";
    }
    format!("`{text}`")
}

/// Returns an operation that can write the memory that a load reads, with its label. Prefers a write to the same
/// object, then a call that gets a pointer to it, then a write through a pointer that can point to it.
fn written_by(function: &Function, load: &Op) -> Option<(ValueId, String)> {
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
    let known = same.map(|id| {
        (id, "this memory is written here, and on some path no barrier separates it from the read".to_owned())
    });
    let passed = || ids().find(|&id| passes(id)).map(|id| (id, "this call can write the memory".to_owned()));
    let through = || {
        let id = ids().find(|&id| target(id).is_some_and(|to| may_point_into(function, to, read)))?;
        Some((id, "this can write the memory: the target of the pointer is unknown".to_owned()))
    };
    known.or_else(passed).or_else(through)
}

/// Whether a write is divergent because of its address.
fn is_address(op: &Op, reason: LinkReason) -> bool {
    let LinkReason::Reason(Reason::Operand(operand)) = reason else { return false };
    match *op {
        Op::Store { address, value, .. } => operand == address && operand != value,
        Op::Copy { to, from, .. } => operand == to && operand != from,
        Op::Clear { address, .. } => operand == address,
        _ => false,
    }
}

/// The maximum number of assumptions for one chain.
const ASSUMPTIONS: usize = 4;

/// The maximum number of operations that are searched for one link of a chain.
const MAX_OPERATIONS: usize = 100;

/// An assumption about an unknown (`docs/semantics.md` §9).
pub struct Assumption {
    /// The unknown in the source.
    pub span: Span,
    /// The assumption as a sentence.
    pub message: String,
    /// Whether the finding depends on it. If it is wrong, all threads may share the variable, the function may wait at
    /// a barrier, or no thread may write the memory that is read.
    pub affects_finding: bool,
}
