/** Reading JSON that a ROS process sent: what is not exactly what we expect is refused. */
import type { GuardNotice } from '../../core/index.ts';
import { parseNoticeRecord } from '../link/messages.ts';

/** The object in a payload, or `undefined`. Never throws. */
export function parseJson(payload: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The notice in a payload, or `undefined`. Never throws. */
export function parseNotice(payload: Uint8Array): GuardNotice | undefined {
  return parseNoticeRecord(parseJson(payload));
}
