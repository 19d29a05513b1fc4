//! Settings of sources in small projects.

use std::fs;

use expect_test::expect;
use tempfile::TempDir;

use super::*;
use crate::levels::{Level, parse_level};
use tangle_diagnostic::Severity;

/// Creates a folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn reading(folder: &TempDir, file: &str, given: &UserSettings) -> SourceSettings {
    let mut troubles = Vec::new();
    let reading = Project::default().reading(Some(&folder.path().join(file)), given, &mut troubles);
    assert_eq!(troubles, []);
    reading
}

/// The names of the defined and undefined macros, in order.
fn macros(reading: &SourceSettings) -> Vec<&str> {
    let macros = reading.build().macros.iter();
    macros
        .map(|option| match option {
            MacroOption::Define(text) | MacroOption::Undefine(text) => &**text,
        })
        .collect()
}

fn names(folder: &TempDir, paths: &[PathBuf]) -> Vec<String> {
    let root = folder.path();
    paths.iter().map(|path| path.strip_prefix(root).unwrap_or(path).to_str().unwrap().to_owned()).collect()
}

const COMMANDS: &str = r#"[{ "directory": "src", "file": "k.cl",
    "arguments": ["clang", "-x", "cl", "-iquote", "quote", "-isystem", "sys", "-I", "inc", "-DBUILD", "-include", "build.h"] }]"#;

#[test]
fn higher_priority_is_searched_first_and_defined_last() {
    let config =
        "include = ['inc']\ndefine = ['CONFIG']\nundefine = ['UNDEFINED']\ninclude-files = ['config.h']\n";
    let folder = folder(&[("compile_commands.json", COMMANDS), ("tangle.toml", config), ("config.h", "")]);
    let given = UserSettings {
        include_dirs: vec!["mine".into()],
        macros: vec![MacroOption::Define("GIVEN".into())],
        include_files: vec!["given.h".into()],
        ..UserSettings::default()
    };
    let found = reading(&folder, "src/k.cl", &given);
    assert_eq!(macros(&found), ["BUILD", "CONFIG", "UNDEFINED", "GIVEN"]);
    assert_eq!(names(&folder, &found.build().quote_dirs), ["src/quote"]);
    assert_eq!(names(&folder, &found.build().include_dirs), ["mine", "inc", "src/inc", "src/sys"]);
    assert_eq!(names(&folder, &found.build().include_files), ["src/build.h", "config.h", "given.h"]);
    // A source without a compile command keeps the other settings.
    let other = reading(&folder, "src/other.cl", &given);
    assert_eq!(macros(&other), ["CONFIG", "UNDEFINED", "GIVEN"]);
    assert_eq!(names(&folder, &other.build().include_dirs), ["mine", "inc"]);
}

#[test]
fn source_is_read_once_per_matching_build() {
    let config = "define = ['ALL']\nprelude = ['lib/a.cl', 'lib/b.cl']\n
        [[builds]]\nname = 'one'\nfiles = ['src/*.cl']\ndefine = ['N=1']\nundefine = ['ALL']\nprelude = ['one.cl']\n
        [[builds]]\nname = 'two'\ndefines = ['N=2']\n";
    let folder = folder(&[("tangle.toml", config), ("lib/a.cl", ""), ("lib/b.cl", ""), ("one.cl", "")]);
    let given = UserSettings { macros: vec![MacroOption::Define("GIVEN".into())], ..UserSettings::default() };
    let of = |file: &str| -> Vec<String> {
        let builds = reading(&folder, file, &given).builds.into_iter();
        let shown = builds.map(|Named { name, build }| {
            let macros = build.macros.iter().map(|option| match option {
                MacroOption::Define(text) => format!("+{text}"),
                MacroOption::Undefine(text) => format!("-{text}"),
            });
            let files = names(&folder, &build.include_files).join(" ");
            format!("{}: {} {files}", name.unwrap_or_default(), macros.collect::<String>())
        });
        shown.collect()
    };
    assert_eq!(
        of("src/k.cl"),
        ["one: +ALL+N=1-ALL+GIVEN lib/a.cl lib/b.cl one.cl", "two: +ALL+N=2+GIVEN lib/a.cl lib/b.cl"]
    );
    // A prelude file is read after the prelude files before it, and not after itself.
    assert_eq!(of("lib/b.cl"), ["two: +ALL+N=2+GIVEN lib/a.cl"]);
    assert_eq!(of("one.cl"), ["two: +ALL+N=2+GIVEN lib/a.cl lib/b.cl"]);
}

#[test]
fn nearest_settings_take_precedence() {
    let commands = |name: &str| COMMANDS.replace("BUILD", name);
    let folder = folder(&[
        ("tangle.toml", "define = ['TOP']"),
        ("compile_commands.json", &commands("ABOVE")),
        ("near/tangle.toml", "define = ['NEAR']"),
        ("near/build/compile_commands.json", &commands("BESIDE").replace("src", "..")),
    ]);
    let none = UserSettings::default();
    let mut project = Project::default();
    let mut troubles = Vec::new();
    let mut of = |file: &str| {
        let found = project.reading(Some(&folder.path().join(file)), &none, &mut troubles);
        macros(&found).join(" ")
    };
    assert_eq!(of("near/deep/below/x.cl"), "NEAR");
    assert_eq!(of("near/k.cl"), "BESIDE NEAR");
    assert_eq!(of("near/../src/./k.cl"), "ABOVE TOP", "for any path to the source");
    assert_eq!(of("elsewhere/k.cl"), "TOP");
    assert_eq!(troubles, []);
}

#[test]
fn named_settings_replace_the_nearest() {
    let folder = folder(&[
        ("tangle.toml", "define = ['TOP']\ncompile-commands = 'release'"),
        ("compile_commands.json", &COMMANDS.replace("BUILD", "NEAREST")),
        ("release/compile_commands.json", &COMMANDS.replace("BUILD", "RELEASE").replace("src", "../src")),
        ("debug/compile_commands.json", &COMMANDS.replace("BUILD", "DEBUG").replace("src", "../src")),
        ("mine.toml", "define = ['MINE']"),
    ]);
    let config = Some(folder.path().join("mine.toml"));
    let compile_commands = Some(folder.path().join("debug"));
    let of = |given: &UserSettings| macros(&reading(&folder, "src/k.cl", given)).join(" ");
    assert_eq!(of(&UserSettings::default()), "RELEASE TOP");
    assert_eq!(
        of(&UserSettings { compile_commands: compile_commands.clone(), ..UserSettings::default() }),
        "DEBUG TOP"
    );
    assert_eq!(of(&UserSettings { config: config.clone(), ..UserSettings::default() }), "NEAREST MINE");
    assert_eq!(of(&UserSettings { config, compile_commands, ..UserSettings::default() }), "DEBUG MINE");
}

#[test]
fn config_version_overrides_version_of_the_build() {
    let commands = COMMANDS.replace("\"cl\"", "\"cl\", \"-cl-std=CL1.2\"");
    let folder = folder(&[("compile_commands.json", &commands), ("tangle.toml", "[opencl]\nstd = 'CL3.1'")]);
    let found = reading(&folder, "src/k.cl", &UserSettings::default());
    let macros = macros(&found);
    let version = macros.iter().rfind(|it| it.contains("__OPENCL_C_VERSION__"));
    assert_eq!(version.map(|it| &**it), Some("__OPENCL_C_VERSION__=310"), "{macros:?}");
}

#[test]
fn language_follows_precedence_of_settings() {
    let cuda = COMMANDS.replace("\"cl\"", "\"cuda\"");
    let folder = folder(&[("compile_commands.json", &cuda), ("hip/tangle.toml", "dialect = 'hip'")]);
    let language = |file: &str, dialect| {
        reading(&folder, file, &UserSettings { dialect, ..UserSettings::default() }).build().language
    };
    assert_eq!(language("src/k.cl", None), Language::Cuda);
    assert_eq!(language("src/k.cl", Some(Dialect::Auto)), Language::Cuda);
    assert_eq!(language("src/k.cl", Some(Dialect::Opencl)), Language::Opencl);
    assert_eq!(language("src/other.cl", None), Language::Opencl);
    assert_eq!(language("src/other.cu", None), Language::Cuda);
    assert_eq!(language("hip/k.cl", None), Language::Hip);
    assert_eq!(language("hip/k.cl", Some(Dialect::Auto)), Language::Opencl, "the user's settings win");
}

#[test]
fn given_levels_override_levels_of_config() {
    let folder = folder(&[(
        "tangle.toml",
        "fail-on = 'error'\n[rules]\nunknown-name = 'off'\nunknown-type = 'off'\n",
    )]);
    let rules = [parse_level("unknown-name=error").unwrap()].into();
    let given = UserSettings { rules, ..UserSettings::default() };
    let levels = reading(&folder, "k.cl", &given).levels;
    assert_eq!(levels.get("unknown-name"), Some(Level::As(Severity::Error)));
    assert_eq!(levels.get("unknown-type"), Some(Level::Off));
    let fail_on = |given: &UserSettings| Project::default().fail_on(folder.path(), given, &mut Vec::new());
    assert_eq!(fail_on(&given), FailOn::Least(Severity::Error));
    assert_eq!(fail_on(&UserSettings { fail_on: Some(FailOn::Never), ..given }), FailOn::Never);
}

#[test]
fn invalid_settings_are_reported_once_and_skipped() {
    let folder = folder(&[("tangle.toml", "inclde = []"), ("compile_commands.json", "[\n  {]")]);
    let (mut project, mut troubles) = (Project::default(), Vec::new());
    for file in ["a.cl", "b.cl", "c/d.cl"] {
        let found = project.reading(Some(&folder.path().join(file)), &UserSettings::default(), &mut troubles);
        assert_eq!(found, SourceSettings::default());
    }
    let reported: Vec<String> = troubles
        .iter()
        .map(|trouble| trouble.to_string().replace(folder.path().to_str().unwrap(), "DIR"))
        .collect();
    expect![[r#"
        DIR/tangle.toml:1:1: unknown key `inclde`; did you mean `include`?
        DIR/compile_commands.json:2:4: invalid JSON: key must be a string"#]]
    .assert_eq(&reported.join("\n"));
}

#[test]
fn folder_or_non_utf8_settings_file_is_reported() {
    let folder =
        folder(&[("dir/compile_commands.json/x", ""), ("dir/tangle.toml/x", ""), ("latin/k.cl", "")]);
    fs::write(folder.path().join("latin/tangle.toml"), b"define = []\n# caf\xE9").unwrap();
    fs::write(folder.path().join("latin/compile_commands.json"), b"[\xFF]").unwrap();
    let reported = |file: &str, given: &UserSettings| {
        let mut troubles = Vec::new();
        Project::default().reading(Some(&folder.path().join(file)), given, &mut troubles);
        let reported: Vec<String> = troubles.iter().map(ToString::to_string).collect();
        reported.join("\n").replace(folder.path().to_str().unwrap(), "DIR")
    };
    // A folder with the name of a settings file is skipped in a search, and is an error if it is named.
    expect![""].assert_eq(&reported("dir/k.cl", &UserSettings::default()));
    let named = UserSettings {
        config: Some(folder.path().join("dir/tangle.toml")),
        compile_commands: Some(folder.path().join("dir")),
        ..UserSettings::default()
    };
    expect![[r#"
        DIR/dir/tangle.toml: Is a directory
        DIR/dir/compile_commands.json: Is a directory"#]]
    .assert_eq(&reported("k.cl", &named));
    let gone = UserSettings { compile_commands: Some("/nowhere".into()), ..UserSettings::default() };
    expect!["/nowhere/compile_commands.json: No such file or directory"].assert_eq(&reported("k.cl", &gone));
    expect![[r#"
        DIR/latin/tangle.toml:2:6: not valid UTF-8
        DIR/latin/compile_commands.json:1:2: not valid UTF-8"#]]
    .assert_eq(&reported("latin/k.cl", &UserSettings::default()));
}

#[test]
fn source_without_path_has_default_settings() {
    // Tests run in the folder of the package, which contains no settings.
    assert_eq!(
        Project::default().reading(None, &UserSettings::default(), &mut Vec::new()),
        SourceSettings::default()
    );
}
