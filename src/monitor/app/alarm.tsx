/** Help request of the robot, seen and heard: a banner on every page, and a sound on pages that allowed it and did not mute it. */
import { computed, effect, signal } from '@preact/signals';
import { recall, remember } from './storage.ts';
import { events, operators, status } from './stream.ts';

const MUTED_KEY = 'muted';
const CHIME_MS = 5000;
/** Two rising notes, like a question, Hz. */
const NOTES_HZ = [660, 880] as const;
const NOTE_S = 0.18;
const VOLUME = 0.2;

export const isMuted = signal(recall(MUTED_KEY) === '1');
/** Browsers allow a page to play sound only after a user gesture. */
const context = signal<AudioContext | undefined>(undefined);

/** The robot's unanswered help request; `undefined` if there is none. */
export const helpWanted = computed(() => {
  const { prompt, promptAtPage = prompt } = status.value?.operator ?? {};
  const asked = events.value.findLast(({ name }) => name === 'asksForHelp')?.message;
  return promptAtPage === asked ? asked : undefined;
});

function allow(): void {
  if (context.peek() !== undefined || typeof AudioContext === 'undefined') return;
  const made = new AudioContext();
  void made.resume().then(() => {
    context.value = made;
  });
}
for (const gesture of ['pointerdown', 'keydown']) addEventListener(gesture, allow, { once: true });

// Repeats until the request is answered: an operator working beside the robot may miss a single chime.
effect(() => {
  const speaker = context.value;
  if (helpWanted.value === undefined || isMuted.value || speaker === undefined) return undefined;
  chime(speaker);
  const timer = setInterval(() => chime(speaker), CHIME_MS);
  return () => clearInterval(timer);
});

function chime(speaker: AudioContext): void {
  for (const [i, hz] of NOTES_HZ.entries()) {
    const from = speaker.currentTime + i * NOTE_S;
    const [tone, volume] = [speaker.createOscillator(), speaker.createGain()];
    tone.frequency.value = hz;
    volume.gain.setValueAtTime(VOLUME, from);
    volume.gain.exponentialRampToValueAtTime(0.001, from + NOTE_S);
    tone.connect(volume).connect(speaker.destination);
    tone.start(from);
    tone.stop(from + NOTE_S);
  }
}

/** The setting is stored in the browser. Clicking it is also the user gesture that allows sound. */
export function SoundSwitch() {
  const flip = (): void => {
    isMuted.value = !isMuted.value;
    remember(MUTED_KEY, isMuted.value ? '1' : '0');
  };
  return (
    <button
      type="button"
      id="sound"
      class="sound"
      aria-pressed={!isMuted.value}
      title="A sound when the robot asks for help"
      onClick={flip}
    >
      ♪ {isMuted.value ? 'off' : 'on'}
      <span class="unseen">, sound when the robot asks for help</span>
    </button>
  );
}

export function HelpBanner() {
  const asked = helpWanted.value;
  if (asked === undefined) return null;
  const isUntouched = !isMuted.value && context.value === undefined;
  return (
    <section class="help-wanted" role="alert">
      <strong>
        <span aria-hidden="true">▲</span> {asked}
      </strong>
      {operators.value?.right === 'watch' ? <p>This link only shows the robot: alert a person beside it.</p> : null}
      {isUntouched ? <p>Touch this page once, and it sounds when the robot asks.</p> : null}
    </section>
  );
}
