//! Puts statements under a condition, except the convergent operations among them.
//!
//! ```text
//! local_sum += in[i];           if (is_active) local_sum += in[i];
//! barrier(1);                   barrier(1);
//! for (…) { f(); barrier(1); }  for (…) { if (is_active) f(); barrier(1); }
//! ```
//!
//! **Flag**: the variable that is true in the threads that should execute the statements. **Run**: consecutive
//! statements without convergent operations. A run goes under the flag as a whole. All threads execute the code between
//! runs, so it must be [harmless](super::harm). A declaration stays outside if its variable is used after its run. If
//! its initialiser may do harm, only threads with the flag evaluate the initialiser:
//! `float x = is_active ? in[i] : 0;`.
//!
//! Some lists of statements cannot be guarded: with a label, a `goto`, a `switch` around an operation, or a conditional
//! directive.

use std::ops::Range;

use index_vec::{IndexVec, index_vec};
use tangle_grammar::ast::{self, Initializer, Span};

use super::Site;
use super::edits::{Edits, indent, is_empty, line_end, line_of};
use super::harm::{Effect, EffectAnalysis};
use tangle_analysis::lookup::ConvergentCalls;
use tangle_hir::body::{Body, StmtId, StmtKind};
use tangle_hir::scope::SharedTypedBody;
use tangle_hir::typed::{Comparison, Expr, ExprId, ExprKind, Local, StmtExprs, Storage, Unknown, VarId};
use tangle_rules::negated;
use tangle_syntax::items::tokens;

/// The exits of the guarded statements that become changes of the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exits {
    /// No thread exits.
    None,
    /// A `return`, in the outermost block of the function.
    Return,
    /// A `continue` of this loop, in the block that is its body.
    Continue(StmtId),
}

/// A guard over statements of a body.
pub(super) struct Guard<'s, 'a> {
    site: &'s Site<'a>,
    pub typed: SharedTypedBody,
    operations: ConvergentCalls<'a>,
    /// The statements that contain convergent operations.
    holds: IndexVec<StmtId, bool>,
    pub flag: String,
    exits: Exits,
    /// Whether the flag changes after its declaration.
    pub changes: bool,
    /// The strongest effect of the code that all threads now evaluate.
    pub effect: Effect,
    pub edits: Edits,
}

impl<'s, 'a> Guard<'s, 'a> {
    /// Returns `None` if no part of the body can be guarded.
    pub fn new(site: &'s Site<'a>, wanted: &str, exits: Exits) -> Option<Guard<'s, 'a>> {
        let body = site.body.body;
        let is_jump = |kind: &StmtKind| {
            matches!(
                kind,
                StmtKind::Goto(_)
                    | StmtKind::Label(_)
                    | StmtKind::ComputedGoto(_)
                    | StmtKind::Asm(_)
                    | StmtKind::Error
            )
        };
        if body.stmts.iter().any(|stmt| is_jump(&stmt.kind)) || !body.problems.is_empty() {
            return None;
        }
        let operations = site.item().operations(site.body);
        let mut holds = index_vec![false; body.stmts.len()];
        for (id, call) in body.calls.iter_enumerated() {
            if operations.call(id).is_none() {
                continue;
            }
            let mut next = Some(call.stmt);
            while let Some(stmt) = next {
                holds[stmt] = true;
                next = body.stmts[stmt].parent;
            }
        }
        Some(Guard {
            flag: site.unused_name(wanted)?,
            site,
            typed: site.item().typed(site.body)?,
            operations,
            holds,
            exits,
            changes: false,
            effect: Effect::None,
            edits: Edits::default(),
        })
    }

    pub fn kind(&self, stmt: StmtId) -> &'a StmtKind {
        &self.site.body.body.stmts[stmt].kind
    }

    pub fn span(&self, stmt: StmtId) -> Span {
        self.site.body.body.stmts[stmt].span
    }

    /// Adds the effect of code that all threads evaluate. `None` if it may do harm.
    pub fn add_unguarded_effect(&mut self, effect: Effect) -> Option<()> {
        self.effect = self.effect.max(effect);
        (effect < Effect::Harm).then_some(())
    }

    fn effect_of(&self, expr: ExprId) -> Effect {
        let reading = self.site.reading();
        let builtins = reading.settings.builtins(reading.db);
        EffectAnalysis { typed: &self.typed, operations: &self.operations, builtins }.of(expr)
    }

    /// The effect of the expressions of a statement itself, without its inner statements.
    pub fn own_effect(&self, stmt: StmtId) -> Effect {
        match &self.typed.stmts[stmt] {
            StmtExprs::Nothing => Effect::None,
            StmtExprs::Condition(expr) | StmtExprs::Expression(expr) => self.effect_of(*expr),
            StmtExprs::For { condition, step } => {
                let both = condition.iter().chain(step);
                both.map(|&expr| self.effect_of(expr)).max().unwrap_or(Effect::None)
            }
            StmtExprs::Declaration(locals) => {
                locals.iter().map(|local| self.effect_of_local(local)).max().unwrap_or(Effect::None)
            }
            _ => Effect::Harm,
        }
    }

    fn effect_of_local(&self, local: &Local) -> Effect {
        let entries = local.initializer.iter().flat_map(|initializer| &initializer.entries);
        entries.map(|&(_, expr)| self.effect_of(expr)).max().unwrap_or(Effect::None)
    }

    /// Guards consecutive statements of a block.
    pub fn statements(&mut self, list: &[StmtId]) -> Option<()> {
        let mut run: Vec<StmtId> = Vec::new();
        for &stmt in list {
            if self.exit(stmt).is_some() {
                self.run(&run)?;
                run.clear();
                self.leave_by_flag(stmt)?;
            } else if self.holds[stmt] {
                self.run(&run)?;
                run.clear();
                self.guard_inside(stmt)?;
            } else if matches!(self.kind(stmt), StmtKind::Return) && self.exits == Exits::Return {
                // The last statement of the function.
                self.run(&run)?;
                run.clear();
            } else {
                run.push(stmt);
            }
        }
        self.run(&run)
    }

    /// Guards the inner statements of a statement that contains operations. All threads execute the statement itself.
    fn guard_inside(&mut self, stmt: StmtId) -> Option<()> {
        let body = self.site.body.body;
        if !body.stmts[stmt].nested.is_empty() {
            return None;
        }
        match self.kind(stmt) {
            StmtKind::Compound(children) => self.statements(children),
            StmtKind::Expression | StmtKind::Declaration => self.add_unguarded_effect(self.own_effect(stmt)),
            StmtKind::If { then, otherwise, .. } => {
                self.add_unguarded_effect(self.own_effect(stmt))?;
                self.branch(*then)?;
                otherwise.map_or(Some(()), |otherwise| self.branch(otherwise))
            }
            StmtKind::While { body, .. } | StmtKind::Do { body, .. } => {
                self.add_unguarded_effect(self.own_effect(stmt))?;
                self.branch(*body)
            }
            StmtKind::For { init, body, .. } => {
                self.add_unguarded_effect(self.own_effect(stmt))?;
                self.add_unguarded_effect(self.own_effect(*init))?;
                self.branch(*body)
            }
            _ => None,
        }
    }

    /// Guards a branch or the body of a loop.
    pub fn branch(&mut self, stmt: StmtId) -> Option<()> {
        match self.kind(stmt) {
            StmtKind::Compound(children) => self.statements(children),
            StmtKind::Empty => Some(()),
            _ if self.holds[stmt] => self.guard_inside(stmt),
            _ => {
                self.has_no_inner_exit(stmt)?;
                let (start, end) = self.bounds(&[stmt])?;
                // An `else` after it must not belong to the `if` of the flag.
                self.edits.insert(start, format!("{{ if ({}) ", self.flag));
                self.edits.insert(end, " }");
                Some(())
            }
        }
    }

    /// Returns `None` if a statement contains a `return`, or a `continue` of the loop in [`Exits`]. It cannot be
    /// guarded then.
    fn has_no_inner_exit(&self, stmt: StmtId) -> Option<()> {
        let body = self.site.body.body;
        let inside = (stmt.index()..body.stmts[stmt].end.index()).map(StmtId::from);
        let stays = |stmt: StmtId| match &body.stmts[stmt].kind {
            StmtKind::Return => false,
            StmtKind::Continue(Some(of)) => self.exits != Exits::Continue(*of),
            _ => true,
        };
        inside.into_iter().all(stays).then_some(())
    }

    /// For `if (c) return;`, also after other statements of the branch: the branch, and the exit statement.
    pub fn exit(&self, stmt: StmtId) -> Option<(StmtId, StmtId)> {
        let StmtKind::If { then, otherwise: None, .. } = *self.kind(stmt) else { return None };
        let last = match self.kind(then) {
            StmtKind::Compound(children) => *children.last()?,
            _ => then,
        };
        let leaves = match (self.kind(last), self.exits) {
            (StmtKind::Return, Exits::Return) => matches!(self.typed.stmts[last], StmtExprs::Return(None)),
            (StmtKind::Continue(Some(of)), Exits::Continue(own)) => *of == own,
            _ => false,
        };
        (leaves && !self.holds[stmt]).then_some((then, last))
    }

    /// Replaces `if (c) return;` by a change of the flag.
    fn leave_by_flag(&mut self, stmt: StmtId) -> Option<()> {
        self.changes = true;
        let (then, last) = self.exit(stmt)?;
        let flag = self.flag.clone();
        if self.is_alone(then) {
            let condition = self.condition(stmt)?;
            return self.replace_alone(stmt, format!("{flag} = {flag} && {condition};"));
        }
        self.leaves_only_at(then, last)?;
        let site = self.site;
        let condition = site.item().condition(site.body.body, stmt)?;
        let (start, end) = (site.item().plain_start(condition)?.start, site.item().plain_end(condition)?.end);
        self.edits.insert(start, format!("{flag} && ("));
        self.edits.insert(end, ")");
        let gone = site.item().plain(self.span(last))?;
        self.edits.replace(gone, format!("{flag} = false;"));
        Some(())
    }

    /// Declares the flag in the place of an exit. Call it after everything else is guarded.
    pub fn declare_by_exit(&mut self, stmt: StmtId) -> Option<()> {
        let condition = self.condition(stmt)?;
        let declaration = self.declaration(&condition);
        let (then, last) = self.exit(stmt)?;
        if self.is_alone(then) {
            return self.replace_alone(stmt, declaration);
        }
        self.leaves_only_at(then, last)?;
        let site = self.site;
        let (item, text) = (site.item(), &*site.text);
        let (start, end) = self.bounds(&[stmt])?;
        self.has_no_directive(start..end)?;
        let condition = item.condition(site.body.body, stmt)?;
        let (first, behind) = (item.plain_start(condition)?.start, item.plain_end(condition)?.end);
        self.edits.insert(start, format!("{declaration}{}{}", line_end(text, start), indent(text, start)));
        self.edits.replace(first..behind, format!("!{}", self.flag));
        let gone = item.plain(self.span(last))?;
        self.edits.replace(text[..gone.start].trim_end().len()..gone.end, "");
        Some(())
    }

    /// The declaration of the flag with a value.
    pub fn declaration(&self, value: &str) -> String {
        format!("{}bool {} = {value};", if self.changes { "" } else { "const " }, self.flag)
    }

    /// The negated condition of an `if`, as an operand of `&&`.
    fn condition(&self, stmt: StmtId) -> Option<String> {
        self.site.negated(self.site.body.body, stmt)
    }

    /// Whether a branch consists only of an exit.
    fn is_alone(&self, branch: StmtId) -> bool {
        match self.kind(branch) {
            StmtKind::Compound(children) => children.len() == 1,
            _ => true,
        }
    }

    /// Replaces an `if` that consists only of an exit.
    fn replace_alone(&mut self, stmt: StmtId, by: String) -> Option<()> {
        let (then, _) = self.exit(stmt)?;
        let (start, end) = self.bounds(&[stmt])?;
        self.has_no_directive(start..end)?;
        // A comment in the braces must not be lost.
        let inner = &self.site.text[self.site.item().plain(self.span(then))?];
        let has_comment = inner.contains("//") || inner.contains("/*");
        (!has_comment).then(|| self.edits.replace(start..end, by))
    }

    /// Returns `None` if a branch also exits elsewhere.
    fn leaves_only_at(&self, branch: StmtId, last: StmtId) -> Option<()> {
        let StmtKind::Compound(children) = self.kind(branch) else { return Some(()) };
        children.iter().filter(|&&child| child != last).try_for_each(|&child| self.has_no_inner_exit(child))
    }

    /// Guards a run.
    fn run(&mut self, run: &[StmtId]) -> Option<()> {
        let is_statement = |stmt: &&StmtId| !matches!(self.kind(**stmt), StmtKind::Empty);
        let Some(last) = run.iter().rfind(is_statement) else { return Some(()) };
        let behind = self.span(*last).end;
        let mut part: Vec<StmtId> = Vec::new();
        for &stmt in run {
            self.has_no_inner_exit(stmt)?;
            if !matches!(self.kind(stmt), StmtKind::Declaration) || !self.is_used(stmt, behind) {
                part.push(stmt);
                continue;
            }
            self.wrap(&part)?;
            part.clear();
            self.declaration_outside(stmt)?;
        }
        self.wrap(&part)
    }

    /// Whether a name that a statement declares occurs after a token of the body.
    pub fn is_used(&self, stmt: StmtId, behind: u32) -> bool {
        let span = self.span(stmt);
        let references = self.site.item().references();
        let is_in = |at: u32| span.start <= at && at < span.end;
        let declared: Vec<_> =
            references.iter().filter(|it| is_in(it.name.span.start)).map(|it| it.name.text).collect();
        let end = self.site.body.body.span.end;
        // Another run may use the variable.
        let is_after = |at: u32| behind <= at && at < end;
        references.iter().any(|it| is_after(it.name.span.start) && declared.contains(&it.name.text))
    }

    /// Keeps a declaration that all threads execute, and guards its initialisers if necessary.
    fn declaration_outside(&mut self, stmt: StmtId) -> Option<()> {
        let StmtExprs::Declaration(locals) = &self.typed.stmts[stmt] else { return None };
        if self.own_effect(stmt) == Effect::None {
            return Some(());
        }
        let ast = self.site.item().ast();
        let ast::StmtKind::Declaration(decls) = &ast.stmts[self.site.body.body.stmts[stmt].syntax].kind
        else {
            return None;
        };
        for local in locals {
            if self.effect_of_local(local) == Effect::None {
                continue;
            }
            let var = &self.typed.vars[local.var];
            let is_scalar = var.ty.is_arithmetic() || var.ty.as_pointer().is_some_and(|it| !it.reference);
            if var.storage != Storage::Automatic || !is_scalar {
                return None;
            }
            let name = var.name?;
            let own = decls.iter().map(|&decl| &ast.decls[decl]);
            let decl = own.into_iter().find(|decl| decl.name.is_some_and(|it| it.span == name.span))?;
            let Some(Initializer::Expression(value)) = decl.initializer else { return None };
            let span = ast.exprs[value].span;
            let site = self.site;
            let (start, end) = (site.item().plain_start(span)?.start, site.item().plain_end(span)?.end);
            self.edits.insert(start, format!("{} ? ", self.flag));
            self.edits.insert(end, " : 0");
        }
        Some(())
    }

    /// The bytes from the first to the last of some statements, with the pragmas before the first.
    pub fn bounds(&self, stmts: &[StmtId]) -> Option<(usize, usize)> {
        let site = self.site;
        let (first, last) = (*stmts.first()?, *stmts.last()?);
        let mut start = site.item().plain_start(self.span(first))?.start;
        let end = site.item().plain_end(self.span(last))?.end;
        let pragmas = &site.item().ast().stmts[site.body.body.stmts[first].syntax].pragmas;
        for _ in 0..pragmas.len() {
            let line = line_of(&site.text, start);
            let before = line_of(&site.text, line.start.checked_sub(1)?);
            let is_pragma = site.text[before.clone()].trim_start().starts_with("#pragma");
            if !is_pragma || !site.text[line.start..start].trim().is_empty() {
                return None;
            }
            start = before.start + (site.text[before.clone()].len() - site.text[before].trim_start().len());
        }
        Some((start, end))
    }

    /// Returns `None` if a directive other than a pragma is in a part of the text.
    pub fn has_no_directive(&self, part: Range<usize>) -> Option<()> {
        let site = self.site;
        let mut lines = site.text[part].lines().map(str::trim_start);
        lines.all(|line| !line.starts_with('#') || line.starts_with("#pragma")).then_some(())
    }

    /// Returns `None` if a conditional directive is in a statement, from a token on. Its inactive text would not be
    /// guarded.
    pub fn is_all_active(&self, stmt: StmtId, from: u32) -> Option<()> {
        let item = self.site.item();
        let span = Span::new(from, self.span(stmt).end);
        self.has_no_directive(item.plain_start(span)?.start..item.plain_end(span)?.end)
    }

    /// Puts statements under the flag.
    fn wrap(&mut self, stmts: &[StmtId]) -> Option<()> {
        let is_statement = |stmt: &StmtId| !matches!(self.kind(*stmt), StmtKind::Empty);
        let Some(first) = stmts.iter().position(is_statement) else { return Some(()) };
        let stmts = &stmts[first..];
        let (start, end) = self.bounds(stmts)?;
        let text = self.site.text.clone();
        self.has_no_directive(start..end)?;
        let flag = self.flag.clone();
        let first_line = line_of(&text, start);
        let last_line = line_of(&text, end);
        let has_lines =
            text[first_line.start..start].trim().is_empty() && is_empty(&text[end..last_line.end.max(end)]);
        let one = stmts.len() == 1 && matches!(self.kind(stmts[0]), StmtKind::Expression);
        if one && !text[start..end].contains('\n') {
            self.edits.insert(start, format!("if ({flag}) "));
            return Some(());
        }
        if !has_lines {
            self.edits.insert(start, format!("if ({flag}) {{ "));
            self.edits.insert(end, " }");
            return Some(());
        }
        let (own, eol) = (indent(&text, start).to_owned(), line_end(&text, start));
        let unit = self.site.indent_unit();
        self.edits.insert(first_line.start, format!("{own}if ({flag}) {{{eol}"));
        let mut at = first_line.start;
        while at < last_line.end {
            let line = line_of(&text, at);
            let written = text[line.clone()].trim_start();
            if !written.is_empty() && !written.starts_with('#') {
                self.edits.insert(line.start, unit.clone());
            }
            at = text[line.end..].find('\n').map_or(text.len(), |next| line.end + next + 1);
        }
        self.edits.insert(last_line.end, format!("{eol}{own}}}"));
        Some(())
    }

    /// Whether a statement is or contains a convergent operation.
    pub fn has_operation(&self, stmt: StmtId) -> bool {
        self.holds[stmt]
    }

    /// Whether a variable in an expression of the body may change in a statement, or have its address taken.
    pub fn is_changed(&self, expression: Span, stmt: StmtId) -> bool {
        let exprs = &self.typed.exprs;
        let within = |span: Span, inner: Span| span.start <= inner.start && inner.start < span.end;
        let variable = |expr: &Expr| match expr.kind {
            ExprKind::Variable(var) => Some(var),
            _ => None,
        };
        let named: Vec<VarId> =
            exprs.iter().filter(|expr| within(expression, expr.span)).filter_map(variable).collect();
        let is_named = |mut place: ExprId| loop {
            match &exprs[place].kind {
                ExprKind::Variable(var) => return named.contains(var),
                ExprKind::Field { base, .. } | ExprKind::Lanes { base, .. } | ExprKind::Lane { base, .. } => {
                    place = *base;
                }
                _ => return false,
            }
        };
        let region = self.span(stmt);
        let changes = |expr: &Expr| match expr.kind {
            ExprKind::Assign { place, .. }
            | ExprKind::CompoundAssign { place, .. }
            | ExprKind::Step { place, .. } => within(region, expr.span) && is_named(place),
            // It may change anywhere through the pointer.
            ExprKind::AddressOf(place) => is_named(place),
            ExprKind::Unknown { what: Unknown::Update(_) | Unknown::Address, .. } => true,
            _ => false,
        };
        exprs.iter().any(changes)
    }
}

impl Site<'_> {
    /// A name that is not used in the file.
    pub(super) fn unused_name(&self, wanted: &str) -> Option<String> {
        let (item, reading) = (self.item(), self.reading());
        let written = &tokens(reading.db, reading.file).tokens;
        let expanded = item.placed.item.tokens(reading.db).0.tokens();
        let is_taken = |name: &str| {
            written.iter().any(|token| token.spelling() == name)
                || expanded.iter().any(|token| token.text.as_str() == name)
        };
        let numbered = (2..100).map(|number| format!("{wanted}_{number}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !is_taken(name))
    }

    /// The negated condition of a branch, as an operand of `&&`. `None` if its text comes from a macro.
    pub(super) fn negated(&self, body: &Body, branch: StmtId) -> Option<String> {
        let span = self.item().condition(body, branch)?;
        let text = self.written(span)?;
        let words = self.words(span);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // `!(x < y)` is not `x >= y` if an operand is NaN.
        let typed = self.item().typed(self.body);
        let is_exact = typed.is_some_and(|typed| {
            let is_float = |id: ExprId| typed.exprs[id].ty.as_float().is_some();
            let within = |expr: &Expr| span.start <= expr.span.start && expr.span.end <= span.end;
            let mut compared = typed.exprs.iter().filter(|expr| within(expr));
            !compared.any(|expr| match expr.kind {
                ExprKind::Compare { op: Comparison::Equal | Comparison::NotEqual, .. } => false,
                ExprKind::Compare { left, right, .. } => is_float(left) || is_float(right),
                ExprKind::Unknown { what: Unknown::Compare(_), .. } => true,
                _ => false,
            })
        });
        let is_plain = !text.contains("/*") && !text.contains("//");
        Some(match is_exact && is_plain {
            true => negated(&words, text),
            false => format!("!({text})"),
        })
    }

    /// The additional indentation of a block in this function.
    pub(super) fn indent_unit(&self) -> String {
        let stmts = &self.body.body.stmts;
        let StmtKind::Compound(children) = &stmts[Body::ROOT].kind else { return "  ".into() };
        let first = children.first().and_then(|&child| self.item().bytes(stmts[child].span));
        let inner = first.map_or("", |bytes| indent(&self.text, bytes.start));
        let close = self.item().plain_end(stmts[Body::ROOT].span);
        let outer = close.map_or("", |bytes| indent(&self.text, bytes.start));
        inner.strip_prefix(outer).filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned()
    }
}
