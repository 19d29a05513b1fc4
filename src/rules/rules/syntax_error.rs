//! `syntax-error`: text that the parser or the preprocessor rejects, and invalid labels and jumps.

use crate::rule::{Check, Entry};
use tangle_grammar::ast::Span;

use crate::file::{At, FileFacts, Interpretation};
use crate::item_context::{ItemContext, finding, place, with_macros};
use crate::other_language::OtherLanguage;
use tangle_diagnostic::{Diagnostic, Place, Rule, Severity};
use tangle_hir::bodies;
use tangle_hir::body::{Body, BodyError};
use tangle_syntax::db::Db;
use tangle_syntax::dialect::content::is_cuda_or_hip;
use tangle_syntax::items::{TextRange, is_named_for_opencl, parse};
use tangle_syntax::preprocess;
use tangle_syntax::source::SourceFile;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "syntax-error",
        severity: Severity::Error,
        on: true,
        summary: "text that does not follow the grammar of the language",
        page: include_str!("../pages/syntax-error.md"),
    },
    required: &[],
    evidence: None,
    check: Check::Files(check),
};

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    let mut own = Vec::new();
    file.items().for_each(|subject| of_item(subject, &mut own));
    for problem in file.problems.iter().filter(|problem| !problem.what.is_benign()) {
        own.push((problem.located.at.file, of_preprocessor(file.db, problem)));
    }
    for word in &file.unknown_words {
        if let Interpretation::Wrong(wrong) = word.interpretation {
            let message = format!("{wrong} `{}`", word.name);
            let finding = finding(file.db, &RULE.rule, &word.located, message);
            own.push((word.located.at.file, with_macros(file.db, finding, &word.located)));
        }
    }
    found.extend(own.into_iter().filter(|(at, _)| !file.foreign.has(*at)).map(|(_, finding)| finding));
    found
        .extend(file.foreign.files().map(|(source, at, language)| of_foreign(file.db, source, at, language)));
    found.extend(by_name(file));
}

fn of_item(subject: &ItemContext, found: &mut Vec<(SourceFile, Diagnostic)>) {
    let db = subject.db;
    for error in &parse(db, subject.item).errors {
        let located = subject.locator.locate(error.span);
        let mut diagnostic = finding(db, &RULE.rule, &located, &error.message);
        for (span, message) in &error.related {
            diagnostic = diagnostic.with_related(place(db, &subject.locator.locate(*span).at), message);
        }
        found.push((located.at.file, with_macros(db, diagnostic, &located)));
    }
    for body in &bodies(db, subject.item).0 {
        for problem in &body.problems {
            found.push(of_body(subject, body, problem));
        }
    }
}

fn of_body(subject: &ItemContext, body: &Body, problem: &BodyError) -> (SourceFile, Diagnostic) {
    let (span, message) = match problem {
        BodyError::UndefinedLabel(name) => {
            (name.span, format!("undeclared label `{}` in `{}`", name.text, body.name.text))
        }
        BodyError::DuplicateLabel { again, .. } => (again.span, format!("duplicate label `{}`", again.text)),
        BodyError::BreakOutside(span) => (*span, "`break` outside of a loop or `switch`".into()),
        BodyError::ContinueOutside(span) => (*span, "`continue` outside of a loop".into()),
        BodyError::ComputedGotos { first, gotos, labels } => (
            *first,
            format!(
                "too many computed jumps in `{}`: {gotos} `goto`s to {labels} labels cannot be analysed",
                body.name.text
            ),
        ),
        BodyError::CaseOutside(span) => (*span, "`case` or `default` outside of a `switch`".into()),
        BodyError::JumpIntoOpen { jump, .. } => {
            (*jump, "this jump enters a statement that is marked `noconvergent`".into())
        }
    };
    let located = subject.locator.locate(span);
    let mut diagnostic =
        finding(subject.db, &RULE.rule, &located, message).in_function(body.name.text.as_str());
    diagnostic.help.extend(help(problem));
    if let BodyError::DuplicateLabel { first, .. } = problem {
        let first = subject.locator.locate(first.span);
        diagnostic = diagnostic.with_related(place(subject.db, &first.at), "first defined here");
    }
    if let BodyError::JumpIntoOpen { open, .. } = problem {
        let begin = subject.locator.locate(Span::new(open.start, open.start + 1));
        diagnostic = diagnostic
            .with_related(place(subject.db, &begin.at), "this statement can be entered only at its start");
    }
    (located.at.file, with_macros(subject.db, diagnostic, &located))
}

/// Returns the help for a problem.
fn help(problem: &BodyError) -> Option<String> {
    Some(match problem {
        BodyError::UndefinedLabel(name) => {
            format!("add the label `{}:`, or jump to another label", name.text)
        }
        BodyError::DuplicateLabel { .. } => "rename one of the labels".into(),
        BodyError::BreakOutside(_) => "use `return` to leave the function".into(),
        BodyError::ComputedGotos { .. } => "replace the computed `goto`s with a `switch`".into(),
        BodyError::JumpIntoOpen { .. } => "move the label out of the marked statement".into(),
        BodyError::ContinueOutside(_) | BodyError::CaseOutside(_) => return None,
    })
}

fn of_preprocessor(db: &dyn Db, At { what, located, related }: &At<preprocess::Problem>) -> Diagnostic {
    let mut diagnostic = finding(db, &RULE.rule, located, what.message());
    diagnostic.help.extend(what.help());
    for other in related {
        diagnostic = diagnostic.with_related(place(db, &other.at), "the first `#else`");
    }
    with_macros(db, diagnostic, located)
}

/// Returns the single finding for all text of another language in a file.
fn of_foreign(db: &dyn Db, file: SourceFile, at: &TextRange, language: OtherLanguage) -> Diagnostic {
    let word = &file.text(db)[at.range.clone()];
    let (name, severity, help) = match language {
        OtherLanguage::Cuda => ("CUDA", Severity::Note, "lint the file with `--dialect cuda`"),
        OtherLanguage::Cpp => ("C++", Severity::Error, "rewrite this code in OpenCL C"),
    };
    let message = format!(
        "{name} in an OpenCL file: OpenCL C has no `{word}`; further errors of this kind are not reported"
    );
    let mut finding = Diagnostic::new(RULE.rule.id, severity, place(db, at), message);
    finding.help.push(format!("{help}: functions that use {name} may be missing from the analysis"));
    finding
}

/// Returns a note if a file is read as another language than its name implies, because of its content.
fn by_name(file: &FileFacts) -> Option<Diagnostic> {
    let (path, text) = (file.source.path(file.db), file.source.text(file.db));
    if !file.is_cpp() || !is_named_for_opencl(path) || !is_cuda_or_hip(&text) {
        return None;
    }
    let words = ["__global__", "__device__"].into_iter();
    let (at, word) = words.filter_map(|word| Some((text.find(word)?, word))).min()?;
    let title = file.dialect.title();
    let place = Place::new(path.clone(), at..at + word.len());
    let message = format!("the file is read as {title}: it has `{word}` and no words of OpenCL C");
    let mut finding = Diagnostic::new(RULE.rule.id, Severity::Note, place, message);
    finding.help.push("read it as OpenCL C with `--dialect opencl`".to_owned());
    Some(finding)
}
