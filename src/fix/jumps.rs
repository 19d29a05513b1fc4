//! Replaces forward `goto`s out of nested `if`s by `if`s. The program is the same, and its threads reconverge at the
//! label.
//!
//! ```text
//! if (a) {                    bool skip_out = false;
//!   if (b) goto out;          if (a) {
//!   f();                        if (b) skip_out = true;
//! }                             if (!skip_out) { f(); }
//! g();                        }
//! out: h();                   if (!skip_out) { g(); }
//!                             h();
//! ```
//!
//! **Rest** of a block: its statements after the one that contains a jump. A jump needs no variable if its `if` is the
//! last statement of all blocks between it and the block of the label: `if (b) goto out; f();` is `if (!(b)) { f(); }`.
//!
//! The replacement is correct under these conditions. Every jump to the label is before it, with only `if`s and blocks
//! between the jump and the block of the label. Only the threads that jump skip a rest, because no other jump enters
//! it: its only labels belong to complete `switch` statements. Declarations of a rest in the block of the label are not
//! used after the label. The changed text is in the document and not in a macro, and contains no directive.

use std::collections::BTreeMap;
use std::ops::Range;

use tangle_grammar::ast::{self, Span};

use super::edits::{Edits, indent, is_empty, line_end, line_of};
use super::{Rewrite, Site};
use tangle_analysis::lookup::BodyLookup;
use tangle_analysis::tangle::print::label_span;
use tangle_diagnostic::Applicability;
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_hir::resolve::{Reference, ReferenceKind};
use tangle_hir::typed::Storage;
use tangle_syntax::items::{spans, tokens};

/// Changes the jumps to a label. The statement of the site is the label, a jump to it, or an `if` that ends with one.
pub(super) fn at(site: &Site) -> Option<Rewrite> {
    structured(site, target(site)?)
}

/// Changes the jumps to a label.
pub(super) fn structured(site: &Site, target: StmtId) -> Option<Rewrite> {
    let body = site.body;
    let jumps = Jumps::of(site, target)?;
    let name = site.item().text(label_span(body.body, target));
    let name = name.trim_end_matches([' ', ':']);
    if !jumps.has_no_other_entry() || !jumps.declarations_stay_local() || !jumps.has_no_hidden_jump(name) {
        return None;
    }
    let edits = match jumps.without_variable() {
        Some(skips) => jumps.negated(&skips)?,
        None => jumps.flagged(name)?,
    };
    let title = format!("Replace the jumps to `{name}` by `if` (keeps the meaning of the program)");
    Some(Rewrite {
        title,
        edits,
        applicability: Applicability::Safe,
        fixes_mistake: false,
        adds_threads: false,
    })
}

fn target(site: &Site) -> Option<StmtId> {
    let body = site.body;
    let stmts = &body.body.stmts;
    let mut next = site.at.stmt(body);
    loop {
        let stmt = next?;
        match &stmts[stmt].kind {
            StmtKind::Goto(Some(target)) => return Some(*target),
            StmtKind::Label(_) => return Some(stmt),
            StmtKind::If { then, .. } => {
                if let Some((_, target)) = goto_at_end(body.body, *then) {
                    return Some(target);
                }
                next = stmts[stmt].parent;
            }
            _ => next = stmts[stmt].parent,
        }
    }
}

/// The `goto` at the end of a branch, and its label.
fn goto_at_end(body: &Body, branch: StmtId) -> Option<(StmtId, StmtId)> {
    let last = match &body.stmts[branch].kind {
        StmtKind::Compound(children) => *children.last()?,
        _ => branch,
    };
    match body.stmts[last].kind {
        StmtKind::Goto(target) => Some((last, target?)),
        _ => None,
    }
}

/// One block between a jump and the block of its label, from the inside out.
struct Level {
    block: StmtId,
    /// The statement of the block that is or contains the jump.
    holds: StmtId,
    /// Whether another statement follows it in the block; in the block of the label, before the label.
    rest: bool,
}

struct Jump {
    goto: StmtId,
    levels: Vec<Level>,
}

/// All jumps to a label. They are forward, and leave only `if`s and blocks.
struct Jumps<'a, 'b> {
    site: &'b Site<'a>,
    body: BodyLookup<'a>,
    target: StmtId,
    block: StmtId,
    /// The statement that contains the first of the jumps, in the block of the label.
    first: StmtId,
    jumps: Vec<Jump>,
}

/// An `if` without `else` that ends with a jump.
struct Skip {
    block: StmtId,
    stmt: StmtId,
    goto: StmtId,
    condition: Span,
    /// Its branch, and whether other statements precede the jump in it. `None` without braces.
    braces: Option<(StmtId, bool)>,
}

impl<'a, 'b> Jumps<'a, 'b> {
    fn of(site: &'b Site<'a>, target: StmtId) -> Option<Jumps<'a, 'b>> {
        let body = site.body;
        let stmts = &body.body.stmts;
        if !matches!(stmts[target].kind, StmtKind::Label(_)) {
            return None;
        }
        let block = stmts[target].parent?;
        let mut jumps = Vec::new();
        for (goto, stmt) in stmts.iter_enumerated() {
            match &stmt.kind {
                StmtKind::Goto(Some(to)) if *to == target => {
                    jumps.push(Jump { goto, levels: levels(body.body, goto, block, target)? });
                }
                // The targets of these are unknown.
                StmtKind::ComputedGoto(_) | StmtKind::Asm(_) => return None,
                _ => {}
            }
        }
        let first = jumps.first()?.levels.last()?.holds;
        Some(Jumps { site, body, target, block, first, jumps })
    }

    fn stmts(&self) -> impl Iterator<Item = (StmtId, &StmtKind)> {
        let between = self.first.index()..self.target.index();
        between.map(|id| (StmtId::from(id), &self.body.body.stmts[StmtId::from(id)].kind))
    }

    /// Whether no jump enters a skipped part: its only labels belong to complete `switch` statements.
    fn has_no_other_entry(&self) -> bool {
        let stmts = &self.body.body.stmts;
        let own_switch = |mut stmt: StmtId| loop {
            match stmts[stmt].parent {
                Some(parent) if parent < self.first => return false,
                Some(parent) if matches!(stmts[parent].kind, StmtKind::Switch { .. }) => return true,
                Some(parent) => stmt = parent,
                None => return false,
            }
        };
        self.stmts().all(|(id, kind)| match kind {
            StmtKind::Label(_) => false,
            StmtKind::Case(_) | StmtKind::Default(_) => own_switch(id),
            StmtKind::Error => false,
            _ => true,
        })
    }

    /// Whether the declarations between the first jump and the label can be in a block of their own.
    fn declarations_stay_local(&self) -> bool {
        let stmts = &self.body.body.stmts;
        let behind = stmts[self.target].span.start;
        let declares = self.stmts().filter(|&(id, kind)| {
            stmts[id].parent == Some(self.block) && matches!(kind, StmtKind::Declaration)
        });
        let spans: Vec<Span> = declares.map(|(id, _)| stmts[id].span).collect();
        if spans.is_empty() {
            return true;
        }
        let inside = |token: u32| spans.iter().any(|span| span.start <= token && token < span.end);
        // Variables in the address space `local` must be in the outermost block of a kernel.
        let Some(typed) = self.site.item().typed(self.body) else { return false };
        let automatic = typed
            .vars
            .iter()
            .filter(|var| inside(var.span.start))
            .all(|var| matches!(var.storage, Storage::Automatic));
        let references = self.site.item().references();
        let declares =
            |role: ReferenceKind| matches!(role, ReferenceKind::Declaration | ReferenceKind::Definition);
        let declared: Vec<_> = references
            .iter()
            .filter(|reference| declares(reference.role) && inside(reference.name.span.start))
            .map(|reference| reference.name.text)
            .collect();
        // Conservative: also if the name refers to another variable after the label.
        let end = stmts[self.block].span.end;
        let later = |token: u32| behind <= token && token < end;
        let used = |reference: &Reference| {
            later(reference.name.span.start) && declared.contains(&reference.name.text)
        };
        automatic && !references.iter().any(used)
    }

    /// Whether the active jumps are the only jumps to the label in the text, and no preprocessor condition is between
    /// the jumps and the label. Otherwise the braces might not match.
    fn has_no_hidden_jump(&self, name: &str) -> bool {
        let item = self.site.item();
        let stmts = &self.body.body.stmts;
        let (Some(all), Some(from), Some(to)) = (
            item.bytes(item.extent(self.body)),
            item.bytes(stmts[self.first].span),
            item.plain(label_span(self.body.body, self.target)),
        ) else {
            return false;
        };
        let reading = item.reading;
        let (lexed, spans) = (tokens(reading.db, reading.file), spans(reading.db, reading.file));
        let within = |token: u32, range: &Range<usize>| range.contains(&spans.get(token).start);
        let spelling = |token: u32| lexed.tokens.get(token as usize).map_or("", |token| token.spelling());
        let first = spans.token_at(all.start).unwrap_or(0);
        let written = (first..spans.len() as u32)
            .take_while(|&token| spans.get(token).start < all.end)
            .filter(|&token| {
                spelling(token) == name && matches!(spelling(token.wrapping_sub(1)), "goto" | "&&")
            })
            .count();
        let conditions = lexed.directives.iter().any(|&hash| {
            within(hash, &(from.start..to.end))
                && !matches!(spelling(hash + 1), "pragma" | "line" | "error" | "warning")
        });
        written == self.jumps.len() && !conditions
    }

    /// The jumps as `if`s that can be negated. `None` if a jump also skips a rest outside of its `if`.
    fn without_variable(&self) -> Option<Vec<Skip>> {
        let stmts = &self.body.body.stmts;
        let skip = |jump: &Jump| {
            // The branch of a jump in braces is a separate level, and the jump is its last statement.
            let outer = match &stmts[jump.goto].parent {
                Some(parent)
                    if matches!(stmts[*parent].kind, StmtKind::Compound(_)) && *parent != self.block =>
                {
                    (!jump.levels.first()?.rest).then(|| &jump.levels[1..])?
                }
                _ => &jump.levels[..],
            };
            let (own, around) = outer.split_first()?;
            let StmtKind::If { then, otherwise: None, .. } = stmts[own.holds].kind else { return None };
            if around.iter().any(|level| level.rest) || goto_at_end(self.body.body, then)?.0 != jump.goto {
                return None;
            }
            let ast::StmtKind::If { condition, .. } =
                self.site.item().ast().stmts[stmts[own.holds].syntax].kind
            else {
                return None;
            };
            let braces = match &stmts[then].kind {
                StmtKind::Compound(children) => Some((then, children.len() > 1)),
                _ => None,
            };
            let condition = self.site.item().ast().exprs[condition].span;
            Some(Skip { block: own.block, stmt: own.holds, goto: jump.goto, condition, braces })
        };
        self.jumps.iter().map(skip).collect()
    }

    /// Replaces `if (c) goto out;` by `if (!(c)) {`, and `if (c) { f(); goto out; }` by `if (c) { f(); } else {`.
    fn negated(&self, skips: &[Skip]) -> Option<Edits> {
        let (item, text) = (self.site.item(), &*self.site.text);
        let stmts = &self.body.body.stmts;
        let mut edits = Edits::default();
        let mut opened = Opened::default();
        for skip in skips {
            let goto = item.plain(stmts[skip.goto].span)?;
            let condition = item.bytes(skip.condition)?;
            // The parentheses around it must also be in the source text.
            item.plain(Span::new(skip.condition.start.checked_sub(1)?, skip.condition.start))?;
            let behind = item.plain(Span::new(skip.condition.end, skip.condition.end + 1))?.end;
            let turned = |edits: &mut Edits| match self.site.negated(self.body.body, skip.stmt) {
                Some(negated) => edits.replace(condition.clone(), negated),
                None => {
                    edits.insert(condition.start, "!(");
                    edits.insert(condition.end, ")");
                }
            };
            let mut from = goto.end;
            match skip.braces {
                None => {
                    turned(&mut edits);
                    match text[behind..goto.start].trim().is_empty() {
                        true => edits.replace(behind..goto.end, " {"),
                        false => edits.replace(goto, "{"),
                    }
                }
                Some((branch, kept)) => {
                    let close = item.plain_end(stmts[branch].span)?;
                    let open =
                        item.plain(Span::new(stmts[branch].span.start, stmts[branch].span.start + 1))?;
                    let before =
                        goto.start - (text[..goto.start].len() - text[..goto.start].trim_end().len());
                    let alone = before == open.end && text[goto.end..close.start].trim().is_empty();
                    from = close.end;
                    match (kept, alone) {
                        (true, _) => {
                            edits.replace(before..goto.end, "");
                            edits.insert(close.end, " else {");
                        }
                        (false, true) => {
                            turned(&mut edits);
                            edits.replace(before..close.end, "");
                        }
                        // A comment about the jump stays.
                        (false, false) => {
                            turned(&mut edits);
                            edits.replace(with_space(text, &goto), "");
                            edits.replace(with_space(text, &close), "");
                        }
                    }
                }
            }
            opened.entry(skip.block).or_default().push(from);
            // Its last token must not come from a macro.
            item.plain_end(stmts[skip.stmt].span)?;
        }
        self.close(&opened, &mut edits)?;
        Some(edits)
    }

    /// Uses a variable that is true in the threads that have jumped.
    fn flagged(&self, name: &str) -> Option<Edits> {
        let (item, text) = (self.site.item(), &*self.site.text);
        let stmts = &self.body.body.stmts;
        let flag = self.site.unused_name(&format!("skip_{name}"))?;
        let mut edits = Edits::default();
        let mut opened = Opened::default();
        for jump in &self.jumps {
            edits.replace(item.plain(stmts[jump.goto].span)?, format!("{flag} = true;"));
            for level in jump.levels.iter().filter(|level| level.rest) {
                let end = item.plain_end(stmts[level.holds].span)?.end;
                let line = line_of(text, end);
                // A comment after the statement on its line belongs to it.
                let from = if is_empty(&text[end..line.end.max(end)]) { line.end } else { end };
                let known = opened.entry(level.block).or_default();
                if !known.contains(&from) {
                    known.push(from);
                }
            }
        }
        let first =
            item.plain(Span::new(stmts[self.first].span.start, stmts[self.first].span.start + 1))?.start;
        let own = indent(text, first);
        edits.insert(first, format!("bool {flag} = false;{}{own}", line_end(text, first)));
        let rests = self.rests(&opened)?;
        for (block, places) in &opened {
            let own = self.indent_in(*block)?;
            for &from in places {
                let deeper = self.site.indent_unit().repeat(depth(&rests, from));
                edits.insert(from, format!("{}{deeper}{own}if (!{flag}) {{", line_end(text, from)));
            }
        }
        self.close(&opened, &mut edits)?;
        Some(edits)
    }

    /// The indentation of the statements of a block.
    fn indent_in(&self, block: StmtId) -> Option<&str> {
        let stmts = &self.body.body.stmts;
        let StmtKind::Compound(children) = &stmts[block].kind else { return None };
        let first = if block == self.block { self.first } else { *children.first()? };
        Some(indent(&self.site.text, self.site.item().bytes(stmts[first].span)?.start))
    }

    /// The end of the opened `if`s of a block.
    fn end_of(&self, block: StmtId) -> Option<usize> {
        let (item, body) = (self.site.item(), self.body.body);
        match block == self.block {
            true => Some(item.plain(label_span(body, self.target))?.start),
            false => Some(item.plain_end(body.stmts[block].span)?.start),
        }
    }

    /// The ranges of all opened `if`s.
    fn rests(&self, opened: &Opened) -> Option<Vec<Range<usize>>> {
        let mut rests = Vec::new();
        for (block, places) in opened {
            let end = self.end_of(*block)?;
            rests.extend(places.iter().map(|&from| from..end));
        }
        Some(rests)
    }

    /// Closes the opened `if`s of each block at its end, and in the block of the label at the label. Indents the text
    /// in them.
    fn close(&self, opened: &Opened, edits: &mut Edits) -> Option<()> {
        let (item, text) = (self.site.item(), &*self.site.text);
        let rests = self.rests(opened)?;
        let unit = self.site.indent_unit();
        let closed = |own: &str, count: usize, at: usize| -> String {
            let outer = depth(&rests, at);
            let line = |depth: usize| format!("{}{own}}}{}", unit.repeat(outer + depth), line_end(text, at));
            (0..count).rev().map(line).collect()
        };
        for (&block, places) in opened.iter().filter(|(block, _)| **block != self.block) {
            let close = self.end_of(block)?;
            let line = line_of(text, close).start;
            match text[line..close].trim().is_empty() {
                true => edits.insert(line, closed(self.indent_in(block)?, places.len(), close)),
                false => edits.insert(close, format!("{} ", "}".repeat(places.len()))),
            }
        }
        for rest in &rests {
            // Removes empty lines after the brace.
            let line = line_of(text, rest.start);
            let next = text[line.end..].find('\n').map(|at| line_of(text, line.end + at + 1));
            if let Some(next) =
                next.filter(|next| next.end < rest.end && text[next.clone()].trim().is_empty())
                && is_empty(&text[rest.start..line.end.max(rest.start)])
            {
                edits.remove(line.end..next.end);
            }
        }
        self.indent(&rests, &unit, edits);
        // Removes the label and the space after it. If the label has a line of its own, the braces use this line.
        let label = item.plain(label_span(self.body.body, self.target))?;
        let behind = label.end + text[label.end..].len() - text[label.end..].trim_start().len();
        let line = line_of(text, label.start).start;
        let own = self.indent_in(self.block)?;
        let here = opened.get(&self.block).map_or(0, Vec::len);
        let alone = text[line..label.start].trim().is_empty();
        match (alone, here) {
            (true, 0) => edits.replace(line..behind, own),
            (true, _) => {
                // Empty lines before the label move after the brace.
                let last = text[..line].trim_end().len();
                let before = last + text[last..line].find('\n').map_or(0, |at| at + 1);
                let braces = closed(own, here, label.start);
                edits.replace(before..behind, format!("{braces}{}{own}", &text[before..line]));
            }
            (false, 0) => edits.replace(label.start..behind, ""),
            (false, _) => edits.replace(label.start..behind, format!("{} ", "}".repeat(here))),
        }
        Some(())
    }

    /// Indents the lines in the opened `if`s.
    fn indent(&self, rests: &[Range<usize>], unit: &str, edits: &mut Edits) {
        let text = &*self.site.text;
        let Some(start) = rests.iter().map(|rest| rest.start).min() else { return };
        let end = rests.iter().map(|rest| rest.end).max().unwrap_or(start);
        for (at, _) in text[start..end].match_indices('\n') {
            let line = line_of(text, start + at + 1);
            let written = text[line.clone()].trim_start();
            // A line after a backslash may be in a string.
            let is_continued = text[..start + at].trim_end_matches('\r').ends_with('\\');
            if written.is_empty() || written.starts_with('#') || is_continued || edits.hold(line.start) {
                continue;
            }
            let holds = |rest: &&Range<usize>| {
                let is_inside = line.end < rest.end;
                let begins_inside = || line.start < rest.end && !is_empty(&text[line.start..rest.end]);
                rest.start <= line.start && (is_inside || begins_inside())
            };
            let deeper = rests.iter().filter(holds).count();
            if deeper > 0 {
                edits.insert(line.start, unit.repeat(deeper));
            }
        }
    }
}

/// For each block, the starts of `if`s that extend to its end.
type Opened = BTreeMap<StmtId, Vec<usize>>;

/// The number of ranges that contain an offset and do not start at it.
fn depth(ranges: &[Range<usize>], at: usize) -> usize {
    ranges.iter().filter(|range| range.start < at && at < range.end).count()
}

/// A range with the space before it, or with its line if the line has no other text.
fn with_space(text: &str, range: &Range<usize>) -> Range<usize> {
    let line = line_of(text, range.start);
    let before = text[line.start..range.start].trim_end_matches([' ', '\t']).len();
    match (before, text[range.end..line.end.max(range.end)].trim().is_empty()) {
        (0, true) => line.start..(line.end + line_end(text, line.end).len()).min(text.len()),
        (0, false) => range.clone(),
        _ => line.start + before..range.end,
    }
}

/// The blocks around a jump, up to the block of its label. `None` if another kind of statement is between them, or the
/// label is not after the jump.
fn levels(body: &Body, goto: StmtId, block: StmtId, target: StmtId) -> Option<Vec<Level>> {
    if target <= goto {
        return None;
    }
    let mut levels = Vec::new();
    let mut stmt = goto;
    loop {
        let parent = body.stmts[stmt].parent?;
        match &body.stmts[parent].kind {
            StmtKind::Compound(children) => {
                let place = children.iter().position(|&child| child == stmt)?;
                let next = children.get(place + 1);
                levels.push(Level {
                    block: parent,
                    holds: stmt,
                    rest: next.is_some_and(|&next| next != target),
                });
                if parent == block {
                    return Some(levels);
                }
            }
            StmtKind::If { .. } => {}
            _ => return None,
        }
        stmt = parent;
    }
}
