//! Changed texts are read or rejected with the location of the error: no panic, and in bounded time.
//!
//! A change deletes, repeats, exchanges or replaces words, deletes a line, or cuts the text. A function that is still
//! read is verified and printed.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tangle_ir::flow::verify::verify;
use tangle_ir::text;

/// The longest time that reading one text may take, in a build without optimization.
const LIMIT: Duration = Duration::from_secs(10);

const SOURCE: &str = "\
struct pair { int first; float second[3]; char3 third; };
constant int table[4] = {1, 2, 3, 4};
static struct pair make(int n) { struct pair made = {n, {1.0f, 2.0f, n}, (char3)(1, 2, 3)}; return made; }
kernel void k(global int *out, global const float4 *in, local uint *part, struct pair by_value, ulong n, uchar c) {
  size_t i = get_global_id(0);
  struct pair made = make((int)n);
  for (uint j = 0; j < n; j++) {
    switch (part[j] % 5) {
    case 0: part[j] += table[j & 3]; break;
    case 1: barrier(CLK_LOCAL_MEM_FENCE); break;
    case 2: made.second[j % 3] += convert_float4(convert_uchar4(in[j])).y; break;
    default: atomic_add(out, c); continue;
    }
    if (all(in[i] > 0) || any(isless(in[j], in[i]))) out[j] = select(made.first, (int)popcount(part[j]), in[i].x > 1);
  }
  out[i] = clamp((int)made.second[2], by_value.first, (int)(n >> 3)) + made.third.z;
}
";

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Returns texts that are read: the samples, and the output of clang, if it is installed.
fn texts(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/diff");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ll"));
    paths.sort();
    let mut texts: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(texts.len() >= 10, "{}", texts.len());
    if let Some(clang) = tangle_referees::clang() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join("k.cl");
        fs::write(&source, SOURCE).unwrap();
        for target in ["amdgcn-amd-amdhsa", "nvptx64-nvidia-cuda", "spir64-unknown-unknown"] {
            for level in ["-O0", "-O2"] {
                let mut command = Command::new(&clang);
                command.args([
                    "-x",
                    "cl",
                    "-cl-std=CL2.0",
                    "-Xclang",
                    "-finclude-default-header",
                    "-nogpulib",
                ]);
                command.args(["-g", "-S", "-emit-llvm", level, "-target", target, "-o", "-"]).arg(&source);
                let output = command.output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                texts.push(String::from_utf8(output.stdout).unwrap());
            }
        }
    }
    texts
}

/// Returns the words of a text, and its other characters.
fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "%@!#._$-\"".contains(c);
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}

fn changed(text: &str, random: &mut Random) -> String {
    const OTHERS: [&str; 12] =
        ["(", "[", "{", "<", "}", "\"", "i7", "i999", "0", "-1", "[9999999999 x ", "é"];
    let mut words = words(text);
    for _ in 0..=random.below(3) {
        if words.is_empty() {
            break;
        }
        let at = random.below(words.len());
        let other = random.below(words.len());
        match random.below(7) {
            0 => _ = words.remove(at),
            1 => words.insert(at, words[other]),
            2 => words.swap(at, other),
            3 => words[at] = words[other],
            4 => words[at] = OTHERS[random.below(OTHERS.len())],
            5 if random.below(8) == 0 => words.truncate(at),
            _ => {
                // A whole line.
                let start = words[..at].iter().rposition(|word| *word == "\n").map_or(0, |start| start + 1);
                let end =
                    words[at..].iter().position(|word| *word == "\n").map_or(words.len(), |end| at + end);
                words.drain(start..end);
            }
        }
    }
    words.concat()
}

#[test]
fn unchanged_texts_are_read() {
    for text in texts("unchanged") {
        let module =
            tangle_llvm::read("k.ll", &text, &|_| true).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(!module.functions.is_empty());
    }
}

#[test]
fn changed_texts_are_read_or_rejected() {
    let texts = texts("changed");
    let count = if tangle_referees::is_thorough() { 20_000 } else { 2_000 };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut rejected, mut longest) = (0, Duration::ZERO);
    for number in 0..count {
        let text = changed(&texts[number % texts.len()], &mut random);
        let start = Instant::now();
        match tangle_llvm::read("k.ll", &text, &|_| true) {
            Ok(module) => {
                module.functions.iter().for_each(|function| _ = verify(function));
                _ = text::print_module(&module);
            }
            Err(error) => {
                rejected += 1;
                assert!(error.line <= text.lines().count() + 1, "{error}\n{text}");
            }
        }
        longest = longest.max(start.elapsed());
        assert!(longest < LIMIT, "{longest:?} for\n{text}");
    }
    println!("{rejected} of {count} texts rejected; the longest took {longest:?}");
    // Most changes are errors, and some are not.
    assert!((count / 4..count * 39 / 40).contains(&rejected), "{rejected}");
}

/// Structures whose size grows exponentially with the text, and deep nesting.
#[test]
fn sizes_and_depths_are_limited() {
    let mut types = "%t0 = type { i32, i32 }\n".to_owned();
    for number in 1..200 {
        types += &format!("%t{number} = type {{ %t{0}, %t{0} }}\n", number - 1);
    }
    let body = |text: &str| {
        format!(
            "{types}@g = global %t199 zeroinitializer\ndefine void @k(ptr %p) {{\n{text}\n  ret void\n}}\n"
        )
    };
    let rejected = |text: &str| tangle_llvm::read("k.ll", text, &|_| true).unwrap_err().to_string();
    assert!(rejected(&body("  %x = load %t199, ptr %p")).ends_with("is too large"));
    assert!(rejected(&body("  %x = alloca %t199")).ends_with("is too large"));
    let address = body("  %x = getelementptr %t199, ptr %p, i64 1");
    assert!(tangle_llvm::read("k.ll", &address, &|_| true).is_ok());
    let own = "%t = type { %t, i32 }\ndefine void @k(ptr %p) {\n  %x = load %t, ptr %p\n  ret void\n}\n";
    assert!(rejected(own).ends_with("is too large"));
    for (open, close) in [("[1 x ", "]"), ("{ ", " }"), ("<{ ", " }>")] {
        let deep = format!("%t = type {}i32{}\n", open.repeat(100_000), close.repeat(100_000));
        assert!(rejected(&deep).ends_with("nested too deeply"), "{open}");
    }
    let deep = format!("@g = global i32 {}0", "add (i32 ".repeat(100_000));
    assert!(rejected(&deep).ends_with("nested too deeply"));
}
