//! Processor time and memory of the programs that a benchmark runs, and the spread of several measurements.

use std::fmt;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

fn of_children() -> Usage {
    getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts children")
}

/// The processor time of all finished children.
fn time() -> Duration {
    let of = |value: TimeVal| {
        Duration::new(value.tv_sec().unsigned_abs(), u32::try_from(value.tv_usec()).unwrap_or(0) * 1000)
    };
    let usage = of_children();
    of(usage.user_time()) + of(usage.system_time())
}

/// Returns the peak memory of the largest child that has ended, in MiB.
pub fn peak() -> i64 {
    of_children().max_rss() / 1024
}

/// Runs a command without its output. Returns its processor time, and whether it succeeded.
pub fn run(command: &mut Command) -> (Duration, bool) {
    let before = time();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let status = status.unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
    (time() - before, status.success())
}

/// Whether a program can be started.
pub fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Several measurements of one quantity: printed as the median, and the least and the greatest.
pub struct Spread(Vec<f64>);

impl Spread {
    /// Panics without measurements.
    pub fn of(measured: impl IntoIterator<Item = f64>) -> Spread {
        let mut sorted: Vec<f64> = measured.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        assert!(!sorted.is_empty(), "there are measurements");
        Spread(sorted)
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (least, most) = (self.0[0], self.0[self.0.len() - 1]);
        // Three digits: more would not be the same in the next run.
        let digits = |value: f64| match value {
            100.0.. => format!("{value:.0}"),
            10.0.. => format!("{value:.1}"),
            _ => format!("{value:.2}"),
        };
        write!(f, "{} ({} to {})", digits(self.0[self.0.len() / 2]), digits(least), digits(most))
    }
}
