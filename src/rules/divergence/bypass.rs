//! How threads bypass an operation at a divergent branch, and the help. Both follow from the position of the branch.
//!
//! ```c
//! if (i < n) barrier(1);                       // around it: move it out
//! p[i] = i < n && barrier_and_test();          // an operand of the expression: evaluate it before
//! for (int k = i; k < n; k++) barrier(1);      // the condition of a loop: make the trip count uniform
//! if (i >= n) return;  barrier(1);             // an early exit before it: guard the work instead
//! ```

use tangle_grammar::ast::Span;
use tangle_grammar::lex::spelling;

use crate::item_context::Subject;
use crate::quote::source_text;
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_syntax::dialect::Vocabulary;

/// The maximum length of a condition that a help quotes, in characters.
const LONGEST_CONDITION: usize = 38;

/// How threads bypass an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// The branch is the condition of an `if` around the operation.
    If {
        /// The side of the operation.
        side: Side,
        /// Whether the side has no other statement.
        is_only_statement: bool,
    },
    /// The branch is the value of a `switch` around the operation.
    Switch,
    /// The operation is in an operand that not all threads evaluate.
    Operand,
    /// The branch is the condition of a loop around the operation.
    Loop {
        /// Whether the condition is evaluated before the first iteration.
        first: bool,
    },
    /// The branch is before the operation, and this statement is an early exit there. The side is the side of an `if`
    /// whose condition alone decides about the exit, if there is such an `if`.
    Exit(StmtId, Exit, Option<Side>),
    /// The branch is before the operation, without an early exit from its statement.
    Before,
}

/// A side of an `if`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Then,
    Else,
}

/// A kind of early exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Return,
    Break,
    Continue,
    Goto,
}

impl Exit {
    /// Returns the keyword.
    pub fn as_str(self) -> &'static str {
        match self {
            Exit::Return => "return",
            Exit::Break => "break",
            Exit::Continue => "continue",
            Exit::Goto => "goto",
        }
    }
}

impl Bypass {
    /// Returns how threads bypass an operation. `operation`: its statement. `branch`: the span of the condition.
    pub fn of(body: &Body, operation: StmtId, branch: Span) -> Bypass {
        let stmts = &body.stmts;
        let is_in = |stmt: StmtId| span_contains(stmts[stmt].span, branch);
        let mut inner = operation;
        let around = std::iter::successors(Some(operation), |&stmt| stmts[stmt].parent);
        for common in around {
            if !is_in(common) {
                inner = common;
                continue;
            }
            return match &stmts[common].kind {
                StmtKind::If { then, otherwise, .. } if !is_in(*then) && !otherwise.is_some_and(is_in) => {
                    let side = if inner == *then { Side::Then } else { Side::Else };
                    Bypass::If { side, is_only_statement: is_alone(body, inner, operation) }
                }
                StmtKind::Switch { body, .. } if !is_in(*body) => Bypass::Switch,
                StmtKind::While { body, .. } | StmtKind::For { body, .. } if !is_in(*body) => {
                    Bypass::Loop { first: true }
                }
                StmtKind::Do { body, .. } if !is_in(*body) => Bypass::Loop { first: false },
                StmtKind::Expression | StmtKind::Declaration | StmtKind::Return => Bypass::Operand,
                _ => exit(body, inner, branch).unwrap_or(Bypass::Before),
            };
        }
        Bypass::Before
    }

    /// Returns the subject of "… depends on": the part of the program that decides.
    pub fn decides(self) -> String {
        match self {
            Bypass::Switch => "the value of the `switch`".to_owned(),
            Bypass::If { .. } | Bypass::Operand | Bypass::Before => "the condition".to_owned(),
            Bypass::Loop { .. } => "the trip count".to_owned(),
            Bypass::Exit(_, Exit::Return, _) => "an early `return`".to_owned(),
            Bypass::Exit(_, exit, _) => format!("a `{}`", exit.as_str()),
        }
    }

    /// Returns the help for an operation that not all threads reach. `condition`: the [`Condition`] of the branch.
    pub(crate) fn help(self, vocabulary: &Vocabulary, operation: &str, condition: &Condition) -> String {
        let Vocabulary { thread, .. } = vocabulary;
        let reach = format!("let every {thread} reach `{operation}`");
        // The condition that holds on one side of the branch.
        let on = |side: Side| match side {
            Side::Then => condition.holds.as_deref(),
            Side::Else => condition.fails.as_deref(),
        };
        match self {
            Bypass::If { is_only_statement: true, .. } => {
                format!("move `{operation}` out of the `if`, or make the condition uniform")
            }
            Bypass::If { side, .. } => match on(side) {
                Some(on) => format!(
                    "move `{operation}` out of the `if`, and guard only the other statements with `if ({on})`"
                ),
                None => format!("move `{operation}` out of the `if`, and guard only the other statements"),
            },
            Bypass::Switch => {
                format!("move `{operation}` out of the `switch`, and guard only the other statements")
            }
            Bypass::Operand => format!("evaluate `{operation}` before this expression, in every {thread}"),
            Bypass::Loop { first } => {
                let count = format!("give the loop the same trip count in every {thread}");
                match condition.holds.as_deref().filter(|_| first && !condition.writes) {
                    Some(on) => {
                        format!("{count}, and guard only the other statements of its body with `if ({on})`")
                    }
                    None => format!("{count}, and guard only the other statements of its body"),
                }
            }
            Bypass::Exit(_, exit, side) => {
                // The threads that do the work take the other side.
                let other = side.map(|side| if side == Side::Then { Side::Else } else { Side::Then });
                match (exit, other.and_then(on)) {
                    (Exit::Return, Some(on)) => {
                        format!("do not return early: put the work under `if ({on})`, and {reach}")
                    }
                    (Exit::Return, None) => {
                        format!("do not return early: put the work under a condition, and {reach}")
                    }
                    (Exit::Continue, Some(on)) => format!(
                        "put the rest of the iteration under `if ({on})` instead of `continue`, and {reach}"
                    ),
                    (exit, _) => format!(
                        "guard the work that follows with a flag instead of `{}`, and {reach}",
                        exit.as_str()
                    ),
                }
            }
            Bypass::Before => format!(
                "move `{operation}` to a place that every {thread} reaches, or make the condition uniform"
            ),
        }
    }
}

/// Whether a side of an `if` contains only the statement of an operation.
fn is_alone(body: &Body, side: StmtId, operation: StmtId) -> bool {
    match &body.stmts[side].kind {
        StmtKind::Compound(children) => **children == [operation],
        _ => side == operation,
    }
}

/// Returns the first early exit in a statement that contains a branch and is before an operation. Inner statements are
/// searched before outer ones. `inner`: the part of the common parent that contains the operation.
fn exit(body: &Body, inner: StmtId, branch: Span) -> Option<Bypass> {
    let stmts = &body.stmts;
    let holders = stmts.iter_enumerated().filter(|(_, stmt)| {
        span_contains(stmt.span, branch)
            && (matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Switch { .. }) || stmt.kind.is_loop())
    });
    let mut holders: Vec<StmtId> =
        holders.map(|(id, _)| id).filter(|&holder| !body.contains(holder, inner)).collect();
    holders.reverse();
    holders.into_iter().find_map(|holder| {
        let inside = stmts.iter_enumerated().filter(|&(id, _)| body.contains(holder, id));
        inside.into_iter().find_map(|(id, stmt)| {
            // Threads that leave a loop without the operation reconverge after the loop.
            let skips = |around: StmtId| body.contains(around, inner);
            let exit = match stmt.kind {
                StmtKind::Return => Exit::Return,
                StmtKind::Break(Some(left)) if skips(left) => Exit::Break,
                StmtKind::Continue(Some(around)) if skips(around) => Exit::Continue,
                StmtKind::Goto(Some(target)) if !body.contains(holder, target) => Exit::Goto,
                _ => return None,
            };
            Some(Bypass::Exit(id, exit, side_of(body, holder, id)))
        })
    })
}

/// Returns the side of an `if` that directly contains a statement. `None` if another condition also decides about it.
fn side_of(body: &Body, holder: StmtId, stmt: StmtId) -> Option<Side> {
    let StmtKind::If { then, otherwise, .. } = body.stmts[holder].kind else { return None };
    let is_direct = |side: StmtId| match &body.stmts[side].kind {
        StmtKind::Compound(children) => children.contains(&stmt),
        _ => side == stmt,
    };
    if is_direct(then) {
        Some(Side::Then)
    } else if otherwise.is_some_and(is_direct) {
        Some(Side::Else)
    } else {
        None
    }
}

fn span_contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The condition of a branch as a help quotes it. `holds` and `fails` are `None` for a long condition, and for a part
/// of a condition.
#[derive(Default)]
pub struct Condition {
    /// The condition as in the source.
    pub holds: Option<String>,
    /// The negated condition.
    pub fails: Option<String>,
    /// Whether its evaluation changes a variable, so that it cannot be repeated.
    pub writes: bool,
}

impl Condition {
    /// Returns the condition at a span: the whole condition of an `if` or `while`, or the condition of a `for`.
    pub(crate) fn of(subject: &Subject, branch: Span) -> Condition {
        let tokens = subject.item.tokens(subject.db).0.tokens();
        let at = |at: u32| tokens.get(at as usize).map_or("", |token| spelling(token.kind, token.text));
        let before = |by: u32| branch.start.checked_sub(by).map_or("", at);
        let is_whole =
            matches!((before(2), before(1), at(branch.end)), ("if" | "while", "(", ")") | (_, ";", ";"));
        let text = source_text(subject, branch);
        if !is_whole || text.chars().count() > LONGEST_CONDITION {
            return Condition::default();
        }
        let words: Vec<&str> = (branch.start..branch.end).map(at).collect();
        let writes = words.iter().any(|word| {
            let assigns = word.ends_with('=') && !matches!(*word, "==" | "!=" | "<=" | ">=");
            assigns || matches!(*word, "++" | "--")
        });
        Condition { fails: Some(negated(&words, &text)), holds: Some(text), writes }
    }
}

/// Returns the negation of a condition: the opposite comparison for a single comparison, otherwise `!(…)`. `words`: its
/// tokens.
pub fn negated(words: &[&str], text: &str) -> String {
    const OPPOSITE: [(&str, &str); 6] =
        [("<", ">="), (">=", "<"), (">", "<="), ("<=", ">"), ("==", "!="), ("!=", "==")];
    let compares = |word: &&&str| OPPOSITE.iter().any(|(from, _)| from == *word);
    let is_compound =
        words.iter().any(|word| matches!(*word, "&&" | "||" | "?" | "," | "=" | "&" | "|" | "^"));
    match (words, words.iter().filter(compares).count()) {
        ([name], _) => format!("!{name}"),
        (["!", name], _) => (*name).to_owned(),
        (_, 1) if !is_compound => {
            let (from, to) = OPPOSITE.into_iter().find(|(from, _)| words.contains(from)).unwrap_or_default();
            let opposite = text.replacen(&format!(" {from} "), &format!(" {to} "), 1);
            if opposite == text { format!("!({text})") } else { opposite }
        }
        _ => format!("!({text})"),
    }
}

#[cfg(test)]
mod tests {
    use super::negated;

    #[test]
    fn comparison_is_inverted_and_other_condition_negated() {
        let check = |text: &str, expected: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(negated(&words, text), expected);
        };
        check("i >= n", "i < n");
        check("a + 1 == b", "a + 1 != b");
        check("done", "!done");
        check("! done", "done");
        check("a < b && c", "!(a < b && c)");
        check("x & 1", "!(x & 1)");
        check("f ( x )", "!(f ( x ))");
    }
}
