/** Parses a YAML file into a tree with positions. Accepts a small, unambiguous subset of YAML and refuses the rest by name. */
import { isAlias, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import { ReinError } from '../../model/index.ts';
import { parseText } from './parse-text.ts';
import { type Place, type Problem, problemsError } from './place.ts';
import { readText } from './read-text.ts';
import { shown } from './shown.ts';
import type { MapEntry, MapNode, TreeNode } from './tree.ts';

const MAX_DEPTH = 32;
/** A file's tree, and problems of single values: not thrown yet, so that later checks can add theirs. */
export interface YamlFile {
  readonly tree: MapNode;
  readonly problems: readonly Problem[];
}

/** Reads `path`, which errors call `shownAs`. Throws `ReinError` if the file is missing (with `remedy`), not text, or not YAML. */
export function readYaml(path: string, shownAs: string = path, remedy?: string): YamlFile {
  return parseYaml(readText(path, shownAs, remedy), shownAs);
}

/** Parses `text`; errors name `file`. */
export function parseYaml(text: string, file: string): YamlFile {
  const { document, placeAt } = parseText(text, file, { strict: true, uniqueKeys: true });
  const reader = new Reader(placeAt);
  for (const error of document.errors) {
    const [at] = error.pos;
    reader.report(at, firstLine(error.message, error.code, lineText(text, placeAt(at))));
  }
  if (reader.problems.length > 0) throw problemsError(reader.problems, SYNTAX_REMEDY);
  if (document.contents === null || text.trim() === '') throw new ReinError('config', `${file}: the file is empty`);
  const tree = reader.read(document.contents, 0);
  if (tree.kind !== 'map') {
    throw problemsError([
      { place: tree.place, message: 'a configuration is keys with values, one "key: value" a line' },
    ]);
  }
  return { tree, problems: reader.problems };
}

const SYNTAX_REMEDY =
  'Write one "key: value" a line, the keys of a group indented by two spaces, lists as [1, 2] and text with ":" or "#" in quotes';
const SHOWN_COLUMNS = 80;

/** The source line at `place`, for an error about it. */
function lineText(text: string, place: Place): string {
  const line = text.split(/\r?\n/)[place.line - 1]?.trim() ?? '';
  return line === '' ? ', at the end of the text' : `: ${shown(line.slice(0, SHOWN_COLUMNS))}`;
}

function firstLine(message: string, code: string, line: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key was given before, every key may stand once';
  if (code === 'TAB_AS_INDENT') return 'a tab is used to indent, YAML takes spaces only';
  return `this is not YAML: ${message.split('\n')[0]!.replace(/[.:]$/, '')}${line}`;
}

/** Converts a parsed document to a tree, and collects unsupported constructs. */
class Reader {
  readonly problems: Problem[] = [];
  readonly #place: (offset: number) => Place;

  constructor(placeAt: (offset: number) => Place) {
    this.#place = placeAt;
  }

  report(offset: number, message: string): void {
    this.problems.push({ place: this.#place(offset), message });
  }

  read(node: ParsedNode | null, offset: number, depth = 0): TreeNode {
    const at = node?.range[0] ?? offset;
    const place = this.#place(at);
    const nothing: TreeNode = { kind: 'scalar', value: null, source: '', place };
    if (node === null) return nothing;
    if (depth > MAX_DEPTH) {
      this.report(at, `values are nested deeper than ${MAX_DEPTH} levels`);
      return nothing;
    }
    if (isAlias(node)) {
      this.report(at, 'aliases (*name) are not supported, write the value out');
      return nothing;
    }
    if (node.anchor !== undefined) this.report(at, 'anchors (&name) are not supported, write the value out');
    if (node.tag !== undefined) this.report(at, `tags (${node.tag}) are not supported, write the plain value`);
    if (isMap(node)) return { kind: 'map', entries: this.#entries(node, depth), place };
    if (isSeq(node))
      return { kind: 'list', items: node.items.map((item) => this.read(item as ParsedNode, at, depth + 1)), place };
    return isScalar(node) ? this.#scalar(node.value, node.source ?? '', node.type, at) : nothing;
  }

  #entries(
    node: ParsedNode & { items: { key: unknown; value: unknown }[] },
    depth: number,
  ): ReadonlyMap<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    for (const pair of node.items) {
      const key = pair.key as ParsedNode | null;
      const at = key?.range[0] ?? node.range[0];
      if (!isScalar(key) || typeof key.value !== 'string') {
        this.report(at, 'a key is a plain word');
        continue;
      }
      entries.set(key.value, {
        keyPlace: this.#place(at),
        value: this.read(pair.value as ParsedNode | null, at, depth + 1),
      });
    }
    return entries;
  }

  #scalar(value: unknown, source: string, type: string | undefined, offset: number): TreeNode {
    const place = this.#place(offset);
    if (type === 'PLAIN') {
      if (/^[-+]?0[0-9_]+$/.test(source)) {
        const decimal = source.replace(/^([-+]?)0+(?=\d)/, '$1');
        this.report(offset, `${source} could be octal or decimal, write ${decimal}, or "${source}" for text`);
      } else if (/^0[ox]/.test(source)) {
        this.report(offset, `${source} is not a decimal number, write ${String(value)}`);
      }
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.report(offset, `${source} is not a finite number`);
    }
    const known = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    if (!known) this.report(offset, `${source} is neither a number, a word, true nor false`);
    return { kind: 'scalar', value: known ? (value as string | number | boolean | null) : null, source, place };
  }
}
