//! Builds a [`Body`] from a syntax tree: statements in source order, jumps with targets, calls with context.
//!
//! Neither statements nor expressions are visited by recursion: generated code can nest too deeply for the stack.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};
use tangle_grammar::ast::{
    Assembly, Ast, BinaryOp, ExprId, ExprKind, Initializer, Name, Span, StmtId as AstStmt,
    StmtKind as AstKind, Storage,
};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::UnresolvedCallee;
use tangle_ir::nest::Convergence;
use tangle_ir::uniformity::Launch;

use super::body::{
    Body, BodyError, Call, CallId, Callee, ConstantCondition, EvaluationTime, Nested, Operand, OperandId,
    Stmt, StmtId, StmtKind,
};
use super::constant::Constants;
use super::def::functions::{FunctionDefinition, defined};
use super::enqueued::enqueued;
use super::resolve;
use tangle_syntax::dialect::Dialect;

/// Returns the bodies of an item: each function that it defines, followed by the block literals inside it.
pub fn bodies(ast: &Ast, dialect: Dialect) -> Vec<Body> {
    let constants = Constants::of(ast, dialect);
    let variables = resolve::called_variables(ast);
    let enqueued = enqueued(ast, dialect);
    let mut bodies = Vec::new();
    for FunctionDefinition { decl, name, body, .. } in defined(ast) {
        let decl = &ast.decls[decl];
        let kernel = decl.specifiers.storage.contains(&Storage::Kernel);
        let convergence = super::file_scope::convergence(decl);
        let launch = super::launch::launch(decl);
        let mut todo = vec![PendingBody { name, kernel, block: false, convergence, launch, body }];
        while let Some(source) = todo.pop() {
            let builder = Builder::new(ast, dialect, &constants, &variables, &enqueued, source);
            bodies.push(builder.build(&mut todo));
        }
    }
    bodies
}

/// The maximum number of possible jumps of all computed `goto`s in a body. Each can jump to every label whose address
/// is taken.
const MAX_COMPUTED_JUMPS: usize = 20_000;

/// A body still to be built.
struct PendingBody {
    name: Name,
    kernel: bool,
    block: bool,
    convergence: Option<Convergence>,
    launch: Launch,
    body: AstStmt,
}

/// Returns the string literals of the text of inline assembly, with their quotes.
pub(super) fn literals(assembly: &Assembly) -> Vec<&'static str> {
    assembly.text.iter().map(|literal| literal.text.as_str()).collect()
}

enum Step {
    Enter { ast: AstStmt, parent: Option<StmtId>, slot: ChildRole },
    Leave { stmt: StmtId },
}

/// The part of the parent statement that a child is.
#[derive(Clone, Copy)]
enum ChildRole {
    Root,
    Child,
    Then,
    Otherwise,
    Init,
    Nested(EvaluationTime, Option<OperandId>),
}

/// The statements that `break`, `continue` and `case` refer to.
#[derive(Clone, Copy, Default)]
struct JumpTargets {
    iteration: Option<StmtId>,
    breakable: Option<StmtId>,
    switch: Option<StmtId>,
}

struct Builder<'a> {
    ast: &'a Ast,
    dialect: Dialect,
    constants: &'a Constants,
    source: PendingBody,
    stmts: IndexVec<StmtId, Stmt>,
    surroundings: IndexVec<StmtId, JumpTargets>,
    calls: Vec<Call>,
    operands: IndexVec<OperandId, Operand>,
    problems: Vec<BodyError>,
    /// The locations of callee names that are variables.
    variables: &'a FxHashSet<Span>,
    /// The bodies of block literals that are enqueued as kernels.
    enqueued: &'a FxHashSet<AstStmt>,
    labels: FxHashMap<Symbol, (StmtId, Name)>,
    jumps: Vec<(StmtId, Vec<Name>)>,
    computed: Vec<StmtId>,
    addressed: Vec<Name>,
    blocks: Vec<(AstStmt, Span)>,
}

impl<'a> Builder<'a> {
    fn new(
        ast: &'a Ast,
        dialect: Dialect,
        constants: &'a Constants,
        variables: &'a FxHashSet<Span>,
        enqueued: &'a FxHashSet<AstStmt>,
        source: PendingBody,
    ) -> Builder<'a> {
        Builder {
            ast,
            dialect,
            constants,
            variables,
            enqueued,
            source,
            stmts: IndexVec::new(),
            surroundings: IndexVec::new(),
            calls: Vec::new(),
            operands: IndexVec::new(),
            problems: Vec::new(),
            labels: FxHashMap::default(),
            jumps: Vec::new(),
            computed: Vec::new(),
            addressed: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn build(mut self, todo: &mut Vec<PendingBody>) -> Body {
        let mut steps = vec![Step::Enter { ast: self.source.body, parent: None, slot: ChildRole::Root }];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter { ast, parent, slot } => self.enter(ast, parent, slot, &mut steps),
                Step::Leave { stmt } => self.stmts[stmt].end = self.stmts.next_idx(),
            }
        }
        self.resolve_jumps();
        self.find_jumps_into_noconvergent();
        let mut calls = self.calls;
        calls.sort_by_key(|call| call.span);
        let calls: IndexVec<CallId, Call> = calls.into();
        let name = self.source.name;
        let enqueued = self.enqueued;
        // Last first: `todo` is a stack, and blocks must follow in source order.
        todo.extend(self.blocks.into_iter().rev().map(|(body, span)| PendingBody {
            name: Name { text: name.text, span: Span::new(span.start, span.start + 1) },
            kernel: enqueued.contains(&body),
            block: true,
            convergence: None,
            launch: Launch::default(),
            body,
        }));
        Body {
            name,
            kernel: self.source.kernel,
            block: self.source.block,
            convergence: self.source.convergence,
            launch: self.source.launch,
            span: self.stmts[Body::ROOT].span,
            stmts: self.stmts,
            calls,
            operands: self.operands,
            problems: self.problems,
        }
    }

    /// Numbers the statement, attaches it to its parent, and schedules its substatements.
    fn enter(&mut self, id: AstStmt, parent: Option<StmtId>, slot: ChildRole, steps: &mut Vec<Step>) {
        let syntax = &self.ast.stmts[id];
        let stmt = self.stmts.push(Stmt {
            kind: StmtKind::Empty,
            span: syntax.span,
            syntax: id,
            parent,
            end: StmtId::new(0),
            nested: Vec::new(),
            noconvergent: super::file_scope::is_opportunistic(&syntax.attributes),
        });
        let outer = parent.map(|parent| self.surroundings[parent]).unwrap_or_default();
        self.surroundings.push(outer);
        self.attach(parent, slot, stmt);

        // The substatements, each with its first token, by which they are sorted.
        let mut held: Vec<(u32, AstStmt, ChildRole)> = Vec::new();
        let mut hold = |child: AstStmt, slot| held.push((self.ast.stmts[child].span.start, child, slot));
        // The expressions that the statement evaluates.
        let mut evaluated: Vec<(ExprId, EvaluationTime)> = Vec::new();

        // The numbers of the children are not known yet. `attach` sets them; until then, the number of the parent is a
        // placeholder.
        self.stmts[stmt].kind = match &syntax.kind {
            AstKind::Compound(children) => {
                children.iter().for_each(|&child| hold(child, ChildRole::Child));
                StmtKind::Compound(Vec::with_capacity(children.len()))
            }
            AstKind::If { condition, then, otherwise } => {
                evaluated.push((*condition, EvaluationTime::Entry));
                hold(*then, ChildRole::Then);
                otherwise.iter().for_each(|&otherwise| hold(otherwise, ChildRole::Otherwise));
                StmtKind::If { condition: self.constants.condition(*condition), then: stmt, otherwise: None }
            }
            AstKind::Switch { condition, body } => {
                evaluated.push((*condition, EvaluationTime::Entry));
                hold(*body, ChildRole::Child);
                self.surroundings[stmt].breakable = Some(stmt);
                self.surroundings[stmt].switch = Some(stmt);
                StmtKind::Switch { body: stmt, labels: Vec::new() }
            }
            AstKind::While { condition, body } => {
                evaluated.push((*condition, EvaluationTime::LoopCondition));
                hold(*body, ChildRole::Child);
                self.enter_loop(stmt);
                StmtKind::While { condition: self.constants.condition(*condition), body: stmt }
            }
            AstKind::Do { body, condition } => {
                evaluated.push((*condition, EvaluationTime::LoopCondition));
                hold(*body, ChildRole::Child);
                self.enter_loop(stmt);
                StmtKind::Do { body: stmt, condition: self.constants.condition(*condition) }
            }
            AstKind::For { init, condition, step, body } => {
                hold(*init, ChildRole::Init);
                evaluated.extend(condition.map(|condition| (condition, EvaluationTime::LoopCondition)));
                evaluated.extend(step.map(|step| (step, EvaluationTime::LoopStep)));
                hold(*body, ChildRole::Child);
                self.enter_loop(stmt);
                let condition = condition
                    .map_or(ConstantCondition::AlwaysTrue, |condition| self.constants.condition(condition));
                StmtKind::For { init: stmt, condition, body: stmt }
            }
            AstKind::RangeFor { init, range, body } => {
                hold(*init, ChildRole::Init);
                evaluated.push((*range, EvaluationTime::Entry));
                hold(*body, ChildRole::Child);
                self.enter_loop(stmt);
                StmtKind::For { init: stmt, condition: ConstantCondition::Unknown, body: stmt }
            }
            AstKind::Goto(label) => {
                self.jumps.push((stmt, vec![*label]));
                StmtKind::Goto(None)
            }
            AstKind::ComputedGoto(target) => {
                evaluated.push((*target, EvaluationTime::Entry));
                self.computed.push(stmt);
                StmtKind::ComputedGoto(Vec::new())
            }
            AstKind::Asm(assembly) => {
                if !assembly.labels.is_empty() {
                    self.jumps.push((stmt, assembly.labels.to_vec()));
                }
                let (operations, _) = self.dialect.assembly(&literals(assembly));
                self.calls.extend(operations.into_iter().map(|operation| Call {
                    callee: Callee::Named(UnresolvedCallee::Function(operation.name)),
                    span: assembly.text[operation.literal].span,
                    stmt,
                    role: EvaluationTime::Entry,
                    operand: None,
                }));
                StmtKind::Asm(Vec::new())
            }
            AstKind::Continue => {
                if outer.iteration.is_none() {
                    self.problems.push(BodyError::ContinueOutside(syntax.span));
                }
                StmtKind::Continue(outer.iteration)
            }
            AstKind::Break => {
                if outer.breakable.is_none() {
                    self.problems.push(BodyError::BreakOutside(syntax.span));
                }
                StmtKind::Break(outer.breakable)
            }
            AstKind::Return(value) => {
                evaluated.extend(value.map(|value| (value, EvaluationTime::Entry)));
                StmtKind::Return
            }
            AstKind::Label { name, statement } => {
                hold(*statement, ChildRole::Child);
                match self.labels.get(&name.text) {
                    Some(&(_, first)) => {
                        self.problems.push(BodyError::DuplicateLabel { again: *name, first })
                    }
                    None => {
                        self.labels.insert(name.text, (stmt, *name));
                    }
                }
                StmtKind::Label(stmt)
            }
            AstKind::Case { statement, .. } => {
                hold(*statement, ChildRole::Child);
                self.enter_case(outer, stmt, syntax.span);
                StmtKind::Case(stmt)
            }
            AstKind::Default { statement } => {
                hold(*statement, ChildRole::Child);
                self.enter_case(outer, stmt, syntax.span);
                StmtKind::Default(stmt)
            }
            AstKind::Declaration(decls) => {
                for &decl in decls {
                    if let Some(initializer) = &self.ast.decls[decl].initializer {
                        let mut exprs = Vec::new();
                        initializer_exprs(initializer, &mut exprs);
                        evaluated.extend(exprs.into_iter().map(|expr| (expr, EvaluationTime::Entry)));
                    }
                }
                StmtKind::Declaration
            }
            AstKind::Expression(expr) => {
                evaluated.push((*expr, EvaluationTime::Entry));
                StmtKind::Expression
            }
            AstKind::Empty => StmtKind::Empty,
            AstKind::Error | AstKind::Opaque(_) => StmtKind::Error,
        };

        for (expr, role) in evaluated {
            self.evaluate(expr, stmt, role, &mut held);
        }
        // Children of a block are in order already: `if (T x = e)` is a block with a declaration and an `if`, and the
        // `if` begins first.
        if !matches!(syntax.kind, AstKind::Compound(_)) {
            held.sort_by_key(|&(start, ..)| start);
        }
        steps.push(Step::Leave { stmt });
        steps.extend(held.into_iter().rev().map(|(_, ast, slot)| Step::Enter {
            ast,
            parent: Some(stmt),
            slot,
        }));
    }

    fn attach(&mut self, parent: Option<StmtId>, slot: ChildRole, child: StmtId) {
        let Some(parent) = parent else { return };
        let parent = &mut self.stmts[parent];
        match (slot, &mut parent.kind) {
            (ChildRole::Nested(role, operand), _) => {
                parent.nested.push(Nested { stmt: child, role, operand })
            }
            (ChildRole::Then, StmtKind::If { then, .. }) => *then = child,
            (ChildRole::Otherwise, StmtKind::If { otherwise, .. }) => *otherwise = Some(child),
            (ChildRole::Init, StmtKind::For { init, .. }) => *init = child,
            (_, StmtKind::Compound(children)) => children.push(child),
            (
                _,
                StmtKind::Switch { body, .. }
                | StmtKind::While { body, .. }
                | StmtKind::Do { body, .. }
                | StmtKind::For { body, .. }
                | StmtKind::Label(body)
                | StmtKind::Case(body)
                | StmtKind::Default(body),
            ) => *body = child,
            (
                ChildRole::Root | ChildRole::Child | ChildRole::Then | ChildRole::Otherwise | ChildRole::Init,
                kind,
            ) => {
                unreachable!("{kind:?} holds no such statement")
            }
        }
    }

    fn enter_loop(&mut self, stmt: StmtId) {
        self.surroundings[stmt].iteration = Some(stmt);
        self.surroundings[stmt].breakable = Some(stmt);
    }

    fn enter_case(&mut self, outer: JumpTargets, stmt: StmtId, span: Span) {
        match outer.switch {
            Some(switch) => {
                if let StmtKind::Switch { labels, .. } = &mut self.stmts[switch].kind {
                    labels.push(stmt);
                }
            }
            None => self.problems.push(BodyError::CaseOutside(span)),
        }
    }

    /// Records the calls, conditional operands, statement expressions and blocks in `root`.
    fn evaluate(
        &mut self,
        root: ExprId,
        stmt: StmtId,
        role: EvaluationTime,
        held: &mut Vec<(u32, AstStmt, ChildRole)>,
    ) {
        let mut todo = vec![(root, None::<OperandId>)];
        while let Some((id, operand)) = todo.pop() {
            let expr = &self.ast.exprs[id];
            match &expr.kind {
                ExprKind::Error
                | ExprKind::Name(_)
                | ExprKind::Number(_)
                | ExprKind::Character(_)
                | ExprKind::String(_)
                | ExprKind::Path(_)
                | ExprKind::This
                // The range is evaluated once, by the statement.
                | ExprKind::Element { .. } => {}
                // Not evaluated.
                ExprKind::SizeofExpr(_)
                | ExprKind::SizeofType(_)
                | ExprKind::Type(_)
                | ExprKind::AlignofExpr(_)
                | ExprKind::AlignofType(_)
                | ExprKind::Offsetof { .. } => {}
                ExprKind::Paren(inner)
                | ExprKind::ConstantExpr(inner)
                | ExprKind::Arguments(inner)
                | ExprKind::Unary { operand: inner, .. }
                | ExprKind::Cast { operand: inner, .. }
                | ExprKind::Astype { operand: inner, .. }
                | ExprKind::VaArg { list: inner, .. }
                | ExprKind::Member { base: inner, .. }
                | ExprKind::MemberPath { base: inner, .. }
                | ExprKind::Expansion(inner) => todo.push((*inner, operand)),
                ExprKind::Construct { arguments: operands, .. }
                | ExprKind::Fold { operands }
                | ExprKind::Opaque { operands, .. } => {
                    todo.extend(operands.iter().map(|&inner| (inner, operand)));
                }
                ExprKind::Launch { callee, configuration, arguments } => {
                    let all = [*callee].into_iter().chain(configuration.iter().chain(arguments).copied());
                    todo.extend(all.map(|inner| (inner, operand)));
                }
                ExprKind::Index { base: left, index: right }
                | ExprKind::Assign { left, right, .. }
                | ExprKind::Comma { left, right } => todo.extend([(*left, operand), (*right, operand)]),
                ExprKind::Binary { op, left, right } => {
                    todo.push((*left, operand));
                    let left = self.constants.condition(*left);
                    let right_operand = match op {
                        BinaryOp::And => self.operand(*right, stmt, role, operand, left.may_hold()),
                        BinaryOp::Or => self.operand(*right, stmt, role, operand, left.may_fail()),
                        _ => operand,
                    };
                    todo.push((*right, right_operand));
                }
                ExprKind::Conditional { condition, then, otherwise } => {
                    todo.push((*condition, operand));
                    let constant = self.constants.condition(*condition);
                    if let Some(then) = then {
                        todo.push((*then, self.operand(*then, stmt, role, operand, constant.may_hold())));
                    }
                    let otherwise_operand =
                        self.operand(*otherwise, stmt, role, operand, constant.may_fail());
                    todo.push((*otherwise, otherwise_operand));
                }
                ExprKind::CompoundLiteral { initializer, .. } | ExprKind::Braces(initializer) => {
                    let mut exprs = Vec::new();
                    initializer_exprs(initializer, &mut exprs);
                    todo.extend(exprs.into_iter().map(|expr| (expr, operand)));
                }
                // Types select the arm, so any arm may be evaluated. The controlling expression never is.
                ExprKind::Generic { arms, .. } => todo.extend(arms.iter().map(|&(_, arm)| (arm, operand))),
                ExprKind::Call { callee, arguments } => {
                    let named = self.called_name(*callee);
                    match self.ast.exprs[*callee].kind {
                        // The object of the method is evaluated, but not the name of the method.
                        ExprKind::Member { base, .. } | ExprKind::MemberPath { base, .. } => {
                            todo.push((base, operand));
                        }
                        _ if named.is_none() => todo.push((*callee, operand)),
                        _ => {}
                    }
                    todo.extend(arguments.iter().map(|&argument| (argument, operand)));
                    self.calls.push(Call {
                        callee: named.map_or(Callee::Pointer, Callee::Named),
                        span: self.ast.exprs[*callee].span,
                        stmt,
                        role,
                        operand,
                    });
                }
                ExprKind::Statement(body) => {
                    held.push((self.ast.stmts[*body].span.start, *body, ChildRole::Nested(role, operand)));
                }
                ExprKind::LabelAddress(label) => self.addressed.push(*label),
                ExprKind::Block { body, .. } => self.blocks.push((*body, expr.span)),
                ExprKind::Lambda(lambda) => {
                    let captured = lambda.captures.iter().filter_map(|capture| capture.initializer);
                    todo.extend(captured.map(|inner| (inner, operand)));
                    self.blocks.push((lambda.body, expr.span));
                }
            }
        }
    }

    fn operand(
        &mut self,
        expr: ExprId,
        stmt: StmtId,
        role: EvaluationTime,
        parent: Option<OperandId>,
        reachable: bool,
    ) -> Option<OperandId> {
        let span = self.ast.exprs[expr].span;
        let reachable = reachable && parent.is_none_or(|parent| self.operands[parent].reachable);
        Some(self.operands.push(Operand { span, stmt, role, parent, reachable }))
    }

    /// Returns the function that `callee` names, unless a variable in scope has that name.
    fn called_name(&self, callee: ExprId) -> Option<UnresolvedCallee> {
        let (named, span) = resolve::called(self.ast, callee)?;
        (!self.variables.contains(&span)).then_some(named)
    }

    fn resolve_jumps(&mut self) {
        let mut missing = FxHashSet::default();
        for (stmt, names) in std::mem::take(&mut self.jumps) {
            let mut targets = Vec::with_capacity(names.len());
            for name in names {
                match self.labels.get(&name.text) {
                    Some(&(target, _)) => targets.push(target),
                    None => {
                        if missing.insert(name.text) {
                            self.problems.push(BodyError::UndefinedLabel(name));
                        }
                    }
                }
            }
            match &mut self.stmts[stmt].kind {
                StmtKind::Goto(target) => *target = targets.first().copied(),
                StmtKind::Asm(all) => *all = targets,
                kind => unreachable!("{kind:?} names no label"),
            }
        }
        let mut addressed: Vec<StmtId> = self
            .addressed
            .iter()
            .filter_map(|name| self.labels.get(&name.text).map(|&(target, _)| target))
            .collect();
        addressed.sort_unstable();
        addressed.dedup();
        let computed = std::mem::take(&mut self.computed);
        if computed.len().saturating_mul(addressed.len()) > MAX_COMPUTED_JUMPS {
            self.problems.push(BodyError::ComputedGotos {
                first: self.stmts[computed[0]].span,
                gotos: computed.len(),
                labels: addressed.len(),
            });
            return;
        }
        for stmt in computed {
            self.stmts[stmt].kind = StmtKind::ComputedGoto(addressed.clone());
        }
    }

    /// Finds jumps into `noconvergent` statements, which threads must enter at the start. Computed `goto`s are not
    /// checked: their target is unknown.
    fn find_jumps_into_noconvergent(&mut self) {
        if !self.stmts.iter().any(|stmt| stmt.noconvergent) {
            return;
        }
        // For each statement, the innermost marked statement around it.
        let mut around: IndexVec<StmtId, Option<StmtId>> = IndexVec::with_capacity(self.stmts.len());
        for stmt in &self.stmts {
            let outer = stmt.parent.filter(|&parent| self.stmts[parent].noconvergent);
            around.push(outer.or_else(|| stmt.parent.and_then(|parent| around[parent])));
        }
        for (jump, stmt) in self.stmts.iter_enumerated() {
            let targets: &[StmtId] = match &stmt.kind {
                StmtKind::Goto(target) => target.as_slice(),
                StmtKind::Asm(labels) | StmtKind::Switch { labels, .. } => labels,
                _ => continue,
            };
            let opened = targets.iter().filter_map(|&target| around[target]);
            let from_outside = |&open: &StmtId| !(open..self.stmts[open].end).contains(&jump);
            if let Some(open) = opened.filter(from_outside).min() {
                let open = self.stmts[open].span;
                self.problems.push(BodyError::JumpIntoOpen { jump: stmt.span, open });
            }
        }
    }
}

/// Adds the expressions of an initialiser, in source order. The parser's limit on brackets bounds the depth.
pub(super) fn initializer_exprs(initializer: &Initializer, exprs: &mut Vec<ExprId>) {
    match initializer {
        Initializer::Expression(expr) => exprs.push(*expr),
        Initializer::Arguments(all) => exprs.extend(all.iter().copied()),
        Initializer::List(entries) => {
            entries.iter().for_each(|(_, initializer)| initializer_exprs(initializer, exprs));
        }
    }
}
