//! Properties of the table.
