/** Page-wide keys: space and Esc stop the robot in every view, whatever has the focus, as space does in the terminal. */
import { ask } from './stream.ts';

/** Input types that take no text. */
const NO_TEXT = ['checkbox', 'radio', 'range', 'button', 'submit'];

/** True if keys write text into `target`. */
export function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type);
  return target instanceof HTMLTextAreaElement;
}

/** True for Esc, and for space outside text fields; Esc never writes text. */
function isStop({ key, code, target, isComposing }: KeyboardEvent): boolean {
  if (isComposing) return false;
  return key === 'Escape' || ((code === 'Space' || key === ' ') && !isTextField(target));
}

function down(event: KeyboardEvent): void {
  if (isStop(event)) {
    // Prevents that it presses a button, least of all Start.
    event.preventDefault();
    if (!event.repeat) ask({ kind: 'stop' });
  } else if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.type === 'checkbox') {
    // Replaces space, which toggles a checkbox elsewhere.
    event.target.click();
  }
}

function up(event: KeyboardEvent): void {
  // Browsers press a button when space is released.
  if (isStop(event)) event.preventDefault();
}

/** Listens to the stop keys. Returns a function that ends it. */
export function hearStopKeys(): () => void {
  addEventListener('keydown', down, true);
  addEventListener('keyup', up, true);
  return () => {
    removeEventListener('keydown', down, true);
    removeEventListener('keyup', up, true);
  };
}
