import { describe, expect, it } from 'vitest';
import { portRefusal } from './port.ts';

describe('a port that cannot be opened', () => {
  it.each([
    ['Error: Permission denied, cannot open /dev/ttyUSB0', 'This user may not open', 'sudo usermod -aG dialout $USER'],
    ['Error: No such file or directory, cannot open', 'There is no', 'Plug the adapter in'],
    ['Error Resource temporarily unavailable Cannot lock port', 'is in use by another program', 'End that program'],
    ['Error: setting custom baud rate of 42 failed', 'cannot be opened: Error', 'rein doctor'],
  ])('says what is wrong, and what mends it: %s', (text, message, remedy) => {
    const cause = new Error(text);
    expect(portRefusal('/dev/no-such-port', text, cause)).toMatchObject({
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
      cause,
    });
  });
});
