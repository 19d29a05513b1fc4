//! Converts the tables of builtins from TOML, which people write, to JSON, which is read eight times as fast. The tables
//! of the language are read at each start of the program.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folders with tables, besides which each has other texts.
const FOLDERS: [&str; 4] = ["cuda", "gpu", "hip", "opencl"];

fn main() {
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the output folder"));
    for folder in FOLDERS {
        let from = Path::new("dialect").join(folder);
        println!("cargo::rerun-if-changed={}", from.display());
        fs::create_dir_all(output.join(folder)).expect("the output folder is writable");
        for entry in fs::read_dir(&from).expect("the folder of tables is readable") {
            let path = entry.expect("the folder of tables is readable").path();
            // The table of the language has places in its errors, so it is read as TOML.
            if path.extension().is_none_or(|extension| extension != "toml") || path.ends_with("language.toml")
            {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a table is readable");
            let table: toml::Table = toml::from_str(&text)
                .unwrap_or_else(|error| panic!("error in the table {}: {error}", path.display()));
            let json = serde_json::to_string(&table).expect("a table of TOML is valid JSON");
            let name = path.with_extension("json");
            let name = name.strip_prefix("dialect").expect("tables are in this folder");
            fs::write(output.join(name), json).expect("the output folder is writable");
        }
    }
}
