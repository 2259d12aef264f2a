/** What a guard process makes of a robot: it gets it as JSON, whose numbers and arrays are other shapes to the compiler. */
import { parseGuardConfig } from '../../dist/guard/guard-config.js';

export function asGuardReadsIt({ model: written, ...robot }) {
  const { driver: _, ...arm } = written;
  const { model, action, policyPeriodS } = parseGuardConfig(
    JSON.stringify({
      ...robot,
      model: arm,
      driver: { name: 'mock', options: {} },
      socketPath: '/none',
      authority: 'node',
      realTimePriority: 'no',
    }),
  );
  return { model, action, policyPeriodS };
}
