// The commands that execute functions many times: the search for an execution that confirms a finding, and the
// comparison with the saved version.

import * as vscode from "vscode";
import { ruleOf } from "./arguments";
import { Asking } from "./asking";
import { ComparisonPanel } from "./comparison/panel";
import type { Place } from "./cursor";
import { contains } from "./places";
import {
  compareRequest, witnessRequest, type Compared, type FoundWitness, type ToConfirm, type Witness,
} from "./protocol";
import type { Answer } from "./server";
import { ThreadPanel, type Surroundings } from "./threads/panel";

export class Searches implements vscode.Disposable {
  private readonly confirming: Asking<FoundWitness, ToConfirm>;
  private readonly comparing: Asking<Compared>;

  constructor(private readonly around: Surroundings) {
    this.confirming = new Asking(around.server, witnessRequest);
    this.comparing = new Asking(around.server, compareRequest);
  }

  dispose(): void {
    this.confirming.dispose();
    this.comparing.dispose();
  }

  /** Searches an execution that confirms a finding at the cursor, and shows it in the thread table. */
  async confirm(first: unknown): Promise<void> {
    const place = this.around.cursor.current;
    if (!place) return;
    const rule = ruleOf(first);
    const ask = () => this.confirming.ask(place, rule === undefined ? {} : { rule });
    const found = await result("Searching an execution with the finding", ask, this.confirming);
    if (!found) return;
    const { text, witness } = found;
    if (!witness) {
      void vscode.window.showInformationMessage(text);
      return;
    }
    ThreadPanel.confirm(this.around, await executed(place, witness.definition), { text, witness });
  }

  /** Compares the function at the cursor with the saved version, and shows the first difference. */
  async compare(): Promise<void> {
    const place = this.around.cursor.current;
    if (!place) return;
    const ask = () => this.comparing.ask(place, {});
    const found = await result("Comparing with the saved version", ask, this.comparing);
    if (!found) return;
    const { difference, summary } = found;
    if (difference) ComparisonPanel.show(this.around.extension, place, { ...found, difference });
    else void vscode.window.showInformationMessage(summary);
  }
}

/** Asks with a progress notification that can cancel. Reports why there is no answer. */
async function result<T>(title: string, ask: () => Promise<Answer<T>>, asking: { dispose(): void }): Promise<T | null> {
  const location = vscode.ProgressLocation.Notification;
  const answer = await vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => {
    token.onCancellationRequested(() => { asking.dispose(); });
    return ask();
  });
  if (answer.kind === "answer" && answer.value) return answer.value;
  if (answer.kind !== "passed") {
    const reason = answer.kind === "refused" ? answer.reason : "The cursor is not in a function of a kernel file.";
    void vscode.window.showWarningMessage(reason);
  }
  return null;
}

/** A place in the executed function: that of the finding, or the definition if it is another function. */
async function executed(place: Place, definition: Witness["definition"]): Promise<Place> {
  if (!definition) return place;
  const uri = vscode.Uri.parse(definition.uri);
  const isInside = place.document.uri.toString() === uri.toString() && contains(definition.range, place.position);
  if (isInside) return place;
  const { line, character } = definition.range.start;
  return { document: await vscode.workspace.openTextDocument(uri), position: new vscode.Position(line, character) };
}
