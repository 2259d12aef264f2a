import { describe, expect, it } from 'vitest';
import { pathOf, portRefusal } from './port.ts';

describe('a port that cannot be opened', () => {
  it.each([
    ['Error: Permission denied, cannot open /dev/ttyUSB0', 'This user may not open', 'sudo usermod -aG dialout $USER'],
    ['Error: No such file or directory, cannot open', 'There is no', 'Plug the adapter in'],
    [
      'Error Resource temporarily unavailable Cannot lock port',
      'is in use by another program',
      'sudo fuser -v /dev/no-such-port',
    ],
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

describe('a robot whose file names no port', () => {
  const ports = [{ path: '/dev/ttyUSB0', adapter: 'OTHER' }];

  it('is at the adapter that it was calibrated with', () => {
    expect(pathOf([...ports, { path: '/dev/ttyUSB1', adapter: 'MINE' }], { adapter: 'MINE' })).toBe('/dev/ttyUSB1');
  });

  it('and another adapter is refused with the commands that mend it', () => {
    expect(() => pathOf(ports, { adapter: 'MINE', named: 'my-arm' })).toThrow(
      expect.objectContaining({
        remedy: expect.stringMatching(/rein calibrate --robot my-arm --rebind .*rein doctor --robot my-arm /),
      }),
    );
  });
});
