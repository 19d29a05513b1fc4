//! The rules: what each is called, how much it matters, and the page that explains it. One file for each puts its facts
//! into words; `check` asks them all.

mod check;
mod fallthrough_into_convergent;
mod implementation_defined;
mod jump_into_loop;
mod missing_include;
mod preprocessor_note;
pub mod suppression;
mod syntax_error;
mod type_error;
mod unknown_type;
mod unused_suppression;
mod words;

pub use check::check;

use crate::diagnostic::Severity;

/// One rule, as `tangle rules` and `tangle explain` tell of it.
#[derive(Debug)]
pub struct Rule {
    pub id: &'static str,
    /// How much a finding matters unless the user says otherwise.
    pub severity: Severity,
    /// Whether it is asked unless the user says otherwise.
    pub on: bool,
    /// What the rule finds, in one line.
    pub summary: &'static str,
    /// The page of documentation, in Markdown.
    pub page: &'static str,
}

/// Every rule, in alphabetical order.
pub const RULES: &[Rule] = &[
    Rule {
        id: "fallthrough-into-convergent",
        severity: Severity::Warning,
        on: false,
        summary: "a `case` that threads fall into and jump to, and that runs a convergent operation",
        page: include_str!("pages/fallthrough-into-convergent.md"),
    },
    Rule {
        id: "implementation-defined-convergence",
        severity: Severity::Warning,
        on: true,
        summary: "a convergent operation that threads reach in ways that need not bring them together",
        page: include_str!("pages/implementation-defined-convergence.md"),
    },
    Rule {
        id: "jump-into-loop",
        severity: Severity::Warning,
        on: false,
        summary: "a `goto` or a `case` that enters a loop past its header",
        page: include_str!("pages/jump-into-loop.md"),
    },
    Rule {
        id: "missing-include",
        severity: Severity::Note,
        on: true,
        summary: "a header that is not there",
        page: include_str!("pages/missing-include.md"),
    },
    Rule {
        id: "preprocessor-note",
        severity: Severity::Note,
        on: true,
        summary: "a `#warning`, or a directive that is not known",
        page: include_str!("pages/preprocessor-note.md"),
    },
    Rule {
        id: "syntax-error",
        severity: Severity::Error,
        on: true,
        summary: "text that is no OpenCL C",
        page: include_str!("pages/syntax-error.md"),
    },
    Rule {
        id: "type-error",
        severity: Severity::Error,
        on: true,
        summary: "an expression or declaration that has no meaning by its types",
        page: include_str!("pages/type-error.md"),
    },
    Rule {
        id: "unknown-name",
        severity: Severity::Note,
        on: true,
        summary: "a name that nothing declares",
        page: include_str!("pages/unknown-name.md"),
    },
    Rule {
        id: "unknown-type",
        severity: Severity::Note,
        on: true,
        summary: "a name taken for a type because of where it stands",
        page: include_str!("pages/unknown-type.md"),
    },
    Rule {
        id: "unused-suppression",
        severity: Severity::Warning,
        on: true,
        summary: "a comment for tangle that has no effect",
        page: include_str!("pages/unused-suppression.md"),
    },
];

impl Rule {
    /// The default, as lists of rules have it.
    pub fn default_level(&self) -> &'static str {
        if self.on { self.severity.name() } else { "off" }
    }
}

/// The rule of this name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
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
