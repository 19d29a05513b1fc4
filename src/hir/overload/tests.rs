//! What calls mean.
