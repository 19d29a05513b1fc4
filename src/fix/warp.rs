//! Gives an operation of the warp a mask, and adds barriers of the warp.
//!
//! ```text
//! v += __shfl_down(v, 1);                   v += __shfl_down_sync(0xffffffff, v, 1);
//!
//! s[lane] = v;                              s[lane] = v;
//! x = s[lane ^ 1];                          __syncwarp();
//!                                           x = s[lane ^ 1];
//! ```
//!
//! Both are safe where all lanes that have not exited reach the place. Elsewhere the changed text has a new finding.

use super::edits::Edits;
use super::{Rewrite, SAFE_SUFFIX, Site};
use tangle_diagnostic::Applicability;
use tangle_grammar::symbol::Symbol;
use tangle_hir::body::{StmtId, StmtKind};

/// Replaces the deprecated operation at a site by the one with a mask, and names all lanes.
pub(super) fn masked(site: &Site) -> Option<Rewrite> {
    let (reading, (name, range)) = (site.reading(), site.operation()?);
    let builtins = reading.settings.builtins(reading.db);
    builtins.get(name).filter(|row| row.is_deprecated_warp_operation())?;
    let masked = format!("{name}_sync");
    let mask = builtins.get(Symbol::intern(&masked))?.mask?;
    if mask.0 != 0 || !site.text.get(range.end..)?.starts_with('(') {
        return None;
    }
    let mut edits = Edits::default();
    edits.insert(range.end + 1, "0xffffffff, ");
    edits.replace(range, &*masked);
    Some(Rewrite {
        title: format!("Use `{masked}` with a mask of all lanes {SAFE_SUFFIX}"),
        edits,
        applicability: Applicability::Safe,
        fixes_mistake: true,
        adds_threads: false,
    })
}

/// Adds `__syncwarp();` before the statements at some sites.
pub(super) fn synchronized(sites: &[Site]) -> Option<Rewrite> {
    let mut edits = Edits::default();
    for site in sites {
        let stmts = &site.body.body.stmts;
        let is_in_block = |parent: StmtId| matches!(stmts[parent].kind, StmtKind::Compound(_));
        let mut own = site.at.stmt(site.body)?;
        while !is_in_block(stmts[own].parent?) {
            own = stmts[own].parent?;
        }
        let start = site.item().plain_start(stmts[own].span)?.start;
        let line = site.text.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
        let indent = site.text.get(line..start).filter(|indent| indent.trim().is_empty());
        let barrier = match indent {
            Some(indent) => format!("__syncwarp();\n{indent}"),
            None => "__syncwarp(); ".to_owned(),
        };
        if !edits.inserts_at(start) {
            edits.insert(start, barrier);
        }
    }
    Some(Rewrite {
        title: format!("Add `__syncwarp()` between the accesses {SAFE_SUFFIX}"),
        edits,
        applicability: Applicability::Safe,
        fixes_mistake: true,
        adds_threads: false,
    })
}
