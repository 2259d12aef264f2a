/** Keyboard shortcuts of this page, in the header of every view. */
import { keyLabel, keys } from './operate.ts';

export function KeysChip() {
  return (
    <details class="keys-chip" id="keys">
      <summary>
        <kbd>space</kbd> stops<span class="unseen">; all keys of this page</span>
      </summary>
      <dl>
        <dt>
          <kbd>space</kbd> <kbd>Esc</kbd>
        </dt>
        <dd>stop the robot, from every view</dd>
        {keys.value.map(({ name, keys: [more, less] }) => (
          <>
            <dt>
              <kbd>{keyLabel(more)}</kbd> <kbd>{keyLabel(less)}</kbd>
            </dt>
            <dd>{name}, more and less, while you drive</dd>
          </>
        ))}
        <dt>
          <kbd>←</kbd> <kbd>→</kbd>
        </dt>
        <dd>a step back or on in an episode that is played back</dd>
        <dt>
          <kbd>Tab</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>to the next button or box, and press it</dd>
      </dl>
    </details>
  );
}
