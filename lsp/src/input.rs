//! Filters standard input for tower-lsp.
//!
//! tower-lsp answers a malformed message, but then treats its input as ended: its frames come from tokio-util, whose
//! readers end with the first error. Therefore all input is read here first. Valid messages pass. Any other text is
//! replaced by a notification of our own, which [`AnswerMalformed`] answers as JSON-RPC requires.

use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_service::Service;

/// The replacement for text that is not JSON. The protocol leaves names with this prefix to implementations.
const NO_JSON: &str = "$/tangle/noJson";
/// The replacement for JSON that is not a message.
const NO_MESSAGE: &str = "$/tangle/noMessage";

/// Copies messages until the input ends or the output is closed.
pub async fn forward(input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) {
    let mut input = BufReader::new(input);
    while let Ok(Some(mut body)) = next(&mut input).await {
        if let Some(method) = malformed(&body) {
            body = format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#).into_bytes();
        }
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        if output.write_all(header.as_bytes()).await.is_err() || output.write_all(&body).await.is_err() {
            return;
        }
    }
}

/// Reads the body after the next header. It is empty if the header has no length. Returns `None` at the end of the
/// input.
async fn next(input: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = None;
    let mut header = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
        match line.trim() {
            // Blank lines between messages belong to no message.
            "" if !header => continue,
            "" => break,
            // After a wrong length, the rest of the body precedes the next header on the same line.
            line => {
                if let Some((_, value)) = line.rsplit_once("content-length:") {
                    length = value.trim().parse::<u64>().ok();
                }
            }
        }
        header = true;
    }
    let length = length.unwrap_or(0);
    let mut body = Vec::new();
    let found = input.take(length).read_to_end(&mut body).await?;
    Ok((found as u64 == length).then_some(body))
}

/// Returns the replacement for a body that tower-lsp rejects, or `None` for a valid message.
fn malformed(body: &[u8]) -> Option<&'static str> {
    // A response passes as well: the only required field of `Request` is the version.
    match serde_json::from_slice::<Request>(body) {
        Ok(_) => None,
        Err(error) if error.is_data() => Some(NO_MESSAGE),
        Err(_) => Some(NO_JSON),
    }
}

/// Removes parameters that are null. Some clients send `shutdown` with them, and tower-lsp would reject it.
fn without_null_params(request: Request) -> Request {
    if request.params() != Some(&Value::Null) {
        return request;
    }
    let (method, id, _) = request.into_parts();
    let request = Request::build(method);
    match id {
        Some(id) => request.id(id).finish(),
        None => request.finish(),
    }
}

/// Answers the replacements that [`forward`] sends for malformed messages.
pub struct AnswerMalformed<S>(pub S);

impl<S> Service<Request> for AnswerMalformed<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let error = match request.method() {
            NO_JSON => Error::parse_error(),
            NO_MESSAGE => Error::invalid_request(),
            _ => return Box::pin(self.0.call(without_null_params(request))),
        };
        Box::pin(ready(Ok(Some(Response::from_error(Id::Null, error)))))
    }
}
