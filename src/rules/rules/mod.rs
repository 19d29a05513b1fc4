//! One file for each rule: its entry in the registry, its check and its messages.

pub(crate) mod ambiguous_loop_nest;
pub(crate) mod assumed_from_name;
pub(crate) mod barrier_after_return;
pub(crate) mod divergent_barrier;
pub(crate) mod divergent_collective_argument;
pub(crate) mod divergent_spin_lock;
pub(crate) mod divergent_subgroup_operation;
pub(crate) mod fallthrough_into_convergent;
pub(crate) mod implementation_defined_convergence;
pub(crate) mod jump_into_loop;
pub(crate) mod left_out_text;
pub(crate) mod merged_convergent_branches;
pub(crate) mod mismatched_barriers;
pub(crate) mod missing_include;
pub(crate) mod opaque_item;
pub(crate) mod opaque_statement;
pub(crate) mod preprocessor_note;
pub(crate) mod subgroup_operation_before_break;
pub(crate) mod syntax_error;
pub(crate) mod type_error;
pub(crate) mod undeclared_function;
pub(crate) mod unknown_name;
pub(crate) mod unknown_type;
pub(crate) mod unprotected_exit_flag;
pub(crate) mod unread_literal;
pub(crate) mod unused_suppression;
