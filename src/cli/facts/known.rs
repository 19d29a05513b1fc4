//! The facts about a body that the output of its tangles needs.

use std::collections::HashMap;

use tangle_grammar::ast::Span;

use tangle_analysis::program::{Convergent, FunctionKey, Targets};
use tangle_analysis::tangle::DoubtId;
use tangle_analysis::tangle::print::PrintContext;
use tangle_hir::body::CallId;
use tangle_syntax::dialect::{Scope, Vocabulary};

pub(super) type Places = HashMap<Span, ((usize, usize), (usize, usize))>;

pub(super) struct Known<'a> {
    pub places: Places,
    /// The targets of the calls of the body.
    pub targets: Targets,
    pub key: FunctionKey,
    pub convergent: &'a Convergent,
    /// In ascending order, for the binary search.
    pub settled_doubts: &'a [DoubtId],
    pub settled_calls: &'a [CallId],
    pub vocabulary: &'static Vocabulary,
}

impl PrintContext for Known<'_> {
    fn place(&self, span: Span) -> ((usize, usize), (usize, usize)) {
        self.places.get(&span).copied().unwrap_or(((1, 1), (1, 1)))
    }

    fn scope(&self, call: CallId) -> Option<Scope> {
        self.convergent.call(self.targets[call]).map(|called| called.scope())
    }

    fn convergent(&self) -> bool {
        self.convergent.function(self.key)
    }

    fn is_settled(&self, doubt: DoubtId) -> bool {
        self.settled_doubts.binary_search(&doubt).is_ok()
    }

    fn is_settled_call(&self, call: CallId) -> bool {
        self.settled_calls.contains(&call)
    }

    fn group(&self, scope: Scope) -> &str {
        self.vocabulary.group(scope)
    }
}
