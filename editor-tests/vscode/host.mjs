// VS Code as a web page: code-server with its own folders, and a headless browser.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { Window } from "./window.mjs";

const HERE = new URL("..", import.meta.url).pathname;
/** The packaged extension. */
export const packed = join(HERE, "../vscode-extension/tangle.vsix");
/** Another extension, which starts clangd. */
export const clangd = join(HERE, "clangd/clangd.vsix");
/** The folder for screenshots. */
const SHOTS = join(HERE, "out");
const CODE_SERVER = join(HERE, "node_modules/code-server/out/node/entry.js");

/** An upper bound for the start of a window, in milliseconds. */
const START = 120_000;

/**
 * Runs a command in its own process group. The whole group is killed when the standard input closes, so that no process
 * is left, however the tests end. The first argument is a folder to delete at the end.
 */
const GUARD = `folder=$1; shift; setsid "$@" & read -r _; exec >/dev/null 2>&1; kill -KILL -- "-$!"; wait; rm -rf "$folder"`;

/** The settings of every window: no animations, questions or update checks. */
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.editor.empty.hint": "hidden",
  "chat.commandCenter.enabled": false,
  "window.commandCenter": false,
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "editor.cursorBlinking": "solid",
  "editor.autoClosingBrackets": "never",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off",
  "update.showReleaseNotes": false,
  "files.autoSave": "off",
  "workbench.reduceMotion": "on",
  // Hovers appear below their text, so that screenshots show the text.
  "editor.hover.above": false,
};

export class Host {
  /** Starts VS Code with these extensions. */
  static async start({ vsix = [] }) {
    const host = new Host(mkdtempSync(join(tmpdir(), "tangle-vscode-")));
    try {
      await host.launch(vsix);
    } catch (error) {
      await host.stop();
      throw error;
    }
    return host;
  }

  constructor(folder) {
    this.folder = folder;
    this.log = "";
  }

  async launch(vsix) {
    const user = join(this.folder, "user");
    const options = ["--user-data-dir", user, "--extensions-dir", join(this.folder, "extensions")];
    // Separate configuration folders, independent of the user's own configuration.
    const env = { ...process.env, XDG_CONFIG_HOME: join(this.folder, "config"), XDG_DATA_HOME: join(this.folder, "data"),
      XDG_CACHE_HOME: join(this.folder, "cache") };
    delete env.VSCODE_IPC_HOOK_CLI;
    mkdirSync(join(user, "User"), { recursive: true });
    writeFileSync(join(user, "User/settings.json"), JSON.stringify(SETTINGS));
    for (const file of [vsix].flat()) {
      execFileSync(process.execPath, [CODE_SERVER, ...options, "--install-extension", file], { env, stdio: "pipe", timeout: START });
    }
    this.port = await freePort();
    const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust",
      "--disable-getting-started-override"];
    const address = ["--bind-addr", `127.0.0.1:${this.port}`];
    const command = [process.execPath, CODE_SERVER, ...options, ...address, ...quiet];
    this.server = spawn("bash", ["-c", GUARD, "guard", this.folder, ...command], { env, detached: true });
    const note = (data) => { this.log += data; };
    this.server.stdout.on("data", note);
    this.server.stderr.on("data", note);
    await this.healthy();
    this.browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--force-color-profile=srgb"],
    });
  }

  async healthy() {
    const end = Date.now() + START;
    while (Date.now() < end) {
      if (await fetch(`http://127.0.0.1:${this.port}/healthz`).then(({ ok }) => ok, () => false)) return;
      await new Promise((wake) => setTimeout(wake, 100));
    }
    throw new Error(`code-server does not answer:\n${this.log}`);
  }

  /** Opens a window on a new folder with these files and settings, and opens the first file. */
  async open(files, settings = {}) {
    // The folder's name is visible in the window title.
    const folder = join(mkdtempSync(join(this.folder, "work-")), "kernels");
    mkdirSync(join(folder, ".vscode"), { recursive: true });
    writeFileSync(join(folder, ".vscode/settings.json"), JSON.stringify(settings));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const page = await this.browser.newPage({ viewport: { width: 1120, height: 600 } });
    const root = `http://127.0.0.1:${this.port}`;
    const file = `vscode-remote://127.0.0.1:${this.port}${join(folder, Object.keys(files)[0])}`;
    const payload = encodeURIComponent(JSON.stringify([["openFile", file]]));
    const window = new Window(page, SHOTS, folder);
    await page.goto(`${root}/?folder=${encodeURIComponent(folder)}&payload=${payload}`, { waitUntil: "commit", timeout: START });
    await window.page.locator(".monaco-editor .view-line").first().waitFor({ timeout: START });
    await window.hideSideBar();
    return window;
  }

  /** Runs a function in a new window. On failure, saves a screenshot. */
  async inWindow(name, files, settings, run) {
    const window = await this.open(files, settings);
    try {
      await run(window);
    } catch (error) {
      await window.shot(`failed-${name.replaceAll(/\W+/g, "-")}`);
      throw error;
    } finally {
      await window.close();
    }
  }

  /** The process ids of the running servers from the extension. */
  servers() {
    return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).map(Number).filter((process) => {
      try {
        return readlinkSync(`/proc/${process}/exe`).startsWith(this.folder) && alive(process);
      } catch {
        return false;
      }
    });
  }

  async killServer() {
    const [server] = this.servers();
    if (server === undefined) throw new Error("there is no server to kill");
    process.kill(server, "SIGKILL");
    return server;
  }

  async stop() {
    await this.browser?.close();
    if (this.server?.exitCode === null) {
      const ended = new Promise((done) => this.server.once("exit", done));
      this.server.stdin.end();
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Whether a process is not a zombie: an ended process stays listed until its parent reads its status. */
function alive(process) {
  return !/^State:\s+Z/m.test(readFileSync(`/proc/${process}/status`, "utf8"));
}

function freePort() {
  return new Promise((found, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

/** The text of a kernel file. */
export function kernel(name) {
  return readFileSync(join(HERE, "kernels", name), "utf8");
}
