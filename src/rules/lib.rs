//! The rules: what each is called, how much it matters, and the page that explains it. One file for each puts its facts
//! into words; `check` asks them all.

pub mod add_suppression;
mod ambiguous_loop_nest;
mod assumed_from_name;
mod check;
mod declared_by;
mod divergence;
mod divergent_barrier;
mod divergent_collective_argument;
mod divergent_spin_lock;
mod divergent_subgroup_operation;
mod fallthrough_into_convergent;
mod foreign;
mod implementation_defined;
mod jump_into_loop;
mod left_out_text;
mod merged_convergent_branches;
mod mismatched_barriers;
mod missing_include;
mod needs;
mod opaque;
mod preprocessor_note;
mod subgroup_operation_before_break;
pub mod suppression;
mod syntax_error;
mod type_error;
mod undeclared_function;
mod unknown_type;
mod unprotected_exit_flag;
mod unread_literal;
mod unused_suppression;
pub mod wording;
mod words;
mod written;

pub use check::check;
pub use declared_by::declared_by;
pub use divergence::bypass::negated;
pub use divergent_subgroup_operation::divergent_variant;
pub use left_out_text::{
    OF_TARGETS, RULE as LEFT_OUT_TEXT, besides as left_out_besides, is_missing_in_builds, worth_reading,
};

use self::check::Subject;
use self::divergence::{Context, Told};
use self::needs::Need;
use self::needs::Operations::{OfGroup, OfSubgroup};
pub use self::unread_literal::unread_literals;
pub use self::unused_suppression::RULE as UNUSED_SUPPRESSION;
pub use tangle_diagnostic::Rule;
use tangle_diagnostic::{Diagnostic, Severity};

/// A row of the registry.
struct Entry {
    rule: Rule,
    /// What it must be shown, if it is about divergence.
    needs: &'static [Need],
    asked: Asked,
}

/// When a rule is asked.
enum Asked {
    /// Of each item with a problem or a pattern.
    OfItems(fn(&Subject, &mut Vec<Diagnostic>)),
    /// Of the functions of a file in which divergence may matter. `Told` has what others have spoken of already.
    OfSuspects(fn(&Context, &mut Told, &mut Vec<Diagnostic>)),
    /// The same, before those: it knows more of what it speaks of, and adds that to `Told`.
    OfSuspectsFirst(fn(&Context, &mut Told, &mut Vec<Diagnostic>)),
    /// Where its facts come up: while a file is preprocessed, its types are checked, its comments are read.
    Elsewhere,
}

/// Every rule, in alphabetical order.
pub const RULES: &[Rule] = &{
    let mut rules = [REGISTRY[0].rule; REGISTRY.len()];
    let mut at = 0;
    while at < REGISTRY.len() {
        rules[at] = REGISTRY[at].rule;
        at += 1;
    }
    rules
};

/// The same with what each needs, and when it is asked.
const REGISTRY: &[Entry] = &[
    Entry {
        rule: Rule {
            id: "ambiguous-loop-nest",
            severity: Severity::Note,
            on: true,
            summary: "a loop with several divergent back edges, which can be read as one loop or as two",
            page: include_str!("pages/ambiguous-loop-nest.md"),
        },
        needs: &[Need::Unreached(OfSubgroup), Need::PartedLoop(OfSubgroup)],
        asked: Asked::OfSuspects(|context, _, found| ambiguous_loop_nest::check(context, found)),
    },
    Entry {
        rule: Rule {
            id: "assumed-from-name",
            severity: Severity::Note,
            on: true,
            summary: "an undefined name that is taken for the size of a sub-group, a rounding function, a namespace or a keyword",
            page: include_str!("pages/assumed-from-name.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "barrier-after-return",
            severity: Severity::Note,
            on: true,
            summary: "a barrier after a divergent `return`: work-items that returned early do not take part",
            page: include_str!("pages/barrier-after-return.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "divergent-barrier",
            severity: Severity::Error,
            on: true,
            summary: "a work-group barrier or collective that not all work-items reach",
            page: include_str!("pages/divergent-barrier.md"),
        },
        needs: &[Need::Unreached(OfGroup)],
        asked: Asked::OfSuspects(|context, told, found| divergent_barrier::check(context, told, found)),
    },
    Entry {
        rule: Rule {
            id: "divergent-collective-argument",
            severity: Severity::Error,
            on: true,
            summary: "an argument of a collective that must be uniform, and is divergent",
            page: include_str!("pages/divergent-collective-argument.md"),
        },
        needs: &[Need::DifferingArgument],
        asked: Asked::OfSuspects(|context, _, found| divergent_collective_argument::check(context, found)),
    },
    Entry {
        rule: Rule {
            id: "divergent-spin-lock",
            severity: Severity::Warning,
            on: true,
            summary: "a spin lock that several work-items of one sub-group try to take",
            page: include_str!("pages/divergent-spin-lock.md"),
        },
        needs: &[Need::Lock],
        asked: Asked::OfSuspects(|context, _, found| divergent_spin_lock::check(context, found)),
    },
    Entry {
        rule: Rule {
            id: "divergent-subgroup-operation",
            severity: Severity::Note,
            on: true,
            summary: "a sub-group operation that not all work-items of the sub-group reach",
            page: include_str!("pages/divergent-subgroup-operation.md"),
        },
        needs: &[Need::Unreached(OfSubgroup)],
        asked: Asked::OfSuspects(|context, _, found| divergent_subgroup_operation::check(context, found)),
    },
    Entry {
        rule: Rule {
            id: "fallthrough-into-convergent",
            severity: Severity::Warning,
            on: false,
            summary: "a `case` before a convergent operation that threads reach both by fall-through and by a jump",
            page: include_str!("pages/fallthrough-into-convergent.md"),
        },
        needs: &[],
        asked: Asked::OfItems(fallthrough_into_convergent::check),
    },
    Entry {
        rule: Rule {
            id: "implementation-defined-convergence",
            severity: Severity::Warning,
            on: true,
            summary: "a convergent operation that threads reach on paths that need not reconverge",
            page: include_str!("pages/implementation-defined-convergence.md"),
        },
        needs: &[Need::Doubt],
        asked: Asked::OfItems(implementation_defined::check),
    },
    Entry {
        rule: Rule {
            id: "jump-into-loop",
            severity: Severity::Warning,
            on: false,
            summary: "a `goto` or `case` that enters a loop without passing its header",
            page: include_str!("pages/jump-into-loop.md"),
        },
        needs: &[],
        asked: Asked::OfItems(jump_into_loop::check),
    },
    Entry {
        rule: Rule {
            id: "left-out-text",
            severity: Severity::Note,
            on: true,
            summary: "convergent operations, or early exits before them, in an inactive `#if` branch",
            page: include_str!("pages/left-out-text.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "merged-convergent-branches",
            severity: Severity::Note,
            on: true,
            summary: "the same convergent call on both sides of a divergent branch",
            page: include_str!("pages/merged-convergent-branches.md"),
        },
        needs: &[Need::Unreached(OfSubgroup)],
        asked: Asked::OfSuspects(|context, _, found| merged_convergent_branches::check(context, found)),
    },
    Entry {
        rule: Rule {
            id: "mismatched-barriers",
            severity: Severity::Error,
            on: true,
            summary: "different barriers on the two sides of a divergent branch",
            page: include_str!("pages/mismatched-barriers.md"),
        },
        needs: &[Need::Unreached(OfGroup)],
        asked: Asked::OfSuspectsFirst(mismatched_barriers::check),
    },
    Entry {
        rule: Rule {
            id: "missing-include",
            severity: Severity::Note,
            on: true,
            summary: "a header that was not found",
            page: include_str!("pages/missing-include.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "opaque-item",
            severity: Severity::Note,
            on: true,
            summary: "a declaration that was skipped because of an unsupported construct",
            page: include_str!("pages/opaque-item.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "opaque-statement",
            severity: Severity::Note,
            on: true,
            summary: "a statement that was skipped because of an unsupported construct",
            page: include_str!("pages/opaque-statement.md"),
        },
        needs: &[],
        asked: Asked::OfItems(opaque::check),
    },
    Entry {
        rule: Rule {
            id: "preprocessor-note",
            severity: Severity::Note,
            on: true,
            summary: "a `#warning`, an `#error` that asks for a setting, or an unsupported directive",
            page: include_str!("pages/preprocessor-note.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "subgroup-operation-before-break",
            severity: Severity::Warning,
            on: true,
            summary: "a sub-group operation before a divergent exit from a loop",
            page: include_str!("pages/subgroup-operation-before-break.md"),
        },
        needs: &[Need::Unreached(OfSubgroup)],
        asked: Asked::OfSuspects(|context, _, found| subgroup_operation_before_break::check(context, found)),
    },
    Entry {
        rule: Rule {
            id: "syntax-error",
            severity: Severity::Error,
            on: true,
            summary: "text that does not follow the grammar of the language",
            page: include_str!("pages/syntax-error.md"),
        },
        needs: &[],
        asked: Asked::OfItems(syntax_error::check),
    },
    Entry {
        rule: Rule {
            id: "type-error",
            severity: Severity::Error,
            on: true,
            summary: "an expression or declaration that violates the type rules of the language",
            page: include_str!("pages/type-error.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "undeclared-function",
            severity: Severity::Warning,
            on: true,
            summary: "a call to an undeclared function",
            page: include_str!("pages/undeclared-function.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "unknown-name",
            severity: Severity::Note,
            on: true,
            summary: "an undeclared name",
            page: include_str!("pages/unknown-name.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "unknown-type",
            severity: Severity::Note,
            on: true,
            summary: "an undeclared word that is read as a type or specifier",
            page: include_str!("pages/unknown-type.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "unprotected-exit-flag",
            severity: Severity::Warning,
            on: true,
            summary: "a loop whose exit flag is read and written without a barrier in between",
            page: include_str!("pages/unprotected-exit-flag.md"),
        },
        needs: &[Need::Unreached(OfGroup)],
        asked: Asked::OfSuspectsFirst(unprotected_exit_flag::check),
    },
    Entry {
        rule: Rule {
            id: "unread-literal",
            severity: Severity::Note,
            on: true,
            summary: "convergent operations in string literals that are not part of a readable kernel",
            page: include_str!("pages/unread-literal.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
    Entry {
        rule: Rule {
            id: "unused-suppression",
            severity: Severity::Warning,
            on: true,
            summary: "a `tangle:` comment that has no effect",
            page: include_str!("pages/unused-suppression.md"),
        },
        needs: &[],
        asked: Asked::Elsewhere,
    },
];

/// The rule of this name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Whether the rule of this name looks for threads that part where they should not: it is asked of the functions in which divergence may
/// matter.
pub fn is_about_divergence(id: &str) -> bool {
    let entry = REGISTRY.iter().find(|entry| entry.rule.id == id);
    entry.is_some_and(|entry| matches!(entry.asked, Asked::OfSuspects(_) | Asked::OfSuspectsFirst(_)))
}

/// Whether the rule of this name speaks of what threads do, and not of what can be read or means something. Only such findings mean anything
/// where names are defined to see what happens.
pub fn is_about_threads(id: &str) -> bool {
    let entry = REGISTRY.iter().find(|entry| entry.rule.id == id);
    id != "syntax-error" && entry.is_some_and(|entry| !matches!(entry.asked, Asked::Elsewhere))
}

/// A sentence for a name that no rule has: which one may have been meant.
pub fn nearest(id: &str) -> String {
    let near = |rule: &&Rule| strsim::jaro_winkler(id, rule.id);
    let nearest = RULES.iter().max_by(|a, b| near(a).total_cmp(&near(b)));
    match nearest.filter(|rule| near(rule) > 0.7) {
        Some(rule) => format!("there is no rule `{id}`; did you mean `{}`?", rule.id),
        None => format!("there is no rule `{id}`; `tangle rules` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use tangle_diagnostic::sarif::{LONGEST_DESCRIPTION, introduction};

    use super::RULES;

    #[test]
    fn the_introductions_of_the_rules_fit_into_sarif() {
        for rule in RULES {
            let text = introduction(rule.page);
            let first = rule.page.split("\n\n").nth(1).unwrap().trim().replace('\n', " ");
            assert!(text.starts_with(&first) && text.len() <= LONGEST_DESCRIPTION, "{}: {text}", rule.id);
        }
    }
}
