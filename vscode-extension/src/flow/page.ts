// The page of the flow graph: nothing in it but our own script and style.

export interface Parts {
  /** The webview's own source, for the content security policy. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
}

export function page({ source, script, style }: Parts): string {
  // The picture's own styles are set through the CSSOM, so that no inline style is allowed, and no inline script.
  const policy = ["default-src 'none'", `script-src ${source}`, `style-src ${source}`].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Flow graph</title>
</head>
<body>
<div id="tools" role="toolbar" aria-label="Zoom">
<button id="smaller" title="Smaller (Ctrl and wheel)" aria-label="Smaller">−</button>
<button id="larger" title="Larger (Ctrl and wheel)" aria-label="Larger">+</button>
<button id="fit" title="As wide as the panel" aria-label="As wide as the panel">↔</button>
</div>
<p id="notice" role="status"></p>
<main id="graph"></main>
<script src="${script}"></script>
</body>
</html>
`;
}
