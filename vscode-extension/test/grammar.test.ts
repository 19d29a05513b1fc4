// What the grammars make of kernels, with the engine that VS Code has. C's grammar is that of an npm package.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createOnigScanner, createOnigString, loadWASM } from "vscode-oniguruma";
import { INITIAL, parseRawGrammar, Registry } from "vscode-textmate";

const from = createRequire(join(process.cwd(), "package.json"));
const files: Record<string, string> = {
  "source.opencl": "syntaxes/opencl.tmLanguage.json",
  "source.hip": "syntaxes/hip.tmLanguage.json",
  "source.llvm.tangle": "syntaxes/llvm.tmLanguage.json",
  "source.c": from.resolve("tm-grammars/grammars/c.json"),
  // VS Code's grammar of CUDA is in no package; that of C++ stands in: HIP's own names are what is tested.
  "source.cuda-cpp": from.resolve("tm-grammars/grammars/cpp.json"),
};

const registry = new Registry({
  onigLib: loadWASM(readFileSync(from.resolve("vscode-oniguruma/release/onig.wasm"))).then(() => ({
    createOnigScanner,
    createOnigString,
  })),
  loadGrammar(scope) {
    const file = files[scope];
    return Promise.resolve(file === undefined ? null : parseRawGrammar(readFileSync(file, "utf8"), file));
  },
});

/** The innermost scope of a word of a text. */
async function scope(language: string, text: string, word: string): Promise<string | undefined> {
  const grammar = await registry.loadGrammar(language);
  assert.ok(grammar);
  let stack = INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    const token = tokens.find(({ startIndex, endIndex }) => line.slice(startIndex, endIndex).trim() === word);
    if (token) return token.scopes.at(-1);
  }
  return undefined;
}

const kernel = `__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void k(global const float4 *restrict in, __local uint *scratch, read_only image2d_t image, sampler_t s) {
  size_t i = get_local_id(0); // barrier(1) as a comment
  float x = in[i].xyz.s0 * native_exp(convert_float_rte(i)) + record.local;
  if (true) { barrier(CLK_LOCAL_MEM_FENCE); }
  vstore4(work_group_reduce_add(x), i, "kernel global"); int kernels; atomic_inc(scratch);
}`;

describe("OpenCL C", () => {
  const expected: [string, string][] = [
    ["kernel", "storage.modifier.kernel.opencl"],
    ["reqd_work_group_size", "storage.modifier.attribute.opencl"],
    ["global", "storage.modifier.address-space.opencl"],
    ["__local", "storage.modifier.address-space.opencl"],
    ["read_only", "storage.modifier.access.opencl"],
    ["float4", "storage.type.vector.opencl"],
    ["uint", "storage.type.built-in.opencl"],
    ["size_t", "storage.type.built-in.opencl"],
    ["image2d_t", "support.type.built-in.opencl"],
    ["sampler_t", "support.type.built-in.opencl"],
    ["get_local_id", "support.function.work-item.opencl"],
    ["xyz", "variable.other.member.swizzle.opencl"],
    ["s0", "variable.other.member.swizzle.opencl"],
    ["local", "variable.other.member.c"],
    ["native_exp", "support.function.math.opencl"],
    ["convert_float_rte", "support.function.conversion.opencl"],
    ["barrier", "support.function.convergent.opencl"],
    ["work_group_reduce_add", "support.function.convergent.opencl"],
    ["CLK_LOCAL_MEM_FENCE", "support.constant.opencl"],
    ["vstore4", "support.function.memory.opencl"],
    ["atomic_inc", "support.function.memory.opencl"],
    // C's own.
    ["if", "keyword.control.c"],
    ["void", "storage.type.built-in.primitive.c"],
    ["barrier(1) as a comment", "comment.line.double-slash.c"],
    ["kernel global", "string.quoted.double.c"],
  ];
  for (const [word, name] of expected) {
    it(`${word}: ${name}`, async () => {
      assert.equal(await scope("source.opencl", kernel, word), name);
    });
  }
  it("a word that only begins like a keyword is not a keyword", async () => {
    assert.doesNotMatch(await scope("source.opencl", "void f() { kernels = 1; }", "kernels = 1;") ?? "", /storage/);
  });
  it("every convergent function known to the analysis is highlighted", async () => {
    const table = readFileSync("../src/syntax/dialect/opencl/builtins.toml", "utf8");
    const entries = table.split("[[builtin]]").filter((entry) => /^convergent = true/m.test(entry));
    const names = entries.flatMap((entry) => [...entry.matchAll(/^name = "(\w+)"/gm)].map(([, name]) => name ?? ""));
    assert.ok(names.length > 20);
    // Names that begin with underscores are those of one compiler.
    for (const name of names.filter((name) => !name.startsWith("__"))) {
      const found = await scope("source.opencl", `void f() { ${name}(1); }`, name);
      assert.equal(found, "support.function.convergent.opencl", name);
    }
  });
});

describe("HIP", () => {
  const text = "__global__ void k(int *a) { __syncthreads(); hipError_t e = hipMalloc(&a, hipDeviceScheduleAuto); }";
  const expected: [string, string][] = [
    ["__syncthreads", "support.function.convergent.hip"],
    ["hipMalloc", "support.function.hip"],
    ["hipError_t", "support.type.hip"],
    ["hipDeviceScheduleAuto", "support.constant.hip"],
  ];
  for (const [word, name] of expected) {
    it(`${word}: ${name}`, async () => {
      assert.equal(await scope("source.hip", text, word), name);
    });
  }
});

describe("LLVM IR", () => {
  const text = `define protected amdgpu_kernel void @k(ptr addrspace(1) %a) #0 { ; comment
if.then:
  %t = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %u) ]
  %i = icmp slt i32 %x, -32`;
  const expected: [string, string][] = [
    ["define", "storage.modifier.llvm"],
    ["@k", "entity.name.function.llvm"],
    ["ptr", "storage.type.llvm"],
    ["if.then", "entity.name.label.llvm"],
    ["call", "keyword.control.llvm"],
    ["@llvm.experimental.convergence.loop", "support.function.convergent.llvm"],
    ["%t", "variable.other.llvm"],
    ["icmp", "keyword.operator.llvm"],
    ["-32", "constant.numeric.llvm"],
    ["; comment", "comment.line.semicolon.llvm"],
  ];
  for (const [word, name] of expected) {
    it(`${word}: ${name}`, async () => {
      assert.equal(await scope("source.llvm.tangle", text, word), name);
    });
  }
});
