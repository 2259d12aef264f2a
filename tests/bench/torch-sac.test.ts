import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./torch_sac.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rein-torch-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.skipIf(!hasPython)('torch_sac.py', () => {
  it('can be read by this Python', () => {
    const run = spawnSync('python3', ['-c', `import ast; ast.parse(open(${JSON.stringify(script)}).read())`]);
    expect(run.stderr.toString()).toBe('');
  });

  it('says in one line what is missing where PyTorch is', () => {
    writeFileSync(join(folder, 'torch.py'), 'raise ImportError("not on this machine")\n');
    const run = spawnSync('python3', [script], { env: { ...process.env, PYTHONPATH: folder }, encoding: 'utf8' });
    expect(run.stdout).toMatch(/^torch_sac\.py: skipped: .*not on this machine.* pip install torch\n$/);
    expect({ status: run.status, error: run.stderr }).toEqual({ status: 0, error: '' });
  });
});
