import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ReinError } from '../../model/index.ts';
import { formatProblem } from './place.ts';
import { parseYaml, readYaml } from './read-yaml.ts';
import { plainOf } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-yaml-'));
afterAll(() => rmSync(folder, { recursive: true }));

function complaint(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    return (error as ReinError).message;
  }
  return 'no complaint';
}

function complaintOfText(text: string): string {
  return complaint(() => {
    const { problems } = parseYaml(text, 'f.yaml');
    if (problems.length > 0) throw new ReinError('config', problems.map(formatProblem).join('\n'));
  });
}

function complaintOfFile(content: string | Uint8Array): string {
  const path = join(folder, 'f.yaml');
  writeFileSync(path, content);
  return complaint(() => readYaml(path, 'f.yaml'));
}

describe('files that are no configuration', () => {
  it('says in one sentence what is wrong with the file', () => {
    expect(complaint(() => readYaml(join(folder, 'none.yaml'), 'none.yaml'))).toBe('none.yaml: there is no such file');
    expect(complaint(() => readYaml(folder, 'folder'))).toBe('folder: this is a folder, not a file');
    expect(complaint(() => readYaml('/dev/zero', '/dev/zero'))).toBe('/dev/zero: this is not a regular file');
    expect(complaintOfFile('')).toBe('f.yaml: the file is empty');
    expect(complaintOfFile('# nothing but a comment\n')).toBe('f.yaml: the file is empty');
    expect(complaintOfFile(' \n\n')).toBe('f.yaml: the file is empty');
    expect(complaintOfFile(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe]))).toBe(
      'f.yaml: this is not a text file in UTF-8',
    );
    expect(complaintOfFile(Buffer.from('a: 1\n', 'utf16le'))).toBe('f.yaml: this is not a text file in UTF-8');
    expect(complaintOfFile('a'.repeat(2 ** 20 + 1))).toBe(
      'f.yaml: the file has 1048577 bytes; a configuration has at most 1048576',
    );
  });

  it.skipIf(process.getuid?.() !== 0).each([
    ['file', 'mine.yaml', /^-rw------- root \S+ +mine\.yaml$/m],
    ['folder', 'locked/mine.yaml', /^drwx------ root \S+ +locked$/m],
  ])('asks for rights, not for a path, where a %s forbids, by a command that shows them', (_, name, rights) => {
    mkdirSync(join(folder, 'locked'), { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    writeFileSync(path, 'a: 1\n', { mode: 0o600 });
    chmodSync(folder, 0o755);
    process.seteuid?.(65534);
    try {
      const remedy = `let this user read it, and enter its folders: namei -l ${path}`;
      expect(() => readYaml(path, name)).toThrow(expect.objectContaining({ remedy }));
      const { stdout } = spawnSync('namei', ['-l', path], { encoding: 'utf8' });
      expect(stdout).toMatch(rights);
    } finally {
      process.seteuid?.(0);
    }
  });

  it('does not wait for the writer of a named pipe', () => {
    const pipe = join(folder, 'pipe');
    if (spawnSync('mkfifo', [pipe]).status !== 0) return;
    expect(complaint(() => readYaml(pipe, 'pipe'))).toBe('pipe: this is not a regular file');
    const remedy = expect.stringContaining('into a file first');
    expect(() => readYaml(pipe, 'pipe')).toThrow(expect.objectContaining({ remedy }));
  });

  it('says that a file may not be read', () => {
    if (process.getuid?.() === 0) return;
    const path = join(folder, 'locked.yaml');
    writeFileSync(path, 'a: 1\n', { mode: 0 });
    expect(complaint(() => readYaml(path, 'locked.yaml'))).toBe(
      'locked.yaml: the file may not be read with the rights of this user',
    );
  });

  it('ignores a byte order mark and carriage returns', () => {
    const path = join(folder, 'bom.yaml');
    writeFileSync(path, '\ufeffa: 1\r\nb:\r\n  - c\r\n');
    expect(plainOf(readYaml(path).tree)).toEqual({ a: 1, b: ['c'] });
  });
});

describe('text that is no configuration', () => {
  it.each([
    ['a: 1\nb: 2\na: 3\n', 'f.yaml:3:1: this key was given before, every key may stand once'],
    ['a:\n\tb: 1\n', 'f.yaml:2:1: a tab is used to indent, YAML takes spaces only'],
    ['- 1\n- 2\n', 'f.yaml:1:1: a configuration is keys with values, one "key: value" a line'],
    ['hello\n', 'f.yaml:1:1: a configuration is keys with values, one "key: value" a line'],
    ['a: 012\n', 'f.yaml:1:4: 012 could be octal or decimal, write 12, or "012" for text'],
    ['a: [1, -007]\n', 'f.yaml:1:8: -007 could be octal or decimal, write -7, or "-007" for text'],
    ['a: 0x1F\n', 'f.yaml:1:4: 0x1F is not a decimal number, write 31'],
    ['a: 0o17\n', 'f.yaml:1:4: 0o17 is not a decimal number, write 15'],
    ['a: .nan\n', 'f.yaml:1:4: .nan is not a finite number'],
    ['a: -.inf\nb: 1e999\n', 'f.yaml:1:4: -.inf is not a finite number\nf.yaml:2:4: 1e999 is not a finite number'],
    [
      'a: &x 1\nb: *x\n',
      'f.yaml:1:7: anchors (&name) are not supported, write the value out\nf.yaml:2:4: aliases (*name) are not supported, write the value out',
    ],
    ['a: !foo b\n', 'f.yaml:1:9: tags (!foo) are not supported, write the plain value'],
    ['a: !!str 1\n', 'f.yaml:1:10: tags (tag:yaml.org,2002:str) are not supported, write the plain value'],
    ['1: 2\n', 'f.yaml:1:1: a key is a plain word'],
    ['? [a]\n: 1\n', 'f.yaml:1:3: a key is a plain word'],
  ])('%j', (text, expected) => {
    expect(complaintOfText(text)).toBe(expected);
  });

  it('refuses nesting without end before the parser sees it', () => {
    expect(complaintOfText(`a: ${'['.repeat(50_000)}`)).toBe('f.yaml:1:504: these are more than 500 brackets');
    expect(complaintOfText(`a:\n${' [\n'.repeat(50_000)}`)).toBe('f.yaml:502:2: these are more than 500 brackets');
    expect(complaintOfText('- '.repeat(50_000))).toBe('f.yaml:1:201: the line holds too many values');
    expect(complaintOfText(`${' '.repeat(201)}a: 1`)).toBe(
      'f.yaml:1:201: the line is indented by more than 200 columns',
    );
    expect(complaintOfText(`a: ${'['.repeat(100)}1${']'.repeat(100)}`)).toContain('nested deeper than 32 levels');
  });

  it('survives the deepest text that reaches the parser', () => {
    const lines = ['- '.repeat(99), '? '.repeat(99), 'a: '.repeat(99), `${'- '.repeat(40)}${'[a: '.repeat(59)}`];
    const stairs = Array.from({ length: 199 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
    const dashes = Array.from({ length: 199 }, (_, i) => `${' '.repeat(i)}-\n${' '.repeat(i)} a:`).join('\n');
    const bottom = `${' '.repeat(199)}${'- '.repeat(99)}\n${`${' '.repeat(200)}[\n`.repeat(499)}`;
    for (const text of [...lines, stairs, dashes, `${stairs}\n${bottom}`])
      expect(complaintOfText(text)).toMatch(/^f\.yaml:/);
  });

  it('takes long lines of plain text', () => {
    expect(complaintOfText(`a: ${'/long-path'.repeat(400)}\n`)).toBe('no complaint');
  });

  it('keeps a key named __proto__ a key', () => {
    const data = plainOf(parseYaml('__proto__: { a: 1 }\n', 'f.yaml').tree) as Record<string, unknown>;
    expect(Object.keys(data)).toEqual(['__proto__']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  it('never fails with anything but a ReinError that fits a terminal', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '&x',
      '*x',
      '!',
      '|',
      '>',
      '%',
      '@',
      '`',
      '\t',
      '#',
      '?',
      '---',
      '...',
      '\u0000',
      '\u001b[2J',
      '\u2028',
      '<<',
      '.nan',
      '012',
      'é',
      '😀',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (yaml) => {
        const message = complaintOfText(yaml);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a terminal.
        expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
      }),
      { numRuns: 2000 },
    );
  });
});
