//! The server as a client sees it, over its standard input and output. One binary, so that all of it shares one client.

mod actions;
mod agreement;
mod client;
mod cuda;
mod everyday;
mod features;
mod project;
mod protocol;
mod random;
mod random_edits;
mod random_requests;
mod robust;
mod threads;
