// The example kernel: its barrier after a divergent `goto` gives a finding.

import * as vscode from "vscode";

const TEXT = `// Which work-items take part in the last barrier? Hover over it, then show the flow graph.
kernel void sum(global float *data, local float *scratch, int n) {
  int i = get_local_id(0);
  if (i >= n)
    goto done;            // some work-items skip the loop ...
  scratch[i] = data[i];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= step)
      scratch[i] += scratch[i - step];
  }
done:
  barrier(CLK_LOCAL_MEM_FENCE);  // ... and reach this barrier: with the others or not, that is implementation-defined
  if (i == 0)
    data[0] = scratch[n - 1];
}
`;

export async function openExample(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: "opencl", content: TEXT });
  await vscode.window.showTextDocument(document);
}
