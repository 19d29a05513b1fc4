//! Tests of the server process over standard input and output. One test binary, so that all modules share one client.

mod actions;
mod agreement;
mod calls;
mod client;
mod compare;
mod completion;
mod cuda;
mod everyday;
mod features;
mod headlines;
mod inactive;
mod includes;
mod project;
mod protocol;
mod random;
mod random_edits;
mod random_requests;
mod robust;
mod settings_file;
mod threads;
mod witness;
