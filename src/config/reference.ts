/** The reference page and the JSON Schemas for editors, generated from the schemas that check the files. */
import { markdownTable } from '../model/index.ts';
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

/** Returns the text of `docs/config.md`: each group, and each key shared by several kinds of a file, is listed once. */
export function configReference(): string {
  const listed: Listed = new Map();
  const parts = FILE_SCHEMAS.flatMap(({ folder, schemas }) => {
    const suffix = folder === undefined ? '' : ` (\`${folder}/*.yaml\`)`;
    return partsOf(schemas.map(jsonSchemaOf), suffix).map((part) => partText(part, suffix, listed));
  });
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

Each key stands once on this page: a group that several files or groups share is listed where it comes first, and named from there on.

Two more kinds are for commands of their own, and stand at the end of this page: the limits of an MJCF or URDF for
\`rein safety check\`, and studies for \`rein sweep\`.

For completion in an editor with a YAML language server, files begin with
\`# yaml-language-server: $schema=../../docs/schema/task.schema.json\`.
`;

interface Row {
  readonly key: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Reference to the place on the page that lists the keys of this group. */
  readonly seeAlso?: string;
}

/** A schema of the keys that all kinds of a file share, if there are several, and one of each kind's own. `suffix`: of their headings. */
function partsOf(kinds: readonly JsonSchema[], suffix: string): readonly JsonSchema[] {
  const [first, ...others] = kinds;
  if (first === undefined || others.length === 0) return kinds;
  const isShared = (name: string): boolean => others.every((other) => keyText(other, name) === keyText(first, name));
  const shared = new Set(Object.keys(first.properties ?? {}).filter(isShared));
  const family = first.title!.split(':')[0]!;
  const title = `${family}: keys of every kind`;
  return [
    {
      ...withKeys(first, (name) => shared.has(name)),
      title,
      description: `Keys of each ${family.toLowerCase()}, of any kind.`,
    },
    ...kinds.map((kind) => ({
      ...withKeys(kind, (name) => !shared.has(name)),
      description: `${kind.description} Beside these it has the [${title.split(': ')[1]}](#${anchorOf(title + suffix)}).`,
    })),
  ];
}

function withKeys(schema: JsonSchema, isKept: (name: string) => boolean): JsonSchema {
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => isKept(name))),
  };
}

function keyText(schema: JsonSchema, name: string): string {
  return JSON.stringify([schema.properties?.[name], schema.required?.includes(name)]);
}

function partText(schema: JsonSchema, suffix: string, listed: Listed): string {
  const title = `${schema.title}${suffix}`;
  const rows = rowsOf(schema, '', { title, listed });
  const cells = rows.map(({ key, schema: field, required, seeAlso }) => [
    `\`${key}\``,
    typeText(field),
    unitOf(field),
    range(field),
    defaultText(field, required),
    seeAlso === undefined ? field.description : `${field.description} ${seeAlso}`,
  ]);
  return [
    `## ${title}`,
    '',
    schema.description ?? '',
    '',
    markdownTable(['key', 'type', 'unit', 'range', 'default', 'what it is'], cells),
  ].join('\n');
}

/** Groups already listed on the page, by their keys as JSON. */
type Listed = Map<string, { readonly title: string; readonly key: string }>;

interface Part {
  /** The heading of its section. */
  readonly title: string;
  readonly listed: Listed;
}

/** One row per key, groups before their keys; a group already listed on the page refers to that listing. */
function rowsOf(schema: JsonSchema, prefix: string, part: Part): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const key = `${prefix}${name}`;
    const own: Row = { key, schema: field, required: schema.required?.includes(name) ?? false };
    const within = groupIn(field, key);
    if (within === undefined) return [own];
    const { group, path } = within;
    const seeAlso = listedElsewhere(group, key, part);
    if (seeAlso !== undefined) return [{ ...own, seeAlso }];
    // A group of several kinds: one after the other, each beginning with its discriminator.
    return [own, ...(group.oneOf?.flatMap((kind) => kindRows(kind, path, part)) ?? rowsOf(group, path, part))];
  });
}

/** Returns the group that a key holds, itself or in its entries, and the prefix of its keys. */
function groupIn(field: JsonSchema, key: string): { readonly group: JsonSchema; readonly path: string } | undefined {
  const isGroup = (schema: JsonSchema): boolean => schema.properties !== undefined || schema.oneOf !== undefined;
  if (isGroup(field)) return { group: field, path: `${key}.` };
  if (typeof field.additionalProperties === 'object')
    return { group: field.additionalProperties, path: `${key}.NAME.` };
  return field.items && isGroup(field.items) ? { group: field.items, path: `${key}[].` } : undefined;
}

function kindRows(kind: JsonSchema, path: string, part: Part): Row[] {
  const [name, word] = Object.entries(kind.properties ?? {}).find(([, { const: word }]) => word !== undefined) ?? [];
  const seeAlso = name && listedElsewhere(kind, `${path}${name}: ${word?.const}`, part);
  if (!seeAlso) return rowsOf(kind, path, part);
  return [{ key: `${path}${name}`, schema: word!, required: kind.required?.includes(name) ?? false, seeAlso }];
}

/** Returns a reference if the page already lists the keys of `group`; else records that `key` lists them. Small groups are repeated. */
function listedElsewhere(group: JsonSchema, key: string, { title, listed }: Part): string | undefined {
  const text = JSON.stringify([group.properties, group.oneOf, group.required]);
  if (Object.keys(group.properties ?? {}).length + 2 * (group.oneOf?.length ?? 0) < 3) return undefined;
  const found = listed.get(text);
  if (found === undefined) {
    listed.set(text, { title, key });
    return undefined;
  }
  if (found.title !== title)
    return `Keys: as in \`${found.key}\` of [${found.title.split(' (')[0]}](#${anchorOf(found.title)}).`;
  return found.key === key ? 'Keys: as above.' : `Keys: as in \`${found.key}\`.`;
}

/** Anchor of a Markdown heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
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
