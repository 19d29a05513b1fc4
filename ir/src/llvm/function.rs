//! A function: its header, the names of its values and blocks, and its blocks with their terminators.

use std::fmt::{self, Write};
use std::rc::Rc;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;
use tangle_base::{AddressSpace, Span};

use super::metadata::Scope;
use super::module::{ModuleWriter, extension, is_record};
use super::names::{Names, variable};
use super::target::Target;
use super::token_workarounds::TokenHolds;
use super::types::{Reason, pointer_text};
use crate::flow::{BlockId, Function, NotLowered, Op, Passing, SlotId, Terminator, Token, ValueId};
use crate::types::{Opaque, Ty, TyKind};
use crate::value::{Arithmetic, Constant, UnaryOp};

/// The limit on values in a range of a `switch` that becomes cases. A larger range becomes a comparison.
const MAX_CASES: i128 = 64;

/// The text of one function, while it is written.
pub(super) struct FunctionWriter<'m, 'a> {
    pub module: &'m mut ModuleWriter<'a>,
    pub function: &'a Function,
    names: Names<'a>,
    /// The operand for each value: a name with `%` or `@`, or a constant.
    operands: IndexVec<ValueId, Rc<str>>,
    slots: IndexVec<SlotId, Rc<str>>,
    labels: IndexVec<BlockId, String>,
    /// For each block, the incoming edges: the source block, and the label of the emitted block where the edge begins.
    edges: IndexVec<BlockId, Vec<(BlockId, Rc<str>)>>,
    /// For each block with a `switch` over wide ranges, the label after each comparison.
    ranges: FxHashMap<BlockId, Vec<Rc<str>>>,
    /// The instructions at the start of the entry.
    prologue: String,
    body: String,
    scope: Option<Scope>,
    /// The debug location at the end of each instruction.
    location: String,
    holds: &'a TokenHolds,
    /// The metadata numbers of the loops that must not be unrolled, by header.
    loops: FxHashMap<BlockId, usize>,
    /// The loop metadata at the end of the block's terminator.
    closing: String,
    span: Span,
}

/// Appends a function to `text`. A kernel that other functions call is emitted twice, with two symbols.
pub(super) fn emit_function<'a>(
    module: &mut ModuleWriter<'a>,
    number: usize,
    holds: &'a TokenHolds,
    symbol: &str,
    kernel: bool,
    text: &mut String,
) -> Result<(), NotLowered> {
    let function = &module.module.functions[number];
    // The second symbol of a kernel is unknown to other modules.
    let internal = !kernel && (function.internal || function.kernel);
    let scope = module.metadata.subprogram(number, function, symbol, internal);
    let mut writer = FunctionWriter {
        module,
        function,
        names: Names::default(),
        operands: function.values.iter().map(|_| "undef".into()).collect(),
        slots: IndexVec::new(),
        labels: IndexVec::new(),
        edges: function.blocks.iter().map(|_| Vec::new()).collect(),
        ranges: FxHashMap::default(),
        prologue: String::new(),
        body: String::new(),
        scope,
        location: String::new(),
        holds,
        loops: FxHashMap::default(),
        closing: String::new(),
        span: function.span,
    };
    writer.all(symbol, kernel, internal, text).map_err(|reason| NotLowered {
        function: Some(function.key),
        span: writer.span,
        reason,
    })
}

impl<'a> FunctionWriter<'_, 'a> {
    fn all(&mut self, symbol: &str, kernel: bool, internal: bool, text: &mut String) -> Result<(), Reason> {
        self.place(self.function.span);
        let parameters = self.parameters(kernel)?;
        self.slots()?;
        self.name_blocks_and_values();
        self.leaves()?;
        self.aliases();
        self.label_edges();
        for block in self.function.blocks.indices() {
            self.block(block)?;
        }
        self.header(symbol, kernel, internal, &parameters, text)?;
        let _ = writeln!(text, "{}:", self.labels.first().map_or("entry", |label| label));
        text.push_str(&self.prologue);
        text.push_str(&self.body);
        text.push_str("}\n");
        Ok(())
    }

    fn header(
        &mut self,
        symbol: &str,
        kernel: bool,
        internal: bool,
        parameters: &[String],
        text: &mut String,
    ) -> Result<(), Reason> {
        let target = self.module.target;
        let linkage = match (internal, target) {
            (true, _) => "internal ",
            // The runtime finds kernels by their symbols. All other symbols are resolved before.
            (false, Target::Amdgcn) if kernel => "protected ",
            (false, Target::Amdgcn) => "hidden ",
            (false, Target::X86_64) => "dso_local ",
            (false, _) => "",
        };
        let convention = if kernel { target.kernel_convention() } else { target.function_convention() };
        let result = self.module.result_text(self.function.result)?;
        let convergent = if self.function.convergent { "convergent " } else { "" };
        let mut attributes = format!("{convergent}nounwind");
        if let (true, Target::Amdgcn, Some([x, y, z])) = (kernel, target, self.function.work_group_size) {
            let size = u64::from(x).saturating_mul(y.into()).saturating_mul(z.into());
            let _ = write!(attributes, " \"amdgpu-flat-work-group-size\"=\"{size},{size}\"");
        }
        let attributes = self.module.attributes(attributes);
        let metadata = self.module.metadata.of_function(self.function, symbol, kernel, self.scope.as_ref());
        let _ = writeln!(
            text,
            "\ndefine {linkage}{convention}{result} {symbol}({}){attributes}{metadata} {{",
            parameters.join(", ")
        );
        Ok(())
    }

    /// Returns the parameters with their names. Copies of parameters go into the prologue.
    fn parameters(&mut self, kernel: bool) -> Result<Vec<String>, Reason> {
        let mut parameters = Vec::new();
        let function = self.function;
        for parameter in &function.parameters {
            let wanted = match (parameter.name, parameter.passing) {
                (Some(name), _) => name.as_str(),
                (None, Passing::Result) => "result",
                (None, _) => "parameter",
            };
            let name: Rc<str> = format!("%{}", self.names.fresh(wanted)).into();
            self.span = parameter.span;
            let text = match parameter.passing {
                Passing::Value => {
                    let ty = self.module.types.value(parameter.ty)?;
                    let restrict = parameter.ty.as_pointer().is_some_and(|pointer| pointer.restrict);
                    let noalias = if restrict { " noalias" } else { "" };
                    // Kernels of amdgcn read their arguments from memory.
                    let in_memory = kernel && self.module.target == Target::Amdgcn;
                    let extension = if in_memory { "" } else { extension(parameter.ty) };
                    format!("{ty}{noalias}{extension} {name}")
                }
                Passing::Copy | Passing::Result => {
                    let text = self.module.record_parameter(parameter.ty, parameter.passing, kernel)?;
                    format!("{text} {name}")
                }
            };
            parameters.push(text);
            let own = match parameter.passing {
                Passing::Copy if kernel && self.module.target == Target::Amdgcn => {
                    let own = self.allocate(wanted, parameter.ty)?;
                    let place = self.pointer_to(AddressSpace::Private);
                    let align = self.module.types.align(parameter.ty);
                    let from = ("ptr addrspace(4)", &*name, align);
                    let copy = self.copy_text(parameter.ty, (&place, &own, align), from)?;
                    self.in_prologue(format_args!("{copy}"));
                    own
                }
                _ => name,
            };
            if let Some(operand) = self.operands.get_mut(parameter.value) {
                *operand = own;
            }
        }
        Ok(parameters)
    }

    fn slots(&mut self) -> Result<(), Reason> {
        let function = self.function;
        for slot in &function.slots {
            self.span = slot.span;
            let name = self.allocate(slot.name.map_or("slot", |name| name.as_str()), slot.ty)?;
            self.slots.push(name);
        }
        Ok(())
    }

    /// Allocates private memory for an object, and returns its address.
    pub fn allocate(&mut self, wanted: &'a str, ty: Ty) -> Result<Rc<str>, Reason> {
        let name: Rc<str> = format!("%{}", self.names.fresh(wanted)).into();
        let memory = self.module.types.memory(ty)?.text;
        let align = self.module.types.align(ty);
        let space = match self.module.target.space(AddressSpace::Private) {
            0 => String::new(),
            number => format!(", addrspace({number})"),
        };
        self.in_prologue(format_args!("{name} = alloca {memory}, align {align}{space}"));
        Ok(name)
    }

    /// Returns the type of pointers to an address space.
    pub fn pointer_to(&self, space: AddressSpace) -> String {
        pointer_text(self.module.target.space(space))
    }

    /// Names the blocks and the values computed in them, in the order of the text.
    fn name_blocks_and_values(&mut self) {
        let function = self.function;
        for block in &function.blocks {
            let label = self.names.fresh(block.label.map_or(block.kind.name(), |label| label.as_str()));
            self.labels.push(label);
            for &id in &block.values {
                let value = &function.values[id];
                if !value.ty.is_void() && self.alias(id).is_none() {
                    let wanted = value.name.map_or_else(|| wanted_name(&value.op), |name| name.as_str());
                    self.operands[id] = format!("%{}", self.names.fresh(wanted)).into();
                }
            }
        }
    }

    /// Computes the operands for the used constants and addresses.
    fn leaves(&mut self) -> Result<(), Reason> {
        let function = self.function;
        let mut used: IndexVec<ValueId, bool> = function.values.iter().map(|_| false).collect();
        for block in &function.blocks {
            for &value in &block.values {
                function.values[value].op.operands(|&operand| used[operand] = true);
            }
            if let Some(operand) = block.terminator.operand() {
                used[operand] = true;
            }
        }
        for (id, value) in function.values.iter_enumerated().filter(|(id, _)| used[*id]) {
            self.span = value.span;
            let operand = match &value.op {
                Op::Constant(Constant::Integer(number))
                    if super::constant::is_sampler(value.ty) && *number != 0 =>
                {
                    self.sampler(&number.to_string(), true)?
                }
                Op::Constant(constant) => self.module.constant(value.ty, constant)?.into(),
                Op::Slot(slot) => {
                    let address = self.slots[*slot].clone();
                    self.in_space(address, AddressSpace::Private, value.ty)?
                }
                Op::Global(name) => {
                    let space = match (self.module.globals.get(name), value.ty.as_pointer()) {
                        (Some(global), _) => global.space,
                        (None, Some(pointer)) => self.module.declare_variable(*name, pointer)?,
                        (None, None) => return Err(format!("the variable `{name}` is not in the module")),
                    };
                    self.in_space(format!("@{}", variable(name.as_str())).into(), space, value.ty)?
                }
                Op::String(bytes) => {
                    let name = self.module.string(bytes);
                    self.in_space(name.into(), AddressSpace::Constant, value.ty)?
                }
                Op::Function(name) => {
                    let ty = value.ty.as_pointer().map_or(value.ty, |pointer| pointer.pointee);
                    self.module.function_address(*name, ty)?.into()
                }
                _ => continue,
            };
            self.operands[id] = operand;
        }
        Ok(())
    }

    /// Returns an address, converted to the address space of its type.
    fn in_space(&mut self, address: Rc<str>, space: AddressSpace, ty: Ty) -> Result<Rc<str>, Reason> {
        let from = self.pointer_to(space);
        let to = self.module.types.value(ty)?;
        if *to == *from {
            return Ok(address);
        }
        let name: Rc<str> = format!("%{}", self.names.fresh("address")).into();
        self.in_prologue(format_args!("{name} = addrspacecast {from} {address} to {to}"));
        Ok(name)
    }

    /// Gives each alias the operand of the value that it stands for.
    fn aliases(&mut self) {
        let function = self.function;
        for block in &function.blocks {
            for &id in &block.values {
                let mut at = id;
                // Only unreachable code can have a cycle of aliases.
                let mut chain = Vec::new();
                while let Some(next) = self.alias(at).filter(|_| chain.len() <= function.values.len()) {
                    chain.push(at);
                    at = next;
                    // The rest of the chain has an operand already.
                    if !matches!(&*self.operands[at], "undef") {
                        break;
                    }
                }
                let operand = self.operands[at].clone();
                for alias in chain {
                    self.operands[alias] = operand.clone();
                }
            }
        }
    }

    /// Computes the labels where the edges into each block begin.
    fn label_edges(&mut self) {
        let function = self.function;
        for (id, block) in function.blocks.iter_enumerated() {
            let label: Rc<str> = self.labels[id].as_str().into();
            match &block.terminator {
                Terminator::Switch { cases, otherwise, .. } => {
                    let mut label = label;
                    for &(.., target) in cases.iter().filter(|case| is_wide(case)) {
                        self.edges[target].push((id, label));
                        label = self.names.fresh("range").into();
                        self.ranges.entry(id).or_default().push(label.clone());
                    }
                    for &(low, high, target) in cases.iter().filter(|case| !is_wide(case)) {
                        for _ in low..=high {
                            self.edges[target].push((id, label.clone()));
                        }
                    }
                    self.edges[*otherwise].push((id, label));
                }
                terminator => {
                    for target in terminator.successors() {
                        self.edges[target].push((id, label.clone()));
                    }
                }
            }
        }
    }

    fn block(&mut self, id: BlockId) -> Result<(), Reason> {
        let function = self.function;
        let block = &function.blocks[id];
        if id != Function::ENTRY {
            let _ = writeln!(self.body, "\n{}:", self.labels[id]);
        }
        for &value in &block.values {
            self.place(function.values[value].span);
            match &function.values[value].op {
                Op::Phi(incoming) => self.phi(id, value, incoming)?,
                _ if self.alias(value).is_some() => {}
                op => self.operation(value, op)?,
            }
            if self.holds.tokens.contains(&value) {
                self.hold(value)?;
            }
        }
        self.place(block.end);
        if let Some(&token) = self.holds.ends.get(&id) {
            self.hold(token)?;
        }
        self.closing.clear();
        if let Some(&header) = self.holds.latches.get(&id) {
            let number = *self.loops.entry(header).or_insert_with(|| self.module.metadata.kept_loop());
            self.closing = format!(", !llvm.loop !{number}");
        }
        self.terminator(id, &block.terminator)
    }

    /// Writes a call that uses a token and does nothing: see `hold`.
    fn hold(&mut self, token: ValueId) -> Result<(), Reason> {
        self.module.declare_intrinsic("llvm.sideeffect", "void", &[]);
        let convergent = self.module.attributes("convergent".to_owned());
        let token = self.typed(token)?;
        self.line(format_args!("call void @llvm.sideeffect(){convergent} [ \"convergencectrl\"({token}) ]"));
        Ok(())
    }

    fn phi(&mut self, block: BlockId, id: ValueId, incoming: &[(BlockId, ValueId)]) -> Result<(), Reason> {
        let ty = self.ty(id)?;
        let by_block: FxHashMap<BlockId, ValueId> = incoming.iter().copied().collect();
        let mut text = format!("phi {ty}");
        for (number, (from, label)) in self.edges[block].iter().enumerate() {
            let operand = by_block.get(from).map_or("undef", |value| &*self.operands[*value]);
            let separator = if number == 0 { "" } else { "," };
            let _ = write!(text, "{separator} [ {operand}, %{label} ]");
        }
        if self.edges[block].is_empty() {
            // The block is unreachable. A phi needs an operand, so the value is defined without a phi.
            text = format!("freeze {ty} undef");
        }
        self.define(id, format_args!("{text}"));
        Ok(())
    }

    fn terminator(&mut self, id: BlockId, terminator: &Terminator) -> Result<(), Reason> {
        match terminator {
            Terminator::Jump(target) => {
                let target = self.labels[*target].clone();
                self.end(format_args!("br label %{target}"));
            }
            Terminator::Branch { condition, then, otherwise } => {
                let condition = self.typed(*condition)?;
                let (then, otherwise) = (self.labels[*then].clone(), self.labels[*otherwise].clone());
                self.end(format_args!("br {condition}, label %{then}, label %{otherwise}"));
            }
            Terminator::Switch { value, cases, otherwise } => {
                self.switch(id, *value, cases, *otherwise)?;
            }
            Terminator::Return(Some(value)) if !is_record(self.function.result) => {
                let value = self.typed(*value)?;
                self.line(format_args!("ret {value}"));
            }
            Terminator::Return(_) if self.function.result.is_void() || is_record(self.function.result) => {
                self.line(format_args!("ret void"));
            }
            // The end of a function with a result: using this result is undefined behaviour.
            Terminator::Return(_) => {
                let ty = self.module.types.value(self.function.result)?;
                self.line(format_args!("ret {ty} undef"));
            }
            Terminator::Unreachable => self.line(format_args!("unreachable")),
        }
        Ok(())
    }

    fn switch(
        &mut self,
        id: BlockId,
        value: ValueId,
        cases: &[(i128, i128, BlockId)],
        otherwise: BlockId,
    ) -> Result<(), Reason> {
        let ty = self.ty(value)?;
        let operand = self.operand(value);
        let labels = self.ranges.remove(&id).unwrap_or_default();
        for (&(low, high, target), next) in cases.iter().filter(|case| is_wide(case)).zip(labels) {
            let distance = self.temporary("distance", format_args!("sub {ty} {operand}, {low}"));
            let inside = self
                .temporary("inside", format_args!("icmp ule {ty} {distance}, {}", high.wrapping_sub(low)));
            let target = self.labels[target].clone();
            self.end(format_args!("br i1 {inside}, label %{target}, label %{next}"));
            let _ = writeln!(self.body, "\n{next}:");
        }
        let otherwise = self.labels[otherwise].clone();
        self.line(format_args!("switch {ty} {operand}, label %{otherwise} ["));
        // The debug location comes after the closing bracket.
        self.body.truncate(self.body.len() - 1 - self.location.len());
        self.body.push('\n');
        for &(low, high, target) in cases.iter().filter(|case| !is_wide(case)) {
            for number in low..=high {
                let _ = writeln!(self.body, "    {ty} {number}, label %{}", self.labels[target]);
            }
        }
        self.end(format_args!("]"));
        Ok(())
    }

    /// Writes a terminator with successors.
    fn end(&mut self, text: fmt::Arguments) {
        let closing = std::mem::take(&mut self.closing);
        self.line(format_args!("{text}{closing}"));
        self.closing = closing;
    }

    /// Sets the source location of the following instructions.
    fn place(&mut self, span: Span) {
        self.span = span;
        if let Some(scope) = &mut self.scope {
            self.location = self.module.metadata.location(scope, span);
        }
    }

    pub fn ty(&mut self, value: ValueId) -> Result<Rc<str>, Reason> {
        self.module.types.value(self.function.values[value].ty)
    }

    pub fn operand(&self, value: ValueId) -> Rc<str> {
        self.operands[value].clone()
    }

    /// Returns the operand with its type.
    pub fn typed(&mut self, value: ValueId) -> Result<String, Reason> {
        Ok(format!("{} {}", self.ty(value)?, self.operands[value]))
    }

    /// Writes an instruction without a result.
    pub fn line(&mut self, text: fmt::Arguments) {
        let _ = writeln!(self.body, "  {text}{}", self.location);
    }

    fn in_prologue(&mut self, text: fmt::Arguments) {
        let _ = writeln!(self.prologue, "  {text}{}", self.location);
    }

    /// Writes the instruction that computes a value. If the value is `void`, the instruction has no result.
    pub fn define(&mut self, id: ValueId, text: fmt::Arguments) {
        if self.function.values[id].ty.is_void() {
            self.line(text);
        } else {
            let _ = writeln!(self.body, "  {} = {text}{}", self.operands[id], self.location);
        }
    }

    /// Writes an instruction for an intermediate value, and returns its name.
    pub fn temporary(&mut self, wanted: &'static str, text: fmt::Arguments) -> Rc<str> {
        let name: Rc<str> = format!("%{}", self.names.fresh(wanted)).into();
        let _ = writeln!(self.body, "  {name} = {text}{}", self.location);
        name
    }

    /// Writes a call that creates the sampler with the given bits, and returns its name.
    pub fn sampler(&mut self, bits: &str, in_prologue: bool) -> Result<Rc<str>, Reason> {
        let ty = self.module.types.value(Ty::new(TyKind::Opaque(Opaque::Sampler)))?;
        let convention = self.module.target.function_convention();
        self.module.declare_intrinsic(
            "__translate_sampler_initializer",
            &format!("{convention}{ty}"),
            &["i32"],
        );
        let name: Rc<str> = format!("%{}", self.names.fresh("sampler")).into();
        let call = format!("{name} = call {convention}{ty} @__translate_sampler_initializer(i32 {bits})");
        if in_prologue {
            self.in_prologue(format_args!("{call}"));
        } else {
            self.line(format_args!("{call}"));
        }
        Ok(name)
    }
}

/// Whether a range has too many values for cases.
fn is_wide(&(low, high, _): &(i128, i128, BlockId)) -> bool {
    high.checked_sub(low).is_none_or(|distance| distance >= MAX_CASES)
}

/// Returns the name of a value without a variable.
fn wanted_name(op: &Op) -> &'static str {
    match op {
        Op::Phi(_) => "phi",
        Op::Unary { op: UnaryOp::Negate, .. } => "neg",
        Op::Unary { op: UnaryOp::Complement, .. } => "not",
        Op::Binary { op, .. } => match op {
            Arithmetic::Mul => "mul",
            Arithmetic::Div => "div",
            Arithmetic::Rem => "rem",
            Arithmetic::Add => "add",
            Arithmetic::Sub => "sub",
            Arithmetic::Shl => "shl",
            Arithmetic::Shr => "shr",
            Arithmetic::And => "and",
            Arithmetic::Xor => "xor",
            Arithmetic::Or => "or",
        },
        Op::Compare { .. } => "cmp",
        Op::Convert { .. } => "conv",
        Op::Select { .. } => "sel",
        Op::Extract { .. } => "lane",
        Op::Insert { .. } => "vec",
        Op::Shuffle { .. } => "lanes",
        Op::Load { .. } => "load",
        Op::Element { .. } => "elem",
        Op::Field { .. } => "field",
        Op::Call(_) => "call",
        Op::Token(Token::Entry) => "entry.token",
        Op::Token(Token::Loop(_)) => "loop.token",
        Op::Token(Token::Anchor) => "anchor.token",
        _ => "value",
    }
}
