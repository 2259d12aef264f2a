/** Parses the package's files: fields of interfaces with their comments, arguments of launch files. */

/** One field or constant of an interface. */
export interface Field {
  readonly type: string;
  /** With `=VALUE` appended for a constant. */
  readonly name: string;
  /** Comment above it, shared by consecutive fields. */
  readonly comment: string;
  /** Default value, if it is not 0. */
  readonly default?: string;
}

export interface Interface {
  /** First comment. */
  readonly what: string;
  /** A message has one part, a service two, an action three. */
  readonly parts: readonly (readonly Field[])[];
}

/** Parses a `.msg`, `.srv` or `.action` file. A first paragraph of comments alone describes the whole. */
export function parseInterface(text: string): Interface {
  const [head = '', ...rest] = text.split(/\n\s*\n/);
  const isAlone = head.split('\n').every((line) => line.startsWith('#'));
  const what = isAlone ? commentOf(head.split('\n')) : '';
  const body = what === '' ? text : rest.join('\n\n');
  return { what, parts: body.split(/^---$/m).map(parsePart) };
}

function parsePart(text: string): readonly Field[] {
  const fields: Field[] = [];
  for (const paragraph of text.split(/\n\s*\n/)) {
    let comments: string[] = [];
    let isAbove = true;
    for (const line of paragraph.split('\n')) {
      if (line.startsWith('#')) {
        comments = isAbove ? [...comments, line] : [line];
        isAbove = true;
        continue;
      }
      const [, type, name, initial] = /^([\w/<=[\]]+)\s+([\w=]+)(?:\s+(\S+))?$/.exec(line.trim()) ?? [];
      if (type === undefined || name === undefined) continue;
      fields.push({ type, name, comment: commentOf(comments), ...(initial === undefined ? {} : { default: initial }) });
      isAbove = false;
    }
  }
  return fields;
}

function commentOf(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^#\s?/, ''))
    .join(' ')
    .trim();
}

export interface LaunchArgument {
  readonly name: string;
  readonly default: string;
  readonly choices: string;
  readonly what: string;
}

/** Arguments declared by a launch file. Choices are as written in the file, with names of lists expanded. */
export function parseLaunchArguments(python: string): readonly LaunchArgument[] {
  const lists = new Map([...python.matchAll(/^([A-Z_]+) = \[([^\]]*)\]/gm)].map(([, name, items]) => [name, items]));
  const declared = python.split('DeclareLaunchArgument(').slice(1);
  return declared.flatMap((call) => {
    const name = /^\s*'(\w+)'/.exec(call)?.[1];
    if (name === undefined) return [];
    const given = /choices=(\[[^\]]*\]|[A-Z_]+)/.exec(call)?.[1] ?? '';
    const words = given.replace(/\*?([A-Z_]{2,})/g, (list) => lists.get(list.replace('*', '')) ?? list);
    return [
      {
        name,
        default: /default_value='([^']*)'/.exec(call)?.[1] ?? '',
        choices: strings(words)
          .filter((word) => word !== '')
          .join(', '),
        what: strings(/description=((?:\s*'(?:[^'\\]|\\.)*')+)/.exec(call)?.[1] ?? '').join(''),
      },
    ];
  });
}

/** Contents of Python's single-quoted strings. */
function strings(python: string): string[] {
  return [...python.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text]) => (text ?? '').replaceAll("\\'", "'"));
}
