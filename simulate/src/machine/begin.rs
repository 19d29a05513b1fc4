//! Starts an execution: allocates the variables of the module and the arguments, and places all threads at the entry of
//! the kernel.

use tangle_ir::AddressSpace;
use tangle_ir::flow::{Function, Passing};
use tangle_ir::key::GlobalEntity;
use tangle_ir::types::Ty;
use tangle_ir::value::Data;

use super::{Machine, State, Thread};
use crate::keys::{InstanceData, Point};
use crate::launch::{Argument, Launch, LaunchError, Number};
use crate::memory::{Object, size};
use crate::observer::Observer;
use crate::outcome::Location;
use crate::program::ObjectOrigin;
use crate::races::SharedObject;
use crate::value::{self, Base, Pointer, Value, wrap};

/// The bytes of dynamic shared memory of a block: as many as a launch of CUDA can have without asking for more.
const DYNAMIC_BYTES: u64 = 48 << 10;

impl<'p, O: Observer> Machine<'p, O> {
    pub(super) fn place_objects(&mut self, kernel: usize) {
        let spot = Location { function: kernel, point: Point::Block(Function::ENTRY) };
        for &(space, what) in &self.program.objects {
            let size = match what {
                ObjectOrigin::Variable(global) => size(global.ty),
                // A launch gives the size of dynamic shared memory.
                ObjectOrigin::External(_, ty)
                    if ty.is_array_of_unknown_length() && space == AddressSpace::Local =>
                {
                    DYNAMIC_BYTES
                }
                ObjectOrigin::External(_, ty) => size(ty),
                ObjectOrigin::String(bytes) => bytes.len() as u64,
            };
            let copies = if space == AddressSpace::Local { self.grid.groups() as u64 } else { 1 };
            if !self.take(Object::cost(size).saturating_mul(copies), 0, spot) {
                return;
            }
            let object = match what {
                ObjectOrigin::Variable(global) if global.external => {
                    Object::random(global.ty, size, self.random.below(99) as u64)
                }
                ObjectOrigin::Variable(_) | ObjectOrigin::External(..) if space == AddressSpace::Local => {
                    self.initial_local(size)
                }
                ObjectOrigin::External(_, ty) => Object::random(ty, size, self.random.below(99) as u64),
                ObjectOrigin::Variable(_) => Object::zero(size),
                ObjectOrigin::String(bytes) => {
                    let mut object = Object::zero(size);
                    object.initialize(0, &Data::Bytes(bytes.into()), Ty::CHAR, &|_| None);
                    object
                }
            };
            let shared = match what {
                ObjectOrigin::Variable(global) => Some(SharedObject::Variable(global.name)),
                ObjectOrigin::External(name, _) => Some(SharedObject::Variable(name)),
                ObjectOrigin::String(_) => None,
            };
            self.allocate(space, object, shared);
        }
        let program = self.program;
        let address = |data: &Data| match data {
            Data::Address { of: GlobalEntity::Variable(name), offset } => {
                program.addresses.get(name).map(|pointer| pointer.plus(*offset))
            }
            Data::Address { of: GlobalEntity::Function(key), offset } => {
                Some(program.address_of_function(*key).plus(*offset))
            }
            Data::StringAddress { bytes, offset } => {
                program.strings.get(&**bytes).map(|pointer| pointer.plus(*offset))
            }
            _ => None,
        };
        for global in &program.module.globals {
            if let (Some(data), Some(&Pointer { base: Base::Global(number), .. })) =
                (&global.initializer, program.addresses.get(&global.name))
                && let Some(object) = self.globals.get_mut(number as usize)
            {
                object.initialize(0, data, global.ty, &address);
            }
        }
    }

    /// Returns an object in `local` memory before its first write.
    fn initial_local(&self, size: u64) -> Object {
        if self.launch.zero_local_memory { Object::zero(size) } else { Object::undefined(size) }
    }

    fn allocate(&mut self, space: AddressSpace, object: Object, shared: Option<SharedObject>) -> Base {
        if let Some(search) = &mut self.search {
            search.object(space, shared);
        }
        match space {
            AddressSpace::Local => {
                for objects in &mut self.locals {
                    objects.push(object.clone());
                }
                Base::Local(self.locals[0].len() as u32 - 1)
            }
            _ => {
                self.globals.push(object);
                Base::Global(self.globals.len() as u32 - 1)
            }
        }
    }

    /// Creates the arguments, which are the same for all threads, and the threads at the entry of the kernel.
    pub(super) fn begin(&mut self, kernel: usize) -> Result<(), LaunchError> {
        let function = &self.program.module.functions[kernel];
        let spot = Location { function: kernel, point: Point::Block(Function::ENTRY) };
        let mut records = Vec::new();
        let mut arguments: Vec<Value> = Vec::new();
        let unknown = Argument::Random { bytes: Launch::RANDOM_BYTES };
        for (number, parameter) in function.parameters.iter().enumerate() {
            let wrong = |why| Err(LaunchError::Argument { parameter: number, why });
            let seed = self.random.below(1 << 20) as u64;
            let argument = self.launch.arguments.get(number).unwrap_or(&unknown);
            if parameter.passing != Passing::Value {
                if !matches!(argument, Argument::Random { .. }) {
                    return wrong("a structure can only be `random`");
                }
                let copies = (self.grid.threads() as u64).saturating_add(1);
                if !self.take(Object::cost(size(parameter.ty)).saturating_mul(copies), 0, spot) {
                    return Ok(());
                }
                let slot = (function.slots.len() + number) as u32;
                records.push((slot, Object::random(parameter.ty, size(parameter.ty), seed)));
                arguments.push(Value::Pointer(Pointer { base: Base::Private(0, slot), offset: 0 }));
                continue;
            }
            let Some(pointer) = parameter.ty.as_pointer() else {
                arguments.push(match argument {
                    Argument::Random { .. } => value::small(parameter.ty, seed),
                    Argument::Number(number) => match number_of(*number, parameter.ty) {
                        Some(number) => number,
                        None => return wrong("the value does not fit the type of the parameter"),
                    },
                    Argument::Array(_) => return wrong("expected one number, not an array"),
                    Argument::Same(_) => return wrong("the parameter is not a pointer"),
                });
                continue;
            };
            let element = size(pointer.pointee).max(1);
            let bytes = match argument {
                Argument::Same(other) => match arguments.get(*other) {
                    Some(Value::Pointer(_)) => {
                        arguments.push(arguments[*other].clone());
                        continue;
                    }
                    _ => return wrong("no earlier parameter with this number is a pointer"),
                },
                Argument::Random { bytes } => u64::from(*bytes),
                Argument::Number(Number::Integer(count)) => match u64::try_from(*count) {
                    Ok(count) => count.saturating_mul(element),
                    Err(_) => return wrong("the number of elements must not be negative"),
                },
                Argument::Number(Number::Float(_)) => {
                    return wrong("expected a number of elements, which is an integer");
                }
                Argument::Array(_) if pointer.space == AddressSpace::Local => {
                    return wrong("`local` memory has no initial values: give the number of elements");
                }
                Argument::Array(numbers) => element.saturating_mul(numbers.len() as u64),
            };
            if pointer.space == AddressSpace::Private {
                arguments.push(value::small(parameter.ty, seed));
                continue;
            }
            let copies = if pointer.space == AddressSpace::Local { self.grid.groups() as u64 } else { 1 };
            if !self.take(Object::cost(bytes).saturating_mul(copies), 0, spot) {
                return Ok(());
            }
            let object = match argument {
                Argument::Array(numbers) => {
                    let mut object = Object::zero(bytes);
                    for (at, number) in numbers.iter().enumerate() {
                        let Some(number) = number_of(*number, pointer.pointee) else {
                            return wrong("a value does not fit the type of the elements");
                        };
                        // The object has the size of the whole array.
                        _ = object.write((at as u64 * element) as i64, &number, pointer.pointee);
                    }
                    object
                }
                _ if pointer.space == AddressSpace::Local => self.initial_local(bytes),
                _ => Object::random(pointer.pointee, bytes, seed),
            };
            let base = self.allocate(pointer.space, object, Some(SharedObject::Parameter(number)));
            arguments.push(Value::Pointer(Pointer { base, offset: 0 }));
        }
        let object = |argument: &Value| match argument {
            Value::Pointer(Pointer { base: Base::Global(object), .. }) => Some(*object),
            _ => None,
        };
        self.arguments = arguments.iter().map(object).collect();
        if self.launch.arguments.len() > function.parameters.len() {
            return Err(LaunchError::Argument {
                parameter: function.parameters.len(),
                why: "more arguments than parameters",
            });
        }
        let activation = self.keys.of(InstanceData::Kernel);
        for number in 0..self.grid.threads() {
            self.threads.push(Thread {
                place: self.grid.place(number),
                frames: Vec::new(),
                state: State::Running,
                returned: None,
                steps: self.launch.steps,
            });
            self.enter(number, kernel, activation, &arguments, &records, None);
            if self.ended.is_some() {
                break;
            }
        }
        self.running = (0..self.threads.len()).collect();
        Ok(())
    }
}

/// Converts a number to a scalar type, or to each lane of a vector. `None` if the type has no such numbers.
fn number_of(number: Number, ty: Ty) -> Option<Value> {
    if let Some((element, lanes)) = ty.as_vector() {
        return Some(Value::Vector(vec![number_of(number, element)?; lanes.into()].into()));
    }
    match number {
        Number::Integer(number) if ty == Ty::BOOL => Some(Value::Int((number != 0).into())),
        Number::Integer(number) if ty.as_integer().is_some() => Some(Value::Int(wrap(number, ty))),
        Number::Integer(number) if ty.as_float().is_some() => Some(Value::float(number as f64)),
        Number::Float(number) if ty.as_float().is_some() => Some(Value::float(number)),
        _ => None,
    }
}
