//! Findings and tangles before executions, and executions before the specification.

mod agreement;
mod outcomes;
mod policies;
mod second_reading;
mod thread_tables;
