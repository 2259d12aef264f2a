/** YAML with scalars kept as text, for formats with their own rules for numbers. */
import { isAlias, isMap, isScalar, isSeq, type ParsedNode } from 'yaml';
import { parseText } from './parse-text.ts';
import { type Place, type Problem, problemsError } from './place.ts';
import { readText } from './read-text.ts';

export type RawYaml =
  | {
      readonly kind: 'scalar';
      readonly text: string;
      readonly isQuoted: boolean;
      readonly tag?: string | undefined;
      readonly place: Place;
    }
  | { readonly kind: 'list'; readonly items: readonly RawYaml[]; readonly place: Place }
  | {
      readonly kind: 'map';
      readonly entries: readonly (readonly [key: string, value: RawYaml, keyPlace: Place])[];
      readonly place: Place;
    };

/** Reads a file. Throws `ReinError` with all problems and their positions. */
export function readRawYaml(path: string, shownAs: string = path): RawYaml {
  return parseRawYaml(readText(path, shownAs), shownAs);
}

/** Parses `text`; errors name `file`. Duplicate keys are allowed. */
export function parseRawYaml(text: string, file: string): RawYaml {
  const { document, placeAt } = parseText(text, file, { uniqueKeys: false, schema: 'failsafe' });
  const problems: Problem[] = [];
  const report = (offset: number, message: string): void => void problems.push({ place: placeAt(offset), message });
  for (const error of document.errors)
    report(error.pos[0], `this is not YAML: ${error.message.split('\n')[0]?.replace(/[.:]$/, '')}`);
  if (problems.length > 0) throw problemsError(problems);

  const read = (node: ParsedNode | null, offset: number): RawYaml => {
    const at = node?.range[0] ?? offset;
    const place = placeAt(at);
    if (isAlias(node)) report(at, 'aliases (*name) are not supported, write the value out');
    if (isMap(node)) {
      const entries = node.items.map((pair): readonly [string, RawYaml, Place] => {
        const key = pair.key as ParsedNode | null;
        if (!isScalar(key)) report(at, 'a key is a plain word');
        const name = isScalar(key) ? String(key.source ?? key.value ?? '') : '';
        const keyAt = key?.range[0] ?? at;
        return [name, read(pair.value as ParsedNode | null, keyAt), placeAt(keyAt)];
      });
      return { kind: 'map', entries, place };
    }
    if (isSeq(node)) return { kind: 'list', items: node.items.map((item) => read(item as ParsedNode, at)), place };
    const isQuoted = isScalar(node) && node.type !== 'PLAIN';
    const tag = isScalar(node) ? node.tag : undefined;
    return { kind: 'scalar', text: isScalar(node) ? String(node.value ?? '') : '', isQuoted, tag, place };
  };
  const root = read(document.contents as ParsedNode | null, 0);
  if (problems.length > 0) throw problemsError(problems);
  return root;
}
