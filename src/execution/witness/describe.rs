//! Describes the execution of a witness: its command line, its launch, and its threads at a moment.

use std::collections::BTreeMap;

use tangle_diagnostic::{Part, Place, ThreadsAt, Witness};
use tangle_emit::source::FunctionSource;
use tangle_simulate::{Policy, Program, Run, Strategy};

use super::event::{Activity, Moment, ThreadMoment};
use crate::arguments::written;
use crate::cells::ranges;
use crate::lowered::FunctionLocations;
use crate::{Executable, LaunchRequest};

/// Describes executions of one kernel.
pub(super) struct Describer<'a> {
    pub executable: &'a Executable<'a>,
    pub places: &'a FunctionLocations<'a>,
    /// The start of the command line.
    pub command: &'a str,
}

/// The activity of threads, their location with its line, and the first thread that waits with them.
type At = (Activity, Option<(Place, usize)>, Option<usize>);

impl Describer<'_> {
    /// Returns a witness of the given threads. `executions`: the number of executions that were needed to find it.
    pub(super) fn witness(
        &self,
        launch: &LaunchRequest,
        threads: Vec<ThreadsAt>,
        executions: usize,
    ) -> Witness {
        let key = self.executable.function().key;
        let function = key.label().into_owned();
        let arguments = launch.arguments.iter().map(|it| (it.name().to_owned(), written(it.value())));
        let arguments: Vec<(String, String)> = arguments.collect();
        let local_size = self.executable.local_size(launch.local_size);
        Witness {
            command: self.command(&function, launch, &arguments),
            launch: self.described(launch, &arguments),
            function,
            definition: self.places.definition(key),
            local_size,
            groups: launch.groups,
            sub_group_size: self.executable.sub_group_size(launch.sub_group_size),
            arguments,
            strategy: launch.strategy.name(),
            policy: launch.policy.name(),
            seed: launch.seed,
            zero_local_memory: launch.zero_local_memory,
            threads,
            threads_per_group: local_size.iter().map(|&size| size as usize).product(),
            executions,
            alternative: None,
        }
    }

    /// Returns the threads of the first work-group with the event, by location and activity.
    pub(super) fn threads(
        &self,
        program: &Program,
        run: &Run,
        moment: Moment,
        activities: Vec<ThreadMoment>,
    ) -> Vec<ThreadsAt> {
        let (places, module) = (self.places, &self.executable.module);
        let group = match moment {
            Moment::At(number) => run.grid.place(run.communications[number].threads[0]).group,
            Moment::End => {
                let waits = |it: &ThreadMoment| it.0 == Activity::Waits;
                activities.iter().position(waits).map_or(0, |thread| run.grid.place(thread).group)
            }
        };
        let callee = match moment {
            Moment::At(number) => Some(run.communications[number].callee),
            Moment::End => None,
        };
        let mut at: BTreeMap<At, Vec<usize>> = BTreeMap::new();
        for (thread, (activity, spot, waits_with)) in activities.into_iter().enumerate() {
            let position = run.grid.place(thread);
            if position.group != group {
                continue;
            }
            let place = spot.and_then(|spot| {
                let (key, span) = (module.functions[spot.function].key, program.span(spot));
                Some((places.place(key, span)?, places.spot(key, span)?.start.0))
            });
            at.entry((activity, place, waits_with)).or_default().push(position.linear);
        }
        let vocabulary = places.vocabulary();
        let name = callee.map_or(String::new(), |callee| format!(" `{callee}`"));
        let described = |((activity, place, _), threads): (At, Vec<usize>)| {
            let (place, line) = place?;
            let one = threads.len() == 1;
            let verb = match activity {
                Activity::Executes if one => format!("executes{name}"),
                Activity::Executes => format!("execute{name}"),
                Activity::Unnamed if one => format!("executes{name}, but its mask does not name it"),
                Activity::Unnamed => format!("execute{name}, but their own masks do not name them"),
                Activity::Unread if one => format!("executes{name}; the result is undefined"),
                Activity::Unread => format!("execute{name}; the results are undefined"),
                Activity::Waits if one => "waits forever".to_owned(),
                Activity::Waits => "wait forever".to_owned(),
                Activity::Missing if one => "is needed, but is elsewhere".to_owned(),
                Activity::Missing => "are needed, but are elsewhere".to_owned(),
                Activity::Elsewhere if one => "is elsewhere".to_owned(),
                Activity::Elsewhere => "are elsewhere".to_owned(),
                Activity::Returned if one => "has returned".to_owned(),
                Activity::Returned => "have returned".to_owned(),
            };
            let part = match activity {
                Activity::Executes | Activity::Unnamed | Activity::Unread => Part::Executes,
                Activity::Waits => Part::Waits,
                Activity::Missing | Activity::Elsewhere | Activity::Returned => Part::Absent,
            };
            let who = ranges(&vocabulary.thread, &threads);
            Some(ThreadsAt { place, line, group, threads, part, activity: format!("{who} {verb}") })
        };
        at.into_iter().filter_map(described).collect()
    }

    /// Returns the command line that repeats an execution.
    fn command(&self, function: &str, launch: &LaunchRequest, arguments: &[(String, String)]) -> String {
        let [x, y, z] = self.executable.local_size(launch.local_size);
        let size = match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("{x},{y}"),
            _ => format!("{x},{y},{z}"),
        };
        let mut command = format!("{} --function {} --local-size {size}", self.command, shell(function));
        if launch.groups > 1 {
            command += &format!(" --groups {}", launch.groups);
        }
        command += &format!(" --sub-group-size {}", self.executable.sub_group_size(launch.sub_group_size));
        for (name, value) in arguments {
            command += &format!(" --arg {}", shell(&format!("{name}={value}")));
        }
        if launch.strategy != Strategy::default() {
            command += &format!(" --strategy {}", launch.strategy.name());
        }
        if launch.policy != Policy::default() {
            command += &format!(" --policy {}", launch.policy.name());
        }
        if launch.zero_local_memory {
            command += " --zero-local-memory";
        }
        if launch.seed != 0 {
            command += &format!(" --seed {}", launch.seed);
        }
        command
    }

    /// Describes a launch: `8 work-items, sub-groups of 4, n = 4`.
    fn described(&self, launch: &LaunchRequest, arguments: &[(String, String)]) -> String {
        let vocabulary = self.places.vocabulary();
        let [x, y, z] = self.executable.local_size(launch.local_size);
        let size = match (y, z) {
            (1, 1) => x.to_string(),
            (_, 1) => format!("{x}×{y}"),
            _ => format!("{x}×{y}×{z}"),
        };
        let groups = match launch.groups {
            1 => String::new(),
            groups => format!("{groups} {}s of ", vocabulary.workgroup),
        };
        let lanes = self.executable.sub_group_size(launch.sub_group_size);
        let mut text =
            format!("{groups}{size} {}, {}s of {lanes}", vocabulary.threads(), vocabulary.subgroup);
        for (name, value) in arguments {
            text += &format!(", {name} = {value}");
        }
        if launch.zero_local_memory {
            text += &format!(", zeros in {} memory", vocabulary.local);
        }
        text
    }
}

/// Quotes a word for a shell, if necessary.
pub fn shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
