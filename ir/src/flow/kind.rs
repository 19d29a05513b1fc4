//! What a block is in the source, and how its name says it.

use tangle_base::Symbol;

/// What begins with a block. Decides where a loop of the source begins; printers make a block's name of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// The first block of the function.
    Entry,
    /// No statement begins here. Its name is its label.
    Plain,
    /// A label that a `goto` leads to.
    Label,
    /// Behind a jump: reachable only if a label stands in it.
    Unreachable,
    /// Where a computed `goto` would lead that leads nowhere.
    GotoUnreachable,
    /// The first statement of an `if`.
    IfThen,
    /// The second statement of an `if`.
    IfElse,
    /// Behind an `if`.
    IfEnd,
    /// Where each iteration of a `while` begins.
    WhileCondition,
    /// The statement of a `while`.
    WhileBody,
    /// Behind a `while`.
    WhileEnd,
    /// Where each iteration of a `do` begins: in the statement that it holds.
    DoBody,
    /// The condition of a `do`.
    DoCondition,
    /// Behind a `do`.
    DoEnd,
    /// Where each iteration of a `for` begins.
    ForCondition,
    /// The statement of a `for`.
    ForBody,
    /// What a `for` does behind each iteration.
    ForStep,
    /// Behind a `for`.
    ForEnd,
    /// A `case` label.
    SwitchCase,
    /// A `default` label.
    SwitchDefault,
    /// Behind a `switch`.
    SwitchEnd,
    /// The second operand of `?:`.
    ConditionalThen,
    /// The third operand of `?:`.
    ConditionalElse,
    /// Behind `?:`.
    ConditionalEnd,
    /// The second operand of `&&`.
    AndRight,
    /// Behind `&&`.
    AndEnd,
    /// The second operand of `||`.
    OrRight,
    /// Behind `||`.
    OrEnd,
    /// One block through which all entries of a cycle lead.
    Dispatch,
    /// On the way to such a block.
    ToDispatch,
    /// Through which all who come to a loop of the source lead, so that its iterations can be counted there.
    LoopHead,
}

/// Which loop of the source begins in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Begins {
    /// The loop that the block's statement is, or that a jump back to this label makes.
    Statement,
    /// The loop around the block's statement.
    Around,
}

impl BlockKind {
    /// Every kind, for whoever reads names.
    pub const ALL: [BlockKind; 31] = [
        BlockKind::Entry,
        BlockKind::Plain,
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

    /// The loop of the source whose iterations begin with a block of this kind.
    pub fn begins(self) -> Option<Begins> {
        match self {
            BlockKind::WhileCondition | BlockKind::ForCondition | BlockKind::Label => Some(Begins::Statement),
            BlockKind::DoBody => Some(Begins::Around),
            _ => None,
        }
    }

    /// What printers call a block of this kind that has no label.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Entry => "entry",
            BlockKind::Plain => "block",
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

/// Of a block's name what stands between dots; the number of one whose name was taken is none of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BlockPart {
    Plain(String),
    Quoted(String),
}

/// What a block's name says of it. None: no block has such a name.
pub(crate) fn read_block(parts: &[BlockPart]) -> Option<(BlockKind, Option<Symbol>)> {
    let plain = parts.iter().take_while(|part| matches!(part, BlockPart::Plain(_))).count();
    // The longest kind that the name begins with.
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
            // The label of a plain block is all of its name.
            [BlockPart::Plain(label) | BlockPart::Quoted(label)] if kind != BlockKind::Plain => {
                Some((kind, Some(Symbol::intern(label))))
            }
            _ => None,
        };
    }
    match parts {
        [BlockPart::Plain(label) | BlockPart::Quoted(label)] => {
            Some((BlockKind::Plain, Some(Symbol::intern(label))))
        }
        _ => None,
    }
}

/// The kind and label of a block that the text calls so. A name that no block would have is the label of a plain one.
pub(crate) fn kind_of(name: &str) -> (BlockKind, Option<Symbol>) {
    let parts: Vec<BlockPart> = name.split('.').map(|part| BlockPart::Plain(part.to_owned())).collect();
    read_block(&parts).unwrap_or_else(|| (BlockKind::Plain, Some(Symbol::intern(name))))
}
