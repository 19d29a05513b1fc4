//! `tangle`: which threads of a GPU kernel arrive together.
//!
//! The floors, from the lowest up. Each is a crate, and depends only on those above it in this table:
//!
//! | crate | from | to |
//! |---|---|---|
//! | [`tangle_syntax`] | texts of languages, files, settings | tokens, top-level items, syntax trees |
//! | `tangle-hir` | syntax trees | bodies with typed indices; the declarations of a file |
//! | [`tangle_analysis`] | bodies | thread tangles, the call graph, flow graphs with convergence tokens, uniformity |
//! | [`tangle_diagnostic`] | findings | text for programs |
//! | [`tangle_emit`] | flow graphs | LLVM IR, pictures, JSON |
//! | [`tangle_rules`] | facts with causes | findings, in words |
//! | `tangle-fix` | findings | edits that mend them |
//! | [`tangle_execution`] | functions of a file, a launch | who arrived where together with whom |
//! | [`tangle_project`] | `tangle.toml`, `compile_commands.json`, options | the files, and how each is read |
//! | `tangle-cli` | arguments | the command |
//!
//! `docs/semantics.md` decides the meaning of the analyses; `docs/architecture.md` describes the modules.
//!
//! Invariants:
//! - Only `tangle-project` and the command read files; only the command prints.
//! - Analyses return facts with causes; only [`tangle_rules::wording`] puts causes into words.
//! - A syntax error never stops the analysis of the rest. No input panics, or recurses without bound.
//! - Every implementation-defined verdict carries its cause.
//! - The unit of parsing and analysis is the item, interned by its tokens, places apart: an edit elsewhere, or a move, runs nothing
//!   again.
//!
//! Of all this a program needs [`Source`] alone:
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

mod facade;

pub use facade::{Source, StatementTangles};
pub use tangle_analysis::tangle::Model;
pub use tangle_diagnostic::{Diagnostic, Severity};
pub use tangle_project::{Build, MacroOption};
