//! Generates the parsers from `src/kernel.lalrpop` and `src/cpp.lalrpop`.

fn main() {
    lalrpop::Configuration::new()
        .emit_rerun_directives(true)
        .use_cargo_dir_conventions()
        .process()
        .expect("the grammars must be free of conflicts");
}
