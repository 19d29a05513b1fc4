//! Calls and returns.
//!
//! A call of a function of the module creates a frame. A convergent builtin makes the thread wait (`schedule`), and any
//! other builtin is computed at once (`builtin`). `unknown` chooses the effects of undefined functions.

use smallvec::SmallVec;
use tangle_base::Symbol;
use tangle_ir::flow::{Call, Function, Passing, ValueId};
use tangle_ir::scope::Scope;

use super::{Frame, Machine, Next, State, WaitPoint};
use crate::builtin::argument_types;
use crate::keys::{InstanceData, Key, Point};
use crate::language::{Builtin, PartialArrival};
use crate::memory::{Object, size};
use crate::observer::Observer;
use crate::outcome::{Limit, Location, Outcome};
use crate::position::SourcePosition;
use crate::program::ResolvedCallee;
use crate::races::AccessKind;
use crate::value::{self, Base, Pointer, Value};

/// The size of a value in a frame, in bytes.
const VALUE: u64 = size_of::<Value>() as u64;

impl<'p, O: Observer> Machine<'p, O> {
    pub(super) fn enter(
        &mut self,
        thread: usize,
        function: usize,
        activation: Key,
        arguments: &[Value],
        records: &[(u32, Object)],
        call: Option<(ValueId, Key)>,
    ) {
        let program = self.program;
        let (body, prepared) = (&program.module.functions[function], &program.functions[function]);
        let depth = self.threads[thread].frames.len() as u32;
        let slots = prepared.sizes.iter().map(|&size| Object::cost(size)).fold(0, u64::saturating_add);
        let passed =
            records.iter().map(|(_, object)| Object::cost(object.size())).fold(slots, u64::saturating_add);
        let cost = passed.saturating_add(VALUE * prepared.template.len() as u64);
        let spot = Location { function, point: Point::Block(Function::ENTRY) };
        if !self.take(cost, thread, spot) {
            return;
        }
        let mut values = prepared.template.clone();
        for &(value, slot) in &prepared.slots {
            values[value.index()] = Value::Pointer(Pointer { base: Base::Private(depth, slot), offset: 0 });
        }
        for (parameter, argument) in body.parameters.iter().zip(arguments) {
            values[parameter.value.index()] = argument.clone();
        }
        let mut memory: Vec<Object> = prepared.sizes.iter().map(|&size| Object::undefined(size)).collect();
        for (slot, object) in records {
            memory.resize_with(memory.len().max(*slot as usize + 1), Object::default);
            memory[*slot as usize] = object.clone();
        }
        let headers = vec![0; self.rounds[function].cycles.cycles.len()];
        let (block, at) = (Function::ENTRY, 0);
        let way = self.launch.strategy.is_of_source().then(|| Box::new(SourcePosition::new(body)));
        let frame = Frame { function, activation, block, at, values, headers, way, memory, cost, call };
        self.threads[thread].frames.push(frame);
        self.observer.entered(activation, function, thread, arguments);
        if self.observer.wants_values() {
            for (parameter, argument) in body.parameters.iter().zip(arguments) {
                let point = Point::Parameter(parameter.value);
                let key = self.keys.of(InstanceData::Uncontrolled {
                    activation,
                    point,
                    headers: SmallVec::new(),
                    tokens: SmallVec::new(),
                    part: 0,
                });
                self.observer.value(activation, parameter.value, key, thread, argument);
            }
        }
        self.arrive(thread, Function::ENTRY);
    }

    pub(super) fn leave(&mut self, thread: usize, value: Option<ValueId>) -> Next {
        let result = value.map_or(Value::Undefined, |value| self.get(thread, value).clone());
        let frame = self.threads[thread].frames.pop().expect("a running thread has a frame");
        self.taken = self.taken.saturating_sub(frame.cost);
        self.observer.left(frame.activation, thread);
        match frame.call {
            Some((value, key)) => {
                self.done(thread, value, key, result);
                Next::On
            }
            None => {
                self.threads[thread].state = State::Finished;
                self.threads[thread].returned = Some(frame.block);
                Next::Halt
            }
        }
    }

    pub(super) fn call(
        &mut self,
        thread: usize,
        function: &'p Function,
        value: ValueId,
        call: &'p Call,
    ) -> Next {
        let mut target = self.prepared(self.frame(thread)).calls[&value];
        if let ResolvedCallee::Pointer(address) = target {
            match self.get(thread, address) {
                Value::Pointer(Pointer { base: Base::Function(number), offset: 0 })
                    if (*number as usize) < self.program.functions.len() =>
                {
                    target = ResolvedCallee::Function(*number as usize);
                }
                _ => {}
            }
        }
        let arguments: SmallVec<[Value; 4]> =
            call.arguments.iter().map(|(it, _)| self.get(thread, *it).clone()).collect();
        match target {
            ResolvedCallee::Function(callee) => self.call_function(thread, value, call, callee, arguments),
            // The callee is unknown, so the result is any value.
            ResolvedCallee::Pointer(_) => {
                let result = value::small(function.values[value].ty, self.random.below(1 << 20) as u64);
                self.finish_call(thread, value, result)
            }
            ResolvedCallee::Unknown => {
                let result = self.unknown_call(thread, function, call, &arguments, function.values[value].ty);
                self.finish_call(thread, value, result)
            }
            ResolvedCallee::Builtin(name, builtin) => {
                self.call_builtin(thread, function, value, call, (name, builtin), &arguments)
            }
        }
    }

    fn finish_call(&mut self, thread: usize, value: ValueId, result: Value) -> Next {
        match self.observer.wants_values() {
            true => {
                let key = self.instance(thread, value);
                self.done(thread, value, key, result);
            }
            false => self.set(thread, value, result),
        }
        Next::On
    }

    fn call_builtin(
        &mut self,
        thread: usize,
        function: &'p Function,
        value: ValueId,
        call: &'p Call,
        (name, builtin): (Symbol, Option<Builtin>),
        arguments: &[Value],
    ) -> Next {
        if let Some(Builtin { scope, convergent: true, partial, counts_returned, .. }) = builtin
            && scope != Scope::None
        {
            let key = self.instance(thread, value);
            self.settle_keys(thread);
            let partial = if self.launch.lenient { PartialArrival::Executes } else { partial };
            self.threads[thread].state = State::Waiting(WaitPoint { key, scope, partial, counts_returned });
            return Next::Halt;
        }
        let types = argument_types(function, call);
        let result = self.builtin(thread, (name, builtin), arguments, &types, function.values[value].ty);
        self.finish_call(thread, value, result)
    }

    fn call_function(
        &mut self,
        thread: usize,
        value: ValueId,
        call: &'p Call,
        callee: usize,
        mut arguments: SmallVec<[Value; 4]>,
    ) -> Next {
        let depth = self.threads[thread].frames.len() as u32;
        if depth >= self.launch.depth {
            if !self.launch.lenient {
                let spot = self.here(thread);
                self.ended = Some(Outcome::Spent { what: Limit::Depth, thread, spot });
            }
            self.threads[thread].state = State::Stopped;
            return Next::Halt;
        }
        let program = self.program;
        let (body, prepared) = (&program.module.functions[callee], &program.functions[callee]);
        let mut records = Vec::new();
        for (number, (argument, (_, passing))) in arguments.iter_mut().zip(&call.arguments).enumerate() {
            if *passing == Passing::Copy
                && let Some(parameter) = body.parameters.get(number)
            {
                let bytes = size(parameter.ty);
                self.charge(thread, bytes / 64);
                let slot = (body.slots.len() + number) as u32;
                let part = |object: &mut Object, at| object.part(at, bytes);
                let copied = self.access(thread, argument, bytes, (false, AccessKind::Plain), part);
                records.push((slot, copied.unwrap_or_else(|| Object::undefined(bytes))));
                *argument = Value::Pointer(Pointer { base: Base::Private(depth, slot), offset: 0 });
            }
        }
        let is_watched = self.observer.wants_values() || self.observer.wants_blocks();
        let around = self.frame(thread).activation;
        let (activation, key) = match prepared.may_reach_convergent || is_watched {
            true => {
                let key = self.instance(thread, value);
                (self.keys.of(InstanceData::Activation { function: callee as u32, call: key }), key)
            }
            false => (around, around),
        };
        self.settle_keys(thread);
        self.enter(thread, callee, activation, &arguments, &records, Some((value, key)));
        Next::On
    }
}
