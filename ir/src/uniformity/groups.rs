//! The order of analysis for the functions of a program: callees first.
//!
//! **Group**: functions that reach each other by calls. When a function is analysed, the groups of its callees are
//! done. The functions of one group are analysed until nothing changes.

/// Returns the groups, callees first (Tarjan's algorithm, without recursion). `callees` has the callees of each
/// function.
pub fn groups(callees: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut index = vec![NEW; callees.len()];
    let mut low = vec![0; callees.len()];
    let mut open = vec![false; callees.len()];
    let (mut stack, mut groups, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..callees.len() {
        if index[root] != NEW {
            continue;
        }
        let mut todo = vec![(root, 0)];
        while let Some(&(at, edge)) = todo.last() {
            if edge == 0 {
                (index[at], low[at], open[at]) = (next, next, true);
                next += 1;
                stack.push(at);
            }
            if let Some(&callee) = callees[at].get(edge) {
                if let Some(last) = todo.last_mut() {
                    last.1 += 1;
                }
                if index[callee] == NEW {
                    todo.push((callee, 0));
                } else if open[callee] {
                    low[at] = low[at].min(index[callee]);
                }
                continue;
            }
            todo.pop();
            if let Some(&(caller, _)) = todo.last() {
                low[caller] = low[caller].min(low[at]);
            }
            if low[at] == index[at] {
                let begin = stack.iter().position(|&it| it == at).unwrap_or(0);
                let mut group = stack.split_off(begin);
                group.iter().for_each(|&it| open[it] = false);
                group.sort_unstable();
                groups.push(group);
            }
        }
    }
    groups
}
