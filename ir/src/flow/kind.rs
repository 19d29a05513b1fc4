//! The source constructs that blocks belong to, and their encoding in block names.

use tangle_base::Symbol;

/// The source construct that begins with a block. It determines where source loops begin, and the printed name of the
/// block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// The first block of the function.
    Entry,
    /// No construct begins with the block. Its name is its label.
    Other,
    /// A label that a `goto` jumps to.
    Label,
    /// The code after a jump, reachable only through a label inside it; or the code after an `asm goto`.
    Unreachable,
    /// The target of a computed `goto` whose operand is not the address of a label. No thread reaches it.
    GotoUnreachable,
    /// The then-statement of an `if`.
    IfThen,
    /// The else-statement of an `if`.
    IfElse,
    /// The code after an `if`.
    IfEnd,
    /// The condition of a `while`: each iteration begins here.
    WhileCondition,
    /// The body of a `while`.
    WhileBody,
    /// The code after a `while`.
    WhileEnd,
    /// The body of a `do`: each iteration begins here.
    DoBody,
    /// The condition of a `do`.
    DoCondition,
    /// The code after a `do`.
    DoEnd,
    /// The condition of a `for`: each iteration begins here.
    ForCondition,
    /// The body of a `for`.
    ForBody,
    /// The step of a `for`, at the end of each iteration.
    ForStep,
    /// The code after a `for`.
    ForEnd,
    /// A `case` label.
    SwitchCase,
    /// A `default` label.
    SwitchDefault,
    /// The code after a `switch`.
    SwitchEnd,
    /// The second operand of `?:`.
    ConditionalThen,
    /// The third operand of `?:`.
    ConditionalElse,
    /// The code after `?:`.
    ConditionalEnd,
    /// The second operand of `&&`.
    AndRight,
    /// The code after `&&`.
    AndEnd,
    /// The second operand of `||`.
    OrRight,
    /// The code after `||`.
    OrEnd,
    /// An inserted block through which all entries of a cycle lead ([`dispatch`](super::dispatch)).
    Dispatch,
    /// An inserted block on an edge to such a block, or on an edge to or from a loop head.
    ToDispatch,
    /// An inserted head of a source loop. All threads that enter the loop or begin an iteration pass it, so that it
    /// counts the iterations ([`heads`](super::heads)).
    LoopHead,
}

/// Which source loop begins in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopStart {
    /// The block's statement itself, or the goto cycle of the block's label.
    Statement,
    /// The loop statement around the block's statement.
    Parent,
}

impl BlockKind {
    /// All kinds, for parsing names.
    pub const ALL: [BlockKind; 31] = [
        BlockKind::Entry,
        BlockKind::Other,
        BlockKind::Label,
        BlockKind::Unreachable,
        BlockKind::GotoUnreachable,
        BlockKind::IfThen,
        BlockKind::IfElse,
        BlockKind::IfEnd,
        BlockKind::WhileCondition,
        BlockKind::WhileBody,
        BlockKind::WhileEnd,
        BlockKind::DoBody,
        BlockKind::DoCondition,
        BlockKind::DoEnd,
        BlockKind::ForCondition,
        BlockKind::ForBody,
        BlockKind::ForStep,
        BlockKind::ForEnd,
        BlockKind::SwitchCase,
        BlockKind::SwitchDefault,
        BlockKind::SwitchEnd,
        BlockKind::ConditionalThen,
        BlockKind::ConditionalElse,
        BlockKind::ConditionalEnd,
        BlockKind::AndRight,
        BlockKind::AndEnd,
        BlockKind::OrRight,
        BlockKind::OrEnd,
        BlockKind::Dispatch,
        BlockKind::ToDispatch,
        BlockKind::LoopHead,
    ];

    /// Returns the source loop whose iterations begin with a block of this kind.
    pub fn begins(self) -> Option<LoopStart> {
        match self {
            BlockKind::WhileCondition | BlockKind::ForCondition | BlockKind::Label => {
                Some(LoopStart::Statement)
            }
            BlockKind::DoBody => Some(LoopStart::Parent),
            _ => None,
        }
    }

    /// Returns the printed name of a block of this kind without a label.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Entry => "entry",
            BlockKind::Other => "block",
            BlockKind::Label => "label",
            BlockKind::Unreachable => "unreachable",
            BlockKind::GotoUnreachable => "goto.unreachable",
            BlockKind::IfThen => "if.then",
            BlockKind::IfElse => "if.else",
            BlockKind::IfEnd => "if.end",
            BlockKind::WhileCondition => "while.cond",
            BlockKind::WhileBody => "while.body",
            BlockKind::WhileEnd => "while.end",
            BlockKind::DoBody => "do.body",
            BlockKind::DoCondition => "do.cond",
            BlockKind::DoEnd => "do.end",
            BlockKind::ForCondition => "for.cond",
            BlockKind::ForBody => "for.body",
            BlockKind::ForStep => "for.step",
            BlockKind::ForEnd => "for.end",
            BlockKind::SwitchCase => "switch.case",
            BlockKind::SwitchDefault => "switch.default",
            BlockKind::SwitchEnd => "switch.end",
            BlockKind::ConditionalThen => "cond.then",
            BlockKind::ConditionalElse => "cond.else",
            BlockKind::ConditionalEnd => "cond.end",
            BlockKind::AndRight => "and.right",
            BlockKind::AndEnd => "and.end",
            BlockKind::OrRight => "or.right",
            BlockKind::OrEnd => "or.end",
            BlockKind::Dispatch => "dispatch",
            BlockKind::ToDispatch => "to.dispatch",
            BlockKind::LoopHead => "loop.head",
        }
    }
}

/// A part of a block's name between dots. The number that makes a repeated name unique is not a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlockPart {
    Plain(String),
    Quoted(String),
}

/// Returns the kind and the label that a block name encodes. None if no block can have this name.
pub(crate) fn parse_block_name(parts: &[BlockPart]) -> Option<(BlockKind, Option<Symbol>)> {
    let plain = parts.iter().take_while(|part| matches!(part, BlockPart::Plain(_))).count();
    // Try the longest prefix first.
    for count in (1..=plain.min(2)).rev() {
        let words: Vec<&str> = parts[..count]
            .iter()
            .map(|part| match part {
                BlockPart::Plain(word) | BlockPart::Quoted(word) => word.as_str(),
            })
            .collect();
        let name = words.join(".");
        let Some(kind) = BlockKind::ALL.into_iter().find(|kind| kind.name() == name) else { continue };
        return match &parts[count..] {
            [] => Some((kind, None)),
            // A plain block has only its label as a name.
            [BlockPart::Plain(label) | BlockPart::Quoted(label)] if kind != BlockKind::Other => {
                Some((kind, Some(Symbol::intern(label))))
            }
            _ => None,
        };
    }
    match parts {
        [BlockPart::Plain(label) | BlockPart::Quoted(label)] => {
            Some((BlockKind::Other, Some(Symbol::intern(label))))
        }
        _ => None,
    }
}

/// Returns the kind and the label of a block with a name. A name that no block can have becomes the label of a plain
/// block.
pub(crate) fn kind_of(name: &str) -> (BlockKind, Option<Symbol>) {
    let parts: Vec<BlockPart> = name.split('.').map(|part| BlockPart::Plain(part.to_owned())).collect();
    parse_block_name(&parts).unwrap_or_else(|| (BlockKind::Other, Some(Symbol::intern(name))))
}
