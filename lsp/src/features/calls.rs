//! The call hierarchy. Convergent functions are marked.

use std::collections::BTreeMap;

use tangle_analysis::program::Convergent;
use tangle_grammar::symbol::Symbol;
use tangle_hir::body::{Body, Callee};
use tangle_hir::resolve::{Entity, ReferenceKind};
use tangle_ir::key::UnresolvedCallee;
use tangle_syntax::items::find::all_items;
use tangle_syntax::items::unit;
use tower_lsp::lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Position, Range, SymbolKind,
};

use super::position::{BodyLookup, ItemAt, TokenAt, convergent};
use crate::snapshot::View;

pub fn prepare(view: &View, position: Position) -> Option<Vec<CallHierarchyItem>> {
    let at = TokenAt::find(*view, position)?;
    let name = match at.reference() {
        Some(reference) => match reference.target {
            Entity::File(name) => name,
            _ => return None,
        },
        None => at.body()?.body.name.text,
    };
    let convergent = convergent(*view);
    let found = functions(view).into_iter().find(|(_, body)| body.body.name.text == name);
    let (item, body) = found?;
    Some(vec![hierarchy_item(&item, body, convergent)?])
}

/// Returns all functions that the unit defines.
fn functions<'a>(view: &View<'a>) -> Vec<(ItemAt<'a>, BodyLookup<'a>)> {
    let unit = unit(view.db, view.root, view.analysis.settings);
    let mut found = Vec::new();
    for placed in all_items(view.db, unit) {
        let defines =
            tangle_hir::declared(view.db, placed.item).functions.iter().any(|function| function.defined);
        if defines {
            let item = ItemAt::new(*view, placed);
            for body in item.bodies().filter(|found| !found.body.block) {
                found.push((ItemAt::new(*view, item.placed.clone()), body));
            }
        }
    }
    found
}

fn hierarchy_item(item: &ItemAt, found: BodyLookup, convergent: &Convergent) -> Option<CallHierarchyItem> {
    let (snapshot, body) = (item.view.snapshot, found.body);
    let all = snapshot.location(&item.locate(item.extent(found)))?;
    let own = snapshot.location(&item.locate(body.name.span))?;
    let mut detail = if body.kernel { "kernel".to_owned() } else { String::new() };
    if item.key(found).is_some_and(|key| convergent.function(key)) {
        detail += if detail.is_empty() { "convergent" } else { ", convergent" };
    }
    Some(CallHierarchyItem {
        name: body.name.text.as_str().to_owned(),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: (!detail.is_empty()).then_some(detail),
        uri: all.uri,
        range: all.range,
        selection_range: own.range,
        data: None,
    })
}

/// Returns the ranges of the calls of a function in a body.
fn calls_of(item: &ItemAt, body: &Body, name: Symbol) -> Vec<Range> {
    let calls =
        body.calls.iter().filter(|call| call.callee == Callee::Named(UnresolvedCallee::Function(name)));
    calls.map(|call| item.view.snapshot.range(&item.locate(call.span))).collect()
}

pub fn incoming(view: &View, name: &str) -> Option<Vec<CallHierarchyIncomingCall>> {
    let name = Symbol::intern(name);
    let convergent = convergent(*view);
    let calls = functions(view).into_iter().filter_map(|(item, body)| {
        let ranges = calls_of(&item, body.body, name);
        let from = (!ranges.is_empty()).then(|| hierarchy_item(&item, body, convergent))??;
        Some(CallHierarchyIncomingCall { from, from_ranges: ranges })
    });
    Some(calls.collect())
}

pub fn outgoing(view: &View, name: &str) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let name = Symbol::intern(name);
    let convergent = convergent(*view);
    let all = functions(view);
    let (item, body) = all.iter().find(|(_, body)| body.body.name.text == name)?;
    let called: BTreeMap<&str, Symbol> = item
        .references()
        .iter()
        .filter(|reference| reference.role == ReferenceKind::Call)
        .map(|reference| (reference.name.text.as_str(), reference.name.text))
        .collect();
    let calls = called.into_values().filter_map(|callee| {
        let ranges = calls_of(item, body.body, callee);
        let (item, body) = all.iter().find(|(_, body)| body.body.name.text == callee)?;
        let to = (!ranges.is_empty()).then(|| hierarchy_item(item, *body, convergent))??;
        Some(CallHierarchyOutgoingCall { to, from_ranges: ranges })
    });
    Some(calls.collect())
}
