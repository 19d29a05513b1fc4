import assert from "node:assert/strict";
import { it } from "node:test";
import { page } from "../src/flow/page";

it("the page of the flow graph allows only its own script and style", () => {
  const source = "https://host.test";
  const html = page({ source, script: `${source}/a.js`, style: `${source}/a.css` });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
  assert.equal(policy, "default-src 'none'; script-src https://host.test; style-src https://host.test");
  assert.doesNotMatch(html, /unsafe|<script>|<style|\son\w+=|\sstyle=/);
});
