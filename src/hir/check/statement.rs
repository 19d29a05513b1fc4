//! Checks statements and declarations: the expressions that they evaluate, and the names in scope.

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{self, AddressSpace, AssemblyOperand, Decl, DeclaratorStep, Span, Storage as Word};
use tangle_grammar::symbol::Symbol;

use super::{
    BodyState, Checker, ConversionContext, Holds, LookupKey, Meaning, Qualified, Scope, TypeProblemKind,
};
use crate::body::{Body, StmtId, StmtKind};
use crate::build::{initializer_exprs, literals};
use crate::declare::Context;
use crate::def::names::declared_again;
use crate::layout::layout;
use crate::typed::{Expr, ExprId, ExprKind, Global, Initializer, Local, StmtExprs, Storage, Var};
use crate::types::{Ty, TyKind};
use tangle_syntax::dialect::{Operand, Operation};

/// Returns the address space of a variable at file scope. The default is `global` (OpenCL C 3.0, 6.7.1).
fn file_scope_space(q: &Qualified) -> AddressSpace {
    q.space.unwrap_or(AddressSpace::Global)
}

impl<'a> Checker<'a> {
    /// Whether a variable always has its initial value. In C++ the host can write constant memory between launches.
    fn is_constant_variable(&self, q: &Qualified) -> bool {
        (q.constant || !self.cpp && q.space == Some(AddressSpace::Constant)) && !q.volatile
    }

    /// Declares the name of a declaration at file scope. Its initialiser is checked only for the length of an array and
    /// for the value of a constant.
    pub(super) fn export(&mut self, decl: &'a Decl) {
        let Some((name, q)) = self.enter_file_scope(decl) else { return };
        let Some(syntax) = &decl.initializer else { return };
        let open = matches!(q.ty.kind(), TyKind::Array { length: None, .. });
        let kept = self.is_constant_variable(&q) && super::constant::is_short(syntax);
        let (holds, ty) = if open || kept {
            let from = self.exprs.next_idx();
            let (initializer, ty) = self.initializer(syntax, q.ty, decl.span);
            let holds = || self.holds(&self.initial_data(&initializer, ty), from);
            (if kept { holds() } else { Holds::UnknownConstant }, ty)
        } else {
            (Holds::UnknownConstant, q.ty)
        };
        self.enter_global(name.text, ty, &q, holds);
    }

    /// Declares the name of a declaration at file scope, and returns it if it is a variable.
    fn enter_file_scope(&mut self, decl: &'a Decl) -> Option<(ast::Name, Qualified)> {
        let outside = self.enter_templates(decl);
        let entered = self.enter_declared(decl);
        self.leave_templates(outside);
        let (name, mut q, meaning) = entered?;
        if self.cpp {
            q.constant |= decl.specifiers.storage.contains(&Word::Constexpr);
            let is_elsewhere =
                |space: &AddressSpace| matches!(space, AddressSpace::Constant | AddressSpace::Local);
            q.space = variable_space(decl, &q, true).filter(is_elsewhere);
        }
        if let Some(meaning) = meaning {
            self.scope().enter(name.text, meaning);
            return None;
        }
        self.enter_global(name.text, q.ty, &q, Holds::Variable);
        Some((name, q))
    }

    /// Returns the name, the type and the meaning of a declaration at file scope. The meaning is None for a variable.
    fn enter_declared(&mut self, decl: &'a Decl) -> Option<(ast::Name, Qualified, Option<Meaning>)> {
        let q = self.declared(decl, Context::Other);
        let name = decl.name?;
        if decl.specifiers.storage.contains(&Word::Typedef) {
            return Some((name, q, Some(Meaning::Type(q))));
        }
        if q.ty.as_function().is_some() {
            let function = self.meaning_of_function(decl, name.text, q.ty);
            let mut functions = vec![function];
            let entry = LookupKey::Ordinary(name.text);
            let known = match self.written_namespace(decl) {
                Some(namespace) => self.names.within(namespace, entry).cloned(),
                None => self.lookup_own(entry),
            };
            if function.key.overload.is_some()
                && let Some(Meaning::Functions(known)) = known
            {
                functions = declared_again(function, &known);
            }
            return Some((name, q, Some(Meaning::Functions(functions.into()))));
        }
        Some((name, q, None))
    }

    /// Returns the qualified name of a variable that is declared in the namespace of the item.
    fn name_of_global(&self, name: Symbol) -> Symbol {
        self.names.namespace.child(name).to_symbol()
    }

    /// Declares a variable at file scope. Only the contents of a constant are known.
    fn enter_global(&mut self, name: Symbol, ty: Ty, q: &Qualified, holds: Holds) {
        let holds = if self.is_constant_variable(q) { holds } else { Holds::Variable };
        let (space, constant, volatile) = (file_scope_space(q), q.constant, q.volatile);
        let of_program = self.name_of_global(name);
        self.scope().enter(name, Meaning::Global { name: of_program, ty, space, constant, volatile, holds });
    }

    /// Declares the name of a declaration at file scope, and checks its initialiser.
    pub(super) fn file_scope(&mut self, id: ast::DeclId, globals: &mut Vec<Global>) {
        let ast = self.ast;
        let decl = &ast.decls[id];
        let Some((name, q)) = self.enter_file_scope(decl) else { return };
        let (initializer, ty) = match &decl.initializer {
            Some(syntax) => {
                let from = self.exprs.next_idx();
                let (initializer, ty) = self.initializer(syntax, q.ty, decl.span);
                let filled = self.initial_data(&initializer, ty);
                let holds = self.holds(&filled, from);
                self.enter_global(name.text, ty, &q, holds);
                (self.data(filled, from, decl.span), ty)
            }
            None => (None, q.ty),
        };
        let has = |word| decl.specifiers.storage.contains(&word);
        let space = file_scope_space(&q);
        globals.push(Global {
            name: ast::Name { text: self.name_of_global(name.text), ..name },
            ty: self.complete(ty),
            space,
            constant: q.constant || space == AddressSpace::Constant,
            internal: has(Word::Static),
            external: has(Word::Extern) && decl.initializer.is_none(),
            initializer,
        });
    }

    /// Checks the statements from `from` up to `end`, in order.
    pub(super) fn statements(&mut self, body: &'a Body, from: StmtId, end: StmtId) {
        let outside = self.in_body().blocks.len();
        let mut id = from;
        while id < end {
            self.leave_blocks(outside, id);
            if let Some(&after) = self.in_body().checked.get(&id) {
                id = after;
                continue;
            }
            self.before(body, id);
            self.statement(body, id);
            id = StmtId::new(id.index() + 1);
        }
        self.leave_blocks(outside, end);
    }

    pub(super) fn in_body(&mut self) -> &mut BodyState<'a> {
        self.body.as_mut().expect("statements are in a body")
    }

    /// Leaves the blocks that end before a statement.
    fn leave_blocks(&mut self, outside: usize, id: StmtId) {
        while self.in_body().blocks.len() > outside {
            let Some(&(end, scopes)) = self.in_body().blocks.last() else { return };
            if end > id {
                return;
            }
            self.in_body().blocks.pop();
            self.scopes.truncate(scopes);
        }
    }

    fn enter_block(&mut self, end: StmtId) {
        let scopes = self.scopes.len();
        self.in_body().blocks.push((end, scopes));
        self.scopes.push(Scope::default());
    }

    /// Checks the condition and the step of a `for` before its body: its `init`, which they use, is checked by then.
    fn before(&mut self, body: &'a Body, id: StmtId) {
        let Some(parent) = body.stmts[id].parent else { return };
        let StmtKind::For { body: inner, .. } = body.stmts[parent].kind else { return };
        if inner != id {
            return;
        }
        let ast = self.ast;
        let (condition, step) = match &ast.stmts[body.stmts[parent].syntax].kind {
            ast::StmtKind::For { condition, step, .. } => (condition, step),
            &ast::StmtKind::RangeFor { range, .. } => {
                // Whether there is another element depends on the range.
                let range = self.rvalue(range);
                let span = self.exprs[range].span;
                let condition = Some(self.unknown(&[range], Ty::BOOL, span));
                self.in_body().stmts[parent] = StmtExprs::For { condition, step: None };
                return;
            }
            _ => return,
        };
        let condition = condition.map(|condition| {
            let condition = self.expr(condition);
            self.condition(condition)
        });
        let step = step.map(|step| self.expr(step));
        self.in_body().stmts[parent] = StmtExprs::For { condition, step };
    }

    /// Whether a condition belongs to an `if constexpr`.
    fn is_constexpr(&self, condition: ast::ExprId) -> bool {
        matches!(self.ast.exprs[condition].kind, ast::ExprKind::ConstantExpr(_))
    }

    fn statement(&mut self, body: &'a Body, id: StmtId) {
        let ast = self.ast;
        let stmt = &body.stmts[id];
        let syntax = &ast.stmts[stmt.syntax];
        let evaluated = match &syntax.kind {
            ast::StmtKind::Compound(_) | ast::StmtKind::For { .. } | ast::StmtKind::RangeFor { .. } => {
                self.enter_block(stmt.end);
                StmtExprs::Nothing
            }
            ast::StmtKind::If { condition, .. } if self.is_constexpr(*condition) => {
                let from = self.exprs.next_idx();
                let condition = self.expr(*condition);
                self.exprs[from..].iter_mut().for_each(Expr::assume_uniform);
                let condition = self.condition(condition);
                StmtExprs::Condition(self.with_known_truth(condition))
            }
            ast::StmtKind::If { condition, .. }
            | ast::StmtKind::While { condition, .. }
            | ast::StmtKind::Do { condition, .. } => {
                let condition = self.expr(*condition);
                StmtExprs::Condition(self.condition(condition))
            }
            ast::StmtKind::Switch { condition, .. } => self.switch(*condition, id),
            ast::StmtKind::Return(value) => self.return_value(*value, syntax.span),
            ast::StmtKind::Expression(expr) => {
                let expr = self.expr(*expr);
                // The value of an expression statement is dropped, but a volatile place is read.
                let volatile = self.place(expr).is_some_and(|place| place.volatile);
                let expr = if volatile { self.value(expr) } else { expr };
                StmtExprs::Expression(expr)
            }
            ast::StmtKind::Declaration(decls) => {
                let mut locals = Vec::new();
                for &decl in decls {
                    self.local(&ast.decls[decl], &mut locals);
                }
                StmtExprs::Declaration(locals.into())
            }
            ast::StmtKind::Case { low, high, .. } => self.case(body, id, *low, *high, syntax.span),
            ast::StmtKind::ComputedGoto(target) => StmtExprs::Goto(self.rvalue(*target)),
            ast::StmtKind::Error
            | ast::StmtKind::Opaque(_)
            | ast::StmtKind::Empty
            | ast::StmtKind::Goto(_)
            | ast::StmtKind::Continue
            | ast::StmtKind::Break
            | ast::StmtKind::Label { .. }
            | ast::StmtKind::Default { .. } => StmtExprs::Nothing,
            ast::StmtKind::Asm(assembly) => self.assembly(assembly),
        };
        if !matches!(evaluated, StmtExprs::Nothing) {
            self.in_body().stmts[id] = evaluated;
        }
    }

    fn assembly(&mut self, assembly: &ast::Assembly) -> StmtExprs {
        let outputs = self.operands_of(&assembly.outputs);
        let inputs = self.operands_of(&assembly.inputs);
        let (operations, output) = self.dialect.assembly(&literals(assembly));
        let mut calls = Vec::with_capacity(operations.len());
        let mut before = None;
        for (number, operation) in operations.iter().enumerate() {
            let span = assembly.text[operation.literal].span;
            // Calls in one literal have the same location and consecutive numbers.
            let first = match before {
                Some((literal, first)) if literal == operation.literal => first,
                _ => number,
            };
            before = Some((operation.literal, first));
            let call = self
                .body
                .as_ref()
                .and_then(|body| body.calls.get(&span))
                .map(|&call| call + (number - first));
            // Where an operand has a meaning, such as a mask, the call has the operands of the instruction.
            let row = self.dialect.builtins().get(operation.name);
            let arguments = match row.is_some_and(|row| row.mask.is_some()) {
                true => &*self.operands_of_instruction(operation, assembly, &inputs),
                false => &*inputs,
            };
            calls.push(self.unknown_call(Some(operation.name), call, arguments, Ty::UNKNOWN, span));
        }
        StmtExprs::Assembly { outputs, inputs, operations: calls.into(), output }
    }

    /// Returns the operands of an instruction. An operand that is no variable and no number depends on all inputs of the
    /// assembly.
    fn operands_of_instruction(
        &mut self,
        instruction: &Operation,
        assembly: &ast::Assembly,
        inputs: &[ExprId],
    ) -> Box<[ExprId]> {
        let span = assembly.text[instruction.literal].span;
        let mut all = Vec::with_capacity(instruction.operands.len());
        for operand in &instruction.operands {
            let known = match *operand {
                Operand::Number(text) => Some(self.number(text, span)),
                Operand::Numbered(number) => match assembly.operands.get(number) {
                    Some(AssemblyOperand::Name(name)) => self.meaning(name.text, name.span),
                    Some(AssemblyOperand::Number(number)) => Some(self.number(number.text, number.span)),
                    Some(AssemblyOperand::Other) | None => None,
                },
                Operand::Other => None,
            };
            all.push(known.unwrap_or_else(|| self.unknown(inputs, Ty::UNKNOWN, span)));
        }
        all.into()
    }

    /// Returns the meanings of the operands of inline assembly. Undeclared names are skipped.
    fn operands_of(&mut self, names: &[ast::Name]) -> Box<[ExprId]> {
        names.iter().filter_map(|name| self.meaning(name.text, name.span)).collect()
    }

    fn switch(&mut self, condition: ast::ExprId, id: StmtId) -> StmtExprs {
        let span = self.ast.exprs[condition].span;
        let condition = self.rvalue(condition);
        let ty = self.exprs[condition].ty;
        let condition = match ty.kind() {
            TyKind::Integer(_) | TyKind::Bool => self.promoted(condition),
            TyKind::Unknown => condition,
            _ => self.wrong(span, TypeProblemKind::SwitchCondition { ty }, &[condition]),
        };
        let ty = self.exprs[condition].ty;
        self.in_body().switches.insert(id, (ty, FxHashSet::default()));
        StmtExprs::Condition(condition)
    }

    fn case(
        &mut self,
        body: &Body,
        id: StmtId,
        low: ast::ExprId,
        high: Option<ast::ExprId>,
        span: Span,
    ) -> StmtExprs {
        let mut values = [0, 0];
        for (value, expr) in values.iter_mut().zip([low, high.unwrap_or(low)]) {
            match self.constant_integer(expr) {
                Some(found) => *value = found,
                None => {
                    if !self.depends_on_unknown(expr) {
                        self.problem(self.ast.exprs[expr].span, TypeProblemKind::NotConstant);
                    }
                    return StmtExprs::Nothing;
                }
            }
        }
        let switch = enclosing_switch(body, id);
        let Some((ty, seen)) = switch.and_then(|switch| self.in_body().switches.get_mut(&switch)) else {
            return StmtExprs::Nothing;
        };
        if let Some(integer) = ty.as_integer() {
            values = values.map(|value| integer.wrap(value));
        }
        let [low, high] = values;
        if high == low && !seen.insert(low) {
            self.problem(span, TypeProblemKind::DuplicateCase { value: low });
        }
        StmtExprs::Case { low, high }
    }

    fn return_value(&mut self, value: Option<ast::ExprId>, span: Span) -> StmtExprs {
        match value {
            None => {
                // As in clang, a missing value is not an error.
                StmtExprs::Return(None)
            }
            Some(value) => {
                let mut checked = self.expr(value);
                if self.in_body().result_deduced {
                    checked = self.value(checked);
                    let result = self.exprs[checked].ty;
                    let body = self.in_body();
                    (body.result, body.result_deduced) = (result, false);
                }
                let result = self.in_body().result;
                let ty = self.exprs[checked].ty;
                if result.is_void() {
                    // `return f();` with a void value is an extension. Any other value is an error.
                    if !ty.is_void() && !ty.is_unknown() {
                        self.problem(span, TypeProblemKind::Return { expected: result, value: true });
                    }
                    return StmtExprs::Return(Some(checked));
                }
                StmtExprs::Return(Some(self.bind_or_convert(checked, result, ConversionContext::Return)))
            }
        }
    }

    /// Checks a declaration in a block.
    fn local(&mut self, decl: &'a Decl, locals: &mut Vec<Local>) {
        let outside = self.enter_templates(decl);
        let mut q = self.declared(decl, Context::Other);
        self.leave_templates(outside);
        if let Some(more) = decl.more.as_ref().filter(|more| !more.bindings.is_empty()) {
            return self.bindings(decl, &more.bindings, locals);
        }
        let Some(name) = decl.name else { return };
        let has = |word| decl.specifiers.storage.contains(&word);
        if has(Word::Typedef) {
            self.scope().enter(name.text, Meaning::Type(q));
            return;
        }
        if q.ty.as_function().is_some() {
            let function = self.meaning_of_function(decl, name.text, q.ty);
            self.scope().enter(name.text, Meaning::Functions([function].into()));
            return;
        }
        if self.cpp {
            q.constant |= has(Word::Constexpr);
            q.space = variable_space(decl, &q, has(Word::Static));
        }
        let deduced = self.deduce_auto(decl, &mut q);
        let space = match q.space {
            Some(AddressSpace::Generic) | None if has(Word::Static) || has(Word::Extern) => {
                AddressSpace::Global
            }
            Some(AddressSpace::Generic) | None => AddressSpace::Private,
            Some(space) => space,
        };
        let storage = match space {
            _ if has(Word::Extern) => Storage::Extern(self.name_of_global(name.text)),
            AddressSpace::Local => Storage::Local,
            AddressSpace::Constant | AddressSpace::Global => Storage::Static(None),
            _ if has(Word::Static) => Storage::Static(None),
            _ => Storage::Automatic,
        };
        let fixed = storage != Storage::Automatic;
        let var = self.vars.push(Var {
            name: Some(name),
            ty: self.complete(q.ty),
            storage,
            space,
            constant: q.constant || space == AddressSpace::Constant,
            volatile: q.volatile,
            is_object: false,
            span: decl.span,
        });
        // A name is in scope in its own initialiser.
        self.scope().enter(name.text, Meaning::Variable(var));
        let deduced = deduced
            .or_else(|| self.constructed_by(decl.initializer.as_ref(), q.ty, decl.span))
            .filter(|_| !fixed);
        let initializer = match &decl.initializer {
            None => deduced,
            Some(_) if let Some(initializer) = deduced => Some(initializer),
            Some(syntax) => {
                let from = self.exprs.next_idx();
                let (initializer, ty) = self.initializer(syntax, q.ty, decl.span);
                self.vars[var].ty = self.complete(ty);
                let filled =
                    (fixed || self.is_constant_variable(&q)).then(|| self.initial_data(&initializer, ty));
                if let (true, Some(filled)) = (self.is_constant_variable(&q), &filled) {
                    let holds = self.holds(filled, from);
                    self.held.insert(var, holds);
                }
                match filled.filter(|_| fixed) {
                    None => Some(initializer),
                    Some(filled) => {
                        let data = self.data(filled, from, decl.span);
                        self.vars[var].storage = Storage::Static(data);
                        None
                    }
                }
            }
        };
        let ty = self.vars[var].ty;
        let elsewhere = matches!(self.vars[var].storage, Storage::Extern(_));
        let open = matches!(decl.declarator.first(), Some(DeclaratorStep::Array { size: None }))
            && matches!(ty.kind(), TyKind::Array { length: None, .. });
        if layout(ty).is_none() && !elsewhere && (open || !super::expr::mentions_unknown(ty)) {
            self.problem(decl.span, TypeProblemKind::Incomplete { ty });
        }
        if let Some(entries) = initializer.as_ref().map(|initializer| &initializer.entries)
            && let [(path, value)] = &**entries
            && path.is_empty()
            && let Some(&number) = self.literal_numbers.get(value)
        {
            self.lambdas.insert((self.around.len(), var), number);
        }
        locals.push(Local { var, initializer });
    }

    /// `auto [a, b] = e;`: each name is a separate variable whose value depends on all of `e`.
    fn bindings(&mut self, decl: &'a Decl, names: &[ast::Name], locals: &mut Vec<Local>) {
        let mut values = Vec::new();
        if let Some(syntax) = &decl.initializer {
            let mut exprs = Vec::new();
            initializer_exprs(syntax, &mut exprs);
            values.extend(exprs.into_iter().map(|expr| self.rvalue(expr)));
        }
        let whole = self.unnamed(Ty::UNKNOWN, Storage::Automatic, AddressSpace::Private, decl.span);
        let value = self.unknown(&values, Ty::UNKNOWN, decl.span);
        let begins_with = |value| Initializer { zero: false, entries: [(Box::default(), value)].into() };
        locals.push(Local { var: whole, initializer: Some(begins_with(value)) });
        for &name in names {
            let whole = self.push(ExprKind::Variable(whole), Ty::UNKNOWN, name.span);
            let part = self.unknown(&[whole], Ty::UNKNOWN, name.span);
            let var = self.vars.push(Var {
                name: Some(name),
                ty: Ty::UNKNOWN,
                storage: Storage::Automatic,
                space: AddressSpace::Private,
                constant: false,
                volatile: false,
                is_object: false,
                span: name.span,
            });
            self.scope().enter(name.text, Meaning::Variable(var));
            locals.push(Local { var, initializer: Some(begins_with(part)) });
        }
    }

    /// Checks `({ … })`. Its value is the value of its last statement.
    pub(super) fn statement_expression(&mut self, syntax: ast::StmtId, span: Span) -> ExprId {
        let found =
            self.body.as_ref().and_then(|body| body.nested.get(&syntax).copied().map(|id| (body.body, id)));
        // The body does not contain statements of operands that are not evaluated.
        let Some((body, id)) = found else { return self.unknown(&[], Ty::UNKNOWN, span) };
        let end = body.stmts[id].end;
        if !self.in_body().checked.contains_key(&id) {
            self.statements(body, id, end);
            self.in_body().checked.insert(id, end);
        }
        let last = match &body.stmts[id].kind {
            StmtKind::Compound(children) => children.last().copied(),
            _ => None,
        };
        // The last statement can have labels.
        let mut last = last;
        while let Some(StmtKind::Label(inner)) = last.map(|last| &body.stmts[last].kind) {
            last = Some(*inner);
        }
        let value = match last.map(|last| self.in_body().stmts[last].clone()) {
            Some(StmtExprs::Expression(value)) => Some((last, value)),
            _ => None,
        };
        match value {
            Some((Some(last), value)) if !self.exprs[value].ty.is_void() => {
                let value = self.value(value);
                self.in_body().stmts[last] = StmtExprs::Expression(value);
                let ty = self.exprs[value].ty;
                self.push(ExprKind::Statement { body: id, value: true }, ty, span)
            }
            _ => self.push(ExprKind::Statement { body: id, value: false }, Ty::VOID, span),
        }
    }
}

/// Returns the memory of a variable in C++, which depends on the variable and not on its type. A constant that outlives
/// its block is in constant memory.
fn variable_space(decl: &Decl, q: &Qualified, lasting: bool) -> Option<AddressSpace> {
    let fixed = lasting && q.constant && !q.volatile;
    decl.specifiers
        .storage
        .iter()
        .find_map(|word| match word {
            Word::Shared => Some(AddressSpace::Local),
            Word::ConstantMemory => Some(AddressSpace::Constant),
            Word::Managed | Word::Device if !fixed => Some(AddressSpace::Global),
            _ => None,
        })
        .or(fixed.then_some(AddressSpace::Constant))
}

fn enclosing_switch(body: &Body, id: StmtId) -> Option<StmtId> {
    let mut at = body.stmts[id].parent;
    while let Some(stmt) = at {
        if matches!(body.stmts[stmt].kind, StmtKind::Switch { .. }) {
            return Some(stmt);
        }
        at = body.stmts[stmt].parent;
    }
    None
}
