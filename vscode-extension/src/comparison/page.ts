// The page of a comparison. It contains only our own script and styles.

import type { Parts } from "../threads/page";

export function page({ nonce, script, styles }: Parts): string {
  const policy = ["default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src 'nonce-${nonce}'`].join("; ");
  const links = styles.map((style) => `<link rel="stylesheet" nonce="${nonce}" href="${style}">`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${links.join("\n")}
<title>Comparison</title>
</head>
<body>
<div id="stale" role="status" hidden>
<p>The text has changed since this comparison.</p>
<button id="again">compare again</button>
</div>
<pre id="summary"></pre>
<main id="execution">
<section id="old" class="version" aria-label="Saved version"></section>
<section id="new" class="version" aria-label="Text in the editor"></section>
</main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
