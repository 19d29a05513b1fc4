//! One file for each thing that an editor can ask for.
