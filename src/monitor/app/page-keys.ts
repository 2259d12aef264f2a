/** Keys of the whole page: space and Esc stop the robot from every view, whatever has the focus, as space does at the terminal. */
import { ask } from './stream.ts';

/** Inputs that text cannot be written into. */
const NO_TEXT = ['checkbox', 'radio', 'range', 'button', 'submit'];

/** Whether keys write text there. */
export function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type);
  return target instanceof HTMLTextAreaElement;
}

/** Esc writes nothing anywhere. */
function isStop({ key, code, target, isComposing }: KeyboardEvent): boolean {
  if (isComposing) return false;
  return key === 'Escape' || ((code === 'Space' || key === ' ') && !isTextField(target));
}

function down(event: KeyboardEvent): void {
  if (isStop(event)) {
    // No button is pressed by it, Start the least of all.
    event.preventDefault();
    if (!event.repeat) ask({ kind: 'stop' });
  } else if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.type === 'checkbox') {
    // What space is for elsewhere.
    event.target.click();
  }
}

function up(event: KeyboardEvent): void {
  // Where browsers press a button once space is let go.
  if (isStop(event)) event.preventDefault();
}

/** Hears them until the result is called. */
export function hearStopKeys(): () => void {
  addEventListener('keydown', down, true);
  addEventListener('keyup', up, true);
  return () => {
    removeEventListener('keydown', down, true);
    removeEventListener('keyup', up, true);
  };
}
