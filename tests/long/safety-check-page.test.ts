/** What docs/safety-check.md tells people to type works: its files are written, its commands are run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reinHere } from '../support/rein-here.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'safety-check.md'), 'utf8');
/** "`name`…:" and the block behind it. */
const files = [...page.matchAll(/`([\w.]+)`[^`]*\n```(?:xml|yaml)\n([\s\S]*?)```/g)].map(([, name, text]) => ({
  name: name!,
  text: text!,
}));
const commands = [...page.matchAll(/^ {4}npm run rein -- (.+)$/gm)].map(([, line]) => line!);
const checks = commands.filter((line) => line.startsWith('safety check '));
const IMPORT = 'robot import scara.urdf --limits joint_limits.yaml --out my-scara.yaml';

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-check-page-'));
  // The last block follows a sentence that names it earlier.
  const named = files.map(({ text, name }) => ({ text, name: text.startsWith('model:') ? 'scara.yaml' : name }));
  for (const { name, text } of named) writeFileSync(join(dir, name), text);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('docs/safety-check.md', () => {
  it('shows three files, four checks, an import, and the identification that torque-observer.test.ts runs', () => {
    expect(files).toHaveLength(3);
    expect(checks).toHaveLength(4);
    expect(commands.filter((line) => !checks.includes(line))).toEqual([IMPORT, 'safety identify arm6']);
  });

  it(IMPORT, async () => {
    const { code, stderr } = await reinHere(IMPORT.split(' '), dir);
    expect([code, stderr]).toEqual([0, '']);
    expect(readFileSync(join(dir, 'my-scara.yaml'), 'utf8')).toContain('joints:');
  });

  it.each(checks)(
    '%s',
    async (line) => {
      const isWhole = !/--chain off|--without/.test(line);
      // As few as show it, with room to spare.
      const ticks = isWhole ? '1500' : '3000';
      const { code, stdout, stderr } = await reinHere([...line.split(' '), '--ticks', ticks], dir);
      // A busy machine gets lines of progress.
      const said = stderr.replace(/^ *\d+ % .*\n/gm, '');
      expect([code, isWhole ? said : '']).toEqual([isWhole ? 0 : 1, '']);
      expect(stdout).toMatch(isWhole ? /kept every limit (that was tried )?in/ : /broke limits in/);
      expect(readFileSync(join(dir, 'safety-report.html'), 'utf8')).toContain('</html>');
    },
    240_000,
  );
});
