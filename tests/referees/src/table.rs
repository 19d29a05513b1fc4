//! The thread tables of the normative texts, which define the converged threads. Compared cell by cell with the
//! executed steps.
//!
//! A test contains a table exactly as in the text, with or without the lines of its frame:
//!
//! ```text
//! |          | 1      | 2   | 3   | 4   | 5    |
//! | Thread 1 | Entry1 | H1  | B1  | L1  | Exit |
//! | Thread 2 | Entry1 | H2  |     | L2  | Exit |
//! ```
//!
//! **Cell**: a step of the thread of its row. The number after a name distinguishes the instances of a node for the
//! reader, and is not compared. `...` matches any number of steps, and an empty cell none. **Column**: the cells in a
//! column are converged, and cells in different columns are not.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use thiserror::Error;

/// A difference between a table and the executed steps. Threads and columns count from 1; a step consists of its node
/// and its instance.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError<K> {
    #[error("{threads} threads, but {rows} rows")]
    RowCount { threads: usize, rows: usize },
    /// The row of a thread does not match its steps. `nodes` contains the names of the executed nodes.
    #[error("thread {thread} executes {}", .nodes.join(" "))]
    OtherSteps { thread: usize, nodes: Vec<String> },
    /// The column of a cell belongs to another instance, or the instance of its step to another column.
    #[error(
        "thread {thread}, column {column}: {step:?} is no other than that of column {column_of_step}, \
         and the column holds {instance:?}"
    )]
    WrongColumn { thread: usize, column: usize, step: (String, K), column_of_step: usize, instance: K },
    /// A step that `...` covers, although a column shows its instance.
    #[error("thread {thread}: {step:?} is in no column")]
    NoColumn { thread: usize, step: (String, K) },
}

/// A table from a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    Empty,
    Any,
    Named(String),
}

impl Table {
    /// Parses a table. Lines that begin with `+` are its frame, and a line with an empty first cell is its head.
    ///
    /// # Panics
    ///
    /// The text is not a table.
    pub fn read(text: &str) -> Table {
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with('|'));
        let cells = lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
        let rows: Vec<Vec<Cell>> = cells
            .filter(|cells| !cells[0].is_empty())
            .map(|cells| cells[1..].iter().map(|cell| Cell::of(cell)).collect())
            .collect();
        assert!(rows.len() > 1, "a table has rows for at least two threads:\n{text}");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "rows of different length:\n{text}");
        Table { rows }
    }

    /// Returns the number of cells that name a step.
    pub fn cells(&self) -> usize {
        self.rows.iter().flatten().filter(|cell| matches!(cell, Cell::Named(_))).count()
    }

    /// Returns the path of each thread as the names of its nodes. `left_out` contains the steps for each `...`, in the
    /// order of the rows.
    ///
    /// # Panics
    ///
    /// The number of elements in `left_out` differs from the number of `...`.
    pub fn paths(&self, left_out: &[&str]) -> Vec<String> {
        let mut left_out = left_out.iter();
        let mut way = |row: &Vec<Cell>| {
            let mut nodes: Vec<&str> = Vec::new();
            for cell in row {
                match cell {
                    Cell::Empty => {}
                    Cell::Any => nodes.push(left_out.next().expect("a path for each `...`")),
                    Cell::Named(name) => nodes.push(without_number(name)),
                }
            }
            nodes.join(" ")
        };
        let ways = self.rows.iter().map(&mut way).collect();
        assert!(left_out.next().is_none(), "more paths than `...`");
        ways
    }

    /// Compares the table with the executed steps of each thread, in order. A step consists of its node and its
    /// instance; converged steps have the same instance. Returns the number of compared cells.
    ///
    /// # Errors
    ///
    /// The first wrong cell, or the first step without a cell.
    pub fn compare<K: Copy + Eq + Hash + Debug>(
        &self,
        threads: &[Vec<(String, K)>],
    ) -> Result<usize, TableError<K>> {
        if threads.len() != self.rows.len() {
            return Err(TableError::RowCount { threads: threads.len(), rows: self.rows.len() });
        }
        // The instance of each column, and the column of each instance.
        let mut instances: HashMap<usize, K> = HashMap::new();
        let mut columns: HashMap<K, usize> = HashMap::new();
        let mut left_out: Vec<(usize, &(String, K))> = Vec::new();
        let mut compared = 0;
        for (thread, (row, steps)) in self.rows.iter().zip(threads).enumerate() {
            let row: Vec<(usize, &Cell)> =
                row.iter().enumerate().filter(|(_, cell)| **cell != Cell::Empty).collect();
            let Some(shown) = aligned(&row, steps) else {
                let nodes = steps.iter().map(|(name, _)| name.clone()).collect();
                return Err(TableError::OtherSteps { thread: thread + 1, nodes });
            };
            for (step, column) in steps.iter().zip(shown) {
                let Some(column) = column else {
                    left_out.push((thread, step));
                    continue;
                };
                let instance = *instances.entry(column).or_insert(step.1);
                let of_instance = *columns.entry(step.1).or_insert(column);
                if (instance, of_instance) != (step.1, column) {
                    return Err(TableError::WrongColumn {
                        thread: thread + 1,
                        column: column + 1,
                        step: step.clone(),
                        column_of_step: of_instance + 1,
                        instance,
                    });
                }
                compared += 1;
            }
        }
        match left_out.iter().find(|(_, step)| columns.contains_key(&step.1)) {
            Some(&(thread, step)) => Err(TableError::NoColumn { thread: thread + 1, step: step.clone() }),
            None => Ok(compared),
        }
    }

    /// Returns variants of this table with a single wrong cell, which are all wrong if this table is right. A converged
    /// cell moves to a column of its own, a cell moves to another column with its node, or a cell is missing.
    pub fn with_one_wrong_cell(&self) -> Vec<Table> {
        let mut wrong = Vec::new();
        for (thread, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let Cell::Named(name) = cell else { continue };
                if !row.contains(&Cell::Any) {
                    wrong.push(self.with(thread, column, None));
                }
                let others = || self.rows.iter().enumerate().filter(|(other, _)| *other != thread);
                if others().any(|(_, other)| matches!(other[column], Cell::Named(_))) {
                    let mut apart = self.clone();
                    for row in &mut apart.rows {
                        row.insert(column, Cell::Empty);
                    }
                    wrong.push(apart.with(thread, column + 1, Some(column)));
                }
                // A cell can move only across empty cells of its row.
                let is_free = |to: &usize| {
                    let between = if *to < column { *to..column } else { column + 1..*to + 1 };
                    row[between].iter().all(|cell| *cell == Cell::Empty)
                };
                let beside = |to: &usize| {
                    let is_same = |cell: &Cell| matches!(cell, Cell::Named(other) if without_number(other) == without_number(name));
                    others().any(|(_, other)| is_same(&other[*to]))
                };
                for to in (0..row.len()).filter(|to| *to != column && is_free(to) && beside(to)) {
                    wrong.push(self.with(thread, column, Some(to)));
                }
            }
        }
        wrong
    }

    /// Returns the table with a cell moved to another column, or removed.
    fn with(&self, thread: usize, column: usize, to: Option<usize>) -> Table {
        let mut changed = self.clone();
        let row = &mut changed.rows[thread];
        let cell = std::mem::replace(&mut row[column], Cell::Empty);
        if let Some(to) = to {
            row[to] = cell;
        }
        changed
    }
}

impl Cell {
    fn of(text: &str) -> Cell {
        match text {
            "" => Cell::Empty,
            "..." => Cell::Any,
            name => Cell::Named(name.to_owned()),
        }
    }

    fn is(&self, node: &str) -> bool {
        matches!(self, Cell::Named(name) if name == node || without_number(name) == node)
    }
}

/// Returns the name of a node, given the name of an instance.
fn without_number(name: &str) -> &str {
    name.trim_end_matches(|digit: char| digit.is_ascii_digit())
}

/// Returns the column of each step, or `None` for a step that `...` covers. Returns `None` if the row does not match
/// the steps. If `...` is ambiguous, the first `...` covers as few steps as possible.
fn aligned<K>(row: &[(usize, &Cell)], steps: &[(String, K)]) -> Option<Vec<Option<usize>>> {
    let Some(((column, cell), row)) = row.split_first() else {
        return steps.is_empty().then(Vec::new);
    };
    if **cell == Cell::Any {
        return (0..=steps.len()).find_map(|count| {
            let rest = aligned(row, &steps[count..])?;
            Some([vec![None; count], rest].concat())
        });
    }
    let ((node, _), steps) = steps.split_first()?;
    let rest = cell.is(node).then(|| aligned(row, steps))??;
    Some([vec![Some(*column)], rest].concat())
}
