//! The actions of threads that claims are about, and the search for a contradiction.
//!
//! - A **value** is a contradiction if two threads of a group have converged instances with different values; a
//!   **branch**, if they continue with different blocks.
//! - A **block** is a contradiction if one thread of a group reached it, and another thread has no converged instance
//!   although it entered the function with the first one and has returned. A thread that was cut off may still
//!   have come.
//!
//! In OpenCL C, an operation for the whole work-group that only part of the work-group reaches is undefined. Later
//! actions of that work-group are no evidence. The execution continues, since the actions of other work-groups may be
//! evidence.
//!
//! The same holds for a work-group that has loaded a value that another one stores in a data race, if the launch
//! detects races: no barrier separates the two. A race inside a work-group invalidates no evidence.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};
use tangle_analysis::flow::{BlockId, Module, ValueId};
use tangle_ir::text::{Names, operation, print_module, terminator};
use tangle_simulate::{Base, Communication, Grid, Key, Observer, Point, Pointer, Value};
use tangle_syntax::dialect::{ExitedThreads, Scope};

use super::claims::{Claims, SCOPES};
use super::program::Language;

/// The number of printed blocks of a path.
const PRINTED: usize = 60;

pub struct Evidence<'a> {
    claims: &'a [Claims],
    values: FxHashMap<Key, Instances>,
    activations: FxHashMap<Key, Activation>,
    visits: FxHashMap<Key, Visits>,
    /// The path of each thread: functions and blocks.
    ways: Vec<Vec<(usize, BlockId)>>,
    grid: Grid,
    /// The work-groups whose further actions are no evidence: only part passed an operation for all, or the group
    /// loaded a value that another group may have stored at the same time.
    broken: FxHashSet<usize>,
    language: Language,
    /// The activation of the kernel by each thread.
    kernels: FxHashMap<usize, Key>,
    /// The threads that have returned from the kernel.
    exited: FxHashSet<usize>,
}

/// The converged instances of one operation or branch.
struct Instances {
    activation: Key,
    point: Point,
    of: Vec<(usize, Value)>,
}

/// The threads that entered a function together, and which of them returned.
struct Activation {
    function: usize,
    /// The threads with their arguments.
    entered: FxHashMap<usize, Vec<Value>>,
    left: FxHashSet<usize>,
    visits: Vec<Key>,
}

/// The threads that reached a block together.
struct Visits {
    block: BlockId,
    threads: Vec<usize>,
}

/// Two threads that contradict a claim.
#[derive(Clone, Debug)]
pub struct Contradiction {
    pub function: usize,
    pub point: Point,
    pub scope: Scope,
    /// The threads, and their values or actions.
    pub threads: [(usize, String); 2],
    ways: [Vec<(usize, BlockId)>; 2],
}

impl<'a> Evidence<'a> {
    pub fn new(claims: &'a [Claims], grid: Grid, language: Language) -> Evidence<'a> {
        Evidence {
            claims,
            values: FxHashMap::default(),
            activations: FxHashMap::default(),
            visits: FxHashMap::default(),
            ways: vec![Vec::new(); grid.threads()],
            grid,
            broken: FxHashSet::default(),
            language,
            kernels: FxHashMap::default(),
            exited: FxHashSet::default(),
        }
    }

    /// Returns whether the further actions of a thread are no evidence.
    fn is_broken(&self, thread: usize) -> bool {
        !self.broken.is_empty() && self.broken.contains(&self.grid.place(thread).group)
    }

    fn activation(&mut self, key: Key) -> &mut Activation {
        self.activations.get_mut(&key).expect("a function is entered before its operations execute")
    }

    fn add(&mut self, activation: Key, point: Point, key: Key, thread: usize, value: Value) {
        let instances = self.values.entry(key);
        instances.or_insert_with(|| Instances { activation, point, of: Vec::new() }).of.push((thread, value));
    }

    /// Returns whether the arguments relevant for a claim are equal in a group that entered together.
    fn is_given(
        &self,
        activation: &Activation,
        point: Point,
        grid: &Grid,
        scope: Scope,
        group: usize,
    ) -> bool {
        let Some(given) = self.claims[activation.function].given.get(&point) else { return true };
        let of_group = |thread: &&usize| grid.group_of(&grid.place(**thread), scope) == group;
        let mut members = activation.entered.keys().filter(of_group);
        let Some(first) = members.next().map(|first| &activation.entered[first]) else { return true };
        members.all(|member| {
            let pairs = first.iter().zip(&activation.entered[member]).enumerate();
            pairs.into_iter().all(|(number, (a, b))| !given.contains(number) || a == b)
        })
    }

    /// Also removes the earlier actions of work-groups if only part passed an operation for all: some threads may
    /// have continued although they should have waited.
    pub fn forget_broken(&mut self) {
        let Evidence { values, activations, visits, grid, broken, .. } = self;
        let is_whole = |thread: &usize| !broken.contains(&grid.place(*thread).group);
        values.values_mut().for_each(|it| it.of.retain(|(thread, _)| is_whole(thread)));
        visits.values_mut().for_each(|it| it.threads.retain(is_whole));
        activations.values_mut().for_each(|it| it.left.retain(is_whole));
    }

    /// Returns the first contradiction, in an order that is the same in every run.
    pub fn contradiction(&self, grid: &Grid) -> Option<Contradiction> {
        let mut keys: Vec<&Key> = self.values.keys().collect();
        keys.sort_unstable();
        let of_values = || keys.iter().find_map(|key| self.of_instances(&self.values[key], grid));
        let mut activations: Vec<&Key> = self.activations.keys().collect();
        activations.sort_unstable();
        let of_blocks = || {
            let activation = |key: &&Key| &self.activations[*key];
            activations.iter().map(activation).find_map(|activation| self.of_activation(activation, grid))
        };
        of_values().or_else(of_blocks)
    }

    fn of_instances(&self, instances: &Instances, grid: &Grid) -> Option<Contradiction> {
        let activation = &self.activations[&instances.activation];
        let claims = &self.claims[activation.function];
        let claimed = match instances.point {
            Point::Operation(value) | Point::Parameter(value) => claims.values[value],
            Point::End(block) | Point::Block(block) => claims.branches[block],
        };
        let scope_of = |scope: &Scope| claimed.has(*scope);
        SCOPES.into_iter().filter(scope_of).find_map(|scope| {
            // Compare with the first instance of each group: if two defined values differ, one of them differs from it.
            let mut first: FxHashMap<usize, &(usize, Value)> = FxHashMap::default();
            instances.of.iter().find_map(|it| {
                let group = grid.group_of(&grid.place(it.0), scope);
                let known = *first.entry(group).or_insert(it);
                let differs = !known.1.may_equal(&it.1)
                    && self.is_given(activation, instances.point, grid, scope, group);
                differs.then(|| {
                    let shown = |it: &(usize, Value)| (it.0, show(&it.1, instances.point));
                    self.found(activation.function, instances.point, scope, [shown(known), shown(it)])
                })
            })
        })
    }

    fn of_activation(&self, activation: &Activation, grid: &Grid) -> Option<Contradiction> {
        activation.visits.iter().map(|key| &self.visits[key]).find_map(|visits| {
            let claimed = self.claims[activation.function].blocks[visits.block];
            let came: FxHashSet<usize> = visits.threads.iter().copied().collect();
            let mut absent: Vec<usize> = activation.left.difference(&came).copied().collect();
            absent.sort_unstable();
            let point = Point::Block(visits.block);
            SCOPES.into_iter().filter(|scope| claimed.has(*scope)).find_map(|scope| {
                let group = |thread: usize| grid.group_of(&grid.place(thread), scope);
                let groups: FxHashMap<usize, usize> =
                    visits.threads.iter().map(|&it| (group(it), it)).collect();
                absent.iter().find_map(|&other| {
                    let came = *groups.get(&group(other))?;
                    let threads = [(came, "comes here".to_owned()), (other, "does not".to_owned())];
                    let given = self.is_given(activation, point, grid, scope, group(other));
                    given.then(|| self.found(activation.function, point, scope, threads))
                })
            })
        })
    }

    fn found(
        &self,
        function: usize,
        point: Point,
        scope: Scope,
        threads: [(usize, String); 2],
    ) -> Contradiction {
        let ways = [self.ways[threads[0].0].clone(), self.ways[threads[1].0].clone()];
        Contradiction { function, point, scope, threads, ways }
    }
}

impl Observer for Evidence<'_> {
    fn raced(&mut self, loads: usize, stores: usize) {
        let group = |thread: usize| self.grid.place(thread).group;
        if group(loads) != group(stores) {
            self.broken.insert(group(loads));
        }
    }

    fn wants_values(&self) -> bool {
        true
    }

    fn wants_blocks(&self) -> bool {
        true
    }

    fn entered(&mut self, activation: Key, function: usize, thread: usize, arguments: &[Value]) {
        self.activations
            .entry(activation)
            .or_insert_with(|| Activation {
                function,
                entered: FxHashMap::default(),
                left: FxHashSet::default(),
                visits: Vec::new(),
            })
            .entered
            .insert(thread, arguments.to_vec());
        self.kernels.entry(thread).or_insert(activation);
    }

    fn left(&mut self, activation: Key, thread: usize) {
        if self.kernels.get(&thread) == Some(&activation) {
            self.exited.insert(thread);
        }
        if self.is_broken(thread) {
            return;
        }
        self.activation(activation).left.insert(thread);
    }

    fn visited(&mut self, activation: Key, function: usize, block: BlockId, key: Key, thread: usize) {
        self.ways[thread].push((function, block));
        if self.claims[function].blocks[block].is_none() || self.is_broken(thread) {
            return;
        }
        if !self.visits.contains_key(&key) {
            self.activation(activation).visits.push(key);
        }
        self.visits.entry(key).or_insert_with(|| Visits { block, threads: Vec::new() }).threads.push(thread);
    }

    fn value(&mut self, activation: Key, value: ValueId, key: Key, thread: usize, result: &Value) {
        let function = self.activation(activation).function;
        let is_evidence = !matches!(result, Value::Undefined | Value::Token(_)) && !self.is_broken(thread);
        if !self.claims[function].values[value].is_none() && is_evidence {
            self.add(activation, Point::Operation(value), key, thread, result.clone());
        }
    }

    fn branched(&mut self, activation: Key, block: BlockId, key: Key, thread: usize, target: BlockId) {
        let function = self.activation(activation).function;
        if !self.claims[function].branches[block].is_none() && !self.is_broken(thread) {
            self.add(activation, Point::End(block), key, thread, Value::Int(target.index() as i128));
        }
    }

    fn together(&mut self, communication: &Communication) {
        let builtins = self.language.dialect().builtins();
        let is_for_all = builtins.convergent(communication.callee) >= Some(Scope::Workgroup);
        let group = self.grid.place(communication.threads[0]).group;
        // CUDA: threads that have returned from the kernel do not count (docs/semantics.md §10).
        let counts = builtins.get(communication.callee).is_none_or(|row| row.left == ExitedThreads::Counted);
        let is_of_group = |thread: &&usize| self.grid.place(**thread).group == group;
        let exited = if counts { 0 } else { self.exited.iter().filter(is_of_group).count() };
        if is_for_all && communication.threads.len() + exited < self.grid.threads_per_group() {
            self.broken.insert(group);
        }
    }
}

fn show(value: &Value, point: Point) -> String {
    match (value, point) {
        (Value::Int(block), Point::End(_)) => format!("goes to block {block}"),
        (Value::Int(value), _) => value.to_string(),
        (Value::Float(bits), _) => f64::from_bits(*bits).to_string(),
        (Value::Vector(lanes), _) => {
            let lanes: Vec<String> = lanes.iter().map(|lane| show(lane, point)).collect();
            format!("({})", lanes.join(", "))
        }
        (Value::Pointer(Pointer { base: Base::Null, offset }), _) => format!("address {offset}"),
        (Value::Pointer(Pointer { base, offset }), _) => format!("{base:?} + {offset}"),
        (Value::Undefined | Value::Token(_), _) => "anything".to_owned(),
    }
}

impl Contradiction {
    /// Describes the contradiction: the claim, the paths of the two threads, and the module.
    pub fn explain(&self, module: &Module, grid: &Grid) -> String {
        let names: Vec<Names> = module.functions.iter().map(Names::of).collect();
        let function = &module.functions[self.function];
        let mut out = String::new();
        let what = match self.point {
            Point::Parameter(value) | Point::Operation(value) => {
                operation(function, &names[self.function], value)
            }
            Point::End(block) => format!(
                "the branch `{}` of {}",
                terminator(function, &names[self.function], block),
                names[self.function].blocks[block]
            ),
            Point::Block(block) => format!("reaching {}", names[self.function].blocks[block]),
        };
        writeln!(out, "in {}: said to be uniform in its {}: {what}", function.key, self.scope.as_str())
            .unwrap();
        for ((thread, value), way) in self.threads.iter().zip(&self.ways) {
            let place = grid.place(*thread);
            writeln!(
                out,
                "  thread {thread} (work-group {}, subgroup {}, lane {}): {value}",
                place.group, place.sub_group, place.lane
            )
            .unwrap();
            let block = |(number, block): &(usize, BlockId)| match *number == self.function {
                true => names[*number].blocks[*block].clone(),
                false => format!("{}:{}", module.functions[*number].key, names[*number].blocks[*block]),
            };
            let blocks: Vec<String> = way.iter().take(PRINTED).map(block).collect();
            let more = if way.len() > PRINTED { " …" } else { "" };
            writeln!(out, "    way: {}{more}", blocks.join(" ")).unwrap();
        }
        out + "\n" + &print_module(module)
    }
}
