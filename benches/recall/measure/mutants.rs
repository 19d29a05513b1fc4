//! The mutations. Each is one edit of a text at one place where a function waits.
//!
//! Inserted names begin with `recall_`. Most mutations make an operation that waits depend on a condition that differs
//! between threads. Some change the mask or the width of an operation of the warp, or remove a `__syncwarp`. The last
//! ones use a condition that is the same for all threads, so the mutant is as correct as the original. Edits are written
//! in OpenCL C, and translated for CUDA ([`IN_CUDA`]).

use std::ops::Range;

use super::places::{Function, MaskedCall, MaskedKind, Place, Waits};

/// The kind of edit, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mutation {
    Ids,
    Data,
    LoopVariable,
    Break,
    Continue,
    Return,
    Goto,
    And,
    ShortCircuit,
    Bound,
    Switch,
    OneSide,
    Collective,
    Masked,
    Call,
    DroppedLane,
    NarrowedBarrier,
    Width,
    DroppedBarrier,
    UniformBranch,
    UniformJump,
    UniformBound,
    UniformSwitch,
}

impl Mutation {
    /// Whether its mutants are as correct as their originals.
    pub fn is_right(self) -> bool {
        self >= Mutation::UniformBranch
    }

    /// What shows that a mutant is wrong.
    pub fn evidence(self) -> Evidence {
        match self {
            Mutation::Masked | Mutation::DroppedLane | Mutation::NarrowedBarrier => Evidence::Mask,
            Mutation::Width => Evidence::Executed,
            Mutation::DroppedBarrier => Evidence::Race,
            _ => Evidence::Missing,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Mutation::Ids => "a barrier in a branch on ids",
            Mutation::Data => "… on data",
            Mutation::LoopVariable => "… on a variable of a loop that threads leave at different iterations",
            Mutation::Break => "behind a divergent `break`",
            Mutation::Continue => "… `continue`",
            Mutation::Return => "… `return`",
            Mutation::Goto => "… `goto`",
            Mutation::And => "in `if (uniform && divergent)`",
            Mutation::ShortCircuit => "in a function behind `divergent &&`",
            Mutation::Bound => "in a loop with a divergent bound",
            Mutation::Switch => "in a `case` before which the `break` is dropped",
            Mutation::OneSide => "in a function called from one side of a divergent branch",
            Mutation::Collective => "a collective, in the same ways",
            Mutation::Masked => "an operation with a mask, in the same ways",
            Mutation::DroppedLane => "a mask without one of its lanes",
            Mutation::NarrowedBarrier => "a `__syncwarp` for half of the lanes",
            Mutation::Width => "a shuffle with a width of 24 lanes",
            Mutation::DroppedBarrier => "a dropped `__syncwarp`",
            Mutation::Call => "a call of a function that waits, in the same ways",
            Mutation::UniformBranch => "another barrier in a uniform branch",
            Mutation::UniformJump => "behind a uniform `break`, `continue`, `return` or `goto`",
            Mutation::UniformBound => "in a loop with a uniform bound",
            Mutation::UniformSwitch => "in a `case` of a uniform `switch` that others fall into",
        }
    }
}

/// The evidence in an execution of a wrong mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Only a part of a group takes part in an operation. The others have returned or wait elsewhere.
    Missing,
    /// The mask of an operation does not name a thread that executes it, or names one that is elsewhere.
    Mask,
    /// Any thread executes the mutated operation, which is undefined.
    Executed,
    /// Two threads of a warp race, and none do in the original.
    Race,
}

/// A text with one mutation.
pub struct Mutant {
    pub mutation: Mutation,
    pub text: String,
    /// The range of the inserted code in the text.
    pub changed: Range<usize>,
    /// The operations that a finding should report.
    pub targets: Vec<Range<usize>>,
}

/// What inserted code has in OpenCL C and in CUDA.
const IN_CUDA: [(&str, &str); 9] = [
    ("get_local_id(0)", "threadIdx.x"),
    ("get_local_id(1)", "threadIdx.y"),
    ("get_global_id(0)", "(blockIdx.x * blockDim.x + threadIdx.x)"),
    ("get_group_id(0)", "blockIdx.x"),
    ("get_local_size(0)", "blockDim.x"),
    ("get_num_groups(0)", "gridDim.x"),
    ("global const uint", "const unsigned"),
    ("static int recall_wait(void)", "static __device__ int recall_wait()"),
    ("(void) ((", "(void)(("),
];

/// Translates inserted code to the language of a function.
fn in_language_of(function: &Function, code: &str) -> String {
    match function.cuda {
        true => IN_CUDA.iter().fold(code.to_owned(), |code, (from, to)| code.replace(from, to)),
        false => code.to_owned(),
    }
}

/// All mutants of a function.
pub fn mutants(text: &str, function: &Function) -> Vec<Mutant> {
    let mut made = Vec::new();
    for (number, place) in function.places.iter().enumerate() {
        Maker { text, function, place, number, made: &mut made }.all();
    }
    for it in &function.loops {
        let bound = &text[it.bound.clone()];
        let new = match it.is_comparison {
            true => format!("({bound}) + (int) (get_local_id(0) & 1)"),
            false => format!("({bound}) && (get_local_id(0) & 1)"),
        };
        let new = in_language_of(function, &new);
        made.push(replaced(text, function, Mutation::Bound, &it.bound, &new, &it.places));
    }
    for it in &function.breaks {
        made.push(replaced(text, function, Mutation::Switch, &it.statement, ";", &it.places));
    }
    made
}

/// A mutant that replaces other code than the places themselves.
fn replaced(
    text: &str,
    function: &Function,
    mutation: Mutation,
    range: &Range<usize>,
    new: &str,
    places: &[usize],
) -> Mutant {
    let moved = |at: usize| if at < range.end { at } else { at + new.len() - range.len() };
    let targets = places.iter().map(|&place| &function.places[place].statement);
    Mutant {
        mutation,
        text: format!("{}{new}{}", &text[..range.start], &text[range.end..]),
        changed: range.start..range.start + new.len(),
        targets: targets.map(|range| moved(range.start)..moved(range.end)).collect(),
    }
}

/// A condition for inserted branches.
struct Condition {
    /// Statements before the branch.
    before: String,
    test: String,
}

impl Condition {
    fn new(test: impl Into<String>) -> Condition {
        Condition { before: String::new(), test: test.into() }
    }
}

/// The placeholder for the statement in the inserted code.
const STATEMENT: &str = "$";

/// Makes the mutants of one place.
struct Maker<'a> {
    text: &'a str,
    function: &'a Function,
    place: &'a Place,
    /// The number of the place in its function. It selects among the forms of conditions.
    number: usize,
    made: &'a mut Vec<Mutant>,
}

impl Maker<'_> {
    fn all(&mut self) {
        let (ids, data, of_loop) = (self.ids(), self.data(), self.loop_variable());
        let conditions: Vec<&Condition> =
            [Some(&ids), data.as_ref(), Some(&of_loop)].into_iter().flatten().collect();
        let branches = [
            (Mutation::Ids, Some(&ids)),
            (Mutation::Data, data.as_ref()),
            (Mutation::LoopVariable, Some(&of_loop)),
        ];
        if self.place.is_call {
            for (mutation, condition) in branches {
                if let Some(Condition { before, test }) = condition {
                    self.put(mutation, &format!("{{ {before}if ({test}) $ }}"));
                }
            }
            for Condition { before, test } in &conditions {
                self.put(Mutation::And, &format!("{{ {before}if (get_local_size(0) > 1 && ({test})) $ }}"));
            }
            self.put(Mutation::Bound, "for (int recall_i = get_local_id(0) & 1; recall_i < 2; ++recall_i) $");
            self.put(Mutation::Switch, "switch (get_local_id(0) & 1) { case 0: ; default: $ }");
        }
        for condition in &conditions {
            self.jumps(condition, [Mutation::Break, Mutation::Continue, Mutation::Return, Mutation::Goto]);
        }
        if self.can_be_called() {
            for Condition { before, test } in &conditions {
                self.put_function(
                    Mutation::ShortCircuit,
                    &format!("{{ {before}(void) (({test}) && recall_wait()); }}"),
                );
                self.put_function(
                    Mutation::OneSide,
                    &format!("{{ {before}if ({test}) recall_wait(); else ; }}"),
                );
            }
        }
        if let Some(call) = &self.place.masked {
            self.masks(call);
        }
        if self.place.is_call {
            self.uniform();
        }
    }

    /// Changes the mask or the width of an operation, or removes a barrier of the warp.
    fn masks(&mut self, call: &MaskedCall) {
        if let Some(mask) = &call.mask {
            let new = format!("({}) & ~0x4u", &self.text[mask.clone()]);
            self.change(Mutation::DroppedLane, mask, &new, call);
        }
        match &call.kind {
            MaskedKind::Barrier => {
                self.change(Mutation::NarrowedBarrier, &call.arguments, "0xffffu", call);
                if self.place.is_call {
                    let dropped = replaced(
                        self.text,
                        self.function,
                        Mutation::DroppedBarrier,
                        &self.place.statement,
                        ";",
                        &[],
                    );
                    let Range { start, end } = self.function.range;
                    let end = end + 1 - self.place.statement.len();
                    let whole = start..end;
                    self.made.push(Mutant { targets: Vec::from([whole]), ..dropped });
                }
            }
            MaskedKind::Shuffle { width: Some(width) } => self.change(Mutation::Width, width, "24", call),
            MaskedKind::Shuffle { width: None } => {
                let end = call.arguments.end;
                self.change(Mutation::Width, &(end..end), ", 24", call);
            }
            MaskedKind::Other => {}
        }
    }

    /// Replaces a part of the arguments of a call.
    fn change(&mut self, mutation: Mutation, range: &Range<usize>, new: &str, call: &MaskedCall) {
        let mutant = replaced(self.text, self.function, mutation, range, new, &[]);
        self.made.push(Mutant { targets: vec![call.callee.clone()], ..mutant });
    }

    /// Makes correct mutants: they add another barrier that either all threads of a group reach, or none. The original
    /// barrier stays, because other code may depend on it.
    fn uniform(&mut self) {
        let test = self.uniform_test();
        self.put(Mutation::UniformBranch, &format!("{{ if ({test}) $ $ }}"));
        self.put(Mutation::UniformJump, &format!("{{ do {{ if ({test}) break; $ }} while (0); $ }}"));
        let rounds = "for (int recall_n = 0; recall_n < 2; ++recall_n)";
        self.put(Mutation::UniformJump, &format!("{{ {rounds} {{ if ({test}) continue; $ }} $ }}"));
        self.put(Mutation::UniformJump, &format!("{{ if ({test}) goto recall_behind; $ recall_behind: $ }}"));
        // Callers of a function may rely on the barriers in it, so only a kernel returns early.
        if let Some(leaves) = self.function.leaves.filter(|_| self.function.kernel) {
            self.put(Mutation::UniformJump, &format!("{{ if ({test}) {leaves} $ }}"));
        }
        let head = "for (int recall_i = get_group_id(0); recall_i < 2; ++recall_i)";
        self.put(Mutation::UniformBound, &format!("{{ {head} $ $ }}"));
        self.put(Mutation::UniformSwitch, "switch (get_group_id(0) & 1) { case 0: ; default: $ }");
    }

    fn ids(&self) -> Condition {
        const FORMS: [&str; 5] = [
            "get_local_id(0) & 1",
            "get_local_id(0) < 3",
            "get_global_id(0) % 2 == 0",
            "get_local_id(0) == get_local_size(0) - 1",
            "(get_local_id(0) ^ get_local_id(1)) & 1",
        ];
        Condition::new(FORMS[self.number % FORMS.len()])
    }

    /// The memory is read as integers, whatever its type is.
    fn data(&self) -> Option<Condition> {
        let name = self.function.data.as_ref()?;
        Some(Condition::new(format!("((global const uint *) {name})[get_local_id(0)] % 3 == 0")))
    }

    fn loop_variable(&self) -> Condition {
        let before =
            "int recall_i = 0; while (recall_i < (int) (get_local_id(0) & 3)) ++recall_i; ".to_owned();
        Condition { before, test: "recall_i < 2".to_owned() }
    }

    fn uniform_test(&self) -> String {
        const FORMS: [&str; 4] = [
            "get_group_id(0) & 1",
            "get_global_id(0) - get_local_id(0) > 8",
            "get_num_groups(0) > 2",
            "get_local_size(0) % 3 == 1",
        ];
        match &self.function.number {
            Some(name) if self.function.kernel && self.number.is_multiple_of(2) => format!("{name} == 3"),
            _ => FORMS[self.number / 2 % FORMS.len()].to_owned(),
        }
    }

    /// Puts the statement after a `break`, `continue`, `return` and `goto`.
    fn jumps(
        &mut self,
        Condition { before, test }: &Condition,
        [breaks, continues, returns, goes]: [Mutation; 4],
    ) {
        let Place { can_break, in_loop, declares, .. } = *self.place;
        if can_break {
            self.put_after(breaks, &format!("{before}if ({test}) break; $"));
        } else if !declares {
            self.put(breaks, &format!("do {{ {before}if ({test}) break; $ }} while (0);"));
        }
        if in_loop {
            self.put_after(continues, &format!("{before}if ({test}) continue; $"));
        } else if !declares {
            let head = "for (int recall_n = 0; recall_n < 2; ++recall_n)";
            self.put(continues, &format!("{head} {{ {before}if ({test}) continue; $ }}"));
        }
        // In CUDA, threads that have returned from the kernel do not count at a barrier.
        if let Some(leaves) = self.function.leaves.filter(|_| !(self.function.cuda && self.function.kernel)) {
            self.put_after(returns, &format!("{before}if ({test}) {leaves} $"));
        }
        self.put_after(goes, &format!("{before}if ({test}) goto recall_behind; $ recall_behind: ;"));
    }

    /// Whether the statement can be in a separate function, without the variables of this function.
    fn can_be_called(&self) -> bool {
        let words = self.statement().split(|c: char| !c.is_alphanumeric() && c != '_');
        self.place.waits == Waits::Barrier
            && self.place.is_call
            && words.into_iter().all(|word| !self.function.variables.iter().any(|variable| variable == word))
    }

    fn statement(&self) -> &str {
        &self.text[self.place.statement.clone()]
    }

    /// Inserts statements beside others if possible, and otherwise in a separate block.
    fn put_after(&mut self, mutation: Mutation, form: &str) {
        match self.place.in_block {
            true => self.put(mutation, form),
            false => self.put(mutation, &format!("{{ {form} }}")),
        }
    }

    /// Replaces the statement by a form that contains it.
    fn put(&mut self, mutation: Mutation, form: &str) {
        let form = in_language_of(self.function, form);
        let statement = self.statement();
        let mut new = String::new();
        let mut targets = Vec::new();
        let start = self.place.statement.start;
        for (number, part) in form.split(STATEMENT).enumerate() {
            if number > 0 {
                let begin = start + new.len();
                targets.push(begin..begin + statement.len());
                new += statement;
            }
            new += part;
        }
        self.make(mutation, &new, targets, "");
    }

    /// Moves the statement to a separate function, and replaces it by a form that calls this function.
    fn put_function(&mut self, mutation: Mutation, form: &str) {
        const NAME: &str = "recall_wait";
        let form = &in_language_of(self.function, form);
        let head = in_language_of(self.function, &format!("static int {NAME}(void) {{ "));
        let helper = format!("{head}{} return 1; }}\n", self.statement());
        let begin = self.place.statement.start + helper.len() + form.find(NAME).expect("the form calls it");
        let at = self.function.range.start + head.len();
        let targets = vec![begin..begin + NAME.len(), at..at + self.statement().len()];
        self.make(mutation, form, targets, &helper);
    }

    fn make(&mut self, mutation: Mutation, new: &str, targets: Vec<Range<usize>>, helper: &str) {
        let Place { statement, waits, .. } = self.place;
        let mutation = match waits {
            _ if mutation.is_right() => mutation,
            Waits::Barrier => mutation,
            Waits::Collective if self.place.masked.is_some() => Mutation::Masked,
            Waits::Collective => Mutation::Collective,
            Waits::Function => Mutation::Call,
        };
        let (text, head) = (self.text, self.function.range.start);
        let (before, behind) = (&text[head..statement.start], &text[statement.end..]);
        let begin = statement.start + helper.len();
        self.made.push(Mutant {
            mutation,
            text: format!("{}{helper}{before}{new}{behind}", &text[..head]),
            changed: begin..begin + new.len(),
            targets,
        });
    }
}
