// A kernel to try things on: what it does wrong is what the extension is for.

import * as vscode from "vscode";

const TEXT = `// Who takes part in this barrier? Hover it, then show the flow graph.
kernel void sum(global float *data, local float *scratch, int n) {
  int i = get_local_id(0);
  if (i >= n)
    goto done;            // some threads jump over the work ...
  scratch[i] = data[i];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= step)
      scratch[i] += scratch[i - step];
  }
done:
  barrier(CLK_LOCAL_MEM_FENCE);  // ... and meet the others here, or not: that is up to the compiler
  if (i == 0)
    data[0] = scratch[n - 1];
}
`;

export async function openExample(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "opencl", content: TEXT });
  await vscode.window.showTextDocument(document);
}
