//! The severity of a finding about divergence, by the confidence of its cause.
//!
//! In CUDA and HIP, most sources include headers that are missing, and most pointers have no address space. So the
//! confidence decides the severity there:
//!
//! | confidence | severity |
//! |---|---|
//! | certain | that of the rule |
//! | likely | at most a warning |
//! | possible | a note of the rule `possible-divergence` |
//!
//! In OpenCL, a finding has the severity of its rule, or is a warning if it rests on an assumption about an unknown name.

use super::DivergenceContext;
use super::cause_text::rests_on_assumptions;
use crate::rules::possible_divergence;
use tangle_analysis::program::DefinitionId;
use tangle_analysis::uniformity::Confidence;
use tangle_analysis::uniformity::causes::CauseAcrossCalls;
use tangle_diagnostic::{Diagnostic, Severity};

/// Returns the severity of a finding with this cause. `firm`: the severity if nothing is assumed.
pub(crate) fn severity(
    context: &DivergenceContext,
    id: DefinitionId,
    blame: &CauseAcrossCalls,
    firm: Severity,
) -> Severity {
    if !context.dialect.confidence_decides_severity() {
        let is_assumed = firm == Severity::Error && rests_on_assumptions(context, id, blame);
        return if is_assumed { Severity::Warning } else { firm };
    }
    match blame.confidence {
        Confidence::Certain => firm,
        Confidence::Likely => firm.min(Severity::Warning),
        Confidence::Possible => Severity::Note,
    }
}

/// Sets the severity, the confidence and the rule of a finding with this cause. The severity of the finding is the
/// severity if nothing is assumed.
pub(crate) fn graded(
    context: &DivergenceContext,
    id: DefinitionId,
    blame: &CauseAcrossCalls,
    mut finding: Diagnostic,
) -> Diagnostic {
    finding.severity = severity(context, id, blame, finding.severity);
    finding.confidence = blame.confidence;
    if context.dialect.confidence_decides_severity() && blame.confidence == Confidence::Possible {
        finding.rule = possible_divergence::RULE.rule.id;
    }
    finding
}
