// The page of the thread table. It contains only our own script and styles.

export interface Parts {
  /** A number used once: only what carries it is run or applied. */
  readonly nonce: string;
  readonly script: string;
  readonly styles: readonly string[];
}

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
<title>Thread table</title>
</head>
<body>
<form id="launch" aria-label="Launch" autocomplete="off" hidden>
<div id="sizes"></div>
<div id="arguments"></div>
<p id="wrong" role="alert"></p>
</form>
<section id="confirmed" aria-label="Finding" hidden></section>
<p id="notice" role="status"></p>
<main id="execution"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
