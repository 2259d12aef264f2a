/** Mock driver kind: the smallest example of one. */
import type { Configured } from '../../schema/index.ts';
import type { DriverKind } from '../driver-kind.ts';
import { type MockDriverOptions, mockOptions, mockSchema } from './options.ts';

export const mockKind: DriverKind<Configured<typeof mockSchema>, MockDriverOptions> = {
  kind: 'mock',
  schema: mockSchema,
  options: mockOptions,
  movesNothing: true,
  // Stands in for a real robot: it must not be taken for a simulation.
  world: () => 'real',
  optionsOf: ({ kind: _, ...options }, { signalNames }) => ({ signalNames, ...options }),
  create: async (options, { model }) => new (await import('./mock-driver.ts')).MockDriver(model, options),
};
