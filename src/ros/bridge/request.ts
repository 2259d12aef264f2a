/** Reading what the guard asks the bridge for: what is not exactly what we expect is refused. */
import type { RosRequest } from '../../drivers/index.ts';
import { parseRequest as parseGuardRequest } from '../../guard/index.ts';

export interface NumberedRosRequest {
  readonly id: number;
  readonly generation: number;
  readonly request: RosRequest;
}

/** The request in a JSON payload, or `undefined`. Never throws. */
export function parseRequest(payload: Uint8Array): NumberedRosRequest | undefined {
  let message: { id?: unknown; generation?: unknown; request?: { kind?: unknown } };
  try {
    message = JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return undefined;
  }
  const { id, generation, request } = message;
  if (!Number.isSafeInteger(id) || !Number.isSafeInteger(generation)) return undefined;
  const numbers = { id: id as number, generation: generation as number };
  if (request?.kind === 'prepare') return { ...numbers, request: { kind: 'prepare' } };
  const guards = parseGuardRequest(payload)?.request;
  return guards?.kind === 'resetScene' ? { ...numbers, request: guards } : undefined;
}
