//! Functions, independent of their syntax: bodies with typed indices, jumps with their targets, and the declarations
//! of a file.
//!
//! The main types are [`body::Body`], a function as statements and calls; [`FileScopeDeclarations`]; and [`types`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use tangle_hir::bodies;
//! use tangle_hir::body::StmtKind;
//! use tangle_hir::scope::scoped_items;
//! use tangle_syntax::db::Database;
//! use tangle_syntax::source::NoHeaders;
//!
//! let mut db = Database::new(Arc::new(NoHeaders));
//! let settings = db.settings(&[], &[], &[], Vec::new());
//! let file = db.set_text("k.cl", "kernel void k(int n) { if (n) barrier(1); }");
//!
//! let item = scoped_items(&db, file, settings)[0].scoped.item(&db);
//! let body = &bodies(&db, item).0[0];
//! assert!(body.kernel);
//! assert_eq!(body.calls.len(), 1);
//! assert!(body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::If { .. })));
//! ```

pub mod assertions;
pub mod body;
mod build;
pub mod builtin_class;
pub mod check;
mod constant;
mod declare;
pub mod def;
mod enqueued;
mod file_scope;
pub mod instantiation;
mod launch;
pub mod launch_comments;
mod problem;
pub mod resolve;
pub mod scope;
pub mod stored;
pub mod template_arguments;
pub mod typed;

use body::Body;
use tangle_syntax::db::Db;
use tangle_syntax::items::{Item, ast, outline};

pub use tangle_ir::{display, layout, types};

pub use file_scope::{Convergence, FileScopeDeclarations, Function};

/// Returns the bodies of an item: each function that it defines, followed by the block literals inside it.
#[salsa::tracked]
pub fn bodies<'db>(db: &'db dyn Db, item: Item<'db>) -> Bodies {
    Bodies(build::bodies(&ast(db, item), item.dialect(db)).into())
}

/// The value of [`bodies`].
#[derive(Debug, PartialEq, Eq, salsa::SalsaValue)]
pub struct Bodies(pub Box<[Body]>);

/// Returns the declarations of an item that the rest of its file can use.
#[salsa::tracked]
pub fn declared<'db>(db: &'db dyn Db, item: Item<'db>) -> FileScopeDeclarations {
    FileScopeDeclarations::of(&ast(db, outline(db, item).unwrap_or(item)))
}
