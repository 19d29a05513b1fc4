//! What a kernel is passed, as people write it.

use tangle_simulate::{Argument, Launch, Number, Refused};

use crate::flow::{Function, Passing};

/// `--arg NAME=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    name: String,
    value: Argument,
}

impl Given {
    /// Reads `n=5`, `x=0.5`, `a=1,2,3`, `a=1,` and `a=random`.
    pub fn parse(text: &str) -> Result<Given, String> {
        let (name, value) = text.split_once('=').ok_or("an argument is written NAME=VALUE")?;
        let value = match value {
            "random" => Argument::Random { bytes: Launch::RANDOM_BYTES },
            _ => {
                // A comma behind a single number makes it an array.
                let list = value.strip_suffix(',');
                let numbers: Vec<Number> =
                    list.unwrap_or(value).split(',').map(number).collect::<Result<_, _>>()?;
                match numbers[..] {
                    [number] if list.is_none() => Argument::Number(number),
                    _ => Argument::Array(numbers),
                }
            }
        };
        Ok(Given { name: name.to_owned(), value })
    }
}

fn number(text: &str) -> Result<Number, String> {
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let integer = match hexadecimal {
        Some(digits) => i128::from(u64::from_str_radix(digits, 16).map_err(|_| no_number(text))?),
        None => match digits.parse::<u64>() {
            Ok(integer) => integer.into(),
            Err(_) => return text.parse().map(Number::Float).map_err(|_| no_number(text)),
        },
    };
    Ok(Number::Integer(sign * integer))
}

fn no_number(text: &str) -> String {
    format!("`{text}` is no number")
}

/// Reads `8`, `8,4` and `8,4,2`.
pub fn local_size(text: &str) -> Result<[u32; 3], String> {
    let wrong = || "a size is one to three numbers of at least 1, as 8,4,2".to_owned();
    let mut size = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > size.len() {
        return Err(wrong());
    }
    for (place, part) in size.iter_mut().zip(parts) {
        *place = part.trim().parse().ok().filter(|&size| size > 0).ok_or_else(wrong)?;
    }
    Ok(size)
}

/// The arguments in the order of the parameters.
pub(super) fn of(function: &Function, given: &[Given]) -> Result<Vec<Argument>, String> {
    let mut arguments: Vec<Argument> =
        function.parameters.iter().map(|_| Argument::Random { bytes: Launch::RANDOM_BYTES }).collect();
    for Given { name, value } in given {
        let parameters = function.parameters.iter();
        let is_meant = |name_of: Option<&str>| name_of == Some(name.as_str());
        let at = parameters
            .clone()
            .position(|it| it.passing != Passing::Result && is_meant(it.name.map(|name| name.as_str())));
        let Some(at) = at else {
            let names: Vec<String> =
                parameters.filter_map(|it| it.name).map(|name| format!("`{name}`")).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(format!("`{}` has no parameter `{name}`; it has {known}", function.key));
        };
        arguments[at] = value.clone();
    }
    Ok(arguments)
}

/// Why a launch is refused, in words.
pub(super) fn refused(function: &Function, refused: &Refused) -> String {
    match refused {
        Refused::Argument { parameter, why } => {
            let name = function.parameters.get(*parameter).and_then(|parameter| parameter.name);
            let name = name.map_or(String::new(), |name| name.to_string());
            format!("the argument for `{name}` of `{}` does not fit: {why}", function.key)
        }
        other => format!("cannot launch `{}`: {other}", function.key),
    }
}
