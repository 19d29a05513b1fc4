//! Findings as data, and their output formats.
//!
//! A [`Diagnostic`] contains locations as byte ranges and text, and is independent of any format. Each format has a
//! file here and writes to any byte stream. Analyses do not depend on this crate; only rules turn facts into text.
//!
//! ```
//! use tangle_diagnostic::{Severity, counted};
//!
//! assert!(Severity::Note < Severity::Error);
//! assert_eq!("warning".parse(), Ok(Severity::Warning));
//! assert_eq!(counted(2, "error"), "2 errors");
//! ```

pub mod fingerprint;
pub mod gathered;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod printable;
pub mod sarif;
pub mod short;
mod source_text;
#[cfg(test)]
mod testing;
mod witness;

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

pub use source_text::{Position, SourceText};
pub use tangle_ir::uniformity::Confidence;
pub use witness::{Alternative, Evidence, NotTried, Part, ThreadsAt, Witness};

/// The severity of a finding, from low to high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// An unknown name of a severity, with the text as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown severity `{0}`: expected `error`, `warning` or `note`")]
pub struct UnknownSeverity(pub String);

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Severity {
    type Err = UnknownSeverity;

    fn from_str(text: &str) -> Result<Severity, UnknownSeverity> {
        [Severity::Note, Severity::Warning, Severity::Error]
            .into_iter()
            .find(|severity| severity.name() == text)
            .ok_or_else(|| UnknownSeverity(text.to_owned()))
    }
}

/// A rule, as shown by `tangle rules` and `tangle explain`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub id: &'static str,
    /// The default severity of its findings.
    pub severity: Severity,
    /// Whether the rule is on by default.
    pub on: bool,
    /// A description of the findings, in one line.
    pub summary: &'static str,
    /// The documentation page, in Markdown.
    pub page: &'static str,
}

impl Rule {
    /// Returns the default level, as shown in lists of rules.
    pub fn default_level(&self) -> &'static str {
        if self.on { self.severity.name() } else { "off" }
    }
}

/// A location: a byte range in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The printed name of the file.
    pub file: Arc<str>,
    pub range: Range<usize>,
}

impl Place {
    pub fn new(file: impl Into<Arc<str>>, range: Range<usize>) -> Place {
        Place { file: file.into(), range }
    }
}

/// Locations are ordered by file and then by position.
impl Ord for Place {
    fn cmp(&self, other: &Place) -> Ordering {
        let key = |place: &Place| (place.range.start, place.range.end);
        self.file.cmp(&other.file).then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A further location that explains a finding: a jump, a label, the definition of a macro.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    pub place: Place,
    pub message: String,
    /// Whether this is a step of the chain of causes. The steps begin at the finding and end at the source of
    /// divergence.
    pub is_step: bool,
}

impl Label {
    pub fn new(place: Place, message: impl Into<String>) -> Label {
        Label { place, message: truncate_middle(message.into()), is_step: false }
    }
}

/// A change to the text that a tool can make for the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fix {
    pub title: String,
    pub applicability: Applicability,
    /// In the order of the text, without overlap.
    pub edits: Vec<Edit>,
}

/// Whether a tool may apply a fix without confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// Executions where no thread misses a convergent operation have the same results as before.
    Safe,
    /// The fix may change the results of the program.
    Unsafe,
}

impl Applicability {
    pub const fn name(self) -> &'static str {
        match self {
            Applicability::Safe => "safe",
            Applicability::Unsafe => "unsafe",
        }
    }
}

/// A replacement of a range by a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edit {
    pub place: Place,
    pub text: String,
}

/// The suppression of a finding by a comment in the source, or by a baseline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suppression {
    /// The reason in the comment.
    pub reason: String,
    /// The locations where comments name the rule of the finding. Empty for a baseline.
    pub by: Vec<Place>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub rule: &'static str,
    pub severity: Severity,
    /// How sure it is that the finding occurs in an execution. Certain if the finding is not about divergence.
    pub confidence: Confidence,
    pub place: Place,
    /// The enclosing function, if any.
    pub function: Option<String>,
    /// The finding in one sentence. Every format shows it.
    pub message: String,
    /// A short text for the location itself, shown beside the source. Empty if `message` is sufficient.
    pub label: String,
    /// Further locations, in the order of the explanation.
    pub related: Vec<Label>,
    /// Suggestions for the user.
    pub help: Vec<String>,
    pub fixes: Vec<Fix>,
    /// The locations of unknown entities that the finding makes assumptions about. `related` has notes on them.
    pub assumes: Vec<Place>,
    /// The branch where threads diverge, if some of them do not reach the operation of the finding.
    pub branch: Option<Place>,
    /// Locations of further operations with the same cause. `related` describes the first of them.
    pub also: Vec<Place>,
    /// The names of the builds with this finding, if not all builds of the file have it.
    pub builds: Vec<String>,
    /// The instantiations of the function template with this finding, if not all that launches request have it.
    pub instantiations: Vec<String>,
    /// The macro definitions, each `NAME=VALUE`, that this finding needs in addition to the build.
    pub definitions: Vec<String>,
    /// Formats for people omit suppressed findings.
    pub suppression: Option<Suppression>,
    /// Another rule that the finding is about. The finding is reported only if that rule is on.
    pub about: Option<&'static str>,
    /// The undeclared name that the finding reports.
    pub undeclared: Option<String>,
    /// The result of the search for an execution that confirms the finding. `None` if there was no search.
    pub evidence: Option<Evidence>,
}

impl Diagnostic {
    pub fn new(
        rule: &'static str,
        severity: Severity,
        place: Place,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            rule,
            severity,
            confidence: Confidence::Certain,
            place,
            function: None,
            message: truncate_middle(message.into()),
            label: String::new(),
            related: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            assumes: Vec::new(),
            branch: None,
            also: Vec::new(),
            builds: Vec::new(),
            instantiations: Vec::new(),
            definitions: Vec::new(),
            suppression: None,
            about: None,
            undeclared: None,
            evidence: None,
        }
    }

    /// Marks the finding as a report of an undeclared name.
    pub fn for_undeclared_name(mut self, name: impl Into<String>) -> Diagnostic {
        self.undeclared = Some(name.into());
        self
    }

    pub fn in_function(mut self, name: impl Into<String>) -> Diagnostic {
        self.function = Some(truncate_middle(name.into()));
        self
    }

    pub fn with_label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    pub fn with_related(mut self, place: Place, message: impl Into<String>) -> Diagnostic {
        self.related.push(Label::new(place, message));
        self
    }

    /// Adds the next step of the chain of causes.
    pub fn with_step(mut self, place: Place, message: impl Into<String>) -> Diagnostic {
        self.related.push(Label { is_step: true, ..Label::new(place, message) });
        self
    }

    /// Adds an assumption about an unknown entity.
    pub fn with_assumption(mut self, place: Place, message: impl Into<String>) -> Diagnostic {
        self.assumes.push(place.clone());
        self.with_related(place, message)
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(truncate_middle(help.into()));
        self
    }

    pub fn with_fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }

    /// Sets the builds and definitions for which the finding holds, if it does not hold everywhere.
    pub fn with_builds(mut self, builds: Vec<String>, definitions: Vec<String>) -> Diagnostic {
        let of_builds = match &builds[..] {
            [] => None,
            [build] => Some(format!("in the build `{build}`")),
            builds => Some(format!("in the builds {}", quoted(builds))),
        };
        let options: Vec<String> = definitions.iter().map(|definition| format!("-D {definition}")).collect();
        let with_options = (!options.is_empty()).then(|| format!("with `{}`", options.join(" ")));
        let words: Vec<String> = of_builds.into_iter().chain(with_options).collect();
        if !words.is_empty() {
            self.message += &format!(" ({})", words.join(", "));
        }
        Diagnostic { builds, definitions, ..self }
    }

    /// Marks the finding as one of this instantiation. `None`: of the function, which is no instantiation.
    pub fn in_instantiation(mut self, name: Option<&str>) -> Diagnostic {
        self.instantiations.extend(name.map(str::to_owned));
        self
    }

    /// Changes all locations in the finding.
    pub fn for_each_place(&mut self, change: &mut dyn FnMut(&mut Place)) {
        change(&mut self.place);
        self.related.iter_mut().for_each(|label| change(&mut label.place));
        self.assumes.iter_mut().for_each(&mut *change);
        self.branch.iter_mut().chain(&mut self.also).for_each(&mut *change);
        self.fixes.iter_mut().flat_map(|fix| &mut fix.edits).for_each(|edit| change(&mut edit.place));
        self.suppression.iter_mut().flat_map(|suppression| &mut suppression.by).for_each(change);
    }

    /// Returns the fields that identify the finding for a reader. Findings with equal identity are duplicates.
    pub fn identity(&self) -> (&Place, &str, &str) {
        (&self.place, self.rule, &self.message)
    }
}

/// Returns a list of names for a message.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Merges the findings of the instantiations of a template: one finding for each rule and location. If not all
/// instantiations have it, a help names the ones that do. `all` returns the number of instantiations, given one of them.
pub fn merge_instantiations(diagnostics: &mut Vec<Diagnostic>, all: impl Fn(&str) -> usize) {
    if diagnostics.iter().all(|d| d.instantiations.is_empty()) {
        return;
    }
    // The most severe finding of each location is kept.
    diagnostics.sort_by_key(|d| (d.place.clone(), d.rule, Reverse(d.severity), Reverse(d.confidence)));
    diagnostics.dedup_by(|later, first| {
        let is_same = later.place == first.place
            && later.rule == first.rule
            && !later.instantiations.is_empty()
            && !first.instantiations.is_empty();
        if is_same {
            first.instantiations.append(&mut later.instantiations);
        }
        is_same
    });
    for diagnostic in diagnostics.iter_mut() {
        let names = &mut diagnostic.instantiations;
        names.sort();
        names.dedup();
        match &names[..] {
            [] => {}
            [first, ..] if names.len() >= all(first) => names.clear(),
            names => {
                let (found, all) = (names.len(), all(&names[0]));
                let text = format!("{found} of {all} instantiations have this finding: {}", quoted(names));
                diagnostic.help.push(truncate_middle(text));
            }
        }
    }
}

/// The maximum length of a message in bytes. Names and literals in messages can have megabytes.
const MAX_MESSAGE_LENGTH: usize = 1_000;

/// Removes the middle of a message that is too long.
fn truncate_middle(mut message: String) -> String {
    if message.len() > MAX_MESSAGE_LENGTH {
        let boundary = |at: &usize| message.is_char_boundary(*at);
        let from = (0..=MAX_MESSAGE_LENGTH / 2).rev().find(boundary).unwrap_or(0);
        let to =
            (message.len() - MAX_MESSAGE_LENGTH / 4..message.len()).find(boundary).unwrap_or(message.len());
        message.replace_range(from..to, " … ");
    }
    message
}

/// The order of output: by file, position, rule, message, and then by all other fields, so that the output does not
/// depend on the schedule of threads.
impl Ord for Diagnostic {
    fn cmp(&self, other: &Diagnostic) -> Ordering {
        /// Returns the fields, most significant first.
        fn key(d: &Diagnostic) -> impl Ord + '_ {
            let first = (&d.place.file, d.place.range.start, d.rule, &d.message, d.place.range.end);
            let held = (&d.assumes, &d.branch, &d.also, &d.builds, &d.instantiations, &d.definitions);
            let words = (&d.function, &d.label, &d.related, &d.help, &d.fixes, held);
            // Among duplicates, the most severe comes first and is kept: files can have different levels for a rule.
            let confirmed = d.evidence.as_ref().is_some_and(Evidence::is_confirmed);
            let evidence = (Reverse(confirmed), &d.evidence);
            (first, Reverse(d.severity), words, &d.suppression, d.about, evidence)
        }
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Diagnostic {
    fn partial_cmp(&self, other: &Diagnostic) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Sorts findings into the order of output and removes duplicates. A header is analysed with each file that includes
/// it, but its findings are reported once.
pub fn sort_and_dedupe(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort();
    diagnostics.dedup_by(|later, first| later.identity() == first.identity());
}

/// Access to the texts of files.
pub trait SourceTexts {
    /// Returns the text of a file with this printed name.
    fn text(&self, file: &str) -> Option<Arc<SourceText>>;
}

/// Returns the start and the exclusive end of a location as lines and columns.
fn positions(sources: &dyn SourceTexts, place: &Place) -> (Position, Position) {
    match sources.text(&place.file) {
        Some(text) => {
            let range = text.clamp(&place.range);
            (text.position(range.start), text.position(range.end))
        }
        // A file without a readable text is reported as a whole.
        None => (Position { line: 1, column: 1 }, Position { line: 1, column: 1 }),
    }
}

/// Returns the last line of a run: `2 warnings, 1 error in 3 files`.
pub fn summary<'a>(findings: impl Iterator<Item = &'a Diagnostic> + Clone, files: usize) -> String {
    let count = |severity| findings.clone().filter(|d| d.severity == severity).count();
    let parts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(|severity| match count(severity) {
            0 => None,
            n => Some(counted(n, severity.name())),
        })
        .collect();
    match parts.is_empty() {
        true => format!("no findings in {}", counted(files, "file")),
        false => format!("{} in {}", parts.join(", "), counted(files, "file")),
    }
}

/// Formats a count: `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    match noun {
        _ if count == 1 => format!("1 {noun}"),
        "fix" => format!("{count} fixes"),
        _ => format!("{count} {noun}s"),
    }
}

/// Returns the rules with findings, in alphabetical order.
fn rules_of(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|d| d.rule).collect::<BTreeSet<_>>().into_iter().collect()
}
