//! `wrong-mask-constant`: all lanes of the warp reach an operation, and its masks are wrong for some of them.

use tangle_diagnostic::{Diagnostic, Rule, Severity};

use crate::divergence::DivergenceContext;
use crate::divergence::cause_text::{headline, with_places};
use crate::divergence::confidence::graded;
use crate::divergence::facts::SharedFacts;
use crate::divergence::masks::{MaskMistake, UnnamedCallers};
use crate::interests::Interest;
use crate::item_context::{finding, place, with_macros};
use crate::rule::{Check, Entry, Evidence};
use crate::wording::headline::fitting;
use crate::wording::lanes;
use tangle_analysis::uniformity::Confidence;
use tangle_syntax::dialect::Scope;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "wrong-mask-constant",
        severity: Severity::Error,
        on: true,
        summary: "a mask that does not name all lanes that execute the operation together",
        page: include_str!("../pages/wrong-mask-constant.md"),
    },
    required: &[Interest::PartialMask],
    evidence: Some(Evidence::MissingThreads),
    check: Check::Functions(check),
};

fn check(facts: &SharedFacts, found: &mut Vec<Diagnostic>) {
    let own = facts.masks.unnamed.iter().filter(|it| it.all_reach);
    found.extend(own.map(|it| describe(facts.context, it, &RULE.rule)));
}

/// Returns the finding about lanes that are not in their mask, or name a lane with another mask.
pub(crate) fn describe(
    context: &DivergenceContext,
    unnamed: &UnnamedCallers,
    rule: &'static Rule,
) -> Diagnostic {
    let &UnnamedCallers { operation, lanes, mask, is_one_mask, surely, may_not_exist, .. } = unnamed;
    let known = context.known(unnamed.function);
    let subject = context.subject(known);
    let located = subject.locator.locate(known.span(&operation));
    let vocabulary = context.vocabulary();
    let (name, group, threads) = (operation.name, &vocabulary.subgroup, vocabulary.threads());
    let this = match operation.function {
        Some(_) => format!("this call of `{name}`, which runs `{}`", unnamed.name),
        None => format!("this `{name}`"),
    };
    let who = lanes::lanes(lanes);
    let is_one = lanes.count_ones() == 1;
    let mask = lanes::mask(mask);
    let (message, label) = match &unnamed.mistake {
        MaskMistake::Unnamed => {
            let verb = match (surely, is_one) {
                (true, true) => "executes",
                (true, false) => "execute",
                (false, _) => "may execute",
            };
            let is = if is_one { "is" } else { "are" };
            let which = match (is_one_mask, is_one) {
                (true, _) => format!("the mask {mask}"),
                (false, true) => "its mask".to_owned(),
                (false, false) => "their masks".to_owned(),
            };
            let long = format!("{who} {verb} {this}, but {is} not in {which}");
            let short = format!("{who} {verb} `{name}`, but {is} not in {which}");
            let label = match is_one_mask {
                true => format!("the mask {mask} does not name {who}"),
                false => format!("lane {} passes the mask {mask}", lanes.trailing_zeros()),
            };
            (fitting([long, short]), label)
        }
        MaskMistake::Mixed { other, mask: of_other } => {
            let of_other = lanes::mask(*of_other);
            let long = format!("{who} of {this} names lane {other}, which passes the mask {of_other}");
            let short = format!("{who} names lane {other}, which passes another mask to `{name}`");
            (fitting([long, short]), format!("{who} passes the mask {mask}, and lane {other} {of_other}"))
        }
        MaskMistake::FalseVote(blame) => {
            let before = [
                format!("lanes outside the mask also reach {this}: the vote of the mask depends on "),
                format!("lanes outside the mask also reach `{name}`: the vote depends on "),
            ];
            let message = headline(context, unnamed.function, blame, &before);
            (message, "lanes with a false vote also execute this call".to_owned())
        }
    };
    let mut diagnostic = finding(context.db, rule, &located, message)
        .in_function(known.name())
        .in_instantiation(known.instantiation())
        .with_label(label);
    if !surely || may_not_exist {
        diagnostic.severity = Severity::Warning;
        diagnostic.confidence = Confidence::Likely;
    }
    if let MaskMistake::FalseVote(blame) = &unnamed.mistake {
        let id = unnamed.function;
        diagnostic = graded(context, id, blame, with_places(context, id, blame, Scope::Subgroup, diagnostic));
    }
    if let Some(inner) = context.called(&operation) {
        let run = inner.operations.iter().find(|it| it.name == unnamed.name);
        if let Some(run) = run {
            let at = context.subject(inner).locator.locate(inner.span(run)).at;
            diagnostic =
                diagnostic.with_related(place(context.db, &at), format!("`{name}` runs `{}` here", run.name));
        }
    }
    let diagnostic = with_macros(context.db, diagnostic, &located);
    diagnostic.with_help(match (&unnamed.mistake, may_not_exist) {
        (MaskMistake::Unnamed, true) => {
            format!("name all lanes of the {group} that execute the call, unless blocks have fewer {threads}")
        }
        (MaskMistake::Unnamed, false) => {
            "pass a mask with the bit of each lane that executes the call, or let only the named lanes execute it"
                .to_owned()
        }
        (MaskMistake::FalseVote(_), _) => {
            "call it only in the lanes whose vote is true, or pass the mask of all lanes that call it".to_owned()
        }
        (MaskMistake::Mixed { .. }, _) => "pass one mask in all lanes that the mask names".to_owned(),
    })
}
