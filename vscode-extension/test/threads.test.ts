import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY, Launches } from "../src/threads/launches";
import { page } from "../src/threads/page";

it("the page of the thread table allows only elements with its nonce", () => {
  const html = page({ nonce: "n0nce", script: "https://host.test/a.js", styles: ["https://host.test/a.css"] });
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
  assert.equal(policy, "default-src 'none'; script-src 'nonce-n0nce'; style-src 'nonce-n0nce'");
  assert.doesNotMatch(html, /unsafe|<script>|<style|\son\w+=|\sstyle=/);
  for (const [loaded] of html.matchAll(/<(?:script|link)[^>]*>/g)) assert.match(loaded, /nonce="n0nce"/);
});

describe("the last request for a function", () => {
  const launch = (seed: string) => ({ ...EMPTY, seed });
  const store = () => {
    const kept = new Map<string, unknown>();
    // As a memento does, it gives back what JSON keeps.
    return {
      get: (key: string) => kept.get(key),
      update: (key: string, value: unknown) => kept.set(key, JSON.parse(JSON.stringify(value))),
    };
  };

  it("is kept for each function of each file", () => {
    const memento = store();
    new Launches(memento).keep("file:///a.cl", "k", launch("1"));
    new Launches(memento).keep("file:///a.cl", "l", launch("2"));
    new Launches(memento).keep("file:///a.cl", "k", launch("3"));
    const launches = new Launches(memento);
    assert.equal(launches.of("file:///a.cl", "k")?.seed, "3");
    assert.equal(launches.of("file:///a.cl", "l")?.seed, "2");
    assert.equal(launches.of("file:///b.cl", "k"), undefined);
  });
  it("is dropped after many other requests", () => {
    const launches = new Launches(store());
    launches.keep("file:///a.cl", "old", launch("1"));
    launches.keep("file:///a.cl", "used", launch("2"));
    for (let number = 0; number < 199; number += 1) launches.keep("file:///b.cl", `k${number}`, launch(""));
    assert.equal(launches.of("file:///a.cl", "old"), undefined);
    assert.equal(launches.of("file:///a.cl", "used")?.seed, "2");
  });
});
