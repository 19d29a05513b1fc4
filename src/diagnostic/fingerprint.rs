//! Identities of findings that do not change with edits elsewhere in the file.
//!
//! Baselines, SARIF and GitLab use the same identity: the rule, the enclosing function, and the first line of the
//! finding with single spaces.

use std::collections::HashMap;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher13};

use super::{Diagnostic, SourceTexts};

/// The properties that identify a finding in its file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    pub rule: String,
    pub function: Option<String>,
    pub source: String,
}

impl Identity {
    pub fn of(finding: &Diagnostic, sources: &dyn SourceTexts) -> Identity {
        let source = sources.text(&finding.place.file).map(|text| {
            let range = text.clamp(&finding.place.range);
            let line = text.line_range(text.position(range.start).line);
            text.text()[line].split_whitespace().collect::<Vec<_>>().join(" ")
        });
        Identity {
            rule: finding.rule.to_owned(),
            function: finding.function.clone(),
            source: source.unwrap_or_default(),
        }
    }

    /// Returns a number that is the same in all versions of tangle and on all machines. `file` is empty to ignore the
    /// file.
    fn hash(&self, file: &str) -> u128 {
        let mut hasher = SipHasher13::new();
        // `Hash` of the standard library may change between versions.
        for part in [file, &self.rule, self.function.as_deref().unwrap_or_default(), &self.source] {
            hasher.write(part.as_bytes());
            hasher.write_u8(0xff);
        }
        hasher.finish128().as_u128()
    }
}

/// Returns the fingerprint of each finding: a hash and, for findings of one file with the same hash, a number in text
/// order.
pub fn fingerprints(findings: &[Diagnostic], sources: &dyn SourceTexts) -> Vec<String> {
    numbered(findings, sources, |_| String::new())
        .map(|(hash, number)| format!("{hash:032x}:{number}"))
        .collect()
}

/// Returns fingerprints that also differ between files. `path` returns the path of a file in the project.
pub fn fingerprints_with_file(
    findings: &[Diagnostic],
    sources: &dyn SourceTexts,
    path: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let numbered = numbered(findings, sources, |finding| path(&finding.place.file));
    numbered.map(|(hash, number)| format!("{:032x}", hash.wrapping_add(number - 1))).collect()
}

fn numbered<'a>(
    findings: &'a [Diagnostic],
    sources: &'a dyn SourceTexts,
    file: impl Fn(&Diagnostic) -> String + 'a,
) -> impl Iterator<Item = (u128, u128)> + 'a {
    let mut seen: HashMap<(&str, u128), u128> = HashMap::new();
    findings.iter().map(move |finding| {
        let hash = Identity::of(finding, sources).hash(&file(finding));
        let number = seen.entry((&finding.place.file, hash)).or_default();
        *number += 1;
        (hash, *number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{CLEANUP, Texts, cleanup_finding};

    fn of(file: &str, text: &str) -> Vec<String> {
        let findings: Vec<Diagnostic> = text
            .match_indices("barrier(")
            .map(|(start, _)| {
                let mut finding = cleanup_finding(file);
                finding.place.range = start..start + 7;
                finding
            })
            .collect();
        fingerprints(&findings, &Texts::new(&[(file, text)]))
    }

    #[test]
    fn edits_elsewhere_do_not_change_fingerprint() {
        let first = of("a.cl", CLEANUP);
        // If this text changes, every user of a code scanning service gets new alerts.
        expect_test::expect!["d34363350002b5d1e3d26691eb202bb3:1"].assert_eq(&first[0]);
        assert_eq!(of("b.cl", &format!("// a line\n{}", CLEANUP.replace("    ", "\t"))), first);
        assert_ne!(of("a.cl", &CLEANUP.replace("GLOBAL", "LOCAL")), first);
    }

    #[test]
    fn findings_on_equal_lines_are_numbered() {
        let twice = of("a.cl", "barrier(1);\nbarrier(1);\n");
        assert!(twice[0].ends_with(":1") && twice[1].ends_with(":2"), "{twice:?}");
        assert_eq!(twice[0].split(':').next(), twice[1].split(':').next());
    }

    #[test]
    fn fingerprints_with_the_file_are_unique() {
        let text = "barrier(1);\nbarrier(1);\n";
        let finding = |file: &str, start| {
            let mut finding = cleanup_finding(file);
            finding.place.range = start..start + 7;
            finding
        };
        let findings = [finding("a.cl", 0), finding("a.cl", 12), finding("b.cl", 0)];
        let sources = Texts::new(&[("a.cl", text), ("b.cl", text)]);
        let mut all = fingerprints_with_file(&findings, &sources, &str::to_owned);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 3);
    }
}
