//! The end of the process: on `exit`, and after the end of the client's process.

use std::task::{Context, Poll};
use std::time::Duration;

use tower_lsp::jsonrpc::{Request, Response};
use tower_service::Service;

/// Ends the process on `exit`.
///
/// After `exit`, tower-lsp stops answering but continues to read. A client that keeps our standard input open would
/// keep the process alive.
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
            // The protocol requires 0 after a shutdown, and 1 without one.
            "exit" => std::process::exit(i32::from(!self.shut_down)),
            _ => {}
        }
        self.inner.call(request)
    }
}

/// The interval between checks whether the client's process still exists.
const LOOK: Duration = Duration::from_secs(2);

/// Ends the process soon after the client's process has ended, even if another process keeps our input open.
pub fn with_parent(process: u32) {
    let folder = std::path::PathBuf::from(format!("/proc/{process}"));
    // On other systems than Linux, and in a separate container, `/proc` does not show the client. Then only the end of
    // the input ends the process.
    if !folder.is_dir() {
        return;
    }
    tokio::spawn(async move {
        while folder.is_dir() {
            tokio::time::sleep(LOOK).await;
        }
        std::process::exit(1);
    });
}
