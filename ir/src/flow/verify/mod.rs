//! Checks a function against the rules of the graph, of SSA form and of types, and against the static rules of
//! `convergent-operations.rst`.
//!
//! [`RULES`] is the table of all rules. They are checked in **stages**: if a jump has no valid target, or an operand is
//! not a value of the function, the later rules cannot be checked and are skipped.
//!
//! ```
//! use tangle_ir::flow::verify::{RULES, Rule, verify};
//! use tangle_ir::text;
//!
//! let function = text::read("function f(%x: int, %y: long) {\nentry:\n  %0 = add %x, %y\n  return\n}\n").unwrap();
//! let violations = verify(&function);
//! assert_eq!(violations[0].rule, Rule::Arithmetic);
//! assert_eq!(violations[0].rule.row().name, "arithmetic");
//! assert!(RULES.iter().any(|row| row.rule == Rule::NestedRegions));
//! ```
//!
//! | module | rules |
//! |---|---|
//! | `structure` | edges, operands, SSA form |
//! | `types` | types of operations and terminators |
//! | `convergence` | tokens |

mod convergence;
mod structure;
mod types;

use index_vec::{IndexVec, index_vec};

use super::shape::GraphAnalysis;
use super::{BlockId, Function, Op, Terminator, ValueId};
use crate::types::Ty;

/// A rule, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the table describes each rule")]
pub enum Rule {
    Targets,
    Operands,
    Phis,
    SsaForm,
    Dominance,
    Constants,
    PhiTypes,
    Arithmetic,
    Comparison,
    Conversion,
    Select,
    Lanes,
    Memory,
    Addresses,
    Calls,
    Terminators,
    Results,
    TokenOperand,
    EntryPlacement,
    EntryInConvergentFunction,
    LoopPlacement,
    Mixed,
    UseInCycle,
    OneUseInCycle,
    HeartDominates,
    NestedRegions,
}

impl Rule {
    /// Returns the row of the rule in the table.
    pub fn row(self) -> &'static Row {
        RULES.iter().find(|row| row.rule == self).expect("the table has every rule")
    }
}

/// A row of the table of rules.
pub struct Row {
    /// The rule.
    pub rule: Rule,
    /// The name in messages and documents.
    pub name: &'static str,
    /// The requirement, as a clause.
    pub demands: &'static str,
    /// The section that defines the rule: in `docs/ir.md`, or in `convergent-operations.rst` (LLVM).
    pub section: &'static str,
    check: Check,
}

/// The check of a rule, by stage. The stages are in the order of their execution.
enum Check {
    /// Checks edges, whose targets may not exist.
    Edges(fn(&Function, &mut Violations)),
    /// Checks operands, which may not exist.
    Operands(fn(&Context, &mut Violations)),
    /// Checks whether an operation fits its type. The operation may be in no block yet.
    Types(fn(&Function, &Op, Ty) -> bool),
    /// Checks whether a terminator fits the types of its operands.
    Ends(fn(&Function, &Terminator) -> bool),
    /// Checks a graph whose edges and operands are valid.
    Operations(fn(&Context, &mut Violations)),
    /// Checks tokens that dominate their uses.
    Tokens(fn(&Context, &mut Violations)),
}

/// All rules, in the order of their checks.
pub const RULES: &[Row] = &[
    Row {
        rule: Rule::Targets,
        name: "targets",
        demands: "the function has an entry block, no jump targets it, and all jump targets are blocks of the function",
        section: "Blocks",
        check: Check::Edges(structure::targets),
    },
    Row {
        rule: Rule::Operands,
        name: "operands",
        demands: "each operation is in one block, once, and its operands, slots and parameters belong to the function",
        section: "Values",
        check: Check::Operands(structure::operands),
    },
    Row {
        rule: Rule::Phis,
        name: "phis",
        demands: "phis precede all other operations of their block, and have one operand for each incoming edge",
        section: "Blocks",
        check: Check::Operands(structure::phis),
    },
    Row {
        rule: Rule::SsaForm,
        name: "ssa-form",
        demands: "the function does not read or write variables with `get` and `set`",
        section: "Values",
        check: Check::Operands(structure::ssa_form),
    },
    Row {
        rule: Rule::Dominance,
        name: "dominance",
        demands: "a definition dominates its uses",
        section: "Values",
        check: Check::Operations(structure::dominance),
    },
    Row {
        rule: Rule::Constants,
        name: "constants",
        demands: "a constant fits its type: each number is in range, and a vector has one constant for each lane",
        section: "Types of operations",
        check: Check::Types(types::constants),
    },
    Row {
        rule: Rule::PhiTypes,
        name: "phi-types",
        demands: "the operands of a phi have the type of the phi",
        section: "Types of operations",
        check: Check::Types(types::phis),
    },
    Row {
        rule: Rule::Arithmetic,
        name: "arithmetic",
        demands: "the operands have the type of the result: a number, or an integer for bitwise operations",
        section: "Types of operations",
        check: Check::Types(types::arithmetic),
    },
    Row {
        rule: Rule::Comparison,
        name: "comparison",
        demands: "both operands have the same type; the result is a `bool` or an integer, and for vectors, integers of the same width",
        section: "Types of operations",
        check: Check::Types(types::comparison),
    },
    Row {
        rule: Rule::Conversion,
        name: "conversion",
        demands: "the conversion is defined for the types of the operand and the result, lane by lane",
        section: "Types of operations",
        check: Check::Types(types::conversion),
    },
    Row {
        rule: Rule::Select,
        name: "select",
        demands: "the condition is a `bool`, or a vector with a lane for each lane of the result; both operands have the type of the result",
        section: "Types of operations",
        check: Check::Types(types::select),
    },
    Row {
        rule: Rule::Lanes,
        name: "lanes",
        demands: "`extract`, `insert` and `shuffle` take vectors and valid lane numbers, and their results match the lane type",
        section: "Types of operations",
        check: Check::Types(types::lanes),
    },
    Row {
        rule: Rule::Memory,
        name: "memory",
        demands: "an address is a pointer, an alignment is a power of two, and the type in memory is the type of a value",
        section: "Types of operations",
        check: Check::Types(types::memory),
    },
    Row {
        rule: Rule::Addresses,
        name: "addresses",
        demands: "`element` and `field` yield pointers in the address space of their base; the record has the field",
        section: "Types of operations",
        check: Check::Types(types::addresses),
    },
    Row {
        rule: Rule::Calls,
        name: "calls",
        demands: "the number and types of the arguments, and the result, match the type of the callee",
        section: "Types of operations",
        check: Check::Types(types::calls),
    },
    Row {
        rule: Rule::Terminators,
        name: "ends",
        demands: "a branch takes a `bool`, a `switch` takes an integer and disjoint cases in its range, `return` takes the function's result",
        section: "Types of operations",
        check: Check::Ends(types::ends),
    },
    Row {
        rule: Rule::Results,
        name: "results",
        demands: "an operation has the type `token` or `void` exactly if it yields a token or has no result",
        section: "Types of operations",
        check: Check::Types(types::results),
    },
    Row {
        rule: Rule::TokenOperand,
        name: "token-operand",
        demands: "the operand that controls a call, or is the parent of a heart, is a token; no other operand is a token",
        section: "Convergence Control Intrinsics",
        check: Check::Types(types::token_operand),
    },
    Row {
        rule: Rule::EntryPlacement,
        name: "entry-placement",
        demands: "`entry` is in the entry block, before any other convergent operation, at most once",
        section: "llvm.experimental.convergence.entry",
        check: Check::Operations(convergence::entry_placement),
    },
    Row {
        rule: Rule::EntryInConvergentFunction,
        name: "entry-in-convergent-function",
        demands: "a function with `entry` is convergent",
        section: "llvm.experimental.convergence.entry",
        check: Check::Operations(convergence::entry_in_convergent_function),
    },
    Row {
        rule: Rule::LoopPlacement,
        name: "loop-placement",
        demands: "`loop` precedes all other convergent operations of its block",
        section: "llvm.experimental.convergence.loop",
        check: Check::Operations(convergence::loop_placement),
    },
    Row {
        rule: Rule::Mixed,
        name: "mixed",
        demands: "a function does not mix controlled and uncontrolled convergent operations",
        section: "Controlled Convergent Operations",
        check: Check::Operations(convergence::mixed),
    },
    Row {
        rule: Rule::UseInCycle,
        name: "use-in-cycle",
        demands: "in a cycle that does not contain the definition of a token, only a heart uses the token",
        section: "Static Rules: closed paths, 1",
        check: Check::Tokens(convergence::use_in_cycle),
    },
    Row {
        rule: Rule::OneUseInCycle,
        name: "one-use-in-cycle",
        demands: "a cycle has at most one use of a token that is defined outside the cycle",
        section: "Static Rules: closed paths, 2 and 3",
        check: Check::Tokens(convergence::one_use_in_cycle),
    },
    Row {
        rule: Rule::HeartDominates,
        name: "heart-dominates",
        demands: "the use of an outside token dominates its cycle: it is in the header of a natural loop",
        section: "Static Rules: closed paths, 4",
        check: Check::Tokens(convergence::heart_dominates),
    },
    Row {
        rule: Rule::NestedRegions,
        name: "nested-regions",
        demands: "a convergence region that contains a use of another token also contains the definition of that token",
        section: "Static Rules: convergence regions",
        check: Check::Tokens(convergence::nested_regions),
    },
];

/// A violation of a rule in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The operation. None for the terminator of the block.
    pub value: Option<ValueId>,
    /// The block of the operation. The entry block for a value that is in no block.
    pub block: BlockId,
}

/// Returns all violations, ordered by rule as in the table, then by block. Empty if the function is valid.
pub fn verify(function: &Function) -> Vec<Violation> {
    let mut found = Violations::default();
    found.ask(|check, found| {
        if let Check::Edges(check) = check {
            check(function, found)
        }
    });
    if !found.violations.is_empty() {
        return found.violations;
    }
    verify_shaped(function, &GraphAnalysis::of(function))
}

/// Does the same for a function whose shape is known. Its edges must be valid.
pub fn verify_shaped(function: &Function, shape: &GraphAnalysis) -> Vec<Violation> {
    let subject = Context::of(function, shape);
    let mut found = Violations::default();
    found.ask(|check, found| {
        if let Check::Operands(check) = check {
            check(&subject, found)
        }
    });
    if !found.violations.is_empty() {
        return found.violations;
    }
    found.ask(|check, found| match check {
        Check::Types(fits) => subject.types(*fits, found),
        Check::Ends(fits) => subject.ends(*fits, found),
        Check::Operations(check) => check(&subject, found),
        Check::Edges(_) | Check::Operands(_) | Check::Tokens(_) => {}
    });
    let unclear = [Rule::TokenOperand, Rule::Dominance];
    if !found.violations.iter().any(|violation| unclear.contains(&violation.rule)) {
        found.ask(|check, found| {
            if let Check::Tokens(check) = check {
                check(&subject, found)
            }
        });
    }
    found.violations
}

/// Returns the first type rule that an operation violates. Its operands must be values of the function.
pub(super) fn operation_breaks(function: &Function, op: &Op, ty: Ty) -> Option<Rule> {
    let broken = |row: &&Row| matches!(row.check, Check::Types(fits) if !fits(function, op, ty));
    RULES.iter().find(broken).map(|row| row.rule)
}

/// Returns the type rule that a terminator violates. Its operands must be values of the function.
pub(super) fn end_breaks(function: &Function, terminator: &Terminator) -> Option<Rule> {
    let broken = |row: &&Row| matches!(row.check, Check::Ends(fits) if !fits(function, terminator));
    RULES.iter().find(broken).map(|row| row.rule)
}

/// The violations found so far, and the rule that is being checked.
#[derive(Default)]
struct Violations {
    violations: Vec<Violation>,
    rule: Option<Rule>,
}

impl Violations {
    fn ask(&mut self, mut ask: impl FnMut(&Check, &mut Violations)) {
        for row in RULES {
            self.rule = Some(row.rule);
            ask(&row.check, self);
        }
    }

    fn at(&mut self, block: BlockId, value: impl Into<Option<ValueId>>) {
        let rule = self.rule.expect("a rule is being checked");
        self.violations.push(Violation { rule, value: value.into(), block });
    }
}

/// A function with the facts that rules need.
struct Context<'a> {
    function: &'a Function,
    shape: &'a GraphAnalysis,
    /// The block of each value, and its index in the block. None for a value that is in no block.
    places: IndexVec<ValueId, Option<(BlockId, usize)>>,
}

impl<'a> Context<'a> {
    fn of(function: &'a Function, shape: &'a GraphAnalysis) -> Context<'a> {
        let mut places = index_vec![None; function.values.len()];
        for (id, block) in function.blocks.iter_enumerated() {
            for (place, &value) in block.values.iter().enumerate() {
                if let Some(slot) = places.get_mut(value) {
                    *slot = Some((id, place));
                }
            }
        }
        Context { function, shape, places }
    }

    /// Returns each operation with its block. All operations must exist in the function.
    fn operations(&self) -> impl Iterator<Item = (BlockId, ValueId, &'a Op)> + 'a {
        let function = self.function;
        let blocks = function.blocks.iter_enumerated();
        blocks.flat_map(move |(id, block)| {
            block.values.iter().map(move |&value| (id, value, &function.values[value].op))
        })
    }

    /// Reports the blocks whose terminators do not satisfy `fits`.
    fn ends(&self, fits: fn(&Function, &Terminator) -> bool, found: &mut Violations) {
        for (id, block) in self.function.blocks.iter_enumerated() {
            if !fits(self.function, &block.terminator) {
                found.at(id, None);
            }
        }
    }

    /// Reports the operations, and the values in no block, that do not satisfy `fits`.
    fn types(&self, fits: fn(&Function, &Op, Ty) -> bool, found: &mut Violations) {
        let is_wrong = |value: ValueId| {
            let value = &self.function.values[value];
            !fits(self.function, &value.op, value.ty)
        };
        let leaves = self.function.values.indices().filter(|&value| self.function.values[value].op.is_leaf());
        leaves.filter(|&value| is_wrong(value)).for_each(|value| found.at(Function::ENTRY, value));
        for (block, value, _) in self.operations() {
            if is_wrong(value) {
                found.at(block, value);
            }
        }
    }
}
