//! What there is to say, as data, and the ways to say it.
//!
//! A [`Diagnostic`] holds places as byte ranges and words, and nothing about any format; each format has a file here
//! and writes to anything that takes bytes. The analyses below know nothing of this module: only `lint` puts facts into
//! words.

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

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

pub use source_text::{Position, SourceText};

/// How much a finding matters. Ordered: what is worse is greater.
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

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Severity, String> {
        [Severity::Note, Severity::Warning, Severity::Error]
            .into_iter()
            .find(|severity| severity.name() == text)
            .ok_or_else(|| format!("unknown severity `{text}`: expected `error`, `warning` or `note`"))
    }
}

/// A rule that findings are of, as `tangle rules` and `tangle explain` tell of it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub id: &'static str,
    /// How much a finding matters unless the user says otherwise.
    pub severity: Severity,
    /// Whether it is asked unless the user says otherwise.
    pub on: bool,
    /// What the rule finds, in one line.
    pub summary: &'static str,
    /// The page of documentation, in Markdown.
    pub page: &'static str,
}

impl Rule {
    /// The default, as lists of rules have it.
    pub fn default_level(&self) -> &'static str {
        if self.on { self.severity.name() } else { "off" }
    }
}

/// Where something is written: a byte range in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file's name as it is printed.
    pub file: Arc<str>,
    pub range: Range<usize>,
}

impl Place {
    pub fn new(file: impl Into<Arc<str>>, range: Range<usize>) -> Place {
        Place { file: file.into(), range }
    }
}

/// Places in one file are in the order in which a reader meets them.
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

/// A second place that explains the first: a jump, a label, the definition of a macro.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    pub place: Place,
    pub message: String,
    /// A step of the chain of causes. The steps of a finding begin at its place and end at the source of divergence.
    pub is_step: bool,
}

impl Label {
    pub fn new(place: Place, message: impl Into<String>) -> Label {
        Label { place, message: readable(message.into()), is_step: false }
    }
}

/// A change to the text that a tool may make for the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fix {
    pub title: String,
    pub applicability: Applicability,
    /// In the order of the text, without overlap.
    pub edits: Vec<Edit>,
}

/// Whether a tool may make a change without being asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// Executions in which no thread misses a convergent operation have the same results as before.
    Safe,
    /// It may change what the program computes.
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

/// A piece of text to put in the place of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edit {
    pub place: Place,
    pub text: String,
}

/// Why a finding is not told: a comment in the source says so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suppression {
    /// In the words of the comment.
    pub reason: String,
    /// Where comments name the rule of the finding.
    pub by: Vec<Place>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub rule: &'static str,
    pub severity: Severity,
    pub place: Place,
    /// The function that holds the place, if one does.
    pub function: Option<String>,
    /// The whole matter in one sentence: every format shows it.
    pub message: String,
    /// What stands at the place itself, in a few words, where the source is shown beside it. Empty if there is nothing
    /// to add to `message`.
    pub label: String,
    /// Other places, in the order in which they explain the matter.
    pub related: Vec<Label>,
    /// What the user may do about it.
    pub help: Vec<String>,
    pub fixes: Vec<Fix>,
    /// Where what is not known stands that the finding takes something for granted of. The notes on it are in `related`.
    pub assumes: Vec<Place>,
    /// The branch at which threads part. Of findings of one rule in one function that have it in common, one is told.
    pub cause: Option<Place>,
    /// Further places of which it says the same as of its own. Words for the first of them are in `related`.
    pub also: Vec<Place>,
    /// The builds in which it holds, by name, if it does not hold in all of the file.
    pub builds: Vec<String>,
    /// What has to be defined for it to hold, `NAME=VALUE` each, beside what the build defines.
    pub definitions: Vec<String>,
    /// Formats for people leave out what is suppressed.
    pub suppression: Option<Suppression>,
    /// The rule that the finding speaks of, if that is another than its own: it matters only where that rule is on.
    pub about: Option<&'static str>,
    /// The name of which it says that nothing declares it.
    pub undeclared: Option<String>,
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
            place,
            function: None,
            message: readable(message.into()),
            label: String::new(),
            related: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            assumes: Vec::new(),
            cause: None,
            also: Vec::new(),
            builds: Vec::new(),
            definitions: Vec::new(),
            suppression: None,
            about: None,
            undeclared: None,
        }
    }

    /// Says that it is about a name that nothing declares.
    pub fn on_undeclared(mut self, name: impl Into<String>) -> Diagnostic {
        self.undeclared = Some(name.into());
        self
    }

    pub fn in_function(mut self, name: impl Into<String>) -> Diagnostic {
        self.function = Some(readable(name.into()));
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

    /// Adds what is taken for granted of something that is not known.
    pub fn with_assumption(mut self, place: Place, message: impl Into<String>) -> Diagnostic {
        self.assumes.push(place.clone());
        self.with_related(place, message)
    }

    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(readable(help.into()));
        self
    }

    pub fn with_fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }

    /// Says at which branch threads part.
    pub fn because_of(mut self, branch: Option<Place>) -> Diagnostic {
        self.cause = branch;
        self
    }

    /// Says where it holds, if that is not everywhere: in builds, or with definitions.
    pub fn holding(mut self, builds: Vec<String>, definitions: Vec<String>) -> Diagnostic {
        let quoted =
            |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
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

    /// Changes all places that it names.
    pub fn for_each_place(&mut self, change: &mut dyn FnMut(&mut Place)) {
        change(&mut self.place);
        self.related.iter_mut().for_each(|label| change(&mut label.place));
        self.assumes.iter_mut().for_each(&mut *change);
        self.cause.iter_mut().chain(&mut self.also).for_each(&mut *change);
        self.fixes.iter_mut().flat_map(|fix| &mut fix.edits).for_each(|edit| change(&mut edit.place));
        self.suppression.iter_mut().flat_map(|suppression| &mut suppression.by).for_each(change);
    }

    /// What makes two findings one and the same for the reader.
    pub fn identity(&self) -> (&Place, &str, &str) {
        (&self.place, self.rule, &self.message)
    }
}

/// The longest text of a message, in bytes. Names and literals of megabytes stand in messages too.
const LONGEST: usize = 1_000;

/// A message without the middle of what nobody reads to the end.
fn readable(mut message: String) -> String {
    if message.len() > LONGEST {
        let boundary = |at: &usize| message.is_char_boundary(*at);
        let from = (0..=LONGEST / 2).rev().find(boundary).unwrap_or(0);
        let to = (message.len() - LONGEST / 4..message.len()).find(boundary).unwrap_or(message.len());
        message.replace_range(from..to, " … ");
    }
    message
}

/// Findings are printed in this order: by file, place, rule, message, and then by everything else, so that the output
/// never depends on which thread was first.
impl Ord for Diagnostic {
    fn cmp(&self, other: &Diagnostic) -> Ordering {
        /// The fields, in the order in which they count.
        fn key(d: &Diagnostic) -> impl Ord + '_ {
            let first = (&d.place.file, d.place.range.start, d.rule, &d.message, d.place.range.end);
            let held = (&d.assumes, &d.cause, &d.also, &d.builds, &d.definitions);
            let words = (&d.function, &d.label, &d.related, &d.help, &d.fixes, held);
            // Of what is the same to a reader the worst comes first, and stays: files may weigh a rule differently.
            (first, Reverse(d.severity), words, &d.suppression, d.about)
        }
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Diagnostic {
    fn partial_cmp(&self, other: &Diagnostic) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Puts findings into the order of output, and keeps one of those that say the same of the same place: a header that
/// several files include is analysed for each, and told once.
pub fn sort_and_dedupe(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort();
    diagnostics.dedup_by(|later, first| later.identity() == first.identity());
}

/// Where the texts of the files are to be had.
pub trait Sources {
    /// The text of a file, by the name under which it is printed.
    fn text(&self, file: &str) -> Option<Arc<SourceText>>;
}

/// The two ends of a place, as a reader counts them; `end` is exclusive.
fn positions(sources: &dyn Sources, place: &Place) -> (Position, Position) {
    match sources.text(&place.file) {
        Some(text) => {
            let range = text.clamp(&place.range);
            (text.position(range.start), text.position(range.end))
        }
        // A file without a text (it could not be read) is pointed at as a whole.
        None => (Position { line: 1, column: 1 }, Position { line: 1, column: 1 }),
    }
}

/// `2 warnings, 1 error in 3 files`: the last line of a run.
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

/// `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    match noun {
        _ if count == 1 => format!("1 {noun}"),
        "fix" => format!("{count} fixes"),
        _ => format!("{count} {noun}s"),
    }
}

/// The rules that occur, in alphabetical order.
fn rules_of(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|d| d.rule).collect::<BTreeSet<_>>().into_iter().collect()
}
