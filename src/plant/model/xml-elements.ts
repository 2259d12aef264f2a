/** Elements of an XML text with their lines: to report the place of a joint, and to read what MuJoCo leaves out of a URDF. */

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
}

const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<!\w[^>]*>|<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^>"'])*?)(\/?)>/g;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Returns the top elements of a text that MuJoCo has accepted; malformed parts are skipped. */
export function xmlElements(xml: string): readonly XmlElement[] {
  const top: XmlElement[] = [];
  const open: { element: XmlElement; children: XmlElement[] }[] = [];
  const lines = lineStarts(xml);
  for (const match of xml.matchAll(TOKEN)) {
    const [, closing, name, rest, selfClosing] = match;
    if (name === undefined) continue;
    if (closing === '/') {
      open.pop();
      continue;
    }
    const children: XmlElement[] = [];
    const element = { name, attributes: attributesOf(rest ?? ''), children, ...placeOf(lines, match.index) };
    (open.at(-1)?.children ?? top).push(element);
    if (selfClosing !== '/') open.push({ element, children });
  }
  return top;
}

/** Returns all elements called `name` in `elements` and below, in text order. */
export function elementsNamed(elements: readonly XmlElement[], name: string): XmlElement[] {
  return elements.flatMap((element) => [
    ...(element.name === name ? [element] : []),
    ...elementsNamed(element.children, name),
  ]);
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, key, double, single] of text.matchAll(ATTRIBUTE)) attributes.set(key!, decoded(double ?? single ?? ''));
  return attributes;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Decodes `&lt;`, `&#60;` and the like, as in MuJoCo's names. */
function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

function placeOf(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - starts[low]! + 1 };
}
