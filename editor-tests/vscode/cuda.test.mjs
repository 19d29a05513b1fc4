// CUDA in VS Code: device code is analysed like OpenCL kernels, and host code is left to clangd; without and with
// clangd.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { clangd, Host, kernel, packed } from "./host.mjs";

/** The files that clangd needs to parse the source. */
const sdk = { "sdk/cuda_runtime.h": kernel("sdk/cuda_runtime.h"), "compile_flags.txt": "-xcuda\n-nocudainc\n-nocudalib\n-isystem\nsdk\n" };
const reduce = { "reduce.cu": kernel("reduce.cu"), ...sdk };
/** The line where host code begins. */
const HOST = kernel("reduce.cu").split("\n").indexOf("int main() {") + 1;

/** The words in host code that have special semantic tokens. */
const inHost = (emphasized) => emphasized.filter((word) => Number(word.split(" ")[1]) >= HOST);

/** A time limit in milliseconds for results that must not appear: results take less than two seconds elsewhere. */
const PATIENCE = 6_000;

async function tall(window) {
  await window.page.setViewportSize({ width: 1120, height: 900 });
}

describe("alone", () => {
  let host;
  before(async () => { host = await Host.start({ vsix: packed }); });
  after(async () => { await host?.stop(); });

  test("a barrier in a divergent branch of CUDA is marked, explained and suppressed", async () => {
    await host.inWindow("cuda", reduce, {}, async (window) => {
      await tall(window);
      await window.expectStatus("check");
      await window.expectColors("__global__");
      await window.expectSquiggles(["error 19"]);
      await window.expectProblems("1 0");
      await window.expectHint(17, /divergent/);
      await window.hover(19, "__syncthreads", /convergent operation[^]*T\d takes part[^]*i < half/);
      await window.shot("cuda");
      await window.leaveHover();
      await window.goTo(19, 8);
      await window.openQuickFixes();
      await window.takeQuickFix(/^Suppress/);
      await window.expectMarked([]);
      await window.page.keyboard.press("Control+z");
      await window.expectMarked(["19"]);
    });
  });

  test("host code has no findings and no semantic highlighting", async () => {
    await host.inWindow("cuda-host", reduce, {}, async (window) => {
      await tall(window);
      await window.expectSquiggles(["error 19"]);
      await window.until("divergent and convergent names in device code", async () => {
        const seen = await window.emphasized();
        return { holds: ["bold 10 reduce", "italic 12 i", "bold 19 __syncthreads"].every((word) => seen.includes(word)), seen };
      });
      assert.deepEqual(inHost(await window.emphasized()), []);
      await assert.rejects(window.hover(29, "CHECK", /./, PATIENCE), /a hover over `CHECK`/);
      // An error in host code is not reported; the same error in device code is.
      await window.rewriteLine(33, "  return = host;");
      await window.rewriteLine(22, "  return = part;");
      await window.expectProblems("2 0");
    });
  });

  for (const [name, language, text] of [
    ["block.cuh", "CUDA C++", "__device__ void all(int *p) {\n  if (threadIdx.x < 8) __syncthreads();\n}\n"],
    ["block.hip", "HIP", "__global__ void all(int *p) {\n  if (threadIdx.x < 8) __syncthreads();\n}\n"],
  ]) {
    test(`a file that is ${name} is read as ${language}`, async () => {
      await host.inWindow(name, { [name]: text }, {}, async (window) => {
        await window.expectSquiggles(["error 2"]);
        assert.equal((await window.language()).trim(), language);
      });
    });
  }

  for (const [what, name, pattern] of [
    ["a header that VS Code takes for C++", "block.h", "**/kernels/*.h"],
    ["a file of HIP, for which clangd's own extension does not ask it,", "block.hip", "*.hip"],
  ]) {
    test(`${what} can be assigned the language CUDA`, async () => {
      const text = "#pragma once\n__device__ inline void all(int *p) {\n  if (threadIdx.x < 8) __syncthreads();\n}\n";
      await host.inWindow(`associated-${name}`, { [name]: text }, { "files.associations": { [pattern]: "cuda-cpp" } }, async (window) => {
        await window.expectSquiggles(["error 3"]);
        assert.equal((await window.language()).trim(), "CUDA C++");
      });
    });
  }
});

describe("beside clangd", () => {
  let host;
  before(async () => { host = await Host.start({ vsix: [packed, clangd] }); });
  after(async () => { await host?.stop(); });

  const broken = { ...reduce, "reduce.cu": reduce["reduce.cu"].replace("return host.empty();", "return host.none();") };

  test("clangd reports host errors and tangle thread errors, each once", async () => {
    await host.inWindow("beside-clangd", broken, {}, async (window) => {
      await tall(window);
      await window.expectSquiggles(["error 19", "error 33"]);
      await window.expectProblems("2 0");
      // Both servers provide a hover on a barrier, with different contents.
      const { seen } = await window.hover(19, "__syncthreads", /is a convergent operation[^]*function __syncthreads|function __syncthreads[^]*is a convergent operation/);
      assert.equal(seen.match(/not all threads reach this/g)?.length, 1, seen);
      await window.shot("beside-clangd");
      await window.leaveHover();
      const mistake = await window.hover(33, "none", /No member named 'none'/);
      assert.doesNotMatch(mistake.seen, /[Tt]angle/);
      await window.leaveHover();
      assert.deepEqual(inHost(await window.emphasized()), []);
      // A name that both servers know is offered once in host code.
      await window.rewriteLine(31, "  redu");
      await window.page.keyboard.press("Control+Space");
      const offered = window.page.locator(".suggest-widget .monaco-list-row .label-name");
      await window.until("the kernel once in the list of completions", async () => {
        const seen = await offered.allTextContents();
        return { holds: seen.filter((name) => /^\W*reduce\b/.test(name)).length === 1, seen };
      });
      await window.shot("beside-completion");
    });
  });
});
