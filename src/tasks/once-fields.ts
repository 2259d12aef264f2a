/** What stands once behind the frames of an observation, whatever the task. */
import { type ActionSpec, BASE_ACTION, type ObservationField, PREVIOUS_ACTIONS } from '../core/index.ts';

/** Parts of an observation that tasks of all kinds may have. */
export interface OnceConfig {
  /** How many executed actions; absent: 0. */
  readonly previousActions?: number;
  /** Absent: no base policy. Its digest is a part of what the number means, where it is known. */
  readonly basePolicy?: { readonly sha256?: string | undefined } | undefined;
}

/** `ObservationSpec.once` for `config` and `action`; nothing where it would be empty. */
export function onceFields(
  { previousActions = 0, basePolicy }: OnceConfig,
  action: ActionSpec,
): { readonly once?: readonly ObservationField[] } {
  const size = action.dimensions.length;
  const fields: ObservationField[] = [];
  if (previousActions > 0) {
    fields.push({ name: PREVIOUS_ACTIONS, size: previousActions * size, unit: '1', frame: 'none' });
  }
  if (basePolicy !== undefined) {
    const { sha256 } = basePolicy;
    fields.push({ name: BASE_ACTION, size, unit: sha256 === undefined ? '1' : `1 of ${sha256}`, frame: 'none' });
  }
  return fields.length === 0 ? {} : { once: fields };
}
