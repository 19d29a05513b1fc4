//! Makes an argument of a collective uniform: all threads use the argument of the first thread.
//!
//! ```text
//! sub_group_broadcast(x, i)     sub_group_broadcast(x, sub_group_broadcast(i, 0))
//! ```

use tangle_grammar::symbol::Symbol;

use super::edits::Edits;
use super::{Rewrite, Site, shortened};
use tangle_diagnostic::Applicability;
use tangle_hir::typed::ExprKind;
use tangle_syntax::dialect::Scope;

/// Changes the argument that begins at a site, in a call of a collective of OpenCL C.
pub(super) fn uniform(site: &Site) -> Option<Rewrite> {
    let item = site.item();
    let typed = item.typed(site.body)?;
    let operations = item.operations(site.body);
    let (argument, scope) = typed.exprs.iter().find_map(|expr| {
        let ExprKind::Call { arguments, call: Some(call), .. } = &expr.kind else { return None };
        let own = arguments.iter().find(|&&argument| typed.exprs[argument].span.start == site.at.token)?;
        Some((&typed.exprs[*own], operations.call(*call)?.scope()))
    })?;
    let reading = site.reading();
    let broadcast = match scope {
        Scope::Subgroup => "sub_group_broadcast",
        Scope::Workgroup => "work_group_broadcast",
        _ => return None,
    };
    reading.settings.builtins(reading.db).get(Symbol::intern(broadcast))?;
    if !argument.ty.is_arithmetic() {
        return None;
    }
    let range = item.plain(argument.span)?;
    let text = &site.text[range.clone()];
    let title = format!(
        "Take `{}` of the first {} (changes the program: the others pass its value)",
        shortened(text.to_owned()),
        item.vocabulary().thread
    );
    let mut edits = Edits::default();
    edits.replace(range, format!("{broadcast}({text}, 0)"));
    Some(Rewrite {
        title,
        edits,
        applicability: Applicability::Unsafe,
        fixes_mistake: true,
        adds_threads: false,
    })
}
