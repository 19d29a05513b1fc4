// The line that names the schema of a TOML file, as taplo and the editors that use it read it.

/** The name of the schema file, beside `tangle.toml`. */
export const SCHEMA_FILE = "tangle.schema.json";

/** The line to insert at the start of a text; undefined if the text names a schema. */
export function directive(text: string): string | undefined {
  return /^#:schema\s/m.test(text) ? undefined : `#:schema ./${SCHEMA_FILE}\n`;
}
