//! The callee of a call in C++: the functions that its name can mean, and the function that the arguments select.
//!
//! ```c
//! tile.load(p);      // a method of the class of `tile`, if that is known
//! ns::f(1);          // the functions `f` in `ns`: the types select one of them
//! sync(block);       // argument-dependent lookup: in the namespace of the class of `block`
//! ```
//!
//! **Candidates** of a call: the functions that its name can mean and that accept its number of arguments. If the types
//! select none of them, the call can mean any of them. It is then known by name only, and is convergent if any function
//! with that name is. An object of unknown type is assumed to have neither a class with a declared `operator()` nor the
//! class around the call: objects of missing libraries, such as tensors and tiles, are called like this.

use std::fmt::Display;

use rustc_hash::FxHashSet;
use tangle_grammar::ast::{self, ExprKind as Ast, Path, Span};
use tangle_grammar::symbol::Symbol;
use tangle_ir::key::{DeclaringScope, FunctionKey, UnresolvedCallee};

use super::{Checker, FunctionMeaning, LookupKey, Meaning, TypeProblem, TypeProblemKind, Used};
use crate::builtin_class::class_of_language;
use crate::def::overload::{self, Resolution};
use crate::def::template::{FunctionTemplate, by_name};
use crate::resolve::qualified_name;
use crate::typed::{ExprId, ExprKind};
use crate::types::{FunctionTy, RecordName, Ty, TyKind};

/// The functions that a call can mean, by its name.
pub(super) struct CalleeCandidates {
    /// The name of the callee if no candidate is selected.
    pub named: UnresolvedCallee,
    /// The object before `.name`, as an address.
    pub object: Option<ExprId>,
    pub candidates: Vec<FunctionMeaning>,
    /// Whether the path or the class of the object excludes functions other than the candidates.
    pub only_candidates: bool,
}

impl CalleeCandidates {
    /// Keeps the candidates that the call can mean. If it removes all, the callee is an undeclared function that shares
    /// its name with declared functions.
    pub fn retain(&mut self, mut may_be_meant: impl FnMut(&FunctionMeaning) -> bool) {
        let some = !self.candidates.is_empty();
        self.candidates.retain(&mut may_be_meant);
        if some
            && self.candidates.is_empty()
            && let Some(name) = self.named.name()
        {
            self.named = UnresolvedCallee::Undeclared { name, of_object: self.object.is_some() };
        }
    }

    /// Removes the explicit specialisations, and returns them: they take no part in overload resolution. If there is no
    /// other candidate, they stay.
    pub fn take_specialisations(&mut self) -> Vec<FunctionMeaning> {
        let is_special = |it: &FunctionMeaning| it.template.is_some_and(FunctionTemplate::is_specialisation);
        match self.candidates.iter().all(is_special) {
            true => Vec::new(),
            false => self.candidates.extract_if(.., |it| is_special(it)).collect(),
        }
    }

    /// Removes the candidates that a call with this number of template arguments cannot mean, if others remain:
    /// templates whose arguments it does not determine and, if it has template arguments, functions that are no
    /// templates.
    ///
    /// ```c
    /// __device__ int width();
    /// template <int N> __device__ int width();
    /// width();       // the first
    /// width<4>();    // the second
    /// ```
    pub fn retain_by_template_arguments(&mut self, written: usize) {
        let may_be_meant = |it: &FunctionMeaning| match it.template {
            Some(template) => {
                let has_own = template.of_class() < template.parameters().len();
                (written == 0 || has_own) && template.is_determined_by(written)
            }
            None => written == 0,
        };
        if self.candidates.iter().any(may_be_meant) {
            self.candidates.retain(may_be_meant);
        }
    }
}

impl<'a> Checker<'a> {
    /// Returns the name by which the table of builtins lists a name. In the source, the namespace can have an alias, or
    /// be left out.
    pub(crate) fn builtin_name(&mut self, name: Symbol, span: Span) -> Symbol {
        let rest = name.as_str().split_once("::").map(|(first, rest)| (Symbol::intern(first), rest));
        let (None, Some((first, rest))) = (self.known_builtin_name(name), rest) else {
            return self.known_builtin_name(name).unwrap_or(name);
        };
        match self.dialect.builtins().of_any_namespace(Symbol::intern(rest)) {
            Some(whole) => {
                self.assume_namespace(first, whole, span);
                whole
            }
            None => name,
        }
    }

    /// Returns the name by which the table of builtins lists a name, if the source says it: by the whole name, an alias
    /// or a `using`.
    fn known_builtin_name(&self, name: Symbol) -> Option<Symbol> {
        let builtins = self.dialect.builtins();
        if builtins.knows(name) {
            return Some(name);
        }
        let text = name.as_str();
        let (first, rest) = text.split_once("::").map_or((text, None), |(first, rest)| (first, Some(rest)));
        self.names.usings.iter().filter(|using| using.in_language).find_map(|using| {
            let whole = match using.used {
                Used::Alias { name, of } if name.as_str() == first => match rest {
                    Some(rest) => format!("{of}::{rest}"),
                    None => of.to_string(),
                },
                Used::Alias { .. } => return None,
                Used::Namespace(namespace) => format!("{namespace}::{text}"),
            };
            let whole = Symbol::intern(&whole);
            builtins.knows(whole).then_some(whole)
        })
    }

    /// Argument-dependent lookup of a builtin: its name in the namespace of the class of an argument.
    ///
    /// ```cuda
    /// auto block = cg::this_thread_block();    // its class: cooperative_groups::thread_block
    /// sync(block);                             // cooperative_groups::sync
    /// ```
    ///
    /// `last` is the last part of the name. None: the table lists the name already, or no argument has such a class.
    fn argument_dependent_builtin(
        &mut self,
        name: Symbol,
        last: Symbol,
        arguments: &[ExprId],
        span: Span,
    ) -> Option<Symbol> {
        let builtins = self.dialect.builtins();
        if builtins.knows(name) {
            return None;
        }
        let whole = arguments.iter().find_map(|&argument| {
            let namespace = self.exprs[argument].ty.as_record()?.tag?.namespace();
            let whole = inside(namespace, last);
            builtins.get(whole).map(|_| whole)
        })?;
        if let Some((first, _)) = name.as_str().split_once("::") {
            self.assume_namespace(Symbol::intern(first), whole, span);
        }
        Some(whole)
    }

    /// Records that an unknown namespace is assumed to be a namespace of the language, because of a name in it.
    fn assume_namespace(&mut self, name: Symbol, whole: Symbol, span: Span) {
        if !self.is_speculative() {
            self.problems.push(TypeProblem { span, kind: TypeProblemKind::AssumedNamespace { name, whole } });
        }
    }

    /// Returns the row of the table for a method of a class of the language.
    pub(super) fn row_of_class(&self, class: Ty, name: Symbol) -> Option<Symbol> {
        let class = class.as_pointer().map_or(class, |pointer| pointer.pointee);
        let tag = class.as_record()?.tag?;
        let row = inside(class_of_language(tag), name);
        self.dialect.builtins().get(row).map(|_| row)
    }

    /// Returns the functions that a callee names. None: the callee is a value.
    pub(super) fn called(
        &mut self,
        mut callee: ast::ExprId,
        arguments: &[ExprId],
    ) -> Option<CalleeCandidates> {
        let ast: &'a ast::Ast = self.ast;
        while let Ast::Paren(inner) = ast.exprs[callee].kind {
            callee = inner;
        }
        match &ast.exprs[callee].kind {
            &Ast::Name(name) => match self.lookup(name) {
                Some(Meaning::Variable(_) | Meaning::Global { .. }) => None,
                Some(Meaning::Functions(functions)) => {
                    let mut candidates = functions.to_vec();
                    self.add_by_arguments(name, arguments, &mut candidates);
                    Some(CalleeCandidates {
                        named: UnresolvedCallee::Function(name),
                        object: None,
                        candidates,
                        only_candidates: false,
                    })
                }
                _ => {
                    let span = ast.exprs[callee].span;
                    if let Some(method) = self.own_method(name, span) {
                        return Some(method);
                    }
                    let whole = self.builtin_name(name, span);
                    let whole =
                        self.argument_dependent_builtin(whole, name, arguments, span).unwrap_or(whole);
                    let named = UnresolvedCallee::Function(whole);
                    Some(CalleeCandidates {
                        named,
                        object: None,
                        candidates: Vec::new(),
                        only_candidates: false,
                    })
                }
            },
            Ast::Path(path) => {
                let full = qualified_name(path);
                let last = path.last().name.text;
                let entry = LookupKey::Ordinary(last);
                let is_plain = path.segments.len() == 1;
                let inside = self.lookup_qualified(path).and_then(Meaning::functions);
                let is_closed = inside.is_some();
                let mut candidates = match inside {
                    Some(functions) => functions.to_vec(),
                    None if is_plain => {
                        let mut visible = self.functions(entry);
                        self.add_by_arguments(last, arguments, &mut visible);
                        visible
                    }
                    // The path leads into the language: a function of the unit with this name is another one.
                    None if self.known_builtin_name(full).is_some() => Vec::new(),
                    // The path is unknown.
                    None => self.names.functions_anywhere(entry),
                };
                if !is_closed {
                    candidates.extend(self.static_functions(path));
                }
                let named = match candidates.is_empty() {
                    true => {
                        let span = ast.exprs[callee].span;
                        let name = self.builtin_name(full, span);
                        let name =
                            self.argument_dependent_builtin(name, last, arguments, span).unwrap_or(name);
                        self.assume(name, true, span);
                        UnresolvedCallee::Function(self.class_for_group_size(name, path))
                    }
                    false if is_plain => UnresolvedCallee::Function(last),
                    false => UnresolvedCallee::Qualified(last),
                };
                Some(CalleeCandidates { named, object: None, candidates, only_candidates: is_closed })
            }
            Ast::Member { base, arrow, name } => Some(self.method_of(self.done[*base], *arrow, name.text)),
            Ast::MemberPath { base, arrow, path } => {
                Some(self.method_of(self.done[*base], *arrow, path.last().name.text))
            }
            _ => None,
        }
    }

    /// Argument-dependent lookup: adds functions of the namespaces of the arguments' classes. An argument of unknown
    /// type can have the class of the parameter.
    pub(super) fn add_by_arguments(
        &self,
        name: Symbol,
        arguments: &[ExprId],
        candidates: &mut Vec<FunctionMeaning>,
    ) {
        let all = self.names.functions_anywhere(LookupKey::Ordinary(name));
        if all.len() <= candidates.len() {
            return;
        }
        let class_of = |ty: Ty| {
            let ty = ty.as_pointer().map_or(ty, |pointer| pointer.pointee);
            (ty.is_unknown(), ty.as_record().and_then(|record| record.tag))
        };
        let given: Vec<(bool, Option<RecordName>)> =
            arguments.iter().map(|&argument| class_of(self.exprs[argument].ty)).collect();
        let is_found = |function: &FunctionMeaning| {
            let DeclaringScope::Namespace(namespace) = function.key.owner else { return false };
            let parameters = function.ty.as_function().map_or(&[][..], |of| &of.parameters);
            given.iter().enumerate().any(|(number, &(is_unknown, class))| match class {
                Some(class) => class.namespace() == namespace,
                None if is_unknown => parameters.get(number).is_some_and(|&parameter| {
                    let (is_any, asked) = class_of(parameter);
                    is_any || asked.is_some_and(|asked| asked.namespace() == namespace)
                }),
                None => false,
            })
        };
        let known: FxHashSet<FunctionKey> = candidates.iter().map(|it| it.key).collect();
        candidates.extend(all.into_iter().filter(|it| !known.contains(&it.key) && is_found(it)));
    }

    /// Returns the functions of a class that a qualified name can mean. If the specialisation is unknown, the functions
    /// of all specialisations.
    fn static_functions(&mut self, path: &Path) -> Vec<FunctionMeaning> {
        if let Some(class) = self.class_of_qualifier(path) {
            let own = self.methods_of(class, path.last().name.text);
            if !own.is_empty() {
                return own;
            }
        }
        let mut statics = self.functions(LookupKey::Methods(path.last().name.text));
        let Some((_, outside)) = path.segments.split_last() else { return Vec::new() };
        let Some(class) = outside.last() else { return Vec::new() };
        let known = self.lookup_class(&Path { segments: outside.into(), ..path.clone() });
        let arguments = class.arguments.as_ref();
        let special = arguments.and_then(|arguments| self.specialised(class.name.text, known, arguments));
        if let Some(owner) = special.or(known).map(DeclaringScope::Class)
            && statics.iter().any(|it| it.key.owner == owner)
        {
            statics.retain(|it| it.key.owner == owner);
        } else {
            statics.retain(|it| match it.key.owner {
                DeclaringScope::Class(of) => match known {
                    Some(known) => of.template() == known.template(),
                    None => of.name() == class.name.text,
                },
                DeclaringScope::Namespace(_) | DeclaringScope::Function { .. } => false,
            });
        }
        statics
    }

    /// Returns the functions that an entry means.
    pub(super) fn functions(&self, entry: LookupKey) -> Vec<FunctionMeaning> {
        match self.lookup_as(entry) {
            Some(Meaning::Functions(functions)) => functions.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Resolves a plain name as a method of the class around the call.
    fn own_method(&mut self, name: Symbol, span: Span) -> Option<CalleeCandidates> {
        let class = self.class?;
        let candidates = self.methods_of(class.class, name);
        if candidates.is_empty() {
            return None;
        }
        let object = class.this.map(|this| self.this(this, span));
        Some(CalleeCandidates {
            named: UnresolvedCallee::Method(name),
            object,
            candidates,
            only_candidates: true,
        })
    }

    /// Returns the `operator()` of an object of a known class: the callee of `object(…)`.
    pub(super) fn call_operator(&mut self, object: ExprId) -> Option<CalleeCandidates> {
        self.exprs[object].ty.as_record()?.tag?;
        Some(self.method_of(object, false, Symbol::intern("operator()")))
    }

    fn method_of(&mut self, base: ExprId, arrow: bool, name: Symbol) -> CalleeCandidates {
        let ty = self.exprs[base].ty;
        let (object, class) = match (arrow, ty.as_pointer()) {
            (true, Some(pointer)) => (self.value(base), pointer.pointee),
            (true, None) => (self.value(base), Ty::UNKNOWN),
            (false, _) => {
                let span = self.exprs[base].span;
                let is_place =
                    self.place(base).is_some() || matches!(self.exprs[base].kind, ExprKind::Unknown { .. });
                let object = match is_place {
                    true => self.address_of(base, span),
                    false if ty.as_record().is_some() => self.address_of_value(base),
                    false => self.value(base),
                };
                (object, ty)
            }
        };
        let row = self.row_of_class(class, name);
        let class = class.as_record().and_then(|record| record.tag);
        let own = class.map_or(Vec::new(), |class| self.methods_of(class, name));
        // The class has no such method: it can be a method of a base class.
        let is_closed = !own.is_empty();
        if let (false, Some(row)) = (is_closed, row) {
            let named = UnresolvedCallee::Function(row);
            return CalleeCandidates { named, object: None, candidates: Vec::new(), only_candidates: false };
        }
        let candidates = if is_closed { own } else { self.functions(LookupKey::Methods(name)) };
        let named = UnresolvedCallee::Method(name);
        let mut called =
            CalleeCandidates { named, object: Some(object), candidates, only_candidates: is_closed };
        if class.is_none() {
            let around = self.class.map(|class| DeclaringScope::Class(class.owner));
            called.retain(|it| name.as_str() != "operator()" && Some(it.key.owner) != around);
        }
        called
    }

    /// Returns the candidate that the number and the types of the arguments select, if they select one.
    pub(super) fn select_candidate(
        &mut self,
        called: &CalleeCandidates,
        arguments: &[ExprId],
    ) -> Option<FunctionMeaning> {
        let hidden = |it: &FunctionMeaning| usize::from(called.object.is_some() && has_object(it));
        if let [only] = called.candidates[..] {
            return accepts(&only, arguments.len(), called.object.is_some()).then_some(only);
        }
        let exact = |it: &&FunctionMeaning| {
            it.ty.as_function().is_some_and(|of| of.parameters.len() == arguments.len() + hidden(it))
        };
        let exact: Vec<FunctionMeaning> = called.candidates.iter().filter(exact).copied().collect();
        if let [only] = exact[..] {
            return Some(only);
        }
        // The class of the object has selected candidates already, so the object is left out.
        let types: Vec<Ty> = exact.iter().map(|it| by_value(it.ty, hidden(it))).collect();
        let found = self.types_by_name(arguments);
        if found.iter().any(|ty| ty.is_unknown()) {
            return None;
        }
        self.only_of_types(&exact, &types, &found)
    }

    /// Returns the types of the values of arguments, with records by their tags.
    pub(super) fn types_by_name(&mut self, arguments: &[ExprId]) -> Vec<Ty> {
        let mut found = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            let value = self.value(argument);
            found.push(by_name(self.exprs[value].ty));
        }
        found
    }

    /// Returns the only one of some functions with these types that overload resolution selects for arguments.
    pub(super) fn only_of_types(
        &self,
        functions: &[FunctionMeaning],
        types: &[Ty],
        arguments: &[Ty],
    ) -> Option<FunctionMeaning> {
        let Resolution::Found { ty } = overload::choose(types, arguments, self.cpp) else { return None };
        let mut same = functions.iter().zip(types).filter(|&(_, &of)| of == ty);
        match (same.next(), same.next()) {
            (Some((only, _)), None) => Some(*only),
            _ => None,
        }
    }
}

/// Whether a function accepts this number of arguments, not counting the object of a method.
pub(super) fn accepts(function: &FunctionMeaning, arguments: usize, has_address: bool) -> bool {
    let Some(of) = function.ty.as_function() else { return false };
    let given = arguments + usize::from(has_address && has_object(function));
    given >= function.required as usize && (given <= of.parameters.len() || of.variadic)
}

/// Whether the first parameter of a function is the object of the method.
pub(super) fn has_object(function: &FunctionMeaning) -> bool {
    let first = function.ty.as_function().and_then(|of| of.parameters.first()).and_then(|ty| ty.as_pointer());
    let DeclaringScope::Class(class) = function.key.owner else { return false };
    first.is_some_and(|pointer| {
        let record = pointer.pointee.as_record();
        record.is_some_and(|record| record.tag.map(RecordName::template) == Some(class.template()))
            || pointer.pointee.is_unknown() && !pointer.reference
    })
}

/// Returns a function type for comparison with arguments: without the object, with references replaced by values, and
/// with records by their tags.
pub(super) fn by_value(ty: Ty, hidden: usize) -> Ty {
    let Some(function) = ty.as_function() else { return ty };
    let parameters = function.parameters.iter().skip(hidden).map(|ty| match ty.as_pointer() {
        Some(pointer) if pointer.reference => by_name(pointer.pointee),
        _ => by_name(*ty),
    });
    let function = FunctionTy { parameters: parameters.collect(), ..function.clone() };
    Ty::new(TyKind::Function(Box::new(function)))
}

/// Returns the name of a member of a namespace or class, as the tables of a dialect spell it.
pub(super) fn inside(outer: impl Display, name: Symbol) -> Symbol {
    Symbol::intern(&format!("{outer}::{name}"))
}
