import { describe, expect, it } from 'vitest';
import { err, ok, ReinError, type Result } from './result.ts';

describe('Result', () => {
  it('tells value and error apart by `ok`', () => {
    const parse = (text: string): Result<number, string> =>
      Number.isNaN(Number(text)) ? err(`not a number: ${text}`) : ok(Number(text));
    const good = parse('3');
    const bad = parse('x');
    expect(good.ok && good.value).toBe(3);
    expect(!bad.ok && bad.error).toBe('not a number: x');
  });
});

describe('ReinError', () => {
  it('carries its kind, sentence, remedy and cause', () => {
    const cause = new Error('EACCES');
    const error = new ReinError('storage', 'The run folder cannot be written.', { remedy: 'Free some space.', cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ReinError', kind: 'storage', remedy: 'Free some space.', cause });
    expect(error.message).toBe('The run folder cannot be written.');
  });

  it('has no cause or remedy where none was given', () => {
    const error = new ReinError('config', 'Unknown key.');
    expect(error.remedy).toBeUndefined();
    expect('cause' in error).toBe(false);
  });
});
