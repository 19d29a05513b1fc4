//! `tangle` finds convergent operations that not all threads of a GPU kernel reach together.
//!
//! Each layer is a crate, and depends only on crates above it in this table:
//!
//! | crate | from | to |
//! |---|---|---|
//! | [`tangle_syntax`] | dialects, files, settings | tokens, top-level items, syntax trees |
//! | `tangle-hir` | syntax trees | bodies with typed indices; the declarations of a file |
//! | [`tangle_analysis`] | bodies | thread tangles, the call graph, flow graphs with convergence tokens, uniformity |
//! | [`tangle_diagnostic`] | findings | output for programs |
//! | [`tangle_emit`] | flow graphs | LLVM IR, pictures, JSON |
//! | [`tangle_rules`] | facts with causes | findings |
//! | `tangle-fix` | findings | edits that fix them |
//! | [`tangle_execution`] | functions of a file, a launch | the threads that execute each operation together |
//! | [`tangle_project`] | `tangle.toml`, `compile_commands.json`, options | the files, and the settings of each |
//! | `tangle-cli` | arguments | the command |
//!
//! `docs/semantics.md` defines the results of the analyses; `docs/architecture.md` describes the modules.
//!
//! Invariants:
//! - Only `tangle-project` and the command read files; only the command prints.
//! - Analyses return facts with causes; only [`tangle_rules::wording`] turns causes into text.
//! - A syntax error never stops the analysis of other code. No input causes a panic or unbounded recursion.
//! - Every implementation-defined verdict has its cause.
//! - The unit of parsing and analysis is the item, interned by its tokens without their locations. So an edit
//!   elsewhere, or a move of the item, repeats no analysis of the item.
//!
//! Other programs need only [`Source`]:
//!
//! ```
//! use tangle::{Build, Source};
//!
//! let text = "kernel void k(int n) { if (get_local_id(0)) goto out; n = 1; out: barrier(1); }";
//! let findings = Source::of_text("k.cl", text, &Build::default()).lint();
//! assert_eq!(findings[0].rule, "implementation-defined-convergence");
//! ```
//!
//! The other crates change without notice.
#![warn(missing_docs)]

mod facade;

pub use facade::{Source, StatementTangles};
pub use tangle_analysis::tangle::Model;
pub use tangle_diagnostic::{Diagnostic, Severity};
pub use tangle_project::read::ReadError;
pub use tangle_project::{Build, MacroOption};
