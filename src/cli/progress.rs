//! The progress bar on a terminal, for runs longer than `MOMENT`.

use std::sync::Once;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Runs shorter than this show no progress bar.
const MOMENT: Duration = Duration::from_millis(500);

/// Counts finished files, from any thread. The bar is cleared when this is dropped.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: Once,
    enabled: bool,
}

impl Progress {
    pub fn new(files: usize, enabled: bool) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::hidden());
        // The template is a constant. If it is invalid, the bar has the default style.
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files") {
            bar.set_style(style);
        }
        Progress { bar, start: Instant::now(), shown: Once::new(), enabled }
    }

    /// Counts one more finished file.
    pub fn advance(&self) {
        self.bar.inc(1);
        if self.enabled && self.start.elapsed() > MOMENT {
            self.shown.call_once(|| self.bar.set_draw_target(ProgressDrawTarget::stderr()));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
