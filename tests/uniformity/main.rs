//! No execution contradicts a *uniform* verdict.

mod builtin;
mod claims;
mod collective;
mod evidence;
mod grid;
mod keys;
mod machine;
mod memory;
mod naive;
mod program;
mod random;
mod schedule;
mod value;
mod wrong;
