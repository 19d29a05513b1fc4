// The text of the status bar item for each state of the server.

export type Health =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly server: string; readonly version: string | undefined }
  | { readonly kind: "stopped" }
  | { readonly kind: "failed"; readonly reason: string };

export interface Shown {
  readonly text: string;
  readonly tooltip: string;
  readonly alarming: boolean;
}

export function describe(health: Health): Shown {
  switch (health.kind) {
    case "starting":
      return { text: "$(sync~spin) Tangle", tooltip: "The Tangle server is starting", alarming: false };
    case "running": {
      const version = health.version === undefined ? "" : ` ${health.version}`;
      return { text: "$(check) Tangle", tooltip: `Tangle server${version} is running\n${health.server}`, alarming: false };
    }
    case "stopped":
      return { text: "$(circle-slash) Tangle", tooltip: "The Tangle server is stopped", alarming: false };
    case "failed":
      return { text: "$(error) Tangle", tooltip: health.reason, alarming: true };
  }
}
