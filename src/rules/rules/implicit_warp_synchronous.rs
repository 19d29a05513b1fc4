//! `implicit-warp-synchronous`: lanes of a warp access the same memory, one of them stores, and no barrier orders them.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use tangle_analysis::flow::Op;
use tangle_analysis::flow::skeletons::{Irreducible, skeletons};
use tangle_analysis::program::{Definition, DefinitionId, functions};
use tangle_analysis::races::{BlockSize, KernelRaces, races};
use tangle_diagnostic::{Diagnostic, Rule, Severity};
use tangle_grammar::ast::Span;
use tangle_grammar::symbol::Symbol;
use tangle_ir::warp_races::{Place, Race};

use crate::file::FileFacts;
use crate::item_context::{Subject, finding, place, with_macros};
use crate::quote::source_text;
use crate::rule::{Check, Entry, Evidence};
use crate::wording::cause::quoted;

pub(crate) static RULE: Entry = Entry {
    rule: Rule {
        id: "implicit-warp-synchronous",
        severity: Severity::Warning,
        on: true,
        summary: "accesses of lanes of a warp to the same memory that no barrier orders",
        page: include_str!("../pages/implicit-warp-synchronous.md"),
    },
    required: &[],
    evidence: Some(Evidence::Race),
    check: Check::Files(check),
};

/// The greatest number of further accesses that a finding lists.
const MAX_FURTHER: usize = 3;

fn check(file: &FileFacts, found: &mut Vec<Diagnostic>) {
    let mut reported: FxHashSet<(DefinitionId, Span)> = FxHashSet::default();
    for kernel in races(file.db, file.source, file.settings) {
        // One finding for each object: usually, one missing barrier explains all its races.
        let mut by_object: IndexMap<Option<Symbol>, Vec<&Race>, FxBuildHasher> = IndexMap::default();
        for race in kernel.races {
            by_object.entry(race.shared).or_default().push(race);
        }
        // A certain race first.
        by_object.values_mut().for_each(|races| races.sort_by_key(|race| !race.is_certain));
        for races in by_object.values() {
            let reported_kernel = Reported { file, kernel: &kernel };
            let (at, span) = reported_kernel.source(races[0].second);
            // Kernels share functions.
            if reported.insert((at, span)) {
                found.push(reported_kernel.diagnostic(races));
            }
        }
    }
}

/// The races of a kernel in a file.
struct Reported<'f, 'a> {
    file: &'f FileFacts<'a>,
    kernel: &'f KernelRaces<'a>,
}

impl<'f, 'a> Reported<'f, 'a> {
    fn definition(&self, at: DefinitionId) -> &'f Definition<'f> {
        functions(self.file.db, self.file.source, self.file.settings).get(at)
    }

    /// Returns the function of an access, and its location there.
    fn source(&self, access: Place) -> (DefinitionId, Span) {
        let at = self.kernel.functions[access.function as usize];
        let definition = self.definition(at);
        let skeletons = skeletons(self.file.db, definition.item.scoped, Irreducible::Anchor);
        let function = skeletons.0[definition.body as usize].as_ref().map(|skeleton| &skeleton.function);
        let span = function.map_or(Span::new(0, 0), |function| {
            let value = &function.values[access.value];
            match &value.op {
                // The location of a store is that of the whole assignment, and of a variable that of its declaration.
                Op::Store { address, .. } | Op::Copy { from: address, .. }
                    if !function.values[*address].op.is_leaf() =>
                {
                    function.values[*address].span
                }
                _ => value.span,
            }
        });
        (at, span)
    }

    fn subject(&self, at: DefinitionId) -> Subject<'f> {
        Subject::of_definition(self.file.db, self.definition(at))
    }

    fn diagnostic(&self, races: &[&Race]) -> Diagnostic {
        let race = races[0];
        let db = self.file.db;
        let vocabulary = self.file.dialect.vocabulary();
        let (at, span) = self.source(race.second);
        let subject = self.subject(at);
        let located = subject.locator.locate(span);
        let (first_at, first_span) = self.source(race.first);
        // The read has a better text: a store may be a whole assignment.
        let access = match race.first_stores {
            true => quoted(source_text(&subject, span)),
            false => quoted(source_text(&self.subject(first_at), first_span)),
        };
        let (first, second) = (race.first_lane, race.second_lane);
        let (message, label, earlier) = match race.first_stores {
            _ if !race.is_certain => {
                let (did, does) = if race.first_stores { ("stores", "read") } else { ("reads", "store") };
                (
                    format!("no barrier is between an access that {did} an unknown element and this {does}"),
                    format!("lane {second} may {does} here what lane {first} {did}"),
                    format!("lane {first} {did} here"),
                )
            }
            true => (
                format!("no barrier is between a store in one lane and this read of {access} in another"),
                format!("lane {second} reads here what lane {first} stores"),
                format!("lane {first} stores it here"),
            ),
            false => (
                format!("no barrier is between a read of {access} in one lane and this store in another"),
                format!("lane {second} stores here what lane {first} reads"),
                format!("lane {first} reads it here"),
            ),
        };
        let kernel = self.definition(self.kernel.kernel);
        let first_place = place(db, &self.subject(first_at).locator.locate(first_span).at);
        let mut diagnostic = finding(db, &RULE.rule, &located, message)
            .in_function(self.definition(at).body(db).name.text.as_str())
            .in_instantiation(kernel.instantiation.as_deref())
            .with_label(label)
            .with_related(first_place, earlier);
        let mut listed: FxHashSet<(DefinitionId, Span)> = FxHashSet::from_iter([(at, span)]);
        let further = races[1..].iter().map(|race| (self.source(race.second), race));
        let further = further.filter(|(source, _)| listed.insert(*source));
        for ((at, span), race) in further.take(MAX_FURTHER) {
            let (first, second) = (race.first_lane, race.second_lane);
            let text = match race.first_stores {
                true => format!("here too: lane {second} reads what lane {first} stores"),
                false => format!("here too: lane {second} stores what lane {first} reads"),
            };
            diagnostic = diagnostic.with_related(place(db, &self.subject(at).locator.locate(span).at), text);
        }
        let diagnostic = with_macros(db, diagnostic, &located);
        // `s[i] += s[j]`: no place is between the two.
        let is_one_statement = first_at == at && first_span.end >= span.start && !race.first_stores;
        let help = match is_one_statement {
            true => "read into a variable, call `__syncwarp()`, and then store".to_owned(),
            false => format!(
                "call `__syncwarp()` between the two, or `{}` if several {}s use this memory",
                vocabulary.barrier, vocabulary.subgroup
            ),
        };
        let diagnostic = diagnostic.with_help(help);
        let mut diagnostic = diagnostic;
        if !race.is_certain {
            diagnostic.severity = Severity::Note;
        }
        match self.kernel.block {
            BlockSize::Assumed([x, y, z]) => diagnostic
                .with_help(format!("the size of the block is unknown: {x}×{y}×{z} threads are assumed")),
            BlockSize::Launched([x, y, z]) => {
                diagnostic.with_help(format!("host code launches blocks of {x}×{y}×{z} threads"))
            }
            BlockSize::Known(_) => diagnostic,
        }
    }
}
