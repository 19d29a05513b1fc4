// The languages that the server is asked about. `cuda-cpp` is VS Code's own name for CUDA.

import type { TextDocument } from "vscode";

const LANGUAGES = ["opencl", "cuda-cpp", "hip"];
/** Files, and what was not saved yet. A version in the source control is neither: its findings would be in the way. */
const SCHEMES = ["file", "untitled", "vscode-userdata", "vscode-vfs"];

/** Kernels, and the settings of a project. Without an extension for TOML, these have no language of their own. */
export const selector = [
  ...LANGUAGES.flatMap((language) => SCHEMES.map((scheme) => ({ scheme, language }))),
  { scheme: "file", pattern: "**/tangle.toml" },
];

export function isKernelFile(document: Pick<TextDocument, "languageId" | "uri">): boolean {
  return LANGUAGES.includes(document.languageId) && SCHEMES.includes(document.uri.scheme);
}
