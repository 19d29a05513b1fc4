//! The thread tables of the texts that say which threads are converged, held cell by cell against what threads did.
//!
//! A table stands in a test as it stands in the text, with or without the lines of its frame:
//!
//! ```text
//! |          | 1      | 2   | 3   | 4   | 5    |
//! | Thread 1 | Entry1 | H1  | B1  | L1  | Exit |
//! | Thread 2 | Entry1 | H2  |     | L2  | Exit |
//! ```
//!
//! **Cell**: a step of the thread in whose row it stands. The number behind a name tells instances of one node apart for the reader, and
//! is not compared. `...` stands for any steps, an empty cell for nothing. **Column**: cells that stand in one are converged, and no others.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

/// A table of a text.
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
    /// Reads a table. Lines that begin with `+`, and those whose first cell is empty, are its frame and its head.
    ///
    /// # Panics
    ///
    /// If it is no table.
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

    /// The cells that name a step.
    pub fn cells(&self) -> usize {
        self.rows.iter().flatten().filter(|cell| matches!(cell, Cell::Named(_))).count()
    }

    /// The way of each thread, by the names of its nodes. What its row leaves out by `...` comes from `left_out`, in the order of the rows.
    ///
    /// # Panics
    ///
    /// If there is not one way for each `...`.
    pub fn ways(&self, left_out: &[&str]) -> Vec<String> {
        let mut left_out = left_out.iter();
        let mut way = |row: &Vec<Cell>| {
            let mut nodes: Vec<&str> = Vec::new();
            for cell in row {
                match cell {
                    Cell::Empty => {}
                    Cell::Any => nodes.push(left_out.next().expect("a way for each `...`")),
                    Cell::Named(name) => nodes.push(without_number(name)),
                }
            }
            nodes.join(" ")
        };
        let ways = self.rows.iter().map(&mut way).collect();
        assert!(left_out.next().is_none(), "more ways than `...`");
        ways
    }

    /// Holds the table against what threads did: for each thread its steps in order, a step being its node and its instance, which converged
    /// steps have in common. Gives how many cells were compared.
    ///
    /// # Errors
    ///
    /// Says which cell is wrong, or which step has none.
    pub fn compare<K: Copy + Eq + Hash + Debug>(
        &self,
        threads: &[Vec<(String, K)>],
    ) -> Result<usize, String> {
        if threads.len() != self.rows.len() {
            return Err(format!("{} threads, but {} rows", threads.len(), self.rows.len()));
        }
        // Of each column its instance, and of each instance its column.
        let mut instances: HashMap<usize, K> = HashMap::new();
        let mut columns: HashMap<K, usize> = HashMap::new();
        let mut left_out: Vec<(usize, &(String, K))> = Vec::new();
        let mut compared = 0;
        for (thread, (row, steps)) in self.rows.iter().zip(threads).enumerate() {
            let row: Vec<(usize, &Cell)> =
                row.iter().enumerate().filter(|(_, cell)| **cell != Cell::Empty).collect();
            let Some(shown) = aligned(&row, steps) else {
                let names: Vec<&str> = steps.iter().map(|(name, _)| name.as_str()).collect();
                return Err(format!("thread {} executes {}", thread + 1, names.join(" ")));
            };
            for (step, column) in steps.iter().zip(shown) {
                let Some(column) = column else {
                    left_out.push((thread, step));
                    continue;
                };
                let instance = *instances.entry(column).or_insert(step.1);
                let of_instance = *columns.entry(step.1).or_insert(column);
                if (instance, of_instance) != (step.1, column) {
                    return Err(format!(
                        "thread {}, column {}: {step:?} is no other than that of column {}, and the column holds {instance:?}",
                        thread + 1,
                        column + 1,
                        of_instance + 1
                    ));
                }
                compared += 1;
            }
        }
        match left_out.iter().find(|(_, step)| columns.contains_key(&step.1)) {
            Some((thread, step)) => Err(format!("thread {}: {step:?} is in no column", thread + 1)),
            None => Ok(compared),
        }
    }

    /// Tables that differ from this one in a single cell, all of them wrong if this one is right: a cell that was converged with others
    /// stands alone; one that was not, stands beside another of its node; one is missing.
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
                // It may move as far as its row is empty.
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

    /// The table with a cell that stands elsewhere, or nowhere.
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

/// The name of a node, of that of an instance.
fn without_number(name: &str) -> &str {
    name.trim_end_matches(|digit: char| digit.is_ascii_digit())
}

/// For each step its column; none if it is left out. None: the row does not tell what the thread does. Of several ways to read `...` the
/// one that leaves out least first.
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
