// Start, failure and restart of the server in VS Code. In the control tests, without a server, without its findings, or
// without the extension, the main assertion of the other tests must fail.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Host, kernel, packed } from "./host.mjs";

let host;
before(async () => { host = await Host.start({ vsix: packed }); });
after(async () => { await host?.stop(); });

const files = { "into_loop.cl": kernel("into_loop.cl") };
/** A time limit in milliseconds for findings that must not appear: findings take less than two seconds elsewhere. */
const PATIENCE = 6_000;

async function assertNothingFound(window) {
  await assert.rejects(window.expectMarked(["8"], PATIENCE), /there is \{"seen":\[\]/);
}

test("a server that ends is restarted a limited number of times", async () => {
  await host.inWindow("dies", files, {}, async (window) => {
    await window.expectStatus("check");
    await window.expectMarked(["8"]);
    await window.goTo(6, 1);
    // The editor is typing when the server dies: a failed write to the dead server must not affect the restart.
    const kill = async () => {
      const gone = await host.killServer();
      await window.page.keyboard.type(" ".repeat(20));
      return gone;
    };
    let killed = await kill();
    await window.until("another server", async () => {
      const [next] = host.servers();
      return { holds: next !== undefined && next !== killed, next };
    });
    await window.expectStatus("check");
    // The new server has the current text.
    await window.rewriteLine(8, "    ;");
    await window.expectMarked([]);
    for (let deaths = 1; deaths < 5; deaths += 1) {
      killed = await kill();
      await window.until("another server, or none any more", async () => {
        const [next] = host.servers();
        const { icon } = await window.status();
        return { holds: (next !== undefined && next !== killed && icon === "check") || icon === "error", next, icon };
      });
    }
    assert.equal((await window.expectStatus("error")).alarming, true);
    await window.shot("server-dead");
    // Control: the server is not running.
    await window.rewriteLine(8, "    barrier(CLK_GLOBAL_MEM_FENCE);");
    await assertNothingFound(window);
    await window.command("Tangle: Restart Server");
    await window.expectStatus("check");
    await window.expectMarked(["8"]);
  });
});

test("a missing server is reported with instructions", async () => {
  await host.inWindow("no-server", files, { "tangle.server.path": "/nowhere/tangle-lsp" }, async (window) => {
    assert.equal((await window.expectStatus("error")).alarming, true);
    const message = window.page.locator(".notification-toast").filter({ hasText: "/nowhere/tangle-lsp" });
    await message.getByText("pip install tangle-lint").waitFor();
    await message.getByRole("button", { name: "Show Instructions" }).click();
    await window.page.getByText("Install the language server").first().waitFor();
    await window.shot("what-to-do");
    await window.command("View: Close Editor");
    await assertNothingFound(window);
  });
});

test("a program that is not a server is reported as a failure", async () => {
  await host.inWindow("no-lsp", files, { "tangle.server.path": "/bin/false" }, async (window) => {
    await window.expectStatus("error");
    await assertNothingFound(window);
  });
});

test("control: a server without findings shows none", async () => {
  const mute = new URL("mute.mjs", import.meta.url).pathname;
  await host.inWindow("mute", files, { "tangle.server.path": mute }, async (window) => {
    await window.expectStatus("check");
    await assertNothingFound(window);
  });
});

test("control: there are no findings without the extension", async () => {
  const bare = await Host.start({});
  try {
    await bare.inWindow("bare", files, {}, async (window) => {
      await assertNothingFound(window);
      assert.equal(await window.page.locator('.statusbar-item[id$="tangle.server"]').count(), 0);
    });
  } finally {
    await bare.stop();
  }
});
