//! `tangle`: which threads of a GPU kernel arrive together.
//!
//! The pipeline, in order; data flows down only:
//!
//! | stage | from | to |
//! |---|---|---|
//! | [`dialect`] | texts | a language as data, which the stages ask |
//! | [`preprocess`] | tokens of files | chunks of top-level items, each token with its origin |
//! | [`source`], [`db`] | paths, settings | files as inputs of the database |
//! | [`syntax`] | items | syntax trees (crate `tangle-grammar`) |
//! | [`hir`] | syntax trees | bodies with typed indices; what a file declares |
//! | [`tangle`] | bodies | candidate tangles of every statement, doubts with their causes |
//! | [`program`] | bodies, types, tangles | the functions of a unit: who calls whom, who is convergent |
//! | [`flow`] | bodies, types, tangles | control-flow graphs in SSA form with convergence tokens |
//! | [`uniformity`] | flow graphs | what is the same in all threads of a group, and what all of them reach |
//! | [`wording`] | causes | words, the same for findings, hovers and `show` |
//! | [`emit`] | flow graphs | LLVM IR, pictures, JSON |
//! | [`diagnostic`] | findings | text for people and programs |
//! | [`lint`] | facts | findings |
//! | [`lookup`] | a place of a file | the item, function, statement and name there |
//! | [`fix`] | findings | edits that mend them |
//! | [`lowered`] | what somebody asks for | functions of a file, lowered, or why not; where they stand |
//! | [`execution`] | those, a launch | who arrived where together with whom |
//!
//! Beside the pipeline, [`project`] finds the files and says how each is read: `tangle.toml`, `compile_commands.json`, options.
//!
//! `docs/semantics.md` decides the meaning of the analyses; `docs/architecture.md` describes the modules.
//!
//! Invariants:
//! - No stage uses a later one. Only [`project`] and the command read files; only the command prints.
//! - Analyses return facts with causes; only [`wording`] puts causes into words.
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
//! The rooms are public for the server and for tests, which are crates of their own; for everybody else they change without notice.

mod facade;

pub use self::tangle::Model;
pub use diagnostic::{Diagnostic, Severity};
pub use facade::{Source, StatementTangles};
pub use project::{Build, MacroOption};

pub mod cli;
pub mod db;
pub mod diagnostic;
pub mod dialect;
pub mod emit;
pub mod execution;
pub mod fix;
pub mod flow;
pub mod hir;
pub mod lint;
pub mod lookup;
pub mod lowered;
pub mod preprocess;
pub mod program;
pub mod project;
pub mod source;
pub mod syntax;
pub mod tangle;
pub mod uniformity;
pub mod wording;
