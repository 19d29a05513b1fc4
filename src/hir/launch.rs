//! The launch sizes that the attributes of a function declare.
//!
//! ```c
//! kernel __attribute__((reqd_work_group_size(16 * 4, ROWS, 1))) void k(void);   // 64, unknown, 1
//! kernel __attribute__((intel_reqd_sub_group_size(16))) void l(void);
//! ```
//!
//! `work_group_size_hint` is ignored: launches of other sizes are valid.

use tangle_grammar::ast::Decl;
use tangle_grammar::literal::{Number, number};
use tangle_grammar::token::{Token, TokenKind};
use tangle_ir::uniformity::Launch;

/// Returns the launch sizes that the attributes of a function declare.
pub fn launch(decl: &Decl) -> Launch {
    let mut launch = Launch::default();
    for attribute in decl.specifiers.attributes.iter().chain(&decl.attributes) {
        let mut arguments = attribute.arguments.split(|token| token.kind == TokenKind::Comma).map(product);
        match attribute.name.text.as_str().trim_matches('_') {
            "reqd_work_group_size" => {
                launch.local_size = std::array::from_fn(|_| arguments.next().flatten());
            }
            "intel_reqd_sub_group_size" => launch.sub_group_size = arguments.next().flatten(),
            _ => {}
        }
    }
    launch
}

/// Returns the product of numbers. None: another expression, or a product that is 0 or does not fit into `u32`.
fn product(tokens: &[Token]) -> Option<u32> {
    let mut product = 1_u32;
    for factor in tokens.split(|token| token.kind == TokenKind::Star) {
        let [token] = factor else { return None };
        let Ok(Number::Integer { value, .. }) = number(token.text.as_str()) else { return None };
        product = product.checked_mul(u32::try_from(value).ok()?)?;
    }
    Some(product).filter(|&product| product > 0)
}
