//! The JSON schema of `tangle.toml`, as a tree of keys.
//!
//! A schema refers to others (`$ref`, `allOf`) and lists alternatives (`anyOf`, `oneOf`). [`Schema`] is the union of all
//! that hold for a key.

use std::sync::LazyLock;

use serde_json::Value;
use tangle_project::tangle_toml;

/// The maximum number of references from one schema to the next.
const DEEPEST: usize = 8;

static SETTINGS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(tangle_toml::SCHEMA).unwrap_or_default());

/// The schemas of a value.
pub struct Schema {
    all: Vec<&'static Value>,
}

/// A key, table or value that can be inserted.
pub struct Choice {
    /// Its label.
    pub name: String,
    pub text: String,
    /// The text with places for values, if it has any.
    pub snippet: Option<String>,
    pub description: Option<String>,
    pub is_value: bool,
}

impl Choice {
    /// Returns a table with its header: `[rules]`, `[[builds]]`.
    pub fn with_header(self) -> Choice {
        let header = self.text.trim_end().to_owned();
        Choice { name: header.clone(), text: header, ..self }
    }
}

impl Schema {
    /// The schema of the whole file.
    pub fn settings() -> Schema {
        Schema::of(&SETTINGS)
    }

    fn of(schema: &'static Value) -> Schema {
        let mut all = Vec::new();
        collect(schema, DEEPEST, &mut all);
        Schema { all }
    }

    /// Returns the schema of a path.
    pub fn at(&self, path: &[String]) -> Option<Schema> {
        let Some((key, rest)) = path.split_first() else { return Some(Schema { all: self.all.clone() }) };
        let of_table = |schema: &&'static Value| schema["properties"].get(key);
        // A key of an array is one of its elements.
        let elements = self.elements();
        let found = self.all.iter().chain(&elements.all).find_map(of_table)?;
        Schema::of(found).at(rest)
    }

    /// The schema of the elements of an array.
    fn elements(&self) -> Schema {
        let mut all = Vec::new();
        for items in self.all.iter().filter_map(|schema| schema.get("items")) {
            collect(items, DEEPEST, &mut all);
        }
        Schema { all }
    }

    fn properties(&self) -> impl Iterator<Item = (&'static String, &'static Value)> + '_ {
        let elements = self.elements();
        let own = self.all.iter().copied().chain(elements.all);
        own.collect::<Vec<_>>().into_iter().filter_map(|schema| schema["properties"].as_object()).flatten()
    }

    /// Returns the keys of a table, or of a table in an array.
    pub fn keys(&self) -> Vec<Choice> {
        let key = |(name, schema): (&String, &'static Value)| {
            let of = Schema::of(schema);
            Choice {
                name: name.clone(),
                text: format!("{name} = "),
                snippet: Some(format!("{name} = {}", of.snippet())),
                description: of.description(),
                is_value: false,
            }
        };
        self.properties().map(key).collect()
    }

    /// Returns the tables of the file, or its lists of tables.
    pub fn tables(&self, list: bool) -> Vec<Choice> {
        let is_table = |of: &Schema| of.all.iter().any(|schema| schema.get("properties").is_some());
        let table = |(name, schema): (&String, &'static Value)| {
            let of = Schema::of(schema);
            if !(if list { is_table(&of.elements()) } else { is_table(&of) }) {
                return None;
            }
            let (open, close) = if list { ("[[", "]]") } else { ("[", "]") };
            Some(Choice {
                name: name.clone(),
                text: format!("{open}{name}{close}"),
                snippet: None,
                description: of.description(),
                is_value: false,
            })
        };
        self.properties().filter_map(table).collect()
    }

    /// Returns the values with a name. `is_quoted`: the quotes of a string are already written.
    pub fn values(&self, is_quoted: bool) -> Vec<Choice> {
        let elements = self.elements();
        let mut found: Vec<Choice> = Vec::new();
        let mut add = |value: &Value, description: Option<&Value>| {
            let (name, text) = match value {
                Value::String(name) if is_quoted => (name.clone(), name.clone()),
                Value::String(name) => (name.clone(), format!("\"{name}\"")),
                Value::Bool(value) if !is_quoted => (value.to_string(), value.to_string()),
                _ => return,
            };
            if !found.iter().any(|known| known.name == name) {
                let description = description.and_then(Value::as_str).map(str::to_owned);
                found.push(Choice { name, text, snippet: None, description, is_value: true });
            }
        };
        for schema in self.all.iter().chain(&elements.all) {
            schema["enum"].as_array().into_iter().flatten().for_each(|value| add(value, None));
            if let Some(value) = schema.get("const") {
                add(value, schema.get("description"));
            }
            if has_type(schema, "boolean") {
                [true, false].iter().for_each(|&value| add(&Value::Bool(value), None));
            }
        }
        found
    }

    /// Returns a place for a value, with the quotes or brackets that it needs.
    fn snippet(&self) -> &'static str {
        let has = |name| self.all.iter().any(|schema| has_type(schema, name));
        let elements = self.elements();
        let of_strings = elements.all.iter().any(|schema| has_type(schema, "string"));
        match () {
            () if has("array") && of_strings => "[\"$1\"]$0",
            () if has("boolean") => "${1|true,false|}$0",
            () if has("string") => "\"$1\"$0",
            () if has("array") => "[$1]$0",
            () if has("object") => "{ $1 }$0",
            () => "$1",
        }
    }

    /// Describes a key: its description, the named values, and the default.
    pub fn description(&self) -> Option<String> {
        let text = |name: &str| self.all.iter().find_map(|schema| schema.get(name));
        let mut parts: Vec<String> = Vec::new();
        parts.extend(text("description").and_then(Value::as_str).map(str::to_owned));
        let values: Vec<String> =
            self.values(false).iter().map(|choice| format!("`{}`", choice.text)).collect();
        if !values.is_empty() {
            parts.push(format!("Values: {}.", values.join(", ")));
        }
        let is_set =
            |value: &&Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
        parts.extend(text("default").filter(is_set).map(|value| format!("Default: `{value}`.")));
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

fn has_type(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(own) => own == name,
        Value::Array(all) => all.iter().any(|own| own == name),
        _ => false,
    }
}

/// Adds a schema, and the schemas that it refers to.
fn collect(schema: &'static Value, depth: usize, all: &mut Vec<&'static Value>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    all.push(schema);
    let reference = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
    if let Some(target) = reference.and_then(|pointer| SETTINGS.pointer(pointer)) {
        collect(target, depth, all);
    }
    for list in ["allOf", "anyOf", "oneOf"] {
        schema[list].as_array().into_iter().flatten().for_each(|part| collect(part, depth, all));
    }
}
