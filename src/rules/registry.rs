//! The list of all rules.

use crate::rule::{Check, Entry, Evidence};
use crate::rules::{
    activemask_as_mask, ambiguous_loop_nest, assumed_from_name, barrier_after_return, caller_not_in_mask,
    divergent_barrier, divergent_collective_argument, divergent_grid_sync, divergent_spin_lock,
    divergent_subgroup_operation, fallthrough_into_convergent, full_mask_in_divergent_flow,
    group_sync_outside_group, implementation_defined_convergence, implicit_warp_synchronous, jump_into_loop,
    left_out_text, legacy_warp_intrinsic, merged_convergent_branches, mismatched_barriers, missing_include,
    opaque_item, opaque_statement, possible_divergence, preprocessor_note, shuffle_from_inactive_lane,
    shuffle_width, subgroup_operation_before_break, syntax_error, type_error, undeclared_function,
    unknown_name, unknown_type, unprotected_exit_flag, unread_literal, unused_suppression, wave_width,
    wrong_mask_constant,
};
use tangle_diagnostic::Rule;

const COUNT: usize = 38;

/// Every rule with its check, in alphabetical order.
pub(crate) static REGISTRY: [&Entry; COUNT] = [
    &activemask_as_mask::RULE,
    &ambiguous_loop_nest::RULE,
    &assumed_from_name::RULE,
    &barrier_after_return::RULE,
    &caller_not_in_mask::RULE,
    &divergent_barrier::RULE,
    &divergent_collective_argument::RULE,
    &divergent_grid_sync::RULE,
    &divergent_spin_lock::RULE,
    &divergent_subgroup_operation::RULE,
    &fallthrough_into_convergent::RULE,
    &full_mask_in_divergent_flow::RULE,
    &group_sync_outside_group::RULE,
    &implementation_defined_convergence::RULE,
    &implicit_warp_synchronous::RULE,
    &jump_into_loop::RULE,
    &left_out_text::RULE,
    &legacy_warp_intrinsic::RULE,
    &merged_convergent_branches::RULE,
    &mismatched_barriers::RULE,
    &missing_include::RULE,
    &opaque_item::RULE,
    &opaque_statement::RULE,
    &possible_divergence::RULE,
    &preprocessor_note::RULE,
    &shuffle_from_inactive_lane::RULE,
    &shuffle_width::RULE,
    &subgroup_operation_before_break::RULE,
    &syntax_error::RULE,
    &type_error::RULE,
    &undeclared_function::RULE,
    &unknown_name::RULE,
    &unknown_type::RULE,
    &unprotected_exit_flag::RULE,
    &unread_literal::RULE,
    &unused_suppression::RULE,
    &wave_width::RULE,
    &wrong_mask_constant::RULE,
];

/// Every rule, in alphabetical order.
pub static RULES: &[Rule] = &{
    let mut rules = [REGISTRY[0].rule; COUNT];
    let mut at = 0;
    while at < COUNT {
        rules[at] = REGISTRY[at].rule;
        at += 1;
    }
    rules
};

/// Returns the rule with this id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Whether the rule with this id is about divergence: it examines functions, and its entry lists needs. False for
/// `barrier-after-return`, whose entry lists none.
pub fn is_about_divergence(id: &str) -> bool {
    let entry = REGISTRY.iter().find(|entry| entry.rule.id == id);
    entry.is_some_and(|entry| !entry.required.is_empty() && matches!(entry.check, Check::Functions(_)))
}

/// Returns the event by which an execution confirms a finding of the rule with this id. `None` if no execution does.
pub fn evidence(id: &str) -> Option<Evidence> {
    REGISTRY.iter().find(|entry| entry.rule.id == id)?.evidence
}

/// Whether the findings of the rule with this id are about the execution of threads, and not about unreadable or
/// undeclared text. Only such findings are useful for an incomplete source, or a reading that defines names to activate
/// `#if` branches. False for `barrier-after-return`, whose entry lists no needs.
pub fn is_about_execution(id: &str) -> bool {
    let entry = REGISTRY.iter().find(|entry| entry.rule.id == id);
    entry.is_some_and(|entry| match entry.check {
        // Inactive branches have deprecated operations for older devices.
        Check::Functions(_) => !entry.required.is_empty() && id != "legacy-warp-intrinsic",
        Check::Items(_) => id != "opaque-item",
        Check::ByConfidence => true,
        Check::Files(_) | Check::Comments(_) | Check::Literals(_) => false,
    })
}

/// Returns the message for an unknown rule id. It suggests a similar id, if one exists.
pub fn unknown_rule_message(id: &str) -> String {
    let near = |rule: &&Rule| strsim::jaro_winkler(id, rule.id);
    let nearest = RULES.iter().max_by(|a, b| near(a).total_cmp(&near(b)));
    match nearest.filter(|rule| near(rule) > 0.7) {
        Some(rule) => format!("there is no rule `{id}`; did you mean `{}`?", rule.id),
        None => format!("there is no rule `{id}`; `tangle rules` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use super::{REGISTRY, RULES};
    use crate::interests;
    use tangle_diagnostic::sarif::{LONGEST_DESCRIPTION, introduction};

    #[test]
    fn rules_are_sorted_by_id() {
        assert!(RULES.is_sorted_by(|a, b| a.id < b.id));
    }

    #[test]
    fn list_of_needs_matches_the_needs_of_rules() {
        let needed = |need: &interests::Interest| REGISTRY.iter().any(|entry| entry.required.contains(need));
        assert!(interests::ALL.iter().all(needed));
        let mut all = REGISTRY.iter().flat_map(|entry| entry.required);
        assert!(all.all(|&need| interests::is_needed(need)));
    }

    #[test]
    fn rule_introductions_fit_into_sarif() {
        for rule in RULES {
            let text = introduction(rule.page);
            let first = rule.page.split("\n\n").nth(1).unwrap().trim().replace('\n', " ");
            assert!(text.starts_with(&first) && text.len() <= LONGEST_DESCRIPTION, "{}: {text}", rule.id);
        }
    }
}
