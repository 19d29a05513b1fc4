//! Tests of the command with the inputs of its users: options, projects, formats, texts, fixes.

mod adopt;
mod builds;
mod command;
mod determinism;
mod documentation;
mod embedded;
mod fixes;
mod gallery;
mod headers;
mod help;
mod instantiations;
mod left_out;
mod real_input;
mod recall;
mod rule_tables;
mod sarif;
mod schemas;
mod vocabulary;
