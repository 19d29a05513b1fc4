//! Changes correct kernels in one place each, and measures how many of these mutants the rules find.
//!
//! ```text
//! corpus    the folders of correct kernels
//! places    the places where the functions of a text wait, and their context
//! mutants   a place -> the texts with one change there
//! launches  a kernel -> whether an execution shows that threads diverge at an operation
//! table     the results, a row for each mutation
//! ```
//!
//! **Original**: a file whose functions have no finding about divergence. A function with such a finding is listed, and
//! not mutated. **Mutant**: the text of an original with one edit. A mutant is **wrong** if an execution shows that
//! threads diverge at a convergent operation: a part of the group takes part in it, and the others have returned or
//! wait elsewhere. Mutations of masks have other evidence ([`mutants::Evidence`]). If no execution shows this, a mutant
//! may still be wrong, because the arguments are made up. A wrong mutant is **found** if a finding about divergence or
//! masks is at the mutated operation, or has a label there.

pub mod corpus;
mod launches;
mod mutants;
mod places;
pub mod table;

use std::ops::Range;
use std::sync::Arc;

use tangle_analysis::program::FunctionKey;
use tangle_analysis::tangle::Model;
use tangle_diagnostic::{Diagnostic, Place, SourceText};
use tangle_rules as lint;
use tangle_syntax::db::Database;
use tangle_syntax::source::{Content, Loader, Settings, SourceFile};

use corpus::Original;
use launches::{Launches, Verdict};
use mutants::{Mutant, Mutation, mutants};
use places::{Function, functions};
use table::{Case, ReviewEntry, Tally};

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Content {
        match std::fs::read(path) {
            Ok(bytes) => Content::Text(String::from_utf8_lossy(&bytes).into()),
            Err(_) => Content::Missing,
        }
    }
}

/// The analysis of one file.
struct Session {
    db: Database,
    settings: Settings,
    model: Model,
    file: SourceFile,
    path: String,
}

impl Session {
    fn new(original: &Original) -> Session {
        let mut db = Database::new(Arc::new(Disk));
        let (settings, model) = original.build.settings(&mut db);
        let path = original.path.to_string_lossy().into_owned();
        let file = db.set_text(&path, &original.text);
        Session { db, settings, model, file, path }
    }

    fn set_text(&mut self, text: &str) {
        self.db.set_text(&self.path, text);
    }

    fn findings(&self) -> Vec<Diagnostic> {
        let mut findings = lint::check(&self.db, self.file, self.settings, self.model);
        findings.retain(|finding| finding.suppression.is_none());
        findings
    }

    /// Whether a finding is in a part of the text, or has a label there.
    fn is_about(&self, finding: &Diagnostic, part: &Range<usize>) -> bool {
        let places = [&finding.place].into_iter().chain(finding.related.iter().map(|label| &label.place));
        let overlaps = |place: &Place| {
            *place.file == *self.path && place.range.start < part.end && part.start < place.range.end
        };
        places.into_iter().any(overlaps)
    }
}

/// Whether a finding reports that threads diverge where they should not, or that threads of a warp race.
fn is_about_divergence(finding: &Diagnostic) -> bool {
    let others = ["implementation-defined-convergence", "implicit-warp-synchronous"];
    lint::is_about_divergence(finding.rule) || others.contains(&finding.rule)
}

fn is_error(finding: &Diagnostic) -> bool {
    matches!(finding.rule, "syntax-error" | "type-error")
}

/// Makes the mutants of a file, takes one of `every`, and determines whether each is wrong and whether it is found.
pub fn measure(original: &Original, every: usize) -> Tally {
    let mut session = Session::new(original);
    let mut tally = Tally::default();
    let before = session.findings();
    let functions = functions(&session.db, session.file, session.settings);
    let is_loud = |function: &Function| {
        let about = |finding: &&Diagnostic| {
            is_about_divergence(finding) && session.is_about(finding, &function.range)
        };
        before.iter().find(about)
    };
    let mut quiet = Vec::new();
    for function in functions.iter().filter(|function| !function.places.is_empty()) {
        match is_loud(function) {
            Some(finding) => tally.loud.push(ReviewEntry::new(
                original,
                function,
                finding.place.range.start,
                finding.message.clone(),
            )),
            None => quiet.push(function),
        }
    }
    tally.functions += quiet.len();
    if quiet.is_empty() {
        return tally;
    }
    let errors = before.iter().filter(|finding| is_error(finding)).count();
    let keys: Vec<FunctionKey> = quiet.iter().map(|function| function.key).collect();
    let launches = Launches::of(&session.db, session.file, session.settings, &keys);
    // Similar files should not have their mutants at the same places.
    let mut number = original.number;
    for function in quiet {
        for mutant in mutants(&original.text, function) {
            number += 1;
            if !number.is_multiple_of(every) {
                continue;
            }
            session.set_text(&mutant.text);
            let after = session.findings();
            if after.iter().filter(|finding| is_error(finding)).count() > errors {
                tally.not_compiled.push(ReviewEntry::of_mutant(original, function, &mutant, String::new()));
                continue;
            }
            let text = SourceText::new(mutant.text.clone());
            let targets: Vec<(usize, usize)> = mutant
                .targets
                .iter()
                .map(|target| {
                    let at = text.position(target.start);
                    (at.line, at.column)
                })
                .collect();
            // The operation in a called function is at another location.
            let is_meant = |at: (usize, usize)| mutant.mutation == Mutation::Call || targets.contains(&at);
            let verdict = launches.judge(
                &session.db,
                session.file,
                session.settings,
                function.key,
                (mutant.mutation, &is_meant),
            );
            tally.add(original, function, &mutant, case(&session, &after, function, &mutant, verdict));
        }
    }
    tally
}

fn case(
    session: &Session,
    after: &[Diagnostic],
    function: &Function,
    mutant: &Mutant,
    verdict: Verdict,
) -> Case {
    let findings = || after.iter().filter(|finding| is_about_divergence(finding));
    let at_target =
        findings().find(|finding| mutant.targets.iter().any(|part| session.is_about(finding, part)));
    let of_function =
        || findings().find(|finding| finding.function.as_deref() == Some(function.name.as_str()));
    match (verdict, at_target) {
        (Verdict::Wrong, Some(_)) => Case::Found,
        (Verdict::Wrong, None) => Case::Missed,
        (verdict, at_target) => match at_target.or_else(of_function) {
            Some(finding) => {
                Case::Alarm { executed: verdict == Verdict::Together, message: finding.message.clone() }
            }
            None => Case::Silent { executed: verdict == Verdict::Together },
        },
    }
}
