//! Parses the arguments and sizes of a launch, as written by users.

use tangle_base::Symbol;
use tangle_simulate::{Argument, Launch, LaunchError, Number};
use thiserror::Error;

use super::RequestError;
use tangle_analysis::flow::{Function, Passing};
use tangle_hir::types::Ty;

/// An error in the text of an argument or of a local size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// An argument without `=`.
    #[error("expected an argument of the form NAME=VALUE")]
    MissingValue,
    #[error("`{0}` is not a number")]
    NotANumber(String),
    #[error("expected one to three numbers of at least 1, such as 8,4,2")]
    InvalidLocalSize,
}

/// An argument of the form `--arg NAME=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArgument {
    name: String,
    value: Argument,
}

impl NamedArgument {
    pub fn new(name: &str, value: Argument) -> NamedArgument {
        NamedArgument { name: name.to_owned(), value }
    }

    /// The parameter.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The argument.
    pub fn value(&self) -> &Argument {
        &self.value
    }

    /// Parses `NAME=VALUE`.
    pub fn parse(text: &str) -> Result<NamedArgument, ArgumentError> {
        let (name, text) = text.split_once('=').ok_or(ArgumentError::MissingValue)?;
        Ok(NamedArgument::new(name, value(text)?))
    }
}

/// Returns an argument as [`value`] parses it.
pub(super) fn written(argument: &Argument) -> String {
    let number = |number: &Number| match number {
        Number::Integer(value) => value.to_string(),
        Number::Float(value) => format!("{value:?}"),
    };
    match argument {
        Argument::Number(only) => number(only),
        Argument::Array(all) => match &all[..] {
            [only] => number(only) + ",",
            all => all.iter().map(number).collect::<Vec<_>>().join(","),
        },
        Argument::Random { .. } | Argument::Same(_) => "random".to_owned(),
    }
}

/// Parses `5`, `0.5`, `1,2,3`, `1,` and `random`.
pub fn value(text: &str) -> Result<Argument, ArgumentError> {
    if text == "random" {
        return Ok(Argument::Random { bytes: Launch::RANDOM_BYTES });
    }
    // A comma after a single number makes it an array.
    let list = text.strip_suffix(',');
    let numbers: Vec<Number> = list.unwrap_or(text).split(',').map(number).collect::<Result<_, _>>()?;
    Ok(match numbers[..] {
        [number] if list.is_none() => Argument::Number(number),
        _ => Argument::Array(numbers),
    })
}

fn number(text: &str) -> Result<Number, ArgumentError> {
    let not_a_number = |text: &str| ArgumentError::NotANumber(text.to_owned());
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let integer = match hexadecimal {
        Some(digits) => i128::from(u64::from_str_radix(digits, 16).map_err(|_| not_a_number(text))?),
        None => match digits.parse::<u64>() {
            Ok(integer) => integer.into(),
            Err(_) => return text.parse().map(Number::Float).map_err(|_| not_a_number(text)),
        },
    };
    Ok(Number::Integer(sign * integer))
}

/// Parses `8`, `8,4` and `8,4,2`.
pub fn local_size(text: &str) -> Result<[u32; 3], ArgumentError> {
    let mut size = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > size.len() {
        return Err(ArgumentError::InvalidLocalSize);
    }
    for (place, part) in size.iter_mut().zip(parts) {
        let size = part.trim().parse().ok().filter(|&size| size > 0);
        *place = size.ok_or(ArgumentError::InvalidLocalSize)?;
    }
    Ok(size)
}

/// Returns the parameters that can have an argument, with their indices.
pub(super) fn parameters(function: &Function) -> impl Iterator<Item = (usize, Symbol, Ty)> {
    let parameters = function.parameters.iter().enumerate();
    parameters
        .filter(|(_, it)| it.passing != Passing::Result)
        .filter_map(|(at, it)| Some((at, it.name?, it.ty)))
}

/// Returns the arguments in the order of the parameters. Parameters without a given argument get random values.
pub(super) fn of(function: &Function, given: &[NamedArgument]) -> Result<Vec<Argument>, RequestError> {
    let mut arguments: Vec<Argument> =
        function.parameters.iter().map(|_| Argument::Random { bytes: Launch::RANDOM_BYTES }).collect();
    for NamedArgument { name, value } in given {
        let Some((at, ..)) = parameters(function).find(|(_, it, _)| it.as_str() == name) else {
            let names: Vec<String> = parameters(function).map(|(_, name, _)| format!("`{name}`")).collect();
            let known = match &names[..] {
                [] => "it has no parameters".to_owned(),
                [only] => format!("its only parameter is {only}"),
                names => format!("its parameters are {}", names.join(", ")),
            };
            return Err(RequestError::of(format!("`{}` has no parameter `{name}`; {known}", function.key)));
        };
        arguments[at] = value.clone();
    }
    Ok(arguments)
}

/// Returns the message for a launch that the executor refuses.
pub(super) fn refused(function: &Function, refused: &LaunchError) -> RequestError {
    match refused {
        LaunchError::Argument { parameter, why } => {
            let name = function.parameters.get(*parameter).and_then(|parameter| parameter.name);
            let name = name.map_or(String::new(), |name| name.to_string());
            let message = format!("invalid argument for `{name}` of `{}`: {why}", function.key);
            RequestError { parameter: Some(name), message }
        }
        other => RequestError::of(format!("cannot launch `{}`: {other}", function.key)),
    }
}
