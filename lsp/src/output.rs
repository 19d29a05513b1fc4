//! The messages to the client. tower-lsp and notifications of our own share one output.
//!
//! tower-lsp builds a tree of values from each notification before it writes text. For the findings of a large file this
//! takes longer than all else about them. So [`Output::notify`] writes such a notification directly.

use std::future::Future;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread::JoinHandle;

use serde::Serialize;
use tokio::io::AsyncWrite;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{OwnedPermit, Sender, channel};

/// The maximum number of waiting messages. Then their senders wait for the client.
const WAITING: usize = 64;

/// A queue of texts, each of whole messages. `None` ends the output.
#[derive(Clone)]
pub struct Output(Sender<Option<Vec<u8>>>);

impl Output {
    /// Starts a thread that writes to standard output. If a write fails, the client is gone, and the process ends.
    pub fn start() -> io::Result<(Output, JoinHandle<()>)> {
        let (queue, mut texts) = channel::<Option<Vec<u8>>>(WAITING);
        let work = move || {
            let mut output = io::stdout().lock();
            while let Some(Some(text)) = texts.blocking_recv() {
                if output.write_all(&text).and_then(|()| output.flush()).is_err() {
                    std::process::exit(1);
                }
            }
        };
        let thread = std::thread::Builder::new().name("output".into()).spawn(work)?;
        Ok((Output(queue), thread))
    }

    /// Sends a notification. Waits while too many messages wait. Panics in an asynchronous context.
    pub fn notify(&self, method: &'static str, params: &impl Serialize) {
        #[derive(Serialize)]
        struct Notification<'a, P> {
            jsonrpc: &'static str,
            method: &'static str,
            params: &'a P,
        }
        let body = serde_json::to_vec(&Notification { jsonrpc: "2.0", method, params });
        let body = body.expect("parameters of notifications are valid JSON");
        let mut text = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        text.extend(body);
        // The queue is closed only at the end of the process.
        let _ = self.0.blocking_send(Some(text));
    }

    /// Ends the output after all waiting messages.
    pub async fn end(self) {
        let _ = self.0.send(None).await;
    }

    /// Returns the output for tower-lsp.
    pub fn stream(&self) -> OutputStream {
        OutputStream { output: self.clone(), written: Vec::new(), place: None }
    }
}

type Place = Pin<Box<dyn Future<Output = Result<OwnedPermit<Option<Vec<u8>>>, SendError<()>>> + Send>>;

/// The stream of messages from tower-lsp. It writes whole messages before each flush.
pub struct OutputStream {
    output: Output,
    /// The messages since the last flush.
    written: Vec<u8>,
    /// The wait for a place in the queue.
    place: Option<Place>,
}

impl AsyncWrite for OutputStream {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.written.extend(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.written.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let queue = self.output.0.clone();
        let place = self.place.get_or_insert_with(|| Box::pin(queue.reserve_owned()));
        let place = ready!(place.as_mut().poll(context));
        self.place = None;
        let text = std::mem::take(&mut self.written);
        place.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?.send(Some(text));
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test]
    async fn notification_does_not_split_a_message() {
        let (queue, mut texts) = channel(WAITING);
        let output = Output(queue);
        let mut stream = output.stream();
        stream.write_all(b"first ").await.unwrap();
        let other = output.clone();
        tokio::task::spawn_blocking(move || other.notify("n", &[1])).await.unwrap();
        stream.write_all(b"second").await.unwrap();
        stream.flush().await.unwrap();
        let notification = "Content-Length: 43\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[1]}";
        for expected in [notification, "first second"] {
            assert_eq!(String::from_utf8(texts.recv().await.unwrap().unwrap()).unwrap(), expected);
        }
    }

    #[tokio::test]
    async fn flush_waits_for_a_place_in_the_queue() {
        let (queue, mut texts) = channel(1);
        let mut stream = Output(queue).stream();
        stream.write_all(b"first").await.unwrap();
        stream.flush().await.unwrap();
        stream.write_all(b"second").await.unwrap();
        let (flushed, first) = tokio::join!(stream.flush(), texts.recv());
        flushed.unwrap();
        assert_eq!(first.unwrap().unwrap(), b"first");
        assert_eq!(texts.recv().await.unwrap().unwrap(), b"second");
    }
}
