import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { TerminalGuide } from './guide.ts';

it('gives the input back to who reads it next, and takes it again with the next question', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const guide = new TerminalGuide({ input, output, isTerminal: false, signal: new AbortController().signal });
  const first = guide.ask('First?');
  input.write('one\n');
  expect(await first).toBe('one');
  guide.close();
  const second = guide.ask('Second?');
  input.write('two\n');
  expect(await second).toBe('two');
  guide.close();
  input.end();
  input.resume();
  await new Promise((ended) => input.once('end', ended));
  await expect(guide.ask('Third?')).rejects.toThrow(/ended before it was answered: Third\?/);
});
