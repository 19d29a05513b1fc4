//! The results of searches for executions that confirm findings.
//!
//! The key is the content of the unit, so an edit that is undone brings a result back. A change of settings replaces the
//! whole store.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use tangle_diagnostic::{Diagnostic, Evidence};

/// The maximum number of contents with results.
const MAX_CONTENTS: usize = 64;

/// The result of a search for one finding.
#[derive(Clone)]
pub struct SearchResult {
    pub rule: &'static str,
    pub file: Arc<str>,
    /// The range of the finding in the file.
    pub range: Range<usize>,
    pub evidence: Arc<Evidence>,
}

impl SearchResult {
    pub fn is_of(&self, finding: &Diagnostic) -> bool {
        (self.rule, &self.file, &self.range) == (finding.rule, &finding.place.file, &finding.place.range)
    }
}

/// The results, by the hash of all files of the unit.
#[derive(Default)]
pub struct Witnesses(Mutex<FxHashMap<u64, Vec<SearchResult>>>);

impl Witnesses {
    pub fn is_empty(&self) -> bool {
        self.0.lock().expect("no thread panics while it holds this lock").is_empty()
    }

    /// Returns the results for a content.
    pub fn of(&self, content: u64) -> Vec<SearchResult> {
        let all = self.0.lock().expect("no thread panics while it holds this lock");
        all.get(&content).cloned().unwrap_or_default()
    }

    /// Adds a result, unless another search for the same finding was faster.
    pub fn add(&self, content: u64, result: SearchResult) {
        let mut all = self.0.lock().expect("no thread panics while it holds this lock");
        if all.len() >= MAX_CONTENTS && !all.contains_key(&content) {
            all.clear();
        }
        let known = all.entry(content).or_default();
        let key = |it: &SearchResult| (it.rule, it.file.clone(), it.range.clone());
        if known.iter().all(|it| key(it) != key(&result)) {
            known.push(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_belong_to_a_content_and_their_number_is_bounded() {
        let witnesses = Witnesses::default();
        let result = || SearchResult {
            rule: "divergent-barrier",
            file: "k.cl".into(),
            range: 0..1,
            evidence: Arc::new(Evidence::NotConfirmed { executions: 1 }),
        };
        for content in 0..MAX_CONTENTS as u64 {
            witnesses.add(content, result());
        }
        // The same result, and one for another finding.
        witnesses.add(0, result());
        witnesses.add(0, SearchResult { range: 1..2, ..result() });
        let count = |content: u64| witnesses.of(content).len();
        assert_eq!((count(0), count(1), count(1000)), (2, 1, 0));
        witnesses.add(1000, result());
        assert_eq!((count(0), count(1), count(1000)), (0, 0, 1));
    }
}
