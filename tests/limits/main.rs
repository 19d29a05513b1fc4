//! Bad input, with limits of time and memory. No other test runs at the same time.

mod bad_input;
