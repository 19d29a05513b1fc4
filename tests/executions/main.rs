//! Executions compared with findings, with computed tangles and with the specification.

mod agreement;
mod emulation;
mod mask_bugs;
mod outcomes;
mod policies;
mod second_reading;
mod thread_tables;
mod violations;
mod witnesses;
