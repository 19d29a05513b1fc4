// The page of the flow graph. It contains only our own script and style.

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
<button id="smaller" title="Zoom out (Ctrl and mouse wheel)" aria-label="Zoom out">−</button>
<button id="larger" title="Zoom in (Ctrl and mouse wheel)" aria-label="Zoom in">+</button>
<button id="fit" title="Fit the width of the panel" aria-label="Fit the width of the panel">↔</button>
</div>
<p id="notice" role="status"></p>
<main id="graph"></main>
<script src="${script}"></script>
</body>
</html>
`;
}
