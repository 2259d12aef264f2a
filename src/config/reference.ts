/** The reference page and the editors' JSON Schemas, written from the schema that checks the files. */
import { markdownTable } from '../core/index.ts';
import { allowedText, type JsonSchema, jsonSchemaOf, rangeText } from '../schema/index.ts';
import { editorSchemaOf, FILE_SCHEMAS } from './schema/variants.ts';

/** One JSON Schema file for editors. */
export interface EditorSchema {
  /** File name in `docs/schema/`. */
  readonly file: string;
  readonly text: string;
}

/** The files of `docs/schema/`. */
export function editorSchemas(): readonly EditorSchema[] {
  return FILE_SCHEMAS.map(({ key, schemas }) => ({
    file: `${key}.schema.json`,
    text: `${JSON.stringify(editorSchemaOf(schemas), null, 2)}\n`,
  }));
}

/** The text of `docs/config.md`. */
export function configReference(): string {
  const parts = FILE_SCHEMAS.flatMap(({ folder, schemas }) =>
    schemas.map((schema) => partText(folder, jsonSchemaOf(schema))),
  );
  return `${HEAD}\n${parts.join('\n')}`;
}

const HEAD = `# Configuration

Written by \`npm run docs\` from the schemas in \`src/config/schema/\` and beside what they configure; change those, not this page.

Three kinds of YAML files: a **task** names its **robot** and its **learner**. A name stands for a file in \`config/\`
(\`insert\` for \`config/tasks/insert.yaml\`); anything with a slash or ending in \`.yaml\` is a path, relative to the file
that it stands in. Units are part of a key's name: values are plain decimal numbers, never text such as \`20 mm\`.

\`--config FILE\` lays a YAML file over all three; it has the keys \`task\`, \`robot\` and \`learner\`, and below them any keys
of this page. Groups are merged key by key; lists are replaced as a whole, or patched by the names of their entries (\`joints: { elbow: { velocityMaxRadPerS: 0.5 } }\`):

\`\`\`yaml
task:
  hole: { clearanceM: 0.0004 }
learner:
  utd: 2
\`\`\`

Every run folder holds the result with all defaults, the seed and the versions as \`config.yaml\`.

A wrong file is refused before anything starts, with one line for each mistake:
\`file:line:column: what is wrong, what is allowed, did you mean "x"?\` Refused are unknown and repeated keys, missing keys,
values of another type, unit or range, \`.nan\` and \`.inf\`, numbers that look octal (\`012\`), YAML anchors, and tasks that ask
more of a robot than its limits allow.

Two more kinds are for commands of their own, and stand at the end of this page: the limits of an MJCF or URDF for
\`rein safety check\`, and studies for \`rein sweep\`.

For completion in an editor with a YAML language server, files begin with
\`# yaml-language-server: $schema=../../docs/schema/task.schema.json\`.
`;

interface Row {
  readonly key: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

function partText(folder: string | undefined, schema: JsonSchema): string {
  const rows = rowsOf(schema, '');
  const cells = rows.map(({ key, schema: field, required }) => [
    `\`${key}\``,
    typeText(field),
    unitOf(field),
    range(field),
    defaultText(field, required),
    field.description,
  ]);
  return [
    `## ${schema.title}${folder === undefined ? '' : ` (\`${folder}/*.yaml\`)`}`,
    '',
    schema.description ?? '',
    '',
    markdownTable(['key', 'type', 'unit', 'range', 'default', 'what it is'], cells),
  ].join('\n');
}

/** One row for each key, groups before what they hold. */
function rowsOf(schema: JsonSchema, prefix: string): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const key = `${prefix}${name}`;
    const own: Row = { key, schema: field, required: schema.required?.includes(name) ?? false };
    if (field.properties !== undefined) return [own, ...rowsOf(field, `${key}.`)];
    if (typeof field.additionalProperties === 'object')
      return [own, ...rowsOf(field.additionalProperties, `${key}.NAME.`)];
    // A group of several kinds: one after the other, each begins with the word that says which.
    if (field.oneOf !== undefined) return [own, ...field.oneOf.flatMap((kind) => rowsOf(kind, `${key}.`))];
    const item = field.items;
    if (item && item.oneOf !== undefined) return [own, ...item.oneOf.flatMap((kind) => rowsOf(kind, `${key}[].`))];
    return item && item.properties !== undefined ? [own, ...rowsOf(item, `${key}[].`)] : [own];
  });
}

function typeText(schema: JsonSchema): string {
  if (schema.const !== undefined) return allowedText(schema);
  if (schema.enum !== undefined) return allowedText(schema);
  if (schema.type === 'array') return listTypeText(schema);
  const names: Readonly<Record<string, string>> = {
    integer: 'whole number',
    object: 'group',
    undefined: 'group',
    boolean: 'true or false',
    string: 'word',
  };
  return names[String(schema.type)] ?? String(schema.type);
}

function listTypeText({ prefixItems }: JsonSchema): string {
  if (prefixItems === undefined) return 'list';
  return `${prefixItems.length} ${prefixItems[0]?.type === 'string' ? 'words' : 'numbers'}`;
}

function unitOf(schema: JsonSchema): string {
  return schema.unit === undefined || schema.unit === '1' ? '' : schema.unit;
}

function range(schema: JsonSchema): string {
  if (schema.type === 'array' && schema.prefixItems === undefined)
    return `${schema.minItems ?? 0} to ${schema.maxItems} entries`;
  return rangeText(schema);
}

function defaultText(schema: JsonSchema, required: boolean): string {
  if (schema.default !== undefined) return `\`${JSON.stringify(schema.default)}\``;
  return required ? 'required' : '';
}
