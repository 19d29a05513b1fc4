//! Ends the process on `exit`, as the protocol says.
//!
//! tower-lsp stops to answer then, but goes on reading: a client that keeps our standard input open would keep us alive.

use std::task::{Context, Poll};

use tower_lsp::jsonrpc::{Request, Response};
use tower_service::Service;

pub struct OnExit<S> {
    inner: S,
    shut_down: bool,
}

impl<S> OnExit<S> {
    pub fn new(inner: S) -> OnExit<S> {
        OnExit { inner, shut_down: false }
    }
}

impl<S: Service<Request, Response = Option<Response>>> Service<Request> for OnExit<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> S::Future {
        match request.method() {
            "shutdown" => self.shut_down = true,
            // 0 after a shutdown, 1 without: what the protocol asks for.
            "exit" => std::process::exit(i32::from(!self.shut_down)),
            _ => {}
        }
        self.inner.call(request)
    }
}
