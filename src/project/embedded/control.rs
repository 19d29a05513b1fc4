//! The alternatives of a host: which literals it writes together, as far as its control flow shows.
//!
//! ```text
//! if (a) s += "A";               three arms of one branch
//! else if (b) s += "B";
//! else s += c ? "C" : "D";       the third contains a branch with two arms
//! if (d) { s += "E"; return; }   the statements after a jump are another arm
//! s += "F";
//! ```
//! The arms of a branch are selected in turn, including nested arms. The first alternative (**way**) writes A and E,
//! the second B and F, the third C and F, and the fourth D and F. So each arm is in at least one alternative, and
//! repeated conditions (`if (a) … if (a)`) select the same arm. A single arm is in all alternatives: the text under a
//! condition without `else` is always included.

use std::collections::BTreeMap;

use index_vec::{IndexVec, define_index_type};
use rustc_hash::FxHashSet;

use super::pieces::{self, Piece};
use super::tokens::{Token, tokens};

define_index_type! {
    pub struct BranchId = u32;
}

define_index_type! {
    pub struct ArmId = u32;
}

/// The maximum nesting depth of arms. Deeper code belongs to the arm around it.
const MAX_DEPTH: usize = 32;

/// Statements that transfer control.
const JUMPS: &[&str] = &["return", "break", "continue", "throw", "goto"];

/// The branches of a host, and their arms.
#[derive(Default)]
pub struct HostBranches {
    /// The arm that contains each branch.
    branches: IndexVec<BranchId, Option<ArmId>>,
    arms: IndexVec<ArmId, BranchId>,
    /// The innermost arm from each offset of the host on, in order of the offsets.
    changes: Vec<(usize, Option<ArmId>)>,
}

impl HostBranches {
    pub fn of(host: &str, pieces: &[Piece]) -> HostBranches {
        let mut scan = Scan::default();
        let mut start = 0;
        for piece in pieces {
            let code = pieces::code(&host[start..piece.range.start]);
            tokens(&code, start).iter().for_each(|token| scan.token(token));
            start = piece.range.end;
        }
        scan.control
    }

    /// Returns the innermost arm at an offset.
    fn arm(&self, at: usize) -> Option<ArmId> {
        let behind = self.changes.partition_point(|(from, _)| *from <= at);
        self.changes[..behind].last().and_then(|(_, arm)| *arm)
    }

    /// Returns the arms around an offset, innermost first.
    fn around(&self, at: usize) -> impl Iterator<Item = ArmId> + '_ {
        std::iter::successors(self.arm(at), |arm| self.branches[self.arms[*arm]])
    }

    /// Returns the branches around an offset.
    pub fn branches_around(&self, at: usize) -> impl Iterator<Item = BranchId> + '_ {
        self.around(at).map(|arm| self.arms[arm])
    }

    /// Returns the branch for which two offsets are in different arms.
    pub fn parts(&self, before: usize, behind: usize) -> Option<BranchId> {
        let before: Vec<ArmId> = self.around(before).collect();
        let other =
            |arm: &ArmId| before.iter().any(|known| known != arm && self.arms[*known] == self.arms[*arm]);
        self.around(behind).find(other).map(|arm| self.arms[arm])
    }

    /// Returns the alternatives of the text that is written at some offsets.
    pub fn ways(&self, offsets: impl Iterator<Item = usize>) -> Alternatives<'_> {
        let mut seen: FxHashSet<ArmId> = FxHashSet::default();
        let mut arms: BTreeMap<BranchId, BTreeMap<ArmId, usize>> = BTreeMap::new();
        for at in offsets {
            for arm in self.around(at) {
                if !seen.insert(arm) {
                    break;
                }
                arms.entry(self.arms[arm]).or_default().insert(arm, 1);
            }
        }
        let mut count = 1;
        // Nested branches have higher numbers, so iterate in reverse.
        let branches: Vec<BranchId> = arms.keys().copied().collect();
        for branch in branches.into_iter().rev() {
            let width = arms[&branch].values().sum();
            match self.branches[branch] {
                None => count = count.max(width),
                Some(arm) => {
                    let outer = arms.get_mut(&self.arms[arm]).and_then(|arms| arms.get_mut(&arm));
                    outer.into_iter().for_each(|outer| *outer = width.max(*outer));
                }
            }
        }
        Alternatives { control: self, arms, count }
    }
}

/// The alternatives of the text that a host writes at some offsets.
pub struct Alternatives<'c> {
    control: &'c HostBranches,
    /// The relevant arms of each branch, each with the number of alternatives within the arm.
    arms: BTreeMap<BranchId, BTreeMap<ArmId, usize>>,
    /// The number of alternatives, at least 1.
    pub count: usize,
}

impl Alternatives<'_> {
    /// Returns the arms that an alternative selects.
    fn taken(&self, way: usize) -> FxHashSet<ArmId> {
        let mut ways: BTreeMap<ArmId, usize> = BTreeMap::new();
        for (branch, arms) in &self.arms {
            let way = match self.control.branches[*branch] {
                None => way,
                Some(outer) => match ways.get(&outer) {
                    Some(way) => *way,
                    None => continue,
                },
            };
            let mut way = way.min(arms.values().sum::<usize>() - 1);
            for (arm, width) in arms {
                if way < *width {
                    ways.insert(*arm, way);
                    break;
                }
                way -= width;
            }
        }
        ways.into_keys().collect()
    }

    /// Returns a predicate: whether an alternative writes the text at an offset.
    pub fn writes(&self, way: usize) -> impl Fn(usize) -> bool + use<'_> {
        let taken = self.taken(way);
        move |at| self.control.around(at).all(|arm| taken.contains(&arm))
    }
}

/// An open construct at an offset of the host.
enum Frame {
    Parenthesis,
    /// A brace, with its branch if it belongs to a `switch`.
    Block(Option<BranchId>),
    /// An `if` before the end of its condition.
    If(BranchId),
    /// A `switch` before its brace.
    Switch(BranchId),
    /// An arm of an `if`: one statement.
    Arm(BranchId),
    /// The end of an arm of an `if`, where `else` can follow. The flag says whether a jump ended the arm.
    Else(BranchId, bool),
    /// An arm up to the end of the block: of a `switch`, or the statements after a conditional jump.
    Rest,
    /// An arm of `?:`. The flag is true for the first arm.
    Choice(BranchId, bool),
}

/// A scan for the tokens of control flow. Text that is not valid C++ only leads to wrong arms.
#[derive(Default)]
struct Scan {
    control: HostBranches,
    frames: Vec<Frame>,
    /// The arms of the frames that are arms, or `None` for a frame that is nested too deeply.
    arms: Vec<Option<ArmId>>,
    /// The number of frames that are blocks.
    blocks: usize,
    /// The next token begins a statement.
    is_begin: bool,
    /// The current or the last statement is a jump.
    is_jump: bool,
    /// The branch of an `else` that was the last token.
    otherwise: Option<BranchId>,
}

impl Scan {
    fn token(&mut self, token: &Token) {
        match self.otherwise.take() {
            Some(branch) if token.text == "if" => return self.frames.push(Frame::If(branch)),
            Some(branch) => {
                self.enter(Frame::Arm(branch), branch, token);
                self.is_begin = true;
            }
            None => self.finish_if(token),
        }
        if self.otherwise.is_some() {
            return;
        }
        let is_begin = std::mem::replace(&mut self.is_begin, false);
        if is_begin && !matches!(token.text, "{" | "}" | ";" | "case" | "default") {
            self.is_jump = JUMPS.contains(&token.text);
        }
        match token.text {
            "if" => {
                let branch = self.branch();
                self.frames.push(Frame::If(branch));
            }
            "switch" => {
                let branch = self.branch();
                self.frames.push(Frame::Switch(branch));
            }
            "case" | "default" if is_begin => self.case(token),
            "(" | "[" => self.frames.push(Frame::Parenthesis),
            ")" | "]" => self.close(token),
            "{" => {
                let switch = match self.frames.last() {
                    Some(Frame::Switch(branch)) => Some(*branch),
                    _ => None,
                };
                if switch.is_some() {
                    self.frames.pop();
                }
                self.frames.push(Frame::Block(switch));
                self.blocks += 1;
                (self.is_begin, self.is_jump) = (true, false);
            }
            "}" => self.close_block(token),
            ";" => {
                self.leave_choices(token);
                if !matches!(self.frames.last(), Some(Frame::Parenthesis)) {
                    self.end_statement(token);
                }
            }
            "," => self.leave_choices(token),
            "?" => {
                let branch = self.branch();
                self.enter(Frame::Choice(branch, true), branch, token);
            }
            ":" => self.colon(token),
            _ => {}
        }
    }

    /// Decides whether an `if` that may have ended with the previous token continues with `else`.
    fn finish_if(&mut self, token: &Token) {
        while let Some(Frame::Else(branch, is_jump)) = self.frames.last() {
            let (branch, is_jump) = (*branch, *is_jump);
            self.frames.pop();
            if token.text == "else" {
                self.otherwise = Some(branch);
                return;
            }
            let is_in_block = matches!(self.frames.last(), None | Some(Frame::Block(_) | Frame::Rest));
            if is_jump && is_in_block && token.text != "}" {
                self.enter(Frame::Rest, branch, token);
            } else {
                self.is_jump = false;
                self.end_arm(token);
            }
        }
    }

    fn branch(&mut self) -> BranchId {
        self.control.branches.push(self.current())
    }

    fn current(&self) -> Option<ArmId> {
        self.arms.iter().rev().find_map(|arm| *arm)
    }

    /// Enters a new arm of a branch.
    fn enter(&mut self, frame: Frame, branch: BranchId, token: &Token) {
        let arm = (self.arms.len() < MAX_DEPTH).then(|| self.control.arms.push(branch));
        self.frames.push(frame);
        self.arms.push(arm);
        self.changed(token.at);
    }

    fn changed(&mut self, at: usize) {
        let arm = self.current();
        self.control.changes.push((at, arm));
    }

    /// Leaves the innermost frame.
    fn leave(&mut self, token: &Token) {
        match self.frames.pop() {
            Some(Frame::Arm(_) | Frame::Rest | Frame::Choice(..)) => {
                self.arms.pop();
                self.changed(token.at);
            }
            Some(Frame::Block(_)) => self.blocks -= 1,
            _ => {}
        }
    }

    fn leave_choices(&mut self, token: &Token) {
        while let Some(Frame::Choice(..)) = self.frames.last() {
            self.leave(token);
        }
    }

    fn end_statement(&mut self, token: &Token) {
        self.is_begin = true;
        self.end_arm(token);
    }

    /// Ends the arm of an `if` if the finished statement is its body.
    fn end_arm(&mut self, token: &Token) {
        if let Some(Frame::Arm(branch)) = self.frames.last() {
            let branch = *branch;
            self.leave(token);
            self.frames.push(Frame::Else(branch, self.is_jump));
        }
    }

    /// Handles `)` and `]`.
    fn close(&mut self, token: &Token) {
        self.leave_choices(token);
        if !matches!(self.frames.last(), Some(Frame::Parenthesis)) {
            return;
        }
        self.frames.pop();
        if let Some(Frame::If(branch)) = self.frames.last() {
            let branch = *branch;
            self.frames.pop();
            self.enter(Frame::Arm(branch), branch, token);
            self.is_begin = true;
        }
    }

    /// Handles `}`.
    fn close_block(&mut self, token: &Token) {
        if self.blocks == 0 {
            return;
        }
        while !matches!(self.frames.last(), None | Some(Frame::Block(_))) {
            self.leave(token);
        }
        self.leave(token);
        // A jump in a nested block, such as the body of a loop, can be a jump of that block only.
        self.is_jump &= matches!(self.frames.last(), Some(Frame::Arm(_) | Frame::Rest));
        if !matches!(self.frames.last(), Some(Frame::Parenthesis)) {
            self.end_statement(token);
        }
    }

    /// Handles a label of a `switch`. It begins an arm, unless the statements before it fall through.
    fn case(&mut self, token: &Token) {
        let is_rest = |frame: &&Frame| matches!(frame, Frame::Rest);
        let rests = self.frames.iter().rev().take_while(is_rest).count();
        let block = self.frames.iter().rev().nth(rests);
        let Some(&Frame::Block(Some(branch))) = block else { return };
        if rests > 0 && !self.is_jump {
            return;
        }
        (0..rests).for_each(|_| self.leave(token));
        self.is_jump = false;
        self.enter(Frame::Rest, branch, token);
    }

    /// Handles `:` of a `?:`, or of a label.
    fn colon(&mut self, token: &Token) {
        while let Some(Frame::Choice(_, false)) = self.frames.last() {
            self.leave(token);
        }
        match self.frames.last() {
            Some(Frame::Choice(branch, true)) => {
                let branch = *branch;
                self.leave(token);
                self.enter(Frame::Choice(branch, false), branch, token);
            }
            _ => self.is_begin = true,
        }
    }
}
