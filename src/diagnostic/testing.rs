//! Shared by the tests of the formats: texts by name, and an example of a finding.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Diagnostic, Place, Severity, SourceText, SourceTexts};

/// Files that exist only in a test.
pub struct Texts(HashMap<String, Arc<SourceText>>);

impl Texts {
    pub fn new(files: &[(&str, &str)]) -> Texts {
        let text = |(name, text): &(&str, &str)| (name.to_string(), Arc::new(SourceText::new(*text)));
        Texts(files.iter().map(text).collect())
    }
}

impl SourceTexts for Texts {
    fn text(&self, file: &str) -> Option<Arc<SourceText>> {
        self.0.get(file).cloned()
    }
}

/// Returns the location of the first occurrence of a text.
pub fn find(file: &str, text: &str, piece: &str) -> Place {
    let start = text.find(piece).unwrap_or_else(|| panic!("no `{piece}` in the text"));
    Place::new(file, start..start + piece.len())
}

/// A kernel whose barrier is reached on two paths.
pub const CLEANUP: &str = "\
kernel void k(global int *p) {
    int i = get_local_id(0);
    if (p[i] < 0)
        goto done;
    p[i] += 1;
done:
    barrier(CLK_GLOBAL_MEM_FENCE);
    p[0] = i;
}
";

/// Returns the finding for [`CLEANUP`].
pub fn cleanup_finding(file: &str) -> Diagnostic {
    let at = |piece| find(file, CLEANUP, piece);
    Diagnostic::new(
        "implementation-defined-convergence",
        Severity::Warning,
        at("barrier(CLK_GLOBAL_MEM_FENCE)"),
        "`barrier` is reached by 2 groups of threads that need not arrive together",
    )
    .in_function("k")
    .with_label("threads of both groups run this `barrier`")
    .with_related(at("goto done"), "the first group jumps from here")
    .with_related(at("done:"), "the second group falls through to this label")
    .with_related(at("}"), "here they reconverge")
    .with_help("move the `barrier` past the end of the block that holds the label")
}
