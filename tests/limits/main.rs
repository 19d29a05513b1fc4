//! Bad input, with limits of time and memory. Nothing else runs beside it.

mod bad_input;
