//! Completion after `.` and `->`: fields, methods and the lanes of vectors.

use tangle_hir::def::functions::{class_name, members_of};
use tangle_hir::types::Ty;
use tangle_syntax::items::find::all_items;
use tangle_syntax::items::unit;
use tower_lsp::lsp_types::CompletionItemKind;

use super::super::callable;
use super::super::chain::{self, Chain};
use super::super::position::ItemAt;
use super::items::{Items, Order};
use crate::snapshot::View;

/// Adds the members of the expression that ends with a token, or the lanes of a vector.
pub fn members(view: &View, base: u32, items: &mut Items) {
    let Some(chain) = Chain::at(view, base) else { return };
    let Some(ty) = chain.ends_with(base).map(chain::target) else { return };
    if let Some((element, lanes)) = ty.as_vector() {
        swizzles(element, lanes, items);
    }
    for field in chain.definition(ty).iter().flat_map(|definition| &definition.fields) {
        if let Some(name) = field.name {
            let detail = Some(field.ty.to_string());
            items.add(name.as_str(), CompletionItemKind::FIELD, detail, Order::First);
        }
    }
    if view.has_host_code() {
        methods(view, ty, items);
    }
}

/// Adds the methods that the class of a type declares.
fn methods(view: &View, ty: Ty, items: &mut Items) {
    let Some(tag) = ty.as_record().and_then(|record| record.tag) else { return };
    for placed in all_items(view.db, unit(view.db, view.root, view.analysis.settings)) {
        let tokens = placed.item.tokens(view.db).0.tokens();
        if !tokens.iter().any(|token| token.text == tag.name()) {
            continue;
        }
        let item = ItemAt::new(*view, placed);
        let ast = item.ast();
        let classes = callable::with_members(&ast);
        for class in classes.filter(|decl| class_name(decl).is_some_and(|(name, _)| name == tag.name())) {
            for &id in members_of(class).into_iter().flatten() {
                let decl = &ast.decls[id];
                if let (Some(name), Some(parameters)) = (decl.name, callable::parameter_names(&ast, decl))
                    && name.text != tag.name()
                {
                    items.add_call(
                        name.text.as_str(),
                        CompletionItemKind::METHOD,
                        None,
                        Order::Own,
                        &parameters,
                    );
                }
            }
        }
    }
}

/// Adds each lane by letter and by number, sequences of letters, and halves.
fn swizzles(element: Ty, lanes: u8, items: &mut Items) {
    let mut lane = |name: &str, count: u8, order: Order| {
        let detail = Ty::vector(element, count).to_string();
        items.add(name, CompletionItemKind::FIELD, Some(detail), order);
    };
    let letters = &"xyzw"[..usize::from(lanes.min(4))];
    for from in 0..letters.len() {
        for to in from + 1..=letters.len() {
            // A vector has one, two, three, four, eight or sixteen lanes.
            lane(&letters[from..to], (to - from) as u8, Order::First);
        }
    }
    (0..lanes).for_each(|number| lane(&format!("s{number:x}"), 1, Order::Own));
    ["lo", "hi", "even", "odd"].iter().for_each(|name| lane(name, lanes.div_ceil(2), Order::Header));
}
