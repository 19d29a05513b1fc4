//! Who goes next, and who waits for whom at convergent operations.
//!
//! A thread may still join another one that waits if it can reach a converged instance of the same operation: the same activation,
//! and a way through the graph on which it meets just those headers that the other one has met beyond it; for an operation with a
//! token, just those definitions of the token.

use tangle::dialect::Scope;
use tangle::flow::cycles::CycleId;
use tangle::flow::{BlockId, ValueId};

use crate::keys::{Instance, Key, Point, token_of};
use crate::machine::{Frame, Machine, State};

/// Steps of one thread before another one has its turn.
const TURN: usize = 24;

impl Machine<'_> {
    /// Runs until nobody can go on.
    pub fn run(&mut self) {
        loop {
            let running: Vec<usize> =
                (0..self.threads.len()).filter(|&it| self.threads[it].state == State::Running).collect();
            if let Some(&thread) = running.get(self.random.below(running.len().max(1))) {
                let turn = 1 + self.random.below(TURN);
                for _ in 0..turn {
                    if self.threads[thread].state == State::Running {
                        self.step(thread);
                    }
                }
                continue;
            }
            if !self.go_on() {
                return;
            }
        }
    }

    /// All wait or are done: lets those go who wait for nobody. False if nobody waits.
    fn go_on(&mut self) -> bool {
        let mut waiting: Vec<(Key, Scope, usize)> = Vec::new();
        for thread in &self.threads {
            if let State::Waiting { key, scope } = thread.state {
                let group = self.grid.group_of(&thread.place, scope);
                if !waiting.contains(&(key, scope, group)) {
                    waiting.push((key, scope, group));
                }
            }
        }
        if waiting.is_empty() {
            return false;
        }
        let free: Vec<(Key, Scope, usize)> = waiting
            .iter()
            .filter(|&&(key, scope, group)| self.is_complete(key, scope, group))
            .copied()
            .collect();
        if free.is_empty() {
            let (key, scope, group) = *self.random.pick(&waiting);
            self.together(key, scope, group);
        }
        for (key, scope, group) in free {
            self.together(key, scope, group);
        }
        true
    }

    fn members(&self, scope: Scope, group: usize) -> Vec<usize> {
        let is_member = |&it: &usize| self.grid.group_of(&self.threads[it].place, scope) == group;
        (0..self.threads.len()).filter(is_member).collect()
    }

    fn waits_at(&self, thread: usize, at: Key) -> bool {
        matches!(self.threads[thread].state, State::Waiting { key, .. } if key == at)
    }

    fn is_complete(&self, key: Key, scope: Scope, group: usize) -> bool {
        let members = self.members(scope, group);
        let one = *members.iter().find(|&&it| self.waits_at(it, key)).expect("someone waits");
        members.iter().all(|&it| {
            let is_done = !matches!(self.threads[it].state, State::Waiting { .. });
            is_done || self.waits_at(it, key) || !self.may_join(it, one)
        })
    }

    fn together(&mut self, key: Key, scope: Scope, group: usize) {
        let mut members = self.members(scope, group);
        members.retain(|&it| self.waits_at(it, key));
        self.execute_together(key, group, &members);
    }

    /// Whether a thread may reach a converged instance of what another one waits at.
    fn may_join(&self, thread: usize, other: usize) -> bool {
        let (mine, theirs) = (&self.threads[thread].frames, &self.threads[other].frames);
        let common = mine.iter().zip(theirs).take_while(|(a, b)| a.activation == b.activation).count();
        let Some(level) = common.checked_sub(1) else { return false };
        let (frame, target) = (&mine[level], &theirs[level]);
        let value = self.function(target).blocks[target.block].values[target.at];
        // In a call inside of the common function, both wait somewhere in it.
        let key = match self.threads[other].state {
            State::Waiting { key, .. } if level + 1 == theirs.len() => key,
            _ => match self.keys.instance(theirs[level + 1].activation) {
                Instance::Activation { call, .. } => *call,
                _ => return false,
            },
        };
        self.may_reach(frame, value, (target.block, target.at), key)
    }

    /// Whether a thread in this frame may come to the instance `key` of an operation that stands there.
    fn may_reach(&self, frame: &Frame, value: ValueId, place: (BlockId, usize), key: Key) -> bool {
        let function = self.function(frame);
        let shape = &self.shapes[frame.function];
        let here = (frame.block, frame.at);
        let of_function = |token: ValueId| {
            let block = function.blocks.iter_enumerated().find_map(|(block, data)| {
                data.values.iter().position(|&it| it == token).map(|at| (block, at))
            });
            block.expect("tokens stand in blocks")
        };
        match self.keys.instance(key) {
            Instance::Uncontrolled { point: Point::Operation(_), header, .. } => {
                let headers: Vec<BlockId> =
                    shape.cycles.around(place.0).map(|it| shape.cycles.cycles[it].header).collect();
                let mine = shape.cycles.innermost(place.0).and_then(|it: CycleId| frame.latest[it]);
                if mine == *header {
                    return shape.leads(function, here, (place.0, Some(place.1)), &headers);
                }
                // The first header that the other one met after those that this one has met, too.
                let mut next = *header;
                while let Some(at) = next {
                    let Some((block, before)) = self.keys.header(at) else { return false };
                    if before == mine {
                        return shape.leads(function, here, (block, None), &headers);
                    }
                    next = before;
                }
                false
            }
            &Instance::Controlled { token: theirs, .. } => {
                let token = token_of(&function.values[value].op).expect("it is controlled");
                let definition = of_function(token);
                match frame.token(token) {
                    Some(mine) if mine == theirs => {
                        shape.leads(function, here, (place.0, Some(place.1)), &[definition.0])
                    }
                    _ => self.may_reach(frame, token, definition, theirs),
                }
            }
            &Instance::Heart { token: theirs, count, .. } => {
                let parent = token_of(&function.values[value].op).expect("hearts have parents");
                let definition = of_function(parent);
                match frame.token(parent) {
                    Some(mine) if mine == theirs => {
                        let met = frame.hearts.get(&(value, mine)).copied().unwrap_or(0);
                        met < count && shape.leads(function, here, (place.0, None), &[definition.0])
                    }
                    _ => self.may_reach(frame, parent, definition, theirs),
                }
            }
            // The activation is the same, so `entry` lies behind.
            _ => false,
        }
    }

    fn execute_together(&mut self, key: Key, group: usize, threads: &[usize]) {
        let frame = self.threads[threads[0]].frames.last().expect("it waits");
        let (function, block) = (self.function(frame), frame.block);
        let value = function.blocks[block].values[frame.at];
        let results = self.collective(key, group, threads, value);
        for (&thread, result) in threads.iter().zip(results) {
            self.threads[thread].state = State::Running;
            self.done(thread, value, key, result);
        }
    }
}
