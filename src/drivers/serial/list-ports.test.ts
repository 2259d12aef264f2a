import { expect, it } from 'vitest';
import { ReinError } from '../../model/index.ts';
import { listSerialPorts } from './list-ports.ts';

it('lists ports by their paths, or says in one sentence why it cannot', async () => {
  try {
    for (const port of await listSerialPorts()) expect(port.path).toMatch(/\S/);
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    expect((error as ReinError).message).toMatch(/^serial ports cannot be listed: .*[^.]$/);
    expect((error as ReinError).remedy).toBeDefined();
  }
});
